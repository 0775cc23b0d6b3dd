  /* The densities of released counts, y_tilde = y + tau, as functions of Stan. The true count y is Poisson
   * (private_poisson) or negative binomial (private_nbinom1), with mean mu, and tau is two-sided geometric
   * noise of ratio alpha:
   *
   *     P(k) = (1 - alpha)/(1 + alpha) [ sum_{y <= k} P(y) alpha^(k-y) + sum_{y > k} P(y) alpha^(y-k) ].
   *
   * For k <= 0 there is only the second sum, over all y, which has a closed form. All terms are positive, and
   * nothing cancels except 1 minus a probability that is below about 2/3. The gradients are automatic. The
   * formulas are those of src/ldp_privpois.c and src/ldp_privnbinom.c, which say more. */

  /* log Pois(y; mu), in the form of Loader (2000) from y = 16 on */
  real ldp_log_poisson(int y, real mu) {
    real s = 1 / (1.0 * y * y);
    real rest;
    if (y < 16)
      return y * log(mu) - mu - lgamma(y + 1);
    rest = (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / y
           + log(2 * pi() * y) / 2;
    if (mu < 0.5 * y)
      return y * log(mu / y) + (y - mu) - rest;
    return y * (log1p((mu - y) / y) - (mu - y) / y) - rest;
  }

  /* sum_{y < k} Pois(y; mu)/Pois(k; mu) for k < mu, and the sum over y > k for k >= mu. Terms below 1e-19 are
   * left out, after at most 10 sqrt(k) + 50 terms. */
  real ldp_poisson_below(int k, real mu) {
    real term = 1;
    real total = 0;
    int y = k;
    while (y > 0 && term > 1e-19) {
      term *= y / mu;
      total += term;
      y -= 1;
    }
    return total;
  }

  real ldp_poisson_above(int k, real mu) {
    real term = 1;
    real total = 0;
    int y = k;
    while (term > 1e-19) {
      y += 1;
      term *= mu / y;
      total += term;
    }
    return total;
  }

  /* log sum_{y <= k} Pois(y; mu) alpha^(k-y), and log sum_{y > k} Pois(y; mu) alpha^(y-k). Both are tails of
   * Poisson distributions, of means mu/alpha and alpha mu, times powers. A tail is summed if it is the
   * smaller one; otherwise it is 1 minus the other. */
  real ldp_poisson_lower(int k, real mu, real alpha) {
    real x = mu / alpha;
    if (k < x)
      return ldp_log_poisson(k, mu) + log1p(ldp_poisson_below(k, x));
    return k * log(alpha) + mu * ((1 - alpha) / alpha)
           + log1m_exp(ldp_log_poisson(k, x) + log(ldp_poisson_above(k, x)));
  }

  real ldp_poisson_upper(int k, real mu, real alpha) {
    real x = mu * alpha;
    if (k >= x)
      return ldp_log_poisson(k, mu) + log(ldp_poisson_above(k, x));
    return -k * log(alpha) - mu * (1 - alpha)
           + log1m_exp(ldp_log_poisson(k, x) + log1p(ldp_poisson_below(k, x)));
  }

  void ldp_check_alpha(real alpha) {
    if (!(alpha >= 0 && alpha < 1))
      reject("alpha, the noise level in vreal(), must be at least 0 and below 1; found ", alpha);
  }

  /* log P(y_tilde) for a Poisson count; with alpha = 0 the Poisson distribution */
  real private_poisson_lpmf(int y_tilde, real mu, real alpha) {
    real log_scale;
    ldp_check_alpha(alpha);
    if (alpha == 0)
      return y_tilde < 0 ? negative_infinity() : poisson_lpmf(y_tilde | mu);
    log_scale = log1m(alpha) - log1p(alpha);
    if (y_tilde <= 0)
      return log_scale - y_tilde * log(alpha) - (1 - alpha) * mu;
    if (mu < 1e-290)
      return log_scale + y_tilde * log(alpha) + mu;
    return log_scale
           + log_sum_exp(ldp_poisson_lower(y_tilde, mu, alpha), ldp_poisson_upper(y_tilde, mu, alpha));
  }

  /* log(1 + x)/x. Below 0.01 it is a series, because the derivative of the quotient loses digits there. */
  real ldp_log1p_ratio(real x) {
    real total = 0;
    if (x > 0.01)
      return log1p(x) / x;
    for (i in 0:9)
      total = 1.0 / (10 - i) - x * total;
    return total;
  }

  /* The terms of the negative binomial distribution times a power of a tilt: w(0) = 1 and
   *
   *     w(y + 1)/w(y) = (first + y x)/(y + 1),
   *
   * with first = tilt mu/dispersion and x = tilt (1 - 1/dispersion). In [1] is
   * log sum_{y = 0..k} w(y) alpha^(k-y), in [2] the share of its last term, w(k). The k + 1 terms are rescaled
   * when their sum becomes large or small. */
  vector ldp_nbinom1_below(int k, real first, real x, real alpha) {
    real term = 1;
    real total = 1;
    real log_scale = 0;
    for (y in 1:k) {
      term *= fma(y - 1, x, first) / y;
      total = fma(alpha, total, term);
      if (total > 1e100 || total < 1e-100) {
        real scale = total > 1 ? 1e100 : 1e-100;
        term /= scale;
        total /= scale;
        log_scale += log(scale);
      }
    }
    return [log_scale + log(total), term / total]';
  }

  /* sum_{y > k} w(y)/w(k), if the terms decrease from k on. Terms below 1e-19 are left out. There are at most
   * 44/(1 - r) terms, where r is the ratio of neighbouring terms at k or x, whichever is larger, and never
   * more than 100,000; the rest is then a geometric series. */
  real ldp_nbinom1_above(int k, real first, real x) {
    real term = 1;
    real total = 0;
    for (y in (k + 1):(k + 100000)) {
      term *= fma(y - 1, x, first) / y;
      total += term;
      if (!(term > 1e-19))
        return total;
    }
    return total + term * x / (1 - x);
  }

  /* log P(y_tilde) for an overdispersed count, of variance mu times dispersion; with alpha = 0 the negative
   * binomial distribution */
  real private_nbinom1_lpmf(int y_tilde, real mu, real dispersion, real alpha) {
    real excess = dispersion - 1;
    real log_zero = -mu * ldp_log1p_ratio(excess); // log P(y = 0)
    real first = mu / dispersion;
    real x = excess / dispersion;
    real log_scale = log1m(alpha) - log1p(alpha);
    real log_mean; // log E[alpha^y]
    vector[2] below;
    real log_below; // log sum_{y <= k} P(y) alpha^(k-y)
    ldp_check_alpha(alpha);
    if (alpha == 0 && y_tilde < 0)
      return negative_infinity();
    log_mean = -mu * (1 - alpha) * ldp_log1p_ratio((1 - alpha) * excess);
    if (y_tilde < 0)
      return log_scale - y_tilde * log(alpha) + log_mean;
    if (y_tilde == 0)
      return log_scale + log_mean;
    below = ldp_nbinom1_below(y_tilde, first, x, alpha);
    log_below = log_zero + below[1];
    if (alpha == 0)
      return log_below;
    if (alpha * (first + y_tilde * x) < y_tilde + 1)
      return log_scale + log_below
             + log1p(below[2] * ldp_nbinom1_above(y_tilde, alpha * first, alpha * x));
    return log_scale
           + log_sum_exp(log_below,
               log_mean - y_tilde * log(alpha)
               + log1m_exp(log_zero - log_mean
                           + ldp_nbinom1_below(y_tilde, alpha * first, alpha * x, 1)[1]));
  }
