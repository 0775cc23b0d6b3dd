# Every exported function, and the methods, with one argument or two replaced by what nobody should give
# them. See harness.R.
#
# Sizes that are legal and large (a run of 1e9 sweeps) take long by right: their arguments are checked all
# the same, and an interrupt ends the call. Such values are not drawn, see is_long().
source("tests/fuzz/harness.R")
# nolint start: line_length_linter. Tables of cases.
setwd(tempdir()) # text may be the name of a file

LARGEST <- 30000 # extents of a matrix; one fit takes seconds

# --- values --------------------------------------------------------------------------------------

set.seed(1)
counts <- matrix(rpois(48, 2), 6, dimnames = list(letters[1:6], LETTERS[1:8]))
answers <- data.frame(person = letters[1:6], counts)
listed <- data.frame(i = factor(1:2, 1:6), j = factor(2:3, 1:8), n = 1:2)
square <- matrix(rpois(36, 2), 6)
cube <- array(rpois(24, 2), 2:4)
released <- privatize(counts, epsilon = 1, rng = "R")
sparse <- privatize(counts, epsilon = 1, rng = "R", clamp = TRUE)
pairs <- privatize(crossprod(square), epsilon = 1, rng = "R", directed = FALSE)
cubed <- privatize(cube, epsilon = 1, rng = "R")
fit <- topic_model(released, 2, iter = 6, chains = 2, family = "nbinom1")
variational <- topic_model(released, 2, iter = 6, inference = "cavi")
network <- block_model(privatize(square, epsilon = 1, rng = "R"), 2, iter = 6)
tensor <- tensor_model(cubed, 2, iter = 6)
own_step <- function(state, y) {
  rate <- rgamma(1, 1 + sum(y), 1 + length(y))
  list(state = c(rate = rate), mu = matrix(rate, 6, 8))
}
own_start <- list(state = c(rate = 1), mu = matrix(1, 6, 8))
own <- private_gibbs(released, own_step, own_start, iter = 6)
spectral <- dp_lda_spectral(counts + 1, 2, 1, Inf)
vi <- dp_lda_vi(counts, 2, 0.1, 0.1, Inf, 0, lmax = 50, clip = 5, iter = 2, rng = "R")
held_out <- holdout_cells(released)
partial <- topic_model(held_out$train, 2, iter = 6)
file <- tempfile(fileext = ".txt")
write_release(released, file)
columns <- Matrix::Matrix(counts, sparse = TRUE)
group <- rep(c("left", "right"), 3)
grouped <- topic_model(released, 2, iter = 6, groups = group)
respondents <- as.data.frame(released)
respondents$x <- seq_len(nrow(respondents)) / 48
# What is wrong are the arguments of the family: mgcv checks its own.
regress_poisson <- function(...) mgcv::gam(y_tilde ~ x, family = private_poisson(...), data = respondents)
regress_nbinom1 <- function(...) mgcv::gam(y_tilde ~ x, family = private_nbinom1(...), data = respondents)

change <- function(x, slot, value) {
  methods::slot(x, slot, check = FALSE) <- value
  x
}
fake <- function(class, x = list()) structure(x, class = class)
nested <- function(n) if (n == 0) 1 else list(nested(n - 1))

