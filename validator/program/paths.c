#include "validator/program/paths.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/source.h"
#include "snapshot/archive.h"
#include "snapshot/snapshot.h"
#include "validator/program/tree.h"

/* What becomes of an entry. */
enum fate {
    UNDECIDED,
    INPUT,
    REFUSED, /* an input, of which it is known that it cannot be judged */
    SKIPPED,
    SILENT /* not a file: what stands for a directory as long as it holds an input */
};

/* An input that a snapshot of several buffers is. */
struct part {
    char *path; /* owned, until it is handed over */
    bool empty; /* it could be loaded, and has no bytes */
};

/* A file that an operand names, or that was found in the directory that it names. */
struct found {
    char *path; /* owned, until it is handed over */
    dev_t device;
    ino_t inode;
    bool found;   /* in a directory */
    bool regular; /* by what a link leads to */
    enum fate fate;
    enum assay_skip_reason reason; /* SKIPPED */
    struct assay_diag *refused;    /* REFUSED; owned */
    struct part *parts;            /* of a snapshot of several buffers; owned */
    size_t part_count;
    uint64_t bytes; /* of what is judged; of all parts together */
};

/* What belongs to an operand. */
struct operand {
    bool folder; /* its first entry stands for it */
    size_t first, count;
};

struct directory {
    dev_t device;
    ino_t inode;
};

struct search {
    const struct assay_paths_options *options;
    struct operand *operands;
    struct found *entries;
    size_t entry_count, entry_room;
    char **links; /* found and not yet followed, in their order; owned */
    size_t link_count, link_room;
    void *seen; /* directories that were looked through: a tree of struct directory (tsearch) */
    struct assay_files *named; /* what manifests name */
    struct assay_files judged; /* the data of manifests that are inputs */
    bool out_of_memory;
};

/* A list with room for one more element; null when memory is out. */
static void *grow(struct search *s, void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    const size_t bigger = *room == 0 ? 16 : *room * 2;
    void *moved = realloc(list, bigger * size);
    *room = moved != NULL ? bigger : *room;
    s->out_of_memory = s->out_of_memory || moved == NULL;
    return moved;
}

/* --- entries --- */

/* A new entry, or null when memory is out. */
static struct found *add_entry(struct search *s, const char *path, const struct stat *st)
{
    struct found *list = grow(s, s->entries, s->entry_count, &s->entry_room, sizeof *list);
    char *copy = strdup(path);
    s->entries = list != NULL ? list : s->entries;
    if (list == NULL || copy == NULL) {
        s->out_of_memory = true;
        free(copy);
        return NULL;
    }
    list[s->entry_count] = (struct found){.path = copy};
    if (st != NULL) {
        list[s->entry_count].device = st->st_dev;
        list[s->entry_count].inode = st->st_ino;
        list[s->entry_count].regular = S_ISREG(st->st_mode);
        list[s->entry_count].bytes = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
    }
    return &list[s->entry_count++];
}

static void refuse(struct search *s, struct found *entry, enum assay_error error, const char *why)
{
    if (entry != NULL) {
        entry->refused = calloc(1, sizeof *entry->refused);
        entry->fate = REFUSED;
        s->out_of_memory = s->out_of_memory || entry->refused == NULL;
        assay_fail(entry->refused, error, ASSAY_NO_OFFSET, "%s", why);
    }
}

/* The same for an error of the system, of which memory is no file's. */
static void refuse_errno(struct search *s, struct found *entry, int why)
{
    s->out_of_memory = s->out_of_memory || why == ENOMEM;
    refuse(s, entry, ASSAY_NOT_READABLE, strerror(why));
}

static void skip(struct found *entry, enum assay_skip_reason reason)
{
    if (entry != NULL) {
        entry->fate = SKIPPED;
        entry->reason = reason;
    }
}

/* Whether a name says that the file is a trace that would be judged. */
static bool named_as_trace(const struct search *s, const char *path)
{
    const struct assay_format *format = assay_format_by_suffix(path);
    return format != NULL && (s->options->format == NULL || s->options->format == format);
}

