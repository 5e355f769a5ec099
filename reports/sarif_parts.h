/* The parts of the SARIF report. Private to reports/. */
#ifndef ASSAY_REPORTS_SARIF_PARTS_H
#define ASSAY_REPORTS_SARIF_PARTS_H

#include "reports/fingerprint.h"
#include "reports/json_parts.h"

struct assay_sarif {
    const struct assay_results *results;
    const char *rule_pages; /* as of the style */
    struct assay_json_stream stream;
    size_t *rules;     /* of each rule of the results: its place in the list; SIZE_MAX: it has none
                        */
    size_t *artifacts; /* of each input: its place in the list; its files follow it */
    struct assay_fingerprints fingerprints;
    size_t written; /* results so far */
    bool all;       /* what is no violation is a result, too */
};

/* "error", "warning" or "note" */
json_t *assay_sarif_level(const struct assay_rule *rule);

/* {"text": ...} */
json_t *assay_sarif_message(struct assay_json_stream *stream, const char *text);

/* The member `rules` of the driver: the rules by which something was judged, or was to be. */
void assay_sarif_rules(struct assay_sarif *sarif);

/* The member `artifacts`: inputs and their files, and what options name. */
void assay_sarif_artifacts(struct assay_sarif *sarif);

/* The place of an input, or of a finding. */
json_t *assay_sarif_input_location(struct assay_sarif *sarif, size_t input);
json_t *assay_sarif_location(struct assay_sarif *sarif, const struct assay_found *found);

#endif
