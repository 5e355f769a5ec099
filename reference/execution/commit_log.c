#include "execution/commit_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "execution/commit_flow.h"

enum {
    LINE_MOST = 1 << 17, /* a vector instruction can have very many accesses */
    LINE_FIRST = 1 << 10,
    AHEAD = 1 << 16, /* bytes in which is sought what a handler reads */
    PROBED = 1 << 12,
    RV32_DIGITS = 8,
    VALUE_BYTES = 8,
    S_LEVEL = 1
};

struct assay_commit_log {
    struct assay_source *source;
    uint32_t core;
    bool chosen;      /* the core is known */
    bool has_core;    /* it has a line */
    bool has_fetched; /* it has an instruction of -l ... */
    bool has_commit;  /* ... and one that was committed */
    bool has_traps;   /* the log is one of -l */
    bool is_compared; /* XLEN, with that of the log */
    uint32_t number;
    uint64_t offset;
    struct assay_commit_line line;  /* read last */
    bool waits;                     /* it comes after the trap that was concluded before it */
    struct assay_commit_line ahead; /* of those that are looked at before it is their turn */
    uint64_t fetched;               /* of -l: the address of the last instruction ... */
    uint32_t fetched_word;          /* ... and that */
    struct assay_commit trap;       /* that was taken last ... */
    bool trapped;                   /* ... and its handler has not begun */
    struct assay_commit_flow flow;
    struct assay_access access[ASSAY_COMMIT_ACCESSES_MOST];
};

/* --- lines --- */

/* The text of the next line, without its end, and how many bytes it takes; none at the end. */
static enum assay_error find_line(struct assay_commit_log *g, const char **text, size_t *length,
                                  size_t *taken, struct assay_diag *diag)
{
    const uint8_t *data = NULL;
    const uint8_t *end = NULL;
    size_t have = 0;
    size_t want = LINE_FIRST;
    enum assay_error error = ASSAY_OK;
    for (;; want = LINE_MOST + 1) {
        error = assay_source_peek(g->source, want, &data, &have);
        have = have < LINE_MOST + 1 ? have : LINE_MOST + 1;
        end = have > 0 ? memchr(data, '\n', have) : NULL;
        if (end != NULL || have < want || want > LINE_MOST) {
            break;
        }
    }
    if (end == NULL && error != ASSAY_OK) {
        return assay_fail(diag, error, assay_source_offset(g->source), "%s",
                          assay_error_text(error));
    }
    if (end == NULL && have > LINE_MOST) {
        return assay_fail_at(diag, ASSAY_SYNTAX, g->number + 1, 1,
                             "the line is longer than any of a log");
    }
    *text = (const char *)data;
    *length = end != NULL ? (size_t)(end - data) : have;
    *taken = *length + (end != NULL);
    *length -= *length > 0 && (*text)[*length - 1] == '\r';
    return ASSAY_OK;
}

static enum assay_error read_text(const char *text, size_t length, bool is_cut, uint32_t number,
                                  struct assay_commit_line *line, struct assay_diag *diag)
{
    const char *expected = NULL;
    uint32_t column = 1;
    const char *zero = length > 0 ? memchr(text, 0, length) : NULL;
    if (zero != NULL) {
        return assay_fail_at(diag, ASSAY_SYNTAX, number, (uint32_t)(zero - text) + 1,
                             "the line has a zero byte");
    }
    if (assay_commit_line_read(text, length, line, &column, &expected) == ASSAY_OK) {
        return ASSAY_OK;
    }
    (void)assay_fail_at(diag, ASSAY_SYNTAX, number, column, "expected %s", expected);
    if (is_cut) {
        assay_diag_hint(diag, "the log ends within this line, as when Spike is killed: delete it");
    } else if (column == 1) {
        assay_diag_hint(diag, "what else is printed is left out with spike --log=FILE");
    }
    return ASSAY_SYNTAX;
}

