/* The emitter: what rules read of the event before in its layer (`prev`), packed into previous
 * cells. The first of these has the layout of a cell of the kind whose fields are read most, so
 * that the step keeps that cell as it is instead of taking it apart and putting it together again.
 */
#include <inttypes.h>

#include "validator/compiler/emit.h"

/* The widest field that a leaf means, of any kind. */
static unsigned widest(const struct assay_catalogue *c, const struct assay_leaf *leaf)
{
    unsigned width = 0;
    for (unsigned k = 0; k < c->format->kind_count; k++) {
        const struct assay_field *field = assay_leaf_field(c, leaf, k);
        const bool whole = field != NULL && !assay_emit_in_cells(field);
        const unsigned own = field == NULL ? 0 : whole ? 64 : field->width;
        width = own > width ? own : width;
    }
    return width;
}

/* A cell of the events of a kind. */
struct cell {
    unsigned kind, number;
    bool of_bytes;
};

static bool is_narrow(const struct assay_emitter *e, uint16_t leaf)
{
    return e->previous_widths[leaf] > 0 && e->previous_widths[leaf] < 64;
}

/* Whether the event before can have a leaf there, in a layer that reads it. */
static bool is_in(const struct assay_emitter *e, uint16_t leaf, const struct cell *cell)
{
    const struct assay_field *field =
        is_narrow(e, leaf) ? assay_emit_field(e, cell->kind, leaf) : NULL;
    return field != NULL && assay_emit_in_cells(field) &&
           (field->place == ASSAY_AT_BIT) == cell->of_bytes && field->bit / 64u == cell->number &&
           field->width == e->previous_widths[leaf] &&
           assay_emit_read_in_layer(e, e->catalogue->format->kinds[cell->kind].layer, leaf);
}

static unsigned count_in(const struct assay_emitter *e, const struct cell *cell)
{
    unsigned count = 0;
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        count += is_in(e, i, cell);
    }
    return count;
}

/* The cell that most leaves are in. */
static struct cell most_read(const struct assay_emitter *e)
{
    struct cell best = {0};
    unsigned most = 0;
    for (unsigned n = 0; n < e->catalogue->format->kind_count * 128; n++) {
        const struct cell cell = {n / 128, n % 64, n / 64 % 2 != 0};
        const unsigned count = count_in(e, &cell);
        if (count > most) {
            most = count;
            best = cell;
        }
    }
    return best;
}

/* No field crosses a cell. */
void assay_emit_number_previous(struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        const unsigned width = c->leaves[i].what == ASSAY_LEAF_PREV ? widest(c, &c->leaves[i]) : 0;
        e->previous_widths[i] = (uint8_t)width;
    }
    const struct cell model = most_read(e);
    e->previous_count = count_in(e, &model) > 0 ? 64 : 0;
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        const unsigned width = e->previous_widths[i];
        e->previous_bits[i] = -1;
        if (is_in(e, i, &model)) {
            e->previous_bits[i] = assay_emit_field(e, model.kind, i)->bit % 64;
        } else if (is_narrow(e, i)) {
            const unsigned left = 64 - e->previous_count % 64;
            e->previous_count += left < width ? left : 0;
            e->previous_bits[i] = (int)e->previous_count;
            e->previous_count += width;
        }
    }
}

/* --- what an event leaves to the one after it --- */

/* Where a field is that a previous cell takes: a cell of the event, and how far it is moved. */
struct source {
    char letter;
    unsigned cell;
    int shift;
};

/* False when an event of the kind leaves nothing in the cell for the leaf. */
static bool source_of(const struct assay_emitter *e, unsigned kind, uint16_t leaf, unsigned cell,
                      struct source *source, uint64_t *mask)
{
    const struct assay_field *field = assay_emit_field(e, kind, leaf);
    struct assay_emit_slice slice;
    if (field == NULL || !assay_emit_previous(e, leaf, &slice) || slice.cell != cell ||
        !assay_emit_read_in_layer(e, e->catalogue->format->kinds[kind].layer, leaf)) {
        return false;
    }
    *source = (struct source){.letter = field->place == ASSAY_AT_BIT ? 'b' : 'd',
                              .cell = field->bit / 64u,
                              .shift = (int)slice.bit - (int)(field->bit % 64u)};
    *mask = assay_mask(field->width) << slice.bit;
    return true;
}

static bool same(const struct source *a, const struct source *b)
{
    return a->letter == b->letter && a->cell == b->cell && a->shift == b->shift;
}

/* The bits of the cell that come from the same source as a leaf; 0 where an earlier leaf has them
 * already. */
static uint64_t bits_from(const struct assay_emitter *e, unsigned kind, uint16_t leaf,
                          unsigned cell, const struct source *source)
{
    uint64_t bits = 0;
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        struct source other;
        uint64_t mask = 0;
        if (source_of(e, kind, i, cell, &other, &mask) && same(&other, source)) {
            if (i < leaf) {
                return 0;
            }
            bits |= mask;
        }
    }
    return bits;
}

void assay_emit_previous_cell(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    const unsigned layer = e->catalogue->format->kinds[kind].layer;
    bool read = false;
    for (uint16_t i = 0; i < e->catalogue->leaf_count && !read; i++) {
        struct assay_emit_slice slice;
        read = assay_emit_previous(e, i, &slice) && slice.cell == cell &&
               assay_emit_read_in_layer(e, layer, i);
    }
    if (!read) {
        return;
    }
    assay_sink_printf(e->sink, "    s->p%u_%u = 0", cell, layer);
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        struct source from;
        uint64_t mask = 0;
        const uint64_t bits =
            source_of(e, kind, i, cell, &from, &mask) ? bits_from(e, kind, i, cell, &from) : 0;
        if (bits != 0) {
            assay_sink_printf(e->sink, " | ((%c%u %s %d) & UINT64_C(0x%" PRIx64 "))", from.letter,
                              from.cell, from.shift < 0 ? ">>" : "<<",
                              from.shift < 0 ? -from.shift : from.shift, bits);
        }
    }
    assay_sink_text(e->sink, ";\n");
}
