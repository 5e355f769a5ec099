#include "execution/commit_line.h"

#include <string.h>

#include "isa/rv.h"

enum { RV32_DIGITS = 8, RV64_DIGITS = 16, HALF = 2, WIDE = 4, CORE_DIGITS = 9, CSR_MOST = 0xfff };

/* The text that is left. */
struct text {
    const char *at, *end;
    const char *expected; /* what was not there; null: nothing is wrong */
};

/* --- parts of a line --- */

static bool is_left(const struct text *t)
{
    return t->at < t->end;
}

static bool fail(struct text *t, const char *expected)
{
    t->expected = expected;
    return false;
}

static void pass_blanks(struct text *t)
{
    while (is_left(t) && (*t->at == ' ' || *t->at == '\t')) {
        t->at++;
    }
}

/* Whether the text goes on so; then it is passed. */
static bool take(struct text *t, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(t->end - t->at) < length || memcmp(t->at, word, length) != 0) {
        return false;
    }
    t->at += length;
    return true;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A number in hexadecimal, of any length: its low 64 bits, and how many digits it has. */
static bool take_hex(struct text *t, uint64_t *value, uint32_t *digits, const char *expected)
{
    *value = 0;
    *digits = 0;
    if (!take(t, "0x")) {
        return fail(t, expected);
    }
    for (; is_left(t) && digit_of(*t->at) >= 0; t->at++, ++*digits) {
        *value = *value << 4 | (uint64_t)digit_of(*t->at);
    }
    return *digits > 0 || fail(t, expected);
}

/* The same of a value of XLEN bits, which has all of its digits: fewer are of a line that is cut.
 */
static bool take_whole(struct text *t, uint64_t *value, const char *expected)
{
    const char *begin = t->at;
    uint32_t digits = 0;
    if (take_hex(t, value, &digits, expected) && digits != RV32_DIGITS && digits != RV64_DIGITS) {
        t->at = begin;
        return fail(t, expected);
    }
    return t->expected == NULL;
}

/* The same of at most 64 bits. */
static bool take_word(struct text *t, uint64_t *value, uint32_t *digits, const char *expected)
{
    const char *begin = t->at;
    if (take_hex(t, value, digits, expected) && *digits > RV64_DIGITS) {
        t->at = begin;
        return fail(t, expected);
    }
    return t->expected == NULL;
}

static bool take_decimal(struct text *t, uint32_t *value, const char *expected)
{
    const char *begin = t->at;
    *value = 0;
    while (is_left(t) && *t->at >= '0' && *t->at <= '9' && t->at - begin <= CORE_DIGITS) {
        *value = *value * 10 + (uint32_t)(*t->at++ - '0');
    }
    if (t->at == begin || t->at - begin > CORE_DIGITS) {
        t->at = begin;
        return fail(t, expected);
    }
    return true;
}

/* --- what an instruction did --- */

static void add_write(struct assay_commit_line *line, char file, uint32_t number, uint64_t value)
{
    if (line->writes < ASSAY_COMMIT_WRITES_MOST) {
        line->write[line->writes++] =
            (struct assay_commit_write){.file = file, .number = (uint16_t)number, .value = value};
    }
}

/* "x5  0x...", of old versions "x 5 0x...". */
static bool take_register(struct text *t, struct assay_commit_line *line)
{
    const char file = *t->at++;
    const char *number_at = t->at;
    uint32_t number = 0;
    uint32_t digits = 0;
    uint64_t value = 0;
    pass_blanks(t);
    if (!take_decimal(t, &number, "the number of a register")) {
        return false;
    }
    if (number > 31) {
        t->at = number_at;
        return fail(t, "the number of a register");
    }
    pass_blanks(t);
    if (!(file == 'x' ? take_whole(t, &value, "a register value of 8 or 16 digits")
                      : take_hex(t, &value, &digits, "the value of the register (0x...)"))) {
        return false;
    }
    add_write(line, file, number, value);
    return true;
}

/* "c773_mtvec 0x..." */
static bool take_csr(struct text *t, struct assay_commit_line *line)
{
    const char *begin = ++t->at;
    uint32_t number = 0;
    uint64_t value = 0;
    if (!take_decimal(t, &number, "the number of a CSR")) {
        return false;
    }
    if (number > CSR_MOST || !take(t, "_")) {
        t->at = number > CSR_MOST ? begin : t->at;
        return fail(t, "the number of a CSR, and its name after an underscore");
    }
    while (is_left(t) && *t->at != ' ') {
        t->at++;
    }
    pass_blanks(t);
    if (!take_whole(t, &value, "a CSR value of 8 or 16 digits")) {
        return false;
    }
    add_write(line, 'c', number, value);
    return true;
}

