/* Where a hart goes on after an instruction of a log, and what is known of a trap that the log does
 * not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "execution/commit_flow.h"

#define NOP        "(0x00000013)"
#define JR_X5      "(0x00028067)"
#define C_JR_X5    "(0x8282)"
#define RET        "(0x8082)"
#define JR_X31     "(0x000f8067)"
#define LOAD_X5    "(0x00002283)" /* lw x5, 0(x0) */
#define LOAD_X1    "(0x00002083)"
#define TO_100     "(0x10000067)" /* jr 0x100(x0) */
#define JAL        "(0x010000ef)" /* jal x1, pc + 16 */
#define BEQ        "(0x00628863)" /* beq x5, x6, pc + 16 */
#define CSRR(csr)  "(0x" csr "02573) x10 "
#define CSRW(csr)  "(0x" csr "29073)"
#define MRET       "(0x30200073)"
#define SRET       "(0x10200073)"
#define DRET       "(0x7b200073)"
#define AT(p, a)   "core   0: " p " 0x00000000" a " "
#define M(a)       AT("3", a)
#define S(a)       AT("1", a)
#define U(a)       AT("0", a)
#define X(n, v)    " x" n " 0x00000000" v
#define MODE(name) " " name " 0x00000000"

static struct assay_commit_line read_line(const char *text)
{
    struct assay_commit_line line;
    uint32_t column = 0;
    const char *expected = "";
    if (assay_commit_line_read(text, strlen(text), &line, &column, &expected) != ASSAY_OK) {
        fail_msg("%s: column %u: %s", text, (unsigned)column, expected);
    }
    return line;
}

/* The flow after some lines; a null ends the list. */
static struct assay_commit_flow after(enum rv_isa isa, const char *const *lines)
{
    struct assay_commit_flow flow;
    assay_commit_flow_open(&flow, isa);
    for (; *lines != NULL; lines++) {
        const struct assay_commit_line line = read_line(*lines);
        assay_commit_flow_take(&flow, &line);
    }
    return flow;
}

#define AFTER(isa, ...) after(isa, (const char *const[]){__VA_ARGS__, NULL})

static bool is_trap(const struct assay_commit_flow *flow, const char *text)
{
    const struct assay_commit_line line = read_line(text);
    return assay_commit_flow_breaks(flow, &line);
}

static void an_instruction_is_followed_by_the_next_one_or_by_its_target(void **state)
{
    (void)state;
    struct assay_commit_flow flow = AFTER(RV_64, M("80000000") NOP);
    assert_false(is_trap(&flow, M("80000004") NOP));
    assert_true(is_trap(&flow, M("80000000") NOP));
    flow = AFTER(RV_64, M("80000000") BEQ);
    assert_false(is_trap(&flow, M("80000004") NOP));
    assert_false(is_trap(&flow, M("80000010") NOP));
    assert_true(is_trap(&flow, M("80000008") NOP));
    /* A branch before it says nothing of what comes after it. */
    flow = AFTER(RV_64, M("80000000") BEQ, M("80000010") NOP);
    assert_false(is_trap(&flow, M("80000014") NOP));
    assert_true(is_trap(&flow, M("80000004") NOP));
    flow = AFTER(RV_64, M("80000000") JAL X("1 ", "80000004"));
    assert_false(is_trap(&flow, M("80000010") NOP));
    assert_true(is_trap(&flow, M("80000004") NOP));
    flow = AFTER(RV_64, "core   0: 3 0xffffffff80000000 " NOP);
    assert_false(is_trap(&flow, "core   0: 3 0xffffffff80000004 " NOP));
    assert_true(is_trap(&flow, "core   0: 3 0x7fffffff80000004 " NOP));
    flow = AFTER(RV_32, "core   0: 3 0xfffffffc " NOP);
    assert_false(is_trap(&flow, "core   0: 3 0x00000000 " NOP));
}

