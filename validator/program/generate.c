/* assay generate: make traces. What can be set, and for which format, the registry of generators
 * says (generators/generator.h). */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/yaml.h"
#include "generators/generator.h"
#include "io/source.h"
#include "validator/program/files.h"
#include "validator/program/generate_manifest.h"
#include "validator/program/program.h"

/* An option that is a setting has its number less FIRST; the others their letters. */
enum { FIRST = 1 };

static const struct assay_option options[] = {
    {'f', false, "format", "F",
     "the format to write: astf, stf, ete, etrace or coresight; default: what fits\nthe recording, "
     "else astf"},
    {'x', false, "execution", "FILE",
     "the recorded execution that the trace is made of, or a log of Spike;\nof E-Trace also a "
     "record of the interface, or a table of\nretired instructions"},
    {'m', false, "model", "NAME",
     "without --execution: the machine that the trace is made of, of each\nformat another list "
     "(below); default: the first of them"},
    {'o', true, "output", "FILE", "where the trace is written; - is standard output"},
    {'c', false, "config", "FILE",
     "of E-Trace: parameters and control registers, which choose what is traced"},
    {'X', false, "execution-output", "FILE",
     "of a model: the recorded execution of the trace; of E-Trace:\nthe record of the interface"},
    {'F', false, "facts-output", "FILE", "of a model: the platform facts of its machine"},
    {'M', false, "manifest-output", "FILE",
     "a manifest of the trace (*.assay.yaml), with configuration and image\nwhere the format "
     "needs them; of a model with --execution-output"},
#define X(member, type, option, argument, least, most, help)                                       \
    {FIRST + ASSAY_SETTING_##member, false, option, argument, help},
    ASSAY_GENERATE_SETTINGS(X)
#undef X
        {0},
};

struct generate {
    const struct assay_generator *generator;
    bool format_given;
    const char *execution;
    const char *model;
    const char *output, *execution_output, *facts_output, *manifest_output;
    const char *config;
    uint64_t given; /* settings, a set of ASSAY_TAKES */
    struct assay_generate_settings settings;
    struct assay_parameter_values parameters; /* of the config */
    struct assay_sink record;                 /* the execution output, of a recorded execution */
    struct assay_execution *recording;        /* the recorded execution; null until it was read */
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
        g->format_given = true;
        g->generator = format != NULL ? assay_generator_of(format) : NULL;
        if (format != NULL && g->generator == NULL) {
            assay_usage_error(self, "there is no generator of %s", format->title);
        }
        return g->generator != NULL;
    case 'x':
        return set_text(value, &g->execution);
    case 'm':
        return set_text(value, &g->model);
    case 'o':
        return set_text(value, &g->output);
    case 'c':
        return set_text(value, &g->config);
    case 'X':
        return set_text(value, &g->execution_output);
    case 'F':
        return set_text(value, &g->facts_output);
    case 'M':
        return set_text(value, &g->manifest_output);
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
            assay_usage_error(self, "--%s means nothing to what this trace is made of", o->name);
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
    if (stat(g->execution, &file) != 0 || !S_ISREG(file.st_mode)) {
        return;
    }
    g->settings.execution = g->execution;
    if (g->generator->look_ahead != NULL &&
        assay_source_open(g->execution, &source, NULL) == ASSAY_OK &&
        assay_execution_open(source, &execution, NULL) == ASSAY_OK) {
        g->generator->look_ahead(execution, g->given, &g->settings);
        assay_execution_close(execution);
    }
}

static void say_what_is_ambiguous(const struct assay_generated *made)
{
    if (made->ambiguous > 0) {
        fprintf(stderr,
                "assay generate: %llu packets name a return that decoders can take for another one "
                "(docs/formats/etrace.md)\n",
                (unsigned long long)made->ambiguous);
    }
}

/* What the recording lacks, and so the trace does. One that lacks what the format requires is not
 * what was asked for. */
static int say_what_is_missing(const struct assay_generated *made)
{
    if (made->without_access > 0) {
        fprintf(stderr,
                "assay generate: the recording does not show the accesses of %llu of %llu "
                "instructions that\nmay access memory; they are recorded without an address\n",
                (unsigned long long)made->without_access, (unsigned long long)made->instructions);
    }
    if (made->lacking > 0) {
        fprintf(
            stderr,
            "assay generate: %llu of them made an access, or may have made one, and the trace is "
            "incomplete: of AArch64,\nscripts/record records programs without DC ZVA and SVE, "
            "which are the usual reasons (docs/recorder.md)\n",
            (unsigned long long)made->lacking);
    }
    if (made->without_event > 0) {
        fprintf(
            stderr,
            "assay generate: the recording does not show what took control away in %llu places; "
            "they are recorded\nwithout an event\n",
            (unsigned long long)made->without_event);
    }
    say_what_is_ambiguous(made);
    return made->lacking > 0 ? ASSAY_EXIT_INCOMPLETE : ASSAY_EXIT_CONFORMS;
}

/* After the trace, if a manifest is asked for. */
static int write_manifest(const struct generate *g, const struct assay_model *model)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (g->manifest_output == NULL) {
        return ASSAY_EXIT_CONFORMS;
    }
    const bool recorded = g->execution != NULL;
    const struct assay_generate_files files = {.manifest = g->manifest_output,
                                               .trace = g->output,
                                               .execution =
                                                   recorded ? g->execution : g->execution_output,
                                               .recording = g->recording,
                                               .chosen = (g->given & ASSAY_TAKES(thread)) != 0,
                                               .record = recorded ? g->execution_output : NULL,
                                               .facts = g->facts_output};
    const enum assay_error error =
        assay_generate_manifest(g->generator, model, &g->settings, &files, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}

static enum assay_error load_parameters(struct generate *g, struct assay_diag *diag)
{
    if (g->config == NULL) {
        return ASSAY_OK;
    }
    assay_parameters_init(&g->parameters, g->generator->format->parameters);
    g->settings.parameters = &g->parameters;
    return assay_parameters_load(&g->parameters, g->config, diag);
}

/* What was given beside the execution: the parameters, and where the record goes. */
static enum assay_error open_others(struct generate *g, struct assay_diag *diag)
{
    enum assay_error error = load_parameters(g, diag);
    if (error == ASSAY_OK && g->execution_output != NULL) {
        error = assay_sink_replace(&g->record, g->execution_output, diag);
        g->settings.record = error == ASSAY_OK ? &g->record : NULL;
    }
    return error;
}

static int close_record(struct generate *g, int status)
{
    if (g->settings.record == NULL) {
        return status;
    }
    if (status != ASSAY_EXIT_CONFORMS) {
        assay_sink_discard(&g->record);
        return status;
    }
    return assay_finish_output(&g->record, status);
}

/* A table of what a hart did has no program. */
static enum assay_error check_table(const struct generate *g, struct assay_diag *diag)
{
    if (g->generator->from_record == NULL) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a trace of %s is not made of a table", g->generator->format->title);
    }
    return g->manifest_output == NULL
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                            "a table has no program, which a manifest needs: no manifest is made "
                            "of it");
}

