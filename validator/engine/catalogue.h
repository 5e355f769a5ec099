/* A catalogue: the rules of a format, what they read, the clauses that they check. All constant
 * data: the same structures are printed as C at build time (emit.c) and built in memory for rule
 * files of a user (load.c).
 */
#ifndef ASSAY_VALIDATOR_CATALOGUE_H
#define ASSAY_VALIDATOR_CATALOGUE_H

#include "model/facts.h"
#include "validator/engine/expression.h"

struct assay_parameter_values;

enum assay_level { ASSAY_INFO, ASSAY_MAY_NOT_RELY, ASSAY_SHOULD, ASSAY_MUST, ASSAY_LEVEL_COUNT };

const char *assay_level_name(enum assay_level level); /* "must", "should", "may-not-rely", "info" */
bool assay_level_by_name(const char *name, enum assay_level *level);

/* What a rule needs in addition to the trace. Facts and parameters are counted separately. */
enum assay_need {
    ASSAY_NEED_ISA = 1,    /* instruction words; always there in formats that carry them */
    ASSAY_NEED_CONFIG = 2, /* any configuration; a rule that reads a parameter names it */
    ASSAY_NEED_IMAGE = 4,
    ASSAY_NEED_EXECUTION = 8
};

/* A piece of a message: text, or a value. */
struct assay_piece {
    const char *text; /* or null */
    struct assay_expression value;
    struct assay_field_ref shown; /* the field by which the value is shown */
    char format;                  /* 'x', 'd' or 0: as the field says */
    bool kind;                    /* the value is the number of a kind */
    bool fault;                   /* the value is the number of a fault */
};

struct assay_rule {
    const char *id;
    const char *title;
    const char *why; /* why it matters: for `assay rules show` */
    const char *file;
    uint32_t line;
    uint8_t level;                /* enum assay_level */
    uint8_t needs;                /* enum assay_need, or'ed */
    struct assay_kinds kinds;     /* that the rule applies to: all of one layer */
    uint16_t profiles;            /* bit n: the rule belongs to profile n of the format */
    struct assay_expression when; /* may be absent: always */
    struct assay_expression require;
    const char *on_text;
    const char *profiles_text; /* null: all */
    const char *when_text;     /* null if absent */
    const char *require_text;
    const char *say_text;
    const struct assay_piece *say;
    uint16_t say_count;
    const uint16_t *evidence; /* leaves that `when` and `require` read */
    uint16_t evidence_count;
    const uint16_t *facts; /* enum assay_fact */
    uint16_t fact_count;
    const uint16_t *parameters; /* numbers of the format's parameters that it reads */
    uint16_t parameter_count;
    const uint16_t *interpretations; /* in the catalogue's list */
    uint16_t interpretation_count;
    const char *const *clauses;
    uint16_t clause_count; /* 0: a house rule, not one of the specification, or a diagnosis */
    /* A diagnosis recognises, by `when`, a situation that other rules' violations can come from. It
     * demands nothing: where `when` holds it is "violated", which no verdict counts. */
    bool diagnosis;
    const char *const *explains; /* ids of the rules whose violations it can explain */
    uint16_t explain_count;
    uint8_t
        extent; /* enum assay_extent: where the stream's violations have to be for it to be told */
    bool unexecutable; /* a run that violates it cannot have been executed, by its fields alone */
    bool explains_any; /* it explains violations of any rule, and lists none */
};

/* The area of a rule: its file's name without folder and ending. */
void assay_rule_area(const struct assay_rule *rule, char *area, size_t size);

/* Whether a diagnosis can explain violations of a rule, of the same format. */
bool assay_rule_explains(const struct assay_rule *diagnosis, const struct assay_rule *rule);

struct assay_update {
    struct assay_kinds kinds;
    struct assay_expression value;
    const char *on_text; /* as they are in the file */
    const char *text;
};

/* A variable that rules of one file share. All updates of an event see the values from before it.
 */
struct assay_variable {
    const char *name;
    const char *file;
    uint32_t line;
    bool flag;
    bool compared; /* an update reads what only a recorded execution gives */
    bool asks;     /* an update reads what the instructions of runs are: passes(...) */
    uint64_t init;
    const struct assay_update *updates;
    uint16_t update_count;
};

/* What rules ask of the single events of a run: passes(...), first(...). A leaf of the expression
 * has as its number that of a static field of the kind that the runs stand for. */
struct assay_condition {
    const char *text;
    uint16_t run;             /* the kind of runs */
    struct assay_field field; /* a flag of the run: one of its events meets the condition */
    struct assay_expression expression;
};

/* A condition that a rule file gives a name, by which its rules ask it: passes(NAME). */
struct assay_named_condition {
    const char *name;
    const char *text; /* what it stands for, as it is in the file */
    const char *file;
};

enum assay_disposition {
    ASSAY_BY_RULE,     /* rules check it */
    ASSAY_BY_DECODER,  /* an obligation on readers, shown by vectors with expected events */
    ASSAY_PERMITTED,   /* a permission: vectors that make use of it are accepted */
    ASSAY_BY_INPUT,    /* a demand on what accompanies a trace: the reader of that checks it, and a
                          test that names the clause shows it */
    ASSAY_NOT_VISIBLE, /* neither a trace nor anything given with it can show it; the reason says
                          why */
    ASSAY_DISPOSITION_COUNT
};

const char *assay_disposition_name(enum assay_disposition disposition);

