# The objects that people have: what matrix each is, and what becomes of it. Every object below comes with
# the matrix that it means, written out by hand.

words <- function() {
  rbind(
    a = c(law = 1, tax = 2, war = 0), b = c(0, 0, 0), # a document without words stays
    c = c(0, 4, 1)
  )
}

# quanteda takes minutes to build, so that no machine is asked to have it: it is not in DESCRIPTION.
quanteda_dfm <- function(texts) {
  skip_if_not_installed("quanteda")
  from_quanteda <- function(name) getExportedValue("quanteda", name)
  from_quanteda("dfm")(from_quanteda("tokens")(texts))
}

# Its cells as tidytext has them.
tidy_words <- function() {
  data.frame(
    document = factor(c("c", "a", "a", "c"), c("a", "b", "c")),
    term = factor(c("tax", "law", "tax", "war"), c("law", "tax", "war")), n = c(4, 1, 2, 1)
  )
}

# Two messages from ann to bob, of which one is listed as two edges; dan is alone.
people <- c("ann", "bob", "cat", "dan")
messages <- function() {
  data.frame(from = factor(c("ann", "ann", "bob", "cat"), people),
    to = factor(c("bob", "bob", "cat", "ann"), people), weight = c(1, 1, 3, 2))
}
message_matrix <- function() {
  y <- matrix(0, 4, 4, dimnames = list(people, people))
  y["ann", "bob"] <- 2
  y["bob", "cat"] <- 3
  y["cat", "ann"] <- 2
  y
}
pair_matrix <- function() message_matrix() + t(message_matrix())

of_words <- c("document", "term")
of_messages <- c("from", "to")

# What the front door makes of an object, as a base matrix without names of the margins.
matrix_of <- function(x, ...) {
  x <- as.matrix(given_counts(x, "data", ...))
  names(dimnames(x)) <- NULL
  x
}

expect_means <- function(x, expected, ...) expect_identical(matrix_of(x, ...), expected)

# --- what each object means -----------------------------------------------------------------------

test_that("all classes of package Matrix are read correctly", {
  dense <- matrix(c(2, 0, 1, 0, 3, 0, 1, 0, 5), 3, dimnames = list(letters[1:3], LETTERS[1:3]))
  general <- methods::as(methods::as(dense, "dMatrix"), "generalMatrix")
  symmetric <- Matrix::forceSymmetric(unname(dense + t(dense)))
  upper <- Matrix::triu(Matrix::Matrix(unname(dense)))
  all <- list(
    general, methods::as(general, "CsparseMatrix"), methods::as(general, "TsparseMatrix"),
    methods::as(general, "RsparseMatrix"), methods::as(methods::as(general, "CsparseMatrix"), "lMatrix"),
    methods::as(methods::as(general, "CsparseMatrix"), "nMatrix"), methods::as(general, "lMatrix"),
    symmetric, methods::as(symmetric, "CsparseMatrix"), methods::as(symmetric, "TsparseMatrix"),
    methods::as(symmetric, "packedMatrix"), upper, methods::as(upper, "CsparseMatrix"),
    methods::as(upper, "RsparseMatrix"), Matrix::Diagonal(3), Matrix::Diagonal(3, 1:3),
    methods::as(c(2L, 3L, 1L), "pMatrix"), methods::as(c(1L, 1L, 3L), "indMatrix")
  )
  for (x in all) {
    shown <- as.matrix(x) + 0
    labels <- dimnames(x)
    dimnames(shown) <- if (length(unlist(labels)) > 0) labels
    expect_identical(as.matrix(private_counts(x, alpha = 0.5)), shown, label = class(x)[1])
    expect_identical(dimnames(fitted(paper_topics(x, 1, iter = 2))), dimnames(shown), label = class(x)[1])
    expect_identical(mae(x, shown), 0)
  }
})

