/* What has to be exercised: a rule that found nothing to check says nothing of a producer. Each
 * trace counts by itself: what one shows of its program no other one can. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "validator/certify/parts.h"

/* A line of the profile, looked for in the traces. */
struct line {
    const struct assay_certification *c;
    const struct assay_certify_exercise *exercise;
    bool *marked[ASSAY_MAX_CATALOGUES]; /* the rules that it means */
    uint64_t *counts;                   /* of each rule of the results, in a trace */
    uint64_t rules, due;                /* that are meant, and of these are due */
};

enum { SHOWN = 8 };

/* Rules of the format that belong to the version; a diagnosis demands nothing. */
static bool is_meant(const struct line *line, const struct assay_rule_total *total)
{
    return total->catalogue->format == line->c->profile->format && !total->rule->diagnosis &&
           total->verdict != ASSAY_NOT_APPLICABLE && total->verdict != ASSAY_DESELECTED &&
           assay_certify_marked(line->c, line->marked, total);
}

/* How often each rule was checked in a trace, in all of its streams. */
static void count_checks(const struct line *line, const struct assay_input_result *input)
{
    memset(line->counts, 0, line->c->results.rule_count * sizeof *line->counts);
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_stream_result *stream = &input->streams[i];
        for (size_t n = 0; n < stream->outcome_count; n++) {
            line->counts[stream->outcomes[n].rule] += stream->outcomes[n].exercised;
        }
    }
}

/* How many of the rules were checked often enough in the trace that was counted. */
static uint64_t count_enough(const struct line *line)
{
    uint64_t enough = 0;
    for (size_t i = 0; i < line->c->results.rule_count; i++) {
        enough +=
            line->counts[i] >= line->exercise->times && is_meant(line, &line->c->results.rules[i]);
    }
    return enough;
}

/* Names the rules that were not, the first ones. */
static void put_lacking(const struct line *line, struct assay_sink *sink)
{
    unsigned lacking = 0;
    for (size_t i = 0; i < line->c->results.rule_count; i++) {
        const struct assay_rule_total *total = &line->c->results.rules[i];
        if (line->counts[i] >= line->exercise->times || !is_meant(line, total)) {
            continue;
        }
        if (++lacking > SHOWN) {
            assay_sink_text(sink, ", ...");
            return;
        }
        assay_sink_printf(sink, "%s%s", lacking > 1 ? ", " : "; lacking: ", total->rule->id);
        if (line->counts[i] > 0) {
            assay_sink_printf(sink, " (%" PRIu64 " times)", line->counts[i]);
        } else if (total->verdict == ASSAY_NOT_CHECKABLE && total->missing_count > 0) {
            assay_sink_printf(sink, " (needs %s)", total->missing[0]);
        }
    }
}

/* --- traces of a workload --- */

static bool is_of(const struct assay_certify_trace *trace, const char *workload)
{
    return workload == NULL || (trace->workload != NULL && strcmp(trace->workload, workload) == 0);
}

/* The trace of a workload in which most of the rules were checked often enough, and how many; null:
 * there is none. */
static const struct assay_input_result *best_of(const struct line *line, const char *workload,
                                                uint64_t *most)
{
    const struct assay_certification *c = line->c;
    const struct assay_input_result *best = NULL;
    *most = 0;
    for (size_t i = 0; i < c->results.input_count; i++) {
        if (!is_of(&c->submission->traces[i], workload)) {
            continue;
        }
        count_checks(line, &c->results.inputs[i]);
        const uint64_t enough = count_enough(line);
        if (best == NULL || enough > *most) {
            best = &c->results.inputs[i];
            *most = enough;
        }
    }
    return best;
}

/* Adds that a line is not met by the trace that comes nearest to it. */
static enum assay_error add_unmet(const struct line *line, struct assay_certify_demands *demands,
                                  const struct assay_input_result *best, uint64_t most)
{
    struct assay_sink text;
    assay_sink_memory(&text, 0);
    count_checks(line, best);
    put_lacking(line, &text);
    const enum assay_error error = assay_certify_add(
        demands, "exercise", line->exercise->rules, false,
        "in %s, %" PRIu64 " of %" PRIu64 " rules are checked %" PRIu64 " time%s or more (%" PRIu64
        " required)%.*s",
        best->path, most, line->rules, line->exercise->times, line->exercise->times == 1 ? "" : "s",
        line->due, (int)text.size, (const char *)text.data);
    assay_sink_discard(&text);
    return error;
}

/* Adds a demand where no trace of the workload is enough, for the line or its alternative, which
 * may be null: for that of which a trace shows more. */
static enum assay_error look_in(const struct line *line, const struct line *other,
                                struct assay_certify_demands *demands, const char *workload,
                                bool *met)
{
    uint64_t most = 0;
    uint64_t others = 0;
    const struct assay_input_result *best = best_of(line, workload, &most);
    const struct assay_input_result *instead =
        other != NULL ? best_of(other, workload, &others) : NULL;
    if ((best != NULL && most >= line->due && line->due > 0) ||
        (instead != NULL && others >= other->due && other->due > 0)) {
        return ASSAY_OK;
    }
    *met = false;
    if (best == NULL) {
        return ASSAY_OK; /* that no trace is of the workload is a demand of its own */
    }
    return other != NULL && others * line->due > most * other->due
               ? add_unmet(other, demands, instead, others)
               : add_unmet(line, demands, best, most);
}

static enum assay_error open_line(struct assay_certification *c,
                                  const struct assay_certify_exercise *exercise, struct line *line,
                                  struct assay_diag *diag)
{
    *line = (struct line){.c = c, .exercise = exercise};
    const enum assay_error error =
        assay_certify_select(c, exercise->rules, exercise->node, line->marked, diag);
    line->counts = assay_arena_take(&c->arena, (c->results.rule_count + 1) * sizeof *line->counts);
    if (error == ASSAY_OK && line->counts == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->results.rule_count; i++) {
        line->rules += is_meant(line, &c->results.rules[i]);
    }
    line->due = exercise->of > 0 ? exercise->of : line->rules;
    return error;
}

static enum assay_error look_for(struct assay_certification *c,
                                 const struct assay_certify_exercise *exercise, bool any, bool *met,
                                 struct assay_diag *diag)
{
    struct line line;
    struct line alternative;
    const struct line *other = exercise->alternative != NULL ? &alternative : NULL;
    const struct assay_certify_texts *in =
        exercise->in.count > 0 ? &exercise->in : &c->level->workloads;
    enum assay_error error = open_line(c, exercise, &line, diag);
    if (error == ASSAY_OK && other != NULL) {
        error = open_line(c, exercise->alternative, &alternative, diag);
    }
    if (error == ASSAY_OK && (any || in->count == 0)) {
        return look_in(&line, other, &c->demands, NULL, met);
    }
    for (size_t i = 0; error == ASSAY_OK && i < in->count; i++) {
        error = look_in(&line, other, &c->demands, in->list[i]->text, met);
    }
    return error;
}

enum assay_error assay_certify_exercised(struct assay_certification *c,
                                         const struct assay_certify_exercises *exercises, bool any,
                                         bool *met, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < exercises->count; i++) {
        error = look_for(c, &exercises->list[i], any, met, diag);
    }
    return error;
}
