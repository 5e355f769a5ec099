/* The judge: checks a stream of events against the rules of a catalogue. It knows no format and no
 * report; findings are values without behaviour.
 */
#ifndef ASSAY_VALIDATOR_JUDGE_H
#define ASSAY_VALIDATOR_JUDGE_H

#include "validator/engine/catalogue.h"

enum assay_verdict {
    ASSAY_PASS,           /* exercised, never violated */
    ASSAY_FAIL,           /* violated at least once */
    ASSAY_NOT_EXERCISED,  /* the trace holds nothing that the rule applies to */
    ASSAY_NOT_CHECKABLE,  /* something that the rule needs was not given */
    ASSAY_NOT_APPLICABLE, /* the rule does not belong to the profile that the trace is judged by */
    ASSAY_DESELECTED,     /* the user left the rule out */
    ASSAY_WAIVED,         /* violated, and every violation is waived; never the result of a judge */
    ASSAY_RECOGNISED,     /* of a diagnosis: what it is about was found */
    ASSAY_VERDICT_COUNT
};

/* "pass", "fail", "not-exercised", "not-checkable", "not-applicable", "deselected", "waived",
 * "recognised" */
const char *assay_verdict_name(enum assay_verdict verdict);

struct assay_finding;

struct assay_judge_settings {
    const struct assay_catalogue *catalogue;
    const struct assay_facts *facts;                 /* or null: none is known */
    const struct assay_parameter_values *parameters; /* of the stream; or null: it has none */
    const uint16_t *readings; /* an interpretation: the chosen reading; null: the defaults */
    const bool *deselected;   /* a rule: left out; or null */
    uint8_t given;            /* enum assay_need, or'ed: what is given besides the trace */
    unsigned max_findings;    /* retained for each rule; counts stay exact */
    /* The decoder that the events are of, by which messages read single events of runs again; null:
     * they say 0 of these. Borrowed. */
    const struct assay_decoder_ops *decoding;
    struct assay_decoder *decoder;
    bool evaluate; /* evaluate the rules even where emitted checks exist */
    /* Told each finding that is retained, in the order of the events, once the block that it is in
     * was judged; may be null. What follows the event is not shown yet. */
    void (*found)(void *context, const struct assay_catalogue *catalogue,
                  const struct assay_finding *finding);
    void *found_context;
};

/* An event near a violation, for people. */
struct assay_shown_event {
    uint64_t index;                       /* in its layer */
    uint64_t offset;                      /* in bytes, in the decoded stream */
    const char *line;                     /* "kind  fields" */
    struct assay_instruction instruction; /* that it holds */
    uint16_t kind;
    bool
        grouped; /* it is of the group of the event that the finding is about (struct assay_kind) */
};

enum { ASSAY_SHOWN_BYTES = 64 };

/* One violation, with its evidence. All texts are owned by the judge. */
struct assay_finding {
    const struct assay_rule *rule;
    uint16_t kind;
    uint64_t index;  /* of the event in its layer */
    uint64_t offset; /* in bytes, in the decoded stream */
    uint32_t bits;
    const char *message;
    const uint64_t *values;                /* of the leaves rule->evidence[...] */
    const struct assay_shown_event *shown; /* in order: the events of its group, of a long one
                                              those near it, and one on each side */
    uint16_t shown_count;
    uint16_t shown_at; /* which of them is the event itself */
    /* It, with the first ASSAY_SHOWN_BYTES of its bytes and without what it came from. */
    const struct assay_event *event;
};

/* The line of the event itself (0), of the one before (-1) or after it (1); null when there is
 * none.
 */
const char *assay_finding_line(const struct assay_finding *finding, int distance);

/* How many findings a judge keeps, of all rules, and so does a run, of all inputs: some 200 MB.
 * Memory depends neither on the trace nor on the number of inputs. Counts stay exact. */
enum { ASSAY_MOST_FINDINGS = 100000 };

/* The values of a leaf of a rule's evidence over the violations of the rule: a constant value
 * suggests a single cause. */
struct assay_spread {
    uint64_t value; /* at the first violation */
    bool varies;    /* it was another one later */
};

/* Spreads are over the violations among so many events of the layer, from the first violation on:
 * however the stream is cut into blocks. */
enum { ASSAY_SAMPLED_EVENTS = 65536 };

struct assay_rule_result {
    enum assay_verdict verdict;
    uint64_t exercised;
    uint64_t violated;
    const struct assay_finding *const *findings;
    size_t finding_count;              /* at most max_findings */
    uint64_t dropped;                  /* how many more that would be without ASSAY_MOST_FINDINGS */
    const struct assay_spread *spread; /* of the leaves rule->evidence[...]; null: not violated */
    uint64_t sampled;                  /* violations that it is over */
};

struct assay_judge;

enum assay_error assay_judge_open(const struct assay_judge_settings *settings,
                                  struct assay_judge **judge, struct assay_diag *diag);

/* Judges the next events of the stream, all of one layer and in order. They need not stay valid
 * after the call. */
enum assay_error assay_judge_events(struct assay_judge *judge, const struct assay_event *events,
                                    size_t count);

/* The profile by which the trace was read: rules that do not belong to it do not apply, and what
 * they find is not told. It is certain only after the last event; all rules are checked anyway. */
void assay_judge_profile(struct assay_judge *judge, unsigned profile);

/* A layer is not complete. Where there is a program, and nothing of it could be followed, so that
 * there is no run of events, the stream is not known to be right anywhere. */
void assay_judge_partial(struct assay_judge *judge, unsigned layer);

/* How many events of each kind there were so far. The judge's, and current until it is closed. */
const uint64_t *assay_judge_counts(const struct assay_judge *judge);

/* The result of a rule for all events so far. */
struct assay_rule_result assay_judge_result(const struct assay_judge *judge, size_t rule);

/* Writes the names of what a rule that is not checkable lacks ("facts:FEAT_SME", "execution",
 * "config:TRCIDR8"), at most `capacity` pointers to texts of the judge; returns how many there are.
 */
size_t assay_judge_missing(const struct assay_judge *judge, size_t rule, const char **names,
                           size_t capacity);

const struct assay_catalogue *assay_judge_catalogue(const struct assay_judge *judge);

void assay_judge_close(struct assay_judge *judge);

/* A leaf's value as text, as its field is shown. */
void assay_leaf_text(const struct assay_catalogue *catalogue, uint16_t leaf, uint64_t value,
                     char *out, size_t size);

/* "kind  fields" of an event. */
void assay_event_line(const struct assay_format *format, const struct assay_event *event, char *out,
                      size_t size);

/* The value of a leaf that the event itself holds: a field, its kind, offset, fault or origin.
 * False for leaves of other kinds. */
bool assay_leaf_of_event(const struct assay_catalogue *catalogue, uint16_t leaf,
                         const struct assay_event *event, uint64_t *value);

/* For emitted code: the value of a FROM leaf. */
uint64_t assay_leaf_from(const struct assay_catalogue *catalogue, uint16_t leaf,
                         const struct assay_event *event);

#endif
