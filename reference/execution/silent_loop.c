#include "execution/silent_loop.h"

static bool is_same(const struct assay_retired *a, const struct assay_retired *b)
{
    return a->pc == b->pc && a->word == b->word;
}

/* The position of the end of the iteration, so far as instructions are read; 0: it has none. */
static unsigned find_end(struct assay_window *w, unsigned from, const struct assay_retired *last)
{
    struct assay_retired before = *last;
    for (unsigned n = 0; n < ASSAY_SILENT_LOOP_MOST; n++) {
        if (assay_window_fill(w, from + n + 1) <= from + n) {
            return 0;
        }
        const struct assay_retired *at = assay_window_at(w, from + n);
        if (is_same(at, last)) {
            return n + 1;
        }
        if (assay_window_fill(w, from + n + 2) <= from + n + 1) {
            return 0;
        }
        at = assay_window_at(w, from + n); /* reading can move the window */
        if (!w->infers(w->context, &before, at, at[1].pc)) {
            return 0;
        }
        before = *at;
    }
    return 0;
}

unsigned assay_silent_loop(struct assay_window *w, unsigned from, const struct assay_retired *last)
{
    const unsigned count = w->infers != NULL ? find_end(w, from, last) : 0;
    if (count == 0) {
        return 0;
    }
    /* The last instruction led to the first one already before the iteration. */
    const struct assay_retired *first = assay_window_at(w, from);
    const struct assay_retired *before = assay_window_at(w, from + (count > 1 ? count - 2 : 0));
    return w->infers(w->context, before, last, first->pc) ? count : 0;
}