odd <- c(
  list(
    NULL, NA, NA_integer_, NA_real_, NA_character_, NaN, Inf, -Inf, -1, 0, 0.5, 1, 2, 7, 1e308, -1e308, 1e-308, 5e-324,
    1 + 1e-16, 1 - 1e-16, .Machine$integer.max, -.Machine$integer.max, .Machine$integer.max + 1, 2^53, -2^53, 2^53 + 2, 1e15,
    1L, TRUE, FALSE, c(TRUE, FALSE), 1:2, c(1, NA), c(1, 2, 3), 6:1, c(0.5, 2), rep(1, 6), rep(0.5, 8), c(-1, 1), c(Inf, 1),
    numeric(), integer(), logical(), character(), c(a = 1), c(`{x}` = 1),
    "", "a", "{stop('x')}", "%s%n {.arg x} {", "\u00e9\u4e2d", "\xff", c("a", "b"), c("A", NA), strrep("x", 1e4), "mean", "R",
    list(), list(1), list(NULL), list(a = 1), list(1, "a"), nested(50), list(theta = 1, phi = 2), vector("list", 3),
    function() 1, function(...) stop("boom"), sum, `if`, factor("a"), factor(c("b", NA)), ordered("a"), Sys.Date(),
    Sys.time(), as.difftime(1, units = "secs"), 1i, raw(1), as.raw(0:3), quote(x), quote(f(x)), y ~ x, globalenv(), new.env(),
    numeric_version("1.0"), I(1), noquote("a"), as.hexmode(1), methods::getClass("numeric"), stats::ts(1:3), expression(a)
  ),
  list(
    matrix(0, 0, 0), matrix(1, 0, 3), matrix(1, 3, 0), matrix(NA, 2, 2), matrix(NA_real_, 6, 8), matrix("a", 2, 2),
    matrix(list(1), 1, 1), matrix(1:4, 2), matrix(-1, 2, 2), matrix(0.5, 2, 2), matrix(2^53, 2, 2), matrix(2^31, 6, 8),
    matrix(Inf, 2, 2), matrix(NaN, 6, 8), matrix(TRUE, 2, 2), matrix(1i, 2, 2), matrix(0, 6, 8), matrix(1, 1, 1),
    matrix(.Machine$integer.max, 2, 2), array(1, c(2, 2, 2)), array(1, rep(1, 13)), array(1:2, 2), array(0, c(2, 0, 2)),
    array(NA, c(2, 2, 2)), table(c(1, 2), c(1, 2)), table(1:3), counts, square, cube, -counts, counts + 0.5, counts * 1e308,
    `dimnames<-`(counts, list(NULL, paste0("{", 1:8, "}"))), `dimnames<-`(counts, list(rep("a", 6), rep(NA, 8))),
    cbind(1, 1), cbind(1, 99), cbind(0, 1), cbind("a", "A"), cbind("z", "{x}"), cbind(NA, 1), cbind(1.5, 1), cbind(1, 1, 1)
  ),
  list(
    data.frame(), data.frame(x = 1), data.frame(i = 1:2, j = 1:2, n = 1:2), data.frame(i = c("a", "b"), j = c("x", NA), n = 1:2),
    data.frame(i = factor("a"), j = factor("b"), n = 1), data.frame(i = 1, j = 1, n = -1), data.frame(i = 1.5, j = 1, n = 1),
    data.frame(i = 2e9, j = 2e9, n = 1), data.frame(i = 1e300, j = 1, n = 1), data.frame(i = 1, j = 1, k = 1, n = NA),
    data.frame(`{x}` = factor("{y}"), `%s` = factor("%n"), n = 1, check.names = FALSE),
    data.frame(i = I(list(1)), j = 1, n = 1), data.frame(i = 1:2, n = I(matrix(1:4, 2))), data.frame(Sys.Date(), Sys.time(), 1),
    data.frame(i = factor(character()), j = factor(character()), n = numeric()), data.frame(a = 1, a = 1, a = 1, check.names = FALSE),
    fake("data.frame"), fake("data.frame", list(a = 1:3, b = 1)), fake(c("tbl_df", "tbl", "data.frame"), list(a = 1))
  ),
  list(
    columns, Matrix::drop0(columns), methods::as(columns, "TsparseMatrix"), methods::as(columns > 1, "nMatrix"), columns > 1,
    Matrix::Matrix(crossprod(square), sparse = TRUE), Matrix::Diagonal(3), methods::as(3:1, "pMatrix"),
    methods::new("dgCMatrix", Dim = c(2147483647L, 3L), p = integer(4)),
    Matrix::sparseMatrix(i = 1, j = 1, x = 1, dims = c(LARGEST, LARGEST)), Matrix::sparseVector(1, 1, 5),
    change(columns, "p", columns@p[1:2]), change(columns, "i", columns@i + 50L), change(columns, "Dim", c(-4L, 3L)),
    change(columns, "Dim", c(2147483647L, 8L)), change(columns, "x", columns@x[1]), change(columns, "x", columns@x * NA),
    methods::new("dgCMatrix"), methods::new("dgTMatrix")
  ),
  list(
    released, sparse, pairs, cubed, released[0, ], released[, 0], fit, variational, network, tensor, own, spectral, vi,
    gamma_prior(), beta_prior(), gamma_prior(1e-300, 1e300), gamma_prior(1e300, gamma_prior(1e300, 1e-300)), poliblog[1:5, 1:5],
    fake("private_counts", 1), fake("private_counts"), fake("private_counts", list(version = 3)), fake("ldp_fit"),
    fake(c("topic_model", "ldp_fit_gibbs", "ldp_fit")), fake(c("block_model", "ldp_fit_gibbs", "ldp_fit"), list(version = 1)), fake(c("tensor_model", "ldp_fit_cavi", "ldp_fit"), 1),
    fake("private_gibbs"), fake("private_gibbs", 1:3), fake("dp_lda"), fake(c("dp_lda_vi", "dp_lda")),
    fake(c("dp_lda_spectral", "dp_lda"), list(mu = 1)), fake("gamma_prior"), fake("gamma_prior", list(shape = -1, rate = NaN)),
    fake("gamma_prior", list(shape = 1, rate = fake("gamma_prior"))), fake("beta_prior"), fake("beta_prior", list(shape1 = "a")),
    fake("count_table"), fake("igraph"), fake("igraph", "a"), fake("network"), fake("dfm"), fake("simple_triplet_matrix"),
    fake("DocumentTermMatrix"), fake("table"), fake("table", 1:3), fake("factor", 1:3), fake("xtabs"), fake("held_out_density"),
    fake("a{b}"), fake("%s", 1)
  )
)

