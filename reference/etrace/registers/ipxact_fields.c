/* What a field of an IP-XACT description says: an attribute of tables 9.2 to 9.4, or a control
 * field of tables 2.1 to 2.6. */
#include "etrace/registers/ipxact_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "common/yaml.h"
#include "model/layout.h"

/* --- numbers --- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

static bool digits(const char *text, uint64_t base, uint64_t *value)
{
    *value = 0;
    bool any = false;
    for (; *text != '\0'; text++) {
        const uint64_t digit = (uint64_t)digit_of(*text);
        if (*text == '_' && any) {
            continue;
        }
        if (digit >= base || *value > (UINT64_MAX - digit) / base) {
            return false;
        }
        *value = *value * base + digit;
        any = true;
    }
    return any;
}

bool etrace_ipxact_number(const char *text, uint64_t *value)
{
    const char *quote = strchr(text, '\'');
    if (quote == NULL) {
        const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
        return hexadecimal ? digits(text + 2, 16, value) : digits(text, 10, value);
    }
    const char *base = quote + 1 + (quote[1] == 's' || quote[1] == 'S');
    switch (*base) {
    case 'h':
    case 'H':
        return digits(base + 1, 16, value);
    case 'd':
    case 'D':
        return digits(base + 1, 10, value);
    case 'o':
    case 'O':
        return digits(base + 1, 8, value);
    case 'b':
    case 'B':
        return digits(base + 1, 2, value);
    default:
        return false;
    }
}

/* --- attributes --- */

enum { NO_PARAMETER = -1 };

/* An attribute: its parameter, which is by `more` greater; and where the example of 9.2 has it. */
struct attribute {
    const char *name;
    int parameter;
    uint8_t more;
    uint8_t in_register, offset, width;
};

static const struct attribute attributes[] = {
    {"version", NO_PARAMETER, 0, 0, 0, 4},
    {"minor_revision", NO_PARAMETER, 0, 0, 4, 4},
    {"arch", ETRACE_ARCH, 0, 0, 8, 4},
    {"bpred_size", ETRACE_BPRED_SIZE, 0, 0, 12, 4},
    {"cache_size", ETRACE_CACHE_SIZE, 0, 0, 16, 4},
    {"call_counter_size", ETRACE_CALL_COUNTER_SIZE, 0, 0, 20, 3},
    {"comparators", ETRACE_COMPARATORS, 1, 0, 23, 3},
    {"context_type_width", ETRACE_CTYPE_WIDTH, 1, 0, 26, 5},
    {"context_width", ETRACE_CONTEXT_WIDTH, 1, 0, 31, 5},
    {"ecause_choice", ETRACE_ECAUSE_CHOICE, 0, 0, 36, 3},
    {"ecause_width", ETRACE_ECAUSE_WIDTH, 1, 0, 39, 4},
    {"filters", ETRACE_FILTERS, 1, 0, 43, 4},
    {"filter_context", ETRACE_FILTER_CONTEXT, 0, 0, 47, 1},
    {"filter_excint", ETRACE_FILTER_EXCINT, 0, 0, 48, 4},
    {"filter_privilege", ETRACE_FILTER_PRIVILEGE, 0, 0, 52, 1},
    {"filter_tval", ETRACE_FILTER_TVAL, 0, 0, 53, 1},
    {"filter_impdef", ETRACE_FILTER_IMPDEF, 0, 0, 54, 1},
    {"f0s_width", ETRACE_F0S_WIDTH, 0, 0, 55, 2},
    {"iaddress_lsb", ETRACE_IADDRESS_LSB, 1, 0, 57, 2},
    {"iaddress_width", ETRACE_IADDRESS_WIDTH, 1, 1, 0, 7},
    {"ilastsize_width", ETRACE_ILASTSIZE_WIDTH, 1, 1, 7, 7},
    {"itype_width", ETRACE_ITYPE_WIDTH, 1, 1, 14, 7},
    {"iretire_width", ETRACE_IRETIRE_WIDTH, 1, 1, 21, 7},
    {"nocontext", ETRACE_NOCONTEXT, 0, 1, 28, 1},
    {"privilege_width", ETRACE_PRIVILEGE_WIDTH, 1, 1, 29, 2},
    {"retires", ETRACE_RETIRES, 1, 1, 31, 3},
    {"return_stack_size", ETRACE_RETURN_STACK_SIZE, 0, 1, 34, 4},
    {"sijump", ETRACE_SIJUMP_SUPPORTED, 0, 1, 38, 1},
    {"taken_branches", ETRACE_TAKEN_BRANCHES, 1, 1, 39, 4},
    {"impdef_width", ETRACE_IMPDEF_WIDTH, 1, 1, 43, 5},
    {"ctype_width", ETRACE_CTYPE_WIDTH, 1, 0, 26, 5},
    {"notime", ETRACE_NOTIME, 0, 0, 0, 0},
    {"time_width", ETRACE_TIME_WIDTH, 1, 0, 0, 0},
    {"filter_time", ETRACE_FILTER_TIME, 0, 0, 0, 0},
};

