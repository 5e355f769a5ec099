/* Traces of earlier versions as traces of 1.6: record by record, and what has no equivalent. */
#include "stf/tests/stf_support.h"

#include "io/sink.h"

enum { RV32 = 1, RV64 = 2, EVENT64_BIT = 1 << 19, VEC_BIT = 1 << 18 };

/* What a translator makes of a trace. */
struct translated {
    struct trace trace; /* owned */
    const char *refused;
};

static void give_events(const struct trace *trace, int forced, struct assay_translator *translator,
                        bool look)
{
    struct assay_decode_input input = {.profile = (unsigned)(forced + 1)};
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(stf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(stf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            if (look) {
                stf_translator_ops.look(translator, &block.events[i]);
                continue;
            }
            assert_int_equal(stf_translator_ops.put(translator, &block.events[i], NULL), ASSAY_OK);
        }
    }
    stf_decoder_ops.close(decoder);
}

/* `forced` is a profile, or -1: the one that the trace says. */
static struct translated translate_by(struct trace *trace, int forced)
{
    struct translated translated = {.refused = NULL};
    struct assay_translator *translator = NULL;
    struct assay_encoder *encoder = NULL;
    struct assay_sink sink;
    struct decoded all = decode_by(trace, forced);
    assay_sink_memory(&sink, 0);
    assert_int_equal(stf_encoder_ops.open(&sink, NULL, &encoder, NULL), ASSAY_OK);
    assert_int_equal(
        stf_translator_ops.open(&stf_encoder_ops, encoder, all.profile, &translator, NULL),
        ASSAY_OK);
    give_events(trace, forced, translator, true);
    give_events(trace, forced, translator, false);
    translated.refused = stf_translator_ops.refused(translator);
    stf_translator_ops.close(translator);
    assert_int_equal(stf_encoder_ops.close(encoder), ASSAY_OK);
    put_bytes(&translated.trace, sink.data, sink.size);
    assay_sink_close(&sink, NULL);
    free(all.list);
    free(trace->data);
    return translated;
}

/* The events of the translation, which there is; takes the trace. */
static struct decoded translation_of(struct trace *trace)
{
    struct translated translated = translate_by(trace, -1);
    assert_null(translated.refused);
    struct decoded all = decode_all(&translated.trace);
    assert_true(all.complete);
    assert_int_equal(all.profile, STF_PROFILE_16);
    free(translated.trace.data);
    return all;
}

static void assert_refused(struct trace *trace, const char *why)
{
    struct translated translated = translate_by(trace, -1);
    assert_non_null(translated.refused);
    assert_non_null(strstr(translated.refused, why));
    free(translated.trace.data);
}

/* The only event of a kind. */
static const struct seen *the(const struct decoded *all, unsigned kind)
{
    const struct seen *found = NULL;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].kind == kind) {
            assert_null(found);
            found = &all->list[i];
        }
    }
    return found;
}

static void the_version_is_1_6_and_the_end_is_left_out(void **state)
{
    (void)state;
    for (unsigned minor = 2; minor <= 4; minor++) {
        struct trace trace = begin_with(minor, RV64, 0x20, 0x1000);
        PUT(&trace, inst_32, {"encoding", 0x13});
        PUT(&trace, reserve_end, {0});
        struct decoded all = translation_of(&trace);
        assert_value(the(&all, STF_version), "major", 1);
        assert_value(the(&all, STF_version), "minor", 6);
        assert_null(the(&all, STF_reserve_end));
        assert_value(the(&all, STF_inst_32), "encoding", 0x13);
        assert_int_equal(all.count, 9);
        free(all.list);
    }
}

static void ids_of_events_have_64_bits_unless_they_are_of_rv32(void **state)
{
    (void)state;
    static const uint64_t fields[2] = {5, 6};
    struct trace trace = begin_with(3, RV64, 0x28, 0x1000);
    PUT(&trace, event, {"id", 0x40000007}, {"interrupt", 1}, {"count", 2});
    put_bytes(&trace, fields, sizeof fields);
    struct decoded all = translation_of(&trace);
    assert_null(the(&all, STF_event));
    assert_value(the(&all, STF_trace_info_feature), "features", 0x28 | EVENT64_BIT);
    ASSERT_VALUES(the(&all, STF_event64), {"id", UINT64_C(0x4000000000000007)}, {"interrupt", 1},
                  {"count", 2}, {"field0", 5}, {"field1", 6});
    free(all.list);

    trace = begin_with(3, RV32, 0x8, 0x1000);
    PUT(&trace, event, {"id", 0x40000007}, {"count", 1});
    put_bytes(&trace, fields, sizeof fields[0]);
    all = translation_of(&trace);
    assert_null(the(&all, STF_event64));
    assert_value(the(&all, STF_trace_info_feature), "features", 0x8);
    assert_value(the(&all, STF_event), "id", 0x40000007);
    free(all.list);
}

/* Where the flag is one of the version, it says already how long they are. */
static void the_flag_of_later_versions_stays_as_it_is(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, EVENT64_BIT, 0x1000);
    PUT(&trace, event64, {"id", 7}, {"count", 0});
    struct decoded all = translation_of(&trace);
    assert_value(the(&all, STF_trace_info_feature), "features", EVENT64_BIT);
    assert_value(the(&all, STF_event64), "id", 7);
    free(all.list);
    trace = begin_with(4, RV64, 0, 0x1000);
    PUT(&trace, event, {"id", 7}, {"count", 0});
    all = translation_of(&trace);
    assert_value(the(&all, STF_trace_info_feature), "features", 0);
    assert_value(the(&all, STF_event), "id", 7);
    free(all.list);
}

