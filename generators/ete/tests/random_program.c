#include "generators/ete/tests/random_program.h"

#include <stdlib.h>

#include "common/tests/random.h"
#include "execution/execution_writer.h"
#include "isa/a64.h"

enum { SHORT = 40, CALLS = 32, WORD = 4, VECTORS = 4, PER_EVENT = 150 };

static const uint32_t plain[] = {0xd503201f, 0x91000400, 0xf9400020, 0x8b010000};
static const uint32_t indirect[] = {0xd61f0200, 0xd63f0200, 0xd65f03c0, 0xd65f0bff, 0xd65f03c0};
static const uint32_t synchronising[] = {0xd5033fdf, 0xd503207f, 0xd503205f};
enum { SVC_CLASS = 0x15 };
enum { SVC = (int)0xd4000001, ERET = (int)0xd69f03e0, B = 0x14000000, BL = (int)0x94000000 };

#define ONE_OF(seed, list) (list)[random_below(seed, sizeof(list) / sizeof(list)[0])]

/* --- the program --- */

/* A direct branch from a word to another one, most often a near one. */
static uint32_t some_branch(const struct random_program *p, uint64_t *seed, size_t at)
{
    static const uint32_t conditional[] = {0x54000000, 0x34000000, 0x35000001, 0x36000002};
    const size_t to =
        random_below(seed, 4) > 0
            ? (at + SHORT + 1 + p->count - (size_t)random_below(seed, 2 * SHORT)) % p->count
            : (size_t)random_below(seed, p->count);
    const uint32_t distance = (uint32_t)to - (uint32_t)at;
    const uint64_t kind = random_below(seed, 8);
    if (kind < 3) {
        return (kind == 0 ? (uint32_t)B : (uint32_t)BL) | (distance & 0x3ffffff);
    }
    const uint32_t word = ONE_OF(seed, conditional);
    const uint32_t mask = word == 0x36000002 ? 0x3fff : 0x7ffff;
    return word | (distance & mask) << 5;
}

static void make_words(struct random_program *p, uint64_t *seed, bool system)
{
    for (size_t at = 0; at < p->count; at++) {
        const uint64_t kind = random_below(seed, 20);
        p->words[at] = kind < 11                              ? ONE_OF(seed, plain)
                       : kind < 16                            ? some_branch(p, seed, at)
                       : kind < 18                            ? ONE_OF(seed, indirect)
                       : kind == 18                           ? ONE_OF(seed, synchronising)
                       : system && random_below(seed, 2) == 0 ? (uint32_t)ERET
                                                              : (uint32_t)SVC;
    }
}

/* --- its execution --- */

struct pe {
    struct random_program *program;
    struct assay_execution_track *track;
    uint64_t seed;
    uint64_t pc, time;
    uint64_t calls[CALLS];
    unsigned depth;
    bool system;
    uint8_t level;
};

static uint64_t some_place(struct pe *pe)
{
    return pe->program->base + WORD * random_below(&pe->seed, pe->program->count);
}

static uint32_t word_at(const struct pe *pe, uint64_t pc)
{
    return pe->program->words[(pc - pe->program->base) / WORD];
}

/* Most often to where it was called from. */
static uint64_t returned(struct pe *pe)
{
    const bool known = pe->depth > 0 && random_below(&pe->seed, 5) > 0;
    return known ? pe->calls[--pe->depth] : some_place(pe);
}

static uint64_t next_of(struct pe *pe, uint32_t word)
{
    const uint64_t info = a64_classify(word);
    const uint64_t after = pe->pc + WORD;
    if (a64_info_is_call(info) != 0 && pe->depth < CALLS) {
        pe->calls[pe->depth++] = after;
    }
    if (a64_info_is_direct(info) != 0) {
        const bool taken = a64_info_is_conditional(info) == 0 || random_below(&pe->seed, 2) == 0;
        return taken ? a64_direct_target(word, pe->pc) : after;
    }
    if (a64_info_is_return(info) != 0) {
        return returned(pe);
    }
    if (a64_info_is_branch(info) != 0 || a64_info_is_exception_return(info) != 0) {
        return some_place(pe);
    }
    return after;
}

/* The handler of an interrupt or a fault is at any place, and its vector says which it is. */
static void trap(struct pe *pe, uint64_t cause, uint64_t from)
{
    const unsigned least = pe->level > 1 ? pe->level : 1;
    pe->level = (uint8_t)(least + random_below(&pe->seed, 4 - least));
    (void)assay_execution_put_trap(
        pe->track,
        &(struct assay_executed){.level = pe->level, .cause = cause << 26, .from = from});
}