test_that("tables are read as arrays of counts", {
  cars <- table(gear = mtcars$gear, cyl = factor(mtcars$cyl, c(4, 5, 6, 8)))
  expect_means(cars, matrix(c(1L, 8L, 2L, 0L, 0L, 0L, 2L, 4L, 1L, 12L, 0L, 2L), 3,
    dimnames = list(c("3", "4", "5"), c("4", "5", "6", "8"))))
  expect_identical(dimnames(privatize(cars, 1)), dimnames(cars))
  three <- xtabs(~ gear + cyl + am, mtcars)
  expect_identical(dim(privatize(three, 1)), c(3L, 3L, 2L))
  expect_identical(dimnames(paper_tensor(three, 1, iter = 2)$data), dimnames(three))
  expect_means(xtabs(n ~ document + term, tidy_words()), words())
  expect_means(table(mtcars$gear), matrix(c(15L, 12L, 5L), 1, dimnames = list(NULL, c("3", "4", "5"))))
})

test_that("matrices of slam and tm are read with documents in rows", {
  skip_if_not_installed("slam")
  expect_means(slam::as.simple_triplet_matrix(words()), words())
  expect_means(slam::simple_triplet_zero_matrix(2, 3), matrix(0, 2, 3))
  expect_means(slam::simple_triplet_matrix(1:2, 1:2, c(TRUE, NA)), matrix(c(1, 0, 0, NA), 2))
  expect_refused(paper_topics(slam::simple_triplet_matrix(1:2, 1:2, c("7", "x")), 1),
    "`data` must hold counts", "of type character")
  skip_if_not_installed("tm")
  dtm <- tm::as.DocumentTermMatrix(slam::as.simple_triplet_matrix(words()), weighting = tm::weightTf)
  expect_means(dtm, words())
  expect_refused(privatize(t(dtm), 1), "must have documents in rows", "`t(y)`")
  expect_refused(paper_topics(t(dtm), 1), "`t(data)`")
  weighted <- suppressWarnings(tm::weightTfIdf(dtm)) # of an empty document
  expect_refused(paper_topics(weighted, 1), "not whole")
})

test_that("a dfm is read as a dgCMatrix, without document variables", {
  dfm_like <- methods::setClass("dfm_like",
    slots = c(docvars = "data.frame"), contains = "dgCMatrix", where = environment()
  )
  sparse <- as_sparse(Matrix::Matrix(words(), sparse = TRUE))
  x <- dfm_like(sparse, docvars = data.frame(secret = 1:3))
  expect_means(x, words())
  fit <- paper_topics(x, 1, iter = 2)
  expect_identical(class(fit$data$counts)[1], "dgCMatrix")
  expect_null(attr(fit$data$counts, "docvars"))
})

test_that("a dfm made by quanteda is read too", {
  x <- quanteda_dfm(c(a = "law tax tax", b = "", c = "tax tax tax tax war"))
  expect_means(x, words()[, c("law", "tax", "war")])
  expect_identical(names(dimnames(privatize(x, 1))), c("docs", "features"))
})

test_that("edges of an igraph are added up, and isolated vertices are kept", {
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_data_frame(messages(), vertices = people)
  expect_means(graph, message_matrix())
  expect_means(igraph::delete_edge_attr(graph, "weight"), message_matrix() * c(1, 1 / 3, 1 / 2, 1))
  expect_means(igraph::make_empty_graph(3), matrix(0, 3, 3))
  pairs <- igraph::graph_from_data_frame(messages(), directed = FALSE, vertices = people)
  expect_means(pairs, pair_matrix(), directed = FALSE)
  loop <- igraph::make_graph(c(1, 1, 1, 2), directed = FALSE) # a loop is one count
  expect_means(loop, matrix(c(1, 1, 1, 0), 2))
  unknown <- igraph::set_edge_attr(graph, "weight", value = c(1, NA, 3, 2))
  expected <- message_matrix()
  expected["ann", "bob"] <- NA
  expect_means(unknown, expected)
  odd <- igraph::set_edge_attr(graph, "weight", value = letters[1:4])
  expect_refused(paper_blocks(odd, 1), "weight of the edges of `data` must be a numeric vector")
  halves <- igraph::set_edge_attr(graph, "weight", value = c(0.5, 0.5, 3, 2))
  expect_refused(paper_blocks(halves, 1), "not whole")
  expect_refused(privatize(igraph::set_edge_attr(graph, "weight", value = c(-1, 3, 1, 1)), 1), "negative")
  types <- igraph::make_bipartite_graph(c(a = 0, x = 1, b = 0, y = 1), c(1, 2, 4, 1, 3, 2, 2, 3))
  expect_means(types, matrix(c(1, 2, 1, 0), 2, dimnames = list(c("a", "b"), c("x", "y"))))
  expect_refused(paper_blocks(types, 1), "same actors")
  igraph::V(types)$type <- c(TRUE, TRUE, FALSE, FALSE)
  expect_refused(paper_topics(types, 1), "vertices of the same kind")
  # without names too, rows and columns are not the same actors
  bare <- igraph::make_bipartite_graph(c(0, 1, 0, 1), c(1, 2, 3, 4))
  expect_means(bare, matrix(c(1, 0, 0, 1), 2, dimnames = list(c("1", "3"), c("2", "4"))))
  expect_refused(paper_blocks(bare, 1), "same actors")
  expect_refused(privatize(bare, 1, directed = FALSE), "same actors")
})

