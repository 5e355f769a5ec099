/* ELF files that are built here, right and wrong. */
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

#include "image/image.h"

enum { SEGMENTS = 4, DATA = 0x200, FILE_SIZE = 0x300 };

/* A file with its headers and 256 bytes of contents from DATA on, in either class. */
struct file64 {
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS];
    uint8_t space[DATA - sizeof(Elf64_Ehdr) - SEGMENTS * sizeof(Elf64_Phdr)];
    uint8_t data[FILE_SIZE - DATA];
};

struct file32 {
    Elf32_Ehdr header;
    Elf32_Phdr segments[SEGMENTS];
    uint8_t space[DATA - sizeof(Elf32_Ehdr) - SEGMENTS * sizeof(Elf32_Phdr)];
    uint8_t data[FILE_SIZE - DATA];
};

_Static_assert(sizeof(struct file64) == FILE_SIZE && sizeof(struct file32) == FILE_SIZE,
               "both have the same layout of contents");

static uint8_t content(size_t offset)
{
    return (uint8_t)(offset * 7 + 1);
}

/* Text of 0x40 bytes at 0x1000; data of 0x20 bytes and 0x30 of bss at 0x3000; a note. */
static struct file64 good64(void)
{
    struct file64 f = {
        .header = {.e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = EV_CURRENT,
                   .e_entry = 0x1008,
                   .e_phoff = offsetof(struct file64, segments),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 3},
        .segments = {{.p_type = PT_LOAD,
                      .p_flags = PF_R | PF_X,
                      .p_offset = DATA,
                      .p_vaddr = 0x1000,
                      .p_paddr = 0x9000,
                      .p_filesz = 0x40,
                      .p_memsz = 0x40},
                     {.p_type = PT_NOTE,
                      .p_flags = PF_R,
                      .p_offset = DATA,
                      .p_vaddr = 0x7000,
                      .p_filesz = 0x40,
                      .p_memsz = 0x40},
                     {.p_type = PT_LOAD,
                      .p_flags = PF_R | PF_W,
                      .p_offset = DATA + 0x40,
                      .p_vaddr = 0x3000,
                      .p_filesz = 0x20,
                      .p_memsz = 0x50}},
    };
    memcpy(f.header.e_ident, ELFMAG, SELFMAG);
    f.header.e_ident[EI_CLASS] = ELFCLASS64;
    f.header.e_ident[EI_DATA] = ELFDATA2LSB;
    f.header.e_ident[EI_VERSION] = EV_CURRENT;
    for (size_t i = 0; i < sizeof f.data; i++) {
        f.data[i] = content(i);
    }
    return f;
}

static struct file32 good32(void)
{
    const struct file64 f = good64();
    struct file32 g = {
        .header = {.e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = EV_CURRENT,
                   .e_entry = 0x1008,
                   .e_phoff = offsetof(struct file32, segments),
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 3},
    };
    memcpy(g.header.e_ident, f.header.e_ident, EI_NIDENT);
    g.header.e_ident[EI_CLASS] = ELFCLASS32;
    for (size_t i = 0; i < 3; i++) {
        const Elf64_Phdr *p = &f.segments[i];
        g.segments[i] = (Elf32_Phdr){.p_type = p->p_type,
                                     .p_flags = p->p_flags,
                                     .p_offset = (Elf32_Off)p->p_offset,
                                     .p_vaddr = (Elf32_Addr)p->p_vaddr,
                                     .p_filesz = (Elf32_Word)p->p_filesz,
                                     .p_memsz = (Elf32_Word)p->p_memsz};
    }
    memcpy(g.data, f.data, sizeof g.data);
    return g;
}

static char path[64];

