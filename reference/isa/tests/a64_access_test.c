/* Which accesses to System registers no Exception level has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/tests/samples.h"

static void a_read_only_register_is_not_written(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd5180000, "msr s3_0_c0_c0_0, x0"},   {0xd51807e0, "msr s3_0_c0_c7_7, x0"},
        {0xd5180401, "msr s3_0_c0_c4_0, x1"},   {0xd5190000, "msr s3_1_c0_c0_0, x0"},
        {0xd5190040, "msr s3_1_c0_c0_2, x0"},   {0xd5190080, "msr s3_1_c0_c0_4, x0"},
        {0xd51900c0, "msr s3_1_c0_c0_6, x0"},   {0xd5190020, "msr s3_1_c0_c0_1, x0"},
        {0xd51900e0, "msr s3_1_c0_c0_7, x0"},   {0xd51b0020, "msr s3_3_c0_c0_1, x0"},
        {0xd51b00e0, "msr s3_3_c0_c0_7, x0"},   {0xd51b2400, "msr s3_3_c2_c4_0, x0"},
        {0xd51b2420, "msr s3_3_c2_c4_1, x0"},   {0xd5184240, "msr s3_0_c4_c2_2, x0"},
        {0xd5185300, "msr s3_0_c5_c3_0, x0"},   {0xd5185400, "msr s3_0_c5_c4_0, x0"},
        {0xd5185480, "msr s3_0_c5_c4_4, x0"},   {0xd51899e0, "msr s3_0_c9_c9_7, x0"},
        {0xd5189be0, "msr s3_0_c9_c11_7, x0"},  {0xd5189ae0, "msr s3_0_c9_c10_7, x0"},
        {0xd5189ec0, "msr s3_0_c9_c14_6, x0"},  {0xd51b9cc0, "msr s3_3_c9_c12_6, x0"},
        {0xd51b9ce0, "msr s3_3_c9_c12_7, x0"},  {0xd518a480, "msr s3_0_c10_c4_4, x0"},
        {0xd518a4e0, "msr s3_0_c10_c4_7, x0"},  {0xd518c020, "msr s3_0_c12_c0_1, x0"},
        {0xd51cc020, "msr s3_4_c12_c0_1, x0"},  {0xd51ec020, "msr s3_6_c12_c0_1, x0"},
        {0xd518c100, "msr s3_0_c12_c1_0, x0"},  {0xd518c800, "msr s3_0_c12_c8_0, x0"},
        {0xd518c840, "msr s3_0_c12_c8_2, x0"},  {0xd518cc00, "msr s3_0_c12_c12_0, x0"},
        {0xd518cc40, "msr s3_0_c12_c12_2, x0"}, {0xd518c9a0, "msr s3_0_c12_c9_5, x0"},
        {0xd518cb60, "msr s3_0_c12_c11_3, x0"}, {0xd51ccb20, "msr s3_4_c12_c11_1, x0"},
        {0xd51ccb60, "msr s3_4_c12_c11_3, x0"}, {0xd51ccb40, "msr s3_4_c12_c11_2, x0"},
        {0xd51ccba0, "msr s3_4_c12_c11_5, x0"}, {0xd51bd220, "msr s3_3_c13_c2_1, x0"},
        {0xd51bd240, "msr s3_3_c13_c2_2, x0"},  {0xd51bd2c0, "msr s3_3_c13_c2_6, x0"},
        {0xd51be020, "msr s3_3_c14_c0_1, x0"},  {0xd51be0a0, "msr s3_3_c14_c0_5, x0"},
        {0xd51be040, "msr s3_3_c14_c0_2, x0"},  {0xd51be0c0, "msr s3_3_c14_c0_6, x0"},
        {0xd5101000, "msr s2_0_c1_c0_0, x0"},   {0xd5101180, "msr s2_0_c1_c1_4, x0"},
        {0xd5107ec0, "msr s2_0_c7_c14_6, x0"},  {0xd5130100, "msr s2_3_c0_c1_0, x0"},
    };
    check_samples(a64_is_undefined_access, true, samples, COUNT(samples));
}

static void a_write_only_register_is_not_read(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd538c820, "mrs x0, s3_0_c12_c8_1"},  {0xd538cc20, "mrs x0, s3_0_c12_c12_1"},
        {0xd538cb20, "mrs x0, s3_0_c12_c11_1"}, {0xd538cba0, "mrs x0, s3_0_c12_c11_5"},
        {0xd538cbc0, "mrs x0, s3_0_c12_c11_6"}, {0xd538cbe0, "mrs x0, s3_0_c12_c11_7"},
        {0xd53b9c80, "mrs x0, s3_3_c9_c12_4"},  {0xd53b9d80, "mrs x0, s3_3_c9_c13_4"},
        {0xd5301080, "mrs x0, s2_0_c1_c0_4"},
    };
    check_samples(a64_is_undefined_access, true, samples, COUNT(samples));
}

static void other_accesses_can_be_executed(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0xd5380000, "mrs x0, midr_el1"},       {0xd53b2400, "mrs x0, s3_3_c2_c4_0"},
        {0xd51a0000, "msr s3_2_c0_c0_0, x0"},   {0xd51c0000, "msr s3_4_c0_c0_0, x0"},
        {0xd5180800, "msr s3_0_c0_c8_0, x0"},   {0xd5181000, "msr s3_0_c1_c0_0, x0"},
        {0xd51be000, "msr s3_3_c14_c0_0, x0"},  {0xd51be060, "msr s3_3_c14_c0_3, x0"},
        {0xd5184200, "msr s3_0_c4_c2_0, x0"},   {0xd5184260, "msr s3_0_c4_c2_3, x0"},
        {0xd518c000, "msr s3_0_c12_c0_0, x0"},  {0xd518c040, "msr s3_0_c12_c0_2, x0"},
        {0xd518c820, "msr s3_0_c12_c8_1, x0"},  {0xd518c860, "msr s3_0_c12_c8_3, x0"},
        {0xd518cce0, "msr s3_0_c12_c12_7, x0"}, {0xd518cb20, "msr s3_0_c12_c11_1, x0"},
        {0xd51ccb00, "msr s3_4_c12_c11_0, x0"}, {0xd51ccbe0, "msr s3_4_c12_c11_7, x0"},
        {0xd51b9ca0, "msr s3_3_c9_c12_5, x0"},  {0xd51b9c80, "msr s3_3_c9_c12_4, x0"},
        {0xd51bd200, "msr s3_3_c13_c2_0, x0"},  {0xd5185420, "msr s3_0_c5_c4_1, x0"},
        {0xd5185320, "msr s3_0_c5_c3_1, x0"},   {0xd5101080, "msr s2_0_c1_c0_4, x0"},
        {0xd5301180, "mrs x0, s2_0_c1_c1_4"},   {0xd5130500, "msr s2_3_c0_c5_0, x0"},
        {0xd5330500, "mrs x0, s2_3_c0_c5_0"},   {0xd5101380, "msr s2_0_c1_c3_4, x0"},
        {0xd538cb60, "mrs x0, s3_0_c12_c11_3"}, {0xd538cc00, "mrs x0, s3_0_c12_c12_0"},
        {0xd538cb80, "mrs x0, s3_0_c12_c11_4"}, {0xd53b9ca0, "mrs x0, s3_3_c9_c12_5"},
        {0xd50041bf, "msr spsel, #1"},          {0xd50c879f, "tlbi alle1"},
        {0xd5390060, "mrs x0, s3_1_c0_c0_3"},   {0xd5190060, "msr s3_1_c0_c0_3, x0"},
        {0xd51b0060, "msr s3_3_c0_c0_3, x0"},
    };
    check_samples(a64_is_undefined_access, false, samples, COUNT(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_only_register_is_not_written),
        cmocka_unit_test(a_write_only_register_is_not_read),
        cmocka_unit_test(other_accesses_can_be_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
