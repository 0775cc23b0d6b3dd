# Tables of 80-digit values and properties that every distribution is held to.

# Named for what they bound; errors are relative to max(1, |value|), on the log scale.
TOL_LOG_PMF <- 1e-13
TOL_LOG_CDF <- 1e-12
TOL_RATIO <- 1e-14 # relative

# Columns are numbers, exactly the doubles that the decimal texts stand for.
reference_table <- function(name) utils::read.csv(test_path("reference", paste0(name, ".csv")))

# Calls the d, p or q function with a table's columns as its arguments.
call_law <- function(f, table, first, parameters, ...) {
  do.call(f, c(list(table[[first]]), unname(table[parameters]), list(...)))
}

expect_reference_law <- function(table, d, p, x, parameters, tolerance = TOL_LOG_PMF) {
  expect_within(call_law(d, table, x, parameters, log = TRUE), table$log_pmf, tolerance)
  expect_reference_tails(table, p, x, parameters)
}

expect_reference_tails <- function(table, p, x, parameters) {
  lower <- call_law(p, table, x, parameters, log.p = TRUE)
  expect_within(lower, table$log_cdf_lower, TOL_LOG_CDF)
  upper <- call_law(p, table, x, parameters, lower.tail = FALSE, log.p = TRUE)
  expect_within(upper, table$log_cdf_upper, TOL_LOG_CDF)
}

# Where the probability at q or at q - 1 is p but for rounding, the answer may move by one.
expect_reference_quantiles <- function(table, q, parameters) {
  near <- 1e-11 * pmax(1, abs(log(table$p)))
  borderline <- pmin(
    abs(table$log_prob_q - log(table$p)), abs(table$log_prob_q_minus_1 - log(table$p))
  ) < near
  for (tail in c("lower", "upper")) {
    rows <- table[table$tail == tail & !borderline, ]
    is_lower <- tail == "lower"
    value <- call_law(q, rows, "p", parameters, lower.tail = is_lower)
    testthat::expect_identical(value, as.double(rows$q))
    rows$p <- log(rows$p)
    value <- call_law(q, rows, "p", parameters, lower.tail = is_lower, log.p = TRUE)
    testthat::expect_identical(value, as.double(rows$q))
  }
  testthat::expect_lt(mean(borderline), 0.2)
}

# d, p and q of one distribution agree with one another on consecutive values `x`, of which the first and
# last have nearly all the mass between them. `...` are parameters.
expect_consistent_law <- function(x, d, p, q, ...) {
  density <- d(x, ...)
  expect_within(exp(d(x, ..., log = TRUE)), density, TOL_EXACT)
  testthat::expect_lt(abs(sum(density) - 1), 1e-11)
  lower <- p(x, ...)
  upper <- p(x, ..., lower.tail = FALSE)
  testthat::expect_lt(max(abs(lower - cumsum(density))), 1e-11)
  testthat::expect_lt(max(abs(lower + upper - 1)), 1e-14)
  expect_within(exp(p(x, ..., log.p = TRUE)), lower, TOL_EXACT)
  # the quantile of a probability is where it came from, while probabilities still differ
  inner <- density > 1e-12 & lower < 1 - 1e-3
  testthat::expect_identical(q(lower[inner], ...), as.double(x[inner]))
  log_lower <- p(x, ..., log.p = TRUE)
  testthat::expect_identical(q(log_lower[inner], ..., log.p = TRUE), as.double(x[inner]))
  inner <- density > 1e-12 & upper < 1 - 1e-3
  testthat::expect_identical(q(upper[inner], ..., lower.tail = FALSE), as.double(x[inner]))
  log_upper <- p(x, ..., lower.tail = FALSE, log.p = TRUE)
  value <- q(log_upper[inner], ..., lower.tail = FALSE, log.p = TRUE)
  testthat::expect_identical(value, as.double(x[inner]))
}

