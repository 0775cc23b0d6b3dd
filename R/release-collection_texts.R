# The texts of a collection page, all in one place, so that they can be replaced by those of another language.
# A name in braces, such as {n}, is replaced by a value.

COLLECTION_TEXTS <- list(
  unsupported = paste(
    "This page needs a current browser with JavaScript. Please open it in another browser. Nothing has",
    "been read or sent."
  ),
  no_source = paste(
    "This browser has no secure source of random numbers, so the page cannot protect your counts. Please",
    "open the page in another browser. Nothing has been released or sent."
  ),
  protects_title = "What the noise protects",
  protects_how = paste(
    "Before anyone sees your counts, this page adds random noise to each of them. Only the noised counts",
    "leave the page."
  ),
  protects_guess = paste(
    "Suppose someone knows that one of two lists holds your true counts, and thinks that each of them is",
    "as likely as the other. The lists differ by {n} in all. Out of 100 guesses, 50 are right by tossing",
    "a coin. With your noised counts, at most {right} are right."
  ),
  caption_without = "Tossing a coin: 50 of 100 guesses are right",
  caption_with = "With your noised counts: at most {right} of 100",
  protects_factor = paste(
    "In other words: your noised counts are at most {factor} times as likely under one of the two lists",
    "as under the other."
  ),
  protects_more = paste(
    "Larger differences are protected less: if the lists differ by {n} in all, at most {right} of 100",
    "guesses are right."
  ),
  protects_hardly = "Large differences are hardly protected: lists that differ by {n} can be told apart.",
  entry_title = "Your answer",
  entry_stays = paste(
    "Your true counts stay on this device. They are removed from the page as soon as the noise is",
    "added."
  ),
  counts_legend = "Enter a whole number for each item; 0 if there were none.",
  counts_legend_missing = paste(
    "Enter a whole number for each item; 0 if there were none. You may leave an item empty. It is then",
    "visible that you did so."
  ),
  text_how = paste(
    "Your text is read on this device. The page counts how often it contains the words of this study. The",
    "text itself and all other words are ignored and go nowhere."
  ),
  text_label = "Type or paste your text",
  files_label = "Or choose text or CSV files, or drop them here",
  file_read = "{file} has been read on this device.",
  participant_label = "Your label in this study",
  participant_hint = "The label is released without noise, so that your answer can be assigned to you.",
  button = "Add noise to my answer",
  once = paste(
    "The noise has been added, and what you entered has been removed from this page. The button is",
    "switched off, because a second answer with new noise would reveal more about your true counts.",
    "Please do not reload the page to answer again."
  ),
  noised = "The noise has been added. These are your noised counts.",
  result_title = "Your noised counts",
  result_how = paste(
    "This is all that others will see. Some numbers may be below zero: that is the effect of the noise,",
    "and the analysis accounts for it."
  ),
  table_caption = "Noised counts",
  table_item = "Item",
  table_count = "Noised count",
  masked = "not answered",
  download = "Download the file",
  downloaded = "The file {file} has been downloaded. Please hand it in as the study asks you to.",
  copy_text = "Copy the file as text",
  line_label = "Your answer as one line, to be pasted into the survey",
  copy_line = "Copy the line",
  copied = "Copied.",
  not_copied = "The browser does not allow copying. Please select the text and copy it yourself.",
  send = "Send the noised counts",
  send_how = "They are sent to {address}, and to no other address.",
  sending = "Sending ...",
  sent = "The noised counts have been received. You can close this page.",
  not_sent = paste(
    "It is not certain that the noised counts arrived. Try again: the same noised counts are sent, so",
    "this reveals nothing more."
  ),
  error_missing = "Enter a number; 0 if there were none.",
  error_whole = "Enter a whole number with the digits 0 to 9 only.",
  error_large = "This number is too large. The largest allowed is 2147483647.",
  error_no_text = "Enter a text or choose a file first.",
  error_file = "{file} could not be read.",
  error_participant = "Enter your label."
)

#' @rdname collection_page
#' @export
collection_texts <- function() COLLECTION_TEXTS

# Texts in place of the English ones: all of them, each with the same names in braces.
check_texts <- function(texts, call = rlang::caller_env()) {
  if (is.null(texts)) {
    return(COLLECTION_TEXTS)
  }
  hint <- "{.fn collection_texts} returns the English texts, which can be translated one by one."
  if (!is.list(texts) || is.object(texts) || is.null(names(texts))) {
    abort_argument(texts, "texts", "a named list of texts", call, hint)
  }
  check_that(!anyDuplicated(names(texts)), "Two elements of {.arg texts} have the same name.", call)
  unknown <- setdiff(names(texts), names(COLLECTION_TEXTS))
  check_that(length(unknown) == 0, c(
    "{.arg texts} must have the names of {.code collection_texts()}.",
    x = "{.val {unknown}} {?is/are} unknown."
  ), call)
  missing <- setdiff(names(COLLECTION_TEXTS), names(texts))
  check_that(length(missing) == 0, c(
    "{.arg texts} must hold all texts of the page.", x = "{.val {missing}} {?is/are} missing.", i = hint
  ), call)
  for (name in names(COLLECTION_TEXTS)) check_one_text(texts[[name]], name, call)
  texts[names(COLLECTION_TEXTS)]
}

check_one_text <- function(text, name, call) {
  check_that(rlang::is_string(text) && nzchar(text) && validUTF8(enc2utf8(text)),
    "Element {.val {name}} of {.arg texts} must be one text.", call
  )
  needed <- placeholders(COLLECTION_TEXTS[[name]])
  needed_words <- if (length(needed) > 0) paste0("{", needed, "}") else "no name in braces"
  check_that(setequal(placeholders(text), needed), c(
    "Element {.val {name}} of {.arg texts} must contain the same names in braces as the English text.",
    x = "The English text has {needed_words}."
  ), call)
}

placeholders <- function(text) {
  unique(regmatches(text, gregexpr("(?<=\\{)\\w+(?=\\})", text, perl = TRUE))[[1]])
}

# A text with its values in place.
fill_text <- function(text, ...) {
  values <- list(...)
  for (name in names(Filter(Negate(is.null), values))) {
    text <- gsub(paste0("{", name, "}"), values[[name]], text, fixed = TRUE)
  }
  text
}
