/* What a run found: the data that reports are written from. Reports read nothing else.
 */
#ifndef ASSAY_VALIDATOR_RESULTS_H
#define ASSAY_VALIDATOR_RESULTS_H

#include "execution/uncompared.h"
#include "io/digest.h"
#include "model/parameters.h"
#include "validator/engine/facts_used.h"
#include "validator/engine/judge.h"
#include "validator/engine/overview.h"
#include "validator/engine/waivers.h"

enum assay_conclusion {
    ASSAY_CONFORMS,   /* rules were exercised, none of a level that counts was violated */
    ASSAY_VIOLATES,   /* a rule of a level that counts (--fail-on) was violated */
    ASSAY_INCOMPLETE, /* none was, but part of the input could not be judged, or nothing was, or
                         a file changed while it was judged */
    ASSAY_UNREADABLE, /* the input could not be read at all */
    ASSAY_CONCLUSION_COUNT
};

/* "conforms", "violates", "incomplete", "unreadable" */
const char *assay_conclusion_name(enum assay_conclusion conclusion);

/* A layer of a stream. */
struct assay_layer_result {
    bool left_out;   /* it was not decoded, since no rule that is selected is about it */
    bool complete;   /* all that reached the layer could be decoded; not if it is left out */
    const char *why; /* if not: in a few words; null where the event `end` says it */
};

/* The result of an exercised rule for a stream. */
struct assay_rule_outcome {
    uint64_t rule; /* its number in the results' list of rules */
    uint64_t exercised;
    uint64_t violated; /* without what is waived, as everywhere below */
    uint64_t waived;   /* violations that are: then none is left in `violated` */
};

/* So many overviews are kept in a run: of streams that violate a rule, and of others. */
enum { ASSAY_MOST_OVERVIEWS = 64, ASSAY_MOST_OVERVIEWS_OTHER = 16 };

/* A stream of events: all of an input, or what it carries under an id. */
struct assay_stream_result {
    bool has_id;
    uint32_t id;                       /* the trace source in a capture of several; 0 without */
    const struct assay_format *format; /* null when the stream was not judged */
    const char *unjudged;              /* then: why not, in a few words */
    const struct assay_diag *error;    /* the same in parts */
    /* Why the places of its findings could not be looked up in the input that carries it; or
     * null. */
    const struct assay_diag *unlocated;
    unsigned profile;                      /* of the format, by which it was judged */
    const char *profile_reason;            /* why that one; or null */
    const uint64_t *events;                /* of each kind of the format */
    const struct assay_overview *overview; /* or null: nobody asked for it, or enough streams have
                                              one (ASSAY_MOST_OVERVIEWS) */
    const struct assay_parameter_values *parameters; /* in effect; null where the format has none */
    const struct assay_facts_used *facts; /* in effect; null: none were given, or it is not known */
    const struct assay_layer_result *layers;   /* of the format */
    const struct assay_uncompared *uncompared; /* null: no recorded execution was given */
    /* enum assay_verdict of each rule of the results; ASSAY_VERDICT_COUNT for one of another
     * format. Null when the stream was not judged. */
    const uint8_t *verdicts;
    const struct assay_rule_outcome
        *outcomes; /* of the rules that were exercised, in their order */
    size_t outcome_count;
    bool complete;       /* all layers are that are not left out */
    uint64_t exercised;  /* checks made: events times rules that apply to them */
    uint64_t violations; /* of rules of any level */
    uint64_t waived;     /* violations that do not count */
    enum assay_conclusion conclusion;
};

/* One of the files that an input consists of. */
struct assay_file_result {
    const char *path; /* as the manifest names it */
    uint64_t bytes;
    char sha256[ASSAY_DIGEST_TEXT]; /* this and the next two as those of the input */
    const char *no_digest;
    bool changed;
};

/* A file that took part, besides the traces. */
struct assay_evidence {
    const char *role; /* "rules", "facts", "config", "image", "execution", "manifest", "waivers",
                         "selection" */
    const char *path;
    uint64_t bytes;
    char sha256[ASSAY_DIGEST_TEXT]; /* as of an input, of the bytes that were used */
    const char *no_digest;
    bool changed; /* while the run lasted */
    bool missing; /* it does not exist: the input was judged without */
};

/* Why a file that was named or found was not judged. */
#define ASSAY_SKIP_REASONS(X)                                                                      \
    X(NO_MAGIC, "no-magic", "begins with no trace's magic")                                        \
    X(OTHER_FORMAT, "other-format", "is of another format than the one that is judged")            \
    X(NAMED, "named-by-manifest", "is named by a manifest, not as a trace")                        \
    X(DATA, "judged-with-manifest", "is judged with the manifest that names it")                   \
    X(SAME_FILE, "same-file", "is the same file as another input")                                 \
    X(SAME_DIRECTORY, "same-directory", "leads to a directory that is looked through already")     \
    X(BROKEN_LINK, "broken-link", "is a link that leads nowhere")                                  \
    X(SPECIAL, "special-file", "is a FIFO, a socket or a device")                                  \
    X(EMPTY, "empty-buffer", "is an empty buffer of a snapshot that has others")

enum assay_skip_reason {
#define X(id, name, text) ASSAY_SKIP_##id,
    ASSAY_SKIP_REASONS(X)
#undef X
        ASSAY_SKIP_REASON_COUNT
};

