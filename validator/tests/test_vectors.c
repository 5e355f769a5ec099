/* The corpus: every vector shows what it says, every rule has its vectors, both back ends agree,
 * and every clause is disposed of. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/source.h"
#include "validator/tests/vector_runner.h"
#include "validator/vector/match.h"

static struct ready_corpus corpus;

/* The catalogues of the formats whose vectors are loaded: the number of the next one, or NONE. */
enum { NONE = 255 };
static size_t next_catalogue(size_t at)
{
    while (assay_catalogues[at] != NULL && !corpus_has_catalogue(&corpus, assay_catalogues[at])) {
        at++;
    }
    return assay_catalogues[at] != NULL ? at : NONE;
}

/* What follows is said of the whole corpus. */
static void needs_all_vectors(void)
{
    if (corpus.filtered) {
        skip();
    }
}

static bool listed(const struct assay_yaml *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (assay_yaml_is(list->items[i], id)) {
            return true;
        }
    }
    return false;
}

static void print_findings(const struct assay_results *results)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (size_t i = 0; i < total->finding_count && i < 3; i++) {
            print_error("    %s at %" PRIu64 ": %s\n", total->rule->id,
                        total->findings[i].finding->index, total->findings[i].finding->message);
        }
    }
}

static unsigned complain(const struct ready_vector *vector, const char *what, const char *rule,
                         const struct assay_results *results)
{
    print_error("%s: %s %s\n", vector->name, what, rule);
    print_findings(results);
    return 1;
}

static unsigned ids_known(const struct ready_vector *vector,
                          const struct assay_catalogue *catalogue)
{
    const struct assay_yaml *const lists[] = {vector->vector.expected, vector->vector.silent};
    unsigned bad = 0;
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; lists[k] != NULL && i < lists[k]->count; i++) {
            const char *id = lists[k]->items[i]->text;
            if (assay_rule_by_id(catalogue, id) == NULL) {
                print_error("%s: there is no rule %s\n", vector->name, id);
                bad++;
            }
        }
    }
    return bad;
}

static unsigned check_rules(const struct ready_vector *vector)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(vector->vector.format);
    const bool fails = vector->vector.expectation == ASSAY_EXPECT_FAILS;
    struct vector_run run;
    unsigned bad = ids_known(vector, catalogue);
    run_vector(&run, vector, catalogue, false);
    for (size_t r = 0; r < run.results->rule_count; r++) {
        const struct assay_rule_total *total = &run.results->rules[r];
        const bool named = listed(vector->vector.expected, total->rule->id);
        const bool failed = total->verdict == ASSAY_FAIL || total->verdict == ASSAY_RECOGNISED;
        if (fails && named != failed && (named || !total->rule->diagnosis)) {
            bad += complain(vector, named ? "does not fail" : "also fails", total->rule->id,
                            run.results);
        } else if (!fails && failed) {
            bad += complain(vector, "fails", total->rule->id, run.results);
        } else if (!fails && named && total->verdict != ASSAY_PASS) {
            bad += complain(vector, "does not exercise", total->rule->id, run.results);
        } else if (vector->vector.silent != NULL && total->exercised > 0 &&
                   listed(vector->vector.silent, total->rule->id)) {
            bad += complain(vector, "exercises", total->rule->id, run.results);
        }
    }
    end_run(&run);
    return bad;
}

static void vectors_fail_pass_and_do_not_exercise_the_rules_that_they_name(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const enum assay_expectation what = corpus.list[i].vector.expectation;
        if (what == ASSAY_EXPECT_FAILS || what == ASSAY_EXPECT_PASSES) {
            bad += check_rules(&corpus.list[i]);
            run++;
        }
    }
    assert_true(run > 0 || corpus.filtered);
    assert_int_equal(bad, 0);
}

/* --- names --- */

