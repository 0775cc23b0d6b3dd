# What people with counts type in their first hour, and what they get.

some_counts <- function() {
  matrix(c(2L, 0L, 1L, 0L, 0L, 3L, 1L, 4L, 0L, 2L, 0L, 1L), 4,
    dimnames = list(person = letters[1:4], word = c("tax", "law", "war"))
  )
}

some_release <- function(...) {
  set.seed(1)
  privatize(some_counts(), epsilon = 1, rng = "R", ...)
}

# --- near misses ----------------------------------------------------------------------------------

test_that("errors for unknown arguments name the closest argument", {
  x <- some_release()
  for (model in list(topic_model, block_model, tensor_model)) {
    expect_refused(model(x, 2, K = 2), "no argument `K`", "Did you mean `k`?")
    expect_refused(model(x, 2, n_iter = 100), "Did you mean `iter`?")
    expect_refused(model(x, 2, warm = 100), "Did you mean `warmup`?")
    expect_refused(model(x, 2, epsilon = 1), "no argument `epsilon`")
  }
  expect_refused(privatize(some_counts(), 1, seed = 1), "no argument `seed`")
  expect_refused(compare_k(x, 1:2, wrmup = 10, model = "topic"), "Did you mean `warmup`?")
  expect_refused(compare_methods(some_counts(), 2, 1, seed = 1, model = "topic"), "no argument `seed`")
  expect_refused(compare_methods(some_counts(), 2, 1, repetition = 2), "no argument `repetition`")
})

# --- base R on a release --------------------------------------------------------------------------

test_that("arithmetic on a release is an error, and no function of base R takes it for something else", {
  x <- some_release()
  own <- list(function(x) x + 1, function(x) -x, function(x) x > 0)
  for (arithmetic in c(list(sum, range, max, exp, cumsum, round), own)) {
    expect_refused(arithmetic(x), "is not possible for a private_counts", "as.matrix(x)")
  }
  expect_refused(x + 1, "`+` is not possible", "geometric noise")
  expect_refused(t(x), "t(x) is not possible", "noise levels belong to rows")
  expect_refused(pmax(x, 0), "as.matrix(x)")
  for (of_matrices in list(colMeans, rowSums, cor, diag, heatmap, as.table, median, boxplot)) {
    expect_error(of_matrices(x))
  }
  expect_false(is.array(x))
  expect_false(is.matrix(x))
  expect_false(is.numeric(x))
  expect_equal(apply(x, 1, sum), rowSums(as.matrix(x)))
})

test_that("released counts can be converted to a vector", {
  x <- some_release()
  expect_identical(as.numeric(x), as.numeric(as.matrix(x)))
  expect_identical(as.integer(x), as.integer(as.matrix(x)))
  expect_identical(as.vector(x), as.vector(as.matrix(x)))
})

test_that("as.data.frame() of a release has one row per cell", {
  x <- private_counts(matrix(c(2, -1, 0, 5, NA, -3), 2), alpha = c(0.2, 0.6))
  long <- as.data.frame(x)
  expect_identical(long, data.frame(
    row = rep(1:2, 3), column = rep(1:3, each = 2), y_tilde = as.vector(as.matrix(x)),
    alpha = rep(c(0.2, 0.6), 3)
  ))
  named <- as.data.frame(some_release())
  expect_named(named, c("person", "word", "y_tilde", "alpha"))
  expect_identical(levels(named$word), c("tax", "law", "war"))
  expect_identical(named$y_tilde, as.vector(as.matrix(some_release())))
  again <- private_counts(named[c("person", "word", "y_tilde")], alpha = exp(-1), dims = c("person", "word"))
  expect_equal(as.matrix(again), as.matrix(some_release()), ignore_attr = "names")

  cube <- privatize(array(1:24, c(4, 3, 2), list(NULL, letters[1:3], NULL)), epsilon = 1)
  long <- as.data.frame(cube)
  expect_named(long, c("mode1", "mode2", "mode3", "y_tilde", "alpha"))
  expect_identical(long$y_tilde, as.vector(as.array(cube)))
  expect_identical(long$mode3, rep(1:2, each = 12))
  expect_identical(levels(long$mode2), letters[1:3])

  # each pair once: its two cells have one noise
  pairs <- privatize(matrix(c(0, 1, 2, 1, 0, 3, 2, 3, 0), 3), epsilon = 1, directed = FALSE)
  long <- as.data.frame(pairs)
  expect_identical(long[1:2], data.frame(row = c(1L, 1L, 2L), column = c(2L, 3L, 3L)))
  expect_identical(long$y_tilde, as.matrix(pairs)[cbind(long$row, long$column)])
  clamped <- some_release(clamp = TRUE)
  expect_equal(as.data.frame(clamped)$y_tilde, pmax(named$y_tilde, 0))
  expect_identical(nrow(as.data.frame(clamped[0, ])), 0L)
  expect_refused(as.data.frame(x, long = TRUE), "no argument `long`")
  # the result joins covariates
  ages <- data.frame(row = 2:1, age = c(60, 30))
  joined <- merge(as.data.frame(x), ages)
  expect_identical(joined$age, rep(c(30, 60), each = 3))
  expect_identical(joined$alpha, rep(c(0.2, 0.6), each = 3))
  by_name <- merge(named, data.frame(person = levels(named$person), age = seq_len(nlevels(named$person))))
  expect_identical(nrow(by_name), nrow(named))
})

# --- files and lists of releases ------------------------------------------------------------------

test_that("there are different errors for a folder, several files and a missing file", {
  folder <- tempfile("releases")
  expect_refused(write_release(some_release(), file.path(folder, "a.txt")), "There is no folder")
  dir.create(folder)
  files <- file.path(folder, c("a.txt", "b.txt"))
  expect_refused(read_release(files[1]), "There is no", "a.txt")
  for (file in files) write_release(some_release(), file)
  expect_refused(read_release(folder), "is a folder", "`read_releases()`")
  expect_refused(read_release(files), "`file` must be the name of one file", "`read_releases()`")
})

test_that("lists of releases are bound, or the error says what to do", {
  x <- some_release()
  rows <- list(x[1, ], x[2:4, ])
  expect_identical(rbind(x[1, ], rows[2]), x)
  bound <- rbind(rows) # a list with dim 1 x 2: base R has no method for it
  for (releases in list(rows, bound)) {
    expect_refused(topic_model(releases, 2), "`data` must be a matrix of counts", "do.call(rbind, data)")
    expect_refused(privatize(releases, 1), "do.call(rbind, y)")
  }
})

# --- networks whose rows are not their columns ----------------------------------------------------

