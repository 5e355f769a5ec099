#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/yaml.h"
#include "model/facts.h"

static enum assay_error read_text(const char *text, struct assay_facts *facts,
                                  struct assay_diag *diag)
{
    struct assay_yaml_file file;
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    assert_int_equal(assay_yaml_parse("facts.yaml", text, strlen(text), &file, diag), ASSAY_OK);
    const enum assay_error error = assay_facts_read(file.root, facts, diag);
    assay_yaml_free(&file);
    return error;
}

static void every_fact_is_found_by_its_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        assert_int_equal(assay_fact_by_name(assay_fact_table[i].name), i);
        assert_true(assay_fact_table[i].most >= 1);
        assert_true(assay_fact_table[i].doc[0] != '\0');
    }
    assert_int_equal(assay_fact_by_name("FEAT_NONE"), ASSAY_FACT_COUNT);
    assert_int_equal(assay_fact_by_name(""), ASSAY_FACT_COUNT);
}

static void what_is_given_is_known_and_all_else_is_not(void **state)
{
    (void)state;
    struct assay_facts facts = {0};
    struct assay_diag diag;
    const char text[] = "facts: 1\n"
                        "features: {FEAT_SVE: true, FEAT_SME: false}\n"
                        "address_sizes: {T0SZ: 16}\n"
                        "page_size: 0x1000\n";
    assert_int_equal(read_text(text, &facts, &diag), ASSAY_OK);
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        const bool given = i == ASSAY_FACT_FEAT_SVE || i == ASSAY_FACT_FEAT_SME ||
                           i == ASSAY_FACT_T0SZ || i == ASSAY_FACT_page_size;
        assert_int_equal(facts.known[i], given);
    }
    assert_int_equal(facts.value[ASSAY_FACT_FEAT_SVE], 1);
    assert_int_equal(facts.value[ASSAY_FACT_FEAT_SME], 0);
    assert_int_equal(facts.value[ASSAY_FACT_T0SZ], 16);
    assert_int_equal(facts.value[ASSAY_FACT_page_size], 4096);
}

static void address_sizes_are_given_for_each_translation_regime(void **state)
{
    (void)state;
    struct assay_facts facts = {0};
    struct assay_diag diag;
    const char text[] = "address_sizes:\n"
                        "  el1: {T0SZ: 16, T1SZ: 17}\n"
                        "  el20: {T0SZ: 18, T1SZ: 19}\n"
                        "  el3: {T0SZ: 20}\n";
    assert_int_equal(read_text(text, &facts, &diag), ASSAY_OK);
    assert_int_equal(facts.value[ASSAY_FACT_T0SZ], 16);
    assert_int_equal(facts.value[ASSAY_FACT_T1SZ], 17);
    assert_int_equal(facts.value[ASSAY_FACT_T0SZ_EL20], 18);
    assert_int_equal(facts.value[ASSAY_FACT_T1SZ_EL20], 19);
    assert_int_equal(facts.value[ASSAY_FACT_T0SZ_EL3], 20);
    assert_false(facts.known[ASSAY_FACT_T0SZ_EL2]);
    /* What EL2 is cannot change. */
    assert_int_equal(read_text("address_sizes: {el2: {T0SZ: 21}}\n", &facts, &diag),
                     ASSAY_UNSUPPORTED);
    assert_int_equal(diag.column, 17);
    assert_non_null(strstr(diag.message, "el20"));
    facts = (struct assay_facts){0};
    assert_int_equal(read_text("address_sizes: {el2: {T0SZ: 21}}\n", &facts, &diag), ASSAY_OK);
    assert_int_equal(facts.value[ASSAY_FACT_T0SZ_EL2], 21);
    assert_int_equal(read_text("address_sizes: {el20: {T1SZ: 21}}\n", &facts, &diag),
                     ASSAY_UNSUPPORTED);
}

static void a_second_file_adds_to_the_first(void **state)
{
    (void)state;
    struct assay_facts facts = {0};
    struct assay_diag diag;
    assert_int_equal(read_text("page_size: 4096\nzva_bytes: 64\n", &facts, &diag), ASSAY_OK);
    assert_int_equal(read_text("page_size: 65536\n", &facts, &diag), ASSAY_OK);
    assert_int_equal(facts.value[ASSAY_FACT_page_size], 65536);
    assert_true(facts.known[ASSAY_FACT_zva_bytes]);
    assert_int_equal(facts.value[ASSAY_FACT_zva_bytes], 64);
}

