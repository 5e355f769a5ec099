/* A64 instruction words: what kind of instruction a word encodes, and what follows from that for a
 * trace. All functions are pure: they read constant tables, allocate nothing and keep no state; the
 * one object with state, `struct a64_cache`, belongs to the caller.
 *
 * A classification is a property of the 32 bits alone. It doesn't know which features a PE
 * implements: an encoding that any architecture version up to Armv9.6 allocates counts as
 * allocated. Sections named here ("C4.1.91") are those of the Arm Architecture Reference Manual for
 * A-profile, chapter C4, "A64 Instruction Set Encoding", and are named by their titles where they
 * moved.
 *
 * What UNALLOCATED finds, by encoding group (C4.1, bits [28:25]):
 * - Reserved: exactly, UDF or unallocated.
 * - Branches, exceptions, system: exactly, except for SYS, SYSL and SYSP (an unknown one is class
 * sys, sysl or sysp) and the registers of MSR, MRS, MSRR and MRRS, which a PE may define itself.
 * - Loads and stores: exactly.
 * - SVE and SME memory groups: exactly.
 * - The rest of SVE and SME: not at all, every word is class sve or sme.
 * - Data processing: not at all, every word is class other, or pac, aut, xpac.
 *
 * Bits that the manual shows in parentheses, (0) and (1), and register combinations that are
 * CONSTRAINED UNPREDICTABLE do not make a word unallocated. */
#ifndef ASSAY_ISA_A64_H
#define ASSAY_ISA_A64_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/a64_class.h"

/* The classification of a word is one uint64_t; a field of it is a slice, described here once.
 * X(enumerator, name, lowest bit, width, meaning). A field of width 1 is a flag. Bits that no field
 * covers are zero. Positions are public and permanent: derived fields of traces are these slices.
 */