test_that("the error for shuffled or missing senders says how to select the actors in both margins", {
  people <- c("ann", "bob", "cat", "dan")
  y <- matrix(c(0, 1, 2, 0, 3, 0, 0, 1, 1, 2, 0, 0, 5, 0, 1, 0), 4, dimnames = list(people, people))
  data <- y[c(2, 1, 4, 3), ]
  expect_refused(block_model(data, 2), "in the same order", "both <- intersect(rownames(data), colnames(data))")
  both <- intersect(rownames(data), colnames(data))
  expect_identical(data[both, both], y[both, both])
  silent <- y[-4, ]
  expect_refused(block_model(silent, 2), "same actors", "counts of zero")
  release <- privatize(silent, epsilon = 1)
  expect_refused(block_model(release, 2), "same actors", "data[both, both]")
  expect_no_match(error_text(block_model(release, 2)), "counts of zero")
  edges <- data.frame(from = factor(c("a", "b")), to = factor(c("b", "c")), n = 1:2)
  expect_refused(block_model(privatize(edges, 1, dims = c("from", "to")), 2), "data[both, both]")
})

# --- wrong metadata -------------------------------------------------------------------------------

# Small true counts, which have zeros, and a release of them.
few_words <- function() {
  set.seed(2)
  matrix(rpois(600, 0.7), 30)
}

briefly <- function(model, data, k = 2, ...) {
  model(data, k, family = "poisson", iter = 4, chains = 1, progress = FALSE, ...)
}

test_that("model functions warn of a release that contradicts its declared noise", {
  y <- few_words()
  released <- as.matrix(privatize(y, epsilon = 1, rng = "R"))
  square <- released[1:20, ]
  wrongly <- list(
    `another alpha` = function(x) private_counts(x, alpha = 0.8),
    `clamped in silence` = function(x) private_counts(pmax(x, 0), epsilon = 1),
    `true counts` = function(x) private_counts(y[seq_len(nrow(x)), ], epsilon = 1)
  )
  for (name in names(wrongly)) {
    doubted <- function(code) expect_warning(code, class = "ldpcounts_declared_alpha")
    doubted(briefly(topic_model, wrongly[[name]](released)))
    doubted(briefly(tensor_model, wrongly[[name]](released)))
    doubted(briefly(block_model, wrongly[[name]](square)))
    doubted(briefly(topic_model, wrongly[[name]](released), inference = "cavi"))
  }
  no_loo <- function(x) compare_k(x, 1:2, model = "topic", loo_cells = 0, iter = 4, chains = 1)
  expect_warning(no_loo(wrongly[[1]](released)), class = "ldpcounts_declared_alpha")
  text <- tryCatch(briefly(topic_model, wrongly[[3]](released)), warning = conditionMessage)
  expect_match(text, "No count is below zero")
  expect_match(text, "clamped = TRUE", fixed = TRUE)
  expect_match(text, "as a matrix")

  fit <- suppressWarnings(briefly(topic_model, wrongly[[3]](released)))
  shown <- paste(capture.output(print(summary(fit))), collapse = " ")
  expect_match(shown, "Problems were found: .* cannot both be right")
  expect_no_match(shown, "nbinom1|implausible|replicates") # no other family is advised

  expect_silent(fit <- briefly(topic_model, private_counts(released, epsilon = 1)))
  expect_silent(summary(fit))
  expect_silent(briefly(topic_model, private_counts(pmax(released, 0), epsilon = 1, clamped = TRUE)))
  expect_silent(briefly(topic_model, wrongly[[1]](released), noise = "ignore"))
  expect_warning(predict(fit, wrongly[[1]](released)), class = "ldpcounts_declared_alpha")
  expect_silent(predict(fit, private_counts(released, epsilon = 1)))
  mean_of <- function(state, y) list(state = c(rate = mean(y)), mu = array(mean(y) + 1, dim(y)))
  expect_warning(
    private_gibbs(wrongly[[1]](released), mean_of, mean_of(NULL, y), iter = 2),
    class = "ldpcounts_declared_alpha"
  )
  # a diagonal that was set to zero afterwards is not data, and no reason to doubt
  network <- as.matrix(privatize(matrix(0L, 100, 100), epsilon = 3, rng = "R"))
  diag(network) <- 0
  expect_silent(briefly(block_model, private_counts(network, epsilon = 3)))
})

test_that("a message recognises a symmetric matrix with an empty diagonal as pairs", {
  pairs <- matrix(c(0, 1, 2, 1, 0, 3, 2, 3, 0), 3)
  expect_warning(privatize(pairs, epsilon = 1), "directed = FALSE", class = "ldpcounts_symmetric")
  expect_warning(privatize(pairs, epsilon = 1), "counts of pairs")
  expect_warning(privatize(Matrix::Matrix(pairs, sparse = TRUE), epsilon = 1, clamp = TRUE),
    class = "ldpcounts_symmetric")
  expect_silent(privatize(pairs, epsilon = 1, directed = FALSE))
  expect_silent(privatize(pairs + diag(3), epsilon = 1))
  expect_silent(privatize(matrix(0, 3, 3), epsilon = 1))
  dimnames(pairs) <- list(letters[1:3], LETTERS[1:3])
  expect_silent(privatize(pairs, epsilon = 1))
})

test_that("duplicated labels cannot be used to select cells", {
  y <- few_words()
  dimnames(y) <- list(c("a", "a", 3:30), c("u", "v", 3:20))
  x <- privatize(y, epsilon = 1)
  fit <- briefly(topic_model, x)
  expect_refused(fitted(fit, cells = cbind("a", "3")), "\"a\" is the label of several", "make.unique()")
  expect_refused(augment(fit, cells = cbind("a", "u")), "\"a\" is the label of several")
  expect_length(fitted(fit, cells = cbind("3", "4")), 1)
  expect_refused(x["a", ], "\"a\" is the label of several")
  expect_refused({ x[cbind("a", "3")] <- NA }, "\"a\" is the label of several")
  expect_identical(dim(x["3", ]), c(1L, 20L))
  expect_refused(plot(augment(fit, cells = cbind(2, 3))), "\"a\" is the label of several")
  expect_identical(dim(predict(fit, x)), dim(y)) # by position, as names are the same
  expect_refused(predict(fit, x[, 20:1]), "differ from column 1 on")
  labelled <- x[3:5, ]
  expect_warning(rbind(labelled, labelled[2, ]), "is duplicated",
    class = "ldpcounts_duplicated_labels")
  expect_silent(rbind(labelled[1, ], labelled[2, ]))
  expect_silent(rbind(unname_counts(labelled), unname_counts(labelled)))
})

test_that("there is a message for unlikely arguments", {
  y <- few_words()
  expect_identical(dim(privatize(y[0, ], epsilon = 1)), c(0L, ncol(y)))
  expect_identical(dim(private_counts(y[, 0], epsilon = 1)), c(nrow(y), 0L))
  expect_refused(topic_model(y[0, ], 2), "`data` must have at least one row")
  expect_warning(briefly(topic_model, y, 31), "`k` is 31, larger than", class = "ldpcounts_large_k")
  expect_warning(briefly(block_model, y[1:20, ] * (1 - diag(20)), 21), class = "ldpcounts_large_k")
  expect_silent(briefly(topic_model, y, 25))
  expect_message(topic_model(y, 2, iter = 1, chains = 1), "1 draw", class = "ldpcounts_one_draw")
  expect_silent(briefly(topic_model, y))
})

