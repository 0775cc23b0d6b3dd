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
  real ldp_log_poisson(real y, real mu) {
    real s = 1 / (1.0 * y * y); // y may be an int, whose quotient would be one
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
  real ldp_poisson_below(real k, real mu) {
    real term = 1;
    real total = 0;
    int j = 0;
    while (j < k && term > 1e-19) {
      term *= (k - j) / mu;
      total += term;
      j += 1;
    }
    return total;
  }

  real ldp_poisson_above(real k, real mu) {
    real term = 1;
    real total = 0;
    int j = 0;
    while (term > 1e-19) {
      j += 1;
      term *= mu / (k + j);
      total += term;
    }
    return total;
  }

  /* log sum_{y <= k} Pois(y; mu) alpha^(k-y), and log sum_{y > k} Pois(y; mu) alpha^(y-k). Both are tails of
   * Poisson distributions, of means mu/alpha and alpha mu, times powers. A tail is summed if it is the
   * smaller one; otherwise it is 1 minus the other. */
  real ldp_poisson_lower(real k, real mu, real alpha) {
    real x = mu / alpha;
    if (k < x)
      return ldp_log_poisson(k, mu) + log1p(ldp_poisson_below(k, x));
    return k * log(alpha) + mu * ((1 - alpha) / alpha)
           + log1m_exp(ldp_log_poisson(k, x) + log(ldp_poisson_above(k, x)));
  }

  real ldp_poisson_upper(real k, real mu, real alpha) {
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

  /* log E[alpha^|release - y|] for a Poisson count y and release = k + shift/(-log alpha), with a whole k and shift
   * from 0 to -log alpha */
  real ldp_poisson_noised(real k, real shift, real mu, real alpha) {
    if (k < 0 || (k == 0 && shift == 0))
      return shift - k * log(alpha) - (1 - alpha) * mu;
    if (mu < 1e-250)
      return k * log(alpha) - shift + mu;
    if (k < mu / alpha && k + 1 > mu * alpha)
      return ldp_log_poisson(k, mu) + log_sum_exp(log1p(ldp_poisson_below(k, mu / alpha)) - shift,
                                                  log(ldp_poisson_above(k, mu * alpha)) + shift);
    return log_sum_exp(ldp_poisson_lower(k, mu, alpha) - shift, ldp_poisson_upper(k, mu, alpha) + shift);
  }

  /* log P(y_tilde) for a Poisson count; with alpha = 0 the Poisson distribution */
  real private_poisson_lpmf(int y_tilde, real mu, real alpha) {
    ldp_check_alpha(alpha);
    if (alpha == 0)
      return y_tilde < 0 ? negative_infinity() : poisson_lpmf(y_tilde | mu);
    return log1m(alpha) - log1p(alpha) + ldp_poisson_noised(y_tilde, 0, mu, alpha);
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
  vector ldp_nbinom1_below(real k, real first, real x, real alpha) {
    real term = 1;
    real total = 1;
    real log_scale = 0;
    int y = 0;
    while (y < k) {
      y += 1;
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
  real ldp_nbinom1_above(real k, real first, real x) {
    real term = 1;
    real total = 0;
    for (j in 1:100000) {
      term *= fma(k + j - 1, x, first) / (k + j);
      total += term;
      if (!(term > 1e-19))
        return total;
    }
    return total + term * x / (1 - x);
  }

  /* log E[alpha^|release - y|] for an overdispersed count, see ldp_poisson_noised() */
  real ldp_nbinom1_noised(real k, real shift, real mu, real dispersion, real alpha) {
    real excess = dispersion - 1;
    real log_zero = -mu * ldp_log1p_ratio(excess); // log P(y = 0)
    real first = mu / dispersion;
    real x = excess / dispersion;
    real log_mean = -mu * (1 - alpha) * ldp_log1p_ratio((1 - alpha) * excess); // log E[alpha^y]
    vector[2] below;
    real log_below; // log sum_{y <= k} P(y) alpha^(k-y)
    if (k == 0 && shift == 0)
      return log_mean;
    if (k < 0)
      return log_mean + shift - k * log(alpha);
    below = ldp_nbinom1_below(k, first, x, alpha);
    log_below = log_zero + below[1];
    if (alpha == 0)
      return log_below;
    if (alpha * (first + k * x) < k + 1)
      return log_below - shift
             + log1p(exp(2 * shift) * below[2] * ldp_nbinom1_above(k, alpha * first, alpha * x));
    return log_sum_exp(log_below - shift,
             log_mean + shift - k * log(alpha)
             + log1m_exp(log_zero - log_mean + ldp_nbinom1_below(k, alpha * first, alpha * x, 1)[1]));
  }

  /* log P(y_tilde) for an overdispersed count, of variance mu times dispersion; with alpha = 0 the negative
   * binomial distribution */
  real private_nbinom1_lpmf(int y_tilde, real mu, real dispersion, real alpha) {
    ldp_check_alpha(alpha);
    if (alpha == 0 && y_tilde < 0)
      return negative_infinity();
    return log1m(alpha) - log1p(alpha) + ldp_nbinom1_noised(y_tilde, 0, mu, dispersion, alpha);
  }

  /* Laplace noise: the density at a real number is that of geometric noise at the whole number below it, but for
   * factors. */
  real private_laplace_poisson_lpdf(real y_tilde, real mu, real scale) {
    return ldp_poisson_noised(floor(y_tilde), (y_tilde - floor(y_tilde)) / scale, mu, exp(-1 / scale))
           - log(2 * scale);
  }

  real private_laplace_nbinom1_lpdf(real y_tilde, real mu, real dispersion, real scale) {
    return ldp_nbinom1_noised(floor(y_tilde), (y_tilde - floor(y_tilde)) / scale, mu, dispersion, exp(-1 / scale))
           - log(2 * scale);
  }

  /* Releases of a mechanism that tells in which range a true count y is. Release number i is release[i], and
   * possible for the number[i] true counts from low[i] on, or for all of them where number[i] is 0. It has
   * probability 1, or, with random rounding to multiples of `base`, 1 - |y - release[i]|/base; base is 0 for all
   * others. `kept` is the probability of thinning, or 1: a count that is thinned is Poisson, or negative
   * binomial, again, with mean and excess multiplied by it. */

  /* which of the releases this one is */
  int ldp_release_number(real y_tilde, vector release) {
    for (i in 1:rows(release))
      if (release[i] == y_tilde)
        return i;
    reject("The release ", y_tilde, " is not one of those with which the family was made.");
    return 0;
  }

  /* log sum_y P(y)/P(low) L(y), over the true counts from low on that a release allows. L(y) is the probability
   * of the release, and P(y + 1)/P(y) = (first + y x)/(y + 1). */
  real ldp_range_sum(real release, real low, real number, real base, real first, real x) {
    real term = 0; // log P(y)/P(low)
    int n = 1;
    while (n < number)
      n += 1;
    {
      vector[n] sums;
      for (j in 1:n) {
        if (j > 1)
          term += log(fma(low + j - 2, x, first) / (low + j - 1));
        sums[j] = term;
        if (base > 0)
          sums[j] += log1m(fmax(low + j - 1 - release, release - low - j + 1) / base);
      }
      return log_sum_exp(sums);
    }
  }

  /* log P(y >= k) for a Poisson count */
  real ldp_poisson_tail(real k, real mu) {
    if (k == 0)
      return 0;
    if (mu < k)
      return ldp_log_poisson(k, mu) + log1p(ldp_poisson_above(k, mu));
    return log1m_exp(ldp_log_poisson(k - 1, mu) + log1p(ldp_poisson_below(k - 1, mu)));
  }

  real private_release_poisson_lpdf(real y_tilde, real mu, vector release, vector low, vector number, real base,
                                    real kept) {
    int i = ldp_release_number(y_tilde, release);
    if (number[i] == 0)
      return ldp_poisson_tail(low[i], kept * mu);
    return ldp_log_poisson(low[i], kept * mu)
           + ldp_range_sum(release[i], low[i], number[i], base, kept * mu, 0.0);
  }

  real private_release_nbinom1_lpdf(real y_tilde, real mu, real dispersion, vector release, vector low,
                                    vector number, real base, real kept) {
    int i = ldp_release_number(y_tilde, release);
    real excess = kept * (dispersion - 1);
    real log_zero = -kept * mu * ldp_log1p_ratio(excess); // log P(y = 0)
    real first = kept * mu / (1 + excess);
    real x = excess / (1 + excess);
    if (number[i] > 0)
      return log_zero + ldp_nbinom1_below(low[i], first, x, 0)[1]
             + ldp_range_sum(release[i], low[i], number[i], base, first, x);
    if (low[i] == 0)
      return 0;
    if (first + low[i] * x < low[i] + 1)
      return log_zero + ldp_nbinom1_below(low[i], first, x, 0)[1]
             + log1p(ldp_nbinom1_above(low[i], first, x));
    return log1m_exp(log_zero + ldp_nbinom1_below(low[i] - 1, first, x, 1)[1]);
  }

  /* Gaussian, discrete Gaussian and Skellam noise: the sum of f(y) = P(y) L(y), L(y) = P(y_tilde | y), over the true
   * counts that matter. The ratio of neighbouring P(y) is (first + y x)/(y + 1), so that it falls for y P(y), y >= 1.
   * It falls for L too, thus y f(y) has one mode, from which the sum goes up and down. */

  void ldp_check_noised(real y_tilde, real mu) {
    if (!(mu < 1e9 && y_tilde < 1e9 && y_tilde > -1e9))
      reject("Means and releases must be below 1e9 in size; found a mean of ", mu, " and a release of ", y_tilde);
  }

  /* sum of log I_(j+1)(a)/I_j(a), j = low, ..., high, I the Bessel function, by r_(j-1) = 1/(2 j/a + r_j) from a
   * bound of a ratio (Amos 1974). Its error falls by exp(-n^2/a) at least in n steps: 7 sqrt(a) + 20 are enough. */
  real ldp_log_bessel(real low, real high, real a) {
    real j = high + 21 + ceil(7 * sqrt(a));
    real ratio = a / (j + 1 + hypot(j + 1, a));
    real total = 0;
    while (j > low) {
      ratio = 1 / (2 * j / a + ratio);
      j -= 1;
      if (j <= high)
        total += log(ratio);
    }
    return total;
  }

  /* log P(T = t - 1)/P(T = t) for noise T; `variance` is that of Skellam noise, and 0 for Gaussian noise */
  real ldp_noise_step(real t, real sd, real variance) {
    if (variance == 0)
      return (t - 0.5) / square(sd);
    return t > 0 ? -ldp_log_bessel(t - 1, t - 1, variance) : ldp_log_bessel(-t, -t, variance);
  }

  /* log P(T = t)/P(T = s) */
  real ldp_noise_ratio(real t, real s, real sd, real variance) {
    if (variance == 0)
      return (s - t) / sd * ((s + t) / sd) / 2;
    if (fmax(t, -t) < fmax(s, -s))
      return -ldp_log_bessel(fmax(t, -t), fmax(s, -s) - 1, variance);
    return ldp_log_bessel(fmax(s, -s), fmax(t, -t) - 1, variance);
  }

  /* Is y below the mode of y f(y), y >= 1? */
  int ldp_rises(real y, real release, real sd, real variance, real first, real x) {
    return y < 1 || (first / y + x) * exp(ldp_noise_step(release - y, sd, variance)) > 1;
  }

  /* The mode minus `from`: steps are doubled, 30 times at most, until the mode is between two numbers; the range is
   * then halved. A whole number, because a real one would be a parameter in the sums. */
  int ldp_mode(real from, real release, real sd, real variance, real first, real x) {
    int low = -1;
    int high = 0;
    int by = 1;
    while (by < 1000000000 && ldp_rises(from + high, release, sd, variance, first, x)) {
      low = high;
      high += by;
      by *= 2;
    }
    while (high == low + by && by < 1000000000 && !ldp_rises(from + low, release, sd, variance, first, x)) {
      high = low;
      by *= 2;
      low -= by;
    }
    while (high - low > 1) {
      by = 1;
      while (2 * by < high - low)
        by *= 2;
      if (ldp_rises(from + low + by, release, sd, variance, first, x))
        low += by;
      else
        high = low + by;
    }
    return high;
  }

  real ldp_nearest_count(real release) {
    return fmax(1, floor(release + 0.5));
  }

  /* In [1] log sum_{y >= 1} f(y)/f(mode), in [2] the number of terms. n terms from the mode, y f(y) has fallen by
   * exp(-n^2/(2 sd^2)), and by exp(-n^2/(2 (s + n))) for Skellam noise, s = sqrt((release - mode)^2 + variance^2):
   * by exp(-50) after the numbers in `most`, which are enough as f(y)/f(mode) is larger by n + 1 at most. */
  vector ldp_noise_sum(real mode, real release, real sd, real variance, real first, real x) {
    real most = variance == 0 ? 10 * sd : 50 + sqrt(2500 + 100 * hypot(release - mode, variance));
    real total = 1;
    real term = 1;
    int up = 0;
    int down = 0;
    while (up <= most && term > 1e-20 * total) {
      term *= fma(mode + up, x, first) / (mode + up + 1) * exp(ldp_noise_step(release - mode - up, sd, variance));
      total += term;
      up += 1;
    }
    term = 1;
    while (down <= most && down + 1 < mode && term > 1e-20 * total) {
      down += 1;
      term *= (mode - down + 1) / fma(mode - down, x, first)
              * exp(-ldp_noise_step(release - mode + down, sd, variance));
      total += term;
    }
    return [log(total), 1 + up + down]';
  }

  /* log_noise is log P(T = 0), or log density. Of f(0) and the sum of all other f(y), the larger one is a factor, so
   * that no digits of their derivatives are lost. */
  real private_noise_poisson_lpdf(real y_tilde, real mu, real sd, real variance, real log_noise) {
    int away;
    real others; // log sum_{y >= 1} f(y)/f(mode)
    real zero; // log f(0)/sum_{y >= 1} f(y)
    ldp_check_noised(y_tilde, mu);
    away = ldp_mode(ldp_nearest_count(y_tilde), y_tilde, sd, variance, mu, 0);
    others = ldp_noise_sum(ldp_nearest_count(y_tilde) + away, y_tilde, sd, variance, mu, 0)[1];
    zero = ldp_noise_ratio(y_tilde, y_tilde - ldp_nearest_count(y_tilde) - away, sd, variance) - others
           + lgamma(ldp_nearest_count(y_tilde) + away + 1) - (ldp_nearest_count(y_tilde) + away) * log(mu);
    if (zero > 0)
      return -mu + log_noise + ldp_noise_ratio(y_tilde, 0, sd, variance) + log1p_exp(-zero);
    return ldp_log_poisson(ldp_nearest_count(y_tilde) + away, mu) + log_noise + others + log1p_exp(zero)
           + ldp_noise_ratio(y_tilde - ldp_nearest_count(y_tilde) - away, 0, sd, variance);
  }

  real private_noise_nbinom1_lpdf(real y_tilde, real mu, real dispersion, real sd, real variance,
                                  real log_noise) {
    real excess = dispersion - 1;
    real first = mu / dispersion;
    real x = excess / dispersion;
    int away;
    ldp_check_noised(y_tilde, mu);
    away = ldp_mode(ldp_nearest_count(y_tilde), y_tilde, sd, variance, first, x);
    return -mu * ldp_log1p_ratio(excess) + log_noise
           + ldp_noise_ratio(y_tilde - ldp_nearest_count(y_tilde) - away, 0, sd, variance)
           + log_sum_exp(
               ldp_noise_ratio(y_tilde, y_tilde - ldp_nearest_count(y_tilde) - away, sd, variance),
               ldp_nbinom1_below(ldp_nearest_count(y_tilde) + away, first, x, 0)[1]
               + ldp_noise_sum(ldp_nearest_count(y_tilde) + away, y_tilde, sd, variance, first, x)[1]);
  }
