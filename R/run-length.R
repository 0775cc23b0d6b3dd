# The plan of a run: its length, which draws are kept, how its chains start, which scheme it uses, and how
# much memory it needs.

# How long a run is, and what it keeps; of variational inference, what a fit reports instead.
#
#   iter           sweeps of each chain; the largest number of iterations, or the number of passes
#   chains         the number of chains, or of starts while they run
#   kept           draws kept of each chain
#   warmup         sweeps whose draws are not kept
#   thin           every `thin`-th sweep after the warmup is kept
#   race           how starts compete, see plan_race()
#   wanted         of an interrupted run: `iter` as it was asked for,
#   provisional    and TRUE if no draw had been kept, so that the fit has the last state of each chain
#   batch          of svi(): the number of rows of a batch,
#   tried          and how many starts were compared
#   starts         of a variational fit: the number of its starts,
#   passes         and of the iterations of the best one
#   dropped        of a fit: the number of chains that subset() left out
new_run <- function(iter, chains, kept, warmup = 0L, thin = 1L, race = NULL, wanted = NULL,
                    provisional = NULL, batch = NULL, tried = NULL, starts = NULL, passes = NULL,
                    dropped = NULL) {
  Filter(Negate(is.null), list(
    iter = iter, warmup = warmup, thin = thin, chains = chains, kept = kept, race = race, wanted = wanted,
    provisional = provisional, batch = batch, tried = tried, starts = starts, passes = passes, dropped = dropped
  ))
}

# The run of gibbs() with these arguments, which are checked. `warmup`: NULL for half of `iter`; `thin`: NULL keeps
# all draws of this task, but at most DRAWS_BYTES of them, and at least LEAST_KEPT draws per chain, because
# convergence could not be judged with fewer. `race`: TRUE to plan one, or a plan.
plan_run <- function(iter, warmup, thin, chains, call, task = NULL, race = FALSE) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- if (is.null(warmup)) iter %/% 2L else check_whole(warmup, "warmup", 0, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  after <- iter - warmup
  check_that(after > 0, c(
    "{.arg iter} must be larger than {.arg warmup}, because it includes the sweeps of the warmup.",
    x = "They are {iter} and {warmup}."
  ), call)
  if (is.null(thin)) {
    bytes <- if (is.null(task)) 0 else 8 * n_weights(task)
    thin <- max(1, min(ceiling(as.double(after) * chains * bytes / DRAWS_BYTES), after %/% LEAST_KEPT))
  }
  thin <- check_whole(thin, "thin", 1, call = call)
  kept <- after %/% thin
  check_that(kept >= 1, c(
    "{.arg thin} must not be larger than {after}, the number of sweeps after the warmup.", x = "It is {thin}."
  ), call)
  in_all <- kept * as.double(chains)
  check_that(in_all <= .Machine$integer.max, c(
    "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
    x = "They keep {in_all}."
  ), call)
  if (isTRUE(race)) race <- plan_race(task$model, task$k, warmup)
  new_run(iter, chains, kept, warmup, thin, if (is.list(race)) race)
}

# When a run may end that goes on until it is enough; NULL without `until`.
#
#   ess      the effective draws that are wanted
#   minutes  how long the run goes on at most: by default LONGEST_MINUTES
#   ends     when that time is over, by now()
#   least    the sweeps that are done in any case
new_goal <- function(until, minutes, least, call) {
  check_that(is.null(minutes) || !is.null(until), "{.arg minutes} needs {.arg until}.", call)
  if (is.null(until)) {
    return(NULL)
  }
  minutes <- if (is.null(minutes)) LONGEST_MINUTES else check_positive(minutes, "minutes", call)
  ess <- check_whole(until, "until", 1, call = call)
  list(ess = ess, minutes = minutes, ends = now() + 60 * minutes, least = least)
}

LONGEST_MINUTES <- 5

DRAWS_BYTES <- 2e9
LEAST_KEPT <- 100L