test_that("there is a warning if true counts are on the diagonal, and none of noise there", {
  set.seed(3)
  y <- matrix(rpois(400, 1), 20)
  diag(y) <- 10
  expect_warning(briefly(block_model, private_counts(y, alpha = 0)), class = "ldpcounts_self_loops")
  expect_silent(briefly(block_model, privatize(y, epsilon = 1)))
})

# --- data as people have them ---------------------------------------------------------------------

survey <- function() {
  y <- few_words()[1:12, 1:5]
  colnames(y) <- paste0("q", 1:5)
  data.frame(person = paste0("p", 1:12), region = factor(rep(c("north", "south"), 6)), y)
}
answers <- function() as.matrix(survey()[3:7])

test_that("a data frame has one row per record, and one column per item", {
  wide <- survey()[-2]
  named <- privatize(wide, epsilon = 1, id = "person")
  expect_identical(dimnames(named), list(paste0("p", 1:12), paste0("q", 1:5)))
  expect_identical(dimnames(privatize(wide[-1], epsilon = 1)), list(NULL, paste0("q", 1:5)))
  tight <- privatize(wide, epsilon = 40, id = "person") # so little noise that there is none
  expect_equal(unname(as.matrix(tight)), unname(answers()))
  tibble <- structure(wide, class = c("tbl_df", "tbl", "data.frame"))
  expect_identical(dimnames(privatize(tibble, epsilon = 1, id = "person")), dimnames(named))
  expect_identical(dim(privatize(wide[1:2], epsilon = 1, id = "person")), c(12L, 1L))
  few <- data.frame(person = 1:3, tax = c(0, 2, 1), law = c(1, 0, 0))
  expect_identical(rownames(privatize(few, epsilon = 1, id = "person")), c("1", "2", "3"))
  expect_identical(dim(privatize(data.frame(calls = 0:3), epsilon = 1)), c(4L, 1L))

  fit <- briefly(topic_model, wide, id = "person")
  expect_identical(rownames(fitted(fit)), paste0("p", 1:12))
  expect_identical(dim(predict(fit, wide[1:3, -1])), c(3L, 5L))
  expect_equal(dim(fitted(briefly(tensor_model, wide, id = "person"))), c(12, 5))
  expect_equal(as.matrix(private_counts(wide[-1], alpha = 0.5)), answers())
  held_out <- holdout_cells(wide[-1])
  expect_s3_class(
    held_out_density(briefly(topic_model, held_out$train), wide[-1], held_out$cells), "held_out_density"
  )
})

test_that("the error for a table with unsuitable columns says what to do", {
  wide <- survey()
  expect_refused(privatize(wide, 1), "columns \"person\" and \"region\" are not numeric", "`id = \"person\"`")
  expect_refused(privatize(wide, 1, id = "person"), "column \"region\" is not numeric")
  expect_refused(privatize(wide, 1, id = "name"), "`id` must be the name of a column of `y`", "\"name\"")
  expect_refused(privatize(answers(), 1, id = "person"), "`id` is only for a data frame")
  expect_refused(privatize(some_release(), 0.5, compose = TRUE, id = "person"), "`id` is only for a data frame")
  expect_refused(privatize(wide, 1, id = "person", dims = c(12, 5)), "at most one of `id` and `dims`")
  wide$region <- NULL
  twice <- rbind(wide, wide[1, ])
  expect_refused(privatize(twice, 1, id = "person"), "must have a different label in each row", "add them up")
  expect_refused(privatize(wide["person"], 1, id = "person"), "must have a column of counts")
  numbered <- data.frame(id = 1:12, answers())
  expect_refused(privatize(numbered, 1), "column \"id\" seems to hold labels", "`id = \"id\"`", "become public")
  expect_identical(dim(privatize(numbered, 1, id = "id")), c(12L, 5L))
})

test_that("a vector of one person's counts becomes a row", {
  mine <- c(tax = 2, law = 0, war = 1)
  x <- suppressMessages(privatize(mine, epsilon = 1))
  expect_identical(dim(x), c(1L, 3L))
  expect_identical(colnames(x), names(mine))
  expect_identical(dimnames(suppressMessages(privatize(table(c("a", "b", "a")), 1)))[[2]], c("a", "b"))
  fit <- briefly(topic_model, rbind(mine, 1:3))
  expect_identical(dim(predict(fit, mine)), c(1L, 3L))
  expect_refused(topic_model(unname(mine), 1), "must be a matrix of counts", "matrix(data, nrow = 1)",
    "For one count from each of 3 records, use `cbind(data)`")
  expect_message(privatize(mine, 1), "one record.*`unname\\(y\\)`", class = "ldpcounts_one_record")
  expect_message(predict(fit, mine), NA)
})

test_that("numbers of respondents can be the levels of a factor", {
  long <- data.frame(id = c(3369, 6273, 3369), item = factor(c("gp", "gp", "hosp")), n = c(1, 2, 4))
  expect_refused(privatize(long, 1, dims = c("id", "item")), "must be a factor with all possible labels")
  long$id <- factor(long$id, levels = unique(long$id))
  expect_identical(rownames(privatize(long, 1, dims = c("id", "item"))), c("3369", "6273"))
})

test_that("margins of tables throw errors, and rows of a table are groups", {
  table <- xtabs(~ gear + cyl, mtcars)
  expect_refused(privatize(addmargins(table), 1), "last index of mode 1, \"Sum\"",
    "addmargins()")
  expect_refused(privatize(addmargins(table, 2), 1), "last index of mode 2, \"Sum\"")
  expect_refused(tensor_model(addmargins(UCBAdmissions, 3), 2), "last index of mode 3")
  expect_refused(suppressMessages(privatize(addmargins(table(mtcars$cyl)), 1)), "must not have margins")
  words <- addmargins(table)
  words[4, ] <- 1 # a word
  expect_identical(dim(suppressMessages(privatize(words[, 1:3], 1))), c(4L, 3L))
  expect_message(privatize(table, 1), "`precision` to the largest number", class = "ldpcounts_groups")
  expect_no_message(privatize(table, 1, precision = 2), class = "ldpcounts_groups")
})

test_that("counts as text are an error", {
  long <- data.frame(
    person = factor(c("a", "a", "b"), c("a", "b", "c")), word = factor(c("u", "v", "v")), n = c("1", "2", "4")
  )
  expect_refused(privatize(long, 1, dims = c("person", "word")), "must have one numeric column", "It has none")
  expect_refused(topic_model(long, 1), "\"n\" are not numeric")
  expect_refused(privatize(matrix(c("1", "2"), 1), 1), "must be a matrix of counts", "type character")
})

