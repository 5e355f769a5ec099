/* Traces of recordings that are written here: what their Contexts, Strings and Instruction records
 * tell of system calls, signals, vector lengths, and addresses that were not accessed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "astf/astf.h"
#include "execution/execution_writer.h"
#include "generators/astf/from_execution.h"
#include "generators/astf/state.h"
#include "io/sink.h"
#include "io/source.h"

enum {
    NOP = (int)0xd503201f,
    SVC = (int)0xd4000001,
    RET = (int)0xd65f03c0,
    DIT_1 = (int)0xd503415f,
    SSBS_1 = (int)0xd503413f,
    SMSTART_SM = (int)0xd503437f,
    SMSTOP_SM = (int)0xd503427f,
    LDR_Z = (int)0x85804000,
    LDXR = (int)0xc85f7c20, /* ldxr x0, [x1] */
    STXR = (int)0xc8027c20, /* stxr w2, x0, [x1] */
    CMP = (int)0xeb03001f,
    ADD_X1 = (int)0x91002021,  /* add x1, x1, #8 */
    PRFM_12 = (int)0xd8000060, /* prfm pldl1keep, .+12 */
    SYS_PRCTL = 167,
    SYS_RT_SIGRETURN = 139,
    SIGNAL_RETURN = -513,
};

/* A recording in progress. */
static struct assay_sink recording;
static struct assay_execution_writer *writer;
static struct assay_execution_track *track;
static uint64_t pc;

static void start_of(const struct assay_execution_header *header)
{
    assay_sink_memory(&recording, 0);
    assert_int_equal(assay_execution_writer_open(&recording, header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 9, 1, &track), ASSAY_OK);
    pc = 0x1000;
}

static void start(void)
{
    start_of(&(struct assay_execution_header){.isa = ASSAY_EXECUTION_AARCH64,
                                              .process = 7,
                                              .producer = "a test",
                                              .program = "a program"});
}

static void run_with(int word, const struct assay_access *access, unsigned accesses)
{
    assert_int_equal(
        assay_execution_put_instruction(track, pc, (uint32_t)word, 4, access, accesses), ASSAY_OK);
    pc += 4;
}

static void run(int word)
{
    run_with(word, NULL, 0);
}

static void call(uint64_t number, uint64_t first, uint64_t second, int64_t value)
{
    const uint64_t args[6] = {first, second};
    run(SVC);
    assert_int_equal(assay_execution_put_system_call(track, number, args), ASSAY_OK);
    assert_int_equal(assay_execution_put_system_return(track, number, value), ASSAY_OK);
}

static void load_vector(unsigned bytes)
{
    struct assay_access access[32];
    for (unsigned i = 0; i < bytes / 8; i++) {
        access[i] = (struct assay_access){.address = 0x8000 + 8 * i, .size = 8, .write = false};
    }
    run_with(LDR_Z, access, bytes / 8);
}

static struct astf_generated generated; /* of the last trace */