static void mistakes_are_told_with_their_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line, column;
        const char *message;
        const char *hint;
    } cases[] = {
        {"facts: 2\n", ASSAY_UNSUPPORTED, 1, 8, "facts: 1", ""},
        {"a\n", ASSAY_WRONG_TYPE, 1, 1, "mapping", ""},
        {"[1]\n", ASSAY_WRONG_TYPE, 1, 1, "mapping", ""},
        {"facts: 1\npage_sise: 4096\n", ASSAY_UNKNOWN_NAME, 2, 1, "page_sise", "page_size"},
        {"features: true\n", ASSAY_WRONG_TYPE, 1, 11, "mapping", ""},
        {"features:\n  FEAT_SVEE: true\n", ASSAY_UNKNOWN_NAME, 2, 3, "FEAT_SVEE", "FEAT_SVE"},
        {"features: {FEAT_SVE: 1}\n", ASSAY_WRONG_TYPE, 1, 22, "true or false", ""},
        {"features: {FEAT_SVE: 'true'}\n", ASSAY_WRONG_TYPE, 1, 22, "true or false", ""},
        {"features: {FEAT_SVE: [true]}\n", ASSAY_WRONG_TYPE, 1, 22, "true or false", ""},
        {"address_sizes: {T0SZ: true}\n", ASSAY_WRONG_TYPE, 1, 23, "a number", ""},
        {"address_sizes: {T0SZ: 64}\n", ASSAY_OUT_OF_RANGE, 1, 23, "63", ""},
        {"page_size: -1\n", ASSAY_WRONG_TYPE, 1, 12, "a number", ""},
        {"zva_bytes: 4096\n", ASSAY_OUT_OF_RANGE, 1, 12, "2048", ""},
        {"address_sizes: {el2: 16}\n", ASSAY_WRONG_TYPE, 1, 22, "mapping", ""},
        {"address_sizes: {el2: {T1SZ: 16}}\n", ASSAY_UNKNOWN_NAME, 1, 23, "T1SZ", "T0SZ"},
        {"address_sizes: {el3: {T0SZ: 64}}\n", ASSAY_OUT_OF_RANGE, 1, 29, "63", ""},
        {"address_sizes: {el4: {T0SZ: 16}}\n", ASSAY_UNKNOWN_NAME, 1, 17, "el4", ""},
        {"address_sizes: {T0SZ_EL3: 16}\n", ASSAY_UNKNOWN_NAME, 1, 17, "T0SZ_EL3", ""},
        {"features: {el1: {T0SZ: 16}}\n", ASSAY_UNKNOWN_NAME, 1, 12, "el1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_facts facts = {0};
        struct assay_diag diag;
        const enum assay_error error = read_text(cases[i].text, &facts, &diag);
        if (error != cases[i].error || diag.line != cases[i].line ||
            diag.column != cases[i].column || strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL) {
            fail_msg("%s: %s at %u:%u: %s (%s)", cases[i].text, assay_error_name(error), diag.line,
                     diag.column, diag.message, diag.hint);
        }
        for (unsigned f = 0; f < ASSAY_FACT_COUNT; f++) {
            assert_false(facts.known[f]);
        }
    }
}

static void the_greatest_value_of_each_fact_is_taken_and_one_more_is_not(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        const struct assay_fact_info *info = &assay_fact_table[i];
        const bool feature = info->most == 1;
        /* T0SZ_EL20 is T0SZ of the regime el20. */
        const bool size = strncmp(info->name + 2, "SZ", 2) == 0;
        const char *regime = size ? strstr(info->name, "_EL") : NULL;
        for (uint64_t extra = 0; extra < 2 && !feature; extra++) {
            struct assay_facts facts = {0};
            struct assay_diag diag;
            char text[128];
            const unsigned long long value = info->most + extra;
            if (regime != NULL) {
                snprintf(text, sizeof text, "address_sizes: {el%s: {%.4s: %llu}}\n", regime + 3,
                         info->name, value);
            } else {
                snprintf(text, sizeof text, size ? "address_sizes: {%s: %llu}\n" : "%s: %llu\n",
                         info->name, value);
            }
            assert_int_equal(read_text(text, &facts, &diag),
                             extra == 0 ? ASSAY_OK : ASSAY_OUT_OF_RANGE);
            assert_int_equal(facts.known[i], extra == 0);
        }
    }
}

static void a_mistake_in_a_file_is_told_with_its_path(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-facts-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "facts: 1\npage: 4096\n";
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    struct assay_facts facts = {0};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assert_int_equal(assay_facts_load(path, &facts, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.path, path);
    assert_int_equal(diag.line, 2);
    unlink(path);
    assert_int_equal(assay_facts_load(path, &facts, &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fact_is_found_by_its_name),
        cmocka_unit_test(what_is_given_is_known_and_all_else_is_not),
        cmocka_unit_test(address_sizes_are_given_for_each_translation_regime),
        cmocka_unit_test(a_second_file_adds_to_the_first),
        cmocka_unit_test(mistakes_are_told_with_their_line_and_column),
        cmocka_unit_test(the_greatest_value_of_each_fact_is_taken_and_one_more_is_not),
        cmocka_unit_test(a_mistake_in_a_file_is_told_with_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
