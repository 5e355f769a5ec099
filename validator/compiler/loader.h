/* What the parts of the rule compiler share while a catalogue is being built. Private to
 * validator/.
 */
#ifndef ASSAY_VALIDATOR_LOADER_H
#define ASSAY_VALIDATOR_LOADER_H

#include "common/arena.h"
#include "common/yaml.h"
#include "validator/engine/catalogue.h"

/* A named condition of the file that is being read; its name and text are in the catalogue, at the
 * same index. */
struct assay_name {
    struct assay_expression
        expression; /* a leaf's number is that of its field, as in a condition */
    uint32_t line, column;
    bool used;
    bool broken; /* it has an error of its own: expressions that read it are not reported */
};

struct assay_loader {
    struct assay_arena *arena;
    struct assay_diag *diag;
    const struct assay_format *format;
    const struct assay_catalogue *base; /* or null */
    struct assay_catalogue *out;
    size_t rule_capacity, leaf_capacity, variable_capacity, clause_capacity,
        interpretation_capacity, condition_capacity, named_capacity, name_capacity;
    const char *path;         /* of the file that is being read */
    size_t file_variables;    /* where the variables of this file begin */
    struct assay_name *names; /* named conditions, of all files */
    size_t file_names;        /* where those of this file begin */
    void *ids;                /* of rules, those of the base, too; a tree of <search.h> */
    void *leaf_numbers;       /* the same of leaves */
    bool pass_others;         /* parts of a file that are of another format are skipped */
    /* If all faults are to be reported: the listener, their number, and the first one. */
    const struct assay_load_listener *listener;
    size_t faults;
    enum assay_error first_fault;
    /* Names of state variables with errors of their own: expressions that read them are not
     * reported. */
    const char **broken;
    size_t broken_count, broken_capacity;
    bool echo; /* the last error is a consequence of one that was reported */
};

/* Called with the result of reading a part. Returns an error that ends the loading; if all faults
 * are to be reported it is passed to the listener instead, and ASSAY_OK is returned so that the
 * rest is read, too. */
enum assay_error assay_load_next(struct assay_loader *loader, enum assay_error error);

/* The last error of several that one thing can have, such as the values of a message. Begins
 * zero-initialised. */
struct assay_held {
    enum assay_error error;
    struct assay_diag diag;
    bool echo;
};

/* After one of these things was read: where all faults are to be reported, an error is held and
 * the one that was held before is reported; ASSAY_OK is returned so that the rest is read, too. */
enum assay_error assay_load_hold(struct assay_loader *loader, struct assay_held *held,
                                 enum assay_error error);

/* After all: the error that is held, which is not reported yet, or ASSAY_OK. */
enum assay_error assay_load_held(struct assay_loader *loader, const struct assay_held *held);

/* The scope of names in an expression. */
struct assay_scope {
    struct assay_loader *loader;
    const struct assay_kinds *kinds; /* the event is of one of these; null: of none */
    const struct assay_yaml *place;  /* the scalar that holds the expression */
    bool message;                    /* it is a value of a message */
    size_t first;                    /* where in the scalar's text the expression begins */
};

/* The meaning of an expression's value. */
struct assay_meaning {
    bool flag;
    bool kind;                       /* the number of a kind */
    bool fault;                      /* the number of a fault */
    const struct assay_field *field; /* the field whose value it is, or null */
};

/* Reads `length` bytes of an expression. Nodes are in the loader's arena. */
enum assay_error assay_parse(const struct assay_scope *scope, const char *text, size_t length,
                             struct assay_expression *expression, struct assay_meaning *meaning);

/* The same of a condition of instructions, as it is inside of passes(...): a leaf's number is that
 * of the field. It is sound: it reads something, and can hold and fail. `run` is the kind of runs.
 */
enum assay_error assay_parse_condition(const struct assay_scope *scope,
                                       const struct assay_kind *run, const char *text,
                                       size_t length, struct assay_expression *expression);

/* The kind of the runs of a format; null where it has none. */
const struct assay_kind *assay_kind_of_runs(const struct assay_format *format);

/* The number of a leaf in the catalogue, added when it is new. */
enum assay_error assay_intern_leaf(struct assay_loader *loader, const struct assay_leaf *leaf,
                                   uint16_t *number);

/* Drops the leaves from a number on. */
void assay_forget_leaves(struct assay_loader *loader, size_t count);

/* Records a rule's id; *known is set if it was recorded before. False when out of memory. */
bool assay_note_id(struct assay_loader *loader, const char *id, bool *known);

/* Frees what a loader holds outside of its arena. */
void assay_loader_close(struct assay_loader *loader);

/* Whether some input can make a flag expression true. Exact when what it reads has at most 65,536
 * combinations of values, otherwise by ranges: then "yes" may be wrong, "no" never is. `kinds` as
 * in the rule. */
bool assay_satisfiable(const struct assay_loader *loader, const struct assay_kinds *kinds,
                       const struct assay_expression *expression);

