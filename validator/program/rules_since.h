/* What a release had: its rules with their levels, by which newer ones are told from those that
 * were there before. A table of each release is in rules/released/, made by scripts/release from
 * all rules that there are; a rule that is in none of them is newer than all. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULES_SINCE_H
#define ASSAY_VALIDATOR_PROGRAM_RULES_SINCE_H

#include "common/arena.h"
#include "validator/engine/catalogue.h"
#include "validator/program/program.h"
#include "validator/vector/corpus.h"

/* The tables of this build, by version. */
extern const struct assay_corpus_text assay_released_tables[];
extern const size_t assay_released_tables_count;

struct assay_released_rule {
    const char *id;
    const char *format; /* its name */
    enum assay_level level;
};

struct assay_since {
    const char *version;
    struct assay_released_rule *rules; /* by id */
    size_t count, room;
    struct assay_arena arena;
};

/* Reads the table of a version of this build, or of a file: a name that has a slash or ends in
 * .yaml. 0, or the exit status after having said what is wrong. To be closed in any case. */
int assay_since_open(struct assay_since *since, const struct assay_command *command,
                     const char *text);
void assay_since_close(struct assay_since *since);

/* The rule as it was; null: it is newer. */
const struct assay_released_rule *assay_since_rule(const struct assay_since *since, const char *id);

/* Whether a rule is what it was: it was there, of the same level. */
bool assay_since_same(const struct assay_since *since, const struct assay_rule *rule);

/* Whether a rule that was there is one of the catalogue's format and no longer in it. Only the
 * built-in catalogue of a format can say so. */
bool assay_since_withdrawn(const struct assay_catalogue *catalogue,
                           const struct assay_released_rule *rule);

#endif
