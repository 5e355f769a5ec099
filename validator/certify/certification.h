/* A certification: the traces of a submission, judged, and what a profile demands of them, decided.
 */
#ifndef ASSAY_CERTIFY_CERTIFICATION_H
#define ASSAY_CERTIFY_CERTIFICATION_H

#include "validator/certify/challenge.h"
#include "validator/certify/profile.h"
#include "validator/certify/recordings.h"
#include "validator/certify/submission.h"
#include "validator/certify/workloads.h"
#include "validator/engine/evidence.h"
#include "validator/engine/selection.h"

enum assay_certify_verdict {
    ASSAY_CERTIFIED,
    ASSAY_NOT_CERTIFIED,
    ASSAY_CERTIFY_INCOMPLETE /* every demand is met as far as the traces could be judged, and a part
                                of them could not be */
};

/* "certified", "not-certified", "incomplete" */
const char *assay_certify_verdict_name(enum assay_certify_verdict verdict);

/* Something that the profile, or a claim, demands. */
struct assay_certify_demand {
    const char *kind;  /* "judged", "distinct", "version", "rules", "workload", "challenge",
                          "recording", "sentence" and "feature", and what a sentence lacks:
                          "exercise",  "execution", "compared"; "parameter", "waiver", "tables" */
    const char *name;  /* of the trace, rule, workload ... that it is about */
    const char *found; /* what there is, in words */
    bool met;
};

struct assay_certify_demands {
    struct assay_certify_demand *list;
    size_t count, room;
    struct assay_arena *arena;
};

/* A file that took part, by its path relative to the submission's folder. */
struct assay_certify_file {
    const char *path;
    const char *role; /* "trace", or that of the evidence */
    const char *sha256;
    uint64_t bytes;
};

struct assay_certification {
    const struct assay_submission *submission;
    const struct assay_certify_profile *profile;
    const struct assay_certify_level *level;
    struct assay_selection selection; /* that was begun; becomes the certification's */
    const char *const *rule_files;    /* more rules that are in it; names as given */
    size_t rule_file_count;
    unsigned jobs;
    bool made;                                 /* the commands of the submission were run */
    const struct assay_certify_repeat *repeat; /* executes programs again; null: nobody does */
    const struct assay_stop *stop;             /* or null */

    /* What came out. */
    enum assay_certify_verdict verdict;
    struct assay_certify_demands demands;
    struct assay_results results;     /* paths are relative, and the environment is left out */
    struct assay_certify_file *files; /* by path */
    size_t file_count;
    struct assay_certify_workload *workloads;    /* of each trace */
    struct assay_certify_challenged *challenged; /* the same */
    struct assay_certify_recorded *recorded;     /* the same */
    bool released;                               /* the catalogues are those of a release */
    const char *valid_until; /* the last day on which all waivers that were used hold; null: none
                                was */

    /* Private. */
    struct assay_waivers waivers;
    struct assay_evidence_list evidence;
    struct assay_facts *facts;
    struct assay_input *inputs;
    struct assay_check *check;
    struct assay_check_options options;
    struct assay_option_used noted[4];
    struct assay_arena arena;
};

/* Whether the selectors of the profile mean rules of its format, in all levels and features, and as
 * many as are due: else a certificate could never be had. ASSAY_UNKNOWN_NAME, ASSAY_VACUOUS. */
enum assay_error assay_certify_check_profile(struct assay_certification *certification,
                                             struct assay_diag *diag);

/* Judges the traces of the submission, whose folder is the current one, and decides. The members
 * above `verdict` are set, all others are 0; it is to be closed in any case. Errors mean that there
 * is no certificate, neither with nor without success:
 *
 *   ASSAY_NOT_FOUND, ASSAY_NOT_READABLE, ...   a file that the submission names
 *   ASSAY_CONTRADICTION                        a file is not the one that was handed in, or it
 *                                              changed while it was judged
 *   ASSAY_OUT_OF_RANGE                         a waiver has expired
 *   ASSAY_UNKNOWN_NAME                         a level, a feature, a selector ... that there is not
 *   ASSAY_VACUOUS                              a waiver waives nothing
 *   ASSAY_INTERRUPTED, ASSAY_NO_MEMORY */
enum assay_error assay_certify(struct assay_certification *certification, struct assay_diag *diag);

/* Allowed for one that is zero-initialised. */
void assay_certification_close(struct assay_certification *certification);

#endif
