#include "astf/truth.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "astf/access.h"
#include "astf/astf.h"
#include "execution/execution.h"
#include "isa/a64.h"

/* One more than is searched, so that what came after a match is known; and accesses for all. */
enum {
    RING = 2 * ASTF_TRUTH_WINDOW,
    AHEAD = ASTF_TRUTH_WINDOW + 1,
    POOL = (AHEAD + 1) * ASSAY_EXECUTION_ACCESSES_MAX,
};

/* An executed instruction. */
struct entry {
    uint64_t pc;
    uint32_t iword;
    uint32_t begin; /* of its accesses in the pool */
    uint16_t accesses;
    bool diverted; /* control was taken away behind it */
};

/* The accesses of the present Instruction record, until its last Extra EA record. */
struct comparison {
    bool open;                           /* Extra EA records are due */
    uint64_t known;                      /* the flags that its last record will have */
    const struct assay_access *executed; /* in the pool, until the next Instruction record */
    unsigned count;
    struct astf_runs reads, writes; /* recorded */
    struct astf_runs executed_reads, executed_writes;
};

struct astf_truth {
    struct assay_execution *execution;
    uint32_t thread; /* that the trace is of */
    bool ended;
    bool broken; /* by a fault of the recording */
    uint64_t system_id;
    unsigned first, count; /* in the ring */
    unsigned unmatched;    /* records since the last match that matched nothing */
    unsigned used;         /* of the pool */
    struct entry ring[RING];
    struct comparison now;
    struct assay_access pool[POOL];
};

/* Places in the derived words, as in layout.def. */
enum {
    WORD_PC = 2,
    WORD_FLAGS = 3,
    WORD_BYTES = 4,
    WORD_MISSING_AT = 5,
    WORD_INVENTED_AT = 6,
    WORD_NEXT = 7,
    BIT_MISSING = 0,
    BIT_INVENTED = 32,
    BIT_LEFT_OUT = 40,
};

#define EXECUTED          (UINT64_C(1) << 32)
#define ACCESSES_KNOWN    (UINT64_C(1) << 33)
#define WRITES_KNOWN      (UINT64_C(1) << 34)
#define ACCESSES_COMPLETE (UINT64_C(1) << 35)
#define NEXT_KNOWN        (UINT64_C(1) << 36)

/* --- the recording, read ahead --- */

static struct entry *entry_at(struct astf_truth *t, unsigned n)
{
    return &t->ring[(t->first + n) % RING];
}

/* Moves the accesses of the instructions that are left to the beginning of the pool. */
static void make_room(struct astf_truth *t)
{
    const unsigned begin = t->count > 0 ? entry_at(t, 0)->begin : t->used;
    memmove(t->pool, t->pool + begin, (t->used - begin) * sizeof t->pool[0]);
    t->used -= begin;
    for (unsigned i = 0; i < t->count; i++) {
        entry_at(t, i)->begin -= begin;
    }
}

static void take_instruction(struct astf_truth *t, const struct assay_executed *item)
{
    if (t->used > POOL - ASSAY_EXECUTION_ACCESSES_MAX) {
        make_room(t);
    }
    *entry_at(t, t->count++) = (struct entry){
        .pc = item->address, .iword = item->word, .begin = t->used, .accesses = item->accesses};
    for (unsigned i = 0; i < item->accesses; i++) {
        t->pool[t->used] = item->access[i];
        t->pool[t->used].address = astf_untagged(item->access[i].address);
        t->used++;
    }
}

/* A trace is of one PE; of a recorded program that is one thread. */
static void take(struct astf_truth *t, const struct assay_executed *item)
{
    if (item->kind == ASSAY_EXECUTED_END) {
        t->ended = true;
    } else if (item->thread != t->thread) {
        return;
    } else if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        take_instruction(t, item);
    } else if (item->kind == ASSAY_EXECUTED_DIVERTED && t->count > 0) {
        entry_at(t, t->count - 1)->diverted = true;
    } else if (item->kind == ASSAY_EXECUTED_THREAD_START) {
        t->system_id = item->system_id;
    }
}

static void fill(struct astf_truth *t)
{
    struct assay_executed item;
    if (t->count < 2) {
        make_room(t);
    }
    while (t->count < AHEAD && !t->ended) {
        t->broken = assay_execution_next(t->execution, &item) != ASSAY_OK;
        if (t->broken) {
            t->ended = true;
        } else {
            take(t, &item);
        }
    }
}

static void drop(struct astf_truth *t, unsigned n)
{
    t->first = (t->first + n) % RING;
    t->count -= n;
    t->unmatched = 0;
}

enum assay_error astf_truth_open(struct assay_execution *execution, uint32_t thread,
                                 struct astf_truth **truth, struct assay_diag *diag)
{
    *truth = NULL;
    if (execution == NULL) {
        return ASSAY_OK;
    }
    *truth = calloc(1, sizeof **truth);
    if (*truth == NULL) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*truth)->execution = execution;
    (*truth)->thread = thread;
    fill(*truth);
    return ASSAY_OK;
}

