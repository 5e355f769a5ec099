#include "stf/transaction.h"

/* An element of metadata is the number of its type, and a value of 1, 2, 4 or 8 bytes. */
enum { TYPE = 1, TYPES = 4 };

/* Bytes of metadata that are looked through. With them the length of any transaction follows from
 * what a reader may look ahead. */
enum { METADATA_MOST = 190000 };
_Static_assert(1 + STF_BYTES_transaction + METADATA_MOST + STF_SHOWN + 64 < (1 << 18), "one look");

/* The place of the protocol's data after the metadata; 0 when more bytes are needed. */
static uint64_t metadata_end(const uint8_t *data, size_t have, enum stf_fault *fault)
{
    uint64_t at = STF_BYTES_transaction;
    for (uint64_t left = stf_get(data, transaction, metadata); left > 0; left--) {
        if (at >= have) {
            return 0;
        }
        if (data[at] >= TYPES || at >= STF_BYTES_transaction + METADATA_MOST) {
            *fault = data[at] >= TYPES ? STF_FAULT_UNKNOWN_LENGTH : STF_FAULT_LONG_METADATA;
            return 0;
        }
        at += TYPE + (UINT64_C(1) << data[at]);
    }
    return at;
}

/* Bytes of a message of TileLink from the number of its channel on; 0 when more are needed. */
static uint64_t tilelink_length(const uint8_t *data, size_t have, enum stf_fault *fault)
{
    enum { A = 1, B = 2, C = 3, D = 4, E = 5, CODES = 3, SOURCE = 8, COUNT = 2, ADDRESS = 8 };
    const uint64_t head = 1 + CODES + SOURCE + COUNT;
    if (have < 1) {
        return 0;
    }
    if (data[0] == E) {
        return 1 + 8;
    }
    if (data[0] < A || data[0] > E) {
        *fault = STF_FAULT_UNKNOWN_LENGTH;
        return 0;
    }
    if (have < head) {
        return 0;
    }
    const uint64_t length = head + assay_load16(data + 1 + CODES + SOURCE) + ADDRESS;
    if (data[0] == C || data[0] == D) {
        return length;
    }
    return have < length + COUNT ? 0 : length + COUNT + (assay_load16(data + length) + 7u) / 8;
}

uint64_t stf_transaction_length(const uint8_t *data, size_t have, enum stf_fault *fault)
{
    const uint64_t at = metadata_end(data, have, fault);
    if (at == 0 || at >= have) {
        return 0;
    }
    const uint64_t message = tilelink_length(data + at, have - (size_t)at, fault);
    return message > 0 ? at + message : 0;
}

unsigned stf_transaction_channel(const uint8_t *data, size_t size)
{
    enum stf_fault fault = STF_NO_FAULT;
    const uint64_t at = metadata_end(data, size, &fault);
    return at > 0 && at < size ? data[at] : 0;
}
