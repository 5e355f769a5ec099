/* A shard: a run over a part of the inputs, of whose report `assay merge` makes one of all. */
#ifndef ASSAY_REPORTS_SHARD_H
#define ASSAY_REPORTS_SHARD_H

#include <stdio.h>

#include "validator/engine/results.h"

struct assay_shard_result {
    unsigned number, of;                       /* this one, from 1; how many there are */
    size_t inputs;                             /* of all shards */
    char list[ASSAY_DIGEST_TEXT];              /* of the list of all inputs and skipped files */
    const struct assay_option_used *arguments; /* options that decide what is judged and how, as
                                                  they were given; without a value: null */
    size_t argument_count;
    const char *schema; /* of the records */
    FILE *records;      /* what judging the inputs gave, a JSON text in each line, in their order */
    char records_digest[ASSAY_DIGEST_TEXT]; /* of these lines */
};

#endif
