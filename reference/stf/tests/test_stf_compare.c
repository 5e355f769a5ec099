/* Traces beside recorded executions. Programs and their traces are poked at random: what is told is
 * what was done, and as often. */
#include "stf/tests/stf_support.h"

#include "execution/execution_writer.h"

enum { TRIALS = 12, MOST = 200, EDGE = 400 };

/* Words of instructions. */
static const uint32_t nop = 0x13, load = 0x00013283, branch = 0xfe0008e3, c_addi = 0x0285,
                      addi = 0x00128293;

/* An instruction; one with an address loads 8 bytes from there, one with a target jumps. */
struct one {
    uint64_t pc;
    uint64_t address, target; /* 0: none */
    uint32_t word;
};

struct program {
    struct one *list;
    size_t count, capacity;
};

static unsigned size_of(uint32_t word)
{
    return (word & 3) == 3 ? 4 : 2;
}

static void add(struct program *p, struct one one)
{
    if (p->count == p->capacity) {
        p->capacity = p->capacity * 2 + 64;
        p->list = realloc(p->list, p->capacity * sizeof p->list[0]);
        assert_non_null(p->list);
    }
    p->list[p->count++] = one;
}

static void drop(struct program *p)
{
    free(p->list);
    *p = (struct program){0};
}

/* Code that runs once, and loops whose passes load from other places each time; in one piece, or
 * `apart`, with jumps between. */
static struct program some_program(uint64_t *seed, size_t count, bool apart)
{
    struct program p = {0};
    uint64_t begin = 0x10000;
    uint64_t data = 0x800000;
    while (p.count < count) {
        const size_t length = 3 + random_below(seed, random_below(seed, 4) == 0 ? 120 : 20);
        const size_t passes = random_below(seed, 3) == 0 ? 1 : 1 + random_below(seed, 60);
        uint64_t pc = begin;
        for (size_t pass = 0; pass < passes; pass++) {
            pc = begin;
            for (size_t i = 0; i < length; i++) {
                const bool loads = i % 3 == 1;
                const bool last = i + 1 == length;
                const uint32_t word = last         ? branch
                                      : loads      ? load
                                      : i % 5 == 0 ? c_addi
                                                   : addi + (uint32_t)(i % 31 << 20);
                data += 8;
                add(&p, (struct one){.pc = pc,
                                     .word = word,
                                     .address = loads && !last ? data : 0,
                                     .target = last && pass + 1 < passes ? begin : 0});
                pc += size_of(word);
            }
        }
        begin = apart ? pc + 0x10000 : pc;
        p.list[p.count - 1].target = apart ? begin : 0;
    }
    return p;
}

/* --- edits of a trace --- */

static void open_gap(struct program *p, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add(p, (struct one){0});
    }
    memmove(&p->list[at + n], &p->list[at], (p->count - n - at) * sizeof p->list[0]);
}

static void take_out(struct program *p, size_t at, size_t n)
{
    memmove(&p->list[at], &p->list[at + n], (p->count - at - n) * sizeof p->list[0]);
    p->count -= n;
}

/* Instructions that were executed nowhere. */
static void replace(struct program *p, size_t at, size_t n)
{
    for (size_t i = at; i < at + n; i++) {
        p->list[i] = (struct one){.pc = 0x900000 + 4 * i, .word = nop};
    }
}

static void exchange(struct program *p, size_t at, size_t first, size_t second)
{
    struct program moved = {0};
    for (size_t i = 0; i < first; i++) {
        add(&moved, p->list[at + i]);
    }
    memmove(&p->list[at], &p->list[at + first], second * sizeof p->list[0]);
    memcpy(&p->list[at + second], moved.list, first * sizeof p->list[0]);
    drop(&moved);
}

/* --- the recording and the trace --- */

