/* Arm's Embedded Trace Extension (Arm ARM, appendix K10.5): packets to elements, to those that are
 * resolved, to what was executed. Private to the format. */
#ifndef ASSAY_ETE_H
#define ASSAY_ETE_H

#include "ete/elements.def"
#include "ete/layout.def"
#include "execution/compare_fields.h"
#include "model/layout_enum.h"
#include "model/model.h"
#include "model/parameters.h"
#include "model/step_stage.h"

enum ete_layer { ETE_PACKET, ETE_ELEMENT, ETE_RESOLVED_ELEMENT, ETE_INSTRUCTION, ETE_LAYER_COUNT };

#define ASSAY_PREFIX ETE

/* ETE_trace_info, ETE_elem_atom ... */
enum ete_kind {
    ETE_malformed = ASSAY_KIND_MALFORMED,
    ETE_end = ASSAY_KIND_END,
    ETE_PACKETS(ASSAY_ENUM_ID) ETE_ELEMENTS(ASSAY_ENUM_ID) ETE_RESOLVED(ASSAY_ENUM_ID)
        ETE_EXECUTED(ASSAY_ENUM_ID) ETE_PATH(ASSAY_ENUM_ID, ASSAY_ENUM_ID) ETE_KIND_COUNT
};

enum { ETE_PACKET_KINDS_END = ETE_elem_trace_info };

enum ete_fault { ETE_FAULT_NONE, ETE_FAULTS(ASSAY_ENUM_FAULT) };

enum { ETE_PARAMETERS(ASSAY_ENUM_ID) ETE_PARAMETER_COUNT };

/* Cells of an event, at the most. */
enum {
    ETE_CELLS = 16,
    ETE_ELEMENT_CELLS = 8,
    ETE_ELEMENT_FLAGS = ETE_ELEMENT_CELLS - 1, /* the cell of the flags of ETE_STATE */
    ETE_RESOLVED_CELLS = 8,
    ETE_LOST_WHERE = 5, /* the first cell of a sync_lost that says what was executed there */
    ETE_Q_END = 9, /* of a run that ends a Q element, and of a sync_lost in one: where it leads */
    ETE_Q_TARGET = 10,
    ETE_MET = 11,                          /* conditions of rules that instructions of a run meet */
    ETE_COMPARE = 12,                      /* first cell of ASSAY_COMPARE_FIELDS in a run */
    ETE_EXECUTED_RETURN = ETE_COMPARE + 1, /* in an exception_taken */
    ETE_COMPARED_PC = ETE_COMPARE + 2,
    ETE_COMPARED_WORD,
    ETE_EXECUTED_NEXT,
    ETE_INSTRUCTION_CELLS = 20
};

/* Of the field `isa`, which otherwise has an enum arm_set. */
enum { ETE_ISA_UNKNOWN = 3 };

/* Cells of an element before what it says, which a resolved element has from cell 0 on. */
enum { ETE_SAYS = 2, ETE_SAYS_MOST = 5 };

/* The cells with the first atoms of a transaction that was undone (elements.def), and how many of
 * their bits are the number of atoms. */
enum { ETE_UNDONE_BY_FAILURE = 1, ETE_UNDONE_UNRESOLVED = 4, ETE_UNDONE_COUNT_BITS = 6 };

/* And of a path_transaction_start, for what asks whether it executed its TCOMMIT. */
enum { ETE_UNDONE_ATOMS = 1 };

/* And the cell of a resolved Transaction Failure that says whether it ends a transaction. */
enum { ETE_ENDS_TRANSACTION = 2 };

/* ETE_CELL_q_count, ETE_NUMBER_q_count, ETE_FIELD_q_count */
#define K(name, ...) ASSAY_ENUM_PACKED(name, ETE_FIELDS_##name, ETE_CELLS)
ETE_PACKETS(K)
#undef K
#define E(name, ...) ASSAY_ENUM_DERIVED(name, ETE_FIELDS_##name, ETE_ELEMENT_FLAGS)
ETE_ELEMENTS(E)
ETE_RESOLVED(E)
E(malformed, "Malformed")
E(end, "End")
#undef E
/* ETE_CELL_run_last, ETE_BIT_run_last */
#define E(name, ...) ASSAY_ENUM_PLACED(name, ETE_FIELDS_##name)
ETE_ELEMENTS(E)
ETE_EXECUTED(E)
#define BARE(name, ...)
ETE_PATH(E, BARE)
#undef BARE
#undef E

