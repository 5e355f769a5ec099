/* The instructions of the model: each row a word, the bits of it that may be anything, the class
 * that it has, and what the machine does with it. Sizes are written here and not taken from the
 * classifier, so that the two are checked against each other. */
#include "generators/astf/model_machine.h"

enum { ANY = 0, RN_RT = 0x3ff, RM_RN_RT = 0x1f03ff, IMM12 = 0x3fffff, IMM9 = 0x1ff3ff };
enum { RN = 0x3e0, RT = 0x1f, IMM16 = 0x1fffe0 };
enum { PAIR = 0x3fffff, PG_RN_ZT = 0x1fff, IMM4_PG = 0xf1fff, RM_PG = 0x1f1fff };
enum { R = MODEL_READS, W = MODEL_WRITES, RW = MODEL_READS | MODEL_WRITES, C = MODEL_CHECKED };
enum { AL = MODEL_ALIGNED, FIRST = MODEL_FIRST, NEVER = MODEL_NEVER, GATHER = MODEL_GATHER };
enum { TAGS = MODEL_TAGS, ANY_BASE = MODEL_ANY_BASE };

#define ONCE               .weight = 1
#define T(bits, any, name) .word = (bits), .vary = (any), .class = A64_##name

#define PLAIN(bits, any, name, ...)                                                                \
    {                                                                                              \
        T(bits, any, name), .run = model_run_plain, __VA_ARGS__                                    \
    }

#define BRANCH(bits, any, name, ...)                                                               \
    {                                                                                              \
        T(bits, any, name), .run = model_run_branch, __VA_ARGS__                                   \
    }
#define JUMP(bits, any, name, ...)                                                                 \
    {                                                                                              \
        T(bits, any, name), .run = model_run_indirect, __VA_ARGS__                                 \
    }
#define SIGNED_JUMP(bits, any, name)                                                               \
    {                                                                                              \
        T(bits, any, name), .run = model_run_authenticated                                         \
    }

#define DO(bits, any, name, what, ...)                                                             \
    {                                                                                              \
        T(bits, any, name), .run = model_run_##what, __VA_ARGS__                                   \
    }

#define ACCESS(bits, any, name, size, does, ...)                                                   \
    {                                                                                              \
        T(bits, any, name), .run = model_run_access, .bytes = (size), .how = (does) | C,           \
                            __VA_ARGS__                                                            \
    }
#define LITERAL(bits, any, name, size)                                                             \
    {                                                                                              \
        T(bits, any, name), .run = model_run_literal, .bytes = (size), .how = R                    \
    }

#define MEM(bits, any, name, what, size, does, ...)                                                \
    {                                                                                              \
        T(bits, any, name), .run = model_run_##what, .bytes = (size), .how = (does) | C | AL,      \
                            __VA_ARGS__                                                            \
    }

#define TAG(bits, any, name, what, size, does, ...)                                                \
    {                                                                                              \
        T(bits, any, name), .run = model_run_##what, .bytes = (size), .how = (does) | TAGS | AL,   \
                            .needs = MODEL_MTE, __VA_ARGS__                                        \
    }
#define COPY(bits, name, does, ...)                                                                \
    {                                                                                              \
        T(bits, ANY, name), .run = model_run_copy, .needs = MODEL_MOPS, .how = (does), __VA_ARGS__ \
    }

#define VECTOR(bits, any, name, what, memory, element, does, ...)                                  \
    {                                                                                              \
        T(bits, any, name), .run = model_run_##what, .log2 = (memory), .element_log2 = (element),  \
                            .how = (does) | C, .needs = MODEL_SVE, __VA_ARGS__                     \
    }

#define MATRIX(bits, any, name, what, memory, does, ...)                                           \
    {                                                                                              \
        T(bits, any, name), .run = model_run_##what, .log2 = (memory), .element_log2 = (memory),   \
                            .how = (does) | C, .needs = MODEL_SME, __VA_ARGS__                     \
    }