/* "mem 0xADDRESS", of a store "mem 0xADDRESS 0xDATA". */
static bool take_access(struct text *t, struct assay_commit_line *line)
{
    struct assay_commit_access access = {0};
    uint32_t digits = 0;
    pass_blanks(t);
    if (!take_whole(t, &access.address, "the address of an access, of 8 or 16 digits")) {
        return false;
    }
    pass_blanks(t);
    if (is_left(t) && *t->at == '0') {
        access.is_store = true;
        if (!take_hex(t, &access.data, &digits, "what is stored (0x...)")) {
            return false;
        }
        access.bytes = digits < 2 * UINT8_MAX ? (uint8_t)((digits + 1) / 2) : 0;
    }
    if (line->accesses < ASSAY_COMMIT_ACCESSES_MOST) {
        line->access[line->accesses++] = access;
    }
    return true;
}

/* "e32 m1 l4", "e8 mf2 l16": the configuration of vectors. */
static bool take_vector(struct text *t)
{
    uint32_t number = 0;
    const char first = *t->at++;
    if (first == 'm') {
        (void)take(t, "f");
    }
    return take_decimal(t, &number, "the configuration of vectors: e8 m1 l4");
}

static bool take_effect(struct text *t, struct assay_commit_line *line)
{
    if (take(t, "mem")) {
        return take_access(t, line);
    }
    switch (*t->at) {
    case 'x':
    case 'f':
    case 'v':
        return take_register(t, line);
    case 'c':
        return take_csr(t, line);
    case 'e':
    case 'm':
    case 'l':
        return take_vector(t);
    default:
        return fail(t, "what the instruction wrote (x5 0x..., c773_mtvec 0x...), or mem");
    }
}

static bool take_effects(struct text *t, struct assay_commit_line *line)
{
    for (pass_blanks(t); is_left(t); pass_blanks(t)) {
        if ((t->at[-1] != ' ' && t->at[-1] != '\t') || !take_effect(t, line)) {
            return t->expected != NULL ? false : fail(t, "a blank");
        }
    }
    return true;
}

/* --- lines --- */

/* "0xADDRESS (0xWORD)". Old versions have 16 bits in eight digits. */
static bool take_place(struct text *t, struct assay_commit_line *line)
{
    const char *begin = t->at;
    uint32_t digits = 0;
    uint64_t word = 0;
    if (!take_word(t, &line->address, &digits, "an address (0x...)")) {
        return false;
    }
    if (digits != RV32_DIGITS && digits != RV64_DIGITS) {
        t->at = begin;
        return fail(t, "an address of 8 or 16 digits");
    }
    line->digits = (uint8_t)digits;
    pass_blanks(t);
    begin = t->at;
    if (!take(t, "(") || !take_word(t, &word, &digits, "an instruction, (0x...)") ||
        !take(t, ")")) {
        return fail(t, "an instruction, (0x...)");
    }
    line->word = (uint32_t)word;
    line->size = (uint8_t)rv_length((uint16_t)word);
    if (line->kind == ASSAY_COMMIT_LINE_INSTRUCTION &&
        (word >> 32 != 0 || (line->size != HALF && line->size != WIDE) ||
         (line->size == HALF && word >> 16 != 0) || (line->size == WIDE && digits != 8))) {
        t->at = begin;
        return fail(t, "an instruction of 2 or 4 bytes, as long as its lowest bits say");
    }
    return true;
}

static bool take_instruction(struct text *t, struct assay_commit_line *line)
{
    line->kind = ASSAY_COMMIT_LINE_INSTRUCTION;
    line->priv = (uint8_t)(*t->at++ - '0');
    pass_blanks(t);
    return take_place(t, line) && take_effects(t, line);
}

static bool take_fetched(struct text *t, struct assay_commit_line *line)
{
    line->kind = ASSAY_COMMIT_LINE_FETCHED;
    line->size = 0;
    if (take(t, ">>>>") || take(t, "Executed ")) {
        return true;
    }
    return take_place(t, line); /* and its disassembly */
}

static bool take_value(struct text *t, struct assay_commit_line *line)
{
    line->kind = ASSAY_COMMIT_LINE_VALUE;
    pass_blanks(t);
    return take_whole(t, &line->value, "a trap value of 8 or 16 digits");
}

