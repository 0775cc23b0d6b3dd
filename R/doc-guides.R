# Help pages without a function: what works together, families, what is protected, long runs, large data, fits.
#
# test-what_works.R tests each cell of the first table, for each scheme: yes, or no for a combination that throws an
# error. Add rows for a new model, inference or family, and a column for a new feature.

#' Which features work together
#'
#' Lists which combinations of models, families, types of inference and properties of the data are supported.
#' Those marked *no* stop with an error of class `ldpcounts_error` before any work is done.
#'
#' @name what-works
#' @section Models of this package:
# nolint start: line_length_linter. A row of the table is one line.
#' | model | network | family | inference | scheme | `NA` cells | `alpha` by row | clamped | `noise = "ignore"` | dispersion by row | dispersion by column | `predict()` new rows | `groups` |
#' |---|---|---|---|---|---|---|---|---|---|---|---|---|
#' | [topic_model()] | - | poisson | [gibbs()] | collapsed, tokens, bessel | yes | yes | yes | yes | no | no | yes | yes |
#' | [topic_model()] | - | poisson | [cavi()] | collapsed, bessel, delta | yes | yes | yes | yes | no | no | yes | yes |
#' | [topic_model()] | - | poisson | [svi()] | collapsed | yes | yes | yes | yes | no | no | yes | no |
#' | [topic_model()] | - | nbinom1 | [gibbs()] | collapsed | yes | yes | yes | yes | yes | yes | yes | yes |
#' | [topic_model()] | - | nbinom1 | [gibbs()] | tokens | yes | yes | yes | yes | yes | no | yes | yes |
#' | [topic_model()] | - | nbinom1 | [cavi()] | collapsed | yes | yes | yes | yes | yes | no | yes | yes |
#' | [topic_model()] | - | nbinom1 | [svi()] | collapsed | yes | yes | yes | yes | no | no | yes | no |
#' | [block_model()] | directed | poisson | [gibbs()] | collapsed, tokens, bessel | yes | yes | yes | yes | no | no | no | yes |
#' | [block_model()] | directed | poisson | [cavi()] | collapsed, bessel, delta | yes | yes | yes | yes | no | no | no | yes |
#' | [block_model()] | directed | nbinom1 | [gibbs()] | collapsed, tokens | yes | yes | yes | yes | yes | no | no | yes |
#' | [block_model()] | directed | nbinom1 | [cavi()] | collapsed | yes | yes | yes | yes | yes | no | no | yes |
#' | [block_model()] | undirected | poisson | [gibbs()] | collapsed, tokens, bessel | yes | no | yes | yes | no | no | no | yes |
#' | [block_model()] | undirected | poisson | [cavi()] | collapsed, bessel, delta | yes | no | yes | yes | no | no | no | yes |
#' | [block_model()] | undirected | nbinom1 | [gibbs()] | collapsed, tokens | yes | no | yes | yes | no | no | no | yes |
#' | [block_model()] | undirected | nbinom1 | [cavi()] | collapsed | yes | no | yes | yes | no | no | no | yes |
#' | [tensor_model()] | - | poisson | [gibbs()] | collapsed, tokens, bessel | yes | yes | yes | yes | no | no | no | yes |
#' | [tensor_model()] | - | poisson | [cavi()] | collapsed, bessel, delta | yes | yes | yes | yes | no | no | no | yes |
#' | [tensor_model()] | - | nbinom1 | [gibbs()] | collapsed | yes | yes | yes | yes | yes | yes | no | yes |
#' | [tensor_model()] | - | nbinom1 | [gibbs()] | tokens | yes | yes | yes | yes | yes | no | no | yes |
#' | [tensor_model()] | - | nbinom1 | [cavi()] | collapsed | yes | yes | yes | yes | yes | no | no | yes |
# nolint end
#'
#' The last eight columns are: masked cells ([private_counts()]); one noise
#' level per row; a release that was [clamped at zero][privatize]; the naive analysis, which sets negative
#' released counts to zero and takes the result for true counts; `dispersion_by = "row"`;
#' `dispersion_by = "column"`;
#' [predict()][predict.ldp_fit] with `newdata`; and `groups` of rows (see [group_effects()]). Features that
#' are marked *yes* can be combined. All models also accept true counts in any of the [supported data
#' types][data-objects].
#'
#' @section Why some combinations do not work:
#' * The Bessel augmentation represents a release as a difference of Poisson counts, so true counts have
#'   to be Poisson. For `family = "nbinom1"` use `scheme = "collapsed"` or `"tokens"`, which are exact as
#'   well.
#' * `inference = "svi"` is for topic models only, because their rows are independent given the topics. It has
#'   the collapsed scheme only. Counts in files ([release_shards()]) need `inference = "svi"` or a `cluster`;
#'   masked cells, noise levels per row, clamped releases and both families work with them too.
#' * `cluster` is for `inference = "gibbs"` of topic and tensor models, with all that works there. Counts in
#'   files need `scheme = "collapsed"` (which `"auto"` means for them) or `"tokens"`.
#' * `groups` cannot be used with `inference = "svi"`, a `cluster` or counts in files, because the sums that
#'   the rates of groups need are not exchanged.
#' * `scheme = "delta"` approximates an update of variational inference that Gibbs sampling does not
#'   have.
#' * `dispersion_by = "row"` and `"column"` need `family = "nbinom1"`, because Poisson counts always have a dispersion
#'   of 1. `"column"` is only for [gibbs()] with `scheme = "collapsed"` (which `"auto"` means for it), and without
#'   a `cluster`.
#' * In an undirected network each pair belongs to two rows, so it has no single row whose noise level or
#'   dispersion could be used.
#' * A new actor of a network adds a row and a column, and changes the information about all other actors.
#'   Fit again, with `NA` for unknown counts. New indices of a tensor need a new fit as well.
#'
#' @section Other mechanisms than geometric noise:
#' Releases of all other [mechanisms] can be used with [gibbs()], in all models and with both families: with `NA`
#' cells, parameters per row or per cell, dispersion per row, `groups`, threads, checkpoints,
#' [predict()][predict.ldp_fit], [augment()][augment.ldp_fit], [simulate()][simulate.ldp_fit],
#' [log_lik()][log_lik.ldp_fit] and
#' [loo()][loo.ldp_fit]. A sweep takes about 1 to 3 times as long as with geometric noise, and up to 8 times with noise
#' of real numbers. They stop
#' with an error in [cavi()] and [svi()], with `scheme = "bessel"`, `noise = "ignore"` or a `cluster`, and in
#' [private_gibbs()], [check_margins()], [explain_privacy()] and [privacy_loss()]. The checks of
#' implausible noise and of the dispersion are left out. A column of them is the response of a regression with
#' `mgcv::gam()`, see [private_nbinom1()]. With package brms the mechanism can be any except
#' [withheld()] counts and a [custom_mechanism()], see [brms_private_nbinom1()]. [private_means()]
#' accepts those whose noise has mean zero: discrete Gaussian, Skellam, Laplace and Gaussian noise, and random rounding.
#' [plan_study()] and [compare_methods()] accept those that add noise. [write_release()] writes all but a
#' [custom_mechanism()].
#'
#' @section Your own model:
#' [private_gibbs()] works with any model of Poisson counts for which you have a sampler given true counts. It
#' supports masked cells, one noise level per row and clamped releases. For overdispersed counts, the state of
#' your sampler can contain one gamma weight per count; see [private_gibbs()].
#'
#' @seealso [which-family], [long-runs], [what-is-protected]
#' @examples
#' # all features at once: masked cells, two noise levels, clamped at zero
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:40], epsilon = rep(c(1, 3), 30), clamp = TRUE)
#' is.na(released) <- cbind(1:20, 1:20)
#' topic_model(released, k = 2, iter = 50, family = "nbinom1", dispersion_by = "row")
NULL