const struct model_template model_templates[] = {
    /* --- nothing that a trace shows but the instruction --- */
    DO(0x91000000, IMM12, OTHER, compute, .weight = 24),   /* ADD (immediate) */
    DO(0xd2800000, 0x1fffff, OTHER, compute, .weight = 8), /* MOVZ */
    DO(0x8b000000, RM_RN_RT, OTHER, compute, .weight = 16),
    DO(0x9b000000, 0x1f7fff, OTHER, compute, .weight = 4), /* MADD */
    PLAIN(0xd503201f, ANY, NOP, ONCE),
    PLAIN(0xd503203f, ANY, YIELD, ONCE),
    PLAIN(0xd503209f, ANY, SEV, ONCE),
    PLAIN(0xd50320bf, ANY, SEVL, ONCE),
    PLAIN(0xd503221f, ANY, ESB, ONCE),
    PLAIN(0xd503223f, ANY, PSB, ONCE),
    PLAIN(0xd503225f, ANY, TSB, ONCE),
    PLAIN(0xd503229f, ANY, CSDB, ONCE),
    PLAIN(0xd503241f, 0xc0, BTI, .weight = 8),
    PLAIN(0xd503251f, ANY, CHKFEAT, ONCE),
    PLAIN(0xd50320df, ANY, HINT, ONCE), /* DGH */
    PLAIN(0xd503233f, ANY, PAC, .weight = 4),
    PLAIN(0xdac10000, RN_RT, PAC, ONCE),
    PLAIN(0xd50320ff, ANY, XPAC, ONCE),
    PLAIN(0xdac143e0, RT, XPAC, ONCE),
    PLAIN(0xd50330bf, 0xf00, DMB, ONCE),
    PLAIN(0xd5033f9f, ANY, DSB, ONCE),
    PLAIN(0xd503309f, ANY, SSBB, ONCE),
    PLAIN(0xd503349f, ANY, PSSBB, ONCE),
    PLAIN(0xd5033fdf, ANY, ISB, ONCE),
    PLAIN(0xd50330ff, ANY, SB, ONCE),
    PLAIN(0xd500401f, ANY, CFINV, ONCE),
    PLAIN(0xd53bd040, RT, MRS, ONCE),     /* TPIDR_EL0 */
    PLAIN(0xd51bd040, RT, MSR_REG, ONCE), /* TPIDR_EL0 */
    PLAIN(0xd5384240, RT, MRS, .el = 1),
    PLAIN(0xd5582000, 0x1e, MSRR, .el = 1),
    PLAIN(0xd5782000, 0x1e, MRRS, .el = 1),
    PLAIN(0xd50b7380, RT, SYS, ONCE),      /* CFP RCTX */
    PLAIN(0xd508751f, ANY, IC, .el = 1),   /* IC IALLU */
    PLAIN(0xd5087640, RT, DC, .el = 1),    /* DC ISW */
    PLAIN(0xd508871f, ANY, TLBI, .el = 1), /* TLBI VMALLE1 */
    PLAIN(0xd50c871f, ANY, TLBI, .el = 2), /* TLBI ALLE2 */
    {T(0x1e602800, RM_RN_RT, OTHER), .run = model_run_simd},
    {T(0x4e208400, RM_RN_RT, OTHER), .run = model_run_simd},
    {T(0x04200000, 0xdf03ff, SVE), .needs = MODEL_SVE, .run = model_run_simd},
    {T(0x80800000, 0x1ffff3, SME), .needs = MODEL_SME, .run = model_run_streaming}, /* FMOPA */
    {T(0xc00800ff, ANY, SME), .needs = MODEL_SME, .run = model_run_zt0},            /* ZERO */
    /* --- branches --- */
    BRANCH(0x14000000, ANY, B, .weight = 3),
    BRANCH(0x94000000, ANY, BL, .weight = 3),
    BRANCH(0x54000000, 0xf, B_COND, .weight = 8),
    BRANCH(0x54000010, 0xf, BC_COND, ONCE),
    BRANCH(0x34000000, 0x8000001f, CBZ, .weight = 2),
    BRANCH(0x35000000, 0x8000001f, CBNZ, .weight = 2),
    BRANCH(0x36000000, 0x80f8001f, TBZ, .weight = 2),
    BRANCH(0x37000000, 0x80f8001f, TBNZ, .weight = 2),
    BRANCH(0x74000000, 0x803f001f, CB, ONCE),
    BRANCH(0x75000000, 0x803f801f, CB, ONCE),
    JUMP(0xd61f0000, RN, BR, ONCE),
    JUMP(0xd63f0000, RN, BLR, .weight = 2),
    JUMP(0xd65f03c0, ANY, RET, .weight = 3),
    SIGNED_JUMP(0xd71f0800, RN_RT, BRAA),
    SIGNED_JUMP(0xd61f0c1f, RN, BRAB),
    SIGNED_JUMP(0xd63f081f, RN, BLRAA),
    SIGNED_JUMP(0xd73f0c00, RN_RT, BLRAB),
    SIGNED_JUMP(0xd65f0bff, ANY, RETAA),
    SIGNED_JUMP(0xd65f0fff, ANY, RETAB),
    /* --- exceptions, waiting, system registers --- */
    DO(0xd4000001, IMM16, SVC, call, .weight = 3),
    DO(0xd4000002, IMM16, HVC, call, .el = 1, .weight = 3),
    DO(0xd4000003, IMM16, SMC, call, .el = 1, .weight = 2),
    DO(0xd4200000, IMM16, BRK, breakpoint, ONCE),
    DO(0xd4400000, IMM16, HLT, halt, ONCE),
    DO(0xd4a00001, IMM16, DCPS1, undefined, ONCE),
    DO(0xd6bf03e0, ANY, DRPS, undefined, ONCE),
    DO(0x00000001, 0xfffe, UDF, undefined, ONCE),
    DO(0xd4000000, IMM16, UNALLOCATED, undefined, ONCE),
    DO(0xd69f03e0, ANY, ERET, return, .el = 1, .weight = 30),
    DO(0xd69f0bff, ANY, ERETAA, return, .el = 1, .weight = 2),
    DO(0xd69f0fff, ANY, ERETAB, return, .el = 1),
    DO(0xd503205f, ANY, WFE, wait, ONCE),
    DO(0xd503207f, ANY, WFI, wait, .weight = 2),
    DO(0xd5031000, RT, WFET, wait, ONCE),
    DO(0xd5031020, RT, WFIT, wait, ONCE),
    DO(0xd503305f, 0xf00, CLREX, clear_exclusive, ONCE),
    DO(0xd50323bf, ANY, AUT, authenticate, ONCE),
    DO(0xdac11000, RN_RT, AUT, authenticate, ONCE),
    DO(0xd50340df, 0xf00, MSR_IMM, pstate, .el = 1, .weight = 2), /* DAIFSet */
    DO(0xd50340ff, 0xf00, MSR_IMM, pstate, .el = 1, .weight = 2), /* DAIFClr */
    DO(0xd50040bf, 0x100, MSR_IMM, pstate, .el = 1, .weight = 3), /* SPSel */
    DO(0xd503403f, 0x100, MSR_IMM, pstate, .needs = MODEL_SSBS),
    DO(0xd503405f, 0x100, MSR_IMM, pstate, .needs = MODEL_DIT),
    DO(0xd503409f, 0x100, MSR_IMM, pstate, .needs = MODEL_MTE, .weight = 8), /* TCO */
    DO(0xd500409f, 0x100, MSR_IMM, pstate, .el = 1),                         /* PAN */
    DO(0xd503437f, ANY, SMSTART, pstate, .needs = MODEL_SME, .weight = 2),
    DO(0xd503457f, ANY, SMSTART, pstate, .needs = MODEL_SME),
    DO(0xd503477f, ANY, SMSTART, pstate, .needs = MODEL_SME, .weight = 3),
    DO(0xd503427f, ANY, SMSTOP, pstate, .needs = MODEL_SME, .weight = 2),
    DO(0xd503447f, ANY, SMSTOP, pstate, .needs = MODEL_SME),
    DO(0xd503467f, ANY, SMSTOP, pstate, .needs = MODEL_SME),
    DO(0xd5181200, RT, MSR_REG, register, .el = 1, .needs = MODEL_SVE), /* ZCR_EL1 */
    DO(0xd51c1200, RT, MSR_REG, register, .el = 2, .needs = MODEL_SVE),
    DO(0xd51e1200, RT, MSR_REG, register, .el = 3, .needs = MODEL_SVE),
    DO(0xd51812c0, RT, MSR_REG, register, .el = 1, .needs = MODEL_SME), /* SMCR_EL1 */
    DO(0xd5181000, RT, MSR_REG, register, .el = 1),                     /* SCTLR_EL1 */
    DO(0xd51c1000, RT, MSR_REG, register, .el = 2),
    DO(0xd51e1000, RT, MSR_REG, register, .el = 3),
    DO(0xd51b42a0, RT, MSR_REG, register, .needs = MODEL_DIT),  /* DIT */
    DO(0xd51b42c0, RT, MSR_REG, register, .needs = MODEL_SSBS), /* SSBS */
    DO(0xd51b42e0, RT, MSR_REG, register, .needs = MODEL_MTE),  /* TCO */
    /* --- loads and stores of registers --- */
    ACCESS(0x39400000, IMM12, LOAD, 1, R, ONCE),
    ACCESS(0x39000000, IMM12, STORE, 1, W, ONCE),
    ACCESS(0x79400000, IMM12, LOAD, 2, R, ONCE),
    ACCESS(0x79000000, IMM12, STORE, 2, W, ONCE),
    ACCESS(0xb9400000, IMM12, LOAD, 4, R, .weight = 3),
    ACCESS(0xb9000000, IMM12, STORE, 4, W, .weight = 2),
    ACCESS(0xf9400000, IMM12, LOAD, 8, R, .weight = 6),
    ACCESS(0xf9000000, IMM12, STORE, 8, W, .weight = 4, .again = 0x3ffc1f),
    ACCESS(0xb9800000, IMM12, LOAD, 4, R, ONCE),
    ACCESS(0x3dc00000, IMM12, LOAD, 16, R, ONCE),
    ACCESS(0x3d800000, IMM12, STORE, 16, W, ONCE),
    ACCESS(0xfd400000, IMM12, LOAD, 8, R, ONCE),
    ACCESS(0xf8400000, IMM9, LOAD, 8, R, ONCE),
    ACCESS(0xf8400800, IMM9, LOAD, 8, R, ONCE),                /* LDTR */
    ACCESS(0xf8400420, 0x1ff000, LOAD, 8, R | ANY_BASE, ONCE), /* post-indexed */
    ACCESS(0xf8000c20, 0x1ff000, STORE, 8, W | ANY_BASE, ONCE),
    ACCESS(0xf8606800, RM_RN_RT, LOAD, 8, R | ANY_BASE, ONCE),
    {T(0xf8200400, 0x5ff3ff, LOAD), .run = model_run_authenticated, .bytes = 8, .how = R | C},
    LITERAL(0x58000000, RT, LOAD_LITERAL, 8),
    LITERAL(0x18000000, RT, LOAD_LITERAL, 4),
    LITERAL(0x98000000, RT, LOAD_LITERAL, 4),
    LITERAL(0x9c000000, RT, LOAD_LITERAL, 16),
    ACCESS(0xa9400440, 0x3f8000, LOAD_PAIR, 8, R, .count = 2, .weight = 4),
    ACCESS(0xa9000000, PAIR, STORE_PAIR, 8, W, .count = 2, .weight = 4),
    ACCESS(0x29400440, 0x3f8000, LOAD_PAIR, 4, R, .count = 2),
    ACCESS(0x29000000, PAIR, STORE_PAIR, 4, W, .count = 2),
    ACCESS(0x69400440, 0x3f8000, LOAD_PAIR, 4, R, .count = 2), /* LDPSW */
    ACCESS(0xad400440, 0x3f8000, LOAD_PAIR, 16, R, .count = 2),
    ACCESS(0xad000000, PAIR, STORE_PAIR, 16, W, .count = 2),
    ACCESS(0xa8400440, 0x3f8000, LOAD_PAIR, 8, R, .count = 2), /* LDNP */
    ACCESS(0xa8000000, PAIR, STORE_PAIR, 8, W, .count = 2),    /* STNP */
    ACCESS(0xc8dffc00, RN_RT, LOAD_ORDERED, 8, R | AL, ONCE),
    ACCESS(0xc89ffc00, RN_RT, STORE_ORDERED, 8, W | AL, ONCE),
    ACCESS(0xf8bfc000, RN_RT, LOAD_ORDERED, 8, R | AL, ONCE),
    ACCESS(0x08dffc00, RN_RT, LOAD_ORDERED, 1, R | AL, ONCE),
    ACCESS(0x489ffc00, RN_RT, STORE_ORDERED, 2, W | AL, ONCE),
    ACCESS(0xd9400000, IMM9, LOAD_ORDERED, 8, R | AL, ONCE),
    ACCESS(0xd9000000, IMM9, STORE_ORDERED, 8, W | AL, ONCE),
    ACCESS(0x4c407000, RN_RT, LOAD_STRUCTURE, 16, R, ONCE),
    ACCESS(0x4c40a000, RN_RT, LOAD_STRUCTURE, 16, R, .count = 2),
    ACCESS(0x4c406000, RN_RT, LOAD_STRUCTURE, 16, R, .count = 3),
    ACCESS(0x4c402000, RN_RT, LOAD_STRUCTURE, 16, R, .count = 4),
    ACCESS(0x4c408000, RN_RT, LOAD_STRUCTURE, 16, R, .count = 2),
    ACCESS(0x4c400000, RN_RT, LOAD_STRUCTURE, 16, R, .count = 4),
    ACCESS(0x0c404000, RN_RT, LOAD_STRUCTURE, 8, R, .count = 3),
    ACCESS(0x4c007000, RN_RT, STORE_STRUCTURE, 16, W, ONCE),
    ACCESS(0x4c002000, RN_RT, STORE_STRUCTURE, 16, W, .count = 4),
    ACCESS(0x4c9f7000, RN_RT, STORE_STRUCTURE, 16, W | ANY_BASE, ONCE),
    ACCESS(0x0d400000, 0x40001fff, LOAD_STRUCTURE, 1, R, ONCE),
    ACCESS(0x0d000000, 0x40001fff, STORE_STRUCTURE, 1, W, ONCE),
    ACCESS(0x4d40c000, RN_RT, LOAD_STRUCTURE, 1, R, ONCE),
    ACCESS(0x4d60ec00, RN_RT, LOAD_STRUCTURE, 8, R, .count = 4),
    ACCESS(0x0d608400, RN_RT, LOAD_STRUCTURE, 8, R, .count = 2),
    ACCESS(0xf83fd000, RN, LOAD_64B, 64, R | AL, .needs = MODEL_LS64),
    ACCESS(0xf83f9000, RN, STORE_64B, 64, W | AL, .needs = MODEL_LS64),
    /* --- exclusives and atomics --- */
    MEM(0xc85f7c00, RN_RT, LOAD_EXCLUSIVE, exclusive_load, 8, R, .weight = 3),
    MEM(0x885ffc00, RN_RT, LOAD_EXCLUSIVE, exclusive_load, 4, R, ONCE),
    MEM(0x085f7c00, RN_RT, LOAD_EXCLUSIVE, exclusive_load, 1, R, ONCE),
    MEM(0xc87f0440, 0x0, LOAD_EXCLUSIVE, exclusive_load, 8, R, .count = 2),
    MEM(0xc8037c41, 0x0, STORE_EXCLUSIVE, exclusive_store, 8, W, .weight = 3),
    MEM(0x8803fc41, 0x0, STORE_EXCLUSIVE, exclusive_store, 4, W, ONCE),
    MEM(0x08037c41, 0x0, STORE_EXCLUSIVE, exclusive_store, 1, W, ONCE),
    MEM(0xc8230841, 0x0, STORE_EXCLUSIVE, exclusive_store, 8, W, .count = 2),
    MEM(0xc8a07c00, RM_RN_RT, CAS, compare_and_swap, 8, RW, .weight = 2),
    MEM(0x88e0fc00, RM_RN_RT, CAS, compare_and_swap, 4, RW, ONCE),
    MEM(0x08a07c00, RM_RN_RT, CAS, compare_and_swap, 1, RW, ONCE),
    MEM(0x48207c00, 0x1e03fe, CASP, compare_and_swap, 8, RW, .count = 2),
    MEM(0x08207c00, 0x1e03fe, CASP, compare_and_swap, 4, RW, .count = 2),
    MEM(0xf8200000, RM_RN_RT, ATOMIC_RMW, access, 8, RW, .weight = 2),
    MEM(0xb8e00000, RM_RN_RT, ATOMIC_RMW, access, 4, RW, ONCE),
    MEM(0xf8208000, RM_RN_RT, ATOMIC_RMW, access, 8, RW, ONCE),
    MEM(0x38203000, RM_RN_RT, ATOMIC_RMW, access, 1, RW, ONCE),
    MEM(0xf820001f, 0x1f03e0, ATOMIC_RMW, access, 8, RW, ONCE), /* STADD */
    MEM(0xf820b000, 0x1f03e0, STORE_64B, conditional_store, 64, W, .needs = MODEL_LS64),
    MEM(0xf820a000, 0x1f03e0, STORE_64B, conditional_store, 64, W, .needs = MODEL_LS64),
    /* --- operations on addresses, blocks, tags, ranges --- */
    DO(0xf9800000, 0x3fffe0, PREFETCH, prefetch, .weight = 2),
    DO(0xf8800000, 0x1ff3e0, PREFETCH, prefetch, ONCE),
    DO(0xf8a06800, 0x1f03e0, PREFETCH, prefetch, ONCE),
    DO(0xf8a04818, 0x1f03e0, PREFETCH, prefetch, ONCE), /* RPRFM */
    DO(0xd50b7a20, RT, DC, address, ONCE),              /* CVAC */
    DO(0xd50b7e20, RT, DC, address, ONCE),              /* CIVAC */
    DO(0xd50b7520, RT, IC, address, ONCE),              /* IVAU */
    DO(0xd5087620, RT, DC, address, .el = 1),           /* IVAC */
    DO(0xd5087800, RT, AT, prefetch, .el = 1),          /* S1E1R: takes no abort */
    DO(0xd5088720, RT, TLBI, prefetch, .el = 1),        /* VAE1 */
    DO(0xd50c8720, RT, TLBI, prefetch, .el = 2),
    DO(0xd5088620, RT, TLBI_RANGE, range, .el = 1, .weight = 2),
    DO(0xd50b7420, RT, DC_ZVA, block, .how = W | C, .weight = 2),
    DO(0xd50b7460, RT, DC_GVA, block, .how = W | TAGS, .needs = MODEL_MTE),
    DO(0xd50b7480, RT, DC_GZVA, block, .how = W | C | TAGS, .needs = MODEL_MTE),
    TAG(0xd9600000, IMM9, TAG_LOAD, tags, 16, R, ONCE),
    TAG(0xd9200800, IMM9, TAG_STORE, tags, 16, W, ONCE),
    TAG(0xd9a00800, IMM9, TAG_STORE, tags, 32, W, ONCE),
    TAG(0xd9600800, IMM9, TAG_DATA_STORE, tagged_store, 16, W, ONCE),
    TAG(0xd9e00800, IMM9, TAG_DATA_STORE, tagged_store, 32, W, ONCE),
    TAG(0x69000000, PAIR, TAG_DATA_STORE, tagged_store, 16, W, ONCE),
    TAG(0xd9e00000, RN_RT, TAG_LOAD, tags, 64, R, .el = 1),
    TAG(0xd9a00000, RN_RT, TAG_STORE, tags, 64, W, .el = 1),
    COPY(0x1d010440, CPYP, RW | C, .weight = 4),
    COPY(0x19010440, CPYFP, RW | C, .weight = 4),
    COPY(0x19c20440, SETP, W | C, .weight = 4),
    {T(0x1dc20440, ANY, SETGP), .run = model_run_copy, .needs = MODEL_MOPS | MODEL_MTE,
     .how = W | TAGS, .weight = 4},
    /* --- SVE --- */
    VECTOR(0x85804000, 0x3f1fff, SVE_LOAD, spill, 0, 0, R, .weight = 2),
    VECTOR(0xe5804000, 0x3f1fff, SVE_STORE, spill, 0, 0, W, .weight = 2),
    VECTOR(0x85800000, 0x3f1fef, SVE_LOAD, spill, 3, 0, R, ONCE),
    VECTOR(0xe5800000, 0x3f1fef, SVE_STORE, spill, 3, 0, W, ONCE),
    VECTOR(0xa400a000, IMM4_PG, SVE_LOAD, vector, 0, 0, R, ONCE),
    VECTOR(0xa4a0a000, IMM4_PG, SVE_LOAD, vector, 1, 1, R, ONCE),
    VECTOR(0xa540a000, IMM4_PG, SVE_LOAD, vector, 2, 2, R, ONCE),
    VECTOR(0xa5e0a000, IMM4_PG, SVE_LOAD, vector, 3, 3, R, .weight = 2),
    VECTOR(0xa460a000, IMM4_PG, SVE_LOAD, vector, 0, 3, R, ONCE), /* LD1B to doublewords */
    VECTOR(0xa400e000, IMM4_PG, SVE_LOAD, vector, 0, 0, R, ONCE), /* LDNT1B */
    VECTOR(0xa4006000, 0x0f1fff, SVE_LOAD, vector, 0, 0, R | FIRST | ANY_BASE, .weight = 2),
    VECTOR(0xa5e06000, 0x0f1fff, SVE_LOAD, vector, 3, 3, R | FIRST | ANY_BASE, .weight = 2),
    VECTOR(0xa410a000, IMM4_PG, SVE_LOAD, vector, 0, 0, R | NEVER, .weight = 4),
    VECTOR(0xa5f0a000, IMM4_PG, SVE_LOAD, vector, 3, 3, R | NEVER, .weight = 4),
    VECTOR(0xa420e000, IMM4_PG, SVE_LOAD, vector, 0, 0, R, .count = 2),
    VECTOR(0xa540e000, IMM4_PG, SVE_LOAD, vector, 2, 2, R, .count = 3),
    VECTOR(0xa5e0e000, IMM4_PG, SVE_LOAD, vector, 3, 3, R, .count = 4),
    VECTOR(0xe400e000, IMM4_PG, SVE_STORE, vector, 0, 0, W, ONCE),
    VECTOR(0xe540e000, IMM4_PG, SVE_STORE, vector, 2, 2, W, ONCE),
    VECTOR(0xe5e0e000, IMM4_PG, SVE_STORE, vector, 3, 3, W, ONCE),
    VECTOR(0xe430e000, IMM4_PG, SVE_STORE, vector, 0, 0, W, .count = 2),
    VECTOR(0xe5f0e000, IMM4_PG, SVE_STORE, vector, 3, 3, W, .count = 4),
    VECTOR(0xc5c0c000, RM_PG, SVE_LOAD, vector, 3, 3, R | GATHER | ANY_BASE, .weight = 2),
    VECTOR(0x8520c000, RM_PG, SVE_LOAD, vector, 2, 2, R | GATHER | ANY_BASE, ONCE),
    VECTOR(0xc5c0e000, RM_PG, SVE_LOAD, vector, 3, 3, R | GATHER | ANY_BASE | FIRST, ONCE),
    VECTOR(0xe580a000, RM_PG, SVE_STORE, vector, 3, 3, W | GATHER | ANY_BASE, ONCE),
    VECTOR(0xe560a000, RM_PG, SVE_STORE, vector, 2, 2, W | GATHER | ANY_BASE, ONCE),
    VECTOR(0x84408000, 0x3f1fff, SVE_LOAD, replicate, 0, 0, R, ONCE),
    VECTOR(0x85c0e000, 0x3f1fff, SVE_LOAD, replicate, 3, 3, R, ONCE),
    VECTOR(0xa4002000, IMM4_PG, SVE_LOAD, replicate, 0, 4, R, ONCE),
    VECTOR(0xa5802000, IMM4_PG, SVE_LOAD, replicate, 3, 4, R, ONCE),
    VECTOR(0x85c00000, 0x3f1fef, SVE_PREFETCH, vector_prefetch, 0, 0, 0, ONCE),
    VECTOR(0x85c06000, 0x3f1fef, SVE_PREFETCH, vector_prefetch, 3, 3, 0, ONCE),
    VECTOR(0x8400e000, 0x1f1fef, SVE_PREFETCH, vector_prefetch, 0, 2, GATHER, ONCE),
    /* --- SME --- */
    MATRIX(0xe1000000, 0x63ef, SME_LOAD, za, 0, R, .again = 0x3ef),
    MATRIX(0xe1200000, 0x63ef, SME_STORE, za, 0, W, .again = 0x3ef),
    MATRIX(0xe0000000, 0x0fffef, SME_LOAD, slice, 0, R | ANY_BASE, .again = 0x1f1fef),
    MATRIX(0xe0c00000, 0x0fffef, SME_LOAD, slice, 3, R | ANY_BASE, .again = 0x1f1fef),
    MATRIX(0xe0200000, 0x0fffef, SME_STORE, slice, 0, W | ANY_BASE, .again = 0x1f1fef),
    MATRIX(0xe0a00000, 0x0fffef, SME_STORE, slice, 2, W | ANY_BASE, .again = 0x1f1fef),
    MATRIX(0xe1c00000, 0x0fffef, SME_LOAD, slice, 4, R | ANY_BASE, .again = 0x1f1fef),
    MATRIX(0xe11f8000, RN, SME_LOAD, zt0, 6, R, ONCE),
    MATRIX(0xe13f8000, RN, SME_STORE, zt0, 6, W, ONCE),
    MATRIX(0xc0000000, 0xffef, SME, za_index, 0, 0, ONCE), /* MOVA to a tile of bytes */
    MATRIX(0xc0020000, 0xfdff, SME, za_index, 0, 0, ONCE), /* MOVA from one */
    {T(0xc1201800, 0xf63e7, SME), .again = 0xf03e0, .run = model_run_za_group,
     .needs = MODEL_SME}, /* FMLA (multiple and single vector) */
};

const unsigned model_template_count = sizeof model_templates / sizeof model_templates[0];
