/* Parameters of a stream: how an encoder or trace unit was built or configured, on which widths and
 * meanings of its packets depend (iaddress_width_p, TRCIDR0). A format declares them in a constant
 * table. Their values come from defaults, from the profile that was asked for, from configuration
 * (the mapping `config` of a manifest or vector, or a file) and from the stream itself; the origin
 * of each value is recorded, and two values that contradict each other are refused with both
 * origins. Once a stream is open they are constant.
 */
#ifndef ASSAY_COMMON_PARAMETERS_H
#define ASSAY_COMMON_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    ASSAY_MAX_PARAMETERS = 512,    /* of a format */
    ASSAY_PARAMETER_FILES = 8,     /* files by which one set of values can be configured */
    ASSAY_PARAMETER_PATH_MAX = 256 /* bytes stored of their names; a longer one keeps its end */
};

struct assay_enumeration;
struct assay_yaml;
struct assay_parameter_values;

struct assay_parameter {
    const char *name;     /* as the specification spells it and users write it: "TRCIDR0" */
    const char *title;    /* human-readable: "Width of instruction addresses" */
    const char *unit;     /* "bits" ... or null */
    uint64_t least, most; /* the range of values. One of 0 to 1 without names can be given as true
                             and false, too */
    bool has_default;
    uint64_t value;                        /* the default, within the range */
    bool hex;                              /* shown in hexadecimal */
    const struct assay_enumeration *names; /* of values, which can be given by them; or null */
    const char *doc;                       /* one line */
    const char *clause;                    /* the section that defines it, or null */
    bool source_id;  /* its value is the id under which a capture carries the stream */
    bool is_reading; /* it has the name of an interpretation of the rules, and its values those of
                        the readings that the decoder follows: whoever judges a stream chooses one,
                        and configuration cannot */
};

/* A field of a parameter that is a register: rules read it as config(TRCIDR0.TSSIZE). */
struct assay_parameter_field {
    uint16_t parameter; /* its number */
    uint8_t bit, width; /* the lowest bit, and how many there are */
    const char *name;   /* as the specification spells it */
};

/* A syntax of configuration files that is specific to a format. */
struct assay_parameter_syntax {
    const char *name;              /* "IP-XACT" */
    const char *const *extensions; /* file name suffixes of the syntax: ".xml" ...; ended by null */
    /* Calls assay_parameter_configure for each parameter of the text, which is not terminated. The
     * path is for messages; the caller adds it to diag. */
    enum assay_error (*read)(struct assay_parameter_values *values, const char *path,
                             const char *text, size_t size, struct assay_diag *diag);
};

/* Names that may be configured and on which nothing depends: a name alone, or followed by a decimal
 * number. */
struct assay_ignored_parameter {
    const char *name;
    bool is_numbered;
    uint8_t least, most; /* the range of the number */
};

/* Another name under which a parameter can be configured. */
struct assay_parameter_alias {
    const char *name;
    size_t parameter; /* its number */
};

struct assay_parameter_table {
    const struct assay_parameter *list;
    size_t count;                               /* at most ASSAY_MAX_PARAMETERS */
    const struct assay_parameter_field *fields; /* or null: no parameter has any */
    size_t field_count;
    /* What is configured for these has to be a number, and is not kept. Null: there are none. */
    const struct assay_ignored_parameter *ignored;
    size_t ignored_count;
    /* Whether the values are compatible; some may be unknown. It fails by assay_parameter_fail,
     * which gives the origin. Null: they always are. */
    enum assay_error (*check)(const struct assay_parameter_values *values, struct assay_diag *diag);
    const struct assay_parameter_syntax *syntaxes; /* or null */
    size_t syntax_count;
    const struct assay_parameter_alias *aliases; /* or null */
    size_t alias_count;
    /* The number of a parameter that a profile determines, and its value for each profile of the
     * format; null: profiles determine none. */
    size_t profiled;
    const uint64_t *by_profile;
    /* Sets the defaults that depend on the values of other parameters, by assay_parameter_default.
     * Null: none do. */
    void (*settle)(struct assay_parameter_values *values);
};

/* Checks a table, for a format's unit test: the message says what is wrong (too many parameters, a
 * name twice, a default outside the range); null when it is valid. */
const char *assay_parameter_table_fault(const struct assay_parameter_table *table);

/* Whether a parameter is a flag: 0 or 1, without names. */
static inline bool assay_parameter_is_flag(const struct assay_parameter *parameter)
{
    return parameter->least == 0 && parameter->most == 1 && parameter->names == NULL;
}

/* The number of a parameter by its name or another one, or -1. */
int assay_parameter_by_name(const struct assay_parameter_table *table, const char *name);

/* Whether a name is one of those that are ignored. */
bool assay_parameter_is_ignored(const struct assay_parameter_table *table, const char *name);

/* "0x28000ea1", "64" or the name of the value. Always terminated. */
void assay_parameter_text(const struct assay_parameter *parameter, uint64_t value, char *out,
                          size_t size);

enum assay_parameter_origin {
    ASSAY_PARAMETER_UNKNOWN, /* no value: rules that need it cannot be checked */
    ASSAY_PARAMETER_DEFAULT,
    ASSAY_PARAMETER_PROFILE, /* the profile that was asked for says so */
    ASSAY_PARAMETER_CONFIG,
    ASSAY_PARAMETER_STREAM
};

