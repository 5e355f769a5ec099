/* The exported corpus: the index lists every vector and every file, the traces are those of the
 * vectors, and what is said of them is what a user finds who judges and dumps the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tests/folder.h"
#include "common/tests/turn.h"
#include "execution/execution.h"
#include "validator/tests/vector_runner.h"

enum { PATH = 512, MOST_CATALOGUES = 16 };

/* Of the dumps of vectors one in so many is compared. */
#ifdef ASSAY_SANITIZED
enum { DUMPED = 16, SANITIZED = 1 };
#else
enum { DUMPED = 4, SANITIZED = 0 };
#endif

static struct ready_corpus corpus;
static char folder[64];  /* what is exported: some 70,000 files */
static json_t *exported; /* the list of the index */
static json_t *by_name;  /* its members, as "FORMAT/NAME" */

/* --- what was exported --- */

static json_t *load_json(const char *path)
{
    char whole[PATH];
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    json_t *value = json_load_file(whole, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    return value;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static int close_corpus(void **state)
{
    char command[PATH];
    (void)state;
    free_corpus(&corpus);
    json_decref(exported);
    json_decref(by_name);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The format whose turn it is (common/tests/turn.h): with sanitizers all would take ten minutes.
 * Null: all formats. */
static const char *format_in_turn(void)
{
    const char *turn = getenv("ASSAY_TURN");
    size_t count = 0;
    while (assay_formats[count] != NULL) {
        count++;
    }
    return turn != NULL && SANITIZED ? assay_formats[strtoull(turn, NULL, 10) % count]->name : NULL;
}

static int open_corpus(void **state)
{
    char command[PATH];
    const char *format = format_in_turn();
    (void)state;
    corpus = load_corpus_of(ASSAY_CORPUS, format);
    assert_true(make_test_folder(folder, sizeof folder));
    snprintf(command, sizeof command, "%s corpus export %s%s %s", getenv("ASSAY"),
             format != NULL ? "--format " : "", format != NULL ? format : "", folder);
    assert_int_equal(system(command), 0);
    json_t *index = load_json("index.json");
    assert_string_equal(text_of(index, "schema"), "assay-corpus/1");
    exported = json_incref(json_object_get(index, "vectors"));
    json_decref(index);
    by_name = json_object();
    for (size_t i = 0; i < json_array_size(exported); i++) {
        json_t *entry = json_array_get(exported, i);
        char key[PATH];
        snprintf(key, sizeof key, "%s/%s", text_of(entry, "format"), text_of(entry, "name"));
        assert_null(json_object_get(by_name, key));
        json_object_set(by_name, key, entry);
    }
    return corpus.count > 0 && json_array_size(exported) > 0 ? 0 : -1;
}

/* What the index says of a vector; null when nothing. */
static const json_t *entry_of(const struct ready_vector *vector)
{
    char key[PATH];
    snprintf(key, sizeof key, "%s/%.*s", vector->vector.format->name,
             (int)(strlen(vector->name) - strlen(".yaml")), vector->name);
    return json_object_get(by_name, key);
}

static bool is_generated(const json_t *entry)
{
    return strcmp(text_of(entry, "shows"), "generated") == 0;
}

static bool is_translated(const json_t *entry)
{
    return json_object_get(entry, "translated_from") != NULL;
}

/* The entry of a vector as another profile; null when there is none. */
static const json_t *translation_of(const struct ready_vector *vector)
{
    const struct assay_format *format = vector->vector.format;
    char key[PATH];
    if (format->translator == NULL) {
        return NULL;
    }
    snprintf(key, sizeof key, "%s/%.*s.%s", format->name,
             (int)(strlen(vector->name) - strlen(".yaml")), vector->name,
             format->profiles[format->translator->profile].name);
    return json_object_get(by_name, key);
}

/* The path of the file of a vector that is of this sort; the first one. */
static const char *file_of(const json_t *entry, const char *what)
{
    const json_t *files = json_object_get(entry, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        if (strcmp(text_of(json_array_get(files, i), "what"), what) == 0) {
            return text_of(json_array_get(files, i), "path");
        }
    }
    fail_msg("%s: no %s", text_of(entry, "name"), what);
    return NULL;
}

/* The next vector of the corpus, which is not a stream of another one. */
static const struct ready_vector *next_vector(size_t *at)
{
    while (*at < corpus.count && corpus.list[*at].carried) {
        (*at)++;
    }
    return *at < corpus.count ? &corpus.list[(*at)++] : NULL;
}

/* --- the files --- */

static void each_vector_is_exported_with_its_own_bytes(void **state)
{
    (void)state;
    const struct ready_vector *vector;
    size_t count = 0;
    for (size_t at = 0; (vector = next_vector(&at)) != NULL; count++) {
        struct assay_digest digest;
        char text[ASSAY_DIGEST_TEXT];
        const json_t *entry = entry_of(vector);
        assert_non_null(entry);
        assay_digest_begin(&digest);
        assay_digest_add(&digest, vector->bytes.data, vector->bytes.size);
        assay_digest_end(&digest, text);
        const json_t *trace = json_array_get(json_object_get(entry, "files"), 0);
        assert_string_equal(text_of(trace, "what"), "trace");
        assert_string_equal(text_of(trace, "sha256"), text + strlen("sha256:"));
    }
    for (size_t i = 0; i < json_array_size(exported); i++) {
        const json_t *entry = json_array_get(exported, i);
        count += is_generated(entry) || is_translated(entry);
    }
    assert_int_equal(count, json_array_size(exported));
}

/* As sha256sum computes it. */
static void the_index_has_the_digest_of_each_file(void **state)
{
    (void)state;
    size_t count = 0;
    char command[PATH + 64];
    snprintf(command, sizeof command, "cd %s && sha256sum --check --strict --quiet", folder);
    FILE *sums = popen(command, "w");
    assert_non_null(sums);
    for (size_t i = 0; i < json_array_size(exported); i++) {
        const json_t *files = json_object_get(json_array_get(exported, i), "files");
        for (size_t k = 0; k < json_array_size(files); k++, count++) {
            const json_t *file = json_array_get(files, k);
            fprintf(sums, "%s  %s\n", text_of(file, "sha256"), text_of(file, "path"));
        }
    }
    assert_int_equal(pclose(sums), 0);
    /* Besides them there are the index and the text for readers. */
    char number[32] = "";
    snprintf(command, sizeof command, "find %s -type f | wc -l", folder);
    FILE *found = popen(command, "r");
    assert_non_null(found);
    assert_non_null(fgets(number, sizeof number, found));
    pclose(found);
    assert_int_equal(strtoul(number, NULL, 10), count + 2);
}

/* --- the verdicts --- */

static bool names(const struct assay_yaml *list, const char *id)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (assay_yaml_is(list->items[i], id)) {
            return true;
        }
    }
    return false;
}

static bool checks_one_of(const struct assay_rule *rule, const struct assay_yaml *clauses)
{
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        if (names(clauses, rule->clauses[i])) {
            return true;
        }
    }
    return false;
}

