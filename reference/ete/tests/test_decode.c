/* What is agreed on before a stream is decoded: FEAT_RME, by the configuration and by the platform
 * facts. */
#include "ete/tests/ete_support.h"

#include "model/facts.h"

enum { NO, YES, NOT_SAID };

static struct assay_parameter_values values;

/* Opens a decoder; NOT_SAID: the configuration, or the facts, have no FEAT_RME. */
static enum assay_error open_with(unsigned configured, unsigned fact)
{
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_diag diag = {.error = ASSAY_OK};
    static struct assay_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.known[ASSAY_FACT_FEAT_RME] = fact != NOT_SAID;
    facts.value[ASSAY_FACT_FEAT_RME] = fact == YES;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.known[ETE_FEAT_RME] = configured != NOT_SAID;
    values.value[ETE_FEAT_RME] = configured == YES;
    assert_int_equal(assay_source_memory("", 0, &source), ASSAY_OK);
    const struct assay_decode_input input = {
        .source = source, .parameters = &values, .facts = &facts};
    const enum assay_error error = ete_decoder_ops.open(&input, &decoder, &diag);
    if (decoder != NULL) {
        ete_decoder_ops.close(decoder);
    }
    return error;
}

static void the_configuration_and_the_facts_agree_on_feat_rme(void **state)
{
    (void)state;
    assert_int_equal(open_with(NO, NO), ASSAY_OK);
    assert_int_equal(open_with(YES, YES), ASSAY_OK);
    assert_int_equal(open_with(NO, YES), ASSAY_CONTRADICTION);
    assert_int_equal(open_with(YES, NO), ASSAY_CONTRADICTION);
}

static void what_one_of_them_says_holds(void **state)
{
    (void)state;
    assert_int_equal(open_with(NOT_SAID, YES), ASSAY_OK);
    assert_true(values.known[ETE_FEAT_RME]);
    assert_int_equal(values.value[ETE_FEAT_RME], 1);
    assert_int_equal(open_with(YES, NOT_SAID), ASSAY_OK);
    assert_int_equal(values.value[ETE_FEAT_RME], 1);
    assert_int_equal(open_with(NOT_SAID, NOT_SAID), ASSAY_OK);
    assert_false(values.known[ETE_FEAT_RME]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_and_the_facts_agree_on_feat_rme),
        cmocka_unit_test(what_one_of_them_says_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
