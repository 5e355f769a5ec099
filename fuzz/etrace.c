/* An E-Trace stream with a program. The input is the container, a byte for each of some parameters,
 * the size of a program that is at 0x5000 besides the one of the corpus, that program, and the
 * stream. Packets lie one after the other, events of the path come from packets, runs can be
 * expanded, and both back ends of the rules judge alike. */
#include <stdio.h>
#include <string.h>

#include "common/describe.h"
#include "common/framing.h"
#include "common/layout.h"
#include "common/yaml.h"
#include "etrace/etrace.h"
#include "fuzz/judge.h"
#include "image/image.h"

enum { PROGRAM_AT = 0x5000, INPUT_MOST = 1 << 12, EXPANDED_MOST = 1 << 13, TEXT_MOST = 1024 };

/* Few bytes can stand for very many runs: what is longer is decoded so far, and not judged. */
enum { EVENTS_MOST = 1 << 12 };

enum { RUN_COUNT_CELL = 5, NOT_GIVEN = 0xff, WIRE_2_0 = 200, SIZE_BYTES = 2 };

/* The parameters of the input, in its order, and the greatest value of each. A byte of 255 stands
 * for one that is not given; scripts/fuzz makes seeds by the same list. */
static const struct {
    const char *name;
    unsigned most;
} drawn[] = {
    {"wire", WIRE_2_0},
    {"iaddress_width_p", 64},
    {"iaddress_lsb_p", 2},
    {"privilege_width_p", 4},
    {"nocontext_p", 1},
    {"context_width_p", 64},
    {"notime_p", 1},
    {"time_width_p", 64},
    {"ecause_width_p", 64},
    {"f0s_width_p", 3},
    {"bpred_size_p", 15},
    {"cache_size_p", 15},
    {"return_stack_size_p", 15},
    {"call_counter_size_p", 7},
    {"encoder_mode_n", 8},
    {"ioptions_n", 32},
    {"sijump", 1},
    {"implicit_return", 1},
    {"implicit_exception", 1},
    {"branch_prediction", 1},
    {"jump_target_cache", 1},
    {"full_address", 1},
    {"max_resync", 64},
    {"source_width", 16},
    {"timestamp_size", 8},
    {"type_width", 2},
};
enum { HEAD = 1 + ASSAY_COUNT(drawn) + SIZE_BYTES };

/* The program of corpus/etrace/_base/program.yaml. */
static const struct {
    uint64_t at;
    uint32_t words[4];
} program[] = {
    {0x1000, {0x00000013, 0x00050663, 0x00000013, 0x0140006f}},
    {0x1010, {0x0f0000ef, 0x00000013, 0x00050067, 0x00000013}},
    {0x1020, {0x000025b7, 0x00058067, 0x00000013, 0x00000013}},
    {0x1100, {0x00000013, 0x00008067}},
    {0x2000, {0x00000013, 0x30200073, 0x0000006f}},
    {0x3000, {0x00000013, 0xfe051ee3, 0x00000073, 0xff5fd06f}},
    {0x4000, {0x00000013, 0x30200073}},
};

static void add_program(struct assay_image_set *set, uint64_t address, const void *data,
                        size_t size)
{
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = address};
    require(assay_image_add_bytes(set, &spec, data, size, NULL) == ASSAY_OK);
}

static struct assay_image_set *program_with(const uint8_t *data, size_t size)
{
    struct assay_image_set *set = NULL;
    require(assay_image_set_open(NULL, &set) == ASSAY_OK);
    for (size_t i = 0; i < ASSAY_COUNT(program); i++) {
        add_program(set, program[i].at, program[i].words, sizeof program[i].words);
    }
    if (size > 0) {
        add_program(set, PROGRAM_AT, data, size);
    }
    require(assay_image_set_seal(set, NULL) == ASSAY_OK);
    return set;
}

static void write_config(const uint8_t *values, char text[TEXT_MOST])
{
    size_t length = (size_t)snprintf(text, TEXT_MOST, "{xlen: 0");
    for (size_t i = 0; i < ASSAY_COUNT(drawn); i++) {
        const unsigned value = values[i] % (drawn[i].most + 1);
        char *const end = text + length;
        const size_t room = TEXT_MOST - length;
        if (values[i] == NOT_GIVEN) {
            continue;
        }
        length +=
            (size_t)(strcmp(drawn[i].name, "wire") == 0
                         ? snprintf(end, room, ", wire: %s", value == WIRE_2_0 ? "2.0" : "1.1.1")
                         : snprintf(end, room, ", %s: %u", drawn[i].name, value));
    }
    require(length + 2 < TEXT_MOST);
    memcpy(text + length, "}", 2);
}

