/* Page table walks, the pages that they tell, texts, and the tables that users can replace. */
#include "stf/tests/stf_support.h"

#include "common/yaml.h"
#include "model/facts.h"
#include "stf/tables.h"
#include "stf/text.h"
#include "stf/walk.h"

enum { RV32 = 1, RV64 = 2, NOP = 0x13, PTE_BIT = 1 << 8, V = 1, RWX = 14 };

/* --- what a walk says --- */

/* A walk of `count` levels, as hardware does it from the root on: tables at 0x10000, 0x11000 ... */
struct walk {
    uint64_t address, page_size;
    uint64_t entries[10];
    unsigned count;
};

static struct walk walk_of(unsigned levels, unsigned index_bits, uint64_t address, unsigned count)
{
    struct walk walk = {.address = address, .count = count};
    walk.page_size = UINT64_C(1) << (12 + (levels - count) * index_bits);
    walk.page_size = walk.page_size > UINT32_MAX ? 0 : walk.page_size;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t index =
            address >> (12 + (levels - 1 - i) * index_bits) & assay_mask(index_bits);
        walk.entries[2 * i] = 0x10000 + 0x1000 * i + index * (index_bits == 10 ? 4 : 8);
        walk.entries[2 * i + 1] = (UINT64_C(0x11) + i) << 10 | V | (i + 1 == count ? RWX : 0);
    }
    return walk;
}

static struct seen decode_walk(const struct walk *walk, unsigned iem)
{
    struct trace trace = begin_with(3, iem, 0, 0x1000);
    PUT(&trace, page_table_walk, {"address", walk->address}, {"page_size", walk->page_size},
        {"count", walk->count});
    for (unsigned i = 0; i < 2 * walk->count; i++) {
        put_number(&trace, walk->entries[i]);
    }
    struct decoded all = decode_all(&trace);
    assert_true(all.complete);
    const struct seen seen = *last_of(&all, STF_page_table_walk, 0);
    free(all.list);
    free(trace.data);
    return seen;
}

static void walks_of_sv32_sv39_and_sv48_are_right_at_every_level(void **state)
{
    (void)state;
    static const struct {
        unsigned iem, levels, index_bits, most;
        uint64_t address;
    } modes[] = {{RV32, 2, 10, 2, 0x80403abc},
                 {RV64, 3, 9, 4, UINT64_C(0x3f80403abc)},
                 {RV64, 4, 9, 4, UINT64_C(0x7f3f80403abc)}};
    for (size_t m = 0; m < 3; m++) {
        for (unsigned count = 1; count <= modes[m].levels; count++) {
            const struct walk walk =
                walk_of(modes[m].levels, modes[m].index_bits, modes[m].address, count);
            const struct seen seen = decode_walk(&walk, modes[m].iem);
            ASSERT_VALUES(&seen, {"leaf_last", 1}, {"first_leaf", count},
                          {"entries_chained", count}, {"entries_indexed", count},
                          {"page_log2", 12 + (modes[m].levels - count) * modes[m].index_bits},
                          {"size_exists", 1}, {"entries_valid", count}, {"entry_count", count},
                          {"levels", modes[m].most}, {"repeated", 0}, {"instructions", 0});
        }
    }
}

