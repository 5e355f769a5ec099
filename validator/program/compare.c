/* assay compare: a decoder, compared over the vectors of an exported corpus. */
#include "validator/compare/compare.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/yaml.h"
#include "validator/compare/report.h"
#include "validator/program/check_run.h"
#include "validator/program/interrupt.h"
#include "validator/program/program.h"
#include "validator/program/shared_options.h"

static const struct assay_option options[] = {
    {'d', false, "decoder", "COMMAND",
     "the decoder: a line of the shell, in which {} stands for the\n"
     "trace, and {manifest} for its manifest"},
    {'k', false, "persistent", NULL,
     "the decoder stays: it reads lines \"TRACE<tab>MANIFEST\", and answers\n"
     "each; it is started anew when it crashes or hangs"},
    ASSAY_OPTION_VECTORS_OF,
    {'o', false, "only", "PATTERN", "only the vectors whose names match (*, ?, [..]); repeatable"},
    {'v', false, "profile", "PATTERN",
     "only the vectors of this version and dialect (stf-1.6,\n"
     "etrace-2.0); repeatable"},
    {'y', false, "with", "PATTERN",
     "only the vectors that have such events, features, framing or profile;\n"
     "repeated: all of them"},
    {'x', false, "without", "PATTERN",
     "not the vectors that have such: what the decoder cannot read;\nrepeatable"},
    {'l', false, "layer", "NAME", "compare this layer alone (packet, instruction ...)"},
    {'e', false, "expected", "FILE", "failures that are known (YAML)"},
    {'r', false, "report", "KIND[=PATH]",
     "text, json or junit, to PATH or standard output; repeatable;\ndefault: text"},
    {'s', false, "timeout", "S", "seconds for one trace (default 10)"},
    {'m', false, "memory", "MIB", "address space of the decoder (default 4096; 0: no limit)"},
    {'w', false, "output", "MIB", "what it may write for one trace (default 64)"},
    {'i', false, "isolation", "WHEN",
     "bwrap: without network, and nothing can be written; none; or\n"
     "auto (default): bwrap where it can be used"},
    {'j', false, "jobs", "N", "traces at the same time (default 1)"},
    {'p', false, "progress", "WHEN",
     "auto (default), always or never: show the progress on\nstandard error"},
    {0},
};

enum { REPORTS = 8 };

struct given {
    struct assay_decoder_command decoder;
    struct assay_corpus_choice choice;
    const char *expected;
    const char *progress; /* when it is shown */
    uint64_t jobs;
    size_t reports;
    const struct assay_compare_writer *writers[REPORTS];
    const char *paths[REPORTS];
};

static int take_report(struct given *g, const char *value)
{
    const struct assay_command *self = &assay_command_compare;
    const size_t length = strcspn(value, "=");
    const struct assay_compare_writer *writer = assay_compare_writers;
    while (writer->name != NULL &&
           (strlen(writer->name) != length || strncmp(writer->name, value, length) != 0)) {
        writer++;
    }
    if (writer->name == NULL || g->reports == REPORTS) {
        return assay_usage_error(self,
                                 writer->name == NULL ? "--report is text, json or junit, not %.80s"
                                                      : "%.80s is one report too many",
                                 value);
    }
    g->writers[g->reports] = writer;
    g->paths[g->reports++] = value[length] == '=' ? value + length + 1 : "-";
    return 0;
}

static int take_isolation(struct given *g, const char *value)
{
    static const char *const names[] = {"auto", "bwrap", "none"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            g->decoder.isolation = (enum assay_isolation)i;
            return 0;
        }
    }
    return assay_usage_error(&assay_command_compare,
                             "--isolation is auto, bwrap or none, not %.80s", value);
}

static int take_number(struct given *g, int option, const char *value)
{
    const struct assay_command *self = &assay_command_compare;
    const char *const name = option == 's'   ? "timeout"
                             : option == 'm' ? "memory"
                             : option == 'w' ? "output"
                                             : "jobs";
    const uint64_t least = option == 'm' ? 0 : 1;
    const uint64_t most = option == 's' ? 86400 : option == 'j' ? 256 : 1 << 20;
    uint64_t number = 0;
    if (!assay_number_option(self, name, value, least, most, &number)) {
        return ASSAY_EXIT_USAGE;
    }
    switch (option) {
    case 's':
        g->decoder.seconds = (unsigned)number;
        break;
    case 'm':
        g->decoder.memory = number << 20;
        break;
    case 'w':
        g->decoder.output = number << 20;
        break;
    default:
        g->jobs = number;
    }
    return 0;
}

