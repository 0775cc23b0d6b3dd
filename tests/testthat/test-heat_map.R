labelled_counts <- function() {
  matrix(c(-3:4, rep(0, 31), 1000), 5, dimnames = list(paste0("doc", 1:5), paste0("word", 1:8)))
}

test_that("tiles show means on the colour scale", {
  y <- matrix(c(1, 2, 3, 4, NA, 6, 0, 8, NA, 10, -11, NA), 3) # 3 x 4
  tile <- function(...) sinh(mean(asinh(c(...))))
  means <- tile_means(y, c(2, 3))
  expect_within(means[1, 1], tile(1, 2, 4, 0, 8), TOL_EXACT) # one of six is missing
  expect_identical(dim(means), c(2L, 2L))
  expect_within(means[2, 1], tile(3, 6), TOL_EXACT)
  expect_within(means[1, 2], tile(10, -11), TOL_EXACT)
  expect_identical(means[2, 2], NA_real_)
  sparse <- as_sparse(Matrix::Matrix(y, sparse = TRUE))
  expect_identical(tile_means(sparse, c(2, 3)), means)
  expect_identical(tile_means(sparse, c(1, 1)), y)
})

test_that("large and sparse counts are never made dense", {
  large <- Matrix::sparseMatrix(i = c(1, 1e6), j = c(1, 1e6), x = c(5, 7), dims = c(1e6, 1e6))
  map <- map_of(large, "", NULL)
  expect_identical(dim(map$values), c(400L, 400L))
  expect_identical(map$size, c(2500, 2500))
  expect_within(map$values[400, 400], sinh(asinh(7) / 2500^2), TOL_EXACT)
  expect_identical(map$limit, map$values[400, 400])
  expect_identical(map$note, "a tile: 2500 x 2500 cells")
  expect_picture(heat_map(large))
})

test_that("colours distinguish signs, and small counts as well as large ones", {
  expect_identical(signed_scale(c(-5, -3, 0, 3, 99), 3), c(-1, -1, 0, 1, 1))
  expect_gt(signed_scale(1, 1000), 0.1)
  colours <- grDevices::col2rgb(signed_colours())
  expect_gt(min(colours["blue", 1:99] - colours["red", 1:99]), 0)
  expect_gt(min(colours["red", 103:201] - colours["blue", 103:201]), 0)
  grey <- colSums(colours * c(0.299, 0.587, 0.114))
  expect_gt(min(grey[1:61] - grey[201:141]), 8) # of 255: signs differ in grey too, of all but small counts
  of_one <- colours[, 101 + round(100 * signed_scale(1, 1000))]
  expect_gt(colours["blue", 101] - of_one[["blue"]], 15) # of 255
})

test_that("colour scales have a few marks that do not overlap", {
  expect_identical(scale_marks(3743, FALSE), c(0, 10, 100, 1000, 3743))
  expect_identical(scale_marks(60, TRUE), c(-60, -10, -1, 0, 1, 10, 60))
  for (limit in c(1e-8, 0.003, 0.9, 1, 7, 1e6, 1e15)) {
    marks <- scale_marks(limit, FALSE)
    expect_lte(max(marks), limit)
    expect_lte(length(marks), 6)
    expect_gt(length(marks), if (limit < 1e-6) 0 else 2)
    expect_gt(min(diff(signed_scale(marks, limit)), 1), 0.08)
  }
  expect_identical(format_marks(c(-1000, 0, 0.5)), c("-1,000", "0", "0.5"))
})

test_that("axes have names if there is room, otherwise numbers", {
  expect_identical(new_axis(3, c("a", "b", "c"))$text, c("a", "b", "c"))
  expect_identical(new_axis(3)$text, c("1", "2", "3"))
  expect_identical(new_axis(1290)$at, seq(200, 1200, 200))
  expect_length(new_axis(100, at = numeric())$at, 0)
  expect_identical(map_of(labelled_counts(), "", NULL)$rows$text, paste0("doc", 1:5))
  many <- matrix(0, 31, 2, dimnames = list(1:31, c("a", "b")))
  expect_false(map_of(many, "", NULL)$columns$named)
  expect_identical(shorten(c("abcdef", "abc"), 5), c("abc..", "abc"))
})

test_that("labels of many rows are small", {
  # a line of text in a panel of 4 inches has no more room than that
  for (n in c(1, 12, 40)) expect_lte(text_points(n, 4) * n, 4 * 72)
  expect_lt(text_points(40, 4), text_points(25, 4))
  expect_gt(text_points(1000, 4), 5) # too many are left out instead
  expect_identical(text_points(3, 4), text_points(12, 4))
})

