#include "execution/uncompared.h"

const char *assay_uncompared_name(enum assay_uncompared_reason reason)
{
    static const char *const names[] = {
#define X(id, name, one, several) name,
        ASSAY_UNCOMPARED_REASONS(X)
#undef X
    };
    return names[reason];
}

const char *assay_uncompared_text(enum assay_uncompared_reason reason, uint64_t count)
{
    static const char *const texts[][2] = {
#define X(id, name, one, several) {one, several},
        ASSAY_UNCOMPARED_REASONS(X)
#undef X
    };
    return texts[reason][count != 1];
}
