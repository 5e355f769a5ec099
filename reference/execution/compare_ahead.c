/* The instructions of the trace from a mismatch on, of the thread in question, as the alignment
 * needs them to explain it. */
#include "execution/compare_fast_path.h"
#include "execution/compare_private.h"

static void collect_run(struct assay_compare *c, const struct assay_event *event,
                        struct assay_compare_ahead *ahead)
{
    const uint32_t count = assay_compare_run_length(c, event);
    for (; ahead->run.at < count && ahead->count < ASSAY_DIFF_TRACE; ahead->run.at++) {
        struct assay_compare_step step;
        c->format->step(c->context, event, &ahead->run, &step);
        ahead->whole = step.step.resumes && ahead->count > 0;
        if (ahead->whole) {
            return;
        }
        assay_compare_displace(&step, &ahead->displaced);
        ahead->alignment->trace_steps[ahead->count] = step.step;
        ahead->count += !assay_compare_skips(c, &step);
    }
    ahead->run = (struct assay_compare_run){0};
}

static void collect(struct assay_compare *c, const struct assay_event *events, size_t count,
                    struct assay_compare_ahead *ahead)
{
    for (size_t i = 0; i < count && ahead->count < ASSAY_DIFF_TRACE && !ahead->whole; i++) {
        const unsigned role = c->format->roles[events[i].kind];
        if (role == ASSAY_COMPARE_THREAD) {
            ahead->thread = assay_compare_thread_after(c, &events[i], ahead->thread);
        } else if (role == ASSAY_COMPARE_INSTRUCTION && ahead->thread == c->current) {
            collect_run(c, &events[i], ahead);
        }
    }
}

void assay_compare_begin_ahead(struct assay_compare *c)
{
    c->ahead = (struct assay_compare_ahead){.needed = true,
                                            .alignment = assay_compare_alignment(c),
                                            .thread = c->current,
                                            .displaced = c->displaced[c->current],
                                            .run = c->run};
}

/* Moves events of the block to the buffer. False: not all of them fit. */
static bool fill_buffer(struct assay_compare *c)
{
    const size_t n = assay_buffer_put(c->buffer, c->block.events, c->block.count);
    c->block.events += n;
    c->block.count -= n;
    return c->block.count == 0;
}

bool assay_compare_look_ahead(struct assay_compare *c)
{
    struct assay_compare_ahead *ahead = &c->ahead;
    bool full = false;
    while (ahead->count < ASSAY_DIFF_TRACE && !ahead->whole) {
        size_t count;
        const struct assay_event *events = assay_buffer_piece(c->buffer, ahead->piece, &count);
        if (ahead->seen < count) {
            collect(c, events + ahead->seen, count - ahead->seen, ahead);
            ahead->seen = count;
        } else if (events != NULL &&
                   assay_buffer_piece(c->buffer, ahead->piece + 1, &count) != NULL) {
            ahead->piece++;
            ahead->seen = 0;
        } else if (full || (c->ended && c->block.count == 0)) {
            break;
        } else if (c->block.count == 0) {
            return false;
        } else {
            full = !fill_buffer(c);
        }
    }
    assay_alignment_show(ahead->alignment, ahead->count,
                         ahead->whole || (c->ended && c->block.count == 0));
    ahead->needed = false;
    return true;
}
