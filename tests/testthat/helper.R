# Tolerances have names and are never loosened to make a test pass.
TOL_EXACT <- 1e-14 # a closed form, or the same arithmetic in another order
TOL_QUICK <- 1e-9 # densities of releases as fits report them, which promise 1e-8
TOL_SERIES <- 1e-12 # a sum of many terms, on the log scale relative to max(1, |value|)

# Random tests are seeded, and fail a right program with probability below this.
ERROR_RATE <- 1e-6

# The models as the paper has them, in one chain: what most tests are about, and fast.
as_in_paper <- function(model) {
  function(data, k, ..., family = "poisson", prior = gamma_prior(0.1, 1), chains = 1) {
    suppressMessages(model(data, k, ..., family = family, prior = prior, chains = chains),
      classes = "ldpcounts_one_draw" # runs of tests are short
    )
  }
}
paper_topics <- as_in_paper(topic_model)
paper_blocks <- as_in_paper(block_model)
paper_tensor <- as_in_paper(tensor_model)

# What a fit says, without how long it took.
said <- function(fit) fit[setdiff(names(fit), "seconds")]

# How many standard errors one of m comparisons may be off.
normal_bound <- function(m) stats::qnorm(1 - ERROR_RATE / (2 * m))

EXTENDED <- identical(Sys.getenv("LDPCOUNTS_EXTENDED_TESTS"), "true")

# Of many cases the quick tests take every `every`-th, beginning with `first`, and the extended tests take all.
some_of <- function(cases, every, first = 1) if (EXTENDED) cases else cases[seq(first, length(cases), every)]

extended_only <- function() testthat::skip_if_not(EXTENDED, "extended tests (LDPCOUNTS_EXTENDED_TESTS=true)")

relative_error <- function(value, reference) abs(value - reference) / pmax(1, abs(reference))

expect_within <- function(value, reference, tolerance) {
  testthat::expect_lt(max(relative_error(value, reference)), tolerance)
}

# Neighbouring values share a bin until its expectation is at least `least`.
pool_bins <- function(expected, least = 25) {
  bin <- rep(1, length(expected))
  filled <- 0
  for (i in seq_along(expected)) {
    if (i > 1) {
      bin[i] <- bin[i - 1] + (filled >= least)
    }
    filled <- if (i > 1 && bin[i] > bin[i - 1]) expected[i] else filled + expected[i]
  }
  if (filled < least) {
    bin[bin == max(bin)] <- max(1, max(bin) - 1)
  }
  bin
}

# Its loop is long, and R compiles no functions while make test runs.
pool_bins <- compiler::cmpfun(pool_bins)

# Chi-square test of draws against probabilities of the values 0, 1, ... (the rest in one bin).
# Where one bin has all the mass, all draws must be in it.
law_p_value <- function(draws, probabilities, least = 25) {
  n <- length(draws)
  probabilities <- c(probabilities, max(0, 1 - sum(probabilities)))
  counts <- tabulate(pmin(draws, length(probabilities) - 1) + 1, length(probabilities))
  bin <- pool_bins(n * probabilities, least)
  expected <- tapply(n * probabilities, bin, sum)
  observed <- tapply(counts, bin, sum)
  if (length(expected) == 1) {
    return(as.double(expected > n * (1 - 1e-6) && observed == n))
  }
  stats::pchisq(sum((observed - expected)^2 / expected), length(expected) - 1,
    lower.tail = FALSE
  )
}

expect_law <- function(draws, probabilities) {
  testthat::expect_gt(law_p_value(draws, probabilities), ERROR_RATE)
}

# The text of the error of class ldpcounts_error that `code` meets.
error_text <- function(code) {
  failure <- tryCatch(
    {
      force(code)
      NULL
    },
    ldpcounts_error = function(e) e
  )
  if (is.null(failure)) {
    testthat::fail("no error of class ldpcounts_error")
    return("")
  }
  # conditionMessage() takes as long as all the rest
  text <- if (EXTENDED) conditionMessage(failure) else paste(c(failure$message, failure$body), collapse = " ")
  gsub("\\s+", " ", cli::ansi_strip(text))
}

