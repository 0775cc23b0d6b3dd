# Errors and the checks of arguments. Input is checked once, here at the R face, before any
# work is done; every error names the argument, says what was expected and what came, and
# has the class `ldpcounts_error`. No message shows a count.

#' @srrstats {BS2.15} all errors have classes, so that they can be caught.
ldp_abort <- function(message, class = NULL, call = rlang::caller_env(),
                      .envir = rlang::caller_env()) {
  # A call with its arguments, or a trace of calls, may hold the data: only the name of the function
  # stays.
  if (is.environment(call)) {
    call <- rlang::frame_call(call)[1]
  }
  # as cli::cli_abort(), which would go through all calls for a trace, and what they hold
  message[] <- vapply(message, cli::format_inline, "", .envir = .envir)
  stop(rlang::error_cnd(c(class, "ldpcounts_error"),
    message = message[[1]], body = message[-1], use_cli_format = TRUE, call = call
  ))
}

# `arg` must be `expected`, and `x` is not.
abort_argument <- function(x, arg, expected, call, hint = NULL) {
  came <- describe(x)
  ldp_abort(
    c("{.arg {arg}} must be {expected}.", x = "It is {came}.",
      i = if (inherits(x, "formula")) NO_FORMULA, i = hint
    ),
    class = "ldpcounts_argument_error", call = call
  )
}

NO_FORMULA <- paste(
  "No model here takes a formula: the counts come first, as a release or a matrix. For a regression",
  "write a {.arg step} for {.fn private_gibbs}, as in the example of its help page."
)

# For data.
refuse_formula <- function(x, arg, call) {
  if (inherits(x, "formula")) abort_argument(x, arg, "counts", call)
}

# What came, in words. For parameters only: never for data.
describe <- function(x) {
  if (is.null(x)) {
    "NULL"
  } else if (is.atomic(x) && !is.object(x) && is.null(dim(x)) && length(x) == 1) {
    if (is.character(x)) encodeString(x, quote = "\"") else format(x, digits = 15)
  } else {
    describe_type(x)
  }
}

describe_type <- function(x) {
  if (is.null(x)) {
    "NULL"
  } else if (is.atomic(x) && length(attr(x, "dim")) > 0) {
    kind <- if (is.object(x)) c("an object of class", class(x)[1]) else c("an array of type", typeof(x))
    paste(c(kind, "of", paste(attr(x, "dim"), collapse = " x ")), collapse = " ")
  } else if (is.atomic(x) && !is.object(x)) {
    paste0("a vector of type ", typeof(x), " and length ", length(x))
  } else {
    paste0(
      "an object of class ", class(x)[1],
      if (inherits(x, "simulated_counts")) ", whose counts are `$y` and their means `$mu`"
    )
  }
}

# What only some users need is not installed with this package.
check_package <- function(package, what, call = rlang::caller_env()) {
  if (!requireNamespace(package, quietly = TRUE)) {
    ldp_abort("Package {.pkg {package}} must be installed: it knows {what}.",
      class = "ldpcounts_package_error", call = call
    )
  }
}

# `...` of an exported function holds nothing: what lands there is a misspelt argument.
check_no_dots <- function(..., call = rlang::caller_env()) {
  if (...length() == 0) {
    return(invisible())
  }
  given <- ...names()
  arguments <- formals(rlang::caller_fn())
  known <- setdiff(names(arguments), "...")
  if (is.null(given) || !nzchar(given[1])) {
    first <- match("...", names(arguments))
    guess <- guess_unnamed(..1, as.list(arguments)[-seq_len(first)])
    formula <- inherits(..1, "formula") || inherits(rlang::caller_env()[[names(arguments)[1]]], "formula")
    ldp_abort(c(
      if (first > 1) {
        "All arguments after {.arg {names(arguments)[first - 1]}} must be named."
      } else {
        "All arguments must be named."
      },
      x = "Argument {first} came without a name. It is {describe_type(..1)}.",
      i = if (formula) NO_FORMULA else if (!is.na(guess)) "Did you mean {.code {guess} = }?",
      i = if (length(known) < first) "There are no further arguments."
    ), class = "ldpcounts_argument_error", call = call)
  }
  abort_unknown(given[nzchar(given)][1], known, call)
}

