/* Which blocks of the interface the encoder traces: enabling and triggers (2.1, 4.2.4), filters and
 * comparators (2.3, chapter 5), evaluated on what the hart gives. The control registers are taken
 * as they were given, and as constant. What follows neither from them nor from the signals that are
 * there is unknown, so is a block at which the text leaves open whether it still, or already,
 * counts. */
#ifndef ASSAY_ETRACE_QUALIFY_H
#define ASSAY_ETRACE_QUALIFY_H

#include "etrace/etrace.h"

/* Values of the fields `is_enabled`, `matches`, `qualifies` and `watched` of a block. */
enum etrace_truth { ETRACE_NO, ETRACE_YES, ETRACE_UNKNOWN };

enum { ETRACE_ADDRESSES_MOST = 128 };

/* A block, or a trap without one, as filters see it. */
struct etrace_filtered {
    uint64_t address[ETRACE_ADDRESSES_MOST]; /* where its instructions may begin, ascending */
    size_t addresses;                        /* 0: not known */
    bool exact; /* there is one at each of them, not only at the first and the last one */
    bool retires;
    bool typed; /* itype is known */
    bool has_context, has_impdef, has_trigger;
    bool without_priv; /* priv is not known */
    bool has_tval;     /* it has a trap, whose value is known */
    uint64_t itype, cause, tval, priv, context, impdef, trigger;
    /* Of one of its instructions that accesses data, which is then the only address. */
    bool has_dtype, has_dsize, has_daddr;
    uint64_t dtype, dsize, daddr;
};

struct etrace_qualified {
    enum etrace_truth enabled;   /* instruction trace is, by Active, iEnable and triggers */
    enum etrace_truth matches;   /* a filter that iFilters has does, or iFilters is 0 */
    enum etrace_truth qualifies; /* both */
    enum etrace_truth watched;   /* a comparator requests the report of its last instruction */
};

/* Since a trap that was chosen. */
struct etrace_handling {
    uint32_t depth;          /* traps that have not returned, that one included; 0: there is none */
    enum etrace_truth outer; /* `depth` is 0: one is being handled all the same */
};

struct etrace_qualifier {
    const struct assay_parameter_values *values; /* borrowed */
    uint64_t mask;                               /* of addresses */
    enum etrace_truth enabled;
    enum etrace_truth latched[ETRACE_COMPARATORS_MOST]; /* by comparators with matchMode 3 */
    struct etrace_handling exception[ETRACE_FILTERS_MOST], trap[ETRACE_FILTERS_MOST];
    /* Of the block at hand: whether the functions of a comparator match any of its instructions. */
    enum etrace_truth primary[ETRACE_COMPARATORS_MOST], secondary[ETRACE_COMPARATORS_MOST];
};

void etrace_qualifier_open(struct etrace_qualifier *q, const struct assay_parameter_values *values);

/* Evaluates the next block. */
struct etrace_qualified etrace_qualify(struct etrace_qualifier *q,
                                       const struct etrace_filtered *block);

/* Whether filters that dFilters has choose a data access, or dFilters is 0. What depends on blocks
 * before it is unknown: that a handler was chosen, or a comparator with matchMode 3 holds. */
enum etrace_truth etrace_qualify_access(const struct assay_parameter_values *values,
                                        const struct etrace_filtered *access);

/* The hart was halted or reset: where it goes on, no handler need return. */
void etrace_qualifier_halt(struct etrace_qualifier *q);

/* Whether the record begins with an encoder that was reset (the parameter after_reset). */
bool etrace_qualifier_is_fresh(const struct etrace_qualifier *q);

/* Whether any comparator was given. */
bool etrace_qualifier_compares(const struct etrace_qualifier *q);

#endif
