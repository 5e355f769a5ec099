/* Data trace of another encoder (samples/etrace/amo64): each packet has the fields that the encoder
 * says it sent, and, where all values are sent whole, the addresses and values that the program
 * accessed. Skipped where the samples are not. */
#include <stdio.h>

#include "common/tests/samples.h"
#include "etrace_support.h"
#include "model/framing.h"

static const char *samples(void)
{
    return samples_folder("ASSAY_ETRACE_SAMPLES", ASSAY_SAMPLES);
}

enum { PATH = 600, LINE = 512, COLUMNS = 32 };

/* A table of comma separated values, read line by line. */
struct table {
    FILE *file;
    char names[LINE], line[LINE];
    const char *name[COLUMNS], *value[COLUMNS];
    size_t columns;
};

static size_t split(char *line, const char **cells)
{
    size_t count = 0;
    for (char *at = strtok(line, ",\r\n"); at != NULL; at = strtok(NULL, ",\r\n")) {
        assert_true(count < COLUMNS);
        cells[count++] = at;
    }
    return count;
}

static void open_table(struct table *t, const char *folder, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/amo64/%s/%s", samples(), folder, name);
    t->file = fopen(path, "r");
    assert_non_null(t->file);
    assert_non_null(fgets(t->names, sizeof t->names, t->file));
    t->columns = split(t->names, t->name);
}

static bool next_line(struct table *t)
{
    return fgets(t->line, sizeof t->line, t->file) != NULL &&
           split(t->line, t->value) == t->columns;
}

static const char *column(const struct table *t, const char *name)
{
    size_t at = 0;
    while (at < t->columns && strcmp(t->name[at], name) != 0) {
        at++;
    }
    assert_true(at < t->columns);
    return t->value[at];
}

/* --- the packets --- */

static struct assay_parameter_values values_of_encoder(void)
{
    static const struct {
        enum etrace_parameter parameter;
        uint64_t value;
    } set[] = {{ETRACE_WIRE, ETRACE_2_0},
               {ETRACE_IADDRESS_WIDTH, 64},
               {ETRACE_OPTIONS_WIDTH, 5},
               {ETRACE_DATA_WIDTH, 64},
               {ETRACE_DADDRESS_WIDTH, 64}};
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_etrace.parameters);
    for (size_t n = 0; n < sizeof set / sizeof set[0]; n++) {
        set_parameter(&values, set[n].parameter, set[n].value);
    }
    assay_parameters_settle(&values);
    return values;
}

static const struct assay_field *field_of(const struct assay_event *event, const char *name)
{
    return assay_field_by_name(&assay_format_etrace.kinds[event->kind], name);
}

static uint64_t value_of(const struct assay_event *event, const char *name)
{
    const struct assay_field *field = field_of(event, name);
    if (field == NULL) {
        fail_msg("%s has no field %s", assay_format_etrace.kinds[event->kind].name, name);
    }
    return assay_field_get(field, event);
}

/* Calls `test` for each packet with the next line of the table. Returns how many there were. */
static size_t each_packet(const char *folder, struct table *t,
                          void (*test)(const struct assay_event *, const struct table *))
{
    static uint8_t bytes[1 << 16];
    char path[PATH];
    struct assay_parameter_values values = values_of_encoder();
    struct assay_decode_input input = {.parameters = &values, .framing = ASSAY_FRAMING_BYTE_HEADER};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    struct assay_diag diag = {.message = ""};
    size_t count = 0;
    snprintf(path, sizeof path, "%s/amo64/%s/amo64.te_data_raw", samples(), folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size < sizeof bytes);
    assert_int_equal(assay_source_memory(bytes, size, &input.source), ASSAY_OK);
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, &diag), ASSAY_OK);
    while (etrace_decoder_ops.next(decoder, &block, &diag) == ASSAY_OK && block.count > 0) {
        for (size_t i = 0; i < block.count; i++) {
            const unsigned kind = block.events[i].kind;
            if (block.layer == ETRACE_PACKET && kind < ETRACE_PACKET_KINDS_END &&
                kind != ETRACE_end && kind != ETRACE_support) {
                assert_int_not_equal(kind, ETRACE_malformed);
                assert_true(next_line(t));
                test(&block.events[i], t);
                count++;
            }
        }
    }
    etrace_decoder_ops.close(decoder);
    assert_false(next_line(t));
    fclose(t->file);
    return count;
}

static void has_the_fields(const struct assay_event *event, const struct table *t)
{
    static const char *const names[] = {"data",   "operand",  "addr_msbs", "addr_lsbs",
                                        "op_len", "data_len", "address"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const char *sent = column(t, names[n]);
        const bool is_difference = strcmp(names[n], "address") == 0 && column(t, "diff")[0] != '0';
        /* A byte has no length, of which the encoder says that it is 0. */
        const bool is_byte = strcmp(names[n], "data_len") == 0 && column(t, "size")[0] == '0';
        if (strcmp(sent, "_") != 0 && !is_byte) {
            assert_int_equal(value_of(event, is_difference ? "delta" : names[n]),
                             strtoull(sent, NULL, 16));
        }
    }
}

static void packets_have_the_fields_that_were_sent(void **state)
{
    static const char *const folders[] = {"dtype_basic", "dtype_debug", "dtype_no_address",
                                          "dtype_no_data"};
    (void)state;
    for (size_t n = 0; n < sizeof folders / sizeof folders[0]; n++) {
        struct table sent;
        open_table(&sent, folders[n], "amo64.te_data");
        assert_true(next_line(&sent)); /* of the support packet */
        assert_int_equal(each_packet(folders[n], &sent, has_the_fields), 3345);
    }
}

static void is_of_the_access(const struct assay_event *event, const struct table *t)
{
    const uint64_t address = strtoull(column(t, "DADDR"), NULL, 16);
    if (event->kind == ETRACE_csr) {
        assert_int_equal(value_of(event, "number"), address);
        return;
    }
    assert_true(value_of(event, "location_known"));
    assert_int_equal(value_of(event, "location"), address);
    if (event->kind == ETRACE_data_access) {
        assert_true(value_of(event, "value_known"));
        assert_int_equal(value_of(event, "value"), strtoull(column(t, "DATA"), NULL, 16));
    }
}

static void full_packets_are_of_the_accesses_of_the_program(void **state)
{
    (void)state;
    struct table made;
    open_table(&made, "dtype_debug", "amo64.spike_data_trace");
    assert_int_equal(each_packet("dtype_debug", &made, is_of_the_access), 3345);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_have_the_fields_that_were_sent),
        cmocka_unit_test(full_packets_are_of_the_accesses_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
