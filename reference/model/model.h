/* The object model: formats have kinds of events, kinds have fields. Decoder, encoder, dumper, rule
 * compiler and mutators all read the same constant tables; nothing here knows a particular format.
 */
#ifndef ASSAY_COMMON_MODEL_H
#define ASSAY_COMMON_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "model/fact_tables.h"
#include "model/kinds.h"

/* How a field's value is shown to users, and its type in the rule language. */
enum assay_field_type {
    ASSAY_FLAG,    /* one bit: false or true */
    ASSAY_UINT,    /* a number, shown in decimal */
    ASSAY_HEX,     /* a number, shown in hexadecimal */
    ASSAY_ADDRESS, /* an address, shown in hexadecimal */
    ASSAY_ENUM,    /* a number with names */
    ASSAY_BYTES    /* wider than 64 bits, or text: in rules it can only be compared with 0 */
};

/* Where a field's value is stored. */
enum assay_field_place {
    ASSAY_AT_BIT, /* in the event's bytes, at a constant bit */
    ASSAY_PACKED, /* in the event's bytes, after the packed fields before it; width and presence
                     can depend on parameters and on these (model/packed.h). The decoder has
                     unpacked it to a cell of the event */
    ASSAY_TAIL,   /* from a constant bit to the end of the event's bytes; of type BYTES */
    ASSAY_DERIVED /* not in the bytes: computed by the reference decoder, in a cell of the event */
};

enum assay_field_flags {
    ASSAY_RESERVED = 1,  /* reserved by the format for later versions */
    ASSAY_CONSTANT = 2,  /* the encoder writes `value`; the decoder recognises the kind by it */
    ASSAY_TEXT = 4,      /* bytes that are shown as text */
    ASSAY_VIEW = 8,      /* another interpretation of bits that belong to an earlier field */
    ASSAY_COMPARED = 16, /* derived from the comparison with a recorded execution; 0 without one */
    ASSAY_STATIC = 32,   /* of an event of a run: the same in each run that has it at that place.
                            The conditions of `passes` in rules read such fields */
    ASSAY_QUIET = 64,    /* left out of lines for people: rules ask for it, and programs */
    ASSAY_BEFOREHAND = 128, /* of a run: known before it is executed, by where that is. Rules with
                               `unexecutable` read such fields */
    ASSAY_OF_FACTS = 256,   /* derived, but not by the decoder: a stage above it computes what rules
                               ask; 0 where there is none */
    ASSAY_OPTION = 512 /* derived: an option of the format, by the field's name, that the stream
                          switches on */
};

/* How a field is drawn over the length of a stream, in overviews of it. Fields of one name of the
 * kinds of a layer are one track. Where the kind has a flag NAME_known or NAME_valid, only the
 * values of events that have it set count. */
enum assay_track_type {
    ASSAY_TRACK_NONE,
    ASSAY_TRACK_AMOUNT,        /* a number of each event for itself */
    ASSAY_TRACK_AMOUNT_OR_ALL, /* the same; 0 stands for the most that the field can hold */
    ASSAY_TRACK_STATE          /* holds until the next event that has the field */
};

struct assay_packed;

struct assay_enumerator {
    uint64_t value;
    const char *name;
    const char *doc;
};

/* Names of values. A value without a name is shown as a number. */
struct assay_enumeration {
    const char *name;
    const struct assay_enumerator *list;
    size_t count;
};

struct assay_field {
    const char *name;
    enum assay_field_type type;
    enum assay_field_place place;
    uint16_t bit;   /* AT_BIT: first bit in the bytes. Otherwise: first bit in the cells, which are
                       64 bits each; a value never crosses a cell */
    uint16_t width; /* in bits; PACKED: of the value in the cells, the most it can be */
    uint16_t flags;
    uint64_t value; /* with ASSAY_CONSTANT; TAIL: the format's lead in bits, which an event's length
                       counts and its bytes leave out */
    const struct assay_enumeration *names;
    const char *unit; /* "bytes", "microseconds" ... or null */
    const char *doc;  /* one line: what it means; for derived fields what defines it */
    const struct assay_packed *packed; /* PACKED: width, presence, sign, shift; null when it is
                                          `width` bits and always present */
    uint16_t about; /* a flag or count of other events: their kind; 0 for all other fields */
    uint8_t track;  /* enum assay_track_type */
};

