/* Packed fields on the layouts of E-Trace: the packets of the specification's clauses, and packets
 * of other encoders beside what another reader made of them. The latter lie in the folder that
 * ASSAY_ETRACE_SAMPLES names, or in shared/samples/etrace beside the source tree; where there are
 * none this is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/tests/random.h"
#include "model/describe.h"
#include "model/tests/etrace_layout.h"

enum { PACKET = 64, TEXT = 512, PATH = 4096 };

/* --- a stream: parameters and the plans by them --- */

struct stream {
    uint64_t parameters[ETRACE_PARAMETER_COUNT];
    struct assay_packing plans[ETRACE_KIND_COUNT];
};

/* "name=value name=value": parameters that differ from their defaults. Names of no parameter are
 * passed over, as files of an encoder's options hold others. */
static void set_parameters(struct stream *stream, const char *text)
{
    for (size_t p = 0; p < ETRACE_PARAMETER_COUNT; p++) {
        const size_t length = strlen(etrace_parameter_names[p]);
        for (const char *at = text; (at = strstr(at, etrace_parameter_names[p])) != NULL; at++) {
            const bool begins = at == text || at[-1] == ' ' || at[-1] == '\n';
            if (begins && at[length] == '=') {
                stream->parameters[p] = strtoull(at + length + 1, NULL, 0);
            }
        }
    }
}

static void open_stream(struct stream *stream, const char *parameters)
{
    memcpy(stream->parameters, etrace_defaults, sizeof etrace_defaults);
    set_parameters(stream, parameters);
    assert_int_equal(assay_packing_plans(etrace_kinds, 0, ETRACE_KIND_COUNT, stream->parameters,
                                         ETRACE_PARAMETER_COUNT, stream->plans, NULL),
                     ASSAY_OK);
}

/* The kind of a packet by its first bits. Without subformat bits, format 0 is told by the options,
 * which no clause's packet here needs. */
static enum etrace_kind kind_of(const struct stream *stream, const uint8_t *bytes)
{
    switch (bytes[0] & 3) {
    case 0:
        return stream->parameters[ETRACE_P_f0s_width_p] != 0 && (bytes[0] & 4) != 0
                   ? ETRACE_F0_INDEX_KIND
                   : ETRACE_F0_COUNT_KIND;
    case 1:
        return ETRACE_F1_KIND;
    case 2:
        return ETRACE_F2_KIND;
    default:
        return (enum etrace_kind)(ETRACE_F3_START_KIND + (bytes[0] >> 2 & 3));
    }
}

struct packet {
    _Alignas(8) uint8_t bytes[PACKET];
    size_t size;
    uint64_t cells[ETRACE_CELLS];
    struct assay_unpacked unpacked;
    enum etrace_kind kind;
    struct assay_event event;
};

static void unpack(const struct stream *stream, struct packet *packet)
{
    memset(packet->cells, 0, sizeof packet->cells);
    packet->kind = kind_of(stream, packet->bytes);
    assert_int_equal(assay_unpack(&stream->plans[packet->kind], packet->bytes, 8 * packet->size,
                                  packet->cells, &packet->unpacked),
                     ASSAY_OK);
    packet->event = (struct assay_event){
        .bytes = packet->bytes, .cells = packet->cells, .bits = (uint32_t)(8 * packet->size)};
}

/* Writes the packet's fields and expects its own bytes again. */
static void pack_again(const struct stream *stream, const struct packet *packet, bool compress)
{
    uint8_t bytes[PACKET];
    struct assay_packed_length length;
    memset(bytes, 0xa5, sizeof bytes);
    const struct assay_kind *kind = &etrace_kinds[packet->kind];
    assay_kind_clear(kind, bytes);
    assert_int_equal(assay_pack(&stream->plans[packet->kind], packet->cells, compress, bytes,
                                sizeof bytes, &length, NULL),
                     ASSAY_OK);
    assert_int_equal(length.bits, packet->unpacked.bits);
    assert_int_equal(length.bytes, packet->size);
    assert_memory_equal(bytes, packet->bytes, packet->size);
}

static void put_hex(struct packet *packet, const char *hex)
{
    packet->size = 0;
    for (const char *at = hex; *at != '\0'; at += 2) {
        at += *at == ' ';
        unsigned byte;
        assert_int_equal(sscanf(at, "%2x", &byte), 1);
        packet->bytes[packet->size++] = (uint8_t)byte;
    }
}

