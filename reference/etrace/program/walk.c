#include "etrace/program/walk.h"

#include "common/bytes.h"
#include "etrace/etrace.h"

enum { HALF = 2, WORD = 4, LINK = 1, LINK_5 = 5 };

/* --- instructions --- */

struct etrace_reading etrace_reading_of(const uint64_t *layout)
{
    const uint64_t width = layout[ETRACE_IADDRESS_WIDTH];
    const uint64_t xlen = layout[ETRACE_XLEN] != 0 ? layout[ETRACE_XLEN] : width <= 32 ? 32 : 64;
    const enum rv_isa plain = rv_isa_of((unsigned)xlen);
    const enum rv_isa isa = layout[ETRACE_ZCM] == 0 ? plain
                            : plain == RV_32        ? RV_32_ZCM
                                                    : RV_64_ZCM;
    return (struct etrace_reading){
        .isa = isa, .link_x5 = layout[ETRACE_LINK_X5] != 0, .mask = assay_mask((unsigned)width)};
}

static bool is_link(unsigned reg, const struct etrace_reading *reading)
{
    return reg == LINK || (reading->link_x5 && reg == LINK_5);
}

static unsigned rd_of(uint32_t word)
{
    return word >> 7 & 31;
}

static unsigned rs1_of(uint32_t word)
{
    return word >> 15 & 31;
}

static bool is_compressed(const struct etrace_instruction *i)
{
    return i->size == HALF;
}

/* JALR, C.JR and C.JALR alike: where the target comes from, and where the link goes. */
static void jump_registers(const struct etrace_instruction *i, unsigned *rd, unsigned *rs1)
{
    *rs1 = is_compressed(i) ? rd_of(i->word) : rs1_of(i->word);
    *rd = !is_compressed(i) ? rd_of(i->word) : i->word >> 12 & 1 ? LINK : 0; /* C.JALR : C.JR */
}

/* A jump by a register (4.1.1). A co-routine swap is neither a call nor a return. */
static void classify_indirect(struct etrace_instruction *i, const struct etrace_reading *reading)
{
    unsigned rd = 0;
    unsigned rs1 = 0;
    jump_registers(i, &rd, &rs1);
    const bool to_link = is_link(rs1, reading);
    const bool from_link = is_link(rd, reading);
    i->flow = to_link && !from_link ? ETRACE_FLOW_RETURN : ETRACE_FLOW_INDIRECT;
    i->call = from_link && (!to_link || rd == rs1);
    i->swap = from_link && to_link && rd != rs1;
    i->links = rd != 0;
}

static void classify_direct(struct etrace_instruction *i, const struct etrace_reading *reading)
{
    const unsigned rd = is_compressed(i) ? i->word >> 13 == 1 ? LINK : 0 : rd_of(i->word);
    i->flow = ETRACE_FLOW_JUMP;
    i->call = is_link(rd, reading);
    i->links = rd != 0;
}

/* Of Zcmp and Zcmt: x1 is the link register. */
static void classify_popped(struct etrace_instruction *i, unsigned transfer)
{
    i->flow = transfer == RV_TRANSFER_RETURN ? ETRACE_FLOW_RETURN : ETRACE_FLOW_INDIRECT;
    i->call = transfer == RV_TRANSFER_INDIRECT_CALL;
    i->links = i->call;
}

static void classify(struct etrace_instruction *i, const struct etrace_reading *reading)
{
    const uint64_t info = rv_classify(i->word, reading->isa);
    i->valid = rv_info_is_valid(info) || rv_info_class(info) == RV_CUSTOM;
    switch (rv_info_class(info)) {
    case RV_BRANCH:
        i->flow = ETRACE_FLOW_BRANCH;
        break;
    case RV_JAL:
        classify_direct(i, reading);
        break;
    case RV_JALR:
        classify_indirect(i, reading);
        if (rv_info_is_direct(info)) {
            i->flow = ETRACE_FLOW_JUMP; /* rs1 is x0: the target is a constant */
        }
        break;
    case RV_POP_RETURN:
    case RV_TABLE_JUMP:
        classify_popped(i, rv_info_transfer(info));
        break;
    case RV_ECALL:
    case RV_EBREAK:
        i->flow = ETRACE_FLOW_TRAP;
        break;
    default:
        i->flow = rv_info_is_trap_return(info) ? ETRACE_FLOW_XRET : ETRACE_FLOW_NONE;
        break;
    }
    if (i->flow == ETRACE_FLOW_BRANCH || i->flow == ETRACE_FLOW_JUMP) {
        (void)rv_direct_target(i->word, reading->isa, i->pc, &i->target);
    }
}

struct etrace_instruction etrace_classify(uint64_t pc, uint32_t word, unsigned size,
                                          const struct etrace_reading *reading)
{
    struct etrace_instruction i = {.pc = pc & reading->mask, .word = word, .size = (uint8_t)size};
    classify(&i, reading);
    return i;
}

struct etrace_instruction etrace_instruction_at(struct assay_image_cursor *cursor, uint64_t pc,
                                                const struct etrace_reading *reading)
{
    const struct etrace_instruction i = {.pc = pc & reading->mask};
    uint8_t bytes[WORD] = {0};
    const size_t have = assay_image_copy(cursor, i.pc, bytes, WORD);
    const unsigned length = have >= HALF ? rv_length(assay_load16(bytes)) : 0;
    const unsigned needed = length > WORD ? WORD : length;
    if (length == 0 || have < needed) {
        return i; /* a length that is not defined is not followed */
    }
    return etrace_classify(i.pc, length == HALF ? assay_load16(bytes) : assay_load32(bytes), length,
                           reading);
}

