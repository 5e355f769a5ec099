/* Memory that changes in time. */
#include "common/random.h"
#include "image_support.h"

static struct assay_space context(uint64_t number)
{
    return (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = number};
}

static struct assay_write text_at(uint32_t moment, uint64_t address, const char *text)
{
    return (struct assay_write){.content = ASSAY_CONTENT_BYTES,
                                .moment = moment,
                                .first = address,
                                .last = address + strlen(text) - 1,
                                .bytes = (const uint8_t *)text};
}

static struct assay_write gone_at(uint32_t moment, uint64_t first, uint64_t last)
{
    return (struct assay_write){
        .content = ASSAY_CONTENT_NOTHING, .moment = moment, .first = first, .last = last};
}

static struct assay_write unknown_at(uint32_t moment, uint64_t first, uint64_t last)
{
    return (struct assay_write){
        .content = ASSAY_CONTENT_UNKNOWN, .moment = moment, .first = first, .last = last};
}

static struct assay_write undated_at(uint32_t moment, uint64_t first, uint64_t last)
{
    return (struct assay_write){
        .content = ASSAY_CONTENT_UNDATED, .moment = moment, .first = first, .last = last};
}

static const uint64_t ten_times[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};

static struct assay_timeline timeline_of(const struct assay_write *writes, size_t count)
{
    return (struct assay_timeline){.times = ten_times,
                                   .moments = 10,
                                   .dated = true,
                                   .writes = writes,
                                   .write_count = count,
                                   .keys = {.mask = UINT32_MAX, .by_itself = true}};
}

static struct assay_image_set *open_timed(const struct assay_timeline *timeline)
{
    struct assay_image_set *set = new_set();
    assert_int_equal(assay_image_set_timeline(set, timeline), ASSAY_OK);
    return set;
}

static void add_kind(struct assay_image_set *set, struct assay_space space, uint64_t address,
                     const char *text, bool undated)
{
    struct assay_image_spec spec = {.path = "image",
                                    .has_address = true,
                                    .address = address,
                                    .space = space,
                                    .written = !undated,
                                    .undated = undated};
    assert_int_equal(assay_image_add_bytes(set, &spec, text, strlen(text), NULL), ASSAY_OK);
}

/* The bytes from an address on in a window, a dot for what is absent. */
static const char *show(struct assay_image_cursor *cursor, uint32_t low, uint32_t high,
                        uint64_t address, size_t size)
{
    static char text[32];
    assay_image_select_moments(cursor, (struct assay_moments){low, high});
    for (size_t i = 0; i < size; i++) {
        if (assay_image_copy(cursor, address + i, &text[i], 1) == 0) {
            text[i] = '.';
        }
    }
    text[size] = '\0';
    return text;
}

static void what_is_written_is_read_from_its_moment_on(void **state)
{
    (void)state;
    const struct assay_write writes[] = {
        {.content = ASSAY_CONTENT_IMAGE, .moment = 2, .image = 0},
        text_at(4, 0x1002, "PP"),
        gone_at(6, 0x1000, 0x1007),
        {.content = ASSAY_CONTENT_IMAGE, .moment = 8, .image = 1},
        unknown_at(9, 0x1006, 0x1007),
    };
    const struct assay_timeline timeline = timeline_of(writes, 5);
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_image_cursor cursor;
    add_kind(set, everywhere, 0x1000, "aaaaaaaa", false);
    add_kind(set, everywhere, 0x1000, "bbbbbbbb", false);
    seal(set);
    assay_image_cursor_open(&cursor, set);
    assert_string_equal(show(&cursor, 0, 0, 0x1000, 8), "........");
    assert_string_equal(show(&cursor, 2, 3, 0x1000, 8), "aaaaaaaa");
    assert_string_equal(show(&cursor, 4, 5, 0x1000, 8), "aaPPaaaa");
    assert_string_equal(show(&cursor, 6, 7, 0x1000, 8), "........");
    assert_string_equal(show(&cursor, 8, 8, 0x1000, 8), "bbbbbbbb");
    assert_string_equal(show(&cursor, 9, 99, 0x1000, 8), "bbbbbb..");
    assert_int_equal(cursor.absence, ASSAY_ABSENCE_UNKNOWN);
    /* What is certain in a window: what is there before or after, and not two contents. */
    assert_string_equal(show(&cursor, 1, 3, 0x1000, 8), "aaaaaaaa");
    assert_string_equal(show(&cursor, 3, 4, 0x1000, 8), "aa..aaaa");
    assert_int_equal(cursor.absence, ASSAY_ABSENCE_UNMAPPED); /* of the last address */
    assert_string_equal(show(&cursor, 3, 4, 0x1002, 1), ".");
    assert_int_equal(cursor.absence, ASSAY_ABSENCE_CHANGING);
    assert_string_equal(show(&cursor, 5, 6, 0x1000, 8), "aaPPaaaa");
    assert_string_equal(show(&cursor, 5, 8, 0x1000, 8), "........");
    assert_string_equal(show(&cursor, 8, 9, 0x1000, 8), "bbbbbb..");
    assay_image_set_free(set);
}

