# The help pages of the package and of its data, and the generics of other packages that it exports.

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
#' their own. Most end with exercises and their answers. `vignette(package = "ldpcounts")` lists those that
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
#' @importClassesFrom Matrix dgCMatrix
#' @importFrom rlang .data
#' @useDynLib ldpcounts, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"

# Generics of other packages, exported under their names. Their help pages here are those of the methods.

#' @importFrom generics augment glance tidy
#' @importFrom posterior as_draws as_draws_array as_draws_matrix
#' @rawNamespace
#' export(augment)
#' export(glance)
#' export(tidy)
#' export(as_draws)
#' export(as_draws_array)
#' export(as_draws_matrix)
NULL

#' E-mail messages between people at Enron
#'
#' The number of messages that each of 161 e-mail addresses sent to each of the others, from November 1998
#' to June 2002.
#'
#' Each message counts once for every recipient (to, cc or bcc). The data include an address if, in the
#' source, it sent at least one message, and if the numbers of messages that it sent and received add up to at
#' least 100. Schein et al. (2019) select addresses by the same rule, but their exact data may differ. The
#' source contains many messages several times, once per folder, so the counts are about three times too
#' large. Some people have more than one address. The diagonal is zero, and should be treated as missing.
#'
#' @format `enron_network`: an integer matrix, 161 senders x 161 recipients, with addresses (the
#'   part before the @@) for names; 2,825 cells are positive, the largest is 3,743.
#'   `enron_actors`: a data frame with one row per address in the same order: `address`, `name`,
#'   `note` (position, where known), `sent`, `received` (row and column sums).
#' @source Data set `enron` of the R package igraphdata 1.0.1, from Priebe, C. E., Conroy, J. M.,
#'   Marchette, D. J. and Park, Y. (2005). Scan statistics on Enron graphs. *Computational and
#'   Mathematical Organization Theory* 11, 229-247; after Klimt, B. and Yang, Y. (2004). The Enron
#'   corpus. *ECML*. Licence: CC BY-SA 4.0, see the file LICENSE.note of this package. The data were made by
#'   the script `data-raw/enron_network.R` in the sources.
#' @examples
#' dim(enron_network)
#' mean(enron_network > 0)
#' head(enron_actors[order(-enron_actors$sent), ], 3)
#' @name enron_network
#' @aliases enron_actors
"enron_network"

#' @rdname enron_network
"enron_actors"

#' Words in political blogs
#'
#' The number of times that each of 1,290 words occurs in each of 773 posts on political blogs in 2008.
#'
#' @format `poliblog`: an integer matrix, 773 documents x 1,290 words, with the words for column
#'   names; 70,024 cells are positive, the largest is 50. `poliblog_rating`: for each document,
#'   `"liberal"` or `"conservative"`, a factor.
#' @source Data sets `poliblog.*` of the R package lda 1.5.2 (LGPL >= 2.1), after Blei, D. M. and
#'   McAuliffe, J. (2008). Supervised topic models. *NIPS*. The data were made by the script
#'   `data-raw/poliblog.R` in the sources.
#' @examples
#' dim(poliblog)
#' head(sort(colSums(poliblog), decreasing = TRUE))
#' table(poliblog_rating)
#' @name poliblog
#' @aliases poliblog_rating
"poliblog"

#' @rdname poliblog
"poliblog_rating"
