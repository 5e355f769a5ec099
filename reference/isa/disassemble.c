#include "isa/disassemble.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The library ends the program by itself when it can have no memory, even while it is loaded. So it
 * is used only where there is more than it takes: bytes of address space to load it (that of LLVM
 * 15 takes 170 MB with what it needs), for a machine, and for an instruction. */
#define ROOM_LIBRARY ((size_t)256 << 20)
#define ROOM_MACHINE ((size_t)32 << 20)
#define ROOM_WORD    ((size_t)2 << 20)

/* The part of LLVM's C interface (llvm-c/Disassembler.h, llvm-c/Target.h) that is used. It has not
 * changed since LLVM 3.3. */
typedef void *disassembly;
typedef void initialize(void);
typedef disassembly create(const char *triple, const char *cpu, const char *features, void *block,
                           int tag_type, void *get_info, void *look_up);
typedef size_t disassemble(disassembly, uint8_t *bytes, uint64_t size, uint64_t pc, char *out,
                           size_t out_size);
typedef void dispose(disassembly);

/* What can be disassembled. All extensions that the oldest of the libraries knows are switched on:
 * whether the traced machine had them is not the question here. */
enum machine { A64, A32, T32, RV64, RV32, MACHINES };

#define AARCH32                                                                                    \
    "+v8.6a,+neon,+fp-armv8,+fullfp16,+crypto,+virtualization,+trustzone,+mp,+ras,+sb,+bf16,+i8mm"

static const struct {
    uint16_t machine;
    uint8_t width;
    bool thumb;
    const char *target; /* in the names of the functions that initialise it */
    const char *triple;
    const char *features;
} machines[MACHINES] = {
    [A64] = {EM_AARCH64, 64, false, "AArch64", "aarch64-unknown-linux",
             "+v9.2a,+sve2,+sve2-bitperm,+sve2-aes,+sve2-sha3,+sve2-sm4,+sme,+mte,+rand,+ls64,"
             "+crypto,+fullfp16,+tme"},
    [A32] = {EM_ARM, 32, false, "ARM", "armv8a-unknown-linux", AARCH32},
    [T32] = {EM_ARM, 32, true, "ARM", "thumbv8a-unknown-linux", AARCH32},
    [RV64] = {EM_RISCV, 64, false, "RISCV", "riscv64-unknown-linux",
              "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs"},
    [RV32] = {EM_RISCV, 32, false, "RISCV", "riscv32-unknown-linux",
              "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs"},
};

struct assay_disassembler {
    void *library;
    create *create;
    disassemble *disassemble;
    dispose *dispose;
    bool begun[MACHINES];
    disassembly contexts[MACHINES]; /* null: not there */
};

/* Whether the system would give so much memory. */
static bool has_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* The newest ones first; Debian's names. */
static void *open_library(void)
{
    static const char *const names[] = {"libLLVM.so.20.1", "libLLVM.so.19.1", "libLLVM.so.18.1",
                                        "libLLVM-17.so.1", "libLLVM-16.so.1", "libLLVM-15.so.1",
                                        "libLLVM-14.so.1"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
        library = has_room(ROOM_LIBRARY) ? dlopen(names[i], RTLD_NOW | RTLD_LOCAL) : NULL;
    }
    return library;
}

/* A pointer to a function, which C does not convert from one to data. */
static bool look_up(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

struct assay_disassembler *assay_disassembler_open(void)
{
    struct assay_disassembler *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    d->library = open_library();
    if (d->library != NULL && (!look_up(d->library, "LLVMCreateDisasmCPUFeatures", &d->create) ||
                               !look_up(d->library, "LLVMDisasmInstruction", &d->disassemble) ||
                               !look_up(d->library, "LLVMDisasmDispose", &d->dispose))) {
        dlclose(d->library);
        d->library = NULL;
    }
    return d;
}

static bool initialize_target(void *library, const char *target)
{
    static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
    char name[64];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        initialize *function;
        snprintf(name, sizeof name, "LLVMInitialize%s%s", target, parts[i]);
        if (!look_up(library, name, &function)) {
            return false;
        }
        function();
    }
    return true;
}

static size_t machine_of(const struct assay_instruction *instruction)
{
    size_t at = 0;
    while (at < MACHINES &&
           (machines[at].machine != instruction->machine ||
            machines[at].width != instruction->width || machines[at].thumb != instruction->thumb)) {
        at++;
    }
    return at;
}

static disassembly context_of(struct assay_disassembler *d,
                              const struct assay_instruction *instruction)
{
    const size_t at = machine_of(instruction);
    if (at == MACHINES || d->library == NULL) {
        return NULL;
    }
    if (!d->begun[at]) {
        d->begun[at] = true;
        if (has_room(ROOM_MACHINE) && initialize_target(d->library, machines[at].target)) {
            d->contexts[at] =
                d->create(machines[at].triple, "", machines[at].features, NULL, 0, NULL, NULL);
        }
    }
    return d->contexts[at];
}

/* "\tld\ta0, 8(sp)" with single blanks. */
static void tidy(char *text)
{
    size_t used = 0;
    for (const char *c = text; *c != '\0'; c++) {
        const bool blank = *c == ' ' || *c == '\t';
        if (!blank) {
            text[used++] = *c;
        } else if (used > 0 && text[used - 1] != ' ') {
            text[used++] = ' ';
        }
    }
    text[used] = '\0';
}

/* The bytes as in memory: the first halfword of T32 first. */
static void write_bytes(const struct assay_instruction *instruction, uint8_t bytes[4])
{
    uint32_t word = instruction->word;
    if (instruction->thumb && instruction->bytes == 4) {
        word = word >> 16 | word << 16;
    }
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
}

/* The library takes what it disassembles after an IT for the instructions that the IT covers. Here
 * an instruction stands alone, so the library gets NOPs for them. */
static void end_it_block(struct assay_disassembler *d, disassembly context,
                         const struct assay_instruction *instruction)
{
    uint8_t nop[] = {0x00, 0xbf};
    char out[32];
    if (instruction->thumb && instruction->bytes == 2 && instruction->word >> 8 == 0xbf) {
        for (unsigned i = 0; i < 4; i++) {
            d->disassemble(context, nop, sizeof nop, instruction->address, out, sizeof out);
        }
    }
}

bool assay_disassemble(struct assay_disassembler *d, const struct assay_instruction *instruction,
                       char *out, size_t size)
{
    uint8_t bytes[4];
    out[0] = '\0';
    disassembly context = d != NULL ? context_of(d, instruction) : NULL;
    if (context == NULL || !has_room(ROOM_WORD)) {
        return false;
    }
    write_bytes(instruction, bytes);
    const size_t used =
        d->disassemble(context, bytes, instruction->bytes, instruction->address, out, size);
    end_it_block(d, context, instruction);
    if (used != instruction->bytes) {
        out[0] = '\0';
        return false;
    }
    tidy(out);
    return true;
}

void assay_disassembler_close(struct assay_disassembler *d)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < MACHINES; i++) {
        if (d->contexts[i] != NULL) {
            d->dispose(d->contexts[i]);
        }
    }
    if (d->library != NULL) {
        dlclose(d->library);
    }
    free(d);
}
