/* A vector, read and encoded; what it encodes to is decoded, and so is each stream that it carries.
 * Of bases there is one for each format, whichever file the vector names. */
#include <string.h>

#include "fuzz/bounded.h"
#include "validator/vector/vector.h"

static const struct {
    const char *name; /* beginning of the file's name */
    const char *text;
} bases[] = {
    {"el", "vector: 1\nformat: astf\ntrace:\n  - header: {}\n  - context:\n"},
    {"program", "vector: 1\nformat: example\nconfig: {has_context: true}\nimage:\n"
                "  - {at: 0x1000, hex: \"01 00 00 00 02 00 00 00\"}\ntrace:\n"
                "  - sync: {address_width: 32}\n  - start: {address: 0x1000, context: 7}\n"},
    {"", "vector: 1\nformat: stf\ntrace:\n  - identifier: {}\n  - version: {major: 1, minor: 3}\n"
         "  - isa: {isa: riscv}\n  - inst_iem: {encoding_mode: rv64}\n"
         "  - trace_info_feature: {features: 0x20}\n  - force_pc: {pc: 0x10000}\n"},
};

static enum assay_error read_base(void *context, const char *path, struct assay_yaml_file *file,
                                  struct assay_diag *diag)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t i = 0;
    (void)context;
    while (strncmp(name, bases[i].name, strlen(bases[i].name)) != 0) {
        i++;
    }
    return assay_yaml_parse(path, bases[i].text, strlen(bases[i].text), file, diag);
}

static void decode_all(const struct assay_vector *vector, const struct assay_sink *bytes)
{
    const struct assay_input input = assay_vector_input(vector, "vector");
    struct assay_source *source = NULL;
    if (assay_source_memory(bytes->data, bytes->size, &source) != ASSAY_OK) {
        abort();
    }
    (void)bounded_decode(&input.setup, source, NULL, NULL);
    for (size_t i = 0; i < input.stream_count; i++) {
        struct assay_source *whole = NULL;
        struct assay_diag diag;
        if (input.streams[i].format != NULL &&
            assay_source_memory(bytes->data, bytes->size, &whole) == ASSAY_OK &&
            vector->format->carrier->open(whole, input.setup.framing, input.streams[i].id, &source,
                                          &diag) == ASSAY_OK) {
            (void)bounded_decode(&input.streams[i], source, NULL, NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        (void)reached_of(assay_formats[i]);
    }
    static const struct assay_vector_files files = {.read = read_base};
    struct assay_vector vector;
    struct assay_diag diag;
    struct assay_sink sink;
    if (assay_vector_parse("vectors/area/vector", (const char *)data, size, &files, &vector,
                           &diag) == ASSAY_OK) {
        assay_sink_memory(&sink, 1 << 20);
        if (assay_vector_encode(&vector, &sink, &diag) == ASSAY_OK) {
            decode_all(&vector, &sink);
        }
        assay_sink_close(&sink, NULL);
        assay_vector_free(&vector);
    }
    return 0;
}
