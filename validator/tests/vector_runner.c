#include "validator/tests/vector_runner.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/source.h"
#include "execution/execution.h"

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

static void make_ready(struct ready_vector *ready, const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    memset(ready, 0, sizeof *ready);
    ready->path = strdup(path);
    ready->name = strrchr(ready->path, '/') + 1;
    if (assay_vector_load(path, &ready->vector, &diag) != ASSAY_OK) {
        die(&diag);
    }
    assay_sink_memory(&ready->bytes, 0);
    assay_sink_memory(&ready->execution, 0);
    assay_diag_path(&diag, path);
    if (assay_vector_encode(&ready->vector, &ready->bytes, &diag) != ASSAY_OK ||
        (ready->vector.execution != NULL &&
         assay_vector_execution(&ready->vector, &ready->execution, &diag) != ASSAY_OK)) {
        die(&diag);
    }
    const struct assay_catalogue *catalogue = assay_catalogue_of(ready->vector.format);
    ready->readings = calloc(catalogue->interpretation_count + 1, sizeof *ready->readings);
    if (assay_vector_readings(&ready->vector, catalogue, ready->readings, &diag) != ASSAY_OK) {
        die(&diag);
    }
}

struct ready_corpus load_corpus(const char *folder)
{
    struct ready_corpus corpus = {0};
    char *const roots[] = {strdup(folder), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, by_name);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        const size_t n = entry->fts_namelen;
        if (entry->fts_info == FTS_F && n > 5 && strcmp(entry->fts_name + n - 5, ".yaml") == 0) {
            corpus.list = realloc(corpus.list, (corpus.count + 1) * sizeof *corpus.list);
            make_ready(&corpus.list[corpus.count++], entry->fts_path);
        }
    }
    fts_close(walk);
    free(roots[0]);
    return corpus;
}

void free_corpus(struct ready_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->list[i].path);
        free(corpus->list[i].readings);
        assay_vector_free(&corpus->list[i].vector);
        assay_sink_close(&corpus->list[i].bytes, NULL);
        assay_sink_close(&corpus->list[i].execution, NULL);
    }
    free(corpus->list);
}

struct assay_decode_input vector_input(const struct ready_vector *vector,
                                       struct assay_source *source)
{
    return (struct assay_decode_input){
        .source = source, .facts = &vector->vector.facts, .profile = vector->vector.profile};
}

void run_vector(struct vector_run *run, const struct ready_vector *vector,
                const struct assay_catalogue *catalogue, bool evaluate)
{
    struct assay_diag diag = {0};
    struct assay_source *source = NULL;
    struct assay_source *execution = NULL;
    run->catalogues[0] = catalogue;
    run->readings[0] = vector->readings;
    run->options = (struct assay_check_options){
        .format = vector->vector.format,
        .profile = vector->vector.profile,
        .facts = &vector->vector.facts,
        .catalogues = run->catalogues,
        .catalogue_count = 1,
        .readings = run->readings,
        .max_findings = 1000,
        .fail_on = ASSAY_INFO,
        .evaluate = evaluate,
        .jobs = 2,
    };
    if (assay_check_open(&run->options, &run->check, &diag) != ASSAY_OK ||
        assay_source_memory(vector->bytes.data, vector->bytes.size, &source) != ASSAY_OK ||
        (vector->vector.execution != NULL &&
         assay_source_memory(vector->execution.data, vector->execution.size, &execution) !=
             ASSAY_OK) ||
        assay_check_source(run->check, vector->name, source, execution, &diag) != ASSAY_OK) {
        die(&diag);
    }
    run->results = assay_check_results(run->check);
}

/* --- recorded events --- */

static void must(enum assay_error error)
{
    if (error != ASSAY_OK) {
        fprintf(stderr, "%s\n", assay_error_text(error));
        exit(1);
    }
}

void record_vector(struct recorded *r, const struct ready_vector *vector)
{
    const struct assay_format *format = vector->vector.format;
    struct assay_source *source = NULL;
    struct assay_source *truth = NULL;
    struct assay_execution *execution = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    r->vector = vector;
    must(assay_source_memory(vector->bytes.data, vector->bytes.size, &source));
    if (vector->vector.execution != NULL) {
        must(assay_source_memory(vector->execution.data, vector->execution.size, &truth));
        must(assay_execution_open(truth, &execution, NULL));
    }
    struct assay_decode_input input = vector_input(vector, source);
    input.execution = execution;
    must(format->decoder->open(&input, &decoder, NULL));
    while (format->decoder->next(decoder, &block, NULL) == ASSAY_OK && block.count > 0) {
        r->events = realloc(r->events, (r->count + block.count) * sizeof *r->events);
        for (size_t i = 0; i < block.count; i++) {
            struct assay_event *event = &r->events[r->count++];
            uint8_t *bytes = calloc(1, (block.events[i].bits + 7) / 8 + 64);
            const size_t count = assay_kind_words(&format->kinds[block.events[i].kind]);
            uint64_t *words = calloc(count + 4, sizeof *words);
            *event = block.events[i];
            memcpy(bytes, event->bytes, (event->bits + 7) / 8);
            memcpy(words, event->words, count * sizeof *words);
            event->bytes = bytes;
            event->words = words;
        }
    }
    r->profile = format->decoder->profile(decoder);
    format->decoder->close(decoder);
}

void free_recorded(struct recorded *recorded)
{
    for (size_t n = 0; n < recorded->count; n++) {
        free((void *)(uintptr_t)recorded->events[n].bytes);
        free((void *)(uintptr_t)recorded->events[n].words);
    }
    free(recorded->events);
}

void end_run(struct vector_run *run)
{
    assay_check_close(run->check);
}
