# The sampler of the collection page (inst/collection/sampler.js) in Node: the same noise as src/ldp_secure.c
# from the same bits, and tests T4 and T5 of the mechanism (test-noise.R).

RATES <- list(c(1, 1), c(1, 2), c(2, 3), c(3, 10), c(693, 1000), c(7, 1), c(2147483647, 2147483648))

write_tape <- function(bytes) {
  file <- tempfile("tape")
  writeBin(as.raw(bytes), file)
  file
}

test_that("Bern(p/q), Unif(n) and Bern(exp(-p/q)) are the same as in C on every tape of test T2", {
  skip_without_node()
  depths <- if (EXTENDED) c("56", "40") else c("44", "30")
  in_c <- run_lines(compile_tapes(), c("primitives", depths))
  expect_length(in_c, 2228)
  expect_identical(tapes_js("primitives", depths), in_c)
})

test_that("random tapes (in the extended tests 100,000) give the same noise as in C, and leave the same bits", {
  skip_without_node()
  program <- compile_tapes()
  set.seed(231)
  for (rate in RATES) {
    length <- if (rate[1] > 1e6) 24 else 12
    n <- (if (EXTENDED) 1e5 else 2e4) / length(RATES)
    file <- write_tape(sample(0:255, ceiling(n) * length, replace = TRUE))
    args <- c("tapes", sprintf("%.0f", rate), length)
    in_c <- run_lines(program, args, file)
    expect_length(in_c, ceiling(n))
    expect_gt(mean(in_c != "dry"), 0.1)
    expect_identical(tapes_js(args, input = file), in_c)
  }
})

test_that("a long tape gives the same noise one draw after the other", {
  skip_without_node()
  set.seed(232)
  file <- write_tape(sample(0:255, 1e5, replace = TRUE))
  in_c <- run_lines(compile_tapes(), c("row", "2", "3"), file)
  expect_gt(length(in_c), 3e4)
  expect_identical(tapes_js("row", "2", "3", input = file), in_c)
})

test_that("sampler.js has no floating-point arithmetic and no other source of random numbers", {
  code <- sub("//.*", "", readLines(sampler_file()))
  expect_false(any(grepl("Math\\.|[0-9]\\.[0-9]|parseFloat|Number\\(|Date", code)))
  divisions <- grep(" / ", code, value = TRUE)
  expect_identical(trimws(divisions), "const size = geometricFine(bits, t) / s;")
})

# Mistakes as in test T6 of the mechanism; each changes the results of some tapes.
test_that("the tapes find wrong samplers", {
  skip_without_node()
  right <- paste(readLines(sampler_file()), collapse = "\n")
  mutants <- list(
    c("if (negative && size === 0n) continue;", ""),
    c("geometricFine(bits, t) / s", "(geometricFine(bits, t) + s - 1n) / s"),
    c("q * K))", "q + K - 1n))"), c("(K & 1n) === 1n", "(K & 1n) === 0n"),
    c(">> (used & 7)", ">> (7 - (used & 7))"), c("range -= n;", "range = 1n;")
  )
  set.seed(233)
  file <- write_tape(sample(0:255, 12000, replace = TRUE))
  expected <- tapes_js("row", "3", "10", input = file)
  for (mutant in mutants) {
    wrong <- tempfile(fileext = ".js")
    writeLines(sub(mutant[1], mutant[2], right, fixed = TRUE), wrong)
    expect_false(identical(readLines(wrong), readLines(sampler_file())))
    answer <- run_lines("node", c(test_path("collection", "tapes.js"), wrong, "row", "3", "10"), file)
    expect_false(identical(answer, expected), label = mutant[1])
  }
})

secure_draws <- function(rate, n) as.numeric(tapes_js("secure", sprintf("%.0f", rate), sprintf("%.0f", n)))

# Test T4, by the chi-square test of test-noise.R. Draws have no seed; a right program fails a test with
# probability 1e-6.
expect_noise <- function(rate, n) {
  tau <- secure_draws(rate, n)
  expect_length(tau, n)
  size <- 0:ceiling(60 / (rate[1] / rate[2]))
  alpha <- exp(-rate[1] / rate[2])
  folded <- 2 * abs(tau) - (tau > 0)
  probabilities <- (1 - alpha) / (1 + alpha) * alpha^c(0, rep(size[-1], each = 2))
  p <- law_p_value(folded, probabilities, n / 200)
  expect_gt(p, ERROR_RATE, label = paste("p-value at", paste(rate, collapse = "/")))
}

# Test T5: the noise of 0 and of N, the event {y_tilde <= 0}.
expect_audited <- function(rate, N, n) {
  epsilon <- N * rate[1] / rate[2]
  near <- sum(secure_draws(rate, n) <= 0)
  far <- sum(N + secure_draws(rate, n) <= 0)
  level <- ERROR_RATE / 2
  lower <- function(x) stats::qbeta(level / 2, x, n - x + 1)
  upper <- function(x) stats::qbeta(1 - level / 2, x + 1, n - x)
  expect_lte(log(lower(near) / upper(far)), epsilon)
  expect_gte(log(upper(near) / lower(far)), epsilon)
}

test_that("the noise of the page has the two-sided geometric distribution, and costs epsilon", {
  skip_without_node()
  for (rate in list(c(1, 10), c(1, 1), c(3, 1), c(2, 3), c(3, 10))) expect_noise(rate, 2e5)
  expect_audited(c(1, 1), 1, 2e5)
  expect_audited(c(7, 30), 3, 2e5)
})

test_that("the noise of the page has the two-sided geometric distribution, costs epsilon: many draws", {
  skip_without_node()
  extended_only()
  for (rate in list(c(1, 10), c(1, 1), c(3, 1), c(2, 3), c(3, 10))) expect_noise(rate, 2e6)
  for (case in list(c(1, 1, 1), c(1, 10, 1), c(3, 1, 1), c(7, 30, 3), c(2, 5, 5))) {
    expect_audited(case[1:2], case[3], 2e6)
  }
})