test_that("edges of a network object are added up, and isolated vertices are kept", {
  skip_if_not_installed("network")
  empty <- function(...) {
    graph <- network::network.initialize(4, multiple = TRUE, ...)
    network::network.vertex.names(graph) <- people
    graph
  }
  fill <- function(graph) {
    network::add.edges(graph, as.integer(messages()$from), as.integer(messages()$to))
    graph
  }
  graph <- fill(empty())
  expect_means(graph, message_matrix() * c(1, 1 / 3, 1 / 2, 1))
  network::set.edge.attribute(graph, "weight", messages()$weight)
  expect_means(graph, message_matrix())
  pairs <- fill(empty(directed = FALSE))
  network::set.edge.attribute(pairs, "weight", messages()$weight)
  expect_means(pairs, pair_matrix(), directed = FALSE)
  network::delete.edges(pairs, 3)
  network::set.edge.attribute(pairs, "na", c(FALSE, FALSE, NA, TRUE))
  expected <- pair_matrix()
  expected["bob", "cat"] <- expected["cat", "bob"] <- 0
  expected["ann", "cat"] <- expected["cat", "ann"] <- NA
  expect_means(pairs, expected)
  expect_refused(privatize(pairs, 1, directed = FALSE), "no missing counts")
  expect_means(empty(), 0 * message_matrix())
  types <- network::network(matrix(c(1, 0, 1, 1, 0, 0), 2), bipartite = 2, directed = FALSE)
  expect_identical(unname(matrix_of(types)), matrix(c(1, 0, 1, 1, 0, 0), 2))
  two_weights <- empty()
  network::add.edges(two_weights, 1:2, 2:3)
  network::set.edge.attribute(two_weights, "weight", list(1:2, 3))
  expect_refused(paper_blocks(two_weights, 1), "weight of the edges of `data` must be a numeric vector")
  hyper <- network::network.initialize(3, hyper = TRUE)
  expect_refused(paper_blocks(hyper, 1), "hypergraph")
  expect_refused(privatize(graph, 1, dims = c(4, 4)), "`dims` is only for a data frame")
})

test_that("an undirected graph is read as pairs, or throws an error", {
  skip_if_not_installed("igraph")
  pairs <- igraph::graph_from_data_frame(messages(), directed = FALSE, vertices = people)
  said <- c("is an undirected graph", "`directed = FALSE`")
  expect_refused(privatize(pairs, 1), said)
  expect_refused(private_counts(pairs, alpha = 0.5), said)
  expect_refused(paper_blocks(pairs, 1), said)
  expect_refused(paper_topics(pairs, 1), said)
  expect_refused(paper_tensor(pairs, 1), said)
  expect_refused(private_gibbs(pairs, identity, list()), said)
  expect_refused(suppressMessages(compare_k(pairs, 1)), said)
  # a pair's count would be in two documents, and a promise for one of them too small
  expect_refused(dp_lda_spectral(pairs, 2, alpha0 = 1, epsilon = Inf), said)
  expect_refused(dp_lda_vi(pairs, 2, 1, 1, epsilon = Inf, delta = 0, lmax = 9, clip = 3, iter = 2), said)
  expect_refused(compare_privacy(pairs, 2, epsilon = 1), said)
  x <- privatize(pairs, 1, directed = FALSE)
  expect_false(privacy(x)$directed)
  expect_identical(dimnames(x), list(people, people))
  expect_identical(fitted(paper_blocks(pairs, 1, directed = FALSE, iter = 2))["dan", "dan"], NA_real_)
  train <- holdout_cells(pairs, fraction = 0.5)$train
  expect_identical(is.na(train), Matrix::t(is.na(train)))
  graph <- igraph::graph_from_data_frame(messages(), vertices = people)
  expect_refused(privatize(graph, 1, directed = FALSE), "must be symmetric")
})

