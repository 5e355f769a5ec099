/* A trace that differs everywhere from what was executed: aligning it takes a bounded number of
 * steps for each record. Steps are counted, and not time. */
#include "execution_support.h"

#include "execution/alignment.h"

enum { RECORDS = 60000, WORK_PER_RECORD = 512 };

struct trace {
    struct assay_step step[RECORDS];
    struct recording recording;
};

/* Short runs, from anywhere in a program. */
static void execute(struct trace *t, uint64_t *seed)
{
    recording_start(&t->recording, ASSAY_EXECUTION_RISCV64);
    struct assay_execution_track *track = new_track(&t->recording, 0);
    uint64_t pc = 0x1000;
    for (unsigned i = 0; i < RECORDS; i++) {
        const uint32_t word = (uint32_t)(pc * 0x9e37) << 8 | 0x13;
        t->step[i] = (struct assay_step){.pc = pc, .word = word};
        assert_int_equal(assay_execution_put_instruction(track, pc, word, 4, NULL, 0), ASSAY_OK);
        pc += 4;
        if (random_below(seed, 12) == 0) {
            pc = 0x1000 + 4 * random_below(seed, 20000);
        }
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&t->recording, ASSAY_EXECUTION_ENDED_BY_EXIT);
}

/* One of so many records changes places with the next. */
static void damage(struct trace *t, unsigned one_of, uint64_t *seed)
{
    for (unsigned at = 0; at + 1 < RECORDS; at++) {
        if (random_below(seed, one_of) == 0) {
            const struct assay_step step = t->step[at];
            t->step[at] = t->step[at + 1];
            t->step[at + 1] = step;
            at++;
        }
    }
}

/* Follows the trace through the execution and gives the work. *same: records in their own place. */
static uint64_t follow(const struct trace *t, unsigned *same)
{
    struct assay_alignment *alignment = calloc(1, sizeof *alignment);
    assert_non_null(alignment);
    alignment->window.execution = read_bytes(t->recording.sink.data, t->recording.sink.size);
    alignment->window.thread = 0;
    *same = 0;
    for (unsigned at = 0; at < RECORDS;) {
        struct assay_alignment_match match;
        if (assay_alignment_next(alignment, &t->step[at], &match)) {
            *same += match.outcome == ASSAY_OUTCOME_SAME;
            at++;
            continue;
        }
        const unsigned left = RECORDS - at;
        const unsigned count = left < ASSAY_DIFF_TRACE ? left : ASSAY_DIFF_TRACE;
        memcpy(alignment->trace_steps, &t->step[at], count * sizeof t->step[0]);
        assay_alignment_show(alignment, count, count == left);
    }
    const uint64_t work = alignment->diff.work;
    assay_execution_close(alignment->window.execution);
    free(alignment);
    return work;
}

/* From one in 7 on there are more differences than an alignment counts. */
static void test_the_work_for_a_record_is_bounded(void **state)
{
    static const unsigned one_of[] = {40, 10, 7, 6, 5};
    struct trace *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    for (size_t i = 0; i < sizeof one_of / sizeof one_of[0]; i++) {
        uint64_t seed = 11 + i;
        unsigned same;
        execute(t, &seed);
        damage(t, one_of[i], &seed);
        const uint64_t work = follow(t, &same);
        assert_true(same > 0);
        assert_true(work > 0);
        assert_true(work <= (uint64_t)RECORDS * WORK_PER_RECORD);
        recording_drop(&t->recording);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_work_for_a_record_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
