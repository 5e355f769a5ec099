/* Logs of system events: what is read, and what is refused at which line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/yaml.h"
#include "snapshot/events.h"
#include "snapshot/line.h"

static struct assay_arena arena;

static enum assay_error parse(const char *text, struct cs_events *events, struct assay_diag *diag)
{
    *diag = (struct assay_diag){0};
    return cs_events_parse("log", text, strlen(text), &arena, events, diag);
}

static int free_arena(void **state)
{
    (void)state;
    assay_arena_free(&arena);
    arena = (struct assay_arena){0};
    return 0;
}

static void the_case_of_hexadecimal_digits_says_nothing(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    const char *text = "1 declare_process(START, 5, 0, a, 09AZaz)\n"
                       "1 declare_process(START, 6, 0, a, 09AF-af)\n";
    assert_int_equal(parse(text, &log, &diag), ASSAY_OK);
    assert_string_equal(log.list[0].uuid, "09AZaz");
    assert_string_equal(log.list[1].uuid, "09af-af");
}

static void each_event_is_read_with_its_parameters(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    const char *text = "\xef\xbb\xbf# a log\n"
                       "10 declare_process(CURRENT, 5, 0x8000, \"/bin/l,s\", u1)\n"
                       "\n"
                       "0x10  declare_thread( START , 7, 5 ) \r\n"
                       "20 declare_library(START, 5, 0x40000000, libc.so, u2)\n"
                       "20 patch_code(5, 0x8000, 4, 1f2003d5)\n"
                       "20 patch_code(5, 0x9000, 4, id:17)\n"
                       "20 patch_code(0, 0x9000, 4, None)\n"
                       "21 declare_asid(START, 3, 5)\n"
                       "; the unit is configured anew\n"
                       "30 define_trace(START, 0x11, etm0, 0x1000)\n"
                       "31 define_trace(END, 0x11, etm0)";
    assert_int_equal(parse(text, &log, &diag), ASSAY_OK);
    assert_int_equal(log.count, 9);
    assert_string_equal(log.path, "log");
    assert_int_equal(log.list[0].kind, CS_DECLARE_PROCESS);
    assert_int_equal(log.list[0].state, CS_EVENT_CURRENT);
    assert_int_equal(log.list[0].line, 2);
    assert_int_equal(log.list[0].time, 10);
    assert_int_equal(log.list[0].pid, 5);
    assert_int_equal(log.list[0].address, 0x8000);
    assert_string_equal(log.list[0].text, "/bin/l,s");
    assert_string_equal(log.list[0].uuid, "u1");
    assert_int_equal(log.list[1].time, 16);
    assert_int_equal(log.list[1].id, 7);
    assert_int_equal(log.list[1].pid, 5);
    assert_string_equal(log.list[2].text, "libc.so");
    assert_int_equal(log.list[3].length, 4);
    assert_string_equal(log.list[4].text, "id:17");
    assert_int_equal(log.list[6].id, 3);
    assert_int_equal(log.list[7].value, 0x1000);
    assert_true(log.list[7].has_value);
    assert_int_equal(log.list[8].state, CS_EVENT_END);
    assert_ptr_equal(log.list[8].before, &log.list[7]);
    assert_null(log.list[7].before);
}

/* P: a process; each text breaks the clauses in its last line. */
#define P       "1 declare_process(START, 5, 0x8000, ls, u1)\n"
#define CURRENT "1 declare_process(CURRENT, 5, 0x8000, ls, u1)\n"

