#include "isa/tests/a64_oracle.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct mnemonic {
    const char *pattern, *class_name;
    char direction;
    const char *size;
};

static const struct mnemonic mnemonics[] = {
#define MNEMONIC(pattern, name, direction, size) {pattern, name, direction, size},
#include "isa/tests/a64_mnemonics.def"
#undef MNEMONIC
};

/* The nth operand, counted in commas outside brackets and braces; "" when there are fewer. */
static const char *operand(const char *operands, unsigned n)
{
    unsigned depth = 0;
    const char *p = operands;
    for (; n > 0 && *p != '\0'; p++) {
        depth += *p == '[' || *p == '{';
        depth -= *p == ']' || *p == '}';
        n -= *p == ',' && depth == 0;
    }
    return p + strspn(p, " \t");
}

/* Bytes in a register by the first letter of its name, or of an element size. */
static int bytes_of(char letter)
{
    static const char letters[] = "bhsdq";
    if (letter == 'w') {
        return 4;
    }
    if (letter == 'x') {
        return 8;
    }
    const char *at = letter == '\0' ? NULL : strchr(letters, letter);
    return at != NULL ? 1 << (at - letters) : A64_ANY_BYTES;
}

/* Registers in "{v30.4s-v1.4s}" or "{ v30.4s, v31.4s }". */
static int registers_in(const char *list)
{
    const char *end = strchr(list, '}');
    const char *dash = strchr(list, '-');
    if (end == NULL) {
        return 0;
    }
    if (dash != NULL && dash < end) {
        const long first = strtol(list + strcspn(list, "0123456789"), NULL, 10);
        const long last = strtol(dash + strcspn(dash, "0123456789"), NULL, 10);
        return (int)(((last - first) & 31) + 1);
    }
    int count = 1;
    for (const char *p = list; p < end; p++) {
        count += *p == ',';
    }
    return count;
}

/* A lane "{v0.b}[3]" and a replicating load transfer one element for each register. */
static int list_bytes(const char *mnemonic, const char *list)
{
    const char *dot = strchr(list, '.');
    const char *end = strchr(list, '}');
    if (dot == NULL || end == NULL) {
        return A64_ANY_BYTES;
    }
    char *letter;
    const long elements = strtol(dot + 1, &letter, 10);
    const bool one = end[1] == '[' || mnemonic[strlen(mnemonic) - 1] == 'r';
    return registers_in(list) * bytes_of(*letter) * (one || elements == 0 ? 1 : (int)elements);
}

static int size_of(const char *size, const char *mnemonic, const char *operands)
{
    const char suffix = mnemonic[strlen(mnemonic) - 1];
    switch (size[0]) {
    case 'A':
    case 'B':
        if (suffix == 'b' || suffix == 'h') {
            return bytes_of(suffix);
        }
        return bytes_of(*operand(operands, size[0] == 'B'));
    case 'P':
    case 'Q':
        return 2 * bytes_of(*operand(operands, size[0] == 'Q'));
    case 'L':
        return list_bytes(mnemonic, operands);
    default:
        return atoi(size);
    }
}

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Classes that depend on operands. */
static void refine(struct a64_expectation *e, const char *operands)
{
    const char *second = operand(operands, 1);
    if (strcmp(e->name, "msr") == 0) {
        e->name = strncasecmp(operands, "s0_", 3) == 0 ? "unallocated"
                  : second[0] == '#'                   ? "msr_imm"
                                                       : "msr_reg";
    } else if (strcmp(e->name, "mrs") == 0 && strncasecmp(second, "s0_", 3) == 0) {
        e->name = "unallocated";
    } else if (strcmp(e->name, "load") == 0 && second[0] != '[') {
        e->name = "load_literal";
    } else if (strcmp(e->name, "tlbi") == 0 && operands[0] == 'r') {
        e->name = "tlbi_range";
    } else if (strcmp(e->name, "dc") == 0) {
        e->name = starts(operands, "zva")    ? "dc_zva"
                  : starts(operands, "gva")  ? "dc_gva"
                  : starts(operands, "gzva") ? "dc_gzva"
                                             : "dc";
        e->writes = strcmp(e->name, "dc") != 0;
    }
}

/* What names an address: all DC but those by set and way, IC IVAU, TLBI by virtual or intermediate
 * physical address, AT and prefetches. */
static bool names_address(const struct a64_expectation *e, const char *operands)
{
    if (strcmp(e->name, "dc") == 0) {
        const size_t length = strcspn(operands, " ,");
        return length > 2 && !starts(operands + length - 2, "sw");
    }
    if (strcmp(e->name, "tlbi") == 0) {
        return starts(operands, "va") || starts(operands, "ipas");
    }
    return starts(operands, "ivau") || strcmp(e->name, "tlbi_range") == 0 ||
           strcmp(e->name, "at") == 0 || strcmp(e->name, "prefetch") == 0 ||
           strcmp(e->name, "sve_prefetch") == 0;
}

static bool among(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

static void branch_flags(struct a64_expectation *e, const char *mnemonic)
{
    static const char *const direct[] = {"b",    "bl",  "b_cond", "bc_cond", "cbz",
                                         "cbnz", "tbz", "tbnz",   "cb",      NULL};
    static const char *const calls[] = {"bl", "blr", "blraa", "blrab", NULL};
    static const char *const returns[] = {"ret", "retaa", "retab", NULL};
    static const char *const jumps[] = {"br", "braa", "brab", NULL};
    e->direct = among(e->name, direct);
    e->call = among(e->name, calls);
    e->returns = among(e->name, returns);
    e->branch = e->direct || e->call || e->returns || among(e->name, jumps);
    const char *condition = strchr(mnemonic, '.');
    const bool always =
        condition != NULL && (strcmp(condition, ".al") == 0 || strcmp(condition, ".nv") == 0);
    e->conditional =
        e->direct && strcmp(e->name, "b") != 0 && strcmp(e->name, "bl") != 0 && !always;
}

/* "[x0, #8]!" or "[x0], #8". */
static bool writes_back(const char *operands)
{
    const char *base = strstr(operands, "[x");
    base = base != NULL ? base : strstr(operands, "[sp");
    const char *end = base != NULL ? strchr(base, ']') : NULL;
    return strchr(operands, '!') != NULL || (end != NULL && end[1] == ',');
}

struct a64_expectation a64_expect(const char *text)
{
    char mnemonic[32] = "";
    const size_t length = strcspn(text, " \t");
    memcpy(mnemonic, text, length < sizeof mnemonic ? length : sizeof mnemonic - 1);
    const char *operands = text + length + strspn(text + length, " \t");
    struct a64_expectation e = {.name = "other"};
    if (starts(text, ".inst") || starts(text, "<unknown>")) {
        e.name = "unallocated";
        return e;
    }
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++) {
        const struct mnemonic *m = &mnemonics[i];
        if (fnmatch(m->pattern, mnemonic, 0) != 0) {
            continue;
        }
        e.name = m->class_name;
        e.reads = m->direction == 'r' || m->direction == 'x';
        e.writes = m->direction == 'w' || m->direction == 'x';
        e.bytes = size_of(m->size, mnemonic, operands);
        refine(&e, operands);
        branch_flags(&e, mnemonic);
        e.address = names_address(&e, operands);
        e.writeback = (e.reads || e.writes) && writes_back(operands);
        break;
    }
    a64_expect_scalable(&e, mnemonic, operands);
    return e;
}
