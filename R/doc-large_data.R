# A help page: large data.

#' Large data: threads, clusters, MPI and files
#'
#' Which way to fit a model depends on the number of positive released counts, because the time and memory of
#' a run are proportional to it. This page says how many to expect, and what each way needs.
#'
#' @name large-data
#' @aliases clusters
#' @section How many positive counts to expect:
#' Noise makes many counts positive whose true value is 0. With noise level `alpha`, a released count is
#' positive with probability `alpha / (1 + alpha)` if the true count is 0, and with probability
#' `1 - alpha^y / (1 + alpha)` if the true count is `y`, at least 1. The table shows the share of positive
#' counts by `epsilon / precision` and by the share of true counts that are 1 (all others are 0). Multiply it
#' by the number of rows and the number of columns.
#'
#' `r positive_table()`
#'
#' For example, 20,000 x 20,000 counts of which 1 in 100 is 1 have about 110 million positive counts in a
#' release with `epsilon / precision = 1`.
#' @section Which way:
#' | positive counts | memory for them | way |
#' |---|---|---|
#' | up to 10 million | up to 160 MB | one session; [ldp_threads()] |
#' | up to 100 million | up to 1.6 GB | one session with enough memory, or a cluster |
#' | more | 16 bytes each | a cluster whose workers read files |
#' | any number, read a few times | one batch of rows | `inference = "svi"` |
#'
#' With `k = 50` a sweep of the Poisson topic model takes about 0.05 microseconds per positive count on one
#' core (0.22 seconds for 4000 x 4000 counts with 4.3 million positive ones, and 0.13 seconds on two workers;
#' `bench/shards.R` in the sources).
#'
#' The memory is that of the collapsed sampler: 16 bytes per positive count, and 8 bytes per missing one. The
#' data themselves take 12 bytes per count that is not 0 (as a sparse matrix), positive or negative, and 8
#' bytes per count as a dense matrix. Kept draws need 8 bytes per weight and draw; `thin` says how many are
#' kept.
#' @section Threads:
#' In one session, chains share the cores of the computer, and several cores share the rows of a chain; see
#' [ldp_threads()]. The draws do not depend on the number of threads.
#' @section Clusters: [topic_model()] and [tensor_model()] have the argument `cluster`. Each worker of the
#' cluster has some of the rows of the data, and the factors of these rows. In each sweep the workers send the
#' sums that the other factors depend on, and receive the sums over all rows. So for a topic model with `k`
#' topics and `V` words, each worker sends and receives at most `16 k V` bytes per sweep and chain. The
#' draws are the same, to the last bit, as without a cluster and for any number of workers.
#'
#' ```r
#' cluster <- parallel::makePSOCKcluster(
#'   c("node1", "node2") # or a number of workers on this computer
#' )
#' fit <- topic_model(released, k = 50, cluster = cluster)
#' parallel::stopCluster(cluster)
#' ```
#'
#' Any cluster of package `parallel` will do, and `ldpcounts` must be installed for each worker, in the same
#' version. On Windows, make the cluster after `options(socketOptions = "no-delay")`, and give
#' `makePSOCKcluster()` the argument
#' `rscript_args = c("-e", shQuote("options(socketOptions = 'no-delay')"))`: otherwise the operating system may
#' hold back the end of each message, several times per sweep. Elsewhere the package sets this option itself. A worker uses one thread, unless
#' `parallel::clusterEvalQ(cluster, ldpcounts::ldp_threads(8))` says otherwise. If all workers run on the
#' computer of this session, large messages pass through files in its temporary folder, which are removed at
#' the end.
#'
#' If a worker stops, an error of class `ldpcounts_cluster_error` says which. If the call has a `checkpoint`,
#' repeat it with a new cluster, of any size: the run continues from the last checkpoint. After an interrupt
#' (Ctrl-C) the cluster cannot be used any more, and the run can only be continued from its checkpoint. When
#' the run is complete, the kept draws of all factors are collected in this session, so the fit does not need
#' the cluster.
#' @section MPI:
#' With `cluster = "mpi"` the processes of an MPI job divide the rows among themselves. One of the packages
#' `pbdMPI` and `Rmpi` must be installed. All processes run the same script with the same data and the same
#' seed, and each gets the whole fit:
#'
#' ```r
#' # mpiexec -n 8 Rscript script.R
#' library(ldpcounts)
#' set.seed(1)
#' fit <- topic_model(release_shards(files), k = 50, cluster = "mpi", checkpoint = "run.rds")
#' if (pbdMPI::comm.rank() == 0) saveRDS(fit, "fit.rds")
#' pbdMPI::finalize() # with Rmpi: Rmpi::mpi.quit()
#' ```
#' @section Files:
#' [release_shards()] names release files that together are the data. With a cluster, each worker reads its
#' rows from the files, which must have the same names on all computers, and this session never has the
#' counts. Without a cluster, `inference = "svi"` reads the files batch by batch.
#' @seealso [long-runs] for memory, checkpoints and chains on several workers.
#' @examples
#' # positive counts of 1000 x 500 cells at epsilon = 0.5, of which 2 % have a true count of 1
#' alpha <- geometric_alpha(0.5)
#' 1000 * 500 * (0.98 * alpha / (1 + alpha) + 0.02 * (1 - alpha / (1 + alpha)))
NULL

# The table of ?`large-data`, in markdown.
positive_table <- function() {
  epsilon <- c(0.1, 0.3, 1, 2, 5)
  density <- c(0.001, 0.01, 0.1, 0.5)
  share <- outer(epsilon, density, function(epsilon, density) {
    noise <- exp(-epsilon) / (1 + exp(-epsilon))
    (1 - density) * noise + density * (1 - noise)
  })
  line <- function(cells) paste0("| ", paste(cells, collapse = " | "), " |")
  rows <- cbind(epsilon, formatC(share, digits = 2, format = "f"))
  heads <- c("`epsilon / precision`", paste(100 * density, "% are 1"))
  paste(c(line(heads), line(rep("---", length(heads))), apply(rows, 1, line)), collapse = "\n")
}
