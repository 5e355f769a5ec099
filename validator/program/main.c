#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/retained.h"
#include "common/yaml.h"
#include "reports/json_load.h"
#include "validator/engine/catalogue.h"
#include "validator/program/program.h"

const struct assay_command *const assay_commands[] = {
    &assay_command_check,
    &assay_command_dump,
    &assay_command_encode,
    &assay_command_rules,
    &assay_command_generate,
    &assay_command_corpus,
    &assay_command_compare,
    &assay_command_certify,
    &assay_command_merge,
    &assay_command_completion,
    NULL,
};

static void show_help(void)
{
    printf("assay judges processor traces: do they conform to their specification?\n\n"
           "Usage: assay COMMAND ...\n\nCommands:\n");
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        printf("  %-12s%s\n", assay_commands[i]->name, assay_commands[i]->summary);
    }
    printf("\nFormats of this build:\n");
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        const struct assay_catalogue *catalogue = assay_catalogue_of(assay_formats[i]);
        printf("  %-10s%s %s, %zu rules\n", assay_formats[i]->name, assay_formats[i]->title,
               assay_formats[i]->version, catalogue != NULL ? catalogue->rule_count : 0);
    }
    printf("\nassay COMMAND --help describes a command; assay --version identifies the rules.\n\n"
           "Exit status: 0 conforms; 1 does not; 2 wrong usage; 3 an input cannot be read;\n"
           "4 incomplete: part of the input could not be judged; 70 a defect of this program;\n"
           "75 a passing fault of the system, try again; 129, 130, 143 ended by a signal.\n");
}

/* What is printed by stdio, such as help, is not lost in silence; but for a pipe that nobody reads
 * any more. */
static int finish_standard_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return status;
    }
    if (errno == EPIPE) {
        return status;
    }
    fprintf(stderr, "assay: standard output could not be written%s%s\n", errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return assay_more_severe_exit(status, ASSAY_EXIT_AGAIN);
}

static int unknown_command(const char *word)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; assay_commands[i] != NULL && i < 15; i++) {
        names[i] = assay_commands[i]->name;
    }
    const char *near = assay_nearest(word, names);
    char after[128];
    snprintf(after, sizeof after, "\"%s%s%s\nSee assay --help.\n",
             near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
             near != NULL ? "\"?" : "");
    assay_say_text("assay: there is no command \"", word, after);
    return ASSAY_EXIT_USAGE;
}

/* A standard stream that is closed would be the number of the next file that is opened, and what is
 * meant for the stream would go there. In its place is one on which reading and writing fail. */
static void occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        show_help();
        return ASSAY_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        show_help();
        return ASSAY_EXIT_CONFORMS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        for (size_t i = 0; assay_catalogues[i] != NULL; i++) {
            printf("%s %s: %zu rules, catalogue %s\n", assay_catalogues[i]->format->name,
                   assay_catalogues[i]->format->version, assay_catalogues[i]->rule_count,
                   assay_catalogues[i]->digest);
        }
        return ASSAY_EXIT_CONFORMS;
    }
    for (size_t i = 0; assay_commands[i] != NULL; i++) {
        if (strcmp(assay_commands[i]->name, argv[1]) == 0) {
            return assay_commands[i]->run(argc - 1, argv + 1);
        }
    }
    return unknown_command(argv[1]);
}

/* A library that ends the program by itself, as libarchive does when memory is out, would do it
 * with a status that is a verdict. */
static bool returned;

static void end_by_library(void)
{
    if (!returned) {
        _Exit(ASSAY_EXIT_AGAIN);
    }
}

int main(int argc, char **argv)
{
    /* Writing to a pipe that nobody reads, or more to a file than the system allows, is an error of
     * the write, not a signal that ends the program. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    occupy_standard_streams();
    assay_retain_memory();
    assay_json_guard_memory();
    (void)atexit(end_by_library); /* without it only that status is another one */
    const int status = finish_standard_output(run(argc, argv));
    returned = true;
    return status;
}
