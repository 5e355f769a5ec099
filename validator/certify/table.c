#include "validator/certify/table.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "validator/certify/folder.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- what a certificate says --- */

enum { TEXT_MOST = 160 };

/* A copy of a text; of a long one its beginning, up to a whole character. */
static const char *kept(struct assay_arena *arena, const char *text)
{
    char cut[TEXT_MOST + sizeof "..."];
    size_t length = strlen(text);
    if (length > TEXT_MOST) {
        length = TEXT_MOST;
        while (length > 0 && ((unsigned char)text[length] & 0xC0u) == 0x80u) {
            length--;
        }
        snprintf(cut, sizeof cut, "%.*s...", (int)length, text);
        text = cut;
        length = strlen(cut);
    }
    return assay_arena_text(arena, text, length);
}

static const char *member(struct assay_arena *arena, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return kept(arena, text != NULL ? text : "");
}

/* Adds to a list with commas, unless it is there already; "..." stands for what there is no room
 * for. */
static void add_to_list(char *list, size_t size, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = list; length > 0 && (at = strstr(at, text)) != NULL; at++) {
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) {
            return;
        }
    }
    const size_t used = strlen(list);
    const char *comma = used > 0 ? ", " : "";
    const bool full = used >= 3 && strcmp(list + used - 3, "...") == 0;
    if (length > 0 && !full) {
        /* There is always room for the dots after it. */
        snprintf(list + used, size - used, "%s%s", comma,
                 used + length + sizeof ", , ..." <= size ? text : "...");
    }
}

/* The version that is claimed; where none is, those by which the traces were judged. */
static const char *format_version(struct assay_arena *arena, const json_t *predicate)
{
    const json_t *claimed = json_object_get(json_object_get(predicate, "claims"), "version");
    char list[TEXT_MOST] = "";
    size_t i = 0;
    const json_t *trace = NULL;
    if (json_is_string(claimed)) {
        return kept(arena, json_string_value(claimed));
    }
    json_array_foreach(json_object_get(predicate, "traces"), i, trace)
    {
        size_t n = 0;
        const json_t *stream = NULL;
        json_array_foreach(json_object_get(trace, "streams"), n, stream)
        {
            const char *version = json_string_value(json_object_get(stream, "version"));
            add_to_list(list, sizeof list, version != NULL ? version : "");
        }
    }
    return assay_arena_text(arena, list, strlen(list));
}

