#include "validator/certify/workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "execution/classes.h"
#include "execution/successor.h"
#include "validator/certify/lists.h"
#include "validator/certify/parts.h"
#include "validator/certify/recorded_file.h"

/* A class that occurs so often in a workload is due; how often rarer ones do depends on how a
 * program begins and ends: bare, or under an operating system. */
enum { DUE_FROM = 10 };

/* What of a recording a trace was compared with. */
struct compared {
    bool any;         /* something was */
    uint64_t threads; /* as in struct assay_uncompared */
    uint64_t left;    /* instructions of these threads that are not in the trace */
};

/* The first threads of a recording, of which each instruction has to be able to follow the one
 * before. */
enum { FOLLOWED = 63 };

struct counted {
    uint64_t threads; /* that are counted */
    struct assay_execution_classes classes;
    bool is_table, all_accesses;
    struct assay_executed held[FOLLOWED]; /* the last instruction of each thread, */
    bool holding[FOLLOWED];               /* where nothing took control since */
    bool impossible;
    uint64_t from, to; /* the first pair that no machine executes, if it is impossible */
};

/* --- a recorded execution --- */

/* The streams of a capture are compared each with its own recording, and there with their threads.
 */
static struct compared compared_of(const struct assay_input_result *input)
{
    struct compared compared = {.any = false};
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_uncompared *of = input->streams[i].uncompared;
        if (of != NULL && !of->left_out && of->recorded > 0) {
            compared.any = true;
            compared.threads |= of->threads != 0 ? of->threads : UINT64_MAX;
            compared.left += of->recorded > of->matched ? of->recorded - of->matched : 0;
        }
    }
    return compared;
}

/* Whether a machine can have executed the items so far. */
static void follow(struct counted *counted, const struct assay_executed *item)
{
    if (item->thread >= FOLLOWED) {
        return;
    }
    struct assay_executed *held = &counted->held[item->thread];
    bool *holding = &counted->holding[item->thread];
    if (item->kind == ASSAY_EXECUTED_LEVEL || item->kind == ASSAY_EXECUTED_WALK) {
        return;
    }
    if (item->kind == ASSAY_EXECUTED_INSTRUCTION && *holding && !counted->impossible &&
        !assay_execution_can_follow(counted->classes.isa, held, item->address)) {
        counted->impossible = true;
        counted->from = held->address;
        counted->to = item->address;
    }
    *holding = item->kind == ASSAY_EXECUTED_INSTRUCTION;
    *held = *item;
    held->access = NULL;
}

static void begin_counting(void *context, const struct assay_execution_header *header)
{
    struct counted *counted = context;
    counted->classes = (struct assay_execution_classes){
        .isa = header->isa, .level = header->system ? ASSAY_EXECUTION_LEVEL_UNKNOWN : 0};
    counted->all_accesses = header->all_accesses;
}

/* Counts what the threads executed that the trace is of. */
static void count_item(void *context, const struct assay_executed *item)
{
    struct counted *counted = context;
    follow(counted, item);
    if ((counted->threads & assay_thread_bit(item->thread)) != 0) {
        assay_execution_classes_add(&counted->classes, item);
    }
}

/* Counts the classes of a file, which has to be the one that was judged with. */
static enum assay_error count_file(const struct assay_evidence *file, struct counted *counted,
                                   struct assay_diag *diag)
{
    const struct assay_certify_items items = {
        .begin = begin_counting, .add = count_item, .context = counted};
    enum assay_certify_recorded_file what = ASSAY_RECORDED_TABLE;
    const enum assay_error error =
        assay_certify_read_items(file->path, file->sha256, &items, &what, diag);
    counted->is_table = what == ASSAY_RECORDED_TABLE;
    return error;
}

/* --- what a workload is due --- */

struct list {
    struct assay_yaml_file file;
    const struct assay_yaml *workloads;
    const struct assay_yaml *machine; /* classes that depend on the machine, not on the program */
};

const struct assay_yaml *assay_certify_workload_named(const struct assay_yaml *workloads,
                                                      const char *name)
{
    for (size_t i = 0; i < workloads->count; i++) {
        if (assay_yaml_is(assay_yaml_get(workloads->items[i], "name"), name)) {
            return workloads->items[i];
        }
    }
    return NULL;
}

static bool is_listed(const struct assay_yaml *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && !assay_yaml_is(names->items[i], name)) {
        i++;
    }
    return i < names->count;
}

static bool is_of_accesses(enum assay_execution_class class)
{
    return (class >= ASSAY_CLASS_READ_1 && class <= ASSAY_CLASS_WRITE_8) ||
           class == ASSAY_CLASS_EXCLUSIVE_STORE || class == ASSAY_CLASS_EXCLUSIVE_FAILED;
}

/* The first class of which the recording has fewer than the workload, also if all that is not in
 * the trace is of that class; ASSAY_CLASS_COUNT: none. */
