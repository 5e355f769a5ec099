/* Where in the record the path is, if that is not sure, and where else it can be: both are searches
 * of a part of the path in the record (execution/placement.h).
 *
 * A part of the path at no sure place is what was traced after a gap whose length nothing says. In
 * a loop its beginning is also where it was not executed, which shows only where it goes on. So it
 * is compared with the first place that it can begin at; where it differs there, it is at the next
 * place that has all of it so far.
 *
 * An alternative alignment is another place than a sure one. Tracing can begin with a later
 * iteration of a loop that the record begins with, and returns that are inferred can lead to a
 * reported address once more before its packet is sent. Then the path differs, and is at a later
 * place, if the record has one: the path is what the record had up to there. */
#include "etrace/ingress/ingress.h"
#include "etrace/path/path.h"

static uint64_t here(const struct etrace_ingress_stage *s)
{
    return etrace_block_place(&s->reader.block, s->position);
}

/* --- a part at no sure place --- */

void etrace_ingress_begin_part(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    struct etrace_ingress_part *p = &s->part;
    p->known = true;
    p->count = 0;
    p->entry_trap = trap != NULL && !s->infers_traps
                        ? etrace_trap_number(trap->cells[ETRACE_TRAP_CAUSE],
                                             trap->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1)
                        : 0;
    etrace_ingress_cut(s);
}

/* Whether the path can be at an instruction of the record: not if different traps led to it.
 * Tracing can begin with the handler of a trap that is not traced. */
static bool is_at(const struct etrace_ingress_stage *s, uint64_t due)
{
    const struct etrace_ingress_part *p = &s->part;
    const uint64_t entry_trap = s->position == 0 ? s->reader.entry_trap : 0;
    const uint64_t expected = p->count == 1 ? p->entry_trap : 0;
    const bool begins = p->count == 1 && p->entry_trap == 0;
    return due == s->pc && (s->placed || begins || entry_trap == expected);
}

bool etrace_ingress_follow_part(struct etrace_ingress_stage *s, uint64_t due)
{
    struct etrace_ingress_part *p = &s->part;
    p->known = p->known && p->count < ETRACE_PART_MOST;
    if (!p->known) {
        return due == s->pc;
    }
    p->place[p->count] = here(s);
    p->key[p->count++] = etrace_address_key(s->pc);
    if (is_at(s, due)) {
        return true;
    }
    p->misplaced = true;
    p->searches = false;
    p->line = s->reader.block.line;
    return false;
}

/* The search of the next place begins with the instructions that the part was compared with. */
static void begin_search(struct etrace_ingress_stage *s)
{
    struct etrace_ingress_part *p = &s->part;
    const struct assay_placement_part part = {.ahead = p->key,
                                              .count = p->count,
                                              .led = p->entry_trap,
                                              .from = p->place[0],
                                              .moves = true};
    assay_placement_begin(&p->search, &s->placement, &part);
    for (uint32_t n = 0; n + 1 < p->count; n++) {
        const struct assay_placement_item item = {
            .key = p->key[n], .key_alone = p->key[n], .number = p->place[n]};
        (void)assay_placement_step(&p->search, &item);
    }
    p->searches = true;
}

static void add_part(struct etrace_ingress_stage *s, const struct assay_event *run, bool found,
                     bool decided)
{
    const struct etrace_ingress_part *p = &s->part;
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_part, run));
    cells[ETRACE_CELL_part_line] = p->line;
    cells[ETRACE_CELL_part_address] = s->pc;
    cells[ETRACE_CELL_part_instructions] = p->count;
    cells[ETRACE_CELL_part_found] = found;
    cells[ETRACE_CELL_part_decided] = decided;
}

/* The record has no other place of the part. */
static void give_up(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    struct etrace_ingress_part *p = &s->part;
    const bool none = assay_placement_end(&p->search) == ASSAY_PLACEMENT_NONE;
    add_part(s, run, false, none && !p->broken && !s->placement.unreadable);
    p->misplaced = s->aligned = s->located = false;
    s->given_up = true;
    s->beyond = s->beyond || !none;
}

/* Whether the part ends in the block; then the position is at its last instruction. */
static bool ends_in_block(struct etrace_ingress_stage *s)
{
    struct assay_placement_item item = {0};
    uint64_t next = s->position;
    bool found = false;
    while (!found && next < s->reader.facts.bytes) {
        s->position = next;
        next = etrace_block_instruction(&s->reader, next, &item);
        found = assay_placement_step(&s->part.search, &item);
    }
    return found;
}

