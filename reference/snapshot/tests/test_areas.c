/* Numbers at areas of memory, compared with a list that is looked through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot/areas.h"

enum { MOST = 40, STEPS = 400, MANY = 1 << 20 };

/* xorshift64*: the same numbers in each run. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 0x2545f4914f6cdd1dull >> 32) % below;
}

static bool meet(const struct cs_area *a, const struct cs_area *b)
{
    return a->space == b->space && a->first <= b->last && b->first <= a->last;
}

/* Few addresses, of which some are the last ones, so that areas often meet. */
static struct cs_area draw_area(uint64_t *state, uint64_t spaces)
{
    const uint64_t base = draw(state, 2) > 0 ? UINT64_MAX - 31 : 0;
    const uint64_t first = draw(state, 32);
    return (struct cs_area){draw(state, spaces), base + first,
                            base + first + draw(state, 32 - first)};
}

static void raised_areas_have_the_highest_number(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct assay_arena arena = {0};
        struct cs_areas areas;
        struct cs_area list[MOST + 3];
        uint32_t least[MOST + 3] = {0};
        uint64_t state = seed;
        const size_t count = seed % (MOST + 1); /* also of none */
        const uint64_t spaces = 1 + seed % 3;
        for (size_t i = 0; i < count; i++) {
            list[i] = draw_area(&state, spaces);
        }
        for (size_t i = 0; i < 3; i++) { /* whole spaces are not in the list */
            list[count + i] = (struct cs_area){i, 0, UINT64_MAX};
        }
        assert_true(cs_areas_open(&areas, &arena, list, count));
        for (unsigned n = 0; n < STEPS; n++) {
            const size_t at =
                (size_t)draw(&state, count + (draw(&state, 20) == 0 ? 3 : 0) + (count == 0));
            const uint32_t number = (uint32_t)draw(&state, n + 1);
            cs_areas_raise(&areas, &list[at], number);
            least[at] = number > least[at] ? number : least[at];
            const struct cs_area asked = draw_area(&state, spaces);
            bool known = false;
            uint32_t highest = 0;
            for (size_t i = 0; i < count + 3; i++) {
                known = known ||
                        (i < count && list[i].space == asked.space && list[i].first <= asked.last);
                highest = meet(&list[i], &asked) && least[i] > highest ? least[i] : highest;
            }
            /* Before the first area of a space there is nothing to ask for. */
            assert_int_equal(cs_areas_highest(&areas, &asked), known ? highest : 0);
        }
        assay_arena_free(&arena);
    }
}

static void what_is_added_is_there_until_it_is_taken_away(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct assay_arena arena = {0};
        struct cs_areas areas;
        struct cs_area list[MOST];
        bool there[MOST] = {false};
        uint64_t state = seed;
        const size_t count = 1 + seed % MOST;
        const uint64_t spaces = 1 + seed % 3;
        for (size_t i = 0; i < count; i++) {
            list[i] = draw_area(&state, spaces);
        }
        assert_true(cs_areas_open(&areas, &arena, list, count));
        for (unsigned n = 0; n < STEPS; n++) {
            const size_t at = (size_t)draw(&state, count);
            const uint32_t number = (uint32_t)at + 1;
            cs_areas_add(&areas, &list[at], there[at] ? 0 - number : number);
            there[at] = !there[at];
            const struct cs_area asked = draw_area(&state, spaces);
            uint32_t meeting = 0, one = 0;
            for (size_t i = 0; i < count; i++) {
                if (there[i] && meet(&list[i], &asked)) {
                    meeting++;
                    one = (uint32_t)i + 1;
                }
            }
            const uint32_t highest = cs_areas_highest(&areas, &asked);
            assert_int_equal(highest > 0, meeting > 0);
            assert_true(meeting != 1 || highest == one);
        }
        assay_arena_free(&arena);
    }
}

/* If each change or question looked at all areas, this would take hours. */
static void a_million_areas_take_no_long_time(void **unused)
{
    (void)unused;
    struct assay_arena arena = {0};
    struct cs_areas areas;
    struct cs_area *list = assay_arena_take(&arena, MANY * sizeof *list);
    assert_non_null(list);
    for (uint64_t i = 0; i < MANY; i++) {
        list[i] = (struct cs_area){i % 16, i * 0x1000, i * 0x1000 + 0xfff};
    }
    assert_true(cs_areas_open(&areas, &arena, list, MANY));
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(cs_areas_highest(&areas, &list[i]), 0);
        cs_areas_add(&areas, &list[i], (uint32_t)i + 1);
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(cs_areas_highest(&areas, &list[i]), i + 1);
    }
    assay_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raised_areas_have_the_highest_number),
        cmocka_unit_test(what_is_added_is_there_until_it_is_taken_away),
        cmocka_unit_test(a_million_areas_take_no_long_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
