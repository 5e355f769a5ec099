#include "validator/vector/streams.h"

static const char *const stream_keys[] = {
    "id",        "format",   "base",  "with",     "fails",   "passes", "silent", "events",
    "refuses",   "conforms", "why",   "violates", "config",  "image",  "facts",  "interpret",
    "execution", "trace",    "after", "profile",  "framing", NULL};

static enum assay_error read_id(const struct assay_vector *vector, const struct assay_yaml *map,
                                uint32_t *id, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, "id");
    uint64_t number = 0;
    if (!assay_yaml_u64(node, &number) || number > UINT32_MAX) {
        return assay_yaml_fail(node != NULL ? node : map, diag, ASSAY_WRONG_TYPE,
                               "a stream has an \"id\", a number of at most 32 bits");
    }
    for (size_t i = 0; i < vector->stream_count; i++) {
        if (vector->streams[i].id == number) {
            return assay_yaml_fail(node, diag, ASSAY_DUPLICATE, "two streams have this id");
        }
    }
    *id = (uint32_t)number;
    return ASSAY_OK;
}

/* Reads what there is besides the id. */
static enum assay_error read_content(struct assay_vector_stream *stream,
                                     const struct assay_vector_files *files,
                                     struct assay_diag *diag)
{
    struct assay_vector *content = &stream->vector;
    const enum assay_error error = assay_vector_read_content(content, files, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (content->format->carrier != NULL) {
        return assay_yaml_fail(content->file.root, diag, ASSAY_UNSUPPORTED,
                               "a stream of a capture is not a capture itself");
    }
    if (content->trace == NULL && content->after != NULL) {
        return assay_yaml_fail(
            content->after, diag, ASSAY_SYNTAX,
            "\"after\" changes the bytes of a \"trace\", which the stream lacks");
    }
    return ASSAY_OK;
}

static enum assay_error read_stream(struct assay_vector *vector, struct assay_yaml *map,
                                    const struct assay_vector_files *files, struct assay_diag *diag)
{
    struct assay_vector_stream *stream = &vector->streams[vector->stream_count];
    enum assay_error error = assay_yaml_only(map, stream_keys, diag);
    error = error != ASSAY_OK ? error : read_id(vector, map, &stream->id, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    vector->stream_count++; /* from here on it is freed with the vector */
    stream->vector.file = (struct assay_yaml_file){.path = vector->file.path, .root = map};
    stream->vector.why = "";
    stream->vector.source_id = stream->id;
    if (map->count > 1) {
        error = read_content(stream, files, diag);
    }
    struct assay_stream_setup *setup = &vector->setups[vector->stream_count - 1];
    *setup = assay_vector_input(&stream->vector, vector->file.path).setup;
    setup->has_id = true;
    setup->id = stream->id;
    return error;
}

enum assay_error assay_vector_read_streams(struct assay_vector *vector,
                                           const struct assay_vector_files *files,
                                           struct assay_diag *diag)
{
    const struct assay_yaml *list = assay_yaml_get(vector->file.root, "streams");
    enum assay_error error = ASSAY_OK;
    if (list == NULL) {
        return ASSAY_OK;
    }
    if (vector->format->carrier == NULL) {
        return assay_yaml_fail(list, diag, ASSAY_UNSUPPORTED, "a trace of %s carries no streams",
                               vector->format->name);
    }
    if (list->type != ASSAY_YAML_LIST || list->count == 0 ||
        list->count > ASSAY_VECTOR_MAX_STREAMS) {
        return assay_yaml_fail(list, diag, ASSAY_WRONG_TYPE,
                               "\"streams\" is a list of 1 to %d streams {id: 0x10, ...}",
                               ASSAY_VECTOR_MAX_STREAMS);
    }
    if (vector->execution != NULL) {
        return assay_yaml_fail(vector->execution, diag, ASSAY_UNSUPPORTED,
                               "each stream of a capture has an \"execution\" of its own");
    }
    vector->streams = assay_arena_take(&vector->memory, list->count * sizeof *vector->streams);
    vector->setups = assay_arena_take(&vector->memory, list->count * sizeof *vector->setups);
    if (vector->streams == NULL || vector->setups == NULL) {
        return assay_yaml_fail(list, diag, ASSAY_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < list->count && error == ASSAY_OK; i++) {
        error = read_stream(vector, list->items[i], files, diag);
    }
    return error;
}
