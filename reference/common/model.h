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

/* How a field's value is to be read by people and typed by the rule language. */
enum assay_field_type {
    ASSAY_FLAG,    /* one bit: false or true */
    ASSAY_UINT,    /* a number, shown in decimal */
    ASSAY_HEX,     /* a number, shown in hexadecimal */
    ASSAY_ADDRESS, /* an address, shown in hexadecimal */
    ASSAY_ENUM,    /* a number with names */
    ASSAY_BYTES    /* wider than 64 bits, or text: in rules it can only be compared with 0 */
};

/* Where a field's value is. */
enum assay_field_place {
    ASSAY_AT_BIT, /* in the event's bytes, at a constant bit */
    ASSAY_PACKED, /* in the event's bytes, behind the fields before it, as wide as a parameter of
                     the format says; the decoder has unpacked it to a word of the event */
    ASSAY_TAIL,   /* from a constant bit to the end of the event's bytes; of type BYTES */
    ASSAY_DERIVED /* not in the bytes: computed by the reference decoder, in a word of the event */
};

enum assay_field_flags {
    ASSAY_RESERVED = 1, /* the format keeps it for later versions */
    ASSAY_CONSTANT = 2, /* the encoder writes `value`; the decoder recognises the kind by it */
    ASSAY_TEXT = 4,     /* bytes that are shown as text */
    ASSAY_VIEW = 8      /* another reading of bits that a field before it holds */
};

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
    uint16_t bit;   /* AT_BIT: first bit in the bytes. Otherwise: first bit in the words, which are
                       64 bits each; a value never crosses a word */
    uint16_t width; /* in bits; PACKED: the most it can be */
    uint8_t width_parameter; /* PACKED: 1 + the number of the parameter that holds the width in
                                bits, 0 when `width` is constant */
    uint8_t flags;
    uint64_t value; /* with ASSAY_CONSTANT */
    const struct assay_enumeration *names;
    const char *unit; /* "bytes", "microseconds" ... or null */
    const char *doc;  /* one line: what it means; for derived fields what defines it */
};

/* Kinds 0 and 1 are the same in all formats. */
enum { ASSAY_KIND_MALFORMED = 0, ASSAY_KIND_END = 1, ASSAY_KIND_FIRST = 2 };

struct assay_kind {
    const char *name;  /* as in rules and dumps: "extra_ea" */
    const char *title; /* as in the specification: "Extra EA" */
    uint8_t layer;     /* number of the layer in the format */
    uint32_t bits;     /* size in the trace where it is fixed, else 0; with a tail, of what stands
                          before it */
    const struct assay_field *fields;
    size_t field_count;
    const char *clause; /* the section that defines it */
    uint8_t tail_count; /* 1 + the number of the field that counts the items of the tail; 0: none */
    uint8_t tail_item;  /* bytes of an item of the tail; 0 in a kind whose tail is not counted */
};

/* One thing that the decoder saw. Plain data over memory that the decoder owns: an event is valid
 * until the decoder is asked for the next block, or longer if that was asked for (`kept`). */