/* Whether an event of a kind begins or ends a group: events that users see as one unit, such as the
 * records of one instruction. In a layer without such kinds each event is a group of its own. */
enum assay_grouping { ASSAY_GROUP_MEMBER, ASSAY_GROUP_OPENS, ASSAY_GROUP_CLOSES };

/* An instruction that an event holds. */
struct assay_instruction {
    uint64_t address; /* 0 where it is not known */
    uint32_t word;
    uint16_t machine; /* e_machine of its instruction set; 0: there is no instruction */
    uint8_t bytes;    /* of the word: 2 or 4 */
    uint8_t width;    /* of a register, in bits: 32 or 64 */
    bool thumb;       /* of EM_ARM: T32, of 4 bytes with the first halfword in bits [31:16] */
};

/* Kinds 0 and 1 are the same in all formats. */
enum { ASSAY_KIND_MALFORMED = 0, ASSAY_KIND_END = 1, ASSAY_KIND_FIRST = 2 };

struct assay_kind {
    const char *name;  /* as in rules and dumps: "extra_ea" */
    const char *title; /* as in the specification: "Extra EA" */
    uint8_t layer;     /* number of the layer in the format */
    uint32_t bits;     /* size in the trace where it is fixed, else 0; with a tail or packed
                          fields, of what precedes them */
    const struct assay_field *fields;
    size_t field_count;
    const char *clause; /* the section that defines it */
    uint8_t tail_count; /* 1 + the number of the field that counts the items of the tail; 0: none */
    uint8_t tail_item;  /* bytes of an item of the tail; 0 in a kind whose tail is not counted */
    bool sign_compressed; /* with packed fields: trailing bytes that sign extension restores may be
                             omitted */
    uint8_t presence;     /* 1 + the cell in which unpacking notes which packed fields are present
                             (bit n: the n-th) and signed (bit 32 + n); 0: not noted */
    uint16_t run_of; /* of a kind of runs: the kind of the events that each run stands for, in the
                        same layer; else 0 */
    uint8_t met;     /* of such a kind: 1 + the cell whose bit n says that an event of the run meets
                        condition n of the rules (struct assay_conditions); 0: it has none */
    bool is_aside;   /* for rules it is not the event before another one (`prev`): it says
                        something of a lower layer, and comes where that is known; or nothing of
                        what was executed, and comes anywhere */
    bool is_derived; /* its events repeat some of a lower layer, where they come among those of this
                        one: a decoder of the format need not have them */
    bool is_own;     /* the format has no such item: with its events the reference decoder reports
                        its own state, such as where a path ends, or what is configured. A decoder
                        under test can leave them out together (`omits: [derived]`) */
    uint8_t grouping; /* enum assay_grouping */
};

/* One decoded item: a record, packet, element or instruction. It refers to memory that the decoder
 * owns and is valid until the next block is requested. */
struct assay_event {
    const uint8_t *bytes;  /* as they are in the decoded stream, after the format's lead; readable
                              up to the next multiple of 8 bytes */
    const uint64_t *cells; /* packed and derived values; readable up to the next multiple of 4 */
    uint64_t offset;       /* in bytes, in the decoded stream */
    uint64_t index;        /* number of the event in its layer, from 0 */
    uint32_t bits; /* length in the trace, lead included, as far as `bytes` holds it; 0 for an event
                      that has no bytes of its own */
    uint16_t kind;
    uint16_t fault; /* malformed: which of the format's faults, from 1; 0 for all other kinds */
    const struct assay_event *from; /* the event of the layer below that it came from; null when
                                       there is none, or it is no longer held (model/history.h) */
};

/* One event of a run. Events that are very frequent in a layer and can be derived from the start of
 * a sequence of them, like the instructions between two branches, are passed on as runs: events of
 * a kind with `run_of`. Rules apply to runs; code that shows single events expands them. */
enum { ASSAY_EXPANDED_CELLS = 16 };

struct assay_expansion {
    struct assay_event
        event; /* the latest; its cells are below, unless the format says otherwise */
    uint64_t cells[ASSAY_EXPANDED_CELLS];
    uint64_t number; /* how many events of the run were produced */
    uint64_t at;     /* for the format: its position in the run */
};

