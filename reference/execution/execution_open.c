/* Opening and closing a recorded execution. */
#include "execution/execution.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "execution/commit_line.h"
#include "execution/commit_log.h"
#include "execution/execution_private.h"
#include "io/filter.h"
#include "io/source_spool.h"

enum { NAMES_MOST = 1024 }; /* bytes of the line of names of a table */

enum assay_error assay_execution_open(struct assay_source *source,
                                      struct assay_execution **execution, struct assay_diag *diag)
{
    *execution = NULL;
    struct assay_execution *x = calloc(1, sizeof *x);
    if (x == NULL) {
        assay_source_close(source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a reader");
    }
    x->source = source;
    x->begin = assay_source_offset(source);
    bool is_log = false;
    x->error = assay_execution_log_open(x, &is_log);
    if (x->error != ASSAY_OK || (!is_log && assay_execution_read_header(x) != ASSAY_OK)) {
        const enum assay_error error = x->error;
        if (diag != NULL) {
            *diag = x->diag;
        }
        assay_execution_close(x);
        return error;
    }
    assay_execution_model_start(&x->model, x->header.isa);
    *execution = x;
    return ASSAY_OK;
}

/* Whether the input begins with a line of at least two names, or is a log. */
static bool is_table(struct assay_source *source)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    bool several = false;
    enum rv_isa isa = RV_64;
    if (assay_commit_log_probe(source, &isa)) {
        return true;
    }
    (void)assay_source_peek(source, NAMES_MOST, &data, &have);
    have = have < NAMES_MOST ? have : NAMES_MOST;
    const size_t begin = assay_commit_comments((const char *)data, have);
    for (size_t i = begin; i < have; i++) {
        if (data[i] == '\n' || data[i] == '\r') {
            return several;
        }
        several = several || (i > begin && data[i] == ',');
        if (!isalnum(data[i]) && strchr("_, \t", data[i]) == NULL) {
            return false;
        }
    }
    return false;
}

/* A table is read several times, so that one from a pipe is kept in a file; and it may be
 * compressed. */
static enum assay_error prepare(struct assay_source **source, struct assay_diag *diag)
{
    static const uint64_t most = UINT64_C(8) << 30;
    const enum assay_container container = assay_container_probe(*source);
    const bool compressed = container == ASSAY_CONTAINER_GZIP || container == ASSAY_CONTAINER_XZ ||
                            container == ASSAY_CONTAINER_ZSTD;
    struct assay_source *other = NULL;
    enum assay_error error = ASSAY_OK;
    if (!compressed && !is_table(*source)) {
        return ASSAY_OK;
    }
    if (assay_source_again(*source, &other) != ASSAY_OK) {
        error = assay_source_spool(*source, most, source, diag);
    }
    assay_source_close(other);
    return error == ASSAY_OK && compressed
               ? assay_filter_open(*source, container, false, source, diag)
               : error;
}

enum assay_error assay_execution_open_any(struct assay_source *source,
                                          struct assay_execution **execution,
                                          struct assay_diag *diag)
{
    const enum assay_error error = prepare(&source, diag);
    *execution = NULL;
    if (error != ASSAY_OK) {
        return error;
    }
    if (!is_table(source)) {
        return assay_execution_open(source, execution, diag);
    }
    struct assay_execution *x = calloc(1, sizeof *x);
    *execution = x;
    if (x == NULL) {
        assay_source_close(source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a reader");
    }
    x->source = source;
    x->is_table = true;
    bool is_log = false;
    if (assay_execution_log_open(x, &is_log) != ASSAY_OK) {
        assay_execution_close(x);
        *execution = NULL;
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a reader");
    }
    if (is_log) {
        return ASSAY_OK;
    }
    x->error = assay_fail(&x->diag, ASSAY_UNSUPPORTED, 0, "the recording is a table");
    return ASSAY_OK;
}

struct assay_source *assay_execution_table(struct assay_execution *execution)
{
    return execution->is_table ? execution->source : NULL;
}

bool assay_execution_has_items(const struct assay_execution *execution)
{
    return !execution->is_table || execution->log != NULL;
}

void assay_execution_choose(struct assay_execution *execution, uint32_t thread)
{
    if (execution->log != NULL) {
        assay_execution_log_choose(execution->log, thread);
    }
}

static void skip(struct assay_source *source, uint64_t bytes)
{
    const uint8_t *data;
    size_t have = 1;
    while (bytes > 0 && have > 0) {
        const size_t want = bytes < ASSAY_PEEK_MAX ? (size_t)bytes : ASSAY_PEEK_MAX;
        (void)assay_source_peek(source, want, &data,
                                &have); /* reading the header finds what is missing */
        have = have < want ? have : want;
        assay_source_consume(source, have);
        bytes -= have;
    }
}

enum assay_error assay_execution_again(const struct assay_execution *execution,
                                       struct assay_execution **other, struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    *other = NULL;
    const enum assay_error error = assay_source_again(execution->source, &source);
    if (error != ASSAY_OK) {
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "the recording cannot be read again");
    }
    skip(source, execution->begin);
    const enum assay_error opened = assay_execution_open(source, other, diag);
    if (opened == ASSAY_OK && execution->log != NULL) {
        assay_execution_choose(*other, assay_execution_log_core(execution->log));
    }
    return opened;
}

const struct assay_execution_header *assay_execution_header(const struct assay_execution *execution)
{
    return &execution->header;
}

const struct assay_diag *assay_execution_diag(const struct assay_execution *execution)
{
    return &execution->diag;
}

void assay_execution_close(struct assay_execution *execution)
{
    if (execution != NULL) {
        assay_execution_log_close(execution->log);
        assay_source_close(execution->source);
        free(execution->strings);
        free(execution);
    }
}
