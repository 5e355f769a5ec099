/* The classes of RISC-V instructions, written once. Included by rv.h. */
#ifndef ASSAY_ISA_RV_CLASS_H
#define ASSAY_ISA_RV_CLASS_H

/* X(enumerator, stable name, which instructions). A name is permanent; a number isn't, and new
 * classes are added where they belong, except that the classes of words that are no instructions
 * come first. A compressed instruction has the class of the one that it expands to. */
#define RV_CLASSES(X)                                                                              \
    X(UNKNOWN, "unknown", "longer than 32 bits, or of an XLEN that is not covered")                \
    X(RESERVED, "reserved", "reserved for future standard use")                                    \
    X(ILLEGAL, "illegal", "defined illegal: 16 bits of zeros, 32 bits of ones")                    \
    X(CUSTOM, "custom", "in encoding space for custom extensions")                                 \
    /* "RV32I", "RV64I", "M", "B", "Zicond", "Cryptography Extensions" */                          \
    X(INTEGER, "integer", "integer computation of RV32I, RV64I but LUI, AUIPC and NOP")            \
    X(LUI, "lui", "LUI, C.LUI")                                                                    \
    X(AUIPC, "auipc", "AUIPC")                                                                     \
    X(MULTIPLY, "multiply", "MUL, MULH, MULHSU, MULHU, MULW, C.MUL")                               \
    X(DIVIDE, "divide", "DIV, DIVU, REM, REMU, DIVW, DIVUW, REMW, REMUW")                          \
    X(BIT, "bit", "bit manipulation: Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx, and those of Zcb")            \
    X(CONDITIONAL_ZERO, "conditional_zero", "CZERO.EQZ, CZERO.NEZ")                                \
    X(CRYPTO, "crypto", "scalar cryptography: Zknd, Zkne, Zknh, Zksed, Zksh")                      \
    X(MOP, "mop", "may-be-operations of Zimop, Zcmop: MOP.R.n, MOP.RR.n, C.MOP.n")                 \
    X(NOP, "nop", "NOP, C.NOP without immediate")                                                  \
    X(NTL, "ntl", "NTL.P1, NTL.PALL, NTL.S1, NTL.ALL, C.NTL.*")                                    \
    X(PAUSE, "pause", "PAUSE")                                                                     \
    /* Control transfer */                                                                         \
    X(BRANCH, "branch", "BEQ, BNE, BLT, BGE, BLTU, BGEU, C.BEQZ, C.BNEZ")                          \
    X(JAL, "jal", "JAL, C.J, C.JAL")                                                               \
    X(JALR, "jalr", "JALR, C.JR, C.JALR")                                                          \
    X(TABLE_JUMP, "table_jump", "CM.JT, CM.JALT")                                                  \
    /* Memory */                                                                                   \
    X(LOAD, "load", "loads of x registers")                                                        \
    X(STORE, "store", "stores of x registers")                                                     \
    X(PUSH, "push", "CM.PUSH")                                                                     \
    X(POP, "pop", "CM.POP")                                                                        \
    X(POP_RETURN, "pop_return", "CM.POPRET, CM.POPRETZ")                                           \
    X(MOVE_PAIR, "move_pair", "CM.MVA01S, CM.MVSA01")                                              \
    X(LR, "lr", "LR")                                                                              \
    X(SC, "sc", "SC")                                                                              \
    X(AMO, "amo", "AMOSWAP, AMOADD, AMOXOR, AMOAND, AMOOR, AMOMIN*, AMOMAX*, SSAMOSWAP")           \
    X(CAS, "cas", "AMOCAS")                                                                        \
    X(HYPERVISOR_LOAD, "hypervisor_load", "HLV.*, HLVX.*")                                         \
    X(HYPERVISOR_STORE, "hypervisor_store", "HSV.*")                                               \
    /* Fences, cache management */                                                                 \
    X(FENCE, "fence", "FENCE except for FENCE.TSO and PAUSE")                                      \
    X(FENCE_TSO, "fence_tso", "FENCE.TSO")                                                         \
    X(FENCE_I, "fence_i", "FENCE.I")                                                               \
    X(PREFETCH, "prefetch", "PREFETCH.I, PREFETCH.R, PREFETCH.W")                                  \
    X(CBO_INVAL, "cbo_inval", "CBO.INVAL")                                                         \
    X(CBO_CLEAN, "cbo_clean", "CBO.CLEAN")                                                         \
    X(CBO_FLUSH, "cbo_flush", "CBO.FLUSH")                                                         \
    X(CBO_ZERO, "cbo_zero", "CBO.ZERO")                                                            \
    /* "SYSTEM" */                                                                                 \
    X(CSR, "csr", "CSRRW, CSRRS, CSRRC, CSRRWI, CSRRSI, CSRRCI")                                   \
    X(ECALL, "ecall", "ECALL")                                                                     \
    X(EBREAK, "ebreak", "EBREAK, C.EBREAK")                                                        \
    X(URET, "uret", "URET, of the former N extension")                                             \
    X(SRET, "sret", "SRET")                                                                        \
    X(MRET, "mret", "MRET")                                                                        \
    X(MNRET, "mnret", "MNRET")                                                                     \
    X(DRET, "dret", "DRET, in Debug Mode only")                                                    \
    X(WFI, "wfi", "WFI")                                                                           \
    X(WRS, "wrs", "WRS.NTO, WRS.STO")                                                              \
    X(SCTRCLR, "sctrclr", "SCTRCLR")                                                               \
    X(SFENCE_VMA, "sfence_vma", "SFENCE.VMA")                                                      \
    X(SINVAL_VMA, "sinval_vma", "SINVAL.VMA")                                                      \
    X(SFENCE_W_INVAL, "sfence_w_inval", "SFENCE.W.INVAL")                                          \
    X(SFENCE_INVAL_IR, "sfence_inval_ir", "SFENCE.INVAL.IR")                                       \
    X(HFENCE_VVMA, "hfence_vvma", "HFENCE.VVMA")                                                   \
    X(HFENCE_GVMA, "hfence_gvma", "HFENCE.GVMA")                                                   \
    X(HINVAL_VVMA, "hinval_vvma", "HINVAL.VVMA")                                                   \
    X(HINVAL_GVMA, "hinval_gvma", "HINVAL.GVMA")                                                   \
    /* "F", "D", "Q", "Zfh", "Zfa" */                                                              \
    X(FLOAD, "fload", "FLH, FLW, FLD, FLQ and their compressed forms")                             \
    X(FSTORE, "fstore", "FSH, FSW, FSD, FSQ and their compressed forms")                           \
    X(FLOAT, "float", "floating-point computation, comparison, conversion, move")                  \
    /* "V" */                                                                                      \
    X(VSET, "vset", "VSETVLI, VSETIVLI, VSETVL")                                                   \
    X(VLOAD, "vload", "unit-stride loads, segment and fault-only-first included")                  \
    X(VLOAD_STRIDED, "vload_strided", "strided loads, segment included")                           \
    X(VLOAD_INDEXED, "vload_indexed", "indexed loads, ordered or not, segment included")           \
    X(VLOAD_WHOLE, "vload_whole", "VL1RE*, VL2RE*, VL4RE*, VL8RE*")                                \
    X(VLOAD_MASK, "vload_mask", "VLM.V")                                                           \
    X(VSTORE, "vstore", "unit-stride stores, segment included")                                    \
    X(VSTORE_STRIDED, "vstore_strided", "strided stores, segment included")                        \
    X(VSTORE_INDEXED, "vstore_indexed", "indexed stores, ordered or not, segment included")        \
    X(VSTORE_WHOLE, "vstore_whole", "VS1R.V, VS2R.V, VS4R.V, VS8R.V")                              \
    X(VSTORE_MASK, "vstore_mask", "VSM.V")                                                         \
    X(VECTOR, "vector", "vector arithmetic, permutation, moves, cryptography")

enum rv_class {
#define X(id, name, text) RV_##id,
    RV_CLASSES(X)
#undef X
        RV_CLASS_COUNT
};

#endif