/* Ends the recording, and makes a trace of it with these options. */
/* The trace of what was run, in a sink that stays the caller's. */
static enum assay_error generate(const struct astf_generate_options *options,
                                 struct assay_sink *sink, struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(recording.data, recording.size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    const enum assay_error error =
        astf_generate_from_execution(execution, options, sink, &generated, diag);
    assay_execution_close(execution);
    return error;
}

static struct assay_sink trace_with(const struct astf_generate_options *options)
{
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(generate(options, &sink, NULL), ASSAY_OK);
    return sink;
}

static struct assay_sink trace(void)
{
    return trace_with(&(struct astf_generate_options){.storage = "raw"});
}

static void end(struct assay_sink *sink)
{
    assay_sink_close(sink, NULL);
    assay_sink_close(&recording, NULL);
}

static bool is(const uint8_t *record, enum astf_kind kind)
{
    return record[0] == (kind == ASTF_context ? 0x08 : 0x01);
}

/* The record of the nth instruction, and the Context in force there. */
static const uint8_t *instruction(const struct assay_sink *sink, unsigned n,
                                  const uint8_t **context)
{
    const uint8_t *record = sink->data;
    for (; record < sink->data + sink->size; record += ASTF_RECORD_BYTES) {
        if (is(record, ASTF_context)) {
            *context = record;
        } else if (is(record, ASTF_instr) && n-- == 0) {
            return record;
        }
    }
    fail_msg("the trace has no such instruction");
    return NULL;
}

static const uint8_t *context_of(const struct assay_sink *sink, unsigned n)
{
    const uint8_t *context = NULL;
    instruction(sink, n, &context);
    assert_non_null(context);
    return context;
}

static unsigned contexts_in(const struct assay_sink *sink)
{
    unsigned count = 0;
    for (size_t at = 0; at < sink->size; at += ASTF_RECORD_BYTES) {
        count += is(sink->data + at, ASTF_context);
    }
    return count;
}

/* --- Contexts --- */

static void a_flag_that_an_instruction_writes_is_in_the_next_context(void **state)
{
    (void)state;
    start();
    run(DIT_1);
    run(NOP);
    run(DIT_1);
    run(SSBS_1);
    run(NOP);
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(context_of(&sink, 0), context, pstate_dit), 0);
    assert_int_equal(astf_get(context_of(&sink, 1), context, pstate_dit), 1);
    assert_int_equal(astf_get(context_of(&sink, 4), context, pstate_ssbs), 1);
    assert_int_equal(contexts_in(&sink), 3); /* none for what changed nothing */
    end(&sink);
}

static void a_system_call_ends_streaming_mode(void **state)
{
    (void)state;
    start();
    run(SMSTART_SM);
    run(NOP);
    call(172, 0, 0, 7);
    run(NOP);
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(context_of(&sink, 0), context, pstate_sm), 0);
    assert_int_equal(astf_get(context_of(&sink, 2), context, pstate_sm), 1);
    assert_int_equal(astf_get(context_of(&sink, 3), context, pstate_sm), 0);
    end(&sink);
}

static void a_handler_leaves_the_flags_as_it_found_them(void **state)
{
    (void)state;
    start();
    run(DIT_1);
    run(SMSTART_SM);
    run(NOP);
    assert_int_equal(assay_execution_put_diverted(track), ASSAY_OK);
    run(SSBS_1); /* in the handler */
    run(NOP);
    call(SYS_RT_SIGRETURN, 0, 0, SIGNAL_RETURN);
    run(NOP);
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(context_of(&sink, 3), context, pstate_sm), 0);
    assert_int_equal(astf_get(context_of(&sink, 3), context, pstate_dit), 1);
    assert_int_equal(astf_get(context_of(&sink, 4), context, pstate_ssbs), 1);
    assert_int_equal(astf_get(context_of(&sink, 6), context, pstate_ssbs), 0);
    assert_int_equal(astf_get(context_of(&sink, 6), context, pstate_sm), 1);
    end(&sink);
}

static void vector_lengths_are_those_that_the_system_sets_and_accesses_show(void **state)
{
    (void)state;
    start();
    call(SYS_PRCTL, 50, 32, 32);           /* PR_SVE_SET_VL */
    call(SYS_PRCTL, 63, 128, 128);         /* PR_SME_SET_VL */
    call(SYS_PRCTL, 50, 1 << 18 | 64, 64); /* for a later exec */
    run(SMSTART_SM);
    run(NOP);
    run(SMSTOP_SM);
    load_vector(32);
    load_vector(48); /* something else has set it */
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(context_of(&sink, 0), context, evl), 0);
    assert_int_equal(astf_get(context_of(&sink, 1), context, evl), 1);
    assert_int_equal(astf_get(context_of(&sink, 3), context, evl), 1);
    assert_int_equal(astf_get(context_of(&sink, 4), context, evl), 7);
    assert_int_equal(astf_get(context_of(&sink, 6), context, evl), 1);
    assert_int_equal(astf_get(context_of(&sink, 7), context, evl), 2);
    end(&sink);
}

