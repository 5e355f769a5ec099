/* From a format's layout.def to enumerators; layout.h makes the tables. Their names begin with the
 * format's prefix, which is defined before a list is expanded and undefined afterwards:
 *
 *     #define ASSAY_PREFIX EXAMPLE
 *     enum example_fault { EXAMPLE_FAULT_NONE, EXAMPLE_FAULTS(ASSAY_ENUM_FAULT) };
 *
 * ASSAY_ENUM_ID(name, ...)           EXAMPLE_name: kinds, parameters
 * ASSAY_ENUM_FAULT(name, ...)        EXAMPLE_FAULT_name
 * ASSAY_ENUM_BITS(kind, name, ...)   EXAMPLE_BIT_kind_name, EXAMPLE_WIDTH_kind_name: of a field F
 * ASSAY_ENUM_PACKED, ASSAY_ENUM_DERIVED, ASSAY_ENUM_PLACED   of all fields of a kind, see there
 */
#ifndef ASSAY_COMMON_LAYOUT_ENUM_H
#define ASSAY_COMMON_LAYOUT_ENUM_H

#define ASSAY_PREFIX_PASTE(prefix, name) prefix##name
#define ASSAY_PREFIX_JOIN(prefix, name)  ASSAY_PREFIX_PASTE(prefix, name)
#define ASSAY_PREFIXED(name)             ASSAY_PREFIX_JOIN(ASSAY_PREFIX, name)

/* A derived field that the decoder leaves 0 and a stage above it annotates; it is written as D. */
#define ASSAY_ANNOTATED(D, ...) D(__VA_ARGS__, .flags = ASSAY_OF_FACTS)

#define ASSAY_ENUM_NONE(...)
#define ASSAY_ENUM_ID(name, ...)    ASSAY_PREFIXED(_##name),
#define ASSAY_ENUM_FAULT(name, ...) ASSAY_PREFIXED(_FAULT_##name),
#define ASSAY_ENUM_BITS(kind, name, type, bit, width, ...)                                         \
    ASSAY_PREFIXED(_BIT_##kind##_##name) = (bit), ASSAY_PREFIXED(_WIDTH_##kind##_##name) = (width),

#define ASSAY_ENUM_CELL(kind, name, ...)   ASSAY_PREFIXED(_CELL_##kind##_##name),
#define ASSAY_ENUM_NUMBER(kind, name, ...) ASSAY_PREFIXED(_NUMBER_##kind##_##name),
#define ASSAY_ENUM_FIELD(kind, name, ...)  ASSAY_PREFIXED(_FIELD_##kind##_##name),
#define ASSAY_ENUM_PLACE(kind, name, type, cell, bit, ...)                                         \
    ASSAY_PREFIXED(_CELL_##kind##_##name) = (cell), ASSAY_PREFIXED(_BIT_##kind##_##name) = (bit),
#define ASSAY_ENUM_HAS(kind, name, ...) ASSAY_PREFIXED(_FIELD_##kind##_has_##name),

/* What unpacking notes in the first cells of an event: which packed fields are there, and how many
 * bits that are no padding follow the last one. */
enum { ASSAY_CELL_PRESENCE, ASSAY_CELL_EXCESS };

/* Of a kind with packed fields, whose list takes (F, P, D, H, X):
 *   EXAMPLE_CELL_start_address     the cell of a packed or derived field, in the list's order
 *   EXAMPLE_NUMBER_start_address   the number of a packed field among the packed ones
 *   EXAMPLE_FIELD_start_address    of any field among all, for layouts (ASSAY_BY_FIELD)
 * Its cells must be at most `most`. */
#define ASSAY_ENUM_PACKED(kind, list, most)                                                        \
    enum {                                                                                         \
        ASSAY_PREFIXED(_BEFORE_##kind) = ASSAY_CELL_EXCESS,                                        \
        list(ASSAY_ENUM_NONE, ASSAY_ENUM_CELL, ASSAY_ENUM_CELL, ASSAY_ENUM_NONE, ASSAY_ENUM_NONE)  \
            ASSAY_PREFIXED(_CELLS_##kind)                                                          \
    };                                                                                             \
    enum {                                                                                         \
        list(ASSAY_ENUM_NONE, ASSAY_ENUM_NUMBER, ASSAY_ENUM_NONE, ASSAY_ENUM_NONE,                 \
             ASSAY_ENUM_NONE) ASSAY_PREFIXED(_NUMBERS_##kind)                                      \
    };                                                                                             \
    enum {                                                                                         \
        list(ASSAY_ENUM_FIELD, ASSAY_ENUM_FIELD, ASSAY_ENUM_FIELD, ASSAY_ENUM_HAS,                 \
             ASSAY_ENUM_FIELD) ASSAY_PREFIXED(_FIELDS_##kind##_COUNT)                              \
    };                                                                                             \
    _Static_assert((int)ASSAY_PREFIXED(_CELLS_##kind) <= (int)(most), "the cells of " #kind);

/* Of a kind whose fields are all derived, each with a cell to itself: the list takes (D, C), where
 * C are fields that have their place already. */
#define ASSAY_ENUM_DERIVED(kind, list, most)                                                       \
    enum { list(ASSAY_ENUM_CELL, ASSAY_ENUM_NONE) ASSAY_PREFIXED(_CELLS_##kind) };                 \
    _Static_assert((int)ASSAY_PREFIXED(_CELLS_##kind) <= (int)(most), "the cells of " #kind);

/* Of the fields of a kind that have their place already, in a list as above: EXAMPLE_CELL_run_last,
 * and EXAMPLE_BIT_run_last, the first bit in that cell. */
#define ASSAY_ENUM_PLACED(kind, list)                                                              \
    enum { list(ASSAY_ENUM_NONE, ASSAY_ENUM_PLACE) ASSAY_PREFIXED(_PLACED_##kind) };

#endif
