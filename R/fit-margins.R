# Does the noise that a fit implies add up to what the mechanism could have added?

#' Compare the totals of a fit with those of its release
#'
#' For every total of the table, such as those of its rows and columns, compares the noise that the fit
#' implies with the noise that the mechanism adds.
#'
#' If the model is right, the released count minus a true count drawn by the fit is distributed as the
#' mechanism's noise, whatever the data are. So is the sum `S` of these differences over a row, a column or a
#' group, and the distribution of such sums of noise is known. A total that would need noise of very small
#' probability shows that the model puts counts in the wrong place: for example because one dispersion does
#' not fit all columns, or because the prior pulls weights to zero. The intervals of such a total cannot be
#' used, even if the chains have converged.
#'
#' The estimated noise of a total, the posterior mean of `S`, varies less than the noise itself. Over releases
#' of a right model, its variance is that of the mechanism's noise minus the posterior variance of the total.
#' The check divides by the square root of this difference, so it finds errors that are small compared with
#' the noise. If the posterior variance is much smaller than the variance of the noise, the total rests on the
#' model, and the check cannot find errors that are smaller than the noise.
#'
#' The totals of a kind are also judged together, because a wrong model may move all of them a little. For
#' each draw, the sum of `S^2 / var(S)` over the rows, the columns or the groups is compared with its
#' distribution for noise of the mechanism. The probability is twice the mean of the probabilities of the
#' draws, which is never too small a number (Rüschendorf 1982).
#'
#' True counts are drawn with at most 100 kept draws of the fit, and fewer for large tables. Probabilities of
#' single totals are computed by a saddlepoint approximation (Daniels 1987), whose relative error is a few per
#' cent, and those of sums of squares by the log-normal distribution with the same mean and variance.
#' [summary()] of a fit reports the total with the smallest probability if this is below 0.001 after a
#' correction for the number of totals: a quarter of the error rate is for the sum of all counts, and each
#' kind of margin has an equal share of the rest, half of it for its totals together. With right models this
#' happens in at most one fit in a thousand. It also says which share of what is known of the sum of all counts
#' comes from the model, and not from the release, if this is more than a third.
#'
#' @param fit A fit of a release, whose noise is modelled.
#' @param by Groups of rows whose totals are compared as well: a vector, or a data frame of several, with one
#'   entry per row. By default the groups of the fit, if it has `groups`.
#' @return A tibble of class `margin_check`, with one row per total, and the columns
#'   \describe{
#'     \item{`margin`, `label`}{the kind of total (`"total"`, then the names of modes or groups), and which
#'       one, or `"together"`}
#'     \item{`released`}{the sum of the released counts}
#'     \item{`estimated`}{the sum of the true counts that the fit estimates}
#'     \item{`noise.sd`, `posterior.sd`}{the standard deviations of the mechanism's noise, and of the total given
#'       the release}
#'     \item{`z`}{the estimated noise, divided by its standard deviation over releases of a right model}
#'     \item{`p.value`}{the probability of a value that is at least as far from zero}
#'   }
#'   In rows for all totals of a kind together, `z` and `p.value` are of their sum of squares, and the other
#'   columns are `NA`.
#'   Cells without noise and masked cells are left out. It has no rows if there is no noise.
#' @section Errors: `check_margins()` stops with an error of class `ldpcounts_error` if `fit` is not a fit
#'   that models the noise of counts in memory, and if `by` does not have one entry per row.
#' @references Daniels, H. E. (1987). Tail probability approximations. *International Statistical Review* 55,
#'   37-48, equation 4.3 with the second correction for lattices.
#'
#'   Rüschendorf, L. (1982). Random variables with maximum sums. *Advances in Applied Probability* 14,
#'   623-632.
#' @seealso [private_means()], which estimates totals and means without a model.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 40, V = 30)
#' release <- privatize(documents$y, epsilon = 1, rng = "R")
#' fit <- topic_model(release, k = 3, iter = 300, chains = 2)
#' check_margins(fit)
#' @export
check_margins <- function(fit, by = NULL) {
  check_that(inherits(fit, "ldp_fit"), "{.arg fit} must be a fit.")
  check_that(fit$private && fit$noise == "model",
    "{.arg fit} must be a fit of a release, with its noise modelled."
  )
  compare_margins(fit, by, rlang::current_env())
}

