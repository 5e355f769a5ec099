/* The chunked container cut, damaged, lied about and stopped. */
#include "common/tests/turn.h"
#include "io/tests/zstf_support.h"

#include <stdio.h>
#include <sys/resource.h>

/* --- an index that lies: the bytes are all there --- */

enum { CHUNKS = 6, OFFSET = 0, PC = 8, SIZE = 16 };

static void assert_same(const struct assay_zstf_report *a, const struct assay_zstf_report *b)
{
    const struct assay_zstf_difference *const pairs[][2] = {
        {&a->offset, &b->offset}, {&a->size, &b->size}, {&a->pc, &b->pc}, {&a->empty, &b->empty}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_int_equal(pairs[i][0]->found, pairs[i][1]->found);
        assert_int_equal(pairs[i][0]->entry, pairs[i][1]->entry);
        assert_int_equal(pairs[i][0]->indexed, pairs[i][1]->indexed);
        assert_int_equal(pairs[i][0]->actual, pairs[i][1]->actual);
    }
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->chunks, b->chunks);
    assert_int_equal(a->entries_checked, b->entries_checked);
    assert_int_equal(a->pcs_checked, b->pcs_checked);
    assert_int_equal(a->unlisted, b->unlisted);
    assert_int_equal(a->trailing_bytes, b->trailing_bytes);
}

/* The bytes are all right, and the report is the same with a thread and without. */
static struct outcome read_all(const struct made *made)
{
    const struct outcome outcome = read_packed(made, made->packed.size, false);
    const struct outcome threaded = read_packed(made, made->packed.size, true);
    assert_same(&outcome.report, &threaded.report);
    assert_whole(&outcome, made);
    return outcome;
}

static void assert_difference(const struct assay_zstf_difference *difference, uint64_t entry,
                              uint64_t indexed, uint64_t actual)
{
    assert_true(difference->found);
    assert_int_equal(difference->entry, entry);
    assert_int_equal(difference->indexed, indexed);
    assert_int_equal(difference->actual, actual);
}

/* Exactly the difference that is given, which may be null, is there. */
static void assert_only(const struct assay_zstf_report *report,
                        const struct assay_zstf_difference *difference)
{
    assert_int_equal(report->index, ASSAY_ZSTF_INDEX_IN_PLACE);
    assert_int_equal(report->offset.found, &report->offset == difference);
    assert_int_equal(report->size.found, &report->size == difference);
    assert_int_equal(report->pc.found, &report->pc == difference);
    assert_int_equal(report->empty.found, &report->empty == difference);
    assert_int_equal(report->entries, report->chunks);
    assert_int_equal(report->unlisted, 0);
    assert_false(report->boundary_inside);
}

/* One number of the index is another; the report names it and nothing else. */
static void lie_in_one_number(struct made *made, uint64_t entry, uint64_t which, uint64_t lie)
{
    const uint64_t place = entry_at(made->packed, entry) + which;
    const uint64_t truth = number_at(made->packed, place);
    set_number(made->packed, place, lie);
    const struct outcome outcome = read_all(made);
    const struct assay_zstf_report *report = &outcome.report;
    const struct assay_zstf_difference *difference = which == OFFSET ? &report->offset
                                                     : which == PC   ? &report->pc
                                                                     : &report->size;
    assert_difference(difference, entry, lie, truth);
    assert_only(report, difference);
    set_number(made->packed, place, truth);
}

static void a_wrong_number_in_the_index_is_told_with_the_right_one(void **state)
{
    (void)state;
    static const uint64_t lies[] = {0, 1, 21, 4096, UINT64_MAX};
    struct made made = make(600, 100);
    for (uint64_t entry = 0; entry < CHUNKS; entry++) {
        for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
            lie_in_one_number(&made, entry, OFFSET, lies[i]);
            lie_in_one_number(&made, entry, SIZE, lies[i]);
            if (entry > 0 || lies[i] > 0) {
                lie_in_one_number(&made, entry, PC, lies[i]);
            }
        }
    }
    free_made(&made);
}

