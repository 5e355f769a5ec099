/* Vectors that extend bases: what they take from them, and what is refused, with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/vector/vector.h"

/* --- files of a test: texts by their paths --- */

struct text_file {
    const char *path;
    const char *text;
};

static enum assay_error read_text(void *context, const char *path, struct assay_yaml_file *file,
                                  struct assay_diag *diag)
{
    for (const struct text_file *one = context; one->path != NULL; one++) {
        if (strcmp(one->path, path) == 0) {
            return assay_yaml_parse(path, one->text, strlen(one->text), file, diag);
        }
    }
    return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET, "cannot be read");
}

/* Reads the first of the files, a vector; those after it are its bases. */
static enum assay_error read_first(const struct text_file *files, struct assay_vector *vector,
                                   struct assay_diag *diag)
{
    const struct assay_vector_files reader = {.read = read_text,
                                              .context = (void *)(uintptr_t)files};
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    return assay_vector_parse(files[0].path, files[0].text, strlen(files[0].text), &reader, vector,
                              diag);
}

static struct assay_sink bytes_of(const struct text_file *files)
{
    struct assay_vector vector;
    struct assay_diag diag;
    struct assay_sink bytes;
    if (read_first(files, &vector, &diag) != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, diag.line, diag.message);
    }
    assay_sink_memory(&bytes, 0);
    if (assay_vector_encode(&vector, &bytes, &diag) != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, diag.line, diag.message);
    }
    assay_vector_free(&vector);
    return bytes;
}

/* Both give the same trace, which is not empty. */
static void assert_same_trace(const struct text_file *files, const char *whole)
{
    const struct text_file one[] = {{"whole.yaml", whole}, {NULL, NULL}};
    struct assay_sink a = bytes_of(files);
    struct assay_sink b = bytes_of(one);
    assert_true(a.size > 0);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    assay_sink_close(&a, NULL);
    assay_sink_close(&b, NULL);
}

/* The first file is refused, at a line of a file, with a message that has the text. */
static void assert_refused(const struct text_file *files, enum assay_error error, const char *path,
                           unsigned line, const char *text)
{
    struct assay_vector vector;
    struct assay_diag diag;
    const enum assay_error got = read_first(files, &vector, &diag);
    assert_int_equal(got, error);
    assert_string_equal(diag.path, path);
    assert_int_equal(diag.line, line);
    if (strstr(diag.message, text) == NULL) {
        fail_msg("\"%s\" is not in: %s", text, diag.message);
    }
    assert_int_equal(read_first(files, &vector, &(struct assay_diag){0}), error);
}

#define EL0                                                                                        \
    "vector: 1\nformat: astf\ntrace:\n  - header: {version_minor: 11}\n  - context: {el: 0}\n"
#define NOP "  - instr: {pc: 0x1000, iword: 0xd503201f}\n"

/* --- what is taken from a base --- */

static void the_events_of_the_base_stand_before_those_of_the_vector(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"corpus/astf/order/v.yaml", "vector: 1\nbase: ../_base/el0.yaml\ntrace:\n" NOP},
        {"corpus/astf/_base/el0.yaml", EL0},
        {NULL, NULL}};
    assert_same_trace(files, EL0 NOP);
}

static void a_vector_may_have_no_events_but_those_of_its_base(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: el0.yaml\n"}, {"el0.yaml", EL0}, {NULL, NULL}};
    assert_same_trace(files, EL0);
}

static void bases_extend_bases_each_from_its_own_folder(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"a/b/v.yaml", "vector: 1\nbase: ../bases/deep/two.yaml\ntrace:\n" NOP},
        {"a/bases/deep/two.yaml", "vector: 1\nbase: ../one.yaml\ntrace:\n  - context: {el: 0}\n"},
        {"a/bases/one.yaml", "vector: 1\nformat: astf\ntrace:\n  - header: {version_minor: 11}\n"},
        {NULL, NULL}};
    assert_same_trace(files, EL0 NOP);
}