static void the_mode_of_tag_checks_is_the_one_that_the_system_was_asked_for(void **state)
{
    (void)state;
    start();
    call(SYS_PRCTL, 55, 1 | 2, 0);
    run(NOP);
    call(SYS_PRCTL, 55, 1 | 4, 0);
    run(NOP);
    call(SYS_PRCTL, 55, 1, -22);
    run(NOP);
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(context_of(&sink, 0), context, mte_tcf), 0);
    assert_int_equal(astf_get(context_of(&sink, 1), context, mte_tcf), 1);
    assert_int_equal(astf_get(context_of(&sink, 3), context, mte_tcf), 2);
    assert_int_equal(astf_get(context_of(&sink, 5), context, mte_tcf), 2);
    end(&sink);
}

/* Of a recording that begins with a load of a vector of so many bytes, if any, and then calls prctl
 * with this number, the lengths told are those; 15 is what stood there before. */
static void expect_lengths(unsigned bytes, uint64_t asked, uint8_t vl, uint8_t svl)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    uint8_t told[2] = {15, 15};
    start();
    run(NOP);
    if (bytes > 0) {
        load_vector(bytes);
    }
    call(SYS_PRCTL, asked, 64, 64);
    load_vector(64);
    struct assay_sink sink = trace();
    assert_int_equal(assay_source_memory(recording.data, recording.size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    astf_state_lengths(execution, 0, &told[0], &told[1]);
    assay_execution_close(execution);
    assert_int_equal(told[0], vl);
    assert_int_equal(told[1], svl);
    end(&sink);
}

static void what_a_thread_begins_with_is_what_it_shows_before_it_sets_it(void **state)
{
    (void)state;
    expect_lengths(32, 50, 1, 15);
    expect_lengths(0, 50, 15, 15); /* set before it was told */
    expect_lengths(0, 51, 3, 15);
    expect_lengths(0, 64, 3, 3);
}

/* --- Instruction records --- */

static void a_store_exclusive_that_failed_has_the_address_of_its_load(void **state)
{
    (void)state;
    const struct assay_access access = {.address = 0x5000, .size = 8, .write = false};
    const uint8_t *context = NULL;
    start();
    run_with(LDXR, &access, 1);
    run(CMP);
    run(STXR);
    run(ADD_X1);
    run(STXR);
    run_with(LDXR, &access, 1);
    call(172, 0, 0, 7);
    run(STXR);
    struct assay_sink sink = trace();
    const uint8_t *failed = instruction(&sink, 2, &context);
    assert_int_equal(astf_get(failed, instr, ea_valid), 1);
    assert_int_equal(astf_get(failed, instr, ea), 0x5000);
    assert_int_equal(astf_get(failed, instr, ea_size), 7);
    assert_int_equal(astf_get(failed, instr, is_write), 0);
    /* Not when its base was written, or may have been. */
    assert_int_equal(astf_get(instruction(&sink, 4, &context), instr, ea_valid), 0);
    assert_int_equal(astf_get(instruction(&sink, 7, &context), instr, ea_valid), 0);
    end(&sink);
}

static void a_literal_prefetch_has_the_address_of_its_word(void **state)
{
    (void)state;
    const uint8_t *context = NULL;
    start();
    run(PRFM_12);
    struct assay_sink sink = trace();
    const uint8_t *prefetch = instruction(&sink, 0, &context);
    assert_int_equal(astf_get(prefetch, instr, ea_valid), 1);
    assert_int_equal(astf_get(prefetch, instr, ea), 0x100c);
    assert_int_equal(astf_get(prefetch, instr, ea_size), 0);
    end(&sink);
}

static void a_return_leads_to_the_instruction_that_faulted(void **state)
{
    (void)state;
    const uint8_t *context = NULL;
    start();
    run(RET);
    assert_int_equal(assay_execution_put_aborted(track, 0x7000, 0xf9000000, 4), ASSAY_OK);
    run(NOP); /* of the handler */
    struct assay_sink sink = trace();
    const uint8_t *ret = instruction(&sink, 0, &context);
    assert_int_equal(astf_get(ret, instr, ea_valid), 1);
    assert_int_equal(astf_get(ret, instr, ea), 0x7000);
    assert_int_equal(contexts_in(&sink), 2);
    end(&sink);
}

/* --- accesses that failed, or are not known --- */

/* At EL1, an instruction that took a Data Abort. */
static void abort_at(uint32_t word, bool fault_known, uint64_t fault)
{
    start_of(&(struct assay_execution_header){
        .isa = ASSAY_EXECUTION_AARCH64, .system = true, .producer = "", .program = ""});
    assert_int_equal(assay_execution_put_level(track, 1), ASSAY_OK);
    assert_int_equal(fault_known ? assay_execution_put_aborted_at(track, pc, word, 4, fault)
                                 : assay_execution_put_aborted(track, pc, word, 4),
                     ASSAY_OK);
    const struct assay_executed trap = {
        .level = 1, .cause = UINT64_C(0x25) << 26, .from = pc, .fault = fault};
    assert_int_equal(assay_execution_put_trap(track, &trap), ASSAY_OK);
    pc = 0x8200;
    run(NOP);
}

static void what_took_a_data_abort_has_the_address_that_failed(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        uint64_t fault;
        unsigned size;
    } failed[] = {
        {0xf94000c7, 0x90000000, 8},  /* ldr x7, [x6], at the first byte of a page */
        {0xf94000c7, 0x90000ffc, 8},  /* across the end of one */
        {0xa94020c7, 0x90000010, 16}, /* ldp x7, x8, [x6] */
        {0xd50b7426, 0x90000040, 1},  /* dc zva, x6: of as many bytes as nobody says */
        {0xa5e0a0c7, 0x90000040, 8},  /* ld1d {z7.d}, p0/z, [x6] */
    };
    for (size_t i = 0; i < sizeof failed / sizeof failed[0]; i++) {
        const uint8_t *context = NULL;
        abort_at(failed[i].word, true, failed[i].fault);
        struct assay_sink sink = trace();
        const uint8_t *record = instruction(&sink, 0, &context);
        assert_int_equal(astf_get(record, instr, trap), 1);
        assert_int_equal(astf_get(record, instr, ea_valid), 1);
        assert_int_equal(astf_get(record, instr, ea), failed[i].fault);
        assert_int_equal(astf_get(record, instr, ea_size), failed[i].size - 1);
        assert_int_equal(astf_get(record, instr, is_read), 0);
        assert_int_equal(generated.lacking, 0);
        end(&sink);
    }
}

