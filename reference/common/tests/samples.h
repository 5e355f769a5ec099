/* Traces that others made, which are not in the tree: tests that have nothing else to look at are
 * skipped, saying so, where the samples are not. */
#ifndef ASSAY_TEST_SAMPLES_H
#define ASSAY_TEST_SAMPLES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLES_SKIPPED = 77 }; /* the exit status of a test that is skipped */

/* The folder that a variable of the environment names, else `usual`. */
static inline const char *samples_folder(const char *variable, const char *usual)
{
    const char *given = getenv(variable);
    return given != NULL ? given : usual;
}

/* Whether the folder is not there, which is said. */
static inline bool samples_missing(const char *folder)
{
    const bool missing = access(folder, R_OK | X_OK) != 0;
    if (missing) {
        printf("skipped: there are no samples in %s\n", folder);
    }
    return missing;
}

#endif
