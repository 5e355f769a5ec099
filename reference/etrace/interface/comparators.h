/* The comparators of the encoder (table 2.6), and what is known of a condition. */
#ifndef ASSAY_ETRACE_COMPARATORS_H
#define ASSAY_ETRACE_COMPARATORS_H

#include "etrace/interface/qualify.h"

static inline enum etrace_truth etrace_truth(bool holds)
{
    return holds ? ETRACE_YES : ETRACE_NO;
}

static inline enum etrace_truth etrace_not(enum etrace_truth a)
{
    return a == ETRACE_UNKNOWN ? a : etrace_truth(a == ETRACE_NO);
}

static inline enum etrace_truth etrace_and(enum etrace_truth a, enum etrace_truth b)
{
    return a == ETRACE_NO || b == ETRACE_NO ? ETRACE_NO : a == ETRACE_YES ? b : ETRACE_UNKNOWN;
}

static inline enum etrace_truth etrace_or(enum etrace_truth a, enum etrace_truth b)
{
    return etrace_not(etrace_and(etrace_not(a), etrace_not(b)));
}

/* What holds at an address counts for the block if there is an instruction. */
static inline enum etrace_truth etrace_at(const struct etrace_filtered *block, size_t i,
                                          enum etrace_truth holds)
{
    const bool is_instruction = block->exact || i == 0 || i + 1 == block->addresses;
    return is_instruction || holds == ETRACE_NO ? holds : ETRACE_UNKNOWN;
}

/* A flag whose reset value is 0: it is 0 where it was not given and the encoder does not have it
 * (`absent`), or was reset before (the parameter after_reset). Registers of 2.0 have no reset
 * value. */
enum etrace_truth etrace_optional(const struct etrace_qualifier *q, size_t number, bool absent);

/* Whether what holds from a primary match on (mode 3) does so from the beginning: function 6
 * of 2.0, which never matches, says that. */
bool etrace_comparator_is_primed(const struct etrace_qualifier *q, size_t n);

/* Compares a block; then the other functions are of it. */
void etrace_comparators_take(struct etrace_qualifier *q, const struct etrace_filtered *block);

/* The output of a comparator for an instruction of the block. */
enum etrace_truth etrace_comparator(const struct etrace_qualifier *q, size_t n, uint64_t address,
                                    const struct etrace_filtered *block);

/* Whether one requests the report of the last instruction (pNotify, sNotify). */
enum etrace_truth etrace_comparators_watch(const struct etrace_qualifier *q);

/* The block has passed. */
void etrace_comparators_pass(struct etrace_qualifier *q);

#endif
