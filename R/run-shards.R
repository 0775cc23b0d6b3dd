# Gibbs sampling over shards of rows, on the workers of a cluster. Each worker has some rows of the data, and
# draws the factors of these rows (R/run-shard_worker.R). The other factors depend on sums over rows, which
# the root combines. They are drawn by each worker in the same way, so that they need not be sent. A run draws
# the same as without shards, to the last bit.
#
# In the state of a run over shards (R/run-chains.R), a chain has a `key` instead of the parts that belong to
# rows and the noise; the workers have these parts under this key. Kept draws do not have them either.
#
# The field `shards` of a task has the fields of open_processes() (R/run-processes.R), and:
#
#   id        the name of the run on the workers
#   rows      for each worker the numbers of its rows
#   cells     for each worker the number of its active cells
#   of_rows   the names of the parts that belong to rows
#   dim       the shapes of these parts as stored
#   order     the names of all factors of a chain
#   mailbox   the folder of large messages, or NULL (R/run-mail.R)

# Rows of the data are divided in parts of this size, LDP_PART in src/ldp_team.h.
ROWS_PER_PART <- 16

# Contiguous rows for n workers, about the same number of active cells for each. Borders are those of parts. A
# worker with rows has two parts or more, so that it never has a single row.
divide_rows <- function(n_active, n) {
  n_rows <- length(n_active)
  ends <- unique(pmin(seq_len(max(1, n_rows %/% (2 * ROWS_PER_PART))) * 2 * ROWS_PER_PART, n_rows))
  ends[length(ends)] <- n_rows
  work <- cumsum(as.double(n_active) + ROWS_PER_PART)[ends]
  share <- ceiling(work / work[length(work)] * n - 1e-9)
  border <- c(0, vapply(seq_len(n), function(i) max(0, ends[share <= i]), 0))
  lapply(seq_len(n), function(i) seq_len(border[i + 1] - border[i]) + border[i])
}

# --- opening and closing --------------------------------------------------------------------------

# The task with its data on the workers. `processes`: of open_processes(). If the data are in files, each
# worker reads its rows.
open_shards <- function(task, input, processes) {
  of_rows <- row_parts(task)
  shapes <- kept_shapes(task, task$dim)
  n_active <- if (is.null(input$counts)) rep(1, task$dim[1]) else diff(task$cells$active$start)
  rows <- divide_rows(n_active, processes$n)
  shards <- c(processes, list(
    id = paste0("run", Sys.getpid(), "-", rlang::hash(proc.time())), rows = rows, of_rows = of_rows,
    dim = shapes[of_rows], order = names(shapes), mailbox = processes$new_mailbox()
  ))
  parts <- lapply(seq_along(rows), function(i) {
    rows <- rows[[i]]
    before <- if (length(rows) > 0) rows[1] - 1 else 0
    data <- if (is.null(input$counts)) {
      list(files = task$data, rows = rows)
    } else {
      list(counts = input$counts[rows, , drop = FALSE])
    }
    shard <- as.integer(c(before, task$dim[1]))
    c(data, list(alpha = input$alpha[rows], shard = shard, mailbox = shards$mailbox, sender = i))
  })
  task["cells"] <- list(NULL)
  opened <- shards$call(begin_shard, parts, shards$id, task[c("model", "reflect", "family", "bessel")])
  opened <- shards$gather(opened)
  shards$cells <- vapply(opened, `[[`, 0, "cells")
  table <- Reduce(`+`, lapply(opened, `[[`, "table"))
  n_groups <- if ("excess" %in% of_rows) task$dim[1] else 1 + sum(diff(input$alpha) != 0)
  quick <- .Call(C_rc_quick_rows, table, as.double(n_groups))
  shards$call(set_quick, rep(list(quick), processes$n), shards$id)
  task$shards <- shards
  if (is.null(input$counts)) known_from_files(task, input, opened) else task
}

