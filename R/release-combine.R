# Combines the releases of many sources (files, or lines of text), in which some may be damaged, doubled, or
# about other items.

# `releases` has one release per source, NULL if it could not be read, and `problems` says why. `sources` are
# their names. Returns one release, with the attributes of ?read_releases.
combine_releases <- function(releases, sources, problems, items = NULL, participants = NULL, complete = FALSE,
                             network = FALSE, call = rlang::caller_env()) {
  sorted <- list(releases = releases, sources = sources, problems = label_problems("damaged", problems))
  sorted <- set_problem(sorted, "damaged", vapply(releases, unusual, ""))
  sorted$releases <- Map(add_row_labels, sorted$releases, sources)
  check_any_left(sorted, call)
  chosen <- study_items(sorted$releases, items, network)
  sorted <- set_problem(sorted, "other items", other_items(sorted$releases, chosen$items, !is.null(items)))
  wanted <- if (network) chosen$items else participants
  sorted <- set_aside_rows(sorted, wanted)
  check_any_left(sorted, call)
  parts <- align_each(Filter(Negate(is.null), sorted$releases), chosen$items)
  lacking <- sum(vapply(parts, `[[`, TRUE, "lacks"))
  x <- do.call(rbind, lapply(parts, `[[`, "release"))
  missing <- if (!is.null(wanted)) setdiff(wanted, rownames(unclass(x)$counts))
  if (complete || network) x <- complete_rows(x, wanted)
  tell_set_aside(sorted, x, missing, complete || network, if (network) 0 else lacking, chosen)
  problem <- !is.na(sorted$problems)
  attr(x, "problems") <- data.frame(file = sources[problem], problem = sorted$problems[problem])
  attr(x, "missing") <- missing
  x
}

# A problem begins with its kind, such as "damaged".
label_problems <- function(kind, problems) {
  ifelse(is.na(problems), NA_character_, paste0(kind, ": ", problems))
}

# Removes the releases that have one of these problems (NA if there is none).
set_problem <- function(sorted, kind, problems) {
  found <- !is.na(problems)
  sorted$problems[found] <- label_problems(kind, problems[found])
  sorted$releases[found] <- list(NULL)
  sorted
}

check_any_left <- function(sorted, call) {
  left <- !all(vapply(sorted$releases, is.null, TRUE))
  first <- Find(Negate(is.na), sorted$problems)
  check_that(left, c(
    "None of the {length(sorted$sources)} file{?s} can be used.",
    x = "The first, {.file {sorted$sources[1]}}, has this problem: {first}."
  ), call, class = "ldpcounts_file_error")
}

# What a release has that one of participants by items must not have; NA if nothing.
unusual <- function(x) {
  if (is.null(x)) {
    return(NA_character_)
  }
  fields <- unclass(x)
  items <- colnames(fields$counts)
  if (!is.null(fields$columns)) {
    "has more than two modes"
  } else if (!fields$directed) {
    "has counts of pairs of actors (`directed: no`)"
  } else if (any(dim(fields$counts) == 0)) {
    "has no rows or no columns"
  } else if (anyNA(items) || !all(nzchar(items))) {
    "has an item without a name"
  } else if (anyDuplicated(items)) {
    "has two items of the same name"
  } else {
    NA_character_
  }
}

# Labels for rows that have none: the name of the source, without its extension.
add_row_labels <- function(x, source) {
  if (is.null(x)) {
    return(NULL)
  }
  fields <- unclass(x)
  labels <- rownames(fields$counts)
  n <- nrow(fields$counts)
  if (is.null(labels)) labels <- rep(NA_character_, n)
  without <- is.na(labels) | !nzchar(labels)
  if (any(without)) {
    name <- sub("[.][^.]*$", "", sub("[.]gz$", "", file_title(source)))
    labels[without] <- if (n == 1) name else paste0(name, "-", seq_len(n))[without]
    rownames(fields$counts) <- labels
  }
  structure(fields, class = "private_counts")
}

# --- items ----------------------------------------------------------------------------------------

# The items of the study, and how many files have just these, of how many. `items` is NULL for releases
# without names of items.
study_items <- function(releases, items, network) {
  each <- Filter(Negate(is.null), lapply(releases, function(x) {
    labels <- dimnames(unclass(x)$counts)
    if (network) union(labels[[2]], if (!is.null(labels[[2]])) labels[[1]]) else labels[[2]]
  }))
  if (length(each) == 0 || !is.null(items)) {
    return(list(items = items, files = NA))
  }
  keys <- vapply(each, paste, "", collapse = "\r")
  unique_keys <- unique(keys)
  sets <- vapply(each[match(unique_keys, keys)], function(x) paste(sort_text(x), collapse = "\r"), "")
  files <- rowsum(tabulate(match(keys, unique_keys)), sets, reorder = FALSE)
  most <- rownames(files)[which.max(files)]
  list(
    items = each[[match(unique_keys[match(most, sets)], keys)]], files = max(files),
    of = length(each)
  )
}

# Why the columns of a release do not fit the items, NA if they fit. `given`: did the user name the items?
other_items <- function(releases, items, given) {
  first <- Find(Negate(is.null), releases)
  named <- any(vapply(releases, function(x) !is.null(colnames(unclass(x)$counts)), TRUE))
  vapply(releases, function(x) {
    counts <- unclass(x)$counts
    unknown <- setdiff(colnames(counts), items)
    if (is.null(x)) {
      NA_character_
    } else if (is.null(colnames(counts)) && named) {
      "has no names of items"
    } else if (!named && ncol(counts) != (if (given) length(items) else ncol(unclass(first)$counts))) {
      paste("has", count_of(ncol(counts), "item"), "without names, another number than expected")
    } else if (named && length(unknown) > 0) {
      shown <- paste0("\"", utils::head(unknown, 3), "\"", collapse = ", ")
      paste0("has ", count_of(length(unknown), "item"), " not in the study: ", shown,
        if (length(unknown) > 3) ", ...")
    } else {
      NA_character_
    }
  }, "")
}

