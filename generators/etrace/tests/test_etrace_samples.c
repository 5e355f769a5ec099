/* Streams of other encoders (samples/etrace): each decodes to the instructions that retired, and
 * what our encoder sends of the retirement records is compared with their packets; so are these
 * records as records of the interface. Skipped where the samples are not. */
#include <dirent.h>
#include <stdio.h>

#include "common/tests/samples.h"
#include "etrace/ingress/ingress.h"
#include "etrace/interface/signals.h"
#include "etrace/tests/etrace_support.h"
#include "execution/execution.h"
#include "generators/etrace/unit.h"
#include "io/filter.h"
#include "model/framing.h"

static const char *samples(void)
{
    return samples_folder("ASSAY_ETRACE_SAMPLES", ASSAY_SAMPLES);
}

enum { PATH = 600, LINE = 256 };

/* --- files --- */

/* The bytes of a file, decompressed, with a zero after them; owned by the caller. Null: there is
 * none. */
static char *read_file(const char *path, size_t *size)
{
    struct assay_source *under = NULL;
    struct assay_source *source = NULL;
    struct assay_diag diag;
    char *all = NULL;
    *size = 0;
    if (assay_source_open(path, &under, &diag) != ASSAY_OK) {
        return NULL;
    }
    const enum assay_container container =
        strstr(path, ".xz") != NULL ? ASSAY_CONTAINER_XZ : ASSAY_CONTAINER_RAW;
    assert_int_equal(assay_filter_open(under, container, false, &source, &diag), ASSAY_OK);
    for (size_t have = 1; have > 0;) {
        const uint8_t *data = NULL;
        (void)assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have);
        all = realloc(all, *size + have + 1);
        assert_non_null(all);
        memcpy(all + *size, data, have);
        *size += have;
        assay_source_consume(source, have);
    }
    all[*size] = '\0';
    assay_source_close(source);
    return all;
}

/* --- samples --- */

struct sample {
    char program[LINE], options[LINE], folder[PATH];
    struct assay_parameter_values values;
    struct assay_image_set *images;
    char *packets, *pcs; /* owned */
    size_t instructions; /* lines of pcs */
    size_t packet_bytes;
};

static bool open_sample(struct sample *s, const char *program, const char *options)
{
    /* Where the public encoder has its options in a support packet. */
    static const struct {
        enum etrace_parameter parameter;
        uint64_t value;
    } bits[] = {{ETRACE_OPTIONS_WIDTH, 5},         {ETRACE_SIJUMP_BIT, 32},
                {ETRACE_IMPLICIT_RETURN_BIT, 0},   {ETRACE_IMPLICIT_EXCEPTION_BIT, 1},
                {ETRACE_FULL_ADDRESS_BIT, 2},      {ETRACE_JUMP_TARGET_CACHE_BIT, 3},
                {ETRACE_BRANCH_PREDICTION_BIT, 4}, {ETRACE_DOPTIONS_WIDTH, 4}};
    char path[2 * PATH];
    struct assay_diag diag = {.message = ""};
    struct assay_image_spec spec = {.kind = ASSAY_IMAGE_ELF};
    size_t size = 0;
    *s = (struct sample){.images = NULL};
    snprintf(s->program, sizeof s->program, "%s", program);
    snprintf(s->options, sizeof s->options, "%s", options);
    snprintf(path, sizeof path, "%s/%s/%s/packets.bin", samples(), program, options);
    s->packets = read_file(path, &s->packet_bytes);
    if (s->packets == NULL) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s/pcs.txt.xz", samples(), program);
    s->pcs = read_file(path, &size);
    assert_non_null(s->pcs);
    for (const char *line = s->pcs; (line = strchr(line, '\n')) != NULL; line++) {
        s->instructions++;
    }
    assay_parameters_init(&s->values, assay_format_etrace.parameters);
    snprintf(path, sizeof path, "%s/%s/%s/enc.cfg", samples(), program, options);
    if (assay_parameters_load(&s->values, path, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", path, diag.message);
    }
    for (size_t n = 0; n < sizeof bits / sizeof bits[0]; n++) {
        set_parameter(&s->values, bits[n].parameter, bits[n].value);
    }
    snprintf(spec.path, sizeof spec.path, "%s/%s/%s.elf", samples(), program, program);
    assert_int_equal(assay_image_set_open(NULL, &s->images), ASSAY_OK);
    assert_int_equal(assay_image_add(s->images, &spec, &diag), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(s->images, &diag), ASSAY_OK);
    return true;
}

static void close_sample(struct sample *s)
{
    assay_image_set_free(s->images);
    free(s->packets);
    free(s->pcs);
}

/* Calls `test` for each sample that has packets. */
static unsigned each_sample(void (*test)(struct sample *))
{
    unsigned count = 0;
    DIR *programs = opendir(samples());
    assert_non_null(programs);
    for (const struct dirent *p = NULL; (p = readdir(programs)) != NULL;) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/%s", samples(), p->d_name);
        DIR *options = p->d_name[0] == '.' ? NULL : opendir(path);
        for (const struct dirent *o = NULL; options != NULL && (o = readdir(options)) != NULL;) {
            struct sample s;
            if (o->d_name[0] != '.' && open_sample(&s, p->d_name, o->d_name)) {
                test(&s);
                close_sample(&s);
                count++;
            }
        }
        if (options != NULL) {
            closedir(options);
        }
    }
    closedir(programs);
    return count;
}

