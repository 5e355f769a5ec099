#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/yaml.h"
#include "model/model.h"
#include "model/parameters.h"

static const struct assay_enumerator wires[] = {{111, "1.1.1", ""}, {200, "2.0", ""}};
static const struct assay_enumeration wire_names = {"wire", wires, 2};

enum { WIDTH, LSB, NOCONTEXT, WIRE, IDR0, FREE, COUNT };

static const struct assay_parameter list[COUNT] = {
    [WIDTH] = {.name = "iaddress_width_p", .unit = "bits", .least = 1, .most = 64},
    [LSB] = {.name = "iaddress_lsb_p", .most = 2, .has_default = true, .value = 1},
    [NOCONTEXT] = {.name = "nocontext_p", .most = 1, .has_default = true, .value = 0},
    [WIRE] = {.name = "wire", .least = 111, .most = 255, .names = &wire_names},
    [IDR0] = {.name = "TRCIDR0", .most = UINT32_MAX, .hex = true},
    [FREE] = {.name = "free", .most = UINT64_MAX},
};

static enum assay_error check(const struct assay_parameter_values *values, struct assay_diag *diag)
{
    uint64_t width, lsb;
    if (assay_parameter_get(values, WIDTH, &width) && assay_parameter_get(values, LSB, &lsb) &&
        lsb >= width) {
        return assay_parameter_fail(values, WIDTH, diag, ASSAY_OUT_OF_RANGE,
                                    "addresses of %u bits have no bit %u", (unsigned)width,
                                    (unsigned)lsb);
    }
    return ASSAY_OK;
}

/* A syntax of the format's own: one parameter, named by the first word. */
static enum assay_error read_xml(struct assay_parameter_values *values, const char *path,
                                 const char *text, size_t size, struct assay_diag *diag)
{
    char name[32] = "";
    (void)path;
    memcpy(name, text, size < 31 ? size : 31);
    const struct assay_parameter_setting setting = {
        .name = name, .line = 7, .column = 8, .text = "33", .text_line = 9, .text_column = 10};
    return assay_parameter_configure(values, &setting, diag);
}

static const char *const xml[] = {".xml", ".ipxact", NULL};
static const struct assay_parameter_syntax syntaxes[] = {{"IP-XACT", xml, read_xml}};

static const struct assay_ignored_parameter ignored[] = {
    {.name = "TRCRSR"},
    {.name = "TRCRSCTLR", .is_numbered = true, .least = 2, .most = 31},
};

static const struct assay_parameter_table table = {.list = list,
                                                   .count = COUNT,
                                                   .ignored = ignored,
                                                   .ignored_count = 2,
                                                   .check = check,
                                                   .syntaxes = syntaxes,
                                                   .syntax_count = 1};

static struct assay_parameter_values values;

static int init(void **state)
{
    (void)state;
    assay_parameters_init(&values, &table);
    return 0;
}

static enum assay_error read_yaml(const char *path, const char *text, struct assay_diag *diag)
{
    struct assay_yaml_file file;
    assert_int_equal(assay_yaml_parse(path, text, strlen(text), &file, diag), ASSAY_OK);
    const enum assay_error error = assay_parameters_read(&values, path, file.root, diag);
    assay_yaml_free(&file);
    return error;
}

static enum assay_error read_lines(const char *path, const char *text, struct assay_diag *diag)
{
    return assay_parameters_lines(&values, path, text, strlen(text), diag);
}

static void assert_value(size_t number, uint64_t due, enum assay_parameter_origin origin)
{
    uint64_t value = 99;
    assert_int_equal(assay_parameter_get(&values, number, &value),
                     origin != ASSAY_PARAMETER_UNKNOWN);
    assert_int_equal(value, due);
    assert_int_equal(values.site[number].origin, origin);
}

