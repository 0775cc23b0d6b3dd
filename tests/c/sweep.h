/* Sweeps of any kernel with a given setting. Work space is the caller's, as large as the kernel
 * says. A sweep of sweep_once() takes a new seed from R's generator, so that set_seed() repeats the
 * sweeps that follow it. */
#ifndef SWEEP_H
#define SWEEP_H

#include "ldp_kernel.h"
#include "ldp_team.h"

/* How a phase is cut: one range of all lines, or ranges of so many parts each. */
enum { SWEEP_WHOLE = 1 << 20 };

static inline int sweep_lines(const ldp_setting *at, ldp_lines lines) {
    return lines == LDP_WHOLE ? 1 : lines == LDP_ROWS ? at->cells->D : at->cells->V;
}

/* All but the end of a phase. */
static inline void sweep_open_phase(const ldp_kernel *kernel, void *model, const ldp_setting *at,
                                    int phase, uint64_t seed, int n_parts, double *work) {
    const int n = sweep_lines(at, kernel->lines(model, phase));
    kernel->begin(model, at, phase, seed, work);
    for (int part = 0; part < ldp_parts(n); part += n_parts) {
        const int end = n_parts < ldp_parts(n) - part ? (part + n_parts) * LDP_PART : n;
        kernel->range(model, at, phase, part * LDP_PART, end, work);
    }
}

/* All but the end of the last phase, in which the kernels rescale their factors. Returns this
 * phase. */
static inline int sweep_open(const ldp_kernel *kernel, void *model, const ldp_setting *at,
                             uint64_t seed, int n_parts, double *work) {
    for (int phase = 0;;) {
        sweep_open_phase(kernel, model, at, phase, seed, n_parts, work);
        const int next = kernel->next(model, at, phase, work);
        if (next == LDP_NO_PHASE)
            return phase;
        kernel->end(model, at, phase, work);
        phase = kernel->next(model, at, phase, work);
    }
}

static inline void sweep_close(const ldp_kernel *kernel, void *model, const ldp_setting *at,
                               int last, double *work) {
    kernel->end(model, at, last, work);
}

/* One sweep with this seed, in ranges of n_parts parts. */
static inline void sweep_cut(const ldp_kernel *kernel, void *model, const ldp_setting *at,
                             uint64_t seed, int n_parts, double *work) {
    const int last = sweep_open(kernel, model, at, seed, n_parts, work);
    sweep_close(kernel, model, at, last, work);
}

/* One sweep with a new seed. */
static inline void sweep_once(const ldp_kernel *kernel, void *model, const ldp_setting *at,
                              double *work) {
    sweep_cut(kernel, model, at, ldp_stream_seed(), SWEEP_WHOLE, work);
}

/* Visits all rows, part by part, with the room of a different thread for each. */
static inline void sweep_visit(const ldp_kernel *kernel, const void *model, const ldp_setting *at,
                               ldp_visitor visitor, double *work) {
    const int D = at->cells->D;
    kernel->begin_visit(model, at, work);
    for (int from = 0; from < D; from += LDP_PART)
        kernel->visit(model, at, from, ldp_part_end(from, D), from / LDP_PART % at->n_threads,
                      visitor, work);
}

/* The move of the family after a sweep, if it has one. */
static inline void sweep_move(const ldp_kernel *kernel, const void *model, const ldp_setting *at,
                              uint64_t seed) {
    const ldp_noise *const noise = at->noise;
    if (!noise->move)
        return;
    noise->move(noise->state, seed, at->cells, kernel->scalable(model, at), at->n_threads);
    while (noise->is_asking(noise->state)) {
        for (int part = 0; part < ldp_parts(at->cells->D); part++)
            noise->answer(noise->state, part);
        noise->use_answers(noise->state);
    }
}

#endif
