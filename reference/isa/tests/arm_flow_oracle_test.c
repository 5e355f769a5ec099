/* The control flow of A32 and T32 words, compared with that of the text that LLVM prints of them:
 * every T32 instruction of one halfword, and random words. Of what is unpredictable LLVM prints
 * nothing. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/disassemble.h"
#include "isa/tests/arm_flow_oracle.h"
#include "isa/tests/templates.h"

enum { WORDS = 1000000, PC = 0x10002, MOST_SHOWN = 40 };

static struct assay_disassembler *disassembler;
static uint64_t words = WORDS; /* of each instruction set; the argument of the program */

struct run {
    enum arm_set set;
    uint64_t printed;                     /* words of which LLVM prints an instruction */
    uint64_t kinds[ARM_FLOW_KIND_COUNT];  /* of these, how many of each kind */
    uint64_t silent[ARM_FLOW_KIND_COUNT]; /* how many of each kind of the other words */
    uint64_t differences;
};

static bool same(const struct arm_flow *a, const struct arm_flow *b)
{
    return a->kind == b->kind && a->size == b->size && a->target_set == b->target_set &&
           a->conditional == b->conditional && a->link == b->link && a->is_return == b->is_return &&
           a->target == b->target && a->covers == b->covers;
}

static void show(const char *who, const struct arm_flow *flow)
{
    print_error("  %s: %s to %s %#llx%s%s%s, covers %u\n", who, arm_flow_kind_name(flow->kind),
                arm_set_name(flow->target_set), (unsigned long long)flow->target,
                flow->conditional ? ", conditional" : "", flow->link ? ", link" : "",
                flow->is_return ? ", return" : "", flow->covers);
}

static void compare(struct run *run, uint32_t word, unsigned size)
{
    const bool thumb = run->set == ARM_T32;
    const uint32_t pc = thumb ? PC : PC & ~3u;
    const struct arm_flow ours = !thumb ? arm_flow_a32(word, pc)
                                 : size == 2
                                     ? arm_flow_t32((uint16_t)word, 0, pc)
                                     : arm_flow_t32((uint16_t)(word >> 16), (uint16_t)word, pc);
    const struct assay_instruction instruction = {.address = pc,
                                                  .word = word,
                                                  .machine = EM_ARM,
                                                  .bytes = (uint8_t)size,
                                                  .width = 32,
                                                  .thumb = thumb};
    char text[128];
    if (!assay_disassemble(disassembler, &instruction, text, sizeof text)) {
        run->silent[ours.kind]++;
        return;
    }
    const struct arm_flow theirs = arm_flow_expect(text, run->set, size, pc);
    run->printed++;
    run->kinds[ours.kind]++;
    if (!same(&ours, &theirs) && run->differences++ < MOST_SHOWN) {
        print_error("%s %08x \"%s\"\n", arm_set_name(run->set), word, text);
        show("table", &ours);
        show("text", &theirs);
    }
}

static void finish(const struct run *run)
{
    print_message("%s: %llu words with text, %llu differences\n", arm_set_name(run->set),
                  (unsigned long long)run->printed, (unsigned long long)run->differences);
    for (unsigned kind = 0; kind < ARM_FLOW_KIND_COUNT; kind++) {
        if (run->kinds[kind] + run->silent[kind] > 0) {
            print_message("  %s: %llu, and %llu without text\n", arm_flow_kind_name(kind),
                          (unsigned long long)run->kinds[kind],
                          (unsigned long long)run->silent[kind]);
        }
    }
    assert_true(run->printed > 0);
    assert_int_equal(run->differences, 0);
}

static void every_halfword_of_t32_has_the_flow_of_its_text(void **state)
{
    (void)state;
    struct run run = {.set = ARM_T32};
    for (uint32_t word = 0; word < 0xe800; word++) {
        compare(&run, word, 2);
    }
    finish(&run);
}

/* One word of each form of what changes the flow, of A32 and of T32 of two halfwords. */
static const uint32_t a32_words[] = {
    0xfb004000, 0xf8bd0a00, 0xf57ff06f, 0xe12fff1e, 0x012fff13, 0xe12fff22, 0xe12fff34, 0xe160006e,
    0xe1000074, 0xe1200073, 0xe1400075, 0xe1600072, 0xe1a0f00e, 0x908ff103, 0xe05ef004, 0xe320f002,
    0xe320f003, 0xe28ff004, 0xe25ef004, 0xe3e0f004, 0xe49df004, 0xe590f000, 0xe73ff102, 0xe7f000f7,
    0xe8bd8010, 0xe8908002, 0xe8fd8001, 0xea000400, 0xbbffffc0, 0xef000000, 0xee070f95, 0xe1b0f00e};
static const uint32_t t32_words[] = {
    0xf460a800, 0xf300b800, 0xf600f800, 0xf001e800, 0xf3c28f00, 0xf3de8f04, 0xf3de8f00, 0xf7e08005,
    0xf7f18000, 0xf7f0a003, 0xf3bf8f6f, 0xf3af8002, 0xf3af8003, 0xe81dc000, 0xe9bdc000, 0xe8bd8010,
    0xe8908002, 0xe9318004, 0xe8dff000, 0xe8d1f012, 0xf85dfb04, 0xf85ff008, 0xf8d1f004, 0xf851fc04,
    0xf851ff04, 0xf851f022, 0xee071f95, 0xf78f8001, 0xf3ef8100, 0xf3bf8f5f, 0xea5f0000, 0xeb0d0f00};

/* A random one, or one of the words with one to four bits turned. */
static uint32_t next_word(uint64_t *seed, const uint32_t *near, size_t count)
{
    if (isa_random(seed) % 2 == 0) {
        return isa_random(seed);
    }
    uint32_t word = near[isa_random(seed) % count];
    for (unsigned n = isa_random(seed) % 4; n < 4; n++) {
        word ^= UINT32_C(1) << (isa_random(seed) % 32);
    }
    return word;
}

static void random_words_of_t32_have_the_flow_of_their_text(void **state)
{
    (void)state;
    struct run run = {.set = ARM_T32};
    uint64_t seed = 1;
    for (uint64_t i = 0; i < words; i++) {
        const uint32_t word = next_word(&seed, t32_words, sizeof t32_words / sizeof t32_words[0]);
        if (arm_t32_is_wide((uint16_t)(word >> 16))) {
            compare(&run, word, 4);
        } else {
            compare(&run, 0xe8000000 + word % 0x18000000, 4);
        }
    }
    finish(&run);
}

static void random_words_of_a32_have_the_flow_of_their_text(void **state)
{
    (void)state;
    struct run run = {.set = ARM_A32};
    uint64_t seed = 2;
    for (uint64_t i = 0; i < words; i++) {
        compare(&run, next_word(&seed, a32_words, sizeof a32_words / sizeof a32_words[0]), 4);
    }
    finish(&run);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_halfword_of_t32_has_the_flow_of_its_text),
        cmocka_unit_test(random_words_of_t32_have_the_flow_of_their_text),
        cmocka_unit_test(random_words_of_a32_have_the_flow_of_their_text),
    };
    if (argc > 1) {
        words = strtoull(argv[1], NULL, 0);
    }
    disassembler = assay_disassembler_open();
    char text[32];
    const struct assay_instruction nop = {
        .word = 0xe320f000, .machine = EM_ARM, .bytes = 4, .width = 32};
    if (!assay_disassemble(disassembler, &nop, text, sizeof text)) {
        puts("skipped: LLVM's library with the target ARM is not installed");
        assay_disassembler_close(disassembler);
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assay_disassembler_close(disassembler);
    return failed;
}
