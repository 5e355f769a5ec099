/* The classes of A64 instructions, written once. Included by a64.h. */
#ifndef ASSAY_ISA_A64_CLASS_H
#define ASSAY_ISA_A64_CLASS_H

/* X(enumerator, stable name, which instructions). A name is permanent; a number isn't, and new
 * classes are added where they belong. Instructions are named as in C6.2 (base), C7.2 (SIMD&FP),
 * C8.2 (SVE) and C9.2 (SME). */
#define A64_CLASSES(X)                                                                             \
    X(OTHER, "other", "allocated, and nothing that a trace treats specially")                      \
    X(UNALLOCATED, "unallocated", "no instruction, or UNDEFINED by its register numbers")          \
    X(UDF, "udf", "UDF, permanently undefined")                                                    \
    /* "Branches, Exception Generating and System instructions" */                                 \
    X(B, "b", "B")                                                                                 \
    X(BL, "bl", "BL")                                                                              \
    X(B_COND, "b_cond", "B.cond, the conditions AL and NV included")                               \
    X(BC_COND, "bc_cond", "BC.cond, the conditions AL and NV included")                            \
    X(CBZ, "cbz", "CBZ")                                                                           \
    X(CBNZ, "cbnz", "CBNZ")                                                                        \
    X(TBZ, "tbz", "TBZ")                                                                           \
    X(TBNZ, "tbnz", "TBNZ")                                                                        \
    X(CB, "cb", "compare and branch: CB<cc>, CBB<cc>, CBH<cc>")                                    \
    X(BR, "br", "BR")                                                                              \
    X(BRAA, "braa", "BRAA, BRAAZ")                                                                 \
    X(BRAB, "brab", "BRAB, BRABZ")                                                                 \
    X(BLR, "blr", "BLR")                                                                           \
    X(BLRAA, "blraa", "BLRAA, BLRAAZ")                                                             \
    X(BLRAB, "blrab", "BLRAB, BLRABZ")                                                             \
    X(RET, "ret", "RET")                                                                           \
    X(RETAA, "retaa", "RETAA, RETAASPPC, RETAASPPCR")                                              \
    X(RETAB, "retab", "RETAB, RETABSPPC, RETABSPPCR")                                              \
    X(ERET, "eret", "ERET")                                                                        \
    X(ERETAA, "eretaa", "ERETAA")                                                                  \
    X(ERETAB, "eretab", "ERETAB")                                                                  \
    X(DRPS, "drps", "DRPS, in Debug state only")                                                   \
    X(SVC, "svc", "SVC")                                                                           \
    X(HVC, "hvc", "HVC")                                                                           \
    X(SMC, "smc", "SMC")                                                                           \
    X(BRK, "brk", "BRK")                                                                           \
    X(HLT, "hlt", "HLT")                                                                           \
    X(DCPS1, "dcps1", "DCPS1")                                                                     \
    X(DCPS2, "dcps2", "DCPS2")                                                                     \
    X(DCPS3, "dcps3", "DCPS3")                                                                     \
    X(TSTART, "tstart", "TSTART")                                                                  \
    X(TTEST, "ttest", "TTEST")                                                                     \
    X(TCOMMIT, "tcommit", "TCOMMIT")                                                               \
    X(TCANCEL, "tcancel", "TCANCEL")                                                               \
    X(WFE, "wfe", "WFE")                                                                           \
    X(WFI, "wfi", "WFI")                                                                           \
    X(WFET, "wfet", "WFET")                                                                        \
    X(WFIT, "wfit", "WFIT")                                                                        \
    X(NOP, "nop", "NOP")                                                                           \
    X(YIELD, "yield", "YIELD")                                                                     \
    X(SEV, "sev", "SEV")                                                                           \
    X(SEVL, "sevl", "SEVL")                                                                        \
    X(ESB, "esb", "ESB")                                                                           \
    X(PSB, "psb", "PSB CSYNC")                                                                     \
    X(TSB, "tsb", "TSB CSYNC")                                                                     \
    X(GCSB, "gcsb", "GCSB DSYNC")                                                                  \
    X(CSDB, "csdb", "CSDB")                                                                        \
    X(BTI, "bti", "BTI, BTI c, BTI j, BTI jc")                                                     \
    X(CHKFEAT, "chkfeat", "CHKFEAT")                                                               \
    X(HINT, "hint", "DGH, CLRBHB, STSHH, PACM and all other hints, named or not")                  \
    X(PAC, "pac", "PACI*, PACD*, PACGA, as hints and as data processing")                          \
    X(AUT, "aut", "AUTI*, AUTD*, as hints and as data processing")                                 \
    X(XPAC, "xpac", "XPACI, XPACD, XPACLRI")                                                       \
    X(CLREX, "clrex", "CLREX")                                                                     \
    X(DMB, "dmb", "DMB")                                                                           \
    X(DSB, "dsb", "DSB, with or without nXS")                                                      \
    X(SSBB, "ssbb", "SSBB, the DSB with CRm 0b0000")                                               \
    X(PSSBB, "pssbb", "PSSBB, the DSB with CRm 0b0100")                                            \
    X(ISB, "isb", "ISB")                                                                           \
    X(SB, "sb", "SB")                                                                              \
    X(MSR_IMM, "msr_imm", "MSR (immediate) except for SMSTART and SMSTOP")                         \
    X(SMSTART, "smstart", "SMSTART: MSR (immediate) that sets SVCR bits")                          \
    X(SMSTOP, "smstop", "SMSTOP: MSR (immediate) that clears SVCR bits")                           \
    X(CFINV, "cfinv", "CFINV, XAFLAG, AXFLAG")                                                     \
    X(MSR_REG, "msr_reg", "MSR (register)")                                                        \
    X(MRS, "mrs", "MRS")                                                                           \
    X(MSRR, "msrr", "MSRR")                                                                        \
    X(MRRS, "mrrs", "MRRS")                                                                        \
    X(SYS, "sys", "SYS that none of the following is, such as CFP RCTX or TRCIT")                  \
    X(SYSL, "sysl", "SYSL except for the GCS operations")                                          \
    X(SYSP, "sysp", "SYSP except for TLBIP")                                                       \
    X(IC, "ic", "IC; IC IVAU is_address_operation")                                                \
    X(DC, "dc", "DC except for the next three; by set and way not is_address_operation")           \
    X(DC_ZVA, "dc_zva", "DC ZVA")                                                                  \
    X(DC_GVA, "dc_gva", "DC GVA")                                                                  \
    X(DC_GZVA, "dc_gzva", "DC GZVA")                                                               \
    X(TLBI, "tlbi", "TLBI, TLBIP, not by range; by address is_address_operation")                  \
    X(TLBI_RANGE, "tlbi_range", "TLBI R*, TLBIP R*")                                               \
    X(AT, "at", "AT")                                                                              \
    X(BRB, "brb", "BRB IALL, BRB INJ")                                                             \
    X(GCS, "gcs", "GCSPUSHM, GCSPOPM, GCSPUSHX, GCSPOPX, GCSPOPCX, GCSSS1, GCSSS2")                \
    /* "Loads and stores" */                                                                       \
    X(LOAD, "load", "one register: LDR*, LDUR*, LDTR*, LDRAA, LDRAB; not literal, not ordered")    \
    X(STORE, "store", "one register: STR*, STUR*, STTR*, GCSSTR, GCSSTTR; not ordered")            \
    X(LOAD_LITERAL, "load_literal", "LDR (literal), LDRSW (literal)")                              \
    X(LOAD_PAIR, "load_pair", "LDP, LDPSW, LDNP, LDTP, LDTNP, LDIAPP, LDAP, LDAPP")                \
    X(STORE_PAIR, "store_pair", "STP, STNP, STTP, STTNP, STILP, STLP")                             \
    X(LOAD_ORDERED, "load_ordered", "LDAR*, LDLAR*, LDAPR*, LDAPUR*")                              \
    X(STORE_ORDERED, "store_ordered", "STLR*, STLLR*, STLUR*")                                     \
    X(LOAD_EXCLUSIVE, "load_exclusive", "LDXR*, LDAXR*, LDXP, LDAXP, LDTXR, LDATXR")               \
    X(STORE_EXCLUSIVE, "store_exclusive", "STXR*, STLXR*, STXP, STLXP, STTXR, STLTXR")             \
    X(LOAD_STRUCTURE, "load_structure", "Advanced SIMD LD1 to LD4, LD1R to LD4R, LDAP1")           \
    X(STORE_STRUCTURE, "store_structure", "Advanced SIMD ST1 to ST4, STL1")                        \
    X(CAS, "cas", "CAS*, CAST*")                                                                   \
    X(CASP, "casp", "CASP*, CASPT*")                                                               \
    X(ATOMIC_RMW, "atomic_rmw", "LD<op>*, ST<op>*, SWP*, LDT<op>*, LDF<op>*, LD<op>P*, SWPP*")     \
    X(RCW, "rcw", "read check write: RCW*, RCWS*")                                                 \
    X(LOAD_64B, "load_64b", "LD64B")                                                               \
    X(STORE_64B, "store_64b", "ST64B, ST64BV, ST64BV0")                                            \
    X(PREFETCH, "prefetch", "PRFM, PRFUM, RPRFM")                                                  \
    X(TAG_LOAD, "tag_load", "LDG, LDGM")                                                           \
    X(TAG_STORE, "tag_store", "STG, ST2G, STGM: tags and no data")                                 \
    X(TAG_DATA_STORE, "tag_data_store", "STZG, STZ2G, STZGM, STGP: tags and data")                 \
    X(CPYFP, "cpyfp", "CPYFP*, memory copy forward only, prologue")                                \
    X(CPYFM, "cpyfm", "CPYFM*, main")                                                              \
    X(CPYFE, "cpyfe", "CPYFE*, epilogue")                                                          \
    X(CPYP, "cpyp", "CPYP*, memory copy, prologue")                                                \
    X(CPYM, "cpym", "CPYM*, main")                                                                 \
    X(CPYE, "cpye", "CPYE*, epilogue")                                                             \
    X(SETP, "setp", "SETP*, memory set, prologue")                                                 \
    X(SETM, "setm", "SETM*, main")                                                                 \
    X(SETE, "sete", "SETE*, epilogue")                                                             \
    X(SETGP, "setgp", "SETGP*, memory set with tags, prologue")                                    \
    X(SETGM, "setgm", "SETGM*, main")                                                              \
    X(SETGE, "setge", "SETGE*, epilogue")                                                          \
    /* "SVE encodings", "SME encodings" */                                                         \
    X(SVE, "sve", "SVE except for the next three")                                                 \
    X(SVE_LOAD, "sve_load", "SVE contiguous and gather loads, fills")                              \
    X(SVE_STORE, "sve_store", "SVE contiguous and scatter stores, spills")                         \
    X(SVE_PREFETCH, "sve_prefetch", "SVE PRFB, PRFH, PRFW, PRFD")                                  \
    X(SME, "sme", "SME except for the next two")                                                   \
    X(SME_LOAD, "sme_load", "SME loads to ZA, ZT0 or several vectors")                             \
    X(SME_STORE, "sme_store", "SME stores from ZA, ZT0 or several vectors")                        \
    X(TEXIT, "texit", "TEXIT (FEAT_TEV)")                                                          \
    X(TENTER, "tenter", "TENTER (FEAT_TEV)")

enum a64_class {
#define X(id, name, text) A64_##id,
    A64_CLASSES(X)
#undef X
        A64_CLASS_COUNT
};

#endif
