/* Records RISC-V programs under QEMU, makes STF traces of the recordings as a producer would, and
 * judges them by the letter of STF 1.3: every trace conforms, without a finding that is worth a
 * warning, with and without operands, in every storage.
 *
 *     test-riscv-programs [--full]
 *
 * prints a line a program. With --full each has at least 5 million instructions. The build says
 * where everything is. */
#define PROGRAMS_NAME "riscv-programs"
#include "programs_support.h"

#include "assay_commit.h"
#include "stf/stf.h"
#include "validator/engine/catalogue.h"

enum { PATH = 1024, RULES = 2048, FULL = 5000000, CALL = 24 };

#define EXECUTION PROGRAMS_NAME ".exec"
#define TRACE     PROGRAMS_NAME ".stf"
#define REPORT    PROGRAMS_NAME ".json"

struct program {
    const char *name;
    const char *isa;
    const char *rounds; /* for a test */
    const char *full;   /* for at least 5 million instructions in each thread that is traced */
    uint64_t least;     /* instructions of each thread in a test */
    unsigned threads;   /* that are traced */
    bool told;          /* the recording tells all that the format wants */
};

static const struct program programs[] = {
    {"sorts", "riscv64", "1", "3", 3000000, 1, true},
    {"floats", "riscv64", "1", "2", 2000000, 1, true},
    {"branches", "riscv64", "1", "8", 800000, 1, true},
    {"memory", "riscv64", "1", "4", 1000000, 1, true},
    {"system", "riscv64", "1", "4", 1000000, 1, false},
    {"harts", "riscv64", "1", "12", 100000, 4, true},
    {"bare", "riscv32", "", "", 3000000, 1, true},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

struct result {
    uint64_t instructions, records, findings;
    bool exercised[RULES];
};

static const struct assay_catalogue *catalogue;
static bool full;

static bool record(const struct program *p)
{
    char plugin[2 * PATH], path[PATH];
    snprintf(plugin, sizeof plugin, "%s,out=" EXECUTION ",contents=on,program=%s-%s",
             PROGRAMS_PLUGIN, p->name, p->isa);
    snprintf(path, sizeof path, "%s/%s-%s", PROGRAMS_FOLDER, p->name, p->isa);
    const char *emulator =
        strcmp(p->isa, "riscv32") == 0 ? PROGRAMS_QEMU_RISCV32 : PROGRAMS_QEMU_RISCV64;
    const char *const command[] = {emulator, "-plugin", plugin, path, full ? p->full : p->rounds,
                                   NULL};
    return expect("the program", p->name, run(command));
}

static bool generate(const struct program *p, const char *thread, const char *storage,
                     const char *limit, bool operands)
{
    const char *command[CALL] = {PROGRAMS_ASSAY, "generate", "--format",  "stf",
                                 "--execution",  EXECUTION,  "-o",        TRACE,
                                 "--thread",     thread,     "--storage", storage};
    unsigned count = 12;
    if (limit != NULL) {
        command[count++] = "--events";
        command[count++] = limit;
    }
    if (operands) {
        command[count++] = "--operands";
    }
    if (!expect("assay generate", p->name, run(command))) {
        return false;
    }
    if (p->told && !is_empty(PROGRAMS_NAME ".err")) {
        complain("%s: the recording lacks something", p->name);
    }
    return true;
}

static void add_rules(const json_t *report, struct result *result)
{
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(report, "rules"), i, item)
    {
        const char *id = json_string_value(json_object_get(item, "id"));
        const struct assay_rule *rule = id != NULL ? assay_rule_by_id(catalogue, id) : NULL;
        if (rule != NULL && number(item, "exercised") > 0) {
            result->exercised[rule - catalogue->rules] = true;
        }
    }
}

static void add_findings(const struct program *p, const json_t *report, struct result *result)
{
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(report, "findings"), i, item)
    {
        const char *level = json_string_value(json_object_get(item, "level"));
        if (level != NULL && (strcmp(level, "must") == 0 || strcmp(level, "should") == 0)) {
            result->findings++;
            complain("%s: %s at record %llu: %s", p->name,
                     json_string_value(json_object_get(item, "rule")),
                     (unsigned long long)number(item, "index"),
                     json_string_value(json_object_get(item, "message")));
        }
    }
}

static void add_events(const json_t *report, struct result *result)
{
    const char *kind;
    const json_t *count;
    json_t *events =
        json_object_get(json_array_get(json_object_get(report, "inputs"), 0), "events");
    json_object_foreach(events, kind, count)
    {
        if (strcmp(kind, "end") != 0) {
            result->records += (uint64_t)json_integer_value(count);
        }
    }
    result->instructions += number(events, "inst_32") + number(events, "inst_16");
}

