/* A vector of the corpus. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "model/framing.h"
#include "validator/program/corpus_export.h"
#include "validator/program/corpus_files.h"
#include "validator/vector/base.h"

enum { PATH = ASSAY_EXPORT_PATH };

static enum assay_error open_trace(const void *trace, struct assay_source **source)
{
    const struct assay_sink *sink = trace;
    return assay_source_memory(sink->data, sink->size, source);
}

static enum assay_error write_all_events(const struct assay_export *e,
                                         const struct assay_vector *vector,
                                         const struct assay_sink *trace)
{
    const struct assay_input input = assay_vector_input(vector, e->stem);
    return assay_export_all_events(e, &input, open_trace, trace);
}

/* --- what belongs to the trace --- */

/* The files that the manifest names, of the trace (`id` is "") or of a stream ("0x10."). */
static enum assay_error list_given(const struct assay_export *e, const struct assay_vector *vector,
                                   const char *id)
{
    const struct assay_yaml *image = assay_vector_inherited(vector, "image");
    enum assay_error error = ASSAY_OK;
    char ending[64];
    if (vector->execution != NULL) {
        snprintf(ending, sizeof ending, "%sexecution", id);
        error = assay_export_list(e, "execution", ending);
    }
    for (size_t i = 0; image != NULL && i < image->count && error == ASSAY_OK; i++) {
        snprintf(ending, sizeof ending, "%simage-%zu", id, i);
        error = assay_export_list(e, "image", ending);
    }
    return error;
}

static enum assay_error write_execution(const struct assay_export *e,
                                        const struct assay_vector *vector, const char *path)
{
    struct assay_sink file;
    enum assay_error error = assay_sink_open(&file, path, e->diag);
    if (error == ASSAY_OK) {
        error = assay_vector_execution(vector, &file, e->diag);
        const enum assay_error closed = assay_sink_close(&file, e->diag);
        error = error != ASSAY_OK ? error : closed;
    }
    return error;
}

static enum assay_error write_manifest(const struct assay_export *e,
                                       const struct assay_vector *vector, const char *trace)
{
    char manifest[PATH], execution[PATH];
    const bool executed = vector->execution != NULL;
    enum assay_error error = assay_export_path(e, "assay.yaml", manifest);
    error = error != ASSAY_OK ? error : assay_export_path(e, "execution", execution);
    if (error == ASSAY_OK && executed) {
        error = write_execution(e, vector, execution);
    }
    error = error != ASSAY_OK ? error
                              : assay_vector_manifest(vector, manifest, trace,
                                                      executed ? execution : NULL, e->diag);
    error = error != ASSAY_OK ? error : assay_export_list(e, "manifest", "assay.yaml");
    error = error != ASSAY_OK ? error : list_given(e, vector, "");
    for (size_t i = 0; i < vector->stream_count && error == ASSAY_OK; i++) {
        const struct assay_vector_stream *stream = &vector->streams[i];
        char id[16];
        snprintf(id, sizeof id, "0x%" PRIx32 ".", stream->id);
        error = stream->vector.format != NULL ? list_given(e, &stream->vector, id) : ASSAY_OK;
    }
    return error;
}

enum assay_error assay_corpus_write_vector(const struct assay_export *e,
                                           const struct assay_vector *vector,
                                           const struct assay_sink *trace)
{
    char path[PATH];
    enum assay_error error = assay_export_path(e, vector->format->name, path);
    error = error != ASSAY_OK ? error : assay_export_file(e, "trace", vector->format->name, trace);
    error = error != ASSAY_OK ? error : write_manifest(e, vector, path);
    error = error != ASSAY_OK ? error : write_all_events(e, vector, trace);
    return error != ASSAY_OK ? error : assay_export_verdict(e, vector);
}

/* --- the index --- */

static json_t *text_list(const struct assay_yaml *list)
{
    json_t *array = json_array();
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        json_array_append_new(array, json_string(list->items[i]->text));
    }
    return array;
}

static void add_once(json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (strcmp(json_string_value(json_array_get(array, i)), text) == 0) {
            return;
        }
    }
    json_array_append_new(array, json_string(text));
}