/* With several frames in a chunk the offsets can be right for another frame. */
static void chunks_of_several_frames_are_held_against_the_index_too(void **state)
{
    (void)state;
    struct made made = make_by_hand(CHUNKS, 3, 1000);
    for (uint64_t entry = 0; entry < CHUNKS; entry++) {
        lie_in_one_number(&made, entry, OFFSET, 21);
        lie_in_one_number(&made, entry, SIZE, 2999);
        lie_in_one_number(&made, entry, SIZE, UINT64_MAX - 10);
    }
    free_made(&made);
}

static void the_first_of_several_wrong_entries_is_told(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    for (uint64_t entry = 2; entry < CHUNKS; entry++) {
        set_number(made.packed, entry_at(made.packed, entry) + PC, 7);
        set_number(made.packed, entry_at(made.packed, entry) + SIZE, 8);
    }
    const struct outcome outcome = read_all(&made);
    assert_difference(&outcome.report.pc, 2, 7, pc_of(200));
    assert_difference(&outcome.report.size, 2, 8, start_of(300) - start_of(200));
    assert_false(outcome.report.offset.found);
    assert_int_equal(outcome.report.pcs_checked, CHUNKS);
    free_made(&made);
}

/* The size of the chunk before says that it is not empty, and where this one begins. */
static void an_offset_that_stands_twice_is_wrong_once(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    for (uint64_t entry = 1; entry < CHUNKS; entry++) {
        lie_in_one_number(&made, entry, OFFSET,
                          number_at(made.packed, entry_at(made.packed, entry - 1)));
    }
    /* When it says nothing of use, the chunk holds no frame as far as one can tell. */
    const uint64_t second = number_at(made.packed, entry_at(made.packed, 2));
    set_number(made.packed, entry_at(made.packed, 3), second);
    set_number(made.packed, entry_at(made.packed, 2) + SIZE, 5);
    const struct assay_zstf_report report = read_all(&made).report;
    assert_difference(&report.empty, 2, second, second);
    assert_difference(&report.size, 2, 5, 0);
    free_made(&made);
}

/* Neither tells where the chunk ends: it is taken for one frame, and what follows is right again.
 */
static void a_wrong_size_before_a_wrong_offset_is_told_beside_it(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    const uint64_t truth = number_at(made.packed, entry_at(made.packed, 3));
    set_number(made.packed, entry_at(made.packed, 2) + SIZE, 5);
    set_number(made.packed, entry_at(made.packed, 3), 6);
    const struct assay_zstf_report report = read_all(&made).report;
    assert_difference(&report.size, 2, 5, start_of(300) - start_of(200));
    assert_difference(&report.offset, 3, 6, truth);
    assert_int_equal(report.chunks, CHUNKS);
    assert_false(report.pc.found);
    assert_false(report.empty.found);
    free_made(&made);
}

/* A skippable frame in front of a chunk belongs to the one before; both begin at the same byte of
 * the trace. What is noted twice or out of order counts once. */
static void notes_find_the_chunk_behind_a_frame_without_content(void **state)
{
    (void)state;
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'a', 'b'};
    struct made made = make_by_hand(2, 1, 1000);
    const uint64_t second = number_at(made.packed, entry_at(made.packed, 1));
    struct blob packed = blob_of(made.packed.data, second);
    append(&packed, skippable, sizeof skippable);
    append(&packed, made.packed.data + second, made.packed.size - second);
    set_number(packed, 12, index_of(packed) + sizeof skippable);
    set_number(packed, entry_at(packed, 1), second + sizeof skippable);
    struct assay_source *under;
    struct assay_source *source;
    struct assay_zstf_report report;
    assert_int_equal(assay_source_memory(packed.data, packed.size, &under), ASSAY_OK);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_ZSTF, true, &source, NULL), ASSAY_OK);
    assert_int_equal(read_against(source, made.original), ASSAY_OK);
    assay_zstf_note_pc(source, 0, 1);
    assay_zstf_note_pc(source, 1000, 2);
    assay_zstf_note_pc(source, 1000, 3);
    assay_zstf_note_pc(source, 10, 4);
    assay_zstf_report(source, &report);
    assert_difference(&report.pc, 1, 0, 2);
    assert_int_equal(report.pcs_checked, 2);
    assert_int_equal(report.frames, 3);
    assert_only(&report, &report.pc);
    assay_source_close(source);
    free(packed.data);
    free_made(&made);
}

