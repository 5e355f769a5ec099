/* Programs that tests run. */
#ifndef ASSAY_GENERATORS_ETRACE_TESTS_RUN_PROGRAM_H
#define ASSAY_GENERATORS_ETRACE_TESTS_RUN_PROGRAM_H

#include <stdbool.h>

/* Runs a program, whose path is the first word, with the words up to a null one; its standard
 * output is dropped. The test fails if it does not end with this status. */
void run_to(const char *const *words, int wanted);

/* Whether a file is there that the build may not have found; if not, says that there is no such
 * thing. */
bool is_there(const char *path, const char *what);

#endif
