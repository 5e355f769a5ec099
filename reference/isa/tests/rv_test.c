#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv.h"
#include "isa/rv_table.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Words that the tools of rv_oracle_test.c are too old for, and what those do not print. */
struct word {
    uint32_t word;
    enum rv_isa isa;
    unsigned class_id;
    uint64_t info; /* flags, transfer and sizes; without length, validity and shape */
    uint32_t x_read, x_written, f_read, f_written;
};

#define R(n) (1u << (n))

static void check(const struct word *words, size_t count)
{
    const uint64_t rest = ~(RV_INFO(CLASS) * 0xff | RV_INFO(LENGTH) * 0x1f | RV_INFO(IS_VALID) |
                            RV_INFO(SHAPE) * 0x7f);
    for (size_t i = 0; i < count; i++) {
        const struct word *w = &words[i];
        const uint64_t info = rv_classify(w->word, w->isa);
        struct rv_registers registers;
        rv_registers(w->word, info, &registers);
        if (rv_info_class(info) != w->class_id || (info & rest) != w->info ||
            registers.read[0] != w->x_read || registers.written[0] != w->x_written ||
            registers.read[1] != w->f_read || registers.written[1] != w->f_written) {
            print_error("%08x is %s with %016llx, x %x %x, f %x %x\n", w->word,
                        rv_class_name(rv_info_class(info)), (unsigned long long)(info & rest),
                        registers.read[0], registers.written[0], registers.read[1],
                        registers.written[1]);
        }
        assert_int_equal(rv_info_class(info), w->class_id);
        assert_true((info & rest) == w->info);
        assert_int_equal(registers.read[0], w->x_read);
        assert_int_equal(registers.written[0], w->x_written);
        assert_int_equal(registers.read[1], w->f_read);
        assert_int_equal(registers.written[1], w->f_written);
    }
}

#define INDIRECT_CALL RV_GOES(INDIRECT_CALL)
#define RETURN        RV_GOES(RETURN)
#define CAS           (RV_READ | RV_MAY_WRITE | RV_INFO(IS_ATOMIC))
#define ORDER         (RV_INFO(IS_ACQUIRE) | RV_INFO(IS_RELEASE))
#define S0_S7         (R(8) | R(9) | 0x3fu << 18)
#define S0_S11        (R(8) | R(9) | 0x3ffu << 18)

static void zcmp_and_zcmt_name_their_registers_and_accesses(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0xb842, RV_32_ZCM, RV_PUSH, RV_WRITE | RV_EACH(1, 2), R(1) | R(2), R(2), 0, 0},
        {0xb8f2, RV_64_ZCM, RV_PUSH, RV_WRITE | RV_EACH(13, 3), R(1) | R(2) | S0_S11, R(2), 0, 0},
        {0xba52, RV_64_ZCM, RV_POP, RV_READ | RV_EACH(2, 3), R(2), R(1) | R(2) | R(8), 0, 0},
        {0xbe42, RV_64_ZCM, RV_POP_RETURN, RV_READ | RETURN | RV_EACH(1, 3), R(2), R(1) | R(2), 0,
         0},
        {0xbcc6, RV_32_ZCM, RV_POP_RETURN, RV_READ | RETURN | RV_EACH(9, 2), R(2),
         R(1) | R(2) | R(10) | S0_S7, 0, 0},
        {0xaca2, RV_64_ZCM, RV_MOVE_PAIR, 0, R(10) | R(11), R(8) | R(9), 0, 0},
        {0xace2, RV_64_ZCM, RV_MOVE_PAIR, 0, R(8) | R(9), R(10) | R(11), 0, 0},
        {0xac62, RV_64_ZCM, RV_MOVE_PAIR, 0, R(8), R(10) | R(11), 0, 0},
        {0xad2a, RV_32_ZCM, RV_RESERVED, 0, 0, 0, 0, 0},
        {0xb832, RV_32_ZCM, RV_RESERVED, 0, 0, 0, 0, 0},
        {0xb942, RV_32_ZCM, RV_RESERVED, 0, 0, 0, 0, 0},
        {0xa002, RV_32_ZCM, RV_TABLE_JUMP, RV_GOES(INDIRECT_JUMP), 0, 0, 0, 0},
        {0xa07e, RV_32_ZCM, RV_TABLE_JUMP, RV_GOES(INDIRECT_JUMP), 0, 0, 0, 0},
        {0xa082, RV_32_ZCM, RV_TABLE_JUMP, INDIRECT_CALL, 0, R(1), 0, 0},
        {0xb842, RV_32, RV_FSTORE, RV_WRITE | RV_OF_FLOAT | RV_EACH(1, 3), R(2), 0, R(16), 0},
        {0x2000, RV_64_ZCM, RV_RESERVED, 0, 0, 0, 0, 0},
    };
    check(words, COUNT(words));
}

