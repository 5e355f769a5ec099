/* From a vector to a manifest: what it gives with its trace, in files that a check can read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"
#include "manifest/manifest_write.h"
#include "validator/vector/base.h"
#include "validator/vector/vector.h"

enum { PATH_MOST = 4096, DEPTH_MOST = 8 };

/* --- values --- */

static bool is_plain(const struct assay_yaml *scalar)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !scalar->quoted && scalar->length > 0 && strspn(scalar->text, plain) == scalar->length;
}

static void put_text(struct assay_sink *sink, const char *text)
{
    assay_sink_write(sink, text, strlen(text));
}

static void put_scalar(struct assay_sink *sink, const struct assay_yaml *scalar)
{
    if (is_plain(scalar)) {
        assay_sink_write(sink, scalar->text, scalar->length);
    } else {
        assay_manifest_put_quoted(sink, scalar->text, scalar->length);
    }
}

/* A mapping of scalars and such mappings, in one line. */
static enum assay_error put_map(struct assay_sink *sink, const struct assay_yaml *map,
                                struct assay_diag *diag)
{
    struct {
        const struct assay_yaml *map;
        size_t at;
    } open[DEPTH_MOST] = {{.map = map}};
    size_t depth = 1;
    put_text(sink, "{");
    while (depth > 0) {
        const struct assay_yaml *top = open[depth - 1].map;
        const size_t at = open[depth - 1].at++;
        if (at == top->count) {
            put_text(sink, "}");
            depth--;
            continue;
        }
        const struct assay_yaml *value = top->items[2 * at + 1];
        put_text(sink, at > 0 ? ", " : "");
        put_scalar(sink, top->items[2 * at]);
        put_text(sink, ": ");
        if (value->type == ASSAY_YAML_SCALAR) {
            put_scalar(sink, value);
        } else if (value->type == ASSAY_YAML_MAP && depth < DEPTH_MOST) {
            open[depth].map = value;
            open[depth++].at = 0;
            put_text(sink, "{");
        } else {
            return assay_yaml_fail(value, diag, ASSAY_UNSUPPORTED,
                                   "a manifest cannot hold this value");
        }
    }
    return sink->error;
}

/* Beginning of a line: what is said of a stream of the list is indented. */
static void put_key(struct assay_sink *sink, const char *indent, const char *key)
{
    put_text(sink, indent);
    put_text(sink, key);
    put_text(sink, ":");
}

static enum assay_error put_table(struct assay_sink *sink, const char *indent, const char *key,
                                  const struct assay_yaml *map, struct assay_diag *diag)
{
    if (map == NULL || map->count == 0) {
        return ASSAY_OK;
    }
    put_key(sink, indent, key);
    put_text(sink, " ");
    const enum assay_error error = put_map(sink, map, diag);
    put_text(sink, "\n");
    return error;
}

/* --- files --- */

