#include "validator/program/generate_manifest.h"

#include <stdio.h>
#include <string.h>

#include "common/source.h"
#include "generators/recorded_image.h"
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

static enum assay_error write_image(const char *path, const char *recording,
                                    struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_sink sink;
    enum assay_error error = assay_source_open(recording, &source, diag);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = assay_sink_replace(&sink, path, diag);
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
static void put_config(struct assay_sink *sink, const struct assay_parameter_values *values)
{
    const char *before = "config: {";
    for (size_t i = 0; i < values->table->count; i++) {
        char text[64];
        if (values->known[i]) {
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
    if (settings->thread != 0 && settings->record == NULL) {
        assay_sink_printf(sink, "thread: %llu\n", (unsigned long long)settings->thread);
    }
    return error;
}

static enum assay_error put_manifest(struct assay_sink *sink,
                                     const struct assay_generator *generator,
                                     const struct assay_generate_settings *settings,
                                     const struct assay_generate_files *files, const char *image,
                                     struct assay_diag *diag)
{
    assay_sink_printf(sink, "manifest: 1\nformat: %s\ndata: [", generator->format->name);
    enum assay_error error = assay_manifest_put_name(sink, files->manifest, files->trace, diag);
    assay_sink_text(sink, "]\n");
    if (error == ASSAY_OK) {
        error = put_execution(sink, settings, files, diag);
    }
    if (error == ASSAY_OK && files->facts != NULL) {
        error = put_file(sink, "facts", files->manifest, files->facts, diag);
    }
    if (generator->configure != NULL && error == ASSAY_OK) {
        struct assay_parameter_values values;
        assay_parameters_init(&values, generator->format->parameters);
        generator->configure(settings, &values);
        put_config(sink, &values);
        assay_sink_text(sink, "images: [{file: ");
        error = assay_manifest_put_name(sink, files->manifest, image, diag);
        assay_sink_text(sink, "}]\n");
    }
    return error;
}

enum assay_error assay_generate_manifest(const struct assay_generator *generator,
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
    error = put_manifest(&sink, generator, settings, files, image, diag);
    if (error == ASSAY_OK && image[0] != '\0') {
        error = write_image(image, files->execution, diag);
    }
    if (error != ASSAY_OK) {
        assay_sink_discard(&sink);
        return error;
    }
    return assay_sink_close(&sink, diag);
}
