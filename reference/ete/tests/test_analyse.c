/* What is followed through much of the program, and what is said of a layer that is not complete.
 * Single cases are the vectors decode.flow-* and others of the layer instruction in
 * corpus/ete/decode. */
#include "ete/tests/ete_support.h"

#include <stdio.h>

#include "common/bytes.h"
#include "ete/analyse.h"
#include "ete/walk.h"
#include "image/image.h"

enum { BEGIN = 0x100000, WORD_BYTES = 4 };
enum { B_EQ = 0x54000000, B_HERE = 0x14000000, B_NEXT = 0x14000001 };
static const uint32_t NOP = 0xd503201f;

/* --- a stream, and a program of one instruction repeated, with another one at its end --- */

struct stream {
    uint8_t bytes[512];
    size_t size;
};

static void put(struct stream *s, const void *bytes, size_t size)
{
    assert_in_range(s->size + size, 0, sizeof s->bytes);
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

static void put_address(struct stream *s, uint8_t header, uint32_t address)
{
    const uint8_t bytes[] = {header, address >> 2 & 0x7f, address >> 9 & 0x7f,
                             (uint8_t)(address >> 16), (uint8_t)(address >> 24)};
    put(s, bytes, sizeof bytes);
}

static void put_target(struct stream *s, uint32_t address)
{
    put_address(s, 0x9a, address);
}

static void put_source(struct stream *s, uint32_t address)
{
    put_address(s, 0xb6, address);
}

static void put_exception(struct stream *s, uint32_t address)
{
    put(s, "\x06\x1d", 2); /* IRQ */
    put_target(s, address);
}

/* A-sync, Trace Info, Trace On, EL1 in AArch64 state, the position. */
static struct stream begin(void)
{
    struct stream s = {.size = 0};
    put(&s, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\x85\0\x08\0\0\0\0\0\0\x31", 25);
    put_target(&s, BEGIN);
    return s;
}

struct program {
    uint32_t word, count; /* from BEGIN on */
    uint32_t last;        /* after them; 0: none */
};

static struct assay_image_set *image_of(const struct program *program)
{
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = BEGIN};
    const size_t size = ((size_t)program->count + (program->last != 0)) * WORD_BYTES;
    struct assay_image_set *set = NULL;
    uint8_t *code = malloc(size);
    assert_non_null(code);
    for (size_t i = 0; i < program->count; i++) {
        assay_store32(code + i * WORD_BYTES, program->word);
    }
    if (program->last != 0) {
        assay_store32(code + (size_t)program->count * WORD_BYTES, program->last);
    }
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(set, &spec, code, size, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    free(code);
    return set;
}

static void set_values(struct assay_parameter_values *values)
{
    assay_parameters_init(values, assay_format_ete.parameters);
    values->known[ETE_TRCIDR0] = values->known[ETE_TRCIDR8] = true;
    values->value[ETE_TRCIDR0] = UINT64_C(1) << ETE_COMMOPT_BIT;
}

/* The events of what was executed; why the layer is not complete, null if it is. */
static struct decoded follow(const struct stream *s, const struct program *program,
                             const char *complete)
{
    struct assay_parameter_values values;
    struct assay_image_set *images = image_of(program);
    struct assay_source *source = NULL;
    set_values(&values);
    assert_int_equal(assay_source_memory(s->bytes, s->size, &source), ASSAY_OK);
    const struct assay_decode_input input = {
        .source = source, .parameters = &values, .images = images};
    struct decoded all = decode_input(&input, ETE_INSTRUCTION, true);
    if (complete == NULL) {
        assert_true(all.complete);
    } else {
        assert_false(all.complete);
        assert_string_equal(all.why, complete);
    }
    assay_image_set_free(images);
    return all;
}

/* --- what is followed --- */

/* How many runs lie before an event of another kind, that one is `number`. */
static const struct seen *after_runs(const struct decoded *all, size_t number, size_t *runs)
{
    *runs = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].kind == ETE_run) {
            ++*runs;
        } else if (number-- == 0) {
            return &all->list[i];
        }
    }
    fail_msg("there is no such event");
    return NULL;
}

static void expect(const struct decoded *all, size_t number, size_t runs, unsigned kind)
{
    size_t seen = 0;
    const struct seen *event = after_runs(all, number, &seen);
    assert_string_equal(name_of(event), assay_format_ete.kinds[kind].name);
    assert_int_equal(seen, runs);
}