static void each_fault_of_a_walk_is_told_alone(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        uint64_t value;
        unsigned entry; /* which number of the walk ... */
        uint64_t flip;  /* ... has which bits changed */
    } faults[] = {{"first_leaf", 0, 5, RWX},         {"first_leaf", 2, 3, 2},
                  {"first_leaf", 1, 1, 2},           {"entries_chained", 1, 1, 1 << 10},
                  {"entries_chained", 1, 2, 0x1000}, {"entries_chained", 2, 4, 0x1000},
                  {"entries_indexed", 0, 0, 8},      {"entries_indexed", 2, 4, 1},
                  {"entries_indexed", 1, 2, 8},      {"entries_indexed", 2, 4, 0x800},
                  {"entries_valid", 2, 3, V},        {"entries_valid", 2, 5, V}};
    static const char *const fields[] = {"first_leaf", "entries_chained", "entries_indexed",
                                         "entries_valid"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct walk walk = walk_of(3, 9, 0x80403000, 3);
        walk.entries[faults[i].entry] ^= faults[i].flip;
        const struct seen seen = decode_walk(&walk, RV64);
        for (size_t f = 0; f < 4; f++) {
            const bool wrong = strcmp(fields[f], faults[i].field) == 0;
            assert_value(&seen, fields[f], wrong ? faults[i].value : 3);
        }
        assert_value(&seen, "leaf_last", i != 0);
    }
}

static void sizes_of_pages_are_those_of_the_modes(void **state)
{
    (void)state;
    static const struct {
        unsigned iem;
        uint64_t size;
        bool exists;
        unsigned log2, indexed; /* three entries are too many for Sv32 */
    } sizes[] = {{RV64, 0x1000, true, 12, 3},    {RV64, 0x200000, true, 21, 3},
                 {RV64, 0x400000, false, 22, 3}, {RV64, 0x40000000, true, 30, 3},
                 {RV64, 0x1001, false, 0, 3},    {RV64, 1, false, 0, 3},
                 {RV64, 0, true, 39, 3},         {RV32, 0x1000, true, 12, 0},
                 {RV32, 0x400000, true, 22, 0},  {RV32, 0x200000, false, 21, 0},
                 {RV32, 0, false, 39, 0},        {RV32, 0x40000000, false, 30, 0},
                 {0, 0x1000, false, 12, 0},      {RV64, 0x3000, false, 0, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct walk walk = walk_of(3, 9, 0x80403000, 3);
        walk.page_size = sizes[i].size;
        const struct seen seen = decode_walk(&walk, sizes[i].iem);
        ASSERT_VALUES(&seen, {"size_exists", sizes[i].exists}, {"page_log2", sizes[i].log2},
                      {"entries_indexed", sizes[i].indexed});
    }
}

static void walks_of_no_and_of_255_entries_are_read(void **state)
{
    (void)state;
    const struct walk none = {.page_size = 0x1000};
    const struct seen seen = decode_walk(&none, RV64);
    ASSERT_VALUES(&seen, {"leaf_last", 0}, {"first_leaf", 0}, {"entries_chained", 0},
                  {"entries_indexed", 0}, {"entries_valid", 0}, {"entry_count", 0});
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    PUT(&trace, page_table_walk, {"page_size", 0x1000}, {"count", 255});
    put_fill(&trace, 0xff, 255 * 16);
    struct decoded all = decode_all(&trace);
    assert_true(all.complete);
    ASSERT_VALUES(last_of(&all, STF_page_table_walk, 0), {"count", 255}, {"entries_indexed", 0},
                  {"first_leaf", 1}, {"entries_chained", 1}, {"entries_valid", 255});
    free(all.list);
    free(trace.data);
}

static void what_follows_a_walk_is_none_of_its_entries(void **state)
{
    (void)state;
    struct walk walk = walk_of(3, 9, 0x80403000, 2);
    walk.entries[3] &= ~(uint64_t)RWX;
    struct trace trace = begin_with(3, RV64, 0, 0x1000);
    PUT(&trace, page_table_walk, {"address", walk.address}, {"page_size", 0x1000}, {"count", 2});
    for (unsigned i = 0; i < 4; i++) {
        put_number(&trace, walk.entries[i]);
    }
    PUT(&trace, page_table_walk, {"address", UINT64_MAX}, {"instruction", UINT64_MAX});
    struct decoded all = decode_all(&trace);
    ASSERT_VALUES(last_of(&all, STF_page_table_walk, 1), {"entry_count", 2}, {"first_leaf", 0},
                  {"leaf_last", 0}, {"entries_valid", 2}, {"entries_chained", 2});
    free(all.list);
    free(trace.data);
}

/* --- pages --- */

static void put_walk(struct trace *trace, uint64_t address, uint64_t size)
{
    PUT(trace, page_table_walk, {"address", address}, {"page_size", size});
}

static void put_access(struct trace *trace, uint64_t address, unsigned size)
{
    PUT(trace, inst_mem_access, {"address", address}, {"size", size}, {"type", 1});
}

static void a_walk_of_the_page_a_second_time_in_a_group_is_repeated(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, PTE_BIT, 0x1000);
    put_walk(&trace, 0x1000, 0x1000);
    put_walk(&trace, 0x2000, 0x1000);
    put_walk(&trace, 0x1ff8, 0x1000);
    PUT(&trace, inst_32, {"encoding", NOP});
    put_walk(&trace, 0x1000, 0x1000);
    struct decoded all = decode_all(&trace);
    for (unsigned i = 0; i < 4; i++) {
        ASSERT_VALUES(last_of(&all, STF_page_table_walk, 3 - i), {"repeated", i == 2},
                      {"instructions", i == 3});
    }
    free(all.list);
    free(trace.data);
}

