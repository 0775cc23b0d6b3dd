released <- function() {
  set.seed(211)
  private_counts(matrix(rpois(48, 2), 8) - 1L, alpha = 0.3)
}

task_of <- function(data, k) {
  new_task(topics_model, data, dim(data), k, poisson_family, "model", "gibbs", "collapsed",
    private = is_release(data), prior = check_prior(gamma_prior(), c("theta", "phi"))
  )
}

input_of_task <- function(task) model_input(topics_model, task$data, "model")

run_with <- function(file, ..., data = released(), k = 2, iter = 60, warmup = 10, chains = 2) {
  set.seed(212)
  paper_topics(data, k, iter = iter, warmup = warmup, chains = chains, checkpoint = file, ...,
    progress = FALSE
  )
}

test_that("a finished run is returned, and an unfinished run continues", {
  old <- options(ldpcounts.checkpoint_seconds = 0)
  on.exit(options(old))
  file <- tempfile(fileext = ".rds")
  whole <- run_with(NULL)
  expect_identical(said(run_with(file)), said(whole))
  set.seed(1) # the seed comes from the file
  again <- paper_topics(released(), 2, iter = 60, warmup = 10, chains = 2, checkpoint = file)
  expect_identical(said(again), said(whole))
  expect_identical(list.files(dirname(file), "unfinished"), character())
})

test_that("a killed run that continues gives the same result as an unbroken run", {
  skip_on_os("windows")
  skip_on_cran()
  file <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "options(ldpcounts.checkpoint_seconds = 0)", "library(ldpcounts)", "set.seed(213)",
    "topic_model(poliblog[1:300, 1:300], 5, family = 'poisson', prior = gamma_prior(0.1, 1),",
    "  iter = 1e6, thin = 1000, chains = 1, init = 'random', checkpoint = commandArgs(TRUE)[1])"
  ), script)
  command <- file.path(R.home("bin"), "Rscript")
  paths <- paste(.libPaths(), collapse = .Platform$path.sep)
  pid <- system(paste0(
    "R_LIBS=", shQuote(paths), " ", shQuote(command), " ", shQuote(script), " ", shQuote(file),
    " >/dev/null 2>&1 & echo $!"
  ), intern = TRUE)
  for (wait in 1:300) {
    Sys.sleep(0.1)
    if (file.exists(file)) break
  }
  Sys.sleep(0.5)
  tools::pskill(as.integer(pid), tools::SIGKILL)
  Sys.sleep(0.2)
  content <- readRDS(file) # whole, whenever the kill came
  expect_gt(content$state$sweep, 0)
  expect_lt(content$state$sweep, 1e6)
  # what was there goes on as if nothing had happened: cut the run to a few sweeps more
  goal <- content$state$sweep + 25L
  set.seed(213)
  unbroken <- paper_topics(poliblog[1:300, 1:300], 5, iter = goal, warmup = 0, thin = goal, init = "random")
  run <- plan_run(goal, 0, goal, 1)
  task <- task_of(poliblog[1:300, 1:300], 5L)
  sampler <- sampler_of(task, input_of_task(task))
  state <- begin_gibbs(sampler, run, list(NULL), 0.5)
  state[c("sweep", "chains")] <- content$state[c("sweep", "chains")]
  expect_identical(run_gibbs(task, sampler, run, state, FALSE, NULL)$draws, unbroken$draws)
})

test_that("an interrupted run continues from its file", {
  rlang::local_interactive()
  file <- tempfile(fileext = ".rds")
  task <- task_of(released(), 2L)
  sampler <- sampler_of(task, input_of_task(task))
  run <- plan_run(60, 10, 1, 2)
  starts <- vector("list", 2)
  print_of_run <- fingerprint(task, input_of_task(task), run, starts)
  gibbs <- topics_model$gibbs
  blocks <- 0
  broken <- sampler
  broken$model$gibbs <- function(...) {
    blocks <<- blocks + 1
    if (blocks == 5) rlang::interrupt()
    gibbs(...)
  }
  state <- function() begin_gibbs(sampler, run, starts, 0.25)
  expect_warning(
    run_gibbs(task, broken, run, state(), FALSE, open_checkpoint(file, print_of_run, NULL)),
    class = "ldpcounts_interrupted"
  )
  expect_identical(said(run_with(file)), said(run_gibbs(task, sampler, run, state(), FALSE, NULL)))
})

test_that("a checkpoint of another call, data set or version, or a file of no run, throws an error", {
  file <- tempfile(fileext = ".rds")
  run_with(file)
  size <- file.size(file)
  refused <- function(..., pattern) {
    expect_error(run_with(file, ...), pattern, class = "ldpcounts_checkpoint_error")
  }
  refused(data = released()[-1, ], pattern = "other data")
  refused(data = as.matrix(released()) |> pmax(0), pattern = "other data")
  refused(k = 3, pattern = "other arguments")
  refused(iter = 70, pattern = "other arguments")
  refused(prior = gamma_prior(1), pattern = "other arguments")
  refused(scheme = "bessel", pattern = "other arguments")
  refused(init = run_with(NULL), pattern = "other arguments")
  content <- readRDS(file)
  content$fingerprint$version <- "99.0"
  saveRDS(content, file)
  refused(pattern = "another version")
  saveRDS(list(1), file)
  refused(pattern = "It is not a checkpoint")
  writeLines("precious notes", file)
  refused(pattern = "damaged")
  expect_identical(readLines(file), "precious notes")
  expect_refused(run_with(7), "`checkpoint` must be NULL or the name of a file")
  expect_refused(run_with(file.path(tempdir(), "no", "such.rds")), "an existing folder")
})

test_that("a full disk does not stop a run", {
  file <- tempfile(fileext = ".rds")
  task_fingerprint <- list(version = "1", data = "2", call = "3")
  saved <- open_checkpoint(file.path(tempdir(), "gone", "x.rds"), task_fingerprint, NULL)
  expect_warning(
    after <- save_checkpoint(saved, list(sweep = 1)),
    class = "ldpcounts_checkpoint_warning"
  )
  expect_identical(after$file, saved$file)
})

test_that("update() of a fit can use checkpoints", {
  file <- tempfile(fileext = ".rds")
  fit <- run_with(NULL)
  further <- update(fit, iter = 20, checkpoint = file)
  expect_identical(said(further), said(update(fit, iter = 20)))
  expect_identical(said(update(fit, iter = 20, checkpoint = file)), said(further))
  expect_error(update(fit, iter = 21, checkpoint = file), class = "ldpcounts_checkpoint_error")
  expect_error(update(further, iter = 20, checkpoint = file), class = "ldpcounts_checkpoint_error")
})

test_that("a checkpoint of which any number was changed is refused", {
  file <- tempfile(fileext = ".rds")
  run_with(file)
  whole <- readRDS(file)
  numbers <- which(rapply(whole$state, is.numeric, how = "unlist"))
  expect_gt(length(numbers), 5)
  for (i in numbers) {
    at <- 0
    content <- whole
    content$state <- rapply(whole$state, function(x) {
      at <<- at + 1
      if (at == i && length(x) > 0) x[length(x)] <- if (is.na(x[length(x)])) 0 else NA
      x
    }, how = "replace")
    if (identical(content, whole)) next # an empty vector
    saveRDS(content, file)
    expect_error(run_with(file), "edited or damaged", class = "ldpcounts_checkpoint_error")
  }
  saveRDS(whole, file)
  expect_identical(said(run_with(file)), said(run_with(NULL)))
})