static struct trace with_process(unsigned minor)
{
    struct trace trace = begin_with(minor, RV64, 0x20, 0x1000);
    PUT(&trace, process_id_ext, {"pid", 7}, {"tid", 8}, {"asid", 9});
    return trace;
}

static void a_process_has_a_hardware_thread_in_place_of_an_asid(void **state)
{
    (void)state;
    struct trace trace = with_process(3);
    struct decoded all = translation_of(&trace);
    ASSERT_VALUES(the(&all, STF_process_id_ext_hart), {"hart", 0}, {"pid", 7}, {"tid", 8});
    free(all.list);
    trace = with_process(3);
    PUT(&trace, process_id_ext, {"pid", 7}, {"tid", 10}, {"asid", 9});
    all = translation_of(&trace);
    assert_value(&all.list[all.count - 2], "tid", 10);
    free(all.list);
    trace = with_process(3);
    PUT(&trace, process_id_ext, {"pid", 8}, {"tid", 10}, {"asid", 11});
    PUT(&trace, process_id_ext, {"pid", 7}, {"tid", 8}, {"asid", 9});
    all = translation_of(&trace);
    assert_value(&all.list[all.count - 3], "pid", 8);
    free(all.list);
    trace = with_process(3);
    PUT(&trace, process_id_ext, {"pid", 7}, {"tid", 8}, {"asid", 10});
    assert_refused(&trace, "address space id");
    trace = with_process(5);
    assert_refused(&trace, "1.5");
}

static void a_vector_register_is_translated_where_its_length_is_known(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, VEC_BIT, 0x1000);
    PUT(&trace, inst_reg, {"number", 1}, {"type", 3}, {"operand", 1}, {"value", 4});
    assert_refused(&trace, "vector");
    trace = begin(4);
    PUT(&trace, vlen_config, {"vlen", 128});
    PUT(&trace, inst_reg, {"number", 1}, {"type", 3}, {"operand", 1}, {"value", 4});
    put_number(&trace, 5);
    struct decoded all = translation_of(&trace);
    assert_value(the(&all, STF_inst_reg), "value", 4);
    assert_int_equal(the(&all, STF_inst_reg)->bits, 8 * 20);
    free(all.list);
    trace = begin_with(3, RV64, 0x20, 0x1000);
    PUT(&trace, inst_reg, {"number", 1}, {"type", 1}, {"operand", 1}, {"value", 4});
    all = translation_of(&trace);
    assert_value(the(&all, STF_inst_reg), "value", 4);
    free(all.list);
}

static void a_trace_without_version_or_end_has_no_translation(void **state)
{
    (void)state;
    struct trace trace = {0};
    PUT(&trace, identifier, {0});
    PUT(&trace, inst_32, {"encoding", 0x13});
    assert_refused(&trace, "no version record");
    trace = begin_with(3, RV64, 0x20, 0x1000);
    PUT(&trace, reserve_end, {0});
    PUT(&trace, inst_32, {"encoding", 0x13});
    assert_refused(&trace, "records follow");
    trace = begin_with(3, RV64, 0x20, 0x1000);
    put_fill(&trace, 200, 1);
    assert_refused(&trace, "cannot be read to its end");
    trace = begin(3);
    PUT(&trace, comment, {"length", STF_SHOWN});
    put_fill(&trace, 'x', STF_SHOWN);
    assert_refused(&trace, "longer");
}

static void walks_are_announced(void **state)
{
    (void)state;
    for (unsigned walks = 0; walks <= 1; walks++) {
        struct trace trace = begin_with(3, RV32, 0x8, 0x1000);
        for (unsigned i = 0; i < walks; i++) {
            PUT(&trace, page_table_walk, {"address", 0x1000}, {"page_size", 4096}, {"count", 0});
        }
        PUT(&trace, inst_32, {"encoding", 0x13});
        struct decoded all = translation_of(&trace);
        assert_value(the(&all, STF_trace_info_feature), "features", 0x8 | walks);
        free(all.list);
    }
}

/* 65 processes are one more than are looked at. */
static void of_many_processes_there_is_no_translation(void **state)
{
    (void)state;
    for (unsigned processes = 64; processes <= 65; processes++) {
        struct trace trace = begin_with(3, RV64, 0x20, 0x1000);
        for (unsigned i = 0; i < processes; i++) {
            PUT(&trace, process_id_ext, {"pid", i}, {"tid", i}, {"asid", i});
        }
        if (processes == 65) {
            assert_refused(&trace, "address space id");
        } else {
            struct decoded all = translation_of(&trace);
            assert_int_equal(all.count, 7 + 64 + 1);
            free(all.list);
        }
    }
}

/* In 1.5 descriptor 255 is as reserved as it is in 1.6. */
static void the_reserved_descriptor_of_1_5_stays(void **state)
{
    (void)state;
    struct trace trace = begin_with(5, RV64, 0x20, 0x1000);
    PUT(&trace, reserve_end, {0});
    struct decoded all = translation_of(&trace);
    assert_non_null(the(&all, STF_reserve_end));
    free(all.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_1_6_and_the_end_is_left_out),
        cmocka_unit_test(ids_of_events_have_64_bits_unless_they_are_of_rv32),
        cmocka_unit_test(the_flag_of_later_versions_stays_as_it_is),
        cmocka_unit_test(a_process_has_a_hardware_thread_in_place_of_an_asid),
        cmocka_unit_test(a_vector_register_is_translated_where_its_length_is_known),
        cmocka_unit_test(a_trace_without_version_or_end_has_no_translation),
        cmocka_unit_test(walks_are_announced),
        cmocka_unit_test(of_many_processes_there_is_no_translation),
        cmocka_unit_test(the_reserved_descriptor_of_1_5_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