test_that("a data frame of cells is read by the names of its columns", {
  expect_means(tidy_words(), words(), dims = of_words)
  expect_means(tidy_words(), t(words()), dims = rev(of_words))
  expect_means(messages(), message_matrix(), dims = of_messages)
  # other columns that are not numeric play no part
  noted <- data.frame(weight = messages()$weight, note = "a", messages()[2:1])
  expect_means(noted, message_matrix(), dims = of_messages)
  three <- transform(tidy_words(), day = factor(c("mon", "sun", "sun", "mon"), c("mon", "tue", "sun")))
  table <- given_counts(three, "data", dims = c(of_words, "day"))
  expect_identical(dim(table), c(3L, 3L, 3L))
  expect_identical(as.array(table)["c", "tax", "mon"], 4)
  numbers <- data.frame(from = c(1, 1, 3), to = c(2, 2, 1), n = 1)
  square <- matrix(c(0, 0, 1, 2, 0, 0, 0, 0, 0), 3)
  expect_identical(unname(matrix_of(numbers, dims = c(3, 3))), square)
  expect_identical(unname(matrix_of(numbers[3:1], dims = c(from = 3, to = 3))), square)
  expect_refused(privatize(transform(messages(), weight = c(0.5, 0.5, 1, 1)), 1, dims = of_messages), "not whole")
  expect_refused(privatize(transform(messages(), weight = c(-1, 3, 1, 1)), 1, dims = of_messages), "negative")
  expect_refused(
    private_counts(messages(), alpha = 0.5, dims = of_messages), "a cell more than once", "than was declared"
  )
  expect_refused(paper_blocks(tidy_words(), 1, dims = of_words), "same actors", "same levels")
  classed <- list(structure(messages(), class = c("tbl_df", "tbl", "data.frame")),
    structure(messages(), class = c("data.table", "data.frame")))
  for (x in classed) expect_means(x, message_matrix(), dims = of_messages)
})

test_that("a data frame that is neither records nor has dims is an error that says what to write", {
  said <- c("must hold counts, but columns \"document\" and \"term\" are not numeric", "`id = \"document\"`",
    "`dims = c(\"document\", \"term\")`")
  for (f in list(paper_topics, paper_tensor, paper_blocks, function(x, k) privatize(x, 1))) {
    expect_refused(f(tidy_words(), 1), said)
  }
  expect_refused(privatize(tidy_words()[c(1, 2, 4), ], 1, id = "document"), "different label in each row")
  expect_refused(privatize(tidy_words()[1:2, ], 1, id = "document"), "column \"term\" is not numeric")
  expect_refused(mae(tidy_words(), words()), said, "`xtabs(count ~ row + column, data)`")
  numbers <- data.frame(from = c(1, 1, 3), to = c(2, 2, 1), n = 1)
  expect_refused(privatize(numbers, 1, dims = of_messages), "Column \"from\" of `y` must be a factor",
    "`dims = c(from = , to = )`")
  two <- transform(messages(), day = 1:4)
  expect_refused(privatize(two, 1, dims = of_messages), "must have one numeric column", "\"weight\" and \"day\"")
  expect_refused(privatize(messages()[1:2], 1, dims = of_messages), "It has none", "`y$count <- 1`")
  two_in_one <- messages()
  two_in_one$weight <- matrix(1:8, 4)
  expect_refused(paper_topics(two_in_one, 1, dims = of_messages), "It has none")
  expect_refused(privatize(messages(), 1, dims = c("from", "into")), "must name different columns", "\"into\"")
  expect_refused(privatize(messages(), 1, dims = c("from", "from")), "must name different columns")
  expect_refused(privatize(messages(), 1, dims = "from"), "the names of two or more columns")
})

