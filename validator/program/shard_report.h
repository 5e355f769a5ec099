/* The reports of shards, as `assay merge` reads them: once to see that they belong together, and
 * where their records are, and then a record at a time. */
#ifndef ASSAY_VALIDATOR_PROGRAM_SHARD_REPORT_H
#define ASSAY_VALIDATOR_PROGRAM_SHARD_REPORT_H

#include <jansson.h>

#include "reports/json_scan.h"
#include "validator/program/program.h"

/* Where a record is. */
struct assay_record_place {
    size_t number;   /* of its input in the whole run */
    uint64_t offset; /* in the report, in bytes */
    uint32_t report;
};

/* What a report says of its shard, and what all shards must have in common. */
struct assay_shard_said {
    json_t *version, *catalogues, *evidence, *skipped; /* of the report */
    json_t *list, *arguments, *schema, *digest;        /* of the member `shard` */
    uint64_t number, of, inputs;
    bool is_shard, interrupted;
};

struct assay_shard_reports {
    const char *const *paths;
    size_t count;
    struct assay_shard_said said;      /* by the first report */
    const char **by_number;            /* of each shard: the path of its report; or null */
    struct assay_record_place *places; /* once all were read, in the order of the inputs */
    size_t place_count, place_room;
    struct assay_json_scan scan; /* of the report that a record was read of last */
    uint32_t scanned;            /* 1 + its number; 0: none */
};

/* Reads all of them. Errors name the report that is wrong, or the shard that is missing. The
 * reports are to be closed in any case. */
enum assay_error assay_shard_reports_open(struct assay_shard_reports *reports,
                                          const char *const *paths, size_t count,
                                          struct assay_diag *diag);

/* The record of input number `number`, which the caller owns. */
enum assay_error assay_shard_reports_record(struct assay_shard_reports *reports, size_t number,
                                            json_t **record, struct assay_diag *diag);

void assay_shard_reports_close(struct assay_shard_reports *reports);

#endif
