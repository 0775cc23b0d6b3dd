# The total privacy loss of several releases of the same data.

#' Total privacy loss of several releases
#'
#' Computes the privacy loss of several releases of the same counts. Losses add up (basic composition): if two
#' releases have `epsilon_1` and `epsilon_2`, the privacy loss to anyone who sees both is at most `epsilon_1 +
#' epsilon_2`. If a release was made from another one by `privatize(compose = TRUE)`, leave it out, because it
#' reveals nothing beyond the other one. The same holds for a part or a copy of a release, such as one that
#' was written to a file and read again.
#'
#' @param ... Releases ([private_counts()]) of the same data, with the same rows.
#' @param precision The largest difference between two records, in counts, that the total protects; see
#'   [privatize()]. By default the largest `precision` of the releases.
#' @return An object of class `privacy_loss`, a list of `epsilon` (the total; one number, or one per row if
#'   rows differ), `precision`, `directed`, and `releases` (a data frame with one row per release: its largest
#'   `epsilon` at this precision, and the source of its random numbers). `print()` explains it in words.
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is not a `private_counts`, if
#'   the numbers or the names of rows differ, if some releases are directed and others not, and if `precision`
#'   is not a positive number.
#' @references Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy,
#'   theorem 3.14.
#' @examples
#' y <- matrix(rpois(20, 3), 4)
#' monday <- privatize(y, epsilon = 1)
#' tuesday <- privatize(y, epsilon = c(0.5, 1, 1, 2))
#' privacy_loss(monday, tuesday)
#' privacy_loss(monday, tuesday)$epsilon
#' @export
privacy_loss <- function(..., precision = NULL) {
  releases <- list(...)
  check_releases(releases)
  levels <- lapply(releases, privacy)
  if (is.null(precision)) precision <- max(unlist(lapply(levels, `[[`, "precision")))
  precision <- check_positive(precision, "precision")
  each <- lapply(levels, function(level) level$epsilon / level$precision * precision)
  structure(
    list(
      epsilon = collapse(Reduce(`+`, each)), precision = precision, directed = levels[[1]]$directed,
      releases = data.frame(epsilon = vapply(each, max, 0), rng = vapply(levels, `[[`, "", "rng"))
    ),
    class = "privacy_loss"
  )
}

check_releases <- function(releases, call = rlang::caller_env()) {
  check_that(length(releases) > 0, "{.arg ...} must hold at least one release.", call)
  other <- which(!vapply(releases, is_release, TRUE))
  named <- Filter(nzchar, names(releases)[other])
  if (length(named) > 0) abort_unknown(named[1], "precision", call)
  check_that(length(other) == 0, c(
    "{.arg ...} must hold private_counts objects, but argument {other[1]} is not one.",
    x = "It is {describe_type(releases[[other[1]]])}.",
    i = if (is.list(releases[[other[1]]])) "{.code do.call(privacy_loss, releases)} takes a list of releases."
  ), call)
  differ <- lengths(lapply(list(
    "of the same data: their numbers of rows differ" = lapply(releases, nrow),
    "that are all directed, or all undirected" = lapply(releases, function(x) privacy(x)$directed),
    "of the same data: the names of their rows differ" = Filter(Negate(is.null), lapply(releases, rownames))
  ), unique)) > 1
  check_that(!any(differ), "{.arg ...} must hold releases {names(which(differ))[1]}.", call)
}

#' @export
print.privacy_loss <- function(x, ...) {
  n <- nrow(x$releases)
  spent <- if (n == 1) "One release has" else paste(n, "releases of the same data together have")
  cat_wrapped(paste0(
    spent, " spent epsilon = ", format_range(x$epsilon), " at precision ", format_number(x$precision), "."
  ))
  weakest <- max(x$epsilon)
  if (is.finite(weakest)) {
    distance <- whole_distance(x$precision)
    loss <- weakest * distance / x$precision
    sentence <- odds_sentence(loss, distance, "what was released", x$directed)
    if (length(x$epsilon) > 1) {
      sentence <- paste("In the least protected row:", sub("^Rows", "rows", sentence))
    }
    cat_wrapped(sentence, bullet = "* ")
  } else {
    cat_wrapped("A release without noise (alpha = 0) protects nothing.")
  }
  if (n > 1) {
    cat("By release:\n")
    print(x$releases)
  }
  invisible(x)
}
