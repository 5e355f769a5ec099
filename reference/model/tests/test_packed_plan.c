/* Plans of packed fields: which are made, and which tables and parameters are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/packed.h"

static uint64_t some_call(uint64_t a, uint64_t b, uint64_t c)
{
    return a + b + c;
}

static enum assay_error plan_of(const struct assay_field *fields, size_t count,
                                const uint64_t *parameters, size_t parameter_count,
                                struct assay_diag *diag)
{
    static struct assay_packing plan;
    const struct assay_kind kind = {.name = "kind", .fields = fields, .field_count = count};
    return assay_packing_plan(&kind, parameters, parameter_count, &plan, diag);
}

static struct assay_field packed_field(const char *name, unsigned cell, unsigned width,
                                       const struct assay_packed *packed)
{
    return (struct assay_field){.name = name,
                                .type = ASSAY_UINT,
                                .place = ASSAY_PACKED,
                                .bit = (uint16_t)(64 * cell),
                                .width = (uint16_t)width,
                                .packed = packed};
}

static void parameters_that_make_a_field_too_wide_are_refused_by_its_name(void **state)
{
    (void)state;
    const struct assay_packed width = {
        .width = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_PARAMETER(1)},
        .shift = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_PARAMETER(0)}};
    const struct assay_field field = packed_field("wide", 0, 20, &width);
    const struct {
        uint64_t parameters[2];
        size_t count;
        enum assay_error error;
    } cases[] = {
        {{0, 20}, 2, ASSAY_OK},
        {{1, 19}, 2, ASSAY_OK},
        {{0, 0}, 2, ASSAY_OK},
        {{0, 21}, 2, ASSAY_OUT_OF_RANGE},
        {{1, 20}, 2, ASSAY_OUT_OF_RANGE},
        {{20, 0}, 2, ASSAY_OUT_OF_RANGE},
        {{0, 5}, 1, ASSAY_OUT_OF_RANGE},
        {{0, UINT64_MAX}, 2, ASSAY_OUT_OF_RANGE},
        {{0, 5}, 0, ASSAY_OUT_OF_RANGE},
        {{UINT64_MAX, 1}, 2, ASSAY_OUT_OF_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_diag diag = {.error = ASSAY_OK};
        const uint64_t *parameters = cases[i].count > 0 ? cases[i].parameters : NULL;
        assert_int_equal(plan_of(&field, 1, parameters, cases[i].count, &diag), cases[i].error);
        assert_int_equal(strstr(diag.message, "kind.wide") != NULL, cases[i].error != ASSAY_OK);
    }
}

static void a_table_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    const struct assay_packed good = {
        .width = {.op = ASSAY_PACKED_CALL, .a = ASSAY_BY_FIELD(0), .call = some_call}};
    const struct assay_packed itself = {
        .width = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_FIELD(1)}};
    const struct assay_packed no_call = {
        .present = {.op = ASSAY_PACKED_CALL, .a = ASSAY_BY_FIELD(0)}};
    const struct assay_packed sign = {.sign = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_FIELD(0)}};
    const struct assay_packed shift = {.shift = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_FIELD(0)}};
    const struct assay_packed operand = {.width = {.op = ASSAY_PACKED_VALUE, .a = {7, 0}}};
    const struct assay_packed op = {
        .width = {.op = (enum assay_packed_op)99, .a = ASSAY_BY_NUMBER(1)}};
    const struct assay_packed *bad[] = {&itself, &no_call, &sign, &shift, &operand, &op};
    struct assay_field fields[2] = {packed_field("a", 0, 8, NULL), packed_field("b", 1, 8, &good)};
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fields[1].packed = bad[i];
        assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    }
    fields[1].packed = &good;
    fields[0].place = ASSAY_DERIVED;
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    fields[0].place = ASSAY_PACKED;
    fields[0].flags = ASSAY_CONSTANT;
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    fields[0].flags = 0;
    fields[1].bit = 64 + 57;
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    fields[1] = packed_field("b", 1, 0, NULL);
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    fields[1] = packed_field("b", 1, 8, NULL);
    fields[1].type = ASSAY_BYTES;
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
    fields[1].place = ASSAY_TAIL;
    assert_int_equal(plan_of(fields, 2, NULL, 0, NULL), ASSAY_INTERNAL);
}

static void a_kind_beyond_the_limits_is_refused(void **state)
{
    (void)state;
    struct assay_field fields[ASSAY_MAX_PACKED_FIELDS + 1];
    for (unsigned i = 0; i < ASSAY_MAX_PACKED_FIELDS + 1; i++) {
        fields[i] = packed_field("field", i, 32, NULL);
    }
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS, NULL, 0, NULL), ASSAY_OK);
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS + 1, NULL, 0, NULL), ASSAY_LIMIT);
    fields[3].width = 33;
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS, NULL, 0, NULL), ASSAY_LIMIT);
    fields[3].width = 31;
    fields[0].place = ASSAY_AT_BIT;
    fields[0].bit = 0;
    fields[0].width = 33;
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS, NULL, 0, NULL), ASSAY_OK);
    fields[0].width = 34;
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS, NULL, 0, NULL), ASSAY_LIMIT);
    fields[0].width = UINT16_MAX;
    assert_int_equal(plan_of(fields, ASSAY_MAX_PACKED_FIELDS, NULL, 0, NULL), ASSAY_LIMIT);
}

static void a_kind_without_packed_fields_has_a_plan_without_steps(void **state)
{
    (void)state;
    const struct assay_field field = {
        .name = "fixed", .type = ASSAY_UINT, .place = ASSAY_AT_BIT, .bit = 3, .width = 6};
    const struct assay_kind kind = {.name = "kind", .fields = &field, .field_count = 1};
    struct assay_packing plan;
    struct assay_packed_length length;
    uint8_t bytes[2] = {0xf8, 0xff};
    assert_int_equal(assay_packing_plan(&kind, NULL, 0, &plan, NULL), ASSAY_OK);
    assert_int_equal(plan.most_bits, 9);
    assert_int_equal(assay_pack(&plan, NULL, true, bytes, 2, &length, NULL), ASSAY_OK);
    assert_int_equal(length.bits, 9);
    assert_int_equal(bytes[0], 0xf8);
    assert_int_equal(bytes[1], 0x01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_that_make_a_field_too_wide_are_refused_by_its_name),
        cmocka_unit_test(a_table_that_contradicts_itself_is_refused),
        cmocka_unit_test(a_kind_beyond_the_limits_is_refused),
        cmocka_unit_test(a_kind_without_packed_fields_has_a_plan_without_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
