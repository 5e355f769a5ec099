#include "subject.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "execution/execution.h"
#include "io/source.h"
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
    assay_sink_memory(&subject->record, 0);
    return subject;
}

enum assay_error detection_open_recording(const struct assay_sink *recording,
                                          struct assay_execution **execution,
                                          struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    const enum assay_error error = assay_source_memory(recording->data, recording->size, &source);
    return error != ASSAY_OK ? error : assay_execution_open_any(source, execution, diag);
}

static enum assay_error store(const struct detection_subject *subject, const char *storage,
                              struct assay_sink *sink, struct assay_generated *made,
                              struct assay_diag *diag)
{
    struct assay_generate_settings settings = subject->settings;
    struct assay_execution *execution = NULL;
    settings.storage = storage;
    if (subject->model != NULL) {
        return subject->model->make(&settings, sink, NULL, NULL, made, diag);
    }
    enum assay_error error = detection_open_recording(&subject->execution, &execution, diag);
    if (error == ASSAY_OK) {
        error = assay_generator_of(subject->format)
                    ->from_execution(execution, &settings, sink, made, diag);
    }
    assay_execution_close(execution);
    return error;
}

enum assay_error detection_store(const struct detection_subject *subject, const char *storage,
                                 struct assay_sink *sink, struct assay_diag *diag)
{
    struct assay_generated made;
    return store(subject, storage, sink, &made, diag);
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

/* What configures the traces that are made with the subject's settings. */
static enum assay_error configure(struct detection_subject *subject, struct assay_diag *diag)
{
    const struct assay_generator *generator = assay_generator_of(subject->format);
    if (subject->format->parameters == NULL) {
        return ASSAY_OK;
    }
    subject->parameters = calloc(1, sizeof *subject->parameters);
    if (subject->parameters == NULL) {
        return no_memory(diag);
    }
    assay_parameters_init(subject->parameters, subject->format->parameters);
    if (generator->configure != NULL) {
        generator->configure(&subject->settings, subject->parameters);
    }
    return ASSAY_OK;
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
    error = error != ASSAY_OK ? error : configure(subject, diag);
    assay_sink_close(&facts, NULL);
    return error;
}

static enum assay_error make_record(struct detection_subject *subject, struct assay_diag *diag)
{
    const struct assay_generator *generator = assay_generator_of(subject->format);
    struct assay_execution *execution = NULL;
    if (generator->record == NULL) {
        return ASSAY_OK;
    }
    enum assay_error error = detection_open_recording(&subject->execution, &execution, diag);
    if (error == ASSAY_OK) {
        error = generator->record(execution, &subject->settings, &subject->record, diag);
    }
    assay_execution_close(execution);
    return error;
}

static enum assay_error make_trace(struct detection_subject *subject, const char *facts,
                                   struct assay_diag *diag)
{
    const struct assay_generator *generator = assay_generator_of(subject->format);
    struct assay_execution *execution = NULL;
    struct assay_generated made = {0};
    enum assay_error error =
        facts != NULL ? assay_facts_load(facts, &subject->facts, diag) : ASSAY_OK;
    subject->has_facts = facts != NULL;
    error =
        error != ASSAY_OK ? error : detection_open_recording(&subject->execution, &execution, diag);
    if (error == ASSAY_OK) {
        subject->settings.isa = assay_execution_header(execution)->isa;
    }
    if (error == ASSAY_OK && generator->look_ahead != NULL) {
        generator->look_ahead(execution, 0, &subject->settings);
    }
    assay_execution_close(execution);
    error = error != ASSAY_OK ? error : configure(subject, diag);
    error = error != ASSAY_OK ? error : store(subject, "raw", &subject->trace, &made, diag);
    subject->ambiguous = made.ambiguous > 0;
    return error != ASSAY_OK ? error : make_record(subject, diag);
}

static enum assay_error open_images(struct detection_subjects *subjects, const char *program,
                                    struct assay_image_set **images, struct assay_diag *diag)
{
    struct assay_image_spec spec = {.path = ""};
    struct assay_image_set **list =
        realloc(subjects->images, (subjects->image_count + 1) * sizeof *list);
    if (list == NULL) {
        return no_memory(diag);
    }
    subjects->images = list;
    enum assay_error error = assay_image_option(program, &spec, diag);
    error = error != ASSAY_OK ? error : assay_image_set_open(NULL, images);
    if (error == ASSAY_OK) {
        list[subjects->image_count++] = *images;
        error = assay_image_add(*images, &spec, diag);
    }
    return error != ASSAY_OK ? error : assay_image_set_seal(*images, diag);
}

/* Whether traces of the format are of the machine that was recorded. */
static enum assay_error is_of_machine(const struct assay_format *format, const char *path,
                                      bool *right, struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_source_open(path, &source, diag);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, diag);
    *right = false;
    if (error == ASSAY_OK) {
        const bool arm = assay_execution_header(execution)->isa == ASSAY_EXECUTION_AARCH64;
        *right = format->machine_count > 0 && format->machines[0] == (arm ? EM_AARCH64 : EM_RISCV);
    }
    assay_execution_close(execution);
    return error;
}