static struct assay_execution *record(const struct program *program, struct assay_sink *sink)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_RISCV64, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assay_sink_memory(sink, 0);
    assert_int_equal(assay_execution_writer_open(sink, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 0, 0, &track), ASSAY_OK);
    for (size_t i = 0; i < program->count; i++) {
        const struct one *one = &program->list[i];
        const struct assay_access access = {.address = one->address, .size = 8};
        assert_int_equal(assay_execution_put_instruction(track, one->pc, one->word,
                                                         size_of(one->word), &access,
                                                         one->address != 0),
                         ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

/* With FORCE_PC where the address does not follow, or without. */
static struct trace trace_of(const struct program *p, bool forced)
{
    struct trace trace = begin_with(6, 2, 0x20, p->list[0].pc);
    for (size_t i = 0; i < p->count; i++) {
        const struct one *one = &p->list[i];
        const struct one *before = i > 0 ? &p->list[i - 1] : NULL;
        if (forced && before != NULL &&
            one->pc !=
                (before->target != 0 ? before->target : before->pc + size_of(before->word))) {
            PUT(&trace, force_pc, {"pc", one->pc});
        }
        if (one->target != 0) {
            PUT(&trace, inst_pc_target, {"pc", one->target});
        }
        if (one->address != 0) {
            PUT(&trace, inst_mem_access, {"address", one->address}, {"size", 8}, {"type", 1});
            PUT(&trace, inst_mem_content, {"data", 0});
        }
        if (size_of(one->word) == 4) {
            PUT(&trace, inst_32, {"encoding", one->word});
        } else {
            PUT(&trace, inst_16, {"encoding", one->word});
        }
    }
    return trace;
}

/* --- what is told --- */

struct told {
    uint64_t replaced, moved, excess, left_out, lost, untold, displaced;
    uint64_t wrong_accesses; /* records whose accesses are not those of their instruction */
    uint64_t begins_after, unrecorded;
    bool located;
};

static void tell_one(struct told *told, const struct seen *seen)
{
    const bool executed = value_of(seen, "executed") != 0;
    const bool displaced = value_of(seen, "displaced") != 0;
    const bool is_that = (value_of(seen, "executed_pc") == value_of(seen, "pc") || displaced) &&
                         value_of(seen, "executed_word") == value_of(seen, "encoding");
    const bool moved = value_of(seen, "reordered") != 0;
    const bool excess = value_of(seen, "unexecuted") != 0;
    const bool lost = value_of(seen, "lost") != 0;
    assert_true(executed + excess + lost <= 1);
    assert_true(!moved || (executed && is_that));
    told->replaced += executed && !is_that;
    told->moved += moved;
    told->excess += excess;
    told->lost += lost;
    told->untold += !executed && !excess && !lost;
    told->displaced += displaced;
    told->left_out += value_of(seen, "left_out");
    told->wrong_accesses +=
        value_of(seen, "missing_read") != 0 || value_of(seen, "spurious_read") != 0;
}

static struct told hold(const struct program *executed, const struct program *p, bool forced)
{
    struct assay_sink sink;
    struct told told = {0};
    const struct trace trace = trace_of(p, forced);
    struct assay_decode_input input = {.execution = record(executed, &sink)};
    assert_int_equal(assay_source_memory(trace.data, trace.size, &input.source), ASSAY_OK);
    struct decoded all = decode_input(input);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind == STF_inst_32 || all.list[i].kind == STF_inst_16) {
            tell_one(&told, &all.list[i]);
        }
    }
    told.begins_after = value_of(end_of(&all), "begins_after");
    told.unrecorded = value_of(end_of(&all), "unrecorded");
    told.located = value_of(end_of(&all), "located") != 0;
    free(all.list);
    free(trace.data);
    assay_sink_close(&sink, NULL);
    return told;
}

/* --- pokes --- */

struct poke {
    const char *name;
    size_t at, n, second, late, early;
};

typedef struct told poker(const struct poke *poke, struct program *trace);

