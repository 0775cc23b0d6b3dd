# What draws of the Bessel distribution cost, each with parameters of its own, against rpois of the same
# means, and many of one distribution; and a call of d, p and q. Medians of five, ratios within this run.
# Run in the package's root, after make install: Rscript bench/laws.R

library(ldpcounts)

BAR_RATIO <- 4
BAR_NS <- 150

seconds <- function(code) system.time(code, gcFirst = TRUE)[["elapsed"]]
median_of_five <- function(run) median(replicate(5, run()))

# Parameters differ from draw to draw by a few per cent, so that nothing can be kept.
n <- 1e6
set.seed(1)
jitter <- function(x) x * runif(n, 0.97, 1.03)

cost <- function(nu, a) {
  nus <- jitter(nu)
  as <- jitter(a)
  means <- as / 2 * bessel_i_ratio(as, nus)
  bessel <- median_of_five(function() seconds(rbessel(n, nus, as)))
  poisson <- median_of_five(function() seconds(rpois(n, means)))
  data.frame(nu = nu, a = a, ns = bessel / n * 1e9, ratio = bessel / poisson)
}

grid <- expand.grid(nu = c(0, 1, 30, 1e3, 1e6), a = c(0.1, 1, 10, 100, 1e4, 1e6))
costs <- do.call(rbind, Map(cost, grid$nu, grid$a))
print(costs, digits = 3, row.names = FALSE)
cat(sprintf("rbessel, ns a draw, worst         %9.0f   (bar: at most %d)\n", max(costs$ns), BAR_NS))
cat(sprintf("rbessel / rpois, worst            %9.2f   (bar: at most %d)\n", max(costs$ratio), BAR_RATIO))

# Many draws of one distribution, which are made from a table, against the same one by one.
cost_of_one <- function(nu, a, n) {
  calls <- 1e6 / n
  run <- function(nu) seconds(for (i in seq_len(calls)) rbessel(n, nu, a))
  table <- median_of_five(function() run(nu))
  each <- median_of_five(function() run(c(nu, nu)))
  data.frame(nu = nu, a = a, n = n, table = table * 1e3, each = each * 1e3)
}
grid <- expand.grid(nu = c(0, 1e3), a = c(0.1, 10, 100, 2000), n = c(100, 1e6))
cat("one law, ns a draw with the call:\n")
print(do.call(rbind, Map(cost_of_one, grid$nu, grid$a, grid$n)), digits = 3, row.names = FALSE)

# Microseconds a value, parameters spread over the range of the fuzz test.
n <- 1e4
nu <- 10^runif(n, -3, 6)
a <- 10^runif(n, -3, 8)
l1 <- 10^runif(n, -3, 8)
l2 <- 10^runif(n, -3, 8)
alpha <- runif(n)
k <- round(l1 - l2 + sqrt(l1 + l2) * rnorm(n))
m <- round(a / 2 * bessel_i_ratio(a, nu) + rnorm(n))
y <- round(l1 + sqrt(l1) * rnorm(n))
p <- runif(n)
calls <- list(
  dskellam = quote(dskellam(k, l1, l2)), pskellam = quote(pskellam(k, l1, l2)),
  qskellam = quote(qskellam(p, l1, l2)), dbessel = quote(dbessel(abs(m), nu, a)),
  pbessel = quote(pbessel(m, nu, a)), qbessel = quote(qbessel(p, nu, a)),
  dprivpois = quote(dprivpois(y, l1, alpha)), pprivpois = quote(pprivpois(y, l1, alpha)),
  qprivpois = quote(qprivpois(p, l1, alpha)), dtruecount = quote(dtruecount(abs(y), y, l1, alpha)),
  ptruecount = quote(ptruecount(y, y, l1, alpha)), qtruecount = quote(qtruecount(p, y, l1, alpha)),
  log_bessel_i = quote(log_bessel_i(a, nu)), bessel_i_ratio = quote(bessel_i_ratio(a, nu))
)
for (name in names(calls)) {
  cat(sprintf("%-33s %9.2f us\n", name, seconds(eval(calls[[name]])) / n * 1e6))
}
