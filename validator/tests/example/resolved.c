/* The third stage: elements to those of them that were committed. An element is open until a commit
 * or a cancel reaches it, which may be many blocks later; what it said is kept in a queue. A commit
 * of any number of elements is done one by one, a step each, and so are the elements that are still
 * open at the end. */
#include "example/example.h"

struct open_element {
    uint64_t element;  /* its index */
    uint64_t value[2]; /* of its fields: an address and a context, or whether a branch was taken */
    uint64_t offset;
    enum example_kind kind; /* that it gets when it is committed */
};

_Static_assert(EXAMPLE_CELL_committed_begin_address == 0 &&
                   (int)EXAMPLE_CELL_committed_begin_context == 1 &&
                   (int)EXAMPLE_CELL_committed_atom_taken == 0 &&
                   (int)EXAMPLE_CELL_committed_target_address == 0 &&
                   (int)EXAMPLE_CELL_unresolved_value == 0,
               "the values of an open element are their cells");

struct resolved {
    struct assay_step_stage base;
    struct open_element queue[EXAMPLE_OPEN_MOST]; /* a ring */
    uint64_t first;                               /* number of the oldest open element */
    uint64_t next;                                /* one past the newest */
    uint64_t depth;                               /* speculation_depth */
    uint64_t left;                                /* to commit of the current element */
    bool committing;
    bool unresolved; /* elements were open at the end */
};

/* The oldest open element becomes an event. The element itself may be overwritten by now; what it
 * said is not. */
static uint64_t *add_oldest(struct resolved *r, enum example_kind kind)
{
    const struct open_element *o = &r->queue[r->first++ % EXAMPLE_OPEN_MOST];
    struct assay_event *event =
        assay_step_add(&r->base, kind, assay_history_find(r->base.setup.below, o->element));
    uint64_t *cells = assay_step_cells(&r->base, event);
    event->offset = o->offset;
    cells[0] = o->value[0];
    return cells;
}

static void commit_oldest(struct resolved *r)
{
    const struct open_element *o = &r->queue[r->first % EXAMPLE_OPEN_MOST];
    add_oldest(r, o->kind)[1] = o->value[1];
}

/* True when the element is in the queue; false when one had to be committed first. */
static bool push(struct resolved *r, const struct assay_event *element, enum example_kind kind,
                 uint64_t value, uint64_t second)
{
    if (r->next - r->first == r->depth) {
        commit_oldest(r);
        return false;
    }
    r->queue[r->next++ % EXAMPLE_OPEN_MOST] = (struct open_element){.element = element->index,
                                                                    .value = {value, second},
                                                                    .offset = element->offset,
                                                                    .kind = kind};
    return true;
}

static bool resolve(struct resolved *r, const struct assay_event *element)
{
    const uint64_t open = r->next - r->first;
    const uint64_t stated = element->cells[EXAMPLE_CELL_resolve_count];
    const uint64_t count = stated < open ? stated : open;
    if (element->cells[EXAMPLE_CELL_resolve_cancels] != 0) {
        r->next -= count;
        return true;
    }
    r->left = r->committing ? r->left : count;
    if (r->left > 0) {
        commit_oldest(r);
        r->left--;
    }
    r->committing = r->left > 0;
    return !r->committing;
}

static bool step(struct assay_step_stage *stage, const struct assay_event *element)
{
    struct resolved *r = (struct resolved *)stage;
    switch (element->kind) {
    case EXAMPLE_begin:
        return push(r, element, EXAMPLE_committed_begin, element->cells[EXAMPLE_CELL_begin_address],
                    element->cells[EXAMPLE_CELL_begin_context]);
    case EXAMPLE_atom:
        return push(r, element, EXAMPLE_committed_atom, element->cells[EXAMPLE_CELL_atom_taken], 0);
    case EXAMPLE_target:
        return push(r, element, EXAMPLE_committed_target,
                    element->cells[EXAMPLE_CELL_target_address], 0);
    case EXAMPLE_resolve:
        return resolve(r, element);
    case EXAMPLE_lost:
        assay_step_cells(
            stage, assay_step_add(stage, EXAMPLE_restart, element))[EXAMPLE_CELL_restart_dropped] =
            r->next - r->first;
        r->first = r->next;
        return true;
    default:
        return true;
    }
}

/* Whether the program executed what is still open nobody knows. */
static bool finish(struct assay_step_stage *stage)
{
    struct resolved *r = (struct resolved *)stage;
    if (r->next != r->first) {
        (void)add_oldest(r, EXAMPLE_unresolved);
        r->unresolved = true;
    }
    return r->next == r->first;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct resolved *r = (const struct resolved *)stage;
    *why = r->unresolved ? "the stream ends before all elements are committed or cancelled" : NULL;
    return *why == NULL;
}

struct assay_stage *example_resolved_open(const struct assay_decode_input *input,
                                          struct assay_history *elements)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = EXAMPLE_RESOLVED,
                                           .below = elements,
                                           .slots = EXAMPLE_SLOTS,
                                           .cells = EXAMPLE_CELLS,
                                           .most = 1,
                                           .step = step,
                                           .finish = finish};
    struct resolved *r = assay_step_open(sizeof *r, &setup);
    if (r == NULL) {
        return NULL;
    }
    uint64_t parameters[EXAMPLE_LAYOUT_COUNT];
    example_parameters(input->parameters, parameters);
    r->depth = parameters[EXAMPLE_SPECULATION_DEPTH];
    return &r->base.base;
}
