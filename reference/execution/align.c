#include "execution/align.h"

struct rows {
    const struct assay_step *trace, *executed;
    int traced, count;
    bool addresses, to_the_end;
    struct assay_alignment *out;
};

/* Places before the beginning: no way leads there. */
enum { NOWHERE = -1 };

/* How far in the trace `differences` lead on a diagonal: the executed instruction at place p is
 * beside the one of the trace at p - diagonal. */
static int16_t *furthest(const struct rows *r, int differences, int diagonal)
{
    return &r->out->furthest[differences * differences + differences + diagonal];
}

static int reached(const struct rows *r, int differences, int diagonal)
{
    return diagonal < -differences || diagonal > differences ? NOWHERE
                                                             : *furthest(r, differences, diagonal);
}

/* The three ways of one more difference. */
struct ways {
    int excess, left_out, replaced;
};

static struct ways ways_to(const struct rows *r, int differences, int diagonal)
{
    const int above = reached(r, differences - 1, diagonal + 1);
    const int below = reached(r, differences - 1, diagonal - 1);
    const int same = reached(r, differences - 1, diagonal);
    return (struct ways){
        .excess = above != NOWHERE && above < r->traced ? above + 1 : NOWHERE,
        .left_out = below != NOWHERE && below + diagonal <= r->count ? below : NOWHERE,
        .replaced =
            same != NOWHERE && same < r->traced && same + diagonal < r->count ? same + 1 : NOWHERE};
}

static int best_of(const struct ways *ways)
{
    const int a = ways->excess > ways->left_out ? ways->excess : ways->left_out;
    return a > ways->replaced ? a : ways->replaced;
}

static bool equal(const struct rows *r, int at, int diagonal)
{
    const struct assay_step *a = &r->trace[at];
    const struct assay_step *b = &r->executed[at + diagonal];
    return assay_step_same(a, b) && (!r->addresses || assay_step_agrees(a, b));
}

/* Goes on while both rows are the same. */
static int slide(const struct rows *r, int at, int diagonal)
{
    while (at < r->traced && at + diagonal < r->count && equal(r, at, diagonal)) {
        at++;
    }
    return at;
}

/* One more difference on all diagonals, the middle ones first; the diagonal that comes to the end
 * of the trace, or one beyond all of them. */
static int advance(const struct rows *r, int differences)
{
    int found = ASSAY_ALIGN_MOST + 1;
    r->out->work += 2 * (uint64_t)differences + 1;
    for (int n = 0; n <= 2 * differences; n++) {
        const int diagonal = (n & 1) != 0 ? (n + 1) / 2 : -(n / 2);
        int at = 0;
        if (differences > 0) {
            const struct ways ways = ways_to(r, differences, diagonal);
            at = best_of(&ways);
        }
        at = at == NOWHERE ? NOWHERE : slide(r, at, diagonal);
        *furthest(r, differences, diagonal) = (int16_t)at;
        if (at == r->traced && (!r->to_the_end || at + diagonal == r->count) &&
            found > ASSAY_ALIGN_MOST) {
            found = diagonal;
        }
    }
    return found;
}

/* The way back. Where two are as good, what moves to another diagonal comes first: two
 * instructions that are swapped are one that moved, rather than two that were replaced. */
static void trace_back(const struct rows *r, int differences, int diagonal)
{
    int at = r->traced;
    while (differences > 0) {
        const struct ways ways = ways_to(r, differences, diagonal);
        const int from = best_of(&ways);
        while (at > from) {
            at--;
            r->out->executed[at] = (uint16_t)(at + diagonal);
        }
        differences--;
        if (ways.excess == from) {
            r->out->executed[--at] = ASSAY_ALIGN_NONE;
            diagonal++;
        } else if (ways.left_out == from) {
            diagonal--;
        } else {
            at--;
            r->out->executed[at] = (uint16_t)(at + diagonal);
        }
    }
    while (at > 0) {
        at--;
        r->out->executed[at] = (uint16_t)at;
    }
}

bool assay_align(struct assay_alignment *out, const struct assay_step *trace, unsigned traced,
                 const struct assay_step *executed, unsigned count, unsigned most,
                 enum assay_align_end end, bool addresses)
{
    const struct rows rows = {.trace = trace,
                              .executed = executed,
                              .traced = (int)traced,
                              .count = (int)count,
                              .addresses = addresses,
                              .to_the_end = end == ASSAY_ALIGN_TO_THE_END,
                              .out = out};
    for (int d = 0; d <= (int)most; d++) {
        const int diagonal = advance(&rows, d);
        if (diagonal <= ASSAY_ALIGN_MOST) {
            out->differences = (unsigned)d;
            trace_back(&rows, d, diagonal);
            return true;
        }
    }
    return false;
}
