/* Recordings of random programs to streams of ETE, and back: the instructions that the decoder
 * finds in the stream are those that were executed, but for those that the trace left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/reader.h"
#include "common/source.h"
#include "common/tests/random.h"
#include "ete/analyse.h"
#include "generators/ete/from_execution.h"
#include "generators/ete/tests/random_program.h"
#include "image/image.h"

enum { TRIALS = 3000, LENGTH = 1500 };

/* --- what is traced --- */

/* Instructions by number: those that the trace does not show. */
struct shown {
    bool *left_out;
    size_t length;
};

static void leave_out(void *context, uint64_t first, uint64_t end)
{
    struct shown *shown = context;
    assert_true(first <= end && end <= shown->length);
    memset(shown->left_out + first, 1, (size_t)(end - first));
}

static struct ete_generate_options some_options(uint64_t seed, struct shown *shown)
{
    uint64_t draw = seed;
    const uint64_t depths[] = {0, 1, 3, 17, 200, ETE_UNIT_DEPTH_MOST};
    const uint64_t often[] = {0, 0, 5, 40};
    const uint64_t rarely[] = {0, 0, 200, 1000};
    struct ete_generate_options options = {0};
    struct ete_unit_options *unit = &options.unit;
    unit->trcidr0 = random_below(&draw, 2) << ETE_COMMOPT_BIT;
    unit->trcconfigr = 1 | (uint64_t)(random_below(&draw, 4) == 0) << ETE_BROADCAST_BIT |
                       random_below(&draw, 2) << ETE_CYCLE_COUNTS_BIT |
                       random_below(&draw, 2) << ETE_CONTEXT_ID_BIT |
                       random_below(&draw, 2) << ETE_TIMESTAMPS_BIT |
                       random_below(&draw, 2) << ETE_RETURN_STACK_BIT;
    unit->max_depth = (uint32_t)depths[random_below(&draw, 6)];
    unit->threshold = (uint32_t)random_below(&draw, 100);
    unit->period = 1 + random_below(&draw, 300);
    unit->sync = random_below(&draw, 2) * (20 + random_below(&draw, 500));
    unit->mispredictions = often[random_below(&draw, 4)];
    unit->gaps = rarely[random_below(&draw, 4)];
    unit->overflows = rarely[random_below(&draw, 4)];
    unit->any_packets = random_below(&draw, 2) != 0;
    unit->seed = random_next(&draw);
    unit->left_out = leave_out;
    unit->context = shown;
    options.wfx_is_p0 = random_below(&draw, 2) != 0;
    return options;
}

static struct assay_sink generate(const struct random_program *program,
                                  const struct ete_generate_options *options)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct ete_generated generated;
    struct assay_diag diag = {0};
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_source_memory(program->recording.data, program->recording.size, &source),
                     ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    if (ete_generate_from_execution(execution, options, &sink, &generated, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    assay_execution_close(execution);
    return sink;
}

/* --- what is decoded --- */

static struct assay_image_set *image_of(const struct random_program *program)
{
    struct assay_image_set *set = NULL;
    struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = program->base};
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(set, &spec, program->words,
                                           program->count * sizeof program->words[0], NULL),
                     ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

static struct assay_parameter_values registers(const struct ete_generate_options *options)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] = options->unit.trcidr0;
    values.value[ETE_TRCIDR2] = (uint64_t)options->wfx_is_p0 << ETE_WFXMODE_BIT;
    values.value[ETE_TRCIDR8] = options->unit.max_depth;
    values.value[ETE_TRCCONFIGR] = options->unit.trcconfigr;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR2] = values.known[ETE_TRCIDR8] =
        values.known[ETE_TRCCONFIGR] = true;
    return values;
}

/* The next instruction that the trace shows; the length when there is none. */
static size_t next_shown(const struct shown *shown, size_t at)
{
    while (at < shown->length && shown->left_out[at]) {
        at++;
    }
    return at;
}

