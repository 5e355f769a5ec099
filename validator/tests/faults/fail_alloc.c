/* One allocation of a program fails: number ASSAY_FAIL_AT, counted from 1 in the order in which
 * they are asked for; those before and after it succeed. Without the variable none fails. At the
 * end the number of allocations is written to the file that ASSAY_FAIL_COUNT names.
 *
 * It is a library to preload (glibc), and so the allocations of all libraries count. With
 * ASSAY_FAIL_WRAPPED it is linked into the program by --wrap and counts those of the program alone:
 * so it is used with sanitizers, which have an allocator of their own. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ASSAY_FAIL_WRAPPED
#define COUNTED(name) __wrap_##name
#define REAL(name)    __real_##name
#else
#define COUNTED(name) name
#define REAL(name)    __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
#ifdef ASSAY_FAIL_WRAPPED
void *REAL(aligned_alloc)(size_t alignment, size_t size);
void *COUNTED(malloc)(size_t size);
void *COUNTED(calloc)(size_t count, size_t size);
void *COUNTED(realloc)(void *old, size_t size);
void *COUNTED(aligned_alloc)(size_t alignment, size_t size);
char *COUNTED(strdup)(const char *text);
char *COUNTED(strndup)(const char *text, size_t size);
#else
void *REAL(memalign)(size_t alignment, size_t size);
#endif

static atomic_ulong allocations;
static unsigned long fail_at;
static char count_path[4096];
static pid_t process; /* what it starts by fork does not count */

/* The first allocations can be older than constructors: they are not counted. */
static atomic_bool begun;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("ASSAY_FAIL_AT");
    const char *path = getenv("ASSAY_FAIL_COUNT");
    fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
    snprintf(count_path, sizeof count_path, "%s", path != NULL ? path : "");
    process = getpid();
    /* Programs that it executes are others. */
    unsetenv("LD_PRELOAD");
    unsetenv("ASSAY_FAIL_AT");
    unsetenv("ASSAY_FAIL_COUNT");
    atomic_store(&begun, true);
}

__attribute__((destructor)) static void tell_count(void)
{
    const unsigned long count = atomic_load(&allocations);
    FILE *file = count_path[0] != '\0' && getpid() == process ? fopen(count_path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%lu\n", count);
        fclose(file);
    }
}

static bool fails(void)
{
    if (atomic_load(&begun) && atomic_fetch_add(&allocations, 1) + 1 == fail_at) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

#ifndef ASSAY_FAIL_WRAPPED
/* Libraries that a program does without where they are absent are absent: that of the disassembler
 * ends the program by itself when memory is out. */
void *dlopen(const char *name, int mode)
{
    (void)name;
    (void)mode;
    return NULL;
}
#endif

void *COUNTED(malloc)(size_t size)
{
    return fails() ? NULL : REAL(malloc)(size);
}

void *COUNTED(calloc)(size_t count, size_t size)
{
    return fails() ? NULL : REAL(calloc)(count, size);
}

void *COUNTED(realloc)(void *old, size_t size)
{
    return fails() ? NULL : REAL(realloc)(old, size);
}

void *COUNTED(aligned_alloc)(size_t alignment, size_t size)
{
#ifdef ASSAY_FAIL_WRAPPED
    return fails() ? NULL : REAL(aligned_alloc)(alignment, size);
#else
    return fails() ? NULL : REAL(memalign)(alignment, size);
#endif
}

#ifdef ASSAY_FAIL_WRAPPED
/* Those of the C library allocate without being wrapped. */
char *COUNTED(strndup)(const char *text, size_t size)
{
    const size_t length = strnlen(text, size);
    char *copy = COUNTED(malloc)(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *COUNTED(strdup)(const char *text)
{
    return COUNTED(strndup)(text, strlen(text));
}
#endif
