/* The third stage: elements to those of them that were committed. An element is open until a commit
 * or a cancel reaches it, which may be many blocks later; what it said is kept in a queue. */
#include <stdlib.h>

#include "example/example.h"

struct open_element {
    uint64_t element; /* its index */
    uint64_t packet;  /* index of the packet that it came from */
    uint64_t address;
    uint64_t offset;
    enum example_kind kind; /* that it gets when it is committed */
    bool taken;
};

struct resolved {
    struct example_stage base;
    const struct assay_history *packets;
    const struct assay_history *elements;
    struct open_element queue[EXAMPLE_OPEN_MOST]; /* a ring */
    uint64_t first;                               /* number of the oldest open element */
    uint64_t next;                                /* one behind the latest */
    uint64_t depth;                               /* speculation_depth */
    uint64_t left;                                /* to commit of the current element */
    bool committing;
};

/* The element, if the histories still have all that it refers to. */
static const struct assay_event *element_of(const struct resolved *r, const struct open_element *o)
{
    return assay_history_get(r->packets, o->packet) != NULL
               ? assay_history_get(r->elements, o->element)
               : NULL;
}

static void commit_oldest(struct resolved *r)
{
    const struct open_element *o = &r->queue[r->first++ % EXAMPLE_OPEN_MOST];
    uint64_t *words = example_stage_add(&r->base, o->kind, element_of(r, o));
    words[0] = o->address;
    words[1] = o->taken;
    /* Also where the element is gone. */
    r->base.history.events[(r->base.history.next - 1) & (r->base.history.slots - 1)].offset =
        o->offset;
}

/* True when the element is in the queue; false when one had to be committed first. */
static bool push(struct resolved *r, const struct assay_event *element, enum example_kind kind)
{
    if (r->next - r->first == r->depth) {
        commit_oldest(r);
        return false;
    }
    r->queue[r->next++ % EXAMPLE_OPEN_MOST] =
        (struct open_element){.element = element->index,
                              .packet = element->from->index,
                              .address = element->words[0],
                              .offset = element->offset,
                              .kind = kind,
                              .taken = (element->words[1] & 1) != 0};
    return true;
}

static bool resolve(struct resolved *r, const struct assay_event *element)
{
    const uint64_t open = r->next - r->first;
    const uint64_t count = element->words[1] < open ? element->words[1] : open;
    if (element->words[0] != 0) { /* cancel */
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

static bool step(struct example_stage *stage, const struct assay_event *element)
{
    struct resolved *r = (struct resolved *)stage;
    switch (element->kind) {
    case EXAMPLE_begin:
        return push(r, element, EXAMPLE_committed_begin);
    case EXAMPLE_atom:
        return push(r, element, EXAMPLE_committed_atom);
    case EXAMPLE_target:
        return push(r, element, EXAMPLE_committed_target);
    case EXAMPLE_resolve:
        return resolve(r, element);
    case EXAMPLE_lost:
        example_stage_add(stage, EXAMPLE_restart, element)[0] = r->next - r->first;
        r->first = r->next;
        return true;
    default:
        return true;
    }
}

/* Elements that are still open are no part of the program's course. */
static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct resolved *r = (const struct resolved *)stage;
    *why = r->next != r->first ? "the stream ends before all elements are committed or cancelled"
                               : NULL;
    return *why == NULL;
}

struct assay_stage *example_resolved_open(const struct assay_decode_input *input,
                                          const struct assay_history *packets,
                                          const struct assay_stage *elements)
{
    static const struct assay_stage_ops ops = {.take = example_stage_take,
                                               .next = example_stage_next,
                                               .complete = complete,
                                               .close = example_stage_close};
    struct resolved *r = calloc(1, sizeof *r);
    if (r != NULL && example_stage_open(&r->base, &ops, EXAMPLE_RESOLVED, step) != ASSAY_OK) {
        example_stage_close(&r->base.base);
        return NULL;
    }
    if (r != NULL) {
        uint64_t parameters[EXAMPLE_PARAMETER_COUNT];
        example_parameters(input->parameters, parameters);
        r->depth = parameters[EXAMPLE_SPECULATION_DEPTH];
        r->packets = packets;
        r->elements = &((const struct example_stage *)elements)->history;
    }
    return r != NULL ? &r->base.base : NULL;
}
