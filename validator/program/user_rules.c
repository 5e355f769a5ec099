#include "validator/program/user_rules.h"

#include <stdio.h>

static void say_fault(void *context, const struct assay_diag *diag)
{
    size_t *told = context;
    assay_say(diag);
    if (++*told == ASSAY_MOST_RULE_FAULTS) {
        fprintf(stderr, "assay: there may be more, which are not reported\n");
    }
}

struct assay_load_listener assay_rule_faults_said(size_t *told)
{
    return (struct assay_load_listener){.fault = say_fault, .context = told};
}

int assay_exit_of_rules(enum assay_error error, const struct assay_diag *diag)
{
    if (error == ASSAY_NO_MEMORY) {
        assay_say(diag);
    }
    return error == ASSAY_OK ? 0 : error == ASSAY_NO_MEMORY ? ASSAY_EXIT_AGAIN : ASSAY_EXIT_USAGE;
}

int assay_user_rules_load(const char *const *files, size_t count, struct assay_user_rules *rules)
{
    size_t told = 0;
    const struct assay_load_listener listener = assay_rule_faults_said(&told);
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_user_rules_read(files, count, &listener, rules, &diag);
    return assay_exit_of_rules(error, &diag);
}