#' Which family? Poisson counts and overdispersed counts
#'
#' Explains why to use `family = "nbinom1"` for real data, and `"poisson"` only to reproduce the model of
#' Schein et al. (2019) or if counts are known to be Poisson.
#'
#' @name which-family
#' @aliases families nbinom1
#' @section Overdispersed counts:
#' A Poisson model of messages, for example, assumes that the messages are independent of one another. It also
#' assumes that a count with mean `mu` has variance `mu`. Real counts are overdispersed, because they come in
#' bursts: a quarrel leads to forty messages, or a text uses the name of its subject a hundred times. The
#' variance is then many times the mean.
#'
#' For true counts a Poisson model merely fits badly. For released counts its estimates are wrong. The noise
#' has a tail like `alpha^|tau|`, and the tail of the Poisson distribution is thinner. So a Poisson model that
#' accounts for the noise explains every large count as noise, however improbable that noise is. For example,
#' if it expects a count of 3 and the released count is 80 (at an epsilon of 1), it implies noise of about 77,
#' which the mechanism adds with a probability of about `exp(-77)`. [summary()][ldp_fit-methods] of a Poisson
#' fit reports the number of such cells.
#'
#' @section The model:
#' Counts arise from events (bursts) of different sizes: each count is the sum of the sizes of its events.
#' The number of events `l` is Poisson with mean
#' `lambda`, which the factors determine as usual (`lambda[d, v] = sum_k theta[d, k] phi[k, v]`). The sizes of
#' events have the logarithmic distribution `P(j) = p^j / (q j)`, `q = -log(1 - p)`. The sum `y` of the sizes
#' is negative binomial, with
#'
#' - mean `mu = lambda * p / (q (1 - p))`, which is `lambda` times the mean size of an event,
#' - variance `dispersion * mu`, where `dispersion = 1 / (1 - p)`. The variance is proportional to the first
#'   power of the mean, hence the 1 of `nbinom1`.
#'
#' With a `dispersion` of 1, all events have size 1, and counts are Poisson.
#'
#' The factors in `as.matrix()` and `coef()` are those of `lambda`; `fitted()` is `mu`. `dispersion` is
#' estimated, with a [beta_prior()] on `1 - 1 / dispersion`, once for all data or, with `dispersion_by`, for
#' each row or for each column. If counts are in fact Poisson, the estimate is close to 1.
#'
#' If the columns are few items that differ in kind, such as the questions of a survey, use `dispersion_by =
#' "column"`. One dispersion for all of them is too large for some and too small for others, and then the totals of
#' items are wrong; [check_margins()] shows this. The dispersions of columns have a common distribution, which is
#' estimated (see [beta_prior()]), so that the dispersion of a rare item is close to those of the others unless its
#' counts say something else. The last factor of `coef()` is then multiplied by the mean size of an event in each
#' column, so that `mu` is the product of the factors; `as.matrix()` has the weights of `lambda`.
#'
#' @section Computing time:
#' A released count `y_tilde <= 0` has likelihood `alpha^|y_tilde| E[alpha^y]`, up to a constant. If `G` is
#' the probability generating function of the size of an event, then `E[alpha^y] = exp(-lambda (1 -
#' G(alpha)))` for any distribution of sizes. So a cell at or below zero has the likelihood of a Poisson zero
#' with exposure `1 - G(alpha)` (for the Poisson family, `1 - alpha`). Such a cell needs no latent variable,
#' and the time of a sweep still depends on the number of positive cells only. Here `G(z) = log(1 - p z) /
#' log(1 - p)`. For a positive cell, the true count and the number of its events are drawn exactly.
#'
#' @references Quenouille, M. H. (1949). A relation between the logarithmic, Poisson, and negative binomial
#'   series. *Biometrics* 5, 162-164. Cameron, A. C. and Trivedi, P. K. (1986). Econometric models based on
#'   count data. *Journal of Applied Econometrics* 1, 29-53, for the name. Schein et al. (2019), *ICML*, for
#'   the Poisson model. The treatment of compound Poisson counts under geometric noise is new
#'   in this package.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [beta_prior()], [dprivnbinom()].
#' @examples
#' # overdispersed counts: the Poisson family fits badly, nbinom1 well
#' set.seed(1)
#' busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:50]
#' y <- enron_network[busiest, busiest]
#' released <- privatize(y, epsilon = 1, rng = "R")
#' poisson <- block_model(released, k = 3, iter = 300, family = "poisson", chains = 1)
#' bursts <- block_model(released, k = 3, iter = 300, chains = 1)
#'
#' # mean absolute error of the released counts and of two posterior means, over cells with large
#' # counts; the mean absolute value of the noise is about 1
#' busy <- which(y > 20, arr.ind = TRUE)
#' mae(as.matrix(released)[busy], y[busy])
#' mae(augment(poisson, cells = busy)$mean, y[busy])
#' mae(augment(bursts, cells = busy)$mean, y[busy])
#' summary(poisson)
NULL

