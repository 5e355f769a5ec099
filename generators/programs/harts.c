/* Atomic operations of RISC-V: AMO, LR and SC of both widths and all orders, by one thread and by
 * several that contend for the same words.
 *     harts [ROUNDS]     some 1 million RISC-V instructions a round at -O2, of four threads */
#include <pthread.h>

#include "program.h"

enum { THREADS = 3, STEPS = 4000 };

static uint64_t words[16];
static uint32_t halves[16];
static uint64_t counted; /* by LR and SC */
static uint8_t bytes[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t guarded;
static unsigned rounds;

static void count_exclusively(uint64_t *word)
{
    uint64_t value, failed;
    __asm__ volatile("1: lr.d.aq %0, (%2)\n"
                     "   addi %0, %0, 1\n"
                     "   sc.d.rl %1, %0, (%2)\n"
                     "   bnez %1, 1b\n"
                     : "=&r"(value), "=&r"(failed)
                     : "r"(word)
                     : "memory");
}

/* A reservation that is for another word: the store conditional fails. */
static uint64_t fail_to_store(uint64_t *word)
{
    uint64_t value, failed;
    __asm__ volatile("lr.d %0, (%2)\n"
                     "sc.d %1, %0, (%3)\n"
                     : "=&r"(value), "=&r"(failed)
                     : "r"(word), "r"(word + 1)
                     : "memory");
    return failed;
}

#define AMO(operation, type, place, value)                                                         \
    ({                                                                                             \
        type old;                                                                                  \
        __asm__ volatile(operation " %0, %2, (%1)"                                                 \
                         : "=r"(old)                                                               \
                         : "r"(place), "r"(value)                                                  \
                         : "memory");                                                              \
        old;                                                                                       \
    })

static uint64_t operate(uint64_t i)
{
    uint64_t sum = AMO("amoadd.d", uint64_t, &words[0], i);
    sum += AMO("amoswap.d.aq", uint64_t, &words[1], i);
    sum += AMO("amoxor.d.rl", uint64_t, &words[2], i * 3);
    sum += AMO("amoand.d.aqrl", uint64_t, &words[3], ~i);
    sum += AMO("amoor.d", uint64_t, &words[4], i);
    sum += AMO("amomin.d", uint64_t, &words[5], -i);
    sum += AMO("amomaxu.d", uint64_t, &words[6], i);
    sum += AMO("amoadd.w", uint32_t, &halves[0], i);
    sum += AMO("amoswap.w", uint32_t, &halves[1], i);
    sum += AMO("amomax.w", uint32_t, &halves[2], i);
    sum += AMO("amominu.w", uint32_t, &halves[3], i);
    sum += __atomic_fetch_add(&bytes[i % 64], 1, __ATOMIC_SEQ_CST);
    return sum;
}

static void *work(void *argument)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < (uint64_t)STEPS * rounds; ++i) {
        sum += operate(i);
        count_exclusively(&counted);
        sum += fail_to_store(&words[8]);
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            guarded++;
            pthread_mutex_unlock(&lock);
        }
    }
    *(uint64_t *)argument = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    uint64_t sums[THREADS + 1];
    rounds = rounds_of(argc, argv);
    work(&sums[THREADS]); /* alone */
    for (unsigned i = 0; i < THREADS; ++i) {
        if (pthread_create(&thread[i], NULL, work, &sums[i]) != 0) {
            return 1;
        }
    }
    work(&sums[THREADS]);
    for (unsigned i = 0; i < THREADS; ++i) {
        pthread_join(thread[i], NULL);
    }
    say("counted", &counted, sizeof counted);
    say("guarded", &guarded, sizeof guarded);
    return 0;
}
