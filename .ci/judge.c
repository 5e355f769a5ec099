/* A program that uses the installed library: judges a trace and prints the verdict.
 *     judge TRACE */
#include <stdio.h>

#include "validator/engine/check.h"

int main(int argc, char **argv)
{
    const struct assay_check_options options = {
        .catalogues = assay_catalogues, .catalogue_count = 1, .fail_on = ASSAY_MUST};
    const struct assay_input input = {.path = argc > 1 ? argv[1] : "-"};
    struct assay_check *check;
    if (assay_check_open(&options, &check, NULL) != ASSAY_OK) {
        return 70;
    }
    const enum assay_error error = assay_check_inputs(check, &input, 1, NULL);
    const enum assay_conclusion conclusion = assay_check_results(check)->conclusion;
    printf("%s: %s\n", input.path, assay_conclusion_name(conclusion));
    assay_check_close(check);
    return error == ASSAY_OK && conclusion == ASSAY_CONFORMS ? 0 : 1;
}
