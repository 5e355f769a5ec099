/* Recordings of workloads have the classes of control flow and of memory operations, and the
 * digest, that the list says, each class is exercised or the list gives a reason, and each
 * recording ends as its program does.
 *
 *     test-workloads LIST FOLDER
 *     test-workloads --count RECORDING...
 *
 * The second prints, of each recording, its digest, how many instructions it has, and how often
 * each class occurs. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/yaml.h"
#include "execution/classes.h"
#include "execution/digest.h"
#include "io/source.h"

enum { PATH = 1024, SKIPPED = 77, ISAS = 4, REASON = 20, PASSED = 1 };

struct recording {
    struct assay_execution_classes trace;
    struct assay_execution_summary summary;
    bool system, wrote; /* the last instruction wrote, */
    uint64_t content;   /* this */
    char digest[ASSAY_DIGEST_TEXT];
};

static const char *const isa_names[ISAS] = {"", "aarch64", "riscv64", "riscv32"};

static bool exercised[ISAS][ASSAY_CLASS_COUNT], listed[ISAS][ASSAY_CLASS_COUNT];
static const char *list_path;
static unsigned faults, recordings_of[ISAS];

__attribute__((format(printf, 2, 3))) static void fault(size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%zu: ", list_path, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    faults++;
}

/* --- a recording --- */

static enum assay_error read_items(struct assay_execution *execution, struct recording *recording)
{
    struct assay_executed item = {0};
    struct assay_execution_digest digest;
    enum assay_error error = ASSAY_OK;
    assay_execution_digest_begin(&digest, assay_execution_header(execution));
    while ((error = assay_execution_next(execution, &item)) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        assay_execution_classes_add(&recording->trace, &item);
        assay_execution_digest_add(&digest, &item);
        if (item.kind == ASSAY_EXECUTED_INSTRUCTION) {
            recording->wrote = item.accesses > 0 && item.access[item.accesses - 1].write;
            recording->content = recording->wrote ? item.access[item.accesses - 1].content : 0;
        }
    }
    assay_execution_digest_add(&digest, &item);
    const enum assay_error ended = assay_execution_digest_end(&digest, recording->digest);
    return error != ASSAY_OK ? error : ended;
}

/* Programs of one thread. */
static bool read_recording(const char *path, struct recording *recording)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_source_open(path, &source, NULL);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, NULL);
    if (error == ASSAY_OK) {
        const struct assay_execution_header *header = assay_execution_header(execution);
        *recording = (struct recording){.trace.isa = header->isa, .system = header->system};
        recording->trace.level = header->system ? ASSAY_EXECUTION_LEVEL_UNKNOWN : 0;
        error = read_items(execution, recording);
        assay_execution_close(execution);
    }
    if (error != ASSAY_OK) {
        fprintf(stderr, "%s: %s\n", path, assay_error_text(error));
    }
    return error == ASSAY_OK;
}

static int print_counts(int count, char **paths)
{
    for (int i = 0; i < count; i++) {
        struct recording recording;
        if (!read_recording(paths[i], &recording)) {
            return 1;
        }
        printf("%s: {digest: %s, instructions: %" PRIu64, paths[i], recording.digest,
               recording.trace.instructions);
        for (unsigned number = 0; number < ASSAY_CLASS_COUNT; number++) {
            if (recording.trace.count[number] > 0) {
                printf(", %s: %" PRIu64, assay_execution_class_name(number),
                       recording.trace.count[number]);
            }
        }
        printf("}\n");
    }
    return 0;
}

/* --- the list --- */

static unsigned class_of(const struct assay_yaml *name)
{
    for (unsigned number = 0; number < ASSAY_CLASS_COUNT; number++) {
        if (assay_yaml_is(name, assay_execution_class_name(number))) {
            return number;
        }
    }
    fault(name->line, "there is no class %s", name->text);
    return ASSAY_CLASS_COUNT;
}

static unsigned isa_of(const struct assay_yaml *name)
{
    for (unsigned isa = 1; isa < ISAS; isa++) {
        if (assay_yaml_is(name, isa_names[isa])) {
            return isa;
        }
    }
    fault(name->line, "there is no instruction set %s", name->text);
    return 0;
}

static void compare_counts(const struct assay_yaml *exercises, const struct recording *recording)
{
    for (size_t i = 0; exercises != NULL && i < exercises->count; i++) {
        const unsigned number = class_of(exercises->items[2 * i]);
        uint64_t least = 0;
        if (number == ASSAY_CLASS_COUNT) {
            continue;
        }
        if (!assay_yaml_u64(exercises->items[2 * i + 1], &least) || least == 0 ||
            recording->trace.count[number] < least) {
            fault(exercises->items[2 * i]->line, "%s occurs %" PRIu64 " times, not %s",
                  exercises->items[2 * i]->text, recording->trace.count[number],
                  exercises->items[2 * i + 1]->text);
        }
        exercised[recording->trace.isa][number] = true;
    }
    for (unsigned number = 0; exercises != NULL && number < ASSAY_CLASS_COUNT; number++) {
        if (recording->trace.count[number] > 0 &&
            assay_yaml_get(exercises, assay_execution_class_name(number)) == NULL) {
            fault(exercises->line, "%s occurs, and is not listed",
                  assay_execution_class_name(number));
        }
    }
}