/* --- decoding --- */

static void decodes(struct sample *s)
{
    struct executed e = decode_instructions(s->packets, s->packet_bytes, &s->values, s->images);
    char *line = s->pcs;
    size_t count = 0;
    for (; *line != '\0'; count++) {
        const uint64_t pc = strtoull(line, &line, 16);
        if (count >= e.count || e.pcs[count] != pc) {
            fail_msg("%s/%s: instruction %zu is at 0x%llx", s->program, s->options, count,
                     (unsigned long long)pc);
        }
        line += strspn(line, "\n");
    }
    assert_int_equal(e.count, count);
    assert_int_equal(e.lost, 0);
    free(e.pcs);
}

static void packets_decode_to_what_retired(void **state)
{
    (void)state;
    assert_true(each_sample(decodes) > 0);
}

/* --- encoding --- */

/* A line of the retirement record. */
struct retired {
    uint64_t pc, word, priv, exception, cause, tval, interrupt;
};

static bool read_retired(char **line, struct retired *r)
{
    unsigned long long n[8];
    if (sscanf(*line, "%llu,%llx,%llx,%llu,%llu,%llx,%llx,%llu", &n[0], &n[1], &n[2], &n[3], &n[4],
               &n[5], &n[6], &n[7]) != 8) {
        return false;
    }
    *line = strchr(*line, '\n') + 1;
    *r = (struct retired){n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
    return true;
}

/* The reference encoder on a retirement record, from the first address of the program on. */
static void encode(struct sample *s, char *line, struct writing *w)
{
    const struct etrace_unit_setup setup = {.values = &s->values,
                                            .resync = ETRACE_RESYNC_PACKETS,
                                            .max_resync = s->values.value[ETRACE_MAX_RESYNC],
                                            .literal = true,
                                            .packet = write_packet,
                                            .context = w};
    struct etrace_unit *unit = etrace_unit_open(&setup);
    struct assay_image_cursor cursor;
    struct etrace_instruction before = {0};
    struct retired now;
    struct retired next;
    const unsigned xlen = (unsigned)s->values.value[ETRACE_XLEN];
    const struct etrace_reading reading = {.isa = rv_isa_of(xlen),
                                           .link_x5 = s->values.value[ETRACE_LINK_X5] != 0,
                                           .mask = assay_mask(xlen)};
    const uint64_t first = strtoull(s->pcs, NULL, 16);
    size_t count = 0;
    assay_image_cursor_open(&cursor, s->images);
    etrace_unit_start(unit);
    bool more = read_retired(&line, &now);
    while (more && count < s->instructions) {
        more = read_retired(&line, &next);
        if (count > 0 && now.exception != 0) {
            etrace_unit_put(unit, &(struct etrace_ingress){.iaddr = now.pc,
                                                           .itype = now.interrupt != 0
                                                                        ? ETRACE_ITYPE_INTERRUPT
                                                                        : ETRACE_ITYPE_EXCEPTION,
                                                           .cause = now.cause,
                                                           .tval = now.tval,
                                                           .priv = (uint8_t)now.priv});
            before.size = 0;
        } else if (count > 0 || now.pc == first) {
            const struct etrace_instruction i = etrace_instruction_at(&cursor, now.pc, &reading);
            struct etrace_ingress record =
                etrace_ingress_of(&before, &i, more ? next.pc : 0, &reading);
            record.priv = (uint8_t)now.priv;
            etrace_unit_put(unit, &record);
            before = i;
            count++;
        }
        now = next;
    }
    etrace_unit_stop(unit, true);
    etrace_unit_close(unit);
}

static void encodes(struct sample *s)
{
    char path[PATH];
    size_t size = 0;
    struct writing w;
    snprintf(path, sizeof path, "%s/%s/trace.csv.xz", samples(), s->program);
    char *record = read_file(path, &size);
    if (record == NULL) {
        return; /* of one program there is none */
    }
    begin_writing(&w, &s->values);
    encode(s, strchr(record, '\n') + 1, &w);
    assert_int_equal(etrace_encoder_ops.close(w.encoder), ASSAY_OK);
    if (w.sink.size != s->packet_bytes || memcmp(w.sink.data, s->packets, w.sink.size) != 0) {
        fail_msg("%s/%s: the packets are others", s->program, s->options);
    }
    (void)assay_sink_close(&w.sink, NULL);
    free(record);
}

static void records_encode_to_packets(void **state)
{
    (void)state;
    assert_true(each_sample(encodes) > 0);
}

/* --- comparing --- */

/* Whether what packets say of a block, a report or a trap of the record is right. */
static bool is_right(const struct assay_event *event)
{
    const uint64_t *cells = event->cells;
    switch (event->kind) {
    case ETRACE_block:
        return cells[ETRACE_CELL_block_state] != ETRACE_DIFFERS &&
               cells[ETRACE_CELL_block_state] != ETRACE_LEFT_OUT;
    case ETRACE_report:
        return cells[ETRACE_CELL_report_cause] != ETRACE_DUE_NOT;
    case ETRACE_taken_trap:
        return cells[ETRACE_CELL_taken_trap_recorded] != 0 &&
               cells[ETRACE_CELL_taken_trap_reported] != 0 &&
               cells[ETRACE_CELL_taken_trap_cause] == cells[ETRACE_CELL_taken_trap_packet_cause];
    default:
        return true;
    }
}

/* How many instructions of the record the packets have. */
static size_t compare(struct sample *s, const char *record, size_t size)
{
    struct assay_source *table = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    struct assay_diag diag;
    size_t traced = 0;
    struct assay_decode_input input = {
        .parameters = &s->values, .images = s->images, .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(assay_source_memory(s->packets, s->packet_bytes, &input.source), ASSAY_OK);
    assert_int_equal(assay_source_memory(record, size, &table), ASSAY_OK);
    assert_int_equal(assay_execution_open_any(table, &input.execution, &diag), ASSAY_OK);
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, &diag), ASSAY_OK);
    while (etrace_decoder_ops.next(decoder, &block, &diag) == ASSAY_OK && block.count > 0) {
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *event = &block.events[i];
            if (!is_right(event)) {
                fail_msg("%s/%s: line %u", s->program, s->options,
                         (unsigned)event->cells[ETRACE_CELL_block_line]);
            }
            traced += event->kind == ETRACE_block && event->cells[ETRACE_CELL_block_retires] != 0 &&
                      event->cells[ETRACE_CELL_block_state] == ETRACE_TRACED;
        }
    }
    etrace_decoder_ops.close(decoder);
    return traced;
}

static size_t compared; /* samples that have a record */

static void agrees(struct sample *s)
{
    char path[PATH];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s/trace.csv.xz", samples(), s->program);
    char *record = read_file(path, &size);
    if (record != NULL) {
        assert_int_equal(compare(s, record, size), s->instructions);
        compared++;
        free(record);
    }
}

static void records_agree_with_packets(void **state)
{
    (void)state;
    assert_true(each_sample(agrees) > 0);
    assert_true(compared > 0);
}

int main(void)
{
    if (samples_missing(samples())) {
        return SAMPLES_SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(packets_decode_to_what_retired),
                                       cmocka_unit_test(records_encode_to_packets),
                                       cmocka_unit_test(records_agree_with_packets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
