/* Tokens of the rule language. Private to validator/. */
#ifndef ASSAY_VALIDATOR_LEX_H
#define ASSAY_VALIDATOR_LEX_H

#include <stddef.h>
#include <stdint.h>

enum assay_token_kind {
    ASSAY_TOKEN_END,
    ASSAY_TOKEN_NAME,   /* letters, digits, _; and - inside an interpretation's id */
    ASSAY_TOKEN_NUMBER, /* decimal or 0x...; value */
    ASSAY_TOKEN_SIGN,   /* an operator or a bracket; sign: its characters */
    ASSAY_TOKEN_BAD
};

struct assay_token {
    enum assay_token_kind kind;
    size_t at; /* first byte in the text */
    size_t length;
    uint64_t value;
    char sign[4];
};

/* The operator of the rule language that corresponds to one of other languages ("and" for "&&");
 * null if the text is not such an operator. */
const char *assay_lex_meant(const char *text, size_t length);

/* The token that begins at or after text[at]. */
struct assay_token assay_lex(const char *text, size_t length, size_t at);

#endif