/* Whether what was found of a stream is what its vector states. */
static bool as_stated(const struct assay_vector *vector, const struct assay_results *results,
                      const struct assay_stream_result *stream)
{
    const enum assay_expectation what = vector->expectation;
    bool violated = false;
    bool good = true;
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule *rule = results->rules[r].rule;
        const uint8_t verdict = stream->verdicts[r];
        const bool failed = verdict == ASSAY_FAIL || verdict == ASSAY_RECOGNISED;
        const bool named = (what == ASSAY_EXPECT_FAILS || what == ASSAY_EXPECT_PASSES) &&
                           verdict != ASSAY_VERDICT_COUNT && names(vector->expected, rule->id);
        if (what == ASSAY_EXPECT_FAILS) {
            good = good && (failed == named || (rule->diagnosis && !named));
        } else if (what == ASSAY_EXPECT_PASSES) {
            good = good && !failed && (!named || verdict == ASSAY_PASS);
        } else if (what == ASSAY_EXPECT_CONFORMS) {
            good = good && !(failed && rule->level == ASSAY_MUST);
        } else if (what == ASSAY_EXPECT_VIOLATES) {
            violated = violated || (failed && rule->level == ASSAY_MUST &&
                                    checks_one_of(rule, vector->expected));
        }
        good = good && !(names(vector->silent, rule->id) && (failed || verdict == ASSAY_PASS));
    }
    return what == ASSAY_EXPECT_VIOLATES ? violated && good : good;
}