static const struct {
    const char *clauses, *text;
    enum assay_error error;
} wrong[] = {
    {"MET-DYN-001 MET-EVT-001", "declare_process(START, 5, 0x8000, ls, u1)\n", ASSAY_SYNTAX},
    {"", "1\n", ASSAY_SYNTAX},
    {"", "1 declare_process START\n", ASSAY_SYNTAX},
    {"", "1 declare_process(START, 5, 0x8000, \"ls, u1)\n", ASSAY_SYNTAX},
    {"", "1 declare_process(START, 5, 0x8000, \"ls\" x, u1)\n", ASSAY_SYNTAX},
    {"", "1 declare_proces(START, 5, 0x8000, ls, u1)\n", ASSAY_UNKNOWN_NAME},
    {"", "1 declare_process(START, 5, 0x8000, l\x01s, u1)\n", ASSAY_SYNTAX},
    {"MET-EVT-003", "1 declare_process(BEGIN, 5, 0x8000, ls, u1)\n", ASSAY_UNKNOWN_NAME},
    {"MET-EVT-005", P "2 declare_process(END, 5)\n", ASSAY_SYNTAX},
    {"MET-EVT-006", P "2 declare_process(END, 5, 0x9000, ls, u1)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-006", P "2 declare_process(END, 5, 0x8000, cat, u1)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-006", P "2 declare_process(END, 5, 0x8000, ls, u2)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-007", "1 declare_process(START, 5, ls)\n", ASSAY_WRONG_TYPE},
    {"MET-EVT-007", "1 declare_process(START, 5, 0, ls, u1, 7)\n", ASSAY_SYNTAX},
    {"MET-EVT-011", "1 declare_process(START, 5, 0x8000, , )\n", ASSAY_SYNTAX},
    {"MET-EVT-013", P "2 declare_thread(START, 7)\n", ASSAY_SYNTAX},
    {"MET-EVT-015", P "2 declare_library(START, 5, libc.so)\n", ASSAY_WRONG_TYPE},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000)\n", ASSAY_SYNTAX},
    {"MET-EVT-022", P "2 patch_code(5, 0x8000, 4, id:1)\n3 patch_code(5, 0x9000, 8, id:1)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000, 4, yes)\n", ASSAY_SYNTAX},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000, 4, id:)\n", ASSAY_SYNTAX},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000, 4, idxyz)\n", ASSAY_SYNTAX},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000, 4, )\n", ASSAY_SYNTAX},
    {"MET-EVT-018", P "2 patch_code(5, 0x8000, 1, 1)\n", ASSAY_SYNTAX},
    {"MET-EVT-007", "1 declare_process(START, 0x100000000, 0, ls)\n", ASSAY_OUT_OF_RANGE},
    {"MET-EVT-018", "1 patch_code(0, 0, 0x100000000, None)\n", ASSAY_OUT_OF_RANGE},
    {"MET-CFG-010", "1 define_trace(START, 0, etm0, 0)\n", ASSAY_OUT_OF_RANGE},
    {"MET-CFG-010", "1 define_trace(START, 0x10, , 0)\n", ASSAY_SYNTAX},
    {"MET-CFG-010", "1 define_trace(END, 0x10)\n", ASSAY_SYNTAX},
    {"MET-CFG-010", "1 define_trace(END, 0x10, etm0, 0, 0)\n", ASSAY_SYNTAX},
    {"", "1 declare_process(START, 5, 0x8000, \")\n", ASSAY_SYNTAX},
    {"", "1 declare_process(START, 5, 0x8000, ls, u1\n", ASSAY_SYNTAX},
    {"", "1 declare_process START)\n", ASSAY_SYNTAX},
    {"MET-EVT-028",
     CURRENT
     "2 declare_library(START, 5, 0x2000, a, u)\n3 declare_library(START, 5, 0x2000, a, u)\n",
     ASSAY_DUPLICATE},
    {"MET-EVT-006",
     P "2 declare_library(START, 5, 0x2000, x, u)\n3 declare_library(END, 5, 0x2000, y, u)\n",
     ASSAY_CONTRADICTION},
    {"MET-CFG-011", "1 define_trace(START, 0x10, e, 0)\n2 define_trace(END, 0x10, e, 1)\n",
     ASSAY_CONTRADICTION},
    {"MET-SNAP-004", "1 declare_library(CURRENT, 9, 0, a.so, u)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-021", P "2 patch_code(5, 0x8000, 16, 1f2003d5)\n", ASSAY_CONTRADICTION},
    {"", P "2 patch_code(5, 0x8000, 0, None)\n", ASSAY_OUT_OF_RANGE},
    {"MET-EVT-024", P "2 declare_asid(START, 3)\n", ASSAY_SYNTAX},
    {"MET-CID-006", P "2 declare_asid(START, 300, 5)\n", ASSAY_OUT_OF_RANGE},
    {"MET-EVT-026", P "2 declare_asid(START, 3, 5)\n3 declare_asid(START, 3, 6)\n",
     ASSAY_DUPLICATE},
    {"MET-EVT-026", P "2 declare_asid(START, 3, 5)\n3 declare_asid(CURRENT, 3, 6)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-027", CURRENT "2 declare_library(START, 9, 0, a.so, u)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-027", CURRENT "2 declare_thread(START, 7, 9)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-027", CURRENT "2 patch_code(9, 0, 4, None)\n", ASSAY_CONTRADICTION},
    {"MET-EVT-027", P "2 declare_process(END, 5, 0x8000, ls, u1)\n3 declare_asid(START, 3, 5)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-028", P "2 declare_process(START, 5, 0x8000, ls, u1)\n", ASSAY_DUPLICATE},
    {"MET-EVT-028",
     P "2 declare_process(END, 5, 0x8000, ls, u1)\n3 declare_process(END, 5, 0x8000, ls, u1)\n",
     ASSAY_DUPLICATE},
    {"MET-EVT-028", CURRENT "2 declare_thread(END, 7, 5)\n", ASSAY_CONTRADICTION},
    {"MET-SNAP-002 MET-SNAP-004",
     P "2 declare_process(END, 5, 0x8000, ls, u1)\n3 declare_process(CURRENT, 5, 0x8000, ls, u1)\n",
     ASSAY_CONTRADICTION},
    {"MET-SNAP-004", CURRENT "2 declare_thread(START, 7, 5)\n3 declare_process(CURRENT, 6, 0, a)\n",
     ASSAY_CONTRADICTION},
    {"MET-DYN-002 MET-PROC-001",
     "2 declare_process(START, 5, 0x8000, ls, u1)\n"
     "1 declare_process(END, 5, 0x8000, ls, u1)\n",
     ASSAY_CONTRADICTION},
    {"MET-CFG-007", "1 define_trace(START, 0x12, stm, 0)\n2 define_trace(START, 0x12, etm0, 0)\n",
     ASSAY_DUPLICATE},
    {"MET-CFG-009", "1 define_trace(START, 0x10, etm0, 0)\n2 define_trace(START, 0x11, etm0, 0)\n",
     ASSAY_CONTRADICTION},
    {"MET-CFG-010", "1 define_trace(START, 0x11, etm0)\n", ASSAY_SYNTAX},
    {"MET-CFG-010", "1 define_trace(START, 0x70, etm0, 0)\n", ASSAY_OUT_OF_RANGE},
    {"MET-CFG-011", "1 define_trace(START, 0x10, etm0, 0)\n2 define_trace(END, 0x10, etm1)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-018: no address comes after the last one",
     P "2 patch_code(5, 0xfffffffffffffffe, 4, None)\n", ASSAY_OUT_OF_RANGE},
    {"MET-EVT-006: another name than the first one",
     P "2 declare_library(START, 5, 0x2000, a, )\n3 declare_library(CURRENT, 5, 0x2000, , u2)\n"
       "4 declare_library(END, 5, 0x2000, b, u2)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-006: another UUID than the first one",
     P "2 declare_library(START, 5, 0x2000, a, u)\n3 declare_library(CURRENT, 5, 0x2000, a, )\n"
       "4 declare_library(END, 5, 0x2000, a, v)\n",
     ASSAY_CONTRADICTION},
    {"MET-CFG-011: another value than the first one",
     "1 define_trace(START, 0x10, e, 0)\n2 define_trace(CURRENT, 0x10, e)\n"
     "3 define_trace(END, 0x10, e, 1)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-006: another name than one since it was found again",
     P "1 declare_library(START, 5, 0x2000, a, u1)\n2 declare_process(END, 5, 0x8000, ls, u1)\n"
       "3 declare_process(START, 5, 0x8000, ls, u1)\n4 declare_library(CURRENT, 5, 0x2000, b, )\n"
       "5 declare_library(CURRENT, 5, 0x2000, c, )\n",
     ASSAY_CONTRADICTION},
    {"MET-SNAP-004: it ended with its process",
     CURRENT "1 declare_library(CURRENT, 5, 0x2000, a, u)\n"
             "2 declare_process(END, 5, 0x8000, ls, u1)\n"
             "3 declare_process(START, 5, 0x8000, ls, u1)\n"
             "4 declare_library(CURRENT, 5, 0x2000, a, u)\n",
     ASSAY_CONTRADICTION},
    {"MET-EVT-028: its process ended before it began",
     P "2 declare_process(END, 5, 0x8000, ls, u1)\n3 declare_process(START, 5, 0x8000, ls, u1)\n"
       "4 declare_thread(START, 7, 5)\n5 declare_thread(START, 7, 5)\n",
     ASSAY_DUPLICATE},
    {"MET-EVT-028: another process ended",
     P "1 declare_process(START, 6, 0x8000, ls, u1)\n2 declare_thread(START, 7, 5)\n"
       "3 declare_process(END, 6, 0x8000, ls, u1)\n4 declare_thread(START, 7, 5)\n",
     ASSAY_DUPLICATE},
};

