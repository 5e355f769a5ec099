/* Accesses of all shapes: copies, strings, pairs, accesses that are not aligned and that cross
 * pages, tagged pointers, addresses that are in the word.
 *     memory [ROUNDS]     some 2 million AArch64 instructions a round at -O2 */
#include <string.h>

#include "program.h"

enum { BLOCK = 16384, PAGE = 4096, STEPS = 400 };

static uint8_t block[4 * BLOCK] __attribute__((aligned(PAGE)));

struct large {
    uint64_t part[17];
};

static void copies(void)
{
    for (unsigned i = 0; i < STEPS; ++i) {
        const size_t size = random_number() % 1500;
        memcpy(block + random_number() % BLOCK, block + 2 * BLOCK + random_number() % BLOCK, size);
        memmove(block + i, block + i + 5, size);
        memset(block + BLOCK + i, (int)i, 100);
    }
    struct large *large = (struct large *)(void *)block;
    for (unsigned i = 0; i < STEPS; ++i) {
        large[i % 64] = large[(i * 11) % 64];
        large[i % 64].part[i % 17] += i;
    }
    say("copies", block, BLOCK);
}

static void strings(void)
{
    char text[400], other[800];
    size_t sum = 0;
    for (unsigned i = 0; i < STEPS; ++i) {
        const int length =
            snprintf(text, sizeof text, "%u:%s", random_number(), "a text to search");
        strcpy(other + i % 16, text);
        strcat(other + i % 16, " and more");
        sum += strlen(other + i % 16) + (size_t)length;
        sum += strchr(text, ':') != NULL && strstr(other + i % 16, "and") != NULL;
        sum += (size_t)(memchr(text, 's', (size_t)length) != NULL) + strspn(text, "0123456789");
        sum +=
            (size_t)(memcmp(text, other + i % 16, (size_t)length) == 0) + (strcmp(text, "5") > 0);
    }
    say("strings", &sum, sizeof sum);
}

#ifdef __aarch64__
/* All widths, signs and ways to address, at any alignment, over borders of pages. */
static __attribute__((noinline)) uint64_t shapes(uint8_t *at, uint64_t index)
{
    uint64_t sum = 0, a, b;
    uint8_t *moving = at;
    __asm__ volatile("ldrb %w1, [%4]\n"
                     "ldrsb %w2, [%4, #1]\n"
                     "ldrsh %1, [%4, %5]\n"
                     "ldrsw %2, [%4, %5, lsl #2]\n"
                     "ldr %1, [%4, %w5, uxtw #3]\n"
                     "ldur %2, [%4, #-7]\n"
                     "ldtr %1, [%4, #9]\n"
                     "sttr %w1, [%4, #9]\n"
                     "ldp %1, %2, [%4, #-24]\n"
                     "ldp %w1, %w2, [%4, #-20]\n"
                     "ldpsw %1, %2, [%4, #4]\n"
                     "stp %1, %2, [%3], #16\n"
                     "ldp %1, %2, [%3, #-16]!\n"
                     "ldr %w1, [%3], #3\n"
                     "str %1, [%3, #-3]!\n"
                     "strh %w2, [%3, #2]\n"
                     "ldnp %1, %2, [%4, #16]\n"
                     "stnp %1, %2, [%4, #32]\n"
                     "ldr q0, [%4]\n"
                     "ldp q1, q2, [%4]\n"
                     "ldnp d3, d4, [%4]\n"
                     "stp s1, s2, [%4, #8]\n"
                     "str b1, [%4, #3]\n"
                     "ldur h2, [%4, #5]\n"
                     "stnp q0, q1, [%4, #16]\n"
                     "eor %0, %1, %2\n"
                     : "+r"(sum), "=&r"(a), "=&r"(b), "+r"(moving)
                     : "r"(at), "r"(index)
                     : "memory", "v0", "v1", "v2", "v3", "v4");
    return sum + (uint64_t)(moving - at);
}

