#include "generators/etrace/tests/run_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void run_to(const char *const *words, int wanted)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int fd = open("/dev/null", O_WRONLY);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
            _exit(126);
        }
        execv(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != wanted) {
        fail_msg("%s %s ... ends with %d", words[0], words[1], WEXITSTATUS(status));
    }
}

bool is_there(const char *path, const char *what)
{
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no %s\n", what);
        return false;
    }
    return true;
}
