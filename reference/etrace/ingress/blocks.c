/* The blocks of the record as events of its layer, from one to the next. */
#include "etrace/ingress/ingress.h"

#include <string.h>

#include "execution/uncompared.h"

static void put_signals(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const struct etrace_block *b = &s->reader.block;
    const bool typed = etrace_block_has(b, ETRACE_SIGNAL_ITYPE);
    cells[ETRACE_CELL_block_line] = b->line;
    cells[ETRACE_CELL_block_itype] = typed                       ? b->signal[ETRACE_SIGNAL_ITYPE]
                                     : s->reader.facts.has_itype ? s->reader.facts.itype
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
    cells[ETRACE_CELL_block_group] = s->reader.before.group;
    cells[ETRACE_CELL_block_idle] = s->reader.before.idle;
    cells[ETRACE_CELL_block_idle_in_cycle] = s->reader.before.idle_in_cycle;
    cells[ETRACE_CELL_block_halts] = s->reader.before.halts;
    cells[ETRACE_CELL_block_halted] = s->reader.before.halts && !s->reader.before.resets;
    cells[ETRACE_CELL_block_context_before] = s->reader.context_before;
    cells[ETRACE_CELL_block_priv_before] = s->reader.priv_before;
    cells[ETRACE_CELL_block_itype_before] = s->reader.itype_before;
    cells[ETRACE_CELL_block_has_due] = s->reader.has_due && !s->reader.before.anywhere;
    cells[ETRACE_CELL_block_due] = s->reader.due;
}

