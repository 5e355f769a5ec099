/* The noise test of the catalogue: traces of the model are legal, so that no rule may find anything
 * in them, and every rule has something to look at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/yaml.h"
#include "generators/astf/model_machine.h"
#include "generators/tests/exercised.h"
#include "io/digest.h"
#include "io/source.h"
#include "model/facts.h"
#include "validator/engine/judge.h"

enum { SEEDS = 90, EVENTS = 2500, WORDS = 50, EVALUATED = 6 };

struct made {
    struct assay_sink trace, execution, facts;
};

static struct astf_model_options options_of(uint64_t seed)
{
    static const char *const storages[] = {"raw", "xz", "raw", "zlib", "raw", "lzma", "gzip"};
    static const uint64_t periods[] = {5000, 100, 3};
    return (struct astf_model_options){
        .seed = seed,
        .limit = EVENTS,
        .basic = seed % 3 == 0,
        .timestamps = seed % 5 != 0,
        .period = periods[seed % 4 % 3],
        .storage = storages[seed % 7],
        .metadata = seed % 2 == 0 ? "a machine that does not exist" : NULL,
    };
}

static struct made make(const struct astf_model_options *options)
{
    struct made made;
    struct assay_generated generated;
    assay_sink_memory(&made.trace, 0);
    assay_sink_memory(&made.execution, 0);
    assay_sink_memory(&made.facts, 0);
    assert_int_equal(
        astf_model_generate(options, &made.trace, &made.execution, &made.facts, &generated, NULL),
        ASSAY_OK);
    assert_true(generated.instructions == options->limit);
    return made;
}

static void release(struct made *made)
{
    assay_sink_close(&made->trace, NULL);
    assay_sink_close(&made->execution, NULL);
    assay_sink_close(&made->facts, NULL);
}

static struct assay_facts facts_of(const struct made *made)
{
    struct assay_facts facts = {0};
    struct assay_yaml_file file;
    assert_int_equal(
        assay_yaml_parse("facts", (const char *)made->facts.data, made->facts.size, &file, NULL),
        ASSAY_OK);
    assert_int_equal(assay_facts_read(file.root, &facts, NULL), ASSAY_OK);
    assay_yaml_free(&file);
    return facts;
}

static struct assay_judge *judge(const struct made *made, bool with_execution, bool evaluate)
{
    const struct assay_facts facts = facts_of(made);
    const struct assay_judge_settings settings = {
        .catalogue = assay_catalogue_of(&assay_format_astf),
        .facts = &facts,
        .given = (uint8_t)(ASSAY_NEED_ISA | (with_execution ? ASSAY_NEED_EXECUTION : 0)),
        .max_findings = 1,
        .evaluate = evaluate};
    struct assay_decode_input input = {0};
    struct assay_source *source = NULL;
    struct assay_judge *judge = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(made->trace.data, made->trace.size, &input.source),
                     ASSAY_OK);
    if (with_execution) {
        assert_int_equal(assay_source_memory(made->execution.data, made->execution.size, &source),
                         ASSAY_OK);
        assert_int_equal(assay_execution_open(source, &input.execution, NULL), ASSAY_OK);
    }
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(astf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        assert_int_equal(assay_judge_events(judge, block.events, block.count), ASSAY_OK);
    } while (block.count > 0);
    const char *why = NULL;
    assert_true(astf_decoder_ops.complete(decoder, 0, &why));
    astf_decoder_ops.close(decoder);
    return judge;
}

/* Whether the rule says something about the trace that a producer would have to answer. */
static bool accuses(enum assay_level level)
{
    return level == ASSAY_MUST || level == ASSAY_SHOULD;
}

static unsigned complain(const struct assay_judge *j, uint64_t seed)
{
    const struct assay_catalogue *catalogue = assay_judge_catalogue(j);
    unsigned findings = 0;
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(j, r);
        if (result.verdict == ASSAY_FAIL && accuses(catalogue->rules[r].level)) {
            print_error("seed %llu, record %llu: %s: %s\n", (unsigned long long)seed,
                        (unsigned long long)result.findings[0]->index, catalogue->rules[r].id,
                        result.findings[0]->message);
            findings++;
        }
    }
    return findings;
}