abort_unknown <- function(unknown, known, call) {
  guess <- same_argument(unknown, known)
  instead <- if (is.na(guess)) where_instead(unknown, known)
  if (is.null(instead) && is.na(guess)) guess <- similar_argument(unknown, known)
  ldp_abort(c(
    "There is no argument {.arg {unknown}}.",
    i = if (is.na(guess)) instead else "Did you mean {.arg {guess}}?"
  ), class = "ldpcounts_argument_error", call = call)
}

# Which of the further arguments was meant by an unnamed one: the first whose default is of its type, or else
# has no default.
guess_unnamed <- function(value, further) {
  alike <- function(default) {
    if (is.call(default)) default <- tryCatch(eval(default, baseenv()), error = function(failure) NULL)
    is.atomic(default) && !is.null(default) && mode(default) == mode(value)
  }
  c(names(Filter(alike, further)), names(Filter(is.null, further)), NA)[1]
}

# Names of arguments in other packages, in lower case and without dots and underscores; of several meanings
# the first that the function knows.
SYNONYMS <- list(
  warmup = c("burn", "burnin", "nburn", "nburnin", "nwarmup"),
  iter = c("niter", "iterations", "niterations", "maxit", "maxiter", "nsim", "ndraws"),
  chains = c("nchains", "nstart", "nstarts"),
  k = c("ntopics", "topics", "ncomponents", "ncommunities", "communities", "rank"),
  progress = c("verbose", "quiet", "silent", "refresh", "trace"),
  inference = c("method", "algorithm"), precision = c("sensitivity", "distance", "n"),
  level = c("confint", "conflevel", "prob", "ciwidth"), prior = c("beta", "eta", "shape", "rate"),
  draws = c("iter", "ndraws", "nsim"), data = c("dtm", "dfm", "x", "counts", "release"),
  newdata = c("data", "x"), y = c("data", "x", "counts"), repetitions = c("reps", "nreps"),
  init = c("start", "inits", "initial"), n = c("k", "nterms", "nwords", "top")
)

plain_name <- function(arg) gsub("[._]", "", tolower(arg))