/* A log does not say whether a guest runs: the level is that of a guest if packets say so. */
static uint64_t level_of(const struct etrace_ingress_stage *s, enum etrace_state state)
{
    enum { S_LEVEL = 1, GUESTS = 5 /* codes of VU and VS above those of U and S */ };
    const uint64_t priv = s->reader.block.signal[ETRACE_SIGNAL_PRIV];
    const bool can_be = s->reader.block.logged && priv <= S_LEVEL && state == ETRACE_TRACED;
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
    cells[ETRACE_CELL_block_unfinished] = f->unfinished;
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
        (s->reader.block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0 &&
        etrace_block_retires(&s->reader.block) &&
        etrace_block_loops(&s->reader, s->reader.facts.last);
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
    cells[ETRACE_CELL_reports_line] = s->reader.block.line;
    cells[ETRACE_CELL_reports_address] = reports->address;
    cells[ETRACE_CELL_reports_word] = reports->word;
    cells[ETRACE_CELL_reports_accesses] = reports->due;
    cells[ETRACE_CELL_reports_reported] = reports->made;
    cells[ETRACE_CELL_reports_partial] = reports->partial;
    cells[ETRACE_CELL_reports_has_data] = etrace_block_has(&s->reader.block, ETRACE_SIGNAL_DRETIRE);
}

/* Those that are complete: of the block before, and of the block. */
static void complete_reports(struct etrace_ingress_stage *s, const struct assay_event *from)
{
    if (s->reader.block.retired || !etrace_block_retires(&s->reader.block)) {
        return;
    }
    if (s->reader.open.made > 0 && s->reader.open.due > 0 && s->reader.facts.repeated == 0) {
        add_reports(s, from, &s->reader.open);
    }
    for (uint32_t n = 0; n < s->reader.facts.wholes; n++) {
        add_reports(s, from, &s->reader.facts.whole[n]);
    }
}

/* --- from block to block --- */

/* The block before ends with an instruction of which the encoder has to report the target (4.1). */
static bool is_after_jump(const struct etrace_ingress_stage *s)
{
    switch (s->reader.itype_before) {
    case ETRACE_ITYPE_XRET:
    case ETRACE_ITYPE_CALL:
    case ETRACE_ITYPE_TAIL_CALL:
    case ETRACE_ITYPE_SWAP:
    case ETRACE_ITYPE_JUMP:
        return !s->reader.sijump_before;
    case ETRACE_ITYPE_UNINFERABLE:
    case ETRACE_ITYPE_RETURN:
        return !s->reader.sijump_before && !s->reader.reading.infers_returns;
    default:
        return false;
    }
}

/* The line of a trap in which nothing retires has the level of the instruction that was to be
 * executed, if the lines around it have another one: that of the handler is in force from its first
 * instruction on (7.3.1 of version 2.0). */
static bool shows_level(const struct etrace_ingress_stage *s)
{
    const uint64_t priv = s->reader.block.signal[ETRACE_SIGNAL_PRIV];
    return s->reader.has_next && etrace_block_retires(&s->reader.next) &&
           !s->reader.before_next.halts && !s->reader.block.retired &&
           s->reader.next.signal[ETRACE_SIGNAL_PRIV] != priv &&
           (s->blocks == 0 || s->reader.priv_before != priv);
}

/* What is known of the instruction before a trap, if that is the last one that retired. */
static void put_before(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const bool retires = etrace_block_retires(&s->reader.block);
    const bool directly = !s->reader.before.anywhere && s->reader.retired_before;
    cells[ETRACE_CELL_taken_trap_after_jump] = !retires && directly && is_after_jump(s);
    const bool stays = directly && s->reader.itype_before != ETRACE_ITYPE_XRET;
    cells[ETRACE_CELL_taken_trap_has_priv] =
        (retires || stays || shows_level(s)) && !s->reader.block.logged;
    cells[ETRACE_CELL_taken_trap_priv] =
        retires || !stays ? s->reader.block.signal[ETRACE_SIGNAL_PRIV] : s->reader.priv_before;
    cells[ETRACE_CELL_taken_trap_first] = etrace_ingress_is_first(s);
    cells[ETRACE_CELL_taken_trap_iaddr] =
        s->reader.block.signal[ETRACE_SIGNAL_IADDR] & s->reader.reading.program.mask;
}

bool etrace_ingress_is_first(const struct etrace_ingress_stage *s)
{
    const bool ended = s->off.directly && !s->off.halted; /* before the end of tracing */
    return s->off.certain && !ended && !s->off.trapped && s->qualified.qualifies == ETRACE_YES &&
           !etrace_block_retires(&s->reader.block) &&
           etrace_block_has(&s->reader.block, ETRACE_SIGNAL_ITYPE) &&
           s->reader.block.signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_EXCEPTION;
}

void etrace_ingress_take_trap(struct etrace_ingress_stage *s)
{
    const uint64_t *signal = s->reader.block.signal;
    const bool retires = etrace_block_retires(&s->reader.block);
    const bool after = retires && s->reader.facts.fits &&
                       s->reader.facts.instruction.flow == ETRACE_FLOW_NONE &&
                       s->reader.facts.last_of.made == 0;
    const bool handled = s->reader.has_next && etrace_block_retires(&s->reader.next);
    uint64_t *cells = s->trap.cells;
    memset(cells, 0, sizeof s->trap.cells);
    s->trap.waits = true;
    cells[ETRACE_CELL_taken_trap_line] = s->reader.block.line;
    cells[ETRACE_CELL_taken_trap_recorded] = true;
    cells[ETRACE_CELL_taken_trap_interrupt] = signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT;
    cells[ETRACE_CELL_taken_trap_cause] = signal[ETRACE_SIGNAL_CAUSE];
    cells[ETRACE_CELL_taken_trap_tval] = signal[ETRACE_SIGNAL_TVAL];
    cells[ETRACE_CELL_taken_trap_has_kind] =
        etrace_block_has(&s->reader.block, ETRACE_SIGNAL_ITYPE);
    cells[ETRACE_CELL_taken_trap_has_cause] =
        etrace_block_has(&s->reader.block, ETRACE_SIGNAL_CAUSE);
    cells[ETRACE_CELL_taken_trap_has_tval] = etrace_block_has(&s->reader.block, ETRACE_SIGNAL_TVAL);
    cells[ETRACE_CELL_taken_trap_has_epc] =
        s->reader.block.returns ||
        (retires ? after : s->reader.has_due && !s->reader.before.anywhere);
    cells[ETRACE_CELL_taken_trap_epc] = s->reader.block.returns ? signal[ETRACE_SIGNAL_IADDR]
                                        : retires               ? s->reader.facts.after
                                                                : s->reader.due;
    cells[ETRACE_CELL_taken_trap_handler] =
        handled ? s->reader.next.signal[ETRACE_SIGNAL_IADDR] : 0;
    put_before(s, cells);
    s->off.trapped = true;
}

/* The reader is at a block. */
static void enter_block(struct etrace_ingress_stage *s)
{
    const struct etrace_block_reader *r = &s->reader;
    s->position = r->facts.repeated;
    s->part.broken =
        s->part.broken || (r->has_due && !r->before.anywhere && etrace_block_retires(&r->block) &&
                           r->due != r->block.signal[ETRACE_SIGNAL_IADDR]);
    s->continues = r->facts.repeated > 0 && s->aligned && s->through;
    etrace_ingress_qualify(s);
}

void etrace_ingress_begin(struct etrace_ingress_stage *s)
{
    if (s->reader.has_block) {
        enter_block(s);
    }
}

static void go_on(struct etrace_ingress_stage *s)
{
    const bool retired = etrace_block_retires(&s->reader.block);
    etrace_block_reader_next(&s->reader);
    s->position = 0;
    s->synchronises = s->reported = s->continues = false;
    s->entered_by = ETRACE_BY_SEQUENCE;
    s->mispredicted = false;
    s->outcome = ETRACE_NO_OUTCOME;
    s->off.directly = s->off.directly && !retired;
    s->begins = s->cut = false;
    s->off.halted = s->off.halted || s->reader.before.halts;
    s->differs = s->differs_due = 0;
    etrace_ingress_begin(s);
}

static void count_compared(const struct etrace_ingress_stage *s, enum etrace_state state)
{
    if (s->uncompared != NULL && etrace_block_retires(&s->reader.block) &&
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
    const bool retires = etrace_block_retires(&s->reader.block);
    const bool quiet = retires && !etrace_block_traps(&s->reader.block) &&
                       etrace_block_is_quiet(&s->reader.reading, &s->reader.block, &s->reader.facts,
                                             s->reader.context_before);
    if (state == ETRACE_TRACED) {
        s->left = 0;
        s->left_from = retires ? s->reader.facts.last : s->left_from;
        s->left_quiet = quiet;
        return;
    }
    s->left += s->qualified.qualifies != ETRACE_NO;
    s->left_quiet = s->left_quiet && quiet;
    if (s->left_quiet && s->reader.facts.last == s->left_from) {
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
    cells[ETRACE_CELL_block_retires] = etrace_block_retires(&s->reader.block);
    put_facts(&s->reader.facts, cells);
    put_instruction(&s->reader.block, &s->reader.facts.instruction, cells);
    put_path(s, state, cells);
    put_qualification(s, cells);
    etrace_ingress_take_block(s);
    s->traced += state == ETRACE_TRACED;
    s->qualifying += etrace_block_retires(&s->reader.block) && s->qualified.qualifies == ETRACE_YES;
    count_compared(s, state);
    count_left(s, state);
    if (state == ETRACE_TRACED && etrace_block_traps(&s->reader.block)) {
        etrace_ingress_take_trap(s);
    }
    s->blocks++;
    go_on(s);
}