static void walks_tell_pages_of_all_sizes_that_a_mode_has_and_no_others(void **state)
{
    (void)state;
    for (unsigned log2 = 0; log2 < 40; log2 += log2 < 31 ? 1 : 8) {
        const bool has =
            log2 == 12 || log2 == 16 || log2 == 21 || log2 == 22 || log2 == 30 || log2 == 39;
        const uint64_t size = UINT64_C(1) << log2;
        struct trace trace = begin_with(3, RV64, PTE_BIT, 0x1000);
        put_walk(&trace, 5 * size, log2 == 39 ? 0 : size);
        put_access(&trace, 6 * size - 1, 1);
        put_access(&trace, 5 * size, 1);
        put_access(&trace, 6 * size, 1);
        put_access(&trace, 5 * size - 1, 1);
        struct decoded all = decode_all(&trace);
        for (unsigned i = 0; i < 4; i++) {
            ASSERT_VALUES(last_of(&all, STF_inst_mem_access, 3 - i), {"walks_recorded", has},
                          {"walked", has && i < 2});
        }
        free(all.list);
        free(trace.data);
    }
}

static void an_access_without_a_size_is_of_the_page_of_its_address(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, PTE_BIT, 0x1000);
    put_walk(&trace, 0, 0x1000);
    put_access(&trace, 0, 0);
    put_access(&trace, 0xfff, 0);
    put_access(&trace, 0x1000, 0);
    struct decoded all = decode_all(&trace);
    for (unsigned i = 0; i < 3; i++) {
        ASSERT_VALUES(last_of(&all, STF_inst_mem_access, 2 - i), {"walked", i < 2},
                      {"accessed_before", i == 1});
    }
    free(all.list);
    free(trace.data);
}

static void an_access_is_of_no_page_before_its_own(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, PTE_BIT, 0x1000);
    put_access(&trace, 0x3000, 8);
    put_access(&trace, 0x5000, 8);
    put_access(&trace, 0x4000, 8);
    struct decoded all = decode_all(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_mem_access, 0), {"accessed_before", 0});
    free(all.list);
    free(trace.data);
}

static void a_walk_is_used_by_an_access_to_any_byte_of_its_page(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        unsigned size, unused; /* of the walks of pages 3 and 4 */
    } cases[] = {{0x3fff, 0, 1}, {0x3000, 0, 1}, {0x3000, 1, 1}, {0x3ff8, 8, 1}, {0x3ff9, 8, 0},
                 {0x4000, 8, 1}, {0x2ff8, 8, 2}, {0x2ff9, 8, 1}, {0x5000, 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace trace = begin_with(3, RV64, PTE_BIT, 0x10000);
        put_walk(&trace, 0x4000, 0x1000);
        put_walk(&trace, 0x3000, 0x1000);
        put_access(&trace, cases[i].address, cases[i].size);
        PUT(&trace, inst_32, {"encoding", NOP});
        struct decoded all = decode_all(&trace);
        ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"walks_unused", cases[i].unused});
        free(all.list);
        free(trace.data);
    }
}

