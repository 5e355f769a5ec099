/* Code that an event log says was patched, and when. */
#include "memory_support.h"

static void patched_code_that_can_be_in_an_image_without_a_file_is_not_known(void **state)
{
    (void)state;
    static const char whole[] = TWO "10 patch_code(5, 0x1000, 8, 6363636363636363)\n"
                                    "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char ended[] = TWO "5 declare_library(START, 5, 0x3000, a.bin, u)\n"
                                    "6 declare_library(END, 5, 0x3000, a.bin, u)\n"
                                    "10 patch_code(5, 0x3000, 4, 63636363)\n"
                                    "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char first[] = "1 declare_process(START, 5, 0x1000, , u1)\n"
                                "10 patch_code(5, 0x2000, 4, 63636363)\n"
                                "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char process[] =
        TWO "10 patch_code(5, 0, 4, 63636363)\n20 declare_process(END, 5, 0x1000, a.bin, u1)\n";
    static const char nowhere[] = TWO "10 patch_code(5, 0, 1, 63)\n"
                                      "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char newest[] = TWO "5 declare_library(START, 5, 0x6000, lost.so, u)\n"
                                     "6 declare_library(START, 5, 0x3000, a.bin, u)\n"
                                     "10 patch_code(5, 0x3000, 8, 6363636363636363)\n"
                                     "20 declare_library(END, 5, 0x6000, lost.so, u)\n";
    static const char beside[] = TWO "5 declare_library(START, 5, 0, a.bin, u)\n"
                                     "6 declare_library(START, 5, 0x6000, lost.so, u)\n"
                                     "10 patch_code(5, 0, 4, 63636363)\n"
                                     "20 declare_library(START, 5, 0x7000, lost.so, u)\n";
    static const char next[] = TWO "5 declare_library(START, 5, 0x3000, a.bin, u)\n"
                                   "6 declare_library(END, 5, 0x3000, a.bin, u)\n"
                                   "7 declare_library(START, 5, 0x3000, b.bin, v)\n"
                                   "10 patch_code(5, 0x3000, 4, 63636363)\n"
                                   "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char twice[] = TWO "10 patch_code(5, 0x3000, 4, 63636363)\n"
                                    "20 declare_library(START, 5, 0x6000, lost.so, u)\n"
                                    "30 declare_library(START, 5, 0x3000, a.bin, u)\n"
                                    "40 declare_library(END, 5, 0x3000, a.bin, u)\n"
                                    "50 declare_library(END, 5, 0x6000, lost.so, u)\n";
    static const char elsewhere[] = TWO "5 declare_library(START, 5, 0x2000, a.bin, u)\n"
                                        "10 patch_code(6, 0x2000, 4, 63636363)\n"
                                        "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char kernel[] = "1 declare_process(START, 5, 0x1000, a.bin, u)\n"
                                 "10 patch_code(0, 0x3000, 4, 63636363)\n"
                                 "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char library[] = TWO "4 declare_library(START, 5, 0x2000, a.bin, u)\n"
                                      "5 declare_process(END, 5, 0x1000, a.bin, u1)\n"
                                      "6 declare_process(START, 5, 0x1000, a.bin, u1)\n"
                                      "10 patch_code(5, 0x2000, 4, 63636363)\n"
                                      "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const char again[] = TWO "5 declare_process(END, 5, 0x1000, a.bin, u1)\n"
                                    "6 declare_process(START, 5, 0x9000, , u1)\n"
                                    "10 patch_code(5, 0x1000, 4, 63636363)\n"
                                    "20 declare_library(START, 5, 0x6000, lost.so, u)\n";
    static const struct timed_case cases[] = {
        {"at the first address", "pid", nowhere, 5, 0, {12, 15}, 'c'},
        {"at the first address", "pid", nowhere, 5, 0, {22, 25}, 0},
        {"in the newest one with a file", "pid", newest, 5, 0x3007, {22, 25}, 'c'},
        {"in one at the first address", "pid", beside, 5, 0, {22, 25}, 'c'},
        {"in one where another one was", "pid", next, 5, 0x3000, {22, 25}, 'c'},
        {"and that is said once", "pid", twice, 5, 0x3000, {35, 55}, 'a'},
        {"of another process at the same place", "pid", elsewhere, 5, 0x2000, {22, 25}, 'a'},
        {"of the kernel, which is not told apart", NULL, kernel, 5, 0x3000, {12, 15}, 'c'},
        {"of the kernel, which is not told apart", NULL, kernel, 5, 0x3000, {22, 25}, 0},
        {"where an image was of the process before", "pid", again, 5, 0x1000, {12, 15}, 'c'},
        {"where an image was of the process before", "pid", again, 5, 0x1000, {22, 25}, 0},
        {"where a library was before its process ended", "pid", library, 5, 0x2000, {22, 25}, 0},
        {"before that", "pid", LOST("5", "0x3000", "63636363"), 5, 0x3000, {12, 15}, 'c'},
        {"in none with a file", "pid", LOST("5", "0x3000", "63636363"), 5, 0x3000, {22, 25}, 0},
        {"in one with a file", "pid", whole, 5, 0x1000, {22, 25}, 'c'},
        {"in one with a file", "pid", whole, 5, 0x1007, {22, 25}, 'c'},
        {"in part behind it", "pid", LOST("5", "0x1006", "63636363"), 5, 0x1006, {22, 25}, 0},
        {"in part before it", "pid", LOST("5", "0xffe", "63636363"), 5, 0x1000, {22, 25}, 0},
        {"in one that ended", "pid", ended, 5, 0x3000, {22, 25}, 0},
        {"of another process", "pid", LOST("6", "0x3000", "63636363"), 6, 0x3000, {22, 25}, 'c'},
        {"in an image of the kernel",
         "pid",
         LOST("5", "0x8000", "63636363"),
         5,
         0x8000,
         {22, 25},
         0},
        {"that is said first", "pid", first, 5, 0x2000, {22, 25}, 0},
        {"that its process has", "pid", process, 5, 0, {12, 15}, 'c'},
        {"until that ends", "pid", process, 5, 0, {22, 25}, 0},
    };
    struct assay_manifest m;
    check_times(cases, sizeof cases / sizeof cases[0]);
    items = "event_time=timestamp\n[dump1]\nfile=b.bin\naddress=0x3000\n";
    load_good("pid", LOST("5", "0x3000", "None"), &m);
    items = "";
    /* A dump has what is there at its end, which the image can have changed. */
    assert_int_equal(byte_when(&m, 5, 0x3000, (struct when){12, 15}), 0);
    assert_int_equal(byte_when(&m, 5, 0x3004, (struct when){12, 15}), 'b');
    assay_manifest_free(&m);
}

