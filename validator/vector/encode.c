/* From a vector's list of events to bytes, through the format's encoder. */
#include <stdlib.h>
#include <string.h>

#include "model/parameters.h"
#include "validator/engine/session.h"
#include "validator/vector/pieces.h"
#include "validator/vector/value.h"
#include "validator/vector/vector.h"

enum { EVENT_BYTES = 4096, EVENT_WORDS = 64, RAW_BYTES = 1 << 16, STORED_LIMIT = 64 << 20 };

struct building {
    const struct assay_vector *vector;
    struct assay_encoder *encoder;
    struct assay_pieces *pieces; /* of the streams that the trace carries, or null */
    size_t *ends;                /* where the bytes of each event end, or null */
    struct assay_sink *stored;   /* what the encoder writes */
    struct assay_diag *diag;
    uint8_t *raw; /* RAW_BYTES */
};

static enum assay_error fail(const struct building *b, const struct assay_yaml *node,
                             enum assay_error error, const char *message, const char *argument)
{
    return assay_yaml_fail(node, b->diag, error, "%s%s", message, argument);
}

/* What the encoder said. */
static enum assay_error explain(const struct building *b, enum assay_error error)
{
    if (error != ASSAY_OK) {
        assay_sink_explain(b->stored, error, b->diag);
        assay_diag_path(b->diag, b->vector->file.path);
    }
    return error;
}

/* Bytes that are written in hexadecimal, to b->raw. */
static enum assay_error read_raw(const struct building *b, const struct assay_yaml *node,
                                 size_t *size)
{
    if (node->type == ASSAY_YAML_SCALAR && node->length / 2 > RAW_BYTES) {
        return assay_yaml_fail(node, b->diag, ASSAY_LIMIT,
                               "bytes are written by at most %d characters, not %zu", 2 * RAW_BYTES,
                               node->length);
    }
    if (node->type != ASSAY_YAML_SCALAR ||
        !assay_hex_bytes(node->text, node->length, b->raw, size)) {
        return fail(b, node, ASSAY_SYNTAX, "bytes are written in hexadecimal: \"43 00 05\"", "");
    }
    return ASSAY_OK;
}

static enum assay_error put_raw(const struct building *b, const struct assay_yaml *node)
{
    size_t size = 0;
    const enum assay_error error = read_raw(b, node, &size);
    if (error != ASSAY_OK) {
        return error;
    }
    if (b->encoder == NULL) {
        assay_sink_write(b->stored, b->raw, size);
        return explain(b, b->stored->error);
    }
    return explain(b, b->vector->format->encoder->put_raw(b->encoder, b->raw, size));
}

/* An event that is being built. */
struct draft {
    const struct assay_kind *kind;
    uint8_t *bytes; /* EVENT_BYTES, all 0 after what is there */
    uint64_t *words;
    size_t tail;  /* bytes of the tail */
    bool counted; /* the vector says itself how many items the tail has */
};

/* A tail: a text, {hex: ...}, or a list of 64-bit numbers. */
static enum assay_error set_tail(const struct building *b, const struct assay_field *field,
                                 const struct assay_yaml *node, struct draft *draft)
{
    uint8_t *to = draft->bytes + field->bit / 8;
    const size_t capacity = EVENT_BYTES - field->bit / 8u;
    const struct assay_yaml *hex = assay_yaml_get(node, "hex");
    size_t size = 0;
    if (node->type == ASSAY_YAML_LIST && node->count <= capacity / 8) {
        for (size_t i = 0; i < node->count; i++) {
            uint64_t number = 0;
            if (!assay_yaml_u64(node->items[i], &number)) {
                return fail(b, node->items[i], ASSAY_WRONG_TYPE,
                            "a number of at most 64 bits is expected in ", field->name);
            }
            assay_store64(to + 8 * i, number);
        }
        draft->tail = 8 * node->count;
        return ASSAY_OK;
    }
    if (hex != NULL && hex->type == ASSAY_YAML_SCALAR && hex->length / 2 <= RAW_BYTES &&
        assay_hex_bytes(hex->text, hex->length, b->raw, &size) && size <= capacity) {
        memcpy(to, b->raw, size);
        draft->tail = size;
        return ASSAY_OK;
    }
    if (node->type == ASSAY_YAML_SCALAR && node->length <= capacity) {
        memcpy(to, node->text, node->length);
        draft->tail = node->length;
        return ASSAY_OK;
    }
    return fail(b, node, ASSAY_OUT_OF_RANGE,
                "a text, a list of numbers or {hex: \"..\"} that fits is expected for ",
                field->name);
}

