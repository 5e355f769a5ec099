/* Packed fields outside of their format: written in vectors, shown as JSON. On E-Trace's layouts,
 * with an encoder that puts a packet's length before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/tests/etrace_layout.h"
#include "validator/vector/event_json.h"
#include "validator/vector/match.h"
#include "validator/vector/vector.h"

/* --- a format --- */

struct assay_encoder {
    struct assay_sink *sink;
    struct assay_packing plans[ETRACE_KIND_COUNT];
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    (void)storage;
    *encoder = calloc(1, sizeof **encoder);
    assert_non_null(*encoder);
    (*encoder)->sink = sink;
    for (size_t k = 0; k < ETRACE_KIND_COUNT; k++) {
        assert_int_equal(assay_packing_plan(&etrace_kinds[k], etrace_defaults,
                                            ETRACE_PARAMETER_COUNT, &(*encoder)->plans[k], diag),
                         ASSAY_OK);
    }
    return ASSAY_OK;
}

static enum assay_error put_packet(struct assay_encoder *encoder, const struct assay_event *event,
                                   struct assay_diag *diag)
{
    uint8_t bytes[64];
    struct assay_packed_length length;
    const struct assay_packing *plan = &encoder->plans[event->kind - ASSAY_KIND_FIRST];
    memcpy(bytes, event->bytes, (plan->first_bit + 7) / 8);
    const enum assay_error error =
        assay_pack(plan, event->cells, true, bytes, sizeof bytes, &length, diag);
    if (error == ASSAY_OK) {
        assay_sink_write(encoder->sink, &(uint8_t){(uint8_t)length.bytes}, 1);
        assay_sink_write(encoder->sink, bytes, length.bytes);
    }
    return error;
}

static enum assay_error put_raw(struct assay_encoder *encoder, const void *data, size_t size)
{
    assay_sink_write(encoder->sink, data, size);
    return ASSAY_OK;
}

static enum assay_error close_encoder(struct assay_encoder *encoder)
{
    free(encoder);
    return ASSAY_OK;
}

static const struct assay_encoder_ops encoder = {
    .open = open_encoder, .put = put_packet, .put_raw = put_raw, .close = close_encoder};

static struct assay_kind kinds[ASSAY_KIND_FIRST + ETRACE_KIND_COUNT] = {{.name = "malformed"},
                                                                        {.name = "end"}};
static const char *const layers[] = {"packet"};
static const struct assay_format format = {.name = "packets",
                                           .version = "1",
                                           .layers = layers,
                                           .layer_count = 1,
                                           .kinds = kinds,
                                           .kind_count = sizeof kinds / sizeof kinds[0],
                                           .encoder = &encoder};

static int make_kinds(void **state)
{
    (void)state;
    memcpy(kinds + ASSAY_KIND_FIRST, etrace_kinds, sizeof etrace_kinds);
    return 0;
}

/* --- vectors --- */

/* The trace that a vector's list of events makes. */
static enum assay_error encode_as(const struct assay_format *as, const char *events,
                                  struct assay_sink *sink, struct assay_diag *diag)
{
    struct assay_vector vector = {.format = as};
    assert_int_equal(assay_yaml_parse("vector.yaml", events, strlen(events), &vector.file, diag),
                     ASSAY_OK);
    vector.trace = vector.file.root;
    assay_sink_memory(sink, 1024);
    const enum assay_error error = assay_vector_encode(&vector, sink, diag);
    assay_yaml_free(&vector.file);
    return error;
}

static enum assay_error encode(const char *events, struct assay_sink *sink, struct assay_diag *diag)
{
    return encode_as(&format, events, sink, diag);
}

static void a_format_without_an_encoder_has_vectors_of_bytes(void **state)
{
    (void)state;
    struct assay_format unwritten = format;
    struct assay_sink sink;
    struct assay_diag diag = {.error = ASSAY_OK};
    unwritten.encoder = NULL;
    assert_int_equal(encode_as(&unwritten, "- raw: \"04 fe\"\n- raw: ff\n", &sink, &diag),
                     ASSAY_OK);
    assert_int_equal(sink.size, 3);
    assert_memory_equal(sink.data, "\x04\xfe\xff", 3);
    assay_sink_close(&sink, NULL);
    assert_int_equal(encode_as(&unwritten, "- f3_support: {enable: true}\n", &sink, &diag),
                     ASSAY_UNSUPPORTED);
    assert_string_equal(diag.message, "only raw bytes can be written of packets");
    assay_sink_close(&sink, NULL);
}