#' What is protected, from whom, and what is not
#'
#' Describes the threat model of a release made by [privatize()].
#'
#' @name what-is-protected
#' @aliases threat-model
#' @section Who has which data: Each contributor (a person, a phone, an office) keeps their own true counts
#' and adds the noise before release. Everybody who collects, stores or analyses the data gets the released
#' counts and the noise level, and nothing else. The guarantee holds against all of them, and against anybody
#' who obtains the data from them. Each of these adversaries may know everything else: all true counts of
#' other people, and all true counts of the contributor except one.
#'
#' @section What epsilon and precision mean: A record is the row of counts that one person contributes. If two
#' records differ by at most `precision` counts in all (the sum of absolute differences), any release is at
#' most `exp(epsilon)` times as likely from one as from the other. Suppose that somebody believes both records
#' to be equally probable. After the release their odds for one record are at most `exp(epsilon)` to 1: with
#' an epsilon of 0.1, 0.5, 1 and 3 a belief of 50 % becomes at most 53, 63, 74 and 96 %. (`print()` of a
#' release shows the factor `exp(epsilon)`, rounded up to three digits, so that "at most" remains true.) For
#' records at any other distance `d`, the epsilon of the same release is `epsilon * d / precision`. The
#' guarantee becomes weaker with distance: noise for a distance of 1 does not hide that one person wrote 500
#' messages more than another. The `precision` need not be a whole number. Distances are whole numbers, so
#' with a `precision` of 2.5, `epsilon` applies to records that differ by at most 2 counts. If `precision` is
#' below 1, no two different records are close enough for `epsilon` to apply, because they differ by at least
#' one count. For records that differ by one count, the privacy loss is then `epsilon / precision`.
#'
#' If a person contributes several rows, all of them together are the person's record: the
#' distances add up.
#'
#' @section What remains true after the release:
#' Nothing that is computed from a release, by any method and with any other knowledge, reveals
#' more than the release itself (post-processing). This includes every fit, plot and prediction of
#' this package, masking or dropping cells, clamping at zero, and further noise.
#'
#' @section What is not protected:
#' * *Repeated releases.* If the same counts are released twice with an epsilon of 1, the total epsilon is 2.
#'   Daily releases of a running total increase the total epsilon every day. [privacy_loss()] computes the
#'   total.
#' * *What is true of everybody.* An analysis is meant to find such facts, and they may say something about a
#'   person whether or not the person's counts are among the data.
#' * *What others report about a person.* A person's messages are also in the records of those who received
#'   them, if these are collected too.
#' * *Taking part*, the shape of the data (number of rows and columns, names), and cells that were
#'   masked before the release are not hidden.
#' * *Timing and memory*: do not let an adversary measure the time that the mechanism takes, and do not
#'   keep the true counts.
#' * *Noise from R's generator* (`rng = "R"`): whoever knows or guesses the seed can subtract the noise.
#' * *Noise levels chosen after seeing the counts*: levels must not depend on the counts. For example,
#'   `precision` must not be the mean of the counts.
#'
#' @references Schein et al. (2019), section 2 (limited-precision local privacy). Dwork, C. and
#'   Roth, A. (2014). The algorithmic foundations of differential privacy, sections 2.3 and 3.5.
#'   Kasiviswanathan, S. P. and others (2011). What can we learn privately? *SIAM Journal on
#'   Computing* 40.
#' @seealso [privatize()], [privacy_loss()], [generative-processes]
#' @examples
#' epsilon <- c(0.1, 0.5, 1, 3)
#' # from even odds to at most
#' exp(epsilon) / (1 + exp(epsilon))
#' privatize(matrix(c(2, 0, 5, 1), 2), epsilon = 1, precision = 2)
NULL

