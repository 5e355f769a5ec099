/* What the example shows of a format of packets: layers, parameters, runs, streams in a capture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/reader.h"
#include "common/source.h"
#include "common/tests/random.h"
#include "example/example.h"
#include "example/program.h"
#include "image/image.h"
#include "reports/report.h"
#include "validator/engine/bundle.h"
#include "validator/engine/session.h"
#include "validator/vector/vector.h"

/* --- streams --- */

#define START                                                                                      \
    "vector: 1\n"                                                                                  \
    "format: example\n"                                                                            \
    "config: {has_context: true}\n"                                                                \
    "trace:\n"                                                                                     \
    "  - sync: {address_width: 32}\n"                                                              \
    "  - start: {address: 0x1000, context: 7}\n"

/* The bytes of a vector. */
static void encode(const char *text, struct assay_sink *bytes)
{
    struct assay_vector vector;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_sink_memory(bytes, 0);
    if (assay_vector_parse("v.yaml", text, strlen(text), NULL, &vector, &diag) != ASSAY_OK ||
        assay_vector_encode(&vector, bytes, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.message);
    }
    assay_vector_free(&vector);
}

/* A program at 0x1000: a loop of 0x10 plain words with a branch back, then an indirect branch. */
enum { LOOP_WORDS = 16, PROGRAM_WORDS = LOOP_WORDS + 2 };

