/* Which container is which: names, signatures, and the library of each. */
#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "io/filter_decode.h"
#include "io/zstf_private.h"

enum assay_codec_result assay_codec_fail(struct assay_codec_fault *fault, enum assay_error error,
                                         const char *detail)
{
    fault->error = error;
    snprintf(fault->detail, sizeof fault->detail, "%s", detail);
    return ASSAY_CODEC_FAILED;
}

/* .xz format, section 2.1.1.1. */
static bool is_xz(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

/* RFC 1952, section 2.3.1: ID1 and ID2. */
static bool is_gzip(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

/* RFC 1950, section 2.2: CM, CINFO and FCHECK. */
static bool is_zlib(const uint8_t *data, size_t size)
{
    return size >= 2 && (data[0] & 15) == 8 && data[0] >> 4 <= 7 &&
           (data[0] * 256u + data[1]) % 31 == 0;
}

/* RFC 8878, sections 3.1.1 and 3.1.2: the magic of a frame or of one of the 16 skippable ones. */
static bool is_zstd(const uint8_t *data, size_t size)
{
    enum { MAGIC_BYTES = 4, KINDS = 4 };
    if (size < MAGIC_BYTES) {
        return false;
    }
    const uint32_t magic = assay_load32(data);
    return magic == 0xfd2fb528 || magic >> KINDS == 0x184d2a50 >> KINDS;
}

/* What encoders write: 2^n or 2^n + 2^(n-1), or the most that fits. */
static bool is_dictionary_size(uint32_t size)
{
    if (size == UINT32_MAX) {
        return true;
    }
    if (size < 4096) {
        return false;
    }
    const uint32_t rest = size & (size - 1); /* without the lowest bit */
    return rest == 0 || rest == (size ^ rest) << 1;
}

/* "The .lzma file format", section 1.1: properties, dictionary size, uncompressed size. The range
 * coder's first byte, after the header, is always zero. */
static bool is_lzma(const uint8_t *data, size_t size)
{
    enum { HEADER = 13, PROPERTIES = 225, SIZE_BITS = 56 };
    if (size < HEADER || data[0] >= PROPERTIES || !is_dictionary_size(assay_load32(data + 1))) {
        return false;
    }
    const uint64_t unfolded = assay_load64(data + 5);
    return (unfolded == UINT64_MAX || unfolded >> SIZE_BITS == 0) &&
           (size == HEADER || data[HEADER] == 0);
}

static const struct assay_container_kind kinds[ASSAY_CONTAINER_COUNT] = {
    [ASSAY_CONTAINER_RAW] = {.name = "raw"},
    [ASSAY_CONTAINER_XZ] = {"xz", is_xz, &assay_codec_liblzma, ASSAY_CONTAINER_XZ, NULL},
    [ASSAY_CONTAINER_LZMA] = {"lzma", is_lzma, &assay_codec_liblzma, ASSAY_CONTAINER_LZMA, NULL},
    [ASSAY_CONTAINER_ZLIB] = {"zlib", is_zlib, &assay_codec_zlib, ASSAY_CONTAINER_ZLIB, NULL},
    [ASSAY_CONTAINER_GZIP] = {"gzip", is_gzip, &assay_codec_zlib, ASSAY_CONTAINER_GZIP, NULL},
    [ASSAY_CONTAINER_ZSTD] = {"zstd", is_zstd, &assay_codec_zstd, ASSAY_CONTAINER_ZSTD, NULL},
    [ASSAY_CONTAINER_ZSTF] = {"zstf", assay_zstf_matches, &assay_codec_zstd, ASSAY_CONTAINER_ZSTD,
                              assay_zstf_frame},
    [ASSAY_CONTAINER_UNKNOWN] = {.name = "unknown"},
};

const struct assay_container_kind *assay_container_kind(enum assay_container container)
{
    return &kinds[(unsigned)container < ASSAY_CONTAINER_COUNT ? container
                                                              : ASSAY_CONTAINER_UNKNOWN];
}

const char *assay_container_name(enum assay_container container)
{
    return assay_container_kind(container)->name;
}

enum assay_container assay_container_by_name(const char *name, unsigned set)
{
    unsigned container = 0;
    while (container < ASSAY_CONTAINER_UNKNOWN &&
           ((set >> container & 1) == 0 || strcmp(kinds[container].name, name) != 0)) {
        container++;
    }
    return (enum assay_container)container;
}

bool assay_container_matches(enum assay_container container, const uint8_t *data, size_t size)
{
    const struct assay_container_kind *kind = assay_container_kind(container);
    return kind->matches != NULL && kind->matches(data, size);
}

enum assay_container assay_container_probe(struct assay_source *source)
{
    static const enum assay_container order[] = {ASSAY_CONTAINER_XZ,   ASSAY_CONTAINER_ZSTD,
                                                 ASSAY_CONTAINER_ZSTF, ASSAY_CONTAINER_GZIP,
                                                 ASSAY_CONTAINER_ZLIB, ASSAY_CONTAINER_LZMA};
    const uint8_t *data;
    size_t have;
    (void)assay_source_peek(source, ASSAY_SIGNATURE_MAX, &data, &have);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (assay_container_matches(order[i], data, have)) {
            return order[i];
        }
    }
    return ASSAY_CONTAINER_UNKNOWN;
}
