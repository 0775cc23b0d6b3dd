# Mechanisms and their distributions, against enumeration in 60 digits (reference/mechanisms.py), and derivatives,
# in 120 digits (reference/mechanism_derivatives.py).

TOL_REFERENCE <- 1e-12
TOL_SUM <- 1e-12
TOL_DERIVATIVE <- 2e-11 # of the larger of mu and the value, as for geometric noise
ERROR_RATE <- 1e-6

BY_CODE <- list(
  function(p) new_mechanism("geometric", list(alpha = exp(-p), precision = 1)),
  function(p) discrete_gaussian_noise(p), function(p) laplace_noise(p), function(p) gaussian_noise(p),
  function(p) skellam_noise(p), function(p) random_rounding(p), function(p) rounding(p),
  function(p) suppression(p[1], p[2]), function(p) count_classes(p), function(p) thinning(p)
)

# Relative errors, of logarithms above 1 in absolute value, otherwise absolute ones.
errors_of_logs <- function(got, want) ifelse(got == want, 0, abs(got - want) / pmax(1, abs(want)))

read_reference <- function(file) {
  text <- c(parameters = "character", below = "character", release = "character")
  reference <- utils::read.csv(test_path("reference", file), colClasses = text)
  reference$release <- suppressWarnings(ifelse(reference$release == "hidden", -Inf, as.numeric(reference$release)))
  reference
}

numbers_in <- function(text) as.numeric(strsplit(text, " ")[[1]])

# Calls the C code for a row of the reference.
in_c <- function(what, row, x = row$y) {
  code <- list(
    kind = row$kind, parameters = list(numbers_in(row$parameters)),
    below = if (row$below == "") -Inf else as.numeric(row$below), level = NULL
  )
  ldpcounts:::call_mechanism(what, code, row$release, row$mu, row$excess, x, row$event)
}

test_that("releases and true counts have the distributions that enumeration gives", {
  reference <- read_reference("mechanisms.csv")
  rows <- split(reference, seq_len(nrow(reference)))
  columns <- c(
    log_mass = ldpcounts:::MASS, log_pmf = ldpcounts:::PMF, log_lower = ldpcounts:::LOWER,
    log_upper = ldpcounts:::UPPER
  )
  for (name in names(columns)) {
    got <- vapply(rows, function(row) in_c(columns[[name]], row), 0)
    expect_lt(max(errors_of_logs(got, reference[[name]])), TOL_REFERENCE)
  }
  cumulants <- vapply(rows, function(row) vapply(1:4, function(i) in_c(ldpcounts:::CUMULANT, row, i), 0), numeric(4))
  want <- t(reference[c("k1", "k2", "k3", "k4")])
  # the third and the fourth are differences of moments; numbers below 1e-308 lose digits
  variance <- want[2, ]
  size <- rbind(want[1, ], variance, abs(want[3, ]) + variance^1.5 + variance, abs(want[4, ]) + variance^2 + variance)
  expect_lt(max((abs(cumulants - want) / size)[size > 1e-305]), TOL_REFERENCE)
  expect_lt(max(abs(cumulants - want)[size <= 1e-305]), 1e-300)
})

test_that("derivatives of every order are those of 120 digits", {
  reference <- read_reference("mechanism_derivatives.csv")
  for (row in split(reference, seq_len(nrow(reference)))) {
    mechanism <- BY_CODE[[row$kind]](numbers_in(row$parameters))
    if (row$below != "") mechanism <- withheld(mechanism, as.numeric(row$below))
    got <- unlist(protected_derivatives(mechanism, row$release, row$mu, row$dispersion - 1, 2))
    want <- unlist(row[paste0("d_", names(got))])
    expect_lt(
      max(abs(got - want) / pmax(row$mu, abs(want))), TOL_DERIVATIVE,
      label = paste(format(mechanism), row$release, row$mu, row$dispersion)
    )
  }
})

