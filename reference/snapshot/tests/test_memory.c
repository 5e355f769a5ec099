/* What the event log of a trace package says of the memory of each process. */
#include "memory_support.h"

#include <sys/stat.h>

/* MET-CID-002 MET-CID-003 MET-CID-007 MET-CID-011 MET-CID-014 MET-CID-015 MET-DCP-010 MET-DYN-005
 * MET-EVT-004 MET-EVT-009 MET-EVT-014 MET-IMG-002 MET-IMG-005 MET-IMG-009 MET-IMG-019 MET-DYN-006
 * MET-PROC-002 MET-PROC-004 MET-PROC-007 MET-PROC-008 MET-PROC-009 MET-PROC-013 MET-PROC-018
 * MET-PROC-019 MET-PROC-020 MET-PROC-022 MET-PROC-024 MET-PROC-026 */
static void an_image_is_seen_in_the_contexts_of_its_process(void **state)
{
    (void)state;
    static const struct {
        const char *layout;
        uint64_t of_5, of_7, of_6;
    } cases[] = {
        {"pid", 5, 0, 6},
        {"tid", 5, 7, 6},
        {"asid", 3, 0, 4},
        {"asid+pid", 0x503, 0, 0x604},
        {"asid+tid", 0x503, 0x703, 0x604},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        load_good(cases[i].layout, TWO, &m);
        assert_int_equal(byte_at(&m, cases[i].of_5, 0x1000), 'a');
        assert_int_equal(byte_at(&m, cases[i].of_6, 0x1007), 'b');
        assert_int_equal(byte_at(&m, cases[i].of_7 > 0 ? cases[i].of_7 : 7, 0x1000),
                         cases[i].of_7 > 0 ? 'a' : 0);
        assert_int_equal(byte_at(&m, 99, 0x1000), 0);
        assert_int_equal(byte_without_context(&m, 0x1000), 0); /* MET-PROC-005 */
        assert_int_equal(byte_at(&m, 99, 0x8000), 'b');        /* the kernel */
        assert_int_equal(m.streams[1].absent_count, 0);
        assay_manifest_free(&m);
    }
}

/* MET-CID-004 MET-DCP-009 MET-EVT-008 MET-EVT-010 MET-EVT-016 MET-INT-010 MET-PROC-011 */
static void one_process_is_seen_in_every_context(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good(NULL,
              "1 declare_process(START, 5, 0x400000, exec, u1)\n"
              "2 declare_library(START, 5, 0x2000, a.bin, u2)\n"
              "3 declare_library(START, 5, 0x3000, gone.so, u3)\n"
              "4 declare_library(START, 5, 0x4000, , u4)\n",
              &m);
    assert_int_equal(byte_at(&m, 1, 0x400078), 'e');
    assert_int_equal(byte_at(&m, 2, 0x2000), 'a');
    assert_int_equal(m.streams[1].absent_count, 2);
    assert_non_null(strstr(m.streams[1].absent[0], "/gone.so"));
    assert_non_null(strstr(m.streams[1].absent[1], "u4"));
    assert_non_null(strstr(m.files[m.file_count - 1], "/system-event-log"));
    assay_manifest_free(&m);
}

