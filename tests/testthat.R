library(testthat)
library(ldpcounts)

test_check("ldpcounts")
