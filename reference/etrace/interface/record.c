#include "etrace/interface/record.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "execution/commit_log.h"
#include "isa/rv.h"

enum { LINE_MOST = 1024, COLUMNS_MOST = 32, HALF = 2, DECIMAL = 10, HEX = 16 };
enum { WORD_DIGITS = 16, WIDE_DIGITS = WORD_DIGITS * ETRACE_WIDE_WORDS };
enum { EXCEPTION_TYPE = 1, INTERRUPT_TYPE = 2 }; /* itype */

struct column {
    const char *name;
    enum etrace_signal_group group;
};

static const struct column signals[] = {
#define X(id, text, of) {text, ETRACE_SIGNAL_##of},
    ETRACE_SIGNALS(X)
#undef X
};

enum retired_column {
#define X(id, ...) RETIRED_##id,
    ETRACE_RETIRED(X)
#undef X
        RETIRED_COUNT
};

static const struct column retired[] = {
#define X(id, text, of) {text, ETRACE_SIGNAL_##of},
    ETRACE_RETIRED(X)
#undef X
};

struct etrace_record {
    struct assay_source *source;
    enum rv_isa isa;
    struct assay_commit_log *log; /* owned; null: it is a table */
    const struct column *columns; /* that the table can have */
    size_t column_count;
    uint8_t at[COLUMNS_MOST]; /* of each column of the table the number of its name */
    size_t count;             /* columns of the table */
    uint32_t given;
    uint32_t line;
    bool has_block;           /* something retired, trapped or was responded */
    char text[LINE_MOST + 1]; /* the line, terminated */
};

/* --- lines --- */

static enum assay_error wrong(const struct etrace_record *r, size_t column, const char *what,
                              const char *name, struct assay_diag *diag)
{
    return assay_fail_at(diag, ASSAY_SYNTAX, r->line, (uint32_t)column + 1, what, name);
}

/* Reads a line without its end; *more is false when there is none. */
static enum assay_error read_line(struct etrace_record *r, bool *more, struct assay_diag *diag)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    const enum assay_error error = assay_source_peek(r->source, LINE_MOST + 1, &data, &have);
    const size_t shown = have < LINE_MOST + 1 ? have : LINE_MOST + 1;
    const uint8_t *end = shown > 0 ? memchr(data, '\n', shown) : NULL;
    *more = shown > 0;
    if (end == NULL && error != ASSAY_OK) {
        return assay_fail(diag, error, assay_source_offset(r->source), "%s",
                          assay_error_text(error));
    }
    if (shown == 0) {
        return ASSAY_OK;
    }
    r->line++;
    if (end == NULL && shown > LINE_MOST) {
        return wrong(r, 0, "the line is longer than any of a record%s", "", diag);
    }
    size_t length = end != NULL ? (size_t)(end - data) : shown;
    if (memchr(data, 0, length) != NULL) {
        return wrong(r, 0, "the line has a zero byte%s", "", diag);
    }
    memcpy(r->text, data, length);
    assay_source_consume(r->source, length + (end != NULL));
    length -= length > 0 && r->text[length - 1] == '\r';
    r->text[length] = '\0';
    return ASSAY_OK;
}

/* The next value of the line, without blanks around it, terminated; *at goes to the one after it,
 * or becomes null. */
static char *take_value(char **at)
{
    char *value = *at + strspn(*at, " \t");
    char *comma = strchr(value, ',');
    char *end = comma != NULL ? comma : value + strlen(value);
    *at = comma != NULL ? comma + 1 : NULL;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *end = '\0';
    return value;
}

/* --- names --- */

static enum assay_error add_column(struct etrace_record *r, const char *name, size_t place,
                                   struct assay_diag *diag)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (strcasecmp(name, r->columns[i].name) == 0) {
            if ((r->given >> i & 1) != 0) {
                return wrong(r, place, "the column %s is there twice", name, diag);
            }
            r->given |= UINT32_C(1) << i;
            r->at[r->count++] = (uint8_t)i; /* at most one for each name */
            return ASSAY_OK;
        }
    }
    return wrong(r, place, "a record has no column %s", name, diag);
}

