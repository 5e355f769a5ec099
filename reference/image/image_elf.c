/* The PT_LOAD segments of an ELF file. libelf reads the headers, by read and not by mmap; what they
 * say is checked here before it is used. */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "image/image_private.h"

enum { MOST_ABSENT = 256 }; /* sections of a file without the program are some tens */

struct range {
    uint64_t address, size;
};

struct loader {
    struct assay_image_set *set;
    const struct assay_image_spec *spec;
    int fd;
    uint64_t file_size;
    uint64_t bias; /* added to every address */
    unsigned bits; /* 32 or 64 */
    /* Where segments share bytes of the file: the bytes from this offset on, which hold those of
     * all segments. Null: each segment has its own. */
    const uint8_t *shared;
    uint64_t shared_offset;
    struct range absent[MOST_ABSENT]; /* memory of sections that the file has no bytes for */
    size_t absent_count;
    struct assay_diag *diag;
};

const char *assay_image_machine_name(uint16_t machine)
{
    static const struct {
        uint16_t machine;
        const char *name;
    } names[] = {
        {EM_386, "x86"},       {EM_ARM, "Arm AArch32"}, {EM_X86_64, "x86-64"},
        {EM_PPC64, "PowerPC"}, {EM_MIPS, "MIPS"},       {EM_AARCH64, "Arm AArch64"},
        {EM_RISCV, "RISC-V"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].machine == machine) {
            return names[i].name;
        }
    }
    return NULL;
}

static enum assay_error corrupt(const struct loader *l, const char *what)
{
    return assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET, "%s", what);
}

static bool is_of(const struct assay_image_info *image, const uint16_t *machines, size_t count)
{
    size_t at = 0;
    while (at < count && machines[at] != image->machine) {
        at++;
    }
    return image->machine == EM_NONE || at < count;
}

enum assay_error assay_image_check_machines(const struct assay_image_set *set,
                                            const uint16_t *machines, size_t count,
                                            struct assay_diag *diag)
{
    size_t at = 0;
    while (at < set->image_count && is_of(&set->images[at], machines, count)) {
        at++;
    }
    if (count == 0 || at == set->image_count) {
        return ASSAY_OK;
    }
    const char *name = assay_image_machine_name(set->images[at].machine);
    const char *expected = assay_image_machine_name(machines[0]);
    assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
               "the ELF file is for another machine, %s (%u)", name != NULL ? name : "number",
               set->images[at].machine);
    if (expected != NULL) {
        assay_diag_hint(diag, "the trace is of %s", expected);
    }
    assay_diag_path(diag, set->images[at].path);
    return ASSAY_UNSUPPORTED;
}

/* Whether the given address is allowed for a file of this type. */
static enum assay_error check_type(struct loader *l, uint16_t type)
{
    if (type == ET_DYN) {
        l->bias = l->spec->has_address ? l->spec->address : 0;
        return ASSAY_OK;
    }
    if (type == ET_EXEC) {
        return !l->spec->has_address
                   ? ASSAY_OK
                   : assay_fail(
                         l->diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                         "the ELF file is linked for fixed addresses (ET_EXEC) and cannot be "
                         "given another one");
    }
    return assay_fail(l->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                      "the ELF file is %s; an executable or a shared object is expected",
                      type == ET_REL    ? "relocatable"
                      : type == ET_CORE ? "a core dump, which leaves out what files held"
                                        : "of an unknown type");
}

/* What libelf could not read. That memory is out it tells by errno alone: its number for that is in
 * no header. */
static enum assay_error fail_reading(const struct loader *l, enum assay_error error,
                                     const char *what)
{
    return assay_fail(l->diag, errno == ENOMEM ? ASSAY_NO_MEMORY : error, ASSAY_NO_OFFSET,
                      "the %s cannot be read: %s", what, elf_errmsg(-1));
}

static enum assay_error check_header(struct loader *l, Elf *elf, GElf_Ehdr *header)
{
    if (gelf_getehdr(elf, header) == NULL) {
        return fail_reading(l, l->file_size < sizeof(Elf64_Ehdr) ? ASSAY_TRUNCATED : ASSAY_CORRUPT,
                            "ELF header");
    }
    if (header->e_ident[EI_DATA] != ELFDATA2LSB) {
        return assay_fail(l->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "the ELF file is big-endian");
    }
    l->bits = header->e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    return check_type(l, header->e_type);
}

static enum assay_error check_table(const struct loader *l, Elf *elf, const GElf_Ehdr *header,
                                    size_t *count)
{
    *count = 0;
    if (elf_getphdrnum(elf, count) != 0) {
        return fail_reading(l, ASSAY_CORRUPT, "program headers");
    }
    if (*count == 0) {
        return corrupt(l, "the ELF file has no program headers, so nothing says what is loaded");
    }
    if (*count > ASSAY_IMAGE_MAX_SEGMENTS) {
        return assay_fail(l->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "the ELF file has %zu program headers, more than %d", *count,
                          ASSAY_IMAGE_MAX_SEGMENTS);
    }
    const size_t entry = l->bits == 32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    if (header->e_phentsize != entry) {
        return assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                          "a program header has %zu bytes, not the %u that the ELF file says",
                          entry, header->e_phentsize);
    }
    const uint64_t size = *count * entry;
    if (header->e_phoff > l->file_size || size > l->file_size - header->e_phoff) {
        return assay_fail(l->diag, ASSAY_TRUNCATED, ASSAY_NO_OFFSET,
                          "the file ends within the program headers");
    }
    return ASSAY_OK;
}