/* As many bytes are patched as the event says, up to the last address. */
static void patched_code_has_its_length(void **state)
{
    (void)state;
    static const char log[] = TWO "5 patch_code(5, 0x1000, 2, 6363)\n"
                                  "5 patch_code(5, 0xfffffffffffffffc, 4, 63636363)\n";
    static const struct timed_case cases[] = {
        {"its first byte", "pid", log, 5, 0x1000, {6, 7}, 'c'},
        {"its last byte", "pid", log, 5, 0x1001, {6, 7}, 'c'},
        {"behind it", "pid", log, 5, 0x1002, {6, 7}, 'a'},
        {"behind it", "pid", log, 5, 0x1003, {6, 7}, 'a'},
        {"the last address", "pid", log, 5, UINT64_MAX, {6, 7}, 'c'},
        {"before it", "pid", log, 5, 0xfffffffffffffffb, {6, 7}, 0},
        {"no address comes after the last one", "pid", log, 5, 0, {6, 7}, 0},
        {"no address comes after the last one", "pid", log, 5, 1, {6, 7}, 0},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

#define PATCHES                                                                                    \
    TWO "20 patch_code(5, 0x1004, 4, 63636361)\n30 patch_code(5, 0x3000, 1, id:code)\n"            \
        "40 patch_code(5, 0x1006, 1, None)\n50 patch_code(5, 0x3000, 1, 78)\n"                     \
        "55 patch_code(0, 0x8000, 1, 79)\n60 patch_code(5, 0x3000, 1, id:lost)\n"

static void patched_code_is_there_from_its_time_on(void **state)
{
    (void)state;
    static const struct timed_case cases[] = {
        {"before it", "pid", PATCHES, 5, 0x1004, {10, 19}, 'a'},
        {"MET-EVT-019 MET-PROC-015", "pid", PATCHES, 5, 0x1004, {21, 29}, 'c'},
        {"MET-PROC-025", "asid", PATCHES, 3, 0x1004, {21, 29}, 'c'},
        {"of no other process", "pid", PATCHES, 6, 0x1004, {21, 29}, 'b'},
        {"its time is not known", "pid", PATCHES, 5, 0x1004, {20, 29}, 0},
        {"what it does not change", "pid", PATCHES, 5, 0x1007, {10, 30}, 'a'},
        {"MET-EVT-020: from a file", "pid", PATCHES, 5, 0x3000, {31, 39}, 'q'},
        {"MET-EVT-020: from no file", "pid", PATCHES, 5, 0x3000, {61, 0}, 0},
        {"patched again", "pid", PATCHES, 5, 0x3000, {51, 52}, 'x'},
        {"MET-EVT-020: left out", "pid", PATCHES, 5, 0x1006, {41, 0}, 0},
        {"the kernel", "pid", PATCHES, 6, 0x8000, {56, 0}, 'y'},
    };
    assert_int_equal(write_file("code", "q"), 0);
    check_times(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patched_code_that_can_be_in_an_image_without_a_file_is_not_known),
        cmocka_unit_test(patched_code_has_its_length),
        cmocka_unit_test(patched_code_is_there_from_its_time_on),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
