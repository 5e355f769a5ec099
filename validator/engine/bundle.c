#include "validator/engine/bundle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "execution/execution.h"
#include "io/path.h"
#include "io/source.h"
#include "io/source_concat.h"
#include "model/describe.h"

/* The format whose streams a framing carries; null for framings of packets. */
static const struct assay_format *carrier_of(unsigned framing)
{
    const struct assay_format *const *f = assay_formats;
    while (*f != NULL && (framing == ASSAY_FRAMING_RAW || (*f)->carrier == NULL ||
                          !assay_format_framed(*f, framing))) {
        f++;
    }
    return *f;
}

/* Whether a format, or if null any one, has a framing. */
static bool is_framed(const struct assay_format *format, unsigned framing)
{
    const struct assay_format *const *f = assay_formats;
    while (format == NULL && *f != NULL && !assay_format_framed(*f, framing)) {
        f++;
    }
    return format != NULL ? assay_format_framed(format, framing) : *f != NULL;
}

/* Refuses a framing that the format does not have or, where the format is not named, no format has:
 * its bytes have nobody's magic, and a message about that would not help. */
static enum assay_error check_framing(const struct assay_manifest *m,
                                      const struct assay_format *format, struct assay_diag *diag)
{
    const char *const name = assay_framing_name(m->all.framing);
    char known[128] = "";
    if (is_framed(format, m->all.framing)) {
        return ASSAY_OK;
    }
    for (unsigned i = 0; i < ASSAY_FRAMING_COUNT; i++) {
        if (is_framed(format, i)) {
            assay_append(known, sizeof known, "%s%s", i > 0 ? ", " : "", assay_framing_names[i]);
        }
    }
    if (format != NULL) {
        assay_fail_at(diag, ASSAY_USAGE, m->framing_line, m->framing_column,
                      "streams of %s have no framing \"%s\"", format->name, name);
    } else {
        assay_fail_at(diag, ASSAY_USAGE, m->framing_line, m->framing_column,
                      "no format has the framing \"%s\"", name);
    }
    assay_diag_hint(diag, "there are: %s", known);
    assay_diag_path(diag, m->path);
    return ASSAY_USAGE;
}

/* What is given, or else what the manifest says. */
static unsigned framing_of(const struct assay_stream_setup *given,
                           const struct assay_manifest_stream *stream)
{
    return given->framing_given ? given->framing : (unsigned)stream->framing;
}

/* What the command line gives, as far as it is about the streams that the input carries: format,
 * profile and framing are the input's own. */
