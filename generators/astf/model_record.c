/* The output of the model: the trace, in the order of the specification, and the recorded
 * execution. At level Basic both have only one exception level. */
#include <stdlib.h>
#include <string.h>

#include "execution/execution_writer.h"
#include "generators/astf/model_machine.h"

enum { RECORD = ASTF_RECORD_BYTES, PIECE = 256, STRING_FIRST = 28, STRING_NEXT = 31 };
enum { TICKS = 16, REPEATED = 8, TEXT_MAX = 65535 };

struct model_record {
    struct assay_encoder *encoder;
    struct assay_execution_writer *writer;
    struct assay_execution_track *track;
    struct assay_generated *out;
    enum assay_error error;
    bool basic;
    uint8_t el; /* Basic: the exception level that is recorded */
    bool secure;
    bool away;         /* Basic: something unrecorded happened since the last instruction */
    bool called;       /* the last instruction was a system call */
    uint64_t expected; /* where the next instruction is, if nothing happens */
    bool any_context;  /* a Context was written */
    bool context_due;  /* another one follows even if nothing changed */
    uint8_t context[RECORD];
    uint8_t before[RECORD]; /* the Context for the state before the instruction */
    bool seen;              /* that state is recorded */
    bool any_time;
    uint64_t last_time;
    uint64_t since_time; /* instructions since then */
};

static void put(struct model_record *r, enum astf_kind kind, const uint8_t *record)
{
    const struct assay_event event = {
        .bytes = record, .bits = ASTF_RECORD_BITS, .kind = (uint16_t)kind};
    if (r->error == ASSAY_OK) {
        r->error = assay_format_astf.encoder->put(r->encoder, &event, NULL);
        r->out->records++;
    }
}

static void begin(enum astf_kind kind, uint8_t *record)
{
    assay_kind_clear(&assay_format_astf.kinds[kind], record);
}

static bool is_seen(const struct model *m)
{
    const struct model_record *r = m->record;
    return !r->basic || (m->now.el == r->el && m->now.secure == r->secure && !m->now.aarch32);
}

/* --- Header, metadata --- */

static void put_header(struct model *m)
{
    uint8_t h[RECORD];
    const char *storage = m->options->storage != NULL ? m->options->storage : "raw";
    begin(ASTF_header, h);
    astf_set(h, header, version_minor, 11);
    astf_set(h, header, single_el, m->options->basic);
    astf_set(h, header, timestamps, m->options->timestamps);
    astf_set(h, header, compressed, strcmp(storage, "raw") != 0);
    astf_set(h, header, use_zlib, strcmp(storage, "zlib") == 0 || strcmp(storage, "gzip") == 0);
    put(m->record, ASTF_header, h);
}

static void put_text(struct model_record *r, const char *text, size_t left)
{
    uint8_t s[RECORD];
    size_t here = left < STRING_FIRST ? left : STRING_FIRST;
    begin(ASTF_string, s);
    astf_set(s, string, size, left);
    memcpy(s + 4, text, here);
    put(r, ASTF_string, s);
    for (left -= here, text += here; left > 0; left -= here, text += here) {
        here = left < STRING_NEXT ? left : STRING_NEXT;
        begin(ASTF_string_cont, s);
        memcpy(s + 1, text, here);
        put(r, ASTF_string_cont, s);
    }
}

/* A String somewhere in the trace, whose text may end exactly at the end of a record. */
void model_record_note(struct model *m)
{
    static const unsigned lengths[] = {0, 1, 27, 28, 29, 59, 60, 90, 200};
    char text[200];
    if (is_seen(m)) {
        for (unsigned i = 0; i < sizeof text; i++) {
            text[i] = (char)('a' + model_draw(m, 26));
        }
        put_text(m->record, text, lengths[model_draw(m, sizeof lengths / sizeof lengths[0])]);
    }
}

/* --- Timestamps --- */

static void put_time(struct model_record *r, uint64_t time)
{
    uint8_t t[RECORD];
    begin(ASTF_timestamp, t);
    astf_set(t, timestamp, unit, 1);
    astf_set(t, timestamp, value0, time);
    put(r, ASTF_timestamp, t);
    r->any_time = true;
    r->last_time = time;
    r->since_time = 0;
}

/* 4.9: increasing; two with no instruction between them mean that the PE was suspended. */
static void stamp(struct model *m, uint64_t ticks)
{
    struct model_record *r = m->record;
    const uint64_t time = ticks / TICKS;
    if (m->options->timestamps && (!r->any_time || (r->since_time > 0 && time > r->last_time))) {
        put_time(r, time);
    }
}

