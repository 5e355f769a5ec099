/* Which packets the reference encoder sends in its optional modes: jumps in sequence, predicted
 * branches, resynchronisation, implicit returns, and filters. */
#include "unit_support.h"

/* --- jumps in sequence (3.2.1) --- */

static void a_sequential_jump_is_inferred_from_the_instruction_before(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_SIJUMP_SUPPORTED, 1);
    set_parameter(&values, ETRACE_SIJUMP, 1);
    begin();
    now.sijump = true;
    at(0x1000, ETRACE_ITYPE_JUMP); /* before which nothing is traced */
    now.sijump = false;
    pass(0x2000);
    now.sijump = true;
    at(0x2004, ETRACE_ITYPE_JUMP);
    now.sijump = false;
    pass(0x3000);
    pass(0x3004);
    sends("start 1000; address @2000");
    trap(ETRACE_ITYPE_INTERRUPT, 7);
    now.sijump = true;
    at(0x4000, ETRACE_ITYPE_JUMP);
    now.sijump = false;
    pass(0x5000);
    pass(0x5004);
    end("address @3004; interrupt 7 4000; address @5000");
    set_parameter(&values, ETRACE_SIJUMP, 0);
    begin();
    pass(0x1000);
    now.sijump = true;
    at(0x1004, ETRACE_ITYPE_JUMP);
    pass(0x2000);
    pass(0x2004);
    end("start 1000; address @2000");
}

/* --- predicted branches (3.2.6) --- */

static void with_prediction(void)
{
    configure();
    set_parameter(&values, ETRACE_BPRED_SIZE, 2);
    set_parameter(&values, ETRACE_BRANCH_PREDICTION, 1);
    set_parameter(&values, ETRACE_F0S_WIDTH, 0);
    begin();
    pass(0x1000);
    pass(0x1004);
    sends("start 1000");
}

static void branches_that_are_predicted_are_counted_from_31_on(void **state)
{
    (void)state;
    with_prediction();
    branches(0x2000, 31, false);
    at(0x3000, ETRACE_ITYPE_TAKEN);
    pass(0x4000);
    sends("count 0");
    branches(0x2000, 31, false);
    pass(0x3000);
    sends("");
    branches(0x3004, 5, false);
    at(0x4000, ETRACE_ITYPE_TAKEN);
    pass(0x4004);
    sends("count 5");
    branches(0x5000, 31, false);
    at(0x6000, ETRACE_ITYPE_JUMP);
    pass(0x7000);
    pass(0x7004);
    sends("count 0 @7000");
    branches(0x5000, 32, false);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    pass(0x8000);
    sends("count 1 @507c");
    pass(0x8004);
    sends("exception 1 8000");
    branches(0x5000, 33, false);
    at(0x6000, ETRACE_ITYPE_TAKEN);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    end("count 2 fail @6000");
}

static void one_wrong_prediction_of_31_makes_a_map(void **state)
{
    (void)state;
    with_prediction();
    branches(0x2000, 30, false);
    branches(0x2078, 1, true);
    pass(0x3000);
    sends("map 0:3fffffff");
    branches(0x3004, 1, true); /* where it was learnt that branches are not taken */
    branches(0x3008, 30, false);
    pass(0x4000);
    sends("map 0:7ffffffe");
    branches(0x4000, 3, false);
    at(0x6000, ETRACE_ITYPE_JUMP);
    pass(0x7000);
    pass(0x7004);
    end("map 3:7 @7000");
}

/* --- resynchronisation (8.2) --- */

static void resynchronise(enum etrace_resync mode, uint64_t max)
{
    configure();
    setup.resync = mode;
    setup.max_resync = max;
    begin();
}

