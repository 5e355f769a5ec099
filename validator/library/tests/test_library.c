/* The library by its public header: the same findings whichever way the bytes come. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/library/assay.h"
#include "validator/tests/vector_runner.h"

/* --- traces --- */

/* Vectors of each format, compressed ones and damaged ones among them. */
static const char *const folders[] = {ASSAY_CORPUS "/stf/order", ASSAY_CORPUS "/stf/storage",
                                      ASSAY_CORPUS "/astf/storage"};
enum { FOLDERS = sizeof folders / sizeof folders[0] };
static struct ready_corpus corpora[FOLDERS];

static int load(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOLDERS; i++) {
        corpora[i] = load_corpus(folders[i]);
        assert_true(corpora[i].count > 0);
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOLDERS; i++) {
        free_corpus(&corpora[i]);
    }
    return 0;
}

/* A trace that fails a rule. */
static const struct ready_vector *failing(void)
{
    for (size_t i = 0; i < corpora[0].count; i++) {
        if (strstr(corpora[0].list[i].name, ".fail.") != NULL) {
            return &corpora[0].list[i];
        }
    }
    fail_msg("no vector fails a rule");
    return NULL;
}

/* --- transcripts --- */

struct transcript {
    struct assay_sink text;
    size_t violations;
    size_t events;
    bool pushed;                     /* then there is a digest only if all was read */
    struct assay_validator *cancels; /* at its first event; or null */
};

static void note_violation(void *context, const struct assay_violation *violation)
{
    struct transcript *t = context;
    assert_int_equal(violation->size, sizeof *violation);
    assert_true(violation->expected[0] != '\0');
    assay_sink_printf(&t->text, "%s %s %s %s %s %llu %llu: %s; %s\n", violation->rule,
                      violation->level, violation->format, violation->layer, violation->kind,
                      (unsigned long long)violation->index, (unsigned long long)violation->offset,
                      violation->message, violation->found);
    for (size_t i = 0; i < violation->clause_count; i++) {
        assay_sink_printf(&t->text, " %s", violation->clauses[i]);
    }
    t->violations++;
}

static void note_event(void *context, const struct assay_decoded *event)
{
    struct transcript *t = context;
    assert_int_equal(event->size, sizeof *event);
    assert_int_equal(strlen(event->json), event->json_length);
    assert_int_equal(event->json[event->json_length - 1], '}');
    assay_sink_printf(&t->text, "%s\n", event->json);
    t->events++;
    if (t->cancels != NULL) {
        assay_validator_cancel(t->cancels);
    }
}

/* The results by accessors, after the callbacks. */
static void note_results(struct transcript *t, struct assay_validator *v)
{
    struct assay_summary summary = {.size = sizeof summary};
    assert_int_equal(assay_validator_summary(v, &summary), ASSAY_STATUS_OK);
    assert_true(t->pushed || strncmp(summary.sha256, "sha256:", 7) == 0);
    assay_sink_printf(
        &t->text, "%s %s %s %llu %llu %s\n", assay_outcome_name(assay_validator_outcome(v)),
        summary.format != NULL ? summary.format : "-",
        summary.profile != NULL ? summary.profile : "-", (unsigned long long)summary.checks,
        (unsigned long long)summary.violations, assay_validator_message(v));
    for (size_t i = 0; i < assay_validator_rule_count(v); i++) {
        struct assay_rule_verdict rule = {.size = sizeof rule};
        assert_int_equal(assay_validator_rule(v, i, &rule), ASSAY_STATUS_OK);
        assay_sink_printf(&t->text, "%s %s %llu %llu\n", rule.id, rule.verdict,
                          (unsigned long long)rule.exercised, (unsigned long long)rule.violated);
    }
}

static void begin(struct transcript *t, struct assay_validator *v)
{
    *t = (struct transcript){.events = 0};
    assay_sink_memory(&t->text, 0);
    assay_validator_on_violation(v, note_violation, t);
    assay_validator_on_event(v, note_event, t);
}

static void judge_buffer(struct transcript *t, struct assay_validator *v,
                         const struct ready_vector *vector)
{
    begin(t, v);
    assert_int_equal(
        assay_validator_judge_buffer(v, "trace", vector->bytes.data, vector->bytes.size),
        ASSAY_STATUS_OK);
    note_results(t, v);
}

