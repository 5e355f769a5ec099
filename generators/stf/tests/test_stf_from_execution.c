#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "execution/execution_writer.h"
#include "generators/stf/from_execution.h"
#include "io/source.h"
#include "stf/stf.h"

enum { TEXT = 8192 };

/* Instructions of 4 bytes, and of 2. */
enum {
    NOP = 0x00000013,
    BEQ_8 = 0x00000463, /* beq x0, x0, 8 */
    JAL_16 = 0x0100006f,
    JALR = 0x00008067, /* ret */
    LB_A0 = 0x00058503,
    LBU_A0 = 0x0005c503,
    LW_A0 = 0x0005a503,
    LW_X0 = 0x0005a003,
    LD_A0 = 0x0005b503,
    FLW_FA0 = 0x0005a507,
    FLD_FA0 = 0x0005b507,
    SD_A0 = 0x00a5b023,
    LD_A1 = 0x00063583, /* ld a1, 0(a2) */
    INC_A1 = 0x00158593,
    SC_D = 0x18a5b52f,
    LR_W_A0 = 0x1005a52f,
    AMOADD_D = 0x00a5b52f,
    ECALL = 0x00000073,
    EBREAK = 0x00100073,
    C_NOP = 0x0001,
    C_LW_A0 = 0x4188,
    C_EBREAK = 0x9002
};

static struct assay_sink recording;
static struct assay_execution_writer *writer;
static struct assay_execution_track *track;
static uint64_t pc;
static struct stf_generated made;
static char text[TEXT];
static struct assay_diag diag;
static size_t room; /* of the trace; 0: as much as it needs */

static bool machine;

static void start_of(enum assay_execution_isa isa, bool contents)
{
    const struct assay_execution_header header = {.isa = isa,
                                                  .system = machine,
                                                  .process = 42,
                                                  .producer = "recorder (QEMU 7.2.22 user mode)",
                                                  .program = "one"};
    assay_sink_memory(&recording, 0);
    assert_int_equal(assay_execution_writer_open(&recording, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 43, 0, &track), ASSAY_OK);
    if (contents) {
        assay_execution_record_contents(track);
    }
    pc = 0x1000;
}

static void start(void)
{
    start_of(ASSAY_EXECUTION_RISCV64, true);
}

static unsigned size_of(uint32_t word)
{
    return (word & 3) == 3 ? 4 : 2;
}

static void run_with(uint32_t word, const struct assay_access *access, unsigned accesses)
{
    const unsigned size = size_of(word);
    assert_int_equal(assay_execution_put_instruction(track, pc, word, size, access, accesses),
                     ASSAY_OK);
    pc += size;
}

static void run(uint32_t word)
{
    run_with(word, NULL, 0);
}

/* A load of this content. */
static void load(uint32_t word, unsigned size, uint64_t content)
{
    const struct assay_access access = {
        .address = 0x8000, .size = size, .content_known = true, .content = content};
    run_with(word, &access, 1);
}

static void call(uint64_t number)
{
    const uint64_t arguments[6] = {0};
    assert_int_equal(assay_execution_put_system_call(track, number, arguments), ASSAY_OK);
}

static void finish(void)
{
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
}

static unsigned long long at(const struct assay_event *event, const char *name)
{
    const struct assay_kind *kind = &assay_format_stf.kinds[event->kind];
    const struct assay_field *field = assay_field_by_name(kind, name);
    assert_non_null(field);
    return assay_field_get(field, event);
}

/* Adds the description of a record to `out`; for those of the header, their names. */
static void tell(const struct assay_event *e, char *out)
{
    char *to = out + strlen(out);
    const size_t size = TEXT - strlen(out);
    switch (e->kind) {
    case STF_inst_pc_target:
    case STF_force_pc:
        snprintf(to, size, "%s %llx; ", e->kind == STF_force_pc ? "at" : "to", at(e, "pc"));
        break;
    case STF_inst_reg:
        snprintf(to, size, "reg %llu.%llu.%llu=%llx; ", at(e, "type"), at(e, "number"),
                 at(e, "operand"), at(e, "value"));
        break;
    case STF_inst_mem_access:
        snprintf(to, size, "%s %llx+%llu; ", at(e, "type") == 2 ? "write" : "read",
                 at(e, "address"), at(e, "size"));
        break;
    case STF_inst_mem_content:
        snprintf(to, size, "data %llx; ", at(e, "data"));
        break;
    case STF_page_table_walk:
        snprintf(to, size, "walk %llx+%llu by %llu, %llu entries; ", at(e, "address"),
                 at(e, "page_size"), at(e, "instruction"), at(e, "entry_count"));
        break;
    case STF_event:
        snprintf(to, size, "event %llx (%llu: %llx %llx %llx); ", at(e, "id"), at(e, "field_count"),
                 at(e, "field0"), at(e, "field1"), at(e, "field2"));
        break;
    case STF_inst_32:
    case STF_inst_16:
        snprintf(to, size, "%llx\n", at(e, "encoding"));
        break;
    default:
        snprintf(to, size, "%s; ", assay_format_stf.kinds[e->kind].name);
        break;
    }
}

