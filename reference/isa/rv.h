/* RISC-V instruction words: what kind of instruction a word encodes, which registers it names, and
 * what follows from that for a trace. All functions are pure: they read constant tables, allocate
 * nothing and keep no state.
 *
 * A classification is a property of the bits, of XLEN, and of whether Zcmp and Zcmt take the place
 * of the C.FSDSP encodings. It doesn't know which other extensions a hart has. Chapters named here
 * are those of "The RISC-V Instruction Set Manual", volume I (unprivileged) and II (privileged).
 *
 * Covered are RV32 and RV64 with M, A, F, D, Q, C, V, B, H and the ratified extensions Zicsr,
 * Zifencei, Zicond, Zicbom, Zicbop, Zicboz, Zihintntl, Zihintpause, Zimop, Zcmop, Zawrs, Zacas,
 * Zabha, Zfh, Zfa, Zfbfmin, Zcb, Zcmp, Zcmt, Zbk*, Zkn*, Zks*, Svinval, Smrnmi, Smctr. Registers of
 * floating point are f registers: Zfinx and its kin have the same words with x registers. Not
 * covered: RV32E and RV64E (where x16 to x31 are reserved), Zilsd and Zclsd (their words are
 * reserved or C.FLW, C.FSW here), Zalasr (reserved), the second meaning that Zicfiss gives to some
 * words of Zimop and Zcmop (they are class mop).
 *
 * What class reserved finds: exactly all words outside of the major opcodes OP-V and OP-VE. There,
 * vector configuration is exact, while arithmetic of every funct6 is class vector, and what the
 * register groups of LMUL forbid isn't looked at. Fields that implementations have to ignore (in
 * FENCE and FENCE.I) do not make a word reserved. */
#ifndef ASSAY_ISA_RV_H
#define ASSAY_ISA_RV_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rv_class.h"
#include "isa/rv_operand.h"

/* The instruction set that a word is of. X(enumerator, stable name, meaning) */
#define RV_ISAS(X)                                                                                 \
    X(32, "rv32", "XLEN 32; bits [15:13] 5 of quadrant 2 is C.FSDSP (Zcd)")                        \
    X(64, "rv64", "XLEN 64; the same")                                                             \
    X(32_ZCM, "rv32_zcm", "XLEN 32; it is Zcmp and Zcmt")                                          \
    X(64_ZCM, "rv64_zcm", "XLEN 64; it is Zcmp and Zcmt")                                          \
    X(ISA_UNKNOWN, "unknown", "any other, as RV128: of words only the length is known")

enum rv_isa {
#define X(id, name, text) RV_##id,
    RV_ISAS(X)
#undef X
        RV_ISA_COUNT
};

/* The instruction set of an XLEN in bits, without Zcmp and Zcmt: RV_32, RV_64 or RV_ISA_UNKNOWN. */
enum rv_isa rv_isa_of(unsigned xlen);

/* What a control transfer does. Hints to a return-address stack: "Unconditional Jumps", x1 and x5
 * being link registers. X(enumerator, stable name, meaning) */
#define RV_TRANSFERS(X)                                                                            \
    X(NONE, "none", "continues with the next instruction, except for traps and returns from them") \
    X(CONDITIONAL, "conditional", "a conditional branch")                                          \
    X(JUMP, "jump", "JAL without link register, C.J")                                              \
    X(CALL, "call", "JAL with a link register, C.JAL")                                             \
    X(INDIRECT_JUMP, "indirect_jump", "JALR without link registers, C.JR, CM.JT")                  \
    X(INDIRECT_CALL, "indirect_call",                                                              \
      "rd is a link register, rs1 is none or the same; C.JALR, CM.JALT")                           \
    X(RETURN, "return", "rs1 is a link register, rd is none; C.JR, CM.POPRET, CM.POPRETZ")         \
    X(SWAP, "swap", "rd and rs1 are different link registers: co-routine swap")

enum rv_transfer {
#define X(id, name, text) RV_TRANSFER_##id,
    RV_TRANSFERS(X)
#undef X
        RV_TRANSFER_COUNT
};

/* The classification of a word is one uint64_t; a field of it is a slice, described here once.
 * X(enumerator, name, lowest bit, width, meaning). A field of width 1 is a flag. Bits that no field
 * covers are zero. Positions are public and permanent: derived fields of traces are these slices.
 */