static void judge_pushed(struct transcript *t, struct assay_validator *v,
                         const struct ready_vector *vector, size_t piece)
{
    begin(t, v);
    t->pushed = true;
    assert_int_equal(assay_validator_begin(v, "trace"), ASSAY_STATUS_OK);
    for (size_t at = 0; at < vector->bytes.size; at += piece) {
        const size_t left = vector->bytes.size - at;
        assert_int_equal(
            assay_validator_push(v, vector->bytes.data + at, piece < left ? piece : left),
            ASSAY_STATUS_OK);
    }
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    note_results(t, v);
}

/* A file of the test's, removed by the caller. */
static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void judge_path(struct transcript *t, struct assay_validator *v,
                       const struct ready_vector *vector)
{
    char path[64];
    snprintf(path, sizeof path, "library-test.%ld", (long)getpid());
    write_file(path, vector->bytes.data, vector->bytes.size);
    begin(t, v);
    assert_int_equal(assay_validator_judge_path(v, path), ASSAY_STATUS_OK);
    note_results(t, v);
    unlink(path);
}

static void assert_same(const struct transcript *a, const struct transcript *b)
{
    assert_int_equal(a->text.size, b->text.size);
    assert_memory_equal(a->text.data, b->text.data, a->text.size);
}

/* --- tests --- */

static void path_buffer_and_push_give_the_same(void **state)
{
    struct assay_validator *v = assay_validator_new();
    size_t violations = 0;
    size_t events = 0;
    (void)state;
    for (size_t f = 0; f < FOLDERS; f++) {
        for (size_t i = 0; i < corpora[f].count; i++) {
            const struct ready_vector *vector = &corpora[f].list[i];
            struct transcript by[4];
            judge_buffer(&by[0], v, vector);
            judge_path(&by[1], v, vector);
            judge_pushed(&by[2], v, vector, 1);
            judge_pushed(&by[3], v, vector, 4096);
            for (size_t n = 1; n < 4; n++) {
                assert_same(&by[0], &by[n]);
            }
            violations += by[0].violations;
            events += by[0].events;
            for (size_t n = 0; n < 4; n++) {
                assay_sink_discard(&by[n].text);
            }
        }
    }
    assert_true(violations > 10);
    assert_true(events > 1000);
    assay_validator_free(v);
}

static void a_long_trace_waits_for_the_judge(void **state)
{
    static const uint8_t zeros[1 << 16];
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    struct assay_summary summary = {.size = sizeof summary};
    (void)state;
    assert_int_equal(assay_validator_begin(v, "long"), ASSAY_STATUS_OK);
    assay_validator_push(v, vector->bytes.data, vector->bytes.size);
    for (size_t i = 0; i < 128; i++) { /* of 8 MiB, eight times what the queue holds */
        assert_int_equal(assay_validator_push(v, zeros, sizeof zeros), ASSAY_STATUS_OK);
    }
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_summary(v, &summary), ASSAY_STATUS_OK);
    assert_int_equal(summary.bytes, vector->bytes.size + 128 * sizeof zeros);
    assay_validator_free(v);
}

static void count_violation(void *context, const struct assay_violation *violation)
{
    assert_true(violation->message[0] != '\0');
    atomic_fetch_add((atomic_uint *)context, 1);
}

/* What is behind the queue of 1 MiB has been judged, and so has the vector before it. */
static void findings_come_before_the_trace_has_ended(void **state)
{
    static const uint8_t zeros[1 << 16];
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    atomic_uint found = 0;
    (void)state;
    assay_validator_on_violation(v, count_violation, &found);
    assert_int_equal(assay_validator_begin(v, "long"), ASSAY_STATUS_OK);
    assay_validator_push(v, vector->bytes.data, vector->bytes.size);
    for (size_t i = 0; i < 128; i++) {
        assert_int_equal(assay_validator_push(v, zeros, sizeof zeros), ASSAY_STATUS_OK);
    }
    assert_true(atomic_load(&found) > 0);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_NONE);
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    assay_validator_free(v);
}

