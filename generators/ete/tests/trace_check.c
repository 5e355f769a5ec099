#include "generators/ete/tests/trace_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "model/reader.h"
#include "validator/engine/conditions.h"
#include "validator/engine/judge.h"

/* --- what is not shown --- */

struct shown shown_open(size_t length)
{
    const struct shown shown = {.left_out = calloc(length, 1), .length = length};
    assert_non_null(shown.left_out);
    return shown;
}

void shown_close(struct shown *shown)
{
    free(shown->left_out);
}

void shown_leave_out(void *context, uint64_t first, uint64_t end)
{
    struct shown *shown = context;
    assert_true(first <= end && end <= shown->length);
    memset(shown->left_out + first, 1, (size_t)(end - first));
}

size_t shown_next(const struct shown *shown, size_t at)
{
    while (at < shown->length && shown->left_out[at]) {
        at++;
    }
    return at;
}

/* --- opening --- */

void trace_check_open(struct trace_check *check, const struct ete_unit_options *options,
                      bool wfx_is_p0)
{
    const struct {
        unsigned number;
        uint64_t value;
    } registers[] = {{ETE_TRCIDR0, options->trcidr0 | 0x08018ea1},
                     {ETE_TRCIDR1, 0x4100fff0},
                     {ETE_TRCIDR2, 0x50001088 | (uint64_t)wfx_is_p0 << ETE_WFXMODE_BIT},
                     {ETE_TRCIDR8, options->max_depth},
                     {ETE_TRCDEVARCH, 0x47705a13},
                     {ETE_TRCCONFIGR, options->trcconfigr},
                     {ETE_FEAT_RME, 0}};
    assay_parameters_init(&check->registers, assay_format_ete.parameters);
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        check->registers.value[registers[i].number] = registers[i].value;
        check->registers.known[registers[i].number] = true;
    }
    assert_int_equal(assay_image_set_open(NULL, &check->images), ASSAY_OK);
}

void trace_check_close(struct trace_check *check)
{
    assay_image_set_free(check->images);
}

void trace_check_add(struct trace_check *check, uint64_t address, const void *bytes, size_t size,
                     const uint32_t *context)
{
    struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = address};
    if (context != NULL) {
        spec.space.given = ASSAY_SPACE_CONTEXT;
        spec.space.context = *context;
    }
    assert_int_equal(assay_image_add_bytes(check->images, &spec, bytes, size, NULL), ASSAY_OK);
}

static struct assay_decoder *open_piece(struct trace_check *check, size_t from, size_t size)
{
    const uint8_t *bytes = check->trace->data;
    struct assay_decode_input input = {.parameters = &check->registers,
                                       .images = check->images,
                                       .conditions = assay_conditions_of(&assay_format_ete)};
    struct assay_decoder *decoder = NULL;
    assert_true(from <= check->trace->size && size <= check->trace->size - from);
    assert_int_equal(assay_source_memory(bytes + from, size, &input.source), ASSAY_OK);
    assert_int_equal(ete_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    return decoder;
}

static struct assay_decoder *open_decoder(struct trace_check *check)
{
    return open_piece(check, 0, check->trace->size);
}

/* --- instructions --- */

void trace_check_instructions(struct trace_check *check,
                              const char *(*each)(void *context, const struct assay_event *event),
                              void *context)
{
    struct assay_decoder *decoder = open_decoder(check);
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    size_t count = 0;
    assay_reader_begin(&reader, &assay_format_ete, decoder, ETE_INSTRUCTION, false);
    do {
        assert_int_equal(assay_reader_next(&reader, &event, NULL), ASSAY_OK);
        const char *wrong =
            event != NULL && event->kind == ETE_instruction ? each(context, event) : NULL;
        if (wrong != NULL) {
            fail_msg("%s, seed %llu: instruction %zu of the trace, 0x%llx at byte %llu: %s",
                     check->name, (unsigned long long)check->seed, count,
                     (unsigned long long)event->cells[ETE_RUN_ADDRESS],
                     (unsigned long long)event->offset, wrong);
        }
        count += event != NULL && event->kind == ETE_instruction;
    } while (event != NULL);
    ete_decoder_ops.close(decoder);
}

/* --- rules --- */

static void note(struct occurring *occurring, const struct assay_event *event)
{
    assert_int_not_equal(event->kind, ETE_malformed);
    occurring->kinds[event->kind]++;
    if (event->kind == ETE_run) {
        occurring->goes_by[event->cells[ETE_RUN_FLAGS] >> GOES_BIT & 7]++;
        occurring->sets[event->cells[ETE_RUN_FLAGS] & 3]++;
        occurring->by[event->cells[ETE_RUN_FLAGS] >> BY_BIT & 3]++;
    }
}

static void tell_violated(const struct trace_check *check, const struct assay_judge *judge,
                          enum assay_level least, size_t from, size_t size)
{
    const struct assay_catalogue *catalogue = assay_judge_catalogue(judge);
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(judge, r);
        if (result.verdict == ASSAY_FAIL && catalogue->rules[r].level >= least) {
            fail_msg("%s, seed %llu, %zu bytes from %zu: %s is violated, first at byte %llu: %s",
                     check->name, (unsigned long long)check->seed, size, from,
                     catalogue->rules[r].id, (unsigned long long)result.findings[0]->offset,
                     result.findings[0]->message);
        }
    }
}

/* `occurring` may be null. */
static void judge_piece(struct trace_check *check, size_t from, size_t size, enum assay_level least,
                        struct occurring *occurring)
{
    const struct assay_judge_settings settings = {
        .catalogue = assay_catalogue_of(&assay_format_ete),
        .parameters = &check->registers,
        .given = ASSAY_NEED_ISA | ASSAY_NEED_CONFIG | ASSAY_NEED_IMAGE,
        .max_findings = 1};
    struct assay_decoder *decoder = open_piece(check, from, size);
    struct assay_judge *judge = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(ete_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count && occurring != NULL; i++) {
            note(occurring, &block.events[i]);
        }
        assert_int_equal(assay_judge_events(judge, block.events, block.count), ASSAY_OK);
    }
    tell_violated(check, judge, least, from, size);
    assay_judge_close(judge);
    ete_decoder_ops.close(decoder);
}

void trace_check_rules(struct trace_check *check, struct occurring *occurring)
{
    judge_piece(check, 0, check->trace->size, ASSAY_INFO + 1, occurring);
}

void trace_check_piece(struct trace_check *check, size_t from, size_t size)
{
    judge_piece(check, from, size, ASSAY_MUST, NULL);
}
