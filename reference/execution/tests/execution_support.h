/* What the tests of recorded executions share: random executions, writing and reading in memory. */
#ifndef ASSAY_EXECUTION_TESTS_EXECUTION_SUPPORT_H
#define ASSAY_EXECUTION_TESTS_EXECUTION_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "execution/execution_writer.h"

static inline uint64_t random64(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t random_below(uint64_t *seed, uint64_t bound)
{
    return (random64(seed) >> 11) % bound;
}

/* A writer into memory. */
struct recording {
    struct assay_sink sink;
    struct assay_execution_writer *writer;
};

static inline void recording_start(struct recording *r, enum assay_execution_isa isa)
{
    const struct assay_execution_header header = {
        .isa = isa, .process = 77, .epoch = 5, .producer = "the test 1", .program = "none"};
    assay_sink_memory(&r->sink, 0);
    assert_int_equal(assay_execution_writer_open(&r->sink, &header, &r->writer, NULL), ASSAY_OK);
}

static inline void recording_end(struct recording *r, enum assay_execution_reason reason)
{
    assert_int_equal(assay_execution_writer_end(r->writer, reason), ASSAY_OK);
    assay_execution_writer_close(r->writer);
    r->writer = NULL;
}

static inline void recording_drop(struct recording *r)
{
    assay_execution_writer_close(r->writer);
    assert_int_equal(assay_sink_close(&r->sink, NULL), ASSAY_OK);
}

static inline struct assay_execution_track *new_track(struct recording *r, uint64_t time)
{
    struct assay_execution_track *track = NULL;
    assert_int_equal(assay_execution_track_open(r->writer, 1000, time, &track), ASSAY_OK);
    return track;
}

/* A reader over bytes. */
static inline struct assay_execution *read_bytes(const void *data, size_t size)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_source_memory(data, size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

/* A made-up program: a few loops with changing accesses, calls and faults in between. The
 * same seed gives the same items. */
struct story {
    uint64_t seed;
    enum assay_execution_isa isa;
    uint64_t address;
    uint64_t loop; /* where the current loop begins */
    unsigned length;
    unsigned step;
    uint64_t time;
    bool contents; /* contents of accesses are recorded */
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX];
    struct assay_walk walk;
};

static inline void story_start(struct story *story, uint64_t seed, enum assay_execution_isa isa)
{
    *story = (struct story){.seed = seed * 2 + 1, .isa = isa, .length = 1};
}

static inline uint32_t word_at(uint64_t address, unsigned size)
{
    uint64_t mix = address * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mix >> 40) & (size == 2 ? 0xffffu : 0xffffffffu);
}

/* Of every length, and some that are not known. */
static inline void story_content(struct assay_access *access)
{
    const uint64_t mix = (access->address + access->size) * UINT64_C(0x9e3779b97f4a7c15);
    access->content_known = access->size <= 8 && mix % 9 != 0;
    access->content =
        access->content_known ? (mix >> (mix >> 4) % 64) & assay_mask(8 * access->size) : 0;
}

/* Accesses that mostly keep their shape, as a program's do. */
static inline unsigned story_accesses(struct story *story)
{
    uint64_t shape = (story->address * UINT64_C(0xd6e8feb86659fd93)) >> 33;
    unsigned count = (unsigned)(shape % 8 < 5 ? 0 : shape % 8 - 4);
    if (random_below(&story->seed, 300) == 0) {
        count = (unsigned)random_below(&story->seed, 40);
    }
    if (random_below(&story->seed, 20000) == 0) {
        count = ASSAY_EXECUTION_ACCESSES_MAX;
    }
    uint64_t at = shape % 3 == 0 ? random64(&story->seed) : shape * 16 + story->step * 8;
    for (unsigned i = 0; i < count; ++i) {
        story->access[i] = (struct assay_access){
            .address = at, .size = 1u << (shape + i) % 13, .write = ((shape + i) & 16) != 0};
        if (story->contents) {
            story_content(&story->access[i]);
        }
        at += story->access[i].size;
    }
    return count;
}

static inline void story_move(struct story *story, unsigned size)
{
    story->address += size;
    if (++story->step % story->length == 0) {
        if (random_below(&story->seed, 20) == 0) {
            story->loop = random64(&story->seed) & ~UINT64_C(3);
            story->length = 1 + (unsigned)random_below(&story->seed, 300);
        }
        story->address = story->loop;
    }
}

