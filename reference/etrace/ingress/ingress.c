/* The third stage: the blocks that the hart gave the encoder (chapter 4), with what program and
 * path say of them. This file goes through the record; path_comparison.c compares it with the path.
 */
#include "etrace/ingress/ingress.h"

#include <stdlib.h>
#include <string.h>

#include "execution/execution.h"
#include "execution/uncompared.h"

enum { ADDED_MOST = 64, SWITCHES = 3 /* of trigger */ };

/* --- reading --- */

/* Of a line that follows another one. */
static bool same_cycle(const struct etrace_block *a, const struct etrace_block *b)
{
    return etrace_block_has(b, ETRACE_SIGNAL_CYCLE) &&
           a->signal[ETRACE_SIGNAL_CYCLE] == b->signal[ETRACE_SIGNAL_CYCLE];
}

/* The next line in which something happened, after `previous`, or the first one. */
static bool read_block(struct etrace_ingress_stage *s, const struct etrace_block *previous,
                       uint32_t group, struct etrace_block *block, struct etrace_before *before)
{
    struct etrace_block last = previous != NULL ? *previous : (struct etrace_block){0};
    bool more = false;
    bool first = previous == NULL;
    uint32_t used = first ? 0 : group + 1; /* signal groups of the cycle */
    *before = (struct etrace_before){0};
    for (;;) {
        s->error = etrace_record_next(s->record, block, &more, &s->diag);
        if (s->error != ASSAY_OK || !more) {
            return false;
        }
        const bool same = !first && same_cycle(&last, block);
        before->group = used = same ? used : 0;
        before->idle_in_cycle = same && before->idle_in_cycle;
        before->halts = before->halts || etrace_block_halts(block);
        before->resets = before->resets || block->signal[ETRACE_SIGNAL_RESET] != 0;
        if (etrace_block_happens(block)) {
            before->asynchronous = previous != NULL && etrace_is_asynchronous(previous, block);
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

static void find_facts(struct etrace_ingress_stage *s)
{
    const struct etrace_block *block = &s->block;
    if (etrace_block_has(block, ETRACE_SIGNAL_CONTEXT)) {
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                          .context = block->signal[ETRACE_SIGNAL_CONTEXT]};
        (void)assay_image_select(&s->cursor, &space);
    }
    /* After a halt the hart can go on anywhere, and another hart is anywhere. */
    etrace_block_facts(&s->cursor, &s->reading, block, &s->last, &s->open,
                       s->has_next && !s->before_next.anywhere ? &s->next : NULL, &s->facts);
    etrace_ingress_qualify(s);
}

/* --- events --- */

static void put_signals(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const struct etrace_block *b = &s->block;
    const bool typed = etrace_block_has(b, ETRACE_SIGNAL_ITYPE);
    cells[ETRACE_CELL_block_line] = b->line;
    cells[ETRACE_CELL_block_itype] = typed                ? b->signal[ETRACE_SIGNAL_ITYPE]
                                     : s->facts.has_itype ? s->facts.itype
                                                          : 0;
    cells[ETRACE_CELL_block_has_itype] = typed;
    cells[ETRACE_CELL_block_cause] = b->signal[ETRACE_SIGNAL_CAUSE];
    cells[ETRACE_CELL_block_tval] = b->signal[ETRACE_SIGNAL_TVAL];
    cells[ETRACE_CELL_block_iaddr] = b->signal[ETRACE_SIGNAL_IADDR];
    cells[ETRACE_CELL_block_iretire] = b->signal[ETRACE_SIGNAL_IRETIRE];
    cells[ETRACE_CELL_block_ilastsize] = b->signal[ETRACE_SIGNAL_ILASTSIZE];
    cells[ETRACE_CELL_block_cycle] = b->signal[ETRACE_SIGNAL_CYCLE];
    cells[ETRACE_CELL_block_has_cycle] = etrace_block_has(b, ETRACE_SIGNAL_CYCLE);
    cells[ETRACE_CELL_block_context] = b->signal[ETRACE_SIGNAL_CONTEXT];
    cells[ETRACE_CELL_block_has_context] = etrace_block_has(b, ETRACE_SIGNAL_CONTEXT);
    cells[ETRACE_CELL_block_ctype] = b->signal[ETRACE_SIGNAL_CTYPE];
    cells[ETRACE_CELL_block_has_ctype] = etrace_block_has(b, ETRACE_SIGNAL_CTYPE);
    cells[ETRACE_CELL_block_sijump] = b->signal[ETRACE_SIGNAL_SIJUMP] != 0;
    cells[ETRACE_CELL_block_has_sijump] = etrace_block_has(b, ETRACE_SIGNAL_SIJUMP);
    cells[ETRACE_CELL_block_trigger] = b->signal[ETRACE_SIGNAL_TRIGGER];
    cells[ETRACE_CELL_block_impdef] = b->signal[ETRACE_SIGNAL_IMPDEF];
}

static void put_order(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    cells[ETRACE_CELL_block_group] = s->before.group;
    cells[ETRACE_CELL_block_idle] = s->before.idle;
    cells[ETRACE_CELL_block_idle_in_cycle] = s->before.idle_in_cycle;
    cells[ETRACE_CELL_block_halts] = s->before.halts;
    cells[ETRACE_CELL_block_halted] = s->before.halts && !s->before.resets;
    cells[ETRACE_CELL_block_context_before] = s->context_before;
    cells[ETRACE_CELL_block_priv_before] = s->priv_before;
    cells[ETRACE_CELL_block_itype_before] = s->itype_before;
    cells[ETRACE_CELL_block_has_due] = s->has_due && !s->before.anywhere;
    cells[ETRACE_CELL_block_due] = s->due;
}

/* A log does not say whether a guest runs: the level is that of a guest if packets say so. */
static uint64_t level_of(const struct etrace_ingress_stage *s, enum etrace_state state)
{
    enum { S_LEVEL = 1, GUESTS = 5 /* codes of VU and VS above those of U and S */ };
    const uint64_t priv = s->block.signal[ETRACE_SIGNAL_PRIV];
    const bool can_be = s->block.logged && priv <= S_LEVEL && state == ETRACE_TRACED;
    return can_be && s->privilege == priv + GUESTS ? s->privilege : priv;
}

/* Of an instruction of 16 bits the other half of the word is of the next one. */
static void put_instruction(const struct etrace_block *b, const struct etrace_instruction *i,
                            uint64_t *cells)
{
    const uint64_t size = etrace_block_last_size(b);
    cells[ETRACE_CELL_block_has_insn] = b->retired && i->size == size;
    cells[ETRACE_CELL_block_insn] =
        i->size == size ? b->insn & (uint32_t)assay_mask(8 * i->size) : b->insn;
}

static void put_facts(const struct etrace_block_facts *f, uint64_t *cells)
{
    cells[ETRACE_CELL_block_last_address] = f->last;
    cells[ETRACE_CELL_block_after] = f->after;
    cells[ETRACE_CELL_block_in_program] = f->in_program;
    cells[ETRACE_CELL_block_count] = f->count;
    cells[ETRACE_CELL_block_fits] = f->fits;
    cells[ETRACE_CELL_block_program_size] = f->instruction.size;
    cells[ETRACE_CELL_block_inner] = f->inner;
    cells[ETRACE_CELL_block_word] = f->instruction.word;
    cells[ETRACE_CELL_block_flow] = f->instruction.flow;
    cells[ETRACE_CELL_block_has_program_itype] = f->has_itype;
    cells[ETRACE_CELL_block_program_itype] = f->itype;
    cells[ETRACE_CELL_block_sequential] = f->sequential;
}

static void put_path(struct etrace_ingress_stage *s, enum etrace_state state, uint64_t *cells)
{
    cells[ETRACE_CELL_block_state] = state;
    cells[ETRACE_CELL_block_priv] = level_of(s, state);
    cells[ETRACE_CELL_block_sure] = s->placed;
    cells[ETRACE_CELL_block_path_address] = s->differs;
    cells[ETRACE_CELL_block_due_address] = s->differs_due;
    cells[ETRACE_CELL_block_path_privilege] = s->privilege;
    cells[ETRACE_CELL_block_path_context] = s->synchronises ? s->reported_context : s->context;
    cells[ETRACE_CELL_block_continues] = s->continues;
    cells[ETRACE_CELL_block_entered] = s->entered_by;
    cells[ETRACE_CELL_block_mispredicted] = s->mispredicted;
    cells[ETRACE_CELL_block_outcome] = s->outcome;
    cells[ETRACE_CELL_block_synchronises] = state == ETRACE_TRACED && s->synchronises;
    cells[ETRACE_CELL_block_reported] = s->reported;
    cells[ETRACE_CELL_block_repeats] =
        (s->block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0 &&
        etrace_block_retires(&s->block) && etrace_ingress_loops(s, s->facts.last);
}

static void put_qualification(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const struct etrace_unqualified *off = &s->off;
    cells[ETRACE_CELL_block_is_enabled] = s->qualified.enabled;
    cells[ETRACE_CELL_block_matches] = s->qualified.matches;
    cells[ETRACE_CELL_block_qualifies] = s->qualified.qualifies;
    cells[ETRACE_CELL_block_watched] = s->qualified.watched;
    cells[ETRACE_CELL_block_ended] = off->known && ((off->directly && !off->halted) || off->still);
    cells[ETRACE_CELL_block_begins] = s->begins;
    cells[ETRACE_CELL_block_cut] = s->cut;
}

/* --- instructions of several accesses --- */

static void add_reports(struct etrace_ingress_stage *s, const struct assay_event *from,
                        const struct etrace_reports *reports)
{
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_reports, from));
    cells[ETRACE_CELL_reports_line] = s->block.line;
    cells[ETRACE_CELL_reports_address] = reports->address;
    cells[ETRACE_CELL_reports_word] = reports->word;
    cells[ETRACE_CELL_reports_accesses] = reports->due;
    cells[ETRACE_CELL_reports_reported] = reports->made;
    cells[ETRACE_CELL_reports_partial] = reports->partial;
    cells[ETRACE_CELL_reports_has_data] = etrace_block_has(&s->block, ETRACE_SIGNAL_DRETIRE);
}

/* Those that are complete: of the block before, and of the block. */
static void complete_reports(struct etrace_ingress_stage *s, const struct assay_event *from)
{
    if (s->block.retired || !etrace_block_retires(&s->block)) {
        return;
    }
    if (s->open.made > 0 && s->open.due > 0 && s->facts.repeated == 0) {
        add_reports(s, from, &s->open);
    }
    for (uint32_t n = 0; n < s->facts.wholes; n++) {
        add_reports(s, from, &s->facts.whole[n]);
    }
}

/* --- from block to block --- */

/* The block before ends with an instruction of which the encoder has to report the target (4.1). */
static bool is_after_jump(const struct etrace_ingress_stage *s)
{
    switch (s->itype_before) {
    case ETRACE_ITYPE_XRET:
    case ETRACE_ITYPE_CALL:
    case ETRACE_ITYPE_TAIL_CALL:
    case ETRACE_ITYPE_SWAP:
    case ETRACE_ITYPE_JUMP:
        return !s->sijump_before;
    case ETRACE_ITYPE_UNINFERABLE:
    case ETRACE_ITYPE_RETURN:
        return !s->sijump_before && !s->infers_returns;
    default:
        return false;
    }
}

/* The line of a trap in which nothing retires has the level of the instruction that was to be
 * executed, if the lines around it have another one: that of the handler is in force from its first
 * instruction on (7.3.1 of version 2.0). */
static bool shows_level(const struct etrace_ingress_stage *s)
{
    const uint64_t priv = s->block.signal[ETRACE_SIGNAL_PRIV];
    return s->has_next && etrace_block_retires(&s->next) && !s->before_next.halts &&
           !s->block.retired && s->next.signal[ETRACE_SIGNAL_PRIV] != priv &&
           (s->blocks == 0 || s->priv_before != priv);
}

/* What is known of the instruction before a trap, if that is the last one that retired. */
static void put_before(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const bool retires = etrace_block_retires(&s->block);
    const bool directly = !s->before.anywhere && s->retired_before;
    cells[ETRACE_CELL_taken_trap_after_jump] = !retires && directly && is_after_jump(s);
    const bool stays = directly && s->itype_before != ETRACE_ITYPE_XRET;
    cells[ETRACE_CELL_taken_trap_has_priv] =
        (retires || stays || shows_level(s)) && !s->block.logged;
    cells[ETRACE_CELL_taken_trap_priv] =
        retires || !stays ? s->block.signal[ETRACE_SIGNAL_PRIV] : s->priv_before;
    cells[ETRACE_CELL_taken_trap_first] = etrace_ingress_is_first(s);
    cells[ETRACE_CELL_taken_trap_iaddr] =
        s->block.signal[ETRACE_SIGNAL_IADDR] & s->reading.program.mask;
}

bool etrace_ingress_is_first(const struct etrace_ingress_stage *s)
{
    const bool ended = s->off.directly && !s->off.halted; /* before the end of tracing */
    return s->off.certain && !ended && !s->off.trapped && s->qualified.qualifies == ETRACE_YES &&
           !etrace_block_retires(&s->block) && etrace_block_has(&s->block, ETRACE_SIGNAL_ITYPE) &&
           s->block.signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_EXCEPTION;
}

void etrace_ingress_take_trap(struct etrace_ingress_stage *s)
{
    const uint64_t *signal = s->block.signal;
    const bool retires = etrace_block_retires(&s->block);
    const bool after = retires && s->facts.fits && s->facts.instruction.flow == ETRACE_FLOW_NONE &&
                       s->facts.last_of.made == 0;
    const bool handled = s->has_next && etrace_block_retires(&s->next);
    uint64_t *cells = s->trap.cells;
    memset(cells, 0, sizeof s->trap.cells);
    s->trap.waits = true;
    cells[ETRACE_CELL_taken_trap_line] = s->block.line;
    cells[ETRACE_CELL_taken_trap_recorded] = true;
    cells[ETRACE_CELL_taken_trap_interrupt] = signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT;
    cells[ETRACE_CELL_taken_trap_cause] = signal[ETRACE_SIGNAL_CAUSE];
    cells[ETRACE_CELL_taken_trap_tval] = signal[ETRACE_SIGNAL_TVAL];
    cells[ETRACE_CELL_taken_trap_has_kind] = etrace_block_has(&s->block, ETRACE_SIGNAL_ITYPE);
    cells[ETRACE_CELL_taken_trap_has_cause] = etrace_block_has(&s->block, ETRACE_SIGNAL_CAUSE);
    cells[ETRACE_CELL_taken_trap_has_tval] = etrace_block_has(&s->block, ETRACE_SIGNAL_TVAL);
    cells[ETRACE_CELL_taken_trap_has_epc] =
        s->block.returns || (retires ? after : s->has_due && !s->before.anywhere);
    cells[ETRACE_CELL_taken_trap_epc] = s->block.returns ? signal[ETRACE_SIGNAL_IADDR]
                                        : retires        ? s->facts.after
                                                         : s->due;
    cells[ETRACE_CELL_taken_trap_has_handler] = handled;
    cells[ETRACE_CELL_taken_trap_handler] = handled ? s->next.signal[ETRACE_SIGNAL_IADDR] : 0;
    put_before(s, cells);
    s->off.trapped = true;
}

/* What the block leaves to the next one. */
static void leave_block(struct etrace_ingress_stage *s)
{
    const bool traps = etrace_block_traps(&s->block);
    if (etrace_block_retires(&s->block)) {
        s->last = s->facts.instruction;
        s->has_due = s->facts.has_next;
        s->due = s->facts.next;
    }
    s->open = s->facts.open;
    s->has_due = s->has_due && !traps;
    s->last.size = traps ? 0 : s->last.size;
    s->context_before = s->block.signal[ETRACE_SIGNAL_CONTEXT];
    s->priv_before = s->block.signal[ETRACE_SIGNAL_PRIV];
    s->itype_before = s->block.signal[ETRACE_SIGNAL_ITYPE];
    s->sijump_before = s->block.signal[ETRACE_SIGNAL_SIJUMP] != 0;
    s->retired_before = !traps && etrace_block_retires(&s->block);
}

static void go_on(struct etrace_ingress_stage *s)
{
    const bool retired = etrace_block_retires(&s->block);
    s->block = s->next;
    s->before = s->before_next;
    s->has_block = s->has_next;
    s->position = 0;
    s->synchronises = s->reported = s->continues = false;
    s->open = s->before.anywhere ? (struct etrace_reports){.partial = true} : s->open;
    s->last.size = s->before.asynchronous ? 0 : s->last.size;
    s->entered_by = ETRACE_BY_SEQUENCE;
    s->mispredicted = false;
    s->outcome = ETRACE_NO_OUTCOME;
    s->off.directly = s->off.directly && !retired;
    s->begins = s->cut = false;
    s->off.halted = s->off.halted || s->before.halts;
    s->differs = s->differs_due = 0;
    if (s->has_block) {
        s->has_next = s->error == ASSAY_OK &&
                      read_block(s, &s->block, s->before.group, &s->next, &s->before_next);
        s->part.broken = s->part.broken ||
                         (s->has_due && !s->before.anywhere && etrace_block_retires(&s->block) &&
                          s->due != s->block.signal[ETRACE_SIGNAL_IADDR]);
        find_facts(s);
        s->position = s->facts.repeated;
        s->continues = s->facts.repeated > 0 && s->aligned && s->through;
    }
}

static void count_compared(const struct etrace_ingress_stage *s, enum etrace_state state)
{
    if (s->uncompared != NULL && etrace_block_retires(&s->block) &&
        s->qualified.qualifies != ETRACE_NO) {
        s->uncompared->recorded++;
        s->uncompared->matched += state == ETRACE_TRACED;
    }
}

void etrace_ingress_discount(struct etrace_ingress_stage *s, uint64_t blocks)
{
    if (s->uncompared != NULL) {
        s->uncompared->recorded -= blocks;
    }
}

/* Iterations of a loop that leaves nothing in the trace are not seen, and do not count. */
static void count_left(struct etrace_ingress_stage *s, enum etrace_state state)
{
    const bool retires = etrace_block_retires(&s->block);
    const bool quiet = retires && !etrace_block_traps(&s->block) &&
                       etrace_ingress_is_quiet(s, &s->block, &s->facts, s->context_before);
    if (state == ETRACE_TRACED) {
        s->left = 0;
        s->left_from = retires ? s->facts.last : s->left_from;
        s->left_quiet = quiet;
        return;
    }
    s->left += s->qualified.qualifies != ETRACE_NO;
    s->left_quiet = s->left_quiet && quiet;
    if (s->left_quiet && s->facts.last == s->left_from) {
        etrace_ingress_discount(s, s->left);
        s->left = 0;
    }
}

void etrace_ingress_pass(struct etrace_ingress_stage *s, const struct assay_event *from,
                         enum etrace_state state)
{
    complete_reports(s, from);
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_block, from));
    put_signals(s, cells);
    put_order(s, cells);
    cells[ETRACE_CELL_block_retires] = etrace_block_retires(&s->block);
    put_facts(&s->facts, cells);
    put_instruction(&s->block, &s->facts.instruction, cells);
    put_path(s, state, cells);
    put_qualification(s, cells);
    etrace_ingress_have(s);
    etrace_ingress_meet(s);
    s->led = etrace_ingress_trap(&s->block, s->led);
    s->traced += state == ETRACE_TRACED;
    s->qualifying += etrace_block_retires(&s->block) && s->qualified.qualifies == ETRACE_YES;
    count_compared(s, state);
    count_left(s, state);
    if (state == ETRACE_TRACED && etrace_block_traps(&s->block)) {
        etrace_ingress_take_trap(s);
    }
    s->blocks++;
    leave_block(s);
    go_on(s);
}

