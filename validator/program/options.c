#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "image/image.h"
#include "model/describe.h"
#include "model/facts.h"
#include "model/framing.h"
#include "validator/engine/check.h"
#include "validator/program/program.h"

enum { MAX_OPTIONS = 48, FIRST_LONG = 256, MESSAGE = 2048 };

static void show_help(const struct assay_command *command)
{
    printf("assay %s: %s\n\nUsage: assay %s %s\n\nOptions:\n", command->name, command->summary,
           command->name, command->usage);
    for (const struct assay_option *o = command->options; o->name != NULL; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->brief ? "-" : " ",
                 o->brief ? o->letter : ' ', o->brief ? ", " : "  ", o->name,
                 o->argument != NULL ? " " : "", o->argument != NULL ? o->argument : "");
        printf("  %-32s", left);
        /* Help of several lines keeps to its column. */
        for (const char *c = o->help; *c != '\0'; c++) {
            putchar(*c);
            if (*c == '\n') {
                printf("%34s", "");
            }
        }
        putchar('\n');
    }
    printf("  %-32s%s\n", "-h, --help", "show this");
    if (command->details != NULL) {
        printf("\n%s", command->details);
    }
    if (command->show_more != NULL) {
        command->show_more();
    }
}

void assay_say_text(const char *before, const char *text, const char *after)
{
    enum { ROOM = 4 * MESSAGE + 512, ESCAPE = sizeof "\\xNN" };
    char line[ROOM] = "";
    assay_append(line, sizeof line, "%s", before);
    size_t used = strlen(line);
    const size_t end = sizeof line - 1 - strlen(after);
    for (const char *c = text; *c != '\0' && used + ESCAPE <= end; c++) {
        const unsigned char byte = (unsigned char)*c;
        const bool printable = byte >= 0x20 && byte < 0x7f;
        used += (size_t)snprintf(line + used, ESCAPE, printable ? "%c" : "\\x%02x", byte);
    }
    assay_append(line, sizeof line, "%s", after);
    fputs(line, stderr);
}

int assay_usage_error(const struct assay_command *command, const char *format, ...)
{
    va_list args;
    char before[64];
    char after[64];
    char text[MESSAGE];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(before, sizeof before, "assay %s: ", command->name);
    snprintf(after, sizeof after, "\nSee assay %s --help.\n", command->name);
    assay_say_text(before, text, after);
    return ASSAY_EXIT_USAGE;
}

void assay_say(const struct assay_diag *diag)
{
    char text[MESSAGE];
    assay_diag_format(diag, text, sizeof text);
    assay_say_text("assay: ", text, "\n");
}

int assay_say_no_memory(void)
{
    fprintf(stderr, "assay: %s\n", assay_error_text(ASSAY_NO_MEMORY));
    return ASSAY_EXIT_AGAIN;
}

int assay_exit_of(enum assay_error error)
{
    switch (error) {
    case ASSAY_OK:
        return ASSAY_EXIT_CONFORMS;
    case ASSAY_NO_MEMORY:
    case ASSAY_BROKEN_PIPE:
    case ASSAY_WRITE_FAILED:
        return ASSAY_EXIT_AGAIN;
    case ASSAY_NOT_FOUND:
    case ASSAY_NOT_READABLE:
    case ASSAY_READ_FAILED:
    case ASSAY_TRUNCATED:
    case ASSAY_CORRUPT:
    case ASSAY_UNKNOWN_FORMAT:
        return ASSAY_EXIT_UNREADABLE;
    case ASSAY_INTERNAL:
        return ASSAY_EXIT_INTERNAL;
    default:
        return ASSAY_EXIT_USAGE;
    }
}

int assay_exit_of_given(enum assay_error error)
{
    const int status = assay_exit_of(error);
    return status == ASSAY_EXIT_UNREADABLE ? ASSAY_EXIT_USAGE : status;
}

int assay_more_severe_exit(int a, int b)
{
    static const int order[] = {ASSAY_EXIT_INTERNAL,   ASSAY_EXIT_AGAIN,    ASSAY_EXIT_USAGE,
                                ASSAY_EXIT_UNREADABLE, ASSAY_EXIT_VIOLATES, ASSAY_EXIT_INCOMPLETE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (a == order[i] || b == order[i]) {
            return order[i];
        }
    }
    return ASSAY_EXIT_CONFORMS;
}

int assay_finish_output(struct assay_sink *sink, int status)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_sink_close(sink, &diag);
    if (error == ASSAY_OK) {
        return status;
    }
    if (error == ASSAY_BROKEN_PIPE) {
        return status; /* who closes a pipe has read enough */
    }
    assay_say(&diag);
    return ASSAY_EXIT_AGAIN;
}

const struct assay_format *assay_named_format(const struct assay_command *command, const char *name)
{
    const struct assay_format *format = assay_format_by_name(name);
    const char *names[32] = {NULL};
    for (size_t i = 0; format == NULL && assay_formats[i] != NULL && i < 31; i++) {
        names[i] = assay_formats[i]->name;
    }
    if (format == NULL) {
        const char *near = assay_nearest(name, names);
        assay_usage_error(command, "there is no format \"%s\"%s%s%s", name,
                          near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                          near != NULL ? "\"?" : "");
    }
    return format;
}

