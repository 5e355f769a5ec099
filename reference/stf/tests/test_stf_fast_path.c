/* The fast path compared with the general one: the same cells for every record, whatever comes
 * before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "common/tests/random.h"
#include "stf/fast_path.h"

/* What a trace has: few records that are not simple, records of operands, pages remembered, no
 * end of its header. */
enum style { CALM = 1, OPERANDS = 2, PAGES = 4, NO_END = 8 };

enum { ROOM = 256, TRACES = 300, RECORDS = 3000 };

/* A record: its descriptor, and what follows it. */
struct record {
    enum stf_kind kind;
    size_t size; /* of data */
    uint8_t descriptor, data[ROOM];
};

static const uint32_t long_words[] = {
    0x00000013, 0x00833283, 0x00533423,
    0x00830283, 0x007332af, /* addi, ld, sd, lb, amoadd.d */
    0x1003b2af, 0x18533e2f, 0x00828027,
    0x0082b007, 0x00628863, /* lr.d, sc.d, fsw, fld, beq */
    0x00000863, 0x0062e863, 0x008000ef,
    0x0080006f, 0x000280e7, /* beq x0 x0, bltu, jal, j, jalr */
    0x00800067, 0x00008067, 0x00000073,
    0x00100073, 0x30200073, /* jr 8(x0), ret, ecall, .., mret */
    0x10200073, 0x12000073, 0x30529073,
    0x00102573, 0x0000000b, /* sret, .., csrrw, .., custom */
    0xffffffff, 0x0ff0000f, 0x02007087,
    0x0055d2b3, 0x10500073, /* not one, fence, vle8.v, .., wfi */
};

static const uint16_t short_words[] = {
    0x0001, 0x0505, 0x6188, 0xe188, 0x6502, 0xe42a, 0x852e, 0xa002, /* c.nop .. c.fsdsp */
    0x2002, 0x9002, 0x0000, 0xa001, 0xc101, 0xe101, 0x8082, 0x9082, /* .., c.j, c.beqz, c.jr */
};

/* Those that the words write. */
static const uint8_t registers[] = {0, 1, 5, 10, 28};

/* One of a list, mostly of its beginning, which is of words that do not jump. */
static size_t any_word(size_t count, uint64_t *seed)
{
    return random_below(seed, random_below(seed, 4) > 0 ? 8 : count);
}

static void set_size(struct record *r, uint64_t *seed)
{
    static const uint16_t sizes[] = {1, 2, 4, 8, 8, 16, 32, 64, 0, 65535};
    const uint16_t size = sizes[random_below(seed, sizeof sizes / sizeof sizes[0])];
    memcpy(r->data + STF_BIT_inst_mem_access_size / 8, &size, sizeof size);
    r->data[STF_BIT_inst_mem_access_type / 8] = (uint8_t)(1 + random_below(seed, 9) / 4);
}

static enum stf_kind any_kind(uint64_t *seed, unsigned style)
{
    static const uint8_t fast[] = {STF_inst_32,         STF_inst_16,        STF_inst_32,
                                   STF_inst_16,         STF_inst_32,        STF_inst_mem_access,
                                   STF_inst_mem_access, STF_inst_pc_target, STF_inst_mem_content,
                                   STF_inst_mem_content};
    static const uint8_t others[] = {
        STF_force_pc, STF_force_pc,        STF_event,           STF_event_pc_target,
        STF_inst_reg, STF_inst_ready_reg,  STF_page_table_walk, STF_bus_master_access,
        STF_comment,  STF_process_id_ext,  STF_inst_iem,        STF_bus_master_content,
        STF_event,    STF_inst_microop,    STF_reserve_end,     STF_trace_info_feature,
        STF_inst_reg, STF_inst_reg,        STF_inst_reg,        STF_inst_reg,
        STF_force_pc, STF_event_pc_target, STF_force_pc,        STF_isa};
    return random_below(seed, (style & CALM) != 0 ? 200 : 8) > 0
               ? (enum stf_kind)fast[random_below(seed, sizeof fast)]
               : (enum stf_kind)others[random_below(seed, sizeof others)];
}