static enum assay_error check_segment(const struct loader *l, size_t number, const GElf_Phdr *p)
{
    if (p->p_filesz > p->p_memsz) {
        return assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                          "segment %zu has more bytes in the file than in memory", number);
    }
    if (p->p_offset > l->file_size || p->p_filesz > l->file_size - p->p_offset) {
        return assay_fail(l->diag, ASSAY_TRUNCATED, ASSAY_NO_OFFSET,
                          "segment %zu is %" PRIu64 " bytes from offset %" PRIu64
                          " on, but the file ends at %" PRIu64,
                          number, p->p_filesz, p->p_offset, l->file_size);
    }
    if (p->p_filesz == 0 && (p->p_flags & PF_X) != 0 && (p->p_flags & PF_W) == 0) {
        assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                   "segment %zu is executable and the file has no bytes for it", number);
        assay_diag_hint(l->diag, "is this a file of debug information, without the program?");
        return ASSAY_CORRUPT;
    }
    /* Those of 32 bits are added up here, where they cannot wrap. */
    if (l->bits == 32 && p->p_vaddr + p->p_memsz > (uint64_t)1 << 32) {
        return assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                          "segment %zu goes beyond the 32 bits of its addresses", number);
    }
    if (p->p_vaddr > UINT64_MAX - l->bias) {
        return assay_fail(l->diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "segment %zu lies beyond the last address when 0x%" PRIx64 " is added",
                          number, l->bias);
    }
    return ASSAY_OK;
}

static bool is_loaded(const GElf_Phdr *p)
{
    return p->p_type == PT_LOAD && p->p_memsz > 0;
}

/* Notes the sections whose memory the file has no bytes for, where code is among them: the file has
 * the debug information alone, and can have the program headers of the program all the same. What
 * it has where a segment with such a section is to be is something else. */
static void note_absent(struct loader *l, Elf *elf)
{
    bool code = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr s;
        if (l->absent_count < MOST_ABSENT && gelf_getshdr(section, &s) != NULL &&
            s.sh_type == SHT_NOBITS && (s.sh_flags & SHF_ALLOC) != 0 &&
            (s.sh_flags & SHF_TLS) == 0 && s.sh_size > 0) {
            l->absent[l->absent_count++] = (struct range){s.sh_addr, s.sh_size};
            code = code || (s.sh_flags & SHF_EXECINSTR) != 0;
        }
    }
    l->absent_count = code ? l->absent_count : 0;
}

static bool is_of_another_file(const struct loader *l, const GElf_Phdr *p)
{
    bool is = false;
    for (size_t i = 0; i < l->absent_count; i++) {
        const struct range *r = &l->absent[i];
        is = is || (r->address >= p->p_vaddr && r->address - p->p_vaddr < p->p_filesz &&
                    r->size <= p->p_filesz - (r->address - p->p_vaddr));
    }
    return is;
}

static enum assay_error read_header(const struct loader *l, Elf *elf, size_t number, GElf_Phdr *p)
{
    char what[40];
    snprintf(what, sizeof what, "program header %zu", number);
    if (gelf_getphdr(elf, (int)number, p) == NULL) {
        return fail_reading(l, ASSAY_CORRUPT, what);
    }
    if (p->p_type == PT_LOAD && is_of_another_file(l, p)) {
        p->p_type = PT_NULL;
    }
    return ASSAY_OK;
}

static enum assay_error read_bytes(const struct loader *l, uint64_t offset, uint64_t size,
                                   const uint8_t **bytes)
{
    uint8_t *memory = NULL;
    const enum assay_error error = assay_image_allocate(l->set, size, &memory, l->diag);
    *bytes = memory;
    return error != ASSAY_OK ? error : assay_image_read_file(l->fd, offset, size, memory, l->diag);
}

/* Checks the segments, and reads the bytes of all at once where that is less than those of each:
 * many segments can have the same bytes of a small file. */
static enum assay_error share_bytes(struct loader *l, Elf *elf, size_t count)
{
    uint64_t first = UINT64_MAX, end = 0, sum = 0;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        GElf_Phdr p;
        error = read_header(l, elf, i, &p);
        if (error != ASSAY_OK || !is_loaded(&p)) {
            continue;
        }
        error = check_segment(l, i, &p);
        if (error == ASSAY_OK && p.p_filesz > 0) {
            first = p.p_offset < first ? p.p_offset : first;
            end = p.p_offset + p.p_filesz > end ? p.p_offset + p.p_filesz : end;
            sum = p.p_filesz < UINT64_MAX - sum ? sum + p.p_filesz : UINT64_MAX;
        }
    }
    if (error != ASSAY_OK || first >= end || sum <= end - first) {
        return error;
    }
    l->shared_offset = first;
    return read_bytes(l, first, end - first, &l->shared);
}

