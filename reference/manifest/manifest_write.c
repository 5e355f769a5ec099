#include "manifest/manifest_write.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The character of UTF-8 at a place, and its bytes: 0 if these are no UTF-8. */
static size_t decode(const char *text, size_t left, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc0 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf8 ? 4
                                       : 0;
    if (size == 0 || size > left) {
        return 0;
    }
    *character = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        *character = *character << 6 | (next & 0x3fu);
    }
    const bool surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character >= least[size] && *character <= 0x10ffff && !surrogate ? size : 0;
}

static bool is_utf8(const char *text)
{
    size_t left = strlen(text);
    uint32_t character = 0;
    size_t size = 1;
    while (left > 0 && size > 0) {
        size = decode(text, left, &character);
        text += size;
        left -= size;
    }
    return left == 0;
}

void assay_manifest_put_quoted(struct assay_sink *sink, const char *text, size_t length)
{
    assay_sink_text(sink, "\"");
    for (size_t i = 0, size = 1; i<length; i += size> 0 ? size : 1) {
        uint32_t c = 0;
        size = decode(text + i, length - i, &c);
        char escaped[16];
        /* YAML has neither control characters nor these two, but by escapes. */
        const bool bare =
            (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') || (c >= 0xa0 && c >> 1 != 0x7fff);
        if (size > 0 && bare) {
            snprintf(escaped, sizeof escaped, "%.*s", (int)size, text + i);
        } else {
            snprintf(escaped, sizeof escaped, c < 0x100 ? "\\x%02x" : "\\u%04x",
                     size > 0 ? c : (unsigned char)text[i]);
        }
        assay_sink_text(sink, escaped);
    }
    assay_sink_text(sink, "\"");
}

/* Null when the file is not below the folder of the manifest. */
static const char *relative(const char *manifest, const char *path)
{
    const char *slash = strrchr(manifest, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - manifest) : 0;
    const bool is_file = strcmp(path, "-") != 0;
    const bool below = folder == 0 ? path[0] != '/' : strncmp(path, manifest, folder) == 0;
    return is_file && below && strncmp(path + folder, "../", 3) != 0 ? path + folder : NULL;
}

enum assay_error assay_manifest_put_name(struct assay_sink *sink, const char *manifest,
                                         const char *path, struct assay_diag *diag)
{
    const char *name = relative(manifest, path);
    if (name == NULL) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "%s is not in the folder of the manifest", path);
    }
    if (!is_utf8(name)) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "a manifest cannot name %s, which is no UTF-8", path);
    }
    assay_manifest_put_quoted(sink, name, strlen(name));
    return ASSAY_OK;
}