/* Takes entry `entry` out of the index. */
static void leave_out(struct made *made, uint64_t entry)
{
    const uint64_t at = entry_at(made->packed, entry);
    memmove(made->packed.data + at, made->packed.data + at + ENTRY, made->packed.size - at - ENTRY);
    made->packed.size -= ENTRY;
    set_number(made->packed, index_of(made->packed), CHUNKS - 1);
}

static void a_chunk_that_is_not_in_the_index_is_told(void **state)
{
    (void)state;
    for (uint64_t entry = 1; entry < CHUNKS; entry++) {
        struct made made = make(600, 100);
        const uint64_t offset = number_at(made.packed, entry_at(made.packed, entry));
        leave_out(&made, entry);
        const struct assay_zstf_report report = read_all(&made).report;
        assert_int_equal(report.entries, CHUNKS - 1);
        assert_int_equal(report.chunks, CHUNKS);
        assert_int_equal(report.unlisted, 1);
        assert_int_equal(report.first_unlisted, offset);
        assert_false(report.offset.found);
        assert_false(report.size.found);
        assert_false(report.pc.found);
        free_made(&made);
    }
}

static void an_index_of_no_chunks_lists_none(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    set_number(made.packed, index_of(made.packed), 0);
    const struct assay_zstf_report report = read_all(&made).report;
    assert_int_equal(report.index, ASSAY_ZSTF_INDEX_IN_PLACE);
    assert_int_equal(report.entries, 0);
    assert_int_equal(report.chunks, CHUNKS);
    assert_int_equal(report.unlisted, CHUNKS);
    assert_int_equal(report.first_unlisted, HEADER);
    assert_int_equal(report.trailing_bytes, CHUNKS * ENTRY);
    free_made(&made);
}

/* An entry more at the end, and one in the middle: both chunks hold no frame. */
static void an_entry_without_a_frame_is_told(void **state)
{
    (void)state;
    for (uint64_t entry = 3; entry <= CHUNKS; entry += 3) {
        struct made made = make(600, 100);
        const uint64_t place = entry_at(made.packed, entry);
        uint64_t offset = index_of(made.packed);
        if (entry < CHUNKS) {
            offset = number_at(made.packed, place);
        }
        append(&made.packed, "........................", ENTRY);
        memmove(made.packed.data + place + ENTRY, made.packed.data + place,
                made.packed.size - ENTRY - place);
        set_number(made.packed, place, offset);
        set_number(made.packed, place + PC, pc_of(100 * entry));
        set_number(made.packed, place + SIZE, 0);
        set_number(made.packed, index_of(made.packed), CHUNKS + 1);
        const struct assay_zstf_report report = read_all(&made).report;
        assert_difference(&report.empty, entry, offset, offset);
        assert_int_equal(report.entries, CHUNKS + 1);
        assert_int_equal(report.chunks, CHUNKS);
        assert_false(report.offset.found);
        assert_false(report.size.found);
        assert_int_equal(report.unlisted, 0);
        free_made(&made);
    }
}

static void an_entry_behind_the_last_frame_has_no_bytes(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    const uint64_t place = entry_at(made.packed, CHUNKS);
    append(&made.packed, "........................", ENTRY);
    set_number(made.packed, place, index_of(made.packed));
    set_number(made.packed, place + PC, pc_of(600));
    set_number(made.packed, place + SIZE, 7);
    set_number(made.packed, index_of(made.packed), CHUNKS + 1);
    const struct assay_zstf_report report = read_all(&made).report;
    assert_difference(&report.size, CHUNKS, 7, 0);
    free_made(&made);
}

static void bytes_behind_the_index_are_counted(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    append(&made.packed, "more", 4);
    const struct assay_zstf_report report = read_all(&made).report;
    assert_int_equal(report.trailing_bytes, 4);
    assert_only(&report, NULL);
    free_made(&made);
}