bool etrace_ingress_find_part(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    struct etrace_ingress_part *p = &s->part;
    if (!p->searches) {
        begin_search(s);
    }
    if (!s->reader.has_block) {
        give_up(s, run);
        return false;
    }
    if (!ends_in_block(s)) {
        etrace_ingress_pass(s, run,
                            s->differs != s->differs_due ? ETRACE_DIFFERS : ETRACE_UNTRACED);
        return false;
    }
    add_part(s, run, true, true);
    p->count--; /* the last instruction is compared once more */
    for (uint32_t n = 0; n < p->count; n++) {
        p->place[n] = assay_placement_number(&p->search, n);
    }
    p->misplaced = false;
    s->trap.waits = false;
    return true;
}

/* --- alternative alignments --- */

void etrace_ingress_cut(struct etrace_ingress_stage *s)
{
    struct etrace_revisits *a = &s->revisits;
    if (!s->placed || !a->first || !s->reader.has_block) {
        return;
    }
    if (a->cuts == ETRACE_CUTS_MOST) {
        s->placed = !etrace_ingress_elsewhere(s, NULL, false);
        a->first = false;
        return;
    }
    a->cut[a->cuts++] = (struct etrace_visit){here(s), s->part.entry_trap};
}

void etrace_ingress_report(struct etrace_ingress_stage *s, unsigned size)
{
    struct etrace_revisits *a = &s->revisits;
    a->report[a->reports++ % ETRACE_REPORTS_MOST] =
        (struct etrace_visit){etrace_block_place(&s->reader.block, s->position - size), 0};
}

/* The path from the instruction at hand on, as far as an event says. */
static void follow_event(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    struct etrace_revisits *a = &s->revisits;
    struct assay_image_cursor cursor = s->reader.cursor;
    const bool runs = event != NULL && event->kind == ETRACE_run;
    const uint32_t count = runs ? (uint32_t)event->cells[ETRACE_RUN_COUNT] - s->at : event != NULL;
    uint64_t pc = runs ? s->pc : event != NULL ? event->cells[ETRACE_RUN_ADDRESS] : 0;
    a->count = count < ETRACE_PART_MOST ? count : ETRACE_PART_MOST;
    for (uint32_t n = 0; n < a->count; n++) {
        a->key[n] = etrace_address_key(pc);
        pc += etrace_instruction_at(&cursor, pc, &s->reader.reading.program).size;
    }
}

/* Whether all parts of the path since `from`, which has the first one of them, are at later places.
 * If `silently`, what comes before the first one makes no packet due. */
static bool are_later(struct etrace_ingress_stage *s, const struct etrace_visit *from,
                      uint32_t parts, bool silently, bool has_context)
{
    const struct etrace_revisits *a = &s->revisits;
    struct assay_place place = {.last = from[0].number};
    for (uint32_t n = 0; n < parts; n++) {
        const bool last = n + 1 == parts;
        const struct assay_placement_part part = {.first = from[n].number,
                                                  .end = last ? here(s) : from[n + 1].number,
                                                  .ahead = a->key,
                                                  .count = last ? a->count : 0,
                                                  .led = from[n].trap,
                                                  .from = n == 0 ? place.last : place.last + 1,
                                                  .moves = n == 0,
                                                  .silently = n == 0 && silently,
                                                  .in_context = last && has_context,
                                                  .context = s->context};
        const enum assay_placement_result result =
            assay_placement_find(&s->placement, &part, &place);
        if (result == ASSAY_PLACEMENT_NONE || (result == ASSAY_PLACEMENT_AT_END && !last)) {
            return s->placement.unreadable;
        }
    }
    return true;
}

bool etrace_ingress_elsewhere(struct etrace_ingress_stage *s, const struct assay_event *event,
                              bool has_context)
{
    struct etrace_revisits *a = &s->revisits;
    if (a->looked == ETRACE_LOOKED_MOST) {
        return false;
    }
    a->looked++;
    follow_event(s, event);
    if (a->first && are_later(s, a->cut, a->cuts, false, has_context)) {
        return true;
    }
    const uint32_t reports =
        a->reports < ETRACE_REPORTS_MOST ? a->reports : (uint32_t)ETRACE_REPORTS_MOST;
    for (uint32_t n = 1; n <= reports; n++) {
        if (are_later(s, &a->report[(a->reports - n) % ETRACE_REPORTS_MOST], 1, true,
                      has_context)) {
            return true;
        }
    }
    return false;
}
