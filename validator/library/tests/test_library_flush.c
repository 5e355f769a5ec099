/* assay_validator_flush: what was pushed is judged before more is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "validator/library/assay.h"

static void count_reserved(void *context, const struct assay_violation *violation)
{
    *(unsigned *)context += strcmp(violation->rule, "ETR-0005") == 0;
}

/* Each packet of E-Trace is judged when it was pushed, and a part of one is not. */
static void a_flush_reports_what_was_pushed(void **state)
{
    static const uint8_t packet[] = {0x01, 0x00}; /* of a message type that is reserved */
    struct assay_validator *v = assay_validator_new();
    unsigned found = 0;
    (void)state;
    assert_int_equal(assay_validator_set(v, "format", "etrace"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_set(v, "framing", "byte-header"), ASSAY_STATUS_OK);
    assay_validator_on_violation(v, count_reserved, &found);
    assert_int_equal(assay_validator_flush(v), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_begin(v, "simulation"), ASSAY_STATUS_OK);
    for (unsigned n = 0; n < 10; n++) {
        assay_validator_push(v, packet, 1);
        assert_int_equal(assay_validator_flush(v), ASSAY_STATUS_OK);
        assert_int_equal(found, n);
        assay_validator_push(v, packet + 1, 1);
        assert_int_equal(assay_validator_flush(v), ASSAY_STATUS_OK);
        assert_int_equal(found, n + 1);
    }
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assay_validator_free(v);
}

/* Of other formats it waits until the bytes were read, and nothing is lost. */
static void a_flush_of_other_formats_changes_nothing(void **state)
{
    static const char *const formats[] = {"astf", "stf", "ete", "coresight"};
    static const uint8_t byte[] = {0x42};
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct assay_validator *v = assay_validator_new();
        struct assay_summary summary = {.size = sizeof summary};
        assert_int_equal(assay_validator_set(v, "format", formats[i]), ASSAY_STATUS_OK);
        assert_int_equal(assay_validator_begin(v, "trace"), ASSAY_STATUS_OK);
        for (unsigned n = 0; n < 100; n++) {
            assert_int_equal(assay_validator_push(v, byte, 1), ASSAY_STATUS_OK);
            assert_int_equal(assay_validator_flush(v), ASSAY_STATUS_OK);
        }
        assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
        if (assay_validator_summary(v, &summary) == ASSAY_STATUS_OK) {
            assert_int_equal(summary.bytes, 100);
        }
        assay_validator_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flush_reports_what_was_pushed),
        cmocka_unit_test(a_flush_of_other_formats_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
