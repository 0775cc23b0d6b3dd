# Releases and their protection in words: print() and summary() of a release, explain_privacy() and
# privacy_loss().

#' @export
format.private_counts <- function(x, ...) {
  paste0("<private_counts ", paste(dim(x), collapse = " x "), ", ", format_level(x), ">")
}

#' @importFrom utils str
#' @export
str.private_counts <- function(object, ...) cat(" ", format(object), "\n", sep = "")

#' @export
print.private_counts <- function(x, ...) {
  print_head(x)
  if (length(x) > 0) print_corner(x)
  invisible(x)
}

#' @export
print.private_vector <- function(x, ...) {
  print_head(check_release(x), length(x))
  first <- utils::head(seq_along(x), 60)
  cat("Released counts", if (length(x) > length(first)) ", the first 60", ":\n", sep = "")
  counts <- if (any(as.double(x) %in% HIDDEN)) noquote(format(x)) else as.double(x)
  print(counts[first], ...)
  invisible(x)
}

# In full of a whole release; in one line of a part of it, unless it has no noise, or noise that can be
# subtracted.
print_head <- function(x, extent = paste(dim(x), collapse = " x ")) {
  fields <- fields_of(x)
  if (!is.null(fields$mechanism)) {
    cat_wrapped(paste0("Protected counts: ", extent, if (!fields$directed) ", undirected"))
    if (fields$rng == "R") cat_wrapped(rng_sentence("R"))
    return(print(fields$mechanism))
  }
  if (isTRUE(attr(x, "part"))) {
    cat_wrapped(paste0("Part of a release: ", paste(dim(x), collapse = " x "), ", ", format_level(x)))
    if (fields$rng == "R") cat_wrapped(rng_sentence("R"))
    if (any(is.infinite(epsilon_of(fields)))) print_protection(x, fields)
    return(invisible())
  }
  masked <- n_missing(fields$counts)
  if (!fields$directed) masked <- (masked - nrow(x)) / 2
  cat_wrapped(paste0(
    "Private counts: ", extent, if (!fields$directed) ", undirected",
    if (masked > 0) paste0(" (", masked, if (!fields$directed) " pairs", " masked)"),
    ", two-sided geometric noise", if (!is.null(fields$below)) ", clamped at zero"
  ))
  cat_wrapped(format_level(x))
  cat_wrapped(rng_sentence(fields$rng))
  print_protection(x, fields)
}

print_protection <- function(x, fields) {
  epsilon <- epsilon_of(fields)
  without <- is.infinite(epsilon)
  if (length(x) > 0 && any(without)) {
    rows <- if (all(without)) "The counts" else "Rows with alpha = 0"
    cat_wrapped(paste(rows, "carry no noise and are not protected."))
  } else if (length(x) > 0) {
    cat_wrapped(paste0(
      if (fields$rng == "R") "What secure noise of this level would protect" else "What is protected",
      if (length(epsilon) > 1) ", in the least protected row", ":"
    ))
    cat_wrapped(protection(x), bullet = "* ")
  }
}

# Six rows and eight columns; with more than two modes, of the first slice.
print_corner <- function(x) {
  size <- pmin(c(6, 8, rep(1, length(dim(x)) - 2)), dim(x))
  at <- fold_cells(as.matrix(expand.grid(lapply(size, seq_len))), dim(x))
  corner <- as.matrix(fields_of(x)$counts[seq_len(size[1]), unique(at[, 2]), drop = FALSE])
  labels <- Map(utils::head, dimnames(x), size)[1:2]
  dimnames(corner) <- if (length(unlist(labels)) > 0) labels
  part <- if (length(corner) < length(x)) ", first rows and columns"
  slice <- if (!is.null(part) && length(dim(x)) > 2) " of the first slice"
  cat("Released counts", part, slice, ":\n", sep = "")
  if (any(corner == HIDDEN, na.rm = TRUE)) {
    corner[] <- ifelse(corner == HIDDEN, "hidden", format(corner, trim = TRUE))
    print(corner, quote = FALSE, right = TRUE)
  } else {
    print(corner)
  }
}