static int take_pattern(struct assay_patterns *patterns, const char *name, const char *value)
{
    if (patterns->count == ASSAY_PATTERNS_MOST) {
        return assay_usage_error(&assay_command_compare, "%.80s is one --%s too many", value, name);
    }
    patterns->list[patterns->count++] = value;
    return 0;
}

static int take_layer(struct given *g, const char *value)
{
    struct assay_near near = assay_near_begin(value);
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        if (assay_layer_by_name(assay_formats[i], value) >= 0) {
            g->choice.layer = value;
            return 0;
        }
        for (size_t n = 0; n < assay_formats[i]->layer_count; n++) {
            assay_near_try(&near, assay_formats[i]->layers[n]);
        }
    }
    return assay_usage_error(&assay_command_compare, "no format has a layer \"%.80s\"%s%s%s", value,
                             near.best != NULL ? "; did you mean \"" : "",
                             near.best != NULL ? near.best : "", near.best != NULL ? "\"?" : "");
}

static int take(struct given *g, int option, const char *value)
{
    switch (option) {
    case 'd':
        g->decoder.command = value;
        return 0;
    case 'f':
        g->choice.format = value;
        return assay_named_format(&assay_command_compare, value) != NULL ? 0 : ASSAY_EXIT_USAGE;
    case 'k':
        g->decoder.persistent = true;
        return 0;
    case 'l':
        return take_layer(g, value);
    case 'o':
        return take_pattern(&g->choice.only, "only", value);
    case 'v':
        return take_pattern(&g->choice.profiles, "profile", value);
    case 'y':
        return take_pattern(&g->choice.with, "with", value);
    case 'x':
        return take_pattern(&g->choice.without, "without", value);
    case 'e':
        g->expected = value;
        return 0;
    case 'r':
        return take_report(g, value);
    case 'i':
        return take_isolation(g, value);
    case 'p':
        return assay_check_when(&assay_command_compare, "progress", value, &g->progress);
    default:
        return take_number(g, option, value);
    }
}

/* Whatever is wrong with a corpus, it cannot be read. */
static int exit_of_corpus(enum assay_error error)
{
    const int status = assay_exit_of(error);
    return status == ASSAY_EXIT_USAGE ? ASSAY_EXIT_UNREADABLE : status;
}