static const char *features(struct assay_arena *arena, const json_t *profile)
{
    char list[TEXT_MOST] = "";
    size_t i = 0;
    const json_t *one = NULL;
    json_array_foreach(json_object_get(profile, "features"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        add_to_list(list, sizeof list, name != NULL ? name : "");
    }
    return assay_arena_text(arena, list, strlen(list));
}

/* The row that a certificate becomes, if it verifies. */
struct reading {
    struct assay_certify_table *table;
    struct assay_certify_row row;
};

static enum assay_error read_row(void *context, const json_t *predicate)
{
    struct reading *reading = context;
    struct assay_arena *arena = &reading->table->arena;
    struct assay_certify_row *row = &reading->row;
    const json_t *producer = json_object_get(predicate, "producer");
    const json_t *profile = json_object_get(predicate, "profile");
    row->producer = member(arena, producer, "name");
    row->version = member(arena, producer, "version");
    row->vendor = member(arena, producer, "vendor");
    row->format = member(arena, json_object_get(predicate, "claims"), "format");
    row->format_version = format_version(arena, predicate);
    row->profile = member(arena, profile, "name");
    row->level = member(arena, profile, "level");
    row->features = features(arena, profile);
    row->tool = member(arena, json_object_get(predicate, "tool"), "version");
    return row->producer != NULL && row->version != NULL && row->vendor != NULL &&
                   row->format != NULL && row->format_version != NULL && row->profile != NULL &&
                   row->level != NULL && row->features != NULL && row->tool != NULL
               ? ASSAY_OK
               : ASSAY_NO_MEMORY;
}

/* --- one folder --- */

static enum assay_error keep_row(struct assay_certify_table *table,
                                 const struct assay_certify_row *row)
{
    struct assay_certify_row *rows = assay_arena_grow(&table->arena, table->rows, table->row_count,
                                                      &table->row_room, sizeof *rows);
    if (rows == NULL) {
        return ASSAY_NO_MEMORY;
    }
    table->rows = rows;
    rows[table->row_count++] = *row;
    return ASSAY_OK;
}

static enum assay_error refuse(struct assay_certify_table *table, const char *folder,
                               const struct assay_diag *wrong)
{
    struct assay_certify_refused *refused = assay_arena_grow(
        &table->arena, table->refused, table->refused_count, &table->refused_room, sizeof *refused);
    if (refused == NULL) {
        return ASSAY_NO_MEMORY;
    }
    table->refused = refused;
    /* The file in the folder that is to blame, not the folder once more. */
    const size_t length = strlen(folder);
    const char *file = strncmp(wrong->path, folder, length) == 0 && wrong->path[length] == '/'
                           ? wrong->path + length + 1
                           : "";
    char why[sizeof wrong->message + TEXT_MOST];
    snprintf(why, sizeof why, "%.*s%s%s", TEXT_MOST - 8, file, file[0] != '\0' ? ": " : "",
             wrong->message);
    const struct assay_certify_refused one = {
        .folder = assay_arena_text(&table->arena, folder, length),
        .why = assay_arena_text(&table->arena, why, strlen(why))};
    if (one.folder == NULL || one.why == NULL) {
        return ASSAY_NO_MEMORY;
    }
    refused[table->refused_count++] = one;
    return ASSAY_OK;
}

/* A folder that is larger than certificates are would be read for long, whatever it is. */
static enum assay_error check_size(const char *folder, struct assay_diag *diag)
{
    struct assay_certify_listing listing = {.count = 0};
    enum assay_error error = assay_certify_list(folder, &listing, diag);
    if (error == ASSAY_OK && listing.count > ASSAY_CERTIFY_TABLE_FILES) {
        error = assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
                           "the folder has more files than a certificate");
    }
    for (size_t i = 0; error == ASSAY_OK && i < listing.count; i++) {
        char path[PATH_MAX];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, listing.names[i]);
        if (lstat(path, &status) == 0 && status.st_size > ASSAY_CERTIFY_TABLE_BYTES) {
            error = assay_certify_refuse(folder, listing.names[i], diag,
                                         "the file is larger than a certificate's");
        }
    }
    assay_certify_listing_free(&listing);
    return error;
}

static enum assay_error verify(struct assay_certify_table *table, const char *folder,
                               struct assay_diag *diag)
{
    struct reading reading = {.table = table};
    struct assay_certify_row *row = &reading.row;
    struct assay_certificate_demanded demanded = *table->demanded;
    struct assay_certificate certificate;
    demanded.found = read_row;
    demanded.context = &reading;
    enum assay_error error = check_size(folder, diag);
    error = error ? error : assay_certificate_verify(folder, &demanded, &certificate, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    row->folder = assay_arena_text(&table->arena, folder, strlen(folder));
    row->signed_by = kept(&table->arena, !certificate.is_signed         ? ""
                                         : certificate.keyid[0] == '\0' ? "?"
                                                                        : certificate.keyid);
    row->valid_until = kept(&table->arena, certificate.valid_until);
    row->verdict = certificate.verdict;
    row->own_profile = certificate.own_profile;
    row->own_rules = certificate.own_rules;
    row->released = certificate.released;
    return row->folder != NULL && row->signed_by != NULL && row->valid_until != NULL
               ? keep_row(table, row)
               : ASSAY_NO_MEMORY;
}

/* Adds what a folder has that has a certificate. */
static enum assay_error add_certificate(struct assay_certify_table *table, const char *folder,
                                        struct assay_diag *diag)
{
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    if (table->row_count + table->refused_count == ASSAY_CERTIFY_TABLE_ROWS) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "there are more than the %d certificates that a table can have",
                          ASSAY_CERTIFY_TABLE_ROWS);
    }
    enum assay_error error = verify(table, folder, &wrong);
    if (error != ASSAY_OK && error != ASSAY_NO_MEMORY) {
        error = refuse(table, folder, &wrong);
    }
    return error != ASSAY_OK ? no_memory(diag) : ASSAY_OK;
}

