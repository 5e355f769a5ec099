#include "reports/json_load.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* Blocks of memory, which may have gaps. */
struct blocks {
    void **list;
    size_t count, room;
};

/* A text that is being read. Memory that jansson has allocated for it is listed in order, so that
 * all of it can be freed when an allocation fails. */
struct loading {
    jmp_buf out;
    struct blocks blocks;
    struct blocks freed; /* blocks that are freed when all is read */
};

/* What jansson frees while it reads is mostly one of the latest so many blocks. */
enum { LATEST = 64 };

/* Of each thread, since jansson's functions have no context; null: none is being read. */
static _Thread_local struct loading *current;

static bool add_block(struct blocks *blocks, void *block)
{
    if (blocks->count == blocks->room) {
        const size_t room = blocks->room > 0 ? 2 * blocks->room : 256;
        void **list =
            room <= SIZE_MAX / sizeof *list ? realloc(blocks->list, room * sizeof *list) : NULL;
        if (list == NULL) {
            return false;
        }
        blocks->list = list;
        blocks->room = room;
    }
    blocks->list[blocks->count++] = block;
    return true;
}

/* Takes one of the latest blocks from the list; false: it is none of them. */
static bool take_latest(struct blocks *blocks, const void *block)
{
    const size_t end = blocks->count > LATEST ? blocks->count - LATEST : 0;
    size_t i = blocks->count;
    while (i > end && blocks->list[i - 1] != block) {
        i--;
    }
    if (i == end) {
        return false;
    }
    blocks->list[i - 1] = NULL;
    while (blocks->count > 0 && blocks->list[blocks->count - 1] == NULL) {
        blocks->count--;
    }
    return true;
}

static void free_all(struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        free(blocks->list[i]);
    }
}

static void *listed_malloc(size_t size)
{
    void *block = malloc(size);
    if (current != NULL && (block == NULL || !add_block(&current->blocks, block))) {
        free(block);
        longjmp(current->out, 1);
    }
    return block;
}

/* To look for an older block in the list would take too long: a text that is wrong at its end has
 * millions of them. */
static void listed_free(void *block)
{
    if (current != NULL && block != NULL && !take_latest(&current->blocks, block)) {
        if (!add_block(&current->freed, block)) {
            longjmp(current->out, 1);
        }
        return;
    }
    free(block);
}

void assay_json_guard_memory(void)
{
    json_set_alloc_funcs(listed_malloc, listed_free);
}

/* --- loading --- */

/* A text in memory, or a file. */
struct input {
    const char *text;
    size_t size;
    FILE *file;
    size_t flags;
};

/* The value, or null; *no_memory says that it is null because an allocation failed. */
static json_t *load(struct loading *loading, const struct input *input, json_error_t *wrong,
                    bool *no_memory)
{
    current = loading;
    if (setjmp(loading->out) != 0) {
        current = NULL;
        free_all(&loading->blocks); /* also what is to be freed later */
        *no_memory = true;
        return NULL;
    }
    json_t *value = input->file != NULL ? json_loadf(input->file, input->flags, wrong)
                                        : json_loadb(input->text, input->size, input->flags, wrong);
    current = NULL;
    free_all(&loading->freed);
    return value;
}

static enum assay_error load_input(const struct input *input, json_t **value, json_error_t *wrong)
{
    struct loading loading = {.blocks = {.count = 0}};
    bool no_memory = false;
    *wrong = (json_error_t){.line = -1};
    *value = load(&loading, input, wrong, &no_memory);
    free(loading.blocks.list);
    free(loading.freed.list);
    if (*value != NULL) {
        return ASSAY_OK;
    }
    /* Without the guard: of memory that is out jansson says nothing. */
    return no_memory || wrong->text[0] == '\0' || json_error_code(wrong) == json_error_out_of_memory
               ? ASSAY_NO_MEMORY
               : ASSAY_SYNTAX;
}

enum assay_error assay_json_load(const char *text, size_t size, size_t flags, json_t **value,
                                 json_error_t *wrong)
{
    const struct input input = {.text = text, .size = size, .flags = flags};
    return load_input(&input, value, wrong);
}

enum assay_error assay_json_load_file(const char *path, size_t flags, json_t **value,
                                      json_error_t *wrong)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct input input = {.flags = flags};
    const enum assay_error opened = assay_file_open(path, &input.file, &diag);
    if (opened != ASSAY_OK) {
        *value = NULL;
        *wrong = (json_error_t){.line = -1};
        snprintf(wrong->text, sizeof wrong->text, "%.150s", diag.message);
        return opened == ASSAY_NO_MEMORY ? opened : ASSAY_NOT_READABLE;
    }
    const enum assay_error error = load_input(&input, value, wrong);
    fclose(input.file);
    return error;
}