void astf_truth_discard(struct assay_execution *execution)
{
    assay_execution_close(execution);
}

void astf_truth_close(struct astf_truth *truth)
{
    if (truth != NULL) {
        assay_execution_close(truth->execution);
        free(truth);
    }
}

const struct assay_diag *astf_truth_fault(const struct astf_truth *t)
{
    return t->broken ? assay_execution_diag(t->execution) : NULL;
}

/* --- accesses --- */

/* What the recording of an instruction says of its accesses (docs/recorder.md). Not those of
 * instructions that a recorder may not see: what touches tags, and what has no size of its own:
 * SVE, SME, memory copy and set, DC ZVA. Of vectors under a predicate it may have seen some. That a
 * compare and swap wrote is told also when the comparison failed. */
static uint64_t knowledge(uint64_t info, unsigned accesses)
{
    const bool sized = a64_info_access_bytes(info) != 0 && a64_info_accesses_tags(info) == 0;
    if (accesses == 0 && a64_info_is_memory(info) != 0 && !sized) {
        return 0;
    }
    const bool may_not_write =
        a64_info_writes_conditionally(info) != 0 && a64_info_reads(info) != 0;
    const bool may_lack =
        a64_info_is_predicated(info) != 0 || accesses == ASSAY_EXECUTION_ACCESSES_MAX;
    return ACCESSES_KNOWN | (may_not_write ? 0 : WRITES_KNOWN) | (may_lack ? 0 : ACCESSES_COMPLETE);
}

/* An access as a record tells it. */
struct recorded {
    uint64_t address, size;
    bool read, write;
};

static struct recorded access_of(const uint8_t *r)
{
    const bool any = astf_get(r, instr, ea_valid) != 0 && astf_get(r, instr, is_branch) == 0;
    const bool range = astf_get(r, instr, xattr_mode) == 1;
    return (struct recorded){.address = astf_get(r, instr, ea),
                             .size = range ? astf_get(r, instr, ea_range)
                                           : astf_get(r, instr, ea_size) + 1,
                             .read = any && astf_get(r, instr, is_read) != 0,
                             .write = any && astf_get(r, instr, is_write) != 0};
}

/* The common case: one record, of accesses in one direction that follow each other. */
static bool is_that(const struct recorded *access, const struct assay_access *executed,
                    unsigned count)
{
    uint64_t end = access->address;
    if (count == 0) {
        return !access->read && !access->write;
    }
    if (access->read == access->write) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (executed[i].address != end || executed[i].write != access->write) {
            return false;
        }
        end += executed[i].size;
    }
    return end - access->address == access->size;
}

static void add_recorded(struct comparison *now, const struct recorded *access)
{
    if (access->read) {
        astf_runs_add(&now->reads, access->address, access->size);
    }
    if (access->write) {
        astf_runs_add(&now->writes, access->address, access->size);
    }
}

static void empty(struct astf_runs *runs)
{
    runs->count = 0;
    runs->cut = false;
}