/* Each instruction of the stream, in order. */
static size_t compare(const struct random_program *program, const struct shown *shown,
                      const struct assay_sink *trace, const struct ete_generate_options *options)
{
    struct assay_parameter_values values = registers(options);
    struct assay_image_set *images = image_of(program);
    struct assay_decode_input input = {.parameters = &values, .images = images};
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    size_t at = 0;
    size_t count = 0;
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(ete_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    assay_reader_begin(&reader, &assay_format_ete, decoder, ETE_INSTRUCTION, false);
    do {
        assert_int_equal(assay_reader_next(&reader, &event, NULL), ASSAY_OK);
        if (event == NULL || event->kind != ETE_instruction) {
            continue;
        }
        at = next_shown(shown, at);
        if (at == shown->length || event->cells[ADDRESS] != program->executed[at]) {
            fail_msg("instruction %zu of the trace, 0x%llx at byte %llu, is not number %zu", count,
                     (unsigned long long)event->cells[ADDRESS], (unsigned long long)event->offset,
                     at);
        }
        assert_int_equal(event->cells[WORD],
                         program->words[(program->executed[at] - program->base) / 4]);
        at++;
        count++;
    } while (event != NULL);
    assert_int_equal(next_shown(shown, at), shown->length);
    ete_decoder_ops.close(decoder);
    assay_image_set_free(images);
    return count;
}

/* What occurs in streams: elements by kind, and runs by how it is known where they go on. */
struct occurring {
    unsigned elements[ETE_KIND_COUNT];
    unsigned goes_by[8];
};

static void note(const struct random_program *program, const struct assay_sink *trace,
                 const struct ete_generate_options *options, struct occurring *occurring)
{
    struct assay_parameter_values values = registers(options);
    struct assay_image_set *images = image_of(program);
    struct assay_decode_input input = {.parameters = &values, .images = images};
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(ete_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(ete_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *event = &block.events[i];
            assert_int_not_equal(event->kind, ETE_malformed);
            occurring->elements[event->kind]++;
            if (event->kind == ETE_run) {
                occurring->goes_by[event->cells[0] >> GOES_BIT & 7]++;
            }
        }
    }
    ete_decoder_ops.close(decoder);
    assay_image_set_free(images);
}

/* Returns how many instructions the trace shows. */
static size_t there_and_back(uint64_t seed, size_t length, bool system, struct occurring *occurring)
{
    struct random_program program;
    assert_true(random_program_make(&program, seed, length, system));
    struct shown shown = {.left_out = calloc(program.length, 1), .length = program.length};
    const struct ete_generate_options options = some_options(seed, &shown);
    struct assay_sink trace = generate(&program, &options);
    const size_t count = compare(&program, &shown, &trace, &options);
    note(&program, &trace, &options, occurring);
    assay_sink_close(&trace, NULL);
    free(shown.left_out);
    random_program_free(&program);
    return count;
}

static void the_trace_of_a_random_program_shows_what_was_executed(void **state)
{
    (void)state;
    static const enum ete_kind kinds[] = {
        ETE_elem_trace_info, ETE_elem_trace_on,       ETE_elem_context,   ETE_elem_target_address,
        ETE_elem_atoms,      ETE_elem_source_address, ETE_elem_exception, ETE_elem_mispredict,
        ETE_elem_commit,     ETE_elem_cancel,         ETE_elem_discard,   ETE_elem_overflow,
        ETE_elem_timestamp,  ETE_elem_cycle_count,    ETE_elem_event};
    struct occurring occurring = {0};
    size_t executed = 0;
    size_t shown = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        executed += LENGTH;
        shown += there_and_back(seed, LENGTH, seed % 3 == 0, &occurring);
    }
    assert_in_range(shown, executed / 2, executed);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_true(occurring.elements[kinds[i]] > TRIALS / 3);
    }
    assert_true(occurring.goes_by[ETE_GOES_STACK] > TRIALS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_a_random_program_shows_what_was_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
