/* The derived values of data packets (chapter 7). There is one history a size, of accesses of all
 * types (10.1); loads and atomic accesses share the indexes of their requests (4.4). */
#include "etrace/packets/data.h"

#include <string.h>

#include "common/bytes.h"

enum { WORD_BITS = 64, WORD_LOG = 3, ATOMIC_LOG = 2, CSR_LSBS = 6 };

/* How a kind says it. Cells; 0: the kind has none. */
struct shape {
    uint8_t size, bytes, format, index, diff, resp;
    uint8_t address, delta, delta_excess, shift, shifted_signed, location, location_known;
    uint8_t data_len, data, words, value, value_known; /* words: cells of data, and of value */
    uint8_t first_address, first_data, data_excess;
    uint8_t pending, outstanding, requested;
    uint8_t no_address, no_data;
    uint8_t op_len, operand, operand_value;
    bool atomic;
};

#define CELL(kind, name) .name = ETRACE_CELL_##kind##_##name
#define LOCATED(kind)    CELL(kind, bytes), CELL(kind, location), CELL(kind, location_known)
#define ADDRESSED(kind)                                                                            \
    CELL(kind, address), CELL(kind, delta), CELL(kind, delta_excess), CELL(kind, shift),           \
        CELL(kind, shifted_signed), CELL(kind, first_address)
#define VALUED(kind)                                                                               \
    CELL(kind, data), CELL(kind, data_excess), CELL(kind, value), CELL(kind, value_known),         \
        CELL(kind, first_data)
#define INDEXED(kind) CELL(kind, index), CELL(kind, pending), CELL(kind, outstanding)
#define OPERAND(kind) CELL(kind, op_len), CELL(kind, operand), CELL(kind, operand_value)

static const struct shape shapes[ETRACE_PACKET_KINDS_END] = {
    [ETRACE_data_access] = {CELL(data_access, size), CELL(data_access, format),
                            CELL(data_access, diff), CELL(data_access, data_len),
                            LOCATED(data_access), ADDRESSED(data_access), VALUED(data_access),
                            .words = ETRACE_DATA_WORDS, CELL(data_access, no_address),
                            CELL(data_access, no_data)},
    [ETRACE_load_request] = {CELL(load_request, size), CELL(load_request, format),
                             CELL(load_request, diff), LOCATED(load_request),
                             ADDRESSED(load_request), INDEXED(load_request)},
    [ETRACE_load_response] = {CELL(load_response, size), CELL(load_response, resp),
                              LOCATED(load_response), VALUED(load_response),
                              .words = ETRACE_DATA_WORDS, INDEXED(load_response),
                              CELL(load_response, requested)},
    [ETRACE_csr] = {CELL(csr, bytes), CELL(csr, diff), CELL(csr, data_len), VALUED(csr), .words = 1,
                    CELL(csr, first_address), CELL(csr, no_data), OPERAND(csr)},
    [ETRACE_atomic] = {CELL(atomic, size), CELL(atomic, diff), CELL(atomic, data_len),
                       LOCATED(atomic), ADDRESSED(atomic), VALUED(atomic), .words = 1,
                       CELL(atomic, no_address), CELL(atomic, no_data), OPERAND(atomic),
                       .atomic = true},
    [ETRACE_atomic_request] = {CELL(atomic_request, size), CELL(atomic_request, diff),
                               LOCATED(atomic_request), ADDRESSED(atomic_request),
                               INDEXED(atomic_request), OPERAND(atomic_request), .atomic = true},
    [ETRACE_atomic_response] = {CELL(atomic_response, resp), CELL(atomic_response, data_len),
                                LOCATED(atomic_response), VALUED(atomic_response), .words = 1,
                                INDEXED(atomic_response), .atomic = true},
};

/* An access, as its packet and the options say it. */
struct access {
    const struct shape *shape;
    unsigned size; /* logarithm of its bytes */
    bool has_data, has_address;
    bool aligned;
    unsigned bits; /* that were sent of the data */
};

/* --- what is known --- */

void etrace_data_open(struct etrace_data *data)
{
    memset(data, 0, sizeof *data);
}

void etrace_data_lose(struct etrace_data *data)
{
    etrace_data_open(data);
    data->begun = true;
}

uint64_t etrace_data_atomic_size(const struct etrace_data *data, uint64_t index, uint64_t otherwise)
{
    const struct etrace_request *request = &data->request[index % ETRACE_DATA_INDEXES];
    return request->pending == ETRACE_PENDING_ATOMIC ? request->size : otherwise;
}

