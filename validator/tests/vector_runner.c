#include "validator/tests/vector_runner.h"

#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/retained.h"
#include "execution/execution.h"
#include "io/source.h"
#include "validator/engine/session.h"

_Noreturn static void die(const struct assay_diag *diag)
{
    char text[1024];
    assay_diag_format(diag, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void configure(const struct ready_vector *ready)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const struct assay_input input = assay_vector_input(&ready->vector, ready->name);
    if (assay_configure(&input.setup, ready->parameters, &diag) != ASSAY_OK) {
        die(&diag);
    }
}

/* What a vector is run with besides its bytes. */
static void make_settings(struct ready_vector *ready, struct assay_diag *diag)
{
    if (ready->vector.format->parameters != NULL) {
        ready->parameters = calloc(1, sizeof *ready->parameters);
    }
    assay_sink_memory(&ready->execution, 0);
    if (ready->vector.execution != NULL &&
        assay_vector_execution(&ready->vector, &ready->execution, diag) != ASSAY_OK) {
        die(diag);
    }
    const struct assay_catalogue *catalogue = assay_catalogue_of(ready->vector.format);
    ready->readings = calloc(catalogue->interpretation_count + 1, sizeof *ready->readings);
    if (assay_vector_readings(&ready->vector, catalogue, ready->readings, diag) != ASSAY_OK) {
        die(diag);
    }
}

static void make_ready(struct ready_vector *ready, const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    memset(ready, 0, sizeof *ready);
    ready->path = strdup(path);
    ready->name = strdup(strrchr(path, '/') + 1);
    if (assay_vector_load(path, &ready->vector, &diag) != ASSAY_OK) {
        die(&diag);
    }
    assay_sink_memory(&ready->bytes, 0);
    assay_diag_path(&diag, path);
    if (assay_vector_encode(&ready->vector, &ready->bytes, &diag) != ASSAY_OK) {
        die(&diag);
    }
    make_settings(ready, &diag);
}

/* --- streams --- */

static struct assay_source *source_of(const struct assay_sink *bytes)
{
    struct assay_source *source = NULL;
    if (assay_source_memory(bytes->data, bytes->size, &source) != ASSAY_OK) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return source;
}

/* The bytes of a stream as the capture carries them. */
static void read_carried(const struct ready_vector *capture, uint32_t id, struct assay_sink *bytes)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    const uint8_t *data = NULL;
    size_t have = 0;
    assay_sink_memory(bytes, 0);
    if (capture->vector.format->carrier->open(source_of(&capture->bytes), capture->vector.framing,
                                              id, &source, &diag) != ASSAY_OK) {
        die(&diag);
    }
    while (assay_source_peek(source, 1, &data, &have) == ASSAY_OK && have > 0) {
        assay_sink_write(bytes, data, have);
        assay_source_consume(source, have);
    }
    assay_source_close(source);
}

static void make_carried(struct ready_vector *ready, const struct ready_vector *capture,
                         const struct assay_vector_stream *stream)
{
    enum { SUFFIX = 32 };
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const size_t size = strlen(capture->name) + SUFFIX;
    *ready = (struct ready_vector){.path = strdup(capture->path),
                                   .name = malloc(size),
                                   .carried = true,
                                   .stream = stream->id,
                                   .vector = stream->vector};
    snprintf(ready->name, size, "%s, stream 0x%x", capture->name, (unsigned)stream->id);
    read_carried(capture, stream->id, &ready->bytes);
    assay_diag_path(&diag, capture->path);
    make_settings(ready, &diag);
}

const struct ready_vector *carried_stream(const struct ready_corpus *corpus,
                                          const struct ready_vector *capture, uint32_t id)
{
    for (size_t i = 0; i < corpus->all_count; i++) {
        const struct ready_vector *one = &corpus->all[i];
        if (one->carried && one->stream == id && strcmp(one->path, capture->path) == 0) {
            return one;
        }
    }
    return NULL;
}

/* --- the corpus --- */

/* Room for one more. */
static struct ready_vector *add_vector(struct ready_corpus *corpus)
{
    if (corpus->all_count == corpus->capacity) {
        corpus->capacity = corpus->capacity == 0 ? 256 : 2 * corpus->capacity;
        corpus->all = realloc(corpus->all, corpus->capacity * sizeof *corpus->all);
    }
    return &corpus->all[corpus->all_count++];
}

static void add_file(struct ready_corpus *corpus, const char *path)
{
    struct ready_vector capture;
    make_ready(&capture, path);
    *add_vector(corpus) = capture;
    for (size_t i = 0; i < capture.vector.stream_count; i++) {
        if (capture.vector.streams[i].vector.format != NULL) {
            make_carried(add_vector(corpus), &capture, &capture.vector.streams[i]);
        }
    }
}

