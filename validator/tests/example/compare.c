/* What of the instructions is compared with a recorded execution: their addresses and words. */
#include "example/example.h"

static uint32_t run_of(const struct assay_event *event)
{
    return (uint32_t)event->cells[EXAMPLE_CELL_run_count];
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    const uint64_t pc = event->cells[EXAMPLE_CELL_run_address] + run->place[0];
    uint32_t word = 0;
    (void)example_read_again(context, event, pc, &word);
    *step = (struct assay_compare_step){.step = {.pc = pc, .word = word}};
    run->place[0] += sizeof word; /* of any instruction: they all have 4 bytes */
}

static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    (void)context; /* nothing more is compared */
    (void)event;
    (void)at;
    (void)match;
    (void)cells;
}

enum assay_error example_compare_add(struct assay_chain *chain,
                                     const struct assay_decode_input *input,
                                     struct assay_diag *diag)
{
    static const uint8_t roles[EXAMPLE_KIND_COUNT] = {
        [EXAMPLE_run] = ASSAY_COMPARE_INSTRUCTION, [EXAMPLE_trace_end] = ASSAY_COMPARE_END};
    static const struct assay_compare_format format = {.format = &assay_format_example,
                                                       .isas = UINT8_MAX,
                                                       .roles = roles,
                                                       .first = EXAMPLE_COMPARE,
                                                       .end_cells = 0,
                                                       .run = run_of,
                                                       .step = step_of,
                                                       .compare = compare};
    return assay_compare_add(chain, &format, chain->stages[EXAMPLE_INSTRUCTION], input,
                             assay_step_history(chain->stages[EXAMPLE_RESOLVED]), diag);
}