/* The PE waits for some time, perhaps none. */
static void suspend(struct model *m)
{
    static const uint16_t waits[] = {0, 0, 1, 2, 50, 3000};
    struct model_record *r = m->record;
    const uint64_t begin_time = m->ticks / TICKS;
    const uint64_t wait = waits[model_draw(m, sizeof waits / sizeof waits[0])];
    m->ticks += wait * TICKS;
    if (!m->options->timestamps || wait == 0) {
        return;
    }
    const uint64_t end_time = m->ticks / TICKS;
    const uint64_t first = begin_time > r->last_time ? begin_time : r->last_time + 1;
    if (first <= end_time) {
        put_time(r, first);
    }
    if (end_time > r->last_time) {
        put_time(r, end_time);
    }
}

/* --- Contexts --- */

static void fill_context(const struct model *m, bool unsupported, uint8_t *c)
{
    const struct model_process *process = &m->process[m->now.process];
    const bool vectors = m->sm || (m->extensions & MODEL_SVE) != 0;
    begin(ASTF_context, c);
    astf_set(c, context, pstate_sm, m->sm);
    astf_set(c, context, pstate_dit, m->now.dit);
    astf_set(c, context, pstate_ssbs, m->now.ssbs);
    astf_set(c, context, evl, vectors ? model_vector_bytes(m) / 16 - 1 : 0);
    astf_set(c, context, unsupported, unsupported);
    astf_set(c, context, mte_tcf, model_tcf(m));
    astf_set(c, context, el, m->now.el);
    astf_set(c, context, secure, m->now.secure);
    astf_set(c, context, handler, m->now.handler);
    if (m->now.el == 0 && m->knows_pid) {
        astf_set(c, context, pid_valid, 1);
        astf_set(c, context, pid, process->pid);
        astf_set(c, context, tid_valid, m->knows_tid);
        astf_set(c, context, tid, m->knows_tid ? process->tid : 0);
    }
}

static void put_context(struct model_record *r, const uint8_t *context)
{
    memcpy(r->context, context, RECORD);
    put(r, ASTF_context, context);
    r->any_context = true;
    r->context_due = false;
}

/* 3.1, 4.4: before an instruction, if the state has changed, or execution continues elsewhere. */
static void prepare(struct model *m)
{
    struct model_record *r = m->record;
    const bool returned = r->away && (m->step.pc != r->expected || r->called || model_chance(m, 2));
    const bool changed = !r->any_context || memcmp(r->before, r->context, RECORD) != 0;
    if (returned || changed || r->context_due || r->since_time >= m->options->period) {
        stamp(m, m->ticks);
    }
    if (returned || changed || r->context_due) {
        put_context(r, r->before);
    }
    r->away = false;
}

void model_record_before(struct model *m)
{
    m->record->seen = is_seen(m);
    fill_context(m, false, m->record->before);
}

/* --- instructions --- */

/* The next access of at most 256 bytes; ranges have any size. */
static bool next_piece(const struct model_step *s, unsigned *at, uint64_t *done,
                       struct model_access *piece)
{
    if (*at >= s->count) {
        return false;
    }
    *piece = s->access[*at];
    piece->address += *done;
    piece->size -= *done;
    if (!piece->range && piece->size > PIECE) {
        piece->size = PIECE;
        *done += PIECE;
    } else {
        *done = 0;
        ++*at;
    }
    return true;
}

static void fill_extra(uint8_t *e, const struct model_access *a)
{
    begin(ASTF_extra_ea, e);
    astf_set(e, extra_ea, mem0_addr, a->address);
    astf_set(e, extra_ea, mem0_size, a->range ? 0 : a->size - 1);
    astf_set(e, extra_ea, mem0_is_read, a->read);
    astf_set(e, extra_ea, mem0_is_write, a->write);
    astf_set(e, extra_ea, mem0_tagged, a->tagged);
    astf_set(e, extra_ea, mem1_addr_range, a->range);
    astf_set(e, extra_ea, mem1_addr, a->range ? a->size : 0);
}

static void fill_second(uint8_t *e, const struct model_access *a)
{
    astf_set(e, extra_ea, mem1_valid, 1);
    astf_set(e, extra_ea, mem1_addr, a->address);
    astf_set(e, extra_ea, mem1_size, a->size - 1);
    astf_set(e, extra_ea, mem1_is_read, a->read);
    astf_set(e, extra_ea, mem1_is_write, a->write);
    astf_set(e, extra_ea, mem1_tagged, a->tagged);
}