#define A64_INFO_FIELDS(X)                                                                         \
    X(CLASS, class, 0, 8, "enum a64_class")                                                        \
    X(IS_BRANCH, is_branch, 8, 1,                                                                  \
      "branches, calls and returns from calls; not exceptions, returns from them, or DRPS")        \
    X(IS_CONDITIONAL, is_conditional, 9, 1,                                                        \
      "a branch that may fall through; 0 for B.AL, B.NV, BC.AL and BC.NV, which always branch")    \
    X(IS_DIRECT, is_direct, 10, 1, "a branch whose target is the PC plus an immediate")            \
    X(IS_CALL, is_call, 11, 1, "a branch that writes the link register: BL, BLR, BLRA*")           \
    X(IS_RETURN, is_return, 12, 1, "a function return: RET, RETA*, not BR X30")                    \
    X(IS_EXCEPTION_GENERATING, is_exception_generating, 13, 1,                                     \
      "SVC, HVC, SMC, BRK, HLT, DCPS1 to DCPS3; not UDF, not TCANCEL")                             \
    X(IS_EXCEPTION_RETURN, is_exception_return, 14, 1, "ERET, ERETAA, ERETAB; not DRPS")           \
    X(IS_WFX, is_wfx, 15, 1, "WFE, WFI, WFET, WFIT")                                               \
    X(IS_HINT, is_hint, 16, 1, "in the hint space, so a NOP where the feature is missing")         \
    X(IS_BARRIER, is_barrier, 17, 1,                                                               \
      "DMB, DSB, ISB, SB, SSBB, PSSBB, and the hints ESB, PSB, TSB, GCSB, CSDB")                   \
    X(IS_PAUTH, is_pauth, 18, 1, "makes, checks or strips a pointer authentication code")          \
    X(IS_UNDEFINED, is_undefined, 19, 1, "UDF or unallocated: executing it is UNDEFINED")          \
    X(IS_SVE, is_sve, 20, 1, "in the SVE encoding group")                                          \
    X(IS_SME, is_sme, 21, 1, "in the SME encoding group; not SMSTART, SMSTOP")                     \
    X(IS_SIMD_FP, is_simd_fp, 22, 1, "a load, store or atomic of SIMD&FP registers B to Q")        \
    X(IS_FIRST_FAULT, is_first_fault, 23, 1,                                                       \
      "LDFF1*: only the first active element can fault; FFR says how far the load got")            \
    X(IS_MEMORY, is_memory, 24, 1, "reads or writes memory or allocation tags by an address")      \
    X(READS, reads, 25, 1, "reads memory, or allocation tags")                                     \
    X(WRITES, writes, 26, 1, "writes memory, or allocation tags")                                  \
    X(WRITES_CONDITIONALLY, writes_conditionally, 27, 1,                                           \
      "may complete without writing: store exclusive, compare and swap, RCW*, ST64BV*")            \
    X(IS_ADDRESS_OPERATION, is_address_operation, 28, 1,                                           \
      "names an address without reading or writing it: prefetch, IC, DC, TLBI by address, AT")     \
    X(IS_RANGE, is_range, 29, 1,                                                                   \
      "a register gives the number of bytes: CPY*, SET*, range TLBI, RPRFM")                       \
    X(IS_ATOMIC, is_atomic, 30, 1,                                                                 \
      "reads and writes in one atomic operation: LD<op>, ST<op>, SWP, CAS, CASP, RCW*")            \
    X(IS_EXCLUSIVE, is_exclusive, 31, 1, "uses an exclusives monitor to load or store")            \
    X(IS_ACQUIRE, is_acquire, 32, 1, "Load-Acquire, Load-AcquirePC or LoadLOAcquire semantics")    \
    X(IS_RELEASE, is_release, 33, 1, "Store-Release or StoreLORelease semantics")                  \
    X(IS_LITERAL, is_literal, 34, 1, "the address is the PC plus an immediate")                    \
    X(IS_WRITEBACK, is_writeback, 35, 1,                                                           \
      "the base register is written: pre-indexed, post-indexed, CPY*, SET*")                       \
    X(IS_UNPRIVILEGED, is_unprivileged, 36, 1,                                                     \
      "always LDTR-like: checked as at EL0; CPY* and SET* with a T suffix are not marked")         \
    X(ACCESSES_TAGS, accesses_tags, 37, 1, "reads or writes allocation tags")                      \
    X(IS_TAG_ONLY, is_tag_only, 38, 1, "accesses allocation tags and no data")                     \
    X(IS_PREDICATED, is_predicated, 39, 1,                                                         \
      "an SVE or SME access of which a predicate selects elements, perhaps none")                  \
    X(IS_NON_FAULT, is_non_fault, 40, 1,                                                           \
      "LDNF1*: no element can fault; FFR says how far the load got")                               \
    X(IS_GATHER_SCATTER, is_gather_scatter, 41, 1,                                                 \
      "an SVE load, store or prefetch with an address for each element, from a vector")            \
    X(PSTATE_FIELD, pstate_field, 42, 4,                                                           \
      "enum a64_pstate_field: what an MSR (immediate), SMSTART or SMSTOP writes")                  \
    X(IS_ZA_INDEXING, is_za_indexing, 46, 1,                                                       \
      "computes an index into ZA, from W8 to W15: of a tile slice, an array vector, or a group")   \
    X(IS_REPLICATE, is_replicate, 47, 1,                                                           \
      "LD1R*, LD1RQ*, LD1RO*: one element, 16 or 32 bytes are read and repeated in the vector")    \
    X(ACCESS_LOG2, access_log2, 48, 3,                                                             \
      "log2 of the bytes for each register, in SVE and SME of each element in memory; "            \
      "0 if count is 0")                                                                           \
    X(ACCESS_COUNT, access_count, 51, 3,                                                           \
      "registers (lanes, tag granules) that are transferred, 1 to 4; 0 if the word doesn't say")   \
    X(ACCESS_BYTES, access_bytes, 54, 7,                                                           \
      "bytes accessed in all, count << log2, 1 to 64; 0 if the word doesn't fix it")               \
    X(ELEMENT_LOG2, element_log2, 61, 3,                                                           \
      "log2 of the bytes of an element of an SVE vector that is loaded or stored, or of a ZA "     \
      "tile, 0 to 4, of an LD1RO* 5; 0 for others")

/* A64_INFO_<FIELD>_LOW and A64_INFO_<FIELD>_WIDTH. */
enum a64_info_position {
#define X(id, name, low, width, text) A64_INFO_##id##_LOW = (low), A64_INFO_##id##_WIDTH = (width),
    A64_INFO_FIELDS(X)
#undef X
};

/* The lowest bit of a field as a mask; of a flag, its only bit. */
#define A64_INFO(id) (UINT64_C(1) << A64_INFO_##id##_LOW)