static int make_name(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/assay-elf-XXXXXX");
    const int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const void *data, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static const uint16_t riscv[] = {EM_RISCV};

static enum assay_error load(const char *options, struct assay_image_set **set,
                             struct assay_diag *diag)
{
    char text[128];
    struct assay_image_spec spec;
    snprintf(text, sizeof text, "%s%s", path, options);
    assert_int_equal(assay_image_option(text, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_open(NULL, set), ASSAY_OK);
    *diag = (struct assay_diag){.offset = 0};
    return assay_image_add(*set, &spec, diag);
}

static struct assay_image_set *loaded(const void *file, const char *options)
{
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    write_file(file, FILE_SIZE);
    if (load(options, &set, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

/* Writes the first `size` bytes of a file, which must be refused and leave nothing after. */
static struct assay_diag refuse(const void *file, size_t size, const char *options,
                                enum assay_error error)
{
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    write_file(file, size);
    const enum assay_error found = load(options, &set, &diag);
    if (found != error) {
        fail_msg("%s instead of %s: %s", assay_error_name(found), assay_error_name(error),
                 diag.message);
    }
    assert_string_equal(diag.path, path);
    assert_int_equal(assay_image_count(set), 0);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    uint8_t byte;
    size_t have;
    const struct assay_space everywhere = {0};
    assert_int_equal(assay_image_read(set, &everywhere, 0x1000, &byte, 1, &have), ASSAY_ABSENT);
    assay_image_set_free(set);
    return diag;
}

/* `size` bytes at an address are the contents from an offset on, 0 from `filled` bytes on. */
static void assert_memory(const struct assay_image_set *set, uint64_t address, size_t size,
                          size_t from, size_t filled)
{
    uint8_t bytes[256];
    size_t have;
    const struct assay_space space = {0};
    assert_int_equal(assay_image_read(set, &space, address, bytes, size, &have), ASSAY_OK);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], i < filled ? content(from + i) : 0);
    }
}

static void assert_absent(const struct assay_image_set *set, uint64_t address)
{
    uint8_t byte = 99;
    size_t have;
    const struct assay_space space = {0};
    assert_int_equal(assay_image_read(set, &space, address, &byte, 1, &have), ASSAY_ABSENT);
    assert_int_equal(byte, 99);
}

static void segments_that_are_loaded_lie_at_their_virtual_addresses(void **state)
{
    (void)state;
    const struct file64 f = good64();
    const struct file32 g = good32();
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        struct assay_image_set *set = loaded(bits == 64 ? (const void *)&f : &g, "");
        assert_memory(set, 0x1000, 0x40, 0, 0x40);
        assert_absent(set, 0xfff);
        assert_absent(set, 0x1040);
        assert_absent(set, 0x7000);
        assert_absent(set, 0x9000);
        assert_memory(set, 0x3000, 0x50, 0x40, 0x20);
        assert_absent(set, 0x3050);
        const struct assay_image_info *info = assay_image_info(set, 0);
        assert_int_equal(info->kind, ASSAY_IMAGE_ELF);
        assert_int_equal(info->bits, bits);
        assert_int_equal(info->machine, EM_RISCV);
        assert_int_equal(info->entry, 0x1008);
        assert_int_equal(info->bytes, 0x90);
        assay_image_set_free(set);
    }
}

static void memory_behind_the_bytes_of_the_file_is_zero_or_absent_as_the_user_says(void **state)
{
    (void)state;
    const struct file64 f = good64();
    struct assay_image_set *set = loaded(&f, ",bss=absent");
    assert_memory(set, 0x3000, 0x20, 0x40, 0x20);
    assert_absent(set, 0x3020);
    assay_image_set_free(set);

    set = loaded(&f, ",bss=zero");
    struct assay_image_cursor cursor;
    struct assay_image_origin origin;
    assay_image_cursor_open(&cursor, set);
    assert_true(assay_image_locate(&cursor, 0x301f, &origin));
    assert_false(origin.zero_filled);
    assert_int_equal(origin.offset, DATA + 0x5f);
    assert_true(assay_image_locate(&cursor, 0x3020, &origin));
    assert_true(origin.zero_filled);
    assert_string_equal(origin.image->path, path);
    assay_image_set_free(set);
}

static void memory_of_code_that_the_file_does_not_hold_is_absent(void **state)
{
    (void)state;
    static const unsigned flags[] = {PF_R | PF_X, PF_R | PF_W | PF_X};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct file64 f = good64();
        f.segments[0].p_flags = flags[i];
        f.segments[0].p_memsz = 0x80;
        struct assay_image_set *set = loaded(&f, ",bss=zero");
        assert_memory(set, 0x1000, 0, 0x40, 0x40);
        assert_absent(set, 0x1040);
        assay_image_set_free(set);
    }
}

static void zero_filled_memory_of_any_size_takes_no_memory(void **state)
{
    (void)state;
    struct file64 f = good64();
    f.segments[2].p_memsz = (uint64_t)1 << 60;
    struct assay_image_set *set = loaded(&f, "");
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    static const uint64_t places[] = {0x3020, 0x3fff, 0x4000, 0x123456789ab,
                                      0x3000 + ((uint64_t)1 << 60) - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t available;
        const uint8_t *bytes = assay_image_at(&cursor, places[i], &available);
        assert_non_null(bytes);
        assert_in_range(available, 1, 4096);
        for (size_t k = 0; k < available; k++) {
            assert_int_equal(bytes[k], 0);
        }
    }
    assert_absent(set, 0x3000 + ((uint64_t)1 << 60));
    assay_image_set_free(set);
}