test_that("cells can be given as a data frame", {
  y <- few_words()
  dimnames(y) <- list(paste0("d", 1:30), paste0("w", 1:20))
  fit <- briefly(topic_model, privatize(y, epsilon = 1))
  cells <- data.frame(row = c("d2", "d5"), column = factor(c("w3", "w7")))
  numbers <- cbind(c(2, 5), c(3, 7))
  expect_identical(fitted(fit, cells = cells), fitted(fit, cells = numbers))
  expect_identical(fitted(fit, cells = as.data.frame(numbers)), fitted(fit, cells = numbers))
  frame <- augment(fit, cells = numbers)
  expect_equal(augment(fit, cells = frame), frame)
  expect_refused(fitted(fit, cells = data.frame(1, 2, 3)), "`cells`", "two columns")
  expect_refused(fitted(fit, cells = data.frame("d2", "x")), "Row 1 of `cells` is not")
  expect_refused(fitted(fit, cells = data.frame(1, TRUE)), "numbers or labels")
  held_out <- holdout_cells(y)
  held_out$cells <- as.data.frame(held_out$cells)
  trained <- briefly(topic_model, held_out$train)
  expect_s3_class(held_out_density(trained, y, held_out$cells), "held_out_density")
  x <- privatize(y, epsilon = 1)
  is.na(x) <- cells
  expect_identical(which(is.na(x)), which(is.na(`[<-`(y, numbers, NA))))
  x[data.frame("d1", "w1")] <- NA
  expect_true(is.na(as.matrix(x)[1, 1]))
  expect_refused({ x[data.frame("d1", "w99")] <- NA }, "Row 1")
})

test_that("numbers in `cells` are positions, and text and factors are labels", {
  y <- few_words()[1:5, 1:3]
  dimnames(y) <- list(c(3, 1, 2, 5, 4), c("gp", "hosp", "dentist"))
  fit <- briefly(topic_model, privatize(y, epsilon = 1))
  asked <- data.frame(c(3, 1), "gp")
  expect_named(fitted(fit, cells = asked), c("2, gp", "3, gp"))
  asked[[1]] <- as.character(asked[[1]])
  expect_equal(fitted(fit, cells = asked), c("3, gp" = 1, "1, gp" = 1) * fitted(fit)[1:2, "gp"])
  expect_identical(rownames(fitted(fit, cells = asked, level = 0.9)), c("3, gp", "1, gp"))
  expect_named(fitted(fit, cells = cbind(1, 2)), "3, hosp")
})

test_that("missing answers stay missing if requested", {
  y <- few_words()
  gone <- cbind(c(1, 4, 4), c(2, 3, 5))
  y[gone] <- NA
  expect_refused(privatize(y, 1), "no missing counts", "na = \"keep\"")
  expect_refused(privatize(y, 1, na = "drop"), "`na` must be one of")
  for (counts in list(y, Matrix::Matrix(y, sparse = TRUE))) {
    for (clamp in c(FALSE, TRUE)) {
      x <- privatize(counts, epsilon = 1, na = "keep", clamp = clamp)
      expect_identical(which(is.na(x)), which(is.na(y)))
      expect_output(print(x), "3 masked")
      expect_identical(is.na(briefly(topic_model, x)$data), is.na(y), ignore_attr = TRUE)
    }
  }
  expect_identical(dim(fitted(briefly(topic_model, x))), dim(y))
  pairs <- crossprod(few_words())
  pairs[cbind(c(1, 2), c(2, 1))] <- NA
  x <- privatize(pairs, epsilon = 1, na = "keep", directed = FALSE)
  expect_identical(which(is.na(as.matrix(x)) & row(pairs) != col(pairs)), which(is.na(pairs)))
  expect_output(print(x), "1 pairs? masked")
  pairs[1, 2] <- 0
  expect_refused(privatize(pairs, 1, na = "keep", directed = FALSE), "must be symmetric")
  answers <- survey()
  answers$q2[3] <- NA
  x <- privatize(answers[-2], 1, id = "person", na = "keep")
  expect_identical(which(is.na(x), arr.ind = TRUE)[1, ], c(row = 3L, col = 2L))
})

# --- what is no count -----------------------------------------------------------------------------

# Respondents in rows, with counts that have zeros.
respondents <- function(n = 30) {
  set.seed(6)
  data.frame(calls = rpois(n, 2), mails = rpois(n, 3), visits = rpois(n, 1), age = sample(18:90, n, TRUE))
}

test_that("columns that identify people by their names are refused in a data frame, with a warning in a matrix", {
  counts <- respondents()
  for (name in c("id", "ID", "person_id", "caseid", "respondentID", "id.2")) {
    data <- counts
    data[[name]] <- rep_len(1000 + c(5, 5, 2), 30)
    expect_refused(privatize(data, 1), paste0("column \"", name, "\" seems to hold labels"), "become public")
    expect_warning(privatize(as.matrix(data), 1), "do not publish", class = "ldpcounts_key")
  }
})

test_that("counts are not treated as labels", {
  released <- function(x) expect_silent(privatize(x, 1))
  counts <- respondents()
  released(counts)
  released(transform(counts, case = rpois(30, 2), covid = rpois(30, 5), number = 1:30))
  released(transform(counts, id = c(0, rpois(29, 2)))) # a word, say
  released(as.matrix(transform(counts, id = c(0, rpois(29, 2)))))
})

test_that("labelled columns are read as numbers", {
  counts <- respondents()
  classes <- list(c("labelled", "integer"), c("haven_labelled", "vctrs_vctr", "double"))
  for (class in classes) {
    labelled <- data.frame(person = 101:130, counts)
    labelled[c("person", "mails")] <- lapply(labelled[c("person", "mails")], structure,
      class = class, label = "a question", labels = c(none = 0)
    )
    x <- privatize(labelled, epsilon = 40, id = "person")
    expect_identical(dimnames(x), list(as.character(101:130), names(counts)))
    expect_equal(as.matrix(x)[, "mails"], counts$mails, ignore_attr = TRUE)
  }
})

test_that("columns of text are not dropped silently", {
  counts <- respondents()
  text <- transform(counts, extra = as.character(mails))
  expect_refused(privatize(text, 1), "column \"extra\" is not numeric")
  text <- transform(text, extra = factor(extra), name = paste("p", 1:30))
  expect_refused(privatize(text, 1, id = "name"), "column \"extra\" is not numeric")
})

test_that("there is a message if rows of a data frame with the same cell are added up", {
  set.seed(7)
  long <- data.frame(
    region = factor(sample(c("n", "s"), 40, TRUE)), age = factor(sample(c("old", "young"), 40, TRUE)),
    calls = rpois(40, 3)
  )
  released <- function(x) privatize(x, 1, dims = c("region", "age"))
  expect_message(released(long), "40 rows become 4 cells", class = "ldpcounts_added")
  expect_message(released(long), "one row per record", class = "ldpcounts_added")
  expect_silent(released(aggregate(calls ~ region + age, long, sum)))
})

