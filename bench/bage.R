# Do the coefficients of gam() agree with those of package bage for counts randomly rounded to base 3? Injuries in
# New Zealand by age, sex, ethnicity and year, with population as exposure (bage::nzl_injuries): Poisson counts,
# and the same four main effects in both.
#
# The model of both is the same. bage's dispersion is 0 (set_disp()), because its overdispersed counts have a
# variance that is quadratic in the mean. Its effects, one per level, have independent normal priors with standard
# deviation 1 (NFix()), in place of random walks: with a larger one it stops, because the precision matrix is
# "severely asymmetric". gam() has differences from the first level, and the same prior as a penalty: what is left
# of b'b for effects b if their mean, which the intercept takes up, is integrated out. Without this penalty, the
# prior's influence is shown. Both packages have normal approximations of the same posterior.
# Run after make install: Rscript bench/bage.R. Package bage (CRAN) is not among the suggested ones.
suppressMessages({
  library(ldpcounts)
  library(bage)
})

TERMS <- c("age", "sex", "ethnicity", "year")
d <- bage::nzl_injuries
for (name in TERMS) d[[name]] <- factor(d[[name]])

fit_bage <- function() {
  model <- mod_pois(injuries ~ age + sex + ethnicity + year, data = bage::nzl_injuries, exposure = popn)
  priors <- c(`(Intercept)` ~ NFix(1), age ~ NFix(1), sex ~ NFix(1), ethnicity ~ NFix(1), year ~ NFix(1))
  for (prior in priors) model <- set_prior(model, prior)
  fit(set_n_draw(set_confidential_rr3(set_disp(model, mean = 0)), 10000))
}

# The mean of each difference from the first level.
differences <- function(model) {
  found <- as.data.frame(components(model))
  unlist(lapply(TERMS, function(term) {
    of_term <- found[found$term == term & found$component == "effect", ]
    means <- rowMeans(as.matrix(of_term$.fitted))[match(levels(d[[term]]), of_term$level)]
    means[-1] - means[1]
  }))
}

penalty <- function(name) list(diag(nlevels(d[[name]]) - 1) - 1 / nlevels(d[[name]]), sp = 1)
fit_gam <- function(prior) {
  mgcv::gam(released ~ age + sex + ethnicity + year + offset(log(popn)), family = private_poisson(), data = d,
    paraPen = if (prior) sapply(TERMS, penalty, simplify = FALSE)
  )
}

set.seed(1)
invisible(utils::capture.output(bage_seconds <- system.time(theirs <- differences(fit_bage()))[["elapsed"]]))
d$released <- private_counts(d$injuries, mechanism = random_rounding(3))
gam_seconds <- system.time(ours <- fit_gam(TRUE))[["elapsed"]]
naive <- glm(injuries ~ age + sex + ethnicity + year + offset(log(popn)), family = poisson(), data = d)

error <- sqrt(diag(vcov(ours)))[-1]
print(data.frame(gam = coef(ours)[-1], error, bage = theirs, off = (theirs - coef(ours)[-1]) / error), digits = 3)
report <- function(what, other, bar = "") {
  off <- abs(other - coef(ours)[-1]) / error
  cat(sprintf("%-44s largest %.3f, median %.3f%s\n", what, max(off), median(off), bar))
}
cat("\ndifferences from gam(), in standard errors:\n")
report("bage", theirs, "   (at most 0.1)")
report("gam() without the prior", coef(fit_gam(FALSE))[-1])
report("glm() of the rounded counts, without prior", coef(naive)[-1])
cat(sprintf("seconds: gam() %.1f, bage with %d draws %.1f\n", gam_seconds, 10000, bage_seconds))