static bool has_group(const struct etrace_record *r, enum etrace_signal_group group)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].group == group && (r->given >> i & 1) != 0) {
            return true;
        }
    }
    return false;
}

static enum assay_error require_group(const struct etrace_record *r, enum etrace_signal_group group,
                                      struct assay_diag *diag)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (r->columns[i].group == group && (r->given >> i & 1) == 0) {
            return wrong(r, 0, "the column %s is missing", r->columns[i].name, diag);
        }
    }
    return ASSAY_OK;
}

static enum assay_error require_columns(const struct etrace_record *r, struct assay_diag *diag)
{
    const bool split = has_group(r, ETRACE_SIGNAL_SPLIT);
    const bool data = split || has_group(r, ETRACE_SIGNAL_OF_ACCESS) ||
                      has_group(r, ETRACE_SIGNAL_UNIFIED) || has_group(r, ETRACE_SIGNAL_ADDED);
    enum assay_error error = require_group(r, ETRACE_SIGNAL_REQUIRED, diag);
    if (error == ASSAY_OK && data) {
        error = require_group(r, ETRACE_SIGNAL_OF_ACCESS, diag);
    }
    if (error == ASSAY_OK && data) {
        error = require_group(r, split ? ETRACE_SIGNAL_SPLIT : ETRACE_SIGNAL_UNIFIED, diag);
    }
    return error;
}

static enum assay_error read_names(struct etrace_record *r, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    char *at = r->text;
    while (at != NULL && error == ASSAY_OK) {
        const char *name = take_value(&at);
        error = add_column(r, name, (size_t)(name - r->text), diag);
    }
    return error == ASSAY_OK ? require_columns(r, diag) : error;
}

/* Whether the line of names is that of a table of retired instructions. */
static bool names_retired(const char *line)
{
    return strncasecmp(line, "valid", strlen("valid")) == 0;
}

enum assay_error etrace_record_open(struct assay_source *source,
                                    const struct etrace_record_setup *setup,
                                    struct etrace_record **record, struct assay_diag *diag)
{
    bool more = false;
    enum rv_isa isa = RV_64;
    struct etrace_record *r = calloc(1, sizeof *r);
    *record = r;
    if (r == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    r->source = source;
    r->isa = setup->isa;
    if (assay_commit_log_probe(source, &isa)) {
        return assay_commit_log_open(source, setup->isa, setup->core, &r->log, diag);
    }
    enum assay_error error = read_line(r, &more, diag);
    if (error == ASSAY_OK) {
        const bool is_retired = names_retired(r->text);
        r->columns = is_retired ? retired : signals;
        r->column_count = is_retired ? (size_t)RETIRED_COUNT : (size_t)ETRACE_SIGNAL_COUNT;
        error = read_names(r, diag);
    }
    return error;
}

void etrace_record_close(struct etrace_record *record)
{
    if (record != NULL) {
        assay_commit_log_close(record->log);
        free(record);
    }
}

/* --- values --- */

static bool read_number(const char *text, int base, uint64_t *value)
{
    char *end = NULL;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!isxdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, hex ? HEX : base);
    return errno == 0 && end != text && *end == '\0';
}

/* A number of up to 512 bits, in hexadecimal where it has more than 64. */
static bool read_wide(const char *text, uint64_t words[ETRACE_WIDE_WORDS])
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    size_t count = strlen(digits);
    memset(words, 0, ETRACE_WIDE_WORDS * sizeof *words);
    if (!hex || count <= WORD_DIGITS) {
        return read_number(text, DECIMAL, &words[0]);
    }
    if (count > WIDE_DIGITS) {
        return false;
    }
    for (size_t word = 0; count > 0; word++) {
        char part[2 + WORD_DIGITS + 1] = "0x";
        const size_t take = count < WORD_DIGITS ? count : WORD_DIGITS;
        count -= take;
        memcpy(part + 2, digits + count, take);
        if (strspn(part + 2, "0123456789abcdefABCDEF") != take ||
            !read_number(part, HEX, &words[word])) {
            return false;
        }
    }
    return true;
}

