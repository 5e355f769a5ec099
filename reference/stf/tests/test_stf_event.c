/* What the model makes of events, modes, returns from faults, walks of a group and values of
 * registers. */
#include "stf/tables.h"
#include "stf/tests/stf_support.h"

enum { RV32 = 1, RV64 = 2, NOP = 0x13, MODE_CHANGE = 0x40000000 };
enum { MRET = 0x30200073, SRET = 0x10200073, ECALL = 0x73, LD_X5_X2 = 0x00813283 };
enum { USER, SUPERVISOR, HYPERVISOR, MACHINE };
enum { STATE = 1, SOURCE = 2, DESTINATION = 3, X = 1, F = 2 };

static void put_inst(struct trace *trace, uint32_t encoding)
{
    if ((encoding & 3) == 3) {
        PUT(trace, inst_32, {"encoding", encoding});
    } else {
        PUT(trace, inst_16, {"encoding", encoding});
    }
}

static void put_mode(struct trace *trace, uint64_t mode)
{
    PUT(trace, event, {"id", MODE_CHANGE}, {"count", 1});
    put_number(trace, mode);
}

static void put_event(struct trace *trace, bool interrupt, unsigned id)
{
    PUT(trace, event, {"id", id}, {"interrupt", interrupt}, {"count", 0});
}

static void put_reg(struct trace *trace, unsigned type, unsigned number, unsigned operand,
                    uint64_t value)
{
    PUT(trace, inst_reg, {"number", number}, {"type", type}, {"operand", operand},
        {"value", value});
}

static struct decoded finish(struct trace *trace)
{
    struct decoded all = decode_all(trace);
    assert_true(all.complete);
    free(trace->data);
    return all;
}

static void events_tell_what_raises_them_and_what_is_due(void **state)
{
    (void)state;
    static const struct {
        unsigned id;
        bool interrupt;
        unsigned due;
        bool own, shared;
        enum stf_origin origin;
        unsigned mode;
    } events[] = {
        {0, false, 1, true, false, STF_ORIGIN_JUMP, 0},
        {1, false, 1, true, false, STF_ORIGIN_FETCH, 0},
        {2, false, 3, true, false, STF_ORIGIN_DECODE, 0},
        {3, false, 1, true, false, STF_ORIGIN_DECODE, 0},
        {4, false, 3, true, false, STF_ORIGIN_LOAD, 0},
        {5, false, 3, true, false, STF_ORIGIN_LOAD, 0},
        {6, false, 3, false, true, STF_ORIGIN_STORE, 0},
        {7, false, 3, false, true, STF_ORIGIN_STORE, 0},
        {8, false, 1, true, false, STF_ORIGIN_ECALL, USER},
        {9, false, 1, false, true, STF_ORIGIN_ECALL, SUPERVISOR},
        {10, false, 1, false, true, STF_ORIGIN_ECALL, HYPERVISOR},
        {11, false, 1, false, true, STF_ORIGIN_ECALL, MACHINE},
        {12, false, 2, true, false, STF_ORIGIN_FETCH, 0},
        {13, false, 3, true, false, STF_ORIGIN_LOAD, 0},
        {15, false, 3, false, true, STF_ORIGIN_STORE, 0},
        {16, false, 0, false, false, STF_ORIGIN_NONE, 0},
        {40, false, 0, false, false, STF_ORIGIN_NONE, 0},
        {5, true, 1, false, true, STF_ORIGIN_INTERRUPT, 0},
        {6, true, 1, true, false, STF_ORIGIN_INTERRUPT, 0},
        {12, true, 1, false, true, STF_ORIGIN_INTERRUPT, 0},
        {MODE_CHANGE, false, 1, true, false, STF_ORIGIN_NONE, 0},
        {MODE_CHANGE, true, 1, true, false, STF_ORIGIN_NONE, 0},
    };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    const size_t count = sizeof events / sizeof events[0];
    for (size_t i = 0; i < count; i++) {
        put_event(&trace, events[i].interrupt, events[i].id);
    }
    struct decoded all = finish(&trace);
    for (size_t i = 0; i < count; i++) {
        ASSERT_VALUES(last_of(&all, STF_event, count - 1 - i), {"fields_required", events[i].due},
                      {"own_row", events[i].own}, {"shared_row", events[i].shared},
                      {"event_origin", events[i].origin}, {"call_mode", events[i].mode});
    }
    free(all.list);
}