static void a_vector_writes_packets_by_the_names_of_their_packed_fields(void **state)
{
    (void)state;
    static const uint8_t expected[] = {2, 0x82, 0x00, 1,    0x82, 3, 0x8d, 0x91, 0x02,
                                       2, 0x81, 0x02, 5,    0x73, 0, 0,    0,    0x80,
                                       1, 0x1f, 4,    0xfe, 0xff, 0, 0x0f};
    struct assay_sink sink;
    struct assay_diag diag = {.error = ASSAY_OK};
    const enum assay_error error =
        encode("- f2: {address: 0x40}\n"
               "- f2: {address: -0x40, notify: true, updiscon: true, irreport: 1}\n"
               "- f1: {branches: 3, branch_map: 3, address: 0x148}\n"
               "- f1: {branches: 0, branch_map: 0x5}\n"
               "- f3_start: {branch: true, privilege: 3, address: 0x80000000}\n"
               "- f3_support: {enable: true}\n"
               "- raw: \"04 fe ff 00 0f\"\n",
               &sink, &diag);
    assert_string_equal(diag.message, "");
    assert_int_equal(error, ASSAY_OK);
    assert_int_equal(sink.size, sizeof expected);
    assert_memory_equal(sink.data, expected, sizeof expected);
    assay_sink_close(&sink, NULL);
}

static void values_that_packed_fields_cannot_hold_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *events;
        enum assay_error error;
        const char *message; /* a part of it */
    } cases[] = {
        {"- f2: {address: -0x8000000000000001}\n", ASSAY_WRONG_TYPE, "for address"},
        {"- f3_start: {address: -2}\n", ASSAY_WRONG_TYPE, "for address"},
        {"- f1: {branches: -1}\n", ASSAY_WRONG_TYPE, "for branches"},
        {"- f2: {address: -}\n", ASSAY_WRONG_TYPE, "for address"},
        {"- f1: {branches: 32}\n", ASSAY_OUT_OF_RANGE,
         "32 does not fit f1.branches: its width is 5"},
        {"- f2: {address: 0x41}\n", ASSAY_OUT_OF_RANGE,
         "0x41 does not fit f2.address: its low bits, 1, are left out"},
        {"- f2: {address: 0x80000000}\n", ASSAY_OUT_OF_RANGE,
         "0x80000000 does not fit f2.address: its width is "},
        {"- f2: {irdepth: 1}\n", ASSAY_OUT_OF_RANGE, "f2.irdepth: the field is absent here"},
        {"- f1: {branches: 0, address: 2}\n", ASSAY_OUT_OF_RANGE,
         "0x2 does not fit f1.address: the field is absent here"},
        {"- f1: {branches: 1, branch_map: 2}\n", ASSAY_OUT_OF_RANGE,
         "0x2 does not fit f1.branch_map: its width is 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_sink sink;
        struct assay_diag diag = {.error = ASSAY_OK};
        assert_int_equal(encode(cases[i].events, &sink, &diag), cases[i].error);
        assert_int_equal(diag.line, 1);
        assert_string_equal(diag.path, "vector.yaml");
        if (strstr(diag.message, cases[i].message) == NULL) {
            fail_msg("\"%s\" lacks \"%s\"", diag.message, cases[i].message);
        }
        assay_sink_close(&sink, NULL);
    }
}

/* --- events that vectors state --- */

