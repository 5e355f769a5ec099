/* The data accesses of the record of the interface: cycle by cycle, since a cycle can have several
 * blocks, and accesses of each. */
#include "etrace/interface/data_signals.h"

#include <stdlib.h>

#include "common/bytes.h"
#include "etrace/data/multiple_accesses.h"
#include "etrace/interface/block_facts.h"
#include "etrace/packets/data.h"

enum { LINES = 64, PLACES = 256, BYTES_MOST = 1 << 10 };

/* An instruction of a block, and its access. */
struct place {
    struct etrace_access access;
    bool shown;        /* the record has the access */
    uint32_t sequence; /* number of the instruction of several accesses; 0: another one */
    struct etrace_multiple multiple; /* `sequence`: the accesses of it, of which it is one */
};

/* A line of the cycle. */
struct line {
    struct etrace_block block;
    bool happens; /* it is of a signal group */
    bool known;   /* its instructions are those of the places from `first` on */
    uint32_t first, count;
    uint32_t accesses; /* of these, that make one */
    uint32_t shown;    /* accesses of the record that are of it */
    bool many;         /* one of its instructions makes any number of accesses */
    bool doubtful;     /* accesses of the record are of it, and of which instruction is not known */
};

/* A load, by its id. */
struct request {
    uint8_t pending; /* ETRACE_PENDING_ */
    uint32_t bytes;
};

struct etrace_signalled_reader {
    struct assay_source *source; /* owned */
    struct etrace_record *record;
    struct etrace_block_reading reading;
    struct assay_image_cursor cursor;
    struct etrace_registers registers;
    uint64_t next_pc[2]; /* after the last block: where it can have gone on */
    bool has_next_pc;    /* or anywhere, but the registers are those that it left */
    bool any_next_pc;
    bool gives; /* the hart gives accesses: the record has had one, or dEnable is 1 */
    bool has_csrs, has_atomics; /* the record has had accesses of these types */
    unsigned lsbs_shift;        /* of addresses, before iaddr_lsbs are taken of them */
    uint64_t lsbs_mask;
    uint64_t data_mask; /* of addresses of data */
    struct place open;  /* the last one of the last block, if another report can follow */
    uint32_t sequences; /* instructions of several accesses so far */
    struct place made;  /* the last one of these that an access was of, with all of it */
    bool numbered;      /* it has the column cycle */
    bool unified;       /* it has the column data */

    struct line line[LINES];
    uint32_t lines;
    struct place place[PLACES];
    uint32_t places;
    bool continues; /* the next cycle is the rest of it */
    bool cut;       /* it has more lines, or the one before it had */
    bool unplaced;  /* it has an access of which the block is not known */
    struct etrace_block next;
    bool has_next;

    struct request request[ETRACE_DATA_INDEXES];
    uint32_t at;       /* the line that is next */
    bool halfway;      /* one of its two items was taken ... */
    bool access_first; /* ... and that was the access */
    uint32_t lack;     /* after the last line: the place that is next */
    struct etrace_signalled item;
    bool has_item;
};

/* --- the cycle --- */

static void read_line(struct etrace_signalled_reader *r)
{
    struct assay_diag diag;
    bool more = false;
    r->has_next = etrace_record_next(r->record, &r->next, &more, &diag) == ASSAY_OK && more;
}

static bool is_same_cycle(const struct etrace_signalled_reader *r)
{
    return r->numbered && r->has_next &&
           r->next.signal[ETRACE_SIGNAL_CYCLE] == r->line[0].block.signal[ETRACE_SIGNAL_CYCLE];
}

static void forget_requests(struct etrace_signalled_reader *r, uint8_t pending)
{
    for (size_t n = 0; n < ETRACE_DATA_INDEXES; n++) {
        r->request[n] = (struct request){.pending = pending};
    }
}

static bool follows(const struct etrace_signalled_reader *r, uint64_t first)
{
    return r->has_next_pc && (r->any_next_pc || first == r->next_pc[0] || first == r->next_pc[1]);
}

/* Where execution can go on after the last instruction of a block. */
static void leave(struct etrace_signalled_reader *r, const struct line *line,
                  const struct etrace_instruction *last)
{
    const uint64_t mask = r->reading.program.mask;
    const bool direct = last->flow == ETRACE_FLOW_JUMP || last->flow == ETRACE_FLOW_BRANCH;
    r->has_next_pc = line->known;
    r->any_next_pc = last->flow == ETRACE_FLOW_INDIRECT || last->flow == ETRACE_FLOW_RETURN;
    r->next_pc[0] = (last->pc + last->size) & mask;
    r->next_pc[1] = direct ? last->target & mask : r->next_pc[0];
}

