/* The accesses of instructions, what registers hold, and how data packets are put beside accesses.
 */
#include "etrace/facts/access_match.h"
#include "etrace_support.h"

enum { X = 1 << 12 };

/* --- registers --- */

static struct etrace_registers after(const uint32_t *words, size_t count, enum rv_isa isa)
{
    struct etrace_registers r;
    etrace_registers_forget(&r);
    for (size_t n = 0; n < count; n++) {
        etrace_registers_follow(&r, X + 4 * n, words[n], isa);
    }
    return r;
}

static bool knows(const struct etrace_registers *r, unsigned number, uint64_t value)
{
    return (r->known >> number & 1) != 0 && r->value[number] == value;
}

static void registers_hold_what_the_program_computes(void **state)
{
    static const uint32_t words[] = {
        0x00001517, /* auipc a0, 1 */
        0xfffff5b7, /* lui a1, 0xfffff */
        0x00858613, /* addi a2, a1, 8 */
        0x40a606b3, /* sub a3, a2, a0 */
        0x0000b703, /* ld a4, (ra) */
        0x00170793, /* addi a5, a4, 1 */
        0x008000ef, /* jal ra, +8 */
        0x00000013, /* nop */
    };
    (void)state;
    const struct etrace_registers r = after(words, 8, RV_64);
    assert_true(knows(&r, 0, 0));
    assert_true(knows(&r, 10, 0x2000));
    assert_true(knows(&r, 11, 0xfffffffffffff000));
    assert_true(knows(&r, 12, 0xfffffffffffff008));
    assert_true(knows(&r, 13, 0xfffffffffffff008 - 0x2000));
    assert_true(knows(&r, 1, X + 6 * 4 + 4));
    assert_int_equal(r.known, 1 | 1 << 1 | 0xf << 10);
    const struct etrace_registers narrow = after(words, 3, RV_32);
    assert_true(knows(&narrow, 12, 0xfffffffffffff008));
}

static void registers_have_the_width_of_the_hart(void **state)
{
    static const struct {
        uint64_t pc, value;
        enum rv_isa isa;
    } auipc[] = {{0x180001000, 0x180002000, RV_64},
                 {0x180001000, 0x180002000, RV_64_ZCM},
                 {0x3ffffffffffff000, 0x4000000000000000, RV_64},
                 {0xfffff000, 0, RV_32},
                 {0x7ffff000, 0xffffffff80000000, RV_32},
                 {0x7ffff000, 0xffffffff80000000, RV_32_ZCM},
                 {0x3ffff000, 0x40000000, RV_32}};
    (void)state;
    for (size_t n = 0; n < sizeof auipc / sizeof auipc[0]; n++) {
        struct etrace_registers r;
        etrace_registers_forget(&r);
        etrace_registers_follow(&r, auipc[n].pc, 0x00001517, auipc[n].isa);
        assert_true(knows(&r, 10, auipc[n].value));
    }
}

static void a_register_that_is_loaded_is_not_known(void **state)
{
    static const uint32_t words[] = {
        0x00001517, /* auipc a0, 1 */
        0x00053503, /* ld a0, (a0) */
        0x00001017, /* auipc zero, 1 */
    };
    (void)state;
    const struct etrace_registers r = after(words, 3, RV_64);
    assert_int_equal(r.known, 1);
    assert_true(knows(&r, 0, 0));
}

/* --- accesses --- */

static struct etrace_access of(uint32_t word, enum rv_isa isa)
{
    static const uint32_t words[] = {0x00001517 /* auipc a0, 1 */,
                                     0x123455b7 /* lui a1, 0x12345 */};
    const struct etrace_registers r = after(words, 2, isa);
    return etrace_access_of(X, word, isa, &r, NULL);
}

