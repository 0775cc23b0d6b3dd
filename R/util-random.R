# Streams of random numbers: one per chain or task, apart from that of the caller.

# One L'Ecuyer stream per chain, all made from a single number of the caller's own stream.
#' @srrstats {BS2.9} each chain has its own stream of L'Ecuyer's generator.
chain_streams <- function(chains, seed) {
  force(seed) # the caller's number, before the generator is borrowed
  state <- with_stream(NULL, {
    set.seed(floor(seed * 2^31), "L'Ecuyer-CMRG", "Inversion", "Rejection")
  })$stream
  Reduce(function(stream, i) parallel::nextRNGStream(stream), seq_len(chains), state,
    accumulate = TRUE
  )[-1]
}

# Evaluates `code` on a stream of its own and leaves the caller's as it was. Returns the value
# and the stream after it.
with_stream <- function(stream, code) {
  global <- globalenv()
  callers <- get0(".Random.seed", global, inherits = FALSE)
  kind <- RNGkind()
  on.exit(if (is.null(callers)) {
    suppressWarnings(do.call(RNGkind, as.list(kind))) # of a sample.kind that is out of fashion
    rm(".Random.seed", envir = global)
  } else {
    assign(".Random.seed", callers, envir = global)
  })
  if (!is.null(stream)) assign(".Random.seed", stream, envir = global)
  value <- force(code)
  list(value = value, stream = get(".Random.seed", global, inherits = FALSE))
}

# One seed of 64 bits per sweep, as two whole numbers. The draws of a sweep depend on its seed only
# (src/ldp_stream.h), not on the thread or the machine that makes them.
sweep_seeds <- function(n) floor(stats::runif(2 * n) * 2^32)

# Evaluates `code` as simulate() methods do: with the generator as it is, or seeded and then put back;
# what it began with is the attribute `seed` of the value.
with_seed <- function(seed, code) {
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", globalenv(), inherits = FALSE)
  if (is.null(seed)) {
    return(structure(code, seed = before))
  }
  on.exit(assign(".Random.seed", before, globalenv()))
  set.seed(seed)
  structure(code, seed = structure(seed, kind = as.list(RNGkind())))
}

# The state of R's generator as chain_streams() makes it: L'Ecuyer's, with inversion and rejection.
is_stream <- function(x) {
  is.integer(x) && length(x) == 7 && identical(x[1], 10407L) && any(x[2:4] != 0, na.rm = TRUE) &&
    any(x[5:7] != 0, na.rm = TRUE)
}
