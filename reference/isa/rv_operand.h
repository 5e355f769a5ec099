/* Where the operands of RISC-V instructions are, written once. Included by rv.h. */
#ifndef ASSAY_ISA_RV_OPERAND_H
#define ASSAY_ISA_RV_OPERAND_H

/* What gives the number of a register. X(enumerator, bits of the word, meaning) */
#define RV_PLACES(X)                                                                               \
    X(NOWHERE, "no operand")                                                                       \
    X(RD, "bits [11:7]")                                                                           \
    X(RS1, "bits [19:15]")                                                                         \
    X(RS2, "bits [24:20]")                                                                         \
    X(RS3, "bits [31:27]")                                                                         \
    X(C_RS2, "bits [6:2] of a compressed instruction")                                             \
    X(C_HIGH, "8 plus bits [9:7]: rd' and rs1' of a compressed instruction")                       \
    X(C_LOW, "8 plus bits [4:2]: rd' and rs2' of a compressed instruction")                        \
    X(S_HIGH, "bits [9:7] name s0 to s7: r1s' of CM.MVA01S, CM.MVSA01")                            \
    X(S_LOW, "bits [4:2] name s0 to s7: r2s' of CM.MVA01S, CM.MVSA01")                             \
    X(RA, "x1")                                                                                    \
    X(SP, "x2")                                                                                    \
    X(A0, "x10")                                                                                   \
    X(A1, "x11")                                                                                   \
    X(LIST, "the rlist of CM.PUSH, CM.POP*, bits [7:4]")

enum rv_position {
#define X(id, text) RV_PLACE_##id,
    RV_PLACES(X)
#undef X
        RV_PLACE_COUNT
};

/* One operand in 16 bits. */
#define RV_OPERAND_FILE    4 /* 2 bits, enum rv_file */
#define RV_OPERAND_PAIR    6 /* also the next register */
#define RV_OPERAND_GROUP   7 /* as many registers as the word says (RV_INFO FIELDS) */
#define RV_OPERAND_READ    8 /* is a source */
#define RV_OPERAND_WRITTEN 9 /* is a destination */

