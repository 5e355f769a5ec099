/* The verdict on a trace: decoder and judge in this process. */
#include <stdio.h>
#include <stdlib.h>

#include "execution/execution.h"
#include "io/source.h"
#include "subject.h"
#include "validator/engine/conditions.h"
#include "validator/engine/judge.h"

bool detection_accompanied(const struct detection_subject *subject)
{
    return subject->format->reads_images ? subject->images != NULL : subject->has_facts;
}

static const struct assay_facts *facts_for(const struct detection_subject *subject,
                                           enum detection_column column)
{
    return column >= DETECTION_ACCOMPANIED && subject->has_facts ? &subject->facts : NULL;
}

static const struct assay_image_set *images_for(const struct detection_subject *subject,
                                                enum detection_column column)
{
    return column >= DETECTION_ACCOMPANIED ? subject->images : NULL;
}

enum assay_error detection_open(const struct detection_subject *subject,
                                const struct assay_sink *bytes, enum detection_column column,
                                const struct assay_sink *recording,
                                struct assay_parameter_values *parameters,
                                struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_decode_input input = {.facts = facts_for(subject, column),
                                       .images = images_for(subject, column),
                                       .conditions = assay_conditions_of(subject->format),
                                       .profile = subject->profile};
    if (subject->parameters != NULL) {
        *parameters = *subject->parameters;
        input.parameters = parameters;
    }
    enum assay_error error = assay_source_memory(bytes->data, bytes->size, &input.source);
    if (error == ASSAY_OK && column == DETECTION_WITH_RECORDING) {
        error = detection_open_recording(recording, &input.execution, diag);
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
    for (unsigned layer = 0; layer < subject->format->layer_count; layer++) {
        verdict->complete |= (uint64_t)ops->complete(decoder, layer, &why) << layer;
    }
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(judge, r);
        verdict->violated[r] = result.verdict == ASSAY_FAIL ? result.violated : 0;
    }
    return ASSAY_OK;
}

static uint8_t given(const struct detection_subject *subject, enum detection_column column)
{
    return (uint8_t)(ASSAY_NEED_ISA | (subject->parameters != NULL ? ASSAY_NEED_CONFIG : 0) |
                     (images_for(subject, column) != NULL ? ASSAY_NEED_IMAGE : 0) |
                     (column == DETECTION_WITH_RECORDING ? ASSAY_NEED_EXECUTION : 0));
}

static enum assay_error judge_with(const struct detection_subject *subject,
                                   const struct assay_sink *bytes, enum detection_column column,
                                   const struct assay_sink *recording,
                                   struct detection_verdict *verdict, struct assay_diag *diag)
{
    struct assay_parameter_values parameters;
    const struct assay_judge_settings settings = {
        .catalogue = assay_catalogue_of(subject->format),
        .facts = facts_for(subject, column),
        .parameters = subject->parameters != NULL ? &parameters : NULL,
        .given = given(subject, column)};
    struct assay_decoder *decoder = NULL;
    struct assay_judge *judge = NULL;
    *verdict = (struct detection_verdict){
        .violated = calloc(settings.catalogue->rule_count, sizeof *verdict->violated)};
    if (verdict->violated == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    /* What cannot be opened is not complete, and no rule is applied. */
    if (detection_open(subject, bytes, column, recording, &parameters, &decoder, NULL) ==
        ASSAY_OK) {
        enum assay_error error = assay_judge_open(&settings, &judge, diag);
        error = error != ASSAY_OK ? error : judge_all(subject, decoder, judge, verdict, diag);
        assay_judge_close(judge);
        subject->format->decoder->close(decoder);
        return error;
    }
    subject->format->decoder->close(decoder);
    return ASSAY_OK;
}

enum assay_error detection_judge(const struct detection_subject *subject,
                                 const struct assay_sink *bytes, enum detection_column column,
                                 struct detection_verdict *verdict, struct assay_diag *diag)
{
    const size_t rules = assay_catalogue_of(subject->format)->rule_count;
    struct detection_verdict other = {0};
    enum assay_error error = judge_with(subject, bytes, column, &subject->execution, verdict, diag);
    if (error != ASSAY_OK || column != DETECTION_WITH_RECORDING || subject->record.size == 0) {
        return error;
    }
    error = judge_with(subject, bytes, column, &subject->record, &other, diag);
    for (size_t r = 0; r < rules && error == ASSAY_OK; r++) {
        verdict->violated[r] =
            verdict->violated[r] > other.violated[r] ? verdict->violated[r] : other.violated[r];
    }
    verdict->complete &= other.complete;
    free(other.violated);
    return error;
}

/* The layers that have to be complete: without the program those that follow from it are not. */
static uint64_t due(const struct detection_subject *subject, enum detection_column column)
{
    const bool all = !subject->format->reads_images || images_for(subject, column) != NULL;
    return all ? (UINT64_C(1) << subject->format->layer_count) - 1 : 1;
}

bool detection_conforms(const struct detection_subject *subject)
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
        if ((due(subject, (enum detection_column)column) & ~verdict->complete) != 0) {
            fprintf(stderr, "a trace is left out, since it is not complete\n");
            return false;
        }
    }
    return true;
}
