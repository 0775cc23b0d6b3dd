# What a model is. A model (R/model-topics.R, R/model-blocks.R, R/model-tensor.R, which makes one for each
# number of modes, and R/model-custom.R, which makes one of a user's function and has no components) is a list
# of
#
#   name, label     its class, and what print() calls it
#   component       what one of its k components is called
#   n_modes         how many modes its data have: two are rows and columns
#   indices         what the two margins of each factor are: the number of a mode, or 0 for components
#   by_columns      does its kernel want cells by columns too?
#   cells           where `gibbs` has no kernel, function(input): what it reads in place of cells; its log
#                   densities are whole
#   network         which cells of the table are its data, one of NETWORKS
#   factors         names of its factors, in the order of its priors
#   symmetric       which of them are symmetric matrices, if any
#   gibbs           function(cells, chains, prior, n, keep, watch, reflect): runs n sweeps of each chain
#                   in C. A chain is a list of factors, noise and seeds (sweep_seeds()), or of factors and
#                   `stream` if `gibbs` draws with R's generator
#   cavi            function(cells, q, prior, delta, n, tolerance, last, constant): passes of
#                   variational inference in C, see R/infer-cavi.R and src/rc_cavi.c
#   gibbs_rows      function(cells, factors, prior, n, reflect): n sweeps of the first factor, that of
#                   the rows, and of their excess, the other factors fixed; returns these two
#   no_new_rows     where there is no gibbs_rows, a sentence: what to do about new rows
#   start           function(dim, k, level): factors to start from, with mean about `level`
#   search_rounds   how long a better start is searched for, if it is: see settled_start()
#   race            where chains start: the number of `starts` of a race, and the length of its `legs`,
#                   as shares of the warmup, see R/run-race.R
#   factor_dim      function(dim, k): list of the dimensions of each factor, as users see it
#   transposed      which factors are stored as the transpose of what users see
#   mean            function(factors): mu from factors as users see them, of the shape of the data
#   cell_mean       function(factors, cells): the same at pairs of a row and a column of the table
#                   that the data are (R/data-table.R)
#   row_totals      function(factors): the sums of mu over each row (label-invariant)
#   row_bounds      function(factors): numbers that no mu of each row is above
#   normalise       function(factors): the same model with the scale put where it belongs
#   permute         function(factors, order): the components in another order
#   signature       function(factors): k rows that tell the components apart
#   leading         the factors whose largest weights say in words what a component is
#   size            function(factors): how much each component carries
#
# Factors are stored as the kernels want them: the components of one row side by side.

# How often the weight of a component that holds a count is updated by over-relaxation: mirrored in its
# conditional distribution, and not drawn from it. Reflected draws mix faster while other cells leave it open
# where a count belongs; the others move the weight from a bad start, and forget how far from the mean it was.
# Without noise there is little to gain and tails would mix worse: never then. See bench/MOVES.md.
REFLECT <- 0.75

# The shapes, as stored, of all that is kept of a sweep.
kept_shapes <- function(task, dim) {
  model <- task$model
  shapes <- model$factor_dim(dim, task$k)[model$factors]
  transposed <- unlist(model$transposed[model$factors])
  shapes[transposed] <- lapply(shapes[transposed], rev)
  further <- c(
    rate = if (random_rates(task)) length(model$factors), excess = n_excess(task$family, dim[1])
  )
  c(shapes, lapply(further[further > 0], function(n) c(n, 1)))
}

# Is the rate of a prior random? Then the rates of all priors are kept beside the factors, as
# `rate`.
random_rates <- function(task) any(vapply(task$prior, has_random_rate, TRUE))

# A factor, or its shape, as stored, as users see it, and the way back.
turn <- function(model, name, x) if (model$transposed[[name]]) t(x) else x

# Numbers in all factors.
n_weights <- function(task, dim) sum(vapply(task$model$factor_dim(dim, task$k), prod, 0))