static void what_contradicts_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *clauses, *layout, *log;
        enum assay_error error;
        const char *file;
        uint32_t line;
    } cases[] = {
        {"MET-CID-001 MET-IMG-003 MET-IMG-022 MET-IMG-025", NULL, TWO, ASSAY_USAGE, "contents.ini",
         1},
        {"MET-CID-001", NULL,
         "1 declare_library(START, 5, 0x1000, a.bin, u)\n"
         "1 declare_library(START, 6, 0x1000, a.bin, u)\n",
         ASSAY_USAGE, "contents.ini", 1},
        {"MET-EVT-025 MET-CID-015", "asid", "1 declare_process(START, 5, 0x1000, a.bin, u)\n",
         ASSAY_USAGE, "contents.ini", 4},
        {"MET-EVT-029", "pid", TWO "2 declare_library(START, 5, 0x1004, b.bin, v)\n",
         ASSAY_CONTRADICTION, "system-event-log", 7},
        {"MET-IMG-021", "pid", TWO "2 declare_library(START, 5, 0x8004, b.bin, v)\n",
         ASSAY_CONTRADICTION, "system-event-log", 7},
        {"MET-EVT-010", NULL, "1 declare_process(START, 5, 0x10000, exec, u)\n",
         ASSAY_CONTRADICTION, "system-event-log", 1},
        {"MET-PKG-016", NULL, "1 declare_process(START, 5, 0x1000, ../../etc/passwd, u)\n",
         ASSAY_NOT_READABLE, "system-event-log", 1},
        {"MET-CFG-003 MET-CFG-014", NULL, "1 define_trace(START, 0x10, etm0, 0x50)\n",
         ASSAY_CONTRADICTION, "system-event-log", 1},
        {"MET-EVT-003", NULL, "\n1 declare_process(OLD, 5, 0, a.bin, u)\n", ASSAY_UNKNOWN_NAME,
         "system-event-log", 2},
        {"MET-CID-001", NULL,
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
         "1 declare_process(START, 6, 0x1000, a.bin, u)\n",
         ASSAY_USAGE, "contents.ini", 1},
        {"", "asid+tid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n\n1 declare_thread(START, 0x1000000, 5)\n",
         ASSAY_OUT_OF_RANGE, "system-event-log", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        const enum assay_error error = load(cases[i].layout, cases[i].log, &m, &diag);
        if (error != cases[i].error || strstr(diag.path, cases[i].file) == NULL ||
            diag.line != cases[i].line) {
            fail_msg("%s: %s: %s:%u: %s", cases[i].clauses, assay_error_name(error), diag.path,
                     (unsigned)diag.line, diag.message);
        }
    }
}

static void what_is_said_of_times_and_code_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *items, *layout, *log;
        enum assay_error error;
        const char *file;
        uint32_t line;
    } cases[] = {
        {"event_time=now\n", NULL, "", ASSAY_UNKNOWN_NAME, "contents.ini", 5},
        {"event_tolerance=5\n", NULL, "", ASSAY_CONTRADICTION, "contents.ini", 5},
        {"event_time=timestamp\nevent_tolerance=-5\n", NULL, "", ASSAY_WRONG_TYPE, "contents.ini",
         6},
        {"", NULL, "1 patch_code(5, 0x1000, 4, id:a.bin)\n", ASSAY_CONTRADICTION,
         "system-event-log", 1},
        {"", NULL, "1 patch_code(5, 0x1000, 9, id:a.bin)\n", ASSAY_CONTRADICTION,
         "system-event-log", 1},
        {"", NULL, "1 patch_code(5, 0x1000, 4, id:../../etc/passwd)\n", ASSAY_NOT_READABLE,
         "system-event-log", 1},
        {"", "asid+pid", "\n1 declare_process(START, 0x1000000, 0x1000, a.bin, u)\n",
         ASSAY_OUT_OF_RANGE, "system-event-log", 2},
        {"", NULL, "1 patch_code(5, 0x1000, 0xffffffff, id:a.bin)\n", ASSAY_LIMIT,
         "system-event-log", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        items = cases[i].items;
        const enum assay_error error = load(cases[i].layout, cases[i].log, &m, &diag);
        items = "";
        if (error != cases[i].error || strstr(diag.path, cases[i].file) == NULL ||
            diag.line != cases[i].line) {
            fail_msg("%zu: %s: %s:%u: %s", i, assay_error_name(error), diag.path,
                     (unsigned)diag.line, diag.message);
        }
    }
}

