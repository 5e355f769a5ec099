/* Records, by profile: which there are, how long they are, and what chooses the profile. */
#include "stf/tests/stf_support.h"

#include "common/tests/turn.h"
#include "io/sink.h"

enum { EVENT64_BIT = 1 << 19, RISCV64 = 2 };

static void each_kind_that_was_decoded_is_encoded_to_the_same_bytes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned kind = ASSAY_KIND_FIRST; kind < STF_KIND_COUNT; kind++) {
            uint8_t data[64 + 16];
            struct assay_sink sink;
            struct assay_encoder *encoder = NULL;
            const struct assay_event event = {
                .bytes = data, .bits = kind_of(kind)->bits, .kind = (uint16_t)kind};
            const size_t size = event.bits / 8;
            random_fill(&seed, data, sizeof data);
            assay_sink_memory(&sink, 0);
            assert_int_equal(stf_encoder_ops.open(&sink, NULL, &encoder, NULL), ASSAY_OK);
            assert_int_equal(stf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
            assert_int_equal(stf_encoder_ops.close(encoder), ASSAY_OK);
            assert_int_equal(sink.size, size);
            assert_int_equal(sink.data[0], stf_descriptor_of(kind));
            assert_memory_equal(sink.data + 1, data, size - 1);
            assay_sink_close(&sink, NULL);
        }
    }
}

static void storages_that_stf_has_not_are_refused_by_name(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_encoder *encoder = NULL;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_sink_memory(&sink, 0);
    assert_int_equal(stf_encoder_ops.open(&sink, "zlib", &encoder, &diag), ASSAY_UNKNOWN_NAME);
    assert_non_null(strstr(diag.message, "zstf"));
    assay_sink_close(&sink, NULL);
}

static void the_first_version_chooses_the_profile(void **state)
{
    (void)state;
    static const struct {
        unsigned minor, profile;
    } versions[] = {{2, STF_PROFILE_13},
                    {3, STF_PROFILE_13},
                    {4, STF_PROFILE_14},
                    {5, STF_PROFILE_15},
                    {6, STF_PROFILE_16}};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct trace trace = begin(versions[i].minor);
        struct decoded all = decode_all(&trace);
        assert_true(all.complete);
        assert_int_equal(all.profile, versions[i].profile);
        free(all.list);
        PUT(&trace, version, {"major", 1}, {"minor", versions[i].minor == 3 ? 6 : 3});
        all = decode_all(&trace);
        assert_int_equal(all.profile, versions[i].profile);
        free(all.list);
        free(trace.data);
    }
}

static void a_version_that_stands_later_still_chooses_the_profile(void **state)
{
    (void)state;
    struct trace trace = {0};
    PUT(&trace, identifier, {0});
    put_comment(&trace, "before it");
    PUT(&trace, version, {"major", 1}, {"minor", 4});
    PUT(&trace, vlen_config, {"vlen", 128});
    struct decoded all = decode_all(&trace);
    assert_true(all.complete);
    assert_int_equal(all.profile, STF_PROFILE_14);
    free(all.list);
    free(trace.data);
}

static void nothing_is_read_behind_an_unknown_version(void **state)
{
    (void)state;
    static const struct {
        uint32_t major, minor;
    } versions[] = {{0, 0}, {1, 0}, {1, 1}, {1, 7}, {2, 3}, {0, 3}, {1, UINT32_MAX}};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct trace trace = {0};
        PUT(&trace, identifier, {0});
        PUT(&trace, version, {"major", versions[i].major}, {"minor", versions[i].minor});
        PUT(&trace, inst_32, {"encoding", 0x13});
        struct decoded all = decode_all(&trace);
        assert_int_equal(all.count, 4);
        assert_malformed(&all, STF_FAULT_UNKNOWN_VERSION, 13,
                         (uint64_t)versions[i].major << 32 | versions[i].minor);
        free(all.list);
        all = decode_by(&trace, STF_PROFILE_13);
        assert_true(all.complete);
        assert_int_equal(all.list[2].kind, STF_inst_32);
        free(all.list);
        free(trace.data);
    }
}

static void a_forced_profile_wins_over_the_version(void **state)
{
    (void)state;
    struct trace trace = begin(3);
    PUT(&trace, vlen_config, {"vlen", 128});
    struct decoded all = decode_all(&trace);
    assert_malformed(&all, STF_FAULT_UNKNOWN_DESCRIPTOR, 13, 10);
    free(all.list);
    all = decode_by(&trace, STF_PROFILE_16);
    assert_true(all.complete);
    assert_int_equal(all.profile, STF_PROFILE_16);
    free(all.list);
    free(trace.data);
}

