#include "ete/headers.h"

unsigned ete_address_cell(unsigned kind)
{
    switch (kind) {
#define X(name)                                                                                    \
    case ETE_##name:                                                                               \
        return ETE_CELL_##name##_address;
        X(exception)
        X(target_context)
        X(target_exact)
        X(target_short)
        X(target_long)
        X(q)
        X(source_exact)
        X(source_short)
        X(source_long)
#undef X
    default:
        return 0;
    }
}

void ete_set_atoms(uint64_t *cells, enum ete_kind kind, uint8_t header)
{
    uint32_t taken = 0;
    cells[ETE_CELL_atom_1_atoms] = ete_atoms(kind, header, &taken);
    cells[ETE_CELL_atom_1_taken] = taken;
}

static enum ete_following following_of(const struct ete_form *form)
{
    if (form->addressed) {
        return form->history > 0 ? ETE_FOLLOW_ENTRY : ETE_FOLLOW_FORM;
    }
    if (form->kind == ETE_cycle_count_1) {
        return ETE_FOLLOW_REGISTER;
    }
    if (form->kind == ETE_timestamp) {
        return ETE_FOLLOW_TIMESTAMP;
    }
    return form->kind == ETE_trace_info ? ETE_FOLLOW_FORM : ETE_FOLLOW_NOTHING;
}

/* Whether there is nothing in a group but one continuable field, always. */
static bool is_one_field(const struct ete_group *group)
{
    return group->parts[0].coding == ETE_CONTINUED && group->parts[0].when == 0 &&
           group->parts[1].coding == ETE_PARTS_END;
}

/* The same of each group, with cells that are few. */
static bool is_fields(const struct ete_form *form)
{
    bool fields = assay_kind_cells(&assay_format_ete.kinds[form->kind]) <= ETE_CELLS_FEW;
    for (unsigned g = 0; g < ETE_GROUPS && form->groups[g].parts != NULL; g++) {
        fields = fields && is_one_field(&form->groups[g]);
    }
    return fields;
}

static enum ete_reading reading_of(const struct ete_form *form)
{
    if (form->kind == ETE_async || form->kind == ETE_malformed || form->kind == ETE_exception) {
        return ETE_READ_CLOSELY;
    }
    if (ete_constant_bytes((enum ete_kind)form->kind) != 1) {
        return ETE_READ_PARTS;
    }
    if (form->groups[0].parts == NULL && following_of(form) == ETE_FOLLOW_NOTHING) {
        return ETE_READ_ALIKE;
    }
    return is_fields(form) ? ETE_READ_FIELDS : ETE_READ_PARTS;
}

static void add_field(struct ete_header *header, const struct ete_group *group)
{
    const struct ete_part *part = group->parts;
    const struct ete_field field = {.width = part->width,
                                    .value = (uint8_t)(group->first + part->cell),
                                    .size = (uint8_t)(group->first + part->size),
                                    .to = part->to};
    header->fields[header->field_count++] = field;
    header->cells[ASSAY_CELL_PRESENCE] |= ete_presence(field.value) | ete_presence(field.size);
}

static void set_header(struct ete_header *header, uint8_t code, const struct ete_form *form)
{
    *header = (struct ete_header){.form = form,
                                  .reading = (uint8_t)reading_of(form),
                                  .following = (uint8_t)following_of(form),
                                  .address = (uint8_t)ete_address_cell(form->kind),
                                  .bytes = {code}};
    header->model = (struct assay_event){
        .bytes = header->bytes, .cells = header->cells, .bits = 8, .kind = form->kind};
    if (header->reading == ETE_READ_FIELDS) {
        for (unsigned g = 0; g < ETE_GROUPS && form->groups[g].parts != NULL; g++) {
            add_field(header, &form->groups[g]);
        }
    } else if (form->kind >= ETE_atom_1 && form->kind <= ETE_atom_6) {
        ete_set_atoms(header->cells, (enum ete_kind)form->kind, code);
    }
}

void ete_headers_set(struct ete_header *headers, const struct assay_parameter_values *values)
{
    const bool commit_mode = (values->value[ETE_TRCIDR0] >> ETE_COMMOPT_BIT & 1) != 0;
    for (unsigned code = 0; code < ETE_HEADERS; code++) {
        const struct ete_form *form = ete_form_of((uint8_t)code);
        form = form->kind == ETE_cycle_count_1 ? ete_cycle_count_form((uint8_t)code, commit_mode)
                                               : form;
        set_header(&headers[code], (uint8_t)code, form);
    }
}