/* "no-magic"; "begins with no trace's magic" */
const char *assay_skip_reason_name(enum assay_skip_reason reason);
const char *assay_skip_reason_text(enum assay_skip_reason reason);

struct assay_skipped {
    const char *path;
    enum assay_skip_reason reason;
};

/* The first stream of an input that could be read is the one that its bytes are; those that it
 * carries follow. An error of one of these, or of what is given only for it, is in its result
 * (`unjudged`), and the others are judged. */
struct assay_input_result {
    const char *path;
    /* "sha256:...", of the stored bytes that were judged, those of several files one after the
     * other; "" when no report asked for it, or it could not be computed. */
    char sha256[ASSAY_DIGEST_TEXT];
    const char *no_digest; /* why a digest that was wanted could not be computed; or null */
    bool changed;          /* a file of it had changed by the time it was judged */
    bool interrupted;      /* the run was interrupted before all of it was judged */
    bool filtered;  /* its bytes are compressed as a whole: offsets are not those of a file */
    uint64_t bytes; /* stored bytes that were read */
    const struct assay_file_result *files; /* that a manifest put together to the input */
    size_t file_count;                     /* 0 for an input that is a single file */
    const struct assay_evidence *evidence; /* what its manifest names, and recorded executions */
    size_t evidence_count;
    const struct assay_stream_result *streams;
    size_t stream_count; /* 0 when unreadable */
    bool complete;       /* all streams are */
    uint64_t exercised;  /* of all streams */
    uint64_t violations;
    uint64_t waived;
    enum assay_conclusion conclusion; /* the most severe of the streams' */
    struct assay_diag diag;           /* unreadable: why */
};

struct assay_located_finding {
    const struct assay_finding *finding;
    size_t input;    /* number in the list of inputs */
    size_t stream;   /* number in the list of its streams */
    uint64_t offset; /* in bytes, in the decoded stream of the input: that of the finding in its own
                        stream, unless the input carries it among others */
    bool unlocated;  /* it does, and where is not known: `offset` is that in its own stream */
    size_t file;     /* 1 + number in the list of the input's files; 0: it has no such list, or its
                        bytes are compressed as a whole, so that offsets are not those of a file */
    uint64_t file_offset; /* in bytes, in that file */
};

/* A finding with what it is of: all that a report needs to show it. */
struct assay_found {
    const char *path; /* of the input */
    const struct assay_stream_result *stream;
    const struct assay_catalogue *catalogue;
    const struct assay_located_finding *placed;
};

/* A rule over all inputs. */
struct assay_rule_total {
    const struct assay_rule *rule;
    const struct assay_catalogue *catalogue; /* that the rule and its leaves are of */
    enum assay_verdict
        verdict; /* fail if it failed anywhere; else waived, pass, not-exercised,
                    not-checkable, not-applicable, deselected: the first that held for some input */
    uint64_t exercised;
    uint64_t violated;
    uint64_t waived;            /* violations in inputs for which the rule is waived */
    const char *const *missing; /* not-checkable: what was not given */
    size_t missing_count;
    /* In order of inputs and offsets: the first max_findings of each input, ASSAY_MOST_FINDINGS of
     * all rules and inputs. */
    const struct assay_located_finding *findings;
    size_t finding_count;
    size_t violating; /* inputs that violate it */
    /* Of the leaves rule->evidence[...], over `sampled` violations; null where it did not fail. */
    const struct assay_spread *spread;
    uint64_t sampled;
};

/* An interpretation in effect. */
struct assay_reading_used {
    const struct assay_interpretation *interpretation;
    uint16_t reading; /* the chosen one */
};

struct assay_option_used {
    const char *name;  /* "fail-on" */
    const char *value; /* as resolved */
};

/* A waiver, and how many violations it waived; one that waived none is a mistake. */
struct assay_waiver_used {
    const struct assay_waiver *waiver;
    uint64_t waived;
    bool judged; /* a rule of it was not left out by the user */
};

struct assay_results {
    enum assay_conclusion conclusion; /* of the run: the most severe of its inputs */
    enum assay_level fail_on;
    const struct assay_input_result *inputs;
    size_t input_count;
    const struct assay_skipped *skipped; /* files that are no inputs, in the order found */
    size_t skipped_count;
    const struct assay_evidence *evidence; /* files that options of the run name */
    size_t evidence_count;
    int interrupted; /* by this signal, before all inputs were judged; 0: it was not */
    const struct assay_rule_total *rules; /* of all catalogues that were used, in their order */
    size_t rule_count;
    uint64_t findings_dropped; /* beyond ASSAY_MOST_FINDINGS */
    const struct assay_reading_used *readings;
    size_t reading_count;
    const struct assay_waivers *waiver_list; /* that were given; or null */
    const struct assay_waiver_used *waivers; /* each of these */
    size_t waiver_count;
    const struct assay_baseline_result *baseline; /* reports/baseline.h; null: none was given */
    const struct assay_shard_result *shard;       /* reports/shard.h; null: the run is no shard */
    int exit_status;            /* with which the program ends; negative: it is none */
    const char *const *digests; /* of the catalogues that were used */
    size_t digest_count;
    const struct assay_option_used *options;
    size_t option_count;
    /* The environment: not the same for the same input. */
    const char *host;
    const char *started; /* ISO 8601, UTC */
    double seconds;
    unsigned jobs;
    bool cached;   /* results of earlier runs could be used */
    size_t reused; /* of so many inputs they were */
};

#endif
