#include "execution/commit_flow.h"

#include <string.h>

#include "common/bytes.h"
#include "isa/rv_compute.h"

enum { U_LEVEL, S_LEVEL, M_LEVEL = 3 };

/* Numbers of CSRs: those of M are 0x200 above those of S. */
enum { CSR_STATUS = 0x100, CSR_TVEC = 0x105, CSR_EPC = 0x141, CSR_CAUSE = 0x142, CSR_TVAL = 0x143 };
enum { MPP_BIT = 11, SPP_BIT = 8, VECTORED = 1, VECTORS = 64, WIDE = 4 };

static unsigned xlen_of(const struct assay_commit_flow *f)
{
    return f->isa == RV_32 || f->isa == RV_32_ZCM ? 32 : 64;
}

static unsigned csr_of(unsigned number, unsigned level)
{
    return number + (level << 8) - 0x100;
}

void assay_commit_flow_open(struct assay_commit_flow *flow, enum rv_isa isa)
{
    *flow = (struct assay_commit_flow){.isa = isa, .x_known = 1};
    flow->mask = assay_mask(xlen_of(flow));
}

/* --- what an instruction leaves --- */

static void set(struct assay_commit_known *known, uint64_t value)
{
    *known = (struct assay_commit_known){true, value};
}

static void write_csr(struct assay_commit_flow *f, unsigned number, bool known, uint64_t value)
{
    static const uint8_t levels[] = {S_LEVEL, M_LEVEL};
    for (size_t n = 0; n < sizeof levels; n++) {
        const unsigned level = levels[n];
        if (number == csr_of(CSR_EPC, level)) {
            f->epc[level] = (struct assay_commit_known){known, value & f->mask};
        } else if (number == csr_of(CSR_TVEC, level)) {
            f->tvec[level] = (struct assay_commit_known){known, value & f->mask};
        } else if (number == csr_of(CSR_STATUS, level)) {
            f->previous[S_LEVEL] = (struct assay_commit_known){known, value >> SPP_BIT & 1};
        }
    }
    if (number == csr_of(CSR_STATUS, M_LEVEL)) {
        f->previous[M_LEVEL] = (struct assay_commit_known){known, value >> MPP_BIT & 3};
    }
    f->has_guests = f->has_guests || (number >> 8 & 3) == 2;
}

/* A write to a CSR that the log does not show, as old versions have none: of CSRRW it is that of a
 * register. */
static void write_silently(struct assay_commit_flow *f, const struct assay_commit_line *line,
                           uint64_t info)
{
    enum { FORM_BIT = 12, RS1_BIT = 15, FORMS = 7, CSRRW = 1, NUMBERS = 31 };
    const unsigned source = line->word >> RS1_BIT & NUMBERS;
    const bool known = (line->word >> FORM_BIT & FORMS) == CSRRW && (f->x_known >> source & 1) != 0;
    if (rv_info_class(info) == RV_CSR && rv_info_csr_written(info) != 0) {
        write_csr(f, rv_csr(line->word), known, f->x[source]);
    }
}

static void write_registers(struct assay_commit_flow *f, const struct assay_commit_line *line,
                            uint64_t info)
{
    struct rv_registers of;
    write_silently(f, line, info);
    rv_registers(line->word, info, &of);
    f->x_known &= ~of.written[RV_FILE_X] | 1;
    for (unsigned n = 0; n < line->writes; n++) {
        const struct assay_commit_write *w = &line->write[n];
        if (w->file == 'x' && w->number > 0) {
            f->x[w->number] = rv_sign_extend(w->value, xlen_of(f));
            f->x_known |= UINT32_C(1) << w->number;
        } else if (w->file == 'c') {
            write_csr(f, w->number, true, w->value);
        }
    }
}

/* --- where it goes on --- */

static void go_to(struct assay_commit_flow *f, uint64_t address)
{
    f->to[f->count++] = address & f->mask;
}

/* JALR, C.JR, C.JALR: a register, and of the first one an immediate. */
static void jump_by_register(struct assay_commit_flow *f, const struct assay_commit_line *line,
                             uint64_t info)
{
    const struct rv_operand base = rv_operand(line->word, info, RV_OP_RS1);
    const uint32_t set_of = base.file == RV_FILE_X ? base.registers : 0;
    for (unsigned n = 0; n < 32; n++) {
        if (set_of == UINT32_C(1) << n && (f->x_known >> n & 1) != 0) {
            const uint64_t offset = line->size == WIDE ? rv_sign_extend(line->word >> 20, 12) : 0;
            go_to(f, (f->x[n] + offset) & ~UINT64_C(1));
            return;
        }
    }
    f->jumps = true;
}

static void return_from_trap(struct assay_commit_flow *f, unsigned class)
{
    const unsigned level = class == RV_MRET ? M_LEVEL : class == RV_SRET ? S_LEVEL : 0;
    f->returns = true;
    f->level = f->previous[level];
    f->jumps = level == 0 || !f->epc[level].known || (level == S_LEVEL && f->has_guests);
    if (!f->jumps) {
        go_to(f, f->epc[level].value);
    }
}

