#include "generators/etrace/record_lines.h"

#include "etrace/etrace.h"

enum { WIDE = 4 }; /* bytes of an instruction that is not compressed */

/* Resynchronisation is by cycles. */
static bool has_cycles(const struct record_lines *lines)
{
    return lines->values->known[ETRACE_RESYNC_MODE] &&
           lines->values->value[ETRACE_RESYNC_MODE] == ETRACE_RESYNC_CYCLES;
}

bool record_lines_are_single(const struct record_lines *lines)
{
    return lines->values->value[ETRACE_RETIRES] == 1;
}

static unsigned iretire_of(const struct record_lines *lines, const struct etrace_ingress *block)
{
    return !block->retires ? 0 : record_lines_are_single(lines) ? 1 : block->size / 2U;
}

void record_lines_write_names(const struct record_lines *lines)
{
    assay_sink_text(lines->sink, has_cycles(lines) ? "cycle," : "");
    assay_sink_text(lines->sink, "itype,cause,tval,priv,iaddr,iretire,ilastsize,halted");
}

void record_lines_write(struct record_lines *lines, const struct etrace_ingress *block)
{
    if (has_cycles(lines)) {
        assay_sink_printf(lines->sink, "%llu,", (unsigned long long)lines->cycle++);
    }
    if (block == NULL) {
        assay_sink_text(lines->sink, "0,0,0,0,0,0,0,1");
    } else {
        assay_sink_printf(lines->sink, "%u,%llu,0x%llx,%u,0x%llx,%u,%u,0", block->itype,
                          (unsigned long long)block->cause, (unsigned long long)block->tval,
                          block->priv, (unsigned long long)block->iaddr, iretire_of(lines, block),
                          block->size == WIDE);
    }
}