static void a_text_that_breaks_a_clause_is_refused_at_its_last_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct cs_events log;
        struct assay_diag diag;
        uint32_t lines = 0;
        for (const char *c = wrong[i].text; *c != '\0'; c++) {
            lines += *c == '\n';
        }
        const enum assay_error error = parse(wrong[i].text, &log, &diag);
        if (error != wrong[i].error || diag.line != lines || strcmp(diag.path, "log") != 0) {
            fail_msg("%s, case %zu: %s: %s:%u: %s", wrong[i].clauses, i, assay_error_name(error),
                     diag.path, (unsigned)diag.line, diag.message);
        }
    }
}

/* MET-SNAP-004: what is there later does not count as listed. */
static void a_snapshot_ends_before_the_first_other_event(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    assert_int_equal(
        parse("1 declare_thread(CURRENT, 7, 9)\n2 declare_process(START, 5, 0, ls, u1)\n"
              "3 declare_process(CURRENT, 9, 0, ls, u1)\n"
              "3 declare_thread(CURRENT, 7, 9)\n3 declare_thread(CURRENT, 7, 9)\n",
              &log, &diag),
        ASSAY_CONTRADICTION);
    assert_int_equal(diag.line, 1);
}

static void a_text_that_keeps_the_clauses_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *clauses, *text;
    } right[] = {
        {"MET-EVT-005 MET-EVT-006", P "2 declare_process(END, 5, 0x8000, ls, u1)\n"},
        {"MET-EVT-011", P "2 declare_library(START, 5, 0x10000, , u2)\n"
                          "2 declare_library(START, 5, 0x20000, b.so, )\n"
                          "2 declare_library(START, 5, 0x30000, c.so)\n"},
        {"MET-EVT-017", CURRENT "2 declare_library(START, 0, 0xbf000000, mod.ko, u3)\n"},
        {"MET-EVT-020", P "2 patch_code(5, 0x8000, 4, None)\n2 patch_code(5, 0x8000, 4, id:1)\n"},
        {"MET-EVT-027 MET-IMG-006", "2 declare_library(START, 9, 0x40000000, a.so, u)\n"},
        {"MET-EVT-028", P "2 declare_process(END, 5, 0x8000, ls, u1)\n"
                          "3 declare_process(START, 5, 0x8000, ls, u1)\n"},
        {"MET-SNAP-001 MET-SNAP-003 MET-EVT-004 MET-PROC-027",
         "1 declare_thread(CURRENT, 7, 5)\n" CURRENT "2 declare_process(CURRENT, 5, 0x8000, ls)\n"},
        {"MET-PROC-028", P "2 declare_library(START, 5, 0x40000000, a.so, u)\n"
                           "3 declare_library(START, 5, 0x40000000, b.so, v)\n"},
        {"MET-CFG-009", CURRENT "1 define_trace(END, 0x10, etm0)\n"
                                "1 define_trace(START, 0x11, etm0, 0x1000)\n"},
        {"MET-CFG-009 MET-CFG-011", "1 define_trace(START, 0x10, etm0, 0)\n"
                                    "2 define_trace(END, 0x10, etm0, 0)\n"
                                    "2 define_trace(START, 0x11, etm0, 0x1000)\n"},
        {"MET-EVT-028", CURRENT "2 declare_process(START, 6, 0x8000, ls, u1)\n"
                                "2 declare_library(START, 5, 0x2000, a.so, u)\n"
                                "2 declare_library(START, 6, 0x2000, a.so, u)\n"
                                "2 declare_library(START, 5, 0x3000, a.so, u)\n"},
        {"MET-EVT-011", P "2 declare_library(START, 5, 0x20000, , u)\n"},
        {"MET-CFG-009: an image is no source",
         "1 define_trace(START, 0x10, a.so, 0)\n2 declare_library(START, 0, 0x2000, a.so, u)\n"},
        {"MET-CFG-009: an end is no second one",
         "1 define_trace(START, 0x10, etm0, 0)\n2 define_trace(END, 0x11, etm0)\n"},
        {"MET-EVT-018", P "2 patch_code(5, 0xfffffffffffffffc, 4, None)\n"},
        {"MET-EVT-022", P "2 patch_code(5, 0x8000, 4, id:1)\n3 patch_code(5, 0x9000, 4, id:1)\n"
                          "4 patch_code(5, 0x9000, 8, id:2)\n5 patch_code(5, 0x9000, 8, None)\n"
                          "6 patch_code(5, 0x9000, 4, None)\n"},
        {"MET-EVT-028: what ended with its process begins again",
         CURRENT "1 declare_library(CURRENT, 5, 0x2000, a, u)\n1 declare_thread(CURRENT, 7, 5)\n"
                 "1 declare_asid(CURRENT, 3, 5)\n2 declare_process(END, 5, 0x8000, ls, u1)\n"
                 "3 declare_process(START, 5, 0x8000, ls, u1)\n"
                 "3 declare_library(START, 5, 0x2000, b, u)\n3 declare_thread(START, 7, 5)\n"
                 "3 declare_asid(START, 3, 5)\n"},
        {"MET-EVT-028: what ended with its process ends after it",
         CURRENT "1 declare_library(CURRENT, 5, 0x2000, a, u)\n1 declare_thread(CURRENT, 7, 5)\n"
                 "2 declare_process(END, 5, 0x8000, ls, u1)\n2 declare_thread(END, 7, 5)\n"
                 "2 declare_library(END, 5, 0x2000, a, u)\n"},
        {"MET-PROC-028: another name than the first one",
         P "2 declare_library(START, 5, 0x2000, a, u)\n3 declare_library(CURRENT, 5, 0x2000, , u)\n"
           "4 declare_library(START, 5, 0x2000, b, u)\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct cs_events log;
        struct assay_diag diag;
        if (parse(right[i].text, &log, &diag) != ASSAY_OK) {
            fail_msg("%s, case %zu: line %u: %s", right[i].clauses, i, (unsigned)diag.line,
                     diag.message);
        }
    }
}