static void find_next(struct assay_commit_flow *f, const struct assay_commit_line *line,
                      uint64_t info)
{
    uint64_t target = 0;
    f->count = 0;
    f->jumps = f->returns = false;
    set(&f->level, line->priv);
    if (rv_info_is_trap_return(info) != 0) {
        return_from_trap(f, rv_info_class(info));
    } else if (rv_direct_target(line->word, f->isa, line->address, &target)) {
        go_to(f, target);
        if (rv_info_transfer(info) == RV_TRANSFER_CONDITIONAL) {
            go_to(f, line->address + line->size);
        }
    } else if (rv_info_transfer(info) != RV_TRANSFER_NONE) {
        jump_by_register(f, line, info);
    } else {
        go_to(f, line->address + line->size);
    }
}

void assay_commit_flow_take(struct assay_commit_flow *flow, const struct assay_commit_line *line)
{
    const uint64_t info = rv_classify(line->word, flow->isa);
    find_next(flow, line, info);
    write_registers(flow, line, info);
    flow->has_last = true;
    flow->priv = line->priv;
}

/* --- traps --- */

static bool can_be_at(const struct assay_commit_flow *f, uint64_t address)
{
    bool can = f->jumps;
    for (unsigned n = 0; n < f->count; n++) {
        can = can || f->to[n] == (address & f->mask);
    }
    return can;
}

bool assay_commit_flow_breaks(const struct assay_commit_flow *flow,
                              const struct assay_commit_line *line)
{
    if (!flow->has_last || line->priv == U_LEVEL) {
        return false;
    }
    return line->priv > flow->priv ||
           (!can_be_at(flow, line->address) && (flow->returns || line->priv == flow->priv));
}

void assay_commit_flow_leave(const struct assay_commit_flow *flow, struct assay_commit *trap)
{
    trap->priv_known = flow->has_last && flow->level.known;
    trap->priv = trap->priv_known ? (uint8_t)flow->level.value : 0;
}

/* How far an address is from the vectors of a level, in vectors; false: it is none of them. */
static bool is_vector(const struct assay_commit_flow *f, unsigned level, uint64_t address,
                      uint64_t *number)
{
    const struct assay_commit_known *tvec = &f->tvec[level];
    const uint64_t away = (address - (tvec->value & ~UINT64_C(3))) & f->mask;
    *number = away / 4;
    return tvec->known &&
           (away == 0 || ((tvec->value & 3) == VECTORED && away % 4 == 0 && *number < VECTORS));
}

void assay_commit_flow_leave_handler(const struct assay_commit_flow *flow,
                                     struct assay_commit *trap)
{
    uint64_t number = 0;
    const bool of_s = is_vector(flow, S_LEVEL, trap->from, &number);
    const bool of_m = is_vector(flow, M_LEVEL, trap->from, &number);
    trap->priv_known = of_s != of_m;
    trap->priv = of_m ? M_LEVEL : S_LEVEL;
}

void assay_commit_flow_conclude(const struct assay_commit_flow *flow,
                                const struct assay_commit_line *handler, struct assay_commit *trap)
{
    uint64_t number = 0;
    assay_commit_flow_leave(flow, trap);
    trap->from_known = flow->count == 1 && !flow->jumps;
    trap->from = trap->from_known ? flow->to[0] : 0;
    if ((flow->tvec[handler->priv].value & 3) == VECTORED &&
        is_vector(flow, handler->priv, handler->address, &number)) {
        trap->interrupt_known = true;
        trap->interrupt = trap->cause_known = number != 0;
        trap->cause = number;
    }
}

void assay_commit_flow_enter(struct assay_commit_flow *flow, const struct assay_commit *trap,
                             const struct assay_commit_line *handler)
{
    flow->epc[handler->priv] = (struct assay_commit_known){trap->from_known, trap->from};
    flow->previous[handler->priv] = (struct assay_commit_known){trap->priv_known, trap->priv};
    flow->has_last = false;
}

bool assay_commit_result(const struct assay_commit_line *line, uint64_t *value)
{
    for (unsigned n = 0; n < line->writes; n++) {
        if (line->write[n].file == 'x' && line->write[n].number > 0) {
            *value = line->write[n].value;
            return true;
        }
    }
    return false;
}

bool assay_commit_flow_reads(const struct assay_commit_flow *flow,
                             const struct assay_commit_line *line, uint8_t level,
                             struct assay_commit *trap)
{
    const uint64_t info = rv_classify(line->word, flow->isa);
    const unsigned number = rv_info_class(info) == RV_CSR ? rv_csr(line->word) : 0;
    const unsigned top = xlen_of(flow) - 1;
    uint64_t value = 0;
    if (line->priv != level || rv_info_is_trap_return(info) != 0) {
        return false;
    }
    const bool reads = number != 0 && assay_commit_result(line, &value);
    value &= flow->mask;
    if (reads && number == csr_of(CSR_CAUSE, level)) {
        trap->interrupt_known = trap->cause_known = true;
        trap->interrupt = (value >> top & 1) != 0;
        trap->cause = value & ~(UINT64_C(1) << top);
    } else if (reads && number == csr_of(CSR_TVAL, level)) {
        trap->value_known = true;
        trap->value = value;
    } else if (reads && number == csr_of(CSR_EPC, level)) {
        trap->from_known = true;
        trap->from = value;
    }
    /* What is written to them is not of this trap. */
    return !(number >= csr_of(CSR_EPC, level) && number <= csr_of(CSR_TVAL, level) &&
             rv_info_csr_written(info) != 0) &&
           !(trap->cause_known && trap->value_known && trap->from_known);
}
