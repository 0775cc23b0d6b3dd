# The table of ?`what-works` says the truth: every cell of it is tried.

# A release for this kind of network, or none.
released <- function(network, alpha = 0.4, clamped = FALSE) {
  set.seed(731)
  y_tilde <- matrix(rpois(36, 2) - 1, 6)
  if (network == "undirected") y_tilde <- y_tilde + t(y_tilde)
  if (clamped) y_tilde <- pmax(y_tilde, 0)
  private_counts(y_tilde, alpha = alpha, clamped = clamped, directed = network != "undirected")
}

with_mask <- function(x) {
  x[2, 3] <- NA
  x
}

# What a column of the table asks for, with a function that fits and a kind of network.
ASKED <- list(
  masked = function(fit, network) fit(with_mask(released(network))),
  row_alpha = function(fit, network) fit(released(network, alpha = 1:6 / 10)),
  clamped = function(fit, network) fit(released(network, clamped = TRUE)),
  ignored = function(fit, network) fit(released(network), noise = "ignore"),
  row_excess = function(fit, network) fit(released(network), dispersion_by = "row"),
  column_excess = function(fit, network) fit(released(network), dispersion_by = "column"),
  new_rows = function(fit, network) predict(fit(released(network)), released("-")[1:2, ]),
  groups = function(fit, network) fit(released(network), groups = rep(c("a", "b"), 3))
)

# The table, as written in the sources of the help page.
what_works <- function() {
  lines <- grep("^#' \\| \\[", readLines("../../R/doc-guides.R", encoding = "UTF-8"), value = TRUE)
  cells <- strsplit(gsub("[][()]|^#' \\| | \\|$", "", lines), " | ", fixed = TRUE)
  table <- as.data.frame(do.call(rbind, cells))
  stats::setNames(table, c("model", "network", "family", "inference", "scheme", names(ASKED)))
}

test_that("the table of features is right: what works runs, and the rest throws errors", {
  skip_if_not(file.exists("../../R/doc-guides.R"), "tests run without the sources")
  table <- what_works()
  expect_identical(nrow(table), 20L)
  schemes <- strsplit(table$scheme, ", ")
  each <- table[rep(seq_along(schemes), lengths(schemes)), ]
  each$scheme <- unlist(schemes)
  for (i in seq_len(nrow(each))) {
    row <- each[i, ]
    model <- get(row$model)
    fit <- function(...) {
      given <- list(family = row$family, inference = row$inference, scheme = row$scheme)
      if (row$inference == "svi") given$scheme <- NULL
      if (row$inference == "gibbs") given$init <- "random" # no search for a start
      if (row$network == "undirected") given$directed <- FALSE
      if (!EXTENDED) given$chains <- 1
      do.call(model, c(list(..., k = 2, iter = 4, progress = FALSE), given))
    }
    for (column in some_of(names(ASKED), 2, 1 + i %% 2)) {
      found <- tryCatch(
        {
          suppressWarnings(ASKED[[column]](fit, row$network)) # of the diagonal of a network
          "yes"
        },
        ldpcounts_error = function(refused) "no"
      )
      expect_identical(found, row[[column]], label = paste(c(row[1:5], column), collapse = " "))
    }
  }
})
