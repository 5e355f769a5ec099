/* What the model makes of records in order: groups, addresses, modes, registers, contents. */
#include "stf/tests/stf_support.h"

#include "isa/rv.h"
#include "stf/tables.h"

enum {
    RV32 = 1,
    RV64 = 2,
    NOP = 0x13,
    UNKNOWN = 0,
    FORCED = 1,
    SEQUENCE = 2,
    BRANCH = 3,
    BY_EVENT = 4,
    BY_RETURN = 5
};
enum { BEQ_8 = 0x00000463, JAL_16 = 0x0100006f, JALR_RA = 0x00008067, MRET = 0x30200073 };
enum { MODE_CHANGE = 0x40000000 };

static void put_inst(struct trace *trace, uint32_t encoding)
{
    PUT(trace, inst_32, {"encoding", encoding});
}

static void put_reg(struct trace *trace, unsigned type, unsigned number, unsigned operand,
                    uint64_t value)
{
    PUT(trace, inst_reg, {"number", number}, {"type", type}, {"operand", operand},
        {"value", value});
}

static void put_mode(struct trace *trace, uint64_t mode)
{
    PUT(trace, event, {"id", MODE_CHANGE}, {"count", 1});
    put_number(trace, mode);
}

static void put_event(struct trace *trace, bool interrupt, unsigned id)
{
    PUT(trace, event, {"id", id}, {"interrupt", interrupt}, {"count", 1});
    put_number(trace, 0x1004);
}

static struct decoded finish(struct trace *trace)
{
    struct decoded all = decode_all(trace);
    assert_true(all.complete);
    free(trace->data);
    return all;
}

/* The instruction number n, from 0. */
static const struct seen *inst(const struct decoded *all, size_t n)
{
    for (size_t i = 0; i < all->count; i++) {
        const bool is = all->list[i].kind == STF_inst_32 || all->list[i].kind == STF_inst_16;
        if (is && n-- == 0) {
            return &all->list[i];
        }
    }
    fail_msg("there are too few instructions");
    return NULL;
}

static void assert_pc(const struct seen *seen, unsigned flow, uint64_t pc)
{
    ASSERT_VALUES(seen, {"pc_known", flow != UNKNOWN}, {"flow", flow}, {"pc", pc});
}

static void addresses_follow_sizes_targets_and_force_pc(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_inst(&trace, NOP);
    PUT(&trace, inst_16, {"encoding", 1});
    put_inst(&trace, BEQ_8); /* not taken */
    PUT(&trace, inst_pc_target, {"pc", 0x2000});
    put_inst(&trace, BEQ_8);
    PUT(&trace, force_pc, {"pc", 0x3000});
    put_inst(&trace, NOP);
    put_inst(&trace, JAL_16); /* without a target */
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    assert_pc(inst(&all, 0), FORCED, 0x1000);
    assert_pc(inst(&all, 1), SEQUENCE, 0x1004);
    assert_pc(inst(&all, 2), SEQUENCE, 0x1006);
    assert_pc(inst(&all, 3), SEQUENCE, 0x100a);
    ASSERT_VALUES(inst(&all, 3), {"pc_target", 0x2000}, {"target", 0x1012}, {"target_known", 1},
                  {"group_pc_target", 1});
    assert_pc(inst(&all, 4), FORCED, 0x3000);
    ASSERT_VALUES(inst(&all, 4), {"flow_known", 1}, {"flow_pc", 0x2000}, {"group_pc_target", 0});
    assert_pc(inst(&all, 5), SEQUENCE, 0x3004);
    ASSERT_VALUES(inst(&all, 5), {"target", 0x3014}, {"target_known", 1});
    assert_pc(inst(&all, 6), UNKNOWN, 0);
    free(all.list);
}