static void a_call_knows_its_number_from_register_a7(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_event(&trace, false, 11);
    put_reg(&trace, X, 17, STATE, 64);
    put_event(&trace, false, 11);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_event, 1), {"call_number_known", 0}, {"call_number", 0});
    ASSERT_VALUES(last_of(&all, STF_event, 0), {"call_number_known", 1}, {"call_number", 64});
    free(all.list);
}

static void instructions_know_the_modes_around_them_and_what_they_need(void **state)
{
    (void)state;
    enum { CSRRW_340 = 0x34001073, CSRRW_600 = 0x60001073, CSRR_1 = 0x00102073 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_inst(&trace, CSRRW_340);
    put_mode(&trace, SUPERVISOR);
    put_inst(&trace, CSRRW_600);
    put_inst(&trace, CSRR_1);
    put_mode(&trace, USER);
    put_inst(&trace, SRET);
    put_event(&trace, false, 8);
    put_mode(&trace, MACHINE);
    put_inst(&trace, MRET);
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 5), {"old_mode_known", 0}, {"new_mode_known", 0},
                  {"privilege", MACHINE});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 4), {"old_mode_known", 0}, {"new_mode_known", 1},
                  {"new_mode", SUPERVISOR}, {"privilege", SUPERVISOR});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 3), {"old_mode", SUPERVISOR}, {"new_mode", SUPERVISOR},
                  {"privilege", USER});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 2), {"old_mode", SUPERVISOR}, {"new_mode", USER},
                  {"mode", USER}, {"privilege", SUPERVISOR}, {"after_event", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"old_mode", USER}, {"new_mode", MACHINE},
                  {"mode", USER}, {"privilege", MACHINE}, {"event_origin", STF_ORIGIN_ECALL});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"old_mode", MACHINE}, {"mode", MACHINE},
                  {"after_event", 1}, {"at_event_target", 0});
    free(all.list);
}

static void a_return_from_a_page_fault_goes_to_it_or_behind_it(void **state)
{
    (void)state;
    static const struct {
        unsigned fault;
        uint64_t to;
        bool returned, resumed;
    } cases[] = {{13, 0x1000, true, true},  {12, 0x1000, true, true},   {15, 0x1000, true, true},
                 {13, 0x1004, true, false}, {13, 0x1008, false, false}, {5, 0x1000, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_event(&trace, false, cases[i].fault);
        PUT(&trace, event_pc_target, {"pc", 0x8000});
        put_inst(&trace, LD_X5_X2);
        put_inst(&trace, MRET);
        PUT(&trace, force_pc, {"pc", cases[i].to});
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"returned", 0}, {"at_event_target", 1});
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"returned", cases[i].returned},
                      {"resumed", cases[i].resumed});
        free(all.list);
    }
}

static void walks_are_used_by_accesses_fetches_and_faults(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    static const uint64_t pages[] = {0x1000, 0x3000, 0x4000, 0x5000, 0x6000};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        PUT(&trace, page_table_walk, {"address", pages[i]}, {"page_size", 0x1000});
    }
    PUT(&trace, page_table_walk, {"address", 0x9000}, {"page_size", 0x1000}, {"instruction", 7});
    PUT(&trace, inst_mem_access, {"address", 0x3ffc}, {"size", 8}, {"type", 1});
    PUT(&trace, event, {"id", 13}, {"count", 3});
    put_number(&trace, 0x1000);
    put_number(&trace, LD_X5_X2);
    put_number(&trace, 0x5008);
    put_inst(&trace, LD_X5_X2);
    PUT(&trace, page_table_walk, {"address", 0x9000}, {"page_size", 0x1000}, {"instruction", 1});
    put_inst(&trace, NOP); /* its address is not known */
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"walks_unused", 1}, {"pc_known", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"walks_unused", 0}, {"pc_known", 0});
    free(all.list);
}

