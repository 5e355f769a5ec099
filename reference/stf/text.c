#include "stf/text.h"

#include "stf/stf.h"

/* A digest, as of a commit, is a word of 7 to 40 hexadecimal digits. */
enum { DIGEST_LEAST = 7, DIGEST_MOST = 40 };

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool in_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digest(const struct stf_text *t)
{
    return t->in_word && t->word_is_hex && t->hex >= DIGEST_LEAST && t->hex <= DIGEST_MOST;
}

void stf_text_add(struct stf_text *t, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = data[i];
        const bool printable = (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r');
        t->unprintable = t->unprintable || !printable;
        if (!in_word(c)) {
            t->digest = t->digest || is_digest(t);
            t->in_word = false;
            continue;
        }
        if (!t->in_word) {
            t->in_word = true;
            t->word_is_hex = true;
            t->hex = 0;
        }
        t->word_is_hex = t->word_is_hex && is_hex(c);
        t->hex += t->hex <= DIGEST_MOST ? 1 : 0;
    }
    if (size > 0) {
        t->any = true;
        t->terminated = data[size - 1] == 0;
    }
}

uint64_t stf_text_flags(const struct stf_text *t)
{
    return stf_at(comment, text_terminated, t->any && t->terminated) |
           stf_at(comment, text_has_digest, t->digest || is_digest(t)) |
           stf_at(comment, text_printable, !t->unprintable);
}
