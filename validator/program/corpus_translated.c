/* Vectors as traces of another profile of their format, for readers of that one. */
#include <stdio.h>
#include <string.h>

#include "io/source.h"
#include "model/reader.h"
#include "validator/engine/session.h"
#include "validator/program/corpus_export.h"
#include "validator/program/corpus_files.h"
#include "validator/vector/statement.h"

/* A vector while it is translated. */
struct translating {
    const struct assay_vector *vector;
    struct assay_vector judged; /* the vector without a profile: the trace names its own */
    const char *from, *to;      /* names of the profiles */
    unsigned from_number;
    const char *why;  /* there is no translation; null: there is */
    const char *rule; /* which shows it, or null */
};

/* --- the trace --- */

static enum assay_error give_all(const struct assay_format *format, struct assay_decoder *decoder,
                                 struct assay_translator *translator, bool look,
                                 struct assay_diag *diag)
{
    const struct assay_event *event = NULL;
    struct assay_reader reader;
    enum assay_error error;
    assay_reader_begin(&reader, format, decoder, 0, true);
    while ((error = assay_reader_next(&reader, &event, diag)) == ASSAY_OK && event != NULL) {
        if (look) {
            format->translator->look(translator, event);
        } else {
            error = format->translator->put(translator, event, diag);
        }
        if (error != ASSAY_OK) {
            break;
        }
    }
    return error;
}

/* Decodes as the vector says, and has the translator look at what is decoded, or write it. */
static enum assay_error decode_to(const struct assay_vector *vector, const struct assay_sink *trace,
                                  struct assay_translator *translator, bool look,
                                  struct assay_diag *diag)
{
    const struct assay_format *format = vector->format;
    const struct assay_input input = assay_vector_input(vector, "");
    struct assay_parameter_values values;
    struct assay_decoder *decoder = NULL;
    struct assay_decode_input in = {.facts = input.setup.facts,
                                    .parameters = format->parameters != NULL ? &values : NULL,
                                    .images = input.setup.images,
                                    .framing = input.setup.framing,
                                    .profile = input.setup.profile};
    enum assay_error error = assay_configure(&input.setup, &values, diag);
    error = error != ASSAY_OK ? error : assay_source_memory(trace->data, trace->size, &in.source);
    if (error != ASSAY_OK) {
        return error;
    }
    error = format->decoder->open(&in, &decoder, diag);
    error = error != ASSAY_OK ? error : give_all(format, decoder, translator, look, diag);
    if (decoder != NULL) {
        format->decoder->close(decoder);
    }
    return error;
}