static void addresses_of_rv32_have_32_bits(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV32, 0, UINT64_C(0xffffffff80000000));
    PUT(&trace, inst_pc_target, {"pc", UINT64_C(0xfffffffffffffffc)});
    put_inst(&trace, JAL_16);
    put_inst(&trace, NOP);
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    assert_pc(inst(&all, 0), FORCED, 0x80000000);
    assert_pc(inst(&all, 1), BRANCH, 0xfffffffc);
    assert_pc(inst(&all, 2), SEQUENCE, 0);
    free(all.list);
}

static void events_divert_the_flow(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_event(&trace, false, 2);
    PUT(&trace, event_pc_target, {"pc", 0x8000});
    put_inst(&trace, NOP);
    put_event(&trace, true, 7);
    put_inst(&trace, NOP); /* nothing says where to */
    put_inst(&trace, NOP);
    PUT(&trace, force_pc, {"pc", 0x1004});
    put_inst(&trace, MRET);
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(inst(&all, 0), {"event", STF_EVENT_ILLEGAL_INST}, {"event_fields", 1},
                  {"event_field0", 0x1004}, {"event_synchronous", 1}, {"group_fault", 1},
                  {"group_interrupt", 0}, {"group_event_target", 1}, {"event_pending", 0});
    assert_pc(inst(&all, 1), BY_EVENT, 0x8000);
    ASSERT_VALUES(inst(&all, 1), {"event", STF_EVENT_MACHINE_TIMER}, {"group_fault", 0},
                  {"group_interrupt", 1}, {"event_pending", 1}, {"event_synchronous", 0});
    assert_pc(inst(&all, 2), UNKNOWN, 0);
    ASSERT_VALUES(inst(&all, 2), {"after_pending_event", 1}, {"event", 0}, {"event_pending", 0});
    assert_pc(inst(&all, 3), FORCED, 0x1004);
    ASSERT_VALUES(inst(&all, 3), {"flow_known", 0}, {"after_pending_event", 0});
    assert_pc(inst(&all, 4), BY_RETURN, 0x1008);
    ASSERT_VALUES(inst(&all, 4), {"after_trap_return", 1});
    free(all.list);
}

static void a_change_of_mode_holds_at_once_or_behind_a_trap(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_inst(&trace, NOP);
    put_mode(&trace, 0);
    put_inst(&trace, NOP);
    put_event(&trace, false, 8);
    put_mode(&trace, 3);
    put_inst(&trace, 0x73);
    put_inst(&trace, NOP);
    put_mode(&trace, 4); /* no mode */
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(inst(&all, 0), {"mode_known", 0});
    ASSERT_VALUES(inst(&all, 1), {"mode_known", 1}, {"mode", 0}, {"group_mode_change", 1});
    ASSERT_VALUES(inst(&all, 2), {"mode_known", 1}, {"mode", 0}, {"event", STF_EVENT_USER_ECALL});
    ASSERT_VALUES(inst(&all, 3), {"mode", 3}, {"group_mode_change", 0});
    ASSERT_VALUES(inst(&all, 4), {"mode", 3}, {"group_mode_change", 1});
    free(all.list);
}

static void a_group_ends_with_its_instruction(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, 1, 5, 1, 7);
    PUT(&trace, inst_mem_access, {"address", 0x2000}, {"size", 8}, {"type", 1});
    PUT(&trace, inst_mem_content, {"data", 7});
    put_comment(&trace, "between");
    PUT(&trace, bus_master_access, {"address", 0x2000}, {"size", 1}, {"type", 1});
    PUT(&trace, bus_master_content, {"data", 7});
    PUT(&trace, inst_microop, {"size", 4});
    put_inst(&trace, NOP);
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"highest_descriptor", 0},
                  {"previous_descriptor", 19});
    ASSERT_VALUES(last_of(&all, STF_inst_mem_access, 0), {"highest_descriptor", 40},
                  {"previous_descriptor", 40});
    ASSERT_VALUES(last_of(&all, STF_comment, 0), {"highest_descriptor", 61},
                  {"previous_descriptor", 61});
    ASSERT_VALUES(last_of(&all, STF_bus_master_access, 0), {"highest_descriptor", 61},
                  {"previous_descriptor", 61});
    ASSERT_VALUES(inst(&all, 0), {"highest_descriptor", 230}, {"previous_descriptor", 230},
                  {"group_reg", 1}, {"group_access", 1}, {"group_bus_access", 1},
                  {"group_microop", 1}, {"inst_seen", 0}, {"in_header", 0}, {"group_force_pc", 1},
                  {"accesses", 1}, {"read_bytes", 8}, {"written_bytes", 0},
                  {"access_address", 0x2000});
    ASSERT_VALUES(inst(&all, 1), {"highest_descriptor", 0}, {"previous_descriptor", 240},
                  {"group_reg", 0}, {"group_access", 0}, {"group_bus_access", 0},
                  {"group_microop", 0}, {"inst_seen", 1}, {"accesses", 0}, {"read_bytes", 0},
                  {"access_address", 0});
    ASSERT_VALUES(end_of(&all), {"instruction_pending", 0}, {"other_pending", 0}, {"reg_state", 1});
    free(all.list);
}

