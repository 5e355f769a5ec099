/* The accesses of the record of the interface in the order of retirement, those of loads that are
 * split with their responses, which come later (4.3). */
#ifndef ASSAY_ETRACE_ANSWERED_H
#define ASSAY_ETRACE_ANSWERED_H

#include "etrace/signalled.h"

struct etrace_answered;

/* As etrace_signalled_open. */
enum assay_error etrace_answered_open(const struct assay_decode_input *input,
                                      struct etrace_answered **answered, struct assay_diag *diag);
void etrace_answered_close(struct etrace_answered *answered);

/* False: the record has no other. */
bool etrace_answered_next(struct etrace_answered *answered, struct etrace_access *access);

#endif
