/* Branches and jumps ("Control Transfer Instructions"), and SYSTEM: "Zicsr", "Zimop", "Zawrs", and
 * the privileged instructions of volume II. */
#include "isa/rv_table.h"

static const struct rv_row branch_rows[] = {
    RV_ROW(0, 0, BRANCH, SOURCES, RV_GOES(CONDITIONAL) | RV_DIRECTLY),
};
RV_TABLE_OF(branch);

/* x1 and x5 differ in bit 2 of their number. */
#define RD_IS_LINK_MASK     0x00000d80
#define RD_IS_LINK          0x00000080
#define RS1_IS_LINK_MASK    0x000d8000
#define RS1_IS_LINK         0x00008000
#define BOTH_ARE_LINKS_MASK (RD_IS_LINK_MASK | RS1_IS_LINK_MASK)
#define BOTH_ARE_LINKS      (RD_IS_LINK | RS1_IS_LINK)

static const struct rv_row jal_rows[] = {
    RV_ROW(RD_IS_LINK_MASK, RD_IS_LINK, JAL, X, RV_GOES(CALL) | RV_DIRECTLY),
    RV_ROW(0, 0, JAL, X, RV_GOES(JUMP) | RV_DIRECTLY),
};
RV_TABLE_OF(jal);

/* "Return-address stack prediction hints encoded in the register operands of a JALR instruction".
 */
static const struct rv_row jalr_rows[] = {
    RV_ROW(0x000f8f80, 0x00008080, JALR, X_X, RV_GOES(INDIRECT_CALL)),
    RV_ROW(0x000f8f80, 0x00028280, JALR, X_X, RV_GOES(INDIRECT_CALL)),
    RV_ROW(BOTH_ARE_LINKS_MASK, BOTH_ARE_LINKS, JALR, X_X, RV_GOES(SWAP)),
    RV_ROW(RS1_IS_LINK_MASK, RS1_IS_LINK, JALR, X_X, RV_GOES(RETURN)),
    RV_ROW(0x000f8000 | RD_IS_LINK_MASK, RD_IS_LINK, JALR, X_X,
           RV_GOES(INDIRECT_CALL) | RV_DIRECTLY),
    RV_ROW(RD_IS_LINK_MASK, RD_IS_LINK, JALR, X_X, RV_GOES(INDIRECT_CALL)),
    RV_ROW(0x000f8000, 0x00000000, JALR, X_X, RV_GOES(INDIRECT_JUMP) | RV_DIRECTLY),
    RV_ROW(0, 0, JALR, X_X, RV_GOES(INDIRECT_JUMP)),
};
RV_TABLE_OF(jalr);

#define RAISE             RV_INFO(IS_EXCEPTION_GENERATING)
#define RAISED            RV_INFO(IS_TRAP_RETURN)
#define WAIT              RV_INFO(IS_WAIT)
#define ORDER             RV_INFO(IS_FENCE)
#define ONE(v, id, flags) RV_ROW(0xffffffff, v, id, NONE, flags)
#define BY_ADDRESS(v, id) RV_ROW(0xfe000f80, v, id, SOURCES, ORDER)

