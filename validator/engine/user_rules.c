#include "validator/engine/user_rules.h"

#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "validator/compiler/rule_parts.h"

struct loading {
    const char *const *files;
    size_t file_count;
    bool *of_format;     /* file f has rules of format n: [f * ASSAY_MAX_FORMATS + n] */
    const char **chosen; /* the files that have rules of a format */
    const struct assay_load_listener *listener; /* the caller's, or null */
    size_t faults;
    struct assay_diag *first;
};

static void take_fault(void *context, const struct assay_diag *diag)
{
    struct loading *l = context;
    if (l->faults++ == 0) {
        *l->first = *diag;
    }
    if (l->listener != NULL) {
        l->listener->fault(l->listener->context, diag);
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
    take_fault(l, &diag);
}

/* Which formats a file has rules of. */
static enum assay_error find_formats(struct loading *l, size_t number)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_yaml_file file;
    const enum assay_error error = assay_yaml_load(l->files[number], &file, &diag);
    if (error == ASSAY_NO_MEMORY) {
        return error;
    }
    if (error != ASSAY_OK) {
        take_fault(l, &diag);
        return ASSAY_OK;
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
    return ASSAY_OK;
}

static enum assay_error load_format(struct loading *l, size_t number,
                                    struct assay_user_rules *rules)
{
    const struct assay_format *format = assay_formats[number];
    const struct assay_load_listener listener = {.fault = take_fault, .context = l};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const size_t before = l->faults;
    size_t count = 0;
    for (size_t i = 0; i < l->file_count; i++) {
        if (l->of_format[i * ASSAY_MAX_FORMATS + number]) {
            l->chosen[count++] = l->files[i];
        }
    }
    if (count == 0) {
        return ASSAY_OK;
    }
    const enum assay_error error =
        assay_catalogue_load_user(format, l->chosen, count, assay_catalogue_of(format), &listener,
                                  &rules->loaded[rules->count], &diag);
    rules->count += error == ASSAY_OK;
    if (error != ASSAY_OK && error != ASSAY_NO_MEMORY && l->faults == before) {
        take_fault(l, &diag);
    }
    return error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
}

enum assay_error assay_user_rules_read(const char *const *files, size_t count,
                                       const struct assay_load_listener *listener,
                                       struct assay_user_rules *rules, struct assay_diag *diag)
{
    struct loading l = {.files = files,
                        .file_count = count,
                        .of_format = calloc(count + 1, ASSAY_MAX_FORMATS),
                        .chosen = calloc(count + 1, sizeof *l.chosen),
                        .listener = listener,
                        .first = diag};
    enum assay_error error = l.of_format != NULL && l.chosen != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        error = find_formats(&l, i);
    }
    for (size_t n = 0; n < ASSAY_MAX_FORMATS && assay_formats[n] != NULL && error == ASSAY_OK;
         n++) {
        error = load_format(&l, n, rules);
    }
    free(l.of_format);
    free(l.chosen);
    if (error == ASSAY_NO_MEMORY) {
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory");
    }
    return l.faults > 0 ? diag->error : ASSAY_OK;
}

void assay_user_rules_free(struct assay_user_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        assay_catalogue_free(rules->loaded[i]);
    }
    *rules = (struct assay_user_rules){0};
}
