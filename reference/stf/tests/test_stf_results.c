/* What the model makes of destinations and stored contents by what their sources give. */
#include "stf/tests/stf_support.h"

enum { RV32 = 1, RV64 = 2 };
enum { READ = 1, WRITE = 2, STATE = 1, SOURCE = 2, DESTINATION = 3, X = 1, F = 2 };
enum { COMPUTED = 1, EXTENDED, STORED };

struct reg {
    unsigned type, number, operand; /* type 0 ends a list */
    uint64_t value;
};

struct access {
    unsigned size, type, contents;
    uint64_t content;
};

struct group {
    unsigned iem;
    uint32_t word;
    unsigned known; /* COMPUTED, EXTENDED or STORED; else none of them is */
    bool differs;
    uint64_t result;
    struct reg regs[4];
    struct access accesses[3];
};

static void put_group(struct trace *trace, const struct group *g)
{
    for (unsigned i = 0; i < 4 && g->regs[i].type != 0; i++) {
        PUT(trace, inst_reg, {"type", g->regs[i].type}, {"number", g->regs[i].number},
            {"operand", g->regs[i].operand}, {"value", g->regs[i].value});
    }
    for (unsigned i = 0; i < 3 && g->accesses[i].size != 0; i++) {
        const struct access *a = &g->accesses[i];
        PUT(trace, inst_mem_access, {"address", 0x2000}, {"size", a->size}, {"type", a->type});
        for (unsigned n = 0; n < a->contents; n++) {
            PUT(trace, inst_mem_content, {"data", a->content});
        }
    }
    if ((g->word & 3) == 3) {
        PUT(trace, inst_32, {"encoding", g->word});
    } else {
        PUT(trace, inst_16, {"encoding", g->word});
    }
}

/* The group comes twice, and the second time after one that tells nothing. */
static void check(const struct group *g)
{
    enum { NOP = 0x13 };
    const unsigned kind = (g->word & 3) == 3 ? STF_inst_32 : STF_inst_16;
    struct trace trace = begin_with(3, g->iem, 0, 0x1000);
    put_group(&trace, g);
    PUT(&trace, inst_32, {"encoding", NOP});
    put_group(&trace, g);
    struct decoded all = decode_all(&trace);
    free(trace.data);
    assert_true(all.complete);
    ASSERT_VALUES(last_of(&all, kind, 0), {"result_known", g->known == COMPUTED},
                  {"result_differs", g->known == COMPUTED && g->differs},
                  {"extension_known", g->known == EXTENDED},
                  {"extension_differs", g->known == EXTENDED && g->differs},
                  {"stored_known", g->known == STORED},
                  {"stored_differs", g->known == STORED && g->differs}, {"result", g->result},
                  {"event", 0});
    free(all.list);
}

#define CHECK_ALL(cases)                                                                           \
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases)[0]; i++) {                                \
        check(&(cases)[i]);                                                                        \
    }

/* add x5, x6, x7; c.add x10, x11; lui x5, 0x12345; add x5, x6, x0; add x0, x6, x7; pack */
enum { ADD = 0x007302b3, C_ADD = 0x952e, LUI = 0x123452b7, ADD_ZERO = 0x000302b3 };
enum { ADD_TO_ZERO = 0x00730033, PACK = 0x087342b3 };

static void destinations_are_compared_with_what_their_sources_give(void **state)
{
    (void)state;
    static const struct group cases[] = {
        {RV64,
         ADD,
         COMPUTED,
         false,
         7,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 5, DESTINATION, 7}},
         {{0}}},
        {RV64,
         ADD,
         COMPUTED,
         true,
         7,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 5, DESTINATION, 8}},
         {{0}}},
        {RV64,
         ADD,
         COMPUTED,
         true,
         7,
         {{X, 5, DESTINATION, UINT64_C(1) << 32 | 7}, {X, 7, SOURCE, 4}, {X, 6, SOURCE, 3}},
         {{0}}},
        {RV32,
         ADD,
         COMPUTED,
         false,
         7,
         {{X, 5, DESTINATION, UINT64_C(1) << 32 | 7}, {X, 7, SOURCE, 4}, {X, 6, SOURCE, 3}},
         {{0}}},
        {RV32,
         ADD,
         COMPUTED,
         true,
         0x80000000,
         {{X, 6, SOURCE, 0x7fffffff}, {X, 7, SOURCE, 1}, {X, 5, DESTINATION, 0}},
         {{0}}},
        {RV64, ADD_ZERO, COMPUTED, false, 3, {{X, 6, SOURCE, 3}, {X, 5, DESTINATION, 3}}, {{0}}},
        {RV64,
         C_ADD,
         COMPUTED,
         true,
         9,
         {{X, 10, SOURCE, 5}, {X, 11, SOURCE, 4}, {X, 10, DESTINATION, 5}},
         {{0}}},
        {RV64,
         C_ADD,
         COMPUTED,
         false,
         9,
         {{X, 10, DESTINATION, 9}, {X, 11, SOURCE, 4}, {X, 10, SOURCE, 5}},
         {{0}}},
        {RV64,
         ADD_TO_ZERO,
         COMPUTED,
         false,
         7,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 0, DESTINATION, 0}},
         {{0}}},
        {RV64,
         ADD_TO_ZERO,
         COMPUTED,
         false,
         7,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 0, DESTINATION, 7}},
         {{0}}},
        {RV64,
         ADD_TO_ZERO,
         COMPUTED,
         true,
         7,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 0, DESTINATION, 8}},
         {{0}}},
        {RV64, LUI, COMPUTED, true, 0x12345000, {{X, 5, DESTINATION, 0x12344000}}, {{0}}}};
    CHECK_ALL(cases)
}

