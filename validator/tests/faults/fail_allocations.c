/* Each command of the program with one allocation that fails (fail_alloc.c), many times over, each
 * time another allocation. It must end with exit status 75 and a message, or, where the memory was
 * not needed, exactly as without the failure: never by a signal, never with another status, never
 * with output that is shorter and looks whole.
 *
 *   fail-allocations [--each N | --all | --at N] [--seed N] [--jobs N] [--only TEXT]
 *
 * --each N   so many allocations of each command, chosen by the seed (default 40; where ASSAY_TURN
 * in the environment is made of the commit (scripts/test), 12, with sanitizers 4, and that is
 * the seed)
 * --all      every one, of commands with at most ALL_OF of them; of the others so many, evenly
 * spread
 * --at N     this one alone, as a failure tells how to repeat it
 * --only     commands whose line contains the text
 *
 * ASSAY is the program, CORPUS the folder of vectors, ASSAY_FAIL_LIBRARY what is preloaded; empty
 * when the program itself was linked with fail_alloc.c. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_ARGUMENTS = 24,
    SECONDS = 240,
    ALL_OF = 30000,
    SLOW_PART = 10,
    EDGE = 100,
    EXIT_AGAIN = 75
};

/* What the commands read, made once in a new folder. */
static const char *const set_up =
    "assay() { \"$ASSAY\" \"$@\"; }\n"
    "{ printf '%s\\n' 'vector: 1' 'format: astf' 'facts: {page_size: 4096}' 'trace:' \\\n"
    "  '  - header: {version_minor: 11, single_el: 1}' '  - context: {el: 0}' \\\n"
    "  '  - instr: {pc: 0x1000, iword: 0xd503201f}' '  - instr: {pc: 0x1004, iword: 0xd503201f}' "
    "\\\n"
    "  '  - instr: {pc: 0x1008, iword: 0xd503201f}' 'execution:' \\\n"
    "  '  - {pc: 0x1000, iword: 0xd503201f}' '  - {pc: 0x1004, iword: 0xd503201f}' \\\n"
    "  '  - {pc: 0x1008, iword: 0xd503201f}'; } >v.yaml\n"
    "assay encode v.yaml -o t.astf --execution-output t.exec --manifest-output t.assay.yaml\n"
    "assay generate --format astf --execution t.exec -o u.astf\n"
    "assay encode \"$CORPUS\"/stf/scenarios/flow/scenarios.violates.zstf-jump-without-target.yaml "
    "-o bad.zstf\n"
    "assay encode \"$CORPUS\"/stf/scenarios/file/scenarios.conforms.stored-as-zstd.yaml "
    "-o t.stf.zst\n"
    "assay generate --seed 3 --events 200 --storage xz -o m.astf --facts-output facts.yaml\n"
    "printf '%s\\n' 'format: astf' 'rules:' '  - id: HOUSE-0001' '    title: The house rule' \\\n"
    "  '    clauses: [ASTF-HDR-002]' '    level: must' '    on: instr' \\\n"
    "  '    require: \"pc == 0\"' '    say: \"pc is {pc}\"' >house.yaml\n"
    "printf '%s\\n' 'waivers:' '  - rule: STF-*' '    input: bad.*' '    reason: known' \\\n"
    "  '    owner: the test' '    expires: 2999-12-31' >waivers.yaml\n"
    "printf '%s\\n' 'certification: 1' 'name: mine' 'title: t' 'format: astf' 'levels:' \\\n"
    "  '  - {name: all, sentences: [{says: t, covered: 100, exercise: [{rules: \"ASTF-0023\", "
    "times: 3}]}],' \\\n"
    "  '     workloads: [w]}' >mine.yaml\n"
    "printf '%s\\n' 'submission: 1' 'producer: {name: p, version: \"1\"}' \\\n"
    "  'claims: {format: astf, profile: mine, level: all}' \\\n"
    "  'traces: [{trace: t.assay.yaml, workload: w}, {trace: u.astf, execution: t.exec}]' \\\n"
    "  >submission.yaml\n"
    "assay certify submission.yaml --profile mine.yaml -o certificate >/dev/null\n"
    "mkdir d d/below\n"
    "cp bad.zstf m.astf v.yaml d\n"
    "cp t.astf t.assay.yaml t.exec d/below\n"
    "printf 'first\\n' >d/notes\n"
    "assay check --cache kept --quiet d || :\n"
    "for i in 1 2; do assay check --shard $i/2 --report json=part$i d || :; done\n"
    "assay check --report json=old bad.zstf || :\n"
    "assay generate --format coresight --model cluster --seed 7 --events 20 -o c.coresight \\\n"
    "  --manifest-output c.assay.yaml\n"
    "assay generate --format ete --execution t.exec -o e.ete --manifest-output e.assay.yaml \\\n"
    "  --speculation 4\n"
    "assay corpus export --format coresight vectors >/dev/null\n"
    "printf '%s\\n' 'good=${1%.*}.events.jsonl' 'cat \"$good\"' >decoder.sh\n"
    "printf '%s\\n' 'exit 1' >refuser.sh\n"
    "printf '%s\\n' 'while read -r trace manifest; do cat \"${trace%.*}.events.jsonl\"; done' "
    ">stays.sh\n"
    "printf 'pass\\n' >pass\n"
    "assay certify --new-key key --passphrase-fd 3 3<pass >/dev/null\n"
    "assay certify submission.yaml --profile mine.yaml -o signed --sign key --passphrase-fd 3 \\\n"
    "  3<pass >/dev/null\n";