static void recent_extensions_have_their_classes(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0x833c, RV_64, RV_LOAD, RV_READ | RV_EACH(1, 0), R(14), R(15), 0, 0},
        {0x873c, RV_64, RV_LOAD, RV_READ | RV_EACH(1, 1), R(14), R(15), 0, 0},
        {0x877c, RV_32, RV_LOAD, RV_READ | RV_EACH(1, 1), R(14), R(15), 0, 0},
        {0x8b3c, RV_32, RV_STORE, RV_WRITE | RV_EACH(1, 0), R(14) | R(15), 0, 0, 0},
        {0x8f3c, RV_32, RV_STORE, RV_WRITE | RV_EACH(1, 1), R(14) | R(15), 0, 0, 0},
        {0x8f7c, RV_32, RV_RESERVED, 0, 0, 0, 0, 0},
        {0x9c45, RV_64, RV_MULTIPLY, 0, R(8) | R(9), R(8), 0, 0},
        {0x9c61, RV_64, RV_INTEGER, 0, R(8), R(8), 0, 0},
        {0x9c71, RV_64, RV_BIT, 0, R(8), R(8), 0, 0},
        {0x9c71, RV_32, RV_RESERVED, 0, 0, 0, 0, 0},
        {0x6081, RV_64, RV_MOP, 0, 0, 0, 0, 0},
        {0x81c0c0f3, RV_64, RV_MOP, 0, R(1), R(1), 0, 0},
        {0x8220c0f3, RV_64, RV_MOP, 0, R(1) | R(2), R(1), 0, 0},
        {0x28d7b5af, RV_64, RV_CAS, CAS | RV_EACH(1, 3), R(11) | R(13) | R(15), R(11), 0, 0},
        {0x28d7b5af, RV_32, RV_RESERVED, 0, 0, 0, 0, 0},
        {0x2ee7b52f, RV_32, RV_CAS, CAS | ORDER | RV_EACH(1, 3), R(10) | R(11) | R(14) | R(15),
         R(10) | R(11), 0, 0},
        {0x2e77bfaf, RV_64, RV_CAS, CAS | ORDER | RV_EACH(1, 3), R(31) | R(7) | R(15), R(31), 0, 0},
        {0x28e7c52f, RV_64, RV_CAS, CAS | RV_EACH(1, 4), R(10) | R(11) | R(14) | R(15),
         R(10) | R(11), 0, 0},
        {0x28e7c52f, RV_32, RV_RESERVED, 0, 0, 0, 0, 0},
        {0x00c5852f, RV_32, RV_AMO, RV_READ | RV_WRITE | RV_INFO(IS_ATOMIC) | RV_EACH(1, 0),
         R(11) | R(12), R(10), 0, 0},
        {0x48c5a52f, RV_32, RV_AMO, RV_READ | RV_WRITE | RV_INFO(IS_ATOMIC) | RV_EACH(1, 2),
         R(11) | R(12), R(10), 0, 0},
        {0x0ec5d533, RV_64, RV_CONDITIONAL_ZERO, 0, R(11) | R(12), R(10), 0, 0},
        {0x0ec5f533, RV_64, RV_CONDITIONAL_ZERO, 0, R(11) | R(12), R(10), 0, 0},
        {0xe21485d3, RV_32, RV_FLOAT, RV_OF_FLOAT, 0, R(11), R(9), 0},
        {0xe21485d3, RV_64, RV_RESERVED, 0, 0, 0, 0, 0},
        {0xf01080d3, RV_64, RV_FLOAT, RV_OF_FLOAT, 0, 0, 0, R(1)},
        {0xb2b504d3, RV_32, RV_FLOAT, RV_OF_FLOAT, R(10) | R(11), 0, 0, R(9)},
        {0x70200073, RV_64, RV_MNRET, RV_INFO(IS_TRAP_RETURN), 0, 0, 0, 0},
        {0x10400073, RV_64, RV_SCTRCLR, 0, 0, 0, 0, 0},
        {0x8c000073, RV_64, RV_CUSTOM, 0, 0, 0, 0, 0},
        {0x0000000b, RV_64, RV_CUSTOM, 0, 0, 0, 0, 0},
    };
    check(words, COUNT(words));
}

