#include "model/framing.h"

#include <stddef.h>
#include <string.h>

const char *const assay_framing_names[] = {
#define X(id, name, text) name,
    ASSAY_FRAMINGS(X)
#undef X
        NULL,
};

const char *assay_framing_name(enum assay_framing framing)
{
    return (unsigned)framing < ASSAY_FRAMING_COUNT ? assay_framing_names[framing] : "unknown";
}

enum assay_framing assay_framing_by_name(const char *name)
{
    unsigned i = 0;
    while (i < ASSAY_FRAMING_COUNT && strcmp(assay_framing_names[i], name) != 0) {
        i++;
    }
    return (enum assay_framing)i;
}
