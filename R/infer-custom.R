# A user's own Poisson model as a model of R/run-chains.R: its one factor are the numbers in the user's
# state, and a sweep draws true counts and calls the user's step. Of a chain, beside the stream,
# `factors` has
#
#   state, mu    what the step returned last
#   numbers      the numbers in the state, a column
#   total        the sum of mu over the kept draws
#   sweep        sweeps done, for errors

#' Your own model of private counts
#'
#' Turns a sampler for true Poisson counts into one for their private release. You write a function
#' that updates the parameters of your model given true counts, as if there were no privacy; the
#' package draws the true counts given the release, and alternates the two.
#'
#' @details
#' A sweep draws the true counts `y` from their law given the release and `mu`, exactly
#' ([rtruecount()]), and calls `step(state, y)`. If `step` leaves the posterior of your parameters given
#' `y ~ Pois(mu)` as it is (a Gibbs, Metropolis or slice step, or several, or an exact draw), the chain
#' has the posterior given the release alone as its law (data augmentation). Nothing else is asked of
#' your model: `mu` may depend on covariates, on space or on time. Its counts must be Poisson given
#' `mu`; for counts in bursts, see [which-family], put a gamma weight for every count into the state.
#'
#' The law of a true count depends on the `alpha` of its row. Behind a release at or below zero it is
#' `Pois(alpha * mu)`, whatever the size of the release, and in a masked cell (`NA`) `Pois(mu)`. Where
#' there is no noise, as in a plain matrix, `y` is the count itself.
#'
#' One count per person, as in a regression, is a release of one column, `privatize(cbind(y), epsilon =
#' 1)`, in which each person may have an `epsilon` of their own.
#'
#' @param data Counts: a [private_counts()], or any of the [objects that hold counts][data-objects], of true
#'   ones. Cells that are `NA` are masked.
#' @param step A function of two arguments: the state, which it returned in the sweep before, and `y`,
#'   a matrix of true counts of the shape of `data`, with its labels. It returns `list(state = , mu = )`:
#'   the new state, and the mean of every count at that state, finite and positive, a matrix of the same
#'   shape (or a vector, where `data` has one column). It may use R's random numbers.
#' @param init Where the chains start: a list like those that `step` returns; a list of such lists, one
#'   per chain; a function without arguments that returns one, which is called once per chain, with
#'   the random numbers of that chain; or a fit of `private_gibbs()`, from its last states.
#' @param ... Must be empty.
#' @param iter,warmup,thin As in [topic_model()].
#' @param chains Independent chains, which take turns in this session.
#' @param progress Show a progress bar with the log density of the release?
#' @param object,x A fit.
#' @return An object of class `private_gibbs`, with methods `print()`, `summary()`, `fitted()` (the
#'   posterior mean of `mu`, a matrix of the shape of `data`), `coef()` (the posterior means of the numbers in
#'   the state), `as.matrix()`, `as_draws_array()`,
#'   `as_draws_matrix()`, `as_draws()`, `as.mcmc.list()` of `coda`, and [update()][update.ldp_fit], which goes
#'   on with it.
#'
#'   `as.matrix()` has a row per kept draw, chain after chain, and a column per number in the state.
#'   The state may be numbers, whose names or indices name the columns, or a list, of which all elements
#'   that are numbers are recorded: `list(beta = c(1, 2), sigma = 3)` gives `beta[1]`, `beta[2]` and
#'   `sigma`. Whatever else is in the state goes along from sweep to sweep. There must be as many
#'   numbers in every sweep.
#'
#'   `summary()` is a list that prints a table of `parameters` (mean, standard deviation, 95 %
#'   interval, R-hat and effective sample sizes), with the log density of the release in its first
#'   row, and a `verdict` in one sentence.
#'
#'   An interrupt (Ctrl-C) ends the run and returns the draws so far, with a warning of class
#'   `ldpcounts_interrupted`. In a script it is an error of that class.
#' @inheritSection topic_model Reproducible
#' @section Errors: of class `ldpcounts_error` for data that are not counts, for an undirected release (the
#'   error says what to do instead), for arguments out of range or misspelt, for an `init` that is no such
#'   list; and of class `ldpcounts_step_error` when `step` fails, or returns anything but a state and means
#'   of the right shape, with the chain and the sweep.
#' @references Tanner, M. A. and Wong, W. H. (1987). The calculation of posterior distributions by data
#'   augmentation. *Journal of the American Statistical Association* 82. Schein et al. (2019),
#'   section 4, for the same idea with Poisson factorization. The exact draw of true counts
#'   is new in this package.
#' @seealso [dtruecount()], the law of `y`; [dprivpois()], the density of a release given `mu`.
#' @examples
#' # A Poisson regression of visits on age, of people who noised their own number of visits
#' set.seed(1)
#' age <- runif(150, -1, 1)
#' visits <- rpois(150, exp(1 + 0.8 * age))
#' released <- privatize(cbind(visits), epsilon = 1)
#'
#' # Metropolis steps for the coefficients, which have N(0, 2^2) priors
#' step <- function(beta, y) {
#'   log_posterior <- function(beta) {
#'     sum(dpois(y, exp(beta[1] + beta[2] * age), log = TRUE)) + sum(dnorm(beta, 0, 2, log = TRUE))
#'   }
#'   for (i in 1:5) {
#'     proposed <- beta + rnorm(2, sd = 0.1)
#'     if (log(runif(1)) < log_posterior(proposed) - log_posterior(beta)) beta <- proposed
#'   }
#'   list(state = beta, mu = exp(beta[1] + beta[2] * age))
#' }
#' init <- list(state = c(intercept = 0, age = 0), mu = rep(1, 150))
#' fit <- private_gibbs(released, step, init, iter = 3000)
#' summary(fit)
#'
#' # what one would get without privacy, and by taking the release, cut at zero, for the truth
#' coef(glm(visits ~ age, family = poisson))
#' coef(glm(pmax(as.matrix(released), 0) ~ age, family = poisson))
#' @export
private_gibbs <- function(data, step, init, ..., iter = 2000, warmup = floor(iter / 2), thin = 1,
                          chains = 1, progress = interactive()) {
  check_no_dots(...)
  check_given(missing(data), "data")
  data <- given_counts(data, "data", directed = TRUE)
  input <- model_data(data)
  check_declaration(data)
  check_given(missing(step), "step")
  check_given(missing(init), "init")
  if (!is.function(step)) {
    abort_argument(step, "step", "a function of a state and true counts",
      rlang::current_env())
  }
  run <- check_run(iter, warmup, thin, chains, call = rlang::current_env())
  progress <- check_flag(progress, "progress")
  release <- release_of(input)
  starts <- check_own_init(init, release, run$chains)
  chains <- start_own_chains(starts, release, chain_streams(run$chains, stats::runif(1)))
  task <- own_task(data, input$private, step, release, labels_of(chains[[1]]$factors$state))
  ran <- run_sweeps(task, run, fresh_state(task, run, chains), progress, NULL)
  new_private_gibbs(task, ran$run, ran$state)
}

