/* Snapshots of real trace units and models: each buffer is an input of ETE, with all registers that
 * the format knows and with images that agree. The folder that ASSAY_ETE_SAMPLES names, or
 * shared/samples/ete beside the source tree, has a folder with snapshot.ini for each; where there
 * are none this is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tests/samples.h"
#include "model/model.h"
#include "snapshot/snapshot.h"

static const char *samples(void)
{
    return samples_folder("ASSAY_ETE_SAMPLES", ASSAY_SAMPLES);
}

static void check_images(const char *path, const struct assay_manifest_stream *stream)
{
    struct assay_image_set *set = NULL;
    struct assay_diag diag = {0};
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    if (assay_manifest_images(stream, set, &diag) != ASSAY_OK) {
        fail_msg("%s: %s: %s", path, diag.path, diag.message);
    }
    /* The dumps of this one were not handed on. */
    const bool without = strstr(path, "/event_test/") != NULL;
    assert_int_equal(stream->absent_count > 0, without);
    assert_int_equal(stream->image_count == 0, without);
    assert_int_equal(assay_image_count(set), stream->image_count);
    assay_image_set_free(set);
}

static void check_registers(const char *path, const struct assay_manifest_stream *stream)
{
    static const char *const names[] = {"TRCIDR0",    "TRCIDR1",    "TRCIDR2",    "TRCIDR8",
                                        "TRCDEVARCH", "TRCCONFIGR", "TRCTRACEIDR"};
    const struct assay_format *format = assay_format_by_name(stream->format);
    struct assay_parameter_values values;
    struct assay_diag diag = {0};
    assay_parameters_init(&values, format->parameters);
    if (assay_manifest_configure(stream, &values, &diag) != ASSAY_OK) {
        fail_msg("%s: %s: %s", path, diag.path, diag.message);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t value = 0;
        const int number = assay_parameter_by_name(format->parameters, names[i]);
        assert_true(number >= 0 && assay_parameter_get(&values, (size_t)number, &value));
    }
}

/* Returns how many buffers are at a path. */
static size_t check_input(const char *path)
{
    const struct assay_manifest_options options = {.formats = assay_formats};
    struct assay_manifest m;
    struct assay_diag diag = {0};
    size_t count = 1;
    if (assay_manifest_load(path, &options, &m, &diag) != ASSAY_OK) {
        fail_msg("%s: %s:%u: %s", path, diag.path, (unsigned)diag.line, diag.message);
    }
    if (m.data_count == 0) {
        for (count = 0; count < m.input_count; count++) {
            assert_int_equal(check_input(m.inputs[count]), 1);
        }
    } else {
        assert_string_equal(m.all.format, "ete");
        check_registers(path, &m.all);
        check_images(path, &m.all);
    }
    assay_manifest_free(&m);
    return count;
}

static size_t count_sessions(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += strncmp(entry->d_name, "session", 7) == 0;
    }
    closedir(directory);
    return count;
}

static void every_buffer_of_the_samples_is_an_input_with_registers_and_images(void **state)
{
    (void)state;
    const char *const folder = samples();
    DIR *directory = opendir(folder);
    size_t snapshots = 0;
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char sample[PATH_MAX];
        char path[PATH_MAX + 32];
        snprintf(sample, sizeof sample, "%s/%s", folder, entry->d_name);
        snprintf(path, sizeof path, "%s/%s", sample, CS_SNAPSHOT_FILE);
        if (entry->d_name[0] != '.' && access(path, F_OK) == 0) {
            assert_int_equal(check_input(path), count_sessions(sample));
            snapshots++;
        }
    }
    closedir(directory);
    assert_true(snapshots > 0);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_buffer_of_the_samples_is_an_input_with_registers_and_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
