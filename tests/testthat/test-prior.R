test_that("a prior is two positive numbers", {
  expect_identical(unclass(gamma_prior()), list(shape = 0.1, rate = 1))
  expect_output(print(gamma_prior(2, 3)), "Gamma(shape = 2, rate = 3)", fixed = TRUE)
  expect_refused(gamma_prior(0), "`shape` must be one positive number", "It is 0")
  expect_refused(gamma_prior(1, -1), "`rate`", "-1")
  expect_refused(gamma_prior(NA), "`shape`")
  expect_refused(gamma_prior(1:2), "`shape`", "length 2")
})

test_that("one prior serves all factors, a list names each", {
  one <- check_prior(gamma_prior(2), c("theta", "phi"))
  expect_identical(one, list(theta = gamma_prior(2), phi = gamma_prior(2)))
  two <- list(phi = gamma_prior(1), theta = gamma_prior(2))
  expect_identical(check_prior(two, c("theta", "phi")), two[c("theta", "phi")])
  expect_refused(check_prior(list(1, 2), c("theta", "phi")), "`prior`", "theta = , phi =")
  expect_refused(check_prior(list(theta = 1, phi = 2), c("theta", "phi")), "`prior`")
  expect_refused(check_prior(list(theta = one$theta, pi = one$phi), c("theta", "phi")), "`prior`")
})