static void a_base_is_found_two_folders_up(void **state)
{
    (void)state;
    const char *const paths[] = {"corpus/astf/order/ASTF-0016/v.yaml", "order/ASTF-0016/v.yaml",
                                 "ASTF-0016/v.yaml", "v.yaml"};
    const char *const bases[] = {"corpus/astf/_base/el0.yaml", "_base/el0.yaml",
                                 "../_base/el0.yaml", "../../_base/el0.yaml"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const struct text_file files[] = {
            {paths[i], "vector: 1\nbase: ../../_base/el0.yaml\ntrace:\n" NOP},
            {bases[i], EL0},
            {NULL, NULL}};
        assert_same_trace(files, EL0 NOP);
    }
}

static void with_changes_and_adds_fields_of_events_of_the_base(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: el0.yaml\n"
                   "with: {header: {single_el: 1}, context: {el: 1, handler: 1}}\ntrace:\n" NOP},
        {"el0.yaml", EL0},
        {NULL, NULL}};
    assert_same_trace(files, "vector: 1\nformat: astf\ntrace:\n"
                             "  - header: {version_minor: 11, single_el: 1}\n"
                             "  - context: {el: 1, handler: 1}\n" NOP);
}

static void with_gives_fields_to_an_event_that_has_none_in_the_base(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: b.yaml\nwith: {context: {el: 2}}\n"},
        {"b.yaml", "vector: 1\nformat: astf\ntrace:\n  - header: {}\n  - context:\n"},
        {NULL, NULL}};
    assert_same_trace(files, "vector: 1\nformat: astf\ntrace:\n  - header: {}\n"
                             "  - context: {el: 2}\n");
}

static void with_of_a_base_holds_for_what_that_base_extends(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: el1.yaml\ntrace:\n  - context: {el: 3}\n"},
        {"el1.yaml", "vector: 1\nbase: el0.yaml\nwith: {context: {el: 1}}\n"},
        {"el0.yaml", EL0},
        {NULL, NULL}};
    assert_same_trace(files, "vector: 1\nformat: astf\ntrace:\n  - header: {version_minor: 11}\n"
                             "  - context: {el: 1}\n  - context: {el: 3}\n");
}

static void pokes_and_cuts_count_from_the_begin_of_the_whole_trace(void **state)
{
    (void)state;
    const struct text_file files[] = {{"v.yaml",
                                       "vector: 1\nbase: el0.yaml\ntrace:\n" NOP
                                       "after: {poke: [{at: 33, hex: \"ff\"}], truncate: 70}\n"},
                                      {"el0.yaml", EL0},
                                      {NULL, NULL}};
    assert_same_trace(files, EL0 NOP "after: {poke: [{at: 33, hex: \"ff\"}], truncate: 70}\n");
}

static void a_key_of_the_vector_replaces_that_of_the_base_and_the_nearest_base_wins(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: b.yaml\nfacts: {zva_bytes: 64}\n"},
        {"b.yaml", "vector: 1\nbase: c.yaml\nconfig: {storage: xz}\nfacts: {page_size: 4096}\n"
                   "image: [{at: 0x1000, hex: \"00\"}]\n"},
        {"c.yaml", EL0 "config: {storage: raw}\ninterpret: {INT-ASTF-04: illegal}\n"
                       "profile: astf-0.11\n"},
        {NULL, NULL}};
    struct assay_vector vector;
    struct assay_diag diag;
    assert_int_equal(read_first(files, &vector, &diag), ASSAY_OK);
    assert_string_equal(vector.storage, "xz");
    assert_int_equal(assay_image_count(vector.images), 1);
    assert_int_equal(vector.interpret->count, 1);
    assert_int_not_equal(vector.profile, 0);
    assert_int_equal(vector.base_count, 2);
    assay_vector_free(&vector);
}

/* --- what is refused --- */

