/* Framings: how packets, or streams, are laid out in the bytes of an input. A format declares its
 * framings (struct assay_format.framings); every format has RAW. */
#ifndef ASSAY_COMMON_FRAMING_H
#define ASSAY_COMMON_FRAMING_H

/* How packets or streams are laid out in the bytes. X(enumerator, name, description) */
#define ASSAY_FRAMINGS(X)                                                                          \
    X(RAW, "raw", "the bytes of one stream without a framing")                                     \
    X(CORESIGHT, "coresight", "frames of 16 bytes of the CoreSight formatter")                     \
    X(BYTE_HEADER, "byte-header", "a byte before each packet: length in bits 4:0, type in 6:5")    \
    X(ULTRASOC, "ultrasoc", "messages as in chapter 7 of E-Trace 1.1.1")                           \
    X(ATB, "atb", "messages on an AMBA trace bus")                                                 \
    X(ENCAPSULATION, "encapsulation", "RISC-V E-Trace encapsulation")                              \
    X(LENGTH_PREFIXED, "length-prefixed", "the length in bytes before each packet")                \
    X(TRACE_PORT, "trace-port",                                                                    \
      "frames of the CoreSight formatter with the synchronisation packets of a trace port")

enum assay_framing {
#define X(id, name, text) ASSAY_FRAMING_##id,
    ASSAY_FRAMINGS(X)
#undef X
        ASSAY_FRAMING_COUNT
};

/* A framing as a bit of a set: ASSAY_FRAMING_BIT(ATB). */
#define ASSAY_FRAMING_BIT(id) (1u << ASSAY_FRAMING_##id)

/* Their names, ended by null. */
extern const char *const assay_framing_names[];

/* "coresight"; "unknown" outside the enumeration. */
const char *assay_framing_name(enum assay_framing framing);

/* ASSAY_FRAMING_COUNT when none has this name. */
enum assay_framing assay_framing_by_name(const char *name);

#endif
