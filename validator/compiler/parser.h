/* Between the parts of the parser: operators (parse.c), names (parse_names.c), what is constant in
 * a stream (parse_constants.c), what is asked of the events of runs (parse_runs.c) and values
 * (parse_values.c). Private. */
#ifndef ASSAY_VALIDATOR_PARSER_H
#define ASSAY_VALIDATOR_PARSER_H

#include "validator/compiler/lex.h"
#include "validator/compiler/loader.h"

struct assay_parser {
    const struct assay_scope *scope;
    const char *text;
    size_t length;
    struct assay_token token;
    unsigned depth;
    enum assay_error error;
    const struct assay_kind *asked; /* of a condition: of whose events; else null */
    uint16_t count;
    struct assay_node nodes[ASSAY_MAX_NODES];
};

struct assay_operand {
    uint16_t node;
    bool flag;
    bool wide;     /* a field of more than 64 bits */
    bool constant; /* a literal; value */
    bool kind, fault;
    unsigned layer; /* of the kinds that it can be the number of */
    uint64_t value;
    uint64_t most; /* the greatest value that it can have; 0 or UINT64_MAX: not known */
    const struct assay_field *field;
    size_t at; /* where it begins in the text */
};

struct assay_operand assay_parse_operand(struct assay_parser *p);
struct assay_operand assay_parse_primary(struct assay_parser *p);
struct assay_operand assay_parse_slice(struct assay_parser *p, struct assay_operand operand);

/* On the right of a comparison with something that has names: the name's value. False when what
 * is there is not a bare name, or the left side has no names. */
bool assay_parse_value_name(struct assay_parser *p, const struct assay_operand *left,
                            struct assay_operand *value);

/* A member of `in {...}`: a name of the left side's values, or a number. */
struct assay_operand assay_parse_member(struct assay_parser *p, const struct assay_operand *left);

struct assay_operand assay_parse_node(struct assay_parser *p, enum assay_operation op, bool flag,
                                      uint16_t a, uint16_t b, uint16_t c, uint64_t value);
struct assay_operand assay_parse_constant(struct assay_parser *p, uint64_t value, bool flag);

/* A leaf, of which `shown` is filled in from the field, or null; `text` is copied, and is the name
 * where there is none. */
struct assay_operand assay_parse_leaf(struct assay_parser *p, struct assay_leaf leaf,
                                      const struct assay_field *field, bool flag);

/* After `fact`, `config`, `reads`. */
struct assay_operand assay_parse_fact(struct assay_parser *p);
struct assay_operand assay_parse_config(struct assay_parser *p);
struct assay_operand assay_parse_reads(struct assay_parser *p);

/* After `passes`, of this run or of the one before, and `first`; `at` is where that begins. */
struct assay_operand assay_parse_passes(struct assay_parser *p, bool prev, size_t at);
struct assay_operand assay_parse_first(struct assay_parser *p, size_t at);

/* A name that is no function's, in a condition of these. */
struct assay_operand assay_parse_asked(struct assay_parser *p, const char *name, size_t at);

/* Reads the first token, and expects that nothing follows the expression. */
void assay_parse_begin(struct assay_parser *p);
void assay_parse_end(struct assay_parser *p);

/* Copies what was read to the loader's arena. */
enum assay_error assay_parse_keep(struct assay_parser *p, struct assay_expression *expression);

bool assay_parse_is_sign(const struct assay_parser *p, const char *sign);
bool assay_parse_is_keyword(const struct assay_parser *p, const char *keyword);
bool assay_parse_accept(struct assay_parser *p, const char *sign);
bool assay_parse_expect(struct assay_parser *p, const char *sign);
bool assay_parse_name(struct assay_parser *p, char *name, size_t size);

/* Whether a name as it is written in a rule is one of a table, which may have - instead of _. */
bool assay_parse_same_name(const char *written, const char *name);

/* Adds "did you mean" to the error; nothing when `near` is null. */
void assay_parse_hint(struct assay_parser *p, const char *near);

enum assay_error assay_parse_fail(struct assay_parser *p, enum assay_error error, size_t at,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
