#include "validator/program/rules_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "validator/program/program.h"
#include "validator/program/tree.h"
#include "validator/program/user_rules.h"
#include "validator/vector/vector.h"

struct vectors {
    const struct assay_user_rules *rules;
    struct assay_sink out;
    bool *violated[ASSAY_MAX_FORMATS]; /* of each catalogue: a vector showed the rule violated */
    bool *passed[ASSAY_MAX_FORMATS];
    size_t count;  /* that say something of these rules */
    size_t wrong;  /* of these: that do not show it */
    size_t others; /* that say nothing of rules, or are of another format */
    int status;
};

static bool lists(const struct assay_yaml *list, const char *id)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (assay_yaml_is(list->items[i], id)) {
            return true;
        }
    }
    return false;
}

/* --- one vector --- */

/* Whether all ids that it names are of these rules; says which one is not. */
static bool names_are_known(struct vectors *v, const struct assay_catalogue *c,
                            const struct assay_yaml *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct assay_yaml *item = list->items[i];
        const char *id = item->type == ASSAY_YAML_SCALAR ? item->text : "";
        if (assay_rule_by_id(c, id) == NULL) {
            struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
            struct assay_near near = assay_near_begin(id);
            for (size_t r = 0; r < c->rule_count; r++) {
                assay_near_try(&near, c->rules[r].id);
            }
            assay_yaml_fail(item, &diag, ASSAY_UNKNOWN_NAME, "none of these rules has the id %s",
                            id);
            if (near.best != NULL) {
                assay_diag_hint(&diag, "did you mean %s?", near.best);
            }
            assay_say(&diag);
            v->status = assay_more_severe_exit(v->status, ASSAY_EXIT_USAGE);
            return false;
        }
    }
    return true;
}

/* What a rule should do and does not, in a line; *shown becomes false. */
static void compare(struct vectors *v, const struct assay_vector *vector, const char *path,
                    const struct assay_rule_total *total, bool *shown)
{
    const bool listed = lists(vector->expected, total->rule->id);
    const bool fails = vector->expectation == ASSAY_EXPECT_FAILS && listed;
    const bool passes = vector->expectation == ASSAY_EXPECT_PASSES && listed;
    const bool silent = lists(vector->silent, total->rule->id);
    const bool failed = total->verdict == ASSAY_FAIL || total->verdict == ASSAY_RECOGNISED;
    /* A vector with violations may leave out what is recognised beside them. */
    const bool unstated =
        total->rule->diagnosis && vector->expectation == ASSAY_EXPECT_FAILS && !listed;
    if ((fails == failed || unstated) && (!passes || total->verdict == ASSAY_PASS) &&
        (!silent || total->verdict == ASSAY_NOT_EXERCISED)) {
        return;
    }
    *shown = false;
    assay_sink_printf(&v->out, "%s: %s should %s, and ", path, total->rule->id,
                      fails    ? "fail"
                      : silent ? "not be exercised"
                               : "pass");
    if (failed && total->finding_count > 0) {
        const struct assay_finding *finding = total->findings[0].finding;
        assay_sink_printf(&v->out, "fails at event %" PRIu64 ": %s\n", finding->index,
                          finding->message);
    } else {
        assay_sink_printf(&v->out, "is %s\n", assay_verdict_name(total->verdict));
    }
}

static void compare_all(struct vectors *v, const struct assay_vector *vector, const char *path,
                        size_t number, const struct assay_results *results)
{
    bool shown = true;
    if (results->inputs[0].conclusion == ASSAY_UNREADABLE) {
        assay_sink_printf(&v->out, "%s: it makes no trace that can be judged: %s\n", path,
                          results->inputs[0].diag.message);
        shown = false;
    }
    for (size_t r = 0; r < results->rule_count && shown; r++) {
        compare(v, vector, path, &results->rules[r], &shown);
    }
    for (size_t r = 0; r < results->rule_count && shown; r++) {
        const enum assay_verdict verdict = results->rules[r].verdict;
        const bool recognised = verdict == ASSAY_RECOGNISED;
        v->violated[number][r] = v->violated[number][r] || verdict == ASSAY_FAIL || recognised;
        /* A diagnosis cannot pass. */
        v->passed[number][r] = v->passed[number][r] || verdict == ASSAY_PASS || recognised;
    }
    v->count++;
    v->wrong += !shown;
}

