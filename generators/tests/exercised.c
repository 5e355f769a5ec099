#include "generators/tests/exercised.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "common/yaml.h"

enum { REASON = 20 }; /* bytes; a shorter text is none */

struct list {
    const struct exercised *exercised;
    const struct assay_catalogue *catalogue;
    const char *path;
    bool listed[EXERCISED_RULES];
    unsigned faults;
};

__attribute__((format(printf, 3, 4))) static void fault(struct list *list, size_t line,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%zu: ", list->path, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    list->faults++;
}

static void read_rule(struct list *list, const struct assay_yaml *id)
{
    const struct assay_rule *rule = assay_rule_by_id(list->catalogue, id->text);
    if (rule == NULL) {
        fault(list, id->line, "there is no rule %s", id->text);
        return;
    }
    const size_t at = (size_t)(rule - list->catalogue->rules);
    if (list->listed[at]) {
        fault(list, id->line, "%s is listed twice", id->text);
    } else if (list->exercised->rule[at]) {
        fault(list, id->line, "%s is exercised, although the list says that it cannot be",
              id->text);
    }
    list->listed[at] = true;
}

static void read_group(struct list *list, const struct assay_yaml *group)
{
    const struct assay_yaml *reason = assay_yaml_get(group, "reason");
    const struct assay_yaml *rules = assay_yaml_get(group, "rules");
    if (reason == NULL || reason->length < REASON || rules == NULL) {
        fault(list, group->line, "a group has a reason and rules");
        return;
    }
    for (size_t i = 0; i < rules->count; i++) {
        read_rule(list, rules->items[i]);
    }
}

void exercised_add(struct exercised *sum, const struct exercised *part)
{
    for (size_t i = 0; i < EXERCISED_RULES; i++) {
        sum->rule[i] = sum->rule[i] || part->rule[i];
    }
}

unsigned exercised_count(const struct exercised *exercised)
{
    unsigned count = 0;
    for (size_t i = 0; i < EXERCISED_RULES; i++) {
        count += exercised->rule[i];
    }
    return count;
}

unsigned exercised_compare(const struct exercised *exercised,
                           const struct assay_catalogue *catalogue, const char *path)
{
    struct list list = {.exercised = exercised, .catalogue = catalogue, .path = path};
    struct assay_yaml_file file = {0};
    struct assay_diag diag = {0};
    if (catalogue->rule_count > EXERCISED_RULES ||
        assay_yaml_load(path, &file, &diag) != ASSAY_OK) {
        fault(&list, 0, "%s", diag.error != ASSAY_OK ? diag.message : "there are too many rules");
        return list.faults;
    }
    const struct assay_yaml *groups = assay_yaml_get(file.root, "unexercised");
    for (size_t g = 0; groups != NULL && g < groups->count; g++) {
        read_group(&list, groups->items[g]);
    }
    for (size_t i = 0; i < catalogue->rule_count; i++) {
        if (!list.listed[i] && !exercised->rule[i]) {
            fault(&list, 0, "%s: no trace exercises it, and the list gives no reason",
                  catalogue->rules[i].id);
        }
    }
    assay_yaml_free(&file);
    return list.faults;
}