numbers <- Filter(function(x) is.numeric(x) && !is.object(x) && is.null(dim(x)), odd)

# --- calls ---------------------------------------------------------------------------------------

run <- list(iter = 4, warmup = 2, thin = 1, chains = 1, init = NULL, progress = FALSE, checkpoint = NULL)
model <- c(
  list(data = released, k = 2, family = "nbinom1", dispersion = NULL, dispersion_prior = beta_prior(), dispersion_by = "all",
    inference = "gibbs", noise = "model", scheme = "collapsed", prior = gamma_prior()
  ), run
)
more <- function(x, ...) c(x[!names(x) %in% ...names()], list(...))
passes <- more(model[!names(model) %in% c("warmup", "thin")], inference = "cavi")
bessel <- more(model, scheme = "bessel", family = "poisson")
base <- function(f, ...) list(name = f, f = if (grepl("::", f)) eval(str2lang(f)) else get(f), args = list(...))
base_of <- function(f, args) list(name = f, f = get(f), args = args)

bases <- c(
  list(
    base_of("topic_model", model), base_of("topic_model", passes), base_of("topic_model", bessel),
    base_of("block_model", more(model, data = square, directed = TRUE)),
    base_of("block_model", more(model, data = pairs, directed = FALSE)),
    base_of("block_model", more(passes, data = square)),
    base_of("tensor_model", more(model, data = cube, dims = NULL)), base_of("tensor_model", more(passes, data = cubed)),
    base("private_gibbs", data = released, step = own_step, init = own_start, iter = 4, warmup = 2, thin = 1, chains = 1),
    base("privatize", y = counts, epsilon = 1, precision = 1, alpha = NULL, rng = "R", clamp = FALSE, directed = TRUE, compose = FALSE, dims = NULL, id = NULL, na = "keep"),
    base("privatize", y = answers, epsilon = 1, rng = "R", id = "person", na = "keep"),
    base("private_counts", x = answers, alpha = 0.5, id = "person"),
    base("topic_model", data = answers, k = 2, id = "person", iter = 4, progress = FALSE),
    base("privatize", y = counts, epsilon = NULL, alpha = 0.5, rng = "R", clamp = TRUE),
    base("privatize", y = released, epsilon = 0.5, rng = "R", compose = TRUE),
    base("privatize", y = data.frame(i = 1:2, j = 1:2, n = 1:2), epsilon = 1, dims = c(3, 3), rng = "R"),
    base("privatize", y = listed, epsilon = 1, dims = c("i", "j"), rng = "R"),
    base("private_counts", x = listed, epsilon = 1, dims = c("i", "j"), fill = 0),
    base("tensor_model", data = listed, k = 2, dims = c("i", "j"), iter = 4, progress = FALSE),
    base("private_counts", x = counts, alpha = NULL, epsilon = 1, precision = 1, clamped = FALSE, directed = TRUE, dims = NULL),
    base("privacy", x = released), base("privacy_loss", released, sparse, precision = 1),
    base("geometric_alpha", epsilon = 1, precision = 1), base("geometric_epsilon", alpha = 0.5, precision = 1),
    base("gamma_prior", shape = 1, rate = 1), base("beta_prior", shape1 = 1, shape2 = 1),
    base("write_release", x = released, file = "a.txt"), base("read_release", file = file),
    base("read_release_lines", x = c("ldp1:1/1:1:68cb2ca2:4.-1.0::c98cf878", NA), items = c("calls", "mails", "visits")),
    base("collection_page", items = c("a", "b"), epsilon = 1, precision = 1, file = "a.html", input = "text", title = "a", intro = NULL, participant = TRUE, na = "error", offer = "file", post_to = NULL, texts = NULL, lang = "en", overwrite = TRUE),
    base("collection_page", items = "a", epsilon = 1, file = "b.html", na = "keep", texts = collection_texts(), overwrite = TRUE),
    base("align_topics", phi = matrix(1:6, 2), target = matrix(6:1, 2)), base("coherence", x = fit, reference = counts, n = 3),
    base("npmi", x = matrix(1:16, 2), reference = counts, n = 3), base("mae", estimate = counts, truth = counts + 1),
    base("poisson_kl", estimate = counts + 1, truth = counts), base("heat_map", x = counts, limit = NULL, main = "a", rows = 1),
    base("holdout_cells", data = counts, type = "random", fraction = 0.1, n = 2, dims = NULL),
    base("holdout_cells", data = square, type = "active", n = 2), base("holdout_cells", data = cubed, type = "rows"),
    base("held_out_density", fit = partial, data = counts, cells = held_out$cells),
    base("compare_k", data = released, k = 1:2, model = "topic", cells = NULL, loo_cells = 5, dims = NULL, iter = 4),
    base("compare_methods", y = counts, k = 2, epsilon = 1, model = "topic", precision = 1, repetitions = 1, cells = NULL, mu = NULL, iter = 4, progress = FALSE),
    base("compare_privacy", counts = poliblog[1:40, 1:12], k = 2, epsilon = 1, topics = NULL, methods = "local", alpha0 = 1, delta = 1e-6, precision = 1, repetitions = 1, held_out = 0.1, local = list(iter = 4), progress = FALSE),
    base("dp_lda_spectral", counts = counts + 1, k = 2, alpha0 = 1, epsilon = 1, delta = 1e-5, config = "9", rng = "R"),
    base("dp_lda_spectral", counts = counts + 1, k = 2, alpha0 = 1),
    base("dp_lda_vi", counts = counts, k = 2, alpha = 0.1, eta = 0.1, epsilon = 1, delta = 1e-5, lmax = 5, clip = 1, iter = 2, rng = "R"),
    base("resimulate", fit = fit, shape = 10, scale = 1, dispersion = NULL),
    base("simulate_blocks", V = 4, k = 2, shape = 1, rate = 1, least = 0.1, directed = TRUE, dispersion = 1),
    base("simulate_tensor", dims = 2:4, k = 2, shape = 1, rate = 1, dispersion = 1),
    base("simulate_topics", D = 4, V = 6, k = 2, separation = 0.5, words = 5, shape = 1, dispersion = 2),
    base("private_means", release = released, by = group, weights = 1:6, what = "totals", differences = TRUE, population = c(left = 10, right = 10), items = NULL, level = 0.9),
    base("private_means", release = cubed, by = NULL, weights = NULL, items = NULL),
    base("topic_model", data = released, k = 2, groups = group, iter = 4, progress = FALSE),
    base("block_model", data = square, k = 2, groups = group, iter = 4, progress = FALSE),
    base("tensor_model", data = cubed, k = 2, groups = c("a", "b"), inference = "cavi", iter = 4, progress = FALSE),
    base("topic_model", data = released, k = 2, inference = "svi", batch = 2, iter = 2, progress = FALSE),
    base("topic_model", data = release_shards(file), k = 2, inference = "svi", batch = 2, iter = 2, progress = FALSE),
    base("group_effects", fit = grouped, level = 0.9),
    base("regress_poisson", alpha = 0.5, link = "log"),
    base("regress_nbinom1", alpha = 0.5, dispersion = NULL, link = "log"),
    base("regress_nbinom1", alpha = rep(0.5, 48), dispersion = 2, link = "log"),
    base("release_shards", files = file), base("read_releases", files = file, items = NULL, participants = NULL, complete = FALSE, network = FALSE),
    base("explain_privacy", epsilon = 1, precision = 1, example = "whether one more was written"),
    base("plan_study", k = 2, epsilon = 1, rows = 20, items = 5, mean_count = 1, pilot = NULL, model = "topic", precision = 1),
    base("plan_study", k = 2, epsilon = 1, pilot = counts), base("ldp_threads", n = 1),
    base("elbo", fit = variational), base("top_terms", fit = fit, n = 3)
  ),
  # methods: of the first argument only what has the class
  lapply(list(
    base("update", object = fit, iter = 2, progress = FALSE, checkpoint = NULL), base("update", object = variational, iter = 2),
    base("update", object = fit, chains = 1, warmup = 2), base("subset", x = fit, chains = 1), base("modes", fit = fit),
    base("update", object = own, iter = 2), base("fitted", object = fit, cells = cbind(1, 2)), base("coef", object = tensor),
    base("predict", object = fit, newdata = counts[1:2, ], type = "mean", draws = 2, sweeps = 2),
    base("predict", object = fit, type = "factors"), base("as.matrix", x = fit, aligned = TRUE), base("summary", object = network),
    base("augment", x = fit, type = "cells", cells = cbind(1, 2), level = 0.9),
    base("augment", x = fit, by = group, items = 1:3, level = 0.9, draws = 4),
    base("predict", object = grouped, newdata = counts[1:2, ], groups = c("left", "right"), draws = 2, sweeps = 2),
    base("as.data.frame", x = released, na.rm = TRUE), base("fitted", object = grouped),
    base("fitted", object = fit, cells = data.frame(row = c("a", "b"), column = 1:2)), base("tidy", x = fit, matrix = "beta"),
    base("glance", x = variational), base("simulate", object = fit, nsim = 1, seed = 1), base("as_draws_array", x = fit, aligned = FALSE),
    base("as_draws_matrix", x = own), base("plot", x = fit, type = "components", n = 3), base("plot", x = network, type = "network", n = 3, edges = 2),
    base("plot", x = fit, type = "trace"), base("rstantools::log_lik", object = fit, cells = cbind(1, 2)),
    base("rstantools::posterior_predict", object = network, cells = cbind(1, 2)), base("loo::loo", x = fit, cells = cbind(1, 1:2)),
    base("rbind", released, released), base("head", x = released, n = 2), base("[", released, 1:2, 3), base("is.na<-", released, value = cbind(1, 2)),
    base("[<-", released, 1, 2, value = NA), base("dimnames<-", released, value = list(letters[1:6], NULL)), base("as.matrix", x = sparse, sparse = TRUE),
    base("[", cubed, 1, 1:2, 3), base("print", x = released), base("summary", object = sparse), base("plot", x = released)
  ), function(x) c(x, method = TRUE))
)
laws <- list(
  twogeom = list(alpha = 0.5), skellam = list(lambda1 = 1, lambda2 = 2), bessel = list(nu = 1, a = 2),
  privpois = list(mu = 2, alpha = 0.5), privnbinom = list(mu = 2, dispersion = 2, alpha = 0.5),
  truecount = list(y_tilde = 2, mu = 2, alpha = 0.5, dispersion = 2)
)
law_bases <- unlist(lapply(names(laws), function(law) {
  list(
    base_of(paste0("d", law), c(list(x = 1), laws[[law]], log = TRUE)),
    base_of(paste0("p", law), c(list(q = 1), laws[[law]], lower.tail = FALSE, log.p = TRUE)),
    base_of(paste0("q", law), c(list(p = 0.3), laws[[law]], lower.tail = TRUE, log.p = FALSE)),
    base_of(paste0("r", law), c(list(n = 3), laws[[law]]))
  )
}), recursive = FALSE)
law_bases <- c(law_bases, list(
  base_of("truecount_mean", laws$truecount), base_of("truecount_var", laws$truecount),
  base("log_bessel_i", x = 1, nu = 2), base("bessel_i_ratio", x = 1, nu = 2)
))

