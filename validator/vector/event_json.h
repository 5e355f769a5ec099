/* Events as JSON Lines, schema assay-events/1. */
#ifndef ASSAY_VALIDATOR_EVENT_JSON_H
#define ASSAY_VALIDATOR_EVENT_JSON_H

#include "io/sink.h"
#include "model/model.h"

/* The first line. `layer` is the layer's name, or null for all. */
void assay_events_head(const struct assay_format *format, const char *layer,
                       struct assay_sink *sink);

/* A line for an event: its position, its fields, and under "derived" what the decoder computed. */
void assay_event_json(const struct assay_format *format, const struct assay_event *event,
                      struct assay_sink *sink);

/* The last line. */
void assay_events_end(uint64_t events, bool complete, struct assay_sink *sink);

#endif
