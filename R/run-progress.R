# Progress of a run: a cli progress bar for all chains together, or signals to progressr if the user has set
# handlers; nothing if progress is FALSE.

# Returns list(update = function(now, log_density), done = function()), for a bar from `first` to `total`.
# `log_density`: one number per chain, if known yet; it can also be another quantity, named by `what`.
start_bar <- function(progress, total, first, what = "log density", unit = "sweep",
                      envir = rlang::caller_env()) {
  if (!progress) {
    return(list(update = function(...) NULL, done = function() NULL))
  }
  if (progressr_wanted()) progressr_bar(total, first, what, unit, envir) else cli_bar(total, first, what)
}

progressr_wanted <- function() {
  requireNamespace("progressr", quietly = TRUE) &&
    (!is.null(getOption("progressr.handlers")) || isTRUE(progressr::handlers(global = NA)))
}

# The range of log densities over all chains, in words.
density_words <- function(log_density, what = "log density") {
  if (length(log_density) == 0) {
    return("searching for starts")
  }
  ends <- unique(format(range(log_density), digits = 6, trim = TRUE))
  paste(what, paste(ends, collapse = " to "))
}

progressr_bar <- function(total, first, what, unit, envir) {
  signal <- progressr::progressor(steps = total - first, envir = envir)
  list(
    update = function(now, log_density) {
      message <- paste0(unit, " ", now, ", ", density_words(log_density, what))
      signal(amount = now - first, message = message)
      first <<- now
    },
    done = function() invisible()
  )
}

cli_bar <- function(total, first, what) {
  began <- proc.time()[["elapsed"]]
  id <- cli::cli_progress_bar(
    total = total, .auto_close = FALSE, extra = list(status = ""),
    format = paste("{cli::pb_bar} {cli::pb_current}/{cli::pb_total}", "{cli::pb_extra$status}")
  )
  list(
    update = function(now, log_density) {
      rate <- (now - first) / max(proc.time()[["elapsed"]] - began, 1e-3)
      cli::cli_progress_update(id = id, set = now, extra = list(status = paste0(
        format(rate, digits = 2), "/s, ", format_seconds((total - now) / rate), " left, ",
        density_words(log_density, what)
      )))
    },
    done = function() cli::cli_progress_done(id)
  )
}

announce <- function(task, input, run, memory) {
  cavi <- task$inference == "cavi"
  length <- if (cavi) {
    paste(count_of(run$chains, "start"), "of at most", count_of(run$iter, "iteration"))
  } else {
    paste(count_of(run$chains, "chain"), "of", count_of(run$iter, "sweep"))
  }
  k <- if (length(task$prior) > 0) paste0(", k = ", task$k)
  kept <- if (cavi) run$kept else run$kept * run$chains
  sizes <- vapply(memory, format_bytes, "")
  cli::cli_inform(c(
    i = "{task$model$label}, {paste(input$dim, collapse = ' x ')}{k}: {length}.",
    i = paste(
      "The {kept} kept draw{?s} of the factors will take {sizes[['draws']]} of memory, the cells",
      "{sizes[['cells']]}, the chains {sizes[['chains']]}."
    )
  ))
}