/* --- the packets of the specification's clauses --- */

/* The subformat's constant is not shown where its bits are of packed fields, so it is named. */
static const struct {
    const char *parameters; /* that differ from the defaults of table 9.2 */
    const char *hex;
    const char *kind, *fields;
    unsigned bits; /* of the layout */
    bool full;     /* not compressed */
} clauses[] = {
    /* 6.2 */
    {"", "73 00 00 00 80", "f3_start", "branch privilege=3 address=0x80000000", 40, false},
    {"", "63 00 00 00 80", "f3_start", "privilege=3 address=0x80000000", 40, false},
    {"nocontext_p=1", "73 00 00 00 c0", "f3_start", "branch privilege=3 address=0x80000000", 39,
     false},
    {"nocontext_p=1 privilege_width_p=2 iaddress_width_p=64", "73 00 00 00 20", "f3_start",
     "branch privilege=3 address=0x80000000", 70, false},
    {"context_width_p=12", "73 ef 0d 00 00 00 fc", "f3_start",
     "branch privilege=3 context=0xdef address=0x80000000", 51, false},
    /* 6.3 */
    {"", "77 04 20 00 00 10 02 00 00 f0", "f3_trap",
     "branch privilege=3 ecause=2 address=0x80000100 tvalepc=0x80000010", 77, false},
    {"implicit_exception=1", "77 04 04 00 00 e0", "f3_trap",
     "branch privilege=3 ecause=2 tvalepc=0x80000010", 46, false},
    {"nocontext_p=1 privilege_width_p=2 iaddress_width_p=64 ecause_width_p=5", "f7 05 04 00 00 08",
     "f3_trap", "branch privilege=3 ecause=11 address=0x80000040", 140, false},
    /* 6.4 */
    {"", "bb", "f3_context", "privilege=3 context=0x1", 8, false},
    {"", "3b", "f3_context", "privilege=3", 8, false},
    /* 6.5 */
    {"", "1f", "f3_support", "enable", 14, false},
    {"", "4f", "f3_support", "qual_status=1", 14, false},
    {"", "5f", "f3_support", "enable qual_status=1", 14, false},
    {"", "9f 00", "f3_support", "enable qual_status=2", 14, false},
    {"", "3f", "f3_support", "enable encoder_mode=1", 14, false},
    {"", "1f 04", "f3_support", "enable options=0x4", 14, false},
    {"encoder_mode_bits=4 options_bits=3", "5f ea", "f3_support",
     "enable encoder_mode=2 qual_status=1 options=0x5", 14, false},
    /* 6.6 */
    {"", "82 00", "f2", "address=0x40", 36, false},
    {"", "82 00 00 00 00", "f2", "address=0x40", 36, true},
    {"", "82", "f2", "address=-0x40 notify updiscon irreport", 36, false},
    {"", "0a", "f2", "address=0x4", 36, false},
    {"", "82 00 00 00 fe", "f2", "address=0x40 notify updiscon irreport", 36, false},
    {"", "82 00 00 00 fc", "f2", "address=0x40 updiscon irreport", 36, false},
    {"", "82 00 00 00 f8", "f2", "address=0x40 irreport", 36, false},
    {"full_address=1 iaddress_width_p=64", "12 35 00 00 01", "f2", "address=0x80001a88", 68, false},
    {"full_address=1", "82 ff ff ff 01", "f2", "address=0xffffffc0", 36, false},
    {"full_address=1", "82", "f2", "address=0xffffffc0 notify updiscon irreport", 36, false},
    {"return_stack_size_p=2", "82 00 00 00 28", "f2", "address=0x40 irreport irdepth=2", 39, false},
    {"call_counter_size_p=4", "82 00 00 00 58", "f2", "address=0x40 irreport irdepth=5", 40, false},
    /* 6.7 */
    {"", "8d 91 02", "f1", "branches=3 branch_map=0x3 address=0x148", 44, false},
    {"", "81 02", "f1", "branch_map=0x5", 38, false},
    {"", "81", "f1", "branch_map=0x7fffffff", 38, false},
    {"", "01", "f1", "", 38, false},
    {"iaddress_width_p=64", "05 58 05", "f1", "branches=1 address=0xab0", 74, false},
    {"iaddress_width_p=64", "8d 91 02", "f1", "branches=3 branch_map=0x3 address=0x148", 76, false},
    {"iaddress_width_p=64", "09 e9 fd", "f1",
     "branches=2 branch_map=0x2 address=-0x10c notify updiscon irreport", 76, false},
    {"iaddress_width_p=64", "31 ff", "f1",
     "branches=12 branch_map=0x7ffe address=-0x2 notify updiscon irreport", 88, false},
    {"iaddress_width_p=64", "fd ff ff ff 3f 11", "f1",
     "branches=31 branch_map=0x7fffffff address=0x88", 104, false},
    /* 6.8 */
    {"f0s_width_p=1", "48", "f0_count", "branch_count=9", 37, false},
    {"f0s_width_p=1", "20 00 00 00 10 04", "f0_count", "branch_count=4 branch_fmt=2 address=0x40",
     71, false},
    {"f0s_width_p=1 return_stack_size_p=3", "20 00 00 00 10 04 00 00 a0 fe", "f0_count",
     "branch_count=4 branch_fmt=2 address=0x40 updiscon irdepth=13", 75, false},
    {"f0s_width_p=1 cache_size_p=2", "5c 04", "f0_index",
     "subformat=1 index=3 branches=2 branch_map=0x1", 14, false},
    {"f0s_width_p=1 cache_size_p=2", "1c", "f0_index", "subformat=1 index=3", 11, false},
    {"f0s_width_p=1 cache_size_p=2 call_counter_size_p=3", "1c f4", "f0_index",
     "subformat=1 index=3 irreport irdepth=6", 14, false},
};

