/* Parameters of a stream: what an encoder or trace unit was built with or set to, and what widths
 * and meanings of its packets depend on (iaddress_width_p, TRCIDR0). A format declares them in a
 * constant table. Their values come from defaults, from configuration (the mapping `config` of a
 * manifest or vector, or a file) and from the stream itself; each value knows where it is from, and
 * two that contradict each other are refused with both places. Once a stream is open they are
 * constant.
 */
#ifndef ASSAY_COMMON_PARAMETERS_H
#define ASSAY_COMMON_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    ASSAY_MAX_PARAMETERS = 128, /* of a format */
    ASSAY_PARAMETER_FILES = 8,  /* that one set of values can be configured by */
    ASSAY_PARAMETER_PATH_MAX =
        256 /* how much of their names is stored; longer ones are cut in front */
};

struct assay_enumeration;
struct assay_yaml;
struct assay_parameter_values;

struct assay_parameter {
    const char *name;     /* as the specification spells it and users write it: "TRCIDR0" */
    const char *title;    /* for people: "Width of instruction addresses" */
    const char *unit;     /* "bits" ... or null */
    uint64_t least, most; /* the range of values. One of 0 to 1 without names can be given as true
                             and false, too */
    bool has_default;
    uint64_t value;                        /* the default, within the range */
    bool hex;                              /* shown in hexadecimal */
    const struct assay_enumeration *names; /* of values, which can be given by them; or null */
    const char *doc;                       /* one line */
    const char *clause;                    /* the section that defines it, or null */
};

/* Another way to write a file of configuration than those that are known here. */
struct assay_parameter_syntax {
    const char *name;              /* "IP-XACT" */
    const char *const *extensions; /* of files that are so: ".xml" ...; ended by null */
    /* Calls assay_parameter_configure for each parameter of the text, which is not terminated. The
     * path is for messages; the caller adds it to diag. */
    enum assay_error (*read)(struct assay_parameter_values *values, const char *path,
                             const char *text, size_t size, struct assay_diag *diag);
};

struct assay_parameter_table {
    const struct assay_parameter *list;
    size_t count; /* at most ASSAY_MAX_PARAMETERS */
    /* Whether the values are compatible; some may be unknown. It fails by assay_parameter_fail,
     * which gives the origin. Null: they always are. */
    enum assay_error (*check)(const struct assay_parameter_values *values, struct assay_diag *diag);
    const struct assay_parameter_syntax *syntaxes; /* or null */
    size_t syntax_count;
};

/* What is wrong with a table, for a format's unit test: too many parameters, a name twice, a
 * default outside the range. Null when nothing is. */
const char *assay_parameter_table_fault(const struct assay_parameter_table *table);

/* Whether a parameter is a flag: 0 or 1, without names. */
static inline bool assay_parameter_is_flag(const struct assay_parameter *parameter)
{
    return parameter->least == 0 && parameter->most == 1 && parameter->names == NULL;
}

/* The number of a parameter, or -1. */
int assay_parameter_by_name(const struct assay_parameter_table *table, const char *name);

/* "0x28000ea1", "64" or the name of the value. Always terminated. */
void assay_parameter_text(const struct assay_parameter *parameter, uint64_t value, char *out,
                          size_t size);

enum assay_parameter_origin {
    ASSAY_PARAMETER_UNKNOWN, /* no value: what needs it cannot be checked */
    ASSAY_PARAMETER_DEFAULT,
    ASSAY_PARAMETER_CONFIG,
    ASSAY_PARAMETER_STREAM
};

/* Where a value is from. */
struct assay_parameter_site {
    uint8_t origin;  /* enum assay_parameter_origin */
    uint8_t file;    /* CONFIG: number in `files` */
    uint32_t line;   /* CONFIG: 1-based */
    uint32_t column; /* CONFIG: 1-based */
    uint64_t offset; /* STREAM: byte in the stream, or ASSAY_NO_OFFSET */
};

/* The values of a table's parameters, by their number. Plain data, the caller's. */
struct assay_parameter_values {
    const struct assay_parameter_table *table;
    uint64_t value[ASSAY_MAX_PARAMETERS]; /* 0 where it is not known */
    bool known[ASSAY_MAX_PARAMETERS];
    struct assay_parameter_site site[ASSAY_MAX_PARAMETERS];
    uint8_t used[ASSAY_MAX_PARAMETERS]; /* 1 + the lowest layer whose events depend on it; 0: none
                                           (assay_parameter_use) */
    char files[ASSAY_PARAMETER_FILES][ASSAY_PARAMETER_PATH_MAX];
    unsigned file_count;
};

