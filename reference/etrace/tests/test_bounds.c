/* Few bytes that stand for very many instructions: the path is followed so far, and given up by
 * name. And contexts of as many bits as packets can have. */
#include "etrace_support.h"

#include "common/bytes.h"

enum { BASE = 0x1000, WORD_BYTES = 4, LEVELS = 40, FUNCTION = 3 * WORD_BYTES, FEW_BYTES = 48 };

/* ret; beqz a0, .+8; j .-4; jal ra, .-12; jal ra, .-16 */
enum { RET = 0x8067, BEQZ = 0x00050463 };
#define JUMP_BACK    UINT32_C(0xffdff06f)
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

/* The runs of a stream, and why the path is lost. */
static uint64_t runs_of(struct writing *w, struct assay_parameter_values *values,
                        const struct assay_image_set *images, uint64_t *reason)
{
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    const char *why = NULL;
    uint64_t runs = 0;
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
            const struct assay_event *event = &block.events[i];
            runs += event->kind == ETRACE_run;
            *reason =
                event->kind == ETRACE_path_lost ? event->cells[FACTS] >> REASON_BIT & 0xf : *reason;
        }
    }
    assert_false(etrace_decoder_ops.complete(decoder, ETRACE_INSTRUCTION, &why));
    assert_non_null(strstr(why, "runs of instructions"));
    etrace_decoder_ops.close(decoder);
    (void)assay_sink_close(&w->sink, NULL);
    return runs;
}

static void parameters(struct assay_parameter_values *values)
{
    assay_parameters_init(values, assay_format_etrace.parameters);
    set_parameter(values, ETRACE_IADDRESS_WIDTH, 64);
    set_parameter(values, ETRACE_XLEN, 64);
}

static void a_count_of_branches_is_followed_so_far(void **state)
{
    (void)state;
    struct assay_parameter_values values;
    struct writing w;
    uint8_t program[2 * WORD_BYTES];
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    uint64_t reason = 0;
    assay_store32(program, BEQZ);
    assay_store32(program + WORD_BYTES, JUMP_BACK);
    parameters(&values);
    set_parameter(&values, ETRACE_BPRED_SIZE, 1);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    struct assay_image_set *images = image_of(program, sizeof program);
    begin_writing(&w, &values);
    put_start(&w, BASE + WORD_BYTES);
    cells[ETRACE_CELL_branch_count_branch_count] = UINT32_MAX;
    write_packet(&w, ETRACE_branch_count, cells);
    put_start(&w, BASE + WORD_BYTES);
    write_packet(&w, ETRACE_branch_count, cells); /* so many more for each of the two packets */
    assert_true(w.sink.size < FEW_BYTES);
    const uint64_t runs = runs_of(&w, &values, images, &reason);
    assert_int_equal(reason, ETRACE_LOST_TOO_FAR);
    assert_int_equal(runs, 1 + ETRACE_RUNS_AT_ONCE + 1 + 2 * ETRACE_RUNS_A_PACKET);
    assay_image_set_free(images);
}

/* A function of the n-th level calls that of the level below twice. */
static void nested_returns_are_followed_so_far(void **state)
{
    (void)state;
    struct assay_parameter_values values;
    struct writing w;
    uint8_t program[LEVELS * FUNCTION];
    uint64_t reason = 0;
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
    assert_true(w.sink.size < FEW_BYTES);
    const uint64_t runs = runs_of(&w, &values, images, &reason);
    assert_int_equal(reason, ETRACE_LOST_TOO_FAR);
    assert_int_equal(runs, 1 + ETRACE_RUNS_AT_ONCE);
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
    enum { NOP = 0x13, JUMP = 0x50067 /* jr a0 */ };
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
        cmocka_unit_test(a_count_of_branches_is_followed_so_far),
        cmocka_unit_test(nested_returns_are_followed_so_far),
        cmocka_unit_test(contexts_that_differ_above_32_bits_have_programs_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
