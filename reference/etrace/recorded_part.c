/* A part of the path at no sure place: what was traced after a gap whose length nothing says. In a
 * loop its beginning is also where it was not executed, which shows only where it goes on. So it is
 * compared with the first place that it can begin at; where it differs there, with the next place
 * that has all of it so far, by the algorithm of Knuth, Morris and Pratt. If each part is at the
 * first place after the part before it, and there is none for one of them, then no other places are
 * possible for all of them either. */
#include "etrace/recorded.h"

#include "etrace/path.h"

static uint64_t trap_of(uint64_t cause, bool interrupt)
{
    return cause << 2 | (uint64_t)interrupt << 1 | 1;
}

uint64_t etrace_recorded_trap(const struct etrace_block *block, uint64_t led)
{
    if (etrace_block_traps(block)) {
        return block->untold
                   ? 0
                   : trap_of(block->signal[ETRACE_SIGNAL_CAUSE],
                             block->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT);
    }
    return etrace_block_retires(block) ? 0 : led;
}

void etrace_recorded_begin_part(struct etrace_recorded *s, const struct assay_event *trap)
{
    struct etrace_part *p = &s->part;
    p->known = true;
    p->pattern = (struct etrace_pattern){
        .key = p->key,
        .border = p->border,
        .trap = trap != NULL && !s->untold
                    ? trap_of(trap->cells[CAUSE], trap->cells[FACTS] >> INTERRUPT_BIT & 1)
                    : 0};
    etrace_recorded_cut(s);
}

/* --- patterns --- */

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

/* --- the path --- */

bool etrace_recorded_follow_part(struct etrace_recorded *s, uint64_t due)
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

static void add_part(struct etrace_recorded *s, const struct assay_event *run, bool found)
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
static bool find_in_block(struct etrace_recorded *s)
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

bool etrace_recorded_find_part(struct etrace_recorded *s, const struct assay_event *run)
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
        etrace_recorded_pass(s, run,
                             s->differs != s->differs_due ? ETRACE_DIFFERS : ETRACE_UNTRACED);
        return false;
    }
    add_part(s, run, true);
    p->pattern.count--; /* it is compared once more */
    p->sought = false;
    s->trap.waits = false;
    return true;
}