/* Writes the bytes of a part of the image to a file of their own. */
static enum assay_error write_part(const struct assay_yaml *part, const char *path,
                                   struct assay_diag *diag)
{
    const struct assay_yaml *hex = assay_yaml_get(part, "hex");
    uint8_t *bytes = malloc(hex->length / 2 + 1);
    struct assay_sink sink;
    size_t size = 0;
    if (bytes == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    assay_hex_bytes(hex->text, hex->length, bytes, &size); /* it was when the vector was read */
    enum assay_error error = assay_sink_replace(&sink, path, diag);
    if (error == ASSAY_OK) {
        for (size_t i = 0; i < assay_vector_repeat(part); i++) {
            assay_sink_write(&sink, bytes, size);
        }
        error = assay_sink_close(&sink, diag);
    }
    free(bytes);
    return error;
}

/* What a file beside the manifest is called: NAME.image-0 for NAME.assay.yaml; NAME.0x10.image-0 of
 * a stream. */
struct beside {
    const char *manifest;
    const struct assay_vector_stream *stream; /* null: of the input itself */
};

static enum assay_error name_file(const struct beside *beside, const char *what,
                                  char path[PATH_MOST], struct assay_diag *diag)
{
    const size_t stem = strlen(beside->manifest) - strlen(".assay.yaml");
    char id[16] = "";
    if (beside->stream != NULL) {
        snprintf(id, sizeof id, ".0x%" PRIx32, beside->stream->id);
    }
    const int length =
        snprintf(path, PATH_MOST, "%.*s%s.%s", (int)stem, beside->manifest, id, what);
    return length >= 0 && length < PATH_MOST
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the manifest's name is too long");
}

static enum assay_error put_part(struct assay_sink *sink, const struct beside *beside,
                                 const struct assay_yaml *part, size_t number,
                                 struct assay_diag *diag)
{
    char path[PATH_MOST];
    char what[32];
    snprintf(what, sizeof what, "image-%zu", number);
    enum assay_error error = name_file(beside, what, path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    put_text(sink, "  - {file: ");
    error = assay_manifest_put_name(sink, beside->manifest, path, diag);
    put_text(sink, ", kind: raw");
    for (size_t i = 0; i < part->count; i++) {
        const struct assay_yaml *key = part->items[2 * i];
        if (!assay_yaml_is(key, "hex") && !assay_yaml_is(key, "asm") &&
            !assay_yaml_is(key, "repeat")) {
            put_text(sink, ", ");
            put_scalar(sink, key);
            put_text(sink, ": ");
            put_scalar(sink, part->items[2 * i + 1]);
        }
    }
    put_text(sink, "}\n");
    return error != ASSAY_OK ? error : write_part(part, path, diag);
}

static enum assay_error put_images(struct assay_sink *sink, const char *indent,
                                   const struct beside *beside, const struct assay_vector *vector,
                                   struct assay_diag *diag)
{
    const struct assay_yaml *image = assay_vector_inherited(vector, "image");
    enum assay_error error = ASSAY_OK;
    if (image != NULL && image->count > 0) {
        put_key(sink, indent, "images");
        put_text(sink, "\n");
    }
    for (size_t i = 0; image != NULL && i < image->count && error == ASSAY_OK; i++) {
        put_text(sink, indent);
        error = put_part(sink, beside, image->items[i], i, diag);
    }
    return error;
}

/* --- the input and its streams --- */

/* What is said of a stream, or of an input that is one. */
static enum assay_error put_content(struct assay_sink *sink, const char *indent,
                                    const struct beside *beside, const struct assay_vector *vector,
                                    const char *execution, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    put_key(sink, indent, "format");
    assay_sink_printf(sink, " %s\n", vector->format->name);
    if (vector->profile != 0) {
        put_key(sink, indent, "profile");
        assay_sink_printf(sink, " %s\n", vector->format->profiles[vector->profile - 1].name);
    }
    if (vector->framing != ASSAY_FRAMING_RAW) {
        put_key(sink, indent, "framing");
        assay_sink_printf(sink, " %s\n", assay_framing_name((enum assay_framing)vector->framing));
    }
    if (execution != NULL) {
        put_key(sink, indent, "execution");
        put_text(sink, " ");
        error = assay_manifest_put_name(sink, beside->manifest, execution, diag);
        put_text(sink, "\n");
    }
    error = error != ASSAY_OK ? error : put_table(sink, indent, "config", vector->config, diag);
    const struct assay_yaml *facts = assay_vector_inherited(vector, "facts");
    error = error != ASSAY_OK ? error : put_table(sink, indent, "facts", facts, diag);
    return error != ASSAY_OK ? error : put_images(sink, indent, beside, vector, diag);
}

static enum assay_error write_execution(const struct assay_vector *vector, const char *path,
                                        struct assay_diag *diag)
{
    struct assay_sink sink;
    enum assay_error error = assay_sink_open(&sink, path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_vector_execution(vector, &sink, diag);
    const enum assay_error closed = assay_sink_close(&sink, error == ASSAY_OK ? diag : NULL);
    return error != ASSAY_OK ? error : closed;
}

static enum assay_error put_stream(struct assay_sink *sink, const struct beside *beside,
                                   struct assay_diag *diag)
{
    const struct assay_vector *content = &beside->stream->vector;
    char execution[PATH_MOST];
    enum assay_error error = ASSAY_OK;
    if (content->execution != NULL) {
        error = name_file(beside, "execution", execution, diag);
        error = error != ASSAY_OK ? error : write_execution(content, execution, diag);
    }
    assay_sink_printf(sink, "  - id: 0x%" PRIx32 "\n", beside->stream->id);
    return error != ASSAY_OK ? error
                             : put_content(sink, "    ", beside, content,
                                           content->execution != NULL ? execution : NULL, diag);
}

/* Streams of which nothing is known are left out. */
static enum assay_error put_streams(struct assay_sink *sink, const struct assay_vector *vector,
                                    const char *manifest, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    bool any = false;
    for (size_t i = 0; i < vector->stream_count && error == ASSAY_OK; i++) {
        const struct beside beside = {.manifest = manifest, .stream = &vector->streams[i]};
        if (beside.stream->vector.format != NULL) {
            put_text(sink, any ? "" : "streams:\n");
            any = true;
            error = put_stream(sink, &beside, diag);
        }
    }
    return error;
}

static enum assay_error put_manifest(struct assay_sink *sink, const struct assay_vector *vector,
                                     const char *manifest, const char *trace, const char *execution,
                                     struct assay_diag *diag)
{
    const struct beside beside = {.manifest = manifest};
    put_text(sink, "manifest: 1\ndata: [");
    enum assay_error error = assay_manifest_put_name(sink, manifest, trace, diag);
    put_text(sink, "]\n");
    error = error != ASSAY_OK ? error : put_content(sink, "", &beside, vector, execution, diag);
    return error != ASSAY_OK ? error : put_streams(sink, vector, manifest, diag);
}

enum assay_error assay_vector_manifest(const struct assay_vector *vector, const char *manifest,
                                       const char *trace, const char *execution,
                                       struct assay_diag *diag)
{
    struct assay_sink sink;
    if (!assay_is_manifest(manifest)) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "the name of a manifest ends in .assay.yaml");
    }
    enum assay_error error = assay_sink_replace(&sink, manifest, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = put_manifest(&sink, vector, manifest, trace, execution, diag);
    if (error != ASSAY_OK) {
        assay_sink_discard(&sink);
        return error;
    }
    return assay_sink_close(&sink, diag);
}
