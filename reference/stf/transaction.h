/* A transaction from the number of its elements of metadata on: these, and the message of a
 * TileLink channel (TransactionRecord; STF Transaction Protocols). */
#ifndef ASSAY_STF_TRANSACTION_H
#define ASSAY_STF_TRANSACTION_H

#include "stf/stf.h"

/* Bytes of the record after its descriptor, of which `have` are there, at least those of fixed
 * layout. 0 when more of them are needed; or *fault says that the length cannot be known, because
 * an element or the channel is of a type that is not listed. */
uint64_t stf_transaction_length(const uint8_t *data, size_t have, enum stf_fault *fault);

/* The channel of a transaction whose length is known; 0 when it is not in the first `size` bytes.
 */
unsigned stf_transaction_channel(const uint8_t *data, size_t size);

#endif
