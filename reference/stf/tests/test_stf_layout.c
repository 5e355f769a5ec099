/* The layout table: slips in it would be read, written and printed alike everywhere. */
#include "stf/tests/stf_support.h"

#define EACH_RECORD(kind)                                                                          \
    for (const struct assay_kind *kind = &assay_format_stf.kinds[ASSAY_KIND_FIRST];                \
         kind < assay_format_stf.kinds + assay_format_stf.kind_count; kind++)

enum { LEAD = 8 };

static void the_fields_of_a_record_cover_each_bit_of_its_data_once(void **state)
{
    (void)state;
    EACH_RECORD(kind)
    {
        unsigned covered[256] = {0};
        assert_true(kind->bits >= LEAD && kind->bits % 8 == 0 && kind->bits < 256);
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            assert_true((field->flags & ASSAY_VIEW) == 0);
            for (unsigned bit = 0; field->place == ASSAY_AT_BIT && bit < field->width; bit++) {
                covered[field->bit + bit]++;
            }
        }
        for (unsigned bit = 0; bit < 256; bit++) {
            if (covered[bit] != (bit < kind->bits - LEAD)) {
                fail_msg("bit %u of %s is in %u fields", bit, kind->name, covered[bit]);
            }
        }
    }
}

static void a_tail_stands_behind_the_other_fields_and_its_count_among_them(void **state)
{
    (void)state;
    unsigned counted = 0;
    EACH_RECORD(kind)
    {
        unsigned tails = 0;
        for (size_t i = 0; i < kind->field_count; i++) {
            if (kind->fields[i].place == ASSAY_TAIL) {
                assert_int_equal(kind->fields[i].bit, kind->bits - LEAD);
                assert_int_equal(kind->fields[i].value, LEAD);
                tails++;
            }
        }
        assert_true(tails <= 1);
        assert_int_equal(kind->tail_count > 0, kind->tail_item > 0);
        if (kind->tail_count > 0) {
            const struct assay_field *count = &kind->fields[kind->tail_count - 1];
            assert_int_equal(tails, 1);
            assert_int_equal(count->place, ASSAY_AT_BIT);
            assert_true(strcmp(count->name, "count") == 0 || strcmp(count->name, "length") == 0);
            counted++;
        }
    }
    assert_int_equal(counted, 7);
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
                _Alignas(8) uint8_t record[40], before[40];
                const struct assay_event event = {.bytes = record, .bits = kind->bits};
                random_fill(&seed, record, sizeof record);
                memcpy(before, record, sizeof record);
                const uint64_t value = random_value(&seed, field->width);
                assert_int_equal(assay_field_set(field, record, NULL, value), ASSAY_OK);
                assert_true(assay_field_get(field, &event) == value);
                for (unsigned bit = 0; bit < 8 * sizeof record; bit++) {
                    const bool inside = bit >= field->bit && bit < field->bit + field->width;
                    const unsigned changed = record[bit / 8] ^ before[bit / 8];
                    assert_true(inside || (changed >> bit % 8 & 1) == 0);
                }
            }
        }
    }
}

static void derived_fields_have_bits_of_their_own(void **state)
{
    (void)state;
    for (size_t k = 0; k < assay_format_stf.kind_count; k++) {
        const struct assay_kind *kind = &assay_format_stf.kinds[k];
        uint64_t used[STF_CELLS] = {0};
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            if (field->place != ASSAY_DERIVED) {
                continue;
            }
            assert_true(field->bit / 64 < STF_CELLS);
            assert_true(field->bit % 64 + field->width <= 64);
            const uint64_t mask = assay_mask(field->width) << field->bit % 64;
            if ((used[field->bit / 64] & mask) != 0) {
                fail_msg("%s of %s shares bits", field->name, kind->name);
            }
            used[field->bit / 64] |= mask;
        }
    }
}

static void names_are_unique_and_values_fit_their_fields(void **state)
{
    (void)state;
    for (size_t k = 0; k < assay_format_stf.kind_count; k++) {
        const struct assay_kind *kind = &assay_format_stf.kinds[k];
        assert_ptr_equal(assay_kind_by_name(&assay_format_stf, kind->name), kind);
        for (size_t i = 0; i < kind->field_count; i++) {
            const struct assay_field *field = &kind->fields[i];
            assert_ptr_equal(assay_field_by_name(kind, field->name), field);
            assert_true(field->doc[0] != '\0');
            assert_true(field->type != ASSAY_FLAG || field->width == 1);
            for (size_t n = 0; field->names != NULL && n < field->names->count; n++) {
                const struct assay_enumerator *one = &field->names->list[n];
                assert_true(one->value <= assay_mask(field->width));
                assert_string_equal(assay_enum_name(field->names, one->value), one->name);
            }
        }
    }
}

