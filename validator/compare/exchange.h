/* What a decoder is asked, and what it answers, by pipes. Private to validator/compare/. */
#ifndef ASSAY_COMPARE_EXCHANGE_H
#define ASSAY_COMPARE_EXCHANGE_H

#include "validator/compare/process.h"

/* Bytes of the line that ends an answer, at the most. */
enum { ASSAY_EXCHANGE_END_LINE = 4096 };

/* Writes a question, and reads the answer up to the line of the end, both outputs being closed, the
 * end of the decoder's time or room, or a stop: run->end, EXITED where the outputs are closed. A
 * null question asks nothing, and the answer ends with the outputs. run->output is open; *left is
 * what remains of the time, in milliseconds. Errors are of the system. */
enum assay_error assay_exchange(struct assay_process *process,
                                const struct assay_decoder_command *decoder, const char *question,
                                struct assay_decoder_run *run, int64_t *left,
                                struct assay_diag *diag);

/* Whether the decoder has written something that was not read, or closed its output. */
bool assay_exchange_pending(const struct assay_process *process);

#endif