/* The instruction of a log. */
static void take_logged(struct etrace_signalled_reader *r, struct line *line)
{
    line->first = r->places;
    line->count = 1;
    line->known = true;
    line->many = line->block.access.type == ETRACE_ACCESS_MANY;
    line->accesses = line->block.access.type != ETRACE_ACCESS_NONE;
    r->place[r->places++] = (struct place){.access = line->block.access, .shown = true};
}

/* What the instruction before left in the registers, of which no other report comes. */
static void close_reports(struct etrace_signalled_reader *r)
{
    if (r->open.sequence != 0) {
        etrace_registers_follow(&r->registers, r->open.access.pc, r->open.access.word,
                                r->reading.program.isa);
    }
    r->open.sequence = 0;
}

/* The access that a report of an instruction of several is of (2.0, 4.3): which one of them, its
 * signals say. */
static void take_multiple(struct etrace_signalled_reader *r, struct place *p, bool again)
{
    const enum rv_isa isa = r->reading.program.isa;
    const uint64_t info = rv_classify(p->access.word, isa);
    uint32_t bytes = 0;
    if (!r->reading.multiple || etrace_multiple(p->access.word, isa, &bytes) == 0) {
        return;
    }
    const struct etrace_multiple multiple = etrace_multiple_of(p->access.word, isa, &r->registers);
    p->access.type = rv_info_reads(info) != 0 ? ETRACE_ACCESS_LOAD : ETRACE_ACCESS_STORE;
    p->access.bytes = bytes;
    p->sequence = again ? r->open.sequence : ++r->sequences;
    p->multiple = again ? r->open.multiple : multiple;
}

/* The last instruction of a block, of which another report can follow. */
static void open_reports(struct etrace_signalled_reader *r, const struct line *line)
{
    const struct etrace_block *b = &line->block;
    r->open.sequence = 0;
    if (line->known && b->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_NONE) {
        r->open = r->place[line->first + line->count - 1];
    }
}

/* The instructions of a block, and what they leave in the registers. */
static void read_program(struct etrace_signalled_reader *r, struct line *line)
{
    const struct etrace_block *b = &line->block;
    const uint64_t first = b->signal[ETRACE_SIGNAL_IADDR];
    const uint64_t bytes = etrace_block_bytes(&r->reading, b);
    const enum rv_isa isa = r->reading.program.isa;
    struct etrace_instruction i = {0};
    const bool again = r->has_next_pc && r->open.sequence != 0 && first == r->open.access.pc;
    line->first = r->places;
    if (!again) {
        close_reports(r);
    }
    if (!again && !follows(r, first)) {
        etrace_registers_forget(&r->registers);
    }
    for (uint64_t at = 0; at < bytes && bytes <= BYTES_MOST && r->places < PLACES; at += i.size) {
        i = etrace_instruction_at(&r->cursor, first + at, &r->reading.program);
        if (i.size == 0) {
            break;
        }
        struct place *p = &r->place[r->places++];
        *p = (struct place){.access = etrace_access_of(i.pc, i.word, isa, &r->registers, NULL)};
        take_multiple(r, p, again && at == 0);
        line->accesses += p->access.type != ETRACE_ACCESS_NONE;
        line->many = line->many || p->access.type == ETRACE_ACCESS_MANY;
        line->count++;
        line->known = at + i.size == bytes;
        if (!line->known || p->sequence == 0) {
            etrace_registers_follow(&r->registers, i.pc, i.word, isa);
        }
    }
    open_reports(r, line);
    leave(r, line, &i);
}

static void take_line(struct etrace_signalled_reader *r)
{
    struct line *line = &r->line[r->lines++];
    *line = (struct line){.block = r->next, .happens = etrace_block_happens(&r->next)};
    const uint64_t *signal = line->block.signal;
    if (etrace_block_has(&line->block, ETRACE_SIGNAL_CONTEXT)) {
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                          .context = signal[ETRACE_SIGNAL_CONTEXT]};
        (void)assay_image_select(&r->cursor, &space);
    }
    if (signal[ETRACE_SIGNAL_RESET] != 0) {
        forget_requests(r, ETRACE_PENDING_NONE);
    }
    if (line->block.logged && etrace_block_retires(&line->block)) {
        take_logged(r, line);
    } else if (etrace_block_retires(&line->block)) {
        read_program(r, line);
    }
    /* A debugger can write registers; of a trap it is not known what follows. */
    if (signal[ETRACE_SIGNAL_HALTED] != 0 || signal[ETRACE_SIGNAL_RESET] != 0 ||
        etrace_block_traps(&line->block)) {
        r->has_next_pc = false;
        r->open.sequence = 0;
    }
    read_line(r);
}