/* The origin of a value. */
struct assay_parameter_site {
    uint8_t origin;  /* enum assay_parameter_origin */
    uint8_t file;    /* CONFIG: number in `files` */
    uint32_t line;   /* CONFIG: 1-based */
    uint32_t column; /* CONFIG: 1-based */
    uint64_t offset; /* STREAM: byte in the stream, or ASSAY_NO_OFFSET */
};

/* The values of a table's parameters, by their number. Owned by the caller, without memory of its
 * own. */
struct assay_parameter_values {
    const struct assay_parameter_table *table;
    uint64_t value[ASSAY_MAX_PARAMETERS]; /* 0 where it is not known */
    bool known[ASSAY_MAX_PARAMETERS];
    struct assay_parameter_site site[ASSAY_MAX_PARAMETERS];
    uint8_t used[ASSAY_MAX_PARAMETERS]; /* 1 + the lowest layer whose events depend on it; 0: none
                                           (assay_parameter_use) */
    bool guessed;                       /* one was used that was not known */
    char files[ASSAY_PARAMETER_FILES][ASSAY_PARAMETER_PATH_MAX];
    unsigned file_count;
};

/* Sets all parameters to their defaults, or to no value. The table must outlive the values. */
void assay_parameters_init(struct assay_parameter_values *values,
                           const struct assay_parameter_table *table);

/* Sets parameters from a mapping {NAME: value}; `path` is the file that it is in. An unknown name
 * (ASSAY_UNKNOWN_NAME, with the nearest one), a value of the wrong type or out of range, and a
 * value other than the one that another file gave (ASSAY_CONTRADICTION) are reported with file,
 * line and column. After an error the values are not to be used. */
enum assay_error assay_parameters_read(struct assay_parameter_values *values, const char *path,
                                       const struct assay_yaml *map, struct assay_diag *diag);

/* Sets parameters from a file. Its suffix decides the syntax: .cfg and .scf are lines NAME=VALUE; a
 * suffix of one of the table's syntaxes means that syntax; any other one, or none, is YAML whose
 * root is the mapping. */
enum assay_error assay_parameters_load(struct assay_parameter_values *values, const char *path,
                                       struct assay_diag *diag);

/* Sets parameters from lines NAME=VALUE. Blanks around both, empty lines, headings in square
 * brackets, and comments after # or ; are ignored. A parameter that occurs twice is
 * ASSAY_DUPLICATE. */
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

/* Sets one parameter; only to be called from the `read` function of a syntax. */
enum assay_error assay_parameter_configure(struct assay_parameter_values *values,
                                           const struct assay_parameter_setting *setting,
                                           struct assay_diag *diag);

/* Sets a value that the stream itself gives. It replaces a default. ASSAY_CONTRADICTION:
 * configuration, or the stream earlier, gave another value, which is kept; message and hint name
 * both origins. ASSAY_OUT_OF_RANGE: no stream can have this value. */
enum assay_error assay_parameter_from_stream(struct assay_parameter_values *values, size_t number,
                                             uint64_t value, uint64_t offset,
                                             struct assay_diag *diag);

/* Sets the parameter that a profile determines. `profile` is 1 + the number of the one that was
 * asked for; 0, or a table in which profiles determine nothing: it does nothing.
 * ASSAY_CONTRADICTION, at the place of the value: it was configured otherwise; `name` is the
 * profile's, for the message. */
enum assay_error assay_parameters_profile(struct assay_parameter_values *values, unsigned profile,
                                          const char *name, struct assay_diag *diag);

/* Sets the defaults that depend on other values; after configuration, before the check. */
void assay_parameters_settle(struct assay_parameter_values *values);

/* Sets a parameter that nothing else has set; only to be called by a table's `settle`, by a decoder
 * that is opened, for what a platform fact says, and for the reading that was chosen. */
void assay_parameter_default(struct assay_parameter_values *values, size_t number, uint64_t value);

/* Asks the format whether the values are compatible. */
enum assay_error assay_parameters_check(const struct assay_parameter_values *values,
                                        struct assay_diag *diag);

/* The value of a parameter; false, and 0, when it is not known. */
static inline bool assay_parameter_get(const struct assay_parameter_values *values, size_t number,
                                       uint64_t *value)
{
    *value = values->value[number];
    return values->known[number];
}

/* The value with which a decoder continues, 0 when it is not known, and records that events of a
 * layer depend on the parameter: when it is unknown, the layer and those above it were decoded by a
 * guess, so that rules cannot be checked on them. Called when a stage is opened, or when the first
 * such event is decoded; at the latest before the decoder's last block. */
static inline uint64_t assay_parameter_use(struct assay_parameter_values *values, size_t number,
                                           unsigned layer)
{
    if (values->used[number] == 0 || layer + 1 < values->used[number]) {
        values->used[number] = (uint8_t)(layer + 1);
    }
    values->guessed = values->guessed || !values->known[number];
    return values->value[number];
}

/* Whether events of a layer, or of a layer below it, were decoded with this parameter although it
 * is unknown. */
static inline bool assay_parameter_guessed(const struct assay_parameter_values *values,
                                           size_t number, unsigned layer)
{
    return !values->known[number] && values->used[number] != 0 && values->used[number] <= layer + 1;
}

/* The name of the first parameter with which events of a layer, or of a layer below it, were
 * decoded although it is unknown; null if there is none, or `values` is null. */
static inline const char *assay_parameters_guessed(const struct assay_parameter_values *values,
                                                   unsigned layer)
{
    for (size_t i = 0; values != NULL && i < values->table->count; i++) {
        if (assay_parameter_guessed(values, i, layer)) {
            return values->table->list[i].name;
        }
    }
    return NULL;
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
