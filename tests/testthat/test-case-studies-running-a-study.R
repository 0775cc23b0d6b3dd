# What the page sent back in the study of vignette("running-a-study"): 300 releases by headless Chromium.

study <- stored_study("running-a-study")
items <- c(unlist(study$settings$kinds, use.names = FALSE), study$settings$everyone)

read_all <- function() {
  folder <- tempfile("releases")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- file.path(folder, paste0(study$results$participant, ".txt"))
  Map(function(text, file) writeLines(text, file, sep = ""), study$results$text, files)
  read_releases(files, participants = study$results$participant, items = items)
}

test_that("every file of the page is a release with the level and items of the study", {
  expect_no_message(x <- read_all())
  expect_identical(rownames(x), study$results$participant)
  expect_identical(colnames(x), items)
  expect_identical(unique(privacy(x)$epsilon), study$settings$epsilon)
  expect_identical(unique(privacy(x)$precision), study$settings$precision)
})

test_that("the noise of the page has the two-sided geometric distribution", {
  true_counts <- do.call(rbind, lapply(strsplit(study$results$true_counts, ","), as.integer))
  noise <- as.vector(as.matrix(read_all()) - true_counts)
  expect_length(noise, 6000)
  alpha <- geometric_alpha(study$settings$epsilon, study$settings$precision)
  limits <- -8:7
  probability <- diff(c(0, ptwogeom(limits, alpha), 1))
  observed <- table(cut(noise, c(-Inf, limits, Inf)))
  expect_gt(chisq.test(observed, p = probability)$p.value, 1e-6)
})
