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
