#include "validator/certify/recordings.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "execution/digest.h"
#include "validator/certify/lists.h"
#include "validator/certify/parts.h"
#include "validator/certify/recorded_file.h"

static const struct {
    const char *name, *text;
} recordings[] = {
#define X(id, name, text) {name, text},
    ASSAY_CERTIFY_RECORDINGS(X)
#undef X
};

const char *assay_certify_recording_name(enum assay_certify_recording recording)
{
    return recordings[recording].name;
}

const char *assay_certify_recording_text(const char *name)
{
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
        if (strcmp(recordings[i].name, name) == 0) {
            return recordings[i].text;
        }
    }
    return NULL;
}

/* --- what a recording has --- */

struct content {
    enum assay_execution_isa isa;
    struct assay_execution_digest items;
    bool begun;
    char digest[ASSAY_DIGEST_TEXT]; /* "": it is a table, or not whole */
};

static void begin_digest(void *context, const struct assay_execution_header *header)
{
    struct content *content = context;
    content->isa = header->isa;
    assay_execution_digest_begin(&content->items, header);
    content->begun = true;
}

static void add_to_digest(void *context, const struct assay_executed *item)
{
    assay_execution_digest_add(&((struct content *)context)->items, item);
}

static enum assay_error read_content(const struct assay_evidence *file, struct content *content,
                                     struct assay_diag *diag)
{
    const struct assay_certify_items items = {
        .begin = begin_digest, .add = add_to_digest, .context = content};
    enum assay_certify_recorded_file what = ASSAY_RECORDED_TABLE;
    const enum assay_error error =
        assay_certify_read_items(file->path, file->sha256, &items, &what, diag);
    const enum assay_error ended =
        content->begun ? assay_execution_digest_end(&content->items, content->digest) : ASSAY_OK;
    if (error == ASSAY_OK && ended != ASSAY_OK) {
        return assay_certify_no_digest(assay_error_text(ended), diag);
    }
    if (what != ASSAY_RECORDED_WHOLE) {
        content->digest[0] = '\0';
    }
    return error;
}

/* --- the list of workloads --- */

static const struct assay_yaml *digests_of(const struct assay_yaml *workload,
                                           enum assay_execution_isa isa)
{
    const struct assay_yaml *sets = assay_yaml_get(workload, "instruction_sets");
    return assay_yaml_get(assay_yaml_get(sets, assay_execution_isa_name(isa)), "recordings");
}

static bool has_digest(const struct assay_yaml *digests, const char *digest)
{
    size_t i = 0;
    while (digests != NULL && i < digests->count &&
           !assay_yaml_is(digests->items[2 * i + 1], digest)) {
        i++;
    }
    return digests != NULL && i < digests->count;
}

/* Whether the recording is of a workload; of a capture it need not be the one that is named. */
static bool is_of_workload(const struct assay_yaml *workloads, const struct content *content)
{
    size_t i = 0;
    while (i < workloads->count &&
           !has_digest(digests_of(workloads->items[i], content->isa), content->digest)) {
        i++;
    }
    return content->digest[0] != '\0' && i < workloads->count;
}

static bool is_deterministic(const struct assay_yaml *workloads, const char *name)
{
    const struct assay_yaml *sets =
        assay_yaml_get(assay_certify_workload_named(workloads, name), "instruction_sets");
    bool any = false;
    for (size_t i = 0; sets != NULL && i < sets->count; i++) {
        any = any || assay_yaml_get(sets->items[2 * i + 1], "recordings") != NULL;
    }
    return any;
}

/* --- executing a program again --- */

/* Where two executions differ; the second one is read in step with the first. */
struct comparison {
    const char *again; /* the file of the second */
    char text[280];    /* "": nowhere */
};

struct step {
    struct assay_executed item;
    uint8_t bytes[ASSAY_EXECUTION_ITEM];
    size_t size;
};

/* The next item; a recording that stops without an end has ended. */
static enum assay_error take(struct assay_execution *execution, struct step *step,
                             struct assay_diag *diag)
{
    const enum assay_error error = assay_execution_next(execution, &step->item);
    if (error == ASSAY_TRUNCATED) {
        step->item = (struct assay_executed){.kind = ASSAY_EXECUTED_END,
                                             .reason = ASSAY_EXECUTION_ENDED_BY_FAILED};
    } else if (error != ASSAY_OK) {
        *diag = *assay_execution_diag(execution);
        return error;
    }
    step->size = assay_execution_item_bytes(&step->item, step->bytes);
    return ASSAY_OK;
}