static void decode(const struct assay_sink *trace)
{
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    struct assay_decode_input input = {.profile = 1};
    text[0] = '\0';
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(stf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(stf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            tell(&block.events[i], text);
        }
    } while (block.count > 0);
    stf_decoder_ops.close(decoder);
}

/* Makes the trace of an execution; `text` gets its description. */
static enum assay_error generate(struct stf_generate_options options)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_sink trace;
    finish();
    assay_sink_memory(&trace, room);
    memset(&diag, 0, sizeof diag);
    assert_int_equal(assay_source_memory(recording.data, recording.size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    const enum assay_error error =
        stf_generate_from_execution(execution, &options, &trace, &made, &diag);
    assay_execution_close(execution);
    if (error == ASSAY_OK) {
        decode(&trace);
    }
    assay_sink_close(&trace, NULL);
    assay_sink_close(&recording, NULL);
    return error;
}

#define HEADER                                                                                     \
    "identifier; version; comment; comment; isa; inst_iem; trace_info; trace_info_feature; "       \
    "process_id_ext; at 1000; end_header; "
#define STATE "reg 1.0.1=0; "
#define MODE  "event 40000000 (1: 0 0 0); "
#define FIRST HEADER STATE MODE "13\n"
#define END   "reserve_end; end; "

/* The trace begins with a nop, and then is this. */
static void is_behind_a_nop(const char *body)
{
    char whole[TEXT];
    snprintf(whole, sizeof whole, "%s%s%s", FIRST, body, END);
    assert_string_equal(text, whole);
}

static void the_header_is_whole_and_the_first_group_tells_mode_and_state(void **state)
{
    (void)state;
    start();
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    assert_string_equal(text, FIRST END);
    assert_int_equal(made.records, 15);
    assert_int_equal(made.instructions, 1);
}

static void branches_that_were_taken_have_their_targets(void **state)
{
    (void)state;
    start();
    run(NOP);
    run(BEQ_8);
    run(BEQ_8); /* that was not taken */
    pc += 4;
    run(JAL_16);
    pc = 0x101c;
    run(JALR);
    pc = 0x1000;
    run(C_NOP);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("463\nto 1010; 463\nto 1020; 100006f\nat 101c; to 1000; 8067\n1\n");
}

static void accesses_have_their_contents_and_those_without_are_left_out(void **state)
{
    (void)state;
    const struct assay_access both[] = {
        {.address = 0x9000, .size = 8, .write = false},
        {.address = 0x9000, .size = 8, .write = true, .content_known = true, .content = 7}};
    start();
    run(NOP);
    load(LD_A0, 8, UINT64_C(0x8000000000000001));
    run_with(AMOADD_D, both, 2);
    run_with(LW_A0, both, 1);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("read 8000+8; data 8000000000000001; 5b503\n"
                    "write 9000+8; data 7; a5b52f\n5a503\n");
    assert_int_equal(made.without_access, 1);
}

static void a_walk_is_in_the_group_of_the_first_use_of_its_page(void **state)
{
    (void)state;
    const struct assay_walk walk = {
        .address = 0x8000,
        .page_log2 = 12,
        .count = 3,
        .data = true,
        .entry = {{0x80010000, 0x20004401}, {0x80011000, 0x20004801}, {0x80012040, 0x200100cf}}};
    machine = true;
    start();
    machine = false;
    assert_int_equal(assay_execution_put_level(track, 0), ASSAY_OK);
    run(NOP);
    assert_int_equal(assay_execution_put_walk(track, &walk), ASSAY_OK);
    load(LD_A0, 8, 7);
    load(LD_A0, 8, 7);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("walk 8000+4096 by 1, 3 entries; read 8000+8; data 7; 5b503\n"
                    "read 8000+8; data 7; 5b503\n");
}

static void a_system_call_is_an_event_and_the_flow_is_forced_behind_it(void **state)
{
    (void)state;
    start();
    run(NOP);
    run(ECALL);
    call(64);
    run(NOP);
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("event 8 (1: 40 0 0); 73\nat 1008; 13\n13\n");
}

static void signals_force_the_flow_and_traps_whose_word_tells_them_are_events(void **state)
{
    (void)state;
    start();
    run(NOP);
    run(BEQ_8); /* whether it was taken is not known */
    assert_int_equal(assay_execution_put_diverted(track), ASSAY_OK);
    pc = 0x2000;
    run(NOP);
    assert_int_equal(assay_execution_put_aborted(track, pc, EBREAK, 4), ASSAY_OK);
    pc = 0x3000;
    assert_int_equal(assay_execution_put_aborted(track, pc, 0, 2), ASSAY_OK);
    assert_int_equal(assay_execution_put_aborted(track, pc, SD_A0, 4), ASSAY_OK);
    run(C_NOP);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("463\nat 2000; 13\nevent 3 (1: 2004 0 0); 100073\n"
                    "at 3000; event 2 (3: 3000 0 2); 1\nat 3000; 1\n");
    assert_int_equal(made.without_event, 2); /* the signal and the store */
}

/* a1 is loaded, then an instruction that uses it is aborted, and its handler has a no-op: what the
 * trace has between. */
static void is_told_of_fault(uint64_t a1, uint32_t word, const char *event)
{
    char body[200];
    start();
    run(NOP);
    load(LD_A1, 8, a1);
    assert_int_equal(assay_execution_put_aborted(track, pc, word, 4), ASSAY_OK);
    pc = 0x2000;
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    snprintf(body, sizeof body, "read 8000+8; data %llx; 63583\n%sat 2000; 13\n",
             (unsigned long long)a1, event);
    is_behind_a_nop(body);
    assert_int_equal(made.without_event, event[0] == '\0');
}

static void a_fault_is_an_event_if_its_address_is_known(void **state)
{
    (void)state;
    is_told_of_fault(0x4000, SD_A0, "event f (3: 1008 a5b023 4000); a5b023\n");
    is_told_of_fault(0x4000, LW_A0, "event d (3: 1008 5a503 4000); 5a503\n");
    is_told_of_fault(0x4001, LW_A0, "event d (3: 1008 5a503 4001); 5a503\n");
    is_told_of_fault(0x4000, FLD_FA0, "event d (3: 1008 5b507 4000); 5b507\n");
    is_told_of_fault(0x4008, AMOADD_D, "event f (3: 1008 a5b52f 4008); a5b52f\n");
    is_told_of_fault(0x4004, AMOADD_D, "event 6 (3: 1008 a5b52f 4004); a5b52f\n");
    is_told_of_fault(0x4002, LR_W_A0, "event 4 (3: 1008 1005a52f 4002); 1005a52f\n");
    is_told_of_fault(0x4ffd, LW_A0, ""); /* one of two pages */
    is_told_of_fault(0x4000, SC_D, "");  /* may have failed before a signal */
    is_told_of_fault(0x4000, INC_A1, "");
}

static void abort_and_go_on(uint32_t word)
{
    assert_int_equal(assay_execution_put_aborted(track, pc, word, 4), ASSAY_OK);
    pc += 0x100;
    run(NOP);
}

static void what_an_access_tells_of_its_base_holds_until_the_register_is_written(void **state)
{
    (void)state;
    const struct assay_access store = {
        .address = 0x9000, .size = 8, .write = true, .content_known = true, .content = 1};
    start();
    run(NOP);
    run_with(SD_A0, &store, 1);
    abort_and_go_on(SD_A0);
    abort_and_go_on(SD_A0); /* the handler may have written it */
    run_with(SD_A0, &store, 1);
    run(INC_A1);
    abort_and_go_on(SD_A0);
    run_with(SD_A0, &store, 1);
    run(ECALL);
    call(64);
    abort_and_go_on(SD_A0);
    run_with(SD_A0, &store, 1);
    run(0x0000000b); /* of an extension that is not known */
    abort_and_go_on(SD_A0);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    const char *event = strstr(text, "event f (3: 1008 a5b023 9000); a5b023\n");
    assert_non_null(event);
    assert_null(strstr(event + 1, "event f"));
    assert_int_equal(made.without_event, 4);
}

static void what_is_not_known_of_the_last_instruction_is_not_told(void **state)
{
    (void)state;
    static const uint32_t last[] = {JALR, ECALL};
    for (unsigned i = 0; i < 2; i++) {
        start();
        run(NOP);
        run(last[i]);
        assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
        is_behind_a_nop("");
    }
    start();
    run(NOP);
    run(JAL_16);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_OK);
    is_behind_a_nop("to 1014; 100006f\n");
}

