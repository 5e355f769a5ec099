/* The library while memory cannot be had: each allocation fails once. The linker puts the functions
 * __wrap_... in the place of those of the C library, for all but shared libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validator/library/assay.h"
#include "validator/tests/vector_runner.h"

/* --- which allocation fails --- */

static atomic_uint allocations, failing; /* the number of the one that fails, from 1 on */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool fails(void)
{
    return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&failing);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* --- what is done --- */

static struct ready_corpus corpus;

static void count_violation(void *context, const struct assay_violation *violation)
{
    (void)violation;
    *(size_t *)context += 1;
}

static void count_event(void *context, const struct assay_decoded *event)
{
    *(size_t *)context += event->json_length > 0;
}

struct seen {
    enum assay_outcome outcome;
    size_t violations, events;
};

static enum assay_status push(struct assay_validator *v, const struct assay_sink *bytes)
{
    enum assay_status status = assay_validator_begin(v, "trace");
    if (status == ASSAY_STATUS_OK) {
        status = assay_validator_push(v, bytes->data, bytes->size);
        assert_int_equal(status, ASSAY_STATUS_OK);
        status = assay_validator_end(v);
    }
    return status;
}

/* A validator from its beginning to its end. */
static enum assay_status judge(const struct assay_sink *bytes, bool pushed, struct seen *seen)
{
    struct assay_validator *v = assay_validator_new();
    *seen = (struct seen){.outcome = ASSAY_OUTCOME_NONE};
    if (v == NULL) {
        return ASSAY_STATUS_AGAIN;
    }
    assay_validator_on_violation(v, count_violation, &seen->violations);
    assay_validator_on_event(v, count_event, &seen->events);
    enum assay_status status = assay_validator_set(v, "fail-on", "should");
    if (status == ASSAY_STATUS_OK) {
        status = assay_validator_set(v, "profile", "stf-1.3");
    }
    if (status == ASSAY_STATUS_OK) {
        status = pushed ? push(v, bytes)
                        : assay_validator_judge_buffer(v, "trace", bytes->data, bytes->size);
    }
    seen->outcome = assay_validator_outcome(v);
    if (status != ASSAY_STATUS_OK) {
        assert_int_equal(seen->outcome, ASSAY_OUTCOME_NONE);
        assert_string_not_equal(assay_validator_message(v), "");
    }
    assay_validator_free(v);
    return status;
}

static void fail_each(bool pushed)
{
    const struct assay_sink *bytes = &corpus.list[0].bytes;
    struct seen whole;
    size_t refused = 0;
    atomic_store(&failing, 0);
    atomic_store(&allocations, 0);
    assert_int_equal(judge(bytes, pushed, &whole), ASSAY_STATUS_OK);
    const unsigned count = atomic_load(&allocations);
    assert_true(whole.events > 0);
    assert_true(count > 20);
    for (unsigned n = 1; n <= count; n++) {
        struct seen seen;
        atomic_store(&failing, n);
        atomic_store(&allocations, 0);
        const enum assay_status status = judge(bytes, pushed, &seen);
        atomic_store(&failing, 0);
        if (status == ASSAY_STATUS_OK) { /* it could do without */
            assert_int_equal(seen.outcome, whole.outcome);
            assert_int_equal(seen.violations, whole.violations);
            assert_int_equal(seen.events, whole.events);
        } else {
            assert_int_equal(status, ASSAY_STATUS_AGAIN);
            refused++;
        }
    }
    assert_true(refused > count / 2);
}

static void a_buffer_is_judged_whole_or_refused(void **state)
{
    (void)state;
    fail_each(false);
}

static void what_is_pushed_is_judged_whole_or_refused(void **state)
{
    (void)state;
    fail_each(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_is_judged_whole_or_refused),
        cmocka_unit_test(what_is_pushed_is_judged_whole_or_refused),
    };
    corpus = load_corpus(ASSAY_CORPUS "/stf/order");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
