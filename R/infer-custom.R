# private_gibbs(); the model made from a user's step is in R/model-custom.R.

#' Fit your own model to private counts
#'
#' Samples from the posterior of the parameters of your own Poisson model, given a private release of the
#' counts. You write a function that updates the parameters of your model given true counts, as if there were
#' no noise. The package alternates between this function and draws of the true counts given the release.
#'
#' @details A sweep draws the true counts `y` from their distribution given the release and `mu`, exactly
#' ([rtruecount()]), and then calls `step(state, y)`. If `step` leaves the posterior of your parameters given
#' `y ~ Pois(mu)` invariant, the chain converges to the posterior given the release alone (data augmentation).
#' Gibbs, Metropolis and slice steps leave it invariant. So do exact draws from it, and several such steps in
#' sequence. The means `mu` may depend on covariates, on space or on time, but counts must be Poisson given
#' `mu`. For overdispersed counts (see [which-family]), multiply the mean of each count by a weight of its
#' own, which has a gamma distribution. These weights belong to the state, and `step` has to update them.
#'
#' The distribution of a true count depends on the `alpha` of its row. For all released counts at or below
#' zero, this distribution is the same, `Pois(alpha * mu)`. In a masked cell (`NA`) it is `Pois(mu)`. If there
#' is no noise, as in a plain matrix, `y` is the count itself.
#'
#' For one count per person, as in a regression, use a release with one column, `privatize(cbind(y), epsilon =
#' 1)`. Each person may have their own `epsilon`.
#'
#' @param data Released counts, as a [private_counts()], or true counts, in any of the [objects that hold
#'   counts][data-objects]. Cells that are `NA` are masked, that is, treated as not observed.
#' @param step A function of two arguments: the state that it returned in the previous sweep, and `y`, a
#'   matrix of true counts with the shape and the labels of `data`. It returns `list(state = , mu = )`: the
#'   new state, and the means of all counts at that state. The means must be finite and positive, in a matrix
#'   of the same shape as `data` (or a vector, if `data` has one column). `step` may use R's random number
#'   generator.
#' @param init Where the chains start: a list like those that `step` returns; a list with one such list per
#'   chain; a function without arguments that returns such a list, and is called once per chain, with the
#'   random numbers of that chain; or a fit of `private_gibbs()`, whose last states are used.
#' @param ... Arguments of [gibbs()], such as `iter` and `chains`.
#' @param inference The length of the run, see [gibbs()], whose `scheme`, `init` and `cluster` are not used.
#'   Chains run one after the other in this session. Each kept draw takes 8 bytes per cell (for its mean) and
#'   8 bytes per number in the state.
#' @param id,dims For a data frame: see [privatize()].
#' @param x A fit.
#' @return A [fit][ldp_fit-methods] of class `c("private_gibbs", "ldp_fit_gibbs", "ldp_fit")`. `coef()`
#'   gives the posterior means of the numbers in the state, and `tidy()` a tibble of them with standard
#'   deviations and 95 % intervals. `fitted()`, [augment()][augment.ldp_fit], [log_lik()][log_lik.ldp_fit],
#'   [loo()][loo.ldp_fit], [simulate()][simulate.ldp_fit] and [update()][update.ldp_fit] (with `iter` or
#'   `warmup`) are as for other fits, and so are the plots of types `"trace"`, `"density"`, `"rank"` and
#'   `"predictive"`.
#'
#'   `as.matrix()` has one row per kept draw, chain after chain, and one column per number in the state. If
#'   the state is a numeric vector, its names or indices become column names. If it is a list, all its numeric
#'   elements are recorded: `list(beta = c(1, 2), sigma = 3)` gives columns `beta[1]`, `beta[2]` and `sigma`.
#'   Other elements of the list are passed to the next sweep, but not recorded. The total length of the
#'   numeric elements must be the same in every sweep.
#'
#'   `summary()` returns a list with a table of `parameters` (mean, standard deviation, 95 % interval, R-hat
#'   and effective sample sizes; the log density of the release is in the first row) and a `verdict` in one
#'   sentence. When printed, it also says whether the counts are overdispersed, that is, vary more than your
#'   model allows.
#'
#'   An interrupt (Ctrl-C) ends the run and returns the draws so far, with a warning of class
#'   `ldpcounts_interrupted`. In a script it stops with an error of that class.
#' @inheritSection inference Reproducible
#' @section Errors: `private_gibbs()` stops with an error of class `ldpcounts_error` if data are not counts,
#'   if a release is undirected (the error says what to do instead), if an argument is out of range or
#'   misspelt, and if `init` has another form. It stops with an error of class `ldpcounts_step_error` if
#'   `step` fails, or does not return a state and means of the right shape; the message says in which chain
#'   and sweep this happened.
#' @references Tanner, M. A. and Wong, W. H. (1987). The calculation of posterior distributions by data
#'   augmentation. *Journal of the American Statistical Association* 82. Schein et al. (2019),
#'   section 4, for the same idea with Poisson factorization. The exact draw of true counts
#'   is new in this package.
#' @seealso [dtruecount()] for the distribution of `y`, and [dprivpois()] for the density of a release given
#'   `mu`.
#' @examples
#' # mean visits in three towns, from noised counts; the means have Gamma(1, 0.1) priors
#' set.seed(1)
#' town <- rep(1:3, each = 50)
#' released <- privatize(cbind(visits = rpois(150, 2 * town)), epsilon = 1)
#' # draws of the means given true counts, as there would be without noise
#' step <- function(means, y) {
#'   means <- rgamma(3, 1 + rowsum(y, town), 0.1 + 50)
#'   list(state = means, mu = means[town])
#' }
#' summary(private_gibbs(released, step, init = list(state = 1:3, mu = town), iter = 3000))
#' @export
private_gibbs <- function(data, step, init, ..., inference = gibbs(chains = 1), id = NULL, dims = NULL) {
  call <- rlang::current_env()
  inference <- as_inference(inference, list(...), "gibbs", formals(private_gibbs), call)
  check_given(missing(data), "data")
  refuse_formula(data, "data", call)
  if (!missing(step) && !is.function(step)) {
    abort_argument(step, "step", "a function of a state and true counts", call)
  }
  data <- given_counts(data, "data", id, dims, directed = TRUE)
  input <- model_data(data)
  check_geometric(input$mechanism, rlang::current_env())
  check_declaration(data)
  check_given(missing(step), "step")
  check_given(missing(init), "init")
  starts <- check_own_init(init, input$dim, inference$chains)
  chains <- start_own_chains(starts, input$dim, chain_streams(inference$chains, stats::runif(1)))
  labels <- labels_of(chains[[1]]$factors$state)
  task <- new_task(own_model(step, labels), data, input$dim, 1L, poisson_family, "model", "gibbs", "collapsed",
    input$private, prior = list(), step = step, labels = labels
  )
  run <- plan_run(inference$iter, inference$warmup, inference$thin, inference$chains, call, task)
  run_task(task, input, run, inference$progress, inference$checkpoint, from = lapply(starts, code_of),
    begin = function(sampler, seed) state_with_room(sampler, run, chains),
    goal = new_goal(inference$until, inference$minutes, run$iter, call), call = call
  )
}

