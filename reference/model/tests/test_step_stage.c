/* Stages made of steps: whatever a step adds comes out once, in order, in bounded blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/step_stage.h"

enum { MOST = 24, LOWER = 2000, LOWER_BLOCK = 100 };

/* A stage that adds as many events as the first cell of an event says, up to `most` in a step. */
struct counting {
    struct assay_step_stage base;
    uint64_t done; /* of the current event */
};

static bool step(struct assay_step_stage *stage, const struct assay_event *below)
{
    struct counting *c = (struct counting *)stage;
    for (unsigned n = 0; n < stage->setup.most && c->done < below->cells[0]; n++) {
        struct assay_event *event = assay_step_add(stage, 5, below);
        assay_step_cells(stage, event)[1] = c->done++;
    }
    const bool used_up = c->done == below->cells[0];
    c->done = used_up ? 0 : c->done;
    return used_up;
}

static bool add_too_many(struct assay_step_stage *stage, const struct assay_event *below)
{
    for (unsigned n = 0; n <= stage->setup.most; n++) {
        assay_step_add(stage, 5, below);
    }
    return true;
}

static bool never_done(struct assay_step_stage *stage, const struct assay_event *below)
{
    (void)stage;
    (void)below;
    return false;
}

/* A stage that holds everything back until its end, by the numbers of the events. */
enum { HELD = 1500 };
struct holding {
    struct assay_step_stage base;
    uint64_t held, done;
};

static bool hold(struct assay_step_stage *stage, const struct assay_event *below)
{
    (void)below;
    ((struct holding *)stage)->held++;
    return true;
}

static bool give_held(struct assay_step_stage *stage)
{
    struct holding *h = (struct holding *)stage;
    for (unsigned n = 0; n < stage->setup.most && h->done < h->held; n++) {
        assay_step_add(stage, 6, assay_history_find(stage->setup.below, h->done++));
    }
    return h->done == h->held;
}

static bool finish_for_ever(struct assay_step_stage *stage)
{
    (void)stage;
    return false;
}

static enum assay_error open_below(struct assay_history *below, uint32_t slots)
{
    return assay_history_open(below, &(struct assay_history_setup){.slots = slots, .cells = 1});
}

static struct assay_stage *open_stage(struct assay_history *below, uint32_t slots, uint32_t most,
                                      bool (*step_of)(struct assay_step_stage *,
                                                      const struct assay_event *))
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = assay_step_complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = 1,
                                           .below = below,
                                           .slots = slots,
                                           .cells = 2,
                                           .most = most,
                                           .step = step_of};
    struct counting *c = assay_step_open(sizeof *c, &setup);
    assert_non_null(c);
    return &c->base.base;
}

/* How many events event n of the layer below gives. */
static uint64_t wanted(uint64_t n)
{
    return n % 97 == 0 ? 3000 : n % 7 * 4;
}

/* All blocks of a stage over LOWER events, checked event by event; the greatest of them. */
static size_t check_events(uint32_t slots, uint32_t most)
{
    struct assay_history below;
    struct assay_block block;
    uint64_t index = 0;
    size_t greatest = 0;
    assert_int_equal(open_below(&below, LOWER_BLOCK), ASSAY_OK);
    struct assay_stage *stage = open_stage(&below, slots, most, step);
    for (uint64_t n = 0; n < LOWER;) {
        const uint64_t first = n;
        uint64_t part = 0;
        while (n < LOWER && n - first < LOWER_BLOCK &&
               (n == first || assay_history_room(&below, first) > 0)) {
            struct assay_event *event = assay_history_add(&below, NULL);
            event->offset = 10 * n;
            assay_history_cells(&below, event)[0] = wanted(n++);
        }
        const struct assay_block taken = assay_history_block(&below, first, 0);
        uint64_t at = first;
        assert_int_equal(stage->ops->take(stage, &taken, NULL), ASSAY_OK);
        while (stage->ops->next(stage, &block, NULL) == ASSAY_OK && block.count > 0) {
            greatest = block.count > greatest ? block.count : greatest;
            assert_int_equal(block.layer, 1);
            for (size_t i = 0; i < block.count; i++) {
                const struct assay_event *event = &block.events[i];
                while (part == wanted(at)) {
                    at++;
                    part = 0;
                }
                assert_int_equal(event->index, index++);
                assert_int_equal(event->kind, 5);
                assert_int_equal(event->from->index, at);
                assert_int_equal(event->offset, 10 * at);
                assert_int_equal(event->cells[0], 0);
                assert_int_equal(event->cells[1], part++);
            }
        }
        while (at < n && part == wanted(at)) {
            at++;
            part = 0;
        }
        assert_int_equal(at, n);
    }
    stage->ops->close(stage);
    assay_history_close(&below);
    return greatest;
}

static void all_events_of_all_steps_come_in_order_whatever_their_number(void **state)
{
    (void)state;
    static const uint32_t mosts[] = {1, 2, MOST, 500, 3000};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        assert_in_range(check_events(0, mosts[i]), ASSAY_STEP_BLOCK,
                        ASSAY_STEP_BLOCK + mosts[i] - 1);
        assert_in_range(check_events(5000, mosts[i]), ASSAY_STEP_BLOCK,
                        ASSAY_STEP_BLOCK + mosts[i] - 1);
    }
}