/* Where the vector does not say how many items the tail has, it is what there are. */
static enum assay_error count_tail(const struct draft *draft)
{
    if (draft->kind->tail_count == 0 || draft->counted) {
        return ASSAY_OK;
    }
    return assay_field_set(&draft->kind->fields[draft->kind->tail_count - 1], draft->bytes,
                           draft->words, draft->tail / draft->kind->tail_item);
}

/* A field of type BYTES: text, or {hex: ...}. */
static enum assay_error set_bytes(const struct building *b, const struct assay_field *field,
                                  const struct assay_yaml *node, uint8_t *bytes)
{
    const struct assay_yaml *hex = assay_yaml_get(node, "hex");
    const size_t capacity = field->width / 8u;
    size_t size = 0;
    if (hex != NULL && hex->type == ASSAY_YAML_SCALAR && hex->length / 2 <= RAW_BYTES &&
        assay_hex_bytes(hex->text, hex->length, b->raw, &size) && size <= capacity) {
        memcpy(bytes + field->bit / 8, b->raw, size);
        return ASSAY_OK;
    }
    if (node->type == ASSAY_YAML_SCALAR && node->length <= capacity) {
        memcpy(bytes + field->bit / 8, node->text, node->length);
        return ASSAY_OK;
    }
    return fail(b, node, ASSAY_OUT_OF_RANGE, "a text or {hex: \"..\"} that fits is expected for ",
                field->name);
}

static enum assay_error unknown_field(const struct building *b, const struct assay_kind *kind,
                                      const struct assay_yaml *key)
{
    const char *names[256] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < kind->field_count && count < 255; i++) {
        if (kind->fields[i].place != ASSAY_DERIVED) {
            names[count++] = kind->fields[i].name;
        }
    }
    fail(b, key, ASSAY_UNKNOWN_NAME, "this kind has no field in its bytes called ", key->text);
    const char *near = assay_nearest(key->text, names);
    if (near != NULL) {
        assay_diag_hint(b->diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error set_field(const struct building *b, struct draft *draft,
                                  const struct assay_yaml *key, const struct assay_yaml *value)
{
    const struct assay_kind *kind = draft->kind;
    const struct assay_field *field = assay_field_by_name(kind, key->text);
    uint64_t number = 0;
    if (field == NULL || field->place == ASSAY_DERIVED) {
        return unknown_field(b, kind, key);
    }
    if (field->place == ASSAY_TAIL) {
        return set_tail(b, field, value, draft);
    }
    if (field->type == ASSAY_BYTES) {
        return set_bytes(b, field, value, draft->bytes);
    }
    draft->counted = draft->counted || field - kind->fields + 1 == kind->tail_count;
    const bool read = assay_vector_value(field, value, &number);
    if (!read && !assay_yaml_is_number(value)) {
        return fail(b, value, ASSAY_WRONG_TYPE, "a number or a name of a value is expected for ",
                    field->name);
    }
    if (!read || assay_field_set(field, draft->bytes, draft->words, number) != ASSAY_OK) {
        return assay_yaml_fail(value, b->diag, ASSAY_OUT_OF_RANGE,
                               "%s does not fit %s.%s: its width is %u", value->text, kind->name,
                               field->name, field->width);
    }
    return ASSAY_OK;
}

/* Whether the encoder packs events of the kind, from their words. */
static bool is_packed(const struct assay_kind *kind)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        if (kind->fields[i].place == ASSAY_PACKED) {
            return true;
        }
    }
    return false;
}

