/* The interface between R and the kernels: decode arguments, allocate memory, get and put the state
 * of R's generator, call the kernel, turn its status into an error, return. */
#ifndef RC_H
#define RC_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include "ldp_cells.h"
#include "ldp_gamma.h"
#include "ldp_math.h"
#include "ldp_nbinom1.h"
#include "ldp_noise.h"
#include "ldp_secure.h"

/* Element of a list by name; refused when there is none. */
SEXP rc_element(SEXP list, const char *name);

/* The same, or R_NilValue. */
SEXP rc_element_or_null(SEXP list, const char *name);

/* Throws an error of class ldpcounts_fit_error, which says that an object is damaged and that its
 * part `what` is wrong. Never returns. */
void rc_refuse(const char *what);
void rc_require(int holds, const char *what);

/* Ranges of the numbers of a buffer. */
typedef enum rc_values {
    RC_ANY, /* also NaN */
    RC_FINITE,
    RC_NOT_NEGATIVE, /* and finite, as all below */
    RC_POSITIVE,
    RC_WEIGHTS, /* of factors: at least DBL_MIN, as samplers leave them, and at most 1e200 */
    RC_ALPHA /* at least 0, below 1 */
} rc_values;

/* The numbers of x; refused unless x has n of them, all as allowed. */
double *rc_numbers(SEXP x, size_t n, rc_values values, const char *what);
double rc_number(SEXP x, rc_values values, const char *what);
const int *rc_integers(SEXP x, size_t n, int least, int most, const char *what);

/* The same of a matrix, and the shape of one with at least one row. */
typedef struct rc_shape {
    int rows, columns;
} rc_shape;
rc_shape rc_shape_of(SEXP matrix, const char *what);
double *rc_matrix(SEXP matrix, int rows, int columns, rc_values values, const char *what);

/* Refused unless start[0..n] goes from 0 to `end` without falling. */
void rc_require_offsets(const size_t *start, size_t n, size_t end, const char *what);

/* n doubles, all zero, until .Call returns. */
double *rc_doubles(size_t n);

/* The numbers of a matrix: integer, double or dgCMatrix; the second function is for a dgCMatrix. */
ldp_source rc_decode_source(SEXP matrix);
ldp_source rc_decode_sparse(SEXP matrix);

/* The cells that make_cells() of R/model-data.R made. */
ldp_cells rc_decode_cells(SEXP cells);

/* The name of the weights of mode m of a tensor: theta1 for mode 0. Returns `name`. */
enum { RC_MODE_NAME = 24 };
const char *rc_mode_name(int m, char name[RC_MODE_NAME]);

/* Refused unless M modes of n indices each are those of the cells. */
void rc_require_modes(int M, const int *n, const ldp_cells *cells);

/* The gamma_prior() of this name in a list of priors. If its rate is estimated, the current rate is
 * in `rates` (otherwise NULL), at the position of the prior in the list. */
ldp_gamma_prior rc_decode_prior(SEXP priors, const char *name, const double *rates);

/* The current rates of the n priors, from the list of factors, or NULL if all are fixed. */
double *rc_rates(SEXP factors, int n);

/* Checks for an interrupt by the user, and returns the end of the next range of rows: rows from ..
 * to-1 are to be processed before the next check. */
int rc_next_range(const ldp_cells *cells, int from);

/* An error for every status but LDP_OK. */
void rc_check_status(ldp_status status);

/* Random bits from R's generator ("R"), otherwise from the operating system. Close it before
 * throwing an error, because bits that were used for noise must not stay in memory. Do not copy it
 * while open. */
typedef struct rc_bits {
    ldp_bits bits;
    int from_r;
} rc_bits;
void rc_bits_open(rc_bits *source, SEXP rng);
void rc_bits_close(rc_bits *source);

/* The functions of a model that rc_run calls: one sweep, its means, and the factor that a family
 * may scale. `model` is a struct in the rc_* file of the model. */
