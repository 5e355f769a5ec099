/* What the loader looks up for each rule: ids and leaves, in balanced trees, so that a file of many
 * rules is loaded in little more time than it takes to read it. */
#include <search.h>
#include <string.h>

#include "validator/compiler/loader.h"

struct leaf_number {
    struct assay_leaf leaf;
    const struct assay_field *shown; /* by which its value is shown, or null */
    uint16_t number;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int by_words(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* Fields of two kinds can share a name and mean different things: a count of cycles, and one of
 * elements. */
static int by_words_of_field(const struct assay_field *x, const struct assay_field *y)
{
    static const struct assay_field none = {0};
    x = x != NULL ? x : &none;
    y = y != NULL ? y : &none;
    if (x->type != y->type) {
        return x->type < y->type ? -1 : 1;
    }
    if (x->names != y->names) {
        return (uintptr_t)x->names < (uintptr_t)y->names ? -1 : 1;
    }
    const int by_unit = by_words(x->unit, y->unit);
    return by_unit != 0 ? by_unit : by_words(x->doc, y->doc);
}

/* Variables of two files can share a name, so that the text alone does not tell. */
static int by_meaning(const void *a, const void *b)
{
    const struct assay_leaf *x = &((const struct leaf_number *)a)->leaf;
    const struct assay_leaf *y = &((const struct leaf_number *)b)->leaf;
    if (x->what != y->what) {
        return x->what < y->what ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    if (x->reading != y->reading) {
        return x->reading < y->reading ? -1 : 1;
    }
    const int by_name = strcmp(x->text, y->text);
    return by_name != 0 ? by_name
                        : by_words_of_field(((const struct leaf_number *)a)->shown,
                                            ((const struct leaf_number *)b)->shown);
}

static struct leaf_number numbered(const struct assay_loader *loader, const struct assay_leaf *leaf,
                                   size_t number)
{
    return (struct leaf_number){.leaf = *leaf,
                                .shown = assay_shown_field(loader->format, leaf->shown),
                                .number = (uint16_t)number};
}

bool assay_note_id(struct assay_loader *loader, const char *id, bool *known)
{
    const char *const *found = tsearch(id, &loader->ids, by_text);
    *known = found != NULL && *found != id;
    return found != NULL;
}

/* The leaf's field in each kind of the format, so that it is looked up by name only once. */
static bool find_fields(struct assay_loader *loader, struct assay_leaf *leaf)
{
    const struct assay_format *format = loader->format;
    if (leaf->name == NULL) {
        return true;
    }
    uint16_t *fields = assay_arena_take(loader->arena, format->kind_count * sizeof *fields);
    for (size_t k = 0; fields != NULL && k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        const struct assay_field *field = assay_field_by_name(kind, leaf->name);
        fields[k] = field != NULL ? (uint16_t)(field - kind->fields + 1) : 0;
    }
    leaf->fields = fields;
    return fields != NULL;
}

static enum assay_error add_leaf(struct assay_loader *loader, const struct assay_leaf *leaf,
                                 struct leaf_number *entry)
{
    struct assay_catalogue *out = loader->out;
    struct assay_leaf *leaves =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)out->leaves, out->leaf_count,
                         &loader->leaf_capacity, sizeof *leaves);
    if (leaves == NULL) {
        return assay_no_memory(loader->diag);
    }
    out->leaves = leaves;
    struct assay_leaf *added = &leaves[out->leaf_count];
    *added = *leaf;
    added->text = assay_arena_text(loader->arena, leaf->text, strlen(leaf->text));
    if (added->text == NULL || !find_fields(loader, added)) {
        return assay_no_memory(loader->diag);
    }
    *entry = numbered(loader, added, out->leaf_count);
    if (tsearch(entry, &loader->leaf_numbers, by_meaning) == NULL) {
        return assay_no_memory(loader->diag);
    }
    out->leaf_count++;
    return ASSAY_OK;
}

enum assay_error assay_intern_leaf(struct assay_loader *loader, const struct assay_leaf *leaf,
                                   uint16_t *number)
{
    const struct leaf_number wanted = numbered(loader, leaf, 0);
    struct leaf_number *const *found = tfind(&wanted, &loader->leaf_numbers, by_meaning);
    if (found != NULL) {
        *number = (*found)->number;
        return ASSAY_OK;
    }
    if (loader->out->leaf_count == UINT16_MAX) {
        return assay_fail(loader->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "the rules read more than %d different things", UINT16_MAX);
    }
    struct leaf_number *entry = assay_arena_take(loader->arena, sizeof *entry);
    if (entry == NULL) {
        return assay_no_memory(loader->diag);
    }
    const enum assay_error error = add_leaf(loader, leaf, entry);
    *number = entry->number;
    return error;
}

void assay_forget_leaves(struct assay_loader *loader, size_t count)
{
    struct assay_catalogue *out = loader->out;
    while (out->leaf_count > count) {
        out->leaf_count--;
        const struct leaf_number last =
            numbered(loader, &out->leaves[out->leaf_count], out->leaf_count);
        tdelete(&last, &loader->leaf_numbers, by_meaning);
    }
}

/* The keys are in the arena. */
static void keep(void *key)
{
    (void)key;
}

void assay_loader_close(struct assay_loader *loader)
{
    tdestroy(loader->ids, keep);
    tdestroy(loader->leaf_numbers, keep);
    loader->ids = loader->leaf_numbers = NULL;
}
