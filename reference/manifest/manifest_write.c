#include "manifest/manifest_write.h"

#include <stdio.h>
#include <string.h>

void assay_manifest_put_quoted(struct assay_sink *sink, const char *text, size_t length)
{
    assay_sink_text(sink, "\"");
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        char escaped[8];
        const bool bare = c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
        snprintf(escaped, sizeof escaped, bare ? "%c" : "\\x%02x", c);
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
    assay_manifest_put_quoted(sink, name, strlen(name));
    return ASSAY_OK;
}