static struct assay_image_set *make_program(void)
{
    uint8_t bytes[4 * PROGRAM_WORDS] = {0};
    const struct assay_image_spec spec = {
        .path = "program", .has_address = true, .address = 0x1000};
    struct assay_image_set *set = NULL;
    for (uint32_t i = 0; i < LOOP_WORDS; i++) {
        assay_store32(bytes + (size_t)4 * i, i);
    }
    assay_store32(bytes + 4 * LOOP_WORDS, 0x80000000 | (uint16_t)-LOOP_WORDS);
    assay_store32(bytes + 4 * (LOOP_WORDS + 1), 0xc0000000);
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(set, &spec, bytes, sizeof bytes, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

/* A decoder of bytes. */
struct reading {
    struct assay_parameter_values parameters;
    struct assay_decoder *decoder;
    struct assay_reader reader;
};

static void open_reading(struct reading *r, const struct assay_sink *bytes,
                         const struct assay_image_set *images, int layer, bool runs)
{
    struct assay_source *source = NULL;
    r->decoder = NULL;
    assay_parameters_init(&r->parameters, assay_format_example.parameters);
    r->parameters.known[EXAMPLE_HAS_CONTEXT] = true;
    r->parameters.value[EXAMPLE_HAS_CONTEXT] = 1;
    assert_int_equal(assay_source_memory(bytes->data, bytes->size, &source), ASSAY_OK);
    const struct assay_decode_input input = {
        .source = source, .parameters = &r->parameters, .images = images};
    assert_int_equal(example_decoder_ops.open(&input, &r->decoder, NULL), ASSAY_OK);
    assay_reader_begin(&r->reader, &assay_format_example, r->decoder, layer, runs);
}

static const struct assay_event *read_event(struct reading *r)
{
    const struct assay_event *event = NULL;
    assert_int_equal(assay_reader_next(&r->reader, &event, NULL), ASSAY_OK);
    return event;
}

static void close_reading(struct reading *r)
{
    example_decoder_ops.close(r->decoder);
}

/* --- checks --- */

struct run {
    struct assay_check_options options;
    struct assay_check *check;
    const struct assay_results *results;
};

static void check_by(struct run *r, const struct assay_sink *bytes, const struct assay_input *input,
                     struct assay_check_options options)
{
    struct assay_source *source = NULL;
    r->options = options;
    r->options.catalogues = assay_catalogues;
    r->options.catalogue_count = 2;
    r->options.max_findings = 100;
    r->options.jobs = 1;
    assert_int_equal(assay_source_memory(bytes->data, bytes->size, &source), ASSAY_OK);
    assert_int_equal(assay_check_open(&r->options, &r->check, NULL), ASSAY_OK);
    assert_int_equal(assay_check_source(r->check, input, source, NULL, NULL), ASSAY_OK);
    r->results = assay_check_results(r->check);
}

static void check(struct run *r, const struct assay_sink *bytes, const struct assay_input *input,
                  bool evaluate)
{
    check_by(r, bytes, input, (struct assay_check_options){.evaluate = evaluate});
}

static const struct assay_rule_total *total(const struct run *r, const char *id)
{
    for (size_t i = 0; i < r->results->rule_count; i++) {
        if (strcmp(r->results->rules[i].rule->id, id) == 0) {
            return &r->results->rules[i];
        }
    }
    fail_msg("there is no rule %s", id);
    return NULL;
}

/* --- layers --- */

static void there_are_more_kinds_than_a_word_has_bits_twice(void **state)
{
    (void)state;
    assert_true(assay_format_example.kind_count > 128);
    assert_null(assay_parameter_table_fault(assay_format_example.parameters));
}

static void an_element_is_committed_many_blocks_behind_its_packet(void **state)
{
    (void)state;
    enum { NOTES = EXAMPLE_SLOTS - 10 };
    struct assay_sink bytes;
    struct reading r;
    encode(START, &bytes);
    for (unsigned i = 0; i < NOTES; i++) {
        assay_sink_write(&bytes, "\xa3\x79\x55\x00", 4); /* note_01 */
    }
    assay_sink_write(&bytes, "\xa2\x04\x01", 3); /* commit of 1 */
    open_reading(&r, &bytes, NULL, EXAMPLE_RESOLVED, false);
    const struct assay_event *event = read_event(&r);
    assert_non_null(event);
    assert_int_equal(event->kind, EXAMPLE_committed_begin);
    assert_int_equal(event->words[EXAMPLE_WORD_committed_begin_address], 0x1000);
    assert_non_null(event->from);
    assert_int_equal(event->from->kind, EXAMPLE_begin);
    assert_int_equal(event->from->from->kind, EXAMPLE_start);
    assert_int_equal(event->from->from->offset, 6);
    assert_null(read_event(&r));
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
}

static void from_ends_where_the_packet_is_gone_although_the_element_is_not(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct reading r;
    encode(START, &bytes);
    for (unsigned i = 0; i < EXAMPLE_SLOTS; i++) {
        assay_sink_write(&bytes, "\xa5SYNC\x20", 6); /* packets without elements */
    }
    assay_sink_write(&bytes, "\xa2\x04\x01", 3);
    open_reading(&r, &bytes, NULL, EXAMPLE_RESOLVED, false);
    const struct assay_event *event = read_event(&r);
    assert_int_equal(event->kind, EXAMPLE_committed_begin);
    assert_int_equal(event->words[EXAMPLE_WORD_committed_begin_address], 0x1000);
    assert_int_equal(event->offset, 6);
    assert_non_null(event->from);
    assert_int_equal(event->from->kind, EXAMPLE_begin);
    assert_null(event->from->from);
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
}

static struct assay_input example_input(const struct assay_yaml *config,
                                        const struct assay_image_set *images)
{
    return (struct assay_input){
        .path = "in", .setup = {.config = config, .config_path = "c.yaml", .images = images}};
}

struct progress {
    uint64_t last;
    unsigned count;
};

static void note_progress(void *context, const char *path, uint64_t bytes, uint64_t size)
{
    struct progress *p = context;
    (void)path;
    (void)size;
    assert_true(bytes >= p->last + (16 << 20));
    p->last = bytes;
    p->count++;
}

/* An element is committed 18 MB behind its packet: the place of what comes of it is no progress,
 * and no step back. */
static void progress_is_that_of_the_packets(void **state)
{
    (void)state;
    enum { SYNC = 6, BEFORE = 3000000, BEHIND = 3000000 };
    struct assay_sink bytes;
    struct run r;
    struct progress progress = {0};
    const struct assay_input input = example_input(NULL, NULL);
    encode(START, &bytes);
    for (unsigned i = 0; i < BEFORE + BEHIND; i++) {
        if (i == BEFORE) {
            assay_sink_write(&bytes, "\xa2\x04\x01", 3); /* commit of 1 */
        }
        assay_sink_write(&bytes, "\xa5SYNC\x20", SYNC);
    }
    check_by(
        &r, &bytes, &input,
        (struct assay_check_options){.progress = note_progress, .progress_context = &progress});
    assert_int_equal(progress.count, 2);
    assert_int_equal(r.results->inputs[0].streams[0].events[EXAMPLE_committed_begin], 1);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
}

/* Atoms, of which the last is wrong: the program comes to the indirect branch first. */
enum { ATOMS_OFFSET = 16 };
static const char wrong_course[] = START "  - note_10: {value: 1}\n"
                                         "  - atoms: {count: 3, taken: 1}\n"
                                         "  - note_11: {value: 2}\n"
                                         "  - commit: {count: 4}\n"
                                         "  - cancel: {count: 1}\n";

static void both_back_ends_find_the_same_in_each_layer(void **state)
{
    (void)state;
    struct assay_image_set *images = make_program();
    struct assay_sink bytes;
    struct run runs[2];
    struct assay_yaml_file config;
    assert_int_equal(assay_yaml_parse("c.yaml", "has_context: true\n", 18, &config, NULL),
                     ASSAY_OK);
    const struct assay_input input = example_input(config.root, images);
    encode(wrong_course, &bytes);
    for (int i = 0; i < 2; i++) {
        assert_non_null(assay_catalogues[0]->compiled);
        check(&runs[i], &bytes, &input, i == 1);
        assert_int_equal(runs[i].results->conclusion, ASSAY_VIOLATES);
        const struct assay_rule_total *run = total(&runs[i], "EX-0009");
        const struct assay_rule_total *resolve = total(&runs[i], "EX-0006");
        assert_int_equal(run->violated, 1);
        assert_int_equal(run->finding_count, 1);
        assert_string_equal(run->findings[0].finding->message,
                            "the run at 0x1044 ends with indirect, not conditional");
        assert_int_equal(resolve->violated, 1);
        assert_string_equal(resolve->findings[0].finding->message,
                            "1 elements, of which 0 are open");
    }
    for (size_t n = 0; n < runs[0].results->rule_count; n++) {
        const struct assay_rule_total *a = &runs[0].results->rules[n];
        const struct assay_rule_total *b = &runs[1].results->rules[n];
        assert_int_equal(a->verdict, b->verdict);
        assert_int_equal(a->exercised, b->exercised);
        assert_int_equal(a->violated, b->violated);
    }
    /* The place of a run is that of the packet which its element came from; its neighbours are
     * runs. */
    const struct assay_finding *f = total(&runs[0], "EX-0009")->findings[0].finding;
    assert_int_equal(f->offset, ATOMS_OFFSET);
    assert_non_null(strstr(f->before, "run "));
    assert_non_null(strstr(f->before, "address=0x1000"));
    assert_null(f->after);
    for (int i = 0; i < 2; i++) {
        assay_check_close(runs[i].check);
    }
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
    assay_image_set_free(images);
}

static void what_is_not_given_is_named(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    const struct assay_input input = example_input(NULL, NULL);
    encode(START "  - commit: {count: 1}\n", &bytes);
    check(&r, &bytes, &input, false);
    const struct assay_rule_total *context = total(&r, "EX-0005");
    const struct assay_rule_total *run = total(&r, "EX-0009");
    assert_int_equal(context->verdict, ASSAY_NOT_CHECKABLE);
    assert_int_equal(context->missing_count, 1);
    assert_string_equal(context->missing[0], "config:has_context");
    assert_int_equal(run->verdict, ASSAY_NOT_CHECKABLE);
    assert_string_equal(run->missing[0], "image");
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
}

static void a_stream_that_contradicts_its_configuration_is_refused(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    struct assay_yaml_file config;
    static const char text[] = "address_width: 40\n";
    assert_int_equal(assay_yaml_parse("c.yaml", text, strlen(text), &config, NULL), ASSAY_OK);
    const struct assay_input input = example_input(config.root, NULL);
    encode(START, &bytes);
    check(&r, &bytes, &input, false);
    assert_int_equal(r.results->conclusion, ASSAY_UNREADABLE);
    assert_int_equal(r.results->inputs[0].diag.error, ASSAY_CONTRADICTION);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
}

static void absent_memory_makes_the_layer_of_instructions_incomplete(void **state)
{
    (void)state;
    struct assay_sink bytes;
    struct run r;
    struct assay_image_set *images = make_program();
    struct assay_yaml_file config;
    static const char text[] = "has_context: false\n";
    assert_int_equal(assay_yaml_parse("c.yaml", text, strlen(text), &config, NULL), ASSAY_OK);
    const struct assay_input input = example_input(config.root, images);
    encode("vector: 1\nformat: example\ntrace:\n"
           "  - sync: {address_width: 32}\n"
           "  - start: {address: 0x2000}\n"
           "  - atoms: {count: 1}\n"
           "  - commit: {count: 2}\n",
           &bytes);
    check(&r, &bytes, &input, false);
    const struct assay_stream_result *stream = &r.results->inputs[0].streams[0];
    for (unsigned layer = EXAMPLE_PACKET; layer < EXAMPLE_INSTRUCTION; layer++) {
        assert_true(stream->layers[layer].complete);
    }
    assert_false(stream->layers[EXAMPLE_INSTRUCTION].complete);
    assert_string_equal(stream->layers[EXAMPLE_INSTRUCTION].why, "no program image at 0x2000");
    assert_int_equal(stream->events[EXAMPLE_gap], 1);
    assert_int_equal(stream->conclusion, ASSAY_INCOMPLETE);
    assay_check_close(r.check);
    assay_sink_close(&bytes, NULL);
    assay_yaml_free(&config);
    assay_image_set_free(images);
}

/* --- runs --- */

static void expanded_runs_are_a_walk_through_the_program(void **state)
{
    (void)state;
    enum { ATOMS = 20 };
    struct assay_image_set *images = make_program();
    struct assay_sink bytes;
    struct reading r;
    uint64_t pc = 0x1000;
    uint64_t index = 0;
    encode(START "  - atoms: {count: 20, taken: 0x7ffff}\n  - commit: {count: 21}\n", &bytes);
    open_reading(&r, &bytes, images, EXAMPLE_INSTRUCTION, false);
    for (unsigned atom = 0; atom < ATOMS; atom++) {
        for (bool branch = false; !branch;) {
            uint32_t word = 0;
            const struct assay_event *event = read_event(&r);
            assert_non_null(event);
            assert_int_equal(
                assay_image_read(images, &(struct assay_space){0}, pc, &word, 4, &(size_t){0}),
                ASSAY_OK);
            assert_int_equal(event->kind, EXAMPLE_instruction);
            assert_int_equal(event->index, index++);
            assert_int_equal(event->words[EXAMPLE_WORD_instruction_address], pc);
            assert_int_equal(event->words[EXAMPLE_WORD_instruction_word], word);
            branch = example_classify(word) == EXAMPLE_CLASS_CONDITIONAL;
            pc += branch && atom < ATOMS - 1 ? example_displacement(word) : 4;
        }
    }
    assert_null(read_event(&r));
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
    assay_image_set_free(images);
}

/* --- packets --- */

static void packed_packets_come_back_as_they_were_written(void **state)
{
    (void)state;
    static const int64_t differences[] = {0, 4, -4, 0x7c, -0x80, 0x100000, -0x100000, 0x7ffffffc};
    struct assay_sink bytes;
    struct reading r;
    struct assay_encoder *encoder = NULL;
    assay_sink_memory(&bytes, 0);
    assert_int_equal(example_encoder_ops.open(&bytes, NULL, &encoder, NULL), ASSAY_OK);
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        uint8_t head[8] = {0};
        const uint64_t words[EXAMPLE_PACKET_WORDS] = {[EXAMPLE_WORD_address_difference] =
                                                          (uint64_t)differences[i]};
        const struct assay_event event = {.bytes = head, .words = words, .kind = EXAMPLE_address};
        const uint64_t before = bytes.total;
        assay_kind_clear(&assay_format_example.kinds[EXAMPLE_address], head);
        assert_int_equal(example_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
        assert_true(differences[i] < -0x80 || differences[i] > 0x7c || bytes.total - before <= 3);
    }
    assert_int_equal(example_encoder_ops.close(encoder), ASSAY_OK);
    open_reading(&r, &bytes, NULL, EXAMPLE_PACKET, false);
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        const struct assay_event *event = read_event(&r);
        assert_int_equal(event->kind, EXAMPLE_address);
        assert_int_equal(event->words[EXAMPLE_WORD_address_difference], (uint64_t)differences[i]);
        assert_int_equal(event->words[EXAMPLE_EXCESS], 0);
    }
    assert_int_equal(read_event(&r)->kind, EXAMPLE_end);
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
}

static void random_bytes_are_decoded_up_to_the_end(void **state)
{
    (void)state;
    enum { ROUNDS = 300, MOST = 3000 };
    struct assay_image_set *images = make_program();
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t random = round + 1;
        struct assay_sink bytes;
        struct reading r;
        unsigned synced = 0;
        unsigned end = 0;
        assay_sink_memory(&bytes, 0);
        const size_t size = random_below(&random, MOST);
        for (size_t i = 0; i < size; i++) {
            const uint8_t byte = (uint8_t)random_next(&random);
            const uint8_t small[] = {0xa2, byte & 7};
            assay_sink_write(&bytes, round % 2 != 0 ? small : &byte, round % 2 != 0 ? 2 : 1);
        }
        assay_sink_write(&bytes, "\xa5SYNC\x20\xa2\x79\x07", 9);
        open_reading(&r, &bytes, images, ASSAY_ALL_LAYERS, false);
        for (const struct assay_event *event; (event = read_event(&r)) != NULL;) {
            synced +=
                event->kind == EXAMPLE_note_01 && event->words[EXAMPLE_WORD_note_01_value] == 7;
            end += event->kind == EXAMPLE_end;
        }
        assert_int_equal(end, 1);
        assert_true(synced >= 1 || round % 2 != 0);
        close_reading(&r);
        assay_sink_close(&bytes, NULL);
    }
    assay_image_set_free(images);
}