#undef ASSAY_PREFIX

enum {
    ETE_RETURN_STACK_BIT = 12, /* of TRCCONFIGR */
    ETE_WFXMODE_BIT = 31,      /* of TRCIDR2 */
    ETE_COMMOPT_BIT = 29,      /* of TRCIDR0 */
    ETE_COMMTRANS_BIT = 30,    /* of TRCIDR0 */
    ETE_PACKET_MOST = 32,      /* bytes of a packet: Trace Info with two sections of 14 */
    ETE_ASYNC_ZEROS = 10, /* payload bytes of an A-sync before its 0x80, at least (K10.5.2.3) */
    ETE_ATOMS_MOST = 24,  /* of a packet */
    ETE_HISTORY = 3       /* entries of the address history */
};

/* --- the packets' forms (forms.c) --- */

/* How a part of a payload is coded. */
enum ete_coding {
    ETE_PLAIN,     /* `width` bits, from the least significant on */
    ETE_VMID,      /* the same, but of `width` bits those that a Virtual context identifier has */
    ETE_CONTINUED, /* a continuable field of at most `width` bits (K10.5.6.4): seven bits in a byte,
                      and bit 7 says whether another follows; its size is in the cell `size` */
    ETE_PARTS_END
};

/* A part of a payload: bits of a packed field, from bit `to` of its cell on. Whether it is there is
 * said by `when`: 0: it always is; ETE_WHEN_BIT + n: by bit n of the packet; otherwise by the cell
 * `when` - 1. Cells count from that of the group. */
enum { ETE_WHEN_BIT = 0x80 };

struct ete_part {
    uint8_t coding, cell, to, width, size, when;
};

/* Parts that occur together, in one kind or in several. */
struct ete_group {
    const struct ete_part *parts; /* up to one of coding ETE_PARTS_END; null: there is no group */
    uint8_t first;                /* cell of the group's cell 0 */
};

enum { ETE_GROUPS = 2 };

/* What a header introduces: a kind of packet, and what follows the bytes that all packets of the
 * kind have. */
struct ete_form {
    uint8_t mask, header; /* the header's bits in `mask` are those of `header` */
    uint8_t kind;         /* enum ete_kind; ETE_malformed for a reserved header */
    bool is1;             /* the address is of sub-ISA IS1 */
    uint8_t history;      /* 1 + the entry of the address history that is repeated; 0: none */
    bool addressed;       /* the packet has an address, or repeats one */
    struct ete_group groups[ETE_GROUPS];
};

/* The form of a header; one of kind ETE_malformed when it is reserved. */
const struct ete_form *ete_form_of(uint8_t header);

/* The same for the header of the address in an Exception packet. */
const struct ete_form *ete_address_form_of(uint8_t header);

/* Cycle Count format 1, whose parts depend on COMMOPT and on the header. */
const struct ete_form *ete_cycle_count_form(uint8_t header, bool commit_mode);

/* --- streams without an A-sync (framed.c) --- */

/* Whether the first bytes of a stream look like CoreSight frames: they begin with an id, and the
 * data in the frames with an A-sync, or have one where the bytes themselves have none; or many
 * frames have ids of a few sources, and none that is reserved. */
bool ete_is_framed(const uint8_t *data, size_t size);

/* --- address comparators (ranges.c) --- */

/* Pairs of comparators, by bits, of which both addresses are known; and of these those whose first
 * address is above the last, so that they make no range. */
uint64_t ete_ranges_known(const struct assay_parameter_values *values, uint64_t *reversed);

/* --- payloads (coding.c) --- */

/* The bit of ASSAY_CELL_PRESENCE that says that the packed field in a cell is there: these have the
 * cells after the two that unpacking notes. */
static inline uint64_t ete_presence(unsigned cell)
{
    return UINT64_C(1) << (cell - ASSAY_CELL_EXCESS - 1);
}

/* How many bytes a Virtual context identifier has in packets: values of the parameter INT-ETE-37.
 */
enum ete_vmid_reading {
    ETE_VMID_SIZED, /* as many as TRCIDR2.VMIDSIZE says (Table K10-1) */
    ETE_VMID_FIXED  /* four (K10.5.2.14.9) */
};

/* The bits of a Virtual context identifier in packets: 8 or 16 where TRCIDR2.VMIDSIZE says so and
 * INT-ETE-37 is not read otherwise, else 32. values may be null. */
unsigned ete_vmid_bits(const struct assay_parameter_values *values);

