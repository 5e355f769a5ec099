/* Bounded reading of bytes and of bits. A cursor never reads past its end: a read that would sets
 * `overrun`, gives 0 and leaves the cursor at its end, so that a decoder can read a whole unit and
 * check once. No pointer arithmetic on input is done outside these functions. */
#ifndef ASSAY_COMMON_CURSOR_H
#define ASSAY_COMMON_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"

struct assay_bytes {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t at; /* next byte, 0..size */
    bool overrun;
};

static inline struct assay_bytes assay_bytes_of(const void *data, size_t size)
{
    return (struct assay_bytes){.data = data, .size = size};
}

static inline size_t assay_bytes_left(const struct assay_bytes *c)
{
    return c->size - c->at;
}

/* Returns the next n bytes, or null (and sets overrun) when fewer are left. */
static inline const uint8_t *assay_bytes_take(struct assay_bytes *c, size_t n)
{
    if (n > c->size - c->at) {
        c->overrun = true;
        c->at = c->size;
        return NULL;
    }
    const uint8_t *p = c->data + c->at;
    c->at += n;
    return p;
}

static inline uint8_t assay_bytes_u8(struct assay_bytes *c)
{
    const uint8_t *p = assay_bytes_take(c, 1);
    return p != NULL ? *p : 0;
}

static inline uint16_t assay_bytes_u16(struct assay_bytes *c)
{
    const uint8_t *p = assay_bytes_take(c, 2);
    return p != NULL ? assay_load16(p) : 0;
}

static inline uint32_t assay_bytes_u32(struct assay_bytes *c)
{
    const uint8_t *p = assay_bytes_take(c, 4);
    return p != NULL ? assay_load32(p) : 0;
}

static inline uint64_t assay_bytes_u64(struct assay_bytes *c)
{
    const uint8_t *p = assay_bytes_take(c, 8);
    return p != NULL ? assay_load64(p) : 0;
}

/* Reads a number in ULEB128 of at most `most` bytes, 1..9: each byte has 7 bits of it, the least
 * significant first, and a top bit that is set when another byte follows. Redundant bytes are
 * accepted, too; c->at shows how many were read. False when the input ends first (overrun), or when
 * byte number `most` says that another one follows. */
static inline bool assay_bytes_uleb128(struct assay_bytes *c, unsigned most, uint64_t *value)
{
    *value = 0;
    for (unsigned n = 0; n < most; n++) {
        const uint8_t byte = assay_bytes_u8(c);
        *value |= (uint64_t)(byte & 0x7f) << (7 * n);
        if (byte < 0x80) {
            return !c->overrun;
        }
    }
    return false;
}

enum { ASSAY_ULEB128_MOST = 10 }; /* bytes of a number of 64 bits */

/* Writes a number in ULEB128, in as few bytes as possible but at least `least`, and returns their
 * number. `bytes` has room for ASSAY_ULEB128_MOST bytes and for `least`. */
static inline unsigned assay_store_uleb128(uint8_t *bytes, uint64_t value, unsigned least)
{
    unsigned n = 0;
    do {
        bytes[n] = (uint8_t)(value & 0x7f);
        value >>= 7;
        bytes[n] |= value != 0 || n + 1 < least ? 0x80 : 0;
        n++;
    } while (value != 0 || n < least);
    return n;
}

/* Bits are numbered from the least significant bit of the first byte on. */
struct assay_bits {
    const uint8_t *data; /* borrowed */
    uint64_t size;       /* in bits */
    uint64_t at;         /* next bit, 0..size */
    bool overrun;
};

static inline struct assay_bits assay_bits_of(const void *data, size_t bytes)
{
    return (struct assay_bits){.data = data, .size = (uint64_t)bytes * 8};
}

static inline uint64_t assay_bits_left(const struct assay_bits *c)
{
    return c->size - c->at;
}

/* The next n bits as an unsigned number, 0 <= n <= 64. */
static inline uint64_t assay_bits_take(struct assay_bits *c, unsigned n)
{
    if (n > 64 || n > c->size - c->at) {
        c->overrun = true;
        c->at = c->size;
        return 0;
    }
    uint64_t value = 0;
    unsigned done = 0;
    while (done < n) {
        const unsigned shift = (unsigned)(c->at & 7);
        const unsigned here = n - done < 8 - shift ? n - done : 8 - shift;
        const uint64_t byte = c->data[c->at >> 3];
        value |= ((byte >> shift) & assay_mask(here)) << done;
        done += here;
        c->at += here;
    }
    return value;
}

#endif
