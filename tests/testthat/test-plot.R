draw_plot <- function(code) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  force(code)
}

test_that("plots are drawn without a warning", {
  set.seed(101)
  y <- matrix(rpois(40, 2), 5, dimnames = list(paste0("doc", 1:5), paste0("word", 1:8)))
  x <- privatize(y, epsilon = 1)
  is.na(x) <- cbind(1, 2)
  expect_silent(draw_plot(plot(x)))
  expect_identical(draw_plot(heat_map(y)), as.double(max(y)))
  expect_identical(draw_plot(heat_map(Matrix::Matrix(y + 0, sparse = TRUE), limit = 99)), 99)
  topics <- topic_model(x, 3, iter = 20, chains = 2)
  expect_silent(draw_plot(plot(topics)))
  expect_silent(draw_plot(plot(topics, type = "trace")))
  network <- unname(y[, 1:5])
  diag(network) <- 0
  blocks <- block_model(network, 2, iter = 20)
  expect_silent(draw_plot(plot(blocks)))
  expect_refused(draw_plot(plot(topics, type = "pie")), "`type`", "\"trace\"")
  expect_refused(draw_plot(heat_map(y, limit = 0)), "`limit`")
  expect_refused(draw_plot(heat_map("a")), "`x`")
  expect_refused(draw_plot(heat_map(y, labels = NA)), "`labels`")
  expect_refused(draw_plot(heat_map(y[0, ])), "at least one row")
})
