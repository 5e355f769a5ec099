/* Messages on standard error: each is one write, so that those of several programs do not mix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/program/program.h"

enum { ROOM = 32768 };

/* Standard error in the test's hands: a socket that keeps apart what was written apart. */
static int received = -1;
static int standard_error = -1;
static char said[ROOM];

static int take_standard_error(void **state)
{
    int ends[2];
    (void)state;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) {
        return -1;
    }
    received = ends[0];
    standard_error = dup(STDERR_FILENO);
    const bool taken = standard_error >= 0 && dup2(ends[1], STDERR_FILENO) >= 0;
    close(ends[1]);
    return taken ? 0 : -1;
}

static int give_standard_error_back(void **state)
{
    (void)state;
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    close(received);
    return 0;
}

/* What was written: it has to be this, in one write. */
static void assert_said_at_once(const char *wanted)
{
    const ssize_t size = recv(received, said, sizeof said - 1, MSG_DONTWAIT);
    assert_true(size >= 0);
    said[size] = '\0';
    assert_string_equal(said, wanted);
    assert_int_equal(recv(received, said, sizeof said, MSG_DONTWAIT), -1);
}

static void an_error_of_a_file_is_one_write(void **state)
{
    (void)state;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_fail(&diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET, "there is no such file");
    assay_diag_path(&diag, "a\nb\xff.astf");
    assay_say(&diag);
    assert_said_at_once("assay: a\\x0ab\\xff.astf: there is no such file\n");
}

static void a_wrong_command_line_is_one_write(void **state)
{
    static const struct assay_command command = {.name = "check"};
    (void)state;
    assert_int_equal(assay_usage_error(&command, "there is no option \"%s\"", "--\033[1m"),
                     ASSAY_EXIT_USAGE);
    assert_said_at_once(
        "assay check: there is no option \"--\\x1b[1m\"\nSee assay check --help.\n");
}

static void a_text_that_is_too_long_is_cut_before_the_end_of_the_message(void **state)
{
    enum { LONG = 20000 };
    static char text[LONG + 1];
    (void)state;
    memset(text, '\n', LONG);
    assay_say_text("assay: ", text, "!\n");
    const ssize_t size = recv(received, said, sizeof said, MSG_DONTWAIT);
    assert_in_range(size, 8000, LONG);
    assert_memory_equal(said, "assay: \\x0a", 11);
    assert_memory_equal(said + size - 6, "\\x0a!\n", 6);
    assert_int_equal(recv(received, said, sizeof said, MSG_DONTWAIT), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_error_of_a_file_is_one_write, take_standard_error,
                                        give_standard_error_back),
        cmocka_unit_test_setup_teardown(a_wrong_command_line_is_one_write, take_standard_error,
                                        give_standard_error_back),
        cmocka_unit_test_setup_teardown(
            a_text_that_is_too_long_is_cut_before_the_end_of_the_message, take_standard_error,
            give_standard_error_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
