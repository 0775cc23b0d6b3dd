# What epsilon and precision mean for a participant, as odds: numbers, sentences, and the class of both.

#' Explain a privacy level to participants
#'
#' Says in plain words, and as a picture, what noise of level `epsilon` protects: how often a guess about a
#' participant's counts is right with and without the released counts. The text and the picture are meant for
#' consent forms.
#'
#' @param epsilon Privacy loss, positive; one number, or several to compare. Or a release, from which
#'   `epsilon` and `precision` are taken (if its rows differ, all their levels).
#' @param precision The largest difference between two records that is protected at `epsilon`, in counts: a
#'   positive number, or one per value of `epsilon`; see [privatize()].
#' @param ... For `plot()`, arguments of `autoplot()`; otherwise it must be empty.
#' @param distance Differences between two records, in counts, for which the odds are computed: whole
#'   numbers. If `NULL`, they are 1 (something happened once more or not), the precision (rounded down, at
#'   least 1), and ten times that.
#' @param example What somebody may try to guess, as the end of the sentence "Suppose that someone sees your
#'   changed counts and tries to guess ...". It must be a question about one count.
#' @param x,object A `privacy_explanation`.
#' @return An object of class `privacy_explanation`: a list of `numbers` and `sentences`. `numbers` is a data
#'   frame with one row per `epsilon` and `distance`, and the columns
#'   \describe{
#'     \item{`epsilon`, `precision`, `distance`}{as given}
#'     \item{`loss`}{the privacy loss at this distance, `epsilon * distance / precision`}
#'     \item{`factor`}{the largest factor by which the released counts change any odds, `exp(loss)`}
#'     \item{`right`}{the largest probability of a right guess, `factor / (1 + factor)`}
#'     \item{`right_of_100`}{`100 * right`, rounded up}
#'   }
#'   `sentences` is a list with one named character vector per `epsilon`. `print()` shows the sentences for
#'   one `epsilon`, and a table for several. `format()` and `as.character()` return the text, one string per
#'   `epsilon`, `as.data.frame()` returns `numbers`, and `autoplot()` returns a ggplot: 100 dots per panel,
#'   one for each guess. `plot()` draws it, and returns it invisibly.
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
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is wrong.
#' @references Nanayakkara, Smart, Cummings, Kaptchuk and Redmiles (2023), What are the chances? Explaining
#'   the epsilon parameter in differential privacy, USENIX Security Symposium.
#'
#'   Kairouz, Oh and Viswanath (2015), The composition theorem for differential privacy, International
#'   Conference on Machine Learning.
#' @seealso [what-is-protected] for the threat model, [privacy_loss()] for several releases.
#' @examples
#' explain_privacy(epsilon = 1, example = "whether you met your neighbour that day")
#' x <- explain_privacy(epsilon = c(0.5, 1, 2), precision = 3)
#' x
#' as.character(x)[1]
#' plot(x)
#' @export
explain_privacy <- function(epsilon, precision = 1, ..., distance = NULL,
                            example = "whether something happened once more or not") {
  check_no_dots(...)
  check_given(missing(epsilon), "epsilon")
  if (is_release(epsilon)) {
    check_that(missing(precision), "{.arg precision} is part of the release, and must not be given.")
    levels <- unique(as.data.frame(privacy(epsilon)[c("epsilon", "precision")]))
    epsilon <- levels$epsilon
    precision <- levels$precision
  }
  check_epsilon(epsilon)
  check_matching(precision, epsilon, "value of `epsilon`")
  check_distance(distance)
  if (!is_file_name(example)) abort_argument(example, "example", "one string", rlang::current_env())
  levels <- data.frame(epsilon = as.double(epsilon), precision = as.double(precision))
  each <- Map(privacy_odds, levels$epsilon, levels$precision, list(distance))
  structure(
    list(
      numbers = do.call(rbind, each),
      sentences = lapply(each, privacy_sentences, example = as.character(example))
    ),
    class = "privacy_explanation"
  )
}

check_distance <- function(distance, call = rlang::caller_env()) {
  valid <- is.null(distance) || (is.numeric(distance) && length(distance) > 0 &&
    all(is.finite(distance) & distance >= 1) && all(is_whole(distance)))
  if (!valid) abort_argument(distance, "distance", "whole numbers of at least 1", call)
}

# The odds for records that differ by these numbers of counts: a data frame with one row per distance. For the
# columns see ?explain_privacy.
privacy_odds <- function(epsilon, precision, distance = NULL) {
  N <- whole_distance(precision)
  distance <- if (is.null(distance)) unique(c(1, N, 10 * N)) else unique(as.double(distance))
  loss <- epsilon * distance / precision
  data.frame(
    epsilon = epsilon, precision = precision, distance = distance, loss = loss,
    factor = exp(loss), right = stats::plogis(loss), right_of_100 = right_of_100(loss)
  )
}

