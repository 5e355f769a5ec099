/* Decoding ahead: a decoder on its own thread makes blocks while the ones before are judged, as far
 * as its histories allow (model/lead.h). Blocks and errors are the same, in the same order, as
 * those of the decoder itself. The first blocks are made on the thread that judges: a thread costs
 * more than a short input takes. Private to validator/.
 *
 *     ahead = assay_ahead_open()            input.lead = assay_ahead_lead(ahead)
 *     ... open the decoder ...              assay_ahead_begin(ahead, format->decoder, decoder)
 *     assay_ahead_next(ahead, &block, diag) instead of the decoder's `next`
 */
#ifndef ASSAY_VALIDATOR_AHEAD_H
#define ASSAY_VALIDATOR_AHEAD_H

#include "model/lead.h"
#include "model/model.h"

struct assay_ahead;

enum { ASSAY_AHEAD_AFTER = 64 }; /* blocks before the thread is started */

/* Null when memory is out. */
struct assay_ahead *assay_ahead_open(void);

/* For the decoder, which may take it or not. */
struct assay_lead *assay_ahead_lead(struct assay_ahead *ahead);

/* The decoder's blocks are taken here from now on. The thread is started with the request for the
 * block after the first ASSAY_AHEAD_AFTER; from then on only it may use the decoder, until all
 * blocks were taken or the thread has ended. Where there is no thread to be had, all blocks are
 * made without one. False: the decoder has not taken the lead, and none is made ahead. */
bool assay_ahead_begin(struct assay_ahead *ahead, const struct assay_decoder_ops *ops,
                       struct assay_decoder *decoder);

/* Whether the thread is running. */
bool assay_ahead_running(const struct assay_ahead *ahead);

/* As assay_decoder_ops.next: the block is valid until the next one is requested. After an empty
 * block or an error there is no thread any more. */
enum assay_error assay_ahead_next(struct assay_ahead *ahead, struct assay_block *block,
                                  struct assay_diag *diag);

/* Ends the thread, if it runs, after the block that it makes; null allowed. The decoder must still
 * be open. */
void assay_ahead_close(struct assay_ahead *ahead);

#endif
