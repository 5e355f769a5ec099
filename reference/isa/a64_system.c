/* "Branches, Exception Generating and System instructions": the system instructions. */
#include "isa/a64_table.h"

#define HINTED    A64_INFO(IS_HINT)
#define FENCE     A64_INFO(IS_BARRIER)
#define AUTH      A64_INFO(IS_PAUTH)
#define WAIT      A64_INFO(IS_WFX)
#define FIELD(id) (A64_INFO(PSTATE_FIELD) * A64_PSTATE_##id)

static const struct a64_row system_rows[] = {
    A64_GO(0xfffff01f, 0xd503201f, HINT),        A64_GO(0xfffff01f, 0xd503301f, BARRIER),
    A64_ROW(0xfff00000, 0xd5300000, MRS, 0),     A64_ROW(0xfff00000, 0xd5100000, MSR_REG, 0),
    A64_GO(0xfff80000, 0xd5080000, SYS),         A64_GO(0xfff80000, 0xd5280000, SYSL),
    A64_GO(0xfff8f01f, 0xd500401f, PSTATE),      A64_ROW(0xffffffe0, 0xd5031000, WFET, WAIT),
    A64_ROW(0xffffffe0, 0xd5031020, WFIT, WAIT), A64_ROW(0xffffffe0, 0xd5233060, TSTART, 0),
    A64_ROW(0xffffffe0, 0xd5233160, TTEST, 0),   A64_GO(0xfff8001f, 0xd548001f, SYSP),
    A64_UNALLOCATED_ROW(0xfff80001, 0xd5480001), A64_GO(0xfff80000, 0xd5480000, SYSP),
    A64_UNALLOCATED_ROW(0xffd00001, 0xd5500001), A64_ROW(0xfff00000, 0xd5500000, MSRR, 0),
    A64_ROW(0xfff00000, 0xd5700000, MRRS, 0),    A64_ROW(0xfff9fc00, 0xd5800000, OTHER, 0),
    A64_ROW(0xfff9f000, 0xd5900000, OTHER, 0),   A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(system);

static const struct a64_row hint_rows[] = {
    A64_ROW(0xffffffff, 0xd503201f, NOP, HINTED),
    A64_ROW(0xffffff3f, 0xd503241f, BTI, HINTED),
    A64_ROW(0xffffff9f, 0xd503231f, PAC, HINTED | AUTH),
    A64_ROW(0xffffff9f, 0xd503239f, AUT, HINTED | AUTH),
    A64_ROW(0xffffffff, 0xd503203f, YIELD, HINTED),
    A64_ROW(0xffffffff, 0xd503205f, WFE, HINTED | WAIT),
    A64_ROW(0xffffffff, 0xd503207f, WFI, HINTED | WAIT),
    A64_ROW(0xffffffff, 0xd503209f, SEV, HINTED),
    A64_ROW(0xffffffff, 0xd50320bf, SEVL, HINTED),
    A64_ROW(0xffffffff, 0xd50320ff, XPAC, HINTED | AUTH),
    A64_ROW(0xffffffbf, 0xd503211f, PAC, HINTED | AUTH),
    A64_ROW(0xffffffbf, 0xd503219f, AUT, HINTED | AUTH),
    A64_ROW(0xffffffff, 0xd503221f, ESB, HINTED | FENCE),
    A64_ROW(0xffffffff, 0xd503223f, PSB, HINTED | FENCE),
    A64_ROW(0xffffffff, 0xd503225f, TSB, HINTED | FENCE),
    A64_ROW(0xffffffff, 0xd503227f, GCSB, HINTED | FENCE),
    A64_ROW(0xffffffff, 0xd503229f, CSDB, HINTED | FENCE),
    A64_ROW(0xffffffff, 0xd503251f, CHKFEAT, HINTED),
    A64_ROW(0, 0, HINT, HINTED),
};
A64_TABLE_OF(hint);

static const struct a64_row barrier_rows[] = {
    A64_ROW(0xfffff0ff, 0xd50330bf, DMB, FENCE),   A64_ROW(0xffffffff, 0xd503309f, SSBB, FENCE),
    A64_ROW(0xffffffff, 0xd503349f, PSSBB, FENCE), A64_ROW(0xfffff0ff, 0xd503309f, DSB, FENCE),
    A64_ROW(0xfffff3ff, 0xd503323f, DSB, FENCE),   A64_ROW(0xfffff0ff, 0xd50330df, ISB, FENCE),
    A64_ROW(0xfffff0ff, 0xd50330ff, SB, FENCE),    A64_ROW(0xfffff0ff, 0xd503305f, CLREX, 0),
    A64_ROW(0xffffffff, 0xd503307f, TCOMMIT, 0),   A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(barrier);

/* op1 is [18:16], CRm [11:8], op2 [7:5]. */
static const struct a64_row pstate_rows[] = {
    A64_ROW(0xfffff0ff, 0xd50340df, MSR_IMM, FIELD(DAIFSET)),
    A64_ROW(0xfffff0ff, 0xd50340ff, MSR_IMM, FIELD(DAIFCLR)),
    A64_ROW(0xfffff0ff, 0xd50040bf, MSR_IMM, FIELD(SPSEL)),
    A64_ROW(0xfffff0ff, 0xd500409f, MSR_IMM, FIELD(PAN)),
    A64_ROW(0xfffff0ff, 0xd500407f, MSR_IMM, FIELD(UAO)),
    A64_ROW(0xfffffeff, 0xd501401f, MSR_IMM, FIELD(ALLINT)),
    A64_ROW(0xfffffeff, 0xd501421f, MSR_IMM, FIELD(PM)),
    A64_ROW(0xfffff0ff, 0xd503403f, MSR_IMM, FIELD(SSBS)),
    A64_ROW(0xfffff0ff, 0xd503405f, MSR_IMM, FIELD(DIT)),
    A64_ROW(0xfffff0ff, 0xd503409f, MSR_IMM, FIELD(TCO)),
    A64_ROW(0xffffffff, 0xd503437f, SMSTART, FIELD(SVCR_SM)),
    A64_ROW(0xffffffff, 0xd503427f, SMSTOP, FIELD(SVCR_SM)),
    A64_ROW(0xffffffff, 0xd503457f, SMSTART, FIELD(SVCR_ZA)),
    A64_ROW(0xffffffff, 0xd503447f, SMSTOP, FIELD(SVCR_ZA)),
    A64_ROW(0xffffffff, 0xd503477f, SMSTART, FIELD(SVCR_SMZA)),
    A64_ROW(0xffffffff, 0xd503467f, SMSTOP, FIELD(SVCR_SMZA)),
    A64_ROW(0xfffff0ff, 0xd500401f, CFINV, 0),
    A64_ROW(0xfffff0ff, 0xd500403f, CFINV, 0),
    A64_ROW(0xfffff0ff, 0xd500405f, CFINV, 0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(pstate);

/* The bits of SYS that name an operation. `any` has a 1 where an operand of the row may be either.
 */
#define OPERATION(op1, crn, crm, op2)                                                              \
    ((uint32_t)(op1) << 16 | (uint32_t)(crn) << 12 | (uint32_t)(crm) << 8 | (uint32_t)(op2) << 5)
#define ANY(any, op1, crn, crm, op2, id, flags)                                                    \
    A64_ROW(OPERATION(7, 15, 15, 7) & ~(any), OPERATION(op1, crn, crm, op2) & ~(any), id, flags)
#define ONE(op1, crn, crm, op2, id, flags) ANY(0u, op1, crn, crm, op2, id, flags)

#define CRM(bits) OPERATION(0, 0, bits, 0)
#define OP2(bits) OPERATION(0, 0, 0, bits)

/* Sets and ways are no addresses; physical addresses are. */
static const struct a64_row sys_rows[] = {
    ONE(3, 7, 4, 1, DC_ZVA, A64_WRITE),
    ONE(3, 7, 4, 3, DC_GVA, A64_WRITE | A64_INFO(ACCESSES_TAGS) | A64_INFO(IS_TAG_ONLY)),
    ONE(3, 7, 4, 4, DC_GZVA, A64_WRITE | A64_INFO(ACCESSES_TAGS)),
    A64_GO(OPERATION(0, 14, 0, 0), OPERATION(0, 8, 0, 0), TLBI),
    ONE(3, 7, 5, 1, IC, A64_BY_ADDRESS),
    ONE(0, 7, 1, 0, IC, 0),
    ONE(0, 7, 5, 0, IC, 0),
    ANY(OP2(2), 3, 7, 10, 1, DC, A64_BY_ADDRESS),
    ONE(3, 7, 10, 5, DC, A64_BY_ADDRESS),
    ANY(CRM(1) | OP2(2), 3, 7, 12, 1, DC, A64_BY_ADDRESS),
    ANY(CRM(1), 3, 7, 12, 5, DC, A64_BY_ADDRESS),
    ANY(OP2(2), 3, 7, 14, 1, DC, A64_BY_ADDRESS),
    ONE(3, 7, 14, 5, DC, A64_BY_ADDRESS),
    ONE(3, 7, 11, 1, DC, A64_BY_ADDRESS),
    ANY(CRM(4), 3, 7, 11, 0, DC, A64_BY_ADDRESS),
    ANY(CRM(4), 3, 7, 11, 7, DC, A64_BY_ADDRESS),
    ANY(OP2(2), 0, 7, 6, 1, DC, A64_BY_ADDRESS),
    ONE(0, 7, 6, 5, DC, A64_BY_ADDRESS),
    ANY(OP2(4), 0, 7, 15, 1, DC, A64_BY_ADDRESS),
    ANY(OP2(4), 6, 7, 14, 1, DC, A64_BY_ADDRESS),
    ONE(4, 7, 14, 0, DC, A64_BY_ADDRESS),
    ONE(4, 7, 14, 7, DC, A64_BY_ADDRESS),
    ANY(OP2(4), 0, 7, 6, 2, DC, 0),
    ONE(0, 7, 6, 4, DC, 0),
    ANY(CRM(4) | OP2(4), 0, 7, 10, 2, DC, 0),
    ANY(CRM(4), 0, 7, 10, 4, DC, 0),
    ANY(OP2(3), 0, 7, 8, 0, AT, A64_BY_ADDRESS),
    ANY(OP2(1), 0, 7, 9, 0, AT, A64_BY_ADDRESS),
    ONE(0, 7, 9, 2, AT, A64_BY_ADDRESS),
    ANY(OP2(1), 4, 7, 8, 0, AT, A64_BY_ADDRESS),
    ANY(OP2(3), 4, 7, 8, 4, AT, A64_BY_ADDRESS),
    ONE(4, 7, 9, 2, AT, A64_BY_ADDRESS),
    ANY(OP2(1), 6, 7, 8, 0, AT, A64_BY_ADDRESS),
    ONE(6, 7, 9, 2, AT, A64_BY_ADDRESS),
    ANY(OP2(1), 1, 7, 2, 4, BRB, 0),
    ANY(OP2(2), 3, 7, 7, 0, GCS, 0),
    ANY(OP2(1), 0, 7, 7, 4, GCS, 0),
    ONE(0, 7, 7, 6, GCS, 0),
    A64_ROW(0, 0, SYS, 0),
};
A64_TABLE_OF(sys);

static const struct a64_row sysl_rows[] = {
    ANY(OP2(2), 3, 7, 7, 1, GCS, 0),
    A64_ROW(0, 0, SYSL, 0),
};
A64_TABLE_OF(sysl);

static const struct a64_row sysp_rows[] = {
    A64_GO(OPERATION(0, 14, 0, 0), OPERATION(0, 8, 0, 0), TLBI),
    A64_ROW(0, 0, SYSP, 0),
};
A64_TABLE_OF(sysp);

/* CRn is 8, or 9 for the operations with nXS; the tables that lead here have seen it. Those without
 * an address are operations of SYS only, which is bit 22. */
#define INVALIDATE(any, op1, crm, op2, id, flags)                                                  \
    ANY(OPERATION(0, 15, 0, 0) | (any), op1, 0, crm, op2, id, flags)
#define INVALIDATE_ALL(any, op1, crm, op2)                                                         \
    A64_ROW(0x00400000 | (OPERATION(7, 0, 15, 7) & ~(any)), OPERATION(op1, 0, crm, op2) & ~(any),  \
            TLBI, 0)
#define BY_RANGE (A64_BY_ADDRESS | A64_INFO(IS_RANGE))

static const struct a64_row tlbi_rows[] = {
    /* EL1: CRm 1, 3 and 7 by address, ASID or all; 2, 5 and 6 by range. */
    INVALIDATE(CRM(2) | OP2(6), 0, 1, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(OP2(6), 0, 7, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(CRM(4) | OP2(6), 0, 2, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(6), 0, 5, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE_ALL(CRM(2) | OP2(2), 0, 1, 0),
    INVALIDATE_ALL(OP2(2), 0, 7, 0),
    /* EL2: the same, and stage 2 by intermediate physical address in CRm 0 and 4. */
    INVALIDATE(CRM(2) | OP2(4), 4, 1, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(OP2(4), 4, 7, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(CRM(4) | OP2(4), 4, 2, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(4), 4, 5, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(4), 4, 0, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(OP2(5), 4, 4, 0, TLBI, A64_BY_ADDRESS),
    INVALIDATE(OP2(4), 4, 0, 2, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(5), 4, 4, 2, TLBI_RANGE, BY_RANGE),
    INVALIDATE_ALL(CRM(2) | OP2(4), 4, 1, 0),
    INVALIDATE_ALL(OP2(4), 4, 7, 0),
    INVALIDATE_ALL(CRM(2), 4, 1, 6),
    INVALIDATE_ALL(0u, 4, 7, 6),
    INVALIDATE_ALL(CRM(4), 4, 2, 2),
    INVALIDATE_ALL(0u, 4, 5, 2),
    /* EL3: the same, and the granule protection tables by physical address. */
    INVALIDATE(CRM(2) | OP2(4), 6, 1, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(OP2(4), 6, 7, 1, TLBI, A64_BY_ADDRESS),
    INVALIDATE(CRM(4) | OP2(4), 6, 2, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(4), 6, 5, 1, TLBI_RANGE, BY_RANGE),
    INVALIDATE(OP2(4), 6, 4, 3, TLBI_RANGE, BY_RANGE),
    INVALIDATE_ALL(CRM(2), 6, 1, 0),
    INVALIDATE_ALL(0u, 6, 7, 0),
    INVALIDATE_ALL(0u, 6, 1, 4),
    INVALIDATE_ALL(0u, 6, 7, 4),
    A64_ROW(0x00400000, 0x00400000, SYSP, 0),
    A64_ROW(0, 0, SYS, 0),
};
A64_TABLE_OF(tlbi);