/* --- what rules ask of instructions --- */

/* Sets a field of an instruction's event. */
#define SAY(cells, field, value)                                                                   \
    ((cells)[ETRACE_CELL_instruction_##field] |= (uint64_t)(value)                                 \
                                                 << ETRACE_BIT_instruction_##field)

void etrace_say_static(const struct etrace_instruction *i, const struct etrace_reading *reading,
                       bool is_last, uint64_t *cells)
{
    const uint64_t info = rv_classify(i->word, reading->isa);
    const unsigned class_id = rv_info_class(info);
    SAY(cells, size, i->size);
    SAY(cells, word, i->word);
    SAY(cells, address, i->pc);
    SAY(cells, class, class_id);
    SAY(cells, csr, class_id == RV_CSR ? rv_csr(i->word) : 0);
    SAY(cells, csr_written, class_id == RV_CSR && rv_info_csr_written(info));
    SAY(cells, is_last, is_last);
}

static uint64_t ask(const struct etrace_instruction *i, const struct etrace_reading *reading,
                    bool is_last)
{
    uint64_t cells[ETRACE_STATIC_CELLS] = {0};
    if (reading->conditions == NULL || i->size == 0) {
        return 0;
    }
    etrace_say_static(i, reading, is_last, cells);
    return reading->conditions->met(reading->conditions, cells);
}

uint64_t etrace_met(struct assay_image_cursor *cursor, uint64_t pc, uint32_t count,
                    const struct etrace_reading *reading)
{
    uint64_t met = 0;
    for (uint32_t n = 0; reading->conditions != NULL && n < count; n++) {
        const struct etrace_instruction i = etrace_instruction_at(cursor, pc, reading);
        met |= ask(&i, reading, n + 1 == count);
        pc += i.size;
    }
    return met;
}

/* --- walks --- */

static void add(struct etrace_walk *walk, const struct etrace_instruction *i)
{
    walk->before = (struct etrace_preceding){.word = walk->last.word, .size = walk->last.size};
    walk->last = *i;
    walk->bytes += i->size;
    walk->count++;
}

struct etrace_walk etrace_walk(struct assay_image_cursor *cursor, uint64_t pc,
                               const struct etrace_reading *reading)
{
    struct etrace_walk walk = {0};
    do {
        const struct etrace_instruction i = etrace_instruction_at(cursor, pc + walk.bytes, reading);
        if (i.size == 0 || (walk.count > 0 && i.pc / ETRACE_WALK_PAGE != pc / ETRACE_WALK_PAGE)) {
            break;
        }
        walk.met |= ask(&walk.last, reading, false); /* there is none at first */
        add(&walk, &i);
    } while (walk.last.flow == ETRACE_FLOW_NONE && walk.last.valid);
    walk.met |= ask(&walk.last, reading, true);
    return walk;
}

uint32_t etrace_walk_to(struct assay_image_cursor *cursor, uint64_t pc, uint64_t address,
                        const struct etrace_reading *reading, struct etrace_instruction *at,
                        struct etrace_instruction *before)
{
    uint32_t count = 0;
    *before = (struct etrace_instruction){0};
    for (uint64_t here = pc; here <= address; here += at->size) {
        if (count > 0) {
            *before = *at;
        }
        *at = etrace_instruction_at(cursor, here, reading);
        count++;
        if (at->size == 0) {
            return 0;
        }
        if (here == address) {
            return count;
        }
    }
    return 0;
}

/* --- sequentially inferable jumps --- */

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (value ^ sign) - sign;
}

/* The constant that LUI, C.LUI or AUIPC loads, and the register. */
static bool constant_of(const struct etrace_instruction *i, const struct etrace_reading *reading,
                        unsigned *rd, uint64_t *value)
{
    const unsigned class_id = rv_info_class(rv_classify(i->word, reading->isa));
    if (i->size == 0 || (class_id != RV_LUI && class_id != RV_AUIPC)) {
        return false;
    }
    *rd = rd_of(i->word);
    *value = is_compressed(i)
                 ? sign_extend((i->word >> 12 & 1) << 17 | (i->word >> 2 & 31) << 12, 18)
                 : sign_extend(i->word & 0xfffff000, 32);
    *value += class_id == RV_AUIPC ? i->pc : 0;
    return true;
}

bool etrace_sequential_target(const struct etrace_instruction *before,
                              const struct etrace_instruction *jump,
                              const struct etrace_reading *reading, uint64_t *target)
{
    unsigned loaded = 0;
    unsigned rd = 0;
    unsigned rs1 = 0;
    uint64_t value = 0;
    if (!constant_of(before, reading, &loaded, &value) ||
        rv_info_class(rv_classify(jump->word, reading->isa)) != RV_JALR) {
        return false;
    }
    jump_registers(jump, &rd, &rs1);
    const uint64_t offset = is_compressed(jump) ? 0 : sign_extend(jump->word >> 20, 12);
    *target = (value + offset) & reading->mask & ~UINT64_C(1);
    return loaded == rs1;
}
