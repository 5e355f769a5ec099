/* The second stage: packets to elements. An atoms packet gives as many as it has atoms, all in one
 * step. */
#include "example/example.h"

enum { ATOMS_MOST = 31 }; /* of a packet: its count has 5 bits */

struct elements {
    struct assay_step_stage base;
    uint64_t address_mask;
    uint64_t depth;   /* speculation_depth */
    uint64_t address; /* the last one */
    uint64_t open;    /* elements that were neither committed nor cancelled */
};

/* The cells of a new element. */
static uint64_t *add(struct elements *e, enum example_kind kind, const struct assay_event *packet)
{
    return assay_step_cells(&e->base, assay_step_add(&e->base, kind, packet));
}

/* When too many are open, the oldest one is committed. */
static void open_one(struct elements *e)
{
    e->open += e->open < e->depth;
}

static void add_begin(struct elements *e, const struct assay_event *packet)
{
    uint64_t *cells = add(e, EXAMPLE_begin, packet);
    e->address = packet->cells[EXAMPLE_CELL_start_address];
    cells[EXAMPLE_CELL_begin_address] = e->address;
    cells[EXAMPLE_CELL_begin_context] = packet->cells[EXAMPLE_CELL_start_context];
    open_one(e);
}

static void add_target(struct elements *e, const struct assay_event *packet)
{
    const bool whole =
        (packet->cells[ASSAY_CELL_PRESENCE] >> EXAMPLE_NUMBER_address_target & 1) != 0;
    e->address =
        whole ? packet->cells[EXAMPLE_CELL_address_target]
              : (e->address + packet->cells[EXAMPLE_CELL_address_difference]) & e->address_mask;
    add(e, EXAMPLE_target, packet)[EXAMPLE_CELL_target_address] = e->address;
    open_one(e);
}

static void add_atoms(struct elements *e, const struct assay_event *packet)
{
    const uint64_t taken = packet->cells[EXAMPLE_CELL_atoms_taken];
    for (unsigned n = 0; n < packet->cells[EXAMPLE_CELL_atoms_count]; n++) {
        add(e, EXAMPLE_atom, packet)[EXAMPLE_CELL_atom_taken] = taken >> n & 1;
        open_one(e);
    }
}

static void add_resolve(struct elements *e, const struct assay_event *packet)
{
    const bool cancels = packet->kind == EXAMPLE_cancel;
    const uint64_t count =
        packet->cells[cancels ? EXAMPLE_CELL_cancel_count : EXAMPLE_CELL_commit_count];
    uint64_t *cells = add(e, EXAMPLE_resolve, packet);
    cells[EXAMPLE_CELL_resolve_cancels] = cancels;
    cells[EXAMPLE_CELL_resolve_count] = count;
    cells[EXAMPLE_CELL_resolve_open] = e->open;
    e->open -= count < e->open ? count : e->open;
}

static void add_mark(struct elements *e, const struct assay_event *note)
{
    uint64_t *cells = add(e, EXAMPLE_mark, note);
    cells[EXAMPLE_CELL_mark_number] = note->kind - (unsigned)EXAMPLE_note_00;
    cells[EXAMPLE_CELL_mark_value] = note->cells[EXAMPLE_CELL_note_value]; /* as in all notes */
}

static bool step(struct assay_step_stage *stage, const struct assay_event *packet)
{
    struct elements *e = (struct elements *)stage;
    switch (packet->kind) {
    case EXAMPLE_start:
        add_begin(e, packet);
        return true;
    case EXAMPLE_address:
        add_target(e, packet);
        return true;
    case EXAMPLE_atoms:
        add_atoms(e, packet);
        return true;
    case EXAMPLE_commit:
    case EXAMPLE_cancel:
        add_resolve(e, packet);
        return true;
    case EXAMPLE_malformed:
        add(e, EXAMPLE_lost, packet)[EXAMPLE_CELL_lost_offset_lost] = packet->offset;
        e->open = 0;
        return true;
    case EXAMPLE_sync:
    case EXAMPLE_end:
        return true;
    default:
        add_mark(e, packet);
        return true;
    }
}

struct assay_stage *example_elements_open(const struct assay_decode_input *input,
                                          struct assay_history *packets)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = assay_step_complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = EXAMPLE_ELEMENT,
                                           .below = packets,
                                           .slots = EXAMPLE_SLOTS,
                                           .cells = EXAMPLE_CELLS,
                                           .most = ATOMS_MOST,
                                           .step = step};
    struct elements *e = assay_step_open(sizeof *e, &setup);
    if (e == NULL) {
        return NULL;
    }
    uint64_t parameters[EXAMPLE_LAYOUT_COUNT];
    example_parameters(input->parameters, parameters);
    e->address_mask = assay_mask((unsigned)parameters[EXAMPLE_ADDRESS_WIDTH]);
    e->depth = parameters[EXAMPLE_SPECULATION_DEPTH];
    return &e->base.base;
}
