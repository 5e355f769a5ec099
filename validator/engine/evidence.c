#include "validator/engine/evidence.h"

#include <string.h>

#include "io/source.h"

enum assay_error assay_evidence_of_path(const char *path, struct assay_witness_report *report)
{
    const struct assay_witness_options options = {.files = 1, .digest = true};
    struct assay_source *source = NULL;
    struct assay_witness *witness = assay_witness_open(&options);
    enum assay_error error = witness != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    error = error != ASSAY_OK ? error : assay_source_open(path, &source, NULL);
    if (error == ASSAY_OK) {
        assay_source_witness(source, witness);
        assay_source_close(source);
        assay_witness_end(witness);
        *report = *assay_witness_all(witness);
    }
    assay_witness_close(witness);
    return error;
}

const char *assay_evidence_role(const char *name)
{
    static const char *const roles[] = {"rules",    "facts",   "config",    "image",   "execution",
                                        "manifest", "waivers", "selection", "baseline"};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (strcmp(roles[i], name) == 0) {
            return roles[i];
        }
    }
    return NULL;
}

static bool known(const struct assay_evidence_list *list, const char *role, const char *path)
{
    size_t i = 0;
    while (i < list->count &&
           (strcmp(list->list[i].role, role) != 0 || strcmp(list->list[i].path, path) != 0)) {
        i++;
    }
    return i < list->count;
}

static const char *copy(struct assay_evidence_list *list, const char *text)
{
    const char *kept = assay_arena_text(&list->arena, text, strlen(text));
    list->out_of_memory = list->out_of_memory || kept == NULL;
    return kept;
}

static void add(struct assay_evidence_list *list, const char *role, const char *path,
                const struct assay_witness_report *report, const struct assay_file_stamp *stamp)
{
    struct assay_evidence *entries =
        assay_arena_grow(&list->arena, list->list, list->count, &list->room, sizeof *entries);
    struct assay_file_stamp *stamps = assay_arena_grow(&list->arena, list->stamps, list->count,
                                                       &list->stamp_room, sizeof *stamps);
    list->list = entries != NULL ? entries : list->list;
    list->stamps = stamps != NULL ? stamps : list->stamps;
    if (entries == NULL || stamps == NULL) {
        list->out_of_memory = true;
        return;
    }
    struct assay_evidence *entry = &entries[list->count];
    *entry = (struct assay_evidence){
        .role = role, .path = copy(list, path), .bytes = report->bytes, .changed = report->changed};
    entry->no_digest = report->no_digest[0] != '\0' ? copy(list, report->no_digest) : NULL;
    memcpy(entry->sha256, report->sha256, sizeof entry->sha256);
    stamps[list->count] = *stamp;
    list->count += entry->path != NULL;
}

/* What can be read only once is not read for its digest. */
static void digest_entry(struct assay_evidence_list *list, size_t number)
{
    struct assay_evidence *entry = &list->list[number];
    struct assay_witness_report report = {.sha256 = ""};
    if (list->stamps[number].inode == 0) {
        entry->no_digest = "it is no regular file";
        return;
    }
    const enum assay_error error = assay_evidence_of_path(entry->path, &report);
    list->out_of_memory = list->out_of_memory || error == ASSAY_NO_MEMORY;
    if (error != ASSAY_OK) {
        entry->no_digest = "it cannot be read";
        return;
    }
    entry->no_digest = report.no_digest[0] != '\0' ? copy(list, report.no_digest) : NULL;
    entry->bytes = report.bytes;
    entry->changed = entry->changed || report.changed;
    memcpy(entry->sha256, report.sha256, sizeof entry->sha256);
}

void assay_evidence_add(struct assay_evidence_list *list, const char *role, const char *path,
                        bool digest)
{
    struct assay_witness_report report = {.sha256 = ""};
    struct assay_file_stamp stamp = {0};
    if (path == NULL || known(list, role, path)) {
        return;
    }
    if (assay_stamp_of_path(path, &stamp)) {
        report.bytes = stamp.size;
    } else {
        stamp = (struct assay_file_stamp){0};
    }
    const size_t number = list->count;
    add(list, role, path, &report, &stamp);
    if (digest && list->count > number) {
        digest_entry(list, number);
    }
}

void assay_evidence_missing(struct assay_evidence_list *list, const char *role, const char *path)
{
    const struct assay_witness_report report = {.sha256 = "", .no_digest = "it does not exist"};
    const size_t number = list->count;
    if (known(list, role, path)) {
        return;
    }
    add(list, role, path, &report, &(struct assay_file_stamp){0});
    if (list->count > number) {
        list->list[number].missing = true;
    }
}

void assay_evidence_digest(struct assay_evidence_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->list[i].sha256[0] == '\0' && !list->list[i].missing) {
            digest_entry(list, i);
        }
    }
}

void assay_evidence_witnessed(struct assay_evidence_list *list, const char *role, const char *path,
                              const struct assay_witness_report *report)
{
    if (!known(list, role, path)) {
        add(list, role, path, report, &(struct assay_file_stamp){0});
    }
}

void assay_evidence_known(struct assay_evidence_list *list, const struct assay_evidence *entry)
{
    struct assay_witness_report report = {.bytes = entry->bytes, .changed = entry->changed};
    const size_t number = list->count;
    memcpy(report.sha256, entry->sha256, sizeof report.sha256);
    add(list, entry->role, entry->path, &report, &(struct assay_file_stamp){0});
    if (list->count > number) {
        list->list[number].missing = entry->missing;
        list->list[number].no_digest =
            entry->no_digest != NULL ? copy(list, entry->no_digest) : NULL;
    }
}

static bool is_current(const struct assay_evidence_list *list, size_t number)
{
    struct assay_file_stamp now;
    return !list->list[number].changed && (list->stamps[number].inode == 0 ||
                                           (assay_stamp_of_path(list->list[number].path, &now) &&
                                            assay_stamps_equal(&now, &list->stamps[number])));
}

void assay_evidence_verify(struct assay_evidence_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        list->list[i].changed = !is_current(list, i);
    }
}

bool assay_evidence_current(const struct assay_evidence_list *list)
{
    size_t i = 0;
    while (i < list->count && is_current(list, i)) {
        i++;
    }
    return i == list->count;
}

bool assay_evidence_changed(const struct assay_evidence_list *list)
{
    size_t i = 0;
    while (i < list->count && !list->list[i].changed) {
        i++;
    }
    return i < list->count;
}

void assay_evidence_close(struct assay_evidence_list *list)
{
    assay_arena_free(&list->arena);
    *list = (struct assay_evidence_list){0};
}
