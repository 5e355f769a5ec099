/* Which instructions of AArch32 state are certainly undefined, or trapped, below an Exception
 * level: MCR, MRC, MCRR and MRRC that access System registers (chapter G7 of the Arm Architecture
 * Reference Manual for A-profile), VMSR and VMRS. A32 with the condition AL and T32
 * have the same words for them. */
#include "isa/arm_privilege.h"

struct privilege_row {
    uint32_t mask;
    uint32_t value;
    unsigned el; /* the lowest one; 0: EL0, or it is not known */
};

/* The fields of MCR and MRC, and of MCRR and MRRC. */
#define READ    (UINT32_C(1) << 20)
#define OPC1(n) ((uint32_t)(n) << 21)
#define CRN(n)  ((uint32_t)(n) << 16)
#define OPC2(n) ((uint32_t)(n) << 5)
#define CRM(n)  ((uint32_t)(n))
#define PAIR(n) ((uint32_t)(n) << 4) /* opc1 of MCRR and MRRC */

/* A register of coprocessor 15 or 14; fields that are not in `mask` may have any value. */
#define CP15(mask, value, el)                                                                      \
    {                                                                                              \
        0xff000f10 | (mask), 0xee000f10 | (value), el                                              \
    }
#define CP14(mask, value, el)                                                                      \
    {                                                                                              \
        0xff000f10 | (mask), 0xee000e10 | (value), el                                              \
    }
#define CP15_PAIR(mask, value, el)                                                                 \
    {                                                                                              \
        0xffe00f00 | (mask), 0xec400f00 | (value), el                                              \
    }

/* The first row that matches decides. What is IMPLEMENTATION DEFINED (CRn 9, 10, 11 and 15) can be
 * of any level. Identification registers (CRn 0) are read at EL0 where an emulator stands for the
 * system that traps it. */
static const struct privilege_row rows[] = {
    CP15(CRN(15) | CRM(14), CRN(10) | CRM(2), 1), /* MAIR0, AMAIR0 */
    CP15(CRN(15), CRN(10), 0),
    CP15(CRN(13), CRN(9), 0), /* CRn 9 and 11: performance monitors among them */
    CP15(CRN(15), CRN(15), 0),
    CP15(OPC1(7), OPC1(4), 2), /* of Hyp mode */
    CP15(READ | CRN(15), READ | CRN(0), 0),
    CP15(OPC1(7) | CRN(15) | CRM(15) | OPC2(7), CRN(1) | CRM(1), 3),       /* SCR */
    CP15(OPC1(7) | CRN(15), OPC1(3) | CRN(4), 0),                          /* DLR, DSPSR */
    CP15(CRN(15) | CRM(15), CRN(7) | CRM(3), 0),                           /* CFPRCTX */
    CP15(CRN(15) | CRM(15) | OPC2(7), CRN(7) | CRM(5) | OPC2(4), 0),       /* CP15ISB */
    CP15(CRN(15) | CRM(15) | OPC2(6), CRN(7) | CRM(10) | OPC2(4), 0),      /* CP15DSB, DMB */
    CP15(CRN(15) | CRM(15) | OPC2(7), CRN(13) | OPC2(2), 0),               /* TPIDRURW */
    CP15(READ | CRN(15) | CRM(15) | OPC2(7), READ | CRN(13) | OPC2(3), 0), /* TPIDRURO */
    CP15(CRN(15) | CRM(15), CRN(13), 1),                                   /* CONTEXTIDR */
    CP15(CRN(15), CRN(13), 0),                                             /* AMU */
    CP15(CRN(15) | CRM(15), CRN(14) | CRM(1), 1),                          /* CNTKCTL */
    CP15(CRN(15), CRN(14), 0),                                             /* timers */
    CP15(0, 0, 1),
    CP14(OPC1(7) | CRN(15) | CRM(14) | OPC2(7), CRM(6), 1), /* DBGWFAR, DBGVCR */
    CP14(OPC2(7), 0, 0),                                    /* those that EL0 can have */
    CP14(OPC1(7), 0, 1),                                    /* other registers for debugging */
    CP15_PAIR(PAIR(13) | CRM(15), PAIR(4) | CRM(2), 2),     /* HTTBR, VTTBR */
    CP15_PAIR(CRM(15), CRM(2), 1),                          /* TTBR0, TTBR1 */
    CP15_PAIR(CRM(15), CRM(7), 1),                          /* PAR */
    CP15_PAIR(CRM(15), CRM(12), 1),                         /* ICC_SGI1R */
    CP15_PAIR(PAIR(13) | CRM(15), PAIR(4) | CRM(14), 2),    /* CNTVOFF, CNTHP_CVAL */
    {0xffef0f10, 0xeee80a10, 1},                            /* FPEXC */
    {0, 0, 0},
};

unsigned arm_lowest_el(uint32_t word)
{
    const struct privilege_row *row = rows;
    while ((word & row->mask) != row->value) {
        row++;
    }
    return row->el;
}
