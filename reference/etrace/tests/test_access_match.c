/* How data packets are put beside the accesses of instructions. */
#include "etrace/facts/access_match.h"
#include "etrace_support.h"

/* A matcher with loads at these addresses. */
static void open_match(struct etrace_match *m, bool all)
{
    *m = (struct etrace_match){.mask = UINT64_MAX, .all = all, .from_first = true};
    assert_true(etrace_match_open(m));
}

static struct etrace_access load_at(uint64_t at)
{
    return (struct etrace_access){.pc = at + 1,
                                  .type = ETRACE_ACCESS_LOAD,
                                  .bytes = 4,
                                  .location = at,
                                  .location_known = true};
}

static void due(struct etrace_match *m, uint64_t first, uint64_t last)
{
    for (uint64_t at = first; at <= last; at++) {
        const struct etrace_access access = load_at(at);
        etrace_match_due(m, &access);
    }
}

static void sent(struct etrace_match *m, uint64_t at)
{
    struct etrace_sent *packet = etrace_match_sent(m);
    assert_non_null(packet);
    packet->says = load_at(at);
    packet->packet = at;
}

static struct etrace_sent taken(struct etrace_match *m)
{
    const struct etrace_sent *packet = etrace_match_take(m);
    assert_non_null(packet);
    return *packet;
}

static void where_all_is_traced_each_packet_is_of_the_next_access(void **state)
{
    struct etrace_match m;
    struct etrace_sent p;
    (void)state;
    open_match(&m, true);
    due(&m, 1, 9);
    sent(&m, 1);
    etrace_match_decide(&m, false);
    p = taken(&m);
    assert_true(p.found && !p.first && p.left_out == 0 && p.due.location == 1);
    assert_null(etrace_match_take(&m));
    sent(&m, 4); /* 2 and 3 are left out */
    etrace_match_decide(&m, false);
    assert_null(etrace_match_take(&m)); /* what follows decides */
    sent(&m, 5);
    etrace_match_decide(&m, true);
    p = taken(&m);
    assert_true(p.found && !p.first && p.left_out == 2 && p.left_out_at == 3);
    p = taken(&m);
    assert_true(p.found && p.left_out == 0 && p.due.location == 5);
    sent(&m, 77); /* in the place of 6 */
    sent(&m, 7);
    etrace_match_decide(&m, true);
    p = taken(&m);
    assert_true(!p.found && p.sure && !p.between && p.differs == ETRACE_DIFFERS_ADDRESS);
    assert_int_equal(p.due.location, 6);
    assert_true(taken(&m).found);
    sent(&m, 78); /* one too many */
    sent(&m, 8);
    etrace_match_decide(&m, true);
    p = taken(&m);
    assert_true(!p.found && p.sure);
    p = taken(&m);
    assert_true(p.found && p.left_out == 0);
    etrace_match_close(&m);
}

static void otherwise_a_packet_is_of_the_first_access_that_it_can_be_of(void **state)
{
    struct etrace_match m;
    struct etrace_sent p;
    (void)state;
    open_match(&m, false);
    due(&m, 1, 9);
    sent(&m, 3);
    sent(&m, 2);
    sent(&m, 5);
    etrace_match_decide(&m, false);
    p = taken(&m);
    assert_true(p.found && p.left_out == 0 && p.due.location == 3);
    assert_null(etrace_match_take(&m)); /* it can be of one that comes */
    due(&m, 2, 2);
    sent(&m, 6);
    etrace_match_decide(&m, false);
    p = taken(&m);
    assert_true(p.found && p.due.location == 2);
    etrace_match_decide(&m, true); /* 5 and 6 came before that */
    p = taken(&m);
    assert_true(!p.found && !p.sure && !p.between && p.differs == ETRACE_DIFFERS_ABSENT);
    assert_true(!taken(&m).found);
    etrace_match_close(&m);
}

static void what_is_found_before_and_after_a_packet_makes_it_one_between(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, false);
    due(&m, 1, 2);
    sent(&m, 50);
    sent(&m, 1);
    sent(&m, 51);
    sent(&m, 2);
    sent(&m, 52);
    etrace_match_decide(&m, true);
    const bool between[] = {false, false, true, false, false};
    for (size_t n = 0; n < 5; n++) {
        const struct etrace_sent p = taken(&m);
        assert_int_equal(p.found, n % 2);
        assert_int_equal(p.between, between[n]);
        assert_false(p.sure);
    }
    etrace_match_close(&m);
}