/* --- folders of certificates --- */

/* Whether a folder has a file, or whatever it is, of that name. */
static bool has(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX &&
           lstat(path, &status) == 0;
}

/* An entry of a folder: a folder with a certificate, or nothing. */
static enum assay_error add_entry(struct assay_certify_table *table, const char *folder,
                                  const char *name, struct assay_diag *diag)
{
    char path[PATH_MAX];
    struct stat status;
    if (table->entries++ == ASSAY_CERTIFY_TABLE_ENTRIES) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "there are more than the %d entries that are looked at",
                          ASSAY_CERTIFY_TABLE_ENTRIES);
    }
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && has(path, ASSAY_CERTIFICATE)
               ? add_certificate(table, path, diag)
               : ASSAY_OK;
}

static enum assay_error add_entries(struct assay_certify_table *table, const char *folder,
                                    struct assay_diag *diag)
{
    const struct dirent *entry;
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        const enum assay_error error = errno == ENOMEM   ? ASSAY_NO_MEMORY
                                       : errno == ENOENT ? ASSAY_NOT_FOUND
                                                         : ASSAY_NOT_READABLE;
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "the folder cannot be read: %s",
                          strerror(errno));
    }
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && (errno = 0, entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            error = add_entry(table, folder, entry->d_name, diag);
        }
    }
    if (error == ASSAY_OK && errno != 0) {
        error = assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                           "the folder cannot be read: %s", strerror(errno));
    }
    closedir(stream);
    return error;
}

enum assay_error assay_certify_table_add(struct assay_certify_table *table, const char *folder,
                                         struct assay_diag *diag)
{
    char tidy[PATH_MAX];
    const size_t before = table->row_count + table->refused_count;
    const int length = snprintf(tidy, sizeof tidy, "%s", folder);
    enum assay_error error = ASSAY_OK;
    if (length <= 0 || length >= PATH_MAX) {
        error = assay_fail(diag, length > 0 ? ASSAY_LIMIT : ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                           "this cannot be the name of a folder");
    } else {
        for (int at = length; at > 1 && tidy[at - 1] == '/'; at--) {
            tidy[at - 1] = '\0';
        }
        error = has(tidy, ASSAY_CERTIFICATE) ? add_certificate(table, tidy, diag)
                                             : add_entries(table, tidy, diag);
    }
    if (error == ASSAY_OK && table->row_count + table->refused_count == before) {
        error = assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                           "there is no " ASSAY_CERTIFICATE " in this folder or those in it");
    }
    if (error != ASSAY_OK && diag->path[0] == '\0') {
        assay_diag_path(diag, folder);
    }
    return error;
}

static int by_text(const void *a, const void *b)
{
    const struct assay_certify_row *x = a;
    const struct assay_certify_row *y = b;
    const char *const one[] = {x->producer,       x->vendor,  x->version, x->format,
                               x->format_version, x->profile, x->level,   x->folder};
    const char *const other[] = {y->producer,       y->vendor,  y->version, y->format,
                                 y->format_version, y->profile, y->level,   y->folder};
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof one / sizeof *one; i++) {
        order = strcmp(one[i], other[i]);
    }
    return order;
}

static int by_folder(const void *a, const void *b)
{
    const struct assay_certify_refused *x = a;
    const struct assay_certify_refused *y = b;
    return strcmp(x->folder, y->folder);
}

void assay_certify_table_sort(struct assay_certify_table *table)
{
    if (table->row_count > 0) {
        qsort(table->rows, table->row_count, sizeof *table->rows, by_text);
    }
    if (table->refused_count > 0) {
        qsort(table->refused, table->refused_count, sizeof *table->refused, by_folder);
    }
}

void assay_certify_table_free(struct assay_certify_table *table)
{
    assay_arena_free(&table->arena);
    *table = (struct assay_certify_table){0};
}
