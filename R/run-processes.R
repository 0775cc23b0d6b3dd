# The processes that share the rows of the data in a run over shards (R/run-shards.R).

# These are the workers of a cluster, which this process, the root, directs.
#
#   n              their number
#   call           function(f, each, ..., on): the results of f(each[[i]], ...) on the workers with these
#                  numbers, by default on all
#   mailbox        the folder of large messages, or NULL (open_mailbox())
#   keys           an environment with `n`, the number of keys of states given so far; `held`, the keys in the
#                  state of the run; and `calling`, whether workers are to answer
#   close          function(): at the end of the run
new_processes <- function(n, call, mailbox, keys, close) {
  list(n = n, call = call, mailbox = mailbox, keys = keys, close = close)
}

open_processes <- function(cluster, call) {
  keys <- list2env(list(n = 0, held = character(), calling = FALSE))
  is_mirai <- inherits(cluster, "miraiCluster")
  lines <- if (is_mirai) open_lines(cluster, call)
  call_all <- if (is_mirai) call_lines(lines, keys, call) else call_workers(cluster, keys, call)
  if (!is_mirai) sends_at_once(cluster, call_all)
  new_processes(length(cluster), call_all, open_mailbox(call_all, length(cluster)), keys,
    close = function() for (line in lines) close(line$socket)
  )
}

# Connections to other processes send each message at once (src/rc_sockets.c): of the root those to workers,
# of a worker all its sockets.
sends_at_once <- function(cluster, call_all) {
  is_socket <- function(worker) inherits(worker, "SOCKnode") && inherits(worker$con, "sockconn")
  sockets <- Filter(is_socket, as.list(unclass(cluster)))
  send_at_once(vapply(sockets, function(worker) summary(worker$con)$description, ""))
  call_all(worker_sends_at_once, cluster)
}

send_at_once <- function(sockets) {
  for (port in unique(sub(".*:", "", sockets))) .Call(C_rc_send_at_once, as.integer(port))
}

worker_sends_at_once <- function(each) {
  open <- showConnections()
  send_at_once(open[open[, "class"] == "sockconn", "description"])
}

check_cluster <- function(cluster, call = rlang::caller_env()) {
  if (is.null(cluster)) {
    return(NULL)
  }
  if (!inherits(cluster, "cluster") || length(cluster) == 0) {
    abort_argument(cluster, "cluster", "NULL, or a cluster of the package mirai or parallel", call)
  }
  here <- as.character(utils::packageVersion("ldpcounts"))
  tag <- paste(Sys.getpid(), Sys.time())
  call_all <- call_workers(cluster, new.env(), call)
  found <- call_all(worker_version, rep("ldpcounts", length(cluster)), tag)
  check_that(all(vapply(found, function(of) is.list(of) && identical(of$tag, tag), TRUE)), c(
    "{.arg cluster} still has answers to earlier calls, as after an interrupt.",
    i = "Stop it with {.fn parallel::stopCluster}, and make a new one."
  ), call, class = "ldpcounts_cluster_error")
  other <- !vapply(found, function(of) identical(of$version, here), TRUE)
  check_that(!any(other), c(
    "All workers of {.arg cluster} must have ldpcounts {here}.",
    x = "{cli::qty(sum(other))}Worker{?s} {which(other)} {?has/have} another version or none."
  ), call, class = "ldpcounts_cluster_error")
}

# Has only base functions, because a worker may not have the package.
worker_version <- local(function(package, tag) {
  has <- requireNamespace(package, quietly = TRUE)
  list(tag = tag, version = if (has) as.character(utils::packageVersion(package)))
}, envir = baseenv())

# `keys$calling` is TRUE as long as answers are expected. After an interrupt, which may come while R waits for
# them, the cluster cannot be used any more: the answers would be taken for those of later calls.
call_workers <- function(cluster, keys, call) {
  function(f, each, ..., on = seq_along(cluster)) {
    keys$calling <- TRUE
    # a part of a cluster of the package mirai is not a cluster
    workers <- if (length(on) < length(cluster)) cluster[on] else cluster
    answers <- tryCatch(parallel::clusterApply(workers, each, f, ...),
      error = function(failure) abort_worker(cluster, failure, call)
    )
    keys$calling <- FALSE
    answers
  }
}

# Names the workers that have stopped. Those that wait for an answer, or are still running, have not.
abort_worker <- function(cluster, failure, call) {
  has_stopped <- function(i) {
    inherits(try(parallel::clusterCall(cluster[i], Sys.getpid), silent = TRUE), "try-error")
  }
  lost <- if (!inherits(cluster, "miraiCluster")) Filter(has_stopped, seq_along(cluster))
  name <- vapply(lost, function(i) {
    host <- cluster[[i]]$host
    paste0(i, if (is.character(host)) paste0(" (", host, ")"))
  }, "")
  abort_lost(name, failure, call)
}

