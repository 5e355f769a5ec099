#include "validator/program/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Paths that are still to be visited, the next one last. */
struct walk {
    char **list;
    size_t count, room;
    bool (*visit)(void *context, const struct assay_tree_entry *entry);
    void *context;
};

/* Takes the path; false: memory is out. */
static bool push(struct walk *w, char *path)
{
    if (path != NULL && w->count == w->room) {
        const size_t room = w->room == 0 ? 64 : 2 * w->room;
        char **list = realloc(w->list, room * sizeof *list);
        w->list = list != NULL ? list : w->list;
        w->room = list != NULL ? room : w->room;
    }
    if (path == NULL || w->count == w->room) {
        free(path);
        return false;
    }
    w->list[w->count++] = path;
    return true;
}

static char *below(const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    char *path = NULL;
    return asprintf(&path, "%s%s%s", folder, slash, name) >= 0 ? path : NULL;
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int last_first(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*b)->d_name, (*a)->d_name);
}

/* Whether there was memory for what is in a folder; other errors are the folder's. */
static bool push_entries(struct walk *w, const struct assay_tree_entry *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder->path, &entries, is_entry, last_first);
    bool pushed = true;
    if (count < 0 && errno != ENOMEM) {
        w->visit(w->context, &(struct assay_tree_entry){
                                 .path = folder->path, .st = folder->st, .error = errno});
        return true;
    }
    for (int i = 0; i < count; i++) {
        pushed = pushed && push(w, below(folder->path, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return pushed && count >= 0;
}

static bool visit_path(struct walk *w, const char *path, bool first)
{
    struct stat st;
    const bool known = (first ? stat(path, &st) : lstat(path, &st)) == 0;
    const struct assay_tree_entry entry = {
        .path = path, .st = known ? &st : NULL, .error = known ? 0 : errno};
    return !w->visit(w->context, &entry) || !known || !S_ISDIR(st.st_mode) ||
           push_entries(w, &entry);
}

int assay_tree_walk(const char *folder,
                    bool (*visit)(void *context, const struct assay_tree_entry *entry),
                    void *context)
{
    struct walk w = {.visit = visit, .context = context};
    bool memory = push(&w, strdup(folder));
    for (bool first = true; w.count > 0; first = false) {
        char *path = w.list[--w.count];
        memory = memory && visit_path(&w, path, first);
        free(path);
    }
    free(w.list);
    return memory ? 0 : ENOMEM;
}
