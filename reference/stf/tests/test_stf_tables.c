/* The tables that are built in are those of tables.yaml. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/yaml.h"
#include "model/facts.h"
#include "stf/tables.h"

static void read_file(struct assay_facts *facts)
{
    static char text[1 << 16];
    struct assay_yaml_file file;
    FILE *in = fopen(TABLES_YAML, "r");
    assert_non_null(in);
    const size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    assert_in_range(size, 1, sizeof text - 1);
    assert_int_equal(assay_yaml_parse(TABLES_YAML, text, size, &file, NULL), ASSAY_OK);
    assert_int_equal(assay_facts_read(file.root, facts, NULL), ASSAY_OK);
    assay_yaml_free(&file);
}

static void every_number_of_the_file_is_built_in_and_no_other(void **state)
{
    (void)state;
    struct assay_facts facts = {0};
    read_file(&facts);
    for (unsigned table = 0; table < ASSAY_TABLE_COUNT; table++) {
        size_t count;
        const struct assay_fact_number *list =
            assay_fact_numbers(facts.tables, (enum assay_fact_table)table, &count);
        assert_true(count > 0);
        assert_int_equal(stf_built_in[table].count, count);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(stf_built_in[table].list[i].group, list[i].group);
            assert_string_equal(stf_built_in[table].list[i].name, list[i].name);
            assert_int_equal(stf_built_in[table].list[i].value, list[i].value);
        }
    }
    assay_facts_clear(&facts);
}

static void a_table_that_is_given_takes_the_place_of_the_built_in_one_alone(void **state)
{
    (void)state;
    static struct stf_tables built_in, given;
    const char text[] = "tools: {MINE: 99}\n";
    struct assay_yaml_file file;
    struct assay_facts facts = {0};
    assert_int_equal(assay_yaml_parse("test", text, sizeof text - 1, &file, NULL), ASSAY_OK);
    assert_int_equal(assay_facts_read(file.root, &facts, NULL), ASSAY_OK);
    assay_yaml_free(&file);
    stf_tables_open(NULL, &built_in);
    stf_tables_open(facts.tables, &given);
    assert_memory_equal(built_in.registers, given.registers, sizeof given.registers);
    assert_int_equal(built_in.features_known, given.features_known);
    assert_int_equal(given.tools[0], 0);
    assert_int_equal(given.tools[1], UINT64_C(1) << 35);
    assay_facts_clear(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_the_file_is_built_in_and_no_other),
        cmocka_unit_test(a_table_that_is_given_takes_the_place_of_the_built_in_one_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