#define RV_SOURCE(file, place)                                                                     \
    ((RV_FILE_##file << RV_OPERAND_FILE) | RV_PLACE_##place | (1u << RV_OPERAND_READ))
#define RV_RESULT(file, place)                                                                     \
    ((RV_FILE_##file << RV_OPERAND_FILE) | RV_PLACE_##place | (1u << RV_OPERAND_WRITTEN))
#define RV_UPDATE(file, place) (RV_SOURCE(file, place) | RV_RESULT(file, place))
#define RV_PAIRED              (1u << RV_OPERAND_PAIR)
#define RV_GROUPED             (1u << RV_OPERAND_GROUP)

/* The shapes of operands. X(enumerator, rd, rs1, rs2, rs3): what the instruction formats call so;
 * of an access rs1 is the base. Registers that a compressed instruction implies (SP, RA) count, an
 * x0 that only its expansion has doesn't. */
#define RV_SHAPES(X)                                                                               \
    X(NONE, 0, 0, 0, 0)                                                                            \
    X(X, RV_RESULT(X, RD), 0, 0, 0)                                                                \
    X(X_X, RV_RESULT(X, RD), RV_SOURCE(X, RS1), 0, 0)                                              \
    X(X_XX, RV_RESULT(X, RD), RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), 0)                             \
    X(SOURCES, 0, RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), 0)                                         \
    X(BASE, 0, RV_SOURCE(X, RS1), 0, 0)                                                            \
    X(CAS, RV_UPDATE(X, RD), RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), 0)                              \
    X(CAS_PAIR, RV_UPDATE(X, RD) | RV_PAIRED, RV_SOURCE(X, RS1), RV_SOURCE(X, RS2) | RV_PAIRED, 0) \
    /* floating point */                                                                           \
    X(F, RV_RESULT(F, RD), 0, 0, 0)                                                                \
    X(F_F, RV_RESULT(F, RD), RV_SOURCE(F, RS1), 0, 0)                                              \
    X(F_FF, RV_RESULT(F, RD), RV_SOURCE(F, RS1), RV_SOURCE(F, RS2), 0)                             \
    X(F_FFF, RV_RESULT(F, RD), RV_SOURCE(F, RS1), RV_SOURCE(F, RS2), RV_SOURCE(F, RS3))            \
    X(X_F, RV_RESULT(X, RD), RV_SOURCE(F, RS1), 0, 0)                                              \
    X(X_FF, RV_RESULT(X, RD), RV_SOURCE(F, RS1), RV_SOURCE(F, RS2), 0)                             \
    X(F_X, RV_RESULT(F, RD), RV_SOURCE(X, RS1), 0, 0)                                              \
    X(F_XX, RV_RESULT(F, RD), RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), 0)                             \
    X(FSTORE, 0, RV_SOURCE(X, RS1), RV_SOURCE(F, RS2), 0)                                          \
    /* vector memory: vd or vs3 is where rd is */                                                  \
    X(VLOAD, RV_RESULT(V, RD), RV_SOURCE(X, RS1), 0, 0)                                            \
    X(VLOAD_STRIDED, RV_RESULT(V, RD), RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), 0)                    \
    X(VLOAD_INDEXED, RV_RESULT(V, RD), RV_SOURCE(X, RS1), RV_SOURCE(V, RS2), 0)                    \
    X(VLOAD_WHOLE, RV_RESULT(V, RD) | RV_GROUPED, RV_SOURCE(X, RS1), 0, 0)                         \
    X(VSTORE, 0, RV_SOURCE(X, RS1), 0, RV_SOURCE(V, RD))                                           \
    X(VSTORE_STRIDED, 0, RV_SOURCE(X, RS1), RV_SOURCE(X, RS2), RV_SOURCE(V, RD))                   \
    X(VSTORE_INDEXED, 0, RV_SOURCE(X, RS1), RV_SOURCE(V, RS2), RV_SOURCE(V, RD))                   \
    X(VSTORE_WHOLE, 0, RV_SOURCE(X, RS1), 0, RV_SOURCE(V, RD) | RV_GROUPED)                        \
    /* vector computation */                                                                       \
    X(V, RV_RESULT(V, RD), 0, 0, 0)                                                                \
    X(V_V, RV_RESULT(V, RD), RV_SOURCE(V, RS1), 0, 0)                                              \
    X(V_V2, RV_RESULT(V, RD), 0, RV_SOURCE(V, RS2), 0)                                             \
    X(V_VV, RV_RESULT(V, RD), RV_SOURCE(V, RS1), RV_SOURCE(V, RS2), 0)                             \
    X(V_X, RV_RESULT(V, RD), RV_SOURCE(X, RS1), 0, 0)                                              \
    X(V_XV, RV_RESULT(V, RD), RV_SOURCE(X, RS1), RV_SOURCE(V, RS2), 0)                             \
    X(V_F, RV_RESULT(V, RD), RV_SOURCE(F, RS1), 0, 0)                                              \
    X(V_FV, RV_RESULT(V, RD), RV_SOURCE(F, RS1), RV_SOURCE(V, RS2), 0)                             \
    X(X_V2, RV_RESULT(X, RD), 0, RV_SOURCE(V, RS2), 0)                                             \
    X(F_V2, RV_RESULT(F, RD), 0, RV_SOURCE(V, RS2), 0)                                             \
    X(ADD_V2, RV_UPDATE(V, RD), 0, RV_SOURCE(V, RS2), 0)                                           \
    X(ADD_VV, RV_UPDATE(V, RD), RV_SOURCE(V, RS1), RV_SOURCE(V, RS2), 0)                           \
    X(ADD_XV, RV_UPDATE(V, RD), RV_SOURCE(X, RS1), RV_SOURCE(V, RS2), 0)                           \
    X(ADD_FV, RV_UPDATE(V, RD), RV_SOURCE(F, RS1), RV_SOURCE(V, RS2), 0)                           \
    X(V_GROUP, RV_RESULT(V, RD) | RV_GROUPED, 0, RV_SOURCE(V, RS2) | RV_GROUPED, 0)                \
    /* compressed */                                                                               \
    X(C_UPDATE, RV_UPDATE(X, RD), 0, 0, 0)                                                         \
    X(C_UPDATE_X, RV_UPDATE(X, RD), 0, RV_SOURCE(X, C_RS2), 0)                                     \
    X(C_MOVE, RV_RESULT(X, RD), 0, RV_SOURCE(X, C_RS2), 0)                                         \
    X(C_UPDATE_HIGH, RV_UPDATE(X, C_HIGH), 0, 0, 0)                                                \
    X(C_UPDATE_HIGH_X, RV_UPDATE(X, C_HIGH), 0, RV_SOURCE(X, C_LOW), 0)                            \
    X(C_SP, RV_UPDATE(X, SP), 0, 0, 0)                                                             \
    X(C_FROM_SP, RV_RESULT(X, C_LOW), RV_SOURCE(X, SP), 0, 0)                                      \
    X(C_COMPARE, 0, RV_SOURCE(X, C_HIGH), 0, 0)                                                    \
    X(C_JUMP, 0, RV_SOURCE(X, RD), 0, 0)                                                           \
    X(C_CALL, RV_RESULT(X, RA), RV_SOURCE(X, RD), 0, 0)                                            \
    X(C_LINK, RV_RESULT(X, RA), 0, 0, 0)                                                           \
    X(C_LOAD, RV_RESULT(X, C_LOW), RV_SOURCE(X, C_HIGH), 0, 0)                                     \
    X(C_STORE, 0, RV_SOURCE(X, C_HIGH), RV_SOURCE(X, C_LOW), 0)                                    \
    X(C_FLOAD, RV_RESULT(F, C_LOW), RV_SOURCE(X, C_HIGH), 0, 0)                                    \
    X(C_FSTORE, 0, RV_SOURCE(X, C_HIGH), RV_SOURCE(F, C_LOW), 0)                                   \
    X(C_LOAD_SP, RV_RESULT(X, RD), RV_SOURCE(X, SP), 0, 0)                                         \
    X(C_STORE_SP, 0, RV_SOURCE(X, SP), RV_SOURCE(X, C_RS2), 0)                                     \
    X(C_FLOAD_SP, RV_RESULT(F, RD), RV_SOURCE(X, SP), 0, 0)                                        \
    X(C_FSTORE_SP, 0, RV_SOURCE(X, SP), RV_SOURCE(F, C_RS2), 0)                                    \
    X(PUSH, 0, RV_UPDATE(X, SP), RV_SOURCE(X, LIST), 0)                                            \
    X(POP, RV_RESULT(X, LIST), RV_UPDATE(X, SP), 0, 0)                                             \
    X(POP_ZERO, RV_RESULT(X, LIST), RV_UPDATE(X, SP), 0, RV_RESULT(X, A0))                         \
    X(MOVE_TO_A, RV_RESULT(X, A0), RV_SOURCE(X, S_HIGH), RV_SOURCE(X, S_LOW), RV_RESULT(X, A1))    \
    X(MOVE_FROM_A, RV_RESULT(X, S_HIGH), RV_SOURCE(X, A0), RV_SOURCE(X, A1), RV_RESULT(X, S_LOW))

enum rv_shape {
#define X(id, rd, rs1, rs2, rs3) RV_SHAPE_##id,
    RV_SHAPES(X)
#undef X
        RV_SHAPE_COUNT
};

#endif
