/* Text of comments and other records, processed piece by piece: it can be longer than memory. */
#ifndef ASSAY_STF_TEXT_H
#define ASSAY_STF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 at the beginning. */
struct stf_text {
    bool any, terminated, unprintable, digest;
    bool in_word, word_is_hex;
    unsigned hex; /* digits of the word so far, at most 41 */
};

void stf_text_add(struct stf_text *text, const uint8_t *data, size_t size);

/* Cell 1 of comment in layout.def: the flags for all the text that was added. */
uint64_t stf_text_flags(const struct stf_text *text);

#endif
