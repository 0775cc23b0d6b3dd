# Local and central privacy on a real corpus, where no topics are known: the log probability of held-out
# documents, and the coherence of topics. The corpus is `poliblog`, 773 documents by 1290 words, which is
# small for central methods. compare_privacy() does it all; its help says what `metric` can be.
#
# `precision` is that of the local release: 1, or twice the length of the longest document, with which a
# local epsilon too is for a whole document; the central methods are run with the first alone.

settings <- list(seed = 9000, k = 10, alpha0 = 1, epsilon = c(1, 3, 10, 30, 100), iter = 600)

units <- data.frame(precision = rep(c(1, 1932), each = 3), repetition = 1:3)

run_unit <- function(unit, settings) {
  methods <- c("local", if (unit$precision == 1) c("spectral", "variational"))
  compared <- compare_privacy(poliblog, settings$k, settings$epsilon,
    methods = methods, alpha0 = settings$alpha0, precision = unit$precision, repetitions = 1,
    local = list(iter = settings$iter), progress = FALSE
  )
  data.frame(
    method = as.character(compared$method), epsilon = compared$epsilon,
    metric = as.character(compared$metric), value = signif(compared$value, 5)
  )
}