/* Into `wide` those of data, if that is not null. */
static enum assay_error read_values(struct etrace_record *r, int base, uint64_t *values,
                                    uint64_t (*wide)[ETRACE_WIDE_WORDS], struct assay_diag *diag)
{
    char *at = r->text;
    for (size_t i = 0; i < r->count; i++) {
        const size_t n = r->at[i];
        const char *name = r->columns[n].name;
        if (at == NULL) {
            return wrong(r, 0, "the line has no value of %s", name, diag);
        }
        const char *value = take_value(&at);
        if (wide != NULL && n >= ETRACE_SIGNAL_DATA) {
            if (!read_wide(value, wide[n - ETRACE_SIGNAL_DATA])) {
                return wrong(r, (size_t)(value - r->text),
                             "the value of %s is no number of 512 bits, in hexadecimal beyond 64",
                             name, diag);
            }
            values[n] = wide[n - ETRACE_SIGNAL_DATA][0];
        } else if (!read_number(value, base, &values[n])) {
            return wrong(r, (size_t)(value - r->text), "the value of %s is no number of 64 bits",
                         name, diag);
        }
    }
    return at == NULL ? ASSAY_OK
                      : wrong(r, (size_t)(at - r->text),
                              "the line has more values than there are names%s", "", diag);
}

#define HAVE(id) (UINT32_C(1) << ETRACE_SIGNAL_##id)

/* A retired instruction, or a trap in its place. */
static void take_retired(struct etrace_block *block, const uint64_t *values)
{
    const bool interrupt = values[RETIRED_INTERRUPT] != 0;
    const bool trap = interrupt || values[RETIRED_EXCEPTION] != 0;
    const bool narrow = rv_length((uint16_t)values[RETIRED_INSN]) == HALF;
    uint64_t *signal = block->signal;
    block->retired = true;
    block->given = HAVE(CAUSE) | HAVE(TVAL) | HAVE(PRIV) | (trap ? HAVE(ITYPE) : 0);
    block->insn = (uint32_t)values[RETIRED_INSN];
    if (values[RETIRED_VALID] == 0) {
        return;
    }
    signal[ETRACE_SIGNAL_ITYPE] = !trap ? 0 : interrupt ? INTERRUPT_TYPE : EXCEPTION_TYPE;
    signal[ETRACE_SIGNAL_CAUSE] = trap ? values[RETIRED_ECAUSE] : 0;
    signal[ETRACE_SIGNAL_TVAL] = trap ? values[RETIRED_VALUE] : 0;
    signal[ETRACE_SIGNAL_PRIV] = values[RETIRED_PRIVILEGE];
    signal[ETRACE_SIGNAL_IADDR] = values[RETIRED_ADDRESS];
    block->returns = trap;
    signal[ETRACE_SIGNAL_IRETIRE] = !trap;
    signal[ETRACE_SIGNAL_ILASTSIZE] = !narrow;
}

/* --- logs --- */

/* dtype, dsize and daddr, by which filters choose, and the access itself. */
static void take_access(const struct etrace_record *r, struct etrace_block *block,
                        const struct assay_commit *commit)
{
    struct etrace_registers registers = {.known = commit->x_known};
    const struct assay_executed executed = {.kind = ASSAY_EXECUTED_INSTRUCTION,
                                            .result = commit->result,
                                            .result_known = commit->result_known,
                                            .accesses = commit->accesses,
                                            .access = commit->access};
    memcpy(registers.value, commit->x, sizeof registers.value);
    block->access = etrace_access_of(commit->address, commit->word, r->isa, &registers, &executed);
    const struct etrace_access *access = &block->access;
    uint64_t dtype = 0;
    if (access->type == ETRACE_ACCESS_NONE) {
        return;
    }
    block->signal[ETRACE_SIGNAL_DRETIRE] = 1;
    block->signal[ETRACE_SIGNAL_DADDR] = access->location;
    block->given |= access->location_known ? HAVE(DADDR) : 0;
    if (etrace_access_dtype(access, &dtype)) {
        block->signal[ETRACE_SIGNAL_DTYPE] = dtype;
        block->signal[ETRACE_SIGNAL_DSIZE] = etrace_access_dsize(access);
        block->given |= HAVE(DTYPE) | HAVE(DSIZE);
    }
}