static void an_unknown_descriptor_ends_what_can_be_read(void **state)
{
    (void)state;
    for (unsigned profile = 0; profile < STF_PROFILE_COUNT; profile++) {
        unsigned unknown = 0;
        for (unsigned descriptor = 0; descriptor < 256; descriptor++) {
            if (stf_kind_of(stf_profiles[profile].minor, (uint8_t)descriptor) != STF_malformed) {
                continue;
            }
            struct trace trace = begin(3);
            put_fill(&trace, (uint8_t)descriptor, 1);
            put_fill(&trace, 19, 70);
            struct decoded all = decode_by(&trace, (int)profile);
            assert_int_equal(all.count, 4);
            assert_malformed(&all, STF_FAULT_UNKNOWN_DESCRIPTOR, 13, descriptor);
            assert_int_equal(all.list[3].offset, 13);
            free(all.list);
            free(trace.data);
            unknown++;
        }
        assert_true(unknown >= 225);
    }
}

static void ids_of_events_have_64_bits_where_flag_and_profile_say_so(void **state)
{
    (void)state;
    for (int forced = -1; forced < STF_PROFILE_COUNT; forced++) {
        for (unsigned flag = 0; flag < 2; flag++) {
            const bool wide = flag == 1 && forced != STF_PROFILE_13;
            struct trace trace = begin_with(3, RISCV64, flag ? EVENT64_BIT : 0, 0x1000);
            if (wide) {
                PUT(&trace, event64, {"id", 5}, {"interrupt", 1}, {"count", 1});
            } else {
                PUT(&trace, event, {"id", 5}, {"interrupt", 1}, {"count", 1});
            }
            put_number(&trace, UINT64_C(0x123456789));
            PUT(&trace, inst_32, {"encoding", 0x13});
            struct decoded all = decode_by(&trace, forced);
            assert_true(all.complete);
            assert_int_equal(all.profile, forced >= 0 ? (unsigned)forced
                                          : flag      ? STF_PROFILE_13_IMPL
                                                      : STF_PROFILE_13);
            const struct seen *event = last_of(&all, wide ? STF_event64 : STF_event, 0);
            assert_int_equal(event->bits, wide ? 8 * 18 : 8 * 14);
            ASSERT_VALUES(event, {"id", 5}, {"interrupt", 1}, {"field_count", 1},
                          {"field0", UINT64_C(0x123456789)}, {"fields_high", 1}, {"field1", 0});
            free(all.list);
            free(trace.data);
        }
    }
}

static void an_event_of_255_fields_shows_all_of_them(void **state)
{
    (void)state;
    struct trace trace = begin(3);
    PUT(&trace, event, {"id", 0x40000000}, {"count", 255});
    for (unsigned i = 0; i < 255; i++) {
        put_number(&trace, i == 254 ? UINT64_C(1) << 63 : i);
    }
    struct decoded all = decode_all(&trace);
    assert_true(all.complete);
    ASSERT_VALUES(&all.list[2], {"field_count", 255}, {"field0", 0}, {"field1", 1}, {"field2", 2},
                  {"fields_high", UINT64_C(0x80000000)}, {"mode_change", 1});
    assert_int_equal(all.list[2].bits, 8 * (6 + 8 * 255));
    free(all.list);
    trace.size--;
    all = decode_all(&trace);
    assert_malformed(&all, STF_FAULT_TRUNCATED_RECORD, 13, 100);
    ASSERT_VALUES(&all.list[2], {"shown", 6 + 8 * 255 - 1});
    free(all.list);
    free(trace.data);
}

static size_t vector_words(unsigned profile, uint32_t vlen)
{
    return stf_profiles[profile].vectors ? ((size_t)vlen + 63) / 64 : 1;
}

static void a_vector_register_is_as_long_as_vlen_and_profile_say(void **state)
{
    (void)state;
    static const uint32_t vlens[] = {1, 63, 64, 65, 128, 256, 8192, 65536};
    for (unsigned profile = STF_PROFILE_14; profile < STF_PROFILE_COUNT; profile++) {
        for (size_t v = 0; v < sizeof vlens / sizeof vlens[0]; v++) {
            struct trace trace = begin(6);
            PUT(&trace, vlen_config, {"vlen", vlens[v]});
            PUT(&trace, inst_reg, {"number", 1}, {"type", 3}, {"operand", 1}, {"value", 7});
            for (size_t i = 1; i < vector_words(profile, vlens[v]); i++) {
                put_number(&trace, i);
            }
            PUT(&trace, inst_reg, {"number", 1}, {"type", 1}, {"operand", 1}, {"value", 9});
            struct decoded all = decode_by(&trace, (int)profile);
            assert_true(all.complete);
            assert_int_equal(all.count, 6);
            assert_int_equal(all.list[3].bits, 8 * (4 + 8 * vector_words(profile, vlens[v])));
            assert_int_equal(all.list[4].bits, 8 * 12);
            ASSERT_VALUES(&all.list[4], {"value", 9});
            free(all.list);
            free(trace.data);
        }
    }
}

