/* From a format's layout.def to the tables of model.h: how its lines become fields, names of values
 * and faults. A format's layout.c passes these macros to the lists of its layout.def.
 *
 * ASSAY_F(kind, name, type, first bit, width, meaning, ...)
 *     a field at a constant bit of the event's bytes
 * ASSAY_T(kind, name, first bit, meaning, ...)
 *     the bytes from that bit to the event's end
 * ASSAY_D(kind, name, type, cell, first bit in the cell, width, meaning, ...)
 *     a derived value in the event's cells
 * ASSAY_P(kind, name, type, cell, width, meaning, ...)
 *     a packed field (packed.h) in the event's bytes, after those before it; its value has a cell
 *     of the event to itself; width: of the value in that cell, the most bits that the field can
 *     have
 *
 * ASSAY_HAS(kind, name, cell, n, meaning)
 *     whether the packed field `name`, the n-th one of the kind from 0, is present: the flag
 *     `has_name`, a bit of the cell in which unpacking notes it (struct assay_kind, presence)
 *
 * ASSAY_OWN_P, ASSAY_OWN_D, ASSAY_OWN_HAS
 *     the same without cell and number, which are the enumerators of layout_enum.h
 * ASSAY_EXCESS(kind, name, type, width, meaning)
 *     the derived value in ASSAY_CELL_EXCESS
 *
 * What further is to be said of a field follows by name, as members of struct assay_field:
 * `.flags = ASSAY_CONSTANT, .value = 5`, `.names = &enumeration`, `.unit = "bytes"`,
 * `.packed = &layout`, `.track = ASSAY_TRACK_STATE`.
 */
#ifndef ASSAY_COMMON_LAYOUT_H
#define ASSAY_COMMON_LAYOUT_H

#include "model/layout_enum.h"
#include "model/model.h"

/* Bits of every event before its `bytes` (struct assay_format, lead_bits); a format that has a lead
 * defines this before it includes the header. */
#ifndef ASSAY_LAYOUT_LEAD
#define ASSAY_LAYOUT_LEAD 0
#endif

#define ASSAY_COUNT(list) (sizeof(list) / sizeof(list)[0])

/* The enumeration `id` of the enumerators in `id_list`. */
#define ASSAY_ENUMERATION(id, text)                                                                \
    static const struct assay_enumeration id = {text, id##_list, ASSAY_COUNT(id##_list)}

#define ASSAY_F(kind, fname, ftype, fbit, fwidth, ...)                                             \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_AT_BIT,                                                                        \
     .bit = fbit,                                                                                  \
     .width = fwidth,                                                                              \
     .doc = __VA_ARGS__},
#define ASSAY_T(kind, fname, fbit, ...)                                                            \
    {.name = #fname,                                                                               \
     .type = ASSAY_BYTES,                                                                          \
     .place = ASSAY_TAIL,                                                                          \
     .bit = fbit,                                                                                  \
     .value = ASSAY_LAYOUT_LEAD,                                                                   \
     .doc = __VA_ARGS__},
#define ASSAY_D(kind, fname, ftype, fcell, fbit, fwidth, ...)                                      \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_DERIVED,                                                                       \
     .bit = (fcell)*64 + (fbit),                                                                   \
     .width = fwidth,                                                                              \
     .doc = __VA_ARGS__},
#define ASSAY_P(kind, fname, ftype, fcell, fwidth, ...)                                            \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_PACKED,                                                                        \
     .bit = (fcell)*64,                                                                            \
     .width = fwidth,                                                                              \
     .doc = __VA_ARGS__},

#define ASSAY_HAS(kind, fname, fcell, number, ...)                                                 \
    {.name = "has_" #fname,                                                                        \
     .type = ASSAY_FLAG,                                                                           \
     .place = ASSAY_DERIVED,                                                                       \
     .bit = (fcell)*64 + (number),                                                                 \
     .width = 1,                                                                                   \
     .doc = __VA_ARGS__},

#define ASSAY_OWN_P(kind, fname, type, width, ...)                                                 \
    ASSAY_P(kind, fname, type, ASSAY_PREFIXED(_CELL_##kind##_##fname), width, __VA_ARGS__)
#define ASSAY_OWN_D(kind, fname, type, width, ...)                                                 \
    ASSAY_D(kind, fname, type, ASSAY_PREFIXED(_CELL_##kind##_##fname), 0, width, __VA_ARGS__)
#define ASSAY_OWN_HAS(kind, fname, ...)                                                            \
    ASSAY_HAS(kind, fname, ASSAY_CELL_PRESENCE, ASSAY_PREFIXED(_NUMBER_##kind##_##fname),          \
              __VA_ARGS__)
#define ASSAY_EXCESS(kind, fname, type, width, ...)                                                \
    ASSAY_D(kind, fname, type, ASSAY_CELL_EXCESS, 0, width, __VA_ARGS__)

/* A property of a classified instruction (isa/), `low` bits above bit `first` of the cells: a flag,
 * a number, or one of the names where `named`. */
#define ASSAY_INFO_FIELD(fname, first, low, fwidth, named, fnames, text)                           \
    {.name = fname,                                                                                \
     .type = (fwidth) == 1 ? ASSAY_FLAG                                                            \
             : (named)     ? ASSAY_ENUM                                                            \
                           : ASSAY_UINT,                                                               \
     .place = ASSAY_DERIVED,                                                                       \
     .bit = (first) + (low),                                                                       \
     .width = fwidth,                                                                              \
     .names = fnames,                                                                              \
     .doc = text},

/* ASSAY_KIND(id, title, bits, clause, ...): the kind whose fields are in `id_fields`; what follows
 * the clause are further members of struct assay_kind. */
#define ASSAY_KIND(id, text, size, ...)                                                            \
    {                                                                                              \
        .name = #id, .title = text, .bits = size, .fields = id##_fields,                           \
        .field_count = ASSAY_COUNT(id##_fields), .clause = __VA_ARGS__                             \
    }
/* A kind without fields. */
#define ASSAY_BARE_KIND(id, text, size, ...)                                                       \
    {                                                                                              \
        .name = #id, .title = text, .bits = size, .clause = __VA_ARGS__                            \
    }

/* X(enumerator, name, title, unit, least, most, has default, default, meaning, ...): a parameter;
 * what follows the meaning are further members of struct assay_parameter: `.hex = true`. */
#define ASSAY_PARAMETER(id, pname, heading, measure, low, high, given, number, ...)                \
    {.name = pname,                                                                                \
     .title = heading,                                                                             \
     .unit = measure,                                                                              \
     .least = low,                                                                                 \
     .most = high,                                                                                 \
     .has_default = given,                                                                         \
     .value = number,                                                                              \
     .doc = __VA_ARGS__},

/* X(enumerator, name, meaning): what a malformed event can say. */
#define ASSAY_FAULT(id, name, text) {name, text},

#endif
