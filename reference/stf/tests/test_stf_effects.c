/* What the model makes of the records that tell what an instruction did: accesses with their
 * contents, data, outcomes of branches, ready registers. */
#include "stf/context.h"
#include "stf/tests/stf_support.h"

enum { RV32 = 1, RV64 = 2, NOP = 0x13, C_FSDSP = 0xa002 };
enum { LD_5_8_6 = 0x00833283, SD_5_8_6 = 0x00533423, LB_5_8_6 = 0x00830283 };
enum { AMOADD_D = 0x007332af, BEQ_5_6_16 = 0x00628863, BLTU_5_6_16 = 0x0062e863 };
enum { READ = 1, WRITE = 2, SOURCE = 2, DESTINATION = 3 };
enum { NONE = 0, BYTES = 1, BITS = 2, OTHER = 3 };

static void put_inst(struct trace *trace, uint32_t encoding)
{
    PUT(trace, inst_32, {"encoding", encoding});
}

static void put_access(struct trace *trace, unsigned size, unsigned type)
{
    PUT(trace, inst_mem_access, {"address", 0x2000}, {"size", size}, {"type", type});
}

static void put_contents(struct trace *trace, unsigned count, uint64_t data)
{
    for (unsigned i = 0; i < count; i++) {
        PUT(trace, inst_mem_content, {"data", data});
    }
}

static void put_reg(struct trace *trace, unsigned number, unsigned operand, uint64_t value)
{
    PUT(trace, inst_reg, {"type", 1}, {"number", number}, {"operand", operand}, {"value", value});
}

/* The events of a trace whose last record but the end is an instruction. */
static struct decoded finish(struct trace *trace)
{
    struct decoded all = decode_all(trace);
    assert_true(all.complete);
    free(trace->data);
    return all;
}

static void contents_are_counted_for_each_access_or_together(void **state)
{
    (void)state;
    static const struct {
        unsigned size[2], behind[2]; /* two accesses, and the contents after each */
        bool right, bits, apart;
    } cases[] = {{{8, 8}, {1, 1}, true, true, false},        {{8, 8}, {1, 0}, false, false, false},
                 {{8, 8}, {1, 2}, false, false, false},      {{8, 8}, {2, 0}, false, false, false},
                 {{8, 8}, {0, 2}, true, true, true},         {{8, 8}, {0, 1}, false, false, true},
                 {{8, 8}, {0, 0}, false, false, false},      {{16, 9}, {2, 2}, true, false, false},
                 {{64, 32}, {1, 1}, false, true, false},     {{64, 65}, {8, 9}, true, false, false},
                 {{128, 64}, {0, 3}, false, true, true},     {{0, 0}, {0, 0}, true, true, false},
                 {{1, 65535}, {1, 8192}, true, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        for (unsigned n = 0; n < 2; n++) {
            put_access(&trace, cases[i].size[n], READ);
            put_contents(&trace, cases[i].behind[n], 0);
            PUT(&trace, bus_master_access, {"size", cases[i].size[n]}, {"type", READ});
            for (unsigned c = 0; c < cases[i].behind[n]; c++) {
                PUT(&trace, bus_master_content, {0});
            }
        }
        put_inst(&trace, NOP);
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"contents_match", cases[i].right},
                      {"contents_match_bits", cases[i].bits}, {"contents_grouped", cases[i].apart},
                      {"bus_contents_match", cases[i].right},
                      {"bus_contents_grouped", cases[i].apart});
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"contents_match", 1}, {"contents_grouped", 0},
                      {"contents_match_bits", 1}, {"bus_contents_match", 1},
                      {"bus_contents_grouped", 0});
        free(all.list);
    }
}

