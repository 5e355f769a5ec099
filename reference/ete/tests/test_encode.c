/* The bytes that events of packets are encoded to. */
#include "ete/tests/ete_support.h"

#include "model/layout.h"

enum { ADDRESS_32_IS0 = 0x9a, ADDRESS = 0x1000, BYTES_MOST = 24 };

static struct assay_sink sink;
static struct assay_encoder *encoder;
static struct assay_diag diag;

static void begin(bool commit_mode)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] = (uint64_t)commit_mode << ETE_COMMOPT_BIT;
    assay_sink_memory(&sink, SIZE_MAX);
    assert_int_equal(ete_encoder_ops.open(&sink, "raw", &encoder, NULL), ASSAY_OK);
    assert_int_equal(ete_encoder_ops.configure(encoder, &values, 0, NULL), ASSAY_OK);
}

static void end(const uint8_t *bytes, size_t size)
{
    assert_int_equal(sink.size, size);
    assert_memory_equal(sink.data, bytes, size);
    assert_int_equal(ete_encoder_ops.close(encoder), ASSAY_OK);
    (void)assay_sink_close(&sink, NULL);
}

#define END(...) end((const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

/* An event of the constant bytes of its kind, with a value in a cell. */
static enum assay_error put(unsigned kind, const uint8_t *constant, unsigned cell, uint64_t value)
{
    uint8_t bytes[ETE_PACKET_MOST] = {0};
    uint64_t cells[ETE_CELLS] = {0};
    memcpy(bytes, constant, 3);
    cells[cell] = value;
    const struct assay_event event = {.bytes = bytes, .cells = cells, .kind = (uint16_t)kind};
    return ete_encoder_ops.put(encoder, &event, &diag);
}

#define CONSTANT(...) ((const uint8_t[3]){__VA_ARGS__})

static void packets_have_the_bytes_of_their_form(void **state)
{
    (void)state;
    begin(false);
    assert_int_equal(put(ETE_trace_on, CONSTANT(0x04), 0, 0), ASSAY_OK);
    assert_int_equal(put(ETE_commit, CONSTANT(0x2d), ETE_CELL_commit_count, 3), ASSAY_OK);
    assert_int_equal(put(ETE_discard, CONSTANT(0, 3), 0, 0), ASSAY_OK);
    assert_int_equal(put(ETE_overflow, CONSTANT(0, 5), 0, 0), ASSAY_OK);
    END(0x04, 0x2d, 3, 0, 3, 0, 5);
}

/* K10.5.2.3 */
static void an_async_has_as_many_zeros_as_it_says(void **state)
{
    (void)state;
    static const uint8_t least[12] = {[11] = 0x80};
    static const uint8_t more[14] = {[13] = 0x80};
    begin(false);
    assert_int_equal(put(ETE_async, CONSTANT(0), ETE_CELL_async_zeros, 0), ASSAY_OK);
    end(least, sizeof least);
    begin(false);
    assert_int_equal(put(ETE_async, CONSTANT(0), ETE_CELL_async_zeros, 12), ASSAY_OK);
    end(more, sizeof more);
}

/* K10.5.2.16: with TRCIDR0.COMMOPT the packet commits nothing. */
static void a_cycle_count_commits_where_the_trace_unit_does(void **state)
{
    (void)state;
    begin(false);
    assert_int_equal(put(ETE_cycle_count_1, CONSTANT(0x0e), ETE_CELL_cycle_count_1_commit, 2),
                     ASSAY_OK);
    assert_int_equal(put(ETE_cycle_count_1, CONSTANT(0x0f), ETE_CELL_cycle_count_1_commit, 2),
                     ASSAY_OK);
    END(0x0e, 2, 0, 0x0f, 2);
    begin(true);
    assert_int_equal(put(ETE_cycle_count_1, CONSTANT(0x0e), ETE_CELL_cycle_count_1_count, 5),
                     ASSAY_OK);
    assert_int_equal(put(ETE_cycle_count_1, CONSTANT(0x0f), 0, 0), ASSAY_OK);
    END(0x0e, 5, 0x0f);
    begin(true); /* without parameters it commits */
    assert_int_equal(ete_encoder_ops.configure(encoder, NULL, 0, NULL), ASSAY_OK);
    assert_int_equal(put(ETE_cycle_count_1, CONSTANT(0x0f), ETE_CELL_cycle_count_1_commit, 1),
                     ASSAY_OK);
    END(0x0f, 1);
}