static const char discovery[] = "discovery_info_";

static const struct attribute *attribute_of(const char *name)
{
    for (size_t i = 0; i < ASSAY_COUNT(attributes); i++) {
        if (strcmp(attributes[i].name, name) == 0) {
            return &attributes[i];
        }
    }
    return NULL;
}

static enum assay_error unknown(const struct etrace_ipxact_field *field, struct assay_diag *diag)
{
    const char *names[ASSAY_COUNT(attributes) + 1] = {NULL};
    for (size_t i = 0; i < ASSAY_COUNT(attributes); i++) {
        names[i] = attributes[i].name;
    }
    assay_fail_at(diag, ASSAY_UNKNOWN_NAME, field->line, 1, "no attribute is called \"%s\"",
                  field->name);
    const char *near = assay_nearest(field->name, names);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* Where the example of 9.2 has an attribute. */
static enum assay_error check_example(const struct attribute *attribute,
                                      const struct etrace_ipxact_field *field,
                                      struct assay_diag *diag)
{
    char due[ETRACE_IPXACT_TEXT];
    snprintf(due, sizeof due, "%s%u", discovery, attribute->in_register);
    const bool register_as_there =
        field->register_size == 64 && strcmp(field->access, "read-only") == 0;
    return register_as_there && attribute->width > 0 && field->offset == attribute->offset &&
                   field->width == attribute->width && strcmp(field->in_register, due) == 0
               ? ASSAY_OK
               : assay_fail_at(diag, ASSAY_CONTRADICTION, field->line, 1,
                               "%s of UltraSoC's TraceEncoder 0.8 is not at this place (9.2)",
                               field->name);
}

/* Sets a parameter to a value that the description has at a line. */
static enum assay_error set(struct etrace_ipxact_fields *fields, int parameter, uint64_t value,
                            unsigned line, struct assay_diag *diag)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    const struct assay_parameter_setting setting = {.name = etrace_parameters.list[parameter].name,
                                                    .line = line,
                                                    .column = 1,
                                                    .text = text,
                                                    .text_line = line,
                                                    .text_column = 1};
    return assay_parameter_configure(fields->values, &setting, diag);
}

static enum assay_error read_attribute(struct etrace_ipxact_fields *fields,
                                       const struct attribute *attribute,
                                       const struct etrace_ipxact_field *field,
                                       struct assay_diag *diag)
{
    const enum assay_error error =
        fields->example ? check_example(attribute, field, diag) : ASSAY_OK;
    if (error != ASSAY_OK || attribute->parameter == NO_PARAMETER) {
        return error;
    }
    if (!field->has_value) {
        assay_fail_at(diag, ASSAY_SYNTAX, field->line, 1, "%s has no value", field->name);
        assay_diag_hint(diag, "the value of a field is its reset value");
        return ASSAY_SYNTAX;
    }
    fields->attributes++;
    const uint64_t more = field->value < UINT64_MAX ? attribute->more : 0; /* out of range anyway */
    return set(fields, attribute->parameter, field->value + more, field->value_line, diag);
}

/* --- control fields --- */

enum access { RW, RO };
enum group { M, O, MD, OD };

struct control {
    const char *name;
    uint8_t width; /* 64: by parameters */
    uint8_t group, access;
    int8_t reset;
};