#' Four representations of a released count
#'
#' A released count is a Poisson count plus two-sided geometric noise. Schein et al. (2019) give three further
#' representations of the same distribution, which are useful for simulation, for Gibbs sampling and for
#' understanding the noise.
#'
#' @name generative-processes
#' @aliases generative_processes
#' @details
#' If the true count `y` has mean `mu` and the noise has ratio `alpha`, the released count `y_tilde` has the
#' distribution [dprivpois()] in each of these representations:
#'
#' 1. **Poisson + two-sided geometric**, as in the mechanism: `y ~ Pois(mu)`, `tau ~ 2Geo(alpha)`, and
#'    `y_tilde = y + tau`. Two-sided geometric noise is the difference of two independent geometric variables
#'    with `P(g) = (1 - alpha) alpha^g`.
#' 2. **The sum form**. A geometric variable is a Poisson variable whose mean is exponentially distributed:
#'    let `lambda_1` and `lambda_2` be exponential with *mean* `alpha / (1 - alpha)`, and `g_i ~
#'    Pois(lambda_i)`. Then `y_tilde = y + g_1 - g_2`.
#' 3. **Poisson minus Poisson with exponential rates**. The sum of `y` and `g_1` is Poisson:
#'    `y_plus ~ Pois(mu + lambda_1)`, `g_2 ~ Pois(lambda_2)`, and `y_tilde = y_plus - g_2`. The
#'    samplers with `scheme = "bessel"` use this representation.
#' 4. **Skellam with randomized rates**. The difference of two Poisson variables has a Skellam distribution:
#'    `y_tilde ~ Skel(mu + lambda_1, lambda_2)`. At `mu = 0` this is the noise alone: the two-sided
#'    geometric distribution is a mixture of Skellam distributions. Each of them is skewed, with mean
#'    `lambda_1 - lambda_2`, and the mixture is symmetric about 0.
#'
#' The mean of the exponential distributions is `alpha / (1 - alpha)`. The paper gives this number as their
#' rate, but with that rate the four distributions would not be the same (at `alpha = exp(-1)` the noise would
#' be 0 with probability 0.225, not 0.462).
#'
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*. Skellam, J. G. (1946). The
#'   frequency distribution of the difference between two Poisson variates. *Journal of the
#'   Royal Statistical Society* 109, 296.
#' @seealso [dprivpois()] for the common distribution; [privatize()], which draws the noise of a
#'   real release exactly, in integers.
#' @examples
#' mu <- 2
#' alpha <- geometric_alpha(1)
#' n <- 20000
#' set.seed(1)
#'
#' lambda <- function(n) rexp(n, rate = (1 - alpha) / alpha)
#' skellam <- function(x, rate1, rate2) {
#'   (rate1 / rate2)^(x / 2) * exp(-(sqrt(rate1) - sqrt(rate2))^2) *
#'     besselI(2 * sqrt(rate1 * rate2), abs(x), expon.scaled = TRUE)
#' }
#'
#' geometric <- rpois(n, mu) + rgeom(n, 1 - alpha) - rgeom(n, 1 - alpha)
#' sum_form <- rpois(n, mu) + rpois(n, lambda(n)) - rpois(n, lambda(n))
#' difference <- rpois(n, mu + lambda(n)) - rpois(n, lambda(n))
#' # the mean of Skellam densities, without drawing from them
#' x <- -6:10
#' rate1 <- mu + lambda(n)
#' rate2 <- lambda(n)
#' mixture <- vapply(x, function(k) mean(skellam(k, rate1, rate2)), 0)
#'
#' share <- function(draws) vapply(x, function(k) mean(draws == k), 0)
#' round(cbind(x,
#'   geometric = share(geometric), sum_form = share(sum_form),
#'   difference = share(difference), skellam = mixture, dprivpois = dprivpois(x, mu, alpha)
#' ), 3)
#'
#' # The noise alone: twelve Skellam distributions with rates drawn at random, the mean of all n,
#' # and the two-sided geometric distribution.
#' tau <- -8:8
#' rate1 <- lambda(n)
#' rate2 <- lambda(n)
#' some <- vapply(1:12, function(i) skellam(tau, rate1[i], rate2[i]), tau + 0)
#' all <- vapply(tau, function(k) mean(skellam(k, rate1, rate2)), 0)
#' matplot(tau, some,
#'   type = "l", lty = 1, col = "grey70", ylab = "probability",
#'   main = "Two-sided geometric noise is a mixture of Skellams"
#' )
#' lines(tau, all, lwd = 2)
#' points(tau, dprivpois(tau, 0, alpha), pch = 19)
#' legend("topright",
#'   legend = c("Skellam", "their mean", "two-sided geometric"),
#'   lty = c(1, 1, NA), lwd = c(1, 2, NA), pch = c(NA, NA, 19), col = c("grey70", 1, 1), bty = "n"
#' )
NULL