/* Table K10-1 and K10.5.2.14.9 (INT-ETE-37): what follows a header and an information byte. */
static void a_virtual_context_identifier_has_the_bytes_of_its_reading(void **state)
{
    (void)state;
    enum { VMID = 0x7f, V = 0x40, VMIDSIZE_BIT = 10 };
    static const size_t sized[] = {4, 1, 2, 4, 4, 4};
    static const uint8_t expected[] = {0x81, V, VMID, 0, 0, 0};
    uint64_t cells[ETE_CELLS] = {[ETE_CELL_context_v] = 1, [ETE_CELL_context_vmid] = VMID};
    const struct assay_event event = {.bytes = expected, .cells = cells, .kind = ETE_context};
    for (unsigned size = 0; size < ASSAY_COUNT(sized); size++) {
        for (unsigned reading = ETE_VMID_SIZED; reading <= ETE_VMID_FIXED; reading++) {
            struct assay_parameter_values values;
            assay_parameters_init(&values, assay_format_ete.parameters);
            values.value[ETE_TRCIDR2] = size << VMIDSIZE_BIT;
            values.value[ETE_VMID_BYTES] = reading;
            begin(false);
            assert_int_equal(ete_encoder_ops.configure(encoder, &values, 0, NULL), ASSAY_OK);
            assert_int_equal(ete_encoder_ops.put(encoder, &event, &diag), ASSAY_OK);
            end(expected, 2 + (reading == ETE_VMID_SIZED ? sized[size] : 4));
        }
    }
}

/* K10.5.2.13 */
static void an_exception_holds_an_address_by_its_header(void **state)
{
    (void)state;
    begin(false);
    assert_int_equal(
        put(ETE_exception, CONSTANT(0x06, 1, ADDRESS_32_IS0), ETE_CELL_exception_encoded, ADDRESS),
        ASSAY_OK);
    assert_int_equal(put(ETE_exception, CONSTANT(0x06, 1, 0x04), 0, 0), ASSAY_OUT_OF_RANGE);
    assert_non_null(strstr(diag.message, "0x04"));
    END(0x06, 1, ADDRESS_32_IS0, 0, 8, 0, 0);
}

static void what_has_no_form_is_refused(void **state)
{
    (void)state;
    begin(false);
    assert_int_equal(put(ETE_trace_on, CONSTANT(0x70), 0, 0), ASSAY_OUT_OF_RANGE);
    assert_non_null(strstr(diag.message, "0x70"));
    assert_int_equal(put(ETE_commit, CONSTANT(0x2d), ETE_CELL_commit_count, UINT64_C(1) << 32),
                     ASSAY_OUT_OF_RANGE);
    end(NULL, 0);
}

static void an_event_with_bits_is_its_bytes(void **state)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct assay_event event = {.bytes = bytes, .bits = 56, .kind = ETE_trace_on};
    (void)state;
    begin(false);
    assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    event.bits = 8;
    event.kind = ETE_malformed;
    assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    event.bits = 0;
    assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    event.bits = 24;
    for (unsigned kind = ETE_PACKET_KINDS_END; kind < ETE_KIND_COUNT; kind++) {
        event.kind = (uint16_t)kind;
        assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    }
    event.kind = ETE_end;
    assert_int_equal(ete_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    assert_int_equal(ete_encoder_ops.put_raw(encoder, bytes, 1), ASSAY_OK);
    END(1, 2, 3, 4, 5, 6, 7, 1, 1);
}

static void streams_are_stored_raw(void **state)
{
    (void)state;
    assay_sink_memory(&sink, BYTES_MOST);
    assert_int_equal(ete_encoder_ops.open(&sink, "xz", &encoder, NULL), ASSAY_UNKNOWN_NAME);
    assert_int_equal(ete_encoder_ops.open(&sink, NULL, &encoder, NULL), ASSAY_OK);
    end(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_have_the_bytes_of_their_form),
        cmocka_unit_test(an_async_has_as_many_zeros_as_it_says),
        cmocka_unit_test(a_cycle_count_commits_where_the_trace_unit_does),
        cmocka_unit_test(a_virtual_context_identifier_has_the_bytes_of_its_reading),
        cmocka_unit_test(an_exception_holds_an_address_by_its_header),
        cmocka_unit_test(what_has_no_form_is_refused),
        cmocka_unit_test(an_event_with_bits_is_its_bytes),
        cmocka_unit_test(streams_are_stored_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