static void a_count_of_cycles_that_expired_makes_a_start(void **state)
{
    (void)state;
    resynchronise(ETRACE_RESYNC_CYCLES, 3);
    for (uint64_t n = 0; n < 9; n++) {
        pass(0x1000 + 4 * n);
    }
    end("start 1000; start 1010");
    resynchronise(ETRACE_RESYNC_CYCLES, 3);
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_TAKEN);
    pass(0x1008);
    pass(0x100c); /* the count is at its maximum */
    pass(0x1010);
    pass(0x1014);
    sends("start 1000; map 1:0 @100c; start 1010");
    etrace_unit_close(unit);
    resynchronise(ETRACE_RESYNC_CYCLES, 3);
    pass(0x1000);
    trap(ETRACE_ITYPE_EXCEPTION, 1); /* a cycle, too, and no instruction */
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    pass(0x2000);
    pass(0x2004);
    pass(0x2008);
    end("start 1000; exception 1 2000");
}

static void a_count_of_packets_that_expired_makes_a_start(void **state)
{
    (void)state;
    resynchronise(ETRACE_RESYNC_PACKETS, 2);
    etrace_unit_start(unit);
    for (uint64_t n = 0; n < 6; n++) {
        at(0x1000 + 0x100 * n, ETRACE_ITYPE_JUMP);
    }
    end("support on 0; start 1000; address @1100; address @1200; address @1300 updiscon; start "
        "1400");
}

static void a_count_of_half_words_that_expired_makes_a_start(void **state)
{
    (void)state;
    resynchronise(ETRACE_RESYNC_HALF_WORDS, 5);
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_TAKEN);
    pass(0x1008); /* 4 half-words */
    now.size = 2;
    pass(0x100c); /* 5 */
    now.size = 4;
    pass(0x100e); /* 7 */
    pass(0x1012);
    sends("start 1000; map 1:0 @100c; start 100e");
    etrace_unit_close(unit);
    resynchronise(ETRACE_RESYNC_HALF_WORDS, 5);
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_TAKEN);
    pass(0x1008);
    pass(0x100c); /* 6: one less could not be reported before */
    pass(0x1010);
    end("start 1000; map 1:0 @1008; start 100c");
}

static void without_resynchronisation_nothing_expires(void **state)
{
    (void)state;
    resynchronise(ETRACE_RESYNC_OFF, 0);
    at(0x1000, ETRACE_ITYPE_JUMP);
    at(0x1100, ETRACE_ITYPE_JUMP);
    at(0x1200, ETRACE_ITYPE_NOT_TAKEN);
    pass(0x1204);
    pass(0x1208);
    end("start 1000; address @1100; map 1:1 @1200");
}

/* --- implicit returns (3.2.5) --- */

static void with_stack(uint64_t stack, uint64_t counter)
{
    configure();
    set_parameter(&values, ETRACE_RETURN_STACK_SIZE, stack);
    set_parameter(&values, ETRACE_CALL_COUNTER_SIZE, counter);
    set_parameter(&values, ETRACE_IMPLICIT_RETURN, 1);
    begin();
    pass(0x1000);
}

static void a_return_to_its_call_is_not_reported(void **state)
{
    (void)state;
    with_stack(2, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_CALL);
    at(0x3000, ETRACE_ITYPE_RETURN);
    now.size = 2;
    at(0x2004, ETRACE_ITYPE_INFERABLE_CALL);
    now.size = 4;
    at(0x3000, ETRACE_ITYPE_RETURN);
    at(0x2006, ETRACE_ITYPE_RETURN);
    at(0x1008, ETRACE_ITYPE_RETURN); /* of no call that is known */
    pass(0x4000);
    pass(0x4004);
    end("start 1000; address @3000; address @4000");
    with_stack(2, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_RETURN);
    pass(0x3000); /* not where the stack says */
    pass(0x3004);
    assert_int_equal(etrace_unit_strayed(unit), 0);
    end("start 1000; address @3000 depth1");
}