static void of_the_walks_of_a_group_eight_are_looked_at(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, RV64, PTE_BIT, 0x10000);
    for (unsigned i = 0; i < 9; i++) {
        put_walk(&trace, 0x2000 + i * 0x1000, 0x1000);
    }
    PUT(&trace, inst_32, {"encoding", NOP});
    struct decoded all = decode_all(&trace);
    ASSERT_VALUES(last_of(&all, STF_inst_32, 0), {"walks_unused", 8});
    free(all.list);
    free(trace.data);
}

static void accesses_know_the_pages_that_walks_told(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        unsigned size;
        bool walked, before;
    } accesses[] = {{0x1000, 8, true, false},      {0x1ff8, 8, true, true},
                    {0x1ffc, 8, false, false},     {0x200000, 8, true, false},
                    {0x3ff000, 4096, true, false}, {0x3ff000, 4097, false, false},
                    {0x3000, 1, false, false},     {0x1000, 8, true, true}};
    for (unsigned told = 0; told < 2; told++) {
        struct trace trace = begin_with(3, RV64, told ? PTE_BIT : 0, 0x1000);
        put_walk(&trace, 0x1000, 0x1000);
        put_walk(&trace, 0x200000, 0x200000);
        const size_t count = sizeof accesses / sizeof accesses[0];
        for (size_t i = 0; i < count; i++) {
            put_access(&trace, accesses[i].address, accesses[i].size);
        }
        PUT(&trace, process_id_ext, {"asid", 9});
        put_access(&trace, 0x1000, 8); /* another address space */
        struct decoded all = decode_all(&trace);
        for (size_t i = 0; i < count; i++) {
            ASSERT_VALUES(last_of(&all, STF_inst_mem_access, count - i), {"walks_recorded", told},
                          {"walked", told && accesses[i].walked},
                          {"accessed_before", told && accesses[i].before});
        }
        ASSERT_VALUES(last_of(&all, STF_inst_mem_access, 0), {"walked", 0}, {"accessed_before", 0});
        free(all.list);
        free(trace.data);
    }
}

static void a_full_set_says_that_it_is(void **state)
{
    (void)state;
    struct stf_pages pages = {0};
    stf_pages_use(&pages);
    for (uint64_t i = 0; i < STF_PAGES; i++) {
        assert_false(stf_pages_accessed(&pages, 1, i << 12, 8));
        assert_false(pages.full);
    }
    assert_true(stf_pages_accessed(&pages, 1, 0x5000, 8));
    assert_false(pages.full);
    stf_pages_walked(&pages, 1, 0x7000, 12);
    assert_true(pages.full);
    assert_false(stf_pages_known(&pages, 1, 0x7000, 8));
    assert_true(stf_pages_accessed(&pages, 1, 0x5000, 8));
    stf_pages_close(&pages);
}

/* Numbers of pages that differ by a multiple of what the hash shifts away meet at one place. */
static void pages_that_meet_at_one_place_fill_the_set_early(void **state)
{
    (void)state;
    const uint64_t inverse = UINT64_C(0xf1de83e19937733d); /* of the multiplier, modulo 2^64 */
    struct stf_pages pages = {0};
    uint64_t count = 0;
    stf_pages_use(&pages);
    for (uint64_t i = 1; i < UINT64_C(1) << 24 && !pages.full; i++) {
        const uint64_t number = (i * inverse) ^ UINT64_C(63) << 32; /* the hash is i */
        if (number >> 52 == 0) {
            stf_pages_accessed(&pages, 0, number << 12, 8);
            count++;
        }
    }
    assert_true(pages.full);
    assert_true(count < STF_PAGES / 2);
    stf_pages_close(&pages);
}

