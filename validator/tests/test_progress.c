/* How far a run is: inputs whose size is known, is not, is zero, or does not stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/program/progress.h"

enum { INPUTS = 4, MEGA = 1000000 };

static char folder[] = "/tmp/assay-progress-XXXXXX";
static char paths[INPUTS][64];
static struct assay_input inputs[INPUTS];

/* Files of these sizes, or none where it is negative. */
static void make_inputs(const long *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c.stf", folder, (char)('a' + i));
        inputs[i] = (struct assay_input){.path = paths[i]};
        remove(paths[i]);
        if (sizes[i] >= 0) {
            FILE *file = fopen(paths[i], "wb");
            assert_non_null(file);
            assert_int_equal(fclose(file), 0);
            assert_int_equal(truncate(paths[i], sizes[i]), 0);
        }
    }
}

static void assert_line(const struct assay_progress *p, size_t input, double seconds,
                        const char *wanted)
{
    char line[256];
    assay_progress_line(p, paths[input] + sizeof folder, seconds, line, sizeof line);
    assert_string_equal(line, wanted);
}

static void one_input_tells_its_share_and_the_time_left(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){8 * MEGA}, 1);
    assert_true(assay_progress_begin(&p, inputs, 1));
    assert_line(&p, 0, 0, "a.stf  0 of 8 MB (0%)");
    assay_progress_show(&p, paths[0], 2 * MEGA, 8 * MEGA);
    assert_line(&p, 0, 0.5, "a.stf  2 of 8 MB (25%)");
    assert_line(&p, 0, 2, "a.stf  2 of 8 MB (25%), 1.0 MB/s, 6 s left");
    assert_line(&p, 0, 60, "a.stf  2 of 8 MB (25%), 0.0 MB/s, 3 min left");
    assert_line(&p, 0, 6000, "a.stf  2 of 8 MB (25%), 0.0 MB/s, 5.0 h left");
    assay_progress_show(&p, paths[0], 8 * MEGA, 8 * MEGA);
    assert_line(&p, 0, 4, "a.stf  8 of 8 MB (100%), 2.0 MB/s");
    assay_progress_end(&p);
}

static void many_inputs_are_counted_as_they_end_in_any_order(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){MEGA, 2 * MEGA, 3 * MEGA, 4 * MEGA}, INPUTS);
    assert_true(assay_progress_begin(&p, inputs, INPUTS));
    assert_line(&p, 0, 0, "1 of 4, a.stf  0 of 10 MB (0%)");
    assay_progress_show(&p, paths[0], MEGA / 2, MEGA);
    assay_progress_show(&p, paths[1], 2 * MEGA, 2 * MEGA);
    assert_line(&p, 1, 0, "2 of 4, b.stf  2 of 10 MB (25%)");
    assay_progress_show(&p, paths[3], 4 * MEGA, 4 * MEGA);
    assay_progress_show(&p, paths[0], MEGA, MEGA);
    assert_line(&p, 0, 0, "4 of 4, a.stf  7 of 10 MB (70%)");
    /* What has ended is not counted again, nor what is no input. */
    assay_progress_show(&p, paths[0], MEGA, MEGA);
    assay_progress_show(&p, "elsewhere", MEGA, MEGA);
    assert_int_equal(p.ended, 3);
    assay_progress_show(&p, paths[2], 3 * MEGA, 3 * MEGA);
    assert_line(&p, 2, 0, "4 of 4, c.stf  10 of 10 MB (100%)");
    assay_progress_end(&p);
}

static void the_same_path_twice_is_two_inputs(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){MEGA, MEGA}, 2);
    inputs[1].path = paths[0];
    assert_true(assay_progress_begin(&p, inputs, 2));
    assay_progress_show(&p, paths[0], MEGA, MEGA);
    assert_line(&p, 0, 0, "2 of 2, a.stf  1 of 2 MB (50%)");
    assay_progress_show(&p, paths[0], MEGA, MEGA);
    assert_line(&p, 0, 0, "2 of 2, a.stf  2 of 2 MB (100%)");
    assay_progress_end(&p);
}

static void bytes_without_a_known_total_are_told_as_they_come(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){-1}, 1); /* as for a pipe: there is no regular file */
    assert_true(assay_progress_begin(&p, inputs, 1));
    assay_progress_show(&p, paths[0], 3 * MEGA, 0);
    assert_line(&p, 0, 0, "a.stf  3 MB");
    assay_progress_show(&p, paths[0], 6 * MEGA, 0);
    assert_line(&p, 0, 3, "a.stf  6 MB, 2.0 MB/s");
    assay_progress_end(&p);
}

static void an_empty_file_has_no_share(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){0}, 1);
    assert_true(assay_progress_begin(&p, inputs, 1));
    assert_line(&p, 0, 0, "a.stf  0 MB");
    assay_progress_show(&p, paths[0], 0, 0);
    assert_int_equal(p.ended, 1);
    assert_line(&p, 0, 5, "a.stf  0 MB");
    assay_progress_end(&p);
}

static void an_unknown_total_leaves_the_share_of_the_others_true(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){-1, 4 * MEGA}, 2);
    assert_true(assay_progress_begin(&p, inputs, 2));
    assay_progress_show(&p, paths[0], 9 * MEGA, 0);
    assay_progress_show(&p, paths[0], 9 * MEGA, 9 * MEGA);
    assay_progress_show(&p, paths[1], MEGA, 4 * MEGA);
    assert_line(&p, 1, 0, "2 of 2, b.stf  1 of 4 MB (25%)");
    assert_line(&p, 1, 5, "2 of 2, b.stf  1 of 4 MB (25%), 2.0 MB/s, 2 s left");
    assay_progress_end(&p);
}

/* So it is with a file that grows, and with offsets in what a compressed one holds. */
static void bytes_beyond_the_size_never_pass_all(void **state)
{
    struct assay_progress p;
    (void)state;
    make_inputs((const long[]){2 * MEGA, 2 * MEGA}, 2);
    assert_true(assay_progress_begin(&p, inputs, 2));
    assay_progress_show(&p, paths[0], MEGA, 2 * MEGA);
    assay_progress_show(&p, paths[0], 50 * MEGA, 2 * MEGA);
    assert_line(&p, 0, 0, "1 of 2, a.stf  1 of 4 MB (25%)");
    assay_progress_show(&p, paths[0], 50 * MEGA, 50 * MEGA);
    assert_line(&p, 0, 0, "2 of 2, a.stf  2 of 4 MB (50%)");
    assay_progress_end(&p);
}

static void long_paths_are_cut_in_front(void **state)
{
    struct assay_progress p;
    char line[256];
    (void)state;
    make_inputs((const long[]){MEGA}, 1);
    assert_true(assay_progress_begin(&p, inputs, 1));
    assay_progress_line(&p, "/a/very/long/path/of/many/folders/to/a/trace.stf", 0, line,
                        sizeof line);
    assert_string_equal(line, "...g/path/of/many/folders/to/a/trace.stf  0 of 1 MB (0%)");
    assay_progress_end(&p);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        remove(paths[i]);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_input_tells_its_share_and_the_time_left),
        cmocka_unit_test(many_inputs_are_counted_as_they_end_in_any_order),
        cmocka_unit_test(the_same_path_twice_is_two_inputs),
        cmocka_unit_test(bytes_without_a_known_total_are_told_as_they_come),
        cmocka_unit_test(an_empty_file_has_no_share),
        cmocka_unit_test(an_unknown_total_leaves_the_share_of_the_others_true),
        cmocka_unit_test(bytes_beyond_the_size_never_pass_all),
        cmocka_unit_test(long_paths_are_cut_in_front),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