test_that("a data frame of a release is not treated as counts", {
  x <- some_release()
  frames <- lapply(list(x, unname_counts(x), privatize(array(1, 4:2), 1)), as.data.frame)
  for (frame in frames) {
    expect_refused(privatize(frame, 1), "data frame of released counts", "Use the release itself")
    expect_refused(private_counts(frame, alpha = 0.3), "private_counts(x, dims = , alpha = )")
    expect_refused(topic_model(frame, 2), "data frame of released counts")
  }
  frame <- frames[[1]]
  frame$alpha <- NULL
  again <- private_counts(frame, dims = c("person", "word"), alpha = privacy(x)$alpha)
  expect_equal(as.matrix(again), as.matrix(x), ignore_attr = "names")
})

test_that("data without rows give a release without rows", {
  none <- data.frame(id = letters, respondents(26))[0, ]
  expect_identical(dim(privatize(none, 1, id = "id")), c(0L, 4L))
  expect_refused(topic_model(none[-1], 2), "at least one row")
})

test_that("errors about counts name the column and quote no value", {
  bad <- c(`negative values` = -77, `not whole` = 77.5, `NaN` = NaN, `no missing` = NA)
  for (problem in names(bad)) {
    wide <- data.frame(id = letters[1:20], respondents(20))
    wide$mails[3] <- bad[[problem]]
    for (y in list(wide, as.matrix(wide[-1]), Matrix::Matrix(as.matrix(wide[-1]), sparse = TRUE))) {
      text <- error_text(if (is.data.frame(y)) privatize(y, 1, id = "id") else privatize(y, 1))
      expect_match(text, problem)
      expect_match(text, "Column \"mails\" has such values")
      expect_no_match(text, "77")
    }
  }
  wide$mails[3] <- wide$age[4] <- -9
  expect_refused(privatize(wide, 1, id = "id"), "Columns \"mails\" and \"age\" have", "codes of missing answers")
})

test_that("a precision computed from the counts throws an error that does not show it", {
  y <- as.matrix(respondents())
  y[3, ] <- 0
  text <- error_text(privatize(y, 1, precision = rowSums(y) - 77))
  expect_match(text, "`precision` must be a positive")
  expect_match(text, "must not be computed from the counts")
  expect_no_match(text, "77|-[0-9]")
  for (precision in list(rowSums(y[-3, ]), rowMeans(y[-3, ]))) {
    expect_refused(privatize(y[-3, ], 1, precision = precision), "must not be computed", "without noise")
  }
  expect_refused(privatize(y, 1, precision = pmax(rowSums(y), 1)), "totals or means of the rows")
  expect_silent(privatize(y, 1, precision = rep(1:3, 10)))
})

test_that("errors name the function or argument that was probably meant", {
  y <- few_words()
  dimnames(y) <- list(NULL, paste0("w", 1:20))
  released <- privatize(y, epsilon = 1)
  fit <- briefly(topic_model, released)
  expect_refused(augment(fit, y), "must be named")
  expect_refused(augment(fit, newdata = y), "no argument `newdata`")
  expect_refused(privacy_loss(released, distance = 12), "must be a private_counts")
  expect_refused(predict(fit, cbind(y, other = 1)), "has 21 columns", "newdata[, colnames(fitted(object))]")
  expect_refused(predict(fit, y[, -1]), "It has 19 columns, and the data of the fit have 20")
  held_out <- holdout_cells(y)
  fit <- briefly(topic_model, held_out$train)
  expect_identical(held_out_density(fit, y, held_out), held_out_density(fit, y, held_out$cells))
  expect_message(frame <- augment(fit), "60 masked (missing) cells are left out", fixed = TRUE,
    class = "ldpcounts_masked_left_out")
  expect_identical(nrow(frame), 540L)
  expect_silent(augment(fit, cells = held_out$cells))
})

test_that("print() of a fit to a simulated release says so", {
  printed <- function(x, ...) {
    fit <- suppressMessages(briefly(topic_model, x, ...))
    paste(capture.output(print(fit), print(suppressMessages(summary(fit)))), collapse = " ")
  }
  expect_match(printed(some_release()), "SIMULATION ONLY.*SIMULATION ONLY")
  expect_no_match(printed(privatize(some_counts(), 1)), "SIMULATION")
  expect_no_match(printed(some_counts()), "SIMULATION")
})

# --- comparisons ----------------------------------------------------------------------------------

a_network <- function() {
  people <- paste0("p", 1:12)
  set.seed(5)
  y <- matrix(rpois(144, 1), 12, dimnames = list(people, people))
  diag(y) <- 0
  y
}

test_that("there is a message if the best k is at the end of the range", {
  compared <- function(diff, se) {
    structure(data.frame(
      k = 2 * seq_along(diff), held_out = diff - 1, held_out_se = 0.02, held_out_diff = diff,
      held_out_diff_se = se, loo = NA_real_, loo_se = NA_real_, loo_diff = NA_real_, loo_diff_se = NA_real_,
      pareto_k = NA_real_, rhat = 1
    ), class = c("k_comparison", "data.frame"), cells = c(held_out = 1500, loo = 0),
      law = c(held_out = "true counts", loo = "true counts"))
  }
  shown <- function(...) paste(capture.output(print(compared(...))), collapse = " ")
  open <- shown(c(-0.3, -0.01, 0), c(0.01, 0.02, 0))
  expect_match(open, "improves up to the largest k")
  expect_match(open, "compare larger values of k")
  expect_match(open, "k = 4 is the smallest within one standard error")
  expect_match(shown(c(-0.3, -0.1, 0), c(0.01, 0.02, 0)), "To describe the data, a smaller k may be enough")
  expect_no_match(shown(c(-0.3, 0, -0.1), c(0.01, 0, 0.02)), "largest k")
})

# --- generics without an answer -------------------------------------------------------------------

a_fit <- function(...) {
  set.seed(2)
  paper_topics(some_release(), 2, iter = 40, chains = 2, ...)
}

own_fit <- function() {
  set.seed(3)
  step <- function(rate, y) {
    rate <- rgamma(1, 1 + sum(y), 1 + length(y))
    list(state = c(rate = rate), mu = rep(rate, length(y)))
  }
  start <- list(state = c(rate = 1), mu = rep(1, 5))
  private_gibbs(privatize(cbind(1:5), epsilon = 1), step, start, iter = 40)
}

test_that("a release without its version throws an error", {
  x <- unclass(some_release())
  changed <- structure(unlist(x[1]), class = "private_counts")
  expect_refused(dim(changed), "has no version number")
})

test_that("a release has no elements", {
  x <- some_release()
  expect_identical(capture.output(str(x)), paste0(" ", format(x)))
  expect_refused(x$tax, "x$tax is not possible for a private_counts", "x[, \"name\"]", "as.matrix(x)")
  expect_refused(x[["tax"]], "x$tax is not possible")
})

