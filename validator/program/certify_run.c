#include "validator/program/certify_run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/path.h"
#include "model/describe.h"
#include "validator/certify/folder.h"
#include "validator/certify/key.h"
#include "validator/certify/verify.h"
#include "validator/program/certify_commands.h"
#include "validator/program/certify_repeat.h"
#include "validator/program/new_folder.h"
#include "validator/program/passphrase.h"
#include "validator/program/selection.h"

/* Whatever is wrong with what is handed in, it cannot be read. */
static int exit_of_submission(enum assay_error error)
{
    const int status = assay_exit_of(error);
    return status == ASSAY_EXIT_USAGE && error != ASSAY_NOT_WRITABLE ? ASSAY_EXIT_UNREADABLE
                                                                     : status;
}

static int say(enum assay_error error, struct assay_diag *diag, int status)
{
    if (diag->message[0] == '\0') {
        assay_fail(diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
    }
    assay_say(diag);
    return status;
}

static int exit_of_verdict(enum assay_certify_verdict verdict)
{
    static const int statuses[] = {ASSAY_EXIT_CONFORMS, ASSAY_EXIT_VIOLATES, ASSAY_EXIT_INCOMPLETE};
    return statuses[verdict];
}

/* --- keys --- */

static int load_secret_key(const struct assay_certify_given *given, struct assay_secret_key *key)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    char passphrase[ASSAY_PASSPHRASE_MAX + 1];
    enum assay_error error = assay_passphrase_read(
        given->passphrase_fd, "passphrase of the key: ", false, passphrase, &diag);
    error = error ? error : assay_secret_key_load(given->sign, passphrase, key, &diag);
    assay_passphrase_wipe(passphrase);
    return error != ASSAY_OK ? say(error, &diag, assay_exit_of_given(error)) : 0;
}

int assay_certify_new_key(const struct assay_certify_given *given, const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    char passphrase[ASSAY_PASSPHRASE_MAX + 1];
    char id[ASSAY_KEY_ID_TEXT];
    enum assay_error error = assay_passphrase_read(
        given->passphrase_fd, "passphrase for the new key: ", true, passphrase, &diag);
    error = error ? error : assay_key_make(path, passphrase, &assay_key_cost, id, &diag);
    assay_passphrase_wipe(passphrase);
    if (error != ASSAY_OK) {
        return say(error, &diag, assay_exit_of_given(error));
    }
    printf("%s\n", id);
    return fflush(stdout) == 0 ? 0 : ASSAY_EXIT_AGAIN;
}

/* --- a certification --- */

struct work {
    const struct assay_certify_given *given;
    struct assay_submission submission;
    struct assay_certify_profile profile;
    struct assay_certification certification;
    struct assay_secret_key key;
    bool has_key;
    struct assay_certify_repeating repeating;
};

static void close_work(struct work *w)
{
    assay_certification_close(&w->certification);
    assay_certify_profile_free(&w->profile);
    assay_submission_free(&w->submission);
    assay_secret_key_wipe(&w->key);
}

/* A profile is given by the user, or is part of the certificate that is verified. */
static int exit_of_profile(const struct work *w, enum assay_error error)
{
    return w->given->traces != NULL ? exit_of_submission(error) : assay_exit_of_given(error);
}

/* The profile that the submission names, or the file, which then has to be of that name. */
static int load_profile(struct work *w, const char *file)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const struct assay_submission *s = &w->submission;
    enum assay_error error = file != NULL
                                 ? assay_certify_profile_load(file, &w->profile, &diag)
                                 : assay_certify_profile_named(s->profile, &w->profile, &diag);
    if (error != ASSAY_OK && file == NULL) {
        struct assay_diag placed = {.offset = ASSAY_NO_OFFSET};
        assay_yaml_fail(s->profile_node, &placed, error, "%s", diag.message);
        assay_diag_hint(&placed, "%s", diag.hint);
        return say(error, &placed, exit_of_submission(error));
    }
    if (error != ASSAY_OK) {
        return say(error, &diag, exit_of_profile(w, error));
    }
    if (strcmp(w->profile.name, s->profile) != 0) {
        error = assay_yaml_fail(s->profile_node, &diag, ASSAY_CONTRADICTION,
                                "the profile %.100s is claimed, and the one given is %.100s",
                                s->profile, w->profile.name);
        return say(error, &diag, exit_of_submission(error));
    }
    w->certification.profile = &w->profile;
    error = assay_certify_check_profile(&w->certification, &diag);
    return error != ASSAY_OK ? say(error, &diag, exit_of_profile(w, error)) : 0;
}

