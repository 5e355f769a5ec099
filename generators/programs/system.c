/* Around the system: files, mappings, pipes, clocks; signals from itself, from a timer, from
 * faults, with handlers that return and that jump out; flags and control registers
 * that a program may write.
 *     system [ROUNDS]     some 1 million AArch64 instructions a round at -O2 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

enum { STEPS = 60, PAGE = 4096, LINES = 200 };

#ifdef __aarch64__
#define PAUSE   __asm__ volatile("yield")
#define BREAK   __asm__ volatile("brk #1")
#define ILLEGAL __asm__ volatile("udf #2")
#define ADD_ODD PAUSE
#else
#define PAUSE   __asm__ volatile("nop")
#define BREAK   __asm__ volatile("ebreak")
#define ILLEGAL __asm__ volatile(".2byte 0")
#define ADD_ODD __asm__ volatile("amoadd.w zero, zero, (%0)" : : "r"(odd) : "memory")
#endif

static volatile sig_atomic_t handled;
static sigjmp_buf before;
static volatile int *volatile nowhere = NULL;
#ifndef __aarch64__
static uint32_t words[2];
static uint8_t *volatile odd = (uint8_t *)words + 1; /* no address of an atomic operation */
#endif

static void count(int number)
{
    (void)number;
    handled++;
}

/* The size of the instruction at the machine's program counter, which moves on by it. */
static void step(ucontext_t *machine)
{
#ifdef __aarch64__
    machine->uc_mcontext.pc += 4;
#else
    const uint16_t *word = (const uint16_t *)machine->uc_mcontext.__gregs[REG_PC];
    machine->uc_mcontext.__gregs[REG_PC] += (*word & 3) == 3 ? 4 : 2;
#endif
}

static void skip(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    step(context);
    handled++;
}

static void leave(int number)
{
    (void)number;
    siglongjmp(before, 1);
}

static int files(void)
{
    char name[] = "assay-program-XXXXXX", text[300];
    uint32_t sum = 0;
    const int fd = mkstemp(name);
    if (fd < 0) {
        return 1;
    }
    unlink(name);
    FILE *file = fdopen(fd, "w+");
    for (unsigned i = 0; i < LINES; ++i) {
        fprintf(file, "%08x line %u of a file, %.3f\n", random_number(), i, i / 7.0);
    }
    rewind(file);
    while (fgets(text, sizeof text, file) != NULL) {
        sum = sum * 31 + checksum(text, strlen(text));
    }
    struct stat state;
    fstat(fd, &state);
    void *view = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (view == MAP_FAILED) {
        return 1;
    }
    sum ^= checksum(view, (size_t)state.st_size);
    munmap(view, (size_t)state.st_size);
    fclose(file);
    say("files", &sum, sizeof sum);
    return 0;
}

static int mappings(void)
{
    uint32_t sum = 0;
    for (unsigned i = 1; i <= STEPS; ++i) {
        uint8_t *place =
            mmap(NULL, i * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) {
            return 1;
        }
        for (unsigned at = 0; at < i * PAGE; at += 512) {
            place[at] = (uint8_t)(at + i);
        }
        mprotect(place, PAGE, PROT_READ);
        sum += checksum(place, PAGE / 8);
        munmap(place, i * PAGE);
        free(malloc(i * 5000));
    }
    say("mappings", &sum, sizeof sum);
    return 0;
}

static int pipes(void)
{
    int end[2];
    char text[64] = "through a pipe", back[64];
    uint32_t sum = 0;
    if (pipe(end) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < STEPS; ++i) {
        struct iovec piece[2] = {{text, 20}, {text, 12}};
        if (writev(end[1], piece, 2) != 32 || read(end[0], back, 32) != 32) {
            return 1;
        }
        sum += checksum(back, 32) + i;
    }
    close(end[0]);
    close(end[1]);
    say("pipes", &sum, sizeof sum);
    return 0;
}

static void clocks(void)
{
    struct timespec now, pause = {0, 1000};
    for (unsigned i = 0; i < STEPS / 10; ++i) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        nanosleep(&pause, NULL);
        getppid();
        close(-1); /* fails */
    }
}

static void on(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(number, &action, NULL);
}

static int signals(void)
{
    struct sigaction skipping = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
    on(SIGUSR1, count);
    on(SIGALRM, count);
    for (unsigned i = 0; i < STEPS; ++i) {
        raise(SIGUSR1);
    }
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    const int before_timer = handled;
    setitimer(ITIMER_REAL, &often, NULL);
    for (uint32_t spun = 0; spun < 200000 || handled < before_timer + 2; ++spun) {
        PAUSE;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    for (volatile unsigned i = 0; i < STEPS; ++i) {
        on(SIGSEGV, leave);
        if (sigsetjmp(before, 1) == 0) {
            *nowhere = 1;
        }
        sigaction(SIGTRAP, &skipping, NULL);
        sigaction(SIGILL, &skipping, NULL);
        sigaction(SIGSEGV, &skipping, NULL);
        sigaction(SIGBUS, &skipping, NULL);
        BREAK;
        ILLEGAL;
        *nowhere = 2;
        (void)*nowhere;
        ADD_ODD;
    }
    return handled < 4 * STEPS;
}

#ifdef __aarch64__
/* Hints, barriers, registers, and the flags of PSTATE that the trace shows. */
static __attribute__((noinline)) void registers(void)
{
    uint64_t value;
    __asm__ volatile(".arch armv8.5-a\n"
                     "msr dit, #1\n"
                     "nop\n"
                     "msr dit, #1\n"
                     "msr dit, #0\n"
                     "msr ssbs, #1\n"
                     "yield\n"
                     "msr ssbs, #0\n"
                     "dmb ish\n"
                     "dsb sy\n"
                     "isb\n"
                     "sb\n"
                     "sevl\n"
                     "wfe\n"
                     "mrs %0, tpidr_el0\n"
                     "mrs %0, cntvct_el0\n"
                     "mrs %0, fpcr\n"
                     "msr fpcr, %0\n"
                     "cfinv\n"
                     : "=r"(value)
                     :
                     : "cc", "memory");
}
#else
/* Fences, and registers of floating point and of counters. */
static __attribute__((noinline)) void registers(void)
{
    uint64_t value;
    __asm__ volatile("fence rw, rw\n"
                     "fence r, rw\n"
                     "fence.tso\n"
                     "fence.i\n"
                     "rdcycle %0\n"
                     "rdinstret %0\n"
                     "frcsr %0\n"
                     "fscsr %0\n"
                     "frrm %0\n"
                     "fsflagsi 0\n"
                     : "=r"(value)
                     :
                     : "memory");
}
#endif

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    for (unsigned i = 0; i < rounds; ++i) {
        handled = 0;
        clocks();
        registers();
        if (files() != 0 || mappings() != 0 || pipes() != 0 || signals() != 0) {
            return 1;
        }
    }
    return 0;
}
