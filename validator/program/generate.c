/* assay generate: make traces. What can be set, and for which format, the registry of generators
 * says (generators/generator.h). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/source.h"
#include "generators/generator.h"
#include "validator/program/program.h"

/* An option that is a setting has its number less FIRST; the others their letters. */
enum { FIRST = 1 };

static const struct assay_option options[] = {
    {'f', false, "format", "F", "the format to write: astf (default)"},
    {'x', false, "execution", "FILE", "the recorded execution that the trace is made of"},
    {'o', true, "output", "FILE", "where the trace is written; - is standard output"},
#define X(member, type, option, argument, least, most, help)                                       \
    {FIRST + ASSAY_SETTING_##member, false, option, argument, help},
    ASSAY_GENERATE_SETTINGS(X)
#undef X
        {0},
};

struct generate {
    const struct assay_generator *generator;
    const char *execution;
    const char *output;
    uint64_t given; /* settings, a set of ASSAY_TAKES */
    struct assay_generate_settings settings;
};

static bool set_number(const struct assay_command *self, const char *option, const char *value,
                       uint64_t least, uint64_t most, uint64_t *number)
{
    return assay_number_option(self, option, value, least, most, number);
}

static bool set_text(const char *value, const char **text)
{
    *text = value;
    return true;
}

static bool set_flag(bool *flag)
{
    *flag = true;
    return true;
}

#define SET_NUMBER(member, option, least, most)                                                    \
    set_number(self, option, value, least, most, &g->settings.member)
#define SET_TEXT(member, option, least, most) set_text(value, &g->settings.member)
#define SET_FLAG(member, option, least, most) set_flag(&g->settings.member)

static bool set_setting(const struct assay_command *self, struct generate *g, int setting,
                        const char *value)
{
    g->given |= UINT64_C(1) << setting;
    switch (setting) {
#define X(member, type, option, argument, least, most, help)                                       \
    case ASSAY_SETTING_##member:                                                                   \
        return SET_##type(member, option, least, most);
        ASSAY_GENERATE_SETTINGS(X)
#undef X
    default:
        return false;
    }
}

static bool set_option(const struct assay_command *self, struct generate *g, int option,
                       const char *value)
{
    const struct assay_format *format;
    switch (option) {
    case 'f':
        format = assay_named_format(self, value);
        g->generator = format != NULL ? assay_generator_of(format) : NULL;
        if (format != NULL && g->generator == NULL) {
            assay_usage_error(self, "there is no generator of %s", format->title);
        }
        return g->generator != NULL;
    case 'x':
        return set_text(value, &g->execution);
    case 'o':
        return set_text(value, &g->output);
    default:
        return set_setting(self, g, option - FIRST, value);
    }
}

/* Whether all that was set means something to what makes the trace. */
static bool takes(const struct assay_command *self, uint64_t given, uint64_t taken)
{
    for (const struct assay_option *o = options; o->name != NULL; o++) {
        const unsigned setting = (unsigned)o->letter - FIRST;
        if (setting < ASSAY_SETTING_COUNT && ((given & ~taken) >> setting & 1) != 0) {
            assay_usage_error(self, "--%s means nothing to this generator", o->name);
            return false;
        }
    }
    return true;
}

/* A recording that can be read twice is looked through first. */
static void look_ahead(struct generate *g)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct stat file;
    if (g->generator->look_ahead != NULL && stat(g->execution, &file) == 0 &&
        S_ISREG(file.st_mode) && assay_source_open(g->execution, &source, NULL) == ASSAY_OK &&
        assay_execution_open(source, &execution, NULL) == ASSAY_OK) {
        g->generator->look_ahead(execution, g->given, &g->settings);
        assay_execution_close(execution);
    }
}

static int generate(struct generate *g)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_sink sink;
    struct assay_generated made;
    look_ahead(g);
    enum assay_error error = assay_source_open(g->execution, &source, &diag);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, &diag);
    if (error != ASSAY_OK) {
        assay_diag_path(&diag, g->execution);
        assay_say(&diag);
        return assay_exit_of(error);
    }
    if (assay_sink_open(&sink, g->output, &diag) != ASSAY_OK) {
        assay_say(&diag);
        assay_execution_close(execution);
        return ASSAY_EXIT_USAGE;
    }
    error = g->generator->from_execution(execution, &g->settings, &sink, &made, &diag);
    assay_execution_close(execution);
    if (error != ASSAY_OK && sink.error == ASSAY_OK) {
        assay_diag_path(&diag, g->execution);
        assay_say(&diag);
        assay_sink_close(&sink, NULL);
        return assay_exit_of(error);
    }
    const int status = assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
    if (status == ASSAY_EXIT_CONFORMS && made.without_access > 0) {
        fprintf(stderr,
                "assay generate: the recording does not tell the accesses of %llu of %llu "
                "instructions that\nmay access memory; they stand without an address\n",
                (unsigned long long)made.without_access, (unsigned long long)made.instructions);
    }
    return status;
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_generate;
    struct generate g = {.generator = assay_generators[0]};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 0) {
            return status;
        }
        if (!set_option(self, &g, option, value)) {
            return ASSAY_EXIT_USAGE;
        }
    }
    if (g.execution == NULL || g.output == NULL || index < argc) {
        return assay_usage_error(self, "--execution FILE and -o FILE are wanted");
    }
    return takes(self, g.given, g.generator->takes) ? generate(&g) : ASSAY_EXIT_USAGE;
}

const struct assay_command assay_command_generate = {
    .name = "generate",
    .usage = "--execution FILE -o FILE [options]",
    .summary = "make a conforming trace of a recorded execution",
    .details = "A recorded execution comes from the recorder (docs/recorder.md):\n"
               "  qemu-aarch64 -plugin libassay-recorder.so,out=run.exec PROGRAM\n",
    .options = options,
    .run = run,
};
