#include "etrace/path/loops.h"

/* --- paths that never end --- */

static uint64_t call_at(const struct etrace_calls *calls, uint32_t n)
{
    return calls->ring[(calls->top - 1 - n) & (calls->most - 1)];
}

static bool is_marked(const struct etrace_loop *loop, uint64_t pc, const struct etrace_calls *calls)
{
    bool same = loop->pc == pc && loop->depth == calls->depth;
    for (uint32_t n = 0; same && n < calls->depth; n++) {
        same = loop->ring[n] == call_at(calls, n);
    }
    return same;
}

bool etrace_loop_closes(struct etrace_loop *loop, const struct etrace_calls *calls, uint64_t pc)
{
    if (is_marked(loop, pc, calls)) {
        return true;
    }
    if (++loop->steps == loop->mark_at) {
        loop->mark_at *= 2;
        loop->pc = pc;
        loop->depth = calls->depth;
        for (uint32_t n = 0; n < loop->depth; n++) {
            loop->ring[n] = call_at(calls, n);
        }
    }
    return false;
}

/* --- repetitions that are counted --- */

/* Outcomes that stay, so that runs say that 63 or more are pending, and the report is come to run
 * by run; the fewest runs that are left out; and limits of a program, in instructions. */
enum { OUTCOMES_KEPT = 64, RUNS_LEFT_OUT = 64, PROGRAM_PACKET = 1 << 16, PROGRAM_MOST = 1 << 20 };
enum { BYTES_LEAST = 2 };

void etrace_repeats_open(struct etrace_repeats *repeats, const struct assay_image_set *images,
                         bool counts)
{
    uint64_t program = 0;
    for (size_t i = 0; images != NULL && i < assay_image_count(images); i++) {
        const uint64_t most = (uint64_t)PROGRAM_MOST * BYTES_LEAST;
        const uint64_t bytes = assay_image_info(images, i)->bytes;
        program += (bytes < most ? bytes : most) / BYTES_LEAST;
    }
    program = program < PROGRAM_MOST ? program : PROGRAM_MOST;
    const uint64_t of_packet = program < PROGRAM_PACKET ? program : PROGRAM_PACKET;
    *repeats =
        (struct etrace_repeats){.loop = repeats->loop,
                                .left = ETRACE_EACH_RUN_FIRST,
                                .most = ETRACE_EACH_RUN_AT_ONCE,
                                .of_packet = ETRACE_EACH_RUN_A_PACKET,
                                .outcomes_most = ETRACE_EACH_RUN_AT_ONCE / ETRACE_RUNS_AN_OUTCOME,
                                .counts = counts};
    if (counts) {
        repeats->most = ETRACE_RUNS_AT_ONCE + ETRACE_RUNS_AT_ONCE_PROGRAM * (uint32_t)program;
        repeats->left = repeats->most;
        repeats->of_packet = ETRACE_RUNS_A_PACKET + (uint32_t)of_packet;
        repeats->outcomes_most = ETRACE_RUNS_AN_OUTCOME * (uint32_t)of_packet;
    }
}

/* What is added for a packet. */
static uint32_t runs_of_packet(const struct etrace_path *p)
{
    const uint64_t outcomes = etrace_branches_count(&p->branches);
    const uint64_t most = p->repeats.outcomes_most;
    return p->repeats.of_packet +
           ETRACE_RUNS_AN_OUTCOME * (uint32_t)(outcomes < most ? outcomes : most);
}

void etrace_repeats_begin(struct etrace_path *p)
{
    struct etrace_repeats *r = &p->repeats;
    const uint32_t added = runs_of_packet(p);
    r->left = added < r->most - r->left ? r->left + added : r->most;
    r->searches = r->counts && p->branches.predicted > OUTCOMES_KEPT;
    etrace_loop_begin(&p->loop);
    etrace_loop_begin(&r->loop);
}

/* Says that the runs since the mark are repeated. */
static void say_repeated(struct etrace_path *p, const struct assay_event *packet,
                         const uint64_t *run, uint64_t times)
{
    const uint64_t context = run[ETRACE_RUN_CONTEXT];
    const uint64_t address = run[ETRACE_RUN_LAST_ADDRESS];
    uint64_t *cells =
        assay_step_add_cells(&p->base, ETRACE_repeated, packet, ETRACE_INSTRUCTION_CELLS);
    cells[ETRACE_CELL_repeated_times] = times;
    cells[ETRACE_CELL_repeated_runs] = p->repeats.runs;
    cells[ETRACE_CELL_repeated_address] = address;
    cells[ETRACE_CELL_repeated_instructions] = p->repeats.instructions;
    cells[ETRACE_CELL_repeated_bytes] = p->repeats.bytes;
    cells[ETRACE_CELL_repeated_context] = context;
}

/* The path goes on from here as it did from the mark. */
static void count(struct etrace_path *p, const struct assay_event *packet, const uint64_t *run)
{
    struct etrace_repeats *r = &p->repeats;
    const uint64_t left = p->branches.predicted;
    const uint64_t outcomes = r->predicted - left;
    const uint64_t times =
        outcomes > 0 && left > OUTCOMES_KEPT ? (left - OUTCOMES_KEPT) / outcomes : 0;
    r->searches = outcomes == 0;
    if (times > RUNS_LEFT_OUT / r->runs) {
        say_repeated(p, packet, run, times);
        p->branches.predicted -= times * outcomes;
    }
}

void etrace_repeats_find(struct etrace_path *p, const struct assay_event *packet,
                         const uint64_t *run)
{
    struct etrace_repeats *r = &p->repeats;
    const uint64_t mark_at = r->loop.mark_at;
    if (p->branches.in_map > 0 || p->inferred) {
        etrace_loop_begin(&r->loop);
        return;
    }
    r->runs++;
    r->instructions += (uint32_t)run[ETRACE_RUN_COUNT];
    r->bytes += run[ETRACE_RUN_END] - run[ETRACE_RUN_ADDRESS];
    if (etrace_loop_closes(&r->loop, &p->calls, run[ETRACE_RUN_LAST_ADDRESS])) {
        count(p, packet, run);
    } else if (r->loop.mark_at != mark_at) {
        r->predicted = p->branches.predicted;
        r->runs = 0;
        r->instructions = 0;
        r->bytes = 0;
    }
}