static void values_are_refuted_by_what_is_known(void **state)
{
    (void)state;
    static const struct {
        unsigned iem, type;
        uint64_t before, value;
        uint64_t difference;
    } cases[] = {
        {RV64, X, 5, 5, 0},
        {RV64, X, 5, 6, 3},
        {RV64, X, 5, UINT64_C(0x100000005), UINT64_C(0x100000000)},
        {RV32, X, 5, UINT64_C(0x100000005), 0},
        {RV32, X, 5, UINT64_C(0x100000004), 1},
        {RV64, F, UINT64_C(0xffffffff3f800000), 0x3f800000, 0},
        {RV64, F, UINT64_C(0xfffffffe3f800000), 0x3f800000, UINT64_C(0xfffffffe00000000)},
        {RV64, F, 0x3f800000, UINT64_C(0xfffffffe3f800000), UINT64_C(0xfffffffe00000000)},
        {RV64, F, UINT64_C(0xffffffff3f800001), 0x3f800000, UINT64_C(0xffffffff00000001)},
        {RV64, F, UINT64_C(0xffffffffffff3c00), 0x3c00, 0},
        {RV64, F, UINT64_C(0xffffffffffff3c00), 0xfffe3c00, UINT64_C(0xffffffff00010000)},
        {RV64, F, 0xfffe3c00, UINT64_C(0xffffffffffff3c00), UINT64_C(0xffffffff00010000)},
        {RV64, F, UINT64_C(0xffffffffffff3c00), 0x3c01, UINT64_C(0xffffffffffff0001)},
        {RV64, F, 0x3f800000, UINT64_C(0xffffffff3f800000), 0},
        {RV64, F, 0x3c00, UINT64_C(0xffffffffffff3c00), 0},
        {RV64, F, 0x3c00, UINT64_C(0xfffffffffffe3c00), UINT64_C(0xfffffffffffe0000)},
        {RV64, F, UINT64_C(0xfffffffffffe3c00), 0x3c00, UINT64_C(0xfffffffffffe0000)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, cases[i].iem, 0, 0x1000);
        put_reg(&trace, cases[i].type, 5, STATE, cases[i].before);
        put_inst(&trace, NOP);
        put_reg(&trace, cases[i].type, 5, STATE, cases[i].value);
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", 1},
                      {"value_difference", cases[i].difference}, {"known_value", cases[i].before});
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"states_refuted", cases[i].difference != 0});
        free(all.list);
    }
}

/* The records that let a register be forgotten stand between its two records. */
static void registers_are_forgotten_where_the_trace_has_a_gap(void **state)
{
    (void)state;
    for (unsigned gap = 0; gap < 6; gap++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        PUT(&trace, process_id_ext, {"pid", 1});
        put_reg(&trace, X, 5, STATE, 7);
        switch (gap) {
        case 0:
            put_inst(&trace, NOP);
            break;
        case 1:
            put_inst(&trace, ECALL);
            break;
        case 2:
            put_inst(&trace, 0x0000000b); /* custom */
            break;
        case 3:
            PUT(&trace, inst_microop, {"size", 4});
            put_inst(&trace, NOP);
            break;
        case 4:
            put_inst(&trace, NOP);
            PUT(&trace, force_pc, {"pc", 0x8000});
            break;
        default:
            put_inst(&trace, NOP);
            PUT(&trace, process_id_ext, {"pid", 2});
            break;
        }
        put_reg(&trace, X, 5, SOURCE, 8);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", gap == 0});
        free(all.list);
    }
}

