/* Which rules of a catalogue traces exercise, and the lists of those that they cannot, which say
 * why:
 *
 *     unexercised:
 *       - reason: "The rule speaks of ..."
 *         rules: [ASTF-0017, ASTF-0026]
 */
#ifndef ASSAY_GENERATORS_TESTS_EXERCISED_H
#define ASSAY_GENERATORS_TESTS_EXERCISED_H

#include <stdbool.h>
#include <stddef.h>

#include "validator/engine/catalogue.h"

enum { EXERCISED_RULES = 2048 };

/* By the number of the rule in its catalogue. */
struct exercised {
    bool rule[EXERCISED_RULES];
};

void exercised_add(struct exercised *sum, const struct exercised *part);

unsigned exercised_count(const struct exercised *exercised);

/* Compares a list with what was exercised: each rule is either exercised or in the list, once and
 * with a reason. Reports violations on standard error, and returns their number. */
unsigned exercised_compare(const struct exercised *exercised,
                           const struct assay_catalogue *catalogue, const char *path);

#endif
