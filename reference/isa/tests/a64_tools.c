#include "isa/tests/a64_tools.h"

#include <stdlib.h>
#include <string.h>

#define LLVM_FEATURES                                                                              \
    "+v9.3a,+sve2,+sve2-aes,+sve2-sm4,+sve2-sha3,+sve2-bitperm,+f32mm,+f64mm,+sme,+sme-f64,"       \
    "+sme-i64,+mops,+mte,+ls64,+tme,+brbe,+predres,+sb,+hbc,+rcpc-immo,+pauth,+bti,+rand,+crypto," \
    "+sha3,+sm4,+fullfp16,+fp16fml,+bf16,+i8mm,+rme,+el3,+ete,+spe,+xs,+wfxt,+lor,+nv,+altnzcv"
#define GNU_FEATURES                                                                               \
    "armv9.3-a+sve2+f64mm+sme+mops+memtag+ls64+tme+sb+predres+flagm+pauth+rcpc+hbc+lor+rng+ssbs"

const struct a64_tool a64_tools[] = {
    {"binutils", "aarch64-linux-gnu-as -march=" GNU_FEATURES, "aarch64-linux-gnu-objdump -d -z",
     false},
    {"llvm", "llvm-mc-14 -triple=aarch64 -mattr=" LLVM_FEATURES " -filetype=obj",
     "llvm-objdump-14 -d -z --triple=aarch64 --mattr=" LLVM_FEATURES, true},
    {"llvm", "llvm-mc -triple=aarch64 -mattr=" LLVM_FEATURES " -filetype=obj",
     "llvm-objdump -d -z --triple=aarch64 --mattr=" LLVM_FEATURES, true},
};
const unsigned a64_tool_count = sizeof a64_tools / sizeof a64_tools[0];

static bool command_runs(const char *command)
{
    char line[128];
    const int length = (int)strcspn(command, " ");
    snprintf(line, sizeof line, "%.*s --version >/dev/null 2>&1", length, command);
    return system(line) == 0;
}

bool a64_tool_present(const struct a64_tool *tool)
{
    return command_runs(tool->assemble) && command_runs(tool->disassemble);
}

/* "   1c:\tc8007c00 \tstxr\tw0, x0, [x0]" or the same with bytes "00 7c 00 c8". */
static bool parse(const struct a64_tool *tool, char *text, struct a64_line *line)
{
    char *at;
    line->address = strtoull(text, &at, 16);
    if (at == text || at[0] != ':') {
        return false;
    }
    at++;
    line->word = 0;
    if (tool->spaced_bytes) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            line->word |= (uint32_t)strtoul(at, &at, 16) << shift;
        }
    } else {
        line->word = (uint32_t)strtoul(at, &at, 16);
    }
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\n;");
    const char *comment = strstr(at, "//");
    const char *symbol = strchr(at, '<');
    if (comment != NULL && (size_t)(comment - at) < length) {
        length = (size_t)(comment - at);
    }
    if (symbol != NULL && symbol != at && (size_t)(symbol - at) < length) {
        length = (size_t)(symbol - at);
    }
    snprintf(line->text, sizeof line->text, "%.*s", (int)length, at);
    return true;
}

bool a64_tool_run(const struct a64_tool *tool, const char *path,
                  void (*each)(const struct a64_line *line, void *context), void *context)
{
    char command[1024];
    char object[256];
    snprintf(object, sizeof object, "%.*so", (int)strlen(path) - 1, path);
    snprintf(command, sizeof command, "%s -o %s %s 2>/dev/null", tool->assemble, object, path);
    if (system(command) != 0) {
        return false;
    }
    snprintf(command, sizeof command, "%s %s", tool->disassemble, object);
    FILE *out = popen(command, "r");
    if (out == NULL) {
        return false;
    }
    char text[512];
    struct a64_line line;
    while (fgets(text, sizeof text, out) != NULL) {
        if (parse(tool, text, &line)) {
            each(&line, context);
        }
    }
    remove(object);
    return pclose(out) == 0;
}
