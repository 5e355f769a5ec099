/* The ways through a Q element whose instructions have conditional branches, of which no element
 * says whether they were taken (K10.5.5.15): where it can lead, and what all ways have in common.
 */
#ifndef ASSAY_ETE_Q_WAYS_H
#define ASSAY_ETE_Q_WAYS_H

#include "ete/program.h"

enum {
    ETE_WAYS_MOST = 256,    /* that are followed at a time */
    ETE_Q_PARTS_MOST = 1024 /* of the program, for which the ways of an element are followed */
};

/* Ways by where they are and the instructions that they still have. */
struct ete_way {
    struct ete_position at;
    uint32_t left;
    unsigned has; /* what of it matters later, by bits (q_ways.c) */
};

struct ete_q_ways {
    struct ete_program *program;
    bool aarch64;
    uint64_t where, ids; /* as an event of the Q has them in its cells */

    struct ete_way way[ETE_WAYS_MOST]; /* in order: most are left at the end */
    unsigned count;
    bool known;      /* all of them, to their ends */
    bool too_many;   /* there are more than are followed */
    bool impossible; /* there are others, which have what is not executed: the first one found */
    uint32_t impossible_word;
    uint64_t impossible_at;
};

/* What of the instructions of a walk matters to the ways: the `note` of their program. */
uint8_t ete_note_of_ways(const struct ete_walk *before, const struct ete_decoded *instruction);

/* Finds the ways of a Q from the end of its last run on, of whose branch no element says whether it
 * was taken, for `left` more instructions. */
void ete_find_q_ways(struct ete_q_ways *ways, const uint64_t *run, uint32_t left,
                     bool synchronised);

/* Annotate the run that ends a Q with where this leads: by the decoder, where one way leads through
 * its last instruction, and by the ways, where several do. */
void ete_annotate_q_run(uint64_t *run);
void ete_annotate_open_run(const struct ete_q_ways *ways, uint64_t *run);

/* Annotates the sync_lost at the place from which the Q can go on in several ways. */
void ete_annotate_q_lost(const struct ete_q_ways *ways, uint64_t *lost);

#endif
