/* The control flow of single instructions, and the tables of A32 and T32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/a32_result.h"
#include "isa/arm_flow.h"
#include "isa/arm_flow_table.h"

enum { PC = 0x10000000 };

struct example {
    const char *text;
    uint32_t word;
    enum arm_flow_kind kind;
    enum arm_set set; /* of the target */
    const char *is;   /* "c" conditional, "l" link, "r" return */
    int32_t offset;   /* of the target from PC, if DIRECT */
};

static void check(const struct example *e, struct arm_flow flow, unsigned size)
{
    const uint64_t target = flow.kind == ARM_FLOW_DIRECT ? PC + (uint64_t)e->offset : 0;
    const bool same = flow.kind == e->kind && flow.target_set == e->set && flow.size == size &&
                      flow.conditional == (strchr(e->is, 'c') != NULL) &&
                      flow.link == (strchr(e->is, 'l') != NULL) &&
                      flow.is_return == (strchr(e->is, 'r') != NULL) && flow.target == target;
    if (!same) {
        print_error("%s: %s to %s, size %u, target %#llx\n", e->text, arm_flow_kind_name(flow.kind),
                    arm_set_name(flow.target_set), flow.size, (unsigned long long)flow.target);
    }
    assert_true(same);
}

#define E(text, word, kind, set, is, offset)                                                       \
    {                                                                                              \
        text, word, ARM_FLOW_##kind, ARM_##set, is, offset                                         \
    }
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void a32_has_the_flow_of_its_instructions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        E("b #0x1000", 0xea000400, DIRECT, A32, "", 0x1008),
        E("bne #-8", 0x1afffffe, DIRECT, A32, "c", 0),
        E("ble #-8", 0xdafffffe, DIRECT, A32, "c", 0),
        E("bl #0x2000", 0xeb000800, DIRECT, A32, "l", 0x2008),
        E("bllt #-0x100", 0xbbffffc0, DIRECT, A32, "cl", -0xf8),
        E("blx #0x10002", 0xfb004000, DIRECT, T32, "l", 0x1000a),
        E("blx #-4", 0xfaffffff, DIRECT, T32, "l", 4),
        E("bx lr", 0xe12fff1e, INDIRECT, SET_UNKNOWN, "r", 0),
        E("bxeq r3", 0x012fff13, INDIRECT, SET_UNKNOWN, "c", 0),
        E("bxj r2", 0xe12fff22, INDIRECT, SET_UNKNOWN, "", 0),
        E("blx r4", 0xe12fff34, INDIRECT, SET_UNKNOWN, "l", 0),
        E("blxne lr", 0x112fff3e, INDIRECT, SET_UNKNOWN, "cl", 0),
        E("add pc, pc, r0", 0xe08ff000, INDIRECT, SET_UNKNOWN, "", 0),
        E("addls pc, pc, r3, lsl #2", 0x908ff103, INDIRECT, SET_UNKNOWN, "c", 0),
        E("add pc, pc, #4", 0xe28ff004, INDIRECT, SET_UNKNOWN, "", 0),
        E("mvn pc, #4", 0xe3e0f004, INDIRECT, SET_UNKNOWN, "", 0),
        E("mov pc, lr", 0xe1a0f00e, INDIRECT, SET_UNKNOWN, "r", 0),
        E("mov pc, r3", 0xe1a0f003, INDIRECT, SET_UNKNOWN, "", 0),
        E("movne pc, lr", 0x11a0f00e, INDIRECT, SET_UNKNOWN, "cr", 0),
        E("subs pc, lr, #4", 0xe25ef004, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("movs pc, lr", 0xe1b0f00e, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("ldr pc, [r0]", 0xe590f000, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr pc, [pc, #8]", 0xe59ff008, INDIRECT, SET_UNKNOWN, "", 0),
        E("pop {pc}", 0xe49df004, INDIRECT, SET_UNKNOWN, "r", 0),
        E("ldr pc, [r1, r2, lsl #2]", 0xe791f102, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldm r0, {r1, pc}", 0xe8908002, INDIRECT, SET_UNKNOWN, "", 0),
        E("pop {r4, pc}", 0xe8bd8010, INDIRECT, SET_UNKNOWN, "r", 0),
        E("popeq {r4, pc}", 0x08bd8010, INDIRECT, SET_UNKNOWN, "cr", 0),
        E("ldm sp!, {r0, pc}^", 0xe8fd8001, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("rfeia sp!", 0xf8bd0a00, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("eret", 0xe160006e, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("isb sy", 0xf57ff06f, ISB, A32, "", 0),
        E("mcr p15, 0, r0, c7, c5, 4", 0xee070f95, ISB, A32, "", 0),
        E("mcrne p15, 0, r3, c7, c5, 4", 0x1e073f95, ISB, A32, "c", 0),
        E("wfe", 0xe320f002, WFX, A32, "", 0),
        E("wfi", 0xe320f003, WFX, A32, "", 0),
        E("wfine", 0x1320f003, WFX, A32, "c", 0),
        E("svc #0", 0xef000000, SVC, A32, "", 0),
        E("svceq #1", 0x0f000001, SVC, A32, "c", 0),
        E("hvc #5", 0xe1400075, HVC, A32, "", 0),
        E("smc #2", 0xe1600072, SMC, A32, "", 0),
        E("bkpt #3", 0xe1200073, BREAKPOINT, A32, "", 0),
        E("hlt #4", 0xe1000074, HALT, A32, "", 0),
        E("udf #7", 0xe7f000f7, UDF, A32, "", 0),
        E("ldm r0, {r1, lr}^", 0xe8d04002, OTHER, A32, "", 0),
        E("nop", 0xe320f000, OTHER, A32, "", 0),
        E("yield", 0xe320f001, OTHER, A32, "", 0),
        E("sev", 0xe320f004, OTHER, A32, "", 0),
        E("cmp r0, #0xf000", 0xe3500a0f, OTHER, A32, "", 0),
        E("cmpp r0, #0", 0xe350f000, OTHER, A32, "", 0),
        E("tst pc, r0", 0xe11f0000, OTHER, A32, "", 0),
        E("movw r1, #0xffff", 0xe30f1fff, OTHER, A32, "", 0),
        E("ldrb r1, [pc]", 0xe5df1000, OTHER, A32, "", 0),
        E("ldrtne pc, [r1]", 0x14b1f000, OTHER, A32, "", 0),
        E("stm sp!, {r0, pc}", 0xe8ad8001, OTHER, A32, "", 0),
        E("str pc, [r0]", 0xe580f000, OTHER, A32, "", 0),
        E("vmov q0, #0", 0xf2800050, OTHER, A32, "", 0),
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        check(&examples[i], arm_flow_a32(examples[i].word, PC), 4);
    }
}

static void t32_of_one_halfword_has_the_flow_of_its_instructions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        E("beq #-16", 0xd0f8, DIRECT, T32, "c", -12),
        E("beq #2", 0xd001, DIRECT, T32, "c", 6),
        E("b #0x100", 0xe080, DIRECT, T32, "", 0x104),
        E("cbz r1, #20", 0xb151, DIRECT, T32, "c", 24),
        E("cbnz r0, #64", 0xbb00, DIRECT, T32, "c", 68),
        E("bx lr", 0x4770, INDIRECT, SET_UNKNOWN, "r", 0),
        E("bx r3", 0x4718, INDIRECT, SET_UNKNOWN, "", 0),
        E("blx r5", 0x47a8, INDIRECT, SET_UNKNOWN, "l", 0),
        E("mov pc, lr", 0x46f7, INDIRECT, T32, "r", 0),
        E("mov pc, r2", 0x4697, INDIRECT, T32, "", 0),
        E("add pc, r1", 0x448f, INDIRECT, T32, "", 0),
        E("pop {r4, pc}", 0xbd10, INDIRECT, SET_UNKNOWN, "r", 0),
        E("bkpt #1", 0xbe01, BREAKPOINT, T32, "", 0),
        E("hlt #2", 0xba82, HALT, T32, "", 0),
        E("wfe", 0xbf20, WFX, T32, "", 0),
        E("wfi", 0xbf30, WFX, T32, "", 0),
        E("svc #9", 0xdf09, SVC, T32, "", 0),
        E("udf #1", 0xde01, UDF, T32, "", 0),
        E("it eq", 0xbf08, IT, T32, "", 0),
        E("nop", 0xbf00, OTHER, T32, "", 0),
        E("sev", 0xbf40, OTHER, T32, "", 0),
        E("cmp pc, r1", 0x458f, OTHER, T32, "", 0),
        E("mov r7, pc", 0x467f, OTHER, T32, "", 0),
        E("pop {r4}", 0xbc10, OTHER, T32, "", 0),
        E("push {r4, lr}", 0xb510, OTHER, T32, "", 0),
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        assert_false(arm_t32_is_wide((uint16_t)examples[i].word));
        check(&examples[i], arm_flow_t32((uint16_t)examples[i].word, 0xffff, PC), 2);
    }
}

static void t32_of_two_halfwords_has_the_flow_of_its_instructions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        E("bne.w #-0x20000", 0xf460a800, DIRECT, T32, "c", -0x1fffc),
        E("beq.w #0x1000", 0xf0018000, DIRECT, T32, "c", 0x1004),
        E("b.w #0x300000", 0xf300b800, DIRECT, T32, "", 0x300004),
        E("bl #-0x200000", 0xf600f800, DIRECT, T32, "l", -0x1ffffc),
        E("blx #0x1000", 0xf001e800, DIRECT, A32, "l", 0x1004),
        E("bxj r2", 0xf3c28f00, INDIRECT, SET_UNKNOWN, "", 0),
        E("subs pc, lr, #4", 0xf3de8f04, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("eret", 0xf3de8f00, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("hvc #5", 0xf7e08005, HVC, T32, "", 0),
        E("smc #1", 0xf7f18000, SMC, T32, "", 0),
        E("udf.w #3", 0xf7f0a003, UDF, T32, "", 0),
        E("dcps1", 0xf78f8001, DEBUG_STATE, T32, "", 0),
        E("dcps2", 0xf78f8002, DEBUG_STATE, T32, "", 0),
        E("dcps3", 0xf78f8003, DEBUG_STATE, T32, "", 0),
        E("isb sy", 0xf3bf8f6f, ISB, T32, "", 0),
        E("mcr p15, 0, r1, c7, c5, 4", 0xee071f95, ISB, T32, "", 0),
        E("wfe.w", 0xf3af8002, WFX, T32, "", 0),
        E("wfi.w", 0xf3af8003, WFX, T32, "", 0),
        E("rfedb sp", 0xe81dc000, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("rfeia sp!", 0xe9bdc000, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("pop.w {r4, pc}", 0xe8bd8010, INDIRECT, SET_UNKNOWN, "r", 0),
        E("ldm.w r0, {r1, pc}", 0xe8908002, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldmdb r1!, {r2, pc}", 0xe9318004, INDIRECT, SET_UNKNOWN, "", 0),
        E("tbb [pc, r0]", 0xe8dff000, INDIRECT, T32, "", 0),
        E("tbh [r1, r2, lsl #1]", 0xe8d1f012, INDIRECT, T32, "", 0),
        E("ldr pc, [sp], #4", 0xf85dfb04, INDIRECT, SET_UNKNOWN, "r", 0),
        E("ldr.w pc, [pc, #-8]", 0xf85ff008, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr.w pc, [pc, #8]", 0xf8dff008, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr.w pc, [r1, #4]", 0xf8d1f004, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr pc, [r1, #-4]", 0xf851fc04, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr pc, [r1, #4]!", 0xf851ff04, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldr.w pc, [r1, r2, lsl #2]", 0xf851f022, INDIRECT, SET_UNKNOWN, "", 0),
        E("ldrt pc, [r1, #4]", 0xf851fe04, OTHER, T32, "", 0),
        E("undefined", 0xf000c001, OTHER, T32, "", 0),
        E("mrs r1, apsr", 0xf3ef8100, OTHER, T32, "", 0),
        E("dmb sy", 0xf3bf8f5f, OTHER, T32, "", 0),
        E("nop.w", 0xf3af8000, OTHER, T32, "", 0),
        E("tst.w r0, r1", 0xea100f01, OTHER, T32, "", 0),
        E("push.w {r4, lr}", 0xe92d4010, OTHER, T32, "", 0),
        E("pld [r0]", 0xf890f000, OTHER, T32, "", 0),
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        const uint16_t first = (uint16_t)(examples[i].word >> 16);
        assert_true(arm_t32_is_wide(first));
        check(&examples[i], arm_flow_t32(first, (uint16_t)examples[i].word, PC), 4);
    }
}

static void a64_has_the_flow_of_its_instructions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        E("b #-4", 0x17ffffff, DIRECT, A64, "", -4),
        E("bl #8", 0x94000002, DIRECT, A64, "l", 8),
        E("b.eq #8", 0x54000040, DIRECT, A64, "c", 8),
        E("b.al #8", 0x5400004e, DIRECT, A64, "", 8),
        E("bc.ne #-8", 0x54ffffd1, DIRECT, A64, "c", -8),
        E("cbz x0, #12", 0xb4000060, DIRECT, A64, "c", 12),
        E("cbnz w1, #12", 0x35000061, DIRECT, A64, "c", 12),
        E("tbz w2, #3, #16", 0x36180082, DIRECT, A64, "c", 16),
        E("tbnz x2, #35, #-16", 0xb71fff82, DIRECT, A64, "c", -16),
        E("cbgt x1, x2, #8", 0xf4020041, DIRECT, A64, "c", 8),
        E("cbbgt w1, w2, #8", 0x74028041, DIRECT, A64, "c", 8),
        E("cbhgt w1, w2, #8", 0x7402c041, DIRECT, A64, "c", 8),
        E("cblt w1, #5, #-4", 0x7522bfe1, DIRECT, A64, "c", -4),
        E("br x3", 0xd61f0060, INDIRECT, A64, "", 0),
        E("blr x3", 0xd63f0060, INDIRECT, A64, "l", 0),
        E("ret", 0xd65f03c0, INDIRECT, A64, "r", 0),
        E("braa x1, x2", 0xd71f0822, INDIRECT, A64, "", 0),
        E("brabz x1", 0xd61f0c3f, INDIRECT, A64, "", 0),
        E("blraa x1, sp", 0xd73f083f, INDIRECT, A64, "l", 0),
        E("blrabz x1", 0xd63f0c3f, INDIRECT, A64, "l", 0),
        E("retaa", 0xd65f0bff, INDIRECT, A64, "r", 0),
        E("retab", 0xd65f0fff, INDIRECT, A64, "r", 0),
        E("retaasppcr x1", 0xd65f0be1, INDIRECT, A64, "r", 0),
        E("retabsppcr x1", 0xd65f0fe1, INDIRECT, A64, "r", 0),
        E("retaasppc #-4", 0x5500003f, INDIRECT, A64, "r", 0),
        E("retabsppc #-4", 0x5520003f, INDIRECT, A64, "r", 0),
        E("eret", 0xd69f03e0, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("eretaa", 0xd69f0bff, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("eretab", 0xd69f0fff, EXCEPTION_RETURN, SET_UNKNOWN, "", 0),
        E("isb", 0xd5033fdf, ISB, A64, "", 0),
        E("wfe", 0xd503205f, WFX, A64, "", 0),
        E("wfi", 0xd503207f, WFX, A64, "", 0),
        E("wfet x3", 0xd5031003, WFX, A64, "", 0),
        E("wfit x3", 0xd5031023, WFX, A64, "", 0),
        E("tstart x3", 0xd5233063, TSTART, A64, "", 0),
        E("tcommit", 0xd503307f, TCOMMIT, A64, "", 0),
        E("tcancel #1", 0xd4600020, TCANCEL, A64, "", 0),
        E("ttest x3", 0xd5233163, OTHER, A64, "", 0),
        E("svc #0", 0xd4000001, SVC, A64, "", 0),
        E("hvc #0", 0xd4000002, HVC, A64, "", 0),
        E("smc #0", 0xd4000003, SMC, A64, "", 0),
        E("brk #0", 0xd4200000, BREAKPOINT, A64, "", 0),
        E("hlt #0", 0xd4400000, HALT, A64, "", 0),
        E("udf #0", 0x00000000, UDF, A64, "", 0),
        E("texit", 0xd6ff03e0, INDIRECT, A64, "", 0),
        E("texit nb", 0xd6ff07e0, INDIRECT, A64, "", 0),
        E("tenter #1, nb", 0xd4e20020, OTHER, A64, "", 0),
        E("dcps1", 0xd4a00001, DEBUG_STATE, A64, "", 0),
        E("dcps2", 0xd4a00002, DEBUG_STATE, A64, "", 0),
        E("dcps3", 0xd4a00003, DEBUG_STATE, A64, "", 0),
        E("drps", 0xd6bf03e0, DEBUG_STATE, A64, "", 0),
        E("nop", 0xd503201f, OTHER, A64, "", 0),
        E("dsb sy", 0xd5033f9f, OTHER, A64, "", 0),
        E("autiasppc #-4", 0xf380003f, OTHER, A64, "", 0),
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        check(&examples[i], arm_flow_a64(examples[i].word, PC), 4);
    }
}

static void branches_are_what_goes_elsewhere(void **state)
{
    (void)state;
    static const uint32_t branches[] = {0x14000000, 0xd65f03c0, 0xd69f03e0}; /* b, ret, eret */
    static const uint32_t others[] = {0xd503201f, 0xd5033fdf, 0xd503207f,
                                      0xd4000001}; /* nop, isb, wfi, svc */
    for (size_t i = 0; i < COUNT(branches); i++) {
        const struct arm_flow flow = arm_flow_a64(branches[i], PC);
        assert_true(arm_flow_is_branch(&flow));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct arm_flow flow = arm_flow_a64(others[i], PC);
        assert_false(arm_flow_is_branch(&flow));
    }
}

static void targets_wrap_in_the_address_space(void **state)
{
    (void)state;
    assert_int_equal(arm_flow_a32(0xeafffffc, 4).target, 0xfffffffc);          /* b #-16 */
    assert_int_equal(arm_flow_a32(0xea000400, 0xfffffffc).target, 0x1004);     /* b #0x1000 */
    assert_int_equal(arm_flow_t32(0xe7f8, 0, 0x8).target, 0xfffffffc);         /* b #-16 */
    assert_int_equal(arm_flow_t32(0xe080, 0, 0xfffffffe).target, 0x102);       /* b #0x100 */
    assert_int_equal(arm_flow_a64(0x17ffffff, 0).target, 0xfffffffffffffffcu); /* b #-4 */
}

static void a_branch_of_t32_to_a32_goes_to_a_word(void **state)
{
    (void)state;
    assert_int_equal(arm_flow_t32(0xf001, 0xe800, 0x1002).target, 0x2004);
    assert_int_equal(arm_flow_t32(0xf001, 0xe800, 0x1000).target, 0x2004);
}

static void it_tells_how_many_instructions_it_makes_conditional(void **state)
{
    (void)state;
    assert_int_equal(arm_flow_t32(0xbf08, 0, 0).covers, 1); /* it eq */
    assert_int_equal(arm_flow_t32(0xbf0c, 0, 0).covers, 2); /* ite eq */
    assert_int_equal(arm_flow_t32(0xbf16, 0, 0).covers, 3); /* itet ne */
    assert_int_equal(arm_flow_t32(0xbf1f, 0, 0).covers, 4); /* itttt ne */
    assert_int_equal(arm_flow_t32(0xbfe8, 0, 0).covers, 0); /* it al */
    assert_int_equal(arm_flow_t32(0x4770, 0, 0).covers, 0); /* bx lr */
}

static void check_table(const struct arm_table *table)
{
    const uint32_t all = table->size == 2 ? 0xffff : 0xffffffff;
    assert_true(table->count > 0);
    assert_int_equal(table->rows[table->count - 1].mask, 0);
    for (size_t i = 0; i < table->count; i++) {
        const struct arm_row *row = &table->rows[i];
        const bool direct = row->kind == ARM_FLOW_DIRECT;
        const bool branch = direct || row->kind == ARM_FLOW_INDIRECT;
        assert_int_equal(row->value & ~row->mask, 0);
        assert_int_equal(row->mask & ~all, 0);
        assert_true(row->mask != 0 || i == table->count - 1);
        assert_true((row->target != NULL) == direct);
        assert_true(branch || !(row->link || row->is_return || row->conditional));
        assert_true(branch || row->kind == ARM_FLOW_EXCEPTION_RETURN ||
                    row->target_set == table->set);
        for (size_t before = 0; before < i; before++) {
            const struct arm_row *first = &table->rows[before];
            const bool hides = (row->value & first->mask) == first->value &&
                               (row->mask & first->mask) == first->mask;
            if (hides) {
                print_error("%s: row %zu is never reached\n", table->name, i);
            }
            assert_false(hides);
        }
    }
}

static void every_row_is_well_formed_and_reached(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARM_A32_TABLES; i++) {
        check_table(&arm_a32_tables[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        check_table(&arm_t32_tables[i]);
    }
}

static void names_are_known_in_their_ranges(void **state)
{
    (void)state;
    assert_string_equal(arm_flow_kind_name(ARM_FLOW_EXCEPTION_RETURN), "exception_return");
    assert_string_equal(arm_flow_kind_name(ARM_FLOW_KIND_COUNT), "unknown");
    assert_string_equal(arm_set_name(ARM_T32), "t32");
    assert_string_equal(arm_set_name(ARM_SET_COUNT), "unknown");
}

static void the_word_of_a_branch_can_fix_where_it_leads(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        enum arm_set set;
        enum arm_form form;
    } examples[] = {
        {0x3400001f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cbz wzr */
        {0xb400001f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cbz xzr */
        {0x3500001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbnz wzr */
        {0x36f8001f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* tbz wzr, #31 */
        {0xb778001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* tbnz xzr, #47 */
        {0x3400001e, ARM_A64, ARM_FORM_BY_REGISTER},      /* cbz w30 */
        {0x3500000f, ARM_A64, ARM_FORM_BY_REGISTER},      /* cbnz w15 */
        {0x74030003, ARM_A64, ARM_FORM_ITSELF_NOT_TAKEN}, /* cbgt w3, w3 */
        {0x74230003, ARM_A64, ARM_FORM_ITSELF_TAKEN},     /* cbge */
        {0x74430003, ARM_A64, ARM_FORM_ITSELF_NOT_TAKEN}, /* cbhi */
        {0x74630003, ARM_A64, ARM_FORM_ITSELF_TAKEN},     /* cbhs */
        {0x74c30003, ARM_A64, ARM_FORM_ITSELF_TAKEN},     /* cbeq */
        {0x74e30003, ARM_A64, ARM_FORM_ITSELF_NOT_TAKEN}, /* cbne */
        {0xf4d00010, ARM_A64, ARM_FORM_ITSELF_TAKEN},     /* cbeq x16, x16 */
        {0x74c20003, ARM_A64, ARM_FORM_OPEN},             /* cbeq w3, w2 */
        {0x74d30003, ARM_A64, ARM_FORM_OPEN},             /* cbeq w3, w19 */
        {0x7443001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbhi wzr, w3 */
        {0x745f0003, ARM_A64, ARM_FORM_OPEN},             /* cbhi w3, wzr */
        {0x747f0003, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cbhs w3, wzr */
        {0x7463001f, ARM_A64, ARM_FORM_OPEN},             /* cbhs wzr, w3 */
        {0x7403001f, ARM_A64, ARM_FORM_OPEN},             /* cbgt wzr, w3 */
        {0x74df0003, ARM_A64, ARM_FORM_OPEN},             /* cbeq w3, wzr */
        {0x75030003, ARM_A64, ARM_FORM_OPEN},             /* cbgt w3, an immediate */
        {0x75600003, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cblo w3, #0 */
        {0xf560001e, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cblo x30, #0 */
        {0x75608003, ARM_A64, ARM_FORM_OPEN},             /* cblo w3, #1 */
        {0x75400003, ARM_A64, ARM_FORM_OPEN},             /* cbhi w3, #0 */
        {0x75200003, ARM_A64, ARM_FORM_OPEN},             /* cblt w3, #0 */
        {0x7501801f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbgt wzr, #3 */
        {0x7520001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cblt wzr, #0 */
        {0x7520801f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cblt wzr, #1 */
        {0x7550001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbhi wzr, #32 */
        {0x7570001f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cblo wzr, #32 */
        {0x7560001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cblo wzr, #0 */
        {0x75c0001f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cbeq wzr, #0 */
        {0x75c0801f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbeq wzr, #1 */
        {0x75e0001f, ARM_A64, ARM_FORM_ZERO_NOT_TAKEN},   /* cbne wzr, #0 */
        {0x75e0801f, ARM_A64, ARM_FORM_ZERO_TAKEN},       /* cbne wzr, #1 */
        {0x54000000, ARM_A64, ARM_FORM_BY_FLAGS},         /* b.eq */
        {0x5400001d, ARM_A64, ARM_FORM_BY_FLAGS},         /* bc.le */
        {0x5400000e, ARM_A64, ARM_FORM_OPEN},             /* b.al */
        {0x5400001f, ARM_A64, ARM_FORM_OPEN},             /* bc.nv */
        {0xd61f0000, ARM_A64, ARM_FORM_OPEN},             /* br x0 */
        {0xd61f03c0, ARM_A64, ARM_FORM_TO_LINK},          /* br x30 */
        {0xd65f03c0, ARM_A64, ARM_FORM_TO_LINK},          /* ret */
        {0xd65f03a0, ARM_A64, ARM_FORM_OPEN},             /* ret x29 */
        {0xd61f03e0, ARM_A64, ARM_FORM_TO_ZERO},          /* br xzr */
        {0xd63f03e0, ARM_A64, ARM_FORM_TO_ZERO},          /* blr xzr */
        {0xd65f03e0, ARM_A64, ARM_FORM_TO_ZERO},          /* ret xzr */
        {0xe12fff1f, ARM_A32, ARM_FORM_BX_PC},
        {0x012fff1f, ARM_A32, ARM_FORM_BX_PC},    /* bxeq pc */
        {0xe12fff1e, ARM_A32, ARM_FORM_OPEN},     /* bx lr */
        {0xe12fff3f, ARM_A32, ARM_FORM_OPEN},     /* blx pc */
        {0xe28ff000, ARM_A32, ARM_FORM_CONSTANT}, /* add pc, pc, #0 */
        {0x028ff000, ARM_A32, ARM_FORM_CONSTANT}, /* addeq pc, pc, #0 */
        {0xe24ff004, ARM_A32, ARM_FORM_CONSTANT}, /* sub pc, pc, #4 */
        {0xe26ff901, ARM_A32, ARM_FORM_CONSTANT}, /* rsb pc, pc, #0x4000 */
        {0xe20ffa0f, ARM_A32, ARM_FORM_CONSTANT}, /* and pc, pc, #0xf000 */
        {0xe22ff008, ARM_A32, ARM_FORM_CONSTANT}, /* eor pc, pc, #8 */
        {0xe38ff004, ARM_A32, ARM_FORM_CONSTANT}, /* orr pc, pc, #4 */
        {0xe3cff008, ARM_A32, ARM_FORM_CONSTANT}, /* bic pc, pc, #8 */
        {0xe3a0fa08, ARM_A32, ARM_FORM_CONSTANT}, /* mov pc, #0x8000 */
        {0xe3e0f003, ARM_A32, ARM_FORM_CONSTANT}, /* mvn pc, #3 */
        {0xe1a0f00f, ARM_A32, ARM_FORM_CONSTANT}, /* mov pc, pc */
        {0xe28ef000, ARM_A32, ARM_FORM_OPEN},     /* add pc, lr, #0 */
        {0xe24ef004, ARM_A32, ARM_FORM_OPEN},     /* sub pc, lr, #4 */
        {0xe2aff000, ARM_A32, ARM_FORM_OPEN},     /* adc pc, pc, #0 */
        {0xe2cff000, ARM_A32, ARM_FORM_OPEN},     /* sbc pc, pc, #0 */
        {0xe2eff000, ARM_A32, ARM_FORM_OPEN},     /* rsc pc, pc, #0 */
        {0xe38ef004, ARM_A32, ARM_FORM_OPEN},     /* orr pc, lr, #4 */
        {0xe25ff004, ARM_A32, ARM_FORM_OPEN},     /* subs pc, pc, #4 */
        {0xe08ff000, ARM_A32, ARM_FORM_OPEN},     /* add pc, pc, r0 */
        {0xe1a0f08f, ARM_A32, ARM_FORM_OPEN},     /* mov pc, pc, lsl #1 */
        {0xe1a0f00e, ARM_A32, ARM_FORM_OPEN},     /* mov pc, lr */
        {0xe28fe000, ARM_A32, ARM_FORM_OPEN},     /* add lr, pc, #0 */
        {0x47780000, ARM_T32, ARM_FORM_BX_PC},
        {0x47700000, ARM_T32, ARM_FORM_OPEN}, /* bx lr */
        {0xe8dff000, ARM_T32, ARM_FORM_TBB},
        {0xe8d1f012, ARM_T32, ARM_FORM_TBH},
        {0xf8dff008, ARM_T32, ARM_FORM_OPEN}, /* ldr.w pc */
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        const uint32_t word = examples[i].word;
        const struct arm_flow flow = examples[i].set == ARM_A64 ? arm_flow_a64(word, PC)
                                     : examples[i].set == ARM_A32
                                         ? arm_flow_a32(word, PC)
                                         : arm_flow_t32((uint16_t)(word >> 16), (uint16_t)word, PC);
        if (flow.form != examples[i].form) {
            print_error("%#x: %u\n", word, flow.form);
        }
        assert_int_equal(flow.form, examples[i].form);
    }
}

static void data_processing_of_the_pc_has_its_result(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        uint32_t result;
    } examples[] = {
        {0xe28ff000, 0x2008},     /* add pc, pc, #0 */
        {0xe28ff001, 0x2009},     /* add pc, pc, #1 */
        {0xe28ff4ff, 0xff002008}, /* add pc, pc, #0xff000000 */
        {0xe28fffff, 0x2404},     /* add pc, pc, #0x3fc */
        {0xe24ff004, 0x2004},     /* sub pc, pc, #4 */
        {0xe26ff901, 0x1ff8},     /* rsb pc, pc, #0x4000 */
        {0xe20ffa0f, 0x2000},     /* and pc, pc, #0xf000 */
        {0xe22ff018, 0x2010},     /* eor pc, pc, #0x18 */
        {0xe38ff00c, 0x200c},     /* orr pc, pc, #12 */
        {0xe3cff00c, 0x2000},     /* bic pc, pc, #12 */
        {0xe3a0fa08, 0x8000},     /* mov pc, #0x8000 */
        {0xe3e0f003, 0xfffffffc}, /* mvn pc, #3 */
        {0xe1a0f00f, 0x2008},     /* mov pc, pc */
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        assert_int_equal(a32_result(examples[i].word, 0x2000), examples[i].result);
    }
    assert_int_equal(a32_result(0xe1a0f00f, 0xfffffff8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_word_of_a_branch_can_fix_where_it_leads),
        cmocka_unit_test(data_processing_of_the_pc_has_its_result),
        cmocka_unit_test(a32_has_the_flow_of_its_instructions),
        cmocka_unit_test(t32_of_one_halfword_has_the_flow_of_its_instructions),
        cmocka_unit_test(t32_of_two_halfwords_has_the_flow_of_its_instructions),
        cmocka_unit_test(a64_has_the_flow_of_its_instructions),
        cmocka_unit_test(branches_are_what_goes_elsewhere),
        cmocka_unit_test(targets_wrap_in_the_address_space),
        cmocka_unit_test(a_branch_of_t32_to_a32_goes_to_a_word),
        cmocka_unit_test(it_tells_how_many_instructions_it_makes_conditional),
        cmocka_unit_test(every_row_is_well_formed_and_reached),
        cmocka_unit_test(names_are_known_in_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
