/* Few bytes that stand for very many instructions: repetitions of a loop are counted, and a path
 * that is longer than its program lets expect is given up by name. And contexts of as many bits as
 * packets can have. */
#include "etrace_support.h"

#include "common/bytes.h"
#include "common/random.h"
#include "etrace/path/loops.h"

enum { BASE = 0x1000, WORD_BYTES = 4, LEVELS = 40, FUNCTION = 3 * WORD_BYTES, FEW_BYTES = 48 };

/* nop; ret; beqz a0, .+8; jal ra, .+16; j .-8; j .-12; jal ra, .-12; jal ra, .-16 */
enum { NOP = 0x13, RET = 0x8067, BEQZ = 0x00050463, CALL_16 = 0x010000ef };
#define JUMP_8_BACK  UINT32_C(0xff9ff06f)
#define JUMP_12_BACK UINT32_C(0xff5ff06f)
#define CALL_12_BACK UINT32_C(0xff5ff0ef)
#define CALL_16_BACK UINT32_C(0xff1ff0ef)

static struct assay_image_set *image_of(const void *program, size_t size)
{
    struct assay_image_set *set = NULL;
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = BASE};
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(set, &spec, program, size, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

static void put_start(struct writing *w, uint64_t address)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_start_branch] = 1;
    cells[ETRACE_CELL_start_address] = address;
    write_packet(w, ETRACE_start, cells);
}

static void put_address(struct writing *w, uint64_t address)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_addr_only_address] = address;
    write_packet(w, ETRACE_addr_only, cells);
}

/* What the path of a stream has. */
struct followed {
    uint64_t runs;          /* events */
    uint64_t instructions;  /* since it began last, repeated ones too */
    uint64_t passed, bytes; /* runs and bytes, likewise */
    uint64_t branches;      /* runs that end with one, repeated ones too, where a period has one */
    uint64_t repeated;      /* events */
    uint64_t stops;         /* a sum of where it stopped, after how many instructions, since it
                               began last */
    uint64_t reason;        /* why it is lost */
    const char *why;        /* why it is not complete, or null */
};

/* Where a path stops, or is lost. */
static void add_stop(struct followed *f, const struct assay_event *event, unsigned address)
{
    enum { FACTOR = 0x1e3779b1 };
    f->stops = (f->stops ^ event->kind) * FACTOR;
    f->stops = (f->stops ^ event->cells[address]) * FACTOR;
    f->stops = (f->stops ^ event->cells[ETRACE_RUN_FLAGS]) * FACTOR;
    f->stops = (f->stops ^ f->instructions) * FACTOR;
}

static void add_event(struct followed *f, const struct assay_event *event)
{
    const uint64_t *cells = event->cells;
    switch (event->kind) {
    case ETRACE_path_start:
        f->instructions = 0;
        f->passed = 0;
        f->bytes = 0;
        f->stops = 0;
        f->reason = ETRACE_LOST_NOT;
        break;
    case ETRACE_run:
        f->runs++;
        f->instructions += (uint32_t)cells[ETRACE_RUN_COUNT];
        f->passed++;
        f->bytes += cells[ETRACE_RUN_END] - cells[ETRACE_RUN_ADDRESS];
        f->branches += (cells[ETRACE_RUN_FLAGS] >> LAST_BIT & 7) == ETRACE_FLOW_BRANCH;
        if ((cells[ETRACE_RUN_FLAGS] >> STOPPED_BIT & 7) == ETRACE_AT_BRANCH) {
            add_stop(f, event, ETRACE_RUN_LAST_ADDRESS);
        }
        break;
    case ETRACE_repeated:
        f->repeated++;
        f->instructions +=
            cells[ETRACE_CELL_repeated_times] * cells[ETRACE_CELL_repeated_instructions];
        f->passed += cells[ETRACE_CELL_repeated_times] * cells[ETRACE_CELL_repeated_runs];
        f->bytes += cells[ETRACE_CELL_repeated_times] * cells[ETRACE_CELL_repeated_bytes];
        f->branches += cells[ETRACE_CELL_repeated_times];
        break;
    case ETRACE_path_lost:
        f->reason = cells[ETRACE_RUN_FLAGS] >> REASON_BIT & 0xf;
        add_stop(f, event, ETRACE_RUN_ADDRESS);
        break;
    default:
        break;
    }
}

