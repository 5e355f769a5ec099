/* Words with the classification that is expected of them, for the unit tests. Included after
 * cmocka. */
#ifndef ASSAY_ISA_TESTS_A64_WORDS_H
#define ASSAY_ISA_TESTS_A64_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "isa/a64.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Flags of a classification as one mask: all fields of width 1. */
static inline uint64_t flags_of(uint64_t info)
{
    uint64_t mask = 0;
#define X(id, name, low, width, text) mask |= (width) == 1 ? A64_INFO(id) : 0;
    A64_INFO_FIELDS(X)
#undef X
    return info & mask;
}

#define JUMP   A64_INFO(IS_BRANCH)
#define DIRECT (JUMP | A64_INFO(IS_DIRECT))
#define IF     (DIRECT | A64_INFO(IS_CONDITIONAL))
#define CALL   (JUMP | A64_INFO(IS_CALL))
#define RETURN (JUMP | A64_INFO(IS_RETURN))
#define AUTH   A64_INFO(IS_PAUTH)
#define RAISE  A64_INFO(IS_EXCEPTION_GENERATING)
#define RAISED A64_INFO(IS_EXCEPTION_RETURN)
#define WAIT   A64_INFO(IS_WFX)
#define HINTED A64_INFO(IS_HINT)
#define FENCE  A64_INFO(IS_BARRIER)
#define BAD    A64_INFO(IS_UNDEFINED)
#define WB     A64_INFO(IS_WRITEBACK)
#define TAGGED A64_INFO(ACCESSES_TAGS)
#define TAGS   (TAGGED | A64_INFO(IS_TAG_ONLY))
#define RANGE  A64_INFO(IS_RANGE)
#define EXCL   A64_INFO(IS_EXCLUSIVE)
#define PRED   A64_INFO(IS_PREDICATED)

struct word {
    uint32_t word;
    uint8_t class_id;
    uint64_t flags;
    unsigned count, log2; /* both 0 when the word doesn't fix a size */
};

static inline void check_words(const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct word *w = &words[i];
        const uint64_t info = a64_classify(w->word);
        if (a64_info_class(info) != w->class_id || flags_of(info) != w->flags) {
            print_error("%08x is %s with flags %llx, not %s with %llx\n", w->word,
                        a64_class_name(a64_info_class(info)), (unsigned long long)flags_of(info),
                        a64_class_name(w->class_id), (unsigned long long)w->flags);
        }
        assert_int_equal(a64_info_class(info), w->class_id);
        assert_true(flags_of(info) == w->flags);
        assert_int_equal(a64_info_access_count(info), w->count);
        assert_int_equal(a64_info_access_log2(info), w->log2);
        assert_int_equal(a64_info_access_bytes(info), w->count << w->log2);
    }
}

static inline void check_unallocated(const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct word expected = {words[i], A64_UNALLOCATED, BAD, 0, 0};
        check_words(&expected, 1);
    }
}

#endif