static void trap_anywhere(struct pe *pe)
{
    static const uint64_t classes[] = {0x24, 0x20, 0x3c, 0x00, 0x22, 0x2f, 0x34};
    trap(pe, ONE_OF(&pe->seed, classes), pe->pc);
    pe->pc = some_place(pe);
}

/* The handler of an SVC is where the vector of a synchronous exception is: the program begins
 * there. */
static void trap_by_call(struct pe *pe)
{
    trap(pe, SVC_CLASS, pe->pc);
    pe->pc = pe->program->base;
}

/* Whether control is taken away before the next instruction. ERET is undefined at EL0. */
static bool divert(struct pe *pe)
{
    const uint32_t word = word_at(pe, pe->pc);
    const bool undefined = word == (uint32_t)ERET && pe->level == 0;
    if (!undefined && random_below(&pe->seed, PER_EVENT) > 0) {
        return false;
    }
    if (random_below(&pe->seed, 2) == 0) {
        (void)assay_execution_put_aborted_at(pe->track, pe->pc, word, WORD, 0x10);
    } else {
        (void)assay_execution_put_diverted(pe->track);
    }
    if (pe->system) {
        trap_anywhere(pe);
    } else {
        pe->pc = some_place(pe);
    }
    return true;
}

static void after_svc(struct pe *pe)
{
    const uint64_t arguments[6] = {0};
    if (pe->system) {
        trap_by_call(pe);
    } else {
        (void)assay_execution_put_system_call(pe->track, 64, arguments);
        (void)assay_execution_put_system_return(pe->track, 64, 0);
    }
}

static void execute_one(struct pe *pe)
{
    const uint32_t word = word_at(pe, pe->pc);
    (void)assay_execution_put_instruction(pe->track, pe->pc, word, WORD, NULL, 0);
    pe->program->executed[pe->program->length++] = pe->pc;
    pe->pc = next_of(pe, word);
    if (pe->pc >= pe->program->base + WORD * pe->program->count) {
        pe->pc = pe->program->base; /* the last word is a branch there */
    }
    if (word == (uint32_t)SVC) {
        after_svc(pe);
    } else if (word == (uint32_t)ERET) {
        pe->level = (uint8_t)random_below(&pe->seed, pe->level + 1u);
        (void)assay_execution_put_level(pe->track, pe->level);
    }
    if (random_below(&pe->seed, 50) == 0) {
        (void)assay_execution_put_clock(pe->track, pe->time += random_below(&pe->seed, 1000));
    }
}

static void execute(struct pe *pe, size_t length)
{
    while (pe->program->length < length) {
        if (pe->program->length == 0 || !divert(pe)) {
            execute_one(pe);
        }
    }
}

bool random_program_make(struct random_program *p, uint64_t seed, size_t length, bool system)
{
    const struct assay_execution_header header = {.isa = ASSAY_EXECUTION_AARCH64,
                                                  .process = 42,
                                                  .producer = "",
                                                  .program = "",
                                                  .system = system};
    struct assay_execution_writer *writer = NULL;
    struct pe pe = {.program = p, .seed = seed, .system = system};
    *p = (struct random_program){.executed = calloc(length + 1, sizeof *p->executed)};
    p->count = 64 + (size_t)random_below(&pe.seed, RANDOM_WORDS_MOST - 64);
    p->base = random_next(&pe.seed) >> random_below(&pe.seed, 40) & ~UINT64_C(0xffff);
    make_words(p, &pe.seed, system);
    p->words[0] = plain[0];
    p->words[p->count - 1] = (uint32_t)B | (0x3ffffff & (uint32_t)(1 - p->count));
    pe.pc = p->base;
    assay_sink_memory(&p->recording, 0);
    if (p->executed == NULL ||
        assay_execution_writer_open(&p->recording, &header, &writer, NULL) != ASSAY_OK ||
        assay_execution_track_open(writer, 0, 0, &pe.track) != ASSAY_OK) {
        return false;
    }
    if (system) {
        (void)assay_execution_put_level(pe.track, pe.level);
    }
    execute(&pe, length);
    (void)assay_execution_track_close(pe.track, true);
    (void)assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assay_execution_writer_close(writer);
    return p->recording.error == ASSAY_OK;
}

void random_program_free(struct random_program *p)
{
    assay_sink_close(&p->recording, NULL);
    free(p->executed);
}