static struct assay_stream_setup given_to_streams(const struct assay_input *given)
{
    struct assay_stream_setup carried = given->setup;
    carried.format = NULL;
    carried.profile = 0;
    carried.framing = ASSAY_FRAMING_RAW;
    carried.framing_given = false;
    return carried;
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

/* The dumps of a snapshot are there for whoever reads them; a manifest that names images means them
 * to be read. */
static bool wants_images(const struct assay_bundle *b, const struct assay_manifest_stream *stream,
                         const struct assay_stream_setup *setup)
{
    const bool of_snapshot = b->manifest.file_count > 0;
    const bool changes = stream->timeline != NULL && stream->timeline->write_count > 0;
    return (stream->image_count > 0 || changes) &&
           (!of_snapshot || setup->format == NULL || setup->format->reads_images);
}

/* Replaces the name of the private folder in a text by that of the archive. */
static void replace_folder(char *text, size_t size, const char *folder, const char *archive)
{
    char *at = strstr(text, folder);
    char *rest = at != NULL ? strdup(at + strlen(folder)) : NULL;
    if (rest != NULL) {
        *at = '\0';
        assay_append(text, size, "%s%s", archive, rest);
    }
    free(rest);
}

static void show_archive(const struct assay_manifest *m, struct assay_diag *diag)
{
    if (m->unpacked != NULL && diag != NULL) {
        replace_folder(diag->path, sizeof diag->path, m->unpacked, m->files[0]);
        replace_folder(diag->message, sizeof diag->message, m->unpacked, m->files[0]);
        replace_folder(diag->hint, sizeof diag->hint, m->unpacked, m->files[0]);
    }
}

/* What a stream of the manifest needs, as number `n` of the bundle. */
static enum assay_error set_up(struct assay_bundle *b, size_t n,
                               const struct assay_manifest_stream *stream,
                               const struct assay_stream_setup *given,
                               struct assay_stream_setup *setup, struct assay_diag *diag)
{
    *setup = *given;
    setup->framing = framing_of(given, stream);
    setup->execution = given->execution != NULL ? given->execution : stream->execution;
    if (given->execution_thread == ASSAY_EXECUTION_THREAD_FROM_TRACE && stream->has_thread) {
        setup->execution_thread = stream->thread;
    }
    if (stream->unjudged != NULL && given->format == NULL) {
        return assay_fail(diag, ASSAY_UNKNOWN_FORMAT, ASSAY_NO_OFFSET, "%s", stream->unjudged);
    }
    enum assay_error error = name_format(&b->manifest, stream, setup, diag);
    if (error == ASSAY_OK && setup->config_file == NULL) {
        setup->config_file = stream->config.file;
        setup->config = stream->config.map;
        setup->config_path = stream->config.map != NULL ? stream->config.map->path : NULL;
    }
    if (error == ASSAY_OK && setup->facts == NULL &&
        (stream->facts.map != NULL || stream->facts.file != NULL)) {
        error = assay_manifest_facts(&b->manifest, stream, &b->facts[n], diag);
        setup->facts = &b->facts[n];
    }
    if (error == ASSAY_OK && setup->images == NULL && wants_images(b, stream, setup)) {
        const struct assay_image_options limits = {.left = &b->image_bytes_left};
        error = assay_image_set_open(&limits, &b->sets[n]);
        error = error != ASSAY_OK ? error : assay_manifest_images(stream, b->sets[n], diag);
        show_archive(&b->manifest, diag);
        setup->images = b->sets[n];
    }
    return error;
}

/* Has the stream of a setup left unjudged, with the reason. */
static enum assay_error leave_unjudged(struct assay_bundle *b, const struct assay_diag *why,
                                       struct assay_stream_setup *setup, struct assay_diag *diag)
{
    struct assay_diag *unjudged = assay_arena_take(&b->arena, sizeof *unjudged);
    if (unjudged == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    *unjudged = *why;
    setup->unjudged = unjudged;
    return ASSAY_OK;
}

/* One of the streams that the input carries. What is wrong in what is said of it is told for it. */
static enum assay_error set_up_carried(struct assay_bundle *b, size_t number,
                                       const struct assay_stream_setup *given,
                                       struct assay_stream_setup *setup, struct assay_diag *diag)
{
    const struct assay_manifest_stream *stream = &b->manifest.streams[number];
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = set_up(b, number + 1, stream, given, setup, &wrong);
    setup->has_id = stream->has_id;
    setup->id = (uint32_t)stream->id;
    setup->may_be_idle = stream->may_be_idle;
    return error == ASSAY_OK || error == ASSAY_NO_MEMORY ? error
                                                         : leave_unjudged(b, &wrong, setup, diag);
}

/* The streams that the input carries. */
static enum assay_error set_up_streams(struct assay_bundle *b, const struct assay_input *given,
                                       struct assay_diag *diag)
{
    const struct assay_manifest *m = &b->manifest;
    struct assay_stream_setup *setups =
        assay_arena_take(&b->arena, (m->stream_count + 1) * sizeof *setups);
    const struct assay_stream_setup carried = given_to_streams(given);
    enum assay_error error = setups != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    for (size_t i = 0; i < m->stream_count && error == ASSAY_OK; i++) {
        if (m->streams[i].id > UINT32_MAX) {
            assay_fail_at(diag, ASSAY_OUT_OF_RANGE, m->streams[i].line, m->streams[i].column,
                          "the id of a stream has at most 32 bits");
            assay_diag_path(diag, m->path);
            return ASSAY_OUT_OF_RANGE;
        }
        error = set_up_carried(b, i, &carried, &setups[i], diag);
    }
    b->input.streams = setups;
    b->input.stream_count = m->stream_count;
    return error;
}

/* Without a list of streams what the manifest says at its top is said of each that is there. */
static enum assay_error set_up_others(struct assay_bundle *b, const struct assay_input *given,
                                      struct assay_diag *diag)
{
    struct assay_stream_setup *others = assay_arena_take(&b->arena, sizeof *others);
    struct assay_manifest_stream all = b->manifest.all;
    const struct assay_stream_setup carried = given_to_streams(given);
    if (others == NULL) {
        return ASSAY_NO_MEMORY;
    }
    all.framing = ASSAY_FRAMING_RAW;
    b->input.others = others;
    return set_up(b, 0, &all, &carried, others, diag);
}

/* Whether the input is of a format that carries streams: `format`, or if null that of its magic. */
static enum assay_error is_capture(const struct assay_bundle *b, const struct assay_format *format,
                                   bool *capture)
{
    struct assay_source *source = NULL;
    enum assay_error error = ASSAY_OK;
    if (format == NULL) {
        error = assay_source_concat(&b->parts, &source);
        error = error != ASSAY_OK ? error : assay_detect_format(source, &format);
        assay_source_close(source);
    }
    *capture = format != NULL && format->carrier != NULL;
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

/* An input that carries no streams. If the manifest lists one, that is the one that RAW has. */
static enum assay_error set_up_stream(struct assay_bundle *b, const struct assay_input *given,
                                      unsigned framing, struct assay_diag *diag)
{
    const struct assay_manifest *m = &b->manifest;
    const bool listed = framing == ASSAY_FRAMING_RAW && m->stream_count == 1;
    const struct assay_manifest_stream *stream = listed ? &m->streams[0] : &m->all;
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    enum assay_error error = set_up(b, 0, stream, &given->setup, &b->input.setup, &wrong);
    if (error != ASSAY_OK && error != ASSAY_NO_MEMORY && stream->unjudged != NULL) {
        error = leave_unjudged(b, &wrong, &b->input.setup, diag);
    } else if (error != ASSAY_OK) {
        *diag = wrong;
    }
    return error != ASSAY_OK || listed ? error : set_up_streams(b, given, diag);
}

/* The input itself. Where it carries streams, all that is said at the top of a manifest is said of
 * these, unless the format that is named there is the carrier's own. */
static enum assay_error set_up_input(struct assay_bundle *b, const struct assay_input *given,
                                     struct assay_diag *diag)
{
    const struct assay_manifest *m = &b->manifest;
    const struct assay_format *named =
        m->all.format != NULL ? assay_format_by_name(m->all.format) : NULL;
    struct assay_stream_setup own = given->setup;
    const unsigned framing = framing_of(&own, &m->all);
    const struct assay_format *carrier = carrier_of(framing);
    const struct assay_manifest_stream framing_only = {.framing = m->all.framing};
    const bool is_carrier = named != NULL && named->carrier != NULL;
    if (own.format == NULL && carrier != NULL && !is_carrier &&
        (named == NULL || !assay_format_framed(named, framing))) {
        own.format = carrier;
    }
    bool capture = false;
    const struct assay_format *format = own.format != NULL ? own.format : named;
    enum assay_error error = own.framing_given ? ASSAY_OK : check_framing(m, format, diag);
    if (error == ASSAY_OK) {
        error = is_capture(b, format, &capture);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    if (!capture) {
        return set_up_stream(b, given, framing, diag);
    }
    own.config_file = NULL;
    own.execution = NULL;
    error = set_up(b, 0, is_carrier ? &m->all : &framing_only, &own, &b->input.setup, diag);
    b->input.setup.execution = NULL;
    error = error != ASSAY_OK ? error : set_up_streams(b, given, diag);
    return error == ASSAY_OK && !is_carrier && m->stream_count == 0 ? set_up_others(b, given, diag)
                                                                    : error;
}

/* Files that a stream of the manifest names, before they are read. Recorded executions are
 * witnessed where they are read. */
static void add_evidence(struct assay_bundle *b, const struct assay_manifest_stream *stream,
                         bool digest)
{
    assay_evidence_add(&b->evidence, "config", stream->config.file, digest);
    assay_evidence_add(&b->evidence, "facts", stream->facts.file, digest);
    const bool packed = b->manifest.unpacked != NULL; /* then they are in the archive */
    for (size_t i = 0; i < stream->image_count && !packed; i++) {
        assay_evidence_add(&b->evidence, "image", stream->images[i].path, digest);
    }
    for (size_t i = 0; i < stream->absent_count; i++) {
        assay_evidence_missing(&b->evidence, "image", stream->absent[i]);
    }
}

/* Before a manifest is read, and after: of a snapshot it is known only then what is read. The name
 * of a buffer is no part of a file's. */
static void add_manifest(struct assay_bundle *b, const char *path, bool digest)
{
    if (b->manifest.file_count == 0) {
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%.*s", (int)assay_path_file_length(path), path);
        assay_evidence_add(&b->evidence, "manifest", file, digest);
    }
    for (size_t i = 0; i < b->manifest.file_count; i++) {
        assay_evidence_add(&b->evidence, "manifest", b->manifest.files[i], digest);
    }
}

/* Several inputs are not one. */
static enum assay_error refuse_several(const struct assay_manifest *m, struct assay_diag *diag)
{
    assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "there are %zu buffers; name one",
               m->input_count);
    assay_diag_hint(diag, "the first is %s", m->inputs[0]);
    assay_diag_path(diag, m->path);
    return ASSAY_USAGE;
}

static enum assay_error open_manifest(struct assay_bundle *b, const struct assay_input *given,
                                      bool digest, struct assay_diag *diag)
{
    const struct assay_manifest_options options = {.allow_outside = given->allow_outside,
                                                   .never_outside = given->never_outside,
                                                   .formats = assay_formats};
    add_manifest(b, given->path, digest);
    enum assay_error error = assay_manifest_load(given->path, &options, &b->manifest, diag);
    if (error == ASSAY_OK && b->manifest.data_count == 0) {
        error = refuse_several(&b->manifest, diag);
    }
    if (error == ASSAY_OK) {
        add_manifest(b, given->path, digest);
        add_evidence(b, &b->manifest.all, digest);
        for (size_t i = 0; i < b->manifest.stream_count; i++) {
            add_evidence(b, &b->manifest.streams[i], digest);
        }
    }
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
    b->input.parts = &b->parts;
    b->input.part_names = b->manifest.names;
    return set_up_input(b, given, diag);
}

/* What is given of the streams of a capture that was recognised by its bytes: nothing says which
 * format they have. */
static enum assay_error refuse_of_streams(const char *path, const struct assay_format *carrier,
                                          struct assay_diag *diag)
{
    unsigned framing = ASSAY_FRAMING_RAW + 1;
    while (framing < ASSAY_FRAMING_COUNT && !assay_format_framed(carrier, framing)) {
        framing++;
    }
    assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
               "is about the streams that the capture carries, and their format is not named");
    if (framing < ASSAY_FRAMING_COUNT) {
        assay_diag_hint(diag, "give --framing %s and their --format, or a manifest",
                        assay_framing_names[framing]);
    }
    assay_diag_path(diag, path);
    return ASSAY_USAGE;
}

enum assay_error assay_check_carrier(const struct assay_input *input,
                                     const struct assay_format *format, struct assay_diag *diag)
{
    const bool alone = input->parts == NULL && input->stream_count == 0 && input->others == NULL;
    if (format->carrier != NULL && alone && input->setup.config_file != NULL) {
        return refuse_of_streams(input->setup.config_file, format, diag);
    }
    if (format->carrier != NULL && alone && input->setup.images != NULL) {
        return refuse_of_streams(assay_image_info(input->setup.images, 0)->path, format, diag);
    }
    if (format->carrier != NULL || input->stream_count == 0) {
        return ASSAY_OK;
    }
    assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "the manifest has streams, but %s carries none",
               format->name);
    assay_diag_path(diag, input->path);
    return ASSAY_USAGE;
}

/* A file without a manifest. Where the framing that is given carries streams, all else that is
 * given is about these, the format too unless it is the carrier's own. */
static enum assay_error open_file(struct assay_bundle *b, const struct assay_input *given)
{
    const struct assay_stream_setup *setup = &given->setup;
    const struct assay_format *carrier = setup->framing_given ? carrier_of(setup->framing) : NULL;
    const bool is_framed_itself =
        setup->format != NULL && assay_format_framed(setup->format, setup->framing);
    const bool is_carrier = is_framed_itself && setup->format->carrier != NULL;
    if (carrier == NULL || given->stream_count > 0 || (is_framed_itself && !is_carrier)) {
        return ASSAY_OK;
    }
    struct assay_stream_setup *others = assay_arena_take(&b->arena, sizeof *others);
    if (others == NULL) {
        return ASSAY_NO_MEMORY;
    }
    *others = given_to_streams(given);
    others->format = is_carrier ? NULL : setup->format;
    others->profile = is_carrier ? 0 : setup->profile;
    b->input.others = others;
    b->input.setup = (struct assay_stream_setup){.format = is_carrier ? setup->format : carrier,
                                                 .profile = is_carrier ? setup->profile : 0,
                                                 .framing = setup->framing,
                                                 .framing_given = true,
                                                 .execution_thread = setup->execution_thread};
    return ASSAY_OK;
}

enum assay_error assay_bundle_open(const struct assay_input *given, bool digest,
                                   struct assay_bundle *bundle, struct assay_diag *diag)
{
    *bundle =
        (struct assay_bundle){.input = *given, .image_bytes_left = ASSAY_BUNDLE_MAX_IMAGE_BYTES};
    const enum assay_error error = given->parts == NULL && assay_is_manifest(given->path)
                                       ? open_manifest(bundle, given, digest, diag)
                                       : open_file(bundle, given);
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
    assay_evidence_close(&b->evidence);
    assay_arena_free(&b->arena);
    *b = (struct assay_bundle){0};
}