/* Bits [31:26] 0b1xxx11 are custom ("SYSTEM instruction encodings designated for custom use"). */
static const struct rv_row system_rows[] = {
    ONE(0x00000073, ECALL, RAISE),
    ONE(0x00100073, EBREAK, RAISE),
    ONE(0x30200073, MRET, RAISED),
    ONE(0x10200073, SRET, RAISED),
    ONE(0x10500073, WFI, WAIT),
    BY_ADDRESS(0x12000000, SFENCE_VMA),
    ONE(0x00d00073, WRS, WAIT),
    ONE(0x01d00073, WRS, WAIT),
    ONE(0x00200073, URET, RAISED),
    ONE(0x70200073, MNRET, RAISED),
    ONE(0x7b200073, DRET, RAISED),
    BY_ADDRESS(0x16000000, SINVAL_VMA),
    ONE(0x18000073, SFENCE_W_INVAL, ORDER),
    ONE(0x18100073, SFENCE_INVAL_IR, ORDER),
    BY_ADDRESS(0x22000000, HFENCE_VVMA),
    BY_ADDRESS(0x62000000, HFENCE_GVMA),
    BY_ADDRESS(0x26000000, HINVAL_VVMA),
    BY_ADDRESS(0x66000000, HINVAL_GVMA),
    ONE(0x10400073, SCTRCLR, 0),
    RV_NO_ROW(0x8c000000, 0x8c000000, CUSTOM),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(system);

/* "CSR Instructions": with rd x0, CSRRW and CSRRWI do not read; with rs1 x0 or an immediate 0 the
 * others do not write. Bit 14 is set in the immediate forms. */
#define READ_CSR  RV_INFO(CSR_READ)
#define WRITE_CSR RV_INFO(CSR_WRITTEN)

static const struct rv_row csr_swap_rows[] = {
    RV_ROW(0x00004f80, 0x00000000, CSR, X_X, WRITE_CSR),
    RV_ROW(0x00004000, 0x00000000, CSR, X_X, READ_CSR | WRITE_CSR),
    RV_ROW(0x00000f80, 0x00000000, CSR, X, WRITE_CSR),
    RV_ROW(0, 0, CSR, X, READ_CSR | WRITE_CSR),
};
RV_TABLE_OF(csr_swap);

static const struct rv_row csr_bits_rows[] = {
    RV_ROW(0x000fc000, 0x00000000, CSR, X_X, READ_CSR),
    RV_ROW(0x00004000, 0x00000000, CSR, X_X, READ_CSR | WRITE_CSR),
    RV_ROW(0x000f8000, 0x00000000, CSR, X, READ_CSR),
    RV_ROW(0, 0, CSR, X, READ_CSR | WRITE_CSR),
};
RV_TABLE_OF(csr_bits);

/* "H": funct7 has the size in bits [27:26], rs2 0 sign-extends, 1 doesn't, 3 reads what could be
 * executed. "Zimop": bits [31], [29:28] and [25] tell MOP.R from MOP.RR. */
#define GUEST      RV_INFO(IS_VIRTUAL)
#define SIZE_27_26 .size_low = 26, .size_bits = 2
#define VIRTUAL_LOAD(m, v, ...)                                                                    \
    RV_ROW_WITH(m, v, HYPERVISOR_LOAD, X_X, RV_READ | GUEST | RV_EACH(1, 0), __VA_ARGS__)
#define VIRTUAL_STORE(m, v, ...)                                                                   \
    RV_ROW_WITH(m, v, HYPERVISOR_STORE, SOURCES, RV_WRITE | GUEST | RV_EACH(1, 0), __VA_ARGS__)

static const struct rv_row virtual_rows[] = {
    VIRTUAL_LOAD(0xffe00000, 0x60000000, SIZE_27_26),              /* HLV.B, HLV.BU */
    VIRTUAL_LOAD(0xffe00000, 0x64000000, SIZE_27_26),              /* HLV.H, HLV.HU */
    VIRTUAL_LOAD(0xfff00000, 0x64300000, SIZE_27_26),              /* HLVX.HU */
    VIRTUAL_LOAD(0xfff00000, 0x68000000, SIZE_27_26),              /* HLV.W */
    VIRTUAL_LOAD(0xfff00000, 0x68100000, SIZE_27_26, RV_ONLY_64),  /* HLV.WU */
    VIRTUAL_LOAD(0xfff00000, 0x68300000, SIZE_27_26),              /* HLVX.WU */
    VIRTUAL_LOAD(0xfff00000, 0x6c000000, SIZE_27_26, RV_ONLY_64),  /* HLV.D */
    VIRTUAL_STORE(0xfe000f80, 0x6e000000, SIZE_27_26, RV_ONLY_64), /* HSV.D */
    RV_NO_ROW(0xfe000000, 0x6e000000, RESERVED),
    VIRTUAL_STORE(0xf2000f80, 0x62000000, SIZE_27_26), /* HSV.B, .H, .W */
    RV_ROW(0xb3c00000, 0x81c00000, MOP, X_X, 0),
    RV_ROW(0xb2000000, 0x82000000, MOP, X_XX, 0),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(virtual);
