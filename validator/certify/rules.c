/* Rules of a certification: those that selectors mean, and those of formats that were judged. */
#include <string.h>

#include "model/model.h"
#include "validator/certify/parts.h"
#include "validator/engine/select.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

bool assay_certify_is_released(const char *digest)
{
    static const struct {
        const char *version, *digest;
    } released[] = {
#define ASSAY_RELEASED(version, digest) {version, digest},
#include "validator/certify/released.def"
#undef ASSAY_RELEASED
        {NULL, NULL}};
    for (size_t i = 0; released[i].version != NULL; i++) {
        if (strcmp(released[i].version, ASSAY_VERSION) == 0 &&
            strcmp(released[i].digest, digest) == 0) {
            return true;
        }
    }
    return false;
}

enum assay_error assay_certify_fail_at(enum assay_error error, const struct assay_yaml *node,
                                       const struct assay_diag *wrong, struct assay_diag *diag)
{
    if (error == ASSAY_NO_MEMORY) {
        return no_memory(diag);
    }
    assay_yaml_fail(node, diag, error == ASSAY_USAGE ? ASSAY_UNKNOWN_NAME : error, "%s",
                    wrong->message);
    if (wrong->hint[0] != '\0') {
        assay_diag_hint(diag, "%s", wrong->hint);
    }
    return diag->error;
}

enum assay_error assay_certify_select(struct assay_certification *c, const char *selectors,
                                      const struct assay_yaml *node, bool **marked,
                                      struct assay_diag *diag)
{
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    for (size_t i = 0; i < c->selection.count; i++) {
        marked[i] = assay_arena_take(&c->arena, c->selection.catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return no_memory(diag);
        }
    }
    const enum assay_error error =
        assay_select_rules(c->selection.catalogues, c->selection.count, selectors, marked, &wrong);
    return error != ASSAY_OK ? assay_certify_fail_at(error, node, &wrong, diag) : ASSAY_OK;
}

bool assay_certify_marked(const struct assay_certification *c, bool *const *marked,
                          const struct assay_rule_total *total)
{
    for (size_t i = 0; i < c->selection.count; i++) {
        if (c->selection.catalogues[i] == total->catalogue) {
            return marked[i][total->rule - total->catalogue->rules];
        }
    }
    return false;
}

bool assay_certify_asked(const struct assay_certification *c,
                         const struct assay_catalogue *catalogue)
{
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            if (input->streams[n].format == catalogue->format) {
                return true;
            }
        }
    }
    return false;
}