# Mechanisms that are not among the others, or are one of them defined once more. The last two have releases whose
# probability has many peaks: which remainder a count has, which is sometimes wrong, and a hidden count. From
# 4,096 on these are even, so that their tables are short.
log_sum_of_noise <- log(sum(exp(-(-100:100)^2 / 8)))
own_gaussian <- custom_mechanism(function(release, y) -(release - y)^2 / 8 - log_sum_of_noise, c(-Inf, Inf))
own_thinning <- custom_mechanism(function(release, y) stats::dbinom(release, y, 0.3, log = TRUE), c(0, Inf))
own_top <- custom_mechanism(function(release, y) ifelse(pmin(y, 8) == release, 0, -Inf), 0:8)
remainder <- custom_mechanism(
  function(release, y) log(ifelse(y >= 4096, 1 / 7, ifelse(y %% 7 == release, 0.94, 0.01))), 0:6
)
sometimes_hidden <- custom_mechanism(
  function(release, y) {
    p <- ifelse(y %% 2 == 1 & y < 4096, 0.1, 0.8)
    log(ifelse(release == -Inf, p, (1 - p) * (release == y)))
  },
  c(-Inf, 0, Inf)
)

# Mechanisms with the releases that have noticeable probability for counts up to about 60.
DISCRETE <- list(
  list(geometric_noise(0.8), -60:120), list(discrete_gaussian_noise(0.7), -20:120),
  list(discrete_gaussian_noise(4), -60:140),
  list(skellam_noise(6), -60:140), list(random_rounding(3), seq(0, 150, 3)), list(rounding(5), seq(0, 150, 5)),
  list(suppression(1, 9), c(-Inf, 0, 10:150)), list(count_classes(c(0, 1, 3, 6)), c(0, 1, 3, 6)),
  list(thinning(0.3), 0:120),
  list(withheld(discrete_gaussian_noise(2), 5), c(-Inf, 5:140)),
  list(withheld(geometric_noise(1), 2.5), c(-Inf, 3:140)),
  list(no_noise(), 0:150), list(own_gaussian, -60:140), list(own_thinning, 0:120), list(own_top, 0:8),
  list(remainder, 0:6), list(sometimes_hidden, c(-Inf, 0:150))
)

test_that("probabilities of releases sum to 1, agree with the distribution function and its inverse", {
  for (i in seq_along(DISCRETE)) {
    case <- DISCRETE[[i]]
    for (dispersion in some_of(c(1, 3), 2, 1 + i %% 2)) {
      p <- dprivcount(case[[2]], 6, case[[1]], dispersion)
      expect_lt(abs(sum(p) - 1), TOL_SUM)
      expect_lt(max(abs(cumsum(p) - pprivcount(case[[2]], 6, case[[1]], dispersion))), TOL_SUM)
      upper <- pprivcount(case[[2]], 6, case[[1]], dispersion, lower.tail = FALSE)
      expect_lt(max(abs(1 - cumsum(p) - upper)), TOL_SUM)
      u <- c(0.001, 0.2, 0.5, 0.77, 0.999)
      quantiles <- case[[2]][findInterval(u, cumsum(p), left.open = TRUE) + 1]
      expect_identical(qprivcount(u, 6, case[[1]], dispersion), quantiles + 0)
    }
  }
})

test_that("custom mechanisms are those that they repeat", {
  same <- list(
    list(own_gaussian, discrete_gaussian_noise(2), c(-40, 0, 3, 250)),
    list(own_thinning, thinning(0.3), c(0, 1, 9, 300)),
    list(own_top, count_classes(0:8), c(0, 3, 8))
  )
  for (case in same) {
    at <- expand.grid(r = case[[3]], mu = c(1e-9, 0.4, 7, 900), dispersion = c(1, 1.2, 30))
    for (f in list(
      function(m) dprivcount(at$r, at$mu, m, at$dispersion, log = TRUE),
      function(m) ptruecount(9, at$r, at$mu, mechanism = m, dispersion = at$dispersion, log.p = TRUE),
      function(m) {
        ptruecount(1, at$r, at$mu, mechanism = m, dispersion = at$dispersion, lower.tail = FALSE, log.p = TRUE)
      },
      function(m) truecount_mean(at$r, at$mu, mechanism = m, dispersion = at$dispersion)
    )) {
      expect_lt(max(errors_of_logs(f(case[[1]]), f(case[[2]]))), TOL_REFERENCE)
    }
    variance <- function(m) truecount_var(at$r, at$mu, mechanism = m, dispersion = at$dispersion)
    expect_equal(variance(case[[1]]), variance(case[[2]]), tolerance = 1e-9)
  }
})

