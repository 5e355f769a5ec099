/* The verdicts of a stream as a short text: "512.3p20n". Private to validator/record/. */
#ifndef ASSAY_VALIDATOR_RECORD_VERDICTS_H
#define ASSAY_VALIDATOR_RECORD_VERDICTS_H

#include "io/sink.h"

/* `verdicts` has enum assay_verdict for each of `count` rules, or ASSAY_VERDICT_COUNT. */
void assay_verdicts_pack(const uint8_t *verdicts, size_t count, struct assay_sink *sink);

/* False unless the text is of just so many rules. */
bool assay_verdicts_unpack(const char *text, uint8_t *verdicts, size_t count);

#endif
