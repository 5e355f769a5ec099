/* Fields without a fixed length in rules: the evaluator and emitted checks, which are compiled for
 * this test from tests/rules/tails.yaml, read the same of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "io/sink.h"
#include "io/source.h"
#include "validator/engine/judge.h"
#include "validator/vector/vector.h"

extern const struct assay_catalogue assay_catalogue_stf;

static const char trace[] = "vector: 1\n"
                            "format: stf\n"
                            "trace:\n"
                            "  - identifier: {}\n"
                            "  - version: {major: 1, minor: 6}\n"
                            "  - comment: {text: {hex: '00 00 00'}}\n"
                            "  - comment: {text: {hex: '00 00 00 00 00 00 00 00 00 01'}}\n"
                            "  - comment: {text: x}\n"
                            "  - trace_info_feature: {features: 0x80000}\n"
                            "  - end_header: {}\n"
                            "  - event64: {id: 1, fields: []}\n"
                            "  - event64: {id: 2, fields: [0]}\n"
                            "  - event64: {id: 3, fields: [0, 0, 0x8000000000000000]}\n"
                            "  - event64: {id: 4, fields: [0x100]}\n"
                            "  - event64: {id: 0x7fffffffffffffff, fields: [0, 0]}\n"
                            "  - reserve_end: {}\n";

/* A rule: how often it is exercised and violated. */
static const uint64_t expected[][2] = {{5, 3}, {3, 2}, {2, 1}, {14, 2}};

static struct assay_judge *judge_trace(const struct assay_sink *bytes, bool evaluate)
{
    const struct assay_format *format = assay_catalogue_stf.format;
    const struct assay_judge_settings settings = {
        .catalogue = &assay_catalogue_stf, .max_findings = 10, .evaluate = evaluate};
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_judge *judge = NULL;
    struct assay_block block;
    assert_int_equal(assay_source_memory(bytes->data, bytes->size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source};
    assert_int_equal(format->decoder->open(&input, &decoder, NULL), ASSAY_OK);
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    while (format->decoder->next(decoder, &block, NULL) == ASSAY_OK && block.count > 0) {
        assert_int_equal(assay_judge_events(judge, block.events, block.count), ASSAY_OK);
    }
    format->decoder->close(decoder);
    return judge;
}

static void both_back_ends_read_what_a_tail_holds(void **state)
{
    (void)state;
    struct assay_vector vector;
    struct assay_sink bytes;
    assert_non_null(assay_catalogue_stf.compiled);
    assert_int_equal(assay_vector_parse("tails", trace, strlen(trace), NULL, &vector, NULL),
                     ASSAY_OK);
    assay_sink_memory(&bytes, 0);
    assert_int_equal(assay_vector_encode(&vector, &bytes, NULL), ASSAY_OK);
    struct assay_judge *emitted = judge_trace(&bytes, false);
    struct assay_judge *evaluated = judge_trace(&bytes, true);
    assert_int_equal(assay_catalogue_stf.rule_count, 4);
    for (size_t r = 0; r < 4; r++) {
        const struct assay_rule_result a = assay_judge_result(emitted, r);
        const struct assay_rule_result b = assay_judge_result(evaluated, r);
        assert_int_equal(a.exercised, expected[r][0]);
        assert_int_equal(a.violated, expected[r][1]);
        assert_int_equal(b.exercised, expected[r][0]);
        assert_int_equal(b.violated, expected[r][1]);
        for (size_t i = 0; i < a.finding_count; i++) {
            assert_int_equal(a.findings[i]->index, b.findings[i]->index);
            assert_string_equal(a.findings[i]->message, b.findings[i]->message);
        }
    }
    assay_judge_close(emitted);
    assay_judge_close(evaluated);
    assay_sink_close(&bytes, NULL);
    assay_vector_free(&vector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_back_ends_read_what_a_tail_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
