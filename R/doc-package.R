# The help page of the package.

#' ldpcounts: topics and communities from locally private counts
#'
#' The geometric mechanism ([privatize()]) adds noise to counts before they are collected, for example on a
#' person's phone. Only the noised (released) counts are collected. [topic_model()], [block_model()] and
#' [tensor_model()] estimate topics, communities and components from them, by Bayesian inference that accounts
#' for the noise.
#'
#' @section Where to start:
#' Read the vignettes in this order:
#'
#' `r paste(vignette_table("vignettes"), collapse = "\n")`
#'
#' The first takes ten minutes, and the next two help to plan and analyse a study; the others can be read on
#' their own. Each ends with exercises and their answers. `vignette(package = "ldpcounts")` lists those that
#' are installed. To build all of them, run the command `make vignettes` in the sources of the package.
#'
#' Help pages for beginners: [what-is-protected], [which-family], [what-works],
#' [data-objects] and [long-runs].
#'
#' @section Words:
#' * *true count* `y`, *released count* `y_tilde = y + tau`, *noise* `tau`, two-sided geometric;
#' * *epsilon*: how much a release may reveal, see [privatize()]; *precision* `N`: epsilon applies to records
#'   that differ by up to `N` counts; `alpha = exp(-epsilon / N)`: noise of `t + 1` is `alpha` times as
#'   probable as noise of `t` (for `t` from 0), so a larger `alpha` means more noise;
#' * *modes* of the data: the dimensions of a matrix (rows and columns) or of an array;
#' * *factors*: `theta`, `phi`, `pi`, `theta1` and so on, the non-negative weights that determine the mean
#'   `mu` of every count; *prior*: the gamma distribution assumed for these weights before the data are seen,
#'   with its *shape* and *rate*;
#' * *sweep*: one update of all parameters by the Gibbs sampler; *warmup*: the first sweeps, which are not
#'   kept;
#'   *thinning*: keeping only every second, third, ... sweep; *chains*: independent runs;
#' * *private* analysis: models the noise; *naive*: sets negative released counts to zero and takes the result
#'   for true counts; *non-private*: uses the true counts.
#'
#' Arguments that are text, such as `family = "poisson"`, are case-sensitive.
#'
#' @references
#' Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally private
#' Bayesian inference for count models. *Proceedings of the 36th International Conference on
#' Machine Learning*, PMLR 97. arXiv:1803.08471.
#'
#' Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally utility-maximizing
#' privacy mechanisms. *SIAM Journal on Computing* 41(6), 1673-1693.
#'
#' @srrstats {G1.0} the paper of the method and that of the mechanism are in the references and DESCRIPTION.
#' @srrstats {G1.1} README.md, Related work: first in R, with the authors' own code and the nearest packages.
#' @srrstats {G1.2} CONTRIBUTING.md, Life cycle.
#' @srrstats {G1.3} section Words; R-hat and effective draws in the vignette gibbs-or-variational, the bound
#'   in the help of elbo().
#' @srrstats {G1.4} every exported function has a help page made by roxygen2.
#' @srrstats {G1.5} inst/case-studies redoes the paper's experiments, bench/ measures the claims on speed.
#' @srrstats {G2.3b} section Words says that text arguments are case-sensitive.
#' @importClassesFrom Matrix dgCMatrix
#' @importFrom rlang .data
#' @useDynLib ldpcounts, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"