/* The second segment has bytes from this offset on, of those that the first one has. */
static void segments_of_the_same_bytes_of_the_file_share_them(void **state)
{
    (void)state;
    for (size_t from = 0; from <= 0x40; from += 0x10) {
        struct file64 f = good64();
        const struct assay_image_options options = {.max_bytes = from > 0x20 ? from + 0x20 : 0x40};
        struct assay_image_spec spec = {.has_address = false};
        struct assay_image_set *set = NULL;
        snprintf(spec.path, sizeof spec.path, "%s", path);
        f.segments[2].p_offset = DATA + from;
        write_file(&f, FILE_SIZE);
        assert_int_equal(assay_image_set_open(&options, &set), ASSAY_OK);
        assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_OK);
        assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
        assert_memory(set, 0x1000, 0x40, 0, 0x40);
        assert_memory(set, 0x3000, 0x50, from, 0x20);
        assay_image_set_free(set);
    }
}

static void a_position_independent_file_is_moved_by_the_address(void **state)
{
    (void)state;
    struct file64 f = good64();
    f.header.e_type = ET_DYN;
    struct assay_image_set *set = loaded(&f, "@0xffff000000000000");
    assert_memory(set, 0xffff000000001000, 0x40, 0, 0x40);
    assert_memory(set, 0xffff000000003000, 0x50, 0x40, 0x20);
    assert_absent(set, 0x1000);
    assert_int_equal(assay_image_info(set, 0)->entry, 0xffff000000001008);
    assay_image_set_free(set);

    set = loaded(&f, "");
    assert_memory(set, 0x1000, 0x40, 0, 0x40);
    assay_image_set_free(set);
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "@0xffffffffffffe000", ASSAY_OUT_OF_RANGE).message,
                           "segment 2"));
    f.header.e_type = ET_EXEC;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "@0x10", ASSAY_USAGE).message, "ET_EXEC"));
}

static void an_elf_file_can_be_taken_as_raw_bytes(void **state)
{
    (void)state;
    const struct file64 f = good64();
    struct assay_image_set *set = loaded(&f, "@0x1000,raw,offset=0x200");
    assert_memory(set, 0x1000, 0x100, 0, 0x100);
    assay_image_set_free(set);
    (void)refuse(&f, FILE_SIZE, ",raw", ASSAY_USAGE);
    (void)refuse(&f, FILE_SIZE, ",offset=1", ASSAY_USAGE);
    (void)refuse(&f, FILE_SIZE, ",length=1", ASSAY_USAGE);
}

/* The diagnosis of a file of a machine for a trace of RISC-V. */
static struct assay_diag diagnose(uint16_t machine, enum assay_error error)
{
    struct file64 f = good64();
    struct assay_diag diag = {.offset = 0};
    f.header.e_machine = machine;
    struct assay_image_set *set = loaded(&f, "");
    assert_int_equal(assay_image_check_machines(set, riscv, 1, &diag), error);
    assert_int_equal(assay_image_check_machines(set, NULL, 0, NULL), ASSAY_OK);
    assay_image_set_free(set);
    return diag;
}

static void files_of_another_machine_are_found(void **state)
{
    (void)state;
    diagnose(EM_RISCV, ASSAY_OK);
    const struct assay_diag diag = diagnose(EM_X86_64, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "x86-64"));
    assert_non_null(strstr(diag.hint, "RISC-V"));
    assert_string_equal(diag.path, path);
    assert_non_null(strstr(diagnose(0xfefe, ASSAY_UNSUPPORTED).message, "65278"));
}

static void files_of_another_kind_are_refused(void **state)
{
    (void)state;
    struct file64 f = good64();
    f.header.e_type = ET_REL;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_UNSUPPORTED).message, "relocatable"));
    f.header.e_type = ET_CORE;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_UNSUPPORTED).message, "core"));
    f.header.e_type = 99;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_UNSUPPORTED);

    /* Big-endian, with its fields in that order. */
    f = good64();
    f.header.e_ident[EI_DATA] = ELFDATA2MSB;
    f.header.e_type = __builtin_bswap16(ET_EXEC);
    f.header.e_machine = __builtin_bswap16(EM_RISCV);
    f.header.e_version = __builtin_bswap32(EV_CURRENT);
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_UNSUPPORTED).message, "big-endian"));
    f.header.e_ident[EI_DATA] = 3;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
    f = good64();
    f.header.e_ident[EI_CLASS] = 3;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
}