/* --- accesses and their instructions --- */

static bool is_access(const struct line *line)
{
    return line->block.signal[ETRACE_SIGNAL_DRETIRE] != 0;
}

/* The block of the cycle with this number; null: it has none. */
static struct line *block_number(struct etrace_signalled_reader *r, uint64_t number)
{
    for (uint32_t n = 0; n < r->lines; n++) {
        if (r->line[n].happens && number-- == 0) {
            return etrace_block_retires(&r->line[n].block) ? &r->line[n] : NULL;
        }
    }
    return NULL;
}

/* The block of an access; null: the cycle has none, or it is not known which. */
static struct line *block_of(struct etrace_signalled_reader *r, struct line *line)
{
    struct line *only = NULL;
    if (etrace_block_has(&line->block, ETRACE_SIGNAL_DBLOCK)) {
        return block_number(r, line->block.signal[ETRACE_SIGNAL_DBLOCK]);
    }
    if (etrace_block_retires(&line->block)) {
        return line;
    }
    for (uint32_t n = 0; n < r->lines; n++) {
        if (etrace_block_retires(&r->line[n].block)) {
            if (only != NULL) {
                return NULL;
            }
            only = &r->line[n];
        }
    }
    return only;
}

/* Blocks of the cycle. */
static uint32_t count_retiring(const struct etrace_signalled_reader *r)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < r->lines; n++) {
        count += etrace_block_retires(&r->line[n].block);
    }
    return count;
}

/* The instructions of a block that iaddr_lsbs can name, by their addresses in the unit of
 * addresses, or else in bytes. */
static uint32_t count_named(struct etrace_signalled_reader *r, const struct line *block,
                            uint64_t lsbs, struct place **named)
{
    const unsigned shifts[] = {r->lsbs_shift, 0};
    uint32_t count = 0;
    for (size_t by = 0; by < 2 && count == 0; by++) {
        for (uint32_t n = block->first; n < block->first + block->count; n++) {
            if (((r->place[n].access.pc >> shifts[by] ^ lsbs) & r->lsbs_mask) == 0) {
                *named = count == 0 ? &r->place[n] : *named;
                count++;
            }
        }
    }
    return count;
}

/* Without iaddr_lsbs: the next access of the block, if the record has as many as the program. */
static struct place *next_place(struct etrace_signalled_reader *r, const struct line *block)
{
    if (block->count == 1) {
        return &r->place[block->first];
    }
    for (uint32_t n = block->first; n < block->first + block->count; n++) {
        struct place *p = &r->place[n];
        if (p->access.type != ETRACE_ACCESS_NONE && !p->shown && !block->many &&
            block->accesses == block->shown) {
            return p;
        }
    }
    return NULL;
}

/* The access of an instruction of several: the one that the signals say, if it makes that. */
static void find_access(struct etrace_signalled_reader *r, const struct line *line,
                        const struct place *place)
{
    const uint64_t *signal = line->block.signal;
    struct etrace_signalled *item = &r->item;
    item->due = place->access;
    item->due_most = item->due.bytes;
    if (place->sequence == 0) {
        return;
    }
    if (r->made.sequence != place->sequence) {
        r->made = *place;
    }
    item->due_most = place->multiple.bytes * place->multiple.due;
    item->due.location_known = etrace_multiple_make(
        &r->made.multiple, signal[ETRACE_SIGNAL_DADDR],
        UINT64_C(1) << (signal[ETRACE_SIGNAL_DSIZE] < 16 ? signal[ETRACE_SIGNAL_DSIZE] : 16),
        r->data_mask, &item->due.location);
}

static void find_instruction(struct etrace_signalled_reader *r, struct line *line)
{
    struct etrace_signalled *item = &r->item;
    struct line *block = block_of(r, line);
    struct place *place = NULL;
    item->owner = block != NULL ? &block->block : NULL;
    item->has_blocks = r->numbered && !r->cut;
    item->blocks =
        etrace_block_has(&line->block, ETRACE_SIGNAL_DBLOCK) ? block != NULL : count_retiring(r);
    if (block == NULL || !block->known) {
        return;
    }
    if (etrace_block_has(&line->block, ETRACE_SIGNAL_IADDR_LSBS)) {
        item->has_meant = true;
        item->meant = count_named(r, block, line->block.signal[ETRACE_SIGNAL_IADDR_LSBS], &place);
        place = item->meant == 1 ? place : NULL;
    } else {
        place = next_place(r, block);
    }
    block->doubtful = block->doubtful || place == NULL;
    item->located = place != NULL;
    if (place != NULL) {
        find_access(r, line, place);
        place->shown = true;
    }
}