/* What rules ask of the single events of runs, by the numbers that the rule compiler gave: each
 * condition depends on the static fields of one event (ASSAY_STATIC) alone, so that a decoder asks
 * once for an instruction, and keeps the answer with its decoded program. */
enum { ASSAY_MAX_CONDITIONS = 64, ASSAY_MAX_STATIC_FIELDS = 64 /* number of the last one + 1 */ };

struct assay_conditions {
    /* Bit n: an event with these cells, of the kind that the runs stand for, meets condition n. */
    uint64_t (*met)(const struct assay_conditions *conditions, const uint64_t *cells);
    /* Whether a run with these cells cannot have been executed, by the rules that say so: a decoder
     * that looks for ways through the program follows none with it. */
    bool (*unexecutable)(const struct assay_conditions *conditions, const uint64_t *cells);
};

struct assay_fault_code {
    const char *name; /* stable: "truncated-record" */
    const char *doc;
};

/* A pure function that rules of the format may call. */
struct assay_function {
    const char *name;
    uint8_t arity; /* 1 to 3 */
    bool result_is_flag;
    uint64_t (*call)(uint64_t a, uint64_t b, uint64_t c); /* unused arguments are 0 */
    const char *symbol; /* C name of the same function with `arity` arguments, for emitted code */
    const char *doc;
};

struct assay_decoder;
struct assay_encoder;
struct assay_translator;
struct assay_source;
struct assay_execution;
struct assay_uncompared;
struct assay_sink;
struct assay_facts;
struct assay_parameter_table;
struct assay_parameter_values;
struct assay_image_set;
struct assay_lead;

/* Events of one layer that follow each other. */
struct assay_block {
    const struct assay_event *events;
    size_t count;
    unsigned layer; /* number of their layer in the format */
};

/* The input of a decoder. */
struct assay_decode_input {
    struct assay_source *source; /* owned by the decoder from the call on, even if opening fails */
    struct assay_execution
        *execution;            /* recorded execution or null; owned by the decoder likewise */
    uint32_t execution_thread; /* number of the thread in it that the trace is of, or
                                  ASSAY_EXECUTION_THREAD_FROM_TRACE (execution/execution.h) */
    struct assay_uncompared
        *uncompared; /* counts what of the trace cannot be compared with the execution
                        (execution/uncompared.h), or null; borrowed, must outlive the decoder */
    const struct assay_facts *facts; /* or null; borrowed, must outlive the decoder */
    /* Values of the format's parameters by defaults and configuration. The decoder adds the values
     * that the stream itself gives while it is opened; afterwards they do not change. Borrowed,
     * must outlive the decoder; null for a format without parameters. */
    struct assay_parameter_values *parameters;
    const struct assay_image_set *images;      /* sealed, or null; borrowed likewise */
    const struct assay_conditions *conditions; /* null: no rule asks; borrowed likewise */
    unsigned framing;                          /* enum assay_framing (model/framing.h) */
    unsigned profile; /* 1 + the number of the profile; 0: as the trace says */
    unsigned layers;  /* how many of the format's layers are read, from the lowest on; 0: all. The
                         decoder need not give the events of others */
    bool threaded;    /* may use a second thread for decompression */
    /* A decoder whose events are in histories takes this as it is opened (model/lead.h): then its
     * `next` may be called on another thread, before the last block was judged, and so may
     * `profile` at the same time. Borrowed, must outlive the decoder; or null. */
    struct assay_lead *lead;
};

/* How the bytes of a format are decoded. A fault of the input is no error of the decoder: it
 * produces a malformed event and continues where the format allows it. */