/* A field of a classification: a64_info_is_branch(info), a64_info_access_bytes(info) ... */
#define X(id, name, low, width, text)                                                              \
    static inline unsigned a64_info_##name(uint64_t info)                                          \
    {                                                                                              \
        return (unsigned)(info >> (low)) & ((1u << (width)) - 1u);                                 \
    }
A64_INFO_FIELDS(X)
#undef X

/* The classification of a word. Every word has one.
 *
 * Sizes. For a data access, access_bytes is what one execution reads, or writes; a word that does
 * both (an atomic) does both with that size. For an access to tags alone it is the memory that the
 * tags belong to (LDG and STG 16, ST2G 32). It is 0 where a register or the implementation
 * decides: CPY*, SET*, DC ZVA, DC GVA, DC GZVA, LDGM, STGM, STZGM, prefetches.
 *
 * In SVE and SME the vector length and a predicate decide. access_bytes is 0, except for LD1R*,
 * which reads one element or nothing, and for LDR and STR of ZT0, 64. For the others, access_log2
 * is the size of each element in memory, element_log2 that of the element of the vector or ZA tile,
 * and access_count the number of vectors; with all elements active, (VL / 8 >> element_log2)
 * elements are accessed for each. Exceptions:
 * - LDR and STR of Z, P and ZA access all bytes of a vector or predicate: count 1, log2 0.
 * - LD1RQ*, LD1RO*: element_log2 is that of the block that is replicated, 4 and 5, which is all
 * that is read: (1 << element_log2) bytes when all its elements are active.
 * - Prefetches have no sizes.
 *
 * What is_za_indexing marks also has in element_log2 what it indexes: slices of a tile with
 * elements of that size, or array vectors, 0. ZA has (SVL / 8 >> element_log2) of them. Marked are
 * LDR and STR of ZA, LD1* and ST1* of slices, MOVA, MOVAZ, ZERO of array vectors, and operations on
 * them such as FMLA (array); not outer products, ADDHA, ADDVA, ZERO of tiles, nor what uses ZT0.
 *
 * Only what operands address counts: not the Guarded Control Stack that calls, returns and the GCS
 * operations use, and not translation table walks. */
uint64_t a64_classify(uint32_t word);

/* The stable name of a class ("b_cond"); "unknown" for a value outside the enumeration. */
const char *a64_class_name(unsigned class_id);

/* One line about a class, for people; never null. */
const char *a64_class_text(unsigned class_id);

/* The target of a direct branch (is_direct) at pc, modulo 2^64: B, BL, B.cond, BC.cond, CBZ, CBNZ,
 * TBZ, TBNZ, and the compare and branch forms CB*. For any other word it is pc. */
uint64_t a64_direct_target(uint32_t word, uint64_t pc);

/* Whether an instruction certainly leaves the condition flags as they are, if it is executed and
 * has no exception (a64_flags.c). */
bool a64_keeps_flags(uint32_t word);

/* The general-purpose registers X0 to X30 that an instruction may write, by bits: those that it
 * certainly leaves as they are while it has no exception are not among them (a64_written.c). */
uint32_t a64_written(uint32_t word);

/* Below which Exception level an instruction is certainly not executed, as it is undefined or
 * trapped there: 1 to 3 of what accesses a register, or does an operation, of that level, else 0
 * (a64_privilege.c). */
unsigned a64_lowest_el(uint32_t word);

/* Whether an instruction writes a register that is read-only at every Exception level, or reads one
 * that is write-only, and is undefined (a64_access.c). */
bool a64_is_undefined_access(uint32_t word);

/* Whether the accesses of a load or store are Tag Unchecked because of its base: SP with an
 * immediate offset and without writeback (a64_unchecked.c). info is the word's classification.
 * False for what accesses allocation tags, whose access to tags is no Tag Checked one either. */
bool a64_is_tag_unchecked(uint32_t word, uint64_t info);

/* The address of a literal load or prefetch (is_literal) at pc, modulo 2^64; for others, pc. */
uint64_t a64_literal_address(uint32_t word, uint64_t pc);

/* Whether an execution of the word can take a synchronous exception of this class, the field EC of
 * ESR_ELx. Of classes that any instruction can have, as that of an undefined instruction or of a
 * breakpoint, of classes for AArch32 and of unknown ones it is true. */
bool a64_can_cause(uint32_t word, unsigned exception_class);

