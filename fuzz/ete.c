/* An ETE stream with a program. The first four bytes are registers and the size of the program,
 * which is at 0x1000; the rest is the stream. Packets lie one after the other, events of higher
 * layers come from events below them, runs can be expanded, and both back ends of the rules judge
 * alike. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/describe.h"
#include "common/yaml.h"
#include "ete/ete.h"
#include "fuzz/judge.h"
#include "image/image.h"

enum { HEAD = 4, PROGRAM_AT = 0x1000, INPUT_MOST = 1 << 12, EXPANDED_MOST = 1 << 13 };

/* Events of an element or instruction layer that one byte can result in: 24 atoms in a packet of
 * one byte, each with a commit, and runs of the program's pages up to the first branch. */
enum { EVENTS_OF_A_BYTE = 200 };

static struct assay_image_set *program_of(const uint8_t *data, size_t size)
{
    struct assay_image_set *set = NULL;
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = PROGRAM_AT};
    require(assay_image_set_open(NULL, &set) == ASSAY_OK);
    if (size > 0) {
        require(assay_image_add_bytes(set, &spec, data, size, NULL) == ASSAY_OK);
    }
    require(assay_image_set_seal(set, NULL) == ASSAY_OK);
    return set;
}

static void expand_run(struct assay_decoder *decoder, const struct assay_event *run)
{
    struct assay_expansion expansion = {0};
    const uint64_t count = run->cells[5] & UINT32_MAX;
    require(count > 0);
    while (expansion.number < EXPANDED_MOST && ete_decoder_ops.expand(decoder, run, &expansion)) {
        require(expansion.event.kind == ETE_instruction);
        expansion.number++;
    }
    require(expansion.number == (count < EXPANDED_MOST ? count : EXPANDED_MOST));
}

static void look_at(struct assay_decoder *decoder, const struct assay_event *event, unsigned layer,
                    uint64_t *due)
{
    char line[512];
    const struct assay_kind *kind = &assay_format_ete.kinds[event->kind];
    require(kind->layer == layer);
    assay_describe_fields(kind, event, line, sizeof line);
    if (layer == ETE_PACKET) {
        require(event->offset == *due);
        *due += event->bits / 8;
    } else if (event->from != NULL) {
        require(assay_format_ete.kinds[event->from->kind].layer == layer - 1);
    }
    if (event->kind == ETE_run) {
        expand_run(decoder, event);
    }
}

static void decode(const uint8_t *data, size_t size, struct assay_parameter_values *parameters,
                   const struct assay_image_set *program)
{
    struct assay_decode_input input = {.parameters = parameters, .images = program};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    uint64_t due = 0, next[ETE_INSTRUCTION + 1] = {0};
    require(assay_source_memory(data, size, &input.source) == ASSAY_OK);
    require(ete_decoder_ops.open(&input, &decoder, NULL) == ASSAY_OK);
    do {
        require(ete_decoder_ops.next(decoder, &block, NULL) == ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            require(block.events[i].index == next[block.layer]++);
            look_at(decoder, &block.events[i], block.layer, &due);
        }
    } while (block.count > 0);
    require(due == size);
    require(next[ETE_INSTRUCTION] <= (size + 1) * EVENTS_OF_A_BYTE);
    ete_decoder_ops.close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > INPUT_MOST) {
        return 0;
    }
    const uint64_t idr0 = (uint64_t)(data[0] & 3) << ETE_COMMOPT_BIT;
    const uint64_t idr2 = (uint64_t)(data[0] >> 2 & 1) << ETE_WFXMODE_BIT;
    const uint64_t configr = (uint64_t)(data[0] >> 3 & 1) << ETE_RETURN_STACK_BIT;
    const size_t wanted = (size_t)(data[2] | data[3] << 8);
    const size_t program_size = wanted < size - HEAD ? wanted : size - HEAD;
    const uint8_t *stream = data + HEAD + program_size;
    const size_t stream_size = size - HEAD - program_size;
    char text[160];
    snprintf(text, sizeof text,
             "{TRCIDR0: %" PRIu64 ", TRCIDR1: 0, TRCIDR2: %" PRIu64
             ", TRCIDR8: %u, TRCDEVARCH: 0, TRCCONFIGR: %" PRIu64 "}",
             idr0, idr2, data[1], configr);
    struct assay_yaml_file config = {0};
    require(assay_yaml_parse("config", text, strlen(text), &config, NULL) == ASSAY_OK);
    struct assay_image_set *program = program_of(data + HEAD, program_size);
    struct assay_parameter_values parameters;
    assay_parameters_init(&parameters, assay_format_ete.parameters);
    require(assay_parameters_read(&parameters, "config", config.root, NULL) == ASSAY_OK);
    decode(stream, stream_size, &parameters, program);
    const struct assay_catalogue *const rules = assay_catalogue_of(&assay_format_ete);
    const struct assay_check_options options = {
        .catalogues = &rules, .catalogue_count = 1, .max_findings = 3, .jobs = 1};
    const struct assay_input input = {.path = "input",
                                      .setup = {.format = &assay_format_ete,
                                                .config = config.root,
                                                .config_path = "config",
                                                .images = program}};
    judge_with_both(&options, &input, stream, stream_size);
    assay_image_set_free(program);
    assay_yaml_free(&config);
    return 0;
}
