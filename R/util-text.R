# Numbers, counts, sizes and times in words, and how text and data frames are printed.

format_bytes <- function(bytes) {
  format(structure(bytes, class = "object_size"), units = "auto", standard = "SI")
}

format_seconds <- function(seconds) {
  if (seconds < 90) {
    paste0(ceiling(seconds), "s")
  } else if (seconds < 5400) {
    paste0(ceiling(seconds / 60), "min")
  } else {
    paste0(format(seconds / 3600, digits = 2), "h")
  }
}

count_of <- function(n, one, several = paste0(one, "s")) paste(n, if (n == 1) one else several)

format_number <- function(x) {
  many_digits <- any(is.finite(x) & abs(x) > 0 & (abs(x) >= 1e15 | abs(x) < 1e-5))
  format(x,
    digits = 6, trim = TRUE, scientific = many_digits, big.mark = ",", decimal.mark = ".",
    drop0trailing = TRUE
  )
}

format_range <- function(x) {
  if (length(x) == 0) "of no row" else paste(unique(vapply(range(x), format_number, "")), collapse = " to ")
}

# Three significant digits, rounded up, so that "at most" remains true.
round_up <- function(x) {
  unit <- 10^(floor(log10(x)) - 2)
  ceiling(x / unit) * unit
}

cat_wrapped <- function(text, bullet = "") {
  width <- min(getOption("width"), 80)
  cat(strwrap(paste0(bullet, text), width = width, exdent = nchar(bullet)), sep = "\n")
}

# Prints a data frame. If it is wider than the console, prints it in parts, each with the first `keys`
# columns.
print_in_parts <- function(table, keys) {
  width <- vapply(seq_along(table), function(j) max(nchar(c(names(table)[j], format(table[[j]])))) + 1, 0)
  room <- getOption("width") - sum(width[seq_len(keys)])
  part <- integer()
  for (j in seq_along(table)[-seq_len(keys)]) {
    if (length(part) > 0 && sum(width[c(part, j)]) > room) {
      print_columns(table, c(seq_len(keys), part))
      part <- integer()
    }
    part <- c(part, j)
  }
  print_columns(table, c(seq_len(keys), part))
}

# Columns are taken as a list, because `[` would change duplicated column names.
print_columns <- function(table, columns) print(list2DF(as.list(table)[columns]), row.names = FALSE)

# A number, rounded to two significant digits of its standard error, and the error in parentheses.
format_score <- function(x, se) {
  digits <- ifelse(is.finite(se) & se > 0, pmax(0, 1 - floor(log10(se))), 3)
  as_text <- function(value) ifelse(is.na(value), "", sprintf("%.*f", as.integer(digits), value))
  paste0(as_text(x), ifelse(is.na(se), "", paste0(" (", as_text(se), ")")))
}

plural <- function(noun) if (endsWith(noun, "y")) paste0(sub("y$", "", noun), "ies") else paste0(noun, "s")

# Classes of results that are tables, after their own class.
TIBBLE <- c("tbl_df", "tbl", "data.frame")

# `part` is a selection of rows and columns of the table `from`. It keeps the class of `from` if it
# `is_whole`, otherwise it becomes a plain tibble. Other objects than data frames are not changed.
keep_class <- function(part, from, is_whole) {
  if (!is.data.frame(part)) {
    return(part)
  }
  own <- list(class = TIBBLE)
  if (is_whole(part)) own <- attributes(from)[setdiff(names(attributes(from)), c("names", "row.names"))]
  `attributes<-`(part, c(attributes(part)[c("names", "row.names")], own))
}

# Each number formatted separately, to four significant digits; digits before the point are all kept.
format_each <- function(x) vapply(x, format, "", digits = 4)

# A number above a limit, with enough digits to show that it is above.
format_above <- function(x, limit) {
  digits <- 3
  while (as.numeric(format(x, digits = digits)) <= limit) digits <- digits + 1
  format(x, digits = digits)
}

# Ends a title of estimates. The level is unknown (NULL) if the user has taken rows or columns of them.
interval_words <- function(level) {
  if (is.null(level)) ", with intervals" else paste0(", with ", format_number(100 * level), " % intervals")
}

# Prints a title, the first n rows of a table of estimates without the columns `hidden`, and what its columns are.
# `note`: ends the title.
print_estimates <- function(x, n, title, legend, note = "", hidden = character(), call = rlang::caller_env()) {
  n <- check_whole(n, "n", 0, call = call)
  cat_wrapped(paste0(title, interval_words(attr(x, "level")), note))
  print(`class<-`(x, TIBBLE)[!names(x) %in% hidden], n = n)
  cat_wrapped(legend)
  invisible(x)
}

# Sorts text that a person gave, such as labels and names of files, by code points: the same in every locale.
sort_text <- function(x) x[order(as_utf8(x), method = "radix")]

# The text marked as UTF-8, which order() requires. Names of files are not marked in the C locale, and need
# not be valid.
as_utf8 <- function(x) {
  local <- Encoding(x) == "unknown" & !validUTF8(x) & l10n_info()[["Latin-1"]]
  convert <- local | Encoding(x) == "latin1"
  x[convert] <- enc2utf8(x[convert])
  Encoding(x) <- "UTF-8"
  x
}

# As as.factor(), but the order of the levels does not depend on the locale.
as_levels <- function(x) {
  if (!is.character(x)) {
    return(as.factor(x))
  }
  x <- as_utf8(x) # other text cannot become names in every locale
  factor(x, sort_text(unique(x[!is.na(x)])))
}

# Text that can be shown: bytes that are not UTF-8, as in a file name of another system, are written as
# numbers.
printable <- function(x) iconv(as_utf8(x), "UTF-8", "UTF-8", sub = "byte")

# Like basename(), which fails for text that the present locale cannot write.
file_title <- function(file) sub("^.*/", "", file)
