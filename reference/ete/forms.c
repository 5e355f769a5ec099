/* The forms of packets, in the order of Parse_Trace (K10.5.2.2.1), and how their payloads are laid
 * out. Where rows overlap the first one counts.
 *
 * The index of the packets: the section, the headers of their rows in `forms`, what the layer of
 * elements makes of them (elements.c), and their kinds, whose fields are in layout.def:
 *
 *     K10.5.2.2   09                          take_instrumentation   instrumentation
 *     K10.5.2.2   70                          take_nothing           ignore
 *     K10.5.2.2   88                          take_timestamp_marker  timestamp_marker
 *     K10.5.2.3   00                          take_nothing           async padding
 *     K10.5.2.4   00                          take_discard           discard
 *     K10.5.2.5   00                          take_discard           overflow
 *     K10.5.2.6   01                          take_trace_info        trace_info
 *     K10.5.2.7   04                          take_trace_on          trace_on
 *     K10.5.2.8   2d                          take_commit            commit
 *     K10.5.2.8   2e 34 38                    take_misprediction     cancel_1 cancel_2 cancel_3
 *     K10.5.2.9   30                          take_misprediction     mispredict
 *     K10.5.2.10  c0 d5 d6 d8 dc f5 f6 f8     take_atoms             atom_1 to atom_6
 *     K10.5.2.11  a0 a1 a2 a5 a6 aa ab ac af  take_q                 q
 *     K10.5.2.12  b0 b1 b2                    take_source            source_exact
 *     K10.5.2.12  b4 b5                       take_source            source_short
 *     K10.5.2.12  b6 b7 b8 b9                 take_source            source_long
 *     K10.5.2.13  06, then an address         take_exception         exception
 *     K10.5.2.14  80 81                       take_context           context
 *     K10.5.2.14  82 83 85 86                 take_target_context    target_context
 *     K10.5.2.14  90 91 92                    take_target            target_exact
 *     K10.5.2.14  95 96                       take_target            target_short
 *     K10.5.2.14  9a 9b 9d 9e                 take_target            target_long
 *     K10.5.2.15  0a                          take_transaction_start transaction_start
 *     K10.5.2.15  0b                          take_transaction_commit transaction_commit
 *     K10.5.2.16  02 03                       take_timestamp         timestamp
 *     K10.5.2.16  0c 0e 0f 10                 take_cycle_count       cycle_count_1 to _3
 *     K10.5.2.17  70                          take_event             event */
#include "ete/ete.h"

/* --- parts --- */

/* Cells of an address: its bits, the bits that should be 0, the size of a short one. */
enum { BITS, SBZ, SIZE };

static const struct ete_part short_is0[] = {{ETE_CONTINUED, BITS, 2, 15, SIZE, 0},
                                            {.coding = ETE_PARTS_END}};
static const struct ete_part short_is1[] = {{ETE_CONTINUED, BITS, 1, 15, SIZE, 0},
                                            {.coding = ETE_PARTS_END}};
static const struct ete_part long32_is0[] = {
    {ETE_PLAIN, BITS, 2, 7, 0, 0}, {ETE_PLAIN, SBZ, 0, 1, 0, 0},    {ETE_PLAIN, BITS, 9, 7, 0, 0},
    {ETE_PLAIN, SBZ, 1, 1, 0, 0},  {ETE_PLAIN, BITS, 16, 16, 0, 0}, {.coding = ETE_PARTS_END}};
static const struct ete_part long32_is1[] = {{ETE_PLAIN, BITS, 1, 7, 0, 0},
                                             {ETE_PLAIN, SBZ, 0, 1, 0, 0},
                                             {ETE_PLAIN, BITS, 8, 24, 0, 0},
                                             {.coding = ETE_PARTS_END}};