#define CONTROL(A, B, K, id, label, field, type, width, group, access, reset, list, section, text) \
    [ETRACE_##id - ETRACE_ACTIVE] = {label, width, group, access, reset},
static const struct control controls[] = {ETRACE_REGISTERS(CONTROL, , )};
#undef CONTROL

/* Its number among the controls; -1: it is none. Those that are replicated are told by their name
 * without number; one is misprinted in table 2.4. */
static int control_of(const char *name)
{
    name = strcmp(name, "matchInterupt") == 0 ? "matchInterrupt" : name;
    for (size_t i = 0; i < ASSAY_COUNT(controls); i++) {
        const char *dot = strchr(controls[i].name, '.');
        if (strcmp(dot != NULL ? dot + 1 : controls[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static enum assay_error check_control(const struct control *control,
                                      const struct etrace_ipxact_field *field,
                                      struct assay_diag *diag)
{
    static const char *const access[] = {[RW] = "read-write", [RO] = "read-only"};
    if (control->width < 64 && field->width != control->width) {
        return assay_fail_at(diag, ASSAY_CONTRADICTION, field->line, 1,
                             "%s has %" PRIu64 " bits, and not %u (chapter 2)", field->name,
                             field->width, control->width);
    }
    if (field->access[0] != '\0' && strcmp(field->access, access[control->access]) != 0) {
        return assay_fail_at(diag, ASSAY_CONTRADICTION, field->line, 1,
                             "%s is %s, and not %s (chapter 2)", field->name, field->access,
                             access[control->access]);
    }
    if (field->has_value && control->reset != ETRACE_SD &&
        field->value != (uint64_t)control->reset) {
        return assay_fail_at(diag, ASSAY_CONTRADICTION, field->value_line, 1,
                             "%s is %" PRIu64 " after reset, and not %d (chapter 2)", field->name,
                             field->value, control->reset);
    }
    return ASSAY_OK;
}

/* --- fields --- */

/* A field is in its register, beside the others. */
static enum assay_error check_place(struct etrace_ipxact_fields *fields,
                                    const struct etrace_ipxact_field *field,
                                    struct assay_diag *diag)
{
    if (field->width == 0 || field->width > field->register_size ||
        field->offset > field->register_size - field->width) {
        return assay_fail_at(diag, ASSAY_OUT_OF_RANGE, field->line, 1,
                             "%s does not fit in a register of %" PRIu64 " bits", field->name,
                             field->register_size);
    }
    const uint64_t bits = assay_mask((unsigned)field->width) << field->offset;
    if ((fields->taken & bits) != 0) {
        return assay_fail_at(diag, ASSAY_CONTRADICTION, field->line, 1,
                             "%s overlaps another field of %s", field->name, field->in_register);
    }
    fields->taken |= bits;
    if (field->has_value && (field->value & ~assay_mask((unsigned)field->width)) != 0) {
        return assay_fail_at(diag, ASSAY_OUT_OF_RANGE, field->value_line, 1,
                             "the value of %s does not fit in its %" PRIu64 " bits", field->name,
                             field->width);
    }
    return ASSAY_OK;
}

enum assay_error etrace_ipxact_field(struct etrace_ipxact_fields *fields,
                                     const struct etrace_ipxact_field *field,
                                     struct assay_diag *diag)
{
    const enum assay_error error = check_place(fields, field, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const struct attribute *attribute = attribute_of(field->name);
    const int control = control_of(field->name);
    if (attribute != NULL) {
        return read_attribute(fields, attribute, field, diag);
    }
    if (control >= 0) {
        fields->control[control] = true;
        fields->any_control = true;
        return check_control(&controls[control], field, diag);
    }
    return strncmp(field->in_register, discovery, sizeof discovery - 1) == 0 ? unknown(field, diag)
                                                                             : ASSAY_OK;
}

enum assay_error etrace_ipxact_finish(struct etrace_ipxact_fields *fields, unsigned line,
                                      struct assay_diag *diag)
{
    const bool data = fields->values->value[ETRACE_DATA_WIDTH] > 0;
    for (size_t i = 0; i < ASSAY_COUNT(controls) && fields->any_control; i++) {
        const bool mandatory = controls[i].group == M || (controls[i].group == MD && data);
        if (mandatory && !fields->control[i]) {
            return assay_fail_at(diag, ASSAY_SYNTAX, line, 1,
                                 "of the control registers %s is missing, which is mandatory "
                                 "(chapter 2)",
                                 controls[i].name);
        }
    }
    if (fields->attributes == 0 && !fields->any_control) {
        return assay_fail_at(diag, ASSAY_SYNTAX, line, 1,
                             "the description has none of an encoder's attributes (9.1)");
    }
    return set(fields, ETRACE_DISCOVERY_OVERLAP, fields->overlap_line != 0,
               fields->overlap_line != 0 ? fields->overlap_line : line, diag);
}
