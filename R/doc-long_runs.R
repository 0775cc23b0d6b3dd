# A help page: long runs.

#' Long runs: progress, interrupts, checkpoints, many chains, clusters
#'
#' How to watch, interrupt, resume and distribute runs that take hours.
#'
#' @name long-runs
#' @aliases checkpoints parallel-chains
#' @section Memory:
#' Before a run begins, the package estimates how much memory the kept draws, the cells and the chains will
#' need, and throws an error if less is available. Kept draws need most of it, because each draw contains all
#' factors. Use `thin` to keep only 100 to 1000 draws.
#'
#' @section Progress:
#' With `progress = TRUE` one bar shows the progress of all chains: sweeps, sweeps per second, the time left
#' and, for each chain, the log density of the release at the current draw. These log densities should no
#' longer rise after the warmup. If handlers of the `progressr` package are set (`progressr::handlers()`),
#' they show the progress instead of the bar. With `progress = FALSE` nothing is shown.
#'
#' @section Interrupts:
#' At the console Ctrl-C (Esc in some consoles) ends a run within about a second. The call returns a fit with
#' the draws kept so far, and a warning is issued. `print()` of that fit says how many sweeps were done, and
#' [update()][update.ldp_fit] continues the run. In a script (a session that is not interactive) an interrupt
#' saves the run to the `checkpoint`, and an error of class `ldpcounts_interrupted` is thrown, so that the
#' script does not continue with an incomplete fit.
#'
#' @section Checkpoints:
#' With `checkpoint = "run.rds"` a run writes its complete state to that file about
#' every 30 seconds and at its end. (`options(ldpcounts.checkpoint_seconds = )` sets another interval. If
#' writing takes more than 3 seconds, the interval is longer, up to a minute.) Each time, either the whole
#' file is replaced, or it does not change at all. After a crash, repeat the same call with the same file: the
#' run continues from the file, and its results are exactly those that it would have had without the crash.
#' The seed need not be set again, because the file contains the state of the random number generators. If the
#' file belongs to another call, to other data or to another version of the package, an error is thrown, and
#' the file is not overwritten. If the run in the file is complete, it is returned at once. If the disk is
#' full, a warning is issued, and the run continues. [compare_methods()] has a `checkpoint` for its whole
#' comparison.
#'
#' @section Threads, parallel chains and clusters:
#' In one session, the chains of a Gibbs run share the cores of the computer. Several chains run at the same
#' time. If there are more cores than chains, several cores work on the same chain, each on some rows of the
#' data. [ldp_threads()] sets the number of threads. For chains in other sessions, or on other computers, set
#' a plan with `future::plan()` (`future.apply` must be installed); each worker then uses one thread. The
#' random numbers of a row depend on the chain, the sweep and the row alone, so the draws depend neither on
#' the number of threads nor on the plan.
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
#' Workers are given about ten seconds of work at a time. An interrupt or a crash loses the work that has not
#' been returned. On a cluster with a queue, do not run chains in this way, because each of these short jobs
#' would wait in the queue. Submit whole runs instead, one future per run, with a checkpoint on a shared disk.
#'
#' If the data are too large for one computer, the argument `cluster` of [topic_model()] and [tensor_model()]
#' divides the rows of the data among workers; see [large-data].
#'
#' @section Variational inference:
#' With `inference = "cavi"`, progress bars, interrupts, checkpoints and workers are used in the same way,
#' with iterations instead of sweeps and starts instead of chains. The bar shows the evidence lower bound of
#' each start. With `inference = "svi"`, the bar shows batches and the bound of held-out rows. Its starts run
#' one after another. There are no checkpoints, and an interrupt ends the run without a fit.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [update()][update.ldp_fit].
#' @examples
#' set.seed(1)
#' file <- tempfile(fileext = ".rds")
#' run <- function() topic_model(poliblog[1:60, 1:80], k = 3, iter = 60, checkpoint = file)
#' fit <- run()
#' # the same call after a crash continues from the file; here the run is already complete
#' identical(coef(run()), coef(fit))
NULL
