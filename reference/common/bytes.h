/* Little-endian loads and stores of bytes and bits. The caller has checked that the bytes are
 * there. */
#ifndef ASSAY_COMMON_BYTES_H
#define ASSAY_COMMON_BYTES_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ASSAY_LE16(v) __builtin_bswap16(v)
#define ASSAY_LE32(v) __builtin_bswap32(v)
#define ASSAY_LE64(v) __builtin_bswap64(v)
#else
#define ASSAY_LE16(v) (v)
#define ASSAY_LE32(v) (v)
#define ASSAY_LE64(v) (v)
#endif

static inline uint16_t assay_load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return ASSAY_LE16(v);
}

static inline uint32_t assay_load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return ASSAY_LE32(v);
}

static inline uint64_t assay_load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return ASSAY_LE64(v);
}

static inline void assay_store16(uint8_t *p, uint16_t v)
{
    v = ASSAY_LE16(v);
    memcpy(p, &v, sizeof v);
}

static inline void assay_store32(uint8_t *p, uint32_t v)
{
    v = ASSAY_LE32(v);
    memcpy(p, &v, sizeof v);
}

static inline void assay_store64(uint8_t *p, uint64_t v)
{
    v = ASSAY_LE64(v);
    memcpy(p, &v, sizeof v);
}

/* A value with its low `bits` bits set, 0 <= bits <= 64. */
static inline uint64_t assay_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Writes the low `width` bits of a value from bit `at` on, 0 <= width <= 64. Bits are numbered from
 * the least significant bit of the first byte on. */
static inline void assay_store_bits(uint8_t *bytes, uint64_t at, unsigned width, uint64_t value)
{
    for (unsigned done = 0; done < width;) {
        const unsigned shift = (unsigned)((at + done) & 7);
        const unsigned here = width - done < 8 - shift ? width - done : 8 - shift;
        const uint8_t mask = (uint8_t)(assay_mask(here) << shift);
        uint8_t *byte = &bytes[(at + done) >> 3];
        *byte = (uint8_t)((*byte & ~mask) | ((uint8_t)((value >> done) << shift) & mask));
        done += here;
    }
}

/* The `width` bits from bit `at` on, 0 <= width <= 64. */
static inline uint64_t assay_load_bits(const uint8_t *bytes, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
        const unsigned shift = (unsigned)((at + done) & 7);
        const unsigned here = width - done < 8 - shift ? width - done : 8 - shift;
        value |= ((uint64_t)bytes[(at + done) >> 3] >> shift & assay_mask(here)) << done;
        done += here;
    }
    return value;
}

#endif