static void rounds_of_vector_cryptography_update_vd(void **state)
{
    (void)state;
    /* VAESDM.VV v10, v9; VSHA2MS.VV v10, v9, v8; VAESKF1.VI v10, v9, 1 */
    static const uint32_t words[] = {0xa2902577, 0xb6942577, 0x8a90a577};
    static const uint32_t read[] = {R(9) | R(10), R(8) | R(9) | R(10), R(9)};
    for (size_t i = 0; i < COUNT(words); i++) {
        const uint64_t info = rv_classify(words[i], RV_64);
        struct rv_registers registers;
        rv_registers(words[i], info, &registers);
        assert_int_equal(rv_info_class(info), RV_VECTOR);
        assert_int_equal(registers.read[RV_FILE_V], read[i]);
        assert_int_equal(registers.written[RV_FILE_V], R(10));
        assert_int_equal(registers.read[RV_FILE_X], 0);
    }
}

static void hints_have_no_effect_and_nop_is_none(void **state)
{
    (void)state;
    static const uint32_t hints[] = {0x00100013, 0x00000037, 0x00000017, 0x00208033,
                                     0x0100000f, 0x0000000f, 0x00200033, 0x0005,
                                     0x0281,     0x4001,     0x6005,     0x8006,
                                     0x900a,     0x8001,     0x00016013, 0x0000103b};
    static const uint32_t others[] = {0x00000013, 0x0001, 0x00000033 | R(7), 0x02000033, 0x0ff0000f,
                                      0x8330000f, 0x0285};
    for (size_t i = 0; i < COUNT(hints); i++) {
        assert_true(rv_info_is_hint(rv_classify(hints[i], RV_64)));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(rv_info_is_hint(rv_classify(others[i], RV_64)));
        assert_true(rv_info_is_valid(rv_classify(others[i], RV_64)));
    }
}

static void lengths_follow_from_the_low_bits(void **state)
{
    (void)state;
    static const struct {
        uint16_t low;
        unsigned length;
    } lengths[] = {{0x0000, 2}, {0xfffe, 2},  {0x0003, 4},  {0x006f, 4},  {0x001f, 6}, {0x005f, 6},
                   {0x003f, 8}, {0x007f, 10}, {0x107f, 12}, {0x607f, 22}, {0x707f, 0}};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        assert_int_equal(rv_length(lengths[i].low), lengths[i].length);
        const uint64_t info = rv_classify(lengths[i].low, RV_64);
        assert_int_equal(rv_info_length(info), lengths[i].length);
        if (lengths[i].length != 2 && lengths[i].length != 4) {
            assert_int_equal(rv_info_class(info), RV_UNKNOWN);
        }
    }
    assert_int_equal(rv_info_class(rv_classify(0x12340000, RV_32)), RV_ILLEGAL);
    assert_int_equal(rv_info_class(rv_classify(UINT32_MAX, RV_32)), RV_ILLEGAL);
    assert_int_equal(rv_info_length(rv_classify(UINT32_MAX, RV_32)), 4);
}

