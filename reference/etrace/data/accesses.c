#include "etrace/data/accesses.h"

#include "common/bytes.h"
#include "isa/rv_compute.h"

enum { VALUE_BYTES = 8, IMMEDIATE_FORM = 0x4000, OPERATION_OF_CSR = 12 };

/* --- registers --- */

static unsigned xlen_of(enum rv_isa isa)
{
    return isa == RV_32 || isa == RV_32_ZCM ? 32 : 64;
}

/* The one register of an operand that is an x register; RV_NO_REGISTER: there is none. */
static unsigned register_of(struct rv_operand operand)
{
    const uint32_t set = operand.registers;
    unsigned number = 0;
    if (operand.file != RV_FILE_X || set == 0 || (set & (set - 1)) != 0) {
        return RV_NO_REGISTER;
    }
    while ((set >> number & 1) == 0) {
        number++;
    }
    return number;
}

static bool read_register(const struct etrace_registers *registers, unsigned number,
                          uint64_t *value)
{
    const bool known = number < RV_NO_REGISTER && (registers->known >> number & 1) != 0;
    *value = known ? registers->value[number] : 0;
    return known;
}

void etrace_registers_forget(struct etrace_registers *registers)
{
    *registers = (struct etrace_registers){.known = 1};
}

static void write_register(struct etrace_registers *registers, unsigned number, uint64_t value)
{
    if (number > 0 && number < RV_NO_REGISTER) {
        registers->value[number] = value;
        registers->known |= UINT32_C(1) << number;
    }
}

static bool result_of(const struct etrace_registers *registers, uint64_t pc, uint32_t word,
                      uint64_t info, enum rv_isa isa, uint64_t *result)
{
    struct rv_computation c;
    uint64_t first = 0;
    uint64_t second = 0;
    if (rv_info_class(info) == RV_AUIPC) {
        *result = pc + rv_sign_extend(word & 0xfffff000, 32);
        return true;
    }
    if (rv_info_transfer(info) != RV_TRANSFER_NONE) {
        *result = pc + rv_info_length(info);
        return true;
    }
    if (!rv_computation(word, info, isa, &c) || (c.read & ~registers->known) != 0) {
        return false;
    }
    (void)read_register(registers, c.first, &first);
    (void)read_register(registers, c.second, &second);
    *result = rv_compute(&c, first, second);
    return true;
}

void etrace_registers_follow(struct etrace_registers *registers, uint64_t pc, uint32_t word,
                             enum rv_isa isa)
{
    const uint64_t info = rv_classify(word, isa);
    struct rv_registers of;
    uint64_t result = 0;
    rv_registers(word, info, &of);
    const uint32_t written = of.written[RV_FILE_X];
    const bool known = written != 0 && (written & (written - 1)) == 0 &&
                       result_of(registers, pc, word, info, isa, &result);
    registers->known &= ~written | 1;
    if (known) {
        const struct rv_operand only = {.registers = written, .file = RV_FILE_X};
        write_register(registers, register_of(only), rv_sign_extend(result, xlen_of(isa)));
    }
}

void etrace_registers_result(struct etrace_registers *registers, uint32_t word, enum rv_isa isa,
                             const struct assay_executed *recorded)
{
    struct rv_registers of;
    if (recorded->result_known) {
        rv_registers(word, rv_classify(word, isa), &of);
        const struct rv_operand only = {.registers = of.written[RV_FILE_X], .file = RV_FILE_X};
        write_register(registers, register_of(only),
                       rv_sign_extend(recorded->result, xlen_of(isa)));
    }
}

/* --- the access of an instruction --- */

static enum etrace_access_type type_of(uint64_t info)
{
    const unsigned class = rv_info_class(info);
    if (class == RV_CSR) {
        return ETRACE_ACCESS_CSR;
    }
    if (rv_info_reads(info) == 0 && rv_info_writes(info) == 0 &&
        rv_info_writes_conditionally(info) == 0) {
        return class == RV_CBO_ZERO ? ETRACE_ACCESS_MANY : ETRACE_ACCESS_NONE;
    }
    if (rv_info_access_count(info) != 1) {
        return ETRACE_ACCESS_MANY;
    }
    if (class == RV_AMO) {
        return ETRACE_ACCESS_ATOMIC;
    }
    if (rv_info_is_atomic(info) != 0 || rv_info_is_reservation(info) != 0) {
        return ETRACE_ACCESS_OTHER;
    }
    return rv_info_reads(info) != 0 ? ETRACE_ACCESS_LOAD : ETRACE_ACCESS_STORE;
}