/* Where a stream begins with a support packet, tracing begins there, and nothing is pending. */
static void begin(struct etrace_data *data, enum etrace_kind kind)
{
    for (size_t i = 0; i < ETRACE_DATA_INDEXES && kind == ETRACE_support; i++) {
        data->request[i].pending = ETRACE_PENDING_NONE;
    }
    data->begun = true;
}

static void synchronise(struct etrace_data *data)
{
    for (size_t i = 0; i < ETRACE_DATA_SIZES; i++) {
        data->of_size[i].address_sent = data->of_size[i].data_sent = false;
    }
    data->of_csrs.address_sent = false;
    data->synchronised = true;
}

/* Packets were lost; version 2.0 says it of data trace by itself (6.5). */
static bool says_lost(const uint64_t *layout, const uint64_t *cells)
{
    return layout[ETRACE_WIRE] >= ETRACE_2_0
               ? cells[ETRACE_CELL_support_dloss] != 0
               : cells[ETRACE_CELL_support_qual_status] == ETRACE_TRACE_LOST;
}

/* The bits of a number of 64 bits with a sign that the difference of two numbers of some bits,
 * which has one more, does not have; 0 where they repeat its sign. So it is with such a number
 * itself, with or without a sign. */
static uint64_t excess_of(uint64_t value, unsigned bits)
{
    const bool is_difference =
        bits >= WORD_BITS - 1 || (value + (UINT64_C(1) << bits)) >> (bits + 1) == 0;
    return is_difference ? 0 : value & ~assay_mask(bits);
}

/* --- addresses --- */

/* Notes an address, and whether it is the first one since a synchronisation. */
static void locate(struct etrace_data *data, struct etrace_last *last, const struct shape *shape,
                   uint64_t *cells)
{
    cells[shape->first_address] = data->synchronised && !last->address_sent;
    last->address_sent = true;
}

static uint64_t shifted_signed(uint64_t value, unsigned shift, uint64_t mask)
{
    const uint64_t sign = mask ^ mask >> 1;
    const uint64_t fill = (value & sign) != 0 ? mask ^ mask >> shift : 0;
    return value >> shift | fill;
}

static void follow_address(struct etrace_data *data, const struct access *a, const uint64_t *layout,
                           uint64_t *cells)
{
    const struct shape *shape = a->shape;
    const uint64_t mask = assay_mask((unsigned)layout[ETRACE_DATA_ADDRESS_N]);
    const unsigned shift = a->aligned ? a->size : 0;
    struct etrace_last *last = &data->of_size[a->size];
    locate(data, last, shape, cells);
    cells[shape->shift] = shift;
    if (cells[shape->diff] == ETRACE_DIFF_FULL) {
        last->location = cells[shape->address] << shift & mask;
        last->location_known = true;
    } else if (last->location_known) {
        const uint64_t units = (last->location >> shift) + cells[shape->delta];
        last->location = units << shift & mask;
    }
    if (cells[shape->diff] != ETRACE_DIFF_FULL) {
        cells[shape->delta_excess] =
            excess_of(cells[shape->delta], (unsigned)layout[ETRACE_DATA_ADDRESS_N] - shift);
    }
    cells[shape->location_known] = last->location_known;
    cells[shape->location] = last->location_known ? last->location : 0;
    cells[shape->shifted_signed] = shifted_signed(cells[shape->location], shift, mask);
}

/* A packet without data can have the difference to the number of the CSR before (table 7.13). */
static void follow_csr(struct etrace_data *data, const uint64_t *layout, uint64_t *cells)
{
    struct etrace_last *last = &data->of_csrs;
    const bool full =
        layout[ETRACE_OMIT_DATA] == 0 || cells[ETRACE_CELL_csr_diff] == ETRACE_DIFF_FULL;
    const uint64_t sent =
        cells[ETRACE_CELL_csr_addr_msbs] << CSR_LSBS | cells[ETRACE_CELL_csr_addr_lsbs];
    if (layout[ETRACE_OMIT_DATA] != 0) {
        locate(data, last, &shapes[ETRACE_csr], cells);
    }
    last->address_sent = true;
    last->location_known = last->location_known || full;
    last->location = (full ? sent : last->location + sent) & assay_mask(ETRACE_CSR_BITS);
    cells[ETRACE_CELL_csr_number_known] = last->location_known;
    cells[ETRACE_CELL_csr_number] = last->location_known ? last->location : 0;
}

