/* Causes: the rules that failed, grouped by what they probably have in common, in the order in
 * which to look at them. Computed from results alone; by general means, for any format.
 *
 * Where several rules form a cause it is a guess, unless it is ASSAY_CAUSE_ABSENT; so the
 * conditions are narrow, and a rule that meets none of them is a cause of its own. */
#ifndef ASSAY_VALIDATOR_CAUSES_H
#define ASSAY_VALIDATOR_CAUSES_H

#include "common/arena.h"
#include "validator/engine/results.h"

/* X(enumerator, name in reports) */
#define ASSAY_CAUSES(X)                                                                            \
    /* Rules that always fail, since the traces hold no event of a kind that they ask for. */      \
    X(ABSENT, "absent")                                                                            \
    /* Rules that always fail, with the same value of something that they require. */              \
    X(VALUE, "value")                                                                              \
    /* In the groups of all their findings is the same event, down to each field, though the       \
     * events that the findings are about differ. */                                               \
    X(REPEATED, "repeated")                                                                        \
    /* Rules that hold in most checks, and are first violated in one group of events or beside     \
     * it. */                                                                                      \
    X(PLACE, "place")                                                                              \
    /* One rule. */                                                                                \
    X(RULE, "rule")

enum assay_cause_kind {
#define X(id, name) ASSAY_CAUSE_##id,
    ASSAY_CAUSES(X)
#undef X
        ASSAY_CAUSE_COUNT
};

const char *assay_cause_name(enum assay_cause_kind kind);

enum assay_often {
    ASSAY_ALWAYS,    /* more than once, in all checks of the inputs that violate it */
    ASSAY_SOMETIMES, /* more than once, in some of them */
    ASSAY_ONCE       /* of several rules: each once */
};

/* "always", "sometimes", "once" */
const char *assay_often_name(enum assay_often often);

/* A diagnosis that was recognised. */
struct assay_diagnosis {
    const struct assay_rule_total *rule;
    const struct assay_located_finding *first; /* place; null when no finding was kept */
    const char *sentence;                      /* the message there; without one the title */
};

struct assay_cause {
    enum assay_cause_kind kind;
    const struct assay_rule_total **rules; /* by weight; the first gives level and clauses */
    size_t rule_count;
    bool likely;          /* a guess, not a fact */
    bool counts;          /* for the verdict, by the level of its rules */
    const char *sentence; /* what is the matter; no full stop. Of RULE: the rule's title */
    enum assay_often often;
    uint64_t violated;  /* of all its rules */
    uint64_t exercised; /* in the inputs that violate them */
    size_t inputs;      /* that violate one of them */
    /* The first place by input, stream and offset; null when no finding was kept. */
    const struct assay_located_finding *first;
    const struct assay_rule_total *first_rule; /* that the first place is of */
    /* Those that explain one of the rules, and were recognised in a stream that violates it; the
     * first place is in such a stream. In the order of the catalogue. */
    const struct assay_diagnosis *diagnoses;
    size_t diagnosis_count;
};

/* By weight: those that count for the verdict, by level, those of several rules, by count. */
struct assay_causes {
    const struct assay_cause *list;
    size_t count;
    const struct assay_diagnosis *others; /* diagnoses that are beside no cause */
    size_t other_count;
    struct assay_arena arena;
};

/* Whether a violation of a rule counts for the verdict (--fail-on). */
bool assay_rule_counts(const struct assay_results *results, const struct assay_rule *rule);

/* From which level on a violation counts for the verdict: the name of a level, or "never". */
const char *assay_fail_on(const struct assay_results *results);

/* ASSAY_NO_MEMORY is the only error; the causes, which borrow from the results, are to be freed
 * also then. */
enum assay_error assay_causes_find(const struct assay_results *results,
                                   struct assay_causes *causes);

void assay_causes_free(struct assay_causes *causes);

#endif
