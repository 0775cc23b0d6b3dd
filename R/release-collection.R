# Writes the page on which participants add noise to their own counts. Its parts are in inst/collection:
# page.html is the template, page.css the style, sampler.js the exact sampler, and page.js all else.

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
#' @section Errors: An error of class `ldpcounts_error` is thrown, and nothing is written, if an argument is
#'   wrong, if `file` exists (unless `overwrite = TRUE`), or if it cannot be written.
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
  input <- check_choice(input, "input", c("counts", "text"))
  na <- check_choice(na, "na", c("error", "keep"))
  participant <- check_flag(participant, "participant")
  overwrite <- check_flag(overwrite, "overwrite")
  items <- check_names(items, "items")
  if (input == "text") check_vocabulary(items)
  check_that(na == "error" || input == "counts", "{.code na = \"keep\"} needs {.code input = \"counts\"}.")
  release <- empty_release(items, epsilon, precision)
  check_plain_text(title, "title", "one text", one = TRUE)
  if (!is.null(intro)) check_plain_text(intro, "intro", "NULL or a vector of paragraphs")
  check_post_to(post_to)
  offer <- check_offer(offer, post_to)
  has_texts <- !is.null(texts)
  texts <- check_texts(texts)
  check_lang(lang, has_texts)
  check_new_file(file, overwrite)
  if (na == "keep") texts$counts_legend <- texts$counts_legend_missing
  page <- assemble_page(list(
    items = items, release = release, input = input, title = title, intro = intro, participant = participant,
    keep_missing = na == "keep", offer = offer, post_to = post_to, texts = texts, lang = lang
  ))
  write_whole_file(file, function(connection) writeLines(enc2utf8(page), connection, useBytes = TRUE))
  invisible(file)
}

# --- checks ---------------------------------------------------------------------------------------

# A release of one row of zeros with the noise level that privatize() would use, for the head of the file.
empty_release <- function(items, epsilon, precision, call = rlang::caller_env()) {
  for (arg in c("epsilon", "precision")) {
    value <- if (arg == "epsilon") epsilon else precision
    if (!is_one(value)) abort_argument(value, arg, "one number", call)
  }
  epsilon <- check_epsilon(epsilon, call = call)
  precision <- check_precision(precision, call = call)
  rates <- rates_from_epsilon(epsilon, precision, call)
  counts <- matrix(0L, 1, length(items), dimnames = list(NULL, items))
  new_private_counts(counts, alpha_of_rate(rates$s / rates$t), precision, rng = "secure", s = rates$s, t = rates$t)
}

# One word as page.js finds it in a text.
ONE_WORD <- "^[\\p{L}\\p{M}\\p{N}]+(?:['\u2019][\\p{L}\\p{M}\\p{N}]+)*\\z"

# Letters that Unicode can write as one character: a Latin letter (of either case) and its accent, and the Kelvin,
# Angstrom and Ohm signs, whose case must not be ignored, because the first would then match every k. page.js refuses to work
# with items that become equal in any other script.
DECOMPOSED <- paste0("[\u212a\u212b\u2126]", paste0("|(?i:[", c(
  "aeinouwy", "acegiklmnoprsuwyz", "aceghijosuwyz", "aeinouvy", "aegiouy", "aegiou", "a-ihmnoprstwxyz",
  "aehiotuwxy", "aeiouy", "auwy", "ou", "acdeghijklnorstuz", "ou", "abdehiklmnorstuvwyz", "cdeghklnrst", "aeiou"
), "])", c(
  "\u0300", "\u0301", "\u0302", "\u0303", "\u0304", "\u0306", "\u0307",
  "\u0308", "\u0309", "\u030a", "\u030b", "\u030c", "\u031b", "\u0323", "\u0327", "\u0328"
), collapse = ""))

check_vocabulary <- function(items, call = rlang::caller_env()) {
  other <- items[!grepl(ONE_WORD, items, perl = TRUE)]
  check_that(length(other) == 0, c(
    "With {.code input = \"text\"}, each of {.arg items} must be one word, without blanks or hyphens.",
    x = "{.val {other}} {?is/are} not."
  ), call)
  apart <- items[grepl(DECOMPOSED, items, perl = TRUE)]
  check_that(length(apart) == 0, c(
    "With {.code input = \"text\"}, {.arg items} must be in Unicode's composed form (NFC).",
    x = "{.val {apart}} {?has/have} letters in the decomposed form, as some systems write them.",
    i = "{.code stringi::stri_trans_nfc(items)} composes them."
  ), call)
  same <- gsub("\u2019", "'", tolower(items))
  check_that(!anyDuplicated(same), c(
    "With {.code input = \"text\"}, all {.arg items} must be different words.",
    x = "{.val {items[duplicated(same)]}} {?differs/differ} from another word only in upper and lower case."
  ), call)
}

check_plain_text <- function(x, arg, expected, one = FALSE, call = rlang::caller_env()) {
  fits <- is.character(x) && length(x) > 0 && (!one || is_one(x)) && !anyNA(x) && all(validUTF8(enc2utf8(x)))
  if (!fits || !all(nzchar(x))) abort_argument(x, arg, expected, call)
}

# The characters of an address that mean nothing in a content security policy.
ADDRESS <- "(/[A-Za-z0-9._~!$&()*+=:@%/-]*)?([?][A-Za-z0-9._~!$&()*+=:@%/?-]*)?$"
HOST <- "^https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
OWN_HOST <- "^http://(localhost|127[.]0[.]0[.]1)(:[0-9]{1,5})?"

