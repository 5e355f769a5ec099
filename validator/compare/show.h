/* Events as people and reports see them. Private to validator/compare/. */
#ifndef ASSAY_COMPARE_SHOW_H
#define ASSAY_COMPARE_SHOW_H

#include <jansson.h>

#include "validator/compare/events.h"

/* Writes an event, which can be null, with the field that differs, which can be null, too. Where
 * the event has it under `derived` alone, it is taken from there. */
void assay_show_event(struct assay_comparison *c, const json_t *event, const char *field,
                      struct assay_compared_event *shown);

#endif
