/* assay certify: a certificate for a producer of traces, and its verification. */
#include <string.h>

#include "validator/certify/profile.h"
#include "validator/program/certify_challenge.h"
#include "validator/program/certify_run.h"
#include "validator/program/given.h"

static const struct assay_option options[] = {
    {'o', true, "output", "DIR",
     "the folder of the certificate, which is made; with --table the file that is\nwritten "
     "(default: standard output)"},
    {'P', false, "profile", "FILE",
     "a certification profile of one's own (YAML), instead of the built-in one;\nwith --verify "
     "the name, or a file, of the profile that is demanded"},
    {'R', false, "rules", "FILE",
     "more rules (YAML); repeatable. The certificate says that the catalogue is\nmodified"},
    {'c', false, "run-commands", NULL,
     "run the commands of the submission, which make its traces: in its folder,\nisolated where "
     "that is possible"},
    {'r', false, "reference", "COMMAND",
     "execute programs of workloads again, where the recording is not Assay's: a line\nof the "
     "shell "
     "in which {} is the program, and which writes the recording to\nstandard output; isolated as "
     "commands are. With --verify also for --traces"},
    {'i', false, "isolation", "WHEN",
     "of commands: bwrap: without network, and nothing but the folder can be\nwritten; none; or "
     "auto (default): bwrap where it can be used"},
    {'t', false, "timeout", "S", "seconds for one command (default 60)"},
    {'w', false, "output-limit", "MIB", "what a command may write, each file (default 1024)"},
    {'s', false, "sign", "FILE", "sign the certificate by this secret key (Ed25519)"},
    {'f', false, "passphrase-fd", "N",
     "read the passphrase of a key from this descriptor, one line; default: ask\nat the terminal"},
    {'n', false, "new-key", "FILE", "make a secret key, and its public key FILE.pub"},
    {'v', false, "verify", "DIR",
     "verify a certificate: the digest of every file, the signature, the expiry\nof waivers"},
    {'k', false, "key", "FILE",
     "with --verify, --table: the public key that it has to be signed by"},
    {'V', false, "level", "NAME",
     "with --verify: demand this level of the profile, or one that extends it"},
    {'F', false, "features", "LIST", "with --verify: demand features, with commas"},
    {'p', false, "producer", "NAME",
     "with --verify: demand this producer, its name, or its name and version"},
    {'m', false, "allow-modified", NULL,
     "with --verify, --table: accept a profile, rules and readings that are none of\nAssay's"},
    {'d', false, "traces", "DIR",
     "with --verify: judge the traces in this folder again; the same\ncertificate must come out"},
    {'x', false, "table", NULL,
     "verify the certificates in each DIR, or in the folders in it, and write a table\nof them in "
     "Markdown"},
    {'J', false, "json", NULL, "with --table: as JSON"},
    {'C', false, "challenge", "SEED",
     "write programs that are drawn from this number, and their predicted\nexecutions, to DIR: for "
     "Linux, of AArch64 and RISC-V"},
    {'a', false, "architecture", "NAME",
     "of a challenge: aarch64; riscv64, or rv64i and some of the letters m, a, c"},
    {'N', false, "instructions", "N",
     "of a challenge: execute at most N instructions (default 300000)"},
    {'B', false, "bare", NULL, "of a challenge: for a machine without an operating system"},
    {'b', false, "base", "ADDRESS",
     "of a bare challenge: where it begins (default 0x40080000 for aarch64,\n0x80000000 for "
     "RISC-V)"},
    {'e', false, "end", "ADDRESS",
     "of a bare challenge: where it stays at its end, in a jump to itself (default:\nin its code)"},
    {'T', false, "tohost", "ADDRESS",
     "of a bare challenge: the word that it stores 1 to before that (default: one\nof its own)"},
    {'L', false, "start-level", "N",
     "of a bare challenge: the level that it is executed at, EL1 to EL3 (default 1),\n1 (S) or 3 "
     "(M, the default)"},
    {'l', false, "list", NULL, "list the certification profiles of this build"},
    {'j', false, "jobs", "N", "traces judged at the same time (default 1)"},
    {0},
};

struct line {
    struct assay_certify_given given;
    struct assay_given noted;
    struct assay_certify_challenge_given challenge;
    const char *new_key;
    const char *verify;
    bool list, table, json;
};

