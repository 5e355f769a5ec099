/* STF files that are wrong, each in one way: how they are made of a trace that is right, and what
 * has to be said of them.
 */
#ifndef ASSAY_VALIDATOR_TESTS_MALFORMED_STF_H
#define ASSAY_VALIDATOR_TESTS_MALFORMED_STF_H

#include <stdbool.h>
#include <stddef.h>

enum malformed_answer {
    REPORTED, /* some rule fails */
    REFUSED,  /* the input is of no format: it cannot be read */
    STOPS     /* decoding stops with a fault, of which the rest is named */
};

/* How the records of the right trace are changed: at the first that begins with `at`. */
enum malformed_edit { KEEP, DROP, REPLACE, BEFORE, BEHIND };

struct malformed_case {
    const char *name;
    enum malformed_answer answer;
    const char *code; /* STOPS: of the malformed event */
    enum malformed_edit edit;
    const char *at, *text; /* text: records as in a vector, one a line */
    const char *storage;   /* or null */
    const char *file;      /* hexadecimal: the whole file, in place of the records */
    const char *append;    /* hexadecimal, after the stored bytes */
    const char *poke;      /* hexadecimal, over the stored bytes ... */
    int poke_at;           /* ... there; from the end when below 0 */
    unsigned keep, cut;    /* bytes that stay of the stored ones, or go from their end */
    unsigned minor;        /* version; 0: 3 */
    bool named;            /* the format is named to the program */
};

/* The trace that is right. `minor` 3: literally; else as the public library writes it. */
extern const char *const malformed_base[];
extern const size_t malformed_base_count;

extern const struct malformed_case malformed_cases[];
extern const size_t malformed_case_count;

#endif
