/* What each of the 256 headers introduces, worked out once when a stream is opened, so that packets
 * are read many at once (packets.c). */
#ifndef ASSAY_ETE_HEADERS_H
#define ASSAY_ETE_HEADERS_H

#include "ete/ete.h"

enum { ETE_HEADERS = 256 };

/* How a packet is read where no end of the input is near. */
enum ete_reading {
    ETE_READ_CLOSELY, /* it takes a look at what follows, or is no packet */
    ETE_READ_PARTS,   /* by the parts of its form */
    ETE_READ_FIELDS,  /* a header and up to two continuable fields, always */
    ETE_READ_ALIKE /* one byte, which neither depends on the packets before nor changes what those
                  after mean: all that have this header are alike. Most packets are such */
};

enum { ETE_CELLS_FEW = 8 };

/* What a packet does to the state, and what is completed from it: what `follow` has to do. */
enum ete_following {
    ETE_FOLLOW_NOTHING,
    ETE_FOLLOW_ENTRY,     /* its address is an entry of the address history */
    ETE_FOLLOW_REGISTER,  /* its parts depend on TRCIDR0 */
    ETE_FOLLOW_TIMESTAMP, /* its bits replace those of the last timestamp */
    ETE_FOLLOW_FORM       /* by its form */
};

/* A continuable field: how wide it is, the cells of it and of its size, and its place in its cell.
 */
struct ete_field {
    uint8_t width, value, size, to;
};

/* What a header introduces. */
struct ete_header {
    _Alignas(64) struct assay_event
        model; /* an event of it, but for where it is; ETE_READ_ALIKE: all of it */
    const struct ete_form *form;
    uint8_t reading, following;
    uint8_t field_count; /* ETE_READ_FIELDS: how many, in the packet's order */
    struct ete_field fields[ETE_GROUPS];
    uint8_t address;           /* cell of the completed address, and of its sub-ISA after it */
    uint8_t bytes[8];          /* ETE_READ_ALIKE: those of the packet */
    uint64_t cells[ETE_CELLS]; /* but for what is read after the header */
};

/* Of all ETE_HEADERS; Cycle Count packets by TRCIDR0.COMMOPT. */
void ete_headers_set(struct ete_header *headers, const struct assay_parameter_values *values);

/* Where a kind keeps its completed address; 0: it has none. */
unsigned ete_address_cell(unsigned kind);

/* The cells of an Atom packet, of kind ETE_atom_1 to ETE_atom_6. */
void ete_set_atoms(uint64_t *cells, enum ete_kind kind, uint8_t header);

#endif
