/* The search for a part of a trace, compared with one that tries each place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "execution/placement.h"

enum { EXECUTED_MOST = 20000, AHEAD_MOST = 64 };

/* --- what is executed --- */

struct executed {
    uint64_t count;
    unsigned opened, closed;
    bool unreadable;
    struct assay_placement_item item[EXECUTED_MOST];
};

struct reader {
    struct executed *executed;
    uint64_t at;
};

static void *open_executed(void *context)
{
    struct executed *x = context;
    struct reader *r = x->unreadable ? NULL : malloc(sizeof *r);
    if (r != NULL) {
        *r = (struct reader){.executed = x};
        x->opened++;
    }
    return r;
}

static bool next_executed(void *context, void *reader, struct assay_placement_item *item)
{
    struct reader *r = reader;
    const struct executed *x = context;
    assert_int_equal(item->number, r->at);
    if (r->at == x->count) {
        return false;
    }
    *item = x->item[r->at++];
    return true;
}

static void close_executed(void *reader)
{
    struct reader *r = reader;
    if (r != NULL) {
        r->executed->closed++;
    }
    free(r);
}

/* Instructions of so many kinds; some are led to by something. Numbers ascend by up to `gap`. */
static struct executed *draw(uint64_t *seed, uint64_t count, unsigned kinds, unsigned gap)
{
    struct executed *x = calloc(1, sizeof *x);
    uint64_t number = 0;
    assert_non_null(x);
    x->count = count;
    for (uint64_t n = 0; n < count; n++) {
        struct assay_placement_item *item = &x->item[n];
        const uint64_t led = random_below(seed, 8) == 0 ? random_below(seed, 2) + 1 : 0;
        item->key_alone = random_below(seed, kinds) + 1;
        item->key = assay_placement_key(item->key_alone, led);
        item->number = number;
        item->pc = item->key_alone;
        item->is_silent = random_below(seed, 4) != 0;
        item->context = random_below(seed, 2);
        item->diverted = random_below(seed, 16) == 0;
        number += 1 + (gap > 0 ? random_below(seed, gap) : 0);
    }
    return x;
}

/* A loop: the same instructions again and again. */
static struct executed *loop(uint64_t *seed, uint64_t count, uint64_t length)
{
    struct executed *x = draw(seed, count, 1000, 0);
    for (uint64_t n = length; n < count; n++) {
        const uint64_t number = x->item[n].number;
        x->item[n] = x->item[n - length];
        x->item[n].number = number;
    }
    return x;
}

static void open_search(struct assay_placement *p, struct assay_placement_source *source,
                        struct executed *x)
{
    *source = (struct assay_placement_source){open_executed, next_executed, close_executed, x};
    memset(p, 0, sizeof *p);
    p->source = source;
}

/* --- the same, place by place --- */

static uint64_t index_of(const struct executed *x, uint64_t number)
{
    uint64_t n = 0;
    while (n < x->count && x->item[n].number < number) {
        n++;
    }
    return n;
}

/* The key of instruction n of the part. */
static uint64_t key_of(const struct executed *x, const struct assay_placement_part *part,
                       uint64_t n)
{
    const uint64_t first = index_of(x, part->first);
    const uint64_t matched = index_of(x, part->end) - first;
    const uint64_t key = n >= matched ? part->ahead[n - matched]
                         : n == 0     ? x->item[first].key_alone
                                      : x->item[first + n].key;
    return n == 0 ? assay_placement_key(key, part->led) : key;
}

/* How many of the first `most` instructions of the part are there. */
static uint64_t same_at(const struct executed *x, const struct assay_placement_part *part,
                        uint64_t at, uint64_t most)
{
    uint64_t n = 0;
    while (n < most && at + n < x->count) {
        const struct assay_placement_item *item = &x->item[at + n];
        if ((n == 0 && part->led == 0 ? item->key_alone : item->key) != key_of(x, part, n)) {
            break;
        }
        n++;
    }
    return n;
}

static bool fits(const struct executed *x, const struct assay_placement_part *part, uint64_t at,
                 uint64_t length)
{
    const struct assay_placement_item *next = &x->item[at + length];
    if (part->in_context && next[-1].context != part->context) {
        return false;
    }
    for (uint32_t n = 0; n < part->count && part->between > 0; n++) {
        if (at + length + part->between + n >= x->count ||
            next[part->between + n].key != part->ahead[n]) {
            return false;
        }
    }
    return part->lead == NULL || at + length >= x->count || next->pc == part->lead->to ||
           next->unknown || !part->lead->can(part->lead->context, NULL, next->pc, next->diverted);
}

