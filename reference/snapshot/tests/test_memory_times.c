/* What changes in the memory that an event log describes, and when. */
#include "memory_support.h"

/* MET-DYN-004: the times of a log are not those of the trace unless the package says so. */
static void without_times_what_is_the_same_at_all_times_is_seen(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *log;
        uint64_t context;
        char at_2000, at_2004;
    } cases[] = {
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_library(END, 5, 0x2000, a.bin, u3)\n"
             "4 declare_library(START, 5, 0x2004, b.bin, u4)\n",
         5, 'a', 0},
        {"pid",
         "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
         "4 declare_library(START, 5, 0x2000, b.bin, u4)\n",
         5, 0, 0},
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 patch_code(5, 0x2004, 4, None)\n",
         5, 'a', 0},
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 patch_code(5, 0x2004, 4, 61616162)\n",
         5, 'a', 'a'},
        {"tid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_thread(END, 7, 5)\n4 declare_thread(START, 7, 6)\n",
         7, 0, 0},
        {"tid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_thread(END, 7, 5)\n4 declare_thread(START, 7, 5)\n",
         7, 'a', 'a'},
        {"asid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_asid(END, 3, 5)\n4 declare_asid(START, 3, 6)\n",
         3, 0, 0},
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "2 declare_library(START, 6, 0x2004, b.bin, u4)\n"
             "3 patch_code(5, 0x2008, 4, None)\n"
             "3 patch_code(6, 0x2000, 4, None)\n"
             "4 declare_library(END, 5, 0x2000, a.bin, )\n"
             "5 declare_library(START, 5, 0x2000, a.bin, u3)\n",
         5, 'a', 'a'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned order = 0; order < 2; order++) {
            struct assay_manifest m;
            items = order == 1 ? "event_time=order\n" : "";
            load_good(cases[i].layout, cases[i].log, &m);
            assert_int_equal(byte_at(&m, cases[i].context, 0x2000), cases[i].at_2000);
            assert_int_equal(byte_when(&m, cases[i].context, 0x2004, (struct when){9, 10}),
                             cases[i].at_2004);
            assert_int_equal(m.streams[1].absent_count, 0);
            assay_manifest_free(&m);
        }
    }
    items = "";
}

#define LIBRARIES                                                                                  \
    TWO "20 declare_library(START, 5, 0x2000, a.bin, u3)\n"                                        \
        "40 declare_library(END, 5, 0x2000, a.bin, u3)\n"                                          \
        "60 declare_library(START, 5, 0x2004, b.bin, u4)\n"                                        \
        "80 declare_process(END, 5, 0x1000, a.bin, u1)\n"