static void the_end_tells_of_records_behind_the_last_instruction(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 4; what++) {
        struct trace trace = begin_with(3, RV64, 0, 0x1000);
        if (what > 0) {
            put_inst(&trace, NOP);
        }
        if (what == 2) {
            put_reg(&trace, 1, 5, 1, 7);
        } else if (what == 3) {
            PUT(&trace, force_pc, {"pc", 0x1000});
            PUT(&trace, reserve_end, {0});
        }
        struct decoded all = finish(&trace);
        ASSERT_VALUES(end_of(&all), {"instruction_pending", what == 2},
                      {"other_pending", what == 3}, {"last_is_end", what == 3},
                      {"features_known", 1});
        free(all.list);
    }
}

static void contents_belong_to_the_access_before_them(void **state)
{
    (void)state;
    static const struct {
        unsigned size, bytes[3];
    } accesses[] = {
        {0, {0, 0, 0}}, {1, {1, 0, 0}}, {8, {8, 0, 0}}, {12, {8, 4, 0}}, {16, {8, 8, 0}}};
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    for (size_t i = 0; i < 5; i++) {
        PUT(&trace, inst_mem_access, {"address", 0x2000}, {"size", accesses[i].size}, {"type", 2});
        PUT(&trace, bus_master_access, {"size", accesses[i].size}, {"type", 2});
        for (unsigned n = 0; n < 3; n++) {
            PUT(&trace, inst_mem_content, {"data", UINT64_C(0x1122334455667788)});
            PUT(&trace, bus_master_content, {"data", UINT64_C(0x1122334455667788)});
        }
    }
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    for (size_t i = 0; i < 5; i++) {
        for (unsigned n = 0; n < 3; n++) {
            const unsigned bytes = accesses[i].bytes[n];
            const unsigned all_of_it = (accesses[i].size + 7) / 8;
            const size_t back = (4 - i) * 3 + 2 - n;
            const struct set due[] = {
                {"data_bytes", bytes},
                {"fill", bytes % 8 > 0 ? UINT64_C(0x1122334455667788) >> 8 * bytes : 0}};
            ASSERT_VALUES(last_of(&all, STF_inst_mem_content, back), due[0], due[1],
                          {"contents_due", all_of_it > n ? all_of_it - n : 0});
            ASSERT_VALUES(last_of(&all, STF_bus_master_content, back), due[0], due[1],
                          {"bus_contents_due", all_of_it > n ? all_of_it - n : 0});
        }
    }
    ASSERT_VALUES(inst(&all, 0), {"accesses", 5}, {"written_bytes", 37}, {"contents_due", 0});
    free(all.list);
}

static void counts_of_a_group_stop_at_their_greatest_value(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    for (unsigned i = 0; i < 300; i++) {
        PUT(&trace, inst_mem_access, {"address", 0x2000}, {"size", 65535}, {"type", 1 + i % 2});
    }
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(inst(&all, 0), {"accesses", 255}, {"read_bytes", 65535}, {"written_bytes", 65535},
                  {"contents_due", 8192});
    free(all.list);
}

