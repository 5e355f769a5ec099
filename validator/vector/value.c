#include "validator/vector/value.h"

#include "model/packed.h"

/* A negative number of a packed field that has a sign, in two's complement as wide as the field's
 * slot. */
static bool negative_value(const struct assay_field *field, const struct assay_yaml *node,
                           uint64_t *value)
{
    struct assay_yaml magnitude = *node;
    uint64_t number = 0;
    if (node->quoted || node->length < 2 || node->text[0] != '-' || field->packed == NULL ||
        field->packed->sign.op == ASSAY_PACKED_DEFAULT) {
        return false;
    }
    magnitude.text++;
    magnitude.length--;
    if (!assay_yaml_u64(&magnitude, &number) || number > (assay_mask(field->width) >> 1) + 1) {
        return false;
    }
    *value = (0 - number) & assay_mask(field->width);
    return true;
}

bool assay_vector_value(const struct assay_field *field, const struct assay_yaml *node,
                        uint64_t *value)
{
    bool flag = false;
    if (field->type == ASSAY_FLAG && assay_yaml_flag(node, &flag)) {
        *value = flag;
        return true;
    }
    if (assay_yaml_u64(node, value)) {
        return true;
    }
    return node->type == ASSAY_YAML_SCALAR && (negative_value(field, node, value) ||
                                               assay_enum_value(field->names, node->text, value));
}
