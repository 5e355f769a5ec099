#include "validator/program/corpus_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/source.h"
#include "model/framing.h"
#include "model/reader.h"
#include "validator/engine/conditions.h"
#include "validator/engine/evidence.h"
#include "validator/engine/session.h"
#include "validator/program/corpus_export.h"
#include "validator/vector/event_json.h"

enum { PATH = ASSAY_EXPORT_PATH, LARGE_PROGRAM = 1 << 20 };

void assay_export_begin(struct assay_export *e, const char *root, const char *stem,
                        struct assay_diag *diag)
{
    *e = (struct assay_export){.root = root,
                               .stem = stem,
                               .files = json_array(),
                               .kinds = json_object(),
                               .dialect = json_object(),
                               .features = json_object(),
                               .diag = diag};
}

void assay_export_end(struct assay_export *e)
{
    json_decref(e->files);
    json_decref(e->kinds);
    json_decref(e->dialect);
    json_decref(e->features);
}

/* "1.6" of the profile stf-1.6, "1.3" of stf-1.3-impl; the first profile is of the format's own. */
static json_t *version_of(const struct assay_format *format, unsigned profile)
{
    const size_t prefix = strlen(format->name) + 1;
    const char *name = format->profiles[profile].name;
    return profile == 0 || strlen(name) <= prefix
               ? json_string(format->version)
               : json_stringn(name + prefix, strcspn(name + prefix, "-"));
}

/* Of the first decoder, which is that of the whole input. */
static void note_profile(const struct assay_export *e, const struct assay_format *format,
                         const struct assay_decoder *decoder)
{
    const unsigned profile =
        format->decoder->profile != NULL ? format->decoder->profile(decoder) : 0;
    if (json_object_get(e->dialect, "profile") == NULL) {
        json_object_set_new(e->dialect, "profile", json_string(format->profiles[profile].name));
        json_object_set_new(e->dialect, "version", version_of(format, profile));
    }
}

static void note_feature(const struct assay_export *e, const char *parameter, const char *field)
{
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", parameter, field != NULL ? "." : "",
             field != NULL ? field : "");
    json_object_set_new(e->features, name, json_true());
}

/* The options that an event switches on. */
static void note_options(const struct assay_export *e, const struct assay_kind *kind,
                         const struct assay_event *event)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        if ((kind->fields[i].flags & ASSAY_OPTION) != 0 &&
            assay_field_get(&kind->fields[i], event) != 0) {
            note_feature(e, kind->fields[i].name, NULL);
        }
    }
}

/* Whether a value is configured, other than by default, and not 0. */
static bool is_configured(const struct assay_parameter_values *values, size_t number)
{
    const struct assay_parameter *parameter = &values->table->list[number];
    return values->known[number] && values->site[number].origin >= ASSAY_PARAMETER_PROFILE &&
           !parameter->source_id && !parameter->is_reading && values->value[number] != 0 &&
           !(parameter->has_default && parameter->value == values->value[number]);
}

/* What is configured of a stream, by the names of its parameters, and of the fields of registers:
 * an option is on, a size is not 0. */
static void note_features(const struct assay_export *e, const struct assay_parameter_values *values)
{
    const struct assay_parameter_table *table = values->table;
    bool is_register[ASSAY_MAX_PARAMETERS] = {false};
    for (size_t i = 0; i < table->field_count; i++) {
        const struct assay_parameter_field *field = &table->fields[i];
        const uint64_t value = values->value[field->parameter] >> field->bit;
        is_register[field->parameter] = true;
        if (is_configured(values, field->parameter) &&
            (value & (UINT64_MAX >> (64 - field->width))) != 0) {
            note_feature(e, table->list[field->parameter].name, field->name);
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        if (!is_register[i] && is_configured(values, i)) {
            note_feature(e, table->list[i].name, NULL);
        }
    }
}

static json_t *keys_of(const json_t *object)
{
    json_t *list = json_array();
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)object, key, value)
    {
        json_array_append_new(list, json_string(key));
    }
    return list;
}

void assay_export_describe(const struct assay_export *e, const struct assay_format *format,
                           unsigned framing, json_t *entry)
{
    const unsigned meant = framing == ASSAY_FRAMING_RAW ? format->default_framing : framing;
    json_object_update(entry, e->dialect);
    json_object_set_new(entry, "framing",
                        json_string(assay_framing_name((enum assay_framing)meant)));
    json_object_set_new(entry, "features", keys_of(e->features));
    json_object_set_new(entry, "kinds", keys_of(e->kinds));
}

const char *assay_export_name(const char *stem)
{
    const char *slash = strrchr(stem, '/');
    return slash != NULL ? slash + 1 : stem;
}

/* --- files --- */

