/* assay generate: make traces. */
#include <stdio.h>
#include <string.h>

#include "common/source.h"
#include "generators/astf/from_execution.h"
#include "validator/program/program.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "the format to write: astf (default)"},
    {'x', false, "execution", "FILE", "the recorded execution that the trace is made of"},
    {'o', true, "output", "FILE", "where the trace is written; - is standard output"},
    {'s', false, "storage", "NAME", "raw (default), xz, lzma, zlib or gzip"},
    {'t', false, "thread", "N", "number of the recorded thread (default 0, the first)"},
    {'n', false, "events", "N", "stop after N instructions (default: all)"},
    {'p', false, "period", "N", "instructions between periodic timestamps (default 5000)"},
    {'T', false, "no-timestamps", NULL, "write no timestamps"},
    {'v', false, "evl", "N", "vector length in the contexts: bits / 128 - 1 (default 0)"},
    {'m', false, "metadata", "TEXT", "a string at the beginning of the trace"},
    {0},
};

struct generate {
    struct astf_generate_options options;
    const char *execution;
    const char *output;
};

static int set_option(const struct assay_command *self, struct generate *g, int option,
                      const char *value)
{
    uint64_t number = 0;
    switch (option) {
    case 'f':
        return assay_named_format(self, value) != NULL ? 0 : ASSAY_EXIT_USAGE;
    case 'x':
        g->execution = value;
        return 0;
    case 'o':
        g->output = value;
        return 0;
    case 's':
        g->options.storage = value;
        return 0;
    case 'm':
        g->options.metadata = value;
        return 0;
    case 'T':
        g->options.timestamps = false;
        return 0;
    case 't':
        if (!assay_number_option(self, "thread", value, 0, UINT32_MAX, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        g->options.thread = (uint32_t)number;
        return 0;
    case 'v':
        if (!assay_number_option(self, "evl", value, 0, 15, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        g->options.evl = (uint8_t)number;
        return 0;
    default:
        return assay_number_option(self, option == 'n' ? "events" : "period", value, 1, UINT64_MAX,
                                   option == 'n' ? &g->options.limit : &g->options.period)
                   ? 0
                   : ASSAY_EXIT_USAGE;
    }
}

static int generate(const struct generate *g)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_sink sink;
    struct astf_generated made;
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
    error = astf_generate_from_execution(execution, &g->options, &sink, &made, &diag);
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
    struct generate g = {.options = {.timestamps = true, .period = 5000}};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 0) {
            return status;
        }
        status = set_option(self, &g, option, value);
        if (status != 0) {
            return status;
        }
    }
    if (g.execution == NULL || g.output == NULL || index < argc) {
        return assay_usage_error(self, "--execution FILE and -o FILE are wanted");
    }
    return generate(&g);
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