#' Private counts as a robust model
#'
#' Describes how to analyse plain counts as if noise had been added to them. The model then attributes
#' outliers to noise, and estimates the structure of the other counts.
#'
#' @name robust-model
#' @aliases robust
#' @section Why: Poisson factorization assumes that the variance of a count is its mean. A few counts far
#' above their means have a large influence on its factors, and such counts in held-out cells have a
#' probability of nearly zero. In the model of a release, `y_tilde = y + tau`, a count far from its mean is
#' much less improbable, because the noise has a geometric tail: moving the count one unit further away lowers
#' the log density by only about `log(1 / alpha)`. So `private_counts(y, alpha = )` of plain counts `y`
#' specifies a model of Poisson counts plus a two-sided error whose scale is set by `alpha`. The error
#' protects nobody; it is a model of other sources of variation. Schein et al. (2019) suggest this in their
#' discussion.
#'
#' @section How: Wrap the counts in `private_counts()`, fit, and score held-out cells. All fits are scored on
#' the same counts, so fits with different `alpha` can be compared with one another and with the plain fit,
#' and the scores can be used to choose `alpha`. (This is not possible for releases with different `alpha`,
#' which are different data.) Declare the counts with `clamped = TRUE`. A zero then represents all values of
#' `y + tau` at or below zero, so that no probability is assigned to negative counts. This affects the scores,
#' but not the estimates.
#'
#' The error is added to every cell, and its scale does not depend on the mean. For counts whose
#' variance grows with their mean, `family = "nbinom1"` is nearly always better; see [which-family]. Use the
#' method of this page for errors that do not depend on the mean, such as miscounts, a few wrong cells or a
#' constant background. The two can be combined.
#'
#' `print()` of such an object states what the noise would protect. Here it protects nothing, because none was
#' added.
#' @references Schein et al. (2019), *ICML*, discussion.
#' @seealso [private_counts()], [held_out_density()], [which-family].
#' @examples
#' busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:40]
#' y <- enron_network[busiest, busiest]
#' set.seed(1)
#' held_out <- holdout_cells(y)
#' score <- function(wrap, ...) {
#'   fit <- block_model(wrap(held_out$train), k = 3, iter = 200, ...)
#'   held_out_density(fit, wrap(y), held_out$cells)
#' }
#' # Poisson counts, Poisson counts with errors, and overdispersed counts
#' score(identity)
#' score(function(y) private_counts(y, alpha = 0.9, clamped = TRUE))
#' score(identity, family = "nbinom1")
NULL

#' Long runs: progress, interrupts, checkpoints, clusters
#'
#' How to watch, interrupt and resume runs that take hours.
#'
#' @name long-runs
#' @aliases checkpoints
#' @section Memory:
#' Before a run begins, the package estimates how much memory the kept draws, the cells and the chains will
#' need, and throws an error if less is available. Kept draws need most of it, because each draw contains all
#' factors. Use `thin` to keep only 100 to 1000 draws.
#'
#' @section Progress:
#' With `progress = TRUE` one bar shows the progress of all chains: sweeps, sweeps per second, the time left
#' and, for each chain, the log density of the release at the current draw. These log densities should no
#' longer rise after the warmup. If a run goes on until it is enough (`until`), there is one bar after
#' another, and the effective draws so far are shown beside the sweeps. With `progress = FALSE` nothing is shown.
#'
#' @section Interrupts:
#' At the console Ctrl-C (Esc in some consoles) ends a run within about a second. The call returns a fit with
#' the draws kept so far, with a warning. `print()` of that fit says how many sweeps were done, and
#' [update()][update.ldp_fit] continues the run. In a script (a session that is not interactive) an interrupt
#' saves the run to the `checkpoint`, and stops with an error of class `ldpcounts_interrupted`, so that the
#' script does not continue with an incomplete fit.
#'
#' @section Checkpoints:
#' With `checkpoint = "run.rds"` a run writes its complete state to that file about
#' every 30 seconds and at its end. (`options(ldpcounts.checkpoint_seconds = )` sets another interval. If
#' writing takes more than 3 seconds, the interval is longer, up to a minute.) Each time, either the whole
#' file is replaced, or it does not change at all. After a crash, repeat the same call with the same file: the
#' run continues from the file, and its results are exactly those that it would have had without the crash.
#' The seed need not be set again, because the file contains the state of the random number generators. If the
#' file belongs to another call, to other data or to another version of the package, the call stops with an error, and
#' the file is not overwritten. If the run in the file is complete, it is returned at once. If the disk is
#' full, the run continues with a warning.
#'
#' @section Threads and clusters:
#' The chains of a Gibbs run share the cores of the computer. Several chains run at the same
#' time. If there are more cores than chains, several cores work on the same chain, each on some rows of the
#' data. [ldp_threads()] sets the number of threads. The random numbers of a row depend on the chain, the sweep
#' and the row alone, so the draws do not depend on the number of threads.
#'
#' If the data are too large for one computer, the argument `cluster` of [topic_model()] and [tensor_model()]
#' divides the rows of the data among workers; see [large-data].
#'
#' @section Variational inference:
#' With `inference = "cavi"`, progress bars, interrupts and checkpoints are used in the same way,
#' with iterations instead of sweeps and starts instead of chains. The bar shows the evidence lower bound of
#' each start. With `inference = "svi"`, the bar shows batches and the bound of held-out rows. Its starts run
#' one after another. There are no checkpoints, and an interrupt ends the run without a fit.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [update()][update.ldp_fit].
#' @examples
#' set.seed(1)
#' file <- tempfile(fileext = ".rds")
#' run <- function() topic_model(poliblog[1:60, 1:80], k = 3, iter = 60, checkpoint = file)
#' fit <- run()
#' # the same call after a crash continues from the file; here the run is already complete
#' identical(coef(run()), coef(fit))
NULL

