/* The branch predictor that encoder and decoder have alike (3.2.6). */
#ifndef ASSAY_ETRACE_PREDICTOR_H
#define ASSAY_ETRACE_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

struct etrace_predictor {
    uint8_t *table; /* states; null: there is no predictor */
    unsigned size;  /* logarithm of their number */
    unsigned lsb;   /* lowest bit of addresses that selects one, at least 1: bit 0 is never set */
};

/* A size of 0: no predictor. False: out of memory. */
bool etrace_predictor_open(struct etrace_predictor *predictor, unsigned size, unsigned lsb);
void etrace_predictor_close(struct etrace_predictor *predictor);

/* As after a synchronisation packet. */
void etrace_predictor_reset(struct etrace_predictor *predictor);

/* Whether the branch at `pc` is predicted to be taken; false without a predictor. */
bool etrace_predict(const struct etrace_predictor *predictor, uint64_t pc);

/* Its outcome. */
void etrace_learn(struct etrace_predictor *predictor, uint64_t pc, bool taken);

#endif
