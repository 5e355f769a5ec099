#include "execution/parts.h"

#include "execution/plan.h"

/* --- the recording, read again --- */

static void *open_again(void *context)
{
    const struct assay_window *window = context;
    struct assay_execution *execution = NULL;
    (void)assay_execution_again(window->execution, &execution, NULL);
    return execution;
}

/* The next instruction of the thread. */
static bool next_again(void *context, void *reader, struct assay_placement_item *out)
{
    const struct assay_window *window = context;
    struct assay_executed item;
    do {
        if (assay_execution_next(reader, &item) != ASSAY_OK || item.kind == ASSAY_EXECUTED_END) {
            return false;
        }
        if (item.kind == ASSAY_EXECUTED_DIVERTED && item.thread == window->thread &&
            !out->diverted) {
            out->diverted = true;
            out->unknown = !item.aborted;
            out->pc = item.address;
        }
    } while (!assay_window_takes(window, &item));
    out->key = out->key_alone = assay_instruction_key(item.address, item.word);
    out->pc = out->diverted ? out->pc : item.address;
    return true;
}

static void close_again(void *reader)
{
    assay_execution_close(reader);
}

void assay_parts_open(struct assay_alignment *a)
{
    a->executed_again = (struct assay_placement_source){
        .open = open_again, .next = next_again, .close = close_again, .context = &a->window};
    a->placement.source = &a->executed_again;
}

/* --- searches --- */

/* Addresses of accesses tell iterations apart without this, and were compared already; records
 * without an address of their own cannot be searched. */
static bool is_searchable(const struct assay_alignment *a, const struct assay_placement_part *part)
{
    unsigned at = 0;
    while (at < part->count && !a->trace_steps[at].has_address && !a->trace_steps[at].any_pc) {
        at++;
    }
    return at == part->count && (part->count > 0 || part->lead != NULL);
}

/* The first place of a part after `first`, or at it with nothing matched; *moved is by how many
 * instructions it is further on. False, with *moved as it was: there is none, or no search is made.
 */
static bool find(struct assay_alignment *a, struct assay_placement_part *part, uint64_t *moved)
{
    struct assay_place place = {.first = part->first};
    if (a->unplaced == ASSAY_PARTS_UNPLACED || !is_searchable(a, part)) {
        return false;
    }
    for (unsigned n = 0; n < part->count; n++) {
        a->ahead_keys[n] = assay_instruction_key(a->trace_steps[n].pc, a->trace_steps[n].word);
    }
    part->ahead = a->ahead_keys;
    part->from = part->first;
    part->moves = part->end > part->first;
    if (assay_placement_find(&a->placement, part, &place) != ASSAY_PLACEMENT_FOUND) {
        a->unplaced++;
        assay_placement_close(&a->placement);
        return false;
    }
    *moved = place.first - part->first;
    return true;
}

/* Moves the window to a later instruction. */
static void skip_to(struct assay_alignment *a, uint64_t number)
{
    struct assay_window *w = &a->window;
    while (assay_window_passed(w) < number && assay_window_fill(w, 1) > 0) {
        const uint64_t left = number - assay_window_passed(w);
        assay_window_drop(w, left < w->count ? (unsigned)left : w->count);
    }
}

/* Finds the next place of a part of the trace up to the expected instruction, and moves there. */
static bool move_part(struct assay_alignment *a, struct assay_placement_part *part, uint64_t *moved)
{
    part->end = assay_window_passed(&a->window);
    if (!find(a, part, moved)) {
        return false;
    }
    skip_to(a, part->end + *moved);
    return true;
}

/* The same of the records since `first`, and those ahead, with so many others between them: moves
 * to those between. */
static bool find_place(struct assay_alignment *a, uint64_t first, uint64_t between, uint64_t *moved)
{
    struct assay_placement_part part = {.first = first, .between = between, .count = a->ahead};
    return move_part(a, &part, moved);
}

/* --- parts --- */

void assay_part_begin(struct assay_alignment *a)
{
    a->is_placed = true;
    a->placed_at = assay_window_passed(&a->window);
}

void assay_part_resume(struct assay_alignment *a)
{
    uint64_t moved = 0;
    a->left_out += a->left_out_before_part;
    a->left_out_before_part = 0;
    a->is_placed = assay_plan_resume(a);
    if (!a->is_placed) {
        a->is_placed = find_place(a, assay_window_passed(&a->window), 0, &moved);
        a->left_out += moved;
    }
    if (a->is_placed) {
        assay_part_begin(a);
    }
}

/* Whether a record can be of the instruction after `skip` others: it is, or the recording was
 * stopped before, or the window has no room for them. */
static bool can_skip(struct assay_alignment *a, const struct assay_step *step, uint64_t skip)
{
    struct assay_window *w = &a->window;
    const unsigned have = assay_window_fill(
        w, skip < ASSAY_WINDOW_MAX ? (unsigned)skip + 1 : (unsigned)ASSAY_WINDOW_MAX);
    return have > skip ? assay_window_is(w, assay_window_at(w, (unsigned)skip), step) : !w->whole;
}

bool assay_part_skip_counted(struct assay_alignment *a, const struct assay_step *step)
{
    const uint64_t skip = step->counted > a->left_out ? step->counted - a->left_out : 0;
    uint64_t moved = 0;
    if (skip == 0) {
        return false;
    }
    if (!can_skip(a, step, skip)) {
        const bool can_move = a->is_placed && a->placed_at < assay_window_passed(&a->window);
        if (!a->has_ahead || !can_move || !find_place(a, a->placed_at, skip, &moved)) {
            return false;
        }
        a->left_out_before_part += moved;
    }
    const uint64_t from = assay_window_passed(&a->window);
    skip_to(a, from + skip);
    assay_part_begin(a);
    a->left_out += a->placed_at - from;
    return true;
}

bool assay_part_place_again(struct assay_alignment *a)
{
    uint64_t moved = 0;
    a->is_placed = a->is_placed && find_place(a, a->placed_at, 0, &moved);
    a->placed_at += moved;
    a->left_out_before_part += moved;
    return a->is_placed;
}

bool assay_part_lead_to(struct assay_alignment *a, const struct assay_placement_lead *lead)
{
    uint64_t moved = 0;
    struct assay_placement_part part = {.first = a->placed_at, .lead = lead};
    a->is_placed = move_part(a, &part, &moved);
    a->placed_at += moved;
    a->left_out_before_part += moved;
    return a->is_placed || a->placement.unreadable;
}

bool assay_part_is_elsewhere(struct assay_alignment *a, const struct assay_part *part,
                             const struct assay_placement_lead *lead)
{
    struct assay_placement_part searched = {
        .first = part->first, .end = part->first + part->matched, .lead = lead};
    uint64_t moved = 0;
    if (part->matched == 0 || a->found_elsewhere == ASSAY_PARTS_UNPLACED) {
        return true;
    }
    const bool found = find(a, &searched, &moved);
    a->found_elsewhere += found;
    return found || a->placement.unreadable;
}
