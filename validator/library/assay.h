/* Assay as a library: judges whether processor traces conform to their specification.
 *
 *     struct assay_validator *validator = assay_validator_new();
 *     assay_validator_set(validator, "fail-on", "should");
 *     if (assay_validator_judge_path(validator, "run.stf") == ASSAY_STATUS_OK) {
 *         puts(assay_outcome_name(assay_validator_outcome(validator)));
 *     } else {
 *         puts(assay_validator_message(validator));
 *     }
 *     assay_validator_free(validator);
 *
 * A validator judges any number of traces, one at a time. It is used by one thread at a time,
 * except for assay_validator_cancel; validators are independent of each other, and several threads
 * may each use their own. The library writes nothing to standard output or standard error except a
 * report that is directed there, and never ends the process.
 *
 * Structures begin with their size and only ever grow at their end. The library fills a structure
 * as far as the caller has room, and sets `size` to the number of bytes filled. Names of options,
 * levels and verdicts are those of the command `assay check`, which assay(1) describes.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_PUBLIC __attribute__((visibility("default")))
#else
#define ASSAY_PUBLIC
#endif

/* The version of this header. While the major number is 0 the minor one counts what breaks. */
#define ASSAY_VERSION_MAJOR 0
#define ASSAY_VERSION_MINOR 1
#define ASSAY_VERSION_PATCH 0
#define ASSAY_VERSION_TEXT  "0.1.0"

/* The version of the library, "0.1.0". */
ASSAY_PUBLIC const char *assay_version(void);

/* The result of a call. The numbers are exit statuses of the program. */
enum assay_status {
    ASSAY_STATUS_OK = 0,
    ASSAY_STATUS_USAGE = 2,     /* a value, an option or the order of calls is wrong */
    ASSAY_STATUS_INTERNAL = 70, /* the library has a defect */
    ASSAY_STATUS_AGAIN = 75     /* a temporary fault of the system: no memory, a full disk */
};

/* The verdict on a trace. The numbers are exit statuses of the program. */
enum assay_outcome {
    ASSAY_OUTCOME_NONE = -1,      /* nothing was judged yet */
    ASSAY_OUTCOME_CONFORMS = 0,   /* rules were exercised, none that counts was violated */
    ASSAY_OUTCOME_VIOLATES = 1,   /* a rule that counts ("fail-on") was violated */
    ASSAY_OUTCOME_UNREADABLE = 3, /* the trace cannot be read: assay_validator_message says why */
    ASSAY_OUTCOME_INCOMPLETE = 4  /* no violation, but not all of it could be judged */
};

/* "conforms", "violates", "unreadable", "incomplete"; "none". */
ASSAY_PUBLIC const char *assay_outcome_name(enum assay_outcome outcome);

struct assay_validator;

/* A validator with default options; null when memory is out. */
ASSAY_PUBLIC struct assay_validator *assay_validator_new(void);

/* Cancels a trace that is being pushed, and frees the validator. Null is allowed. */
ASSAY_PUBLIC void assay_validator_free(struct assay_validator *validator);

/* Why the last call on the validator did not give ASSAY_STATUS_OK, or why the trace is unreadable
 * or incomplete: one line. "" if there is no message. Valid until the next call. */
ASSAY_PUBLIC const char *assay_validator_message(const struct assay_validator *validator);

/* --- options --- */

/* Sets an option. Names and values are those of the command line:
 *
 *   format         "auto", or the name of a format
 *   profile        the version or dialect to judge by
 *   framing        how packets, or streams, are put into the bytes
 *   facts          a file with facts of the platform
 *   config         a file with parameters of the encoder or trace unit
 *   image          a program that was traced, FILE[@ADDRESS][,..]; may be set several times, before
 *                  the first trace is judged
 *   allow-outside  "true" or "false": a manifest may name files outside of its folder
 *   execution      the recorded execution that the trace is checked against
 *   thread         the number of the thread in it
 *   rules          a file with more rules; may be set several times, before `only`, `skip`,
 *                  `interpret` and `waive`
 *   interpret      ID=READING; may be set several times, once for an interpretation
 *   only, skip     selectors of rules, as ids, ranges and levels; may be set several times
 *   waive          a file with waivers, none of which has expired today; may be set several times.
 *                  Their patterns are of the path or name of the trace
 *   max-findings   how many findings of each rule are kept; default 20
 *   fail-on        "must" (default), "should", "info" or "never"
 *   digest         "true" (default) or "false": the SHA-256 of what is judged, for reports
 *   evaluate       "true" or "false": evaluate the rules instead of running their compiled form
 *
 * ASSAY_STATUS_USAGE: there is no such option, the value is wrong, or a trace is being pushed. A
 * validator on which setting an option has failed has the options that it had before. Files are
 * read when the option is set, but for configurations and executions. */
