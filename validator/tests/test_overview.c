/* Overviews: nothing of a stream is lost in them but the place within an interval. */
#include "validator/tests/toy.h"

#include "validator/engine/overview.h"

static struct assay_arena arena;

static int set_up(void **state)
{
    *state = assay_sampler_open(&toy_format);
    return *state != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    assay_sampler_close(*state);
    assay_arena_free(&arena);
    arena = (struct assay_arena){0};
    return 0;
}

static void add(struct assay_sampler *sampler, unsigned kind, uint64_t offset, const char *field,
                uint64_t value)
{
    struct toy_event memory;
    struct assay_event event = toy_event(&memory, kind);
    event.offset = offset;
    if (field != NULL) {
        toy_set(&memory, kind, field, value);
    }
    assay_sampler_add(
        sampler,
        &(struct assay_block){.events = &event, .count = 1, .layer = toy_format.kinds[kind].layer});
}

static const struct assay_overview *end(struct assay_sampler *sampler)
{
    const struct assay_overview *overview = assay_sampler_end(sampler, &arena);
    assert_non_null(overview);
    return overview;
}

/* Events of a kind in an interval. */
static uint64_t count(const struct assay_overview *o, unsigned kind, size_t interval)
{
    for (size_t n = 0; n < o->kind_count; n++) {
        if (o->kinds[n] == kind) {
            return o->counts[n * o->interval_count + interval];
        }
    }
    return 0;
}

static const struct assay_track_values *values(const struct assay_overview *o, const char *name)
{
    for (size_t t = 0; t < o->track_count; t++) {
        if (strcmp(o->tracks[t].field->name, name) == 0) {
            return &o->values[t * o->interval_count];
        }
    }
    return NULL;
}

static void an_event_is_counted_where_it_is(void **state)
{
    add(*state, TOY_ITEM, 0, NULL, 0);
    add(*state, TOY_ITEM, 255, NULL, 0);
    add(*state, TOY_MARK, 255, NULL, 0);
    add(*state, TOY_ITEM, 255, NULL, 0);
    const struct assay_overview *o = end(*state);
    assert_int_equal(o->shift, 0);
    assert_int_equal(o->interval_count, 256);
    assert_int_equal(o->kind_count, 2);
    assert_int_equal(count(o, TOY_ITEM, 0), 1);
    assert_int_equal(count(o, TOY_ITEM, 254), 0);
    assert_int_equal(count(o, TOY_ITEM, 255), 2);
    assert_int_equal(count(o, TOY_MARK, 255), 1);
}

static void intervals_are_joined_as_the_stream_goes_on(void **state)
{
    for (uint64_t offset = 0; offset < 1000; offset++) {
        add(*state, TOY_ITEM, offset, NULL, 0);
    }
    const struct assay_overview *o = end(*state);
    assert_int_equal(o->shift, 2);
    assert_int_equal(o->interval_count, 250);
    for (size_t i = 0; i < 250; i++) {
        assert_int_equal(count(o, TOY_ITEM, i), 4);
    }
}

/* Of a higher layer, or after a jump as far as there is. */
static void events_may_come_in_any_order(void **state)
{
    add(*state, TOY_ITEM, UINT64_MAX, NULL, 0);
    add(*state, TOY_ATOM, 0, NULL, 0);
    add(*state, TOY_ITEM, (UINT64_C(1) << 56) - 1, NULL, 0);
    add(*state, TOY_ITEM, UINT64_C(1) << 56, NULL, 0);
    const struct assay_overview *o = end(*state);
    assert_int_equal(o->shift, 56);
    assert_int_equal(o->interval_count, 256);
    assert_int_equal(count(o, TOY_ITEM, 255), 1);
    assert_int_equal(count(o, TOY_ATOM, 0), 1);
    assert_int_equal(count(o, TOY_ITEM, 0), 1);
    assert_int_equal(count(o, TOY_ITEM, 1), 1);
}

static void a_track_has_the_least_the_most_and_the_last(void **state)
{
    add(*state, TOY_ITEM, 0, "el", 2);
    add(*state, TOY_ITEM, 1, "el", 3);
    add(*state, TOY_ITEM, 1, "el", 0);
    add(*state, TOY_ITEM, 3, "el", 1);
    add(*state, TOY_MARK, 500, NULL, 0);
    const struct assay_overview *o = end(*state);
    const struct assay_track_values *el = values(o, "el");
    assert_non_null(el);
    assert_int_equal(o->shift, 1);
    assert_int_equal(el[0].count, 3);
    assert_int_equal(el[0].least, 0);
    assert_int_equal(el[0].most, 3);
    assert_int_equal(el[0].last, 0);
    assert_int_equal(el[0].sum, 5);
    assert_int_equal(el[1].count, 1);
    assert_int_equal(el[1].least, 1);
    assert_int_equal(el[250].count, 0);
}

static void zero_can_stand_for_all(void **state)
{
    add(*state, TOY_MARK, 0, "count", 0);
    add(*state, TOY_MARK, 1, "count", 7);
    const struct assay_track_values *counts = values(end(*state), "count");
    assert_non_null(counts);
    assert_int_equal(counts[0].most, 255);
    assert_int_equal(counts[1].most, 7);
}

static void a_value_that_is_not_known_does_not_count(void **state)
{
    add(*state, TOY_ATOM, 0, "n", 9);
    assert_null(values(end(*state), "n"));
    add(*state, TOY_ATOM, 0, "n_known", 1);
    const struct assay_track_values *n = values(end(*state), "n");
    assert_non_null(n);
    assert_int_equal(n[0].count, 1);
    assert_int_equal(n[0].most, 0);
}

static void a_copy_needs_nothing_of_the_first(void **state)
{
    struct assay_arena first = {0};
    add(*state, TOY_ITEM, 3, "el", 2);
    const struct assay_overview *from = assay_sampler_end(*state, &first);
    assert_non_null(from);
    const struct assay_overview *o = assay_overview_copy(from, &arena);
    assay_arena_free(&first);
    assert_non_null(o);
    assert_int_equal(count(o, TOY_ITEM, 3), 1);
    assert_int_equal(values(o, "el")[3].most, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_is_counted_where_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(intervals_are_joined_as_the_stream_goes_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(events_may_come_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_track_has_the_least_the_most_and_the_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(zero_can_stand_for_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_that_is_not_known_does_not_count, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_copy_needs_nothing_of_the_first, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
