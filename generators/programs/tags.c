/* The instructions of the Memory Tagging Extension, on memory that has no tags: what they access of
 * tags is nothing, and what they store is data.
 *     tags [ROUNDS]     some 1 million AArch64 instructions a round at -O2 */
#include <sys/prctl.h>

#include "program.h"

enum { GRANULES = 1024, STEPS = 60 };

static uint8_t block[16 * GRANULES] __attribute__((aligned(64)));

static __attribute__((noinline)) uint64_t touch(uint8_t *at)
{
    uint64_t sum = 0, a, b;
    __asm__ volatile("irg %1, %3\n"
                     "addg %1, %1, #32, #3\n"
                     "subg %1, %1, #32, #1\n"
                     "gmi %2, %1, xzr\n"
                     "subp %2, %1, %3\n"
                     "subps %2, %1, %3\n"
                     "stg %3, [%3]\n"
                     "st2g %3, [%3]\n"
                     "mov %1, %3\n"
                     "stg %1, [%1], #16\n"
                     "ldg %1, [%3]\n"
                     "stzg %3, [%3]\n"
                     "stz2g %3, [%3, #32]\n"
                     "stgp %2, %2, [%3, #16]\n"
                     "ldp %1, %2, [%3, #16]\n"
                     "msr tco, #1\n"
                     "ldr %1, [%3]\n"
                     "msr tco, #0\n"
                     "add %0, %1, %2\n"
                     : "+r"(sum), "=&r"(a), "=&r"(b)
                     : "r"(at)
                     : "cc", "memory");
    return sum;
}

static void fill(uint64_t *sum)
{
    for (unsigned i = 0; i < sizeof block; ++i) {
        block[i] = (uint8_t)random_number();
    }
    for (unsigned n = 0; n < STEPS; ++n) {
        for (unsigned i = 0; i + 4 < GRANULES; ++i) {
            *sum += touch(block + 16 * i);
        }
    }
}

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    uint64_t sum = 0;
    for (unsigned i = 0; i < rounds; ++i) {
        /* Checks are on; the memory is not tagged, so that nothing is checked. */
        if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE | PR_MTE_TCF_SYNC, 0, 0, 0) != 0) {
            return 1;
        }
        fill(&sum);
        if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE | PR_MTE_TCF_ASYNC, 0, 0, 0) !=
                0 ||
            prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) != 0) {
            return 1;
        }
    }
    say("tags", &sum, sizeof sum);
    return 0;
}
