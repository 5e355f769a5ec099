#include "reports/baseline_index.h"

#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "reports/json_load.h"
#include "reports/json_stream.h"

/* --- from the report --- */

/* A number as assay_json_count writes it. */
static uint64_t count_of(const json_t *value)
{
    const char *text = json_string_value(value);
    const json_int_t number = json_integer_value(value);
    if (text != NULL) {
        return strtoull(text, NULL, 16);
    }
    return number > 0 ? (uint64_t)number : 0;
}

/* The member of an object that is an object; it is made if there is none. Null when memory is out.
 */
static json_t *object_in(json_t *object, const char *key)
{
    json_t *member = json_object_get(object, key);
    if (member == NULL && json_object_set_new(object, key, json_object()) == 0) {
        member = json_object_get(object, key);
    }
    return member;
}

static bool add(json_t *object, const char *key, uint64_t more)
{
    const uint64_t sum = count_of(json_object_get(object, key)) + more;
    return json_object_set_new(object, key, assay_json_count(sum)) == 0;
}

/* The rules that are violated in an input or in one of its streams. */
static bool take_rules(json_t *into, const json_t *of)
{
    bool good = true;
    size_t i = 0;
    const json_t *rule = NULL;
    json_array_foreach(json_object_get(of, "rules"), i, rule)
    {
        const char *id = json_string_value(json_object_get(rule, "id"));
        const uint64_t violated = count_of(json_object_get(rule, "violated"));
        json_t *group = id != NULL && violated > 0 ? object_in(into, id) : NULL;
        good = good &&
               (id == NULL || violated == 0 || (group != NULL && add(group, "violated", violated)));
    }
    return good;
}

/* The member of the inputs that a path names; it is made if there is none. Null when memory is
 * out. */
static json_t *input_in(json_t *inputs, const char *path)
{
    char *tidy = strdup(path);
    json_t *entry = NULL;
    if (tidy != NULL) {
        assay_path_tidy(tidy);
        entry = object_in(inputs, tidy);
    }
    free(tidy);
    return entry;
}

static bool take_input(json_t *inputs, const json_t *input)
{
    const char *path = json_string_value(json_object_get(input, "path"));
    json_t *entry = path != NULL ? input_in(inputs, path) : NULL;
    json_t *rules = entry != NULL ? object_in(entry, "rules") : NULL;
    const json_t *streams = json_object_get(input, "streams");
    bool good =
        rules != NULL && json_object_set(entry, "verdict", json_object_get(input, "verdict")) == 0;
    if (good && streams == NULL) {
        good = take_rules(rules, input);
    }
    for (size_t i = 0; good && i < json_array_size(streams); i++) {
        good = take_rules(rules, json_array_get(streams, i));
    }
    return good;
}

static bool take_finding(json_t *inputs, const json_t *list, const json_t *finding)
{
    const json_t *input = json_array_get(list, count_of(json_object_get(finding, "input")));
    const char *path = json_string_value(json_object_get(input, "path"));
    const char *id = json_string_value(json_object_get(finding, "rule"));
    const char *print = json_string_value(json_object_get(finding, "fingerprint"));
    if (path == NULL || id == NULL || print == NULL) {
        return false;
    }
    json_t *group = object_in(json_object_get(input_in(inputs, path), "rules"), id);
    json_t *prints = group != NULL ? object_in(group, "prints") : NULL;
    return prints != NULL && add(prints, print, 1) && add(group, "listed", 1);
}

static const char *const hint = "a baseline is what --report json=FILE wrote of an earlier run";

static enum assay_error refuse(struct assay_diag *diag, const char *path, const char *what)
{
    assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "%s: %s", path, what);
    assay_diag_hint(diag, "%s", hint);
    return ASSAY_UNSUPPORTED;
}