static void when_no_access_is_missing_nothing_found_is_sure(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, false);
    due(&m, 1, 2);
    m.open = false;
    m.complete = true;
    sent(&m, 50);
    sent(&m, 2);
    etrace_match_decide(&m, true);
    struct etrace_sent p = taken(&m);
    assert_true(!p.found && p.sure);
    assert_true(taken(&m).found);
    etrace_match_close(&m);
}

static void after_a_gap_nothing_is_sure(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    due(&m, 1, 9);
    etrace_match_break(&m);
    assert_int_equal(m.due_count, 0);
    due(&m, 11, 19);
    sent(&m, 12);
    sent(&m, 50);
    sent(&m, 14);
    etrace_match_decide(&m, true);
    struct etrace_sent p = taken(&m);
    assert_true(p.found && p.first && p.left_out == 0);
    p = taken(&m);
    assert_true(!p.found && !p.sure && p.between);
    p = taken(&m);
    assert_true(p.found && p.left_out == 0);
    etrace_match_close(&m);
}

static void csrs_and_atomic_accesses_count_once_one_is_traced(void **state)
{
    const struct etrace_access csr = {.type = ETRACE_ACCESS_CSR};
    const struct etrace_access atomic = {.type = ETRACE_ACCESS_ATOMIC};
    const struct etrace_access other = {
        .type = ETRACE_ACCESS_OTHER, .bytes = 4, .location_known = true, .location = 99};
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    for (uint64_t n = 1; n < 4; n++) {
        etrace_match_due(&m, &other);
        etrace_match_due(&m, &csr);
        etrace_match_due(&m, &atomic);
        due(&m, n, n);
    }
    sent(&m, 1);
    etrace_match_decide(&m, true);
    assert_int_equal(taken(&m).left_out, 0);
    m.has_csrs = true;
    sent(&m, 2);
    etrace_match_decide(&m, true);
    assert_int_equal(taken(&m).left_out, 1);
    m.has_atomics = true;
    sent(&m, 3);
    etrace_match_decide(&m, true);
    assert_int_equal(taken(&m).left_out, 2);
    etrace_match_close(&m);
}

/* An LR whose address is not known, and loads at 1 and 2; packets of loads at these addresses. */
static void after_lr(const uint64_t *packets, size_t count, bool broken)
{
    const struct etrace_access lr = {.type = ETRACE_ACCESS_OTHER, .bytes = 4};
    struct etrace_match m;
    open_match(&m, true);
    etrace_match_due(&m, &lr);
    due(&m, 1, 2);
    for (size_t n = 0; n < count; n++) {
        sent(&m, packets[n]);
    }
    etrace_match_decide(&m, true);
    assert_int_equal(m.broken, broken);
    for (size_t n = 0; n < count; n++) {
        const struct etrace_sent p = taken(&m);
        assert_true(p.found);
        assert_int_equal(p.left_out, 0);
    }
    etrace_match_close(&m);
}

static void a_packet_is_of_lr_or_the_access_after_it_as_the_next_one_says(void **state)
{
    static const uint64_t without[] = {1, 2}, with[] = {1, 1, 2}, another[] = {7, 1, 2};
    (void)state;
    after_lr(without, 2, false);
    after_lr(with, 3, false);
    after_lr(another, 3, false);
    after_lr(without, 1, false);
}

static void where_the_next_packet_does_not_say_which_nothing_is_sure(void **state)
{
    const struct etrace_access lr = {.type = ETRACE_ACCESS_OTHER, .bytes = 4};
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    etrace_match_due(&m, &lr);
    due(&m, 1, 1);
    due(&m, 1, 1);
    sent(&m, 1);
    sent(&m, 1);
    etrace_match_decide(&m, true);
    assert_true(m.broken);
    assert_true(taken(&m).found);
    assert_true(taken(&m).found);
    etrace_match_close(&m);
}