test_that("true counts behind releases with many peaks have the probabilities of enumeration", {
  y <- 0:3000
  asked <- c(0:20, 30, 41, 57, 81, 120, 300, 777, 801, 950, 2500)
  for (mechanism in list(remainder, sometimes_hidden)) {
    r <- if (identical(mechanism, remainder)) 5 else -Inf
    for (mu in c(1e-6, 3, 40, 800)) {
      for (dispersion in c(1, 4, 50)) {
        log_prior <- if (dispersion == 1) {
          stats::dpois(y, mu, log = TRUE)
        } else {
          stats::dnbinom(y, mu / (dispersion - 1), mu = mu, log = TRUE)
        }
        log_f <- log_prior + mechanism$custom$log_pmf(rep(r, length(y)), y)
        log_sum <- function(l) max(l) + log(sum(exp(l - max(l))))
        # the largest counts and the errors of R's densities
        tolerance <- 1e-11
        expect_lt(errors_of_logs(dprivcount(r, mu, mechanism, dispersion, log = TRUE), log_sum(log_f)), tolerance)
        p <- exp(log_f - log_sum(log_f))
        got <- dtruecount(asked, r, mu, mechanism = mechanism, dispersion = dispersion)
        expect_lt(max(abs(got - p[asked + 1])), tolerance)
        cdf <- ptruecount(asked, r, mu, mechanism = mechanism, dispersion = dispersion)
        expect_lt(max(abs(cdf - cumsum(p)[asked + 1])), tolerance)
        mean <- sum(y * p)
        expect_equal(truecount_mean(r, mu, mechanism = mechanism, dispersion = dispersion), mean, tolerance = 1e-10)
        variance <- sum((y - mean)^2 * p)
        expect_equal(truecount_var(r, mu, mechanism = mechanism, dispersion = dispersion), variance, tolerance = 1e-9)
      }
    }
  }
})

test_that("custom mechanisms whose probabilities are none, or have another sum, are refused", {
  refused <- function(log_pmf, support, why) {
    failure <- expect_error(custom_mechanism(log_pmf, support), class = "ldpcounts_error")
    expect_match(cli::ansi_strip(conditionMessage(failure)), why)
  }
  refused(3, 0:5, "must be a function")
  refused(function(release, y) 0 * y, "a", "support")
  refused(function(release, y) 0 * y, c(0, 1, Inf), "support")
  refused(function(release, y) 0 * y, c(0.5, Inf), "support")
  refused(function(release, y) rep(log(0.2), length(y)), 0:3, "sum 0.8 for the true count 0")
  refused(function(release, y) stats::dpois(release, y, log = TRUE) - 0.1, c(0, Inf), "must have the sum 1")
  refused(function(release, y) stats::dpois(release, y), 0:3, "logarithm")
  refused(function(release, y) 0, 0:3, "logarithm")
  # counts that cannot be: all probabilities are 0
  answers <- custom_mechanism(function(release, y) ifelse(y > 5, -Inf, log(ifelse(y == release, 0.5, 0.1))), 0:5)
  expect_identical(dtruecount(c(5, 6), 2, 4, mechanism = answers) > 0, c(TRUE, FALSE))
  expect_error(simulate(answers, y = 6), "no release", class = "ldpcounts_error")
  expect_identical(dprivcount(7, 4, answers), 0)
  expect_true(is.na(privacy(answers)$epsilon))
})

