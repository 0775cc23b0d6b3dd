# Releases made anew, as the model says, and what they show when they are laid beside the one that
# was observed.

# True counts with these means; excess (dispersion - 1) is 0 for Poisson ones. (rnbinom() knows no
# mean of 0, which a product of factors may come to.)
replicate_counts <- function(mu, excess) {
  n <- length(mu)
  rate <- if (all(excess == 0)) mu else stats::rgamma(n, shape = mu / excess, scale = excess)
  stats::rpois(n, rate)
}

# Releases of such counts.
replicate_release <- function(mu, excess, alpha, clamped) {
  y_tilde <- replicate_counts(mu, excess) + rtwogeom(length(mu), alpha)
  if (clamped) pmax(y_tilde, 0) else y_tilde
}

# log E[alpha^y] of such counts.
log_generating <- function(mu, excess, alpha) {
  if (all(excess == 0)) -(1 - alpha) * mu else -mu / excess * log1p((1 - alpha) * excess)
}

# Mean and variance of a release. Clamped ones lose their part below zero, -y_tilde, which is
# positive with probability E[alpha^y] alpha/(1 + alpha) and then geometric.
release_moments <- function(mu, excess, alpha, clamped) {
  variance <- mu * (1 + excess) + 2 * alpha / (1 - alpha)^2
  if (!clamped) {
    return(list(mean = mu, variance = variance))
  }
  below <- exp(log_generating(mu, excess, alpha)) * alpha
  mean <- mu + below / (1 - alpha^2)
  list(mean = mean, variance = variance + mu^2 - below / (1 - alpha)^2 - mean^2)
}

# Releases of some cells, and their moments, in draw s; `input` as model_data() has it.
replicate_cells <- function(fit, s, input, cells) {
  replicate_release(
    draw_cell_mean(fit, s, cells), draw_cell_excess(fit, s, cells), input$alpha[cells[, 1]],
    input$clamped
  )
}
cell_moments <- function(fit, s, input, cells) {
  release_moments(
    draw_cell_mean(fit, s, cells), draw_cell_excess(fit, s, cells), input$alpha[cells[, 1]],
    input$clamped
  )
}

# Mean squared Pearson residual: 1 where releases are spread as the model says.
mean_squared_residual <- function(y_tilde, moments) {
  mean((y_tilde - moments$mean)^2 / pmax(moments$variance, .Machine$double.xmin))
}

# What summarise(s, input, cells, y_tilde) gives of N_REPLICATES draws s, at about N_CHECKED observed cells: a
# list, with `y_tilde`, what was observed at these. The same each time, and off the caller's stream of
# random numbers. NULL if none of the cells were observed.
over_replicates <- function(fit, summarise) {
  input <- input_of(fit)
  cells <- checked_cells(input$counts, model_of(fit)$network)
  if (nrow(cells) == 0) {
    return(NULL)
  }
  y_tilde <- counts_at(input$counts, cells)
  draws <- rep_len(spread_draws(fit, N_REPLICATES), N_REPLICATES)
  values <- with_stream(chain_streams(1, 0)[[1]], lapply(draws, summarise, input, cells, y_tilde))$value
  list(y_tilde = y_tilde, values = values)
}

# Posterior predictive check (Gelman, Meng and Stern 1996) of how spread the releases are: the mean
# squared residual of what was observed and of one replicate, for each draw.
dispersion_check <- function(fit) {
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    moments <- cell_moments(fit, s, input, cells)
    replicate <- replicate_cells(fit, s, input, cells)
    c(mean_squared_residual(y_tilde, moments), mean_squared_residual(replicate, moments))
  })
  if (is.null(made)) {
    return(NULL)
  }
  spread <- do.call(cbind, made$values)
  list(
    observed = mean(spread[1, ]), replicated = mean(spread[2, ]),
    p = mean(spread[2, ] >= spread[1, ]), cells = length(made$y_tilde), replicates = N_REPLICATES
  )
}

N_REPLICATES <- 50
N_CHECKED <- 1e4

# About N_CHECKED observed cells, spread over the data, or all of them.
checked_cells <- function(counts, network) {
  share <- n_observed(counts, network) / n_cells(counts)
  n <- min(N_CHECKED / share, 1e6)
  if (n_cells(counts) <= n) {
    return(observed_cells(counts, network))
  }
  cells <- spread_cells(dim(counts), n, network)
  cells[!is.na(counts_at(counts, cells)), , drop = FALSE]
}

# Large data show any misfit, and priors some: less than a tenth is not worth a word.
SPREAD_NOTABLE <- 1.1

# One line. The remedy is named unless the line on implied noise does so.
describe_dispersion <- function(check, family, named = FALSE) {
  if (is.null(check)) {
    return(NULL)
  }
  more <- check$p < 0.05 && check$observed > SPREAD_NOTABLE * check$replicated
  less <- check$p > 0.95 && check$replicated > SPREAD_NOTABLE * check$observed
  figures <- paste0(
    "mean squared residual ", format_residual(check$observed), ", in replicated data ",
    format_residual(check$replicated), "; posterior predictive p ", format_tail(check)
  )
  varies <- if (more) "more than" else if (less) "less than" else "about as much as"
  paste0(
    "Counts vary ", varies, " the model says (", figures, ").",
    if (more && family$name == "poisson" && !named) paste0(" ", REFIT)
  )
}

format_residual <- function(x) format(x, digits = 3)

# What so many replicates can tell.
format_tail <- function(check) {
  smallest <- 1 / check$replicates
  if (check$p < smallest) {
    paste("<", format(smallest))
  } else if (check$p > 1 - smallest) {
    paste(">", format(1 - smallest))
  } else {
    paste("=", format(check$p, digits = 2))
  }
}
