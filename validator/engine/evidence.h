/* The files that are used in a run besides the traces: their digests, and whether they changed.
 * Private to validator/. */
#ifndef ASSAY_VALIDATOR_EVIDENCE_H
#define ASSAY_VALIDATOR_EVIDENCE_H

#include "common/arena.h"
#include "io/witness.h"
#include "validator/engine/results.h"

struct assay_evidence_list {
    struct assay_arena arena;
    struct assay_evidence *list;
    struct assay_file_stamp *stamps; /* of each, when it was read; of inode 0: unknown */
    size_t count, room, stamp_room;
    bool out_of_memory;
};

/* The role with this name, a constant; null when there is none. */
const char *assay_evidence_role(const char *name);

/* Adds a file that is about to be read, and reads it if its digest is wanted. A null path is none;
 * a file is added once in a role. */
void assay_evidence_add(struct assay_evidence_list *list, const char *role, const char *path,
                        bool digest);

/* Adds a file that is named and does not exist. */
void assay_evidence_missing(struct assay_evidence_list *list, const char *role, const char *path);

/* Computes the missing digests of files that were added without one, where possible. */
void assay_evidence_digest(struct assay_evidence_list *list);

/* Adds a file that was read under a witness, which has ended. */
void assay_evidence_witnessed(struct assay_evidence_list *list, const char *role, const char *path,
                              const struct assay_witness_report *report);

/* Adds a file of which all is known; its role is not copied. */
void assay_evidence_known(struct assay_evidence_list *list, const struct assay_evidence *entry);

/* Checks which of the files have changed since they were added. */
void assay_evidence_verify(struct assay_evidence_list *list);

/* The report of a witness on a file that is only read for its digest. Errors are those of opening
 * it, and of memory; if the digest cannot be computed, the report says why. */
enum assay_error assay_evidence_of_path(const char *path, struct assay_witness_report *report);

/* Whether none has changed by now; nothing is noted, so that threads may ask. */
bool assay_evidence_current(const struct assay_evidence_list *list);

/* Whether any of them has changed. */
bool assay_evidence_changed(const struct assay_evidence_list *list);

/* Allowed for a list that is zero-initialised. */
void assay_evidence_close(struct assay_evidence_list *list);

#endif