static void numbers_are_read_up_to_the_ends_of_their_ranges(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    const char *text = "1 declare_process(START, 0xffffffff, 0xffffffffffffffff, \"\", \"u1\")\n"
                       "1 declare_thread(START, 0xffffffff, 0)\n"
                       "1 declare_asid(START, 255, 0)\n"
                       "1 declare_asid(START, 0, 0)\n"
                       "1 patch_code(0, 0, 1, 5a)\n"
                       "1 patch_code(0, 0, 0xffffffff, id:1)\n"
                       "1 define_trace(START, 1, s, 0xffffffff)\n"
                       "1 define_trace(START, 0x6f, e, 0)\n";
    assert_int_equal(parse(text, &log, &diag), ASSAY_OK);
    assert_int_equal(log.count, 8);
    assert_int_equal(log.list[0].pid, UINT32_MAX);
    assert_int_equal(log.list[0].address, UINT64_MAX);
    assert_string_equal(log.list[0].text, "");
    assert_string_equal(log.list[0].uuid, "u1");
    assert_int_equal(log.list[2].id, 255);
    assert_int_equal(log.list[4].length, 1);
    assert_memory_equal(log.list[4].code, "\x5a", 1);
    assert_null(log.list[5].code);
    assert_int_equal(log.list[6].value, UINT32_MAX);
    assert_int_equal(log.list[7].id, 0x6f);
}

