/* The decision: what the profile and the claims demand, and what there is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "model/model.h"
#include "model/parameters.h"
#include "validator/certify/parts.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

enum assay_error assay_certify_add(struct assay_certify_demands *demands, const char *kind,
                                   const char *name, bool met, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct assay_certify_demand *list = assay_arena_grow(
        demands->arena, demands->list, demands->count, &demands->room, sizeof *list);
    demands->list = list != NULL ? list : demands->list;
    const struct assay_certify_demand one = {
        .kind = kind,
        .name = assay_arena_text(demands->arena, name, strlen(name)),
        .found = assay_arena_text(demands->arena, text, strlen(text)),
        .met = met};
    if (list == NULL || one.name == NULL || one.found == NULL) {
        return ASSAY_NO_MEMORY;
    }
    list[demands->count++] = one;
    return ASSAY_OK;
}

/* --- traces --- */

/* Why a trace was not judged whole. */
static const char *why_incomplete(const struct assay_input_result *input)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_stream_result *stream = &input->streams[i];
        if (stream->unjudged != NULL) {
            return stream->unjudged;
        }
        for (size_t n = 0; stream->format != NULL && n < stream->format->layer_count; n++) {
            if (!stream->layers[n].complete && !stream->layers[n].left_out) {
                return stream->layers[n].why != NULL ? stream->layers[n].why
                                                     : "part of it could not be decoded";
            }
        }
    }
    return input->exercised == 0 ? "no rule found anything to check" : "part of it was not judged";
}

static bool is_whole(const struct assay_input_result *input)
{
    return input->complete && input->exercised > 0 && input->conclusion != ASSAY_INCOMPLETE;
}

static enum assay_error demand_judged(struct assay_certification *c)
{
    size_t whole = 0;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        whole += is_whole(input);
        if (!is_whole(input)) {
            error = assay_certify_add(&c->demands, "judged", input->path, false, "%s",
                                      why_incomplete(input));
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "judged", "traces", whole == c->results.input_count,
                                   "%zu of %zu traces were judged whole", whole,
                                   c->results.input_count);
}

/* That each trace is, or carries, one of the format, and of the version. */
static enum assay_error demand_version(struct assay_certification *c)
{
    const struct assay_format *format = c->submission->format;
    const unsigned dialect = c->submission->dialect;
    enum assay_error error = ASSAY_OK;
    bool met = true;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        bool any = false;
        const char *other = NULL;
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_stream_result *stream = &input->streams[n];
            if (stream->format == format) {
                any = true;
                other = dialect > 0 && stream->profile != dialect - 1
                            ? format->profiles[stream->profile].name
                            : other;
            }
        }
        met = met && any && other == NULL;
        if (!any || other != NULL) {
            error = assay_certify_add(&c->demands, "version", input->path, false,
                                      any ? "it was judged as %s" : "nothing in it is of %s",
                                      any ? other : format->name);
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "version",
                                   dialect > 0 ? format->profiles[dialect - 1].name : format->name,
                                   met, "%s",
                                   met ? "all traces are of it" : "not all traces are of it");
}

/* --- rules --- */