static void what_has_room_or_one_process_is_no_contradiction(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *log;
    } cases[] = {
        {"asid+pid", "1 declare_process(START, 0xffffff, 0x1000, a.bin, u)\n"},
        {"asid+pid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n1 declare_asid(START, 255, 5)\n"},
        {"asid+tid", "1 declare_thread(START, 0xffffff, 5)\n"},
        {"tid", "1 declare_thread(START, 0x1000000, 5)\n"},
        {NULL, "1 declare_process(START, 5, 0x1000, a.bin, u)\n1 declare_thread(START, 7, 6)\n"},
        {NULL, "1 define_trace(START, 0x10, etm0, 0x40)\n"},
        {NULL, "1 define_trace(START, 0x12, etm0, 0x50)\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        load_good(cases[i].layout, cases[i].log, &m);
        assay_manifest_free(&m);
    }
}

/* MET-PKG-016 */
static void the_log_is_the_file_that_is_named_or_the_usual_one_if_it_is_there(void **state)
{
    (void)state;
    char contents[96];
    char log[96];
    struct assay_manifest m;
    struct assay_diag diag;
    load_good(NULL, "", &m);
    assay_manifest_free(&m);
    snprintf(contents, sizeof contents, "%s/contents.ini", folder);
    snprintf(log, sizeof log, "%s/system-event-log", folder);
    assert_int_equal(remove(log), 0);
    assert_int_equal(load_manifest(contents, formats, &m, &diag), ASSAY_OK);
    assay_manifest_free(&m);
    assert_int_equal(mkdir(log, 0777), 0);
    assert_int_not_equal(load_manifest(contents, formats, &m, &diag), ASSAY_OK);
    assert_int_equal(remove(log), 0);
    items = "events=other-log\n";
    assert_int_equal(load(NULL, "", &m, &diag), ASSAY_NOT_FOUND);
    items = "";
    assert_non_null(strstr(diag.path, "contents.ini"));
}

/* Bytes that look as the head of an executable do, but for its magic, are raw. */
static void a_file_is_an_executable_by_its_magic(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_diag diag;
    char raw[] = "raw image of 20 byte";
    raw[16] = 2; /* ET_EXEC */
    raw[17] = 0;
    assert_int_equal(write_bytes("raw.bin", raw, 20), 0);
    load_good(NULL, "1 declare_process(START, 5, 0x1000, raw.bin, u)\n", &m);
    assert_int_equal(byte_at(&m, 5, 0x1000), 'r');
    assert_int_equal(byte_at(&m, 5, 0x1013), 'e');
    assay_manifest_free(&m);
    memcpy(raw, "\177EL", 3);
    assert_int_equal(write_bytes("raw.bin", raw, 20), 0);
    load_good(NULL, "1 declare_process(START, 5, 0x1000, raw.bin, u)\n", &m);
    assert_int_equal(byte_at(&m, 5, 0x1000), '\177');
    assay_manifest_free(&m);
    assert_int_equal(load("pid", "\n1 define_trace(START, 0x10, etm0, 1)\n", &m, &diag),
                     ASSAY_CONTRADICTION);
    assert_int_equal(diag.line, 2);
    assert_int_equal(diag.column, 1);
}

static int change_byte(const char *name, long offset)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r+");
    return file == NULL || fseek(file, offset, SEEK_SET) != 0 || fputc(1, file) != 1 ||
           fclose(file) != 0;
}

