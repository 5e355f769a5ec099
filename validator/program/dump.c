/* assay dump: the events of a trace, for people or as JSON Lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/facts.h"
#include "common/source.h"
#include "validator/engine/check.h"
#include "validator/program/program.h"
#include "validator/vector/event_json.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "the input's format; auto: by its magic (default)"},
    {'P', false, "profile", "NAME",
     "version and dialect to read by; default: what the file declares"},
    {'F', false, "facts", "FILE",
     "platform facts (YAML), as tables of numbers that the format lacks"},
    {'l', false, "layer", "NAME", "only events of this layer; default: all"},
    {'j', false, "json", NULL, "JSON Lines, schema assay-events/1"},
    {'s', false, "from", "OFFSET", "begin at the first event at or behind this byte"},
    {'n', false, "count", "N", "show at most N events"},
    {'o', true, "output", "FILE", "write there instead of standard output"},
    {0},
};

struct dump {
    const struct assay_format *format;
    const char *layer_name, *output;
    int layer; /* -1: all */
    bool json;
    unsigned profile;
    struct assay_facts facts;
    uint64_t from, count;
    uint64_t shown;
    struct assay_sink sink;
};

static void show_text(struct dump *d, const struct assay_event *event)
{
    char line[512];
    assay_event_line(d->format, event, line, sizeof line);
    assay_sink_printf(&d->sink, "%8" PRIu64 "  0x%08" PRIx64 "  %s\n", event->index, event->offset,
                      line);
}

static void show(struct dump *d, const struct assay_event *event)
{
    if ((d->layer >= 0 && d->format->kinds[event->kind].layer != d->layer) ||
        event->offset < d->from || d->shown == d->count) {
        return;
    }
    if (!d->json) {
        d->shown++;
        show_text(d, event);
    } else if (event->kind != ASSAY_KIND_END) {
        d->shown++;
        assay_event_json(d->format, event, &d->sink);
    }
}

static int run_dump(struct dump *d, struct assay_source *source)
{
    const struct assay_decode_input input = {
        .source = source, .facts = &d->facts, .profile = d->profile, .threaded = true};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    enum assay_error error = d->format->decoder->open(&input, &decoder, &diag);
    if (error == ASSAY_OK && d->json) {
        assay_events_head(d->format, d->layer_name, &d->sink);
    }
    while (error == ASSAY_OK && d->shown < d->count && d->sink.error == ASSAY_OK) {
        error = d->format->decoder->next(decoder, &block, &diag);
        if (error != ASSAY_OK || block.count == 0) {
            break;
        }
        for (size_t i = 0; i < block.count; i++) {
            show(d, &block.events[i]);
        }
    }
    bool complete = false;
    if (error == ASSAY_OK) {
        complete = d->format->decoder->complete(decoder);
        if (d->json) {
            const bool all = d->shown < d->count;
            assay_events_end(d->shown, all && complete, &d->sink);
        }
    }
    if (decoder != NULL) {
        d->format->decoder->close(decoder);
    }
    if (error != ASSAY_OK) {
        assay_say(&diag);
        assay_sink_close(&d->sink, NULL);
        return assay_exit_of(error);
    }
    return assay_finish_output(&d->sink, complete ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_INCOMPLETE);
}

static int find_layer(const struct assay_command *self, struct dump *d)
{
    d->layer = -1;
    for (size_t i = 0; d->layer_name != NULL && i < d->format->layer_count; i++) {
        if (strcmp(d->format->layers[i], d->layer_name) == 0) {
            d->layer = (int)i;
        }
    }
    if (d->layer_name != NULL && d->layer < 0) {
        return assay_usage_error(self, "%s has no layer \"%s\"; its lowest is \"%s\"",
                                 d->format->name, d->layer_name, d->format->layers[0]);
    }
    return ASSAY_EXIT_CONFORMS;
}

static int dump_path(const struct assay_command *self, struct dump *d, const char *path,
                     const char *output)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    enum assay_error error = assay_source_open(path, &source, &diag);
    if (error == ASSAY_OK && d->format == NULL) {
        d->format = assay_detect_format(source);
        if (d->format == NULL) {
            error = assay_fail(&diag, ASSAY_UNKNOWN_FORMAT, 0,
                               "the input is of no format that has a magic");
            assay_diag_hint(&diag, "--format says what it is meant to be");
            assay_diag_path(&diag, path);
        }
    }
    int status = error == ASSAY_OK ? find_layer(self, d) : assay_exit_of(error);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    } else if (status == ASSAY_EXIT_CONFORMS &&
               assay_sink_open(&d->sink, output, &diag) != ASSAY_OK) {
        assay_say(&diag);
        status = ASSAY_EXIT_USAGE;
    }
    if (status != ASSAY_EXIT_CONFORMS) {
        assay_source_close(source);
        return status;
    }
    return run_dump(d, source);
}

static int set_option(const struct assay_command *self, struct dump *d, int option,
                      const char *value)
{
    switch (option) {
    case 'f':
        d->format = strcmp(value, "auto") != 0 ? assay_named_format(self, value) : NULL;
        return d->format != NULL || strcmp(value, "auto") == 0 ? 0 : ASSAY_EXIT_USAGE;
    case 'P':
        return assay_profile_option(self, value, &d->format, &d->profile);
    case 'F':
        return assay_facts_option(value, &d->facts);
    case 'l':
        d->layer_name = value;
        return 0;
    case 'j':
        d->json = true;
        return 0;
    case 's':
    case 'n':
        return assay_number_option(self, option == 's' ? "from" : "count", value, 0, UINT64_MAX,
                                   option == 's' ? &d->from : &d->count)
                   ? 0
                   : ASSAY_EXIT_USAGE;
    default:
        d->output = value;
        return 0;
    }
}

static int run_options(const struct assay_command *self, struct dump *d, int argc, char **argv)
{
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        status = option != 0 ? set_option(self, d, option, value) : status;
        if (option == 0 || status != 0) {
            return status;
        }
    }
    if (argc - index != 1) {
        return assay_usage_error(self, "one input is wanted");
    }
    return dump_path(self, d, argv[index], d->output);
}

static int run(int argc, char **argv)
{
    struct dump d = {.count = UINT64_MAX, .output = "-"};
    const int status = run_options(&assay_command_dump, &d, argc, argv);
    assay_facts_clear(&d.facts);
    return status;
}

const struct assay_command assay_command_dump = {
    .name = "dump",
    .usage = "[options] INPUT",
    .summary = "show the records, packets, elements or instructions of a trace",
    .details = "INPUT is a trace; - is standard input. Exit status: 0 all was decoded; 4 part "
               "could not be;\n"
               "3 the input cannot be read; 2 wrong usage.\n",
    .options = options,
    .run = run,
};