/* --- the stage --- */

static bool step(struct assay_step_stage *stage, const struct assay_event *event)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ETRACE_INGRESS_AT_ONCE;
    bool done = false;
    while (!done && stage->history.next < room) {
        if (!etrace_ingress_add_access(s)) {
            done = etrace_ingress_compare(s, event);
            s->entered = !done;
        }
    }
    return done;
}

static void put_end(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    cells[ETRACE_CELL_ingress_end_blocks] = s->blocks;
    cells[ETRACE_CELL_ingress_end_traced] = s->traced;
    cells[ETRACE_CELL_ingress_end_lost] = s->lost;
    cells[ETRACE_CELL_ingress_end_lost_at] = s->lost_at;
    cells[ETRACE_CELL_ingress_end_lost_line] = s->lost_line;
    cells[ETRACE_CELL_ingress_end_beyond] = s->beyond;
    cells[ETRACE_CELL_ingress_end_located] = s->located;
    cells[ETRACE_CELL_ingress_end_left] = s->left;
    cells[ETRACE_CELL_ingress_end_foreign_context] = s->contexts.lacks && !s->contexts.many;
    cells[ETRACE_CELL_ingress_end_context] = s->contexts.value;
    cells[ETRACE_CELL_ingress_end_has_ctype] = s->has_ctype;
    cells[ETRACE_CELL_ingress_end_announced] = s->announced;
    cells[ETRACE_CELL_ingress_end_has_path] = s->has_path;
    cells[ETRACE_CELL_ingress_end_qualifying] = s->qualifying;
    cells[ETRACE_CELL_ingress_end_concluded] = s->concluded;
    cells[ETRACE_CELL_ingress_end_last_context] = s->last_context;
    cells[ETRACE_CELL_ingress_end_reportable] = s->reportable;
    cells[ETRACE_CELL_ingress_end_unreported_context] = s->changes.lacks && !s->changes.many;
    cells[ETRACE_CELL_ingress_end_unreported] = s->changes.value;
    cells[ETRACE_CELL_ingress_end_foreign_trap] = s->causes.lacks && !s->causes.many;
    cells[ETRACE_CELL_ingress_end_cause] = s->causes.value >> 1;
    cells[ETRACE_CELL_ingress_end_interrupt] = s->causes.value & 1;
    etrace_ingress_put_claims(s, cells);
}

