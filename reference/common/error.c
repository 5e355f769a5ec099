#include "common/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} errors[] = {
#define X(id, name, text) {name, text},
    ASSAY_ERRORS(X)
#undef X
};

const char *assay_error_name(enum assay_error error)
{
    return (unsigned)error < ASSAY_ERROR_COUNT ? errors[error].name : "unknown";
}

const char *assay_error_text(enum assay_error error)
{
    return (unsigned)error < ASSAY_ERROR_COUNT ? errors[error].text : "an unknown error";
}

static void fill(struct assay_diag *diag, enum assay_error error, const char *format, va_list args)
{
    diag->error = error;
    diag->hint[0] = '\0';
    vsnprintf(diag->message, sizeof diag->message, format, args);
}

enum assay_error assay_fail(struct assay_diag *diag, enum assay_error error, uint64_t offset,
                            const char *format, ...)
{
    if (diag == NULL) {
        return error;
    }
    va_list args;
    va_start(args, format);
    fill(diag, error, format, args);
    va_end(args);
    diag->offset = offset;
    diag->line = 0;
    diag->column = 0;
    return error;
}

enum assay_error assay_fail_at(struct assay_diag *diag, enum assay_error error, uint32_t line,
                               uint32_t column, const char *format, ...)
{
    if (diag == NULL) {
        return error;
    }
    va_list args;
    va_start(args, format);
    fill(diag, error, format, args);
    va_end(args);
    diag->offset = ASSAY_NO_OFFSET;
    diag->line = line;
    diag->column = column;
    return error;
}

void assay_diag_hint(struct assay_diag *diag, const char *format, ...)
{
    if (diag == NULL) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(diag->hint, sizeof diag->hint, format, args);
    va_end(args);
}

void assay_diag_path(struct assay_diag *diag, const char *path)
{
    if (diag == NULL || path == NULL) {
        return;
    }
    const size_t length = strlen(path);
    const size_t capacity = sizeof diag->path - 1;
    if (length <= capacity) {
        memcpy(diag->path, path, length + 1);
    } else {
        memcpy(diag->path, "...", 3);
        memcpy(diag->path + 3, path + length - (capacity - 3), capacity - 3 + 1);
    }
}

int assay_diag_format(const struct assay_diag *diag, char *out, unsigned size)
{
    char place[64] = "";
    if (diag->line > 0) {
        snprintf(place, sizeof place, "%u:%u: ", diag->line, diag->column);
    } else if (diag->offset != ASSAY_NO_OFFSET) {
        snprintf(place, sizeof place, "%sat byte %llu: ", diag->path[0] != '\0' ? " " : "",
                 (unsigned long long)diag->offset);
    } else if (diag->path[0] != '\0') {
        snprintf(place, sizeof place, " ");
    }
    return snprintf(out, size, "%s%s%s%s%s%s%s", diag->path, diag->path[0] != '\0' ? ":" : "",
                    place, diag->message, diag->hint[0] != '\0' ? " (" : "", diag->hint,
                    diag->hint[0] != '\0' ? ")" : "");
}
