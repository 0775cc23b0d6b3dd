# Writes the page on which participants add noise to their own counts. Its parts are in inst/collection:
# page.html is the template, page.css the style, sampler.js the exact sampler, page.js all else, and texts
# the words.

#' A web page that adds noise on the participant's own device
#'
#' `collection_page()` writes a web page for the participants of a study, who need neither R nor a network
#' connection. Each participant enters counts, or a text whose words are counted, and presses one button. The
#' page adds noise by the same exact sampler as [privatize()], with random bits from the browser's secure
#' source, and offers the release as a file or as a line of text.
#'
#' @param items The names of the counts, in the order of the columns of the release. With `input = "text"`,
#'   the vocabulary: the words to be counted.
#' @param epsilon,precision The privacy loss, and the largest difference between two records that is protected
#'   at `epsilon`, in counts: one number each; see [privatize()].
#' @param file The name of the file to write, which should end in `.html`.
#' @param ... Must be empty: all further arguments must be named.
#' @param input `"counts"`: the participant enters a number for each of `items`. `"text"`: the participant
#'   types, pastes or drops a text, or chooses text or CSV files. The page counts how often the words in
#'   `items` occur.
#' @param title The title of the page.
#' @param intro Paragraphs about the study, above the entry: a character vector, or `NULL` for none. It is
#'   plain text, not HTML.
#' @param participant If `TRUE`, the page asks for a label, which is released without noise as the label of
#'   the row.
#' @param na What happens to counts that are left empty: with `"error"`, the page asks for them; with
#'   `"keep"`, they are released as missing (see [privatize()]). Only for `input = "counts"`.
#' @param offer How the participant can take the release away: `"file"`, a button that downloads it as a file
#'   for [read_release()]; `"text"`, a button that copies the contents of this file; `"line"`, one line of
#'   text for [read_release_lines()], to be pasted into a survey. One or more of these, or none with
#'   `post_to`.
#' @param post_to An address (`https://...`) to which the page can send the release, or `NULL`. The page has
#'   no other access to the network. The release is sent only if the participant presses the button for it.
#' @param texts All texts of the page in another language: a named list with the names of
#'   `collection_texts()`. Names in braces, such as `{n}`, must be kept, because the page replaces them.
#'   `NULL` for English.
#' @param lang The language of the texts, such as `"en"` or `"pt-BR"`, which screen readers need.
#' @param overwrite If `TRUE`, an existing file is replaced.
#' @return `collection_page()`: the name of the file, invisibly. `collection_texts()`: a named list of the
#'   English texts.
#' @details The page is one file without references to others. It can be opened from a disk, sent by e-mail,
#' or put on a web server. Its content security policy forbids all connections (with `post_to`, all but those
#' to this address). The page does not store, log or send what was entered, and removes it once the noise is
#' added. The release has the noise level that `privatize()` computes from the same `epsilon` and `precision`.
#'
#' The noise is drawn in whole numbers. (The numbers are of JavaScript's type `BigInt`.) The random bits come
#' from `crypto.getRandomValues()`. If the browser does not have this function, the page refuses to work.
#'
#' Each participant should answer once. A second answer has new noise, so the two together spend `epsilon`
#' twice. The page therefore switches its button off after use, and explains why. It cannot prevent a
#' participant from opening it again, because it stores nothing.
#'
#' With `input = "text"`, a word is a sequence of letters, digits and accents, which may contain apostrophes.
#' Hyphens separate words. Upper and lower case are not distinguished. Each word in `items` must have this
#' form. Files are read as UTF-8 or UTF-16, or, if they are neither, as Windows-1252.
#'
#' If `post_to` is given, the release is sent by a POST request whose body is the text of the file. The server
#' must allow requests from pages of other origins (the header `Access-Control-Allow-Origin: *`). Otherwise
#' the page cannot find out whether the release has arrived, and tells the participant so.
#'
#' The page explains epsilon by odds: out of 100 guesses between two possible records, how many are right.
#' Explanations of this kind were understood best in the experiments of Nanayakkara et al. (2023). The words
#' of the page are new and were not tested there.
#' @section Threats: Participants must trust the page, that is, the person who sends it to them, and their own
#'   device. Publish the page together with the way in which it was made, so that others can check it.
#' @section Errors: `collection_page()` stops with an error of class `ldpcounts_error`, and writes nothing,
#'   if an argument is wrong, if `file` exists (unless `overwrite = TRUE`), or if it cannot be written.
#' @references Nanayakkara, P., Smart, M. A., Cummings, R., Kaptchuk, G. and Redmiles, E. M. (2023). What are
#'   the chances? Explaining the epsilon parameter in differential privacy. *USENIX Security 23*.
#' @seealso [privatize()], which participants with R can use instead.
#' @examples
#' file <- tempfile(fileext = ".html")
#' collection_page(c("calls", "e-mails", "visits"), epsilon = 1, precision = 5, file = file,
#'   title = "Contacts last week", intro = "How often did you contact a colleague last week?")
#' # browseURL(file)
#' names(collection_texts())
#' @export
collection_page <- function(items, epsilon, precision = 1, file, ..., input = c("counts", "text"),
                            title = "Counts with noise", intro = NULL, participant = FALSE,
                            na = c("error", "keep"), offer = c("file", "text"), post_to = NULL,
                            texts = NULL, lang = "en", overwrite = FALSE) {
  check_no_dots(...)
  check_given(missing(items), "items")
  check_given(missing(epsilon), "epsilon")
  check_given(missing(file), "file")
  call <- rlang::current_env()
  input <- check_choice(input, "input", c("counts", "text"))
  na <- check_choice(na, "na", c("error", "keep"))
  participant <- check_flag(participant, "participant")
  overwrite <- check_flag(overwrite, "overwrite")
  items <- check_names(items, "items")
  if (input == "text") check_vocabulary(items)
  check_that(na == "error" || input == "counts", "{.code na = \"keep\"} needs {.code input = \"counts\"}.")
  if (!is_one(epsilon)) abort_argument(epsilon, "epsilon", "one number", call)
  if (!is_one(precision)) abort_argument(precision, "precision", "one number", call)
  release <- empty_release(items, check_epsilon(epsilon), check_precision(precision))
  if (!is_one(title) || !is_text(title)) abort_argument(title, "title", "one text", call)
  if (!is.null(intro) && !is_text(intro)) {
    abort_argument(intro, "intro", "NULL or a vector of paragraphs", call)
  }
  if (!is.null(post_to) && !(rlang::is_string(post_to) && grepl(ADDRESS, post_to))) {
    abort_argument(post_to, "post_to", "NULL or an address that begins with \"https://\"", call)
  }
  offers <- c("file", "text", "line")
  if (!all(offer %in% offers)) {
    abort_argument(offer, "offer", "one or more of \"file\", \"text\", \"line\"", call)
  }
  check_that(length(offer) > 0 || !is.null(post_to),
    "Without {.arg post_to}, {.arg offer} must not be empty: nobody could hand in an answer."
  )
  if (!rlang::is_string(lang) || !grepl("^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", lang)) {
    abort_argument(lang, "lang", "the code of a language, such as \"en\"", call)
  }
  check_that(!is.null(texts) || grepl("^en(-|$)", lang, ignore.case = TRUE),
    "With {.code lang = {.val {lang}}}, give the texts of the page in this language as {.arg texts}."
  )
  texts <- if (is.null(texts)) collection_texts() else check_texts(texts)
  check_new_file(file, overwrite)
  if (na == "keep") texts$counts_legend <- texts$counts_legend_missing
  texts$send_how <- fill_text(texts$send_how, address = post_to)
  hashes <- read.dcf(page_file("hashes"))[1, ]
  page <- fill_template(page_part("page.html"), c(
    list(
      lang = lang, title = escape_html(title), style = page_style(), script = page_script(),
      intro = sprintf("<p>%s</p>\n", escape_html(intro)),
      policy = paste0(
        "default-src 'none'; script-src '", hashes[["script"]], "'; style-src '", hashes[["style"]],
        "'; connect-src ", if (is.null(post_to)) "'none'" else sub("[?].*", "", post_to),
        "; img-src 'none'; form-action 'none'; base-uri 'none'"
      ),
      data = as_json(c(page_data(release, items, texts), list(
        input = input, participant = participant, keepMissing = na == "keep",
        offer = as.list(intersect(offers, offer)), postTo = post_to
      )))
    ),
    lapply(page_protection(release, texts), escape_html),
    stats::setNames(lapply(texts, escape_html), paste0("text:", names(texts)))
  ))
  write_whole_file(file, function(connection) writeLines(enc2utf8(page), connection, useBytes = TRUE))
  invisible(file)
}