test_that("densities of real-valued releases integrate to 1", {
  for (mechanism in list(laplace_noise(2), gaussian_noise(3))) {
    for (dispersion in c(1, 3)) {
      f <- function(x) dprivcount(x, 6, mechanism, dispersion)
      cuts <- -1:80 # the density of Laplace noise has kinks at whole numbers
      pieces <- vapply(cuts, function(from) stats::integrate(f, from, from + 1, rel.tol = 1e-12)$value, 0)
      below <- stats::integrate(f, -Inf, -1, rel.tol = 1e-12)$value
      expect_lt(abs(below + sum(pieces) - pprivcount(81, 6, mechanism, dispersion)), 1e-9)
      expect_equal(below, pprivcount(-1, 6, mechanism, dispersion), tolerance = 1e-9)
      expect_equal(pprivcount(qprivcount(c(0.1, 0.9), 6, mechanism, dispersion), 6, mechanism, dispersion), c(0.1, 0.9))
      hidden <- dprivcount(-Inf, 6, withheld(mechanism, 3), dispersion)
      expect_equal(hidden, pprivcount(3, 6, mechanism, dispersion))
    }
  }
})

test_that("the true count has the distribution of Bayes' rule", {
  y <- 0:400
  for (i in seq_along(DISCRETE)) {
    case <- DISCRETE[[i]]
    for (dispersion in some_of(c(1, 3), 2, 2 - i %% 2)) {
      r <- case[[2]][min(4, length(case[[2]]))]
      p <- dtruecount(y, r, 6, mechanism = case[[1]], dispersion = dispersion)
      expect_lt(abs(sum(p) - 1), TOL_SUM)
      mean <- truecount_mean(r, 6, mechanism = case[[1]], dispersion = dispersion)
      expect_equal(mean, sum(y * p), tolerance = TOL_SUM)
      cdf <- ptruecount(y, r, 6, mechanism = case[[1]], dispersion = dispersion)
      expect_lt(max(abs(cumsum(p) - cdf)), TOL_SUM)
      u <- c(0.02, 0.5, 0.93)
      expect_identical(
        qtruecount(u, r, 6, mechanism = case[[1]], dispersion = dispersion),
        y[findInterval(u, cumsum(p), left.open = TRUE) + 1] + 0
      )
    }
  }
})

# Chi-square test of draws from probabilities p of `values`.
expect_draws <- function(draws, values, p) {
  kept <- p * length(draws) > 25
  if (sum(kept) < 2) {
    return(expect_true(mean(draws %in% values[kept]) > 0.99))
  }
  observed <- c(vapply(values[kept], function(v) sum(draws == v), 0), sum(!draws %in% values[kept]))
  expected <- length(draws) * c(p[kept], 1 - sum(p[kept]))
  large <- expected > 5
  statistic <- sum((observed - expected)[large]^2 / expected[large])
  expect_gt(stats::pchisq(statistic, sum(large) - 1, lower.tail = FALSE), ERROR_RATE)
}

test_that("draws of releases and of true counts have their distributions", {
  set.seed(3)
  n <- if (EXTENDED) 5000 else 1500
  for (i in seq_along(DISCRETE)) {
    case <- DISCRETE[[i]]
    expect_draws(rprivcount(n, 6, case[[1]], 3), case[[2]], dprivcount(case[[2]], 6, case[[1]], 3))
    r <- case[[2]][min(4, length(case[[2]]))]
    for (dispersion in some_of(c(1, 3, 30), 3, 1 + i %% 3)) {
      expect_draws(
        rtruecount(n, r, 6, mechanism = case[[1]], dispersion = dispersion), 0:400,
        dtruecount(0:400, r, 6, mechanism = case[[1]], dispersion = dispersion)
      )
    }
  }
})

