/* Sentences of a certification profile, and what carries them. Private to validator/certify/. */
#ifndef ASSAY_CERTIFY_SENTENCE_H
#define ASSAY_CERTIFY_SENTENCE_H

#include "validator/certify/profile.h"

/* Reads what a mapping says, with "says", "exercise" and the like; other keys are the caller's. */
enum assay_error assay_certify_take_sentence(const struct assay_yaml *map,
                                             struct assay_arena *arena,
                                             struct assay_certify_sentence *sentence,
                                             struct assay_diag *diag);

/* Adds those of the list "sentences" of a level, which has to be there. */
enum assay_error assay_certify_take_sentences(const struct assay_yaml *level,
                                              struct assay_arena *arena,
                                              struct assay_certify_sentences *sentences,
                                              struct assay_diag *diag);

/* A number from 1 on under a key, if there is one. */
enum assay_error assay_certify_take_number(const struct assay_yaml *map, const char *key,
                                           uint64_t *value, struct assay_diag *diag);

/* Refuses a selector that is a file: selectors are in the profile itself, whose digest stands for
 * all of it. */
enum assay_error assay_certify_check_selector(const struct assay_yaml *node,
                                              struct assay_diag *diag);

#endif
