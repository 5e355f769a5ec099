/* Errors and diagnostics: the one enumeration of what can go wrong, and the position where it did.
 */
#ifndef ASSAY_COMMON_ERROR_H
#define ASSAY_COMMON_ERROR_H

#include <stdarg.h>
#include <stdint.h>

/* X(enumerator, stable name, what it means to a user) */
#define ASSAY_ERRORS(X)                                                                            \
    X(OK, "ok", "no error")                                                                        \
    X(NO_MEMORY, "no-memory", "out of memory")                                                     \
    X(NOT_FOUND, "not-found", "there is no such file")                                             \
    X(NOT_READABLE, "not-readable", "the file cannot be read")                                     \
    X(NOT_WRITABLE, "not-writable", "the file cannot be written")                                  \
    X(WRITE_FAILED, "write-failed", "writing stopped with an error of the system")                 \
    X(BROKEN_PIPE, "broken-pipe", "the output is no longer read")                                  \
    X(READ_FAILED, "read-failed", "reading stopped with an error of the system")                   \
    X(TRUNCATED, "truncated", "the input ends inside a unit that it began")                        \
    X(CORRUPT, "corrupt", "the input contradicts its own format")                                  \
    X(UNKNOWN_FORMAT, "unknown-format", "the input is of no format that is known here")            \
    X(UNSUPPORTED, "unsupported", "the input requires something that this build cannot do")        \
    X(LIMIT, "limit", "a limit that protects this program was reached")                            \
    X(SYNTAX, "syntax", "a text is not well formed")                                               \
    X(UNKNOWN_NAME, "unknown-name", "an unknown name")                                             \
    X(WRONG_TYPE, "wrong-type", "a value is of the wrong type")                                    \
    X(DUPLICATE, "duplicate", "something that may occur once occurs twice")                        \
    X(OUT_OF_RANGE, "out-of-range", "a value is out of range")                                     \
    X(ABSENT, "absent", "no program image holds this address")                                     \
    X(CONTRADICTION, "contradiction", "two places give one thing different values")                \
    X(VACUOUS, "vacuous", "a rule can never be exercised or can never fail")                       \
    X(USAGE, "usage", "a command line or a call is wrong")                                         \
    X(INTERRUPTED, "interrupted", "the run was interrupted")                                       \
    X(INTERNAL, "internal", "this program has a defect")

enum assay_error {
#define X(id, name, text) ASSAY_##id,
    ASSAY_ERRORS(X)
#undef X
        ASSAY_ERROR_COUNT
};

/* The stable name ("truncated"), for machines; "unknown" for a value outside the enumeration. */
const char *assay_error_name(enum assay_error error);

/* One human-readable line; never null. */
const char *assay_error_text(enum assay_error error);

#define ASSAY_NO_OFFSET UINT64_MAX

/* What went wrong and where. Owns nothing and can be copied. A caller passes one that is
 * zero-initialised, and reads it only when a function has returned an error. */
struct assay_diag {
    enum assay_error error;
    char path[256];  /* the file, "" if it has no name; a longer path keeps its end, after "..." */
    uint64_t offset; /* byte offset in the input; ASSAY_NO_OFFSET where lines are used or unknown */
    uint32_t line;   /* 1-based; 0 when offsets are used */
    uint32_t column; /* 1-based, in bytes */
    char message[320]; /* what is wrong, one line, no full stop */
    char hint[240];    /* how to fix it; "" if there is no advice */
};

/* Fills diag (which may be null) and returns error, so that a caller can write
 * `return assay_fail(diag, ASSAY_TRUNCATED, offset, "...")`. */
enum assay_error assay_fail(struct assay_diag *diag, enum assay_error error, uint64_t offset,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same with a position in a text. */
enum assay_error assay_fail_at(struct assay_diag *diag, enum assay_error error, uint32_t line,
                               uint32_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds a hint, or the path, to a diag that is already filled; diag may be null. */
void assay_diag_hint(struct assay_diag *diag, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void assay_diag_path(struct assay_diag *diag, const char *path);

/* Writes "path:line:column: message (hint)" or "path: at byte 12: message (hint)" to out, always
 * terminated; returns the length that it would have had. */
int assay_diag_format(const struct assay_diag *diag, char *out, unsigned size);

#endif
