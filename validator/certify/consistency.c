#include "validator/certify/consistency.h"

#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "validator/certify/folder.h"
#include "validator/certify/key.h"
#include "validator/certify/output.h"

struct checking {
    const char *folder;
    const json_t *statement, *predicate;
    struct assay_diag *diag;
};

static enum assay_error no_memory(const struct checking *k)
{
    return assay_fail(k->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static enum assay_error load(const struct checking *k, const char *name, char **text, size_t *size)
{
    return assay_certify_load(k->folder, name, ASSAY_YAML_MAX_BYTES, text, size, k->diag);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* Whether an object has what another one says under a key: both nothing, or the same. */
static bool agree(const json_t *a, const json_t *b, const char *key)
{
    const json_t *one = json_object_get(a, key);
    const json_t *other = json_object_get(b, key);
    return one == NULL || other == NULL ? one == other : json_equal(one, other) != 0;
}

/* --- the submission and the profile --- */

/* Takes ownership of `written`, which the statement has to have under the key. */
static enum assay_error check_member(const struct checking *k, const char *name, const char *key,
                                     json_t *written)
{
    enum assay_error error = ASSAY_OK;
    if (written == NULL) {
        return no_memory(k);
    }
    if (json_equal(written, json_object_get(k->predicate, key)) == 0) {
        error = assay_certify_refuse(k->folder, name, k->diag,
                                     "the certificate has another \"%s\" than this file", key);
    }
    json_decref(written);
    return error;
}

static enum assay_error check_submitted(const struct checking *k, const struct assay_submission *s)
{
    const json_t *traces = json_object_get(k->predicate, "traces");
    bool same = json_array_size(traces) == s->trace_count;
    for (size_t i = 0; same && i < s->trace_count; i++) {
        json_t *written = assay_certify_trace_json(&s->traces[i]);
        const json_t *trace = json_array_get(traces, i);
        if (written == NULL) {
            return no_memory(k);
        }
        same = agree(written, trace, "path") && agree(written, trace, "workload") &&
               agree(written, trace, "command") && agree(written, trace, "challenge");
        json_decref(written);
    }
    return same ? ASSAY_OK
                : assay_certify_refuse(k->folder, "submission.yaml", k->diag,
                                       "the certificate has other traces than this file");
}

/* What the statement has to say of a profile. Whether it is one of a build was another build's to
 * say, which may have had others. */
static json_t *as_when_made(const struct checking *k, const struct assay_certification *c)
{
    json_t *profile = assay_certify_profile_json(c);
    json_t *modified = json_object_get(json_object_get(k->predicate, "profile"), "modified");
    if (profile != NULL && json_object_set(profile, "modified", modified) != 0) {
        json_decref(profile);
        return NULL;
    }
    return profile;
}

static enum assay_error check_profile(const struct checking *k, const struct assay_submission *s,
                                      bool *own_profile)
{
    char *text = NULL;
    size_t size = 0;
    struct assay_certify_profile profile = {.name = NULL};
    struct assay_certification c = {.submission = s, .profile = &profile};
    enum assay_error error = load(k, "profile.yaml", &text, &size);
    error =
        error ? error : assay_certify_profile_parse("profile.yaml", text, size, &profile, k->diag);
    if (error == ASSAY_OK) {
        c.level = assay_certify_level_named(&profile, s->level);
        *own_profile = !profile.built_in;
        error = c.level != NULL && assay_certify_has_features(&profile, &s->features)
                    ? check_member(k, "profile.yaml", "profile", as_when_made(k, &c))
                    : assay_certify_refuse(k->folder, "profile.yaml", k->diag,
                                           "it has no such level, or feature, as is claimed");
    }
    assay_certify_profile_free(&profile);
    free(text);
    return error;
}

/* What a file of the folder cannot be is the folder's fault, not its user's. */
static enum assay_error of_folder(const struct checking *k, const char *name,
                                  enum assay_error error)
{
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY || error == ASSAY_CONTRADICTION) {
        return error;
    }
    const struct assay_diag why = *k->diag;
    assay_certify_refuse(k->folder, name, k->diag, "%.300s", why.message);
    k->diag->line = why.line;
    k->diag->column = why.column;
    return ASSAY_CONTRADICTION;
}

static enum assay_error check_claims(const struct checking *k, bool *own_profile)
{
    char *text = NULL;
    size_t size = 0;
    struct assay_submission s = {.producer = NULL};
    enum assay_error error = load(k, "submission.yaml", &text, &size);
    error = error ? error : assay_submission_parse("submission.yaml", text, size, &s, k->diag);
    error = of_folder(k, "submission.yaml", error);
    error = error ? error
                  : check_member(k, "submission.yaml", "producer", assay_certify_producer_json(&s));
    error =
        error ? error : check_member(k, "submission.yaml", "claims", assay_certify_claims_json(&s));
    error = error ? error : check_submitted(k, &s);
    error = error ? error : of_folder(k, "profile.yaml", check_profile(k, &s, own_profile));
    assay_submission_free(&s);
    free(text);
    return error;
}

/* --- the reports --- */

static enum assay_error load_json(const struct checking *k, const char *name, json_t **root)
{
    char *text = NULL;
    size_t size = 0;
    enum assay_error error = load(k, name, &text, &size);
    if (error == ASSAY_OK) {
        error = assay_certify_json(text, size, root, k->diag);
        error = error == ASSAY_OK || error == ASSAY_NO_MEMORY
                    ? error
                    : assay_certify_refuse(k->folder, name, k->diag, "it is no JSON");
    }
    free(text);
    return error;
}

/* Every file that took part is a subject of the statement, with its digest. */
static enum assay_error check_inputs(const struct checking *k)
{
    json_t *root = NULL;
    enum assay_error error = load_json(k, "inputs.json", &root);
    const json_t *files = json_object_get(root, "files");
    const json_t *subjects = json_object_get(k->statement, "subject");
    bool same = json_array_size(files) == json_array_size(subjects);
    for (size_t i = 0; same && i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const json_t *subject = json_array_get(subjects, i);
        same = strcmp(text_of(file, "path"), text_of(subject, "name")) == 0 &&
               strcmp(text_of(file, "sha256"),
                      text_of(json_object_get(subject, "digest"), "sha256")) == 0;
    }
    json_decref(root);
    return error != ASSAY_OK || same ? error
                                     : assay_certify_refuse(k->folder, "inputs.json", k->diag,
                                                            "the certificate is about other files");
}

/* Whether a rule of the report is as the statement has it. A report leaves out what is not waived.
 */
static bool is_same_rule(const json_t *reported, const json_t *stated)
{
    const json_t *waived = json_object_get(reported, "waived");
    return agree(reported, stated, "level") && agree(reported, stated, "verdict") &&
           agree(reported, stated, "exercised") && agree(reported, stated, "violated") &&
           (waived != NULL ? agree(reported, stated, "waived")
                           : json_integer_value(json_object_get(stated, "waived")) == 0);
}

/* The rules of both are in the order of the catalogues; the report has those of formats that were
 * not asked for, and diagnoses, too. */
static bool are_same_rules(const json_t *reported, const json_t *stated)
{
    size_t next = 0;
    for (size_t i = 0; i < json_array_size(stated); i++) {
        const json_t *rule = json_array_get(stated, i);
        while (next < json_array_size(reported) &&
               !agree(json_array_get(reported, next), rule, "id")) {
            next++;
        }
        if (next == json_array_size(reported) ||
            !is_same_rule(json_array_get(reported, next), rule)) {
            return false;
        }
    }
    return json_array_size(stated) > 0;
}

static bool are_same_inputs(const json_t *reported, const json_t *stated)
{
    bool same = json_array_size(reported) == json_array_size(stated);
    for (size_t i = 0; same && i < json_array_size(stated); i++) {
        same = agree(json_array_get(reported, i), json_array_get(stated, i), "path") &&
               agree(json_array_get(reported, i), json_array_get(stated, i), "verdict") &&
               agree(json_array_get(reported, i), json_array_get(stated, i), "bytes");
    }
    return same;
}

/* Adds what the rules of a stream were exercised and violated to the sums by their ids. False
 * without memory. */
static bool add_rules(json_t *sums, const json_t *rules)
{
    static const char *const keys[] = {"exercised", "violated"};
    size_t i = 0;
    const json_t *rule = NULL;
    bool whole = true;
    json_array_foreach(rules, i, rule)
    {
        const char *id = text_of(rule, "id");
        json_t *sum = json_object_get(sums, id);
        if (sum == NULL) {
            sum = json_object();
            whole = json_object_set_new(sums, id, sum) == 0 && whole;
        }
        for (size_t n = 0; whole && n < sizeof keys / sizeof *keys; n++) {
            const json_int_t before = json_integer_value(json_object_get(sum, keys[n]));
            const json_int_t more = json_integer_value(json_object_get(rule, keys[n]));
            const json_int_t all = (json_int_t)((uint64_t)before + (uint64_t)more);
            whole = json_object_set_new(sum, keys[n], json_integer(all)) == 0;
        }
    }
    return whole;
}

/* Whether the counts of each rule are those of all traces together. What passes 2^53 is no integer
 * there, and is not added up. */
static bool are_summed(const json_t *sums, const json_t *rules)
{
    size_t i = 0;
    const json_t *rule = NULL;
    json_array_foreach(rules, i, rule)
    {
        const json_t *sum = json_object_get(sums, text_of(rule, "id"));
        const json_t *exercised = json_object_get(rule, "exercised");
        const json_t *violated = json_object_get(rule, "violated");
        if (json_is_integer(exercised) && json_is_integer(violated) &&
            (json_integer_value(exercised) !=
                 json_integer_value(json_object_get(sum, "exercised")) ||
             json_integer_value(violated) !=
                 json_integer_value(json_object_get(sum, "violated")))) {
            return false;
        }
    }
    return true;
}

/* An input has the rules of its first stream, and a list of its streams if there are others. */
static enum assay_error check_counts(const struct checking *k, const json_t *report)
{
    json_t *sums = json_object();
    bool whole = sums != NULL;
    size_t i = 0;
    const json_t *input = NULL;
    json_array_foreach(json_object_get(report, "inputs"), i, input)
    {
        size_t n = 0;
        const json_t *stream = NULL;
        const json_t *streams = json_object_get(input, "streams");
        whole = whole && (streams != NULL || add_rules(sums, json_object_get(input, "rules")));
        json_array_foreach(streams, n, stream)
        {
            whole = whole && add_rules(sums, json_object_get(stream, "rules"));
        }
    }
    const bool same = whole && are_summed(sums, json_object_get(report, "rules"));
    json_decref(sums);
    return !whole ? no_memory(k)
           : same
               ? ASSAY_OK
               : assay_certify_refuse(k->folder, "report.json", k->diag,
                                      "its traces say something else of a rule than all together");
}

static enum assay_error check_report(const struct checking *k)
{
    json_t *root = NULL;
    const char *wrong = NULL;
    enum assay_error error = load_json(k, "report.json", &root);
    if (!agree(json_object_get(root, "tool"), json_object_get(k->predicate, "tool"), "version")) {
        wrong = "it is of another version of Assay than the certificate";
    } else if (!are_same_rules(json_object_get(root, "rules"),
                               json_object_get(k->predicate, "rules"))) {
        wrong = "the certificate says something else of a rule";
    } else if (!are_same_inputs(json_object_get(root, "inputs"),
                                json_object_get(k->predicate, "traces"))) {
        wrong = "the certificate says something else of a trace";
    }
    if (error == ASSAY_OK && wrong != NULL) {
        error = assay_certify_refuse(k->folder, "report.json", k->diag, "%s", wrong);
    }
    error = error ? error : check_counts(k, root);
    json_decref(root);
    return error;
}

/* --- what follows from the statement --- */

static enum assay_error check_written(const struct checking *k, const char *name,
                                      enum assay_error (*write)(const json_t *predicate,
                                                                struct assay_sink *sink))
{
    char *text = NULL;
    size_t size = 0;
    struct assay_sink again;
    enum assay_error error = load(k, name, &text, &size);
    assay_sink_memory(&again, 0);
    error = error ? error : write(k->predicate, &again);
    if (error == ASSAY_OK && (again.size != size || memcmp(again.data, text, size) != 0)) {
        error = assay_certify_refuse(k->folder, name, k->diag,
                                     "it says something else than the certificate");
    }
    assay_sink_discard(&again);
    free(text);
    return error == ASSAY_NO_MEMORY ? no_memory(k) : error;
}

enum assay_error assay_certify_consistent(const char *folder, const json_t *statement,
                                          bool *own_profile, struct assay_diag *diag)
{
    const struct checking k = {.folder = folder,
                               .statement = statement,
                               .predicate = json_object_get(statement, "predicate"),
                               .diag = diag};
    enum assay_error error = check_claims(&k, own_profile);
    error = error ? error : check_inputs(&k);
    error = error ? error : check_report(&k);
    error = error ? error : check_written(&k, "SUMMARY.txt", assay_certify_summary);
    return error ? error : check_written(&k, "badge.svg", assay_certify_badge);
}