/* The clauses that a vector is about: of the rules that it states, or as it names them, and those
 * that name it as what shows them. */
static json_t *clauses_of(const struct assay_vector *vector, const char *name)
{
    const struct assay_catalogue *c = assay_catalogue_of(vector->format);
    const bool of_rules =
        vector->expectation == ASSAY_EXPECT_FAILS || vector->expectation == ASSAY_EXPECT_PASSES;
    const bool of_clauses = vector->expectation == ASSAY_EXPECT_CONFORMS ||
                            vector->expectation == ASSAY_EXPECT_VIOLATES;
    json_t *clauses = of_clauses ? text_list(vector->expected) : json_array();
    for (size_t i = 0; c != NULL && of_rules && i < vector->expected->count; i++) {
        const struct assay_rule *rule = assay_rule_by_id(c, vector->expected->items[i]->text);
        for (uint16_t k = 0; rule != NULL && k < rule->clause_count; k++) {
            add_once(clauses, rule->clauses[k]);
        }
    }
    for (size_t i = 0; c != NULL && i < c->clause_count; i++) {
        for (uint16_t v = 0; v < c->clauses[i].vector_count; v++) {
            if (strcmp(c->clauses[i].vectors[v], name) == 0) {
                add_once(clauses, c->clauses[i].id);
            }
        }
    }
    return clauses;
}

/* What the author of the vector states, under the key of the vector. */
static void add_statement(const struct assay_vector *vector, json_t *entry)
{
    static const char *const names[] = {
        [ASSAY_EXPECT_NOTHING] = "nothing",   [ASSAY_EXPECT_FAILS] = "fails",
        [ASSAY_EXPECT_PASSES] = "passes",     [ASSAY_EXPECT_EVENTS] = "events",
        [ASSAY_EXPECT_REFUSES] = "refuses",   [ASSAY_EXPECT_CONFORMS] = "conforms",
        [ASSAY_EXPECT_VIOLATES] = "violates",
    };
    const char *name = names[vector->expectation];
    json_object_set_new(entry, "shows", json_string(name));
    if (vector->expectation == ASSAY_EXPECT_REFUSES) {
        json_object_set_new(entry, name, json_string(vector->expected->text));
    } else if (vector->expectation != ASSAY_EXPECT_EVENTS &&
               vector->expectation != ASSAY_EXPECT_NOTHING) {
        json_object_set_new(entry, name, text_list(vector->expected));
    }
    if (vector->silent != NULL) {
        json_object_set_new(entry, "silent", text_list(vector->silent));
    }
}

static json_t *entry_of(const struct assay_export *e, const struct assay_vector *vector,
                        const struct assay_corpus_text *text)
{
    const char *name = assay_export_name(e->stem);
    json_t *entry = json_object();
    json_t *id = json_stringn(name, (size_t)(e->stem_length - (name - e->stem)));
    json_object_set(entry, "name", id);
    json_object_set_new(entry, "format", json_string(vector->format->name));
    json_object_update(entry, e->dialect);
    json_object_set_new(entry, "why", json_string(vector->why));
    json_object_set_new(entry, "source", json_string(text->name));
    add_statement(vector, entry);
    json_object_set_new(entry, "interpret", assay_corpus_readings(vector));
    json_object_set_new(entry, "clauses", clauses_of(vector, json_string_value(id)));
    assay_export_describe(e, vector->format, vector->framing, entry);
    json_object_set(entry, "files", e->files);
    json_decref(id);
    return entry;
}

enum assay_error assay_corpus_export_vector(const char *root, const struct assay_corpus_text *text,
                                            const struct assay_vector *vector,
                                            const struct assay_sink *trace, json_t **entry,
                                            struct assay_diag *diag)
{
    const char *stem = strchr(text->name, '/');
    struct assay_export e;
    assay_export_begin(&e, root, stem != NULL ? stem + 1 : text->name, diag);
    e.stem_length = (int)(strlen(e.stem) - strlen(".yaml"));
    const enum assay_error error = assay_corpus_write_vector(&e, vector, trace);
    *entry = error == ASSAY_OK ? entry_of(&e, vector, text) : NULL;
    assay_export_end(&e);
    return error;
}