/* --- data --- */

enum coding { NONE, FULL, XOR, DIFFERENCE, RESERVED };

/* Code 1 is exclusive or, except where the encoder has one compression only, and it is the other.
 */
static enum coding compressed(const uint64_t *layout)
{
    return layout[ETRACE_DATA_COMPRESSION] == ETRACE_BY_DIFFERENCE ? DIFFERENCE : XOR;
}

static enum coding coding_of(const struct access *a, const uint64_t *layout, const uint64_t *cells)
{
    const struct shape *shape = a->shape;
    const bool with_address = a->has_address && shape->address != 0;
    if (shape->resp != 0) {
        const enum coding codings[] = {NONE, compressed(layout), FULL, DIFFERENCE};
        return codings[cells[shape->resp] & 3];
    }
    const enum coding codings[] = {FULL, compressed(layout), with_address ? FULL : RESERVED,
                                   DIFFERENCE};
    return codings[cells[shape->diff] & 3];
}

/* Bytes that were left out repeat the last bit of those that were sent (data_len). */
static void extend(uint64_t words[ETRACE_DATA_WORDS], unsigned bits)
{
    const unsigned last = (bits - 1) / WORD_BITS;
    const unsigned in_last = bits - last * WORD_BITS;
    const bool sign = (words[last] >> (in_last - 1) & 1) != 0;
    words[last] = (words[last] & assay_mask(in_last)) | (sign ? ~assay_mask(in_last) : 0);
    for (unsigned i = last + 1; i < ETRACE_DATA_WORDS; i++) {
        words[i] = sign ? UINT64_MAX : 0;
    }
}

static void cut(uint64_t words[ETRACE_DATA_WORDS], unsigned bits)
{
    for (unsigned i = 0; i < ETRACE_DATA_WORDS; i++) {
        const unsigned before = i * WORD_BITS;
        words[i] &= bits <= before ? 0 : assay_mask(bits - before < 64 ? bits - before : 64);
    }
}

static void combine(uint64_t words[ETRACE_DATA_WORDS], const uint64_t base[ETRACE_DATA_WORDS],
                    enum coding coding)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < ETRACE_DATA_WORDS; i++) {
        if (coding == XOR) {
            words[i] ^= base[i];
        } else {
            const uint64_t sum = words[i] + base[i];
            const uint64_t next = sum < base[i] || (sum == UINT64_MAX && carry != 0);
            words[i] = sum + carry;
            carry = next;
        }
    }
}

static void follow_data(struct etrace_data *data, const struct access *a, const uint64_t *layout,
                        uint64_t *cells)
{
    const struct shape *shape = a->shape;
    const enum coding coding = coding_of(a, layout, cells);
    struct etrace_last *last = &data->of_size[a->size];
    uint64_t words[ETRACE_DATA_WORDS] = {0};
    if (coding == NONE) {
        return;
    }
    cells[shape->first_data] = data->synchronised && !last->data_sent;
    last->data_sent = true;
    const bool fits = a->bits > 0 && 1u << a->size <= 8u * shape->words;
    const unsigned size = fits ? 8u << a->size : 0;
    last->value_known = fits && coding != RESERVED && (coding == FULL || last->value_known);
    if (!last->value_known) {
        return;
    }
    memcpy(words, &cells[shape->data], shape->words * sizeof *words);
    extend(words, a->bits);
    cells[shape->data_excess] = excess_of(words[0], size);
    extend(words, a->bits < size ? a->bits : size);
    if (coding != FULL) {
        combine(words, last->value, coding);
    }
    cut(words, size);
    memcpy(last->value, words, sizeof words);
    memcpy(&cells[shape->value], words, shape->words * sizeof *words);
    cells[shape->value_known] = true;
}

/* The value of an operand is not compressed. */
static void follow_operand(const struct shape *shape, uint64_t *cells)
{
    uint64_t words[ETRACE_DATA_WORDS] = {cells[shape->operand]};
    const uint64_t bits = 8 * (cells[shape->op_len] + 1);
    extend(words, bits < WORD_BITS ? (unsigned)bits : WORD_BITS);
    cells[shape->operand_value] = words[0];
}

/* --- requests and responses --- */