/* Adds the rules that a list of selectors means to those that are marked. */
static enum assay_error mark_all(struct assay_certification *c,
                                 const struct assay_certify_texts *texts, bool **marked,
                                 struct assay_diag *diag)
{
    bool *some[ASSAY_MAX_CATALOGUES];
    for (size_t i = 0; i < c->selection.count; i++) {
        marked[i] = assay_arena_take(&c->arena, c->selection.catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return no_memory(diag);
        }
    }
    for (size_t t = 0; t < texts->count; t++) {
        const enum assay_error error =
            assay_certify_select(c, texts->list[t]->text, texts->list[t], some, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        for (size_t i = 0; i < c->selection.count; i++) {
            for (size_t r = 0; r < c->selection.catalogues[i]->rule_count; r++) {
                marked[i][r] = marked[i][r] || some[i][r];
            }
        }
    }
    return ASSAY_OK;
}

static enum assay_error demand_pass(struct assay_certification *c, struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    uint64_t passed = 0;
    uint64_t checks = 0;
    bool met = true;
    enum assay_error error = mark_all(c, &c->level->pass, marked, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        const bool counts = !total->rule->diagnosis && (total->rule->level == ASSAY_MUST ||
                                                        assay_certify_marked(c, marked, total));
        checks += counts ? total->exercised : 0;
        passed += counts && total->verdict == ASSAY_PASS;
        if (counts && total->violated > 0) {
            met = false;
            error = assay_certify_add(&c->demands, "rules", total->rule->id, false,
                                      "%" PRIu64 " of %" PRIu64 " checks fail: %s", total->violated,
                                      total->exercised, total->rule->title);
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "rules", "all", met,
                                   "%" PRIu64 " rules that must pass did, in %" PRIu64 " checks%s",
                                   passed, checks, met ? "" : "; others did not");
}

static enum assay_error demand_waivers(struct assay_certification *c, struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    enum assay_error error = mark_all(c, &c->level->waive, marked, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (total->waived > 0) {
            const bool may = assay_certify_marked(c, marked, total);
            error = assay_certify_add(&c->demands, "waiver", total->rule->id, may,
                                      "%" PRIu64 " violations are waived, which the profile %s",
                                      total->waived, may ? "permits" : "does not permit");
        }
    }
    return error;
}

/* --- workloads and executions --- */

/* How many traces are of a workload that is due, and how that is known. */
static enum assay_error demand_workload(struct assay_certification *c, const char *name)
{
    size_t shown = 0;
    size_t named = 0;
    for (size_t i = 0; i < c->submission->trace_count; i++) {
        const char *of = c->submission->traces[i].workload;
        if (of != NULL && strcmp(of, name) == 0) {
            shown += c->workloads[i].state == ASSAY_WORKLOAD_SHOWN;
            named += c->workloads[i].state == ASSAY_WORKLOAD_NAMED;
        }
    }
    if (shown + named == 0) {
        return assay_certify_add(&c->demands, "workload", name, false, "no trace is of it");
    }
    return named == 0 ? assay_certify_add(&c->demands, "workload", name, true,
                                          "%zu of the traces, by its recorded executions", shown)
                      : assay_certify_add(&c->demands, "workload", name, true,
                                          "%zu of the traces; of %zu by the producer's word alone",
                                          shown + named, named);
}

static enum assay_error demand_workloads(struct assay_certification *c)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->trace_count; i++) {
        if (c->workloads[i].state == ASSAY_WORKLOAD_REFUTED) {
            error = assay_certify_add(&c->demands, "workload", c->submission->traces[i].workload,
                                      false, "not of %s: its recorded execution %s",
                                      c->submission->traces[i].path, c->workloads[i].lacking);
        }
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->level->workloads.count; i++) {
        error = demand_workload(c, c->level->workloads.list[i]->text);
    }
    return error;
}

bool assay_certify_covered(const struct assay_stream_result *stream, uint32_t *covered)
{
    const struct assay_uncompared *compared = stream->uncompared;
    if (compared == NULL || compared->recorded == 0) {
        return false;
    }
    const uint64_t matched =
        compared->matched < compared->recorded ? compared->matched : compared->recorded;
    *covered = (uint32_t)((long double)matched * ASSAY_CERTIFY_ALL_COVERED /
                          (long double)compared->recorded);
    return true;
}

/* The least part that a stream of the trace covers; false when none was compared. */
static bool least_covered(const struct assay_certification *c,
                          const struct assay_input_result *input, uint32_t *least)
{
    bool all = true;
    bool any = false;
    *least = ASSAY_CERTIFY_ALL_COVERED;
    for (size_t i = 0; i < input->stream_count; i++) {
        uint32_t covered = 0;
        if (input->streams[i].format != c->submission->format) {
            continue;
        }
        any = true;
        all = all && assay_certify_covered(&input->streams[i], &covered);
        *least = covered < *least ? covered : *least;
    }
    return any && all;
}