static struct followed follow(struct writing *w, struct assay_parameter_values *values,
                              const struct assay_image_set *images)
{
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    struct followed f = {.reason = ETRACE_LOST_NOT};
    assert_int_equal(etrace_encoder_ops.close(w->encoder), ASSAY_OK);
    assert_int_equal(assay_source_memory(w->sink.data, w->sink.size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source,
                                             .parameters = values,
                                             .images = images,
                                             .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(etrace_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            add_event(&f, &block.events[i]);
        }
    }
    const char *why = NULL;
    const bool complete = etrace_decoder_ops.complete(decoder, ETRACE_INSTRUCTION, &why);
    f.why = complete ? NULL : strstr(why, "runs of instructions");
    etrace_decoder_ops.close(decoder);
    (void)assay_sink_close(&w->sink, NULL);
    return f;
}

static void parameters(struct assay_parameter_values *values)
{
    assay_parameters_init(values, assay_format_etrace.parameters);
    set_parameter(values, ETRACE_IADDRESS_WIDTH, 64);
    set_parameter(values, ETRACE_XLEN, 64);
}

static void put_count(struct writing *w, uint64_t count)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_branch_count_branch_count] = count - ETRACE_FULL_MAP;
    write_packet(w, ETRACE_branch_count, cells);
}

/* Begins a stream that has counts of branches and calls. */
static void begin_counts(struct writing *w, struct assay_parameter_values *values)
{
    parameters(values);
    set_parameter(values, ETRACE_BPRED_SIZE, 3);
    set_parameter(values, ETRACE_BRANCH_PREDICTION, 1);
    set_parameter(values, ETRACE_RETURN_STACK_SIZE, 3);
    set_parameter(values, ETRACE_IMPLICIT_RETURN, 1);
    begin_writing(w, values);
}

/* Counts of branches that were predicted rightly, each with one more that was not. */
static void put_counts(struct writing *w, uint64_t address, const uint64_t *counts, size_t count)
{
    put_start(w, address);
    for (size_t i = 0; i < count; i++) {
        put_count(w, counts[i]);
    }
}

static struct followed counted(const uint32_t *words, size_t size, const uint64_t *counts,
                               size_t count)
{
    struct assay_parameter_values values;
    struct writing w;
    struct assay_image_set *images = image_of(words, size);
    begin_counts(&w, &values);
    put_counts(&w, BASE, counts, count);
    const struct followed f = follow(&w, &values, images);
    assay_image_set_free(images);
    return f;
}

/* A branch or a jump by so many words. */
static uint32_t branch_by(int words)
{
    const uint32_t by = (uint32_t)(words * WORD_BYTES);
    return (by >> 12 & 1) << 31 | (by >> 5 & 0x3f) << 25 | 10 << 15 | (by >> 1 & 0xf) << 8 |
           (by >> 11 & 1) << 7 | 0x63;
}

static uint32_t jump_by(int words, bool calls)
{
    const uint32_t by = (uint32_t)(words * WORD_BYTES);
    return (by >> 20 & 1) << 31 | (by >> 1 & 0x3ff) << 21 | (by >> 11 & 1) << 20 |
           (by >> 12 & 0xff) << 12 | (calls ? 0x80 : 0) | 0x6f;
}