# The task with what add_cells() and level_of() compute from counts in memory.
known_from_files <- function(task, input, opened) {
  below <- lapply(c(cells = "cells", size = "size"), function(of) {
    unlist(lapply(opened, function(shard) shard$below[[of]]))
  })
  total <- function(of) sum(vapply(opened, `[[`, 0, of))
  task$log_constant <- log_constant_of(below, input$alpha, input$clamped)
  n_observed <- prod(as.double(task$dim)) - total("missing")
  task$level <- mean_level(total("positive") - sum(below$size), n_observed, input)
  task$n_observed <- n_observed
  task
}

close_shards <- function(shards) {
  unlink(shards$mailbox, recursive = TRUE)
  if (!shards$keys$calling) {
    tryCatch(shards$call(same_on_all(end_shard), shards$rows, shards$id), error = function(failure) NULL)
  }
}

# A function that does not need anything of its own for each worker. Unless f is evaluated here, it is sent
# with the frame of the caller, and so with all data.
same_on_all <- function(f) {
  force(f)
  function(each, ...) f(...)
}

new_keys <- function(shards, n) {
  shards$keys$n <- shards$keys$n + n
  paste0("k", shards$keys$n - n + seq_len(n))
}

# The released counts of these cells, as look_up() returns them.
counts_on_shards <- function(shards, cells) {
  counts <- numeric(nrow(cells))
  each <- rep(list(cells), length(shards$rows))
  for (found in shards$gather(shards$call(look_up, each, shards$id))) counts[found$at] <- found$counts
  counts
}

# --- chains on the workers ------------------------------------------------------------------------

# The dimension of a part that belongs to rows, as stored, in which these are.
row_margin <- function(name) if (name == "excess") 1L else 2L

# The places of these rows in the matrix x of a part, or in an array of its draws.
row_places <- function(name, x, rows) {
  replace(rep(list(TRUE), length(dim(x))), row_margin(name), list(rows))
}

take_rows <- function(parts, rows) {
  Map(function(x, name) {
    do.call(`[`, c(list(x), row_places(name, x, rows), drop = FALSE))
  }, parts, names(parts))
}

# Parts of all workers as one matrix, or one array of draws.
join_rows <- function(parts, name, shards) {
  whole <- array(0, replace(dim(parts[[1]]), row_margin(name), shards$dim[[name]][row_margin(name)]))
  for (i in seq_along(parts)) {
    places <- row_places(name, whole, shards$rows[[i]])
    whole <- do.call(`[<-`, c(list(whole), places, list(value = parts[[i]])))
  }
  whole
}

# Sends the parts of chains that belong to rows. `draws`: for each chain its kept draws of these parts.
send_chains <- function(chains, shards, draws = NULL) {
  keys <- new_keys(shards, length(chains))
  last <- cumsum(shards$cells)
  each <- lapply(seq_along(shards$rows), function(i) {
    rows <- shards$rows[[i]]
    own <- function(noise) lapply(noise, `[`, last[i] - shards$cells[i] + seq_len(shards$cells[i]))
    states <- lapply(seq_along(chains), function(c) {
      list(
        rows = take_rows(chains[[c]]$factors[shards$of_rows], rows),
        noise = if (!is.null(chains[[c]]$noise)) own(chains[[c]]$noise),
        draws = if (!is.null(draws)) list(take_rows(draws[[c]], rows))
      )
    })
    stats::setNames(states, keys)
  })
  shards$call(put_states, each, shards$id)
  Map(function(chain, key) {
    chain$factors[shards$of_rows] <- NULL
    chain["noise"] <- list(NULL)
    replace(chain, "key", key)
  }, chains, keys)
}

keys_of <- function(chains) vapply(chains, `[[`, "", "key", USE.NAMES = FALSE)