static void say(enum assay_error error, struct assay_diag *diag)
{
    if (diag->message[0] == '\0') {
        assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
    assay_say(diag);
}

static int write_reports(const struct given *g, const struct assay_compare_summary *summary,
                         int status)
{
    for (size_t i = 0; i < g->reports; i++) {
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        struct assay_sink sink;
        if (assay_sink_replace(&sink, g->paths[i], &diag) != ASSAY_OK) {
            assay_say(&diag);
            status = assay_more_severe_exit(status, ASSAY_EXIT_AGAIN);
            continue;
        }
        if (g->writers[i]->write(summary, &sink) == ASSAY_NO_MEMORY) {
            assay_sink_discard(&sink);
            return assay_say_no_memory();
        }
        status = assay_finish_output(&sink, status);
    }
    return status;
}

/* --- progress --- */

struct progress {
    size_t vectors;
    struct timespec shown;
};

/* At most ten times a second. */
static void show_progress(void *context, size_t run, size_t failed)
{
    struct progress *p = context;
    struct timespec now;
    char line[80];
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double since =
        (double)(now.tv_sec - p->shown.tv_sec) + (double)(now.tv_nsec - p->shown.tv_nsec) / 1e9;
    if (since > 0.1 || run == p->vectors) {
        p->shown = now;
        snprintf(line, sizeof line, "%zu of %zu vectors run, %zu fail", run, p->vectors, failed);
        assay_say_text("\r\033[K", line, "");
    }
}

static enum assay_error run_decoder(const struct given *g, struct assay_comparisons *comparisons,
                                    struct assay_diag *diag)
{
    struct progress progress = {.vectors = comparisons->corpus->count};
    const bool shown = strcmp(g->progress, "always") == 0 ||
                       (strcmp(g->progress, "auto") == 0 && isatty(STDERR_FILENO) != 0);
    if (shown) {
        comparisons->progress = show_progress;
        comparisons->progress_context = &progress;
    }
    const enum assay_error error = assay_compare(comparisons, diag);
    if (shown) {
        assay_say_text("\r\033[K", "", "");
    }
    return error;
}

/* An isolated decoder has a /dev of its own, in which the corpus would not be. */
static enum assay_error check_reach(const struct given *g, const struct assay_corpus *corpus,
                                    struct assay_diag *diag)
{
    const char *trace = corpus->vectors[0].files[ASSAY_VECTOR_TRACE];
    if (g->decoder.isolation != ASSAY_ISOLATION_BWRAP || strncmp(trace, "/dev/", 5) != 0) {
        return ASSAY_OK;
    }
    assay_fail(diag, ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
               "an isolated decoder sees nothing below /dev, where the corpus is");
    assay_diag_hint(diag, "export it to another folder, or use --isolation none");
    return ASSAY_NOT_READABLE;
}

static int report(const struct given *g, struct assay_comparisons *comparisons,
                  struct assay_expected_list *expected)
{
    struct assay_compare_summary summary;
    int status = 0;
    if (assay_compare_summarize(comparisons, expected, &summary) == ASSAY_OK) {
        const bool good = summary.failures == 0 && summary.stale == 0;
        status = write_reports(g, &summary, good ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_VIOLATES);
    } else {
        status = assay_say_no_memory();
    }
    assay_compare_summary_free(&summary);
    return status;
}

static int compare(struct given *g, const char *folder)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_corpus corpus = {.count = 0};
    struct assay_expected_list expected = {.count = 0};
    struct assay_comparisons comparisons = {.decoder = &g->decoder,
                                            .corpus = &corpus,
                                            .layer = g->choice.layer,
                                            .jobs = (unsigned)g->jobs};
    int status = 0;
    enum assay_error error = ASSAY_OK;
    if (g->expected != NULL) {
        error = assay_expected_load(&expected, g->expected, &diag);
    }
    error = error == ASSAY_OK ? assay_decoder_prepare(&g->decoder, &diag) : error;
    status = error == ASSAY_OK ? 0 : assay_exit_of_given(error);
    if (error == ASSAY_OK) {
        error = assay_corpus_load(&corpus, folder, &g->choice, &diag);
        error = error == ASSAY_OK ? check_reach(g, &corpus, &diag) : error;
        error = error == ASSAY_OK ? run_decoder(g, &comparisons, &diag) : error;
        status = exit_of_corpus(error);
    }
    if (error != ASSAY_OK) {
        say(error, &diag);
    } else {
        status = report(g, &comparisons, &expected);
    }
    assay_comparisons_free(&comparisons);
    assay_corpus_free(&corpus);
    assay_expected_free(&expected);
    return status;
}

/* The first signal that would end the program stops the comparison, so that there is a report of
 * what was run; then the program ends by it. */
static int compare_until_stopped(struct given *g, const char *folder)
{
    struct assay_stop stop;
    if (assay_stop_open(&stop) != ASSAY_OK) {
        return compare(g, folder);
    }
    g->decoder.stop = &stop;
    assay_interrupt_begin(&stop);
    const int status = compare(g, folder);
    assay_interrupt_end();
    assay_stop_close(&stop);
    return status;
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_compare;
    struct given g = {
        .decoder = {.seconds = 10, .memory = (uint64_t)4096 << 20, .output = (uint64_t)64 << 20},
        .progress = "auto",
        .jobs = 1};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 0 || (status = take(&g, option, value)) != 0) {
            return status;
        }
    }
    if (argc - index != 1) {
        return assay_usage_error(self, "one CORPUS is wanted");
    }
    if (g.decoder.command == NULL) {
        return assay_usage_error(self, "--decoder is wanted");
    }
    if (g.reports == 0) {
        (void)take_report(&g, "text");
    }
    return compare_until_stopped(&g, argv[index]);
}

const struct assay_command assay_command_compare = {
    .name = "compare",
    .usage = "--decoder COMMAND [options] CORPUS",
    .summary = "run a decoder over an exported corpus, and say where it differs",
    .details =
        "CORPUS is a folder that `assay corpus export` made. For each vector the decoder is run\n"
        "with limits of time, memory and output. It writes its events to standard output (JSON\n"
        "Lines, schema assay-events/1; its first line names the layers that it gives), and exits\n"
        "with 0 when it accepts the trace, with 1 when it refuses it. With --persistent it "
        "answers\n"
        "one line of paths after the other, and refuses by {\"kind\": \"end\", \"refused\": "
        "\"why\"}.\n\n"
        "Failures are grouped by the first field or kind that differs.\n\n"
        "Outcomes: agrees; differs, at the event shown; refuses what conforms; accepts what has a\n"
        "fault; crash; hang. Exit status: 0 no failure but expected ones; 1 others, or an\n"
        "expected one does not occur.\n",
    .options = options,
    .run = run,
};