static void check(const struct program *p, struct result *result)
{
    const char *const command[] = {PROGRAMS_ASSAY,   "check",   "--fail-on", "should",
                                   "--profile",      "stf-1.3", "--report",  "json=" REPORT,
                                   "--max-findings", "1",       TRACE,       NULL};
    expect("assay check", p->name, run(command));
    json_t *report = json_load_file(REPORT, 0, NULL);
    if (report == NULL) {
        complain("%s: there is no report", p->name);
        return;
    }
    add_rules(report, result);
    add_findings(p, report, result);
    add_events(report, result);
    json_decref(report);
}

static unsigned rules_in(const struct result *result)
{
    unsigned count = 0;
    for (size_t i = 0; i < catalogue->rule_count; i++) {
        count += result->exercised[i];
    }
    return count;
}

/* What a part shows of rules and findings; with `counted` its records, too. */
static void add(struct result *sum, const struct result *part, bool counted)
{
    sum->instructions += counted ? part->instructions : 0;
    sum->records += counted ? part->records : 0;
    sum->findings += part->findings;
    for (size_t i = 0; i < RULES; i++) {
        sum->exercised[i] = sum->exercised[i] || part->exercised[i];
    }
}

static void trace_thread(const struct program *p, unsigned thread, struct result *sum)
{
    struct result part = {0};
    char text[12];
    snprintf(text, sizeof text, "%u", thread);
    if (!generate(p, text, "raw", NULL, false)) {
        return;
    }
    check(p, &part);
    const uint64_t least = full ? FULL : p->least;
    if (part.instructions < least) {
        complain("%s: thread %u has %llu instructions, less than %llu", p->name, thread,
                 (unsigned long long)part.instructions, (unsigned long long)least);
    }
    add(sum, &part, true);
}

/* The beginning of the first thread's trace, with operands, in every storage. */
static void trace_storages(const struct program *p, struct result *sum)
{
    static const char *const storages[] = {"raw", "gzip", "xz", "zstd", "zstf"};
    for (unsigned i = 0; i < sizeof storages / sizeof storages[0]; i++) {
        struct result part = {0};
        if (generate(p, "0", storages[i], "50000", true)) {
            check(p, &part);
        }
        add(sum, &part, false);
    }
}

static void run_program(const struct program *p, struct result *all)
{
    struct result result = {0};
    char line[80];
    const double start = seconds();
    if (record(p)) {
        for (unsigned t = 0; t < p->threads; t++) {
            trace_thread(p, t, &result);
        }
        trace_storages(p, &result);
    }
    snprintf(line, sizeof line, "%s-%s", p->name, p->isa);
    printf("%-18s %12llu %12llu %6u %9llu %8.1f\n", line, (unsigned long long)result.instructions,
           (unsigned long long)result.records, rules_in(&result),
           (unsigned long long)result.findings, seconds() - start);
    fflush(stdout);
    if (documented(line) == 0 || rules_in(&result) < documented(line)) {
        complain("docs/producers.md: %s exercises %u rules, not %u", line, rules_in(&result),
                 documented(line));
    }
    add(all, &result, true);
}

int main(int argc, char **argv)
{
    static struct result all;
    full = argc > 1 && strcmp(argv[1], "--full") == 0;
    catalogue = assay_catalogue_of(&assay_format_stf);
    if (!is_there(PROGRAMS_QEMU_RISCV64, "QEMU user mode for RISC-V (package qemu-user)") ||
        !is_there(PROGRAMS_QEMU_RISCV32, "QEMU user mode for RV32 (package qemu-user)") ||
        !is_there(PROGRAMS_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !is_there(PROGRAMS_FOLDER "/sorts-riscv64",
                  "program to record (needs riscv64-linux-gnu-gcc)")) {
        return 77;
    }
    if (ASSAY_COMMIT[0] == '\0') {
        fprintf(stderr, "skipped: the commit of this build is not known, and STF 1.3 wants it\n");
        return 77;
    }
    printf("%-18s %12s %12s %6s %9s %8s\n", "program", "instructions", "records", "rules",
           "findings", "seconds");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        run_program(&programs[i], &all);
    }
    printf("%-18s %12llu %12llu %6u %9llu   of %zu rules\n", "all",
           (unsigned long long)all.instructions, (unsigned long long)all.records, rules_in(&all),
           (unsigned long long)all.findings, catalogue->rule_count);
    unlink(EXECUTION);
    unlink(TRACE);
    unlink(REPORT);
    return failures == 0 ? 0 : 1;
}
