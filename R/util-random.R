# Streams of random numbers: one per chain or task, separate from the caller's generator.

# One L'Ecuyer stream per chain, all derived from a single number of the caller's generator.
#' @srrstats {BS2.9} each chain has its own stream of L'Ecuyer's generator.
chain_streams <- function(chains, seed) {
  force(seed) # draw the caller's number before the generator is replaced
  state <- with_stream(NULL, {
    set.seed(floor(seed * 2^31), "L'Ecuyer-CMRG", "Inversion", "Rejection")
  })$stream
  Reduce(function(stream, i) parallel::nextRNGStream(stream), seq_len(chains), state,
    accumulate = TRUE
  )[-1]
}

# Evaluates `code` with random numbers of this stream, and then restores the caller's generator. Returns the
# value, and the state of the stream after it.
with_stream <- function(stream, code) {
  global <- globalenv()
  callers <- get0(".Random.seed", global, inherits = FALSE)
  kind <- RNGkind()
  on.exit(if (is.null(callers)) {
    suppressWarnings(do.call(RNGkind, as.list(kind))) # about an outdated sample.kind
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

# Evaluates `code` like a simulate() method: with R's generator as it is, or with a seed, after which the
# generator is restored. The attribute `seed` of the value has the state at the beginning.
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

# Is x a state of R's generator as set by chain_streams(): L'Ecuyer's, with inversion and rejection?
is_stream <- function(x) {
  is.integer(x) && length(x) == 7 && identical(x[1], 10407L) && any(x[2:4] != 0, na.rm = TRUE) &&
    any(x[5:7] != 0, na.rm = TRUE)
}
