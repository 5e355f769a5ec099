/* Records programs under QEMU, makes traces of the recordings as a producer would, and judges them:
 * every trace conforms, without a finding of any level, alone and held against the execution, in
 * every storage. Which rules were exercised over all programs is compared with the list of those
 * that no user program can exercise, so that neither can go stale.
 *
 *     test-programs [--full]
 *
 * prints a line a program. With --full each runs for at least 5 million instructions. The build
 * says where everything is. */
#define PROGRAMS_NAME "programs"
#include "programs_support.h"

#include "astf/astf.h"
#include "common/yaml.h"
#include "validator/engine/catalogue.h"

enum { PATH = 1024, RULES = 1024, FULL = 5000000, CALL = 24 };

struct program {
    const char *name;
    const char *cpu;    /* of QEMU */
    const char *facts;  /* of that CPU */
    const char *rounds; /* for a test */
    const char *full;   /* for more than 5 million instructions in each thread that is traced */
    uint64_t least;     /* instructions of each thread in a test */
    unsigned threads;   /* that are traced */
    bool told;          /* the recording tells all accesses */
};

#define PLAIN "max,sve=off,sme=off"

static const struct program programs[] = {
    {"sorts", PLAIN, "plain", "1", "2", 3000000, 1, true},
    {"floats", PLAIN, "plain", "1", "4", 1000000, 1, true},
    {"vectors", PLAIN, "plain", "1", "6", 1000000, 1, true},
    {"atomics", PLAIN, "plain", "1", "20", 300000, 4, true},
    {"memory", PLAIN, "plain", "1", "6", 1000000, 1, true},
    {"branches", PLAIN, "plain", "1", "8", 800000, 1, true},
    {"system", PLAIN, "plain", "1", "5", 1000000, 1, true},
    {"tags", PLAIN, "plain", "1", "4", 1500000, 1, true},
    {"lengths", "max", "max", "1", "5", 1000000, 1, false},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Software of others: applets of a static busybox for AArch64, which ASSAY_BUSYBOX names. */
struct applet {
    const char *name;
    const char *arguments[4];
};

static const struct applet applets[] = {
    {"sha256sum", {"programs.txt"}},
    {"gzip", {"-c", "programs.txt"}},
    {"sort", {"-r", "programs.txt"}},
    {"awk", {"BEGIN { for (i = 0; i < 4000; i++) { s += i * 1.5; a[i % 97]++ } print s, a[5] }"}},
    {"sh", {"-c", "i=0; while [ $i -lt 600 ]; do i=$((i + 1)); done; echo $i"}},
};
enum { APPLETS = sizeof applets / sizeof applets[0], LINES = 7000 };

struct result {
    uint64_t instructions, records, findings;
    bool exercised[RULES];
};

static const struct assay_catalogue *catalogue;
static bool full;

/* --- commands --- */

/* Runs a program in QEMU with the recorder; `command` ends with null. */
static bool record(const struct program *p, const char *const *program)
{
    char plugin[2 * PATH];
    snprintf(plugin, sizeof plugin, "%s,out=programs.exec,program=%s", PROGRAMS_PLUGIN, p->name);
    const char *command[CALL] = {PROGRAMS_QEMU, "-cpu", p->cpu, "-plugin", plugin};
    for (unsigned i = 0; program[i] != NULL; i++) {
        command[5 + i] = program[i];
    }
    return expect("the program", p->name, run(command));
}

static bool generate(const struct program *p, const char *thread, const char *storage,
                     const char *events)
{
    const char *command[CALL] = {PROGRAMS_ASSAY, "generate",      "--execution", "programs.exec",
                                 "-o",           "programs.astf", "--thread",    thread,
                                 "--storage",    storage};
    if (events != NULL) {
        command[10] = "--events";
        command[11] = events;
    }
    if (!expect("assay generate", p->name, run(command))) {
        return false;
    }
    if (p->told && !is_empty(PROGRAMS_NAME ".err")) {
        complain("%s: the recording lacks accesses", p->name);
    }
    return true;
}

/* --- reports --- */

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
        result->findings++;
        complain("%s: %s at record %llu: %s", p->name,
                 json_string_value(json_object_get(item, "rule")),
                 (unsigned long long)number(item, "index"),
                 json_string_value(json_object_get(item, "message")));
    }
}