static void a_count_that_no_file_holds_ends_with_the_file(void **state)
{
    (void)state;
    static const uint64_t counts[] = {CHUNKS + 1, UINT64_C(1) << 61, UINT64_MAX};
    struct made made = make(600, 100);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        set_number(made.packed, index_of(made.packed), counts[i]);
        const struct assay_zstf_report report = read_all(&made).report;
        assert_true(report.index_truncated);
        assert_int_equal(report.entries, counts[i]);
        assert_int_equal(report.entries_read, CHUNKS);
        assert_int_equal(report.chunks, CHUNKS);
    }
    free_made(&made);
}

/* --- a header that lies about the index --- */

static void an_index_that_the_header_misplaces_is_found_behind_the_chunks(void **state)
{
    (void)state;
    static const uint64_t lies[] = {0, 1, HEADER, 100, 1000000, UINT64_MAX};
    struct made made = make(600, 100);
    const uint64_t truth = index_of(made.packed);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        set_number(made.packed, 12, lies[i]);
        const struct assay_zstf_report report = read_all(&made).report;
        assert_int_equal(report.index, ASSAY_ZSTF_INDEX_ELSEWHERE);
        assert_int_equal(report.announced_index, lies[i]);
        assert_int_equal(report.chunks_end, truth);
        assert_int_equal(report.chunks, CHUNKS);
        assert_int_equal(report.entries_checked, CHUNKS);
        assert_false(report.size.found);
    }
    free_made(&made);
}

static void without_an_index_the_header_says_what_that_means(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    made.packed.size = index_of(made.packed);
    set_number(made.packed, 12, 0);
    assert_int_equal(read_all(&made).report.index, ASSAY_ZSTF_INDEX_NONE);
    assert_int_equal(read_all(&made).report.chunks, CHUNKS);
    set_number(made.packed, 12, 30);
    assert_int_equal(read_all(&made).report.index, ASSAY_ZSTF_INDEX_MISSING);
    /* After the end: whatever was there is missing. */
    set_number(made.packed, 12, made.packed.size + 1);
    const struct outcome outcome = read_packed(&made, made.packed.size, true);
    assert_int_equal(outcome.length, made.original.size);
    assert_int_equal(outcome.status.fault, ASSAY_TRUNCATED);
    assert_non_null(strstr(outcome.status.detail, "before its index"));
    assert_int_equal(outcome.report.index, ASSAY_ZSTF_INDEX_NOT_REACHED);
    free_made(&made);
}

static void a_chunk_that_begins_inside_a_frame_is_told(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    set_number(made.packed, 4, 150);
    const struct outcome outcome = read_packed(&made, made.packed.size, false);
    assert_int_equal(outcome.status.fault, ASSAY_OK);
    assert_true(outcome.report.boundary_inside);
    assert_int_equal(outcome.report.boundary_offset, start_of(150));
    assert_false(outcome.report.pc.found);
    free_made(&made);
}

/* --- damage --- */

static void a_file_cut_anywhere_shows_its_beginning(void **state)
{
    (void)state;
    struct made made = make(60, 10);
    const uint64_t index = index_of(made.packed);
    uint64_t longest = 0;
    for (size_t cut = 0; cut < made.packed.size; cut++) {
        const struct outcome outcome = read_packed(&made, cut, cut % 3 == 0);
        if (cut < index) {
            assert_int_equal(outcome.status.fault, ASSAY_TRUNCATED);
            assert_true(outcome.status.detail[0] != '\0');
            assert_int_equal(outcome.report.index, ASSAY_ZSTF_INDEX_NOT_REACHED);
            assert_true(outcome.length >= longest);
            longest = outcome.length;
        } else {
            assert_whole(&outcome, &made);
            assert_true(outcome.report.index_truncated);
            assert_int_equal(outcome.report.entries_read,
                             cut < index + 8 ? 0 : (cut - index - 8) / ENTRY);
        }
    }
    assert_int_equal(longest, made.original.size);
    free_made(&made);
}