test_that("secret labels throw an error, and other text labels give a message", {
  text <- transform(tidy_words(), document = as.character(document), term = as.character(term))
  expect_refused(privatize(text, 1, dims = of_words), "Column \"document\" of `y` must be a factor",
    "could reveal something about the counts", "`factor(labels, levels = )`")
  expect_message(x <- private_counts(text, alpha = 0.5, dims = of_words, fill = 0), class = "ldpcounts_labels_seen")
  expect_identical(unname(dimnames(x)), list(c("a", "c"), c("law", "tax", "war")))
  expect_message(fit <- paper_topics(text, 1, dims = of_words, iter = 2), class = "ldpcounts_labels_seen")
  expect_identical(unname(dimnames(fit$data)), list(c("a", "c"), c("law", "tax", "war")))
  text$term <- NA_character_
  expect_refused(suppressMessages(paper_topics(text, 1, dims = of_words)), "missing values")
})

test_that("metrics, heat maps and held-out cells accept the same objects", {
  expect_identical(poisson_kl(xtabs(n ~ document + term, tidy_words()), words()), 0)
  expect_error(mae(words()), "\"truth\" is missing")
  expect_error(heat_map(), "missing")
  three <- xtabs(~ gear + cyl + am, mtcars)
  expect_identical(mae(data.frame(a = 1:2, b = 3:4), matrix(1:4, 2)), 0)
  expect_refused(mae(list(1), 1), "`estimate` must be a matrix of counts, or another object")
  expect_identical(max(expect_picture(heat_map(xtabs(weight ~ from + to, messages())))$data$count), 3)
  set.seed(801)
  held_out <- holdout_cells(messages(), fraction = 0.3, dims = of_messages)
  fit <- paper_blocks(held_out$train, 1, iter = 4)
  expect_length(held_out_density(fit, messages(), held_out$cells, dims = of_messages)$pointwise, 4)
  topics <- paper_topics(words(), 2, iter = 4)
  expect_identical(rownames(predict(topics, xtabs(n ~ document + term, tidy_words()))), c("a", "b", "c"))
  compared <- compare_k(tidy_words(), 1, dims = of_words, iter = 20, loo_cells = 0)
  expect_identical(nrow(compared), 1L)
  step <- function(state, y) list(state = state, mu = y + 1)
  fit <- private_gibbs(tidy_words(), step, list(state = 1, mu = words() + 1), dims = of_words, iter = 2)
  expect_identical(dim(fitted(fit)), c(3L, 3L))
})

# A dfm has its words as they come, a DocumentTermMatrix by the alphabet: cells are matched by position.
test_that("scores match cells by labels", {
  held_out <- list(train = replace(words(), 3, NA), cells = cbind(3, 1))
  fit <- paper_topics(held_out$train, 1, iter = 4)
  expect_identical(held_out_density(fit, tidy_words(), held_out$cells, dims = of_words)$cells, 1L)
  expect_identical(held_out_density(fit, unname(words()), held_out$cells)$cells, 1L)
  expect_refused(held_out_density(fit, words()[, 3:1], held_out$cells),
    "`data` must have the same labels as the data of `fit`", "mode 2 differ from number 1 on")
  renamed <- `rownames<-`(words(), c("a", "B", "c"))
  expect_refused(held_out_density(fit, renamed, held_out$cells), "mode 1 differ from number 2 on")
  rownames(renamed)[2] <- NA
  expect_refused(held_out_density(fit, renamed, held_out$cells), "mode 1 differ from number 2 on")
  expect_refused(held_out_density(fit, words()), "`cells` must be given")
  expect_refused(compare_methods(words(), 1, 1, truth = words()[3:1, ]), "`truth` must have the same labels as `y`")
  three <- xtabs(~ gear + cyl + am, mtcars)
  expect_refused(compare_methods(three, 1, 1, model = "tensor", truth = three[, , 2:1]),
    "mode 3 differ from number 1 on")
})

test_that("a graph throws an error if its package is missing", {
  expect_refused(check_package("no.package.of.this.name", "graphs of this class"), "must be installed")
})

# --- in at most five lines -------------------------------------------------------------------------

