/* Triggers and filters; comparators.c has the comparators. */
#include "common/bytes.h"
#include "etrace/interface/comparators.h"
#include "etrace/interface/signals.h"

enum { TRACE_ON = 1, TRACE_OFF = 2, COMPARISONS = 3, LEVELS = 8, CAUSES = 32 };

/* --- registers --- */

static bool is_given(const struct etrace_qualifier *q, size_t number)
{
    return q->values->known[number];
}

static uint64_t value_of(const struct etrace_qualifier *q, size_t number)
{
    return q->values->value[number];
}

static enum etrace_truth truth_of(const struct etrace_qualifier *q, size_t number)
{
    return is_given(q, number) ? etrace_truth(value_of(q, number) != 0) : ETRACE_UNKNOWN;
}

bool etrace_qualifier_is_fresh(const struct etrace_qualifier *q)
{
    return value_of(q, ETRACE_AFTER_RESET) != 0;
}

enum etrace_truth etrace_optional(const struct etrace_qualifier *q, size_t number, bool absent)
{
    const bool is_reset =
        absent || (etrace_qualifier_is_fresh(q) && value_of(q, ETRACE_WIRE) < ETRACE_2_0);
    return !is_given(q, number) && is_reset ? ETRACE_NO : truth_of(q, number);
}

static size_t of_filter(size_t n, size_t field)
{
    return ETRACE_FILTER0_ENABLE + n * ETRACE_CELL_filter_given + field;
}

#define FILTER(n, field) of_filter(n, ETRACE_CELL_filter_##field)

/* --- enabling (2.1, 4.2.4) --- */

static enum etrace_truth enabled_after(const struct etrace_qualifier *q,
                                       const struct etrace_filtered *block)
{
    const enum etrace_truth obeys = truth_of(q, ETRACE_ITRIG_ENABLE);
    const uint64_t pulses = block->has_trigger ? block->trigger & (TRACE_ON | TRACE_OFF) : 0;
    if (obeys == ETRACE_NO) {
        return q->enabled;
    }
    if (!block->has_trigger && obeys == ETRACE_YES) {
        return ETRACE_UNKNOWN; /* of its pulses nothing is known */
    }
    if (pulses == 0) {
        return q->enabled;
    }
    const enum etrace_truth to =
        pulses == (TRACE_ON | TRACE_OFF) ? ETRACE_UNKNOWN : etrace_truth(pulses == TRACE_ON);
    return obeys == ETRACE_YES || to == q->enabled ? to : ETRACE_UNKNOWN;
}

/* Whether it is traced with the block that has the pulse is not said. */
static enum etrace_truth take_trigger(struct etrace_qualifier *q,
                                      const struct etrace_filtered *block)
{
    const enum etrace_truth before = q->enabled;
    if (is_given(q, ETRACE_ACTIVE) && value_of(q, ETRACE_ACTIVE) == 0) {
        return ETRACE_NO;
    }
    q->enabled = enabled_after(q, block);
    return q->enabled == before ? before : ETRACE_UNKNOWN;
}

/* --- traps that a filter chooses --- */

static bool is_trap(const struct etrace_filtered *block)
{
    return block->itype == ETRACE_ITYPE_EXCEPTION || block->itype == ETRACE_ITYPE_INTERRUPT;
}

/* By its cause. Codes are of exceptions; whether those of interrupts count is not said. */
static enum etrace_truth is_chosen(const struct etrace_qualifier *q, size_t n,
                                   const struct etrace_filtered *block)
{
    const size_t choice = FILTER(n, choice_ecause);
    const bool chosen = block->cause < CAUSES && (value_of(q, choice) >> block->cause & 1) != 0;
    const bool reached = block->cause >> value_of(q, ETRACE_ECAUSE_CHOICE) == 0;
    if (!is_given(q, choice)) {
        return ETRACE_UNKNOWN;
    }
    return !chosen                                             ? ETRACE_NO
           : block->itype == ETRACE_ITYPE_EXCEPTION && reached ? ETRACE_YES
                                                               : ETRACE_UNKNOWN;
}

static enum etrace_truth is_of_kind(const struct etrace_qualifier *q, size_t n,
                                    const struct etrace_filtered *block)
{
    const bool interrupt = block->itype == ETRACE_ITYPE_INTERRUPT;
    const enum etrace_truth wanted = truth_of(q, FILTER(n, value_interrupt));
    return interrupt ? wanted : etrace_not(wanted);
}

static enum etrace_truth is_handled(const struct etrace_handling *handling)
{
    return handling->depth > 0 ? ETRACE_YES : handling->outer;
}

static void lose(struct etrace_handling *handling)
{
    *handling = (struct etrace_handling){.outer = ETRACE_UNKNOWN};
}

