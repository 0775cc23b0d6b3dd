# Test T6: a wrong mechanism must be caught. As mutants.R, with the quick tests only: five minutes.
# C tests: test_tapes (T2: Bern and Unif by bits), test_decisions (T3: the trees). R tests:
# test-noise.R (T4: the law of the noise, T5: the audit of epsilon); of central privacy
# test-moments.R (sensitivities), test-dp_lda_spectral.R (noise, its audit, what is kept), and
# test-dp_lda_vi.R (the same of these).
# Run in the package's root: make mutants

source("tests/mutants/harness.R")

secure <- "src/ldp_secure.c"
mutants <- list(
  list(
    name = "unchanged (must pass)", file = secure, tests = "noise",
    c_tests = c("test_tapes", "test_decisions"), edits = list()
  ),
  list(
    name = "minus zero is kept", file = secure, tests = "noise", c_tests = "test_decisions",
    edits = list(c("if (negative && size == 0)", "if (negative && size < 0)"))
  ),
  # seen at 2/3 and 3/10 only
  list(
    name = "ceil for floor in fine / s", file = secure, tests = "noise",
    c_tests = "test_decisions",
    edits = list(c("(int64_t)(fine / s)", "(int64_t)((fine + s - 1) / s)"))
  ),
  # right for q = 1
  list(
    name = "wrong denominator, q + K - 1 for q K", file = secure, tests = "noise",
    c_tests = c("test_tapes", "test_decisions"),
    edits = list(c("bernoulli(bits, p, q * K,", "bernoulli(bits, p, q + K - 1,"))
  ),
  # changes exp(-1) by 2e-7: no number of draws would show that
  list(
    name = "the series of exp(-x) ends at K = 10", file = secure,
    c_tests = c("test_tapes", "test_decisions"),
    edits = list(c("if (!go_on) {", "if (!go_on || K == 10) {"))
  ),
  list(
    name = "the series of exp(-x) ends at K = 3", file = secure, tests = "noise",
    c_tests = c("test_tapes", "test_decisions"),
    edits = list(c("if (!go_on) {", "if (!go_on || K == 3) {"))
  ),
  list(
    name = "a byte modulo n for the dice roller", file = secure, c_tests = "test_tapes",
    edits = list(
      c("if (range >= n) {", "if (range == 256) {"),
      c("if (candidate < n) {", "if (n > 0) {"),
      c("*value = candidate;", "*value = candidate % n;")
    )
  ),
  list(
    name = "alpha forgets the precision", file = "R/release-levels.R", tests = "noise",
    edits = list(c("fit_fraction(fraction, as_fraction_above(precision))",
      "fit_fraction(fraction, as_fraction_above(rep(1, length(precision))))"))
  ),
  list(
    name = "the rates of rows go along columns", file = secure, tests = "noise",
    edits = list(c("if (++r == n_rates)\n            r = 0;", "r = (i + 1) * n_rates / n;"))
  ),
  list(
    name = "central: unchanged (must pass)", file = secure, tests = c("moments", "dp_lda_spectral"),
    edits = list()
  ),
  list(
    name = "central: the discrete Gaussian law is off its centre", file = "src/ldp_gaussian.c",
    c_tests = "test_decisions",
    edits = list(c("size < sigma ? sigma - size", "size < sigma ? sigma - size + 1"))
  ),
  list(
    name = "Poisson: steps beyond s are not divided by r", file = "src/ldp_secure_poisson.c",
    tests = "mechanism_privatize", c_tests = "test_decisions", edits = list(c("beyond ? m + s : m, m + i", "m, m + i"))
  ),
  list(
    name = "Poisson: every small number is kept", file = "src/ldp_secure_poisson.c",
    tests = "mechanism_privatize", c_tests = "test_decisions",
    edits = list(c("(*n + 1) * (q - p), (*n + 1) * q - p", "q, q"))
  ),
  list(
    name = "thinning: units that are equal to the probability are kept", file = "src/ldp_secure_thin.c",
    tests = "mechanism_privatize", c_tests = "test_decisions",
    edits = list(c("return LDP_OK; /* the units", "*kept += n; return LDP_OK; /* the units"))
  ),
  list(
    name = "central: half the sensitivity of M3", file = "R/central-moments.R", tests = "moments",
    edits = list(c("M3 = sqrt(max(cases)),", "M3 = sqrt(max(cases)) / 2,"))
  ),
  list(
    name = "central: the noise of T is on each of its numbers once", file = "R/central-configurations.R",
    tests = "dp_lda_spectral",
    edits = list(c("scales <- triple_scales(places)\n  seen", "scales <- rep(1, nrow(places))\n  seen"))
  ),
  list(
    name = "central: half the noise of M2", file = "R/central-configurations.R", tests = "dp_lda_spectral",
    edits = list(c(
      "released <- release_numbers(x, edge, quantity, sensitivity, budget, task)",
      "released <- release_numbers(x, edge, quantity, sensitivity / 2, budget, task)"
    ))
  ),
  list(
    name = "central: eigenvalues without noise are kept", file = "R/central-configurations.R",
    tests = "dp_lda_spectral",
    edits = list(c(
      "c(whitening(found, M2$size / 4), list(weak = found$values[task$k] < M2$size, cost = M2$cost))",
      "replace(c(whitening(found, M2$size / 4), list(weak = FALSE, cost = M2$cost)), \"values\",
        list(top_eigen(second_matrix(task$documents, task$alpha0), task$k)$values))"
    ))
  ),
  list(
    name = "variational: unchanged (must pass)", file = "src/ldp_lda_vi.c", c_tests = "test_lda_vi",
    tests = "dp_lda_vi", edits = list()
  ),
  list(
    name = "variational: the norm forgets the counts", file = "src/ldp_lda_vi.c", tests = "dp_lda_vi",
    c_tests = "test_lda_vi",
    edits = list(c(
      "const double each = doc->weight[e] * (doc->geo[k] * beta[k]);",
      "const double each = doc->weight[e] / doc->count[e] * (doc->geo[k] * beta[k]);"
    ))
  ),
  list(
    name = "variational: the sensitivity is clip", file = "R/central-variational.R", tests = "dp_lda_vi",
    edits = list(c("noise_scale(sqrt(2) * settings$clip,", "noise_scale(settings$clip,"))
  ),
  list(
    name = "variational: less noise than the ledger says", file = "R/central-variational.R", tests = "dp_lda_vi",
    edits = list(c("perturbed(expected, sigma, mechanism)", "perturbed(expected, 0.8 * sigma, mechanism)"))
  )
)

run_mutants(mutants, extended = FALSE)
