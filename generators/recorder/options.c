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

/* "0x80000000", or several with '+' between them. */
static bool read_addresses(const char *text, uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *end = NULL;
        errno = 0;
        values[i] = strtoull(text, &end, 0);
        if (text[0] < '0' || text[0] > '9' || errno != 0 || *end != (i + 1 < count ? '+' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

bool recorder_options_read(int count, char **values, struct recorder_options *options,
                           char *message, unsigned size)
{
    *options = (struct recorder_options){.limit = UINT64_MAX, .until = UINT64_MAX, .program = ""};
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
        } else if (strncmp(option, "until=", 6) == 0) {
            if (!read_addresses(option + 6, &options->until, 1)) {
                snprintf(message, size, "until wants an address, not \"%s\"", option + 6);
                return false;
            }
        } else if (strncmp(option, "ram=", 4) == 0) {
            uint64_t range[2];
            if (!read_addresses(option + 4, range, 2) || range[1] == 0 ||
                range[0] + range[1] < range[0]) {
                snprintf(message, size, "ram wants ADDRESS+SIZE, not \"%s\"", option + 4);
                return false;
            }
            options->ram = range[0];
            options->ram_size = range[1];
        } else if (strncmp(option, "blocks=", 7) == 0) {
            if (!read_addresses(option + 7, &options->blocks, 1)) {
                snprintf(message, size, "blocks wants an address, not \"%s\"", option + 7);
                return false;
            }
            options->has_blocks = true;
        } else if (strncmp(option, "level=", 6) == 0) {
            if (!read_addresses(option + 6, &options->level, 1) || options->level > 3) {
                snprintf(message, size, "level wants a number from 0 to 3, not \"%s\"", option + 6);
                return false;
            }
            options->has_level = true;
        } else {
            snprintf(message, size,
                     "unknown option \"%s\" (known: out=FILE, contents=on, limit=N, "
                     "until=ADDRESS, program=NAME; of a machine: ram=ADDRESS+SIZE, blocks=ADDRESS, "
                     "level=N)",
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

bool recorder_options_fit(const struct recorder_options *options, bool system, char *message,
                          unsigned size)
{
    if (system && options->ram_size == 0) {
        snprintf(message, size, "of a machine, ram=ADDRESS+SIZE is wanted");
        return false;
    }
    if (!system && (options->ram_size > 0 || options->has_blocks || options->has_level)) {
        snprintf(message, size,
                 "ram, blocks and level are of machines, not of programs in user mode");
        return false;
    }
    return true;
}
