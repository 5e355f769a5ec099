/* One program for what is hard to record; the argument says what it does:
 *     faults     four instructions that never retire, each followed by a handler
 *     threads    eight threads at a time, forty in all, that add to one number
 *     forks      a child that runs on by itself
 *     exec-fails an exec that fails, then a normal end
 *     dies       ends by its own abort */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf before_fault;
static long total;
static volatile int *volatile nowhere = NULL;

static void leave_fault(int number)
{
    (void)number;
    siglongjmp(before_fault, 1);
}

static int faults(void)
{
    signal(SIGSEGV, leave_fault);
    signal(SIGTRAP, leave_fault);
    signal(SIGILL, leave_fault);
    if (sigsetjmp(before_fault, 1) == 0) {
        *nowhere = 1;
    }
    if (sigsetjmp(before_fault, 1) == 0) {
        char *page = mmap((void *)0x70000000, 4096, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        *(volatile char *)(page + 0x123) = 1;
    }
    if (sigsetjmp(before_fault, 1) == 0) {
#ifdef __aarch64__
        __asm__ volatile("brk #0");
#else
        __asm__ volatile("ebreak");
#endif
    }
    if (sigsetjmp(before_fault, 1) == 0) {
        __asm__ volatile(".4byte 0");
    }
    return 0;
}

static void *add(void *unused)
{
    for (int i = 0; i < 2000; ++i) {
        __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

static int threads(void)
{
    for (int round = 0; round < 5; ++round) {
        pthread_t thread[8];
        for (int i = 0; i < 8; ++i) {
            if (pthread_create(&thread[i], NULL, add, NULL) != 0) {
                return 1;
            }
        }
        for (int i = 0; i < 8; ++i) {
            pthread_join(thread[i], NULL);
        }
    }
    return total == 5 * 8 * 2000 ? 0 : 1;
}

static int forks(void)
{
    const pid_t child = fork();
    for (int i = 0; i < 200000; ++i) {
        __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    }
    int status = 0;
    return child > 0 ? waitpid(child, &status, 0) != child || status != 0 : 0;
}

static int exec_fails(void)
{
    char *const nothing[] = {NULL};
    execve("/no/such/program", nothing, nothing);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "faults") == 0) {
        return faults();
    }
    if (strcmp(what, "threads") == 0) {
        return threads();
    }
    if (strcmp(what, "forks") == 0) {
        return forks();
    }
    if (strcmp(what, "exec-fails") == 0) {
        return exec_fails();
    }
    if (strcmp(what, "dies") == 0) {
        abort();
    }
    return 2;
}
