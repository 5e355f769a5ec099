/* The format of an input by its magic. */
#include <string.h>

#include "execution/execution_format.h"
#include "io/filter.h"
#include "io/source.h"
#include "model/describe.h"
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

/* The beginning of a compressed input, decompressed; null where it is not compressed. */
static enum assay_error open_beginning(struct assay_source *source, struct assay_source **beginning)
{
    const enum assay_container container = assay_container_probe(source);
    struct assay_source *stored = NULL;
    const uint8_t *data;
    size_t have;
    *beginning = NULL;
    if (container == ASSAY_CONTAINER_UNKNOWN) {
        return ASSAY_OK;
    }
    assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have);
    const enum assay_error error = assay_source_memory(data, have, &stored);
    return error != ASSAY_OK ? error : assay_filter_open(stored, container, false, beginning, NULL);
}

/* Why nothing of a compressed input can be decompressed: it needs more memory than the limit, or an
 * option of its library, or it is cut or damaged before its first block ends. False where that is
 * not so. */
static bool explain_compressed(struct assay_source *source, struct assay_diag *diag)
{
    struct assay_source *beginning = NULL;
    struct assay_source_status status = {.fault = ASSAY_OK};
    const uint8_t *data;
    size_t have = 0;
    if (open_beginning(source, &beginning) == ASSAY_OK && beginning != NULL) {
        assay_source_peek(beginning, PROBE_BYTES, &data, &have);
        assay_source_status(beginning, &status);
    }
    const bool nothing = have == 0 && status.fault != ASSAY_OK;
    if (nothing && (status.fault == ASSAY_LIMIT || status.fault == ASSAY_UNSUPPORTED)) {
        assay_fail(diag, ASSAY_UNKNOWN_FORMAT, 0, "%s", status.detail);
        assay_diag_hint(diag, "decompress it first");
    } else if (nothing) {
        assay_fail(diag, ASSAY_UNKNOWN_FORMAT, 0, "nothing of it can be decompressed: %s",
                   status.detail);
        assay_diag_hint(diag, "the file is cut or damaged at its beginning");
    }
    assay_source_close(beginning);
    return nothing;
}

/* What a compressed input holds, from what can be decompressed of its beginning. */
static enum assay_error probe_compressed(struct assay_source *source,
                                         const struct assay_format **format)
{
    struct assay_source *beginning = NULL;
    struct assay_source_status status;
    const enum assay_error error = open_beginning(source, &beginning);
    if (error != ASSAY_OK || beginning == NULL) {
        return error;
    }
    *format = probe_formats(beginning, true);
    assay_source_status(beginning, &status);
    assay_source_close(beginning);
    return *format == NULL && status.fault == ASSAY_NO_MEMORY ? ASSAY_NO_MEMORY : ASSAY_OK;
}

enum assay_error assay_detect_format(struct assay_source *source,
                                     const struct assay_format **format)
{
    *format = probe_formats(source, false);
    return *format != NULL ? ASSAY_OK : probe_compressed(source, format);
}

/* What to do with what is no trace, but begins like something that comes with traces. */
static const char *advice(const uint8_t *data, size_t size)
{
    static const struct {
        const char *magic;
        const char *advice;
    } known[] = {
        {"PK\x03\x04", "an archive with a snapshot is taken by its name: a file called .zip"},
        {"\x1f\x8b", "it is compressed: decompress it first"},
        {"\3757zXZ", "it is compressed: decompress it first"},
        {"\x28\xb5\x2f\xfd", "it is compressed: decompress it first"},
        {"BZh", "it is compressed: decompress it first"},
        {"\177ELF", "a program that was traced is given by --image"},
        {"PERFILE2",
         "what perf recorded is not read: docs/examples/perf/extract.py makes traces of it"},
        {"[", "a file of a snapshot is judged with the others: name snapshot.ini, or its folder"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].magic);
        if (size >= length && memcmp(data, known[i].magic, length) == 0) {
            return known[i].advice;
        }
    }
    return "--format says what it is meant to be, --framing coresight that it is in frames";
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
    if (have > 0 && explain_compressed(source, diag)) {
        return ASSAY_UNKNOWN_FORMAT;
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
    assay_diag_hint(diag, "%s", advice(data, have));
    return ASSAY_UNKNOWN_FORMAT;
}