# --- cases ---------------------------------------------------------------------------------------

SIZES <- c(
  "iter", "warmup", "thin", "chains", "sweeps", "draws", "repetitions", "nsim", "n", "k", "starts", "maxit", "words",
  "loo_cells", "n_row", "V", "D", "batch"
)
is_long <- function(name, x) {
  if (methods::is(x, "sparseMatrix")) {
    return(name == "data" && max(dim(x)) == LARGEST) # of compare_k(), many fits
  }
  x <- unclass(x)
  name %in% SIZES && is.numeric(x) && any(is.finite(x) & x > 50 & x <= .Machine$integer.max)
}

# A method is found by the class of its first argument.
has_class_of <- function(x, of) {
  is.object(x) && inherits(x, c("ldp_fit", "private_counts")) && inherits(x, class(of))
}

odd_value <- function(case, at) {
  first <- case$args[[1]]
  repeat {
    x <- if (at == 1 && isTRUE(case$method)) {
      pick(Filter(function(x) has_class_of(x, first), odd))
    } else if (stats::runif(1) < 0.4) {
      pick(numbers)
    } else {
      pick(odd)
    }
    if (!isTRUE(is_long(c(names(case$args), "")[at], x))) {
      return(x)
    }
  }
}

odd_call <- function() {
  case <- if (stats::runif(1) < 0.25) pick(law_bases) else pick(bases)
  places <- sample.int(length(case$args), min(length(case$args), sample(c(1, 1, 2), 1)))
  changed <- character()
  for (at in places) {
    x <- odd_value(case, at)
    name <- if (is.null(names(case$args))) at else names(case$args)[at]
    changed <- c(changed, paste0(name, " = ", show_value(x)))
    case$args[at] <- list(x)
  }
  list(
    what = paste0(case$name, "(", paste(changed, collapse = ", "), ")"),
    run = function() {
      value <- do.call(case$f, case$args, quote = TRUE)
      if (inherits(value, c("ldp_fit", "private_counts", "dp_lda", "k_comparison", "held_out_density"))) print(value)
    }
  )
}

fuzz(odd_call, 2000)
# nolint end