static void what_took_a_data_abort_without_an_address_lacks_it(void **state)
{
    (void)state;
    const uint8_t *context = NULL;
    abort_at(0xf94000c7, false, 0);
    struct assay_sink sink = trace();
    assert_int_equal(astf_get(instruction(&sink, 0, &context), instr, ea_valid), 0);
    assert_int_equal(generated.without_access, 1);
    assert_int_equal(generated.lacking, 1);
    end(&sink);
    abort_at(0x19c24420, false, 0); /* setm: its last access should be recorded, and need not */
    sink = trace();
    assert_int_equal(generated.lacking, 0);
    end(&sink);
}

static void a_predicated_access_is_lacking_unless_the_recording_has_all(void **state)
{
    (void)state;
    static const uint32_t ld1d = 0xa5e0a000, zva = 0xd50b7420;
    for (unsigned all = 0; all < 2; all++) {
        start_of(&(struct assay_execution_header){.isa = ASSAY_EXECUTION_AARCH64,
                                                  .all_accesses = all != 0,
                                                  .producer = "",
                                                  .program = ""});
        run((int)ld1d);
        run((int)zva);
        run(NOP);
        struct assay_sink sink = trace();
        assert_int_equal(generated.without_access, 2);
        assert_int_equal(generated.lacking, all != 0 ? 1 : 2);
        end(&sink);
    }
}

/* --- Strings --- */

static void strings_tell_program_and_recorder(void **state)
{
    (void)state;
    start();
    run(NOP);
    struct assay_sink sink = trace_with(&(struct astf_generate_options){
        .storage = "raw", .describe = true, .metadata = "a text of the user's own"});
    const uint8_t *string = sink.data + ASTF_RECORD_BYTES;
    assert_memory_equal(string + 4, "workload: a program", 20);
    assert_memory_equal(string + ASTF_RECORD_BYTES + 4, "source: a test", 15);
    assert_memory_equal(string + 2 * ASTF_RECORD_BYTES + 4, "a text of the user's own", 25);
    assert_true(is(string + 3 * ASTF_RECORD_BYTES, ASTF_context));
    end(&sink);
}