static void instructions_make_these_accesses(void **state)
{
    static const struct {
        uint32_t word;
        uint8_t type, operation;
        uint32_t bytes;
        uint64_t location, value, operand; /* 1: not known */
    } table[] = {
        {0x00000013, ETRACE_ACCESS_NONE, 0, 0, 1, 1, 1},                /* nop */
        {0x00053603, ETRACE_ACCESS_LOAD, 0, 8, 0x2000, 1, 1},           /* ld a2, (a0) */
        {0xfff50603, ETRACE_ACCESS_LOAD, 0, 1, 0x1fff, 1, 1},           /* lb a2, -1(a0) */
        {0x00065603, ETRACE_ACCESS_LOAD, 0, 2, 1, 1, 1},                /* lhu a2, (a2) */
        {0x00b52423, ETRACE_ACCESS_STORE, 0, 4, 0x2008, 0x12345000, 1}, /* sw a1, 8(a0) */
        {0x00052423, ETRACE_ACCESS_STORE, 0, 4, 0x2008, 0, 1},          /* sw zero, 8(a0) */
        {0x00c52423, ETRACE_ACCESS_STORE, 0, 4, 0x2008, 1, 1},          /* sw a2, 8(a0) */
        {0x0000c110, ETRACE_ACCESS_STORE, 0, 4, 0x2000, 1, 1},          /* c.sw a2, (a0) */
        {0x00b53427, ETRACE_ACCESS_STORE, 0, 8, 0x2008, 1, 1},          /* fsd fa1, 8(a0) */
        {0x08b526af, ETRACE_ACCESS_ATOMIC, 0, 4, 0x2000, 1,
         0x12345000}, /* amoswap.w a3, a1, (a0) */
        {0x00b536af, ETRACE_ACCESS_ATOMIC, 1, 8, 0x2000, 1, 0x12345000}, /* amoadd.d */
        {0x60b526af, ETRACE_ACCESS_ATOMIC, 2, 4, 0x2000, 1, 0x12345000}, /* amoand.w */
        {0x40b526af, ETRACE_ACCESS_ATOMIC, 3, 4, 0x2000, 1, 0x12345000}, /* amoor.w */
        {0x20b526af, ETRACE_ACCESS_ATOMIC, 4, 4, 0x2000, 1, 0x12345000}, /* amoxor.w */
        {0xa0b526af, ETRACE_ACCESS_ATOMIC, 5, 4, 0x2000, 1, 0x12345000}, /* amomax.w */
        {0xe0b526af, ETRACE_ACCESS_ATOMIC, 5, 4, 0x2000, 1, 0x12345000}, /* amomaxu.w */
        {0x80b526af, ETRACE_ACCESS_ATOMIC, 6, 4, 0x2000, 1, 0x12345000}, /* amomin.w */
        {0xc0b526af, ETRACE_ACCESS_ATOMIC, 6, 4, 0x2000, 1, 0x12345000}, /* amominu.w */
        {0x100526af, ETRACE_ACCESS_OTHER, 0, 4, 0x2000, 1, 1},           /* lr.w a3, (a0) */
        {0x18b526af, ETRACE_ACCESS_OTHER, 0, 4, 0x2000, 1, 1},           /* sc.w a3, a1, (a0) */
        {0x28b526af, ETRACE_ACCESS_OTHER, 0, 4, 0x2000, 1, 1},           /* amocas.w a3, a1, (a0) */
        {0x34059773, ETRACE_ACCESS_CSR, 0, 8, 0x340, 1, 0x12345000}, /* csrrw a4, mscratch, a1 */
        {0x3405a773, ETRACE_ACCESS_CSR, 1, 8, 0x340, 1, 0x12345000}, /* csrrs */
        {0x3407f773, ETRACE_ACCESS_CSR, 2, 8, 0x340, 1, 15},         /* csrrci a4, mscratch, 15 */
        {0x34061773, ETRACE_ACCESS_CSR, 0, 8, 0x340, 1, 1},          /* csrrw a4, mscratch, a2 */
        {0x02050007, ETRACE_ACCESS_MANY, 0, 0, 1, 1, 1},             /* vle8.v v0, (a0) */
        {0x0045200f, ETRACE_ACCESS_MANY, 0, 0, 1, 1, 1},             /* cbo.zero (a0) */
        {0x0015200f, ETRACE_ACCESS_NONE, 0, 0, 1, 1, 1},             /* cbo.clean (a0) */
    };
    (void)state;
    for (size_t n = 0; n < sizeof table / sizeof table[0]; n++) {
        const struct etrace_access a = of(table[n].word, RV_64);
        print_message("%08x\n", table[n].word);
        assert_int_equal(a.pc, X);
        assert_int_equal(a.word, table[n].word);
        assert_int_equal(a.type, table[n].type);
        assert_int_equal(a.operation, table[n].operation);
        assert_int_equal(a.bytes, table[n].bytes);
        assert_int_equal(a.location_known ? a.location : 1, table[n].location);
        assert_int_equal(a.value_known ? a.value : 1, table[n].value);
        assert_int_equal(a.operand_known ? a.operand : 1, table[n].operand);
        assert_false(a.stored_known);
    }
    assert_int_equal(of(0x0000b86e, RV_64_ZCM).type,
                     ETRACE_ACCESS_MANY); /* cm.push {ra, s0}, -48 */
}