static enum assay_placement_result find_slowly(const struct executed *x,
                                               const struct assay_placement_part *part,
                                               struct assay_place *place)
{
    const uint64_t matched = index_of(x, part->end) - index_of(x, part->first);
    const uint64_t length = matched + (part->between == 0 ? part->count : 0);
    for (uint64_t at = index_of(x, part->from); at < x->count; at++) {
        const bool here = part->moves && x->item[at].number == part->from;
        const uint64_t same = here ? 0 : same_at(x, part, at, length);
        if (!here && same == length && fits(x, part, at, length)) {
            *place = (struct assay_place){x->item[at].number, x->item[at + length - 1].number};
            return ASSAY_PLACEMENT_FOUND;
        }
        if (!here && same > matched && at + same == x->count && same < length) {
            return ASSAY_PLACEMENT_AT_END;
        }
        if (part->silently && !x->item[at].is_silent) {
            break;
        }
    }
    return ASSAY_PLACEMENT_NONE;
}

/* --- tests --- */

static bool can_unless_diverted(void *context, const struct assay_event *event, uint64_t pc,
                                bool diverted)
{
    (void)context;
    (void)event;
    (void)pc;
    return !diverted;
}

static void draw_part(uint64_t *seed, const struct executed *x, struct assay_placement_part *part,
                      uint64_t *ahead)
{
    const uint64_t first = random_below(seed, x->count);
    const uint64_t end = first + random_below(seed, 6);
    const uint64_t from = random_below(seed, 2) != 0 ? first : random_below(seed, x->count);
    *part = (struct assay_placement_part){
        .first = x->item[first].number,
        .end = x->item[end < x->count ? end : first].number,
        .ahead = ahead,
        .count = (uint32_t)(random_below(seed, 5)),
        .from = x->item[from].number,
        .moves = random_below(seed, 2) != 0,
        .silently = random_below(seed, 4) == 0,
        .in_context = random_below(seed, 4) == 0,
        .led = random_below(seed, 4) == 0 ? random_below(seed, 2) + 1 : 0};
    part->end = part->end < part->first ? part->first : part->end;
    for (uint32_t n = 0; n < part->count; n++) {
        ahead[n] = x->item[random_below(seed, x->count)].key_alone;
    }
}

static void compare(struct assay_placement *p, const struct executed *x,
                    const struct assay_placement_part *part)
{
    struct assay_place fast = {0};
    struct assay_place slow = {0};
    const enum assay_placement_result due = find_slowly(x, part, &slow);
    assert_int_equal(assay_placement_find(p, part, &fast), due);
    if (due == ASSAY_PLACEMENT_FOUND) {
        assert_int_equal(fast.first, slow.first);
        assert_int_equal(fast.last, slow.last);
    }
}

/* The same search, step by step, of a part that is all ahead. */
static void compare_steps(struct assay_placement *p, const struct executed *x,
                          const struct assay_placement_part *part)
{
    struct assay_placement_search search;
    struct assay_place slow = {0};
    const enum assay_placement_result due = find_slowly(x, part, &slow);
    uint64_t n = index_of(x, part->from);
    bool found = false;
    assay_placement_begin(&search, p, part);
    while (!found && n < x->count) {
        found = assay_placement_step(&search, &x->item[n++]);
    }
    assert_int_equal(found, due == ASSAY_PLACEMENT_FOUND);
    if (found) {
        assert_int_equal(x->item[n - 1].number, slow.last);
        assert_int_equal(assay_placement_number(&search, 0), slow.first);
        assert_int_equal(assay_placement_number(&search, part->count - 1), slow.last);
    } else {
        assert_int_equal(assay_placement_end(&search), due);
    }
}

static void finds_step_by_step_what_is_ahead(void **state)
{
    uint64_t seed = 8;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct assay_placement_part part;
    uint64_t ahead[AHEAD_MOST];
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        struct executed *x = draw(&seed, 100, 1 + round % 3, 4);
        open_search(p, &source, x);
        for (unsigned n = 0; n < 40; n++) {
            draw_part(&seed, x, &part, ahead);
            part.end = part.first = part.from;
            part.count += part.count == 0;
            part.silently = part.in_context = false;
            compare_steps(p, x, &part);
            compare(p, x, &part);
        }
        assay_placement_close(p);
        assert_int_equal(x->opened, x->closed);
        free(x);
    }
    free(p);
}