enum assay_error assay_export_path(const struct assay_export *e, const char *ending,
                                   char path[PATH])
{
    const int length = snprintf(path, PATH, "%s/%.*s.%s", e->root, e->stem_length, e->stem, ending);
    return length > 0 && length < PATH
               ? ASSAY_OK
               : assay_fail(e->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
}

enum assay_error assay_export_list(const struct assay_export *e, const char *what,
                                   const char *ending)
{
    static const char prefix[] = "sha256:";
    struct assay_witness_report report = {.sha256 = ""};
    char path[PATH];
    enum assay_error error = assay_export_path(e, ending, path);
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

enum assay_error assay_export_file(const struct assay_export *e, const char *what,
                                   const char *ending, const struct assay_sink *content)
{
    char path[PATH];
    struct assay_sink file;
    enum assay_error error = content->error;
    error = error != ASSAY_OK ? error : assay_export_path(e, ending, path);
    error = error != ASSAY_OK ? error : assay_sink_open(&file, path, e->diag);
    if (error == ASSAY_OK) {
        assay_sink_write(&file, content->data, content->size);
        error = assay_sink_close(&file, e->diag);
    }
    return error != ASSAY_OK ? error : assay_export_list(e, what, ending);
}

/* --- events --- */

/* Whether every layer is, and none was decoded with a guess. */
static bool all_complete(const struct assay_format *format, const struct assay_decoder *decoder,
                         const struct assay_parameter_values *values)
{
    bool complete = assay_parameters_guessed(values, (unsigned)format->layer_count - 1) == NULL;
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
static enum assay_error put_events(const struct assay_export *e, const struct assay_format *format,
                                   struct assay_decoder *decoder,
                                   const struct assay_parameter_values *values, bool runs,
                                   struct assay_sink *sink)
{
    const struct assay_event *event = NULL;
    struct assay_reader reader;
    uint64_t count = 0;
    enum assay_error error;
    assay_events_head(format, NULL, sink);
    assay_reader_begin(&reader, format, decoder, ASSAY_ALL_LAYERS, runs);
    while ((error = assay_reader_next(&reader, &event, e->diag)) == ASSAY_OK && event != NULL) {
        if (event->kind != ASSAY_KIND_END) {
            count++;
            assay_event_json(format, event, sink);
            json_object_set_new(e->kinds, format->kinds[event->kind].name, json_true());
            note_options(e, &format->kinds[event->kind], event);
        }
    }
    assay_events_end(count, all_complete(format, decoder, values), sink);
    return error;
}

/* Of a stream; the source becomes the decoder's. */
static enum assay_error export_events(const struct assay_export *e,
                                      const struct assay_stream_setup *setup,
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
                                             .conditions = assay_conditions_of(setup->format),
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
    error =
        error != ASSAY_OK ? error : put_events(e, format, decoder, input.parameters, runs, &events);
    if (decoder != NULL) {
        note_profile(e, format, decoder);
        if (input.parameters != NULL) {
            note_features(e, input.parameters);
        }
        format->decoder->close(decoder);
    }
    error = error != ASSAY_OK ? error : assay_export_file(e, "events", ending, &events);
    assay_sink_close(&events, NULL);
    return error;
}

enum assay_error
assay_export_all_events(const struct assay_export *e, const struct assay_input *input,
                        enum assay_error (*open)(const void *context, struct assay_source **source),
                        const void *context)
{
    struct assay_source *source = NULL;
    enum assay_error error = open(context, &source);
    error = error != ASSAY_OK ? error : export_events(e, &input->setup, source, "events.jsonl");
    for (size_t i = 0; i < input->stream_count && error == ASSAY_OK; i++) {
        const struct assay_stream_setup *stream = &input->streams[i];
        struct assay_source *whole = NULL;
        char ending[48];
        if (stream->format == NULL) {
            continue;
        }
        snprintf(ending, sizeof ending, "0x%" PRIx32 ".events.jsonl", stream->id);
        error = open(context, &whole);
        error = error != ASSAY_OK ? error
                                  : input->setup.format->carrier->open(
                                        whole, input->setup.framing, stream->id, &source, e->diag);
        error = error != ASSAY_OK ? error : export_events(e, stream, source, ending);
    }
    return error;
}

/* --- verdict --- */

enum assay_error assay_export_verdict(const struct assay_export *e,
                                      const struct assay_vector *vector)
{
    struct assay_sink verdict;
    char manifest[PATH];
    char name[PATH];
    const char *last = assay_export_name(e->stem);
    snprintf(name, sizeof name, "%.*s", e->stem_length - (int)(last - e->stem), last);
    assay_sink_memory(&verdict, 0);
    enum assay_error error = assay_export_path(e, "assay.yaml", manifest);
    error =
        error != ASSAY_OK ? error : assay_corpus_verdict(manifest, name, vector, &verdict, e->diag);
    error = error != ASSAY_OK ? error : assay_export_file(e, "verdict", "verdict.json", &verdict);
    assay_sink_close(&verdict, NULL);
    return error;
}