/* The causes that Spike has names for. */
static bool take_cause(struct text *t, struct assay_commit_line *line)
{
    static const struct {
        uint8_t cause;
        const char *name;
    } names[] = {{0, "trap_instruction_address_misaligned"},
                 {1, "trap_instruction_access_fault"},
                 {2, "trap_illegal_instruction"},
                 {3, "trap_breakpoint"},
                 {4, "trap_load_address_misaligned"},
                 {5, "trap_load_access_fault"},
                 {6, "trap_store_address_misaligned"},
                 {7, "trap_store_access_fault"},
                 {8, "trap_user_ecall"},
                 {9, "trap_supervisor_ecall"},
                 {10, "trap_virtual_supervisor_ecall"},
                 {10, "trap_hypervisor_ecall"},
                 {11, "trap_machine_ecall"},
                 {12, "trap_instruction_page_fault"},
                 {13, "trap_load_page_fault"},
                 {15, "trap_store_page_fault"},
                 {16, "trap_double_trap"},
                 {18, "trap_software_check"},
                 {20, "trap_instruction_guest_page_fault"},
                 {21, "trap_load_guest_page_fault"},
                 {22, "trap_virtual_instruction"},
                 {23, "trap_store_guest_page_fault"}};
    uint32_t number = 0;
    line->interrupt = take(t, "interrupt #");
    if (line->interrupt || take(t, "trap #")) {
        const bool is_number = take_decimal(t, &number, "the number of a cause");
        line->cause = number;
        return is_number;
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const char *begin = t->at;
        if (take(t, names[n].name) && is_left(t) && *t->at == ',') {
            line->cause = names[n].cause;
            return true;
        }
        t->at = begin;
    }
    return fail(t, "the name of a trap, such as trap_machine_ecall, interrupt #7, trap #24");
}

static bool take_trap(struct text *t, struct assay_commit_line *line)
{
    line->kind = ASSAY_COMMIT_LINE_TRAP;
    if (!take_cause(t, line)) {
        return false;
    }
    return (take(t, ", epc ") || fail(t, "\", epc\" and an address")) &&
           take_whole(t, &line->address, "an address of 8 or 16 digits");
}

/* "core   0: "; what old versions write of an instruction has none. */
static bool take_core(struct text *t, struct assay_commit_line *line)
{
    if (!take(t, "core")) {
        return true;
    }
    pass_blanks(t);
    if (!take_decimal(t, &line->core, "the number of a core")) {
        return false;
    }
    return take(t, ":") || fail(t, "a colon after the number of the core");
}

static bool is_level(const struct text *t)
{
    return t->end - t->at > 1 && *t->at >= '0' && *t->at <= '3' && t->at[1] == ' ';
}

static bool take_line(struct text *t, struct assay_commit_line *line)
{
    pass_blanks(t);
    if (!is_left(t) || *t->at == '#') {
        return true;
    }
    if (!take_core(t, line)) {
        return false;
    }
    pass_blanks(t);
    if (is_level(t)) {
        return take_instruction(t, line);
    }
    if (take(t, "exception ")) {
        return take_trap(t, line);
    }
    if (take(t, "tval ") || take(t, "badaddr ")) {
        return take_value(t, line);
    }
    if (is_left(t) && strchr("0>E", *t->at) != NULL) {
        return take_fetched(t, line);
    }
    return fail(t, "a line of a log that Spike writes with --log-commits, with or without -l");
}

enum assay_error assay_commit_line_read(const char *text, size_t length,
                                        struct assay_commit_line *line, uint32_t *column,
                                        const char **expected)
{
    struct text t = {.at = text, .end = text + length};
    line->kind = ASSAY_COMMIT_LINE_EMPTY;
    line->core = 0;
    line->writes = line->accesses = 0;
    if (take_line(&t, line)) {
        return ASSAY_OK;
    }
    *column = (uint32_t)(t.at - text) + 1;
    *expected = t.expected;
    return ASSAY_SYNTAX;
}

size_t assay_commit_comments(const char *text, size_t length)
{
    struct text t = {.at = text, .end = text + length};
    const char *begin = text;
    for (const char *end = text; end != NULL; begin = end != NULL ? end + 1 : begin) {
        t.at = begin;
        pass_blanks(&t);
        if (!is_left(&t) || strchr("#\r\n", *t.at) == NULL) {
            break;
        }
        end = memchr(t.at, '\n', (size_t)(t.end - t.at));
    }
    return (size_t)(begin - text);
}

bool assay_commit_line_begins(const char *text, size_t length)
{
    const size_t passed = assay_commit_comments(text, length);
    struct text t = {.at = text + passed, .end = text + length};
    uint32_t core = 0;
    if (take(&t, "core ")) {
        pass_blanks(&t);
        return take_decimal(&t, &core, "") && take(&t, ":");
    }
    return is_level(&t) && t.end - t.at > 3 && memcmp(t.at + 2, "0x", 2) == 0;
}
