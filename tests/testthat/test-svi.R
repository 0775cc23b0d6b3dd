# Steps with all rows are iterations of CAVI, up to rounding.
TOL_STEP <- 1e-8

# The task of a topic model, its input, and a q around random factors.
svi_problem <- function(seed, k = 3, ...) {
  release <- random_release(seed, mean = 4)
  fit <- paper_topics(release, k, ..., inference = "cavi", iter = 3,
    prior = list(theta = gamma_prior(0.5, rate = gamma_prior(2, 1)), phi = gamma_prior(0.4, 2)))
  task <- add_cells(task_of_fit(fit), input_of(fit))
  list(task = task, input = input_of(fit), q = q_of(fit))
}

run_step <- function(problem, rows = seq_len(problem$input$dim[1]), settle = c(0, 0), rho = 1, q = problem$q) {
  input <- problem$input
  task <- problem$task
  source <- memory_source(input)
  cells <- cells_of_rows(make_cells(input$counts, input$alpha, by_columns = FALSE), rows)
  by_row <- length(q$excess$divergence) > 1
  levels <- if (!by_row) alpha_levels(input$alpha)
  q$theta <- lapply(q$theta[c("shape", "rate")], function(x) x[, rows, drop = FALSE])
  q$totals <- rowSums(q$theta$shape / q$theta$rate)
  if (!is.null(q$excess)) {
    if (by_row) {
      for (part in c("points", "weights")) q$excess[[part]] <- q$excess[[part]][, rows, drop = FALSE]
      q$excess$divergence <- q$excess$divergence[rows]
    }
    q$excess$shown <- matrix(0, 3, length(rows))
    q$shown <- numeric(length(levels) + 2)
  }
  task$model$svi(cells, q, task$prior, as.double(levels), input$dim[1], as.double(settle), rho)
}

FAMILIES <- list(
  list(family = "poisson"), list(family = "nbinom1"), list(family = "nbinom1", dispersion_by = "row"),
  list(family = "nbinom1", dispersion = 2)
)

test_that("a step with all rows is an iteration of CAVI", {
  for (family in FAMILIES) {
    for (seed in 1:8) {
      problem <- do.call(svi_problem, c(list(seed), family))
      task <- problem$task
      of_cavi <- problem$q
      if (!is.null(of_cavi$excess)) of_cavi$excess$shown[] <- 0
      cavi <- task$model$cavi(task$cells, of_cavi, task$prior, FALSE, 1, c(0, 0), NA_real_, task$log_constant)$q
      svi <- run_step(problem)$q
      for (factor in c("theta", "phi")) {
        for (part in c("shape", "rate")) expect_equal(svi[[factor]][[part]], cavi[[factor]][[part]], tolerance = TOL_STEP)
      }
      expect_equal(svi$rates, cavi$rates, tolerance = TOL_STEP)
      for (part in c("points", "weights")) expect_equal(svi$excess[[part]], cavi$excess[[part]], tolerance = TOL_STEP)
    }
  }
})