/* What cannot be a trace, although its name may say so. */
static void leave_out(struct search *s, struct found *entry, enum assay_skip_reason reason,
                      enum assay_error error, const char *why)
{
    if (entry != NULL && named_as_trace(s, entry->path)) {
        refuse(s, entry, error, why);
    } else {
        skip(entry, reason);
    }
}

/* --- what there is --- */

static int compare(dev_t a, ino_t b, dev_t x, ino_t y)
{
    return a != x ? (a < x ? -1 : 1) : b != y ? (b < y ? -1 : 1) : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct directory *x = a;
    const struct directory *y = b;
    return compare(x->device, x->inode, y->device, y->inode);
}

/* Whether a directory was looked through before; from now on it was. */
static bool see_again(struct search *s, const struct stat *st)
{
    struct directory *directory = malloc(sizeof *directory);
    struct directory **known = NULL;
    if (directory != NULL) {
        *directory = (struct directory){.device = st->st_dev, .inode = st->st_ino};
        known = tsearch(directory, &s->seen, by_place);
    }
    if (known == NULL || *known != directory) {
        free(directory);
    }
    s->out_of_memory = s->out_of_memory || known == NULL;
    return known == NULL || *known != directory;
}

static void add_link(struct search *s, const char *path)
{
    char **list = grow(s, s->links, s->link_count, &s->link_room, sizeof *list);
    char *copy = list != NULL ? strdup(path) : NULL;
    s->links = list != NULL ? list : s->links;
    if (copy != NULL) {
        list[s->link_count++] = copy;
    }
    s->out_of_memory = s->out_of_memory || copy == NULL;
}

/* A file that was found, by what it is. */
static void add_found(struct search *s, const char *path, const struct stat *st)
{
    struct found *entry = add_entry(s, path, st);
    if (entry != NULL) {
        entry->found = true;
        if (!entry->regular) {
            leave_out(s, entry, ASSAY_SKIP_SPECIAL, ASSAY_NOT_READABLE,
                      "it is no regular file; name it to have it read");
        }
    }
}

static bool visit(void *context, const struct assay_tree_entry *entry)
{
    struct search *s = context;
    if (entry->error != 0) {
        refuse_errno(s, add_entry(s, entry->path, NULL), entry->error);
        return false;
    }
    if (S_ISDIR(entry->st->st_mode)) {
        const bool again = see_again(s, entry->st);
        if (again) {
            skip(add_entry(s, entry->path, entry->st), ASSAY_SKIP_SAME_DIRECTORY);
        }
        return !again;
    }
    if (S_ISLNK(entry->st->st_mode)) {
        add_link(s, entry->path);
    } else {
        add_found(s, entry->path, entry->st);
    }
    return true;
}

/* All that is below a folder without following links, which are remembered. */
static void walk(struct search *s, const char *folder)
{
    s->out_of_memory = assay_tree_walk(folder, visit, s) != 0 || s->out_of_memory;
}

static void follow(struct search *s, const char *link)
{
    struct stat st;
    if (stat(link, &st) != 0) {
        struct found *entry = add_entry(s, link, NULL);
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) {
            leave_out(s, entry, ASSAY_SKIP_BROKEN_LINK, ASSAY_NOT_FOUND, strerror(errno));
        } else {
            refuse(s, entry, ASSAY_NOT_READABLE, strerror(errno));
        }
    } else if (S_ISDIR(st.st_mode)) {
        walk(s, link);
    } else {
        add_found(s, link, &st);
    }
}

/* Links are followed last, so that a file that is there by itself goes by its own name. */
static void walk_and_follow(struct search *s, const char *folder)
{
    walk(s, folder);
    for (size_t i = 0; i < s->link_count; i++) {
        follow(s, s->links[i]); /* may add links */
        free(s->links[i]);
    }
    s->link_count = 0;
}