static void a_jump_by_a_register_goes_where_the_log_has_it(void **state)
{
    (void)state;
    static const struct {
        const char *before, *jump, *to;
    } cases[] = {
        {M("80000000") NOP X("5 ", "80000100"), M("80000004") JR_X5, M("80000100") NOP},
        {M("80000000") NOP X("31", "80000100"), M("80000004") JR_X31, M("80000100") NOP},
        {M("80000000") JAL X("1 ", "80000004"), M("80000010") RET, M("80000004") NOP},
        {M("80000000") NOP, M("80000004") TO_100, M("00000100") NOP},
        {M("80000000") NOP X("0 ", "00000020"), M("80000004") TO_100, M("00000100") NOP},
        /* The lowest bit is cleared. */
        {M("80000000") NOP X("5 ", "80000103"), M("80000004") JR_X5, M("80000102") NOP},
        {M("80000000") NOP X("5 ", "80000103"), M("80000004") C_JR_X5, M("80000102") NOP},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const struct assay_commit_flow flow = AFTER(RV_64, cases[n].before, cases[n].jump);
        if (is_trap(&flow, cases[n].to) || !is_trap(&flow, M("80000200") NOP)) {
            fail_msg("case %zu", n);
        }
    }
    /* Nothing is known of a register that was not written, nor of one that was written since. */
    struct assay_commit_flow flow = AFTER(RV_64, M("80000000") JR_X5);
    assert_false(is_trap(&flow, M("80000200") NOP));
    flow = AFTER(RV_64, M("80000000") NOP X("5 ", "80000100"), M("80000004") LOAD_X5,
                 M("80000008") JR_X5);
    assert_false(is_trap(&flow, M("80000200") NOP));
    flow = AFTER(RV_64, M("80000000") NOP X("1 ", "80000100"), M("80000004") LOAD_X1,
                 M("80000008") RET);
    assert_false(is_trap(&flow, M("80000200") NOP));
    flow = AFTER(RV_64, M("80000000") NOP X("5 ", "80000100"), M("80000004") LOAD_X1,
                 M("80000008") JR_X5);
    assert_true(is_trap(&flow, M("80000200") NOP));
    /* x0 is 0, whatever was written to it. */
    flow = AFTER(RV_64, M("80000000") NOP X("0 ", "00000020"));
    assert_int_equal(flow.x[0], 0);
    assert_int_equal(flow.x_known & 1, 1);
}

static void a_return_goes_to_xepc_at_the_level_of_xstatus(void **state)
{
    (void)state;
    struct assay_commit trap = {0};
    const char *epc = M("80000000") CSRW("341") MODE("c833_mepc") "80001000";
    struct assay_commit_flow flow =
        AFTER(RV_64, epc, M("80000004") MRET MODE("c768_mstatus") "00000880");
    assert_false(is_trap(&flow, S("80001000") NOP));
    assert_true(is_trap(&flow, S("80002000") NOP)); /* directly after it */
    /* What MPP was before the return, not after it, is where it goes. */
    flow = AFTER(RV_64, epc, M("80000004") CSRW("300") MODE("c768_mstatus") "00000800",
                 M("80000008") MRET);
    assay_commit_flow_leave(&flow, &trap);
    assert_true(trap.priv_known);
    assert_int_equal(trap.priv, 1);
    flow = AFTER(RV_64, epc, M("80000004") CSRW("300") MODE("c768_mstatus") "00001800",
                 M("80000008") MRET);
    assay_commit_flow_leave(&flow, &trap);
    assert_int_equal(trap.priv, 3);
    /* Another CSR says nothing of the level. */
    flow = AFTER(RV_64, S("80000000") CSRW("100") MODE("c256_sstatus") "00000100",
                 S("80000004") CSRW("105") MODE("c261_stvec") "80000000", S("80000008") SRET);
    assay_commit_flow_leave(&flow, &trap);
    assert_true(trap.priv_known);
    assert_int_equal(trap.priv, 1);
    /* CSRs of M do not mean that there are guests, those of the hypervisor do. */
    flow = AFTER(RV_64, M("80000000") CSRW("305") MODE("c773_mtvec") "80000100",
                 S("80000000") CSRW("141") MODE("c321_sepc") "80001000", S("80000008") SRET);
    assert_true(is_trap(&flow, S("80002000") NOP));
    flow = AFTER(RV_64, M("80000000") CSRW("680") MODE("c1664_hgatp") "00000000",
                 S("80000000") CSRW("141") MODE("c321_sepc") "80001000", S("80000008") SRET);
    assert_false(is_trap(&flow, S("80002000") NOP));
    /* Debug Mode is left to anywhere. */
    flow = AFTER(RV_64, M("80000000") CSRW("141") MODE("c321_sepc") "80001000",
                 M("80000004") CSRW("100") MODE("c256_sstatus") "00000100", M("00000800") DRET);
    assert_false(is_trap(&flow, M("80003000") NOP));
}