static void responses_are_compared_with_the_access_of_their_request(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    struct etrace_access access = load_at(1);
    access.value = 7;
    access.value_known = true;
    etrace_match_due(&m, &access);
    for (unsigned n = 0; n < 3; n++) {
        sent(&m, 1);
        struct etrace_sent *packet = &m.sent[n];
        packet->index = 5;
        packet->request = n == 0;
        packet->responds = n > 0;
        packet->says.value_known = n > 0;
        packet->says.value = 8;
    }
    etrace_match_decide(&m, true);
    assert_true(taken(&m).found);
    struct etrace_sent p = taken(&m);
    assert_true(!p.found && p.sure && p.differs == ETRACE_DIFFERS_DATA);
    assert_int_equal(p.due.value, 7);
    p = taken(&m); /* there is no request that is open */
    assert_true(!p.found && !p.sure);
    etrace_match_close(&m);
}

static void what_there_is_no_room_for_is_dropped(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    due(&m, 1, ETRACE_MATCH_DUE + 2);
    assert_int_equal(m.due_count, ETRACE_MATCH_DUE);
    sent(&m, 3);
    etrace_match_decide(&m, true);
    struct etrace_sent p = taken(&m);
    assert_true(p.found && p.left_out == 2 && p.left_out_at == 2);
    assert_false(etrace_match_skip(&m));
    for (unsigned n = 0; n < ETRACE_MATCH_SENT; n++) {
        assert_non_null(etrace_match_sent(&m));
    }
    assert_null(etrace_match_sent(&m));
    etrace_match_close(&m);
}

static void after_packets_that_had_to_go_before_their_accesses_came_nothing_is_sure(void **state)
{
    struct etrace_match m;
    uint64_t count = 0;
    uint64_t where = 0;
    (void)state;
    open_match(&m, true);
    for (uint64_t at = 1; at <= ETRACE_MATCH_SENT; at++) {
        sent(&m, at);
    }
    etrace_match_decide(&m, false);
    const struct etrace_sent first = taken(&m);
    assert_true(!first.found && !first.sure);
    for (uint64_t at = 2; at <= ETRACE_MATCH_SENT; at++) {
        (void)taken(&m);
    }
    sent(&m, ETRACE_MATCH_SENT + 1);
    due(&m, 1, ETRACE_MATCH_SENT + 4);
    etrace_match_decide(&m, false);
    const struct etrace_sent next = taken(&m);
    assert_true(next.found && next.left_out == 0);
    assert_false(etrace_match_left(&m, &count, &where));
    etrace_match_close(&m);
}

static void accesses_are_skipped_when_the_next_packet_is_of_none(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, false);
    due(&m, 1, ETRACE_MATCH_DUE);
    sent(&m, 5000);
    sent(&m, 5001);
    etrace_match_decide(&m, false);
    assert_true(etrace_match_skip(&m));
    assert_int_equal(m.due_count, 0);
    due(&m, 4097, 5001);
    etrace_match_decide(&m, false);
    assert_true(taken(&m).found);
    assert_true(taken(&m).found);
    etrace_match_close(&m);
}

static void accesses_that_are_left_at_the_end_are_counted(void **state)
{
    struct etrace_match m;
    uint64_t count = 0;
    uint64_t where = 0;
    (void)state;
    open_match(&m, true);
    due(&m, 1, 4);
    assert_false(etrace_match_left(&m, &count, &where)); /* no packet was found */
    sent(&m, 1);
    assert_true(etrace_match_left(&m, &count, &where));
    assert_int_equal(count, 3);
    sent(&m, 9); /* of none of them */
    assert_false(etrace_match_left(&m, &count, &where));
    etrace_match_close(&m);
    open_match(&m, false);
    due(&m, 1, 2);
    sent(&m, 1);
    assert_false(etrace_match_left(&m, &count, &where)); /* not all are traced */
    etrace_match_close(&m);
}

/* Accesses that filters exclude. */
static void excluded(struct etrace_match *m, uint64_t first, uint64_t last)
{
    for (uint64_t at = first; at <= last; at++) {
        struct etrace_access access = load_at(at);
        access.excluded = true;
        etrace_match_due(m, &access);
    }
}