expect_refused <- function(code, ...) {
  text <- error_text(code)
  for (pattern in c(...)) {
    testthat::expect_match(text, pattern, fixed = TRUE)
  }
}

# Evaluates code while an object of the package has another value.
with_replaced <- function(name, value, code) {
  real <- utils::getFromNamespace(name, "ldpcounts")
  on.exit(utils::assignInNamespace(name, real, "ldpcounts"))
  utils::assignInNamespace(name, value, "ldpcounts")
  code
}

# Evaluates code as if this number of bytes of memory were free.
with_free_memory <- function(free, code) with_replaced("memory_free", function() free, code)

# A release made by plain R, independent of the sampler under test.
plain_release <- function(y, alpha) {
  n <- length(y)
  tau <- stats::rgeom(n, 1 - alpha) - stats::rgeom(n, 1 - alpha)
  private_counts(array(y + tau, dim(y)), alpha = alpha)
}

# mu in kept draw s, of the shape of the data.
draw_mean <- function(fit, s) {
  model_of(fit)$mean(draw_factors(fit, s)) * event_size(draw_excess(fit, s))
}

# Draws of mu at all cells: one row per kept draw, one column per cell.
mu_draws <- function(fit) {
  t(vapply(
    seq_len(n_draws(fit)),
    function(s) as.vector(draw_mean(fit, s)),
    numeric(prod(dim(fit$data)))
  ))
}

# Posterior means of mu from two fits agree cell by cell, within Monte Carlo error.
expect_same_posterior <- function(fit1, fit2) {
  summarise <- function(fit) {
    draws <- mu_draws(fit)
    draws <- draws[, !is.na(draws[1, ]), drop = FALSE]
    error <- apply(draws, 2, function(x) posterior::mcse_mean(matrix(x, fit$run$kept)))
    list(mean = colMeans(draws), error = error)
  }
  a <- summarise(fit1)
  b <- summarise(fit2)
  z <- abs(a$mean - b$mean) / sqrt(a$error^2 + b$error^2)
  testthat::expect_lt(max(z), normal_bound(length(z)))
}

# Draws on no device; plot() draws what it returns, autoplot() does not.
draw_plot <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  drawn <- withVisible(code)
  if (drawn$visible && inherits(drawn$value, "ggplot")) print(drawn$value)
  drawn$value
}

# plot() draws, without a word, what it returns invisibly: a ggplot.
expect_picture <- function(code) {
  testthat::expect_silent(picture <- draw_plot(testthat::expect_invisible(code)))
  testthat::expect_s3_class(picture, "ggplot")
  invisible(picture)
}

# The end of a table that is not shown whole: "# ... with 48 more rows"; from pillar 1.9 on "# i 48 more rows".
more_rows <- function(n) sprintf("\n# (\\S+ with|\\S) %d more rows", n)

# A release without labels.
unname_counts <- function(x) {
  dimnames(x) <- NULL
  x
}

# Rows of releases with the same labels, which is not what the test is about.
bind_again <- function(...) suppressWarnings(rbind(...), classes = "ldpcounts_duplicated_labels")

# Nothing is released, on purpose.

# The total of mu at draw s, and at each draw.
draw_total <- function(fit, s) sum(draw_row_totals(fit, s))
total_draws <- function(fit) vapply(seq_len(n_draws(fit)), function(s) draw_total(fit, s), 0)

# Test files run side by side, so one thread each; test-threads.R uses more.
ldp_threads(1)

# n sweeps of a single chain of a model.
one_chain <- function(model, cells, factors, noise, prior, n, keep = integer(), watch = FALSE,
                      reflect = REFLECT) {
  chain <- list(factors = factors, noise = noise, seeds = sweep_seeds(n))
  model$gibbs(cells, list(chain), prior, as.integer(n), keep, watch, reflect)[[1]]
}

# Writes to a file that may exist.
rewrite_release <- function(x, file) write_release(x, file, overwrite = TRUE)
