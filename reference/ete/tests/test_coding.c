/* The fields of ETE's packets there and back. */
#include "ete/tests/ete_support.h"

#include "model/layout.h"
#include "model/packed.h"

enum { ROOM = ETE_PACKET_MOST + 8 };

struct field {
    uint8_t header;
    enum ete_kind kind;
    unsigned cell, size_cell; /* of the field, and of how many bytes it has */
    unsigned width, most;     /* in bits; in bytes */
    unsigned shift;           /* of the value in its cell */
};

static const struct field fields[] = {
    {0x95, ETE_target_short, ETE_CELL_target_short_encoded, ETE_CELL_target_short_encoded_size, 15,
     2, 2},
    {0x96, ETE_target_short, ETE_CELL_target_short_encoded, ETE_CELL_target_short_encoded_size, 15,
     2, 1},
    {0x03, ETE_timestamp, ETE_CELL_timestamp_count, ETE_CELL_timestamp_count_size, 20, 3, 0},
    {0x2d, ETE_commit, ETE_CELL_commit_count, ETE_CELL_commit_count_size, 32, 5, 0},
    {0x2e, ETE_cancel_1, ETE_CELL_cancel_1_count, ETE_CELL_cancel_1_count_size, 32, 5, 0},
    {0xac, ETE_q, ETE_CELL_q_count, ETE_CELL_q_count_size, 32, 5, 0},
    {0x02, ETE_timestamp, ETE_CELL_timestamp_low, ETE_CELL_timestamp_low_size, 64, 9, 0},
};

/* Writes a packet with a value in at least so many bytes, and reads it. */
static enum assay_error write_and_read(const struct field *f, uint64_t value, unsigned bytes_least)
{
    const struct ete_form *form = ete_form_of(f->header);
    uint64_t cells[ETE_CELLS] = {0}, read[ETE_CELLS] = {0};
    uint8_t bytes[ROOM] = {f->header};
    size_t size = 0;
    cells[f->cell] = value << f->shift;
    cells[f->size_cell] = bytes_least;
    const enum assay_error error = ete_pack(form, NULL, 32, cells, bytes, &size, NULL);
    if (error == ASSAY_OK) {
        assert_int_equal(ete_unpack(form, NULL, 32, bytes, size, read), size);
        assert_true(read[f->cell] == value << f->shift);
        assert_in_range(read[f->size_cell], bytes_least > 0 ? bytes_least : 1, f->most);
        assert_int_equal(read[ASSAY_CELL_EXCESS], 0);
        assert_int_equal(ete_unpack(form, NULL, 32, bytes, size - 1, read), 0);
    }
    return error;
}

static void continuable_fields_hold_what_fits_in_every_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < ASSAY_COUNT(fields); i++) {
        const struct field *f = &fields[i];
        for (unsigned bits = 0; bits <= f->width; bits++) {
            for (unsigned bytes = 0; bytes <= f->most; bytes++) {
                assert_int_equal(write_and_read(f, assay_mask(bits), bytes), ASSAY_OK);
                assert_int_equal(write_and_read(f, assay_mask(bits) / 2 + (bits > 0), bytes),
                                 ASSAY_OK);
            }
        }
        assert_int_equal(write_and_read(f, 0, f->most + 1), ASSAY_OUT_OF_RANGE);
        if (f->width + f->shift < 64) {
            assert_int_equal(write_and_read(f, UINT64_C(1) << f->width, 0), ASSAY_OUT_OF_RANGE);
        }
    }
}

static void bits_beyond_a_field_are_no_part_of_it(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x2d, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint64_t cells[ETE_CELLS] = {0};
    assert_int_equal(ete_unpack(ete_form_of(0x2d), NULL, 32, bytes, sizeof bytes, cells),
                     sizeof bytes);
    assert_int_equal(cells[ETE_CELL_commit_count], UINT32_MAX);
    assert_int_equal(cells[ASSAY_CELL_EXCESS], 0xf0);
}

/* A packet's first field has such bits, its second one has none. */
static void bits_beyond_the_first_of_two_fields_are_noted(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x80, 0x00};
    uint64_t cells[ETE_CELLS] = {0};
    assert_int_equal(
        ete_unpack(ete_cycle_count_form(0x0e, false), NULL, 32, bytes, sizeof bytes, cells),
        sizeof bytes);
    assert_int_equal(cells[ETE_CELL_cycle_count_1_commit], UINT32_MAX);
    assert_int_equal(cells[ETE_CELL_cycle_count_1_count], 1);
    assert_int_equal(cells[ASSAY_CELL_EXCESS], 0xf0);
}

