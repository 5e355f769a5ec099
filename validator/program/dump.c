/* assay dump: the events of a trace, for people or as JSON Lines. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/stop.h"
#include "execution/execution.h"
#include "execution/uncompared.h"
#include "image/image.h"
#include "io/source_concat.h"
#include "model/describe.h"
#include "model/facts.h"
#include "model/reader.h"
#include "snapshot/archive.h"
#include "snapshot/snapshot.h"
#include "validator/engine/bundle.h"
#include "validator/engine/conditions.h"
#include "validator/engine/session.h"
#include "validator/program/files.h"
#include "validator/program/interrupt.h"
#include "validator/program/program.h"
#include "validator/program/selection.h"
#include "validator/program/shared_options.h"
#include "validator/vector/event_json.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "the input's format; auto: by its magic (default)"},
    {'P', false, "profile", "NAME",
     "version and dialect to read by; default: what the file declares"},
    {'F', false, "facts", "FILE",
     "platform facts (YAML), as tables of numbers that the format lacks"},
    ASSAY_OPTION_FRAMING,
    ASSAY_OPTION_CONFIG,
    {'I', false, "image", "FILE[@ADDRESS][,..]",
     "program that was traced, ELF or raw; as for check; repeatable"},
    {'x', false, "execution", "FILE",
     "recorded execution: what of the trace is compared with it is shown, too"},
    {'i', false, "interpret", "ID=READING",
     "show by this reading of an ambiguous clause, as check judges by it; repeatable"},
    ASSAY_OPTION_ALLOW_OUTSIDE,
    {'S', false, "source", "ID", "the stream that the input carries under this id"},
    {'l', false, "layer", "NAME", "only events of this layer; default: all"},
    {'j', false, "json", NULL, "JSON Lines, schema assay-events/1"},
    {'r', false, "runs", NULL, "do not expand runs of events"},
    {'s', false, "from", "OFFSET", "begin at the first event at or after this byte"},
    {'n', false, "count", "N", "show at most N events"},
    {'o', true, "output", "FILE", "write there instead of standard output"},
    {0},
};

struct dump {
    struct assay_input input; /* what the command line gives */
    char snapshot[PATH_MAX];  /* in the folder that is its operand */
    struct assay_bundle bundle;
    struct assay_image_set *images;
    struct assay_selection selection; /* only its readings matter */
    struct assay_parameter_values parameters;
    bool carried;
    uint64_t source; /* of the carried stream that is shown */
    const struct assay_format *format;
    const char *layer_name, *output;
    const char *name;      /* what the text begins with, or null */
    const char *execution; /* that of a manifest is not read */
    int layer;             /* or ASSAY_ALL_LAYERS */
    bool json, runs;
    struct assay_facts facts;
    const char *facts_file;
    uint64_t from, count;
    uint64_t shown;
    struct assay_sink sink;
    struct assay_stop stop; /* requested by a signal while an archive is unpacked */
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
    if (event->offset < d->from) {
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

/* Of the layer that is shown and those below it. */
static bool is_complete(const struct dump *d, const struct assay_decoder *decoder)
{
    const unsigned last = d->layer >= 0 ? (unsigned)d->layer : (unsigned)d->format->layer_count - 1;
    bool complete = true;
    for (unsigned i = 0; i <= last; i++) {
        const char *why = NULL;
        if (!d->format->decoder->complete(decoder, i, &why)) {
            complete = false;
            if (why != NULL) {
                char before[128];
                snprintf(before, sizeof before,
                         "assay: the layer %s is not complete: ", d->format->layers[i]);
                assay_say_text(before, why, "\n");
            }
        }
    }
    const size_t parameters = d->format->parameters != NULL ? d->format->parameters->count : 0;
    for (size_t i = 0; i < parameters; i++) {
        if (assay_parameter_guessed(&d->parameters, i, last)) {
            complete = false;
            fprintf(stderr, "assay: the parameter %s is not known: what depends on it is a guess\n",
                    d->format->parameters->list[i].name);
        }
    }
    return complete;
}

/* The recorded execution of the stream, null if none is given. The stream's source is closed when
 * that fails. */
static enum assay_error open_execution(const char *path, struct assay_source *of,
                                       struct assay_execution **execution, struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    *execution = NULL;
    if (path == NULL) {
        return ASSAY_OK;
    }
    enum assay_error error = assay_source_open(path, &source, diag);
    error = error != ASSAY_OK ? error : assay_execution_open_any(source, execution, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
        assay_source_close(of);
    }
    return error;
}

static int run_dump(struct dump *d, const struct assay_stream_setup *setup,
                    struct assay_source *source, struct assay_execution *execution)
{
    struct assay_uncompared uncompared = {.wrong = ""};
    const struct assay_decode_input input = {
        .source = source,
        .execution = execution,
        .execution_thread = setup->execution_thread,
        .uncompared = execution != NULL ? &uncompared : NULL,
        .facts = setup->facts,
        .parameters = d->format->parameters != NULL ? &d->parameters : NULL,
        .images = setup->images,
        .conditions = assay_conditions_of(setup->format),
        .framing = setup->framing,
        .profile = setup->profile,
        .layers = (unsigned)(d->layer + 1),
        .threaded = true};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    enum assay_error error = d->format->decoder->open(&input, &decoder, &diag);
    if (error == ASSAY_OK && d->json) {
        assay_events_head(d->format, d->layer_name, &d->sink);
    } else if (error == ASSAY_OK && d->name != NULL) {
        char name[PATH_MAX];
        assay_escape((const uint8_t *)d->name, strlen(d->name), name, sizeof name);
        assay_sink_printf(&d->sink, "==> %s <==\n", name);
    }
    assay_reader_begin(&reader, d->format, decoder, d->layer, d->runs);
    while (error == ASSAY_OK && d->shown < d->count && d->sink.error == ASSAY_OK) {
        error = assay_stop_requested(&d->stop)
                    ? assay_fail(&diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "%s",
                                 assay_error_text(ASSAY_INTERRUPTED))
                    : assay_reader_next(&reader, &event, &diag);
        if (error != ASSAY_OK || event == NULL) {
            break;
        }
        show(d, event);
    }
    bool complete = false;
    if (error == ASSAY_OK) {
        complete = is_complete(d, decoder);
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
        assay_sink_discard(&d->sink);
        return assay_exit_of(error);
    }
    return assay_finish_output(&d->sink, complete ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_INCOMPLETE);
}

static int find_layer(const struct assay_command *self, struct dump *d)
{
    d->layer =
        d->layer_name != NULL ? assay_layer_by_name(d->format, d->layer_name) : ASSAY_ALL_LAYERS;
    if (d->layer_name != NULL && d->layer < 0) {
        char layers[256] = "";
        for (size_t i = 0; i < d->format->layer_count; i++) {
            assay_append(layers, sizeof layers, "%s%s", i > 0 ? ", " : "", d->format->layers[i]);
        }
        return assay_usage_error(
            self, "%s has no layer \"%s\"; it has %s%s", d->format->name, d->layer_name, layers,
            d->format->carrier != NULL
                ? ", and --source ID shows the layers of a stream that it carries"
                : "");
    }
    return ASSAY_EXIT_CONFORMS;
}

/* The stream of the input that is shown: its setup, with the format known, and its bytes. */
static enum assay_error open_stream(struct dump *d, struct assay_stream_setup *setup,
                                    struct assay_source **source, struct assay_diag *diag)
{
    const struct assay_input *input = &d->bundle.input;
    enum assay_error error = input->parts != NULL ? assay_source_concat(input->parts, source)
                                                  : assay_source_open(input->path, source, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    *setup = input->setup;
    if (setup->unjudged != NULL) {
        *diag = *setup->unjudged;
        return diag->error;
    }
    if (setup->format == NULL) {
        error = assay_detect_format(*source, &setup->format);
        if (error != ASSAY_OK) {
            return assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
        }
    }
    if (setup->format == NULL) {
        assay_explain_unknown(*source, diag);
        assay_diag_path(diag, input->path);
        return ASSAY_UNKNOWN_FORMAT;
    }
    if (!d->carried) {
        return assay_check_carrier(input, setup->format, diag);
    }
    if (setup->format->carrier == NULL) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "%s carries no streams",
                          setup->format->name);
    }
    const struct assay_format *carrier = setup->format;
    const unsigned framing = setup->framing;
    *setup = assay_stream_setup_of(input, (uint32_t)d->source);
    if (setup->unjudged != NULL) {
        *diag = *setup->unjudged;
        diag->error = ASSAY_USAGE;
        return ASSAY_USAGE;
    }
    if (setup->format == NULL) {
        assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "no format is given for the source 0x%x",
                   (unsigned)d->source);
        assay_diag_hint(diag, input->parts != NULL ? "a manifest names it under \"streams\""
                                                   : "--format or a manifest names it");
        return ASSAY_USAGE;
    }
    struct assay_source *whole = *source;
    *source = NULL;
    return carrier->carrier->open(whole, framing, (uint32_t)d->source, source, diag);
}