static void a_loop_of_bases_is_refused_where_it_closes(void **state)
{
    (void)state;
    const struct text_file itself[] = {{"x/v.yaml", "vector: 1\nbase: v.yaml\n"}, {NULL, NULL}};
    const struct text_file two[] = {{"x/v.yaml", "vector: 1\nbase: ../y/a.yaml\n"},
                                    {"y/a.yaml", "vector: 1\nbase: b.yaml\n"},
                                    {"y/b.yaml", "vector: 1\nformat: astf\nbase: ../y/a.yaml\n"},
                                    {NULL, NULL}};
    assert_refused(itself, ASSAY_DUPLICATE, "x/v.yaml", 2, "x/v.yaml extends itself");
    assert_refused(two, ASSAY_DUPLICATE, "y/b.yaml", 3, "y/a.yaml extends itself");
}

static void more_bases_in_a_row_than_the_limit_are_refused(void **state)
{
    (void)state;
    const struct text_file files[] = {{"v.yaml", "vector: 1\nbase: 1.yaml\n"},
                                      {"1.yaml", "vector: 1\nbase: 2.yaml\n"},
                                      {"2.yaml", "vector: 1\nbase: 3.yaml\n"},
                                      {"3.yaml", "vector: 1\nbase: 4.yaml\n"},
                                      {"4.yaml", "vector: 1\nbase: 5.yaml\n"},
                                      {"5.yaml", EL0},
                                      {NULL, NULL}};
    assert_refused(files, ASSAY_LIMIT, "4.yaml", 2, "at most 4 bases");
    struct assay_vector vector;
    struct assay_diag diag;
    assert_int_equal(read_first(files + 1, &vector, &diag), ASSAY_OK);
    assay_vector_free(&vector);
}

static void a_missing_base_is_named(void **state)
{
    (void)state;
    const struct text_file files[] = {{"a/b/v.yaml", "vector: 1\nbase: ../_base/none.yaml\n"},
                                      {NULL, NULL}};
    assert_refused(files, ASSAY_NOT_FOUND, "a/b/v.yaml", 2, "a/_base/none.yaml: cannot be read");
}

static void a_base_is_refused_where_there_is_nothing_to_read_it_from(void **state)
{
    (void)state;
    static const char text[] = "vector: 1\nbase: b.yaml\n";
    struct assay_vector vector;
    struct assay_diag diag = {0};
    assert_int_equal(assay_vector_parse("v.yaml", text, strlen(text), NULL, &vector, &diag),
                     ASSAY_UNSUPPORTED);
    assert_int_equal(diag.line, 2);
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/etc/b.yaml", "../../../b.yaml", "a/../b.yaml", "../a/../../b.yaml",
        "./b.yaml",    "a//b.yaml",       "..",          "\"\"",
        "b/",          "[b.yaml]",        "{b: c}",      "\"b\\0.yaml\""};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "vector: 1\nbase: %s\n", paths[i]);
        const struct text_file files[] = {{"a/b/v.yaml", text}, {NULL, NULL}};
        assert_refused(files, ASSAY_SYNTAX, "a/b/v.yaml", 2, "relative path");
    }
}

static void a_base_that_says_what_is_shown_is_refused_at_the_place_in_the_base(void **state)
{
    (void)state;
    static const char *const keys[] = {"fails: [ASTF-0001]",  "passes: []", "silent: [ASTF-0001]",
                                       "events: {list: []}",  "refuses: x", "execution: []",
                                       "after: {truncate: 1}"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "vector: 1\nformat: astf\n%s\n", keys[i]);
        const struct text_file files[] = {
            {"v.yaml", "vector: 1\nbase: b.yaml\n"}, {"b.yaml", text}, {NULL, NULL}};
        assert_refused(files, ASSAY_UNKNOWN_NAME, "b.yaml", 3, "for the vector to say");
    }
}