/* MET-EVT-012 */
static void a_uuid_is_of_one_image(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        uint32_t line; /* where it is refused; 0: it is not */
        const char *hint;
    } cases[] = {
        {TWO "2 declare_library(START, 5, 0x2000, b.bin, u1)\n", 7, "see line 1"},
        {TWO "2 declare_library(START, 5, 0x2000, a.bin, u2)\n", 7, "see line 2"},
        {TWO "2 declare_library(START, 5, 0x2000, same.bin, u1)\n", 0, ""},
        {TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n", 0, ""},
        {TWO "2 declare_library(START, 5, 0x2000, b.bin, )\n"
             "3 declare_library(END, 5, 0x2000, b.bin, u1)\n",
         8, "see line 1"},
        {TWO "2 declare_library(START, 5, 0x2000, same.bin, u1)\n"
             "3 declare_library(START, 5, 0x3000, b.bin, u1)\n",
         8, "see line"},
        {TWO "2 declare_library(START, 5, 0x2000, longer.bin, u1)\n", 7, "see line 1"},
        {TWO "2 declare_library(START, 5, 0x2000, none.bin, u1)\n", 0, ""},
        {TWO "2 declare_library(START, 5, 0x2000, b.bin, )\n", 0, ""},
        {"1 declare_process(START, 5, 0x400000, exec, u)\n"
         "2 declare_process(START, 6, 0x400000, stripped, u)\n",
         0, ""},
        {"1 declare_process(START, 5, 0x400000, exec, u)\n"
         "2 declare_process(START, 6, 0x400000, other, u)\n",
         2, "see line 1"},
    };
    assert_int_equal(write_elf("stripped", 0x400000) | write_elf("other", 0x400000) |
                         write_file("same.bin", "aaaaaaaa") | write_file("longer.bin", "aaaaaaaaa"),
                     0);
    assert_int_equal(change_byte("stripped", offsetof(Elf64_Ehdr, e_flags)) |
                         change_byte("other", sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)),
                     0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag = {0};
        const enum assay_error error = load("pid", cases[i].log, &m, &diag);
        if (error != (cases[i].line > 0 ? ASSAY_CONTRADICTION : ASSAY_OK) ||
            diag.line != cases[i].line || strstr(diag.hint, cases[i].hint) == NULL) {
            fail_msg("%zu: %s: line %u: %s (%s)", i, assay_error_name(error), (unsigned)diag.line,
                     diag.message, diag.hint);
        }
        assay_manifest_free(&m);
    }
}

/* The image that another one overlaps is the first of those that are there. */
static void what_overlaps_is_told_with_what_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *log; /* of which the last line is refused */
        const char *hint;
    } cases[] = {
        {TWO "2 declare_library(START, 5, 0x1007, b.bin, v)\n", "see line 1"},
        {TWO "2 declare_library(START, 6, 0xff9, b.bin, v)\n", "see line 2"},
        {TWO "2 declare_library(START, 0, 0x1004, b.bin, v)\n", "see line 1"},
        {TWO "2 declare_library(START, 6, 0x8004, b.bin, v)\n", "see line 3"},
        {TWO "2 declare_library(START, 5, 0x2000, a.bin, u)\n"
             "3 declare_library(END, 5, 0x2000, a.bin, u)\n"
             "4 declare_library(START, 5, 0x1ff8, a.bin, u)\n"
             "5 declare_library(START, 5, 0x2008, a.bin, u)\n"
             "6 declare_library(START, 5, 0x2006, gone, u)\n"
             "7 declare_library(START, 6, 0x2005, a.bin, u)\n"
             "8 declare_library(START, 0, 0x2004, b.bin, v)\n",
         "see line 10"},
        {"1 declare_process(START, 0, 0, x, u)\n1 declare_library(START, 0, 1, y, u)\n"
         "2 declare_library(START, 0, 2, a.bin, u)\n3 declare_library(START, 5, 1, x, u)\n",
         "see line 2"},
    };
    assert_int_equal(write_file("x", "x") | write_file("y", "y"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        uint32_t lines = 0;
        for (const char *c = cases[i].log; *c != '\0'; c++) {
            lines += *c == '\n';
        }
        const enum assay_error error = load("pid", cases[i].log, &m, &diag);
        if (error != ASSAY_CONTRADICTION || diag.line != lines ||
            strcmp(diag.hint, cases[i].hint) != 0) {
            fail_msg("%zu: %s: line %u: %s; %s", i, assay_error_name(error), (unsigned)diag.line,
                     diag.message, diag.hint);
        }
    }
}