/* --- a capture of two streams --- */

static void put_frames(struct assay_sink *capture, const struct assay_sink *a,
                       const struct assay_sink *b, size_t most)
{
    const struct assay_sink *streams[] = {a, b};
    size_t done[2] = {0, 0};
    assay_sink_text(capture, "XCAP");
    for (unsigned turn = 0; done[0] < a->size || done[1] < b->size; turn ^= 1) {
        const size_t left = streams[turn]->size - done[turn];
        const size_t size = left < most ? left : most;
        const uint8_t head[] = {(uint8_t)(0x10 + turn), (uint8_t)size};
        assay_sink_write(capture, head, 2);
        assay_sink_write(capture, streams[turn]->data + done[turn], size);
        done[turn] += size;
    }
}

static void streams_of_a_capture_are_judged_by_themselves(void **state)
{
    (void)state;
    struct assay_sink good;
    struct assay_sink bad;
    struct assay_sink capture;
    struct assay_sink json;
    struct run r;
    struct assay_yaml_file config;
    assert_int_equal(assay_yaml_parse("c.yaml", "has_context: true\n", 18, &config, NULL),
                     ASSAY_OK);
    const struct assay_stream_setup setups[] = {
        {.has_id = true, .id = 0x10, .format = &assay_format_example, .config = config.root},
        {.has_id = true, .id = 0x11, .format = &assay_format_example, .config = config.root}};
    const struct assay_input input = {.path = "in", .streams = setups, .stream_count = 2};
    encode(START "  - commit: {count: 1}\n", &good);
    encode(START "  - cancel: {count: 2}\n", &bad); /* at byte 12 of the stream */
    assay_sink_memory(&capture, 0);
    put_frames(&capture, &good, &bad, 5);
    check(&r, &capture, &input, false);
    const struct assay_input_result *result = &r.results->inputs[0];
    assert_int_equal(result->stream_count, 3);
    assert_int_equal(result->streams[1].violations, 0);
    assert_int_equal(result->streams[2].violations, 1);
    assert_int_equal(result->streams[2].id, 0x11);
    const struct assay_rule_total *rule = total(&r, "EX-0006");
    assert_int_equal(rule->violated, 1);
    const struct assay_located_finding *found = &rule->findings[0];
    assert_int_equal(found->stream, 2);
    const uint8_t *place = capture.data + found->offset;
    assert_memory_equal(place, bad.data + found->finding->offset, 1);
    assert_int_equal(place[0] >> 5, 5); /* the header of the packet cancel */

    assay_sink_memory(&json, 0);
    for (const struct assay_report_writer *w = assay_report_writers; w->name != NULL; w++) {
        if (strcmp(w->name, "json") == 0) {
            assert_int_equal(w->write(r.results, &(struct assay_report_style){0}, &json), ASSAY_OK);
        }
    }
    assay_sink_write(&json, "", 1);
    assert_non_null(strstr((char *)json.data, "\"layers\""));
    assert_non_null(strstr((char *)json.data, "\"streams\""));
    assert_non_null(strstr((char *)json.data, "\"address_width\""));
    assay_sink_close(&json, NULL);
    assay_check_close(r.check);
    assay_yaml_free(&config);
    assay_sink_close(&good, NULL);
    assay_sink_close(&bad, NULL);
    assay_sink_close(&capture, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_more_kinds_than_a_word_has_bits_twice),
        cmocka_unit_test(an_element_is_committed_many_blocks_behind_its_packet),
        cmocka_unit_test(from_ends_where_the_packet_is_gone_although_the_element_is_not),
        cmocka_unit_test(progress_is_that_of_the_packets),
        cmocka_unit_test(both_back_ends_find_the_same_in_each_layer),
        cmocka_unit_test(what_is_not_given_is_named),
        cmocka_unit_test(a_stream_that_contradicts_its_configuration_is_refused),
        cmocka_unit_test(absent_memory_makes_the_layer_of_instructions_incomplete),
        cmocka_unit_test(expanded_runs_are_a_walk_through_the_program),
        cmocka_unit_test(packed_packets_come_back_as_they_were_written),
        cmocka_unit_test(random_bytes_are_decoded_up_to_the_end),
        cmocka_unit_test(streams_of_a_capture_are_judged_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