static void sizes_are_told_from_the_word_in_bytes_or_bits(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        unsigned size, type, unit;
    } cases[] = {
        {LD_5_8_6, 8, READ, BYTES},  {LD_5_8_6, 64, READ, BITS},  {LD_5_8_6, 4, READ, OTHER},
        {LD_5_8_6, 0, READ, NONE},   {LD_5_8_6, 8, 3, NONE},      {LB_5_8_6, 8, READ, BITS},
        {SD_5_8_6, 8, WRITE, BYTES}, {AMOADD_D, 64, WRITE, BITS}, {NOP, 4, READ, NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_access(&trace, cases[i].size, cases[i].type);
        put_contents(&trace, cases[i].size > 0, 0);
        put_inst(&trace, cases[i].word);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"size_unit", cases[i].unit},
                      {"in_bits", cases[i].unit == BITS});
        ASSERT_VALUES(end_of(&all), {"sizes_in_bytes", cases[i].unit == BYTES},
                      {"sizes_in_bits", cases[i].unit == BITS});
        free(all.list);
    }
}

static void a_size_in_bits_among_sizes_in_bytes_is_no_dialect(void **state)
{
    (void)state;
    static const unsigned sizes[] = {64, 8, 64, 8, 8, 64};
    static const bool in_bits[] = {true, false, true, false, false, true};
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    for (size_t i = 0; i < 6; i++) {
        put_access(&trace, sizes[i], READ);
        put_contents(&trace, 1, 0);
        put_inst(&trace, LD_5_8_6);
    }
    PUT(&trace, inst_16, {"encoding", 1}); /* C.NOP, without an access */
    put_access(&trace, 8, READ);
    put_contents(&trace, 1, 0);
    put_inst(&trace, LD_5_8_6);
    put_access(&trace, 64, READ);
    put_contents(&trace, 1, 0);
    PUT(&trace, event, {"id", 7}, {"interrupt", 1}, {"count", 0});
    put_inst(&trace, LD_5_8_6); /* not counted: it may not have completed */
    struct decoded all = finish(&trace);
    for (size_t i = 0; i < 6; i++) {
        ASSERT_VALUES(last_of(&all, STF_inst_32, 7 - i), {"in_bits", in_bits[i]});
    }
    ASSERT_VALUES(last_of(&all, STF_inst_16, 0), {"in_bits", 0}, {"data_difference", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"in_bits", 0}, {"size_unit", BITS});
    ASSERT_VALUES(end_of(&all), {"sizes_in_bytes", 4}, {"sizes_in_bits", 3});
    free(all.list);
}

static void contents_tell_the_unit_where_the_word_does_not(void **state)
{
    (void)state;
    static const struct {
        unsigned size, contents, bytes, bits;
    } cases[] = {{8, 1, 0, 0}, {16, 2, 1, 0}, {16, 1, 0, 1}, {16, 3, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_access(&trace, cases[i].size, READ);
        put_contents(&trace, cases[i].contents, 0);
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"size_unit", NONE},
                      {"in_bits", cases[i].bits});
        ASSERT_VALUES(end_of(&all), {"sizes_in_bytes", cases[i].bytes},
                      {"sizes_in_bits", cases[i].bits});
        free(all.list);
    }
}

static void data_is_held_against_the_register(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        unsigned size, type, operand;
        uint64_t data, value;
        bool told;
        uint64_t difference;
    } cases[] = {
        {LD_5_8_6, 8, READ, DESTINATION, 5, 7, true, 2},
        {LB_5_8_6, 1, READ, DESTINATION, 0xff, UINT64_MAX, true, 0},
        {LD_5_8_6, 64, READ, DESTINATION, UINT64_MAX, 0, true, UINT64_MAX},
        {LD_5_8_6, 4, READ, DESTINATION, 5, 7, false, 0}, /* a part */
        {LD_5_8_6, 8, READ, SOURCE, 5, 7, false, 0},
        {LD_5_8_6, 8, WRITE, DESTINATION, 5, 7, false, 0},
        {SD_5_8_6, 8, WRITE, SOURCE, 5, 7, true, 2},
        {SD_5_8_6, 8, WRITE, DESTINATION, 5, 7, false, 0},
        {AMOADD_D, 8, READ, DESTINATION, 5, 7, true, 2},
        {AMOADD_D, 8, WRITE, DESTINATION, 5, 7, false, 0}, /* not what the register gets */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, 5, cases[i].operand, cases[i].value);
        put_access(&trace, cases[i].size, cases[i].type);
        put_contents(&trace, 1, cases[i].data);
        put_inst(&trace, cases[i].word);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"data_known", cases[i].told},
                      {"data_difference", cases[i].difference});
        free(all.list);
    }
}