/* What is wrong with the name of a vector, "RULE.pass.what.yaml"; null if nothing is. */
static const char *name_fault(const struct ready_vector *vector)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(vector->vector.format);
    const enum assay_expectation what = vector->vector.expectation;
    const bool judged = what == ASSAY_EXPECT_PASSES || what == ASSAY_EXPECT_FAILS;
    char id[16];
    char word[16];
    if (sscanf(vector->name, "%15[^.].%15[^.].", id, word) != 2) {
        return "says neither for what it is there nor what it shows";
    }
    if (strcmp(id, "golden") == 0) {
        return NULL;
    }
    if (strcmp(id, "scenarios") == 0) {
        return strcmp(word, what == ASSAY_EXPECT_CONFORMS   ? "conforms"
                            : what == ASSAY_EXPECT_VIOLATES ? "violates"
                                                            : "") == 0
                   ? NULL
                   : "is a scenario that does not state what its name says";
    }
    if (strcmp(id, "decode") == 0) {
        return judged ? "is of rules, and named like one of events" : NULL;
    }
    if (assay_rule_by_id(catalogue, id) == NULL) {
        return "is named after a rule that there is not";
    }
    if (strcmp(word, "pass") == 0) {
        return what == ASSAY_EXPECT_PASSES && listed(vector->vector.expected, id)
                   ? NULL
                   : "does not list the rule of its name under passes";
    }
    if (strcmp(word, "fail") == 0) {
        return what == ASSAY_EXPECT_FAILS && listed(vector->vector.expected, id)
                   ? NULL
                   : "does not list the rule of its name under fails";
    }
    if (strcmp(word, "silent") == 0) {
        return vector->vector.silent != NULL && listed(vector->vector.silent, id)
                   ? NULL
                   : "does not list the rule of its name under silent";
    }
    return "says none of pass, fail and silent";
}

static void a_vector_shows_what_its_name_says_of_the_rule_in_it(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        /* The name of a capture's file says nothing of its streams. */
        const char *fault = corpus.list[i].carried ? NULL : name_fault(&corpus.list[i]);
        if (fault != NULL) {
            print_error("%s: %s\n", corpus.list[i].path, fault);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* --- events --- */

static unsigned check_events(const struct ready_vector *vector)
{
    const struct assay_format *format = vector->vector.format;
    const struct assay_yaml *list = assay_yaml_get(vector->vector.expected, "list");
    struct vector_reader reader;
    unsigned bad = 0;
    size_t count = 0;
    assert_non_null(list);
    open_events(&reader, vector);
    for (const struct assay_event *event; (event = next_event(&reader)) != NULL; count++) {
        char why[512];
        if (count < list->count &&
            !assay_event_matches(format, event, list->items[count], why, sizeof why)) {
            print_error("%s: event %zu is not the expected one: %s\n", vector->name, count, why);
            bad++;
        }
    }
    close_events(&reader);
    if (count != list->count) {
        print_error("%s: %zu events instead of %zu\n", vector->name, count, list->count);
        bad++;
    }
    return bad;
}

static void vectors_decode_to_the_events_that_they_name(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        if (corpus.list[i].vector.expectation == ASSAY_EXPECT_EVENTS) {
            bad += check_events(&corpus.list[i]);
            run++;
        }
    }
    if (run == 0) {
        skip();
    }
    assert_int_equal(bad, 0);
}

/* --- refusals --- */

static bool refused_with(const struct ready_vector *vector, const char *code)
{
    const struct assay_format *format = vector->vector.format;
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    bool found = false;
    assert_int_equal(assay_source_memory(vector->bytes.data, vector->bytes.size, &source),
                     ASSAY_OK);
    const struct assay_decode_input input = vector_input(vector, source);
    assert_int_equal(format->decoder->open(&input, &decoder, NULL), ASSAY_OK);
    while (format->decoder->next(decoder, &block, NULL) == ASSAY_OK && block.count > 0) {
        for (size_t i = 0; i < block.count; i++) {
            const uint16_t fault = block.events[i].fault;
            found = found || (fault > 0 && strcmp(format->faults[fault - 1].name, code) == 0);
        }
    }
    format->decoder->close(decoder);
    return found;
}

static void vectors_are_refused_with_the_code_that_they_name(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct assay_vector *vector = &corpus.list[i].vector;
        if (vector->expectation != ASSAY_EXPECT_REFUSES) {
            continue;
        }
        run++;
        if (!refused_with(&corpus.list[i], vector->expected->text)) {
            print_error("%s: is not refused with %s\n", corpus.list[i].name,
                        vector->expected->text);
            bad++;
        }
    }
    if (run == 0) {
        skip();
    }
    assert_int_equal(bad, 0);
}

/* --- the gates --- */

/* Whether a vector shows a rule violated and nothing else but diagnoses; a diagnosis beside what it
 * explains. */
