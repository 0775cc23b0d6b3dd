# Wrong kernels must be caught. Each mutant is a copy of the package with one deliberate mistake;
# the named test files must fail on it, and pass on the unchanged copy. About an hour.
# Run in the package's root: make mutants

source("tests/mutants/harness.R")

mutants <- list(
  list(
    name = "unchanged (must pass)", file = "src/ldp_collapsed.c",
    tests = c(
      "geweke-topics", "geweke-blocks", "geweke-tensor", "sbc", "geweke-nbinom1", "sbc-nbinom1",
      "predict", "private_gibbs", "sbc-private_gibbs"
    ),
    edits = list()
  ),
  list(
    name = "bursts: exposure 1 - alpha in place of 1 - G(alpha)",
    file = "src/ldp_nbinom1.c", tests = c("geweke-nbinom1", "sbc-nbinom1"),
    edits = list(
      c("state->rest[d] = ldp_bursts_exposure(excess_of(state, d), alpha[d]);",
        "state->rest[d] = 1 - alpha[d];"),
      c("state->extra[d] = ldp_bursts_pgf(excess_of(state, d), alpha[d]);",
        "state->extra[d] = alpha[d];")
    )
  ),
  list(
    name = "bursts: as many events as counts",
    file = "src/ldp_nbinom1.c", tests = c("geweke-nbinom1", "sbc-nbinom1"),
    edits = list(c("if (y > 0) {\n            remember", "x[e] = y;\n        if (y > 0) {\n            remember"))
  ),
  list(
    name = "bursts: a sum of events beyond the release is never refused",
    file = "src/ldp_rtruenbinom.c", tests = "geweke-nbinom1", c_tests = "test_rtruenbinom",
    edits = list(c("if (l <= 1 || log_keep >= 0 ||", "if (l <= 1 || log_keep <= 0 ||"))
  ),
  list(
    name = "bursts: the slice on logit p without its Jacobian",
    file = "src/ldp_nbinom1.c", tests = c("geweke-nbinom1", "sbc-nbinom1"),
    edits = list(
      c("state->shape1 * at->t - (state->shape1 + state->shape2) * at->q",
        "(state->shape1 - 1) * at->t - (state->shape1 + state->shape2 - 2) * at->q")
    )
  ),
  list(
    name = "misprint 1: the mean alpha/(1-alpha) taken for a rate",
    file = "src/ldp_augmented.c", tests = c("geweke-topics", "sbc"),
    edits = list(c("return alpha * ldp_random_gamma", "return (1 - alpha) * ldp_random_gamma"))
  ),
  list(
    name = "misprint 2: Bessel argument 2 sqrt(2 l1 l2)",
    file = "src/ldp_augmented.c", tests = c("geweke-topics", "sbc"),
    edits = list(c("2 * sqrt((lambda1 + mu) * lambda2)", "2 * sqrt(2 * (lambda1 + mu) * lambda2)"))
  ),
  list(
    name = "exposure 1 for non-positive cells",
    file = "src/ldp_collapsed.c", tests = c("geweke-topics", "sbc"),
    edits = list(c("rest[d] = 1 - alpha[d];", "rest[d] = 1;"), c("extra[d] = alpha[d];", "extra[d] = 0;"))
  ),
  list(
    name = "a scale move without its Jacobian, topics and tensors",
    file = "src/ldp_rescale.c", tests = c("geweke-topics", "geweke-tensor", "sbc"),
    edits = list(c("up.n_all * up.prior->shape - down.n_all * down.prior->shape",
      "up.n_all * (up.prior->shape - 1) - down.n_all * (down.prior->shape - 1)"))
  ),
  list(
    name = "a scale move without its Jacobian, blocks",
    file = "src/ldp_actors.c", tests = c("geweke-blocks", "sbc"),
    edits = list(c("V * of_theta.shape - n_pi * of_pi.shape",
      "V * (of_theta.shape - 1) - n_pi * (of_pi.shape - 1)"))
  ),
  list(
    name = "a fresh uniform where the first comparison has failed",
    file = "src/ldp_truecount.c", c_tests = "test_truecount",
    edits = list(
      c("return from_k_outward(stream, u, k",
        "return from_k_outward(stream, u > 2 ? u : ldp_stream_uniform(stream), k"),
      c("ldp_poisson_invert(u, mu / alpha));",
        "ldp_poisson_invert(u > 2 ? u : ldp_stream_uniform(stream), mu / alpha));")
    )
  ),
  list(
    name = "the weight above a release left out",
    file = "src/ldp_truecount.c", c_tests = "test_truecount",
    edits = list(c("(1 - u) * (1 + above + below) - 1", "(1 - u) * (1 + 0.9 * above + below) - 1"))
  ),
  list(
    name = "a reflection that is never refused",
    file = "src/ldp_reflect.c", c_tests = "test_reflect",
    edits = list(c("u < exp(-6 * d", "u < 2 + exp(-6 * d"))
  ),
  list(
    name = "weights reflected about the law of a document without its exposure",
    file = "src/ldp_gamma.c", c_tests = "test_reflect",
    edits = list(c("shape, rate * x[k])", "shape, prior.rate * x[k])"))
  ),
  list(
    name = "weights reflected that a move with the weights integrated out has left behind",
    file = "src/ldp_topics.c", tests = "geweke-topics",
    edits = list(
      c("                       r->total_phi, lines.active, lines.exposure);\n",
        paste0("                       r->total_phi, lines.active, lines.exposure);\n",
          "    for (int k = 0; k < K; k++) /* some other weights */\n",
          "        ldp_line(model->theta, K, d)[k] *= 0.7;\n"))
    )
  ),
  list(
    name = "a mode drawn from the old weights of the mode before it",
    file = "src/ldp_tensor.c", tests = "geweke-tensor",
    edits = list(c(
      "    else if (kind == INDICES)\n        ldp_modes_total(&j.modes, j.m, NULL, room_at(&j, 0).totals);\n", ""
    ))
  ),
  list(
    name = "missing cells of a mode weighted as if observed in full",
    file = "src/ldp_tensor.c", tests = "geweke-tensor", c_tests = "test_tensor",
    edits = list(c("cells->missing, d, rest,", "cells->missing, d, rest > 0,"))
  ),
  list(
    name = "missing cells of a column with a dispersion counted as observed",
    file = "src/ldp_nbinom1.c", tests = "columns",
    edits = list(c("columns->at.total[place] - row.active - missing", "columns->at.total[place] - row.active"))
  ),
  list(
    name = "small gamma shapes without the second comparison",
    file = "src/ldp_random.c", c_tests = "test_gamma",
    edits = list(c("if (is_below_exp(u, x))", "if (u < 2 || is_below_exp(u, x))"))
  ),
  list(
    name = "all actors in parallel, from the old weights",
    file = "src/ldp_blocks.c", tests = "geweke-blocks",
    edits = list(
      c("ldp_gamma_move(&stream, model->reflect, C, prior,", "ldp_gamma_move(&stream, 0, C, prior,"),
      c("r->exposure, theta_i);", "r->exposure, ldp_line(r->counts_theta, C, i));"),
      c("}\n\n/* The counts of pi are in pi_row. */",
        paste0("    for (int t = 0; t < C * V; t++)\n        model->theta[t] = r->counts_theta[t];\n",
          "}\n\n/* The counts of pi are in pi_row. */"))
    )
  ),
  list(
    name = "undirected: what both orders of a pair of communities have is not put together",
    file = "src/ldp_blocks.c", tests = "geweke-blocks",
    edits = list(c("        ldp_actors_fold(C, r->exposure_pi);\n", ""))
  ),
  list(
    name = "predict: phi moves with the new documents",
    file = "src/rc_topics.c", tests = "predict",
    edits = list(c(".only_documents = given->only_documents", ".only_documents = 0"))
  ),
  list(
    name = "predict: a random rate at its prior mean",
    file = "R/fit-predict.R", tests = "predict",
    edits = list(c("matrix(fit$draws[[name]][, 1, s])", "matrix(1, dim(fit$draws[[name]])[1])"))
  ),
  list(
    name = "predict: a new row's dispersion stays that of the others",
    file = "R/fit-predict.R", tests = "predict",
    edits = list(c("if (by_row) list(dispersion", "if (FALSE) list(dispersion"))
  ),
  list(
    name = "private_gibbs: cells at or below zero are true zeros",
    file = "R/model-custom.R", tests = c("private_gibbs", "sbc-private_gibbs"),
    edits = list(c("  y[release$masked] <-",
      "  y[seen] <- y[seen] * (release$y_tilde > 0)\n  y[release$masked] <-"))
  ),
  list(
    name = "private_gibbs: masked cells are zeros",
    file = "R/model-custom.R", tests = c("private_gibbs", "sbc-private_gibbs"),
    edits = list(c("mu[release$masked])", "0)"))
  ),
  list(
    name = "races won by the worst start",
    file = "R/run-starts.R", tests = "race",
    edits = list(c("order(score[mine], decreasing = TRUE)", "order(score[mine])"))
  ),
  list(
    name = "starts of a race on one stream",
    file = "R/run-starts.R", tests = "race",
    edits = list(c("parallel::nextRNGSubStream(stream)", "stream"))
  ),
  list(
    name = "a race scored at other sweeps after a checkpoint",
    file = "R/run-starts.R", tests = "race",
    edits = list(c("marks[marks > before & marks <= before + n]", "(marks + before)[marks <= n]"))
  ),
  list(
    name = "modes: shares of draws where chains never left",
    file = "R/fit-modes.R", tests = "posterior_modes",
    edits = list(c("moves >= MOVES_ENOUGH * (max(of) - 1) && all(visitors >= min(2, ncol(of)))", "TRUE"))
  ),
  list(
    name = "modes: draws averaged whatever the shares",
    file = "R/fit-draws.R", tests = "posterior_modes",
    edits = list(c("if (are_visits(modes)) {\n    return(seq_len", "if (TRUE) {\n    return(seq_len"))
  ),
  list(
    name = "modes: groups that wander are modes",
    file = "R/fit-modes.R", tests = "posterior_modes",
    edits = list(c("  join_blurred(match(of, large), apart)", "  match(of, large)"))
  ),
  list(
    name = "modes: halves of chains are not compared",
    file = "R/fit-modes.R", tests = "posterior_modes",
    edits = list(c(", LEAST_DRAWS, kept %/% 2L)", ", LEAST_DRAWS)"))
  ),
  list(
    name = "tokens: on a positive cell they are always accepted",
    file = "src/ldp_collapsed.c", tests = "geweke-tokens", c_tests = "test_tokens",
    edits = list(c("pow(law->square, y - release)", "pow(law->square, 0)"))
  ),
  list(
    name = "tokens: what sizes have beyond the release counts twice",
    file = "src/ldp_nbinom1.c", tests = "geweke-tokens", c_tests = "test_tokens",
    edits = list(c("fmax(y - release, 0) - over", "fmax(y - release, 0) - 0 * over"))
  ),
  list(
    name = "a verdict that does not look at totals",
    file = "R/report-fit.R", tests = "verdict",
    edits = list(c("if (models_noise(fit)) compare_margins", "if (FALSE) compare_margins"))
  )
)

run_mutants(mutants)