test_that("generics that a fit has no method for give R's own error, and no number", {
  fit <- a_fit()
  for (no_method in list(logLik, AIC, confint, vcov, formula, hist, as.data.frame, function(fit) fit + 1)) {
    expect_error(no_method(fit))
  }
  expect_null(residuals(fit))
  expect_null(fit$theta)
  expect_identical(nobs(fit), glance(fit)$nobs)
})

test_that("fits of private_gibbs() have means", {
  fit <- own_fit()
  expect_identical(coef(fit), colMeans(as.matrix(fit)))
})

test_that("there is an error for a formula as an argument", {
  x <- some_release()
  for (model in list(topic_model, block_model, tensor_model)) {
    expect_refused(model(y ~ x, x), "`data` must be counts", "models of this package have no formula")
    expect_refused(
      model(x, y ~ x), "models of this package have no formula", "private_nbinom1()", "vignette(\"regression\")"
    )
  }
  expect_refused(private_gibbs(y ~ x, x), "models of this package have no formula")
  expect_refused(private_gibbs(x, y ~ x, list()), "models of this package have no formula")
})

test_that("errors for unnamed arguments say which", {
  x <- some_release()
  fit <- a_fit()
  expect_refused(topic_model(x, 2, 100), "after `k` must be named", "Argument 3")
  expect_refused(update(fit, 100), "Argument 2")
  expect_refused(fitted(fit, cbind(1, 1)), "must be named")
  expect_refused(coef(fit, "theta"), "after `object`", "must be named")
  expect_refused(simulate_topics(90), "All arguments must be named")
  expect_refused(topic_model(x, 2, groups = 1:4), "`groups` must be a factor", "factor()")
})

test_that("errors about lengths and levels of comparisons say what is wrong", {
  expect_refused(geometric_alpha(1:3, precision = 1:2), "one per value of `epsilon` (3)", "length 2")
  expect_refused(geometric_epsilon(c(0.1, 0.2, 0.3), 1:2), "one per value of `alpha` (3)")
  expect_refused(compare_methods(some_counts(), 2, 1, reps = 2), "no argument `reps`")
  expect_refused(compare_k(some_release(), 1:2, reps = 2, model = "topic"), "no argument `reps`")
  x <- some_release()
  expect_refused(privacy_loss(list(x, x)), "must be a private_counts")
})

test_that("diagnostics of posterior, which would take parameters for chains, are errors", {
  diagnostics <- list(posterior::rhat_basic, posterior::ess_basic, posterior::ess_bulk, posterior::ess_mean)
  for (diagnostic in diagnostics) {
    expect_refused(diagnostic(a_fit()), "summary(fit)$convergence", "as_draws(fit, aligned = TRUE)")
    expect_refused(diagnostic(own_fit()), "summarise_draws(")
  }
})

test_that("errors for simulated data name the element with the counts", {
  s <- simulate_topics(D = 9)
  expect_refused(privatize(s, 1), "`$y` has the counts and `$mu` their means")
  expect_refused(topic_model(s, 3), "`$y`")
  expect_refused(heat_map(s), "`$y`")
  expect_refused(mae(s, s$mu), "`$mu`")
  part <- structure(unclass(s)["phi"], class = class(s))
  expect_output(print(part), "\\$phi")
})

test_that("the advised slice of an array with three modes can be plotted", {
  x <- privatize(array(1:24, c(4, 3, 2)), epsilon = 1)
  expect_refused(plot(x), "must have two modes", "It is 4 x 3 x 2", "x[, , 1, drop = TRUE]")
  expect_picture(plot(x[, , 1, drop = TRUE]))
})

test_that("distributions warn of NaN as those of base R do", {
  expect_warning(dtruecount(0:3, 2.5, 1, 0.4), "NaNs produced")
  expect_warning(dtwogeom(0, 1), "NaNs produced")
  expect_warning(rprivnbinom(2, 1, 0.4, 0.5), "NaNs produced")
  expect_warning(truecount_mean(1, -2, 0.4), "NaNs produced")
  expect_warning(pskellam(1, 1, -1), "NaNs produced")
  expect_warning(dbessel(1, -1, 2), "NaNs produced")
  expect_warning(rbessel(1, 1, -2), "NaNs produced")
  expect_warning(qskellam(2, 1, 1), "NaNs produced")
  expect_warning(qskellam(2, 1, 1, log.p = TRUE), "NaNs produced")
})

# --- results that mislead -------------------------------------------------------------------------

test_that("a fit of counts that are all zero is not trusted", {
  set.seed(1)
  fit <- paper_topics(matrix(0L, 6, 4), 2, iter = 60, chains = 2)
  expect_match(summary(fit)$verdict, "no observed count is above zero")
})

test_that("print() of simulated data shows their size", {
  set.seed(1)
  shown <- function(made) gsub("\\s+", " ", paste(capture.output(print(made)), collapse = " "))
  expect_match(shown(simulate_topics(D = 9)), "Simulated counts, 9 x 15, .*in \\$y")
  expect_match(shown(simulate_topics(D = 9)), "True means and parameters: \\$mu \\(9 x 15\\), \\$theta \\(9 x 3\\)")
  expect_match(shown(simulate_tensor(dims = 4:2)), "\\$mu \\(4 x 3 x 2\\), \\$theta1 \\(4 x 3\\)")
})

test_that("comparisons say which way is better, and no column has a number in its name", {
  expect_identical(which_is_better(c("log_lik", "npmi")), "Larger is better")
  expect_identical(which_is_better(c("mae", "npmi")), "Smaller is better (for npmi: larger)")
  expect_identical(which_is_better("mae"), "Smaller is better")
  set.seed(1)
  compared <- compare_k(few_words(), 1:2, iter = 4, chains = 1)
  expect_no_match(capture.output(print(compared)), "difference .1", fixed = TRUE)
})

test_that("outlying lines do not compress a plot", {
  means <- data.frame(metric = "mae", method = c("private", "naive", "mean", "zero"), mean = c(1, 1.5, 2, 9))
  means$low <- means$high <- means$mean
  expect_identical(is_far_off(means), c(FALSE, FALSE, FALSE, TRUE))
})

test_that("there is a message for weak topics of central privacy", {
  set.seed(4)
  made <- simulate_topics(D = 60, V = 8, words = 20)
  fit_at <- function(epsilon) {
    delta <- if (epsilon < Inf) 1e-6 else 0
    dp_lda_vi(made$y, 3, 0.1, 0.1, epsilon, delta, lmax = 20, clip = 5, iter = 3, rng = "R")
  }
  expect_match(capture.output(print(fit_at(0.1))), "Weak: the noise", all = FALSE)
  expect_true(fit_at(0.1)$weak)
  expect_false(fit_at(Inf)$weak)
})

