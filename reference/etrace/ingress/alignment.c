/* Where in the record the path is, if that is not sure, and where else it can be.
 *
 * A part of the path at no sure place is what was traced after a gap whose length nothing says. In
 * a loop its beginning is also where it was not executed, which shows only where it goes on. So it
 * is compared with the first place that it can begin at; where it differs there, with the next
 * place that has all of it so far, by the algorithm of Knuth, Morris and Pratt. If each part is at
 * the first place after the part before it, and there is none for one of them, then no other places
 * are possible for all of them either.
 *
 * An alternative alignment is another place than a sure one. Tracing can begin with a later
 * iteration of a loop that the record begins with, and returns that are inferred can lead to a
 * reported address once more before its packet is sent. Then the path differs, and is at a later
 * place. The record is read again to see whether it has one: the path is what the record had up to
 * there. */
#include "etrace/ingress/ingress.h"

#include <stdlib.h>
#include <string.h>

#include "etrace/path/path.h"
#include "execution/execution.h"
#include "io/source.h"

/* --- a part at no sure place --- */

static uint64_t trap_of(uint64_t cause, bool interrupt)
{
    return cause << 2 | (uint64_t)interrupt << 1 | 1;
}

uint64_t etrace_ingress_trap(const struct etrace_block *block, uint64_t led)
{
    if (etrace_block_traps(block)) {
        return block->untold
                   ? 0
                   : trap_of(block->signal[ETRACE_SIGNAL_CAUSE],
                             block->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT);
    }
    return etrace_block_retires(block) ? 0 : led;
}

void etrace_ingress_begin_part(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    struct etrace_part *p = &s->part;
    p->known = true;
    p->pattern = (struct etrace_pattern){
        .key = p->key,
        .border = p->border,
        .trap = trap != NULL && !s->untold
                    ? trap_of(trap->cells[CAUSE], trap->cells[FACTS] >> INTERRUPT_BIT & 1)
                    : 0};
    etrace_ingress_cut(s);
}

/* An instruction, with the trap that led to it; 0: none. */
static uint64_t key_of(uint64_t address, uint64_t trap)
{
    return address ^ trap * UINT64_C(0x9e3779b97f4a7c15);
}

void etrace_pattern_append(struct etrace_pattern *p, uint64_t address, uint64_t trap)
{
    const uint32_t n = p->count++;
    p->key[n] = key_of(address, n == 0 ? p->trap : trap);
    uint32_t border = n > 0 ? p->border[n - 1] : 0;
    while (border > 0 && p->key[border] != p->key[n]) {
        border = p->border[border - 1];
    }
    p->border[n] = n > 0 && p->key[border] == p->key[n] ? border + 1 : 0;
}

/* Whether an instruction of the record is number n of the part. Tracing can begin with the handler
 * of a trap that is not traced. */
static bool is_number(const struct etrace_pattern *p, uint32_t n, uint64_t address, uint64_t trap)
{
    return p->key[n] == (n == 0 && p->trap == 0 ? address : key_of(address, trap));
}

bool etrace_pattern_advance(struct etrace_pattern *p, uint64_t address, uint64_t trap)
{
    if (p->matched == p->count) {
        p->matched = p->border[p->count - 1];
    }
    while (p->matched > 0 && !is_number(p, p->matched, address, trap)) {
        p->matched = p->border[p->matched - 1];
    }
    p->matched += is_number(p, p->matched, address, trap);
    return p->matched == p->count;
}

bool etrace_ingress_follow_part(struct etrace_ingress_stage *s, uint64_t due)
{
    struct etrace_part *p = &s->part;
    p->known = p->known && p->pattern.count < ETRACE_PART_MOST;
    if (!p->known) {
        return due == s->pc;
    }
    etrace_pattern_append(&p->pattern, s->pc, 0);
    const uint64_t trap = s->position == 0 ? s->led : 0;
    if (s->placed ? due == s->pc : is_number(&p->pattern, p->pattern.count - 1, due, trap)) {
        p->pattern.matched = p->pattern.count;
        return true;
    }
    p->sought = true;
    p->line = s->block.line;
    return false;
}