#' Large data: threads, clusters and files
#'
#' Which way to fit a model depends on the number of positive released counts, because the time and memory of
#' a run are proportional to it. This page says how many to expect, and what each way needs.
#'
#' @name large-data
#' @aliases clusters
#' @section How many positive counts to expect:
#' Noise makes many counts positive whose true value is 0. With noise level `alpha`, a released count is
#' positive with probability `alpha / (1 + alpha)` if the true count is 0, and with probability
#' `1 - alpha^y / (1 + alpha)` if the true count is `y`, at least 1. The table shows the share of positive
#' counts by `epsilon / precision` and by the share of true counts that are 1 (all others are 0). Multiply it
#' by the number of rows and the number of columns.
#'
#' | `epsilon / precision` | 0.1 % are 1 | 1 % are 1 | 10 % are 1 | 50 % are 1 |
#' |---|---|---|---|---|
#' | 0.1 | 0.48 | 0.48 | 0.48 | 0.50 |
#' | 0.3 | 0.43 | 0.43 | 0.44 | 0.50 |
#' | 1 | 0.27 | 0.27 | 0.32 | 0.50 |
#' | 2 | 0.12 | 0.13 | 0.20 | 0.50 |
#' | 5 | 0.01 | 0.02 | 0.11 | 0.50 |
#'
#' For example, 20,000 x 20,000 counts of which 1 in 100 is 1 have about 110 million positive counts in a
#' release with `epsilon / precision = 1`.
#' @section Which way:
#' | positive counts | memory for them | way |
#' |---|---|---|
#' | up to 10 million | up to 160 MB | one session; [ldp_threads()] |
#' | up to 100 million | up to 1.6 GB | one session with enough memory, or a cluster |
#' | more | 16 bytes each | a cluster whose workers read files |
#' | any number, read a few times | one batch of rows | `inference = "svi"` |
#'
#' With `k = 50` a sweep of the Poisson topic model takes about 0.05 microseconds per positive count on one
#' core (0.22 seconds for 4000 x 4000 counts with 4.3 million positive ones, and 0.13 seconds on two workers;
#' `bench/shards.R` in the sources).
#'
#' Most of these positive counts are noise. With [`scheme = "tokens"`][gibbs] the sampler proposes true counts
#' for a whole row at once and lets the release accept them. The time per sweep is then proportional to the
#' true counts, divided by `alpha`, and to the numbers of rows and columns times `k`, and the cells take 1
#' byte each. It is the faster way for large tables of few true counts: the default, `scheme = "auto"`,
#' chooses it for counts in memory if it is predicted to be clearly faster; for counts in files, choose it
#' yourself. The log densities of kept draws still visit all positive counts, so a larger `thin` saves time.
#' (Overdispersed counts by tokens reserve, but hardly use, 24 bytes of memory per cell.)
#'
#' The memory in the table is that of the collapsed sampler: 16 bytes per positive count, and 8 bytes per
#' missing one. The
#' data themselves take 12 bytes per count that is not 0 (as a sparse matrix), positive or negative, and 8
#' bytes per count as a dense matrix. Kept draws need 8 bytes per weight and draw; `thin` says how many are
#' kept.
#' @section Threads:
#' In one session, chains share the cores of the computer, and several cores share the rows of a chain; see
#' [ldp_threads()]. The draws do not depend on the number of threads.
#' @section Clusters: [topic_model()] and [tensor_model()] have the argument `cluster`. Each worker of the
#' cluster has some of the rows of the data, and the factors of these rows. In each sweep the workers send the
#' sums that the other factors depend on, and receive the sums over all rows. So for a topic model with `k`
#' topics and `V` words, each worker sends and receives at most `16 k V` bytes per sweep and chain. The
#' draws are the same, to the last bit, as without a cluster and for any number of workers.
#'
#' The package mirai starts workers on this computer, through ssh, through the queue of a computing centre
#' (Slurm, SGE, PBS) or in the cloud:
#'
#' ```r
#' cluster <- mirai::make_cluster(8) # on this computer
#' cluster <- mirai::make_cluster(8, url = mirai::host_url(),
#'   remote = mirai::cluster_config(command = "sbatch") # by Slurm
#' )
#' fit <- topic_model(released, k = 50, cluster = cluster)
#' parallel::stopCluster(cluster)
#' ```
#'
#' All workers must have started. Each opens one more connection to this session, on a port that is free, which
#' is not encrypted. An interrupted run leaves the workers ready for the next one. A cluster that
#' `parallel::makePSOCKcluster()` starts will do as well. `ldpcounts` must be installed for each worker, in the
#' same version.
#'
#' With a cluster of package parallel on Windows, make the cluster after `options(socketOptions = "no-delay")`, and give
#' `makePSOCKcluster()` the argument
#' `rscript_args = c("-e", shQuote("options(socketOptions = 'no-delay')"))`: otherwise the operating system may
#' hold back the end of each message, several times per sweep. Elsewhere the package sets this option itself.
#' A worker uses one thread, unless
#' `parallel::clusterEvalQ(cluster, ldpcounts::ldp_threads(8))` says otherwise. If all workers run on the
#' computer of this session, large messages pass through files in its temporary folder, which are removed at
#' the end.
#'
#' If a worker stops, an error of class `ldpcounts_cluster_error` says which. If the call has a `checkpoint`,
#' repeat it with a new cluster, of any size: the run continues from the last checkpoint. After an interrupt
#' (Ctrl-C) a cluster of package parallel cannot be used any more, and the run can only be continued from its
#' checkpoint. When the run is complete, the kept draws of all factors are collected in this session, so the fit does
#' not need the cluster.
#' @section Files:
#' [release_shards()] names release files that together are the data. With a cluster, each worker reads its
#' rows from the files, which must have the same names on all computers, and this session never has the
#' counts. Without a cluster, `inference = "svi"` reads the files batch by batch.
#' @seealso [long-runs] for memory and checkpoints.
#' @examples
#' # positive counts of 1000 x 500 cells at epsilon = 0.5, of which 2 % have a true count of 1
#' alpha <- geometric_alpha(0.5)
#' 1000 * 500 * (0.98 * alpha / (1 + alpha) + 0.02 * (1 - alpha / (1 + alpha)))
NULL

