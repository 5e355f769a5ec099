/* The library on a capture, whose streams are of a format that only a manifest names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/library/assay.h"

static char folder[] = "/tmp/assay-example-XXXXXX";

/* A capture and its manifest, by the program. */
static int encode(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0
               ? system("\"$ASSAY\" encode " ASSAY_CORPUS "/XC-0001.pass.one-violates.yaml "
                        "-o capture --manifest-output capture.assay.yaml")
               : -1;
}

static int clean(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static size_t read_capture(uint8_t *bytes, size_t room)
{
    FILE *file = fopen("capture", "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(size > 0 && size < room);
    return size;
}

struct findings {
    size_t count;
    size_t carried;
    uint64_t offset; /* of a carried one */
    uint32_t stream;
};

static void note_violation(void *context, const struct assay_violation *violation)
{
    struct findings *f = context;
    f->count++;
    if (violation->has_stream) {
        assert_string_equal(violation->format, "example");
        f->carried++;
        f->offset = violation->offset;
        f->stream = violation->stream;
    }
}

static struct assay_validator *open_validator(struct findings *findings)
{
    struct assay_validator *v = assay_validator_new();
    assert_non_null(v);
    *findings = (struct findings){0};
    assay_validator_on_violation(v, note_violation, findings);
    return v;
}

static void findings_of_a_carried_stream_tell_the_byte_in_the_capture(void **state)
{
    struct findings findings;
    struct assay_validator *v = open_validator(&findings);
    (void)state;
    assert_int_equal(assay_validator_judge_path(v, "capture.assay.yaml"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assert_int_equal(findings.carried, 1);
    assert_int_equal(findings.stream, 0x10);
    /* Byte 13 of the stream, after four bytes of magic and the heads of three frames. */
    assert_int_equal(findings.offset, 13 + 4 + 3 * 2);
    assay_validator_free(v);
}

static void without_a_manifest_streams_are_not_judged_and_that_is_said(void **state)
{
    struct findings findings;
    struct assay_validator *v = open_validator(&findings);
    uint8_t bytes[4096];
    (void)state;
    const size_t size = read_capture(bytes, sizeof bytes);
    for (int pushed = 0; pushed < 2; pushed++) {
        if (pushed) {
            assert_int_equal(assay_validator_begin(v, "capture"), ASSAY_STATUS_OK);
            assert_int_equal(assay_validator_push(v, bytes, size), ASSAY_STATUS_OK);
            assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
        } else {
            assert_int_equal(assay_validator_judge_buffer(v, "capture", bytes, size),
                             ASSAY_STATUS_OK);
        }
        assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_INCOMPLETE);
        assert_string_equal(
            assay_validator_message(v),
            "stream 0x10: its format is not known (--format or a manifest names it)");
    }
    assay_validator_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_a_carried_stream_tell_the_byte_in_the_capture),
        cmocka_unit_test(without_a_manifest_streams_are_not_judged_and_that_is_said),
    };
    return cmocka_run_group_tests(tests, encode, clean);
}