test_that("draws of real-valued releases, and of true counts behind them, have their distributions", {
  set.seed(5)
  n <- if (EXTENDED) 5000 else 1500
  mechanisms <- list(laplace_noise(2), gaussian_noise(1.5), laplace_noise(0.3), gaussian_noise(25))
  for (i in seq_along(mechanisms)) {
    mechanism <- mechanisms[[i]]
    for (dispersion in c(1, 3)) {
      # 20 bins of equal probability
      ranks <- ceiling(20 * pprivcount(rprivcount(n, 6, mechanism, dispersion), 6, mechanism, dispersion))
      expect_draws(ranks, 1:20, rep(1 / 20, 20))
    }
    for (r in c(4.25, -7.5, -Inf)) {
      of_release <- if (r == -Inf) withheld(mechanism, 3.5) else mechanism
      for (dispersion in some_of(c(1, 3, 30), 3, 1 + i %% 3)) {
        draws <- rtruecount(n, r, 6, mechanism = of_release, dispersion = dispersion)
        expect_draws(draws, 0:800, dtruecount(0:800, r, 6, mechanism = of_release, dispersion = dispersion))
      }
    }
  }
})

test_that("draws by rejection have their distribution", {
  set.seed(4)
  cases <- expand.grid(r = c(-200, 0, 40, 300), sd = c(40, 400), mu = c(3, 200), dispersion = c(1, 20, 600))
  for (i in some_of(seq_len(nrow(cases)), 5)) {
    case <- cases[i, ]
    mechanism <- discrete_gaussian_noise(case$sd)
    draws <- rtruecount(1e4, case$r, case$mu, mechanism = mechanism, dispersion = case$dispersion)
    cuts <- unique(stats::quantile(draws, (1:19) / 20, type = 1, names = FALSE))
    p <- ptruecount(cuts, case$r, case$mu, mechanism = mechanism, dispersion = case$dispersion)
    bin <- findInterval(draws, cuts, left.open = TRUE)
    expect_draws(bin, 0:length(cuts), diff(c(0, p, 1)))
  }
})

test_that("geometric noise is that of the other functions, and of the general code", {
  r <- c(-3, 0, 4)
  mechanism <- geometric_noise(0.8)
  alpha <- geometric_alpha(0.8)
  expect_identical(dprivcount(r, 2, mechanism, 3), dprivnbinom(r, 2, alpha, 3))
  expect_identical(dtruecount(2, r, 2, mechanism = mechanism), dtruecount(2, r, 2, alpha))
  general <- ldpcounts:::count_behind(ldpcounts:::PMF, mechanism, r, 2, 3, 2)
  expect_equal(exp(general), dtruecount(2, r, 2, alpha, 3), tolerance = TOL_REFERENCE)
})

test_that("parameters may differ between results, and attributes are kept", {
  x <- matrix(c(1, 2, 3, 4), 2)
  each <- dprivcount(x, 2, discrete_gaussian_noise(1:4))
  expect_identical(dim(each), c(2L, 2L))
  expect_identical(each[2, 2], dprivcount(4, 2, discrete_gaussian_noise(4)))
  expect_identical(dprivcount(c(NA, 2.5), 2, skellam_noise(2)), c(NA, 0))
  expect_warning(bad <- dprivcount(1, -2, skellam_noise(2)), "NaN")
  expect_identical(bad, NaN)
  expect_length(dprivcount(numeric(), 2, skellam_noise(2)), 0)
})

test_that("privacy losses are those of the literature", {
  # Canonne, Kamath and Steinke (2020): rho = 1/(2 sd^2); the conversion, minimised on a grid
  a <- 1 + exp(seq(-8, 12, length.out = 1e5))
  bound <- min(a / 8 + log1p(-1 / a) - (log(1e-6) + log(a)) / (a - 1))
  loss <- privacy(discrete_gaussian_noise(2), delta = 1e-6)
  expect_equal(loss$epsilon, bound, tolerance = 1e-8)
  expect_equal(loss$rho, 1 / 8)
  expect_equal(privacy(geometric_noise(2, precision = 3))$epsilon, 2)
  expect_equal(privacy(laplace_noise(c(1, 0.5)))$epsilon, 2)
  expect_equal(privacy(withheld(laplace_noise(2), 5))$epsilon, 0.5)
  # Skellam noise: the sum over all events, at the epsilon that is returned
  loss <- privacy(skellam_noise(8), delta = 1e-5)
  t <- -200:200
  p <- dskellam(t, 4, 4)
  expect_equal(sum(pmax(0, p[-1] - exp(loss$epsilon) * p[-401])), 1e-5, tolerance = 1e-6)
  not_private <- list(
    rounding(3), random_rounding(3), suppression(1, 5), count_classes(c(0, 2)), thinning(0.1), no_noise()
  )
  for (mechanism in not_private) {
    expect_identical(privacy(mechanism)$epsilon, Inf)
    expect_match(privacy(mechanism)$loss, "^none: .* does not give differential privacy$")
  }
})

