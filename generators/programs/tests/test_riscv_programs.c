/* Records RISC-V programs under QEMU, makes STF traces of the recordings, and judges them by the
 * letter of STF 1.3: every trace conforms, without a finding of a level above info (programs.h);
 * the beginnings in every storage are with operands.
 *
 *     test-riscv-programs [--full]
 *
 * prints a line a program. With --full each has at least 5 million instructions. The build says
 * where everything is. */
#include "programs.h"

#include <stdio.h>

#include "assay_commit.h"
#include "stf/stf.h"

#define PROGRAM(name) #name "-riscv64", PROGRAMS_FOLDER "/" #name "-riscv64", PROGRAMS_QEMU_RISCV64

/* Which interrupt brought a signal of a timer is not known (STF-0529). */
static const struct program programs[] = {
    {PROGRAM(sorts), {NULL}, {"1"}, "3", NULL, 3000000, 1, true, NULL, NULL},
    {PROGRAM(floats), {NULL}, {"1"}, "2", NULL, 2000000, 1, true, NULL, NULL},
    {PROGRAM(branches), {NULL}, {"1"}, "8", NULL, 800000, 1, true, NULL, NULL},
    {PROGRAM(memory), {NULL}, {"1"}, "4", NULL, 1000000, 1, true, NULL, NULL},
    {PROGRAM(system), {NULL}, {"1"}, "4", NULL, 1000000, 1, false, "STF-0529", NULL},
    {PROGRAM(harts), {NULL}, {"1"}, "13", NULL, 100000, 4, true, NULL, NULL},
    {"bare-riscv32",
     PROGRAMS_FOLDER "/bare-riscv32",
     PROGRAMS_QEMU_RISCV32,
     {NULL},
     {NULL},
     NULL,
     NULL,
     3000000,
     1,
     true,
     NULL,
     NULL},
    {"levels-riscv64",
     PROGRAMS_FOLDER "/levels-riscv64",
     PROGRAMS_QEMU_SYSTEM_RISCV64,
     {"-M", "virt", "-m", "128M", "-bios", "none", "-display", "none", "-serial", "none",
      "-monitor", "none", "-icount", "shift=0,sleep=off", NULL},
     {"500000"},
     "6000000",
     NULL,
     500000,
     1,
     true,
     NULL,
     ",ram=0x80000000+0x8000000,blocks=0x80007000"},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static const char *const storages[] = {"raw", "gzip", "xz", "zstd", "zstf", NULL};

int main(int argc, char **argv)
{
    static struct suite suite = {
        .name = "riscv-programs",
        .format = &assay_format_stf,
        .storages = storages,
        .unexercised = PROGRAMS_SOURCE "/stf.unexercised.yaml",
        .recorder = ",contents=on",
        .profile = "stf-1.3",
        .beginning = "--operands",
        .together = "--all-threads",
        .level = ASSAY_MAY_NOT_RELY,
    };
    if (!programs_are_there(PROGRAMS_QEMU_RISCV64,
                            "QEMU user mode for RISC-V (package qemu-user)") ||
        !programs_are_there(PROGRAMS_QEMU_RISCV32, "QEMU user mode for RV32 (package qemu-user)") ||
        !programs_are_there(PROGRAMS_QEMU_SYSTEM_RISCV64,
                            "QEMU for RISC-V machines (package qemu-system-misc)") ||
        !programs_are_there(PROGRAMS_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !programs_are_there(programs[0].path, "program to record (needs riscv64-linux-gnu-gcc)")) {
        return 77;
    }
    if (ASSAY_COMMIT[0] == '\0') {
        fprintf(stderr, "skipped: the commit of this build is not known, and STF 1.3 wants it\n");
        return 77;
    }
    programs_begin(&suite, argc, argv);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        programs_run(&suite, &programs[i]);
    }
    return programs_end(&suite);
}