static void expect_lost(const struct decoded *all, size_t number, size_t runs, unsigned reason,
                        uint64_t address)
{
    size_t seen = 0;
    expect(all, number, runs, ETE_sync_lost);
    const struct seen *event = after_runs(all, number, &seen);
    assert_int_equal(value_of(event, "reason"), reason);
    assert_int_equal(value_of(event, "address"), address);
}

/* Of the pages, the last one has the branch; each is a part of its own. Twice, since the limit is
 * that of an element. */
static void an_atom_is_followed_through_as_many_pages_as_are_allowed(void **state)
{
    (void)state;
    for (unsigned pages = ETE_PARTS_MOST - 1; pages <= ETE_PARTS_MOST; pages++) {
        const struct program program = {NOP, pages * ETE_WALK_PAGE / WORD_BYTES, B_HERE};
        const bool is_reached = pages < ETE_PARTS_MOST;
        struct stream s = begin();
        put(&s, "\xf7", 1);
        put_target(&s, BEGIN);
        put(&s, "\xf7", 1);
        struct decoded all =
            follow(&s, &program,
                   is_reached ? NULL : "no P0 instruction in 4096 KiB of program from 0x100000");
        if (is_reached) {
            expect(&all, 1, 2 * ((size_t)pages + 1), ETE_trace_end);
        } else {
            expect_lost(&all, 1, pages, ETE_LOST_NO_P0, BEGIN);
            expect_lost(&all, 2, 2 * (size_t)pages, ETE_LOST_NO_P0, BEGIN);
        }
        free(all.list);
    }
}

/* A place in memory, and the context that leads to it. */
struct context {
    struct assay_space space;
    const char *info; /* of a packet: level and state, VMID, Context ID */
    size_t size;
};

/* Two programs at the same addresses, in one context and in the other. */
static void follow_in(const struct context contexts[2])
{
    static const uint32_t words[][2] = {{0xd503203f, B_HERE}, {0xd503201f, B_HERE}};
    static const unsigned order[] = {1, 0, 1};
    struct assay_parameter_values values;
    struct assay_image_set *set = NULL;
    struct assay_source *source = NULL;
    struct stream s = begin();
    for (size_t n = 0; n < sizeof order / sizeof *order; n++) {
        put(&s, "\x85\0\x08\0\0\0\0\0\0", 9);
        put(&s, contexts[order[n]].info, contexts[order[n]].size);
        put_target(&s, BEGIN);
        put(&s, "\xf7", 1);
    }
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    for (unsigned n = 0; n < 2; n++) {
        const struct assay_image_spec spec = {.path = "program",
                                              .kind = ASSAY_IMAGE_RAW,
                                              .has_address = true,
                                              .address = BEGIN,
                                              .space = contexts[n].space};
        assert_int_equal(assay_image_add_bytes(set, &spec, words[n], sizeof words[n], NULL),
                         ASSAY_OK);
    }
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    set_values(&values);
    assert_int_equal(assay_source_memory(s.bytes, s.size, &source), ASSAY_OK);
    struct decoded all = decode_program(source, &values, set, ETE_INSTRUCTION, false);
    size_t at = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind == ETE_instruction) {
            assert_in_range(at, 0, 5);
            assert_int_equal(value_of(&all.list[i], "word"), words[order[at / 2]][at % 2]);
            at++;
        }
    }
    assert_int_equal(at, 6);
    free(all.list);
    assay_image_set_free(set);
}

