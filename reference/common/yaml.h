/* YAML files as a small tree in which every node knows its line and column. Built on libyaml. It is
 * meant for files written by hand: size, depth and number of nodes are limited, and anchors,
 * aliases and tags are refused, so that time and memory are bounded by the file's size. */
#ifndef ASSAY_COMMON_YAML_H
#define ASSAY_COMMON_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define ASSAY_YAML_MAX_BYTES ((size_t)16 << 20)
#define ASSAY_YAML_MAX_DEPTH 32
#define ASSAY_YAML_MAX_PAIRS 4096 /* in one mapping */

enum assay_yaml_type { ASSAY_YAML_SCALAR, ASSAY_YAML_LIST, ASSAY_YAML_MAP };

struct assay_yaml {
    enum assay_yaml_type type;
    const char *path;          /* of the file that it is in */
    uint32_t line;             /* 1-based */
    uint32_t column;           /* 1-based */
    bool quoted;               /* a scalar in quotes or a block scalar: never a number or a flag */
    const char *text;          /* SCALAR: the text, terminated */
    size_t length;             /* of the text in bytes */
    size_t count;              /* LIST: items; MAP: pairs */
    struct assay_yaml **items; /* LIST: items; MAP: key, value, key, value ... */
};

struct assay_yaml_file {
    char *path;
    struct assay_yaml *root;
    void *memory; /* private */
};

/* Reads one document. A mapping with the same key twice is ASSAY_DUPLICATE. */
enum assay_error assay_yaml_load(const char *path, struct assay_yaml_file *file,
                                 struct assay_diag *diag);
enum assay_error assay_yaml_parse(const char *path, const char *text, size_t size,
                                  struct assay_yaml_file *file, struct assay_diag *diag);
void assay_yaml_free(struct assay_yaml_file *file);

/* Reads a whole text file, as assay_file_open opens it. Of a longer one than ASSAY_YAML_MAX_BYTES
 * one byte more than that is read, so that the caller can detect it. The caller frees *text, which
 * is not terminated; diag gets no path.
 */
enum assay_error assay_text_load(const char *path, char **text, size_t *size,
                                 struct assay_diag *diag);

/* The value of a key of a mapping, or null. */
const struct assay_yaml *assay_yaml_get(const struct assay_yaml *map, const char *key);

/* Refuses a mapping that holds a key not in the null-terminated list, at the key's position, naming
 * the nearest known key. */
enum assay_error assay_yaml_only(const struct assay_yaml *map, const char *const *known,
                                 struct assay_diag *diag);

/* Scalars as values: numbers are decimal or 0x..., may hold underscores; flags are true or false.
 */
bool assay_yaml_u64(const struct assay_yaml *node, uint64_t *value);
/* Whether it is such a number, of any size. */
bool assay_yaml_is_number(const struct assay_yaml *node);
bool assay_yaml_flag(const struct assay_yaml *node, bool *value);
bool assay_yaml_is(const struct assay_yaml *node, const char *text);

/* The text of a key of a mapping, copied to the arena. One that is absent and not `required` leaves
 * *text as it is; one that is empty, of blanks alone, or no scalar is ASSAY_SYNTAX. */
struct assay_arena;
enum assay_error assay_yaml_take_text(const struct assay_yaml *map, const char *key, bool required,
                                      struct assay_arena *arena, const char **text,
                                      struct assay_diag *diag);

/* An error at a node's position: its file, line and column. */
enum assay_error assay_yaml_fail(const struct assay_yaml *node, struct assay_diag *diag,
                                 enum assay_error error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The member of a null-terminated list that is spelt most like `given`, capitals or not, or null
 * when none is near.
 */
const char *assay_nearest(const char *given, const char *const *list);

/* The same for names that are not in a list: begin with the given one, try each name, and `best` is
 * the nearest. The names are borrowed. */
struct assay_near {
    const char *given;
    const char *best;  /* or null */
    unsigned distance; /* distance of `best`; initially the least that is too far */
};
struct assay_near assay_near_begin(const char *given);
void assay_near_try(struct assay_near *near, const char *name);

/* Bytes from hexadecimal text with optional blanks ("43 00 05" or "430005"); false when it is not.
 * `out` has room for length / 2 bytes. */
bool assay_hex_bytes(const char *text, size_t length, uint8_t *out, size_t *size);

#endif