/* A trace that is made in one of the table's ways. */
static struct detection_subject *add_one(struct detection_subjects *subjects,
                                         const struct detection_table *table, size_t way)
{
    const struct assay_format *format = table->format;
    struct detection_subject *subject = add(subjects, format);
    if (subject != NULL) {
        /* The first profile is the text to the letter. */
        subject->profile = format->profile_count > 1 ? 1 : 0;
        subject->settings = table->traces[way % table->trace_count];
        if ((assay_generator_of(format)->takes & ASSAY_TAKES(seed)) != 0) {
            subject->settings.seed = subjects->count;
        }
    }
    return subject;
}

static enum assay_error add_windows(struct detection_subjects *subjects,
                                    const struct detection_table *table,
                                    const struct detection_recording *recording, unsigned windows,
                                    struct assay_diag *diag)
{
    const struct assay_format *format = table->format;
    struct assay_image_set *images = NULL;
    uint64_t instructions = 0;
    enum assay_error error = detection_length(recording->path, &instructions, diag);
    if (error == ASSAY_OK && format->reads_images && recording->program != NULL) {
        error = open_images(subjects, recording->program, &images, diag);
    }
    for (unsigned i = 0; i < windows && error == ASSAY_OK; i++) {
        struct detection_subject *subject = add_one(subjects, table, i);
        if (subject == NULL) {
            return no_memory(diag);
        }
        subject->images = images;
        error = detection_window(recording->path, instructions / windows * i, DETECTION_WINDOW,
                                 &subject->execution, diag);
        error = error != ASSAY_OK ? error : make_trace(subject, recording->facts, diag);
    }
    return error;
}

enum assay_error detection_add_recording(struct detection_subjects *subjects,
                                         const struct detection_table *table,
                                         const struct detection_recording *recording,
                                         unsigned windows, struct assay_diag *diag)
{
    bool right = false;
    const enum assay_error error = is_of_machine(table->format, recording->path, &right, diag);
    return error == ASSAY_OK && right ? add_windows(subjects, table, recording, windows, diag)
                                      : error;
}

/* Whether it can be read into memory, as all of the recording is. */
static enum assay_error read_recording(const char *path, struct assay_sink *sink,
                                       struct assay_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    const enum assay_error error = assay_text_load(path, &text, &size, diag);
    if (error == ASSAY_OK) {
        assay_sink_write(sink, text, size);
    }
    free(text);
    return error != ASSAY_OK ? error : sink->error;
}

enum assay_error detection_add_whole(struct detection_subjects *subjects,
                                     const struct detection_table *table,
                                     const struct detection_recording *recording, size_t way,
                                     struct assay_diag *diag)
{
    struct assay_image_set *images = NULL;
    enum assay_error error = ASSAY_OK;
    if (table->format->reads_images && recording->program != NULL) {
        error = open_images(subjects, recording->program, &images, diag);
    }
    struct detection_subject *subject = add_one(subjects, table, way);
    if (subject == NULL) {
        return no_memory(diag);
    }
    subject->images = images;
    subject->settings.seed = 0; /* that of assay generate */
    error = error != ASSAY_OK ? error : read_recording(recording->path, &subject->execution, diag);
    return error != ASSAY_OK ? error : make_trace(subject, recording->facts, diag);
}

/* --- the records, and where each kind of corruption can be tried --- */

