/* The classification against independent assemblers and disassemblers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/tests/turn.h"
#include "isa/rv.h"
#include "isa/tests/rv_oracle.h"
#include "isa/tests/rv_tools.h"
#include "isa/tests/templates.h"

#define MAX_LINES       (1u << 16)
#define COPIES          6u
#define RANDOM_WORDS    100000u
#define MAX_DIFFERENCES 160u

struct template
{
    char tools;
    unsigned xlen;
    const char *text;
};

static const struct template templates[] = {
#define TEMPLATE(tools, xlen, text) {tools, xlen, text},
#include "isa/tests/rv_templates.def"
#undef TEMPLATE
};
#define TEMPLATES (sizeof templates / sizeof templates[0])

/* A difference that is known: words of `length` bytes with (word & mask) == value, in which the
 * tool sees `theirs` (a class, or "*") and we see `ours`. A line of the list has: length, xlen (0
 * for both), mask, value, tool, theirs, ours and the reason, with tabs between. */
struct difference {
    unsigned length, xlen;
    uint32_t mask, value;
    char tool[16], theirs[24], ours[24];
    bool used;
};

struct run {
    const struct rv_tool *tool;
    char (*source)[ISA_SOURCE_SIZE]; /* the text of each instruction; null for words */
    uint32_t *words;                 /* what was assembled, or what is */
    unsigned count, size, seen, disagreements, explained;
};

static struct difference differences[MAX_DIFFERENCES];
static unsigned difference_count;
static char directory[64];
static char source[MAX_LINES][ISA_SOURCE_SIZE];
static uint32_t assembled[MAX_LINES]; /* words of the sources of the tool that ran last */
static unsigned assembled_count;
static uint32_t words[RANDOM_WORDS];

static int read_differences(void **state)
{
    (void)state;
    FILE *file = fopen(RV_DIFFERENCES, "r");
    assert_non_null(file);
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(difference_count < MAX_DIFFERENCES);
        struct difference *d = &differences[difference_count++];
        char reason[4];
        const int fields =
            sscanf(line, "%u\t%u\t%8x\t%8x\t%15[^\t]\t%23[^\t]\t%23[^\t]\t%3s", &d->length,
                   &d->xlen, &d->mask, &d->value, d->tool, d->theirs, d->ours, reason);
        assert_int_equal(fields, 8);
        assert_int_equal(d->value & ~d->mask, 0);
    }
    fclose(file);
    return 0;
}

static unsigned xlen_of(enum rv_isa isa)
{
    return isa == RV_64 ? 64 : 32;
}

static bool same(const char *listed, const char *name)
{
    return strcmp(listed, "*") == 0 || strcmp(listed, name) == 0;
}

static bool known(const struct run *run, const struct isa_line *line, const char *theirs,
                  const char *ours)
{
    for (unsigned i = 0; i < difference_count; i++) {
        struct difference *d = &differences[i];
        if (d->length == line->length && (line->word & d->mask) == d->value &&
            (d->xlen == 0 || d->xlen == xlen_of(run->tool->isa)) &&
            strcmp(d->tool, run->tool->tool.name) == 0 && same(d->theirs, theirs) &&
            same(d->ours, ours)) {
            d->used = true;
            return true;
        }
    }
    return false;
}

static bool class_agrees(const char *theirs, uint64_t info)
{
    return strcmp(theirs, "reserved") == 0
               ? rv_info_is_valid(info) == 0
               : strcmp(theirs, rv_class_name(rv_info_class(info))) == 0;
}

static bool vector_access_agrees(const struct rv_expectation *e, uint64_t info)
{
    return rv_info_fields(info) == e->fields && rv_info_access_log2(info) == e->element_log2 &&
           rv_info_index_log2(info) == e->index_log2 &&
           rv_info_is_first_fault(info) == e->first_fault;
}

static const char *disagreement(uint32_t word, uint64_t info, const struct rv_expectation *e)
{
    if (!class_agrees(e->name, info)) {
        return "class";
    }
    if (rv_info_is_valid(info) == 0) {
        return NULL;
    }
    if (rv_info_reads(info) != e->reads || rv_info_writes(info) != e->writes) {
        return "direction";
    }
    if (rv_info_is_acquire(info) != e->acquire || rv_info_is_release(info) != e->release) {
        return "order";
    }
    if (rv_access_bytes(info) != e->bytes) {
        return "size";
    }
    if (rv_info_csr_read(info) != e->csr_read || rv_info_csr_written(info) != e->csr_written) {
        return "use of a CSR";
    }
    if (rv_info_transfer(info) != (unsigned)e->transfer) {
        return "transfer";
    }
    if (rv_info_is_masked(info) != e->masked) {
        return "mask";
    }
    if (rv_info_is_vector(info) != 0 && !vector_access_agrees(e, info)) {
        return "vector access";
    }
    struct rv_registers registers;
    rv_registers(word, info, &registers);
    return memcmp(&registers, &e->registers, sizeof registers) == 0 ? NULL : "registers";
}