static struct etrace_access recorded(uint32_t word, const struct assay_access *made, uint16_t count)
{
    const struct assay_executed item = {.accesses = count, .access = made};
    struct etrace_registers r;
    etrace_registers_forget(&r);
    return etrace_access_of(X, word, RV_64, &r, &item);
}

static void a_recording_gives_addresses_and_data(void **state)
{
    static const struct assay_access load = {0x3000, 8, false, true, 7};
    static const struct assay_access blind = {0x3000, 8, false, false, 7};
    static const struct assay_access store = {0x3004, 4, true, true, 9};
    static const struct assay_access both[] = {{0x3000, 4, false, true, 7},
                                               {0x3000, 4, true, true, 9}};
    (void)state;
    struct etrace_access a = recorded(0x00053603, &load, 1);
    assert_true(a.location_known && a.value_known && !a.stored_known);
    assert_int_equal(a.location, 0x3000);
    assert_int_equal(a.value, 7);
    a = recorded(0x00053603, &blind, 1);
    assert_true(a.location_known && !a.value_known);
    a = recorded(0x00053603, &store, 1); /* of another size */
    assert_false(a.location_known);
    a = recorded(0x00053603, NULL, 0);
    assert_false(a.location_known);
    a = recorded(0x00b52423, &store, 1);
    assert_int_equal(a.location, 0x3004);
    assert_int_equal(a.value, 9);
    a = recorded(0x00b526af, both, 2);
    assert_true(a.location_known && a.value_known && a.stored_known && !a.operand_known);
    assert_int_equal(a.value, 7);
    assert_int_equal(a.stored, 9);
    a = recorded(0x00b526af, both, 1);
    assert_false(a.location_known);
    struct assay_access three[] = {
        {0x3000, 4, false, true, 7}, {0x3000, 4, true, true, 9}, {0x3000, 4, false, false, 5}};
    a = recorded(0x00052603, three, 1); /* lw a2, (a0) */
    assert_true(a.value_known && !a.stored_known);
    a = recorded(0x00b526af, three, 2);
    assert_true(a.stored_known);
    assert_int_equal(a.stored, 9);
    three[1].content_known = false;
    assert_false(recorded(0x00b526af, three, 2).stored_known);
    three[1].content_known = true;
    three[1].write = false;
    assert_false(recorded(0x00b526af, three, 2).stored_known);
    three[0].write = true;
    a = recorded(0x00052603, three, 1);
    assert_true(a.location_known && !a.value_known);
    a = recorded(0x100526af, both, 1); /* LR */
    assert_false(a.location_known);
}

/* --- differences --- */

static const struct etrace_access a_load = {.type = ETRACE_ACCESS_LOAD,
                                            .bytes = 4,
                                            .location_known = true,
                                            .location = 0x1000,
                                            .value_known = true,
                                            .value = 0x80000001};
static const struct etrace_access an_atomic = {.word = 0x00b526af,
                                               .type = ETRACE_ACCESS_ATOMIC,
                                               .bytes = 4,
                                               .operation = 1,
                                               .value_known = true,
                                               .value = 7,
                                               .stored_known = true,
                                               .stored = 9};

static enum etrace_differs differs(const struct etrace_access *due,
                                   const struct etrace_access *sent)
{
    return etrace_access_differs(due, sent, 0xffffffff);
}