# Out of 100 guesses between two records, at most how many are right: the larger posterior probability of two
# records of equal prior probability, rounded up.
right_of_100 <- function(loss) ceiling(100 * stats::plogis(loss) - 1e-9)

# The sentences, in the order in which they are read. `{...}` is replaced by words for numbers.
EXPLANATION <- c(
  noise = paste(
    "A random number is added to each of your counts before anyone else sees them.",
    "Only the changed counts are collected."
  ),
  guess = "Suppose that someone sees your changed counts and tries to guess {example}.",
  coin = "Without your changed counts, they can only toss a coin. They are then right in 50 of 100 guesses.",
  one = "With your changed counts, they are right in {right} guesses.",
  more = paste(
    "If they try to guess which of two records is yours, and the records differ by {distance} counts in all,",
    "they are right in {right} guesses."
  ),
  prior = paste(
    "Someone who already knows something about you may guess better than by tossing a coin. Whatever they",
    "thought before, your changed counts make it {factor} as likely to them."
  ),
  large = "Large differences are not hidden: for example, whether there are many counts or hardly any."
)

RIGHT_IN_WORDS <- c(most = "at most {n} of 100", all = "up to 100 of 100")

fill_in <- function(text, values) {
  for (name in names(values)) text <- gsub(paste0("{", name, "}"), values[[name]], text, fixed = TRUE)
  text
}

# The sentences for the odds of one epsilon, as a named character vector.
privacy_sentences <- function(odds, example, texts = EXPLANATION) {
  each <- lapply(seq_len(nrow(odds)), function(i) {
    fill_in(texts[[if (odds$distance[i] == 1) "one" else "more"]], list(
      distance = format_number(odds$distance[i]), right = right_in_words(odds$right_of_100[i])
    ))
  })
  names(each) <- paste0("distance_", format(odds$distance, trim = TRUE, scientific = FALSE))
  first <- odds$epsilon[1] / odds$precision[1]
  c(
    texts["noise"], guess = fill_in(texts[["guess"]], list(example = example)), texts["coin"], unlist(each),
    prior = fill_in(texts[["prior"]], list(factor = factor_in_words(exp(first)))), texts["large"]
  )
}

right_in_words <- function(of_100) {
  if (of_100 < 100) fill_in(RIGHT_IN_WORDS[["most"]], list(n = of_100)) else RIGHT_IN_WORDS[["all"]]
}

factor_in_words <- function(factor) {
  if (factor >= 1e6) {
    return("more than a million times")
  }
  paste("at most", format_number(round_up(factor)), "times")
}

#' @export
format.privacy_explanation <- function(x, ...) vapply(unclass(x)$sentences, paste, "", collapse = " ")

#' @export
as.character.privacy_explanation <- function(x, ...) format(x)

#' @export
as.data.frame.privacy_explanation <- function(x, row.names = NULL, optional = FALSE, ...) unclass(x)$numbers

#' @rdname explain_privacy
#' @export
print.privacy_explanation <- function(x, ...) {
  check_no_dots(...)
  parts <- unclass(x)
  if (length(parts$sentences) == 1) {
    odds <- parts$numbers[1, ]
    cat_wrapped(paste0(
      "Privacy at epsilon = ", format_number(odds$epsilon), ", precision ", format_number(odds$precision), ":"
    ))
    cat_each(parts$sentences[[1]])
  } else {
    cat_each(parts$sentences[[1]][c("noise", "guess", "coin")])
    cat_wrapped("With your changed counts, they are right in at most this many of 100 guesses:")
    print_in_parts(odds_table(parts$numbers), 2)
    cat_each(parts$sentences[[1]]["large"])
  }
  invisible(x)
}

cat_each <- function(sentences) for (sentence in sentences) cat_wrapped(sentence)

# One row per epsilon and precision, one column per distance.
odds_table <- function(numbers) {
  distances <- sort(unique(numbers$distance))
  level <- paste(numbers$epsilon, numbers$precision)
  first <- !duplicated(level)
  table <- numbers[first, c("epsilon", "precision")]
  for (distance in distances) {
    of <- numbers[numbers$distance == distance, ]
    right <- of$right_of_100[match(level[first], paste(of$epsilon, of$precision))]
    title <- count_of(format_number(distance), "count")
    table[[if (distance == 1) "1 count" else title]] <- ifelse(is.na(right), "", right)
  }
  table
}