static void at_first_parameters_have_their_defaults_or_no_value(void **state)
{
    (void)state;
    assert_value(LSB, 1, ASSAY_PARAMETER_DEFAULT);
    assert_value(NOCONTEXT, 0, ASSAY_PARAMETER_DEFAULT);
    assert_value(WIDTH, 0, ASSAY_PARAMETER_UNKNOWN);
    assert_value(WIRE, 0, ASSAY_PARAMETER_UNKNOWN);
    assert_value(FREE, 0, ASSAY_PARAMETER_UNKNOWN);
}

static void a_mapping_sets_what_it_names_with_its_place(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(read_yaml("dir/a.yaml",
                               "iaddress_width_p: 0x20\nnocontext_p: true\nwire: '2.0'\n"
                               "free: 18446744073709551615\nTRCIDR0: 0x2800_0ea1\n",
                               &diag),
                     ASSAY_OK);
    assert_value(WIDTH, 32, ASSAY_PARAMETER_CONFIG);
    assert_value(NOCONTEXT, 1, ASSAY_PARAMETER_CONFIG);
    assert_value(WIRE, 200, ASSAY_PARAMETER_CONFIG);
    assert_value(FREE, UINT64_MAX, ASSAY_PARAMETER_CONFIG);
    assert_value(IDR0, 0x28000ea1, ASSAY_PARAMETER_CONFIG);
    assert_value(LSB, 1, ASSAY_PARAMETER_DEFAULT);
    assert_string_equal(values.files[values.site[WIRE].file], "dir/a.yaml");
    assert_int_equal(values.site[WIRE].line, 3);
    assert_int_equal(values.site[WIRE].column, 7);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
}

static void mistakes_of_a_mapping_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line, column;
        const char *message;
        const char *hint;
    } cases[] = {
        {"[1]\n", ASSAY_WRONG_TYPE, 1, 1, "mapping", ""},
        {"wire: 111\niadress_width_p: 3\n", ASSAY_UNKNOWN_NAME, 2, 1, "iadress_width_p",
         "iaddress_width_p"},
        {"iaddress_width_p: 0\n", ASSAY_OUT_OF_RANGE, 1, 19, "from 1 to 64 bits", ""},
        {"iaddress_width_p: 65\n", ASSAY_OUT_OF_RANGE, 1, 19, "from 1 to 64 bits", ""},
        {"iaddress_width_p: '32'\n", ASSAY_WRONG_TYPE, 1, 19, "a number", ""},
        {"iaddress_width_p: true\n", ASSAY_WRONG_TYPE, 1, 19, "a number", ""},
        {"iaddress_width_p: [32]\n", ASSAY_WRONG_TYPE, 1, 19, "one value", ""},
        {"iaddress_width_p:\n", ASSAY_WRONG_TYPE, 1, 18, "a number", ""},
        {"TRCIDR0: 0x100000000\n", ASSAY_OUT_OF_RANGE, 1, 10, "0xffffffff", ""},
        {"nocontext_p: maybe\n", ASSAY_WRONG_TYPE, 1, 14, "true or false", ""},
        {"nocontext_p: 2\n", ASSAY_OUT_OF_RANGE, 1, 14, "from 0 to 1", ""},
        {"wire: 1.1.2\n", ASSAY_UNKNOWN_NAME, 1, 7, "1.1.2", "1.1.1"},
        {"wire: 110\n", ASSAY_OUT_OF_RANGE, 1, 7, "from 111", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_diag diag = {.line = 0};
        init(NULL);
        const enum assay_error error = read_yaml("x.yaml", cases[i].text, &diag);
        if (error != cases[i].error || diag.line != cases[i].line ||
            diag.column != cases[i].column || strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL || strcmp(diag.path, "x.yaml") != 0) {
            fail_msg("%s: %s at %u:%u: %s (%s)", cases[i].text, assay_error_name(error), diag.line,
                     diag.column, diag.message, diag.hint);
        }
    }
}

