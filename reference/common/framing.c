#include "common/framing.h"

#include <string.h>

static const char *const names[ASSAY_FRAMING_COUNT] = {
#define X(id, name, text) name,
    ASSAY_FRAMINGS(X)
#undef X
};

const char *assay_framing_name(enum assay_framing framing)
{
    return (unsigned)framing < ASSAY_FRAMING_COUNT ? names[framing] : "unknown";
}

enum assay_framing assay_framing_by_name(const char *name)
{
    unsigned i = 0;
    while (i < ASSAY_FRAMING_COUNT && strcmp(names[i], name) != 0) {
        i++;
    }
    return (enum assay_framing)i;
}