/* Whether the file of the verdict says what was found. */
static void compare_verdict(const json_t *verdict, const struct assay_results *results)
{
    const struct assay_input_result *input = &results->inputs[0];
    const json_t *rules = json_object_get(verdict, "rules");
    const json_t *findings = json_object_get(verdict, "findings");
    size_t rule = 0, finding = 0;
    assert_string_equal(text_of(verdict, "schema"), "assay-verdict/1");
    assert_string_equal(text_of(verdict, "verdict"), assay_conclusion_name(input->conclusion));
    assert_int_equal(json_is_true(json_object_get(verdict, "complete")), input->complete);
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        if (total->verdict == ASSAY_PASS || total->verdict == ASSAY_FAIL ||
            total->verdict == ASSAY_RECOGNISED) {
            const json_t *one = json_array_get(rules, rule++);
            assert_string_equal(text_of(one, "rule"), total->rule->id);
            assert_string_equal(text_of(one, "verdict"), assay_verdict_name(total->verdict));
            assert_int_equal(json_integer_value(json_object_get(one, "violated")), total->violated);
        }
        for (size_t i = 0; i < total->finding_count; i++) {
            const json_t *one = json_array_get(findings, finding++);
            assert_string_equal(text_of(one, "rule"), total->rule->id);
            assert_int_equal(json_integer_value(json_object_get(one, "event")),
                             total->findings[i].finding->index);
            assert_int_equal(json_integer_value(json_object_get(one, "at")),
                             total->findings[i].finding->offset);
        }
    }
    assert_int_equal(rule, json_array_size(rules));
    assert_int_equal(finding, json_array_size(findings));
}

static const struct ready_vector *stream_of(const struct ready_vector *vector,
                                            const struct assay_stream_result *stream)
{
    return stream->has_id ? carried_stream(&corpus, vector, stream->id) : vector;
}

/* Judges the manifest of a vector as a user would, and returns how many of its streams are not as
 * stated. */
static unsigned judge(const struct ready_vector *vector, const json_t *entry)
{
    char manifest[PATH];
    const uint16_t *readings[MOST_CATALOGUES] = {NULL};
    const struct assay_input input = {
        .path = manifest, .setup = {.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE}};
    struct assay_check_options options = {.catalogues = assay_catalogues,
                                          .readings = readings,
                                          .max_findings = 1000,
                                          .fail_on = ASSAY_MUST,
                                          .jobs = 2};
    struct assay_check *check = NULL;
    unsigned bad = 0;
    snprintf(manifest, sizeof manifest, "%s/%s", folder, file_of(entry, "manifest"));
    for (size_t c = 0; assay_catalogues[c] != NULL; c++, options.catalogue_count++) {
        readings[c] =
            assay_catalogues[c]->format == vector->vector.format ? vector->readings : NULL;
    }
    assert_int_equal(assay_check_open(&options, &check, NULL), ASSAY_OK);
    assert_int_equal(assay_check_inputs(check, &input, 1, NULL), ASSAY_OK);
    const struct assay_results *results = assay_check_results(check);
    for (size_t i = 0; i < results->inputs[0].stream_count; i++) {
        const struct assay_stream_result *stream = &results->inputs[0].streams[i];
        const struct ready_vector *stated = stream_of(vector, stream);
        if (stream->verdicts != NULL && stated != NULL &&
            !as_stated(&stated->vector, results, stream)) {
            print_error("%s: is not as stated\n", stated->name);
            bad++;
        }
    }
    json_t *verdict = load_json(file_of(entry, "verdict"));
    compare_verdict(verdict, results);
    json_decref(verdict);
    assay_check_close(check);
    return bad;
}

/* Vectors take turns: each is judged in process with all others by the test vectors, too. */
static void judged_again_a_file_has_the_verdict_that_is_stated_and_exported(void **state)
{
    (void)state;
    const struct ready_vector *vector;
    unsigned bad = 0;
    for (size_t at = 0; (vector = next_vector(&at)) != NULL;) {
        bad += is_in_turn(at) ? judge(vector, entry_of(vector)) : 0;
    }
    assert_int_equal(bad, 0);
}

