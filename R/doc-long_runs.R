# A help page: long runs.

#' Long runs: progress, interrupts, checkpoints, many chains, clusters
#'
#' What makes runs of hours comfortable and safe.
#'
#' @name long-runs
#' @aliases checkpoints parallel-chains
#' @section What a run takes:
#' A run says beforehand how much memory its kept draws, its cells and its chains will take, and
#' refuses to begin if there is not as much. Kept draws are most of it: a draw is all numbers of all
#' factors. Keep 100 to 1000 of them with `thin`.
#'
#' @section Progress:
#' With `progress = TRUE` a bar shows all chains together: sweeps, sweeps a second, the time left
#' and the log density of the release at the current draw of each chain, which should no longer rise
#' after the warmup. If handlers of the `progressr` package are set (`progressr::handlers()`), they
#' are told instead. With `progress = FALSE` a run is silent.
#'
#' @section Interrupts:
#' At the console Ctrl-C (Esc in some consoles) ends a run within about a second. The call returns a fit with
#' the draws kept so far, and a warning is issued. `print()` of that fit says how far it came, and
#' [update()][update.ldp_fit] continues the run. In a script (a session that is not interactive) an interrupt
#' saves the run to the `checkpoint`, and an error of class `ldpcounts_interrupted` is thrown, so that the
#' script does not continue with half a fit.
#'
#' @section Checkpoints:
#' With `checkpoint = "run.rds"` a run writes all it knows to that file, every 30 seconds and at its
#' end (`options(ldpcounts.checkpoint_seconds = )` sets another time); the file is replaced whole,
#' or stays as it was. After a crash or a kill, the same call again with the same file goes on from
#' there, and gives bit for bit what the unbroken run would have given; the seed is that of the
#' file. A file of another call, of other data or of another version of the package is an error, and
#' is never overwritten. A run that is over is returned at once. If the disk is full there is a
#' warning, and the run goes on. [compare_methods()], which is many runs, takes a `checkpoint` of its own.
#'
#' @section Chains side by side, and clusters:
#' Chains go to the workers of whatever plan `future::plan()` set, if `future.apply` is installed;
#' otherwise they take turns in this session. Each chain has its own stream of random numbers
#' (L'Ecuyer), so the draws depend neither on the plan nor on the number of workers.
#'
#' ```r
#' library(future)
#' plan(multisession, workers = 4)             # four R sessions on this computer
#' fit <- topic_model(released, k = 50, chains = 4)
#'
#' plan(cluster, workers = c("node1", "node1", "node2", "node2"))  # by ssh
#' plan(future.batchtools::batchtools_slurm, resources = list(walltime = 3600))
#' ```
#'
#' Workers report every ten seconds or so, and an interrupt or a crash loses what they did since. On
#' a cluster with a queue, blocks of that length would wait in the queue each time: there, send
#' whole runs instead, one future each, with a checkpoint on a shared disk.
#'
#' @section Variational inference:
#' With `inference = "cavi"` read passes for sweeps, and starts for chains: bar, interrupts, checkpoints
#' and workers are the same. The bar shows the bound of each start.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [update()][update.ldp_fit].
#' @examples
#' set.seed(1)
#' file <- tempfile(fileext = ".rds")
#' run <- function() topic_model(poliblog[1:60, 1:80], k = 3, iter = 60, checkpoint = file)
#' fit <- run()
#' # what a run after a crash does: it finds the file, and here has nothing left to do
#' identical(coef(run()), coef(fit))
NULL
