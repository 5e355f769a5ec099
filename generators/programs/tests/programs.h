/* What the tests of recorded programs share: a suite is of a format, and has programs. Each of them
 * is recorded, and its recording traced and judged as its producer would, every thread whole and
 * checked against the recording, too, the beginning of the first one in every storage, and where
 * the format has it all threads in one trace. */
#ifndef ASSAY_GENERATORS_PROGRAMS_TESTS_PROGRAMS_H
#define ASSAY_GENERATORS_PROGRAMS_TESTS_PROGRAMS_H

#include "generators/tests/exercised.h"

enum { PROGRAM_OPTIONS = 20, PROGRAMS_FULL = 5000000 };

struct program {
    const char *name;     /* as docs/producers.md has it */
    const char *path;     /* of the program */
    const char *emulator; /* and its options; null ends lists */
    const char *emulated[PROGRAM_OPTIONS];
    const char *arguments[PROGRAM_OPTIONS]; /* of the program in a test ... */
    const char *full;  /* ... and the first one for more than 5 million instructions in each thread
                          that is traced; null: the same */
    const char *facts; /* file for `assay check`; null: none */
    uint64_t least;    /* instructions of each thread in a test */
    unsigned threads;  /* that are traced */
    bool told;         /* the recording has everything that the format requires */
    const char *found; /* the rule that may be violated, for lack of information in the recording;
                          or null */
    const char *machine; /* options of the recorder for a machine; its arguments are limits of
                            instructions. Null: a program in user mode */
};

struct suite {
    const char *name; /* its files begin with it */
    const struct assay_format *format;
    const char *const *storages; /* null ends the list */
    const char *unexercised;     /* the list of rules that no program exercises */
    const char *recorder;        /* more options of the recorder, ",contents=on"; "" none */
    const char *profile;         /* null: as the trace says */
    const char *beginning;       /* one more option for beginnings in every storage, or null */
    const char *together;        /* the option for all threads in one trace, or null */
    enum assay_level level;      /* findings below it are none */
    bool full;
    unsigned programs; /* that came so far: with sanitizers they take turns */
    /* The sum of all programs. */
    uint64_t instructions, records, findings;
    struct exercised exercised;
    unsigned failures;
};

/* Whether a file is there; or says that the test is skipped, as there is no `what`. */
bool programs_are_there(const char *path, const char *what);

/* The head of the table, of which each program prints a line. */
void programs_begin(struct suite *suite, int argc, char **argv);

void programs_run(struct suite *suite, const struct program *program);

/* The last line; holds the list against all that was exercised. The exit status of the test. */
int programs_end(struct suite *suite);

#endif