/* Whether the values are lawful, and go together. */
static bool settle(struct assay_parameter_values *parameters, const struct assay_yaml_file *config)
{
    if (assay_parameters_read(parameters, "config", config->root, NULL) != ASSAY_OK) {
        return false;
    }
    assay_parameters_settle(parameters);
    return assay_parameters_check(parameters, NULL) == ASSAY_OK;
}

static void expand_run(struct assay_decoder *decoder, const struct assay_event *run)
{
    struct assay_expansion expansion = {0};
    const uint64_t count = run->cells[RUN_COUNT_CELL] & UINT32_MAX;
    require(count > 0);
    while (expansion.number < EXPANDED_MOST &&
           etrace_decoder_ops.expand(decoder, run, &expansion)) {
        require(expansion.event.kind == ETRACE_instruction);
        expansion.number++;
    }
    require(expansion.number == (count < EXPANDED_MOST ? count : EXPANDED_MOST));
}

/* Where the next packet has to be. Of what is not understood only the beginning is shown. */
struct due {
    uint64_t offset;
    bool or_later;
};

static void look_at(struct assay_decoder *decoder, const struct assay_event *event, unsigned layer,
                    struct due *due)
{
    char line[512];
    const struct assay_kind *kind = &assay_format_etrace.kinds[event->kind];
    require(kind->layer == layer);
    assay_describe_fields(kind, event, line, sizeof line);
    if (layer == ETRACE_PACKET) {
        require(event->offset == due->offset || (due->or_later && event->offset > due->offset));
        due->offset = event->offset + event->bits / 8;
        due->or_later = event->kind == ETRACE_malformed && event->bits / 8 == ETRACE_PACKET_MOST;
    } else if (event->from != NULL) {
        require(assay_format_etrace.kinds[event->from->kind].layer == ETRACE_PACKET);
    }
    if (event->kind == ETRACE_run) {
        expand_run(decoder, event);
    }
}

/* Whether it decodes to few events. */
static bool decode(struct assay_decode_input input, const uint8_t *data, size_t size)
{
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    struct due due = {0};
    uint64_t events = 0, next[ETRACE_INSTRUCTION + 1] = {0};
    require(assay_source_memory(data, size, &input.source) == ASSAY_OK);
    require(etrace_decoder_ops.open(&input, &decoder, NULL) == ASSAY_OK);
    do {
        require(etrace_decoder_ops.next(decoder, &block, NULL) == ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            require(block.events[i].index == next[block.layer]++);
            look_at(decoder, &block.events[i], block.layer, &due);
        }
        events += block.count;
    } while (block.count > 0 && events <= EVENTS_MOST);
    require(block.count > 0 || due.offset == size); /* `end` is there */
    etrace_decoder_ops.close(decoder);
    return events <= EVENTS_MOST;
}

static void judge(const struct assay_decode_input *decoded, const struct assay_yaml_file *config,
                  const uint8_t *data, size_t size)
{
    const struct assay_catalogue *const rules = assay_catalogue_of(&assay_format_etrace);
    const struct assay_check_options options = {
        .catalogues = &rules, .catalogue_count = 1, .max_findings = 3, .jobs = 1};
    const struct assay_input input = {.path = "input",
                                      .setup = {.format = &assay_format_etrace,
                                                .framing = decoded->framing,
                                                .framing_given = true,
                                                .config = config->root,
                                                .config_path = "config",
                                                .images = decoded->images}};
    judge_with_both(&options, &input, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > INPUT_MOST) {
        return 0;
    }
    const size_t wanted = (size_t)(data[HEAD - 2] | data[HEAD - 1] << 8);
    const size_t program_size = wanted < size - HEAD ? wanted : size - HEAD;
    const uint8_t *stream = data + HEAD + program_size;
    const size_t stream_size = size - HEAD - program_size;
    char text[TEXT_MOST];
    struct assay_yaml_file config = {0};
    struct assay_parameter_values parameters;
    write_config(data + 1, text);
    require(assay_yaml_parse("config", text, strlen(text), &config, NULL) == ASSAY_OK);
    assay_parameters_init(&parameters, assay_format_etrace.parameters);
    if (settle(&parameters, &config)) {
        struct assay_image_set *images = program_with(data + HEAD, program_size);
        const struct assay_decode_input input = {
            .parameters = &parameters,
            .images = images,
            .framing = ASSAY_FRAMING_BYTE_HEADER +
                       data[0] % (ASSAY_FRAMING_LENGTH_PREFIXED - ASSAY_FRAMING_BYTE_HEADER + 1)};
        if (decode(input, stream, stream_size)) {
            judge(&input, &config, stream, stream_size);
        }
        assay_image_set_free(images);
    }
    assay_yaml_free(&config);
    return 0;
}