static int take_isolation(struct assay_certify_given *given, const char *value)
{
    static const char *const names[] = {"auto", "bwrap", "none"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            given->isolation = (enum assay_isolation)i;
            return 0;
        }
    }
    return assay_usage_error(&assay_command_certify,
                             "--isolation is auto, bwrap or none, not %.80s", value);
}

static int take_rules(struct assay_certify_given *given, const char *value)
{
    if (given->rule_count == ASSAY_CERTIFY_RULE_FILES) {
        return assay_usage_error(&assay_command_certify, "there are more than %d rule files",
                                 ASSAY_CERTIFY_RULE_FILES);
    }
    given->rules[given->rule_count++] = value;
    return 0;
}

static int take_number(struct assay_certify_given *given, int option, const char *value)
{
    static const struct {
        int option;
        const char *name;
        uint64_t least, most;
    } numbers[] = {{'t', "timeout", 1, 86400},
                   {'w', "output-limit", 1, 1 << 20},
                   {'f', "passphrase-fd", 0, 1 << 20},
                   {'j', "jobs", 1, 256}};
    uint64_t number = 0;
    size_t i = 0;
    while (numbers[i].option != option) {
        i++;
    }
    if (!assay_number_option(&assay_command_certify, numbers[i].name, value, numbers[i].least,
                             numbers[i].most, &number)) {
        return ASSAY_EXIT_USAGE;
    }
    switch (option) {
    case 't':
        given->seconds = number;
        break;
    case 'w':
        given->room = number << 20;
        break;
    case 'f':
        given->passphrase_fd = (int)number;
        break;
    default:
        given->jobs = number;
    }
    return 0;
}

static int take(struct line *line, int option, const char *value)
{
    struct assay_certify_given *given = &line->given;
    int status = assay_given_note(&line->noted, &assay_command_certify, "oPritwsfnvkVFpdjCaNbeTL",
                                  option, value);
    if (status != 0 || assay_certify_challenge_take(&line->challenge, option, value, &status)) {
        return status;
    }
    switch (option) {
    case 'o':
        given->output = value;
        return 0;
    case 'P':
        given->profile = value;
        return 0;
    case 'R':
        return take_rules(given, value);
    case 'c':
        given->run_commands = true;
        return 0;
    case 'r':
        given->reference = value;
        return 0;
    case 'i':
        return take_isolation(given, value);
    case 's':
        given->sign = value;
        return 0;
    case 'n':
        line->new_key = value;
        return 0;
    case 'v':
        line->verify = value;
        return 0;
    case 'k':
        given->key = value;
        return 0;
    case 'V':
        given->level = value;
        return 0;
    case 'F':
        given->features = value;
        return 0;
    case 'p':
        given->producer = value;
        return 0;
    case 'm':
        given->allow_modified = true;
        return 0;
    case 'd':
        given->traces = value;
        return 0;
    case 'l':
        line->list = true;
        return 0;
    case 'x':
        line->table = true;
        return 0;
    case 'J':
        line->json = true;
        return 0;
    default:
        return take_number(given, option, value);
    }
}

static int check_reference(const struct assay_certify_given *given, bool submits)
{
    if (given->reference != NULL && !submits && given->traces == NULL) {
        return assay_usage_error(&assay_command_certify,
                                 "--reference is for a SUBMISSION, or --traces");
    }
    if (given->reference != NULL && strstr(given->reference, "{}") == NULL) {
        return assay_usage_error(&assay_command_certify,
                                 "--reference has no {}, where the program would stand");
    }
    return 0;
}

/* Options of a command that are for another form of it. */
static int check_forms(const struct line *line, bool submits, bool challenges)
{
    const struct assay_command *self = &assay_command_certify;
    const struct assay_certify_given *given = &line->given;
    const bool verifies = line->verify != NULL;
    if ((given->output != NULL && !submits && !challenges && !line->table) ||
        (!submits && (given->sign != NULL || given->run_commands))) {
        return assay_usage_error(self, "--output, --run-commands and --sign are for a SUBMISSION");
    }
    if (!verifies && (given->traces != NULL || given->level != NULL || given->features != NULL ||
                      given->producer != NULL ||
                      (!line->table && (given->key != NULL || given->allow_modified)))) {
        return assay_usage_error(self, "--key, --traces, --level, --features, --producer and "
                                       "--allow-modified are for --verify; of these --key and "
                                       "--allow-modified are for --table, too");
    }
    if (!verifies && !submits && given->profile != NULL) {
        return assay_usage_error(self, "--profile is for a SUBMISSION or --verify");
    }
    return line->json && !line->table ? assay_usage_error(self, "--json is for --table") : 0;
}