# Plans the race in which each chain chooses its start (R/run-starts.R), from `race` of the model and the
# warmup. If the first leg would be too short to distinguish starts, the number of starts is halved, and the
# first two legs are merged; NULL if even a single leg would be too short.
plan_race <- function(model, k, warmup) {
  starts <- model$race$starts
  legs <- min(warmup, LONGEST_RACE) * model$race$legs
  while (length(legs) > 1 && legs[1] < SHORTEST_LEG) {
    starts <- starts / 2
    legs <- c(legs[1] + legs[2], legs[-(1:2)])
  }
  if (k > 1 && length(legs) > 0 && legs[1] >= SHORTEST_LEG) {
    list(starts = as.integer(starts), legs = as.integer(floor(legs)))
  }
}

SHORTEST_LEG <- 30
# For warmups above this, legs are not made longer, because starts can be distinguished well enough.
LONGEST_RACE <- 2000

# --- the scheme -----------------------------------------------------------------------------------

# The scheme that scheme = "auto" stands for: "tokens" if it is predicted to give effective draws clearly
# faster. This depends on the data and the length of the run only, so a seed has the same results everywhere.
choose_scheme <- function(task, input, run) {
  if (task$scheme != "auto") {
    return(task$scheme)
  }
  if (is.null(input$counts) || !is_noised(input) || !is.null(input$mechanism) || is_by_column(task$family)) {
    return("collapsed")
  }
  cost <- scheme_costs(task, input, run)
  if (cost[["tokens"]] * CLEARLY < cost[["collapsed"]]) "tokens" else "collapsed"
}

CLEARLY <- 1.5

# Sweeps of tables with fewer positive cells take no time worth saving. Overdispersed counts by tokens reserve
# 24 bytes per cell, too much for larger tables.
SMALL_TABLE <- 50000
LARGE_TABLE <- 1e8

# About how many nanoseconds a sweep takes in both schemes, per effective sweep of the collapsed scheme
# (bench/tokens.R). Latent counts at cells at or below zero make chains mix more slowly, by a factor of about
# 1 + alpha^2.
scheme_costs <- function(task, input, run) {
  values <- stored_values(input$counts)
  alpha <- input$alpha
  k <- task$k
  columns <- ncol(input$counts)
  positive <- sum(values > 0, na.rm = TRUE)
  n <- n_cells(input$counts) - sum(is.na(values))
  spread <- task$family$name != "poisson"
  if (positive < SMALL_TABLE || (spread && n > LARGE_TABLE)) {
    return(c(collapsed = positive, tokens = Inf))
  }
  noise <- mean(noise_variance(alpha))
  # two standard errors above the estimate
  counts <- n * mean_count(sum(values, na.rm = TRUE), n, input, 0) + 2 * sqrt(n * noise)
  excess <- if (spread) expected_excess(task$family, values, n, counts / n, noise)
  alone <- 100 + 3 * k # a cell that is drawn alone
  of_tokens <- vapply(unique(alpha), function(level) {
    each <- counts / nrow(input$counts)
    by_tokens <- if (level == 0) {
      Inf
    } else if (spread) {
      cost_of_events(each, excess, level, columns, alone)
    } else {
      16 * each / level
    }
    sum(alpha == level) * min(by_tokens, columns * alone)
  }, 0)
  visits <- (run$iter - run$warmup) / (run$thin * run$iter) * positive * (8 + 0.25 * k)
  weights <- n_weights(task)
  of_positive <- positive * (6 + 0.3 * k + 10 * spread) + counts * (15 + 0.6 * k + 75 * spread)
  c(
    collapsed = visits + 40 * weights + of_positive,
    tokens = (1 + mean(alpha^2)) *
      (visits + 25 * weights + sum(of_tokens) + 1500 * nrow(input$counts) + 10 * k * columns)
  )
}

# The excess of the dispersion by moments, which is too large if means differ between cells. (That of clamped
# releases, whose moments are others, is smaller.)
expected_excess <- function(family, values, n, mean, noise) {
  if (!is.null(family$dispersion)) {
    return(max(family$dispersion - 1, 1e-6))
  }
  variance <- sum(values^2, na.rm = TRUE) / n - mean^2
  max((variance - noise) / mean - 1, 0.1)
}