struct assay_decoder_ops {
    /* *decoder is null before the call, and must be closed even when this fails. */
    enum assay_error (*open)(const struct assay_decode_input *input, struct assay_decoder **decoder,
                             struct assay_diag *diag);
    /* The next block of events of some layer: a block comes before those of higher layers that come
     * from it. The last event of the lowest layer is of kind `end`; after the last block the count
     * is 0. Errors are those of the system, not of the trace. */
    enum assay_error (*next)(struct assay_decoder *decoder, struct assay_block *block,
                             struct assay_diag *diag);
    /* Whether everything that reached a layer could be decoded; called after the end. If not, *why
     * is the reason in a few words, valid as long as the decoder, or null when the event `end`
     * gives it. */
    bool (*complete)(const struct assay_decoder *decoder, unsigned layer, const char **why);
    /* Produces the next event of a run of the last block. It sets all members of `expansion` except
     * `number`, which the caller counts, and `at`, in which the format may note its position; both
     * are 0 at the beginning of the run. False when the run has no more events. Null for formats
     * without runs. With a lead it may be called while `next` works on another thread. */
    bool (*expand)(struct assay_decoder *decoder, const struct assay_event *run,
                   struct assay_expansion *expansion);
    /* The number of the profile by which the trace was decoded; called after the end. Null for
     * formats with one profile. */
    unsigned (*profile)(const struct assay_decoder *decoder);
    /* Why that profile was chosen, in human-readable form ("declared"), or null. The function is
     * null for formats with one profile. */
    const char *(*profile_reason)(const struct assay_decoder *decoder);
    void (*close)(struct assay_decoder *decoder);
};

/* How events are encoded: the encoder writes the events of the decoder back as the same bytes. */
struct assay_encoder_ops {
    /* `storage` names a container of the format ("raw", "xz" ...) that takes precedence over what
     * the events say, or is null. The sink is borrowed. */
    enum assay_error (*open)(struct assay_sink *sink, const char *storage,
                             struct assay_encoder **encoder, struct assay_diag *diag);
    /* Writes the bytes of an event unchanged. One of a kind with packed fields that has not been
     * packed yet has `bits` 0, and is packed from its cells. diag is filled when the event cannot
     * be written as it is: a value that does not fit, by the names of kind and field.
     * assay_sink_explain says why the sink failed. */
    enum assay_error (*put)(struct assay_encoder *encoder, const struct assay_event *event,
                            struct assay_diag *diag);
    /* Writes bytes unchanged, in the position of the next event. */
    enum assay_error (*put_raw)(struct assay_encoder *encoder, const void *data, size_t size);
    enum assay_error (*close)(struct assay_encoder *encoder);
    /* Sets the parameters of the stream that is written, and its framing; called once, before the
     * first event. The parameters are borrowed, must outlive the encoder, and are null if the
     * format has none. Null for formats without parameters and framings. */
    enum assay_error (*configure)(struct assay_encoder *encoder,
                                  const struct assay_parameter_values *parameters, unsigned framing,
                                  struct assay_diag *diag);
    /* Writes the next bytes of a stream that the trace carries, in as many frames of the format as
     * they need. Bytes that do not fill a frame may be buffered until more come, of this stream or
     * of others, or until the encoder is closed. diag is filled when the stream cannot be carried,
     * because of its id or size. Null for formats that carry no streams, and for those whose frames
     * are only written as events. */
    enum assay_error (*put_stream)(struct assay_encoder *encoder, uint32_t id, const void *data,
                                   size_t size, struct assay_diag *diag);
};

/* How a trace is written as one of another profile with the same meaning, for readers of that one:
 * the events of its decoder go in twice, in their order and with the event of the end, to be looked
 * at and to be written, and come out at an encoder as records of the other profile. */
struct assay_translator_ops {
    unsigned profile; /* the number of the one that is written */
    /* `from` is the number of the profile by which the trace is decoded. The encoder, which
     * `encoding` writes to, is borrowed. */
    enum assay_error (*open)(const struct assay_encoder_ops *encoding,
                             struct assay_encoder *encoder, unsigned from,
                             struct assay_translator **translator, struct assay_diag *diag);
    /* Takes note of what earlier records have to say of this one. */
    void (*look)(struct assay_translator *translator, const struct assay_event *event);
    /* Writes what the event is in the other profile. Where it has no equivalent there, nothing more
     * is written. */
    enum assay_error (*put)(struct assay_translator *translator, const struct assay_event *event,
                            struct assay_diag *diag);
    /* Called after the last event. Null: what was written is the trace in the other profile;
     * otherwise why there is none, in a few words that are the same for all such traces. */
    const char *(*refused)(const struct assay_translator *translator);
    void (*close)(struct assay_translator *translator); /* may be null */
};

/* A stream that a capture carries. */
struct assay_carried {
    uint32_t id;    /* of its trace source */
    uint64_t bytes; /* of the stream */
};