static bool is_clean(const struct outcome *outcome)
{
    const struct assay_zstf_report *report = &outcome->report;
    return outcome->status.fault == ASSAY_OK && report->index == ASSAY_ZSTF_INDEX_IN_PLACE &&
           report->entries == report->chunks && !report->index_truncated && !report->offset.found &&
           !report->size.found && !report->pc.found && !report->empty.found &&
           !report->boundary_inside && report->trailing_bytes == 0 && report->unlisted == 0;
}

/* Reads to the end or to where the bytes are not the original's; whether they all were. */
static bool shows_all(struct assay_source *source, struct blob original)
{
    const uint8_t *data;
    size_t have;
    uint64_t at;
    bool same = true;
    do {
        (void)assay_source_peek(source, 1, &data, &have);
        at = assay_source_offset(source);
        same = same && have <= original.size - at && memcmp(data, original.data + at, have) == 0;
        assay_source_consume(source, have);
    } while (have > 0);
    return same && at == original.size;
}

/* Frames have checksums here. What can change unnoticed is the number of instructions in a chunk,
 * which only a reader of the trace can judge, and program counters that were not noted. */
static void a_damaged_bit_is_told_or_changes_nothing(void **state)
{
    (void)state;
    struct made made = make(60, 10);
    for (size_t bit = 0; bit < made.packed.size * 8; bit++) {
        struct assay_source *under;
        struct assay_source *source;
        struct outcome outcome;
        if (!is_in_sanitized_turn(bit / 8 + bit)) {
            continue;
        }
        made.packed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(assay_source_memory(made.packed.data, made.packed.size, &under), ASSAY_OK);
        assert_int_equal(
            assay_filter_open(under, ASSAY_CONTAINER_ZSTF, bit % 5 == 0, &source, NULL), ASSAY_OK);
        const bool same = shows_all(source, made.original);
        for (uint64_t i = 10; i < made.instructions; i += 10) {
            assay_zstf_note_pc(source, start_of(i), pc_of(i));
        }
        assay_source_status(source, &outcome.status);
        assay_zstf_report(source, &outcome.report);
        assert_true(same || outcome.status.fault != ASSAY_OK);
        const bool in_index = bit / 8 >= index_of(made.packed) && bit / 8 >= 20;
        assert_false(in_index && is_clean(&outcome));
        assay_source_close(source);
        made.packed.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free_made(&made);
}

static void what_is_neither_frame_nor_index_is_corrupt(void **state)
{
    (void)state;
    struct made made = make(600, 100);
    const uint64_t third = number_at(made.packed, entry_at(made.packed, 2));
    made.packed.data[third] ^= 1;
    const struct outcome outcome = read_packed(&made, made.packed.size, true);
    assert_int_equal(outcome.status.fault, ASSAY_CORRUPT);
    assert_int_equal(outcome.length, start_of(200));
    assert_int_equal(outcome.report.index, ASSAY_ZSTF_INDEX_NOT_REACHED);
    assert_int_equal(outcome.report.chunks_end, third);
    char place[32];
    snprintf(place, sizeof place, "byte %u,", (unsigned)third);
    assert_non_null(strstr(outcome.status.detail, place));
    free_made(&made);
}

static void what_is_no_container_is_corrupt(void **state)
{
    (void)state;
    const struct made made = {.packed = {.data = (uint8_t *)"ZSTD0123456789abcdefghij", 24}};
    const struct outcome outcome = read_packed(&made, made.packed.size, true);
    assert_int_equal(outcome.status.fault, ASSAY_CORRUPT);
    assert_int_equal(outcome.report.chunk_instructions, 0);
}

static void a_frame_with_a_large_window_is_refused(void **state)
{
    (void)state;
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0};
    struct made made = make(10, 10);
    made.packed.size = HEADER;
    append(&made.packed, frame, sizeof frame);
    const struct outcome outcome = read_packed(&made, made.packed.size, false);
    assert_int_equal(outcome.status.fault, ASSAY_LIMIT);
    free_made(&made);
}

/* --- memory and time --- */