static void registers_are_known_from_records_until_they_are_written(void **state)
{
    (void)state;
    enum { STATE = 1, SOURCE = 2, DESTINATION = 3, ADDI_5_5_1 = 0x00128293 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, 1, 5, STATE, 7);
    put_inst(&trace, NOP);
    put_reg(&trace, 1, 5, SOURCE, 7);
    put_reg(&trace, 1, 5, DESTINATION, 8);
    put_inst(&trace, ADDI_5_5_1);
    put_inst(&trace, ADDI_5_5_1); /* without records */
    put_reg(&trace, 1, 5, SOURCE, 9);
    put_reg(&trace, 2, 6, DESTINATION, 9);
    put_inst(&trace, ADDI_5_5_1);
    put_reg(&trace, 1, 0, STATE, 9);
    put_reg(&trace, 1, 0, STATE, 9);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 6), {"value_known", 0}, {"register_known", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 5), {"value_known", 1}, {"known_value", 7});
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 4), {"value_known", 1}, {"known_value", 7});
    ASSERT_VALUES(inst(&all, 1), {"sources_missing", 0}, {"destinations_missing", 0},
                  {"operands_unnamed", 0});
    ASSERT_VALUES(inst(&all, 2), {"sources_missing", 1}, {"destinations_missing", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 3), {"value_known", 0});
    ASSERT_VALUES(inst(&all, 3), {"sources_missing", 0}, {"destinations_missing", 1},
                  {"operands_unnamed", 1});
    ASSERT_VALUES(last_of(&all, STF_inst_reg, 0), {"value_known", 0}); /* x0 is not kept */
    ASSERT_VALUES(end_of(&all), {"reg_state", 1}, {"reg_operand", 1}, {"reg_vector", 0},
                  {"instruction_pending", 1});
    free(all.list);
}

