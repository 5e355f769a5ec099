/* The generated traces of an exported corpus: those of the samples of each generator, with one seed
 * after the other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generators/generator.h"
#include "io/source_concat.h"
#include "validator/engine/bundle.h"
#include "validator/program/corpus_export.h"
#include "validator/program/corpus_files.h"
#include "validator/program/generate_manifest.h"
#include "validator/program/new_folder.h"

enum { INSTRUCTIONS = 1000 };

/* One of them while it is written. */
struct generated {
    struct assay_export export;
    const struct assay_generator *generator;
    const struct assay_model *model;
    const struct assay_sample *sample;
    struct assay_generate_settings settings;
};

/* --- the trace, and what it is made of --- */

static enum assay_error write_made(const struct generated *g, struct assay_sink *trace,
                                   struct assay_sink *execution, struct assay_sink *facts)
{
    const struct assay_export *e = &g->export;
    struct assay_generated made;
    enum assay_error error = assay_model_make(g->generator, g->model, &g->settings, trace,
                                              execution, facts, &made, e->diag);
    error = error != ASSAY_OK ? error
                              : assay_export_file(e, "trace", g->generator->format->name, trace);
    if (error == ASSAY_OK && g->model->sources == NULL) {
        error = assay_export_file(e, "execution", "execution", execution);
    }
    if (error == ASSAY_OK && g->model->has_facts) {
        error = assay_export_file(e, "facts", "facts.yaml", facts);
    }
    return error;
}

static enum assay_error write_trace(const struct generated *g)
{
    struct assay_sink sinks[3];
    for (size_t i = 0; i < 3; i++) {
        assay_sink_memory(&sinks[i], 0);
    }
    const enum assay_error error = write_made(g, &sinks[0], &sinks[1], &sinks[2]);
    for (size_t i = 0; i < 3; i++) {
        assay_sink_close(&sinks[i], NULL);
    }
    return error;
}

/* What the manifest of a capture names for each stream. */
static enum assay_error list_sources(const struct generated *g)
{
    enum assay_error error = ASSAY_OK;
    for (const struct assay_model_source *s = g->model->sources;
         s != NULL && s->id != 0 && error == ASSAY_OK; s++) {
        char execution[ASSAY_GENERATE_ENDING], image[ASSAY_GENERATE_ENDING];
        assay_generate_source_endings(s, execution, image);
        error = assay_export_list(&g->export, "execution", execution);
        error = error != ASSAY_OK ? error : assay_export_list(&g->export, "image", image);
    }
    return error;
}

static enum assay_error write_manifest(const struct generated *g)
{
    const struct assay_export *e = &g->export;
    char paths[4][ASSAY_EXPORT_PATH];
    const char *const endings[4] = {"assay.yaml", g->generator->format->name, "execution",
                                    "facts.yaml"};
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < 4 && error == ASSAY_OK; i++) {
        error = assay_export_path(e, endings[i], paths[i]);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_generate_files files = {.manifest = paths[0],
                                               .trace = paths[1],
                                               .execution = paths[2],
                                               .facts = g->model->has_facts ? paths[3] : NULL};
    error = assay_generate_manifest(g->generator, g->model, &g->settings, &files, e->diag);
    error = error != ASSAY_OK ? error : assay_export_list(e, "manifest", "assay.yaml");
    error = error != ASSAY_OK ? error : list_sources(g);
    return error == ASSAY_OK && g->generator->configure != NULL
               ? assay_export_list(e, "image", "elf")
               : error;
}

static enum assay_error open_parts(const void *parts, struct assay_source **source)
{
    return assay_source_concat(parts, source);
}

/* As who reads the manifest decodes it. */
static enum assay_error write_events(const struct assay_export *e)
{
    char manifest[ASSAY_EXPORT_PATH];
    struct assay_bundle bundle = {.count = 0};
    enum assay_error error = assay_export_path(e, "assay.yaml", manifest);
    const struct assay_input given = {.path = manifest};
    error = error != ASSAY_OK ? error : assay_bundle_open(&given, false, &bundle, e->diag);
    error = error != ASSAY_OK
                ? error
                : assay_export_all_events(e, &bundle.input, open_parts, bundle.input.parts);
    assay_bundle_close(&bundle);
    return error;
}

