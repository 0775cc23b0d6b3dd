# A user's own model, in the form described in R/model-definitions.R. The numbers in the user's state are one
# factor, and `mu`, which the user's `step` returns together with the state, is another. private_gibbs() is in
# R/infer-custom.R.
#
# A sweep draws true counts and calls the step. release_of() returns the data it needs, instead of cells. The
# factors of a chain are
#
#   state, mu    what the step returned last
#   numbers      the numbers in the state, as a column
#   chain, sweep the number of the chain, and of sweeps done, for error messages

# `labels`: labels of the numbers in the state.
own_model <- function(step, labels) {
  list(
    name = "private_gibbs",
    label = "Your own Poisson model",
    component = "component",
    n_modes = 2,
    network = "none",
    factors = c("numbers", "mu"),
    transposed = c(numbers = FALSE, mu = FALSE),
    cells = release_of,
    gibbs = function(cells, chains, prior, n, keep, watch, reflect) {
      lapply(chains, function(chain) {
        ran <- with_stream(chain$stream, own_sweeps(chain$factors, step, cells, n, keep, watch))
        c(ran$value, list(stream = ran$stream))
      })
    },
    no_new_rows = paste(
      "Fit again with {.fn private_gibbs}, with the new counts in the data as NA. Then {.fn fitted} returns",
      "their means, and {.fn augment} their intervals."
    ),
    factor_dim = function(dim, k) list(numbers = c(length(labels), 1), mu = dim),
    mean = function(factors) factors$mu,
    cell_mean = function(factors, cells) factors$mu[cells],
    row_totals = function(factors) rowSums(factors$mu),
    row_bounds = function(factors) apply(factors$mu, 1, max)
  )
}

# The observed cells with their counts and alphas, and a matrix for the true counts of all cells.
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
  draws <- list(
    numbers = array(0, c(length(factors$numbers), 1, length(keep))),
    mu = array(0, c(release$dim, length(keep)))
  )
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
      draws$numbers[, , place] <- factors$numbers
      draws$mu[, , place] <- factors$mu
      log_density[place] <- now
    }
  }
  list(factors = factors, draws = draws, log_density = log_density, log_density_now = now)
}

own_sweep <- function(factors, step, release) {
  factors$sweep <- factors$sweep + 1
  y <- draw_truth(release, factors$mu)
  value <- tryCatch(step(factors$state, y), error = function(failure) {
    abort_step("failed", conditionMessage(failure), factors)
  })
  problem <- own_problem(value, release$dim, length(factors$numbers))
  if (!is.null(problem)) abort_step(paste("must return", own_value(release$dim)), problem, factors)
  replace(factors, c("numbers", "state", "mu"), own_draw(value, release$dim))
}

# Converts the value of a step to the factors of a chain.
own_draw <- function(value, dim) {
  list(
    numbers = matrix(numbers_of(value[["state"]])), state = value[["state"]],
    mu = matrix(as.double(value[["mu"]]), dim[1])
  )
}

abort_step <- function(what, problem, factors) {
  ldp_abort(c("{.arg step} {what}.", x = "{problem}",
    i = "This happened in sweep {factors$sweep} of chain {factors$chain}."
  ), class = "ldpcounts_step_error", call = NULL)
}

# --- what a step returns --------------------------------------------------------------------------

own_value <- function(dim) {
  paste0("list(state = , mu = ), with `mu` finite, positive and ", paste(dim, collapse = " x "))
}

is_own_value <- function(x) is.list(x) && all(c("state", "mu") %in% names(x))

# What is wrong with a value of `step`, in words, or NULL. `n`: how many numbers the state had before.
own_problem <- function(value, dim, n = NULL) {
  if (!is_own_value(value)) {
    return(paste0("It is ", if (is.list(value)) "a list without these names" else describe(value), "."))
  }
  mu <- value[["mu"]]
  shape <- if (is.null(dim(mu)) && 1 %in% dim) length(mu) else dim(mu)
  wanted <- if (length(shape) == 1) prod(dim) else dim
  if (!is.numeric(mu) || !identical(as.double(shape), as.double(wanted))) {
    return(paste0("Its `mu` is ", describe_type(mu), "."))
  }
  bad <- which(!(is.finite(mu) & mu > 0))
  if (length(bad) > 0) {
    cell <- arrayInd(bad[1], dim)
    return(paste0(
      "Its `mu` is not finite and positive in ", count_of(length(bad), "cell"), ", the first in row ",
      cell[1], ", column ", cell[2], "."
    ))
  }
  numbers <- numbers_of(value[["state"]])
  if (!is.null(n) && length(numbers) != n) {
    paste0("Its state has ", count_of(length(numbers), "number"), ", but had ", n, " before.")
  }
}

is_numbers <- function(x) is.numeric(x) || is.logical(x)

# The numeric parts of a state, as a named list.
number_parts <- function(state) {
  if (!is.list(state)) {
    return(if (is_numbers(state)) list(state = state))
  }
  names <- rlang::names2(state)
  names(state) <- ifelse(names == "", paste0("state", seq_along(state)), names)
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