/* Whether a line is of the core that is read. */
static enum assay_error choose(struct assay_commit_log *g, bool *is_of, struct assay_diag *diag)
{
    *is_of = false;
    if (g->line.kind == ASSAY_COMMIT_LINE_EMPTY) {
        return ASSAY_OK;
    }
    if (!g->chosen && g->has_core && g->core != g->line.core) {
        (void)assay_fail_at(diag, ASSAY_SYNTAX, g->number, 1,
                            "the log has instructions of core %u and of core %u", g->core,
                            g->line.core);
        assay_diag_hint(diag, "choose one: --thread %u, or thread: %u in the manifest", g->core,
                        g->core);
        return ASSAY_SYNTAX;
    }
    g->core = g->chosen ? g->core : g->line.core;
    *is_of = g->core == g->line.core;
    g->has_core = g->has_core || *is_of;
    return ASSAY_OK;
}

static enum assay_error compare_xlen(struct assay_commit_log *g, struct assay_diag *diag)
{
    if (!g->is_compared && g->line.digits == RV32_DIGITS && g->flow.mask > UINT32_MAX) {
        return assay_fail_at(diag, ASSAY_SYNTAX, g->number, 1,
                             "the addresses of the log have 32 bits, and xlen is 64");
    }
    g->is_compared = true;
    return ASSAY_OK;
}

/* The next line of the core that says something; *more is false at the end. */
static enum assay_error next_line(struct assay_commit_log *g, bool *more, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    bool is_of = false;
    const char *text = NULL;
    size_t length = 0;
    size_t taken = 0;
    do {
        g->offset = assay_source_offset(g->source);
        error = find_line(g, &text, &length, &taken, diag);
        *more = taken > 0;
        if (error != ASSAY_OK || !*more) {
            return error;
        }
        g->number++;
        error = read_text(text, length, text[taken - 1] != '\n', g->number, &g->line, diag);
        assay_source_consume(g->source, taken);
        error = error == ASSAY_OK ? choose(g, &is_of, diag) : error;
        g->has_traps = g->has_traps || (is_of && g->line.kind != ASSAY_COMMIT_LINE_INSTRUCTION);
        if (is_of && g->line.kind == ASSAY_COMMIT_LINE_FETCHED && g->line.size > 0) {
            g->has_fetched = true;
            g->fetched = g->line.address & g->flow.mask;
            g->fetched_word = g->line.word;
        }
    } while (error == ASSAY_OK && (!is_of || g->line.kind == ASSAY_COMMIT_LINE_FETCHED));
    return error;
}

/* --- looking ahead --- */

struct ahead {
    const char *text;
    size_t left;
};

static struct ahead look_ahead(struct assay_commit_log *g)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(g->source, AHEAD, &data, &have); /* errors come when it is read */
    return (struct ahead){(const char *)data, have};
}

/* The next line of the core among those ahead; false: there is none, or it is wrong. */
static bool next_ahead(struct assay_commit_log *g, struct ahead *a)
{
    for (;;) {
        const char *end = a->left > 0 ? memchr(a->text, '\n', a->left) : NULL;
        if (end == NULL) {
            return false;
        }
        const size_t length = (size_t)(end - a->text);
        const bool cut = length > 0 && end[-1] == '\r';
        if (read_text(a->text, length - cut, false, 0, &g->ahead, NULL) != ASSAY_OK) {
            return false;
        }
        a->text += length + 1;
        a->left -= length + 1;
        if (g->ahead.kind != ASSAY_COMMIT_LINE_EMPTY &&
            g->ahead.kind != ASSAY_COMMIT_LINE_FETCHED && g->ahead.core == g->core) {
            return true;
        }
    }
}

