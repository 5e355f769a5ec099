/* Tells the listener of a run what is found (assay_check_options.found). Private to validator/. */
#ifndef ASSAY_VALIDATOR_LISTENER_H
#define ASSAY_VALIDATOR_LISTENER_H

#include "validator/engine/input.h"

/* As the session of an input has it called: `context` is the run of the input. */
void assay_listener_found(void *context, const struct assay_session *session,
                          const struct assay_catalogue *catalogue,
                          const struct assay_finding *finding);

/* Tells what was found in a carried stream, now that its places are known. */
void assay_listener_carried(const struct assay_input_run *run, const struct assay_session *session,
                            const struct assay_places *places);

#endif
