/* Atomic operations: of one instruction, by exclusives, of pairs, with acquire and release; by
 * threads that contend for the same words.
 *     atomics [ROUNDS]     some 1.5 million AArch64 instructions a round at -O2, of four threads */
#include <pthread.h>
#include <stdatomic.h>

#include "program.h"

enum { THREADS = 3, STEPS = 5000 };

struct pair {
    uint64_t low, high;
} __attribute__((aligned(16)));

static _Atomic uint64_t sum, bits, largest, swapped;
static _Atomic uint32_t words[64];
static _Atomic uint8_t bytes[64];
static _Atomic uint16_t halves[64];
static struct pair both, narrow_pair;
static uint64_t counted; /* by exclusives */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t guarded;
static unsigned rounds;

static uint64_t count_exclusively(uint64_t *word)
{
    uint64_t value;
    uint32_t failed;
    __asm__ volatile("1: ldaxr %0, [%2]\n"
                     "   add %0, %0, #1\n"
                     "   stlxr %w1, %0, [%2]\n"
                     "   cbnz %w1, 1b\n"
                     : "=&r"(value), "=&r"(failed)
                     : "r"(word)
                     : "memory");
    return value;
}

/* Loads and stores of pairs, one of which the store may fail. */
static uint32_t add_exclusively(struct pair *pair)
{
    uint64_t low, high;
    uint32_t failed;
    __asm__ volatile("ldxp %0, %1, [%3]\n"
                     "add %0, %0, #1\n"
                     "stxp %w2, %0, %1, [%3]\n"
                     "ldxrb %w0, [%3]\n"
                     "stxrb %w1, %w0, [%3]\n"
                     "ldaxrh %w0, [%3]\n"
                     "clrex\n"
                     "stlxrh %w1, %w0, [%3]\n" /* fails */
                     : "=&r"(low), "=&r"(high), "=&r"(failed)
                     : "r"(pair)
                     : "memory");
    return failed;
}

/* CASP, of which the first finds what it expects unless another thread comes between. */
static void swap_pair(struct pair *pair, struct pair *small)
{
    register uint64_t old_low __asm__("x4");
    register uint64_t old_high __asm__("x5");
    register uint64_t new_low __asm__("x6");
    register uint64_t new_high __asm__("x7");
    __asm__ volatile("ldp %0, %1, [%4]\n"
                     "add %2, %0, #1\n"
                     "sub %3, %1, #1\n"
                     "caspal %0, %1, %2, %3, [%4]\n"
                     "caspa %w0, %w1, %w2, %w3, [%5]\n"
                     : "=&r"(old_low), "=&r"(old_high), "=&r"(new_low), "=&r"(new_high)
                     : "r"(pair), "r"(small)
                     : "memory");
}

/* Those that C has no names for: release consistency, and stores without a result. */
static void order(uint64_t *word)
{
    uint64_t value;
    __asm__ volatile("ldapr %0, [%1]\n"
                     "stlr %0, [%1]\n"
                     "ldar %0, [%1]\n"
                     "stlur %w0, [%1, #4]\n"
                     "ldapur %w0, [%1, #4]\n"
                     "stadd %0, [%1]\n"
                     "stset %0, [%1]\n"
                     "ldumin %0, %0, [%1]\n"
                     "ldsmaxa %w0, %w0, [%1]\n"
                     "swplb %w0, %w0, [%1]\n"
                     : "=&r"(value)
                     : "r"(word)
                     : "memory");
}

static void *work(void *argument)
{
    uint64_t own[2] = {0};
    const unsigned number = *(const unsigned *)argument;
    for (unsigned i = 0; i < rounds * STEPS; ++i) {
        const unsigned at = (i * 7 + number) % 64;
        atomic_fetch_add(&sum, i);
        atomic_fetch_or(&bits, UINT64_C(1) << at);
        atomic_fetch_and_explicit(&bits, ~(UINT64_C(2) << at), memory_order_release);
        atomic_fetch_xor_explicit(&words[at], i, memory_order_acquire);
        atomic_fetch_sub_explicit(&bytes[at], 1, memory_order_relaxed);
        atomic_fetch_add(&halves[at], 3);
        atomic_store(&swapped, atomic_exchange(&swapped, i) + 1);
        uint64_t seen = atomic_load_explicit(&largest, memory_order_acquire);
        while (seen < i && !atomic_compare_exchange_weak(&largest, &seen, i)) {
        }
        count_exclusively(&counted);
        add_exclusively(&both);
        swap_pair(&both, &narrow_pair);
        order(own);
        if (i % 16 == 0) {
            pthread_mutex_lock(&lock);
            guarded += number;
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned number[THREADS + 1];
    pthread_t thread[THREADS];
    rounds = rounds_of(argc, argv);
    number[THREADS] = THREADS;
    work(&number[THREADS]); /* while there is one thread, which QEMU treats otherwise */
    for (unsigned t = 0; t < THREADS; ++t) {
        number[t] = t;
        if (pthread_create(&thread[t], NULL, work, &number[t]) != 0) {
            return 1;
        }
    }
    for (unsigned t = 0; t < THREADS; ++t) {
        pthread_join(thread[t], NULL);
    }
    say("counted", &counted, sizeof counted);
    say("sum", (const void *)&sum, sizeof sum);
    return counted == (uint64_t)rounds * STEPS * (THREADS + 1) ? 0 : 1;
}
