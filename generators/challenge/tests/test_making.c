/* Making challenges, without executing them elsewhere: the same seed gives the same bytes, in
 * builds by all compilers; what they exercise; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "execution/classes.h"
#include "generators/challenge/challenge.h"
#include "io/digest.h"

enum { INSTRUCTIONS = 100000, SEEDS = 12, BARE_PLACES = 4 };

struct made {
    struct assay_sink program, execution;
    struct assay_challenge_facts facts;
};

static void make(const struct assay_challenge_options *options, struct made *made)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_sink_memory(&made->program, 0);
    assay_sink_memory(&made->execution, 0);
    if (assay_challenge_make(options, &made->program, &made->execution, &made->facts, &diag) !=
        ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
}

static void drop(struct made *made)
{
    assay_sink_close(&made->program, NULL);
    assay_sink_close(&made->execution, NULL);
}

static struct assay_challenge_options linux_of(enum assay_execution_isa isa, uint64_t seed)
{
    return (struct assay_challenge_options){.isa = isa, .seed = seed, .instructions = INSTRUCTIONS};
}

static struct assay_challenge_options bare_of(enum assay_execution_isa isa)
{
    return (struct assay_challenge_options){.isa = isa,
                                            .seed = 1,
                                            .instructions = INSTRUCTIONS,
                                            .bare = true,
                                            .base = 0x80000000,
                                            .level = 1};
}

/* --- the same bytes --- */

static void digest(const struct made *made, char text[ASSAY_DIGEST_TEXT])
{
    struct assay_digest both;
    assay_digest_begin(&both);
    assay_digest_add(&both, made->program.data, made->program.size);
    assay_digest_add(&both, made->execution.data, made->execution.size);
    assert_int_equal(assay_digest_end(&both, text), ASSAY_OK);
}

/* Another digest wants another ASSAY_CHALLENGE_VERSION. */
static void a_version_gives_these_bytes(void **state)
{
    (void)state;
    static const struct {
        enum assay_execution_isa isa;
        bool bare;
        const char *digest;
    } known[] = {
        {ASSAY_EXECUTION_AARCH64, false,
         "sha256:06d297be118d8efcd5bfb0a13d3da587db77dfbb667334983d3fdfaf32ec91b1"},
        {ASSAY_EXECUTION_AARCH64, true,
         "sha256:c7a5d3801a2d37452cc9010a708c8829ac313489a88942da11007e07d0b125a7"},
        {ASSAY_EXECUTION_RISCV64, false,
         "sha256:6914f2f96802c76457ac070f577366e34a7f169b13b922563a7cbc4c0603ccd7"},
        {ASSAY_EXECUTION_RISCV64, true,
         "sha256:5a4bcada60aa1228c129ee03be3b184ca67fa1cf28b171aba0ceec924f55fd54"},
    };
    assert_int_equal(ASSAY_CHALLENGE_VERSION, 1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct assay_challenge_options options =
            known[i].bare ? bare_of(known[i].isa) : linux_of(known[i].isa, 1);
        struct made made;
        char text[ASSAY_DIGEST_TEXT];
        make(&options, &made);
        digest(&made, text);
        assert_string_equal(text, known[i].digest);
        drop(&made);
    }
}

static void a_seed_always_gives_the_same_and_another_one_gives_other_words(void **state)
{
    (void)state;
    const struct assay_challenge_options first = linux_of(ASSAY_EXECUTION_RISCV64, 7);
    const struct assay_challenge_options second = linux_of(ASSAY_EXECUTION_RISCV64, 8);
    struct made a, again, b;
    make(&first, &a);
    make(&first, &again);
    make(&second, &b);
    assert_int_equal(a.program.size, again.program.size);
    assert_memory_equal(a.program.data, again.program.data, a.program.size);
    assert_int_equal(a.execution.size, again.execution.size);
    assert_memory_equal(a.execution.data, again.execution.data, a.execution.size);
    assert_int_not_equal(a.facts.checksum, b.facts.checksum);
    assert_int_not_equal(a.facts.executed, b.facts.executed);
    drop(&a);
    drop(&again);
    drop(&b);
}

/* Without sinks the facts are the same. */
static void facts_do_not_depend_on_what_is_written(void **state)
{
    (void)state;
    const struct assay_challenge_options options = linux_of(ASSAY_EXECUTION_AARCH64, 3);
    struct assay_challenge_facts facts;
    struct made made;
    make(&options, &made);
    assert_int_equal(assay_challenge_make(&options, NULL, NULL, &facts, NULL), ASSAY_OK);
    assert_int_equal(facts.executed, made.facts.executed);
    assert_int_equal(facts.checksum, made.facts.checksum);
    assert_int_equal(facts.status, made.facts.status);
    drop(&made);
}

/* --- what there is in them --- */