/* Operations of a format whose bytes carry streams of other formats, as the frames of CoreSight do.
 * Its own decoder produces the events of the carrier; each stream is then read by a source of its
 * own over the same bytes. */
struct assay_carrier_ops {
    /* The streams that the decoder has seen, by id, and their number; called after the end, when
     * the decoder has listed them; valid as long as the decoder. */
    size_t (*list)(const struct assay_decoder *decoder, const struct assay_carried **streams);
    /* Opens a source of the bytes of one stream. `carrier` is at its first byte, has the framing
     * (enum assay_framing), and is owned by the new source, even if this fails. */
    enum assay_error (*open)(struct assay_source *carrier, unsigned framing, uint32_t id,
                             struct assay_source **stream, struct assay_diag *diag);
    /* Maps bytes of a stream to the carrier: replaces `count` offsets in the stream, in ascending
     * order, by those in the carrier, which is borrowed. An offset that can no longer be found is
     * an error: the carrier's bytes may have changed, or may not be readable any more. */
    enum assay_error (*locate)(struct assay_source *carrier, unsigned framing, uint32_t id,
                               uint64_t *offsets, size_t count, struct assay_diag *diag);
};

/* A version or dialect of a format: how it is laid out, and which rules apply. */
struct assay_profile {
    const char *name;  /* "stf-1.3" */
    const char *title; /* human-readable: "STF 1.3 literally" */
};

/* Consecutive bits of an event's bytes that are of a field. */
struct assay_bit_piece {
    const struct assay_field *field;
    uint32_t bit; /* the first one, in the bytes */
    uint32_t width;
    uint8_t to; /* the bit of the value that it is */
};

struct assay_format {
    const char *name;                     /* "astf" */
    const char *title;                    /* "Arm Architectural Structured Trace Format" */
    const char *version;                  /* that is judged first: "0.11" */
    const struct assay_profile *profiles; /* at most ASSAY_MAX_PROFILES; the first is the default */
    size_t profile_count;
    uint8_t
        lead_bits; /* of every event, before its `bytes`: a descriptor that is that of its kind */
    const char *const *layers;
    size_t layer_count;
    const struct assay_kind *kinds;
    size_t kind_count;                              /* at most ASSAY_MAX_KINDS */
    const struct assay_parameter_table *parameters; /* of a stream; null: there are none */
    const struct assay_fault_code *faults;          /* fault n is faults[n - 1] */
    size_t fault_count;
    const struct assay_function *functions;
    size_t function_count;
    const char *function_header; /* C header that declares the functions' symbols, or null */
    /* Whether the first bytes of an input are of this format, by magic alone. */
    bool (*probe)(const uint8_t *data, size_t size);
    /* The suffixes of its file names, without those of compression: ".stf". Null ends the list; a
     * null list: no suffix is specific to the format. */
    const char *const *suffixes;
    uint32_t framings;        /* in which its bytes can be besides RAW: a set of ASSAY_FRAMING_BIT
                                 (model/framing.h) */
    unsigned default_framing; /* that RAW stands for, enum assay_framing; 0: it is without one */
    const uint16_t *machines; /* e_machine of the programs that it traces, the usual one first */
    size_t machine_count;     /* 0: any */
    bool reads_images;        /* its decoder reads program images */
    bool reads_execution;     /* also fields that do not compare anything depend on a recorded
                                 execution, as what it shows need not be inferred */
    /* The entries of a table of facts as the specification has them, which one that is given takes
     * the place of; null: the format reads no such tables. */
    const struct assay_fact_number *(*fact_table)(enum assay_fact_table table, size_t *count);
    bool stored_compressed; /* a file may be compressed as a whole; its magic is then inside */
    const struct assay_decoder_ops *decoder;
    const struct assay_encoder_ops *encoder; /* null: its vectors are bytes (`raw`) */
    const struct assay_carrier_ops *carrier; /* null unless it carries streams of other formats */
    const struct assay_translator_ops *translator; /* null unless traces of one profile can be
                                                      written as traces of another */
    /* Writes one human-readable line about an event: what follows the kind's name in `assay dump`.
     * Null: its fields (assay_describe_fields). It does not read `from`. */
    void (*describe)(const struct assay_event *event, char *out, size_t size);
    /* Where the packed fields of an event are in its bytes: at most `room` pieces; returns how
     * many, 0 where it is not known. A piece may go on beyond the event, where its bits are
     * implied. The parameters are those that the stream ended with, or null; and bytes and cells of
     * the event may be such that do not belong together. Null: no field is packed, or it is never
     * known. */
    size_t (*pieces)(const struct assay_event *event,
                     const struct assay_parameter_values *parameters, struct assay_bit_piece *list,
                     size_t room);
    /* The instruction that an event holds; false where it holds none. Null: no event does. */
    bool (*instruction)(const struct assay_event *event, struct assay_instruction *instruction);
};

