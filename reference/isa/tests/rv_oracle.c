#include "isa/tests/rv_oracle.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mnemonic {
    const char *patterns, *class_name;
    char direction;
    unsigned bytes;
    const char *roles;
};

static const struct mnemonic mnemonics[] = {
#define MNEMONIC(patterns, name, direction, bytes, roles) {patterns, name, direction, bytes, roles},
#include "isa/tests/rv_mnemonics.def"
#undef MNEMONIC
};

void rv_normalise(char out[160], const char *text)
{
    size_t length = strcspn(text, " \t\n");
    memcpy(out, text, length);
    out[length++] = ' ';
    for (const char *p = text + length - 1; *p != '\0' && *p != '#' && length < 159; p++) {
        if (!isspace((unsigned char)*p)) {
            out[length++] = *p;
        }
    }
    out[length] = '\0';
}

static bool matches(const char *patterns, const char *mnemonic, const char *text)
{
    char pattern[64];
    for (const char *p = patterns; *p != '\0'; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, p);
        const char *subject = strchr(pattern, ' ') != NULL ? text : mnemonic;
        if (fnmatch(pattern, subject, 0) == 0) {
            return true;
        }
        p += length;
    }
    return false;
}

/* The register that begins at p, if one does: its file in *file, its number; else -1. */
static int register_at(const char *text, const char *p, enum rv_file *file)
{
    const char *at = strchr("xfv", *p);
    if (at == NULL || *p == '\0' || !isdigit((unsigned char)p[1]) ||
        (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.'))) {
        return -1;
    }
    char *end;
    const long number = strtol(p + 1, &end, 10);
    if (number > 31 || isalnum((unsigned char)*end) || *end == '_') {
        return -1;
    }
    *file = (enum rv_file)(at - "xfv");
    return (int)number;
}

/* Registers in the operands, in order, at most 8; returns how many. */
static unsigned find(const char *text, enum rv_file files[8], unsigned numbers[8])
{
    unsigned count = 0;
    for (const char *p = strchr(text, ' '); *p != '\0' && count < 8; p++) {
        const int number = register_at(text, p, &files[count]);
        if (number >= 0) {
            numbers[count++] = (unsigned)number;
        }
    }
    return count;
}

/* The number after `prefix` in the mnemonic, 0 if there is none. */
static unsigned number_behind(const char *text, const char *prefix)
{
    const char *at = strstr(text, prefix);
    return at != NULL ? (unsigned)strtoul(at + strlen(prefix), NULL, 10) : 0;
}

static unsigned log2_of(unsigned bits)
{
    return bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 0;
}

/* "vlseg3e16ff.v", "vluxseg2ei32.v", "vl4re8.v", "vs8r.v", "vmv2r.v". */
static void read_vector_name(struct rv_expectation *e, const char *text)
{
    const bool memory = e->reads || e->writes;
    const bool whole = strstr(e->name, "whole") != NULL;
    const unsigned move = fnmatch("vmv[1248]r.v *", text, 0) == 0 ? number_behind(text, "vmv") : 0;
    const unsigned seg = number_behind(text, "seg");
    if (memory) {
        e->fields = whole ? (unsigned)(text[2] - '0') : seg != 0 ? seg : 1;
        const bool indexed = strstr(e->name, "indexed") != NULL;
        const char *size = strstr(text + (seg != 0 ? 6 : 2), indexed ? "ei" : "e");
        const unsigned bits = size != NULL ? number_behind(size, indexed ? "ei" : "e") : 0;
        e->index_log2 = indexed ? log2_of(bits) : 0;
        e->element_log2 = indexed ? 0 : log2_of(bits);
        e->first_fault = strstr(text, "ff.v") != NULL;
    } else {
        e->fields = move;
    }
    const bool carry = fnmatch("*.v?m *", text, 0) == 0; /* VADC, VMERGE and their kin */
    e->masked = strstr(text, "v0.t") != NULL || carry;
}

static bool is_link(unsigned number)
{
    return number == 1 || number == 5;
}

static enum rv_transfer transfer_of(const struct rv_expectation *e, const char *text,
                                    const unsigned numbers[8])
{
    if (strcmp(e->name, "branch") == 0) {
        return RV_TRANSFER_CONDITIONAL;
    }
    if (strcmp(e->name, "jal") == 0) {
        const bool call = text[0] == 'j' ? is_link(numbers[0]) : strncmp(text, "c.jal ", 6) == 0;
        return call ? RV_TRANSFER_CALL : RV_TRANSFER_JUMP;
    }
    if (strcmp(e->name, "jalr") != 0) {
        return RV_TRANSFER_NONE;
    }
    const unsigned rd = text[0] == 'j' ? numbers[0] : strncmp(text, "c.jalr", 6) == 0 ? 1 : 0;
    const unsigned rs1 = text[0] == 'j' ? numbers[1] : numbers[0];
    if (is_link(rd)) {
        return is_link(rs1) && rd != rs1 ? RV_TRANSFER_SWAP : RV_TRANSFER_INDIRECT_CALL;
    }
    return is_link(rs1) ? RV_TRANSFER_RETURN : RV_TRANSFER_INDIRECT_JUMP;
}

static void read_csr_name(struct rv_expectation *e, const char *text, const unsigned numbers[8],
                          unsigned count)
{
    const bool swap = strncmp(text, "csrrw", 5) == 0;
    const char *last = strrchr(text, ',');
    const bool zero = last != NULL && (strcmp(last, ",x0") == 0 || strcmp(last, ",0") == 0);
    e->csr_read = !swap || (count > 0 && numbers[0] != 0);
    e->csr_written = swap || !zero;
}

static void add_registers(struct rv_expectation *e, const char *roles, const char *text)
{
    enum rv_file files[8] = {RV_FILE_X};
    unsigned numbers[8] = {0};
    unsigned count = find(text, files, numbers);
    while (strcmp(e->name, "branch") == 0 || strcmp(e->name, "jal") == 0) {
        if (count == 0 || files[count - 1] == RV_FILE_X) {
            break;
        }
        count--; /* an address such as f08 */
    }
    for (unsigned i = 0; i < count; i++) {
        const char role = i < strlen(roles) ? roles[i] : 'r';
        const bool group = e->fields > 1 && strstr(text, "seg") == NULL;
        const unsigned more = group && files[i] == RV_FILE_V ? e->fields : 1;
        for (unsigned n = numbers[i]; n < numbers[i] + more && n < 32; n++) {
            e->registers.read[files[i]] |= role == 'r' || role == 'u' ? 1u << n : 0;
            e->registers.written[files[i]] |= role == 'w' || role == 'u' ? 1u << n : 0;
        }
    }
    if (strncmp(text, "c.jal ", 6) == 0 || strncmp(text, "c.jalr ", 7) == 0) {
        e->registers.written[RV_FILE_X] |= 1u << 1;
    }
    e->transfer = transfer_of(e, text, numbers);
    if (strcmp(e->name, "csr") == 0) {
        read_csr_name(e, text, numbers, count);
    }
}

struct rv_expectation rv_expect(const char *original)
{
    struct rv_expectation e = {.name = ""};
    char text[160];
    char mnemonic[32];
    rv_normalise(text, original);
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(text, " "), text);
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++) {
        const struct mnemonic *m = &mnemonics[i];
        if (!matches(m->patterns, mnemonic, text)) {
            continue;
        }
        e.name = m->class_name;
        e.reads = m->direction == 'r' || m->direction == 'x';
        e.writes = m->direction == 'w' || m->direction == 'x';
        e.bytes = m->bytes;
        const bool amo = strncmp(mnemonic, "amo", 3) == 0 || mnemonic[2] == '.';
        e.acquire = amo && strstr(mnemonic, ".aq") != NULL;
        e.release = amo && (strstr(mnemonic, ".rl") != NULL || strstr(mnemonic, ".aqrl") != NULL);
        if (mnemonic[0] == 'v') {
            read_vector_name(&e, text);
        }
        if (strcmp(e.name, "reserved") != 0) {
            add_registers(&e, m->roles, text);
        }
        return e;
    }
    return e;
}
