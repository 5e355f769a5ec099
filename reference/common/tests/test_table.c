/* Memory for large tables. */
#include "common/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_table_begins_at_a_line_and_has_its_size(void **state)
{
    static const size_t sizes[] = {1, 63, 64, 65, 4095, 4096, 4097, 1 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct assay_table table;
        assert_true(assay_table_open(&table, sizes[i], true));
        assert_int_equal((uintptr_t)table.at % ASSAY_CACHE_LINE, 0);
        const unsigned char *bytes = table.at;
        for (size_t n = 0; n < sizes[i]; n++) {
            assert_int_equal(bytes[n], 0);
        }
        memset(table.at, 0xff, sizes[i]);
        assay_table_close(&table);
        assert_null(table.at);
        assay_table_close(&table);
    }
}

static void there_is_no_table_larger_than_memory(void **state)
{
    (void)state;
    struct assay_table table;
    assert_false(assay_table_open(&table, SIZE_MAX, true));
    assert_false(assay_table_open(&table, SIZE_MAX / 2, false));
    assert_null(table.at);
    assay_table_close(&table);
}

static void a_table_can_hold_itself(void **state)
{
    (void)state;
    struct assay_table table;
    assert_true(assay_table_open(&table, sizeof table, true));
    struct assay_table *const inside = table.at;
    *inside = table;
    assay_table_close(inside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_begins_at_a_line_and_has_its_size),
        cmocka_unit_test(there_is_no_table_larger_than_memory),
        cmocka_unit_test(a_table_can_hold_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
