/* The JSON report: what a shard says for `assay merge`. */
#include <stdlib.h>

#include "reports/json_parts.h"
#include "reports/shard.h"

static json_t *arguments(struct assay_json_stream *s, const struct assay_shard_result *shard)
{
    json_t *array = json_array();
    for (size_t i = 0; i < shard->argument_count; i++) {
        const struct assay_option_used *one = &shard->arguments[i];
        json_t *pair = json_array();
        assay_json_append(s, pair, json_string(one->name));
        if (one->value != NULL) {
            assay_json_append(s, pair, assay_json_name(one->value));
        }
        assay_json_append(s, array, pair);
    }
    return array;
}

/* One after the other: they are too many for memory. */
static enum assay_error put_records(struct assay_json_stream *s, FILE *records)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    rewind(records);
    assay_json_list_begin(s, "records");
    while ((length = getline(&line, &room, records)) > 0) {
        assay_json_list_text(s, line, (size_t)length - 1);
    }
    assay_json_list_end(s);
    const bool failed = ferror(records) != 0 || feof(records) == 0;
    free(line);
    return failed ? ASSAY_READ_FAILED : ASSAY_OK;
}

enum assay_error assay_json_shard(struct assay_json_stream *s, const struct assay_results *results)
{
    const struct assay_shard_result *shard = results->shard;
    if (shard == NULL) {
        return ASSAY_OK;
    }
    assay_json_object_begin(s, "shard");
    assay_json_member(s, "number", assay_json_count(shard->number));
    assay_json_member(s, "of", assay_json_count(shard->of));
    assay_json_member(s, "inputs", assay_json_count(shard->inputs));
    assay_json_member(s, "list", json_string(shard->list));
    assay_json_member(s, "arguments", arguments(s, shard));
    assay_json_member(s, "schema", json_string(shard->schema));
    const enum assay_error error = put_records(s, shard->records);
    assay_json_member(s, "digest", json_string(shard->records_digest));
    assay_json_object_end(s);
    return error;
}