/* What the handler, which begins with the line at hand, reads of its trap. */
static void ask_handler(struct assay_commit_log *g, struct assay_commit *trap)
{
    struct assay_commit_flow flow = g->flow;
    const uint8_t level = g->line.priv;
    struct ahead a = look_ahead(g);
    bool more = assay_commit_flow_reads(&flow, &g->line, level, trap);
    assay_commit_flow_take(&flow, &g->line);
    while (more && next_ahead(g, &a) && g->ahead.kind == ASSAY_COMMIT_LINE_INSTRUCTION &&
           !assay_commit_flow_breaks(&flow, &g->ahead)) {
        more = assay_commit_flow_reads(&flow, &g->ahead, level, trap);
        assay_commit_flow_take(&flow, &g->ahead);
    }
}

/* A vector access that faults is in the log although it does not retire: it is begun again. */
static bool is_cut_off(struct assay_commit_log *g)
{
    const uint64_t info = rv_classify(g->line.word, g->flow.isa);
    if (rv_info_is_vector(info) == 0 || (rv_info_reads(info) == 0 && rv_info_writes(info) == 0)) {
        return false;
    }
    struct ahead a = look_ahead(g);
    return next_ahead(g, &a) && g->ahead.kind == ASSAY_COMMIT_LINE_TRAP && !g->ahead.interrupt &&
           g->ahead.address == g->line.address;
}

/* --- accesses --- */

/* What a load wrote to its register, the low bits of which are what it read. */
static bool loaded_of(const struct assay_commit_line *line, uint64_t info, uint64_t *value)
{
    const struct rv_operand rd = rv_operand(line->word, info, RV_OP_RD);
    const char file = rd.file == RV_FILE_X ? 'x' : rd.file == RV_FILE_F ? 'f' : 'v';
    for (unsigned n = 0; n < line->writes && rd.is_written && file != 'v'; n++) {
        const struct assay_commit_write *w = &line->write[n];
        if (w->file == file && rd.registers == UINT32_C(1) << w->number && w->number < 32 &&
            (file == 'f' || w->number > 0)) {
            *value = w->value;
            return true;
        }
    }
    return false;
}

static bool is_size(unsigned bytes)
{
    return bytes > 0 && bytes <= VALUE_BYTES && (bytes & (bytes - 1)) == 0;
}

static void take_accesses(struct assay_commit_log *g, struct assay_commit *commit)
{
    const struct assay_commit_line *line = &g->line;
    const uint64_t info = rv_classify(line->word, g->flow.isa);
    const uint32_t size = UINT32_C(1) << rv_info_access_log2(info);
    const bool single = rv_info_access_count(info) == 1;
    uint64_t loaded = 0;
    const bool has_loaded = single && size <= VALUE_BYTES && loaded_of(line, info, &loaded);
    for (unsigned n = 0; n < line->accesses; n++) {
        const struct assay_commit_access *a = &line->access[n];
        const uint32_t bytes = a->is_store && is_size(a->bytes) ? a->bytes : size;
        const uint64_t mask = assay_mask(bytes < VALUE_BYTES ? 8 * bytes : 64);
        g->access[n] = (struct assay_access){.address = a->address & g->flow.mask,
                                             .size = bytes,
                                             .write = a->is_store,
                                             .content_known = bytes <= VALUE_BYTES &&
                                                              (a->is_store || has_loaded)};
        g->access[n].content =
            g->access[n].content_known ? (a->is_store ? a->data : loaded) & mask : 0;
    }
    commit->accesses = line->accesses;
}

/* --- what happened --- */

static void begin(const struct assay_commit_log *g, enum assay_commit_kind kind,
                  struct assay_commit *commit)
{
    memset(commit, 0, sizeof *commit);
    commit->kind = kind;
    commit->line = g->number;
    commit->offset = g->offset;
    commit->core = g->core;
    commit->has_traps = g->has_traps;
    commit->access = g->access;
}

