/* What the event log of a trace package says of the memory of each process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/model.h"
#include "coresight/snapshot.h"

static char folder[] = "/tmp/assay-memory-XXXXXX";

static const struct assay_format ete = {.name = "ete"};
static const struct assay_format *const formats[] = {&ete, NULL};

static int write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    return out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0 ? 0 : -1;
}

static int write_file(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

/* An executable that is linked for 0x400000, with 8 bytes of code after its headers. */
static int write_elf(const char *name)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr segment;
        char code[8];
    } elf = {.code = "elfcode"};
    memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
    elf.head.e_ident[EI_CLASS] = ELFCLASS64;
    elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.head.e_ident[EI_VERSION] = EV_CURRENT;
    elf.head.e_type = ET_EXEC;
    elf.head.e_machine = EM_AARCH64;
    elf.head.e_version = EV_CURRENT;
    elf.head.e_phoff = sizeof elf.head;
    elf.head.e_ehsize = sizeof elf.head;
    elf.head.e_phentsize = sizeof elf.segment;
    elf.head.e_phnum = 1;
    elf.segment.p_type = PT_LOAD;
    elf.segment.p_vaddr = 0x400000;
    elf.segment.p_filesz = sizeof elf;
    elf.segment.p_memsz = sizeof elf;
    return write_bytes(name, &elf, sizeof elf);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ||
           write_file("data", "0123456789abcdef") | write_file("a.bin", "aaaaaaaa") |
               write_file("b.bin", "bbbbbbbb") | write_elf("exec") |
               write_file("trace.ini", "[buffer]\nformat: coresight\n"
                                       "[trace_0x10]\nformat: ETE\nTRCCONFIGR: 0x40\n"
                                       "context_id: 32\n[trace_0x11]\nformat: ETE\n");
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Loads the package with a log; `contextidr` may be null. */
static enum assay_error load(const char *contextidr, const char *log, struct assay_manifest *m,
                             struct assay_diag *diag)
{
    const struct assay_manifest_options options = {.formats = formats};
    char text[256];
    char path[96];
    snprintf(text, sizeof text, "[trace]\nmetadata=trace.ini\nbuffer0=data\n%s%s\n",
             contextidr != NULL ? "contextidr=" : "", contextidr != NULL ? contextidr : "");
    assert_int_equal(write_file("contents.ini", text), 0);
    assert_int_equal(write_file("system-event-log", log), 0);
    snprintf(path, sizeof path, "%s/contents.ini", folder);
    *diag = (struct assay_diag){0};
    return assay_manifest_load(path, &options, m, diag);
}

static void load_good(const char *contextidr, const char *log, struct assay_manifest *m)
{
    struct assay_diag diag;
    if (load(contextidr, log, m, &diag) != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, (unsigned)diag.line, diag.message);
    }
}

/* The byte that a stream sees at an address in a space; 0: none. */
static char read_byte(const struct assay_manifest *m, const struct assay_space *space,
                      uint64_t address)
{
    struct assay_image_set *set = NULL;
    struct assay_diag diag = {0};
    char byte = 0;
    size_t have = 0;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    if (assay_manifest_images(&m->streams[1], set, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", diag.path, diag.message);
    }
    if (assay_image_read(set, space, address, &byte, 1, &have) != ASSAY_OK) {
        byte = 0;
    }
    assay_image_set_free(set);
    return byte;
}

static char byte_at(const struct assay_manifest *m, uint64_t context, uint64_t address)
{
    const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT, .context = context};
    return read_byte(m, &space, address);
}

static char byte_without_context(const struct assay_manifest *m, uint64_t address)
{
    return read_byte(m, &(struct assay_space){0}, address);
}

#define TWO                                                                                        \
    "1 declare_process(CURRENT, 5, 0x1000, a.bin, u1)\n"                                           \
    "1 declare_process(CURRENT, 6, 0x1000, /b.bin, u2)\n"                                          \
    "1 declare_process(CURRENT, 0, 0x8000, b.bin, u2)\n"                                           \
    "1 declare_thread(CURRENT, 7, 5)\n"                                                            \
    "1 declare_asid(CURRENT, 3, 5)\n"                                                              \
    "1 declare_asid(CURRENT, 4, 6)\n"

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