static enum assay_execution_class lacking(const struct list *list,
                                          const struct assay_yaml *exercises,
                                          const struct counted *counted, uint64_t left,
                                          uint64_t *least)
{
    for (enum assay_execution_class class = 0; class < ASSAY_CLASS_COUNT; class ++) {
        const char *name = assay_execution_class_name(class);
        *least = 0;
        (void)assay_yaml_u64(assay_yaml_get(exercises, name), least);
        if (*least < DUE_FROM || is_listed(list->machine, name) ||
            (is_of_accesses(class) && !counted->all_accesses)) {
            continue;
        }
        const uint64_t count = counted->classes.count[class];
        if (count < *least || count - *least < left) {
            return class;
        }
    }
    return ASSAY_CLASS_COUNT;
}

/* Whether the recording is one of the workload; what it lacks otherwise. */
static bool is_of(const struct list *list, const struct assay_yaml *workload,
                  const struct counted *counted, uint64_t left, char *text, size_t room)
{
    uint64_t least = 0;
    const char *isa = assay_execution_isa_name(counted->classes.isa);
    const struct assay_yaml *set =
        assay_yaml_get(assay_yaml_get(workload, "instruction_sets"), isa);
    if (set == NULL) {
        snprintf(text, room, "is of %s, for which there is no such program", isa);
        return false;
    }
    const enum assay_execution_class class =
        lacking(list, assay_yaml_get(set, "exercises"), counted, left, &least);
    if (class == ASSAY_CLASS_COUNT) {
        return true;
    }
    const uint64_t count = counted->classes.count[class];
    if (count >= least) {
        snprintf(text, room,
                 "has %" PRIu64 " instructions that are not in the trace, so that this may have "
                 "less than %" PRIu64 " times: %s",
                 left, least, assay_execution_class_text(class));
    } else {
        snprintf(text, room, "has %" PRIu64 " times, not %" PRIu64 " times and more: %s", count,
                 least, assay_execution_class_text(class));
    }
    return false;
}

/* --- a trace --- */

/* Whether the level says how much of a recording has to be in the trace; then it decides that. */
static bool demands_part(const struct assay_certify_level *level)
{
    bool demands = false;
    for (size_t i = 0; i < level->sentences.count; i++) {
        demands = demands || level->sentences.list[i].executions;
    }
    return demands;
}

/* A capture has a recording for each stream; it is of the workload if one of them is. */
static enum assay_error recognise_one(const struct list *list, const struct assay_yaml *workload,
                                      const struct assay_input_result *input,
                                      struct assay_certification *c,
                                      struct assay_certify_workload *of, struct assay_diag *diag)
{
    char text[256] = "";
    struct compared compared = compared_of(input);
    compared.left = demands_part(c->level) ? 0 : compared.left;
    for (size_t i = 0;
         compared.any && i < input->evidence_count && of->state != ASSAY_WORKLOAD_SHOWN; i++) {
        const struct assay_evidence *file = &input->evidence[i];
        struct counted counted = {.threads = compared.threads};
        if (strcmp(file->role, "execution") != 0 || file->missing) {
            continue;
        }
        const enum assay_error error = count_file(file, &counted, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (counted.impossible && !counted.is_table) {
            char why[96];
            snprintf(why, sizeof why,
                     "the instruction at 0x%" PRIx64 " cannot follow the one at 0x%" PRIx64,
                     counted.to, counted.from);
            of->impossible = assay_arena_text(&c->arena, why, strlen(why));
        }
        if (!counted.is_table && workload != NULL) {
            of->state = is_of(list, workload, &counted, compared.left, text, sizeof text)
                            ? ASSAY_WORKLOAD_SHOWN
                            : ASSAY_WORKLOAD_REFUTED;
        }
    }
    of->lacking = assay_arena_text(&c->arena, text, strlen(text));
    return of->lacking != NULL
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static enum assay_error recognise_all(struct assay_certification *c, const struct list *list,
                                      struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const char *name = c->submission->traces[i].workload;
        const struct assay_yaml *workload =
            name != NULL ? assay_certify_workload_named(list->workloads, name) : NULL;
        c->workloads[i].state = name != NULL ? ASSAY_WORKLOAD_NAMED : ASSAY_WORKLOAD_NONE;
        if (c->results.inputs[i].evidence_count > 0) {
            error = recognise_one(list, workload, &c->results.inputs[i], c, &c->workloads[i], diag);
        }
    }
    return error;
}

enum assay_error assay_certify_recognise(struct assay_certification *c, struct assay_diag *diag)
{
    const struct assay_corpus_text *text = &assay_certify_workloads[0];
    const size_t count = c->submission->trace_count;
    struct list list = {.workloads = NULL};
    c->workloads = assay_arena_take(&c->arena, count * sizeof *c->workloads);
    if (c->workloads == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = assay_yaml_parse(text->name, text->text, text->size, &list.file, diag);
    if (error == ASSAY_OK) {
        list.workloads = assay_yaml_get(list.file.root, "workloads");
        list.machine = assay_yaml_get(list.file.root, "of_the_machine");
        error = recognise_all(c, &list, diag);
        assay_yaml_free(&list.file);
    }
    return error;
}