static void a_destination_holds_from_the_next_group_on(void **state)
{
    (void)state;
    enum { ADDI_5_5_1 = 0x00128293 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, X, 5, STATE, 7);
    put_reg(&trace, X, 5, DESTINATION, 8);
    put_reg(&trace, X, 5, SOURCE, 7);
    put_inst(&trace, ADDI_5_5_1);
    put_reg(&trace, X, 5, SOURCE, 8);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 1), {"value_known", 0}, {"value_difference", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", 1}, {"known_value", 8});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"states_refuted", 0}, {"sources_recorded", 1},
                  {"destinations_recorded", 1});
    free(all.list);
}

static void a_register_that_is_written_without_a_record_is_forgotten(void **state)
{
    (void)state;
    enum { ADDI_5_5_1 = 0x00128293, FADD_5_5_5 = 0x0052f2d3 };
    static const struct {
        unsigned type;
        uint32_t word;
    } writes[] = {{X, ADDI_5_5_1}, {F, FADD_5_5_5}};
    for (size_t i = 0; i < 4; i++) {
        const bool same_file = i / 2 == i % 2;
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, writes[i % 2].type, 5, STATE, 7);
        put_inst(&trace, writes[i / 2].word);
        put_reg(&trace, writes[i % 2].type, 5, STATE, 9);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", !same_file});
        free(all.list);
    }
}

static void walks_are_of_one_group_and_none_is_unused_where_the_address_is_not_known(void **state)
{
    (void)state;
    enum { JR_T0 = 0x00028067 };
    for (unsigned known = 0; known < 2; known++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        PUT(&trace, page_table_walk, {"address", 0x9000}, {"instruction", 0}, {"page_size", 4096});
        put_inst(&trace, known ? NOP : JR_T0);
        PUT(&trace, page_table_walk, {"address", 0x9000}, {"instruction", 1}, {"page_size", 4096});
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"pc_known", known}, {"walks_unused", known});
        ASSERT_VALUES(last_of(&all, STF_page_table_walk, 0), {"repeated", 0});
        free(all.list);
    }
}

static void each_register_whose_state_is_refuted_counts(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    for (unsigned value = 7; value <= 8; value++) {
        put_reg(&trace, X, 5, STATE, value);
        put_reg(&trace, X, 6, STATE, value);
        put_reg(&trace, F, 5, STATE, value);
        put_reg(&trace, X, 7, STATE, 1);
        put_inst(&trace, NOP);
    }
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 1), {"states_refuted", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"states_refuted", 3});
    free(all.list);
}

static void x_and_f_registers_are_known_and_no_others(void **state)
{
    (void)state;
    enum { VECTOR = 3, CSR = 4 };
    static const struct {
        unsigned type, number;
        bool known;
    } cases[] = {{X, 0, false}, {X, 1, true},  {X, 31, true},  {X, 32, false},     {X, 33, false},
                 {F, 0, true},  {F, 31, true}, {F, 32, false}, {VECTOR, 5, false}, {CSR, 5, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        put_reg(&trace, cases[i].type, cases[i].number, STATE, 7);
        put_inst(&trace, NOP);
        put_reg(&trace, cases[i].type, cases[i].number, STATE, 7);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", cases[i].known});
        free(all.list);
    }
}

/* ld x5, 8(x6); addi x5, x6, 1; add x0, x0, x7; lui x5, 1; c.li x10, 1; c.mv x10, x11; c.lw x10,
 * 0(x10); c.j 0; c.jr x5; c.beqz x10, 0 */
static void records_of_x0_are_counted_where_no_reading_of_the_word_names_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        bool as_source, as_destination;
    } cases[] = {{0x00833283, true, true}, {0x00130293, true, true}, {0x00700033, false, false},
                 {0x000012b7, true, true}, {0x4505, false, true},    {0x852e, false, true},
                 {0x4108, false, true},    {0xa001, false, false},   {0x8282, false, false},
                 {0xc101, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned operand = SOURCE; operand <= DESTINATION; operand++) {
            struct trace trace = begin_with(3, RV64, 0, 0x1000);
            put_reg(&trace, X, 0, operand, 0);
            put_inst(&trace, cases[i].word);
            struct decoded all = finish(&trace);
            const bool counted = operand == SOURCE ? cases[i].as_source : cases[i].as_destination;
            ASSERT_VALUES(last_of(&all, (cases[i].word & 3) == 3 ? STF_inst_32 : STF_inst_16, 0),
                          {"operands_unnamed", counted}, {"sources_recorded", operand == SOURCE},
                          {"destinations_recorded", operand == DESTINATION});
            free(all.list);
        }
    }
}