static void lines_of_names_and_values_are_read_as_the_tools_write_them(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(read_lines("enc.cfg",
                                "# a comment\r\n; another one\n\n[Required Attributes]\n"
                                "iaddress_width_p=64\n\t iaddress_lsb_p = 0 # halfwords\r\n"
                                "wire=2.0 ; of the wire\nnocontext_p=true",
                                &diag),
                     ASSAY_OK);
    assert_value(WIDTH, 64, ASSAY_PARAMETER_CONFIG);
    assert_value(LSB, 0, ASSAY_PARAMETER_CONFIG);
    assert_value(WIRE, 200, ASSAY_PARAMETER_CONFIG);
    assert_value(NOCONTEXT, 1, ASSAY_PARAMETER_CONFIG);
    assert_int_equal(values.site[LSB].line, 6);
    assert_int_equal(values.site[LSB].column, 20);
    assert_int_equal(read_lines("empty.cfg", "", &diag), ASSAY_OK);
}

static void mistakes_in_lines_are_told_with_their_place(void **state)
{
    (void)state;
    static char longest[1100];
    memset(longest, 'a', sizeof longest - 1);
    const struct {
        const char *text;
        enum assay_error error;
        unsigned line, column;
        const char *message;
    } cases[] = {
        {"wire=111\n  nothing\n", ASSAY_SYNTAX, 2, 3, "NAME=VALUE"},
        {"=1\n", ASSAY_SYNTAX, 1, 1, "NAME=VALUE"},
        {"wire=\n", ASSAY_SYNTAX, 1, 1, "NAME=VALUE"},
        {"wire= # 111\n", ASSAY_SYNTAX, 1, 1, "NAME=VALUE"},
        {"wire=111\nfree=3\nwire=111\n", ASSAY_DUPLICATE, 3, 1, "wire occurs twice"},
        {"# TRCRSR=1\nTRCRSR=1\nfree=3\n TRCRSR = 1\n", ASSAY_DUPLICATE, 4, 2,
         "TRCRSR occurs twice"},
        {"TRCRSCTLR2=1\nTRCRSCTLR3=1\nTRCRSCTLR2=2\n", ASSAY_DUPLICATE, 3, 1,
         "TRCRSCTLR2 occurs twice"},
        {" wires=1\n", ASSAY_UNKNOWN_NAME, 1, 2, "wires"},
        {"free = x\n", ASSAY_WRONG_TYPE, 1, 8, "a number"},
        {"free=1 2\n", ASSAY_WRONG_TYPE, 1, 6, "a number"},
        {"iaddress_width_p=65\n", ASSAY_OUT_OF_RANGE, 1, 18, "64"},
        {longest, ASSAY_LIMIT, 1, 1, "1024"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_diag diag = {.line = 0};
        init(NULL);
        const enum assay_error error = read_lines("x.cfg", cases[i].text, &diag);
        if (error != cases[i].error || diag.line != cases[i].line ||
            diag.column != cases[i].column || strstr(diag.message, cases[i].message) == NULL ||
            strcmp(diag.path, "x.cfg") != 0) {
            fail_msg("%s: %s at %u:%u: %s", cases[i].text, assay_error_name(error), diag.line,
                     diag.column, diag.message);
        }
    }
    struct assay_diag diag;
    memset(longest, ' ', 1024);
    memcpy(longest, "free=", 5);
    memcpy(longest + 1023, "3", 2);
    init(NULL);
    assert_int_equal(read_lines("x.cfg", longest, &diag), ASSAY_OK);
    init(NULL);
    assert_int_equal(assay_parameters_lines(&values, "x.cfg", "fr\0ee=1", 7, &diag), ASSAY_SYNTAX);
    init(NULL);
    assert_int_equal(read_lines("x.cfg", "free=3\n\nTRCRSR=1\nTRCRSR=2\n", &diag), ASSAY_DUPLICATE);
    assert_string_equal(diag.hint, "first at line 3");
}

static void names_that_are_ignored_have_numbers_and_no_value(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        enum assay_error error;
    } lines[] = {
        {"TRCRSR=0x10\nTRCRSCTLR2=0\nTRCRSCTLR31=1\n", "", ASSAY_OK},
        {"TRCRSR=idle\n", "TRCRSR is a number", ASSAY_WRONG_TYPE},
        {"TRCRS=0\n", "no parameter is called \"TRCRS\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSR0=0\n", "no parameter is called \"TRCRSR0\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR=0\n", "no parameter is called \"TRCRSCTLR\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR1=0\n", "no parameter is called \"TRCRSCTLR1\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR32=0\n", "no parameter is called \"TRCRSCTLR32\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR02=0\n", "no parameter is called \"TRCRSCTLR02\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR2x=0\n", "no parameter is called \"TRCRSCTLR2x\"", ASSAY_UNKNOWN_NAME},
        {"TRCRSCTLR4294967298=0\n", "no parameter is called \"TRCRSCTLR4294967298\"",
         ASSAY_UNKNOWN_NAME},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct assay_diag diag = {0};
        assay_parameters_init(&values, &table);
        assert_int_equal(read_lines("a.cfg", lines[i].text, &diag), lines[i].error);
        assert_string_equal(diag.message, lines[i].message);
    }
    struct assay_diag diag = {0};
    assay_parameters_init(&values, &table);
    assert_int_equal(read_yaml("a.yaml", "{TRCRSX: 0}", &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.hint, "did you mean \"TRCRSR\"?");
}

static void a_second_file_may_repeat_and_add_but_not_contradict(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(read_yaml("one.yaml", "free: 3\n", &diag), ASSAY_OK);
    assert_int_equal(read_lines("two.cfg", "free=3\nwire=111\n", &diag), ASSAY_OK);
    assert_value(FREE, 3, ASSAY_PARAMETER_CONFIG);
    assert_value(WIRE, 111, ASSAY_PARAMETER_CONFIG);
    assert_int_equal(read_yaml("three.yaml", "TRCIDR0: 1\nwire: 2.0\n", &diag),
                     ASSAY_CONTRADICTION);
    assert_string_equal(diag.path, "three.yaml");
    assert_int_equal(diag.line, 2);
    assert_int_equal(diag.column, 7);
    assert_non_null(strstr(diag.message, "1.1.1"));
    assert_non_null(strstr(diag.message, "2.0"));
    assert_non_null(strstr(diag.hint, "two.cfg:2:6"));
}

static void the_number_of_files_is_limited(void **state)
{
    (void)state;
    struct assay_diag diag;
    for (unsigned i = 0; i < ASSAY_PARAMETER_FILES; i++) {
        assert_int_equal(read_lines("x.cfg", "", &diag), ASSAY_OK);
    }
    assert_int_equal(read_lines("x.cfg", "", &diag), ASSAY_LIMIT);
    assert_string_equal(diag.path, "x.cfg");
}

static void the_stream_sets_what_is_not_known_and_replaces_defaults(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(assay_parameter_from_stream(&values, WIDTH, 32, 12, &diag), ASSAY_OK);
    assert_int_equal(assay_parameter_from_stream(&values, LSB, 0, 12, &diag), ASSAY_OK);
    assert_value(WIDTH, 32, ASSAY_PARAMETER_STREAM);
    assert_value(LSB, 0, ASSAY_PARAMETER_STREAM);
    assert_int_equal(values.site[WIDTH].offset, 12);
    assert_int_equal(assay_parameter_from_stream(&values, WIDTH, 32, 99, &diag), ASSAY_OK);
    assert_int_equal(values.site[WIDTH].offset, 12);
}

static void a_stream_that_contradicts_the_configuration_is_refused_with_both_places(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(read_yaml("a.yaml", "free: 1\nTRCIDR0: 0x10\n", &diag), ASSAY_OK);
    assert_int_equal(assay_parameter_from_stream(&values, IDR0, 0x10, 5, &diag), ASSAY_OK);
    assert_value(IDR0, 0x10, ASSAY_PARAMETER_CONFIG);
    assert_int_equal(assay_parameter_from_stream(&values, IDR0, 0x11, 5, &diag),
                     ASSAY_CONTRADICTION);
    assert_int_equal(diag.offset, 5);
    assert_non_null(strstr(diag.message, "0x11"));
    assert_non_null(strstr(diag.message, "0x10"));
    assert_non_null(strstr(diag.hint, "a.yaml:2:10"));
    assert_value(IDR0, 0x10, ASSAY_PARAMETER_CONFIG);
}

static void a_stream_that_contradicts_itself_is_refused_with_both_places(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(assay_parameter_from_stream(&values, FREE, 1, 100, &diag), ASSAY_OK);
    assert_int_equal(assay_parameter_from_stream(&values, FREE, 2, 200, &diag),
                     ASSAY_CONTRADICTION);
    assert_int_equal(diag.offset, 200);
    assert_non_null(strstr(diag.hint, "100"));
    assert_value(FREE, 1, ASSAY_PARAMETER_STREAM);
}

static void a_value_that_no_stream_can_have_is_refused(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(assay_parameter_from_stream(&values, WIDTH, 65, 3, &diag), ASSAY_OUT_OF_RANGE);
    assert_int_equal(diag.offset, 3);
    assert_value(WIDTH, 0, ASSAY_PARAMETER_UNKNOWN);
    assert_int_equal(assay_parameter_from_stream(&values, WIDTH, 0, 3, &diag), ASSAY_OUT_OF_RANGE);
}

static void values_that_do_not_go_together_are_refused_where_one_of_them_stands(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OK);
    assert_int_equal(read_yaml("a.yaml", "iaddress_width_p: 1\n", &diag), ASSAY_OK);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OUT_OF_RANGE);
    assert_string_equal(diag.path, "a.yaml");
    assert_int_equal(diag.line, 1);
    assert_int_equal(diag.column, 19);
    init(NULL);
    assert_int_equal(assay_parameter_from_stream(&values, WIDTH, 1, 77, &diag), ASSAY_OK);
    assert_int_equal(assay_parameters_check(&values, &diag), ASSAY_OUT_OF_RANGE);
    assert_int_equal(diag.offset, 77);
    assert_int_equal(diag.line, 0);
}

