# Errors for arguments that end up in `...`, although all arguments must be named. They suggest the argument
# that was probably meant, also if it has another name in other packages.

# `...` of an exported function must be empty: anything in it is a misspelt or unnamed argument.
check_no_dots <- function(..., call = rlang::caller_env(), of = rlang::caller_fn()) {
  if (...length() == 0) {
    return(invisible())
  }
  given <- ...names()
  if (!is.null(given) && nzchar(given[1])) abort_unknown(given[1], setdiff(names(formals(of)), "..."), call)
  abort_unnamed(..1, formals(of), call)
}

# The arguments in `...`, which must all be named. `arguments`: those of the function, with their defaults.
named_dots <- function(..., arguments, call) {
  dots <- list(...)
  unnamed <- which(!nzchar(rlang::names2(dots)))
  if (length(unnamed) > 0) abort_unnamed(dots[[unnamed[1]]], arguments, call)
  dots
}

abort_unnamed <- function(value, arguments, call) {
  first <- match("...", names(arguments))
  further <- as.list(arguments)[-seq_len(first)]
  guess <- guess_unnamed(value, further)
  ldp_abort(c(
    paste0("All arguments ", if (first > 1) "after {.arg {names(arguments)[first - 1]}} ", "must be named."),
    x = "Argument {first} has no name. It is {describe_type(value)}.",
    i = if (inherits(value, "formula")) NO_FORMULA else if (!is.na(guess)) "Did you mean {.code {guess} = }?",
    i = if (length(further) == 0) "There are no further arguments."
  ), call = call)
}

abort_unknown <- function(unknown, known, call) {
  guess <- same_argument(unknown, known)
  instead <- if (is.na(guess)) where_instead(unknown, known)
  if (is.null(instead) && is.na(guess)) guess <- similar_argument(unknown, known)
  ldp_abort(c(
    "There is no argument {.arg {unknown}}.",
    i = if (is.na(guess)) instead else "Did you mean {.arg {guess}}?"
  ), call = call)
}

# Guesses which further argument was meant by an unnamed one: the first with a default of its type, or else
# the first whose default is NULL.
guess_unnamed <- function(value, further) {
  alike <- function(default) {
    if (is.call(default)) default <- tryCatch(eval(default, baseenv()), error = function(failure) NULL)
    is.atomic(default) && !is.null(default) && mode(default) == mode(value)
  }
  c(names(Filter(alike, further)), names(Filter(is.null, further)), NA)[1]
}

# Names of arguments in other packages, in lower case and without dots and underscores. If a name has several
# meanings, the first that is an argument of the function is suggested.
SYNONYMS <- list(
  warmup = c("burn", "burnin", "nburn", "nburnin", "nwarmup"),
  iter = c("niter", "iterations", "niterations", "maxit", "maxiter", "nsim", "ndraws"),
  chains = c("nchains", "nstart", "nstarts"),
  k = c("ntopics", "topics", "ncomponents", "ncommunities", "communities", "components", "rank"),
  progress = c("verbose", "quiet", "silent", "refresh", "trace"),
  inference = c("method", "algorithm"), precision = c("sensitivity", "distance", "n"),
  level = c("confint", "conflevel", "prob", "ciwidth"), prior = c("beta", "eta", "shape", "rate"),
  draws = c("iter", "ndraws", "nsim"), data = c("dtm", "dfm", "x", "counts", "release"),
  dispersion = c("size", "phi", "overdispersion"), mu = c("lambda", "mean"),
  lambda1 = c("lambda", "mu1"), lambda2 = "mu2", newdata = c("data", "x"),
  y = c("data", "x", "counts"), repetitions = c("reps", "nreps"),
  D = c("n", "nrow", "nrows", "ndocs", "documents"), V = c("p", "ncol", "ncols", "nwords", "items"),
  init = c("start", "inits", "initial"), n = c("k", "nterms", "nwords", "top")
)

plain_name <- function(arg) gsub("[._]", "", tolower(arg))

