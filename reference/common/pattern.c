#include "common/pattern.h"

#include <string.h>

/* Behind the bracket expression that begins at *p; null if it has no end. */
static const char *bracket_end(const char *p)
{
    p++;
    p += *p == '!' || *p == '^';
    p += *p == ']';
    while (*p != '\0' && *p != ']') {
        /* [:class:], [.element.], [=equivalents=] */
        if (*p == '[' && p[1] != '\0' && strchr(":.=", p[1]) != NULL) {
            const char close[] = {p[1], ']', '\0'};
            p = strstr(p + 2, close);
            if (p == NULL) {
                return NULL;
            }
            p++;
        } else if (*p == '\\' && p[1] != '\0') {
            p++;
        }
        p++;
    }
    return *p == ']' ? p + 1 : NULL;
}

/* Whether fnmatch takes it as a pattern: what is not closed would match only itself. */
bool assay_is_pattern(const char *text)
{
    for (const char *p = text; p != NULL;) {
        switch (*p) {
        case '\0':
            return true;
        case '[':
            p = bracket_end(p);
            break;
        case '\\':
            p = p[1] != '\0' ? p + 2 : NULL;
            break;
        default:
            p++;
        }
    }
    return false;
}

enum assay_error assay_pattern_check(const char *text, const struct assay_yaml *node,
                                     struct assay_diag *diag)
{
    if (assay_is_pattern(text)) {
        return ASSAY_OK;
    }
    assay_yaml_fail(node, diag, ASSAY_SYNTAX,
                    "the pattern has a \"[\" without \"]\", or ends in a backslash");
    assay_diag_hint(diag, "\"\\[\" stands for the bracket itself, \"\\\\\" for a backslash");
    return ASSAY_SYNTAX;
}