static int make_trace(struct generate *g, struct assay_generated *made)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_sink sink;
    look_ahead(g);
    enum assay_error error = assay_source_open(g->execution, &source, &diag);
    error = error != ASSAY_OK ? error : assay_execution_open_any(source, &execution, &diag);
    const bool is_record = error == ASSAY_OK && !assay_execution_has_items(execution);
    error = is_record ? check_table(g, &diag) : error;
    if (error != ASSAY_OK) {
        assay_execution_close(execution);
        assay_diag_path(&diag, g->execution);
        assay_say(&diag);
        return assay_exit_of(error);
    }
    if ((g->given & ASSAY_TAKES(thread)) != 0) {
        assay_execution_choose(execution, (uint32_t)g->settings.thread);
    }
    g->settings.isa = assay_execution_header(execution)->isa;
    error = assay_sink_replace(&sink, g->output, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        assay_execution_close(execution);
        return assay_exit_of_given(error);
    }
    error = is_record ? g->generator->from_record(assay_execution_table(execution), &g->settings,
                                                  &sink, made, &diag)
                      : g->generator->from_execution(execution, &g->settings, &sink, made, &diag);
    g->recording = execution;
    if (error != ASSAY_OK && sink.error == ASSAY_OK) {
        if (diag.path[0] == '\0') {
            assay_diag_path(&diag, g->execution);
        }
        assay_say(&diag);
        assay_sink_discard(&sink);
        return assay_exit_of(error);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

static int generate_from_execution(struct generate *g)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_generated made = {0};
    const enum assay_error error = open_others(g, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return assay_exit_of_given(error);
    }
    int status = close_record(g, make_trace(g, &made));
    status = status != ASSAY_EXIT_CONFORMS ? status : write_manifest(g, NULL);
    assay_execution_close(g->recording);
    return status == ASSAY_EXIT_CONFORMS ? say_what_is_missing(&made) : status;
}

