#include "execution/execution.h"

const char *assay_execution_isa_name(enum assay_execution_isa isa)
{
    switch (isa) {
#define X(id, number, name)                                                                        \
    case ASSAY_EXECUTION_##id:                                                                     \
        return name;
        ASSAY_EXECUTION_ISAS(X)
#undef X
    }
    return "unknown";
}

const char *assay_execution_reason_name(enum assay_execution_reason reason)
{
    switch (reason) {
#define X(id, number, more, name, text)                                                            \
    case ASSAY_EXECUTION_ENDED_BY_##id:                                                            \
        return name;
        ASSAY_EXECUTION_REASONS(X)
#undef X
    }
    return "unknown";
}
