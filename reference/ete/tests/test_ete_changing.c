/* Programs whose memory changes while they are traced: random ones, which are executed by a model
 * that patches them on the way. What the decoder follows is compared with what was executed. */
#include "ete/tests/ete_support.h"

#include "common/random.h"
#include "ete/analyse.h"
#include "image/image.h"

#define ASYNC      "\0\0\0\0\0\0\0\0\0\0\0\x80"
#define TRACE_INFO "\x01\0"
#define TRACE_ON   "\x04"

enum { WORDS = 24, BASE = 0x1000, ATOMS = 600, PATCHES = 40, STREAM_MOST = 1 << 16 };

static const uint32_t NOP = 0xd503201f;
static const uint32_t B = 0x14000000;
static const uint32_t B_EQ = 0x54000000;

/* What was executed for an atom. */
struct executed {
    uint64_t offset; /* of its packet */
    uint64_t first, end;
    uint32_t last_word;
};

/* A program, its patches, and the trace of it. */
struct world {
    uint64_t random;
    unsigned patches; /* at most PATCHES */
    uint32_t memory[WORDS], at_first[WORDS], patched[PATCHES];
    uint64_t times[PATCHES], logged[PATCHES];
    struct assay_write writes[PATCHES + 1];
    struct assay_timeline timeline;
    uint8_t stream[STREAM_MOST];
    size_t size;
    struct executed executed[ATOMS];
    size_t atoms;
    bool has_markers;
};

static uint32_t random_word(uint64_t *random, unsigned index)
{
    const int32_t offset = (int32_t)assay_random_below(random, WORDS) - (int32_t)index;
    switch (assay_random_below(random, 6)) {
    case 0:
        return B | ((uint32_t)offset & 0x3ffffff);
    case 1:
        return B_EQ | ((uint32_t)offset & 0x7ffff) << 5;
    default:
        return NOP;
    }
}

static void put(struct world *w, const void *bytes, size_t size)
{
    assert_true(w->size + size <= STREAM_MOST);
    memcpy(&w->stream[w->size], bytes, size);
    w->size += size;
}

static void put_time(struct world *w, uint64_t time)
{
    uint8_t packet[6] = {0x02};
    for (unsigned i = 0; i < 5; i++) {
        packet[1 + i] = (uint8_t)((time >> 7 * i & 0x7f) | (i < 4 ? 0x80 : 0));
    }
    put(w, packet, sizeof packet);
}

static void put_address(struct world *w, uint64_t address)
{
    const uint8_t packet[] = {0x85, address >> 2 & 0x7f, address >> 9 & 0x7f, 0, 0, 0, 0, 0, 0,
                              0x31};
    put(w, packet, sizeof packet);
}

/* The patches, with times that the log has up to `tolerance` wrong. The last word stays, so that
 * nothing runs out of the program. */
static void make_program(struct world *w, uint64_t tolerance)
{
    uint64_t time = 50;
    uint64_t logged = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        w->at_first[i] =
            i + 1 < WORDS ? random_word(&w->random, i) : B | (0x3ffffff & -(WORDS - 1));
    }
    memcpy(w->memory, w->at_first, sizeof w->memory);
    w->writes[0] = (struct assay_write){.content = ASSAY_CONTENT_BYTES,
                                        .first = BASE,
                                        .last = BASE + sizeof w->at_first - 1,
                                        .bytes = (const uint8_t *)w->at_first};
    for (unsigned i = 0; i < w->patches; i++) {
        const unsigned index = (unsigned)assay_random_below(&w->random, WORDS - 1);
        time += assay_random_below(&w->random, 100);
        w->times[i] = time;
        const uint64_t inexact =
            time - tolerance + assay_random_below(&w->random, 2 * tolerance + 1);
        logged = inexact > logged ? inexact : logged;
        w->logged[i] = logged;
        w->patched[i] = random_word(&w->random, index);
        w->writes[i + 1] = (struct assay_write){.content = ASSAY_CONTENT_BYTES,
                                                .moment = i + 1,
                                                .first = BASE + 4 * index,
                                                .last = BASE + 4 * index + 3,
                                                .bytes = (const uint8_t *)&w->patched[i]};
    }
    w->timeline = (struct assay_timeline){.times = w->logged,
                                          .moments = w->patches,
                                          .dated = true,
                                          .tolerance = tolerance,
                                          .writes = w->writes,
                                          .write_count = w->patches + 1};
}

