#include "validator/program/builtin.h"

#include <string.h>

static enum assay_error read_base(void *context, const char *path, struct assay_yaml_file *file,
                                  struct assay_diag *diag)
{
    (void)context;
    for (size_t i = 0; i < assay_corpus_count; i++) {
        const struct assay_corpus_text *text = &assay_corpus[i];
        if (strcmp(text->name, path) == 0) {
            return assay_yaml_parse(path, text->text, text->size, file, diag);
        }
    }
    return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET, "is not in the program");
}

enum assay_error assay_builtin_vector(const struct assay_corpus_text *text,
                                      struct assay_vector *vector, struct assay_diag *diag)
{
    static const struct assay_vector_files files = {.read = read_base};
    return assay_vector_parse(text->name, text->text, text->size, &files, vector, diag);
}

bool assay_builtin_is_vector(const struct assay_corpus_text *text)
{
    return strstr(text->name, "/_") == NULL;
}
