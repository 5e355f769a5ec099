/* A vector, read and encoded. */
#include "validator/vector/vector.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct assay_vector vector;
    struct assay_diag diag;
    struct assay_sink sink;
    if (assay_vector_parse("vector", (const char *)data, size, &vector, &diag) == ASSAY_OK) {
        assay_sink_memory(&sink, 1 << 20);
        assay_vector_encode(&vector, &sink, &diag);
        assay_sink_close(&sink, NULL);
        assay_vector_free(&vector);
    }
    return 0;
}