/* Handlers nest; the one that was chosen ends with its own return. */
static void go_on(struct etrace_handling *handling, const struct etrace_filtered *block,
                  enum etrace_truth chosen, uint64_t nested)
{
    if (!block->typed) {
        lose(handling);
    } else if (is_trap(block) && handling->depth > 0) {
        handling->depth++;
        if (handling->depth > nested) {
            lose(handling);
        }
    } else if (is_trap(block)) {
        handling->depth = chosen == ETRACE_YES;
        handling->outer = chosen == ETRACE_UNKNOWN ? ETRACE_UNKNOWN : handling->outer;
    } else if (block->itype == ETRACE_ITYPE_XRET && handling->depth > 0) {
        handling->depth--;
    }
}

/* Whether a block is one of a handler. That of the trap, and that of the return, are at its edges.
 */
static enum etrace_truth handle(const struct etrace_qualifier *q, struct etrace_handling *handling,
                                const struct etrace_filtered *block, enum etrace_truth chosen)
{
    const uint64_t nested = UINT64_C(1) << value_of(q, ETRACE_FILTER_EXCINT);
    const enum etrace_truth before = is_handled(handling);
    const enum etrace_truth enabled = q->enabled;
    go_on(handling, block, is_trap(block) ? chosen : ETRACE_NO, nested);
    if (enabled != ETRACE_YES && is_handled(handling) != before) {
        lose(handling); /* whether filters go on while tracing is off is not said */
    }
    return is_handled(handling) == before ? before : ETRACE_UNKNOWN;
}

/* --- filters (tables 2.4 and 2.5) --- */

static enum etrace_truth unless(enum etrace_truth required, enum etrace_truth holds)
{
    return etrace_or(etrace_not(required), holds);
}

static enum etrace_truth compares(const struct etrace_qualifier *q, size_t n, uint64_t address,
                                  const struct etrace_filtered *block)
{
    static const size_t required[COMPARISONS] = {ETRACE_CELL_filter_match_comp1,
                                                 ETRACE_CELL_filter_match_comp2,
                                                 ETRACE_CELL_filter_match_comp3};
    const bool absent = value_of(q, ETRACE_COMPARATORS) == 0;
    enum etrace_truth all = ETRACE_YES;
    for (size_t i = 0; i < COMPARISONS; i++) {
        const size_t match = of_filter(n, required[i]);
        const size_t comp = match + 1;
        const bool selects = is_given(q, comp) || etrace_qualifier_is_fresh(q);
        all =
            etrace_and(all, unless(etrace_optional(q, match, absent),
                                   selects ? etrace_comparator(q, value_of(q, comp), address, block)
                                           : ETRACE_UNKNOWN));
    }
    return all;
}

static enum etrace_truth matches_level(const struct etrace_qualifier *q, size_t n,
                                       const struct etrace_filtered *block)
{
    const size_t choice = FILTER(n, choice_privilege);
    const bool chosen = block->priv < LEVELS && (value_of(q, choice) >> block->priv & 1) != 0;
    const bool absent = value_of(q, ETRACE_FILTER_PRIVILEGE) == 0;
    const bool known = is_given(q, choice) && !block->without_priv;
    return unless(etrace_optional(q, FILTER(n, match_privilege), absent),
                  known ? etrace_truth(chosen) : ETRACE_UNKNOWN);
}

static enum etrace_truth matches_impdef(const struct etrace_qualifier *q, size_t n,
                                        const struct etrace_filtered *block)
{
    const size_t mask = FILTER(n, mask_impdef);
    const size_t value = FILTER(n, value_impdef);
    const bool same = ((block->impdef ^ value_of(q, value)) & value_of(q, mask)) == 0;
    const bool known = block->has_impdef && is_given(q, mask) && is_given(q, value);
    const bool absent =
        value_of(q, ETRACE_FILTER_IMPDEF) == 0 || value_of(q, ETRACE_IMPDEF_WIDTH) == 0;
    return unless(etrace_optional(q, FILTER(n, match_impdef), absent),
                  known ? etrace_truth(same) : ETRACE_UNKNOWN);
}

/* Whether a code is among those that a register has a bit for; an instruction has none. */
static enum etrace_truth is_among(const struct etrace_qualifier *q, size_t choice, bool has,
                                  uint64_t code)
{
    enum { CODES = 16 };
    return has && is_given(q, choice)
               ? etrace_truth(code < CODES && (value_of(q, choice) >> code & 1) != 0)
               : ETRACE_UNKNOWN;
}