test_that("a map is drawn tile by tile", {
  map <- map_of(matrix(c(1, NA, -2, 4), 2, dimnames = list(c("a", "b"), NULL)), "counts", NULL)
  tiles <- map_frame(map)
  expect_identical(tiles$count, c(1, NA, -2, 4))
  expect_identical(as.character(tiles$row), paste0("1:", c(1, 2, 1, 2)))
  expect_identical(levels(tiles$row), c("1:2", "1:1")) # the first row on top
  expect_identical(as.character(tiles$column), paste0("1:", c(1, 1, 2, 2)))
  expect_identical(tiles$shade, signed_scale(c(1, NA, -2, 4), 4))
  fills <- function(...) heat_map(matrix(...), limit = 9)$scales$get_scales("fill")$limits
  expect_identical(fills(1:4, 2), c(0, 1))
  expect_identical(fills(-1:2, 2), c(-1, 1))
  large <- map_of(matrix(1, 1290, 2), "", NULL)
  scale <- key_scale(ggplot2::scale_y_discrete, list(map, large), "rows")
  expect_identical(unname(scale$labels(c("1:1", "1:2", "2:150"))), c("a", "b", "600"))
})

# The count at which the colours of a heat map saturate.
limit_of <- function(picture) {
  largest <- which.max(picture$data$shade)
  picture$data$count[largest] / picture$data$shade[largest]
}

test_that("heat maps can be drawn of all objects with counts", {
  y <- labelled_counts()
  x <- private_counts(y, epsilon = 1)
  is.na(x) <- cbind(1, 2)
  picture <- expect_picture(plot(x))
  expect_identical(picture$labels$title, "Released counts, epsilon = 1")
  expect_identical(picture$labels$subtitle, "grey: no data")
  expect_identical(picture$data$count, as.vector(as.matrix(x)))
  expect_identical(limit_of(expect_picture(heat_map(y))), 1000)
  sparse <- Matrix::Matrix(y, sparse = TRUE)
  sparse <- expect_picture(heat_map(sparse, limit = 99))
  expect_identical(sparse$data$shade, signed_scale(as.vector(y), 99))
  expect_identical(unique(expect_picture(heat_map(0 * y))$data$shade), 0)
  expect_picture(heat_map(y * NA))
  expect_picture(plot(private_counts(pmax(y, 0), epsilon = 1:5, clamped = TRUE)))
  expect_picture(plot(private_counts(matrix(3), epsilon = 1)))
  long <- matrix(1:4, 2, dimnames = list(strrep(c("a", "b"), 300), strrep(c("c", "d"), 300)))
  expect_picture(plot(private_counts(long, epsilon = 1), limit = 9, main = "A"))
  expect_refused(heat_map(y, limit = 0), "`limit`")
  expect_refused(heat_map("a"), "`x`")
  expect_refused(heat_map(y, rows = 0), "`rows`")
  expect_refused(heat_map(y[0, ]), "at least one row")
  expect_refused(plot(x, limits = 3), "`limits`", "`limit`")
  expect_refused(plot(private_counts(array(0, c(2, 2, 2)), epsilon = 1)), "two modes")
  expect_refused(ggplot2::autoplot(x, limits = 3), "`limits`")
})

test_that("a named list of matrices is drawn as panels with one scale of colours", {
  y <- labelled_counts()
  maps <- list("True counts" = y, Released = private_counts(-y, epsilon = 1), small = matrix(1:2, 1))
  picture <- expect_picture(heat_map(maps, main = "A"))
  expect_identical(picture$labels$title, "A")
  expect_identical(levels(picture$data$map), names(maps))
  expect_identical(picture$data$count, c(y, -y, 1, 2))
  expect_identical(picture$data$shade, signed_scale(picture$data$count, 1000))
  limited <- expect_picture(heat_map(maps, limit = 50, rows = 1))
  expect_identical(limited$data$shade, signed_scale(picture$data$count, 50))
  panels <- function(picture) ggplot2::ggplot_build(picture)$layout$layout[c("ROW", "COL")]
  expect_identical(unname(as.list(panels(limited))), list(c(1L, 1L, 1L), 1:3))
  expect_identical(max(panels(expect_picture(heat_map(maps, rows = 3)))$COL), 1L)
  expect_identical(nrow(panels(expect_picture(heat_map(maps[c(1, 1)])))), 2L)
  expect_identical(nrow(panels(expect_picture(heat_map(maps["small"])))), 1L)
  expect_refused(heat_map(unname(maps)), "must have a name")
  expect_refused(heat_map(list(a = y, b = "b")), "`x`")
  expect_refused(heat_map(list(a = y, b = y[0, ])), "at least one row")
})
