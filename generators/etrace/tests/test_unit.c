/* Which packets the reference encoder sends for records of the hart, by figure 8.1. */
#include "unit_support.h"

/* --- targets --- */

static void targets_that_the_program_does_not_give_are_reported(void **state)
{
    static const enum etrace_itype uninferable[] = {
        ETRACE_ITYPE_XRET, ETRACE_ITYPE_UNINFERABLE, ETRACE_ITYPE_CALL, ETRACE_ITYPE_TAIL_CALL,
        ETRACE_ITYPE_SWAP, ETRACE_ITYPE_RETURN,      ETRACE_ITYPE_JUMP};
    static const enum etrace_itype inferable[] = {ETRACE_ITYPE_NONE, ETRACE_ITYPE_INFERABLE_CALL,
                                                  ETRACE_ITYPE_INFERABLE_TAIL_CALL,
                                                  ETRACE_ITYPE_INFERABLE_JUMP};
    (void)state;
    configure();
    for (size_t i = 0; i < sizeof uninferable / sizeof uninferable[0]; i++) {
        begin();
        pass(0x1000);
        at(0x1004, uninferable[i]);
        pass(0x2000);
        pass(0x2004);
        end("start 1000; address @2000");
    }
    for (size_t i = 0; i < sizeof inferable / sizeof inferable[0]; i++) {
        begin();
        pass(0x1000);
        at(0x1004, inferable[i]);
        pass(0x2000);
        pass(0x2004);
        pass(0x2008);
        end("start 1000");
    }
}

/* --- branches --- */

/* 8.1: without an address branches are reported when there are 31. */
static void a_full_map_is_reported_without_an_address(void **state)
{
    (void)state;
    configure();
    begin();
    at(0x1000, ETRACE_ITYPE_TAKEN);
    branches(0x2000, 29, true);
    at(0x3000, ETRACE_ITYPE_NOT_TAKEN);
    pass(0x3004);
    pass(0x3008);
    sends("start 1000 taken");
    branches(0x4000, 1, true);
    pass(0x5000);
    sends("map 0:20000000");
    branches(0x5004, 1, false);
    branches(0x5008, 1, true);
    at(0x6000, ETRACE_ITYPE_JUMP);
    pass(0x7000);
    pass(0x7004);
    end("map 2:1 @7000");
}

/* --- traps --- */

static void the_last_instruction_before_a_trap_and_the_first_after_it_are_reported(void **state)
{
    (void)state;
    configure();
    begin();
    trap(ETRACE_ITYPE_EXCEPTION, 4); /* before anything is traced */
    pass(0x1000);
    pass(0x1004);
    now.cause = 5;
    at(0x1008, ETRACE_ITYPE_EXCEPTION);
    at(0x2000, ETRACE_ITYPE_NOT_TAKEN);
    pass(0x2004);
    sends("start 1000; address @1008; exception 5 2000");
    trap(ETRACE_ITYPE_INTERRUPT, 6);
    trap(ETRACE_ITYPE_EXCEPTION, 7); /* before an instruction of its handler has retired */
    now.priv = 1;
    pass(0x3000);
    pass(0x3004);
    sends("address @2004; exception 7 3000 p1");
    at(0x3008, ETRACE_ITYPE_JUMP);
    pass(0x4000);
    trap(ETRACE_ITYPE_INTERRUPT, 6);
    sends("address @4000 updiscon");
    pass(0x5000);
    now.cause = 3;
    at(0x5004, ETRACE_ITYPE_INTERRUPT);
    pass(0x6000);
    pass(0x6004);
    end("interrupt 6 5000 p1; address @5004; interrupt 3 6000 p1");
}

/* 7.3.1 of 2.0. */
static void an_exception_at_the_target_of_a_jump_is_reported_by_itself_in_2_0(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_WIRE, ETRACE_2_0);
    begin();
    const struct etrace_ingress fault = {
        .itype = ETRACE_ITYPE_EXCEPTION, .cause = 12, .iaddr = 0x7000, .priv = 3};
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_JUMP);
    etrace_unit_put(unit, &fault);
    pass(0x2000);
    pass(0x2004);
    sends("start 1000; address @1004; exception 12 7000; start 2000");
    at(0x2008, ETRACE_ITYPE_JUMP);
    etrace_unit_put(unit, &fault);
    trap(ETRACE_ITYPE_EXCEPTION, 7); /* at once, before its handler */
    pass(0x3000);
    pass(0x3004);
    sends("address @2008; exception 12 7000; exception 7 3000");
    at(0x3008, ETRACE_ITYPE_JUMP);
    etrace_unit_put(unit, &fault);
    now.unqualified = true; /* the handler is not traced */
    pass(0x4000);
    pass(0x4004);
    now.unqualified = false;
    end("address @3008; exception 12 7000; support on 1");
}

/* 7.3.1 of 2.0. */
static void of_traps_in_a_row_each_is_reported_in_2_0(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_WIRE, ETRACE_2_0);
    begin();
    pass(0x1000);
    pass(0x1004);
    trap(ETRACE_ITYPE_EXCEPTION, 5);
    trap(ETRACE_ITYPE_INTERRUPT, 7);
    trap(ETRACE_ITYPE_EXCEPTION, 1);
    pass(0x2000);
    pass(0x2004);
    end("start 1000; address @1004; exception 5 0 p0; interrupt 7 0 p0; exception 1 2000");
}

