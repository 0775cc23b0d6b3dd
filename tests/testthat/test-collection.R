page_text <- function(...) {
  file <- tempfile(fileext = ".html")
  collection_page(..., file = file)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

# The JSON in a page.
data_of <- function(page) {
  skip_if_not_installed("jsonlite")
  json <- sub("</script>.*", "", sub(".*<script id=\"data\" type=\"application/json\">", "", page))
  jsonlite::fromJSON(json, simplifyVector = FALSE)
}

policy_of <- function(page) sub(".*Content-Security-Policy\" content=\"([^\"]*)\".*", "\\1", page)

test_that("the page is one file that refers to no other", {
  page <- page_text(c("a", "b"), 1, intro = c("One.", "Two."))
  expect_false(grepl("\\{\\{", page))
  expect_false(grepl("(src|href)\\s*=", sub("<script>.*", "", page)))
  expect_false(grepl("https?://(?!www.w3.org/2000/svg)|@import|url\\(", page, perl = TRUE))
  expect_match(page, "<p>One.</p>\n<p>Two.</p>", fixed = TRUE)
  policy <- policy_of(page)
  for (part in c("default-src", "connect-src", "form-action", "img-src", "base-uri")) {
    expect_match(policy, paste(part, "'none'"), fixed = TRUE)
  }
  expect_false(grepl("unsafe", policy))
  page <- page_text("a", 1, post_to = "https://example.org:8000/a/b?key=1")
  expect_match(policy_of(page), "connect-src https://example.org:8000/a/b;", fixed = TRUE)
  expect_match(page, "https://example.org:8000/a/b?key=1", fixed = TRUE)
})

test_that("the policy has the hashes of the script and of the style", {
  skip_without_node()
  page <- page_text("a", 1)
  file <- tempfile()
  sha <- "const c = require('crypto'), f = require('fs'); console.log('sha256-' +
    c.createHash('sha256').update(f.readFileSync(process.argv[1])).digest('base64'))"
  for (element in c("script", "style")) {
    text <- sub(paste0("</", element, ">.*"), "", sub(paste0(".*<", element, ">"), "", page))
    writeLines(text, file, sep = "", useBytes = TRUE)
    hash <- run_lines("node", c("-e", sha, file))
    # if this fails: Rscript tools/collection.R
    expect_match(policy_of(page), paste0(element, "-src '", hash, "'"), fixed = TRUE)
  }
})

test_that("the page has the noise level and the head of the file of privatize()", {
  for (case in list(c(1, 1), c(0.7, 3), c(1 / 3, pi), c(2, 1e6))) {
    x <- privatize(matrix(0L, 1, 2, dimnames = list(NULL, c("a", "b"))), case[1], precision = case[2])
    file <- tempfile()
    write_release(x, file)
    lines <- readLines(file)
    data <- data_of(page_text(c("a", "b"), case[1], case[2]))
    head <- lines[seq_len(which(lines == "column_labels:") - 1)]
    expect_identical(unlist(data$head), head)
    expect_identical(c(data$s, data$t), sub("[st]: ", "", grep("^[st]: ", lines, value = TRUE)))
  }
})

test_that("names and texts cannot leave their place in the page", {
  items <- c("</script><b>", "\u2028\u2029\"\\", "<!--", "a\tb", "{{data}}")
  page <- page_text(items, 1, title = "<i> & \"'{{script}}", intro = "</p><script>")
  data <- data_of(page)
  expect_identical(unlist(data$items), items)
  expect_match(page, "<h1>&lt;i&gt; &amp; &quot;&#39;{{script}}</h1>", fixed = TRUE)
  expect_match(page, "<p>&lt;/p&gt;&lt;script&gt;</p>", fixed = TRUE)
  expect_length(gregexpr("</script>", page)[[1]], 2)
  expect_identical(data$lineHead, paste0("ldp1:1/1:1:", items_sum(items)))
})