# The lines make `released`, `fit` and `top`, a picture, and a result with the labels of `y`: `rows` and,
# of topics, `columns`.
expect_in_five <- function(lines, rows, columns = rows) {
  stopifnot(length(lines) <= 5)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  at <- new.env()
  set.seed(802)
  for (line in lines) suppressMessages(eval(line, at), classes = "ldpcounts_added")
  expect_identical(rownames(fitted(at$fit)), rows)
  expect_identical(colnames(fitted(at$fit)), columns)
  expect_identical(dimnames(at$released), dimnames(at$fit$data))
  expect_true(all(at$top[[1]] %in% c(rows, columns)))
}

test_that("a base matrix, a Matrix and a table, in five lines", {
  expect_in_five(expression(
    released <- privatize(poliblog[1:30, 1:20], epsilon = 2),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(top_terms(fit))
  ), rownames(poliblog)[1:30], colnames(poliblog)[1:20])
  expect_in_five(expression(
    released <- privatize(as.matrix(poliblog[1:30, 1:20]), epsilon = 2),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(top_terms(fit))
  ), rownames(poliblog)[1:30], colnames(poliblog)[1:20])
  expect_in_five(expression(
    released <- privatize(xtabs(breaks ~ wool + tension, warpbreaks), epsilon = 2),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(top_terms(fit))
  ), c("A", "B"), c("L", "M", "H"))
})

test_that("a DocumentTermMatrix in five lines", {
  skip_if_not_installed("tm")
  expect_in_five(expression(
    texts <- tm::VCorpus(tm::VectorSource(c("tax law tax", "", "war war peace"))),
    released <- privatize(tm::DocumentTermMatrix(texts), epsilon = 2),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(top_terms(fit))
  ), c("1", "2", "3"), c("law", "peace", "tax", "war"))
})

test_that("a dfm in five lines", {
  expect_in_five(expression(
    words <- quanteda_dfm(c(a = "tax law tax", b = "", c = "war war peace")),
    released <- privatize(words, epsilon = 2),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(top_terms(fit))
  ), c("a", "b", "c"), c("tax", "law", "war", "peace"))
})

test_that("counts of tidytext in five lines", {
  skip_if_not_installed("tidytext")
  skip_if_not_installed("tm")
  counts <- tidytext::tidy(tm::DocumentTermMatrix(
    tm::VCorpus(tm::VectorSource(c("tax law tax", "", "war war peace")))
  ))
  expect_named(counts, c("document", "term", "count"))
  expect_type(counts$term, "character")
  expect_in_five(bquote(expression(
    counts <- transform(.(counts), document = factor(document, 1:3), term = factor(term)),
    released <- privatize(counts, epsilon = 2, dims = c("document", "term")),
    fit <- paper_topics(released, k = 2, iter = 20),
    plot(fit),
    top <- list(tidy(fit)$term)
  )) |> eval(), c("1", "2", "3"), c("law", "peace", "tax", "war"))
})

test_that("an igraph, directed or not, in five lines", {
  skip_if_not_installed("igraph")
  expect_in_five(bquote(expression(
    graph <- igraph::graph_from_data_frame(.(messages()), vertices = people),
    released <- privatize(graph, epsilon = 2),
    fit <- paper_blocks(released, k = 2, iter = 20),
    plot(fit),
    top <- list(tidy(fit)$actor)
  )) |> eval(), people)
  expect_in_five(bquote(expression(
    graph <- igraph::graph_from_data_frame(.(messages()), directed = FALSE, vertices = people),
    released <- privatize(graph, epsilon = 2, directed = FALSE),
    fit <- paper_blocks(released, k = 2, directed = FALSE, iter = 20),
    plot(fit),
    top <- list(tidy(fit)$actor)
  )) |> eval(), people)
})

test_that("a network in five lines", {
  skip_if_not_installed("network")
  expect_in_five(expression(
    graph <- network::network(enron_network[1:20, 1:20] > 0),
    released <- privatize(graph, epsilon = 2),
    fit <- paper_blocks(released, k = 2, iter = 20),
    plot(fit),
    top <- list(tidy(fit)$actor)
  ), rownames(enron_network)[1:20])
})

test_that("a list of edges in five lines", {
  expect_in_five(bquote(expression(
    edges <- .(messages()),
    released <- privatize(edges, epsilon = 2, dims = c("from", "to")),
    fit <- paper_blocks(released, k = 2, iter = 20),
    plot(fit),
    top <- list(rownames(coef(fit)$theta))
  )) |> eval(), people)
})