/* 4.6: two accesses in a record, or one range. */
static void put_extras(struct model *m, unsigned at, uint64_t done)
{
    uint8_t e[RECORD];
    struct model_access a, b;
    bool more = next_piece(&m->step, &at, &done, &a);
    while (more) {
        fill_extra(e, &a);
        more = next_piece(&m->step, &at, &done, &b);
        if (more && !a.range && !b.range) {
            fill_second(e, &b);
            more = next_piece(&m->step, &at, &done, &b);
        }
        astf_set(e, extra_ea, extra_eas, more);
        put(m->record, ASTF_extra_ea, e);
        a = b;
    }
}

static bool is_branch(const struct model_template *t)
{
    return t->run == model_run_branch || t->run == model_run_indirect ||
           (t->run == model_run_authenticated && t->class != A64_LOAD);
}

static void put_instruction(struct model *m)
{
    const struct model_step *s = &m->step;
    uint8_t i[RECORD];
    unsigned at = 0;
    uint64_t done = 0;
    struct model_access first;
    begin(ASTF_instr, i);
    astf_set(i, instr, pc, s->pc);
    astf_set(i, instr, iword, s->word);
    astf_set(i, instr, trap, s->trap);
    astf_set(i, instr, is_branch, is_branch(s->template));
    astf_set(i, instr, ea_valid, s->taken);
    astf_set(i, instr, ea, s->taken ? s->next : 0);
    if (s->za) {
        astf_set(i, instr, xattr_mode, 2);
        astf_set(i, instr, sme_index, s->index);
    }
    if (next_piece(s, &at, &done, &first)) {
        astf_set(i, instr, ea_valid, 1);
        astf_set(i, instr, ea, first.address);
        astf_set(i, instr, is_read, first.read);
        astf_set(i, instr, is_write, first.write);
        astf_set(i, instr, ea_tagged, first.tagged);
        if (first.range) {
            astf_set(i, instr, xattr_mode, 1);
            astf_set(i, instr, ea_range, first.size);
        } else {
            astf_set(i, instr, ea_size, first.size - 1);
        }
    }
    astf_set(i, instr, extra_eas, at < s->count);
    put(m->record, ASTF_instr, i);
    put_extras(m, at, done);
}

/* --- the recorded execution --- */

static void keep(struct model_record *r, enum assay_error error)
{
    r->error = r->error != ASSAY_OK ? r->error : error;
}

/* Accesses of a recorded execution are powers of two; one that reads and writes is two. */
static unsigned to_recorded(const struct model_step *s, struct assay_access *list)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->count && !s->data_unseen; i++) {
        const struct model_access *a = &s->access[i];
        uint64_t done = 0;
        while (done < a->size && count + 2 <= ASSAY_EXECUTION_ACCESSES_MAX) {
            uint32_t size = 4096;
            while (size > a->size - done) {
                size /= 2;
            }
            const struct assay_access piece = {.address = a->address + done, .size = size};
            if (a->read) {
                list[count++] = piece;
            }
            if (a->write) {
                list[count] = piece;
                list[count++].write = true;
            }
            done += size;
        }
    }
    return count;
}

static void put_executed(struct model *m)
{
    struct model_record *r = m->record;
    struct assay_access list[ASSAY_EXECUTION_ACCESSES_MAX];
    const struct model_step *s = &m->step;
    if (r->track == NULL) {
        return;
    }
    if (s->trap && s->template->class != A64_SVC) {
        keep(r, assay_execution_put_aborted(r->track, s->pc, s->word, 4));
    } else {
        keep(r, assay_execution_put_instruction(r->track, s->pc, s->word, 4, list,
                                                to_recorded(s, list)));
    }
    keep(r, assay_execution_put_clock(r->track, m->ticks / TICKS));
}

/* Control is diverted by something other than the last instruction. */
static void put_diverted(struct model *m)
{
    struct model_record *r = m->record;
    if (r->track != NULL && is_seen(m) && !m->step.trap) {
        keep(r, assay_execution_put_diverted(r->track));
    }
}

/* --- */

static bool is_call(const struct model_step *s)
{
    const unsigned class = s->template->class;
    return class == A64_SVC || class == A64_HVC || class == A64_SMC || class == A64_BRK;
}

