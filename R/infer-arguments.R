# The arguments that the model functions share: written once, and put behind the own ones of each.

SHARED_ARGUMENTS <- alist(
  family = c("nbinom1", "poisson"), dispersion = NULL, dispersion_prior = beta_prior(),
  dispersion_by = c("all", "row"), inference = c("gibbs", "cavi"), noise = c("model", "ignore"),
  augmentation = c("collapsed", "bessel"), prior = gamma_prior(0.3, rate = gamma_prior(1, 1)),
  iter = 2000, warmup = floor(iter / 2), thin = NULL, chains = 4, init = NULL,
  progress = interactive(), checkpoint = NULL
)

# fit_model() reads them in the frame of the function that is called.
model_function <- function(own) {
  formals(own) <- c(formals(own), SHARED_ARGUMENTS)
  own
}
