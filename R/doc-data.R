# Help pages of the data.

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
#' @srrstats {G5.1} the data sets of the tests are exported.
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
