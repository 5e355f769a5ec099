/* The argument of --image. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "image/image.h"

enum { WORD_MAX = 64 };

/* A piece of the text between two commas, copied. */
struct word {
    char text[WORD_MAX];
    char *value; /* after the =, in text; null: there is none */
    uint64_t at; /* offset in the option */
};

struct parser {
    struct assay_image_spec *spec;
    struct assay_diag *diag;
    unsigned seen; /* set of attributes, by number */
};

enum attribute { EL, SECURITY, VMID, CONTEXT, KIND, BSS, OFFSET, LENGTH };

static const struct {
    const char *name;
    enum attribute attribute;
    bool has_value;
} attributes[] = {
    {"el", EL, true},
    {"vmid", VMID, true},
    {"context", CONTEXT, true},
    {"bss", BSS, true},
    {"offset", OFFSET, true},
    {"length", LENGTH, true},
    {"elf", KIND, false},
    {"raw", KIND, false},
    {"nonsecure", SECURITY, false},
    {"secure", SECURITY, false},
    {"realm", SECURITY, false},
    {"root", SECURITY, false},
};

enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof attributes[0] };

/* Decimal or 0x..., nothing else around it. */
static bool number_of(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *first = hex ? text + 2 : text;
    if (*first == '\0' ||
        strspn(first, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(first)) {
        return false;
    }
    errno = 0;
    *value = strtoull(first, NULL, hex ? 16 : 10);
    return errno == 0;
}

static enum assay_error need_number(const struct parser *p, const struct word *word, uint64_t most,
                                    uint64_t *value)
{
    if (!number_of(word->value, value)) {
        return assay_fail(p->diag, ASSAY_USAGE, word->at, "%s=%s is not a number", word->text,
                          word->value);
    }
    return *value <= most ? ASSAY_OK
                          : assay_fail(p->diag, ASSAY_OUT_OF_RANGE, word->at,
                                       "%s is at most %" PRIu64, word->text, most);
}

static enum assay_error unknown(const struct parser *p, const struct word *word)
{
    const char *names[ATTRIBUTE_COUNT + 1] = {NULL};
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        names[i] = attributes[i].name;
    }
    assay_fail(p->diag, ASSAY_UNKNOWN_NAME, word->at, "an image has no attribute \"%s\"",
               word->text);
    const char *near = assay_nearest(word->text, names);
    if (near != NULL) {
        assay_diag_hint(p->diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error set_bss(const struct parser *p, const struct word *word)
{
    if (strcmp(word->value, "zero") != 0 && strcmp(word->value, "absent") != 0) {
        return assay_fail(p->diag, ASSAY_UNKNOWN_NAME, word->at, "bss is zero or absent");
    }
    p->spec->bss = word->value[0] == 'z' ? ASSAY_IMAGE_BSS_ZERO : ASSAY_IMAGE_BSS_ABSENT;
    return ASSAY_OK;
}

static enum assay_error set_attribute(const struct parser *p, enum attribute attribute,
                                      const struct word *word)
{
    struct assay_image_spec *spec = p->spec;
    uint64_t value = 0;
    enum assay_error error = ASSAY_OK;
    switch (attribute) {
    case EL:
        error = need_number(p, word, ASSAY_EL_MAX, &value);
        spec->space.el = (uint8_t)value;
        spec->space.given |= ASSAY_SPACE_EL;
        break;
    case VMID:
        error = need_number(p, word, UINT32_MAX, &value);
        spec->space.vmid = (uint32_t)value;
        spec->space.given |= ASSAY_SPACE_VMID;
        break;
    case CONTEXT:
        error = need_number(p, word, UINT64_MAX, &spec->space.context);
        spec->space.given |= ASSAY_SPACE_CONTEXT;
        break;
    case SECURITY:
        spec->space.security = (uint8_t)assay_security_by_name(word->text);
        spec->space.given |= ASSAY_SPACE_SECURITY;
        break;
    case KIND:
        spec->kind = word->text[0] == 'e' ? ASSAY_IMAGE_ELF : ASSAY_IMAGE_RAW;
        break;
    case BSS:
        error = set_bss(p, word);
        break;
    case OFFSET:
        error = need_number(p, word, INT64_MAX, &spec->offset);
        break;
    case LENGTH:
        error = need_number(p, word, INT64_MAX, &spec->length);
        if (error == ASSAY_OK && spec->length == 0) {
            error = assay_fail(p->diag, ASSAY_OUT_OF_RANGE, word->at, "length is at least 1");
        }
        break;
    }
    return error;
}

static enum assay_error read_attribute(struct parser *p, struct word *word)
{
    word->value = strchr(word->text, '=');
    if (word->value != NULL) {
        *word->value++ = '\0';
    }
    size_t i = 0;
    while (i < ATTRIBUTE_COUNT && strcmp(attributes[i].name, word->text) != 0) {
        i++;
    }
    if (i == ATTRIBUTE_COUNT) {
        return unknown(p, word);
    }
    if (attributes[i].has_value != (word->value != NULL)) {
        return assay_fail(p->diag, ASSAY_USAGE, word->at,
                          attributes[i].has_value ? "%s needs a value: %s=..."
                                                  : "%s takes no value: just \"%s\"",
                          word->text, word->text);
    }
    const unsigned bit = 1u << attributes[i].attribute;
    if ((p->seen & bit) != 0) {
        return assay_fail(p->diag, ASSAY_DUPLICATE, word->at,
                          attributes[i].attribute == SECURITY ? "an image has one security state"
                          : attributes[i].attribute == KIND   ? "an image is either elf or raw"
                                                              : "%s is given twice",
                          word->text);
    }
    p->seen |= bit;
    return set_attribute(p, attributes[i].attribute, word);
}

/* FILE[@ADDRESS], of `length` bytes. */
static enum assay_error read_file(const struct parser *p, const char *text, size_t length)
{
    struct assay_image_spec *spec = p->spec;
    size_t name = length;
    for (size_t i = length; i-- > 0;) {
        if (text[i] == '@') {
            const bool digit = i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '9';
            name = digit || i + 1 == length ? i : length;
            break;
        }
    }
    if (name == 0) {
        return assay_fail(p->diag, ASSAY_USAGE, 0, "the name of a file is missing");
    }
    if (name >= sizeof spec->path) {
        return assay_fail(p->diag, ASSAY_LIMIT, 0, "the name of the file has more than %d bytes",
                          ASSAY_IMAGE_PATH_MAX - 1);
    }
    memcpy(spec->path, text, name);
    spec->path[name] = '\0';
    if (name == length) {
        return ASSAY_OK;
    }
    char address[WORD_MAX] = "";
    const size_t digits = length - name - 1;
    if (digits < sizeof address) {
        memcpy(address, text + name + 1, digits);
    }
    spec->has_address = number_of(address, &spec->address);
    if (!spec->has_address) {
        assay_fail(p->diag, ASSAY_USAGE, name + 1, "what follows the @ is not an address");
        assay_diag_hint(p->diag, "an address is decimal or 0x..., of at most 64 bits");
        return ASSAY_USAGE;
    }
    return ASSAY_OK;
}

enum assay_error assay_image_option(const char *text, struct assay_image_spec *spec,
                                    struct assay_diag *diag)
{
    *spec = (struct assay_image_spec){0};
    struct parser p = {.spec = spec, .diag = diag};
    size_t at = strcspn(text, ",");
    enum assay_error error = read_file(&p, text, at);
    while (error == ASSAY_OK && text[at] == ',') {
        struct word word = {.at = at + 1};
        const size_t length = strcspn(text + word.at, ",");
        if (length >= sizeof word.text) {
            return assay_fail(diag, ASSAY_USAGE, word.at, "an attribute of an image is too long");
        }
        memcpy(word.text, text + word.at, length);
        error = read_attribute(&p, &word);
        at = word.at + length;
    }
    return error;
}
