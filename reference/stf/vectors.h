/* Register groups of vector instructions: what of vl, vtype and VLEN the records give, and which
 * registers of a group they leave out. */
#ifndef ASSAY_STF_VECTORS_H
#define ASSAY_STF_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

struct stf_model;
struct stf_word;

/* What is known of the vector unit. */
struct stf_vectors {
    uint32_t vlen;        /* VLEN in bits; 0 where no record gives it */
    bool type_known;      /* of vtype: */
    bool vl_known;        /* ... and of vl */
    bool start_zero;      /* vstart is 0 */
    uint8_t sew_log2;     /* log2 of the bytes of SEW */
    uint8_t lmul_eighths; /* LMUL in eighths: 1 to 64 */
    uint64_t vl;
};

/* The records of vector registers in the open group, and of the CSRs that its instruction writes.
 */
struct stf_vector_group {
    uint32_t recorded[4]; /* registers, by operand type (state, source, destination) */
    bool vl_written;
    uint64_t vl;
};

/* Forgets all but VLEN, which does not change. */
void stf_vectors_forget(struct stf_vectors *vectors);

/* A register record of type vector or CSR. */
void stf_vectors_record(struct stf_model *model, unsigned type, unsigned number, unsigned operand,
                        uint64_t value);

/* Whether a word changes what is known beside the records: the fast path leaves it out. */
bool stf_vectors_change(const struct stf_word *word);

/* The flags in the cell of effects_known about the group's vector registers, before its instruction
 * takes effect; `effects` as in effects_known. */
uint64_t stf_model_vectors(const struct stf_model *model, const struct stf_word *word,
                           bool effects);

/* The effect of the group's instruction on what is known. */
void stf_vectors_step(struct stf_model *model, const struct stf_word *word, bool effects);

#endif
