# Fits on the workers of a cluster are those of one process, to the last bit.

new_cluster <- function(n) {
  skip_on_cran()
  parallel::makePSOCKcluster(n)
}

# Workers start slowly, so most tests share them; three on two cores would wait for each other.
shared <- new.env()
WORKERS <- if (EXTENDED) 3 else 2

shared_cluster <- function(n = WORKERS) {
  if (is.null(shared$cluster)) shared$cluster <- new_cluster(WORKERS)
  shared$cluster[seq_len(n)]
}

# Two workers whose functions tests replace.
spare_cluster <- function() {
  if (is.null(shared$spare)) shared$spare <- new_cluster(2)
  shared$spare
}

quiet_fit <- function(...) suppressMessages(suppressWarnings(...))

without_time <- function(fit) {
  fit$seconds <- NULL
  fit
}

small_release <- function() {
  set.seed(1)
  y <- matrix(rpois(100 * 12, rgamma(100 * 12, 0.5)), 100)
  y[cbind(c(1:5, 60, 61), c(1:5, 3, 4))] <- NA
  y[, 7] <- NA
  privatize(y, epsilon = rep(c(0.5, 1, 2, 1), 25), rng = "R", na = "keep")
}

small_tensor <- function() {
  set.seed(2)
  y <- array(rpois(50 * 4 * 3, 1), c(50, 4, 3))
  y[, 2, ] <- NA
  y[20, , ] <- NA
  privatize(y, 1, rng = "R", na = "keep")
}

fits <- list(
  "the default family, with a race" = function(...) {
    topic_model(small_release(), 2, iter = 180, chains = 2, ...)
  },
  "Poisson counts" = function(...) topic_model(small_release(), 3, family = "poisson", iter = 40, ...),
  "Bessel augmentation" = function(...) {
    topic_model(small_release(), 2, family = "poisson", scheme = "bessel", iter = 15, chains = 2, ...)
  },
  "tokens" = function(...) topic_model(small_release(), 2, scheme = "tokens", iter = 20, chains = 2, ...),
  "a tensor by tokens" = function(...) {
    tensor_model(small_tensor(), 2,
      family = "poisson", scheme = "tokens", init = "random", iter = 20, chains = 1, ...
    )
  },
  "estimated shapes" = function(...) {
    topic_model(small_release(), 2, prior = gamma_prior(NULL), family = "poisson", iter = 40, chains = 1, ...)
  },
  "a dispersion per row" = function(...) {
    topic_model(small_release(), 2, dispersion_by = "row", iter = 20, chains = 2, ...)
  },
  "a fixed dispersion and fixed rates" = function(...) {
    topic_model(small_release(), 2, dispersion = 2, prior = gamma_prior(1), iter = 20, chains = 1, ...)
  },
  "counts without noise, and fewer rows than parts for all workers" = function(...) {
    topic_model(small_release()[1:17, ], 1, noise = "ignore", dispersion_by = "row", iter = 20, ...)
  },
  "a tensor, with a search for starts" = function(...) {
    tensor_model(small_tensor(), 2, iter = 20, chains = 1, ...)
  },
  "a tensor of two modes" = function(...) {
    tensor_model(small_release(), 2, family = "poisson", iter = 20, chains = 2, ...)
  }
)

test_that("fits do not depend on the number of workers", {
  for (name in some_of(names(fits), 4)) {
    set.seed(3)
    alone <- quiet_fit(fits[[name]](progress = FALSE))
    after <- runif(1)
    for (n in if (EXTENDED) 1:3 else 2) {
      set.seed(3)
      fit <- quiet_fit(fits[[name]](progress = FALSE, cluster = shared_cluster(n)))
      expect_identical(runif(1), after)
      expect_identical(without_time(fit), without_time(alone), label = paste(name, n))
    }
  }
})

# A message with one array of whole numbers, of `width` bytes each.
message_of <- function(numbers, width) {
  packed <- vapply(numbers, function(x) as.raw(x %/% 256^(seq_len(width) - 1) %% 256), raw(width))
  structure(as.vector(packed), how = 0L, n = as.double(length(numbers)), width = as.integer(width))
}