static enum assay_error put_event(const struct building *b, const struct assay_yaml *name,
                                  const struct assay_yaml *fields)
{
    _Alignas(8) uint8_t bytes[EVENT_BYTES] = {0};
    uint64_t words[EVENT_WORDS] = {0};
    const struct assay_format *format = b->vector->format;
    const struct assay_kind *kind = assay_kind_by_name(format, name->text);
    if (kind == NULL || kind - format->kinds < ASSAY_KIND_FIRST) {
        return fail(b, name, ASSAY_UNKNOWN_NAME, "the format has no kind of event ", name->text);
    }
    if (b->encoder == NULL) {
        return fail(b, name, ASSAY_UNSUPPORTED, "only raw bytes can be written of ", format->name);
    }
    assay_kind_clear(kind, bytes);
    struct draft draft = {.kind = kind, .bytes = bytes, .words = words};
    enum assay_error error = ASSAY_OK;
    const bool empty = fields->type == ASSAY_YAML_SCALAR && fields->length == 0;
    if (fields->type != ASSAY_YAML_MAP && !empty) {
        return fail(b, fields, ASSAY_WRONG_TYPE, "a mapping of fields is expected here", "");
    }
    for (size_t i = 0; !empty && i < fields->count && error == ASSAY_OK; i++) {
        error = set_field(b, &draft, fields->items[2 * i], fields->items[2 * i + 1]);
    }
    if (error == ASSAY_OK && count_tail(&draft) != ASSAY_OK) {
        error = fail(b, name, ASSAY_OUT_OF_RANGE, "the tail has too many items in ", name->text);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    const struct assay_event event = {
        .bytes = bytes,
        .cells = words,
        .bits = is_packed(kind) ? 0 : kind->bits + 8 * (uint32_t)draft.tail,
        .kind = (uint16_t)(kind - format->kinds)};
    struct assay_diag refusal = {.offset = ASSAY_NO_OFFSET};
    error = format->encoder->put(b->encoder, &event, &refusal);
    return refusal.message[0] != '\0' ? fail(b, name, error, refusal.message, "")
                                      : explain(b, error);
}

static enum assay_error put_piece(const struct building *b, const struct assay_yaml *item)
{
    enum assay_error written = ASSAY_OK;
    const enum assay_error error =
        assay_pieces_put(b->vector, b->pieces, item, b->encoder, &written, b->diag);
    return error != ASSAY_OK ? error : explain(b, written);
}

static enum assay_error put_item(const struct building *b, const struct assay_yaml *name,
                                 const struct assay_yaml *value)
{
    if (assay_yaml_is(name, "raw")) {
        return put_raw(b, value);
    }
    if (b->pieces != NULL && assay_yaml_is(name, "stream")) {
        return put_piece(b, value);
    }
    return put_event(b, name, value);
}

static enum assay_error put_all(const struct building *b)
{
    const struct assay_yaml *trace = b->vector->trace;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < trace->count && error == ASSAY_OK; i++) {
        const struct assay_yaml *item = trace->items[i];
        if (item->type != ASSAY_YAML_MAP || item->count != 1) {
            return fail(b, item, ASSAY_SYNTAX, "an event is written `kind: {field: value}`", "");
        }
        error = put_item(b, item->items[0], item->items[1]);
        if (b->ends != NULL) {
            b->ends[i] = b->stored->size;
        }
    }
    return error;
}

/* --- after --- */

static enum assay_error poke(const struct building *b, const struct assay_yaml *list,
                             struct assay_sink *stored)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        uint64_t at = 0;
        size_t size = 0;
        const struct assay_yaml *item = list->items[i];
        const struct assay_yaml *hex = assay_yaml_get(item, "hex");
        if (!assay_yaml_u64(assay_yaml_get(item, "at"), &at) || hex == NULL ||
            hex->type != ASSAY_YAML_SCALAR || hex->length / 2 > RAW_BYTES ||
            !assay_hex_bytes(hex->text, hex->length, b->raw, &size)) {
            return fail(b, item, ASSAY_SYNTAX, "a poke is {at: 33, hex: \"ff\"}", "");
        }
        if (at > stored->size || size > stored->size - at) {
            return fail(b, item, ASSAY_OUT_OF_RANGE, "the poke is beyond the trace's end", "");
        }
        memcpy(stored->data + at, b->raw, size);
    }
    return ASSAY_OK;
}