static void put_typed_reg(struct trace *trace, unsigned type, unsigned number, unsigned operand,
                          uint64_t value)
{
    PUT(trace, inst_reg, {"type", type}, {"number", number}, {"operand", operand},
        {"value", value});
}

static void data_is_told_only_by_a_record_of_the_register_that_it_is_of(void **state)
{
    (void)state;
    enum { LD_0_8_6 = 0x00833003 };
    enum { X = 1, F = 2, FLD_0_8_6 = 0x00833007, FSD_0_8_6 = 0x00033427, FSD_5_8_6 = 0x00533427 };
    enum {
        VSSE_0_0_5 = 0x08500027,
        LW_5_8_6 = 0x00832283,
        FLW_5_8_6 = 0x00832287,
        VLE8_5_6 = 0x02030287
    };
    static const struct {
        unsigned iem, size, type; /* of the access */
        uint32_t word;
        unsigned file, number, operand; /* of the record */
        bool told;
    } cases[] = {
        {RV64, 8, READ, LD_5_8_6, X, 5, DESTINATION, true},
        {RV64, 8, READ, LD_5_8_6, X, 4, DESTINATION, false},
        {RV64, 8, READ, LD_5_8_6, F, 5, DESTINATION, false},
        {RV64, 8, WRITE, LD_5_8_6, X, 5, DESTINATION, false},
        {RV64, 8, WRITE, SD_5_8_6, X, 5, SOURCE, true},
        {RV64, 8, WRITE, SD_5_8_6, X, 6, SOURCE, false}, /* its base */
        {RV64, 8, READ, SD_5_8_6, X, 5, SOURCE, false},
        {RV64, 8, READ, AMOADD_D, X, 5, DESTINATION, true},
        {RV64, 8, WRITE, AMOADD_D, X, 7, SOURCE, false}, /* stores another value */
        {RV64, 8, READ, FLD_0_8_6, F, 0, DESTINATION, true},
        {RV64, 8, WRITE, FSD_0_8_6, F, 0, SOURCE, true},
        {RV64, 8, WRITE, FSD_5_8_6, F, 5, SOURCE, true},
        {RV64, 8, WRITE, FSD_5_8_6, X, 5, SOURCE, false},
        {RV32, 4, READ, LW_5_8_6, X, 5, DESTINATION, true},
        {RV32, 4, READ, FLW_5_8_6, F, 5, DESTINATION, true},
        {RV32, 8, READ, FLD_0_8_6, F, 0, DESTINATION, true},
        {RV64, 4, READ, LD_5_8_6, X, 5, DESTINATION, false},
        {RV32, 8, READ, LD_5_8_6, X, 5, DESTINATION, false}, /* two registers */
        {RV64, 8, READ, VLE8_5_6, F, 5, DESTINATION, false},
        {RV64, 8, READ, NOP, X, 5, DESTINATION, false},
        {RV64, 0, WRITE, VSSE_0_0_5, X, 5, SOURCE, false}, /* the stride */
        {RV64, 8, READ, LD_0_8_6, X, 0, DESTINATION, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t other = UINT64_C(0x1111111111111111);
        struct trace trace = begin_with(3, cases[i].iem, 0, 0x1000);
        /* In the other file another value is known of a register with the same number. */
        put_typed_reg(&trace, 3 - cases[i].file, cases[i].number, 1, other);
        put_inst(&trace, NOP);
        put_typed_reg(&trace, cases[i].file, cases[i].number, cases[i].operand, 0x40);
        put_access(&trace, cases[i].size, cases[i].type);
        put_contents(&trace, 1, 0x42);
        put_inst(&trace, cases[i].word);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"data_known", cases[i].told},
                      {"data_difference", cases[i].told ? 2 : 0});
        free(all.list);
    }
}

