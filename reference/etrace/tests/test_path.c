/* What packets do to the path through a program: where it is lost, ends and begins again, and what
 * is said then. */
#include <inttypes.h>
#include <stdio.h>

#include "common/bytes.h"
#include "etrace/facts/facts.h"
#include "etrace/packets/options.h"
#include "etrace_support.h"

enum { BASE = 0x1000, WORDS = 256, WORD_BYTES = 4 };
enum { SW = 0xb52023 /* a1, (a0) */, NOP = 0x13, ECALL = 0x73, RET = 0x8067, JR_A0 = 0x50067 };

/* beqz a0, on to `words` words further; jal x0 and jal ra likewise. */
static uint32_t beqz(int words)
{
    const uint32_t o = (uint32_t)(WORD_BYTES * words);
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | 10u << 15 | (o >> 1 & 0xf) << 8 |
           (o >> 11 & 1) << 7 | 0x63;
}

static uint32_t jal(int words, uint32_t rd)
{
    const uint32_t o = (uint32_t)(WORD_BYTES * words);
    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
           (o >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

/* --- packets --- */

static struct assay_parameter_values values;
static struct assay_image_set *images;
static struct writing writing;

static void configure(void)
{
    assay_parameters_init(&values, assay_format_etrace.parameters);
    set_parameter(&values, ETRACE_IADDRESS_WIDTH, 32);
    set_parameter(&values, ETRACE_XLEN, 32);
    set_parameter(&values, ETRACE_FULL_ADDRESS, 1);
    set_parameter(&values, ETRACE_WIRE, ETRACE_1_1_1);
}

static void begin(const uint32_t *program, size_t count)
{
    uint8_t bytes[WORDS * WORD_BYTES];
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = BASE};
    for (size_t n = 0; n < count; n++) {
        assay_store32(bytes + n * WORD_BYTES, program[n]);
    }
    assert_int_equal(assay_image_set_open(NULL, &images), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(images, &spec, bytes, count * WORD_BYTES, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_image_set_seal(images, NULL), ASSAY_OK);
    begin_writing(&writing, &values);
}

#define BEGIN(...)                                                                                 \
    begin((const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

static void start(uint64_t address, bool taken)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_start_branch] = !taken;
    cells[ETRACE_CELL_start_address] = address;
    write_packet(&writing, ETRACE_start, cells);
}

/* With the level and the context of another hart, or of Debug mode. */
static void start_at(uint64_t address, uint64_t privilege, uint64_t context)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_start_branch] = 1;
    cells[ETRACE_CELL_start_address] = address;
    cells[ETRACE_CELL_start_privilege] = privilege;
    cells[ETRACE_CELL_start_context] = context;
    write_packet(&writing, ETRACE_start, cells);
}

/* 0: the address of the handler is not given. */
static void exception(uint64_t address)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_exception_branch] = 1;
    cells[ETRACE_CELL_exception_thaddr] = address != 0 && values.value[ETRACE_WIRE] >= ETRACE_2_0;
    cells[ETRACE_CELL_exception_address] = address;
    write_packet(&writing, ETRACE_exception, cells);
}

static void address(uint64_t at)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_addr_only_address] = at;
    write_packet(&writing, ETRACE_addr_only, cells);
}

static void map(unsigned branches, uint64_t outcomes, uint64_t at)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_diff_delta_branches] = branches;
    cells[ETRACE_CELL_diff_delta_branch_map] = outcomes;
    cells[ETRACE_CELL_diff_delta_address] = at;
    write_packet(&writing, ETRACE_diff_delta, cells);
}

/* Of predicted branches, more than 31, and a last one that was not. */
static void count(uint64_t more)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_branch_count_branch_count] = more;
    write_packet(&writing, ETRACE_branch_count, cells);
}

static void index_of(uint64_t entry, bool irreport, uint64_t depth)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_jump_target_index] = entry;
    cells[ETRACE_CELL_jump_target_irreport] = irreport;
    cells[ETRACE_CELL_jump_target_irdepth] = depth;
    write_packet(&writing, ETRACE_jump_target, cells);
}

static void context(uint64_t is)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_context_context] = is;
    write_packet(&writing, ETRACE_context, cells);
}

