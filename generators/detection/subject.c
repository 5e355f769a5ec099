#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/source.h"
#include "execution/execution.h"
#include "validator/engine/judge.h"
#include "window.h"

/* --- making --- */

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static struct detection_subject *add(struct detection_subjects *subjects,
                                     const struct assay_format *format)
{
    struct detection_subject *list = realloc(subjects->list, (subjects->count + 1) * sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    subjects->list = list;
    struct detection_subject *subject = &list[subjects->count++];
    *subject = (struct detection_subject){.format = format};
    assay_sink_memory(&subject->trace, 0);
    assay_sink_memory(&subject->execution, 0);
    return subject;
}

static enum assay_error open_recording(const struct detection_subject *subject,
                                       struct assay_execution **execution, struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    const enum assay_error error =
        assay_source_memory(subject->execution.data, subject->execution.size, &source);
    return error != ASSAY_OK ? error : assay_execution_open(source, execution, diag);
}

enum assay_error detection_store(const struct detection_subject *subject, const char *storage,
                                 struct assay_sink *sink, struct assay_diag *diag)
{
    struct assay_generate_settings settings = subject->settings;
    struct assay_execution *execution = NULL;
    struct assay_generated made;
    settings.storage = storage;
    if (subject->model != NULL) {
        return subject->model->make(&settings, sink, NULL, NULL, &made, diag);
    }
    enum assay_error error = open_recording(subject, &execution, diag);
    if (error == ASSAY_OK) {
        error = assay_generator_of(subject->format)
                    ->from_execution(execution, &settings, sink, &made, diag);
    }
    assay_execution_close(execution);
    return error;
}

static enum assay_error read_facts(struct detection_subject *subject, const struct assay_sink *text,
                                   struct assay_diag *diag)
{
    struct assay_yaml_file file = {0};
    enum assay_error error =
        assay_yaml_parse("facts of the model", (const char *)text->data, text->size, &file, diag);
    error = error != ASSAY_OK ? error : assay_facts_read(file.root, &subject->facts, diag);
    assay_yaml_free(&file);
    subject->has_facts = error == ASSAY_OK;
    return error;
}

enum assay_error detection_add_model(struct detection_subjects *subjects,
                                     const struct assay_format *format,
                                     const struct assay_model *model, uint64_t seed,
                                     struct assay_diag *diag)
{
    struct detection_subject *subject = add(subjects, format);
    struct assay_generated made;
    struct assay_sink facts;
    if (subject == NULL) {
        return no_memory(diag);
    }
    subject->model = model;
    subject->settings = (struct assay_generate_settings){
        .limit = DETECTION_WINDOW, .seed = seed, .metadata = "detection"};
    assay_sink_memory(&facts, 0);
    enum assay_error error =
        model->make(&subject->settings, &subject->trace, &subject->execution, &facts, &made, diag);
    error = error != ASSAY_OK ? error : read_facts(subject, &facts, diag);
    assay_sink_close(&facts, NULL);
    return error;
}

static enum assay_error add_window(struct detection_subjects *subjects,
                                   const struct assay_format *format, const char *path,
                                   const char *facts, uint64_t first, struct assay_diag *diag)
{
    struct detection_subject *subject = add(subjects, format);
    struct assay_execution *execution = NULL;
    if (subject == NULL) {
        return no_memory(diag);
    }
    const uint64_t takes = assay_generator_of(format)->takes;
    subject->settings = (struct assay_generate_settings){
        .operands = (takes & ASSAY_TAKES(operands)) != 0,
        .period = (takes & ASSAY_TAKES(period)) != 0 ? DETECTION_WINDOW / 8 : 0,
        .metadata = "detection"};
    /* The first profile is the text to the letter. */
    subject->profile = format->profile_count > 1 ? 1 : 0;
    enum assay_error error =
        facts != NULL ? assay_facts_load(facts, &subject->facts, diag) : ASSAY_OK;
    subject->has_facts = facts != NULL;
    error = error != ASSAY_OK
                ? error
                : detection_window(path, first, DETECTION_WINDOW, &subject->execution, diag);
    error = error != ASSAY_OK ? error : open_recording(subject, &execution, diag);
    if (error == ASSAY_OK && assay_generator_of(format)->look_ahead != NULL) {
        assay_generator_of(format)->look_ahead(execution, 0, &subject->settings);
    }
    assay_execution_close(execution);
    return error != ASSAY_OK ? error : detection_store(subject, "raw", &subject->trace, diag);
}

enum assay_error detection_format_of(const char *path, const struct assay_format **format,
                                     struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_source_open(path, &source, diag);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, diag);
    if (error == ASSAY_OK) {
        const bool arm = assay_execution_header(execution)->isa == ASSAY_EXECUTION_AARCH64;
        *format = assay_format_by_name(arm ? "astf" : "stf");
    }
    assay_execution_close(execution);
    return error;
}

