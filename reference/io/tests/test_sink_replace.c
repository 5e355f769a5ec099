#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sink.h"

/* Whether files without a name are refused, as some file systems do. */
static bool no_unnamed_files;

/* Instead of the C library's. */
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode =
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(AT_FDCWD, path, flags, mode);
}

static char home[4096];
static char folder[] = "/tmp/assay-replace-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return getcwd(home, sizeof home) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir(home) != 0 || rmdir(folder) != 0;
}

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void expect(const char *path, const char *text)
{
    char read[64] = "";
    FILE *in = fopen(path, "re");
    assert_non_null(in);
    read[fread(read, 1, sizeof read - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(read, text);
}

/* How many files the folder has. */
static int count_files(void)
{
    DIR *list = opendir(".");
    int count = 0;
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(list);
    return count;
}

static struct assay_sink replace(const char *path)
{
    struct assay_sink sink;
    struct assay_diag diag;
    if (assay_sink_replace(&sink, path, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", diag.path, diag.message);
    }
    assay_sink_text(&sink, "new");
    assert_int_equal(assay_sink_flush(&sink), ASSAY_OK);
    return sink;
}

static void the_old_file_stays_until_the_new_one_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_unnamed_files = i != 0;
        put("file", "old");
        assert_int_equal(chmod("file", 0640), 0);
        struct assay_sink sink = replace("file");
        assert_true(assay_sink_can_patch(&sink));
        assay_sink_patch(&sink, 0, "N", 1);
        expect("file", "old");
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
        expect("file", "New");
        struct stat st;
        assert_int_equal(stat("file", &st), 0);
        assert_int_equal(st.st_mode & 0777, 0640);
        assert_int_equal(count_files(), 1);
        assert_int_equal(unlink("file"), 0);
    }
}

static void a_file_that_was_not_there_is_there_when_it_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_unnamed_files = i != 0;
        struct assay_sink sink = replace("file");
        assert_int_not_equal(access("file", F_OK), 0);
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
        expect("file", "new");
        assert_int_equal(count_files(), 1);
        assert_int_equal(unlink("file"), 0);
    }
}

static void what_is_discarded_leaves_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_unnamed_files = i != 0;
        put("file", "old");
        struct assay_sink sink = replace("file");
        assay_sink_discard(&sink);
        expect("file", "old");
        assert_int_equal(count_files(), 1);
        assert_int_equal(unlink("file"), 0);
    }
}

static void after_an_error_the_old_file_stays(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_unnamed_files = i != 0;
        put("file", "old");
        struct assay_sink sink = replace("file");
        assay_sink_patch(&sink, 100, "x", 1);
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_USAGE);
        expect("file", "old");
        assert_int_equal(count_files(), 1);
        assert_int_equal(unlink("file"), 0);
    }
}

static void two_at_once_do_not_meet(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        no_unnamed_files = i != 0;
        struct assay_sink a = replace("a");
        struct assay_sink b = replace("b");
        assay_sink_text(&a, "a");
        assay_sink_text(&b, "b");
        assert_int_equal(assay_sink_close(&a, NULL), ASSAY_OK);
        assert_int_equal(assay_sink_close(&b, NULL), ASSAY_OK);
        expect("a", "newa");
        expect("b", "newb");
        assert_int_equal(unlink("a"), 0);
        assert_int_equal(unlink("b"), 0);
    }
}

static void a_link_stays_and_what_it_leads_to_is_replaced(void **state)
{
    (void)state;
    no_unnamed_files = false;
    assert_int_equal(mkdir("below", 0700), 0);
    assert_int_equal(symlink("below/second", "first"), 0);
    assert_int_equal(symlink("file", "below/second"), 0);
    for (int i = 0; i < 2; i++) { /* the link leads to nothing at first */
        struct assay_sink sink = replace("first");
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
        expect("below/file", "new");
        put("below/file", "old");
    }
    struct stat st;
    assert_int_equal(lstat("first", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(unlink("first"), 0);
    assert_int_equal(unlink("below/second"), 0);
    assert_int_equal(unlink("below/file"), 0);
    assert_int_equal(rmdir("below"), 0);
}

static void links_that_lead_to_each_other_are_an_error(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_diag diag = {0};
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    assert_int_equal(assay_sink_replace(&sink, "a", &diag), ASSAY_NOT_WRITABLE);
    assert_string_equal(diag.path, "a");
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    assert_int_equal(unlink("a"), 0);
    assert_int_equal(unlink("b"), 0);
}

static void what_is_no_regular_file_is_written_directly(void **state)
{
    (void)state;
    char text[4] = "";
    no_unnamed_files = false;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    struct assay_sink sink = replace("pipe");
    assert_int_equal(read(reader, text, 3), 3);
    assert_string_equal(text, "new");
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    close(reader);
    assert_int_equal(unlink("pipe"), 0);
    sink = replace("/dev/null");
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
}

static void what_standard_error_is_gets_more_and_is_not_replaced(void **state)
{
    (void)state;
    put("log", "old ");
    const int kept = dup(STDERR_FILENO);
    const int log = open("log", O_WRONLY | O_APPEND);
    assert_true(kept >= 0 && log >= 0);
    assert_int_equal(dup2(log, STDERR_FILENO), STDERR_FILENO);
    struct assay_sink sink;
    const enum assay_error error = assay_sink_replace(&sink, "log", NULL);
    assay_sink_text(&sink, "new");
    assay_sink_close(&sink, NULL);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    close(kept);
    close(log);
    assert_int_equal(error, ASSAY_OK);
    expect("log", "old new");
    assert_int_equal(unlink("log"), 0);
}

static void a_place_that_cannot_be_written_is_told_before(void **state)
{
    (void)state;
    static const char *const places[] = {"nowhere/file", ".", ""};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct assay_sink sink;
        struct assay_diag diag = {0};
        assert_int_equal(assay_sink_replace(&sink, places[i], &diag), ASSAY_NOT_WRITABLE);
        assert_string_equal(diag.path, places[i]);
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_complete),
        cmocka_unit_test(a_file_that_was_not_there_is_there_when_it_is_complete),
        cmocka_unit_test(what_is_discarded_leaves_nothing),
        cmocka_unit_test(after_an_error_the_old_file_stays),
        cmocka_unit_test(two_at_once_do_not_meet),
        cmocka_unit_test(a_link_stays_and_what_it_leads_to_is_replaced),
        cmocka_unit_test(links_that_lead_to_each_other_are_an_error),
        cmocka_unit_test(what_is_no_regular_file_is_written_directly),
        cmocka_unit_test(what_standard_error_is_gets_more_and_is_not_replaced),
        cmocka_unit_test(a_place_that_cannot_be_written_is_told_before),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
