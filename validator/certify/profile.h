/* Certification profiles: what a producer's traces have to show before a certificate is given.
 * Data, in rules/certification/; the grammar is in docs/certification.md. */
#ifndef ASSAY_CERTIFY_PROFILE_H
#define ASSAY_CERTIFY_PROFILE_H

#include "common/arena.h"
#include "common/yaml.h"
#include "io/digest.h"
#include "validator/vector/corpus.h"

struct assay_format;

/* Texts of a list; each with the place where it is said. */
struct assay_certify_texts {
    const struct assay_yaml **list; /* scalars that are not empty */
    size_t count, room;
};

/* Rules that have to be exercised in a trace, by itself. */
struct assay_certify_exercise {
    const char *rules;             /* selectors (engine/select.h) */
    uint64_t times;                /* that each of them is checked, at least; from 1 on */
    uint64_t of;                   /* how many of them at least; 0: all */
    struct assay_certify_texts in; /* the workloads of whose traces one each has to; none: all that
                                      are due, or, if none is, a trace of anything */
    /* What a trace can meet in its place, with other evidence: `rules`, `times`, `of`; null:
     * nothing */
    const struct assay_certify_exercise *alternative;
    const struct assay_yaml *node; /* where it is said */
};

struct assay_certify_exercises {
    struct assay_certify_exercise *list;
    size_t count, room;
};

enum { ASSAY_CERTIFY_ALL_COVERED = 100000 };

/* What a certificate says of the producer, and what carries it. */
struct assay_certify_sentence {
    const char *says;
    struct assay_certify_exercises exercise; /* one at least */
    bool executions;   /* each trace is compared with a recorded execution ... */
    uint32_t covered;  /* ... of which this part is in it at least, in 1/1000 per cent */
    uint64_t compared; /* bit n: enum assay_uncompared_reason n, for which no part of a trace may
                          have been left uncompared */
};

struct assay_certify_sentences {
    struct assay_certify_sentence *list;
    size_t count, room;
};

/* A level: what it demands, with what the level demands that it extends. */
struct assay_certify_level {
    const char *name;
    const char *extends; /* the level that it extends, or null */
    struct assay_certify_sentences sentences;
    struct assay_certify_texts rules; /* selectors of what is judged; none: all rules */
    struct assay_certify_texts pass;  /* selectors of rules that must not be violated, besides those
                                         of level must, none of which may */
    struct assay_certify_texts waive; /* selectors of rules that may be waived */
    struct assay_certify_texts workloads; /* names of those that are due */
    uint64_t challenges;                  /* how many are due, each of another program */
    bool references; /* a deterministic workload is compared with a recording that is not the
                        producer's word */
    struct assay_certify_texts tables; /* of facts, in which names of one's own are allowed */
};

/* What a producer can claim besides a level. */
struct assay_certify_feature {
    const char *name;
    struct assay_certify_sentence sentence;
};

struct assay_certify_profile {
    const char *name;
    const char *title;
    const struct assay_format *format;
    struct assay_certify_level *levels;
    size_t level_count;
    struct assay_certify_feature *features;
    size_t feature_count;
    char digest[ASSAY_DIGEST_TEXT]; /* of its text */
    bool built_in;                  /* its text is one of the program's own */
    const char *text;               /* the file, of `size` bytes */
    size_t size;
    struct assay_yaml_file file; /* private */
    struct assay_arena arena;    /* private */
};

/* The profiles of this build, by name; a null name ends the list. */
extern const struct assay_corpus_text assay_certify_profiles[];
extern const size_t assay_certify_profiles_count;

/* Reads a profile: a mapping, of a text, which is borrowed. Errors name file, line and column. The
 * profile is to be freed in any case. */
enum assay_error assay_certify_profile_parse(const char *path, const char *text, size_t size,
                                             struct assay_certify_profile *profile,
                                             struct assay_diag *diag);

/* The same from a file. */
enum assay_error assay_certify_profile_load(const char *path, struct assay_certify_profile *profile,
                                            struct assay_diag *diag);

/* The one of this build with a name. ASSAY_UNKNOWN_NAME, with the nearest name as a hint. */
enum assay_error assay_certify_profile_named(const char *name,
                                             struct assay_certify_profile *profile,
                                             struct assay_diag *diag);

/* Null when the profile has none with the name. */
const struct assay_certify_level *
assay_certify_level_named(const struct assay_certify_profile *profile, const char *name);
const struct assay_certify_feature *
assay_certify_feature_named(const struct assay_certify_profile *profile, const char *name);

/* Whether the profile has all features of a list of names. */
bool assay_certify_has_features(const struct assay_certify_profile *profile,
                                const struct assay_certify_texts *names);

/* Allowed for one that is zero-initialised. */
void assay_certify_profile_free(struct assay_certify_profile *profile);

#endif
