/* decoder-FORMAT MANIFEST..., decoder-FORMAT-alone MANIFEST...: print the events of traces with the
 * fields that the decoder gives. The second one is linked without the facts of the format, so that
 * it cannot be linked if the decoder needs them. Both print the same; of the second the fields of
 * facts are 0. */
#include <stdio.h>
#include <string.h>

#include "io/source.h"
#include "manifest/manifest.h"
#include "model/reader.h"

#ifdef ASSAY_DECODER_ALONE
enum { ALONE = 1 };
#else
enum { ALONE = 0 };
#endif

static int fail(const struct assay_diag *diag)
{
    fprintf(stderr, "%s\n", diag->message);
    return 1;
}

static const struct assay_format *format_of(const char *name)
{
    const struct assay_format *const *format = assay_formats;
    while (*format != NULL && strcmp((*format)->name, name) != 0) {
        format++;
    }
    return *format;
}

/* False: a field of facts is not 0. */
static bool print_fields(const struct assay_kind *kind, const struct assay_event *event)
{
    bool without = true;
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        const uint64_t value = assay_field_get(field, event);
        if ((field->flags & (ASSAY_OF_FACTS | ASSAY_COMPARED)) == 0) {
            printf(" %s=%llx", field->name, (unsigned long long)value);
        } else if (ALONE && value != 0) {
            fprintf(stderr, "%s.%s is of the facts, and the decoder writes it\n", kind->name,
                    field->name);
            without = false;
        }
    }
    putchar('\n');
    return without;
}

static int print_events(const struct assay_format *format, struct assay_decoder *decoder)
{
    struct assay_reader reader;
    struct assay_diag diag = {.message = ""};
    const struct assay_event *event = NULL;
    enum assay_error error = ASSAY_OK;
    bool without = true;
    assay_reader_begin(&reader, format, decoder, ASSAY_ALL_LAYERS, true);
    while ((error = assay_reader_next(&reader, &event, &diag)) == ASSAY_OK && event != NULL) {
        const struct assay_kind *kind = &format->kinds[event->kind];
        printf("%llx %s", (unsigned long long)event->offset, kind->name);
        without = print_fields(kind, event) && without;
    }
    return error != ASSAY_OK ? fail(&diag) : !without;
}

static int decode(const struct assay_manifest *manifest, const struct assay_format *format,
                  struct assay_parameter_values *values, struct assay_image_set *images)
{
    struct assay_diag diag = {.message = ""};
    struct assay_decode_input input = {
        .parameters = values, .images = images, .framing = manifest->all.framing};
    struct assay_decoder *decoder = NULL;
    int status = 1;
    if (assay_source_open(manifest->data[0], &input.source, &diag) != ASSAY_OK) {
        return fail(&diag);
    }
    if (format->decoder->open(&input, &decoder, &diag) == ASSAY_OK) {
        status = print_events(format, decoder);
    } else {
        status = fail(&diag);
    }
    format->decoder->close(decoder);
    return status;
}

static int run(const struct assay_manifest *manifest)
{
    struct assay_diag diag = {.message = ""};
    struct assay_parameter_values values;
    struct assay_image_set *images = NULL;
    const struct assay_format *format = format_of(manifest->all.format);
    int status = 1;
    if (format == NULL || format->parameters == NULL) {
        return 1;
    }
    assay_parameters_init(&values, format->parameters);
    if (assay_manifest_configure(&manifest->all, &values, &diag) == ASSAY_OK &&
        assay_image_set_open(NULL, &images) == ASSAY_OK &&
        assay_manifest_images(&manifest->all, images, &diag) == ASSAY_OK) {
        assay_parameters_settle(&values);
        status = decode(manifest, format, &values, images);
    } else {
        status = fail(&diag);
    }
    assay_image_set_free(images);
    return status;
}

int main(int argc, char **argv)
{
    int status = argc > 1 ? 0 : 1;
    for (int i = 1; i < argc && status == 0; i++) {
        struct assay_manifest manifest = {.path = NULL};
        struct assay_diag diag = {.message = ""};
        printf("%s\n", argv[i]);
        if (assay_manifest_load(argv[i], NULL, &manifest, &diag) != ASSAY_OK) {
            return fail(&diag);
        }
        status = run(&manifest);
        assay_manifest_free(&manifest);
    }
    return status;
}
