/* What a reader has to know of the files: the run was interrupted, files changed while they were
 * judged, and files that were found and not judged. */
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"

/* Of so many files each reason names the first ones. */
enum { MOST_NAMED = 8 };

static void put_interrupted(struct assay_page *page, const struct assay_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->input_count; i++) {
        count += results->inputs[i].interrupted;
    }
    if (count > 0) {
        assay_page_line(page, 0, 2);
        assay_page_put(page, ASSAY_INK_WARNING, "Interrupted");
        assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        assay_page_count(page, count, "input was", "inputs were");
        assay_page_put(page, ASSAY_INK_PLAIN, " not judged to the end.");
    }
}

/* Names of a list, the first few of them. */
struct names {
    struct assay_page *page;
    size_t count;
};

static void put_name(struct names *names, const char *name)
{
    if (names->count < MOST_NAMED) {
        assay_page_put(names->page, ASSAY_INK_PLAIN, names->count == 0 ? ": " : ", ");
        assay_page_name(names->page, ASSAY_INK_PLAIN, name);
    }
    names->count++;
}

static void end_names(const struct names *names)
{
    if (names->count > MOST_NAMED) {
        assay_page_put(names->page, ASSAY_INK_PLAIN, " and ");
        assay_page_count(names->page, names->count - MOST_NAMED, "more", "more");
    }
    assay_page_put(names->page, ASSAY_INK_PLAIN, names->count > 0 ? "." : "");
}

static void put_changed_name(struct names *names, const char *name)
{
    if (names->count == 0) {
        assay_page_line(names->page, 0, 2);
        assay_page_put(names->page, ASSAY_INK_WARNING, "Changed while it was used");
    }
    put_name(names, name);
}

static void put_changed_evidence(struct names *names, const struct assay_evidence *list,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].changed) {
            put_changed_name(names, list[i].path);
        }
    }
}

static void put_changed(struct assay_page *page, const struct assay_results *results)
{
    struct names names = {.page = page};
    put_changed_evidence(&names, results->evidence, results->evidence_count);
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        if (input->changed) {
            put_changed_name(&names, input->path);
        }
        put_changed_evidence(&names, input->evidence, input->evidence_count);
    }
    end_names(&names);
    if (names.count > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, " The verdict is on what was read.");
    }
}

/* Whether the input before lacks the same file, as buffers of one snapshot do. */
static bool is_missing_before(const struct assay_results *results, size_t input, size_t number)
{
    const struct assay_evidence *file = &results->inputs[input].evidence[number];
    const struct assay_input_result *before = input > 0 ? &results->inputs[input - 1] : NULL;
    return before != NULL && number < before->evidence_count && before->evidence[number].missing &&
           strcmp(before->evidence[number].path, file->path) == 0;
}

static void put_missing(struct assay_page *page, const struct assay_results *results)
{
    struct names names = {.page = page};
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        for (size_t n = 0; n < input->evidence_count; n++) {
            if (!input->evidence[n].missing || is_missing_before(results, i, n)) {
                continue;
            }
            if (names.count == 0) {
                assay_page_line(page, 0, 2);
                assay_page_put(page, ASSAY_INK_WARNING, "Judged without");
            }
            put_name(&names, input->evidence[n].path);
        }
    }
    end_names(&names);
}

static void put_skipped(struct assay_page *page, const struct assay_results *results)
{
    for (unsigned reason = 0; reason < ASSAY_SKIP_REASON_COUNT; reason++) {
        struct names names = {.page = page};
        const size_t count = assay_skipped_files(results, reason);
        if (count == 0) {
            continue;
        }
        assay_page_line(page, 0, 2);
        assay_page_put(page, ASSAY_INK_STRONG, "Not judged");
        assay_page_put(page, ASSAY_INK_PLAIN, ", since each ");
        assay_page_put(page, ASSAY_INK_PLAIN, assay_skip_reason_text(reason));
        assay_page_put(page, ASSAY_INK_PLAIN, ", ");
        assay_page_count(page, count, "file", "files");
        for (size_t i = 0; i < results->skipped_count; i++) {
            if (results->skipped[i].reason == reason) {
                put_name(&names, results->skipped[i].path);
            }
        }
        end_names(&names);
    }
}

void assay_text_evidence(struct assay_page *page, const struct assay_results *results)
{
    put_interrupted(page, results);
    put_changed(page, results);
    put_missing(page, results);
    put_skipped(page, results);
}