/* SPEC of a Trace Info has more bits than a cell. */
static void a_field_of_more_bits_than_a_cell_is_as_great_as_can_be(void **state)
{
    (void)state;
    static const struct {
        uint8_t last, size;
        uint64_t value;
    } cases[] = {{0x01, 10, UINT64_C(1) << 63}, {0x02, 10, UINT64_MAX}, {0x01, 11, UINT64_MAX}};
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        uint8_t bytes[] = {0x01, 0x04, 0x80, 0x80, 0x80, 0x80, 0x80,
                           0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
        uint64_t cells[ETE_CELLS] = {0};
        const size_t size = 2u + cases[i].size;
        bytes[size - 1] = cases[i].last;
        assert_int_equal(ete_unpack(ete_form_of(0x01), NULL, 32, bytes, sizeof bytes, cells), size);
        assert_true(cells[ETE_CELL_trace_info_spec] == cases[i].value);
    }
}

static void what_fields_a_packet_has_is_noted(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[3];
        const char *field;
        bool has;
    } cases[] = {{{0x02, 1}, "low_size", true},    {{0x02, 1}, "low", true},
                 {{0x02, 1}, "count", false},      {{0x03, 1, 1}, "low_size", true},
                 {{0x03, 1, 1}, "low", true},      {{0x03, 1, 1}, "count", true},
                 {{0x01, 0x04, 1}, "spec", true},  {{0x01, 0x04, 1}, "plctl_spec", true},
                 {{0x01, 0x04, 1}, "cyct", false}, {{0x01, 0x08, 1}, "cyct", true}};
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        uint64_t cells[ETE_CELLS] = {0};
        const struct ete_form *form = ete_form_of(cases[i].bytes[0]);
        const struct assay_kind *kind = &assay_format_ete.kinds[form->kind];
        const struct assay_event event = {.cells = cells, .kind = form->kind};
        const struct assay_field *field = assay_field_by_name(kind, cases[i].field);
        assert_non_null(field);
        assert_int_not_equal(
            ete_unpack(form, NULL, 32, cases[i].bytes, sizeof cases[i].bytes, cells), 0);
        assert_true(assay_field_present(kind, field, &event) == cases[i].has);
    }
}

static void a_value_that_does_not_fit_is_named(void **state)
{
    (void)state;
    const uint64_t cells[ETE_CELLS] = {
        [ETE_CELL_cycle_count_1_commit] = 1, [ETE_CELL_cycle_count_1_count] = 1 << 20};
    uint8_t bytes[ROOM] = {0x0e};
    struct assay_diag diag = {0};
    size_t size = 0;
    assert_int_equal(
        ete_pack(ete_cycle_count_form(0x0e, false), NULL, 32, cells, bytes, &size, &diag),
        ASSAY_OUT_OF_RANGE);
    assert_string_equal(diag.message, "cycle_count_1: the packet has no room for count 0x100000");
}

/* --- places --- */

/* Packets of every form that has a payload. */
static const struct placed {
    const char *what;
    uint8_t bytes[16];
    unsigned size;
    bool commit_mode; /* COMMOPT */
} packets[] = {
    {"info, speculation of two bytes, threshold", {0x01, 0x0d, 0x41, 0x83, 0x02, 0x05}, 6, false},
    {"timestamp of nine bytes, count of three",
     {0x03, 0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xa5, 0x83, 0x84, 0x15},
     13,
     false},
    {"commit whose last byte has surplus bits", {0x2d, 0xff, 0xff, 0xff, 0xff, 0xff}, 6, false},
    {"commit and cycle count", {0x0e, 0x81, 0x02, 0x85, 0x01}, 5, false},
    {"cycle count", {0x0e, 0x85, 0x01}, 3, true},
    {"cancel", {0x2f, 0x83, 0x01}, 3, false},
    {"short address", {0x95, 0xd5, 0xff}, 3, false},
    {"short address of one byte", {0x96, 0x55}, 2, false},
    {"long address", {0x9a, 0xff, 0x81, 0x34, 0x12}, 5, false},
    {"address of 64 bits", {0x9e, 0xff, 0x81, 0x34, 0x12, 1, 2, 3, 4}, 9, false},
    {"address and context", {0x82, 1, 2, 3, 4, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8}, 14, false},
    {"context with one identifier", {0x81, 0x82, 1, 2, 3, 4}, 6, false},
    {"Q with address and count", {0xa5, 0x81, 0x01, 0x83, 0x05}, 5, false},
    {"exception, short address", {0x06, 0x03, 0x95, 0x81, 0x01}, 5, false},
    {"exception, address and context", {0x06, 0x03, 0x83, 1, 2, 3, 4, 0x40, 5, 6, 7, 8}, 12, false},
};