test_that("what is protected is said in odds", {
  page <- page_text("a", 1, 5)
  expect_match(page, "differ by 5 in all. Out of 100 guesses, 50 are right by tossing a coin", fixed = TRUE)
  expect_match(page, "at most 74 are right", fixed = TRUE) # the odds are exp(1), so 0.731
  expect_match(page, "at most 2.72 times", fixed = TRUE)
  expect_match(page, "lists that differ by 50 can be told apart", fixed = TRUE)
  expect_match(page_text("a", 0.1, 1), "differ by 10 in all, at most 74 of 100", fixed = TRUE)
  expect_identical(right_of_100(c(0, log(3), 50)), c(50, 75, 100))
  expect_no_error(page_text("a", 1e6))
})

test_that("texts can be replaced, all of them, with the same names in braces", {
  texts <- collection_texts()
  texts$button <- "Rauschen <hinzuf\u00fcgen>"
  page <- page_text("a", 1, texts = texts, lang = "de")
  expect_match(page, "<html lang=\"de\">", fixed = TRUE)
  expect_match(page, "Rauschen &lt;hinzuf\u00fcgen&gt;", fixed = TRUE)
  expect_identical(data_of(page)$texts$button, texts$button)
  refused <- function(texts, ...) expect_refused(page_text("a", 1, texts = texts), ...)
  refused(texts[-1], "\"unsupported\" is missing", "collection_texts()")
  refused(c(texts, more = "x"), "\"more\" is unknown")
  refused(replace(texts, "sent", ""), "\"sent\"", "one text")
  refused(replace(texts, "file_read", "read"), "\"file_read\"", "{file}")
  refused(replace(texts, "sent", "{n}"), "\"sent\"", "the same names in braces")
  refused("x", "`texts` must be a named list")
  expect_refused(page_text("a", 1, lang = "de"), "`texts`")
})

test_that("wrong arguments are refused, and nothing is written", {
  file <- tempfile(fileext = ".html")
  refused <- function(..., say) expect_refused(collection_page(..., file = file), say)
  refused(character(), 1, say = "`items` must be a vector of names")
  refused(c("a", NA), 1, say = "1 is empty or missing")
  refused(c("a", "a"), 1, say = "\"a\" is given more than once")
  refused("a", say = "`epsilon` must be given")
  refused("a", 0, say = "`epsilon` must be a positive")
  refused("a", c(1, 2), say = "`epsilon` must be one number")
  refused("a", 1, -1, say = "`precision`")
  refused("a", 1e-9, say = "epsilon / precision")
  refused("a", 1, input = "audio", say = "`input` must be one of")
  refused("e-mail", 1, input = "text", say = "\"e-mail\" is not")
  refused(c("a", "A"), 1, input = "text", say = "only in upper and lower case")
  refused("a", 1, input = "text", na = "keep", say = "input = \"counts\"")
  refused("a", 1, title = 1, say = "`title`")
  refused("a", 1, intro = NA, say = "`intro`")
  refused("a", 1, lang = "English!", say = "`lang`")
  refused("a", 1, offer = "print", say = "`offer`")
  refused("a", 1, offer = NULL, say = "must not be empty")
  wrong <- c(
    "http://example.org", "https://a b", "https://x.org/;a", "https://x.org/'", "ftp://x", "https://u@x.org"
  )
  for (address in wrong) {
    refused("a", 1, post_to = address, say = "`post_to` must be")
  }
  refused("a", 1, titel = "x", say = "`titel`")
  expect_false(file.exists(file))
  expect_refused(collection_page("a", 1), "`file` must be given")
  expect_refused(collection_page("a", 1, file = file.path(tempfile(), "x.html")), "There is no folder")
  expect_identical(collection_page("a", 1, file = file), file)
  refused("b", 1, say = "overwrite = TRUE")
  expect_invisible(collection_page("b", 1, file = file, overwrite = TRUE))
})

test_that("words that the page would take for the same word are refused", {
  refused <- function(items, pattern) {
    file <- tempfile(fileext = ".html")
    expect_error(collection_page(items, epsilon = 1, file = file, input = "text"), pattern,
      class = "ldpcounts_argument_error"
    )
    expect_false(file.exists(file))
  }
  refused(c("\u00c9t\u00e9", "\u00e9t\u00e9"), "must be different words")
  refused("word\n", "must be one word")
  for (word in c("q\u0301", "\u0915\u094d\u0937", "work", "Kiosk", "caf\u00e9")) {
    expect_silent(collection_page(word, epsilon = 1, file = tempfile(fileext = ".html"), input = "text"))
  }
})