/* --- texts --- */

static void text_flags_do_not_depend_on_the_pieces(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool digest, printable;
    } texts[] = {{"", false, true},
                 {"git 0123abc", true, true},
                 {"0123ab", false, true},
                 {"0123abg", false, true},
                 {"_0123abc", false, true},
                 {"v1.0-3-gdeadbee", false, true},
                 {"3-deadBEE, then", true, true},
                 {"0123456789012345678901234567890123456789", true, true},
                 {"01234567890123456789012345678901234567890", false, true},
                 {"tab\tand\r\n", false, true},
                 {"bell\a", false, false},
                 {"\xc3\xa4 0123abc", true, false}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const uint8_t *bytes = (const uint8_t *)texts[i].text;
        const size_t size = strlen(texts[i].text);
        for (unsigned nul = 0; nul < 2; nul++) {
            for (size_t cut = 0; cut <= size; cut++) {
                struct stf_text text = {0};
                stf_text_add(&text, bytes, cut);
                stf_text_add(&text, bytes + cut, size + nul - cut);
                assert_int_equal(stf_text_flags(&text), (nul ? 1 : 0) | (texts[i].digest ? 2 : 0) |
                                                            (texts[i].printable && !nul ? 4 : 0));
            }
        }
    }
}

/* --- tables --- */

static struct decoded decode_with(const struct trace *trace, const char *yaml)
{
    struct assay_yaml_file file;
    struct assay_facts facts = {0};
    struct assay_decode_input input = {.facts = &facts};
    assert_int_equal(assay_yaml_parse("facts", yaml, strlen(yaml), &file, NULL), ASSAY_OK);
    assert_int_equal(assay_facts_read(file.root, &facts, NULL), ASSAY_OK);
    assay_yaml_free(&file);
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    struct decoded all = decode_input(input);
    assay_facts_clear(&facts);
    return all;
}

static void tables_of_a_facts_file_take_the_place_of_those_built_in(void **state)
{
    (void)state;
    static const char yaml[] = "facts: 1\n"
                               "event_ids: {fault: {BREAKPOINT: 9}, special: {MODE_CHANGE: 5}}\n"
                               "feature_bits: {EVENT64: 3, PTE: 19}\n"
                               "registers: {csr: {SPECIAL: 77}}\n"
                               "tools: {MINE: 200}\n";
    struct trace trace = begin(3);
    PUT(&trace, trace_info, {"tool", 200});
    PUT(&trace, trace_info, {"tool", 1});
    PUT(&trace, trace_info_feature, {"features", 1 << 19 | 1});
    PUT(&trace, event, {"id", 9});
    PUT(&trace, event, {"id", 3});
    PUT(&trace, event, {"id", 0x40000005});
    PUT(&trace, inst_reg, {"number", 77}, {"type", 4});
    PUT(&trace, inst_reg, {"number", 1}, {"type", 1});
    put_access(&trace, 0x1000, 1);
    PUT(&trace, trace_info_feature, {"features", 8});
    PUT(&trace, event64, {"id", 9});
    struct decoded all = decode_with(&trace, yaml);
    assert_true(all.complete);
    assert_int_equal(all.profile, STF_PROFILE_13_IMPL);
    ASSERT_VALUES(&all.list[2], {"tool_known", 1});
    ASSERT_VALUES(&all.list[3], {"tool_known", 0});
    ASSERT_VALUES(&all.list[4], {"undefined", 1});
    ASSERT_VALUES(&all.list[5], {"event", STF_EVENT_BREAKPOINT}, {"synchronous", 1});
    ASSERT_VALUES(&all.list[6], {"event", STF_EVENT_UNKNOWN});
    ASSERT_VALUES(&all.list[7], {"event", STF_EVENT_MODE_CHANGE});
    ASSERT_VALUES(&all.list[8], {"register_known", 1}, {"number_known", 1});
    ASSERT_VALUES(&all.list[9], {"register_known", 0}, {"number_known", 0});
    ASSERT_VALUES(&all.list[10], {"walks_recorded", 1});
    assert_int_equal(all.list[12].kind, STF_event64);
    ASSERT_VALUES(&all.list[12], {"event", STF_EVENT_BREAKPOINT});
    ASSERT_VALUES(end_of(&all), {"features", 1 << 19});
    free(all.list);
    free(trace.data);
}

