/* What the parts of the reader of recorded executions share. */
#ifndef ASSAY_EXECUTION_EXECUTION_PRIVATE_H
#define ASSAY_EXECUTION_EXECUTION_PRIVATE_H

#include "common/cursor.h"
#include "execution/execution_format.h"

struct assay_execution {
    struct assay_source *source;     /* owned */
    bool is_table;                   /* it is read by a format */
    struct assay_execution_log *log; /* owned; its items are those of a log; or null */
    uint64_t begin;                  /* offset of the recording in it */
    struct assay_execution_header header;
    char *strings; /* what the header points to; owned */
    struct assay_diag diag;
    enum assay_error error;
    struct assay_bytes chunk; /* the payload of the current chunk, in the source's buffer */
    uint64_t chunk_offset;    /* of the payload in the input */
    size_t held;              /* bytes peeked at and not yet consumed */
    uint32_t thread;          /* of the current chunk */
    unsigned run;             /* instructions left of the current run */
    bool contents;            /* accesses of the current chunk have contents from here on */
    uint64_t time;
    bool ended;
    enum assay_execution_reason reason;
    struct assay_execution_summary counts;
    uint8_t started[ASSAY_EXECUTION_THREADS_MAX / 8]; /* a bit for each thread */
    uint8_t stopped[ASSAY_EXECUTION_THREADS_MAX / 8];
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX];
    struct assay_walk walk;
    struct assay_execution_model model;
};

/* The error of an input that ended early: the source's own, if it has one. */
enum assay_error assay_execution_short(struct assay_execution *x, const char *where);

enum assay_error assay_execution_corrupt(struct assay_execution *x, uint64_t offset,
                                         const char *what);

/* Peeks at `want` bytes, or fails. */
enum assay_error assay_execution_need(struct assay_execution *x, size_t want, const char *where,
                                      const uint8_t **data);

/* Whether the source is a log of commits; then it opens it, and fills the header. */
enum assay_error assay_execution_log_open(struct assay_execution *x, bool *is_log);
void assay_execution_log_close(struct assay_execution_log *log);
void assay_execution_log_choose(struct assay_execution_log *log, uint32_t core);
uint32_t assay_execution_log_core(const struct assay_execution_log *log);

/* The next item of a log. */
enum assay_error assay_execution_log_next(struct assay_execution *x, struct assay_executed *out);

/* Magic and header. */
enum assay_error assay_execution_read_header(struct assay_execution *x);

#endif
