# Gibbs sampling over shards of rows, on the workers of a cluster. Each worker has some rows of the data, and
# draws the factors of these rows. The other factors depend on sums over rows, which the root combines. They
# are drawn by each worker in the same way, so that they need not be sent. A run draws the same as without
# shards, to the last bit.
#
# In the state of a run over shards, a chain has a `key` instead of the parts that belong to rows and the
# noise; the workers have these parts under this key. Kept draws do not have them either. A state on a worker
# is not changed when its chain continues: the chain has another key then. So a block that was interrupted can
# be repeated.

# The data of a run on the workers, as the root sees them: the fields of new_processes(), and these.
#
#   processes    of open_processes()
#   id           the name of the run on the workers
#   rows         for each worker the numbers of its rows
#   n_active     for each worker the number of its active cells
#   of_rows      the names of the parts of a chain that belong to rows, see row_parts()
#   shapes       the shapes of all parts, as stored
new_shards <- function(processes, id, rows, n_active, of_rows, shapes) {
  c(processes, list(id = id, rows = rows, n_active = n_active, of_rows = of_rows, shapes = shapes))
}

# The length of a block of sweeps in seconds: factors are sent to the workers for each.
SHARD_SECONDS <- 10

# The names of the factors that have a line per row: the first factor, and dispersions of rows.
row_parts <- function(task) c(task$model$factors[1], if (identical(task$family$by, "row")) "excess")

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

# A sampler whose data are on the workers. If the data are in files, each worker reads its rows. `processes`:
# of open_processes(). `sampler`: for counts in memory, the one in this process.
open_shards <- function(task, input, sampler, processes) {
  in_files <- is.null(sampler)
  scheme <- if (in_files) task$scheme else scheme_of_cells(task, input)
  equal <- in_files || scheme == "tokens"
  rows <- divide_rows(if (equal) rep(1, task$dim[1]) else diff(sampler$cells$active$start), processes$n)
  id <- paste0("run", Sys.getpid(), "-", rlang::hash(proc.time()))
  of_rows <- row_parts(task)
  parts <- lapply(seq_along(rows), function(i) {
    mine <- rows[[i]]
    before <- if (length(mine) > 0) mine[1] - 1 else 0
    new_part(if (in_files) task$data else input$counts[mine, , drop = FALSE], mine, input$alpha[mine],
      shard = as.integer(c(before, task$dim[1])), mailbox = processes$mailbox, sender = i
    )
  })
  opened <- processes$call(begin_shard, parts, id, task$model, of_rows, scheme)
  total <- function(name) sum(vapply(opened, `[[`, 0, name))
  table <- Reduce(`+`, lapply(opened, `[[`, "table"))
  n_groups <- if ("excess" %in% of_rows) task$dim[1] else 1 + sum(diff(input$alpha) != 0)
  quick <- .Call(C_rc_quick_rows, table, as.double(n_groups))
  processes$call(set_quick, rep(list(quick), processes$n), id)
  shards <- new_shards(processes, id, rows,
    n_active = vapply(opened, `[[`, 0, "n_active"), of_rows = of_rows, shapes = kept_shapes(task)
  )
  if (!in_files) {
    return(replace(sampler, c("cells", "shards"), list(NULL, shards)))
  }
  below <- lapply(c(cells = "cells", size = "size"), function(of) {
    unlist(lapply(opened, function(shard) shard$below[[of]]))
  })
  n_observed <- prod(as.double(task$dim)) - total("missing")
  new_sampler(task, input, NULL,
    n_active = total("n_active"), log_constant = log_constant_of(below, input$alpha, input$clamped),
    n_observed = n_observed, shards = shards,
    mean_count = mean_count(total("positive") - sum(below$size), n_observed, input)
  )
}

close_shards <- function(shards) {
  unlink(shards$mailbox, recursive = TRUE)
  if (!shards$keys$calling) {
    tryCatch(shards$call(same_on_all(end_shard), shards$rows, shards$id), error = function(failure) NULL)
  }
  shards$close()
}

# A function that does not need anything of its own for each worker. Unless f is evaluated here, it is sent
# with the frame of the caller, and so with all data.
same_on_all <- function(f) {
  force(f)
  function(each, ...) f(...)
}