static uint64_t at_most_16_bits(uint64_t bytes)
{
    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

/* Bytes of one side that are not on the other: how many, by direction, and the lowest of them. */
static void tell(const struct astf_surplus *reads, const struct astf_surplus *writes, unsigned bit,
                 unsigned place, uint64_t *words)
{
    const bool write_is_lower =
        writes->bytes > 0 && (reads->bytes == 0 || writes->first < reads->first);
    words[WORD_BYTES] |= (at_most_16_bits(reads->bytes) | at_most_16_bits(writes->bytes) << 16)
                         << bit;
    words[place] = write_is_lower ? writes->first : reads->first;
}

/* At the last record: what was executed and not recorded, and the reverse. */
static void compare(struct comparison *now, uint64_t *words)
{
    if (now->reads.cut || now->writes.cut) {
        return;
    }
    empty(&now->executed_reads);
    empty(&now->executed_writes);
    for (unsigned i = 0; i < now->count; i++) {
        const struct assay_access *access = &now->executed[i];
        astf_runs_add(access->write ? &now->executed_writes : &now->executed_reads, access->address,
                      access->size);
    }
    words[WORD_FLAGS] |= now->known;
    const struct astf_surplus missing_reads = astf_runs_beyond(&now->executed_reads, &now->reads);
    const struct astf_surplus missing_writes =
        astf_runs_beyond(&now->executed_writes, &now->writes);
    const struct astf_surplus other_reads = astf_runs_beyond(&now->reads, &now->executed_reads);
    const struct astf_surplus other_writes = astf_runs_beyond(&now->writes, &now->executed_writes);
    tell(&missing_reads, &missing_writes, BIT_MISSING, WORD_MISSING_AT, words);
    tell(&other_reads, &other_writes, BIT_INVENTED, WORD_INVENTED_AT, words);
}

static void begin_comparison(struct astf_truth *t, const struct entry *entry, const uint8_t *record,
                             uint64_t info, uint64_t *words)
{
    struct comparison *now = &t->now;
    const struct recorded access = access_of(record);
    now->known = knowledge(info, entry->accesses);
    now->executed = t->pool + entry->begin;
    now->count = entry->accesses;
    now->open = astf_get(record, instr, extra_eas) != 0;
    if (!now->open && is_that(&access, now->executed, now->count)) {
        words[WORD_FLAGS] |= now->known;
        return;
    }
    empty(&now->reads);
    empty(&now->writes);
    add_recorded(now, &access);
    if (!now->open) {
        compare(now, words);
    }
}

void astf_truth_extra_ea(struct astf_truth *t, const uint8_t *r, uint64_t *words)
{
    const bool range = astf_get(r, extra_ea, mem1_addr_range) != 0;
    const bool second = astf_get(r, extra_ea, mem1_valid) != 0 && !range;
    memset(&words[WORD_FLAGS], 0, (ASTF_WORDS - WORD_FLAGS) * sizeof words[0]);
    if (!t->now.open) {
        return;
    }
    add_recorded(&t->now, &(struct recorded){.address = astf_get(r, extra_ea, mem0_addr),
                                             .size = range ? astf_get(r, extra_ea, mem1_addr)
                                                           : astf_get(r, extra_ea, mem0_size) + 1,
                                             .read = astf_get(r, extra_ea, mem0_is_read) != 0,
                                             .write = astf_get(r, extra_ea, mem0_is_write) != 0});
    add_recorded(&t->now,
                 &(struct recorded){.address = astf_get(r, extra_ea, mem1_addr),
                                    .size = astf_get(r, extra_ea, mem1_size) + 1,
                                    .read = second && astf_get(r, extra_ea, mem1_is_read) != 0,
                                    .write = second && astf_get(r, extra_ea, mem1_is_write) != 0});
    t->now.open = astf_get(r, extra_ea, extra_eas) != 0;
    if (!t->now.open) {
        compare(&t->now, words);
    }
}

void astf_truth_malformed(struct astf_truth *t)
{
    t->now.open = false;
}

/* --- instructions --- */

static bool is_of(const struct entry *entry, uint64_t pc, uint32_t iword)
{
    return entry->pc == pc && entry->iword == iword;
}

/* How many executed instructions stand before the record's; t->count or more if it is not found. */
static unsigned find(struct astf_truth *t, uint64_t pc, uint32_t iword)
{
    if (t->count < 2 || t->unmatched > 0) {
        fill(t);
    }
    if (t->count > 0 && is_of(entry_at(t, 0), pc, iword)) {
        return 0;
    }
    fill(t);
    const unsigned most = t->count < ASTF_TRUTH_WINDOW ? t->count : ASTF_TRUTH_WINDOW;
    unsigned at = 1;
    while (at < most && !is_of(entry_at(t, at), pc, iword)) {
        at++;
    }
    return at < most ? at : RING;
}

static void match(struct astf_truth *t, unsigned at, const uint8_t *record, uint64_t info,
                  uint64_t *words)
{
    const struct entry *entry = entry_at(t, at);
    if (at > t->unmatched) {
        words[WORD_FLAGS] |= (uint64_t)(at - t->unmatched) << BIT_LEFT_OUT;
    }
    if (at + 1 < t->count && !entry->diverted) {
        words[WORD_FLAGS] |= NEXT_KNOWN;
        words[WORD_NEXT] = entry_at(t, at + 1)->pc;
    }
    begin_comparison(t, entry, record, info, words);
    drop(t, at + 1);
}

void astf_truth_instr(struct astf_truth *t, const uint8_t *record, uint64_t info, uint64_t *words)
{
    memset(&words[WORD_PC], 0, (ASTF_WORDS - WORD_PC) * sizeof words[0]);
    t->now.open = false;
    if (astf_get(record, instr, trap) != 0 && a64_info_class(info) != A64_SVC) {
        return;
    }
    const unsigned at =
        find(t, astf_get(record, instr, pc), (uint32_t)astf_get(record, instr, iword));
    const bool matched = at < RING;
    if (matched && at + 1 == t->count) {
        fill(t);
    }
    if (t->count == 0) {
        return;
    }
    /* As many records without a match as executed instructions passed over: those records stood in
     * their places and were told of then. */
    const bool expected = matched && at <= t->unmatched;
    const struct entry *shown = entry_at(t, expected ? at : 0);
    words[WORD_PC] = shown->pc;
    words[WORD_FLAGS] = EXECUTED | shown->iword;
    if (matched) {
        match(t, at, record, info, words);
    } else {
        t->unmatched++;
    }
}

/* --- what is told of the recording itself --- */

void astf_truth_context(const struct astf_truth *t, uint64_t *words)
{
    words[0] = assay_execution_header(t->execution)->process;
    words[1] = t->system_id;
}

void astf_truth_end(struct astf_truth *t, uint64_t *words)
{
    struct assay_executed item;
    /* Records without a match stood in the places of others. */
    const unsigned told = t->unmatched < t->count ? t->unmatched : t->count;
    words[3] = t->count - told;
    words[4] = told < t->count ? entry_at(t, told)->pc : 0;
    while (!t->ended && assay_execution_next(t->execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        words[3] += item.kind == ASSAY_EXECUTED_INSTRUCTION && item.thread == t->thread;
    }
}
