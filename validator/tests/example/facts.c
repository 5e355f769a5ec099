/* What only rules ask of the instructions: how often a run began at its address before. The decoder
 * does not need it, and no state variable can hold it, as it takes a table. A stage above the
 * decoder annotates the runs with it. */
#include <stdlib.h>

#include "example/example.h"

enum { PLACES = 64 }; /* of addresses; two of one place displace each other */

struct facts {
    struct assay_stage base;
    struct assay_history *instructions; /* whose cells are written */
    struct assay_block block;           /* that was taken */
    struct {
        uint64_t address;
        uint64_t visits; /* 0: there is none */
    } places[PLACES];
};

static void annotate(struct facts *f, uint64_t *run)
{
    const uint64_t address = run[EXAMPLE_CELL_run_address];
    const size_t place = address / 4 % PLACES;
    if (f->places[place].address != address) {
        f->places[place].address = address;
        f->places[place].visits = 0;
    }
    run[EXAMPLE_CELL_run_visits] = f->places[place].visits++;
}

static enum assay_error take(struct assay_stage *stage, const struct assay_block *below,
                             struct assay_diag *diag)
{
    struct facts *f = (struct facts *)stage;
    (void)diag;
    f->block = *below;
    for (size_t i = 0; i < below->count; i++) {
        if (below->events[i].kind == EXAMPLE_run) {
            annotate(f, assay_history_cells(f->instructions, &below->events[i]));
        }
    }
    return ASSAY_OK;
}

/* The same block is passed on, once. */
static enum assay_error next(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag)
{
    struct facts *f = (struct facts *)stage;
    (void)diag;
    *block = f->block;
    f->block.count = 0;
    return ASSAY_OK;
}

static void close_facts(struct assay_stage *stage)
{
    free(stage);
}

struct assay_stage *example_facts_open(struct assay_history *instructions)
{
    static const struct assay_stage_ops ops = {
        .take = take, .next = next, .close = close_facts, .annotates = true};
    struct facts *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->base.ops = &ops;
    f->instructions = instructions;
    return &f->base;
}