static void the_packets_of_the_clauses_have_the_fields_that_the_clauses_tell(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        struct stream stream;
        struct packet packet = {.size = 0};
        char text[TEXT];
        print_message("%s: %s\n", clauses[i].hex, clauses[i].kind);
        open_stream(&stream, clauses[i].parameters);
        put_hex(&packet, clauses[i].hex);
        unpack(&stream, &packet);
        assay_describe_fields(&etrace_kinds[packet.kind], &packet.event, text, sizeof text);
        assert_string_equal(etrace_kinds[packet.kind].name, clauses[i].kind);
        assert_string_equal(text, clauses[i].fields);
        assert_int_equal(packet.unpacked.bits, clauses[i].bits);
        assert_true(packet.unpacked.excess < 8 && packet.unpacked.excess_is_padding);
        pack_again(&stream, &packet, !clauses[i].full);
    }
}

static void fields_that_a_packet_does_not_have_are_absent(void **state)
{
    (void)state;
    static const struct {
        const char *parameters, *hex, *absent;
    } cases[] = {
        {"", "81 02", "address notify updiscon irreport irdepth"},
        {"", "8d 91 02", "irdepth"},
        {"return_stack_size_p=1", "8d 91 02", ""},
        {"", "82 00", "irdepth"},
        {"f0s_width_p=1", "48", "address notify updiscon irreport irdepth"},
        {"", "48", "subformat address notify updiscon irreport irdepth"},
        {"f0s_width_p=1 call_counter_size_p=1", "20 00 00 00 10 04", ""},
        {"f0s_width_p=1 cache_size_p=2", "1c", "branch_map irdepth"},
        {"f0s_width_p=1", "5c 04", "index irdepth"},
        {"nocontext_p=1", "73 00 00 00 40", "context"},
        {"nocontext_p=1", "bb", ""},
        {"implicit_exception=1", "77 04", "address"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stream stream;
        struct packet packet = {.size = 0};
        char absent[TEXT] = "";
        open_stream(&stream, cases[i].parameters);
        put_hex(&packet, cases[i].hex);
        unpack(&stream, &packet);
        const struct assay_kind *kind = &etrace_kinds[packet.kind];
        for (size_t f = 0; f < kind->field_count; f++) {
            if (!assay_field_present(kind, &kind->fields[f], &packet.event)) {
                assay_append(absent, sizeof absent, "%s%s", absent[0] != '\0' ? " " : "",
                             kind->fields[f].name);
            }
        }
        assert_string_equal(absent, cases[i].absent);
    }
}

static void wrong_padding_and_packets_that_are_too_long_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *parameters, *hex;
        uint64_t excess;
        bool padding;
    } cases[] = {
        {"", "82 00 00 00 f0", 4, false},
        {"", "82 00 00 00 00", 4, true},
        {"", "82 00 00 00 00 00", 12, true},
        {"", "82 00 00 00 00 01", 12, false},
        {"", "01 00 00 00 00 00", 10, true},
        {"", "01 00 00 00 00 20", 10, false},
        {"", "bb ff", 8, true},
        {"", "bb 00", 8, false},
        {"", "73 00 00 00 80 ff", 8, true},
        {"", "73 00 00 00 80 7f", 8, false},
        {"f0s_width_p=1", "48 00 00 00 00", 3, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stream stream;
        struct packet packet = {.size = 0};
        open_stream(&stream, cases[i].parameters);
        put_hex(&packet, cases[i].hex);
        unpack(&stream, &packet);
        assert_int_equal(packet.unpacked.excess, cases[i].excess);
        assert_int_equal(packet.unpacked.excess_is_padding, cases[i].padding);
    }
}