# --- what is not there ------------------------------------------------------------------------------

test_that("noised counts that a data frame does not list are an error, unless fill says what they are", {
  set.seed(771)
  whole <- privatize(matrix(rpois(1168, 3), 146), epsilon = 0.5, rng = "R")
  listed <- transform(as.data.frame(whole), alpha = NULL, row = factor(row), column = factor(column))
  part <- listed[-(1:350), ]
  declared <- function(x, ...) private_counts(x, epsilon = 0.5, dims = c("row", "column"), ...)
  expect_refused(declared(part), "must list all 1,168 cells", "350 cells are not listed",
    "`fill = NA`", "`fill = 0`")
  expect_refused(declared(listed[-1, ]), "1 cell is not listed")
  expect_equal(as.vector(as.matrix(declared(listed))), as.vector(as.matrix(whole)))
  masked <- as.vector(as.matrix(declared(part, fill = NA)))
  expect_identical(which(is.na(masked)), 1:350)
  expect_equal(masked[-(1:350)], as.vector(as.matrix(whole))[-(1:350)])
  zeros <- as.vector(as.matrix(declared(part, fill = 0)))
  expect_equal(zeros, replace(as.vector(as.matrix(whole)), 1:350, 0))
  three <- data.frame(a = factor(1:2), b = factor(1:2), c = factor(1:2), n = c(4, -1))
  three <- private_counts(three, alpha = 0.5, dims = c("a", "b", "c"), fill = NA)
  expect_identical(sum(is.na(as.matrix(three))), 6L)
  expect_refused(declared(part, fill = 1), "`fill` must be 0 or NA")
  expect_refused(private_counts(as.matrix(whole), epsilon = 0.5, fill = 0), "`fill` is only for a data frame")
})

test_that("other arguments of private_counts() and privatize() are checked before the labels", {
  text <- transform(tidy_words(), document = as.character(document))
  expect_refused(private_counts(text, alpha = 2, dims = of_words), "`alpha`")
  expect_refused(privatize(text, epsilon = -1, dims = of_words), "`epsilon`")
  expect_refused(privatize(text, epsilon = 1, precision = 0, dims = of_words), "`precision`")
})

test_that("cells that are listed twice are refused in all kinds of noised counts", {
  twice <- methods::new("dgTMatrix", i = c(0L, 0L), j = c(1L, 1L), x = c(2, 3), Dim = c(2L, 2L))
  expect_refused(private_counts(twice, alpha = 0.5), "a cell more than once")
  expect_identical(as.matrix(privatize(twice, epsilon = 40))[1, 2], 5L)
})

test_that("values that a column declares as missing are missing, and 64-bit integers are numbers", {
  skip_if_not_installed("haven")
  spss <- haven::labelled_spss(c(3, 98, 99, 0), c(refused = 98), na_values = 98, na_range = c(99, 999))
  d <- data.frame(person = letters[1:4], a = haven::labelled(c(1, 2, NA, 0), c(none = 0)), b = 3:0)
  d$spss <- spss
  tagged <- haven::labelled(c(2, haven::tagged_na("r"), 1, 0), c(refused = haven::tagged_na("r")))
  d$tagged <- tagged
  d$boxed <- I(c(7, 8, 9, 10))
  x <- as.matrix(suppressMessages(privatize(d, epsilon = 40, id = "person", na = "keep")))
  expect_equal(unname(x), cbind(c(1, 2, NA, 0), 3:0, c(3, NA, NA, 0), c(2, NA, 1, 0), 7:10))
  # the same without haven's methods
  d$spss <- structure(d$spss, class = c("haven_labelled_spss", "haven_labelled", "double"))
  expect_refused(suppressMessages(privatize(d, epsilon = 40, id = "person")), "missing")
  skip_if_not_installed("bit64")
  d <- data.frame(person = c("a", "b"), n = bit64::as.integer64(c(5, 7)), m = 1:2)
  x <- as.matrix(suppressMessages(privatize(d, epsilon = 40, id = "person")))
  expect_equal(unname(x), cbind(c(5, 7), c(1, 2)))
})