/* The trace is read as the other profile, which is not that of the vector. */
static unsigned judge_translation(const struct ready_vector *vector, const json_t *entry)
{
    const struct assay_format *format = vector->vector.format;
    const char *profile = format->profiles[format->translator->profile].name;
    json_t *verdict = load_json(file_of(entry, "verdict"));
    const json_t *stream = json_array_get(json_object_get(verdict, "streams"), 0);
    assert_string_equal(text_of(entry, "profile"), profile);
    assert_string_equal(text_of(stream, "profile"), profile);
    assert_string_not_equal(text_of(entry, "translated_from"), profile);
    assert_string_equal(text_of(entry, "translated_from"), text_of(entry_of(vector), "profile"));
    json_decref(verdict);
    return judge(vector, entry);
}

static void judged_again_a_translation_shows_what_its_vector_states(void **state)
{
    (void)state;
    const struct ready_vector *vector;
    unsigned bad = 0;
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(exported); i++) {
        count += is_translated(json_array_get(exported, i));
    }
    for (size_t at = 0; (vector = next_vector(&at)) != NULL;) {
        const json_t *entry = translation_of(vector);
        if (entry != NULL) {
            bad += judge_translation(vector, entry);
            count--;
        }
    }
    assert_int_equal(bad, 0);
    assert_int_equal(count, 0);
}

/* --- the events --- */

static bool same_content(FILE *a, FILE *b)
{
    int x, y;
    do {
        x = getc(a);
        y = getc(b);
    } while (x == y && x != EOF);
    return x == y;
}

/* Whether events of a large program are exported: its instructions are in runs. */
static bool has_runs(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!found && getline(&line, &room, file) >= 0) {
        found =
            strstr(line, "\"kind\":\"run\"") != NULL || strstr(line, "\"kind\": \"run\"") != NULL;
    }
    fclose(file);
    free(line);
    return found;
}

/* Files of events that one command shows: those with the same options, one after another. */
enum { BATCH = 100 };
struct batch {
    char options[2 * PATH]; /* of `assay dump` */
    const char *events[BATCH], *manifests[BATCH];
    size_t count;
};

/* The stored file has the bytes that come next from a command. */
static void compare_next(FILE *dump, const char *events, const char *command)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, events);
    FILE *stored = fopen(path, "r");
    assert_non_null(stored);
    for (int c; (c = getc(stored)) != EOF;) {
        if (getc(dump) != c) {
            fail_msg("%s: the events are not those of: %s ...", events, command);
        }
    }
    fclose(stored);
}

/* Compares with what `assay dump` shows of the exported files. */
static void compare_batch(struct batch *batch)
{
    static char command[BATCH * 2 * PATH];
    size_t at = (size_t)snprintf(command, sizeof command, "cd %s && %s dump --json %s", folder,
                                 getenv("ASSAY"), batch->options);
    for (size_t i = 0; i < batch->count; i++) {
        at += (size_t)snprintf(command + at, sizeof command - at, " %s", batch->manifests[i]);
        assert_true(at < sizeof command - PATH);
    }
    snprintf(command + at, sizeof command - at, " 2>/dev/null");
    FILE *dump = batch->count > 0 ? popen(command, "r") : NULL;
    assert_true(dump != NULL || batch->count == 0);
    for (size_t i = 0; i < batch->count; i++) {
        compare_next(dump, batch->events[i], command);
    }
    if (dump != NULL) {
        assert_int_equal(getc(dump), EOF);
        const int status = pclose(dump);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 4));
    }
    batch->count = 0;
}

/* The options by which `assay dump` shows a file of events, of a stream by its id. */
static void dump_options(const json_t *entry, const json_t *file, char *options, size_t size)
{
    const char *path = text_of(file, "path");
    const char *trace = file_of(entry, "trace");
    const size_t stem = (size_t)(strrchr(trace, '.') - trace) + 1;
    const json_t *interpret = json_object_get(entry, "interpret");
    char events[2 * PATH];
    size_t at = 0;
    snprintf(events, sizeof events, "%s/%s", folder, path);
    at += (size_t)snprintf(options, size, "%s", has_runs(events) ? "--runs" : "");
    if (strcmp(path + stem, "events.jsonl") != 0) {
        at += (size_t)snprintf(options + at, size - at, " --source %.*s",
                               (int)strcspn(path + stem, "."), path + stem);
    }
    for (size_t i = 0; i < json_array_size(interpret); i++) {
        at += (size_t)snprintf(options + at, size - at, " --interpret %s",
                               json_string_value(json_array_get(interpret, i)));
        assert_true(at < size - PATH);
    }
}

