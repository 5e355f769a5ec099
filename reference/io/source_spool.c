#include "io/source_spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/path.h"

static enum assay_error not_writable(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET,
                      "what can be read only once cannot be kept in a temporary file: %s",
                      strerror(errno));
}

/* What was read is an error of the source, even where all before it was shown. */
static enum assay_error end_of(const struct assay_source *under, struct assay_diag *diag)
{
    struct assay_source_status status;
    assay_source_status(under, &status);
    return status.fault == ASSAY_OK
               ? ASSAY_OK
               : assay_fail(diag, status.fault, assay_source_offset(under), "%s",
                            status.detail[0] != '\0' ? status.detail
                                                     : assay_error_text(status.fault));
}

static enum assay_error copy(struct assay_source *under, uint64_t most, FILE *file,
                             struct assay_diag *diag)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    while (assay_source_peek(under, 1, &data, &have) == ASSAY_OK && have > 0) {
        if (have > most - assay_source_offset(under)) {
            return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                              "of what can be read only once %llu bytes are read at most: write it "
                              "to a file",
                              (unsigned long long)most);
        }
        if (fwrite(data, 1, have, file) != have) {
            return not_writable(diag);
        }
        assay_source_consume(under, have);
    }
    const enum assay_error error = end_of(under, diag);
    return error == ASSAY_OK && fflush(file) != 0 ? not_writable(diag) : error;
}

/* The file has no name; its descriptor has a path. */
static enum assay_error open_file(FILE *file, struct assay_source **source, struct assay_diag *diag)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    return assay_source_open(path, source, diag);
}

enum assay_error assay_source_spool(struct assay_source *under, uint64_t most,
                                    struct assay_source **source, struct assay_diag *diag)
{
    FILE *file = assay_temporary_file();
    *source = NULL;
    enum assay_error error = file != NULL ? copy(under, most, file, diag) : not_writable(diag);
    assay_source_close(under);
    error = error == ASSAY_OK ? open_file(file, source, diag) : error;
    if (file != NULL) {
        fclose(file);
    }
    return error;
}