static void a_message_has_its_column_and_what_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t column;
        const char *message;
    } cases[] = {
        {"1 declare_process(START, 5, 0x8000, \"ls\" x, u1)\n", 41, "only a comma"},
        {"1 declare_process(START, 5, 0x8000, \"ls, u1)\n", 37, "quotes"},
        {"1 declare_process(START, 5, 0x8000)\n", 19, "has 3 parameters here, and needs 4"},
        {"1 declare_process(START, 5, 0, a, u, 7)\n", 19, "has 6 parameters here, and needs 5"},
        {"1 define_trace(START, 1, e)\n", 16, "has 3 parameters here, and needs 4"},
        {"1 define_trace(END, 1)\n", 16, "has 2 parameters here, and needs 3"},
        {"1 declare_thread(START, 7, y)\n", 28, "pid is a number"},
        {"1 declare_asid(START, 256, 5)\n", 23, "asid is from 0 to 0xff"},
        {"1 define_trace(START, 0, e, 0)\n", 23, "trace_id is from 1 to 0x6f"},
        {"1  declare_thread START\n", 4, "EVENT(PARAMETER"},
        {"x declare_thread(START, 7, 5)\n", 1, "begins with the time"},
        {"1 patch_code(0, 0, 4, 1f20)\n", 23, "the code has 2 bytes, and the length is 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cs_events log;
        struct assay_diag diag;
        (void)parse(cases[i].text, &log, &diag);
        if (diag.column != cases[i].column || strstr(diag.message, cases[i].message) == NULL) {
            fail_msg("case %zu: column %u: %s", i, (unsigned)diag.column, diag.message);
        }
    }
}