/* --- the index --- */

/* What makes the trace again. */
static void put_command(const struct generated *g, struct assay_sink *sink)
{
    const struct assay_generate_settings *settings = &g->settings;
    assay_sink_printf(sink, "assay generate --format %s --model %s", g->generator->format->name,
                      g->model->name);
#define PUT_NUMBER(member, option)                                                                 \
    if (settings->member != 0) {                                                                   \
        assay_sink_printf(sink, " --%s %" PRIu64, option, settings->member);                       \
    }
#define PUT_TEXT(member, option)                                                                   \
    if (settings->member != NULL) {                                                                \
        assay_sink_printf(sink, " --%s %s", option, settings->member);                             \
    }
#define PUT_FLAG(member, option)                                                                   \
    if (settings->member) {                                                                        \
        assay_sink_printf(sink, " --%s", option);                                                  \
    }
#define X(member, type, option, argument, least, most, help) PUT_##type(member, option)
    ASSAY_GENERATE_SETTINGS(X)
#undef X
#undef PUT_NUMBER
#undef PUT_TEXT
#undef PUT_FLAG
}

static json_t *entry_of(const struct generated *g)
{
    const struct assay_format *format = g->generator->format;
    struct assay_sink command;
    assay_sink_memory(&command, 0);
    put_command(g, &command);
    json_t *source = json_stringn((const char *)command.data, command.size);
    assay_sink_close(&command, NULL);
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:[], s:[], s:O}", "name",
                              assay_export_name(g->export.stem), "format", format->name, "version",
                              format->version, "why", g->sample->why, "source", source, "shows",
                              "generated", "interpret", "clauses", "files", g->export.files);
    assay_export_describe(&g->export, format, g->model->framing, entry);
    return entry;
}

/* --- all --- */

static enum assay_error write_files(const struct generated *g)
{
    const struct assay_vector nothing_else = {.interpret = NULL};
    enum assay_error error = write_trace(g);
    error = error != ASSAY_OK ? error : write_manifest(g);
    error = error != ASSAY_OK ? error : write_events(&g->export);
    return error != ASSAY_OK ? error : assay_export_verdict(&g->export, &nothing_else);
}

static enum assay_error export_one(const char *root, const struct assay_generator *generator,
                                   const struct assay_sample *sample, uint64_t seed, json_t *list,
                                   struct assay_diag *diag)
{
    char stem[256];
    struct generated g = {.generator = generator,
                          .model = assay_model_of(generator, sample->model),
                          .sample = sample,
                          .settings = sample->settings};
    g.settings.seed = seed;
    g.settings.limit = g.settings.limit != 0 ? g.settings.limit : INSTRUCTIONS;
    g.settings.isa = g.model->isa;
    assay_export_begin(&g.export, root, stem, diag);
    g.export.stem_length = snprintf(stem, sizeof stem, "%s/generated/%s-%" PRIu64,
                                    generator->format->name, sample->name, seed);
    enum assay_error error = assay_corpus_make_folders(root, stem, diag);
    error = error != ASSAY_OK ? error : write_files(&g);
    if (error == ASSAY_OK && json_array_append_new(list, entry_of(&g)) != 0) {
        error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    assay_export_end(&g.export);
    return error;
}

enum assay_error assay_corpus_export_generated(const struct assay_new_folder *folder,
                                               struct assay_corpus_wanted *wanted, json_t *list,
                                               struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; assay_generators[i] != NULL; i++) {
        const struct assay_generator *generator = assay_generators[i];
        if (assay_catalogue_of(generator->format) == NULL ||
            (wanted->format != NULL && wanted->format != generator->format)) {
            continue;
        }
        for (const struct assay_sample *s = generator->samples; s->name != NULL; s++) {
            for (uint64_t seed = 0; seed < wanted->seeds && error == ASSAY_OK; seed++) {
                error = export_one(folder->root, generator, s, seed, list, diag);
                error = error != ASSAY_OK ? error : assay_new_folder_check(folder, diag);
                wanted->generated += error == ASSAY_OK;
            }
        }
    }
    return error;
}