static void take_instruction(struct assay_commit_log *g, struct assay_commit *commit)
{
    begin(g, ASSAY_COMMIT_INSTRUCTION, commit);
    g->has_commit = true;
    if (g->trapped) {
        assay_commit_flow_enter(&g->flow, &g->trap, &g->line);
        g->trapped = false;
    }
    commit->priv_known = true;
    commit->priv = g->line.priv;
    commit->address = g->line.address & g->flow.mask;
    commit->word = g->line.word;
    commit->size = g->line.size;
    memcpy(commit->x, g->flow.x, sizeof commit->x);
    commit->x_known = g->flow.x_known;
    take_accesses(g, commit);
    commit->result_known = assay_commit_result(&g->line, &commit->result);
    assay_commit_flow_take(&g->flow, &g->line);
}

/* Of a trap at the beginning of the handler of another one: what comes next is no lower. */
static void find_handler_level(struct assay_commit_log *g, struct assay_commit *trap)
{
    struct ahead a = look_ahead(g);
    assay_commit_flow_leave_handler(&g->flow, trap);
    while (!trap->priv_known && next_ahead(g, &a)) {
        if (g->ahead.kind != ASSAY_COMMIT_LINE_VALUE) {
            trap->priv_known =
                g->ahead.kind == ASSAY_COMMIT_LINE_INSTRUCTION && g->ahead.priv == S_LEVEL;
            trap->priv = g->ahead.priv;
            return;
        }
    }
}

/* The level of a call of the system is in its cause. */
static void find_level(struct assay_commit_log *g, struct assay_commit *trap)
{
    enum { CALL = 8, CALL_OF_M = 11, GUEST = 10 };
    if (g->trapped) {
        find_handler_level(g, trap);
    } else {
        assay_commit_flow_leave(&g->flow, trap);
    }
    if (!trap->interrupt && trap->cause >= CALL && trap->cause <= CALL_OF_M) {
        trap->priv_known = true;
        trap->priv = (uint8_t)(trap->cause == GUEST ? 1 : trap->cause - CALL);
    }
}

/* ECALL has one encoding; EBREAK has two, and the trap of a breakpoint can be of anything. */
static void find_raising(const struct assay_commit_log *g, struct assay_commit *trap)
{
    enum { ECALL = 0x73, CALL = 8, CALL_OF_M = 11, BREAKPOINT = 3, WIDE = 4 };
    const bool fetched = g->has_traps && g->fetched == trap->from;
    const uint64_t info = rv_classify(g->fetched_word, g->flow.isa);
    if (!trap->cause_known || !trap->from_known || trap->interrupt) {
        return;
    }
    if (trap->cause >= CALL && trap->cause <= CALL_OF_M) {
        trap->word = ECALL;
        trap->size = WIDE;
    } else if (trap->cause == BREAKPOINT && fetched && rv_info_is_exception_generating(info) != 0) {
        trap->word = g->fetched_word;
        trap->size = (uint8_t)rv_info_length(info);
    }
    trap->address = trap->size > 0 ? trap->from : 0;
}

/* A trap of the log, of which the value can be in the line after it. */
static enum assay_error take_trap(struct assay_commit_log *g, struct assay_commit *commit,
                                  struct assay_diag *diag)
{
    bool more = false;
    begin(g, ASSAY_COMMIT_TRAP, commit);
    commit->interrupt_known = commit->cause_known = commit->value_known = commit->from_known = true;
    commit->interrupt = g->line.interrupt;
    commit->cause = g->line.cause;
    commit->from = g->line.address & g->flow.mask;
    find_level(g, commit);
    find_raising(g, commit);
    g->trap = *commit;
    g->trapped = true;
    struct ahead a = look_ahead(g);
    if (next_ahead(g, &a) && g->ahead.kind == ASSAY_COMMIT_LINE_VALUE) {
        commit->value = g->ahead.value & g->flow.mask;
        return next_line(g, &more, diag);
    }
    return ASSAY_OK;
}