static void a_record_of_x0_changes_nothing_that_is_known(void **state)
{
    (void)state;
    enum { ADD_5_0_7 = 0x007002b3 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, X, 0, SOURCE, 9);
    put_reg(&trace, X, 0, DESTINATION, 9);
    put_inst(&trace, NOP);
    put_reg(&trace, X, 7, SOURCE, 4);
    put_reg(&trace, X, 5, DESTINATION, 4);
    put_inst(&trace, ADD_5_0_7);
    put_reg(&trace, X, 0, STATE, 0);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", 0}, {"value_difference", 0});
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"result", 4}, {"result_differs", 0},
                  {"sources_missing", 0});
    free(all.list);
}

/* The field has four bits. */
static void operands_that_an_instruction_does_not_name_are_counted_up_to_15(void **state)
{
    (void)state;
    for (unsigned count = 0; count < 40; count++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        for (unsigned i = 0; i < count; i++) {
            put_reg(&trace, i % 2 == 0 ? X : F, 2 + i / 2, i % 3 == 0 ? SOURCE : DESTINATION, 0);
        }
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"operands_unnamed", count < 15 ? count : 15},
                      {"accesses", 0});
        free(all.list);
    }
}

/* The last register of one file beside the first of the other; the first alone; the last. */
static void the_files_of_registers_are_counted_apart(void **state)
{
    (void)state;
    static const struct {
        unsigned type[2], number[2], count;
    } cases[] = {{{X, F}, {31, 0}, 2}, {{F, F}, {0, 0}, 1}, {{F, F}, {31, 31}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        for (unsigned k = 0; k < 2; k++) {
            put_reg(&trace, cases[i].type[k], cases[i].number[k], SOURCE, 0);
        }
        put_inst(&trace, NOP);
        struct decoded all = finish(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"operands_unnamed", cases[i].count});
        free(all.list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_tell_what_raises_them_and_what_is_due),
        cmocka_unit_test(a_call_knows_its_number_from_register_a7),
        cmocka_unit_test(instructions_know_the_modes_around_them_and_what_they_need),
        cmocka_unit_test(a_return_from_a_page_fault_goes_to_it_or_behind_it),
        cmocka_unit_test(walks_are_used_by_accesses_fetches_and_faults),
        cmocka_unit_test(values_are_refuted_by_what_is_known),
        cmocka_unit_test(registers_are_forgotten_where_the_trace_has_a_gap),
        cmocka_unit_test(a_destination_holds_from_the_next_group_on),
        cmocka_unit_test(a_register_that_is_written_without_a_record_is_forgotten),
        cmocka_unit_test(walks_are_of_one_group_and_none_is_unused_where_the_address_is_not_known),
        cmocka_unit_test(each_register_whose_state_is_refuted_counts),
        cmocka_unit_test(x_and_f_registers_are_known_and_no_others),
        cmocka_unit_test(records_of_x0_are_counted_where_no_reading_of_the_word_names_it),
        cmocka_unit_test(a_record_of_x0_changes_nothing_that_is_known),
        cmocka_unit_test(operands_that_an_instruction_does_not_name_are_counted_up_to_15),
        cmocka_unit_test(the_files_of_registers_are_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
