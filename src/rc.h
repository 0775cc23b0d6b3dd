/* The interface between R and the kernels: decode arguments, allocate memory, get and put the state
 * of R's generator, call the kernel, turn its status into an error, return. */
#ifndef RC_H
#define RC_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include "ldp_cells.h"
#include "ldp_chain.h"
#include "ldp_gamma.h"
#include "ldp_groups.h"
#include "ldp_kernel.h"
#include "ldp_math.h"
#include "ldp_mechanism.h"
#include "ldp_nbinom1.h"
#include "ldp_noise.h"
#include "ldp_secure.h"
#include "ldp_team.h"

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

/* The number of threads, an argument of many functions. */
int rc_n_threads(SEXP threads);

/* Does the task for cells 0 .. n - 1, on several threads, each of which takes `part` cells at a
 * time. Interrupts are noticed every `parts` parts, so that more threads than `parts` have no work.
 * `thread`: a number below the number of threads and below `parts`. */
typedef void (*rc_cell_task)(const void *state, size_t cell, int thread);
void rc_share_cells(size_t n, size_t part, size_t parts, int n_threads, rc_cell_task task,
                    const void *state);

/* As rc_numbers() for a matrix; and the shape of a matrix with at least one row. */
typedef struct rc_shape {
    int rows, columns;
} rc_shape;
rc_shape rc_shape_of(SEXP matrix, const char *what);
double *rc_matrix(SEXP matrix, int rows, int columns, rc_values values, const char *what);

/* Refused unless start[0..n] goes from 0 to `end` without falling. */
void rc_require_offsets(const size_t *start, size_t n, size_t end, const char *what);

/* Memory for n elements of this size, until .Call returns; within rc_keep_memory(), as long as its
 * pointer exists. */
void *rc_room(size_t n, size_t size);

/* n doubles, all zero. */
double *rc_doubles(size_t n);

/* Calls `open`, which returns the address of what it has made. All memory of rc_room() that it uses
 * is kept with the external pointer that is returned, and so are `objects`. */
SEXP rc_keep_memory(void *(*open)(void *data), void *data, SEXP objects);

/* The numbers of a matrix: integer, double or dgCMatrix; the second function is for a dgCMatrix. */
ldp_source rc_decode_source(SEXP matrix);
ldp_source rc_decode_sparse(SEXP matrix);

/* Lists of n lines with indices below m, which make_lists() of rc_cells.c made; NULL for
 * R_NilValue.
 */
ldp_lists rc_decode_lists(SEXP lists, int n, int m, const char *what);

/* The cells that make_cells() of R/model-data.R made, or the pointer of rc_open_cells(). */
ldp_cells rc_decode_cells(SEXP cells);

/* The same, and what follows from all released counts of active cells. */
typedef struct rc_data {
    ldp_cells cells;
    double n_active; /* the number of active cells, listed or not */
    double total; /* the sum of the positive ones */
    double *table; /* of ldp_quick_count() */
    int n_quick; /* of a shard, the number of rows of series (ldp_quick) of all shards; else 0 */
} rc_data;
const rc_data *rc_decode_data(SEXP cells);

/* The name of the weights of mode m of a tensor: theta1 for mode 0. Returns `name`. */
enum { RC_MODE_NAME = 24 };
const char *rc_mode_name(int m, char name[RC_MODE_NAME]);

/* Refused unless M modes of n indices each are those of the cells. */
void rc_require_modes(int M, const int *n, const ldp_cells *cells);

/* The current rates and shapes of priors: NULL if all are fixed. */
typedef struct rc_hyper {
    double *rates, *shapes;
} rc_hyper;

/* The gamma_prior() of this name in a list of priors. If its rate or shape is estimated, the
 * current one is in `hyper`, at the position of the prior in the list. */
ldp_gamma_prior rc_decode_prior(SEXP priors, const char *name, rc_hyper hyper);

/* Those of n priors, from the list of factors. */
rc_hyper rc_decode_hyper(SEXP factors, int n);

/* The groups of the n rows with K components, from `groups` of a list of priors, without relative
 * rates; and with those of a chain, from the list of factors. NULL if there are no groups. */
ldp_groups *rc_decode_groups(SEXP priors, int K, int n);
const ldp_groups *rc_groups(SEXP factors, SEXP priors, int K, int n);

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