static void of_undated_images_only_what_never_changes_is_read(void **state)
{
    (void)state;
    const struct assay_write writes[] = {text_at(2, 0x1002, "PP"), undated_at(3, 0x1004, 0x1005),
                                         undated_at(3, 0x1006, 0x1007),
                                         undated_at(3, 0x1010, 0x1011), text_at(5, 0x1006, "Q")};
    const struct assay_timeline timeline = timeline_of(writes, 5);
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_image_cursor cursor;
    add_kind(set, everywhere, 0x1000, "12345678", true);
    seal(set);
    assay_image_cursor_open(&cursor, set);
    assert_string_equal(show(&cursor, 0, 0, 0x1000, 8), "12......");
    assert_string_equal(show(&cursor, 2, 2, 0x1000, 8), "12PP....");
    assert_string_equal(show(&cursor, 3, 4, 0x1000, 8), "12PP56.8");
    assert_string_equal(show(&cursor, 5, 5, 0x1000, 8), "12PP56Q8");
    assert_string_equal(show(&cursor, 3, 5, 0x1010, 2), "..");
    assay_image_set_free(set);
}

static void a_context_sees_what_it_is_bound_to(void **state)
{
    (void)state;
    const struct assay_write writes[] = {{.content = ASSAY_CONTENT_IMAGE, .image = 0},
                                         {.content = ASSAY_CONTENT_IMAGE, .image = 1},
                                         {.content = ASSAY_CONTENT_IMAGE, .image = 2}};
    const struct assay_binding bindings[] = {
        {.key = 3, .moment = 2, .bound = true, .context = 5},
        {.key = 3, .moment = 4},
        {.key = 3, .moment = 6, .bound = true, .context = 6},
        {.key = 7, .moment = 0, .bound = true, .context = 5},
        {.key = 7, .moment = 9, .bound = true, .context = 6},
    };
    struct assay_timeline timeline = timeline_of(writes, 3);
    timeline.bindings = bindings;
    timeline.binding_count = 5;
    timeline.keys = (struct assay_context_keys){.shift = 8, .mask = 0xff};
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_image_cursor cursor;
    add_kind(set, context(5), 0x1000, "five", false);
    add_kind(set, context(6), 0x1000, "six6", false);
    add_kind(set, everywhere, 0x2000, "kern", false);
    seal(set);
    assay_image_cursor_open(&cursor, set);
    const struct assay_space three = context(0xaa0000000303);
    const struct assay_space seven = context(0x701);
    (void)assay_image_select(&cursor, &three);
    assert_string_equal(show(&cursor, 0, 1, 0x1000, 4), "....");
    assert_string_equal(show(&cursor, 1, 2, 0x1000, 4), "five");
    assert_string_equal(show(&cursor, 3, 5, 0x1000, 4), "five");
    assert_string_equal(show(&cursor, 4, 5, 0x1000, 4), "....");
    assert_string_equal(show(&cursor, 5, 6, 0x1000, 4), "six6");
    const uint32_t number = cursor.number;
    assert_false(cursor.ambiguous);
    /* Whether it sees one or the other is not known: neither is read, but what all see. */
    assert_string_equal(show(&cursor, 3, 6, 0x1000, 4), "....");
    assert_int_equal(cursor.absence, ASSAY_ABSENCE_CHANGING);
    assert_true(cursor.ambiguous);
    assert_string_equal(show(&cursor, 3, 6, 0x2000, 4), "kern");
    (void)assay_image_select(&cursor, &seven);
    assert_string_equal(show(&cursor, 0, 8, 0x1000, 4), "five");
    assert_string_equal(show(&cursor, 9, 10, 0x1000, 4), "six6");
    assert_int_equal(cursor.number, number);
    const struct assay_space none = context(0x901);
    (void)assay_image_select(&cursor, &none);
    assert_string_equal(show(&cursor, 0, 10, 0x1000, 4), "....");
    assert_string_equal(show(&cursor, 0, 10, 0x2000, 4), "kern");
    /* A run is read again in the space and window in which it was found. */
    struct assay_image_cursor again;
    assay_image_cursor_open(&again, set);
    char text[5] = "";
    assay_image_select_again(&again, number, (struct assay_moments){9, 9});
    assert_int_equal(assay_image_copy(&again, 0x1000, text, 4), 4);
    assert_string_equal(text, "six6");
    assay_image_set_free(set);
}