static void support(bool enable, unsigned status)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    etrace_layout(&values, layout);
    cells[ETRACE_CELL_support_options] = etrace_options_of(layout, false);
    cells[ETRACE_CELL_support_enable] = enable;
    cells[ETRACE_CELL_support_qual_status] = status;
    write_packet(&writing, ETRACE_support, cells);
}

static void raw(const uint8_t *bytes, size_t size)
{
    assay_sink_write(&writing.sink, bytes, size);
}

/* --- the path --- */

static char path[8192];
static size_t length;
static size_t accesses;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(path + length, sizeof path - length, format, arguments);
    va_end(arguments);
    assert_true(length < sizeof path);
}

static void say_event(const struct assay_event *event)
{
    const uint64_t *cells = event->cells;
    const uint64_t facts = cells[ETRACE_RUN_FLAGS];
    if (event->kind == ETRACE_trace_end || event->kind == ETRACE_access_end) {
        return;
    }
    if (event->kind == ETRACE_access) {
        accesses++;
        return;
    }
    say("%s", length > 0 ? "; " : "");
    switch (event->kind) {
    case ETRACE_run:
        say("%" PRIx64 " +%" PRIu64, cells[ETRACE_RUN_ADDRESS], cells[ETRACE_RUN_COUNT]);
        break;
    case ETRACE_path_start:
        say("start %" PRIx64, cells[ETRACE_RUN_ADDRESS]);
        if (cells[ETRACE_RUN_CONTEXT] != 0) {
            say(" c%" PRIu64, cells[ETRACE_RUN_CONTEXT]);
        }
        break;
    case ETRACE_trap:
        say("trap %" PRIx64 "%s%s", cells[ETRACE_RUN_ADDRESS],
            facts >> RAISED_BIT & 1 ? " raised" : "", facts >> CALLED_BIT & 1 ? " called" : "");
        break;
    case ETRACE_path_end:
        say("end %" PRIx64 " %" PRIu64, cells[ETRACE_RUN_ADDRESS], facts >> END_PENDING_BIT & 0x3f);
        break;
    case ETRACE_path_lost:
        say("lost %" PRIu64 " at %" PRIx64 " %" PRIu64, facts >> REASON_BIT & 0xf,
            cells[ETRACE_RUN_ADDRESS], facts >> LOST_PENDING_BIT & 0x3f);
        break;
    default:
        fail_msg("kind %u", (unsigned)event->kind);
    }
}

/* Decodes what was written, and ends the test of it. `why`: a part of what is said of the path if
 * it is not complete; null: it is. */