static void results_are_unknown_where_a_record_or_the_meaning_is_missing(void **state)
{
    (void)state;
    static const struct group cases[] = {
        {RV64, ADD, 0, false, 0, {{X, 6, SOURCE, 3}, {X, 5, DESTINATION, 8}}, {{0}}},
        {RV64, ADD, 0, false, 0, {{X, 7, SOURCE, 3}, {X, 5, DESTINATION, 8}}, {{0}}},
        {RV64, ADD, 0, false, 0, {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 5, STATE, 8}}, {{0}}},
        {RV64,
         ADD,
         0,
         false,
         0,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 4, DESTINATION, 8}},
         {{0}}},
        {RV64,
         ADD,
         0,
         false,
         0,
         {{X, 6, STATE, 3}, {X, 7, SOURCE, 4}, {X, 5, DESTINATION, 8}},
         {{0}}},
        {RV64,
         ADD,
         0,
         false,
         0,
         {{X, 6, SOURCE, 3}, {F, 7, SOURCE, 4}, {X, 5, DESTINATION, 8}},
         {{0}}},
        {RV64,
         PACK,
         0,
         false,
         0,
         {{X, 6, SOURCE, 3}, {X, 7, SOURCE, 4}, {X, 5, DESTINATION, 8}},
         {{0}}},
        {RV64, 0x00000297, 0, false, 0, {{X, 5, DESTINATION, 8}}, {{0}}}}; /* auipc x5, 0 */
    CHECK_ALL(cases)
}

static void another_encoding_mode_computes_anew(void **state)
{
    (void)state;
    enum { SRL = 0x007352b3 }; /* x5, x6, x7 */
    const struct group wide = {
        .word = SRL,
        .regs = {{X, 6, SOURCE, UINT64_C(1) << 32}, {X, 7, SOURCE, 1}, {X, 5, DESTINATION, 0}}};
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_group(&trace, &wide);
    PUT(&trace, inst_iem, {"encoding_mode", RV32});
    put_group(&trace, &wide);
    struct decoded all = decode_all(&trace);
    free(trace.data);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"result_differs", 1}, {"result", 0x80000000});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"result_known", 1}, {"result_differs", 0},
                  {"result", 0});
    free(all.list);
}

/* lw, lwu, lb, ld x5, 0(x6); flw, fld, flh f5, 0(x6); c.lw x10, 0(x10); lw x0, 0(x6);
 * sc.w x5, x7, (x6) */
enum { LW = 0x00032283, LWU = 0x00036283, LB = 0x00030283, LD = 0x00033283, LW_ZERO = 0x00032003 };
enum { FLW = 0x00032287, FLD = 0x00033287, FLH = 0x00031287, C_LW = 0x4108, SC_W = 0x187322af };

