#include "generators/recorded_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "image/image.h"

enum {
    UNIT = 2, /* bytes: instructions have one or two units */
    PAGE = 4096,
    UNITS = PAGE / UNIT,
    PAGES_MOST = 1 << 16,
    SLOTS = 2 * PAGES_MOST, /* of the table, a power of 2 */
    SEGMENTS_MOST = ASSAY_IMAGE_MAX_SEGMENTS / 2
};

struct page {
    uint64_t address;
    uint8_t bytes[PAGE];
    bool known[UNITS];
};

struct memory {
    struct page **table; /* by address */
    struct page **pages; /* the same, one after the other */
    size_t count;
    struct page *last;
};

/* --- reading --- */

static struct page *find_page(struct memory *m, uint64_t address)
{
    if (m->last != NULL && m->last->address == address) {
        return m->last;
    }
    size_t slot = (size_t)(address / PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
    while (m->table[slot] != NULL && m->table[slot]->address != address) {
        slot = (slot + 1) % SLOTS;
    }
    if (m->table[slot] == NULL && m->count < PAGES_MOST) {
        m->table[slot] = calloc(1, sizeof **m->table);
        if (m->table[slot] != NULL) {
            m->table[slot]->address = address;
            m->pages[m->count++] = m->table[slot];
        }
    }
    return m->last = m->table[slot];
}

static enum assay_error add_unit(struct memory *m, uint64_t address, uint16_t unit,
                                 struct assay_diag *diag)
{
    struct page *page = find_page(m, address & ~(uint64_t)(PAGE - 1));
    if (page == NULL) {
        return m->count == PAGES_MOST
                   ? assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                                "the program has more than %d pages of instructions", PAGES_MOST)
                   : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    uint8_t *bytes = &page->bytes[address % PAGE];
    bool *known = &page->known[address % PAGE / UNIT];
    if (*known && assay_load16(bytes) != unit) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "the program has changed the instruction at 0x%llx: no image has both",
                          (unsigned long long)address);
    }
    assay_store16(bytes, unit);
    *known = true;
    return ASSAY_OK;
}

static enum assay_error read_all(struct memory *m, struct assay_execution *execution,
                                 struct assay_diag *diag)
{
    struct assay_executed item = {0};
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && item.kind != ASSAY_EXECUTED_END) {
        error = assay_execution_next(execution, &item);
        if (error != ASSAY_OK) {
            *diag = *assay_execution_diag(execution);
        } else if (item.kind == ASSAY_EXECUTED_INSTRUCTION) {
            for (unsigned at = 0; at < item.size && error == ASSAY_OK; at += UNIT) {
                error = add_unit(m, item.address + at, (uint16_t)(item.word >> 8 * at), diag);
            }
        }
    }
    return error;
}

/* --- segments --- */

struct segment {
    uint64_t address, size;
};

static int compare_pages(const void *a, const void *b)
{
    const struct page *one = *(struct page *const *)a;
    const struct page *other = *(struct page *const *)b;
    return one->address < other->address ? -1 : one->address > other->address;
}

/* Those with at most `gap` bytes between them are one. */
static size_t find_segments(const struct memory *m, uint64_t gap, struct segment *segments)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct page *page = m->pages[i];
        for (size_t unit = 0; unit < UNITS; unit++) {
            const uint64_t address = page->address + UNIT * unit;
            struct segment *last = count > 0 ? &segments[count - 1] : NULL;
            if (!page->known[unit]) {
                continue;
            }
            if (last != NULL && address - (last->address + last->size) <= gap) {
                last->size = address + UNIT - last->address;
            } else if (count == SEGMENTS_MOST) {
                return SEGMENTS_MOST + 1;
            } else {
                segments[count++] = (struct segment){address, UNIT};
            }
        }
    }
    return count;
}

/* --- writing --- */

static void write_headers(struct assay_sink *sink, uint16_t machine, const struct segment *segments,
                          size_t count)
{
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ASSAY_LE16(ET_EXEC),
        .e_machine = ASSAY_LE16(machine),
        .e_version = ASSAY_LE32(EV_CURRENT),
        .e_phoff = ASSAY_LE64(sizeof header),
        .e_ehsize = ASSAY_LE16(sizeof header),
        .e_phentsize = ASSAY_LE16(sizeof(Elf64_Phdr)),
        .e_phnum = ASSAY_LE16((uint16_t)count)};
    uint64_t offset = sizeof header + count * sizeof(Elf64_Phdr);
    assay_sink_write(sink, &header, sizeof header);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr segment = {.p_type = ASSAY_LE32(PT_LOAD),
                                    .p_flags = ASSAY_LE32(PF_R | PF_X),
                                    .p_offset = ASSAY_LE64(offset),
                                    .p_vaddr = ASSAY_LE64(segments[i].address),
                                    .p_paddr = ASSAY_LE64(segments[i].address),
                                    .p_filesz = ASSAY_LE64(segments[i].size),
                                    .p_memsz = ASSAY_LE64(segments[i].size),
                                    .p_align = ASSAY_LE64(1)};
        assay_sink_write(sink, &segment, sizeof segment);
        offset += segments[i].size;
    }
}

static void write_segment(struct memory *m, struct assay_sink *sink, struct segment segment)
{
    static const uint8_t zeros[PAGE];
    while (segment.size > 0) {
        const uint64_t at = segment.address % PAGE;
        const uint64_t size = segment.size < PAGE - at ? segment.size : PAGE - at;
        const struct page key = {.address = segment.address - at};
        const struct page *wanted = &key;
        struct page **page = bsearch(&wanted, m->pages, m->count, sizeof *m->pages, compare_pages);
        assay_sink_write(sink, page != NULL ? (*page)->bytes + at : zeros, (size_t)size);
        segment.address += size;
        segment.size -= size;
    }
}

static enum assay_error write_image(struct memory *m, struct assay_sink *sink, uint16_t machine,
                                    struct assay_diag *diag)
{
    struct segment *segments = calloc(SEGMENTS_MOST, sizeof *segments);
    uint64_t gap = 0;
    size_t count = 0;
    if (segments == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    qsort(m->pages, m->count, sizeof *m->pages, compare_pages);
    while ((count = find_segments(m, gap, segments)) > SEGMENTS_MOST) {
        gap = 2 * gap + UNIT;
    }
    write_headers(sink, machine, segments, count);
    for (size_t i = 0; i < count; i++) {
        write_segment(m, sink, segments[i]);
    }
    free(segments);
    return sink->error;
}

enum assay_error assay_recorded_image(struct assay_execution *execution, struct assay_sink *sink,
                                      struct assay_diag *diag)
{
    const bool arm = assay_execution_header(execution)->isa == ASSAY_EXECUTION_AARCH64;
    struct memory m = {.table = calloc(SLOTS, sizeof *m.table),
                       .pages = calloc(PAGES_MOST, sizeof *m.pages)};
    enum assay_error error =
        m.table == NULL || m.pages == NULL
            ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
            : read_all(&m, execution, diag);
    if (error == ASSAY_OK) {
        error = write_image(&m, sink, arm ? EM_AARCH64 : EM_RISCV, diag);
    }
    for (size_t i = 0; i < m.count; i++) {
        free(m.pages[i]);
    }
    free(m.table);
    free(m.pages);
    return error;
}
