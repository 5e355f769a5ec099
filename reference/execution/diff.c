#include "execution/diff.h"

struct sequences {
    const struct assay_step *trace, *executed;
    int traced, count;
    bool addresses, whole;
    struct assay_diff *out;
};

/* A position that no path reaches. */
enum { UNREACHED = -1 };

/* The furthest position in the trace that is reached with `differences` on a diagonal, on which the
 * executed instruction at p is compared with that of the trace at p - diagonal. */
static int16_t *furthest(const struct sequences *r, int differences, int diagonal)
{
    return &r->out->furthest[differences * differences + differences + diagonal];
}

static int reached(const struct sequences *r, int differences, int diagonal)
{
    return diagonal < -differences || diagonal > differences ? UNREACHED
                                                             : *furthest(r, differences, diagonal);
}

/* The positions reached by each kind of one more difference. */
struct ways {
    int excess, left_out, replaced;
};

static struct ways ways_to(const struct sequences *r, int differences, int diagonal)
{
    const int above = reached(r, differences - 1, diagonal + 1);
    const int below = reached(r, differences - 1, diagonal - 1);
    const int same = reached(r, differences - 1, diagonal);
    return (struct ways){
        .excess = above != UNREACHED && above < r->traced ? above + 1 : UNREACHED,
        .left_out = below != UNREACHED && below + diagonal <= r->count ? below : UNREACHED,
        .replaced = same != UNREACHED && same < r->traced && same + diagonal < r->count
                        ? same + 1
                        : UNREACHED};
}

static int best_of(const struct ways *ways)
{
    const int a = ways->excess > ways->left_out ? ways->excess : ways->left_out;
    return a > ways->replaced ? a : ways->replaced;
}

static bool equal(const struct sequences *r, int at, int diagonal)
{
    const struct assay_step *a = &r->trace[at];
    const struct assay_step *b = &r->executed[at + diagonal];
    return assay_step_same(a, b) && (!r->addresses || assay_step_agrees(a, b));
}

/* Advances over equal instructions. */
static int slide(const struct sequences *r, int at, int diagonal)
{
    while (at < r->traced && at + diagonal < r->count && equal(r, at, diagonal)) {
        at++;
    }
    return at;
}

/* Extends all diagonals by one difference, the middle ones first. Returns the diagonal that reaches
 * the end of the trace, or one beyond all of them. */
static int advance(const struct sequences *r, int differences)
{
    int found = ASSAY_DIFF_MAX + 1;
    r->out->work += 2 * (uint64_t)differences + 1;
    for (int n = 0; n <= 2 * differences; n++) {
        const int diagonal = (n & 1) != 0 ? (n + 1) / 2 : -(n / 2);
        int at = 0;
        if (differences > 0) {
            const struct ways ways = ways_to(r, differences, diagonal);
            at = best_of(&ways);
        }
        at = at == UNREACHED ? UNREACHED : slide(r, at, diagonal);
        *furthest(r, differences, diagonal) = (int16_t)at;
        if (at == r->traced && (!r->whole || at + diagonal == r->count) && found > ASSAY_DIFF_MAX) {
            found = diagonal;
        }
    }
    return found;
}

/* Recovers the differences. Of equally good ones, those that change the diagonal are preferred: two
 * instructions that are swapped are one that moved, rather than two that were replaced. */
static void trace_back(const struct sequences *r, int differences, int diagonal)
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
            r->out->executed[--at] = ASSAY_DIFF_NONE;
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

bool assay_diff(struct assay_diff *out, const struct assay_step *trace, unsigned traced,
                const struct assay_step *executed, unsigned count, unsigned most,
                enum assay_diff_end end, bool addresses)
{
    const struct sequences sequences = {.trace = trace,
                                        .executed = executed,
                                        .traced = (int)traced,
                                        .count = (int)count,
                                        .addresses = addresses,
                                        .whole = end == ASSAY_DIFF_WHOLE,
                                        .out = out};
    for (int d = 0; d <= (int)most; d++) {
        const int diagonal = advance(&sequences, d);
        if (diagonal <= ASSAY_DIFF_MAX) {
            out->differences = (unsigned)d;
            trace_back(&sequences, d, diagonal);
            return true;
        }
    }
    return false;
}
