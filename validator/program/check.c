/* assay check: judge traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "validator/program/check_run.h"
#include "validator/program/interrupt.h"

/* That no report takes the place of anything that is read. */
static int check_outputs(struct assay_check_run *run)
{
    assay_files_read(&run->files, run->input.setup.execution);
    for (size_t i = 0; i < run->evidence.count; i++) {
        assay_files_read(&run->files, run->evidence.list[i].path);
    }
    return run->evidence.out_of_memory ? assay_say_no_memory()
                                       : assay_outputs_check(&run->outputs, run->self, &run->files);
}

/* What the report of a shard says of its options; null when memory is out. */
static struct assay_option_used *list_arguments(const struct assay_check_run *run)
{
    struct assay_option_used *list = calloc(run->argument_count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < run->argument_count; i++) {
        list[i] = (struct assay_option_used){.name = run->arguments[i].option->name,
                                             .value = run->arguments[i].value};
    }
    return list;
}

static void begin_progress(struct assay_check_run *run, const struct assay_input *inputs,
                           size_t count)
{
    const bool wanted =
        strcmp(run->progress, "always") == 0 ||
        (strcmp(run->progress, "auto") == 0 && !run->outputs.quiet && isatty(STDERR_FILENO) != 0);
    if (wanted && assay_progress_begin(&run->shown, inputs, count)) {
        run->options.progress = assay_progress_show;
        run->options.progress_context = &run->shown;
    }
}

/* --- what is kept of each input --- */

static enum assay_error recall(void *context, struct assay_input_run *input, bool *known)
{
    struct assay_check_run *run = context;
    return assay_cache_recall(&run->cache, input, known);
}

static void judged(void *context, const struct assay_input_run *input)
{
    struct assay_check_run *run = context;
    assay_cache_judged(&run->cache, input);
}

static enum assay_error added(void *context, const struct assay_input_run *input)
{
    struct assay_check_run *run = context;
    return assay_shard_added(&run->shard, input);
}

static struct assay_recorder recorder_of(struct assay_check_run *run)
{
    const bool caches = run->cache.folder != NULL;
    return (struct assay_recorder){.recall = caches ? recall : NULL,
                                   .judged = caches ? judged : NULL,
                                   .added = run->shard.of > 0 ? added : NULL,
                                   .context = run};
}

/* --- the run --- */

static int judge(struct assay_check_run *run, const struct assay_input *inputs, size_t count)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_check *check = NULL;
    struct timespec begun;
    const struct assay_recorder recorder = recorder_of(run);
    run->options.recorder = &recorder;
    clock_gettime(CLOCK_REALTIME, &begun);
    begin_progress(run, inputs, count);
    enum assay_error error = assay_check_open(&run->options, &check, &diag);
    if (error == ASSAY_OK) {
        struct assay_results none = *assay_check_begun(check);
        assay_list_options(&run->noted, &run->options, run->input.setup.format, &none);
        assay_outputs_start(&run->outputs, &none, count, &run->options);
        error = assay_check_inputs(check, inputs, count, &diag);
    }
    if (run->options.progress != NULL) {
        assay_progress_end(&run->shown);
    }
    int status = 0;
    if (error != ASSAY_OK) {
        assay_say(&diag);
        status = assay_exit_of(error);
        assay_outputs_discard(&run->outputs);
    } else if (run->shard.of > 0 && (status = assay_shard_end(&run->shard)) != 0) {
        assay_outputs_discard(&run->outputs);
    } else {
        struct assay_results results = *assay_check_results(check);
        results.shard = run->shard.of > 0 ? &run->shard.result : NULL;
        status = assay_check_run_finish(run, &results, &begun);
    }
    assay_check_close(check);
    return status;
}

/* Deals the inputs, and prepares for the records. */
static int begin_shard(struct assay_check_run *run)
{
    int status = assay_shard_deal(&run->shard, &run->paths);
    status = status != 0 ? status : assay_shard_open(&run->shard);
    run->shard.result.arguments = run->arguments_used = list_arguments(run);
    run->shard.result.argument_count = run->argument_count;
    return status == 0 && run->arguments_used == NULL ? assay_say_no_memory() : status;
}

/* What is written while the run lasts would lack the findings of inputs that are not judged again.
 */
static int begin_cache(struct assay_check_run *run, char **operands, size_t count)
{
    for (size_t i = 0; i < run->outputs.count; i++) {
        if (run->outputs.list[i].writer->live != NULL) {
            return assay_usage_error(run->self,
                                     "--report %s is written while traces are judged, "
                                     "which --cache avoids; leave one of them out",
                                     run->outputs.list[i].writer->name);
        }
    }
    run->cache.evidence = &run->evidence;
    const int status = assay_cache_open(&run->cache, run->self, &run->options, run->arguments,
                                        run->argument_count);
    return status != 0 ? status : assay_cache_check(&run->cache, run->self, operands, count);
}