/* MET-EVT-010: a segment need not begin where a page does, but the image does. */
static void an_executable_is_declared_where_it_or_its_page_begins(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        enum assay_error error;
    } cases[] = {{"0x400041", ASSAY_OK},
                 {"0x400000", ASSAY_OK},
                 {"0", ASSAY_OK},
                 {"0x400001", ASSAY_CONTRADICTION},
                 {"0x400040", ASSAY_CONTRADICTION},
                 {"0x401000", ASSAY_CONTRADICTION}};
    assert_int_equal(write_elf("odd", 0x400041), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        char log[96];
        snprintf(log, sizeof log, "1 declare_process(START, 5, %s, odd, u)\n", cases[i].address);
        assert_int_equal(load(NULL, log, &m, &diag), cases[i].error);
        if (cases[i].error == ASSAY_OK) {
            assay_manifest_free(&m);
        }
    }
}

/* Where an image is known by its UUID, another event can give it another name. */
static void a_file_has_its_own_size_whatever_an_image_was_called(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good("pid",
              TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
                  "3 declare_library(END, 5, 0x2000, a.bin, u3)\n"
                  "4 declare_library(START, 5, 0x2000, , u3)\n"
                  "5 declare_library(CURRENT, 5, 0x2000, x, u3)\n"
                  "6 declare_library(START, 5, 0x4000, x, u9)\n"
                  "6 declare_library(START, 5, 0x4001, a.bin, u8)\n",
              &m);
    assay_manifest_free(&m);
}

/* MET-CID-012 MET-CFG-013 MET-ETM3-015 */
static void the_metadata_of_streams_agrees_with_the_log(void **state)
{
    (void)state;
    struct assay_manifest m;
    struct assay_diag diag;
    load_good(NULL, "1 define_trace(END, 0x10, etm0)\n1 define_trace(START, 0x11, etm0, 0)\n", &m);
    assert_int_equal(m.stream_count, 2);
    assay_manifest_free(&m);
    assert_int_equal(write_file("trace.ini", "[buffer]\nformat: raw\n[trace_0x10]\nformat: ETE\n"
                                             "context_id: 8\n"),
                     0);
    assert_int_equal(load(NULL, "1 define_trace(END, 0x10, etm0)\n", &m, &diag),
                     ASSAY_CONTRADICTION);
    assert_int_equal(load("asid+tid", "1 declare_asid(START, 3, 5)\n", &m, &diag),
                     ASSAY_CONTRADICTION);
    assert_non_null(strstr(diag.path, "trace.ini"));
    assert_int_equal(diag.line, 5);
    load_good("asid", "1 declare_asid(START, 3, 5)\n", &m);
    assay_manifest_free(&m);
    /* CONTEXTIDR is traced with all its 32 bits, or not at all. */
    for (unsigned bits = 0; bits <= 32; bits += 16) {
        char text[192];
        snprintf(text, sizeof text,
                 "[buffer]\nformat: coresight\n[trace_0x10]\nformat: ETE\ncontext_id: %u\n", bits);
        assert_int_equal(write_file("trace.ini", text), 0);
        const enum assay_error error = load("pid", "", &m, &diag);
        if (error != (bits == 16 ? ASSAY_CONTRADICTION : ASSAY_OK)) {
            fail_msg("%u bits: %s:%u: %s", bits, diag.path, (unsigned)diag.line, diag.message);
        }
        if (error == ASSAY_OK) {
            assay_manifest_free(&m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_is_seen_in_the_contexts_of_its_process),
        cmocka_unit_test(one_process_is_seen_in_every_context),
        cmocka_unit_test(what_is_said_of_times_and_code_is_checked),
        cmocka_unit_test(what_contradicts_is_refused),
        cmocka_unit_test(a_uuid_is_of_one_image),
        cmocka_unit_test(what_overlaps_is_told_with_what_is_there),
        cmocka_unit_test(an_executable_is_declared_where_it_or_its_page_begins),
        cmocka_unit_test(a_file_has_its_own_size_whatever_an_image_was_called),
        cmocka_unit_test(what_has_room_or_one_process_is_no_contradiction),
        cmocka_unit_test(the_log_is_the_file_that_is_named_or_the_usual_one_if_it_is_there),
        cmocka_unit_test(a_file_is_an_executable_by_its_magic),
        cmocka_unit_test(the_metadata_of_streams_agrees_with_the_log),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