static struct assay_execution *open_execution(const struct made *made)
{
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL;
    assert_int_equal(assay_source_memory(made->execution.data, made->execution.size, &source),
                     ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    return x;
}

/* Adds what an execution exercises; it ends within its limit. */
static void count(const struct made *made, struct assay_execution_classes *classes)
{
    struct assay_execution *x = open_execution(made);
    struct assay_executed item = {.kind = ASSAY_EXECUTED_THREAD_START};
    uint64_t executed = 0;
    while (item.kind != ASSAY_EXECUTED_END) {
        assert_int_equal(assay_execution_next(x, &item), ASSAY_OK);
        assay_execution_classes_add(classes, &item);
        executed += item.kind == ASSAY_EXECUTED_INSTRUCTION;
    }
    assert_int_equal(executed, made->facts.executed);
    assert_in_range(executed, INSTRUCTIONS / 2, INSTRUCTIONS);
    assay_execution_close(x);
}

static void check_classes(enum assay_execution_isa isa, const enum assay_execution_class *due,
                          size_t due_count)
{
    struct assay_execution_classes classes = {.isa = isa};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct assay_challenge_options options = linux_of(isa, seed);
        struct made made;
        make(&options, &made);
        count(&made, &classes);
        drop(&made);
    }
    for (size_t i = 0; i < due_count; i++) {
        if (classes.count[due[i]] < SEEDS) {
            fail_msg("%s: %u", assay_execution_class_name(due[i]), (unsigned)classes.count[due[i]]);
        }
    }
}

static void programs_of_aarch64_exercise_these_classes(void **state)
{
    (void)state;
    static const enum assay_execution_class due[] = {ASSAY_CLASS_BRANCH_TAKEN,
                                                     ASSAY_CLASS_BRANCH_NOT_TAKEN,
                                                     ASSAY_CLASS_BRANCH_BACK,
                                                     ASSAY_CLASS_BRANCH_REGISTER,
                                                     ASSAY_CLASS_BRANCH_BIT,
                                                     ASSAY_CLASS_BRANCH_ALWAYS,
                                                     ASSAY_CLASS_JUMP,
                                                     ASSAY_CLASS_CALL,
                                                     ASSAY_CLASS_INDIRECT_JUMP,
                                                     ASSAY_CLASS_INDIRECT_CALL,
                                                     ASSAY_CLASS_RETURN,
                                                     ASSAY_CLASS_RETURN_OTHER,
                                                     ASSAY_CLASS_CALLS_32,
                                                     ASSAY_CLASS_HINT,
                                                     ASSAY_CLASS_READ_1,
                                                     ASSAY_CLASS_READ_2,
                                                     ASSAY_CLASS_READ_4,
                                                     ASSAY_CLASS_READ_8,
                                                     ASSAY_CLASS_WRITE_1,
                                                     ASSAY_CLASS_WRITE_2,
                                                     ASSAY_CLASS_WRITE_4,
                                                     ASSAY_CLASS_WRITE_8,
                                                     ASSAY_CLASS_LITERAL,
                                                     ASSAY_CLASS_WRITEBACK,
                                                     ASSAY_CLASS_PAIR,
                                                     ASSAY_CLASS_ACQUIRE,
                                                     ASSAY_CLASS_RELEASE,
                                                     ASSAY_CLASS_FENCE,
                                                     ASSAY_CLASS_FENCE_INSTRUCTIONS};
    check_classes(ASSAY_EXECUTION_AARCH64, due, sizeof due / sizeof due[0]);
}

static void programs_of_riscv_exercise_these_classes(void **state)
{
    (void)state;
    static const enum assay_execution_class due[] = {
        ASSAY_CLASS_BRANCH_TAKEN,  ASSAY_CLASS_BRANCH_NOT_TAKEN, ASSAY_CLASS_BRANCH_BACK,
        ASSAY_CLASS_JUMP,          ASSAY_CLASS_BRANCH_REGISTER,  ASSAY_CLASS_CALL,
        ASSAY_CLASS_INDIRECT_JUMP, ASSAY_CLASS_INDIRECT_CALL,    ASSAY_CLASS_INFERABLE_JUMP,
        ASSAY_CLASS_SWAP,          ASSAY_CLASS_RETURN,           ASSAY_CLASS_RETURN_OTHER,
        ASSAY_CLASS_CALLS_32,      ASSAY_CLASS_COMPRESSED,       ASSAY_CLASS_ODD_PLACE,
        ASSAY_CLASS_READ_1,        ASSAY_CLASS_READ_2,           ASSAY_CLASS_READ_4,
        ASSAY_CLASS_READ_8,        ASSAY_CLASS_WRITE_1,          ASSAY_CLASS_WRITE_2,
        ASSAY_CLASS_WRITE_4,       ASSAY_CLASS_WRITE_8,          ASSAY_CLASS_ATOMIC,
        ASSAY_CLASS_ACQUIRE,       ASSAY_CLASS_RELEASE,          ASSAY_CLASS_FENCE};
    check_classes(ASSAY_EXECUTION_RISCV64, due, sizeof due / sizeof due[0]);
}

