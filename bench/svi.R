# Stochastic variational inference against CAVI: are the fitted means after three passes nearly as
# good, and is little memory needed for counts in files? The Poisson divergence (KL) of fitted means
# from the truth, on poliblog and on a planted table of 50,000 x 2,000 counts in 20 files (k = 10,
# gamma weights, epsilon 1), where CAVI has 50 iterations. Processes of their own fit the table, so
# that making it is not counted. The memory of the data is what such a process takes beyond one that
# fits the same number of files with 500 rows in all, since R and the package take most of both.
source("bench/common.R")

BAR_KL <- "at most 1.3"
BAR_MEMORY <- "at most 0.1"

# Writes the files, and saves the means of some cells.
plant <- function(folder, D = 50000, V = 2000, k = 10, n_files = 20) {
  set.seed(1)
  phi <- matrix(rgamma(k * V, 0.3), k)
  theta <- matrix(rgamma(D * k, 0.3), D)
  parts <- split(seq_len(D), rep(seq_len(n_files), each = D / n_files))
  files <- file.path(folder, sprintf("%02d.txt", seq_along(parts)))
  for (i in seq_along(parts)) {
    mu <- theta[parts[[i]], ] %*% phi
    y <- matrix(rpois(length(mu), mu), nrow(mu))
    write_release(privatize(y, epsilon = 1, rng = "R"), files[i])
  }
  at <- cbind(sample.int(D, 1e5, TRUE), sample.int(V, 1e5, TRUE))
  mu <- rowSums(theta[at[, 1], ] * t(phi)[at[, 2], ])
  first <- theta[parts[[1]], ] # the weights of the rows of the first file
  saveRDS(list(at = at, mu = mu, phi = phi, first = first), file.path(folder, "planted.rds"))
}

# The divergence of the rows of the first file if the topics were known: no method that estimates
# them is expected to do better, and it takes seconds, while CAVI may take half an hour.
known_topics <- function(folder) {
  planted <- readRDS(file.path(folder, "planted.rds"))
  model <- ldpcounts:::topics_model
  input <- ldpcounts:::model_data(read_release(list.files(folder, "txt$", full.names = TRUE)[1]))
  cells <- ldpcounts:::make_cells(input$counts, input$alpha, by_columns = FALSE)
  phi <- pmax(planted$phi, 1e-80)
  n <- input$dim[1]
  k <- nrow(phi)
  q <- list(
    theta = list(shape = matrix(1e4, k, n), rate = matrix(1e4, k, n)), totals = as.double(rep(n, k)),
    phi = list(shape = 0 * phi + 1e8, rate = 1e8 / phi), rates = matrix(1, 2, 2)
  )
  prior <- list(theta = gamma_prior(0.3, 1), phi = gamma_prior(0.3, 1))
  theta <- model$svi(cells, q, prior, unique(input$alpha), as.double(n), c(300, 1e-5), 0)$q$theta
  poisson_kl(t(theta$shape / theta$rate) %*% phi, planted$first %*% planted$phi)
}

# The numbers of a fit in a process of its own.
fit_there <- function(folder, inference) {
  files <- list.files(folder, "txt$", full.names = TRUE)
  planted <- readRDS(file.path(folder, "planted.rds"))
  set.seed(2)
  took <- system.time(fit <- if (inference == "svi") {
    topic_model(release_shards(files), 10,
      family = "poisson", inference = "svi", iter = 3, progress = FALSE
    )
  } else {
    topic_model(do.call(rbind, lapply(files, read_release)), 10, family = "poisson", inference = "cavi",
      iter = 50, chains = 1, progress = FALSE)
  })[["elapsed"]]
  peak <- status_kb("VmHWM")
  mu <- fitted(fit, cells = planted$at)
  result <- list(seconds = took, kl = poisson_kl(mu, planted$mu), peak = peak / 1024, elbo = elbo(fit))
  saveRDS(result, file.path(folder, paste0(inference, ".rds")))
}

compare_poliblog <- function(epsilon = 2) {
  set.seed(1)
  release <- privatize(poliblog, epsilon, rng = "R")
  for (family in c("poisson", "nbinom1")) {
    kl <- function(inference, iter) {
      mean(vapply(1:3, function(seed) {
        set.seed(seed)
        fit <- topic_model(release, 10, family = family, inference = inference, iter = iter, progress = FALSE)
        poisson_kl(fitted(fit), poliblog)
      }, 0))
    }
    of_svi <- kl("svi", 3)
    of_cavi <- kl("cavi", 1000)
    report(paste0("poliblog, ", family, ": KL of CAVI"), of_cavi, digits = 4)
    report(paste0("poliblog, ", family, ": KL of SVI / KL of CAVI"), of_svi / of_cavi, BAR_KL)
  }
}

compare_planted <- function(folder, small) {
  there <- function(inference, folder) {
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "bench/svi.R", folder, inference))
    readRDS(file.path(folder, paste0(inference, ".rds")))
  }
  known <- known_topics(folder)
  svi <- there("svi", folder)
  cavi <- there("cavi", folder)
  before <- there("svi", small)$peak
  size <- 4 * 50000 * 2000 / 2^20 # of a release with whole numbers of 4 bytes
  report("table in files: seconds of SVI, 3 passes", svi$seconds)
  report("table in memory: seconds of CAVI, with reading", cavi$seconds)
  report("table: KL of SVI", svi$kl, digits = 4)
  report("table: KL if the topics were known", known, digits = 4)
  report("table: KL of CAVI", cavi$kl, digits = 4)
  report("table: KL of SVI / KL of CAVI", svi$kl / cavi$kl, BAR_KL)
  report("size of the release in memory, MB", size)
  report("peak memory of SVI, 500 rows, MB", before)
  report("peak memory of SVI, all rows, MB", svi$peak)
  report("additional memory of SVI / size of the release", (svi$peak - before) / size, BAR_MEMORY)
  report("peak memory of CAVI, all rows, MB", cavi$peak)
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 2) {
  fit_there(arguments[1], arguments[2])
} else {
  compare_poliblog()
  folders <- tempfile(c("planted", "small"))
  for (folder in folders) dir.create(folder)
  plant(folders[1])
  plant(folders[2], D = 500)
  compare_planted(folders[1], folders[2])
  unlink(folders, recursive = TRUE)
}
