/* The format of an input by its magic. */
#include <string.h>

#include "common/describe.h"
#include "common/filter.h"
#include "common/source.h"
#include "execution/execution_format.h"
#include "validator/engine/check.h"

enum { PROBE_BYTES = 64, SHOWN_BYTES = 4 };

static const struct assay_format *probe_formats(struct assay_source *source, bool compressed)
{
    const uint8_t *data;
    size_t have;
    assay_source_peek(source, PROBE_BYTES, &data, &have);
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        if ((assay_formats[i]->stored_compressed || !compressed) &&
            assay_formats[i]->probe(data, have)) {
            return assay_formats[i];
        }
    }
    return NULL;
}

/* What a compressed input holds, from what can be decompressed of its beginning. */
static const struct assay_format *probe_compressed(struct assay_source *source)
{
    const enum assay_container container = assay_container_probe(source);
    const struct assay_format *format = NULL;
    struct assay_source *beginning = NULL;
    const uint8_t *data;
    size_t have;
    if (container == ASSAY_CONTAINER_UNKNOWN) {
        return NULL;
    }
    assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have);
    if (assay_source_memory(data, have, &beginning) == ASSAY_OK &&
        assay_filter_open(beginning, container, false, &beginning, NULL) == ASSAY_OK) {
        format = probe_formats(beginning, true);
        assay_source_close(beginning);
    }
    return format;
}

const struct assay_format *assay_detect_format(struct assay_source *source)
{
    const struct assay_format *format = probe_formats(source, false);
    return format != NULL ? format : probe_compressed(source);
}

enum assay_error assay_explain_unknown(struct assay_source *source, struct assay_diag *diag)
{
    const uint8_t *data;
    size_t have;
    const enum assay_error error = assay_source_peek(source, PROBE_BYTES, &data, &have);
    if (have == 0 && error != ASSAY_OK) {
        struct assay_source_status status;
        assay_source_status(source, &status);
        return assay_fail(diag, error, 0, "%s", status.detail);
    }
    if (have == 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_FORMAT, 0, "the input is empty");
    }
    if (have >= ASSAY_EXECUTION_NAME_SIZE &&
        memcmp(data, ASSAY_EXECUTION_NAME, ASSAY_EXECUTION_NAME_SIZE) == 0) {
        assay_fail(diag, ASSAY_UNKNOWN_FORMAT, 0, "the input is a recorded execution, not a trace");
        assay_diag_hint(diag, "--execution FILE has a trace compared with it");
        return ASSAY_UNKNOWN_FORMAT;
    }
    char first[16] = "";
    for (size_t i = 0; i < have && i < SHOWN_BYTES; i++) {
        assay_append(first, sizeof first, "%s%02x", i > 0 ? " " : "", data[i]);
    }
    assay_fail(diag, ASSAY_UNKNOWN_FORMAT, 0,
               "the input begins with %s, which is no format's magic", first);
    assay_diag_hint(diag, "--format says what it is meant to be");
    return ASSAY_UNKNOWN_FORMAT;
}