static void options_change_the_verdict(void **state)
{
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    char rule[32];
    struct transcript all;
    struct transcript one;
    (void)state;
    snprintf(rule, sizeof rule, "%.*s", (int)strcspn(vector->name, "."), vector->name);
    judge_buffer(&all, v, vector);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assert_int_equal(assay_validator_set(v, "fail-on", "never"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_set(v, "only", rule), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_set(v, "max-findings", "1"), ASSAY_STATUS_OK);
    judge_buffer(&one, v, vector);
    assert_int_equal(one.violations, 1);
    assert_true(assay_validator_outcome(v) == ASSAY_OUTCOME_CONFORMS ||
                assay_validator_outcome(v) == ASSAY_OUTCOME_INCOMPLETE);
    assay_sink_discard(&all.text);
    assay_sink_discard(&one.text);
    assay_validator_free(v);
}

static void wrong_options_are_refused_in_words(void **state)
{
    static const struct {
        const char *name;
        const char *value;
        const char *says;
    } wrong[] = {
        {"formatt", "stf", "did you mean \"format\"?"},
        {"format", "sft", "did you mean \"stf\"?"},
        {"profile", "stf-9", "there is no profile"},
        {"framing", "none", "there is no framing"},
        {"max-findings", "many", "max-findings is a number"},
        {"max-findings", "-1", "max-findings is a number"},
        {"thread", "4294967296", "thread is a number"},
        {"fail-on", "shall", "fail-on is must"},
        {"digest", "yes", "digest is true or false"},
        {"only", "", "ids of rules are wanted"},
        {"skip", "STF-9999", "there is no"},
        {"interpret", "INT", "given as ID=READING"},
        {"interpret", "INT-NONE=x", "there is no interpretation"},
        {"facts", "no/such/file", "no/such/file"},
        {"image", "no/such/file", "no/such/file"},
        {"rules", "no/such/file", "no/such/file"},
        {"waive", "no/such/file", "no/such/file"},
    };
    struct assay_validator *v = assay_validator_new();
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(assay_validator_set(v, wrong[i].name, wrong[i].value), ASSAY_STATUS_USAGE);
        if (strstr(assay_validator_message(v), wrong[i].says) == NULL) {
            fail_msg("%s=%s: %s", wrong[i].name, wrong[i].value, assay_validator_message(v));
        }
    }
    assert_int_equal(assay_validator_set(v, "format", NULL), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_set(v, "profile", "stf-1.3"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_set(v, "format", "astf"), ASSAY_STATUS_USAGE);
    assay_validator_free(v);
}

static void rules_of_a_file_are_judged_and_chosen_among(void **state)
{
    static const char rules[] = "format: stf\n"
                                "rules:\n"
                                "  - id: HOUSE-0001\n"
                                "    title: no trace is good enough\n"
                                "    source: house\n"
                                "    level: must\n"
                                "    on: end\n"
                                "    require: offset < 0x10\n"
                                "    say: it ends at {offset}\n"
                                "    why: to see it fail\n";
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    struct transcript t;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "library-test.%ld.yaml", (long)getpid());
    write_file(path, "rules: 7\n", 9);
    assert_int_equal(assay_validator_set(v, "rules", path), ASSAY_STATUS_USAGE);
    assert_non_null(strstr(assay_validator_message(v), path));
    write_file(path, rules, sizeof rules - 1);
    if (assay_validator_set(v, "rules", path) != ASSAY_STATUS_OK) {
        fail_msg("%s", assay_validator_message(v));
    }
    assert_int_equal(assay_validator_set(v, "only", "HOUSE-*"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_set(v, "rules", path), ASSAY_STATUS_USAGE);
    judge_buffer(&t, v, vector);
    assert_int_equal(t.violations, 1);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assay_sink_discard(&t.text);
    assay_validator_free(v);
    unlink(path);
}

/* Writes a file with a waiver of all rules for traces of a name. */
static void write_waiver(const char *path, const char *input, const char *expires)
{
    char text[256];
    const int size = snprintf(text, sizeof text,
                              "waivers:\n"
                              "  - rule: STF-*\n"
                              "    input: %s\n"
                              "    reason: known\n"
                              "    owner: the test\n"
                              "    expires: %s\n",
                              input, expires);
    write_file(path, text, (size_t)size);
}

static void waived_violations_are_counted_apart(void **state)
{
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    struct assay_summary whole = {.size = sizeof whole};
    struct assay_summary waived = {.size = sizeof waived};
    struct transcript t;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "library-test.%ld.yaml", (long)getpid());
    write_waiver(path, "another", "2999-01-31");
    assert_int_equal(assay_validator_set(v, "waive", path), ASSAY_STATUS_OK);
    judge_buffer(&t, v, vector);
    assert_true(t.violations > 0);
    assert_int_equal(assay_validator_summary(v, &whole), ASSAY_STATUS_OK);
    assert_int_equal(whole.waived, 0);
    assay_sink_discard(&t.text);
    write_waiver(path, "trace", "2001-01-31");
    assert_int_equal(assay_validator_set(v, "waive", path), ASSAY_STATUS_USAGE);
    assert_non_null(strstr(assay_validator_message(v), "2001-01-31"));
    write_waiver(path, "trace", "2999-01-31");
    assert_int_equal(assay_validator_set(v, "waive", path), ASSAY_STATUS_OK);
    judge_buffer(&t, v, vector);
    assert_int_equal(t.violations, 0);
    assert_int_equal(assay_validator_summary(v, &waived), ASSAY_STATUS_OK);
    assert_int_equal(waived.violations, 0);
    assert_int_equal(waived.waived, whole.violations);
    assert_int_not_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assert_int_equal(assay_validator_set(v, "rules", path), ASSAY_STATUS_USAGE);
    assay_sink_discard(&t.text);
    assay_validator_free(v);
    unlink(path);
}