static void add_part(struct etrace_ingress_stage *s, const struct assay_event *run, bool found)
{
    const struct etrace_part *p = &s->part;
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_part, run));
    cells[ETRACE_CELL_part_line] = p->line;
    cells[ETRACE_CELL_part_address] = s->pc;
    cells[ETRACE_CELL_part_instructions] = p->pattern.count;
    cells[ETRACE_CELL_part_found] = found;
    cells[ETRACE_CELL_part_decided] = found || (p->pattern.matched == 0 && !p->broken);
}

/* What of the block is left is not a place of the part. True, at the last instruction of the part:
 * it is. */
static bool find_in_block(struct etrace_ingress_stage *s)
{
    struct etrace_part *p = &s->part;
    while (s->position < s->facts.bytes) {
        const uint64_t at =
            (s->block.signal[ETRACE_SIGNAL_IADDR] + s->position) & s->reading.program.mask;
        if (etrace_pattern_advance(&p->pattern, at, s->position == 0 ? s->led : 0)) {
            return true;
        }
        const unsigned size = etrace_instruction_at(&s->cursor, at, &s->reading.program).size;
        s->position = size > 0 ? s->position + size : s->facts.bytes;
    }
    return false;
}

bool etrace_ingress_find_part(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    struct etrace_part *p = &s->part;
    if (!s->has_block) {
        add_part(s, run, false);
        p->sought = s->aligned = s->located = false;
        s->given_up = true;
        s->beyond = s->beyond || p->pattern.matched > 0;
        return false;
    }
    if (!find_in_block(s)) {
        etrace_ingress_pass(s, run,
                            s->differs != s->differs_due ? ETRACE_DIFFERS : ETRACE_UNTRACED);
        return false;
    }
    add_part(s, run, true);
    p->pattern.count--; /* it is compared once more */
    p->sought = false;
    s->trap.waits = false;
    return true;
}

/* --- alternative alignments --- */

enum { PATTERN_MOST = 1 << 20, PATTERN_FIRST = 1 << 10 };

/* The record, instruction by instruction. */
struct reading {
    struct assay_source *source;
    struct etrace_record *record;
    struct assay_image_cursor cursor;
    struct etrace_block block;
    struct etrace_block_facts facts;
    uint64_t position; /* in bytes of the block, after the instruction at hand */
    uint64_t led;      /* trap before the instruction at hand; 0: none */
    uint64_t address;  /* of it */
    uint64_t number;   /* of it in the record, from 1 */
    struct etrace_spot spot;
    uint64_t context_before;
};

/* Another place is sought. */
struct search {
    struct etrace_ingress_stage *s;
    const struct assay_event *run;
    struct reading path, place;
    struct etrace_pattern pattern;
    uint32_t room;   /* of the pattern */
    uint32_t shared; /* instructions of it that the sure place has, too */
    bool quiet;      /* the first part follows the place after blocks that make no packet due */
    uint64_t limit;  /* number of the last instruction that it can then begin with; 0: not known */
    bool has_context;
};

/* --- where parts begin --- */

static struct etrace_spot here(const struct etrace_ingress_stage *s)
{
    return (struct etrace_spot){s->block.line, s->position, s->part.pattern.trap};
}

void etrace_ingress_cut(struct etrace_ingress_stage *s)
{
    struct etrace_again *a = &s->again;
    if (!s->placed || !a->first || !s->has_block) {
        return;
    }
    if (a->cuts == ETRACE_CUTS_MOST) {
        s->placed = !etrace_ingress_elsewhere(s, NULL, false);
        a->first = false;
        return;
    }
    a->cut[a->cuts++] = here(s);
}

void etrace_ingress_report(struct etrace_ingress_stage *s, unsigned size)
{
    struct etrace_again *a = &s->again;
    struct etrace_spot *spot = &a->report[a->reports++ % ETRACE_REPORTS_MOST];
    *spot = here(s);
    spot->position -= size;
    spot->trap = 0;
}

/* --- reading --- */