static void say_item(const struct step *step, char *text, size_t room)
{
    switch (step->item.kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        snprintf(text, room, "the instruction 0x%" PRIx32 " at 0x%" PRIx64 " with %u accesses",
                 step->item.word, step->item.address, (unsigned)step->item.accesses);
        break;
    case ASSAY_EXECUTED_TRAP:
        snprintf(text, room, "a trap from 0x%" PRIx64 " of cause 0x%" PRIx64, step->item.from,
                 step->item.cause);
        break;
    case ASSAY_EXECUTED_END:
        snprintf(text, room, "the end");
        break;
    default:
        snprintf(text, room, "something else");
    }
}

static enum assay_error step_through(struct comparison *c, struct assay_execution *first,
                                     struct assay_execution *second, struct assay_diag *diag)
{
    struct step steps[2] = {{.size = 0}, {.size = 0}};
    uint64_t instructions = 0;
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && steps[0].item.kind != ASSAY_EXECUTED_END) {
        error = take(first, &steps[0], diag);
        error = error ? error : take(second, &steps[1], diag);
        if (error == ASSAY_OK && (steps[0].size != steps[1].size ||
                                  memcmp(steps[0].bytes, steps[1].bytes, steps[0].size) != 0)) {
            char one[80];
            char other[80];
            say_item(&steps[0], one, sizeof one);
            say_item(&steps[1], other, sizeof other);
            snprintf(c->text, sizeof c->text,
                     "after %" PRIu64 " instructions it has %s, and executed again came %s",
                     instructions, one, other);
            return ASSAY_OK;
        }
        instructions += steps[0].item.kind == ASSAY_EXECUTED_INSTRUCTION;
    }
    return error;
}

struct pair {
    struct comparison *comparison;
    struct assay_execution *first;
};

static enum assay_error compare_second(void *context, struct assay_execution *second,
                                       struct assay_diag *diag)
{
    const struct pair *pair = context;
    if (!assay_execution_has_items(second)) {
        snprintf(pair->comparison->text, sizeof pair->comparison->text,
                 "executed again, the program gave a table and no recording");
        return ASSAY_OK;
    }
    return step_through(pair->comparison, pair->first, second, diag);
}

static enum assay_error compare_first(void *context, struct assay_execution *first,
                                      struct assay_diag *diag)
{
    struct comparison *comparison = context;
    struct pair pair = {.comparison = comparison, .first = first};
    if (assay_execution_table(first) != NULL) {
        snprintf(comparison->text, sizeof comparison->text,
                 "it is a table or a log, which is not compared with what is executed again");
        return ASSAY_OK;
    }
    const enum assay_error error =
        assay_certify_read_recording(comparison->again, NULL, compare_second, &pair, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, "(what --reference recorded)");
    }
    return error;
}

/* The only file of a role; null: there is none, or several. */
static const struct assay_evidence *only(const struct assay_input_result *input, const char *role)
{
    const struct assay_evidence *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < input->evidence_count; i++) {
        if (strcmp(input->evidence[i].role, role) == 0) {
            found = &input->evidence[i];
            count++;
        }
    }
    return count == 1 && !found->missing ? found : NULL;
}

