/* The decoder: the units of a capture as events, and what is in its frames (sources.c). */
#include <stdlib.h>
#include <string.h>

#include "coresight/coresight.h"
#include "execution/execution.h"
#include "model/framing.h"

enum { BLOCK = 1024, SLOTS = 1 << 12 };

struct frames {
    struct assay_stage base;
    struct cs_units units;
    struct assay_history history;
    uint64_t frames, unaligned, truncated;
    unsigned ids; /* in the frame whose parts are read */
    bool faulty, cut, failed, ended;
};

struct assay_decoder {
    struct assay_chain chain;
    struct assay_carried list[CS_IDS];
    size_t count;
};

/* --- the layer of frames --- */

static uint64_t *add(struct frames *f, enum cs_kind kind, const struct cs_unit *unit)
{
    struct assay_event *event = assay_history_add(&f->history, NULL);
    if (unit->size > 0) {
        memcpy(assay_history_bytes(&f->history, event), unit->bytes, unit->size);
    }
    event->kind = (uint16_t)kind;
    event->offset = unit->offset;
    event->bits = 8 * (uint32_t)unit->size;
    return assay_history_cells(&f->history, event);
}

static void add_malformed(struct frames *f, enum cs_fault fault, const struct cs_unit *unit)
{
    uint64_t *cells = add(f, CS_malformed, unit);
    f->history.events[(f->history.next - 1) & (f->history.slots - 1)].fault = (uint16_t)fault;
    cells[CS_CELL_malformed_value] = unit->size > 0 ? unit->bytes[0] : 0;
    cells[CS_CELL_malformed_position] = unit->position;
    f->faulty = true;
}

static void add_end(struct frames *f, const struct cs_unit *unit)
{
    uint64_t *cells = add(f, CS_end, unit);
    cells[CS_CELL_end_total] = unit->offset;
    cells[CS_CELL_end_frames] = f->frames;
    cells[CS_CELL_end_unaligned] = f->unaligned;
    cells[CS_CELL_end_truncated] = f->truncated;
    cells[CS_CELL_end_of_port] = f->units.of_port;
    cells[CS_CELL_end_unit_bytes] = f->units.blocked ? cs_block_bytes(unit->offset) : 0;
    f->ended = true;
}

/* The ids in some bytes of a frame, which begin at an even one. */
static unsigned ids_in(const struct cs_unit *unit)
{
    unsigned ids = 0;
    for (size_t at = 0; at < unit->size && unit->position + at < CS_SLOTS; at += 2) {
        ids += unit->bytes[at] & 1u;
    }
    return ids;
}

static void add_part(struct frames *f, const struct cs_unit *unit)
{
    uint64_t *cells = add(f, CS_part, unit);
    f->ids = ids_in(unit) + (unit->position > 0 ? f->ids : 0);
    cells[CS_CELL_part_position] = unit->position;
    cells[CS_CELL_part_last] = unit->frame != NULL;
    cells[CS_CELL_part_ids] = f->ids;
}

static void add_frame(struct frames *f, const struct cs_unit *unit)
{
    uint64_t *cells = add(f, CS_frame, unit);
    cells[CS_CELL_frame_ids] = ids_in(unit);
    cells[CS_CELL_frame_of_port] = f->units.of_port;
}

static void add_sync(struct frames *f, enum cs_kind kind, const struct cs_unit *unit)
{
    uint64_t *cells = add(f, kind, unit);
    cells[CS_CELL_half_sync_position] = unit->position;
    cells[CS_CELL_half_sync_of_port] = f->units.of_port;
}

static void add_unit(struct frames *f, const struct cs_unit *unit)
{
    f->frames += unit->frame != NULL;
    switch (unit->kind) {
    case CS_UNIT_FRAME:
        add_frame(f, unit);
        break;
    case CS_UNIT_PART:
        add_part(f, unit);
        break;
    case CS_UNIT_HALF_SYNC:
        add_sync(f, CS_half_sync, unit);
        break;
    case CS_UNIT_FULL_SYNC:
        add_sync(f, CS_full_sync, unit);
        f->cut = f->cut || unit->position > 0;
        break;
    case CS_UNIT_BARRIER:
        (void)add(f, CS_barrier, unit);
        break;
    case CS_UNIT_UNALIGNED:
        add_malformed(f, CS_FAULT_UNALIGNED, unit);
        f->unaligned += unit->size;
        break;
    case CS_UNIT_TRUNCATED:
        add_malformed(f, CS_FAULT_TRUNCATED_FRAME, unit);
        f->truncated = unit->position + unit->size;
        break;
    case CS_UNIT_END:
        f->truncated += unit->position;
        f->faulty = f->faulty || unit->position > 0;
        add_end(f, unit);
        break;
    }
}