static void decode(const char *why)
{
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    const char *said = NULL;
    length = 0;
    path[0] = '\0';
    assert_int_equal(etrace_encoder_ops.close(writing.encoder), ASSAY_OK);
    assert_int_equal(assay_source_memory(writing.sink.data, writing.sink.size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source,
                                             .parameters = &values,
                                             .images = images,
                                             .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(etrace_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; block.layer == ETRACE_INSTRUCTION && i < block.count; i++) {
            say_event(&block.events[i]);
        }
    }
    assert_int_equal(etrace_decoder_ops.complete(decoder, ETRACE_INSTRUCTION, &said), why == NULL);
    if (why != NULL) {
        assert_non_null(said);
        assert_non_null(strstr(said, why));
    }
    etrace_decoder_ops.close(decoder);
    (void)assay_sink_close(&writing.sink, NULL);
    assay_image_set_free(images);
}

static void is(const char *expected)
{
    decode(NULL);
    assert_string_equal(path, expected);
}

static size_t runs_at(const char *run)
{
    size_t runs = 0;
    for (const char *at = path; (at = strstr(at, run)) != NULL; at++) {
        runs++;
    }
    return runs;
}

/* --- what is not complete --- */

static void what_is_missing_is_named(void **state)
{
    (void)state;
    configure();
    BEGIN(NOP);
    start(0x2000, false);
    exception(0);
    decode("no program image at 0x2000");
    set_parameter(&values, ETRACE_IMPLICIT_EXCEPTION, 1);
    BEGIN(NOP);
    start(BASE, false);
    exception(0);
    start(0x2000, false); /* the first reason is given */
    decode("address of a trap handler");
    configure();
    set_parameter(&values, ETRACE_CACHE_SIZE, 1);
    set_parameter(&values, ETRACE_JUMP_TARGET_CACHE, 1);
    BEGIN(JR_A0, 0x30200073 /* mret */);
    start(BASE, false);
    address(BASE + 4);
    address(BASE);
    index_of(0, false, 0);
    decode("cached_targets");
}

/* Of a new context it is not known whether the packet is wrong; of Debug mode it is. */
static void another_hart_is_not_certain_and_debug_mode_is(void **state)
{
    const uint64_t debug = ETRACE_DEBUG;
    (void)state;
    configure();
    set_parameter(&values, ETRACE_CONTEXT_WIDTH, 8);
    set_parameter(&values, ETRACE_CTYPE_WIDTH, 2);
    BEGIN(jal(0, 0), NOP);
    start(BASE, false);
    start_at(BASE + 4, 0, 2);
    decode("another hart begins at 0x1004");
    assert_string_equal(path, "start 1000; 1000 +1; lost 12 at 1000 0; start 1004 c2; 1004 +1");
    BEGIN(jal(0, 0), NOP);
    start_at(BASE, 0, 0);
    start_at(BASE + 4, debug, 2);
    is("start 1000; 1000 +1; lost 12 at 1000 0; start 1004 c2; 1004 +1");
    BEGIN(jal(0, 0), NOP);
    start_at(BASE, debug, 0);
    start_at(BASE + 4, 0, 2);
    is("start 1000; 1000 +1; lost 12 at 1000 0; start 1004 c2; 1004 +1");
    BEGIN(jal(0, 0), NOP);
    start(BASE, false);
    exception(0x2000);
    start(BASE, false);
    start_at(BASE + 4, 0, 2);
    decode("no program image at 0x2000"); /* the first reason is given */
}

/* A loss that is the trace's own fault leaves nothing out. */
static void faults_of_the_trace_do_not_make_it_incomplete(void **state)
{
    static const uint8_t instruction[] = {0x41, 0x00}; /* there is no format 0 */
    static const uint8_t data[] = {0x61, 0x00};        /* nor data trace */
    (void)state;
    configure();
    BEGIN(NOP, NOP, JR_A0);
    address(BASE);
    start(BASE, false);
    raw(data, sizeof data);
    address(BASE + 4);
    raw(instruction, sizeof instruction);
    address(BASE + 8);
    start(BASE, false);
    map(0, 0, 0); /* an outcome, which is of no branch */
    is("lost 1 at 0 0; start 1000; 1000 +1; 1004 +1; lost 9 at 1004 0; start 1000; 1000 +1; "
       "1004 +2; lost 5 at 1008 31");
}

static void outcomes_that_wait_are_counted_up_to_63(void **state)
{
    static const struct {
        uint64_t more;
        unsigned pending;
    } cases[] = {{29, 61}, {30, 62}, {31, 63}, {32, 63}, {100, 63}};
    (void)state;
    configure();
    set_parameter(&values, ETRACE_BPRED_SIZE, 1);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[128];
        BEGIN(JR_A0);
        start(BASE, false);
        count(cases[i].more);
        snprintf(expected, sizeof expected, "start 1000; 1000 +1; lost 5 at 1000 %u",
                 cases[i].pending);
        is(expected);
    }
}

/* --- branches --- */

/* 3.2.6: the predictor is reset by the packet that reports the branch. */
static void a_branch_that_a_start_reports_is_not_learnt(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_BPRED_SIZE, 4);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    BEGIN(beqz(0), jal(-1, 0));
    start(BASE, true);
    count(0); /* 31 times not taken, as it is predicted at first, and then taken */
    decode(NULL);
    assert_int_equal(runs_at("1004 +1"), 31);
    BEGIN(NOP, beqz(0), jal(-1, 0));
    start(BASE, false);
    start(BASE + 4, true); /* to which the path comes */
    count(0);
    decode(NULL);
    assert_int_equal(runs_at("1008 +1"), 31);
}

