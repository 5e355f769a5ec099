/* A JSON document of one object, written member by member, so that only the current value is in
 * memory. Members and elements that are written by themselves have a line each, so that files can
 * be searched and compared line by line; or all are in one line. */
#ifndef ASSAY_REPORTS_JSON_STREAM_H
#define ASSAY_REPORTS_JSON_STREAM_H

#include <jansson.h>

#include "io/sink.h"

struct assay_json_stream {
    struct assay_sink *sink;
    unsigned depth;    /* objects and lists that are open */
    uint32_t preceded; /* bit n: at depth n a member or element precedes */
    bool one_line;
    bool failed; /* out of memory */
};

/* An integer that practically never exceeds 2^53, such as a count: a JSON number; "0x..." if it
 * does. */
json_t *assay_json_count(uint64_t value);

/* An integer that can exceed 2^53: "0x...", lower case, without leading zeros. */
json_t *assay_json_hex(uint64_t value);

/* A text; bytes that are not UTF-8 become \xNN. Null for null. */
json_t *assay_json_text(const char *text);

/* The name of a file: control characters become \xNN, and a backslash two; if it is not UTF-8, each
 * byte beyond ASCII becomes \xNN, too. Different names give different texts. */
json_t *assay_json_name(const char *name);

/* Sets a member of an object; takes ownership of the value. A null value (out of memory) fails the
 * stream. */
void assay_json_set(struct assay_json_stream *stream, json_t *object, const char *key,
                    json_t *value);
void assay_json_append(struct assay_json_stream *stream, json_t *array, json_t *value);

void assay_json_begin(struct assay_json_stream *stream, struct assay_sink *sink);
/* The same for a document in one line. */
void assay_json_begin_line(struct assay_json_stream *stream, struct assay_sink *sink);
/* Members of the object, and elements of the list, that was opened last: those of a list have no
 * name (null). Values become the stream's. */
void assay_json_member(struct assay_json_stream *stream, const char *name, json_t *value);
void assay_json_object_begin(struct assay_json_stream *stream, const char *name);
void assay_json_object_end(struct assay_json_stream *stream);
void assay_json_list_begin(struct assay_json_stream *stream, const char *name);
void assay_json_list_item(struct assay_json_stream *stream, json_t *value);
/* An element that is JSON already. */
void assay_json_list_text(struct assay_json_stream *stream, const char *text, size_t size);
void assay_json_list_end(struct assay_json_stream *stream);
/* The first error, of the sink or of memory. */
enum assay_error assay_json_end(struct assay_json_stream *stream);

#endif