static void words_of_rv128_are_unknown(void **state)
{
    (void)state;
    assert_int_equal(rv_isa_of(32), RV_32);
    assert_int_equal(rv_isa_of(64), RV_64);
    assert_int_equal(rv_isa_of(128), RV_ISA_UNKNOWN);
    uint64_t target = 7;
    for (uint32_t word = 0; word < 0x20000; word++) {
        const uint64_t info = rv_classify(word, RV_ISA_UNKNOWN);
        assert_true(info == (RV_UNKNOWN | RV_INFO(LENGTH) * rv_length((uint16_t)word)));
        assert_false(rv_direct_target(word, RV_ISA_UNKNOWN, 0x1000, &target));
    }
    assert_int_equal(target, 7);
}

static void direct_targets_wrap_at_xlen(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        enum rv_isa isa;
        uint64_t pc, target;
    } words[] = {
        {0xffdff06f, RV_64, 0, UINT64_C(0xfffffffffffffffc)},
        {0xffdff06f, RV_32, 0, 0xfffffffc},
        {0x00000463, RV_32, 0xfffffffc, 4},
        {0x00000463, RV_64, 0xfffffffc, UINT64_C(0x100000004)},
        {0xfe000ee3, RV_64, 0x1000, 0xffc},
        {0xbffd, RV_64, 0x1000, 0xffe},
        {0x2009, RV_32, 0x1000, 0x1002},
        {0xdffd, RV_64_ZCM, 0x1000, 0xffe},
        {0x00100067, RV_64, 0x1000, 0},
        {0x80000067, RV_64, 0x1000, UINT64_C(0xfffffffffffff800)},
        {0x800000e7, RV_32_ZCM, 0x1000, 0xfffff800},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        uint64_t target = 1;
        assert_true(rv_direct_target(words[i].word, words[i].isa, words[i].pc, &target));
        assert_true(target == words[i].target);
    }
    uint64_t untouched = 1;
    assert_false(rv_direct_target(0x00008067, RV_64, 0, &untouched)); /* RET */
    assert_false(rv_direct_target(0x8082, RV_64, 0, &untouched));     /* C.JR x1 */
    assert_int_equal(untouched, 1);
}

static void bases_and_operands_are_told_by_their_names(void **state)
{
    (void)state;
    assert_int_equal(rv_base(0x00832283, rv_classify(0x00832283, RV_64)), 6);  /* LW x5, 8(x6) */
    assert_int_equal(rv_base(0x4282, rv_classify(0x4282, RV_64)), 2);          /* C.LWSP */
    assert_int_equal(rv_base(0xb842, rv_classify(0xb842, RV_64_ZCM)), 2);      /* CM.PUSH */
    assert_int_equal(rv_base(0x0045200f, rv_classify(0x0045200f, RV_64)), 10); /* CBO.ZERO */
    assert_int_equal(rv_base(0x12b50073, rv_classify(0x12b50073, RV_64)), 10); /* SFENCE.VMA */
    assert_int_equal(rv_base(0x0ff0000f, rv_classify(0x0ff0000f, RV_64)), -1); /* FENCE */
    assert_int_equal(rv_base(0x00c58533, rv_classify(0x00c58533, RV_64)), -1); /* ADD */
    const uint32_t fused = 0x68c5f543; /* FMADD.S f10, f11, f12, f13 */
    const uint64_t info = rv_classify(fused, RV_64);
    for (unsigned i = 0; i < RV_OP_COUNT; i++) {
        const struct rv_operand operand = rv_operand(fused, info, (enum rv_operand_index)i);
        assert_int_equal(operand.registers, R(10 + i));
        assert_int_equal(operand.file, RV_FILE_F);
        assert_int_equal(operand.is_written, i == RV_OP_RD);
        assert_int_equal(operand.is_read, i != RV_OP_RD);
    }
    assert_int_equal(rv_csr(0x30051073), 0x300);
    assert_int_equal(rv_amo_operation(0xe0c5a52f), 0x1c);
}