#' Methods for fitted models
#'
#' Methods for the fits of [topic_model()], [block_model()] and [tensor_model()].
#'
#' @details
#' Do not average raw factors over draws, because the labels of components are arbitrary, and so is the scale
#' of one factor relative to another. Use `fitted()`, which averages `mu`, or `coef()`, which averages factors
#' after it has matched the components of all draws (Hungarian method) and normalised them. If a fit has
#' several [modes()], `coef()` describes only the leading one, and says so when it is printed.
#' After normalisation, topics are distributions over words. In a block model, the weights of each community have a
#' mean of 1, and `pi` has the scale of the counts. In a tensor model, the columns of each factor sum to 1, except in
#' the last factor. Components are sorted by the total of the counts that they account for, largest first.
#'
#' A fit with `inference = "cavi"` or `"svi"` has a distribution for each weight instead of draws. Its
#' `fitted()` is the exact mean under these distributions. `coef()` and other methods that need draws use up
#' to 200 draws from them. In its `summary()`, `convergence` has the final lower bound of each start, and the
#' `verdict` says whether the starts agree. With `"svi"`, the `verdict` says whether the bound of held-out
#' rows has converged.
#'
#' @param object,x,fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty: all further arguments are named.
#' @param cells For `fitted()`: return only these cells, and compute only these. A matrix or data frame with
#'   one row per cell and one column per mode (two, the row and the column of the data, except for tensors),
#'   with numbers or labels. Numbers are positions: convert labels that are numbers to text.
#' @param level For `fitted()`: `NULL`, or a probability between 0 and 1. An interval of `mu` that has this
#'   posterior probability is then returned for each of `cells`.
#' @param n For `top_terms()`: the number of words per topic.
#' @param aligned If `TRUE`, return draws that are aligned across chains and normalised, as averaged by
#'   `coef()`; if `FALSE`, the raw draws.
#' @return `fitted()`: the posterior mean of `mu`, a matrix or array of the shape of the data (for a network,
#' with an `NA` diagonal). With `cells`: a vector with one number per row of `cells`, named by the labels of
#' the data. Fitted values are not stored in the fit, but computed from the kept draws. With `level`: a matrix
#' with one row per row of `cells`, and columns `mean`, `lower` and `upper`, where the last two are the limits
#' of an equal-tailed interval. (These are intervals of the mean `mu`; for intervals of the counts see
#' [augment()][augment.ldp_fit].)
#'
#' `coef()`: a named list of posterior means of the aligned, normalised factors, with labels. In a fit with
#' `groups`, the element `groups` has the posterior means of the relative rates, one row per group.
#'
#' `as.matrix()`: the raw draws, with one row per kept draw (chain after chain) and one column per parameter.
#' The parameters are `theta[d,k]` and `phi[k,v]` for topics, `theta[i,c]` and `pi[c,d]` for networks, and
#' `theta1[i,k]`, `theta2[j,k]` and so on for tensors, with numbers as indices. If the rate of a
#' [gamma_prior()] is estimated, there are also columns such as `rate[theta]`, and with `groups` columns such
#' as `groups[party=left,1]`, the relative rate of a group and a component. With `aligned = TRUE` these are
#' the draws that `coef()` averages: in all draws `phi[2,7]` belongs to the second topic of `coef()`. (Rates
#' of priors are left out, because they refer to the raw scale.) `as_draws_matrix()`, `as_draws_array()`,
#' `as_draws()` and so on: the same draws, in the formats of the `posterior` package.
#' For raw draws a message of class `ldpcounts_raw_draws`, issued once per session, says that the labels of components
#' may differ between chains.
#'
#' `summary()`: a list, which contains a table of `convergence`, a `verdict`, and two checks of the family.
#' When printed, it also describes the model, the run and the components. The verdict says in three sentences at
#' most what was found, by which criteria, and what to do. The table has R-hat and effective sample sizes of
#' label-invariant quantities: the log density of the release, the total of `mu`, the dispersion, 100 cells of
#' `mu`, the totals of 50 rows, and, for 100 pairs of rows, the extent to which both rows are in the same
#' components. (These cells, rows and pairs are spread over the data, and are the same in each call.) The 100
#' cells have one line in the table, and so have the 50 rows and the 100 pairs. Such a line shows the 90 %
#' quantile of R-hat and the 10 % quantile of the effective sample size, so most of the quantities are at
#' least as good. At most 1,000 draws per chain are used, equally spaced, and for one chain 1,600.
#' The verdict begins with "No problem was found" if all of these hold:
#'
#' * R-hat is at most 1.05, and there are 100 effective draws: the Monte Carlo error of a mean is then a tenth of the
#'   posterior standard deviation. (With 100 effective draws, R-hat can be 1.04 by chance although four chains agree.
#'   Vehtari et al. recommend 1.01 and 400 effective draws; the verdict says whether these are reached. If there are too
#'   few draws, it says about how many more sweeps would do, and how long they would take.)
#' * No total of the fit contradicts the release; see [check_margins()]. A total that does shows that the prior
#'   outweighs the counts or that something else is wrong, even if the chains agree.
#' * No positive cell implies improbable noise, and counts do not vary more than the family allows: the two checks
#'   below.
#'
#' It begins with "This run found" and the number of modes if there are several [modes()], whether chains move between
#' them or not, and otherwise with "Problems were found". If chains seldom move, the table is for the chains in the
#' leading mode.
#'
#' The two checks of the family: `implied_noise` (`NULL` without noise) is about positive cells for which the
#' fit implies improbable noise, that is, noise that the mechanism would add with a `probability` below 1e-9.
#' It is a list: `cells` is the number of such cells, `expected` is an upper limit of the number expected by
#' chance, and `positive` is the number of all positive cells. (A cell is counted if the posterior probability
#' of such noise, averaged over about 50 draws, is above one half.) A Poisson fit to overdispersed counts
#' implies such noise, see [which-family]. `dispersion_check` is a posterior predictive check with 50
#' replicates of about 10,000 observed cells. It has the mean squared Pearson residual of the release
#' (`observed`) and of the replicates (`replicated`), and the share `p` of replicates whose residual is larger
#' than that of the release.
#'
#' `top_terms()`: a character matrix with one column per topic, which lists the words with the largest
#' weights.
#' @section Errors: These methods stop with an error of class `ldpcounts_error` if `cells` are not cells of
#' the data, and if an argument is misspelt. There are no methods for `AIC()`, `confint()` and other functions
#' that expect a likelihood or a formula; see [log_lik()][log_lik.ldp_fit] and [compare_k()].
#' @references R-hat and effective sample size: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B.
#'   and Bürkner, P.-C. (2021). Rank-normalization, folding, and localization: an improved R-hat for
#'   assessing convergence of MCMC. *Bayesian Analysis* 16. Alignment: Papastamoulis, P. (2016).
#'   label.switching: an R package for dealing with the label switching problem in MCMC outputs.
#'   *Journal of Statistical Software* 69. Posterior predictive checks: Gelman, A., Meng, X.-L. and
#'   Stern, H. (1996). Posterior predictive assessment of model fitness via realized discrepancies.
#'   *Statistica Sinica* 6. The comparison of implied noise with the
#'   mechanism is new in this package.
#' @seealso [predict()][predict.ldp_fit] for new documents, [update()][update.ldp_fit] to continue a
#'   fit, [plot()][plot.ldp_fit], [tidy() and glance()][tidy.ldp_fit], [augment()][augment.ldp_fit],
#'   [log_lik()][log_lik.ldp_fit].
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' dim(fitted(fit))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)), level = 0.9)
#' top_terms(fit, n = 5)
#' summary(fit)
#' @name ldp_fit-methods
#' @order 1
#' @aliases as_draws as_draws_array as_draws_matrix
NULL
