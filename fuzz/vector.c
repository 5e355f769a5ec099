/* A vector, read and encoded. */
#include <string.h>

#include "fuzz/target.h"
#include "validator/vector/vector.h"

/* The base of whatever name. */
static enum assay_error read_base(void *context, const char *path, struct assay_yaml_file *file,
                                  struct assay_diag *diag)
{
    static const char text[] = "vector: 1\nformat: astf\ntrace:\n  - header: {}\n  - context:\n";
    (void)context;
    return assay_yaml_parse(path, text, strlen(text), file, diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct assay_vector_files files = {.read = read_base};
    struct assay_vector vector;
    struct assay_diag diag;
    struct assay_sink sink;
    if (assay_vector_parse("vector", (const char *)data, size, &files, &vector, &diag) ==
        ASSAY_OK) {
        assay_sink_memory(&sink, 1 << 20);
        assay_vector_encode(&vector, &sink, &diag);
        assay_sink_close(&sink, NULL);
        assay_vector_free(&vector);
    }
    return 0;
}
