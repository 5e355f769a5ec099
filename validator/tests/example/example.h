/* The example: a packet format of four layers, as small as one can be that needs all that the
 * shared parts offer. docs/adding-a-format.md goes through it file by file. */
#ifndef ASSAY_TESTS_EXAMPLE_H
#define ASSAY_TESTS_EXAMPLE_H

#include "example/layout.def"
#include "execution/compare.h"
#include "model/layout_enum.h"
#include "model/packed.h"
#include "model/parameters.h"
#include "model/step_stage.h"

enum example_layer { EXAMPLE_PACKET, EXAMPLE_ELEMENT, EXAMPLE_RESOLVED, EXAMPLE_INSTRUCTION };

#define ASSAY_PREFIX EXAMPLE

/* EXAMPLE_sync, EXAMPLE_note_7f, EXAMPLE_run ... */
enum example_kind {
    EXAMPLE_malformed = ASSAY_KIND_MALFORMED,
    EXAMPLE_end = ASSAY_KIND_END,
    EXAMPLE_PACKETS(ASSAY_ENUM_ID)
#define N(n) EXAMPLE_note_##n,
        EXAMPLE_NOTES(N)
#undef N
            EXAMPLE_EVENTS(ASSAY_ENUM_ID) EXAMPLE_KIND_COUNT
};

enum { EXAMPLE_PACKET_KINDS_END = EXAMPLE_begin };

enum example_fault { EXAMPLE_FAULT_NONE, EXAMPLE_FAULTS(ASSAY_ENUM_FAULT) };

/* What layouts of packets depend on: the parameters, by their numbers, and what a sync can change
 * in mid-stream. */
enum {
    EXAMPLE_PARAMETERS(ASSAY_ENUM_ID) EXAMPLE_PARAMETER_COUNT,
    EXAMPLE_FULL_ADDRESS = EXAMPLE_PARAMETER_COUNT,
    EXAMPLE_LAYOUT_COUNT
};

/* Cells of an event. Those of a packet begin with what unpacking notes; those of a run end with the
 * conditions of rules that its instructions meet, and with those of the comparison. */
enum {
    EXAMPLE_PACKET_CELLS = 4,
    EXAMPLE_MET = 8,
    EXAMPLE_CELLS,
    EXAMPLE_COMPARE = EXAMPLE_CELLS,
    EXAMPLE_INSTRUCTION_CELLS = EXAMPLE_COMPARE + ASSAY_COMPARE_ROOM
};

/* EXAMPLE_CELL_start_address, EXAMPLE_NUMBER_start_address, EXAMPLE_FIELD_start_address */
#define K(name, ...) ASSAY_ENUM_PACKED(name, EXAMPLE_FIELDS_##name, EXAMPLE_PACKET_CELLS)
EXAMPLE_PACKETS(K)
#undef K
#define E(name, ...) ASSAY_ENUM_DERIVED(name, EXAMPLE_FIELDS_##name, EXAMPLE_MET)
EXAMPLE_EVENTS(E)
E(malformed, "Malformed")
E(end, "End")
#undef E
enum { EXAMPLE_CELL_note_value = ASSAY_CELL_EXCESS + 1 }; /* of each note */

#undef ASSAY_PREFIX

enum {
    EXAMPLE_PACKET_MOST = 32, /* bytes of a packet */
    EXAMPLE_PACKED_MOST =
        64,                  /* bytes that packing can give, which is more than a packet may have */
    EXAMPLE_SLOTS = 1 << 10, /* of each history: so far `from` reaches back; few, so that tests get
                                beyond */
    EXAMPLE_OPEN_MOST = 256  /* elements that can be open: the greatest speculation_depth */
};

/* EXAMPLE_malformed when no packet has the type. */
enum example_kind example_kind_of(uint8_t type);

/* The plans of all kinds of packets, by kind. They refer to the values, which must outlive them,
 * and are to be made again when one of these changes. */
struct example_plans {
    struct assay_packing plan[EXAMPLE_PACKET_KINDS_END];
};

enum assay_error example_plans_make(struct example_plans *plans, const uint64_t *values,
                                    struct assay_diag *diag);

/* Reads the packed fields of a packet into its cells, and notes which are there and how many bits
 * follow the last one. ASSAY_TRUNCATED: the packet is too short. */
enum assay_error example_unpack(const struct example_plans *plans, const struct assay_event *packet,
                                uint64_t *cells);

/* The reverse: a packet's bytes from its cells, and from its bytes up to the packed fields. Errors
 * as of assay_pack. */
enum assay_error example_pack(const struct example_plans *plans, const struct assay_event *packet,
                              uint8_t bytes[EXAMPLE_PACKED_MOST], size_t *size,
                              struct assay_diag *diag);

/* The values that a stream begins with, for plans; the defaults when `values` is null. */
void example_parameters(const struct assay_parameter_values *values,
                        uint64_t out[EXAMPLE_LAYOUT_COUNT]);

/* --- stages --- */

/* Opens the four stages; each is null when memory is out. The source becomes the first one's; the
 * others get the history of the stage below. */
struct assay_stage *example_packets_open(const struct assay_decode_input *input,
                                         struct assay_diag *diag, enum assay_error *error);
struct assay_stage *example_elements_open(const struct assay_decode_input *input,
                                          struct assay_history *packets);
struct assay_stage *example_resolved_open(const struct assay_decode_input *input,
                                          struct assay_history *elements);
struct assay_stage *example_instructions_open(const struct assay_decode_input *input,
                                              struct assay_history *resolved);

/* An instruction of a run, in the address space that the run was found in, whatever the stage reads
 * by now. False where no image holds it. */
bool example_read_again(struct assay_stage *instructions, const struct assay_event *run,
                        uint64_t address, uint32_t *word);

/* The decoder: its four stages, up to `layers` of them, and the instructions of a run. */
enum assay_error example_decode_stages(struct assay_chain *chain,
                                       const struct assay_decode_input *input, unsigned layers,
                                       struct assay_diag *diag);
bool example_decode_expand(struct assay_decoder *decoder, const struct assay_event *run,
                           struct assay_expansion *expansion);

/* What only rules ask: a stage that annotates the instructions, whose ring it writes to. Null when
 * memory is out. */
struct assay_stage *example_facts_open(struct assay_history *instructions);

/* Puts the comparison with the input's recorded execution, if there is one, on top of the chain. */
enum assay_error example_compare_add(struct assay_chain *chain,
                                     const struct assay_decode_input *input,
                                     struct assay_diag *diag);

/* The instructions of a run, of the stage of instructions. */
bool example_expand(struct assay_stage *stage, const struct assay_event *run,
                    struct assay_expansion *expansion);

extern const struct assay_decoder_ops example_decoder_ops;
extern const struct assay_encoder_ops example_encoder_ops;
extern const struct assay_format assay_format_example;
extern const struct assay_format assay_format_example_capture;

#endif