static void a_branch_with_a_trap_is_reported_before_it(void **state)
{
    (void)state;
    configure();
    begin();
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_TAKEN);
    trap(ETRACE_ITYPE_EXCEPTION, 5);
    at(0x2000, ETRACE_ITYPE_TAKEN);
    at(0x2008, ETRACE_ITYPE_JUMP);
    pass(0x3000);
    pass(0x3004);
    end("start 1000; map 1:0 @1004; exception 5 2000; address @3000");
}

/* --- privilege and context (table 4.4) --- */

static void a_change_of_privilege_makes_a_start(void **state)
{
    (void)state;
    configure();
    begin();
    pass(0x1000);
    pass(0x1004);
    now.priv = 1;
    pass(0x1008);
    pass(0x100c);
    sends("start 1000; start 1008 p1");
    at(0x1010, ETRACE_ITYPE_NOT_TAKEN);
    pass(0x1014);
    now.priv = 3;
    pass(0x1018);
    at(0x101c, ETRACE_ITYPE_XRET);
    now.priv = 0;
    pass(0x2000);
    pass(0x2004);
    end("map 1:1 @1014; start 1018; start 2000 p0");
}

static void a_context_is_reported_as_it_asks_for(void **state)
{
    (void)state;
    configure();
    begin();
    pass(0x1000);
    change_context(1, ETRACE_CTYPE_UNREPORTED);
    pass(0x1004);
    change_context(1, ETRACE_CTYPE_PRECISE);
    pass(0x1008); /* it is the same */
    change_context(2, ETRACE_CTYPE_PRECISE);
    pass(0x100c);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    at(0x1010, ETRACE_ITYPE_TAKEN);
    sends("start 1000; start 100c c2");
    change_context(3, ETRACE_CTYPE_PRECISE);
    pass(0x2000);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    pass(0x2004);
    sends("map 1:0 @1010; start 2000 c3");
    change_context(3, ETRACE_CTYPE_DISCONTINUITY);
    pass(0x2008); /* it is the same */
    change_context(4, ETRACE_CTYPE_DISCONTINUITY);
    pass(0x200c);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    pass(0x2010);
    pass(0x2014);
    end("address @2008; exception 0 200c c4");
}

/* ETR2-ING-045: 2.0 reports it as a change of the privilege level. */
static void a_context_that_is_a_discontinuity_is_synchronised_in_2_0(void **state)
{
    (void)state;
    configure();
    set_parameter(&values, ETRACE_WIRE, ETRACE_2_0);
    begin();
    pass(0x1000);
    pass(0x1004);
    change_context(1, ETRACE_CTYPE_DISCONTINUITY);
    pass(0x1008);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    pass(0x100c);
    end("start 1000; start 1008 c1");
}

static void an_imprecise_context_waits_until_nothing_else_is_due(void **state)
{
    (void)state;
    configure();
    setup.literal = true;
    begin();
    pass(0x1000);
    change_context(1, ETRACE_CTYPE_IMPRECISE);
    at(0x1004, ETRACE_ITYPE_JUMP);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    sends("start 1000");
    at(0x2000, ETRACE_ITYPE_JUMP);
    sends("context c1");
    change_context(2, ETRACE_CTYPE_IMPRECISE);
    pass(0x3000);
    now.ctype = ETRACE_CTYPE_UNREPORTED;
    sends("address @2000");
    pass(0x3004);
    sends("address @3000");
    pass(0x3008);
    sends("context c2");
    change_context(2, ETRACE_CTYPE_IMPRECISE);
    pass(0x300c);
    pass(0x3010);
    sends("");
    change_context(3, ETRACE_CTYPE_IMPRECISE);
    now.priv = 1;
    pass(0x3014);
    pass(0x3018);
    end("start 3014 p1 c3"); /* which has it */
}

/* A decoder that stops at the first place with the address of a start could be too early: after a
 * target that it may have passed before, and after a return that was inferred. Figure 8.1 leaves it
 * at that. */
static void the_instruction_before_a_start_is_reported_where_its_place_is_in_doubt(void **state)
{
    (void)state;
    for (unsigned literal = 0; literal < 2; literal++) {
        configure();
        set_parameter(&values, ETRACE_RETURN_STACK_SIZE, 2);
        set_parameter(&values, ETRACE_IMPLICIT_RETURN, 1);
        setup.literal = literal != 0;
        begin();
        pass(0x1000);
        at(0x1004, ETRACE_ITYPE_JUMP);
        pass(0x2000);
        pass(0x2004);
        now.priv = 1;
        pass(0x2008);
        pass(0x200c);
        sends(literal ? "start 1000; address @2000; start 2008 p1"
                      : "start 1000; address @2000; address @2004; start 2008 p1");
        at(0x2010, ETRACE_ITYPE_INFERABLE_CALL);
        at(0x3000, ETRACE_ITYPE_RETURN);
        pass(0x2014);
        now.priv = 0;
        pass(0x2018);
        pass(0x201c);
        sends(literal ? "start 2018 p0" : "address @2014 depth0; start 2018 p0");
        at(0x2020, ETRACE_ITYPE_JUMP);
        change_context(1, ETRACE_CTYPE_PRECISE);
        pass(0x4000);
        now.ctype = ETRACE_CTYPE_UNREPORTED;
        pass(0x4004);
        end(literal ? "start 4000 p0 c1" : "address @2020; start 4000 p0 c1");
    }
}

