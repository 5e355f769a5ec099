/* Which accesses to System registers are undefined at every Exception level: those that write a
 * register of which the Arm Architecture Reference Manual only has a read, by the register's name,
 * or the other way round. */
#include "isa/a64.h"

/* A register by op0 to op2, as MRS and MSR have them. `any` has a 1 where the registers of the row
 * may have either. */
struct access_row {
    uint32_t mask;
    uint32_t value;
};

#define REGISTER(op0, op1, crn, crm, op2)                                                          \
    ((uint32_t)(op0) << 19 | (uint32_t)(op1) << 16 | (uint32_t)(crn) << 12 |                       \
     (uint32_t)(crm) << 8 | (uint32_t)(op2) << 5)
#define ANY(any, op0, op1, crn, crm, op2)                                                          \
    {                                                                                              \
        REGISTER(3, 7, 15, 15, 7) & ~(any), REGISTER(op0, op1, crn, crm, op2)                      \
    }
#define ONE(op0, op1, crn, crm, op2) ANY(0u, op0, op1, crn, crm, op2)

#define OP1(bits) REGISTER(0, bits, 0, 0, 0)
#define CRM(bits) REGISTER(0, 0, 0, bits, 0)
#define OP2(bits) REGISTER(0, 0, 0, 0, bits)

static const struct access_row read_only[] = {
    ANY(CRM(7) | OP2(7), 3, 0, 0, 0, 0),  /* MIDR_EL1 and all others that identify the PE */
    ANY(OP2(6), 3, 1, 0, 0, 0),           /* CCSIDR_EL1, CCSIDR2_EL1, GMID_EL1, SMIDR_EL1 */
    ONE(3, 1, 0, 0, 1),                   /* CLIDR_EL1 */
    ONE(3, 1, 0, 0, 7),                   /* AIDR_EL1 */
    ONE(3, 3, 0, 0, 1),                   /* CTR_EL0 */
    ONE(3, 3, 0, 0, 7),                   /* DCZID_EL0 */
    ANY(OP2(1), 3, 3, 2, 4, 0),           /* RNDR, RNDRRS */
    ONE(3, 0, 4, 2, 2),                   /* CurrentEL */
    ONE(3, 0, 5, 3, 0),                   /* ERRIDR_EL1 */
    ANY(OP2(4), 3, 0, 5, 4, 0),           /* ERXFR_EL1, ERXPFGF_EL1 */
    ANY(CRM(2), 3, 0, 9, 9, 7),           /* PMSIDR_EL1, TRBIDR_EL1 */
    ONE(3, 0, 9, 10, 7),                  /* PMBIDR_EL1 */
    ONE(3, 0, 9, 14, 6),                  /* PMMIR_EL1 */
    ANY(OP2(1), 3, 3, 9, 12, 6),          /* PMCEID0_EL0, PMCEID1_EL0 */
    ONE(3, 0, 10, 4, 4),                  /* MPAMIDR_EL1 */
    ONE(3, 0, 10, 4, 7),                  /* LORID_EL1 */
    ONE(3, 0, 12, 0, 1),                  /* RVBAR_EL1 */
    ANY(OP1(2), 3, 4, 12, 0, 1),          /* RVBAR_EL2, RVBAR_EL3 */
    ONE(3, 0, 12, 1, 0),                  /* ISR_EL1 */
    ANY(CRM(4) | OP2(2), 3, 0, 12, 8, 0), /* ICC_IAR<n>_EL1, ICC_HPPIR<n>_EL1 */
    ONE(3, 0, 12, 9, 5),                  /* ICC_NMIAR1_EL1 */
    ONE(3, 0, 12, 11, 3),                 /* ICC_RPR_EL1 */
    ANY(OP2(2), 3, 4, 12, 11, 1),         /* ICH_VTR_EL2, ICH_EISR_EL2 */
    ONE(3, 4, 12, 11, 2),                 /* ICH_MISR_EL2 */
    ONE(3, 4, 12, 11, 5),                 /* ICH_ELRSR_EL2 */
    ONE(3, 3, 13, 2, 1),                  /* AMCFGR_EL0 */
    ANY(OP2(4), 3, 3, 13, 2, 2),          /* AMCGCR_EL0, AMCG1IDR_EL0 */
    ANY(OP2(4), 3, 3, 14, 0, 1),          /* CNTPCT_EL0, CNTPCTSS_EL0 */
    ANY(OP2(4), 3, 3, 14, 0, 2),          /* CNTVCT_EL0, CNTVCTSS_EL0 */
    ONE(2, 0, 1, 0, 0),                   /* MDRAR_EL1 */
    ONE(2, 0, 1, 1, 4),                   /* OSLSR_EL1 */
    ONE(2, 0, 7, 14, 6),                  /* DBGAUTHSTATUS_EL1 */
    ONE(2, 3, 0, 1, 0),                   /* MDCCSR_EL0 */
    {0, 0},
};

static const struct access_row write_only[] = {
    ANY(CRM(4), 3, 0, 12, 8, 1),  /* ICC_EOIR<n>_EL1 */
    ONE(3, 0, 12, 11, 1),         /* ICC_DIR_EL1 */
    ONE(3, 0, 12, 11, 5),         /* ICC_SGI1R_EL1 */
    ANY(OP2(1), 3, 0, 12, 11, 6), /* ICC_ASGI1R_EL1, ICC_SGI0R_EL1 */
    ANY(CRM(1), 3, 3, 9, 12, 4),  /* PMSWINC_EL0, PMZR_EL0 */
    ONE(2, 0, 1, 0, 4),           /* OSLAR_EL1 */
    {0, 0},
};

/* The rows end with one that matches all. */
static bool has(const struct access_row *row, uint32_t word)
{
    while ((word & row->mask) != row->value) {
        row++;
    }
    return row->mask != 0;
}

bool a64_is_undefined_access(uint32_t word)
{
    switch (word >> 20) {
    case 0xd51:
        return has(read_only, word);
    case 0xd53:
        return has(write_only, word);
    default:
        return false;
    }
}