/* The model that is asked for, or the first one; null after having said that there is none. */
static const struct assay_model *find_model(const struct assay_command *self,
                                            const struct generate *g)
{
    enum { MOST = 31 };
    const struct assay_model *models = g->generator->models;
    const struct assay_model *model =
        g->model != NULL ? assay_model_of(g->generator, g->model) : &models[0];
    const char *names[MOST + 1] = {NULL};
    if (model != NULL) {
        return model;
    }
    for (size_t i = 0; i < MOST && models[i].name != NULL; i++) {
        names[i] = models[i].name;
    }
    const char *near = assay_nearest(g->model, names);
    assay_usage_error(self, "%s has no model \"%s\"; %s \"%s\"%s", g->generator->format->name,
                      g->model, near != NULL ? "did you mean" : "its first one is",
                      near != NULL ? near : names[0], near != NULL ? "?" : "");
    return NULL;
}

/* The outputs of a model: the trace, and the other files that were asked for. */
enum { TRACE, EXECUTION, FACTS, OUTPUTS };

/* Nothing of what failed is kept. */
static int close_all(struct assay_sink *sinks, const char *const *paths, bool failed, int status)
{
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (paths[i] == NULL) {
            continue;
        }
        if (failed) {
            assay_sink_discard(&sinks[i]);
        } else {
            status = assay_more_severe_exit(status, assay_finish_output(&sinks[i], status));
        }
    }
    return status;
}

static int generate_from_model(struct generate *g, const struct assay_model *model)
{
    const char *paths[OUTPUTS] = {g->output, g->execution_output, g->facts_output};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sinks[OUTPUTS];
    struct assay_sink *wanted[OUTPUTS] = {NULL};
    struct assay_generated made = {0};
    if (load_parameters(g, &diag) != ASSAY_OK) {
        assay_say(&diag);
        return assay_exit_of_given(diag.error);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (paths[i] != NULL && assay_sink_replace(&sinks[i], paths[i], &diag) != ASSAY_OK) {
            assay_say(&diag);
            memset(&paths[i], 0, (OUTPUTS - i) * sizeof paths[0]);
            return close_all(sinks, paths, true, assay_exit_of_given(diag.error));
        }
        wanted[i] = paths[i] != NULL ? &sinks[i] : NULL;
    }
    const enum assay_error error =
        assay_model_make(g->generator, model, &g->settings, wanted[TRACE], wanted[EXECUTION],
                         wanted[FACTS], &made, &diag);
    int status = ASSAY_EXIT_CONFORMS;
    bool written = true; /* else closing says so */
    for (size_t i = 0; i < OUTPUTS; i++) {
        written = written && (wanted[i] == NULL || wanted[i]->error == ASSAY_OK);
    }
    const bool failed = error != ASSAY_OK && written;
    if (failed) {
        assay_say(&diag);
        status = assay_exit_of(error);
    }
    status = close_all(sinks, paths, failed, status);
    g->settings.isa = model->isa;
    say_what_is_ambiguous(&made);
    return status == ASSAY_EXIT_CONFORMS ? write_manifest(g, model) : status;
}

/* The same of the files of a capture's streams. */
static int check_sources(const struct assay_command *self, const char *manifest,
                         const struct assay_model *model, struct assay_files *files)
{
    int status = 0;
    for (const struct assay_model_source *s = model->sources;
         s != NULL && s->id != 0 && status == 0; s++) {
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        struct assay_generate_source_files of;
        if (assay_generate_source_files(s, manifest, &of, &diag) != ASSAY_OK) {
            assay_say(&diag);
            return ASSAY_EXIT_USAGE;
        }
        status = assay_files_write(files, self, of.execution);
        status = status != 0 ? status : assay_files_write(files, self, of.image);
    }
    return status;
}

/* Whether the outputs take the place of nothing that is read, nor of each other. */
static int check_files(const struct assay_command *self, const struct generate *g,
                       const struct assay_model *model)
{
    char image[ASSAY_GENERATE_PATH_MOST] = "";
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (g->manifest_output != NULL &&
        assay_generate_image_name(g->generator, g->manifest_output, image, &diag) != ASSAY_OK) {
        assay_say(&diag);
        return ASSAY_EXIT_USAGE;
    }
    const char *const outputs[] = {g->output, g->execution_output, g->facts_output,
                                   g->manifest_output, image[0] != '\0' ? image : NULL};
    struct assay_files files = {0};
    int status = 0;
    assay_files_read(&files, g->execution);
    assay_files_read(&files, g->config);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && status == 0; i++) {
        status = assay_files_write(&files, self, outputs[i]);
    }
    if (model != NULL && g->manifest_output != NULL && status == 0) {
        status = check_sources(self, g->manifest_output, model, &files);
    }
    assay_files_close(&files);
    return status;
}