/* --- the end of tracing --- */

static void the_end_says_whether_the_last_report_was_due_anyway(void **state)
{
    (void)state;
    configure();
    begin();
    etrace_unit_start(unit);
    now.unqualified = true;
    pass(0x0ffc);
    now.unqualified = false;
    pass(0x1000);
    pass(0x1004);
    now.unqualified = true;
    pass(0x1008);
    sends("support on 0; start 1000; address @1004; support on 1");
    pass(0x100c);
    now.unqualified = false;
    pass(0x2000);
    at(0x2004, ETRACE_ITYPE_JUMP);
    pass(0x3000);
    now.unqualified = true;
    pass(0x3004);
    sends("start 2000; address @3000; support on 3");
    now.unqualified = false;
    pass(0x4000); /* alone */
    etrace_unit_stop(unit, false);
    sends("start 4000; support on 1");
    etrace_unit_stop(unit, false);
    sends("");
    pass(0x5000);
    at(0x5004, ETRACE_ITYPE_TAKEN);
    etrace_unit_stop(unit, true);
    sends("start 5000; map 1:0 @5004; support off 1");
    etrace_unit_stop(unit, true);
    sends("support off 0");
    pass(0x6000);
    at(0x6004, ETRACE_ITYPE_JUMP);
    pass(0x7000);
    now.cause = 2;
    at(0x7004, ETRACE_ITYPE_EXCEPTION);
    etrace_unit_stop(unit, true);
    sends("start 6000; address @7000; address @7004; support off 1");
    now.cause = 0;
    pass(0x8000);
    at(0x8004, ETRACE_ITYPE_JUMP);
    trap(ETRACE_ITYPE_INTERRUPT, 9); /* and it does not come to the target */
    pass(0x9000);
    etrace_unit_stop(unit, true);
    end("start 8000; address @8004; interrupt 9 9000; support off 1");
}

static void nothing_is_left_over_from_before_the_end(void **state)
{
    (void)state;
    configure();
    begin();
    pass(0x1000);
    now.cause = 2;
    at(0x1004, ETRACE_ITYPE_EXCEPTION);
    now.unqualified = true;
    pass(0x2000);
    now.unqualified = false;
    pass(0x2004);
    pass(0x2008);
    sends("start 1000; address @1004; support on 1; start 2004");
    at(0x200c, ETRACE_ITYPE_TAKEN);
    etrace_unit_pause(unit);
    sends("map 1:0 @200c; support on 1");
    pass(0x3000);
    at(0x3004, ETRACE_ITYPE_JUMP);
    pass(0x4000);
    pass(0x4004);
    end("start 3000; address @4000");
}

static void lost_packets_are_followed_by_a_start(void **state)
{
    (void)state;
    configure();
    begin();
    pass(0x1000);
    at(0x1004, ETRACE_ITYPE_NOT_TAKEN);
    now.cause = 2;
    at(0x1008, ETRACE_ITYPE_EXCEPTION);
    pass(0x2000);
    sends("start 1000; map 1:1 @1008");
    etrace_unit_lose(unit);
    pass(0x2004);
    sends("support on 2; start 2000");
    at(0x2008, ETRACE_ITYPE_TAKEN);
    pass(0x200c);
    etrace_unit_lose(unit);
    at(0x2010, ETRACE_ITYPE_JUMP);
    pass(0x3000);
    pass(0x3004);
    end("support on 2; start 200c; address @3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_that_the_program_does_not_give_are_reported),
        cmocka_unit_test(a_full_map_is_reported_without_an_address),
        cmocka_unit_test(the_last_instruction_before_a_trap_and_the_first_after_it_are_reported),
        cmocka_unit_test(an_exception_at_the_target_of_a_jump_is_reported_by_itself_in_2_0),
        cmocka_unit_test(of_traps_in_a_row_each_is_reported_in_2_0),
        cmocka_unit_test(a_branch_with_a_trap_is_reported_before_it),
        cmocka_unit_test(a_change_of_privilege_makes_a_start),
        cmocka_unit_test(a_context_is_reported_as_it_asks_for),
        cmocka_unit_test(a_context_that_is_a_discontinuity_is_synchronised_in_2_0),
        cmocka_unit_test(an_imprecise_context_waits_until_nothing_else_is_due),
        cmocka_unit_test(the_instruction_before_a_start_is_reported_where_its_place_is_in_doubt),
        cmocka_unit_test(the_end_says_whether_the_last_report_was_due_anyway),
        cmocka_unit_test(nothing_is_left_over_from_before_the_end),
        cmocka_unit_test(lost_packets_are_followed_by_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