/* The descriptors of the tables in the text and in the public library's header. */
static void each_profile_has_the_descriptors_of_its_version(void **state)
{
    (void)state;
    static const uint8_t of_13[] = {0,  1,  2,  3,  4,  5,  6,   7,   8,   9,   19,  31, 40,
                                    41, 50, 60, 61, 62, 63, 100, 101, 230, 240, 241, 255};
    static const struct {
        uint8_t descriptor;
        unsigned minor;
        enum stf_kind kind;
    } later[] = {{10, 14, STF_vlen_config},  {11, 15, STF_protocol_id},
                 {12, 15, STF_clock_id},     {13, 16, STF_isa_extended},
                 {250, 15, STF_transaction}, {251, 15, STF_transaction_dependency}};
    assert_int_equal(stf_kind_of(15, 8), STF_process_id_ext);
    assert_int_equal(stf_kind_of(16, 8), STF_process_id_ext_hart);
    for (unsigned minor = 13; minor <= 16; minor++) {
        unsigned known = 0, due = sizeof of_13;
        for (unsigned i = 0; i < 256; i++) {
            const enum stf_kind kind = stf_kind_of(minor, (uint8_t)i);
            known += kind != STF_malformed;
            assert_true(kind == STF_malformed || stf_descriptor_of(kind) == i);
        }
        for (size_t i = 0; i < sizeof of_13; i++) {
            assert_int_not_equal(stf_kind_of(minor, of_13[i]), STF_malformed);
        }
        for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
            const enum stf_kind kind = stf_kind_of(minor, later[i].descriptor);
            assert_int_equal(kind, minor >= later[i].minor ? later[i].kind : STF_malformed);
            due += minor >= later[i].minor;
        }
        assert_int_equal(known, due);
    }
}

/* By hand after the text's tables: descriptor, data, and what is in it. */
static void a_record_that_is_written_by_hand_reads_as_it_should(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[40];
        enum stf_kind kind;
        struct set expected[8];
    } records[] = {
        {{1, 'S', 'T', 'F'}, STF_identifier, {{"magic", 0x465453}}},
        {{2, 1, 0, 0, 0, 3, 0, 0, 0}, STF_version, {{"major", 1}, {"minor", 3}}},
        {{4, 1, 0}, STF_isa, {{"isa", 1}}},
        {{5, 2, 0}, STF_inst_iem, {{"encoding_mode", 2}}},
        {{6, 5, 1, 2, 3, 0, 0},
         STF_trace_info,
         {{"tool", 5}, {"major", 1}, {"minor", 2}, {"minor_minor", 3}, {"length", 0}}},
        {{8, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0x80},
         STF_process_id_ext,
         {{"pid", 1}, {"tid", 2}, {"asid", 0x80000003}}},
        {{9, 0, 0x10, 0, 0x80, 0, 0, 0, 0xff},
         STF_force_pc,
         {{"pc", UINT64_C(0xff00000080001000)}}},
        {{40, 0x42, 0x03, 0x34, 8, 7, 6, 5, 4, 3, 2, 1},
         STF_inst_reg,
         {{"number", 0x342},
          {"type", 4},
          {"operand", 3},
          {"reserved_23_22", 0},
          {"value", UINT64_C(0x0102030405060708)}}},
        {{40, 1, 0, 0xc1}, STF_inst_reg, {{"type", 1}, {"operand", 0}, {"reserved_23_22", 3}}},
        {{41, 7, 0}, STF_inst_ready_reg, {{"number", 7}}},
        {{50, 0, 0x10, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0},
         STF_page_table_walk,
         {{"address", 0x1000}, {"instruction", 9}, {"page_size", 0x1000}, {"count", 0}}},
        {{60, 0, 0x20, 0, 0, 0, 0, 0, 0, 8, 0, 0x34, 0x12, 2},
         STF_inst_mem_access,
         {{"address", 0x2000}, {"size", 8}, {"attributes", 0x1234}, {"type", 2}}},
        {{61, 0xef, 0xbe}, STF_inst_mem_content, {{"data", 0xbeef}}},
        {{62, 0, 0x30, 0, 0, 0, 0, 0, 0, 4, 0, 2, 7, 0x78, 0x56, 0x34, 0x12, 1},
         STF_bus_master_access,
         {{"address", 0x3000},
          {"size", 4},
          {"initiator", 2},
          {"initiator_index", 7},
          {"attributes", 0x12345678},
          {"type", 1}}},
        {{100, 7, 0, 0, 0x80, 0},
         STF_event,
         {{"id", 7}, {"interrupt", 1}, {"count", 0}, {"asynchronous", 1}, {"mode_change", 0}}},
        {{230, 4, 0x78, 0x56, 0x34, 0x12},
         STF_inst_microop,
         {{"size", 4}, {"microop", 0x12345678}}},
        {{240, 0x13, 0, 0, 0}, STF_inst_32, {{"encoding", 0x13}}},
        {{241, 0x01, 0x00}, STF_inst_16, {{"encoding", 1}}},
    };
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        struct trace trace = begin(3);
        put_bytes(&trace, records[i].bytes, kind_of(records[i].kind)->bits / 8);
        struct decoded all = decode_all(&trace);
        assert_true(all.complete);
        assert_int_equal(all.count, 4);
        assert_int_equal(all.list[2].kind, records[i].kind);
        for (size_t k = 0; k < 8 && records[i].expected[k].field != NULL; k++) {
            assert_value(&all.list[2], records[i].expected[k].field, records[i].expected[k].value);
        }
        free(all.list);
        free(trace.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_of_a_record_cover_each_bit_of_its_data_once),
        cmocka_unit_test(a_tail_stands_behind_the_other_fields_and_its_count_among_them),
        cmocka_unit_test(a_field_that_is_set_comes_back_and_no_other_bit_changes),
        cmocka_unit_test(derived_fields_have_bits_of_their_own),
        cmocka_unit_test(names_are_unique_and_values_fit_their_fields),
        cmocka_unit_test(each_profile_has_the_descriptors_of_its_version),
        cmocka_unit_test(a_record_that_is_written_by_hand_reads_as_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
