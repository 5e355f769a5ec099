/* Where the packed fields of a packet are in its bytes: the parts of its form once more, for those
 * who show packets. The bytes and cells need not belong together. */
#include "ete/continued.h"
#include "ete/ete.h"

/* Pieces so far, and the bit of the packet that comes next. */
struct pieces {
    const struct assay_event *event;
    struct assay_bit_piece *list;
    size_t count, room;
    uint64_t at;
    unsigned vmid_bits;
};

/* The field that is in a cell: a packed one, or the surplus bits. */
static const struct assay_field *field_in(const struct pieces *p, unsigned cell)
{
    const struct assay_kind *kind = &assay_format_ete.kinds[p->event->kind];
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        const bool is_excess = cell == ASSAY_CELL_EXCESS && field->place == ASSAY_DERIVED;
        if ((field->place == ASSAY_PACKED || is_excess) && field->bit / 64 == cell) {
            return field;
        }
    }
    return NULL;
}

/* The next bits, which are those of the value in a cell from bit `to` on. */
static void add(struct pieces *p, unsigned cell, unsigned to, unsigned width)
{
    const struct assay_field *field = field_in(p, cell);
    if (field != NULL && p->count < p->room && p->at + width <= p->event->bits) {
        p->list[p->count++] = (struct assay_bit_piece){
            .field = field, .bit = (uint32_t)p->at, .width = width, .to = (uint8_t)to};
    }
    p->at += width;
}

/* In each byte bits of the value, and then one of the size: whether another byte follows. The last
 * byte that there can be has eight of the value, of which some can be beyond it. */
static void add_continued(struct pieces *p, const struct ete_part *part,
                          const struct ete_group *group)
{
    const unsigned cell = group->first + part->cell;
    const unsigned size = group->first + part->size;
    const unsigned most = ete_most_bytes(part->width);
    const unsigned last = part->width - ete_bits_before_last(part->width);
    for (unsigned i = 0; i < most && i < p->event->cells[size]; i++) {
        const unsigned to = part->to + i * ETE_GROUP;
        if (i + 1 < most) {
            add(p, cell, to, ETE_GROUP);
            add(p, size, 0, 1);
        } else {
            add(p, cell, to, last < ETE_BYTE ? last : ETE_BYTE);
            if (last < ETE_BYTE) {
                add(p, ASSAY_CELL_EXCESS, last, ETE_BYTE - last);
            }
        }
    }
}

static void add_form(struct pieces *p, const struct ete_form *form)
{
    for (unsigned g = 0; g < ETE_GROUPS && form->groups[g].parts != NULL; g++) {
        const struct ete_group *group = &form->groups[g];
        for (const struct ete_part *part = group->parts; part->coding != ETE_PARTS_END; part++) {
            const unsigned cell = group->first + part->cell;
            if ((p->event->cells[ASSAY_CELL_PRESENCE] & ete_presence(cell)) == 0) {
                continue;
            }
            if (part->coding != ETE_CONTINUED) {
                add(p, cell, part->to, ete_plain_bits(part, p->vmid_bits));
            } else {
                add_continued(p, part, group);
            }
        }
    }
}

size_t ete_pieces(const struct assay_event *event, const struct assay_parameter_values *parameters,
                  struct assay_bit_piece *list, size_t room)
{
    enum { ADDRESS_HEADER = 2 };
    struct pieces p = {
        .event = event, .list = list, .room = room, .vmid_bits = ete_vmid_bits(parameters)};
    const uint64_t constant = ETE_BYTE * ete_constant_bytes((enum ete_kind)event->kind);
    if (assay_format_ete.kinds[event->kind].layer != ETE_PACKET || event->bits < ETE_BYTE ||
        event->bits < constant) {
        return 0;
    }
    const struct ete_form *form = ete_form_of(event->bytes[0]);
    if (form->kind != event->kind || event->kind == ETE_malformed) {
        return 0;
    }
    if (event->kind == ETE_cycle_count_1) {
        const uint64_t commit = ete_presence(ETE_CELL_cycle_count_1_commit);
        form = ete_cycle_count_form(event->bytes[0],
                                    (event->cells[ASSAY_CELL_PRESENCE] & commit) == 0);
    }
    p.at = constant;
    add_form(&p, form);
    if (event->kind == ETE_exception) {
        add_form(&p, ete_address_form_of(event->bytes[ADDRESS_HEADER]));
    }
    return p.count;
}
