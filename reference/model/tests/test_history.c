/* Histories of layers: what an event came from is there, or null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/history.h"

enum { LAYERS = 3, BYTES = 8, WORDS = 2 };

/* Three layers, each with a history of its own length. */
struct layers {
    struct assay_history of[LAYERS];
};

static void open_layers(struct layers *l, uint32_t lowest, uint32_t middle, uint32_t highest)
{
    const uint32_t slots[LAYERS] = {lowest, middle, highest};
    for (unsigned n = 0; n < LAYERS; n++) {
        const struct assay_history_setup setup = {.below = n > 0 ? &l->of[n - 1] : NULL,
                                                  .slots = slots[n],
                                                  .bytes = BYTES,
                                                  .cells = WORDS};
        assert_int_equal(assay_history_open(&l->of[n], &setup), ASSAY_OK);
    }
}

static void close_layers(struct layers *l)
{
    for (unsigned n = LAYERS; n-- > 0;) {
        assay_history_close(&l->of[n]);
    }
}

/* An event whose first cell is `value`. */
static const struct assay_event *add(struct layers *l, unsigned layer,
                                     const struct assay_event *from, uint64_t value)
{
    const struct assay_event *event = assay_history_add(&l->of[layer], from);
    assay_history_cells(&l->of[layer], event)[0] = value;
    return event;
}

static void a_history_that_nobody_can_want_is_refused(void **state)
{
    (void)state;
    static const struct assay_history_setup setups[] = {{.slots = ASSAY_HISTORY_SLOTS_MOST + 1},
                                                        {.slots = UINT32_C(1) << 31},
                                                        {.slots = UINT32_MAX},
                                                        {.bytes = ASSAY_HISTORY_ROOM_MOST + 1},
                                                        {.bytes = UINT32_MAX},
                                                        {.cells = ASSAY_HISTORY_ROOM_MOST + 1},
                                                        {.cells = UINT32_MAX},
                                                        {.block = ASSAY_HISTORY_SLOTS_MOST + 1}};
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        struct assay_history h;
        assert_int_equal(assay_history_open(&h, &setups[i]), ASSAY_LIMIT);
        assay_history_close(&h);
    }
}

static void the_most_that_a_history_can_be_is_opened(void **state)
{
    (void)state;
    static const struct assay_history_setup setups[] = {{.bytes = ASSAY_HISTORY_ROOM_MOST},
                                                        {.cells = ASSAY_HISTORY_ROOM_MOST},
                                                        {.block = ASSAY_HISTORY_SLOTS_MOST}};
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        struct assay_history h;
        assert_int_equal(assay_history_open(&h, &setups[i]), ASSAY_OK);
        assert_int_equal(h.slots, 1);
        assay_history_close(&h);
    }
}

static void bytes_of_an_event_take_whole_words(void **state)
{
    (void)state;
    static const uint32_t rooms[][2] = {{0, 0}, {1, 8}, {8, 8}, {9, 16}, {15, 16}, {17, 24}};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        const struct assay_history_setup setup = {.slots = 1, .bytes = rooms[i][0]};
        struct assay_history h;
        assert_int_equal(assay_history_open(&h, &setup), ASSAY_OK);
        assert_int_equal(h.byte_room, rooms[i][1]);
        assay_history_close(&h);
    }
}

static void words_and_bytes_of_a_new_event_are_zero_and_can_be_written(void **state)
{
    (void)state;
    struct layers l;
    open_layers(&l, 2, 2, 2);
    for (unsigned round = 0; round < 5; round++) {
        const struct assay_event *event = assay_history_add(&l.of[0], NULL);
        assert_int_equal(event->index, round);
        assert_int_equal(event->cells[0] | event->cells[WORDS - 1], 0);
        assert_int_equal(event->bytes[0] | event->bytes[BYTES - 1], 0);
        assay_history_cells(&l.of[0], event)[WORDS - 1] = round + 1;
        assay_history_bytes(&l.of[0], event)[BYTES - 1] = 0xff;
        assert_int_equal(event->cells[WORDS - 1], round + 1);
        assert_int_equal(event->bytes[BYTES - 1], 0xff);
    }
    close_layers(&l);
}