enum { ASSAY_MAX_PROFILES = 16 };

/* Whether a format has a framing; every format has RAW (0). */
static inline bool assay_format_framed(const struct assay_format *format, unsigned framing)
{
    return framing == 0 || (framing < 32 && (format->framings >> framing & 1) != 0);
}

/* The profile by which the trace was decoded, once the decoder is at the end. */
static inline unsigned assay_decoder_profile(const struct assay_format *format,
                                             const struct assay_decoder *decoder)
{
    return format->decoder->profile != NULL ? format->decoder->profile(decoder) : 0;
}

/* The formats of this build; null ends the list. */
extern const struct assay_format *const assay_formats[];

const struct assay_format *assay_format_by_name(const char *name);
/* The format that has this file name's suffix, not counting a suffix of compression; or null. */
const struct assay_format *assay_format_by_suffix(const char *path);
const struct assay_kind *assay_kind_by_name(const struct assay_format *format, const char *name);
/* Whether events of a kind occur only in runs, and are seen only by code that expands these. */
bool assay_kind_in_runs(const struct assay_format *format, unsigned kind);

/* The number of a layer; -1 when the format has none of this name. */
int assay_layer_by_name(const struct assay_format *format, const char *name);
struct assay_kinds assay_kinds_of_layer(const struct assay_format *format, unsigned layer);
const struct assay_field *assay_field_by_name(const struct assay_kind *kind, const char *name);
const char *assay_enum_name(const struct assay_enumeration *names, uint64_t value);
/* -1 when the format has no such profile. */
int assay_profile_by_name(const struct assay_format *format, const char *name);
bool assay_enum_value(const struct assay_enumeration *names, const char *name, uint64_t *value);

/* The bytes of a TAIL field; *size is how many of them the event holds. */
const uint8_t *assay_field_tail(const struct assay_format *format, const struct assay_field *field,
                                const struct assay_event *event, size_t *size);

/* The value of a field that is at most 64 bits wide. For a wider one, and for a tail: 0 when all of
 * its bits that the event holds are 0, otherwise not 0. */
uint64_t assay_field_wide(const struct assay_field *field, const struct assay_event *event);

static inline uint64_t assay_field_get(const struct assay_field *field,
                                       const struct assay_event *event)
{
    if (field->width > 64) {
        return assay_field_wide(field, event);
    }
    if (field->place != ASSAY_AT_BIT) {
        if (field->place == ASSAY_TAIL) {
            return assay_field_wide(field, event);
        }
        return (event->cells[field->bit >> 6] >> (field->bit & 63)) & assay_mask(field->width);
    }
    const unsigned shift = field->bit & 7;
    if (shift + field->width > 64) {
        return assay_field_wide(field, event);
    }
    /* Events are readable up to a multiple of 8 bytes, and the load must not reach beyond that: if
     * the field fits in the 64-bit word that holds its first bit, that word is loaded. */
    if ((field->bit & 63) + field->width <= 64) {
        return (assay_load64(event->bytes + (field->bit >> 6) * 8) >> (field->bit & 63)) &
               assay_mask(field->width);
    }
    return assay_field_wide(field, event);
}

/* Writes a value into an event that is being built. `bytes` holds kind->bits bits.
 * ASSAY_OUT_OF_RANGE when the value has more bits than the field. */
enum assay_error assay_field_set(const struct assay_field *field, uint8_t *bytes, uint64_t *cells,
                                 uint64_t value);

/* 64-bit cells of packed and derived values that an event of the kind has. */
unsigned assay_kind_cells(const struct assay_kind *kind);

/* Clears the bytes of a kind of fixed size and writes its constant fields. */
void assay_kind_clear(const struct assay_kind *kind, uint8_t *bytes);

#endif
