/* Kinds of corruption: what is done to a conforming trace, and which clauses that breaks. They are
 * data, a table in YAML for each format (astf.yaml and so on): nothing here knows a format. */
#ifndef ASSAY_DETECTION_CORRUPTION_H
#define ASSAY_DETECTION_CORRUPTION_H

#include "common/yaml.h"
#include "generators/generator.h"
#include "model/model.h"
#include "validator/engine/catalogue.h"

/* X(enumerator, name in the tables): what is done to a record that was chosen, or to the stored
 * bytes. `count`, `set` and `record` are keys of the kind. The record that was chosen is the one
 * for which `on` and `when` hold, or the one that is `back` records before it. A record is an event
 * of the lowest layer; where they hold for one of a higher layer it is the record that this came
 * from. */
#define DETECTION_ACTS(X)                                                                          \
    X(DROP, "drop")     /* it and those after it, `count` together, are left out */                \
    X(DOUBLE, "double") /* it occurs twice */                                                      \
    X(SWAP, "swap")     /* it changes places with the record before it */                          \
    X(MOVE, "move")     /* it moves `count` records earlier */                                     \
    X(SET, "set")       /* fields get other values */                                              \
    X(INSERT, "insert") /* a record of the kind `record` with the values of `set` is before it */  \
    X(SPLICE, "splice") /* `count` records of another place of some trace are before it */         \
    X(CUT, "cut")       /* the trace ends before it */                                             \
    X(CUT_INSIDE, "cut-inside")     /* the trace ends inside it */                                 \
    X(SHORTEN, "shorten")           /* as set, and its last `count` bytes are left out */          \
    X(LENGTHEN, "lengthen")         /* as set, and `count` bytes follow it, of `fill` or random */ \
    X(FLIP_END, "flip-end")         /* a bit of its last `count` bytes is inverted */              \
    X(CUT_STORAGE, "cut-storage")   /* the stored bytes end somewhere */                           \
    X(FLIP_STORAGE, "flip-storage") /* a bit of them is inverted */                                \
    X(DROP_STORAGE, "drop-storage") /* `count` of them are left out somewhere */                   \
    X(ADD_STORAGE, "add-storage")   /* `count` random ones are added somewhere */                  \
    X(APPEND_ZEROS, "append-zeros") /* `count` bytes of zeros follow them */                       \
    X(APPEND_NOISE, "append-noise") /* `count` random bytes follow them */                         \
    X(APPEND_ITSELF, "append-itself") /* the file follows itself */

enum detection_act {
#define X(id, name) DETECTION_##id,
    DETECTION_ACTS(X)
#undef X
        DETECTION_ACT_COUNT
};

/* What a trace is judged with: what it is configured by, which belongs to it; what is known of the
 * machine, and the program; and the recorded execution. */
enum detection_column { DETECTION_ALONE, DETECTION_ACCOMPANIED, DETECTION_WITH_RECORDING };
enum { DETECTION_COLUMNS = 3 };

/* The least input that shows the violation in every trial, so that rules with this input can detect
 * all trials. X(enumerator, name in the tables, text in the document, first column that shows it)
 */
#define DETECTION_SHOWN_BY(X)                                                                      \
    X(TRACE, "trace", "the trace", DETECTION_ALONE)                                                \
    X(FACTS, "facts", "facts", DETECTION_ACCOMPANIED)                                              \
    X(PROGRAM, "program", "the program", DETECTION_ACCOMPANIED)                                    \
    X(RECORDING, "recording", "the recording", DETECTION_WITH_RECORDING)                           \
    /* there are trials that nothing shows */                                                      \
    X(NOTHING, "nothing", "not always", DETECTION_COLUMNS)                                         \
    /* it is not known which trials stay legal */                                                  \
    X(MAY, "may-stay-legal", "may be legal", DETECTION_COLUMNS)                                    \
    /* the trace stays legal: there must be no finding */                                          \
    X(LEGAL, "legal", "legal", DETECTION_ALONE)

enum detection_shown {
#define X(id, name, text, column) DETECTION_BY_##id,
    DETECTION_SHOWN_BY(X)
#undef X
        DETECTION_SHOWN_COUNT
};

/* How a field gets its new value. */
enum detection_value {
    DETECTION_NUMBER, /* this one */
    DETECTION_FLIP,   /* one bit of the old value is inverted */
    DETECTION_ANY,    /* any other value of the field's range */
    DETECTION_OTHER,  /* what another record of the kind holds */
    DETECTION_LAST,   /* what the record of the kind before it holds */
    DETECTION_ADD,    /* the number is added, modulo the field's range */
    DETECTION_XOR     /* the bits of the number are inverted */
};

struct detection_change {
    const struct assay_field *field;
    enum detection_value value;
    uint64_t number;
};

enum { DETECTION_CHANGES = 8, DETECTION_TITLE = 128 };

struct detection_corruption {
    const char *title;
    const struct assay_yaml *clauses; /* that it breaks, or by which it is legal */
    enum assay_level level; /* must if one of the clauses says so, should if they only imply it:
                               of the rules that are to catch it */
    enum detection_shown shown_by;
    const char *missed; /* why not all trials are detected in every column; or null */
    const char *gap;    /* what should be detected and is not, for authors of rules; or null */
    enum detection_act act;
    const struct assay_yaml *on, *when; /* which records: as in a rule; null for stored bytes */
    const struct assay_yaml *needs;     /* the parameters that `when` reads, or null */
    size_t count, back;
    int fill;                        /* the byte that LENGTHEN adds; less than 0: a random one */
    const char *storage;             /* how the bytes are stored that an act on them changes */
    const struct assay_kind *record; /* INSERT: what is inserted; SET: what has the fields */
    const char *spoken_of_by;    /* of a certification profile: the first one, or the feature, whose
                                    sentences speak of it; or null */
    const struct assay_yaml *in; /* the workloads in whose traces it is tried; null: in all */
    struct detection_change changes[DETECTION_CHANGES];
    size_t change_count;
};

static inline bool detection_acts_on_bytes(const struct detection_corruption *corruption)
{
    return corruption->act >= DETECTION_CUT_STORAGE;
}

struct detection_table {
    const struct assay_format *format;
    const char *name;                 /* of the file, without its ending */
    char title[DETECTION_TITLE];      /* of the format, and with what its traces are made */
    const struct assay_yaml *derived; /* names of fields that are 0 in what is packed anew, so that
                                         they follow from the others; or null */
    struct assay_generate_settings *traces; /* how traces are made of recordings: at least one */
    struct assay_parameter_values *configs; /* of each of the traces */
    size_t trace_count;
    struct detection_corruption *list;
    size_t count;
    struct assay_yaml_file file;
    struct assay_loaded
        *selectors; /* a rule for each of the list: it fails where its records are */
};

/* Reads the table NAME.yaml. What `on` and `when` say is compiled by the rule compiler; for stored
 * bytes there is a rule, too, so that numbers agree. */
enum assay_error detection_table_load(const char *name, struct detection_table *table,
                                      struct assay_diag *diag);
void detection_table_free(struct detection_table *table);

/* The names of DETECTION_SHOWN_BY as the document has them, and the first column that shows it. */
const char *detection_shown_text(enum detection_shown shown);
unsigned detection_shown_from(enum detection_shown shown);

/* Reads `traces` of a table: a list of mappings, options of `assay generate` with their values. The
 * option config has a mapping of parameters. */
enum assay_error detection_read_traces(struct detection_table *table, const struct assay_yaml *list,
                                       struct assay_diag *diag);

#endif