#' @export
summary.private_counts <- function(object, ...) {
  fields <- fields_of(object)
  values <- stored_values(fields$counts)
  observed <- n_cells(fields$counts) - n_missing(fields$counts)
  hidden <- sum(values == HIDDEN, na.rm = TRUE)
  share <- c(
    negative = sum(values < 0, na.rm = TRUE) - hidden, zero = NA, positive = sum(values > 0, na.rm = TRUE),
    if (!is.null(fields$mechanism)) c(hidden = hidden)
  ) / observed
  share["zero"] <- 1 - sum(share, na.rm = TRUE)
  declared <- NULL
  if (is.null(fields$mechanism)) {
    below <- known_below_zero(object)
    declared <- check_declared_alpha(below, fields$alpha)
    if (doubtful(declared)) warn_declared_alpha(declared, below)
  }
  structure(list(release = object, declared = declared, share = share), class = "summary.private_counts")
}

#' @export
print.summary.private_counts <- function(x, ...) {
  print_head(x$release)
  if (anyNA(x$share)) {
    return(invisible(x))
  }
  cat("Shares of the released counts:\n")
  print(round(x$share, 3))
  if (isTRUE(x$declared$cells > 0)) {
    cat_wrapped(paste0(
      "Estimated from the ", format_number(x$declared$cells), " counts at or below zero alone, alpha is ",
      format_estimate(x$declared), ". ", declared_sentence(x$declared)
    ))
  }
  invisible(x)
}

# --- sentences ------------------------------------------------------------------------------------

format_level <- function(x) {
  p <- privacy(x)
  if (!is.null(p$mechanism)) {
    return(format(p$mechanism))
  }
  paste0(
    "epsilon = ", format_range(p$epsilon), " at precision ", format_range(p$precision),
    " (alpha = ", format_range(p$alpha), ")"
  )
}

RNG_SENTENCES <- c(
  secure = "The noise came from the operating system's entropy, by an exact sampler.",
  R = "SIMULATION ONLY: the noise came from R's generator, so anyone who knows the seed can subtract it.",
  external = "The noise was added elsewhere; its level is as declared.",
  mixed = "The noise of different parts came from different sources."
)

rng_sentence <- function(rng) RNG_SENTENCES[[rng]]

# Sentences for the given precision and one or two other distances; for the least protected row if rows
# differ.
protection <- function(x) {
  p <- privacy(x)
  gamma <- max(p$epsilon / p$precision)
  N <- whole_distance(max(p$precision))
  vapply(unique(c(N, 1, 10 * N)), function(n) odds_sentence(gamma * n, n, "any release", p$directed), "")
}

# A sentence about what a loss of `epsilon` means for records that differ by `distance` counts.
odds_sentence <- function(epsilon, distance, what, directed) {
  by <- if (distance == 1) "by 1 count" else paste("by", format_number(distance), "counts in all")
  bound <- if (exp(epsilon) < 1e6) {
    factor <- format_number(round_up(exp(epsilon)))
    paste(what, "is at most", factor, "times as likely from one as from the other.")
  } else {
    "hardly protected (a factor above a million)."
  }
  paste0(
    if (directed) "Rows (records)" else "Networks", " that differ ", by,
    if (!directed) " (each pair counted once)", ": ", bound
  )
}

# The largest whole distance that is not above the precision, because counts are whole numbers; at least one.
whole_distance <- function(precision) {
  max(1, if (is_whole(precision)) round(precision) else floor(precision))
}

# --- odds of a guess ------------------------------------------------------------------------------