static inline void story_walk(struct story *story)
{
    struct assay_walk *walk = &story->walk;
    *walk = (struct assay_walk){.page_log2 = (uint8_t)(12 + random_below(&story->seed, 37)),
                                .count = (uint8_t)(1 + random_below(&story->seed, 5)),
                                .data = random_below(&story->seed, 2) == 0};
    walk->address = random64(&story->seed) & ~assay_mask(walk->page_log2);
    for (unsigned i = 0; i < walk->count; ++i) {
        walk->entry[i].address = random64(&story->seed) >> random_below(&story->seed, 64);
        walk->entry[i].content = random64(&story->seed);
    }
}

/* The next item of the program, neither a thread's start nor its end. */
static inline void story_next(struct story *story, struct assay_executed *item)
{
    *item = (struct assay_executed){.kind = ASSAY_EXECUTED_INSTRUCTION};
    const uint64_t dice = random_below(&story->seed, 2000);
    if (dice < 4) {
        story->time += random_below(&story->seed, 1000000);
    }
    item->time = story->time;
    if (dice == 10) {
        item->kind = ASSAY_EXECUTED_SYSTEM_CALL;
        item->number = random_below(&story->seed, 500);
        for (unsigned i = 0; i < 6; ++i) {
            item->args[i] = random64(&story->seed) >> random_below(&story->seed, 64);
        }
        return;
    }
    if (dice == 11) {
        item->kind = ASSAY_EXECUTED_SYSTEM_RETURN;
        item->number = random_below(&story->seed, 500);
        item->value = (int64_t)random_below(&story->seed, 1000) - 500;
        return;
    }
    if (dice == 14 || dice == 15) {
        item->kind = dice == 14 ? ASSAY_EXECUTED_TRAP : ASSAY_EXECUTED_LEVEL;
        item->level = (uint8_t)random_below(&story->seed, 4);
        if (dice == 14) {
            item->cause = random64(&story->seed);
            item->from = story->address;
            item->fault = random64(&story->seed) >> random_below(&story->seed, 64);
            item->status = random_below(&story->seed, 1000);
        }
        return;
    }
    if (dice == 16) {
        story_walk(story);
        item->kind = ASSAY_EXECUTED_WALK;
        item->walk = &story->walk;
        return;
    }
    const bool narrow = story->isa != ASSAY_EXECUTION_AARCH64 && (story->address & 6) == 2;
    if (dice == 12) {
        item->kind = ASSAY_EXECUTED_DIVERTED;
        item->aborted = random_below(&story->seed, 2) == 0;
        if (!item->aborted) {
            return;
        }
    }
    item->address = story->address;
    item->size = narrow ? 2 : 4;
    item->word = word_at(story->address, item->size) ^ (dice == 13);
    if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        item->accesses = (uint16_t)story_accesses(story);
        item->access = story->access;
        story_move(story, item->size);
    }
}

static inline void put_item(struct assay_execution_track *track, const struct assay_executed *item)
{
    enum assay_error error = assay_execution_put_clock(track, item->time);
    assert_int_equal(error, ASSAY_OK);
    switch (item->kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        error = assay_execution_put_instruction(track, item->address, item->word, item->size,
                                                item->access, item->accesses);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
        error = assay_execution_put_system_call(track, item->number, item->args);
        break;
    case ASSAY_EXECUTED_SYSTEM_RETURN:
        error = assay_execution_put_system_return(track, item->number, item->value);
        break;
    case ASSAY_EXECUTED_DIVERTED:
        error = item->aborted
                    ? assay_execution_put_aborted(track, item->address, item->word, item->size)
                    : assay_execution_put_diverted(track);
        break;
    case ASSAY_EXECUTED_TRAP:
        error = assay_execution_put_trap(track, item);
        break;
    case ASSAY_EXECUTED_LEVEL:
        error = assay_execution_put_level(track, item->level);
        break;
    case ASSAY_EXECUTED_WALK:
        error = assay_execution_put_walk(track, item->walk);
        break;
    case ASSAY_EXECUTED_THREAD_START:
    case ASSAY_EXECUTED_THREAD_END:
    case ASSAY_EXECUTED_END:
        fail();
    }
    assert_int_equal(error, ASSAY_OK);
}

#endif