# Draws of true counts are at most this many in all.
MOST_MARGIN_DRAWS <- 1e6

compare_margins <- function(fit, by = NULL, call = rlang::caller_env()) {
  check_geometric(mechanism_of(fit), call)
  margins <- margins_of(fit, by, call)
  sums <- implied_sums(fit, input_of(fit), margins)
  with_noise <- which(rowSums(sums$cells) > 0)
  n <- sums$cells[with_noise, , drop = FALSE] # margins x levels of noise
  noise <- sums$noise[with_noise, , drop = FALSE]
  variance <- drop(n %*% noise_variance(sums$alpha))
  posterior <- if (ncol(noise) > 1) apply(noise, 1, stats::var) else numeric(length(with_noise))
  scaled <- rowMeans(noise) / sqrt(1 - surely_known(posterior / variance, ncol(noise)))
  released <- sums$released[with_noise]
  single <- data.frame(
    margin = margins$margin[with_noise], label = margins$label[with_noise], released = released,
    estimated = released - rowMeans(noise), noise.sd = sqrt(variance), posterior.sd = sqrt(posterior),
    z = scaled / sqrt(variance), p.value = noise_sum_p_value(scaled, n, sums$alpha)
  )
  kinds <- if (model_of(fit)$network != "undirected") setdiff(unique(single$margin), "total")
  together <- lapply(kinds, function(kind) {
    at <- single$margin == kind
    judge_together(noise[at, , drop = FALSE], n[at, , drop = FALSE], variance[at], sums$alpha, kind)
  })
  table <- do.call(rbind, c(list(single), together))
  tibble::new_tibble(as.list(table), nrow = nrow(table), class = "margin_check")
}

# A lower limit of the share of the variance that is posterior variance, from its estimate by n draws, with an
# error rate of 0.1: at most the share of the variance by which the estimated noise surely varies less.
surely_known <- function(share, n) {
  if (n == 1) 0 * share else pmin(share, 1) * (n - 1) / stats::qchisq(0.9, n - 1)
}

# Totals of disjoint cells have independent noise, at each draw. The sum of their squares has the mean and the
# variance of that of the mechanism's noise.
judge_together <- function(noise, n, variance, alpha, kind) {
  fourth <- drop(n %*% noise_fourth_cumulant(alpha))
  mean <- length(variance)
  of_squares <- sum(2 + fourth / variance^2)
  squares <- colSums(noise^2 / variance)
  sigma <- sqrt(log1p(of_squares / mean^2))
  p <- stats::plnorm(squares, log(mean) - sigma^2 / 2, sigma, lower.tail = FALSE)
  data.frame(
    margin = kind, label = "together", released = NA, estimated = NA, noise.sd = NA, posterior.sd = NA,
    z = mean(squares - mean) / sqrt(of_squares), p.value = min(1, 2 * mean(p))
  )
}

# All margins: their kinds and labels, one after another, and the functions that say to which margins of a
# kind cells belong, the first of which is number `first`.
margins_of <- function(fit, by, call) {
  dim <- dim(fit$data)
  labels <- data_dimnames(fit)
  names_of <- function(mode) as.character(labels_or_numbers(labels[[mode]], dim[mode]))
  one <- function(margin, labels, index) list(margin = margin, labels = labels, index = index)
  network <- model_of(fit)$network
  kinds <- if (network == "undirected") {
    list(one("actor", names_of(1), function(cells) list(cells[, 1], cells[, 2])))
  } else {
    lapply(seq_along(dim), function(mode) {
      one(mode_names(fit)[mode], names_of(mode), function(cells) list(unfold_cells(cells, dim)[, mode]))
    })
  }
  groups <- margin_groups(fit, by, call)
  kinds <- c(
    list(one("total", "all", function(cells) list(rep(1L, nrow(cells))))), kinds,
    lapply(names(groups), function(name) {
      one(name, levels(groups[[name]]), function(cells) list(as.integer(groups[[name]])[cells[, 1]]))
    })
  )
  sizes <- lengths(lapply(kinds, `[[`, "labels"))
  list(
    margin = rep(vapply(kinds, `[[`, "", "margin"), sizes), label = unlist(lapply(kinds, `[[`, "labels")),
    index = lapply(kinds, `[[`, "index"), first = cumsum(c(0, sizes))
  )
}

