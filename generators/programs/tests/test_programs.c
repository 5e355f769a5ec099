/* Records AArch64 programs under QEMU, makes ASTF traces of the recordings, and judges them: every
 * trace conforms, without a finding of any level (programs.h).
 *
 *     test-programs [--full]
 *
 * prints a line a program. With --full each runs for at least 5 million instructions. The build
 * says where everything is. */
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "astf/astf.h"

#define PLAIN                                                                                      \
    {                                                                                              \
        "-cpu", "max,sve=off,sme=off"                                                              \
    }
#define PLAIN_FACTS   PROGRAMS_SOURCE "/qemu-plain.facts.yaml"
#define PROGRAM(name) #name, PROGRAMS_FOLDER "/" #name "-aarch64", PROGRAMS_QEMU

static const struct program programs[] = {
    {PROGRAM(sorts), PLAIN, {"1"}, "2", PLAIN_FACTS, 3000000, 1, true, NULL, NULL},
    {PROGRAM(floats), PLAIN, {"1"}, "4", PLAIN_FACTS, 1000000, 1, true, NULL, NULL},
    {PROGRAM(vectors), PLAIN, {"1"}, "6", PLAIN_FACTS, 1000000, 1, true, NULL, NULL},
    {PROGRAM(atomics), PLAIN, {"1"}, "20", PLAIN_FACTS, 300000, 4, true, NULL, NULL},
    {PROGRAM(memory), PLAIN, {"1"}, "6", PLAIN_FACTS, 1000000, 1, true, NULL, NULL},
    {PROGRAM(branches), PLAIN, {"1"}, "8", PLAIN_FACTS, 800000, 1, true, NULL, NULL},
    {PROGRAM(system), PLAIN, {"1"}, "5", PLAIN_FACTS, 1000000, 1, true, NULL, NULL},
    {PROGRAM(tags), PLAIN, {"1"}, "4", PLAIN_FACTS, 1500000, 1, true, NULL, NULL},
    {PROGRAM(lengths),
     {"-cpu", "max"},
     {"1"},
     "5",
     PROGRAMS_SOURCE "/qemu-max.facts.yaml",
     1000000,
     1,
     false,
     NULL,
     NULL},
    {"levels",
     PROGRAMS_FOLDER "/levels-aarch64",
     PROGRAMS_QEMU_SYSTEM,
     {"-M", "virt,virtualization=on,secure=on", "-cpu", "cortex-a57", "-m", "128M", "-nic", "none",
      "-display", "none", "-serial", "none", "-monitor", "none", "-icount", "shift=0,sleep=off"},
     {"500000"},
     "6000000",
     PROGRAMS_SOURCE "/qemu-machine.facts.yaml",
     500000,
     1,
     true,
     "ASTF-0176", /* the limit may end it at a branch, which is left out */
     ",ram=0x40000000+0x8000000,blocks=0x40088000,level=3"},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Software of others: applets of a static busybox for AArch64, which ASSAY_BUSYBOX names. */
static const struct program applets[] = {
#define APPLET(name, ...)                                                                          \
    {                                                                                              \
#name, NULL, PROGRAMS_QEMU, PLAIN,                                                         \
            {#name, __VA_ARGS__ }, NULL, PLAIN_FACTS, PROGRAMS_FULL, 1, true, NULL, NULL           \
    }
    APPLET(sha256sum, "programs.txt"),
    APPLET(gzip, "-c", "programs.txt"),
    APPLET(sort, "-r", "programs.txt"),
    APPLET(awk, "BEGIN { for (i = 0; i < 4000; i++) { s += i * 1.5; a[i % 97]++ } print s, a[5] }"),
    APPLET(sh, "-c", "i=0; while [ $i -lt 600 ]; do i=$((i + 1)); done; echo $i"),
};
enum { APPLETS = sizeof applets / sizeof applets[0], LINES = 7000 };

static const char *const storages[] = {"xz", "lzma", "zlib", "gzip", NULL};

static bool write_text(void)
{
    FILE *file = fopen("programs.txt", "w");
    for (unsigned i = 0; file != NULL && i < LINES; i++) {
        fprintf(file, "line %u, %u\n", i * 7919 % LINES, i);
    }
    return file != NULL && fclose(file) == 0;
}

static void run_applets(struct suite *suite, const char *busybox)
{
    if (!write_text()) {
        fprintf(stderr, "programs.txt cannot be written\n");
        suite->failures++;
        return;
    }
    for (unsigned i = 0; i < APPLETS; i++) {
        struct program applet = applets[i];
        applet.path = busybox;
        programs_run(suite, &applet);
    }
    unlink("programs.txt");
}

int main(int argc, char **argv)
{
    static struct suite suite = {
        .name = "programs",
        .format = &assay_format_astf,
        .storages = storages,
        .unexercised = PROGRAMS_SOURCE "/astf.unexercised.yaml",
        .recorder = "",
        .level = ASSAY_INFO,
    };
    if (!programs_are_there(PROGRAMS_QEMU, "QEMU user mode for AArch64 (package qemu-user)") ||
        !programs_are_there(PROGRAMS_QEMU_SYSTEM,
                            "QEMU for AArch64 machines (package qemu-system-arm)") ||
        !programs_are_there(PROGRAMS_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !programs_are_there(programs[0].path, "program to record (needs aarch64-linux-gnu-gcc)")) {
        return 77;
    }
    programs_begin(&suite, argc, argv);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        programs_run(&suite, &programs[i]);
    }
    const char *busybox = getenv("ASSAY_BUSYBOX");
    if (busybox != NULL) {
        run_applets(&suite, busybox);
    }
    return programs_end(&suite);
}
