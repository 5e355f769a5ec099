/* The classification against independent assemblers and disassemblers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/tests/a64_oracle.h"
#include "isa/tests/a64_tools.h"
#include "isa/tests/templates.h"

#define MAX_LINES       (1u << 16)
#define COPIES          24u
#define RANDOM_WORDS    250000u
#define MAX_DIFFERENCES 192u

/* A difference that is known: words with (word & mask) == value that the tool takes for a class. A
 * line of the list has the mask, the value, the tool, that class and the reason, with tabs between.
 */
struct difference {
    uint32_t mask, value;
    char tool[16];
    char theirs[24];
};

struct run {
    const struct isa_tool *tool;
    char (*source)[ISA_SOURCE_SIZE]; /* the text of each instruction; null for random words */
    uint32_t *words;                 /* what was assembled, or what is */
    unsigned count, seen, disagreements, explained;
};

static const char *const template_list[] = {
#define TEMPLATE(text) text,
#include "isa/tests/a64_templates.def"
#undef TEMPLATE
};
static const struct isa_templates templates = {template_list,
                                               sizeof template_list / sizeof template_list[0]};

static struct difference differences[MAX_DIFFERENCES];
static unsigned difference_count;
static char directory[64];
static uint32_t assembled[MAX_LINES]; /* words of the first test, which the second varies */
static unsigned assembled_count;

static int read_differences(void **state)
{
    (void)state;
    FILE *file = fopen(A64_DIFFERENCES, "r");
    assert_non_null(file);
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(difference_count < MAX_DIFFERENCES);
        struct difference *d = &differences[difference_count++];
        char reason[4];
        const int fields = sscanf(line, "%8x\t%8x\t%15[^\t]\t%23[^\t]\t%3s", &d->mask, &d->value,
                                  d->tool, d->theirs, reason);
        assert_int_equal(fields, 5);
        assert_int_equal(d->value & ~d->mask, 0);
    }
    fclose(file);
    return 0;
}

static bool known(const struct run *run, uint32_t word, const char *theirs)
{
    for (unsigned i = 0; i < difference_count; i++) {
        const struct difference *d = &differences[i];
        if ((word & d->mask) == d->value && strcmp(d->tool, run->tool->name) == 0 &&
            strcmp(d->theirs, theirs) == 0) {
            return true;
        }
    }
    return false;
}

static bool one_of(const char *name, const char *list)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Unallocated words of data processing, and of SVE and SME except for memory, aren't detected, as
 * a64.h says. */
static bool class_agrees(const char *expected, const char *name)
{
    if (strcmp(expected, "unallocated") == 0) {
        return one_of(name, "unallocated other pac aut xpac sve sme");
    }
    return strcmp(expected, "other") == 0 ? one_of(name, "other sve sme")
                                          : strcmp(expected, name) == 0;
}

static bool scalable_agrees(uint64_t info, const struct a64_scalable_expectation *e)
{
    const bool flags = e->first_fault == a64_info_is_first_fault(info) &&
                       e->non_fault == a64_info_is_non_fault(info) &&
                       e->gather_scatter == a64_info_is_gather_scatter(info) &&
                       e->za_indexing == a64_info_is_za_indexing(info) &&
                       e->replicate == a64_info_is_replicate(info) &&
                       e->predicated == a64_info_is_predicated(info);
    const bool sizes =
        e->log2 == a64_info_access_log2(info) && e->count == a64_info_access_count(info);
    return flags && e->element == a64_info_element_log2(info) && (!e->sized || sizes);
}

static const char *disagreement(uint64_t info, const struct a64_expectation *e)
{
    if (!class_agrees(e->name, a64_class_name(a64_info_class(info)))) {
        return "class";
    }
    if (strcmp(e->name, "unallocated") == 0) {
        return NULL;
    }
    if (e->reads != a64_info_reads(info) || e->writes != a64_info_writes(info)) {
        return "direction";
    }
    if (e->address != a64_info_is_address_operation(info)) {
        return "use of an address";
    }
    if (e->writeback != a64_info_is_writeback(info)) {
        return "writeback";
    }
    if (e->bytes != A64_ANY_BYTES && (unsigned)e->bytes != a64_info_access_bytes(info)) {
        return "size";
    }
    if (e->branch != a64_info_is_branch(info) || e->direct != a64_info_is_direct(info) ||
        e->conditional != a64_info_is_conditional(info) || e->call != a64_info_is_call(info) ||
        e->returns != a64_info_is_return(info)) {
        return "kind of branch";
    }
    return scalable_agrees(info, &e->scalable) ? NULL : "kind of scalable access";
}

/* The address that the disassembler prints as the last operand. */
static bool target_agrees(const struct isa_line *line, uint64_t info)
{
    uint64_t ours = a64_direct_target(line->word, line->address);
    if (a64_info_is_literal(info) != 0) {
        ours = a64_literal_address(line->word, line->address);
    } else if (a64_info_is_direct(info) == 0) {
        return true;
    }
    const char *last = strrchr(line->text, ',');
    last = last != NULL ? last + 1 : strpbrk(line->text, " \t");
    return last != NULL && strtoull(last, NULL, 16) == ours;
}