/* MET-CID-008 MET-EVT-019 MET-IMG-004 MET-IMG-020 MET-INT-009 MET-PROC-010 MET-PROC-012
 * MET-PROC-014 MET-PROC-015 MET-PROC-016 MET-PROC-021 MET-PROC-023 MET-PROC-025 MET-PROC-028 */
static void what_changes_in_time_is_left_out_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *log;
        uint64_t context;
        size_t named;
    } cases[] = {
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_library(END, 5, 0x2000, a.bin, u3)\n"
             "4 declare_library(START, 5, 0x2004, b.bin, u4)\n",
         5, 2},
        {"pid",
         "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
         "4 declare_library(START, 5, 0x2000, b.bin, u4)\n",
         5, 2},
        {"pid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 patch_code(5, 0x2007, 4, None)\n",
         5, 1},
        {"tid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_thread(END, 7, 5)\n4 declare_thread(START, 7, 6)\n",
         7, 0},
        {"asid",
         TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
             "3 declare_asid(END, 3, 5)\n4 declare_asid(START, 3, 6)\n",
         3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        load_good(cases[i].layout, cases[i].log, &m);
        assert_int_equal(byte_at(&m, cases[i].context, 0x2000), 0);
        assert_int_equal(byte_at(&m, cases[i].context, 0x2004), 0);
        assert_int_equal(m.streams[1].absent_count, cases[i].named);
        if (cases[i].named > 0) {
            assert_non_null(strstr(m.streams[1].absent[0], "(it changes at line "));
        }
        assay_manifest_free(&m);
    }
}

static void what_does_not_change_is_seen_all_the_time(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good("pid",
              TWO "2 declare_library(START, 5, 0x2000, a.bin, u3)\n"
                  "2 declare_library(START, 6, 0x2004, b.bin, u3)\n"
                  "3 patch_code(5, 0x2008, 4, None)\n"
                  "3 patch_code(6, 0x2000, 4, None)\n"
                  "4 declare_library(END, 5, 0x2000, a.bin, )\n"
                  "5 declare_library(START, 5, 0x2000, a.bin, u3)\n",
              &m);
    assert_int_equal(byte_at(&m, 5, 0x2007), 'a');
    assert_int_equal(byte_at(&m, 6, 0x2004), 'b');
    assert_int_equal(m.streams[1].absent_count, 0);
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
        {"MET-EVT-029", "pid", TWO "2 declare_library(START, 5, 0x1004, b.bin, u)\n",
         ASSAY_CONTRADICTION, "system-event-log", 7},
        {"MET-IMG-021", "pid", TWO "2 declare_library(START, 5, 0x8004, b.bin, u)\n",
         ASSAY_CONTRADICTION, "system-event-log", 7},
        {"MET-EVT-010", NULL, "1 declare_process(START, 5, 0x10000, exec, u)\n",
         ASSAY_CONTRADICTION, "system-event-log", 1},
        {"MET-PKG-016", NULL, "1 declare_process(START, 5, 0x1000, ../../etc/passwd, u)\n",
         ASSAY_NOT_READABLE, "system-event-log", 1},
        {"MET-CFG-003 MET-CFG-014", NULL, "1 define_trace(START, 0x10, etm0, 0x50)\n",
         ASSAY_CONTRADICTION, "system-event-log", 1},
        {"MET-EVT-003", NULL, "\n1 declare_process(OLD, 5, 0, a.bin, u)\n", ASSAY_UNKNOWN_NAME,
         "system-event-log", 2},
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_is_seen_in_the_contexts_of_its_process),
        cmocka_unit_test(one_process_is_seen_in_every_context),
        cmocka_unit_test(what_changes_in_time_is_left_out_and_named),
        cmocka_unit_test(what_does_not_change_is_seen_all_the_time),
        cmocka_unit_test(what_contradicts_is_refused),
        cmocka_unit_test(the_metadata_of_streams_agrees_with_the_log),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