enum assay_error detection_add_recording(struct detection_subjects *subjects, const char *path,
                                         const char *facts, unsigned windows,
                                         struct assay_diag *diag)
{
    const struct assay_format *format = NULL;
    uint64_t instructions = 0;
    enum assay_error error = detection_format_of(path, &format, diag);
    error = error != ASSAY_OK ? error : detection_length(path, &instructions, diag);
    for (unsigned i = 0; i < windows && error == ASSAY_OK; i++) {
        error = add_window(subjects, format, path, facts, instructions / windows * i, diag);
    }
    return error;
}

/* --- judging --- */

static enum assay_error open_decoder(const struct detection_subject *subject,
                                     const struct assay_sink *bytes, enum detection_column column,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_decode_input input = {
        .facts = column >= DETECTION_WITH_FACTS && subject->has_facts ? &subject->facts : NULL,
        .profile = subject->profile};
    enum assay_error error = assay_source_memory(bytes->data, bytes->size, &input.source);
    if (error == ASSAY_OK && column == DETECTION_WITH_RECORDING) {
        error = open_recording(subject, &input.execution, diag);
    }
    if (error != ASSAY_OK) {
        assay_source_close(input.source);
        return error;
    }
    return subject->format->decoder->open(&input, decoder, diag);
}

static enum assay_error judge_all(const struct detection_subject *subject,
                                  struct assay_decoder *decoder, struct assay_judge *judge,
                                  struct detection_verdict *verdict, struct assay_diag *diag)
{
    const struct assay_decoder_ops *ops = subject->format->decoder;
    const struct assay_catalogue *catalogue = assay_judge_catalogue(judge);
    struct assay_block block = {0};
    const char *why = NULL;
    enum assay_error error;
    while ((error = ops->next(decoder, &block, diag)) == ASSAY_OK && block.count > 0 &&
           (error = assay_judge_events(judge, block.events, block.count)) == ASSAY_OK) {
    }
    if (error != ASSAY_OK) {
        return error;
    }
    assay_judge_profile(judge, assay_decoder_profile(subject->format, decoder));
    verdict->complete = ops->complete(decoder, 0, &why);
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(judge, r);
        verdict->violated[r] = result.verdict == ASSAY_FAIL ? result.violated : 0;
    }
    return ASSAY_OK;
}

enum assay_error detection_judge(const struct detection_subject *subject,
                                 const struct assay_sink *bytes, enum detection_column column,
                                 struct detection_verdict *verdict, struct assay_diag *diag)
{
    const struct assay_judge_settings settings = {
        .catalogue = assay_catalogue_of(subject->format),
        .facts = column >= DETECTION_WITH_FACTS && subject->has_facts ? &subject->facts : NULL,
        .given = (uint8_t)(ASSAY_NEED_ISA |
                           (column == DETECTION_WITH_RECORDING ? ASSAY_NEED_EXECUTION : 0))};
    struct assay_decoder *decoder = NULL;
    struct assay_judge *judge = NULL;
    *verdict = (struct detection_verdict){
        .violated = calloc(settings.catalogue->rule_count, sizeof *verdict->violated)};
    if (verdict->violated == NULL) {
        return no_memory(diag);
    }
    /* What cannot be opened is not complete, and no rule is applied. */
    if (open_decoder(subject, bytes, column, &decoder, NULL) == ASSAY_OK) {
        enum assay_error error = assay_judge_open(&settings, &judge, diag);
        error = error != ASSAY_OK ? error : judge_all(subject, decoder, judge, verdict, diag);
        assay_judge_close(judge);
        subject->format->decoder->close(decoder);
        return error;
    }
    subject->format->decoder->close(decoder);
    return ASSAY_OK;
}

/* --- the records, and where each kind of corruption can be tried --- */

struct assay_event detection_copy(const struct assay_format *format,
                                  const struct assay_event *event)
{
    enum { ROOM = 64 };
    const size_t cells = assay_kind_cells(&format->kinds[event->kind]);
    const size_t bytes = (event->bits + 7) / 8;
    uint8_t *own_bytes = calloc(1, bytes + ROOM);
    uint64_t *own_cells = calloc(cells + 4, sizeof *own_cells);
    struct assay_event copy = *event;
    copy.bytes = own_bytes;
    copy.cells = own_cells;
    copy.from = NULL;
    if (own_bytes != NULL && own_cells != NULL) {
        memcpy(own_bytes, event->bytes, bytes > 0 ? bytes - format->lead_bits / 8 : 0);
        memcpy(own_cells, event->cells, cells * sizeof *own_cells);
    }
    return copy;
}

void detection_free_event(const struct assay_event *event)
{
    free((void *)(uintptr_t)event->bytes);
    free((void *)(uintptr_t)event->cells);
}