static int find_level(struct work *w)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const struct assay_submission *s = &w->submission;
    struct assay_near near = assay_near_begin(s->level);
    w->certification.level = assay_certify_level_named(&w->profile, s->level);
    if (w->certification.level != NULL) {
        return 0;
    }
    for (size_t i = 0; i < w->profile.level_count; i++) {
        assay_near_try(&near, w->profile.levels[i].name);
    }
    assay_yaml_fail(s->level_node, &diag, ASSAY_UNKNOWN_NAME,
                    "the profile %.100s has no level %.100s", s->profile, s->level);
    if (near.best != NULL) {
        assay_diag_hint(&diag, "did you mean %s?", near.best);
    }
    return say(ASSAY_UNKNOWN_NAME, &diag, ASSAY_EXIT_UNREADABLE);
}

/* Reads the submission, its profile and the rules; all before the folder is changed. */
static int prepare(struct work *w, const char *submission, const char *profile)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_certification *c = &w->certification;
    c->submission = &w->submission;
    c->rule_files = w->given->rules;
    c->rule_file_count = w->given->rule_count;
    c->jobs = (unsigned)w->given->jobs;
    const enum assay_error error = assay_submission_load(submission, &w->submission, &diag);
    if (error != ASSAY_OK) {
        return say(error, &diag, exit_of_submission(error));
    }
    int status = assay_selection_open(&c->selection, w->given->rules, w->given->rule_count);
    status = status != 0 ? status : load_profile(w, profile);
    return status != 0 ? status : find_level(w);
}

/* Goes to a folder, or to that of a file. */
static int go_to(const char *path, bool is_file)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (!is_file) {
        snprintf(folder, sizeof folder, "%s", path);
    } else if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
    if (chdir(folder) == 0) {
        return 0;
    }
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error =
        assay_fail(&diag, errno == ENOENT ? ASSAY_NOT_FOUND : ASSAY_NOT_READABLE, ASSAY_NO_OFFSET,
                   "%s", strerror(errno));
    assay_diag_path(&diag, folder);
    return say(error, &diag, ASSAY_EXIT_UNREADABLE);
}

/* A path as it is from any folder. */
static bool make_absolute(const char *path, char whole[PATH_MAX])
{
    char here[PATH_MAX];
    if (path[0] == '/') {
        return snprintf(whole, PATH_MAX, "%s", path) < PATH_MAX;
    }
    return getcwd(here, sizeof here) != NULL &&
           snprintf(whole, PATH_MAX, "%s/%s", here, path) < PATH_MAX;
}

/* Judges and writes all files; the current folder is that of the submission. */
static enum assay_error certify_to(struct work *w, struct assay_new_folder *new,
                                   struct assay_diag *diag)
{
    w->certification.stop = &new->stop;
    enum assay_error error = ASSAY_OK;
    if (w->given->reference != NULL) {
        error = assay_certify_repeat_begin(&w->repeating, w->given, &new->stop, diag);
        w->certification.repeat = &w->repeating.repeat;
    }
    error = error ? error : assay_certify(&w->certification, diag);
    error = error ? error
                  : assay_certify_write(&w->certification, w->has_key ? &w->key : NULL, new->root,
                                        diag);
    return error ? error : assay_new_folder_check(new, diag);
}