static void finds_what_a_search_place_by_place_finds(void **state)
{
    uint64_t seed = 1;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct assay_placement_part part;
    uint64_t ahead[AHEAD_MOST];
    unsigned found[3] = {0};
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct executed *x =
            draw(&seed, 60 + random_below(&seed, 100), 1 + round % 3, round % 2 * 4);
        open_search(p, &source, x);
        for (unsigned n = 0; n < 40; n++) {
            struct assay_place place;
            draw_part(&seed, x, &part, ahead);
            if (part.first == part.end && part.count == 0) {
                continue;
            }
            compare(p, x, &part);
            found[find_slowly(x, &part, &place)]++;
        }
        assay_placement_close(p);
        assert_int_equal(x->opened, x->closed);
        assert_true(x->opened <= 2); /* all is retained, so that nothing is read again */
        free(x);
    }
    free(p);
    assert_true(found[ASSAY_PLACEMENT_NONE] > 500 && found[ASSAY_PLACEMENT_AT_END] > 100 &&
                found[ASSAY_PLACEMENT_FOUND] > 500);
}

static void finds_those_ahead_after_others(void **state)
{
    uint64_t seed = 2;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct assay_placement_part part;
    uint64_t ahead[AHEAD_MOST];
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        struct executed *x = draw(&seed, 200, 2, 0);
        open_search(p, &source, x);
        for (unsigned n = 0; n < 40; n++) {
            draw_part(&seed, x, &part, ahead);
            part.between = 1 + random_below(&seed, 20);
            part.count += part.count == 0;
            ahead[0] = x->item[n].key_alone;
            part.end = part.end == part.first ? part.first + 1 : part.end;
            compare(p, x, &part);
        }
        assay_placement_close(p);
        free(x);
    }
    free(p);
}

static void asks_where_what_comes_next_leads(void **state)
{
    uint64_t seed = 3;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct assay_placement_part part;
    struct assay_placement_lead lead = {.can = can_unless_diverted};
    uint64_t ahead[AHEAD_MOST];
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        struct executed *x = draw(&seed, 200, 2, 0);
        open_search(p, &source, x);
        for (unsigned n = 0; n < 40; n++) {
            draw_part(&seed, x, &part, ahead);
            part.count = 0;
            part.end = part.end == part.first ? part.first + 1 : part.end;
            lead.to = 1 + random_below(&seed, 2);
            part.lead = &lead;
            compare(p, x, &part);
        }
        assay_placement_close(p);
        free(x);
    }
    free(p);
}

/* A part that is longer than what a reader retains, in a loop that is left at its end. */
static void finds_long_parts(void **state)
{
    uint64_t seed = 4;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct executed *x = loop(&seed, EXECUTED_MOST - 1, 50);
    struct assay_place place;
    const uint64_t ahead[] = {5000};
    struct assay_placement_part part = {
        .first = 100, .end = 10100, .ahead = ahead, .count = 1, .from = 100, .moves = true};
    (void)state;
    x->item[x->count - 1].key = x->item[x->count - 1].key_alone = 5000;
    const uint64_t last = x->count - 1;
    const uint64_t phase = (last - 10000 - 100) % 50;
    open_search(p, &source, x);
    assert_int_equal(assay_placement_find(p, &part, &place),
                     phase == 0 ? ASSAY_PLACEMENT_FOUND : ASSAY_PLACEMENT_NONE);
    part.first += phase;
    part.end += phase;
    part.from = part.first;
    assert_int_equal(assay_placement_find(p, &part, &place), ASSAY_PLACEMENT_FOUND);
    assert_int_equal(place.first, last - 10000);
    assert_int_equal(place.last, last);
    part.from = part.first + 50; /* the part is read by another reader */
    assert_int_equal(assay_placement_find(p, &part, &place), ASSAY_PLACEMENT_FOUND);
    assert_int_equal(place.last, last);
    part.moves = false;
    part.count = 0;
    assert_int_equal(assay_placement_find(p, &part, &place), ASSAY_PLACEMENT_FOUND);
    assert_int_equal(place.first, part.from);
    assay_placement_close(p);
    assert_int_equal(x->opened, x->closed);
    free(x);
    free(p);
}