static void a_counter_takes_each_return_for_that_of_its_call(void **state)
{
    (void)state;
    with_stack(0, 2);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_RETURN);
    pass(0x1008);
    at(0x100c, ETRACE_ITYPE_INFERABLE_CALL);
    assert_int_equal(etrace_unit_strayed(unit), 0);
    at(0x2000, ETRACE_ITYPE_RETURN);
    pass(0x3000);
    pass(0x3004);
    assert_int_equal(etrace_unit_strayed(unit), 1);
    end("start 1000");
}

/* 6.6.3: after a return that was not mispredicted the depth is said, without one since the last
 * call it is not. */
static void before_a_trap_the_depth_is_said_where_it_is_needed(void **state)
{
    (void)state;
    with_stack(2, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x3000, ETRACE_ITYPE_RETURN);
    pass(0x2004);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    sends("start 1000; address @2004 depth1");
    pass(0x5000);
    at(0x5004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x6000, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x7000, ETRACE_ITYPE_RETURN);
    pass(0x6004);
    at(0x6008, ETRACE_ITYPE_INFERABLE_CALL);
    pass(0x7000);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    sends("exception 1 5000; address @7000");
    pass(0x5000);
    at(0x5004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x6000, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x7000, ETRACE_ITYPE_RETURN);
    pass(0x6004);
    at(0x6008, ETRACE_ITYPE_NOT_TAKEN);
    pass(0x600c);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    sends("exception 1 5000; map 1:1 @600c");
    pass(0x5000);
    at(0x5004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x6000, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x7000, ETRACE_ITYPE_RETURN);
    pass(0x6004);
    pass(0x6008);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    end("exception 1 5000; address @6008 depth1");
}