static enum assay_error source_of(const struct assay_sink *bytes, struct assay_source **source)
{
    return assay_source_memory(bytes->data, bytes->size, source);
}

/* Judges what the vector makes by the rules of a catalogue alone. */
static enum assay_error judge(struct vectors *v, const struct assay_vector *vector,
                              const char *path, size_t number, struct assay_diag *diag)
{
    const struct assay_catalogue *c = assay_loaded_catalogue(v->rules->loaded[number]);
    uint16_t *readings = calloc(c->interpretation_count + 1, sizeof *readings);
    const uint16_t *const all_readings[] = {readings};
    const struct assay_check_options options = {.catalogues = &c,
                                                .catalogue_count = 1,
                                                .readings = all_readings,
                                                .max_findings = 1,
                                                .fail_on = ASSAY_INFO,
                                                .jobs = 1};
    struct assay_input input = assay_vector_input(vector, path);
    struct assay_source *source = NULL;
    struct assay_source *recording = NULL;
    struct assay_check *check = NULL;
    struct assay_sink bytes;
    struct assay_sink execution;
    input.stream_count = 0;
    assay_sink_memory(&bytes, 0);
    assay_sink_memory(&execution, 0);
    enum assay_error error = readings != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    error = error ? error : assay_vector_readings(vector, c, readings, diag);
    error = error ? error : assay_vector_encode(vector, &bytes, diag);
    if (error == ASSAY_OK && vector->execution != NULL) {
        error = assay_vector_execution(vector, &execution, diag);
        error = error ? error : source_of(&execution, &recording);
    }
    error = error ? error : assay_check_open(&options, &check, diag);
    error = error ? error : source_of(&bytes, &source);
    error = error ? error : assay_check_source(check, &input, source, recording, diag);
    if (error == ASSAY_OK) {
        compare_all(v, vector, path, number, assay_check_results(check));
    }
    assay_check_close(check);
    assay_sink_close(&bytes, NULL);
    assay_sink_close(&execution, NULL);
    free(readings);
    return error;
}

static void run_vector(struct vectors *v, const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_vector vector;
    enum assay_error error = assay_vector_load(path, &vector, &diag);
    size_t number = 0;
    if (error != ASSAY_OK) {
        assay_say(&diag);
        v->status = assay_more_severe_exit(v->status, ASSAY_EXIT_USAGE);
        return;
    }
    const bool of_rules =
        vector.expectation == ASSAY_EXPECT_FAILS || vector.expectation == ASSAY_EXPECT_PASSES;
    while (number < v->rules->count &&
           assay_loaded_catalogue(v->rules->loaded[number])->format != vector.format) {
        number++;
    }
    if (!of_rules || number == v->rules->count) {
        v->others++;
    } else {
        const struct assay_catalogue *c = assay_loaded_catalogue(v->rules->loaded[number]);
        if (names_are_known(v, c, vector.expected) && names_are_known(v, c, vector.silent)) {
            error = judge(v, &vector, path, number, &diag);
        }
    }
    if (error != ASSAY_OK) {
        assay_diag_path(&diag, path);
        assay_say(&diag);
        v->status = assay_more_severe_exit(v->status, error == ASSAY_NO_MEMORY ? ASSAY_EXIT_AGAIN
                                                                               : ASSAY_EXIT_USAGE);
    }
    assay_vector_free(&vector);
}

/* --- all of them --- */

struct below {
    struct vectors *vectors;
    const char *folder;
};

