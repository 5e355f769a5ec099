/* What the reference encoder sends, as text: for tests of which packets records of the hart make
 * due. */
#ifndef ASSAY_GENERATORS_ETRACE_TESTS_UNIT_SUPPORT_H
#define ASSAY_GENERATORS_ETRACE_TESTS_UNIT_SUPPORT_H

#include <inttypes.h>
#include <stdio.h>

#include "etrace/tests/etrace_support.h"
#include "generators/etrace/unit.h"

/* --- packets as text --- */

static char sent[4096];
static size_t length;

static inline void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(sent + length, sizeof sent - length, format, arguments);
    va_end(arguments);
    assert_true(length < sizeof sent);
}

static inline void say_level(uint64_t privilege, uint64_t context)
{
    if (privilege != 3) {
        say(" p%" PRIu64, privilege);
    }
    if (context != 0) {
        say(" c%" PRIu64, context);
    }
}

/* An address, and the flags after it that mean something. */
static inline void say_address(const uint64_t *cells)
{
    say(" @%" PRIx64 "%s%s", cells[0], cells[1] != 0 ? " notify" : "",
        cells[2] != 0 ? " updiscon" : "");
    if (cells[3] != 0) {
        say(" depth%" PRIu64, cells[4]);
    }
}

static inline void say_count(const uint64_t *cells)
{
    say("count %" PRIu64, cells[ETRACE_CELL_branch_count_branch_count]);
    if (cells[ETRACE_CELL_branch_count_branch_fmt] != 0) {
        say("%s", cells[ETRACE_CELL_branch_count_branch_fmt] == 3 ? " fail" : "");
        say_address(&cells[ETRACE_CELL_branch_count_address]);
    }
}

static inline void say_map(const uint64_t *cells)
{
    const uint64_t branches = cells[ETRACE_CELL_diff_delta_branches];
    say("map %" PRIu64 ":%" PRIx64, branches, cells[ETRACE_CELL_diff_delta_branch_map]);
    if (branches > 0) {
        say_address(&cells[ETRACE_CELL_diff_delta_address]);
    }
}

static inline void note(void *context, enum etrace_kind kind, const uint64_t *cells)
{
    (void)context;
    say("%s", length > 0 ? "; " : "");
    switch (kind) {
    case ETRACE_start:
        say("start %" PRIx64 "%s", cells[ETRACE_CELL_start_address],
            cells[ETRACE_CELL_start_branch] == 0 ? " taken" : "");
        say_level(cells[ETRACE_CELL_start_privilege], cells[ETRACE_CELL_start_context]);
        break;
    case ETRACE_exception:
        say("%s %" PRIu64 " %" PRIx64,
            cells[ETRACE_CELL_exception_interrupt] != 0 ? "interrupt" : "exception",
            cells[ETRACE_CELL_exception_ecause], cells[ETRACE_CELL_exception_address]);
        say_level(cells[ETRACE_CELL_exception_privilege], cells[ETRACE_CELL_exception_context]);
        break;
    case ETRACE_context:
        say("context");
        say_level(cells[ETRACE_CELL_context_privilege], cells[ETRACE_CELL_context_context]);
        break;
    case ETRACE_support:
        say("support %s %" PRIu64, cells[ETRACE_CELL_support_enable] != 0 ? "on" : "off",
            cells[ETRACE_CELL_support_qual_status]);
        break;
    case ETRACE_branch_count:
        say_count(cells);
        break;
    case ETRACE_diff_delta:
        say_map(cells);
        break;
    case ETRACE_addr_only:
        say("address");
        say_address(&cells[ETRACE_CELL_addr_only_address]);
        break;
    case ETRACE_jump_target:
        say("index %" PRIu64, cells[ETRACE_CELL_jump_target_index]);
        break;
    default:
        fail_msg("kind %u is no packet of the encoder", (unsigned)kind);
    }
}

/* --- records --- */

static struct assay_parameter_values values;
static struct etrace_unit_setup setup;
static struct etrace_unit *unit;
static struct etrace_ingress now; /* what records have unless they say something else */

static inline void configure(void)
{
    assay_parameters_init(&values, assay_format_etrace.parameters);
    set_parameter(&values, ETRACE_IADDRESS_WIDTH, 32);
    set_parameter(&values, ETRACE_FULL_ADDRESS, 1);
    set_parameter(&values, ETRACE_PRIVILEGE_WIDTH, 2);
    set_parameter(&values, ETRACE_NOCONTEXT, 0);
    set_parameter(&values, ETRACE_CONTEXT_WIDTH, 8);
    setup = (struct etrace_unit_setup){.values = &values, .packet = note};
}

static inline void begin(void)
{
    unit = etrace_unit_open(&setup);
    assert_non_null(unit);
    length = 0;
    sent[0] = '\0';
    now = (struct etrace_ingress){.priv = 3, .size = 4, .retires = true};
}

static inline bool at(uint64_t iaddr, enum etrace_itype itype)
{
    struct etrace_ingress record = now;
    record.iaddr = iaddr;
    record.itype = (uint8_t)itype;
    return etrace_unit_put(unit, &record);
}

static inline bool pass(uint64_t iaddr)
{
    return at(iaddr, ETRACE_ITYPE_NONE);
}

static inline void trap(enum etrace_itype itype, uint64_t cause)
{
    etrace_unit_put(unit, &(struct etrace_ingress){.itype = (uint8_t)itype, .cause = cause});
}

/* The packets since the last time. Those of the last record are not due. */
static inline void sends(const char *text)
{
    assert_string_equal(sent, text);
    length = 0;
    sent[0] = '\0';
}

static inline void end(const char *text)
{
    sends(text);
    etrace_unit_close(unit);
}

static inline void branches(uint64_t from, unsigned count, bool taken)
{
    for (unsigned n = 0; n < count; n++) {
        at(from + 4 * n, taken ? ETRACE_ITYPE_TAKEN : ETRACE_ITYPE_NOT_TAKEN);
    }
}

static inline void change_context(uint64_t context, enum etrace_ctype ctype)
{
    now.context = context;
    now.ctype = (uint8_t)ctype;
}

#endif
