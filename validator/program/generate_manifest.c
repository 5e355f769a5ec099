#include "validator/program/generate_manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generators/recorded_image.h"
#include "io/source.h"
#include "manifest/manifest.h"
#include "manifest/manifest_write.h"

enum assay_error assay_generate_image_name(const struct assay_generator *generator,
                                           const char *manifest,
                                           char path[ASSAY_GENERATE_PATH_MOST],
                                           struct assay_diag *diag)
{
    path[0] = '\0';
    if (!assay_is_manifest(manifest)) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "the name of a manifest ends in .assay.yaml");
    }
    if (generator->configure == NULL) {
        return ASSAY_OK;
    }
    const size_t stem = strlen(manifest) - strlen(".assay.yaml");
    const int length = snprintf(path, ASSAY_GENERATE_PATH_MOST, "%.*s.elf", (int)stem, manifest);
    return length >= 0 && length < ASSAY_GENERATE_PATH_MOST
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the manifest's name is too long");
}

static enum assay_error open_recording(const char *path, struct assay_execution **execution,
                                       struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    const enum assay_error error = assay_source_open(path, &source, diag);
    return error != ASSAY_OK ? error : assay_execution_open(source, execution, diag);
}

/* Takes ownership of the execution. */
static enum assay_error write_image(const char *path, struct assay_execution *execution,
                                    struct assay_diag *diag)
{
    struct assay_sink sink;
    enum assay_error error = assay_sink_replace(&sink, path, diag);
    if (error == ASSAY_OK) {
        error = assay_recorded_image(execution, &sink, diag);
        if (error != ASSAY_OK) {
            assay_sink_discard(&sink);
        } else {
            error = assay_sink_close(&sink, diag);
        }
    }
    assay_execution_close(execution);
    return error;
}

/* The parameters that have a value, in one line. */
static void put_config(struct assay_sink *sink, const char *indent,
                       const struct assay_parameter_values *values)
{
    const char *before = "config: {";
    assay_sink_text(sink, indent);
    for (size_t i = 0; i < values->table->count; i++) {
        char text[64];
        if (values->known[i] && !values->table->list[i].is_reading) {
            assay_parameter_text(&values->table->list[i], values->value[i], text, sizeof text);
            assay_sink_printf(sink, "%s%s: %s", before, values->table->list[i].name, text);
            before = ", ";
        }
    }
    assay_sink_text(sink, before[0] == ',' ? "}\n" : "");
}

static enum assay_error put_file(struct assay_sink *sink, const char *key, const char *manifest,
                                 const char *file, struct assay_diag *diag)
{
    assay_sink_printf(sink, "%s: ", key);
    const enum assay_error error = assay_manifest_put_name(sink, manifest, file, diag);
    assay_sink_text(sink, "\n");
    return error;
}

/* What the trace is compared with. A recording that is repeated was executed once, so that the
 * trace is of no recording. */
static enum assay_error put_execution(struct assay_sink *sink,
                                      const struct assay_generate_settings *settings,
                                      const struct assay_generate_files *files,
                                      struct assay_diag *diag)
{
    if (settings->record == NULL && settings->repeat > 1) {
        return ASSAY_OK;
    }
    const char *execution = files->record != NULL ? files->record : files->execution;
    const enum assay_error error = put_file(sink, "execution", files->manifest, execution, diag);
    if ((settings->thread != 0 || files->chosen) && settings->record == NULL) {
        assay_sink_printf(sink, "thread: %llu\n", (unsigned long long)settings->thread);
    }
    return error;
}

/* Configuration and image, where the format has a use for them. */
static enum assay_error put_program(struct assay_sink *sink, const char *indent,
                                    const struct assay_generator *generator,
                                    const struct assay_generate_settings *settings,
                                    const char *manifest, const char *image,
                                    struct assay_diag *diag)
{
    struct assay_parameter_values values;
    if (generator->configure == NULL) {
        return ASSAY_OK;
    }
    assay_parameters_init(&values, generator->format->parameters);
    generator->configure(settings, &values);
    put_config(sink, indent, &values);
    assay_sink_printf(sink, "%simages: [{file: ", indent);
    const enum assay_error error = assay_manifest_put_name(sink, manifest, image, diag);
    assay_sink_text(sink, "}]\n");
    return error;
}

/* --- the streams of a capture --- */

void assay_generate_source_endings(const struct assay_model_source *source,
                                   char execution[ASSAY_GENERATE_ENDING],
                                   char image[ASSAY_GENERATE_ENDING])
{
    snprintf(execution, ASSAY_GENERATE_ENDING, "0x%" PRIx32 ".execution", source->id);
    snprintf(image, ASSAY_GENERATE_ENDING, "0x%" PRIx32 ".elf", source->id);
}

