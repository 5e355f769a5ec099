/* The payload of an event with packed fields, and what a field makes of its bits: what all that
 * unpacks has in common (packed.c, packed_layout.c). */
#ifndef ASSAY_COMMON_PACKED_PAYLOAD_H
#define ASSAY_COMMON_PACKED_PAYLOAD_H

#include "common/bytes.h"
#include "model/packed.h"

/* The payload as 64-bit words, copies of its fill after its end, and one word more than the layout
 * can reach, so that a field is always read from two. */
enum { ASSAY_PAYLOAD_WORDS = ASSAY_MAX_PACKED_BITS / 64 + 2 };

/* All bits alike to the last one of `bits`. */
static inline uint64_t assay_payload_sign(const uint8_t *bytes, uint64_t bits)
{
    const uint64_t last = bits - 1;
    return (bytes[last >> 3] >> (last & 7) & 1) != 0 ? UINT64_MAX : 0;
}

/* Up to 8 bytes, none beyond the last of them touched. */
static inline uint64_t assay_payload_few(const uint8_t *bytes, size_t size)
{
    if (size >= 4) {
        const unsigned rest = (unsigned)size - 4;
        return assay_load32(bytes) | (uint64_t)assay_load32(bytes + rest) << (8 * rest);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/* Reads as many words as the plan's layout can reach. Returns whether the payload is extended by
 * its last bit; else zeros follow it. */
static inline bool assay_payload_load(const struct assay_packing *plan, const uint8_t *bytes,
                                      uint64_t bits, uint64_t words[ASSAY_PAYLOAD_WORDS])
{
    const bool extends = plan->kind->sign_compressed && bits > 0;
    const uint64_t fill = extends ? assay_payload_sign(bytes, bits) : 0;
    const size_t count = plan->most_bits / 64 + 2;
    const size_t whole = bits / 64 < count ? (size_t)(bits / 64) : count;
    size_t i = 0;
    for (; i < whole; i++) {
        words[i] = assay_load64(bytes + 8 * i);
    }
    const unsigned rest = (unsigned)(bits - 64 * whole < 64 ? bits - 64 * whole : 0);
    if (rest > 0 && i < count) {
        const uint64_t mask = assay_mask(rest);
        words[i] = (assay_payload_few(bytes + 8 * i, (rest + 7) / 8) & mask) | (fill & ~mask);
        i++;
    }
    for (; i < count; i++) {
        words[i] = fill;
    }
    return extends;
}

static inline uint64_t assay_payload_bits(const uint64_t *words, uint64_t at, unsigned width)
{
    const uint64_t *word = &words[at >> 6];
    const unsigned shift = (unsigned)(at & 63);
    return (word[0] >> shift | word[1] << 1 << (63 - shift)) & assay_mask(width);
}

/* Whether the payload is padding from bit `at`, where the layout ends, to its own end. */
static inline bool assay_payload_is_padding(const struct assay_kind *kind, const uint64_t *words,
                                            const uint8_t *bytes, uint64_t at,
                                            uint64_t payload_bits)
{
    if (payload_bits <= at) {
        return true;
    }
    const uint64_t pad = kind->sign_compressed && at > 0 ? assay_payload_sign(bytes, at) : 0;
    const uint64_t excess = payload_bits - at;
    if (excess <= 64) {
        const uint64_t mask = assay_mask((unsigned)excess);
        return assay_payload_bits(words, at, (unsigned)excess) == (pad & mask);
    }
    for (uint64_t bits = at + 1; bits <= payload_bits; bits++) {
        if (assay_payload_sign(bytes, bits) != pad) {
            return false;
        }
    }
    return true;
}

/* The value of a field, of `width` bits in the payload, as its cell holds it. */
static inline uint64_t assay_packed_value(const struct assay_packing_step *step, uint64_t value,
                                          unsigned width)
{
    if (step->is_signed && width > 0) {
        const uint64_t sign = UINT64_C(1) << (width - 1);
        value = (value ^ sign) - sign;
    }
    return value << step->shift;
}

#endif