margin_groups <- function(fit, by, call) {
  if (is.null(by)) {
    groups <- fit$prior$groups
    level <- function(f) factor(level_of_rows(groups, f), seq_along(groups$levels[[f]]), groups$levels[[f]])
    return(if (!is.null(groups)) stats::setNames(lapply(seq_along(groups$levels), level), names(groups$levels)))
  }
  check_that(model_of(fit)$network != "undirected", "{.arg by} is not available for undirected networks.", call)
  columns <- if (is.data.frame(by)) by else list(group = by)
  lapply(columns, function(column) check_row_groups(column, dim(fit$data)[1], "by", call))
}

# For each margin the sum of released counts, the numbers of cells at each level of noise, and the sums of
# implied noise, one column per draw.
implied_sums <- function(fit, input, margins) {
  alpha <- sort(unique(input$alpha[input$alpha > 0]))
  draws <- spread_draws(fit, max(1, min(100, floor(MOST_MARGIN_DRAWS / prod(dim(input$counts))))))
  rows <- which(input$alpha > 0)
  parts <- blocks_of(length(rows), ncol(input$counts) * length(draws), BLOCK_SIZE)
  totals <- matrix(0, length(margins$label), 1 + length(alpha) + length(draws))
  totals <- with_stream(chain_streams(1, 0.5)[[1]], {
    for (part in parts) totals <- totals + implied_in_rows(fit, input, margins, rows[part], draws, alpha)
    totals
  })$value
  levels <- 1 + seq_along(alpha)
  list(
    alpha = alpha, released = totals[, 1], cells = totals[, levels, drop = FALSE],
    noise = totals[, -c(1, levels), drop = FALSE]
  )
}

# The contribution of some rows: a matrix of the margins times these three, side by side. Noise that was
# hidden by clamping is drawn as well: below minus the true count, it is geometric.
implied_in_rows <- function(fit, input, margins, rows, draws, alpha) {
  cells <- as.matrix(expand.grid(rows, seq_len(ncol(input$counts))))
  cells <- cells[is_data(cells, model_of(fit)$network), , drop = FALSE]
  cells <- cells[!is.na(counts_at(input$counts, cells)), , drop = FALSE]
  block <- truth_block(fit, input, cells, draws)
  noise <- block$y_tilde - draw_block(block, length(draws))
  hidden <- which(input$clamped & block$y_tilde == 0)
  noise[hidden, ] <- noise[hidden, ] - stats::rgeom(length(hidden) * length(draws), 1 - block$alpha[hidden])
  at_level <- diag(length(alpha))[match(block$alpha, alpha), , drop = FALSE]
  values <- cbind(block$y_tilde, at_level, noise)
  n <- length(margins$label)
  parts <- Map(function(index, first) {
    Reduce(`+`, lapply(index(cells), function(i) sum_by_line(values, first + i, n)))
  }, margins$index, utils::head(margins$first, -1))
  Reduce(`+`, parts)
}

# --- sums of noise --------------------------------------------------------------------------------

# P(|sum| >= |t|), where a sum is over n_l independent two-sided geometric variables with alpha_l: `t` has one
# number per sum, `n` a row per sum and a column per level.
noise_sum_p_value <- function(t, n, alpha) {
  p <- rep(1, length(t))
  far <- which(abs(t) >= 1 & rowSums(n) > 0)
  if (length(far) > 0) p[far] <- 2 * noise_sum_tail(abs(t[far]), n[far, , drop = FALSE], alpha)
  pmin(p, 1)
}