static enum assay_error keep(struct detection_subject *subject, const struct assay_event *event,
                             struct assay_diag *diag)
{
    if (subject->count % 1024 == 0) {
        struct assay_event *list =
            realloc(subject->records, (subject->count + 1024) * sizeof *list);
        if (list == NULL) {
            return no_memory(diag);
        }
        subject->records = list;
    }
    struct assay_event *copy = &subject->records[subject->count];
    *copy = detection_copy(subject->format, event);
    subject->count++;
    return copy->bytes == NULL || copy->cells == NULL ? no_memory(diag) : ASSAY_OK;
}

static enum assay_error keep_all(struct detection_subject *subject, struct assay_diag *diag)
{
    const struct assay_decoder_ops *ops = subject->format->decoder;
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {0};
    enum assay_error error =
        open_decoder(subject, &subject->trace, DETECTION_WITH_RECORDING, &decoder, diag);
    while (error == ASSAY_OK && (error = ops->next(decoder, &block, diag)) == ASSAY_OK &&
           block.count > 0) {
        for (size_t i = 0; i < block.count && error == ASSAY_OK; i++) {
            error = keep(subject, &block.events[i], diag);
        }
    }
    ops->close(decoder);
    return error;
}

/* The rules of the table are applied record by record: one more violation is a place. */
static enum assay_error find_places(struct detection_subject *subject,
                                    const struct detection_table *table, struct assay_diag *diag)
{
    const struct assay_judge_settings settings = {.catalogue =
                                                      assay_loaded_catalogue(table->selectors),
                                                  .given = ASSAY_NEED_ISA | ASSAY_NEED_EXECUTION};
    struct assay_judge *judge = NULL;
    enum assay_error error = assay_judge_open(&settings, &judge, diag);
    subject->places = calloc(table->count + 1, sizeof *subject->places);
    for (size_t c = 0; c < table->count && subject->places != NULL; c++) {
        subject->places[c].list = calloc(subject->count, sizeof(size_t));
        error = subject->places[c].list == NULL ? no_memory(diag) : error;
    }
    if (subject->places == NULL || error != ASSAY_OK) {
        assay_judge_close(judge);
        return no_memory(diag);
    }
    for (size_t n = 0; n < subject->count && error == ASSAY_OK; n++) {
        error = assay_judge_events(judge, &subject->records[n], 1);
        for (size_t c = 0; c < table->count && error == ASSAY_OK; c++) {
            struct detection_places *places = &subject->places[c];
            if (assay_judge_result(judge, c).violated > places->count) {
                places->list[places->count++] = n;
            }
        }
    }
    assay_judge_close(judge);
    return error;
}

static bool conforms(const struct detection_subject *subject)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(subject->format);
    for (unsigned column = 0; column < DETECTION_COLUMNS; column++) {
        const struct detection_verdict *verdict = &subject->verdicts[column];
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            if (verdict->violated[r] > 0 && catalogue->rules[r].level == ASSAY_MUST) {
                fprintf(stderr, "a trace is left out, since it violates %s\n",
                        catalogue->rules[r].id);
                return false;
            }
        }
        if (!verdict->complete) {
            fprintf(stderr, "a trace is left out, since it is not complete\n");
            return false;
        }
    }
    return true;
}

static void free_subject(struct detection_subject *subject, size_t kinds)
{
    for (size_t n = 0; n < subject->count; n++) {
        detection_free_event(&subject->records[n]);
    }
    for (size_t c = 0; c < kinds && subject->places != NULL; c++) {
        free(subject->places[c].list);
    }
    for (unsigned column = 0; column < DETECTION_COLUMNS; column++) {
        free(subject->verdicts[column].violated);
    }
    free(subject->places);
    free(subject->records);
    assay_facts_clear(&subject->facts);
    assay_sink_close(&subject->trace, NULL);
    assay_sink_close(&subject->execution, NULL);
}

enum assay_error detection_prepare(struct detection_subjects *subjects,
                                   const struct detection_table *table, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < subjects->count && error == ASSAY_OK;) {
        struct detection_subject *subject = &subjects->list[i];
        for (unsigned column = 0; column < DETECTION_COLUMNS && error == ASSAY_OK; column++) {
            error = detection_judge(subject, &subject->trace, (enum detection_column)column,
                                    &subject->verdicts[column], diag);
        }
        if (error == ASSAY_OK && !conforms(subject)) {
            free_subject(subject, 0);
            subjects->list[i] = subjects->list[--subjects->count];
            continue;
        }
        error = error != ASSAY_OK ? error : keep_all(subject, diag);
        error = error != ASSAY_OK ? error : find_places(subject, table, diag);
        i++;
    }
    return error;
}

void detection_free(struct detection_subjects *subjects, const struct detection_table *table)
{
    for (size_t i = 0; i < subjects->count; i++) {
        free_subject(&subjects->list[i], table->count);
    }
    free(subjects->list);
}
