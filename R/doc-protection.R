# A help page: what is protected.

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