static void without_compressed_instructions_there_are_none(void **state)
{
    (void)state;
    struct assay_execution_classes classes = {.isa = ASSAY_EXECUTION_RISCV64};
    struct assay_challenge_options options = linux_of(ASSAY_EXECUTION_RISCV64, 5);
    struct made made;
    options.no_compressed = options.no_atomics = true;
    make(&options, &made);
    count(&made, &classes);
    drop(&made);
    assert_int_equal(classes.count[ASSAY_CLASS_COMPRESSED], 0);
    assert_int_equal(classes.count[ASSAY_CLASS_ATOMIC], 0);
}

/* --- where a bare program lies --- */

static void a_bare_program_lies_and_ends_where_it_shall(void **state)
{
    (void)state;
    static const uint64_t bases[BARE_PLACES] = {0x1000, 0x80000000, UINT64_C(0x123456789000),
                                                UINT64_C(0x7fffffff0000) - 0x10000};
    for (size_t i = 0; i < BARE_PLACES; i++) {
        struct assay_challenge_options options = bare_of(ASSAY_EXECUTION_AARCH64);
        struct made made;
        struct assay_executed item = {.kind = ASSAY_EXECUTED_THREAD_START};
        struct assay_executed last = item;
        struct assay_access store = {.size = 0};
        options.base = bases[i];
        options.has_end = options.has_tohost = i % 2 == 1;
        options.end = bases[i] - 4;
        options.tohost = bases[i] - 16;
        make(&options, &made);
        struct assay_execution *x = open_execution(&made);
        for (bool first = true; item.kind != ASSAY_EXECUTED_END;) {
            assert_int_equal(assay_execution_next(x, &item), ASSAY_OK);
            if (item.kind == ASSAY_EXECUTED_INSTRUCTION) {
                assert_true(!first || item.address == bases[i]);
                first = false;
                last = item;
                store = item.accesses > 0 && item.access[0].write ? item.access[0] : store;
            }
        }
        assert_int_equal(store.address, made.facts.tohost);
        assert_int_equal(store.content, 1);
        assert_int_equal(last.address + 4, made.facts.stop);
        assert_int_equal(last.accesses, 1);
        assert_true(options.has_end || made.facts.finish == made.facts.stop);
        assert_true(!options.has_end || made.facts.finish == options.end);
        assert_true(!options.has_tohost || made.facts.tohost == options.tohost);
        assay_execution_close(x);
        drop(&made);
    }
}

/* --- what is refused --- */

static void refuses(const struct assay_challenge_options *options, const char *message)
{
    struct assay_challenge_facts facts;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assert_int_equal(assay_challenge_make(options, NULL, NULL, &facts, &diag), ASSAY_OUT_OF_RANGE);
    if (strstr(diag.message, message) == NULL) {
        fail_msg("%s", diag.message);
    }
}

#define REFUSES(text, ...)                                                                         \
    do {                                                                                           \
        struct assay_challenge_options o = bare_of(ASSAY_EXECUTION_AARCH64);                       \
        __VA_ARGS__;                                                                               \
        refuses(&o, text);                                                                         \
    } while (0)

static void places_and_numbers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    REFUSES("instruction set", o.isa = ASSAY_EXECUTION_RISCV32);
    REFUSES("instructions at most", o.instructions = ASSAY_CHALLENGE_INSTRUCTIONS_LEAST - 1);
    REFUSES("instructions at most", o.instructions = UINT64_MAX);
    REFUSES("the base 0x0 is not between", o.base = 0);
    REFUSES("is not a multiple of 4096", o.base = 0x80000004);
    REFUSES("is not between", o.base = UINT64_C(1) << 47);
    REFUSES("leaves no room", o.base = UINT64_C(0x7fffffffe000));
    REFUSES("the end 0x80000000 is inside", o.has_end = true; o.end = 0x80000000);
    REFUSES("is inside", o.has_end = true; o.end = 0x80002000);
    REFUSES("is not a multiple of 4", o.has_end = true; o.end = 0x90000002);
    REFUSES("the end 0x0", o.has_end = true);
    REFUSES("tohost 0x80001000 is inside", o.has_tohost = true; o.tohost = 0x80001000);
    REFUSES("is not a multiple of 8", o.has_tohost = true; o.tohost = 0x90000004);
    REFUSES("is where the program ends", o.has_end = o.has_tohost = true; o.end = 0x90000004;
            o.tohost = 0x90000000);
    REFUSES("not at level 0", o.level = 0);
    REFUSES("not at level 4", o.level = 4);
    REFUSES("not at level 2", o.isa = ASSAY_EXECUTION_RISCV64; o.level = 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_gives_these_bytes),
        cmocka_unit_test(a_seed_always_gives_the_same_and_another_one_gives_other_words),
        cmocka_unit_test(facts_do_not_depend_on_what_is_written),
        cmocka_unit_test(programs_of_aarch64_exercise_these_classes),
        cmocka_unit_test(programs_of_riscv_exercise_these_classes),
        cmocka_unit_test(without_compressed_instructions_there_are_none),
        cmocka_unit_test(a_bare_program_lies_and_ends_where_it_shall),
        cmocka_unit_test(places_and_numbers_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
