#include "validator/engine/known.h"

#include <string.h>

#include "validator/engine/bundle.h"
#include "validator/engine/evidence.h"

/* --- a result --- */

/* An error that may not occur again, or that a file which is not in the result can make good. */
static bool may_pass(const struct assay_diag *diag)
{
    if (diag == NULL) {
        return false;
    }
    switch (diag->error) {
    case ASSAY_UNKNOWN_FORMAT:
    case ASSAY_UNSUPPORTED:
    case ASSAY_TRUNCATED:
    case ASSAY_CORRUPT:
    case ASSAY_SYNTAX:
    case ASSAY_UNKNOWN_NAME:
    case ASSAY_WRONG_TYPE:
    case ASSAY_DUPLICATE:
    case ASSAY_OUT_OF_RANGE:
    case ASSAY_CONTRADICTION:
    case ASSAY_USAGE:
        return false;
    case ASSAY_NOT_FOUND:
        return diag->path[0] != '\0'; /* a file; else a stream that the capture does not have */
    default:
        return true;
    }
}

static bool streams_stay(const struct assay_input_result *result)
{
    for (size_t i = 0; i < result->stream_count; i++) {
        if (may_pass(result->streams[i].error) || may_pass(result->streams[i].unlocated)) {
            return false;
        }
    }
    return result->stream_count > 0;
}

bool assay_known_later(const struct assay_input_run *run)
{
    const struct assay_input_result *result = &run->result;
    bool known = result->conclusion != ASSAY_UNREADABLE && !result->interrupted &&
                 !result->changed && result->sha256[0] != '\0' && streams_stay(result);
    for (size_t i = 0; i < result->file_count; i++) {
        known = known && result->files[i].sha256[0] != '\0' && !result->files[i].changed;
    }
    for (size_t i = 0; i < result->evidence_count; i++) {
        const struct assay_evidence *file = &result->evidence[i];
        known = known && (file->sha256[0] != '\0' || file->missing) && !file->changed;
    }
    return known;
}

/* --- the files --- */

struct comparison {
    enum assay_error error; /* memory */
    bool still;
};

/* Only a regular file can be read for its digest, and again to be judged. */
static void compare_file(struct comparison *c, const char *path, const char *sha256)
{
    struct assay_file_stamp stamp;
    struct assay_witness_report report = {.sha256 = ""};
    if (!c->still || sha256[0] == '\0' || !assay_stamp_of_path(path, &stamp)) {
        c->still = false;
        return;
    }
    const enum assay_error error = assay_evidence_of_path(path, &report);
    c->error = error == ASSAY_NO_MEMORY ? error : c->error;
    c->still = error == ASSAY_OK && !report.changed && strcmp(report.sha256, sha256) == 0;
}

static void compare_data(struct comparison *c, const struct assay_input *input,
                         const struct assay_input_result *before)
{
    const size_t count = input->parts != NULL ? input->parts->count : 0;
    c->still = c->still && count == before->file_count;
    for (size_t i = 0; i < count && c->still; i++) {
        compare_file(c, input->parts->list[i].path, before->files[i].sha256);
    }
    if (input->parts == NULL) {
        compare_file(c, input->path, before->sha256);
    }
}

static const struct assay_evidence *find(const struct assay_evidence_list *list,
                                         const struct assay_evidence *file)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].role, file->role) == 0 &&
            strcmp(list->list[i].path, file->path) == 0) {
            return &list->list[i];
        }
    }
    return NULL;
}

/* A recorded execution is read with the trace, and is no evidence before. */
static void compare_evidence(struct comparison *c, const struct assay_evidence_list *now,
                             const struct assay_input_result *before)
{
    size_t others = 0;
    for (size_t i = 0; i < before->evidence_count && c->still; i++) {
        const struct assay_evidence *file = &before->evidence[i];
        if (strcmp(file->role, "execution") == 0) {
            compare_file(c, file->path, file->sha256);
            continue;
        }
        const struct assay_evidence *same = find(now, file);
        c->still = same != NULL && same->missing == file->missing &&
                   strcmp(same->sha256, file->sha256) == 0 &&
                   (same->missing || same->sha256[0] != '\0');
        others++;
    }
    c->still = c->still && others == now->count;
}

enum assay_error assay_known_still(const struct assay_input *input,
                                   const struct assay_input_result *before, bool *still)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_bundle bundle;
    struct comparison c = {.error = ASSAY_OK};
    *still = false;
    if (input->refused != NULL || strcmp(input->path, before->path) != 0) {
        return ASSAY_OK;
    }
    const enum assay_error error = assay_bundle_open(input, true, &bundle, &diag);
    c.still = error == ASSAY_OK && !bundle.evidence.out_of_memory;
    compare_evidence(&c, &bundle.evidence, before);
    if (c.still) {
        compare_data(&c, &bundle.input, before);
    }
    /* What it has read is as it was when its digest was computed. */
    assay_evidence_verify(&bundle.evidence);
    *still = c.still && !assay_evidence_changed(&bundle.evidence);
    assay_bundle_close(&bundle);
    return error == ASSAY_NO_MEMORY ? error : c.error;
}
