/* Mutants of rules: small changes that a rule's vectors must notice. */
#ifndef ASSAY_VALIDATOR_TESTS_MUTATE_H
#define ASSAY_VALIDATOR_TESTS_MUTATE_H

#include "validator/engine/catalogue.h"

/* What is changed: a rule's condition, a state variable's update, or its first value. */
struct mutation {
    char text[160];           /* "require: constant 3 at node 4 becomes 4": unique in the rule */
    struct assay_node *nodes; /* the changed copy, owned; null for a first value */
    uint16_t count;
    uint64_t init; /* the other first value */
};

typedef void use_mutation(void *context, const struct mutation *mutation);

/* A copy of a catalogue, whose leaves are owned, with more of them: each config(NAME, DEFAULT) with
 * another default, so that mutants can read those. */
void mutate_defaults(const struct assay_catalogue *catalogue, struct assay_catalogue *out);

/* Calls `use` for every mutant of an expression that changes one node. `part` names it in the text.
 */
void mutate_nodes(const struct assay_catalogue *catalogue, const char *part,
                  const struct assay_expression *expression, use_mutation *use, void *context);

/* A flag expression, negated. */
void mutate_negate(const char *part, const struct assay_expression *expression, use_mutation *use,
                   void *context);

/* The first value of a state variable: the other one of a flag, the two beside a number. What is
 * beside 0 is 1 and the greatest number. */
void mutate_init(const struct assay_variable *variable, use_mutation *use, void *context);

#endif