static void what_sign_compression_cut_is_told_field_by_field(void **state)
{
    (void)state;
    struct stream stream;
    struct packet packet = {.size = 0};
    open_stream(&stream, "");
    put_hex(&packet, "8d 91 02"); /* 24 bits: 2, 5, 3, then 14 of the address */
    unpack(&stream, &packet);
    assert_int_equal(packet.unpacked.real_bits, 24);
    assert_int_equal(packet.unpacked.present, 0x3f); /* all but irdepth */
    assert_int_equal(packet.unpacked.cut, 0x3c);     /* address, notify, updiscon, irreport */
    put_hex(&packet, "82 00 00 00 00");
    unpack(&stream, &packet);
    assert_int_equal(packet.unpacked.cut, 0);
    assert_int_equal(packet.unpacked.real_bits, 36);
}

/* --- any values --- */

/* A value that the field can hold, from what the plan says about it. */
static uint64_t fitting(const struct assay_packing_step *step, unsigned width, uint64_t *seed)
{
    uint64_t value = random_value(seed, width);
    if (step->is_signed && width > 0 && value >> (width - 1) != 0) {
        value |= ~assay_mask(width);
    }
    return value << step->shift;
}

static void any_packet_under_any_parameters_comes_back_from_its_bytes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < 300; round++) {
        struct stream stream;
        char parameters[TEXT];
        snprintf(parameters, sizeof parameters,
                 "iaddress_width_p=%u iaddress_lsb_p=%u privilege_width_p=%u context_width_p=%u "
                 "nocontext_p=%u ecause_width_p=%u f0s_width_p=%u cache_size_p=%u "
                 "call_counter_size_p=%u return_stack_size_p=%u encoder_mode_bits=%u "
                 "options_bits=%u implicit_exception=%u full_address=%u",
                 (unsigned)(3 + random_below(&seed, 62)), (unsigned)random_below(&seed, 3),
                 (unsigned)(1 + random_below(&seed, 4)), (unsigned)random_below(&seed, 65),
                 (unsigned)random_below(&seed, 2), (unsigned)(1 + random_below(&seed, 16)),
                 (unsigned)random_below(&seed, 3), (unsigned)random_below(&seed, 10),
                 (unsigned)random_below(&seed, 9), (unsigned)random_below(&seed, 9),
                 (unsigned)random_below(&seed, 5), (unsigned)(1 + random_below(&seed, 20)),
                 (unsigned)random_below(&seed, 2), (unsigned)random_below(&seed, 2));
        open_stream(&stream, parameters);
        for (unsigned k = 0; k < 40 * ETRACE_KIND_COUNT; k++) {
            const struct assay_packing *plan = &stream.plans[k % ETRACE_KIND_COUNT];
            uint64_t cells[ETRACE_CELLS] = {0};
            uint64_t again[ETRACE_CELLS] = {0};
            uint8_t bytes[PACKET] = {0};
            struct assay_packed_length length;
            struct assay_unpacked unpacked;
            struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS];
            for (uint32_t i = 0; i < plan->count; i++) {
                /* What is before a field has its value already, so its width is known. */
                assay_packing_positions(plan, cells, places);
                cells[plan->steps[i].cell] = fitting(&plan->steps[i], places[i].width, &seed);
            }
            assay_kind_clear(plan->kind, bytes);
            assert_int_equal(assay_pack(plan, cells, true, bytes, PACKET, &length, NULL), ASSAY_OK);
            assert_int_equal(assay_unpack(plan, bytes, 8 * length.bytes, again, &unpacked),
                             ASSAY_OK);
            again[ETRACE_CELLS - 1] = 0;
            assert_memory_equal(again, cells, sizeof cells);
            assert_int_equal(unpacked.bits, length.bits);
            assert_true(unpacked.excess < 8 && unpacked.excess_is_padding);
            assert_int_equal(assay_sign_compressed(bytes, length.bytes), length.bytes);
        }
    }
}

