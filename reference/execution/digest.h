/* The digest of what was executed: recordings of the same execution have the same one, whoever
 * recorded it, and when. Docs: docs/workloads.md, "The reference". */
#ifndef ASSAY_EXECUTION_DIGEST_H
#define ASSAY_EXECUTION_DIGEST_H

#include "execution/execution.h"
#include "io/digest.h"

/* SHA-256 over the instruction set, whether it is of a machine, and of each item, in the order of
 * the file, its kind and what the kind names: of an instruction its address, word and accesses with
 * their contents; of a trap where to, cause, value and status. Left out are times, offsets, the
 * system's numbers of processes and threads, and the names in the header. */
struct assay_execution_digest {
    struct assay_digest digest; /* private */
};

/* The most bytes of an item. */
enum { ASSAY_EXECUTION_ITEM = 8 * (8 + 5 * ASSAY_EXECUTION_ACCESSES_MAX) };

/* What the digest is over, of one item: items with the same bytes are the same. Returns how many.
 */
size_t assay_execution_item_bytes(const struct assay_executed *item,
                                  uint8_t bytes[ASSAY_EXECUTION_ITEM]);

void assay_execution_digest_begin(struct assay_execution_digest *digest,
                                  const struct assay_execution_header *header);

/* Adds an item, the end among them. */
void assay_execution_digest_add(struct assay_execution_digest *digest,
                                const struct assay_executed *item);

/* Errors as of assay_digest_end. */
enum assay_error assay_execution_digest_end(struct assay_execution_digest *digest,
                                            char text[ASSAY_DIGEST_TEXT]);

#endif
