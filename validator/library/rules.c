/* The options of a validator that are about rules. */
#include "validator/library/validator.h"

/* The built-in rules and those of all files are loaded anew: files are read together. */
enum assay_status assay_library_add_rules(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_selection selection = {.count = 0};
    if (v->chosen) {
        return assay_library_refuse(v, ASSAY_USAGE,
                                    "rules are set before only, skip, interpret and waive");
    }
    if (v->rule_file_count == ASSAY_MAX_RULE_FILES) {
        return assay_library_refuse(v, ASSAY_USAGE, "there are more than %d rule files",
                                    ASSAY_MAX_RULE_FILES);
    }
    v->rule_files[v->rule_file_count++] = value;
    if (assay_selection_begin(&selection, v->rule_files, v->rule_file_count, NULL, &diag) !=
        ASSAY_OK) {
        v->rule_file_count--;
        assay_selection_close(&selection);
        return assay_library_fail(v, &diag);
    }
    assay_library_forget(v); /* the results are of the rules that go */
    assay_selection_close(&v->selection);
    v->selection = selection;
    assay_evidence_add(&v->evidence, "rules", value, false);
    return ASSAY_STATUS_OK;
}

/* From now on the catalogues stay as they are. */
static enum assay_status chosen(struct assay_validator *v, enum assay_error error,
                                const struct assay_diag *diag)
{
    v->chosen = v->chosen || error == ASSAY_OK;
    return error == ASSAY_OK ? ASSAY_STATUS_OK : assay_library_fail(v, diag);
}

static enum assay_status narrow(struct assay_validator *v, const char *selectors, bool only)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_narrow(&v->selection, selectors, only, &diag);
    if (error == ASSAY_OK && selectors[0] == '@') {
        assay_evidence_add(&v->evidence, "selection", selectors + 1, false);
    }
    return chosen(v, error, &diag);
}

enum assay_status assay_library_only(struct assay_validator *v, const char *value)
{
    return narrow(v, value, true);
}

enum assay_status assay_library_skip(struct assay_validator *v, const char *value)
{
    return narrow(v, value, false);
}

enum assay_status assay_library_waive(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_waive(&v->selection, &v->waivers, value, &diag);
    if (error == ASSAY_OK) {
        assay_library_forget(v); /* the results point to the waivers that there were */
        v->options.waivers = &v->waivers;
        assay_evidence_add(&v->evidence, "waivers", value, false);
    }
    return chosen(v, error, &diag);
}

enum assay_status assay_library_interpret(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    return chosen(v, assay_selection_read_as(&v->selection, value, &diag), &diag);
}
