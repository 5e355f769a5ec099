/* What the tests of recorded programs share: running commands, complaining, reading reports. The
 * test defines PROGRAMS_NAME, which its files begin with; the build says where the page is that
 * documents the programs. */
#ifndef ASSAY_GENERATORS_PROGRAMS_TESTS_PROGRAMS_SUPPORT_H
#define ASSAY_GENERATORS_PROGRAMS_TESTS_PROGRAMS_SUPPORT_H

#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned failures;

__attribute__((format(printf, 1, 2))) static inline void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    failures++;
}

/* Runs a command (null ends it) with its output in files; its exit status, or -1. */
static inline int run(const char *const *command)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(PROGRAMS_NAME ".out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        const int err = open(PROGRAMS_NAME ".err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) {
            _exit(126);
        }
        execv(command[0], (char *const *)(uintptr_t)command);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

static inline bool is_empty(const char *path)
{
    FILE *file = fopen(path, "r");
    const bool empty = file != NULL && fgetc(file) == EOF;
    if (file != NULL) {
        fclose(file);
    }
    return empty;
}

/* As expected, or told with what the command wrote on standard error. */
static inline bool expect(const char *what, const char *name, int status)
{
    char line[400] = "";
    if (status == 0) {
        return true;
    }
    FILE *file = fopen(PROGRAMS_NAME ".err", "r");
    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    complain("%s: %s ended with %d: %s", name, what, status, line);
    return false;
}

static inline uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The last number of the program's line in docs/producers.md: the rules that it exercises. */
static inline unsigned documented(const char *name)
{
    char line[600], begin[100];
    unsigned rules = 0;
    snprintf(begin, sizeof begin, "| `%s` |", name);
    FILE *file = fopen(PROGRAMS_PAGE, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *end = strrchr(line, '|');
        if (strncmp(line, begin, strlen(begin)) == 0 && end != NULL) {
            *end = '\0';
            const char *last = strrchr(line, '|');
            rules = last != NULL ? (unsigned)strtoul(last + 1, NULL, 10) : 0;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return rules;
}

static inline bool is_there(const char *path, const char *what)
{
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no %s\n", what);
        return false;
    }
    return true;
}

#endif
