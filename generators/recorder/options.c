#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number == 0) {
        return false;
    }
    *value = number;
    return true;
}

bool recorder_options_read(int count, char **values, struct recorder_options *options,
                           char *message, unsigned size)
{
    *options = (struct recorder_options){.limit = UINT64_MAX, .program = ""};
    for (int i = 0; i < count; ++i) {
        const char *option = values[i];
        if (strncmp(option, "out=", 4) == 0) {
            options->out = option + 4;
        } else if (strncmp(option, "program=", 8) == 0) {
            options->program = option + 8;
        } else if (strcmp(option, "contents=on") == 0 || strcmp(option, "contents=off") == 0) {
            options->contents = strcmp(option, "contents=on") == 0;
        } else if (strncmp(option, "contents=", 9) == 0) {
            snprintf(message, size, "contents is on or off, not \"%s\"", option + 9);
            return false;
        } else if (strncmp(option, "limit=", 6) == 0) {
            if (!read_count(option + 6, &options->limit)) {
                snprintf(message, size,
                         "limit wants a number of instructions from 1 on, not \"%s\"", option + 6);
                return false;
            }
        } else {
            snprintf(message, size,
                     "unknown option \"%s\" (known: out=FILE, contents=on, limit=N, program=NAME)",
                     option);
            return false;
        }
    }
    if (options->out == NULL || options->out[0] == '\0') {
        snprintf(message, size, "the option out=FILE is missing");
        return false;
    }
    if (strcmp(options->out, "-") == 0) {
        snprintf(message, size, "out=- would mix the recording with what the program writes");
        return false;
    }
    return true;
}