static bool shows_violation(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                            const struct assay_yaml *fails)
{
    size_t others = 0;
    size_t explained = 0;
    for (size_t i = 0; i < fails->count; i++) {
        const struct assay_rule *other = assay_rule_by_id(catalogue, fails->items[i]->text);
        others += other != NULL && other != rule && !other->diagnosis;
        explained += other != NULL && assay_rule_explains(rule, other);
    }
    return rule->diagnosis ? explained > 0 || rule->explain_count == 0 : others == 0;
}

static bool shown(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                  enum assay_expectation how)
{
    for (size_t i = 0; i < corpus.count; i++) {
        const struct assay_vector *vector = &corpus.list[i].vector;
        if (vector->expectation == how && listed(vector->expected, rule->id) &&
            (how == ASSAY_EXPECT_PASSES || shows_violation(catalogue, rule, vector->expected))) {
            return true;
        }
    }
    return false;
}

static void every_rule_has_a_vector_that_passes_and_one_that_fails_it_alone(void **state)
{
    (void)state;
    needs_all_vectors();
    unsigned bad = 0;
    for (size_t c = 0; (c = next_catalogue(c)) != NONE; c++) {
        assert_true(assay_catalogues[c]->rule_count > 0);
        for (size_t r = 0; r < assay_catalogues[c]->rule_count; r++) {
            const struct assay_rule *rule = &assay_catalogues[c]->rules[r];
            if (!rule->diagnosis && !shown(assay_catalogues[c], rule, ASSAY_EXPECT_PASSES)) {
                print_error("%s: no vector passes while exercising it\n", rule->id);
                bad++;
            }
            if (!shown(assay_catalogues[c], rule, ASSAY_EXPECT_FAILS)) {
                print_error(rule->diagnosis ? "%s: no vector shows it beside what it explains\n"
                                            : "%s: no vector fails it and nothing else\n",
                            rule->id);
                bad++;
            }
        }
    }
    assert_int_equal(bad, 0);
}

static bool checked(const struct assay_catalogue *catalogue, const char *clause)
{
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        for (uint16_t i = 0; i < catalogue->rules[r].clause_count; i++) {
            if (strcmp(catalogue->rules[r].clauses[i], clause) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void a_clause_is_disposed_of_as_rule_exactly_when_a_rule_names_it(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t c = 0; (c = next_catalogue(c)) != NONE; c++) {
        assert_true(assay_catalogues[c]->clause_count > 0);
        for (size_t i = 0; i < assay_catalogues[c]->clause_count; i++) {
            const struct assay_clause *clause = &assay_catalogues[c]->clauses[i];
            if (checked(assay_catalogues[c], clause->id) !=
                (clause->disposition == ASSAY_BY_RULE)) {
                print_error("%s: disposition and rules differ\n", clause->id);
                bad++;
            }
        }
    }
    assert_int_equal(bad, 0);
}

static const struct ready_vector *vector_called(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < corpus.count; i++) {
        const char *file = corpus.list[i].name;
        if (strncmp(file, name, length) == 0 && strcmp(file + length, ".yaml") == 0) {
            return &corpus.list[i];
        }
    }
    return NULL;
}

/* What is wrong with a vector as the evidence of a clause; null if nothing is. */
static const char *evidence_fault(const struct assay_clause *clause,
                                  const struct assay_format *format,
                                  const struct ready_vector *vector)
{
    if (vector == NULL || vector->vector.format != format) {
        return "no vector of the format is called so";
    }
    const enum assay_expectation what = vector->vector.expectation;
    if (clause->disposition == ASSAY_BY_DECODER) {
        return what == ASSAY_EXPECT_EVENTS || what == ASSAY_EXPECT_REFUSES
                   ? NULL
                   : "the vector states no events";
    }
    return what == ASSAY_EXPECT_PASSES ? NULL : "the vector does not state that no rule fails";
}

static void vectors_show_each_clause_for_decoders_and_each_permission(void **state)
{
    (void)state;
    needs_all_vectors();
    unsigned bad = 0;
    for (size_t c = 0; (c = next_catalogue(c)) != NONE; c++) {
        for (size_t i = 0; i < assay_catalogues[c]->clause_count; i++) {
            const struct assay_clause *clause = &assay_catalogues[c]->clauses[i];
            for (uint16_t v = 0; v < clause->vector_count; v++) {
                const char *fault = evidence_fault(clause, assay_catalogues[c]->format,
                                                   vector_called(clause->vectors[v]));
                if (fault != NULL) {
                    print_error("%s: %s: %s\n", clause->id, clause->vectors[v], fault);
                    bad++;
                }
            }
        }
    }
    assert_int_equal(bad, 0);
}

/* --- interpretations --- */

static bool any_rule_asks(const struct assay_catalogue *catalogue, uint16_t number)
{
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        if (assay_rule_switches(catalogue, &catalogue->rules[r], number)) {
            return true;
        }
    }
    return false;
}