static void packets_differ_in_this_from_an_access(void **state)
{
    (void)state;
    struct etrace_access sent = a_load;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_NOT);
    sent.location = 0x100001000; /* above the mask */
    sent.value = 0xffffffff80000001;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_NOT);
    sent.value = 0x80000000;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_DATA);
    sent.value = 1; /* the highest bit alone */
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_DATA);
    sent.location = 0x1004;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_ADDRESS);
    sent.location_known = sent.value_known = false;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_NOT);
    sent.bytes = 8;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_SIZE);
    struct etrace_access due = a_load;
    due.bytes = 0; /* its size is not known */
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.type = ETRACE_ACCESS_STORE;
    assert_int_equal(differs(&a_load, &sent), ETRACE_DIFFERS_TYPE);
}

static enum etrace_differs pair(const struct etrace_access *due, uint64_t value, uint64_t operand)
{
    struct etrace_access sent = *due;
    sent.value_known = sent.operand_known = true;
    sent.value = value;
    sent.operand = operand;
    return differs(due, &sent);
}

static void what_an_atomic_access_stored_shows_its_operand(void **state)
{
    (void)state;
    struct etrace_access due = an_atomic;
    struct etrace_access sent = an_atomic;
    sent.operand_known = true;
    sent.operand = 2;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.operand = 3;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
    sent.operation = 2;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERATION);
    sent.operation = 1;
    due.stored_known = false;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    due.stored_known = true;
    due.value_known = false; /* what the packet has was loaded, then, or stored */
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
    assert_int_equal(pair(&due, 7, 2), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 9, 3), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 6, 9), ETRACE_DIFFERS_NOT);
    sent.value_known = false;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.value_known = true;
    due.operand_known = true;
    due.operand = 0xf00000003;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    due.operand = 2;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
    sent.operand_known = false;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
}

/* The interface gives what is stored, and the operand or what was loaded (4.4). */
static void data_and_operand_of_a_packet_fit_the_two_values_of_the_interface(void **state)
{
    (void)state;
    struct etrace_access due = an_atomic;
    due.value_known = false;
    due.either_known = true;
    due.either[0] = due.either[1] = 7; /* 9 is stored */
    assert_int_equal(pair(&due, 7, 2), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 2, 7), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 9, 7), ETRACE_DIFFERS_NOT); /* data are what is stored */
    assert_int_equal(pair(&due, 7, 9), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 7, 3), ETRACE_DIFFERS_OPERAND);
    assert_int_equal(pair(&due, 3, 7), ETRACE_DIFFERS_OPERAND);
    assert_int_equal(pair(&due, 3, 6), ETRACE_DIFFERS_OPERAND);
    assert_int_equal(pair(&due, 0xf00000007, 0xf00000002), ETRACE_DIFFERS_NOT);
    due.either[1] = 3;
    assert_int_equal(pair(&due, 3, 6), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 7, 2), ETRACE_DIFFERS_NOT);
    struct etrace_access sent = due;
    sent.operand_known = true;
    sent.operand = 77;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT); /* without data */
}

/* The request of a split access gives the operand or what is stored, the response what was loaded.
 */
static void the_operand_of_a_split_access_fits_that_of_the_interface(void **state)
{
    (void)state;
    struct etrace_access due = an_atomic;
    struct etrace_access sent = an_atomic;
    due.stored_known = false;
    due.either_known = true;
    due.either[0] = due.either[1] = 2; /* 7 was loaded */
    sent.value_known = false;
    sent.operand_known = true;
    sent.operand = 2;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.operand = 0xfffffffb; /* 2 is stored */
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.operand = 3;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
    due.value_known = false;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
}

/* With rs1 x0, CSRRS and CSRRC only read. */
static void what_a_csr_stores_shows_its_operand_unless_it_is_only_read(void **state)
{
    (void)state;
    struct etrace_access due = {.type = ETRACE_ACCESS_CSR,
                                .bytes = 8,
                                .word = 0x34059773, /* csrrw a4, mscratch, a1 */
                                .stored_known = true,
                                .stored = 0x10};
    assert_int_equal(pair(&due, 1, 0x10), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 1, 0x11), ETRACE_DIFFERS_OPERAND);
    due.operation = 1;
    due.word = 0x3405a773; /* csrrs a4, mscratch, a1 */
    assert_int_equal(pair(&due, 0x10, 0), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 1, 2), ETRACE_DIFFERS_OPERAND);
    due.word = 0x3400a773; /* csrrs a4, mscratch, ra */
    assert_int_equal(pair(&due, 1, 2), ETRACE_DIFFERS_OPERAND);
    due.word = 0x34082773; /* csrrs a4, mscratch, a6 */
    assert_int_equal(pair(&due, 1, 2), ETRACE_DIFFERS_OPERAND);
    due.word = 0x34002773; /* csrr a4, mscratch */
    assert_int_equal(pair(&due, 1, 2), ETRACE_DIFFERS_NOT);
}