static enum assay_error take_report(struct assay_baseline_index *index, const json_t *report,
                                    const char *path, struct assay_diag *diag)
{
    const char *schema = json_string_value(json_object_get(report, "schema"));
    const json_t *inputs = json_object_get(report, "inputs");
    const json_t *findings = json_object_get(report, "findings");
    const json_t *tool = json_object_get(report, "tool");
    if (schema == NULL || strcmp(schema, "assay-report/2") != 0) {
        return refuse(diag, path, "its schema is not assay-report/2");
    }
    index->catalogues = json_incref(json_object_get(tool, "catalogues"));
    if (!json_is_array(inputs) || !json_is_array(findings) || !json_is_array(index->catalogues)) {
        return refuse(diag, path, "it has no inputs, no findings or no catalogues");
    }
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        if (!take_input(index->inputs, json_array_get(inputs, i))) {
            return refuse(diag, path, "one of its inputs is not as its schema says");
        }
    }
    for (size_t i = 0; i < json_array_size(findings); i++) {
        if (!take_finding(index->inputs, inputs, json_array_get(findings, i))) {
            return refuse(diag, path, "one of its findings is not as its schema says");
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_baseline_index_load(struct assay_baseline_index *index, const char *path,
                                           struct assay_diag *diag)
{
    json_error_t wrong;
    json_t *report = NULL;
    enum assay_error error = assay_json_load_file(path, JSON_REJECT_DUPLICATES, &report, &wrong);
    index->inputs = json_object();
    error = index->inputs != NULL ? error : ASSAY_NO_MEMORY;
    if (error == ASSAY_SYNTAX || error == ASSAY_NOT_READABLE) {
        error = wrong.line > 0
                    ? assay_fail_at(diag, ASSAY_SYNTAX, (uint32_t)wrong.line,
                                    (uint32_t)wrong.column, "%s", wrong.text)
                    : assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET, "%s", wrong.text);
        assay_diag_path(diag, path);
        assay_diag_hint(diag, "%s", hint);
    }
    error = error == ASSAY_OK ? take_report(index, report, path, diag) : error;
    json_decref(report);
    return error;
}

void assay_baseline_index_free(struct assay_baseline_index *index)
{
    json_decref(index->inputs);
    json_decref(index->catalogues);
}

/* --- for the run --- */

struct assay_baseline_input assay_baseline_input_of(const struct assay_baseline_index *index,
                                                    const char *path)
{
    json_t *name = assay_json_name(path);
    const json_t *entry = name != NULL ? input_in(index->inputs, json_string_value(name)) : NULL;
    const struct assay_baseline_input input = {
        .verdict = json_string_value(json_object_get(entry, "verdict")),
        .rules = json_object_get(entry, "rules")};
    json_decref(name);
    return input;
}

struct assay_baseline_group assay_baseline_group_of(const struct assay_baseline_input *input,
                                                    const char *rule)
{
    json_t *group = json_object_get(input->rules, rule);
    if (group != NULL) {
        json_object_set_new(group, "asked", json_true());
    }
    return (struct assay_baseline_group){.violated = count_of(json_object_get(group, "violated")),
                                         .listed = count_of(json_object_get(group, "listed")),
                                         .prints = json_object_get(group, "prints")};
}

bool assay_baseline_take(const struct assay_baseline_group *group, const char *fingerprint)
{
    json_t *left = json_object_get(group->prints, fingerprint);
    return count_of(left) > 0 && json_integer_set(left, json_integer_value(left) - 1) == 0;
}

uint64_t assay_baseline_left(const struct assay_baseline_index *index)
{
    uint64_t left = 0;
    const char *key = NULL;
    json_t *entry = NULL;
    json_object_foreach(index->inputs, key, entry)
    {
        const char *id = NULL;
        json_t *group = NULL;
        json_object_foreach(json_object_get(entry, "rules"), id, group)
        {
            left += json_object_get(group, "asked") == NULL
                        ? count_of(json_object_get(group, "violated"))
                        : 0;
        }
    }
    return left;
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one != NULL && strcmp(one, text) == 0) {
            return true;
        }
    }
    return false;
}

bool assay_baseline_has_catalogues(const struct assay_baseline_index *index,
                                   const struct assay_results *results)
{
    bool all = json_array_size(index->catalogues) == results->digest_count;
    for (size_t i = 0; i < results->digest_count; i++) {
        all = all && has_text(index->catalogues, results->digests[i]);
    }
    return all;
}