static void a_key_that_is_not_bound_can_stand_for_itself(void **state)
{
    (void)state;
    const struct assay_write writes[] = {{.content = ASSAY_CONTENT_IMAGE, .image = 0},
                                         {.content = ASSAY_CONTENT_IMAGE, .image = 1}};
    struct assay_binding bindings[70] = {{.key = 6, .moment = 3, .bound = true, .context = 5},
                                         {.key = 6, .moment = 5}};
    struct assay_timeline timeline = timeline_of(writes, 2);
    timeline.bindings = bindings;
    timeline.binding_count = 2;
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_image_cursor cursor;
    add_kind(set, context(5), 0x1000, "five", false);
    add_kind(set, context(6), 0x1000, "six6", false);
    seal(set);
    assay_image_cursor_open(&cursor, set);
    const struct assay_space six = context(6);
    (void)assay_image_select(&cursor, &six);
    assert_string_equal(show(&cursor, 0, 2, 0x1000, 4), "six6");
    assert_string_equal(show(&cursor, 2, 3, 0x1000, 4), "....");
    assert_string_equal(show(&cursor, 3, 4, 0x1000, 4), "five");
    assert_string_equal(show(&cursor, 5, 6, 0x1000, 4), "six6");
    /* Too many changes to look at them all. */
    for (size_t i = 2; i < 70; i++) {
        bindings[i] = (struct assay_binding){.key = 6, .moment = 7};
    }
    timeline.binding_count = 70;
    assert_string_equal(show(&cursor, 6, 7, 0x1000, 4), "....");
    assert_int_equal(cursor.absence, ASSAY_ABSENCE_CHANGING);
    assert_string_equal(show(&cursor, 7, 7, 0x1000, 4), "six6");
    assay_image_set_free(set);
}

