/* A recorded execution, read to its end. */
#include "execution/execution.h"
#include "fuzz/target.h"
#include "io/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_execution_summary summary;
    if (assay_source_memory(data, size, &source) == ASSAY_OK &&
        assay_execution_open(source, &execution, NULL) == ASSAY_OK) {
        assay_execution_summary(execution, &summary);
        assay_execution_close(execution);
    }
    return 0;
}
