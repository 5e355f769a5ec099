/* The ELF file of a challenge: segments, and the sections and symbols that tools want. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "generators/challenge/run.h"

enum {
    SEGMENTS_MOST = 4,
    SYMBOLS_MOST = 8,
    SECTIONS_MOST = 8,
    PARKED = 4, /* bytes of the jump to itself */
    RVC = 1,    /* in e_flags */
    STACK_ALIGN = 16,
};

struct file {
    const struct challenge_program *program;
    Elf64_Phdr segment[SEGMENTS_MOST];
    unsigned segments;
    Elf64_Shdr section[SECTIONS_MOST];
    unsigned sections;
    Elf64_Sym symbol[SYMBOLS_MOST];
    unsigned symbols;
    char names[128]; /* of symbols */
    size_t names_size;
    char section_names[128];
    size_t section_names_size;
    uint64_t end; /* of what was laid out of the file */
};

static uint32_t add_name(char *names, size_t *size, const char *name)
{
    const size_t at = *size;
    *size += strlen(name) + 1;
    memcpy(names + at, name, strlen(name) + 1);
    return (uint32_t)at;
}

static unsigned add_section(struct file *f, const char *name, const Elf64_Shdr *section)
{
    f->section[f->sections] = *section;
    f->section[f->sections].sh_name = add_name(f->section_names, &f->section_names_size, name);
    return f->sections++;
}

/* A segment with its section; the number of that. */
static unsigned add_segment(struct file *f, const char *name, uint32_t flags, uint64_t address,
                            uint64_t offset, uint64_t size, uint64_t align)
{
    f->segment[f->segments++] = (Elf64_Phdr){.p_type = PT_LOAD,
                                             .p_flags = flags,
                                             .p_offset = offset,
                                             .p_vaddr = address,
                                             .p_paddr = address,
                                             .p_filesz = size,
                                             .p_memsz = size,
                                             .p_align = align};
    f->end = offset + size;
    return add_section(f, name,
                       &(Elf64_Shdr){.sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC | (flags & PF_X ? SHF_EXECINSTR : 0) |
                                                 (flags & PF_W ? SHF_WRITE : 0),
                                     .sh_addr = address,
                                     .sh_offset = offset,
                                     .sh_size = size,
                                     .sh_addralign = PARKED});
}

static void add_symbol(struct file *f, const char *name, uint64_t value, unsigned section,
                       unsigned type, uint64_t size)
{
    f->symbol[f->symbols++] = (Elf64_Sym){.st_name = add_name(f->names, &f->names_size, name),
                                          .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
                                          .st_shndx = (uint16_t)section,
                                          .st_value = value,
                                          .st_size = size};
}

/* Code and data; the place of the end, where that is elsewhere. */
static void lay_out_segments(struct file *f)
{
    const struct challenge_program *p = f->program;
    const struct assay_challenge_facts *facts = p->facts;
    const uint64_t data = p->code->data_base;
    const uint64_t gap = p->options->bare ? 0 : CHALLENGE_LINUX_GAP;
    const uint64_t align = p->options->bare ? ASSAY_CHALLENGE_PAGE : CHALLENGE_LINUX_GAP;
    const uint64_t offset = CHALLENGE_CODE_OFFSET + (data - gap - p->code->base);
    const unsigned text = add_segment(f, ".text", PF_R | PF_X, p->code->base, CHALLENGE_CODE_OFFSET,
                                      challenge_code_bytes(p->code), align);
    const unsigned at_data =
        add_segment(f, ".data", PF_R | PF_W, data, offset, CHALLENGE_DATA, align);
    unsigned end = 0;
    if (!p->options->bare) { /* the stack is not to be executed */
        f->segment[f->segments++] =
            (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = STACK_ALIGN};
    }
    if (p->options->has_end) {
        end = add_segment(f, ".end", PF_R | PF_X, facts->finish, f->end, PARKED, PARKED);
    }
    add_symbol(f, "_start", facts->entry, text, STT_FUNC, 0);
    add_symbol(f, "checksum", facts->checksum_at, at_data, STT_OBJECT, 8);
    if (p->options->bare) {
        add_symbol(f, "blocks", data + CHALLENGE_TABLES, at_data, STT_OBJECT, 0);
        add_symbol(f, "tohost", facts->tohost, p->options->has_tohost ? SHN_ABS : at_data,
                   STT_OBJECT, 8);
        add_symbol(f, "finished", facts->stop, text, STT_FUNC, PARKED);
        if (p->options->has_end) {
            add_symbol(f, "end", facts->finish, end, STT_FUNC, PARKED);
        }
    }
}

