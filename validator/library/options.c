/* The options of a validator, by the names and values of the command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "image/image.h"
#include "model/framing.h"
#include "validator/library/validator.h"

enum { MAX_FINDINGS = 100000, MAX_NAMES = 64 };

/* --- errors --- */

/* No such name, and the one that may be meant. */
static enum assay_status unknown(struct assay_validator *v, const char *what, const char *name,
                                 const char *const *names)
{
    const char *near = assay_nearest(name, names);
    return assay_library_refuse(v, ASSAY_USAGE, "there is no %s \"%s\"%s%s%s", what, name,
                                near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                                near != NULL ? "\"?" : "");
}

static enum assay_status no_memory(struct assay_validator *v)
{
    return assay_library_refuse(v, ASSAY_NO_MEMORY, "out of memory");
}

static enum assay_status only_once(struct assay_validator *v, const char *name)
{
    return assay_library_refuse(v, ASSAY_USAGE, "%s can be set only once for a validator", name);
}

static enum assay_status flag(struct assay_validator *v, const char *name, const char *value,
                              bool *to)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
        return assay_library_refuse(v, ASSAY_USAGE, "%s is true or false, not \"%s\"", name, value);
    }
    *to = strcmp(value, "true") == 0;
    return ASSAY_STATUS_OK;
}

static enum assay_status number(struct assay_validator *v, const char *name, const char *value,
                                uint64_t most, uint64_t *to)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = strtoull(value, &end, strncmp(value, "0x", 2) == 0 ? 16 : 10);
    if (errno != 0 || *value < '0' || *value > '9' || *end != '\0' || n > most) {
        return assay_library_refuse(v, ASSAY_USAGE, "%s is a number from 0 to %llu, not \"%s\"",
                                    name, (unsigned long long)most, value);
    }
    *to = n;
    return ASSAY_STATUS_OK;
}

static const char *keep(struct assay_validator *v, const char *text)
{
    return assay_arena_text(&v->arena, text, strlen(text));
}

/* --- the trace --- */

static enum assay_status set_format(struct assay_validator *v, const char *value)
{
    const char *names[MAX_NAMES] = {"auto"};
    const struct assay_format *format = assay_format_by_name(value);
    for (size_t i = 0; assay_formats[i] != NULL && i + 2 < MAX_NAMES; i++) {
        names[i + 1] = assay_formats[i]->name;
    }
    if (format == NULL && strcmp(value, "auto") != 0) {
        return unknown(v, "format", value, names);
    }
    if (v->input.setup.profile != 0 && format != v->input.setup.format) {
        return assay_library_refuse(v, ASSAY_USAGE, "the profile that was set is not of %s", value);
    }
    v->input.setup.format = format;
    return ASSAY_STATUS_OK;
}

static enum assay_status set_profile(struct assay_validator *v, const char *value)
{
    const char *names[MAX_NAMES] = {NULL};
    const struct assay_format *given = v->input.setup.format;
    size_t count = 0;
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        const struct assay_format *format = assay_formats[i];
        const int profile = assay_profile_by_name(format, value);
        if (profile >= 0 && given != NULL && given != format) {
            return assay_library_refuse(v, ASSAY_USAGE, "the profile %s is of %s, not of %s", value,
                                        format->name, given->name);
        }
        if (profile >= 0) {
            v->input.setup.format = format;
            v->input.setup.profile = 1 + (unsigned)profile;
            return ASSAY_STATUS_OK;
        }
        for (size_t p = 0; p < format->profile_count && count + 1 < MAX_NAMES; p++) {
            names[count++] = format->profiles[p].name;
        }
    }
    return unknown(v, "profile", value, names);
}

static enum assay_status set_framing(struct assay_validator *v, const char *value)
{
    const unsigned framing = (unsigned)assay_framing_by_name(value);
    if (framing >= ASSAY_FRAMING_COUNT) {
        return unknown(v, "framing", value, assay_framing_names);
    }
    v->input.setup.framing = framing;
    v->input.setup.framing_given = true;
    return ASSAY_STATUS_OK;
}

static enum assay_status set_outside(struct assay_validator *v, const char *value)
{
    return flag(v, "allow-outside", value, &v->input.allow_outside);
}

/* --- what is given with it --- */

static enum assay_status set_facts(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_facts facts = {0};
    if (v->input.setup.facts != NULL) {
        return only_once(v, "facts");
    }
    if (assay_facts_load(value, &facts, &diag) != ASSAY_OK) {
        assay_facts_clear(&facts);
        return assay_library_fail(v, &diag);
    }
    v->facts = facts;
    v->input.setup.facts = &v->facts;
    assay_evidence_add(&v->evidence, "facts", value, false);
    return ASSAY_STATUS_OK;
}

static enum assay_status set_config(struct assay_validator *v, const char *value)
{
    if (v->input.setup.config_file != NULL) {
        return only_once(v, "config");
    }
    v->input.setup.config_file = value;
    assay_evidence_add(&v->evidence, "config", value, false);
    return ASSAY_STATUS_OK;
}

static enum assay_status set_image(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_image_spec spec;
    if (v->sealed) {
        return assay_library_refuse(v, ASSAY_USAGE, "images are set before the first trace");
    }
    enum assay_error error = assay_image_option(value, &spec, &diag);
    if (error == ASSAY_OK && v->images == NULL) {
        error = assay_image_set_open(NULL, &v->images);
        diag.error = error;
    }
    error = error != ASSAY_OK ? error : assay_image_add(v->images, &spec, &diag);
    if (error != ASSAY_OK) {
        return assay_library_fail(v, &diag);
    }
    const size_t last = assay_image_count(v->images) - 1;
    assay_evidence_add(&v->evidence, "image", assay_image_info(v->images, last)->path, false);
    v->input.setup.images = v->images;
    return ASSAY_STATUS_OK;
}

