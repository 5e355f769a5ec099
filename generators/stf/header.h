/* The header record group of a trace that is made of a recorded execution. */
#ifndef ASSAY_GENERATORS_STF_HEADER_H
#define ASSAY_GENERATORS_STF_HEADER_H

#include "execution/execution.h"
#include "generators/stf/from_execution.h"
#include "generators/stf/record.h"

/* From STF_IDENTIFIER to STF_END_HEADER. With `walks` the trace has page table walks. The thread's
 * system-wide id is 0 where it is unknown; the first instruction is at `pc`. */
void stf_put_header(struct stf_recorder *recorder, const struct stf_generate_options *options,
                    const struct assay_execution_header *execution, bool walks, uint64_t system_id,
                    uint64_t pc);

#endif
