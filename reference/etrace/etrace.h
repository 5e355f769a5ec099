/* RISC-V Efficient Trace, versions 1.1.1 and 2.0: packets, and the program's path that they give.
 * Private to the format. */
#ifndef ASSAY_ETRACE_H
#define ASSAY_ETRACE_H

#include "etrace/data.def"
#include "etrace/ingress.def"
#include "etrace/layout.def"
#include "etrace/parameters.def"
#include "etrace/path.def"
#include "etrace/registers.def"
#include "execution/chain_decoder.h"
#include "execution/compare_fields.h"
#include "model/layout.h"
#include "model/packed.h"
#include "model/packed_layout.h"
#include "model/packet_stage.h"
#include "model/parameters.h"

enum etrace_layer { ETRACE_PACKET, ETRACE_INSTRUCTION, ETRACE_INGRESS };

#define ASSAY_PREFIX ETRACE

/* ETRACE_start, ETRACE_run ... */
enum etrace_kind {
    ETRACE_malformed = ASSAY_KIND_MALFORMED,
    ETRACE_end = ASSAY_KIND_END,
    ETRACE_PACKETS(ASSAY_ENUM_ID) ETRACE_PATH_KINDS(ASSAY_ENUM_ID) ETRACE_CONFIGURED(ASSAY_ENUM_ID)
        ETRACE_INGRESS_KINDS(ASSAY_ENUM_ID) ETRACE_KIND_COUNT
};

enum { ETRACE_PACKET_KINDS_END = ETRACE_instruction };

/* The privilege level of Debug mode (table 4.2). */
enum { ETRACE_DEBUG = 4 };

/* Whether it is a packet of data trace. */
static inline bool etrace_is_data(enum etrace_kind kind)
{
    return kind >= ETRACE_data_access && kind <= ETRACE_atomic_response;
}

enum etrace_fault { ETRACE_FAULT_NONE, ETRACE_FAULTS(ASSAY_ENUM_FAULT) };

/* Also the numbers of what layouts depend on: those of options have the value in effect there. */
enum etrace_parameter { ETRACE_PARAMETERS(ASSAY_ENUM_ID) ETRACE_PARAMETER_COUNT };

/* Cells of an event, at the most. */
enum {
    ETRACE_PACKET_CELLS = 45,
    ETRACE_EVENT_CELLS = 8,
    ETRACE_MET = 7,     /* conditions of rules that instructions of a run meet */
    ETRACE_COMPARE = 8, /* first cell of ASSAY_COMPARE_FIELDS in a run */
    ETRACE_COMPARED_PC = 10,
    ETRACE_COMPARED_WORD = 11,
    ETRACE_EXECUTED_TRAP = 12, /* first cell of what a trap is compared with */
    ETRACE_INSTRUCTION_CELLS = 16,
    ETRACE_INGRESS_CELLS = 72
};

/* ETRACE_CELL_start_address, ETRACE_NUMBER_start_address, ETRACE_FIELD_start_address */
#define K(name, ...) ASSAY_ENUM_PACKED(name, ETRACE_FIELDS_##name, ETRACE_PACKET_CELLS)
ETRACE_PACKETS(K)
#undef K
#define E(name, ...) ASSAY_ENUM_DERIVED(name, ETRACE_FIELDS_##name, ETRACE_EVENT_CELLS)
E(malformed, "Malformed")
E(end, "End")
#undef E
#define E(name, ...) ASSAY_ENUM_DERIVED(name, ETRACE_FIELDS_##name, ETRACE_PACKET_CELLS)
ETRACE_CONFIGURED(E)
#undef E
#define E(name, ...) ASSAY_ENUM_DERIVED(name, ETRACE_FIELDS_##name, ETRACE_INGRESS_CELLS)
ETRACE_INGRESS_KINDS(E)
#undef E
/* ETRACE_CELL_run_last, ETRACE_BIT_run_last */
#define E(name, ...) ASSAY_ENUM_PLACED(name, ETRACE_FIELDS_##name)
ETRACE_PATH_KINDS(E)
#undef E

#undef ASSAY_PREFIX

