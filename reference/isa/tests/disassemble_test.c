/* Instruction words as text. Without LLVM's library there is none, and that is all there is to
 * test. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/disassemble.h"

static struct assay_disassembler *disassembler;

static void expect(struct assay_instruction instruction, const char *text)
{
    char out[96];
    assert_true(assay_disassemble(disassembler, &instruction, out, sizeof out));
    assert_string_equal(out, text);
}

static bool has_library(void)
{
    char text[32];
    const struct assay_instruction nop = {0x1000, 0xd503201f, EM_AARCH64, 4, 64, false};
    return assay_disassemble(disassembler, &nop, text, sizeof text);
}

static void words_of_each_machine_are_disassembled(void **state)
{
    (void)state;
    if (!has_library()) {
        skip();
    }
    expect((struct assay_instruction){0x1000, 0x00853583, EM_RISCV, 4, 64, false}, "ld a1, 8(a0)");
    expect((struct assay_instruction){0x1000, 0xe118, EM_RISCV, 2, 64, false}, "sd a4, 0(a0)");
    expect((struct assay_instruction){0x1000, 0x00852583, EM_RISCV, 4, 32, false}, "lw a1, 8(a0)");
    expect((struct assay_instruction){0x1000, 0xf9400421, EM_AARCH64, 4, 64, false},
           "ldr x1, [x1, #8]");
    expect((struct assay_instruction){0x1000, 0x02064057, EM_RISCV, 4, 64, false},
           "vadd.vx v0, v0, a2");
    expect((struct assay_instruction){0x1000, 0xe8bd8010, EM_ARM, 4, 32, false}, "pop {r4, pc}");
    expect((struct assay_instruction){0x1000, 0xf3af8003, EM_ARM, 4, 32, true}, "wfi.w");
    expect((struct assay_instruction){0x1000, 0x4770, EM_ARM, 2, 32, true}, "bx lr");
}

static void an_instruction_after_it_stands_alone(void **state)
{
    (void)state;
    if (!has_library()) {
        skip();
    }
    expect((struct assay_instruction){0x1000, 0xbf1f, EM_ARM, 2, 32, true}, "itttt ne");
    expect((struct assay_instruction){0x1002, 0xbd10, EM_ARM, 2, 32, true}, "pop {r4, pc}");
}

static void a_word_that_is_no_instruction_has_no_text(void **state)
{
    (void)state;
    char out[96] = "before";
    const struct assay_instruction none = {0, 0xffffffff, EM_RISCV, 4, 64, false};
    const struct assay_instruction other = {0, 0x90, EM_X86_64, 4, 64, false};
    assert_false(assay_disassemble(disassembler, &none, out, sizeof out));
    assert_string_equal(out, "");
    assert_false(assay_disassemble(disassembler, &other, out, sizeof out));
}

static void text_is_cut_to_the_room_that_there_is(void **state)
{
    (void)state;
    char out[6] = "";
    const struct assay_instruction load = {0x1000, 0x00853583, EM_RISCV, 4, 64, false};
    (void)assay_disassemble(disassembler, &load, out, sizeof out);
    assert_true(out[5] == '\0');
}

static void without_a_library_there_is_no_text(void **state)
{
    (void)state;
    char out[96] = "before";
    const struct assay_instruction load = {0x1000, 0x00853583, EM_RISCV, 4, 64, false};
    assert_false(assay_disassemble(NULL, &load, out, sizeof out));
    assert_string_equal(out, "");
    assay_disassembler_close(NULL);
}

static int open_one(void **state)
{
    (void)state;
    disassembler = assay_disassembler_open();
    return 0;
}

static int close_one(void **state)
{
    (void)state;
    assay_disassembler_close(disassembler);
    return 0;
}

/* The bytes of address space that the process has. */
static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* How a process with so many more bytes of it ends that disassembles. */
enum ending { ABORTS, WITHOUT_TEXT, WITH_TEXT };

static enum ending ending_with(uint64_t more)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {address_space() + more, RLIM_INFINITY};
        (void)dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        disassembler = setrlimit(RLIMIT_AS, &limit) == 0 ? assay_disassembler_open() : NULL;
        _exit(has_library() ? WITH_TEXT : WITHOUT_TEXT);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? (enum ending)WEXITSTATUS(status) : ABORTS;
}

/* LLVM ends the program when it has no memory, as where it has a little less than it needs. */
static void where_memory_is_short_there_is_no_text(void **state)
{
    (void)state;
    enum { MOST = 512 << 20, STEP = 1 << 14, BELOW = 40 * STEP, BITS = 40 };
    if (address_space() >> BITS != 0) {
        skip(); /* a sanitizer takes more than can be limited */
    }
    if (ending_with(MOST) == WITHOUT_TEXT) {
        skip();
    }
    uint64_t less = 0;
    uint64_t enough = MOST;
    while (enough - less > STEP) {
        const uint64_t middle = (less + enough) / 2;
        *(ending_with(middle) == WITH_TEXT ? &enough : &less) = middle;
    }
    for (uint64_t more = enough - BELOW; more < enough + BELOW; more += STEP) {
        assert_int_not_equal(ending_with(more), ABORTS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_each_machine_are_disassembled),
        cmocka_unit_test(an_instruction_after_it_stands_alone),
        cmocka_unit_test(a_word_that_is_no_instruction_has_no_text),
        cmocka_unit_test(text_is_cut_to_the_room_that_there_is),
        cmocka_unit_test(without_a_library_there_is_no_text),
    };
    const struct CMUnitTest before_it_is_loaded[] = {
        cmocka_unit_test(where_memory_is_short_there_is_no_text),
    };
    const int failed = cmocka_run_group_tests(before_it_is_loaded, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, open_one, close_one);
}