static void tables_that_are_not_given_stay(void **state)
{
    (void)state;
    struct trace trace = begin(3);
    PUT(&trace, trace_info, {"tool", 1});
    PUT(&trace, inst_reg, {"number", 0x300}, {"type", 4});
    PUT(&trace, inst_reg, {"number", 0x300}, {"type", 1});
    PUT(&trace, inst_ready_reg, {"number", 4095});
    struct decoded all = decode_with(&trace, "facts: 1\ntools: {MINE: 200}\n");
    ASSERT_VALUES(&all.list[2], {"tool_known", 0});
    ASSERT_VALUES(&all.list[3], {"register_known", 1});
    ASSERT_VALUES(&all.list[4], {"register_known", 0}, {"number_known", 1});
    ASSERT_VALUES(&all.list[5], {"number_known", 0});
    free(all.list);
    free(trace.data);
}

static void numbers_and_groups_that_cannot_be_are_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "facts: 1\nevent_ids: {fault: {BREAKPOINT: 64}}\n",
        "facts: 1\nevent_ids: {trap: {BREAKPOINT: 1}}\n",
        "facts: 1\nfeature_bits: {EVENT64: 64}\n",
        "facts: 1\nregisters: {integer: {X0: 4096}}\n",
        "facts: 1\nregisters: {integers: {X0: 1}}\n",
        "facts: 1\ntools: {MINE: 256}\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct assay_yaml_file file;
        struct assay_facts facts = {0};
        struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
        assert_int_equal(assay_yaml_parse("f", wrong[i], strlen(wrong[i]), &file, NULL), ASSAY_OK);
        assert_int_not_equal(assay_facts_read(file.root, &facts, &diag), ASSAY_OK);
        assert_int_equal(diag.line, 2);
        assert_int_not_equal(strlen(diag.message), 0);
        assay_yaml_free(&file);
        assay_facts_clear(&facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_of_sv32_sv39_and_sv48_are_right_at_every_level),
        cmocka_unit_test(each_fault_of_a_walk_is_told_alone),
        cmocka_unit_test(sizes_of_pages_are_those_of_the_modes),
        cmocka_unit_test(walks_of_no_and_of_255_entries_are_read),
        cmocka_unit_test(a_walk_of_the_page_a_second_time_in_a_group_is_repeated),
        cmocka_unit_test(walks_tell_pages_of_all_sizes_that_a_mode_has_and_no_others),
        cmocka_unit_test(an_access_without_a_size_is_of_the_page_of_its_address),
        cmocka_unit_test(an_access_is_of_no_page_before_its_own),
        cmocka_unit_test(what_follows_a_walk_is_none_of_its_entries),
        cmocka_unit_test(a_walk_is_used_by_an_access_to_any_byte_of_its_page),
        cmocka_unit_test(of_the_walks_of_a_group_eight_are_looked_at),
        cmocka_unit_test(accesses_know_the_pages_that_walks_told),
        cmocka_unit_test(a_full_set_says_that_it_is),
        cmocka_unit_test(pages_that_meet_at_one_place_fill_the_set_early),
        cmocka_unit_test(text_flags_do_not_depend_on_the_pieces),
        cmocka_unit_test(tables_of_a_facts_file_take_the_place_of_those_built_in),
        cmocka_unit_test(tables_that_are_not_given_stay),
        cmocka_unit_test(numbers_and_groups_that_cannot_be_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
