/* The third stage: the blocks that the hart gave the encoder (chapter 4), with what program and
 * path say of them. blocks.c has their events; path_comparison.c compares them with the path. */
#include "etrace/ingress/ingress.h"

#include <inttypes.h>
#include <stdio.h>

#include "execution/execution.h"

enum { ADDED_MOST = 64 };

static bool step(struct assay_step_stage *stage, const struct assay_event *event)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ETRACE_INGRESS_AT_ONCE;
    bool done = false;
    while (!done && stage->history.next < room) {
        if (!etrace_ingress_add_access(s) && !etrace_ingress_add_claim(s, false)) {
            done = etrace_ingress_compare(s, event);
            s->entered = !done;
        }
    }
    return done;
}

static void put_end(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    cells[ETRACE_CELL_ingress_end_blocks] = s->blocks;
    cells[ETRACE_CELL_ingress_end_traced] = s->traced;
    cells[ETRACE_CELL_ingress_end_lost] = s->lost;
    cells[ETRACE_CELL_ingress_end_lost_at] = s->lost_at;
    cells[ETRACE_CELL_ingress_end_lost_line] = s->lost_line;
    cells[ETRACE_CELL_ingress_end_beyond] = s->beyond;
    cells[ETRACE_CELL_ingress_end_located] = s->located;
    cells[ETRACE_CELL_ingress_end_left] = s->left;
    cells[ETRACE_CELL_ingress_end_has_ctype] = s->has_ctype;
    cells[ETRACE_CELL_ingress_end_announced] = s->announced;
    cells[ETRACE_CELL_ingress_end_has_path] = s->has_path;
    cells[ETRACE_CELL_ingress_end_qualifying] = s->qualifying;
    cells[ETRACE_CELL_ingress_end_concluded] = s->concluded;
    cells[ETRACE_CELL_ingress_end_last_context] = s->last_context;
    cells[ETRACE_CELL_ingress_end_reportable] = s->reportable;
    cells[ETRACE_CELL_ingress_end_unreportable] = s->claims.unreportable;
}

/* Each claim is decided, or the layer is not complete. */
static void say_undecided(struct etrace_ingress_stage *s)
{
    if (s->claims.dropped > 0) {
        snprintf(s->why, sizeof s->why,
                 "%" PRIu64
                 " times what packets say was not looked for in the record: too much at once",
                 s->claims.dropped);
    }
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct etrace_ingress_stage *s = (const struct etrace_ingress_stage *)stage;
    *why = s->why[0] != '\0' ? s->why : NULL;
    return *why == NULL;
}

static bool finish(struct assay_step_stage *stage)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ETRACE_INGRESS_AT_ONCE;
    etrace_ingress_settle(s, ETRACE_DUE_BEFORE_END);
    while (stage->history.next < room) {
        if (etrace_ingress_add_access(s) || etrace_ingress_add_claim(s, !s->reader.has_block)) {
            continue;
        }
        if (!s->reader.has_block) {
            say_undecided(s);
            put_end(s, assay_step_cells(stage, assay_step_add(stage, ETRACE_ingress_end, NULL)));
            return true;
        }
        etrace_ingress_pass(s, NULL, ETRACE_UNTRACED);
    }
    return false;
}

/* A fault of the record ends the stage: what follows it is not known. */
static enum assay_error next(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag)
{
    const struct etrace_ingress_stage *s = (const struct etrace_ingress_stage *)stage;
    const enum assay_error error = assay_step_next(stage, block, diag);
    if (error == ASSAY_OK && s->reader.error != ASSAY_OK) {
        *diag = s->reader.diag;
        return s->reader.error;
    }
    return error;
}

static void close_recorded(struct assay_stage *stage)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    assay_placement_close(&s->placement);
    etrace_block_reader_close(&s->reader);
    etrace_signalled_close(s->signalled);
    assay_execution_close(s->execution);
    assay_step_close(stage);
}

static enum assay_error open_reader(struct etrace_ingress_stage *s,
                                    const struct assay_decode_input *input, struct assay_diag *diag)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    struct assay_image_cursor cursor;
    etrace_layout(input->parameters, layout);
    const struct etrace_block_reading reading = etrace_block_reading_of(layout);
    const struct etrace_record_setup setup = {reading.program.isa, input->execution_thread};
    s->data_width = layout[ETRACE_DATA_WIDTH];
    s->data_mask = etrace_data_address_mask(&reading.program, layout);
    s->reports_both = layout[ETRACE_WIRE] >= ETRACE_2_0;
    assay_image_cursor_open(&cursor, input->images);
    s->search_reader = (struct assay_placement_source){.open = etrace_record_reader_open,
                                                       .next = etrace_record_reader_next,
                                                       .close = etrace_record_reader_close,
                                                       .context = &s->reader};
    s->placement.source = &s->search_reader;
    return etrace_block_reader_open(&s->reader, assay_execution_table(s->execution), &setup,
                                    &reading, &cursor, diag);
}

static enum assay_error start(struct etrace_ingress_stage *s,
                              const struct assay_decode_input *input, struct assay_diag *diag)
{
    const enum assay_error error = open_reader(s, input, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (etrace_signalled_open(input, &s->signalled, diag) != ASSAY_OK) {
        return ASSAY_NO_MEMORY;
    }
    if (s->reader.block.logged) { /* a log has no signals to be judged */
        etrace_signalled_close(s->signalled);
        s->signalled = NULL;
    }
    s->placed = s->revisits.first = true;
    s->has_ctype = etrace_block_has(&s->reader.block, ETRACE_SIGNAL_CTYPE);
    s->infers_traps = s->reader.block.infers_traps;
    etrace_ingress_configure(s, input->parameters);
    etrace_ingress_begin(s);
    return ASSAY_OK;
}

bool etrace_ingress_has_harts(const struct assay_stage *stage)
{
    return ((const struct etrace_ingress_stage *)stage)->has_ctype;
}

struct assay_stage *etrace_ingress_open(const struct assay_decode_input *input,
                                        struct assay_history *path, struct assay_diag *diag,
                                        enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .take = assay_step_take, .next = next, .complete = complete, .close = close_recorded};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETRACE_INGRESS,
                                           .below = path,
                                           .cells = ETRACE_INGRESS_CELLS,
                                           .most = ADDED_MOST,
                                           .step = step,
                                           .finish = finish};
    struct etrace_ingress_stage *s = assay_step_open(sizeof *s, &setup);
    if (s == NULL) {
        assay_execution_close(input->execution);
        *error = ASSAY_NO_MEMORY;
        return NULL;
    }
    s->execution = input->execution;
    s->uncompared = input->uncompared;
    *error = start(s, input, diag);
    if (*error != ASSAY_OK) {
        close_recorded(&s->base.base);
        return NULL;
    }
    return &s->base.base;
}
