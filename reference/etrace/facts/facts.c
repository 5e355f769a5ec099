/* The two stages, and the events of the path one by one. */
#include "etrace/facts/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etrace/facts/data_trace.h"
#include "etrace/facts/state.h"

enum { PRIVILEGE = 0xf };

/* --- events --- */

/* The path goes on by another packet, which was passed. */
static void begin_packet(struct etrace_facts *f, const struct assay_event *packet)
{
    f->forgets = f->forgets || f->synchronises;
    f->synchronises = packet->kind == ETRACE_start;
    f->packet = packet;
    f->moved = false;
}

/* All runs of a packet from one on; returns the last one. */
static const struct assay_event *pass_runs(const struct assay_event *run,
                                           const struct assay_event *end)
{
    while (run + 1 < end && run[1].from == run->from && run[1].kind == ETRACE_run) {
        run++;
    }
    return run;
}

static void take_trap(struct etrace_facts *f, const struct assay_event *trap)
{
    const bool of_2_0 = f->layout[ETRACE_WIRE] >= ETRACE_2_0;
    assay_history_cells(f->path, trap)[ETRACE_RUN_FLAGS] |= etrace_trap_facts(f, trap);
    f->unhandled = of_2_0 && trap->from->cells[ETRACE_CELL_exception_thaddr] == 0;
}

static void take_start(struct etrace_facts *f, const struct assay_event *start)
{
    assay_history_cells(f->path, start)[ETRACE_RUN_FLAGS] |=
        (uint64_t)f->unhandled << AFTER_TRAP_BIT | (uint64_t)f->preceded << PRECEDED_BIT |
        (uint64_t)etrace_facts_resynchronised(f) << RESYNCHRONISED_BIT;
    f->unhandled = false;
}

/* Debug mode can begin and end anywhere; anything else is another hart, or a packet that is wrong.
 */
static void take_asynchronous(struct etrace_facts *f, const struct assay_event *lost)
{
    const bool debugs = (lost->cells[ETRACE_RUN_FLAGS] & PRIVILEGE) == ETRACE_DEBUG ||
                        lost->from->cells[ETRACE_CELL_start_privilege] == ETRACE_DEBUG;
    if (!debugs && !f->has_harts && f->why[0] == '\0') {
        snprintf(f->why, sizeof f->why, "only a record says if another hart begins at 0x%" PRIx64,
                 lost->cells[ETRACE_PATH_LOST_REPORTED]);
    }
}

