/* The items of a stream in the metadata of a trace package (CoreSight trace decode metadata
 * requirements, section 6.3.1). Registers and items may be given both, as both are of one source.
 */
#include <ctype.h>
#include <string.h>

#include "model/layout.h"
#include "snapshot/snapshot_private.h"

enum { VALUES = 4 };

/* The items, and their values. */
static const struct item {
    const char *name;
    size_t count;
    uint64_t values[VALUES];
} items[] = {{"cyclecount", 2, {0, 1}},
             {"timestamp_bits", 3, {0, 48, 64}},
             {"timestamp_gray", 2, {0, 1}},
             {"context_id", 4, {0, 8, 16, 32}}};

/* Which values of an item a field of a register allows: one for each value of the field. */
static const struct field {
    const char *name; /* of the register */
    unsigned shift, width;
    const char *item;
    struct {
        size_t count;
        uint64_t values[VALUES];
    } allowed[4];
} fields[] = {
    {"ETMCR", 12, 1, "cyclecount", {{1, {0}}, {1, {1}}}},
    {"ETMCR", 14, 2, "context_id", {{1, {0}}, {1, {8}}, {1, {16}}, {1, {32}}}},
    {"ETMCCER", 28, 1, "timestamp_gray", {{1, {0}}, {1, {1}}}},
    {"ETMCCER", 29, 1, "timestamp_bits", {{2, {0, 48}}, {2, {0, 64}}}},
    {"TRCCONFIGR", 4, 1, "cyclecount", {{1, {0}}, {1, {1}}}},
    {"TRCCONFIGR", 6, 1, "context_id", {{1, {0}}, {3, {8, 16, 32}}}},
    {"TRCCONFIGR", 11, 1, "timestamp_bits", {{3, {0, 48, 64}}, {2, {48, 64}}}},
    {"TRCIDR0", 7, 1, "cyclecount", {{1, {0}}, {2, {0, 1}}}},
    {"TRCIDR0", 27, 1, "timestamp_bits", {{2, {0, 48}}, {2, {0, 64}}}},
    {"TRCIDR2", 7, 1, "context_id", {{1, {0}}, {2, {0, 32}}}},
};

static bool is_among(uint64_t number, const uint64_t *values, size_t count)
{
    size_t i = 0;
    while (i < count && values[i] != number) {
        i++;
    }
    return i < count;
}

static enum assay_error check_value(const struct cs_snapshot *s, const struct assay_yaml *section,
                                    const struct item *item)
{
    const struct assay_yaml *value = assay_yaml_get(section, item->name);
    uint64_t number = 0;
    return value == NULL ||
                   (assay_yaml_u64(value, &number) && is_among(number, item->values, item->count))
               ? ASSAY_OK
               : assay_yaml_fail(value, s->reader.diag, ASSAY_OUT_OF_RANGE, "%s cannot be \"%s\"",
                                 item->name, value->text);
}

static enum assay_error check_field(const struct cs_snapshot *s, const struct assay_yaml *section,
                                    const struct field *field)
{
    const struct assay_yaml *reg = assay_yaml_get(section, field->name);
    const struct assay_yaml *item = assay_yaml_get(section, field->item);
    uint64_t value = 0;
    uint64_t number = 0;
    if (reg == NULL || item == NULL || !assay_yaml_u64(reg, &value) ||
        !assay_yaml_u64(item, &number)) {
        return ASSAY_OK;
    }
    const uint64_t at = value >> field->shift & ((UINT64_C(1) << field->width) - 1);
    if (is_among(number, field->allowed[at].values, field->allowed[at].count)) {
        return ASSAY_OK;
    }
    assay_yaml_fail(item, s->reader.diag, ASSAY_CONTRADICTION, "%s cannot be %s with this %s",
                    field->item, item->text, field->name);
    assay_diag_hint(s->reader.diag, "bit %u of %s at line %u", field->shift, field->name,
                    reg->line);
    return ASSAY_CONTRADICTION;
}

/* An item that is named after a register of a trace unit, in capitals; others are of those who made
 * the package, and are left alone. */
static bool names_register(const char *item)
{
    return strncmp(item, "TRC", 3) == 0 || strncmp(item, "ETM", 3) == 0;
}

/* Whether a register holds an address or an identifier to compare with, which can have 64 bits. */
static bool is_comparator_value(const char *name)
{
    static const char *const prefixes[] = {"TRCACVR", "TRCCIDCVR", "TRCVMIDCVR"};
    size_t i = 0;
    while (i < ASSAY_COUNT(prefixes) && strncmp(name, prefixes[i], strlen(prefixes[i])) != 0) {
        i++;
    }
    return i < ASSAY_COUNT(prefixes);
}

/* The values of registers are numbers of 32 bits, but for those that need more. */
static enum assay_error check_registers(const struct cs_snapshot *s,
                                        const struct assay_yaml *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const char *name = section->items[2 * i]->text;
        const struct assay_yaml *value = section->items[2 * i + 1];
        const bool wide = is_comparator_value(name);
        uint64_t number = 0;
        if (names_register(name) &&
            (!assay_yaml_u64(value, &number) || (!wide && number > UINT32_MAX))) {
            return assay_yaml_fail(value, s->reader.diag, ASSAY_WRONG_TYPE,
                                   "the value of %s is a number of %d bits", name, wide ? 64 : 32);
        }
    }
    return ASSAY_OK;
}

enum assay_error cs_package_check_items(const struct cs_snapshot *s,
                                        const struct assay_yaml *section)
{
    const struct assay_yaml *format = assay_yaml_get(section, "format");
    enum assay_error error =
        format != NULL && isalpha((unsigned char)format->text[0])
            ? ASSAY_OK
            : assay_yaml_fail(format != NULL ? format : section, s->reader.diag, ASSAY_UNKNOWN_NAME,
                              "the format of a stream is a type with its version, as ETM3.5");
    for (size_t i = 0; i < sizeof items / sizeof items[0] && error == ASSAY_OK; i++) {
        error = check_value(s, section, &items[i]);
    }
    error = error != ASSAY_OK ? error : check_registers(s, section);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && error == ASSAY_OK; i++) {
        error = check_field(s, section, &fields[i]);
    }
    return error;
}