static void a_file_that_is_cut_short_anywhere_is_refused(void **state)
{
    (void)state;
    const struct file64 f = good64();
    const struct file32 g = good32();
    const size_t used = DATA + 0x60;
    for (size_t size = 0; size < used; size++) {
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            struct assay_image_set *set = NULL;
            struct assay_diag diag;
            write_file(bits == 64 ? (const void *)&f : &g, size);
            const enum assay_error error = load(",elf", &set, &diag);
            /* Within the headers libelf does not always tell what is missing. */
            if (error != ASSAY_TRUNCATED && (error != ASSAY_CORRUPT || size >= DATA)) {
                fail_msg("%u bits, %zu bytes: %s", bits, size, assay_error_name(error));
            }
            assert_int_equal(assay_image_count(set), 0);
            assay_image_set_free(set);
        }
    }
    write_file(&f, used);
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    assert_int_equal(load("", &set, &diag), ASSAY_OK);
    assay_image_set_free(set);
}

/* What a file with the debug information alone has where the program's segments were is something
 * else: some tools leave the program headers as they were. */
static void bytes_of_a_segment_whose_sections_have_none_are_absent(void **state)
{
    (void)state;
    enum { CODE = SHF_ALLOC | SHF_EXECINSTR };
    struct file64 f = good64();
    Elf64_Shdr sections[2] = {{.sh_type = SHT_NULL},
                              {.sh_type = SHT_NOBITS,
                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                               .sh_addr = 0x1010,
                               .sh_size = 0x30}};
    f.header.e_shoff = offsetof(struct file64, space);
    f.header.e_shentsize = sizeof *sections;
    f.header.e_shnum = 2;
    memcpy(f.space, sections, sizeof sections);
    struct assay_image_set *set = loaded(&f, "");
    assert_absent(set, 0x1000);
    assert_memory(set, 0x3000, 0x20, 0x40, 0x20);
    assay_image_set_free(set);
    f.segments[2].p_type = PT_NOTE;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT).hint, "debug"));
    const Elf64_Shdr others[] = {
        {.sh_type = SHT_NOBITS, .sh_flags = CODE, .sh_addr = 0x1040, .sh_size = 8},
        {.sh_type = SHT_NOBITS, .sh_flags = CODE, .sh_addr = 0x1038, .sh_size = 9},
        {.sh_type = SHT_NOBITS, .sh_flags = CODE, .sh_addr = 0xff8, .sh_size = 16},
        {.sh_type = SHT_NOBITS, .sh_flags = SHF_EXECINSTR, .sh_addr = 0x1010, .sh_size = 8},
        {.sh_type = SHT_NOBITS, .sh_flags = CODE, .sh_addr = 0x1010},
        {.sh_type = SHT_PROGBITS, .sh_flags = CODE, .sh_addr = 0x1010, .sh_size = 8},
        /* bss in the middle of a segment: a linker gives it bytes of the file */
        {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x1010, .sh_size = 8},
        {.sh_type = SHT_NOBITS, .sh_flags = CODE | SHF_TLS, .sh_addr = 0x1010, .sh_size = 8}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        memcpy(f.space + sizeof *sections, &others[i], sizeof others[i]);
        set = loaded(&f, "");
        assert_memory(set, 0x1000, 0x40, 0, 0x40);
        assay_image_set_free(set);
    }
}

static void headers_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    struct file64 f = good64();
    f.segments[2].p_filesz = 0x51;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT).message, "segment 2"));
    f = good64();
    f.segments[2].p_vaddr = 0x103f;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT).message, "0x103f"));
    f = good64();
    f.segments[0].p_vaddr = 0x304f; /* overlaps bss */
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
    f = good64();
    f.segments[0].p_filesz = 0;
    assert_non_null(strstr(refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT).hint, "debug"));
    f = good64();
    f.header.e_phnum = 0;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
    f = good64();
    f.header.e_phentsize = 8;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
    f = good64();
    f.segments[0].p_type = f.segments[2].p_type = PT_NULL;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_CORRUPT);
}