static bool visit(void *context, const struct assay_tree_entry *entry)
{
    const struct below *below = context;
    struct vectors *v = below->vectors;
    const char *slash = strrchr(entry->path, '/');
    const char *name = slash != NULL ? slash + 1 : entry->path;
    const size_t n = strlen(name);
    if (entry->error != 0) {
        struct assay_diag diag = {0};
        assay_fail(&diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "cannot be read: %s",
                   strerror(entry->error));
        assay_diag_path(&diag, entry->path);
        assay_say(&diag);
        v->status = assay_more_severe_exit(v->status, ASSAY_EXIT_USAGE);
    } else if (S_ISREG(entry->st->st_mode) && n > 5 && strcmp(name + n - 5, ".yaml") == 0) {
        run_vector(v, entry->path);
    }
    return name[0] != '_' || strcmp(entry->path, below->folder) == 0;
}

/* Every *.yaml below a folder, but for folders whose names begin with '_', which hold bases. */
static void walk(struct vectors *v, const char *folder)
{
    struct below below = {.vectors = v, .folder = folder};
    if (assay_tree_walk(folder, visit, &below) != 0) {
        v->status = assay_say_no_memory();
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_vectors(struct vectors *v)
{
    for (size_t i = 0; i < v->rules->count; i++) {
        const struct assay_catalogue *c = assay_loaded_catalogue(v->rules->loaded[i]);
        for (size_t r = 0; r < c->rule_count; r++) {
            if (!v->violated[i][r] || !v->passed[i][r]) {
                assay_sink_printf(&v->out, "%s: no vector shows it %s%s%s\n", c->rules[r].id,
                                  v->violated[i][r] ? "" : "violated",
                                  v->violated[i][r] || v->passed[i][r] ? "" : ", none ",
                                  v->passed[i][r] ? "" : "passed");
            }
        }
    }
    assay_sink_printf(&v->out, "%zu vector%s: %zu do%s not show what %s", v->count,
                      plural(v->count), v->wrong, v->wrong == 1 ? "es" : "",
                      v->wrong == 1 ? "it says" : "they say");
    if (v->others > 0) {
        assay_sink_printf(&v->out, "; %zu say%s nothing of these rules", v->others,
                          v->others == 1 ? "s" : "");
    }
    assay_sink_text(&v->out, "\n");
}

static void check_vectors(struct vectors *v, const char *folder)
{
    bool made = true;
    for (size_t i = 0; i < v->rules->count; i++) {
        const size_t count = assay_loaded_catalogue(v->rules->loaded[i])->rule_count;
        v->violated[i] = calloc(count + 1, sizeof(bool));
        v->passed[i] = calloc(count + 1, sizeof(bool));
        made = made && v->violated[i] != NULL && v->passed[i] != NULL;
    }
    if (made) {
        walk(v, folder);
        put_vectors(v);
    } else {
        v->status = assay_say_no_memory();
    }
    if (v->wrong > 0) {
        v->status = assay_more_severe_exit(v->status, ASSAY_EXIT_VIOLATES);
    }
    for (size_t i = 0; i < v->rules->count; i++) {
        free(v->violated[i]);
        free(v->passed[i]);
    }
}

int assay_rules_check(const char *const *files, size_t count, const char *vectors)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_user_rules rules = {0};
    struct vectors v = {.rules = &rules};
    v.status = assay_user_rules_load(files, count, &rules);
    if (v.status != 0) {
        assay_user_rules_free(&rules);
        return v.status;
    }
    assay_sink_open(&v.out, "-", &diag);
    for (size_t i = 0; i < rules.count; i++) {
        const struct assay_catalogue *c = assay_loaded_catalogue(rules.loaded[i]);
        assay_sink_printf(&v.out, "%s %s: %zu rule%s, no fault\n", c->format->name,
                          c->format->version, c->rule_count, plural(c->rule_count));
    }
    if (vectors != NULL) {
        check_vectors(&v, vectors);
    }
    const int status = assay_finish_output(&v.out, v.status);
    assay_user_rules_free(&rules);
    return status;
}