test_that("columns of other classes are refused", {
  d <- data.frame(person = c("a", "b"), n = 1:2, m = 3:4)
  for (column in list(structure(c(1, 2), class = "units"), as.Date(c("2024-01-01", "2024-01-02")), c(TRUE, FALSE))) {
    d$size <- column
    expect_refused(privatize(d, 1, id = "person"), "column \"size\" is not numeric")
  }
})

test_that("columns of the same name are refused", {
  d <- data.frame(person = c("a", "b"), n = 1:2, n = 3:4, check.names = FALSE)
  expect_refused(privatize(d, 1, id = "person"), "different names", "\"n\"")
  x <- matrix(1:4, 2, dimnames = list(NULL, c("n", "n")))
  expect_refused(privatize(x, 1), "different names", "\"n\"")
  expect_refused(topic_model(x, 1), "different names", "\"n\"")
  x <- methods::as(x, "CsparseMatrix")
  expect_refused(private_counts(x, alpha = 0.5), "different names", "\"n\"")
  expect_s3_class(privatize(cbind(n = 1:2, 3:4, 5:6), 1), "private_counts")
})

test_that("counts of a first record that became names are refused, and not shown", {
  file <- tempfile()
  writeLines(c("4815,0,3,3", "1,2,3,4", "0,1,1,2"), file)
  read <- list(utils::read.csv(file), utils::read.csv(file, check.names = FALSE)) # X4815, and 4815
  for (y in c(read, lapply(read, as.matrix))) {
    expect_refused(privatize(y, 1), "are numbers, as if they were counts", "`header = FALSE`")
    text <- tryCatch(privatize(y, 1), error = function(e) rlang::cnd_message(e))
    expect_false(grepl("4815", text))
  }
  for (names in list(c("0", "1", "2"), c("<5", "3", "5"), c("3", ".", "5"))) {
    expect_refused(privatize(stats::setNames(data.frame(1:2, 3:4, 5:6), names), 1), "as if they were counts")
  }
  y <- matrix(1:4, 2, dimnames = list(NULL, c("3", "4")))
  expect_identical(colnames(privatize(y, 1)), c("3", "4"))
  expect_identical(colnames(suppressMessages(privatize(data.frame(matrix(3:14, 4)), 1))), c("X1", "X2", "X3"))
  expect_refused(privatize(y[, 2:1], 1), "as if they were counts")
  expect_refused(privatize(y[, 1, drop = FALSE], 1), "as if they were counts")
})

test_that("a table in which every label occurs gives a message", {
  people <- factor(c("ann", "bob", "ann"), c("ann", "bob", "cat"))
  what <- c("call", "mail", "mail")
  expect_message(suppressMessages(privatize(table(as.character(people), what), 1, precision = 2),
    classes = "ldpcounts_groups"), class = "ldpcounts_labels_seen")
  expect_no_message(privatize(table(people, what), 1, precision = 2), class = "ldpcounts_labels_seen")
})

test_that("a numeric attribute of edges that may be the count is refused", {
  skip_if_not_installed("igraph")
  for (name in c("w", "messages", "strength", "times", "value")) {
    graph <- igraph::make_graph(c(1, 2, 2, 3))
    graph <- igraph::set_edge_attr(graph, name, value = c(4, 9))
    expect_refused(privatize(graph, 1), name, "rename it weight")
    graph <- igraph::set_edge_attr(graph, name, value = c("a", "b"))
    expect_s3_class(privatize(graph, 1), "private_counts")
  }
  skip_if_not_installed("network")
  net <- network::network(rbind(c(1, 2), c(2, 3)), matrix.type = "edgelist")
  expect_s3_class(privatize(net, 1), "private_counts")
  network::set.edge.attribute(net, "messages", c(4, 9))
  expect_refused(privatize(net, 1), "messages", "rename it weight")
})

test_that("explain_privacy() takes its numbers from a release", {
  x <- private_counts(matrix(1:4, 2), epsilon = c(1, 2), precision = 3)
  expect_identical(explain_privacy(x), explain_privacy(c(1, 2), c(3, 3)))
  expect_identical(explain_privacy(x[1, ]), explain_privacy(1, 3))
  expect_refused(explain_privacy(x, 2), "`precision` is part of the release")
})
