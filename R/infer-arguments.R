# The arguments that all model functions share. They follow the arguments specific to each function.

SHARED_ARGUMENTS <- alist(
  family = c("nbinom1", "poisson"), dispersion = NULL, dispersion_prior = beta_prior(),
  dispersion_by = c("all", "row"), inference = c("gibbs", "cavi"), noise = c("model", "ignore"),
  augmentation = c("collapsed", "bessel"), prior = gamma_prior(0.3, rate = gamma_prior(1, 1)),
  groups = NULL, iter = 2000, warmup = floor(iter / 2), thin = NULL, chains = 4, init = NULL,
  progress = interactive(), checkpoint = NULL
)

# Adds the shared arguments to a model function. fit_model() reads them from the frame of that function.
# `inference`: the types of inference of the model.
model_function <- function(own, inference = NULL) {
  shared <- SHARED_ARGUMENTS
  if (!is.null(inference)) shared$inference <- as.call(c(as.name("c"), as.list(inference)))
  formals(own) <- c(formals(own), shared)
  own
}