int assay_profile_option(const struct assay_command *command, const char *name,
                         const struct assay_format **format, unsigned *profile)
{
    const char *names[64] = {NULL};
    size_t count = 0;
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        const int number = assay_profile_by_name(assay_formats[i], name);
        if (number >= 0) {
            *format = assay_formats[i];
            *profile = 1 + (unsigned)number;
            return 0;
        }
        for (size_t p = 0; p < assay_formats[i]->profile_count && count < 63; p++) {
            names[count++] = assay_formats[i]->profiles[p].name;
        }
    }
    const char *near = assay_nearest(name, names);
    return near != NULL
               ? assay_usage_error(command, "there is no profile \"%s\"; did you mean \"%s\"?",
                                   name, near)
               : assay_usage_error(command, "there is no profile \"%s\" in this build", name);
}

int assay_framing_option(const struct assay_command *command, const char *name,
                         struct assay_stream_setup *setup)
{
    setup->framing = (unsigned)assay_framing_by_name(name);
    setup->framing_given = true;
    if (setup->framing < ASSAY_FRAMING_COUNT) {
        return 0;
    }
    const char *near = assay_nearest(name, assay_framing_names);
    return assay_usage_error(command, "there is no framing \"%s\"%s%s%s", name,
                             near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                             near != NULL ? "\"?" : "");
}

int assay_facts_option(const char *path, struct assay_facts *facts)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_facts_load(path, facts, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}

bool assay_number_option(const struct assay_command *command, const char *option, const char *text,
                         uint64_t least, uint64_t most, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || *value < least ||
        *value > most) {
        assay_usage_error(command, "--%s wants a number from %llu to %llu, not \"%s\"", option,
                          (unsigned long long)least, (unsigned long long)most, text);
        return false;
    }
    return true;
}

/* The word that getopt did not understand, or the letter of one that holds several. */
static void say_unknown(const struct assay_command *command, const char *last)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool brief = optopt > 0 && optopt < FIRST_LONG && strncmp(last, "--", 2) != 0;
    const char *word = brief ? letter : last;
    if (!brief && optopt != 0) {
        assay_usage_error(command, "%.*s takes no argument", (int)strcspn(word, "="), word);
        return;
    }
    const char *names[MAX_OPTIONS + 1] = {"help"};
    for (size_t i = 0; command->options[i].name != NULL && i + 1 < MAX_OPTIONS; i++) {
        names[i + 1] = command->options[i].name;
    }
    char bare[64];
    snprintf(bare, sizeof bare, "%s", word + strspn(word, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *near = assay_nearest(bare, names);
    assay_usage_error(command, "there is no option \"%s\"%s%s%s", word,
                      near != NULL ? "; did you mean --" : "", near != NULL ? near : "",
                      near != NULL ? "?" : "");
}

int assay_next_option(const struct assay_command *command, int argc, char **argv, int *index,
                      const char **value, int *status)
{
    struct option longs[MAX_OPTIONS + 2] = {{0}};
    char shorts[3 * MAX_OPTIONS + 4] = ":h";
    int n = 0;
    for (; command->options[n].name != NULL && n < MAX_OPTIONS; n++) {
        const struct assay_option *o = &command->options[n];
        longs[n] = (struct option){.name = o->name,
                                   .has_arg = o->argument != NULL ? required_argument : no_argument,
                                   .val = FIRST_LONG + n};
        if (o->brief) {
            const size_t at = strlen(shorts);
            snprintf(shorts + at, sizeof shorts - at, "%c%s", o->letter,
                     o->argument != NULL ? ":" : "");
        }
    }
    longs[n] = (struct option){.name = "help", .val = 'h'};
    opterr = 0;
    const int c = getopt_long(argc, argv, shorts, longs, NULL);
    *value = optarg;
    *index = optind;
    if (c >= FIRST_LONG) {
        return command->options[c - FIRST_LONG].letter;
    }
    if (c == 'h') {
        show_help(command);
        *status = ASSAY_EXIT_CONFORMS;
        return 0;
    }
    if (c == ':') {
        *status = assay_usage_error(command, "%s wants an argument", argv[optind - 1]);
        return 0;
    }
    if (c == '?') {
        say_unknown(command, argv[optind - 1]);
        *status = ASSAY_EXIT_USAGE;
        return 0;
    }
    return c;
}

int assay_image_set_option(const struct assay_command *command, const char *value,
                           struct assay_image_set **set)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_image_spec spec;
    enum assay_error error = assay_image_option(value, &spec, &diag);
    if (error == ASSAY_NO_MEMORY) {
        assay_say(&diag);
        return ASSAY_EXIT_AGAIN;
    }
    if (error != ASSAY_OK) {
        return assay_usage_error(command, "--image %s: %s%s%s", value, diag.message,
                                 diag.hint[0] != '\0' ? "; " : "", diag.hint);
    }
    error = *set == NULL ? assay_image_set_open(NULL, set) : ASSAY_OK;
    error = error != ASSAY_OK ? error : assay_image_add(*set, &spec, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return assay_exit_of_given(error);
    }
    return 0;
}

int assay_image_seal_option(struct assay_image_set **set)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = *set != NULL ? assay_image_set_seal(*set, &diag) : ASSAY_OK;
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}