static enum assay_status set_execution(struct assay_validator *v, const char *value)
{
    v->input.setup.execution = value;
    return ASSAY_STATUS_OK;
}

static enum assay_status set_thread(struct assay_validator *v, const char *value)
{
    uint64_t n = 0;
    const enum assay_status status = number(v, "thread", value, UINT32_MAX - 1, &n);
    v->input.setup.execution_thread =
        status == ASSAY_STATUS_OK ? (uint32_t)n : v->input.setup.execution_thread;
    return status;
}

/* --- judging --- */

static enum assay_status set_findings(struct assay_validator *v, const char *value)
{
    uint64_t n = v->options.max_findings;
    const enum assay_status status = number(v, "max-findings", value, MAX_FINDINGS, &n);
    v->options.max_findings = (unsigned)n;
    return status;
}

static enum assay_status set_fail_on(struct assay_validator *v, const char *value)
{
    enum assay_level level = v->options.fail_on;
    const bool never = strcmp(value, "never") == 0;
    if (!never && !assay_level_by_name(value, &level)) {
        return assay_library_refuse(
            v, ASSAY_USAGE, "fail-on is must, should, may-not-rely, info or never, not \"%s\"",
            value);
    }
    v->options.never_fail = never;
    v->options.fail_on = level;
    return ASSAY_STATUS_OK;
}

static enum assay_status set_digest(struct assay_validator *v, const char *value)
{
    return flag(v, "digest", value, &v->options.digest);
}

static enum assay_status set_evaluate(struct assay_validator *v, const char *value)
{
    return flag(v, "evaluate", value, &v->options.evaluate);
}

/* --- the table --- */

static const struct {
    const char *name;
    /* The value stays as long as the validator. */
    enum assay_status (*set)(struct assay_validator *v, const char *value);
    bool noted;    /* in reports as it was given; those that always have a value are added */
    bool repeated; /* it adds to what was set before */
} options[] = {
    {"format", set_format, false, false},
    {"profile", set_profile, true, false},
    {"framing", set_framing, true, false},
    {"facts", set_facts, true, false},
    {"config", set_config, true, false},
    {"image", set_image, true, true},
    {"allow-outside", set_outside, false, false},
    {"execution", set_execution, true, false},
    {"thread", set_thread, true, false},
    {"rules", assay_library_add_rules, true, true},
    {"interpret", assay_library_interpret, true, true},
    {"only", assay_library_only, true, true},
    {"skip", assay_library_skip, true, true},
    {"waive", assay_library_waive, true, true},
    {"max-findings", set_findings, false, false},
    {"fail-on", set_fail_on, false, false},
    {"digest", set_digest, false, false},
    {"evaluate", set_evaluate, true, false},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

/* The entry for an option in the list for reports: a new one, or that of an earlier value which
 * this one replaces. Null when memory is out. */
static struct assay_option_used *reserve(struct assay_validator *v, size_t option)
{
    size_t at = 0;
    while (at < v->used_count &&
           (options[option].repeated || strcmp(v->used[at].name, options[option].name) != 0)) {
        at++;
    }
    struct assay_option_used *used =
        assay_arena_grow(&v->arena, v->used, v->used_count, &v->used_room, sizeof *used);
    v->used = used != NULL ? used : v->used;
    return used != NULL ? &used[at] : NULL;
}

/* Sets an option, and lists it for reports if it is one of those. */
static enum assay_status set_and_note(struct assay_validator *v, size_t option, const char *value)
{
    const char *text = keep(v, value);
    struct assay_option_used *entry = reserve(v, option);
    if (text == NULL || entry == NULL) {
        return no_memory(v);
    }
    const enum assay_status status = options[option].set(v, text);
    if (status == ASSAY_STATUS_OK && options[option].noted) {
        *entry = (struct assay_option_used){.name = options[option].name, .value = text};
        v->used_count += entry == &v->used[v->used_count];
    }
    return status;
}

enum assay_status assay_validator_set(struct assay_validator *v, const char *name,
                                      const char *value)
{
    const char *names[OPTIONS + 1] = {NULL};
    v->message[0] = '\0';
    if (name == NULL || value == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "an option has a name and a value");
    }
    if (v->push != NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "options are set before a trace is begun");
    }
    for (size_t i = 0; i < OPTIONS; i++) {
        names[i] = options[i].name;
        if (strcmp(names[i], name) == 0) {
            return set_and_note(v, i, value);
        }
    }
    return unknown(v, "option", name, names);
}

enum assay_error assay_library_list_options(struct assay_validator *v)
{
    enum { ALWAYS = 3 };
    struct assay_option_used *list =
        assay_arena_take(&v->of_trace, (v->used_count + ALWAYS) * sizeof *list);
    char digits[16];
    const int length = snprintf(digits, sizeof digits, "%u", v->options.max_findings);
    const char *findings = assay_arena_text(&v->of_trace, digits, (size_t)length);
    if (list == NULL || findings == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < v->used_count; i++) {
        list[i] = v->used[i];
    }
    const struct assay_format *format = v->input.setup.format;
    const struct assay_option_used always[ALWAYS] = {
        {.name = "format", .value = format != NULL ? format->name : "auto"},
        {.name = "fail-on",
         .value = v->options.never_fail ? "never" : assay_level_name(v->options.fail_on)},
        {.name = "max-findings", .value = findings}};
    memcpy(list + v->used_count, always, sizeof always);
    v->results.options = list;
    v->results.option_count = v->used_count + ALWAYS;
    return ASSAY_OK;
}
