/* Reads a recorded execution that a trace was judged with once more. Private to validator/certify/.
 */
#ifndef ASSAY_CERTIFY_RECORDED_FILE_H
#define ASSAY_CERTIFY_RECORDED_FILE_H

#include "common/error.h"
#include "execution/execution.h"

/* What is made of it; it need not be read to its end. */
typedef enum assay_error assay_certify_reader(void *context, struct assay_execution *execution,
                                              struct assay_diag *diag);

/* Opens the file and lets it be read. `sha256` is the digest that it has to have, "sha256:...";
 * null: any. ASSAY_CONTRADICTION: it has another one. Otherwise what opening, the reader or the
 * digest fails with; the diagnosis names the file. */
enum assay_error assay_certify_read_recording(const char *path, const char *sha256,
                                              assay_certify_reader *read, void *context,
                                              struct assay_diag *diag);

/* What a recording is: one that ends as it should, one that is cut, or nothing that has items: a
 * table, or a log of several cores, where it is not said which one is meant. */
enum assay_certify_recorded_file { ASSAY_RECORDED_WHOLE, ASSAY_RECORDED_CUT, ASSAY_RECORDED_TABLE };

/* Who gets the header and each item, the end among them. */
struct assay_certify_items {
    void (*begin)(void *context, const struct assay_execution_header *header);
    void (*add)(void *context, const struct assay_executed *item);
    void *context;
};

/* Reads all items of a file. Of a table none are given, or some. Errors as above. */
enum assay_error assay_certify_read_items(const char *path, const char *sha256,
                                          const struct assay_certify_items *items,
                                          enum assay_certify_recorded_file *what,
                                          struct assay_diag *diag);

#endif