static void instructions_are_read_again_in_their_space(void **state)
{
    (void)state;
    static const struct context cases[][2] = {
        {{{.given = ASSAY_SPACE_EL, .el = 0}, "\x30", 1},
         {{.given = ASSAY_SPACE_EL, .el = 1}, "\x31", 1}},
        {{{.given = ASSAY_SPACE_SECURITY, .security = ASSAY_SECURITY_SECURE}, "\x11", 1},
         {{.given = ASSAY_SPACE_SECURITY, .security = ASSAY_SECURITY_NONSECURE}, "\x31", 1}},
        {{{.given = ASSAY_SPACE_VMID, .vmid = 2}, "\x71\2\0\0\0", 5},
         {{.given = ASSAY_SPACE_VMID, .vmid = 1}, "\x71\1\0\0\0", 5}},
        {{{.given = ASSAY_SPACE_CONTEXT, .context = 6}, "\xb1\6\0\0\0", 5},
         {{.given = ASSAY_SPACE_CONTEXT, .context = 5}, "\xb1\5\0\0\0", 5}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        follow_in(cases[n]);
    }
}

struct expected_run {
    unsigned isa, el;
    uint32_t word; /* of the program, from BEGIN on */
    bool resumes;
};

static void expect_runs(const struct stream *s, const struct program *program,
                        const struct expected_run *runs, size_t count)
{
    struct decoded all = follow(s, program, NULL);
    size_t n = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind == ETE_run) {
            assert_in_range(n, 0, count - 1);
            assert_int_equal(value_of(&all.list[i], "isa"), runs[n].isa);
            assert_int_equal(value_of(&all.list[i], "el"), runs[n].el);
            assert_int_equal(value_of(&all.list[i], "address"), BEGIN + WORD_BYTES * runs[n].word);
            assert_int_equal(value_of(&all.list[i], "resumes"), runs[n].resumes);
            n++;
        }
    }
    assert_int_equal(n, count);
    free(all.list);
}

/* What was followed before is in the cache, and what came after it last, too. */
static void
an_instruction_that_was_followed_before_is_of_the_context_and_the_address_now(void **state)
{
    (void)state;
    static const struct program returns = {0xd65f03c0, 2, 0};
    static const struct expected_run runs[] = {{ARM_A64, 1, 0, true},  {ARM_A64, 1, 0, false},
                                               {ARM_A64, 1, 0, false}, {ARM_A64, 1, 0, false},
                                               {ARM_A64, 1, 1, false}, {ARM_A64, 1, 0, false},
                                               {ARM_A64, 0, 0, false}, {ARM_A64, 0, 0, false}};
    struct stream s = begin();
    for (unsigned n = 0; n < 4; n++) {
        put(&s, "\xf7", 1);
        put_target(&s, BEGIN + (n == 3 ? WORD_BYTES : 0));
    }
    put(&s, "\xf7", 1);
    put_target(&s, BEGIN);
    put(&s, "\xf7\x85\0\x08\0\0\0\0\0\0\x30", 11); /* EL0 */
    for (unsigned n = 0; n < 2; n++) {
        put_target(&s, BEGIN);
        put(&s, "\xf7", 1);
    }
    expect_runs(&s, &returns, runs, sizeof runs / sizeof *runs);
}

/* A branch of A32 whose first half is a return in T32. */
static void an_instruction_that_was_followed_before_is_of_the_instruction_set_now(void **state)
{
    (void)state;
    static const struct program branches = {0xea004770, 2, 0};
    static const struct expected_run runs[] = {{ARM_A32, 1, 0, true},
                                               {ARM_A32, 1, 0, false},
                                               {ARM_A32, 1, 0, false},
                                               {ARM_T32, 1, 0, false},
                                               {ARM_A32, 1, 0, false}};
    struct stream s = begin();
    put(&s, "\x85\0\x08\0\0\0\0\0\0\x21", 10); /* EL1 in AArch32 state */
    put_target(&s, BEGIN);
    for (unsigned n = 0; n < 2; n++) {
        put(&s, "\xf7", 1);
        put_target(&s, BEGIN);
    }
    put(&s, "\xf7\x9b\0\0\x10\0", 6);
    put(&s, "\xf7", 1);
    put_target(&s, BEGIN);
    put(&s, "\xf7", 1);
    expect_runs(&s, &branches, runs, sizeof runs / sizeof *runs);
}