/* Executes up to a P0 instruction; returns whether it was taken. */
static bool execute(struct world *w, uint64_t *pc, uint64_t *time, unsigned *patches,
                    struct executed *executed)
{
    executed->first = *pc;
    for (;;) {
        *time += assay_random_below(&w->random, 3);
        for (; *patches < w->patches && w->times[*patches] <= *time; ++*patches) {
            w->memory[(w->writes[*patches + 1].first - BASE) / 4] = w->patched[*patches];
        }
        const uint32_t word = w->memory[(*pc - BASE) / 4];
        executed->last_word = word;
        executed->end = *pc + 4;
        if (word == NOP) {
            *pc += 4;
            continue;
        }
        const bool conditional = (word & 0xff000000) == B_EQ;
        const bool taken = !conditional || assay_random_once_in(&w->random, 2);
        const int32_t offset = conditional ? (int32_t)(word << 8) >> 13 : (int32_t)(word << 6) >> 6;
        *pc += taken ? (uint64_t)(4 * (int64_t)offset) : 4;
        return taken;
    }
}

/* Timestamps come at any place; with markers, one or two of these come before them, and some are
 * not followed by any. */
static void trace(struct world *w)
{
    uint64_t pc = BASE;
    uint64_t time = 1;
    uint64_t marked[2] = {0, 0};
    unsigned markers = 0;
    unsigned patches = 0;
    put(w, ASYNC TRACE_INFO TRACE_ON, sizeof ASYNC TRACE_INFO TRACE_ON - 1);
    put_address(w, pc);
    while (w->atoms < ATOMS) {
        struct executed *executed = &w->executed[w->atoms++];
        const bool taken = execute(w, &pc, &time, &patches, executed);
        executed->offset = w->size;
        put(w, taken ? "\xf7" : "\xf6", 1);
        if (assay_random_once_in(&w->random, 5)) {
            put_address(w, pc);
        }
        if (w->has_markers && markers < 2 && assay_random_once_in(&w->random, 6)) {
            marked[markers++] = time;
            put(w, "\x88", 1);
        }
        if (markers > 0 && assay_random_once_in(&w->random, 4)) {
            if (markers == 1 || !assay_random_once_in(&w->random, 3)) {
                put_time(w, marked[0]);
            }
            marked[0] = marked[1];
            markers--;
        } else if (!w->has_markers && assay_random_once_in(&w->random, 8)) {
            put_time(w, time);
        }
        time += assay_random_below(&w->random, 2);
    }
}

/* The events of what was executed. */
static struct decoded instructions_of(const struct world *w, const struct assay_image_set *set,
                                      bool runs)
{
    struct assay_parameter_values values;
    struct assay_source *source = NULL;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] = UINT64_C(1) << ETE_COMMOPT_BIT;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR8] = true;
    assert_int_equal(assay_source_memory(w->stream, w->size, &source), ASSAY_OK);
    return decode_program(source, &values, set, ETE_INSTRUCTION, runs);
}

/* The instructions of the runs, read again, are those that were followed: all but the last one of
 * a run are NOP. */
static void assert_same_instructions(const struct world *w, const struct assay_image_set *set,
                                     const struct decoded *runs)
{
    struct decoded all = instructions_of(w, set, false);
    size_t at = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct seen *run = &runs->list[i];
        const uint64_t count = run->kind == ETE_run ? value_of(run, "count") : 1;
        for (uint64_t n = 0; n < count; n++, at++) {
            assert_true(at < all.count);
            const struct seen *event = &all.list[at];
            assert_int_equal(event->kind, run->kind == ETE_run ? ETE_instruction : run->kind);
            if (run->kind == ETE_run) {
                assert_int_equal(value_of(event, "address"), value_of(run, "address") + 4 * n);
                assert_int_equal(value_of(event, "word"),
                                 n + 1 < count ? NOP : value_of(run, "last_word"));
            }
        }
    }
    assert_int_equal(at, all.count);
    free(all.list);
}