static void add_exercised(const struct assay_judge *j, struct exercised *exercised)
{
    for (size_t r = 0; r < assay_judge_catalogue(j)->rule_count; r++) {
        exercised->rule[r] = exercised->rule[r] || assay_judge_result(j, r).exercised > 0;
    }
}

static void no_rule_finds_anything_and_each_has_something_to_look_at(void **state)
{
    (void)state;
    static struct exercised exercised;
    unsigned findings = 0;
    assert_true(assay_catalogue_of(&assay_format_astf)->rule_count <= EXERCISED_RULES);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct astf_model_options options = options_of(seed);
        struct made made = make(&options);
        for (unsigned with = 0; with < 2; with++) {
            struct assay_judge *j = judge(&made, with != 0, false);
            findings += complain(j, seed);
            add_exercised(j, &exercised);
            assay_judge_close(j);
        }
        release(&made);
    }
    assert_int_equal(findings, 0);
    assert_int_equal(
        exercised_compare(&exercised, assay_catalogue_of(&assay_format_astf), MODEL_UNEXERCISED),
        0);
}

static void both_back_ends_say_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < EVALUATED; seed++) {
        const struct astf_model_options options = options_of(seed);
        struct made made = make(&options);
        struct assay_judge *emitted = judge(&made, true, false);
        struct assay_judge *evaluated = judge(&made, true, true);
        for (size_t r = 0; r < assay_judge_catalogue(emitted)->rule_count; r++) {
            const struct assay_rule_result a = assay_judge_result(emitted, r);
            const struct assay_rule_result b = assay_judge_result(evaluated, r);
            assert_true(a.exercised == b.exercised && a.violated == b.violated);
        }
        assay_judge_close(emitted);
        assay_judge_close(evaluated);
        release(&made);
    }
}

/* The digest is that of every machine and compiler; it changes when the model is changed. The
 * recorded execution names the version of its producer, and compressed traces depend on the
 * library, so that they are left out. */
static void a_seed_gives_the_same_bytes_everywhere(void **state)
{
    (void)state;
    static const char expected[] =
        "sha256:a37e5259650424e727f67b0da874f4e1ac69bcc4ce14db4d58fb2227a1448624";
    char text[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    const struct astf_model_options options = options_of(7);
    struct made made = make(&options);
    assay_digest_begin(&digest);
    assay_digest_add(&digest, made.trace.data, made.trace.size);
    assay_digest_add(&digest, made.facts.data, made.facts.size);
    assert_int_equal(assay_digest_end(&digest, text), ASSAY_OK);
    assert_string_equal(text, expected);
    release(&made);
}

static void seeds_give_different_traces(void **state)
{
    (void)state;
    struct astf_model_options options = options_of(1);
    struct made a = make(&options);
    options.seed = 2;
    struct made b = make(&options);
    assert_true(a.trace.size != b.trace.size ||
                memcmp(a.trace.data, b.trace.data, a.trace.size) != 0);
    release(&a);
    release(&b);
}

/* Labels stay 0 here: branches and literals have their class with any. */
static void words_have_the_class_of_their_template(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned i = 0; i < model_template_count; i++) {
        const struct model_template *t = &model_templates[i];
        for (unsigned n = 0; n < WORDS; n++) {
            const uint32_t word = t->word | ((uint32_t)assay_random(&random) & t->vary);
            const unsigned class = a64_info_class(a64_classify(word));
            if (class != t->class) {
                fail_msg("%08x is %s, and the template says %s", word, a64_class_name(class),
                         a64_class_name(t->class));
            }
        }
    }
}

static void a_trace_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    const struct astf_model_options options = options_of(0);
    struct assay_generated generated;
    struct assay_diag diag = {0};
    struct assay_sink sink;
    assay_sink_memory(&sink, 100);
    assert_int_equal(astf_model_generate(&options, &sink, NULL, NULL, &generated, &diag),
                     ASSAY_LIMIT);
    assert_non_null(strstr(diag.message, "the output could not be written: a limit"));
    assay_sink_close(&sink, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_have_the_class_of_their_template),
        cmocka_unit_test(no_rule_finds_anything_and_each_has_something_to_look_at),
        cmocka_unit_test(both_back_ends_say_the_same),
        cmocka_unit_test(a_seed_gives_the_same_bytes_everywhere),
        cmocka_unit_test(seeds_give_different_traces),
        cmocka_unit_test(a_trace_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
