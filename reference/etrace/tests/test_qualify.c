/* Which blocks control registers choose: each input, function and mode of comparators, each
 * condition of filters, triggers, and what stays unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "etrace/interface/data_signals.h"
#include "etrace/interface/qualify.h"
#include "etrace/interface/signals.h"

extern const struct assay_format assay_format_etrace;

enum { AT = 0x1000 };

static struct assay_parameter_values values;
static struct etrace_qualifier q;

static void configure(const char *lines)
{
    struct assay_diag diag;
    assay_parameters_init(&values, assay_format_etrace.parameters);
    assert_int_equal(assay_parameters_lines(&values, "test", lines, strlen(lines), &diag),
                     ASSAY_OK);
    etrace_qualifier_open(&q, &values);
}

#define FRESH   "after_reset=1\niEnable=1\n"
#define FILTER  FRESH "iFilters=1\nfilter0.filterEnable=1\n"
#define COMPARE FILTER "filter0.matchComp1=1\ncomparator0.pInput=iaddr\ncomparator0.sInput=iaddr\n"

static struct etrace_filtered at(uint64_t address)
{
    return (struct etrace_filtered){
        .address = {address}, .addresses = 1, .exact = true, .retires = true, .typed = true};
}

static enum etrace_truth put(const struct etrace_filtered *block)
{
    return etrace_qualify(&q, block).qualifies;
}

static enum etrace_truth put_at(uint64_t address)
{
    const struct etrace_filtered block = at(address);
    return put(&block);
}

static enum etrace_truth put_typed(uint64_t address, enum etrace_itype itype, uint64_t cause)
{
    struct etrace_filtered block = at(address);
    block.itype = itype;
    block.cause = cause;
    if (itype == ETRACE_ITYPE_EXCEPTION || itype == ETRACE_ITYPE_INTERRUPT) {
        block.retires = false;
        block.addresses = 0;
    }
    return put(&block);
}

/* --- comparators --- */

struct function_case {
    const char *name;
    enum etrace_truth below, same, above;
};