/* The next event; the last one is `end`. */
static void read_event(struct frames *f)
{
    struct cs_unit unit;
    cs_units_next(&f->units, &unit);
    if (unit.kind == CS_UNIT_END && f->units.error != ASSAY_OK && !f->failed) {
        add_malformed(f, CS_FAULT_READ_ERROR, &unit);
        f->failed = true;
    } else {
        add_unit(f, &unit);
    }
}

static enum assay_error next_frames(struct assay_stage *stage, struct assay_block *block,
                                    struct assay_diag *diag)
{
    struct frames *f = (struct frames *)stage;
    const uint64_t first = f->history.next;
    (void)diag;
    while (!f->ended && f->history.next - first < BLOCK &&
           assay_history_room(&f->history, first) > 0) {
        read_event(f);
    }
    *block = assay_history_block(&f->history, first, CS_FRAMES);
    return ASSAY_OK;
}

static bool frames_complete(const struct assay_stage *stage, const char **why)
{
    const struct frames *f = (const struct frames *)stage;
    const bool lost = f->units.of_port && f->frames == 0 && f->unaligned > 0;
    *why = f->cut ? "a synchronisation packet cuts a frame off"
           : lost ? "no full synchronisation packet tells where the frames of the trace port begin"
                  : NULL;
    return !f->faulty && !f->cut;
}

static void close_frames(struct assay_stage *stage)
{
    struct frames *f = (struct frames *)stage;
    assay_source_close(f->units.source);
    assay_history_close(&f->history);
    free(f);
}

struct assay_stage *cs_frames_open(const struct assay_decode_input *input, enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .next = next_frames, .complete = frames_complete, .close = close_frames};
    struct frames *f = calloc(1, sizeof *f);
    if (f == NULL) {
        assay_source_close(input->source);
        return NULL;
    }
    f->base.ops = &ops;
    f->units.source = input->source;
    f->units.of_port = input->framing == ASSAY_FRAMING_TRACE_PORT;
    *error = assay_history_open(
        &f->history,
        &(struct assay_history_setup){.slots = SLOTS, .bytes = CS_FRAME, .cells = CS_CELLS});
    return &f->base;
}

struct assay_history *cs_frames_history(struct assay_stage *stage)
{
    return &((struct frames *)stage)->history;
}

/* --- the decoder --- */

static enum assay_error open_stages(struct assay_chain *chain,
                                    const struct assay_decode_input *input)
{
    enum assay_error opened = ASSAY_OK;
    enum assay_error error = assay_chain_add(chain, cs_frames_open(input, &opened));
    error = error != ASSAY_OK ? error : opened;
    return error != ASSAY_OK
               ? error
               : assay_chain_add(chain, cs_sources_open(cs_frames_history(chain->stages[0]),
                                                        input->parameters));
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    assay_execution_close(input->execution);
    *decoder = calloc(1, sizeof **decoder);
    if (*decoder == NULL) {
        assay_source_close(input->source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error = open_stages(&(*decoder)->chain, input);
    return error == ASSAY_NO_MEMORY ? assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory")
                                    : error;
}

/* Streams are listed when the capture has ended. */
static void list_streams(struct assay_decoder *d)
{
    const uint64_t *bytes = cs_sources_bytes(d->chain.stages[CS_SOURCES]);
    d->count = 0;
    for (uint32_t id = 0; id < CS_IDS; id++) {
        if (cs_is_source(id) && bytes[id] > 0) {
            d->list[d->count++] = (struct assay_carried){.id = id, .bytes = bytes[id]};
        }
    }
}

static enum assay_error next_block(struct assay_decoder *d, struct assay_block *block,
                                   struct assay_diag *diag)
{
    const enum assay_error error = assay_chain_next(&d->chain, block, diag);
    if (error == ASSAY_OK && block->count == 0) {
        list_streams(d);
    }
    return error;
}

size_t cs_decoder_streams(const struct assay_decoder *d, const struct assay_carried **list)
{
    *list = d->list;
    return d->count;
}

static bool complete(const struct assay_decoder *d, unsigned layer, const char **why)
{
    return assay_chain_complete(&d->chain, layer, why);
}

static void close_decoder(struct assay_decoder *d)
{
    if (d != NULL) {
        assay_chain_close(&d->chain);
        free(d);
    }
}

const struct assay_decoder_ops cs_decoder_ops = {
    .open = open_decoder, .next = next_block, .complete = complete, .close = close_decoder};
