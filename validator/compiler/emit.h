/* The interface between the files of the emitter. Private to validator/. */
#ifndef ASSAY_VALIDATOR_EMIT_H
#define ASSAY_VALIDATOR_EMIT_H

#include "io/sink.h"
#include "validator/engine/catalogue.h"

/* Where an expression is evaluated decides how a leaf is written in C. */
enum assay_emit_context {
    ASSAY_EMIT_STEP,     /* from the event `e` and the state `s` */
    ASSAY_EMIT_ROW,      /* from row i of the table `c` */
    ASSAY_EMIT_CELLS,    /* from the cells of an event alone */
    ASSAY_EMIT_CONDITION /* the same of the event that a condition is asked of: the number is that
                            of a field */
};

struct assay_emitter {
    const struct assay_catalogue *catalogue;
    struct assay_sink *sink;
    uint8_t *used; /* [kind * leaf_count + leaf]: enum assay_emit_use, or'ed */
    /* Flags of the state, in flag cells: the bit of a variable, and of whether a kind was seen; -1
     * for variables that are numbers, and for kinds that no rule and no variable asks about. */
    int *variable_flags, *seen_flags;
    unsigned flag_count;
    /* Fields of the event before, packed into previous cells: the first bit of a leaf and its
     * width; -1 for those of 64 bits, and other leaves. */
    int *previous_bits;
    uint8_t *previous_widths;
    unsigned previous_count; /* bits */
};

/* Which rules read a leaf in events of a kind. */
enum assay_emit_use {
    ASSAY_EMIT_ALWAYS = 1,  /* rules that need no recorded execution */
    ASSAY_EMIT_EXECUTED = 2 /* rules that need one; not used without it */
};

/* Cells of an event, as bit sets: of its bytes, of its values. */
struct assay_emit_cells {
    uint64_t bytes, values;
};

/* The constant tables: expressions, rules, clauses, interpretations. */
void assay_emit_tables(const struct assay_emitter *emitter);

/* The structures of tables and block summaries; and the declarations of the functions that the
 * files share, for the header. The rules are distributed over so many parts. */
void assay_emit_structures(const struct assay_emitter *emitter);
void assay_emit_rule_functions(const struct assay_emitter *emitter, unsigned parts);

/* The step; and the check, which calls the parts. */
void assay_emit_step(const struct assay_emitter *emitter);
void assay_emit_check(const struct assay_emitter *emitter, unsigned parts);

/* --- the parts of the step --- */

/* The update of a variable that an event of the kind makes: of several, the last; null if there is
 * none. Whether such an event changes flags of a cell. Whether events of a layer read a leaf of the
 * event before. */
const struct assay_update *assay_emit_update(const struct assay_variable *variable, unsigned kind);
bool assay_emit_changes_flags(const struct assay_emitter *emitter, unsigned kind, unsigned cell);
bool assay_emit_read_in_layer(const struct assay_emitter *emitter, unsigned layer, uint16_t leaf);

/* Gives what rules read of the event before its place in previous cells (emit_previous.c). The
 * second puts the statement by which an event of a kind leaves its part of a cell. */
void assay_emit_number_previous(struct assay_emitter *emitter);
void assay_emit_previous_cell(const struct assay_emitter *emitter, unsigned kind, unsigned cell);

/* Plain kinds (emit_plain.c): which are; the struct of their table, an entry of it, set when the
 * state begins; and the functions `step_plain` and `end_plain`. */