static void vector_registers_of_1_3_have_64_bits(void **state)
{
    (void)state;
    struct trace trace = begin(3);
    PUT(&trace, inst_reg, {"number", 1}, {"type", 3}, {"operand", 1}, {"value", 7});
    PUT(&trace, inst_32, {"encoding", 0x13});
    for (int profile = STF_PROFILE_13; profile <= STF_PROFILE_13_IMPL; profile++) {
        struct decoded all = decode_by(&trace, profile);
        assert_true(all.complete);
        assert_int_equal(all.count, 5);
        free(all.list);
    }
    free(trace.data);
}

static void a_vector_register_without_vlen_has_no_known_length(void **state)
{
    (void)state;
    for (unsigned zero = 0; zero < 2; zero++) {
        struct trace trace = begin(4);
        if (zero) {
            PUT(&trace, vlen_config, {"vlen", 0});
        }
        const size_t at = trace.size;
        PUT(&trace, inst_reg, {"number", 1}, {"type", 3}, {"operand", 1}, {"value", 7});
        struct decoded all = decode_all(&trace);
        assert_malformed(&all, STF_FAULT_UNKNOWN_LENGTH, at, 40);
        free(all.list);
        free(trace.data);
    }
}

/* The channel's number, and what TileLink has there: code, param, size, source, data with their
 * number, an address or sink, and a mask with the number of its bits. */
static void put_message(struct trace *trace, unsigned channel, unsigned data, unsigned mask)
{
    uint8_t number[2];
    put_fill(trace, (uint8_t)channel, 1);
    if (channel < 5) {
        put_fill(trace, 0xab, 3 + 8);
        assay_store16(number, (uint16_t)data);
        put_bytes(trace, number, 2);
        put_fill(trace, 0xda, data);
    }
    put_fill(trace, 0xad, 8);
    if (channel < 3) {
        assay_store16(number, (uint16_t)mask);
        put_bytes(trace, number, 2);
        put_fill(trace, 0xff, (mask + 7) / 8);
    }
}

/* One whose metadata are `elements` numbers of 64 bits. */
static void put_transaction(struct trace *trace, unsigned elements)
{
    PUT(trace, transaction, {"id", 1}, {"cycles", 2}, {"clock", 3}, {"metadata", elements});
    put_fill(trace, 3, 9 * (size_t)elements);
}

static struct trace begin_transactions(unsigned protocol)
{
    struct trace trace = begin(6);
    PUT(&trace, protocol_id, {"protocol", protocol});
    PUT(&trace, clock_id, {"clock", 3}, {"length", 3});
    put_bytes(&trace, "cpu", 3);
    PUT(&trace, end_header, {0});
    return trace;
}

static void a_transaction_is_as_long_as_its_channel_says(void **state)
{
    (void)state;
    static const unsigned sizes[][2] = {{0, 0},     {1, 1},     {64, 7},       {64, 8},
                                        {64, 9},    {1000, 64}, {65400, 0},    {65535, 0},
                                        {65535, 1}, {0, 65535}, {65535, 65535}};
    for (unsigned channel = 1; channel <= 5; channel++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            if (!is_in_sanitized_turn(i + channel)) {
                continue;
            }
            struct trace trace = begin_transactions(1);
            const size_t at = trace.size;
            put_transaction(&trace, i == 0 ? 2 : 0);
            put_message(&trace, channel, sizes[i][0], sizes[i][1]);
            const size_t end = trace.size;
            PUT(&trace, transaction_dependency, {"id", 1}, {"cycles", 9}, {"clock", 3});
            put_fill(&trace, 255, i % 2 == 0 ? 3 * STF_SHOWN : 0);
            struct decoded all = decode_all(&trace);
            assert_true(all.complete);
            ASSERT_VALUES(&all.list[5], {"id", 1}, {"cycles", 2}, {"clock", 3},
                          {"channel", channel});
            const size_t shown = end - at < 1 + STF_SHOWN ? end - at : 1 + STF_SHOWN;
            assert_int_equal(all.list[5].bits, 8 * shown);
            assert_int_equal(all.list[6].kind, STF_transaction_dependency);
            assert_int_equal(all.list[6].offset, end);
            ASSERT_VALUES(&all.list[6], {"cycles", 9});
            free(all.list);
            free(trace.data);
        }
    }
}