struct assay_event {
    const uint8_t *bytes; /* as they stand in the decoded stream, behind the format's lead; readable
                             up to the next multiple of 8 bytes */
    const uint64_t *words; /* packed and derived values; readable up to the next multiple of 4 */
    uint64_t offset;       /* in bytes, in the decoded stream */
    uint64_t index;        /* number of the event in its layer, from 0 */
    uint32_t bits;         /* length in the trace, with the lead, as far as `bytes` shows it; 0 for
                              an event that has no bytes of its own */
    uint16_t kind;
    uint16_t fault; /* malformed: which of the format's faults, from 1; 0 for all other kinds */
    const struct assay_event *from; /* the event of the layer below it came from, or null */
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
struct assay_source;
struct assay_execution;
struct assay_sink;
struct assay_facts;

struct assay_block {
    const struct assay_event *events;
    size_t count;
};

/* What a decoder works on. */
struct assay_decode_input {
    struct assay_source *source;       /* becomes the decoder's, also when opening fails */
    struct assay_execution *execution; /* recorded truth or null; becomes the decoder's likewise */
    uint32_t execution_thread;         /* number of the thread in it that the trace is of, or
                                          ASSAY_EXECUTION_THREAD_TOLD (execution/execution.h) */
    const struct assay_facts *facts; /* or null; stays the caller's and must outlive the decoder */
    unsigned profile;                /* 1 + the number of the profile; 0: as the trace says */
    bool threaded;                   /* may use a second thread for decompression */
    bool kept; /* the last ASSAY_KEPT_BLOCKS blocks are to stay valid; only where the operations
                  say that they can */
};

enum { ASSAY_KEPT_BLOCKS = 4 };

/* How the bytes of a format are read. A decoder never stops at a fault of the input: it gives a
 * malformed event and goes on where the format allows it. */
struct assay_decoder_ops {
    /* Also when it fails *decoder, null before, is to be closed. */
    enum assay_error (*open)(const struct assay_decode_input *input, struct assay_decoder **decoder,
                             struct assay_diag *diag);
    /* The next block of events. The last event of the last block is of kind `end`; after it the
     * count is 0. Errors are those of the system, not of the trace. */
    enum assay_error (*next)(struct assay_decoder *decoder, struct assay_block *block,
                             struct assay_diag *diag);
    /* Whether all of the input could be decoded; asked after the end. */
    bool (*complete)(const struct assay_decoder *decoder);
    /* The number of the profile by which the trace was read; asked after the end. */
    unsigned (*profile)(const struct assay_decoder *decoder);
    /* Why it was that one, for people: "declared"; or null. Null for formats with one profile. */
    const char *(*profile_reason)(const struct assay_decoder *decoder);
    void (*close)(struct assay_decoder *decoder);
    bool can_keep; /* blocks, so that one thread can decode while another one judges */
};

/* How events become bytes again: what the decoder read, the encoder writes unchanged. */
struct assay_encoder_ops {
    /* `storage` names a container of the format ("raw", "xz" ...) that wins over what the events
     * say, or is null. The sink stays the caller's. */
    enum assay_error (*open)(struct assay_sink *sink, const char *storage,
                             struct assay_encoder **encoder, struct assay_diag *diag);
    enum assay_error (*put)(struct assay_encoder *encoder, const struct assay_event *event);
    /* Bytes as they are, at the place of the next event. */
    enum assay_error (*put_raw)(struct assay_encoder *encoder, const void *data, size_t size);
    enum assay_error (*close)(struct assay_encoder *encoder);
};

/* A version or dialect of a format: how it is laid out, and which rules are asked. */
struct assay_profile {
    const char *name;  /* "stf-1.3" */
    const char *title; /* for people: "STF 1.3 to the letter" */
};

struct assay_format {
    const char *name;                     /* "astf" */
    const char *title;                    /* "Arm Architectural Structured Trace Format" */
    const char *version;                  /* that is judged first: "0.11" */
    const struct assay_profile *profiles; /* at most ASSAY_MAX_PROFILES; the first is the default */
    size_t profile_count;
    uint8_t lead_bits; /* of every event, before its `bytes`: a descriptor that its kind tells */
    const char *const *layers;
    size_t layer_count;
    const struct assay_kind *kinds;
    size_t kind_count;
    const struct assay_fault_code *faults; /* fault n is faults[n - 1] */
    size_t fault_count;
    const struct assay_function *functions;
    size_t function_count;
    const char *function_header; /* C header that declares the functions' symbols, or null */
    /* Whether the first bytes of an input are of this format, by magic alone. */
    bool (*probe)(const uint8_t *data, size_t size);
    bool stored_compressed; /* a file may be compressed as a whole; its magic is then inside */
    const struct assay_decoder_ops *decoder;
    const struct assay_encoder_ops *encoder;
    /* One line for people about an event: what follows the kind's name in `assay dump`. */
    void (*describe)(const struct assay_event *event, char *out, size_t size);
};

enum { ASSAY_MAX_PROFILES = 16 };

/* The formats of this build; null ends the list. */
extern const struct assay_format *const assay_formats[];

const struct assay_format *assay_format_by_name(const char *name);
const struct assay_kind *assay_kind_by_name(const struct assay_format *format, const char *name);
const struct assay_field *assay_field_by_name(const struct assay_kind *kind, const char *name);
const char *assay_enum_name(const struct assay_enumeration *names, uint64_t value);
/* -1 when the format has no such profile. */
int assay_profile_by_name(const struct assay_format *format, const char *name);
bool assay_enum_value(const struct assay_enumeration *names, const char *name, uint64_t *value);

/* The bytes of a TAIL field; *size is how many the event shows. */
const uint8_t *assay_field_tail(const struct assay_format *format, const struct assay_field *field,
                                const struct assay_event *event, size_t *size);

/* The value of a field that is not of type BYTES, or is at most 64 bits wide. For a wider one: 0
 * when all its bits are 0, otherwise not 0. */
uint64_t assay_field_wide(const struct assay_field *field, const struct assay_event *event);

static inline uint64_t assay_field_get(const struct assay_field *field,
                                       const struct assay_event *event)
{
    if (field->width > 64) {
        return assay_field_wide(field, event);
    }
    if (field->place != ASSAY_AT_BIT) {
        return (event->words[field->bit >> 6] >> (field->bit & 63)) & assay_mask(field->width);
    }
    const unsigned shift = field->bit & 7;
    if (shift + field->width > 64) {
        return assay_field_wide(field, event);
    }
    /* Events are readable up to a multiple of 8 bytes, but the load must not start so late that it
     * leaves them: the word that holds the field's first bit is used when the field fits in it. */
    if ((field->bit & 63) + field->width <= 64) {
        return (assay_load64(event->bytes + (field->bit >> 6) * 8) >> (field->bit & 63)) &
               assay_mask(field->width);
    }
    return assay_field_wide(field, event);
}

/* Writes a value into an event that is being built. `bytes` holds kind->bits bits. Gives
 * ASSAY_OUT_OF_RANGE when the value has more bits than the field. */
enum assay_error assay_field_set(const struct assay_field *field, uint8_t *bytes, uint64_t *words,
                                 uint64_t value);

/* 64-bit words of packed and derived values that an event of the kind has. */
unsigned assay_kind_words(const struct assay_kind *kind);

/* Clears the bytes of a kind of fixed size and writes its constant fields. */
void assay_kind_clear(const struct assay_kind *kind, uint8_t *bytes);

/* Width in bits of a packed field under these parameters. */
unsigned assay_field_width(const struct assay_field *field, const uint64_t *parameters);

/* Reads the packed fields of a kind, in table order, from bits to words. False when the bits end
 * before the fields do (the cursor's overrun is set). */
struct assay_bits;
bool assay_unpack(const struct assay_kind *kind, const uint64_t *parameters,
                  struct assay_bits *bits, uint64_t *words);

/* Writes the packed fields of a kind from words behind bit *at of `bytes`, which holds `size`
 * bytes; *at moves on. False when they do not fit. */
bool assay_pack(const struct assay_kind *kind, const uint64_t *parameters, const uint64_t *words,
                uint8_t *bytes, size_t size, uint64_t *at);

#endif