void model_record_step(struct model *m)
{
    struct model_record *r = m->record;
    const struct model_step *s = &m->step;
    if (!r->seen) {
        r->away = true;
        return;
    }
    put_executed(m);
    if (r->basic && s->trap && !is_call(s)) {
        /* 3.1: what did not complete need not be recorded. */
        return;
    }
    prepare(m);
    put_instruction(m);
    r->out->instructions++;
    r->since_time++;
    r->called = r->basic && s->trap;
    r->expected = s->next;
    if (s->waits) {
        suspend(m);
    }
}

/* 4.4.2: an unsupported period begins. Timestamps are of its entry and its exit. */
void model_record_unsupported(struct model *m, uint64_t ticks)
{
    struct model_record *r = m->record;
    uint8_t context[RECORD];
    put_diverted(m);
    r->away = true;
    m->ticks += ticks;
    if (r->basic) {
        return;
    }
    if (model_chance(m, 2)) {
        stamp(m, m->ticks - ticks);
    }
    fill_context(m, true, context);
    put_context(r, context);
    if (m->options->timestamps && m->ticks / TICKS > r->last_time && model_chance(m, 2)) {
        put_time(r, m->ticks / TICKS);
    }
}

/* The end of the period: a Context, after its Trap if there is one. */
void model_record_resumed(struct model *m)
{
    uint8_t context[RECORD];
    if (!m->record->basic) {
        fill_context(m, false, context);
        put_context(m->record, context);
        m->record->away = false;
    }
}

void model_record_trap(struct model *m, const struct model_cause *cause, uint64_t target)
{
    struct model_record *r = m->record;
    uint8_t t[RECORD];
    if (cause->type != MODEL_ERET) {
        put_diverted(m);
    }
    r->away = true;
    if (r->basic) {
        return;
    }
    begin(ASTF_trap, t);
    astf_set(t, trap, trap_type, cause->type);
    astf_set(t, trap, syscall_type, cause->syscall);
    astf_set(t, trap, is_virtual, cause->is_virtual);
    astf_set(t, trap, ec, cause->ec);
    astf_set(t, trap, syscall_index, cause->index);
    astf_set(t, trap, target_pc, target);
    put(r, ASTF_trap, t);
    r->away = false;
    r->context_due = r->context_due || model_chance(m, REPEATED);
}

static enum assay_error open_execution(struct model *m, struct assay_sink *sink,
                                       struct assay_diag *diag)
{
    struct model_record *r = m->record;
    /* The header can name only one process. */
    const bool one = r->basic && r->el == 0 && m->processes == 1;
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64,
        .process = one ? (uint32_t)m->process[0].pid : 0,
        .producer = "assay " ASSAY_VERSION,
        .program = "the model of a machine with exceptions",
    };
    if (sink == NULL) {
        return ASSAY_OK;
    }
    enum assay_error error = assay_execution_writer_open(sink, &header, &r->writer, diag);
    if (error == ASSAY_OK) {
        error = assay_execution_track_open(r->writer, one ? m->process[0].tid : 0, m->ticks / TICKS,
                                           &r->track);
        error = error != ASSAY_OK ? assay_sink_explain(sink, error, diag) : ASSAY_OK;
    }
    return error;
}

enum assay_error model_record_open(struct model *m, struct assay_sink *trace,
                                   struct assay_sink *execution, struct assay_generated *generated,
                                   struct assay_diag *diag)
{
    struct model_record *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    m->record = r;
    r->out = generated;
    r->basic = m->options->basic;
    r->el = m->now.el;
    r->secure = m->now.secure;
    enum assay_error error =
        assay_format_astf.encoder->open(trace, m->options->storage, &r->encoder, diag);
    error = error != ASSAY_OK ? error : open_execution(m, execution, diag);
    if (error != ASSAY_OK) {
        model_record_close(r);
        return error;
    }
    put_header(m);
    const char *text = m->options->metadata;
    if (text != NULL && text[0] != '\0') {
        put_text(r, text, strnlen(text, TEXT_MAX));
    }
    return ASSAY_OK;
}

enum assay_error model_record_error(const struct model_record *r)
{
    return r->error;
}

enum assay_error model_record_close(struct model_record *r)
{
    if (r->encoder != NULL) {
        keep(r, assay_format_astf.encoder->close(r->encoder));
    }
    if (r->track != NULL) {
        keep(r, assay_execution_track_close(r->track, true));
        keep(r, assay_execution_writer_end(r->writer, ASSAY_EXECUTION_ENDED_BY_LIMIT));
    }
    assay_execution_writer_close(r->writer);
    const enum assay_error error = r->error;
    free(r);
    return error;
}