static void compare(struct run *run, const struct isa_line *line, const char *text, bool target)
{
    const uint64_t info = a64_classify(line->word);
    const struct a64_expectation e = a64_expect(text);
    const char *what = disagreement(info, &e);
    if (what == NULL && target && !target_agrees(line, info)) {
        what = "target";
    }
    if (what == NULL) {
        return;
    }
    if (known(run, line->word, e.name)) {
        run->explained++;
        return;
    }
    run->disagreements++;
    if (run->disagreements <= 40) {
        print_error("%s: %08x \"%s\": another %s than of %s, %u bytes\n", run->tool->name,
                    line->word, text, what, a64_class_name(a64_info_class(info)),
                    a64_info_access_bytes(info));
    }
}

static void check_line(const struct isa_line *line, void *context)
{
    struct run *run = context;
    const unsigned at = (unsigned)(line->address / 4);
    assert_true(at < run->count);
    run->seen++;
    if (run->source != NULL) {
        compare(run, line, run->source[at], false);
        run->words[at] = line->word;
    } else {
        assert_int_equal(line->word, run->words[at]);
    }
    compare(run, line, line->text, true);
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
    const bool ran = isa_tool_run(run->tool, path, check_line, run);
    if (ran) {
        remove(path);
    } else {
        print_error("%s refused %s\n", run->tool->name, path);
    }
    assert_true(ran);
    assert_int_equal(run->seen, run->count);
    print_message("%s: %u words, %u disagreements, %u explained\n", run->tool->name, run->count,
                  run->disagreements, run->explained);
    assert_int_equal(run->disagreements, 0);
}

/* Whether this is the first tool of its name that is here: there may be two versions of one. */
static bool chosen(unsigned i)
{
    for (unsigned before = 0; before < i; before++) {
        if (strcmp(a64_tools[before].name, a64_tools[i].name) == 0 &&
            isa_tool_present(&a64_tools[before])) {
            return false;
        }
    }
    return isa_tool_present(&a64_tools[i]);
}

static void what_an_assembler_makes_of_a_source_has_the_class_of_the_source(void **state)
{
    (void)state;
    static char source[MAX_LINES][ISA_SOURCE_SIZE];
    for (unsigned i = 0; i < a64_tool_count; i++) {
        if (!chosen(i)) {
            continue;
        }
        struct run run = {.tool = &a64_tools[i], .source = source, .words = assembled};
        run.count = isa_fill_templates(source, MAX_LINES, &templates, COPIES, 3);
        assembled_count = run.count;
        char path[96];
        FILE *file = open_source(path, "templates");
        for (unsigned n = 0; n < run.count; n++) {
            fprintf(file, "%s\n", source[n]);
        }
        fclose(file);
        finish(&run, path);
    }
}

/* The memory groups of SVE and SME, and the other groups of SME that index into ZA. */
static uint32_t random_scalable_word(uint64_t *seed)
{
    static const uint32_t groups[] = {0x84000000, 0xa4000000, 0xc4000000, 0xe4000000,
                                      0xa0000000, 0xe0000000, 0xe1000000, 0xc0000000};
    const uint32_t group = groups[isa_random(seed) % (sizeof groups / sizeof groups[0])];
    const uint32_t word = isa_random(seed) & 0x01ffffff;
    return group | (group < 0xe0000000 && group != 0xc0000000 ? word : word & isa_random(seed));
}

/* Half are assembled words with one to four bits turned, so that they are near to instructions; the
 * others are random, most of them in the branch, system, load/store, SVE and SME memory groups. */
static uint32_t random_word(uint64_t *seed)
{
    uint32_t word = isa_random(seed);
    const unsigned kind = isa_random(seed) % 20;
    if (kind < 10 && assembled_count > 0) {
        uint32_t near = assembled[isa_random(seed) % assembled_count];
        for (unsigned n = word % 4; n < 4; n++) {
            near ^= 1u << (isa_random(seed) % 32);
        }
        return near;
    }
    switch (kind) {
    case 10:
    case 11:
        return (word & 0x007fffff) | 0xd5000000;
    case 12:
        return (word & 0x00000fff) | 0xd5032000;
    case 13:
        return (word & 0x03ffffff) | 0xd4000000;
    case 14:
    case 15:
        return random_scalable_word(seed);
    case 16:
    case 17:
    case 18:
        return (word & ~0x0250000u) | 0x08000000;
    default:
        return word;
    }
}

static void random_words_have_the_class_that_a_disassembler_prints(void **state)
{
    (void)state;
    static uint32_t words[RANDOM_WORDS];
    uint64_t seed = 4;
    for (unsigned n = 0; n < RANDOM_WORDS; n++) {
        words[n] = random_word(&seed);
    }
    for (unsigned i = 0; i < a64_tool_count; i++) {
        if (!chosen(i)) {
            continue;
        }
        struct run run = {.tool = &a64_tools[i], .words = words, .count = RANDOM_WORDS};
        char path[96];
        FILE *file = open_source(path, "words");
        for (unsigned n = 0; n < RANDOM_WORDS; n++) {
            fprintf(file, ".inst 0x%08x\n", words[n]);
        }
        fclose(file);
        finish(&run, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_assembler_makes_of_a_source_has_the_class_of_the_source),
        cmocka_unit_test(random_words_have_the_class_that_a_disassembler_prints),
    };
    bool any = false;
    for (unsigned i = 0; i < a64_tool_count; i++) {
        any = any || isa_tool_present(&a64_tools[i]);
    }
    if (!any) {
        puts("skipped: neither aarch64-linux-gnu-as and -objdump (binutils-aarch64-linux-gnu) nor "
             "llvm-mc and llvm-objdump (llvm) are installed");
        return 77;
    }
    const char *place = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/a64-XXXXXX", place != NULL ? place : "/tmp");
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, read_differences, NULL);
    rmdir(directory);
    return failed;
}