/* Puts a file into a batch, which is compared when it is full or when the options change. */
static void add_to_batch(struct batch *batch, const json_t *entry, const json_t *file)
{
    char options[sizeof batch->options];
    dump_options(entry, file, options, sizeof options);
    if (batch->count == BATCH || strcmp(options, batch->options) != 0) {
        compare_batch(batch);
        memcpy(batch->options, options, sizeof options);
    }
    batch->events[batch->count] = text_of(file, "path");
    batch->manifests[batch->count++] = file_of(entry, "manifest");
}

/* Whether it is one of those to compare: by its name, so that a new vector moves no other. */
static bool is_sampled(const char *path)
{
    unsigned sum = 0;
    for (; *path != '\0'; path++) {
        sum = 31 * sum + (unsigned char)*path;
    }
    return sum % DUMPED == 0;
}

/* Of those that state events, are generated or carry streams all, of the others a sample. */
static void the_events_are_those_that_dump_shows(void **state)
{
    (void)state;
    struct batch batch = {.count = 0};
    size_t dumped = 0;
    for (size_t i = 0; i < json_array_size(exported); i++) {
        const json_t *entry = json_array_get(exported, i);
        const json_t *files = json_object_get(entry, "files");
        const bool events = strcmp(text_of(entry, "shows"), "events") == 0 || is_generated(entry);
        for (size_t k = 0, of_events = 0; k < json_array_size(files); k++) {
            const json_t *file = json_array_get(files, k);
            if (strcmp(text_of(file, "what"), "events") == 0 &&
                (events || of_events++ > 0 || is_sampled(text_of(file, "path")))) {
                add_to_batch(&batch, entry, file);
                dumped++;
            }
        }
    }
    compare_batch(&batch);
    assert_true(dumped > 0);
}

/* --- the generated traces --- */

/* Runs `assay` with these arguments, and returns its status. */
static int run_assay(const char *arguments)
{
    char command[4 * PATH];
    snprintf(command, sizeof command, "%s %s >/dev/null", getenv("ASSAY"), arguments);
    return system(command);
}

/* By the command of the index. */
static void make_again(const json_t *entry, const char *again)
{
    static const char name[] = "assay ";
    const char *source = text_of(entry, "source");
    char arguments[3 * PATH], trace[PATH];
    assert_memory_equal(source, name, sizeof name - 1);
    snprintf(arguments, sizeof arguments, "%s -o %s", source + sizeof name - 1, again);
    assert_int_equal(run_assay(arguments), 0);
    snprintf(trace, sizeof trace, "%s/%s", folder, file_of(entry, "trace"));
    FILE *made = fopen(again, "r");
    FILE *stored = fopen(trace, "r");
    assert_true(made != NULL && stored != NULL);
    if (!same_content(made, stored)) {
        fail_msg("%s: another trace is made by: %s", text_of(entry, "name"), source);
    }
    fclose(made);
    fclose(stored);
}

static void a_generated_trace_conforms_and_its_command_makes_it_again(void **state)
{
    (void)state;
    char again[PATH], arguments[2 * PATH];
    size_t generated = 0;
    snprintf(again, sizeof again, "%s/again", folder);
    for (size_t i = 0; i < json_array_size(exported); i++) {
        const json_t *entry = json_array_get(exported, i);
        if (!is_generated(entry)) {
            continue;
        }
        json_t *verdict = load_json(file_of(entry, "verdict"));
        assert_string_equal(text_of(verdict, "verdict"), "conforms");
        assert_true(json_is_true(json_object_get(verdict, "complete")));
        json_decref(verdict);
        snprintf(arguments, sizeof arguments, "check --fail-on should %s/%s", folder,
                 file_of(entry, "manifest"));
        assert_int_equal(run_assay(arguments), 0);
        make_again(entry, again);
        generated++;
    }
#ifdef ASSAY_GENERATES
    assert_int_equal(remove(again), 0);
    assert_true(generated > 0);
#else
    assert_int_equal(generated, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vector_is_exported_with_its_own_bytes),
        cmocka_unit_test(the_index_has_the_digest_of_each_file),
        cmocka_unit_test(judged_again_a_file_has_the_verdict_that_is_stated_and_exported),
        cmocka_unit_test(judged_again_a_translation_shows_what_its_vector_states),
        cmocka_unit_test(the_events_are_those_that_dump_shows),
        cmocka_unit_test(a_generated_trace_conforms_and_its_command_makes_it_again),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