static void a_trace_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const char *const storages[] = {"raw", "xz", "lzma", "zlib", "gzip"};
    for (unsigned i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        const struct astf_generate_options options = {.storage = storages[i]};
        struct assay_diag diag = {0};
        struct assay_sink sink;
        assay_sink_memory(&sink, ASTF_RECORD_BYTES + 8);
        start();
        run(NOP);
        assert_int_equal(generate(&options, &sink, &diag), ASSAY_LIMIT);
        assert_int_equal(diag.error, ASSAY_LIMIT);
        assert_non_null(strstr(diag.message, "the output could not be written: a limit"));
        end(&sink);
    }
}

/* --- threads --- */

/* Instruction records that are what this thread executed, of all in the trace. */
static unsigned executed_by(uint32_t thread, const struct assay_sink *sink, unsigned *all)
{
    const struct assay_kind *kind = &assay_format_astf.kinds[ASTF_instr];
    struct assay_decode_input input = {.execution_thread = thread};
    struct assay_decoder *decoder = NULL;
    struct assay_source *source = NULL;
    struct assay_block block;
    unsigned same = 0;
    *all = 0;
    assert_int_equal(assay_source_memory(recording.data, recording.size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &input.execution, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &input.source), ASSAY_OK);
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(astf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *event = &block.events[i];
            if (event->kind == ASTF_instr) {
                ++*all;
                same += assay_field_get(assay_field_by_name(kind, "executed_pc"), event) ==
                        astf_get(event->bytes, instr, pc);
            }
        }
    } while (block.count > 0);
    astf_decoder_ops.close(decoder);
    return same;
}

static void a_trace_of_each_thread_is_what_that_thread_executed(void **state)
{
    (void)state;
    struct assay_execution_track *second = NULL;
    start();
    assert_int_equal(assay_execution_track_open(writer, 10, 2, &second), ASSAY_OK);
    for (unsigned i = 0; i < 100; i++) {
        run(NOP);
        assert_int_equal(
            assay_execution_put_instruction(second, 0x9000 + 4 * i, (uint32_t)NOP, 4, NULL, 0),
            ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(second, true), ASSAY_OK);
    struct assay_sink sink =
        trace_with(&(struct astf_generate_options){.storage = "raw", .thread = 1});
    unsigned all = 0;
    assert_int_equal(astf_get(context_of(&sink, 0), context, tid), 10);
    assert_int_equal(executed_by(1, &sink, &all), 100);
    assert_int_equal(all, 100);
    assert_int_equal(executed_by(0, &sink, &all), 0);
    assert_int_equal(all, 100);
    end(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag_that_an_instruction_writes_is_in_the_next_context),
        cmocka_unit_test(a_system_call_ends_streaming_mode),
        cmocka_unit_test(a_handler_leaves_the_flags_as_it_found_them),
        cmocka_unit_test(vector_lengths_are_those_that_the_system_sets_and_accesses_show),
        cmocka_unit_test(the_mode_of_tag_checks_is_the_one_that_the_system_was_asked_for),
        cmocka_unit_test(what_a_thread_begins_with_is_what_it_shows_before_it_sets_it),
        cmocka_unit_test(a_store_exclusive_that_failed_has_the_address_of_its_load),
        cmocka_unit_test(a_literal_prefetch_has_the_address_of_its_word),
        cmocka_unit_test(a_return_leads_to_the_instruction_that_faulted),
        cmocka_unit_test(what_took_a_data_abort_has_the_address_that_failed),
        cmocka_unit_test(what_took_a_data_abort_without_an_address_lacks_it),
        cmocka_unit_test(a_predicated_access_is_lacking_unless_the_recording_has_all),
        cmocka_unit_test(strings_tell_program_and_recorder),
        cmocka_unit_test(a_trace_that_cannot_be_written_is_told),
        cmocka_unit_test(a_trace_of_each_thread_is_what_that_thread_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
