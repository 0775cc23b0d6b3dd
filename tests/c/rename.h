/* A further copy of ldp_secure*.c or ldp_gaussian.c, all its names with COPY in place of `ldp_`. A copy declares
 * weak what it shall not decide itself: the program that it is linked to brings those. */
#define RENAME_PASTE(copy, name) copy##name
#define RENAME(copy, name) RENAME_PASTE(copy, name)
#define ldp_bits_open RENAME(COPY, bits_open)
#define ldp_bits_close RENAME(COPY, bits_close)
#define ldp_secure_bit RENAME(COPY, secure_bit)
#define ldp_secure_bernoulli RENAME(COPY, secure_bernoulli)
#define ldp_secure_uniform RENAME(COPY, secure_uniform)
#define ldp_secure_bernoulli_exp RENAME(COPY, secure_bernoulli_exp)
#define ldp_secure_twogeom RENAME(COPY, secure_twogeom)
#define ldp_secure_step RENAME(COPY, secure_step)
#define ldp_secure_further RENAME(COPY, secure_further)
#define ldp_secure_noise RENAME(COPY, secure_noise)
#define ldp_secure_ones RENAME(COPY, secure_ones)
#define ldp_secure_poisson RENAME(COPY, secure_poisson)
#define ldp_secure_skellam RENAME(COPY, secure_skellam)
#define ldp_secure_thin RENAME(COPY, secure_thin)
#define ldp_gaussian_draw RENAME(COPY, gaussian_draw)
