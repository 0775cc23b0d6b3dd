# Test T6: a wrong mechanism must be caught. As mutants.R, with the quick tests only: two minutes.
# C tests: test_tapes (T2: Bern and Unif by bits), test_decisions (T3: the trees). R tests:
# test-mechanism.R (T4: the law of the noise, T5: the audit of epsilon).
# Run in the package's root: make mutants

source("tests/mutants/harness.R")

secure <- "src/ldp_secure.c"
mutants <- list(
  list(
    name = "unchanged (must pass)", file = secure, tests = "mechanism",
    c_tests = c("test_tapes", "test_decisions"), edits = list()
  ),
  list(
    name = "minus zero is kept", file = secure, tests = "mechanism", c_tests = "test_decisions",
    edits = list(c("if (negative && size == 0)", "if (negative && size < 0)"))
  ),
  # seen at 2/3 and 3/10 only
  list(
    name = "ceil for floor in fine / s", file = secure, tests = "mechanism",
    c_tests = "test_decisions",
    edits = list(c("(int64_t)(fine / s)", "(int64_t)((fine + s - 1) / s)"))
  ),
  # right for q = 1
  list(
    name = "wrong denominator, q + K - 1 for q K", file = secure, tests = "mechanism",
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
    name = "the series of exp(-x) ends at K = 3", file = secure, tests = "mechanism",
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
    name = "alpha forgets the precision", file = "R/geometric.R", tests = "mechanism",
    edits = list(c("fit_fraction(fraction$num, fraction$den * precision)",
      "fit_fraction(fraction$num, fraction$den * rep(1, length(precision)))"))
  ),
  list(
    name = "the rates of rows go along columns", file = secure, tests = "mechanism",
    edits = list(c("if (++r == n_rates)\n            r = 0;", "r = (i + 1) * n_rates / n;"))
  )
)

run_mutants(mutants, extended = FALSE)
