/* What the decoder of the example gives: layers and where their events come from, runs, packets. */
#include "common/tests/random.h"
#include "example/program.h"
#include "example/support.h"
#include "execution/execution_writer.h"

/* --- layers --- */

static void there_are_more_kinds_than_a_word_has_bits_twice(void **state)
{
    (void)state;
    assert_true(assay_format_example.kind_count > 128);
    assert_null(assay_parameter_table_fault(assay_format_example.parameters));
}

static void an_element_is_committed_many_blocks_after_its_packet(void **state)
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
    assert_int_equal(event->cells[EXAMPLE_CELL_committed_begin_address], 0x1000);
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
    assert_int_equal(event->cells[EXAMPLE_CELL_committed_begin_address], 0x1000);
    assert_int_equal(event->offset, 6);
    assert_non_null(event->from);
    assert_int_equal(event->from->kind, EXAMPLE_begin);
    assert_null(event->from->from);
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
}

/* All elements that can be open are, from the beginning to the end, and most of their packets are
 * overwritten by then. */
static void what_is_open_at_the_end_is_given_then(void **state)
{
    (void)state;
    enum { DEPTH = 16, ATOMS = 13, NOTES = EXAMPLE_SLOTS - 12 };
    struct assay_sink bytes;
    struct reading r;
    encode(START, &bytes);
    for (unsigned i = 1; i < DEPTH / 2; i++) {
        assay_sink_write(&bytes, "\xa2\x02\x21", 3); /* an atom, taken */
    }
    for (unsigned i = 0; i < NOTES; i++) {
        assay_sink_write(&bytes, "\xa3\x79\x55\x00", 4);
    }
    for (unsigned i = DEPTH / 2; i < DEPTH; i++) {
        assay_sink_write(&bytes, "\xa2\x02\x21", 3);
    }
    open_reading(&r, &bytes, NULL, EXAMPLE_RESOLVED, false);
    for (unsigned i = 0; i < DEPTH; i++) {
        const struct assay_event *event = read_event(&r);
        assert_non_null(event);
        assert_int_equal(event->kind, EXAMPLE_unresolved);
        assert_int_equal(event->index, i);
        assert_int_equal(event->cells[EXAMPLE_CELL_unresolved_value], i == 0 ? 0x1000 : 1);
        assert_int_equal(event->offset,
                         i == 0 ? 6 : ATOMS + 3 * (i - 1) + (i < DEPTH / 2 ? 0 : 4 * NOTES));
        /* Before the atoms there was a packet more than elements, and `end` is one, too. */
        assert_int_equal(event->from != NULL, i >= DEPTH + NOTES - EXAMPLE_SLOTS);
        if (event->from != NULL) {
            assert_int_equal(event->from->kind, EXAMPLE_atom);
            assert_int_equal(event->from->offset, event->offset);
            assert_int_equal(event->from->from != NULL, i > DEPTH + NOTES - EXAMPLE_SLOTS);
        }
    }
    assert_null(read_event(&r));
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
}

/* --- runs --- */

#define BRANCH UINT32_C(0x80000000) /* taken or not */

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
            assert_int_equal(event->cells[EXAMPLE_CELL_instruction_address], pc);
            assert_int_equal(event->cells[EXAMPLE_CELL_instruction_word], word);
            branch = example_classify(word) == EXAMPLE_CLASS_CONDITIONAL;
            pc += branch && atom < ATOMS - 1 ? example_displacement(word) : 4;
        }
    }
    assert_int_equal(read_event(&r)->kind, EXAMPLE_trace_end);
    assert_null(read_event(&r));
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
    assay_image_set_free(images);
}

static void facts_are_of_each_run_over_all_blocks(void **state)
{
    (void)state;
    enum { ROUNDS = 2000, ATOMS = 20 };
    struct assay_image_set *images = make_program();
    struct assay_sink bytes;
    struct assay_sink round;
    struct reading r;
    encode(START, &bytes);
    encode(START "  - atoms: {count: 20, taken: 0xfffff}\n  - commit: {count: 21}\n", &round);
    for (unsigned n = 0; n < ROUNDS; n++) {
        assay_sink_write(&bytes, round.data, round.size);
    }
    open_reading(&r, &bytes, images, EXAMPLE_INSTRUCTION, true);
    for (unsigned n = 0; n < ROUNDS * ATOMS; n++) {
        const struct assay_event *run = read_event(&r);
        assert_int_equal(run->kind, EXAMPLE_run);
        assert_int_equal(run->cells[EXAMPLE_CELL_run_visits], n);
    }
    assert_int_equal(read_event(&r)->kind, EXAMPLE_trace_end);
    close_reading(&r);
    assay_sink_close(&round, NULL);
    assay_sink_close(&bytes, NULL);
    assay_image_set_free(images);
}