test_that("mechanisms print what they protect", {
  expect_output(print(discrete_gaussian_noise(2)), "rho = 0.125")
  expect_output(print(rounding(5)), "none: rounding does not give differential privacy")
  expect_output(print(withheld(laplace_noise(2), 5)), "Withholding adds no loss")
})

test_that("simulate() draws releases in the shape of the counts", {
  y <- matrix(c(0, 3, 11, NA), 2, dimnames = list(c("a", "b"), NULL))
  set.seed(1)
  state <- .Random.seed
  one <- simulate(random_rounding(3), y = y, seed = 5)
  expect_identical(.Random.seed, state)
  expect_identical(one, simulate(random_rounding(3), y, seed = 5))
  expect_identical(dimnames(one), dimnames(y))
  expect_true(is.na(one[2, 2]))
  expect_identical(as.vector(simulate(suppression(1, 9), y = y)), c(0, -Inf, 11, NA))
  expect_identical(as.vector(simulate(rounding(5), y = c(2, 3, 7, 8))), c(0, 5, 5, 10))
  expect_identical(as.vector(simulate(rounding(10), y = c(4, 5, 14, 15))), c(0, 10, 10, 20))
  expect_identical(simulate(count_classes(c(0, 1, 3, 6)), y = c(0, 1, 2, 5, 60)), c(0, 1, 1, 3, 6))
  expect_named(simulate(skellam_noise(2), nsim = 2, y = 1:3), c("sim_1", "sim_2"))
})

test_that("constructors refuse what is out of range", {
  expect_error(discrete_gaussian_noise(-1), class = "ldpcounts_error")
  expect_error(laplace_noise("a"), class = "ldpcounts_error")
  expect_error(random_rounding(2.5), class = "ldpcounts_error")
  expect_error(suppression(5, 3), class = "ldpcounts_error")
  expect_error(count_classes(c(1, 3)), class = "ldpcounts_error")
  expect_error(withheld(rounding(3), 5), class = "ldpcounts_error")
  expect_error(thinning(1), class = "ldpcounts_error")
  expect_error(geometric_noise(1, alpha = 0.2), class = "ldpcounts_error")
  expect_error(geometric_noise(1:3, precision = 1:2), class = "ldpcounts_error")
  expect_error(dprivcount(1, 2, 3), class = "ldpcounts_error")
  expect_error(dprivcount(1:3, 2, skellam_noise(1:2)), class = "ldpcounts_error")
  expect_error(dtruecount(1, 2, 3), class = "ldpcounts_error")
  expect_error(dtruecount(1, 2, 3, 0.5, mechanism = skellam_noise(2)), class = "ldpcounts_error")
  expect_error(simulate(skellam_noise(2), y = -1), class = "ldpcounts_error")
})

test_that("the variance of discrete Gaussian noise is that of its probabilities, also where it is narrow", {
  t <- -200:200
  for (sd in c(0.1, 0.3, 0.6, 1, 1.7, 2, 5)) {
    p <- dprivcount(t, 0, discrete_gaussian_noise(sd))
    expect_within(variance_of_noise(discrete_gaussian_noise(sd)), sum(t^2 * p), TOL_SERIES)
  }
  expect_identical(length(variance_of_noise(discrete_gaussian_noise(c(0.5, 3, 7)))), 3L)
})
