/* The files of one vector of the corpus. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/reader.h"
#include "common/source.h"
#include "validator/engine/evidence.h"
#include "validator/engine/session.h"
#include "validator/program/corpus_export.h"
#include "validator/vector/base.h"
#include "validator/vector/event_json.h"

enum { PATH = 4096, LARGE_PROGRAM = 1 << 20 };

/* One vector while its files are written. */
struct export
{
    const char *root;
    const struct assay_vector *vector;
    const char *stem; /* of its files, relative to the root: "astf/context/ASTF-0031.pass.ids" */
    int stem_length;
    json_t *files; /* what the index says of them */
    struct assay_diag *diag;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* --- files --- */

/* The path of a file, of which `ending` comes after the stem: "assay.yaml", "0x10.events.jsonl". */
static enum assay_error file_path(const struct export *e, const char *ending, char path[PATH])
{
    const int length = snprintf(path, PATH, "%s/%.*s.%s", e->root, e->stem_length, e->stem, ending);
    return length > 0 && length < PATH
               ? ASSAY_OK
               : assay_fail(e->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
}

/* Adds a file that was written to the list of the index. */
static enum assay_error list_file(const struct export *e, const char *what, const char *ending)
{
    static const char prefix[] = "sha256:";
    struct assay_witness_report report = {.sha256 = ""};
    char path[PATH];
    enum assay_error error = file_path(e, ending, path);
    error = error != ASSAY_OK ? error : assay_evidence_of_path(path, &report);
    if (error != ASSAY_OK) {
        return assay_fail(e->diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
    if (strncmp(report.sha256, prefix, sizeof prefix - 1) != 0) {
        return assay_fail(e->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "%s", report.no_digest);
    }
    json_array_append_new(e->files, json_pack("{s:s, s:s, s:s}", "what", what, "path",
                                              path + strlen(e->root) + 1, "sha256",
                                              report.sha256 + sizeof prefix - 1));
    return ASSAY_OK;
}

/* Writes what a sink in memory holds to a file and lists that. */
static enum assay_error write_file(const struct export *e, const char *what, const char *ending,
                                   const struct assay_sink *content)
{
    char path[PATH];
    struct assay_sink file;
    enum assay_error error = content->error;
    error = error != ASSAY_OK ? error : file_path(e, ending, path);
    error = error != ASSAY_OK ? error : assay_sink_open(&file, path, e->diag);
    if (error == ASSAY_OK) {
        assay_sink_write(&file, content->data, content->size);
        error = assay_sink_close(&file, e->diag);
    }
    return error != ASSAY_OK ? error : list_file(e, what, ending);
}

/* --- events --- */

static bool all_complete(const struct assay_format *format, const struct assay_decoder *decoder)
{
    bool complete = true;
    for (unsigned i = 0; i < format->layer_count; i++) {
        const char *why = NULL;
        complete = format->decoder->complete(decoder, i, &why) && complete;
    }
    return complete;
}

/* Whether a program is so large that instructions are exported as the runs that they are in. */
static bool is_large(const struct assay_image_set *images)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < assay_image_count(images); i++) {
        bytes += assay_image_info(images, i)->bytes;
    }
    return bytes > LARGE_PROGRAM;
}

/* As `assay dump --json` does, or `assay dump --json --runs`. */
static enum assay_error put_events(const struct assay_format *format, struct assay_decoder *decoder,
                                   bool runs, struct assay_sink *sink, struct assay_diag *diag)
{
    const struct assay_event *event = NULL;
    struct assay_reader reader;
    uint64_t count = 0;
    enum assay_error error;
    assay_events_head(format, NULL, sink);
    assay_reader_begin(&reader, format, decoder, ASSAY_ALL_LAYERS, runs);
    while ((error = assay_reader_next(&reader, &event, diag)) == ASSAY_OK && event != NULL) {
        if (event->kind != ASSAY_KIND_END) {
            count++;
            assay_event_json(format, event, sink);
        }
    }
    assay_events_end(count, all_complete(format, decoder), sink);
    return error;
}

/* The events of a stream; the source becomes the decoder's. */
static enum assay_error write_events(const struct export *e, const struct assay_stream_setup *setup,
                                     struct assay_source *source, const char *ending)
{
    const struct assay_format *format = setup->format;
    struct assay_parameter_values values;
    struct assay_decoder *decoder = NULL;
    struct assay_sink events;
    const struct assay_decode_input input = {.source = source,
                                             .facts = setup->facts,
                                             .parameters =
                                                 format->parameters != NULL ? &values : NULL,
                                             .images = setup->images,
                                             .framing = setup->framing,
                                             .profile = setup->profile};
    assay_sink_memory(&events, 0);
    enum assay_error error = assay_configure(setup, &values, e->diag);
    if (error != ASSAY_OK) {
        assay_source_close(source);
        return error;
    }
    error = format->decoder->open(&input, &decoder, e->diag);
    const bool runs = setup->images != NULL && is_large(setup->images);
    error = error != ASSAY_OK ? error : put_events(format, decoder, runs, &events, e->diag);
    if (decoder != NULL) {
        format->decoder->close(decoder);
    }
    error = error != ASSAY_OK ? error : write_file(e, "events", ending, &events);
    assay_sink_close(&events, NULL);
    return error;
}

/* Of the trace, and of each stream that it carries whose format is known. */
static enum assay_error write_all_events(const struct export *e, const struct assay_sink *trace)
{
    const struct assay_input input = assay_vector_input(e->vector, e->stem);
    struct assay_source *source = NULL;
    enum assay_error error = assay_source_memory(trace->data, trace->size, &source);
    error = error != ASSAY_OK ? error : write_events(e, &input.setup, source, "events.jsonl");
    for (size_t i = 0; i < input.stream_count && error == ASSAY_OK; i++) {
        const struct assay_stream_setup *stream = &input.streams[i];
        struct assay_source *whole = NULL;
        char ending[48];
        if (stream->format == NULL) {
            continue;
        }
        snprintf(ending, sizeof ending, "0x%" PRIx32 ".events.jsonl", stream->id);
        error = assay_source_memory(trace->data, trace->size, &whole);
        error = error != ASSAY_OK
                    ? error
                    : e->vector->format->carrier->open(whole, stream->id, &source, e->diag);
        error = error != ASSAY_OK ? error : write_events(e, stream, source, ending);
    }
    return error;
}

/* --- what belongs to the trace --- */

/* The files that the manifest names, of the trace (`id` is "") or of a stream ("0x10."). */
static enum assay_error list_given(const struct export *e, const struct assay_vector *vector,
                                   const char *id)
{
    const struct assay_yaml *image = assay_vector_inherited(vector, "image");
    enum assay_error error = ASSAY_OK;
    char ending[64];
    if (vector->execution != NULL) {
        snprintf(ending, sizeof ending, "%sexecution", id);
        error = list_file(e, "execution", ending);
    }
    for (size_t i = 0; image != NULL && i < image->count && error == ASSAY_OK; i++) {
        snprintf(ending, sizeof ending, "%simage-%zu", id, i);
        error = list_file(e, "image", ending);
    }
    return error;
}

static enum assay_error write_execution(const struct export *e, const char *path)
{
    struct assay_sink file;
    enum assay_error error = assay_sink_open(&file, path, e->diag);
    if (error == ASSAY_OK) {
        error = assay_vector_execution(e->vector, &file, e->diag);
        const enum assay_error closed = assay_sink_close(&file, e->diag);
        error = error != ASSAY_OK ? error : closed;
    }
    return error;
}

static enum assay_error write_manifest(const struct export *e, const char *trace)
{
    char manifest[PATH], execution[PATH];
    const bool executed = e->vector->execution != NULL;
    enum assay_error error = file_path(e, "assay.yaml", manifest);
    error = error != ASSAY_OK ? error : file_path(e, "execution", execution);
    if (error == ASSAY_OK && executed) {
        error = write_execution(e, execution);
    }
    error = error != ASSAY_OK ? error
                              : assay_vector_manifest(e->vector, manifest, trace,
                                                      executed ? execution : NULL, e->diag);
    error = error != ASSAY_OK ? error : list_file(e, "manifest", "assay.yaml");
    error = error != ASSAY_OK ? error : list_given(e, e->vector, "");
    for (size_t i = 0; i < e->vector->stream_count && error == ASSAY_OK; i++) {
        const struct assay_vector_stream *stream = &e->vector->streams[i];
        char id[16];
        snprintf(id, sizeof id, "0x%" PRIx32 ".", stream->id);
        error = stream->vector.format != NULL ? list_given(e, &stream->vector, id) : ASSAY_OK;
    }
    return error;
}

static enum assay_error write_verdict(const struct export *e)
{
    struct assay_sink verdict;
    char manifest[PATH];
    char name[PATH];
    snprintf(name, sizeof name, "%s", last_part(e->stem));
    name[e->stem_length - (last_part(e->stem) - e->stem)] = '\0';
    assay_sink_memory(&verdict, 0);
    enum assay_error error = file_path(e, "assay.yaml", manifest);
    error = error != ASSAY_OK ? error
                              : assay_corpus_verdict(manifest, name, e->vector, &verdict, e->diag);
    error = error != ASSAY_OK ? error : write_file(e, "verdict", "verdict.json", &verdict);
    assay_sink_close(&verdict, NULL);
    return error;
}

static enum assay_error write_files(const struct export *e)
{
    struct assay_sink trace;
    char path[PATH];
    assay_sink_memory(&trace, 0);
    enum assay_error error = assay_vector_encode(e->vector, &trace, e->diag);
    error = error != ASSAY_OK ? error : file_path(e, e->vector->format->name, path);
    error = error != ASSAY_OK ? error : write_file(e, "trace", e->vector->format->name, &trace);
    error = error != ASSAY_OK ? error : write_manifest(e, path);
    error = error != ASSAY_OK ? error : write_all_events(e, &trace);
    error = error != ASSAY_OK ? error : write_verdict(e);
    assay_sink_close(&trace, NULL);
    return error;
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

static json_t *entry_of(const struct export *e, const struct assay_corpus_text *text)
{
    const struct assay_vector *vector = e->vector;
    const char *name = last_part(e->stem);
    json_t *entry = json_object();
    json_t *id = json_stringn(name, (size_t)(e->stem_length - (name - e->stem)));
    json_object_set(entry, "name", id);
    json_object_set_new(entry, "format", json_string(vector->format->name));
    json_object_set_new(entry, "version", json_string(vector->format->version));
    if (vector->profile != 0) {
        json_object_set_new(entry, "profile",
                            json_string(vector->format->profiles[vector->profile - 1].name));
    }
    json_object_set_new(entry, "why", json_string(vector->why));
    json_object_set_new(entry, "source", json_string(text->name));
    add_statement(vector, entry);
    json_object_set_new(entry, "interpret", assay_corpus_readings(vector));
    json_object_set_new(entry, "clauses", clauses_of(vector, json_string_value(id)));
    json_object_set(entry, "files", e->files);
    json_decref(id);
    return entry;
}

enum assay_error assay_corpus_export_vector(const char *root, const struct assay_corpus_text *text,
                                            const struct assay_vector *vector, json_t **entry,
                                            struct assay_diag *diag)
{
    const char *stem = strchr(text->name, '/');
    struct export e = {.root = root,
                       .vector = vector,
                       .stem = stem != NULL ? stem + 1 : text->name,
                       .files = json_array(),
                       .diag = diag};
    e.stem_length = (int)(strlen(e.stem) - strlen(".yaml"));
    const enum assay_error error = write_files(&e);
    *entry = error == ASSAY_OK ? entry_of(&e, text) : NULL;
    json_decref(e.files);
    return error;
}
