/* A program and a trace of it that is changed at random: exactly the changes are reported. */
#include "astf/tests/compare_support.h"

#include "common/tests/random.h"

enum { TRIALS = 40, MOST = 200, EDGE = 400 };

/* Code that runs once, and loops whose iterations load from other addresses each time. */
static struct program some_program(uint64_t *seed, size_t count)
{
    struct program p = {0};
    uint64_t pc = 0x10000;
    uint64_t data = 0x800000;
    while (p.count < count) {
        const size_t length = 3 + random_below(seed, random_below(seed, 4) == 0 ? 120 : 20);
        const size_t passes = random_below(seed, 3) == 0 ? 1 : 1 + random_below(seed, 60);
        for (size_t pass = 0; pass < passes; pass++) {
            for (size_t i = 0; i < length; i++) {
                const bool load = i % 3 == 1;
                data += 8;
                program_add(&p,
                            (struct one){.pc = pc + 4 * i,
                                         .iword = load ? UINT32_C(0xf9400020)
                                                       : UINT32_C(0x91000400) + (uint32_t)i % 31,
                                         .address = load ? data : 0});
            }
        }
        pc += 4 * length;
    }
    return p;
}

struct poke {
    const char *name;
    size_t at, n, second, late, early;
};

static void assert_report(const struct poke *poke, const struct report *report,
                          const struct report *want)
{
    const bool right = report->replaced == want->replaced && report->moved == want->moved &&
                       report->excess == want->excess && report->left_out == want->left_out &&
                       report->lost == 0 && report->unknown == 0 && report->located &&
                       report->wrong_accesses == 0 && report->begins_after == poke->late &&
                       report->unrecorded == poke->early;
    if (!right) {
        fail_msg("%s of %zu and %zu at %zu, %zu late, %zu early: %ju replaced, %ju moved, "
                 "%ju in excess, %ju left out, %ju lost, %ju with other accesses, begins %ju, "
                 "%ju unrecorded",
                 poke->name, poke->n, poke->second, poke->at, poke->late, poke->early,
                 (uintmax_t)report->replaced, (uintmax_t)report->moved, (uintmax_t)report->excess,
                 (uintmax_t)report->left_out, (uintmax_t)report->lost,
                 (uintmax_t)report->wrong_accesses, (uintmax_t)report->begins_after,
                 (uintmax_t)report->unrecorded);
    }
}

/* Begins late and ends early, at times. */
static void cut(uint64_t *seed, struct poke *poke, struct program *trace)
{
    if (random_below(seed, 2) == 0) {
        poke->late = random_below(seed, trace->count / 3);
        remove_records(trace, 0, poke->late);
    }
    if (random_below(seed, 2) == 0) {
        poke->early = random_below(seed, trace->count / 3);
        trace->count -= poke->early;
    }
}

typedef struct report poker(struct poke *poke, struct program *trace);

static void poke_at_random(const char *name, uint64_t seed, poker *act)
{
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        const struct program program = some_program(&seed, 3000 + random_below(&seed, 9000));
        struct program trace = program_copy(&program);
        struct poke poke = {.name = name};
        cut(&seed, &poke, &trace);
        const bool small = random_below(&seed, 3) == 0;
        poke.n = 1 + random_below(&seed, small ? 4 : MOST);
        poke.second = 1 + random_below(&seed, small ? 4 : MOST);
        poke.at = EDGE + random_below(&seed, trace.count - 2 * EDGE);
        const struct report want = act(&poke, &trace);
        const struct report report = compare_with(&program, false, &trace);
        assert_report(&poke, &report, &want);
        program_drop(&trace);
        struct program all = program;
        program_drop(&all);
    }
}

static struct report leave_alone(struct poke *poke, struct program *trace)
{
    (void)poke;
    (void)trace;
    return (struct report){0};
}

static struct report remove_some(struct poke *poke, struct program *trace)
{
    remove_records(trace, poke->at, poke->n);
    return (struct report){.left_out = poke->n};
}

static struct report repeat_some(struct poke *poke, struct program *trace)
{
    repeat_records(trace, poke->at, poke->n);
    return (struct report){.excess = poke->n};
}

static struct report insert_some(struct poke *poke, struct program *trace)
{
    insert_records(trace, poke->at, poke->n);
    return (struct report){.excess = poke->n};
}

static struct report change_some(struct poke *poke, struct program *trace)
{
    replace_records(trace, poke->at, poke->n);
    return (struct report){.replaced = poke->n};
}

static struct report swap_some(struct poke *poke, struct program *trace)
{
    swap_runs(trace, poke->at, poke->n, poke->second);
    return (struct report){.moved = poke->n < poke->second ? poke->n : poke->second};
}

static void a_trace_is_found_wherever_it_begins_and_ends(void **state)
{
    (void)state;
    poke_at_random("nothing", 1, leave_alone);
}

static void what_was_removed_is_left_out(void **state)
{
    (void)state;
    poke_at_random("removal", 2, remove_some);
}

static void what_is_repeated_is_in_excess(void **state)
{
    (void)state;
    poke_at_random("repetition", 3, repeat_some);
}

static void what_was_inserted_is_in_excess(void **state)
{
    (void)state;
    poke_at_random("insertion", 4, insert_some);
}

static void what_was_changed_is_replaced(void **state)
{
    (void)state;
    poke_at_random("change", 5, change_some);
}

static void what_was_exchanged_has_moved(void **state)
{
    (void)state;
    poke_at_random("exchange", 6, swap_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_found_wherever_it_begins_and_ends),
        cmocka_unit_test(what_was_removed_is_left_out),
        cmocka_unit_test(what_is_repeated_is_in_excess),
        cmocka_unit_test(what_was_inserted_is_in_excess),
        cmocka_unit_test(what_was_changed_is_replaced),
        cmocka_unit_test(what_was_exchanged_has_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