static const struct ete_form *form_of(const struct placed *one)
{
    const struct ete_form *form = ete_form_of(one->bytes[0]);
    return form->kind == ETE_cycle_count_1 ? ete_cycle_count_form(one->bytes[0], one->commit_mode)
                                           : form;
}

/* The bits of a piece in the packet. */
static uint64_t bits_at(const struct placed *one, const struct assay_bit_piece *piece)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < piece->width; i++) {
        const unsigned bit = piece->bit + i;
        value |= (uint64_t)(one->bytes[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
}

/* Each bit of the payload is in one piece, and each field has the value of its pieces; the last
 * byte of a size says that no other follows. */
static void check_pieces(const struct placed *one, const struct assay_event *event)
{
    struct assay_bit_piece pieces[64];
    uint64_t values[64] = {0};
    unsigned covered = 8 * (unsigned)ete_constant_bytes((enum ete_kind)event->kind);
    const struct assay_kind *kind = &assay_format_ete.kinds[event->kind];
    const size_t count = ete_pieces(event, NULL, pieces, ASSAY_COUNT(pieces));
    for (size_t i = 0; i < count; i++) {
        const size_t field = (size_t)(pieces[i].field - kind->fields);
        assert_int_equal(pieces[i].bit, covered);
        covered += pieces[i].width;
        const bool is_size = strstr(pieces[i].field->name, "_size") != NULL;
        values[field] += is_size ? 1 : bits_at(one, &pieces[i]) << pieces[i].to;
    }
    assert_int_equal(covered, event->bits);
    for (size_t f = 0; f < kind->field_count; f++) {
        if (kind->fields[f].place == ASSAY_PACKED && values[f] > 0) {
            const uint64_t value = assay_field_get(&kind->fields[f], event);
            const bool is_size = strstr(kind->fields[f].name, "_size") != NULL;
            if (is_size ? values[f] != value && values[f] + 1 != value : values[f] != value) {
                fail_msg("%s: %s", one->what, kind->fields[f].name);
            }
        }
    }
}

static void each_bit_of_a_payload_is_of_one_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < ASSAY_COUNT(packets); i++) {
        const struct placed *one = &packets[i];
        const struct ete_form *form = form_of(one);
        uint64_t cells[ETE_CELLS] = {0};
        const struct ete_form *address =
            form->kind == ETE_exception ? ete_address_form_of(one->bytes[2]) : NULL;
        const struct assay_event event = {
            .kind = form->kind, .bits = 8 * one->size, .bytes = one->bytes, .cells = cells};
        assert_int_equal(ete_unpack(form, address, 32, one->bytes, one->size, cells), one->size);
        check_pieces(one, &event);
    }
}

/* As in a record that was altered: no piece is beyond the packet, or beyond the list. */
static void bytes_and_cells_that_do_not_belong_together_do_no_harm(void **state)
{
    (void)state;
    for (size_t i = 0; i < ASSAY_COUNT(packets); i++) {
        uint64_t cells[ETE_CELLS];
        memset(cells, 0xff, sizeof cells);
        for (unsigned kind = 0; kind < assay_format_ete.kind_count; kind++) {
            for (unsigned size = 0; size <= packets[i].size; size++) {
                struct assay_bit_piece pieces[7];
                const struct assay_event event = {.kind = (uint16_t)kind,
                                                  .bits = 8 * size,
                                                  .bytes = packets[i].bytes,
                                                  .cells = cells};
                const size_t count = ete_pieces(&event, NULL, pieces, ASSAY_COUNT(pieces));
                assert_in_range(count, 0, ASSAY_COUNT(pieces));
                for (size_t n = 0; n < count; n++) {
                    assert_in_range(pieces[n].bit + pieces[n].width, 1, event.bits);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continuable_fields_hold_what_fits_in_every_size),
        cmocka_unit_test(bits_beyond_a_field_are_no_part_of_it),
        cmocka_unit_test(bits_beyond_the_first_of_two_fields_are_noted),
        cmocka_unit_test(a_field_of_more_bits_than_a_cell_is_as_great_as_can_be),
        cmocka_unit_test(what_fields_a_packet_has_is_noted),
        cmocka_unit_test(each_bit_of_a_payload_is_of_one_field),
        cmocka_unit_test(bytes_and_cells_that_do_not_belong_together_do_no_harm),
        cmocka_unit_test(a_value_that_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
