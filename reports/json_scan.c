#include "reports/json_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum assay_error fail(struct assay_json_scan *scan, enum assay_error error, const char *what)
{
    assay_fail(scan->diag, error, scan->offset, "%s", what);
    assay_diag_path(scan->diag, scan->path);
    return error;
}

static enum assay_error fail_errno(struct assay_json_scan *scan, enum assay_error error)
{
    assay_fail(scan->diag, error, ASSAY_NO_OFFSET, "%s", strerror(errno));
    assay_diag_path(scan->diag, scan->path);
    return error;
}

enum assay_error assay_json_scan_open(struct assay_json_scan *scan, const char *path,
                                      struct assay_diag *diag)
{
    struct stat st;
    *scan = (struct assay_json_scan){.path = path, .diag = diag};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    scan->file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (scan->file == NULL && fd >= 0) {
        close(fd);
    }
    if (scan->file == NULL && errno == ENOMEM) {
        return fail(scan, ASSAY_NO_MEMORY, "out of memory");
    }
    if (scan->file == NULL) {
        return fail_errno(scan, errno == ENOENT ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE);
    }
    if (fstat(fileno(scan->file), &st) != 0 || !S_ISREG(st.st_mode)) {
        return fail(scan, ASSAY_NOT_READABLE, "it is no regular file");
    }
    return ASSAY_OK;
}

enum assay_error assay_json_scan_seek(struct assay_json_scan *scan, uint64_t offset)
{
    scan->offset = offset;
    return fseeko(scan->file, (off_t)offset, SEEK_SET) == 0 ? ASSAY_OK
                                                            : fail_errno(scan, ASSAY_READ_FAILED);
}

void assay_json_scan_close(struct assay_json_scan *scan)
{
    if (scan->file != NULL) {
        fclose(scan->file);
    }
    free(scan->text);
    *scan = (struct assay_json_scan){0};
}

/* --- characters --- */

static int next(struct assay_json_scan *scan)
{
    const int c = getc_unlocked(scan->file);
    scan->offset += c != EOF;
    return c;
}

static void back(struct assay_json_scan *scan, int c)
{
    if (c != EOF) {
        ungetc(c, scan->file);
        scan->offset--;
    }
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int next_mark(struct assay_json_scan *scan)
{
    int c = next(scan);
    while (is_blank(c)) {
        c = next(scan);
    }
    return c;
}

static enum assay_error unexpected(struct assay_json_scan *scan, int c, const char *what)
{
    if (c != EOF) {
        scan->offset--;
        return fail(scan, ASSAY_SYNTAX, what);
    }
    return ferror(scan->file) != 0 ? fail_errno(scan, ASSAY_READ_FAILED)
                                   : fail(scan, ASSAY_TRUNCATED, "the report is cut off here");
}

/* --- values --- */

/* Keeps a character of a value. */
static enum assay_error keep_one(struct assay_json_scan *scan, int c)
{
    if (scan->size == scan->room) {
        const size_t room = scan->room > 0 ? 2 * scan->room : 4096;
        char *text = room <= ASSAY_JSON_LONGEST ? realloc(scan->text, room) : NULL;
        if (text == NULL) {
            return room <= ASSAY_JSON_LONGEST
                       ? fail(scan, ASSAY_NO_MEMORY, "out of memory")
                       : fail(scan, ASSAY_LIMIT, "a value is longer than 1 GiB");
        }
        scan->text = text;
        scan->room = room;
    }
    scan->text[scan->size++] = (char)c;
    return ASSAY_OK;
}

static bool ends_scalar(int c)
{
    return c == EOF || is_blank(c) || c == ',' || c == ']' || c == '}';
}

/* A value whose first character has been read. */
static enum assay_error scan_value(struct assay_json_scan *scan, int c, bool keep)
{
    uint64_t depth = 0;
    bool in_text = false;
    bool escaped = false;
    const bool scalar = c != '{' && c != '[' && c != '"';
    scan->size = 0;
    for (;; c = next(scan)) {
        if (scalar && ends_scalar(c)) {
            back(scan, c);
            return scan->size > 0 || !keep ? ASSAY_OK : unexpected(scan, c, "a value is missing");
        }
        if (c == EOF) {
            return unexpected(scan, c, "");
        }
        const enum assay_error error = keep ? keep_one(scan, c) : ASSAY_OK;
        if (error != ASSAY_OK) {
            return error;
        }
        if (in_text) {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            in_text = true;
        } else {
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
        }
        if (!scalar && !in_text && depth == 0) {
            return ASSAY_OK;
        }
    }
}

static enum assay_error take_value(struct assay_json_scan *scan, bool keep)
{
    const int c = next_mark(scan);
    if (c == EOF || c == ',' || c == ':' || c == ']' || c == '}') {
        return unexpected(scan, c, "a value is missing");
    }
    return scan_value(scan, c, keep);
}

enum assay_error assay_json_scan_skip(struct assay_json_scan *scan)
{
    return take_value(scan, false);
}

enum assay_error assay_json_scan_keep(struct assay_json_scan *scan)
{
    return take_value(scan, true);
}

/* --- objects and lists --- */

enum assay_error assay_json_scan_enter(struct assay_json_scan *scan, char bracket)
{
    const int c = next_mark(scan);
    scan->first = true;
    return c == bracket ? ASSAY_OK
                        : unexpected(scan, c, bracket == '{' ? "'{' expected" : "'[' expected");
}

/* Steps over the comma before an element, or over the bracket after the last one. */
static enum assay_error step(struct assay_json_scan *scan, char bracket, bool *more)
{
    const bool first = scan->first;
    int c = next_mark(scan);
    scan->first = false;
    *more = c != bracket;
    if (!*more) {
        return ASSAY_OK;
    }
    if (!first) {
        if (c != ',') {
            return unexpected(scan, c,
                              bracket == '}' ? "',' or '}' expected" : "',' or ']' expected");
        }
        c = next_mark(scan);
    }
    back(scan, c);
    return c == EOF ? unexpected(scan, c, "") : ASSAY_OK;
}

enum assay_error assay_json_scan_item(struct assay_json_scan *scan, bool *more)
{
    return step(scan, ']', more);
}

enum assay_error assay_json_scan_member(struct assay_json_scan *scan, char *name, size_t size,
                                        bool *more)
{
    enum assay_error error = step(scan, '}', more);
    if (error != ASSAY_OK || !*more) {
        return error;
    }
    int c = next_mark(scan);
    if (c != '"') {
        return unexpected(scan, c, "the name of a member expected");
    }
    error = scan_value(scan, c, true);
    if (error != ASSAY_OK) {
        return error;
    }
    const size_t length = scan->size - 2; /* without quotation marks */
    const size_t taken = length < size ? length : size - 1;
    memcpy(name, scan->text + 1, taken);
    name[taken] = '\0';
    c = next_mark(scan);
    return c == ':' ? ASSAY_OK : unexpected(scan, c, "':' expected");
}

enum assay_error assay_json_scan_end(struct assay_json_scan *scan)
{
    const int c = next_mark(scan);
    return c == EOF && ferror(scan->file) == 0
               ? ASSAY_OK
               : unexpected(scan, c, "something follows the report");
}