static void assert_told(const struct poke *poke, const struct told *told, const struct told *want)
{
    const bool right = told->replaced == want->replaced && told->moved == want->moved &&
                       told->excess == want->excess && told->left_out == want->left_out &&
                       told->lost == 0 && told->untold == 0 && told->displaced == 0 &&
                       told->located && told->wrong_accesses == 0 &&
                       told->begins_after == poke->late && told->unrecorded == poke->early;
    if (!right) {
        fail_msg("%s of %zu and %zu at %zu, %zu late, %zu early: %ju replaced, %ju moved, "
                 "%ju in excess, %ju left out, %ju lost, %ju untold, %ju displaced, %ju with other "
                 "accesses, begins %ju, %ju unrecorded",
                 poke->name, poke->n, poke->second, poke->at, poke->late, poke->early,
                 (uintmax_t)told->replaced, (uintmax_t)told->moved, (uintmax_t)told->excess,
                 (uintmax_t)told->left_out, (uintmax_t)told->lost, (uintmax_t)told->untold,
                 (uintmax_t)told->displaced, (uintmax_t)told->wrong_accesses,
                 (uintmax_t)told->begins_after, (uintmax_t)told->unrecorded);
    }
}

static void poke_at_random(const char *name, uint64_t seed, poker *act)
{
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct program program = some_program(&seed, 3000 + random_below(&seed, 6000), false);
        struct program trace = {0};
        struct poke poke = {.name = name};
        poke.late = random_below(&seed, 2) == 0 ? random_below(&seed, program.count / 3) : 0;
        poke.early = random_below(&seed, 2) == 0 ? random_below(&seed, program.count / 3) : 0;
        for (size_t i = poke.late; i < program.count - poke.early; i++) {
            add(&trace, program.list[i]);
        }
        const bool small = random_below(&seed, 3) == 0;
        poke.n = 1 + random_below(&seed, small ? 4 : MOST);
        poke.second = 1 + random_below(&seed, small ? 4 : MOST);
        poke.at = EDGE + random_below(&seed, trace.count - 2 * EDGE);
        const struct told want = act(&poke, &trace);
        const struct told told = hold(&program, &trace, true);
        assert_told(&poke, &told, &want);
        drop(&trace);
        drop(&program);
    }
}

static struct told leave_alone(const struct poke *poke, struct program *trace)
{
    (void)poke;
    (void)trace;
    return (struct told){0};
}

static struct told remove_some(const struct poke *poke, struct program *trace)
{
    take_out(trace, poke->at, poke->n);
    return (struct told){.left_out = poke->n};
}

static struct told insert_some(const struct poke *poke, struct program *trace)
{
    open_gap(trace, poke->at, poke->n);
    replace(trace, poke->at, poke->n);
    return (struct told){.excess = poke->n};
}

static struct told change_some(const struct poke *poke, struct program *trace)
{
    replace(trace, poke->at, poke->n);
    return (struct told){.replaced = poke->n};
}

static struct told exchange_some(const struct poke *poke, struct program *trace)
{
    exchange(trace, poke->at, poke->n, poke->second);
    return (struct told){.moved = poke->n < poke->second ? poke->n : poke->second};
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

static void what_was_inserted_is_in_excess(void **state)
{
    (void)state;
    poke_at_random("insertion", 3, insert_some);
}

static void what_was_changed_is_replaced(void **state)
{
    (void)state;
    poke_at_random("change", 4, change_some);
}

static void what_was_exchanged_has_moved(void **state)
{
    (void)state;
    poke_at_random("exchange", 5, exchange_some);
}

/* A jump that no record shows: the addresses after it are wrong until the next jump. */
static void records_behind_an_untold_jump_are_displaced(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct program program = some_program(&seed, 4000, true);
        struct program trace = {0};
        size_t at = EDGE + random_below(&seed, 2000);
        for (size_t i = 0; i < program.count; i++) {
            add(&trace, program.list[i]);
        }
        while (trace.list[at].target == 0) {
            at++;
        }
        trace.list[at].target = 0;
        const struct told told = hold(&program, &trace, false);
        assert_true(told.located);
        assert_int_equal(told.lost + told.excess + told.moved + told.left_out + told.untold, 0);
        assert_int_equal(told.replaced, 1);
        assert_int_equal(told.wrong_accesses, 0);
        drop(&trace);
        drop(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_found_wherever_it_begins_and_ends),
        cmocka_unit_test(what_was_removed_is_left_out),
        cmocka_unit_test(what_was_inserted_is_in_excess),
        cmocka_unit_test(what_was_changed_is_replaced),
        cmocka_unit_test(what_was_exchanged_has_moved),
        cmocka_unit_test(records_behind_an_untold_jump_are_displaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