/* The summary, as it stands in the folder. */
static int print_summary(const char *folder, int status)
{
    char path[PATH_MAX + 16];
    char *text = NULL;
    size_t size = 0;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    snprintf(path, sizeof path, "%s/SUMMARY.txt", folder);
    const enum assay_error error = assay_text_load(path, &text, &size, &diag);
    if (error != ASSAY_OK) {
        return say(error, &diag, assay_exit_of(error));
    }
    if (assay_sink_open(&sink, "-", &diag) != ASSAY_OK) {
        free(text);
        return say(diag.error, &diag, ASSAY_EXIT_AGAIN);
    }
    assay_sink_write(&sink, text, size);
    free(text);
    return assay_finish_output(&sink, status);
}

static int certify(struct work *w, const char *output)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_new_folder new;
    enum assay_error error = assay_new_folder_begin(&new, output, "the certificate is", &diag);
    if (error != ASSAY_OK) {
        return say(error, &diag, assay_exit_of(error));
    }
    if (w->given->run_commands &&
        (error = assay_certify_check_output(new.root, &diag)) != ASSAY_OK) {
        error = assay_new_folder_end(&new, error, &diag);
        return say(error, &diag, assay_exit_of(error));
    }
    if (w->given->run_commands) {
        error = assay_certify_commands(&w->submission, w->given, &new.stop, &diag);
        w->certification.made = true;
    }
    error = error ? error : certify_to(w, &new, &diag);
    error = assay_new_folder_end(&new, error, &diag);
    return error != ASSAY_OK ? say(error, &diag, exit_of_submission(error))
                             : print_summary(new.place, exit_of_verdict(w->certification.verdict));
}

int assay_certify_submission(const struct assay_certify_given *given, const char *submission)
{
    struct work w = {.given = given};
    char output[PATH_MAX];
    int status = 0;
    if (!make_absolute(given->output, output)) {
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        return say(ASSAY_LIMIT, &diag, ASSAY_EXIT_USAGE);
    }
    status = prepare(&w, submission, given->profile);
    if (status == 0 && given->sign != NULL) {
        status = load_secret_key(given, &w.key);
        w.has_key = true;
    }
    status = status != 0 ? status : go_to(submission, true);
    status = status != 0 ? status : certify(&w, output);
    close_work(&w);
    return status;
}

/* --- verification --- */

/* Whether this program judges by the rules that the certificate was made by. */
static int check_tool(const struct work *w, const struct assay_certificate *certificate)
{
    size_t known = 0;
    for (size_t i = 0; i < certificate->catalogue_count; i++) {
        const struct assay_selection *s = &w->certification.selection;
        size_t n = 0;
        while (n < s->count && strcmp(s->catalogues[n]->digest + strlen("sha256:"),
                                      certificate->catalogues[i]) != 0) {
            n++;
        }
        known += n < s->count;
    }
    if (known == certificate->catalogue_count && strcmp(certificate->tool, ASSAY_VERSION) == 0) {
        return 0;
    }
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_fail(&diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
               "the certificate was made by assay %.40s with other rules than those of this "
               "program, %s, which cannot judge the traces in the same way",
               certificate->tool, ASSAY_VERSION);
    assay_diag_hint(&diag, "without --traces its digests and signature are verified; more rules "
                           "that it was made with are given by --rules");
    return say(ASSAY_UNSUPPORTED, &diag, ASSAY_EXIT_VIOLATES);
}

static int exit_of_verification(enum assay_error error)
{
    const int status = assay_exit_of(error);
    return error == ASSAY_CONTRADICTION || error == ASSAY_OUT_OF_RANGE ? ASSAY_EXIT_VIOLATES
           : status == ASSAY_EXIT_USAGE                                ? ASSAY_EXIT_UNREADABLE
                                                                       : status;
}

