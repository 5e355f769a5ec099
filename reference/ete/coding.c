/* Payloads to cells and back, by the parts of the packet's form. */
#include "common/cursor.h"
#include "ete/continued.h"
#include "ete/ete.h"

/* --- continuable fields (K10.5.6.4.3) --- */

/* Adds bits to a field, from bit `at` of it on; what is beyond 64 bits makes it as great as can be.
 */
static void add_bits(uint64_t *value, unsigned at, uint64_t bits)
{
    const bool lost = bits != 0 && (at >= 64 || (at > 0 && bits >> (64 - at) != 0));
    *value = lost ? UINT64_MAX : *value | (at < 64 ? bits << at : 0);
}

/* Reads a field byte by byte; false where bytes are missing. */
static bool read_bytewise(struct assay_bytes *from, const struct ete_part *part, uint64_t *value,
                          uint64_t *size, uint64_t *excess)
{
    const unsigned last = ete_bits_before_last(part->width);
    const size_t start = from->at;
    uint64_t read = 0;
    unsigned at = 0;
    uint8_t byte = 0x80;
    while (at < last && (byte & 0x80) != 0) {
        byte = assay_bytes_u8(from);
        add_bits(&read, at, byte & 0x7f);
        at += ETE_GROUP;
    }
    if (at == last && (byte & 0x80) != 0) {
        byte = assay_bytes_u8(from);
        const unsigned valid = part->width - last;
        add_bits(&read, at, byte & assay_mask(valid < ETE_BYTE ? valid : ETE_BYTE));
        *excess |= valid < ETE_BYTE ? (uint64_t)(byte >> valid) << valid : 0;
    }
    *value = read << part->to;
    *size = from->at - start;
    return !from->overrun;
}

/* Reads a field; false where bytes are missing. One that ends within eight bytes is read at once,
 * if as many can be looked at. */
static bool read_continued(struct assay_bytes *from, const struct ete_part *part, uint64_t *value,
                           uint64_t *size, uint64_t *excess)
{
    struct ete_continued field = {0, 0, 0};
    if (assay_bytes_left(from) >= sizeof(uint64_t)) {
        field = ete_continued_of(assay_load64(from->data + from->at), part->width);
    }
    if (field.bytes == 0) {
        return read_bytewise(from, part, value, size, excess);
    }
    *value |= field.value << part->to;
    *excess |= field.excess;
    *size = field.bytes;
    from->at += field.bytes;
    return true;
}

static size_t bytes_of(uint64_t value, unsigned width)
{
    const unsigned last = ete_bits_before_last(width);
    size_t size = 1;
    for (unsigned at = ETE_GROUP; at <= last && at < 64 && value >> at != 0; at += ETE_GROUP) {
        size++;
    }
    return size;
}

/* Writes a field in as many bytes as it takes, or in `size` when that is more. */
static size_t write_continued(uint8_t *to, uint64_t value, unsigned width, size_t size)
{
    const size_t most = ete_most_bytes(width);
    const size_t least = bytes_of(value, width);
    size_t count = size > least ? size : least;
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        const unsigned at = (unsigned)i * ETE_GROUP;
        const uint64_t rest = at < 64 ? value >> at : 0;
        to[i] =
            i + 1 == most ? (uint8_t)rest : (uint8_t)((rest & 0x7f) | (i + 1 < count ? 0x80 : 0));
    }
    return count;
}

/* --- parts --- */

static bool is_there(const struct ete_part *part, const struct ete_group *group,
                     const uint64_t *cells, const uint8_t *bytes)
{
    if ((part->when & ETE_WHEN_BIT) != 0) {
        const unsigned bit = part->when & ~(unsigned)ETE_WHEN_BIT;
        return (bytes[bit / 8] >> bit % 8 & 1) != 0;
    }
    return part->when == 0 || cells[group->first + part->when - 1] != 0;
}

static void note_present(uint64_t *cells, unsigned cell)
{
    cells[ASSAY_CELL_PRESENCE] |= ete_presence(cell);
}

unsigned ete_vmid_bits(const struct assay_parameter_values *values)
{
    enum { VMIDSIZE_BIT = 10, VMIDSIZE = 0x1f, BYTE_EACH = 1, HALF_EACH = 2, WORD = 32 };
    const bool by_size = values != NULL && values->value[ETE_VMID_BYTES] == ETE_VMID_SIZED;
    const uint64_t size = by_size ? values->value[ETE_TRCIDR2] >> VMIDSIZE_BIT & VMIDSIZE : 0;
    return size == BYTE_EACH || size == HALF_EACH ? (unsigned)size * ETE_BYTE : WORD;
}

/* Bits since the last whole byte wait in `bit`. */
struct bit_reader {
    struct assay_bytes bytes;
    unsigned bit;
    unsigned vmid_bits;
};

