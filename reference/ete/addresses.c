#include "ete/addresses.h"

/* The bits of an address that a packet has, by the parts of its form; cell 0 of the group. */
static uint64_t encoded_bits(const struct ete_form *form, unsigned size)
{
    const struct ete_part *part = form->groups[0].parts;
    uint64_t bits = 0;
    if (part->coding == ETE_CONTINUED) {
        return assay_mask(size > 1 ? part->width : 7) << part->to;
    }
    for (; part->coding == ETE_PLAIN; part++) {
        bits |= part->cell == 0 ? assay_mask(part->width) << part->to : 0;
    }
    return bits;
}

bool ete_address_is_short(const struct ete_form *form)
{
    return form->history == 0 && form->groups[0].parts != NULL &&
           form->groups[0].parts->coding == ETE_CONTINUED;
}

/* The size of a short address is in a cell of its group. */
static unsigned size_of(const struct ete_form *form, const uint64_t *cells)
{
    return ete_address_is_short(form)
               ? (unsigned)cells[form->groups[0].first + form->groups[0].parts->size]
               : 0;
}

struct ete_address ete_address_complete(const struct ete_addresses *history,
                                        const struct ete_form *form, const uint64_t *cells)
{
    struct ete_address address = {0, form->is1};
    if (form->history > 0) {
        return history->entry[form->history - 1];
    }
    if (form->groups[0].parts != NULL) {
        /* What is above the encoded bits is that of the last address, what is below is zero. */
        const uint64_t bits = encoded_bits(form, size_of(form, cells));
        const uint64_t below = (bits & (~bits + 1)) - 1;
        address.value = history->entry[0].value & ~(bits | below);
        address.value |= cells[form->groups[0].first];
    }
    return address;
}

bool ete_address_encode(const struct ete_addresses *history, const struct ete_form *form,
                        struct ete_address address, unsigned size, uint64_t *cells)
{
    if (form->history == 0 && form->groups[0].parts != NULL) {
        const struct ete_group *group = &form->groups[0];
        cells[group->first] = address.value & encoded_bits(form, size);
        if (ete_address_is_short(form)) {
            cells[group->first + group->parts->size] = size;
        }
    }
    const struct ete_address completed = ete_address_complete(history, form, cells);
    return completed.value == address.value && completed.is1 == address.is1;
}
