# A help page: which features work together, and its table.

# The table of ?`what-works`. test-what_works.R tests each cell, for each scheme: yes, or no for a combination that
# throws an error. Add rows for a new model, inference or family, and a column for a new feature.
WHAT_WORKS <- utils::read.table(header = TRUE, text = "
model        network    family  inference scheme                 masked row_alpha clamped ignored row_excess new_rows groups
topic_model  -          poisson gibbs     collapsed,bessel       yes    yes       yes     yes     no         yes      yes
topic_model  -          poisson cavi      collapsed,bessel,delta yes    yes       yes     yes     no         yes      yes
topic_model  -          poisson svi       collapsed              yes    yes       yes     yes     no         yes      no
topic_model  -          nbinom1 gibbs     collapsed              yes    yes       yes     yes     yes        yes      yes
topic_model  -          nbinom1 cavi      collapsed              yes    yes       yes     yes     yes        yes      yes
topic_model  -          nbinom1 svi       collapsed              yes    yes       yes     yes     yes        yes      no
block_model  directed   poisson gibbs     collapsed,bessel       yes    yes       yes     yes     no         no       yes
block_model  directed   poisson cavi      collapsed,bessel,delta yes    yes       yes     yes     no         no       yes
block_model  directed   nbinom1 gibbs     collapsed              yes    yes       yes     yes     yes        no       yes
block_model  directed   nbinom1 cavi      collapsed              yes    yes       yes     yes     yes        no       yes
block_model  undirected poisson gibbs     collapsed,bessel       yes    no        yes     yes     no         no       yes
block_model  undirected poisson cavi      collapsed,bessel,delta yes    no        yes     yes     no         no       yes
block_model  undirected nbinom1 gibbs     collapsed              yes    no        yes     yes     no         no       yes
block_model  undirected nbinom1 cavi      collapsed              yes    no        yes     yes     no         no       yes
tensor_model -          poisson gibbs     collapsed,bessel       yes    yes       yes     yes     no         no       yes
tensor_model -          poisson cavi      collapsed,bessel,delta yes    yes       yes     yes     no         no       yes
tensor_model -          nbinom1 gibbs     collapsed              yes    yes       yes     yes     yes        no       yes
tensor_model -          nbinom1 cavi      collapsed              yes    yes       yes     yes     yes        no       yes
")

# In markdown.
what_works_table <- function() {
  heads <- c(
    "model", "network", "family", "inference", "scheme", "`NA` cells", "`alpha` by row", "clamped",
    "`noise = \"ignore\"`", "dispersion by row", "`predict()` new rows", "`groups`"
  )
  line <- function(cells) paste0("| ", paste(cells, collapse = " | "), " |")
  cells <- WHAT_WORKS
  cells$inference <- paste0("[", cells$inference, "()]")
  cells$scheme <- gsub(",", ", ", cells$scheme, fixed = TRUE)
  cells$model <- paste0("[", cells$model, "()]")
  rows <- apply(cells, 1, line)
  paste(c(line(heads), line(rep("---", length(heads))), rows), collapse = "\n")
}

#' Which features work together
#'
#' Lists which combinations of models, families, types of inference and properties of the data are supported.
#' For those marked *no*, an error of class `ldpcounts_error` is thrown before any work is done.
#'
#' @name what-works
#' @section Models of this package:
#' `r what_works_table()`
#'
#' The last seven columns are: masked cells ([private_counts()]); one noise
#' level per row; a release that was [clamped at zero][privatize]; the naive analysis, which sets negative
#' released counts to zero and takes the result for true counts; `dispersion_by = "row"`;
#' [predict()][predict.ldp_fit] with `newdata`; and `groups` of rows (see [group_effects()]). Features that
#' are marked *yes* can be combined. All models also accept true counts in any of the [supported data
#' types][data-objects].
#'
#' @section Why some combinations do not work:
#' * The Bessel augmentation represents a release as a difference of Poisson counts, so true counts have
#'   to be Poisson. For `family = "nbinom1"` use the collapsed scheme, which is exact as well.
#' * `inference = "svi"` is for topic models only, because their rows are independent given the topics. It has
#'   the collapsed scheme only. Counts in files ([release_shards()]) need `inference = "svi"` or a `cluster`;
#'   masked cells, noise levels per row, clamped releases and both families work with them too.
#' * `cluster` is for `inference = "gibbs"` of topic and tensor models, with all that works there. Counts in
#'   files need the collapsed scheme.
#' * `groups` cannot be used with `inference = "svi"`, a `cluster` or counts in files, because the sums that
#'   the rates of groups need are not exchanged.
#' * `scheme = "delta"` approximates an update of variational inference that Gibbs sampling does not
#'   have.
#' * `dispersion_by = "row"` needs `family = "nbinom1"`, because Poisson counts always have a dispersion of 1.
#' * In an undirected network each pair belongs to two rows, so it has no single row whose noise level or
#'   dispersion could be used.
#' * A new actor of a network adds a row and a column, and changes the information about all other actors.
#'   Fit again, with `NA` for unknown counts. New indices of a tensor need a new fit as well.
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
