# topic_model(); the model itself is in R/model-topics.R.

#' Fit a topic model to private documents
#'
#' Draws from the posterior (or an approximation of it) of the Poisson topic model, also called Poisson matrix
#' factorization, given counts of words in documents, noised or not. For Poisson counts, the expected count of
#' word `v` in document `d` is `mu[d, v] = sum_k theta[d, k] phi[k, v]`. For the default family, `"nbinom1"`,
#' it is a multiple of this sum; see [which-family].
#'
#' @param data Counts, with documents in rows and words in columns: a [private_counts()], whose noise is
#'   modelled; files of released counts, named by [release_shards()] (with a `cluster`, or with `inference =
#'   "svi"`); or true counts: a matrix, a `Matrix`, a `dfm`, a `DocumentTermMatrix`, a data frame of
#'   documents, terms and counts, or any other of the [objects that hold counts][data-objects]. Cells that are
#'   `NA` are masked, that is, treated as not observed.
#' @param k The number of topics, from 1 to 10,000.
#' @param batch With `inference = "svi"`, the number of rows per batch; `NULL` for 128.
#' @param ... Must be empty: all further arguments must be named.
#' @param id For a data frame with one row per record: the name of the column with the labels of the
#'   records.
#' @param cluster For data that are too large for one computer: a cluster of the package `parallel`, whose
#'   workers divide the rows of the data among themselves, or `"mpi"`; see [large-data]. `NULL` for this
#'   session alone. The results are the same.
#' @param family The family of true counts given `mu`: `"nbinom1"`, for overdispersed counts with variance
#'   `dispersion * mu`, which suits nearly all real data; or `"poisson"`, the model of Schein et al. (2019),
#'   which is the default with an `augmentation` other than `"collapsed"`. See [which-family].
#' @param dispersion For `"nbinom1"`: the variance of a count divided by its mean, a number of at least 1 (1
#'   is the Poisson distribution); or `NULL` to estimate it.
#' @param dispersion_prior A [beta_prior()] on `1 - 1 / dispersion`, used if the dispersion is estimated.
#' @param dispersion_by One dispersion for `"all"` counts, or one for each `"row"` of the data.
#' @param inference The algorithm. `"gibbs"` draws from the posterior. `"cavi"` finds the closest
#'   approximation of the posterior in which all weights are independent (coordinate ascent variational
#'   inference); it is faster but less accurate. See *Variational inference* below. `"svi"` finds such an
#'   approximation from batches of rows, which may be read from files. See *Stochastic variational inference*
#'   below.
#' @param noise What to do about the noise of private counts: `"model"` it, or `"ignore"` it (the naive
#'   analysis: negative released counts are set to zero, and the result is taken for true counts).
#' @param augmentation The sampling scheme, that is, how the sampler treats the noise. The posterior is the
#'   same for all schemes. In `"collapsed"` the noise is integrated out, and the time per sweep (one iteration
#'   of the sampler) is proportional to the number of positive and missing cells. `"bessel"` is the algorithm
#'   of Schein et al. (2019). It represents the noise by latent variables and draws them for every cell. Both
#'   schemes can also be used with `"cavi"`, where the lower bound of `"collapsed"` is tighter than that of
#'   `"bessel"`. `"delta"`, for `"cavi"` only, is the algorithm of the first version of that paper (Schein et
#'   al., 2018, equations 66 to 70). It represents the noise of a cell as the difference of two Poisson
#'   counts, `g1 - g2`, and divides the expected value of `y + g1` between the true count `y` and `g1`, in
#'   proportion to the geometric means of their Poisson rates. Geometric means that involve `mu` are
#'   approximated by the delta method. This algorithm is included for comparison, and its bound may decrease.
#' @param prior A [gamma_prior()] for all factors, or a named list with one for each factor. Schein et al.
#'   (2019) use `gamma_prior(0.1, 1)`. With strong noise, a larger shape and an estimated rate predict better
#'   (see *Defaults*).
#' @param groups Groups of the rows of the data (for a tensor, of the indices of its first mode; for a
#'   network, of actors), or `NULL`: a factor, a character or logical vector, or a data frame of them, with
#'   one value per row. The weights of rows then have different means in different groups, which are
#'   estimated; see *Groups*.
#' @param iter Number of sweeps per chain, including the warmup; with `"cavi"`, the largest number of
#'   iterations per start; with `"svi"`, the number of passes over the data, by default 5.
#' @param warmup Number of sweeps that are discarded at the beginning of each chain; less than `iter`. Not
#'   used with `"cavi"` and `"svi"`.
#' @param thin Every `thin`-th sweep after the warmup is kept. `NULL` chooses the smallest `thin` with which
#'   the draws of all chains take at most 2 GB (but at least 100 draws per chain are kept). Not used with
#'   `"cavi"` and `"svi"`.
#' @param chains Number of independent chains; with `"cavi"` and `"svi"`, number of starts, of which the best
#'   is kept.
#'   Chains run in parallel on the cores of this computer (see [ldp_threads()]), or on the workers of the
#'   plan set by `future::plan()`; see [long-runs].
#' @param init Where the chains start. With `NULL`, each chain starts at the best of several random starts
#'   (see *Starts*); with `"cavi"`, at the result of a short run of the Gibbs sampler. With `"random"`,
#'   chains start at random values. With a fit of the same shape, they start at its last draws. With a list
#'   of the factors, they start at these values. The factors are positive matrices of the shapes given in
#'   *Value*, and the list may include the `dispersion`, if it is estimated. To give each chain its own
#'   values, use a list with one such list per chain.
#' @param progress If `TRUE`, show how much memory the run will take, and then a progress bar with the log
#'   density of the release.
#' @param checkpoint The name of a file in which the run is saved, about every 30 seconds, or `NULL`.
#'   Repeating the same call with the same file continues the run; see [long-runs]. Not available with
#'   `"svi"`.
#' @return A fit, of class `c("topic_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`, or both
#'   `"ldp_fit_svi"` and `"ldp_fit_cavi"`); see [ldp_fit-methods]. Its factors are `theta` (documents x k) and
#'   `phi` (k x words). The fit
#'   contains the data. An interrupt (Ctrl-C) ends the run and returns the fit so far, with a warning
#'   of class `ldpcounts_interrupted`. In a script the run is saved to the `checkpoint`, and an error of
#'   that class is thrown.
#' @section Starts: The posterior has several modes, between which a chain seldom moves, and many of them
#' fit the data poorly. So each chain chooses its own start from several random starts, in stages: all of
#' them are run for some sweeps, the half with the higher log density continues, and so on until one is
#' left.
#'
#' A topic model has 4 starts per chain and two stages, whose lengths are an eighth and a quarter of the
#' warmup. With the default `warmup`, the search for starts takes `iter / 2` sweeps per chain, in addition to
#' the `iter` sweeps of the chain. A block model has 64 starts per chain. Its first two stages are equally
#' long, each further stage is twice as long as the one before it, and the last is half as long as the warmup.
#' With the default `warmup`, the search takes `3.5 * iter` additional sweeps per chain. If the first stage
#' would be shorter than 30 sweeps, the first two stages are combined into one, and the number of starts is
#' halved. This is repeated until the first stage has at least 30 sweeps. With a warmup above 2000, the stages
#' are as long as with a warmup of 2000. With a warmup below 30 (for a topic model, below 80) or with `k = 1`
#' there is only one start.
#'
#' A tensor model with three modes or more improves a single start instead: its components are redrawn one
#' by one, the smallest first, and a new component is kept if the log density becomes higher. The starts of
#' different chains are independent, so agreement between chains is evidence of convergence. If chains
#' disagree, [modes()] shows which modes they are in.
#' @section Defaults: The default family and prior are those that did best for five data sets at four noise
#' levels, as judged by three criteria: the density of held-out counts, the coverage of intervals, and the
#' error of the estimated total of all counts (`bench/defaults.R` in the sources). `"nbinom1"` was better than
#' `"poisson"` by more than two standard errors in 16 of the 20 cases, and worse in none. `gamma_prior(0.3,
#' rate = gamma_prior(1, 1))` had the best mean rank of six priors. With it, 90 % intervals contained the sum
#' of all true counts in 92 % of runs. With the prior of Schein et al. (2019), they did so in 40 % of runs
#' with `"nbinom1"`, and in 4 % with `"poisson"`. The default is four chains, because several chains are
#' needed to see whether they agree.
#' @section Groups: With `groups`, the first factor has the prior `theta[d, k] ~ Gamma(shape, rate * rho)`,
#' where `rho` is the relative rate of component `k` in the group of row `d`. Relative rates have the prior
#' `Gamma(2, 2)`, with mean 1, and are estimated. So rows of the same group inform each other about how large
#' their weights are, and the weights of different groups are not pulled towards a common mean.
#' [group_effects()] returns the mean weights of the groups, and their ratios. A large relative rate means
#' small weights.
#'
#' If `groups` is a data frame, the effects of its columns multiply: `rho` is the product of one relative rate
#' per column. The relative rates of each column then describe the differences that the other columns leave,
#' and need fewer rows than one rate per combination of groups. If you expect interactions, give the
#' combinations as a single factor: `groups = interaction(a, b)`.
#'
#' Groups must not have missing values. Levels without rows are dropped. If groups are secret, a fit with
#' `groups` reveals them: the noise of the counts does not protect them.
#'
#' [coef()][ldp_fit-methods] has the posterior means of relative rates in `groups`, and `as.matrix()` has
#' their draws in columns such as `groups[party=left,1]`. Only their ratios within a column of `groups` can be
#' interpreted, because their scale is set by the prior and by the scale of the weights.
#'
#' With strong noise and small counts, `inference = "cavi"` can exaggerate the differences between groups
#' greatly, with intervals that are much too narrow. In a simulation with 300 documents, a mean count of 0.27 and
#' `epsilon = 1`, it estimated a ratio of 4.2 as 83, and Gibbs sampling as 3.4, with a 90 % interval from 2.4
#' to 5.9. With a mean count of 0.65 the estimates were 5.9 and 4.7. The naive analysis (`noise = "ignore"`)
#' estimated 2.0 and 3.2. Use Gibbs sampling to compare groups.
#'
#' The model and its sampler are new in this package. The update of the relative rates is conjugate, and a
#' sweep takes about as long as without groups.
#' @section Reproducible: A fit draws exactly one number from R's generator, and derives the random number
#' streams of its chains from it. So `set.seed()` makes a fit reproducible, and random numbers drawn after
#' the fit do not depend on how long it ran.
#' @section Variational inference: With `inference = "cavi"` the posterior is approximated by independent
#' gamma distributions of all weights (and a distribution of the dispersion). Each iteration increases a
#' lower bound of the log probability of the release, [elbo()]. A start has converged when an iteration
#' changes the bound by less than 1e-6 of its size and by less than 0.001. An iteration of the collapsed
#' scheme takes about as long as a sweep.
#'
#' From random values the algorithm often converges to a poor local optimum, in which all documents are
#' nearly alike. So each start begins with 200 sweeps of the Gibbs sampler, and the means of the last 100 are
#' the initial values. Use several starts (`chains`) to see whether the results agree. Gibbs sampling is the
#' default, because it is more accurate, and because independent distributions of the weights understate
#' uncertainty.
#'
#' In an example with [poliblog] and `k = 10`, the mean Poisson divergence ([poisson_kl()]) of `fitted()` from
#' the true counts was:
#'
#' | method | `epsilon = 2` | `epsilon = 1` |
#' |---|---|---|
#' | Gibbs sampling, 600 sweeps | 0.20 | 0.23 |
#' | variational inference | 0.23 | 0.33 |
#' | variational inference, best of five random starts | 0.28 | 0.40 |
#' | variational inference, `noise = "ignore"` | 0.27 | 0.50 |
#'
#' If every cell is predicted by the mean count, the divergence is 0.30.
#'
#' `fitted()` and `coef()` return exact means of the approximating distributions. Methods that need draws use
#' up to 200 draws from them.
#' @section Stochastic variational inference: With `inference = "svi"` the approximation is the same as with
#' `"cavi"`, but it is found in small steps, each with a batch of rows (Hoffman et al., 2013). Use it if the
#' data do not fit in memory, or if an iteration over all rows takes long. In each step, the topic weights of
#' the rows of a batch are estimated with the topics fixed. The topics, the scale of each topic, the estimated
#' rates of priors and the dispersion are then moved towards the values that the batch implies. Step `t` moves
#' natural parameters by the share `(t + 1)^-0.6`. After the last pass, all rows are read once more, to
#' estimate their weights given the final topics.
#'
#' Few batches per pass need more passes. In an example with 2,500 documents, 2,000 words, `k = 10` and
#' `epsilon = 1`, the mean Poisson divergence of `fitted()` from the true means was 1.9 times that of 50
#' iterations of `"cavi"` after 3 passes, and 1.4 times after 10 passes.
#'
#' With counts in memory, each pass visits the rows in a new random order. With files ([release_shards()]),
#' each pass reads the files in a new random order, and the rows of a file in their order. So rows should not
#' be in a systematic order.
#'
#' 5 % of the rows, at most 100 of those in the first batch, are held out: they do not change the topics.
#' [elbo()] returns a lower bound of their log probability after each pass. (If the data have fewer than 20
#' rows, none are held out, and the bound is that of the first batch.) Each of the starts (`chains`) begins
#' like those of `"cavi"`, with the rows of the first batch. After four batches, the start with the highest
#' bound is kept.
#'
#' A fit to counts in memory has the methods of a fit with `"cavi"`. A fit to files contains the names of the
#' files and the weights of all rows, but no counts. For such a fit, [coef()][ldp_fit-methods], [top_terms()],
#' [tidy()][tidy.ldp_fit], [elbo()], `print()`, `summary()`, `plot()`, `fitted(fit, cells = )` and
#' `predict(fit, newdata)` are available, and other methods throw an error. With `dispersion_by = "row"`, a
#' fit takes 4 kB of memory per row.
#'
#' An interrupt ends the run without a fit, and [update()][update.ldp_fit] cannot continue a run. A new run
#' with `init = fit` starts from the topics of a fit.
#' @section Errors: An error of class `ldpcounts_error` is thrown, before any work is done, for data that are
#'   not counts (a matrix with negative entries is probably a release, which must be declared with
#'   [private_counts()]), for arguments out of range or misspelt, for a run that needs more memory than there
#'   is, and for a `checkpoint` of another call.
#' @section Warnings: A warning is issued for a release whose counts at or below zero contradict its
#'   declared `alpha` (class `ldpcounts_declared_alpha`; see [private_counts()]). Such a release has another
#'   `alpha`, or was clamped but not declared with `clamped = TRUE`, or holds true counts. Another warning is
#'   issued if `k` is larger than both the number of rows and the number of columns (class
#'   `ldpcounts_large_k`). If each chain keeps only one draw, a message says so (class `ldpcounts_one_draw`).
#' @references Hoffman, M. D., Blei, D. M., Wang, C. and Paisley, J. (2013). Stochastic variational inference.
#'   *Journal of Machine Learning Research* 14, 1303--1347, for inference from batches.
#'
#'   Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*, sections 4 and 5; the appendix of its first
#'   version, arXiv 1803.08471v1, for variational inference with augmentation. The collapsed sampler
#'   and the collapsed bound are new in this package.
#' @examples
#' set.seed(1)
#' theta <- matrix(rgamma(40 * 2, 0.5), 40)
#' phi <- matrix(rgamma(2 * 25, 0.5), 2)
#' y <- matrix(rpois(40 * 25, theta %*% phi), 40)
#' released <- privatize(y, epsilon = 1)
#' fit <- topic_model(released, k = 2, iter = 200)
#' fit
#' mae(fitted(fit), y)
#' # ignoring the noise
#' mae(fitted(topic_model(released, k = 2, iter = 200, noise = "ignore")), y)
#' # faster but less accurate
#' mae(fitted(topic_model(released, k = 2, inference = "cavi")), y)
#' @srrstats {G2.0a} expected lengths,
#' @srrstats {G2.1a} and types, are in the help of each argument.
#' @srrstats {BS1.3} iter, warmup, thin, chains and init.
#' @srrstats {BS1.3b} inference and augmentation switch the algorithm.
#' @srrstats {BS2.7} init, for all chains or each.
#' @srrstats {BS2.12} progress.
#' @srrstats {UL2.1} noise = "ignore" clamps, and says so.
#' @srrstats {BS3.0} masked cells are treated as not observed.
#' @srrstats {BS4.0} the samplers' sources are in the references.
#' @srrstats {UL4.0} returns an object of class ldp_fit.
#' @export
topic_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                        dispersion_prior = beta_prior(), dispersion_by = c("all", "row"),
                        prior = gamma_prior(0.3, rate = gamma_prior(1, 1)), groups = NULL,
                        noise = c("model", "ignore"), inference = gibbs(), id = NULL) {
  call <- rlang::current_env()
  check_given(missing(data), "data", call)
  refuse_formula(data, "data", call)
  check_given(missing(k), "k", call)
  dots <- named_dots(..., arguments = c(formals(topic_model), formals(gibbs)), call = call)
  inference <- as_inference(inference, dots, c("gibbs", "cavi", "svi"), names(formals(topic_model)), call)
  in_files <- is_shards(data) && (type_of(inference) == "svi" || !is.null(inference$cluster))
  if (!in_files) data <- given_counts(data, "data", directed = TRUE, id = id, call = call)
  fit_model(topics_model, data, k,
    family = check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, FALSE, call),
    prior = prior, groups = groups, noise = noise, inference = inference, call = call
  )
}