static void values_are_shown_as_people_write_them(void **state)
{
    (void)state;
    char text[32];
    assay_parameter_text(&list[IDR0], 0x28000ea1, text, sizeof text);
    assert_string_equal(text, "0x28000ea1");
    assay_parameter_text(&list[WIRE], 200, text, sizeof text);
    assert_string_equal(text, "2.0");
    assay_parameter_text(&list[WIRE], 201, text, sizeof text);
    assert_string_equal(text, "201");
    assay_parameter_text(&list[FREE], UINT64_MAX, text, sizeof text);
    assert_string_equal(text, "18446744073709551615");
}

static void a_wrong_table_is_told(void **state)
{
    (void)state;
    assert_null(assay_parameter_table_fault(&table));
    const struct assay_parameter twice[] = {{.name = "a"}, {.name = "a"}};
    const struct assay_parameter empty[] = {{.name = "a", .least = 2, .most = 1}};
    const struct assay_parameter beyond[] = {
        {.name = "a", .most = 1, .has_default = true, .value = 2}};
    const struct assay_parameter byte[] = {{.name = "a", .most = 0xff}};
    static const struct {
        struct assay_parameter_field field;
        bool right;
    } fields[] = {{{.parameter = 0, .bit = 0, .width = 8, .name = "b"}, true},
                  {{.parameter = 0, .bit = 7, .width = 1, .name = "b"}, true},
                  {{.parameter = 0, .bit = 7, .width = 2, .name = "b"}, false},
                  {{.parameter = 0, .bit = 3, .width = 0, .name = "b"}, false},
                  {{.parameter = 1, .bit = 0, .width = 1, .name = "b"}, false},
                  {{.parameter = 0, .bit = 60, .width = 5, .name = "b"}, false}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const struct assay_parameter_table with = {
            .list = byte, .count = 1, .fields = &fields[i].field, .field_count = 1};
        assert_true((assay_parameter_table_fault(&with) == NULL) == fields[i].right);
    }
    assert_non_null(
        assay_parameter_table_fault(&(struct assay_parameter_table){twice, 2, .check = NULL}));
    assert_non_null(
        assay_parameter_table_fault(&(struct assay_parameter_table){empty, 1, .check = NULL}));
    assert_non_null(
        assay_parameter_table_fault(&(struct assay_parameter_table){beyond, 1, .check = NULL}));
    assert_non_null(assay_parameter_table_fault(
        &(struct assay_parameter_table){list, ASSAY_MAX_PARAMETERS + 1, .check = NULL}));
}