static bool is_of_machine(const struct assay_format *format, uint16_t machine)
{
    for (size_t m = 0; m < format->machine_count; m++) {
        if (format->machines[m] == machine) {
            return true;
        }
    }
    return false;
}

/* The first format whose traces are of the recording's machine. A recording that cannot be read, or
 * not twice, is left to who makes the trace. */
static void follow_recording(struct generate *g)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct stat file;
    if (stat(g->execution, &file) != 0 || !S_ISREG(file.st_mode) ||
        assay_source_open(g->execution, &source, NULL) != ASSAY_OK ||
        assay_execution_open_any(source, &execution, NULL) != ASSAY_OK) {
        return;
    }
    const bool arm = assay_execution_header(execution)->isa == ASSAY_EXECUTION_AARCH64;
    const bool table = !assay_execution_has_items(execution);
    const uint16_t machine = arm ? EM_AARCH64 : EM_RISCV;
    for (size_t i = 0; assay_generators[i] != NULL; i++) {
        if (table ? assay_generators[i]->from_record != NULL
                  : is_of_machine(assay_generators[i]->format, machine)) {
            g->generator = assay_generators[i];
            break;
        }
    }
    assay_execution_close(execution);
}

static int generate(const struct assay_command *self, struct generate *g)
{
    if (g->execution != NULL && !g->format_given) {
        follow_recording(g);
    }
    const struct assay_model *model = g->execution == NULL ? find_model(self, g) : NULL;
    if (g->execution == NULL && model == NULL) {
        return ASSAY_EXIT_USAGE;
    }
    const int status = check_files(self, g, model);
    if (status != 0) {
        return status;
    }
    if (!g->generator->configures && (g->config || (g->execution && g->execution_output))) {
        return assay_usage_error(self,
                                 "--config and --execution-output of a recorded execution are "
                                 "of E-Trace");
    }
    if (g->manifest_output != NULL && g->execution != NULL && strcmp(g->execution, "-") == 0 &&
        g->execution_output == NULL) {
        return assay_usage_error(self, "a manifest names the recorded execution, which has to be a "
                                       "file for that, not standard input");
    }
    if (g->execution != NULL && g->generator->from_execution == NULL) {
        return assay_usage_error(self, "a trace of %s is made of a model only",
                                 g->generator->format->name);
    }
    if (g->execution != NULL) {
        return takes(self, g->given, g->generator->takes) ? generate_from_execution(g)
                                                          : ASSAY_EXIT_USAGE;
    }
    if (model->sources == NULL && g->manifest_output != NULL && g->execution_output == NULL) {
        return assay_usage_error(self, "--manifest-output of a model goes with --execution-output, "
                                       "which the manifest names");
    }
    if (model->sources != NULL && g->execution_output != NULL) {
        return assay_usage_error(self, "--execution-output means nothing to a capture: "
                                       "--manifest-output writes the executions of its streams");
    }
    if (!model->has_facts && g->facts_output != NULL) {
        return assay_usage_error(self,
                                 "--facts-output: a machine of this model has no platform facts");
    }
    return takes(self, g->given, assay_model_takes(g->generator, model))
               ? generate_from_model(g, model)
               : ASSAY_EXIT_USAGE;
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
    if (g.output == NULL || index < argc) {
        return assay_usage_error(self, "-o FILE is wanted, and no operand");
    }
    if ((g.given & ASSAY_TAKES(thread)) != 0 && g.settings.all_threads) {
        return assay_usage_error(self, "--thread and --all-threads exclude each other");
    }
    if (g.execution != NULL && (g.model || g.facts_output)) {
        return assay_usage_error(self, "--model and its outputs do not go with --execution");
    }
    return generate(self, &g);
}

static void list_models(void)
{
    printf("\nModels:\n");
    for (size_t i = 0; assay_generators[i] != NULL; i++) {
        const struct assay_model *model = assay_generators[i]->models;
        for (; model->name != NULL; model++) {
            printf("  %-11s%-12s%s\n", assay_generators[i]->format->name, model->name,
                   model->summary);
        }
    }
}

const struct assay_command assay_command_generate = {
    .name = "generate",
    .usage = "[--execution FILE | --model NAME] -o FILE [options]",
    .summary = "make a conforming trace, of a recorded execution or of a model",
    .details =
        "Without --execution the trace is of a machine that does not exist: what it executes\n"
        "and what happens to it is drawn from --seed.\n\n"
        "A recorded execution comes from the recorder (docs/recorder.md):\n"
        "  qemu-aarch64 -plugin libassay-recorder.so,out=run.exec PROGRAM\n",
    .show_more = list_models,
    .options = options,
    .run = run,
};