static void take_committed(const struct etrace_record *r, struct etrace_block *block,
                           const struct assay_commit *commit)
{
    block->signal[ETRACE_SIGNAL_IADDR] = commit->address;
    block->signal[ETRACE_SIGNAL_IRETIRE] = 1;
    block->signal[ETRACE_SIGNAL_ILASTSIZE] = commit->size != HALF;
    block->insn = commit->word;
    take_access(r, block, commit);
}

/* A trap that nobody knows more of counts as an exception; itype is not given then. */
static void take_trap(struct etrace_block *block, const struct assay_commit *commit)
{
    block->signal[ETRACE_SIGNAL_ITYPE] = commit->interrupt ? INTERRUPT_TYPE : EXCEPTION_TYPE;
    block->signal[ETRACE_SIGNAL_CAUSE] = commit->cause;
    block->signal[ETRACE_SIGNAL_TVAL] = commit->value;
    block->signal[ETRACE_SIGNAL_IADDR] = commit->from;
    block->returns = commit->from_known;
    block->given |= (commit->interrupt_known ? HAVE(ITYPE) : 0) |
                    (commit->cause_known ? HAVE(CAUSE) : 0) |
                    (commit->value_known ? HAVE(TVAL) : 0);
}

static enum assay_error next_of_log(const struct etrace_record *r, struct etrace_block *block,
                                    bool *more, struct assay_diag *diag)
{
    struct assay_commit commit;
    const enum assay_error error = assay_commit_log_next(r->log, &commit, diag);
    *more = error == ASSAY_OK && commit.kind != ASSAY_COMMIT_END;
    if (!*more) {
        return error;
    }
    *block = (struct etrace_block){.line = commit.line,
                                   .retired = true,
                                   .logged = true,
                                   .infers_traps = !commit.has_traps,
                                   .given = HAVE(DRETIRE) | (commit.priv_known ? HAVE(PRIV) : 0)};
    block->signal[ETRACE_SIGNAL_PRIV] = commit.priv;
    if (commit.kind == ASSAY_COMMIT_TRAP) {
        take_trap(block, &commit);
    } else {
        take_committed(r, block, &commit);
    }
    return ASSAY_OK;
}

/* --- */

static bool is_empty(const char *line)
{
    return line[strspn(line, " \t")] == '\0' || line[0] == '#';
}

/* A table in which nothing was executed is the record of no trace. */
static enum assay_error finish_table(const struct etrace_record *r, struct assay_diag *diag)
{
    if (r->has_block) {
        return ASSAY_OK;
    }
    (void)assay_fail_at(diag, ASSAY_SYNTAX, r->line, 1, "the table has no instruction");
    assay_diag_hint(diag, "below its line of names it has a line for each that retired");
    return ASSAY_SYNTAX;
}

enum assay_error etrace_record_next(struct etrace_record *record, struct etrace_block *block,
                                    bool *more, struct assay_diag *diag)
{
    const bool is_retired = record->columns == retired;
    uint64_t values[COLUMNS_MOST] = {0};
    enum assay_error error = ASSAY_OK;
    if (record->log != NULL) {
        return next_of_log(record, block, more, diag);
    }
    do {
        error = read_line(record, more, diag);
    } while (error == ASSAY_OK && *more && is_empty(record->text));
    if (error != ASSAY_OK || !*more) {
        return error == ASSAY_OK ? finish_table(record, diag) : error;
    }
    *block = (struct etrace_block){.line = record->line};
    error = read_values(record, is_retired ? HEX : DECIMAL, values, is_retired ? NULL : block->wide,
                        diag);
    if (is_retired) {
        take_retired(block, values);
    } else {
        block->given = record->given;
        memcpy(block->signal, values, sizeof block->signal);
    }
    record->has_block = record->has_block || block->signal[ETRACE_SIGNAL_IRETIRE] != 0 ||
                        block->signal[ETRACE_SIGNAL_ITYPE] != 0 || etrace_block_has_data(block);
    return error;
}
