/* The patterns of Atom packets (K10.5.2.10). Atoms are numbered from the oldest; a bit that is set
 * is an E. */
#include "ete/ete.h"

enum { A_2 = 0x3, A_3 = 0x7, COUNT_6 = 0x1f, A_6 = 0x20 };

unsigned ete_atoms(enum ete_kind kind, uint8_t header, uint32_t *taken)
{
    static const uint8_t format_4[] = {0xe, 0x0, 0xa, 0x5};    /* NEEE NNNN NENE ENEN */
    static const uint8_t format_5_2[] = {0, 0x00, 0x0a, 0x15}; /* NNNNN NENEN ENENE */
    const unsigned count = (header & COUNT_6) + 4u;            /* of format 6 */
    switch (kind) {
    case ETE_atom_1:
        *taken = header & 1;
        return 1;
    case ETE_atom_2:
        *taken = header & A_2;
        return 2;
    case ETE_atom_3:
        *taken = header & A_3;
        return 3;
    case ETE_atom_4:
        *taken = format_4[header & A_2];
        return 4;
    case ETE_atom_5_1:
        *taken = 0x1e; /* NEEEE */
        return 5;
    case ETE_atom_5_2:
        *taken = format_5_2[header & A_2];
        return 5;
    default:
        *taken = (uint32_t)assay_mask(count) >> ((header & A_6) != 0);
        return count;
    }
}

unsigned ete_atoms_before(unsigned a, uint32_t *taken)
{
    static const uint8_t counts[] = {0, 1, 2, 1};
    static const uint8_t patterns[] = {0, 1, 3, 0};
    *taken = patterns[a & 3];
    return counts[a & 3];
}