static void calls_out_of_order_are_refused(void **state)
{
    struct assay_validator *v = assay_validator_new();
    struct assay_summary summary = {.size = sizeof summary};
    struct assay_rule_verdict rule = {.size = sizeof rule};
    (void)state;
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_NONE);
    assert_int_equal(assay_validator_push(v, "x", 1), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_summary(v, &summary), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_rule(v, 0, &rule), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_report(v, "text", "-"), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_begin(v, "a"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_begin(v, "b"), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_set(v, "fail-on", "info"), ASSAY_STATUS_USAGE);
    assay_validator_free(v); /* with a trace that was begun */
}

static void what_is_no_trace_is_unreadable(void **state)
{
    struct assay_validator *v = assay_validator_new();
    (void)state;
    assert_int_equal(assay_validator_judge_buffer(v, "x", "hello, world", 12), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_UNREADABLE);
    assert_non_null(strstr(assay_validator_message(v), "no format's magic"));
    assert_int_equal(assay_validator_judge_buffer(v, "x", "", 0), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_UNREADABLE);
    assert_int_equal(assay_validator_judge_path(v, "no/such/trace"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_UNREADABLE);
    assert_int_equal(assay_validator_begin(v, "nothing"), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_UNREADABLE);
    assert_int_equal(assay_validator_set(v, "execution", "no/such/recording"), ASSAY_STATUS_OK);
    const struct ready_vector *vector = failing();
    assert_int_equal(assay_validator_judge_buffer(v, "x", vector->bytes.data, vector->bytes.size),
                     ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_NONE);
    assay_validator_free(v);
}

static void a_cancelled_trace_is_incomplete(void **state)
{
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    struct transcript t;
    (void)state;
    begin(&t, v);
    t.cancels = v;
    assert_int_equal(assay_validator_begin(v, "trace"), ASSAY_STATUS_OK);
    assay_validator_push(v, vector->bytes.data, vector->bytes.size / 2);
    assay_validator_cancel(v);
    assert_int_equal(assay_validator_end(v), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_INCOMPLETE);
    assert_string_equal(assay_validator_message(v), "judging was cancelled");
    assay_sink_discard(&t.text);
    judge_buffer(&t, v, vector); /* and the next one is not */
    assert_int_equal(assay_validator_outcome(v), ASSAY_OUTCOME_VIOLATES);
    assay_sink_discard(&t.text);
    assay_validator_free(v);
}

static void callers_of_an_older_header_get_what_they_know(void **state)
{
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    struct assay_rule_verdict rule;
    struct transcript t;
    (void)state;
    judge_buffer(&t, v, vector);
    memset(&rule, 0x55, sizeof rule);
    rule.size = offsetof(struct assay_rule_verdict, format);
    assert_int_equal(assay_validator_rule(v, 0, &rule), ASSAY_STATUS_OK);
    assert_int_equal(rule.size, offsetof(struct assay_rule_verdict, format));
    assert_non_null(rule.title);
    assert_int_equal(rule.exercised, 0x5555555555555555);
    rule.size = 0;
    assert_int_equal(assay_validator_rule(v, 0, &rule), ASSAY_STATUS_USAGE);
    assay_sink_discard(&t.text);
    assay_validator_free(v);
}

static void a_report_is_written_but_over_no_input(void **state)
{
    const struct ready_vector *vector = failing();
    struct assay_validator *v = assay_validator_new();
    char trace[64];
    char report[64];
    char line[16] = "";
    (void)state;
    snprintf(trace, sizeof trace, "library-test.%ld", (long)getpid());
    snprintf(report, sizeof report, "library-test.%ld.json", (long)getpid());
    write_file(trace, vector->bytes.data, vector->bytes.size);
    assert_int_equal(assay_validator_judge_path(v, trace), ASSAY_STATUS_OK);
    assert_int_equal(assay_validator_report(v, "json", trace), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_report(v, "yaml", report), ASSAY_STATUS_USAGE);
    assert_int_equal(assay_validator_report(v, "json", "no/such/folder/r"), ASSAY_STATUS_AGAIN);
    assert_int_equal(assay_validator_report(v, "json", report), ASSAY_STATUS_OK);
    FILE *file = fopen(report, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(line[0], '{');
    fclose(file);
    unlink(report);
    unlink(trace);
    assay_validator_free(v);
}

struct worker {
    struct assay_validator *validator;
    const struct ready_vector *vector;
    const struct transcript *expected;
};

static void *judge_often(void *argument)
{
    struct worker *worker = argument;
    for (size_t i = 0; i < 20; i++) {
        struct transcript t;
        if (i % 2 == 0) {
            judge_buffer(&t, worker->validator, worker->vector);
        } else {
            judge_pushed(&t, worker->validator, worker->vector, 100);
        }
        assert_same(&t, worker->expected);
        assay_sink_discard(&t.text);
    }
    return NULL;
}

static void validators_in_two_threads_do_not_meet(void **state)
{
    struct worker workers[2];
    struct transcript expected[2];
    pthread_t threads[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        workers[i] = (struct worker){.validator = assay_validator_new(),
                                     .vector = i == 0 ? failing() : &corpora[2].list[0],
                                     .expected = &expected[i]};
        judge_buffer(&expected[i], workers[i].validator, workers[i].vector);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, judge_often, &workers[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assay_sink_discard(&expected[i].text);
        assay_validator_free(workers[i].validator);
    }
}

static void header_and_library_are_of_one_version(void **state)
{
    char numbers[32];
    (void)state;
    snprintf(numbers, sizeof numbers, "%d.%d.%d", ASSAY_VERSION_MAJOR, ASSAY_VERSION_MINOR,
             ASSAY_VERSION_PATCH);
    assert_string_equal(assay_version(), ASSAY_VERSION_TEXT);
    assert_string_equal(assay_version(), numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_buffer_and_push_give_the_same),
        cmocka_unit_test(a_long_trace_waits_for_the_judge),
        cmocka_unit_test(findings_come_before_the_trace_has_ended),
        cmocka_unit_test(options_change_the_verdict),
        cmocka_unit_test(wrong_options_are_refused_in_words),
        cmocka_unit_test(rules_of_a_file_are_judged_and_chosen_among),
        cmocka_unit_test(waived_violations_are_counted_apart),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(what_is_no_trace_is_unreadable),
        cmocka_unit_test(a_cancelled_trace_is_incomplete),
        cmocka_unit_test(callers_of_an_older_header_get_what_they_know),
        cmocka_unit_test(a_report_is_written_but_over_no_input),
        cmocka_unit_test(validators_in_two_threads_do_not_meet),
        cmocka_unit_test(header_and_library_are_of_one_version),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