/* ETR-FLT-059 */
static void a_function_compares_as_its_code_says(void **state)
{
    static const struct function_case cases[] = {
        {"equal", ETRACE_NO, ETRACE_YES, ETRACE_NO},
        {"unequal", ETRACE_YES, ETRACE_NO, ETRACE_YES},
        {"less", ETRACE_YES, ETRACE_NO, ETRACE_NO},
        {"at_most", ETRACE_YES, ETRACE_YES, ETRACE_NO},
        {"greater", ETRACE_NO, ETRACE_NO, ETRACE_YES},
        {"at_least", ETRACE_NO, ETRACE_YES, ETRACE_YES},
        {"reserved", ETRACE_YES, ETRACE_YES, ETRACE_YES},
        {"always", ETRACE_YES, ETRACE_YES, ETRACE_YES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[512];
        snprintf(lines, sizeof lines,
                 COMPARE "comparator0.pFunction=%s\ncomparator0.pMatch=0x1000\n"
                         "comparator0.sFunction=always\ncomparator0.matchMode=primary\n",
                 cases[i].name);
        configure(lines);
        assert_int_equal(put_at(AT - 2), cases[i].below);
        assert_int_equal(put_at(AT), cases[i].same);
        assert_int_equal(put_at(AT + 2), cases[i].above);
    }
}

#define OF_2_0 "wire=2.0\n"

/* TCI-FLT: function 6 never matches, and in mode 3 what it holds is held from the beginning on. */
static void function_6_never_matches_in_2_0(void **state)
{
    (void)state;
    static const char lines[] =
        OF_2_0 COMPARE "filter0.matchComp2=0\nfilter0.matchComp3=0\nfilter0.matchPrivilege=0\n"
                       "filter0.matchEcause=0\nfilter0.matchInterrupt=0\nfilter0.matchImpdef=0\n"
                       "filter0.comp1=0\ncomparator0.pFunction=reserved\n"
                       "comparator0.sFunction=equal\ncomparator0.sMatch=0x1008\n";
    char both[sizeof lines + 64];
    snprintf(both, sizeof both, "%scomparator0.matchMode=primary\n", lines);
    configure(both);
    assert_int_equal(put_at(AT), ETRACE_NO);
    snprintf(both, sizeof both, "%scomparator0.matchMode=hold\n", lines);
    configure(both);
    assert_int_equal(put_at(AT), ETRACE_YES);
    assert_int_equal(put_at(AT + 8), ETRACE_YES);
    assert_int_equal(put_at(AT), ETRACE_NO);
    values.value[ETRACE_AFTER_RESET] = 0;
    etrace_qualifier_open(&q, &values);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

static void registers_of_2_0_have_no_reset_value(void **state)
{
    (void)state;
    static const char lines[] = COMPARE "comparator0.pFunction=always\ncomparator0.pMatch=0\n"
                                        "comparator0.sFunction=always\n"
                                        "comparator0.matchMode=primary\n";
    char later[sizeof lines + sizeof OF_2_0];
    configure(lines);
    assert_int_equal(put_at(AT), ETRACE_YES);
    snprintf(later, sizeof later, "%s%s", OF_2_0, lines);
    configure(later);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN); /* filter0.matchComp2 and others are not given */
}

#define TWO                                                                                        \
    COMPARE "comparator0.pFunction=at_least\ncomparator0.pMatch=0x1000\n"                          \
            "comparator0.sFunction=less\ncomparator0.sMatch=0x1008\n"

/* ETR-FLT-062 */
static void a_mode_combines_both_functions(void **state)
{
    (void)state;
    configure(TWO "comparator0.matchMode=both\n");
    assert_int_equal(put_at(AT - 2), ETRACE_NO);
    assert_int_equal(put_at(AT + 6), ETRACE_YES);
    assert_int_equal(put_at(AT + 8), ETRACE_NO);
    configure(TWO "comparator0.matchMode=not_both\n");
    assert_int_equal(put_at(AT - 2), ETRACE_YES);
    assert_int_equal(put_at(AT), ETRACE_NO);
    configure(TWO);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

#define HOLD                                                                                       \
    COMPARE "comparator0.pFunction=equal\ncomparator0.pMatch=0x1000\n"                             \
            "comparator0.sFunction=equal\ncomparator0.sMatch=0x1008\ncomparator0.matchMode=hold\n"

/* ETR-FLT-063 */
static void a_match_is_held_until_after_the_secondary_one(void **state)
{
    (void)state;
    configure(HOLD);
    assert_int_equal(put_at(AT + 8), ETRACE_NO);
    assert_int_equal(put_at(AT), ETRACE_YES);
    assert_int_equal(put_at(0x2000), ETRACE_YES);
    assert_int_equal(put_at(AT + 8), ETRACE_YES);
    assert_int_equal(put_at(0x2000), ETRACE_NO);
}

static void what_was_held_before_the_record_is_not_known(void **state)
{
    (void)state;
    configure(HOLD "filter0.matchComp2=0\nfilter0.matchComp3=0\nfilter0.comp1=0\n"
                   "filter0.matchPrivilege=0\nfilter0.matchEcause=0\nfilter0.matchInterrupt=0\n"
                   "filter0.matchImpdef=0\n");
    values.value[ETRACE_AFTER_RESET] = 0;
    etrace_qualifier_open(&q, &values);
    assert_int_equal(put_at(0x2000), ETRACE_UNKNOWN);
    assert_int_equal(put_at(AT), ETRACE_YES);
    assert_int_equal(put_at(AT + 8), ETRACE_YES);
    assert_int_equal(put_at(0x2000), ETRACE_NO);
}

/* ETR-FLT-068 */
static void a_block_matches_if_one_of_its_instructions_does(void **state)
{
    (void)state;
    configure(COMPARE "comparator0.pFunction=equal\ncomparator0.pMatch=0x1004\n"
                      "comparator0.sFunction=always\ncomparator0.matchMode=primary\n");
    struct etrace_filtered block = at(AT);
    block.address[1] = AT + 4;
    block.address[2] = AT + 8;
    block.addresses = 3;
    assert_int_equal(put(&block), ETRACE_YES);
    block.exact = false;
    assert_int_equal(put(&block), ETRACE_UNKNOWN);
    block.address[1] = AT + 2;
    assert_int_equal(put(&block), ETRACE_NO);
    block.addresses = 0;
    assert_int_equal(put(&block), ETRACE_UNKNOWN);
}

static void an_input_that_is_not_given_leaves_it_open(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchComp1=1\ncomparator0.pInput=context\n"
                     "comparator0.pFunction=equal\ncomparator0.pMatch=5\n"
                     "comparator0.sFunction=always\ncomparator0.matchMode=primary\n");
    struct etrace_filtered block = at(AT);
    block.context = 5;
    assert_int_equal(put(&block), ETRACE_UNKNOWN);
    block.has_context = true;
    assert_int_equal(put(&block), ETRACE_YES);
    block.context = 4;
    assert_int_equal(put(&block), ETRACE_NO);
    values.value[ETRACE_COMPARATOR0_PINPUT] = 3; /* daddr */
    assert_int_equal(put(&block), ETRACE_UNKNOWN);
}

/* --- filters --- */

/* ETR-FLT-026 ETR-FLT-042 */
static void a_level_is_chosen_by_its_bit(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchPrivilege=1\nfilter0.matchChoicePrivilege=0x2\n");
    struct etrace_filtered block = at(AT);
    assert_int_equal(put(&block), ETRACE_NO);
    block.priv = 1;
    assert_int_equal(put(&block), ETRACE_YES);
    block.priv = 65;
    assert_int_equal(put(&block), ETRACE_NO);
}

/* ETR-FLT-045 */
static void impdef_is_compared_by_the_mask(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchImpdef=1\nimpdef_width_p=8\nfilter0.matchMaskImpdef=0xf0\n"
                     "filter0.matchValueImpdef=0x1a\n");
    struct etrace_filtered block = at(AT);
    block.impdef = 0x15;
    assert_int_equal(put(&block), ETRACE_UNKNOWN);
    block.has_impdef = true;
    assert_int_equal(put(&block), ETRACE_YES);
    block.impdef = 0x25;
    assert_int_equal(put(&block), ETRACE_NO);
}