/* A rule is worded by the default reading, and says so. */
static bool any_rule_names(const struct assay_catalogue *catalogue, uint16_t number)
{
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        for (uint16_t i = 0; i < catalogue->rules[r].interpretation_count; i++) {
            if (catalogue->rules[r].interpretations[i] == number) {
                return true;
            }
        }
    }
    return false;
}

static void an_interpretation_is_of_a_rule_or_says_why_not(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t c = 0; (c = next_catalogue(c)) != NONE; c++) {
        for (uint16_t n = 0; n < assay_catalogues[c]->interpretation_count; n++) {
            const struct assay_interpretation *one = &assay_catalogues[c]->interpretations[n];
            const bool asked = any_rule_asks(assay_catalogues[c], n);
            if (asked && one->built_in != NULL) {
                print_error("%s: rules ask for it, but it is built in\n", one->id);
                bad++;
            } else if (one->clause_count > 0 && !asked && one->built_in == NULL &&
                       !any_rule_names(assay_catalogues[c], n)) {
                print_error("%s: no rule rests on it, and it does not say why\n", one->id);
                bad++;
            }
        }
    }
    assert_int_equal(bad, 0);
}

/* Whether a vector that is read so comes out otherwise than by the default reading. */
static bool reading_matters(const struct ready_vector *vector,
                            const struct assay_catalogue *catalogue, uint16_t number)
{
    const uint16_t chosen = vector->readings[number];
    struct vector_run as_read;
    struct vector_run by_default;
    bool differs = false;
    run_vector(&as_read, vector, catalogue, false);
    vector->readings[number] = catalogue->interpretations[number].chosen;
    run_vector(&by_default, vector, catalogue, false);
    for (size_t r = 0; r < as_read.results->rule_count && !differs; r++) {
        differs = as_read.results->rules[r].verdict != by_default.results->rules[r].verdict;
    }
    vector->readings[number] = chosen;
    end_run(&as_read);
    end_run(&by_default);
    return differs;
}

static bool reading_shown(const struct assay_catalogue *catalogue, uint16_t number,
                          uint16_t reading)
{
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        const enum assay_expectation what = vector->vector.expectation;
        if ((what == ASSAY_EXPECT_FAILS || what == ASSAY_EXPECT_PASSES) &&
            assay_catalogue_of(vector->vector.format) == catalogue &&
            vector->readings[number] == reading && reading_matters(vector, catalogue, number)) {
            return true;
        }
    }
    return false;
}

static void each_reading_changes_what_some_vector_shows(void **state)
{
    (void)state;
    needs_all_vectors();
    unsigned bad = 0;
    for (size_t c = 0; (c = next_catalogue(c)) != NONE; c++) {
        for (uint16_t n = 0; n < assay_catalogues[c]->interpretation_count; n++) {
            const struct assay_interpretation *one = &assay_catalogues[c]->interpretations[n];
            const bool asked = any_rule_asks(assay_catalogues[c], n);
            for (uint16_t r = 0; r < one->reading_count && asked; r++) {
                if (r != one->chosen && !reading_shown(assay_catalogues[c], n, r)) {
                    print_error("%s: no vector shows what the reading %s changes\n", one->id,
                                one->readings[r].name);
                    bad++;
                }
            }
        }
    }
    assert_int_equal(bad, 0);
}

static unsigned compare_totals(const struct ready_vector *vector, const struct assay_rule_total *a,
                               const struct assay_rule_total *b)
{
    bool same = a->verdict == b->verdict && a->exercised == b->exercised &&
                a->violated == b->violated && a->finding_count == b->finding_count;
    for (size_t i = 0; i < a->finding_count && same; i++) {
        const struct assay_finding *x = a->findings[i].finding;
        const struct assay_finding *y = b->findings[i].finding;
        same = x->index == y->index && x->offset == y->offset && x->kind == y->kind &&
               strcmp(x->message, y->message) == 0 &&
               memcmp(x->values, y->values, a->rule->evidence_count * sizeof *x->values) == 0;
    }
    if (!same) {
        print_error("%s: the back ends differ on %s\n", vector->name, a->rule->id);
    }
    return !same;
}