static int dump_bundle(const struct assay_command *self, struct dump *d, const char *output)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    struct assay_stream_setup setup = {0};
    enum assay_error error = open_stream(d, &setup, &source, &diag);
    d->format = setup.format;
    error = error != ASSAY_OK ? error : assay_configure(&setup, &d->parameters, &diag);
    for (size_t i = 0; error == ASSAY_OK && i < d->selection.count; i++) {
        assay_readings_follow(d->selection.catalogues[i], d->selection.readings[i], &d->parameters);
    }
    int status = error == ASSAY_OK ? find_layer(self, d) : assay_exit_of(error);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    } else if (status == ASSAY_EXIT_CONFORMS &&
               assay_sink_replace(&d->sink, output, &diag) != ASSAY_OK) {
        assay_say(&diag);
        status = assay_exit_of_given(diag.error);
    }
    if (status != ASSAY_EXIT_CONFORMS) {
        assay_source_close(source);
        return status;
    }
    struct assay_execution *execution = NULL;
    if (open_execution(d->execution, source, &execution, &diag) != ASSAY_OK) {
        assay_say(&diag);
        assay_sink_discard(&d->sink);
        return assay_exit_of_given(diag.error);
    }
    return run_dump(d, &setup, source, execution);
}

/* Whether the output takes the place of nothing that is read. */
static int check_files(const struct assay_command *self, const struct dump *d, const char *output)
{
    struct assay_files files = {0};
    assay_files_read(&files, d->input.path);
    assay_files_read(&files, d->facts_file);
    assay_files_read(&files, d->input.setup.config_file);
    assay_files_read(&files, d->execution);
    for (size_t i = 0; d->images != NULL && i < assay_image_count(d->images); i++) {
        assay_files_read(&files, assay_image_info(d->images, i)->path);
    }
    assay_files_read_manifest(&files, &d->bundle.manifest);
    const int status = assay_files_write(&files, self, output);
    assay_files_close(&files);
    return status;
}