/* A machine's program ends by a store that says that its sums are right; one for Linux says it by
 * its exit status, which its recording was made only with. */
static void check_end(const struct assay_yaml *at, const struct recording *recording)
{
    if (recording->system && !(recording->wrote && recording->content == PASSED)) {
        fault(at->line, "the recording does not end with the store of %d", PASSED);
    }
}

/* What is executed is the same wherever the program is built and recorded, but for what a machine
 * decides: then the list has none. */
static void check_digest(const struct assay_yaml *set, const struct assay_yaml *form,
                         const struct recording *recording)
{
    const struct assay_yaml *digest = assay_yaml_get(assay_yaml_get(set, "recordings"), form->text);
    if (digest != NULL && !assay_yaml_is(digest, recording->digest)) {
        fault(digest->line, "the recording has the digest %s", recording->digest);
    }
}

static void check_recording(const struct assay_yaml *workload, const struct assay_yaml *isa,
                            const struct assay_yaml *set, const struct assay_yaml *form,
                            const char *folder)
{
    char path[PATH];
    struct recording recording;
    const bool bare = assay_yaml_is(form, "bare");
    snprintf(path, sizeof path, "%s/%s-%s%s.exec", folder, assay_yaml_get(workload, "name")->text,
             isa->text, bare ? "" : "-linux");
    if (access(path, R_OK) != 0) {
        return;
    }
    if (!read_recording(path, &recording)) {
        faults++;
        return;
    }
    recordings_of[recording.trace.isa]++;
    if (recording.trace.isa != isa_of(isa) || recording.system != bare) {
        fault(set->line, "%s is of something else", path);
    }
    check_end(set, &recording);
    check_digest(set, form, &recording);
    if (bare) {
        compare_counts(assay_yaml_get(set, "exercises"), &recording);
    }
}

static void check_workload(const struct assay_yaml *workload, const char *folder)
{
    const struct assay_yaml *forms = assay_yaml_get(workload, "forms");
    const struct assay_yaml *sets = assay_yaml_get(workload, "instruction_sets");
    if (assay_yaml_get(workload, "name") == NULL || forms == NULL || sets == NULL) {
        fault(workload->line, "a workload has a name, forms and instruction sets");
        return;
    }
    for (size_t s = 0; s < sets->count; s++) {
        for (size_t f = 0; f < forms->count; f++) {
            check_recording(workload, sets->items[2 * s], sets->items[2 * s + 1], forms->items[f],
                            folder);
        }
    }
}

static void read_unexercised(const struct assay_yaml *group)
{
    const struct assay_yaml *reason = assay_yaml_get(group, "reason");
    const struct assay_yaml *sets = assay_yaml_get(group, "instruction_sets");
    const struct assay_yaml *classes = assay_yaml_get(group, "classes");
    if (reason == NULL || reason->length < REASON || sets == NULL || classes == NULL) {
        fault(group->line, "a group has a reason, instruction sets and classes");
        return;
    }
    for (size_t i = 0; i < sets->count * classes->count; i++) {
        const struct assay_yaml *name = classes->items[i % classes->count];
        const unsigned isa = isa_of(sets->items[i / classes->count]);
        const unsigned number = class_of(name);
        if (number < ASSAY_CLASS_COUNT && exercised[isa][number]) {
            fault(name->line, "%s is exercised for %s", name->text, isa_names[isa]);
        } else if (number < ASSAY_CLASS_COUNT) {
            listed[isa][number] = true;
        }
    }
}

static void check_list(const struct assay_yaml *root, const char *folder)
{
    const struct assay_yaml *workloads = assay_yaml_get(root, "workloads");
    const struct assay_yaml *unexercised = assay_yaml_get(root, "unexercised");
    for (size_t i = 0; workloads != NULL && i < workloads->count; i++) {
        check_workload(workloads->items[i], folder);
    }
    for (size_t i = 0; unexercised != NULL && i < unexercised->count; i++) {
        read_unexercised(unexercised->items[i]);
    }
    for (unsigned isa = 1; isa < ISAS; isa++) {
        for (unsigned number = 0; number < ASSAY_CLASS_COUNT; number++) {
            if (recordings_of[isa] > 0 && !exercised[isa][number] && !listed[isa][number]) {
                fault(0, "no workload of %s exercises %s, and no reason is given", isa_names[isa],
                      assay_execution_class_name(number));
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct assay_yaml_file file = {0};
    struct assay_diag diag = {0};
    if (argc > 2 && strcmp(argv[1], "--count") == 0) {
        return print_counts(argc - 2, argv + 2);
    }
    if (argc != 3) {
        fprintf(stderr, "usage: test-workloads LIST FOLDER | --count RECORDING...\n");
        return 2;
    }
    list_path = argv[1];
    if (assay_yaml_load(list_path, &file, &diag) != ASSAY_OK) {
        fault(0, "%s", diag.message);
        return 1;
    }
    check_list(file.root, argv[2]);
    assay_yaml_free(&file);
    const unsigned recordings = recordings_of[1] + recordings_of[2] + recordings_of[3];
    if (recordings == 0) {
        fprintf(stderr, "skipped: there are no recordings (cross compilers, QEMU)\n");
        return SKIPPED;
    }
    printf("%u recordings\n", recordings);
    return faults == 0 ? 0 : 1;
}
