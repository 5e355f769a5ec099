/* Words of which a predicate of one word holds, or does not. Included after cmocka. */
#ifndef ASSAY_ISA_TESTS_SAMPLES_H
#define ASSAY_ISA_TESTS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct sample {
    uint32_t word;
    const char *text; /* for whoever reads the test */
};

/* Prints those for which it is not as expected. */
static inline void check_samples(bool (*predicate)(uint32_t word), bool expected,
                                 const struct sample *samples, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (predicate(samples[i].word) != expected) {
            print_error("%08x %s\n", samples[i].word, samples[i].text);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

#endif