bool assay_emit_is_plain(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_plain_struct(const struct assay_emitter *emitter);
void assay_emit_plain_entry(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_step_plain(const struct assay_emitter *emitter);

/* A part: the rules of it, in their order. */
void assay_emit_rules(const struct assay_emitter *emitter, unsigned part, unsigned parts);

/* The functions `met` and `unexecutable`: which conditions an event of a run meets, and whether a
 * run cannot have been executed. */
void assay_emit_conditions(const struct assay_emitter *emitter);

/* The value of a leaf as C text, for events of a kind. */
void assay_emit_leaf(const struct assay_emitter *emitter, unsigned kind, uint16_t leaf,
                     enum assay_emit_context place, char *text, size_t size);

/* `const uint64_t <prefix><n> = ...;` for every node of an expression; its value is the last one.
 */
void assay_emit_expression(const struct assay_emitter *emitter,
                           const struct assay_expression *expression, unsigned kind,
                           enum assay_emit_context place, const char *prefix, const char *indent);

/* The C text of an operation, whose operands are `<prefix><n>`. */
void assay_emit_operation(const struct assay_emitter *emitter,
                          const struct assay_expression *expression, unsigned number,
                          const char *prefix);

/* `summarize_<kind>`: the block summary of a table, bits that any row has and bits that all rows
 * have. `undecided_<kind>_<rule>`: whether the summary leaves open what a rule says of the rows, so
 * that they must be checked one by one. Where it does not, the rows that exercise the rule are
 * counted. */
void assay_emit_summary_struct(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_summary(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_undecided(const struct assay_emitter *emitter, unsigned kind, uint16_t rule);

/* Facts and readings that rules of a kind read, as local variables `k<leaf>` loaded from an array.
 */
void assay_emit_constants(const struct assay_emitter *emitter, unsigned kind, const char *from);

/* --- columns --- */

/* Adjacent cells of an event are gathered into columns together. A kind has at most
 * ASSAY_EMIT_UNITS units: groups of adjacent cells, single cells, and leaves. */
enum { ASSAY_EMIT_ADJACENT = 4, ASSAY_EMIT_UNITS = 64 };

bool assay_emit_adjacent(const struct assay_emitter *emitter, unsigned kind, char letter,
                         unsigned cell);

/* The element of row i of the column of a cell, as C text. */
void assay_emit_column(const struct assay_emitter *emitter, unsigned kind, char letter,
                       unsigned cell, char *text, size_t size);

/* Whether the step fills a column of its own for a leaf. */
bool assay_emit_step_column(const struct assay_emitter *emitter, unsigned kind, uint16_t leaf);

/* Units of a kind, as bit sets: those that hold these cells; those that a rule reads. */
unsigned assay_emit_unit_count(const struct assay_emitter *emitter, unsigned kind);
uint64_t assay_emit_units(const struct assay_emitter *emitter, unsigned kind,
                          struct assay_emit_cells cells);
uint64_t assay_emit_units_of_rule(const struct assay_emitter *emitter, unsigned kind,
                                  const struct assay_rule *rule);

/* The columns of a kind's table for what the event itself holds; and `gather_<kind>`, which fills
 * those of some units. */
void assay_emit_members(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_gather(const struct assay_emitter *emitter, unsigned kind);

/* The cells that the block summary covers. */
struct assay_emit_cells assay_emit_summary_cells(const struct assay_emitter *emitter,
                                                 unsigned kind);

/* --- origins --- */

/* Whether rules or new values of the state on a kind that has a table read a leaf of the event that
 * an event came from; and whether they read any. */
bool assay_emit_is_origin(const struct assay_emitter *emitter, unsigned kind, uint16_t leaf);
bool assay_emit_reads_origin(const struct assay_emitter *emitter, unsigned kind);

/* Text for each such leaf, with its number in place of @. Its column of origins is o@. */
void assay_emit_each_origin(const struct assay_emitter *emitter, unsigned kind, const char *text);

/* Whether the new value of a variable that is a flag depends on the origin alone, so that it is
 * computed once for each; and whether a flag cell has such ones. */
bool assay_emit_is_of_origin(const struct assay_emitter *emitter, unsigned kind, size_t variable);
bool assay_emit_has_origin_flags(const struct assay_emitter *emitter, unsigned kind, unsigned cell);

/* The columns of the origins of a table; `read_origin_<kind>`, which adds one; and the loop that
 * fills the column of a leaf from them. */
void assay_emit_origin_members(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_read_origin(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_spread_origin(const struct assay_emitter *emitter, uint16_t leaf);

/* --- last events of other kinds --- */

/* The cells of the last event of kind `of`, another one, that a table has in its sections. */
struct assay_emit_cells assay_emit_section_cells(const struct assay_emitter *emitter, unsigned kind,
                                                 unsigned of);

/* The columns of the sections of a table; `section_<kind>`, which adds one at a row, and
 * `begin_sections`, for a block; what an event of kind `of` does to sections, and what is done
 * to those of a table before it gets rows; and the loop that fills the columns of the cells from
 * them. */
void assay_emit_section_members(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_sections(const struct assay_emitter *emitter);
void assay_emit_new_sections(const struct assay_emitter *emitter, unsigned of);
void assay_emit_row_section(const struct assay_emitter *emitter, unsigned kind);
void assay_emit_spread_sections(const struct assay_emitter *emitter, unsigned kind, unsigned of);

/* Whether an event of the kind reads a leaf, by a rule or for the new value of a variable. */
bool assay_emit_reads(const struct assay_emitter *emitter, unsigned kind, uint16_t leaf);

/* The cells of the event `e` as locals, with the names that fields in a step have. */
void assay_emit_locals(const struct assay_emitter *emitter, unsigned kind);

/* --- leaves --- */

/* Whether a leaf needs a column of its own, and is not in a cell of the event. */
bool assay_emit_own_column(const struct assay_emitter *emitter, unsigned kind, uint16_t leaf);

/* The field that a leaf means for a kind; null when the kind has none. */
const struct assay_field *assay_emit_field(const struct assay_emitter *emitter, unsigned kind,
                                           uint16_t leaf);

/* Whether a field lies in one 64-bit cell of the event, or fills whole ones. */
bool assay_emit_in_cells(const struct assay_field *field);

/* A field of the event of a step, wherever it is, as C text. */
void assay_emit_from_event(const struct assay_emitter *emitter, unsigned kind,
                           const struct assay_field *field, char *text, size_t size);

/* The bit of the state's flag cells that a leaf is, or -1. Bit n is bit n % 64 of cell n / 64. */
int assay_emit_flag(const struct assay_emitter *emitter, uint16_t leaf);
unsigned assay_emit_flag_cells(const struct assay_emitter *emitter);

/* Whether rules of a kind read a flag cell. */
bool assay_emit_flag_cell_used(const struct assay_emitter *emitter, unsigned kind, unsigned cell);

/* A slice of the state's previous cells: what a leaf reads of the event before in its layer. Most
 * such fields are narrow, so that all of them are one or two cells. False for a leaf that is in
 * none. */
struct assay_emit_slice {
    unsigned cell, bit, width;
};
bool assay_emit_previous(const struct assay_emitter *emitter, uint16_t leaf,
                         struct assay_emit_slice *slice);
unsigned assay_emit_previous_cells(const struct assay_emitter *emitter);

/* Whether rules of a kind read a previous cell. */
bool assay_emit_previous_used(const struct assay_emitter *emitter, unsigned kind, unsigned cell);

/* Whether any rule applies to a kind: other kinds have no table. */
bool assay_emit_asked(const struct assay_emitter *emitter, unsigned kind);

void assay_emit_add_cells(const struct assay_field *field, struct assay_emit_cells *cells);

/* The cells of the event itself that rules of a kind read, of those that `uses` names. */
struct assay_emit_cells assay_emit_own_cells(const struct assay_emitter *emitter, unsigned kind,
                                             unsigned uses);

/* The cells of the last event of kind `of` that rules of a kind read; or any rule or variable, when
 * kind is ASSAY_EMIT_ANY_KIND. */
#define ASSAY_EMIT_ANY_KIND UINT32_MAX
struct assay_emit_cells assay_emit_last_cells(const struct assay_emitter *emitter, unsigned kind,
                                              unsigned of, unsigned uses);

enum { ASSAY_EMIT_ALL = ASSAY_EMIT_ALWAYS | ASSAY_EMIT_EXECUTED };

/* Whether rules of a kind read a leaf, of those that `uses` names. */
static inline bool assay_emit_uses(const struct assay_emitter *emitter, unsigned kind, size_t leaf,
                                   unsigned uses)
{
    return (emitter->used[kind * emitter->catalogue->leaf_count + leaf] & uses) != 0;
}

static inline bool assay_emit_used(const struct assay_emitter *emitter, unsigned kind, size_t leaf)
{
    return assay_emit_uses(emitter, kind, leaf, ASSAY_EMIT_ALL);
}

static inline const char *assay_emit_kind_name(const struct assay_emitter *emitter, unsigned kind)
{
    return emitter->catalogue->format->kinds[kind].name;
}

#endif