/* The subtype by the operation of an AMO; the signed and the unsigned comparisons have one. */
static void find_operation(struct etrace_access *access)
{
    static const struct {
        uint8_t operation, subtype;
    } table[] = {{0x01, 0}, {0x00, 1}, {0x0c, 2}, {0x08, 3}, {0x04, 4},
                 {0x14, 5}, {0x1c, 5}, {0x10, 6}, {0x18, 6}};
    for (size_t n = 0; n < sizeof table / sizeof table[0]; n++) {
        if (table[n].operation == rv_amo_operation(access->word)) {
            access->operation = table[n].subtype;
            return;
        }
    }
    access->type = ETRACE_ACCESS_OTHER;
}

/* CSRRW, CSRRS and CSRRC, and their forms with an immediate in the place of rs1. */
static void find_csr(struct etrace_access *access, enum rv_isa isa,
                     const struct etrace_registers *registers)
{
    const unsigned source = access->word >> 15 & 31;
    access->bytes = xlen_of(isa) / 8;
    access->operation = (uint8_t)((access->word >> OPERATION_OF_CSR & 3) - 1);
    access->location = rv_csr(access->word);
    access->location_known = true;
    if ((access->word & IMMEDIATE_FORM) != 0) {
        access->operand = source;
        access->operand_known = true;
    } else {
        access->operand_known = read_register(registers, source, &access->operand);
    }
}

static void find_by_registers(struct etrace_access *access, uint64_t info,
                              const struct etrace_registers *registers)
{
    const int base = rv_base(access->word, info);
    const unsigned source = register_of(rv_operand(access->word, info, RV_OP_RS2));
    int64_t offset = 0;
    if (base >= 0 && rv_offset(access->word, info, &offset) &&
        read_register(registers, (unsigned)base, &access->location)) {
        access->location += (uint64_t)offset;
        access->location_known = true;
    }
    if (access->bytes > VALUE_BYTES) {
        return;
    }
    if (access->type == ETRACE_ACCESS_STORE) {
        access->value_known = read_register(registers, source, &access->value);
    } else if (access->type == ETRACE_ACCESS_ATOMIC) {
        access->operand_known = read_register(registers, source, &access->operand);
    }
}

static void find_recorded(struct etrace_access *access, const struct assay_executed *recorded)
{
    const struct assay_access *made = recorded->access;
    const unsigned due = access->type == ETRACE_ACCESS_ATOMIC ? 2 : 1;
    if (recorded->accesses != due || made[0].size != access->bytes) {
        return;
    }
    access->location = made[0].address;
    access->location_known = true;
    if (made[0].content_known && made[0].write == (access->type == ETRACE_ACCESS_STORE)) {
        access->value = made[0].content;
        access->value_known = true;
    }
    if (due > 1 && made[1].content_known && made[1].write) {
        access->stored = made[1].content;
        access->stored_known = true;
    }
}

struct etrace_access etrace_access_of(uint64_t pc, uint32_t word, enum rv_isa isa,
                                      const struct etrace_registers *registers,
                                      const struct assay_executed *recorded)
{
    const uint64_t info = rv_classify(word, isa);
    struct etrace_access access = {.pc = pc, .word = word, .type = (uint8_t)type_of(info)};
    if (access.type == ETRACE_ACCESS_CSR) {
        find_csr(&access, isa, registers);
        access.value_known = recorded != NULL && recorded->result_known;
        access.value = access.value_known ? recorded->result : 0;
    } else if (access.type != ETRACE_ACCESS_NONE && access.type != ETRACE_ACCESS_MANY) {
        access.bytes = UINT32_C(1) << rv_info_access_log2(info);
        if (access.type == ETRACE_ACCESS_ATOMIC) {
            find_operation(&access);
        }
        find_by_registers(&access, info, registers);
        if (recorded != NULL && access.type != ETRACE_ACCESS_OTHER) {
            find_recorded(&access, recorded);
        }
    }
    return access;
}

/* --- the interface --- */

bool etrace_access_dtype(const struct etrace_access *access, uint64_t *dtype)
{
    switch (access->type) {
    case ETRACE_ACCESS_LOAD:
    case ETRACE_ACCESS_STORE:
        *dtype = access->type == ETRACE_ACCESS_LOAD ? ETRACE_DTYPE_LOAD : ETRACE_DTYPE_STORE;
        return true;
    case ETRACE_ACCESS_CSR:
        *dtype = (uint64_t)ETRACE_DTYPE_CSR + access->operation;
        return true;
    case ETRACE_ACCESS_ATOMIC:
        *dtype = (uint64_t)ETRACE_DTYPE_ATOMIC + access->operation;
        return true;
    default:
        return false;
    }
}

