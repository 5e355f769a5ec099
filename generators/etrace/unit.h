/* The reference encoder (chapter 8): retired instructions to packets. It sees what the interface of
 * the hart gives (chapter 4), one instruction at a time; a block of several gives the same packets
 * (8.3).
 *
 *     struct etrace_unit *unit = etrace_unit_open(&setup);
 *     etrace_unit_put(unit, &record); ...     calls setup.packet for each packet that is due
 *     etrace_unit_stop(unit, ...);            tracing ends
 *     etrace_unit_close(unit);
 */
#ifndef ASSAY_GENERATORS_ETRACE_UNIT_H
#define ASSAY_GENERATORS_ETRACE_UNIT_H

#include "etrace/interface/signals.h"

/* What resynchronisation is counted in (table 2.1). */
enum etrace_resync {
    ETRACE_RESYNC_OFF,
    ETRACE_RESYNC_PACKETS,
    ETRACE_RESYNC_CYCLES, /* each record is one */
    ETRACE_RESYNC_HALF_WORDS
};

struct etrace_unit_setup {
    const struct assay_parameter_values *values; /* null: the defaults. The options are those that a
                                                    stream begins with */
    enum etrace_resync resync;
    uint64_t max_resync; /* packets, cycles or half-words */
    bool filters; /* the control registers among the values choose what is traced (qualify.h); what
                     they leave open is not traced */
    bool
        literal; /* as figure 8.1 has it, where decoders can be left in doubt about which of several
                    places with the reported address is meant; else such reports are avoided */
    /* Takes a packet; the cells are those of its kind, without the container's. */
    void (*packet)(void *context, enum etrace_kind kind, const uint64_t *cells);
    void *context;
};

struct etrace_unit;

/* Null: out of memory. The values must outlive the unit. */
struct etrace_unit *etrace_unit_open(const struct etrace_unit_setup *setup);
void etrace_unit_close(struct etrace_unit *unit);

/* A support packet that says that tracing is enabled, with the options. */
void etrace_unit_start(struct etrace_unit *unit);

/* The next record. Packets of an instruction are due when the one after it is known. Returns
 * whether it qualifies. */
bool etrace_unit_put(struct etrace_unit *unit, const struct etrace_ingress *record);

/* The hart is halted, and goes on with the next record. */
void etrace_unit_pause(struct etrace_unit *unit);

/* Tracing ends: the hart halts, is reset, or the encoder is disabled (3.1.6). */
void etrace_unit_stop(struct etrace_unit *unit, bool disabled);

/* How many packets so far name a depth of the return stack that cannot be told from that of an
 * earlier return: no decoder can know which return was mispredicted, or where the path is (6.6.3).
 */
uint64_t etrace_unit_ambiguous(const struct etrace_unit *unit);

/* How many returns so far were inferred by a counter of calls, and went elsewhere: what was sent
 * then is not what was executed, which such an encoder does not notice (3.2.5). */
uint64_t etrace_unit_strayed(const struct etrace_unit *unit);

/* Packets were lost: the next one is a support packet that says so, then synchronisation (6.5). */
void etrace_unit_lose(struct etrace_unit *unit);

#endif