#define MTVEC(v) M("80000000") CSRW("305") MODE("c773_mtvec") v
#define STVEC(v) M("80000004") CSRW("105") MODE("c261_stvec") v

static struct assay_commit concluded(const struct assay_commit_flow *flow, const char *handler)
{
    struct assay_commit trap = {0};
    const struct assay_commit_line line = read_line(handler);
    assay_commit_flow_conclude(flow, &line, &trap);
    return trap;
}

/* With xtvec.MODE Vectored interrupts set pc to BASE + 4 x cause, exceptions to BASE. */
static void a_vector_says_which_interrupt_it_was(void **state)
{
    (void)state;
    struct assay_commit_flow flow = AFTER(RV_64, MTVEC("80000101"), M("80000004") NOP);
    struct assay_commit trap = concluded(&flow, M("80000100") NOP);
    assert_true(trap.interrupt_known && !trap.interrupt && !trap.cause_known);
    assert_true(trap.from_known && trap.priv_known);
    assert_int_equal(trap.from, 0x80000008);
    assert_int_equal(trap.priv, 3);
    trap = concluded(&flow, M("80000104") NOP);
    assert_true(trap.interrupt_known && trap.interrupt && trap.cause_known);
    assert_int_equal(trap.cause, 1);
    trap = concluded(&flow, M("800001fc") NOP);
    assert_int_equal(trap.cause, 63);
    assert_true(trap.interrupt);
    assert_false(concluded(&flow, M("80000200") NOP).interrupt_known);
    assert_false(concluded(&flow, M("80000106") NOP).interrupt_known);
    assert_false(concluded(&flow, M("800000fc") NOP).interrupt_known);
    flow = AFTER(RV_64, MTVEC("80000100"), M("80000004") NOP); /* Direct */
    assert_false(concluded(&flow, M("80000100") NOP).interrupt_known);
    assert_false(concluded(&flow, M("80000104") NOP).interrupt_known);
    flow = AFTER(RV_64, STVEC("80000101"), M("80000008") BEQ);
    trap = concluded(&flow, S("80000124") NOP);
    assert_int_equal(trap.cause, 9);
    assert_false(trap.from_known); /* one of two */
    assert_false(concluded(&flow, M("80000124") NOP).interrupt_known);
}

/* A trap that was taken from `from` at the beginning of a handler; 4: that level is not known. */
static unsigned left(const struct assay_commit_flow *flow, uint64_t from)
{
    struct assay_commit trap = {.from = from};
    assay_commit_flow_leave_handler(flow, &trap);
    return trap.priv_known ? trap.priv : 4;
}

static void the_level_of_a_handler_is_that_of_its_vector(void **state)
{
    (void)state;
    struct assay_commit_flow flow = AFTER(RV_64, MTVEC("80000100"), STVEC("80000200"));
    assert_int_equal(left(&flow, 0x80000100), 3);
    assert_int_equal(left(&flow, 0x80000200), 1);
    assert_int_equal(left(&flow, 0x80000104), 4);
    assert_int_equal(left(&flow, 0x80000300), 4);
    flow = AFTER(RV_64, MTVEC("80000101"), STVEC("80000201"));
    assert_int_equal(left(&flow, 0x80000104), 3);
    assert_int_equal(left(&flow, 0x80000102), 4);
    assert_int_equal(left(&flow, 0x80000200), 1); /* M has no interrupt 64 */
    flow = AFTER(RV_64, MTVEC("80000100"), STVEC("80000100"));
    assert_int_equal(left(&flow, 0x80000100), 4); /* of both */
    flow = AFTER(RV_64, MTVEC("80000100"), M("80000004") NOP);
    assert_int_equal(left(&flow, 0x80000100), 3);
    assert_int_equal(left(&flow, 0), 4);
}

/* What a handler reads, and whether more of it can say something of its trap. */
static bool reads(const struct assay_commit_flow *flow, const char *text, uint8_t level,
                  struct assay_commit *trap)
{
    const struct assay_commit_line line = read_line(text);
    return assay_commit_flow_reads(flow, &line, level, trap);
}