/* The symbols, names, and the table of sections. */
static void lay_out_rest(struct file *f)
{
    const unsigned symbols =
        add_section(f, ".symtab",
                    &(Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                  .sh_offset = f->end = (f->end + 7) & ~UINT64_C(7),
                                  .sh_size = f->symbols * sizeof(Elf64_Sym),
                                  .sh_link = f->sections + 1,
                                  .sh_info = 1,
                                  .sh_addralign = 8,
                                  .sh_entsize = sizeof(Elf64_Sym)});
    f->end += f->section[symbols].sh_size;
    add_section(f, ".strtab",
                &(Elf64_Shdr){.sh_type = SHT_STRTAB,
                              .sh_offset = f->end,
                              .sh_size = f->names_size,
                              .sh_addralign = 1});
    f->end += f->names_size;
    const unsigned names =
        add_section(f, ".shstrtab",
                    &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = f->end, .sh_addralign = 1});
    f->section[names].sh_size = f->section_names_size;
    f->end = (f->end + f->section_names_size + 7) & ~UINT64_C(7);
}

/* --- bytes --- */

static void put(struct assay_sink *sink, uint64_t value, unsigned bytes)
{
    uint8_t raw[8];
    assay_store64(raw, value);
    assay_sink_write(sink, raw, bytes);
}

static void pad_to(struct assay_sink *sink, uint64_t start, uint64_t offset)
{
    while (sink->total - start < offset && sink->error == ASSAY_OK) {
        assay_sink_write(sink, "", 1);
    }
}

static void put_header(struct assay_sink *sink, const struct file *f)
{
    static const uint8_t ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
                                             ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const struct assay_challenge_options *options = f->program->options;
    const bool is_a64 = options->isa == ASSAY_EXECUTION_AARCH64;
    assay_sink_write(sink, ident, sizeof ident);
    put(sink, ET_EXEC, 2);
    put(sink, is_a64 ? EM_AARCH64 : EM_RISCV, 2);
    put(sink, EV_CURRENT, 4);
    put(sink, f->program->facts->entry, 8);
    put(sink, sizeof(Elf64_Ehdr), 8);
    put(sink, f->end, 8);
    put(sink, is_a64 || options->no_compressed ? 0 : RVC, 4);
    put(sink, sizeof(Elf64_Ehdr), 2);
    put(sink, sizeof(Elf64_Phdr), 2);
    put(sink, f->segments, 2);
    put(sink, sizeof(Elf64_Shdr), 2);
    put(sink, f->sections, 2);
    put(sink, f->sections - 1, 2);
}

static void put_segments(struct assay_sink *sink, const struct file *f)
{
    for (unsigned i = 0; i < f->segments; i++) {
        const Elf64_Phdr *s = &f->segment[i];
        put(sink, s->p_type, 4);
        put(sink, s->p_flags, 4);
        const uint64_t values[] = {s->p_offset, s->p_vaddr, s->p_paddr,
                                   s->p_filesz, s->p_memsz, s->p_align};
        for (unsigned n = 0; n < sizeof values / sizeof values[0]; n++) {
            put(sink, values[n], 8);
        }
    }
}

static void put_sections(struct assay_sink *sink, const struct file *f)
{
    for (unsigned i = 0; i < f->sections; i++) {
        const Elf64_Shdr *s = &f->section[i];
        put(sink, s->sh_name, 4);
        put(sink, s->sh_type, 4);
        put(sink, s->sh_flags, 8);
        put(sink, s->sh_addr, 8);
        put(sink, s->sh_offset, 8);
        put(sink, s->sh_size, 8);
        put(sink, s->sh_link, 4);
        put(sink, s->sh_info, 4);
        put(sink, s->sh_addralign, 8);
        put(sink, s->sh_entsize, 8);
    }
}

static void put_symbols(struct assay_sink *sink, const struct file *f)
{
    for (unsigned i = 0; i < f->symbols; i++) {
        const Elf64_Sym *s = &f->symbol[i];
        put(sink, s->st_name, 4);
        put(sink, s->st_info, 1);
        put(sink, s->st_other, 1);
        put(sink, s->st_shndx, 2);
        put(sink, s->st_value, 8);
        put(sink, s->st_size, 8);
    }
}

static void put_code(struct assay_sink *sink, const struct challenge_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        put(sink, code->item[i].word, code->item[i].size);
    }
}

void challenge_write_elf(const struct challenge_program *program, uint32_t parked,
                         struct assay_sink *sink)
{
    const uint64_t start = sink->total;
    struct file f = {.program = program, .sections = 1, .symbols = 1};
    f.names_size = f.section_names_size = 1; /* number 0 is none, its name is "" */
    lay_out_segments(&f);
    lay_out_rest(&f);
    put_header(sink, &f);
    put_segments(sink, &f);
    pad_to(sink, start, f.segment[0].p_offset);
    put_code(sink, program->code);
    pad_to(sink, start, f.segment[1].p_offset);
    assay_sink_write(sink, program->code->data, CHALLENGE_DATA);
    if (program->options->has_end) {
        put(sink, parked, PARKED);
    }
    pad_to(sink, start, f.section[f.sections - 3].sh_offset);
    put_symbols(sink, &f);
    assay_sink_write(sink, f.names, f.names_size);
    assay_sink_write(sink, f.section_names, f.section_names_size);
    pad_to(sink, start, f.end);
    put_sections(sink, &f);
}