/* The same of a condition of instructions, which reads fields of `kind` (struct assay_condition).
 */
bool assay_condition_satisfiable(const struct assay_loader *loader, const struct assay_kind *kind,
                                 const struct assay_expression *expression);

/* `when and not require` as one expression (when may be absent). The two have at most
 * ASSAY_MAX_NODES - 2 nodes together. False when there is no memory. */
bool assay_violation(struct assay_arena *arena, const struct assay_expression *when,
                     const struct assay_expression *require, struct assay_expression *violation);

/* The reference to a field of the format's tables; none for null. */
struct assay_field_ref assay_field_reference(const struct assay_format *format,
                                             const struct assay_field *field);

/* Reads one mapping of a rule file, clause file or interpretation file into the catalogue. */
enum assay_error assay_load_rules(struct assay_loader *loader, const struct assay_yaml *root);
enum assay_error assay_load_clauses(struct assay_loader *loader, const struct assay_yaml *root);
enum assay_error assay_load_interpretations(struct assay_loader *loader,
                                            const struct assay_yaml *root);

/* The ids of the clauses that a mapping names under `clauses`: at least one, all known. */
enum assay_error assay_load_clause_ids(struct assay_loader *loader, const struct assay_yaml *map,
                                       const char *const **clauses, uint16_t *count);

/* The text of a required or optional scalar of a mapping, in the arena. */
enum assay_error assay_load_text(struct assay_loader *loader, const struct assay_yaml *map,
                                 const char *key, bool required, const char **text);

/* A kind set from a scalar ("instr", "any", "any(element)") or a list of names, all of one layer.
 */
enum assay_error assay_load_kinds(struct assay_loader *loader, const struct assay_yaml *node,
                                  struct assay_kinds *kinds);

/* The kind whose name is spelt most like a word; null when none is near. */
const char *assay_nearest_kind(const struct assay_format *format, const char *name);

/* The `needs:` of a rule, which must agree with what it reads. */
enum assay_error assay_load_needs(struct assay_loader *loader, const struct assay_yaml *map,
                                  struct assay_rule *rule);

/* What a diagnosis explains, for rules with that key; and what it has in place of a requirement. */
enum assay_error assay_load_explains(struct assay_loader *loader, const struct assay_yaml *map,
                                     struct assay_rule *rule);
enum assay_error assay_load_recognition(struct assay_loader *loader, const struct assay_yaml *map,
                                        struct assay_rule *rule);

/* After all files: the rules that diagnoses explain have to exist. */
enum assay_error assay_check_explained(struct assay_loader *loader);

/* The `state:` of a rule file. */
enum assay_error assay_load_state(struct assay_loader *loader, const struct assay_yaml *state);

/* The `conditions:` of a rule file: conditions of instructions by name. */
enum assay_error assay_load_named(struct assay_loader *loader, const struct assay_yaml *conditions);

/* After the rules of the file: each of them has to be used. */
enum assay_error assay_check_named(struct assay_loader *loader);

/* The keywords of the language, which no variable and no condition can have as its name. */
bool assay_is_keyword(const char *name);

/* An expression for events of these kinds, from a scalar. */
enum assay_error assay_load_expression(struct assay_loader *loader, const struct assay_kinds *kinds,
                                       const struct assay_yaml *node,
                                       struct assay_expression *expression,
                                       struct assay_meaning *meaning);

/* The first fact or parameter that an expression reads and the rule (or null) does not need, as it
 * is written; null if there is none. Its value might not be known where it is read. */
const char *assay_unneeded_leaf(const struct assay_loader *loader,
                                const struct assay_expression *expression,
                                const struct assay_rule *rule);

/* The first thing that an expression reads and only the comparison with a recorded execution gives,
 * as it is written: a field, or a variable that rests on one. Null if there is none. */
const char *assay_compared_leaf(const struct assay_loader *loader,
                                const struct assay_expression *expression);

/* The first thing that an expression reads and only the instructions of runs say, as it is written:
 * passes(...), or a variable that rests on one. Null if there is none. */
const char *assay_asking_leaf(const struct assay_loader *loader,
                              const struct assay_expression *expression);

enum assay_error assay_load_say(struct assay_loader *loader, const struct assay_kinds *kinds,
                                const struct assay_yaml *node, struct assay_rule *rule);

/* After what the rule needs: its message shows nothing that might not be known, and of instructions
 * only those that the rule asks for. */
enum assay_error assay_check_say(struct assay_loader *loader, const struct assay_yaml *map,
                                 struct assay_rule *rule);

/* An error at a node of the file that is being read. */
enum assay_error assay_load_fail(struct assay_loader *loader, const struct assay_yaml *node,
                                 enum assay_error error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Refuses keys that are not in the null-terminated list. */
enum assay_error assay_load_only(struct assay_loader *loader, const struct assay_yaml *map,
                                 const char *const *keys);

static inline enum assay_error assay_no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

#endif