#' Explain a privacy level to participants
#'
#' Says in plain words what noise of level `epsilon` protects: how often a guess about a
#' participant's counts is right with and without the released counts. The text is meant for
#' consent forms.
#'
#' @param epsilon Privacy loss, positive; one number, or several to compare. Or a release, from which
#'   `epsilon` and `precision` are taken (if its rows differ, all their levels).
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: a
#'   positive number, or one per value of `epsilon`; see [privatize()].
#' @param ... Must be empty.
#' @param example What somebody may try to guess, as the end of the sentence "Suppose that someone sees your
#'   changed counts and tries to guess ...". It must be a question about one count.
#' @param x A `privacy_explanation`.
#' @return An object of class `privacy_explanation`: a list of `numbers` and `sentences`. `numbers` is a data
#'   frame with three rows per `epsilon`, for differences between two records of 1 count, of `precision`
#'   counts (rounded down, at least 1) and of ten times as many, and the columns
#'   \describe{
#'     \item{`epsilon`, `precision`}{as given}
#'     \item{`distance`}{the difference between two records, in counts}
#'     \item{`loss`}{the privacy loss at this distance, `epsilon * distance / precision`}
#'     \item{`factor`}{the largest factor by which the released counts change any odds, `exp(loss)`}
#'     \item{`right`}{the largest probability of a right guess, `factor / (1 + factor)`}
#'     \item{`right_of_100`}{`100 * right`, rounded up}
#'   }
#'   `sentences` is a list with one named character vector per `epsilon`, which `print()` shows.
#' @details The released counts of two records that differ by `d` counts in all (the sum of absolute
#' differences) have probabilities that differ by a factor of at most `exp(epsilon * d / precision)`. Suppose
#' that someone knows that one of two such records is the true one, and at first thinks that both are
#' equally likely. A guess is then right with probability 1/2. With the released counts it is right with
#' probability at most `factor / (1 + factor)`, whatever rule is used to guess (Kairouz, Oh and
#' Viswanath, 2015, theorem 2.1, applied to the sum of both errors). For a single count and `d = 1` this bound
#' is reached: `1 / (1 + alpha)`.
#'
#' Nanayakkara et al. (2023) compared explanations of `epsilon` in a survey of 963 people. Explanations by
#' odds (how many of 100 possible outcomes) were understood better than examples of outputs, and better than
#' texts that do not mention `epsilon`. The text here follows this result. Its words are new and were not
#' tested in that survey.
#'
#' The text is about one release. If the same counts are released twice, the losses add up
#' ([privacy_loss()]): use the sum as `epsilon`.
#' @section Errors: `explain_privacy()` stops with an error of class `ldpcounts_error` if an argument is
#'   wrong.
#' @references Nanayakkara, Smart, Cummings, Kaptchuk and Redmiles (2023), What are the chances? Explaining
#'   the epsilon parameter in differential privacy, USENIX Security Symposium.
#'
#'   Kairouz, Oh and Viswanath (2015), The composition theorem for differential privacy, International
#'   Conference on Machine Learning.
#' @seealso [what-is-protected] for the threat model, [privacy_loss()] for several releases.
#' @examples
#' explain_privacy(epsilon = 1, example = "whether you met your neighbour that day")
#' @export
explain_privacy <- function(epsilon, precision = 1, ...,
                            example = "whether something happened once more or not") {
  check_no_dots(...)
  check_given(missing(epsilon), "epsilon")
  if (is_release(epsilon) || is_private_vector(epsilon)) {
    check_that(missing(precision), "{.arg precision} is part of the release, and must not be given.")
    check_geometric(privacy(epsilon)$mechanism, rlang::current_env())
    levels <- unique(as.data.frame(privacy(epsilon)[c("epsilon", "precision")]))
    epsilon <- levels$epsilon
    precision <- levels$precision
  }
  epsilon <- check_epsilon(epsilon)
  precision <- check_matching(precision, epsilon, "value of `epsilon`")
  if (!is_file_name(example)) abort_argument(example, "example", "one string", rlang::current_env())
  each <- Map(privacy_odds, epsilon, precision)
  structure(list(
    numbers = do.call(rbind, each), sentences = lapply(each, privacy_sentences, as.character(example))
  ), class = "privacy_explanation")
}

# The odds for records that differ by 1 count, by `precision`, and by ten times that: a data frame with one
# row per distance. For the columns see ?explain_privacy.
privacy_odds <- function(epsilon, precision) {
  N <- whole_distance(precision)
  distance <- unique(c(1, N, 10 * N))
  loss <- epsilon * distance / precision
  data.frame(
    epsilon = epsilon, precision = precision, distance = distance, loss = loss,
    factor = exp(loss), right = stats::plogis(loss), right_of_100 = right_of_100(loss)
  )
}

