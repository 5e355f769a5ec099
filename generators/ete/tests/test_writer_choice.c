/* The packets that the writer of elements chooses where it is to be brief: the one with the most
 * elements, and of these the shortest. */
#include "ete/tests/ete_support.h"

#include "generators/ete/writer.h"

static struct assay_sink sink;
static struct ete_writer *writer;

static void put(enum ete_kind kind, unsigned cell, uint64_t value)
{
    struct ete_element element = {.kind = kind};
    element.cells[cell] = value;
    assert_int_equal(ete_writer_put(writer, &element, NULL), ASSAY_OK);
}

static void open_writer(const struct ete_writer_setup *setup)
{
    struct ete_writer_setup with = *setup;
    with.sink = &sink;
    with.choice = ETE_CHOOSE_SHORTEST;
    assay_sink_memory(&sink, SIZE_MAX);
    writer = ete_writer_open(&with);
    assert_non_null(writer);
    put(ETE_elem_trace_info, ETE_CELL_elem_trace_info_spec_depth, setup->max_depth);
    assert_int_equal(ete_writer_flush(writer, NULL), ASSAY_OK);
}

static void begin(void)
{
    open_writer(&(struct ete_writer_setup){0});
}

/* What was put since the beginning takes these bytes. */
static void end(const uint8_t *bytes, size_t size)
{
    const size_t before = (size_t)sink.size;
    assert_int_equal(ete_writer_flush(writer, NULL), ASSAY_OK);
    assert_int_equal(sink.size, before + size);
    assert_memory_equal((const uint8_t *)sink.data + before, bytes, size);
    ete_writer_close(writer);
    (void)assay_sink_close(&sink, NULL);
}

#define END(...) end((const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

static void put_atoms(const char *atoms)
{
    for (; *atoms != '\0'; atoms++) {
        put(ETE_elem_atom, ETE_CELL_elem_atom_taken, *atoms == 'E');
    }
}

/* K10.5.2.18: formats 1 to 6. */
static void as_many_atoms_as_can_be_are_in_a_packet(void **state)
{
    static const struct {
        const char *atoms;
        uint8_t bytes[2];
        size_t size;
    } cases[] = {{"E", {0xf7}, 1},     {"N", {0xf6}, 1},     {"NE", {0xda}, 1},
                 {"EEE", {0xff}, 1},   {"NEN", {0xfa}, 1},   {"NENE", {0xde}, 1},
                 {"NENEN", {0xd6}, 1}, {"NNNNN", {0xd5}, 1}, {"NEEEE", {0xf5}, 1},
                 {"EEEN", {0xe0}, 1},  {"EEEE", {0xc0}, 1},  {"NNEEE", {0xfc, 0xdb}, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        put_atoms(cases[i].atoms);
        end(cases[i].bytes, cases[i].size);
    }
}

/* K10.5.2.14: by the bits in which it differs from the last one. */
static void an_address_is_as_short_as_it_can_be(void **state)
{
    (void)state;
    begin();
    put(ETE_elem_target_address, ETE_CELL_elem_target_address_address, 0x100);
    END(0x95, 0x40);
    begin();
    put(ETE_elem_target_address, ETE_CELL_elem_target_address_address, 0x1000);
    END(0x95, 0x80, 0x08);
    begin();
    put(ETE_elem_target_address, ETE_CELL_elem_target_address_address, 0x12340000);
    END(0x9a, 0x00, 0x00, 0x34, 0x12);
    begin();
    put(ETE_elem_target_address, ETE_CELL_elem_target_address_address, UINT64_C(1) << 32);
    END(0x9d, 0, 0, 0, 0, 1, 0, 0, 0);
}

/* Two elements in one packet, although two packets would be shorter. */
static void as_many_elements_as_can_be_are_in_a_packet(void **state)
{
    (void)state;
    begin();
    put(ETE_elem_context, 0, 0);
    put(ETE_elem_target_address, ETE_CELL_elem_target_address_address, 0x1000);
    END(0x82, 0x00, 0x08, 0x00, 0x00, 0x00);
}

/* K10.5.2.16: formats 3 and 2 where they can say it, of which format 2 counts from 1 on, or up to
 * MAXSPEC, which is 20. */
static void a_commit_is_in_the_shortest_cycle_count_that_has_room_for_it(void **state)
{
    static const struct {
        uint64_t commit, count;
        uint8_t bytes[3];
        size_t size;
    } cases[] = {
        {1, 0, {0x10}, 1},         {1, 3, {0x13}, 1},           {4, 2, {0x1e}, 1},
        {1, 4, {0x0c, 0x04}, 2},   {5, 3, {0x0c, 0x43}, 2},     {16, 0, {0x0c, 0xf0}, 2},
        {4, 15, {0x0c, 0x3f}, 2},  {17, 15, {0x0d, 0xcf}, 2},   {20, 2, {0x0d, 0xf2}, 2},
        {1, 16, {0x0e, 1, 16}, 3}, {20, 16, {0x0e, 20, 16}, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_writer(&(struct ete_writer_setup){.max_depth = 20});
        put(ETE_elem_commit, ETE_CELL_elem_commit_count, cases[i].commit);
        put(ETE_elem_cycle_count, ETE_CELL_elem_cycle_count_count, cases[i].count);
        end(cases[i].bytes, cases[i].size);
    }
    /* With COMMOPT nothing is committed by a Cycle Count. */
    open_writer(&(struct ete_writer_setup){.trcidr0 = UINT64_C(1) << 29});
    put(ETE_elem_cycle_count, ETE_CELL_elem_cycle_count_count, 3);
    END(0x13);
    open_writer(&(struct ete_writer_setup){.trcidr0 = UINT64_C(1) << 29});
    put(ETE_elem_cycle_count, ETE_CELL_elem_cycle_count_count, 4);
    END(0x0e, 0x04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_atoms_as_can_be_are_in_a_packet),
        cmocka_unit_test(an_address_is_as_short_as_it_can_be),
        cmocka_unit_test(as_many_elements_as_can_be_are_in_a_packet),
        cmocka_unit_test(a_commit_is_in_the_shortest_cycle_count_that_has_room_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