static enum assay_error repeat(const struct assay_certify_repeat *by,
                               const struct assay_evidence *program,
                               const struct assay_evidence *recording,
                               struct comparison *comparison, struct assay_diag *diag)
{
    FILE *file = NULL;
    char path[32];
    enum assay_error error = by->run(by->context, program->path, &file, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    comparison->again = path;
    error = assay_certify_read_recording(recording->path, recording->sha256, compare_first,
                                         comparison, diag);
    fclose(file);
    return error;
}

/* --- a trace --- */

static enum assay_error repeat_of(struct assay_certification *c,
                                  const struct assay_input_result *input,
                                  struct assay_certify_recorded *of, struct assay_diag *diag)
{
    const struct assay_evidence *program = only(input, "image");
    const struct assay_evidence *recording = only(input, "execution");
    struct comparison comparison = {.text = ""};
    if (program == NULL || recording == NULL) {
        snprintf(comparison.text, sizeof comparison.text,
                 "it cannot be executed again: not exactly one %s was handed in",
                 program == NULL ? "program" : "recording");
    } else {
        const enum assay_error error = repeat(c->repeat, program, recording, &comparison, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (comparison.text[0] == '\0') {
        of->recording = ASSAY_RECORDING_REPEATED;
        return ASSAY_OK;
    }
    of->difference = assay_arena_text(&c->arena, comparison.text, strlen(comparison.text));
    return of->difference != NULL
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static void set_deterministic(struct assay_certification *c, const struct assay_yaml *workloads,
                              size_t trace)
{
    const char *workload = c->submission->traces[trace].workload;
    c->recorded[trace].deterministic = workload != NULL && is_deterministic(workloads, workload);
}

/* Of several recordings the one that is known least decides. */
static enum assay_error look_up(struct assay_certification *c, const struct assay_yaml *workloads,
                                size_t trace, struct assay_diag *diag)
{
    const struct assay_input_result *input = &c->results.inputs[trace];
    const char *workload = c->submission->traces[trace].workload;
    struct assay_certify_recorded *of = &c->recorded[trace];
    set_deterministic(c, workloads, trace);
    for (size_t i = 0; i < input->evidence_count; i++) {
        const struct assay_evidence *file = &input->evidence[i];
        struct content content = {.digest = ""};
        if (strcmp(file->role, "execution") != 0 || file->missing) {
            continue;
        }
        if (workload == NULL) {
            of->recording = ASSAY_RECORDING_PRODUCER;
            return ASSAY_OK;
        }
        const enum assay_error error = read_content(file, &content, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        const bool known = is_of_workload(workloads, &content);
        if (!known || of->recording == ASSAY_RECORDING_NONE) {
            of->recording = known ? ASSAY_RECORDING_WORKLOAD : ASSAY_RECORDING_PRODUCER;
        }
    }
    return ASSAY_OK;
}

bool assay_certify_is_compared(const struct assay_input_result *input, bool *none)
{
    bool all = true;
    *none = true;
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_stream_result *stream = &input->streams[i];
        if (stream->format != NULL && stream->format->carrier != NULL) {
            continue;
        }
        const bool compared = stream->uncompared != NULL && stream->uncompared->matched > 0;
        all = all && compared;
        *none = *none && !compared;
    }
    return all && !*none;
}

static enum assay_error of_trace(struct assay_certification *c, const struct assay_yaml *workloads,
                                 size_t trace, struct assay_diag *diag)
{
    struct assay_certify_recorded *of = &c->recorded[trace];
    bool none = false;
    if (!assay_certify_is_compared(&c->results.inputs[trace], &none)) {
        of->recording = none ? ASSAY_RECORDING_NONE : ASSAY_RECORDING_PART;
        set_deterministic(c, workloads, trace);
        return ASSAY_OK;
    }
    if (c->submission->traces[trace].challenge != NULL && c->challenged[trace].difference == NULL) {
        of->recording = ASSAY_RECORDING_CHALLENGE;
        return ASSAY_OK;
    }
    const enum assay_error error = look_up(c, workloads, trace, diag);
    return error != ASSAY_OK || c->repeat == NULL || !of->deterministic ||
                   of->recording != ASSAY_RECORDING_PRODUCER
               ? error
               : repeat_of(c, &c->results.inputs[trace], of, diag);
}

enum assay_error assay_certify_recordings(struct assay_certification *c, struct assay_diag *diag)
{
    const struct assay_corpus_text *text = &assay_certify_workloads[0];
    struct assay_yaml_file file = {.root = NULL};
    c->recorded =
        assay_arena_take(&c->arena, (c->submission->trace_count + 1) * sizeof *c->recorded);
    if (c->recorded == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = assay_yaml_parse(text->name, text->text, text->size, &file, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        error = of_trace(c, assay_yaml_get(file.root, "workloads"), i, diag);
    }
    assay_yaml_free(&file);
    return error;
}

enum assay_error assay_certify_demand_recordings(struct assay_certification *c)
{
    enum assay_error error = ASSAY_OK;
    size_t due = 0;
    size_t met = 0;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_certify_recorded *of = &c->recorded[i];
        const bool is_met = of->recording > ASSAY_RECORDING_PRODUCER;
        if (!of->deterministic || !(c->level->references || c->repeat != NULL)) {
            continue;
        }
        due++;
        met += is_met;
        if (!is_met) {
            error = assay_certify_add(
                &c->demands, "recording", c->submission->traces[i].path, false,
                "it is compared %s%s%s",
                assay_certify_recording_text(assay_certify_recording_name(of->recording)),
                of->difference != NULL ? ": " : "", of->difference != NULL ? of->difference : "");
        }
    }
    return error != ASSAY_OK || due == 0
               ? error
               : assay_certify_add(&c->demands, "recording", "all", met == due,
                                   "%zu of %zu traces of workloads are compared with a recording "
                                   "that is not the producer's word",
                                   met, due);
}
