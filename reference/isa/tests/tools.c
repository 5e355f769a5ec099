#include "isa/tests/tools.h"

#include <stdlib.h>
#include <string.h>

static bool command_runs(const char *command)
{
    char line[128];
    const int length = (int)strcspn(command, " ");
    snprintf(line, sizeof line, "%.*s --version >/dev/null 2>&1", length, command);
    return system(line) == 0;
}

bool isa_tool_present(const struct isa_tool *tool)
{
    return command_runs(tool->assemble) && command_runs(tool->disassemble);
}

/* The bytes or the word after the address; *at is moved after them. */
static void parse_word(const struct isa_tool *tool, char **at, struct isa_line *line)
{
    static const char digits[] = "0123456789abcdef";
    line->word = 0;
    line->length = 0;
    *at += strspn(*at, " \t");
    while (tool->spaced_bytes && strspn(*at, digits) == 2 && line->length < 8) {
        const uint32_t byte = (uint32_t)strtoul(*at, at, 16);
        line->word |= line->length < 4 ? byte << (8 * line->length) : 0;
        line->length++;
        *at += **at == ' ';
    }
    if (!tool->spaced_bytes) {
        line->length = (unsigned)strspn(*at, digits) / 2;
        line->word = (uint32_t)strtoull(*at, at, 16);
    }
    line->length = line->length > 4 ? 0 : line->length;
}

/* "   1c:\tc8007c00 \tstxr\tw0, x0, [x0]" or the same with bytes "00 7c 00 c8". */
static bool parse(const struct isa_tool *tool, char *text, struct isa_line *line)
{
    char *at;
    line->address = strtoull(text, &at, 16);
    if (at == text || at[0] != ':') {
        return false;
    }
    at++;
    parse_word(tool, &at, line);
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

bool isa_tool_run(const struct isa_tool *tool, const char *path,
                  void (*each)(const struct isa_line *line, void *context), void *context)
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
    struct isa_line line;
    while (fgets(text, sizeof text, out) != NULL) {
        if (parse(tool, text, &line)) {
            each(&line, context);
        }
    }
    remove(object);
    return pclose(out) == 0;
}
