#include "reports/json_load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that is being read. Memory that jansson has allocated for it is listed, in order and with
 * gaps where some was freed, so that all of it can be freed when an allocation fails. */
struct loading {
    jmp_buf out;
    void **blocks;
    size_t count, room;
};

/* Of each thread, since jansson's functions have no context; null: none is being read. */
static _Thread_local struct loading *current;

static bool list_block(struct loading *loading, void *block)
{
    if (loading->count == loading->room) {
        const size_t room = loading->room > 0 ? 2 * loading->room : 256;
        void **blocks = room <= SIZE_MAX / sizeof *blocks
                            ? realloc(loading->blocks, room * sizeof *blocks)
                            : NULL;
        if (blocks == NULL) {
            return false;
        }
        loading->blocks = blocks;
        loading->room = room;
    }
    loading->blocks[loading->count++] = block;
    return true;
}

/* What is freed is mostly one of the latest. */
static void unlist_block(struct loading *loading, const void *block)
{
    size_t i = loading->count;
    while (i > 0 && loading->blocks[i - 1] != block) {
        i--;
    }
    if (i > 0) {
        loading->blocks[i - 1] = NULL;
    }
    while (loading->count > 0 && loading->blocks[loading->count - 1] == NULL) {
        loading->count--;
    }
}

static void *listed_malloc(size_t size)
{
    void *block = malloc(size);
    if (current != NULL && (block == NULL || !list_block(current, block))) {
        free(block);
        longjmp(current->out, 1);
    }
    return block;
}

static void listed_free(void *block)
{
    if (current != NULL && block != NULL) {
        unlist_block(current, block);
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
static json_t *load(const struct input *input, json_error_t *wrong, bool *no_memory)
{
    struct loading loading = {.blocks = NULL};
    json_t *value = NULL;
    current = &loading;
    if (setjmp(loading.out) == 0) {
        value = input->file != NULL ? json_loadf(input->file, input->flags, wrong)
                                    : json_loadb(input->text, input->size, input->flags, wrong);
        current = NULL;
        free(loading.blocks);
        *no_memory = false;
        return value;
    }
    current = NULL;
    for (size_t i = 0; i < loading.count; i++) {
        free(loading.blocks[i]);
    }
    free(loading.blocks);
    *no_memory = true;
    return NULL;
}

static enum assay_error load_input(const struct input *input, json_t **value, json_error_t *wrong)
{
    bool no_memory = false;
    *wrong = (json_error_t){.line = -1};
    *value = load(input, wrong, &no_memory);
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
    const struct input input = {.file = fopen(path, "rbe"), .flags = flags};
    if (input.file == NULL) {
        *value = NULL;
        *wrong = (json_error_t){.line = -1};
        snprintf(wrong->text, sizeof wrong->text, "cannot be read: %s", strerror(errno));
        return errno == ENOMEM ? ASSAY_NO_MEMORY : ASSAY_NOT_READABLE;
    }
    const enum assay_error error = load_input(&input, value, wrong);
    fclose(input.file);
    return error;
}
