/* The overview of a stream as JSON, of which only the intervals that have events are written.
 * Private to validator/record/. */
#ifndef ASSAY_VALIDATOR_RECORD_OVERVIEWS_H
#define ASSAY_VALIDATOR_RECORD_OVERVIEWS_H

#include "reports/json_read.h"
#include "reports/json_stream.h"
#include "validator/engine/results.h"

/* Of a stream that has one. */
json_t *assay_overview_write(struct assay_json_stream *s, const struct assay_stream_result *stream);

/* The overview of a stream whose format and events are known already; null for null, or after
 * having noted that the member "overview" is wrong. */
const struct assay_overview *assay_overview_read(struct assay_json_reader *reader,
                                                 const json_t *value,
                                                 const struct assay_stream_result *stream);

#endif
