/* Reports of shards, merged. After the byte "r" come up to four reports, each ended by a byte 1, as
 * they are. After any other byte come records, a line each, to which the target adds the rest of
 * the report of the only shard, with the right digest; what they give is written as a report of a
 * kind that the first byte chooses. */
#include "validator/program/shard_report.h"

#include "fuzz/files.h"
#include "io/digest.h"
#include "reports/writers.h"
#include "validator/engine/collect.h"
#include "validator/engine/selection.h"
#include "validator/record/record.h"

enum { REPORTS = 4 };

static struct memory_file files[REPORTS];

static const struct assay_check_options *options(void)
{
    static struct assay_check_options all = {.max_findings = 20, .fail_on = ASSAY_MUST};
    static struct assay_selection selection;
    if (selection.count == 0) {
        require(assay_selection_begin(&selection, NULL, 0, NULL, NULL) == ASSAY_OK);
        assay_selection_apply(&selection, &all);
    }
    return &all;
}

static void write_report(const struct assay_results *results, unsigned kind)
{
    static enum assay_error (*const writers[])(
        const struct assay_results *, const struct assay_report_style *,
        struct assay_sink *) = {assay_report_json, assay_report_text, assay_report_junit,
                                assay_report_sarif, assay_report_html};
    const struct assay_report_style style = {.verbose = true};
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    require(writers[kind % (sizeof writers / sizeof *writers)](results, &style, &sink) == ASSAY_OK);
    assay_sink_discard(&sink);
}

static void merge(struct assay_shard_reports *reports, unsigned kind)
{
    struct assay_diag diag;
    enum assay_error error = ASSAY_OK;
    struct assay_collection *collection = assay_collection_open(options());
    require(collection != NULL);
    for (size_t i = 0; error == ASSAY_OK && i < reports->place_count; i++) {
        struct assay_input_run run = {.options = options(), .number = i};
        json_t *record = NULL;
        error = assay_shard_reports_record(reports, i, &record, &diag);
        if (error == ASSAY_OK) {
            error = assay_record_read(record, &run, &diag);
            error = error != ASSAY_OK ? error : assay_collect(collection, &run);
            assay_input_close(&run);
        }
        json_decref(record);
    }
    if (error == ASSAY_OK) {
        write_report(assay_collection_results(collection), kind);
    }
    assay_collection_close(collection);
}

static void open_reports(size_t count, unsigned kind)
{
    const char *paths[REPORTS];
    struct assay_shard_reports reports;
    struct assay_diag diag;
    for (size_t i = 0; i < count; i++) {
        paths[i] = files[i].path;
    }
    if (assay_shard_reports_open(&reports, paths, count, &diag) == ASSAY_OK) {
        merge(&reports, kind);
    }
    assay_shard_reports_close(&reports);
}

/* The records, and what surrounds them in a report. */
static void compose(const char *text, size_t size)
{
    char digest[ASSAY_DIGEST_TEXT];
    struct assay_digest records;
    struct assay_sink sink;
    size_t count = 0;
    assay_digest_begin(&records);
    assay_sink_memory(&sink, 0);
    assay_sink_text(&sink,
                    "{\"schema\": \"assay-report/2\", \"tool\": {\"version\": \"" ASSAY_VERSION
                    "\", \"catalogues\": []}, \"evidence\": [], \"skipped\": [], \"shard\": "
                    "{\"number\": 1, \"of\": 1, \"list\": \"\", \"arguments\": [], "
                    "\"schema\": \"" ASSAY_RECORD_SCHEMA "\", \"records\": [");
    for (const char *at = text, *end = text + size; at < end; count++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((feed != NULL ? feed : end) - at);
        assay_sink_text(&sink, count > 0 ? ",\n" : "\n");
        assay_sink_write(&sink, at, length);
        assay_digest_add(&records, at, length);
        assay_digest_add(&records, "\n", 1);
        at += length + (feed != NULL);
    }
    require(assay_digest_end(&records, digest) == ASSAY_OK);
    assay_sink_printf(&sink, "], \"digest\": \"%s\", \"inputs\": %zu}}", digest, count);
    memory_file_write(&files[0], sink.data, sink.size);
    assay_sink_discard(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = 1;
    if (size == 0) {
        return 0;
    }
    struct part rest = {(const char *)data + 1, size - 1};
    if (data[0] != 'r') {
        compose(rest.text, rest.size);
    } else {
        for (count = 0; count < REPORTS && (count == 0 || rest.size > 0); count++) {
            const struct part part = next_part(&rest);
            memory_file_write(&files[count], part.text, part.size);
        }
    }
    open_reports(count, data[0]);
    return 0;
}
