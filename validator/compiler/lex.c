#include "validator/compiler/lex.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_name(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_';
}

static struct assay_token lex_number(const char *text, size_t length, size_t at)
{
    struct assay_token token = {.kind = ASSAY_TOKEN_NUMBER, .at = at};
    const bool hex = at + 1 < length && text[at] == '0' && (text[at + 1] | 0x20) == 'x';
    const uint64_t base = hex ? 16 : 10;
    size_t i = hex ? at + 2 : at;
    size_t digits = 0;
    for (; i < length && is_name(text[i]); i++) {
        const char c = (char)(text[i] | 0x20);
        const uint64_t digit = isdigit((unsigned char)text[i]) != 0 ? (uint64_t)(text[i] - '0')
                               : c >= 'a' && c <= 'f'               ? (uint64_t)(c - 'a') + 10
                                                                    : 99;
        if (text[i] == '_' && digits > 0) {
            continue;
        }
        if (digit >= base || token.value > (UINT64_MAX - digit) / base) {
            token.kind = ASSAY_TOKEN_BAD;
        } else {
            token.value = token.value * base + digit;
            digits++;
        }
    }
    token.length = i - at;
    if (digits == 0) {
        token.kind = ASSAY_TOKEN_BAD;
    }
    return token;
}

const char *assay_lex_meant(const char *text, size_t length)
{
    /* Of other languages; longer ones first. */
    static const struct {
        const char *sign;
        const char *meant;
    } foreign[] = {{"===", "=="}, {"!==", "!="}, {"&&", "and"}, {"||", "or"}, {"<>", "!="},
                   {"=<", "<="},  {"=>", ">="},  {"=", "=="},   {"!", "not"}};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const size_t n = strlen(foreign[i].sign);
        if (n == length && memcmp(text, foreign[i].sign, n) == 0) {
            return foreign[i].meant;
        }
    }
    return NULL;
}

/* How long an operator of another language is here; 0: there is none. */
static size_t foreign_length(const char *text, size_t length)
{
    for (size_t n = length < 3 ? length : 3; n > 1; n--) {
        if (assay_lex_meant(text, n) != NULL) {
            return n;
        }
    }
    return 0;
}

static struct assay_token lex_sign(const char *text, size_t length, size_t at)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<<", ">>", "..", "<", ">",
                                        "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^", "~",
                                        "(",  ")",  "{",  "}",  "[",  "]",  ",",  ".", ":"};
    struct assay_token token = {.kind = ASSAY_TOKEN_BAD, .at = at, .length = 1};
    const size_t foreign = foreign_length(text + at, length - at);
    if (foreign > 0) {
        token.length = foreign;
        return token;
    }
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t n = strlen(signs[i]);
        if (n <= length - at && memcmp(text + at, signs[i], n) == 0) {
            token.kind = ASSAY_TOKEN_SIGN;
            token.length = n;
            memcpy(token.sign, signs[i], n);
            return token;
        }
    }
    return token;
}

struct assay_token assay_lex(const char *text, size_t length, size_t at)
{
    while (at < length && isspace((unsigned char)text[at]) != 0) {
        at++;
    }
    if (at >= length) {
        return (struct assay_token){.kind = ASSAY_TOKEN_END, .at = length};
    }
    if (isdigit((unsigned char)text[at]) != 0) {
        return lex_number(text, length, at);
    }
    if (!is_name(text[at])) {
        return lex_sign(text, length, at);
    }
    struct assay_token token = {.kind = ASSAY_TOKEN_NAME, .at = at};
    const bool id = length - at > 4 && memcmp(text + at, "INT-", 4) == 0;
    size_t i = at;
    while (i < length && (is_name(text[i]) || (id && text[i] == '-'))) {
        i++;
    }
    token.length = i - at;
    return token;
}