static uint64_t read_plain(struct bit_reader *r, unsigned width)
{
    uint64_t value = 0;
    if (r->bit + width <= 64 && assay_bytes_left(&r->bytes) >= sizeof(uint64_t)) {
        value = assay_load64(r->bytes.data + r->bytes.at) >> r->bit & assay_mask(width);
        r->bytes.at += (r->bit + width) / ETE_BYTE;
        r->bit = (r->bit + width) % ETE_BYTE;
        return value;
    }
    for (unsigned done = 0; done < width;) {
        if (r->bytes.at >= r->bytes.size) {
            r->bytes.overrun = true;
            return 0;
        }
        const unsigned here = width - done < ETE_BYTE - r->bit ? width - done : ETE_BYTE - r->bit;
        const uint64_t bits = r->bytes.data[r->bytes.at] >> r->bit & assay_mask(here);
        value |= bits << done;
        done += here;
        r->bit += here;
        if (r->bit == ETE_BYTE) {
            r->bit = 0;
            r->bytes.at++;
        }
    }
    return value;
}

static bool read_group(struct bit_reader *r, const struct ete_group *group, uint64_t *cells)
{
    for (const struct ete_part *part = group->parts; part->coding != ETE_PARTS_END; part++) {
        const unsigned cell = group->first + part->cell;
        if (!is_there(part, group, cells, r->bytes.data)) {
            continue;
        }
        note_present(cells, cell);
        if (part->coding != ETE_CONTINUED) {
            cells[cell] |= read_plain(r, ete_plain_bits(part, r->vmid_bits)) << part->to;
        } else {
            note_present(cells, group->first + part->size);
            if (!read_continued(&r->bytes, part, &cells[cell], &cells[group->first + part->size],
                                &cells[ASSAY_CELL_EXCESS])) {
                return false;
            }
        }
    }
    return !r->bytes.overrun;
}

static size_t read_form(const struct ete_form *form, struct bit_reader *r, uint64_t *cells)
{
    for (unsigned g = 0; g < ETE_GROUPS && form->groups[g].parts != NULL; g++) {
        if (!read_group(r, &form->groups[g], cells)) {
            return 0;
        }
    }
    return r->bytes.at;
}

size_t ete_unpack(const struct ete_form *form, const struct ete_form *address, unsigned vmid_bits,
                  const uint8_t *bytes, size_t have, uint64_t *cells)
{
    const size_t constant = ete_constant_bytes((enum ete_kind)form->kind);
    struct bit_reader r = {.bytes = assay_bytes_of(bytes, have), .vmid_bits = vmid_bits};
    if (have < constant) {
        return 0;
    }
    r.bytes.at = constant;
    const size_t size = read_form(form, &r, cells);
    return size == 0 || address == NULL ? size : read_form(address, &r, cells);
}

/* --- writing --- */

static enum assay_error does_not_fit(const struct assay_kind *kind, unsigned cell, uint64_t value,
                                     struct assay_diag *diag)
{
    const char *name = "";
    for (size_t i = 0; i < kind->field_count; i++) {
        if (kind->fields[i].place == ASSAY_PACKED && kind->fields[i].bit / 64 == cell) {
            name = kind->fields[i].name;
        }
    }
    return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                      "%s: the packet has no room for %s 0x%llx", kind->name, name,
                      (unsigned long long)value);
}

/* What is written of the cells is taken out of `left`, so that what is left over was not. */
static void write_group(const struct ete_group *group, unsigned vmid_bits, const uint64_t *cells,
                        uint64_t *left, uint8_t *bytes, uint64_t *at)
{
    for (const struct ete_part *part = group->parts; part->coding != ETE_PARTS_END; part++) {
        const unsigned cell = group->first + part->cell;
        const unsigned width = ete_plain_bits(part, vmid_bits);
        const uint64_t mask = assay_mask(width) << part->to;
        if (!is_there(part, group, cells, bytes)) {
            continue;
        }
        left[cell] &= ~mask;
        if (part->coding != ETE_CONTINUED) {
            assay_store_bits(bytes, *at, width, cells[cell] >> part->to);
            *at += width;
        } else {
            const unsigned size = group->first + part->size;
            left[size] = cells[size] <= ete_most_bytes(part->width) ? 0 : left[size];
            *at +=
                ETE_BYTE * write_continued(bytes + *at / ETE_BYTE, (cells[cell] & mask) >> part->to,
                                           part->width, (size_t)cells[size]);
        }
    }
}

enum assay_error ete_pack(const struct ete_form *form, const struct ete_form *address,
                          unsigned vmid_bits, const uint64_t *cells, uint8_t *bytes, size_t *size,
                          struct assay_diag *diag)
{
    const struct assay_kind *kind = &assay_format_ete.kinds[form->kind];
    const struct ete_form *const written[] = {form, address};
    uint64_t left[ETE_CELLS];
    uint64_t at = ETE_BYTE * ete_constant_bytes((enum ete_kind)form->kind);
    memcpy(left, cells, sizeof left);
    for (size_t f = 0; f < 2 && written[f] != NULL; f++) {
        for (unsigned g = 0; g < ETE_GROUPS && written[f]->groups[g].parts != NULL; g++) {
            write_group(&written[f]->groups[g], vmid_bits, cells, left, bytes, &at);
        }
    }
    for (size_t i = 0; i < kind->field_count; i++) {
        const unsigned cell = kind->fields[i].bit / 64;
        if (kind->fields[i].place == ASSAY_PACKED && left[cell] != 0) {
            return does_not_fit(kind, cell, cells[cell], diag);
        }
    }
    *size = (size_t)(at / ETE_BYTE);
    return ASSAY_OK;
}