static void an_event_is_found_as_long_as_the_ring_holds_it(void **state)
{
    (void)state;
    struct layers l;
    open_layers(&l, 4, 4, 4);
    assert_null(assay_history_find(&l.of[0], 0));
    for (uint64_t n = 0; n < 10; n++) {
        add(&l, 0, NULL, 100 + n);
    }
    assert_null(assay_history_find(&l.of[0], 5));
    assert_int_equal(assay_history_find(&l.of[0], 6)->cells[0], 106);
    assert_int_equal(assay_history_find(&l.of[0], 9)->cells[0], 109);
    assert_null(assay_history_find(&l.of[0], 10));
    assert_null(assay_history_find(&l.of[0], UINT64_MAX));
    close_layers(&l);
}

static void what_an_event_came_from_is_found_with_it_down_to_the_lowest_layer(void **state)
{
    (void)state;
    struct layers l;
    open_layers(&l, 8, 8, 8);
    add(&l, 2, add(&l, 1, add(&l, 0, NULL, 7), 8), 9);
    for (unsigned n = 0; n < 7; n++) {
        add(&l, 0, NULL, 0);
    }
    const struct assay_event *event = assay_history_find(&l.of[2], 0);
    assert_int_equal(event->cells[0], 9);
    assert_int_equal(event->from->cells[0], 8);
    assert_int_equal(event->from->from->cells[0], 7);
    assert_null(event->from->from->from);
    close_layers(&l);
}

static void from_becomes_null_where_its_event_is_gone(void **state)
{
    (void)state;
    struct layers l;
    open_layers(&l, 4, 8, 8);
    add(&l, 2, add(&l, 1, add(&l, 0, NULL, 7), 8), 9);
    for (unsigned n = 0; n < 4; n++) { /* the last of them takes the slot of the first */
        add(&l, 0, NULL, 70);
    }
    const struct assay_event *event = assay_history_find(&l.of[2], 0);
    assert_int_equal(event->from->cells[0], 8);
    assert_null(event->from->from);
    for (unsigned n = 0; n < 8; n++) {
        add(&l, 1, assay_history_find(&l.of[0], 4), 80);
    }
    event = assay_history_find(&l.of[2], 0);
    assert_int_equal(event->cells[0], 9);
    assert_null(event->from);
    assert_int_equal(assay_history_find(&l.of[1], 8)->from->index, 4);
    close_layers(&l);
}

/* The slot of a layer in the middle was taken by an event that has itself lost what it came from:
 * no event is mistaken for the one that stood in its slot. */
static void an_event_in_the_same_slot_is_not_taken_for_the_one_before(void **state)
{
    (void)state;
    struct layers l;
    open_layers(&l, 2, 2, 8);
    for (uint64_t n = 0; n < 6; n++) {
        add(&l, 2, add(&l, 1, add(&l, 0, NULL, n), n), n);
    }
    for (uint64_t n = 0; n < 6; n++) {
        const struct assay_event *event = assay_history_find(&l.of[2], n);
        assert_int_equal(event->cells[0], n);
        if (n < 4) {
            assert_null(event->from);
        } else {
            assert_int_equal(event->from->cells[0], n);
            assert_int_equal(event->from->from->cells[0], n);
        }
    }
    close_layers(&l);
}

/* Of two events that follow each other, one from an event that is gone. */
static void each_event_has_its_own_origin(void **state)
{
    (void)state;
    enum { SLOTS = 4 };
    struct layers l;
    open_layers(&l, SLOTS, SLOTS, SLOTS);
    add(&l, 1, add(&l, 0, NULL, 0), 0);
    for (unsigned n = 1; n < SLOTS; n++) {
        add(&l, 0, NULL, 0);
    }
    const struct assay_event *origin = add(&l, 0, NULL, 0);
    add(&l, 1, origin, 0);
    assert_null(assay_history_find(&l.of[1], 0)->from);
    assert_ptr_equal(assay_history_find(&l.of[1], 1)->from, origin);
    close_layers(&l);
}

struct counted_lead {
    struct assay_lead lead; /* first */
    unsigned settled;
};

static void count_settled(struct assay_lead *lead)
{
    ((struct counted_lead *)lead)->settled++;
}

/* With a lead what is found is the same, although the events are still there, and whoever judges is
 * waited for before an event is changed. */