/* Follows the trace; returns how many atoms were. None may be followed by other instructions. */
static size_t follow(struct world *w)
{
    struct assay_image_set *set = NULL;
    size_t followed = 0;
    size_t at = 0;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_set_timeline(set, &w->timeline), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    struct decoded all = instructions_of(w, set, true);
    assert_same_instructions(w, set, &all);
    for (size_t i = 0; i < all.count; i++) {
        const struct seen *run = &all.list[i];
        if (run->kind == ETE_sync_lost) { /* the image has all of the program, changed or not */
            assert_int_not_equal(value_of(run, "reason"), ETE_LOST_ABSENT);
        }
        if (run->kind != ETE_run || value_of(run, "ends") == 0) {
            continue;
        }
        while (w->executed[at].offset != run->offset) {
            at++;
            assert_true(at < w->atoms);
        }
        assert_int_equal(value_of(run, "address"), w->executed[at].first);
        assert_int_equal(value_of(run, "end"), w->executed[at].end);
        assert_int_equal(value_of(run, "last_word"), w->executed[at].last_word);
        followed++;
    }
    free(all.list);
    assay_image_set_free(set);
    return followed;
}

static size_t follow_many(uint64_t seed, unsigned patches, uint64_t tolerance, bool has_markers,
                          bool dated)
{
    size_t followed = 0;
    for (unsigned round = 0; round < 60; round++) {
        struct world *w = calloc(1, sizeof *w);
        assert_non_null(w);
        w->random = seed + round;
        w->patches = patches;
        w->has_markers = has_markers;
        make_program(w, tolerance);
        trace(w);
        w->timeline.dated = dated;
        followed += follow(w);
        free(w);
    }
    return 100 * followed / (60 * ATOMS);
}

static void what_is_followed_was_executed(void **state)
{
    (void)state;
    assert_in_range(follow_many(1, PATCHES, 0, false, true), 50, 100);
}

static void a_single_change_is_followed(void **state)
{
    (void)state;
    assert_in_range(follow_many(4000, 1, 0, false, true), 90, 100);
}

static void inexact_times_lead_to_no_wrong_instruction(void **state)
{
    (void)state;
    assert_in_range(follow_many(1000, PATCHES, 20, false, true), 30, 90);
}

static void markers_lead_to_no_wrong_instruction(void **state)
{
    (void)state;
    assert_in_range(follow_many(2000, PATCHES, 0, true, true), 30, 90);
}

static void without_times_only_what_never_changes_is_followed(void **state)
{
    (void)state;
    assert_in_range(follow_many(3000, PATCHES, 0, false, false), 1, 40);
}

/* --- the elements --- */

/* Elements without the periods, and how many of these there are. */
static struct decoded resolved(const struct world *w, const struct assay_image_set *set,
                               size_t *periods)
{
    struct assay_parameter_values values;
    struct assay_source *source = NULL;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR8] = 5;
    values.value[ETE_TRCIDR0] = UINT64_C(1) << ETE_COMMOPT_BIT;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR8] = true;
    assert_int_equal(assay_source_memory(w->stream, w->size, &source), ASSAY_OK);
    struct decoded all = decode_program(source, &values, set, ETE_RESOLVED_ELEMENT, false);
    size_t stay = 0;
    *periods = 0;
    for (size_t i = 0; i < all.count; i++) {
        *periods += all.list[i].kind == ETE_period;
        if (all.list[i].kind != ETE_period) {
            all.list[stay++] = all.list[i];
        }
    }
    all.count = stay;
    return all;
}

static void assert_same_elements(const struct world *w, size_t least_periods)
{
    struct assay_image_set *set = NULL;
    size_t none = 0;
    size_t periods = 0;
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_set_timeline(set, &w->timeline), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    struct decoded plain = resolved(w, NULL, &none);
    struct decoded timed = resolved(w, set, &periods);
    assert_int_equal(none, 0);
    assert_true(periods >= least_periods);
    assert_int_equal(timed.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) {
        assert_int_equal(timed.list[i].kind, plain.list[i].kind);
        assert_int_equal(timed.list[i].offset, plain.list[i].offset);
        assert_memory_equal(timed.list[i].cells, plain.list[i].cells, sizeof plain.list[i].cells);
    }
    free(plain.list);
    free(timed.list);
    assay_image_set_free(set);
}