# What R/run-chains.R asks of a model and of a task.
own_task <- function(data, private, step, release, labels) {
  model <- list(
    name = "private_gibbs", factors = "numbers", transposed = c(numbers = FALSE),
    factor_dim = function(dim, k) list(numbers = c(length(labels), 1)),
    gibbs = function(cells, factors, noise, prior, n, keep, watch, reflect) {
      own_sweeps(factors, step, release, n, keep, watch)
    }
  )
  list(
    model = model, data = data, private = private, step = step, labels = labels,
    dim = release$dim, cells = NULL, prior = list(), family = poisson_family, reflect = 0,
    log_constant = 0, alone = TRUE
  )
}

# --- the release ----------------------------------------------------------------------------------

# The observed cells with their counts and alphas, and a matrix for the truth behind all of them.
release_of <- function(input) {
  counts <- as_dense(input$counts, "data", NULL)
  storage.mode(counts) <- "double"
  observed <- which(!is.na(counts))
  list(
    dim = dim(counts), counts = counts, observed = observed, masked = which(is.na(counts)),
    y_tilde = counts[observed], alpha = input$alpha[row(counts)[observed]], clamped = input$clamped
  )
}

draw_truth <- function(release, mu) {
  y <- release$counts
  seen <- release$observed
  y[seen] <- rtruecount(length(seen), release$y_tilde, mu[seen], release$alpha)
  y[release$masked] <- stats::rpois(length(release$masked), mu[release$masked])
  y
}

# --- sweeps ---------------------------------------------------------------------------------------

