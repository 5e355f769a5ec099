/* The results of a run of `assay check`: what it knows besides what was judged, the exit status,
 * and the reports. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "validator/program/check_run.h"
#include "validator/program/interrupt.h"

static void set_environment(struct assay_results *results, const struct timespec *begun, char *host,
                            size_t host_size, char *started, size_t started_size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    host[0] = '\0';
    gethostname(host, host_size - 1);
    gmtime_r(&begun->tv_sec, &utc);
    strftime(started, started_size, "%Y-%m-%dT%H:%M:%SZ", &utc);
    results->host = host;
    results->started = started;
    results->seconds =
        (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

static int exit_of_conclusion(enum assay_conclusion conclusion)
{
    switch (conclusion) {
    case ASSAY_CONFORMS:
        return ASSAY_EXIT_CONFORMS;
    case ASSAY_VIOLATES:
        return ASSAY_EXIT_VIOLATES;
    case ASSAY_INCOMPLETE:
        return ASSAY_EXIT_INCOMPLETE;
    default:
        return ASSAY_EXIT_UNREADABLE;
    }
}

/* Whether an image of the option --image is at this path. */
static bool is_image(const struct assay_results *results, const char *path)
{
    size_t at = 0;
    while (at < results->evidence_count && (strcmp(results->evidence[at].role, "image") != 0 ||
                                            strcmp(results->evidence[at].path, path) != 0)) {
        at++;
    }
    return at < results->evidence_count;
}

/* A wrong file that an option names is not the fault of an input. */
static bool blames_option(const struct assay_check_run *run, const struct assay_results *results)
{
    const char *config = run->input.setup.config_file;
    const char *execution = run->input.setup.execution;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        const bool of_config = config != NULL && strcmp(input->diag.path, config) == 0;
        const bool of_execution = execution != NULL && strcmp(input->diag.path, execution) == 0;
        const bool of_image =
            (input->diag.error == ASSAY_UNSUPPORTED || input->diag.error == ASSAY_USAGE) &&
            is_image(results, input->diag.path);
        if (input->conclusion == ASSAY_UNREADABLE && (of_config || of_execution || of_image)) {
            return true;
        }
    }
    return false;
}

/* Whether the system had no room to unpack an input, which says nothing of that. */
static bool lacks_room(const struct assay_results *results)
{
    size_t at = 0;
    while (at < results->input_count && results->inputs[at].diag.error != ASSAY_WRITE_FAILED) {
        at++;
    }
    return at < results->input_count;
}

static int status_of(const struct assay_check_run *run, const struct assay_results *results)
{
    if (lacks_room(results)) {
        return ASSAY_EXIT_AGAIN;
    }
    if (blames_option(run, results)) {
        return ASSAY_EXIT_USAGE;
    }
    enum assay_conclusion conclusion = results->conclusion;
    if (results->baseline != NULL) {
        conclusion = results->baseline->conclusion;
        conclusion = conclusion == ASSAY_CONFORMS && assay_evidence_changed(&run->evidence)
                         ? ASSAY_INCOMPLETE
                         : conclusion;
    }
    const bool unreadable = conclusion == ASSAY_UNREADABLE;
    return unreadable || run->verdict_exit ? exit_of_conclusion(conclusion) : 0;
}

/* What the run knows besides what was judged. */
static void complete_results(struct assay_check_run *run, struct assay_results *results)
{
    results->options = run->noted.list;
    results->option_count = run->noted.count;
    assay_evidence_verify(&run->evidence);
    results->jobs = run->options.jobs;
    results->cached = run->cache.folder != NULL;
    results->reused = run->cache.reused;
    results->skipped = run->paths.skipped;
    results->skipped_count = run->paths.skipped_count;
    results->evidence = run->evidence.list;
    results->evidence_count = run->evidence.count;
    if (results->conclusion == ASSAY_CONFORMS && assay_evidence_changed(&run->evidence)) {
        results->conclusion = ASSAY_INCOMPLETE;
    }
    if (results->input_count == 0) {
        results->conclusion = ASSAY_INCOMPLETE; /* a shard with nothing to judge */
    }
    for (size_t i = 0; i < results->input_count; i++) {
        results->interrupted =
            results->inputs[i].interrupted ? assay_interrupt_signal() : results->interrupted;
    }
}

/* Where no report is written, nothing else says why an input could not be read. */
static void say_unreadable(const struct assay_results *results)
{
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        if (input->conclusion == ASSAY_UNREADABLE && input->diag.error != ASSAY_OK) {
            struct assay_diag diag = input->diag;
            if (diag.path[0] == '\0') {
                assay_diag_path(&diag, input->path);
            }
            assay_say(&diag);
        }
    }
}

int assay_check_run_finish(struct assay_check_run *run, struct assay_results *results,
                           const struct timespec *begun)
{
    char host[256];
    char started[32];
    complete_results(run, results);
    set_environment(results, begun, host, sizeof host, started, sizeof started);
    int status =
        run->baseline != NULL
            ? assay_exit_of(assay_baseline_compare(run->baseline, results, &results->baseline))
            : 0;
    status = status != 0 ? assay_say_no_memory() : status_of(run, results);
    if (run->shard.of == 0) { /* a waiver may be used in another shard */
        status = assay_more_severe_exit(status, assay_say_unused_waivers(results));
    }
    results->exit_status = status;
    if (run->outputs.count == 0) {
        say_unreadable(results);
    }
    return assay_outputs_write(&run->outputs, results, status);
}

int assay_check_digests(void)
{
    struct assay_digest digest;
    char text[ASSAY_DIGEST_TEXT];
    assay_digest_begin(&digest);
    if (assay_digest_end(&digest, text) == ASSAY_OK) {
        return 0;
    }
    fputs("assay: SHA-256 cannot be computed; the configuration of OpenSSL may exclude it\n",
          stderr);
    return ASSAY_EXIT_AGAIN;
}
