/* What the comparison with a recorded execution tells of accesses and counts as not compared. */
#include "astf/tests/astf_support.h"

#include "execution/execution_writer.h"
#include "execution/uncompared.h"

enum {
    RECORD = ASTF_RECORD_BYTES,
    RECORDS = 8,
    PC = 0x1000,
    ACCESSES = ASSAY_EXECUTION_ACCESSES_MAX
};

struct comparison {
    struct assay_sink recording;
    struct assay_execution_writer *writer;
    struct assay_execution_track *track;
    uint64_t pc; /* of the next instruction */
    uint8_t trace[RECORDS * RECORD];
    size_t records;
    struct assay_uncompared uncompared;
    struct decoded all;
};

static void begin(struct comparison *c, bool all_accesses)
{
    const struct assay_execution_header header = {.isa = ASSAY_EXECUTION_AARCH64,
                                                  .producer = "test",
                                                  .program = "",
                                                  .all_accesses = all_accesses};
    memset(c, 0, sizeof *c);
    assay_sink_memory(&c->recording, 0);
    assert_int_equal(assay_execution_writer_open(&c->recording, &header, &c->writer, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_execution_track_open(c->writer, 0, 0, &c->track), ASSAY_OK);
    c->pc = PC;
    make_header(c->trace, false, false);
    c->records = 1;
}

static uint8_t *next_record(struct comparison *c)
{
    assert_true(c->records < RECORDS);
    return &c->trace[c->records++ * RECORD];
}

/* Puts an instruction into the recording, and its record, without an access, into the trace. */
static uint8_t *run(struct comparison *c, uint32_t iword, const struct assay_access *access,
                    unsigned count)
{
    uint8_t *record = next_record(c);
    make_instr(record, c->pc, iword);
    assert_int_equal(assay_execution_put_instruction(c->track, c->pc, iword, 4, access, count),
                     ASSAY_OK);
    c->pc += 4;
    return record;
}

static void compare(struct comparison *c)
{
    struct assay_decode_input input = {.uncompared = &c->uncompared};
    struct assay_decoder *decoder = NULL;
    struct assay_source *recording = NULL;
    struct assay_block block;
    assert_int_equal(assay_execution_track_close(c->track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(c->writer, ASSAY_EXECUTION_ENDED_BY_EXIT),
                     ASSAY_OK);
    assay_execution_writer_close(c->writer);
    assert_int_equal(assay_source_memory(c->recording.data, c->recording.size, &recording),
                     ASSAY_OK);
    assert_int_equal(assay_execution_open(recording, &input.execution, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(c->trace, c->records * RECORD, &input.source), ASSAY_OK);
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(astf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            keep(&c->all, &block.events[i]);
        }
    } while (block.count > 0);
    astf_decoder_ops.close(decoder);
}

static void end(struct comparison *c)
{
    free(c->all.list);
    assay_sink_close(&c->recording, NULL);
}

/* An LDADD that read and wrote elsewhere than its records say: in either order of the addresses. */
static void the_lowest_missing_and_the_lowest_spurious_address_are_told(void **state)
{
    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        const struct assay_access access[] = {
            {.address = 0x2000 + 0x1000 * (1 - write), .size = 8},
            {.address = 0x2000 + 0x1000 * write, .size = 8, .write = true}};
        struct comparison c;
        begin(&c, false);
        uint8_t *record = run(&c, UINT32_C(0xf8200041), access, 2);
        astf_set(record, instr, ea_valid, 1);
        astf_set(record, instr, is_read, 1);
        astf_set(record, instr, ea, write != 0 ? 0x1000 : 0x5000);
        astf_set(record, instr, ea_size, 7);
        astf_set(record, instr, extra_eas, 1);
        record = next_record(&c);
        clear_record(record, ASTF_extra_ea);
        astf_set(record, extra_ea, mem0_is_write, 1);
        astf_set(record, extra_ea, mem0_addr, write != 0 ? 0x5000 : 0x1000);
        astf_set(record, extra_ea, mem0_size, 7);
        compare(&c);
        assert_int_equal(derived(&c.all.list[2], "missing_at"), 0x2000);
        assert_int_equal(derived(&c.all.list[2], "spurious_at"), 0x1000);
        end(&c);
    }
}

/* A recording holds so many accesses of an instruction: there may have been more. */
static void as_many_accesses_as_a_recording_holds_may_not_be_all(void **state)
{
    (void)state;
    static struct assay_access access[ACCESSES];
    for (unsigned i = 0; i < ACCESSES; i++) {
        access[i] = (struct assay_access){.address = 0x2000 + i, .size = 1, .write = true};
    }
    for (unsigned count = ACCESSES - 1; count <= ACCESSES; count++) {
        struct comparison c;
        begin(&c, true);
        uint8_t *record = run(&c, UINT32_C(0x19c24420), access, count);
        astf_set(record, instr, ea_valid, 1);
        astf_set(record, instr, is_write, 1);
        astf_set(record, instr, xattr_mode, 1);
        astf_set(record, instr, ea, 0x2000);
        astf_set(record, instr, ea_range, count);
        compare(&c);
        const struct seen *seen = &c.all.list[1];
        assert_int_equal(derived(seen, "executed_iword"), 0x19c24420);
        assert_int_equal(derived(seen, "accesses_known"), 1);
        assert_int_equal(derived(seen, "writes_known"), 1);
        assert_int_equal(derived(seen, "accesses_complete"), count < ACCESSES);
        assert_int_equal(c.uncompared.count[ASSAY_UNCOMPARED_FURTHER_ACCESSES], count == ACCESSES);
        end(&c);
    }
}

static void what_a_recording_does_not_tell_is_counted_by_its_reason(void **state)
{
    (void)state;
    static const struct {
        uint32_t iword;
        enum assay_uncompared_reason reason; /* ASSAY_UNCOMPARED_COUNT: all is told */
    } cases[] = {
        {UINT32_C(0xd503201f), ASSAY_UNCOMPARED_COUNT},   /* NOP */
        {UINT32_C(0xf9400020), ASSAY_UNCOMPARED_COUNT},   /* LDR */
        {UINT32_C(0xd65f03c0), ASSAY_UNCOMPARED_TARGETS}, /* RET, the last one executed */
        {UINT32_C(0xd9600000), ASSAY_UNCOMPARED_TAGS},    /* LDG */
        {UINT32_C(0xa5e0a000), ASSAY_UNCOMPARED_VECTORS}, /* LD1D */
        {UINT32_C(0x19c24420), ASSAY_UNCOMPARED_COPIES},  /* SETM */
        {UINT32_C(0xd50b7420), ASSAY_UNCOMPARED_CACHE},   /* DC ZVA */
        {UINT32_C(0xc8a07c42), ASSAY_UNCOMPARED_CONDITIONAL_WRITES}, /* CAS */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct comparison c;
        begin(&c, false);
        run(&c, cases[i].iword, NULL, 0);
        compare(&c);
        for (unsigned r = 0; r < ASSAY_UNCOMPARED_COUNT; r++) {
            if (c.uncompared.count[r] != (r == cases[i].reason)) {
                fail_msg("%08x: %ju of reason %s", (unsigned)cases[i].iword,
                         (uintmax_t)c.uncompared.count[r],
                         assay_uncompared_name((enum assay_uncompared_reason)r));
            }
        }
        end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_missing_and_the_lowest_spurious_address_are_told),
        cmocka_unit_test(as_many_accesses_as_a_recording_holds_may_not_be_all),
        cmocka_unit_test(what_a_recording_does_not_tell_is_counted_by_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