static void loads_are_extended_as_their_word_says(void **state)
{
    (void)state;
    static const struct group cases[] = {
        {RV64, LW, EXTENDED, false, 0, {{X, 5, DESTINATION, UINT64_MAX << 31}}, {{0}}},
        {RV64, LW, EXTENDED, true, 0, {{X, 5, DESTINATION, UINT64_C(1) << 31}}, {{0}}},
        {RV64, LW, EXTENDED, true, 0, {{X, 5, DESTINATION, UINT64_C(1) << 63}}, {{0}}},
        {RV64, C_LW, EXTENDED, true, 0, {{X, 10, DESTINATION, UINT64_C(1) << 31}}, {{0}}},
        {RV64, LWU, EXTENDED, false, 0, {{X, 5, DESTINATION, UINT64_C(1) << 31}}, {{0}}},
        {RV64, LWU, EXTENDED, true, 0, {{X, 5, DESTINATION, UINT64_MAX << 31}}, {{0}}},
        {RV64, LB, EXTENDED, false, 0, {{X, 5, DESTINATION, 0x7f}}, {{0}}},
        {RV64, LB, EXTENDED, true, 0, {{X, 5, DESTINATION, 0x80}}, {{0}}},
        {RV32, LB, EXTENDED, false, 0, {{X, 5, DESTINATION, 0xffffff80}}, {{0}}},
        {RV32, LB, EXTENDED, false, 0, {{X, 5, DESTINATION, UINT64_MAX << 7}}, {{0}}},
        {RV32, LB, EXTENDED, true, 0, {{X, 5, DESTINATION, 0xff80}}, {{0}}},
        {RV32, LB, EXTENDED, true, 0, {{X, 5, DESTINATION, 0x7fffff80}}, {{0}}},
        {RV64, FLW, EXTENDED, false, 0, {{F, 5, DESTINATION, UINT64_MAX << 32 | 1}}, {{0}}},
        {RV64, FLW, EXTENDED, false, 0, {{F, 5, DESTINATION, 1}}, {{0}}},
        {RV64, FLW, EXTENDED, true, 0, {{F, 5, DESTINATION, UINT64_MAX << 33 | 1}}, {{0}}},
        {RV32, FLW, EXTENDED, true, 0, {{F, 5, DESTINATION, UINT64_C(1) << 32}}, {{0}}},
        {RV64, FLH, EXTENDED, true, 0, {{F, 5, DESTINATION, UINT64_MAX << 32 | 1}}, {{0}}},
        {RV32, LW, 0, false, 0, {{X, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, LD, 0, false, 0, {{X, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, SC_W, 0, false, 0, {{X, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, FLD, 0, false, 0, {{F, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, LW, 0, false, 0, {{X, 4, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, LW, 0, false, 0, {{F, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, FLW, 0, false, 0, {{X, 5, DESTINATION, UINT64_C(1) << 40}}, {{0}}},
        {RV64, LW, 0, false, 0, {{X, 5, SOURCE, UINT64_C(1) << 40}}, {{0}}},
        {RV64, LW_ZERO, EXTENDED, false, 0, {{X, 0, DESTINATION, 0}}, {{0}}},
        {RV64, LW_ZERO, EXTENDED, true, 0, {{X, 0, DESTINATION, UINT64_C(1) << 40}}, {{0}}}};
    CHECK_ALL(cases)
}

/* amoadd.d, amoswap.d, amocas.d x5, x7, (x6); amoadd.w x0, x7, (x6); amoadd.d x5, x0, (x6);
 * amoswap.w, amocas.w x5, x7, (x6); amocas.q x4, x8, (x6); sc.d x5, x7, (x6) */
enum { AMOADD = 0x007332af, AMOSWAP = 0x087332af, AMOCAS = 0x287332af, AMOADD_W = 0x0073202f };
enum { AMOSWAP_W = 0x087322af, AMOCAS_W = 0x287322af };
enum { AMOADD_X0 = 0x000332af, AMOCAS_Q = 0x2883422f, SC = 0x187332af };

static void atomics_store_what_they_compute(void **state)
{
    (void)state;
    static const struct group cases[] = {
        {RV64, AMOADD, STORED, false, 7, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 1, 7}}},
        {RV64, AMOADD, STORED, true, 7, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 1, 8}}},
        {RV64,
         AMOADD,
         STORED,
         true,
         7,
         {{X, 7, SOURCE, 3}},
         {{8, WRITE, 1, UINT64_C(1) << 63 | 7}, {8, READ, 1, 4}}},
        {RV64,
         AMOADD,
         STORED,
         true,
         7,
         {{X, 7, SOURCE, 3}, {X, 5, DESTINATION, 4}},
         {{8, WRITE, 1, 8}}},
        {RV64, AMOADD, STORED, true, 7, {{X, 7, SOURCE, 3}}, {{64, READ, 1, 4}, {64, WRITE, 1, 8}}},
        {RV64,
         AMOADD_X0,
         STORED,
         true,
         4,
         {{X, 6, SOURCE, 3}},
         {{8, READ, 1, 4}, {8, WRITE, 1, 8}}},
        {RV64,
         AMOADD_W,
         STORED,
         false,
         0x80000000,
         {{X, 7, SOURCE, 1}},
         {{4, READ, 1, 0x7fffffff}, {4, WRITE, 1, UINT64_MAX << 31}}},
        {RV64,
         AMOADD_W,
         STORED,
         true,
         0x80000000,
         {{X, 7, SOURCE, 1}},
         {{4, READ, 1, 0x7fffffff}, {4, WRITE, 1, 0}}},
        {RV64, AMOSWAP, STORED, true, 3, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 1, 4}}},
        {RV64, AMOSWAP, STORED, true, 3, {{X, 7, SOURCE, 3}}, {{8, WRITE, 1, 4}}},
        {RV64,
         AMOSWAP_W,
         STORED,
         false,
         0x80000000,
         {{X, 7, SOURCE, UINT64_MAX << 31}},
         {{4, WRITE, 1, 0x80000000}}},
        {RV64,
         AMOCAS_W,
         STORED,
         false,
         3,
         {{X, 7, SOURCE, 3}, {X, 5, SOURCE, UINT64_C(1) << 32 | 4}},
         {{4, READ, 1, 4}, {4, WRITE, 1, 3}}},
        {RV64,
         AMOCAS,
         STORED,
         true,
         3,
         {{X, 7, SOURCE, 3}, {X, 5, SOURCE, 4}},
         {{8, READ, 1, 4}, {8, WRITE, 1, 4}}},
        {RV64,
         AMOCAS,
         STORED,
         false,
         3,
         {{X, 7, SOURCE, 3}, {X, 5, SOURCE, 4}, {X, 5, DESTINATION, 4}},
         {{8, WRITE, 1, 3}}},
        {RV32,
         AMOADD_W,
         STORED,
         true,
         7,
         {{X, 7, SOURCE, 3}},
         {{4, READ, 1, 4}, {4, WRITE, 1, 8}}}};
    CHECK_ALL(cases)
}

static void what_atomics_store_is_unknown_without_one_of_the_values(void **state)
{
    (void)state;
    static const struct group cases[] = {
        {RV64,
         AMOADD,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}, {X, 5, DESTINATION, 4}},
         {{8, READ, 0, 0}, {8, WRITE, 1, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 6, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 1, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 0, 0}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 0, 0}, {8, WRITE, 1, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, WRITE, 1, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 0, 4}, {8, WRITE, 2, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{4, WRITE, 1, 8}, {4, WRITE, 1, 8}}},
        {RV64,
         AMOADD,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}, {X, 5, DESTINATION, 4}},
         {{4, WRITE, 1, 8}, {4, WRITE, 1, 8}}},
        {RV64,
         AMOADD,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}},
         {{4, READ, 1, 4}, {4, READ, 1, 4}, {8, WRITE, 1, 8}}},
        {RV64, AMOADD, 0, false, 0, {{X, 7, SOURCE, 3}}, {{16, READ, 1, 4}, {16, WRITE, 1, 8}}},
        {RV64, AMOSWAP, 0, false, 0, {{X, 6, SOURCE, 3}}, {{8, WRITE, 1, 8}}},
        {RV64,
         AMOCAS,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}, {X, 5, SOURCE, 5}},
         {{8, READ, 1, 4}, {8, WRITE, 1, 4}}},
        {RV64, AMOCAS, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 4}, {8, WRITE, 1, 4}}},
        {RV64, AMOCAS, 0, false, 0, {{X, 7, SOURCE, 3}}, {{8, READ, 1, 0}, {8, WRITE, 1, 4}}},
        {RV64,
         AMOCAS_W,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}, {X, 5, SOURCE, 0x10000004}},
         {{4, READ, 1, 4}, {4, WRITE, 1, 4}}},
        {RV64,
         AMOADD_W,
         EXTENDED,
         false,
         0,
         {{X, 7, SOURCE, 1}, {X, 0, DESTINATION, 4}},
         {{4, WRITE, 1, 8}}},
        {RV64, AMOCAS, 0, false, 0, {{X, 7, SOURCE, 3}, {X, 5, SOURCE, 0}}, {{8, WRITE, 1, 4}}},
        {RV64,
         AMOCAS_Q,
         0,
         false,
         0,
         {{X, 8, SOURCE, 3}, {X, 4, SOURCE, 4}},
         {{16, READ, 1, 4}, {16, WRITE, 1, 4}}},
        {RV64, SC, 0, false, 0, {{X, 7, SOURCE, 3}, {X, 5, DESTINATION, 0}}, {{8, WRITE, 1, 4}}},
        {RV32,
         0x2873322f,
         0,
         false,
         0,
         {{X, 7, SOURCE, 3}, {X, 4, SOURCE, 4}},
         {{8, READ, 1, 4}, {8, WRITE, 1, 4}}}};
    CHECK_ALL(cases)
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destinations_are_compared_with_what_their_sources_give),
        cmocka_unit_test(results_are_unknown_where_a_record_or_the_meaning_is_missing),
        cmocka_unit_test(another_encoding_mode_computes_anew),
        cmocka_unit_test(loads_are_extended_as_their_word_says),
        cmocka_unit_test(atomics_store_what_they_compute),
        cmocka_unit_test(what_atomics_store_is_unknown_without_one_of_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