/* The address that the disassembler prints as the last operand; of LLVM 14 it is an offset. */
static bool target_agrees(const struct run *run, const struct isa_line *line)
{
    uint64_t ours = 0;
    const uint64_t info = rv_classify(line->word, run->tool->isa);
    if (!rv_direct_target(line->word, run->tool->isa, line->address, &ours) ||
        rv_info_class(info) == RV_JALR) {
        return true;
    }
    char text[160];
    rv_normalise(text, line->text);
    const char *last = strrchr(text, ',');
    last = last != NULL ? last + 1 : strchr(text, ' ') + 1;
    const uint64_t theirs = strtoull(last, NULL, 16);
    return run->tool->isa == RV_64 ? theirs == ours : (uint32_t)theirs == ours;
}

static void compare(struct run *run, const struct isa_line *line, const char *text, bool target)
{
    const uint64_t info = rv_classify(line->word, run->tool->isa);
    const char *ours = rv_class_name(rv_info_class(info));
    const struct rv_expectation e = rv_expect(text);
    const char *what = disagreement(line->word, info, &e);
    if (what == NULL && rv_info_length(info) != line->length) {
        what = "length";
    }
    if (what == NULL && target && !target_agrees(run, line)) {
        what = "target";
    }
    if (what == NULL) {
        return;
    }
    if (known(run, line, e.name, ours)) {
        run->explained++;
        return;
    }
    run->disagreements++;
    if (run->disagreements <= 40) {
        print_error("%s %u: %08x \"%s\": %s differs from %s's\n", run->tool->tool.name,
                    xlen_of(run->tool->isa), line->word, text, what, ours);
    }
}

static void check_line(const struct isa_line *line, void *context)
{
    struct run *run = context;
    if (run->source != NULL) {
        assert_true(run->seen < run->count);
        run->words[run->seen] = line->word;
    } else {
        const uint64_t at = line->address / run->size;
        assert_true(at < run->count);
        assert_int_equal(line->word, run->words[at]);
    }
    compare(run, line, line->text, true);
    run->seen++;
}