static void a_history_with_a_lead_finds_what_one_without_does(void **state)
{
    (void)state;
    enum { SLOTS = 4, BLOCK = 2, EVENTS = 9 };
    struct counted_lead c = {.lead = {.settle = count_settled}};
    struct assay_history of[2];
    for (unsigned n = 0; n < 2; n++) {
        const struct assay_history_setup setup = {.below = n > 0 ? &of[0] : NULL,
                                                  .slots = SLOTS,
                                                  .cells = WORDS,
                                                  .block = BLOCK,
                                                  .lead = &c.lead};
        assert_int_equal(assay_history_open(&of[n], &setup), ASSAY_OK);
        assert_int_equal(of[n].window, SLOTS);
        assert_true(of[n].slots >= SLOTS + BLOCK + ASSAY_LEAD_EVENTS);
    }
    assert_int_equal(c.lead.count, 2);
    const struct assay_event *origin = assay_history_add(&of[0], NULL);
    const struct assay_event *event = assay_history_add(&of[1], origin);
    assert_ptr_equal(assay_history_find(&of[1], 0), event);
    assert_ptr_equal(event->from, origin);
    assert_int_equal(c.settled, 0);
    for (unsigned n = 1; n < EVENTS; n++) {
        assay_history_add(&of[0], NULL);
    }
    assert_ptr_equal(assay_history_find(&of[1], 0), event);
    assert_null(event->from);
    assert_int_equal(c.settled, 1);
    assert_null(assay_history_find(&of[0], EVENTS - SLOTS - 1));
    assert_non_null(assay_history_find(&of[0], EVENTS - SLOTS));
    assay_history_close(&of[1]);
    assay_history_close(&of[0]);
}

/* A block may be made as long as none of the slots is replaced that blocks since a mark refer to.
 */
static void a_lead_ends_where_slots_would_be_replaced(void **state)
{
    (void)state;
    enum { SLOTS = 4, BLOCK = 2 };
    struct assay_lead lead = {.settle = count_settled};
    struct assay_lead_mark mark;
    struct assay_history h;
    const struct assay_history_setup setup = {
        .slots = SLOTS, .cells = WORDS, .block = BLOCK, .lead = &lead};
    assert_int_equal(assay_history_open(&h, &setup), ASSAY_OK);
    assay_history_add(&h, NULL);
    assay_lead_mark(&lead, &mark);
    const uint64_t room = h.slots - SLOTS - BLOCK;
    for (uint64_t n = 0; n < room; n++) {
        assay_history_add(&h, NULL);
        assert_true(assay_lead_has_room(&lead, &mark));
    }
    assay_history_add(&h, NULL);
    assert_false(assay_lead_has_room(&lead, &mark));
    assay_lead_mark(&lead, &mark);
    assert_true(assay_lead_has_room(&lead, &mark));
    assay_history_close(&h);
}

/* What is looked back at, one block, and the lead itself. */
static void a_history_with_a_lead_has_slots_for_all(void **state)
{
    (void)state;
    struct assay_lead lead = {.settle = count_settled};
    struct assay_history h;
    const struct assay_history_setup setup = {.slots = 512, .block = 513, .lead = &lead};
    assert_int_equal(assay_history_open(&h, &setup), ASSAY_OK);
    assert_int_equal(h.window, 512);
    assert_int_equal(h.slots, 2 * (512 + 512 + ASSAY_LEAD_EVENTS));
    assay_history_close(&h);
}

static void a_lead_of_too_many_histories_is_refused(void **state)
{
    (void)state;
    struct assay_lead lead = {.settle = count_settled, .count = ASSAY_LEAD_LAYERS};
    struct assay_history h;
    const struct assay_history_setup setup = {.slots = 1, .cells = WORDS, .lead = &lead};
    assert_int_equal(assay_history_open(&h, &setup), ASSAY_LIMIT);
    assay_history_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_that_nobody_can_want_is_refused),
        cmocka_unit_test(the_most_that_a_history_can_be_is_opened),
        cmocka_unit_test(bytes_of_an_event_take_whole_words),
        cmocka_unit_test(each_event_has_its_own_origin),
        cmocka_unit_test(a_history_with_a_lead_finds_what_one_without_does),
        cmocka_unit_test(a_lead_ends_where_slots_would_be_replaced),
        cmocka_unit_test(a_history_with_a_lead_has_slots_for_all),
        cmocka_unit_test(a_lead_of_too_many_histories_is_refused),
        cmocka_unit_test(words_and_bytes_of_a_new_event_are_zero_and_can_be_written),
        cmocka_unit_test(an_event_is_found_as_long_as_the_ring_holds_it),
        cmocka_unit_test(what_an_event_came_from_is_found_with_it_down_to_the_lowest_layer),
        cmocka_unit_test(from_becomes_null_where_its_event_is_gone),
        cmocka_unit_test(an_event_in_the_same_slot_is_not_taken_for_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