static void set_fields(struct record *r, unsigned style, uint64_t *seed)
{
    switch (r->kind) {
    case STF_inst_32:
        assay_store64(r->data, long_words[any_word(sizeof long_words / 4, seed)]);
        break;
    case STF_inst_16:
        assay_store64(r->data, short_words[any_word(sizeof short_words / 2, seed)]);
        break;
    case STF_inst_mem_access:
        set_size(r, seed);
        break;
    case STF_event:
        /* faults of a small number, some of them changes of mode */
        assay_store64(r->data, random_below(seed, 24) | random_below(seed, 3) / 2 << 30);
        r->size += 8 * random_below(seed, 3);
        break;
    case STF_inst_reg:
        assay_store64(r->data, registers[random_below(seed, sizeof registers)] |
                                   (random_below(seed, 3) + 1) << 16 |
                                   ((style & OPERANDS) != 0 ? random_below(seed, 4) : 1) << 20 |
                                   5 << 24);
        break;
    case STF_page_table_walk:
        r->size += 16 * random_below(seed, 3);
        break;
    case STF_isa:
    case STF_inst_iem:
        /* mostly RISC-V, RV32 or RV64 */
        assay_store64(r->data, random_below(seed, 40) == 0 ? 9 : 1 + random_below(seed, 2));
        break;
    case STF_process_id_ext:
        memset(r->data, (int)random_below(seed, 2), 12);
        break;
    case STF_trace_info_feature:
        /* now and then with page table walks, which are remembered from then on */
        assay_store64(r->data, (style & PAGES) != 0 ? random_next(seed) : 0);
        break;
    default:
        break;
    }
}

static void make_record(struct record *r, enum stf_kind kind, unsigned style, uint64_t *seed)
{
    r->kind = kind;
    r->descriptor = stf_descriptor_of(kind);
    r->size = assay_format_stf.kinds[kind].bits / 8 - 1;
    random_fill(seed, r->data, ROOM);
    set_fields(r, style, seed);
}

/* What a model says of a record; what it leaves as it was is the same in all. */
static void cells_of(struct stf_model *m, const struct record *r, uint64_t *cells)
{
    memset(cells, 0xa5, STF_CELLS * sizeof cells[0]);
    enum stf_kind kind = STF_malformed;
    const unsigned length = m->fast ? stf_fast_record(m, &r->descriptor, cells, &kind) : 0;
    if (length == 0) {
        stf_model_record(m, r->kind, r->data, r->size, cells);
    } else {
        assert_int_equal(kind, r->kind);
        assert_int_equal(length, 1 + r->size);
    }
}

static struct stf_model *open_model(bool general_only)
{
    struct stf_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    stf_model_open(m, NULL);
    m->general_only = general_only;
    return m;
}

static void close_model(struct stf_model *m)
{
    stf_model_close(m);
    free(m);
}

/* Records of one trace; how many instructions took the fast path. */
static unsigned compare_ways(uint64_t seed)
{
    static const enum stf_kind begin[] = {STF_isa, STF_inst_iem, STF_end_header, STF_force_pc};
    struct stf_model *either = open_model(false);
    struct stf_model *general = open_model(true);
    uint64_t cells[STF_CELLS];
    uint64_t expected[STF_CELLS];
    struct record record;
    unsigned fast = 0;
    const unsigned style = (unsigned)(random_below(&seed, 16) & (random_below(&seed, 16) | CALM));
    for (size_t i = 0; i < RECORDS; i++) {
        const size_t head = sizeof begin / sizeof begin[0];
        const bool lost = !general->next_known && random_below(&seed, 2) == 0;
        const bool begins = i < head && (begin[i] != STF_end_header || (style & NO_END) == 0);
        make_record(&record,
                    begins ? begin[i]
                    : lost ? STF_force_pc
                           : any_kind(&seed, style),
                    style, &seed);
        const bool on_fast_path = either->fast;
        cells_of(either, &record, cells);
        cells_of(general, &record, expected);
        assert_false(general->fast);
        for (size_t w = 0; w < STF_CELLS; w++) {
            if (cells[w] != expected[w]) {
                fail_msg("cell %zu of record %zu, %s: %llx instead of %llx", w, i,
                         assay_format_stf.kinds[record.kind].name, (unsigned long long)cells[w],
                         (unsigned long long)expected[w]);
            }
        }
        assert_memory_equal(either->known, general->known, sizeof general->known);
        assert_int_equal(either->instructions, general->instructions);
        fast += on_fast_path && (record.kind == STF_inst_32 || record.kind == STF_inst_16);
    }
    memset(cells, 0, sizeof cells);
    memset(expected, 0, sizeof expected);
    stf_model_end(either, cells);
    stf_model_end(general, expected);
    assert_memory_equal(cells, expected, sizeof cells);
    close_model(either);
    close_model(general);
    return fast;
}

static void both_ways_give_the_same_cells(void **state)
{
    (void)state;
    unsigned fast = 0;
    for (unsigned i = 1; i <= TRACES; i++) {
        fast += compare_ways(i * UINT64_C(0x9e3779b97f4a7c15));
    }
    /* Otherwise little was compared. */
    assert_in_range(fast, TRACES * RECORDS / 16, TRACES * RECORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_the_same_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