/* More frames than are kept, all empty and all in one chunk except for the first ones. */
static void frames_without_number_take_bounded_memory(void **state)
{
    (void)state;
    enum { FRAMES = 1000000, MEMORY_KIB = 40000 };
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    struct made made = {.original = {.data = NULL, .size = 0}};
    struct blob *packed = &made.packed;
    packed->size = HEADER + FRAMES * sizeof frame + 8 + 2 * ENTRY;
    packed->data = calloc(1, packed->size);
    assert_non_null(packed->data);
    memcpy(packed->data, "ZSTF", 4);
    set_number(*packed, 12, HEADER + FRAMES * sizeof frame);
    for (size_t f = 0; f < FRAMES; f++) {
        memcpy(packed->data + HEADER + f * sizeof frame, frame, sizeof frame);
    }
    set_number(*packed, index_of(*packed), 2);
    set_number(*packed, entry_at(*packed, 0), HEADER);
    set_number(*packed, entry_at(*packed, 1), index_of(*packed) - sizeof frame);
    struct rusage before;
    struct rusage after;
    getrusage(RUSAGE_SELF, &before);
    const struct outcome outcome = read_packed(&made, packed->size, true);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < MEMORY_KIB);
    assert_int_equal(outcome.status.fault, ASSAY_OK);
    assert_int_equal(outcome.report.frames, FRAMES);
    assert_int_equal(outcome.report.entries_read, 2);
    assert_int_equal(outcome.report.entries_checked, 1);
    assert_false(outcome.report.offset.found);
    free(packed->data);
}

static void a_reader_may_be_closed_at_any_moment(void **state)
{
    (void)state;
    struct made made = make(40000, 3000);
    for (size_t i = 0; i < 40; i++) {
        struct assay_source *under;
        struct assay_source *source;
        const uint8_t *data;
        size_t have;
        struct assay_zstf_report report;
        assert_int_equal(assay_source_memory(made.packed.data, made.packed.size, &under), ASSAY_OK);
        assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_ZSTF, true, &source, NULL),
                         ASSAY_OK);
        for (size_t n = 0; n < i; n += 3) {
            assert_int_equal(assay_source_peek(source, n * 1000, &data, &have), ASSAY_OK);
            assay_source_consume(source, n * 5000);
        }
        if (i % 4 == 1) {
            assay_source_interrupt(source);
            while (assay_source_peek(source, 1, &data, &have) == ASSAY_OK && have > 0) {
                assay_source_consume(source, have);
            }
        }
        assay_zstf_report(source, &report);
        assert_int_equal(report.chunk_instructions, 3000);
        assay_source_close(source);
    }
    free_made(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_number_in_the_index_is_told_with_the_right_one),
        cmocka_unit_test(chunks_of_several_frames_are_held_against_the_index_too),
        cmocka_unit_test(the_first_of_several_wrong_entries_is_told),
        cmocka_unit_test(an_offset_that_stands_twice_is_wrong_once),
        cmocka_unit_test(a_wrong_size_before_a_wrong_offset_is_told_beside_it),
        cmocka_unit_test(notes_find_the_chunk_behind_a_frame_without_content),
        cmocka_unit_test(a_chunk_that_is_not_in_the_index_is_told),
        cmocka_unit_test(an_index_of_no_chunks_lists_none),
        cmocka_unit_test(an_entry_without_a_frame_is_told),
        cmocka_unit_test(an_entry_behind_the_last_frame_has_no_bytes),
        cmocka_unit_test(bytes_behind_the_index_are_counted),
        cmocka_unit_test(a_count_that_no_file_holds_ends_with_the_file),
        cmocka_unit_test(an_index_that_the_header_misplaces_is_found_behind_the_chunks),
        cmocka_unit_test(without_an_index_the_header_says_what_that_means),
        cmocka_unit_test(a_chunk_that_begins_inside_a_frame_is_told),
        cmocka_unit_test(a_file_cut_anywhere_shows_its_beginning),
        cmocka_unit_test(a_damaged_bit_is_told_or_changes_nothing),
        cmocka_unit_test(what_is_neither_frame_nor_index_is_corrupt),
        cmocka_unit_test(what_is_no_container_is_corrupt),
        cmocka_unit_test(a_frame_with_a_large_window_is_refused),
        cmocka_unit_test(frames_without_number_take_bounded_memory),
        cmocka_unit_test(a_reader_may_be_closed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