static void a_handler_reads_what_its_trap_was(void **state)
{
    (void)state;
    struct assay_commit_flow flow;
    struct assay_commit trap = {0};
    assay_commit_flow_open(&flow, RV_64);
    assert_true(reads(&flow, M("80000100") NOP X("10", "00000007"), 3, &trap));
    assert_true(reads(&flow, M("80000100") CSRR("340") "0x0000000000000007", 3, &trap));
    assert_false(trap.cause_known || trap.value_known || trap.from_known);
    assert_true(reads(&flow, M("80000100") CSRR("342") "0x8000000000000007", 3, &trap));
    assert_true(trap.cause_known && trap.interrupt_known && trap.interrupt);
    assert_int_equal(trap.cause, 7);
    assert_true(reads(&flow, M("80000104") CSRR("343") "0x0000000000000055", 3, &trap));
    assert_true(trap.value_known && !trap.from_known);
    assert_int_equal(trap.value, 0x55);
    assert_false(reads(&flow, M("80000108") CSRR("341") "0xffffffff80000000", 3, &trap));
    assert_true(trap.from_known);
    assert_true(trap.from == 0xffffffff80000000);
    trap = (struct assay_commit){0};
    assert_true(reads(&flow, S("80000100") CSRR("142") "0x000000000000000d", 1, &trap));
    assert_true(trap.cause_known && trap.interrupt_known && !trap.interrupt);
    assert_int_equal(trap.cause, 13);
    /* Of another level, and of one whose result the log does not have. */
    trap = (struct assay_commit){0};
    assert_true(reads(&flow, M("80000100") CSRR("142") "0x000000000000000d", 3, &trap));
    assert_false(reads(&flow, S("80000100") CSRR("142") "0x000000000000000d", 3, &trap));
    assert_true(reads(&flow, M("80000100") "(0x34202573)", 3, &trap));
    assert_false(trap.cause_known);
    assay_commit_flow_open(&flow, RV_32);
    assert_true(reads(&flow, "core   0: 3 0x80000100 " CSRR("342") "0x8000000b", 3, &trap));
    assert_true(trap.interrupt);
    assert_int_equal(trap.cause, 11);
}

static void what_is_written_to_the_csrs_of_a_trap_is_not_of_it(void **state)
{
    (void)state;
    struct assay_commit_flow flow;
    struct assay_commit trap = {0};
    assay_commit_flow_open(&flow, RV_64);
    assert_true(reads(&flow, M("80000100") CSRW("340"), 3, &trap)); /* mscratch */
    assert_true(reads(&flow, M("80000100") CSRW("344"), 3, &trap)); /* mip */
    assert_false(reads(&flow, M("80000100") CSRW("341"), 3, &trap));
    assert_false(reads(&flow, M("80000100") CSRW("342"), 3, &trap));
    assert_false(reads(&flow, M("80000100") CSRW("343"), 3, &trap));
    assert_true(reads(&flow, M("80000100") CSRW("141"), 3, &trap)); /* of another level */
    assert_false(reads(&flow, M("80000100") MRET, 3, &trap));
}

static void the_result_is_that_of_an_x_register(void **state)
{
    (void)state;
    uint64_t value = 0;
    struct assay_commit_line line = read_line(M("80000000") NOP X("1 ", "00000012"));
    assert_true(assay_commit_result(&line, &value));
    assert_int_equal(value, 0x12);
    line = read_line(M("80000000") NOP X("0 ", "00000012"));
    assert_false(assay_commit_result(&line, &value));
    line = read_line(M("80000000") NOP " f1  0x0000000000000012 c1_fflags 0x0000000000000001");
    assert_false(assay_commit_result(&line, &value));
    line = read_line(M("80000000") NOP);
    assert_false(assay_commit_result(&line, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_is_followed_by_the_next_one_or_by_its_target),
        cmocka_unit_test(a_jump_by_a_register_goes_where_the_log_has_it),
        cmocka_unit_test(a_return_goes_to_xepc_at_the_level_of_xstatus),
        cmocka_unit_test(a_vector_says_which_interrupt_it_was),
        cmocka_unit_test(the_level_of_a_handler_is_that_of_its_vector),
        cmocka_unit_test(a_handler_reads_what_its_trap_was),
        cmocka_unit_test(what_is_written_to_the_csrs_of_a_trap_is_not_of_it),
        cmocka_unit_test(the_result_is_that_of_an_x_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