static enum assay_error demand_executions(struct assay_certification *c)
{
    const uint32_t due = c->level->covered;
    uint32_t least = ASSAY_CERTIFY_ALL_COVERED;
    bool met = true;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        uint32_t covered = 0;
        const bool compared = least_covered(c, input, &covered);
        least = compared && covered < least ? covered : least;
        if (compared && covered >= due) {
            continue;
        }
        met = false;
        error = compared ? assay_certify_add(&c->demands, "execution", input->path, false,
                                             "%u.%03u %% of the recorded execution is in the trace",
                                             covered / 1000, covered % 1000)
                         : assay_certify_add(&c->demands, "execution", input->path, false,
                                             "it was not compared with a recorded execution");
    }
    if (error != ASSAY_OK) {
        return error;
    }
    return met ? assay_certify_add(&c->demands, "execution", "all", true,
                                   "of each recorded execution at least %u.%03u %% is in its "
                                   "trace; due are %u.%03u %%",
                                   least / 1000, least % 1000, due / 1000, due % 1000)
               : assay_certify_add(&c->demands, "execution", "all", false,
                                   "a trace has less of its recorded execution than is due: "
                                   "%u.%03u %%",
                                   due / 1000, due % 1000);
}

/* --- parameters --- */

/* The claimed values, as the format reads them. */
static enum assay_error read_parameters(const struct assay_certification *c,
                                        struct assay_parameter_values *values,
                                        struct assay_diag *diag)
{
    const struct assay_yaml *claims = assay_yaml_get(c->submission->file.root, "claims");
    const struct assay_yaml *map = assay_yaml_get(claims, "parameters");
    assay_parameters_init(values, c->submission->format->parameters);
    return assay_parameters_read(values, map->path, map, diag);
}

/* In which trace a parameter has another value; null: in none. */
static const char *other_value(const struct assay_certification *c, size_t number, uint64_t claimed,
                               char *text, size_t size)
{
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_parameter_values *values = input->streams[n].parameters;
            if (input->streams[n].format != c->submission->format || values == NULL ||
                (values->known[number] && values->value[number] == claimed)) {
                continue;
            }
            if (values->known[number]) {
                assay_parameter_text(&values->table->list[number], values->value[number], text,
                                     size);
            } else {
                snprintf(text, size, "not known");
            }
            return input->path;
        }
    }
    return NULL;
}

static enum assay_error demand_parameters(struct assay_certification *c, struct assay_diag *diag)
{
    if (c->submission->parameter_count == 0) {
        return ASSAY_OK;
    }
    struct assay_parameter_values *claimed = assay_arena_take(&c->arena, sizeof *claimed);
    if (claimed == NULL) {
        return no_memory(diag);
    }
    enum assay_error error = read_parameters(c, claimed, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->parameter_count; i++) {
        const char *name = c->submission->parameters[i].name;
        const size_t number = (size_t)assay_parameter_by_name(claimed->table, name);
        char wanted[64];
        char text[64];
        const char *path = other_value(c, number, claimed->value[number], text, sizeof text);
        assay_parameter_text(&claimed->table->list[number], claimed->value[number], wanted,
                             sizeof wanted);
        error = path == NULL
                    ? assay_certify_add(&c->demands, "parameter", name, true, "%s in all traces",
                                        wanted)
                    : assay_certify_add(&c->demands, "parameter", name, false,
                                        "%s is claimed, and in %s it is %s", wanted, path, text);
    }
    return error;
}

/* --- the verdict --- */

static enum assay_certify_verdict verdict_of(const struct assay_certification *c)
{
    enum assay_certify_verdict verdict = ASSAY_CERTIFIED;
    for (size_t i = 0; i < c->demands.count; i++) {
        const struct assay_certify_demand *demand = &c->demands.list[i];
        if (!demand->met && strcmp(demand->kind, "judged") != 0) {
            return ASSAY_NOT_CERTIFIED;
        }
        verdict = demand->met ? verdict : ASSAY_CERTIFY_INCOMPLETE;
    }
    return verdict;
}

enum assay_error assay_certify_decide(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = demand_judged(c);
    error = error ? error : demand_version(c);
    error = error ? error : demand_parameters(c, diag);
    error = error ? error : demand_pass(c, diag);
    error = error ? error : demand_waivers(c, diag);
    error = error ? error : assay_certify_exercised(c, diag);
    error = error ? error : demand_workloads(c);
    error = error || !c->level->executions ? error : demand_executions(c);
    c->verdict = verdict_of(c);
    return error == ASSAY_NO_MEMORY ? no_memory(diag) : error;
}