/* By format and name, in whatever folders they are. */
static int by_format_and_name(const void *a, const void *b)
{
    const struct ready_vector *x = a;
    const struct ready_vector *y = b;
    const int formats = strcmp(x->vector.format->name, y->vector.format->name);
    return formats != 0 ? formats : strcmp(x->name, y->name);
}

/* Whether a name matches one of the patterns, which are separated by commas. */
static bool is_wanted(const char *name, const char *patterns)
{
    char pattern[256];
    for (size_t length; *patterns != '\0'; patterns += length + (patterns[length] == ',')) {
        length = strcspn(patterns, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (fnmatch(pattern, name, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a folder is that of a format whose vectors have none of the one that is wanted. */
static bool is_of_others(const char *folder, const char *wanted)
{
    for (size_t f = 0; wanted != NULL && assay_formats[f] != NULL; f++) {
        if (strcmp(folder, assay_formats[f]->name) == 0) {
            return strcmp(folder, wanted) != 0 && assay_formats[f]->carrier == NULL;
        }
    }
    return false;
}

static void list_format(struct ready_corpus *corpus, const char *format)
{
    corpus->list = corpus->all;
    corpus->count = corpus->all_count;
    while (format != NULL && corpus->count > 0 &&
           strcmp(corpus->list->vector.format->name, format) != 0) {
        corpus->list++;
        corpus->count--;
    }
    while (format != NULL && corpus->count > 0 &&
           strcmp(corpus->list[corpus->count - 1].vector.format->name, format) != 0) {
        corpus->count--;
    }
    corpus->format = format != NULL && corpus->count > 0 ? corpus->list->vector.format : NULL;
}

struct ready_corpus load_corpus_of(const char *folder, const char *format)
{
    const char *patterns = getenv("ASSAY_VECTORS");
    assay_retain_memory(); /* thousands of small inputs follow */
    struct ready_corpus corpus = {.filtered = patterns != NULL};
    char *const roots[] = {strdup(folder), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, by_name);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        const size_t n = entry->fts_namelen;
        if (entry->fts_info == FTS_D &&
            (entry->fts_name[0] == '_' ||
             (entry->fts_level == 1 && is_of_others(entry->fts_name, format)))) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && n > 5 &&
                   strcmp(entry->fts_name + n - 5, ".yaml") == 0 &&
                   (patterns == NULL || is_wanted(entry->fts_name, patterns))) {
            add_file(&corpus, entry->fts_path);
        }
    }
    fts_close(walk);
    free(roots[0]);
    qsort(corpus.all, corpus.all_count, sizeof *corpus.all, by_format_and_name);
    list_format(&corpus, format);
    return corpus;
}

struct ready_corpus load_corpus(const char *folder)
{
    return load_corpus_of(folder, NULL);
}

void free_corpus(struct ready_corpus *corpus)
{
    for (size_t i = 0; i < corpus->all_count; i++) {
        struct ready_vector *one = &corpus->all[i];
        free(one->path);
        free(one->name);
        free(one->readings);
        free(one->parameters);
        if (!one->carried) { /* a stream's vector is the capture's */
            assay_vector_free(&one->vector);
        }
        assay_sink_close(&one->bytes, NULL);
        assay_sink_close(&one->execution, NULL);
    }
    free(corpus->all);
}

bool corpus_has_catalogue(const struct ready_corpus *corpus,
                          const struct assay_catalogue *catalogue)
{
    return corpus->format == NULL || catalogue->format == corpus->format;
}

struct assay_decode_input vector_input(const struct ready_vector *vector,
                                       struct assay_source *source)
{
    if (vector->parameters != NULL) {
        configure(vector);
    }
    return (struct assay_decode_input){.source = source,
                                       .facts = &vector->vector.facts,
                                       .parameters = vector->parameters,
                                       .images = vector->vector.images,
                                       .conditions = assay_conditions_of(vector->vector.format),
                                       .framing = vector->vector.framing,
                                       .profile = vector->vector.profile};
}

static void run_input(struct vector_run *run, const struct ready_vector *vector,
                      const struct assay_input *input)
{
    struct assay_diag diag = {0};
    struct assay_source *execution =
        vector->vector.execution != NULL ? source_of(&vector->execution) : NULL;
    if (assay_check_open(&run->options, &run->check, &diag) != ASSAY_OK ||
        assay_check_source(run->check, input, source_of(&vector->bytes), execution, &diag) !=
            ASSAY_OK) {
        die(&diag);
    }
    run->results = assay_check_results(run->check);
}

void run_vector(struct vector_run *run, const struct ready_vector *vector,
                const struct assay_catalogue *catalogue, bool evaluate)
{
    struct assay_input input = assay_vector_input(&vector->vector, vector->name);
    input.stream_count = 0; /* they are vectors of their own */
    run->catalogue = catalogue;
    run->readings = vector->readings;
    run->options = (struct assay_check_options){
        .catalogues = &run->catalogue,
        .catalogue_count = 1,
        .readings = &run->readings,
        .max_findings = 1000,
        .fail_on = ASSAY_INFO,
        .evaluate = evaluate,
        .jobs = 2,
    };
    run_input(run, vector, &input);
}

void run_capture(struct vector_run *run, const struct ready_vector *vector, bool evaluate)
{
    const struct assay_input input = assay_vector_input(&vector->vector, vector->name);
    run->options = (struct assay_check_options){
        .catalogues = assay_catalogues,
        .max_findings = 1000,
        .fail_on = ASSAY_INFO,
        .evaluate = evaluate,
        .jobs = 2,
    };
    while (assay_catalogues[run->options.catalogue_count] != NULL) {
        run->options.catalogue_count++;
    }
    run_input(run, vector, &input);
}

/* --- what a vector states --- */

bool vector_names(const struct ready_vector *vector, const char *rule)
{
    for (size_t i = 0; i < vector->vector.expected->count; i++) {
        if (assay_yaml_is(vector->vector.expected->items[i], rule)) {
            return true;
        }
    }
    return false;
}

bool vector_is_about(const struct ready_vector *vector, const char *rule)
{
    const size_t length = strlen(rule);
    return strncmp(vector->name, rule, length) == 0 && vector->name[length] == '.';
}

static bool states_silence(const struct ready_vector *vector, const char *rule)
{
    const struct assay_yaml *silent = vector->vector.silent;
    for (size_t i = 0; silent != NULL && i < silent->count; i++) {
        if (assay_yaml_is(silent->items[i], rule)) {
            return true;
        }
    }
    return false;
}

bool vector_contradicts(const struct ready_vector *vector, const struct assay_rule *rule,
                        enum assay_verdict verdict)
{
    const enum assay_expectation what = vector->vector.expectation;
    if (what != ASSAY_EXPECT_FAILS && what != ASSAY_EXPECT_PASSES) {
        return false;
    }
    const bool fails = what == ASSAY_EXPECT_FAILS && vector_names(vector, rule->id);
    const bool failed = verdict == ASSAY_FAIL || verdict == ASSAY_RECOGNISED;
    const bool unstated = rule->diagnosis && what == ASSAY_EXPECT_FAILS && !fails;
    if (fails != failed && !unstated) {
        return true;
    }
    if (what == ASSAY_EXPECT_PASSES && vector_names(vector, rule->id)) {
        return verdict != ASSAY_PASS;
    }
    /* A rule that is not checkable is silent, too, whatever it says: no mutant of it is told so. */
    return states_silence(vector, rule->id) && verdict != ASSAY_NOT_EXERCISED &&
           verdict != ASSAY_NOT_CHECKABLE;
}

/* --- recorded events --- */

static void must(enum assay_error error)
{
    if (error != ASSAY_OK) {
        fprintf(stderr, "%s\n", assay_error_text(error));
        exit(1);
    }
}

void open_events(struct vector_reader *r, const struct ready_vector *vector)
{
    const struct assay_format *format = vector->vector.format;
    const char *layer = vector->vector.layer;
    const struct assay_decode_input input = vector_input(vector, source_of(&vector->bytes));
    *r = (struct vector_reader){.vector = vector};
    must(format->decoder->open(&input, &r->decoder, NULL));
    assay_reader_begin(&r->reader, format, r->decoder,
                       layer != NULL ? assay_layer_by_name(format, layer) : ASSAY_ALL_LAYERS,
                       vector->vector.runs);
}

const struct assay_event *next_event(struct vector_reader *r)
{
    const struct assay_event *event = NULL;
    must(assay_reader_next(&r->reader, &event, NULL));
    return event;
}

void close_events(struct vector_reader *r)
{
    r->vector->vector.format->decoder->close(r->decoder);
}

struct assay_event copy_event(const struct assay_format *format, const struct assay_event *event)
{
    struct assay_event copy = *event;
    const size_t count = assay_kind_cells(&format->kinds[event->kind]);
    uint8_t *bytes = calloc(1, (event->bits + 7) / 8 + 64);
    uint64_t *cells = calloc(count + 4, sizeof *cells);
    if (event->bits > 0) {
        memcpy(bytes, event->bytes, (event->bits + 7) / 8);
    }
    memcpy(cells, event->cells, count * sizeof *cells);
    copy.bytes = bytes;
    copy.cells = cells;
    return copy;
}

void free_event(const struct assay_event *event)
{
    free((void *)(uintptr_t)event->bytes);
    free((void *)(uintptr_t)event->cells);
}

/* Which event another one came from, while it is not known where its copy will be. */
struct origin {
    uint64_t index;
    unsigned layer; /* NO_LAYER: none */
};

enum { NO_LAYER = UINT8_MAX };

/* Events of a layer are recorded in the order of their numbers. */
static void link_events(struct recorded *r, const struct assay_format *format,
                        const struct origin *origins)
{
    struct assay_event **copies = calloc(format->layer_count * (r->count + 1), sizeof *copies);
    for (size_t n = 0; n < r->count; n++) {
        struct assay_event *event = &r->events[n];
        copies[format->kinds[event->kind].layer * (r->count + 1) + event->index] = event;
    }
    for (size_t n = 0; n < r->count; n++) {
        r->events[n].from = origins[n].layer != NO_LAYER
                                ? copies[origins[n].layer * (r->count + 1) + origins[n].index]
                                : NULL;
    }
    free(copies);
}

static struct origin origin_of(const struct assay_format *format, const struct assay_event *event)
{
    return event->from != NULL ? (struct origin){.index = event->from->index,
                                                 .layer = format->kinds[event->from->kind].layer}
                               : (struct origin){.layer = NO_LAYER};
}

uint8_t recorded_given(const struct recorded *recorded)
{
    const struct assay_vector *vector = &recorded->vector->vector;
    return (uint8_t)(ASSAY_NEED_ISA | (vector->config != NULL ? ASSAY_NEED_CONFIG : 0) |
                     (vector->images != NULL ? ASSAY_NEED_IMAGE : 0));
}

enum assay_error judge_in_layers(struct assay_judge *judge, const struct assay_format *format,
                                 const struct assay_event *events, size_t count)
{
    enum assay_error error = ASSAY_OK;
    for (size_t at = 0, n = 0; at < count && error == ASSAY_OK; at += n) {
        const unsigned layer = format->kinds[events[at].kind].layer;
        n = 1;
        while (at + n < count && format->kinds[events[at + n].kind].layer == layer) {
            n++;
        }
        error = assay_judge_events(judge, events + at, n);
    }
    return error;
}

static void record_as(struct recorded *r, const struct assay_sink *bytes,
                      const struct assay_conditions *conditions)
{
    const struct ready_vector *vector = r->vector;
    const struct assay_format *format = vector->vector.format;
    struct assay_source *source = NULL;
    struct assay_source *recording = NULL;
    struct assay_execution *execution = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    struct origin *origins = NULL;
    must(assay_source_memory(bytes->data, bytes->size, &source));
    if (vector->vector.execution != NULL) {
        must(assay_source_memory(vector->execution.data, vector->execution.size, &recording));
        must(assay_execution_open_any(recording, &execution, NULL));
    }
    struct assay_decode_input input = vector_input(vector, source);
    input.execution = execution;
    input.conditions = conditions;
    must(format->decoder->open(&input, &decoder, NULL));
    while (r->count < MOST_RECORDED && format->decoder->next(decoder, &block, NULL) == ASSAY_OK &&
           block.count > 0) {
        r->events = realloc(r->events, (r->count + block.count) * sizeof *r->events);
        origins = realloc(origins, (r->count + block.count) * sizeof *origins);
        for (size_t i = 0; i < block.count; i++) {
            origins[r->count] = origin_of(format, &block.events[i]);
            r->events[r->count++] = copy_event(format, &block.events[i]);
        }
    }
    link_events(r, format, origins);
    free(origins);
    if (input.parameters != NULL) {
        r->parameters = malloc(sizeof *r->parameters);
        *r->parameters = *input.parameters;
    }
    r->profile = assay_decoder_profile(format, decoder);
    format->decoder->close(decoder);
}

void record_bytes(struct recorded *r, const struct assay_sink *bytes)
{
    record_as(r, bytes, assay_conditions_of(r->vector->vector.format));
}

void record_vector(struct recorded *r, const struct ready_vector *vector)
{
    r->vector = vector;
    record_bytes(r, &vector->bytes);
}

void record_asked(struct recorded *r, const struct ready_vector *vector,
                  const struct assay_conditions *conditions)
{
    r->vector = vector;
    record_as(r, &vector->bytes, conditions);
}

void free_recorded(struct recorded *recorded)
{
    for (size_t n = 0; n < recorded->count; n++) {
        free_event(&recorded->events[n]);
    }
    free(recorded->events);
    free(recorded->parameters);
}

void end_run(struct vector_run *run)
{
    assay_check_close(run->check);
}