/* One program for all contexts, which change in one thing at a time. */
static void a_run_says_the_context_that_it_is_in(void **state)
{
    (void)state;
    static const struct program branches = {B_HERE, 1, 0};
    static const struct {
        const char *info;
        size_t size;
        unsigned security, vmid, context_id;
    } contexts[] = {{"\x31", 1, 1, 0, 0},
                    {"\x11", 1, 0, 0, 0},
                    {"\x51\2\0\0\0", 5, 0, 2, 0},
                    {"\xd1\2\0\0\0\5\0\0\0", 9, 0, 2, 5},
                    {"\xd1\2\0\0\0\6\0\0\0", 9, 0, 2, 6},
                    {"\xf1\2\0\0\0\6\0\0\0", 9, 1, 2, 6}};
    struct stream s = begin();
    size_t n = 0;
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        put(&s, "\x85\0\x08\0\0\0\0\0\0", 9);
        put(&s, contexts[i].info, contexts[i].size);
        put_target(&s, BEGIN);
        put(&s, "\xf7\xf7", 2);
    }
    struct decoded all = follow(&s, &branches, NULL);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind == ETE_run) {
            assert_in_range(n, 0, 2 * sizeof contexts / sizeof *contexts - 1);
            assert_int_equal(value_of(&all.list[i], "security"), contexts[n / 2].security);
            assert_int_equal(value_of(&all.list[i], "vmid"), contexts[n / 2].vmid);
            assert_int_equal(value_of(&all.list[i], "context_id"), contexts[n / 2].context_id);
            n++;
        }
    }
    assert_int_equal(n, 2 * sizeof contexts / sizeof *contexts);
    free(all.list);
}

/* After a context of a lower level, and of no other, the level above it was left. */
static void a_level_is_left_for_a_lower_one_only(void **state)
{
    (void)state;
    static const struct program branches = {B_HERE, 1, 0};
    static const char infos[] = "\x31\x31\x30\x30\x31\x30";
    static const unsigned lower[] = {0, 0, 1, 0, 0, 1};
    struct stream s = begin();
    size_t n = 0;
    for (size_t i = 0; infos[i] != '\0'; i++) {
        put(&s, "\x85\0\x08\0\0\0\0\0\0", 9);
        put(&s, &infos[i], 1);
        put_target(&s, BEGIN);
        put(&s, "\xf7", 1);
    }
    struct decoded all = follow(&s, &branches, NULL);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].kind == ETE_run) {
            assert_in_range(n, 0, sizeof lower / sizeof *lower - 1);
            assert_int_equal(all.list[i].cells[ETE_RUN_FLAGS] >> AFTER_SYSTEM_BIT & 1, lower[n++]);
        }
    }
    assert_int_equal(n, sizeof lower / sizeof *lower);
    free(all.list);
}

/* Each conditional branch that is passed ends a part. */
static void a_source_address_is_followed_through_as_many_parts_as_are_allowed(void **state)
{
    (void)state;
    const struct program program = {B_EQ, ETE_PARTS_MOST + 100, 0};
    const uint32_t last = BEGIN + (ETE_PARTS_MOST - 1) * WORD_BYTES;
    struct stream s = begin();
    put_source(&s, last);
    put_target(&s, BEGIN);
    put_source(&s, last + WORD_BYTES);
    put_target(&s, BEGIN);
    put_source(&s, last);
    struct decoded all =
        follow(&s, &program,
               "the program from 0x100000 to 0x101000 is more than is followed for an element");
    expect_lost(&all, 1, 2 * (size_t)ETE_PARTS_MOST, ETE_LOST_GIVEN_UP, last + WORD_BYTES);
    expect(&all, 2, 3 * (size_t)ETE_PARTS_MOST, ETE_trace_end);
    free(all.list);
}

static void an_exception_is_followed_through_as_many_parts_as_are_allowed(void **state)
{
    (void)state;
    const struct program program = {B_EQ, ETE_PARTS_MOST + 100, 0};
    const uint32_t last = BEGIN + ETE_PARTS_MOST * WORD_BYTES;
    struct stream s = begin();
    put_exception(&s, last);
    put_target(&s, BEGIN);
    put_exception(&s, last + WORD_BYTES);
    put_target(&s, BEGIN);
    put(&s, "\xf7", 1);
    struct decoded all =
        follow(&s, &program,
               "the program from 0x100000 to 0x101004 is more than is followed for an element");
    size_t runs = 0;
    expect(&all, 1, ETE_PARTS_MOST, ETE_exception_taken);
    assert_int_equal(value_of(after_runs(&all, 1, &runs), "reached"), ETE_REACHED);
    expect(&all, 2, 2 * (size_t)ETE_PARTS_MOST, ETE_exception_taken);
    assert_int_equal(value_of(after_runs(&all, 2, &runs), "reached"), ETE_REACHES_GIVEN_UP);
    expect(&all, 3, 2 * (size_t)ETE_PARTS_MOST + 1, ETE_trace_end);
    free(all.list);
}

