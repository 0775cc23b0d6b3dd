# Standards of rOpenSci's statistical software that do not apply here. Those that are met are tagged where
# they are met; CONTRIBUTING.md has those that are not. Package srr reads the tags, make document does not.

#' NA_standards
#'
#' @srrstatsNA {G1.6} nothing is claimed against other R packages.
#' @srrstatsNA {G2.5} levels are labels of cells: order means nothing.
#' @srrstatsNA {G3.1} no covariance is used.
#' @srrstatsNA {G3.1a} see G3.1.
#' @srrstatsNA {G5.4c} the paper prints no numbers to compare with.
#' @srrstatsNA {G5.11} test data are simulated or ship with the package.
#' @srrstatsNA {G5.11a} see G5.11.
#' @srrstatsNA {BS1.0} the word hyperparameter is not used.
#' @srrstatsNA {BS1.5} one checker for each inference.
#' @srrstatsNA {BS2.10} streams of chains are distinct by construction.
#' @srrstatsNA {BS3.2} factorization does not need independent columns.
#' @srrstatsNA {PD2.0} PD1.0 instead.
#' @srrstatsNA {PD3.2} no optimiser is called.
#' @srrstatsNA {PD3.3} see PD3.2.
#' @srrstatsNA {UL1.4b} counts are never rescaled.
#' @srrstatsNA {UL3.2} row names of the data are the labels of cases.
#' @srrstatsNA {UL4.1} a model without a fit would be its arguments.
#' @srrstatsNA {UL3.4} memberships are weights: there are no hard groups.
#' @srrstatsNA {UL7.5} no batches.
#' @srrstatsNA {UL7.5a} see UL7.5.
#' @noRd
NULL