# --- checks ---------------------------------------------------------------------------------------

is_text <- function(x) {
  is.character(x) && length(x) > 0 && !anyNA(x) && all(validUTF8(enc2utf8(x))) && all(nzchar(x))
}

# The addresses to which a page may send; their characters mean nothing in a content security policy.
ADDRESS <- paste0(
  "^(https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|http://(localhost|127[.]0[.]0[.]1))(:[0-9]{1,5})?",
  "(/[A-Za-z0-9._~!$&()*+=:@%/-]*)?([?][A-Za-z0-9._~!$&()*+=:@%/?-]*)?$"
)

# Each item must be one word as page.js finds it in a text.
check_vocabulary <- function(items, call = rlang::caller_env()) {
  one_word <- "^[\\p{L}\\p{M}\\p{N}]+(?:['\u2019][\\p{L}\\p{M}\\p{N}]+)*\\z"
  other <- items[!grepl(one_word, items, perl = TRUE)]
  check_that(length(other) == 0, c(
    "With {.code input = \"text\"}, each of {.arg items} must be one word, without blanks or hyphens.",
    x = "{.val {other}} {?is/are} not."
  ), call)
  same <- gsub("\u2019", "'", tolower(items))
  check_that(!anyDuplicated(same), c(
    "With {.code input = \"text\"}, all {.arg items} must be different words.",
    x = "{.val {items[duplicated(same)]}} {?differs/differ} from another word only in upper and lower case."
  ), call)
}