# Each release with all items in their order, and whether it lacks some.
align_each <- function(releases, items) {
  lapply(releases, function(x) {
    own <- colnames(unclass(x)$counts)
    list(
      release = if (is.null(items) || identical(own, items)) x else align_items(x, own, items),
      lacks = !is.null(own) && length(own) < length(items)
    )
  })
}

align_items <- function(x, own, items) {
  fields <- unclass(x)
  if (is.null(own)) {
    colnames(fields$counts) <- items
    return(structure(fields, class = "private_counts"))
  }
  counts <- as_dense(fields$counts, "files", NULL)[, match(items, own), drop = FALSE]
  colnames(counts) <- items
  fields$counts <- if (is_sparse(fields$counts)) as_sparse(counts) else counts
  if (!is.null(fields$below) && !all(items %in% own)) fields$below <- nothing_known_below(nrow(counts))
  structure(fields, class = "private_counts")
}

# --- rows -----------------------------------------------------------------------------------------

# Removes rows of participants who are not in the list, or who have an earlier row.
set_aside_rows <- function(sorted, wanted) {
  labels <- lapply(sorted$releases, function(x) rownames(unclass(x)$counts))
  who <- unlist(labels)
  from <- rep(seq_along(labels), lengths(labels))
  unknown <- !is.null(wanted) & !who %in% wanted
  twice <- duplicated(who)
  first <- from[match(who, who)]
  why <- ifelse(unknown,
    paste0("not in the list: ", named_in(who), " is not one of the participants"),
    paste0("doubled: ", named_in(who), " is also in ", file_title(sorted$sources[first]), ", which is used")
  )
  for (i in unique(from[unknown | twice])) {
    here <- from == i
    left <- which(!(unknown | twice)[here])
    sorted$problems[i] <- paste(unique(why[here & (unknown | twice)]), collapse = "; ")
    x <- sorted$releases[[i]]
    sorted$releases[i] <- list(
      if (length(left) > 0) take_indices(x, list(left, seq_len(ncol(unclass(x)$counts))))
    )
  }
  sorted
}

named_in <- function(labels) paste0("participant \"", labels, "\"")

# One row per label, in this order; the rows that are missing are masked.
complete_rows <- function(x, labels) {
  fields <- unclass(x)
  missing <- setdiff(labels, rownames(fields$counts))
  if (length(missing) > 0) {
    columns <- colnames(fields$counts)
    masked <- matrix(NA_integer_, length(missing), ncol(fields$counts), dimnames = list(missing, columns))
    level <- lapply(fields[LEVEL_FIELDS], `[`, 1)
    x <- rbind(x, new_private_counts(if (is_sparse(fields$counts)) as_sparse(masked * 1) else masked,
      level$alpha, level$precision,
      rng = fields$rng, s = level$s, t = level$t,
      below = if (!is.null(fields$below)) nothing_known_below(length(missing))
    ))
  }
  order <- match(labels, rownames(unclass(x)$counts))
  take_indices(x, list(order, seq_len(ncol(fields$counts))))
}

# --- the report -----------------------------------------------------------------------------------

# One message about all files that were set aside, and about what is masked or missing. `lacking`: how many
# releases do not have all items.
tell_set_aside <- function(sorted, x, missing, masked, lacking, chosen) {
  kind <- sub(":.*", "", sorted$problems)
  part <- function(of, one, several) {
    files <- file_title(sorted$sources[kind %in% of])
    if (length(files) > 0) {
      paste0(count_of(length(files), paste("file", one), paste("files", several)), ": ", listed(files))
    }
  }
  parts <- c(
    part("damaged", "is damaged or of another kind", "are damaged or of another kind"),
    part("other items", "has other item names", "have other item names"),
    part("doubled", "is a further one of a participant", "are further ones of the same participants"),
    part("not in the list", "is of a participant not in the list", "are of participants not in the list")
  )
  several <- is.finite(chosen$files) && chosen$files < chosen$of
  notes <- c(
    if (several) {
      paste0("The items are those of ", chosen$files, " of ", chosen$of, " files: ", listed(chosen$items, 10))
    },
    if (lacking > 0) {
      paste(count_of(lacking, "file does", "files do"), "not have all items. The missing ones are masked")
    },
    if (length(missing) > 0) {
      paste0(count_of(length(missing), "participant is", "participants are"), " missing",
        if (masked) " and masked", ": ", listed(missing))
    },
    if (length(parts) > 0) "`attr(x, \"problems\")` says what is wrong with each file that was set aside"
  )
  if (length(c(parts, notes)) == 0) {
    return(invisible())
  }
  used <- sum(!vapply(sorted$releases, is.null, TRUE))
  head <- paste0(used, " of ", count_of(length(sorted$sources), "file"), " were used: ",
    count_of(nrow(unclass(x)$counts), "row"), ", ", count_of(ncol(unclass(x)$counts), "item"))
  bullets <- rep(c("x", "i"), c(length(parts), length(notes)))
  texts <- paste0(c(head, parts, notes), ".")
  cli::cli_inform(
    stats::setNames(sprintf("{texts[%d]}", seq_along(texts)), c("", bullets)),
    class = "ldpcounts_set_aside"
  )
}

MOST_LISTED <- 100

# The names, separated by commas, or the first of them if there are many.
listed <- function(names, most = MOST_LISTED) {
  paste0(
    paste(utils::head(names, most), collapse = ", "),
    if (length(names) > most) paste(" and", length(names) - most, "more")
  )
}