/* ETR-FLT-027 ETR-FLT-028 ETR-FLT-044 */
static void an_exception_is_matched_up_to_its_return(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchEcause=1\nfilter0.matchChoiceEcause=0x100\n");
    (void)put_typed(AT, ETRACE_ITYPE_EXCEPTION, 2);
    assert_int_equal(put_at(AT), ETRACE_NO);
    assert_int_equal(put_typed(AT, ETRACE_ITYPE_XRET, 0), ETRACE_NO);
    assert_int_equal(put_typed(AT, ETRACE_ITYPE_EXCEPTION, 8), ETRACE_UNKNOWN);
    assert_int_equal(put_at(AT), ETRACE_YES);
    (void)put_typed(AT, ETRACE_ITYPE_INTERRUPT, 7);
    assert_int_equal(put_typed(AT, ETRACE_ITYPE_XRET, 0), ETRACE_YES);
    assert_int_equal(put_at(AT), ETRACE_YES);
    assert_int_equal(put_typed(AT, ETRACE_ITYPE_XRET, 0), ETRACE_UNKNOWN);
    assert_int_equal(put_at(AT), ETRACE_NO);
    (void)put_typed(AT, ETRACE_ITYPE_INTERRUPT, 8);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

/* ETR-PAR-012 */
static void more_nested_handlers_than_are_supported_leave_it_open(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchEcause=1\nfilter0.matchChoiceEcause=0x100\n");
    for (unsigned n = 0; n < 2; n++) {
        (void)put_typed(AT, ETRACE_ITYPE_EXCEPTION, 8);
        assert_int_equal(put_at(AT), ETRACE_YES);
    }
    (void)put_typed(AT, ETRACE_ITYPE_EXCEPTION, 8);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

/* ETR-FLT-029 ETR-FLT-043 */
static void interrupts_are_told_from_exceptions(void **state)
{
    (void)state;
    configure(FILTER "filter0.matchInterrupt=1\nfilter0.matchValueInterrupt=1\n");
    (void)put_typed(AT, ETRACE_ITYPE_EXCEPTION, 2);
    assert_int_equal(put_at(AT), ETRACE_NO);
    (void)put_typed(AT, ETRACE_ITYPE_INTERRUPT, 2);
    assert_int_equal(put_at(AT), ETRACE_YES);
    etrace_qualifier_halt(&q);
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

/* ETR-FLT-002 ETR-FLT-021 */
static void one_filter_that_is_selected_and_enabled_is_enough(void **state)
{
    (void)state;
    configure(FRESH "iFilters=2\nfilter0.filterEnable=1\n");
    assert_int_equal(put_at(AT), ETRACE_NO);
    configure(FRESH "iFilters=3\nfilter0.filterEnable=1\n");
    assert_int_equal(put_at(AT), ETRACE_YES);
    configure("iEnable=1\niFilters=1\nfilter0.filterEnable=1\n");
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
    configure("iEnable=1\n");
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

/* --- triggers --- */

static enum etrace_truth put_trigger(uint64_t trigger)
{
    struct etrace_filtered block = at(AT);
    block.has_trigger = true;
    block.trigger = trigger;
    return put(&block);
}

/* ETR-CTL-017 ETR-CTL-018 ETR-CTL-019 */
static void a_trigger_switches_tracing_where_that_is_enabled(void **state)
{
    (void)state;
    configure(FRESH "iTrigEnable=1\n");
    assert_int_equal(put_trigger(1), ETRACE_YES);
    assert_int_equal(put_trigger(2), ETRACE_UNKNOWN);
    assert_int_equal(put_trigger(4), ETRACE_NO);
    assert_int_equal(put_trigger(1), ETRACE_UNKNOWN);
    assert_int_equal(put_trigger(0), ETRACE_YES);
    assert_int_equal(put_trigger(3), ETRACE_UNKNOWN);
    assert_int_equal(put_trigger(0), ETRACE_UNKNOWN);
    configure(FRESH "iTrigEnable=1\n");
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN); /* without the signal */
    configure(FRESH "iTrigEnable=0\n");
    assert_int_equal(put_trigger(2), ETRACE_YES);
    configure(FRESH);
    assert_int_equal(put_trigger(0), ETRACE_YES);
    assert_int_equal(put_trigger(1), ETRACE_YES);
    assert_int_equal(put_trigger(2), ETRACE_UNKNOWN);
    configure(FRESH "Active=0\n");
    assert_int_equal(put_trigger(0), ETRACE_NO);
}

/* --- notification --- */

static enum etrace_truth watched_at(uint64_t address)
{
    const struct etrace_filtered block = at(address);
    return etrace_qualify(&q, &block).watched;
}

/* ETR-FLT-064 ETR-FLT-066 */
static void a_comparator_notifies_its_matches(void **state)
{
    (void)state;
    configure(TWO "comparator0.pNotify=1\n");
    assert_int_equal(watched_at(AT - 2), ETRACE_NO);
    assert_int_equal(watched_at(AT), ETRACE_YES);
    configure(TWO "comparator0.sNotify=1\n");
    assert_int_equal(watched_at(AT), ETRACE_YES);
    assert_int_equal(watched_at(AT + 8), ETRACE_NO);
    values.known[ETRACE_COMPARATOR0_SINPUT] = false;
    assert_int_equal(watched_at(AT + 8), ETRACE_UNKNOWN);
    configure("iEnable=1\n");
    assert_int_equal(watched_at(AT), ETRACE_UNKNOWN);
    assert_false(etrace_qualifier_compares(&q));
    configure("comparators_p=0\n");
    assert_int_equal(watched_at(AT), ETRACE_NO);
}

/* --- data accesses --- */

#define DATA "dFilters=2\nfilters_p=2\nfilter1.filterEnable=1\n"

static enum etrace_truth choose(const char *lines, const struct etrace_filtered *access)
{
    configure(lines);
    return etrace_qualify_access(&values, access);
}

static struct etrace_filtered data_at(uint64_t address)
{
    struct etrace_filtered access = at(AT);
    access.has_dtype = access.has_dsize = access.has_daddr = true;
    access.dtype = ETRACE_DTYPE_STORE;
    access.dsize = 2;
    access.daddr = address;
    access.priv = 1;
    return access;
}

/* ETR-FLT-005 ETR-FLT-006 */
static void filters_that_dfilters_has_choose_data_accesses(void **state)
{
    const struct etrace_filtered access = data_at(AT);
    (void)state;
    assert_int_equal(choose(FRESH DATA, &access), ETRACE_YES);
    assert_int_equal(choose(FRESH "dFilters=0\niFilters=1\n", &access), ETRACE_YES);
    assert_int_equal(choose(FRESH "dFilters=1\nfilter0.filterEnable=0\n", &access), ETRACE_NO);
    assert_int_equal(choose(FRESH, &access), ETRACE_YES);
    assert_int_equal(choose("iFilters=0\n", &access), ETRACE_UNKNOWN);
    assert_int_equal(choose(DATA, &access), ETRACE_UNKNOWN);
}

/* ETR-FLT-032 ETR-FLT-033 ETR-FLT-046 ETR-FLT-047 */
static void a_type_and_a_size_are_chosen_by_their_bits(void **state)
{
    struct etrace_filtered access = data_at(AT);
    (void)state;
#define TYPE FRESH DATA "filter1.matchDtype=1\n"
#define SIZE FRESH DATA "filter1.matchDsize=1\n"
    assert_int_equal(choose(TYPE "filter1.matchChoiceDtype=2\n", &access), ETRACE_YES);
    assert_int_equal(choose(TYPE "filter1.matchChoiceDtype=0xfffd\n", &access), ETRACE_NO);
    assert_int_equal(choose(TYPE, &access), ETRACE_UNKNOWN);
    assert_int_equal(choose(SIZE "filter1.matchChoiceDsize=4\n", &access), ETRACE_YES);
    assert_int_equal(choose(SIZE "filter1.matchChoiceDsize=0xfb\n", &access), ETRACE_NO);
    assert_int_equal(choose(SIZE, &access), ETRACE_UNKNOWN);
    access.dtype = 15;
    assert_int_equal(choose(TYPE "filter1.matchChoiceDtype=0x8000\n", &access), ETRACE_YES);
    access.dtype = 16;
    assert_int_equal(choose(TYPE "filter1.matchChoiceDtype=0xffff\n", &access), ETRACE_NO);
    access.has_dtype = access.has_dsize = false;
    assert_int_equal(choose(TYPE "filter1.matchChoiceDtype=0\n", &access), ETRACE_UNKNOWN);
    assert_int_equal(choose(SIZE "filter1.matchChoiceDsize=0\n", &access), ETRACE_UNKNOWN);
}

/* Where data are not traced at all the conditions on them are not there (ETR-FLT-032, 033). */
static void conditions_on_data_are_there_where_data_are(void **state)
{
    (void)state;
#define OTHERS                                                                                     \
    "iEnable=1\niFilters=1\nfilter0.filterEnable=1\nfilter0.matchComp1=0\nfilter0.matchComp2=0\n"  \
    "filter0.matchComp3=0\nfilter0.matchPrivilege=0\nfilter0.matchEcause=0\n"                      \
    "filter0.matchInterrupt=0\nfilter0.matchImpdef=0\n"
    configure(OTHERS "data_width_p=0\ndaddress_width_p=0\n");
    assert_int_equal(put_at(AT), ETRACE_YES);
    configure(OTHERS "data_width_p=64\ndaddress_width_p=0\n");
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
    configure(OTHERS "data_width_p=0\ndaddress_width_p=64\n");
    assert_int_equal(put_at(AT), ETRACE_UNKNOWN);
}

/* ETR-FLT-026 ETR-FLT-050 */
static void a_level_and_addresses_choose_data_accesses(void **state)
{
    struct etrace_filtered access = data_at(AT);
    (void)state;
#define LEVEL FRESH DATA "filter1.matchPrivilege=1\nfilter1.matchChoicePrivilege="
#define ADDRESS                                                                                    \
    FRESH DATA                                                                                     \
        "filter1.matchComp1=1\ncomparator0.sFunction=always\ncomparator0.matchMode=primary\n"      \
        "comparator0.pFunction=equal\ncomparator0.pMatch=0x1000\ncomparator0.pInput="
    assert_int_equal(choose(LEVEL "2\n", &access), ETRACE_YES);
    assert_int_equal(choose(LEVEL "0xfd\n", &access), ETRACE_NO);
    access.without_priv = true;
    assert_int_equal(choose(LEVEL "2\n", &access), ETRACE_UNKNOWN);
    assert_int_equal(choose(ADDRESS "iaddr\n", &access), ETRACE_YES);
    assert_int_equal(choose(ADDRESS "daddr\n", &access), ETRACE_YES);
    access.daddr = AT + 4;
    assert_int_equal(choose(ADDRESS "daddr\n", &access), ETRACE_NO);
    access.has_daddr = false;
    assert_int_equal(choose(ADDRESS "daddr\n", &access), ETRACE_UNKNOWN);
    access.address[0] = AT + 2;
    assert_int_equal(choose(ADDRESS "iaddr\n", &access), ETRACE_NO);
    access.addresses = 0;
    assert_int_equal(choose(ADDRESS "iaddr\n", &access), ETRACE_UNKNOWN);
}

/* What blocks before it decide is not known of a data access. */
static void what_depends_on_blocks_before_is_unknown_of_data(void **state)
{
    const struct etrace_filtered access = data_at(AT);
    (void)state;
    assert_int_equal(choose(FRESH DATA "filter1.matchComp1=1\ncomparator0.pInput=daddr\n"
                                       "comparator0.pFunction=equal\ncomparator0.pMatch=1\n"
                                       "comparator0.sInput=daddr\ncomparator0.sFunction=equal\n"
                                       "comparator0.sMatch=2\ncomparator0.matchMode=hold\n",
                            &access),
                     ETRACE_UNKNOWN);
    assert_int_equal(
        choose(FRESH DATA "filter1.matchInterrupt=1\nfilter1.matchValueInterrupt=1\n", &access),
        ETRACE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_compares_as_its_code_says),
        cmocka_unit_test(function_6_never_matches_in_2_0),
        cmocka_unit_test(registers_of_2_0_have_no_reset_value),
        cmocka_unit_test(a_mode_combines_both_functions),
        cmocka_unit_test(a_match_is_held_until_after_the_secondary_one),
        cmocka_unit_test(what_was_held_before_the_record_is_not_known),
        cmocka_unit_test(a_block_matches_if_one_of_its_instructions_does),
        cmocka_unit_test(an_input_that_is_not_given_leaves_it_open),
        cmocka_unit_test(a_level_is_chosen_by_its_bit),
        cmocka_unit_test(impdef_is_compared_by_the_mask),
        cmocka_unit_test(an_exception_is_matched_up_to_its_return),
        cmocka_unit_test(more_nested_handlers_than_are_supported_leave_it_open),
        cmocka_unit_test(interrupts_are_told_from_exceptions),
        cmocka_unit_test(one_filter_that_is_selected_and_enabled_is_enough),
        cmocka_unit_test(a_trigger_switches_tracing_where_that_is_enabled),
        cmocka_unit_test(a_comparator_notifies_its_matches),
        cmocka_unit_test(filters_that_dfilters_has_choose_data_accesses),
        cmocka_unit_test(a_type_and_a_size_are_chosen_by_their_bits),
        cmocka_unit_test(conditions_on_data_are_there_where_data_are),
        cmocka_unit_test(a_level_and_addresses_choose_data_accesses),
        cmocka_unit_test(what_depends_on_blocks_before_is_unknown_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