own_sweeps <- function(factors, step, release, n, keep, watch) {
  draws <- array(0, c(length(factors$numbers), 1, length(keep)))
  log_density <- numeric(length(keep))
  now <- NA_real_
  for (i in seq_len(n)) {
    factors <- own_sweep(factors, step, release)
    place <- match(i, keep)
    if (!is.na(place) || (watch && i == n)) {
      seen <- release$observed
      now <- sum(release_density(release$y_tilde, factors$mu[seen], 0, release$alpha, release$clamped))
    }
    if (!is.na(place)) {
      draws[, , place] <- factors$numbers
      log_density[place] <- now
      factors$total <- factors$total + factors$mu
    }
  }
  list(
    factors = factors, draws = list(numbers = draws), log_density = log_density, log_density_now = now
  )
}

own_sweep <- function(factors, step, release) {
  factors$sweep <- factors$sweep + 1
  y <- draw_truth(release, factors$mu)
  value <- tryCatch(step(factors$state, y), error = function(failure) {
    abort_step("failed", conditionMessage(failure), factors)
  })
  problem <- own_problem(value, release, length(factors$numbers))
  if (!is.null(problem)) {
    abort_step(paste("must return", own_value(release)), problem, factors)
  }
  factors[c("numbers", "state", "mu")] <- own_draw(value, release)
  factors
}

# The value of a step as the factors of a chain have it.
own_draw <- function(value, release) {
  list(
    numbers = matrix(numbers_of(value[["state"]])), state = value[["state"]],
    mu = matrix(as.double(value[["mu"]]), release$dim[1])
  )
}

abort_step <- function(what, problem, factors) {
  ldp_abort(c("{.arg step} {what}.", x = "{problem}",
    i = "That was in sweep {factors$sweep} of chain {factors$chain}."
  ), class = "ldpcounts_step_error", call = NULL)
}

# --- what a step returns --------------------------------------------------------------------------

own_value <- function(release) {
  paste0("list(state = , mu = ), with `mu` finite, positive and ", paste(release$dim, collapse = " x "))
}

is_own_value <- function(x) is.list(x) && all(c("state", "mu") %in% names(x))

# What is wrong with a value of `step`, in words; NULL if nothing is. `n`: how many numbers the state had.
own_problem <- function(value, release, n = length(numbers)) {
  if (!is_own_value(value)) {
    return(paste0("It is ", if (is.list(value)) "a list without these names" else describe(value), "."))
  }
  mu <- value[["mu"]]
  shape <- if (is.null(dim(mu)) && 1 %in% release$dim) length(mu) else dim(mu)
  wanted <- if (length(shape) == 1) prod(release$dim) else release$dim
  if (!is.numeric(mu) || !identical(as.double(shape), as.double(wanted))) {
    return(paste0("Its `mu` is ", describe_type(mu), "."))
  }
  bad <- which(!(is.finite(mu) & mu > 0))
  if (length(bad) > 0) {
    cell <- arrayInd(bad[1], release$dim)
    return(paste0(
      "Its `mu` is not finite and positive in ", count_of(length(bad), "cell"), ", the first in row ",
      cell[1], ", column ", cell[2], "."
    ))
  }
  numbers <- numbers_of(value[["state"]])
  if (length(numbers) != n) {
    paste0("Its state has ", count_of(length(numbers), "number"), ", and had ", n, " before.")
  }
}

is_numbers <- function(x) is.numeric(x) || is.logical(x)

# The parts of a state that are numbers: a named list of them.
number_parts <- function(state) {
  if (!is.list(state)) {
    return(if (is_numbers(state)) list(state = state))
  }
  if (is.null(names(state))) names(state) <- rep("", length(state))
  unnamed <- names(state) == ""
  names(state)[unnamed] <- paste0("state", seq_along(state))[unnamed]
  Filter(is_numbers, as.list(state))
}

numbers_of <- function(state) as.double(unlist(number_parts(state), use.names = FALSE))

labels_of <- function(state) {
  if (!is.list(state) && is_numbers(state) && !is.null(names(state))) {
    return(names(state))
  }
  parts <- number_parts(state)
  as.character(unlist(Map(label_numbers, parts, names(parts)), use.names = FALSE))
}

label_numbers <- function(x, name) {
  index <- if (length(dim(x)) > 1) {
    apply(arrayInd(seq_along(x), dim(x)), 1, paste, collapse = ",")
  } else if (is.null(names(x))) {
    seq_along(x)
  } else {
    names(x)
  }
  if (length(x) == 1 && is.null(names(x)) && is.null(dim(x))) name else sprintf("%s[%s]", name, index)
}

# --- where chains start ---------------------------------------------------------------------------