check_post_to <- function(post_to, call = rlang::caller_env()) {
  fits <- is.null(post_to) ||
    (rlang::is_string(post_to) && grepl(paste0("(", HOST, "|", OWN_HOST, ")", ADDRESS), post_to))
  expected <- "NULL or an address that begins with \"https://\""
  if (!fits) abort_argument(post_to, "post_to", expected, call)
}

check_offer <- function(offer, post_to, call = rlang::caller_env()) {
  known <- c("file", "text", "line")
  fits <- is.null(offer) || (is.character(offer) && all(offer %in% known))
  if (!fits) abort_argument(offer, "offer", "one or more of \"file\", \"text\", \"line\"", call)
  check_that(length(offer) > 0 || !is.null(post_to),
    "Without {.arg post_to}, {.arg offer} must not be empty: nobody could hand in an answer.", call
  )
  intersect(known, offer)
}

check_lang <- function(lang, has_texts, call = rlang::caller_env()) {
  if (!rlang::is_string(lang) || !grepl("^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", lang)) {
    abort_argument(lang, "lang", "the code of a language, such as \"en\"", call)
  }
  check_that(has_texts || grepl("^en(-|$)", lang, ignore.case = TRUE),
    "With {.code lang = {.val {lang}}}, give the texts of the page in this language as {.arg texts}.", call
  )
}

# --- the page -------------------------------------------------------------------------------------

page_part <- function(name) {
  file <- system.file("collection", name, package = "ldpcounts", mustWork = TRUE)
  paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
}

# The script, in a block of its own so that its names are not global.
page_script <- function() {
  paste0("\"use strict\";\n{\n", page_part("sampler.js"), "\n", page_part("page.js"), "\n}\n")
}

page_style <- function() paste0("\n", page_part("page.css"), "\n")

assemble_page <- function(page) {
  hashes <- read.dcf(system.file("collection", "hashes", package = "ldpcounts", mustWork = TRUE))[1, ]
  texts <- page$texts
  texts$send_how <- fill_text(texts$send_how, address = page$post_to)
  values <- c(
    list(
      lang = page$lang, policy = page_policy(hashes, page$post_to), title = escape_html(page$title),
      style = page_style(), intro = sprintf("<p>%s</p>\n", escape_html(page$intro)),
      data = page_data(page), script = page_script()
    ),
    lapply(page_protection(page), escape_html),
    stats::setNames(lapply(texts, escape_html), paste0("text:", names(texts)))
  )
  fill_template(page_part("page.html"), values)
}

page_policy <- function(hashes, post_to) {
  connect <- if (is.null(post_to)) "'none'" else sub("[?].*", "", post_to)
  paste0(
    "default-src 'none'; script-src '", hashes[["script"]], "'; style-src '", hashes[["style"]],
    "'; connect-src ", connect, "; img-src 'none'; form-action 'none'; base-uri 'none'"
  )
}

# What the noise protects, in odds.
page_protection <- function(page) {
  p <- privacy(page$release)
  gamma <- p$epsilon / p$precision
  near <- whole_distance(p$precision)
  guess <- function(text, n) fill_text(text, n = format_number(n), right = right_of_100(gamma * n))
  factor <- round_up(exp(min(gamma * near, 700)))
  more <- if (right_of_100(gamma * 10 * near) < 100) "protects_more" else "protects_hardly"
  list(
    guess = guess(page$texts$protects_guess, near),
    caption_without = page$texts$caption_without, caption_with = guess(page$texts$caption_with, near),
    factor = fill_text(page$texts$protects_factor, factor = format_number(factor)),
    more = guess(page$texts[[more]], 10 * near)
  )
}

# What page.js needs, as JSON.
page_data <- function(page) {
  fields <- fields_of(page$release)
  p <- privacy(page$release)
  head <- c(RELEASE_FIRST_LINE, paste("#", release_words(page$release)), release_head(page$release))
  as_json(list(
    items = as.list(page$items), s = write_numbers(fields$s), t = write_numbers(fields$t),
    right = right_of_100(p$epsilon / p$precision * whole_distance(p$precision)), input = page$input,
    participant = page$participant, keepMissing = page$keep_missing, offer = as.list(page$offer),
    postTo = page$post_to, head = as.list(head), lineHead = line_head(fields, page$items), texts = page$texts
  ))
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

# JSON of lists, texts, flags and whole numbers, which may stand in an element <script>: characters that could
# end the element or a line are escaped.
as_json <- function(x) {
  if (is.null(x)) {
    "null"
  } else if (is.list(x)) {
    each <- vapply(x, as_json, "")
    if (is.null(names(x))) {
      paste0("[", paste(each, collapse = ","), "]")
    } else {
      paste0("{", paste0(vapply(names(x), json_text, ""), ":", each, collapse = ","), "}")
    }
  } else if (is.logical(x)) {
    if (x) "true" else "false"
  } else if (is.numeric(x)) {
    sprintf("%.0f", x)
  } else {
    json_text(x)
  }
}

json_text <- function(text) {
  text <- gsub("([\"\\\\])", "\\\\\\1", enc2utf8(text))
  risky <- c(1:31, utf8ToInt("<>&"), 0x7f, 0x2028, 0x2029)
  for (code in risky) {
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  paste0("\"", text, "\"")
}