struct assay_clause {
    const char *id;
    const char *section;
    const char *level; /* the specification's own: must, should, may, implied, layout, value */
    const char *text;  /* in our words */
    uint8_t disposition;
    const char *reason;         /* of all but BY_RULE */
    const char *weaker;         /* of a mandatory clause that only weaker rules check: why no rule
                                   of level must can; null for all others */
    const char *const *vectors; /* of BY_DECODER and PERMITTED: names of vectors that show it, as
                                   their files are called, without folder and ".yaml" */
    uint16_t vector_count;
    uint32_t line;
};

/* The specification demands it: its level is must or shall. */
bool assay_clause_mandatory(const struct assay_clause *clause);

struct assay_reading {
    const char *name;
    const char *text;
};

struct assay_interpretation {
    const char *id; /* INT-ASTF-09 */
    const char *section;
    const char *problem;
    const char *because; /* why the default is the default */
    const struct assay_reading *readings;
    uint16_t reading_count;
    uint16_t chosen; /* the default reading */
    uint16_t clause_count;
    const char *const *clauses; /* those that it bears on */
    const char *built_in;       /* why no rule needs another reading; null where rules do */
    uint32_t line;
};

struct assay_compiled;

struct assay_catalogue {
    const struct assay_format *format;
    const struct assay_rule *rules;
    size_t rule_count;
    const struct assay_leaf *leaves;
    size_t leaf_count;
    const struct assay_variable *variables;
    size_t variable_count;
    const struct assay_condition *conditions;
    size_t condition_count;
    size_t first_condition; /* what the first of them is called by the decoder: those of the
                               catalogue that this one is added to come before */
    const struct assay_named_condition *named;
    size_t named_count;
    const struct assay_clause *clauses;
    size_t clause_count;
    const struct assay_interpretation *interpretations;
    size_t interpretation_count;
    const char *digest; /* "sha256:..." of the files that it was made from, in order */
    const struct assay_compiled *compiled; /* emitted checks, or null: rules are evaluated */
};

/* The catalogues built in; null ends the list. */
extern const struct assay_catalogue *const assay_catalogues[];

/* The highest level of the rules that check a clause; false if none does. */
bool assay_clause_strongest(const struct assay_catalogue *catalogue, const char *clause,
                            enum assay_level *level);

const struct assay_catalogue *assay_catalogue_of(const struct assay_format *format);
const struct assay_rule *assay_rule_by_id(const struct assay_catalogue *catalogue, const char *id);

/* Whether a rule depends on the reading of an interpretation (by its number), so that another
 * reading changes what it says: the rule asks for it, or names it and the decoder follows it. The
 * other interpretations that a rule names are built into it. */
bool assay_rule_switches(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                         uint16_t interpretation);

/* Sets the parameters of a stream that are readings (struct assay_parameter) to those that are
 * chosen: one number an interpretation of the catalogue, or null for the defaults. Nothing happens
 * where the stream is of another format, or of one without parameters (`values` is null). */
void assay_readings_follow(const struct assay_catalogue *catalogue, const uint16_t *readings,
                           struct assay_parameter_values *values);

/* The field that a FIELD or FIRST leaf means for events of a kind; null if the kind has none. */
const struct assay_field *assay_leaf_field(const struct assay_catalogue *catalogue,
                                           const struct assay_leaf *leaf, unsigned kind);

/* Builds a catalogue from files. Files that hold `clauses:` or `interpretations:` are recognised by
 * their names (clauses.yaml, *interpretations.yaml); all others hold rules. `base` (or null) lends
 * its clauses, interpretations and the ids that are taken. */
struct assay_loaded;
enum assay_error assay_catalogue_load(const struct assay_format *format, const char *const *files,
                                      size_t count, const struct assay_catalogue *base,
                                      struct assay_loaded **loaded, struct assay_diag *diag);

/* A listener that gets each fault of rule files, at most ASSAY_MOST_RULE_FAULTS of them; then
 * loading ends. */
enum { ASSAY_MOST_RULE_FAULTS = 100 };
struct assay_load_listener {
    void (*fault)(void *context, const struct assay_diag *diag);
    void *context;
};

/* The same for rule files of a user: all faults are reported to the listener, not only the first
 * one, whose error is returned. ASSAY_NO_MEMORY is returned without a report. A file may have parts
 * of other formats (compiler/rule_parts.h), which are passed over. `base` is not null; diag
 * neither. */
enum assay_error assay_catalogue_load_user(const struct assay_format *format,
                                           const char *const *files, size_t count,
                                           const struct assay_catalogue *base,
                                           const struct assay_load_listener *listener,
                                           struct assay_loaded **loaded, struct assay_diag *diag);

const struct assay_catalogue *assay_loaded_catalogue(const struct assay_loaded *loaded);
void assay_catalogue_free(struct assay_loaded *loaded);

/* The parts of a catalogue as C source text: a header, the constant tables with
 * `assay_catalogue_<format>`, the state with the step, and the checks of the rules. They are
 * separate files so that a changed rule causes little recompilation, and parts are compiled in
 * parallel. */
enum assay_emit_part {
    ASSAY_EMIT_HEADER,
    ASSAY_EMIT_TABLES,
    ASSAY_EMIT_STATE,
    ASSAY_EMIT_RULES, /* this one and those after it: each has some of the rules */
    ASSAY_EMIT_PARTS = ASSAY_EMIT_RULES + 6
};

/* Prints a part of a catalogue as C source text. `header` is the name of the file of the header,
 * which the other parts include. */
struct assay_sink;
enum assay_error assay_catalogue_emit(const struct assay_catalogue *catalogue, unsigned part,
                                      const char *header, struct assay_sink *sink);

#endif