static void an_unknown_key_of_a_base_is_refused_at_its_place(void **state)
{
    (void)state;
    const struct text_file files[] = {
        {"v.yaml", "vector: 1\nbase: b.yaml\n"}, {"b.yaml", EL0 "tracee: []\n"}, {NULL, NULL}};
    assert_refused(files, ASSAY_UNKNOWN_NAME, "b.yaml", 6, "tracee");
}

static void a_base_is_checked_as_a_vector_is(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        unsigned line;
    } cases[] = {
        {"format: astf\n", ASSAY_UNSUPPORTED, 1},
        {"vector: 2\n", ASSAY_UNSUPPORTED, 1},
        {"- vector: 1\n", ASSAY_WRONG_TYPE, 1},
        {"vector: 1\nformat: stf\n", ASSAY_WRONG_TYPE, 2},
        {"vector: 1\ntrace: 3\n", ASSAY_SYNTAX, 2},
        {"vector: 1\nfacts: {page: 1}\n", ASSAY_UNKNOWN_NAME, 2},
        {"vector: 1\nconfig: {stored: xz}\n", ASSAY_UNKNOWN_NAME, 2},
        {"vector: 1\nprofile: astf-9\n", ASSAY_UNKNOWN_NAME, 2},
        {"vector: 1\nimage: {}\n", ASSAY_WRONG_TYPE, 2},
        {"vector: 1\nwith: {header: {el: 1}}\n", ASSAY_WRONG_TYPE, 2},
        {"vector: 1\n  x: [\n", ASSAY_SYNTAX, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct text_file files[] = {
            {"v.yaml", "vector: 1\nformat: astf\nbase: b.yaml\ntrace: []\n"},
            {"b.yaml", cases[i].text},
            {NULL, NULL}};
        assert_refused(files, cases[i].error, "b.yaml", cases[i].line, "");
    }
}

static void an_event_of_a_base_that_cannot_be_written_is_told_at_its_place(void **state)
{
    (void)state;
    static const char *const events[] = {"contxt: {el: 0}",       "context: {ell: 0}", "context: 3",
                                         "context: {el: 0x1000}", "raw: xyz",          "raw"};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "vector: 1\nformat: astf\ntrace:\n  - %s\n", events[i]);
        const struct text_file files[] = {
            {"v.yaml", "vector: 1\nbase: b.yaml\ntrace:\n" NOP}, {"b.yaml", text}, {NULL, NULL}};
        struct assay_vector vector;
        struct assay_diag diag;
        struct assay_sink sink;
        assert_int_equal(read_first(files, &vector, &diag), ASSAY_OK);
        assay_sink_memory(&sink, 0);
        assert_int_not_equal(assay_vector_encode(&vector, &sink, &diag), ASSAY_OK);
        assert_string_equal(diag.path, "b.yaml");
        assert_int_equal(diag.line, 4);
        assay_sink_close(&sink, NULL);
        assay_vector_free(&vector);
    }
}

static void with_that_fits_no_event_or_several_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        enum assay_error error;
        const char *message;
    } cases[] = {
        {"{trap: {ec: 1}}", ASSAY_UNKNOWN_NAME, "no event trap"},
        {"{colour: {ec: 1}}", ASSAY_UNKNOWN_NAME, "no event colour"},
        {"{context: {el: 1}}", ASSAY_DUPLICATE, "more than one event context"},
        {"{header: 3}", ASSAY_WRONG_TYPE, "fields"},
        {"{raw: {el: 1}}", ASSAY_WRONG_TYPE, "fields"},
        {"[header]", ASSAY_WRONG_TYPE, "events of a base"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "vector: 1\nbase: b.yaml\nwith: %s\n", cases[i].with);
        const struct text_file files[] = {{"v.yaml", text},
                                          {"b.yaml", EL0 "  - context: {el: 1}\n  - raw: \"00\"\n"},
                                          {NULL, NULL}};
        assert_refused(files, cases[i].error, "v.yaml", 3, cases[i].message);
    }
}