/* Metadata that are longer than what is shown, up to what can be looked through. */
static void a_transaction_may_have_much_metadata(void **state)
{
    (void)state;
    static const unsigned counts[] = {7276, 7279, 7280, 7290, 20000, 21112, 21113, 65535};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct trace trace = begin_transactions(1);
        const size_t at = trace.size;
        put_transaction(&trace, counts[i]);
        put_message(&trace, 1, 8, 8);
        const size_t end = trace.size;
        PUT(&trace, transaction_dependency, {"id", 1}, {"cycles", 9}, {"clock", 3});
        struct decoded all = decode_all(&trace);
        if (counts[i] < 21113) {
            assert_true(all.complete);
            ASSERT_VALUES(&all.list[5], {"id", 1}, {"metadata", counts[i]},
                          {"channel", counts[i] < 7280 ? 1 : 0});
            assert_int_equal(all.list[6].offset, end);
        } else {
            assert_malformed(&all, STF_FAULT_LONG_METADATA, at, 250);
        }
        free(all.list);
        trace.size = at + counts[i]; /* within the metadata */
        all = decode_all(&trace);
        assert_malformed(&all, STF_FAULT_TRUNCATED_RECORD, at, 250);
        free(all.list);
        free(trace.data);
    }
}

static void metadata_of_a_reserved_type_have_no_known_length(void **state)
{
    (void)state;
    static const uint8_t element[] = {4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct trace trace = begin_transactions(1);
    const size_t at = trace.size;
    PUT(&trace, transaction, {"id", 1}, {"metadata", 1});
    put_bytes(&trace, element, sizeof element);
    struct decoded all = decode_all(&trace);
    assert_malformed(&all, STF_FAULT_UNKNOWN_LENGTH, at, 250);
    free(all.list);
    free(trace.data);
}

static void a_transaction_of_unknown_shape_has_no_known_length(void **state)
{
    (void)state;
    static const struct {
        unsigned protocol, channel;
    } unknown[] = {{0, 1}, {2, 1}, {1, 0}, {1, 6}, {1, 255}};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct trace trace = begin_transactions(unknown[i].protocol);
        const size_t at = trace.size;
        put_transaction(&trace, 0);
        put_message(&trace, unknown[i].channel, 4, 4);
        struct decoded all = decode_all(&trace);
        assert_malformed(&all, STF_FAULT_UNKNOWN_LENGTH, at, 250);
        free(all.list);
        free(trace.data);
    }
}

static void a_record_that_is_cut_anywhere_is_truncated(void **state)
{
    (void)state;
    struct trace trace = begin_transactions(1);
    const size_t at = trace.size;
    put_transaction(&trace, 2);
    put_message(&trace, 1, 30, 30);
    for (size_t size = at + 1; size < trace.size; size++) {
        const struct trace cut = {.data = trace.data, .size = size};
        struct decoded all = decode_all(&cut);
        assert_malformed(&all, STF_FAULT_TRUNCATED_RECORD, at, 250);
        ASSERT_VALUES(last_of(&all, STF_malformed, 0), {"shown", size - at});
        free(all.list);
    }
    free(trace.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_that_was_decoded_is_encoded_to_the_same_bytes),
        cmocka_unit_test(storages_that_stf_has_not_are_refused_by_name),
        cmocka_unit_test(the_first_version_chooses_the_profile),
        cmocka_unit_test(a_version_that_stands_later_still_chooses_the_profile),
        cmocka_unit_test(nothing_is_read_behind_an_unknown_version),
        cmocka_unit_test(a_forced_profile_wins_over_the_version),
        cmocka_unit_test(an_unknown_descriptor_ends_what_can_be_read),
        cmocka_unit_test(ids_of_events_have_64_bits_where_flag_and_profile_say_so),
        cmocka_unit_test(an_event_of_255_fields_shows_all_of_them),
        cmocka_unit_test(a_vector_register_is_as_long_as_vlen_and_profile_say),
        cmocka_unit_test(vector_registers_of_1_3_have_64_bits),
        cmocka_unit_test(a_vector_register_without_vlen_has_no_known_length),
        cmocka_unit_test(a_transaction_is_as_long_as_its_channel_says),
        cmocka_unit_test(a_transaction_of_unknown_shape_has_no_known_length),
        cmocka_unit_test(a_transaction_may_have_much_metadata),
        cmocka_unit_test(metadata_of_a_reserved_type_have_no_known_length),
        cmocka_unit_test(a_record_that_is_cut_anywhere_is_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
