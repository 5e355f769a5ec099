#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "image/image.h"

static struct assay_image_spec read_option(const char *text)
{
    struct assay_image_spec spec;
    struct assay_diag diag;
    if (assay_image_option(text, &spec, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", text, diag.message);
    }
    return spec;
}

static void a_file_alone_is_an_image_of_any_kind_that_is_visible_everywhere(void **state)
{
    (void)state;
    const struct assay_image_spec spec = read_option("dir/kernel.elf");
    assert_string_equal(spec.path, "dir/kernel.elf");
    assert_int_equal(spec.kind, ASSAY_IMAGE_AUTO);
    assert_false(spec.has_address);
    assert_int_equal(spec.space.given, 0);
    assert_int_equal(spec.bss, ASSAY_IMAGE_BSS_ZERO);
    assert_int_equal(spec.offset, 0);
    assert_int_equal(spec.length, 0);
}

static void everything_can_be_given_in_any_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a.bin@0x80000000,el=1,realm,vmid=7,context=0xffffffffff,raw,bss=absent,offset=16,length=5",
        "a.bin@2147483648,length=0x5,offset=0x10,bss=absent,raw,context=1099511627775,vmid=7,realm,"
        "el=1",
    };
    for (size_t i = 0; i < 2; i++) {
        const struct assay_image_spec spec = read_option(texts[i]);
        assert_string_equal(spec.path, "a.bin");
        assert_true(spec.has_address);
        assert_int_equal(spec.address, 0x80000000);
        assert_int_equal(spec.space.given, ASSAY_SPACE_ALL);
        assert_int_equal(spec.space.el, 1);
        assert_int_equal(spec.space.security, ASSAY_SECURITY_REALM);
        assert_int_equal(spec.space.vmid, 7);
        assert_int_equal(spec.space.context, 0xffffffffff);
        assert_int_equal(spec.kind, ASSAY_IMAGE_RAW);
        assert_int_equal(spec.bss, ASSAY_IMAGE_BSS_ABSENT);
        assert_int_equal(spec.offset, 16);
        assert_int_equal(spec.length, 5);
    }
}

static void each_security_state_has_its_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ASSAY_SECURITY_COUNT; i++) {
        char text[32] = "f,";
        strcat(text, assay_security_name((enum assay_security)i));
        const struct assay_image_spec spec = read_option(text);
        assert_int_equal(spec.space.given, ASSAY_SPACE_SECURITY);
        assert_int_equal(spec.space.security, i);
        char space[64];
        assay_space_text(&spec.space, space, sizeof space);
        assert_string_equal(space, text + 2);
    }
    assert_null(assay_security_name(ASSAY_SECURITY_COUNT));
}

static void a_space_is_written_as_the_option_reads_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"el=0", "el=3,root", "nonsecure,vmid=0",
                                        "el=2,secure,vmid=4294967295,context=18446744073709551615"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[128] = "f,";
        strcat(text, texts[i]);
        const struct assay_image_spec spec = read_option(text);
        char space[128];
        assay_space_text(&spec.space, space, sizeof space);
        assert_string_equal(space, texts[i]);
    }
    char space[64];
    assay_space_text(&(struct assay_space){.el = 3}, space, sizeof space);
    assert_string_equal(space, "every space");
}

static void an_at_sign_begins_an_address_only_before_a_digit(void **state)
{
    (void)state;
    assert_string_equal(read_option("user@host.elf").path, "user@host.elf");
    assert_false(read_option("user@host.elf").has_address);
    const struct assay_image_spec spec = read_option("user@host@0x10,el=0");
    assert_string_equal(spec.path, "user@host");
    assert_int_equal(spec.address, 0x10);
    assert_int_equal(spec.space.given, ASSAY_SPACE_EL);
}