# What is no argument, because another function does it.
where_instead <- function(unknown, known) {
  on_workers <- paste(
    "{.fn future::plan} sets the workers that chains run on, for example",
    "{.code future::plan(\"multisession\", workers = 4)}."
  )
  noise_level <- paste(
    "The data declare their noise: {.fn privatize} adds noise to true counts, and",
    "{.fn private_counts} declares noise that was added elsewhere."
  )
  of_fit <- !any(c("rng", "k", "step") %in% known)
  another <- if ("step" %in% known) {
    paste(
      "{.arg step} is the model: counts are Poisson given its {.code mu}. {.code help(\"what-works\")} says",
      "what to do about counts that vary more."
    )
  } else {
    "Fit the model again with another {.arg {unknown}}."
  }
  switch(plain_name(unknown),
    seed = if ("rng" %in% known) {
      "With {.code rng = \"R\"}, {.fn set.seed} makes the noise reproducible; secure noise has no seed."
    } else {
      "Call {.fn set.seed} first: it makes the result reproducible."
    },
    cores = , ncores = , mccores = , workers = , nworkers = , parallel = , ncpus = on_workers,
    epsilon = if ("alpha" %in% known) "{.code geometric_alpha(epsilon)} has {.arg alpha}." else noise_level,
    alpha = if ("epsilon" %in% known) "{.code geometric_epsilon(alpha)} has {.arg epsilon}." else noise_level,
    precision = noise_level,
    delta = "There is no {.arg delta}: the geometric mechanism keeps its promise without exception.",
    noise = if (of_fit) another else GEOMETRIC,
    mechanism = GEOMETRIC,
    groups = , covariates = , by = , weights = , offset = paste(
      "The models have no groups, covariates or weights: {.fn private_gibbs} takes a model of your own, and",
      "rows of a group can be fitted by themselves."
    ),
    k = , family = , inference = , prior = another,
    data = , thin = if (of_fit) another,
    method = , methods = , metric = , metrics = if (any(c("repetitions", "by") %in% known)) {
      "The result has all methods and metrics: {.code subset(x, metric == \"mae\")} keeps one."
    },
    confint = , conflevel = "{.code fitted(fit, cells = , level = )} has intervals of means.",
    narm = , naaction = if ("na" %in% known) {
      "{.code na = \"keep\"} releases missing counts as missing; which ones are missing is then public."
    } else if ("repetitions" %in% known) {
      "Counts must not be missing: leave out the rows or columns that have NA."
    } else {
      "Counts that are NA are masked: they are always left out."
    },
    main = , xlab = , ylab = , col = , title = , sub = , cex = , ylim = , xlim = paste(
      "The picture has titles and colours of its own; {.fn autoplot} gives a ggplot to which others can be",
      "added."
    ),
    labels = "Labels are those of the data: set their {.fn dimnames} first.",
    control = "Arguments are given one by one, such as {.code iter = } and {.code chains = }.",
    newdata = NEW_DATA,
    model = "Each model is a function: {.fn topic_model}, {.fn block_model}, {.fn tensor_model}."
  )
}

GEOMETRIC <- "The mechanism is always the geometric one, of level {.arg epsilon}."

NEW_DATA <- "{.fn predict} takes new rows: {.code predict(fit, newdata)}."

# The argument that other packages call so, or NA.
same_argument <- function(unknown, known) {
  plain <- plain_name(unknown)
  meant <- names(Filter(function(synonyms) plain %in% synonyms, SYNONYMS))
  intersect(c(plain, meant), known)[1]
}

# One that begins so, or that differs by few letters, or NA.
similar_argument <- function(unknown, known) {
  begins <- known[startsWith(known, unknown)]
  if (length(begins) > 0) {
    return(begins[1])
  }
  distance <- utils::adist(unknown, known)[1, ]
  known[distance == min(distance) & distance <= min(3, nchar(unknown) / 2)][1]
}

# unclass(): a class may have methods for length() that fail.
is_one <- function(x) length(unclass(x)) == 1

is_number <- function(x) is.numeric(x) && is_one(x) && is.finite(x)

# A path of package fs is one, whatever its class.
is_file_name <- function(x) {
  is.character(x) && is_one(x) && !is.na(unclass(x)) && nzchar(unclass(x))
}

is_whole <- function(x) abs(x - round(x)) < 1e-9

#' @srrstats {G2.0} one number where one is expected.
#' @srrstats {G2.1} of a numeric type.
#' @srrstats {G2.2} vectors are refused.
#' @srrstats {G2.4a} as.integer() of what is known to be whole and in range.
#' @srrstats {G3.0} whole within 1e-9; numbers are compared by equality only where they are exact, such as 0.
#' @srrstats {BS2.6} bounds of k, iter, warmup, thin and chains.
check_whole <- function(x, arg, min, max = .Machine$integer.max, call = rlang::caller_env()) {
  if (!is_number(x) || !is_whole(x) || x < min || x > max) {
    expected <- if (max < .Machine$integer.max || (is_number(x) && x > max)) {
      paste("one whole number from", min, "to", format(max, scientific = FALSE))
    } else {
      paste("one whole number", if (min > -.Machine$integer.max) paste("of at least", min))
    }
    abort_argument(x, arg, expected, call)
  }
  as.integer(round(x))
}