/* A mechanism with one set of parameters per level, from mechanism_code() of R/release-mechanism.R.
 */
typedef struct rc_mechanisms {
    int n;
    const ldp_mechanism *level;
} rc_mechanisms;
rc_mechanisms rc_decode_mechanisms(SEXP mechanism);

/* The same with the level of each of n cells; NULL for R_NilValue. */
const ldp_protection *rc_decode_protection(SEXP mechanism, size_t n);

/* The parameters of the family in a chain. The family is negative binomial if the factors have an
 * `excess` (dispersion - 1; one, one per row or, if there is a `pool`, one per column), otherwise
 * Poisson. The scheme: tokens if the cells have codes, Bessel augmentation if Poisson counts have a
 * state of the noise, otherwise collapsed. */
typedef struct rc_parameters {
    double *excess;
    int by_row;
    double *pool; /* the two shapes of the prior of dispersions of columns, or NULL */
    ldp_columns columns; /* if there is a pool; its exposures are not set yet */
    ldp_bessel_state bessel;
} rc_parameters;
rc_parameters rc_decode_parameters(const ldp_cells *cells, SEXP factors, SEXP noise_state);

/* The number of noise levels, if each column has its own dispersion; otherwise 0. */
int rc_n_levels(const ldp_cells *cells, SEXP factors);

/* Memory for the family of counts that chains use one after another, with n_threads threads each.
 * `like`: the parameters of any of these chains. `dispersion`: the beta_prior() of an estimated
 * dispersion, or R_NilValue. */
typedef struct rc_family {
    int n_threads;
    ldp_nbinom1_state nbinom1;
    ldp_rtruenbinom_law *law; /* one per thread; only the memory for its bounds is set */
    ldp_nbinom1_columns *columns; /* one per thread, if each column has its own dispersion */
} rc_family;
rc_family rc_new_family(const ldp_cells *cells, rc_parameters like, SEXP dispersion, int n_threads);

/* The noise of one of these chains, for each thread. `parameters` must exist as long as the chain.
 */
ldp_noise *rc_new_noise(const rc_family *family, const ldp_cells *cells, rc_parameters *parameters);

/* What rc_run needs to know about a model. `decode` returns the model of a chain, which contains
 * pointers into its factors. `settings`: the further arguments of `decode`. */
typedef struct rc_model {
    const ldp_kernel *kernel;
    void *(*decode)(const void *settings, const ldp_cells *cells, SEXP factors, SEXP priors);
    const void *settings;
} rc_model;

/* Runs n sweeps of each of the chains. A chain is list(factors, noise, seeds), where the seeds are
 * two whole numbers below 2^32 per sweep. Returns, for each chain, list(factors, noise, draws,
 * log_density, log_density_now): the state after the sweeps; the factors after those listed in
 * `keep`, and the log densities of the release there, up to a constant; and the log density after
 * the last sweep, if it is kept or wanted (`watch`), otherwise NA. */
typedef struct rc_asked {
    SEXP chains, priors, n_sweeps, keep, watch, threads;
} rc_asked;
SEXP rc_run(const rc_model *model, SEXP cells, rc_asked asked);

/* The same for a shard of rows: an external pointer to chains that stop wherever arrays must be
 * combined with those of the other shards. See rc_shard.c. */
SEXP rc_open_shard(const rc_model *model, SEXP cells, rc_asked asked);

/* The parts of which both consist. A team runs the chains of a call; those that have stopped are
 * left alone. Chains of a shard keep their own memory, because they take turns with one another. */
typedef struct rc_team rc_team;
SEXP rc_new_answers(rc_asked asked);
rc_team *rc_new_team(const rc_model *model, const rc_data *data, rc_asked asked, SEXP answers);
int rc_team_chains(const rc_team *team);
ldp_chain *rc_team_chain(const rc_team *team, int i);
void rc_advance_team(rc_team *team);
void rc_finish_answers(const rc_team *team, SEXP answers);

