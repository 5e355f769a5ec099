/* How long a record is: by its descriptor, by what is in it, and by records before
 * it.
 */
#ifndef ASSAY_STF_FRAME_H
#define ASSAY_STF_FRAME_H

#include "stf/stf.h"

enum { STF_DESCRIPTOR_BYTES = 1 };

/* What the length of records depends on. All 0, then a profile is set. */
struct stf_framing {
    unsigned profile;
    bool event64;     /* EVENT has ids of 64 bits */
    uint8_t protocol; /* of transactions, by PROTOCOL_ID */
    uint32_t vlen;    /* bits of a vector register, by VLEN_CONFIG; 0: not known */
    struct {
        uint8_t kind;
        uint8_t length; /* where it is fixed, with the descriptor; 0: others */
    } records[256];     /* by descriptor */
};

struct stf_frame {
    enum stf_kind kind;
    uint64_t length; /* with the descriptor; 0: more bytes are needed, or there is a fault */
    enum stf_fault fault;
};

void stf_framing_profile(struct stf_framing *framing, unsigned profile);

/* The record whose descriptor is data[0], of which `have` bytes are there, at least 1; 16 more are
 * readable. */
struct stf_frame stf_frame_varying(const struct stf_framing *framing, const uint8_t *data,
                                   size_t have);

static inline struct stf_frame stf_frame(const struct stf_framing *framing, const uint8_t *data,
                                         size_t have)
{
    const struct stf_frame fixed = {.kind = (enum stf_kind)framing->records[data[0]].kind,
                                    .length = framing->records[data[0]].length};
    return fixed.length > 0 ? fixed : stf_frame_varying(framing, data, have);
}

#endif
