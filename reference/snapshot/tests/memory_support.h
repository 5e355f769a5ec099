/* A trace package with an event log, of which tests read the memory. */
#ifndef ASSAY_SNAPSHOT_TESTS_MEMORY_SUPPORT_H
#define ASSAY_SNAPSHOT_TESTS_MEMORY_SUPPORT_H

#include "folder_support.h"

#include <elf.h>

#include "image/image.h"

static const struct assay_format ete = {.name = "ete"};
static const struct assay_format *const formats[] = {&ete, NULL};

/* An executable that is linked for an address, with 8 bytes of code after its headers. */
static inline int write_elf(const char *name, uint64_t address)
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
    elf.segment.p_vaddr = address;
    elf.segment.p_filesz = sizeof elf;
    elf.segment.p_memsz = sizeof elf;
    return write_bytes(name, &elf, sizeof elf);
}

static inline int make_folder(void **state)
{
    (void)state;
    return open_folder() != 0 ||
           write_file("data", "0123456789abcdef") | write_file("a.bin", "aaaaaaaa") |
               write_file("b.bin", "bbbbbbbb") | write_elf("exec", 0x400000) |
               write_file("trace.ini", "[buffer]\nformat: coresight\n"
                                       "[trace_0x10]\nformat: ETE\nTRCCONFIGR: 0x40\n"
                                       "context_id: 32\n[trace_0x11]\nformat: ETE\n");
}

/* More items of contents.ini. */
static const char *items = "";

/* Loads the package with a log; `contextidr` may be null. */
static inline enum assay_error load(const char *contextidr, const char *log,
                                    struct assay_manifest *m, struct assay_diag *diag)
{
    char text[256];
    char path[96];
    snprintf(text, sizeof text, "[trace]\nmetadata=trace.ini\nbuffer0=data\n%s%s\n%s",
             contextidr != NULL ? "contextidr=" : "", contextidr != NULL ? contextidr : "", items);
    assert_int_equal(write_file("contents.ini", text), 0);
    assert_int_equal(write_file("system-event-log", log), 0);
    snprintf(path, sizeof path, "%s/contents.ini", folder);
    return load_manifest(path, formats, m, diag);
}

static inline void load_good(const char *contextidr, const char *log, struct assay_manifest *m)
{
    struct assay_diag diag;
    if (load(contextidr, log, m, &diag) != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, (unsigned)diag.line, diag.message);
    }
}

/* When a stream reads: at or after a time, and at or before another one; 0: that is not known. */
struct when {
    uint64_t after, before;
};

/* The byte that a stream sees at an address in a space; 0: none. */
static inline char read_byte(const struct assay_manifest *m, const struct assay_space *space,
                             uint64_t address, struct when when)
{
    struct assay_image_set *set = NULL;
    struct assay_image_cursor cursor;
    struct assay_diag diag = {0};
    char byte = 0;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    if (assay_manifest_images(&m->streams[1], set, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", diag.path, diag.message);
    }
    assay_image_cursor_open(&cursor, set);
    assay_image_select_moments(
        &cursor, assay_timeline_moments(m->streams[1].timeline, when.after > 0 ? &when.after : NULL,
                                        when.before > 0 ? &when.before : NULL));
    (void)assay_image_select(&cursor, space);
    byte = assay_image_copy(&cursor, address, &byte, 1) == 1 ? byte : 0;
    assay_image_set_free(set);
    return byte;
}

static inline char byte_when(const struct assay_manifest *m, uint64_t context, uint64_t address,
                             struct when when)
{
    const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT, .context = context};
    return read_byte(m, &space, address, when);
}

static inline char byte_at(const struct assay_manifest *m, uint64_t context, uint64_t address)
{
    return byte_when(m, context, address, (struct when){0, 0});
}

static inline char byte_without_context(const struct assay_manifest *m, uint64_t address)
{
    return read_byte(m, &(struct assay_space){0}, address, (struct when){0, 0});
}

/* Clauses, and what a context sees at an address at a time. */
struct timed_case {
    const char *clauses, *layout, *log;
    uint64_t context, address;
    struct when when;
    char byte;
};

static inline void check_times(const struct timed_case *cases, size_t count)
{
    items = "event_time=timestamp\n";
    for (size_t i = 0; i < count; i++) {
        struct assay_manifest m;
        load_good(cases[i].layout, cases[i].log, &m);
        const char byte = byte_when(&m, cases[i].context, cases[i].address, cases[i].when);
        if (byte != cases[i].byte) {
            fail_msg("%zu: %s: %c and not %c", i, cases[i].clauses, byte > 0 ? byte : '.',
                     cases[i].byte > 0 ? cases[i].byte : '.');
        }
        assay_manifest_free(&m);
    }
    items = "";
}

#define TWO                                                                                        \
    "1 declare_process(CURRENT, 5, 0x1000, a.bin, u1)\n"                                           \
    "1 declare_process(CURRENT, 6, 0x1000, /b.bin, u2)\n"                                          \
    "1 declare_process(CURRENT, 0, 0x8000, b.bin, u2)\n"                                           \
    "1 declare_thread(CURRENT, 7, 5)\n"                                                            \
    "1 declare_asid(CURRENT, 3, 5)\n"                                                              \
    "1 declare_asid(CURRENT, 4, 6)\n"

/* At 10 code is patched, and at 20 an image begins of which there is no file. */
#define LOST(process, address, code)                                                               \
    TWO "10 patch_code(" process ", " address ", 4, " code ")\n"                                   \
        "20 declare_library(START, 5, 0x6000, lost.so, u)\n"

#endif