ASSAY_PUBLIC enum assay_status assay_validator_set(struct assay_validator *validator,
                                                   const char *name, const char *value);

/* One violation of a rule. Texts are UTF-8 as far as the trace's own are, and valid during the
 * callback. */
struct assay_violation {
    size_t size; /* of what is filled */
    const char *rule;
    const char *level;          /* "must", "should", "may-not-rely", "info" */
    const char *const *clauses; /* of the specification that the rule checks */
    size_t clause_count;
    const char *message;  /* of the rule, with the values of this violation */
    const char *expected; /* in words */
    const char *found;    /* the values of what the condition is about: "name = value", separated by
                             commas */
    const char *event;    /* the event as `assay dump` shows it; "" where it is not known */
    const char *format;   /* of the stream */
    const char *layer;    /* of the format */
    const char *kind;     /* of the event */
    uint64_t index;       /* of the event in its layer */
    uint64_t offset;      /* in bytes, in the decoded trace; UINT64_MAX where the byte of a carried
                             stream could not be found in the trace again */
    int has_stream;       /* whether the trace carries streams, and the event is of one of them */
    uint32_t stream;      /* the id of that stream */
};

/* An event as it was decoded. Runs of like events, in formats that have them, are one event. */
struct assay_decoded {
    size_t size;
    const char *format;
    const char *layer;
    const char *kind;
    uint64_t index;  /* in its layer */
    uint64_t offset; /* in bytes, in the decoded stream */
    int has_stream;  /* as above */
    uint32_t stream;
    const char *json;   /* its names and values: a line of assay-events/1, without the line feed */
    size_t json_length; /* in bytes */
};

/* Sets a function that is called for the first findings ("max-findings") of each rule that is not
 * waived, while the trace is judged: after each block of some thousand events, in the order of the
 * events; for a stream that the trace carries, once all of that stream was judged. It is called by
 * the thread that judges, which for a trace that is pushed is one of the library. Null: none. In
 * callbacks only assay_validator_cancel may be called on the validator.
 *
 * The results are final, the calls are not: the profile of a trace is certain only at its end, and
 * a rule that turns out late not to belong to it has the verdict "not-applicable". */
ASSAY_PUBLIC void
assay_validator_on_violation(struct assay_validator *validator,
                             void (*call)(void *context, const struct assay_violation *violation),
                             void *context);

/* Sets a function that is called for each event, before it is judged, in the order in which events
 * are decoded, by the same thread. Formatting an event as text takes longer than judging it. */
ASSAY_PUBLIC void assay_validator_on_event(struct assay_validator *validator,
                                           void (*call)(void *context,
                                                        const struct assay_decoded *event),
                                           void *context);

/* --- judging --- */

/* Judges a file, what a manifest (*.assay.yaml) names, or a CoreSight snapshot (snapshot.ini, of
 * several buffers snapshot.ini#BUFFER). ASSAY_STATUS_OK: there is an outcome,
 * which may be that it is unreadable. ASSAY_STATUS_USAGE: a file that an option names is wrong for
 * this trace.
 */
ASSAY_PUBLIC enum assay_status assay_validator_judge_path(struct assay_validator *validator,
                                                          const char *path);

/* The same for bytes in memory, which stay the caller's; `name` is what reports call them. */
ASSAY_PUBLIC enum assay_status assay_validator_judge_buffer(struct assay_validator *validator,
                                                            const char *name, const void *data,
                                                            size_t size);