static void with_needs_a_base(void **state)
{
    (void)state;
    const struct text_file files[] = {{"v.yaml", EL0 "with: {context: {el: 1}}\n"}, {NULL, NULL}};
    assert_refused(files, ASSAY_WRONG_TYPE, "v.yaml", 6, "events of a base");
}

static void a_vector_without_any_trace_is_refused(void **state)
{
    (void)state;
    const struct text_file files[] = {{"v.yaml", "vector: 1\nbase: b.yaml\n"},
                                      {"b.yaml", "vector: 1\nformat: astf\n"},
                                      {NULL, NULL}};
    assert_refused(files, ASSAY_SYNTAX, "v.yaml", 1, "\"trace\"");
}

/* --- on disk --- */

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void bases_of_a_file_are_read_from_beside_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/assay-vector-XXXXXX";
    char path[64];
    struct assay_vector vector;
    struct assay_diag diag = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/el0.yaml", folder);
    write_file(path, EL0);
    snprintf(path, sizeof path, "%s/v.yaml", folder);
    write_file(path, "vector: 1\nbase: el0.yaml\ntrace:\n" NOP);
    assert_int_equal(assay_vector_load(path, &vector, &diag), ASSAY_OK);
    assert_int_equal(vector.trace->count, 3);
    assay_vector_free(&vector);
    write_file(path, "vector: 1\nbase: none.yaml\n");
    assert_int_equal(assay_vector_load(path, &vector, &diag), ASSAY_NOT_FOUND);
    assert_non_null(strstr(diag.message, "none.yaml"));
    assert_int_equal(diag.line, 2);
    unlink(path);
    snprintf(path, sizeof path, "%s/el0.yaml", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* --- other keys --- */

static void silent_alone_says_that_no_rule_fails(void **state)
{
    (void)state;
    const struct text_file alone[] = {{"v.yaml", EL0 "silent: [ASTF-0031]\n"}, {NULL, NULL}};
    const struct text_file beside[] = {{"v.yaml", EL0 "silent: [ASTF-0031]\nfails: [ASTF-0001]\n"},
                                       {NULL, NULL}};
    struct assay_vector vector;
    struct assay_diag diag;
    assert_int_equal(read_first(alone, &vector, &diag), ASSAY_OK);
    assert_int_equal(vector.expectation, ASSAY_EXPECT_PASSES);
    assert_int_equal(vector.expected->count, 0);
    assert_string_equal(vector.silent->items[0]->text, "ASTF-0031");
    assay_vector_free(&vector);
    assert_int_equal(read_first(beside, &vector, &diag), ASSAY_OK);
    assert_int_equal(vector.expectation, ASSAY_EXPECT_FAILS);
    assert_string_equal(vector.silent->items[0]->text, "ASTF-0031");
    assay_vector_free(&vector);
}

static void what_a_vector_shows_is_checked_for_its_type(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
    } cases[] = {
        {"silent: ASTF-0031\n", ASSAY_WRONG_TYPE},
        {"silent: [[ASTF-0031]]\n", ASSAY_WRONG_TYPE},
        {"fails: [{a: b}]\n", ASSAY_WRONG_TYPE},
        {"refuses: x\nsilent: [ASTF-0031]\n", ASSAY_DUPLICATE},
        {"events: {list: []}\nsilent: [ASTF-0031]\n", ASSAY_DUPLICATE},
        {"passes: [A]\nsilent: [B, A]\n", ASSAY_DUPLICATE},
        {"events: {}\n", ASSAY_WRONG_TYPE},
        {"events: {list: [end]}\n", ASSAY_WRONG_TYPE},
        {"events: {layer: [], list: []}\n", ASSAY_WRONG_TYPE},
        {"events: {level: x, list: []}\n", ASSAY_UNKNOWN_NAME},
        {"events: {layer: packet, list: []}\n", ASSAY_UNKNOWN_NAME},
        {"events: {layer: record, list: [{kind: end}]}\n", ASSAY_OK},
        {"config: raw\n", ASSAY_WRONG_TYPE},
        {"config: {storage: []}\n", ASSAY_WRONG_TYPE},
        {"config: {storage: raw, x: 1}\n", ASSAY_UNKNOWN_NAME},
        {"image: [{at: 0x1000, asm: \"nop\"}]\n", ASSAY_SYNTAX},
        {"image: [{at: 0x1000, hex: \"1f2003d5\", asm: \"nop\"}]\n", ASSAY_OK},
        {"image: [{at: 0, hex: \"1f2003d5\", repeat: 0x400000}]\n", ASSAY_OK},
        {"image: [{at: 0, hex: \"1f2003d5\", repeat: 0x400001}]\n", ASSAY_OUT_OF_RANGE},
        {"image: [{at: 0, hex: \"1f2003d5\", repeat: 0}]\n", ASSAY_OUT_OF_RANGE},
        {"image: [{at: 0, hex: \"1f2003d5\", repeat: often}]\n", ASSAY_OUT_OF_RANGE},
        {"image: [{asm: \"nop\"}]\n", ASSAY_SYNTAX},
        {"image: [{at: 0, hex: \"zz\"}]\n", ASSAY_SYNTAX},
        {"image: [{at: 0, hex: [1]}]\n", ASSAY_UNKNOWN_NAME},
        {"image: [{at: 0, bytes: \"00\"}]\n", ASSAY_UNKNOWN_NAME},
        {"image: [0]\n", ASSAY_WRONG_TYPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[300];
        struct assay_vector vector;
        struct assay_diag diag;
        snprintf(text, sizeof text, "%s%s", EL0, cases[i].text);
        const struct text_file files[] = {{"v.yaml", text}, {NULL, NULL}};
        const enum assay_error error = read_first(files, &vector, &diag);
        if (error != cases[i].error) {
            fail_msg("%s gives %s", cases[i].text, assay_error_name(error));
        }
        if (error == ASSAY_OK) {
            assay_vector_free(&vector);
        } else {
            assert_string_equal(diag.path, "v.yaml");
            assert_true(diag.line >= 6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_events_of_the_base_stand_before_those_of_the_vector),
        cmocka_unit_test(a_vector_may_have_no_events_but_those_of_its_base),
        cmocka_unit_test(bases_extend_bases_each_from_its_own_folder),
        cmocka_unit_test(a_base_is_found_two_folders_up),
        cmocka_unit_test(with_changes_and_adds_fields_of_events_of_the_base),
        cmocka_unit_test(with_gives_fields_to_an_event_that_has_none_in_the_base),
        cmocka_unit_test(with_of_a_base_holds_for_what_that_base_extends),
        cmocka_unit_test(pokes_and_cuts_count_from_the_begin_of_the_whole_trace),
        cmocka_unit_test(a_key_of_the_vector_replaces_that_of_the_base_and_the_nearest_base_wins),
        cmocka_unit_test(a_loop_of_bases_is_refused_where_it_closes),
        cmocka_unit_test(more_bases_in_a_row_than_the_limit_are_refused),
        cmocka_unit_test(a_missing_base_is_named),
        cmocka_unit_test(a_base_is_refused_where_there_is_nothing_to_read_it_from),
        cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
        cmocka_unit_test(a_base_that_says_what_is_shown_is_refused_at_the_place_in_the_base),
        cmocka_unit_test(an_unknown_key_of_a_base_is_refused_at_its_place),
        cmocka_unit_test(a_base_is_checked_as_a_vector_is),
        cmocka_unit_test(an_event_of_a_base_that_cannot_be_written_is_told_at_its_place),
        cmocka_unit_test(with_that_fits_no_event_or_several_is_refused),
        cmocka_unit_test(with_needs_a_base),
        cmocka_unit_test(a_vector_without_any_trace_is_refused),
        cmocka_unit_test(bases_of_a_file_are_read_from_beside_it),
        cmocka_unit_test(silent_alone_says_that_no_rule_fails),
        cmocka_unit_test(what_a_vector_shows_is_checked_for_its_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
