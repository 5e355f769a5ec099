/* What the tests of parameters have in common: files that are written for a test. */
#ifndef ASSAY_ETRACE_TEXT_H
#define ASSAY_ETRACE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etrace/etrace.h"

/* Loads a text as a file whose name ends as given, on top of what the values have. */
static inline enum assay_error load_text(struct assay_parameter_values *values, const char *suffix,
                                         const char *text, struct assay_diag *diag)
{
    char path[] = "/tmp/assay-etrace-XXXXXX......";
    path[sizeof "/tmp/assay-etrace-XXXXXX" - 1] = '\0';
    strcat(path, suffix);
    const int file = mkstemps(path, (int)strlen(suffix));
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    const enum assay_error error = assay_parameters_load(values, path, diag);
    unlink(path);
    return error;
}

static inline size_t parameter(const char *name)
{
    const int number = assay_parameter_by_name(&etrace_parameters, name);
    assert_true(number >= 0);
    return (size_t)number;
}

#endif
