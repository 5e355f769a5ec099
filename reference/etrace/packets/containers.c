/* Containers: what transports a payload, and says how long it is: chapter 6, figure 6.1, of the
 * draft, and "Unformatted Trace & Diagnostic Data Packet Encapsulation for RISC-V". A packet's
 * header is read and written here; its fields are those of ETRACE_HEAD. */
#include <string.h>

#include "common/bytes.h"
#include "etrace/etrace.h"
#include "model/framing.h"

enum { LENGTH_BITS = 5, SECOND_BIT = 5, SECOND_BITS = 2, STAMP_BIT = 7 };

/* Of zero bytes between packets: payloads are shorter, whatever lengths a container has room for.
 */
enum { SHORTEST_RUN = 1 << LENGTH_BITS };

/* What of it the containers have. */
struct shape {
    bool typed;        /* bits 6:5 of the first byte are the type; or else where it is routed to */
    bool stamped;      /* bit 7 says whether a timestamp follows */
    bool source;       /* the source follows the first byte */
    bool whole_length; /* the first byte is nothing but the length */
    bool packed; /* what follows the first byte is packed in bits, the type before the payload */
};

static const struct shape shapes[ASSAY_FRAMING_COUNT] = {
    [ASSAY_FRAMING_BYTE_HEADER] = {.typed = true},
    [ASSAY_FRAMING_ULTRASOC] = {.stamped = true, .source = true},
    [ASSAY_FRAMING_ATB] = {.stamped = true},
    [ASSAY_FRAMING_ENCAPSULATION] = {.stamped = true, .source = true, .packed = true},
    [ASSAY_FRAMING_LENGTH_PREFIXED] = {.whole_length = true},
};

void etrace_container(struct etrace_container *container, unsigned framing,
                      const uint64_t layout[ETRACE_PARAMETER_COUNT])
{
    const unsigned meant = framing == ASSAY_FRAMING_RAW ? ASSAY_FRAMING_BYTE_HEADER : framing;
    const struct shape *shape = &shapes[meant];
    *container = (struct etrace_container){
        .framing = meant,
        .source_bits = shape->source ? (unsigned)layout[ETRACE_SOURCE_WIDTH] : 0,
        .stamp_bytes = shape->stamped ? (unsigned)layout[ETRACE_TIMESTAMP_SIZE] : 0,
        .type_bits = shape->packed ? (unsigned)layout[ETRACE_TYPE_WIDTH] : 0,
        .of_data = layout[ETRACE_MESSAGE_TYPE] == ETRACE_TYPE_DATA,
        .types = {shape->typed ? ETRACE_TYPE_INSTRUCTION : layout[ETRACE_INSTRUCTION_TYPE],
                  shape->typed ? ETRACE_TYPE_DATA : layout[ETRACE_DATA_TYPE]},
        .encapsulated = (unsigned)layout[ETRACE_ENCAPSULATED],
        .padding_runs = layout[ETRACE_PADDING_RUNS] != 0,
        .padding_block =
            layout[ETRACE_PADDING_BLOCK] != 0 ? 1u << layout[ETRACE_PADDING_BLOCK] : 0};
    if (!shape->packed) {
        container->source_bits = (container->source_bits + 7) / 8 * 8;
    }
}

/* Bits of the source and of the type that the length counts (packet length). */
static unsigned counted_bits(const struct etrace_container *container)
{
    return container->source_bits % 8 + container->type_bits;
}

/* The bytes of the header, which end before the first one that the length counts. */
static size_t header_size(const struct etrace_container *container, bool stamped)
{
    return 1 + container->source_bits / 8 + (stamped ? container->stamp_bytes : 0);
}

size_t etrace_padding(const struct etrace_container *container, uint64_t offset,
                      const uint8_t *data, size_t have)
{
    const size_t block = container->padding_block;
    const size_t left = block > 0 ? block - (size_t)(offset % block) : 0;
    size_t zeros = 0;
    while (zeros < have && zeros < ETRACE_PADDING_MOST && data[zeros] == 0) {
        zeros++;
    }
    const bool ends = zeros == have; /* more may have followed */
    if (container->padding_runs && (zeros >= SHORTEST_RUN || ends)) {
        return zeros;
    }
    if (block > 0 && (zeros >= left || ends)) {
        return zeros < left ? zeros : left;
    }
    return 0;
}

