/* Readings of interpretations that are chosen: which rules they change, and how they get to the
 * decoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/parameters.h"
#include "validator/engine/catalogue.h"

static const char DECODED[] = "INT-ETE-37"; /* the decoder of ETE follows its reading */

static bool has(const char *text, const char *id)
{
    char asks[64];
    snprintf(asks, sizeof asks, "reads(%s,", id);
    return text != NULL && strstr(text, asks) != NULL;
}

static bool names(const struct assay_rule *rule, uint16_t interpretation)
{
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        if (rule->interpretations[i] == interpretation) {
            return true;
        }
    }
    return false;
}

static void a_rule_switches_by_what_it_asks_for_and_by_what_its_decoder_follows(void **state)
{
    (void)state;
    unsigned asked = 0, followed = 0, bad = 0;
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        const struct assay_catalogue *catalogue = assay_catalogues[c];
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            const struct assay_rule *rule = &catalogue->rules[r];
            for (uint16_t n = 0; n < catalogue->interpretation_count; n++) {
                const char *id = catalogue->interpretations[n].id;
                const bool asks = has(rule->when_text, id) || has(rule->require_text, id);
                const bool follows = names(rule, n) && strcmp(id, DECODED) == 0;
                if (assay_rule_switches(catalogue, rule, n) != (asks || follows)) {
                    print_error("%s and %s\n", rule->id, id);
                    bad++;
                }
                asked += asks;
                followed += follows;
            }
        }
    }
    assert_int_equal(bad, 0);
    assert_true(asked > 0 && followed > 0);
}

static void a_reading_that_is_chosen_gets_to_its_decoder_alone(void **state)
{
    (void)state;
    unsigned decoded = 0;
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        const struct assay_catalogue *catalogue = assay_catalogues[c];
        const struct assay_parameter_table *table = catalogue->format->parameters;
        uint16_t *readings = calloc(catalogue->interpretation_count + 1, sizeof *readings);
        assert_non_null(readings);
        assay_readings_follow(catalogue, readings, NULL);
        for (uint16_t n = 0; n < catalogue->interpretation_count && table != NULL; n++) {
            const struct assay_interpretation *one = &catalogue->interpretations[n];
            const int number = assay_parameter_by_name(table, one->id);
            for (uint16_t reading = 0; number >= 0 && reading < one->reading_count; reading++) {
                const struct assay_parameter *parameter = &table->list[number];
                struct assay_parameter_table other = *table;
                struct assay_parameter_values values;
                uint64_t due = 0;
                assert_true(assay_enum_value(parameter->names, one->readings[reading].name, &due));
                readings[n] = reading;
                assay_parameters_init(&values, table);
                assay_readings_follow(catalogue, NULL, &values);
                assert_int_equal(values.value[number], parameter->value);
                assay_readings_follow(catalogue, readings, &values);
                assert_int_equal(values.value[number], due);
                assay_parameters_init(&values, &other); /* of another format */
                assay_readings_follow(catalogue, readings, &values);
                assert_int_equal(values.value[number], parameter->value);
                decoded++;
            }
        }
        free(readings);
    }
    assert_true(decoded > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_switches_by_what_it_asks_for_and_by_what_its_decoder_follows),
        cmocka_unit_test(a_reading_that_is_chosen_gets_to_its_decoder_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
