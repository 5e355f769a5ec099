/* Pieces of lawful traces: buffers wrap, sinks stop, files are cut. What is missing makes a verdict
 * incomplete; no rule of level must may be violated by it, but those that tell the cut itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "generators/generator.h"
#include "model/framing.h"
#include "validator/tests/vector_runner.h"

enum { CUTS = 6, FRAME = 16 };

static struct ready_corpus corpus;

/* A rule that a cut violates whatever would have come behind it, and why. */
struct told {
    const char *rule, *why;
};

/* A vector whose stream is not stated to be WHOLE, as no piece is, or a capture. */
static bool is_cut(const struct ready_vector *vector, const char *format)
{
    const struct assay_yaml *config = vector->vector.config;
    return vector->vector.expectation == ASSAY_EXPECT_CONFORMS &&
           strcmp(vector->vector.format->name, format) == 0 && !vector->carried &&
           (config == NULL || assay_yaml_get(config, "WHOLE") == NULL) && vector->bytes.size > 1;
}

static bool is_told(const char *rule, const struct told *told)
{
    while (told != NULL && told->rule != NULL && strcmp(told->rule, rule) != 0) {
        told++;
    }
    return told != NULL && told->rule != NULL;
}

/* The first rule of level must that fails, but for those that tell the cut: two lists that a null
 * ends, or null. */
static const struct assay_rule_total *violated(const struct assay_results *results,
                                               const struct told *told, const struct told *more)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        if (total->rule->level == ASSAY_MUST && total->verdict == ASSAY_FAIL &&
            !is_told(total->rule->id, told) && !is_told(total->rule->id, more)) {
            return total;
        }
    }
    return NULL;
}

/* Returns 1 where a rule that does not tell the cut is violated by the bytes from `from` on. */
static unsigned judge_piece(const struct ready_vector *vector, size_t from, size_t size,
                            const struct told *told, const struct told *more)
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
    const struct assay_rule_total *total = violated(run.results, told, more);
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
                bad += judge_piece(vector, from, size, NULL, NULL);
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
    static const struct told told[] = {{"CS-0002", "the frame is not whole"}, {0}};
    unsigned bad = 0, run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        if (!is_cut(vector, "coresight")) {
            continue;
        }
        for (size_t from = 0; from < vector->bytes.size; from += FRAME) {
            const size_t left = vector->bytes.size - from;
            for (size_t size = FRAME; size <= left; size += FRAME) {
                bad += judge_piece(vector, from, size, NULL, NULL);
                run++;
            }
            bad += left > FRAME + 1 ? judge_piece(vector, from, FRAME + 1, told, NULL) : 0;
        }
    }
    assert_true(run > 10);
    assert_int_equal(bad, 0);
}

/* --- files of records --- */

enum { BOUNDARIES = 24, BYTES = 3, SEEDS = 2 }; /* cuts of a trace at most; traces of a sample */

#define MANDATORY "each file has the record, wherever it ends"
#define LAST      "a trace of 1.3 ends with RESERVE_END"
#define CHOSEN    "by a reading that is chosen for whole traces, which then have such a record"
#define GUEST     "guests are unknown to the text, and what shows a hypervisor is cut off"

/* Rules that a file violates because of its end: between two records, or elsewhere. */
static const struct records {
    const char *format;
    struct told always[12], within[8]; /* a null ends them */
} formats[] = {
    {"stf",
     {{"STF-0003", MANDATORY},
      {"STF-0008", MANDATORY},
      {"STF-0026", LAST},
      {"STF-0087", CHOSEN},
      {"STF-0158", CHOSEN},
      {"STF-0162", CHOSEN},
      {"STF-0210", CHOSEN},
      {"STF-0451", GUEST}},
     {{"STF-0001", "of a container less than its magic is left"},
      {"STF-0044", "of a container less than its magic is left"},
      {"STF-0045", "a record is atomic"},
      {"STF-0050", "the compressed data are cut"},
      {"STF-0556", "the index of chunks is cut"}}},
    {"astf",
     {{"ASTF-0300", CHOSEN}},
     {{"ASTF-0001", "no whole Header is there"},
      {"ASTF-0011", "the compressed data are cut"},
      {"ASTF-0012", "of a container less than its magic is left"},
      {"ASTF-0015", "all records have 32 bytes"}}},
};