/* Judges the traces again, into a folder that is removed afterwards. */
static int judge_again(struct work *w, const char *folder)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_new_folder new;
    char place[PATH_MAX];
    char whole[PATH_MAX + 16];
    const char *temporary = assay_temporary_folder();
    if (snprintf(place, sizeof place, "%s/assay-verify-XXXXXX", temporary) >= PATH_MAX ||
        mkdtemp(place) == NULL) {
        assay_fail(&diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "no folder can be made there: %s",
                   strerror(errno));
        assay_diag_path(&diag, temporary);
        assay_diag_hint(&diag, "TMPDIR names the folder");
        return say(ASSAY_NOT_WRITABLE, &diag, ASSAY_EXIT_AGAIN);
    }
    snprintf(whole, sizeof whole, "%s/again", place);
    enum assay_error error = assay_new_folder_begin(&new, whole, "the certificate is", &diag);
    int status = 0;
    if (error == ASSAY_OK) {
        error = certify_to(w, &new, &diag);
        status = exit_of_submission(error);
        if (error == ASSAY_OK) {
            error = assay_certificate_compare(folder, new.root, &diag);
            status = exit_of_verification(error);
        }
        assay_new_folder_discard(&new);
    } else {
        status = ASSAY_EXIT_AGAIN;
    }
    (void)rmdir(place);
    return error != ASSAY_OK ? say(error, &diag, status) : 0;
}

static int verify_traces(const struct assay_certify_given *given, const char *folder,
                         const struct assay_certificate *certificate)
{
    struct work w = {.given = given};
    char whole[PATH_MAX];
    char submission[PATH_MAX];
    char profile[PATH_MAX];
    if (!make_absolute(folder, whole) ||
        snprintf(submission, sizeof submission, "%s/submission.yaml", whole) >= PATH_MAX ||
        snprintf(profile, sizeof profile, "%s/profile.yaml", whole) >= PATH_MAX) {
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        return say(ASSAY_LIMIT, &diag, ASSAY_EXIT_USAGE);
    }
    int status = prepare(&w, submission, profile);
    w.certification.made = certificate->made;
    status = status != 0 ? status : check_tool(&w, certificate);
    status = status != 0 ? status : go_to(given->traces, false);
    status = status != 0 ? status : judge_again(&w, whole);
    close_work(&w);
    return status;
}

/* A line with what a certificate says itself, which may be anything. */
static void print_line(const char *name, const char *before, const char *text, const char *after)
{
    char shown[4 * sizeof((struct assay_certificate *)0)->challenges];
    assay_escape((const uint8_t *)text, strlen(text), shown, sizeof shown);
    printf("  %-10s %s%s%s\n", name, before, shown, after);
}

/* Files that agree with each other can be anybody's. */
static bool is_verified(const struct assay_certify_given *given)
{
    return given->key != NULL || given->traces != NULL;
}

static void print_verified(const struct assay_certify_given *given,
                           const struct assay_certificate *certificate)
{
    printf("%s: %s\n", is_verified(given) ? "verified" : "consistent, not verified",
           assay_certify_verdict_name(certificate->verdict));
    print_line("producer", "", certificate->producer, "");
    print_line("profile", "", certificate->profile,
               certificate->own_profile ? " (a modified profile)" : "");
    if (certificate->challenges[0] != '\0') {
        print_line("challenge", "", certificate->challenges, "");
    }
    if (certificate->own_recordings > 0) {
        printf("  recordings the producer's own, of %zu of %zu traces\n",
               certificate->own_recordings, certificate->traces);
    }
    print_line("judged by", "assay ", certificate->tool,
               certificate->own_rules  ? ", with other rules or readings than its own"
               : certificate->released ? ""
                                       : ", a build of no release");
    if (certificate->valid_until[0] != '\0') {
        print_line("valid", "until ", certificate->valid_until, ", when a waiver expires");
    }
    printf("  files      by their digests, and each by the others\n");
    print_line("signature",
               !certificate->is_signed         ? "none"
               : given->key != NULL            ? "by the key "
               : certificate->keyid[0] == '\0' ? "not verified (--key): it names no key"
                                               : "not verified (--key): it names the key ",
               certificate->keyid, "");
    printf("  traces     %s\n", given->traces != NULL ? "judged again, with the same certificate"
                                                      : "not judged again (--traces)");
    if (certificate->made) {
        printf("  commands   were run for it, by its own word: judging again cannot show that\n");
    }
    if (!is_verified(given)) {
        printf("Anybody can have written it: give --key, or --traces.\n");
    }
}