static void check(const struct program *p, const char *thread, bool executed, struct result *result)
{
    char facts[PATH];
    snprintf(facts, sizeof facts, "%s/qemu-%s.facts.yaml", PROGRAMS_SOURCE, p->facts);
    const char *command[CALL] = {PROGRAMS_ASSAY,   "check", "--fail-on",    "info",
                                 "--facts",        facts,   "--report",     "json=programs.json",
                                 "--max-findings", "1",     "programs.astf"};
    if (executed) {
        const char *const more[] = {"--execution", "programs.exec", "--thread", thread};
        memcpy(command + 11, more, sizeof more);
    }
    expect("assay check", p->name, run(command));
    json_t *report = json_load_file("programs.json", 0, NULL);
    if (report == NULL) {
        complain("%s: there is no report", p->name);
        return;
    }
    const json_t *events =
        json_object_get(json_array_get(json_object_get(report, "inputs"), 0), "events");
    add_rules(report, result);
    add_findings(p, report, result);
    result->instructions = number(events, "instr");
    result->records = number(events, "header") + number(events, "context") +
                      number(events, "instr") + number(events, "extra_ea") +
                      number(events, "string") + number(events, "string_cont") +
                      number(events, "timestamp");
    json_decref(report);
}

/* --- a program --- */

static unsigned rules_in(const struct result *result)
{
    unsigned count = 0;
    for (size_t i = 0; i < catalogue->rule_count; i++) {
        count += result->exercised[i];
    }
    return count;
}

static void add(struct result *sum, const struct result *part)
{
    sum->instructions += part->instructions;
    sum->records += part->records;
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
    if (!generate(p, text, "raw", NULL)) {
        return;
    }
    check(p, text, false, &part);
    check(p, text, true, &part);
    const uint64_t least = full ? FULL : p->least;
    if (part.instructions < least) {
        complain("%s: thread %u has %llu instructions, less than %llu", p->name, thread,
                 (unsigned long long)part.instructions, (unsigned long long)least);
    }
    add(sum, &part);
}

/* The beginning of the first thread's trace, in the other storages. */
static void trace_storages(const struct program *p, struct result *sum)
{
    static const char *const storages[] = {"xz", "lzma", "zlib", "gzip"};
    for (unsigned i = 0; i < 4; i++) {
        struct result part = {0};
        if (generate(p, "0", storages[i], "50000")) {
            check(p, "0", false, &part);
        }
        part.instructions = 0;
        part.records = 0;
        add(sum, &part);
    }
}

static void run_program(const struct program *p, const char *const *command, struct result *all)
{
    struct result result = {0};
    const double start = seconds();
    if (record(p, command)) {
        for (unsigned t = 0; t < p->threads; t++) {
            trace_thread(p, t, &result);
        }
        trace_storages(p, &result);
    }
    printf("%-10s %12llu %12llu %6u %9llu %8.1f\n", p->name,
           (unsigned long long)result.instructions, (unsigned long long)result.records,
           rules_in(&result), (unsigned long long)result.findings, seconds() - start);
    fflush(stdout);
    if (documented(p->name) == 0 || rules_in(&result) < documented(p->name)) {
        complain("docs/producers.md: %s exercises %u rules, not %u", p->name, rules_in(&result),
                 documented(p->name));
    }
    add(all, &result);
}

static void run_programs(struct result *all)
{
    for (unsigned i = 0; i < PROGRAMS; i++) {
        const struct program *p = &programs[i];
        char path[PATH];
        snprintf(path, sizeof path, "%s/%s-aarch64", PROGRAMS_FOLDER, p->name);
        run_program(p, (const char *[]){path, full ? p->full : p->rounds, NULL}, all);
    }
}