/* Whether the event f2 whose address is -0x40 is stated by `text`. */
static bool is_stated(const char *text, char *why, size_t size)
{
    static struct assay_packing plan;
    uint64_t cells[ETRACE_CELLS] = {0};
    const uint8_t bytes[16] = {0x82};
    struct assay_unpacked unpacked;
    struct assay_yaml_file file;
    assert_int_equal(assay_packing_plan(&etrace_kinds[ETRACE_F2_KIND], etrace_defaults,
                                        ETRACE_PARAMETER_COUNT, &plan, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_unpack(&plan, bytes, 8, cells, &unpacked), ASSAY_OK);
    assert_int_equal(assay_yaml_parse("item", text, strlen(text), &file, NULL), ASSAY_OK);
    const struct assay_event event = {.bytes = bytes,
                                      .cells = cells,
                                      .bits = 8,
                                      .kind = (uint16_t)(ASSAY_KIND_FIRST + ETRACE_F2_KIND)};
    const bool stated = assay_event_matches(&format, &event, file.root, why, size);
    assay_yaml_free(&file);
    return stated;
}

static void a_negative_value_is_stated_with_its_sign(void **state)
{
    (void)state;
    char why[128];
    assert_true(is_stated("{kind: f2, address: -0x40, notify: true}", why, sizeof why));
    assert_true(is_stated("{kind: f2, address: -64}", why, sizeof why));
    assert_true(is_stated("{kind: f2, address: 0xffffffffffffffc0}", why, sizeof why));
    assert_false(is_stated("{kind: f2, address: -0x42}", why, sizeof why));
    assert_string_equal(why, "address is -0x40");
    assert_false(is_stated("{kind: f2, address: 0x40}", why, sizeof why));
    assert_false(is_stated("{kind: f2, address: \"-0x40\"}", why, sizeof why));
    assert_false(is_stated("{kind: f2, address: -}", why, sizeof why));
    assert_false(is_stated("{kind: f2, notify: -1}", why, sizeof why));
}

/* --- JSON --- */

static void assert_json(enum etrace_kind kind, const char *payload, size_t size,
                        const char *expected)
{
    static struct assay_packing plan;
    uint64_t cells[ETRACE_CELLS] = {0};
    uint8_t bytes[16] = {0};
    struct assay_unpacked unpacked;
    struct assay_sink sink;
    memcpy(bytes, payload, size);
    assert_int_equal(assay_packing_plan(&etrace_kinds[kind], etrace_defaults,
                                        ETRACE_PARAMETER_COUNT, &plan, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_unpack(&plan, bytes, 8 * size, cells, &unpacked), ASSAY_OK);
    const struct assay_event event = {.bytes = bytes,
                                      .cells = cells,
                                      .bits = (uint32_t)(8 * size),
                                      .kind = (uint16_t)(ASSAY_KIND_FIRST + kind)};
    assay_sink_memory(&sink, 1024);
    assay_event_json(&format, &event, &sink);
    assay_sink_write(&sink, "", 1);
    assert_string_equal((const char *)sink.data, expected);
    assay_sink_close(&sink, NULL);
}

static void json_leaves_absent_fields_out_and_shows_zeros_and_signs(void **state)
{
    (void)state;
    assert_json(ETRACE_F1_KIND, "\x81\x02", 2,
                "{\"i\": 0, \"at\": 0, \"bits\": 16, \"layer\": \"packet\", \"kind\": \"f1\", "
                "\"branches\": 0, \"branch_map\": 5}\n");
    assert_json(ETRACE_F2_KIND, "\x02", 1,
                "{\"i\": 0, \"at\": 0, \"bits\": 8, \"layer\": \"packet\", \"kind\": \"f2\", "
                "\"address\": \"0x0\", \"notify\": 0, \"updiscon\": 0, \"irreport\": 0}\n");
    assert_json(ETRACE_F2_KIND, "\x82", 1,
                "{\"i\": 0, \"at\": 0, \"bits\": 8, \"layer\": \"packet\", \"kind\": \"f2\", "
                "\"address\": \"-0x40\", \"notify\": 1, \"updiscon\": 1, \"irreport\": 1}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_without_an_encoder_has_vectors_of_bytes),
        cmocka_unit_test(a_vector_writes_packets_by_the_names_of_their_packed_fields),
        cmocka_unit_test(values_that_packed_fields_cannot_hold_are_refused),
        cmocka_unit_test(a_negative_value_is_stated_with_its_sign),
        cmocka_unit_test(json_leaves_absent_fields_out_and_shows_zeros_and_signs),
    };
    return cmocka_run_group_tests(tests, make_kinds, NULL);
}
