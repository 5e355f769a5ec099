#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/path.h"

static void a_path_stays_below_its_folder_unless_a_part_leads_upwards(void **state)
{
    (void)state;
    static const char *const stay[] = {"a", "a/b", "a/b/", "./a", "..a/b..", "a/...", "."};
    static const char *const leave[] = {"", "/", "/a", "..", "../a", "a/..", "a/../b", "a//b"};
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        assert_true(assay_path_stays(stay[i]));
    }
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++) {
        assert_false(assay_path_stays(leave[i]));
    }
}

static void a_path_is_tidied_to_its_parts(void **state)
{
    (void)state;
    static const char *const paths[][2] = {
        {"a", "a"},           {"./a", "a"},     {"a/./b/", "a/b"}, {"././a//b/.", "a/b"},
        {".", "."},           {"./", "."},      {"/", "/"},        {"/./a/.", "/a"},
        {"..a/.b", "..a/.b"}, {"../a", "../a"}, {"", ""}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[16];
        strcpy(path, paths[i][0]);
        assay_path_tidy(path);
        assert_string_equal(path, paths[i][1]);
    }
}

static void a_folder_with_a_longer_name_is_not_below_another(void **state)
{
    (void)state;
    assert_true(assay_path_is_below("/a/b", "/a/b/c"));
    assert_true(assay_path_is_below("/", "/a"));
    assert_false(assay_path_is_below("/a/b", "/a/bc"));
    assert_false(assay_path_is_below("/a/b", "/a"));
    assert_false(assay_path_is_below("/a/b", "/a/b"));
}

static void temporary_files_are_where_the_environment_says(void **state)
{
    (void)state;
    setenv("TMPDIR", "", 1);
    assert_string_equal(assay_temporary_folder(), "/tmp");
    unsetenv("TMPDIR");
    assert_string_equal(assay_temporary_folder(), "/tmp");
    FILE *file = assay_temporary_file();
    assert_non_null(file);
    assert_true(fputs("text", file) >= 0);
    rewind(file);
    assert_int_equal(fgetc(file), 't');
    fclose(file);
    setenv("TMPDIR", "/there/is/none", 1);
    assert_string_equal(assay_temporary_folder(), "/there/is/none");
    assert_null(assay_temporary_file());
}

static void the_name_of_a_buffer_is_no_part_of_its_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/assay-path-XXXXXX";
    char file[64];
    char buffer[96];
    assert_non_null(mkdtemp(folder));
    const size_t length = (size_t)snprintf(file, sizeof file, "%s/a#b.ini", folder);
    snprintf(buffer, sizeof buffer, "%s#c#d", file);
    assert_int_equal(assay_path_file_length(buffer), strlen(buffer));
    fclose(fopen(file, "w"));
    assert_int_equal(assay_path_file_length(buffer), length);
    assert_int_equal(assay_path_file_length(file), length);
    fclose(fopen(buffer, "w"));
    assert_int_equal(assay_path_file_length(buffer), strlen(buffer));
    assert_int_equal(remove(buffer) | remove(file) | rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_stays_below_its_folder_unless_a_part_leads_upwards),
        cmocka_unit_test(a_path_is_tidied_to_its_parts),
        cmocka_unit_test(a_folder_with_a_longer_name_is_not_below_another),
        cmocka_unit_test(the_name_of_a_buffer_is_no_part_of_its_files),
        cmocka_unit_test(temporary_files_are_where_the_environment_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
