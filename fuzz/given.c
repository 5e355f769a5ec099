/* What is given to a check besides traces and rules: after the byte "w" a file of waivers, after
 * "b" a report as the baseline, of which a run without inputs is then said what is gone. */
#include "fuzz/files.h"
#include "reports/baseline.h"
#include "validator/engine/selection.h"
#include "validator/engine/waivers.h"

static void read_waivers(const char *path)
{
    static struct assay_selection all;
    struct assay_diag diag;
    if (all.count == 0) {
        require(assay_selection_begin(&all, NULL, 0, NULL, NULL) == ASSAY_OK);
    }
    struct assay_waivers waivers = {.catalogues = all.catalogues, .catalogue_count = all.count};
    if (assay_waivers_load(&waivers, path, "2026-01-01", &diag) == ASSAY_OK) {
        for (size_t i = 0; i < waivers.count; i++) {
            require(strcmp(waivers.list[i].expires, "2026-01-01") >= 0);
        }
        (void)assay_waiver_of(&waivers, 0, 0, "some/trace.astf");
    }
    assay_waivers_free(&waivers);
}

static void read_baseline(const char *path)
{
    const struct assay_results results = {.exit_status = 0};
    const struct assay_baseline_result *result = NULL;
    struct assay_baseline *baseline = NULL;
    struct assay_diag diag;
    if (assay_baseline_load(path, &baseline, &diag) == ASSAY_OK) {
        char text[256];
        require(assay_baseline_compare(baseline, &results, &result) == ASSAY_OK);
        assay_baseline_text(result, text, sizeof text);
    }
    assay_baseline_free(baseline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct memory_file file;
    if (size == 0) {
        return 0;
    }
    const char *path = memory_file_write(&file, data + 1, size - 1);
    if (data[0] == 'w') {
        read_waivers(path);
    } else if (data[0] == 'b') {
        read_baseline(path);
    }
    return 0;
}
