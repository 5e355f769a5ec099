/* The interface of emitted checks. Emitted code works in two steps, for speed:
 *
 *   step   goes through a block of events in order. Each event gets a row in the table of its kind,
 *          with the state that rules of the kind read; then the state is updated.
 *   check  goes through the tables, kind by kind. It gathers the cells of the events that rules
 *          read into columns, decides by a block summary for which rules the rows need not be
 *          checked, and
 *          checks the rows for the others, in loops without branches that the compiler turns into
 *          vector code. Rows that violate a rule are reported.
 */
#ifndef ASSAY_VALIDATOR_COMPILED_H
#define ASSAY_VALIDATOR_COMPILED_H

#include "common/table.h"
#include "validator/engine/catalogue.h"

/* Events that a step can take before a check; the alignment of a column, a line of the cache, so
 * that no vector of a loop lies in two; and the length of a column, a number of whole lines that is
 * no power of two: the columns of a row would then all compete for the same lines of the cache. */
enum { ASSAY_ROWS = 1024, ASSAY_COLUMN = ASSAY_ROWS + 16 };
_Static_assert(ASSAY_COLUMN * sizeof(uint32_t) % ASSAY_CACHE_LINE == 0, "columns are whole lines");

/* The inputs of a check, and where it reports to. */
struct assay_judging {
    const uint64_t *enabled;   /* a rule: 1 or 0 */
    const uint64_t *constants; /* a leaf: its value, for FACT, CONFIG and READING */
    uint64_t *exercised;       /* a rule: added to */
    uint64_t *violated;        /* a rule: added to */
    const uint64_t *wanted;    /* a rule: how many more findings are wanted; the counts are exact
                                  anyhow */
    /* An event violates a rule; `event` counts from the first of the block, leaves[n] is leaf n.
     * Leaves that only the rule's message reads, and that the event itself holds, need not be
     * filled. */
    void (*report)(void *context, uint16_t rule, uint32_t event, uint64_t *leaves);
    void *context;
};

struct assay_compiled {
    size_t state_size;          /* to be aligned to ASSAY_CACHE_LINE */
    void (*begin)(void *state); /* whose contents are unknown, and of which it touches little */
    void (*step)(void *state, const struct assay_judging *judging, const struct assay_event *events,
                 uint32_t count);
    void (*check)(void *state, const struct assay_judging *judging);
    const uint64_t *(*counts)(const void *state); /* of events, by kind */
    struct assay_conditions conditions;
};

/* Gathers four cells of events into columns: cells first to first + 3 of their values, or of their
 * bytes; and the next four into `more`, if it is not null. Row i is that of event
 * events[rows[i]]. */
void assay_compiled_cells(const struct assay_event *events, const uint32_t *rows, uint32_t count,
                          unsigned first, uint64_t columns[4][ASSAY_COLUMN],
                          uint64_t more[4][ASSAY_COLUMN]);
void assay_compiled_bytes(const struct assay_event *events, const uint32_t *rows, uint32_t count,
                          unsigned first, uint64_t columns[4][ASSAY_COLUMN],
                          uint64_t more[4][ASSAY_COLUMN]);

/* Sets of values below ASSAY_SET_VALUES. */
enum { ASSAY_SET_VALUES = 256, ASSAY_SET_WORDS = ASSAY_SET_VALUES / 64 };

/* A set from a byte for each value, 1 or 0. */
void assay_compiled_set(const uint8_t seen[ASSAY_SET_VALUES], uint64_t set[ASSAY_SET_WORDS]);

/* Writes the leaves that a row of a kind holds. */
typedef void assay_fill(const void *rows, uint32_t row, const uint64_t *constants,
                        uint64_t *leaves);

/* Counts the violations of a rule, and reports those that are wanted: violated[i] says that row i
 * violates it. */
void assay_compiled_report(const struct assay_judging *judging, uint16_t rule,
                           const uint64_t *violated, uint32_t rows, const uint32_t *events,
                           const void *table, assay_fill *fill, uint64_t *leaves);

/* Vector code for the machine that runs it. Resolvers run before the sanitizers are ready, so
 * there is one version only under them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ASSAY_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ASSAY_MULTIVERSION
#endif

#endif