/* The table of init.c. */
SEXP rc_privatize(SEXP counts, SEXP rates, SEXP rng);
SEXP rc_privatize_clamped(SEXP counts, SEXP rates, SEXP rng, SEXP columns, SEXP directed);
SEXP rc_density(SEXP name, SEXP arguments, SEXP give_log);
SEXP rc_release_density(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha, SEXP threads);
SEXP rc_derivatives(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha, SEXP level, SEXP threads);
SEXP rc_saturated(SEXP y_tilde, SEXP excess, SEXP alpha, SEXP threads);
SEXP rc_information(SEXP mu, SEXP excess, SEXP alpha, SEXP threads);
SEXP rc_truth(SEXP y_tilde, SEXP alpha, SEXP mu, SEXP excess, SEXP mechanism, SEXP p, SEXP threads);
SEXP rc_probability(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p);
SEXP rc_quantile(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p);
SEXP rc_draw(SEXP name, SEXP n, SEXP parameters);
SEXP rc_function(SEXP name, SEXP arguments);
SEXP rc_mechanism(SEXP what, SEXP mechanism, SEXP level, SEXP event, SEXP release, SEXP mu,
                  SEXP excess, SEXP x, SEXP threads);
SEXP rc_mechanism_derivatives(SEXP mechanism, SEXP level, SEXP release, SEXP mu, SEXP excess,
                              SEXP order, SEXP threads);
SEXP rc_quick_count(SEXP y_tilde);
SEXP rc_quick_rows(SEXP table, SEXP n_groups);
SEXP rc_transpose_lists(SEXP lists, SEXP n_columns);
SEXP rc_open_cells(SEXP cells);
SEXP rc_code_cells(SEXP cells, SEXP table, SEXP by_columns);
SEXP rc_make_cells(SEXP matrix, SEXP alpha, SEXP all_active, SEXP table, SEXP by_columns);
SEXP rc_topics_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads);
SEXP rc_topics_documents(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP reflect,
                         SEXP threads);
SEXP rc_blocks_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP directed, SEXP threads);
SEXP rc_tensor_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads);
SEXP rc_topics_shard(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads);
SEXP rc_tensor_shard(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads);
SEXP rc_shard_advance(SEXP shard);
SEXP rc_shard_read(SEXP shard, SEXP files);
SEXP rc_combine_messages(SEXP messages, SEXP file);
SEXP rc_shard_write(SEXP shard, SEXP messages);
SEXP rc_shard_answers(SEXP shard);
SEXP rc_read_entries(SEXP text, SEXP skip, SEXP dim, SEXP most, SEXP size_below, SEXP last,
                     SEXP whole);
SEXP rc_write_entries(SEXP row, SEXP column, SEXP count);
SEXP rc_read_lines(SEXP text, SEXP skip, SEXP most, SEXP ended, SEXP to_section);
SEXP rc_checksums(SEXP text);
SEXP rc_is_regular(SEXP file);
SEXP rc_threads(void);
SEXP rc_send_at_once(SEXP port);
SEXP rc_store(SEXP array, SEXP slices, SEXP before);
SEXP rc_topics_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP threads);
SEXP rc_blocks_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP directed, SEXP threads);
SEXP rc_tensor_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP threads);
SEXP rc_topics_svi(SEXP cells, SEXP q, SEXP priors, SEXP levels, SEXP n_rows, SEXP settle, SEXP rho,
                   SEXP threads);
SEXP rc_lda_add(SEXP cells, SEXP alpha, SEXP beta, SEXP limit);
SEXP rc_lda_score(SEXP cells, SEXP alpha, SEXP beta, SEXP limit);
SEXP rc_lda_shorten(SEXP cells, SEXP most);
SEXP rc_moments_first(SEXP documents);
SEXP rc_moments_times(SEXP documents, SEXP first, SEXP alpha0, SEXP x);
SEXP rc_moments_pairs(SEXP documents, SEXP first, SEXP alpha0);
SEXP rc_moments_whitened(SEXP documents, SEXP first, SEXP alpha0, SEXP W);
SEXP rc_packed_times(SEXP packed, SEXP x);
SEXP rc_tensor_power(SEXP T, SEXP Z, SEXP maxit, SEXP tol);
SEXP rc_perturb(SEXP x, SEXP scale, SEXP law, SEXP rng);
SEXP rc_set_levels(SEXP counts, SEXP levels);
SEXP rc_get_levels(SEXP x);

#endif
