/* The layout table: mistakes in it would be read, written and printed consistently. */
#include "astf/tests/astf_support.h"

#include "isa/a64.h"

#define EACH_RECORD(kind)                                                                          \
    for (const struct assay_kind *kind = &assay_format_astf.kinds[ASSAY_KIND_FIRST];               \
         kind < assay_format_astf.kinds + assay_format_astf.kind_count; kind++)

static void the_fields_of_a_record_cover_each_of_its_bits_once(void **state)
{
    (void)state;
    EACH_RECORD(kind)
    {
        unsigned covered[ASTF_RECORD_BITS] = {0};
        assert_int_equal(kind->bits, ASTF_RECORD_BITS);
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            if (field->place != ASSAY_AT_BIT || (field->flags & ASSAY_VIEW) != 0) {
                continue;
            }
            assert_true(field->width > 0);
            assert_true(field->bit + field->width <= ASTF_RECORD_BITS);
            for (unsigned bit = 0; bit < field->width; bit++) {
                covered[field->bit + bit]++;
            }
        }
        for (unsigned bit = 0; bit < ASTF_RECORD_BITS; bit++) {
            if (covered[bit] != 1) {
                fail_msg("bit %u of %s is in %u fields", bit, kind->name, covered[bit]);
            }
        }
    }
}

static void a_view_is_in_a_field_that_precedes_it(void **state)
{
    (void)state;
    unsigned views = 0;
    EACH_RECORD(kind)
    {
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *view = &kind->fields[i];
            bool inside = (view->flags & ASSAY_VIEW) == 0;
            views += !inside;
            for (size_t k = 0; k < i && !inside; k++) {
                const struct assay_field *field = &kind->fields[k];
                inside = field->place == ASSAY_AT_BIT && (field->flags & ASSAY_VIEW) == 0 &&
                         field->bit <= view->bit &&
                         field->bit + field->width >= view->bit + view->width;
            }
            assert_true(inside);
        }
    }
    assert_true(views > 0);
}

static void a_field_that_is_set_comes_back_and_no_other_bit_changes(void **state)
{
    (void)state;
    uint64_t seed = 11;
    EACH_RECORD(kind)
    {
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            for (unsigned round = 0; round < 20 && field->place == ASSAY_AT_BIT; round++) {
                _Alignas(8) uint8_t record[ASTF_RECORD_BYTES];
                uint8_t before[ASTF_RECORD_BYTES];
                const struct assay_event event = {.bytes = record, .bits = ASTF_RECORD_BITS};
                random_fill(&seed, record, sizeof record);
                memcpy(before, record, sizeof record);
                const uint64_t value = random_value(&seed, field->width);
                assert_int_equal(assay_field_set(field, record, NULL, value), ASSAY_OK);
                assert_true(field->width > 64 || assay_field_get(field, &event) == value);
                for (unsigned bit = 0; bit < ASTF_RECORD_BITS; bit++) {
                    const bool inside = bit >= field->bit && bit < field->bit + field->width;
                    const unsigned changed = record[bit / 8] ^ before[bit / 8];
                    assert_true(inside || (changed >> bit % 8 & 1) == 0);
                }
            }
        }
    }
}

/* A record written down byte by byte, from the tables of the specification. */
static void a_record_written_by_hand_is_read_correctly(void **state)
{
    (void)state;
    static const struct {
        enum astf_kind kind;
        _Alignas(8) uint8_t bytes[ASTF_RECORD_BYTES];
        struct {
            const char *field;
            uint64_t value;
        } expected[16];
    } records[] = {
        {ASTF_header,
         {'A', 'S', 'T', 'F', 0, 11, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0x60},
         {{"type", 0x41},
          {"magic_header", 0x465453},
          {"version_major", 0},
          {"version_minor", 11},
          {"compressed", 1},
          {"use_zlib", 1},
          {"single_el", 1},
          {"timestamps", 1},
          {"pseudo", 0}}},
        {ASTF_context,
         {0x08, 0x02, 0, 0, 0x0f, 0, 0x04, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0x80},
         {{"pstate_sm", 0},
          {"pstate_dit", 1},
          {"evl", 15},
          {"unsupported", 0},
          {"mte_tcf", 2},
          {"el", 1},
          {"secure", 1},
          {"handler", 1},
          {"pid_valid", 1},
          {"tid_valid", 1},
          {"pid", UINT64_C(0x0807060504030201)},
          {"tid", UINT64_C(0x8000000000000009)}}},
        {ASTF_instr,
         {0x01, 0x01, 0xd2, 0x07, 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x10, 0, 0, 0, 0, 0, 0xff,
          0x78, 0x56, 0,    0,    0,    0,    0,    0,    0x40, 0x01, 0, 0, 0, 0, 0, 0},
         {{"xattr_mode", 1},
          {"ea_tagged", 1},
          {"trap", 0},
          {"is_branch", 0},
          {"is_read", 1},
          {"is_write", 0},
          {"ea_valid", 1},
          {"extra_eas", 1},
          {"ea_size", 7},
          {"iword", 0xd503201f},
          {"pc", UINT64_C(0xff00000000001000)},
          {"ea", 0x5678},
          {"xattr", 0x140},
          {"ea_range", 0x140},
          {"sme_index", 0x40},
          {"sme_reserved_63_8", 1}}},
        {ASTF_extra_ea,
         {0x07, 0, 0xc0, 0x03, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
          0x05, 0, 0x20, 0x0f, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0x01},
         {{"mem0_tagged", 0},
          {"mem0_is_read", 1},
          {"mem0_is_write", 1},
          {"mem0_size", 3},
          {"mem0_addr", 0x10},
          {"mem1_valid", 1},
          {"extra_eas", 0},
          {"mem1_addr_range", 1},
          {"mem1_tagged", 1},
          {"mem1_is_read", 0},
          {"mem1_size", 15},
          {"mem1_addr", UINT64_C(0x0100000000000020)}}},
        {ASTF_trap,
         {0x05, 0, 0x10, 0x54, 0x34, 0x12, 0, 0, 0x00, 0x20},
         {{"trap_type", 0},
          {"syscall_type", 1},
          {"is_virtual", 0},
          {"ec", 0x15},
          {"syscall_index", 0x1234},
          {"target_pc", 0x2000},
          {"reserved_255_128", 0}}},
        {ASTF_string, {0x43, 0, 0x05, 0x01, 'h'}, {{"size", 0x105}, {"reserved_15_8", 0}}},
        {ASTF_timestamp,
         {0x45, 0x01, 0, 0, 0, 0, 0, 0, 0x39, 0x30, 0, 0, 0, 0, 0, 0, 1},
         {{"unit", 1}, {"value0", 12345}, {"value1", 1}}},
    };
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        const struct assay_kind *kind = &assay_format_astf.kinds[records[i].kind];
        const struct assay_event event = {.bytes = records[i].bytes, .bits = ASTF_RECORD_BITS};
        assert_int_equal(astf_kind_of(records[i].bytes[0]), records[i].kind);
        for (size_t k = 0; k < 16 && records[i].expected[k].field != NULL; k++) {
            const struct assay_field *field =
                assay_field_by_name(kind, records[i].expected[k].field);
            assert_non_null(field);
            if (assay_field_get(field, &event) != records[i].expected[k].value) {
                fail_msg("%s.%s is 0x%llx", kind->name, field->name,
                         (unsigned long long)assay_field_get(field, &event));
            }
        }
    }
}