static void images_come_and_go_at_their_times(void **state)
{
    (void)state;
    static const struct timed_case cases[] = {
        {"MET-IMG-020 MET-PROC-011", "pid", LIBRARIES, 5, 0x2000, {10, 19}, 0},
        {"MET-EVT-016 MET-DYN-002", "pid", LIBRARIES, 5, 0x2000, {21, 39}, 'a'},
        {"MET-PROC-012 MET-INT-009", "pid", LIBRARIES, 5, 0x2000, {41, 59}, 0},
        {"MET-PROC-012", "pid", LIBRARIES, 5, 0x2004, {41, 59}, 0},
        {"MET-PROC-001 MET-IMG-004", "pid", LIBRARIES, 5, 0x2004, {61, 70}, 'b'},
        {"MET-PROC-010", "pid", LIBRARIES, 5, 0x2004, {81, 90}, 0},
        {"MET-PROC-010", "pid", LIBRARIES, 5, 0x1000, {81, 90}, 0},
        {"MET-PROC-010: of no other process", "pid", LIBRARIES, 6, 0x1000, {81, 90}, 'b'},
        {"MET-PROC-010: nor the kernel", "pid", LIBRARIES, 5, 0x8000, {81, 90}, 'b'},
        {"the time is not known: one is there", "pid", LIBRARIES, 5, 0x2000, {10, 20}, 'a'},
        {"one is there", "pid", LIBRARIES, 5, 0x2000, {30, 50}, 'a'},
        {"two are", "pid", LIBRARIES, 5, 0x2004, {30, 70}, 0},
        {"at the end", "pid", LIBRARIES, 5, 0x2000, {30, 0}, 'a'},
        {"MET-PROC-022 MET-PROC-023", "asid", LIBRARIES, 3, 0x2000, {21, 39}, 'a'},
        {"MET-PROC-023", "asid", LIBRARIES, 3, 0x2000, {41, 59}, 0},
        {"MET-PROC-028",
         "pid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
         "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
         "4 declare_library(START, 5, 0x2000, b.bin, u4)\n",
         5,
         0x2000,
         {3, 3},
         'a'},
        {"MET-PROC-028",
         "pid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
         "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
         "4 declare_library(START, 5, 0x2000, b.bin, u4)\n",
         5,
         0x2000,
         {5, 6},
         'b'},
        {"the other has no file",
         "pid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
         "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
         "4 declare_library(START, 5, 0x2000, lost.so, u4)\n",
         5,
         0x2000,
         {5, 6},
         0},
        {"MET-EVT-004 MET-DYN-006: CURRENT is no beginning",
         "pid",
         "5 declare_process(CURRENT, 5, 0x1000, a.bin, u)\n",
         5,
         0x1000,
         {1, 2},
         'a'},
        {"MET-IMG-005: back from its end",
         "pid",
         "1 declare_asid(START, 9, 6)\n"
         "5 declare_library(END, 5, 0x2000, a.bin, u)\n",
         5,
         0x2000,
         {1, 2},
         'a'},
        {"MET-IMG-005: back, as long as nothing else was there",
         "pid",
         TWO "3 declare_library(START, 5, 0x2000, a.bin, u)\n"
             "5 declare_library(END, 5, 0x2000, a.bin, u)\n"
             "7 declare_library(START, 5, 0x2004, b.bin, v)\n",
         5,
         0x2004,
         {4, 4},
         'a'},
        {"MET-IMG-006: what was there before is not known",
         "pid",
         "5 declare_library(START, 5, 0x2000, a.bin, u)\n",
         5,
         0x2000,
         {4, 6},
         0},
        {"MET-IMG-006: then it is",
         "pid",
         "5 declare_library(START, 5, 0x2000, a.bin, u)\n",
         5,
         0x2000,
         {6, 0},
         'a'},
        {"a process has the id of another one",
         "pid",
         TWO "3 declare_process(END, 5, 0x1000, a.bin, u1)\n"
             "5 declare_process(START, 5, 0x1000, b.bin, u2)\n",
         5,
         0x1000,
         {6, 7},
         'b'},
        {"without contexts",
         NULL,
         "1 declare_process(START, 5, 0x1000, a.bin, u1)\n2 patch_code(5, 0x5000, 1, 7a)\n"
         "3 declare_library(CURRENT, 0, 0x8000, b.bin, v)\n"
         "4 declare_process(END, 5, 0x1000, a.bin, u1)\n",
         5,
         0x5000,
         {3, 3},
         'z'},
        {"without contexts a process ends",
         NULL,
         "1 declare_process(START, 5, 0x1000, a.bin, u1)\n2 patch_code(5, 0x5000, 1, 7a)\n"
         "3 declare_library(CURRENT, 0, 0x8000, b.bin, v)\n"
         "4 declare_process(END, 5, 0x1000, a.bin, u1)\n",
         5,
         0x5000,
         {5, 6},
         0},
        {"the kernel stays",
         NULL,
         "1 declare_process(START, 5, 0x1000, a.bin, u1)\n2 patch_code(5, 0x5000, 1, 7a)\n"
         "3 declare_library(CURRENT, 0, 0x8000, b.bin, v)\n"
         "4 declare_process(END, 5, 0x1000, a.bin, u1)\n",
         5,
         0x8000,
         {5, 6},
         'b'},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

/* The log is not complete: b.bin ends at 30 without having begun, and before it something else was
 * at 0x2000 to 0x2007 from 10 to 20. */
#define ENDS(process, address)                                                                     \
    "1 declare_asid(START, 9, 6)\n10 declare_library(START, " process ", 0x2000, a.bin, u)\n"      \
    "20 declare_library(END, " process ", 0x2000, a.bin, u)\n"                                     \
    "30 declare_library(END, 5, " address ", b.bin, v)\n"

/* MET-IMG-005 */
static void what_ends_without_having_begun_was_there_since_something_else_was(void **state)
{
    (void)state;
    static const char patched[] = "1 declare_process(START, 5, 0x1000, , u1)\n"
                                  "10 patch_code(5, 0x2000, 4, 63636363)\n"
                                  "30 declare_library(END, 5, 0x2000, b.bin, v)\n";
    static const char last[] = "1 declare_process(START, 5, 0x1000, , u1)\n"
                               "10 patch_code(5, 0xfffffffffffffffc, 4, 63636363)\n"
                               "30 declare_library(END, 5, 0xfffffffffffffff8, b.bin, v)\n";
    static const struct timed_case cases[] = {
        {"up to the last address", "pid", last, 5, 0xfffffffffffffff8, {12, 15}, 'b'},
        {"up to the last address", "pid", last, 5, 0xffffffffffffffff, {12, 15}, 'c'},
        {"up to the last address", "pid", last, 5, 0xffffffffffffffff, {32, 35}, 0},
        {"behind it", "pid", ENDS("5", "0x2008"), 5, 0x2009, {2, 5}, 'b'},
        {"before it", "pid", ENDS("5", "0x1ff8"), 5, 0x1fff, {2, 5}, 'b'},
        {"over its last byte", "pid", ENDS("5", "0x2007"), 5, 0x2009, {2, 5}, 0},
        {"over its last byte", "pid", ENDS("5", "0x2007"), 5, 0x2009, {12, 15}, 0},
        {"over its last byte", "pid", ENDS("5", "0x2007"), 5, 0x2009, {22, 25}, 'b'},
        {"over its last byte", "pid", ENDS("5", "0x2007"), 5, 0x2009, {32, 35}, 0},
        {"over its first byte", "pid", ENDS("5", "0x1ff9"), 5, 0x1ffa, {2, 5}, 0},
        {"over its first byte", "pid", ENDS("5", "0x1ff9"), 5, 0x1ffa, {22, 25}, 'b'},
        {"of another process", "pid", ENDS("6", "0x2004"), 5, 0x2004, {2, 5}, 'b'},
        {"before code was patched", "pid", patched, 5, 0x2000, {2, 5}, 'b'},
        {"before code was patched", "pid", patched, 5, 0x2000, {12, 15}, 'c'},
        {"before code was patched", "pid", patched, 5, 0x2006, {12, 15}, 'b'},
        {"before code was patched", "pid", patched, 5, 0x2000, {32, 35}, 0},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

#define OTHERS                                                                                     \
    TWO "20 declare_library(START, 5, 0x2000, a.bin, u3)\n"                                        \
        "30 declare_library(START, 5, 0x3000, b.bin, u4)\n"                                        \
        "40 declare_library(END, 5, 0x3000, b.bin, u4)\n"

static void an_image_changes_no_other_one(void **state)
{
    (void)state;
    static const char twins[] = "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
                                "1 declare_process(START, 6, 0x1000, a.bin, u)\n"
                                "5 declare_library(START, 6, 0x2000, a.bin, u)\n";
    static const char names[] = TWO "10 declare_library(START, 5, 0x2000, x, )\n"
                                    "20 declare_library(END, 5, 0x2000, x, )\n"
                                    "30 declare_library(START, 5, 0x2000, y, )\n";
    static const char uuids[] = TWO "10 declare_library(START, 5, 0x2000, , 1)\n"
                                    "20 declare_library(END, 5, 0x2000, , 1)\n"
                                    "30 declare_library(START, 5, 0x2000, y, 2)\n";
    static const char bare[] = "1 declare_process(START, 5, 0x1000, a.bin, u1)\n"
                               "4 declare_process(END, 5, 0x1000, a.bin, u1)\n";
    static const char zero[] = "1 declare_process(START, 0, 0, a.bin, u)\n"
                               "1 declare_process(START, 5, 0x1000, , u1)\n"
                               "20 declare_process(END, 5, 0x1000, , u1)\n";
    static const char found[] = "1 declare_process(START, 5, 0x1000, , u)\n"
                                "10 declare_library(START, 5, 0x2000, a.bin, u)\n"
                                "20 declare_process(END, 5, 0x1000, , u)\n"
                                "30 declare_process(START, 5, 0x1000, , u)\n"
                                "40 declare_library(CURRENT, 5, 0x2000, b.bin, v)\n";
    static const char known[] = TWO "10 declare_library(START, 5, 0x2000, a.bin, u3)\n"
                                    "20 declare_library(END, 5, 0x2000, , u3)\n"
                                    "30 declare_library(START, 5, 0x2000, , u3)\n"
                                    "40 declare_library(END, 5, 0x2000, a.bin, )\n"
                                    "50 declare_library(START, 5, 0x2000, b.bin, )\n"
                                    "60 declare_library(END, 5, 0x2000, b.bin, u4)\n"
                                    "70 declare_library(START, 5, 0x2000, , u5)\n";
    static const char moved[] = "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
                                "10 declare_process(END, 5, 0x1000, a.bin, u)\n"
                                "20 declare_process(START, 5, 0x2000, a.bin, u)\n";
    static const char several[] = TWO "10 declare_library(START, 5, 0x2000, a.bin, u)\n"
                                      "11 declare_library(START, 5, 0x3000, b.bin, v)\n"
                                      "12 declare_library(END, 5, 0x3000, b.bin, v)\n"
                                      "13 declare_process(CURRENT, 5, 0x1000, a.bin, )\n"
                                      "20 declare_process(END, 5, 0x1000, a.bin, u1)\n"
                                      "30 declare_process(START, 5, 0x1000, a.bin, u1)\n"
                                      "40 declare_library(START, 5, 0x2004, b.bin, v)\n";
    static const char patched[] = "10 patch_code(0, 0x2000, 4, 63636363)\n"
                                  "20 declare_process(CURRENT, 0, 0x2000, a.bin, u)\n";
    static const struct timed_case cases[] = {
        {"another begins", "pid", OTHERS, 5, 0x1000, {32, 35}, 'a'},
        {"another begins", "pid", OTHERS, 5, 0x2000, {32, 35}, 'a'},
        {"another ends", "pid", OTHERS, 5, 0x1000, {42, 45}, 'a'},
        {"another ends", "pid", OTHERS, 5, 0x2007, {42, 45}, 'a'},
        {"it ends", "pid", OTHERS, 5, 0x3000, {42, 45}, 0},
        {"one without a file", "pid", LOST("6", "0x5000", "63636363"), 5, 0, {22, 25}, 0},
        {"one without a file", "pid", LOST("6", "0x5000", "63636363"), 5, 0x6000, {22, 25}, 0},
        {"the same file in two processes", "pid", twins, 5, 0x1000, {6, 7}, 'a'},
        {"the same file in two processes", "pid", twins, 6, 0x1007, {6, 7}, 'a'},
        {"the same file at two places", "pid", twins, 6, 0x2007, {6, 7}, 'a'},
        {"the same file at two places", "pid", twins, 6, 0x2008, {6, 7}, 0},
        {"names of one character", "pid", names, 5, 0x2000, {12, 15}, 'x'},
        {"names of one character", "pid", names, 5, 0x2000, {32, 35}, 'y'},
        {"UUIDs of one character", "pid", uuids, 5, 0x2000, {12, 15}, 0},
        {"UUIDs of one character", "pid", uuids, 5, 0x2000, {32, 35}, 'y'},
        {"a process ends without contexts", NULL, bare, 5, 0x1000, {2, 3}, 'a'},
        {"a process ends without contexts", NULL, bare, 5, 0x1000, {5, 6}, 0},
        {"one without a file ends", NULL, zero, 5, 0, {22, 25}, 'a'},
        {"what is found ended with its process", "pid", found, 5, 0x2000, {12, 15}, 'a'},
        {"what is found ended with its process", "pid", found, 5, 0x2000, {32, 35}, 'b'},
        {"what is found ended with its process", "pid", found, 5, 0x2000, {42, 45}, 'b'},
        {"known by its UUID", "pid", known, 5, 0x2000, {32, 35}, 'a'},
        {"known by its name", "pid", known, 5, 0x2000, {52, 55}, 'b'},
        {"the same file at another address", "pid", moved, 5, 0x1000, {22, 25}, 0},
        {"the same file at another address", "pid", moved, 5, 0x2007, {22, 25}, 'a'},
        {"all of a process end with it", "pid", several, 5, 0x2000, {22, 25}, 0},
        {"all of a process end with it", "pid", several, 5, 0x2004, {42, 45}, 'b'},
        {"another UUID", "pid", known, 5, 0x2000, {72, 75}, 0},
        {"found when code was patched", "pid", patched, 0, 0x2000, {12, 15}, 'c'},
        {"found when code was patched", "pid", patched, 0, 0x2004, {12, 15}, 'a'},
    };
    assert_int_equal(write_file("x", "x") | write_file("y", "y"), 0);
    check_times(cases, sizeof cases / sizeof cases[0]);
}

#define CONTEXTS                                                                                   \
    TWO "20 declare_thread(END, 7, 5)\n30 declare_thread(START, 7, 6)\n"                           \
        "40 declare_asid(END, 3, 5)\n50 declare_asid(START, 3, 6)\n"

/* A process ends, and its thread with it. */
#define GONE                                                                                       \
    "1 declare_process(START, 5, 0x1000, a.bin, u)\n1 declare_process(START, 6, 0x1000, b.bin, "   \
    "v)\n"                                                                                         \
    "10 declare_thread(START, 7, 5)\n20 declare_process(END, 5, 0x1000, a.bin, u)\n"
#define ENDED GONE "40 declare_thread(START, 7, 6)\n"
#define FOUND GONE "40 declare_thread(CURRENT, 7, 6)\n"

/* MET-CID-008 MET-EVT-026 */
static void a_context_is_of_its_process_at_the_time(void **state)
{
    (void)state;
    static const struct timed_case cases[] = {
        {"MET-PROC-013", "tid", CONTEXTS, 7, 0x1000, {10, 19}, 'a'},
        {"MET-PROC-014", "tid", CONTEXTS, 7, 0x1000, {21, 29}, 0},
        {"MET-PROC-016", "tid", CONTEXTS, 7, 0x1000, {31, 0}, 'b'},
        {"MET-PROC-024", "asid+tid", CONTEXTS, 0x703, 0x1000, {31, 0}, 'b'},
        {"of two", "tid", CONTEXTS, 7, 0x1000, {10, 31}, 0},
        {"of two, and the kernel", "tid", CONTEXTS, 7, 0x8000, {10, 31}, 'b'},
        {"of one or none", "tid", CONTEXTS, 7, 0x1000, {10, 25}, 'a'},
        {"MET-PROC-020", "asid", CONTEXTS, 3, 0x1000, {10, 39}, 'a'},
        {"MET-PROC-021", "asid", CONTEXTS, 3, 0x1000, {41, 49}, 0},
        {"MET-CID-008 MET-PROC-018", "asid", CONTEXTS, 0xffff03, 0x1000, {51, 0}, 'b'},
        {"of two", "asid", CONTEXTS, 3, 0x1000, {39, 51}, 0},
        {"it ends, and was there before",
         "asid",
         "1 declare_process(START, 5, 0x1000, a.bin, u)\n5 declare_asid(END, 8, 5)\n",
         8,
         0x1000,
         {2, 4},
         'a'},
        {"it began again when its process had ended", "tid", ENDED, 7, 0x1000, {42, 45}, 'b'},
        {"until then it was of the process that ended", "tid", ENDED, 7, 0x1000, {12, 15}, 'a'},
        {"it was found again when its process had ended", "tid", FOUND, 7, 0x1000, {42, 45}, 'b'},
        {"until then it was of the process that ended", "tid", FOUND, 7, 0x1000, {12, 15}, 'a'},
        {"with processes an ASID says nothing",
         "asid+pid",
         "1 declare_process(CURRENT, 5, 0x1000, a.bin, u)\n",
         0x599,
         0x1000,
         {2, 4},
         'a'},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

/* MET-CID-008 MET-EVT-026: threads begin and end in any order, and another kind of id is another.
 */
static void each_id_has_its_own_process(void **state)
{
    (void)state;
    static const char threads[] =
        TWO "10 declare_thread(START, 90, 5)\n11 declare_thread(START, 80, 6)\n"
            "12 declare_thread(START, 70, 5)\n13 declare_thread(START, 60, 6)\n"
            "14 declare_thread(START, 50, 5)\n15 declare_thread(START, 40, 6)\n"
            "20 declare_thread(END, 70, 5)\n21 declare_thread(START, 70, 6)\n";
    static const char asids[] = TWO "1 declare_asid(CURRENT, 7, 6)\n";
    static const char trace[] = TWO "2 declare_asid(START, 17, 5)\n"
                                    "3 define_trace(START, 0x11, etm0, 0)\n";
    static const struct timed_case cases[] = {
        {"", "tid", threads, 90, 0x1000, {22, 25}, 'a'},
        {"", "tid", threads, 80, 0x1000, {22, 25}, 'b'},
        {"", "tid", threads, 70, 0x1000, {16, 19}, 'a'},
        {"", "tid", threads, 70, 0x1000, {22, 25}, 'b'},
        {"", "tid", threads, 60, 0x1000, {22, 25}, 'b'},
        {"", "tid", threads, 50, 0x1000, {22, 25}, 'a'},
        {"", "tid", threads, 40, 0x1000, {22, 25}, 'b'},
        {"before it begins", "tid", threads, 90, 0x1000, {2, 5}, 0},
        {"an ASID is no thread", "tid", asids, 7, 0x1000, {2, 5}, 'a'},
        {"a trace id is no ASID", "asid", trace, 0x11, 0x1000, {4, 5}, 'a'},
        {"a process of 24 bits",
         "asid+pid",
         "1 declare_process(START, 0xffffff, 0x1000, a.bin, u)\n",
         0xffffff05,
         0x1000,
         {2, 4},
         'a'},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

/* MET-EVT-020 MET-IMG-001 */
static void left_out_code_is_that_of_dumps(void **state)
{
    (void)state;
    static const char dump[] = "event_time=timestamp\n[dump1]\nfile=b.bin\naddress=0x3000\n";
    struct assay_manifest m;
    items = dump;
    load_good("pid",
              TWO "5 patch_code(0, 0x3000, 4, 63636363)\n7 patch_code(0, 0x3001, 1, None)\n"
                  "8 patch_code(5, 0x3005, 1, None)\n",
              &m);
    items = "";
    assert_int_equal(byte_when(&m, 5, 0x3000, (struct when){1, 3}), 0); /* of which time? */
    assert_int_equal(byte_when(&m, 5, 0x3000, (struct when){6, 0}), 'c');
    assert_int_equal(byte_when(&m, 5, 0x3001, (struct when){6, 6}), 'c');
    assert_int_equal(byte_when(&m, 5, 0x3001, (struct when){8, 0}), 'b');
    assert_int_equal(byte_when(&m, 5, 0x3004, (struct when){1, 3}), 'b');
    assert_int_equal(byte_when(&m, 5, 0x3005, (struct when){9, 0}), 'b');
    assay_manifest_free(&m);
}

/* MET-EVT-002 MET-DYN-004 */
static void times_can_be_inexact(void **state)
{
    (void)state;
    struct assay_manifest m;
    items = "event_time=timestamp\nevent_tolerance=5\n";
    load_good("pid", LIBRARIES, &m);
    items = "";
    assert_int_equal(byte_when(&m, 5, 0x2000, (struct when){46, 50}), 0);
    assert_int_equal(byte_when(&m, 5, 0x2000, (struct when){45, 50}), 'a');
    assert_int_equal(byte_when(&m, 5, 0x2000, (struct when){10, 14}), 0);
    assert_int_equal(byte_when(&m, 5, 0x2000, (struct when){10, 15}), 'a');
    assay_manifest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_times_what_is_the_same_at_all_times_is_seen),
        cmocka_unit_test(images_come_and_go_at_their_times),
        cmocka_unit_test(what_ends_without_having_begun_was_there_since_something_else_was),
        cmocka_unit_test(an_image_changes_no_other_one),
        cmocka_unit_test(each_id_has_its_own_process),
        cmocka_unit_test(a_context_is_of_its_process_at_the_time),
        cmocka_unit_test(left_out_code_is_that_of_dumps),
        cmocka_unit_test(times_can_be_inexact),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
