#include "emulator.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 256 };

extern char **environ;

/* What the command writes, up to a line; false when it cannot be run. */
static bool read_output(char *const *command, char *text, size_t size)
{
    int end[2];
    pid_t child = 0;
    posix_spawn_file_actions_t actions;
    if (pipe2(end, O_CLOEXEC) != 0) {
        return false;
    }
    bool good = posix_spawn_file_actions_init(&actions) == 0;
    good = good && posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO) == 0 &&
           posix_spawn(&child, command[0], &actions, NULL, command, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(end[1]);
    ssize_t got = 0;
    if (good) {
        got = read(end[0], text, size - 1);
        waitpid(child, NULL, 0);
    }
    close(end[0]);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

bool emulator_version(char *version, size_t size)
{
    char path[TEXT];
    char asked[] = "--version";
    char text[TEXT];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    char *const command[] = {path, asked, NULL};
    const char *said = read_output(command, text, sizeof text) ? strstr(text, " version ") : NULL;
    if (said == NULL) {
        return false;
    }
    said += strlen(" version ");
    const size_t digits = strspn(said, "0123456789.");
    snprintf(version, size, "%.*s", (int)digits, said);
    return digits > 0 && digits < size;
}