# `lost`: the workers that have stopped. `failure`: an error of a worker, or NULL.
abort_lost <- function(lost, failure, call) {
  what <- if (length(lost) > 0) {
    "{cli::qty(length(lost))}Worker{?s} {lost} of the cluster {?has/have} stopped."
  } else {
    "A worker of the cluster failed."
  }
  ldp_abort(c(what,
    x = if (!is.null(failure)) "{conditionMessage(failure)}",
    i = "If the call has a {.arg checkpoint}, repeat it with a new cluster to continue from there."
  ), "ldpcounts_cluster_error", call = call)
}

# --- clusters of the package mirai ----------------------------------------------------------------

# Its processes take tasks in any order, but each worker has rows of its own. So each takes one task, which
# lasts as long as the run, and answers calls that it gets through a line: a socket between it and the root.
#
#   socket    the end of the root
#   task      the task of the worker
#   event     a condition variable: a message has come or, if it is flagged, the line is broken
open_lines <- function(cluster, call) {
  profile <- attr(cluster, "id")
  n_there <- function() mirai::status(.compute = profile)$connections
  last <- now() + SECONDS_TO_START
  while (n_there() < length(cluster) && now() < last) nanonext::msleep(10)
  check_that(n_there() >= length(cluster), c(
    "{.arg cluster} has {length(cluster)} workers, but only {n_there()} {?is/are} connected.",
    i = "Replace those that have stopped, or wait until all have started, and repeat the call."
  ), call, class = "ldpcounts_cluster_error")
  here <- mirai::status(.compute = profile)$daemons
  answer_call <- quote(answer(url))
  is_local <- !grepl("^(tls[+])?(tcp|wss?)", here)
  lapply(seq_along(cluster), function(i) {
    # on a port that is free, of the network that the processes use already
    url <- if (is_local) mirai::local_url() else sub("^(tls[+]tcp|wss?)", "tcp", sub(":[0-9]+(/.*)?$", ":0", here))
    socket <- nanonext::socket("pair", listen = url)
    event <- nanonext::cv()
    nanonext::pipe_notify(socket, event, remove = TRUE, flag = TRUE)
    arguments <- list(answer = answer_line, url = socket$listener[[1]]$url)
    task <- mirai::mirai(answer_call, .args = arguments, .compute = profile)
    list(socket = socket, task = task, event = event)
  })
}

SECONDS_TO_START <- 20

# The task of a worker: it ends when the line is closed, or broken.
answer_line <- function(url) {
  event <- nanonext::cv()
  socket <- nanonext::socket("pair", dial = url)
  on.exit(close(socket))
  nanonext::pipe_notify(socket, event, remove = TRUE, flag = TRUE)
  repeat {
    asked <- nanonext::recv_aio(socket, "serial", cv = event)
    if (!nanonext::wait(event)) {
      return(NULL)
    }
    answer <- tryCatch(do.call(asked$data$f, asked$data$arguments), error = identity)
    nanonext::send(socket, answer, "serial", block = TRUE)
  }
}

# Like call_workers().
call_lines <- function(lines, keys, call) {
  is_lost <- function(line) !mirai::unresolved(line$task) || !nanonext::wait_(line$event)
  function(f, each, ..., on = seq_along(lines)) {
    keys$calling <- TRUE
    waiting <- Map(function(line, own) {
      while (nanonext::stat(line$socket, "pipes") == 0 && mirai::unresolved(line$task)) nanonext::msleep(5)
      nanonext::send(line$socket, list(f = f, arguments = list(own, ...)), "serial", block = 1000)
      nanonext::recv_aio(line$socket, "serial", cv = line$event)
    }, lines[on], each)
    lost <- vapply(lines[on], is_lost, TRUE)
    if (any(lost)) abort_lost(as.character(on[lost]), NULL, call)
    answers <- lapply(waiting, function(answer) answer$data)
    failed <- vapply(answers, inherits, TRUE, "error")
    if (any(failed)) abort_lost(character(), answers[failed][[1]], call)
    keys$calling <- FALSE
    answers
  }
}

# --- mail -----------------------------------------------------------------------------------------

# Files for messages between the root and workers on the same computer, which src/rc_message.c writes and
# reads. Only large messages are written to files. A receiver reads a file before it answers, and the sender
# writes it again only after this answer, so that one file per sender and chain is enough.

# A new folder for these files, or NULL if a worker cannot use it. `call`: calls a function on all n workers.
open_mailbox <- function(call, n) {
  folder <- tempfile("messages")
  dir.create(folder, mode = "0700")
  if (all(unlist(call(can_write, rep(folder, n), Sys.info()[["nodename"]])))) {
    return(folder)
  }
  unlink(folder, recursive = TRUE)
  NULL
}

can_write <- function(folder, computer) {
  identical(Sys.info()[["nodename"]], computer) && file.access(folder, mode = 2) == 0
}

# The names of the files for the messages of a sender about n chains. The root is sender 0.
mail_files <- function(mailbox, sender, n) {
  if (!is.null(mailbox)) file.path(mailbox, paste0(sender, "-", seq_len(n)))
}