/* That the program does not get there is known if something ends the straight code before it. */
static void
an_address_beyond_what_is_followed_is_wrong_only_after_what_is_always_taken(void **state)
{
    (void)state;
    const unsigned most = ETE_PARTS_MOST * ETE_WALK_PAGE / WORD_BYTES;
    for (unsigned before = most - 1; before <= most; before++) {
        const struct program program = {NOP, before, B_HERE};
        const bool is_known = before < most;
        const uint32_t beyond = BEGIN + (most + 2) * WORD_BYTES;
        struct stream s = begin();
        put_exception(&s, beyond);
        put_target(&s, BEGIN);
        put_source(&s, beyond);
        struct decoded all = follow(
            &s, &program,
            is_known
                ? NULL
                : "the program from 0x100000 to 0x500008 is more than is followed for an element");
        size_t runs = 0;
        const struct seen *exception = after_runs(&all, 1, &runs);
        assert_int_equal(exception->kind, ETE_exception_taken);
        assert_int_equal(value_of(exception, "reached"),
                         is_known ? ETE_TOO_FAR : ETE_REACHES_GIVEN_UP);
        expect_lost(&all, 2, 0, is_known ? ETE_LOST_NOT_REACHED : ETE_LOST_GIVEN_UP, beyond);
        free(all.list);
    }
}

static const char TOO_MANY_WAYS[] =
    "the ways through a Q element from 0x100000 are more than are followed";

static void a_q_is_followed_through_as_many_parts_as_are_allowed(void **state)
{
    (void)state;
    const struct program program = {B_NEXT, ETE_PARTS_MOST + 100, 0};
    const uint32_t last = BEGIN + (ETE_PARTS_MOST - 1) * WORD_BYTES;
    struct stream s = begin();
    put(&s, "\xac\x80\x08", 3); /* 1,024 instructions */
    put_target(&s, BEGIN);
    put(&s, "\xac\x81\x08", 3);
    struct decoded all = follow(
        &s, &program, "the ways through a Q element from 0x100000 are more than are followed");
    expect_lost(&all, 1, 2 * (size_t)ETE_PARTS_MOST, ETE_LOST_Q, last);
    free(all.list);
}

/* Branches to themselves: after n instructions there are n + 1 ways. */
static void as_many_ways_through_a_q_are_followed_as_are_allowed(void **state)
{
    (void)state;
    const struct program program = {B_EQ, 100, 0};
    struct stream few = begin();
    struct stream many = begin();
    put(&few, "\xac\x28", 2);  /* 40 instructions */
    put(&many, "\xac\x32", 2); /* 50: 1,275 parts */
    free(follow(&few, &program, NULL).list);
    free(follow(&many, &program, TOO_MANY_WAYS).list);
}

/* --- completeness --- */

static void a_program_that_is_absent_is_noted(void **state)
{
    (void)state;
    const struct program program = {NOP, 2, 0};
    struct stream atom = begin();
    put(&atom, "\xf7", 1);
    put_target(&atom, BEGIN + 0x1000);
    put(&atom, "\xf7", 1);
    free(follow(&atom, &program, "no program image at 0x100008").list);
    struct stream exception = begin();
    put_exception(&exception, BEGIN + 3 * WORD_BYTES);
    free(follow(&exception, &program, "no program image at 0x100008").list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_atom_is_followed_through_as_many_pages_as_are_allowed),
        cmocka_unit_test(instructions_are_read_again_in_their_space),
        cmocka_unit_test(
            an_instruction_that_was_followed_before_is_of_the_context_and_the_address_now),
        cmocka_unit_test(an_instruction_that_was_followed_before_is_of_the_instruction_set_now),
        cmocka_unit_test(a_run_says_the_context_that_it_is_in),
        cmocka_unit_test(a_level_is_left_for_a_lower_one_only),
        cmocka_unit_test(a_source_address_is_followed_through_as_many_parts_as_are_allowed),
        cmocka_unit_test(an_exception_is_followed_through_as_many_parts_as_are_allowed),
        cmocka_unit_test(
            an_address_beyond_what_is_followed_is_wrong_only_after_what_is_always_taken),
        cmocka_unit_test(a_q_is_followed_through_as_many_parts_as_are_allowed),
        cmocka_unit_test(as_many_ways_through_a_q_are_followed_as_are_allowed),
        cmocka_unit_test(a_program_that_is_absent_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
