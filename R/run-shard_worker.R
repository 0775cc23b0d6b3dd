# The part of a worker in a run over shards (R/run-shards.R). A worker has some rows of the data, and the
# factors of these rows, for the whole run. Its shards, by the id of the run, are lists with
#
#   task      what advance_chains() needs, with the cells of its rows
#   states    for each chain, by the key that the root gave it: `rows`, the parts of the factors that belong
#             to these rows; `noise`; and `draws`, a list of the kept draws of `rows`, one entry per block
#   mailbox   the folder of large messages, or NULL, and the number of this `sender` (R/run-mail.R)
#   block     the block of sweeps that is running: chains in C (src/rc_shard.c), and the keys of the states
#             from which they started and that they will have
#
# A state is not changed when its chain continues: the chain has another key then. So a block that was
# interrupted can be repeated.

shards_here <- new.env(parent = emptyenv())

# Opens a shard with the counts of `part`, or with its rows of release files. Returns what the root needs to
# know about them: the number of active cells and the table of their counts; and, of files, for each row the
# number and the size of the cells at or below zero, and sums over all cells.
begin_shard <- function(part, id, task) {
  read <- if (is.null(part$counts)) read_rows(part$files, part$rows, part$alpha)
  cells <- if (is.null(read)) {
    make_cells(part$counts, part$alpha, task$bessel, by_columns = task$model$by_columns)
  } else {
    read$cells
  }
  task$cells <- c(cells, part["shard"])
  shard <- c(
    list(task = task, states = list(), collected = proc.time()[["elapsed"]]), part[c("mailbox", "sender")]
  )
  assign(id, list2env(shard), shards_here)
  list(
    cells = length(cells$y_tilde), table = .Call(C_rc_quick_count, cells$y_tilde), below = read$below,
    missing = length(cells$missing$index), positive = sum(cells$y_tilde)
  )
}

# The released counts of those of these cells that are in this shard, by their numbers `at`: NA if masked, and
# 0 also if below zero.
look_up <- function(cells, id) {
  shard <- get(id, shards_here)$task$cells
  row <- cells[, 1] - shard$shard[1]
  at <- which(row >= 1 & row <= shard$dim[1])
  find <- function(lists, i) {
    places <- seq_len(lists$start[row[i] + 1] - lists$start[row[i]]) + lists$start[row[i]]
    places[match(cells[i, 2] - 1L, lists$index[places])]
  }
  counts <- vapply(at, function(i) shard$y_tilde[find(shard$active, i)], 0)
  counts[is.na(counts)] <- 0
  counts[!is.na(vapply(at, find, 0, lists = shard$missing))] <- NA
  list(at = at, counts = counts)
}

# Sets the number of rows of series (src/ldp_quick.h), which must be the same in all shards, and checks the
# cells for all blocks of sweeps.
set_quick <- function(quick, id) {
  shard <- get(id, shards_here)
  shard$task$cells$quick <- quick
  shard$opened <- open_cells(shard$task)$cells
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
  lapply(get(id, shards_here)$states[keys], function(state) {
    replace(state, "draws", list(if (length(state$draws) > 0) join_draws(state$draws)))
  })
}

join_draws <- function(blocks) {
  lapply(stats::setNames(nm = names(blocks[[1]])), function(name) {
    parts <- lapply(blocks, `[[`, name)
    array(unlist(parts), c(dim(parts[[1]])[1:2], sum(vapply(parts, function(part) dim(part)[3], 0L))))
  })
}

# Begins a block of n sweeps. `chains`: the parts of the chains that all shards have; `keys`: of the states
# from which they continue, and `new_keys` of those that they will have; all states but those in `living` are
# forgotten. Returns the first messages. One thread is used, unless ldp_threads() was called on the worker:
# other workers use the other cores.
begin_block <- function(speaks, id, chains, keys, new_keys, living, prior, n, keep, watch) {
  shard <- get(id, shards_here)
  shard$states <- shard$states[intersect(names(shard$states), living)]
  whole <- Map(function(chain, state) {
    list(factors = c(state$rows, chain$factors), noise = state$noise, seeds = chain$seeds)
  }, chains, shard$states[keys])
  task <- shard$task
  made <- with_threads(if (is.null(threads$n)) 1L else threads$n, {
    task$model$shard(shard$opened, unname(whole), prior, n, keep, watch, task$reflect)
  })
  shard$block <- list(chains = made, keys = keys, new_keys = new_keys, speaks = speaks)
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
  shard$states[block$new_keys] <- Map(
    new_shard_state, made, shard$states[block$keys], list(row_parts(shard$task))
  )
  shard$block <- NULL
  list(messages = messages, made = if (block$speaks) lapply(made, shared_part, row_parts(shard$task)))
}

# Frees the memory of former messages. R, left to itself, would wait longer the more cells there are, but a
# worker may have no memory to spare. This may take 0.2 s.
collect_messages <- function(shard) {
  if (proc.time()[["elapsed"]] - shard$collected > COLLECT_SECONDS) {
    gc()
    shard$collected <- proc.time()[["elapsed"]]
  }
}

COLLECT_SECONDS <- 10

# The state of a chain after a block.
new_shard_state <- function(made, before, of_rows) {
  draws <- made$draws[of_rows]
  kept <- length(made$log_density) > 0
  list(rows = made$factors[of_rows], noise = made$noise, draws = c(before$draws, if (kept) list(draws)))
}

# The names of the factors that have a line per row: the first factor, and dispersions of rows.
row_parts <- function(task) c(task$model$factors[1], if (identical(task$family$by, "row")) "excess")

# What is the same in all shards.
shared_part <- function(made, of_rows) {
  made$factors[of_rows] <- NULL
  made$draws[of_rows] <- NULL
  made["noise"] <- list(NULL)
  made
}