#define RV_INFO_FIELDS(X)                                                                          \
    X(CLASS, class, 0, 8, "enum rv_class")                                                         \
    X(LENGTH, length, 8, 5,                                                                        \
      "bytes of the instruction, 2, 4, 6 to 22; 0 for 24 or more, which no length is defined for") \
    X(IS_VALID, is_valid, 13, 1, "an instruction: not unknown, reserved, illegal or custom")       \
    X(TRANSFER, transfer, 14, 3, "enum rv_transfer")                                               \
    X(IS_DIRECT, is_direct, 17, 1,                                                                 \
      "the target follows from word and PC: BRANCH, JAL, and JALR with rs1 x0")                    \
    X(IS_HINT, is_hint, 18, 1,                                                                     \
      "in hint space, so without effect where no extension gives it a meaning; not NOP")           \
    X(IS_EXCEPTION_GENERATING, is_exception_generating, 19, 1, "ECALL, EBREAK")                    \
    X(IS_TRAP_RETURN, is_trap_return, 20, 1, "URET, SRET, MRET, MNRET, DRET")                      \
    X(IS_WAIT, is_wait, 21, 1, "WFI, WRS.NTO, WRS.STO, PAUSE")                                     \
    X(IS_FENCE, is_fence, 22, 1,                                                                   \
      "FENCE*, FENCE.I, SFENCE.*, SINVAL.VMA, HFENCE.*, HINVAL.*; not PAUSE")                      \
    X(IS_CACHE, is_cache, 23, 1, "CBO.*, PREFETCH.*: by an address, the block's size is unknown")  \
    X(READS, reads, 24, 1, "reads memory")                                                         \
    X(WRITES, writes, 25, 1, "writes memory")                                                      \
    X(WRITES_CONDITIONALLY, writes_conditionally, 26, 1, "may complete without writing: SC, CAS")  \
    X(IS_ATOMIC, is_atomic, 27, 1, "reads and writes in one atomic operation: AMO*")               \
    X(IS_RESERVATION, is_reservation, 28, 1, "LR, SC")                                             \
    X(IS_ACQUIRE, is_acquire, 29, 1, "aq is set")                                                  \
    X(IS_RELEASE, is_release, 30, 1, "rl is set")                                                  \
    X(IS_VIRTUAL, is_virtual, 31, 1, "HLV.*, HLVX.*, HSV.*: translated as for a guest")            \
    X(IS_FLOAT, is_float, 32, 1, "of F, D, Q, Zfh, Zfa, or a compressed form; not of V")           \
    X(IS_VECTOR, is_vector, 33, 1, "of V, or vector cryptography")                                 \
    X(IS_MASKED, is_masked, 34, 1, "vm is 0, so that v0 is read")                                  \
    X(IS_FIRST_FAULT, is_first_fault, 35, 1, "VLE*FF.V: only element 0 can trap; vl may shrink")   \
    X(IS_ORDERED, is_ordered, 36, 1, "an indexed vector access that is in order of elements")      \
    X(IS_SEW_SIZED, is_sew_sized, 37, 1,                                                           \
      "an indexed vector access: SEW in vtype is the size of elements in memory")                  \
    X(CSR_READ, csr_read, 38, 1, "reads the CSR that it names; 0 for CSRRW* with rd x0")           \
    X(CSR_WRITTEN, csr_written, 39, 1, "writes it; 0 for CSRRS*, CSRRC* with rs1 x0 or uimm 0")    \
    X(ACCESS_LOG2, access_log2, 40, 3,                                                             \
      "log2 of the bytes of each access; in vector accesses of each element in memory")            \
    X(ACCESS_COUNT, access_count, 43, 4,                                                           \
      "accesses of that size, 1 to 13; 0 if the word doesn't say, as in vector accesses")          \
    X(INDEX_LOG2, index_log2, 47, 2, "log2 of the bytes of an index of an indexed vector access")  \
    X(FIELDS, fields, 49, 4,                                                                       \
      "nf of a vector access: fields of a segment, 1 to 8; of a whole register access or move "    \
      "the number of registers; 0 for others")                                                     \
    X(SHAPE, shape, 53, 7, "enum rv_shape: what the operands are")

/* RV_INFO_<FIELD>_LOW and RV_INFO_<FIELD>_WIDTH. */
enum rv_info_position {
#define X(id, name, low, width, text) RV_INFO_##id##_LOW = (low), RV_INFO_##id##_WIDTH = (width),
    RV_INFO_FIELDS(X)
#undef X
};

/* The lowest bit of a field as a mask; of a flag, its only bit. */
#define RV_INFO(id) (UINT64_C(1) << RV_INFO_##id##_LOW)

