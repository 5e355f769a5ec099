#include "validator/engine/bundle.h"

#include <stdlib.h>

#include "common/source.h"
#include "common/source_concat.h"

/* The format whose streams a framing carries; null for framings of packets. */
static const struct assay_format *carrier_of(enum assay_framing framing)
{
    return framing == ASSAY_FRAMING_CORESIGHT ? assay_format_by_name("coresight") : NULL;
}

static enum assay_error name_format(const struct assay_manifest *manifest,
                                    const struct assay_manifest_stream *stream,
                                    struct assay_stream_setup *setup, struct assay_diag *diag)
{
    if (stream->format != NULL && setup->format == NULL) {
        setup->format = assay_format_by_name(stream->format); /* the manifest's reader knows it */
    }
    if (stream->profile == NULL || setup->profile != 0) {
        return ASSAY_OK;
    }
    const int profile =
        setup->format != NULL ? assay_profile_by_name(setup->format, stream->profile) : -1;
    if (profile < 0) {
        assay_fail_at(diag, ASSAY_UNKNOWN_NAME, stream->line, stream->column,
                      "%s has no profile \"%s\"",
                      setup->format != NULL ? setup->format->name : "a format that is not named",
                      stream->profile);
        assay_diag_path(diag, manifest->path);
        return ASSAY_UNKNOWN_NAME;
    }
    setup->profile = 1 + (unsigned)profile;
    return ASSAY_OK;
}

/* What a stream of the manifest needs, as number `n` of the bundle. */
static enum assay_error set_up(struct assay_bundle *b, size_t n,
                               const struct assay_manifest_stream *stream,
                               const struct assay_stream_setup *given,
                               struct assay_stream_setup *setup, struct assay_diag *diag)
{
    *setup = *given;
    setup->framing = b->manifest.framing;
    enum assay_error error = name_format(&b->manifest, stream, setup, diag);
    if (error == ASSAY_OK && setup->config_file == NULL) {
        setup->config_file = stream->config.file;
        setup->config = stream->config.map;
        setup->config_path = b->manifest.path;
    }
    if (error == ASSAY_OK && setup->facts == NULL &&
        (stream->facts.map != NULL || stream->facts.file != NULL)) {
        error = assay_manifest_facts(&b->manifest, stream, &b->facts[n], diag);
        setup->facts = &b->facts[n];
    }
    if (error == ASSAY_OK && setup->images == NULL && stream->image_count > 0) {
        error = assay_image_set_open(NULL, &b->sets[n]);
        error = error != ASSAY_OK ? error : assay_manifest_images(stream, b->sets[n], diag);
        setup->images = b->sets[n];
    }
    return error;
}

static enum assay_error set_up_streams(struct assay_bundle *b, const struct assay_input *given,
                                       struct assay_diag *diag)
{
    const struct assay_manifest *m = &b->manifest;
    struct assay_stream_setup *setups =
        assay_arena_take(&b->arena, (m->stream_count + 1) * sizeof *setups);
    struct assay_stream_setup carried = given->setup;
    enum assay_error error = setups != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    carried.format = NULL; /* what the command line gives is of the input itself */
    carried.profile = 0;
    for (size_t i = 0; i < m->stream_count && error == ASSAY_OK; i++) {
        if (m->streams[i].id > UINT32_MAX) {
            assay_fail_at(diag, ASSAY_OUT_OF_RANGE, m->streams[i].line, m->streams[i].column,
                          "the id of a stream has at most 32 bits");
            assay_diag_path(diag, m->path);
            return ASSAY_OUT_OF_RANGE;
        }
        error = set_up(b, i + 1, &m->streams[i], &carried, &setups[i], diag);
        setups[i].execution = given->execution != NULL ? given->execution : m->streams[i].execution;
        setups[i].has_id = m->streams[i].has_id;
        setups[i].id = (uint32_t)m->streams[i].id;
        setups[i].framing = ASSAY_FRAMING_RAW;
    }
    b->input.streams = setups;
    b->input.stream_count = m->stream_count;
    return error;
}

/* Whether the input is of a format that carries streams: by its name, else by its magic. */
static bool is_capture(const struct assay_bundle *b, const struct assay_format *format)
{
    struct assay_source *source = NULL;
    if (format == NULL && b->manifest.all.format != NULL) {
        format = assay_format_by_name(b->manifest.all.format);
    }
    if (format == NULL && assay_source_concat(&b->parts, &source) == ASSAY_OK) {
        format = assay_detect_format(source);
        assay_source_close(source);
    }
    return format != NULL && format->carrier != NULL;
}

/* What the manifest says of the input itself. Of bytes that carry no streams that is the one stream
 * that the framing RAW has. */
static const struct assay_manifest_stream *whole_of(const struct assay_bundle *b,
                                                    const struct assay_format *format)
{
    const struct assay_manifest *m = &b->manifest;
    return m->framing == ASSAY_FRAMING_RAW && m->stream_count > 0 && !is_capture(b, format)
               ? &m->streams[0]
               : &m->all;
}

static enum assay_error open_manifest(struct assay_bundle *b, const struct assay_input *given,
                                      struct assay_diag *diag)
{
    const struct assay_manifest_options options = {.allow_outside = given->allow_outside,
                                                   .formats = assay_formats};
    enum assay_error error = assay_manifest_load(given->path, &options, &b->manifest, diag);
    error = error != ASSAY_OK ? error
                              : assay_source_parts_open(b->manifest.data, b->manifest.data_count,
                                                        &b->parts, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    b->count = b->manifest.stream_count + 1;
    b->sets = calloc(b->count, sizeof(struct assay_image_set *));
    b->facts = calloc(b->count, sizeof *b->facts);
    if (b->sets == NULL || b->facts == NULL) {
        return ASSAY_NO_MEMORY;
    }
    const struct assay_format *carrier = carrier_of(b->manifest.framing);
    struct assay_stream_setup own = given->setup;
    own.format = own.format != NULL ? own.format : carrier;
    const struct assay_manifest_stream *whole = whole_of(b, own.format);
    error = set_up(b, 0, whole, &own, &b->input.setup, diag);
    b->input.parts = &b->parts;
    b->input.part_names = b->manifest.names;
    b->input.execution = given->execution != NULL ? given->execution : whole->execution;
    return error != ASSAY_OK || whole != &b->manifest.all ? error : set_up_streams(b, given, diag);
}

enum assay_error assay_bundle_open(const struct assay_input *given, struct assay_bundle *bundle,
                                   struct assay_diag *diag)
{
    *bundle = (struct assay_bundle){.input = *given};
    const enum assay_error error = given->parts == NULL && assay_is_manifest(given->path)
                                       ? open_manifest(bundle, given, diag)
                                       : ASSAY_OK;
    if (error == ASSAY_NO_MEMORY && diag->message[0] == '\0') {
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory");
    }
    return error;
}

void assay_bundle_close(struct assay_bundle *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->sets != NULL) {
            assay_image_set_free(b->sets[i]);
        }
        if (b->facts != NULL) {
            assay_facts_clear(&b->facts[i]);
        }
    }
    free(b->sets);
    free(b->facts);
    assay_source_parts_close(&b->parts);
    assay_manifest_free(&b->manifest);
    assay_arena_free(&b->arena);
    *b = (struct assay_bundle){0};
}
