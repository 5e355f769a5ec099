/* Reading back what the writers of JSON wrote (json_stream.h): nothing of it is trusted. The first
 * member that is missing or wrong is noted, and every function can be called after it. */
#ifndef ASSAY_REPORTS_JSON_READ_H
#define ASSAY_REPORTS_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"

struct assay_json_reader {
    struct assay_arena *arena; /* of the texts that are read */
    const char *wrong;         /* the first member that is missing or wrong; null: none is */
    bool out_of_memory;
};

/* Notes that a member is wrong. */
void assay_json_wrong(struct assay_json_reader *reader, const char *member);

/* Whether all was right so far. */
static inline bool assay_json_right(const struct assay_json_reader *reader)
{
    return reader->wrong == NULL && !reader->out_of_memory;
}

/* A number as assay_json_count or assay_json_hex writes it, at most `most`; else 0. The name is for
 * what is said of a wrong one. */
uint64_t assay_json_number_of(struct assay_json_reader *reader, const json_t *value,
                              const char *name, uint64_t most);

/* Members of an object. A number as above; a flag; the position of a text in `names`, of which
 * there are `count`. */
uint64_t assay_json_get_number(struct assay_json_reader *reader, const json_t *object,
                               const char *name, uint64_t most);
bool assay_json_get_flag(struct assay_json_reader *reader, const json_t *object, const char *name);

/* A text as assay_json_name writes it, in memory of the reader; null for null where `optional`. */
const char *assay_json_get_text(struct assay_json_reader *reader, const json_t *object,
                                const char *name, bool optional);
/* The same of a value. */
const char *assay_json_text_of(struct assay_json_reader *reader, const json_t *value,
                               const char *name, bool optional);
/* The same into an array; one that is longer than it is wrong. */
void assay_json_get_chars(struct assay_json_reader *reader, const json_t *object, const char *name,
                          char *out, size_t size);

/* A list, and its length; an empty one in place of a wrong one. A list of `count` elements. */
const json_t *assay_json_get_list(struct assay_json_reader *reader, const json_t *object,
                                  const char *name, size_t *count);
const json_t *assay_json_get_list_of(struct assay_json_reader *reader, const json_t *object,
                                     const char *name, size_t count);

/* Zeroed memory of the reader for a list. */
void *assay_json_room(struct assay_json_reader *reader, size_t count, size_t size);

#endif