/* What remains of the bits that the length counts, and are neither source nor type. */
static size_t payload_bits(const struct etrace_header *header)
{
    return 8 * header->length > header->lead ? 8 * header->length - header->lead : 0;
}

bool etrace_header_shows_bits(const struct etrace_container *container,
                              const struct etrace_header *header)
{
    return container->encapsulated == ETRACE_ENCAPSULATED_UNKNOWN && !header->null &&
           payload_bits(header) > 0 && payload_bits(header) < 8;
}

size_t etrace_boundary(const struct etrace_container *container, const uint8_t *data, size_t have)
{
    const size_t most =
        assay_mask(LENGTH_BITS) + container->stamp_bytes + container->source_bits / 8;
    size_t nulls = 0;
    for (size_t at = 0; at < have && shapes[container->framing].packed; at++) {
        nulls = (data[at] & assay_mask(LENGTH_BITS)) == 0 ? nulls + 1 : 0;
        if (nulls == most) {
            return at + 1 > most ? at + 1 : 0; /* a stream that begins with null packets */
        }
    }
    return 0;
}

bool etrace_header_read(const struct etrace_container *container, const uint8_t *data, size_t have,
                        struct etrace_header *header)
{
    const struct shape *shape = &shapes[container->framing];
    *header = (struct etrace_header){.type = container->types[container->of_data],
                                     .of_data = container->of_data};
    if (have == 0) {
        return false;
    }
    const uint64_t second = data[0] >> SECOND_BIT & assay_mask(SECOND_BITS);
    header->length = data[0] & assay_mask(shape->whole_length ? 8 : LENGTH_BITS);
    header->type = shape->typed ? second : header->type;
    header->flow = shape->typed || shape->whole_length ? 0 : second;
    header->stamped = shape->stamped && (data[0] >> STAMP_BIT & 1) != 0;
    header->null = header->length == 0 && shape->packed;
    header->size = header->null ? 1 : header_size(container, header->stamped);
    if (have < header->size) {
        return false;
    }
    header->lead = header->null ? 0 : counted_bits(container);
    header->pad = container->encapsulated != ETRACE_ENCAPSULATED_BITS && header->lead != 0
                      ? (unsigned)(payload_bits(header) % 8)
                      : 0;
    if (header->null || have < header->size + header->length) {
        return true;
    }
    size_t at = 8;
    header->source = assay_load_bits(data, at, container->source_bits);
    at += container->source_bits;
    if (header->stamped) {
        header->timestamp = assay_load_bits(data, at, 8 * container->stamp_bytes);
        at += 8 * container->stamp_bytes;
    }
    if (container->type_bits > 0 && 8 * header->length >= header->lead) {
        header->type = assay_load_bits(data, at, container->type_bits);
    }
    header->of_data = header->type == container->types[1];
    header->reserved = !header->of_data && header->type != container->types[0];
    return true;
}

size_t etrace_payload_read(const struct etrace_header *header, const uint8_t *data,
                           uint8_t room[ETRACE_PAYLOAD_MOST], const uint8_t **payload)
{
    const size_t all = payload_bits(header);
    *payload = room;
    if (all <= header->pad) {
        return 0;
    }
    const size_t left = all - header->pad;
    if (header->lead == 0) {
        *payload = data + header->size;
        return header->length;
    }
    const size_t size = (left + 7) / 8;
    for (size_t i = 0; i < size; i++) {
        const size_t here = left - 8 * i < 8 ? left - 8 * i : 8;
        room[i] =
            (uint8_t)assay_load_bits(data, 8 * header->size + header->lead + 8 * i, (unsigned)here);
    }
    if (left % 8 != 0 && (room[size - 1] >> (left % 8 - 1) & 1) != 0) {
        room[size - 1] |= (uint8_t)(0xff << left % 8); /* as sign compression leaves it */
    }
    *payload = room;
    return size;
}