static void a_recorded_base_tells_accesses_and_targets(void **state)
{
    (void)state;
    enum { SOURCE = 2, LD_5_16_6 = 0x01033283, JALR_4_RA = 0x00408067 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_reg(&trace, 1, 6, SOURCE, 0x2000);
    put_inst(&trace, LD_5_16_6);
    put_reg(&trace, 1, 6, SOURCE, 0x2000);
    put_inst(&trace, 0xfe533c23); /* sd x5, -8(x6) */
    put_reg(&trace, 1, 1, SOURCE, 0x3001);
    put_inst(&trace, JALR_4_RA);
    put_inst(&trace, LD_5_16_6);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(inst(&all, 0), {"base_known", 1}, {"base_address", 0x2010}, {"target_known", 0});
    ASSERT_VALUES(inst(&all, 1), {"base_known", 1}, {"base_address", 0x1ff8});
    ASSERT_VALUES(inst(&all, 2), {"base_known", 0}, {"target_known", 1}, {"target", 0x3004});
    ASSERT_VALUES(inst(&all, 3), {"base_known", 0}, {"target_known", 0});
    free(all.list);
}

static void words_are_of_the_encoding_mode_in_force(void **state)
{
    (void)state;
    enum { LD = 0x00033283 };
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    put_inst(&trace, LD);
    PUT(&trace, inst_iem, {"encoding_mode", RV32});
    put_inst(&trace, LD);
    PUT(&trace, inst_iem, {"encoding_mode", 7});
    put_inst(&trace, LD);
    struct decoded all = finish(&trace);
    ASSERT_VALUES(inst(&all, 0), {"iem", RV64}, {"encoding_valid", 1}, {"rv_class", RV_LOAD});
    ASSERT_VALUES(inst(&all, 1), {"iem", RV32},
                  {"encoding_valid", rv_info_is_valid(rv_classify(LD, RV_32))},
                  {"rv_class", rv_info_class(rv_classify(LD, RV_32))});
    ASSERT_VALUES(inst(&all, 2), {"iem", 3}, {"encoding_valid", 0}, {"other_iem_valid", 0});
    free(all.list);
}

static void ids_that_change_are_told(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    for (unsigned i = 0; i < 3; i++) {
        PUT(&trace, process_id_ext, {"pid", 1}, {"tid", 1 + i / 2}, {"asid", 1});
        put_inst(&trace, NOP);
    }
    struct decoded all = finish(&trace);
    for (unsigned i = 0; i < 3; i++) {
        ASSERT_VALUES(inst(&all, i), {"after_ids", i == 2});
    }
    ASSERT_VALUES(end_of(&all), {"ids_changed", 1});
    free(all.list);
}

static void another_asid_in_satp_is_due_in_the_next_group(void **state)
{
    enum { CSR = 4, SATP = 0x180, STATE = 1, SOURCE = 2, DESTINATION = 3 };
    enum { CSRW_SATP = 0x18009073 };
    static const struct {
        unsigned iem, operand;
        uint64_t satp;
        bool told, due;
    } writes[] = {
        {RV64, DESTINATION, UINT64_C(0x8000100000000000), false, false}, /* the first */
        {RV64, DESTINATION, UINT64_C(0x8000200000000001), false, true},
        {RV64, DESTINATION, UINT64_C(0x9000200000000002), false, false},
        {RV64, STATE, UINT64_C(0x8000300000000000), false, false},
        {RV64, SOURCE, UINT64_C(0x8000400000000000), false, false},
        {RV64, DESTINATION, UINT64_C(0x0000500000000000), false, false}, /* bare */
        {RV64, DESTINATION, UINT64_C(0x8000600000000000), true, false},
        {RV32, DESTINATION, 0x80400000, false, true},
        {RV32, DESTINATION, 0x804fffff, false, false},
        {RV32, DESTINATION, 0x80800000, false, true},
        /* the lowest and the highest bit of it, what is beside them, and no translation */
        {RV64, DESTINATION, UINT64_C(0x8000300000000000), false, true},
        {RV64, DESTINATION, UINT64_C(0x8800300000000000), false, true},
        {RV64, DESTINATION, UINT64_C(0x8800380000000000), false, false},
        {RV64, DESTINATION, UINT64_C(0x0800200000000000), false, false},
        {RV64, DESTINATION, UINT64_C(0x1800200000000000), false, true},
        {RV32, DESTINATION, 0xc0000000, false, true},
        {RV32, DESTINATION, 0xc0400000, false, true},
        {RV32, DESTINATION, 0xc0600000, false, false},
        {RV32, DESTINATION, 0x40800000, false, false},
        {RV32, DESTINATION, 0x80400000, false, true}};
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    const size_t count = sizeof writes / sizeof writes[0];
    (void)state;
    for (size_t i = 0; i < count; i++) {
        PUT(&trace, inst_iem, {"encoding_mode", writes[i].iem});
        if (writes[i].told) {
            PUT(&trace, process_id_ext, {"asid", 2});
            PUT(&trace, process_id_ext, {"asid", 3});
        }
        put_reg(&trace, CSR, SATP, writes[i].operand, writes[i].satp);
        put_inst(&trace, CSRW_SATP);
    }
    put_inst(&trace, NOP);
    struct decoded all = finish(&trace);
    for (size_t i = 0; i < count; i++) {
        ASSERT_VALUES(inst(&all, i + 1), {"asid_due", writes[i].due});
    }
    free(all.list);
}

static void a_record_of_satp_tells_the_levels_of_walks(void **state)
{
    (void)state;
    enum { CSR = 4, SATP = 0x180, STATE = 1, DESTINATION = 3, CSRW_SATP = 0x18009073 };
    static const struct {
        unsigned iem;
        uint64_t satp;
        unsigned levels;
    } cases[] = {{RV64, 0, 0},
                 {RV64, UINT64_C(7) << 60, 0},
                 {RV64, UINT64_C(8) << 60, 3},
                 {RV64, UINT64_C(9) << 60, 4},
                 {RV64, UINT64_C(10) << 60, 5},
                 {RV64, UINT64_C(11) << 60, 0},
                 {RV32, UINT64_C(1) << 31, 2},
                 {RV32, UINT64_C(1) << 30, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned operand = STATE; operand <= DESTINATION; operand += DESTINATION - STATE) {
            const bool written = operand == DESTINATION;
            struct trace trace = begin_with(3, cases[i].iem, 0, 0x1000);
            put_reg(&trace, CSR, SATP, operand, cases[i].satp);
            PUT(&trace, page_table_walk, {"address", 0x9000}, {"page_size", 4096});
            put_inst(&trace, CSRW_SATP);
            PUT(&trace, page_table_walk, {"address", 0xa000}, {"page_size", 4096});
            put_inst(&trace, CSRW_SATP); /* without a record */
            PUT(&trace, page_table_walk, {"address", 0xb000}, {"page_size", 4096});
            put_inst(&trace, NOP);
            struct decoded all = finish(&trace);
            ASSERT_VALUES(last_of(&all, STF_page_table_walk, 2),
                          {"satp_levels", written ? 0 : cases[i].levels});
            ASSERT_VALUES(last_of(&all, STF_page_table_walk, 1), {"satp_levels", cases[i].levels});
            ASSERT_VALUES(last_of(&all, STF_page_table_walk, 0), {"satp_levels", 0});
            free(all.list);
        }
    }
}

static void events_are_those_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        bool interrupt;
        enum stf_event event;
        bool synchronous, asynchronous;
    } events[] = {{0, false, STF_EVENT_INST_ADDR_MISALIGN, true, false},
                  {15, false, STF_EVENT_STORE_PAGE_FAULT, true, false},
                  {14, false, STF_EVENT_UNKNOWN, false, false},
                  {16, false, STF_EVENT_OTHER, false, false},
                  {64, false, STF_EVENT_UNKNOWN, false, false},
                  {0x3fffffff, false, STF_EVENT_UNKNOWN, false, false},
                  {0, true, STF_EVENT_USER_SOFTWARE, false, true},
                  {MODE_CHANGE, false, STF_EVENT_MODE_CHANGE, false, false},
                  {MODE_CHANGE, true, STF_EVENT_MODE_CHANGE, false, false},
                  {MODE_CHANGE + 1, false, STF_EVENT_UNKNOWN, false, false}};
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    const size_t count = sizeof events / sizeof events[0];
    for (size_t i = 0; i < count; i++) {
        PUT(&trace, event, {"id", events[i].id}, {"interrupt", events[i].interrupt});
    }
    struct decoded all = finish(&trace);
    for (size_t i = 0; i < count; i++) {
        ASSERT_VALUES(last_of(&all, STF_event, count - 1 - i), {"event", events[i].event},
                      {"synchronous", events[i].synchronous},
                      {"asynchronous", events[i].asynchronous},
                      {"mode_change", events[i].event == STF_EVENT_MODE_CHANGE});
    }
    free(all.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_follow_sizes_targets_and_force_pc),
        cmocka_unit_test(addresses_of_rv32_have_32_bits),
        cmocka_unit_test(events_divert_the_flow),
        cmocka_unit_test(a_change_of_mode_holds_at_once_or_behind_a_trap),
        cmocka_unit_test(a_group_ends_with_its_instruction),
        cmocka_unit_test(the_end_tells_of_records_behind_the_last_instruction),
        cmocka_unit_test(contents_belong_to_the_access_before_them),
        cmocka_unit_test(counts_of_a_group_stop_at_their_greatest_value),
        cmocka_unit_test(registers_are_known_from_records_until_they_are_written),
        cmocka_unit_test(a_recorded_base_tells_accesses_and_targets),
        cmocka_unit_test(words_are_of_the_encoding_mode_in_force),
        cmocka_unit_test(ids_that_change_are_told),
        cmocka_unit_test(another_asid_in_satp_is_due_in_the_next_group),
        cmocka_unit_test(a_record_of_satp_tells_the_levels_of_walks),
        cmocka_unit_test(events_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