static void offsets_are_those_that_an_assembler_puts_into_the_word(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        int64_t offset;
    } known[] = {
        {0x80058503, -2048}, /* lb a0, -2048(a1) */
        {0x7ff5b503, 2047},  /* ld a0, 2047(a1) */
        {0xff813507, -8},    /* fld fa0, -8(sp) */
        {0xfea5bfa3, -1},    /* sd a0, -1(a1) */
        {0x40a59023, 1024},  /* sh a0, 1024(a1) */
        {0x7ea5afa7, 2047},  /* fsw fa0, 2047(a1) */
        {0x1005a52f, 0},     /* lr.w a0, (a1) */
        {0x00b6352f, 0},     /* amoadd.d a0, a1, (a2) */
        {0x557e, 252},       /* c.lwsp a0, 252(sp) */
        {0x757e, 504},       /* c.ldsp a0, 504(sp) */
        {0xdfaa, 252},       /* c.swsp a0, 252(sp) */
        {0xffaa, 504},       /* c.sdsp a0, 504(sp) */
        {0x5de8, 124},       /* c.lw a0, 124(a1) */
        {0xc1c8, 4},         /* c.sw a0, 4(a1) */
        {0x7de8, 248},       /* c.ld a0, 248(a1) */
        {0xe588, 8},         /* c.sd a0, 8(a1) */
        {0x3de8, 248},       /* c.fld fa0, 248(a1) */
        {0x8068, 3},         /* c.lbu a0, 3(s0) */
        {0x8468, 2},         /* c.lh a0, 2(s0) */
    };
    static const uint32_t without[] = {
        0xffc580e7, /* jalr ra, -4(a1) */
        0x00c58533, /* add a0, a1, a2 */
        0x0045200f, /* cbo.zero (a0) */
        0x02058507, /* vle8.v v10, (a1) */
    };
    int64_t offset = 77;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(rv_offset(known[i].word, rv_classify(known[i].word, RV_64), &offset));
        assert_int_equal(offset, known[i].offset);
    }
    offset = 77;
    for (unsigned i = 0; i < sizeof without / sizeof without[0]; i++) {
        assert_false(rv_offset(without[i], rv_classify(without[i], RV_64), &offset));
    }
    assert_false(rv_offset(0xb842, rv_classify(0xb842, RV_64_ZCM), &offset)); /* CM.PUSH */
    assert_int_equal(offset, 77);
}

static void names_are_unique_and_known(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RV_CLASS_COUNT; i++) {
        assert_true(rv_class_text(i)[0] != '\0');
        for (unsigned n = 0; n < i; n++) {
            assert_string_not_equal(rv_class_name(i), rv_class_name(n));
        }
    }
    assert_string_equal(rv_class_name(RV_CLASS_COUNT), "unknown");
    assert_string_equal(rv_class_text(RV_CLASS_COUNT), "no class");
    assert_string_equal(rv_transfer_name(RV_TRANSFER_SWAP), "swap");
    assert_string_equal(rv_transfer_name(RV_TRANSFER_COUNT), "unknown");
}

static void fields_of_a_classification_do_not_overlap(void **state)
{
    (void)state;
    uint64_t used = 0;
#define X(id, name, low, width, text)                                                              \
    {                                                                                              \
        const uint64_t mask = ((UINT64_C(1) << (width)) - 1) << (low);                             \
        assert_true((used & mask) == 0);                                                           \
        used |= mask;                                                                              \
    }
    RV_INFO_FIELDS(X)
#undef X
    assert_true(RV_CLASS_COUNT <= 1u << RV_INFO_CLASS_WIDTH);
    assert_true(RV_TRANSFER_COUNT <= 1u << RV_INFO_TRANSFER_WIDTH);
    assert_true(RV_SHAPE_COUNT <= 1u << RV_INFO_SHAPE_WIDTH);
}