static void a_packet_of_an_access_that_filters_exclude_is_told(void **state)
{
    struct etrace_match m;
    struct etrace_sent p;
    (void)state;
    open_match(&m, true);
    due(&m, 1, 1);
    excluded(&m, 2, 4);
    due(&m, 2, 2);
    due(&m, 5, 5);
    excluded(&m, 6, 7);
    sent(&m, 1);
    sent(&m, 2); /* of the second one of these, which is to be traced */
    sent(&m, 5);
    etrace_match_decide(&m, true);
    for (unsigned n = 0; n < 3; n++) {
        p = taken(&m);
        assert_true(p.found && !p.due.excluded && p.left_out == 0);
    }
    sent(&m, 6);
    sent(&m, 7);
    etrace_match_decide(&m, true);
    p = taken(&m);
    assert_true(p.found && p.due.excluded && p.left_out == 0);
    p = taken(&m);
    assert_true(p.found && p.due.excluded && p.due.location == 7);
    excluded(&m, 8, 10);
    sent(&m, 10);
    etrace_match_decide(&m, true);
    assert_int_equal(taken(&m).due.location, 10);
    etrace_match_close(&m);
}

static void an_excluded_access_before_one_that_is_due_is_told_by_what_follows(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    excluded(&m, 1, 3);
    due(&m, 4, 4);
    due(&m, 1, 1); /* the packet is not of this one, or others are left out */
    sent(&m, 1);
    sent(&m, 4);
    etrace_match_decide(&m, true);
    assert_true(taken(&m).due.excluded);
    const struct etrace_sent p = taken(&m);
    assert_true(p.found && !p.due.excluded && p.left_out == 0);
    etrace_match_close(&m);
}

static void of_many_excluded_accesses_in_a_row_a_few_are_held(void **state)
{
    struct etrace_match m;
    (void)state;
    open_match(&m, true);
    due(&m, 1, 1);
    excluded(&m, 2, ETRACE_MATCH_DUE + 1);
    assert_int_equal(m.due_count, 17);
    due(&m, 9999, 9999);
    sent(&m, 1);
    sent(&m, 9999);
    etrace_match_decide(&m, true);
    assert_true(taken(&m).found);
    const struct etrace_sent p = taken(&m);
    assert_true(p.found && p.left_out == 0);
    etrace_match_close(&m);
}

static void an_access_that_may_be_chosen_need_not_be_traced(void **state)
{
    struct etrace_match m;
    struct etrace_access access = load_at(1);
    (void)state;
    open_match(&m, true);
    access.unchosen = true;
    etrace_match_due(&m, &access);
    due(&m, 2, 2);
    sent(&m, 2);
    etrace_match_decide(&m, true);
    assert_int_equal(taken(&m).left_out, 0);
    etrace_match_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_that_are_left_at_the_end_are_counted),
        cmocka_unit_test(where_all_is_traced_each_packet_is_of_the_next_access),
        cmocka_unit_test(otherwise_a_packet_is_of_the_first_access_that_it_can_be_of),
        cmocka_unit_test(what_is_found_before_and_after_a_packet_makes_it_one_between),
        cmocka_unit_test(when_no_access_is_missing_nothing_found_is_sure),
        cmocka_unit_test(after_a_gap_nothing_is_sure),
        cmocka_unit_test(csrs_and_atomic_accesses_count_once_one_is_traced),
        cmocka_unit_test(a_packet_is_of_lr_or_the_access_after_it_as_the_next_one_says),
        cmocka_unit_test(where_the_next_packet_does_not_say_which_nothing_is_sure),
        cmocka_unit_test(responses_are_compared_with_the_access_of_their_request),
        cmocka_unit_test(what_there_is_no_room_for_is_dropped),
        cmocka_unit_test(after_packets_that_had_to_go_before_their_accesses_came_nothing_is_sure),
        cmocka_unit_test(accesses_are_skipped_when_the_next_packet_is_of_none),
        cmocka_unit_test(a_packet_of_an_access_that_filters_exclude_is_told),
        cmocka_unit_test(an_excluded_access_before_one_that_is_due_is_told_by_what_follows),
        cmocka_unit_test(of_many_excluded_accesses_in_a_row_a_few_are_held),
        cmocka_unit_test(an_access_that_may_be_chosen_need_not_be_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
