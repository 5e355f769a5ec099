/* The files that take part in a run besides the traces: what they are digested to, and whether they
 * changed. Private to validator/. */
#ifndef ASSAY_VALIDATOR_EVIDENCE_H
#define ASSAY_VALIDATOR_EVIDENCE_H

#include "common/arena.h"
#include "common/witness.h"
#include "validator/engine/results.h"

struct assay_evidence_list {
    struct assay_arena arena;
    struct assay_evidence *list;
    struct assay_file_stamp *stamps; /* of each, when it was read; of inode 0: unknown */
    size_t count, room, stamp_room;
    bool out_of_memory;
};

/* Adds a file that is about to be read, and reads it if its digest is wanted. A null path is none;
 * a file is added once in a role. */
void assay_evidence_add(struct assay_evidence_list *list, const char *role, const char *path,
                        bool digest);

/* Digests those that were added without, if they can be. */
void assay_evidence_digest(struct assay_evidence_list *list);

/* Adds a file that was read under a witness, which has ended. */
void assay_evidence_witnessed(struct assay_evidence_list *list, const char *role, const char *path,
                              const struct assay_witness_report *report);

/* Looks which of the files are not what they were when they were added. */
void assay_evidence_verify(struct assay_evidence_list *list);

/* What a witness says of a file that is read for that alone. Errors are those of opening it, and of
 * memory; a digest that cannot be told is in the report. */
enum assay_error assay_evidence_of_path(const char *path, struct assay_witness_report *report);

/* Whether any of them has changed. */
bool assay_evidence_changed(const struct assay_evidence_list *list);

/* Allowed for a list that is zero-initialised. */
void assay_evidence_close(struct assay_evidence_list *list);

#endif
