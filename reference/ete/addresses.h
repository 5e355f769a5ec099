/* The address history buffer (K10.5.2.1, K10.5.6.3.10): the last addresses of a stream, from which
 * those of packets are completed. The decoder and the writer follow it alike. */
#ifndef ASSAY_ETE_ADDRESSES_H
#define ASSAY_ETE_ADDRESSES_H

#include "ete/ete.h"

struct ete_address {
    uint64_t value;
    bool is1; /* of sub-ISA IS1, T32 */
};

struct ete_addresses {
    struct ete_address entry[ETE_HISTORY]; /* from the last one on; at first, and after a Trace
                                              Info, 0 and IS0 */
};

/* The address of a packet with a form and these cells (K10.5.2.14.2 to K10.5.2.14.7). The history
 * stays as it is. */
struct ete_address ete_address_complete(const struct ete_addresses *history,
                                        const struct ete_form *form, const uint64_t *cells);

/* The reverse: sets the cells by which a packet with a form gives an address, a short one in `size`
 * bytes. False where no such packet gives this address. */
bool ete_address_encode(const struct ete_addresses *history, const struct ete_form *form,
                        struct ete_address address, unsigned size, uint64_t *cells);

/* Whether the form has a short address, of one or two bytes. */
bool ete_address_is_short(const struct ete_form *form);

/* An address enters the history, and the oldest one leaves it. Values are moved one by one, as they
 * were written: what was just written in parts cannot be read as a whole at once. */
static inline void ete_addresses_add(struct ete_addresses *history, struct ete_address address)
{
    for (unsigned i = ETE_HISTORY - 1; i > 0; i--) {
        history->entry[i].value = history->entry[i - 1].value;
        history->entry[i].is1 = history->entry[i - 1].is1;
    }
    history->entry[0].value = address.value;
    history->entry[0].is1 = address.is1;
}

#endif
