/* The trace ids that sources have one after the other, by the log of a package. */
#include "folder_support.h"

#include "common/yaml.h"

static const struct assay_format coresight = {.name = "coresight"};
static const struct assay_format *const formats[] = {&coresight, NULL};

static int make_folder(void **state)
{
    (void)state;
    return open_folder() != 0 ||
           write_file("data", "0123456789abcdef") |
               write_file("contents.ini", "[trace]\nmetadata=trace.ini\nbuffer0=data\n");
}

/* What is said of the frames: "AFTER_17=0x10 ...". */
static void load(const char *framing, const char *log, const struct assay_format *const *known,
                 char *text, size_t size)
{
    char trace[64];
    char path[96];
    struct assay_manifest m;
    struct assay_diag diag;
    snprintf(trace, sizeof trace, "[buffer]\nformat: %s\n", framing);
    snprintf(path, sizeof path, "%s/contents.ini", folder);
    assert_int_equal(write_file("trace.ini", trace) | write_file("system-event-log", log), 0);
    if (load_manifest(path, known, &m, &diag) != ASSAY_OK) {
        fail_msg("line %u: %s", (unsigned)diag.line, diag.message);
    }
    const struct assay_yaml *map = m.all.config.map;
    text[0] = '\0';
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        const size_t length = strlen(text);
        assert_int_equal(map->items[2 * i]->length, strlen(map->items[2 * i]->text));
        assert_int_equal(map->items[2 * i + 1]->length, strlen(map->items[2 * i + 1]->text));
        snprintf(text + length, size - length, "%s%s=%s", i > 0 ? " " : "", map->items[2 * i]->text,
                 map->items[2 * i + 1]->text);
    }
    assert_int_equal(m.all.format != NULL, map != NULL);
    assert_true(map == NULL || (map->count > 0 && map->line == 1 && map->column == 1));
    assay_manifest_free(&m);
}

#define CHANGE(from, to, source)                                                                   \
    "1 define_trace(END, " from ", " source ")\n1 define_trace(START, " to ", " source ", 0)\n"

/* MET-CFG-015 */
static void each_id_has_the_one_that_its_source_had_before(void **state)
{
    (void)state;
    static const struct {
        const char *log, *text;
    } cases[] = {
        {"", ""},
        {"1 define_trace(START, 0x10, a, 0)\n", ""},
        {CHANGE("0x10", "0x11", "a"), "AFTER_17=0x10"},
        {CHANGE("1", "0x6f", "a"), "AFTER_111=0x1"},
        {CHANGE("0x6f", "1", "a"), "AFTER_1=0x6f"},
        {CHANGE("0x10", "0x11", "a") CHANGE("0x11", "0x12", "a"), "AFTER_17=0x10 AFTER_18=0x11"},
        {CHANGE("0x11", "0x10", "b") CHANGE("0x20", "0x21", "a"), "AFTER_16=0x11 AFTER_33=0x20"},
        {"1 define_trace(END, 0x10, a)\n1 define_trace(START, 0x11, b, 0)\n", ""},
        {CHANGE("0x10", "0x10", "a"), ""},
        {"1 define_trace(CURRENT, 0x10, a)\n" CHANGE("0x10", "0x11", "a"), "AFTER_17=0x10"},
        {CHANGE("0x10", "0x11", "a") "2 define_trace(CURRENT, 0x11, a)\n", "AFTER_17=0x10"},
        {CHANGE("0x10", "0x11", "a") CHANGE("0x11", "0x10", "a"), ""},
        {CHANGE("0x10", "0x11", "a") "2 define_trace(START, 0x10, b, 0)\n", ""},
        {CHANGE("0x10", "0x11", "a") CHANGE("0x11", "0x12", "a") CHANGE("0x30", "0x10", "b"),
         "AFTER_18=0x11"},
        {CHANGE("0x10", "0x11", "a")
             CHANGE("0x11", "0x12", "a") "2 define_trace(END, 0x12, a)\n"
                                         "3 define_trace(START, 0x12, a, 0)\n",
         "AFTER_17=0x10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        load("coresight", cases[i].log, formats, text, sizeof text);
        if (strcmp(text, cases[i].text) != 0) {
            fail_msg("%zu: %s", i, text);
        }
    }
}

static void only_frames_of_a_format_that_is_known_have_them(void **state)
{
    (void)state;
    static const struct assay_format ete = {.name = "ete"};
    static const struct assay_format *const others[] = {&ete, NULL};
    char text[128];
    load("dstream_coresight", CHANGE("0x10", "0x11", "a"), formats, text, sizeof text);
    assert_string_equal(text, "AFTER_17=0x10");
    load("coresight", CHANGE("0x10", "0x11", "a"), others, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_has_the_one_that_its_source_had_before),
        cmocka_unit_test(only_frames_of_a_format_that_is_known_have_them),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