# What base R does with awkward arguments, for a distribution with these good `parameters`, each of which
# is out of range at -2.
expect_base_manners <- function(d, p, q, r, parameters) {
  with_parameters <- function(f, first, ...) do.call(f, c(list(first), parameters, list(...)))
  named <- c(a = 1, b = 2)
  grid <- matrix(c(1, 2, 3, 0), 2, dimnames = list(c("u", "v"), NULL))
  for (f in list(d, p)) {
    testthat::expect_identical(names(with_parameters(f, named)), c("a", "b"))
    testthat::expect_identical(dimnames(with_parameters(f, grid)), dimnames(grid))
    testthat::expect_identical(with_parameters(f, 1:3), with_parameters(f, c(1, 2, 3)))
    testthat::expect_identical(with_parameters(f, numeric()), numeric())
    testthat::expect_silent(value <- with_parameters(f, c(1, NA, NaN, 2)))
    testthat::expect_identical(is.na(value), c(FALSE, TRUE, TRUE, FALSE))
    testthat::expect_identical(is.nan(value), c(FALSE, FALSE, TRUE, FALSE))
    expect_refused(with_parameters(f, "1"), "must be numeric")
    expect_refused(with_parameters(f, NULL), "must be numeric")
  }
  testthat::expect_identical(with_parameters(d, c(-Inf, Inf)), c(0, 0))
  testthat::expect_identical(with_parameters(p, c(-Inf, Inf)), c(0, 1))
  testthat::expect_identical(with_parameters(p, c(-Inf, Inf), lower.tail = FALSE), c(1, 0))
  testthat::expect_identical(with_parameters(p, 1.5), with_parameters(p, 1))
  testthat::expect_identical(with_parameters(p, 2 - 1e-9), with_parameters(p, 2))
  testthat::expect_warning(value <- with_parameters(d, c(1.5, 1)), "not whole")
  testthat::expect_identical(value, c(0, with_parameters(d, 1)))
  testthat::expect_identical(names(with_parameters(q, c(a = 0.2, b = 0.7))), c("a", "b"))
  testthat::expect_identical(with_parameters(q, numeric()), numeric())
  testthat::expect_warning(value <- with_parameters(q, c(-0.1, 1.1)), "NaNs produced")
  testthat::expect_true(all(is.nan(value)))
  testthat::expect_warning(value <- with_parameters(q, 0.1, log.p = TRUE), "NaNs produced")
  testthat::expect_true(is.nan(value))
  testthat::expect_identical(with_parameters(q, c(NA, 0.5))[1], NA_real_)
  testthat::expect_identical(with_parameters(r, 0), numeric())
  testthat::expect_length(with_parameters(r, c(9, 9, 9)), 3)
  testthat::expect_null(names(with_parameters(r, 2)))
  expect_refused(with_parameters(r, -1), "`n`")
  expect_refused(with_parameters(r, NA), "`n`")
  for (i in seq_along(parameters)) {
    expect_bad_parameter(d, p, q, r, parameters, i)
  }
  expect_refused(with_parameters(d, 1, log = NA), "`log`")
  expect_refused(with_parameters(p, 1, lower.tail = 1), "`lower.tail`")
  expect_refused(with_parameters(q, 0.5, log.p = "no"), "`log.p`")
}

expect_bad_parameter <- function(d, p, q, r, parameters, i) {
  set <- function(value) replace(parameters, i, list(value))
  for (f in list(d, p, q)) {
    if (names(parameters)[i] != "y_tilde") {
      testthat::expect_warning(value <- do.call(f, c(list(0.5 * 0), set(-2))), "NaNs produced")
      testthat::expect_true(is.nan(value))
    }
    testthat::expect_silent(value <- do.call(f, c(list(0), set(NA))))
    testthat::expect_true(is.na(value))
    testthat::expect_identical(do.call(f, c(list(0), set(numeric()))), numeric())
    recycled <- do.call(f, c(list(c(0, 1)), set(rep(parameters[[i]], 4))))
    testthat::expect_identical(recycled[1:2], recycled[3:4])
    expect_refused(do.call(f, c(list(0), set("a"))), names(parameters)[i])
  }
  testthat::expect_warning(draws <- do.call(r, c(list(2), set(numeric()))), "NaNs produced")
  testthat::expect_true(all(is.nan(draws)))
  testthat::expect_warning(draws <- do.call(r, c(list(2), set(c(NA, parameters[[i]])))), "NaNs")
  testthat::expect_identical(is.nan(draws), c(TRUE, FALSE))
}

# Draws of a distribution on all whole numbers against its density on `x`.
expect_law_on <- function(draws, x, density) {
  testthat::expect_true(all(draws >= x[1] & draws <= x[length(x)] & draws == round(draws)))
  expect_law(draws - x[1], density)
}