# The data of a function must be there; `missing` is the caller's missing(x).
check_given <- function(missing, arg, call = rlang::caller_env()) {
  if (missing) {
    ldp_abort("{.arg {arg}} must be given.", class = "ldpcounts_argument_error", call = call)
  }
}

# All arguments without a default must be there; `frame` is that of the function called by the user.
check_all_given <- function(frame) {
  called <- sys.function(Position(function(other) identical(other, frame), sys.frames(), right = TRUE))
  for (arg in names(Filter(rlang::is_missing, formals(called)))) {
    check_given(eval(call("missing", as.name(arg)), frame), arg, frame)
  }
}

#' @srrstats {G2.4b} as.double() of what is known to be a number.
check_positive <- function(x, arg, call = rlang::caller_env()) {
  if (!is_number(x) || x <= 0) {
    abort_argument(x, arg, "one positive number", call)
  }
  as.double(x)
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (!is.logical(x) || !is_one(x) || is.na(x)) {
    abort_argument(x, arg, "TRUE or FALSE", call)
  }
  x
}

# As match.arg(), with our error: the first choice when the default is untouched.
#' @srrstats {G2.3} one text is expected:
#' @srrstats {G2.3a} as match.arg(), with an error that lists the choices.
check_choice <- function(x, arg, choices, call = rlang::caller_env()) {
  if (identical(x, choices)) {
    return(choices[1])
  }
  if (!is.character(x) || !is_one(x) || !unclass(x) %in% choices) {
    abort_argument(x, arg, paste("one of", paste0("\"", choices, "\"", collapse = ", ")), call)
  }
  x
}

# A number, or one per row (or `per` something else), each passing `ok`; recycled only by those who use it.
#' @srrstats {BS2.3} one number or one per row; any other length is an error, and nothing is recycled
#'   silently.
check_per_row <- function(x, arg, n_row, ok, expected, call = rlang::caller_env(), per = "row") {
  if (!is.numeric(x) || length(x) == 0) {
    abort_argument(x, arg, expected, call)
  }
  if (!is.null(n_row) && !length(x) %in% c(1, n_row)) {
    ldp_abort(c(
      "{.arg {arg}} must be one number, or one per {per} ({n_row}).",
      x = "It has length {length(x)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  bad <- which(!(is.finite(x) & ok(x)))
  if (length(bad) > 0 && length(x) == 1) {
    abort_argument(x, arg, expected, call)
  } else if (length(bad) > 0) { # values by rows may come of counts: none is shown
    ldp_abort(c(
      "Each value of {.arg {arg}} must be {expected}.",
      x = "At least one is not.",
      i = if (arg == "precision") "It must be public, and must not be computed from the counts."
    ), class = "ldpcounts_argument_error", call = call)
  }
  as.double(x)
}

check_epsilon <- function(x, n_row = NULL, call = rlang::caller_env()) {
  check_per_row(x, "epsilon", n_row, function(x) x > 0, "a positive, finite number", call)
}

check_alpha <- function(x, n_row = NULL, zero = TRUE, call = rlang::caller_env()) {
  if (zero) {
    check_per_row(x, "alpha", n_row, function(x) x >= 0 & x < 1, "a number in [0, 1)", call)
  } else {
    check_per_row(x, "alpha", n_row, function(x) x > 0 & x < 1, "a number in (0, 1)", call)
  }
}

check_precision <- function(x, n_row = NULL, call = rlang::caller_env(), per = "row") {
  check_per_row(x, "precision", n_row, function(x) x > 0, "a positive, finite number", call, per)
}

check_one_of_two <- function(epsilon, alpha, call = rlang::caller_env()) {
  if (is.null(epsilon) == is.null(alpha)) {
    came <- if (is.null(alpha)) "Neither was given." else "Both were given."
    ldp_abort(c("Give exactly one of {.arg epsilon} and {.arg alpha}.", x = came),
      class = "ldpcounts_argument_error", call = call
    )
  }
}
