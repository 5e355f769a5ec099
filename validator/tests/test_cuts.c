/* Pieces of lawful streams of ETE and of captures: buffers wrap, sinks stop, files are cut. What is
 * missing makes a verdict incomplete; no rule of level must may be violated by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/framing.h"
#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "validator/tests/vector_runner.h"

enum { CUTS = 6, FRAME = 16 };

static struct ready_corpus corpus;

/* A vector whose stream is not stated to be WHOLE, as no piece is, or a capture. */
static bool is_cut(const struct ready_vector *vector, const char *format)
{
    const struct assay_yaml *config = vector->vector.config;
    return vector->vector.expectation == ASSAY_EXPECT_CONFORMS &&
           strcmp(vector->vector.format->name, format) == 0 && !vector->carried &&
           (config == NULL || assay_yaml_get(config, "WHOLE") == NULL) && vector->bytes.size > 1;
}

/* The first rule of level must that fails, but for `but`. */
static const struct assay_rule_total *violated(const struct assay_results *results, const char *but)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        if (total->rule->level == ASSAY_MUST && total->verdict == ASSAY_FAIL &&
            (but == NULL || strcmp(total->rule->id, but) != 0)) {
            return total;
        }
    }
    return NULL;
}

/* Returns 1 where a rule but `but` is violated by the bytes from `from` on. */
static unsigned judge_piece(const struct ready_vector *vector, size_t from, size_t size,
                            const char *but)
{
    const bool capture = vector->vector.format->carrier != NULL;
    struct ready_vector piece = *vector;
    struct vector_run run;
    piece.bytes.data = (uint8_t *)vector->bytes.data + from;
    piece.bytes.size = size;
    if (capture) {
        run_capture(&run, &piece, false);
    } else {
        run_vector(&run, &piece, assay_catalogue_of(vector->vector.format), false);
    }
    const struct assay_rule_total *total = violated(run.results, but);
    if (total != NULL) {
        print_error("%s: %zu bytes from %zu violate %s: %s\n", vector->path, size, from,
                    total->rule->id,
                    total->finding_count > 0 ? total->findings[0].finding->message : "");
    }
    end_run(&run);
    return total != NULL;
}

/* Whether an A-sync of ETE begins the bytes. */
static bool begins_with_async(const uint8_t *bytes, size_t size)
{
    size_t zeros = 0;
    while (zeros < size && bytes[zeros] == 0) {
        zeros++;
    }
    return zeros > 10 && zeros < size && bytes[zeros] == 0x80;
}

/* A stream that begins with an A-sync is taken to begin where a session does: what a session has to
 * begin with is missing then in a piece that begins with one inside a session. WHOLE 0 tells it. */
static void no_piece_of_a_lawful_stream_violates_a_rule(void **state)
{
    (void)state;
    unsigned bad = 0, run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        uint64_t draw = 7 + i; /* the same cuts of a vector in whichever run it is tried */
        if (!is_in_turn(i) || !is_cut(vector, "ete")) {
            continue;
        }
        for (unsigned n = 0; n < CUTS; n++) {
            const size_t from = n % 3 == 0 ? 0 : random_below(&draw, vector->bytes.size);
            const size_t left = vector->bytes.size - from;
            const size_t size = n % 3 == 1 ? left : 1 + random_below(&draw, left);
            const uint8_t *bytes = vector->bytes.data;
            if (from == 0 || !begins_with_async(bytes + from, left)) {
                bad += judge_piece(vector, from, size, NULL);
                run++;
            }
        }
    }
    assert_true(run > 1000);
    assert_int_equal(bad, 0);
}

/* Buffers hold whole frames, as the requirements on captures demand. A frame that the end cuts is
 * told (CS-0002), unless it is of a trace port; what begins inside a frame is other frames. */
static void no_piece_of_a_lawful_capture_violates_a_rule_but_that_of_whole_frames(void **state)
{
    (void)state;
    unsigned bad = 0, run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        if (!is_cut(vector, "coresight")) {
            continue;
        }
        for (size_t from = 0; from < vector->bytes.size; from += FRAME) {
            const size_t left = vector->bytes.size - from;
            for (size_t size = FRAME; size <= left; size += FRAME) {
                bad += judge_piece(vector, from, size, NULL);
                run++;
            }
            bad += left > FRAME + 1 ? judge_piece(vector, from, FRAME + 1, "CS-0002") : 0;
        }
    }
    assert_true(run > 10);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_piece_of_a_lawful_stream_violates_a_rule),
        cmocka_unit_test(no_piece_of_a_lawful_capture_violates_a_rule_but_that_of_whole_frames),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
