#include "etrace/interface/comparators.h"

#include "etrace/interface/signals.h"

enum { IADDR, CONTEXT, TVAL, DADDR };                                   /* inputs */
enum { EQUAL, UNEQUAL, LESS, AT_MOST, GREATER, AT_LEAST, SIX, ALWAYS }; /* functions */
enum { PRIMARY, BOTH, NOT_BOTH, HOLD };                                 /* modes */
enum { MASK = SIX }; /* of the secondary function */

/* --- registers --- */

/* The registers of a comparator that say how one of its inputs is compared. */
struct function {
    size_t input, function, match;
};

static size_t of_comparator(size_t n, size_t field)
{
    return ETRACE_COMPARATOR0_PINPUT + n * ETRACE_CELL_comparator_given + field;
}

#define COMPARATOR(n, field) of_comparator(n, ETRACE_CELL_comparator_##field)

static struct function primary_of(size_t n)
{
    return (struct function){COMPARATOR(n, p_input), COMPARATOR(n, p_function),
                             COMPARATOR(n, p_match)};
}

static struct function secondary_of(size_t n)
{
    return (struct function){COMPARATOR(n, s_input), COMPARATOR(n, s_function),
                             COMPARATOR(n, s_match)};
}

/* --- functions --- */

/* The value of an input of a block that has it; false where it is not known. */
static bool read_input(const struct etrace_qualifier *q, size_t input, uint64_t address,
                       const struct etrace_filtered *block, uint64_t *value)
{
    if (!q->values->known[input]) {
        return false;
    }
    switch (q->values->value[input]) {
    case IADDR:
        *value = address & q->mask;
        return block->addresses > 0;
    case CONTEXT:
        *value = block->context;
        return block->has_context;
    case TVAL:
        *value = block->tval;
        return block->has_tval;
    default:
        *value = block->daddr;
        return block->has_daddr;
    }
}

static bool compare(uint64_t function, uint64_t input, uint64_t match)
{
    switch (function) {
    case EQUAL:
        return input == match;
    case UNEQUAL:
        return input != match;
    case LESS:
        return input < match;
    case AT_MOST:
        return input <= match;
    case GREATER:
        return input > match;
    case AT_LEAST:
        return input >= match;
    default:
        return true;
    }
}

static enum etrace_truth evaluate(const struct etrace_qualifier *q, const struct function *f,
                                  uint64_t mask, bool masked, uint64_t address,
                                  const struct etrace_filtered *block)
{
    const uint64_t function = q->values->value[f->function];
    uint64_t input = 0;
    if (!q->values->known[f->function]) {
        return ETRACE_UNKNOWN;
    }
    if (!block->retires && q->values->known[f->input] && q->values->value[f->input] != TVAL) {
        return ETRACE_NO; /* there is no instruction */
    }
    if (function >= SIX) { /* 6 was reserved, and matched always, before 2.0 */
        return etrace_truth(function == ALWAYS || q->values->value[ETRACE_WIRE] < ETRACE_2_0);
    }
    if (!masked || !q->values->known[f->match] ||
        !read_input(q, f->input, address, block, &input)) {
        return ETRACE_UNKNOWN;
    }
    return etrace_truth(compare(function, input & mask, q->values->value[f->match] & mask));
}

/* The secondary match value can be a mask. */
static enum etrace_truth primary_at(const struct etrace_qualifier *q, size_t n, uint64_t address,
                                    const struct etrace_filtered *block)
{
    const struct function f = primary_of(n);
    const struct function s = secondary_of(n);
    const bool masks = q->values->value[s.function] == MASK;
    const bool known = q->values->known[s.function] && (!masks || q->values->known[s.match]);
    return evaluate(q, &f, masks ? q->values->value[s.match] : UINT64_MAX, known, address, block);
}

static enum etrace_truth secondary_at(const struct etrace_qualifier *q, size_t n, uint64_t address,
                                      const struct etrace_filtered *block)
{
    const struct function f = secondary_of(n);
    return evaluate(q, &f, UINT64_MAX, true, address, block);
}

/* --- comparators --- */

bool etrace_comparator_is_primed(const struct etrace_qualifier *q, size_t n)
{
    return q->values->value[ETRACE_WIRE] >= ETRACE_2_0 &&
           q->values->value[COMPARATOR(n, match_mode)] == HOLD &&
           q->values->value[primary_of(n).function] == SIX;
}