/* --- files --- */

static enum assay_error load(const char *extension, const char *text, struct assay_diag *diag)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/assay-parameters-XXXXXX%s", extension);
    const int fd = mkstemps(path, (int)strlen(extension));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    *diag = (struct assay_diag){.line = 0};
    const enum assay_error error = assay_parameters_load(&values, path, diag);
    if (error != ASSAY_OK) {
        assert_string_equal(diag->path, path);
    }
    unlink(path);
    return error;
}

static void the_extension_of_a_file_says_how_it_is_written(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(load(".cfg", "free=1\n", &diag), ASSAY_OK);
    assert_int_equal(load(".scf", "free=1\n", &diag), ASSAY_OK);
    assert_int_equal(load(".yaml", "free: 1\n", &diag), ASSAY_OK);
    assert_int_equal(load("", "free: 1\n", &diag), ASSAY_OK);
    assert_int_equal(load(".xml", "iaddress_width_p", &diag), ASSAY_OK);
    assert_value(WIDTH, 33, ASSAY_PARAMETER_CONFIG);
    assert_int_equal(values.site[WIDTH].line, 9);
    assert_int_equal(load(".yaml", "free=1\n", &diag), ASSAY_WRONG_TYPE);
    assert_int_equal(load(".cfg", "free: 1\n", &diag), ASSAY_SYNTAX);
    assert_int_equal(load(".xml", "unknown", &diag), ASSAY_UNKNOWN_NAME);
    assert_int_equal(diag.line, 7);
}