unsigned etrace_access_dsize(const struct etrace_access *access)
{
    unsigned log = 0;
    while (UINT32_C(1) << log < access->bytes) {
        log++;
    }
    return log;
}

/* --- packets --- */

static bool is_of_type(const struct etrace_access *due, const struct etrace_access *sent)
{
    return due->type == sent->type ||
           (due->type == ETRACE_ACCESS_OTHER && sent->type != ETRACE_ACCESS_CSR);
}

uint64_t etrace_access_stores(const struct etrace_access *due, uint64_t value, uint64_t operand)
{
    enum { WRITE, SET };
    if (due->type == ETRACE_ACCESS_CSR) {
        return due->operation == WRITE ? operand
               : due->operation == SET ? value | operand
                                       : value & ~operand;
    }
    return rv_amo_stores(due->word, due->bytes, value, operand);
}
static bool is_same(uint64_t a, uint64_t b, uint64_t mask)
{
    return ((a ^ b) & mask) == 0;
}

/* Data and operand of a packet, where one of two values is what is stored, and the other one the
 * operand or what is loaded: data can then be of either kind (4.4, tables 7.6 and 7.11). */
static bool pair_fits(const struct etrace_access *due, const struct etrace_access *sent,
                      uint64_t other, uint64_t mask)
{
    const uint64_t data = sent->value_known ? sent->value : due->value;
    const uint64_t operand = sent->operand;
    const uint64_t stored = due->stored_known ? due->stored : other;
    const bool computes = is_same(etrace_access_stores(due, data, operand), stored, mask);
    const bool operates = is_same(operand, other, mask);
    const bool holds =
        due->value_known || is_same(data, other, mask) || is_same(data, stored, mask);
    return (operates && (computes || !due->stored_known)) ||
           (holds && (computes || operates || is_same(operand, stored, mask)));
}

/* Whether data and operand of a packet give what is stored, where that alone is known; data can be
 * of either kind here, too. An instruction that only reads a CSR stores nothing. */
static bool stored_fits(const struct etrace_access *due, const struct etrace_access *sent,
                        uint64_t mask)
{
    enum { WRITE, RS1_BIT = 15, RS1_MASK = 31 };
    const uint64_t value = due->value_known ? due->value : sent->value;
    const bool only_reads = due->type == ETRACE_ACCESS_CSR && due->operation != WRITE &&
                            (due->word >> RS1_BIT & RS1_MASK) == 0;
    return !due->stored_known || only_reads || !(due->value_known || sent->value_known) ||
           is_same(etrace_access_stores(due, value, sent->operand), due->stored, mask) ||
           (!due->value_known &&
            (is_same(value, due->stored, mask) || is_same(sent->operand, due->stored, mask)));
}

static bool operands_fit(const struct etrace_access *due, const struct etrace_access *sent,
                         uint64_t mask)
{
    if (!sent->operand_known) {
        return true;
    }
    if (due->operand_known) {
        return is_same(due->operand, sent->operand, mask);
    }
    if (due->either_known) {
        return (!sent->value_known && !due->value_known) ||
               pair_fits(due, sent, due->either[0], mask) ||
               pair_fits(due, sent, due->either[1], mask);
    }
    return stored_fits(due, sent, mask);
}

enum etrace_differs etrace_access_differs(const struct etrace_access *due,
                                          const struct etrace_access *sent, uint64_t mask)
{
    const bool is_csr = due->type == ETRACE_ACCESS_CSR;
    const unsigned bits = due->bytes == 0 || due->bytes > VALUE_BYTES ? 64 : 8 * due->bytes;
    const uint64_t in_value = assay_mask(bits);
    if (!is_of_type(due, sent)) {
        return ETRACE_DIFFERS_TYPE;
    }
    if (!is_csr && due->bytes != 0 && due->bytes != sent->bytes) {
        return ETRACE_DIFFERS_SIZE;
    }
    if (due->type != ETRACE_ACCESS_OTHER && due->operation != sent->operation) {
        return ETRACE_DIFFERS_OPERATION;
    }
    if (due->location_known && sent->location_known &&
        ((due->location ^ sent->location) & mask) != 0) {
        return is_csr ? ETRACE_DIFFERS_NUMBER : ETRACE_DIFFERS_ADDRESS;
    }
    if (due->status != sent->status && due->status != 0 && sent->status != 0) {
        return ETRACE_DIFFERS_STATUS;
    }
    if (due->value_known && sent->value_known && ((due->value ^ sent->value) & in_value) != 0) {
        return ETRACE_DIFFERS_DATA;
    }
    return operands_fit(due, sent, in_value) ? ETRACE_DIFFERS_NOT : ETRACE_DIFFERS_OPERAND;
}