static uint32_t random_word(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

/* Marks the row that decides about a word, and its class and shape. */
static void mark(bool hit[RV_TABLE_COUNT][40], bool classes[RV_CLASS_COUNT],
                 bool shapes[RV_SHAPE_COUNT], uint32_t word)
{
    for (unsigned isa = 0; isa < RV_ISA_UNKNOWN; isa++) {
        const enum rv_table_id id = rv_first_table(word);
        const struct rv_table *table = rv_table(id);
        size_t i = 0;
        while (!rv_row_matches(&table->rows[i], word, (enum rv_isa)isa)) {
            i++;
        }
        hit[id][i] = true;
        const uint64_t info = rv_classify(word, (enum rv_isa)isa);
        classes[rv_info_class(info)] = true;
        shapes[rv_info_shape(info)] = true;
    }
}

/* The first word of each table, by opcode and funct3 or quadrant and funct3, with the bits of each
 * of its rows and random other ones. */
static void every_row_class_and_shape_is_reached(void **state)
{
    (void)state;
    static bool hit[RV_TABLE_COUNT][40];
    bool classes[RV_CLASS_COUNT] = {false};
    bool shapes[RV_SHAPE_COUNT] = {false};
    uint64_t seed = 5;
    classes[rv_info_class(rv_classify(0x1f, RV_64))] = true;
    for (uint32_t key = 0; key < 4 * 32 * 8; key++) {
        const bool half = (key & 3) != 3;
        const uint32_t fixed = half ? 0xe003 : 0x707f;
        const uint32_t base =
            half ? (key & 3) | (key >> 7 & 7) << 13 : (key & 0x7f) | (key >> 7 & 7) << 12;
        if ((base & 0x1f) == 0x1f) {
            continue;
        }
        const struct rv_table *table = rv_table(rv_first_table(base));
        assert_true(table->count <= 40);
        assert_int_equal(table->rows[table->count - 1].mask, 0);
        assert_int_equal(table->rows[table->count - 1].absent, 0);
        for (size_t i = 0; i < table->count; i++) {
            const struct rv_row *row = &table->rows[i];
            assert_int_equal(row->value & ~row->mask, 0);
            for (unsigned n = 0; n < 60 && ((row->value ^ base) & row->mask & fixed) == 0; n++) {
                const uint32_t word =
                    (random_word(&seed) & ~(row->mask | fixed)) | row->value | base;
                mark(hit, classes, shapes, half ? word & 0xffff : word);
            }
        }
    }
    for (unsigned id = 0; id < RV_TABLE_COUNT; id++) {
        for (size_t i = 0; i < rv_table((enum rv_table_id)id)->count; i++) {
            if (!hit[id][i] && i + 1 < rv_table((enum rv_table_id)id)->count) {
                print_error("row %zu of table %u is never taken\n", i, id);
            }
            assert_true(hit[id][i] || i + 1 == rv_table((enum rv_table_id)id)->count);
        }
    }
    for (unsigned id = 0; id < RV_CLASS_COUNT; id++) {
        assert_true(classes[id]);
    }
    for (unsigned id = 0; id < RV_SHAPE_COUNT; id++) {
        if (!shapes[id]) {
            print_error("shape %u is of no instruction\n", id);
        }
        assert_true(shapes[id]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zcmp_and_zcmt_name_their_registers_and_accesses),
        cmocka_unit_test(recent_extensions_have_their_classes),
        cmocka_unit_test(rounds_of_vector_cryptography_update_vd),
        cmocka_unit_test(hints_have_no_effect_and_nop_is_none),
        cmocka_unit_test(lengths_follow_from_the_low_bits),
        cmocka_unit_test(words_of_rv128_are_unknown),
        cmocka_unit_test(direct_targets_wrap_at_xlen),
        cmocka_unit_test(bases_and_operands_are_told_by_their_names),
        cmocka_unit_test(offsets_are_those_that_an_assembler_puts_into_the_word),
        cmocka_unit_test(names_are_unique_and_known),
        cmocka_unit_test(fields_of_a_classification_do_not_overlap),
        cmocka_unit_test(every_row_class_and_shape_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