/* In RV32 the words of C.FLW and C.FSW are those of C.LD and C.SD, where Zclsd is implemented. */
static void data_of_a_compressed_word_is_told_where_it_has_one_meaning(void **state)
{
    (void)state;
    enum { X = 1, F = 2, C_LW = 0x4188, C_SW = 0xc188, C_FLW = 0x6188, C_FSW = 0xe188 };
    static const struct {
        unsigned word, file, type, operand;
        bool told;
    } cases[] = {{C_LW, X, READ, DESTINATION, true},
                 {C_SW, X, WRITE, SOURCE, true},
                 {C_FLW, F, READ, DESTINATION, false},
                 {C_FSW, F, WRITE, SOURCE, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV32, 0, 0x1000);
        put_typed_reg(&trace, cases[i].file, 10, cases[i].operand, 0x40);
        put_access(&trace, 4, cases[i].type);
        put_contents(&trace, 1, 0x42);
        PUT(&trace, inst_16, {"encoding", cases[i].word});
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_16, 0), {"data_known", cases[i].told},
                      {"data_difference", cases[i].told ? 2 : 0});
        free(all.list);
    }
}

static void a_load_of_x0_shows_its_data_or_nothing_and_a_store_of_it_writes_zero(void **state)
{
    (void)state;
    enum { LD_0_8_6 = 0x00833003, SD_0_8_6 = 0x00033423 };
    static const struct {
        uint32_t word;
        unsigned type, operand;
        uint64_t value, content;
        bool known;
        uint64_t difference;
    } cases[] = {
        {LD_0_8_6, READ, DESTINATION, 5, 5, true, 0},  {LD_0_8_6, READ, DESTINATION, 5, 7, true, 2},
        {LD_0_8_6, READ, DESTINATION, 0, 7, false, 0}, {SD_0_8_6, WRITE, SOURCE, 0, 0, true, 0},
        {SD_0_8_6, WRITE, SOURCE, 0, 7, true, 7},      {SD_0_8_6, WRITE, SOURCE, 7, 7, true, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, 0, cases[i].operand, cases[i].value);
        put_access(&trace, 8, cases[i].type);
        put_contents(&trace, 1, cases[i].content);
        put_inst(&trace, cases[i].word);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"data_known", cases[i].known},
                      {"data_difference", cases[i].difference}, {"operands_unnamed", 0});
        free(all.list);
    }
}

static void data_is_not_told_where_the_sizes_of_accesses_are_of_no_unit(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, 5, DESTINATION, 7);
    put_access(&trace, 64, READ);
    put_contents(&trace, 1, 5);
    put_access(&trace, 4, READ);
    put_inst(&trace, LD_5_8_6);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"size_unit", OTHER}, {"data_known", 0});
    free(all.list);
}

static void data_without_a_content_is_not_told(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, 5, DESTINATION, 7);
    put_access(&trace, 8, READ);
    put_inst(&trace, LD_5_8_6);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"data_known", 0}, {"data_difference", 0});
    free(all.list);
}