static bool is_before(const struct etrace_spot *a, const struct etrace_spot *b)
{
    return a->line < b->line || (a->line == b->line && a->position < b->position);
}

static bool open_reading(const struct etrace_ingress_stage *s, struct reading *r)
{
    struct assay_diag diag;
    *r = (struct reading){.cursor = s->cursor};
    return assay_source_again(assay_execution_table(s->execution), &r->source) == ASSAY_OK &&
           etrace_record_open(r->source, &s->setup, &r->record, &diag) == ASSAY_OK;
}

static void close_reading(struct reading *r)
{
    if (r->record != NULL) {
        etrace_record_close(r->record);
    }
    if (r->source != NULL) {
        assay_source_close(r->source);
    }
}

static bool next_block(const struct etrace_ingress_stage *s, struct reading *r)
{
    const struct etrace_instruction last = r->facts.instruction;
    struct etrace_reports open = r->facts.open;
    struct assay_diag diag;
    bool more = false;
    r->led = etrace_ingress_trap(&r->block, r->led);
    r->context_before = r->block.signal[ETRACE_SIGNAL_CONTEXT];
    do {
        if (etrace_record_next(r->record, &r->block, &more, &diag) != ASSAY_OK || !more) {
            return false;
        }
        open.made = etrace_block_halts(&r->block) ? 0 : open.made;
    } while (!etrace_block_happens(&r->block));
    if ((r->block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                          .context = r->block.signal[ETRACE_SIGNAL_CONTEXT]};
        (void)assay_image_select(&r->cursor, &space);
    }
    etrace_block_facts(&r->cursor, &s->reading, &r->block, &last, &open, NULL, &r->facts);
    r->position = r->facts.repeated;
    return true;
}

/* False at the end of the record, and where it cannot be read. */
static bool next_instruction(const struct etrace_ingress_stage *s, struct reading *r)
{
    while (r->position >= r->facts.bytes) {
        if (!next_block(s, r)) {
            return false;
        }
    }
    r->led = r->position == 0 ? r->led : 0;
    r->address = (r->block.signal[ETRACE_SIGNAL_IADDR] + r->position) & s->reading.program.mask;
    r->spot = (struct etrace_spot){r->block.line, r->position, 0};
    r->number++;
    const unsigned size = etrace_instruction_at(&r->cursor, r->address, &s->reading.program).size;
    r->position = size > 0 ? r->position + size : r->facts.bytes;
    return true;
}

/* To the first instruction that is not before a spot. */
static bool go_to(const struct etrace_ingress_stage *s, struct reading *r,
                  const struct etrace_spot *spot)
{
    bool more = true;
    do {
        more = next_instruction(s, r);
    } while (more && is_before(&r->spot, spot));
    return more;
}

/* --- a part --- */

static bool append(struct search *search, uint64_t address, uint64_t trap)
{
    struct etrace_pattern *p = &search->pattern;
    if (p->count == search->room) {
        const uint32_t room = search->room > 0 ? 2 * search->room : PATTERN_FIRST;
        uint64_t *key = room <= PATTERN_MOST ? realloc(p->key, room * sizeof *key) : NULL;
        p->key = key != NULL ? key : p->key;
        uint32_t *border = key != NULL ? realloc(p->border, room * sizeof *border) : NULL;
        p->border = border != NULL ? border : p->border;
        if (border == NULL) {
            return false;
        }
        search->room = room;
    }
    etrace_pattern_append(p, address, trap);
    return true;
}

/* The path from the instruction at hand on, as far as the event says. */
static void append_run(struct search *search)
{
    const struct etrace_ingress_stage *s = search->s;
    struct assay_image_cursor cursor = s->cursor;
    const struct assay_event *run = search->run;
    const uint32_t count = run->kind == ETRACE_run ? (uint32_t)run->cells[COUNT] : s->at + 1;
    uint64_t pc = run->kind == ETRACE_run ? s->pc : run->cells[ADDRESS];
    for (uint32_t n = s->at; n < count && append(search, pc, 0); n++) {
        pc += etrace_instruction_at(&cursor, pc, &s->reading.program).size;
    }
}