enum assay_error assay_generate_source_files(const struct assay_model_source *source,
                                             const char *manifest,
                                             struct assay_generate_source_files *files,
                                             struct assay_diag *diag)
{
    char endings[2][ASSAY_GENERATE_ENDING];
    const int stem = (int)(strlen(manifest) - strlen("assay.yaml"));
    assay_generate_source_endings(source, endings[0], endings[1]);
    const int length =
        snprintf(files->execution, sizeof files->execution, "%.*s%s", stem, manifest, endings[0]);
    (void)snprintf(files->image, sizeof files->image, "%.*s%s", stem, manifest, endings[1]);
    return length >= 0 && length < ASSAY_GENERATE_PATH_MOST
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the manifest's name is too long");
}

/* What the stream is made of is drawn again, for its recorded execution. */
static enum assay_error write_execution(const struct assay_model_source *source,
                                        const struct assay_generate_settings *capture,
                                        const char *path, struct assay_diag *diag)
{
    struct assay_sink trace, execution;
    struct assay_generated made;
    enum assay_error error = assay_sink_replace(&execution, path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_sink_memory(&trace, 0);
    error = assay_source_make(source, capture, &trace, &execution, &made, diag);
    assay_sink_close(&trace, NULL);
    if (error != ASSAY_OK) {
        assay_sink_discard(&execution);
        return error;
    }
    return assay_sink_close(&execution, diag);
}

static enum assay_error put_source(struct assay_sink *sink, const struct assay_model_source *source,
                                   const struct assay_generate_settings *capture,
                                   const char *manifest, struct assay_diag *diag)
{
    const struct assay_generate_settings settings = assay_source_settings(source, capture);
    struct assay_generate_source_files files;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_generate_source_files(source, manifest, &files, diag);
    error = error != ASSAY_OK ? error : write_execution(source, capture, files.execution, diag);
    error = error != ASSAY_OK ? error : open_recording(files.execution, &execution, diag);
    error = error != ASSAY_OK ? error : write_image(files.image, execution, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_sink_printf(sink, "  - id: 0x%" PRIx32 "\n    format: %s\n    ", source->id,
                      source->format);
    error = put_file(sink, "execution", manifest, files.execution, diag);
    return error != ASSAY_OK ? error
                             : put_program(sink, "    ", assay_source_generator(source), &settings,
                                           manifest, files.image, diag);
}

static enum assay_error put_sources(struct assay_sink *sink, const struct assay_model *model,
                                    const struct assay_generate_settings *settings,
                                    const char *manifest, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    assay_sink_text(sink, "streams:\n");
    for (const struct assay_model_source *s = model->sources; s->id != 0 && error == ASSAY_OK;
         s++) {
        error = put_source(sink, s, settings, manifest, diag);
    }
    return error;
}

/* --- the whole --- */

/* By its name, also where RAW would mean it. */
static void put_framing(struct assay_sink *sink, const struct assay_format *format,
                        const struct assay_model *model)
{
    const unsigned own = model != NULL ? model->framing : ASSAY_FRAMING_RAW;
    const unsigned framing = own == ASSAY_FRAMING_RAW ? format->default_framing : own;
    if (framing != ASSAY_FRAMING_RAW) {
        assay_sink_printf(sink, "framing: %s\n", assay_framing_name((enum assay_framing)framing));
    }
}

static enum assay_error
put_manifest(struct assay_sink *sink, const struct assay_generator *generator,
             const struct assay_model *model, const struct assay_generate_settings *settings,
             const struct assay_generate_files *files, const char *image, struct assay_diag *diag)
{
    assay_sink_printf(sink, "manifest: 1\nformat: %s\ndata: [", generator->format->name);
    enum assay_error error = assay_manifest_put_name(sink, files->manifest, files->trace, diag);
    assay_sink_text(sink, "]\n");
    if (error != ASSAY_OK) {
        return error;
    }
    put_framing(sink, generator->format, model);
    if (model != NULL && model->sources != NULL) {
        return put_sources(sink, model, settings, files->manifest, diag);
    }
    error = put_execution(sink, settings, files, diag);
    if (error == ASSAY_OK && files->facts != NULL) {
        error = put_file(sink, "facts", files->manifest, files->facts, diag);
    }
    return error != ASSAY_OK
               ? error
               : put_program(sink, "", generator, settings, files->manifest, image, diag);
}

enum assay_error assay_generate_manifest(const struct assay_generator *generator,
                                         const struct assay_model *model,
                                         const struct assay_generate_settings *settings,
                                         const struct assay_generate_files *files,
                                         struct assay_diag *diag)
{
    char image[ASSAY_GENERATE_PATH_MOST];
    struct assay_sink sink;
    enum assay_error error = assay_generate_image_name(generator, files->manifest, image, diag);
    error = error != ASSAY_OK ? error : assay_sink_replace(&sink, files->manifest, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = put_manifest(&sink, generator, model, settings, files, image, diag);
    if (error == ASSAY_OK && image[0] != '\0') {
        struct assay_execution *execution = NULL;
        error = files->recording != NULL ? assay_execution_again(files->recording, &execution, diag)
                                         : open_recording(files->execution, &execution, diag);
        error = error != ASSAY_OK ? error : write_image(image, execution, diag);
    }
    if (error != ASSAY_OK) {
        assay_sink_discard(&sink);
        return error;
    }
    return assay_sink_close(&sink, diag);
}
