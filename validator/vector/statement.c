#include "validator/vector/statement.h"

static bool names(const struct assay_yaml *list, const char *id)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (assay_yaml_is(list->items[i], id)) {
            return true;
        }
    }
    return false;
}

static bool checks_one_of(const struct assay_rule *rule, const struct assay_yaml *clauses)
{
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        if (names(clauses, rule->clauses[i])) {
            return true;
        }
    }
    return false;
}

static bool states_rules(const struct assay_vector *vector)
{
    return vector->expectation == ASSAY_EXPECT_FAILS || vector->expectation == ASSAY_EXPECT_PASSES;
}

/* Of one rule. A vector with violations may leave out what is recognised beside them. */
static bool is_as_stated(const struct assay_vector *vector, const struct assay_rule *rule,
                         enum assay_verdict verdict)
{
    const bool failed = verdict == ASSAY_FAIL || verdict == ASSAY_RECOGNISED;
    const bool named =
        states_rules(vector) && verdict != ASSAY_VERDICT_COUNT && names(vector->expected, rule->id);
    if ((failed || verdict == ASSAY_PASS) && names(vector->silent, rule->id)) {
        return false;
    }
    switch (vector->expectation) {
    case ASSAY_EXPECT_FAILS:
        return failed == named || (rule->diagnosis && !named);
    case ASSAY_EXPECT_PASSES:
        return !failed && (!named || verdict == ASSAY_PASS);
    case ASSAY_EXPECT_CONFORMS:
        return !(failed && rule->level == ASSAY_MUST);
    default:
        return true;
    }
}

bool assay_vector_is_as_stated(const struct assay_vector *vector,
                               const struct assay_results *results,
                               const struct assay_stream_result *stream,
                               const struct assay_rule **rule)
{
    bool violated = false;
    *rule = NULL;
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule *one = results->rules[r].rule;
        const enum assay_verdict verdict = (enum assay_verdict)stream->verdicts[r];
        if (!is_as_stated(vector, one, verdict)) {
            *rule = one;
            return false;
        }
        violated = violated || (vector->expectation == ASSAY_EXPECT_VIOLATES &&
                                (verdict == ASSAY_FAIL || verdict == ASSAY_RECOGNISED) &&
                                one->level == ASSAY_MUST && checks_one_of(one, vector->expected));
    }
    return vector->expectation != ASSAY_EXPECT_VIOLATES || violated;
}

const struct assay_rule *assay_vector_rule_of_others(const struct assay_vector *vector,
                                                     const struct assay_results *results,
                                                     const struct assay_stream_result *stream)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule *rule = results->rules[r].rule;
        if (stream->verdicts[r] == ASSAY_NOT_APPLICABLE &&
            ((states_rules(vector) && names(vector->expected, rule->id)) ||
             names(vector->silent, rule->id))) {
            return rule;
        }
    }
    return NULL;
}