static void a_window_follows_from_times(void **state)
{
    (void)state;
    struct assay_timeline timeline = timeline_of(NULL, 0);
    const uint64_t times[] = {5, 30, 35, 60, 1000};
    static const struct {
        const int after, before; /* in `times`; -1: not known */
        uint64_t tolerance;
        uint32_t low, high;
    } cases[] = {{-1, -1, 0, 0, 10}, {0, 1, 0, 0, 3},  {1, 2, 0, 2, 3},    {2, 3, 0, 3, 6},
                 {1, 2, 5, 2, 4},    {2, 3, 5, 2, 6},  {3, -1, 0, 5, 10},  {-1, 3, 0, 0, 6},
                 {4, -1, 0, 10, 10}, {3, 1, 0, 0, 10}, {1, 3, 5000, 0, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        timeline.tolerance = cases[i].tolerance;
        const struct assay_moments window =
            assay_timeline_moments(&timeline, cases[i].after >= 0 ? &times[cases[i].after] : NULL,
                                   cases[i].before >= 0 ? &times[cases[i].before] : NULL);
        assert_int_equal(window.low, cases[i].low);
        assert_int_equal(window.high, cases[i].high);
    }
    timeline.dated = false;
    assert_int_equal(assay_timeline_moments(&timeline, &times[4], NULL).low, 0);
}

static void a_span_says_how_long_something_stays(void **state)
{
    (void)state;
    const struct assay_write writes[] = {text_at(0, 0x1000, "abcd"), text_at(3, 0x1001, "x"),
                                         text_at(7, 0x1003, "y")};
    const struct assay_timeline timeline = timeline_of(writes, 3);
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_image_cursor cursor;
    seal(set);
    assay_image_cursor_open(&cursor, set);
    char text[4];
    assay_image_select_moments(&cursor, (struct assay_moments){4, 5});
    assay_image_begin_span(&cursor);
    assert_int_equal(assay_image_copy(&cursor, 0x1000, text, 4), 4);
    const struct assay_image_span span = cursor.span;
    assert_int_equal(span.from, 3);
    assert_int_equal(span.until, 6);
    assay_image_select_moments(&cursor, (struct assay_moments){3, 6});
    assert_true(assay_image_in_span(&cursor, &span));
    assay_image_select_moments(&cursor, (struct assay_moments){3, 7});
    assert_false(assay_image_in_span(&cursor, &span));
    assay_image_begin_span(&cursor);
    assert_int_equal(assay_image_copy(&cursor, 0x1000, text, 4), 3);
    const struct assay_image_span merged = cursor.span;
    assert_true(assay_image_in_span(&cursor, &merged));
    assay_image_select_moments(&cursor, (struct assay_moments){3, 6});
    assert_false(assay_image_in_span(&cursor, &merged));
    assay_image_begin_span(&cursor);
    assert_int_equal(assay_image_copy(&cursor, 0x1000, text, 1), 1);
    assert_int_equal(cursor.span.until, UINT32_MAX);
    assay_image_set_free(set);
}

static void contradictions_at_one_time_are_refused(void **state)
{
    (void)state;
    const struct assay_timeline timeline = timeline_of(NULL, 0);
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_diag diag = {0};
    add_kind(set, everywhere, 0x1000, "abcd", true);
    add_kind(set, everywhere, 0x1002, "cX", true);
    assert_int_equal(assay_image_set_seal(set, &diag), ASSAY_CONTRADICTION);
    assert_non_null(strstr(diag.message, "0x1003"));
    assay_image_set_free(set);
    /* Neither space is more specific than the other. */
    const struct assay_write writes[] = {text_at(2, 0x1000, "abcd"),
                                         {.content = ASSAY_CONTENT_IMAGE, .moment = 4, .image = 0}};
    const struct assay_timeline changing = timeline_of(writes, 2);
    set = open_timed(&changing);
    add_kind(set, context(5), 0x1002, "cX", false);
    add_kind(set, el(1), 0x1003, "d", true);
    assert_int_equal(assay_image_set_seal(set, &diag), ASSAY_CONTRADICTION);
    assay_image_set_free(set);
}

static void too_many_changes_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static struct assay_write writes[COUNT];
    static const uint8_t zeros[2 * COUNT];
    static const uint64_t times[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        writes[i] = (struct assay_write){.content = ASSAY_CONTENT_BYTES,
                                         .moment = i + 1,
                                         .first = COUNT - i,
                                         .last = COUNT + i,
                                         .bytes = zeros};
    }
    struct assay_timeline timeline = timeline_of(writes, COUNT);
    timeline.times = times;
    timeline.name = "log";
    timeline.moments = COUNT;
    struct assay_image_set *set = open_timed(&timeline);
    struct assay_diag diag = {0};
    assert_int_equal(assay_image_set_seal(set, &diag), ASSAY_LIMIT);
    assert_string_equal(diag.path, "log");
    assay_image_set_free(set);
    set = new_set();
    timeline.moments = ASSAY_MOMENTS_MAX + 1;
    assert_int_equal(assay_image_set_timeline(set, &timeline), ASSAY_LIMIT);
    timeline.moments = 10;
    add(set, "early", everywhere, 0, "x");
    assert_int_equal(assay_image_set_timeline(set, &timeline), ASSAY_USAGE);
    assay_image_set_free(set);
}