/* A folder with a snapshot or package stands for that. */
static const char *input_path(struct dump *d, const char *operand)
{
    static const char *const names[] = {CS_SNAPSHOT_FILE, CS_PACKAGE_FILE};
    struct stat st;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int length = snprintf(d->snapshot, sizeof d->snapshot, "%s/%s", operand, names[i]);
        if (length > 0 && (size_t)length < sizeof d->snapshot && stat(d->snapshot, &st) == 0) {
            return d->snapshot;
        }
    }
    return operand;
}

static int dump_path(const struct assay_command *self, struct dump *d, const char *operand,
                     const char *output)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    int status = 0;
    d->input.path = input_path(d, operand);
    d->input.setup.images = d->images;
    const bool stoppable = cs_is_archive(operand) && assay_stop_open(&d->stop) == ASSAY_OK;
    if (stoppable) {
        assay_interrupt_begin(&d->stop);
    }
    const enum assay_error error = assay_bundle_open(&d->input, false, &d->bundle, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        status = assay_exit_of_given(error);
    } else {
        status = check_files(self, d, output);
        status = status != 0 ? status : dump_bundle(self, d, output);
    }
    assay_bundle_close(&d->bundle);
    if (stoppable) {
        assay_interrupt_end();
        assay_stop_close(&d->stop);
    }
    return status;
}