/* Of a shard, only the inputs that it was dealt. */
static int judge_paths(struct assay_check_run *run)
{
    const struct assay_paths *paths = &run->paths;
    const bool whole = run->shard.of == 0;
    const size_t count = whole ? paths->count : run->shard.count;
    struct assay_input *inputs = calloc(count + 1, sizeof *inputs);
    if (inputs == NULL) {
        assay_outputs_discard(&run->outputs);
        return assay_say_no_memory();
    }
    for (size_t i = 0; i < count; i++) {
        const struct assay_path *path = &paths->list[whole ? i : run->shard.dealt[i]];
        inputs[i] = run->input;
        inputs[i].path = path->path;
        inputs[i].refused = path->refused;
    }
    const int status = judge(run, inputs, count);
    free(inputs);
    return status;
}

static int check_operands(const struct assay_check_run *run, char **operands, size_t count)
{
    size_t standard = 0;
    for (size_t i = 0; i < count; i++) {
        standard += strcmp(operands[i], "-") == 0;
    }
    if (count == 0) {
        return assay_usage_error(run->self, "no input is given");
    }
    if (standard > 0 && run->shard.of > 0) {
        return assay_usage_error(run->self, "--shard deals files, and standard input is none");
    }
    return standard > 1 ? assay_usage_error(run->self, "standard input can be read only once") : 0;
}

/* Once the command line is understood. */
static int run_operands(struct assay_check_run *run, char **operands, size_t count)
{
    const struct assay_paths_options wanted = {.format = run->input.setup.format,
                                               .allow_outside = run->input.allow_outside};
    int status = assay_image_seal_option(&run->images);
    run->input.setup.images = run->images;
    if (status == 0 && assay_stop_open(&run->stop) == ASSAY_OK) {
        run->options.stop = &run->stop;
        assay_interrupt_begin(&run->stop); /* archives are unpacked already to find the inputs */
    }
    status = status != 0 ? status
                         : assay_paths_find(&run->paths, &wanted, (const char *const *)operands,
                                            count, &run->files);
    status = status != 0 ? status : check_outputs(run);
    status = status == 0 && run->shard.of > 0 ? begin_shard(run) : status;
    run->options.digest = run->cache.folder != NULL || assay_outputs_want_digest(&run->outputs);
    run->options.overview = run->cache.folder != NULL || run->shard.of > 0 ||
                            assay_outputs_want_overview(&run->outputs);
    if (status == 0 && run->options.digest) {
        status = assay_check_digests();
        assay_evidence_digest(&run->evidence);
    }
    assay_selection_apply(&run->selection, &run->options);
    run->options.waivers = run->waivers.count > 0 ? &run->waivers : NULL;
    status = status == 0 && run->cache.folder != NULL ? begin_cache(run, operands, count) : status;
    status = status != 0 ? status : assay_outputs_open(&run->outputs);
    if (status != 0) {
        return status;
    }
    return judge_paths(run);
}

static int run_check(int argc, char **argv)
{
    struct assay_check_run run;
    int index = 1;
    assay_check_run_begin(&run, &assay_command_check);
    int status = assay_check_run_read(&run, argc, argv, &index);
    char **operands = argv + index;
    const size_t count = (size_t)(argc - index);
    status = status != 0 ? status : check_operands(&run, operands, count);
    status = status != 0
                 ? status
                 : assay_given_check(&run.given, run.self, (const char *const *)operands, count);
    status = status != 0 ? status : run_operands(&run, operands, count);
    assay_check_run_end(&run);
    return status > 0 ? status : 0;
}

const struct assay_command assay_command_check = {
    .name = "check",
    .usage = "[options] INPUT...",
    .summary = "judge traces by the rules of their format",
    .details =
        "INPUT is a trace, a manifest *.assay.yaml, a CoreSight snapshot (snapshot.ini,\n"
        "contents.ini, or an archive that holds one; with #BUFFER after that only this buffer), a\n"
        "directory (all traces, manifests and snapshots below it), or - for standard input. Of a\n"
        "directory every file is judged or accounted for: links are followed, and what is called\n"
        "a trace (.stf, .astf ...) and is none is unreadable.\n\n"
        "Exit status: 0 conforms; 1 violates; 2 wrong usage; 3 an input cannot be read;\n"
        "4 incomplete; 70 a defect of this program; 75 a passing fault, try again;\n"
        "129, 130, 143 a signal (SIGHUP, ^C, SIGTERM) ended the run, and the reports are of what\n"
        "was judged before.\n",
    .options = assay_check_options_list,
    .run = run_check,
};