/* nop; beqz a0, .+8; j .-8; j .-12: an iteration is two runs, of three instructions. */
static const uint32_t loop[] = {NOP, BEQZ, JUMP_8_BACK, JUMP_12_BACK};
enum { IN_LOOP = 3, BEFORE_LOOP = 2 /* up to the first branch */, RUNS_OF_A_PACKET = 256 };

static void the_greatest_count_is_of_a_few_runs(void **state)
{
    (void)state;
    const uint64_t count = (uint64_t)UINT32_MAX + ETRACE_FULL_MAP;
    const struct followed f = counted(loop, sizeof loop, &count, 1);
    assert_int_equal(f.reason, ETRACE_LOST_NOT);
    assert_null(f.why);
    assert_int_equal(f.repeated, 1);
    assert_true(f.runs < RUNS_OF_A_PACKET);
    assert_int_equal(f.branches, count + 1);
    assert_int_equal(f.instructions, IN_LOOP * count + BEFORE_LOOP);
}

/* A loop that calls a function with a branch, with and without that repetitions are counted. */
static void repetitions_are_as_long_as_their_runs(void **state)
{
    (void)state;
    /* jal ra, .+16; beqz a0, .+8; j .-8; j .-12; beqz a0, .+8; ret; ret */
    static const uint32_t calls[] = {CALL_16, BEQZ, JUMP_8_BACK, JUMP_12_BACK, BEQZ, RET, RET};
    enum { BRANCHES = 2, INSTRUCTIONS = 5, MORE = 10 };
    const uint64_t counts[] = {ETRACE_OUTCOMES_FOLLOWED,
                               ETRACE_OUTCOMES_FOLLOWED + MORE * BRANCHES};
    const struct followed single = counted(calls, sizeof calls, &counts[0], 1);
    const struct followed repeated = counted(calls, sizeof calls, &counts[1], 1);
    assert_int_equal(single.reason, ETRACE_LOST_NOT);
    assert_int_equal(repeated.reason, ETRACE_LOST_NOT);
    assert_int_equal(single.repeated, 0);
    assert_int_equal(repeated.repeated, 1);
    assert_int_equal(repeated.instructions, single.instructions + MORE * INSTRUCTIONS);
    assert_true(repeated.runs < RUNS_OF_A_PACKET);
}

/* A loop without a branch, where outcomes are left, is one for ever, however long it is. */
static void a_loop_without_a_branch_is_not_counted(void **state)
{
    (void)state;
    enum { JUMPS = 100 };
    const uint64_t count = 2 * ETRACE_OUTCOMES_FOLLOWED;
    for (size_t jumps = 1; jumps < JUMPS; jumps++) {
        uint32_t words[JUMPS];
        for (size_t i = 0; i < jumps; i++) {
            words[i] = jump_by(i + 1 < jumps ? 1 : 1 - (int)jumps, false);
        }
        const struct followed f = counted(words, jumps * WORD_BYTES, &count, 1);
        assert_int_equal(f.reason, ETRACE_LOST_ENDLESS);
        assert_int_equal(f.repeated, 0);
    }
}

/* Each run can have accesses that data packets are of. */
static void repetitions_are_runs_where_data_are_traced(void **state)
{
    (void)state;
    struct assay_parameter_values values;
    struct writing w;
    const uint64_t count = 2 * ETRACE_OUTCOMES_FOLLOWED;
    struct assay_image_set *images = image_of(loop, sizeof loop);
    parameters(&values);
    set_parameter(&values, ETRACE_BPRED_SIZE, 3);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    set_parameter(&values, ETRACE_DATA_WIDTH, 64);
    begin_writing(&w, &values);
    put_counts(&w, BASE, &count, 1);
    const struct followed f = follow(&w, &values, images);
    assay_image_set_free(images);
    assert_int_equal(f.reason, ETRACE_LOST_NOT);
    assert_int_equal(f.repeated, 0);
    assert_int_equal(f.branches, count + 1);
}

