/* Which parameters the layout of a kind depends on. */
#include "model/packed.h"
#include "model/parameters.h"

static void use_operand(struct assay_packed_operand operand, unsigned layer,
                        struct assay_parameter_values *values)
{
    if (operand.source == ASSAY_PACKED_BY_PARAMETER && operand.number < values->table->count) {
        (void)assay_parameter_use(values, operand.number, layer);
    }
}

static void use_term(const struct assay_packed_term *term, unsigned layer,
                     struct assay_parameter_values *values)
{
    use_operand(term->a, layer, values);
    use_operand(term->b, layer, values);
    use_operand(term->c, layer, values);
}

void assay_packing_use(const struct assay_kind *kind, struct assay_parameter_values *values)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_packed *packed = kind->fields[i].packed;
        if (packed != NULL) {
            use_term(&packed->width, kind->layer, values);
            use_term(&packed->present, kind->layer, values);
            use_term(&packed->sign, kind->layer, values);
            use_term(&packed->shift, kind->layer, values);
        }
    }
}