static void a_limit_keeps_what_follows_for_telling_where_the_last_one_led(void **state)
{
    (void)state;
    start();
    run(NOP);
    run(JALR);
    pc = 0x5000;
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){.limit = 2}), ASSAY_OK);
    is_behind_a_nop("to 5000; 8067\n");
}

static void operands_are_the_registers_that_loads_are_known_to_write(void **state)
{
    (void)state;
    start();
    run(NOP);
    load(LB_A0, 1, 0x80);
    load(LBU_A0, 1, 0x80);
    load(LW_A0, 4, 0x80000000);
    load(C_LW_A0, 4, 0x80000000);
    load(LR_W_A0, 4, 5);
    load(LW_X0, 4, 5);
    load(FLW_FA0, 4, 5);
    load(FLD_FA0, 8, 5);
    assert_int_equal(generate((struct stf_generate_options){.operands = true}), ASSAY_OK);
    is_behind_a_nop("reg 1.10.3=ffffffffffffff80; read 8000+1; data 80; 58503\n"
                    "reg 1.10.3=80; read 8000+1; data 80; 5c503\n"
                    "reg 1.10.3=ffffffff80000000; read 8000+4; data 80000000; 5a503\n"
                    "reg 1.10.3=ffffffff80000000; read 8000+4; data 80000000; 4188\n"
                    "reg 1.10.3=5; read 8000+4; data 5; 1005a52f\n"
                    "read 8000+4; data 5; 5a003\n"
                    "read 8000+4; data 5; 5a507\n"
                    "reg 2.10.3=5; read 8000+8; data 5; 5b507\n");
}