/* Reads the parts of a packet after the constant part of its kind into its cells, notes which are
 * there, and which bits of continuable fields are beyond them. Returns the size of the packet, or 0
 * where it needs more bytes than there are. */
size_t ete_unpack(const struct ete_form *form, const struct ete_form *address, unsigned vmid_bits,
                  const uint8_t *bytes, size_t have, uint64_t *cells);

/* The reverse; `bytes`, with room for ETE_PACKET_MOST + 8, has the constant part.
 * ASSAY_OUT_OF_RANGE names a value that the packet cannot hold. */
enum assay_error ete_pack(const struct ete_form *form, const struct ete_form *address,
                          unsigned vmid_bits, const uint64_t *cells, uint8_t *bytes, size_t *size,
                          struct assay_diag *diag);

/* The bits of a part of coding ETE_PLAIN or ETE_VMID. */
static inline unsigned ete_plain_bits(const struct ete_part *part, unsigned vmid_bits)
{
    return part->coding == ETE_VMID ? vmid_bits : part->width;
}

/* Where the fields of a packet are (struct assay_format; field_bits.c). The bits that say whether a
 * continuable field goes on are those of its size. */
size_t ete_pieces(const struct assay_event *event, const struct assay_parameter_values *parameters,
                  struct assay_bit_piece *list, size_t room);

/* Of Exception packets (K10.5.2.13): types that mean something by themselves, and the header in
 * place of an address that is not known. */
enum {
    ETE_TYPE_PE_RESET = 0,
    ETE_TYPE_TRANSACTION_FAILURE = 24,
    ETE_TYPE_UNKNOWN_RETURN = 25,
    ETE_UNKNOWN_ADDRESS = 0x70
};

/* --- atoms (atoms.c) --- */

/* The Atom elements of an Atom packet: how many, and as bits which of them are E. */
unsigned ete_atoms(enum ete_kind kind, uint8_t header, uint32_t *taken);

/* Those before a Mispredict or Cancel (K10.5.2.8.5, K10.5.2.9.2): A of the header. */
unsigned ete_atoms_before(unsigned a, uint32_t *taken);

/* --- stages --- */

/* Opens the stages; each is null when memory is out. The source becomes the first one's. */
struct assay_stage *ete_packets_open(const struct assay_decode_input *input, unsigned layers,
                                     enum assay_error *error);
struct assay_history *ete_packets_history(struct assay_stage *stage);
struct assay_stage *ete_elements_open(const struct assay_decode_input *input,
                                      struct assay_history *packets);
struct assay_stage *ete_resolve_open(const struct assay_decode_input *input,
                                     struct assay_history *elements);
struct assay_stage *ete_analyse_open(const struct assay_decode_input *input,
                                     struct assay_history *resolved);

/* The next event of a run, as struct assay_decoder_ops has it: of Atom elements, of resolved ones,
 * and of instructions, by the last stage. */
bool ete_expand_elements(const struct assay_event *run, struct assay_expansion *expansion);
bool ete_expand_resolved(const struct assay_event *run, struct assay_expansion *expansion);
bool ete_expand_run(struct assay_stage *instructions, const struct assay_event *run,
                    struct assay_expansion *expansion);

/* Of a run its last instruction, as struct assay_format has it. */
bool ete_instruction(const struct assay_event *event, struct assay_instruction *instruction);

/* --- the decoder (decode.c) --- */

/* Adds the stages of the first `layers` layers, without what stands above them (facts/). */
enum assay_error ete_decode_stages(struct assay_chain *chain,
                                   const struct assay_decode_input *input, unsigned layers,
                                   struct assay_diag *diag);

/* Takes over what platform facts say of the trace unit. ASSAY_CONTRADICTION: its registers say
 * otherwise. */
enum assay_error ete_decode_fact(const struct assay_decode_input *input, struct assay_diag *diag);

/* As struct assay_decoder_ops has it, whatever stages there are above the decoder. */
bool ete_decode_expand(struct assay_decoder *decoder, const struct assay_event *run,
                       struct assay_expansion *expansion);

/* The size of what each packet of a kind has: its header and what follows at constant bits. */
size_t ete_constant_bytes(enum ete_kind kind);

/* The decoder alone, and the one of the format, with the stages above it (format.c). */
extern const struct assay_decoder_ops ete_decode_ops;
extern const struct assay_decoder_ops ete_decoder_ops;
extern const struct assay_encoder_ops ete_encoder_ops;
extern const struct assay_format assay_format_ete;

#endif