/* Whether an execution of the word can access memory in a way that aborts, or that a watchpoint
 * sees. False where it certainly does not: data processing, branches without link (those with link,
 * and returns, may access a Guarded Control Stack), exception returns, hints and barriers,
 * prefetches, and what causes an exception, except for HLT, which a debugger may act on. */
bool a64_can_access(uint32_t word);

/* The imm16 of SVC, HVC, SMC, BRK, HLT, DCPS1 to DCPS3 and TCANCEL (bits [20:5], "Exception
 * generation"), 0 to 65535; for other words the bits mean something else. */
static inline uint16_t a64_immediate16(uint32_t word)
{
    return (uint16_t)((word >> 5) & 0xffffu);
}

/* The imm16 of a permanently undefined instruction (class udf), bits [15:0]. */
static inline uint16_t a64_udf_immediate(uint32_t word)
{
    return (uint16_t)(word & 0xffffu);
}

/* The condition of B.cond and BC.cond, bits [3:0], 0 (EQ) to 15 (NV), C1.2.4. */
static inline unsigned a64_condition(uint32_t word)
{
    return word & 0xfu;
}

/* op0:op1:CRn:CRm:op2 of MSR (register), MRS, MSRR, MRRS, SYS, SYSL and SYSP: bits [20:5] of the
 * word as they stand, op0 in [15:14] down to op2 in [2:0] (C5.1.2). */
static inline uint16_t a64_system_register(uint32_t word)
{
    return (uint16_t)((word >> 5) & 0xffffu);
}

/* Which part of PSTATE an MSR (immediate) writes, "MSR (immediate)", C6.2.
 * X(enumerator, stable name, meaning) */
#define A64_PSTATE_FIELDS(X)                                                                       \
    X(NONE, "none", "the word isn't of class msr_imm, smstart or smstop")                          \
    X(UAO, "uao", "User Access Override")                                                          \
    X(PAN, "pan", "Privileged Access Never")                                                       \
    X(SPSEL, "spsel", "stack pointer selection")                                                   \
    X(ALLINT, "allint", "all interrupts mask")                                                     \
    X(PM, "pm", "profiling exception mask")                                                        \
    X(SSBS, "ssbs", "Speculative Store Bypass Safe")                                               \
    X(DIT, "dit", "data independent timing")                                                       \
    X(TCO, "tco", "Tag Check Override")                                                            \
    X(DAIFSET, "daifset", "sets those of D, A, I, F whose bit in the immediate is 1")              \
    X(DAIFCLR, "daifclr", "clears those of D, A, I, F whose bit in the immediate is 1")            \
    X(SVCR_SM, "svcr_sm", "Streaming SVE mode")                                                    \
    X(SVCR_ZA, "svcr_za", "the ZA storage")                                                        \
    X(SVCR_SMZA, "svcr_smza", "Streaming SVE mode and the ZA storage")

enum a64_pstate_field {
#define X(id, name, text) A64_PSTATE_##id,
    A64_PSTATE_FIELDS(X)
#undef X
        A64_PSTATE_COUNT
};

/* The stable name ("daifset"); "unknown" for a value outside the enumeration. */
const char *a64_pstate_field_name(unsigned field);

/* CRm of an MSR (immediate), bits [11:8]. DAIFSet and DAIFClr use all four bits; the other fields
 * take bit 0 as their value, and so does SVCR (1 SMSTART, 0 SMSTOP). */
static inline unsigned a64_pstate_immediate(uint32_t word)
{
    return (word >> 8) & 0xfu;
}

#define A64_CACHE_BITS  12
#define A64_CACHE_SLOTS (1u << A64_CACHE_BITS)

/* Remembers classifications, for the path of an event. Direct-mapped; owned by the caller, one for
 * each thread; 48 KiB; initialised by a64_cache_init and nothing to release. */
struct a64_cache {
    uint32_t word[A64_CACHE_SLOTS]; /* the word whose classification the slot holds */
    uint64_t info[A64_CACHE_SLOTS]; /* a64_classify of that word */
};

void a64_cache_init(struct a64_cache *cache);

/* a64_classify(word), through a cache. */
static inline uint64_t a64_cache_classify(struct a64_cache *cache, uint32_t word)
{
    const uint32_t slot = (word * UINT32_C(0x9e3779b1)) >> (32 - A64_CACHE_BITS);
    if (cache->word[slot] != word) {
        cache->info[slot] = a64_classify(word);
        cache->word[slot] = word;
    }
    return cache->info[slot];
}

#endif
