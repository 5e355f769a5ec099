#include "validator/certify/recorded_file.h"

#include <string.h>

#include "io/source.h"
#include "io/witness.h"
#include "validator/certify/lists.h"

static enum assay_error read_under(struct assay_witness *witness, const char *path,
                                   assay_certify_reader *read, void *context,
                                   struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_source_open(path, &source, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_source_witness(source, witness);
    error = assay_execution_open_any(source, &execution, diag);
    if (error == ASSAY_OK) {
        error = read(context, execution, diag);
        assay_execution_close(execution);
    }
    assay_witness_end(witness);
    return error;
}

static enum assay_error check_digest(const struct assay_witness_report *report, const char *sha256,
                                     struct assay_diag *diag)
{
    if (report->sha256[0] == '\0') {
        return assay_certify_no_digest(report->no_digest, diag);
    }
    return strcmp(report->sha256, sha256) == 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                            "the file changed after it was judged with");
}

enum assay_error assay_certify_read_recording(const char *path, const char *sha256,
                                              assay_certify_reader *read, void *context,
                                              struct assay_diag *diag)
{
    const struct assay_witness_options options = {.files = 1, .digest = sha256 != NULL};
    struct assay_witness *witness = assay_witness_open(&options);
    if (witness == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = read_under(witness, path, read, context, diag);
    if (error == ASSAY_OK && sha256 != NULL) {
        error = check_digest(assay_witness_all(witness), sha256, diag);
    }
    if (error != ASSAY_OK && diag->path[0] == '\0') {
        assay_diag_path(diag, path);
    }
    assay_witness_close(witness);
    return error;
}

struct reading {
    const struct assay_certify_items *items;
    enum assay_certify_recorded_file what;
};

static enum assay_error give_items(struct reading *reading, struct assay_execution *execution,
                                   struct assay_diag *diag)
{
    const struct assay_certify_items *items = reading->items;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_INSTRUCTION};
    items->begin(items->context, assay_execution_header(execution));
    while (item.kind != ASSAY_EXECUTED_END) {
        const enum assay_error error = assay_execution_next(execution, &item);
        if (error == ASSAY_TRUNCATED) {
            reading->what = ASSAY_RECORDED_CUT; /* the judge has said so */
            return ASSAY_OK;
        }
        if (error != ASSAY_OK) {
            *diag = *assay_execution_diag(execution);
            return error;
        }
        items->add(items->context, &item);
    }
    reading->what = ASSAY_RECORDED_WHOLE;
    return ASSAY_OK;
}

static enum assay_error read_items(void *context, struct assay_execution *execution,
                                   struct assay_diag *diag)
{
    struct reading *reading = context;
    reading->what = ASSAY_RECORDED_TABLE;
    if (!assay_execution_has_items(execution)) {
        return ASSAY_OK;
    }
    const enum assay_error error = give_items(reading, execution, diag);
    if (error == ASSAY_OK || error == ASSAY_NO_MEMORY || assay_execution_table(execution) == NULL) {
        return error;
    }
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET}; /* a log of several cores */
    return ASSAY_OK;
}

enum assay_error assay_certify_read_items(const char *path, const char *sha256,
                                          const struct assay_certify_items *items,
                                          enum assay_certify_recorded_file *what,
                                          struct assay_diag *diag)
{
    struct reading reading = {.items = items};
    const enum assay_error error =
        assay_certify_read_recording(path, sha256, read_items, &reading, diag);
    *what = reading.what;
    return error;
}
