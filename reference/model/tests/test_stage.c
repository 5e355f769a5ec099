/* The chain of stages: whose blocks are given, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/stage.h"

/* The first stage gives BLOCKS blocks of two events; the second gives two for each that it takes,
 * in blocks of one; the last one holds all events back until the end. */
enum { BLOCKS = 3, PACKETS = 2 * BLOCKS, INSTRUCTIONS = 2 * PACKETS, MOST = 64 };

struct stage {
    struct assay_stage stage;
    uint64_t given, taken; /* events */
    bool told_end;
    struct assay_event event[MOST];
};

static enum assay_error give(struct stage *s, size_t count, unsigned layer,
                             struct assay_block *block)
{
    for (size_t i = 0; i < count; i++) {
        s->event[i].index = s->given++;
    }
    *block = (struct assay_block){.events = s->event, .count = count, .layer = layer};
    return ASSAY_OK;
}

static enum assay_error take(struct assay_stage *stage, const struct assay_block *below,
                             struct assay_diag *diag)
{
    struct stage *s = (struct stage *)stage;
    (void)diag;
    assert_true(below->count == 0 || below->events[0].index == s->taken);
    assert_false(s->told_end);
    s->told_end = below->count == 0;
    s->taken += below->count;
    return ASSAY_OK;
}

static enum assay_error next_packets(struct assay_stage *stage, struct assay_block *block,
                                     struct assay_diag *diag)
{
    struct stage *s = (struct stage *)stage;
    (void)diag;
    return give(s, s->given < PACKETS ? 2 : 0, 0, block);
}

static enum assay_error next_instructions(struct assay_stage *stage, struct assay_block *block,
                                          struct assay_diag *diag)
{
    struct stage *s = (struct stage *)stage;
    (void)diag;
    return give(s, s->given < 2 * s->taken ? 1 : 0, 1, block);
}

static enum assay_error next_held(struct assay_stage *stage, struct assay_block *block,
                                  struct assay_diag *diag)
{
    struct stage *s = (struct stage *)stage;
    (void)diag;
    return give(s, s->told_end ? (size_t)(s->taken - s->given) : 0, 1, block);
}

static enum assay_error next_last(struct assay_stage *stage, struct assay_block *block,
                                  struct assay_diag *diag)
{
    struct stage *s = (struct stage *)stage;
    (void)diag;
    return give(s, s->given < s->taken ? 1 : 0, 2, block);
}

static void close_nothing(struct assay_stage *stage)
{
    (void)stage;
}

static const struct assay_stage_ops packets = {.next = next_packets, .close = close_nothing};
static const struct assay_stage_ops instructions = {
    .take = take, .next = next_instructions, .close = close_nothing};
static const struct assay_stage_ops held = {
    .take = take, .next = next_held, .close = close_nothing, .annotates = true};
static const struct assay_stage_ops speculative = {
    .take = take, .next = next_held, .close = close_nothing};
static const struct assay_stage_ops last = {
    .take = take, .next = next_last, .close = close_nothing};

/* The layers of the blocks that a chain gives, one digit each. */
static void run(const struct assay_stage_ops *const *ops, size_t count, char *layers)
{
    static struct stage stages[4];
    struct assay_chain chain = {.count = 0};
    struct assay_block block;
    for (size_t i = 0; i < count; i++) {
        stages[i] = (struct stage){.stage = {ops[i]}};
        assert_int_equal(assay_chain_add(&chain, &stages[i].stage), ASSAY_OK);
    }
    do {
        assert_int_equal(assay_chain_next(&chain, &block, NULL), ASSAY_OK);
        *layers = (char)('0' + block.layer);
        layers += block.count > 0;
    } while (block.count > 0);
    assert_int_equal(assay_chain_next(&chain, &block, NULL), ASSAY_OK);
    assert_int_equal(block.count, 0); /* the end is the end */
    *layers = '\0';
    assert_int_equal(stages[0].given, PACKETS);
    for (size_t i = 1; i < count; i++) {
        assert_int_equal(stages[i].taken, stages[i - 1].given);
        assert_true(stages[i].told_end);
    }
    assay_chain_close(&chain);
}

static void a_stage_is_asked_again_when_all_above_has_used_its_block(void **state)
{
    const struct assay_stage_ops *const ops[] = {&packets, &instructions};
    char layers[MOST];
    (void)state;
    run(ops, 2, layers);
    assert_string_equal(layers, "011110111101111");
}

static void only_what_the_annotating_stage_gives_of_its_layer_is_seen(void **state)
{
    const struct assay_stage_ops *const ops[] = {&packets, &instructions, &held};
    char layers[MOST];
    (void)state;
    run(ops, 3, layers);
    assert_string_equal(layers, "0001"); /* at the end, all at once */
}

static void the_only_layer_can_be_annotated(void **state)
{
    const struct assay_stage_ops *const ops[] = {&packets, &held};
    char layers[MOST];
    (void)state;
    run(ops, 2, layers);
    assert_string_equal(layers, "1");
}

/* One holds all events back until the end, the next one what it is given then; and one above takes
 * what they have passed on. */
static void stages_that_annotate_follow_one_another(void **state)
{
    const struct assay_stage_ops *const two[] = {&packets, &instructions, &held, &held};
    const struct assay_stage_ops *const between[] = {&packets, &held, &last};
    char layers[MOST];
    (void)state;
    run(two, 4, layers);
    assert_string_equal(layers, "0001");
    run(between, 3, layers);
    assert_string_equal(layers, "1222222");
}

static bool says(const struct assay_stage *stage, const char **why)
{
    *why = stage->ops->annotates ? "it annotates" : "it gives a layer";
    return false;
}

static void layers_are_those_of_the_stages_that_do_not_annotate(void **state)
{
    const struct assay_stage_ops gives = {.complete = says, .close = close_nothing};
    const struct assay_stage_ops annotates = {
        .complete = says, .close = close_nothing, .annotates = true};
    struct assay_stage stages[] = {{&gives}, {&annotates}, {&gives}, {&annotates}};
    struct assay_chain chain = {.count = 0};
    const char *why = NULL;
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(assay_chain_add(&chain, &stages[n]), ASSAY_OK);
    }
    assert_false(assay_chain_complete(&chain, 1, &why));
    assert_string_equal(why, "it gives a layer");
    assert_true(assay_chain_complete(&chain, 2, &why)); /* there is none */
    assert_null(why);
    assay_chain_close(&chain);
}

static void what_a_stage_gives_at_its_end_goes_up_before_the_next_stage_ends(void **state)
{
    const struct assay_stage_ops *const ops[] = {&packets, &speculative, &last};
    const struct assay_stage_ops *const compared[] = {&packets, &speculative, &held};
    char layers[MOST];
    (void)state;
    run(ops, 3, layers);
    assert_string_equal(layers, "0001222222");
    run(compared, 3, layers);
    assert_string_equal(layers, "0001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_is_asked_again_when_all_above_has_used_its_block),
        cmocka_unit_test(only_what_the_annotating_stage_gives_of_its_layer_is_seen),
        cmocka_unit_test(the_only_layer_can_be_annotated),
        cmocka_unit_test(stages_that_annotate_follow_one_another),
        cmocka_unit_test(layers_are_those_of_the_stages_that_do_not_annotate),
        cmocka_unit_test(what_a_stage_gives_at_its_end_goes_up_before_the_next_stage_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
