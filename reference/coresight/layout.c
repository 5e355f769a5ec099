/* The tables, from layout.def. */
#include "model/layout.h"
#include "coresight/coresight.h"
#include "model/framing.h"
#include "model/parameters.h"

#define ASSAY_PREFIX CS
#define D            ASSAY_OWN_D

#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {CS_FIELDS_##name(ASSAY_F, ASSAY_T, D)};
CS_UNITS(K)
#undef K
#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {CS_FIELDS_##name(D, ASSAY_D)};
CS_CONTENTS(K)
K(malformed, "Malformed")
K(end, "End")
#undef K

#define SECTION "CoreSight architecture, formatter"
static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, SECTION, .layer = CS_FRAMES),
    ASSAY_KIND(end, "End of the capture", 0, SECTION, .layer = CS_FRAMES),
#define K(name, text, size) ASSAY_KIND(name, text, 8 * (size), SECTION, .layer = CS_FRAMES),
    CS_UNITS(K)
#undef K
#define K(name, text)                                                                              \
    ASSAY_KIND(name, text, 0, SECTION, .layer = CS_SOURCES, .is_own = CS_##name == CS_summary),
        CS_CONTENTS(K)
#undef K
};
ASSAY_CHECK_KINDS(kinds);

/* Frames have no magic; a full synchronisation packet is the beginning of nothing else. */
static bool probe(const uint8_t *data, size_t size)
{
    return cs_is_full_sync(data, size);
}

static const struct assay_parameter parameter_list[] = {CS_PARAMETERS(ASSAY_PARAMETER)};

/* No id comes after itself, over however many others: parameter n is of the id n + 1. */
static enum assay_error check(const struct assay_parameter_values *values, struct assay_diag *diag)
{
    for (size_t n = 0; n < CS_PARAMETER_COUNT; n++) {
        size_t at = n;
        for (size_t steps = 0; steps < CS_PARAMETER_COUNT && values->known[at]; steps++) {
            at = (size_t)values->value[at] - 1;
            if (at == n) {
                return assay_parameter_fail(values, n, diag, ASSAY_CONTRADICTION,
                                            "an id of a source cannot come after itself");
            }
        }
    }
    return ASSAY_OK;
}

static const struct assay_parameter_table parameters = {
    .list = parameter_list, .count = CS_PARAMETER_COUNT, .check = check};
static const struct assay_fault_code faults[] = {CS_FAULTS(ASSAY_FAULT)};
static const char *const layers[] = {"frame", "source"};
static const struct assay_profile profiles[] = {{"coresight-2", "CoreSight formatter"}};

const struct assay_format assay_format_coresight = {
    .name = "coresight",
    .title = "Frames of the CoreSight formatter",
    .version = "2",
    .profiles = profiles,
    .profile_count = ASSAY_COUNT(profiles),
    .layers = layers,
    .layer_count = ASSAY_COUNT(layers),
    .kinds = kinds,
    .kind_count = ASSAY_COUNT(kinds),
    .parameters = &parameters,
    .faults = faults,
    .fault_count = ASSAY_COUNT(faults),
    .probe = probe,
    .decoder = &cs_decoder_ops,
    .encoder = &cs_encoder_ops,
    .carrier = &cs_carrier_ops,
    .describe = cs_describe,
    .framings = ASSAY_FRAMING_BIT(CORESIGHT) | ASSAY_FRAMING_BIT(TRACE_PORT),
};