# For names that are not arguments here: what to do instead, often with another function.
where_instead <- function(unknown, known) {
  noise_level <- paste(
    "The noise level is part of the data: {.fn privatize} adds noise to true counts, and",
    "{.fn private_counts} declares noise that was added elsewhere."
  )
  of_fit <- !any(c("rng", "k", "step") %in% known)
  another <- if ("step" %in% known) {
    paste(
      "{.arg step} is the model: counts are Poisson given its {.code mu}. {.code help(\"what-works\")} says",
      "what to do if counts vary more than that."
    )
  } else {
    "Fit the model again with a different {.arg {unknown}}."
  }
  switch(plain_name(unknown),
    seed = if ("rng" %in% known) {
      "With {.code rng = \"R\"}, {.fn set.seed} makes the noise reproducible; secure noise has no seed."
    } else {
      "Call {.fn set.seed} first to make the result reproducible."
    },
    cores = , ncores = , mccores = , workers = , nworkers = , parallel = , ncpus = paste(
      "{.fn future::plan} sets the workers that chains run on, for example",
      "{.code future::plan(\"multisession\", workers = 4)}."
    ),
    epsilon = if ("alpha" %in% known) "Use {.code alpha = geometric_alpha(epsilon)}." else noise_level,
    alpha = if ("epsilon" %in% known) "Use {.code epsilon = geometric_epsilon(alpha)}." else noise_level,
    precision = noise_level,
    delta = "There is no {.arg delta}: the geometric mechanism satisfies pure differential privacy.",
    noise = if (of_fit) another else GEOMETRIC,
    mechanism = GEOMETRIC,
    groups = , covariates = , by = , weights = , offset = paste0(
      if ("groups" %in% known) "Use {.arg groups} for groups of rows. ",
      "The models have no covariates or weights: {.fn private_nbinom1} is for regressions of released counts, and ",
      "{.fn private_gibbs} for your own models."
    ),
    k = , family = , inference = , prior = another,
    data = if ("iter" %in% known) another else paste("The data of the fit are used.", NEW_DATA),
    thin = if (of_fit) another,
    method = , methods = , metric = , metrics = if (any(c("repetitions", "by") %in% known)) {
      "The result has all methods and metrics: {.code subset(x, metric == \"mae\")} selects one."
    },
    confint = , conflevel = "{.code fitted(fit, cells = , level = )} returns intervals of means.",
    narm = , naaction = if ("na" %in% known) {
      "{.code na = \"keep\"} releases missing counts as missing; which ones are missing is then public."
    } else if ("repetitions" %in% known) {
      "Counts must not be missing: leave out the rows or columns that have NA."
    } else {
      "Counts that are NA are masked: they are always left out."
    },
    col = , zlim = if ("limit" %in% known) {
      "Colours show the sign and size of counts: {.arg limit} sets the count at which they saturate."
    } else {
      OWN_TITLES
    },
    main = , xlab = , ylab = , title = , sub = , cex = , ylim = , xlim = OWN_TITLES,
    labels = "The labels of the data are used: set their {.fn dimnames} first.",
    control = "Give arguments one by one, such as {.code iter = } and {.code chains = }.",
    newdata = NEW_DATA,
    model = "Each model is a function: {.fn topic_model}, {.fn block_model}, {.fn tensor_model}."
  )
}

GEOMETRIC <- "The noise is always that of the geometric mechanism, with level {.arg epsilon}."

OWN_TITLES <- paste(
  "Titles and colours are fixed. To change them, use {.fn ggplot2::autoplot}, which returns a ggplot, and",
  "add, for example, {.code ggplot2::labs(title = )}."
)

NEW_DATA <- "For new rows use {.fn predict}: {.code predict(fit, newdata)}."

# The argument that has this name in other packages, or NA.
same_argument <- function(unknown, known) {
  plain <- plain_name(unknown)
  meant <- names(Filter(function(synonyms) plain %in% synonyms, SYNONYMS))
  intersect(c(plain, meant), known)[1]
}

# An argument that begins with this name, or differs from it by few letters; or NA.
similar_argument <- function(unknown, known) {
  distance <- utils::adist(unknown, known)[1, ]
  near <- distance == min(distance) & distance <= min(3, nchar(unknown) / 2)
  c(known[startsWith(known, unknown)], known[near], NA)[1]
}