static enum assay_error apply_after(const struct building *b, struct assay_sink *stored)
{
    static const char *const keys[] = {"poke", "truncate", "append", NULL};
    const struct assay_yaml *after = b->vector->after;
    if (after == NULL) {
        return ASSAY_OK;
    }
    enum assay_error error = assay_yaml_only(after, keys, b->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = poke(b, assay_yaml_get(after, "poke"), stored);
    const struct assay_yaml *truncate = assay_yaml_get(after, "truncate");
    uint64_t length = 0;
    if (error == ASSAY_OK && truncate != NULL) {
        if (!assay_yaml_u64(truncate, &length) || length > stored->size) {
            return fail(b, truncate, ASSAY_OUT_OF_RANGE, "the trace is not that long", "");
        }
        stored->size = (size_t)length;
    }
    const struct assay_yaml *append = assay_yaml_get(after, "append");
    if (error == ASSAY_OK && append != NULL) {
        size_t size = 0;
        error = read_raw(b, append, &size);
        if (error == ASSAY_OK) {
            assay_sink_write(stored, b->raw, size);
        }
    }
    return error;
}

/* The encoder needs the parameters that the vector gives for the decoder. */
static enum assay_error configure(const struct building *b, struct assay_parameter_values *values)
{
    const struct assay_vector *vector = b->vector;
    const bool has_parameters = vector->format->parameters != NULL;
    if (vector->format->encoder->configure == NULL) {
        return ASSAY_OK;
    }
    const struct assay_input input = assay_vector_input(vector, vector->file.path);
    const enum assay_error error = assay_configure(&input.setup, values, b->diag);
    return error != ASSAY_OK
               ? error
               : vector->format->encoder->configure(b->encoder, has_parameters ? values : NULL,
                                                    vector->framing, b->diag);
}

/* --- the trace --- */

static enum assay_error put_encoded(struct building *b)
{
    const struct assay_vector *vector = b->vector;
    const struct assay_encoder_ops *ops = vector->format->encoder;
    struct assay_parameter_values values;
    enum assay_error error = ops->open(b->stored, vector->storage, &b->encoder, b->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = configure(b, &values);
    error = error != ASSAY_OK ? error : put_all(b);
    const enum assay_error closed = ops->close(b->encoder);
    return error != ASSAY_OK ? error : explain(b, closed);
}

/* The bytes of a trace, with what `after` does to them; in `ends`, unless that is null, where those
 * of each event end. `pieces` are the streams that the trace carries. */
static enum assay_error encode_trace(const struct assay_vector *vector, struct assay_pieces *pieces,
                                     size_t *ends, struct assay_sink *bytes,
                                     struct assay_diag *diag)
{
    const struct assay_encoder_ops *ops = vector->format->encoder;
    struct building b = {.vector = vector,
                         .pieces = pieces,
                         .ends = ends,
                         .stored = bytes,
                         .diag = diag,
                         .raw = malloc(RAW_BYTES)};
    enum assay_error error =
        b.raw == NULL ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
        : ops != NULL ? put_encoded(&b)
                      : put_all(&b);
    error = error != ASSAY_OK ? error : apply_after(&b, bytes);
    error = error != ASSAY_OK ? error : explain(&b, bytes->error);
    free(b.raw);
    return error;
}

/* The bytes of the streams that give a trace. */
static enum assay_error encode_streams(const struct assay_vector *vector,
                                       struct assay_pieces **pieces, struct assay_diag *diag)
{
    struct assay_pieces *list = calloc(vector->stream_count, sizeof *list);
    enum assay_error error = list != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    *pieces = list;
    for (size_t i = 0; list != NULL && i < vector->stream_count; i++) {
        list[i].stream = &vector->streams[i];
        assay_sink_memory(&list[i].bytes, STORED_LIMIT);
    }
    for (size_t i = 0; i < vector->stream_count && error == ASSAY_OK; i++) {
        const struct assay_vector *content = &vector->streams[i].vector;
        if (content->trace == NULL) {
            continue;
        }
        list[i].event_count = content->trace->count;
        list[i].ends = calloc(content->trace->count + 1, sizeof *list[i].ends);
        error = list[i].ends != NULL
                    ? encode_trace(content, NULL, list[i].ends, &list[i].bytes, diag)
                    : ASSAY_NO_MEMORY;
    }
    return error == ASSAY_NO_MEMORY
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : error;
}

enum assay_error assay_vector_encode(const struct assay_vector *vector, struct assay_sink *sink,
                                     struct assay_diag *diag)
{
    struct assay_sink bytes;
    struct assay_pieces *pieces = NULL;
    assay_sink_memory(&bytes, STORED_LIMIT);
    enum assay_error error =
        vector->stream_count > 0 ? encode_streams(vector, &pieces, diag) : ASSAY_OK;
    error = error != ASSAY_OK ? error : encode_trace(vector, pieces, NULL, &bytes, diag);
    error = error != ASSAY_OK || pieces == NULL ? error : assay_pieces_finish(vector, pieces, diag);
    if (error == ASSAY_OK) {
        assay_sink_write(sink, bytes.data, bytes.size);
        error = sink->error;
    }
    assay_pieces_free(vector, pieces);
    assay_sink_close(&bytes, NULL);
    return error;
}