/* Two programs at one address, by context. */
static struct assay_image_set *make_two_programs(void)
{
    static const uint32_t cells[2] = {0x11, 0x22};
    struct assay_image_set *set = NULL;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    for (unsigned n = 0; n < 2; n++) {
        const struct assay_image_spec spec = {
            .path = "program",
            .has_address = true,
            .address = 0x1000,
            .space = {.given = ASSAY_SPACE_CONTEXT, .context = 7 + n}};
        uint8_t program[8];
        assay_store32(program, cells[n]);
        assay_store32(program + 4, BRANCH);
        assert_int_equal(assay_image_add_bytes(set, &spec, program, sizeof program, NULL),
                         ASSAY_OK);
    }
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

/* Runs of two instructions and of one, a gap between them, and the end. */
static void all_events_of_a_layer_are_numbered_as_they_are_shown(void **state)
{
    (void)state;
    struct assay_image_set *images = make_two_programs();
    struct assay_sink bytes;
    struct reading r;
    uint64_t index = 0;
    encode(START "  - atoms: {count: 1}\n"
                 "  - start: {address: 0x2000, context: 8}\n"
                 "  - atoms: {count: 1}\n"
                 "  - start: {address: 0x1004, context: 8}\n"
                 "  - atoms: {count: 1}\n"
                 "  - commit: {count: 6}\n",
           &bytes);
    static const enum example_kind kinds[] = {EXAMPLE_instruction, EXAMPLE_instruction, EXAMPLE_gap,
                                              EXAMPLE_instruction, EXAMPLE_trace_end};
    open_reading(&r, &bytes, images, ASSAY_ALL_LAYERS, false);
    for (const struct assay_event *event; (event = read_event(&r)) != NULL;) {
        if (assay_format_example.kinds[event->kind].layer == EXAMPLE_INSTRUCTION) {
            assert_true(index < sizeof kinds / sizeof kinds[0]);
            assert_int_equal(event->kind, kinds[index]);
            assert_int_equal(event->index, index++);
        }
    }
    assert_int_equal(index, sizeof kinds / sizeof kinds[0]);
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
    assay_image_set_free(images);
}

/* One block of runs has those of both. */
static void a_run_is_read_in_the_space_that_it_was_found_in(void **state)
{
    (void)state;
    static const uint32_t first[] = {0x11, 0x22, 0, 0x11};
    struct assay_image_set *set = make_two_programs();
    struct assay_sink bytes;
    struct reading r;
    encode(START "  - atoms: {count: 1}\n"
                 "  - start: {address: 0x1000, context: 8}\n"
                 "  - atoms: {count: 1}\n"
                 "  - start: {address: 0x1000, context: 9}\n"
                 "  - atoms: {count: 1}\n"
                 "  - start: {address: 0x1000, context: 7}\n"
                 "  - atoms: {count: 1}\n"
                 "  - commit: {count: 8}\n",
           &bytes);
    open_reading(&r, &bytes, set, EXAMPLE_INSTRUCTION, false);
    for (size_t n = 0; n < 4; n++) {
        const struct assay_event *event = read_event(&r);
        assert_int_equal(event->kind, first[n] != 0 ? EXAMPLE_instruction : EXAMPLE_gap);
        if (first[n] != 0) {
            assert_int_equal(event->cells[EXAMPLE_CELL_instruction_word], first[n]);
            assert_int_equal(read_event(&r)->cells[EXAMPLE_CELL_instruction_word], BRANCH);
        }
    }
    assert_int_equal(read_event(&r)->kind, EXAMPLE_trace_end);
    close_reading(&r);
    assay_sink_close(&bytes, NULL);
    assay_image_set_free(set);
}

/* A recording of runs of the two programs in turn. */
static struct assay_execution *record_turns(unsigned count, struct assay_sink *sink)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assay_sink_memory(sink, 0);
    assert_int_equal(assay_execution_writer_open(sink, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 0, 0, &track), ASSAY_OK);
    for (unsigned n = 0; n < count; n++) {
        const uint32_t word = n % 2 == 0 ? 0x11 : 0x22;
        assay_execution_put_instruction(track, 0x1000, word, 4, NULL, 0);
        assay_execution_put_instruction(track, 0x1004, BRANCH, 4, NULL, 0);
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

static uint64_t value_of(const struct assay_event *event, const char *name)
{
    const struct assay_field *field =
        assay_field_by_name(&assay_format_example.kinds[event->kind], name);
    assert_non_null(field);
    return assay_field_get(field, event);
}

/* The first run is found by those ahead of it, which are in other spaces than the one that the
 * decoder has come to; and the last ones are known only when the layer has ended. */
static void runs_of_changing_spaces_are_compared_with_what_was_executed(void **state)
{
    (void)state;
    enum { TURNS = 700, MORE = 3 };
    struct assay_image_set *set = make_two_programs();
    struct assay_sink bytes;
    struct assay_sink two;
    struct assay_sink recorded;
    struct reading r;
    static const char turns[] = START "  - atoms: {count: 1}\n"
                                      "  - start: {address: 0x1000, context: 8}\n"
                                      "  - atoms: {count: 1}\n"
                                      "  - commit: {count: 4}\n";
    encode(turns, &two);
    assay_sink_memory(&bytes, 0);
    for (unsigned n = 0; n < TURNS / 2; n++) {
        assay_sink_write(&bytes, two.data, two.size);
    }
    open_compared(&r, &bytes, set, record_turns(TURNS + MORE, &recorded), EXAMPLE_INSTRUCTION,
                  true);
    for (unsigned n = 0; n < TURNS; n++) {
        const struct assay_event *run = read_event(&r);
        assert_int_equal(run->kind, EXAMPLE_run);
        assert_int_equal(run->index, n);
        /* What a run comes from is held back with it: the rings have it no longer. */
        assert_non_null(run->from);
        assert_int_equal(run->from->kind, EXAMPLE_committed_atom);
        assert_int_equal(run->from->offset, run->offset);
        assert_non_null(run->from->from);
        assert_int_equal(run->cells[EXAMPLE_COMPARE + ASSAY_COMPARE_PC], 0x1000);
        assert_int_equal(run->cells[EXAMPLE_COMPARE + ASSAY_COMPARE_FLAGS],
                         ASSAY_COMPARE_EXECUTED | (n % 2 == 0 ? 0x11 : 0x22));
    }
    const struct assay_event *end = read_event(&r);
    assert_int_equal(end->kind, EXAMPLE_trace_end);
    assert_int_equal(value_of(end, "unrecorded"), 2 * MORE);
    assert_int_equal(value_of(end, "located"), 1);
    assert_null(read_event(&r));
    close_reading(&r);
    assay_sink_close(&two, NULL);
    assay_sink_close(&bytes, NULL);
    assay_sink_close(&recorded, NULL);
    assay_image_set_free(set);
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
        const uint64_t cells[EXAMPLE_PACKET_CELLS] = {[EXAMPLE_CELL_address_difference] =
                                                          (uint64_t)differences[i]};
        const struct assay_event event = {.bytes = head, .cells = cells, .kind = EXAMPLE_address};
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
        assert_int_equal(event->cells[EXAMPLE_CELL_address_difference], (uint64_t)differences[i]);
        assert_int_equal(event->cells[ASSAY_CELL_EXCESS], 0);
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
            synced += event->kind == EXAMPLE_note_01 && event->cells[EXAMPLE_CELL_note_value] == 7;
            end += event->kind == EXAMPLE_end;
        }
        assert_int_equal(end, 1);
        assert_true(synced >= 1 || round % 2 != 0);
        close_reading(&r);
        assay_sink_close(&bytes, NULL);
    }
    assay_image_set_free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_more_kinds_than_a_word_has_bits_twice),
        cmocka_unit_test(an_element_is_committed_many_blocks_after_its_packet),
        cmocka_unit_test(from_ends_where_the_packet_is_gone_although_the_element_is_not),
        cmocka_unit_test(what_is_open_at_the_end_is_given_then),
        cmocka_unit_test(expanded_runs_are_a_walk_through_the_program),
        cmocka_unit_test(facts_are_of_each_run_over_all_blocks),
        cmocka_unit_test(all_events_of_a_layer_are_numbered_as_they_are_shown),
        cmocka_unit_test(a_run_is_read_in_the_space_that_it_was_found_in),
        cmocka_unit_test(runs_of_changing_spaces_are_compared_with_what_was_executed),
        cmocka_unit_test(packed_packets_come_back_as_they_were_written),
        cmocka_unit_test(random_bytes_are_decoded_up_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