# One per chain: a function, or a list that a step might have returned.
check_own_init <- function(init, release, chains, call = rlang::caller_env()) {
  starts <- if (inherits(init, "private_gibbs")) {
    check_own_fit(init, call)
    lapply(init$chains, `[[`, "factors")
  } else if (is.function(init) || is_own_value(init)) {
    list(init)
  } else {
    init
  }
  right_number <- inherits(init, "private_gibbs") || length(starts) %in% c(1, chains)
  if (!is.list(starts) || !right_number) {
    abort_own_init(paste0("It is ", describe(init), "."), release, call)
  }
  for (start in starts) {
    problem <- if (!is.function(start)) own_problem(start, release)
    if (!is.null(problem)) abort_own_init(problem, release, call)
  }
  rep_len(starts, chains)
}

abort_own_init <- function(problem, release, call) {
  ldp_abort(c(
    "{.arg init} must be {own_value(release)}; such lists, one per chain; or a function that returns one.",
    x = "{problem}"
  ), class = "ldpcounts_argument_error", call = call)
}

start_own_chains <- function(starts, release, streams, call = rlang::caller_env()) {
  force(call)
  n <- NULL
  Map(function(start, stream, chain) {
    made <- with_stream(stream, if (is.function(start)) {
      tryCatch(start(), error = function(failure) {
        abort_own_init(paste0("It failed: ", conditionMessage(failure)), release, call)
      })
    } else {
      start
    })
    problem <- if (is.null(n)) own_problem(made$value, release) else own_problem(made$value, release, n)
    if (!is.null(problem)) abort_own_init(problem, release, call)
    factors <- own_draw(made$value, release)
    n <<- length(factors$numbers)
    list(factors = c(factors, list(total = 0, sweep = 0, chain = chain)), stream = made$stream)
  }, starts, streams, seq_along(starts))
}

# --- what comes of it -----------------------------------------------------------------------------

new_private_gibbs <- function(task, run, state) {
  structure(
    c(
      task[c("data", "private", "step", "labels")],
      list(noise = "model", run = run[setdiff(names(run), "planned")]),
      state[c("draws", "log_density", "chains", "seconds")], list(version = FIT_VERSION)
    ),
    class = "private_gibbs"
  )
}

#' @rdname update.ldp_fit
#' @export
update.private_gibbs <- function(object, ..., iter, progress = interactive()) {
  check_no_dots(...)
  check_own_fit(object)
  check_given(missing(iter), "iter")
  iter <- check_whole(iter, "iter", 1)
  progress <- check_flag(progress, "progress")
  old <- object$run
  run <- check_run(old$iter + iter, old$warmup, old$thin, old$chains, call = rlang::current_env())
  release <- release_of(model_data(object$data))
  task <- own_task(object$data, object$private, object$step, release, object$labels)
  ran <- run_sweeps(task, run, state_of_fit(object, task, run), progress, NULL)
  new_private_gibbs(task, ran$run, ran$state)
}

#' @rdname private_gibbs
#' @export
fitted.private_gibbs <- function(object, ...) {
  check_no_dots(...)
  check_own_fit(object)
  part <- if (isTRUE(object$run$provisional)) "mu" else "total"
  sums <- lapply(object$chains, function(chain) chain$factors[[part]])
  `dimnames<-`(Reduce(`+`, sums) / n_draws(object), dimnames(object$data))
}

#' @rdname private_gibbs
#' @export
as.matrix.private_gibbs <- function(x, ...) {
  check_no_dots(...)
  check_own_fit(x)
  matrix(x$draws$numbers, n_draws(x), length(x$labels), byrow = TRUE, dimnames = list(NULL, x$labels))
}

#' @rdname private_gibbs
#' @export
coef.private_gibbs <- function(object, ...) {
  check_no_dots(...)
  colMeans(as.matrix(object))
}

#' @rdname private_gibbs
#' @export
as_draws_array.private_gibbs <- function(x, ...) {
  check_no_dots(...)
  stack_chains(as.matrix(x), x$run)
}

#' @rdname private_gibbs
#' @export
as_draws_matrix.private_gibbs <- function(x, ...) posterior::as_draws_matrix(as_draws_array(x, ...))

#' @rdname private_gibbs
#' @export
as_draws.private_gibbs <- function(x, ...) as_draws_array(x, ...)

#' @rdname private_gibbs
#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.private_gibbs <- function(x, ...) {
  check_no_dots(...)
  as_mcmc_list(as.matrix(x), x$run)
}