typedef struct rc_kernel {
    void (*sweep)(void *model, const ldp_cells *cells, const ldp_noise *noise, double *work);
    void (*visit)(const void *model, const ldp_cells *cells, ldp_visitor visitor, double *work);
    ldp_scalable (*scalable)(const void *model, const ldp_cells *cells);
} rc_kernel;

/* The family of counts and the scheme for their noise. The family is negative binomial if the
 * factors have an `excess` (dispersion - 1, one or one per row), otherwise Poisson. The scheme is
 * Bessel augmentation for Poisson counts with a state of the noise, otherwise the collapsed scheme.
 * */
typedef struct rc_family {
    ldp_noise noise;
    ldp_bessel_state bessel;
    ldp_nbinom1_state nbinom1;
} rc_family;

/* `family` must exist as long as the result is used. `dispersion`: the beta_prior() of an estimated
 * dispersion, or R_NilValue. */
ldp_noise *rc_decode_family(rc_family *family, const ldp_cells *cells, SEXP factors,
                            SEXP dispersion, SEXP noise_state);

/* Runs n sweeps and returns list(factors, noise, draws, log_density, log_density_now): the state
 * after them; the factors after the sweeps listed in `keep`, and the log densities of the release
 * there, up to a constant; and the log density after the last sweep, if it is kept or wanted
 * (`watch`), otherwise NA. `factors` is the list that `model` points into. */
SEXP rc_run(rc_kernel kernel, void *model, size_t work, const ldp_cells *cells, SEXP factors,
            SEXP priors, SEXP noise_state, SEXP n_sweeps, SEXP keep, SEXP watch);

/* The table of init.c. */
SEXP rc_privatize(SEXP counts, SEXP rates, SEXP rng);
SEXP rc_privatize_clamped(SEXP counts, SEXP rates, SEXP rng, SEXP columns, SEXP directed);
SEXP rc_density(SEXP name, SEXP arguments, SEXP give_log);
SEXP rc_release_density(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha);
SEXP rc_truth(SEXP y_tilde, SEXP alpha, SEXP mu, SEXP excess, SEXP p);
SEXP rc_probability(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p);
SEXP rc_quantile(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p);
SEXP rc_draw(SEXP name, SEXP n, SEXP parameters);
SEXP rc_function(SEXP name, SEXP arguments);
SEXP rc_make_cells(SEXP matrix, SEXP alpha, SEXP all_active, SEXP table, SEXP by_columns);
SEXP rc_topics_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect);
SEXP rc_topics_documents(SEXP cells, SEXP factors, SEXP phi, SEXP priors, SEXP n_sweeps, SEXP keep,
                         SEXP reflect);
SEXP rc_blocks_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect, SEXP directed);
SEXP rc_tensor_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect);
SEXP rc_store(SEXP array, SEXP slices, SEXP before);
SEXP rc_topics_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant);
SEXP rc_blocks_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP directed);
SEXP rc_tensor_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant);
SEXP rc_lda_add(SEXP cells, SEXP alpha, SEXP beta, SEXP chosen, SEXP share, SEXP limit);
SEXP rc_lda_score(SEXP cells, SEXP alpha, SEXP beta, SEXP limit);
SEXP rc_lda_shorten(SEXP cells, SEXP most);
SEXP rc_moments_first(SEXP documents);
SEXP rc_moments_times(SEXP documents, SEXP first, SEXP alpha0, SEXP x);
SEXP rc_moments_pairs(SEXP documents, SEXP first, SEXP alpha0);
SEXP rc_moments_whitened(SEXP documents, SEXP first, SEXP alpha0, SEXP W);
SEXP rc_packed_times(SEXP packed, SEXP x);
SEXP rc_tensor_power(SEXP T, SEXP Z, SEXP maxit, SEXP tol);
SEXP rc_perturb(SEXP x, SEXP scale, SEXP law, SEXP rng);
SEXP rc_perturb_whitened(SEXP T, SEXP W, SEXP scale, SEXP law, SEXP rng);

#endif
