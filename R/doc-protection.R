# A help page: what is protected.

#' What is protected, from whom, and what is not
#'
#' The threat model of a release made by [privatize()], in words.
#'
#' @name what-is-protected
#' @aliases threat-model
#' @section Who holds what:
#' Everybody whose counts are collected (a person, a phone, an office) holds their own true counts,
#' and noises them there. Whoever collects, stores or analyses gets the released counts and the
#' noise level, and nothing else; all of them, and whoever they lose the data to, are the adversary.
#' The adversary may know anything else, even all other people's true counts and all counts of this
#' person but one.
#'
#' @section What epsilon and precision mean:
#' A record is the row of counts that one person contributes. Two records that differ by at most
#' `precision` counts in all (the sum of absolute differences) make any release at most
#' `exp(epsilon)` times as likely from one as from the other. In odds: whoever held the odds of one
#' record against the other to be even can be moved to `exp(epsilon)` to 1 at most, that is at
#' epsilon of 0.1, 0.5, 1 and 3 from a belief of 50 % to at most 53, 63, 74 and 96 %. (Where such a factor is
#' printed, it is rounded up to three digits, so that "at most" stays true.) The same
#' release protects records at other distances, at distance `d` with `epsilon * d / precision`: the
#' guarantee fades with distance, and a person who wrote 500 messages more than another is not
#' hidden by noise for a distance of 1. The `precision` need not be a whole number, but distances
#' are: records that differ by at most 2.5 counts differ by at most 2. With a `precision` below 1 the
#' promise of `epsilon` is about no two different records; for one count it is `epsilon / precision`.
#'
#' A person who contributes several rows is protected as a record of all of them together: the
#' distances add up.
#'
#' @section What stays true whatever happens next:
#' Nothing that is computed from a release, by whatever method, with whatever else is known, tells
#' more than the release did (post-processing). That includes every fit, plot and prediction of
#' this package, masking or dropping cells, clamping at zero, and further noise.
#'
#' @section What is not protected:
#' * *Releases add up.* The same counts released twice at epsilon 1 are released at epsilon 2. Daily
#'   releases of a running total spend every day. [privacy_loss()] adds up.
#' * *What is true of everybody* is what an analysis is for, and it may say something about you,
#'   whether or not your counts were among the data.
#' * *What others report about you.* Your messages stand in the records of those who received them,
#'   if they are collected too.
#' * *Taking part*, the shape of the data (number of rows and columns, names), and cells that were
#'   masked before the release are not hidden.
#' * *Timing and memory*: do not offer the mechanism to an adversary with a stopwatch, and do not
#'   keep the true counts.
#' * *Noise from R's generator* (`rng = "R"`): whoever knows or guesses the seed subtracts it.
#' * *Choosing the noise level after seeing the counts*: levels must not depend on them. That goes for
#'   a `precision` that is the mean of the counts, too.
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