static bool write_text(void)
{
    FILE *file = fopen("programs.txt", "w");
    for (unsigned i = 0; file != NULL && i < LINES; i++) {
        fprintf(file, "line %u, %u\n", i * 7919 % LINES, i);
    }
    return file != NULL && fclose(file) == 0;
}

static void run_applets(const char *busybox, struct result *all)
{
    if (!write_text()) {
        complain("programs.txt cannot be written");
        return;
    }
    for (unsigned i = 0; i < APPLETS; i++) {
        const char *const *arguments = applets[i].arguments;
        const struct program p = {applets[i].name, PLAIN, "plain", NULL, NULL, FULL, 1, true};
        run_program(
            &p, (const char *[]){busybox, p.name, arguments[0], arguments[1], arguments[2], NULL},
            all);
    }
    unlink("programs.txt");
}

/* --- the list of what is not exercised --- */

static void look_at_rule(const struct assay_yaml *id, const struct result *all, bool *listed)
{
    const struct assay_rule *rule = assay_rule_by_id(catalogue, id->text);
    if (rule == NULL) {
        complain("unexercised.yaml:%u: there is no rule %s", id->line, id->text);
        return;
    }
    const size_t at = (size_t)(rule - catalogue->rules);
    if (listed[at]) {
        complain("unexercised.yaml:%u: %s is listed twice", id->line, id->text);
    } else if (all->exercised[at]) {
        complain("unexercised.yaml:%u: %s was exercised", id->line, id->text);
    }
    listed[at] = true;
}

static void compare_with_list(const struct result *all)
{
    struct assay_yaml_file file = {0};
    struct assay_diag diag = {0};
    bool listed[RULES] = {0};
    if (assay_yaml_load(PROGRAMS_SOURCE "/unexercised.yaml", &file, &diag) != ASSAY_OK) {
        complain("unexercised.yaml: %s", diag.message);
        return;
    }
    const struct assay_yaml *groups = assay_yaml_get(file.root, "unexercised");
    for (size_t g = 0; groups != NULL && g < groups->count; g++) {
        const struct assay_yaml *reason = assay_yaml_get(groups->items[g], "reason");
        const struct assay_yaml *rules = assay_yaml_get(groups->items[g], "rules");
        if (reason == NULL || reason->length < 20 || rules == NULL) {
            complain("unexercised.yaml:%u: a group has a reason and rules", groups->items[g]->line);
            continue;
        }
        for (size_t i = 0; i < rules->count; i++) {
            look_at_rule(rules->items[i], all, listed);
        }
    }
    for (size_t i = 0; i < catalogue->rule_count; i++) {
        if (!listed[i] && !all->exercised[i]) {
            complain("%s: no program exercises it, and unexercised.yaml gives no reason",
                     catalogue->rules[i].id);
        }
    }
    assay_yaml_free(&file);
}

int main(int argc, char **argv)
{
    static struct result all;
    full = argc > 1 && strcmp(argv[1], "--full") == 0;
    catalogue = assay_catalogue_of(&assay_format_astf);
    if (!is_there(PROGRAMS_QEMU, "QEMU user mode for AArch64 (package qemu-user)") ||
        !is_there(PROGRAMS_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !is_there(PROGRAMS_FOLDER "/sorts-aarch64",
                  "program to record (needs aarch64-linux-gnu-gcc)")) {
        return 77;
    }
    printf("%-10s %12s %12s %6s %9s %8s\n", "program", "instructions", "records", "rules",
           "findings", "seconds");
    run_programs(&all);
    const char *busybox = getenv("ASSAY_BUSYBOX");
    if (busybox != NULL) {
        run_applets(busybox, &all);
    }
    printf("%-10s %12llu %12llu %6u %9llu   of %zu rules\n", "all",
           (unsigned long long)all.instructions, (unsigned long long)all.records, rules_in(&all),
           (unsigned long long)all.findings, catalogue->rule_count);
    compare_with_list(&all);
    unlink("programs.exec");
    unlink("programs.astf");
    return failures == 0 ? 0 : 1;
}
