/* The state of a validator of the library. Private to validator/library/. */
#ifndef ASSAY_VALIDATOR_LIBRARY_VALIDATOR_H
#define ASSAY_VALIDATOR_LIBRARY_VALIDATOR_H

#include <pthread.h>

#include "common/arena.h"
#include "common/stop.h"
#include "io/sink.h"
#include "io/source_push.h"
#include "validator/engine/check.h"
#include "validator/engine/evidence.h"
#include "validator/engine/selection.h"
#include "validator/library/assay.h"

struct assay_validator {
    struct assay_arena arena; /* of the options */
    struct assay_check_options options;
    struct assay_input input; /* what all traces have in common */
    struct assay_selection selection;
    bool chosen; /* rules, readings or waivers were: the catalogues stay as they are */
    struct assay_waivers waivers;
    const char *rule_files[ASSAY_MAX_RULE_FILES];
    size_t rule_file_count;
    struct assay_facts facts;
    struct assay_image_set *images; /* or null */
    bool sealed;                    /* the images are */
    struct assay_option_used *used; /* options that were set, for reports */
    size_t used_count, used_room;
    struct assay_evidence_list evidence; /* files that options name */

    void (*on_violation)(void *context, const struct assay_violation *violation);
    void *violation_context;
    void (*on_event)(void *context, const struct assay_decoded *event);
    void *event_context;

    /* The trace that is judged, or was last. */
    struct assay_stop stop;
    struct assay_check *check;
    const char *path; /* or name */
    struct assay_arena of_trace;
    struct assay_sink line; /* of an event */
    bool lines_failed;      /* out of memory for one of them */
    struct timespec begun;
    bool judged;
    struct assay_results results;
    const struct assay_rule_total **totals; /* the rules of its formats */
    size_t total_count;
    char host[256];
    char started[32];

    /* While it is pushed. */
    struct assay_push *push; /* or null */
    struct assay_source *source;
    pthread_t thread;
    enum assay_error error;
    struct assay_diag diag;

    char message[2048];
};

/* Sets the message to what a diag says; the status for its error. */
enum assay_status assay_library_fail(struct assay_validator *v, const struct assay_diag *diag);

/* The same with a formatted message. */
enum assay_status assay_library_refuse(struct assay_validator *v, enum assay_error error,
                                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The options that are about rules. */
enum assay_status assay_library_add_rules(struct assay_validator *v, const char *value);
enum assay_status assay_library_only(struct assay_validator *v, const char *value);
enum assay_status assay_library_skip(struct assay_validator *v, const char *value);
enum assay_status assay_library_waive(struct assay_validator *v, const char *value);
enum assay_status assay_library_interpret(struct assay_validator *v, const char *value);

/* Lists the options in the results; null texts where memory is out. */
enum assay_error assay_library_list_options(struct assay_validator *v);

/* Drops the results of the last trace. */
void assay_library_forget(struct assay_validator *v);

/* Once a trace was judged: what the results say. */
enum assay_status assay_library_complete(struct assay_validator *v);

/* Shows a block to the callback for events (assay_check_options.show). */
void assay_library_show(void *context, const struct assay_stream_result *stream,
                        const struct assay_block *block);

/* Tells a finding to the callback for violations (assay_check_options.found). */
void assay_library_found(void *context, const struct assay_found *given);

#endif
