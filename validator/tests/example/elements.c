/* The second stage: packets to elements. An atoms packet gives several. */
#include <stdlib.h>

#include "example/example.h"

struct elements {
    struct example_stage base;
    uint64_t address_mask;
    uint64_t depth;   /* speculation_depth */
    uint64_t address; /* told last */
    uint64_t open;    /* elements that were neither committed nor cancelled */
    unsigned part;    /* atoms of the current packet that were given */
};

/* When too many are open, the oldest one is committed. */
static void open_one(struct elements *e)
{
    e->open += e->open < e->depth;
}

static void add_address(struct elements *e, enum example_kind kind,
                        const struct assay_event *packet)
{
    uint64_t *words = example_stage_add(&e->base, kind, packet);
    words[0] = e->address;
    words[1] = kind == EXAMPLE_begin ? packet->words[1] : 0; /* context */
    open_one(e);
}

static bool add_atom(struct elements *e, const struct assay_event *packet)
{
    if (e->part < packet->words[0]) {
        example_stage_add(&e->base, EXAMPLE_atom, packet)[1] = packet->words[1] >> e->part & 1;
        open_one(e);
        e->part++;
    }
    const bool done = e->part >= packet->words[0];
    e->part = done ? 0 : e->part;
    return done;
}

static void add_resolve(struct elements *e, const struct assay_event *packet)
{
    uint64_t *words = example_stage_add(&e->base, EXAMPLE_resolve, packet);
    words[0] = packet->kind == EXAMPLE_cancel;
    words[1] = packet->words[0];
    words[2] = e->open;
    e->open -= packet->words[0] < e->open ? packet->words[0] : e->open;
}

static void add_mark(struct elements *e, const struct assay_event *packet)
{
    uint64_t *words = example_stage_add(&e->base, EXAMPLE_mark, packet);
    words[0] = packet->kind - (unsigned)EXAMPLE_note_00;
    words[1] = packet->words[0];
}

static bool step(struct example_stage *stage, const struct assay_event *packet)
{
    struct elements *e = (struct elements *)stage;
    switch (packet->kind) {
    case EXAMPLE_start:
        e->address = packet->words[0];
        add_address(e, EXAMPLE_begin, packet);
        return true;
    case EXAMPLE_address:
        e->address = (e->address + packet->words[0]) & e->address_mask;
        add_address(e, EXAMPLE_target, packet);
        return true;
    case EXAMPLE_atoms:
        return add_atom(e, packet);
    case EXAMPLE_commit:
    case EXAMPLE_cancel:
        add_resolve(e, packet);
        return true;
    case EXAMPLE_malformed:
        example_stage_add(stage, EXAMPLE_lost, packet)[0] = packet->offset;
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

static bool complete(const struct assay_stage *stage, const char **why)
{
    (void)stage;
    *why = NULL;
    return true;
}

struct assay_stage *example_elements_open(const struct assay_decode_input *input)
{
    static const struct assay_stage_ops ops = {.take = example_stage_take,
                                               .next = example_stage_next,
                                               .complete = complete,
                                               .close = example_stage_close};
    struct elements *e = calloc(1, sizeof *e);
    if (e != NULL && example_stage_open(&e->base, &ops, EXAMPLE_ELEMENT, step) != ASSAY_OK) {
        example_stage_close(&e->base.base);
        return NULL;
    }
    if (e != NULL) {
        uint64_t parameters[EXAMPLE_PARAMETER_COUNT];
        example_parameters(input->parameters, parameters);
        e->address_mask = assay_mask((unsigned)parameters[EXAMPLE_ADDRESS_WIDTH]);
        e->depth = parameters[EXAMPLE_SPECULATION_DEPTH];
    }
    return e != NULL ? &e->base.base : NULL;
}