static void numbers_that_leave_their_range_are_refused(void **state)
{
    (void)state;
    static const uint64_t huge[] = {FILE_SIZE, UINT64_MAX, UINT64_MAX - 0x1f, (uint64_t)1 << 63};
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        struct file64 f = good64();
        f.segments[2].p_offset = huge[i];
        (void)refuse(&f, FILE_SIZE, "", ASSAY_TRUNCATED);
        f = good64();
        f.segments[2].p_filesz = f.segments[2].p_memsz = huge[i];
        (void)refuse(&f, FILE_SIZE, "", ASSAY_TRUNCATED);
        f = good64();
        f.header.e_phoff = huge[i] - 1;
        struct assay_image_set *set = NULL;
        struct assay_diag diag;
        write_file(&f, FILE_SIZE);
        assert_int_not_equal(load("", &set, &diag), ASSAY_OK);
        assay_image_set_free(set);
    }
    struct file64 f = good64();
    f.segments[2].p_vaddr = UINT64_MAX - 0x4e;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_OUT_OF_RANGE);
    f.segments[2].p_vaddr = UINT64_MAX - 0x4f;
    struct assay_image_set *set = loaded(&f, "");
    assert_memory(set, UINT64_MAX - 0x4f, 0x50, 0x40, 0x20);
    assay_image_set_free(set);
    f.segments[2].p_memsz = UINT64_MAX;
    (void)refuse(&f, FILE_SIZE, "", ASSAY_OUT_OF_RANGE);

    struct file32 g = good32();
    g.segments[2].p_vaddr = 0xffffffb1;
    (void)refuse(&g, FILE_SIZE, "", ASSAY_CORRUPT);
    g.segments[2].p_vaddr = 0xffffffb0;
    set = loaded(&g, "");
    assert_memory(set, 0xffffffb0, 0x50, 0x40, 0x20);
    assay_image_set_free(set);
}

static void a_table_that_lies_about_its_length_is_refused(void **state)
{
    (void)state;
    struct file64 f = good64();
    f.header.e_phnum = 0xfffe;
    struct assay_image_set *set = NULL;
    struct assay_diag diag;
    write_file(&f, FILE_SIZE);
    assert_int_not_equal(load("", &set, &diag), ASSAY_OK);
    assay_image_set_free(set);
    f.header.e_phnum = PN_XNUM; /* the number is in a section header that is not there */
    write_file(&f, FILE_SIZE);
    assert_int_not_equal(load("", &set, &diag), ASSAY_OK);
    assay_image_set_free(set);
}

static void any_byte_of_the_headers_may_be_wrong(void **state)
{
    (void)state;
    const struct file64 f = good64();
    for (size_t at = 0; at < offsetof(struct file64, segments[3]); at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct assay_image_set *set = NULL;
            struct assay_diag diag;
            struct file64 g = f;
            ((uint8_t *)&g)[at] ^= (uint8_t)(1u << bit);
            write_file(&g, FILE_SIZE);
            if (load("", &set, &diag) == ASSAY_OK) {
                assert_int_equal(assay_image_set_seal(set, &diag), ASSAY_OK);
                uint8_t bytes[0x50];
                size_t have;
                const struct assay_space space = {0};
                (void)assay_image_read(set, &space, 0x3000, bytes, sizeof bytes, &have);
            } else {
                assert_true(diag.message[0] != '\0');
            }
            assay_image_set_free(set);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_that_are_loaded_lie_at_their_virtual_addresses),
        cmocka_unit_test(memory_behind_the_bytes_of_the_file_is_zero_or_absent_as_the_user_says),
        cmocka_unit_test(memory_of_code_that_the_file_does_not_hold_is_absent),
        cmocka_unit_test(zero_filled_memory_of_any_size_takes_no_memory),
        cmocka_unit_test(segments_of_the_same_bytes_of_the_file_share_them),
        cmocka_unit_test(a_position_independent_file_is_moved_by_the_address),
        cmocka_unit_test(an_elf_file_can_be_taken_as_raw_bytes),
        cmocka_unit_test(files_of_another_machine_are_found),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(a_file_that_is_cut_short_anywhere_is_refused),
        cmocka_unit_test(bytes_of_a_segment_whose_sections_have_none_are_absent),
        cmocka_unit_test(headers_that_contradict_each_other_are_refused),
        cmocka_unit_test(numbers_that_leave_their_range_are_refused),
        cmocka_unit_test(a_table_that_lies_about_its_length_is_refused),
        cmocka_unit_test(any_byte_of_the_headers_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, make_name, remove_file);
}
