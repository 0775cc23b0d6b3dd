# The table of ?`what-works` says the truth: every cell of it is tried.

released <- function(rows = 6, alpha = 0.4, clamped = FALSE, masked = FALSE) {
  set.seed(731)
  y_tilde <- matrix(rpois(rows * 6, 2) - 1, rows)
  if (masked) y_tilde[2, 3] <- NA
  private_counts(if (clamped) pmax(y_tilde, 0) else y_tilde, alpha = alpha, clamped = clamped)
}

# What a column of the table asks for.
ASKED <- list(
  masked = function(fit) fit(released(masked = TRUE)),
  alpha_by_row = function(fit) fit(released(alpha = 1:6 / 10)),
  clamped = function(fit) fit(released(clamped = TRUE)),
  ignored = function(fit) fit(released(), noise = "ignore"),
  dispersion_by_row = function(fit) fit(released(), dispersion_by = "row"),
  new_rows = function(fit) predict(fit(released()), released(2))
)

test_that("what the table says works does, and what it says does not is refused", {
  expect_identical(names(WHAT_WORKS)[-(1:4)], names(ASKED))
  for (i in seq_len(nrow(WHAT_WORKS))) {
    row <- WHAT_WORKS[i, ]
    model <- get(row$model)
    fit <- function(...) {
      given <- list(family = row$family, inference = row$inference, augmentation = row$augmentation)
      given <- given[names(given) %in% names(formals(model))]
      do.call(model, c(list(..., k = 2, iter = 4, progress = FALSE), given))
    }
    for (column in names(ASKED)) {
      found <- tryCatch(
        {
          suppressWarnings(ASKED[[column]](fit)) # of the diagonal of a network
          "yes"
        },
        ldpcounts_error = function(refused) "no"
      )
      expect_identical(found, row[[column]], label = paste(row$model, row$family, column))
    }
  }
})