/* Where there are many such packets, smaller counts are of few runs, too, and no path is lost. */
static void many_counts_are_of_few_runs_each(void **state)
{
    (void)state;
    enum { PACKETS = 8192 };
    static uint64_t counts[PACKETS];
    uint64_t branches = 0;
    for (size_t i = 0; i < PACKETS; i++) {
        counts[i] = ETRACE_OUTCOMES_FOLLOWED - i;
        branches += counts[i] + 1;
    }
    const struct followed f = counted(loop, sizeof loop, counts, PACKETS);
    assert_int_equal(f.reason, ETRACE_LOST_NOT);
    assert_int_equal(f.branches, branches);
    assert_true(f.runs < ETRACE_RUNS_AT_ONCE + (uint64_t)PACKETS * 2 * RUNS_OF_A_PACKET);
}

enum { WORDS = 14, BURN = BASE + WORDS * WORD_BYTES };

/* A program of branches, jumps, calls and returns, and after it the loop from above. */
static void draw_program(uint64_t *random, uint32_t *words)
{
    for (int i = 0; i < WORDS; i++) {
        const int by = (int)assay_random_below(random, WORDS) - i;
        switch (assay_random_below(random, 8)) {
        case 0:
            words[i] = RET;
            break;
        case 1:
            words[i] = jump_by(by, true);
            break;
        case 2:
            words[i] = jump_by(by, false);
            break;
        case 3:
        case 4:
        case 5:
            words[i] = branch_by(by);
            break;
        default:
            words[i] = NOP;
            break;
        }
    }
    memcpy(&words[WORDS], loop, sizeof loop);
}

/* Whether repetitions are counted or not, the path stops at the same places after as many
 * instructions. They are counted where the path was followed far before. */
static void the_path_is_the_same_with_counted_repetitions(void **state)
{
    (void)state;
    enum { PROGRAMS = 200, COUNTS = 4, COUNT_MOST = 3000, BEFORE = 9 };
    uint64_t random = 1;
    uint64_t repeated = 0;
    for (unsigned n = 0; n < PROGRAMS; n++) {
        uint32_t words[WORDS + sizeof loop / sizeof loop[0]];
        uint64_t counts[COUNTS], before[BEFORE];
        struct assay_parameter_values values;
        struct writing w;
        draw_program(&random, words);
        for (size_t i = 0; i < COUNTS; i++) {
            counts[i] = ETRACE_FULL_MAP + assay_random_below(&random, COUNT_MOST);
        }
        for (size_t i = 0; i < BEFORE; i++) {
            before[i] = ETRACE_OUTCOMES_FOLLOWED;
        }
        const struct followed all = counted(words, sizeof words, counts, COUNTS);
        struct assay_image_set *images = image_of(words, sizeof words);
        begin_counts(&w, &values);
        put_counts(&w, BURN, before, BEFORE);
        put_counts(&w, BASE, counts, COUNTS);
        const struct followed few = follow(&w, &values, images);
        assay_image_set_free(images);
        assert_int_equal(all.repeated, 0);
        assert_int_equal(few.reason, all.reason);
        assert_int_equal(few.instructions, all.instructions);
        assert_int_equal(few.passed, all.passed);
        assert_int_equal(few.bytes, all.bytes);
        assert_int_equal(few.stops, all.stops);
        repeated += few.repeated;
    }
    assert_true(repeated > 2 * PROGRAMS);
}