static void each_type_byte_means_the_kind_that_writes_it(void **state)
{
    (void)state;
    unsigned known = 0;
    for (unsigned type = 0; type < 256; type++) {
        known += astf_kind_of((uint8_t)type) != ASTF_malformed;
    }
    assert_int_equal(known, ASTF_KIND_COUNT - ASSAY_KIND_FIRST);
    EACH_RECORD(kind)
    {
        uint8_t record[ASTF_RECORD_BYTES];
        assay_kind_clear(kind, record);
        assert_int_equal(astf_kind_of(record[0]), kind - assay_format_astf.kinds);
    }
}

static void derived_fields_have_cells_of_their_own(void **state)
{
    (void)state;
    for (size_t k = 0; k < assay_format_astf.kind_count; k++) {
        const struct assay_kind *kind = &assay_format_astf.kinds[k];
        uint64_t used[ASTF_CELLS] = {0};
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            if (field->place == ASSAY_AT_BIT) {
                continue;
            }
            assert_true(field->bit / 64 < ASTF_CELLS);
            assert_true(field->bit % 64 + field->width <= 64);
            const uint64_t mask = assay_mask(field->width) << field->bit % 64;
            assert_true((used[field->bit / 64] & mask) == 0);
            used[field->bit / 64] |= mask;
        }
    }
}

static void names_are_unique_and_values_fit_their_fields(void **state)
{
    (void)state;
    for (size_t k = 0; k < assay_format_astf.kind_count; k++) {
        const struct assay_kind *kind = &assay_format_astf.kinds[k];
        assert_ptr_equal(assay_kind_by_name(&assay_format_astf, kind->name), kind);
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            assert_ptr_equal(assay_field_by_name(kind, field->name), field);
            assert_true(field->doc[0] != '\0');
            assert_int_equal(field->type == ASSAY_FLAG,
                             field->width == 1 && (field->flags & ASSAY_RESERVED) == 0);
            for (size_t n = 0; field->names != NULL && n < field->names->count; n++) {
                const struct assay_enumerator *one = &field->names->list[n];
                assert_true(one->value <= assay_mask(field->width));
                assert_string_equal(assay_enum_name(field->names, one->value), one->name);
            }
        }
    }
}

static void an_instruction_carries_the_class_of_its_word(void **state)
{
    (void)state;
    uint8_t trace[3 * ASTF_RECORD_BYTES];
    make_header(trace, false, false);
    make_instr(trace + 32, 0x1000, UINT32_C(0x14000002)); /* b 0x1008 */
    make_instr(trace + 64, 0x1008, UINT32_C(0xd65f03c0)); /* ret */
    struct decoded all = decode_trace(trace, sizeof trace, false, NULL);
    assert_int_equal(all.count, 4);
    assert_true(all.list[1].cells[0] == a64_classify(UINT32_C(0x14000002)));
    assert_int_equal(derived(&all.list[1], "direct_target"), 0x1008);
    assert_int_equal(derived(&all.list[1], "executed"), 0);
    assert_true(all.list[2].cells[0] == a64_classify(UINT32_C(0xd65f03c0)));
    assert_int_equal(derived(&all.list[2], "direct_target"), 0);
    free(all.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_of_a_record_cover_each_of_its_bits_once),
        cmocka_unit_test(a_view_is_in_a_field_that_precedes_it),
        cmocka_unit_test(a_field_that_is_set_comes_back_and_no_other_bit_changes),
        cmocka_unit_test(a_record_written_by_hand_is_read_correctly),
        cmocka_unit_test(each_type_byte_means_the_kind_that_writes_it),
        cmocka_unit_test(derived_fields_have_cells_of_their_own),
        cmocka_unit_test(names_are_unique_and_values_fit_their_fields),
        cmocka_unit_test(an_instruction_carries_the_class_of_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
