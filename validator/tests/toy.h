/* A format that does not exist: two layers, a few kinds, fields of every type. For tests of what
 * knows no format. */
#ifndef ASSAY_VALIDATOR_TESTS_TOY_H
#define ASSAY_VALIDATOR_TESTS_TOY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validator/engine/catalogue.h"

/* Kinds of layer 0: malformed, end, item, mark; of layer 1: atom. */
enum { TOY_ITEM = ASSAY_KIND_FIRST, TOY_MARK, TOY_ATOM, TOY_KINDS };

enum { TOY_BAD_THING = 1, TOY_CUT_SHORT };

/* Parameters: a number, a flag, and one with a default of its own. */
enum { TOY_WIDTH, TOY_WHOLE, TOY_ORDER };

extern const struct assay_format toy_format;

/* Memory for events that are made by hand. */
struct toy_event {
    _Alignas(8) uint8_t bytes[32];
    uint64_t cells[4];
};

/* An event of a kind; its fields are 0 except for those set with toy_set. */
struct assay_event toy_event(struct toy_event *memory, unsigned kind);

/* Sets a field by its name. */
void toy_set(struct toy_event *memory, unsigned kind, const char *field, uint64_t value);

/* Loads rules from texts, each of which becomes a file; the first two, "clauses.yaml" and
 * "interpretations.yaml", are there. *diag tells what is wrong; its path is the file's bare name.
 */
enum assay_error toy_load(const char *const *texts, size_t count,
                          const struct assay_catalogue *base, struct assay_loaded **loaded,
                          struct assay_diag *diag);

/* The same for texts that are in files of these names, and without the first two. */
enum assay_error toy_load_named(const char *const *names, const char *const *texts, size_t count,
                                const struct assay_catalogue *base, struct assay_loaded **loaded,
                                struct assay_diag *diag);

extern const char toy_clauses[];
extern const char toy_interpretations[];

#endif