/* Bytes at the end that say no more than the bit before them. */
static size_t without_repetition(const uint8_t *bytes, size_t least, size_t size)
{
    while (size > least && size > 1 && bytes[size - 1] == (bytes[size - 2] >> 7 != 0 ? 0xff : 0)) {
        size--;
    }
    return size;
}

size_t etrace_container_write(const struct etrace_container *container,
                              const struct etrace_header *header, const uint8_t *payload,
                              size_t size, uint8_t bytes[ETRACE_CONTAINER_MOST])
{
    const struct shape *shape = &shapes[container->framing];
    const bool null = shape->packed && size == 0 && header->length == 0;
    const size_t head = null ? 1 : header_size(container, header->stamped && shape->stamped);
    const unsigned lead = counted_bits(container);
    size_t at = 8;
    memset(bytes, 0, ETRACE_CONTAINER_MOST);
    if (!null) {
        assay_store_bits(bytes, at, container->source_bits, header->source);
        at += container->source_bits;
        if (header->stamped && shape->stamped) {
            assay_store_bits(bytes, at, 8 * container->stamp_bytes, header->timestamp);
            at += 8 * container->stamp_bytes;
        }
        assay_store_bits(bytes, at, container->type_bits, header->type);
        at += container->type_bits;
    }
    for (size_t i = 0; i < size; i++) {
        assay_store_bits(bytes, at + 8 * i, 8, payload[i]);
    }
    size_t end = head + size;
    if (size > 0 && lead > 0) {
        const bool sign = payload[size - 1] >> 7 != 0;
        const size_t bits = at + 8 * size;
        assay_store_bits(bytes, bits, (unsigned)(-bits % 8), sign ? UINT64_MAX : 0);
        end = container->encapsulated == ETRACE_ENCAPSULATED_BITS
                  ? without_repetition(bytes, head + (lead + 8) / 8, (bits + 7) / 8)
                  : (bits + 7) / 8; /* which both readings read alike */
    }
    const size_t length = header->length != 0 ? header->length : end - head;
    if (length > assay_mask(shape->whole_length ? 8 : LENGTH_BITS)) {
        return 0;
    }
    bytes[0] = (uint8_t)length;
    if (!shape->whole_length) {
        const uint64_t second = shape->typed ? header->type : header->flow;
        bytes[0] |= (uint8_t)((second & assay_mask(SECOND_BITS)) << SECOND_BIT |
                              (uint64_t)(shape->stamped && header->stamped) << STAMP_BIT);
    }
    return end;
}

void etrace_header_to_cells(const struct etrace_header *header, uint64_t *cells)
{
    cells[ETRACE_TYPE_CELL] = header->type;
    cells[ETRACE_LENGTH_CELL] = header->length;
    cells[ETRACE_SOURCE_CELL] = header->source;
    cells[ETRACE_TIMESTAMP_CELL] = header->timestamp;
    cells[ETRACE_STAMPED_CELL] = header->stamped;
    cells[ETRACE_FLOW_CELL] = header->flow;
    cells[ASSAY_CELL_PRESENCE] |= assay_mask(ETRACE_HEAD_CELLS);
}

void etrace_header_of_cells(const struct etrace_container *container, enum etrace_kind kind,
                            const uint64_t *cells, struct etrace_header *header)
{
    const uint64_t type = cells[ETRACE_TYPE_CELL];
    *header =
        (struct etrace_header){.type = type != 0 ? type : container->types[etrace_is_data(kind)],
                               .source = cells[ETRACE_SOURCE_CELL],
                               .timestamp = cells[ETRACE_TIMESTAMP_CELL],
                               .stamped = cells[ETRACE_STAMPED_CELL] != 0,
                               .flow = cells[ETRACE_FLOW_CELL],
                               .length = (size_t)cells[ETRACE_LENGTH_CELL]};
}