static void gather(struct search *s, const char *const *operands, size_t count)
{
    for (size_t i = 0; i < count && !s->out_of_memory; i++) {
        struct stat st;
        const bool exists =
            (strcmp(operands[i], "-") == 0 ? fstat(0, &st) : stat(operands[i], &st)) == 0;
        struct operand *operand = &s->operands[i];
        *operand =
            (struct operand){.folder = exists && S_ISDIR(st.st_mode), .first = s->entry_count};
        struct found *entry = add_entry(s, operands[i], exists ? &st : NULL);
        if (entry != NULL) {
            entry->fate = operand->folder ? SILENT : UNDECIDED;
        }
        if (operand->folder) {
            walk_and_follow(s, operands[i]);
        }
        operand->count = s->entry_count - operand->first;
    }
}

/* --- what manifests name --- */

/* The format of a file by its magic, null when it has none. False: it cannot be read; judging it
 * will tell why. */
static bool detect(struct search *s, const char *path, const struct assay_format **format)
{
    struct assay_source *source = NULL;
    enum assay_error error = assay_source_open(path, &source, NULL);
    error = error != ASSAY_OK ? error : assay_detect_format(source, format);
    assay_source_close(source);
    s->out_of_memory = s->out_of_memory || error == ASSAY_NO_MEMORY;
    return error == ASSAY_OK;
}

/* Whether a manifest is for the format that is wanted: by what it says, else by the magic of its
 * data, of which packets have none. */
static bool is_of_format(struct search *s, const struct assay_manifest *manifest)
{
    const struct assay_format *wanted = s->options->format;
    const struct assay_format *format = NULL;
    if (wanted == NULL || manifest->all.format != NULL) {
        return wanted == NULL || strcmp(manifest->all.format, wanted->name) == 0;
    }
    return !detect(s, manifest->data[0], &format) || format == NULL || format == wanted;
}

/* A snapshot of several buffers is as many inputs. */
static void note_parts(struct search *s, struct found *entry, const struct assay_manifest *manifest)
{
    entry->parts = calloc(manifest->input_count, sizeof *entry->parts);
    s->out_of_memory = s->out_of_memory || entry->parts == NULL;
    for (size_t i = 0; entry->parts != NULL && i < manifest->input_count; i++) {
        entry->parts[i] = (struct part){strdup(manifest->inputs[i]), manifest->inputs_empty[i]};
        s->out_of_memory = s->out_of_memory || entry->parts[i].path == NULL;
        entry->part_count++;
    }
}

/* Loads what an input's path names, notes what it names, and passes it on. Of a manifest that
 * cannot be read it is not known what it names; judging it will tell why. */
static bool load(struct search *s, const char *path, struct assay_manifest *manifest)
{
    const struct assay_manifest_options options = {.allow_outside = s->options->allow_outside,
                                                   .formats = assay_formats};
    const enum assay_error error = assay_manifest_load(path, &options, manifest, NULL);
    s->out_of_memory = s->out_of_memory || error == ASSAY_NO_MEMORY;
    if (error == ASSAY_OK) {
        assay_files_read_manifest(s->named, manifest);
    }
    return error == ASSAY_OK;
}

/* What else than data a manifest names is not judged with it, so that a trace among it is still an
 * input. How many bytes the data are is added to the entry. */
static void note_data(struct search *s, struct found *entry, const struct assay_manifest *manifest)
{
    for (size_t i = 0; i < manifest->data_count; i++) {
        struct stat st;
        assay_files_read(&s->judged, manifest->data[i]);
        entry->bytes += stat(manifest->data[i], &st) == 0 ? (uint64_t)st.st_size : 0;
    }
}

/* All that the parts of an archive name is in there: it is not unpacked again for each, but for
 * those that are empty. */
static void read_parts(struct search *s, struct found *entry, bool is_archive)
{
    for (size_t i = 0; i < entry->part_count && !s->out_of_memory; i++) {
        struct part *part = &entry->parts[i];
        struct assay_manifest manifest;
        if (is_archive && !part->empty) {
            continue;
        }
        if (load(s, part->path, &manifest)) {
            note_data(s, entry, &manifest);
            assay_manifest_free(&manifest);
        } else {
            part->empty = false;
        }
    }
}

