#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"

static enum assay_error opened(const char *path, struct assay_diag *diag)
{
    FILE *file = NULL;
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_file_open(path, &file, diag);
    assert_int_equal(error == ASSAY_OK, file != NULL);
    if (file != NULL) {
        fclose(file);
    }
    return error;
}

static int in_a_folder_of_its_own(void **state)
{
    static char folder[] = "/tmp/assay-file-XXXXXX";
    *state = mkdtemp(folder);
    return *state == NULL || chdir(*state) != 0;
}

static int without_it(void **state)
{
    static const char *const names[] = {"pipe", "zeros", "text", "again"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unlink(names[i]);
    }
    return chdir("/") != 0 || rmdir(*state) != 0;
}

static void a_regular_file_is_opened_also_by_a_link(void **state)
{
    struct assay_diag diag;
    (void)state;
    FILE *file = fopen("text", "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink("text", "again"), 0);
    assert_int_equal(opened("text", &diag), ASSAY_OK);
    assert_int_equal(opened("again", &diag), ASSAY_OK);
}

/* A test that waits for a writer would never end. */
static void what_could_hold_the_program_up_is_refused(void **state)
{
    struct assay_diag diag;
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(opened("pipe", &diag), ASSAY_NOT_READABLE);
    assert_string_equal(diag.message, "is no regular file");
    assert_non_null(strstr(diag.hint, "<(COMMAND)"));
    assert_int_equal(symlink("/dev/zero", "zeros"), 0);
    assert_int_equal(opened("zeros", &diag), ASSAY_NOT_READABLE);
    assert_string_equal(diag.message, "is no regular file");
    assert_string_equal(diag.hint, "");
    assert_int_equal(opened(".", &diag), ASSAY_NOT_READABLE);
    assert_string_equal(diag.message, "is a directory");
    assert_int_equal(opened("absent", &diag), ASSAY_NOT_FOUND);
}

static void what_a_shell_hands_over_is_opened(void **state)
{
    struct assay_diag diag;
    int ends[2];
    char path[40];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(opened(path, &diag), ASSAY_OK);
    assert_int_equal(opened("/dev/zero", &diag), ASSAY_OK);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_file_is_opened_also_by_a_link),
        cmocka_unit_test(what_could_hold_the_program_up_is_refused),
        cmocka_unit_test(what_a_shell_hands_over_is_opened),
    };
    return cmocka_run_group_tests(tests, in_a_folder_of_its_own, without_it);
}