/* The sequence of Thue and Morse and the one with its two instructions exchanged have the same
 * hash, whatever the base is. */
static void a_hash_alone_makes_no_place(void **state)
{
    enum { LENGTH = 2048 };
    uint64_t seed = 8;
    static uint64_t ahead[1 + LENGTH];
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct executed *x = draw(&seed, 1 + LENGTH, 2, 0);
    struct assay_placement_part part = {.ahead = ahead, .count = 1 + LENGTH};
    struct assay_placement_search search;
    struct assay_place place;
    (void)state;
    for (unsigned n = 0; n <= LENGTH; n++) {
        const uint64_t odd = n > 0 ? (uint64_t)__builtin_parity(n - 1) : 2;
        ahead[n] = 100 + odd;
        x->item[n].key = x->item[n].key_alone = n > 0 ? 101 - odd : ahead[0];
    }
    open_search(p, &source, x);
    assert_int_equal(assay_placement_find(p, &part, &place), ASSAY_PLACEMENT_NONE);
    assay_placement_begin(&search, p, &part);
    for (unsigned n = 0; n <= LENGTH; n++) {
        assert_false(assay_placement_step(&search, &x->item[n]));
    }
    assay_placement_close(p);
    free(x);
    free(p);
}

static void goes_back_after_the_end(void **state)
{
    uint64_t seed = 7;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct executed *x = draw(&seed, EXECUTED_MOST, 3, 8);
    const uint64_t ahead[] = {100};
    const uint64_t at = EXECUTED_MOST / 2;
    struct assay_placement_part part = {.ahead = ahead, .count = 1};
    (void)state;
    open_search(p, &source, x);
    compare(p, x, &part);
    assert_int_equal(x->opened, 1);
    part = (struct assay_placement_part){.first = x->item[at].number,
                                         .end = x->item[at + 5].number,
                                         .from = x->item[at].number,
                                         .moves = true};
    assert_true(part.from > EXECUTED_MOST);
    compare(p, x, &part);
    assert_int_equal(x->opened, 2);
    compare(p, x, &part); /* it is retained now */
    assert_int_equal(x->opened, 2);
    assay_placement_close(p);
    free(x);
    free(p);
}

static void a_part_without_instructions_is_anywhere(void **state)
{
    uint64_t seed = 5;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct executed *x = draw(&seed, 10, 2, 0);
    struct assay_place place;
    (void)state;
    open_search(p, &source, x);
    assert_int_equal(assay_placement_find(p, &(struct assay_placement_part){.from = 3}, &place),
                     ASSAY_PLACEMENT_FOUND);
    assert_int_equal(assay_placement_find(p, &(struct assay_placement_part){.from = 30}, &place),
                     ASSAY_PLACEMENT_FOUND);
    assay_placement_close(p);
    free(x);
    free(p);
}

static void says_what_cannot_be_read_again(void **state)
{
    uint64_t seed = 6;
    struct assay_placement *p = malloc(sizeof *p);
    struct assay_placement_source source;
    struct executed *x = draw(&seed, 10, 2, 0);
    struct assay_place place;
    (void)state;
    x->unreadable = true;
    open_search(p, &source, x);
    assert_int_equal(assay_placement_find(p, &(struct assay_placement_part){.end = 3}, &place),
                     ASSAY_PLACEMENT_NONE);
    assert_true(p->unreadable);
    x->unreadable = false;
    assert_int_equal(assay_placement_find(p, &(struct assay_placement_part){.end = 3}, &place),
                     ASSAY_PLACEMENT_FOUND);
    assert_false(p->unreadable);
    assay_placement_close(p);
    free(x);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_search_place_by_place_finds),
        cmocka_unit_test(finds_step_by_step_what_is_ahead),
        cmocka_unit_test(finds_those_ahead_after_others),
        cmocka_unit_test(a_hash_alone_makes_no_place),
        cmocka_unit_test(asks_where_what_comes_next_leads),
        cmocka_unit_test(finds_long_parts),
        cmocka_unit_test(goes_back_after_the_end),
        cmocka_unit_test(a_part_without_instructions_is_anywhere),
        cmocka_unit_test(says_what_cannot_be_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