/* Whether the memory of a segment that the file does not hold is 0. That of code is not: it is in
 * another file (debug information alone), or comes into being when the program runs. */
static bool is_zeroed(const struct loader *l, const GElf_Phdr *p)
{
    return p->p_memsz > p->p_filesz && l->spec->bss == ASSAY_IMAGE_BSS_ZERO &&
           (p->p_flags & PF_X) == 0;
}

static enum assay_error load_segment(const struct loader *l, size_t number, const GElf_Phdr *p)
{
    enum assay_error error = ASSAY_OK;
    const uint64_t address = l->bias + p->p_vaddr;
    const uint64_t zeros = p->p_memsz - p->p_filesz;
    if (p->p_filesz > 0) {
        const uint8_t *bytes =
            l->shared != NULL ? l->shared + (p->p_offset - l->shared_offset) : NULL;
        error = bytes != NULL ? ASSAY_OK : read_bytes(l, p->p_offset, p->p_filesz, &bytes);
        if (error == ASSAY_OK) {
            error =
                assay_image_add_segment(l->set, address, p->p_filesz, bytes, p->p_offset, l->diag);
        }
    }
    if (error == ASSAY_OK && is_zeroed(l, p)) {
        if (p->p_filesz > UINT64_MAX - address) {
            return assay_fail(l->diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                              "segment %zu goes beyond the last address", number);
        }
        error = assay_image_add_segment(l->set, address + p->p_filesz, zeros, NULL, 0, l->diag);
    }
    return error;
}

static int by_address(const void *a, const void *b)
{
    const struct assay_image_segment *x = a;
    const struct assay_image_segment *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static enum assay_error check_overlap(const struct loader *l, size_t begin)
{
    struct assay_image_segment *list = l->set->segments + begin;
    const size_t count = l->set->segment_count - begin;
    qsort(list, count, sizeof *list, by_address);
    for (size_t i = 1; i < count; i++) {
        if (list[i].first <= list[i - 1].last) {
            return assay_fail(l->diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                              "two segments of the ELF file overlap at address 0x%" PRIx64,
                              list[i].first);
        }
    }
    return ASSAY_OK;
}

static enum assay_error load_segments(struct loader *l, Elf *elf, size_t count)
{
    const size_t begin = l->set->segment_count;
    enum assay_error error = share_bytes(l, elf, count);
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        GElf_Phdr p;
        error = read_header(l, elf, i, &p);
        error = error == ASSAY_OK && is_loaded(&p) ? load_segment(l, i, &p) : error;
    }
    if (error != ASSAY_OK) {
        return error;
    }
    if (l->set->segment_count == begin) {
        (void)corrupt(l, "the ELF file has no segment that is loaded");
        if (l->absent_count > 0) {
            assay_diag_hint(l->diag, "is this a file of debug information, without the program?");
        }
        return ASSAY_CORRUPT;
    }
    return check_overlap(l, begin);
}

static enum assay_error load(struct loader *l, Elf *elf)
{
    GElf_Ehdr header;
    size_t count;
    enum assay_error error = check_header(l, elf, &header);
    if (error == ASSAY_OK) {
        error = check_table(l, elf, &header, &count);
    }
    if (error == ASSAY_OK) {
        note_absent(l, elf);
        error = load_segments(l, elf, count);
    }
    if (error == ASSAY_OK) {
        struct assay_image_info *info = &l->set->images[l->set->image_count];
        info->kind = ASSAY_IMAGE_ELF;
        info->machine = header.e_machine;
        info->bits = (uint8_t)l->bits;
        info->entry = l->bias + header.e_entry;
    }
    return error;
}

enum assay_error assay_image_load_elf(struct assay_image_set *set,
                                      const struct assay_image_spec *spec, int fd,
                                      uint64_t file_size, struct assay_diag *diag)
{
    struct loader l = {.set = set, .spec = spec, .fd = fd, .file_size = file_size, .diag = diag};
    if (spec->offset != 0 || spec->length != 0) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "an offset and a length are for raw images; this is an ELF file");
    }
    errno = 0;
    (void)elf_version(EV_CURRENT); /* cannot fail with the header that this was compiled with */
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL) {
        return fail_reading(&l, ASSAY_CORRUPT, "ELF file");
    }
    const enum assay_error error =
        elf_kind(elf) == ELF_K_ELF
            ? load(&l, elf)
            : assay_fail(diag, file_size < sizeof(Elf32_Ehdr) ? ASSAY_TRUNCATED : ASSAY_CORRUPT,
                         ASSAY_NO_OFFSET, "the ELF header is not complete or of no known class");
    elf_end(elf);
    return error;
}
