#include "stf/frame.h"

#include "stf/transaction.h"

enum { TILELINK = 1, DESCRIPTOR = STF_DESCRIPTOR_BYTES };

/* Whether the length of such records depends on their contents. */
static bool varies(enum stf_kind kind, bool vectors)
{
    return assay_format_stf.kinds[kind].tail_count > 0 || kind == STF_event ||
           (kind == STF_inst_reg && vectors) || kind == STF_transaction;
}

void stf_framing_profile(struct stf_framing *f, unsigned profile)
{
    f->profile = profile;
    for (unsigned i = 0; i < 256; i++) {
        const enum stf_kind kind = stf_kind_of(stf_profiles[profile].minor, (uint8_t)i);
        const bool fixed = kind != STF_malformed && !varies(kind, stf_profiles[profile].vectors);
        f->records[i].kind = (uint8_t)kind;
        f->records[i].length = fixed ? (uint8_t)(assay_format_stf.kinds[kind].bits / 8) : 0;
    }
}

static uint64_t vector_bytes(const struct stf_framing *f, const uint8_t *data,
                             enum stf_fault *fault)
{
    enum { VECTOR = 3 };
    if (!stf_profiles[f->profile].vectors || stf_get(data, inst_reg, type) != VECTOR) {
        return STF_BYTES_inst_reg;
    }
    if (f->vlen == 0) {
        *fault = STF_FAULT_UNKNOWN_LENGTH;
        return 0;
    }
    const uint64_t cells = ((uint64_t)f->vlen + 63) / 64;
    return STF_BYTES_inst_reg + (cells - 1) * 8;
}

/* Bytes after the descriptor; 0 when more of them are needed (or the fault says why it
 * cannot be known). */
static uint64_t data_length(const struct stf_framing *f, enum stf_kind kind, const uint8_t *data,
                            size_t have, enum stf_fault *fault)
{
    const uint64_t fixed = assay_format_stf.kinds[kind].bits / 8 - DESCRIPTOR;
    if (have < fixed) {
        return 0;
    }
    switch (kind) {
    case STF_comment:
    case STF_isa_extended:
        return fixed + stf_get(data, comment, length);
    case STF_trace_info:
        return fixed + stf_get(data, trace_info, length);
    case STF_clock_id:
        return fixed + stf_get(data, clock_id, length);
    case STF_page_table_walk:
        return fixed + 16 * stf_get(data, page_table_walk, count);
    case STF_event:
        return fixed + 8 * stf_get(data, event, count);
    case STF_event64:
        return fixed + 8 * stf_get(data, event64, count);
    case STF_inst_reg:
        return vector_bytes(f, data, fault);
    case STF_transaction:
        if (f->protocol != TILELINK) {
            *fault = STF_FAULT_UNKNOWN_LENGTH;
            return 0;
        }
        return stf_transaction_length(data, have, fault);
    default:
        return fixed;
    }
}

struct stf_frame stf_frame_varying(const struct stf_framing *f, const uint8_t *data, size_t have)
{
    struct stf_frame frame = {.kind = (enum stf_kind)f->records[data[0]].kind};
    if (frame.kind == STF_event && f->event64) {
        frame.kind = STF_event64;
    }
    if (frame.kind == STF_malformed) {
        frame.fault = STF_FAULT_UNKNOWN_DESCRIPTOR;
        return frame;
    }
    const uint64_t length =
        data_length(f, frame.kind, data + DESCRIPTOR, have - DESCRIPTOR, &frame.fault);
    frame.length = length > 0 ? DESCRIPTOR + length : 0;
    return frame;
}
