#include "validator/program/user_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/compiler/rule_parts.h"

struct loading {
    const char *const *files;
    size_t file_count;
    bool *of_format; /* file f has rules of format n: [f * ASSAY_MAX_FORMATS + n] */
    size_t faults;
    int status;
};

static void say_fault(void *context, const struct assay_diag *diag)
{
    struct loading *l = context;
    l->faults++;
    l->status = assay_more_severe_exit(l->status, ASSAY_EXIT_USAGE);
    assay_say(diag);
    if (l->faults == ASSAY_MOST_RULE_FAULTS) {
        fprintf(stderr, "assay: there may be more, which are not reported\n");
    }
}

static void say_error(struct loading *l, enum assay_error error, const struct assay_diag *diag)
{
    if (error == ASSAY_NO_MEMORY) {
        assay_say(diag);
        l->status = ASSAY_EXIT_AGAIN;
    } else {
        say_fault(l, diag);
    }
}

static size_t number_of(const char *name)
{
    size_t number = 0;
    while (assay_formats[number] != NULL && strcmp(assay_formats[number]->name, name) != 0) {
        number++;
    }
    return number;
}

static void unknown_format(struct loading *l, const struct assay_yaml *node)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const bool scalar = node->type == ASSAY_YAML_SCALAR;
    struct assay_near near = assay_near_begin(scalar ? node->text : "");
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        assay_near_try(&near, assay_formats[i]->name);
    }
    assay_yaml_fail(node, &diag, ASSAY_UNKNOWN_NAME, "there is no format \"%s\"",
                    scalar ? node->text : "(a list)");
    if (near.best != NULL) {
        assay_diag_hint(&diag, "did you mean \"%s\"?", near.best);
    }
    say_fault(l, &diag);
}

/* Which formats a file has rules of. */
static void find_formats(struct loading *l, size_t number)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_yaml_file file;
    const enum assay_error error = assay_yaml_load(l->files[number], &file, &diag);
    if (error != ASSAY_OK) {
        say_error(l, error, &diag);
        return;
    }
    for (size_t i = 0; i < assay_rule_parts(file.root); i++) {
        const struct assay_yaml *named = assay_yaml_get(assay_rule_part(file.root, i), "format");
        const bool scalar = named != NULL && named->type == ASSAY_YAML_SCALAR;
        const size_t format = named == NULL ? 0 : scalar ? number_of(named->text) : SIZE_MAX;
        if (format >= ASSAY_MAX_FORMATS || assay_formats[format] == NULL) {
            unknown_format(l, named);
        } else {
            l->of_format[number * ASSAY_MAX_FORMATS + format] = true;
        }
    }
    assay_yaml_free(&file);
}

static void load_format(struct loading *l, size_t number, struct assay_user_rules *rules)
{
    const struct assay_format *format = assay_formats[number];
    const struct assay_load_listener listener = {.fault = say_fault, .context = l};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const char **files = calloc(l->file_count + 1, sizeof *files);
    const size_t before = l->faults;
    size_t count = 0;
    for (size_t i = 0; files != NULL && i < l->file_count; i++) {
        if (l->of_format[i * ASSAY_MAX_FORMATS + number]) {
            files[count++] = l->files[i];
        }
    }
    if (files == NULL) {
        l->status = assay_say_no_memory();
    } else if (count > 0) {
        const enum assay_error error =
            assay_catalogue_load_user(format, files, count, assay_catalogue_of(format), &listener,
                                      &rules->loaded[rules->count], &diag);
        rules->count += error == ASSAY_OK;
        if (error != ASSAY_OK && l->faults == before) {
            say_error(l, error, &diag);
        }
    }
    free(files);
}

int assay_user_rules_load(const char *const *files, size_t count, struct assay_user_rules *rules)
{
    struct loading l = {
        .files = files, .file_count = count, .of_format = calloc(count + 1, ASSAY_MAX_FORMATS)};
    if (l.of_format == NULL) {
        return assay_say_no_memory();
    }
    for (size_t i = 0; i < count; i++) {
        find_formats(&l, i);
    }
    for (size_t n = 0; assay_formats[n] != NULL && n < ASSAY_MAX_FORMATS; n++) {
        load_format(&l, n, rules);
    }
    free(l.of_format);
    return l.status;
}

void assay_user_rules_free(struct assay_user_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        assay_catalogue_free(rules->loaded[i]);
    }
    *rules = (struct assay_user_rules){0};
}