static void follow_request(struct etrace_data *data, const struct access *a, uint64_t *cells)
{
    const struct shape *shape = a->shape;
    struct etrace_request *request = &data->request[cells[shape->index] % ETRACE_DATA_INDEXES];
    cells[shape->pending] = request->pending;
    data->outstanding += request->pending <= ETRACE_PENDING_NONE;
    cells[shape->outstanding] = data->outstanding;
    *request = (struct etrace_request){.location = cells[shape->location],
                                       .location_known = cells[shape->location_known] != 0,
                                       .pending = shape->atomic ? ETRACE_PENDING_ATOMIC
                                                                : ETRACE_PENDING_LOAD,
                                       .size = (uint8_t)a->size};
}

static void follow_response(struct etrace_data *data, const struct shape *shape, uint64_t *cells)
{
    struct etrace_request *request = &data->request[cells[shape->index] % ETRACE_DATA_INDEXES];
    const unsigned due = shape->atomic ? ETRACE_PENDING_ATOMIC : ETRACE_PENDING_LOAD;
    cells[shape->pending] = request->pending;
    if (request->pending == due) {
        cells[shape->location] = request->location;
        cells[shape->location_known] = request->location_known;
        if (shape->requested != 0) {
            cells[shape->requested] = UINT64_C(1) << request->size;
        }
    }
    data->outstanding -= request->pending > ETRACE_PENDING_NONE;
    cells[shape->outstanding] = data->outstanding;
    *request = (struct etrace_request){.pending = ETRACE_PENDING_NONE};
}

/* --- packets --- */

/* Logarithm of the bytes of an access. */
static uint64_t size_of(const struct shape *shape, const uint64_t *layout, const uint64_t *cells)
{
    if (shape->size == 0) {
        return shape->atomic ? layout[ETRACE_ATOMIC_SIZE] : layout[ETRACE_CSR_LENGTH_N];
    }
    const bool less_2 = shape->atomic && layout[ETRACE_WIRE] < ETRACE_2_0;
    return cells[shape->size] + (less_2 ? ATOMIC_LOG : 0);
}

static struct access access_of(const struct shape *shape, const uint64_t *layout,
                               const uint64_t *cells)
{
    const bool omits_address = shape->no_address != 0 && layout[ETRACE_OMIT_ADDRESS] != 0;
    const bool omits_data = shape->no_data != 0 && layout[ETRACE_OMIT_DATA] != 0;
    const bool counted = shape->data_len != 0 && !omits_address;
    const uint64_t bits = counted ? 8 * (cells[shape->data_len] + 1) : layout[ETRACE_DATA_WIDTH];
    const unsigned most = WORD_BITS * shape->words;
    return (struct access){.shape = shape,
                           .size = (unsigned)size_of(shape, layout, cells) % ETRACE_DATA_SIZES,
                           .has_address = !omits_address,
                           .has_data = shape->data != 0 && !omits_data,
                           .aligned = shape->format == 0 ||
                                      (cells[shape->format] & ETRACE_FORMAT_UNALIGNED) == 0,
                           .bits = bits < most ? (unsigned)bits : most};
}

static void follow_access(struct etrace_data *data, enum etrace_kind kind, const uint64_t *layout,
                          uint64_t *cells)
{
    const struct shape *shape = &shapes[kind];
    const struct access a = access_of(shape, layout, cells);
    cells[shape->bytes] = UINT64_C(1) << a.size;
    if (shape->no_address != 0) {
        cells[shape->no_address] = layout[ETRACE_OMIT_ADDRESS];
    }
    if (shape->no_data != 0) {
        cells[shape->no_data] = layout[ETRACE_OMIT_DATA];
    }
    if (kind == ETRACE_csr) {
        follow_csr(data, layout, cells);
    } else if (shape->address != 0 && a.has_address) {
        follow_address(data, &a, layout, cells);
    }
    if (a.has_data) {
        follow_data(data, &a, layout, cells);
    }
    if (shape->operand != 0) {
        follow_operand(shape, cells);
    }
    if (kind == ETRACE_load_request || kind == ETRACE_atomic_request) {
        follow_request(data, &a, cells);
    } else if (shape->pending != 0) {
        follow_response(data, shape, cells);
    }
}

void etrace_data_follow(struct etrace_data *data, enum etrace_kind kind, const uint64_t *layout,
                        uint64_t *cells)
{
    if (!data->begun) {
        begin(data, kind);
    }
    if (kind == ETRACE_start || kind == ETRACE_exception) {
        synchronise(data);
    } else if (kind == ETRACE_support && says_lost(layout, cells)) {
        etrace_data_lose(data);
    } else if (etrace_is_data(kind)) {
        follow_access(data, kind, layout, cells);
    }
}
