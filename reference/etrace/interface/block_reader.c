#include "etrace/interface/block_reader.h"

#include <stdlib.h>

enum { SWITCHES = 3 /* of trigger */ };

/* --- lines --- */

/* Of a line that follows another one. */
static bool same_cycle(const struct etrace_block *a, const struct etrace_block *b)
{
    return etrace_block_has(b, ETRACE_SIGNAL_CYCLE) &&
           a->signal[ETRACE_SIGNAL_CYCLE] == b->signal[ETRACE_SIGNAL_CYCLE];
}

/* Whether a block is after a discontinuity that no instruction causes: another hart, or Debug mode
 * begins or ends (tables 4.4 and 4.5). */
static bool is_asynchronous(const struct etrace_block *before, const struct etrace_block *block)
{
    const bool debugs = before->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG;
    return etrace_block_retires(block) &&
           (block->signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY ||
            (block->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG) != debugs);
}

/* The next line in which something happened, after `previous`, or the first one. */
static bool read_block(struct etrace_block_reader *r, const struct etrace_block *previous)
{
    struct etrace_block last = previous != NULL ? *previous : (struct etrace_block){0};
    struct etrace_block *block = &r->next;
    struct etrace_before *before = &r->before_next;
    bool more = false;
    bool first = previous == NULL;
    uint32_t used = first ? 0 : r->before.group + 1; /* signal groups of the cycle */
    *before = (struct etrace_before){0};
    for (;;) {
        r->error = etrace_record_next(r->record, block, &more, &r->diag);
        if (r->error != ASSAY_OK || !more) {
            return false;
        }
        const bool same = !first && same_cycle(&last, block);
        before->group = used = same ? used : 0;
        before->idle_in_cycle = same && before->idle_in_cycle;
        before->halts = before->halts || etrace_block_halts(block);
        before->resets = before->resets || block->signal[ETRACE_SIGNAL_RESET] != 0;
        if (etrace_block_happens(block)) {
            before->asynchronous = previous != NULL && is_asynchronous(previous, block);
            before->anywhere = before->halts || before->asynchronous;
            return true;
        }
        before->pulses = before->pulses || (block->signal[ETRACE_SIGNAL_TRIGGER] & SWITCHES) != 0;
        if (!etrace_block_has_data(block)) { /* such a line is of no signal group */
            before->idle++;
            before->idle_in_cycle = true;
            used++;
        }
        last = *block;
        first = false;
    }
}

/* --- blocks --- */

static void find_facts(struct etrace_block_reader *r)
{
    const struct etrace_block *block = &r->block;
    if (etrace_block_has(block, ETRACE_SIGNAL_CONTEXT)) {
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                          .context = block->signal[ETRACE_SIGNAL_CONTEXT]};
        (void)assay_image_select(&r->cursor, &space);
    }
    /* After a halt the hart can go on anywhere, and another hart is anywhere. */
    etrace_block_facts(&r->cursor, &r->reading, block, &r->last, &r->open,
                       r->has_next && !r->before_next.anywhere ? &r->next : NULL, &r->facts);
}

static void take_next(struct etrace_block_reader *r)
{
    r->block = r->next;
    r->before = r->before_next;
    r->has_block = r->has_next;
    r->open = r->before.anywhere ? (struct etrace_reports){.partial = true} : r->open;
    r->last.size = r->before.asynchronous ? 0 : r->last.size;
    if (r->has_block) {
        r->has_next = r->error == ASSAY_OK && read_block(r, &r->block);
        find_facts(r);
    }
}

/* The trap that leads to what follows the block, by what led to it. */
static uint64_t trap_of(const struct etrace_block *block, uint64_t entry_trap)
{
    if (!etrace_block_traps(block)) {
        return etrace_block_retires(block) ? 0 : entry_trap;
    }
    return block->infers_traps
               ? 0
               : etrace_trap_number(block->signal[ETRACE_SIGNAL_CAUSE],
                                    block->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT);
}