# The cost of the events of a row, with `counts` true counts, and of its cells that are drawn alone, see
# src/ldp_nbinom1.c.
cost_of_events <- function(counts, excess, alpha, columns, alone) {
  p <- excess / (1 + excess)
  z <- alpha * p
  largest <- 0:16
  power <- (p / alpha)^largest
  intensity <- cumsum(c(0, power[-1] / largest[-1])) + power * z / ((1 - z) * (largest + 1))
  of_noise <- alpha^(largest + 1) / (1 + alpha)
  of_counts <- min(1, counts / columns) * max(p, alpha)^largest
  min(65 * counts / excess * intensity + alone * columns * pmin(1, of_noise + of_counts))
}

# --- memory ---------------------------------------------------------------------------------------

# The number of bytes that a run needs, by purpose.
memory_needed <- function(task, input, run) {
  factors <- n_weights(task)
  if (is.null(input$counts)) { # they are in files, and the cells on workers
    draws <- 8 * factors * run$kept * run$chains
    return(c(draws = draws, cells = 0, chains = 24 * factors * run$chains))
  }
  values <- stored_values(input$counts)
  missing <- n_missing(input$counts)
  cavi <- task$inference != "gibbs"
  augmented <- task$scheme %in% c("bessel", "delta")
  all_active <- augmented || !is.null(input$mechanism)
  active <- if (all_active) n_cells(input$counts) - missing else sum(values > 0, na.rm = TRUE)
  starts <- run$chains * max(1, run$race$starts)
  at_once <- min(n_threads(), starts)
  # besides, each thread has counts and exposures of the columns, or of the actors of a network
  network <- task$model$network != "none"
  columns <- if (network) factors else 2 * (factors - prod(task$model$factor_dim(input$dim, task$k)[[1]]))
  # for each start of CAVI: shapes, rates and counts; while it runs, a copy, means, and some draws; for each
  # chain (or each of its starts): the factors and two copies; for each chain that runs: exposures
  of_factors <- if (cavi) 4 * starts + 20 else 3 * starts + at_once
  of_threads <- if (cavi || !has_kernel(task$model)) 0 else n_threads() * columns
  # for each chain that runs at the moment, the counts above 1
  above <- if (is_estimated(task$family) && !cavi && !augmented) 3 * sum(values > 1, na.rm = TRUE) else 0
  of_noise <- if (augmented) 6 * active * starts else 0
  c(
    draws = 8 * factors * run$kept * if (cavi) 1 else run$chains,
    # column, count and transpose; row and column of a missing cell; by tokens, a byte for each cell, after
    # column and count were listed
    cells = if (task$scheme == "tokens") n_cells(input$counts) + 12 * active else 16 * active + 8 * missing,
    chains = 8 * (factors * of_factors + of_threads + above * at_once + of_noise)
  )
}

check_memory <- function(task, input, run, free = memory_free(), call = rlang::caller_env()) {
  needed <- memory_needed(task, input, run)
  sizes <- vapply(needed, format_bytes, "")
  check_free_memory(sum(needed), "The run", paste0(
    "Kept draws would take ", sizes[["draws"]], " (a larger {.arg thin} keeps fewer), the cells ",
    sizes[["cells"]], ", the chains ", sizes[["chains"]], "."
  ), call, free)
  needed
}

# Says how long the run is, and how much memory it needs.
announce <- function(task, run, memory, goal = NULL) {
  cavi <- task$inference == "cavi"
  length <- if (cavi) {
    paste(count_of(run$chains, "start"), "of at most", count_of(run$iter, "iteration"))
  } else {
    paste0(
      count_of(run$chains, "chain"), " of ", count_of(run$iter, "sweep"),
      if (!is.null(goal)) paste(" or more, until there are", goal$ess, "effective draws")
    )
  }
  k <- if (length(task$prior) > 0) paste0(", k = ", task$k)
  kept <- if (cavi) run$kept else run$kept * run$chains
  sizes <- vapply(memory, format_bytes, "")
  cli::cli_inform(c(
    i = "{task$model$label}, {paste(task$dim, collapse = ' x ')}{k}: {length}.",
    i = paste(
      "The {kept} kept draw{?s} of the factors will take {sizes[['draws']]} of memory, the cells",
      "{sizes[['cells']]}, the chains {sizes[['chains']]}."
    )
  ))
}