# The released counts of these cells, as look_up() returns them.
counts_on_shards <- function(shards, cells) {
  counts <- numeric(nrow(cells))
  each <- rep(list(cells), length(shards$rows))
  for (found in shards$call(look_up, each, shards$id)) counts[found$at] <- found$counts
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
  whole <- array(0, replace(dim(parts[[1]]), row_margin(name), shards$shapes[[name]][row_margin(name)]))
  for (i in seq_along(parts)) {
    places <- row_places(name, whole, shards$rows[[i]])
    whole <- do.call(`[<-`, c(list(whole), places, list(value = parts[[i]])))
  }
  whole
}

new_keys <- function(shards, n) {
  shards$keys$n <- shards$keys$n + n
  paste0("k", shards$keys$n - n + seq_len(n))
}

keys_of <- function(chains) vapply(chains, `[[`, "", "key", USE.NAMES = FALSE)

# Sends the parts of chains (or racers) that belong to rows, and replaces them by keys. `draws`: for each
# chain its kept draws of these parts.
send_chains <- function(chains, shards, draws = NULL) {
  keys <- new_keys(shards, length(chains))
  last <- cumsum(shards$n_active)
  each <- lapply(seq_along(shards$rows), function(i) {
    rows <- shards$rows[[i]]
    own <- last[i] - shards$n_active[i] + seq_len(shards$n_active[i])
    states <- lapply(seq_along(chains), function(c) {
      new_shard_state(
        rows = take_rows(chains[[c]]$factors[shards$of_rows], rows),
        noise = if (!is.null(chains[[c]]$noise)) lapply(chains[[c]]$noise, `[`, own),
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

# Fetches what send_chains() sent, as list(chains, draws).
fetch_chains <- function(chains, shards) {
  found <- shards$call(same_on_all(get_states), shards$rows, keys_of(chains), shards$id)
  join <- function(c, what) {
    names <- stats::setNames(nm = names(found[[1]][[c]][[what]]))
    lapply(names, function(name) {
      join_rows(lapply(found, function(of) of[[c]][[what]][[name]]), name, shards)
    })
  }
  whole <- lapply(seq_along(chains), function(c) {
    chain <- chains[[c]]
    chain$factors <- c(join(c, "rows"), chain$factors)[names(shards$shapes)]
    noise <- lapply(found, function(of) of[[c]]$noise)
    if (!is.null(noise[[1]])) chain$noise <- do.call(Map, c(list(base::c), noise))
    chain$key <- NULL
    chain
  })
  list(chains = `names<-`(whole, names(chains)), draws = lapply(seq_along(chains), join, "draws"))
}

# --- the state of a run ---------------------------------------------------------------------------

# Sends what belongs to rows, and drops it from the state. The draws of each chain are one after another.
spread_state <- function(state, shards, run) {
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
whole_state <- function(state, shards, run) {
  check_that(!shards$keys$calling, c(
    "Interrupted while the workers of {.arg cluster} were at work.",
    i = "Stop them with {.fn parallel::stopCluster}. If the call has a {.arg checkpoint}, repeat it with a new
        cluster to continue from there."
  ), NULL, class = "ldpcounts_interrupted")
  fetched <- fetch_chains(state$chains, shards)
  state$chains <- fetched$chains
  if (!is.null(state$race)) state$race$racers <- fetch_chains(state$race$racers, shards)$chains
  for (name in shards$of_rows) {
    state$draws[[name]] <- array(0, c(shards$shapes[[name]], run$kept * run$chains))
    for (c in seq_len(run$chains * (state$kept > 0))) {
      state$draws[[name]][, , (c - 1) * run$kept + seq_len(state$kept)] <- fetched$draws[[c]][[name]]
    }
  }
  state$draws <- state$draws[names(shards$shapes)]
  state
}

# --- sweeps ---------------------------------------------------------------------------------------

# Like the function `gibbs` of a model. Chains that are not on the workers are sent, and fetched after the
# sweeps.
advance_shards <- function(shards, chains, ...) {
  is_here <- is.null(chains[[1]]$key)
  if (is_here) chains <- send_chains(chains, shards)
  keys <- keys_of(chains)
  after <- new_keys(shards, length(chains))
  made <- run_block(shards, lapply(chains, `[`, c("factors", "seeds")), keys, after, ...)
  made <- Map(replace, made, "key", after)
  if (is_here) fetch_chains(made, shards)$chains else made
}

# `...`: further arguments of begin_block(). The first worker returns the results.
run_block <- function(shards, chains, keys, ...) {
  files <- mail_files(shards$mailbox, 0, length(chains))
  living <- union(shards$keys$held, keys)
  found <- shards$call(begin_block, seq_len(shards$n) == 1, shards$id, living, chains, keys, ...)
  repeat {
    while (any(busy <- vapply(found, is.null, TRUE))) {
      found[busy] <- shards$call(continue_block, vector("list", sum(busy)), shards$id, on = which(busy))
    }
    if (!is.null(found[[1]]$made)) {
      return(found[[1]]$made)
    }
    messages <- lapply(seq_along(chains), function(c) {
      of_chain <- lapply(found, function(of) of$messages[[c]])
      if (!is.null(of_chain[[1]])) .Call(C_rc_combine_messages, of_chain, files[c])
    })
    found <- shards$call(continue_block, rep(list(messages), length(found)), shards$id)
  }
}

# --- the part of a worker -------------------------------------------------------------------------

# What the root sends to a worker before a run.
#
#   data       the counts of its rows, or release files
#   rows       their numbers
#   alpha      their noise levels
#   shard      the number of rows before them, and of all rows
#   mailbox    the folder of large messages, or NULL
#   sender     the number of the worker
new_part <- function(data, rows, alpha, shard, mailbox, sender) {
  list(data = data, rows = rows, alpha = alpha, shard = shard, mailbox = mailbox, sender = sender)
}

# What a worker has for the whole run: an environment.
new_shard <- function(part, model, of_rows, cells) {
  list2env(list(
    mailbox = part$mailbox, sender = part$sender, # see new_part()
    model = model,
    of_rows = of_rows,   # see row_parts()
    cells = cells,       # of new_cells(), which look_up() reads
    opened = NULL,       # the same, checked for all blocks of sweeps
    states = list(),     # for each chain, by the key that the root gave it, of new_shard_state()
    block = NULL,        # the block of sweeps that is running, see begin_block()
    collected = now()    # when memory was freed
  ), parent = emptyenv())
}

# The parts of a chain that belong to the rows of a worker.
#
#   rows     parts of the factors, see row_parts()
#   noise    latent parts of the noise, or NULL
#   draws    the kept draws of `rows`: NULL, or a list with one entry per block
new_shard_state <- function(rows, noise, draws) {
  list(rows = rows, noise = noise, draws = draws)
}

# The shards of this worker, by the id of the run.
shards_here <- new.env(parent = emptyenv())

# Opens a shard. Returns what the root needs to know about its rows: the numbers of active and missing cells,
# the table of counts and their sum; and, of files, for each row the number and the size of the cells at or
# below zero.
begin_shard <- function(part, id, model, of_rows, scheme) {
  tokens <- scheme == "tokens"
  by_columns <- model$by_columns
  about <- NULL
  see <- function(cells) {
    seen <- list(
      n_active = as.double(length(cells$y_tilde)), missing = as.double(length(cells$missing$index)),
      table = .Call(C_rc_quick_count, cells$y_tilde), positive = sum(cells$y_tilde)
    )
    about <<- if (is.null(about)) seen else Map(`+`, about, seen)
  }
  if (!is_shards(part$data)) {
    listed <- if (tokens) "collapsed" else scheme
    cells <- make_cells(part$data, part$alpha, listed, by_columns = by_columns && !tokens)
    see(cells)
    cells <- replace(if (tokens) code_cells(cells, "none", by_columns) else cells, "shard", part["shard"])
    read <- NULL
  } else if (tokens) {
    read <- read_codes(part$data, part$rows, part$alpha, part$shard, by_columns, see)
    cells <- read$cells
  } else {
    read <- read_rows(part$data, part$rows, part$alpha, part$shard)
    see(read$cells)
    cells <- read$cells
  }
  assign(id, new_shard(part, model, of_rows, cells), shards_here)
  c(about, list(below = read$below))
}

# The released counts of those of these cells that are in this shard, by their numbers `at`: NA if masked, and
# 0 also if below zero.
look_up <- function(cells, id) {
  here <- get(id, shards_here)$cells
  row <- cells[, 1] - here$shard[1]
  at <- which(row >= 1 & row <= here$dim[1])
  find <- function(lists, i) {
    places <- seq_len(lists$start[row[i] + 1] - lists$start[row[i]]) + lists$start[row[i]]
    places[match(cells[i, 2] - 1L, lists$index[places])]
  }
  counts <- vapply(at, function(i) {
    code <- as.double(here$code[(row[i] - 1) * here$dim[2] + cells[i, 2]])
    if (length(code) > 0 && code <= LARGEST_CODE) code else here$y_tilde[find(here$active, i)]
  }, 0)
  counts[is.na(counts)] <- 0
  counts[!is.na(vapply(at, find, 0, lists = here$missing))] <- NA
  list(at = at, counts = counts)
}

LARGEST_CODE <- 253 # LDP_CODE_LARGEST in src/ldp_codes.h

# Sets the number of rows of series (src/ldp_quick.h), which must be the same in all shards, and checks the
# cells for all blocks of sweeps.
set_quick <- function(quick, id) {
  shard <- get(id, shards_here)
  shard$opened <- .Call(C_rc_open_cells, replace(shard$cells, "quick", quick))
  NULL
}

end_shard <- function(id) if (exists(id, shards_here)) rm(list = id, envir = shards_here)

# Adds states, which a list by key contains.
put_states <- function(states, id) {
  shard <- get(id, shards_here)
  shard$states[names(states)] <- states
  NULL
}

# The states with these keys. The draws of the blocks are joined.
get_states <- function(keys, id) {
  join <- function(...) array(c(...), c(dim(..1)[1:2], sum(vapply(list(...), function(part) dim(part)[3], 0L))))
  lapply(get(id, shards_here)$states[keys], function(state) {
    new_shard_state(state$rows, state$noise, if (length(state$draws) > 0) do.call(Map, c(list(join), state$draws)))
  })
}

# Begins a block of n sweeps. `speaks`: does this worker return the results? `living`: the keys of all states
# that are still needed. `chains`: the parts of the chains that all shards have; `keys`: of the states from
# which they continue, and `new_keys` of those that they will have. Returns the first messages. One thread is
# used, unless ldp_threads() was called on the worker: other workers use the other cores.
begin_block <- function(speaks, id, living, chains, keys, new_keys, prior, n, keep, watch, reflect) {
  shard <- get(id, shards_here)
  shard$states <- shard$states[intersect(names(shard$states), living)]
  whole <- Map(function(chain, state) {
    list(factors = c(state$rows, chain$factors), noise = state$noise, seeds = chain$seeds)
  }, chains, shard$states[keys])
  made <- with_threads(if (is.null(threads$n)) 1L else threads$n, {
    shard$model$shard(shard$opened, unname(whole), prior, n, keep, watch, reflect)
  })
  shard$block <- list(chains = made, keys = keys, new_keys = new_keys, speaks = speaks) # `chains` are in C
  continue_block(NULL, id)
}

# Continues the block with the combined messages (NULL: with what it was doing) until all chains must combine
# arrays, for which it returns the messages, or have finished, for which it returns their results without the
# parts that belong to rows. It returns NULL if it has only done a part of this, so that the root can be
# interrupted.
continue_block <- function(messages, id) {
  shard <- get(id, shards_here)
  block <- shard$block
  if (!is.null(messages)) .Call(C_rc_shard_write, block$chains, messages)
  collect_messages(shard)
  if (!.Call(C_rc_shard_advance, block$chains)) {
    return(NULL)
  }
  files <- mail_files(shard$mailbox, shard$sender, length(block$keys))
  messages <- .Call(C_rc_shard_read, block$chains, files)
  if (!all(vapply(messages, is.null, TRUE))) {
    return(list(messages = messages))
  }
  made <- .Call(C_rc_shard_answers, block$chains)
  of_rows <- shard$of_rows
  shard$states[block$new_keys] <- Map(function(made, before) {
    kept <- length(made$log_density) > 0
    new_shard_state(made$factors[of_rows], made$noise, c(before$draws, if (kept) list(made$draws[of_rows])))
  }, made, shard$states[block$keys])
  shard$block <- NULL
  if (!block$speaks) {
    return(list(messages = messages))
  }
  shared <- lapply(made, function(made) {
    list(
      factors = made$factors[setdiff(names(made$factors), of_rows)], noise = NULL,
      draws = made$draws[setdiff(names(made$draws), of_rows)], log_density = made$log_density,
      log_density_now = made$log_density_now
    )
  })
  list(messages = messages, made = shared)
}

# Frees the memory of former messages. R, left to itself, would wait longer the more cells there are, but a
# worker may have no memory to spare. This may take 0.2 s.
collect_messages <- function(shard) {
  if (now() - shard$collected > COLLECT_SECONDS) {
    gc()
    shard$collected <- now()
  }
}

COLLECT_SECONDS <- 10