static bool finish(struct assay_step_stage *stage)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ETRACE_INGRESS_AT_ONCE;
    etrace_ingress_settle(s, ETRACE_DUE_BEFORE_END);
    while (stage->history.next < room) {
        if (etrace_ingress_add_access(s)) {
            continue;
        }
        if (!s->has_block) {
            put_end(s, assay_step_cells(stage, assay_step_add(stage, ETRACE_ingress_end, NULL)));
            return true;
        }
        etrace_ingress_pass(s, NULL, ETRACE_UNTRACED);
    }
    return false;
}

/* A fault of the record ends the stage: what follows it is not known. */
static enum assay_error next(struct assay_stage *stage, struct assay_block *block,
                             struct assay_diag *diag)
{
    const struct etrace_ingress_stage *s = (const struct etrace_ingress_stage *)stage;
    const enum assay_error error = assay_step_next(stage, block, diag);
    if (error == ASSAY_OK && s->error != ASSAY_OK) {
        *diag = s->diag;
        return s->error;
    }
    return error;
}

static void close_recorded(struct assay_stage *stage)
{
    struct etrace_ingress_stage *s = (struct etrace_ingress_stage *)stage;
    etrace_record_close(s->record);
    etrace_signalled_close(s->signalled);
    assay_execution_close(s->execution);
    assay_step_close(stage);
}