/* More runs than a block of events has room for. */
static void a_packet_of_many_runs_is_followed_to_its_end(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_BPRED_SIZE, 1);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    BEGIN(JR_A0, beqz(0), JR_A0, NOP);
    start(BASE, false);
    map(1, 0, BASE + 4); /* taken, so that this is predicted */
    count(99);
    address(BASE + 12);
    decode(NULL);
    assert_int_equal(runs_at("1004 +1"), 132);
    assert_non_null(strstr(path, "1004 +1; 1008 +1; 100c +1"));
}

/* --- traps --- */

/* Before the trap the last instruction is the one whose successor raised it. */
static void the_instruction_that_raised_a_trap_is_the_one_after_the_last(void **state)
{
    (void)state;
    configure();
    BEGIN(NOP, ECALL, NOP);
    start(BASE, false);
    exception(BASE + 8);
    is("start 1000; 1000 +1; trap 1008 raised called; 1008 +1");
    BEGIN(NOP, NOP, NOP);
    start(BASE, false);
    exception(BASE + 8);
    is("start 1000; 1000 +1; trap 1008 raised; 1008 +1");
    BEGIN(beqz(2), ECALL, NOP);
    start(BASE, false);
    exception(BASE + 8);
    is("start 1000; 1000 +1; trap 1008 raised called; 1008 +1");
    BEGIN(beqz(2), NOP, ECALL);
    start(BASE, true);
    exception(BASE + 4);
    is("start 1000; 1000 +1; trap 1004 raised called; 1004 +1");
    BEGIN(jal(2, 0), NOP, ECALL);
    start(BASE, false);
    exception(BASE + 4);
    is("start 1000; 1000 +1; trap 1004 raised called; 1004 +1");
}

static void after_a_branch_without_outcome_or_an_uninferable_jump_it_is_not_known(void **state)
{
    (void)state;
    configure();
    BEGIN(JR_A0, beqz(-1), NOP, ECALL);
    start(BASE, false);
    address(BASE + 4); /* without the outcome of the branch there */
    exception(BASE + 8);
    is("start 1000; 1000 +1; 1004 +1; trap 1008; 1008 +1");
    BEGIN(JR_A0, ECALL, NOP);
    start(BASE, false);
    exception(BASE + 8);
    is("start 1000; 1000 +1; trap 1008; 1008 +1");
    BEGIN(NOP, ECALL);
    exception(BASE); /* nothing came before it */
    is("trap 1000; 1000 +1");
}

static void a_trap_without_the_address_of_its_handler_loses_the_path(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_IMPLICIT_EXCEPTION, 1);
    BEGIN(NOP, NOP);
    start(BASE, false);
    exception(0);
    address(BASE + 4);
    decode("handler");
    assert_string_equal(path, "start 1000; 1000 +1; trap 0 raised; lost 8 at 0 0");
    configure();
    set_parameter(&values, ETRACE_WIRE, ETRACE_2_0);
    BEGIN(NOP, NOP);
    start(BASE, false);
    exception(0); /* version 2.0: another trap comes before it */
    start(BASE + 4, false);
    is("start 1000; 1000 +1; trap 0 raised; start 1004; 1004 +1");
}

/* --- ends and starts --- */

static void a_path_ends_and_begins_again(void **state)
{
    (void)state;
    configure();
    BEGIN(beqz(2), NOP, NOP, NOP);
    support(true, ETRACE_NO_CHANGE);
    support(true, ETRACE_ENDED_REP); /* of no path */
    start(BASE, true);
    support(true, ETRACE_ENDED_REP); /* the outcome of its branch was not used */
    start(BASE + 4, false);
    address(BASE + 12);
    support(true, ETRACE_NO_CHANGE);
    support(false, ETRACE_NO_CHANGE);
    address(BASE + 12);
    support(false, ETRACE_NO_CHANGE);
    address(BASE + 12); /* that it is lost is said again */
    is("start 1000; 1000 +1; end 1000 1; start 1004; 1004 +1; 1008 +2; end 100c 0; "
       "lost 1 at 0 0; lost 1 at 0 0");
}