/* The same for bytes that come one after the other: begin, push as often as there is something,
 * end. They are judged on a thread of the library meanwhile; push waits when that is 1 MiB behind.
 * Once the validator needs no more of a trace, because it is unreadable or was cancelled, further
 * bytes are accepted and dropped; the outcome is there when assay_validator_end returns.
 *
 * Only a manifest says which formats the streams have that a trace carries. In a trace that is
 * pushed, or in memory, they are not judged: its outcome is at best incomplete, and
 * assay_validator_message names the first of them. */
ASSAY_PUBLIC enum assay_status assay_validator_begin(struct assay_validator *validator,
                                                     const char *name);
ASSAY_PUBLIC enum assay_status assay_validator_push(struct assay_validator *validator,
                                                    const void *data, size_t size);
ASSAY_PUBLIC enum assay_status assay_validator_end(struct assay_validator *validator);

/* Waits until what was pushed is judged, and its violations were reported, as far as it can be
 * without what follows: so a simulation, which pushes a packet and flushes, stops where a fault is.
 * What a rule says at the end of a trace, or of an instruction that a later packet may correct,
 * comes later; so do packets of which only a part was pushed. That is for E-Trace; of other formats
 * the bytes were read, and the last of them, up to some ten thousand, may not be judged yet. What
 * the callbacks wrote may be read after it. */
ASSAY_PUBLIC enum assay_status assay_validator_flush(struct assay_validator *validator);

/* Ends judging early: the rest of the trace is not judged, and the outcome is at best incomplete.
 * May be called from any thread, a callback or a signal handler, while the validator exists. A
 * validator that is not judging is not affected. */
ASSAY_PUBLIC void assay_validator_cancel(struct assay_validator *validator);

/* --- results, of the trace that was judged last --- */

ASSAY_PUBLIC enum assay_outcome assay_validator_outcome(const struct assay_validator *validator);

/* The results for the trace as a whole. */
struct assay_summary {
    size_t size;         /* set by the caller to sizeof the structure; what is filled */
    const char *format;  /* of the trace; null when it is unreadable */
    const char *profile; /* by which it was judged; null likewise, or if the format has none */
    const char *sha256;  /* "sha256:..." of its bytes; "" when that is not known, as
                            of a pushed trace that was not read to its end */
    uint64_t bytes;      /* of the trace; of a pushed one, that were read */
    uint64_t checks;     /* events times rules that apply to them */
    uint64_t violations; /* of rules of any level */
    size_t streams;      /* the trace itself and those that it carries */
    uint64_t waived;     /* violations that are; they are not among `violations` */
};

/* The verdict of a rule on the trace. */
struct assay_rule_verdict {
    size_t size; /* as above */
    const char *id;
    const char *title;
    const char *format;
    const char *level;
    const char *verdict; /* "pass", "fail", "waived", "not-exercised", "not-checkable",
                            "not-applicable", "deselected"; of a diagnosis, which is no violation,
                            "recognised" */
    const char *const *clauses;
    size_t clause_count;
    const char *const *missing; /* not-checkable: what was not given */
    size_t missing_count;
    uint64_t exercised; /* checks made */
    uint64_t violated;  /* checks that failed; exact, however many findings are kept */
    uint64_t waived;    /* checks that failed and are waived; then none is left in `violated` */
};

/* Results are valid until the next trace is judged. ASSAY_STATUS_USAGE: nothing was judged, or
 * there is no rule of that number. Rules are those of the formats that the trace has. */
ASSAY_PUBLIC enum assay_status assay_validator_summary(const struct assay_validator *validator,
                                                       struct assay_summary *summary);
ASSAY_PUBLIC size_t assay_validator_rule_count(const struct assay_validator *validator);
ASSAY_PUBLIC enum assay_status assay_validator_rule(const struct assay_validator *validator,
                                                    size_t number, struct assay_rule_verdict *rule);

/* Writes a report to a file: "text", "summary", "json", "jsonl", "junit", "sarif", "sarif-all" or
 * "html", as `assay check --report` names them. The file is replaced when the
 * report is complete; "-" is standard output. */
ASSAY_PUBLIC enum assay_status assay_validator_report(struct assay_validator *validator,
                                                      const char *kind, const char *path);

#ifdef __cplusplus
}
#endif

#endif