static const struct ete_part long64_is0[] = {
    {ETE_PLAIN, BITS, 2, 7, 0, 0}, {ETE_PLAIN, SBZ, 0, 1, 0, 0},    {ETE_PLAIN, BITS, 9, 7, 0, 0},
    {ETE_PLAIN, SBZ, 1, 1, 0, 0},  {ETE_PLAIN, BITS, 16, 48, 0, 0}, {.coding = ETE_PARTS_END}};
static const struct ete_part long64_is1[] = {{ETE_PLAIN, BITS, 1, 7, 0, 0},
                                             {ETE_PLAIN, SBZ, 0, 1, 0, 0},
                                             {ETE_PLAIN, BITS, 8, 56, 0, 0},
                                             {.coding = ETE_PARTS_END}};

/* K10.5.2.14.9, with bit 3 as FEAT_RME has it. */
enum { EL, CONTEXT_SBZ, NSE, SF, NS, V, C, VMID, CONTEXT_ID };

static const struct ete_part context[] = {{ETE_PLAIN, EL, 0, 2, 0, 0},
                                          {ETE_PLAIN, CONTEXT_SBZ, 0, 1, 0, 0},
                                          {ETE_PLAIN, NSE, 0, 1, 0, 0},
                                          {ETE_PLAIN, SF, 0, 1, 0, 0},
                                          {ETE_PLAIN, NS, 0, 1, 0, 0},
                                          {ETE_PLAIN, V, 0, 1, 0, 0},
                                          {ETE_PLAIN, C, 0, 1, 0, 0},
                                          {ETE_VMID, VMID, 0, 32, 0, V + 1},
                                          {ETE_PLAIN, CONTEXT_ID, 0, 32, 0, C + 1},
                                          {.coding = ETE_PARTS_END}};

/* K10.5.2.6.1: PLCTL, the byte after the header, says which sections there are. */
enum { CC_ENABLED, INFO_LOW, IN_TRANSACTION, INFO_7, SPEC, SPEC_SIZE, CYCT, CYCT_SIZE };
enum {
    PLCTL_INFO = ETE_WHEN_BIT | 8,
    PLCTL_SPEC = ETE_WHEN_BIT | 10,
    PLCTL_CYCT = ETE_WHEN_BIT | 11
};

static const struct ete_part trace_info[] = {{ETE_PLAIN, CC_ENABLED, 0, 1, 0, PLCTL_INFO},
                                             {ETE_PLAIN, INFO_LOW, 0, 5, 0, PLCTL_INFO},
                                             {ETE_PLAIN, IN_TRANSACTION, 0, 1, 0, PLCTL_INFO},
                                             {ETE_PLAIN, INFO_7, 0, 1, 0, PLCTL_INFO},
                                             {ETE_CONTINUED, SPEC, 0, 96, SPEC_SIZE, PLCTL_SPEC},
                                             {ETE_CONTINUED, CYCT, 0, 96, CYCT_SIZE, PLCTL_CYCT},
                                             {.coding = ETE_PARTS_END}};

/* A count with its size after it. */
static const struct ete_part count_32[] = {{ETE_CONTINUED, 0, 0, 32, 1, 0},
                                           {.coding = ETE_PARTS_END}};
static const struct ete_part count_20[] = {{ETE_CONTINUED, 0, 0, 20, 1, 0},
                                           {.coding = ETE_PARTS_END}};
static const struct ete_part timestamp[] = {{ETE_CONTINUED, 0, 0, 64, 1, 0},
                                            {.coding = ETE_PARTS_END}};

/* --- forms --- */

#define ADDRESS(parts_of, kind)                                                                    \
    {                                                                                              \
        parts_of, ETE_CELL_##kind##_encoded                                                        \
    }
#define COUNT(parts_of, kind, field)                                                               \
    {                                                                                              \
        parts_of, ETE_CELL_##kind##_##field                                                        \
    }