static void take_lost(struct etrace_facts *f, const struct assay_event *lost)
{
    const uint64_t reason = lost->cells[ETRACE_RUN_FLAGS] >> REASON_BIT & 0xf;
    uint64_t misread = ETRACE_MISREAD_NONE;
    if (reason == ETRACE_LOST_ASYNCHRONOUS) {
        take_asynchronous(f, lost);
    }
    if (reason != ETRACE_LOST_NO_SYNC) {
        assay_image_select_number(&f->cursor,
                                  (uint32_t)(lost->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
        misread = etrace_misread(f, lost->from, lost->cells[ETRACE_PATH_LOST_REPORTED]);
    }
    assay_history_cells(f->path, lost)[ETRACE_RUN_FLAGS] |=
        misread << MISREAD_BIT | (uint64_t)f->preceded << PRECEDED_BIT;
}

static void take_end(struct etrace_facts *f)
{
    f->ended = true;
    f->of_format_3 = 0;
}

/* What is no run, and no part of one: the path is not known after it. */
static void take_other(struct etrace_facts *f, const struct assay_event *event)
{
    switch (event->kind) {
    case ETRACE_trap:
        take_trap(f, event);
        break;
    case ETRACE_path_start:
        take_start(f, event);
        break;
    case ETRACE_path_lost:
        take_lost(f, event);
        break;
    case ETRACE_path_end:
        take_end(f);
        break;
    default:
        return;
    }
    f->last = NULL;
}

static void take_events(struct etrace_facts *f, const struct assay_block *block)
{
    if (block->count == 0) { /* at the end, without events */
        return;
    }
    const struct assay_event *const end = block->events + block->count;
    for (const struct assay_event *event = block->events; event < end; event++) {
        if (event->from != f->packet && event->from != NULL) {
            etrace_facts_pass(f, event->from->index + 1);
            begin_packet(f, event->from);
        }
        if (event->kind != ETRACE_run) {
            take_other(f, event);
        } else if (f->looks) {
            event = etrace_facts_runs(f, event, end);
        } else {
            event = pass_runs(event, end);
            f->last = event->cells;
        }
    }
}

/* --- stages --- */

static enum assay_error take_packets(struct assay_stage *stage, const struct assay_block *below,
                                     struct assay_diag *diag)
{
    struct etrace_facts_stage *s = (struct etrace_facts_stage *)stage;
    (void)diag;
    if (below->count > 0) {
        etrace_facts_pass(s->facts, below->events[0].index);
        s->facts->packet = NULL;
        if (s->facts->data != NULL) {
            etrace_data_trace_pass(s->facts->data, below->events[0].index);
        }
    }
    s->block = *below;
    return ASSAY_OK;
}

static enum assay_error take_path(struct assay_stage *stage, const struct assay_block *below,
                                  struct assay_diag *diag)
{
    struct etrace_facts_stage *s = (struct etrace_facts_stage *)stage;
    struct etrace_facts *f = s->facts;
    (void)diag;
    take_events(f, below);
    if (f->last != NULL && f->last != f->last_cells) {
        memcpy(f->last_cells, f->last, sizeof f->last_cells);
        f->last = f->last_cells;
    }
    s->block = *below;
    return ASSAY_OK;
}

static enum assay_error next(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag)
{
    struct etrace_facts_stage *s = (struct etrace_facts_stage *)stage;
    (void)diag;
    *block = s->block;
    s->block.count = 0;
    return ASSAY_OK;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct etrace_facts *f = ((const struct etrace_facts_stage *)stage)->facts;
    *why = f->why[0] != '\0' ? f->why : NULL;
    return *why == NULL;
}

static void close_facts(struct assay_stage *stage)
{
    struct etrace_facts *f = ((struct etrace_facts_stage *)stage)->facts;
    etrace_calls_close(&f->calls);
    etrace_targets_close(&f->targets);
    free(f);
}

/* The other stage has closed it. */
static void close_path(struct assay_stage *stage)
{
    (void)stage;
}

struct assay_stage *etrace_facts_open(const struct assay_decode_input *input,
                                      struct assay_history *packets)
{
    static const struct assay_stage_ops ops = {
        .take = take_packets, .next = next, .close = close_facts, .annotates = true};
    struct etrace_facts *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->packets = packets;
    f->of_packets = (struct etrace_facts_stage){.base = {&ops}, .facts = f};
    etrace_layout(input->parameters, f->layout);
    f->reading = etrace_reading_of(f->layout);
    etrace_facts_look(f);
    assay_image_cursor_open(&f->cursor, input->images);
    assay_image_cursor_open(&f->compared, input->images);
    const bool opened = etrace_calls_open(&f->calls, f->layout);
    if (!etrace_targets_open(&f->targets, f->layout) || !opened) {
        close_facts(&f->of_packets.base);
        return NULL;
    }
    return &f->of_packets.base;
}

struct assay_stage *etrace_facts_of_path(struct assay_stage *facts, struct assay_history *path)
{
    static const struct assay_stage_ops ops = {.take = take_path,
                                               .next = next,
                                               .complete = complete,
                                               .close = close_path,
                                               .annotates = true};
    struct etrace_facts *f = ((struct etrace_facts_stage *)facts)->facts;
    f->path = path;
    f->of_path = (struct etrace_facts_stage){.base = {&ops}, .facts = f};
    return &f->of_path.base;
}

void etrace_facts_decide_harts(struct assay_stage *facts)
{
    ((struct etrace_facts_stage *)facts)->facts->has_harts = true;
}

enum assay_error etrace_data_trace_add(struct assay_chain *chain, struct assay_stage *facts,
                                       const struct assay_decode_input *input)
{
    struct etrace_facts *f = ((struct etrace_facts_stage *)facts)->facts;
    if (!etrace_traces_data(f->layout)) {
        return ASSAY_OK;
    }
    struct assay_stage *stage = etrace_data_trace_open(input, f->packets);
    const enum assay_error error = assay_chain_add(chain, stage);
    if (error == ASSAY_OK) {
        f->data = etrace_data_trace_of(stage);
    }
    return error;
}