# P(sum >= t) for whole t >= 1; exact for a single cell. Otherwise the saddlepoint theta solves K'(theta) = t
# - 1/2, with the cumulant generating function K = sum n (2 log(1 - alpha) - log(1 - alpha e^theta) - log(1 -
# alpha e^-theta)).
noise_sum_tail <- function(t, n, alpha) {
  at <- t - 0.5
  # levels without cells do not limit theta
  alpha <- matrix(alpha, length(t), length(alpha), byrow = TRUE) * (n > 0)
  cumulants <- function(theta) {
    up <- exp(theta) * alpha
    down <- exp(-theta) * alpha
    list(
      K = rowSums(n * (2 * log1p(-alpha) - log1p(-up) - log1p(-down))),
      slope = rowSums(n * (up / (1 - up) - down / (1 - down))),
      bend = rowSums(n * (up / (1 - up)^2 + down / (1 - down)^2))
    )
  }
  most <- -log(apply(alpha, 1, max))
  low <- numeric(length(t))
  high <- most
  for (step in 1:60) {
    middle <- (low + high) / 2
    is_below <- cumulants(pmin(middle, most * (1 - 1e-12)))$slope < at
    low[is_below] <- middle[is_below]
    high[!is_below] <- middle[!is_below]
  }
  theta <- pmin((low + high) / 2, most * (1 - 1e-12))
  found <- cumulants(theta)
  w <- sqrt(2 * pmax(theta * at - found$K, 0))
  u <- 2 * sinh(theta / 2) * sqrt(found$bend)
  exact <- stats::pnorm(w, lower.tail = FALSE) + stats::dnorm(w) * (1 / u - 1 / w)
  near <- w < 1e-4 # where both terms lose their digits, the normal distribution is exact enough
  exact[near] <- stats::pnorm(at[near] / sqrt(found$bend[near]), lower.tail = FALSE)
  single <- rowSums(n) == 1
  of_single <- rowSums(alpha)[single]
  exact[single] <- of_single^t[single] / (1 + of_single)
  pmin(pmax(exact, 0), 1)
}

# --- what summary() says --------------------------------------------------------------------------

# False alarms in all margins of a right model, and the share of this rate that the sum of all counts has.
MARGIN_ALARMS <- 1e-3
ALARMS_OF_TOTAL <- 1 / 4

# The row of the worst margin, with its probability corrected for the number of margins; NULL if none is
# contradicted.
worst_margin <- function(checked) {
  if (nrow(checked) == 0) {
    return(NULL)
  }
  kinds <- setdiff(unique(checked$margin), "total")
  share <- ifelse(checked$margin == "total", ALARMS_OF_TOTAL, (1 - ALARMS_OF_TOTAL) / length(kinds))
  class <- paste(checked$margin, is.na(checked$released))
  halves <- ifelse(checked$margin %in% checked$margin[is.na(checked$released)], 2, 1)
  corrected <- checked$p.value * as.vector(table(class)[class]) * halves / share
  worst <- which.min(corrected)
  if (corrected[worst] < MARGIN_ALARMS) checked[worst, ]
}

# Which share of what is known of the sum of all counts comes from the model, and not from the release? The variance of
# the sum is that of the noise if all comes from the release, and less by this share otherwise. The check of margins
# cannot find errors of a few standard deviations in what the model adds, so a share above a third is said; NULL
# otherwise.
describe_rest <- function(checked) {
  total <- checked[checked$margin == "total", ]
  share <- 1 - (total$posterior.sd / total$noise.sd)^2
  if (length(share) == 1 && share > 1 / 3) {
    paste0(
      "; ", round(100 * share), " % of what is known of the sum of all counts comes from the model, the rest from ",
      "the release (private_means() needs no model)"
    )
  }
}

describe_margin <- function(worst, begin = "The ") {
  paste0(begin, margin_words(worst), ". Totals of this fit cannot be used; private_means() can estimate them.")
}

margin_words <- function(worst) {
  if (is.na(worst$released)) {
    return(paste0(
      "totals by ", worst$margin, " are together further from those of the release than noise explains ",
      "(probability ", format(worst$p.value, digits = 1), ")"
    ))
  }
  off <- worst$estimated - worst$released
  place <- if (worst$margin == "total") "the whole table" else paste(worst$margin, worst$label)
  paste0(
    "fit puts ", format_number(round(abs(off))), if (off < 0) " fewer" else " more", " counts into ", place,
    " than the release has (a right model does this with probability ", format(worst$p.value, digits = 1), ")"
  )
}

#' @export
print.margin_check <- function(x, ...) {
  NextMethod()
  worst <- if ("p.value" %in% names(x)) worst_margin(x)
  cat_wrapped(if (is.null(worst)) {
    "No total contradicts the release: z is the estimated noise in standard deviations of that of right models."
  } else {
    describe_margin(worst)
  })
  invisible(x)
}