static void both_back_ends_give_the_same_findings_on_the_whole_corpus(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        struct vector_run emitted;
        struct vector_run evaluated;
        const struct assay_catalogue *catalogue = assay_catalogue_of(corpus.list[i].vector.format);
        assert_non_null(catalogue->compiled);
        run_vector(&emitted, &corpus.list[i], catalogue, false);
        run_vector(&evaluated, &corpus.list[i], catalogue, true);
        for (size_t r = 0; r < emitted.results->rule_count; r++) {
            bad += compare_totals(&corpus.list[i], &emitted.results->rules[r],
                                  &evaluated.results->rules[r]);
        }
        end_run(&emitted);
        end_run(&evaluated);
    }
    assert_int_equal(bad, 0);
}

static void decoding_and_encoding_again_gives_the_same_bytes(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct ready_vector *vector = &corpus.list[i];
        const struct assay_format *format = vector->vector.format;
        struct assay_source *source = NULL;
        struct assay_decoder *decoder = NULL;
        struct assay_encoder *encoder = NULL;
        struct assay_sink again;
        struct assay_block block;
        uint64_t plain = 0;
        /* A framing puts bytes between events that no event holds. */
        if (vector->vector.framing != 0 || format->encoder == NULL) {
            continue;
        }
        assay_sink_memory(&again, 0);
        assert_int_equal(assay_source_memory(vector->bytes.data, vector->bytes.size, &source),
                         ASSAY_OK);
        const struct assay_decode_input input = vector_input(vector, source);
        assert_int_equal(format->decoder->open(&input, &decoder, NULL), ASSAY_OK);
        assert_int_equal(format->encoder->open(&again, "raw", &encoder, NULL), ASSAY_OK);
        if (format->encoder->configure != NULL) {
            assert_int_equal(format->encoder->configure(encoder, vector->parameters,
                                                        vector->vector.framing, NULL),
                             ASSAY_OK);
        }
        while (format->decoder->next(decoder, &block, NULL) == ASSAY_OK && block.count > 0) {
            for (size_t n = 0; block.layer == 0 && n < block.count; n++) {
                assert_int_equal(format->encoder->put(encoder, &block.events[n], NULL), ASSAY_OK);
                plain += block.events[n].bits / 8;
            }
        }
        assert_int_equal(format->encoder->close(encoder), ASSAY_OK);
        format->decoder->close(decoder);
        /* What was stored plainly comes back as it was; what was compressed, in its full length. */
        const bool same =
            again.size == plain && (plain != vector->bytes.size || plain == 0 ||
                                    memcmp(again.data, vector->bytes.data, (size_t)plain) == 0);
        if (!same) {
            print_error("%s: the round trip changes the bytes\n", vector->name);
            bad++;
        }
        assay_sink_close(&again, NULL);
    }
    assert_int_equal(bad, 0);
}

/* With the name of a format only its vectors are tried. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_fail_pass_and_do_not_exercise_the_rules_that_they_name),
        cmocka_unit_test(a_vector_shows_what_its_name_says_of_the_rule_in_it),
        cmocka_unit_test(vectors_decode_to_the_events_that_they_name),
        cmocka_unit_test(vectors_are_refused_with_the_code_that_they_name),
        cmocka_unit_test(every_rule_has_a_vector_that_passes_and_one_that_fails_it_alone),
        cmocka_unit_test(a_clause_is_disposed_of_as_rule_exactly_when_a_rule_names_it),
        cmocka_unit_test(vectors_show_each_clause_for_decoders_and_each_permission),
        cmocka_unit_test(an_interpretation_is_of_a_rule_or_says_why_not),
        cmocka_unit_test(each_reading_changes_what_some_vector_shows),
        cmocka_unit_test(both_back_ends_give_the_same_findings_on_the_whole_corpus),
        cmocka_unit_test(decoding_and_encoding_again_gives_the_same_bytes),
    };
    corpus = load_corpus_of(ASSAY_CORPUS, argc > 1 ? argv[1] : NULL);
    if (corpus.count == 0) {
        print_error("no vector is loaded\n");
    }
    const int failed = corpus.count == 0 || cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