/* Whether options and operands go together. */
static int check_line(const struct line *line, int operands)
{
    const struct assay_command *self = &assay_command_certify;
    const bool challenges = line->challenge.seed != NULL;
    const int others =
        (line->verify != NULL) + (line->new_key != NULL) + line->list + line->table + challenges;
    const bool submits = others == 0;
    if (others > 1) {
        return assay_usage_error(self, "--verify, --new-key, --challenge, --table and --list are "
                                       "not given together");
    }
    if (line->table ? operands == 0 : operands != submits) {
        return assay_usage_error(self, line->table ? "the folder of a certificate is wanted, or "
                                                     "one with such folders"
                                       : submits   ? "one SUBMISSION is wanted"
                                                   : "a SUBMISSION is not used here");
    }
    if ((submits || challenges) && line->given.output == NULL) {
        return assay_usage_error(self, "-o DIR, the folder of the %s, is wanted",
                                 submits ? "certificate" : "challenge");
    }
    int status = check_forms(line, submits, challenges);
    status = status != 0 ? status : check_reference(&line->given, submits);
    return status != 0 ? status : assay_certify_challenge_check(&line->challenge);
}

static int run(int argc, char **argv)
{
    struct line line = {
        .given = {.passphrase_fd = -1, .seconds = 60, .room = (uint64_t)1024 << 20, .jobs = 1},
        .challenge = {.command = &assay_command_certify}};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option; (option = assay_next_option(&assay_command_certify, argc, argv, &index, &value,
                                                 &status)) >= 0;) {
        if (option == 0 || (status = take(&line, option, value)) != 0) {
            return status;
        }
    }
    status = check_line(&line, argc - index);
    if (status != 0) {
        return status;
    }
    return line.list ? assay_certify_list_profiles()
           : line.table
               ? assay_certify_table(&line.given, argv + index, (size_t)(argc - index), line.json)
           : line.challenge.seed != NULL
               ? assay_certify_challenge_write(&line.challenge, line.given.output)
           : line.new_key != NULL ? assay_certify_new_key(&line.given, line.new_key)
           : line.verify != NULL  ? assay_certify_verify(&line.given, line.verify)
                                  : assay_certify_submission(&line.given, argv[index]);
}

const struct assay_command assay_command_certify = {
    .name = "certify",
    .usage = "[options] SUBMISSION -o DIR | --verify DIR [options] | --table DIR... |\n"
             "       --challenge SEED -o DIR",
    .summary = "certify a producer of traces, or verify a certificate",
    .details =
        "SUBMISSION is a YAML file: who made the traces, what is claimed of them, the traces with\n"
        "their programs and recorded executions (docs/certification.md). They are judged by a\n"
        "certification profile, and DIR becomes the certificate: certificate.json (an in-toto\n"
        "statement), report.html, report.json, inputs.json, SUMMARY.txt, badge.svg, SHA256SUMS,\n"
        "the submission and the profile; with --sign also certificate.dsse.json. The same\n"
        "submission gives the same bytes.\n\n"
        "--verify compares each file of DIR with the others and with what is demanded. It calls a\n"
        "certificate verified only if a --key signed it, or its --traces, judged again, give "
        "it.\n\n"
        "--table verifies each certificate as --verify does, and lists apart what does not "
        "verify.\n\n"
        "With --challenge DIR becomes programs that nobody saw before, which run, each with what\n"
        "it will execute, and challenge.yaml. A trace of one is handed in with that execution,\n"
        "and certify makes both again from the seed.\n\n"
        "Exit status: 0 certified; 1 not certified, or it does not verify; 2 wrong usage; 3 the\n"
        "submission, or a file of it, cannot be read or is not the one handed in; 4 incomplete:\n"
        "part of a trace could not be judged; 5 the files of DIR are consistent and say "
        "certified,\n"
        "and neither --key nor --traces tells who wrote them. Of --table: 0 all verify, whatever\n"
        "their verdicts; 1 one does not; 3 a folder cannot be read or has no certificate; 5 as\n"
        "with --verify, all are consistent and no --key was given.\n",
    .options = options,
    .run = run,
};