static FILE *open_source(char path[96], const char *name)
{
    snprintf(path, 96, "%s/%s.s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void finish(struct run *run, const char *path)
{
    const bool ran = isa_tool_run(&run->tool->tool, path, check_line, run);
    if (ran) {
        remove(path);
    } else {
        print_error("%s refused %s\n", run->tool->tool.name, path);
    }
    assert_true(ran);
    assert_int_equal(run->seen, run->count);
    print_message("%s, RV%u: %u words, %u disagreements, %u explained\n", run->tool->tool.name,
                  xlen_of(run->tool->isa), run->count, run->disagreements, run->explained);
    assert_int_equal(run->disagreements, 0);
}

static void check_words(const struct rv_tool *tool, uint32_t *list, unsigned count, unsigned size)
{
    struct run run = {.tool = tool, .words = list, .count = count, .size = size};
    char path[96];
    FILE *file = open_source(path, "words");
    for (unsigned n = 0; n < count; n++) {
        fprintf(file, "%s 0x%0*x\n", size == 4 ? tool->word_directive : tool->half_directive,
                (int)size * 2, list[n]);
    }
    fclose(file);
    finish(&run, path);
}

/* The sources for a tool; returns how many. */
static unsigned fill(const struct rv_tool *tool)
{
    const char *chosen[TEMPLATES];
    struct isa_templates list = {.text = chosen};
    for (size_t i = 0; i < TEMPLATES; i++) {
        if ((templates[i].tools == 'b' || templates[i].tools == tool->letter) &&
            (templates[i].xlen == 0 || templates[i].xlen == xlen_of(tool->isa))) {
            chosen[list.count++] = templates[i].text;
        }
    }
    return isa_fill_templates(source, MAX_LINES, &list, COPIES, 3);
}

/* The instruction that a source means is what the disassembler prints of its word; that test is
 * the next one's. Here the tool may choose other names for the same, so only classes count. */
static void check_sources(const struct run *run)
{
    for (unsigned n = 0; n < run->count; n++) {
        const uint64_t info = rv_classify(run->words[n], run->tool->isa);
        const struct rv_expectation e = rv_expect(source[n]);
        const bool alias = e.name[0] == '\0' || rv_info_length(info) == 2;
        if (!alias && !class_agrees(e.name, info)) {
            print_error("%s: %08x is not \"%s\"\n", run->tool->tool.name, run->words[n], source[n]);
        }
        assert_true(alias ? rv_info_is_valid(info) != 0 : class_agrees(e.name, info));
    }
}

static void assemble(const struct rv_tool *tool)
{
    struct run run = {.tool = tool, .source = source, .words = assembled};
    run.count = fill(tool);
    assembled_count = 0;
    char path[96];
    FILE *file = open_source(path, "templates");
    fprintf(file, ".option norvc\n");
    for (unsigned n = 0; n < run.count; n++) {
        const bool compressed = strncmp(source[n], "c.", 2) == 0;
        fprintf(file, "%s%s%s\n", compressed ? ".option rvc\n" : "", source[n],
                compressed ? "\n.option norvc" : "");
    }
    fclose(file);
    finish(&run, path);
    assembled_count = run.count;
    check_sources(&run);
}

static void what_an_assembler_makes_of_a_source_has_the_class_of_the_source(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rv_tool_count; i++) {
        if (isa_tool_present(&rv_tools[i].tool)) {
            assemble(&rv_tools[i]);
        }
    }
}

/* Those with bits [1:0] 0b11 begin longer instructions. */
static void all_words_of_16_bits_have_the_class_that_a_disassembler_prints(void **state)
{
    (void)state;
    unsigned count = 0;
    for (uint32_t word = 0; word <= 0xffff; word++) {
        if ((word & 3) != 3 && is_in_turn(word >> 2)) {
            words[count++] = word;
        }
    }
    assert_int_equal(count, are_all_in_turn() ? 3u << 14 : (3u << 14) / TURNS);
    for (unsigned i = 0; i < rv_tool_count; i++) {
        if (isa_tool_present(&rv_tools[i].tool)) {
            check_words(&rv_tools[i], words, count, 2);
        }
    }
}

/* Half are assembled words with one to four bits turned, so that they are near to instructions; the
 * others are random, all major opcodes and funct3 alike. */
static uint32_t random_word(uint64_t *seed, unsigned n)
{
    uint32_t word = isa_random(seed);
    if (n % 2 == 1 || assembled_count == 0) {
        const uint32_t column = n >> 1 & 7;
        const uint32_t line = (n >> 4) % 28; /* of the opcode map; column 7 of it is longer words */
        return (word & 0xffff8f80) | column << 12 | (line / 7 * 8 + line % 7) << 2 | 3;
    }
    do {
        const unsigned turned = 1 + isa_random(seed) % 4;
        word = assembled[isa_random(seed) % assembled_count];
        for (unsigned i = 0; i < turned; i++) {
            word ^= 1u << (isa_random(seed) % 32);
        }
    } while (rv_length((uint16_t)word) != 4);
    return word;
}

static void random_words_have_the_class_that_a_disassembler_prints(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rv_tool_count; i++) {
        if (!isa_tool_present(&rv_tools[i].tool)) {
            continue;
        }
        if (assembled_count == 0) {
            assemble(&rv_tools[i]);
        }
        uint64_t seed = 4;
        unsigned count = 0;
        for (unsigned n = 0; n < RANDOM_WORDS; n++) {
            words[count] = random_word(&seed, n);
            count += is_in_turn(n >> 1); /* of both sorts */
        }
        check_words(&rv_tools[i], words, count, 4);
    }
}

static void every_difference_that_is_listed_is_there(void **state)
{
    (void)state;
    unsigned unused = 0;
    for (unsigned n = 0; n < difference_count && are_all_in_turn(); n++) {
        bool here = false;
        for (unsigned i = 0; i < rv_tool_count; i++) {
            here = here || (strcmp(rv_tools[i].tool.name, differences[n].tool) == 0 &&
                            isa_tool_present(&rv_tools[i].tool));
        }
        if (here && !differences[n].used) {
            print_error("line %u of the list explains nothing\n", n + 1);
            unused++;
        }
    }
    assert_int_equal(unused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_assembler_makes_of_a_source_has_the_class_of_the_source),
        cmocka_unit_test(all_words_of_16_bits_have_the_class_that_a_disassembler_prints),
        cmocka_unit_test(random_words_have_the_class_that_a_disassembler_prints),
        cmocka_unit_test(every_difference_that_is_listed_is_there),
    };
    bool any = false;
    for (unsigned i = 0; i < rv_tool_count; i++) {
        any = any || isa_tool_present(&rv_tools[i].tool);
    }
    if (!any) {
        puts("skipped: neither riscv64-linux-gnu-as and -objdump (binutils-riscv64-linux-gnu) nor "
             "llvm-mc-14 and llvm-objdump-14 (llvm) are installed");
        return 77;
    }
    const char *place = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/rv-XXXXXX", place != NULL ? place : "/tmp");
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, read_differences, NULL);
    rmdir(directory);
    return failed;
}