static void registers_of_rv32_have_32_bits(void **state)
{
    (void)state;
    start_of(ASSAY_EXECUTION_RISCV32, true);
    run(NOP);
    load(LB_A0, 1, 0x80);
    assert_int_equal(generate((struct stf_generate_options){.operands = true}), ASSAY_OK);
    is_behind_a_nop("reg 1.10.3=ffffff80; read 8000+1; data 80; 58503\n");
}

static void repetition_forces_the_flow_back_to_the_start(void **state)
{
    (void)state;
    static const char path[] = "stf-from-execution.exec";
    struct assay_sink file;
    start();
    run(NOP);
    run(JALR);
    /* the same bytes, as a file that can be read again */
    assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
    assert_int_equal(assay_sink_open(&file, path, NULL), ASSAY_OK);
    const size_t before = recording.size;
    uint8_t *copy = malloc(before);
    assert_non_null(copy);
    memcpy(copy, recording.data, before);
    assay_sink_write(&file, copy, before);
    uint8_t end[34] = {'E', 0, 2, [26] = 1};
    assay_sink_write(&file, end, sizeof end);
    assert_int_equal(assay_sink_close(&file, NULL), ASSAY_OK);
    free(copy);
    assert_int_equal(
        generate((struct stf_generate_options){.repeat = 3, .execution = path, .limit = 3}),
        ASSAY_OK);
    const char *body = strstr(text, "end_header; ");
    assert_non_null(body);
    assert_string_equal(body, "end_header; " STATE MODE "13\nat 1000; 13\nat 1000; 13\n" END);
    unlink(path);
}

/* Another thread of the recording executes n no-ops from an address on, and ends. */
static void run_other(uint64_t id, uint64_t from, unsigned n)
{
    struct assay_execution_track *other = NULL;
    assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, id, 0, &other), ASSAY_OK);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(
            assay_execution_put_instruction(other, from + UINT64_C(4) * i, NOP, 4, NULL, 0),
            ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(other, true), ASSAY_OK);
}

