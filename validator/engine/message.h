/* The message of a finding. Private to validator/. */
#ifndef ASSAY_VALIDATOR_MESSAGE_H
#define ASSAY_VALIDATOR_MESSAGE_H

#include "common/arena.h"
#include "validator/engine/judge.h"

/* The most characters of a line about an event, or of a message, with the final null. */
enum { ASSAY_LINE = 400 };

/* What a rule says when these leaves violate it; null when the arena has no memory left. */
char *assay_message(struct assay_arena *arena, const struct assay_catalogue *catalogue,
                    const struct assay_rule *rule, const uint64_t *leaves);

#endif
