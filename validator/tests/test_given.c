/* Options that are given twice, and those that contradict each other. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/program/given.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", ""},       {'P', false, "profile", "NAME", ""},
    {'x', false, "execution", "FILE", ""}, {'t', false, "thread", "N", ""},
    {'q', true, "quiet", NULL, ""},        {'p', false, "progress", "WHEN", ""},
    {'r', false, "report", "KIND", ""},    {0}};
static const struct assay_command command = {.name = "check", .options = options};
static const char once[] = "fPxtp";

static int saved;
static FILE *said;

/* What is printed on standard error meanwhile is in `said`. */
static int begin(void **state)
{
    (void)state;
    fflush(stderr);
    saved = dup(STDERR_FILENO);
    said = tmpfile();
    return said != NULL && dup2(fileno(said), STDERR_FILENO) >= 0 ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    return fclose(said);
}

static void assert_says(const char *line)
{
    char text[512] = "";
    fflush(stderr);
    rewind(said);
    const size_t length = fread(text, 1, sizeof text - 1, said);
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, line);
}

static void note(struct assay_given *given, int letter, const char *value)
{
    assert_int_equal(assay_given_note(given, &command, once, letter, value), 0);
}

static void an_option_meant_once_is_refused_the_second_time(void **state)
{
    struct assay_given given = {0};
    (void)state;
    assert_false(assay_given(&given, 'x'));
    note(&given, 'x', "a.exec");
    assert_true(assay_given(&given, 'x'));
    assert_int_equal(assay_given_note(&given, &command, once, 'x', "b.exec"), ASSAY_EXIT_USAGE);
    assert_says("assay check: --execution is given twice: a.exec, and b.exec");
    assert_string_equal(given.values['x'], "a.exec");
}

static void also_with_the_same_value(void **state)
{
    struct assay_given given = {0};
    (void)state;
    note(&given, 't', "1");
    assert_int_equal(assay_given_note(&given, &command, once, 't', "1"), ASSAY_EXIT_USAGE);
    assert_says("assay check: --thread is given twice");
}

static void others_may_be_repeated(void **state)
{
    struct assay_given given = {0};
    (void)state;
    note(&given, 'r', "text");
    note(&given, 'r', "json=a");
    note(&given, 'q', NULL);
    note(&given, 'q', NULL);
    assert_true(assay_given(&given, 'q'));
    assert_false(assay_given(&given, 'f'));
    assert_says("");
}

static int check(const struct assay_given *given, const char *operand)
{
    return assay_given_check(given, &command, &operand, 1);
}

static void a_profile_of_another_format_is_refused(void **state)
{
    struct assay_given given = {0};
    (void)state;
    note(&given, 'P', "astf-0.11");
    assert_int_equal(check(&given, "a.astf"), 0);
    note(&given, 'f', "astf");
    assert_int_equal(check(&given, "a.astf"), 0);
    given = (struct assay_given){0};
    note(&given, 'f', "auto");
    note(&given, 'P', "astf-0.11");
    assert_int_equal(check(&given, "a.astf"), 0);
    given = (struct assay_given){0};
    note(&given, 'P', "astf-0.11");
    note(&given, 'f', "stf");
    assert_int_equal(check(&given, "a.astf"), ASSAY_EXIT_USAGE);
    assert_says("assay check: --profile astf-0.11 is one of astf, not of --format stf");
}

static void a_thread_needs_something_that_can_give_an_execution(void **state)
{
    struct assay_given given = {0};
    (void)state;
    note(&given, 't', "0");
    assert_int_equal(check(&given, "a.assay.yaml"), 0);
    assert_int_equal(check(&given, "/"), 0);
    assert_int_equal(check(&given, "a.astf"), ASSAY_EXIT_USAGE);
    assert_says("assay check: --thread is of a recorded execution, and none is given "
                "(--execution)");
    note(&given, 'x', "a.exec");
    assert_int_equal(check(&given, "a.astf"), 0);
}

static void quiet_refuses_progress_that_is_always_told(void **state)
{
    struct assay_given given = {0};
    (void)state;
    note(&given, 'p', "auto");
    note(&given, 'q', NULL);
    assert_int_equal(check(&given, "a.astf"), 0);
    given = (struct assay_given){0};
    note(&given, 'q', NULL);
    note(&given, 'p', "always");
    assert_int_equal(check(&given, "a.astf"), ASSAY_EXIT_USAGE);
    assert_says("assay check: --quiet and --progress always contradict each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_option_meant_once_is_refused_the_second_time, begin,
                                        end),
        cmocka_unit_test_setup_teardown(also_with_the_same_value, begin, end),
        cmocka_unit_test_setup_teardown(others_may_be_repeated, begin, end),
        cmocka_unit_test_setup_teardown(a_profile_of_another_format_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_needs_something_that_can_give_an_execution, begin,
                                        end),
        cmocka_unit_test_setup_teardown(quiet_refuses_progress_that_is_always_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