#define PLAIN(bits, code, kind)                                                                    \
    {                                                                                              \
        bits, code, ETE_##kind, false, 0, false,                                                   \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define EXACT(code, kind, entry)                                                                   \
    {                                                                                              \
        0xff, code, ETE_##kind, false, 1 + (entry), true,                                          \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define TARGET(code, kind, parts, thumb)                                                           \
    {                                                                                              \
        0xff, code, ETE_##kind, thumb, 0, true,                                                    \
        {                                                                                          \
            ADDRESS(parts, kind)                                                                   \
        }                                                                                          \
    }
/* The same, and a second group: TARGET_AND(header, kind, parts, whether IS1, group). */
#define TARGET_AND(code, kind, parts, thumb, ...)                                                  \
    {                                                                                              \
        0xff, code, ETE_##kind, thumb, 0, true,                                                    \
        {                                                                                          \
            ADDRESS(parts, kind), __VA_ARGS__                                                      \
        }                                                                                          \
    }
#define CONTEXT(kind)                                                                              \
    {                                                                                              \
        context, ETE_CELL_##kind##_el                                                              \
    }

static const struct ete_form forms[] = {
    PLAIN(0xff, 0x00, async), /* or Discard or Overflow, by the next byte */
    {0xff, 0x01, ETE_trace_info, false, 0, false, {{trace_info, ETE_CELL_trace_info_cc_enabled}}},
    {0xff, 0x02, ETE_timestamp, false, 0, false, {COUNT(timestamp, timestamp, low)}},
    {0xff,
     0x03,
     ETE_timestamp,
     false,
     0,
     false,
     {COUNT(timestamp, timestamp, low), COUNT(count_20, timestamp, count)}},
    PLAIN(0xff, 0x04, trace_on),
    PLAIN(0xff, 0x06, exception),
    PLAIN(0xff, 0x09, instrumentation),
    PLAIN(0xff, 0x0a, transaction_start),
    PLAIN(0xff, 0x0b, transaction_commit),
    PLAIN(0xfe, 0x0c, cycle_count_2),
    PLAIN(0xfe, 0x0e, cycle_count_1), /* ete_cycle_count_form */
    PLAIN(0xf0, 0x10, cycle_count_3),
    {0xff, 0x2d, ETE_commit, false, 0, false, {COUNT(count_32, commit, count)}},
    {0xfe, 0x2e, ETE_cancel_1, false, 0, false, {COUNT(count_32, cancel_1, count)}},
    PLAIN(0xfc, 0x30, mispredict),
    PLAIN(0xfc, 0x34, cancel_2),
    PLAIN(0xf8, 0x38, cancel_3),
    PLAIN(0xff, 0x70, ignore),
    PLAIN(0xf0, 0x70, event),
    PLAIN(0xff, 0x80, context),
    {0xff, 0x81, ETE_context, false, 0, false, {CONTEXT(context)}},
    TARGET_AND(0x82, target_context, long32_is0, false, CONTEXT(target_context)),
    TARGET_AND(0x83, target_context, long32_is1, true, CONTEXT(target_context)),
    TARGET_AND(0x85, target_context, long64_is0, false, CONTEXT(target_context)),
    TARGET_AND(0x86, target_context, long64_is1, true, CONTEXT(target_context)),
    PLAIN(0xff, 0x88, timestamp_marker),
    EXACT(0x90, target_exact, 0),
    EXACT(0x91, target_exact, 1),
    EXACT(0x92, target_exact, 2),
    TARGET(0x95, target_short, short_is0, false),
    TARGET(0x96, target_short, short_is1, true),
    TARGET(0x9a, target_long, long32_is0, false),
    TARGET(0x9b, target_long, long32_is1, true),
    TARGET(0x9d, target_long, long64_is0, false),
    TARGET(0x9e, target_long, long64_is1, true),
    {0xff, 0xa0, ETE_q, false, 1, true, {COUNT(count_32, q, count)}},
    {0xff, 0xa1, ETE_q, false, 2, true, {COUNT(count_32, q, count)}},
    {0xff, 0xa2, ETE_q, false, 3, true, {COUNT(count_32, q, count)}},
    TARGET_AND(0xa5, q, short_is0, false, COUNT(count_32, q, count)),
    TARGET_AND(0xa6, q, short_is1, true, COUNT(count_32, q, count)),
    TARGET_AND(0xaa, q, long32_is0, false, COUNT(count_32, q, count)),
    TARGET_AND(0xab, q, long32_is1, true, COUNT(count_32, q, count)),
    {0xff, 0xac, ETE_q, false, 0, false, {COUNT(count_32, q, count)}},
    PLAIN(0xff, 0xaf, q),
    EXACT(0xb0, source_exact, 0),
    EXACT(0xb1, source_exact, 1),
    EXACT(0xb2, source_exact, 2),
    TARGET(0xb4, source_short, short_is0, false),
    TARGET(0xb5, source_short, short_is1, true),
    TARGET(0xb6, source_long, long32_is0, false),
    TARGET(0xb7, source_long, long32_is1, true),
    TARGET(0xb8, source_long, long64_is0, false),
    TARGET(0xb9, source_long, long64_is1, true),
    PLAIN(0xfe, 0xf6, atom_1),
    PLAIN(0xfc, 0xd8, atom_2),
    PLAIN(0xf8, 0xf8, atom_3),
    PLAIN(0xfc, 0xdc, atom_4),
    PLAIN(0xff, 0xf5, atom_5_1),
    PLAIN(0xff, 0xd5, atom_5_2),
    PLAIN(0xfe, 0xd6, atom_5_2),
    PLAIN(0xc0, 0xc0, atom_6),
    PLAIN(0x00, 0x00, malformed),
};

const struct ete_form *ete_form_of(uint8_t header)
{
    const struct ete_form *form = forms;
    while ((header & form->mask) != form->header) {
        form++; /* the last row takes all */
    }
    return form;
}

/* K10.5.2.13.1. The bits of these rows are in the cells of an Exception packet. 0x70: the address
 * is unknown, and enters the history as 0. */
static const struct ete_form address_forms[] = {
    EXACT(0x90, exception, 0),
    EXACT(0x91, exception, 1),
    EXACT(0x92, exception, 2),
    TARGET(0x95, exception, short_is0, false),
    TARGET(0x96, exception, short_is1, true),
    TARGET(0x9a, exception, long32_is0, false),
    TARGET(0x9b, exception, long32_is1, true),
    TARGET(0x9d, exception, long64_is0, false),
    TARGET(0x9e, exception, long64_is1, true),
    TARGET_AND(0x82, exception, long32_is0, false, CONTEXT(exception)),
    TARGET_AND(0x83, exception, long32_is1, true, CONTEXT(exception)),
    TARGET_AND(0x85, exception, long64_is0, false, CONTEXT(exception)),
    TARGET_AND(0x86, exception, long64_is1, true, CONTEXT(exception)),
    {0xff, 0x70, ETE_exception, false, 0, true, {{0}}},
    PLAIN(0x00, 0x00, malformed),
};

const struct ete_form *ete_address_form_of(uint8_t header)
{
    const struct ete_form *form = address_forms;
    while ((header & form->mask) != form->header) {
        form++;
    }
    return form;
}

/* With COMMOPT 0 a commit count comes first; with U the cycle count is UNKNOWN and not there. */
static const struct ete_form cycle_count_forms[2][2] = {
    {{0xff,
      0x0e,
      ETE_cycle_count_1,
      false,
      0,
      false,
      {COUNT(count_32, cycle_count_1, commit), COUNT(count_20, cycle_count_1, count)}},
     {0xff, 0x0f, ETE_cycle_count_1, false, 0, false, {COUNT(count_32, cycle_count_1, commit)}}},
    {{0xff, 0x0e, ETE_cycle_count_1, false, 0, false, {COUNT(count_20, cycle_count_1, count)}},
     PLAIN(0xff, 0x0f, cycle_count_1)}};

const struct ete_form *ete_cycle_count_form(uint8_t header, bool commit_mode)
{
    return &cycle_count_forms[commit_mode][header & 1];
}
