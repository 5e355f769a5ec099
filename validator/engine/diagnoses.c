#include "validator/engine/diagnoses.h"

#include "validator/engine/extent.h"

const struct assay_rule_outcome *assay_outcome_of(const struct assay_stream_result *stream,
                                                  size_t rule)
{
    for (size_t i = 0; i < stream->outcome_count; i++) {
        if (stream->outcomes[i].rule == rule && stream->outcomes[i].violated > 0) {
            return &stream->outcomes[i];
        }
    }
    return NULL;
}

/* Whether a stream violates a rule of a cause that a diagnosis explains. */
static bool is_explained(const struct assay_results *results, const struct assay_cause *cause,
                         const struct assay_rule_total *diagnosis,
                         const struct assay_stream_result *stream)
{
    for (size_t i = 0; i < cause->rule_count; i++) {
        const struct assay_rule_total *total = cause->rules[i];
        if (total->catalogue->format == diagnosis->catalogue->format &&
            assay_rule_explains(diagnosis->rule, total->rule) &&
            assay_outcome_of(stream, (size_t)(total - results->rules)) != NULL) {
            return true;
        }
    }
    return false;
}

/* Whether a diagnosis is recognised in a stream where it explains the cause; a null cause: whether
 * it is recognised there. */
static bool is_beside(const struct assay_results *results, const struct assay_cause *cause,
                      const struct assay_rule_total *diagnosis,
                      const struct assay_stream_result *stream)
{
    return assay_outcome_of(stream, (size_t)(diagnosis - results->rules)) != NULL &&
           (cause == NULL || is_explained(results, cause, diagnosis, stream));
}

/* The diagnosis as it is to be shown beside a cause, or by itself; false if it is not. */
static bool find(const struct assay_results *results, const struct assay_cause *cause,
                 const struct assay_rule_total *total, struct assay_diagnosis *diagnosis)
{
    bool beside = false;
    *diagnosis = (struct assay_diagnosis){.rule = total, .sentence = total->rule->title};
    for (size_t i = 0; i < results->input_count && !beside; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count && !beside; n++) {
            beside = is_beside(results, cause, total, &results->inputs[i].streams[n]);
        }
    }
    const bool placed = total->rule->extent != ASSAY_EXTENT_AT_PLACES; /* else where the cause is */
    for (size_t i = 0; i < total->finding_count && beside; i++) {
        const struct assay_located_finding *place = &total->findings[i];
        if (is_beside(results, cause, total,
                      &results->inputs[place->input].streams[place->stream])) {
            diagnosis->sentence = place->finding->message;
            diagnosis->first = placed ? place : NULL;
            break;
        }
    }
    return beside;
}

/* Adds a diagnosis that was recognised. Cause number n has room from `room` + n * `most` on, those
 * that are beside none after all of them. */
static void add(const struct assay_results *results, const struct assay_rule_total *total,
                struct assay_cause *list, size_t count, struct assay_diagnosis *room, size_t most,
                struct assay_causes *causes)
{
    bool beside = false;
    for (size_t c = 0; c < count; c++) {
        if (find(results, &list[c], total, &room[c * most + list[c].diagnosis_count])) {
            list[c].diagnoses = room + c * most;
            list[c].diagnosis_count++;
            beside = true;
        }
    }
    if (!beside && find(results, NULL, total, &room[count * most + causes->other_count])) {
        causes->others = room + count * most;
        causes->other_count++;
    }
}

bool assay_diagnoses_add(const struct assay_results *results, struct assay_cause *list,
                         size_t count, struct assay_causes *causes)
{
    size_t recognised = 0;
    for (size_t r = 0; r < results->rule_count; r++) {
        recognised += results->rules[r].verdict == ASSAY_RECOGNISED;
    }
    if (recognised == 0) {
        return true;
    }
    struct assay_diagnosis *room =
        assay_arena_take(&causes->arena, (count + 1) * recognised * sizeof *room);
    for (size_t r = 0; r < results->rule_count && room != NULL; r++) {
        if (results->rules[r].verdict == ASSAY_RECOGNISED) {
            add(results, &results->rules[r], list, count, room, recognised, causes);
        }
    }
    return room != NULL;
}