static void source_records_tell_the_outcome_of_a_branch(void **state)
{
    (void)state;
    static const struct {
        unsigned iem;
        uint32_t word;
        uint64_t rs1, rs2;
        bool taken;
    } cases[] = {{RV64, BEQ_5_6_16, 1, 1, true},
                 {RV64, BEQ_5_6_16, 1, UINT64_C(0x100000001), false},
                 {RV32, BEQ_5_6_16, 1, UINT64_C(0x100000001), true},
                 {RV64, BLTU_5_6_16, UINT64_C(0x80000000), UINT64_C(0x7fffffff), false},
                 {RV32, BLTU_5_6_16, UINT64_C(0x7fffffff), UINT64_C(0x80000000), true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, cases[i].iem, 0, 0x1000);
        put_reg(&trace, 5, SOURCE, cases[i].rs1);
        put_inst(&trace, cases[i].word);
        put_reg(&trace, 5, SOURCE, cases[i].rs1);
        put_reg(&trace, 6, SOURCE, cases[i].rs2);
        put_inst(&trace, cases[i].word);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"outcome_known", 0}, {"outcome_taken", 0});
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"outcome_known", 1},
                      {"outcome_taken", cases[i].taken});
        free(all.list);
    }
}

static bool holds(unsigned test, uint64_t a, uint64_t b)
{
    const uint64_t flip = test < 6 ? UINT64_C(1) << 63 : 0; /* makes signed order unsigned */
    const bool less = (a ^ flip) < (b ^ flip);
    return (test < 4 ? a == b : less) != (test % 2 != 0);
}

static void every_branch_condition_is_that_of_its_registers(void **state)
{
    (void)state;
    static const unsigned tests[] = {0, 1, 4, 5, 6, 7};
    static const unsigned registers[][2] = {{5, 6}, {31, 30}, {0, 6}, {5, 0},
                                            {1, 8}, {16, 1},  {2, 17}};
    static const uint64_t values[] = {0, 1, 2, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
    for (unsigned i = 0; i < 6 * 7 * 6 * 6; i++) {
        const unsigned test = tests[i % 6];
        const unsigned rs1 = registers[i / 6 % 7][0], rs2 = registers[i / 6 % 7][1];
        const uint64_t a = rs1 != 0 ? values[i / 42 % 6] : 0;
        const uint64_t b = rs2 != 0 ? values[i / 252] : 0;
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, rs1, SOURCE, rs1 != 0 ? a : 7); /* of x0 no record counts */
        put_reg(&trace, rs2, SOURCE, rs2 != 0 ? b : 7);
        put_inst(&trace, 0x00000863 | test << 12 | rs1 << 15 | rs2 << 20);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"outcome_known", 1},
                      {"outcome_taken", holds(test, a, b)});
        free(all.list);
    }
}

static void source_records_tell_the_outcome_of_a_compressed_branch(void **state)
{
    (void)state;
    enum { C_BEQZ = 0xc001, C_BNEZ = 0xe001 };
    for (unsigned i = 0; i < 2 * 8 * 3; i++) {
        const unsigned reg = i / 2 % 8;
        const bool bnez = i % 2 != 0;
        const unsigned recorded = i / 16; /* 0: of another register; 1: zero; 2: one */
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, recorded == 0 ? 8 + (reg ^ 1) : 8 + reg, SOURCE, recorded == 2);
        PUT(&trace, inst_16, {"encoding", (bnez ? C_BNEZ : C_BEQZ) | reg << 7});
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_16, 0), {"outcome_known", recorded != 0},
                      {"outcome_taken", recorded != 0 && (recorded == 2) == bnez});
        free(all.list);
    }
}

static void what_a_word_does_is_not_known_where_others_share_in_it(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_inst(&trace, NOP);
    PUT(&trace, inst_microop, {"size", 4});
    put_inst(&trace, NOP);
    PUT(&trace, event, {"id", 2}, {"count", 0});
    put_inst(&trace, NOP);
    put_inst(&trace, 0x0003a283); /* its low bits but one are those of C.FSDSP */
    put_inst(&trace, 0x0000000b); /* custom */
    PUT(&trace, inst_16, {"encoding", C_FSDSP});
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 4), {"word_known", 1}, {"effects_known", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 3), {"word_known", 0}, {"effects_known", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 2), {"word_known", 1}, {"effects_known", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"word_known", 1}, {"effects_known", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"word_known", 0}, {"effects_known", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_16, 0), {"word_known", 0}, {"effects_known", 0},
                  {"rv_is_valid", 1});
    free(all.list);
}

