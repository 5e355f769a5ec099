/* Decoding ahead: blocks, errors and the end come as they do from the decoder itself, none is
 * replaced before it was judged, and the thread starts when it is worth it and ends whatever it
 * waits for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/history.h"
#include "validator/engine/ahead.h"

enum { MOST = 512, SLOTS = 512 };

/* Gives `count` blocks, of 1 to MOST events whose cell is their number, and then nothing or an
 * error. */
struct assay_decoder {
    struct assay_history history;
    uint64_t blocks, count;
    enum assay_error error; /* at the end */
    bool small;             /* each block has one event */
    unsigned pause;         /* microseconds, before each block */
    uint64_t settle;        /* every so many blocks all have to be judged; 0: never */
    _Atomic uint64_t judged;
    bool unsettled; /* not all were */
};

static enum assay_error next(struct assay_decoder *d, struct assay_block *block,
                             struct assay_diag *diag)
{
    *block = (struct assay_block){0};
    if (d->pause > 0) {
        usleep(d->pause);
    }
    if (d->blocks == d->count) {
        return d->error == ASSAY_OK ? ASSAY_OK : assay_fail(diag, d->error, 7, "the end");
    }
    const uint64_t first = d->history.next;
    const uint64_t size = d->small ? 1 : 1 + d->blocks * 37 % MOST;
    while (d->history.next < first + size &&
           (d->history.next == first || assay_history_room(&d->history, first) > 0)) {
        const struct assay_event *event = assay_history_add(&d->history, NULL);
        assay_history_cells(&d->history, event)[0] = event->index;
    }
    if (d->settle > 0 && d->blocks % d->settle == 0) {
        d->history.lead->settle(d->history.lead);
        d->unsettled = d->unsettled || atomic_load(&d->judged) < d->blocks;
    }
    d->blocks++;
    *block = assay_history_block(&d->history, first, 0);
    return ASSAY_OK;
}

static const struct assay_decoder_ops ops = {.next = next};

static struct assay_ahead *begin(struct assay_decoder *d)
{
    struct assay_ahead *ahead = assay_ahead_open();
    assert_non_null(ahead);
    const struct assay_history_setup setup = {
        .slots = SLOTS, .cells = 1, .block = MOST, .lead = assay_ahead_lead(ahead)};
    assert_int_equal(assay_history_open(&d->history, &setup), ASSAY_OK);
    assert_true(assay_ahead_begin(ahead, &ops, d));
    return ahead;
}

/* All blocks, each looked at after a pause, and the first one asked for after one. */
static void expect_all(struct assay_decoder *d, unsigned pause)
{
    struct assay_ahead *ahead = begin(d);
    struct assay_diag diag = {0};
    struct assay_block block;
    uint64_t events = 0;
    uint64_t blocks = 0;
    enum assay_error error;
    usleep(pause);
    while ((error = assay_ahead_next(ahead, &block, &diag)) == ASSAY_OK && block.count > 0) {
        usleep(pause);
        for (size_t i = 0; i < block.count; i++) {
            assert_int_equal(block.events[i].cells[0], events);
            assert_int_equal(block.events[i].index, events++);
        }
        atomic_store(&d->judged, ++blocks);
    }
    assert_int_equal(error, d->error);
    assert_false(d->unsettled);
    assert_int_equal(diag.offset, d->error == ASSAY_OK ? 0 : 7);
    assert_int_equal(blocks, d->count);
    assert_int_equal(events, d->history.next);
    assay_ahead_close(ahead);
    assay_history_close(&d->history);
}

static void blocks_come_in_order_whoever_is_faster(void **state)
{
    (void)state;
    expect_all(&(struct assay_decoder){.count = 20000}, 0);
    expect_all(&(struct assay_decoder){.count = 300, .pause = 50}, 0);
    expect_all(&(struct assay_decoder){.count = 300}, 50);
    expect_all(&(struct assay_decoder){.count = 5000, .settle = 3}, 0);
    expect_all(&(struct assay_decoder){.count = 300, .settle = 7}, 50);
    expect_all(&(struct assay_decoder){.count = 100, .settle = 1}, 500);
    expect_all(&(struct assay_decoder){.count = 200, .small = true}, 2000);
}