# --- where chains start ---------------------------------------------------------------------------

# Returns one start per chain: a function, or a list like those that `step` returns.
check_own_init <- function(init, dim, chains, call = rlang::caller_env()) {
  starts <- if (inherits(init, "private_gibbs")) {
    check_fit(init, call)
    lapply(init$chains, `[[`, "factors")
  } else if (is.function(init) || is_own_value(init)) {
    list(init)
  } else {
    init
  }
  right_number <- inherits(init, "private_gibbs") || length(starts) %in% c(1, chains)
  if (!is.list(starts) || !right_number) {
    came <- if (is.list(init) && !is.object(init)) "a list without these names" else describe(init)
    check_own_start(paste0("It is ", came, "."), dim, call)
  }
  for (start in Filter(Negate(is.function), starts)) {
    check_own_start(own_problem(start, dim), dim, call)
  }
  rep_len(starts, chains)
}

check_own_start <- function(problem, dim, call) {
  check_that(is.null(problem), c(
    "{.arg init} must be {own_value(dim)}; one such list per chain; or a function that returns one.",
    x = "{problem}"
  ), call)
}

start_own_chains <- function(starts, dim, streams, call = rlang::caller_env()) {
  force(call)
  n <- NULL
  started <- function(start) {
    tryCatch(start(), error = function(failure) {
      check_own_start(paste0("It failed: ", conditionMessage(failure)), dim, call)
    })
  }
  Map(function(start, stream, chain) {
    made <- with_stream(stream, if (is.function(start)) started(start) else start)
    check_own_start(own_problem(made$value, dim, n), dim, call)
    factors <- own_draw(made$value, dim)
    n <<- length(factors$numbers)
    new_chain(c(factors, list(sweep = 0, chain = chain)), NULL, made$stream)
  }, starts, streams, seq_along(starts))
}