/* Where a trace can be cut: behind each of its records, if it is stored as it is. */
struct ends {
    size_t *at;
    size_t count;
};

static struct ends find_ends(const struct ready_vector *trace)
{
    const struct assay_format *format = trace->vector.format;
    struct ready_vector packets = *trace;
    struct vector_reader reader;
    struct ends ends = {.at = NULL};
    packets.vector.layer = format->layers[0];
    open_events(&reader, &packets);
    for (const struct assay_event *event; (event = next_event(&reader)) != NULL;) {
        const struct assay_kind *kind = &format->kinds[event->kind];
        if (event->kind == ASSAY_KIND_END) {
            const bool raw = assay_field_get(assay_field_by_name(kind, "container"), event) == 0;
            ends.count = raw ? ends.count : 0;
        } else if (event->offset > 0) {
            ends.at = realloc(ends.at, (ends.count + 1) * sizeof *ends.at);
            assert_non_null(ends.at);
            ends.at[ends.count++] = event->offset;
        }
    }
    close_events(&reader);
    return ends;
}

/* Cuts a trace between its records, and anywhere. */
static unsigned cut_records(const struct records *records, const struct ready_vector *trace,
                            uint64_t *draw, unsigned *run)
{
    struct ends ends = find_ends(trace);
    unsigned bad = 0;
    for (size_t n = 0; n < ends.count && n < BOUNDARIES; n++) {
        const size_t which = ends.count <= BOUNDARIES ? n : random_below(draw, ends.count);
        bad += judge_piece(trace, 0, ends.at[which], records->always, NULL);
        (*run)++;
    }
    for (unsigned n = 0; n < BYTES && trace->bytes.size > 1; n++) {
        bad += judge_piece(trace, 0, 1 + random_below(draw, trace->bytes.size - 1), records->always,
                           records->within);
        (*run)++;
    }
    free(ends.at);
    return bad;
}

static unsigned cut_vectors(const struct records *records, unsigned *run)
{
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        uint64_t draw = 7 + i;
        if (is_in_turn(i) && strcmp(vector->vector.format->name, records->format) == 0 &&
            (vector->vector.expectation == ASSAY_EXPECT_CONFORMS ||
             vector->vector.expectation == ASSAY_EXPECT_PASSES)) {
            bad += cut_records(records, vector, &draw, run);
        }
    }
    return bad;
}

/* Traces as models make them, without what accompanies them. */
static unsigned cut_generated(const struct records *records, unsigned *run)
{
    const struct assay_format *format = assay_format_by_name(records->format);
    const struct assay_generator *generator = assay_generator_of(format);
    unsigned bad = 0;
    for (size_t s = 0; generator->samples[s].name != NULL; s++) {
        const struct assay_sample *sample = &generator->samples[s];
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct assay_generate_settings settings = sample->settings;
            struct assay_generated generated = {0};
            struct ready_vector trace = {.path = (char *)(uintptr_t)sample->name,
                                         .name = (char *)(uintptr_t)sample->name,
                                         .vector = {.format = format}};
            uint64_t draw = 7 + seed;
            settings.limit = 300;
            settings.seed = seed;
            assay_sink_memory(&trace.bytes, 0);
            assert_int_equal(assay_model_make(generator, assay_model_of(generator, sample->model),
                                              &settings, &trace.bytes, NULL, NULL, &generated,
                                              NULL),
                             ASSAY_OK);
            bad += is_in_turn(s + seed) ? cut_records(records, &trace, &draw, run) : 0;
            assay_sink_close(&trace.bytes, NULL);
        }
    }
    return bad;
}

static void no_cut_of_a_lawful_file_violates_a_rule_but_those_that_tell_it(void **state)
{
    const struct records *records = *state;
    unsigned run = 0;
    const unsigned bad = cut_vectors(records, &run) + cut_generated(records, &run);
    assert_true(run > 1000);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_piece_of_a_lawful_stream_violates_a_rule),
        cmocka_unit_test(no_piece_of_a_lawful_capture_violates_a_rule_but_that_of_whole_frames),
        cmocka_unit_test_prestate(no_cut_of_a_lawful_file_violates_a_rule_but_those_that_tell_it,
                                  (void *)(uintptr_t)&formats[0]),
        cmocka_unit_test_prestate(no_cut_of_a_lawful_file_violates_a_rule_but_those_that_tell_it,
                                  (void *)(uintptr_t)&formats[1]),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
