#include "reports/json_parts.h"

#include <string.h>

static const char prefix[] = "sha256:";

void assay_json_digest(struct assay_json_stream *s, json_t *object, const char *sha256,
                       const char *no_digest, bool changed)
{
    const bool prefixed = strncmp(sha256, prefix, sizeof prefix - 1) == 0;
    assay_json_set(s, object, "sha256",
                   prefixed ? json_string(sha256 + sizeof prefix - 1) : json_null());
    if (no_digest != NULL) {
        assay_json_set(s, object, "digest_error", assay_json_text(no_digest));
    }
    if (changed) {
        assay_json_set(s, object, "changed", json_true());
    }
}

json_t *assay_json_files(struct assay_json_stream *s, const struct assay_input_result *input)
{
    json_t *array = json_array();
    for (size_t i = 0; i < input->file_count; i++) {
        const struct assay_file_result *file = &input->files[i];
        json_t *object = json_object();
        assay_json_set(s, object, "path", assay_json_name(file->path));
        assay_json_digest(s, object, file->sha256, file->no_digest, file->changed);
        assay_json_set(s, object, "bytes", assay_json_count(file->bytes));
        assay_json_append(s, array, object);
    }
    return array;
}

json_t *assay_json_evidence(struct assay_json_stream *s, const struct assay_evidence *list,
                            size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        assay_json_set(s, object, "role", json_string(list[i].role));
        assay_json_set(s, object, "path", assay_json_name(list[i].path));
        assay_json_digest(s, object, list[i].sha256, list[i].no_digest, list[i].changed);
        assay_json_set(s, object, "bytes", assay_json_count(list[i].bytes));
        if (list[i].missing) {
            assay_json_set(s, object, "missing", json_true());
        }
        assay_json_append(s, array, object);
    }
    return array;
}

void assay_json_skipped(struct assay_json_stream *s, const struct assay_results *results)
{
    assay_json_list_begin(s, "skipped");
    for (size_t i = 0; i < results->skipped_count; i++) {
        const enum assay_skip_reason reason = results->skipped[i].reason;
        json_t *object = json_object();
        assay_json_set(s, object, "path", assay_json_name(results->skipped[i].path));
        assay_json_set(s, object, "reason", json_string(assay_skip_reason_name(reason)));
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}