/* 6.5.1: the address was that of the target of the jump, not of the place before it. */
static void an_end_after_an_uninferable_jump_is_at_its_target(void **state)
{
    (void)state;
    for (unsigned status = ETRACE_ENDED_REP; status <= ETRACE_ENDED_UPD; status += 2) {
        configure();
        BEGIN(NOP, NOP, JR_A0);
        start(BASE, false);
        address(BASE + 4);
        support(true, status);
        start(BASE, false);
        address(BASE + 8);
        is(status == ETRACE_ENDED_REP
               ? "start 1000; 1000 +1; 1004 +1; end 1004 0; start 1000; 1000 +1; 1004 +2"
               : "start 1000; 1000 +1; 1004 +1; 1008 +1; 1004 +1; end 1004 0; start 1000; "
                 "1000 +1; 1004 +2");
    }
}

static void a_context_holds_until_another_one(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_CONTEXT_WIDTH, 4);
    set_parameter(&values, ETRACE_NOCONTEXT, 1); /* of the other packets */
    BEGIN(NOP);
    context(5);
    start(BASE, false);
    is("start 1000 c5; 1000 +1");
}

/* --- returns --- */

/* 6.6.3: a return whose target is not on the stack. */
static void an_index_can_be_that_of_a_mispredicted_return(void **state)
{
    (void)state;
    for (unsigned irreport = 0; irreport < 2; irreport++) {
        configure();
        set_parameter(&values, ETRACE_CACHE_SIZE, 3);
        set_parameter(&values, ETRACE_JUMP_TARGET_CACHE, 1);
        set_parameter(&values, ETRACE_CACHED_TARGETS, ETRACE_CACHED_JUMPS);
        set_parameter(&values, ETRACE_RETURN_STACK_SIZE, 1);
        set_parameter(&values, ETRACE_IMPLICIT_RETURN, 1);
        BEGIN(JR_A0, jal(3, 1), JR_A0, NOP, RET, NOP);
        start(BASE, false);
        address(BASE + 4);
        index_of(2, irreport != 0, irreport); /* the entry of 0x1004 */
        is(irreport ? "start 1000; 1000 +1; 1004 +1; 1010 +1; 1004 +1"
                    : "start 1000; 1000 +1; 1004 +1; 1010 +1; 1008 +1; 1004 +1");
    }
}

/* --- data --- */

static void store(void)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_data_access_format] = ETRACE_FORMAT_STORE;
    cells[ETRACE_CELL_data_access_size] = 2;
    cells[ETRACE_CELL_data_access_data_len] = 3;
    write_packet(&writing, ETRACE_data_access, cells);
}

/* More of them than fit into a step, or two, of the stage: the last ones come when the trace has
 * ended. */
static void each_access_has_an_event_however_many_there_are(void **state)
{
    uint32_t program[WORDS];
    (void)state;
    for (size_t stores = 130; stores < 200; stores++) {
        configure();
        set_parameter(&values, ETRACE_DATA_WIDTH, 32);
        set_parameter(&values, ETRACE_DENABLE, 1);
        for (size_t n = 0; n < stores; n++) {
            program[n] = SW;
        }
        program[stores] = JR_A0;
        begin(program, stores + 1);
        start(BASE, false);
        for (size_t n = 0; n < stores; n++) {
            store();
        }
        address(BASE + WORD_BYTES * stores);
        accesses = 0;
        decode(NULL);
        assert_int_equal(accesses, stores);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(another_hart_is_not_certain_and_debug_mode_is),
        cmocka_unit_test(faults_of_the_trace_do_not_make_it_incomplete),
        cmocka_unit_test(outcomes_that_wait_are_counted_up_to_63),
        cmocka_unit_test(a_branch_that_a_start_reports_is_not_learnt),
        cmocka_unit_test(a_packet_of_many_runs_is_followed_to_its_end),
        cmocka_unit_test(the_instruction_that_raised_a_trap_is_the_one_after_the_last),
        cmocka_unit_test(after_a_branch_without_outcome_or_an_uninferable_jump_it_is_not_known),
        cmocka_unit_test(a_trap_without_the_address_of_its_handler_loses_the_path),
        cmocka_unit_test(a_path_ends_and_begins_again),
        cmocka_unit_test(an_end_after_an_uninferable_jump_is_at_its_target),
        cmocka_unit_test(a_context_holds_until_another_one),
        cmocka_unit_test(an_index_can_be_that_of_a_mispredicted_return),
        cmocka_unit_test(each_access_has_an_event_however_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