# --- what a social scientist typed -------------------------------------------------------------------

test_that("a graph whose counts are in another attribute, and times in the place of counts, are refused", {
  edges <- data.frame(from = c("a", "a", "b"), to = c("b", "c", "c"), n = c(50, 20, 30))
  graph <- igraph::graph_from_data_frame(edges)
  expect_refused(privatize(graph, 1), "have a numeric attribute n, but no weight", "rename it weight")
  expect_refused(block_model(graph, 2), "have a numeric attribute n, but no weight")
  igraph::E(graph)$weight <- igraph::E(graph)$n
  expect_equal(sum(as.matrix(privatize(graph, 40, rng = "R"))), 100)
  edges <- data.frame(
    from = factor(c("a", "b", "c")), to = factor(c("b", "c", "a")), year = c(1999, 2001, 2002)
  )
  dims <- c("from", "to")
  expect_refused(privatize(edges[1:2], 1, dims = dims), "must have one numeric column", "If each row counts 1")
})

test_that("there is an error for a formula beside data", {
  edges <- as.data.frame(as.table(as.matrix(enron_network[1:9, 1:9])))
  expect_refused(block_model(Freq ~ Var1, data = edges, k = 3), "have no formula")
  expect_refused(block_model(Freq ~ Var1, edges, 3), "have no formula")
})

test_that("one month of a network by months is a network", {
  set.seed(1)
  months <- list(letters[1:12], letters[1:12], month = c("Jan", "Feb"))
  released <- privatize(array(rpois(288, 2), c(12, 12, 2), months), epsilon = 1, rng = "R", clamp = TRUE)
  january <- released[, , "Jan", drop = TRUE]
  expect_identical(as.matrix(january), as.array(released)[, , "Jan"])
  expect_identical(privacy(january), privacy(released))
  expect_s3_class(block_model(january, 2, iter = 10), "block_model")
  expect_refused(block_model(released[, , "Jan"], 2), "data[, , 1, drop = TRUE]")
  expect_identical(dim(released[1, , , drop = TRUE]), c(1L, 12L, 2L))
  expect_identical(dim(released[1, 1, 1, drop = TRUE]), c(1L, 1L))
  expect_identical(dim(released[, "b", , drop = TRUE]), c(12L, 2L))
  expect_identical(names(dimnames(released[, "b", , drop = TRUE])), names(months)[c(1, 3)])
})

test_that("compare_k() does not recommend k by a score that it reports as unreliable", {
  chosen <- data.frame(score = c("held_out", "loo"), best = c(2, 6), one_se = c(2, 6))
  lines <- function(pareto_k) {
    compared <- data.frame(k = c(2, 4, 6), rhat = 1, pareto_k = pareto_k)
    paste(describe_choice(structure(compared, scored = "true counts"), chosen), collapse = " ")
  }
  expect_no_match(lines(0.1), "improves up to the largest k")
  expect_match(lines(0.1), "Follow the held-out score, because leave-one-out is uncertain")
  expect_match(lines(0.1), "Leave-one-out may be too high at k = 2, 4, 6: .* Use the held-out score")
  expect_match(lines(0), "improves up to the largest k")
  expect_match(lines(0), "Follow leave-one-out")
})

test_that("there is one message for raw draws", {
  rlang::reset_message_verbosity("ldpcounts_raw_draws")
  fit <- topic_model(matrix(1:12, 4), 2, iter = 10)
  expect_message(posterior::summarise_draws(fit, "mean"), "aligned = TRUE", class = "ldpcounts_raw_draws")
  expect_no_message(posterior::summarise_draws(fit, "mean"))
  rlang::reset_message_verbosity("ldpcounts_raw_draws")
  expect_no_message(posterior::as_draws(fit, aligned = TRUE), class = "ldpcounts_raw_draws")
})

test_that("the verdict says that modes of a short run may be chains that have not converged", {
  table <- data.frame(
    mean = 1, sd = 1, rhat = 1, ess_bulk = c(14, 200), ess_tail = 30,
    row.names = c("log density", "total of mu")
  )
  fit <- list(run = list(iter = 300, warmup = 150, kept = 150, thin = 1, chains = 4), seconds = 3, private = FALSE)
  fit$modes <- list(of = rep(1:2, each = 300), share = c(0.5, 0.5), shares = "stacking")
  expect_match(gibbs_verdict(table, fit), "there are only 14 effective draws (for log density)", fixed = TRUE)
  expect_match(gibbs_verdict(table, fit), "update(fit, until = 100) (about 920 more sweeps, 10 seconds)", fixed = TRUE)
  table$ess_bulk <- table$ess_tail <- 100
  expect_no_match(gibbs_verdict(table, fit), "only")
})

test_that("a precision that is computed from the counts is detected", {
  y <- matrix(1:12, 4)
  expect_warning(privatize(y, 1, precision = mean(y), rng = "R"), "without noise", class = "ldpcounts_precision")
  expect_warning(privatize(y, 1, precision = 2 * max(y[1, ]), rng = "R"), class = "ldpcounts_precision")
  expect_no_warning(privatize(y, 1, precision = ncol(y), rng = "R"))
  expect_no_warning(privatize(y, 1, precision = 2, rng = "R"))
})

test_that("alpha and epsilon keep names", {
  expect_named(geometric_alpha(c(low = 1, high = 3)), c("low", "high"))
  expect_named(geometric_epsilon(c(low = 0.5, high = 0.1)), c("low", "high"))
})

test_that("errors for methods of the wrong object say what to do", {
  expect_refused(write_release(MASS::quine, tempfile()), "`privatize()` adds noise")
  fit <- topic_model(matrix(1:12, 4), 2, iter = 10)
})

test_that("errors for files, formulas and elements of releases say what to do", {
  release <- privatize(matrix(1:6, 3, dimnames = list(NULL, c("a", "b"))), 1, rng = "R")
  masked <- release
  is.na(masked) <- cbind(2, 1)
  expect_identical(dim(masked[rowSums(is.na(masked)) == 0, ]), c(2L, 2L))
  expect_refused(write_release(release, tempfile(), append = TRUE), "no argument `append`")
  expect_refused(read_release("a.txt", header = TRUE), "no argument `header`")
  expect_refused(read_release("*.txt"), "`read_releases()`")
  file <- tempfile(fileext = ".csv")
  utils::write.csv(as.data.frame(release), file)
  expect_refused(read_release(file), "use `private_counts()`")
  expect_refused(rbind(release, release[, 2:1]), "second[, colnames(first)]")
  expect_refused(privatize(visits ~ age, data = release, epsilon = 1), "have no formula")
  expect_refused(privatize(matrix(TRUE, 2, 2), 1), "type logical")
  init <- list(beta = 1, mu = 2)
  expect_refused(private_gibbs(release, function(state, y) init, init), "a list without these names")
})