static enum etrace_truth matches_data(const struct etrace_qualifier *q, size_t n,
                                      const struct etrace_filtered *block)
{
    const bool absent =
        value_of(q, ETRACE_DATA_WIDTH) == 0 && value_of(q, ETRACE_DADDRESS_WIDTH) == 0;
    const enum etrace_truth type =
        is_among(q, FILTER(n, choice_dtype), block->has_dtype, block->dtype);
    const enum etrace_truth size =
        is_among(q, FILTER(n, choice_dsize), block->has_dsize, block->dsize);
    return etrace_and(unless(etrace_optional(q, FILTER(n, match_dtype), absent), type),
                      unless(etrace_optional(q, FILTER(n, match_dsize), absent), size));
}

static enum etrace_truth matches_trap(struct etrace_qualifier *q, size_t n,
                                      const struct etrace_filtered *block)
{
    const bool absent = value_of(q, ETRACE_FILTER_EXCINT) == 0;
    const enum etrace_truth by_cause = handle(q, &q->exception[n], block, is_chosen(q, n, block));
    const enum etrace_truth by_kind = handle(q, &q->trap[n], block, is_of_kind(q, n, block));
    return etrace_and(unless(etrace_optional(q, FILTER(n, match_ecause), absent), by_cause),
                      unless(etrace_optional(q, FILTER(n, match_interrupt), absent), by_kind));
}

/* A block matches if one of its instructions does. */
static enum etrace_truth matches_any(const struct etrace_qualifier *q, size_t n,
                                     const struct etrace_filtered *block)
{
    enum etrace_truth any = ETRACE_NO;
    for (size_t i = 0; i < block->addresses; i++) {
        any = etrace_or(any, etrace_at(block, i, compares(q, n, block->address[i], block)));
    }
    return block->addresses > 0 ? any : compares(q, n, 0, block);
}

static enum etrace_truth matches(struct etrace_qualifier *q, size_t n,
                                 const struct etrace_filtered *block)
{
    enum etrace_truth all = etrace_optional(q, FILTER(n, filter_enable), false);
    all = etrace_and(all, matches_level(q, n, block));
    all = etrace_and(all, matches_impdef(q, n, block));
    all = etrace_and(all, matches_data(q, n, block));
    all = etrace_and(all, matches_trap(q, n, block));
    return etrace_and(all, matches_any(q, n, block));
}

/* Table 2.3. */
static enum etrace_truth filter(struct etrace_qualifier *q, enum etrace_parameter filters,
                                const struct etrace_filtered *block)
{
    const uint64_t selected = value_of(q, filters);
    enum etrace_truth any = etrace_truth(selected == 0);
    for (size_t n = 0; n < ETRACE_FILTERS_MOST; n++) {
        if ((selected >> n & 1) != 0) {
            any = etrace_or(any, matches(q, n, block));
        }
    }
    return is_given(q, filters) || etrace_qualifier_is_fresh(q) ? any : ETRACE_UNKNOWN;
}

/* --- blocks --- */

struct etrace_qualified etrace_qualify(struct etrace_qualifier *q,
                                       const struct etrace_filtered *block)
{
    struct etrace_qualified result;
    etrace_comparators_take(q, block);
    result.matches = filter(q, ETRACE_IFILTERS, block);
    result.watched = etrace_comparators_watch(q);
    etrace_comparators_pass(q);
    result.enabled = take_trigger(q, block);
    result.qualifies = etrace_and(result.enabled, result.matches);
    return result;
}

enum etrace_truth etrace_qualify_access(const struct assay_parameter_values *values,
                                        const struct etrace_filtered *access)
{
    struct etrace_qualifier q;
    etrace_qualifier_open(&q, values);
    etrace_qualifier_halt(&q);
    for (size_t n = 0; n < ETRACE_COMPARATORS_MOST; n++) {
        q.latched[n] = ETRACE_UNKNOWN;
    }
    etrace_comparators_take(&q, access);
    return filter(&q, ETRACE_DFILTERS, access);
}

void etrace_qualifier_halt(struct etrace_qualifier *q)
{
    for (size_t n = 0; n < ETRACE_FILTERS_MOST; n++) {
        lose(&q->exception[n]);
        lose(&q->trap[n]);
    }
}

void etrace_qualifier_open(struct etrace_qualifier *q, const struct assay_parameter_values *values)
{
    *q = (struct etrace_qualifier){
        .values = values, .mask = assay_mask((unsigned)values->value[ETRACE_IADDRESS_WIDTH])};
    const enum etrace_truth first = etrace_qualifier_is_fresh(q) ? ETRACE_NO : ETRACE_UNKNOWN;
    q->enabled = truth_of(q, ETRACE_IENABLE);
    for (size_t n = 0; n < ETRACE_FILTERS_MOST; n++) {
        q->exception[n].outer = q->trap[n].outer = first;
    }
    for (size_t n = 0; n < ETRACE_COMPARATORS_MOST; n++) {
        q->latched[n] =
            etrace_comparator_is_primed(q, n) && first == ETRACE_NO ? ETRACE_YES : first;
    }
}