/* What the log does not say: a trap was taken before the instruction at hand. */
static void conclude_trap(struct assay_commit_log *g, struct assay_commit *commit)
{
    begin(g, ASSAY_COMMIT_TRAP, commit);
    assay_commit_flow_conclude(&g->flow, &g->line, commit);
    ask_handler(g, commit);
    find_raising(g, commit);
    g->trap = *commit;
    g->trapped = g->waits = true;
}

/* A log in which nothing was executed is the record of no trace. */
static enum assay_error finish(const struct assay_commit_log *g, struct assay_commit *commit,
                               struct assay_diag *diag)
{
    begin(g, ASSAY_COMMIT_END, commit);
    if (g->has_commit || g->number == 0) {
        return ASSAY_OK;
    }
    if (!g->has_core) {
        return assay_fail_at(diag, ASSAY_SYNTAX, g->number, 1,
                             "the log has no instruction of core %u", g->core);
    }
    (void)assay_fail_at(diag, ASSAY_SYNTAX, g->number, 1,
                        g->has_fetched ? "the log has instructions and no commits"
                                       : "the log has no instruction");
    assay_diag_hint(diag, "run Spike with --log-commits");
    return ASSAY_SYNTAX;
}

enum assay_error assay_commit_log_next(struct assay_commit_log *log, struct assay_commit *commit,
                                       struct assay_diag *diag)
{
    bool more = true;
    if (log->waits) {
        log->waits = false;
        take_instruction(log, commit);
        return ASSAY_OK;
    }
    do {
        const enum assay_error error = next_line(log, &more, diag);
        if (error != ASSAY_OK || !more) {
            return error != ASSAY_OK ? error : finish(log, commit, diag);
        }
    } while (log->line.kind == ASSAY_COMMIT_LINE_INSTRUCTION && is_cut_off(log));
    if (log->line.kind == ASSAY_COMMIT_LINE_VALUE) {
        return assay_fail_at(diag, ASSAY_SYNTAX, log->number, 1,
                             "the value of a trap, and no trap is in the line before it");
    }
    if (log->line.kind == ASSAY_COMMIT_LINE_TRAP) {
        return take_trap(log, commit, diag);
    }
    const enum assay_error error = compare_xlen(log, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (!log->has_traps && assay_commit_flow_breaks(&log->flow, &log->line)) {
        conclude_trap(log, commit);
    } else {
        take_instruction(log, commit);
    }
    return ASSAY_OK;
}

/* --- opening --- */

bool assay_commit_log_probe(struct assay_source *source, enum rv_isa *isa)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(source, PROBED, &data, &have);
    struct ahead a = {(const char *)data, have};
    const char *expected = NULL;
    uint32_t column = 0;
    *isa = RV_64;
    if (have == 0 || !assay_commit_line_begins(a.text, a.left)) {
        return false;
    }
    struct assay_commit_line *line = malloc(sizeof *line);
    for (const char *end = NULL; line != NULL && (end = memchr(a.text, '\n', a.left)) != NULL;) {
        const size_t length = (size_t)(end - a.text);
        if (assay_commit_line_read(a.text, length, line, &column, &expected) == ASSAY_OK &&
            line->kind == ASSAY_COMMIT_LINE_INSTRUCTION) {
            *isa = line->digits == RV32_DIGITS ? RV_32 : RV_64;
            break;
        }
        a.text += length + 1;
        a.left -= length + 1;
        if (a.left == 0) {
            break;
        }
    }
    free(line);
    return true;
}

enum assay_error assay_commit_log_open(struct assay_source *source, enum rv_isa isa, uint32_t core,
                                       struct assay_commit_log **log, struct assay_diag *diag)
{
    struct assay_commit_log *g = calloc(1, sizeof *g);
    *log = g;
    if (g == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    g->source = source;
    g->chosen = core != ASSAY_EXECUTION_THREAD_FROM_TRACE;
    g->core = g->chosen ? core : 0;
    assay_commit_flow_open(&g->flow, isa);
    return ASSAY_OK;
}

void assay_commit_log_close(struct assay_commit_log *log)
{
    free(log);
}