/* --- against a model: memory of a few addresses, copied at each moment --- */

enum { SPACE = 48, MOMENTS = 10, WRITES = 14 };

/* What the addresses hold after each moment; 0: nothing, '?': not known. */
static void simulate(const struct assay_write *writes, char memory[MOMENTS + 1][SPACE])
{
    memset(memory, 0, (MOMENTS + 1) * SPACE);
    for (uint32_t moment = 0; moment <= MOMENTS; moment++) {
        if (moment > 0) {
            memcpy(memory[moment], memory[moment - 1], SPACE);
        }
        for (size_t i = 0; i < WRITES; i++) {
            for (uint64_t at = writes[i].first; writes[i].moment == moment && at <= writes[i].last;
                 at++) {
                memory[moment][at] = writes[i].content == ASSAY_CONTENT_NOTHING ? 0
                                     : writes[i].content == ASSAY_CONTENT_UNKNOWN
                                         ? '?'
                                         : (char)writes[i].bytes[at - writes[i].first];
            }
        }
    }
}

/* What a window has at an address; a dot: nothing that is certain. */
static char expect(char memory[MOMENTS + 1][SPACE], uint32_t low, uint32_t high, size_t at)
{
    char held = 0;
    for (uint32_t moment = low; moment <= high; moment++) {
        const char now = memory[moment][at];
        if (now != 0 && held != 0 && now != held) {
            return '.';
        }
        held = now != 0 ? now : held;
    }
    return held == 0 || held == '?' ? '.' : held;
}

static void random_timelines_are_read_as_a_model_has_them(void **state)
{
    (void)state;
    static const char letters[] =
        "aaaaaaabaaaaaaaaaaaabaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaaba";
    uint64_t random = 7;
    for (unsigned round = 0; round < 400; round++) {
        struct assay_write writes[WRITES];
        char memory[MOMENTS + 1][SPACE];
        for (size_t i = 0; i < WRITES; i++) {
            const uint64_t first = assay_random_below(&random, SPACE);
            const uint64_t size = 1 + assay_random_below(&random, SPACE - first);
            const uint32_t moment = (uint32_t)assay_random_below(&random, MOMENTS + 1);
            writes[i] = (struct assay_write){
                .content = (enum assay_content)assay_random_below(&random, 3),
                .moment = moment > 0 ? moment : 1,
                .first = first,
                .last = first + size - 1,
                .bytes = (const uint8_t *)letters + assay_random_below(&random, 16)};
        }
        simulate(writes, memory);
        const struct assay_timeline timeline = timeline_of(writes, WRITES);
        struct assay_image_set *set = open_timed(&timeline);
        struct assay_image_cursor cursor;
        seal(set);
        assay_image_cursor_open(&cursor, set);
        for (unsigned n = 0; n < 40; n++) {
            const uint32_t low = (uint32_t)assay_random_below(&random, MOMENTS + 1);
            const uint32_t high = low + (uint32_t)assay_random_below(&random, MOMENTS + 1 - low);
            assay_image_select_moments(&cursor, (struct assay_moments){low, high});
            const size_t from = (size_t)assay_random_below(&random, SPACE);
            char text[SPACE] = "";
            const size_t have = assay_image_copy(&cursor, from, text, SPACE - from);
            for (size_t i = 0; i < have; i++) {
                assert_int_equal(text[i], expect(memory, low, high, from + i));
            }
            if (from + have < SPACE) {
                assert_int_equal('.', expect(memory, low, high, from + have));
            }
        }
        assay_image_set_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_from_its_moment_on),
        cmocka_unit_test(of_undated_images_only_what_never_changes_is_read),
        cmocka_unit_test(a_context_sees_what_it_is_bound_to),
        cmocka_unit_test(a_key_that_is_not_bound_can_stand_for_itself),
        cmocka_unit_test(a_window_follows_from_times),
        cmocka_unit_test(a_span_says_how_long_something_stays),
        cmocka_unit_test(contradictions_at_one_time_are_refused),
        cmocka_unit_test(too_many_changes_are_refused),
        cmocka_unit_test(random_timelines_are_read_as_a_model_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