/* Counts the accesses of each block. */
static void count_accesses(struct etrace_signalled_reader *r)
{
    for (uint32_t n = 0; n < r->lines; n++) {
        if (is_access(&r->line[n])) {
            struct line *block = block_of(r, &r->line[n]);
            if (block != NULL) {
                block->shown++;
            } else {
                r->unplaced = true;
            }
        }
    }
}

/* False: the record has ended. */
static bool read_cycle(struct etrace_signalled_reader *r)
{
    if (!r->has_next) {
        return false;
    }
    r->lines = r->places = r->at = r->lack = 0;
    r->unplaced = false;
    take_line(r);
    while (is_same_cycle(r) && r->lines < LINES) {
        take_line(r);
    }
    r->cut = r->continues || is_same_cycle(r);
    r->continues = is_same_cycle(r);
    count_accesses(r);
    return true;
}

/* --- items --- */

static struct request *request_of(struct etrace_signalled_reader *r, uint64_t id)
{
    return id < ETRACE_DATA_INDEXES ? &r->request[id] : NULL;
}

static bool is_atomic(uint64_t dtype)
{
    return dtype >= ETRACE_DTYPE_ATOMIC && dtype < ETRACE_DTYPE_LAST;
}

static void make_access(struct etrace_signalled_reader *r, struct line *line)
{
    const uint64_t *signal = line->block.signal;
    const uint64_t dtype = signal[ETRACE_SIGNAL_DTYPE];
    const bool atomic = is_atomic(dtype);
    struct request *request = request_of(r, signal[ETRACE_SIGNAL_LRID]);
    r->item.kind = ETRACE_SIGNALLED_ACCESS;
    find_instruction(r, line);
    r->gives = true;
    r->has_atomics = r->has_atomics || atomic;
    r->has_csrs = r->has_csrs || (dtype >= ETRACE_DTYPE_CSR && dtype < ETRACE_DTYPE_ATOMIC);
    if (etrace_block_has(&line->block, ETRACE_SIGNAL_LRID) && request != NULL &&
        (dtype == ETRACE_DTYPE_LOAD || atomic)) {
        r->item.pending = request->pending;
        /* With data an atomic access can be unified, and has no response then. */
        request->pending = !atomic      ? ETRACE_PENDING_LOAD
                           : r->unified ? ETRACE_PENDING_UNKNOWN
                                        : ETRACE_PENDING_ATOMIC;
        request->bytes = signal[ETRACE_SIGNAL_DSIZE] < 16 ? 1U << signal[ETRACE_SIGNAL_DSIZE] : 0;
    }
}

static void make_response(struct etrace_signalled_reader *r, const struct line *line)
{
    struct request *request = request_of(r, line->block.signal[ETRACE_SIGNAL_LID]);
    r->item.kind = ETRACE_SIGNALLED_RESPONSE;
    if (request != NULL) {
        r->item.pending = request->pending;
        r->item.requested = request->bytes;
        *request = (struct request){.pending = ETRACE_PENDING_NONE};
    }
}

/* A response of the cycle of its request comes after it. */
static bool answers_itself(struct etrace_signalled_reader *r, const struct line *line)
{
    const uint64_t *signal = line->block.signal;
    const struct request *request = request_of(r, signal[ETRACE_SIGNAL_LID]);
    return is_access(line) && signal[ETRACE_SIGNAL_DTYPE] == ETRACE_DTYPE_LOAD &&
           signal[ETRACE_SIGNAL_LRID] == signal[ETRACE_SIGNAL_LID] && request != NULL &&
           request->pending == ETRACE_PENDING_NONE;
}

/* The next item of the lines; false: there is no other. */
static bool make_of_lines(struct etrace_signalled_reader *r)
{
    for (; r->at < r->lines; r->at++, r->halfway = false) {
        struct line *line = &r->line[r->at];
        const bool both = is_access(line) && line->block.signal[ETRACE_SIGNAL_LRESP] != 0;
        const bool access = !r->halfway && both ? answers_itself(r, line)
                            : both              ? !r->access_first
                                                : is_access(line);
        if ((!is_access(line) && line->block.signal[ETRACE_SIGNAL_LRESP] == 0) ||
            (r->halfway && !both)) {
            continue;
        }
        r->item = (struct etrace_signalled){.line = line->block.line, .block = line->block};
        if (access) {
            make_access(r, line);
        } else {
            make_response(r, line);
        }
        if (both && !r->halfway) {
            r->access_first = access;
            r->halfway = true;
        } else {
            r->at++;
            r->halfway = false;
        }
        return true;
    }
    return false;
}