struct command {
    const char *line;  /* arguments, separated by blanks; a ~ in one is a blank; @ is the folder of
                          vectors, $HERE in a line of the shell that of the run */
    const char *files; /* what it writes besides standard output */
    bool slow;         /* a run takes a second: there are fewer, also of all */
};

static const struct command commands[] = {
    {"check t.astf", "", false},
    {"check bad.zstf", "", false},
    {"check --report json bad.zstf", "", false},
    {"check --report json=report --report text m.astf", "report", false},
    {"check --report jsonl=report bad.zstf m.astf", "report", false},
    {"check --report sarif=report --report junit d", "report", false},
    {"check --report html=report bad.zstf m.astf", "report", false},
    {"check --evaluate bad.zstf", "", false},
    {"check --jobs 4 t.astf bad.zstf m.astf t.stf.zst", "", false},
    {"check --rules house.yaml --only HOUSE-0001 t.astf", "", false},
    {"check --waive waivers.yaml --report json bad.zstf", "", false},
    {"check --summary t.astf bad.zstf", "", false},
    {"check --only ASTF-0001,ASTF-0002 --skip ASTF-0002 t.astf", "", false},
    {"check --facts facts.yaml --fail-on info m.astf", "", false},
    {"check --execution t.exec t.astf", "", false},
    {"check --image t.exec@0x1000 t.astf", "", false},
    {"check t.assay.yaml", "", false},
    {"check --jobs 2 e.assay.yaml t.assay.yaml", "", false},
    {"check --jobs 4 --report json c.assay.yaml", "", false},
    {"check d", "", false},
    {"check --shard 1/2 --report json=report d", "report", false},
    {"check --cache kept --report json=report d", "report", false},
    {"check --report json d", "", false},
    {"check --baseline old --report json bad.zstf", "", false},
    {"merge part2 part1 --report json=report --report text", "report", false},
    {"merge part1 part2 --report html=report --report junit", "report", false},
    {"compare --isolation none --memory 0 --only CS-000* --report json=report --decoder "
     "sh~$HERE/decoder.sh~{} "
     "vectors",
     "report", false},
    {"compare --isolation none --memory 0 --only CS-000* --report text --decoder "
     "sh~$HERE/refuser.sh~{} "
     "vectors",
     "", false},
    {"compare --persistent --isolation none --memory 0 --only CS-000* --report json=report "
     "--decoder sh~$HERE/stays.sh vectors",
     "report", false},
    {"dump t.astf", "", false},
    {"dump --json bad.zstf", "", false},
    {"dump t.assay.yaml", "", false},
    {"dump --facts facts.yaml --count 20 m.astf", "", false},
    {"encode v.yaml -o out", "out", false},
    {"encode v.yaml -o out --execution-output out2 --manifest-output out3.assay.yaml",
     "out out2 out3.assay.yaml", false},
    {"encode @/stf/scenarios/file/scenarios.conforms.stored-as-zstf.yaml -o -", "", false},
    {"generate --seed 3 --events 50 -o out --execution-output out2 --facts-output out3",
     "out out2 out3", false},
    {"generate --execution t.exec -o out --storage xz --no-timestamps", "out", false},
    {"generate --format ete --execution t.exec -o out --manifest-output out.assay.yaml "
     "--any-packets --speculation 4 --mispredictions 1 --q-elements 1 --contexts 2",
     "out out.assay.yaml out.elf", false},
    {"corpus show ASTF-0003", "", false},
    {"corpus show ASTF-0031.pass.ids", "", false},
    {"rules list", "", false},
    {"rules list --json", "", false},
    {"rules list --since 0.1.0 --rules house.yaml", "", false},
    {"rules list --since 0.1.0 --rules house.yaml --json", "", false},
    {"rules show ASTF-0001", "", false},
    {"rules show STF-HDR-001", "", false},
    {"rules coverage", "", false},
    {"rules coverage --json", "", false},
    {"rules fields", "", false},
    {"rules check house.yaml", "", false},
    {"rules pages pages", "pages/index.html pages/ASTF-0001.html", true},
    {"certify submission.yaml --profile mine.yaml -o pages",
     "pages/certificate.json pages/report.json pages/SHA256SUMS", false},
    {"certify --verify certificate --allow-modified", "", false},
    {"certify --verify certificate --allow-modified --traces .", "", false},
    {"certify --verify signed --allow-modified --key key.pub", "", false},
    {"certify --table . --allow-modified -o out", "out", false},
    {"certify --table signed --allow-modified --key key.pub --json", "", false},
    {"certify --challenge 1 --architecture riscv64 --instructions 50000 -o pages",
     "pages/challenge.yaml", false},
    {"certify --list", "", false},
    {"--help", "", false},
    {"--version", "", false},
    {"check --help", "", false},
    {"completion bash", "", false},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

struct options {
    unsigned long each, at, seed, jobs;
    bool all;
    const char *only, *program;
};

/* What a run left: the exit status (128 and more: of a signal), and all output in one text. */
struct outcome {
    int status;
    bool message;
    char *text;
    size_t size;
};

static void die(const char *what)
{
    fprintf(stderr, "fail-allocations: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* --- running --- */

/* Appends a file, up to where a report tells of the time; one that is not there appends a mark. */
static void append_file(struct outcome *outcome, const char *path)
{
    static const char environment[] = "\"environment\": {";
    const int fd = open(path, O_RDONLY);
    struct stat st = {0};
    if (fd >= 0 && fstat(fd, &st) != 0) {
        die(path);
    }
    const size_t room = (size_t)st.st_size + 16;
    char *text = realloc(outcome->text, outcome->size + room);
    if (text == NULL) {
        die("memory");
    }
    outcome->text = text;
    char *at = text + outcome->size;
    ssize_t size = fd >= 0 ? read(fd, at, room - 16) : snprintf(at, room, "(no file)");
    if (size < 0) {
        die(path);
    }
    const char *cut = memmem(at, (size_t)size, environment, sizeof environment - 1);
    outcome->size += cut != NULL ? (size_t)(cut - at) : (size_t)size;
    text[outcome->size++] = '\0';
    if (fd >= 0) {
        close(fd);
    }
}

/* The words of a text, which are in its copy; how many. */
static size_t split(const char *text, char *copy, size_t room, char **words)
{
    size_t count = 0;
    snprintf(copy, room, "%s", text);
    for (char *rest = NULL, *word = strtok_r(copy, " ", &rest);
         word != NULL && count < MOST_ARGUMENTS; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    return count;
}

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, to) < 0) {
        _exit(126);
    }
    close(fd);
}

/* In the child: the program, with allocation `fail_at` failing. */
static void execute(const struct command *command, unsigned long fail_at)
{
    char copy[512], vector[4096], number[24];
    char *words[MOST_ARGUMENTS + 2] = {NULL};
    const size_t count = split(command->line, copy, sizeof copy, words + 1);
    const char *library = getenv("ASSAY_FAIL_LIBRARY");
    words[0] = getenv("ASSAY");
    for (size_t i = 1; i <= count; i++) {
        for (char *c = words[i]; *c != '\0'; c++) {
            *c = *c == '~' ? ' ' : *c;
        }
        if (words[i][0] == '@') {
            snprintf(vector, sizeof vector, "%s%s", getenv("CORPUS"), words[i] + 1);
            words[i] = vector;
        }
    }
    snprintf(number, sizeof number, "%lu", fail_at);
    setenv("ASSAY_FAIL_AT", number, 1);
    setenv("ASSAY_FAIL_COUNT", "count", 1);
    if (library != NULL && library[0] != '\0') {
        setenv("LD_PRELOAD", library, 1);
    }
    redirect("stdout", STDOUT_FILENO);
    redirect("stderr", STDERR_FILENO);
    alarm(SECONDS);
    execv(words[0], words);
    _exit(126);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static struct outcome run(const struct command *command, unsigned long fail_at)
{
    char copy[512];
    char *files[MOST_ARGUMENTS];
    const size_t count = split(command->files, copy, sizeof copy, files);
    struct outcome outcome = {0};
    struct stat said = {0};
    int status = 0;
    unlink("count");
    for (size_t i = 0; i < count; i++) {
        unlink(files[i]);
    }
    nftw("pages", remove_entry, 8, FTW_DEPTH | FTW_PHYS); /* a folder that is made anew */
    const pid_t child = fork();
    if (child == 0) {
        execute(command, fail_at);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        die("running the program");
    }
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.message = stat("stderr", &said) == 0 && said.st_size > 0;
    append_file(&outcome, "stdout");
    for (size_t i = 0; i < count; i++) {
        append_file(&outcome, files[i]);
    }
    return outcome;
}

static unsigned long allocations(const struct command *command, int status)
{
    unsigned long count = 0;
    FILE *file = fopen("count", "r");
    if (file == NULL || fscanf(file, "%lu", &count) != 1) {
        fprintf(stderr,
                "fail-allocations: %s: the program ends with %d and has not counted its "
                "allocations\n",
                command->line, status);
        exit(2);
    }
    fclose(file);
    return count;
}

/* --- judging --- */

static bool holds(const struct outcome *outcome, const char *text)
{
    return memmem(outcome->text, outcome->size, text, strlen(text)) != NULL;
}

static const char *wrong_with(const struct outcome *got, const struct outcome *wanted)
{
    if (got->status == EXIT_AGAIN) {
        return got->message ? NULL : "no message";
    }
    if (got->status != wanted->status) {
        return got->status > 128 ? "ended by a signal" : "another exit status";
    }
    /* A report can do without a digest, and then says so in its place. */
    const bool same = got->size == wanted->size && memcmp(got->text, wanted->text, got->size) == 0;
    return same || holds(got, "\"sha256\": null, \"digest_error\": \"") ||
                   holds(got, "\"description\": {\"text\": \"no SHA-256: ") ||
                   holds(got, "\"catalogue\": null, \"catalogues\": [\"sha256:")
               ? NULL
               : "the same exit status, but other output";
}

static bool fails_well(const struct options *options, const struct command *command,
                       unsigned long fail_at, const struct outcome *wanted)
{
    const char *library = getenv("ASSAY_FAIL_LIBRARY");
    struct outcome got = run(command, fail_at);
    const char *wrong = wrong_with(&got, wanted);
    if (wrong != NULL) {
        printf("assay %s: allocation %lu fails (seed %lu): %s, exit status %d\n", command->line,
               fail_at, options->seed, wrong, got.status);
        printf("    again: ASSAY=%s CORPUS=%s ASSAY_FAIL_LIBRARY=%s %s --at %lu --only '%s'\n",
               getenv("ASSAY"), getenv("CORPUS"), library != NULL ? library : "", options->program,
               fail_at, command->line);
        fflush(stdout);
    }
    free(got.text);
    return wrong == NULL;
}

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Half of the choice is of the first and the last ones: what lies between is mostly a parser's. */
static unsigned long choose(uint64_t *random, unsigned long i, unsigned long count)
{
    const unsigned long edge = count < EDGE ? count : EDGE;
    const uint64_t number = next_random(random);
    return i % 4 == 0 ? 1 + number % edge : i % 4 == 1 ? count - number % edge : 1 + number % count;
}

struct tally {
    unsigned long runs, wrong;
};

static void try_command(const struct options *options, size_t number, unsigned long worker,
                        struct tally *tally)
{
    const struct command *command = &commands[number];
    struct outcome wanted = run(command, 0);
    const unsigned long count = allocations(command, wanted.status);
    const bool every = (options->all && count <= ALL_OF) || count <= options->each;
    const unsigned long some = options->all ? ALL_OF : options->each;
    const unsigned long runs = options->at != 0 ? 1
                               : every          ? count
                               : command->slow  ? 1 + some / SLOW_PART
                                                : some;
    uint64_t random = options->seed * COMMANDS + number;
    if (wanted.status > 5) {
        printf("assay %s: exit status %d without any failure\n", command->line, wanted.status);
        tally->wrong++;
    }
    for (unsigned long i = 0; i < runs; i++) {
        const unsigned long fail_at = options->at != 0 ? options->at
                                      : every          ? i + 1
                                      : options->all   ? 1 + i * count / runs
                                                       : choose(&random, i, count);
        if (i % options->jobs == worker) {
            tally->runs++;
            tally->wrong += !fails_well(options, command, fail_at, &wanted);
        }
    }
    free(wanted.text);
}

/* One of several processes that share the work, in a folder of its own. */
static int work(const struct options *options, unsigned long worker, struct tally *tally)
{
    char folder[] = "/tmp/assay-allocations-XXXXXX";
    char command[256];
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || setenv("HERE", folder, 1) != 0) {
        die(folder);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(set_up) != 0) {
        fprintf(stderr, "fail-allocations: the files in %s could not be made\n", folder);
        return 2;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (options->only == NULL || strstr(commands[i].line, options->only) != NULL) {
            try_command(options, i, worker, tally);
        }
    }
    return chdir("/") == 0 && system(command) == 0 ? 0 : 2;
}

static int work_apart(const struct options *options, unsigned long worker, int to)
{
    struct tally tally = {0};
    const int status = work(options, worker, &tally);
    fflush(stdout);
    return write(to, &tally, sizeof tally) == (ssize_t)sizeof tally ? status : 2;
}

static unsigned long number_after(char **argv, int *i)
{
    return argv[*i + 1] != NULL ? strtoul(argv[++*i], NULL, 10) : 0;
}

static void read_options(struct options *options, char **argv)
{
    for (int i = 1; argv[i] != NULL; i++) {
        if (strcmp(argv[i], "--all") == 0) {
            options->all = true;
        } else if (strcmp(argv[i], "--each") == 0) {
            options->each = number_after(argv, &i);
        } else if (strcmp(argv[i], "--at") == 0) {
            options->at = number_after(argv, &i);
        } else if (strcmp(argv[i], "--seed") == 0) {
            options->seed = number_after(argv, &i);
        } else if (strcmp(argv[i], "--jobs") == 0) {
            options->jobs = number_after(argv, &i);
        } else if (strcmp(argv[i], "--only") == 0 && argv[i + 1] != NULL) {
            options->only = argv[++i];
        } else {
            fprintf(stderr, "fail-allocations: what is %s?\n", argv[i]);
            exit(2);
        }
    }
    options->jobs = options->jobs != 0 ? options->jobs : 1;
}

int main(int argc, char **argv)
{
    const char *turn = getenv("ASSAY_TURN");
    const bool sanitized = getenv("ASSAY_FAIL_LIBRARY") == NULL;
    struct options options = {.each = turn == NULL ? 40
                                      : sanitized  ? 2
                                                   : 6,
                              .seed = turn != NULL ? strtoul(turn, NULL, 10) : 1,
                              .jobs = 1,
                              .program = argv[0]};
    struct tally all = {0};
    int pipes[2];
    int status = 0;
    (void)argc;
    read_options(&options, argv);
    if (getenv("ASSAY") == NULL || getenv("CORPUS") == NULL || pipe(pipes) != 0) {
        fprintf(stderr, "fail-allocations: ASSAY and CORPUS are wanted in the environment\n");
        return 2;
    }
    for (unsigned long w = 0; w < options.jobs; w++) {
        if (fork() == 0) {
            _exit(work_apart(&options, w, pipes[1]));
        }
    }
    close(pipes[1]);
    for (struct tally one; read(pipes[0], &one, sizeof one) == (ssize_t)sizeof one;) {
        all.runs += one.runs;
        all.wrong += one.wrong;
    }
    for (int ended; wait(&ended) > 0;) {
        status = ended != 0 ? 2 : status;
    }
    printf("%lu runs with an allocation that fails, %lu wrong; seed %lu\n", all.runs, all.wrong,
           options.seed);
    return status != 0 ? status : all.wrong > 0 || all.runs == 0;
}