static void run_two_threads(uint64_t id)
{
    start();
    run(NOP);
    run(BEQ_8);
    pc += 4; /* taken, as is known only when the thread goes on */
    run_other(id, 0x5000, 2);
    run(NOP);
    run(C_NOP);
}

static void all_threads_are_told_by_their_ids_where_they_go_on(void **state)
{
    (void)state;
    run_two_threads(44);
    assert_int_equal(generate((struct stf_generate_options){.all_threads = true}), ASSAY_OK);
    is_behind_a_nop("process_id_ext; at 5000; 13\n13\n"
                    "process_id_ext; at 1004; to 100c; 463\n13\n1\n");
    run_two_threads(44);
    assert_int_equal(generate((struct stf_generate_options){.all_threads = true, .limit = 4}),
                     ASSAY_OK);
    is_behind_a_nop("process_id_ext; at 5000; 13\n13\nprocess_id_ext; at 1004; to 100c; 463\n");
    run_two_threads(44);
    assert_int_equal(generate((struct stf_generate_options){.thread = 1}), ASSAY_OK);
    assert_non_null(strstr(text, "end_header; " STATE MODE "13\n13\n" END));
}

static void threads_that_their_ids_do_not_tell_apart_are_refused(void **state)
{
    (void)state;
    run_two_threads(43);
    assert_int_equal(generate((struct stf_generate_options){.all_threads = true}),
                     ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "id 43 for several"));
}

static void what_cannot_be_traced_is_refused_with_its_reason(void **state)
{
    (void)state;
    start_of(ASSAY_EXECUTION_AARCH64, true);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "aarch64"));
    start_of(ASSAY_EXECUTION_RISCV64, false);
    load(LD_A0, 8, 1);
    assert_int_equal(generate((struct stf_generate_options){0}), ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "contents=on"));
    start();
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){.thread = 5}), ASSAY_NOT_FOUND);
    start();
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){.repeat = 2}), ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "has to be a file"));
    start();
    run(NOP);
    assert_int_equal(generate((struct stf_generate_options){.storage = "zlib"}),
                     ASSAY_UNKNOWN_NAME);
}

static void a_trace_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const char *const storages[] = {"raw", "gzip", "xz", "lzma", "zstd", "zstf"};
    for (room = 30; room <= 300; room += 45) {
        for (unsigned i = 0; i < sizeof storages / sizeof storages[0]; i++) {
            start();
            run(NOP);
            const struct stf_generate_options options = {.storage = storages[i]};
            const enum assay_error error = generate(options);
            assert_true(error == ASSAY_LIMIT || (error == ASSAY_OK && room > 120));
            if (error != ASSAY_OK) {
                assert_int_equal(diag.error, ASSAY_LIMIT);
                assert_non_null(strstr(diag.message, "the output could not be written: a limit"));
            }
        }
    }
    room = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_whole_and_the_first_group_tells_mode_and_state),
        cmocka_unit_test(branches_that_were_taken_have_their_targets),
        cmocka_unit_test(accesses_have_their_contents_and_those_without_are_left_out),
        cmocka_unit_test(a_walk_is_in_the_group_of_the_first_use_of_its_page),
        cmocka_unit_test(a_system_call_is_an_event_and_the_flow_is_forced_behind_it),
        cmocka_unit_test(signals_force_the_flow_and_traps_whose_word_tells_them_are_events),
        cmocka_unit_test(a_fault_is_an_event_if_its_address_is_known),
        cmocka_unit_test(what_an_access_tells_of_its_base_holds_until_the_register_is_written),
        cmocka_unit_test(what_is_not_known_of_the_last_instruction_is_not_told),
        cmocka_unit_test(a_limit_keeps_what_follows_for_telling_where_the_last_one_led),
        cmocka_unit_test(operands_are_the_registers_that_loads_are_known_to_write),
        cmocka_unit_test(registers_of_rv32_have_32_bits),
        cmocka_unit_test(repetition_forces_the_flow_back_to_the_start),
        cmocka_unit_test(all_threads_are_told_by_their_ids_where_they_go_on),
        cmocka_unit_test(threads_that_their_ids_do_not_tell_apart_are_refused),
        cmocka_unit_test(what_cannot_be_traced_is_refused_with_its_reason),
        cmocka_unit_test(a_trace_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