static bool is_required(const struct etrace_signalled_reader *r, const struct place *p)
{
    switch (p->access.type) {
    case ETRACE_ACCESS_LOAD:
    case ETRACE_ACCESS_STORE:
        return r->gives;
    case ETRACE_ACCESS_CSR:
        return r->has_csrs;
    case ETRACE_ACCESS_ATOMIC:
        return r->has_atomics;
    default:
        return false;
    }
}

/* The next access of the program that the cycle lacks; false: there is no other. */
static bool make_lacking(struct etrace_signalled_reader *r)
{
    for (; r->lack < r->places; r->lack++) {
        const struct place *p = &r->place[r->lack];
        const struct line *line = r->line;
        while (r->lack < line->first || r->lack >= line->first + line->count) {
            line++;
        }
        if (is_required(r, p) && !p->shown && line->known && !line->doubtful && !r->unplaced &&
            !r->cut) {
            r->item = (struct etrace_signalled){.kind = ETRACE_SIGNALLED_LACKING,
                                                .line = line->block.line,
                                                .block = line->block,
                                                .located = true,
                                                .due = p->access};
            r->lack++;
            return true;
        }
    }
    return false;
}

const struct etrace_signalled *etrace_signalled_peek(struct etrace_signalled_reader *reader)
{
    while (!reader->has_item) {
        reader->has_item = make_of_lines(reader) || make_lacking(reader);
        if (!reader->has_item && !read_cycle(reader)) {
            reader->item =
                (struct etrace_signalled){.kind = ETRACE_SIGNALLED_END, .line = UINT32_MAX};
            return &reader->item;
        }
    }
    return &reader->item;
}

void etrace_signalled_take(struct etrace_signalled_reader *reader)
{
    reader->has_item = false;
}

/* --- opening --- */

static enum assay_error start(struct etrace_signalled_reader *r,
                              const struct assay_decode_input *input, struct assay_diag *diag)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    etrace_layout(input->parameters, layout);
    r->reading = etrace_block_reading_of(layout);
    const struct etrace_record_setup setup = {r->reading.program.isa, input->execution_thread};
    enum assay_error error =
        assay_source_again(assay_execution_table(input->execution), &r->source);
    error = error == ASSAY_OK ? etrace_record_open(r->source, &setup, &r->record, diag) : error;
    if (error != ASSAY_OK) {
        return error;
    }
    r->gives =
        input->parameters->known[ETRACE_DENABLE] && input->parameters->value[ETRACE_DENABLE] == 1;
    r->data_mask = etrace_data_address_mask(&r->reading.program, layout);
    r->lsbs_shift = (unsigned)layout[ETRACE_IADDRESS_LSB];
    r->lsbs_mask = assay_mask(
        layout[ETRACE_IADDR_LSBS_WIDTH] > 0 ? (unsigned)layout[ETRACE_IADDR_LSBS_WIDTH] : 64);
    assay_image_cursor_open(&r->cursor, input->images);
    etrace_registers_forget(&r->registers);
    forget_requests(r,
                    layout[ETRACE_AFTER_RESET] != 0 ? ETRACE_PENDING_NONE : ETRACE_PENDING_UNKNOWN);
    read_line(r);
    r->numbered = etrace_block_has(&r->next, ETRACE_SIGNAL_CYCLE);
    r->unified = etrace_block_has(&r->next, ETRACE_SIGNAL_DATA);
    return ASSAY_OK;
}

enum assay_error etrace_signalled_open(const struct assay_decode_input *input,
                                       struct etrace_signalled_reader **reader,
                                       struct assay_diag *diag)
{
    struct etrace_signalled_reader *r = calloc(1, sizeof *r);
    enum assay_error error = r != NULL ? start(r, input, diag) : ASSAY_NO_MEMORY;
    const bool has_data =
        error == ASSAY_OK && r->has_next && etrace_block_has(&r->next, ETRACE_SIGNAL_DRETIRE);
    if (!has_data) {
        etrace_signalled_close(r);
        r = NULL;
        /* Another reader says what is wrong with the record. */
        error = error == ASSAY_NO_MEMORY ? error : ASSAY_OK;
    }
    *reader = r;
    return error;
}

void etrace_signalled_close(struct etrace_signalled_reader *reader)
{
    if (reader != NULL) {
        if (reader->record != NULL) {
            etrace_record_close(reader->record);
        }
        if (reader->source != NULL) {
            assay_source_close(reader->source);
        }
        free(reader);
    }
}