static void the_end_and_errors_come_after_all_blocks(void **state)
{
    (void)state;
    expect_all(&(struct assay_decoder){.count = 0}, 0);
    expect_all(&(struct assay_decoder){.count = 1}, 0);
    expect_all(&(struct assay_decoder){.count = 300, .error = ASSAY_NO_MEMORY}, 0);
    expect_all(&(struct assay_decoder){.count = 0, .error = ASSAY_LIMIT}, 0);
    for (uint64_t count = ASSAY_AHEAD_AFTER - 1; count <= ASSAY_AHEAD_AFTER + 1; count++) {
        expect_all(&(struct assay_decoder){.count = count}, 0);
        expect_all(&(struct assay_decoder){.count = count, .error = ASSAY_LIMIT}, 0);
    }
}

/* Until then each block is made when it is requested, by whoever requests it. */
static void the_thread_starts_after_the_first_blocks(void **state)
{
    (void)state;
    struct assay_decoder d = {.count = 1000};
    struct assay_ahead *ahead = begin(&d);
    struct assay_diag diag = {0};
    struct assay_block block;
    for (uint64_t n = 0; n < ASSAY_AHEAD_AFTER; n++) {
        assert_int_equal(d.blocks, n);
        assert_int_equal(assay_ahead_next(ahead, &block, &diag), ASSAY_OK);
        assert_false(assay_ahead_running(ahead));
    }
    assert_int_equal(d.blocks, ASSAY_AHEAD_AFTER);
    assert_int_equal(assay_ahead_next(ahead, &block, &diag), ASSAY_OK);
    assert_true(assay_ahead_running(ahead));
    assay_ahead_close(ahead);
    assay_history_close(&d.history);
}

static void it_ends_early_whatever_it_waits_for(void **state)
{
    (void)state;
    for (uint64_t taken = ASSAY_AHEAD_AFTER - 1; taken < ASSAY_AHEAD_AFTER + 40; taken++) {
        struct assay_decoder d = {.count = 1000, .settle = taken % 3, .pause = taken % 2 * 20};
        struct assay_ahead *ahead = begin(&d);
        struct assay_diag diag = {0};
        struct assay_block block;
        for (uint64_t n = 0; n < taken; n++) {
            assert_int_equal(assay_ahead_next(ahead, &block, &diag), ASSAY_OK);
        }
        usleep(200);
        assay_ahead_close(ahead);
        assay_history_close(&d.history);
    }
}

/* Closed at any moment around the one at which the decoder finds no room and starts to wait. */
static void it_ends_early_when_it_is_just_about_to_wait(void **state)
{
    enum { TIMES = 3000, DELAYS = 500 };
    (void)state;
    for (uint64_t n = 0; n < TIMES; n++) {
        struct assay_decoder d = {.count = 1000};
        struct assay_ahead *ahead = begin(&d);
        struct assay_diag diag = {0};
        struct assay_block block;
        for (uint64_t taken = 0; taken <= ASSAY_AHEAD_AFTER; taken++) {
            assert_int_equal(assay_ahead_next(ahead, &block, &diag), ASSAY_OK);
        }
        for (volatile uint64_t delay = n % DELAYS; delay > 0; delay--) {
        }
        assay_ahead_close(ahead);
        assay_history_close(&d.history);
    }
}

static void a_decoder_that_does_not_take_the_lead_is_not_ahead(void **state)
{
    (void)state;
    struct assay_decoder d = {.count = 1};
    struct assay_ahead *ahead = assay_ahead_open();
    assert_non_null(ahead);
    assert_false(assay_ahead_begin(ahead, &ops, &d));
    assay_ahead_close(ahead);
    assay_ahead_close(NULL);
}

/* Threads that wait for each other for ever are ended by the alarm. */
int main(void)
{
    enum { MOST_SECONDS = 60 };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_order_whoever_is_faster),
        cmocka_unit_test(the_end_and_errors_come_after_all_blocks),
        cmocka_unit_test(the_thread_starts_after_the_first_blocks),
        cmocka_unit_test(it_ends_early_whatever_it_waits_for),
        cmocka_unit_test(it_ends_early_when_it_is_just_about_to_wait),
        cmocka_unit_test(a_decoder_that_does_not_take_the_lead_is_not_ahead),
    };
    alarm(MOST_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
