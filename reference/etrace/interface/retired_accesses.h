/* The accesses of the record of the interface in the order of retirement, those of loads that are
 * split with their responses, which come later (4.3). */
#ifndef ASSAY_ETRACE_RETIRED_ACCESSES_H
#define ASSAY_ETRACE_RETIRED_ACCESSES_H

#include "etrace/interface/data_signals.h"

struct etrace_retired_accesses;

/* As etrace_signalled_open. */
enum assay_error etrace_retired_accesses_open(const struct assay_decode_input *input,
                                              struct etrace_retired_accesses **accesses,
                                              struct assay_diag *diag);
void etrace_retired_accesses_close(struct etrace_retired_accesses *accesses);

/* False: the record has no other. */
bool etrace_retired_accesses_next(struct etrace_retired_accesses *accesses,
                                  struct etrace_access *access);

#endif
