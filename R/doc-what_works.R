# A help page: what works with what, and its table.

# The table of ?`what-works`, which test-what_works.R tries out, cell by cell: yes, or no for what is
# refused by an error. A model, an inference or a family that is new brings its rows; what all models may
# or may not do, a column.
WHAT_WORKS <- utils::read.table(header = TRUE, text = "
  model        network    family  inference augmentation masked row_alpha clamped ignored row_excess new_rows
  topic_model  -          poisson gibbs     collapsed    yes    yes       yes     yes     no         yes
  topic_model  -          poisson gibbs     bessel       yes    yes       yes     yes     no         yes
  topic_model  -          poisson cavi      collapsed    yes    yes       yes     yes     no         yes
  topic_model  -          poisson cavi      bessel       yes    yes       yes     yes     no         yes
  topic_model  -          poisson cavi      delta        yes    yes       yes     yes     no         yes
  topic_model  -          nbinom1 gibbs     collapsed    yes    yes       yes     yes     yes        yes
  topic_model  -          nbinom1 gibbs     bessel       no     no        no      no      no         no
  topic_model  -          nbinom1 cavi      collapsed    yes    yes       yes     yes     yes        yes
  topic_model  -          nbinom1 cavi      bessel       no     no        no      no      no         no
  topic_model  -          nbinom1 cavi      delta        no     no        no      no      no         no
  block_model  directed   poisson gibbs     collapsed    yes    yes       yes     yes     no         no
  block_model  directed   poisson gibbs     bessel       yes    yes       yes     yes     no         no
  block_model  directed   poisson cavi      collapsed    yes    yes       yes     yes     no         no
  block_model  directed   poisson cavi      bessel       yes    yes       yes     yes     no         no
  block_model  directed   poisson cavi      delta        yes    yes       yes     yes     no         no
  block_model  directed   nbinom1 gibbs     collapsed    yes    yes       yes     yes     yes        no
  block_model  directed   nbinom1 gibbs     bessel       no     no        no      no      no         no
  block_model  directed   nbinom1 cavi      collapsed    yes    yes       yes     yes     yes        no
  block_model  directed   nbinom1 cavi      bessel       no     no        no      no      no         no
  block_model  directed   nbinom1 cavi      delta        no     no        no      no      no         no
  block_model  undirected poisson gibbs     collapsed    yes    no        yes     yes     no         no
  block_model  undirected poisson gibbs     bessel       yes    no        yes     yes     no         no
  block_model  undirected poisson cavi      collapsed    yes    no        yes     yes     no         no
  block_model  undirected poisson cavi      bessel       yes    no        yes     yes     no         no
  block_model  undirected poisson cavi      delta        yes    no        yes     yes     no         no
  block_model  undirected nbinom1 gibbs     collapsed    yes    no        yes     yes     no         no
  block_model  undirected nbinom1 gibbs     bessel       no     no        no      no      no         no
  block_model  undirected nbinom1 cavi      collapsed    yes    no        yes     yes     no         no
  block_model  undirected nbinom1 cavi      bessel       no     no        no      no      no         no
  block_model  undirected nbinom1 cavi      delta        no     no        no      no      no         no
  tensor_model -          poisson gibbs     collapsed    yes    yes       yes     yes     no         no
  tensor_model -          poisson gibbs     bessel       yes    yes       yes     yes     no         no
  tensor_model -          poisson cavi      collapsed    yes    yes       yes     yes     no         no
  tensor_model -          poisson cavi      bessel       yes    yes       yes     yes     no         no
  tensor_model -          poisson cavi      delta        yes    yes       yes     yes     no         no
  tensor_model -          nbinom1 gibbs     collapsed    yes    yes       yes     yes     yes        no
  tensor_model -          nbinom1 gibbs     bessel       no     no        no      no      no         no
  tensor_model -          nbinom1 cavi      collapsed    yes    yes       yes     yes     yes        no
  tensor_model -          nbinom1 cavi      bessel       no     no        no      no      no         no
  tensor_model -          nbinom1 cavi      delta        no     no        no      no      no         no
")

# In markdown.
what_works_table <- function() {
  heads <- c(
    "model", "network", "family", "inference", "augmentation", "`NA` cells", "`alpha` by row", "clamped",
    "`noise = \"ignore\"`", "dispersion by row", "`predict()` new rows"
  )
  line <- function(cells) paste0("| ", paste(cells, collapse = " | "), " |")
  cells <- WHAT_WORKS
  cells$model <- paste0("[", cells$model, "()]")
  rows <- apply(cells, 1, line)
  paste(c(line(heads), line(rep("---", length(heads))), rows), collapse = "\n")
}

#' What works with what
#'
#' Every model with every family and inference, and with what data may have. What is marked *no* is refused
#' by an error of class `ldpcounts_error` before any work is done.
#'
#' @name what-works
#' @section Models of this package:
#' `r what_works_table()`
#'
#' In the columns: cells that are masked, for whatever reason ([private_counts()]); a noise
#' level for each row; a release that was [clamped at zero][privatize]; the naive analysis, which takes
#' releases cut at zero for the truth; `dispersion_by = "row"`; and [predict()][predict.ldp_fit] with
#' `newdata`. All of them go together where each is marked *yes*, and all take true
#' counts in any of the [objects that hold them][data-objects] as well.
#'
#' @section Why not:
#' * The Bessel augmentation writes a release as a difference of Poisson counts, so true counts have
#'   to be Poisson. With `family = "nbinom1"` the collapsed scheme is exact as well.
#' * `augmentation = "delta"` approximates an update of variational inference, which a sampler does not have.
#' * Poisson counts have a dispersion of 1, all of them.
#' * In an undirected network a pair stands in two rows, so neither its noise nor its dispersion can be
#'   that of a row.
#' * A new actor of a network is a new row and a new column, and changes what is known of all others:
#'   fit again, with `NA` for what is not known. New indices of a tensor need a new fit as well.
#'
#' @section Your own model:
#' [private_gibbs()] takes any model of Poisson counts for which you have a sampler given true counts,
#' with masked cells, a noise level for each row and clamped releases. For counts in bursts the state of
#' your sampler can hold a gamma weight for each count.
#'
#' @seealso [which-family], [long-runs], [what-is-protected]
#' @examples
#' # all at once: masked cells, two noise levels, clamped at zero
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:40], epsilon = rep(c(1, 3), 30), clamp = TRUE)
#' is.na(released) <- cbind(1:20, 1:20)
#' topic_model(released, k = 2, iter = 50, family = "nbinom1", dispersion_by = "row")
NULL