/* All parameters have their default, or no value. The table must outlive the values. */
void assay_parameters_init(struct assay_parameter_values *values,
                           const struct assay_parameter_table *table);

/* Takes what a mapping {NAME: value} says; `path` is the file that it is in. An unknown name
 * (ASSAY_UNKNOWN_NAME, with the nearest one), a value of the wrong type or out of range, and a
 * value other than the one that another file gave (ASSAY_CONTRADICTION) are reported with file,
 * line and column. After an error the values are not to be used. */
enum assay_error assay_parameters_read(struct assay_parameter_values *values, const char *path,
                                       const struct assay_yaml *map, struct assay_diag *diag);

/* Reads a file. Its extension says what it is: .cfg or .scf: lines NAME=VALUE; one that the table
 * has a syntax for: that; any other one, or none: YAML, the root being the mapping. */
enum assay_error assay_parameters_load(struct assay_parameter_values *values, const char *path,
                                       struct assay_diag *diag);

/* Lines NAME=VALUE. Blanks around both do not count; empty lines, headings in square brackets, and
 * all from # or ; on are left out. A name that occurs twice is ASSAY_DUPLICATE. */
enum assay_error assay_parameters_lines(struct assay_parameter_values *values, const char *path,
                                        const char *text, size_t size, struct assay_diag *diag);

/* One parameter of a file that is being read. */
struct assay_parameter_setting {
    const char *name;
    uint32_t line, column; /* of the name */
    const char *text;      /* the value: decimal, 0x..., a name of the parameter's, true or false */
    uint32_t text_line, text_column;
    bool quoted; /* the value can only be a name */
};

/* For the `read` of a syntax only. */
enum assay_error assay_parameter_configure(struct assay_parameter_values *values,
                                           const struct assay_parameter_setting *setting,
                                           struct assay_diag *diag);

/* A value that the stream itself gives. It replaces a default. ASSAY_CONTRADICTION: configuration,
 * or the stream before, gave another value, which stays; message and hint name both origins.
 * ASSAY_OUT_OF_RANGE: no stream can have this value. */
enum assay_error assay_parameter_from_stream(struct assay_parameter_values *values, size_t number,
                                             uint64_t value, uint64_t offset,
                                             struct assay_diag *diag);

/* Asks the format whether the values go together. */
enum assay_error assay_parameters_check(const struct assay_parameter_values *values,
                                        struct assay_diag *diag);

/* The value of a parameter; false, and 0, when it is not known. */
static inline bool assay_parameter_get(const struct assay_parameter_values *values, size_t number,
                                       uint64_t *value)
{
    *value = values->value[number];
    return values->known[number];
}

/* The value that a decoder continues with, 0 when it is not known. It notes that events of a layer
 * depend on the parameter: where that is unknown, what rules would say of this layer and of those
 * above it would be said of a guess. Called when a stage is opened, or when the first such event is
 * decoded; at the latest before the decoder's last block. */
static inline uint64_t assay_parameter_use(struct assay_parameter_values *values, size_t number,
                                           unsigned layer)
{
    if (values->used[number] == 0 || layer + 1 < values->used[number]) {
        values->used[number] = (uint8_t)(layer + 1);
    }
    return values->value[number];
}

/* Whether events of a layer, or of those below it, were decoded by this parameter although it is
 * unknown. */
static inline bool assay_parameter_guessed(const struct assay_parameter_values *values,
                                           size_t number, unsigned layer)
{
    return !values->known[number] && values->used[number] != 0 && values->used[number] <= layer + 1;
}

/* The values as an array by number, which plans for packing are made of. One that is not known, and
 * with `values` null each, is what the table has as the default. */
void assay_parameters_array(const struct assay_parameter_table *table,
                            const struct assay_parameter_values *values, uint64_t *out);

/* An error at the origin of a parameter's value. */
enum assay_error assay_parameter_fail(const struct assay_parameter_values *values, size_t number,
                                      struct assay_diag *diag, enum assay_error error,
                                      const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
