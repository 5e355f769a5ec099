/* Outcomes of branches between the packets that report them and the path that uses them. */
#include "etrace_support.h"

enum { PC = 0x1000 };

static struct etrace_branches b;

static void begin(unsigned size)
{
    b = (struct etrace_branches){0};
    assert_true(etrace_predictor_open(&b.predictor, size, 1));
}

/* The outcome that is next is the one that is taken. */
static bool take(bool predicts)
{
    const bool next = etrace_branches_next(&b, PC, predicts);
    assert_int_equal(etrace_branches_take(&b, PC, predicts), next);
    return next;
}

/* Bit 0 is of the oldest branch, and 1 says that it was not taken (6.7.2). What a packet has above
 * its branches is no outcome. */
static void a_map_has_the_oldest_outcome_in_bit_0(void **state)
{
    (void)state;
    begin(0);
    etrace_branches_add(&b, 0xfa, 3); /* 010 */
    etrace_branches_add(&b, 1, 1);
    assert_int_equal(etrace_branches_count(&b), 4);
    assert_true(take(false));
    assert_false(take(false));
    assert_true(take(false));
    assert_int_equal(etrace_branches_count(&b), 1);
    assert_false(take(false));
    assert_int_equal(etrace_branches_count(&b), 0);
    assert_int_equal(b.map, 0);
}

/* A count is of branches that were predicted rightly, and maybe one after them that was not
 * (6.8.2). */
static void a_count_ends_with_a_branch_that_was_predicted_wrongly(void **state)
{
    (void)state;
    begin(3);
    etrace_branches_predict(&b, 2, true);
    assert_int_equal(etrace_branches_count(&b), 3);
    assert_false(take(true));
    assert_false(take(true));
    assert_int_equal(etrace_branches_count(&b), 1);
    assert_true(take(true));
    assert_int_equal(etrace_branches_count(&b), 0);
    etrace_branches_predict(&b, 2, false);
    etrace_branches_predict(&b, 1, false);
    assert_int_equal(etrace_branches_count(&b), 3);
    etrace_branches_add(&b, 1, 1); /* outcomes of a map are older */
    assert_false(take(true));
    assert_int_equal(etrace_branches_count(&b), 3);
    etrace_branches_drop(&b);
    assert_int_equal(etrace_branches_count(&b), 0);
    etrace_branches_predict(&b, 0, true);
    etrace_branches_add(&b, 0, 1);
    etrace_branches_drop(&b);
    assert_int_equal(etrace_branches_count(&b), 0);
    assert_int_equal(b.map, 0);
    etrace_predictor_close(&b.predictor);
}

/* 3.2.6. A branch that the packet reported which reset the predictor does not change it. */
static void an_outcome_is_learnt_unless_a_reset_came_with_it(void **state)
{
    (void)state;
    begin(3);
    b.unlearned = true;
    etrace_branches_add(&b, 0, 2);
    assert_true(take(true));
    assert_false(etrace_predict(&b.predictor, PC));
    assert_true(take(true));
    assert_true(etrace_predict(&b.predictor, PC));
    etrace_predictor_reset(&b.predictor);
    etrace_branches_add(&b, 0, 2);
    assert_true(take(false)); /* the predictor is not in use */
    assert_false(etrace_predict(&b.predictor, PC));
    b.unlearned = true;
    etrace_branches_drop(&b);
    etrace_branches_add(&b, 0, 1);
    assert_true(take(true)); /* what was dropped was that outcome */
    assert_true(etrace_predict(&b.predictor, PC));
    etrace_predictor_close(&b.predictor);
}

/* Of a full map the encoder says that at least one branch was predicted wrongly (8.1). */
static void wrong_predictions_are_those_of_the_newest_map(void **state)
{
    (void)state;
    begin(0);
    etrace_branches_add(&b, 0, 1);
    etrace_branches_add(&b, 2, 2);
    assert_true(take(false));
    assert_int_equal(b.wrong, 0);
    assert_true(take(false));
    assert_int_equal(b.wrong, 1);
    assert_false(take(false));
    assert_int_equal(b.wrong, 1);
    etrace_branches_add(&b, 0, 2);
    assert_int_equal(b.wrong, 0);
    assert_true(take(false));
    assert_true(take(false));
    assert_int_equal(b.wrong, 2);
}

static void settle(bool predicts, bool taken, unsigned wrong)
{
    etrace_branches_settle(&b, PC, predicts);
    assert_int_equal(etrace_branches_count(&b), 1);
    assert_int_equal(b.in_map, 1);
    assert_int_equal(b.wrong, wrong);
    assert_int_equal(take(predicts), taken);
}

static void an_outcome_that_is_left_goes_before_those_that_follow(void **state)
{
    (void)state;
    begin(3);
    etrace_branches_predict(&b, 1, false);
    settle(true, false, 0);
    etrace_branches_predict(&b, 0, true);
    settle(true, true, 0);
    etrace_predictor_reset(&b.predictor);
    etrace_branches_add(&b, 0, 1); /* not as it is predicted */
    settle(true, true, 1);
    assert_true(etrace_predict(&b.predictor, PC));
    etrace_branches_predict(&b, 1, false);
    settle(true, true, 0);
    etrace_branches_add(&b, 0, 1);
    settle(true, true, 0);
    etrace_branches_predict(&b, 0, true);
    settle(true, false, 0);
    etrace_branches_add(&b, 1, 1);
    settle(false, false, 0);
    etrace_predictor_close(&b.predictor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_has_the_oldest_outcome_in_bit_0),
        cmocka_unit_test(a_count_ends_with_a_branch_that_was_predicted_wrongly),
        cmocka_unit_test(an_outcome_is_learnt_unless_a_reset_came_with_it),
        cmocka_unit_test(wrong_predictions_are_those_of_the_newest_map),
        cmocka_unit_test(an_outcome_that_is_left_goes_before_those_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
