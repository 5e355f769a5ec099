/* A submission, and after a byte 1 a certification profile: both are read, and whether the profile
 * can be met is looked at. */
#include "validator/certify/submission.h"

#include "fuzz/files.h"
#include "io/path.h"
#include "validator/certify/certification.h"

static struct assay_selection *selection(void)
{
    static struct assay_selection all;
    if (all.count == 0) {
        require(assay_selection_begin(&all, NULL, 0, NULL, NULL) == ASSAY_OK);
    }
    return &all;
}

static void check_paths(const struct assay_submission *submission)
{
    for (size_t i = 0; i < submission->trace_count; i++) {
        const struct assay_certify_trace *trace = &submission->traces[i];
        require(assay_path_stays(trace->path));
        require(trace->execution == NULL || assay_path_stays(trace->execution));
        require(trace->facts == NULL || assay_path_stays(trace->facts));
    }
    for (size_t i = 0; i < submission->waivers.count; i++) {
        require(assay_path_stays(submission->waivers.list[i]->text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct part rest = {(const char *)data, size};
    const struct part first = next_part(&rest);
    struct assay_submission submission;
    struct assay_certify_profile profile;
    struct assay_diag diag;
    if (assay_submission_parse("s.yaml", first.text, first.size, &submission, &diag) == ASSAY_OK) {
        check_paths(&submission);
    }
    assay_submission_free(&submission);
    if (assay_certify_profile_parse("p.yaml", rest.text, rest.size, &profile, &diag) == ASSAY_OK) {
        struct assay_certification c = {.profile = &profile, .selection = *selection()};
        (void)assay_certify_check_profile(&c, &diag);
        assay_arena_free(&c.arena);
    }
    assay_certify_profile_free(&profile);
    return 0;
}
