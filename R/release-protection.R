# What a release protects, in words.

format_level <- function(x) {
  p <- privacy(x)
  paste0(
    "epsilon = ", format_range(p$epsilon), " at precision ", format_range(p$precision),
    " (alpha = ", format_range(p$alpha), ")"
  )
}

# The records that are protected.
what_differs <- function(directed) if (directed) "Rows (records)" else "Networks"

# A sentence about what epsilon means for records that differ by `distance` counts.
odds_sentence <- function(epsilon, distance, what, directed) {
  by <- if (distance == 1) "by 1 count" else paste("by", format_number(distance), "counts in all")
  if (!directed) by <- paste(by, "(each pair counted once)")
  factor <- format_number(round_up(exp(epsilon)))
  bound <- if (exp(epsilon) < 1e6) {
    paste(what, "is at most", factor, "times as likely from one as from the other.")
  } else {
    "hardly protected (a factor above a million)."
  }
  paste0(what_differs(directed), " that differ ", by, ": ", bound)
}

# The largest whole distance that is not above the precision, because counts are whole numbers; at least one.
whole_distance <- function(precision) {
  max(1, if (is_whole(precision)) round(precision) else floor(precision))
}

# Sentences for the given precision and one or two other distances; for the least protected row if rows
# differ.
protection <- function(x) {
  p <- privacy(x)
  gamma <- max(p$epsilon / p$precision)
  N <- whole_distance(max(p$precision))
  distances <- unique(c(N, 1, 10 * N))
  vapply(distances, function(n) odds_sentence(gamma * n, n, "any release", p$directed), "")
}

print_protection <- function(x) {
  p <- privacy(x)
  without <- is.infinite(p$epsilon)
  if (length(x) > 0 && any(without)) {
    rows <- if (all(without)) "The counts" else "Rows with alpha = 0"
    cat_wrapped(paste(rows, "carry no noise and are not protected."))
  } else if (length(x) > 0) {
    cat_wrapped(paste0(
      if (p$rng == "R") "What secure noise of this level would protect" else "What is protected",
      if (length(p$epsilon) > 1) ", in the least protected row", ":"
    ))
    cat_wrapped(protection(x), bullet = "* ")
  }
}

rng_sentence <- function(rng) {
  switch(rng,
    secure = "The noise came from the operating system's entropy, by an exact sampler.",
    R = "SIMULATION ONLY: the noise came from R's generator, so anyone who knows the seed can subtract it.",
    external = "The noise was added elsewhere; its level is as declared.",
    mixed = "The noise of different parts came from different sources."
  )
}
