/* Layouts of packed fields against the plans that they are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/tests/random.h"
#include "model/layout_enum.h"
#include "model/packed_layout.h"

/* --- kinds whose first fields decide the others --- */

enum { FIELDS = 12, DECIDING = 3, FIRST_CELL = ASSAY_CELL_EXCESS + 1, CELLS = FIRST_CELL + FIELDS };
enum { PAYLOAD = 100 };

struct toy {
    struct assay_field fields[FIELDS];
    struct assay_packed packed[FIELDS];
    struct assay_kind kind;
    struct assay_packing plan;
    struct assay_packed_layouts layouts;
};

static uint64_t mixed(uint64_t a, uint64_t b, uint64_t c)
{
    return (5 * a + 11 * b + c) % 70;
}

static struct assay_packed_operand number(uint64_t value)
{
    return (struct assay_packed_operand)ASSAY_BY_NUMBER((uint16_t)value);
}

/* Fields 0 and 2 decide. */
static struct assay_packed_operand deciding(uint64_t *seed)
{
    return (struct assay_packed_operand)ASSAY_BY_FIELD((uint16_t)(2 * random_below(seed, 2)));
}

static struct assay_packed_term random_term(uint64_t *seed)
{
    return (struct assay_packed_term){.op = (enum assay_packed_op)random_below(seed, 7),
                                      .a = deciding(seed),
                                      .b = deciding(seed),
                                      .c = number(random_below(seed, 70)),
                                      .call = mixed};
}

static void make_field(struct toy *toy, size_t i, unsigned width, unsigned bit)
{
    toy->fields[i] = (struct assay_field){.name = "field",
                                          .type = ASSAY_UINT,
                                          .place = ASSAY_PACKED,
                                          .bit = (uint16_t)(64 * (FIRST_CELL + i) + bit),
                                          .width = (uint16_t)width,
                                          .packed = &toy->packed[i]};
}

static struct assay_packed_term number_term(uint64_t value)
{
    return (struct assay_packed_term){.op = ASSAY_PACKED_VALUE, .a = number(value)};
}

/* The first three fields have constant widths; the first and the third have up to five bits. */
static void make_toy(struct toy *toy, uint64_t *seed)
{
    memset(toy, 0, sizeof *toy);
    toy->kind = (struct assay_kind){.name = "toy",
                                    .fields = toy->fields,
                                    .field_count = FIELDS,
                                    .sign_compressed = random_below(seed, 2) != 0,
                                    .presence = ASSAY_CELL_PRESENCE + 1};
    make_field(toy, 0, 1 + (unsigned)random_below(seed, 3), 0);
    make_field(toy, 1, 1 + (unsigned)random_below(seed, 64), 0);
    make_field(toy, 2, 1 + (unsigned)random_below(seed, 2), (unsigned)random_below(seed, 8));
    toy->packed[0].sign = number_term(random_below(seed, 2));
    for (size_t i = DECIDING; i < FIELDS; i++) {
        const unsigned width = 1 + (unsigned)random_below(seed, 64);
        const bool aligned = random_below(seed, 2) != 0;
        make_field(toy, i, width, aligned ? 0 : (unsigned)random_below(seed, 65 - width));
        toy->packed[i].width = random_term(seed);
        toy->packed[i].present = random_term(seed);
        toy->packed[i].sign = number_term(random_below(seed, 2));
        toy->packed[i].shift = number_term(random_below(seed, width < 4 ? width : 4));
    }
}

static bool open_toy(struct toy *toy)
{
    assert_int_equal(assay_packing_plan(&toy->kind, NULL, 0, &toy->plan, NULL), ASSAY_OK);
    return assay_packed_layouts_open(&toy->layouts, &toy->plan);
}

static void layouts_unpack_as_the_plan_does(void **state)
{
    (void)state;
    static struct toy toy;
    uint64_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        if (round % 20 == 0) {
            make_toy(&toy, &seed);
            assert_true(open_toy(&toy));
        }
        uint8_t bytes[PAYLOAD];
        uint64_t expected[CELLS] = {0};
        uint64_t cells[CELLS] = {0};
        struct assay_unpacked unpacked;
        const size_t size = 1 + random_below(&seed, round % 2 == 0 ? 12 : PAYLOAD);
        random_fill(&seed, bytes, size);
        if (round % 3 == 0) {
            memset(bytes + size / 2, bytes[size / 2] >> 7 != 0 ? 0xff : 0, size - size / 2);
        }
        (void)assay_unpack(&toy.plan, bytes, 8 * size, expected, &unpacked);
        expected[ASSAY_CELL_EXCESS] = unpacked.excess_is_padding ? 0 : unpacked.excess;
        assert_int_equal(assay_packed_layouts_unpack(&toy.layouts, bytes, size, cells),
                         unpacked.bits);
        assert_memory_equal(cells, expected, sizeof cells);
    }
}

static void nothing_can_decide_behind_what_it_decides(void **state)
{
    (void)state;
    static struct toy toy;
    uint64_t seed = 2;
    make_toy(&toy, &seed);
    toy.packed[1].present = (struct assay_packed_term){
        .op = ASSAY_PACKED_EQUAL, .a = ASSAY_BY_FIELD(0), .b = ASSAY_BY_NUMBER(0)};
    toy.packed[3].present = (struct assay_packed_term){
        .op = ASSAY_PACKED_EQUAL, .a = ASSAY_BY_FIELD(2), .b = ASSAY_BY_NUMBER(0)};
    assert_false(open_toy(&toy));
    assert_null(toy.layouts.plan);
}

static void more_bits_than_a_table_is_made_for_decide_no_layout(void **state)
{
    (void)state;
    static struct toy toy;
    uint64_t seed = 3;
    for (unsigned width = 1; width < 8; width++) {
        make_toy(&toy, &seed);
        toy.fields[0].width = (uint16_t)width;
        toy.fields[2].width = 2;
        toy.packed[3].width = (struct assay_packed_term){
            .op = ASSAY_PACKED_CALL, .call = mixed, .a = ASSAY_BY_FIELD(0), .b = ASSAY_BY_FIELD(2)};
        toy.fields[3].width = 8;
        toy.packed[3].shift = number_term(0);
        assert_int_equal(open_toy(&toy), width + 2 <= ASSAY_DECIDING_BITS);
    }
}

static void kinds_without_presence_or_with_shared_cells_have_no_layouts(void **state)
{
    (void)state;
    static struct toy toy;
    uint64_t seed = 4;
    make_toy(&toy, &seed);
    toy.kind.presence = 0;
    assert_false(open_toy(&toy));
    make_toy(&toy, &seed);
    toy.fields[4].bit = 64 * (FIRST_CELL + 3);
    assert_false(open_toy(&toy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_unpack_as_the_plan_does),
        cmocka_unit_test(nothing_can_decide_behind_what_it_decides),
        cmocka_unit_test(more_bits_than_a_table_is_made_for_decide_no_layout),
        cmocka_unit_test(kinds_without_presence_or_with_shared_cells_have_no_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