# Fetches what send_chains() sent, as list(chains, draws).
fetch_chains <- function(chains, shards) {
  found <- shards$gather(shards$call(same_on_all(get_states), shards$rows, keys_of(chains), shards$id))
  join <- function(c, what) {
    names <- stats::setNames(nm = names(found[[1]][[c]][[what]]))
    lapply(names, function(name) {
      join_rows(lapply(found, function(of) of[[c]][[what]][[name]]), name, shards)
    })
  }
  whole <- lapply(seq_along(chains), function(c) {
    chain <- chains[[c]]
    chain$factors <- c(join(c, "rows"), chain$factors)[shards$order]
    noise <- lapply(found, function(of) of[[c]]$noise)
    if (!is.null(noise[[1]])) chain$noise <- do.call(Map, c(list(base::c), noise))
    chain$key <- NULL
    chain
  })
  list(chains = `names<-`(whole, names(chains)), draws = lapply(seq_along(chains), join, "draws"))
}

# --- the state of a run ---------------------------------------------------------------------------

# Sends what belongs to rows, and drops it from the state. The draws of each chain are one after another.
spread_state <- function(state, task, run) {
  shards <- task$shards
  draws <- lapply(seq_len(run$chains), function(c) {
    kept <- (c - 1) * run$kept + seq_len(state$kept)
    lapply(state$draws[shards$of_rows], function(x) x[, , kept, drop = FALSE])
  })
  state$chains <- send_chains(state$chains, shards, if (state$kept > 0) draws)
  if (!is.null(state$race)) state$race$racers <- send_chains(state$race$racers, shards)
  state$draws[shards$of_rows] <- NULL
  state
}

# The same state as of a run without shards; an error after an interrupt that the cluster does not survive.
whole_state <- function(state, task, run) {
  shards <- task$shards
  check_that(!shards$keys$calling, c(
    "Interrupted while the workers of {.arg cluster} were at work.",
    i = "Stop them with {.fn parallel::stopCluster}. If the call has a {.arg checkpoint}, repeat it with a new
        cluster to continue from there."
  ), NULL, class = "ldpcounts_interrupted")
  fetched <- fetch_chains(state$chains, shards)
  state$chains <- fetched$chains
  if (!is.null(state$race)) state$race$racers <- fetch_chains(state$race$racers, shards)$chains
  for (name in shards$of_rows) {
    state$draws[[name]] <- array(0, c(shards$dim[[name]], run$kept * run$chains))
    for (c in seq_len(run$chains * (state$kept > 0))) {
      state$draws[[name]][, , (c - 1) * run$kept + seq_len(state$kept)] <- fetched$draws[[c]][[name]]
    }
  }
  state$draws <- state$draws[shards$order]
  state
}

hold_keys <- function(state, shards) {
  shards$keys$held <- unique(keys_of(c(state$chains, state$race$racers)))
}

# --- sweeps ---------------------------------------------------------------------------------------

# Like the function `gibbs` of a model (R/model-interface.R). Chains that are not on the workers are sent, and
# fetched after the sweeps.
advance_shards <- function(task, chains, n, keep, watch) {
  shards <- task$shards
  is_here <- is.null(chains[[1]]$key)
  if (is_here) chains <- send_chains(chains, shards)
  keys <- keys_of(chains)
  after <- new_keys(shards, length(chains))
  shared <- lapply(chains, `[`, c("factors", "seeds"))
  living <- union(shards$keys$held, keys)
  made <- run_block(shards, shared, shards$id, shared, keys, after, living, task$prior, n, keep, watch)
  made <- Map(replace, made, "key", after)
  if (is_here) fetch_chains(made, shards)$chains else made
}

# `...`: the arguments of begin_block(). The first worker returns the results.
run_block <- function(shards, chains, ...) {
  files <- mail_files(shards$mailbox, 0, length(chains))
  found <- shards$call(begin_block, as.list(shards$speaks), ...)
  repeat {
    while (any(busy <- vapply(found, is.null, TRUE))) {
      found[busy] <- shards$call(continue_block, vector("list", sum(busy)), shards$id, on = which(busy))
    }
    if (!is.null(found[[1]]$made)) {
      return(found[[1]]$made)
    }
    messages <- lapply(seq_along(chains), function(c) {
      of_chain <- lapply(found, function(of) of$messages[[c]])
      if (!is.null(of_chain[[1]])) shards$combine(of_chain, files[c])
    })
    found <- shards$call(continue_block, rep(list(messages), length(found)), shards$id)
  }
}