/* --- packets of another encoder --- */

static uint64_t value_of(const struct packet *packet, const char *name)
{
    return assay_field_get(assay_field_by_name(&etrace_kinds[packet->kind], name), &packet->event);
}

static void append_address(const struct packet *packet, const char *name, const char *field,
                           char *out)
{
    uint64_t magnitude;
    const struct assay_kind *kind = &etrace_kinds[packet->kind];
    const bool negative =
        assay_field_negative(kind, assay_field_by_name(kind, field), &packet->event, &magnitude);
    assay_append(out, TEXT, " %s=%s0x%" PRIx64, name, negative ? "-" : "", magnitude);
}

static void append_flags(const struct packet *packet, char *out)
{
    static const char *const flags[] = {"notify", "updiscon", "irreport"};
    uint64_t before = value_of(packet, "address") >> 63;
    append_address(packet, "addr", "address", out);
    for (size_t i = 0; i < 3; i++) {
        const uint64_t flag = value_of(packet, flags[i]);
        /* A full address of fewer than 64 bits has its top bit elsewhere. */
        if (i > 0 && flag != before) {
            assay_append(out, TEXT, " %s", flags[i]);
        }
        before = flag;
    }
}

/* The packet as the other reader writes it. */
static void as_listed(const struct packet *packet, char *out)
{
    static const char *const status[] = {"no_change", "ended_rep", "trace_lost", "ended_upd"};
    out[0] = '\0';
    switch (packet->kind) {
    case ETRACE_F1_KIND:
        assay_append(out, TEXT, "F1 branches=%" PRIu64 " map=0x%" PRIx64,
                     value_of(packet, "branches"), value_of(packet, "branch_map"));
        if (value_of(packet, "branches") != 0) {
            append_flags(packet, out);
        }
        return;
    case ETRACE_F2_KIND:
        assay_append(out, TEXT, "F2");
        append_flags(packet, out);
        return;
    case ETRACE_F3_START_KIND:
        assay_append(out, TEXT, "F3.0 start branch=%" PRIu64 " priv=%" PRIu64,
                     value_of(packet, "branch"), value_of(packet, "privilege"));
        append_address(packet, "addr", "address", out);
        return;
    case ETRACE_F3_TRAP_KIND:
        assay_append(out, TEXT,
                     "F3.1 exception branch=%" PRIu64 " priv=%" PRIu64 " ecause=%" PRIu64
                     " interrupt=%" PRIu64,
                     value_of(packet, "branch"), value_of(packet, "privilege"),
                     value_of(packet, "ecause"), value_of(packet, "interrupt"));
        append_address(packet, "addr", "address", out);
        append_address(packet, "tvalepc", "tvalepc", out);
        return;
    case ETRACE_F3_SUPPORT_KIND:
        assay_append(out, TEXT,
                     "F3.3 support enable=%" PRIu64 " mode=%" PRIu64
                     " qual=%s options=0x%02" PRIx64,
                     value_of(packet, "enable"), value_of(packet, "encoder_mode"),
                     status[value_of(packet, "qual_status")], value_of(packet, "options"));
        return;
    default:
        return;
    }
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "rb");
}