struct assay_event detection_copy(const struct assay_format *format,
                                  const struct assay_event *event)
{
    enum { ROOM = 64, CELLS = 64 }; /* an encoder may read more cells than the kind has */
    const size_t cells = assay_kind_cells(&format->kinds[event->kind]);
    const size_t bytes = (event->bits + 7) / 8;
    uint8_t *own_bytes = calloc(1, bytes + ROOM);
    uint64_t *own_cells = calloc(cells + CELLS, sizeof *own_cells);
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

static enum assay_error add_place(struct detection_places *places, size_t record,
                                  struct assay_diag *diag)
{
    if (places->count > 0 && places->list[places->count - 1] == record) {
        return ASSAY_OK; /* several events that came from one record */
    }
    if (places->count % 256 == 0) {
        size_t *list = realloc(places->list, (places->count + 256) * sizeof *list);
        if (list == NULL) {
            return no_memory(diag);
        }
        places->list = list;
    }
    places->list[places->count++] = record;
    return ASSAY_OK;
}

/* The record that an event came from, or none, as it may no longer be held. */
static const struct assay_event *record_of(const struct assay_format *format,
                                           const struct assay_event *event)
{
    while (event != NULL && format->kinds[event->kind].layer > 0) {
        event = event->from;
    }
    return event;
}

/* The rules of the table are applied event by event: one more violation is a place. `seen` counts
 * those so far. */
static enum assay_error find_places(struct detection_subject *subject, struct assay_judge *judge,
                                    const struct assay_event *event, uint64_t *seen, size_t kinds,
                                    struct assay_diag *diag)
{
    const struct assay_event *record = record_of(subject->format, event);
    enum assay_error error = assay_judge_events(judge, event, 1);
    for (size_t c = 0; c < kinds && error == ASSAY_OK; c++) {
        const uint64_t violated = assay_judge_result(judge, c).violated;
        if (violated > seen[c] && record != NULL) {
            error = add_place(&subject->places[c], (size_t)record->index, diag);
        }
        seen[c] = violated;
    }
    return error;
}

static enum assay_error read_block(struct detection_subject *subject, struct assay_judge *judge,
                                   const struct assay_block *block, uint64_t *seen, size_t kinds,
                                   struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < block->count && error == ASSAY_OK; i++) {
        if (block->layer == 0) {
            error = keep(subject, &block->events[i], diag);
        }
        error = error != ASSAY_OK
                    ? error
                    : find_places(subject, judge, &block->events[i], seen, kinds, diag);
    }
    return error;
}

enum assay_error detection_find_places(struct detection_subject *subject,
                                       const struct detection_table *table, struct assay_diag *diag)
{
    const struct assay_decoder_ops *ops = subject->format->decoder;
    const struct assay_judge_settings settings = {
        .catalogue = assay_loaded_catalogue(table->selectors),
        .parameters = subject->parameters,
        .given = ASSAY_NEED_CONFIG | ASSAY_NEED_ISA | ASSAY_NEED_EXECUTION | ASSAY_NEED_IMAGE};
    struct assay_parameter_values parameters;
    struct assay_decoder *decoder = NULL;
    struct assay_judge *judge = NULL;
    struct assay_block block = {0};
    uint64_t *seen = calloc(table->count + 1, sizeof *seen);
    subject->places = calloc(table->count + 1, sizeof *subject->places);
    enum assay_error error =
        seen == NULL || subject->places == NULL
            ? no_memory(diag)
            : detection_open(subject, &subject->trace, DETECTION_WITH_RECORDING,
                             &subject->execution, &parameters, &decoder, diag);
    error = error != ASSAY_OK ? error : assay_judge_open(&settings, &judge, diag);
    while (error == ASSAY_OK && (error = ops->next(decoder, &block, diag)) == ASSAY_OK &&
           block.count > 0) {
        error = read_block(subject, judge, &block, seen, table->count, diag);
    }
    assay_judge_close(judge);
    ops->close(decoder);
    free(seen);
    return error;
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
    free(subject->parameters);
    assay_facts_clear(&subject->facts);
    assay_sink_close(&subject->trace, NULL);
    assay_sink_close(&subject->execution, NULL);
    assay_sink_close(&subject->record, NULL);
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
        if (error == ASSAY_OK && !detection_conforms(subject)) {
            subjects->dropped += !subject->ambiguous;
            free_subject(subject, 0);
            subjects->list[i] = subjects->list[--subjects->count];
            continue;
        }
        error = error != ASSAY_OK ? error : detection_find_places(subject, table, diag);
        i++;
    }
    return error;
}

void detection_free(struct detection_subjects *subjects, const struct detection_table *table)
{
    for (size_t i = 0; i < subjects->count; i++) {
        free_subject(&subjects->list[i], table->count);
    }
    for (size_t i = 0; i < subjects->image_count; i++) {
        assay_image_set_free(subjects->images[i]);
    }
    free(subjects->images);
    free(subjects->list);
}