static void csrs_store_by_their_operation(void **state)
{
    (void)state;
    struct etrace_access due = {.type = ETRACE_ACCESS_CSR,
                                .bytes = 4,
                                .operation = 2,
                                .stored_known = true,
                                .stored = 0x10,
                                .either_known = true,
                                .either = {5, 5}};
    assert_int_equal(pair(&due, 0x15, 5), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 0x15, 4), ETRACE_DIFFERS_OPERAND);
    due.operation = 1;
    due.stored = 0x15;
    assert_int_equal(pair(&due, 0x11, 5), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 0x12, 5), ETRACE_DIFFERS_OPERAND);
    due.operation = 0;
    due.stored = 5;
    assert_int_equal(pair(&due, 0x77, 5), ETRACE_DIFFERS_NOT);
    assert_int_equal(pair(&due, 0x77, 4), ETRACE_DIFFERS_OPERAND);
}

static void a_csr_has_the_width_of_the_hart(void **state)
{
    (void)state;
    const struct etrace_access due = {.type = ETRACE_ACCESS_CSR,
                                      .bytes = 4,
                                      .operand_known = true,
                                      .operand = 0xffffffff80000000};
    struct etrace_access sent = due;
    sent.operand = 0x80000000;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.operand = 0;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
}

static void a_response_says_whether_the_access_failed(void **state)
{
    (void)state;
    struct etrace_access due = a_load;
    struct etrace_access sent = a_load;
    due.status = ETRACE_STATUS_OKAY;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.status = ETRACE_STATUS_OKAY;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.status = ETRACE_STATUS_FAILED;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_STATUS);
    due.status = ETRACE_STATUS_UNKNOWN;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
}

static void csrs_have_numbers_and_no_size(void **state)
{
    (void)state;
    const struct etrace_access due = {.type = ETRACE_ACCESS_CSR,
                                      .location_known = true,
                                      .location = 0x340,
                                      .operand_known = true,
                                      .operand = 1};
    struct etrace_access sent = due;
    sent.bytes = 8;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.operand = UINT64_C(1) << 63 | 1;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_OPERAND);
    sent.location = 0x341;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NUMBER);
}

static void lr_and_sc_can_be_of_any_type_but_csr(void **state)
{
    (void)state;
    const struct etrace_access due = {.type = ETRACE_ACCESS_OTHER, .bytes = 4};
    struct etrace_access sent = {.type = ETRACE_ACCESS_ATOMIC, .bytes = 4, .operation = 7};
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_NOT);
    sent.type = ETRACE_ACCESS_CSR;
    assert_int_equal(differs(&due, &sent), ETRACE_DIFFERS_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_hold_what_the_program_computes),
        cmocka_unit_test(registers_have_the_width_of_the_hart),
        cmocka_unit_test(a_register_that_is_loaded_is_not_known),
        cmocka_unit_test(instructions_make_these_accesses),
        cmocka_unit_test(a_recording_gives_addresses_and_data),
        cmocka_unit_test(packets_differ_in_this_from_an_access),
        cmocka_unit_test(what_an_atomic_access_stored_shows_its_operand),
        cmocka_unit_test(data_and_operand_of_a_packet_fit_the_two_values_of_the_interface),
        cmocka_unit_test(the_operand_of_a_split_access_fits_that_of_the_interface),
        cmocka_unit_test(what_a_csr_stores_shows_its_operand_unless_it_is_only_read),
        cmocka_unit_test(csrs_store_by_their_operation),
        cmocka_unit_test(a_csr_has_the_width_of_the_hart),
        cmocka_unit_test(a_response_says_whether_the_access_failed),
        cmocka_unit_test(csrs_have_numbers_and_no_size),
        cmocka_unit_test(lr_and_sc_can_be_of_any_type_but_csr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
