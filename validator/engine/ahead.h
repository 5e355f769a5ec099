/* Blocks of events from a decoder, which may work ahead on a thread of its own while the blocks
 * before are judged. Private to validator/. */
#ifndef ASSAY_VALIDATOR_AHEAD_H
#define ASSAY_VALIDATOR_AHEAD_H

#include "common/model.h"

struct assay_ahead;

/* The decoder stays the caller's, who must not use it until this is closed. With `threaded`, which
 * asks for a decoder that keeps its blocks, it works ahead; if no thread can be had it does not.
 * ASSAY_NO_MEMORY is the only error. */
enum assay_error assay_ahead_open(const struct assay_decoder_ops *ops,
                                  struct assay_decoder *decoder, bool threaded,
                                  struct assay_ahead **ahead);

/* As assay_decoder_ops.next; the block is valid until the next call. */
enum assay_error assay_ahead_next(struct assay_ahead *ahead, struct assay_block *block,
                                  struct assay_diag *diag);

/* Stops the thread, wherever it is in the input. */
void assay_ahead_close(struct assay_ahead *ahead);

#endif