static enum assay_error translate(struct translating *t, const struct assay_sink *trace,
                                  struct assay_sink *translated, struct assay_diag *diag)
{
    const struct assay_translator_ops *ops = t->vector->format->translator;
    const struct assay_encoder_ops *encoding = t->vector->format->encoder;
    struct assay_encoder *encoder = NULL;
    struct assay_translator *translator = NULL;
    enum assay_error error = encoding->open(translated, t->vector->storage, &encoder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = ops->open(encoding, encoder, t->from_number, &translator, diag);
    error = error != ASSAY_OK ? error : decode_to(t->vector, trace, translator, true, diag);
    error = error != ASSAY_OK ? error : decode_to(t->vector, trace, translator, false, diag);
    if (error == ASSAY_OK) {
        t->why = ops->refused(translator);
    }
    ops->close(translator);
    const enum assay_error closed = encoding->close(encoder);
    error = error != ASSAY_OK ? error : closed;
    return error != ASSAY_OK ? error : translated->error;
}

/* --- the statement --- */

/* Whether the trace, judged as one of the other profile, shows what the vector states. */
static void compare(void *context, const struct assay_results *results)
{
    struct translating *t = context;
    const struct assay_stream_result *stream = &results->inputs[0].streams[0];
    const struct assay_rule *rule = NULL;
    if (results->inputs[0].stream_count != 1 || stream->verdicts == NULL ||
        stream->profile != t->vector->format->translator->profile) {
        t->why = "what is written is not read as that version";
        return;
    }
    if ((rule = assay_vector_rule_of_others(t->vector, results, stream)) != NULL) {
        t->why = "a rule that it names is not one of that version";
    } else if (!assay_vector_is_as_stated(t->vector, results, stream, &rule)) {
        t->why = "judged by that version it does not show what it states";
    }
    t->rule = rule != NULL ? rule->id : NULL;
}

/* What no translation could show. */
static const char *not_of_records(const struct assay_vector *vector)
{
    if (vector->after != NULL) {
        return "its bytes are changed after they were encoded";
    }
    return vector->expectation == ASSAY_EXPECT_EVENTS ||
                   vector->expectation == ASSAY_EXPECT_REFUSES ||
                   vector->expectation == ASSAY_EXPECT_NOTHING
               ? "it states what a decoder makes of its own version"
               : NULL;
}

/* --- the files and the index --- */

static enum assay_error write_translated(const char *root, const struct translating *t,
                                         const struct assay_sink *trace, const json_t *entry,
                                         json_t *list, struct assay_diag *diag)
{
    const char *path = json_string_value(
        json_object_get(json_array_get(json_object_get(entry, "files"), 0), "path"));
    char stem[ASSAY_EXPORT_PATH];
    struct assay_export e;
    const int ending = (int)strlen(t->vector->format->name) + 1;
    const int length =
        snprintf(stem, sizeof stem, "%.*s.%s", (int)strlen(path) - ending, path, t->to);
    if (length >= (int)sizeof stem) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    assay_export_begin(&e, root, stem, diag);
    e.stem_length = length;
    enum assay_error error = assay_corpus_write_vector(&e, &t->judged, trace);
    if (error == ASSAY_OK) {
        json_t *of = json_copy((json_t *)entry);
        json_object_set_new(of, "name", json_string(assay_export_name(stem)));
        json_object_set_new(of, "translated_from", json_string(t->from));
        json_object_set(of, "files", e.files);
        assay_export_describe(&e, t->vector->format, t->vector->framing, of);
        error = json_array_append_new(list, of) == 0
                    ? ASSAY_OK
                    : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    assay_export_end(&e);
    return error;
}

static enum assay_error note_untranslated(const struct translating *t, const json_t *entry,
                                          json_t *list, struct assay_diag *diag)
{
    json_t *of =
        json_pack("{s:O, s:s, s:s, s:s, s:s}", "name", json_object_get(entry, "name"), "format",
                  t->vector->format->name, "profile", t->from, "to", t->to, "why", t->why);
    if (t->rule != NULL) {
        json_object_set_new(of, "rule", json_string(t->rule));
    }
    return json_array_append_new(list, of) == 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* The profiles, and the vector as it is judged; false where there is nothing to translate. */
static bool begin(const struct assay_vector *vector, const json_t *entry, struct translating *t)
{
    const struct assay_format *format = vector->format;
    const char *from = json_string_value(json_object_get(entry, "profile"));
    if (format->translator == NULL || from == NULL) {
        return false;
    }
    const unsigned number = (unsigned)assay_profile_by_name(format, from);
    *t = (struct translating){.vector = vector,
                              .judged = *vector,
                              .from = from,
                              .to = format->profiles[format->translator->profile].name,
                              .from_number = number,
                              .why = not_of_records(vector)};
    t->judged.profile = 0;
    return number != format->translator->profile;
}

enum assay_error assay_corpus_export_translated(const char *root, const struct assay_vector *vector,
                                                const struct assay_sink *trace, const json_t *entry,
                                                struct assay_corpus_wanted *wanted, json_t *list,
                                                struct assay_diag *diag)
{
    struct translating t;
    struct assay_sink translated;
    enum assay_error error = ASSAY_OK;
    if (!begin(vector, entry, &t)) {
        return ASSAY_OK;
    }
    assay_sink_memory(&translated, 0);
    if (t.why == NULL) {
        error = translate(&t, trace, &translated, diag);
    }
    if (error == ASSAY_OK && t.why == NULL) {
        error = assay_corpus_judge(&t.judged, json_string_value(json_object_get(entry, "name")),
                                   &translated, compare, &t, diag);
    }
    if (error == ASSAY_OK && t.why == NULL) {
        error = write_translated(root, &t, &translated, entry, list, diag);
        wanted->translated += error == ASSAY_OK;
    } else if (error == ASSAY_OK) {
        error = note_untranslated(&t, entry, wanted->untranslated, diag);
    }
    assay_sink_close(&translated, NULL);
    return error;
}