static void read_parameters(struct etrace_ingress_stage *s, const struct assay_decode_input *input)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    etrace_layout(input->parameters, layout);
    s->reading = etrace_block_reading_of(layout);
    s->data_width = layout[ETRACE_DATA_WIDTH];
    s->data_mask = etrace_data_address_mask(&s->reading.program, layout);
    s->infers_returns =
        layout[ETRACE_RETURN_STACK_SIZE] != 0 || layout[ETRACE_CALL_COUNTER_SIZE] != 0;
    s->reports_both = layout[ETRACE_WIRE] >= ETRACE_2_0;
    etrace_ingress_configure(s, input->parameters);
}

static enum assay_error start(struct etrace_ingress_stage *s,
                              const struct assay_decode_input *input, struct assay_diag *diag)
{
    read_parameters(s, input);
    s->setup = (struct etrace_record_setup){s->reading.program.isa, input->execution_thread};
    const enum assay_error error =
        etrace_record_open(assay_execution_table(s->execution), &s->setup, &s->record, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (etrace_signalled_open(input, &s->signalled, diag) != ASSAY_OK) {
        return ASSAY_NO_MEMORY;
    }
    assay_image_cursor_open(&s->cursor, input->images);
    s->placed = s->again.first = s->open.partial = true;
    s->has_next = read_block(s, NULL, 0, &s->next, &s->before_next);
    s->has_ctype = etrace_block_has(&s->next, ETRACE_SIGNAL_CTYPE);
    s->untold = s->causes.many = s->next.untold;
    if (s->next.logged) { /* a log has no signals to be judged */
        etrace_signalled_close(s->signalled);
        s->signalled = NULL;
    }
    go_on(s);
    if (s->error != ASSAY_OK && diag != NULL) {
        *diag = s->diag;
    }
    return s->error;
}

struct assay_stage *etrace_ingress_open(const struct assay_decode_input *input,
                                        struct assay_history *path, struct assay_diag *diag,
                                        enum assay_error *error)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = next,
                                               .complete = assay_step_complete,
                                               .close = close_recorded};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETRACE_INGRESS,
                                           .below = path,
                                           .cells = ETRACE_INGRESS_CELLS,
                                           .most = ADDED_MOST,
                                           .step = step,
                                           .finish = finish};
    struct etrace_ingress_stage *s = assay_step_open(sizeof *s, &setup);
    if (s == NULL) {
        assay_execution_close(input->execution);
        *error = ASSAY_NO_MEMORY;
        return NULL;
    }
    s->execution = input->execution;
    s->uncompared = input->uncompared;
    *error = start(s, input, diag);
    if (*error != ASSAY_OK) {
        close_recorded(&s->base.base);
        return NULL;
    }
    return &s->base.base;
}
