/* From a vector to a manifest: what it gives with its trace, in files that a check can read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"
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

static void put_quoted(struct assay_sink *sink, const char *text, size_t length)
{
    put_text(sink, "\"");
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        char escaped[8];
        const bool bare = c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
        snprintf(escaped, sizeof escaped, bare ? "%c" : "\\x%02x", c);
        put_text(sink, escaped);
    }
    put_text(sink, "\"");
}

static void put_scalar(struct assay_sink *sink, const struct assay_yaml *scalar)
{
    if (is_plain(scalar)) {
        assay_sink_write(sink, scalar->text, scalar->length);
    } else {
        put_quoted(sink, scalar->text, scalar->length);
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

static enum assay_error put_table(struct assay_sink *sink, const char *key,
                                  const struct assay_yaml *map, struct assay_diag *diag)
{
    if (map == NULL || map->count == 0) {
        return ASSAY_OK;
    }
    put_text(sink, key);
    put_text(sink, ": ");
    const enum assay_error error = put_map(sink, map, diag);
    put_text(sink, "\n");
    return error;
}

/* --- files --- */

/* The name of a file relative to the folder of the manifest; null when it is not below it. */
static const char *relative(const char *manifest, const char *path)
{
    const char *slash = strrchr(manifest, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - manifest) : 0;
    const bool is_file = strcmp(path, "-") != 0;
    const bool below = folder == 0 ? path[0] != '/' : strncmp(path, manifest, folder) == 0;
    return is_file && below && strncmp(path + folder, "../", 3) != 0 ? path + folder : NULL;
}

static enum assay_error put_name(struct assay_sink *sink, const char *manifest, const char *path,
                                 struct assay_diag *diag)
{
    const char *name = relative(manifest, path);
    if (name == NULL) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "%s is not in the folder of the manifest", path);
    }
    put_quoted(sink, name, strlen(name));
    return ASSAY_OK;
}

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
        assay_sink_write(&sink, bytes, size);
        error = assay_sink_close(&sink, diag);
    }
    free(bytes);
    return error;
}

static enum assay_error put_part(struct assay_sink *sink, const char *manifest,
                                 const struct assay_yaml *part, size_t number,
                                 struct assay_diag *diag)
{
    char path[PATH_MOST];
    const size_t stem = strlen(manifest) - strlen(".assay.yaml");
    const int length = snprintf(path, sizeof path, "%.*s.image-%zu", (int)stem, manifest, number);
    if (length < 0 || (size_t)length >= sizeof path) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the manifest's name is too long");
    }
    put_text(sink, "  - {file: ");
    enum assay_error error = put_name(sink, manifest, path, diag);
    put_text(sink, ", kind: raw");
    for (size_t i = 0; i < part->count; i++) {
        const struct assay_yaml *key = part->items[2 * i];
        if (!assay_yaml_is(key, "hex") && !assay_yaml_is(key, "asm")) {
            put_text(sink, ", ");
            put_scalar(sink, key);
            put_text(sink, ": ");
            put_scalar(sink, part->items[2 * i + 1]);
        }
    }
    put_text(sink, "}\n");
    return error != ASSAY_OK ? error : write_part(part, path, diag);
}

static enum assay_error put_images(struct assay_sink *sink, const char *manifest,
                                   const struct assay_vector *vector, struct assay_diag *diag)
{
    const struct assay_yaml *image = assay_vector_inherited(vector, "image");
    enum assay_error error = ASSAY_OK;
    if (image != NULL && image->count > 0) {
        put_text(sink, "images:\n");
    }
    for (size_t i = 0; image != NULL && i < image->count && error == ASSAY_OK; i++) {
        error = put_part(sink, manifest, image->items[i], i, diag);
    }
    return error;
}

static enum assay_error put_manifest(struct assay_sink *sink, const struct assay_vector *vector,
                                     const char *manifest, const char *trace, const char *execution,
                                     struct assay_diag *diag)
{
    put_text(sink, "manifest: 1\nformat: ");
    put_text(sink, vector->format->name);
    if (vector->profile != 0) {
        put_text(sink, "\nprofile: ");
        put_text(sink, vector->format->profiles[vector->profile - 1].name);
    }
    if (vector->framing != ASSAY_FRAMING_RAW) {
        put_text(sink, "\nframing: ");
        put_text(sink, assay_framing_name((enum assay_framing)vector->framing));
    }
    put_text(sink, "\ndata: [");
    enum assay_error error = put_name(sink, manifest, trace, diag);
    put_text(sink, "]\n");
    if (error == ASSAY_OK && execution != NULL) {
        put_text(sink, "execution: ");
        error = put_name(sink, manifest, execution, diag);
        put_text(sink, "\n");
    }
    error = error != ASSAY_OK ? error : put_table(sink, "config", vector->config, diag);
    const struct assay_yaml *facts = assay_vector_inherited(vector, "facts");
    error = error != ASSAY_OK ? error : put_table(sink, "facts", facts, diag);
    return error != ASSAY_OK ? error : put_images(sink, manifest, vector, diag);
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