/* Any packets in any order: commits, cancels, transactions, discards, losses, timestamps. */
static void the_elements_are_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } packets[] = {{"\xf7", 1},         {"\xd9", 1},     {"\xc4", 1},    {"\x2d\x02", 2},
                   {"\x2e\x01", 2},     {"\x0a", 1},     {"\x0b", 1},    {"\x00\x06", 2},
                   {"\x02\x85\x01", 3}, {"\x02\x05", 2}, {"\x88", 1},    {"\x02\0", 2},
                   {"\x71", 1},         {"\x00\x03", 2}, {"\x04", 1},    {ASYNC TRACE_INFO, 14},
                   {"\x90", 1},         {"\x40", 1},     {"\x81\x31", 2}};
    for (unsigned round = 0; round < 200; round++) {
        struct world *w = calloc(1, sizeof *w);
        assert_non_null(w);
        w->random = round;
        w->patches = PATCHES;
        make_program(w, 0);
        put(w, ASYNC TRACE_INFO, 14);
        for (unsigned i = 0; i < 300; i++) {
            const size_t n =
                (size_t)assay_random_below(&w->random, sizeof packets / sizeof packets[0]);
            put(w, packets[n].bytes, packets[n].size);
        }
        assert_same_elements(w, 1);
        free(w);
    }
}

/* More elements than wait for a Timestamp. */
static void a_stream_without_timestamps_is_not_held_up(void **state)
{
    (void)state;
    enum { ELEMENTS = 300000 };
    struct assay_parameter_values values;
    struct assay_image_set *set = NULL;
    struct assay_source *source = NULL;
    struct world *w = calloc(1, sizeof *w);
    uint8_t *stream = malloc(14 + ELEMENTS);
    assert_non_null(w);
    assert_non_null(stream);
    w->patches = PATCHES;
    make_program(w, 0);
    memcpy(stream, ASYNC TRACE_INFO, 14);
    memset(stream + 14, 0x71, ELEMENTS); /* Events */
    assay_parameters_init(&values, assay_format_ete.parameters);
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_set_timeline(set, &w->timeline), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(stream, 14 + ELEMENTS, &source), ASSAY_OK);
    struct decoded all = decode_program(source, &values, set, ETE_RESOLVED_ELEMENT, false);
    assert_int_equal(all.count, ELEMENTS + 2);
    assert_int_equal(all.list[0].kind, ETE_period);
    assert_int_equal(value_of(&all.list[0], "before_known"), 0);
    assert_true(all.complete);
    free(all.list);
    free(stream);
    free(w);
    assay_image_set_free(set);
}

/* A branch that is there for some time only ends a Q: where it can lead is known from the program
 * of that time. */
static void the_ways_of_a_q_are_those_of_its_time(void **state)
{
    (void)state;
    struct assay_image_set *set = NULL;
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->patches = 2;
    make_program(w, 0);
    w->at_first[0] = w->patched[1] = NOP;
    w->patched[0] = B_EQ | 4 << 5;
    w->writes[1].first = w->writes[2].first = BASE;
    w->writes[1].last = w->writes[2].last = BASE + 3;
    w->logged[0] = 100;
    w->logged[1] = 300;
    put(w, ASYNC TRACE_INFO TRACE_ON, sizeof ASYNC TRACE_INFO TRACE_ON - 1);
    put_address(w, BASE);
    put_time(w, 150);
    put(w, "\xac\x01", 2); /* Q of one instruction */
    put_address(w, BASE + 20);
    put_time(w, 200);
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_set_timeline(set, &w->timeline), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    struct decoded all = instructions_of(w, set, true);
    assert_true(all.complete);
    assert_int_equal(all.list[1].kind, ETE_run);
    assert_int_equal(value_of(&all.list[1], "last_word"), B_EQ | 4 << 5);
    assert_int_equal(value_of(&all.list[1], "has_q_end"), 1);
    assert_int_equal(value_of(&all.list[1], "q_end"), BASE + 16);
    free(all.list);
    free(w);
    assay_image_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_followed_was_executed),
        cmocka_unit_test(a_single_change_is_followed),
        cmocka_unit_test(inexact_times_lead_to_no_wrong_instruction),
        cmocka_unit_test(markers_lead_to_no_wrong_instruction),
        cmocka_unit_test(without_times_only_what_never_changes_is_followed),
        cmocka_unit_test(the_elements_are_the_same),
        cmocka_unit_test(a_stream_without_timestamps_is_not_held_up),
        cmocka_unit_test(the_ways_of_a_q_are_those_of_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
