/* The control registers that were given, as events (chapter 2): one of the controls of the encoder,
 * and one of each filter and comparator. */
#include "common/bytes.h"
#include "etrace/etrace.h"

/* A group of registers: what its first parameter is, how many fields it has, and its event. */
struct group {
    enum etrace_kind kind;
    size_t first, fields, most;
    size_t given, number; /* cells; 0: the group has no number */
};

static const struct group groups[] = {
    {ETRACE_controls, ETRACE_ACTIVE, ETRACE_CELL_controls_given, 1, ETRACE_CELL_controls_given, 0},
    {ETRACE_filter, ETRACE_FILTER0_ENABLE, ETRACE_CELL_filter_given, ETRACE_FILTERS_MOST,
     ETRACE_CELL_filter_given, ETRACE_CELL_filter_number},
    {ETRACE_comparator, ETRACE_COMPARATOR0_PINPUT, ETRACE_CELL_comparator_given,
     ETRACE_COMPARATORS_MOST, ETRACE_CELL_comparator_given, ETRACE_CELL_comparator_number},
};

/* The parameters of a group follow each other as the fields of its event. */
_Static_assert((int)ETRACE_FILTER0_ENABLE - (int)ETRACE_ACTIVE == (int)ETRACE_CELL_controls_given,
               "all controls");
_Static_assert((int)ETRACE_COMPARATOR0_PINPUT - (int)ETRACE_FILTER0_ENABLE ==
                   (int)ETRACE_CELL_filter_given * ETRACE_FILTERS_MOST,
               "all filters");
_Static_assert((int)ETRACE_PARAMETER_COUNT - (int)ETRACE_COMPARATOR0_PINPUT ==
                   (int)ETRACE_CELL_comparator_given * ETRACE_COMPARATORS_MOST,
               "all comparators");

static uint64_t given_of(const struct assay_parameter_values *values, size_t first, size_t fields)
{
    uint64_t given = 0;
    for (size_t i = 0; i < fields; i++) {
        given |= (uint64_t)values->known[first + i] << i;
    }
    return given;
}

/* A choice that a filter makes, and all values that there are. */
struct choice {
    size_t selection;     /* the parameter that selects filters */
    size_t match, choice; /* cells of a filter */
    uint64_t all;
};

static const struct choice privileges = {ETRACE_IFILTERS, ETRACE_CELL_filter_match_privilege,
                                         ETRACE_CELL_filter_choice_privilege, UINT8_MAX};
static const struct choice data_types = {ETRACE_DFILTERS, ETRACE_CELL_filter_match_dtype,
                                         ETRACE_CELL_filter_choice_dtype, UINT16_MAX};
static const struct choice data_sizes = {ETRACE_DFILTERS, ETRACE_CELL_filter_match_dsize,
                                         ETRACE_CELL_filter_choice_dsize, UINT8_MAX};

/* The values that filters can choose: all of them, unless each filter that is selected and enabled
 * chooses from them (tables 2.3 to 2.5). */
static uint64_t chosen(const struct assay_parameter_values *values, const struct choice *choice)
{
    uint64_t any = 0;
    for (size_t n = 0; n < ETRACE_FILTERS_MOST; n++) {
        const size_t first = ETRACE_FILTER0_ENABLE + n * ETRACE_CELL_filter_given;
        const size_t from = first + choice->choice;
        const bool chooses = values->value[first + choice->match] != 0 && values->known[from];
        const bool off = values->known[first] && values->value[first] == 0;
        if ((values->value[choice->selection] >> n & 1) != 0 && !off) {
            any |= chooses ? values->value[from] : choice->all;
        }
    }
    return any != 0 ? any : choice->all;
}

/* Which inputs a comparator compares with a value. A function of which the register was not given
 * may compare; the secondary one is used where matchMode says so. */
static void say_compares(uint64_t *cells)
{
    enum { CONTEXT = 1, TVAL, DADDR, ALWAYS = 6 }; /* inputs; functions that match, from there on */
    const uint64_t mode = cells[ETRACE_CELL_comparator_given] >> ETRACE_CELL_comparator_match_mode;
    const bool secondary = (mode & 1) != 0 && cells[ETRACE_CELL_comparator_match_mode] != 0;
    unsigned inputs = 0;
    if (cells[ETRACE_CELL_comparator_p_function] < ALWAYS) {
        inputs |= 1u << cells[ETRACE_CELL_comparator_p_input];
    }
    if (secondary && cells[ETRACE_CELL_comparator_s_function] < ALWAYS) {
        inputs |= 1u << cells[ETRACE_CELL_comparator_s_input];
    }
    cells[ETRACE_CELL_comparator_compares_context] = inputs >> CONTEXT & 1;
    cells[ETRACE_CELL_comparator_compares_tval] = inputs >> TVAL & 1;
    cells[ETRACE_CELL_comparator_compares_daddr] = inputs >> DADDR & 1;
}

/* One event; false when nothing of the group was given. */
static bool add(struct assay_packet_stage *stage, const struct assay_parameter_values *values,
                const struct group *group, size_t number)
{
    static const uint8_t nothing[1] = {0};
    const size_t first = group->first + number * group->fields;
    const uint64_t given = given_of(values, first, group->fields);
    if (given == 0) {
        return false;
    }
    struct assay_event *event = assay_packet_add(stage, group->kind, nothing, 0);
    uint64_t *cells = assay_packet_cells(stage, event);
    for (size_t i = 0; i < group->fields; i++) {
        cells[i] = values->value[first + i];
    }
    cells[group->given] = given;
    if (group->kind == ETRACE_controls) {
        cells[ETRACE_CELL_controls_privileges] = chosen(values, &privileges);
        cells[ETRACE_CELL_controls_data_types] = chosen(values, &data_types);
        cells[ETRACE_CELL_controls_data_sizes] = chosen(values, &data_sizes);
    } else {
        cells[group->number] = number;
    }
    if (group->kind == ETRACE_comparator) {
        say_compares(cells);
    } else if (group->kind == ETRACE_filter) {
        cells[ETRACE_CELL_filter_off] = (given >> ETRACE_CELL_filter_filter_enable & 1) != 0 &&
                                        cells[ETRACE_CELL_filter_filter_enable] == 0;
    }
    return true;
}

unsigned etrace_control_count(const struct assay_parameter_values *values)
{
    unsigned count = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (size_t n = 0; n < groups[g].most; n++) {
            count +=
                given_of(values, groups[g].first + n * groups[g].fields, groups[g].fields) != 0;
        }
    }
    return count;
}

bool etrace_control_next(struct assay_packet_stage *stage,
                         const struct assay_parameter_values *values, unsigned *at)
{
    enum { ALL = 1 << 16 }; /* have been added */
    unsigned number = *at;
    if (number == ALL) {
        return false;
    }
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (; number < groups[g].most; number++) {
            (*at)++;
            if (add(stage, values, &groups[g], number)) {
                return true;
            }
        }
        number -= (unsigned)groups[g].most;
    }
    *at = ALL;
    return false;
}