/* What the block leaves to the next one. */
static void leave_block(struct etrace_block_reader *r)
{
    const uint64_t *signal = r->block.signal;
    const bool traps = etrace_block_traps(&r->block);
    if (etrace_block_retires(&r->block)) {
        r->last = r->facts.instruction;
        r->has_due = r->facts.has_next;
        r->due = r->facts.next;
    }
    r->open = r->facts.open;
    r->has_due = r->has_due && !traps;
    r->last.size = traps ? 0 : r->last.size;
    r->entry_trap = trap_of(&r->block, r->entry_trap);
    r->context_before = signal[ETRACE_SIGNAL_CONTEXT];
    r->priv_before = signal[ETRACE_SIGNAL_PRIV];
    r->itype_before = signal[ETRACE_SIGNAL_ITYPE];
    r->sijump_before = signal[ETRACE_SIGNAL_SIJUMP] != 0;
    r->retired_before = !traps && etrace_block_retires(&r->block);
}

enum assay_error etrace_block_reader_open(struct etrace_block_reader *r, struct assay_source *table,
                                          const struct etrace_record_setup *setup,
                                          const struct etrace_block_reading *reading,
                                          const struct assay_image_cursor *cursor,
                                          struct assay_diag *diag)
{
    *r = (struct etrace_block_reader){.source = table,
                                      .setup = *setup,
                                      .reading = *reading,
                                      .cursor = *cursor,
                                      .open = {.partial = true}};
    const enum assay_error error = etrace_record_open(table, setup, &r->record, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    r->has_next = read_block(r, NULL);
    take_next(r);
    if (r->error != ASSAY_OK && diag != NULL) {
        *diag = r->diag;
    }
    return r->error;
}

void etrace_block_reader_close(struct etrace_block_reader *r)
{
    etrace_record_close(r->record);
}

void etrace_block_reader_next(struct etrace_block_reader *r)
{
    leave_block(r);
    take_next(r);
}

/* --- instructions --- */

uint64_t etrace_block_instruction(struct etrace_block_reader *r, uint64_t at,
                                  struct assay_placement_item *item)
{
    const uint64_t mask = r->reading.program.mask;
    item->pc = (r->block.signal[ETRACE_SIGNAL_IADDR] + at) & mask;
    item->key_alone = etrace_address_key(item->pc);
    item->key = assay_placement_key(item->key_alone, at == 0 ? r->entry_trap : 0);
    item->number = etrace_block_place(&r->block, at);
    item->context = r->block.signal[ETRACE_SIGNAL_CONTEXT];
    const unsigned size = etrace_instruction_at(&r->cursor, item->pc, &r->reading.program).size;
    const uint64_t after = size > 0 ? at + size : r->facts.bytes;
    const bool changes = at == 0 && etrace_block_changes_context(&r->block, r->context_before);
    const bool last = after >= r->facts.bytes;
    item->is_silent = !changes && (!last || etrace_block_is_quiet(&r->reading, &r->block, &r->facts,
                                                                  r->context_before));
    return after;
}

struct reopened {
    struct etrace_block_reader reader;
    struct assay_source *source; /* owned */
    uint64_t position;           /* of the next instruction, in bytes of the block */
};

void *etrace_record_reader_open(void *reader)
{
    const struct etrace_block_reader *of = reader;
    struct assay_diag diag;
    struct reopened *a = calloc(1, sizeof *a);
    if (a == NULL || assay_source_again(of->source, &a->source) != ASSAY_OK ||
        etrace_block_reader_open(&a->reader, a->source, &of->setup, &of->reading, &of->cursor,
                                 &diag) != ASSAY_OK) {
        etrace_record_reader_close(a);
        return NULL;
    }
    a->position = a->reader.has_block ? a->reader.facts.repeated : 0;
    return a;
}

bool etrace_record_reader_next(void *reader, void *reopened, struct assay_placement_item *item)
{
    struct reopened *a = reopened;
    struct etrace_block_reader *r = &a->reader;
    (void)reader;
    while (r->has_block && a->position >= r->facts.bytes) {
        etrace_block_reader_next(r);
        a->position = r->has_block ? r->facts.repeated : 0;
    }
    if (!r->has_block) {
        return false;
    }
    a->position = etrace_block_instruction(r, a->position, item);
    return true;
}

void etrace_record_reader_close(void *reopened)
{
    struct reopened *a = reopened;
    if (a != NULL) {
        etrace_block_reader_close(&a->reader);
        assay_source_close(a->source);
    }
    free(a);
}