# --- texts ----------------------------------------------------------------------------------------

#' @rdname collection_page
#' @export
collection_texts <- function() as.list(gsub("\n", " ", read.dcf(page_file("texts"))[1, ]))

# Texts in place of the English ones: all of them, each with the same names in braces.
check_texts <- function(texts, call = rlang::caller_env()) {
  english <- collection_texts()
  hint <- "{.fn collection_texts} returns the English texts, which can be translated one by one."
  if (!is.list(texts) || is.object(texts) || is.null(names(texts))) {
    abort_argument(texts, "texts", "a named list of texts", call, hint)
  }
  unknown <- setdiff(names(texts), names(english))
  missing <- setdiff(names(english), names(texts))
  check_that(length(c(unknown, missing)) == 0 && !anyDuplicated(names(texts)), c(
    "{.arg texts} must have the names of {.code collection_texts()}, each once.",
    x = if (length(unknown) > 0) "{.val {unknown}} {?is/are} unknown.",
    x = if (length(missing) > 0) "{.val {missing}} {?is/are} missing.", i = hint
  ), call)
  in_braces <- function(text) {
    unique(regmatches(text, gregexpr("\\{\\w+\\}", text))[[1]])
  }
  for (name in names(english)) {
    valid <- is_text(texts[[name]]) && is_one(texts[[name]]) &&
      setequal(in_braces(texts[[name]]), in_braces(english[[name]]))
    check_that(valid, c(
      "Element {.val {name}} of {.arg texts} must be one text.",
      i = "It must have the same names in braces as the English text: {.val {english[[name]]}}."
    ), call)
  }
  texts[names(english)]
}

# A text with its values in place.
fill_text <- function(text, ...) {
  values <- Filter(Negate(is.null), list(...))
  for (name in names(values)) text <- gsub(paste0("{", name, "}"), values[[name]], text, fixed = TRUE)
  text
}

# --- the page -------------------------------------------------------------------------------------

page_file <- function(name) system.file("collection", name, package = "ldpcounts", mustWork = TRUE)

page_part <- function(name) {
  paste(readLines(page_file(name), encoding = "UTF-8", warn = FALSE), collapse = "\n")
}

page_style <- function() paste0("\n", page_part("page.css"), "\n")

# The script, in a block of its own so that its names are not global.
page_script <- function() {
  paste0("\"use strict\";\n{\n", page_part("sampler.js"), "\n", page_part("page.js"), "\n}\n")
}

# A release of one row of zeros with the noise level that privatize() would use, for the head of the file.
empty_release <- function(items, epsilon, precision, call = rlang::caller_env()) {
  rates <- rates_from_epsilon(epsilon, precision, call)
  counts <- matrix(0L, 1, length(items), dimnames = list(NULL, items))
  new_private_counts(counts, alpha_of_rate(rates$s / rates$t), precision, "secure", rates$s, rates$t)
}

# What the noise protects, in odds.
page_protection <- function(release, texts) {
  p <- privacy(release)
  gamma <- p$epsilon / p$precision
  near <- whole_distance(p$precision)
  guess <- function(text, n) fill_text(text, n = format_number(n), right = right_of_100(gamma * n))
  factor <- round_up(exp(min(gamma * near, 700)))
  more <- if (right_of_100(gamma * 10 * near) < 100) "protects_more" else "protects_hardly"
  list(
    guess = guess(texts$protects_guess, near), caption_without = texts$caption_without,
    caption_with = guess(texts$caption_with, near),
    factor = fill_text(texts$protects_factor, factor = format_number(factor)),
    more = guess(texts[[more]], 10 * near)
  )
}

# What page.js needs to know of the release.
page_data <- function(release, items, texts) {
  fields <- geometric_fields(release)
  list(
    items = as.list(items), s = write_numbers(fields$s), t = write_numbers(fields$t),
    right = right_of_100(fields$s / fields$t * whole_distance(fields$precision)),
    head = as.list(c(RELEASE_FIRST_LINE, release_head(release))), lineHead = line_head(fields, items),
    texts = texts
  )
}

# Replaces {{name}} in a template. Values are not searched for further names.
fill_template <- function(template, values) {
  found <- gregexpr("\\{\\{[a-z_:]+\\}\\}", template)
  names <- gsub("[{}]", "", regmatches(template, found)[[1]])
  regmatches(template, found) <- list(vapply(names, function(name) paste(values[[name]], collapse = ""), ""))
  template
}

escape_html <- function(text) {
  for (one in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c("\"", "&quot;"), c("'", "&#39;"))) {
    text <- gsub(one[1], one[2], text, fixed = TRUE)
  }
  text
}

# JSON that may stand in an element <script>: no text in it can end the element.
as_json <- function(x) gsub("<", "\\u003c", jsonlite::toJSON(x, auto_unbox = TRUE, null = "null"), fixed = TRUE)