enum {
    ETRACE_1_1_1 = 111, /* values of the parameter wire */
    ETRACE_2_0 = 200,
    ETRACE_HEADER_MOST = 16,  /* bytes of a container's header */
    ETRACE_PAYLOAD_MOST = 80, /* bytes of a payload; more than any packet can have */
    ETRACE_PACKET_MOST = ETRACE_HEADER_MOST + ETRACE_PAYLOAD_MOST,
    ETRACE_PACKED_MOST = 96, /* bytes that packing can give, which is more than a packet may have */
    ETRACE_CONTAINER_MOST = ETRACE_HEADER_MOST + ETRACE_PACKED_MOST + 1,
    ETRACE_FLAGS_MOST = 3, /* that follow each other in a packet (6.6.2) */
    ETRACE_FULL_MAP = 31   /* branches of a full branch map */
};

/* Cells of the fields of ETRACE_HEAD, which are the first ones of each kind. */
enum {
    ETRACE_HEAD_CELL = ASSAY_CELL_EXCESS + 1,
    ETRACE_TYPE_CELL = ETRACE_HEAD_CELL,
    ETRACE_LENGTH_CELL,
    ETRACE_SOURCE_CELL,
    ETRACE_TIMESTAMP_CELL,
    ETRACE_STAMPED_CELL,
    ETRACE_FLOW_CELL,
    ETRACE_HEAD_CELLS = ETRACE_FLOW_CELL + 1 - ETRACE_HEAD_CELL
};

/* Types of messages in a container that has room for two bits. */
enum { ETRACE_TYPE_INSTRUCTION = 2, ETRACE_TYPE_DATA = 3 };

/* What the payload of the encapsulation is where it does not begin with a byte. */
enum { ETRACE_ENCAPSULATED_UNKNOWN, ETRACE_ENCAPSULATED_BYTES, ETRACE_ENCAPSULATED_BITS };

/* How an encapsulated stream was transported: values of the parameter transport. */
enum {
    ETRACE_TRANSPORT_UNKNOWN,
    ETRACE_TRANSPORT_FRAMED,
    ETRACE_TRANSPORT_UNFRAMED,
    ETRACE_TRANSPORT_BITS
};

/* Which targets the jump target cache learns (3.2.7); values of the parameter cached_targets. */
enum etrace_cached {
    ETRACE_CACHED_UNKNOWN,
    ETRACE_CACHED_JUMPS,
    ETRACE_CACHED_XRETS /* those of returns from traps, too */
};

/* qual_status of a support packet (table 6.4). */
enum { ETRACE_NO_CHANGE, ETRACE_ENDED_REP, ETRACE_TRACE_LOST, ETRACE_ENDED_UPD };

/* --- values in data packets (chapter 7) --- */

enum {
    ETRACE_FORMAT_LOAD,
    ETRACE_FORMAT_LOAD_UNALIGNED,
    ETRACE_FORMAT_STORE,
    ETRACE_FORMAT_STORE_UNALIGNED,
    ETRACE_FORMAT_UNALIGNED = 1 /* the bit of it */
};
enum { ETRACE_DIFF_FULL, ETRACE_DIFF_XOR, ETRACE_DIFF_ADDRESS, ETRACE_DIFF_DIFFERENCE };
enum { ETRACE_RESP_ERROR, ETRACE_RESP_XOR, ETRACE_RESP_FULL, ETRACE_RESP_DIFFERENCE };
enum { ETRACE_BY_XOR = 1, ETRACE_BY_DIFFERENCE };

/* What is pending under the index of a request. */
enum { ETRACE_PENDING_UNKNOWN, ETRACE_PENDING_NONE, ETRACE_PENDING_LOAD, ETRACE_PENDING_ATOMIC };

/* --- parameters (parameters.c) --- */

enum { ETRACE_SD = -1, ETRACE_FILTERS_MOST = 16, ETRACE_COMPARATORS_MOST = 8 };

extern const struct assay_parameter_table etrace_parameters;

/* --- layouts (layout.c) --- */

/* The kinds whose layouts do not depend on other packets come first. */
enum { ETRACE_LAYOUTS_END = ETRACE_idle };

/* The plans of all kinds of packets, by kind. They refer to the values, which must outlive them,
 * and are to be made again when one of these changes. */
struct etrace_plans {
    struct assay_packing plan[ETRACE_PACKET_KINDS_END];
    struct assay_packed_layouts layouts[ETRACE_LAYOUTS_END]; /* where they have any */
};

/* The values that a stream begins with; the defaults when `values` is null. */
void etrace_layout(const struct assay_parameter_values *values,
                   uint64_t out[ETRACE_PARAMETER_COUNT]);

