/* What is demanded, and what there is; and the verdict's names. */
#include <stdio.h>
#include <string.h>

#include "validator/certify/parts.h"

const char *assay_certify_verdict_name(enum assay_certify_verdict verdict)
{
    static const char *const names[] = {"certified", "not-certified", "incomplete"};
    return names[verdict];
}

enum assay_error assay_certify_add(struct assay_certify_demands *demands, const char *kind,
                                   const char *name, bool met, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct assay_certify_demand *list = assay_arena_grow(
        demands->arena, demands->list, demands->count, &demands->room, sizeof *list);
    demands->list = list != NULL ? list : demands->list;
    const struct assay_certify_demand one = {
        .kind = kind,
        .name = assay_arena_text(demands->arena, name, strlen(name)),
        .found = assay_arena_text(demands->arena, text, strlen(text)),
        .met = met};
    if (list == NULL || one.name == NULL || one.found == NULL) {
        return ASSAY_NO_MEMORY;
    }
    list[demands->count++] = one;
    return ASSAY_OK;
}