few_compared_k <- function() {
  set.seed(1)
  compare_k(few_words(), 1:3, iter = 10, chains = 1, model = "topic", loo_cells = 20)
}

test_that("the verdict of compare_k() does not depend on the order of rows", {
  compared <- few_compared_k()
  compared$held_out_diff <- c(-0.01, -0.02, 0)
  compared$held_out_diff_se <- c(0.02, 0.03, 0)
  compared$rhat <- c(1, 1.2, 1.3)
  turned <- compared[3:1, ]
  expect_s3_class(turned, "k_comparison")
  expect_identical(summary(turned), summary(compared))
  expect_identical(summary(turned)$one_se[1], 1L)
  verdict <- function(x) sub(".*Held out", "", paste(capture.output(print(x)), collapse = " "))
  expect_identical(verdict(turned), verdict(compared))
  expect_match(verdict(turned), "R-hat is above 1.05 at k = 2, 3", fixed = TRUE)
})

test_that("a part of a comparison is a plain tibble", {
  compared <- few_compared_k()
  parts <- list(
    compared[compared$k < 3, ], compared[, c("k", "held_out")], compared["k"], subset(compared, k == 2),
    utils::head(compared, 2)
  )
  if (requireNamespace("dplyr", quietly = TRUE)) {
    parts <- c(parts, list(
      dplyr::filter(compared, .data$k < 3), dplyr::select(compared, "k", "held_out"),
      dplyr::slice(compared, 1)
    ))
    expect_s3_class(dplyr::arrange(compared, -.data$k), "k_comparison")
    expect_s3_class(dplyr::mutate(compared, twice = 2 * .data$k), "k_comparison")
  }
  for (part in parts) {
    expect_identical(class(part), TIBBLE)
    expect_output(print(part), "k")
  }
  expect_identical(compared[["k"]], 1:3)
  means <- structure(
    score_rows("private", 1, 1:2, c(mae = 1)), class = c("method_comparison", TIBBLE)
  )
  expect_output(print(means[, c("method", "value")]), "private")
  expect_output(print(means[1, ]), "1.000")
  expect_output(print(means[0, ]), "0 rows")
})

test_that("a printed R-hat above the limit is visibly above it", {
  expect_identical(format_above(1.0503, 1.05), "1.0503")
  expect_identical(format_above(1.2345, 1.05), "1.23")
  table <- data.frame(mean = 1, sd = 1, rhat = 1.0502, ess_bulk = 900, ess_tail = 900, row.names = "b1")
  length <- list(kept = 100, chains = 4, iter = 200, thin = 1)
  verdict <- gibbs_verdict(table, list(run = length, seconds = 1, private = FALSE))
  expect_match(verdict, "R-hat of 1.0502 for b1")
})

test_that("summary() prints numbers with four digits, and without trailing zeros", {
  expect_identical(format_each(c(-13230.4, 1.00312, 0.0012345, NA)), c("-13230", "1.003", "0.001234", "NA"))
  shown <- capture.output(print(summary(a_fit())))
  expect_no_match(grep("log density", shown, value = TRUE)[1], "[0-9]{3}[.]0+( |$)")
})

test_that("the plot of a network explains its lines, and names the actors of summary()", {
  set.seed(2)
  fit <- paper_blocks(a_network(), 2, iter = 20)
  picture <- ggplot2::autoplot(fit, type = "network", edges = 5, n = 2)
  said <- "5 lines between the pairs with the largest means, of all and of each community"
  expect_match(gsub("\n", " ", picture$labels$subtitle), said)
  named <- strsplit(network_shapes(fit, 2, 5)$labels$text, "\n")
  leaders <- leading_labels(fit, coef(fit), 2)
  present <- sort(unique(main_component(coef(fit)$theta)))
  expect_identical(vapply(named, function(text) paste(text[-1], collapse = ", "), ""), leaders[present])
  one <- ggplot2::autoplot(fit, type = "network", edges = 1)
  expect_match(one$labels$subtitle, "1 line between")
})

test_that("the plot of modes has its numbers in the cells", {
  agreed <- list(
    groups = c("mode 1", "mode 2"), group = "mode", nouns = "topics", labels = c("topic1", "topic2"),
    overlap = cbind(c(1, 1), c(0.5, 0.25))
  )
  found <- structure(data.frame(mode = 1:2), agreement = agreed, class = c("posterior_modes", "data.frame"))
  written <- function(found) {
    unlist(lapply(seq_along(plot(found)$layers), function(i) ggplot2::layer_data(plot(found), i)$label))
  }
  expect_identical(written(found), c("1.00", "1.00", "0.50", "0.25"))
  attr(found, "agreement")$overlap <- matrix(0.5, 51, 2)
  attr(found, "agreement")$labels <- paste0("topic", 1:51)
  expect_null(written(found))
})

test_that("modes() states the criterion of the ranking", {
  agreed <- list(
    groups = c("mode 1", "mode 2"), group = "mode", nouns = "topics", labels = c("topic1", "topic2"),
    overlap = cbind(c(1, 1), c(0.5, 0.25))
  )
  shown <- function(shares) {
    found <- data.frame(mode = 1:2, chains = c("1", "2"), share = c(0.4, 0.6), log_density = c(-10, -15))
    class <- c("posterior_modes", "data.frame")
    found <- structure(found, agreement = agreed, shares = shares, class = class)
    paste(capture.output(found), collapse = " ")
  }
  expect_match(shown("stacking"), "ranked by their log densities, and those within 3 of the highest by")
  expect_match(shown("visits"), "ranked by share")
})

test_that("labels of traces have co-membership in full", {
  set.seed(1)
  fit <- paper_blocks(a_network(), 2, iter = 20, chains = 2)
  pairs <- label_free_traces(fit)["co-membership of pairs"]
  expect_match(names(worst_trace(pairs)), "^co-membership of [^:]+, [^:]+$")
})

test_that("a colour scale has marks at its ends", {
  expect_identical(scale_marks(4, TRUE), c(-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4))
  expect_identical(scale_marks(1050, FALSE), c(0, 10, 100, 1050)) # 1000 is too near
  marks <- function(...) heat_map(matrix(c(-4, 0, 2, 1), 2), ...)$scales$get_scales("fill")$get_labels()
  expect_identical(range(as.numeric(marks())), c(-4, 4))
  expect_identical(utils::tail(marks(limit = 3), 1), "3")
})

test_that("tidy() takes the name of a mode", {
  set.seed(1)
  labels <- list(who = c("a", "b"), what = c("x", "y", "z"), week = c("w1", "w2"))
  fit <- paper_tensor(array(1:12, c(2, 3, 2), labels), 2, iter = 4)
  expect_identical(tidy(fit, "week"), tidy(fit, "theta3"))
  expect_named(tidy(fit, "week"), c("week", "component", "theta3"))
  expect_refused(tidy(fit, "month"), "\"theta3\"", "\"week\"")
})