/* Whether the encoder traces data. */
static inline bool etrace_traces_data(const uint64_t layout[ETRACE_PARAMETER_COUNT])
{
    return layout[ETRACE_DATA_WIDTH] != 0 || layout[ETRACE_DADDRESS_WIDTH] != 0;
}

/* Bits of a branch map of so many branches; `none` is what 0 stands for (table 6.6). */
uint64_t etrace_map_width(uint64_t branches, uint64_t none);

/* Bits of irdepth (6.6.3). */
uint64_t etrace_irdepth_width(uint64_t stack_size, uint64_t counter_size, uint64_t unused);

enum assay_error etrace_plans_make(struct etrace_plans *plans, const uint64_t *layout,
                                   struct assay_diag *diag);

/* --- payloads (coding.c) --- */

/* The kind of a payload of at least one byte, of a type of message; ETRACE_malformed, and a fault,
 * when there is none. */
enum etrace_kind etrace_kind_of(bool of_data, const uint8_t *payload, const uint64_t *layout,
                                enum etrace_fault *fault);

/* Reads the payload's fields into the cells of an event of a kind, which are 0 before, and notes
 * which are there and how many bits follow the last one. The payload is not empty. Returns the bits
 * that it has by its layout. */
uint32_t etrace_unpack(struct etrace_plans *plans, enum etrace_kind kind, const uint8_t *payload,
                       size_t size, uint64_t *cells);

/* Where the fields of a payload are in the packet (struct assay_format), where the values that they
 * have there are those of the cells. */
size_t etrace_pieces(const struct assay_event *event,
                     const struct assay_parameter_values *parameters, struct assay_bit_piece *list,
                     size_t room);

/* The reverse. Errors as of assay_pack. */
enum assay_error etrace_pack(const struct etrace_plans *plans, enum etrace_kind kind,
                             const uint64_t *cells, uint8_t payload[ETRACE_PACKED_MOST],
                             size_t *size, struct assay_diag *diag);

/* --- containers (containers.c) --- */

/* A container, as the parameters make it. */
struct etrace_container {
    unsigned framing;
    unsigned source_bits, stamp_bytes, type_bits; /* that a packet has; the time where it says so */
    bool of_data;           /* the messages are, where the container has no type */
    uint64_t types[2];      /* of messages: of instruction trace, of data trace */
    unsigned encapsulated;  /* ETRACE_ENCAPSULATED_... */
    bool padding_runs;      /* zero bytes are between packets, in runs of at least 2^N (6) */
    unsigned padding_block; /* zero bytes fill blocks of this many bytes (6); 0: there are none */
};

/* What a container says of a packet: the cells of ETRACE_HEAD, which all kinds have alike. */
struct etrace_header {
    uint64_t type, source, timestamp, flow;
    bool stamped;
    bool null;     /* a null packet, which is this one byte */
    bool of_data;  /* the message is of data trace */
    bool reserved; /* it is of neither trace */
    size_t length; /* in bytes, of the payload and of the bits before it in its first one */
    size_t size;   /* of the header in bytes */
    unsigned lead; /* bits of source and type before the payload, which `length` counts */
    unsigned pad;  /* bits above the payload that are of no meaning */
};

/* The container of a framing; without one the byte header. */
void etrace_container(struct etrace_container *container, unsigned framing,
                      const uint64_t layout[ETRACE_PARAMETER_COUNT]);

/* Of the zero bytes that `data` begins with, at an offset in the stream, how many are padding
 * between packets. Where fewer than PADDING_MOST bytes are given the stream ends after them. */
enum { ETRACE_PADDING_MOST = 1 << 16 };
size_t etrace_padding(const struct etrace_container *container, uint64_t offset,
                      const uint8_t *data, size_t have);

/* Whether a header, in a container of which this is not known, shows that payloads are bits: no
 * whole byte is left for its own. */
bool etrace_header_shows_bits(const struct etrace_container *container,
                              const struct etrace_header *header);

/* Where the first byte is that surely begins a packet: behind as many null bytes as no normal
 * packet has, the first part of a synchronization sequence (Encapsulation, 2, Synchronization); 0
 * where there is none, where nothing else is before it, or in another container. */
size_t etrace_boundary(const struct etrace_container *container, const uint8_t *data, size_t have);

/* Reads a header. False when it has more bytes than there are. Source, timestamp and type are read
 * when the whole packet is there. */
