/* Captures of the corpus: a vector lists the streams that its trace carries, and each is judged
 * among the others as it is alone. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "io/source.h"
#include "validator/tests/vector_runner.h"

static struct ready_corpus corpus;

static int open_corpus(void **state)
{
    (void)state;
    corpus = load_corpus(ASSAY_CORPUS);
    return corpus.count > 0 ? 0 : -1;
}

static int close_corpus(void **state)
{
    (void)state;
    free_corpus(&corpus);
    return 0;
}

/* The next vector with streams at or after *at; null when there is none. */
static const struct ready_vector *next_capture(size_t *at)
{
    while (*at < corpus.count && corpus.list[*at].vector.stream_count == 0) {
        (*at)++;
    }
    return *at < corpus.count ? &corpus.list[(*at)++] : NULL;
}

/* --- the list --- */

static bool lists(const struct ready_vector *capture, uint32_t id)
{
    for (size_t i = 0; i < capture->vector.stream_count; i++) {
        if (capture->vector.streams[i].id == id) {
            return true;
        }
    }
    return false;
}

static unsigned compare_lists(const struct ready_vector *capture)
{
    const struct assay_format *format = capture->vector.format;
    const struct assay_carried *list = NULL;
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    unsigned bad = 0;
    assert_int_equal(assay_source_memory(capture->bytes.data, capture->bytes.size, &source),
                     ASSAY_OK);
    const struct assay_decode_input input = vector_input(capture, source);
    assert_int_equal(format->decoder->open(&input, &decoder, NULL), ASSAY_OK);
    while (format->decoder->next(decoder, &block, NULL) == ASSAY_OK && block.count > 0) {
    }
    const size_t count = format->carrier->list(decoder, &list);
    for (size_t i = 0; i < count; i++) {
        if (!lists(capture, list[i].id)) {
            print_error("%s: says nothing of the stream 0x%x\n", capture->name,
                        (unsigned)list[i].id);
            bad++;
        }
    }
    format->decoder->close(decoder);
    if (bad == 0 && count != capture->vector.stream_count) {
        print_error("%s: %zu streams instead of %zu\n", capture->name, count,
                    capture->vector.stream_count);
        bad++;
    }
    return bad;
}

static void a_vector_lists_the_streams_that_its_trace_carries(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned run = 0;
    const struct ready_vector *capture;
    for (size_t at = 0; (capture = next_capture(&at)) != NULL; run++) {
        bad += compare_lists(capture);
    }
    if (run == 0) {
        skip();
    }
    assert_int_equal(bad, 0);
}

/* --- what is judged --- */

static const struct assay_stream_result *result_of(const struct assay_input_result *input,
                                                   uint32_t id, size_t *number)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        if (input->streams[i].has_id && input->streams[i].id == id) {
            *number = i;
            return &input->streams[i];
        }
    }
    return NULL;
}

/* The findings of a rule in a stream. */
static size_t count_findings(const struct assay_results *results, const struct assay_rule *rule,
                             size_t stream)
{
    size_t count = 0;
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (size_t i = 0; total->rule == rule && i < total->finding_count; i++) {
            count += total->findings[i].stream == stream;
        }
    }
    return count;
}

/* The number of a rule in the results. */
static size_t number_of(const struct assay_results *results, const struct assay_rule *rule)
{
    size_t number = 0;
    while (results->rules[number].rule != rule) {
        number++;
    }
    return number;
}

static void compare_stream(const struct ready_vector *stream, const struct assay_results *whole)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(stream->vector.format);
    struct vector_run alone;
    size_t number = 0;
    const struct assay_stream_result *among = result_of(&whole->inputs[0], stream->stream, &number);
    run_vector(&alone, stream, catalogue, false);
    const struct assay_stream_result *by_itself = &alone.results->inputs[0].streams[0];
    assert_non_null(among);
    assert_null(among->unjudged);
    assert_ptr_equal(among->format, by_itself->format);
    assert_int_equal(among->conclusion, by_itself->conclusion);
    assert_int_equal(among->complete, by_itself->complete);
    assert_int_equal(among->exercised, by_itself->exercised);
    assert_int_equal(among->violations, by_itself->violations);
    assert_memory_equal(among->events, by_itself->events,
                        among->format->kind_count * sizeof *among->events);
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule *rule = &catalogue->rules[r];
        assert_int_equal(among->verdicts[number_of(whole, rule)], by_itself->verdicts[r]);
        assert_int_equal(count_findings(whole, rule, number),
                         count_findings(alone.results, rule, 0));
    }
    end_run(&alone);
}

/* Recorded executions and readings of a stream are given where it is judged alone. */
static bool needs_more(const struct ready_vector *capture)
{
    for (size_t i = 0; i < capture->vector.stream_count; i++) {
        const struct assay_vector *stream = &capture->vector.streams[i].vector;
        if (stream->execution != NULL || stream->interpret != NULL) {
            return true;
        }
    }
    return false;
}

static void each_stream_is_judged_among_the_others_as_alone(void **state)
{
    (void)state;
    unsigned run = 0;
    const struct ready_vector *capture;
    for (size_t at = 0; (capture = next_capture(&at)) != NULL;) {
        struct vector_run whole;
        if (needs_more(capture)) {
            continue;
        }
        run_capture(&whole, capture, false);
        for (size_t i = 0; i < capture->vector.stream_count; i++) {
            const uint32_t id = capture->vector.streams[i].id;
            const struct ready_vector *stream = carried_stream(&corpus, capture, id);
            size_t number = 0;
            if (stream != NULL) {
                compare_stream(stream, whole.results);
            } else {
                assert_string_equal(result_of(&whole.results->inputs[0], id, &number)->unjudged,
                                    "its format is not known (--format or a manifest names it)");
            }
        }
        end_run(&whole);
        run++;
    }
    if (run == 0) {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_lists_the_streams_that_its_trace_carries),
        cmocka_unit_test(each_stream_is_judged_among_the_others_as_alone),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
