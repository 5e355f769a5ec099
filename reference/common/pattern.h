/* Patterns as the shell's, which fnmatch matches: of inputs, of vectors. */
#ifndef ASSAY_COMMON_PATTERN_H
#define ASSAY_COMMON_PATTERN_H

#include <stdbool.h>

#include "common/error.h"
#include "common/yaml.h"

/* Whether fnmatch takes it as a pattern: what is not closed would match only itself. */
bool assay_is_pattern(const char *text);

/* ASSAY_SYNTAX, at the node that the text is of, when it is no pattern. */
enum assay_error assay_pattern_check(const char *text, const struct assay_yaml *node,
                                     struct assay_diag *diag);

#endif
