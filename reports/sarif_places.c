/* Files, and places in them, in the SARIF report. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/sarif_parts.h"

/* --- files --- */

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~/", c) != NULL);
}

static void put_encoded(struct assay_sink *sink, const char *path, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (is_unreserved(path[i])) {
            assay_sink_write(sink, &path[i], 1);
        } else {
            assay_sink_printf(sink, "%%%02X", (unsigned)(unsigned char)path[i]);
        }
    }
}

/* The URI of a path, which is relative to the folder that another file is in (null: to the one that
 * the program runs in). Bytes are percent-encoded, whatever characters they are of. */
static json_t *uri_of(const char *beside, const char *path)
{
    const char *slash = beside != NULL && path[0] != '/' ? strrchr(beside, '/') : NULL;
    const char *parts[] = {slash != NULL ? beside : path, path};
    const size_t sizes[] = {slash != NULL ? (size_t)(slash - beside) + 1 : 0, strlen(path)};
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assay_sink_text(&sink, parts[0][0] == '/' ? "file://" : "");
    for (size_t i = 0; i < 2; i++) {
        const bool here = strncmp(parts[i], "./", 2) == 0 && sizes[i] > 2;
        put_encoded(&sink, parts[i] + (here ? 2 : 0), sizes[i] - (here ? 2 : 0));
    }
    json_t *uri = sink.error == ASSAY_OK ? json_stringn((const char *)sink.data, sink.size) : NULL;
    assay_sink_close(&sink, NULL);
    return uri;
}

static json_t *artifact_location(struct assay_json_stream *s, const char *beside, const char *path)
{
    json_t *object = json_object();
    if (strcmp(path, "-") == 0) {
        assay_json_set(s, object, "description", assay_sarif_message(s, "standard input"));
    } else {
        assay_json_set(s, object, "uri", uri_of(beside, path));
    }
    return object;
}

static void put_artifact(struct assay_json_stream *s, json_t *location, uint64_t bytes,
                         const char *sha256, const char *no_digest, const char *role)
{
    static const char prefix[] = "sha256:";
    json_t *object = json_object();
    assay_json_set(s, object, "location", location);
    assay_json_set(s, object, "length", json_integer((json_int_t)bytes));
    assay_json_set(s, object, "roles", json_pack("[s]", role));
    if (strncmp(sha256, prefix, sizeof prefix - 1) == 0) {
        assay_json_set(s, object, "hashes",
                       json_pack("{s: s}", "sha-256", sha256 + sizeof prefix - 1));
    }
    if (no_digest != NULL) {
        char text[256];
        snprintf(text, sizeof text, "no SHA-256: %s", no_digest);
        assay_json_set(s, object, "description", assay_sarif_message(s, text));
    }
    assay_json_list_item(s, object);
}

void assay_sarif_artifacts(struct assay_sarif *sarif)
{
    static const char *const target = "analysisTarget";
    const struct assay_results *results = sarif->results;
    struct assay_json_stream *s = &sarif->stream;
    assay_json_list_begin(s, "artifacts");
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        put_artifact(s, artifact_location(s, NULL, input->path), input->bytes, input->sha256,
                     input->no_digest, target);
        for (size_t n = 0; n < input->file_count; n++) {
            const struct assay_file_result *file = &input->files[n];
            put_artifact(s, artifact_location(s, input->path, file->path), file->bytes,
                         file->sha256, file->no_digest, target);
        }
    }
    for (size_t i = 0; i < results->evidence_count; i++) {
        const struct assay_evidence *file = &results->evidence[i];
        put_artifact(s, artifact_location(s, NULL, file->path), file->bytes, file->sha256,
                     file->no_digest, "userSpecifiedConfiguration");
    }
    assay_json_list_end(s);
}

/* --- places --- */

/* The file of an input, by its number from 1 on; 0: the input itself. */
static json_t *file_of(struct assay_sarif *sarif, size_t input, size_t file)
{
    const struct assay_input_result *of = &sarif->results->inputs[input];
    struct assay_json_stream *s = &sarif->stream;
    json_t *object = file > 0 ? artifact_location(s, of->path, of->files[file - 1].path)
                              : artifact_location(s, NULL, of->path);
    assay_json_set(s, object, "index", json_integer((json_int_t)(sarif->artifacts[input] + file)));
    return object;
}

json_t *assay_sarif_input_location(struct assay_sarif *sarif, size_t input)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *place = json_object();
    json_t *location = json_object();
    assay_json_set(s, place, "artifactLocation", file_of(sarif, input, 0));
    assay_json_set(s, location, "physicalLocation", place);
    return location;
}

/* Where the event is among those of its stream. */
static json_t *logical_location(struct assay_json_stream *s, const struct assay_found *found)
{
    const struct assay_finding *finding = found->placed->finding;
    const struct assay_format *format = found->catalogue->format;
    const struct assay_kind *kind = &format->kinds[finding->kind];
    char name[96];
    char full[128];
    json_t *object = json_object();
    snprintf(name, sizeof name, "%s %" PRIu64, format->layers[kind->layer], finding->index);
    snprintf(full, sizeof full, "source 0x%" PRIx32 "/%s", found->stream->id, name);
    assay_json_set(s, object, "name", assay_json_text(name));
    assay_json_set(s, object, "fullyQualifiedName",
                   assay_json_text(found->stream->has_id ? full : name));
    assay_json_set(s, object, "kind", assay_json_text(kind->name));
    return object;
}

json_t *assay_sarif_location(struct assay_sarif *sarif, const struct assay_found *found)
{
    const struct assay_located_finding *placed = found->placed;
    const struct assay_input_result *input = &sarif->results->inputs[placed->input];
    struct assay_json_stream *s = &sarif->stream;
    const bool in_file = placed->file > 0;
    const uint64_t offset = in_file ? placed->file_offset : placed->offset;
    /* Offsets of what is decompressed, or put together of files, are none of the file. */
    const bool known = !placed->unlocated && !input->filtered &&
                       (in_file || input->file_count == 0) && offset <= (uint64_t)INT64_MAX;
    json_t *location = json_object();
    json_t *place = json_object();
    assay_json_set(s, place, "artifactLocation", file_of(sarif, placed->input, placed->file));
    if (known) {
        json_t *region = json_object();
        const uint64_t bytes = ((uint64_t)placed->finding->bits + 7) / 8;
        assay_json_set(s, region, "byteOffset", json_integer((json_int_t)offset));
        assay_json_set(s, region, "byteLength", json_integer((json_int_t)bytes));
        assay_json_set(s, place, "region", region);
    }
    assay_json_set(s, location, "physicalLocation", place);
    assay_json_set(s, location, "logicalLocations", json_pack("[o]", logical_location(s, found)));
    return location;
}
