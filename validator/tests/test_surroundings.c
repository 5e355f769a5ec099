/* What is shown around an event: against what a look at all events of the layer gives, however they
 * are cut into blocks. */
#include "common/tests/random.h"
#include "validator/engine/surroundings.h"
#include "validator/tests/judge_support.h"

static struct assay_kind kinds[TOY_KINDS];
static struct assay_format format;

/* The toy format with groups in its lower layer. */
static void set_grouping(unsigned kind, enum assay_grouping grouping)
{
    memcpy(kinds, toy_format.kinds, sizeof kinds);
    kinds[kind].grouping = (uint8_t)grouping;
    format = toy_format;
    format.kinds = kinds;
}

/* Whether event number `at` begins a group, by a look back. */
static bool opens(const struct stream *s, size_t at)
{
    return at == 0 || kinds[s->events[at].kind].grouping == ASSAY_GROUP_OPENS ||
           kinds[s->events[at - 1].kind].grouping == ASSAY_GROUP_CLOSES;
}

/* The first and the last event that are to be shown around one, and the first and the last of its
 * group that are. */
struct range {
    size_t from, first, last, to;
};

static struct range expected_range(const struct stream *s, size_t at)
{
    struct range r = {.first = at, .last = at};
    while (!opens(s, r.first) && at - r.first < ASSAY_SHOWN_BEFORE - 1) {
        r.first--;
    }
    r.from = r.first > 0 ? r.first - 1 : 0;
    while (r.last + 1 < s->count && !opens(s, r.last + 1) && r.last - at < ASSAY_SHOWN_AFTER) {
        r.last++;
    }
    r.to = r.last + 1 < s->count && r.last - at < ASSAY_SHOWN_AFTER ? r.last + 1 : r.last;
    return r;
}

static void assert_shown(const struct stream *s, const struct assay_finding *finding, size_t at)
{
    const struct range r = expected_range(s, at);
    char line[400];
    assert_int_equal(finding->shown_count, r.to - r.from + 1);
    assert_int_equal(finding->shown_at, at - r.from);
    for (size_t i = 0; i < finding->shown_count; i++) {
        const struct assay_event *event = &s->events[r.from + i];
        assert_int_equal(finding->shown[i].index, event->index);
        assert_int_equal(finding->shown[i].offset, event->offset);
        assert_int_equal(finding->shown[i].kind, event->kind);
        assert_int_equal(finding->shown[i].grouped, r.from + i >= r.first && r.from + i <= r.last);
        assay_event_line(&format, event, line, sizeof line);
        assert_string_equal(finding->shown[i].line, line);
    }
}

/* A finding at each event. */
static void show_all(const struct stream *s, size_t block)
{
    static struct assay_finding findings[MOST];
    struct assay_arena arena = {0};
    struct assay_surroundings around;
    memset(findings, 0, sizeof findings);
    assert_true(assay_surroundings_open(&around, &format, 0, &arena));
    for (size_t at = 0; at < s->count; at += block) {
        const uint32_t count = (uint32_t)(s->count - at < block ? s->count - at : block);
        struct assay_event *copy = malloc(count * sizeof *copy);
        assert_non_null(copy);
        memcpy(copy, &s->events[at], count * sizeof *copy);
        assert_true(assay_surroundings_begin(&around, copy, count));
        for (uint32_t i = 0; i < count; i++) {
            assert_true(assay_surroundings_show(&around, &findings[at + i], i));
            assert_true(assay_surroundings_await(&around, &findings[at + i]));
        }
        assay_surroundings_end(&around);
        free(copy);
    }
    for (size_t at = 0; at < s->count; at++) {
        assert_shown(s, &findings[at], at);
    }
    assay_surroundings_close(&around);
    assay_arena_free(&arena);
}

static void show_in_blocks(uint64_t seed, unsigned boundaries)
{
    static const size_t blocks[] = {1, 2, 3, 17, 64, 1000};
    struct stream *s = new_stream();
    while (s->count < 400) {
        const bool boundary = random_below(&seed, boundaries) == 0;
        add(s, boundary ? TOY_MARK : TOY_ITEM, s->count % 250);
    }
    for (size_t k = 0; k < COUNT(blocks); k++) {
        show_all(s, blocks[k]);
    }
    free(s);
}

static void groups_that_end_with_a_kind_are_shown_whole(void **state)
{
    (void)state;
    set_grouping(TOY_MARK, ASSAY_GROUP_CLOSES);
    show_in_blocks(1, 3);
    show_in_blocks(2, 8);
}

static void groups_that_begin_with_a_kind_are_shown_whole(void **state)
{
    (void)state;
    set_grouping(TOY_MARK, ASSAY_GROUP_OPENS);
    show_in_blocks(3, 3);
    show_in_blocks(4, 8);
}

static void of_a_long_group_the_nearest_events_are_shown(void **state)
{
    (void)state;
    set_grouping(TOY_MARK, ASSAY_GROUP_CLOSES);
    show_in_blocks(5, 60);
}

static void without_groups_each_event_has_its_neighbours(void **state)
{
    (void)state;
    set_grouping(TOY_MARK, ASSAY_GROUP_MEMBER);
    struct stream *s = new_stream();
    for (size_t i = 0; i < 3; i++) {
        add(s, TOY_ITEM, i);
    }
    struct assay_arena arena = {0};
    struct assay_surroundings around;
    struct assay_finding finding = {0};
    assert_true(assay_surroundings_open(&around, &format, 0, &arena));
    assert_true(assay_surroundings_begin(&around, s->events, 3));
    assert_true(assay_surroundings_show(&around, &finding, 1));
    assert_int_equal(finding.shown_count, 3);
    assert_int_equal(finding.shown_at, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(finding.shown[i].grouped, i == 1);
    }
    assay_surroundings_close(&around);
    assay_arena_free(&arena);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_that_end_with_a_kind_are_shown_whole),
        cmocka_unit_test(groups_that_begin_with_a_kind_are_shown_whole),
        cmocka_unit_test(of_a_long_group_the_nearest_events_are_shown),
        cmocka_unit_test(without_groups_each_event_has_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