static void read_manifest(struct search *s, struct found *entry)
{
    struct assay_manifest manifest;
    entry->fate = INPUT;
    if (!load(s, entry->path, &manifest)) {
        return;
    }
    if (manifest.data_count == 0) {
        note_parts(s, entry, &manifest);
        read_parts(s, entry, manifest.unpacked != NULL);
    } else if (entry->found && !is_of_format(s, &manifest)) {
        skip(entry, ASSAY_SKIP_OTHER_FORMAT);
    } else {
        note_data(s, entry, &manifest);
    }
    assay_manifest_free(&manifest);
}

/* --- what is judged --- */

/* A regular file in a directory, which nobody named. */
static void choose_found(struct search *s, struct found *entry)
{
    const struct assay_format *wanted = s->options->format;
    const struct assay_format *format = NULL;
    if (assay_files_reads(&s->judged, entry->device, entry->inode)) {
        skip(entry, ASSAY_SKIP_DATA);
    } else if (!detect(s, entry->path, &format) ||
               (format == NULL && named_as_trace(s, entry->path))) {
        entry->fate = INPUT;
    } else if (format == NULL) {
        const bool named = assay_files_reads(s->named, entry->device, entry->inode);
        skip(entry, named ? ASSAY_SKIP_NAMED : ASSAY_SKIP_NO_MAGIC);
    } else if (wanted == NULL || format == wanted) {
        entry->fate = INPUT;
    } else {
        skip(entry, ASSAY_SKIP_OTHER_FORMAT);
    }
}

static int by_identity(const void *a, const void *b)
{
    const struct found *x = *(struct found *const *)a;
    const struct found *y = *(struct found *const *)b;
    const int order = compare(x->device, x->inode, y->device, y->inode);
    return order != 0 ? order : x < y ? -1 : x > y;
}

/* Of several inputs that are one file the first is judged. */
static void skip_same(struct search *s)
{
    struct found **list = malloc((s->entry_count + 1) * sizeof(struct found *));
    size_t count = 0;
    s->out_of_memory = s->out_of_memory || list == NULL;
    for (size_t i = 0; list != NULL && i < s->entry_count; i++) {
        if (s->entries[i].fate == INPUT && s->entries[i].regular) {
            list[count++] = &s->entries[i];
        }
    }
    if (count > 1) {
        qsort(list, count, sizeof *list, by_identity);
    }
    for (size_t i = 1; i < count; i++) {
        if (compare(list[i]->device, list[i]->inode, list[i - 1]->device, list[i - 1]->inode) ==
            0) {
            skip(list[i], ASSAY_SKIP_SAME_FILE);
        }
    }
    free(list);
}

/* A directory in which nothing is to be judged is itself what cannot be. */
static void refuse_empty(struct search *s, const struct operand *operand)
{
    bool any = false;
    for (size_t i = operand->first + 1; i < operand->first + operand->count; i++) {
        const struct found *entry = &s->entries[i];
        any = any || entry->fate == INPUT || entry->fate == REFUSED ||
              (entry->fate == SKIPPED &&
               (entry->reason == ASSAY_SKIP_DATA || entry->reason == ASSAY_SKIP_SAME_FILE ||
                entry->reason == ASSAY_SKIP_SAME_DIRECTORY));
    }
    if (!any) {
        refuse(s, &s->entries[operand->first], ASSAY_NOT_FOUND, "the directory holds no trace");
    }
}