static void a_file_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct assay_diag diag;
    assert_int_equal(assay_parameters_load(&values, "/nowhere.cfg", &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, "/nowhere.cfg");
    assert_int_equal(assay_parameters_load(&values, "/tmp", &diag), ASSAY_NOT_READABLE);
}

static void the_array_of_values_has_the_default_of_what_nobody_gave(void **state)
{
    (void)state;
    uint64_t out[COUNT];
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assert_int_equal(read_yaml("a.yaml", "{free: 9, iaddress_lsb_p: 2}", &diag), ASSAY_OK);
    assay_parameters_array(&table, NULL, out);
    assert_int_equal(out[LSB], 1);
    assert_int_equal(out[FREE], 0);
    assay_parameters_array(&table, &values, out);
    assert_int_equal(out[LSB], 2);
    assert_int_equal(out[FREE], 9);
    assert_int_equal(out[WIDTH], 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, init)
    const struct CMUnitTest tests[] = {
        TEST(the_array_of_values_has_the_default_of_what_nobody_gave),
        TEST(at_first_parameters_have_their_defaults_or_no_value),
        TEST(a_mapping_sets_what_it_names_with_its_place),
        TEST(mistakes_of_a_mapping_are_told_with_their_place),
        TEST(lines_of_names_and_values_are_read_as_the_tools_write_them),
        TEST(mistakes_in_lines_are_told_with_their_place),
        TEST(names_that_are_ignored_have_numbers_and_no_value),
        TEST(a_second_file_may_repeat_and_add_but_not_contradict),
        TEST(the_number_of_files_is_limited),
        TEST(the_stream_sets_what_is_not_known_and_replaces_defaults),
        TEST(a_stream_that_contradicts_the_configuration_is_refused_with_both_places),
        TEST(a_stream_that_contradicts_itself_is_refused_with_both_places),
        TEST(a_value_that_no_stream_can_have_is_refused),
        TEST(values_that_do_not_go_together_are_refused_where_one_of_them_stands),
        TEST(values_are_shown_as_people_write_them),
        TEST(a_wrong_table_is_told),
        TEST(the_extension_of_a_file_says_how_it_is_written),
        TEST(a_file_that_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