static void mistakes_are_reported_with_their_place_and_the_nearest_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned offset;
        const char *message;
        const char *hint;
    } cases[] = {
        {"", ASSAY_USAGE, 0, "name of a file", ""},
        {"@0x1000", ASSAY_USAGE, 0, "name of a file", ""},
        {",el=1", ASSAY_USAGE, 0, "name of a file", ""},
        {"f@", ASSAY_USAGE, 2, "not an address", "0x"},
        {"f@0x", ASSAY_USAGE, 2, "not an address", "0x"},
        {"f@10h", ASSAY_USAGE, 2, "not an address", "0x"},
        {"f@0x10000000000000000", ASSAY_USAGE, 2, "not an address", "64 bits"},
        {"f@1111111111111111111111111111111111111111111111111111111111111111111111", ASSAY_USAGE, 2,
         "not an address", ""},
        {"f@0x10,", ASSAY_UNKNOWN_NAME, 7, "attribute \"\"", ""},
        {"f,,el=1", ASSAY_UNKNOWN_NAME, 2, "attribute \"\"", ""},
        {"f,el", ASSAY_USAGE, 2, "el needs a value", ""},
        {"f,el=", ASSAY_USAGE, 2, "not a number", ""},
        {"f,el=x", ASSAY_USAGE, 2, "el=x", ""},
        {"f,el=4", ASSAY_OUT_OF_RANGE, 2, "at most 3", ""},
        {"f,el=-1", ASSAY_USAGE, 2, "not a number", ""},
        {"f,el= 1", ASSAY_USAGE, 2, "not a number", ""},
        {"f,vmid=0x100000000", ASSAY_OUT_OF_RANGE, 2, "4294967295", ""},
        {"f,el=1,el=1", ASSAY_DUPLICATE, 7, "el is given twice", ""},
        {"f,secure,root", ASSAY_DUPLICATE, 9, "one security state", ""},
        {"f,elf,raw", ASSAY_DUPLICATE, 6, "elf or raw", ""},
        {"f,secure=1", ASSAY_USAGE, 2, "no value", ""},
        {"f,non-secure", ASSAY_UNKNOWN_NAME, 2, "non-secure", "nonsecure"},
        {"f,el=1,vimd=3", ASSAY_UNKNOWN_NAME, 7, "vimd", "vmid"},
        {"f,contxt=3", ASSAY_UNKNOWN_NAME, 2, "contxt", "context"},
        {"f,bss=none", ASSAY_UNKNOWN_NAME, 2, "zero or absent", ""},
        {"f,length=0", ASSAY_OUT_OF_RANGE, 2, "at least 1", ""},
        {"f,offset=0x8000000000000000", ASSAY_OUT_OF_RANGE, 2, "at most", ""},
        {"f,1111111111111111111111111111111111111111111111111111111111111111111111", ASSAY_USAGE, 2,
         "too long", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_image_spec spec;
        struct assay_diag diag;
        const enum assay_error error = assay_image_option(cases[i].text, &spec, &diag);
        if (error != cases[i].error || diag.offset != cases[i].offset ||
            strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL) {
            fail_msg("%s: %s at %u: %s (%s)", cases[i].text, assay_error_name(error),
                     (unsigned)diag.offset, diag.message, diag.hint);
        }
    }
}

static void a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[ASSAY_IMAGE_PATH_MAX + 2];
    struct assay_image_spec spec;
    memset(text, 'x', ASSAY_IMAGE_PATH_MAX - 1);
    assert_int_equal(assay_image_option(text, &spec, NULL), ASSAY_OK);
    assert_int_equal(strlen(spec.path), ASSAY_IMAGE_PATH_MAX - 1);
    text[ASSAY_IMAGE_PATH_MAX - 1] = 'x';
    assert_int_equal(assay_image_option(text, &spec, NULL), ASSAY_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_alone_is_an_image_of_any_kind_that_is_visible_everywhere),
        cmocka_unit_test(everything_can_be_given_in_any_order),
        cmocka_unit_test(each_security_state_has_its_name),
        cmocka_unit_test(a_space_is_written_as_the_option_reads_it),
        cmocka_unit_test(an_at_sign_begins_an_address_only_before_a_digit),
        cmocka_unit_test(mistakes_are_reported_with_their_place_and_the_nearest_name),
        cmocka_unit_test(a_name_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
