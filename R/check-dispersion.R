# A posterior predictive check: do the counts vary more than the fit says?

# Mean squared Pearson residual, which is about 1 if released counts vary as much as the model says.
mean_squared_residual <- function(y_tilde, moments) {
  mean((y_tilde - moments$mean)^2 / pmax(moments$variance, .Machine$double.xmin))
}

# Posterior predictive check (Gelman, Meng and Stern 1996) of the dispersion of released counts: for each
# draw, the mean squared residual of the observed counts and of one replicate.
dispersion_check <- function(fit) {
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    moments <- cell_moments(fit, s, input, cells)
    replicated <- replicate_cells(fit, s, input, cells)
    c(mean_squared_residual(y_tilde, moments), mean_squared_residual(replicated, moments))
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

# In large data even a negligible misfit is detected, so excess variation below a tenth is not reported.
SPREAD_NOTABLE <- 1.1

# One line. It says what to do, unless the line on implied noise does so (`named`).
describe_dispersion <- function(check, family, named = FALSE) {
  if (is.null(check)) {
    return(NULL)
  }
  more <- is_overdispersed(check)
  less <- check$p > 0.95 && check$replicated > SPREAD_NOTABLE * check$observed
  varies <- if (more) "more than" else if (less) "less than" else "about as much as"
  residuals <- vapply(check[c("observed", "replicated")], format, "", digits = 3)
  paste0(
    "Counts vary ", varies, " the model expects (mean squared residual ", residuals[["observed"]],
    ", in replicated data ", residuals[["replicated"]], "; posterior predictive p ", format_tail(check), ").",
    if (more && family$name == "poisson" && !named) paste0(" ", REFIT)
  )
}

is_overdispersed <- function(check) check$p < 0.05 && check$observed > SPREAD_NOTABLE * check$replicated

# The tail probability, as exactly as the number of replicates allows.
format_tail <- function(check) {
  least <- 1 / check$replicates
  p <- min(max(check$p, least), 1 - least)
  paste(if (check$p < p) "<" else if (check$p > p) ">" else "=", format(p, digits = 2))
}