bool etrace_header_read(const struct etrace_container *container, const uint8_t *data, size_t have,
                        struct etrace_header *header);

/* The payload of a packet that begins at `data`, aligned to bytes; the last one is extended by the
 * last bit. It is where the packet has it, or in `room` where it does not begin at a byte there.
 * Its size, or 0 if nothing of the length is left for it. Its length is at most
 * ETRACE_PAYLOAD_MOST. */
size_t etrace_payload_read(const struct etrace_header *header, const uint8_t *data,
                           uint8_t room[ETRACE_PAYLOAD_MOST], const uint8_t **payload);

/* Writes header and payload, and returns their size; 0: the container cannot hold the payload. A
 * length in the header other than 0 is written as it is. */
size_t etrace_container_write(const struct etrace_container *container,
                              const struct etrace_header *header, const uint8_t *payload,
                              size_t size, uint8_t bytes[ETRACE_CONTAINER_MOST]);

void etrace_header_to_cells(const struct etrace_header *header, uint64_t *cells);
/* The type where the cells have 0 is that of the kind. */
void etrace_header_of_cells(const struct etrace_container *container, enum etrace_kind kind,
                            const uint64_t *cells, struct etrace_header *header);

/* --- control registers (control.c) --- */

/* Adds an event of the next group of registers of which something was given; `*at` is 0 at first,
 * and private. False: there is no other. */
bool etrace_control_next(struct assay_packet_stage *stage,
                         const struct assay_parameter_values *values, unsigned *at);

/* How many of these events there are. */
unsigned etrace_control_count(const struct assay_parameter_values *values);

/* --- stages --- */

/* Opens the stages; each is null when memory is out. The source becomes the first one's. */
struct assay_stage *etrace_packets_open(const struct assay_decode_input *input,
                                        struct assay_diag *diag, enum assay_error *error);

/* The parameter wire of the stage of packets. */
uint64_t etrace_packets_wire(const struct assay_stage *packets);

struct assay_stage *etrace_path_open(const struct assay_decode_input *input,
                                     struct assay_history *packets, bool each_run);

/* Of the record of the interface, which is a table in the recorded execution. That becomes the
 * stage's; *error says why there is none. */
struct assay_stage *etrace_ingress_open(const struct assay_decode_input *input,
                                        struct assay_history *path, struct assay_diag *diag,
                                        enum assay_error *error);

/* Whether the record says where another hart begins: it has ctype (table 4.4). */
bool etrace_ingress_has_harts(const struct assay_stage *stage);

/* The next instruction of a run, as struct assay_decoder_ops has it. */
bool etrace_expand_run(struct assay_stage *path, const struct assay_event *run,
                       struct assay_expansion *expansion);

/* Of a run its last instruction, as struct assay_format has it. */
bool etrace_instruction(const struct assay_event *event, struct assay_instruction *instruction);

/* --- the decoder (decode.c) --- */

/* Adds a stage above that of packets, which outlives it, or several. */
typedef enum assay_error etrace_stage_add(struct assay_chain *chain,
                                          const struct assay_decode_input *input,
                                          struct assay_history *packets);

/* What stages above the decoder need of it; 0: nothing. */
struct etrace_decode_options {
    etrace_stage_add *above_packets; /* adds stages between packets and path; or null */
    bool
        each_run; /* each repetition of a loop is runs of its own: none is counted (path/loops.h) */
};

/* Adds the stages of the first `layers` layers, up to that of the path. */
enum assay_error etrace_decode_stages(struct assay_chain *chain,
                                      const struct assay_decode_input *input, unsigned layers,
                                      const struct etrace_decode_options *options,
                                      struct assay_diag *diag);

/* Of struct assay_decoder_ops, whatever stages there are above the decoder. */
bool etrace_decode_expand(struct assay_decoder *decoder, const struct assay_event *run,
                          struct assay_expansion *expansion);
unsigned etrace_decode_profile(const struct assay_decoder *decoder);
const char *etrace_decode_reason(const struct assay_decoder *decoder);

/* The decoder alone, and the one of the format, with the stages above it (format.c). */
extern const struct assay_decoder_ops etrace_decode_ops;
extern const struct assay_decoder_ops etrace_decoder_ops;
extern const struct assay_encoder_ops etrace_encoder_ops;
extern const struct assay_format assay_format_etrace;

#endif