# Out of 100 guesses between two records, at most how many are right: the larger posterior probability of two
# records of equal prior probability, rounded up.
right_of_100 <- function(loss) ceiling(100 * stats::plogis(loss) - 1e-9)

# The sentences for the odds of one epsilon, as a named character vector, in the order in which they are read.
privacy_sentences <- function(odds, example) {
  right <- ifelse(odds$right_of_100 < 100, paste("at most", odds$right_of_100, "of 100"), "up to 100 of 100")
  each <- paste0(ifelse(odds$distance == 1, "With your changed counts,", paste(
    "If they try to guess which of two records is yours, and the records differ by",
    vapply(odds$distance, format_number, ""), "counts in all,"
  )), " they are right in ", right, " guesses.")
  names(each) <- paste0("distance_", format(odds$distance, trim = TRUE, scientific = FALSE))
  factor <- exp(odds$epsilon[1] / odds$precision[1])
  times <- if (factor < 1e6) paste("at most", format_number(round_up(factor))) else "more than a million"
  level <- paste0(format_number(odds$epsilon[1]), ", precision ", format_number(odds$precision[1]))
  c(
    level = paste0("Privacy at epsilon = ", level, ":"),
    noise = paste(
      "A random number is added to each of your counts before anyone else sees them.",
      "Only the changed counts are collected."
    ),
    guess = paste0("Suppose that someone sees your changed counts and tries to guess ", example, "."),
    coin = paste(
      "Without your changed counts, they can only toss a coin.",
      "They are then right in 50 of 100 guesses."
    ),
    each,
    prior = paste(
      "Someone who already knows something about you may guess better than by tossing a coin. Whatever they",
      "thought before, your changed counts make it", times, "times as likely to them."
    ),
    large = "Large differences are not hidden: for example, whether there are many counts or hardly any."
  )
}

#' @rdname explain_privacy
#' @export
print.privacy_explanation <- function(x, ...) {
  check_no_dots(...)
  for (level in unclass(x)$sentences) for (sentence in level) cat_wrapped(sentence)
  invisible(x)
}

# --- several releases -----------------------------------------------------------------------------

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
#' @section Errors: `privacy_loss()` stops with an error of class `ldpcounts_error` if an argument is not a
#'   `private_counts`, if the numbers or the names of rows differ, if some releases are directed and others
#'   not, and if `precision` is not a positive number.
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
  releases <- lapply(list(...), check_release, "...")
  check_that(length(releases) > 0, "{.arg ...} must hold at least one release.")
  for (release in releases) geometric_fields(release)
  same <- function(part) length(unique(Filter(Negate(is.null), lapply(releases, part)))) < 2
  check_that(same(nrow) && same(rownames) && same(function(x) fields_of(x)$directed), c(
    "All releases must be of the same data.", x = "Their rows differ in number, names or direction."
  ))
  levels <- lapply(releases, privacy)
  if (is.null(precision)) precision <- max(unlist(lapply(levels, `[[`, "precision")))
  precision <- check_positive(precision, "precision")
  each <- lapply(levels, function(level) level$epsilon / level$precision * precision)
  structure(list(
    epsilon = collapse(Reduce(`+`, each)), precision = precision, directed = levels[[1]]$directed,
    releases = data.frame(epsilon = vapply(each, max, 0), rng = vapply(levels, `[[`, "", "rng"))
  ), class = "privacy_loss")
}

#' @export
print.privacy_loss <- function(x, ...) {
  n <- nrow(x$releases)
  who <- if (n == 1) "One release has" else paste(n, "releases of the same data together have")
  cat_wrapped(paste0(
    who, " spent epsilon = ",
    format_range(x$epsilon), " at precision ", format_number(x$precision), "."
  ))
  weakest <- max(x$epsilon)
  distance <- whole_distance(x$precision)
  sentence <- odds_sentence(weakest * distance / x$precision, distance, "what was released", x$directed)
  if (length(x$epsilon) > 1) sentence <- paste("In the least protected row:", sub("^Rows", "rows", sentence))
  if (is.infinite(weakest)) sentence <- "A release without noise (alpha = 0) protects nothing."
  cat_wrapped(sentence, bullet = "* ")
  invisible(x)
}