/* Of the words of C.FSDSP, those that Zcmp and Zcmt have. */
static void words_of_zcmp_and_zcmt_are_ambiguous_and_no_others(void **state)
{
    (void)state;
    static const struct {
        uint32_t mask, match;
        bool list; /* of registers, from 4 on */
    } forms[] = {
        {0xfc03, 0xa002, false}, /* CM.JT, CM.JALT */
        {0xfc63, 0xac22, false}, /* CM.MVSA01 */
        {0xfc63, 0xac62, false}, /* CM.MVA01S */
        {0xff03, 0xb802, true},  /* CM.PUSH */
        {0xff03, 0xba02, true},  /* CM.POP */
        {0xff03, 0xbc02, true},  /* CM.POPRETZ */
        {0xff03, 0xbe02, true},  /* CM.POPRET */
    };
    for (uint32_t word = 0; word <= UINT16_MAX; word++) {
        bool ambiguous = false;
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            ambiguous = ambiguous || ((word & forms[i].mask) == forms[i].match &&
                                      (!forms[i].list || (word >> 4 & 15) >= 4));
        }
        assert_int_equal(stf_word_ambiguous(word), ambiguous);
    }
}

static void ready_registers_are_held_against_operands(void **state)
{
    (void)state;
    enum { FLD_5_6 = 0x00833287, FSD_5_6 = 0x00533427, VLE8_5_6 = 0x02030287 };
    enum { VSE8_5_6 = 0x020302a7 };
    static const struct {
        uint32_t word;
        unsigned number;
        bool strange, other;
    } cases[] = {
        {LD_5_8_6, 5, true, false},   {LD_5_8_6, 6, false, true}, {LD_5_8_6, 7, true, true},
        {LD_5_8_6, 4095, true, true}, {FLD_5_6, 5, true, false},  {FLD_5_6, 6, false, true},
        {FSD_5_6, 5, false, true},    {FSD_5_6, 6, false, true},  {VLE8_5_6, 5, true, false},
        {VLE8_5_6, 6, false, true},   {VSE8_5_6, 5, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        PUT(&trace, inst_ready_reg, {"number", cases[i].number});
        put_inst(&trace, cases[i].word);
        put_inst(&trace, LD_5_8_6);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"group_ready", 1},
                      {"ready_not_read", cases[i].strange}, {"ready_not_written", cases[i].other});
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"group_ready", 0}, {"ready_not_read", 0},
                      {"ready_not_written", 0});
        free(all.list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_counted_for_each_access_or_together),
        cmocka_unit_test(sizes_are_told_from_the_word_in_bytes_or_bits),
        cmocka_unit_test(a_size_in_bits_among_sizes_in_bytes_is_no_dialect),
        cmocka_unit_test(contents_tell_the_unit_where_the_word_does_not),
        cmocka_unit_test(data_is_held_against_the_register),
        cmocka_unit_test(data_is_told_only_by_a_record_of_the_register_that_it_is_of),
        cmocka_unit_test(a_load_of_x0_shows_its_data_or_nothing_and_a_store_of_it_writes_zero),
        cmocka_unit_test(data_is_not_told_where_the_sizes_of_accesses_are_of_no_unit),
        cmocka_unit_test(data_without_a_content_is_not_told),
        cmocka_unit_test(source_records_tell_the_outcome_of_a_branch),
        cmocka_unit_test(every_branch_condition_is_that_of_its_registers),
        cmocka_unit_test(source_records_tell_the_outcome_of_a_compressed_branch),
        cmocka_unit_test(data_of_a_compressed_word_is_told_where_it_has_one_meaning),
        cmocka_unit_test(words_of_zcmp_and_zcmt_are_ambiguous_and_no_others),
        cmocka_unit_test(what_a_word_does_is_not_known_where_others_share_in_it),
        cmocka_unit_test(ready_registers_are_held_against_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