int assay_certify_verify(const struct assay_certify_given *given, const char *folder)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_public_key key;
    struct assay_certificate certificate;
    char today[16];
    struct tm utc;
    const time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &utc));
    enum assay_error error =
        given->key != NULL ? assay_public_key_load(given->key, &key, &diag) : ASSAY_OK;
    if (error != ASSAY_OK) {
        return say(error, &diag, assay_exit_of_given(error));
    }
    const struct assay_certificate_demanded demanded = {.profile = given->profile,
                                                        .level = given->level,
                                                        .features = given->features,
                                                        .producer = given->producer,
                                                        .modified = given->allow_modified,
                                                        .key = given->key != NULL ? &key : NULL,
                                                        .today = today};
    error = assay_certificate_verify(folder, &demanded, &certificate, &diag);
    if (error != ASSAY_OK) {
        return say(error, &diag, exit_of_verification(error));
    }
    if (given->traces != NULL && certificate.repeats != (given->reference != NULL)) {
        assay_fail(
            &diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "%s",
            certificate.repeats
                ? "the certificate was made with --reference: give the command that executes "
                  "programs again"
                : "the certificate was made without --reference: leave it out");
        return say(ASSAY_USAGE, &diag, ASSAY_EXIT_USAGE);
    }
    const int status = given->traces != NULL ? verify_traces(given, folder, &certificate) : 0;
    if (status != 0) {
        return status;
    }
    print_verified(given, &certificate);
    if (fflush(stdout) != 0) {
        return ASSAY_EXIT_AGAIN;
    }
    return is_verified(given) || certificate.verdict != ASSAY_CERTIFIED
               ? exit_of_verdict(certificate.verdict)
               : ASSAY_EXIT_CONSISTENT;
}

/* --- the profiles --- */

/* What has to be handed in besides traces of the format. */
static void print_due(const struct assay_certify_level *level)
{
    if (level->workloads.count > 0) {
        printf("  %-26s due: traces of", "");
        for (size_t i = 0; i < level->workloads.count; i++) {
            printf("%s %s", i > 0 ? "," : "", level->workloads.list[i]->text);
        }
        printf("\n");
    }
    if (level->challenges > 0) {
        printf("  %-26s due: traces of %" PRIu64 " challenges\n", "", level->challenges);
    }
    for (size_t i = 0; i < level->sentences.count; i++) {
        const struct assay_certify_sentence *sentence = &level->sentences.list[i];
        if (sentence->executions) {
            printf("  %-26s due: %u.%03u %% of a recorded execution in each trace\n", "",
                   sentence->covered / 1000, sentence->covered % 1000);
        }
    }
}

static void print_sentences(const struct assay_certify_level *level)
{
    for (size_t i = 0; i < level->sentences.count; i++) {
        printf("  %-5s %-20s %s\n", i == 0 ? "level" : "", i == 0 ? level->name : "",
               level->sentences.list[i].says);
    }
}

static void print_profile(const struct assay_certify_profile *p)
{
    printf("%s: %s (%s)\n", p->name, p->title, p->format->name);
    for (size_t i = 0; i < p->level_count; i++) {
        print_sentences(&p->levels[i]);
        print_due(&p->levels[i]);
    }
    for (size_t i = 0; i < p->feature_count; i++) {
        printf("  feature %-18s %s\n", p->features[i].name, p->features[i].sentence.says);
    }
}

int assay_certify_list_profiles(void)
{
    for (size_t i = 0; i < assay_certify_profiles_count; i++) {
        const struct assay_corpus_text *text = &assay_certify_profiles[i];
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        struct assay_certify_profile profile;
        const enum assay_error error =
            assay_certify_profile_parse(text->name, text->text, text->size, &profile, &diag);
        if (error == ASSAY_OK) {
            print_profile(&profile);
        }
        assay_certify_profile_free(&profile);
        if (error != ASSAY_OK) {
            return say(error, &diag, assay_exit_of(error));
        }
    }
    return fflush(stdout) == 0 ? 0 : ASSAY_EXIT_AGAIN;
}