test_that("messages are combined in memory and in files, in as many bytes as are needed", {
  combine <- function(messages, file = NULL) .Call(C_rc_combine_messages, messages, file)
  set.seed(1)
  x <- sample.int(200, 70000, TRUE)
  y <- sample.int(60000, 70000, TRUE)
  file <- tempfile()
  for (second in list(x, y, 100 * y)) {
    width <- c(1, 2, 3)[1 + (max(second) > 255) + (max(second) > 65535)]
    messages <- list(message_of(x, 1), message_of(second, width))
    in_memory <- combine(messages)
    expect_identical(in_memory, message_of(x + second, attr(in_memory, "width")))
    expect_identical(attr(in_memory, "width"), as.integer(ceiling(log(max(x + second) + 1, 256))))
    in_file <- combine(messages, file)
    expect_length(in_file, 0)
    expect_identical(attr(in_file, "file"), file)
    expect_identical(combine(list(in_file)), in_memory)
    # a message is not lost if its file cannot be written
    expect_identical(combine(messages, file.path(tempdir(), "no such folder", "file")), in_memory)
  }
  expect_length(combine(lapply(list(x[1:9], y[1:9]), message_of, 2), file), 18) # a small one is not in a file
  writeBin(raw(10), file)
  expect_error(combine(list(in_file)), "cannot be read")
})

test_that("fits do not depend on the number of workers if messages are in files", {
  cluster <- spare_cluster()
  set.seed(5)
  released <- privatize(matrix(rpois(80 * 2000, 0.2), 80), 2, rng = "R")
  parallel::clusterEvalQ(cluster[1], {
    written <- character()
    names_of <- ldpcounts:::mail_files
    utils::assignInNamespace("mail_files", function(mailbox, ...) {
      written <<- union(written, list.files(mailbox))
      names_of(mailbox, ...)
    }, "ldpcounts")
  })
  run <- function(...) {
    set.seed(6)
    quiet_fit(topic_model(released, 9, iter = 8, chains = 2, init = "random", progress = FALSE, ...))
  }
  expect_identical(without_time(run(cluster = cluster)), without_time(run()))
  written <- parallel::clusterEvalQ(cluster[1], written)[[1]]
  expect_setequal(written, c("0-1", "0-2", "1-1", "1-2", "2-1", "2-2"))
})

test_that("workers that read release files draw the same as one process with the counts in memory", {
  released <- small_release()
  borders <- c(0, 23, 57, 58, 100)
  files <- vapply(1:4, function(i) {
    file <- tempfile(fileext = ".txt")
    write_release(released[(borders[i] + 1):borders[i + 1], ], file)
    file
  }, "")
  shards <- release_shards(files)
  cluster <- shared_cluster()
  same <- function(fit) fit[setdiff(names(fit), c("seconds", "data", "looked_at", "modes"))]
  run <- function(data, ...) {
    set.seed(5)
    quiet_fit(topic_model(data, 2, iter = 30, chains = 2, progress = FALSE, ...))
  }
  cases <- list(
    list(), list(family = "poisson"), list(dispersion_by = "row"), list(noise = "ignore"),
    list(family = "poisson", scheme = "tokens"), list(scheme = "tokens")
  )
  for (arguments in some_of(cases, 3, 2)) {
    alone <- do.call(run, c(list(released), arguments))
    fit <- do.call(run, c(list(shards, cluster = cluster), arguments))
    expect_identical(same(fit), same(alone))
  }
  alone <- run(released)
  fit <- run(shards, cluster = cluster)
  cells <- cbind(c(1, 2, 57, 58, 100, 60), c(1, 3, 4, 5, 12, 3))
  expect_identical(fitted(fit, cells = cells), fitted(alone, cells = cells))
  expected <- as.data.frame(augment(alone, cells = cells))
  expected$y_tilde <- pmax(expected$y_tilde, 0)
  expect_equal(as.data.frame(augment(fit, cells = cells)), expected, ignore_attr = TRUE)
  expect_identical(nobs(fit), nobs(alone))
  expect_equal(modes(fit)$share, modes(alone)$share, tolerance = 1e-10)
  expect_s3_class(summary(fit), "summary.ldp_fit")
  expect_error(fitted(fit), "counts in memory")
  expect_error(augment(fit), "counts in memory")
  expect_error(
    topic_model(shards, 2, cluster = cluster, family = "poisson", scheme = "bessel"), "must be \"collapsed\""
  )
  expect_error(topic_model(shards, 2), "with a `cluster`")
})