/* The path from where it was last up to a spot, or, null, to the instruction at hand and what
 * follows it. Of what is too long, the beginning is sought. */
static void take_part(struct search *search, uint64_t trap, const struct etrace_spot *end)
{
    const struct etrace_spot last = here(search->s);
    struct reading *path = &search->path;
    bool more = true;
    search->pattern.count = search->pattern.matched = 0;
    search->pattern.trap = trap;
    while (more && is_before(&path->spot, end != NULL ? end : &last)) {
        (void)append(search, path->address, path->led);
        more = next_instruction(search->s, path);
    }
    search->shared = search->pattern.count;
    if (end == NULL && search->run != NULL) {
        append_run(search);
    }
}

static bool is_quiet(const struct search *search)
{
    const struct reading *r = &search->place;
    return etrace_ingress_is_quiet(search->s, &r->block, &r->facts, r->context_before);
}

/* Notes what no part can begin after. */
static void limit(struct search *search)
{
    const struct reading *r = &search->place;
    const bool last = r->position >= r->facts.bytes;
    const bool changes =
        r->spot.position == 0 && etrace_ingress_changes_context(&r->block, r->context_before);
    if (search->limit == 0 && (changes || (last && !is_quiet(search)))) {
        search->limit = r->number;
    }
}

/* Whether a later place has the pattern; where the record ends there, more of it than the sure
 * place has. */
static bool find_part(struct search *search, bool first, bool is_last)
{
    struct etrace_pattern *p = &search->pattern;
    struct reading *r = &search->place;
    if (p->count == 0) {
        return true;
    }
    while (next_instruction(search->s, r)) {
        const bool found = etrace_pattern_advance(p, r->address, r->led);
        if (first && search->quiet) {
            limit(search);
            if (search->limit != 0 && r->number - p->matched >= search->limit) {
                return false;
            }
        }
        if (found && (!is_last || !search->has_context ||
                      r->block.signal[ETRACE_SIGNAL_CONTEXT] == search->s->context)) {
            return true;
        }
    }
    return is_last && p->matched > search->shared;
}

/* --- the search --- */

static bool find_all(struct search *search, const struct etrace_spot *from, uint32_t parts)
{
    for (uint32_t n = 0; n < parts; n++) {
        const bool last = n + 1 == parts;
        take_part(search, from[n].trap, last ? NULL : &from[n + 1]);
        if (!find_part(search, n == 0, last)) {
            return false;
        }
    }
    return true;
}

/* Whether all parts are at later places than the first one begins at. What cannot be read may be
 * there. */
static bool find_places(const struct search *what, const struct etrace_spot *from, uint32_t parts)
{
    struct search search = *what;
    struct etrace_ingress_stage *s = search.s;
    const bool opened = open_reading(s, &search.path) && open_reading(s, &search.place) &&
                        go_to(s, &search.path, from) && go_to(s, &search.place, from);
    if (opened && search.quiet) {
        limit(&search);
    }
    const bool found = !opened || find_all(&search, from, parts);
    close_reading(&search.path);
    close_reading(&search.place);
    free(search.pattern.key);
    free(search.pattern.border);
    return found;
}

bool etrace_ingress_elsewhere(struct etrace_ingress_stage *s, const struct assay_event *run,
                              bool has_context)
{
    struct etrace_again *a = &s->again;
    struct search search = {.s = s, .run = run, .has_context = has_context};
    if (a->looked == ETRACE_LOOKED_MOST) {
        return false;
    }
    a->looked++;
    if (a->first && find_places(&search, a->cut, a->cuts)) {
        return true;
    }
    search.quiet = true;
    const uint32_t reports =
        a->reports < ETRACE_REPORTS_MOST ? a->reports : (uint32_t)ETRACE_REPORTS_MOST;
    for (uint32_t n = 1; n <= reports; n++) {
        if (find_places(&search, &a->report[(a->reports - n) % ETRACE_REPORTS_MOST], 1)) {
            return true;
        }
    }
    return false;
}