static void a_hint_names_the_event_before(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    assert_int_equal(parse(P "\n2 declare_process(START, 5, 0, a)\n", &log, &diag),
                     ASSAY_DUPLICATE);
    assert_string_equal(diag.hint, "see line 1");
    assert_int_equal(diag.line, 3);
    assert_int_equal(diag.column, 1);
    assert_int_equal(parse("\n" P "0 declare_thread(START, 7, 5)\n", &log, &diag),
                     ASSAY_CONTRADICTION);
    assert_string_equal(diag.hint, "see line 2");
    assert_int_equal(parse("1 declare_proces(START, 5, 0, a)\n", &log, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.hint, "did you mean \"declare_process\"?");
    assert_int_equal(parse("1 hello(START, 5, 0, a)\n", &log, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.hint, "");
}

/* MET-EVT-027: only a declaration of the process itself is one, and one in the snapshot. */
static void a_snapshot_declares_the_processes_of_its_events(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1 declare_thread(CURRENT, 7, 9)\n1 declare_process(START, 9, 0, a)\n",
        "1 declare_thread(CURRENT, 7, 9)\n1 declare_asid(CURRENT, 8, 9)\n",
        ("1 declare_thread(CURRENT, 7, 9)\n" CURRENT),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct cs_events log;
        struct assay_diag diag;
        assert_int_equal(parse(texts[i], &log, &diag), ASSAY_CONTRADICTION);
        assert_int_equal(diag.line, 1);
    }
}

static void what_is_too_long_is_refused(void **state)
{
    (void)state;
    struct cs_events log;
    struct assay_diag diag;
    static char text[32 * (CS_EVENTS_MAX + 1) + 1];
    memset(text, '#', CS_LINE_MOST + 1);
    assert_int_equal(parse(text, &log, &diag), ASSAY_LIMIT);
    for (size_t i = 0; i <= CS_EVENTS_MAX; i++) {
        memcpy(text + 32 * i, "1 patch_code(0, 0, 4, None)    \n", 32);
    }
    assert_int_equal(parse(text, &log, &diag), ASSAY_LIMIT);
    assert_int_equal(diag.line, CS_EVENTS_MAX + 1);
    assert_int_equal(diag.column, 1);
    assert_int_equal(cs_events_parse("log", "", ASSAY_YAML_MAX_BYTES + 1, &arena, &log, &diag),
                     ASSAY_LIMIT);
    snprintf(text, sizeof text, "than %zu MiB", ASSAY_YAML_MAX_BYTES / 1048576);
    assert_non_null(strstr(diag.message, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_is_read_with_its_parameters),
        cmocka_unit_test(the_case_of_hexadecimal_digits_says_nothing),
        cmocka_unit_test(a_text_that_breaks_a_clause_is_refused_at_its_last_line),
        cmocka_unit_test(a_snapshot_ends_before_the_first_other_event),
        cmocka_unit_test(a_text_that_keeps_the_clauses_is_read),
        cmocka_unit_test(numbers_are_read_up_to_the_ends_of_their_ranges),
        cmocka_unit_test(a_message_has_its_column_and_what_is_needed),
        cmocka_unit_test(a_hint_names_the_event_before),
        cmocka_unit_test(a_snapshot_declares_the_processes_of_its_events),
        cmocka_unit_test(what_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_arena);
}