/* One folder with enc.cfg, packets.bin and packets.txt; how many packets were compared. */
static unsigned compare_sample(const char *folder)
{
    char line[TEXT];
    char config[4096] = "";
    FILE *options = open_in(folder, "enc.cfg");
    FILE *packets = open_in(folder, "packets.bin");
    FILE *list = open_in(folder, "packets.txt");
    unsigned count = 0;
    if (options != NULL && packets != NULL && list != NULL) {
        config[fread(config, 1, sizeof config - 1, options)] = '\0';
    }
    /* The wire format of version 2.0 is another one. */
    if (strstr(config, "wire=111") != NULL) {
        struct stream stream;
        open_stream(&stream, config);
        for (int header; (header = fgetc(packets)) != EOF; count++) {
            struct packet packet = {.size = (size_t)(header & 31)};
            char text[TEXT];
            assert_int_equal(header >> 5, 2); /* te_inst */
            assert_int_equal(fread(packet.bytes, 1, packet.size, packets), packet.size);
            unpack(&stream, &packet);
            as_listed(&packet, text);
            assert_non_null(fgets(line, sizeof line, list));
            line[strcspn(line, "\n")] = '\0';
            assert_non_null(strstr(line, " F"));
            assert_string_equal(text, strstr(line, " F") + 1);
            assert_true(packet.unpacked.excess < 8 && packet.unpacked.excess_is_padding);
            pack_again(&stream, &packet, true);
        }
        assert_null(fgets(line, sizeof line, list));
        print_message("%s: %u packets\n", folder, count);
    }
    FILE *files[] = {options, packets, list};
    for (size_t i = 0; i < 3; i++) {
        if (files[i] != NULL) {
            fclose(files[i]);
        }
    }
    return count;
}

static unsigned compare_folder(const char *folder, unsigned depth)
{
    unsigned count = depth == 0 ? compare_sample(folder) : 0;
    DIR *list = depth > 0 ? opendir(folder) : NULL;
    for (const struct dirent *item; list != NULL && (item = readdir(list)) != NULL;) {
        char path[PATH];
        if (item->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, item->d_name) < PATH) {
            count += compare_folder(path, depth - 1);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
    return count;
}

static void packets_of_another_encoder_have_the_fields_that_another_reader_saw(void **state)
{
    (void)state;
    const char *folder = getenv("ASSAY_ETRACE_SAMPLES");
    if (compare_folder(folder != NULL ? folder : ASSAY_SAMPLES, 2) == 0) {
        print_message("skipped: no folder with packets.bin, enc.cfg and packets.txt\n");
        skip();
    }
}

/* --- speed --- */

/* Prints how fast packets are unpacked; nothing is demanded of it. */
static void the_speed_of_unpacking_is_printed(void **state)
{
    (void)state;
    static const char *const mix[] = {"0a",       "05 58 05",          "82 00",       "01",
                                      "8d 91 02", "fd ff ff ff 3f 11", "09 e9 fd",    "81 02",
                                      "85 00",    "73 00 00 00 20",    "91 87 06 00", "ba dc"};
    enum { MIX = sizeof mix / sizeof mix[0], ROUNDS = 1000000 };
    static struct stream stream;
    struct packet packets[MIX];
    uint64_t cells[ETRACE_CELLS] = {0};
    uint64_t sum = 0;
    open_stream(&stream, "iaddress_width_p=64 nocontext_p=1 privilege_width_p=2");
    for (size_t i = 0; i < MIX; i++) {
        put_hex(&packets[i], mix[i]);
    }
    const clock_t begin = clock();
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct packet *packet = &packets[round % MIX];
        struct assay_unpacked unpacked;
        assay_unpack(&stream.plans[kind_of(&stream, packet->bytes)], packet->bytes,
                     8 * packet->size, cells, &unpacked);
        sum += cells[ETRACE_CELLS - 1] + unpacked.bits;
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%.1f million packets a second\n", ROUNDS / (seconds + 1e-9) / 1e6);
    assert_true(sum != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_packets_of_the_clauses_have_the_fields_that_the_clauses_tell),
        cmocka_unit_test(fields_that_a_packet_does_not_have_are_absent),
        cmocka_unit_test(wrong_padding_and_packets_that_are_too_long_are_told),
        cmocka_unit_test(what_sign_compression_cut_is_told_field_by_field),
        cmocka_unit_test(any_packet_under_any_parameters_comes_back_from_its_bytes),
        cmocka_unit_test(packets_of_another_encoder_have_the_fields_that_another_reader_saw),
        cmocka_unit_test(the_speed_of_unpacking_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
