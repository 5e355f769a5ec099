/* The state of the facts: of the stream and of the path, up to the event at hand. */
#ifndef ASSAY_ETRACE_FACTS_STATE_H
#define ASSAY_ETRACE_FACTS_STATE_H

#include "etrace/facts/facts.h"
#include "etrace/program/calls.h"
#include "etrace/program/targets.h"
#include "etrace/program/walk.h"
#include "execution/process.h"
#include "model/history.h"
#include "model/stage.h"

struct assay_alignment;
struct etrace_facts;

/* A stage of the two. */
struct etrace_facts_stage {
    struct assay_stage base;
    struct etrace_facts *facts;
    struct assay_block block; /* that is to be passed on; empty: it was */
};

struct etrace_facts {
    struct etrace_facts_stage of_packets, of_path;
    struct assay_history *packets, *path; /* where their events are */
    struct etrace_data_trace *data;       /* the stage above; null: no data are traced */
    struct etrace_reading reading;
    struct assay_image_cursor cursor;
    struct assay_image_cursor compared; /* where runs are read again, to be compared */
    struct assay_process process;       /* of the recording that the path is compared with */
    struct assay_alignment *alignment;  /* with it, after the last run; null: it is not known, or a
                                           trap came since */

    /* --- packets, up to that of the event at hand (stream.c) --- */
    uint64_t layout[ETRACE_PARAMETER_COUNT]; /* the options in effect */
    uint64_t next;                           /* index of the packet after them */
    const struct assay_event *packet; /* of the event at hand; null: it was of an earlier block */
    uint64_t of_format_3;             /* packets since the path ended last, or the stream began */
    bool preceded;                    /* one of them is a support or synchronisation packet */
    bool announced;                   /* a packet has a context alone, since the last run */
    bool unhandled; /* the last packet has a trap without the address of its handler (2.0) */
    bool ended;     /* the path was ended by a packet, at least once */
    bool looks;     /* runs can have facts */
    bool has_harts; /* a record says where another hart begins */
    char why[64];   /* why the path is not complete; empty: it is */

    /* --- the path (run_facts.c) --- */
    const uint64_t *last; /* cells of the last run; null: none leads on */
    uint64_t last_cells[ETRACE_CELL_run_context + 1]; /* those of a run of an earlier block */
    bool moved;        /* the packet has a run before the one at hand */
    bool synchronises; /* the packet is a synchronisation */
    bool forgets;      /* what was learnt, since a packet before was a synchronisation */
    bool returned;     /* a predicted return came since the last call, or synchronisation */
    bool branched;     /* then, a branch that the packet has came since the last predicted return */
    struct etrace_calls calls;
    struct etrace_targets targets;
    bool learned; /* the cache has targets since it was reset */
};

/* A field of an event, or a bit of it, by its cell and its first bit. */
static inline uint64_t etrace_facts_bits(const uint64_t *cells, unsigned cell, unsigned bit,
                                         unsigned width)
{
    return cells[cell] >> bit & assay_mask(width);
}

/* --- the stream (stream.c) --- */

/* A packet of format 3, or one that cannot be understood. */
void etrace_facts_take(struct etrace_facts *f, const struct assay_event *packet);

/* Passes the packets before the one with this index. Those of a block, and of the one before it,
 * are in the history. */
static inline void etrace_facts_pass(struct etrace_facts *f, uint64_t end)
{
    for (; f->next < end; f->next++) {
        const struct assay_event *packet = &f->packets->events[f->next & (f->packets->slots - 1)];
        if ((packet->kind >= ETRACE_start && packet->kind <= ETRACE_support) ||
            packet->kind == ETRACE_malformed) {
            etrace_facts_take(f, packet);
        }
    }
}

/* Sets whether runs can have facts from here on. */
void etrace_facts_look(struct etrace_facts *f);

/* Whether packets of format 3 came since the path ended, or more than one since the stream began;
 * the one at hand is the first that may. */
bool etrace_facts_resynchronised(const struct etrace_facts *f);

/* --- runs (run_facts.c) --- */

/* Takes runs that can have facts, all of the same packet that come after each other; returns the
 * last one. */
const struct assay_event *etrace_facts_runs(struct etrace_facts *f, const struct assay_event *run,
                                            const struct assay_event *end);

/* --- returns (ambiguous_return.c) --- */

/* A return at which the path is, and which the packet says was predicted wrongly, can as well be a
 * later one: if it was predicted rightly the program comes, without an outcome or a report in
 * between, to another return at the same depth, and no decoder can tell the two apart. How many
 * instructions that are, up to the later return; 0: there is none within 4096. */
unsigned etrace_between_returns(struct etrace_facts *f);

/* --- addresses that no image has (misread_address.c) --- */

/* How else the address of a packet can be read, which is the one reported last. */
enum etrace_misread etrace_misread(struct etrace_facts *f, const struct assay_event *packet,
                                   uint64_t address);

/* --- jump target indices (index_packet.c) --- */

/* Of the packet with the index of a target, at most, in the place of one with its address, where
 * the subformat has so many bits (tables 6.10 and 6.11). 0: the cache may not have the target, or
 * the packet is another one. */
unsigned etrace_index_bytes(const struct etrace_targets *targets, const struct assay_event *packet,
                            uint64_t target, uint64_t subformat);

/* --- traps (trap_facts.c) --- */

/* The fields of a trap, with the path as it was before it. */
uint64_t etrace_trap_facts(struct etrace_facts *f, const struct assay_event *trap);

#endif