/* A function of the n-th level calls that of the level below twice. */
static void nested_returns_are_followed_so_far(void **state)
{
    (void)state;
    struct assay_parameter_values values;
    struct writing w;
    uint8_t program[LEVELS * FUNCTION];
    for (size_t n = 0; n < LEVELS; n++) {
        uint8_t *at = program + n * FUNCTION;
        assay_store32(at, n == 0 ? RET : CALL_12_BACK);
        assay_store32(at + WORD_BYTES, n == 0 ? RET : CALL_16_BACK);
        assay_store32(at + 2 * WORD_BYTES, RET);
    }
    parameters(&values);
    set_parameter(&values, ETRACE_RETURN_STACK_SIZE, 6);
    set_parameter(&values, ETRACE_IMPLICIT_RETURN, 1);
    struct assay_image_set *images = image_of(program, sizeof program);
    begin_writing(&w, &values);
    put_address(&w, 0); /* not followed; and what a packet leaves does not add up */
    put_start(&w, BASE + (LEVELS - 1) * FUNCTION);
    put_address(&w, 2 * sizeof program); /* which the program never comes to */
    put_start(&w, BASE + (LEVELS - 1) * FUNCTION);
    put_address(&w, 2 * sizeof program); /* for which there are fewer runs */
    assert_true(w.sink.size < FEW_BYTES);
    const struct followed f = follow(&w, &values, images);
    assert_int_equal(f.reason, ETRACE_LOST_TOO_FAR);
    assert_non_null(f.why);
    const uint64_t program_most = sizeof program / 2; /* instructions */
    assert_int_equal(f.runs, 1 + ETRACE_RUNS_AT_ONCE + ETRACE_RUNS_AT_ONCE_PROGRAM * program_most +
                                 1 + ETRACE_RUNS_A_PACKET + program_most);
    assay_image_set_free(images);
}

static void add_program(struct assay_image_set *set, uint64_t context, const uint32_t *words,
                        size_t size)
{
    struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = BASE};
    spec.space = (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = context};
    assert_int_equal(assay_image_add_bytes(set, &spec, words, size, NULL), ASSAY_OK);
}

/* A start in a context, and the target of the first jump of its program. */
static size_t instructions_in(uint64_t context, const struct assay_image_set *images)
{
    struct assay_parameter_values values;
    struct writing w;
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    parameters(&values);
    set_parameter(&values, ETRACE_CONTEXT_WIDTH, 64);
    begin_writing(&w, &values);
    cells[ETRACE_CELL_start_branch] = 1;
    cells[ETRACE_CELL_start_context] = context;
    cells[ETRACE_CELL_start_address] = BASE;
    write_packet(&w, ETRACE_start, cells);
    put_address(&w, 0);
    assert_int_equal(etrace_encoder_ops.close(w.encoder), ASSAY_OK);
    struct executed e = decode_instructions(w.sink.data, w.sink.size, &values, images);
    free(e.pcs);
    (void)assay_sink_close(&w.sink, NULL);
    assert_int_equal(e.lost, 0);
    return e.count;
}

static void contexts_that_differ_above_32_bits_have_programs_of_their_own(void **state)
{
    (void)state;
    enum { JUMP = 0x50067 /* jr a0 */ };
    static const uint32_t low[] = {JUMP};
    static const uint32_t high[] = {NOP, NOP, JUMP};
    struct assay_image_set *images = NULL;
    assert_int_equal(assay_image_set_open(NULL, &images), ASSAY_OK);
    add_program(images, 7, low, sizeof low);
    add_program(images, UINT64_C(0x8000000000000007), high, sizeof high);
    assert_int_equal(assay_image_set_seal(images, NULL), ASSAY_OK);
    assert_int_equal(instructions_in(7, images), 2);
    assert_int_equal(instructions_in(UINT64_C(0x8000000000000007), images), 4);
    assay_image_set_free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_greatest_count_is_of_a_few_runs),
        cmocka_unit_test(repetitions_are_as_long_as_their_runs),
        cmocka_unit_test(a_loop_without_a_branch_is_not_counted),
        cmocka_unit_test(repetitions_are_runs_where_data_are_traced),
        cmocka_unit_test(many_counts_are_of_few_runs_each),
        cmocka_unit_test(the_path_is_the_same_with_counted_repetitions),
        cmocka_unit_test(nested_returns_are_followed_so_far),
        cmocka_unit_test(contexts_that_differ_above_32_bits_have_programs_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
