/* The beginning of a recorded execution: its magic and its header; and the errors of reading. */
#include <stdlib.h>

#include "execution/execution_private.h"

/* The error of an input that ended early: the source's own, if it has one. */
enum assay_error assay_execution_short(struct assay_execution *x, const char *where)
{
    struct assay_source_status status;
    assay_source_status(x->source, &status);
    const uint64_t offset = assay_source_offset(x->source);
    if (status.fault != ASSAY_OK) {
        return x->error = assay_fail(&x->diag, status.fault, offset, "%s", status.detail);
    }
    return x->error = assay_fail(&x->diag, ASSAY_TRUNCATED, offset, "the file ends %s", where);
}

enum assay_error assay_execution_corrupt(struct assay_execution *x, uint64_t offset,
                                         const char *what)
{
    return x->error = assay_fail(&x->diag, ASSAY_CORRUPT, offset, "%s", what);
}

/* Peeks at `want` bytes, or fails. */
enum assay_error assay_execution_need(struct assay_execution *x, size_t want, const char *where,
                                      const uint8_t **data)
{
    size_t have = 0;
    (void)assay_source_peek(x->source, want, data, &have); /* an error is reported below */
    return have < want ? assay_execution_short(x, where) : ASSAY_OK;
}

static enum assay_error read_magic(struct assay_execution *x)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    const size_t name = ASSAY_EXECUTION_NAME_SIZE;
    const enum assay_error error =
        assay_source_peek(x->source, ASSAY_EXECUTION_MAGIC_SIZE, &data, &have);
    if (error != ASSAY_OK && have == 0) {
        return x->error = assay_fail(&x->diag, error, assay_source_offset(x->source), "%s",
                                     assay_error_text(error));
    }
    if (have < name || memcmp(data, ASSAY_EXECUTION_NAME, name) != 0) {
        (void)assay_fail(&x->diag, ASSAY_UNKNOWN_FORMAT, assay_source_offset(x->source),
                         "this is not a recorded execution");
        assay_diag_hint(&x->diag,
                        "recordings begin with assay-execution/1, logs of Spike with the line of a "
                        "core; spike --log=FILE keeps what else is printed out of them");
        return x->error = ASSAY_UNKNOWN_FORMAT;
    }
    if (have < ASSAY_EXECUTION_MAGIC_SIZE) {
        return assay_execution_short(x, "inside its version");
    }
    if (memcmp(data, ASSAY_EXECUTION_MAGIC, ASSAY_EXECUTION_MAGIC_SIZE) != 0) {
        return x->error =
                   assay_fail(&x->diag, ASSAY_UNSUPPORTED, assay_source_offset(x->source) + name,
                              "a version of assay-execution other than 1");
    }
    assay_source_consume(x->source, ASSAY_EXECUTION_MAGIC_SIZE);
    return ASSAY_OK;
}

static enum assay_error read_strings(struct assay_execution *x, struct assay_bytes *c,
                                     size_t producer, size_t program)
{
    const uint8_t *from[2];
    const size_t size[2] = {producer, program};
    from[0] = assay_bytes_take(c, producer);
    from[1] = assay_bytes_take(c, program);
    if (c->overrun || memchr(from[0], 0, producer) != NULL || memchr(from[1], 0, program) != NULL) {
        return assay_execution_corrupt(
            x, assay_source_offset(x->source),
            "a string of the header is too long or contains a zero byte");
    }
    x->strings = calloc(1, producer + program + 2);
    if (x->strings == NULL) {
        return x->error = assay_fail(&x->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET,
                                     "no memory for the header");
    }
    char *const to[2] = {x->strings, x->strings + producer + 1};
    for (unsigned i = 0; i < 2; ++i) {
        memcpy(to[i], from[i], size[i]);
    }
    x->header.producer = to[0];
    x->header.program = to[1];
    return ASSAY_OK;
}

static enum assay_error read_header(struct assay_execution *x)
{
    const uint8_t *data = NULL;
    if (assay_execution_need(x, 4, "inside its header", &data) != ASSAY_OK) {
        return x->error;
    }
    const uint32_t size = assay_load32(data);
    if (size < ASSAY_EXECUTION_HEADER_FIXED || size > ASSAY_EXECUTION_HEADER_MAX) {
        return assay_execution_corrupt(x, assay_source_offset(x->source),
                                       "the header has an impossible size");
    }
    if (assay_execution_need(x, 4 + (size_t)size, "inside its header", &data) != ASSAY_OK) {
        return x->error;
    }
    struct assay_bytes c = assay_bytes_of(data + 4, size);
    const uint8_t isa = assay_bytes_u8(&c);
    x->header.process = assay_bytes_u32(&c);
    x->header.epoch = assay_bytes_u64(&c);
    const size_t producer = assay_bytes_u16(&c);
    const size_t program = assay_bytes_u16(&c);
    if (isa < ASSAY_EXECUTION_AARCH64 || isa > ASSAY_EXECUTION_RISCV32) {
        return assay_execution_corrupt(x, assay_source_offset(x->source) + 4,
                                       "an unknown instruction set");
    }
    x->header.isa = (enum assay_execution_isa)isa;
    if (read_strings(x, &c, producer, program) != ASSAY_OK) {
        return x->error;
    }
    const uint8_t claims = assay_bytes_left(&c) > 0 ? assay_bytes_u8(&c) : 0;
    x->header.all_accesses = (claims & ASSAY_EXECUTION_ALL_ACCESSES) != 0;
    x->header.system = (claims & ASSAY_EXECUTION_SYSTEM) != 0;
    assay_source_consume(x->source, 4 + (size_t)size);
    return ASSAY_OK;
}

enum assay_error assay_execution_read_header(struct assay_execution *x)
{
    return read_magic(x) != ASSAY_OK ? x->error : read_header(x);
}
