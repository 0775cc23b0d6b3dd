# The interface of models. A model is a list with the fields below. Models are defined in R/model-topics.R,
# R/model-blocks.R, R/model-tensor.R (one for each number of modes), and R/model-custom.R (from a user's
# function, without components).
#
#   name, label     its class, and its name in the output of print()
#   component       the word for one of its k components
#   n_modes         the number of modes of its data (two are rows and columns)
#   indices         what the two margins of each factor are: the number of a mode, or 0 for components
#   by_columns      does its kernel need cells by column too?
#   cells           if `gibbs` has no kernel, function(input): the input of `gibbs` instead of cells; its log
#                   densities then include all terms
#   network         which cells of the table are its data, one of NETWORKS
#   factors         names of its factors, in the order of its priors
#   symmetric       which of them are symmetric matrices, if any
#   gibbs           function(cells, chains, prior, n, keep, watch, reflect): runs n sweeps of each chain
#                   in C. A chain is a list of factors, noise and seeds (sweep_seeds()), or of factors and
#                   `stream` if `gibbs` draws with R's generator
#   cavi            function(cells, q, prior, delta, n, tolerance, last, constant): runs iterations of
#                   variational inference in C, see R/infer-cavi.R and src/rc_cavi.c
#   gibbs_rows      function(cells, chains, prior, n, reflect): n sweeps of the first factor (that of the
#                   rows) and of their excess, with the other factors and the rates fixed; returns the
#                   factors of each chain
#   no_new_rows     if there is no gibbs_rows, a sentence that says what to do about new rows
#   start           function(dim, k, level): starting values of the factors, with means of about `level`
#   search_rounds   number of rounds of the search for a better start, see settled_start(); may be absent
#   race            how chains start: the number of `starts` of a race, and the lengths of its `legs`
#                   (stages), as shares of the warmup, see R/run-race.R
#   factor_dim      function(dim, k): list of the dimensions of each factor, as shown to users
#   transposed      which factors are stored as the transpose of what is shown to users
#   mean            function(factors): mu, in the shape of the data, from factors as shown to users
#   cell_mean       function(factors, cells): the same for cells given as pairs of a row and a column of the
#                   table (R/data-table.R)
#   row_totals      function(factors): the sums of mu over each row (label-invariant)
#   row_bounds      function(factors): an upper bound of mu for each row
#   normalise       function(factors): the same model with a standard scale of each factor
#   permute         function(factors, order): the components in another order
#   signature       function(factors): a matrix whose k rows identify the components
#   leading         the factors whose largest weights are used to describe a component
#   size            function(factors): the total expected count of each component
#
# Factors are stored in the layout of the kernels, with the components of a row next to each other.

# The probability that a weight is updated by over-relaxation, that is, reflected within its conditional
# distribution instead of drawn from it. Reflections mix faster if it is uncertain which component a count
# belongs to. Ordinary draws are needed as well, to leave a bad start and to change the distance from the
# mean. Without noise over-relaxation is not used, because it gains little and tails would mix worse. See
# bench/MOVES.md.
REFLECT <- 0.75

# The shapes, as stored, of everything that is kept of a sweep, except the factor `task$unkept`.
kept_shapes <- function(task, dim) {
  model <- task$model
  shapes <- model$factor_dim(dim, task$k)[model$factors]
  transposed <- unlist(model$transposed[model$factors])
  shapes[transposed] <- lapply(shapes[transposed], rev)
  estimated <- unique(unlist(lapply(task$prior[model$factors], estimated_in)))
  further <- c(
    stats::setNames(rep(length(model$factors), length(estimated)), estimated), excess = n_excess(task$family, dim[1])
  )
  groups <- task$prior$groups
  c(
    shapes[setdiff(names(shapes), task$unkept)], lapply(further[further > 0], function(n) c(n, 1)),
    if (!is.null(groups)) list(groups = c(task$k, n_levels(groups)))
  )
}

# Is the rate of any prior random? Then the rates of all priors are stored with the factors, as `rate`.
random_rates <- function(task) any(vapply(task$prior, has_random_rate, TRUE))

# Converts a factor, or its shape, between the stored form and the form shown to users, in both directions.
turn <- function(model, name, x) if (model$transposed[[name]]) t(x) else x

# The number of values in all factors.
n_weights <- function(task, dim) sum(vapply(task$model$factor_dim(dim, task$k), prod, 0))
