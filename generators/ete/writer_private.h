/* What the parts of the writer share: writer.c keeps elements and state, and chooses one of the
 * packets that candidate_packets.c offers. */
#ifndef ASSAY_GENERATORS_ETE_WRITER_PRIVATE_H
#define ASSAY_GENERATORS_ETE_WRITER_PRIVATE_H

#include "ete/addresses.h"
#include "generators/ete/writer.h"

enum {
    /* Of one packet, at the most: atoms. Others have up to four elements. */
    ETE_WRITER_ELEMENTS = ETE_ATOMS_MOST,
    ETE_WRITER_WINDOW = 8 * ETE_WRITER_ELEMENTS
};

/* A packet that says the next elements. */
struct ete_packet {
    uint8_t bytes[ETE_PACKET_MOST + 8]; /* the constant part of its kind, then all of it */
    uint64_t cells[ETE_CELLS];
    const struct ete_form *form;
    const struct ete_form *address; /* of an Exception packet; otherwise null */
    size_t size;
    unsigned elements;
};

struct ete_writer {
    struct ete_writer_setup setup;
    bool commit_mode; /* TRCIDR0.COMMOPT */

    /* What the decoder knows before the next packet. */
    struct ete_addresses addresses;
    struct ete_element context;
    uint64_t timestamp, threshold;
    bool transactional;

    /* The elements that are not written yet, from `first` on. */
    struct ete_element window[ETE_WRITER_WINDOW];
    unsigned first, count;

    /* The packet that was chosen of those that were offered. */
    struct ete_packet chosen;
    unsigned offered;
};

/* The n-th of the next elements; null where they end. */
static inline const struct ete_element *ete_next_element(const struct ete_writer *w, unsigned n)
{
    return n < w->count ? &w->window[w->first + n] : NULL;
}

/* Offers all packets that say the next element, or several of the next ones (ete_offer). */
void ete_offer_packets(struct ete_writer *w);

/* Offers a packet, whose constant bytes, cells and number of elements are given. One that has no
 * room for a value is none. */
void ete_offer(struct ete_writer *w, struct ete_packet *packet);

#endif