/* A field of a classification: rv_info_is_direct(info), rv_info_access_count(info) ... */
#define X(id, name, low, width, text)                                                              \
    static inline unsigned rv_info_##name(uint64_t info)                                           \
    {                                                                                              \
        return (unsigned)(info >> (low)) & ((1u << (width)) - 1u);                                 \
    }
RV_INFO_FIELDS(X)
#undef X

/* The length in bytes of the instruction whose lowest 16 bits are `low`: 2 to 22, or 0 where no
 * length is defined ("Base Instruction-Length Encoding", "Expanded Instruction-Length Encoding").
 */
unsigned rv_length(uint16_t low);

/* The classification of a word; every word has one. The instruction begins in bit 0. Of a 16-bit
 * one the upper half of `word` is ignored. Longer ones than 32 bits are class unknown.
 *
 * Sizes. access_count accesses of 1 << access_log2 bytes are what one execution reads, or writes;
 * an atomic does both with that size. Several are there in CM.PUSH and CM.POP*, from the lowest
 * address below the stack pointer on ("Zcmp"). The count of a vector access is 0: it is vl, less
 * what v0 and vstart leave out, times FIELDS; of VLM.V and VSM.V, (vl + 7) / 8 bytes; of a whole
 * register access, FIELDS times VLEN bits, for which access_log2 of a load is a hint only. CBO.ZERO
 * writes a block whose size the word doesn't say. Page table walks, the table of CM.JT and CM.JALT
 * and the shadow stack don't count. */
uint64_t rv_classify(uint32_t word, enum rv_isa isa);

/* All bytes that an instruction reads, or writes; 0 if the word doesn't say. */
static inline unsigned rv_access_bytes(uint64_t info)
{
    return rv_info_access_count(info) << rv_info_access_log2(info);
}

/* The stable name of a class ("branch"); "unknown" for a value outside the enumeration. */
const char *rv_class_name(unsigned class_id);

/* One line about a class, for people; never null. */
const char *rv_class_text(unsigned class_id);

/* The stable name of a transfer ("indirect_call"); "unknown" outside the enumeration. */
const char *rv_transfer_name(unsigned transfer);

/* The target of a transfer that is_direct, at pc: of a branch if taken. It is PC plus immediate
 * ("Conditional Branches", "Unconditional Jumps"); of a JALR with rs1 x0 the immediate with bit 0
 * cleared. Modulo 2^XLEN. For any other word false, and *target is untouched. */
bool rv_direct_target(uint32_t word, enum rv_isa isa, uint64_t pc, uint64_t *target);

enum rv_file { RV_FILE_X, RV_FILE_F, RV_FILE_V };

/* Operands are numbered as the instruction formats name them. */
enum rv_operand_index { RV_OP_RD, RV_OP_RS1, RV_OP_RS2, RV_OP_RS3, RV_OP_COUNT };

/* An operand that is a register, or several: those whose bits are set in `registers`, bit n being
 * x<n>, f<n> or v<n>. None are set where the instruction has no such operand. */
struct rv_operand {
    uint32_t registers;
    enum rv_file file;
    bool is_read;
    bool is_written;
};

/* An operand of a word; `info` is what rv_classify said of it. */
struct rv_operand rv_operand(uint32_t word, uint64_t info, enum rv_operand_index index);

/* The registers that an instruction reads and writes as operands, as sets. x0 is in them where the
 * word names it, though it is no state. An operand of a vector instruction is the register that the
 * word names; which others belong to its group, or to further fields of a segment, is up to vtype.
 * v0 is read by a masked instruction. CSRs, also fcsr, vl and vtype, are not in the sets. */
struct rv_registers {
    uint32_t read[3];    /* by enum rv_file */
    uint32_t written[3]; /* by enum rv_file */
};

void rv_registers(uint32_t word, uint64_t info, struct rv_registers *registers);

/* The x register that holds the address of an access, cache operation or fence by address (SP for
 * compressed forms relative to it); -1 for other instructions. */
int rv_base(uint32_t word, uint64_t info);

/* What a load, store or atomic of one access adds to its base: 0 of atomics. False for any other
 * word, and *offset is untouched. */
bool rv_offset(uint32_t word, uint64_t info, int64_t *offset);

/* The number of the CSR that a word of class csr names, bits [31:20] ("Zicsr"). */
static inline uint16_t rv_csr(uint32_t word)
{
    return (uint16_t)(word >> 20);
}

/* funct5 of an AMO, bits [31:27]: which operation ("Atomic Memory Operations"). */
static inline unsigned rv_amo_operation(uint32_t word)
{
    return word >> 27;
}

#endif