static void choose(struct search *s, size_t operands)
{
    for (size_t i = 0; i < s->entry_count; i++) {
        struct found *entry = &s->entries[i];
        const bool packed = entry->found && cs_is_archive(entry->path); /* has to be named */
        if (entry->fate == UNDECIDED && entry->found && cs_repeats_snapshot(entry->path)) {
            skip(entry, ASSAY_SKIP_NAMED);
        } else if (entry->fate == UNDECIDED && assay_is_manifest(entry->path) && !packed) {
            read_manifest(s, entry);
        } else if (entry->fate == UNDECIDED && !entry->found) {
            entry->fate = INPUT;
        }
    }
    for (size_t i = 0; i < s->entry_count; i++) {
        if (s->entries[i].fate == UNDECIDED) {
            choose_found(s, &s->entries[i]);
        }
    }
    skip_same(s);
    for (size_t i = 0; i < operands; i++) {
        if (s->operands[i].folder) {
            refuse_empty(s, &s->operands[i]);
        }
    }
}

/* How many inputs the entries are at most. */
static size_t count_inputs(const struct search *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->entry_count; i++) {
        count += s->entries[i].part_count > 0 ? s->entries[i].part_count : 1;
    }
    return count;
}

static void add_input(struct search *s, struct assay_paths *paths, char *path, uint64_t bytes,
                      struct assay_diag *refused)
{
    assay_files_read(s->named, path);
    paths->list[paths->count++] =
        (struct assay_path){.path = path, .bytes = bytes, .refused = refused};
}

static void add_skipped(struct assay_paths *paths, const char *path, enum assay_skip_reason reason)
{
    paths->skipped[paths->skipped_count++] = (struct assay_skipped){.path = path, .reason = reason};
}

/* An empty buffer is an input only where all are. */
static void hand_parts_over(struct search *s, struct assay_paths *paths, const struct found *entry,
                            bool handed)
{
    bool all_empty = true;
    for (size_t n = 0; n < entry->part_count; n++) {
        all_empty = all_empty && entry->parts[n].empty;
    }
    for (size_t n = 0; n < entry->part_count; n++) {
        const struct part *part = &entry->parts[n];
        if (!handed) {
            free(part->path);
        } else if (part->empty && !all_empty) {
            add_skipped(paths, part->path, ASSAY_SKIP_EMPTY);
        } else {
            add_input(s, paths, part->path, entry->bytes / entry->part_count, NULL);
        }
    }
    free(entry->parts);
}

/* The paths go to the caller. */
static void hand_over(struct search *s, struct assay_paths *paths)
{
    const size_t most = count_inputs(s);
    paths->list = calloc(most + 1, sizeof *paths->list);
    paths->skipped = calloc(most + 1, sizeof *paths->skipped);
    s->out_of_memory = s->out_of_memory || paths->list == NULL || paths->skipped == NULL;
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct found *entry = &s->entries[i];
        const bool judged = entry->fate == INPUT || entry->fate == REFUSED;
        const bool handed = !s->out_of_memory && judged;
        hand_parts_over(s, paths, entry, handed);
        if (handed && entry->part_count == 0) {
            add_input(s, paths, entry->path, entry->bytes, entry->refused);
        } else if (!s->out_of_memory && entry->fate == SKIPPED) {
            add_skipped(paths, entry->path, entry->reason);
        } else {
            free(entry->path);
            free(entry->refused);
        }
    }
}

int assay_paths_find(struct assay_paths *paths, const struct assay_paths_options *options,
                     const char *const *operands, size_t count, struct assay_files *files)
{
    struct search s = {.options = options, .named = files};
    s.operands = calloc(count + 1, sizeof *s.operands);
    if (s.operands == NULL) {
        return assay_say_no_memory();
    }
    gather(&s, operands, count);
    choose(&s, s.out_of_memory ? 0 : count);
    hand_over(&s, paths);
    const bool failed = s.out_of_memory || files->out_of_memory || s.judged.out_of_memory;
    assay_files_close(&s.judged);
    free(s.operands);
    free(s.entries);
    free(s.links);
    tdestroy(s.seen, free);
    return failed ? assay_say_no_memory() : 0;
}

void assay_paths_free(struct assay_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->list[i].path);
        free(paths->list[i].refused);
    }
    for (size_t i = 0; i < paths->skipped_count; i++) {
        free((char *)(uintptr_t)paths->skipped[i].path);
    }
    free(paths->list);
    free(paths->skipped);
    *paths = (struct assay_paths){0};
}