/* One input after another; as text each under its name, if there are several. */
static int dump_inputs(const struct assay_command *self, struct dump *d, char **operands)
{
    const bool named = operands[1] != NULL && !d->json;
    int status = ASSAY_EXIT_CONFORMS;
    for (size_t i = 0; operands[i] != NULL; i++) {
        struct dump one = *d;
        one.name = named ? operands[i] : NULL;
        status = assay_more_severe_exit(status, dump_path(self, &one, operands[i], one.output));
    }
    return status;
}

static int set_option(const struct assay_command *self, struct dump *d, int option,
                      const char *value)
{
    struct assay_stream_setup *setup = &d->input.setup;
    switch (option) {
    case 'f':
        setup->format = strcmp(value, "auto") != 0 ? assay_named_format(self, value) : NULL;
        return setup->format != NULL || strcmp(value, "auto") == 0 ? 0 : ASSAY_EXIT_USAGE;
    case 'P':
        return assay_profile_option(self, value, &setup->format, &setup->profile);
    case 'F':
        setup->facts = &d->facts;
        d->facts_file = value;
        return assay_facts_option(value, &d->facts);
    case 'G':
        return assay_framing_option(self, value, setup);
    case 'c':
        setup->config_file = value;
        return 0;
    case 'I':
        return assay_image_set_option(self, value, &d->images);
    case 'x':
        d->execution = value;
        return 0;
    case 'i':
        return assay_selection_interpret(&d->selection, self, value);
    case 'A':
        d->input.allow_outside = true;
        return 0;
    case 'S':
        d->carried = true;
        return assay_number_option(self, "source", value, 0, UINT32_MAX, &d->source)
                   ? 0
                   : ASSAY_EXIT_USAGE;
    case 'l':
        d->layer_name = value;
        return 0;
    case 'j':
        d->json = true;
        return 0;
    case 'r':
        d->runs = true;
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
    if (index == argc) {
        return assay_usage_error(self, "an input is wanted");
    }
    if (index + 1 < argc && strcmp(d->output, "-") != 0) {
        return assay_usage_error(self, "several inputs are shown on standard output only");
    }
    status = assay_image_seal_option(&d->images);
    return status != 0 ? status : dump_inputs(self, d, argv + index);
}

static int run(int argc, char **argv)
{
    struct dump d = {.count = UINT64_MAX, .output = "-"};
    int status = assay_selection_open(&d.selection, NULL, 0);
    status = status != 0 ? status : run_options(&assay_command_dump, &d, argc, argv);
    assay_selection_close(&d.selection);
    assay_facts_clear(&d.facts);
    assay_image_set_free(d.images);
    return status;
}

const struct assay_command assay_command_dump = {
    .name = "dump",
    .usage = "[options] INPUT...",
    .summary = "show the records, packets, elements or instructions of traces",
    .details =
        "INPUT is a trace, a manifest *.assay.yaml, or a CoreSight snapshot: its folder, or its "
        "file\n"
        "(snapshot.ini, contents.ini) or an archive, with #BUFFER after the file's name if it has\n"
        "several; - is standard input. Several inputs are shown one after another. Exit status: 0 "
        "all was decoded; 4 part could not be; 3 the\n"
        "input cannot be read; 2 wrong usage.\n",
    .options = options,
    .run = run,
};
