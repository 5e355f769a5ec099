#include "generators/etrace/interface.h"

#include <inttypes.h>

void etrace_interface_begin(struct assay_sink *sink)
{
    assay_sink_text(sink, "itype,cause,tval,priv,iaddr,iretire,ilastsize,sijump,halted\n");
}

void etrace_interface_put(struct assay_sink *sink, const struct etrace_ingress *record)
{
    assay_sink_printf(sink, "%u,%" PRIu64 ",0x%" PRIx64 ",%u,0x%" PRIx64 ",%u,%u,%u,0\n",
                      (unsigned)record->itype, record->cause, record->tval, (unsigned)record->priv,
                      record->iaddr, (unsigned)record->retires, record->size > 2 ? 1u : 0u,
                      (unsigned)record->sijump);
}

void etrace_interface_halt(struct assay_sink *sink)
{
    assay_sink_text(sink, "0,0,0x0,0,0x0,0,0,0,1\n");
}
