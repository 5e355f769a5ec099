/* What the tests of the comparison with recorded executions share: made-up programs, edits of
 * their traces, and what the compare makes of them. */
#ifndef ASSAY_ASTF_TESTS_COMPARE_SUPPORT_H
#define ASSAY_ASTF_TESTS_COMPARE_SUPPORT_H

#include "astf/tests/astf_support.h"

#include "astf/compare.h"
#include "execution/execution_writer.h"

enum { RECORD = ASTF_RECORD_BYTES };

/* An instruction; one with an address loads 8 bytes from there. */
struct one {
    uint64_t pc;
    uint64_t address; /* 0: no access */
    uint32_t iword;
};

struct program {
    struct one *list;
    size_t count, room;
};

static inline void program_add(struct program *p, struct one one)
{
    if (p->count == p->room) {
        p->room = p->room * 2 + 64;
        p->list = realloc(p->list, p->room * sizeof p->list[0]);
        assert_non_null(p->list);
    }
    p->list[p->count++] = one;
}

static inline struct program program_copy(const struct program *from)
{
    struct program copy = {0};
    for (size_t i = 0; i < from->count; i++) {
        program_add(&copy, from->list[i]);
    }
    return copy;
}

static inline void program_drop(struct program *p)
{
    free(p->list);
    *p = (struct program){0};
}

/* --- edits of a trace --- */

static inline void remove_records(struct program *p, size_t at, size_t n)
{
    memmove(&p->list[at], &p->list[at + n], (p->count - at - n) * sizeof p->list[0]);
    p->count -= n;
}

/* Makes room for n records. */
static inline void open_gap(struct program *p, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        program_add(p, (struct one){0});
    }
    memmove(&p->list[at + n], &p->list[at], (p->count - n - at) * sizeof p->list[0]);
}

/* Inserts instructions that were never executed. */
static inline void replace_records(struct program *p, size_t at, size_t n)
{
    for (size_t i = at; i < at + n; i++) {
        p->list[i] = (struct one){.pc = 0x900000 + 4 * i, .iword = UINT32_C(0xd503201f)};
    }
}

static inline void insert_records(struct program *p, size_t at, size_t n)
{
    open_gap(p, at, n);
    replace_records(p, at, n);
}

/* Repeats the n records before `at`. */
static inline void repeat_records(struct program *p, size_t at, size_t n)
{
    open_gap(p, at, n);
    memcpy(&p->list[at], &p->list[at - n], n * sizeof p->list[0]);
}

/* Exchanges a run and the one after it. */
static inline void swap_runs(struct program *p, size_t at, size_t first, size_t second)
{
    struct program moved = {0};
    for (size_t i = 0; i < first; i++) {
        program_add(&moved, p->list[at + i]);
    }
    memmove(&p->list[at], &p->list[at + first], second * sizeof p->list[0]);
    memcpy(&p->list[at + second], moved.list, first * sizeof p->list[0]);
    program_drop(&moved);
}

/* --- the recording and the trace --- */

static inline void put_one(struct assay_execution_track *track, const struct one *one)
{
    const struct assay_access access = {.address = one->address, .size = 8};
    assert_int_equal(
        assay_execution_put_instruction(track, one->pc, one->iword, 4, &access, one->address != 0),
        ASSAY_OK);
}

/* The program as a recording; instructions of another thread run in between. */
static inline struct assay_execution *record(const struct program *program, bool stopped,
                                             struct assay_sink *sink)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_execution_track *other = NULL;
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    const struct one elsewhere = {.pc = 0x700000};
    assay_sink_memory(sink, 0);
    assert_int_equal(assay_execution_writer_open(sink, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 0, 0, &track), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 1, 0, &other), ASSAY_OK);
    for (size_t i = 0; i < program->count; i++) {
        put_one(track, &program->list[i]);
        if (i % 50 == 7) {
            put_one(other, &elsewhere);
            assert_int_equal(assay_execution_track_flush(other), ASSAY_OK);
            assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
        }
    }
    assert_int_equal(assay_execution_track_close(track, !stopped), ASSAY_OK);
    assert_int_equal(assay_execution_track_close(other, !stopped), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, stopped ? ASSAY_EXECUTION_ENDED_BY_LIMIT
                                                                : ASSAY_EXECUTION_ENDED_BY_EXIT),
                     ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

/* A Header and a record for each instruction; to be freed. */
static inline uint8_t *trace_of(const struct program *trace)
{
    uint8_t *bytes = malloc((trace->count + 1) * RECORD);
    assert_non_null(bytes);
    make_header(bytes, false, false);
    for (size_t i = 0; i < trace->count; i++) {
        uint8_t *r = bytes + (i + 1) * RECORD;
        make_instr(r, trace->list[i].pc, trace->list[i].iword);
        if (trace->list[i].address != 0) {
            astf_set(r, instr, ea_valid, 1);
            astf_set(r, instr, is_read, 1);
            astf_set(r, instr, ea, trace->list[i].address);
            astf_set(r, instr, ea_size, 7);
        }
    }
    return bytes;
}

/* --- what is reported --- */

struct report {
    uint64_t same, replaced, moved, excess, left_out, gaps, lost, unknown;
    uint64_t wrong_accesses; /* records whose accesses are not those of their instruction */
    uint64_t begins_after, unrecorded;
    bool located;
};

static inline void count_record(struct report *report, const struct seen *seen)
{
    const bool executed = derived(seen, "executed") != 0;
    const bool is_that = derived(seen, "executed_pc") == astf_get(seen->bytes, instr, pc) &&
                         derived(seen, "executed_iword") == astf_get(seen->bytes, instr, iword);
    const bool moved = derived(seen, "reordered") != 0;
    const bool excess = derived(seen, "unexecuted") != 0;
    const bool lost = derived(seen, "lost") != 0;
    assert_true(executed + excess + lost <= 1);
    assert_true(!moved || (executed && is_that));
    report->same += executed && is_that && !moved;
    report->replaced += executed && !is_that;
    report->moved += moved;
    report->excess += excess;
    report->lost += lost;
    report->unknown += !executed && !excess && !lost;
    report->left_out += derived(seen, "left_out");
    report->gaps += derived(seen, "left_out") != 0;
    report->wrong_accesses +=
        derived(seen, "missing_read") != 0 || derived(seen, "spurious_read") != 0;
}

static inline struct report compare_with(const struct program *executed, bool stopped,
                                         const struct program *trace)
{
    struct assay_sink sink;
    struct report report = {0};
    uint8_t *bytes = trace_of(trace);
    struct decoded all =
        decode_trace(bytes, (trace->count + 1) * RECORD, false, record(executed, stopped, &sink));
    for (size_t i = 1; i <= trace->count; i++) {
        count_record(&report, &all.list[i]);
    }
    report.begins_after = derived(end_of(&all), "begins_after");
    report.unrecorded = derived(end_of(&all), "unrecorded");
    report.located = derived(end_of(&all), "located") != 0;
    free(all.list);
    free(bytes);
    assay_sink_close(&sink, NULL);
    return report;
}

#endif
