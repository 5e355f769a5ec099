#include "image/image_yaml.h"

#include <inttypes.h>

const char *const assay_image_keys[] = {"at",   "el",  "space",  "vmid",   "context",
                                        "kind", "bss", "offset", "length", NULL};

static enum assay_error read_number(const struct assay_yaml *key, const struct assay_yaml *value,
                                    uint64_t least, uint64_t most, uint64_t *number,
                                    struct assay_diag *diag)
{
    if (!assay_yaml_u64(value, number)) {
        return assay_yaml_fail(value, diag, ASSAY_WRONG_TYPE, "%s is a number", key->text);
    }
    if (*number < least || *number > most) {
        return assay_yaml_fail(value, diag, ASSAY_OUT_OF_RANGE,
                               "%s is from %" PRIu64 " to %" PRIu64, key->text, least, most);
    }
    return ASSAY_OK;
}

/* The number of a name in a list, which is listed in the error when it has none. */
static enum assay_error read_name(const struct assay_yaml *key, const struct assay_yaml *value,
                                  const char *const *names, unsigned *number,
                                  struct assay_diag *diag)
{
    if (value->type != ASSAY_YAML_SCALAR) {
        return assay_yaml_fail(value, diag, ASSAY_WRONG_TYPE, "%s is a name", key->text);
    }
    for (*number = 0; names[*number] != NULL; (*number)++) {
        if (assay_yaml_is(value, names[*number])) {
            return ASSAY_OK;
        }
    }
    assay_yaml_fail(value, diag, ASSAY_UNKNOWN_NAME, "%s cannot be \"%s\"", key->text, value->text);
    const char *near = assay_nearest(value->text, names);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error read_selector(struct assay_space *space, const struct assay_yaml *key,
                                      const struct assay_yaml *value, struct assay_diag *diag)
{
    uint64_t number = 0;
    unsigned security = 0;
    enum assay_error error;
    if (assay_yaml_is(key, "el")) {
        error = read_number(key, value, 0, ASSAY_EL_MAX, &number, diag);
        space->el = (uint8_t)number;
        space->given |= ASSAY_SPACE_EL;
    } else if (assay_yaml_is(key, "space")) {
        error = read_name(key, value, assay_security_names, &security, diag);
        space->security = (uint8_t)security;
        space->given |= ASSAY_SPACE_SECURITY;
    } else if (assay_yaml_is(key, "vmid")) {
        error = read_number(key, value, 0, UINT32_MAX, &number, diag);
        space->vmid = (uint32_t)number;
        space->given |= ASSAY_SPACE_VMID;
    } else {
        error = read_number(key, value, 0, UINT64_MAX, &space->context, diag);
        space->given |= ASSAY_SPACE_CONTEXT;
    }
    return error;
}

enum assay_error assay_image_key(struct assay_image_spec *spec, const struct assay_yaml *key,
                                 const struct assay_yaml *value, struct assay_diag *diag)
{
    static const char *const kinds[] = {"elf", "raw", NULL};
    static const char *const contents[] = {"zero", "absent", NULL};
    unsigned name = 0;
    enum assay_error error;
    if (assay_yaml_is(key, "at")) {
        spec->has_address = true;
        error = read_number(key, value, 0, UINT64_MAX, &spec->address, diag);
    } else if (assay_yaml_is(key, "kind")) {
        error = read_name(key, value, kinds, &name, diag);
        spec->kind = name == 0 ? ASSAY_IMAGE_ELF : ASSAY_IMAGE_RAW;
    } else if (assay_yaml_is(key, "bss")) {
        error = read_name(key, value, contents, &name, diag);
        spec->bss = name == 0 ? ASSAY_IMAGE_BSS_ZERO : ASSAY_IMAGE_BSS_ABSENT;
    } else if (assay_yaml_is(key, "offset")) {
        error = read_number(key, value, 0, INT64_MAX, &spec->offset, diag);
    } else if (assay_yaml_is(key, "length")) {
        error = read_number(key, value, 1, INT64_MAX, &spec->length, diag);
    } else if (assay_yaml_is(key, "el") || assay_yaml_is(key, "space") ||
               assay_yaml_is(key, "vmid") || assay_yaml_is(key, "context")) {
        error = read_selector(&spec->space, key, value, diag);
    } else {
        error =
            assay_yaml_fail(key, diag, ASSAY_UNKNOWN_NAME, "an image has no key \"%s\"", key->text);
    }
    return error;
}
