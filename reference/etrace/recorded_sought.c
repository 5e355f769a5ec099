/* Contexts and causes of traps that packets have at no sure place: a context can be reported long
 * after it changed, and tracing can begin with any trap. The record has them somewhere. */
#include "etrace/recorded.h"

static bool has(const struct etrace_sought *sought, uint64_t value)
{
    for (uint32_t i = 0; i < sought->count; i++) {
        if (sought->had[i] == value) {
            return true;
        }
    }
    return false;
}

static void have(struct etrace_sought *sought, uint64_t value)
{
    sought->lacks = sought->lacks && value != sought->value;
    if (has(sought, value)) {
        return;
    }
    sought->many = sought->count == ETRACE_SOUGHT_MOST;
    if (!sought->many) {
        sought->had[sought->count++] = value;
    }
}

static void seek(struct etrace_sought *sought, uint64_t value)
{
    if (!sought->lacks && !sought->many && !has(sought, value)) {
        sought->lacks = true;
        sought->value = value;
    }
}

void etrace_recorded_have(struct etrace_recorded *s)
{
    const uint64_t *signal = s->block.signal;
    if (etrace_block_retires(&s->block)) {
        have(&s->contexts, signal[ETRACE_SIGNAL_CONTEXT]);
        s->reportable += signal[ETRACE_SIGNAL_CTYPE] != 0;
        if (signal[ETRACE_SIGNAL_CTYPE] != 0 || s->blocks == 0) {
            have(&s->changes, signal[ETRACE_SIGNAL_CONTEXT]);
        }
    }
    if (etrace_block_traps(&s->block)) {
        have(&s->contexts, signal[ETRACE_SIGNAL_CONTEXT]);
    }
    if (etrace_block_traps(&s->block) && !s->untold) {
        have(&s->causes, signal[ETRACE_SIGNAL_CAUSE] << 1 |
                             (signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT));
    }
}

void etrace_recorded_seek_context(struct etrace_recorded *s, uint64_t context)
{
    if ((s->block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        seek(&s->contexts, context);
        seek(&s->changes, context);
    }
}

void etrace_recorded_seek_context_of_trap(struct etrace_recorded *s, const struct assay_event *trap)
{
    if ((s->block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        seek(&s->contexts, trap->cells[CONTEXT]);
    }
}

void etrace_recorded_seek_trap(struct etrace_recorded *s, const struct assay_event *trap)
{
    seek(&s->causes, trap->cells[CAUSE] << 1 | (trap->cells[FACTS] >> INTERRUPT_BIT & 1));
}