/* Accesses by SP over the border of a page, which compilers do not make. */
static __attribute__((noinline)) void stack_accesses(uint8_t *border)
{
    uint64_t saved;
    __asm__ volatile("mov %0, sp\n"
                     "mov sp, %1\n"
                     "ldp q0, q1, [sp, #16]\n"
                     "stp q0, q1, [sp, #16]\n"
                     "ldur x1, [sp, #28]\n"
                     "stur w1, [sp, #30]\n"
                     "mov sp, %0\n"
                     : "=&r"(saved)
                     : "r"(border - 32)
                     : "memory", "x1", "v0", "v1");
}

/* Addresses that are in the word: literals, and a prefetch of one. */
static __attribute__((noinline)) uint64_t literals(void)
{
    uint64_t a, b;
    __asm__ volatile("ldr %0, 1f\n"
                     "ldrsw %1, 1f + 4\n"
                     "ldr %w1, 1f\n"
                     "ldr q0, 1f\n"
                     "ldr d1, 1f\n"
                     "prfm pldl1keep, 1f\n"
                     "b 2f\n"
                     ".balign 16\n"
                     "1: .quad 0x123456789abcdef, 0x55\n"
                     "2:\n"
                     : "=&r"(a), "=&r"(b)
                     :
                     : "v0", "v1");
    return a + b;
}

static void accesses(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STEPS; ++i) {
        sum += shapes(block + PAGE * (1 + i % 3) - 64 + i % 100, i % 16);
        sum += literals();
        stack_accesses(block + PAGE * (1 + i % 3));
    }
    say("shapes", &sum, sizeof sum);
}

/* Pointers with a tag in the top byte, which AArch64 Linux ignores. */
static void tagged(void)
{
    uint64_t sum = 0;
    for (uintptr_t i = 0; i < STEPS; ++i) {
        uint64_t *place = (uint64_t *)((uintptr_t)(block + 8 * i) | (i & 0xff) << 56);
        *place += i;
        sum += __atomic_fetch_add(place, 1, __ATOMIC_RELAXED) + *(uint8_t *)place;
    }
    say("tagged", &sum, sizeof sum);
}

#else
/* All widths and signs, at any alignment, over borders of pages. */
static __attribute__((noinline)) uint64_t shapes(uint8_t *at, uint64_t index)
{
    uint64_t sum = index, a, b;
    __asm__ volatile("lb %1, 0(%3)\n"
                     "lbu %2, 1(%3)\n"
                     "lh %1, 3(%3)\n"
                     "lhu %2, 5(%3)\n"
                     "sh %1, 7(%3)\n"
                     "lw %1, -7(%3)\n"
                     "lwu %2, 9(%3)\n"
                     "sw %2, 13(%3)\n"
                     "ld %1, -24(%3)\n"
                     "sd %1, 16(%3)\n"
                     "ld %2, 1(%3)\n"
                     "sb %2, 2(%3)\n"
                     "flw ft0, 4(%3)\n"
                     "fsw ft0, 9(%3)\n"
                     "fld ft1, 3(%3)\n"
                     "fsd ft1, 24(%3)\n"
                     "xor %1, %1, %2\n"
                     "add %0, %0, %1\n"
                     : "+r"(sum), "=&r"(a), "=&r"(b)
                     : "r"(at)
                     : "memory", "ft0", "ft1");
    return sum;
}

static void accesses(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STEPS; ++i) {
        sum += shapes(block + PAGE * (1 + i % 3) - 64 + i % 100, i % 16);
    }
    say("shapes", &sum, sizeof sum);
}

/* RISC-V Linux ignores no bits of pointers. */
static void tagged(void) {}
#endif

/* A list that is walked at random, as pointers are chased. */
static void chase(void)
{
    static uint32_t next[BLOCK / 4];
    uint32_t at = 0;
    for (uint32_t i = 0; i < BLOCK / 4; ++i) {
        next[i] = (i * 1009 + 7) % (BLOCK / 4);
    }
    for (unsigned i = 0; i < 20 * STEPS; ++i) {
        at = next[at];
    }
    say("chase", &at, sizeof at);
}

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    for (unsigned i = 0; i < 4 * BLOCK; ++i) {
        block[i] = (uint8_t)random_number();
    }
    for (unsigned i = 0; i < rounds; ++i) {
        copies();
        strings();
        accesses();
        tagged();
        chase();
    }
    return 0;
}