void etrace_comparators_take(struct etrace_qualifier *q, const struct etrace_filtered *block)
{
    for (size_t n = 0; n < ETRACE_COMPARATORS_MOST; n++) {
        const bool known = block->addresses > 0;
        enum etrace_truth p = known ? ETRACE_NO : primary_at(q, n, 0, block);
        enum etrace_truth s = known ? ETRACE_NO : secondary_at(q, n, 0, block);
        for (size_t i = 0; i < block->addresses; i++) {
            p = etrace_or(p, etrace_at(block, i, primary_at(q, n, block->address[i], block)));
            s = etrace_or(s, etrace_at(block, i, secondary_at(q, n, block->address[i], block)));
        }
        q->primary[n] = p;
        q->secondary[n] = s;
    }
}

/* From a primary match on. Whether it counts for instructions of the block before it is not said.
 */
static enum etrace_truth holds(const struct etrace_qualifier *q, size_t n,
                               enum etrace_truth primary)
{
    if (q->latched[n] == ETRACE_YES || primary == ETRACE_YES) {
        return ETRACE_YES;
    }
    return q->primary[n] == ETRACE_NO ? q->latched[n] : ETRACE_UNKNOWN;
}

enum etrace_truth etrace_comparator(const struct etrace_qualifier *q, size_t n, uint64_t address,
                                    const struct etrace_filtered *block)
{
    const size_t mode = COMPARATOR(n, match_mode);
    const enum etrace_truth p = primary_at(q, n, address, block);
    if (!q->values->known[mode]) {
        return ETRACE_UNKNOWN;
    }
    switch (q->values->value[mode]) {
    case PRIMARY:
        return p;
    case BOTH:
        return etrace_and(p, secondary_at(q, n, address, block));
    case NOT_BOTH:
        return etrace_not(etrace_and(p, secondary_at(q, n, address, block)));
    default:
        return holds(q, n, p);
    }
}

/* Where both match within a block their order is not known. */
static enum etrace_truth latched_after(enum etrace_truth latched, enum etrace_truth p,
                                       enum etrace_truth s)
{
    if (p == ETRACE_NO) {
        return etrace_and(latched, etrace_not(s));
    }
    return s == ETRACE_NO ? etrace_or(latched, p) : ETRACE_UNKNOWN;
}

void etrace_comparators_pass(struct etrace_qualifier *q)
{
    for (size_t n = 0; n < ETRACE_COMPARATORS_MOST; n++) {
        const enum etrace_truth after =
            latched_after(q->latched[n], q->primary[n], q->secondary[n]);
        const bool goes_on = q->enabled == ETRACE_YES || after == q->latched[n];
        q->latched[n] = goes_on ? after : ETRACE_UNKNOWN;
    }
}

/* --- notification --- */

/* Notification is for addresses of instructions only. */
static enum etrace_truth notifies(const struct etrace_qualifier *q, size_t flag, size_t input,
                                  enum etrace_truth matches)
{
    const enum etrace_truth wanted = etrace_optional(q, flag, false);
    const bool suits = q->values->known[input] && q->values->value[input] == IADDR;
    return etrace_and(wanted, suits ? matches : ETRACE_UNKNOWN);
}

enum etrace_truth etrace_comparators_watch(const struct etrace_qualifier *q)
{
    enum etrace_truth any = ETRACE_NO;
    for (size_t n = 0; n < ETRACE_COMPARATORS_MOST && n < q->values->value[ETRACE_COMPARATORS];
         n++) {
        any = etrace_or(
            any, notifies(q, COMPARATOR(n, p_notify), COMPARATOR(n, p_input), q->primary[n]));
        any = etrace_or(
            any, notifies(q, COMPARATOR(n, s_notify), COMPARATOR(n, s_input), q->secondary[n]));
    }
    return any;
}

bool etrace_qualifier_compares(const struct etrace_qualifier *q)
{
    bool any = false;
    for (size_t i = ETRACE_COMPARATOR0_PINPUT; i < ETRACE_PARAMETER_COUNT; i++) {
        any = any || q->values->known[i];
    }
    return any;
}