test_that("a run continues from a checkpoint with another number of workers, and without any", {
  failing <- spare_cluster()
  before <- options(ldpcounts.checkpoint_seconds = 0)
  on.exit(options(before))
  run <- function(...) {
    set.seed(4)
    quiet_fit(topic_model(small_release(), 2, iter = 200, chains = 2, init = "random", progress = FALSE, ...))
  }
  files <- c(tempfile(), tempfile())
  # a worker fails when the eighth block begins
  parallel::clusterEvalQ(failing[2], {
    blocks <- 0
    begin <- ldpcounts:::continue_block
    utils::assignInNamespace("continue_block", function(...) {
      blocks <<- blocks + 1
      if (blocks == 8) stop("stopped by the test")
      begin(...)
    }, "ldpcounts")
  })
  expect_error(run(cluster = failing, checkpoint = files[1]), "stopped by the test")
  sweep <- readRDS(files[1])$state$sweep
  expect_true(sweep > 0 && sweep < 200)
  file.copy(files[1], files[2])
  alone <- without_time(run())
  expect_identical(without_time(run(cluster = shared_cluster(if (EXTENDED) 3 else 1), checkpoint = files[1])), alone)
  expect_identical(without_time(run(checkpoint = files[2])), alone)
})

test_that("workers of mirai draw the same, and one that stops is named", {
  skip_on_cran()
  skip_if_not_installed("mirai")
  cluster <- mirai::make_cluster(2)
  on.exit(parallel::stopCluster(cluster))
  run <- function(iter, ...) {
    set.seed(6)
    quiet_fit(topic_model(small_release(), 2, iter = iter, chains = 2, progress = FALSE, ...))
  }
  alone <- without_time(run(20))
  for (repetition in 1:2) expect_identical(without_time(run(20, cluster = cluster)), alone)
  lines <- open_lines(cluster, NULL)
  ask <- call_lines(lines, new.env(), NULL)
  expect_identical(ask(function(x, y) x + y, list(1, 2), y = 3), list(4, 5))
  expect_identical(ask(function(x, y) x + y, list(2), y = 3, on = 2), list(5))
  expect_error(ask(function(x) stop("by the test"), 1:2), "by the test", class = "ldpcounts_cluster_error")
  expect_error(ask(function(x) if (x == 2) tools::pskill(Sys.getpid(), tools::SIGKILL), 1:2),
    "Worker 2 of the cluster has stopped", class = "ldpcounts_cluster_error"
  )
  for (line in lines) close(line$socket)
})

test_that("clusters that cannot be used are refused before any work", {
  cluster <- spare_cluster()[1]
  expect_error(topic_model(small_release(), 2, cluster = 2), "must be NULL, or a cluster")
  expect_error(
    topic_model(small_release(), 2, cluster = cluster, inference = "cavi"), "`cluster` is not an argument"
  )
  expect_error(block_model(enron_network, 2, cluster = cluster), "cluster")
  get("sendCall", asNamespace("parallel"))(cluster[[1]], Sys.getpid, list())
  expect_error(topic_model(small_release(), 2, cluster = cluster), "answers to earlier calls",
    class = "ldpcounts_cluster_error"
  )
  get("recvResult", asNamespace("parallel"))(cluster[[1]])
})

# After this test the cluster is of no use.
test_that("a worker that has stopped is named", {
  cluster <- spare_cluster()
  tools::pskill(parallel::clusterCall(cluster, Sys.getpid)[[2]], tools::SIGKILL)
  Sys.sleep(0.2)
  error <- expect_error(
    topic_model(small_release(), 2, iter = 60, progress = FALSE, cluster = cluster),
    class = "ldpcounts_cluster_error"
  )
  expect_match(conditionMessage(error), "Worker 2 (localhost) of the cluster has stopped", fixed = TRUE)
  expect_match(conditionMessage(error), "checkpoint")
})

test_that("rows are divided at borders of parts, with about the same work", {
  divide_rows <- ldpcounts:::divide_rows
  for (n in c(1, 16, 17, 31, 32, 33, 48, 100, 1000)) {
    for (workers in 1:5) {
      rows <- divide_rows(rep(3, n), workers)
      expect_length(rows, workers)
      expect_identical(as.integer(unlist(rows)), seq_len(n))
      before <- cumsum(lengths(rows))
      expect_true(all(before %% 16 == 0 | before == n))
      expect_true(all(lengths(rows) != 1) || n == 1)
    }
  }
  n_active <- c(rep(100, 320), rep(0, 3200))
  work <- vapply(divide_rows(n_active, 3), function(rows) sum(n_active[rows] + 16), 0)
  expect_lt(max(work) - min(work), 2 * 32 * 116)
})

if (!is.null(shared$cluster)) parallel::stopCluster(shared$cluster)
if (!is.null(shared$spare)) parallel::stopCluster(shared$spare[1])