/* A decoder would go to where the stack says, so that the address goes before the start. */
static void a_mispredicted_return_is_reported_before_a_start(void **state)
{
    (void)state;
    with_stack(1, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    at(0x2004, ETRACE_ITYPE_RETURN);
    now.priv = 1;
    pass(0x3000);
    pass(0x3004);
    pass(0x3008);
    end("start 1000; map 1:1 @3000 updiscon depth1; start 3004 p1");
}

/* The next instruction has another level: outcomes are reported before its start. */
static void goes_to_another_level(uint64_t address, const char *text)
{
    now.priv = 1;
    pass(address);
    pass(address + 4);
    pass(address + 8);
    end(text);
}

static void before_a_start_that_no_mispredicted_return_delays_outcomes_are_reported(void **state)
{
    (void)state;
    with_stack(1, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    at(0x2004, ETRACE_ITYPE_RETURN);
    goes_to_another_level(0x1008, "start 1000; map 1:1 @2004; start 1008 p1");
    with_stack(1, 0);
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    at(0x2004, ETRACE_ITYPE_JUMP);
    goes_to_another_level(0x3000, "start 1000; map 1:1 @2004; start 3000 p1");
    with_stack(1, 0);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    at(0x2004, ETRACE_ITYPE_RETURN); /* of no call that is known */
    goes_to_another_level(0x3000, "start 1000; map 1:1 @2004; start 3000 p1");
    with_stack(0, 1); /* a counter does not notice */
    at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    at(0x2004, ETRACE_ITYPE_RETURN);
    goes_to_another_level(0x3000, "start 1000; map 1:1 @2004; start 3000 p1");
}

static void a_return_in_sequence_is_not_mispredicted(void **state)
{
    (void)state;
    for (unsigned sijump = 0; sijump < 2; sijump++) {
        for (unsigned signalled = 0; signalled < 2; signalled++) {
            with_stack(1, 0);
            etrace_unit_close(unit);
            set_parameter(&values, ETRACE_SIJUMP_SUPPORTED, sijump);
            set_parameter(&values, ETRACE_SIJUMP, sijump);
            begin();
            pass(0x1000);
            at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
            at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
            pass(0x2004);
            now.sijump = signalled != 0;
            at(0x2008, ETRACE_ITYPE_RETURN);
            now.sijump = false;
            goes_to_another_level(0x3000,
                                  sijump && signalled
                                      ? "start 1000; map 1:1 @2008; start 3000 p1"
                                      : "start 1000; map 1:1 @3000 updiscon depth1; start 3004 p1");
        }
    }
}

/* Which of two returns at the same depth was mispredicted only outcomes between them can tell. */
static void a_return_that_can_be_meant_twice_is_counted(void **state)
{
    static const struct {
        bool before, between;
        unsigned ambiguous;
    } cases[] = {{false, false, 1}, {true, false, 1}, {false, true, 0}, {true, true, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        with_stack(2, 0);
        at(0x1004, ETRACE_ITYPE_INFERABLE_CALL);
        at(0x2000, cases[i].before ? ETRACE_ITYPE_NOT_TAKEN : ETRACE_ITYPE_NONE);
        at(0x2004, ETRACE_ITYPE_RETURN);
        at(0x1008, cases[i].between ? ETRACE_ITYPE_NOT_TAKEN : ETRACE_ITYPE_NONE);
        at(0x100c, ETRACE_ITYPE_INFERABLE_CALL);
        at(0x2004, ETRACE_ITYPE_RETURN);
        pass(0x3000);
        pass(0x3004);
        assert_int_equal(etrace_unit_ambiguous(unit), cases[i].ambiguous);
        etrace_unit_close(unit);
    }
}

/* --- cached targets (3.2.7) --- */

static void with_cache(enum etrace_cached cached)
{
    configure();
    set_parameter(&values, ETRACE_CACHE_SIZE, 2);
    set_parameter(&values, ETRACE_JUMP_TARGET_CACHE, 1);
    set_parameter(&values, ETRACE_CACHED_TARGETS, cached);
    begin();
    pass(0x1000);
}

static void jumps_twice(enum etrace_itype itype)
{
    at(0x1004, itype);
    pass(0x2004);
    at(0x2008, itype);
    pass(0x2004);
    now.unqualified = true;
    pass(0x2008);
}

static void a_target_that_is_cached_is_reported_by_its_index(void **state)
{
    (void)state;
    with_cache(ETRACE_CACHED_JUMPS);
    jumps_twice(ETRACE_ITYPE_JUMP);
    end("start 1000; address @2004; index 2; support on 3");
    with_cache(ETRACE_CACHED_JUMPS);
    jumps_twice(ETRACE_ITYPE_XRET);
    end("start 1000; address @2004; address @2004; support on 3");
    with_cache(ETRACE_CACHED_XRETS);
    jumps_twice(ETRACE_ITYPE_XRET);
    end("start 1000; address @2004; index 2; support on 3");
    with_cache(ETRACE_CACHED_UNKNOWN); /* every decoder has those of jumps */
    jumps_twice(ETRACE_ITYPE_XRET);
    end("start 1000; address @2004; address @2004; support on 3");
}

/* --- control registers --- */

static void registers(const char *lines)
{
    configure();
    assert_int_equal(assay_parameters_lines(&values, "test", lines, strlen(lines), NULL), ASSAY_OK);
    setup.filters = true;
    begin();
}

#define FILTER "after_reset=1\niEnable=1\niFilters=1\nfilter0.filterEnable=1\n"

static void what_the_filters_choose_is_traced(void **state)
{
    (void)state;
    registers(FILTER "filter0.matchPrivilege=1\nfilter0.matchChoicePrivilege=8\n");
    assert_true(pass(0x1000));
    now.priv = 1;
    assert_false(pass(0x1004));
    assert_false(pass(0x1008));
    now.priv = 3;
    now.unqualified = true;
    assert_false(pass(0x100c));
    now.unqualified = false;
    assert_true(pass(0x1010));
    assert_true(pass(0x1014));
    sends("start 1000; support on 1; start 1010");
    trap(ETRACE_ITYPE_EXCEPTION, 5); /* its privilege is no condition */
    pass(0x2000);
    pass(0x2004);
    end("address @1014; exception 5 2000");
}

#define COMPARE                                                                                    \
    FILTER "filter0.matchComp1=1\ncomparator0.pFunction=equal\ncomparator0.pMatch=5\n"             \
           "comparator0.sFunction=always\ncomparator0.matchMode=primary\ncomparator0.pInput="

static void each_signal_of_the_record_can_choose(void **state)
{
    (void)state;
    registers(COMPARE "iaddr\ncomparator0.sInput=iaddr\n");
    assert_true(pass(5));
    assert_false(pass(6));
    etrace_unit_close(unit);
    registers(COMPARE "context\ncomparator0.sInput=iaddr\n");
    assert_false(pass(0x1000));
    now.context = 5;
    assert_true(pass(0x1000));
    etrace_unit_close(unit);
    registers(FILTER "impdef_width_p=8\nfilter0.matchImpdef=1\nfilter0.matchMaskImpdef=0xff\n"
                     "filter0.matchValueImpdef=5\n");
    assert_false(pass(0x1000));
    now.impdef = 5;
    assert_true(pass(0x1000));
    etrace_unit_close(unit);
    registers("after_reset=1\niEnable=1\niTrigEnable=1\n");
    assert_true(pass(0x1000));
    now.trigger = 2;
    pass(0x1004);
    now.trigger = 0;
    assert_false(pass(0x1008));
    etrace_unit_close(unit);
    registers(FILTER "filter0.matchEcause=1\nfilter0.matchChoiceEcause=0x20\n");
    assert_false(pass(0x1000));
    trap(ETRACE_ITYPE_EXCEPTION, 5);
    assert_true(pass(0x2000));
    etrace_unit_pause(unit); /* where it goes on, it may be no handler */
    assert_false(pass(0x2004));
    etrace_unit_close(unit);
}

static void an_address_that_is_watched_is_reported(void **state)
{
    (void)state;
    registers("after_reset=1\niEnable=1\ncomparator0.pInput=iaddr\ncomparator0.sInput=iaddr\n"
              "comparator0.pFunction=equal\ncomparator0.pMatch=0x1008\n"
              "comparator0.sFunction=equal\ncomparator0.sMatch=1\ncomparator0.pNotify=1\n");
    pass(0x1000);
    pass(0x1004);
    pass(0x1008);
    now.notify = true;
    pass(0x100c);
    now.notify = false;
    pass(0x1010);
    at(0x1014, ETRACE_ITYPE_JUMP);
    now.notify = true;
    pass(0x2000);
    now.notify = false;
    pass(0x2004);
    end("start 1000; address @1008 notify; address @100c notify; address @2000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequential_jump_is_inferred_from_the_instruction_before),
        cmocka_unit_test(branches_that_are_predicted_are_counted_from_31_on),
        cmocka_unit_test(one_wrong_prediction_of_31_makes_a_map),
        cmocka_unit_test(a_count_of_cycles_that_expired_makes_a_start),
        cmocka_unit_test(a_count_of_packets_that_expired_makes_a_start),
        cmocka_unit_test(a_count_of_half_words_that_expired_makes_a_start),
        cmocka_unit_test(without_resynchronisation_nothing_expires),
        cmocka_unit_test(a_return_to_its_call_is_not_reported),
        cmocka_unit_test(a_counter_takes_each_return_for_that_of_its_call),
        cmocka_unit_test(before_a_trap_the_depth_is_said_where_it_is_needed),
        cmocka_unit_test(a_mispredicted_return_is_reported_before_a_start),
        cmocka_unit_test(before_a_start_that_no_mispredicted_return_delays_outcomes_are_reported),
        cmocka_unit_test(a_return_in_sequence_is_not_mispredicted),
        cmocka_unit_test(a_return_that_can_be_meant_twice_is_counted),
        cmocka_unit_test(a_target_that_is_cached_is_reported_by_its_index),
        cmocka_unit_test(what_the_filters_choose_is_traced),
        cmocka_unit_test(each_signal_of_the_record_can_choose),
        cmocka_unit_test(an_address_that_is_watched_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