static void a_stage_that_took_nothing_gives_nothing(void **state)
{
    (void)state;
    struct assay_history below;
    struct assay_block block = {.count = 1};
    const char *why = "";
    assert_int_equal(open_below(&below, 1), ASSAY_OK);
    struct assay_stage *stage = open_stage(&below, 0, 1, step);
    assert_int_equal(stage->ops->next(stage, &block, NULL), ASSAY_OK);
    assert_int_equal(block.count, 0);
    assert_true(stage->ops->complete(stage, &why));
    assert_null(why);
    stage->ops->close(stage);
    assay_history_close(&below);
}

static struct assay_stage *open_holding(struct assay_history *below, uint32_t most,
                                        bool (*finish)(struct assay_step_stage *))
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = assay_step_complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = 1,
                                           .below = below,
                                           .cells = 1,
                                           .most = most,
                                           .step = hold,
                                           .finish = finish};
    struct holding *h = assay_step_open(sizeof *h, &setup);
    assert_non_null(h);
    return &h->base.base;
}

/* The layer below holds its last 1024 events; what comes from an earlier one has no origin. */
static void what_a_stage_holds_is_given_at_its_end_with_the_origins_that_are_left(void **state)
{
    static const uint32_t mosts[] = {1, MOST, 3000};
    (void)state;
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        struct assay_history below;
        struct assay_block block;
        uint64_t index = 0;
        assert_int_equal(open_below(&below, 1024), ASSAY_OK);
        struct assay_stage *stage = open_holding(&below, mosts[i], give_held);
        for (uint64_t n = 0; n < HELD; n++) {
            assay_history_add(&below, NULL);
            const struct assay_block taken = assay_history_block(&below, n, 0);
            assert_int_equal(stage->ops->take(stage, &taken, NULL), ASSAY_OK);
            assert_int_equal(stage->ops->next(stage, &block, NULL), ASSAY_OK);
            assert_int_equal(block.count, 0);
        }
        assert_int_equal(stage->ops->take(stage, &(struct assay_block){0}, NULL), ASSAY_OK);
        while (stage->ops->next(stage, &block, NULL) == ASSAY_OK && block.count > 0) {
            for (size_t e = 0; e < block.count; e++, index++) {
                const struct assay_event *from = block.events[e].from;
                assert_int_equal(block.events[e].index, index);
                assert_int_equal(from != NULL, index >= HELD - 1024);
                assert_true(from == NULL || from->index == index);
            }
        }
        assert_int_equal(index, HELD);
        stage->ops->close(stage);
        assay_history_close(&below);
    }
}

static void a_stage_reaches_back_as_far_as_a_history_can(void **state)
{
    static const struct assay_stage_ops ops = {.close = assay_step_close};
    struct assay_step_setup setup = {.ops = &ops, .slots = UINT32_MAX, .most = 1, .step = hold};
    (void)state;
    struct holding *h = assay_step_open(sizeof *h, &setup);
    assert_non_null(h);
    assert_int_equal(h->base.history.slots, ASSAY_HISTORY_SLOTS_MOST);
    assay_step_close(&h->base.base);
    setup.most = UINT32_MAX;
    assert_null(assay_step_open(sizeof *h, &setup));
}

static void a_finish_that_breaks_its_limits_is_a_defect_and_not_a_loop(void **state)
{
    struct assay_history below;
    struct assay_block block;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    (void)state;
    assert_int_equal(open_below(&below, 1), ASSAY_OK);
    struct assay_stage *stage = open_holding(&below, 1, finish_for_ever);
    assert_int_equal(stage->ops->take(stage, &(struct assay_block){0}, &diag), ASSAY_OK);
    assert_int_equal(stage->ops->next(stage, &block, &diag), ASSAY_INTERNAL);
    stage->ops->close(stage);
    assay_history_close(&below);
}

static void a_step_that_breaks_its_limits_is_a_defect_and_not_a_loop(void **state)
{
    (void)state;
    bool (*const steps[])(struct assay_step_stage *, const struct assay_event *) = {add_too_many,
                                                                                    never_done};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct assay_history below;
        struct assay_block block;
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        assert_int_equal(open_below(&below, 1), ASSAY_OK);
        struct assay_stage *stage = open_stage(&below, 0, 3, steps[i]);
        assay_history_add(&below, NULL);
        const struct assay_block taken = assay_history_block(&below, 0, 0);
        assert_int_equal(stage->ops->take(stage, &taken, &diag), ASSAY_OK);
        assert_int_equal(stage->ops->next(stage, &block, &diag), ASSAY_INTERNAL);
        assert_non_null(strstr(diag.message, "a step of layer 1"));
        stage->ops->close(stage);
        assay_history_close(&below);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_events_of_all_steps_come_in_order_whatever_their_number),
        cmocka_unit_test(a_stage_that_took_nothing_gives_nothing),
        cmocka_unit_test(what_a_stage_holds_is_given_at_its_end_with_the_origins_that_are_left),
        cmocka_unit_test(a_stage_reaches_back_as_far_as_a_history_can),
        cmocka_unit_test(a_finish_that_breaks_its_limits_is_a_defect_and_not_a_loop),
        cmocka_unit_test(a_step_that_breaks_its_limits_is_a_defect_and_not_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
