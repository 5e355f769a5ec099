#include "astf/compare.h"

#include "astf/astf.h"
#include "execution/compare_fast_path.h"
#include "isa/a64.h"

enum {
    FLAGS = ASTF_COMPARE + ASSAY_COMPARE_FLAGS,
    BYTES = ASTF_COMPARE + ASSAY_COMPARE_BYTES,
    EXECUTED_EA = ASTF_COMPARE + ASSAY_COMPARE_FAULT,
};

#define NEXT_KNOWN     (UINT64_C(1) << 41)
#define SAME_ACCESSES  (UINT64_C(1) << 42)
#define FIRST_IN_INSTR (UINT64_C(1) << 44)

enum { EXECUTED_EL_BIT = 19 };

#define EXECUTED_EXCEPTION (UINT64_C(1) << 6)  /* of a Trap, above the exception class */
#define EXECUTED_EL_KNOWN  (UINT64_C(1) << 21) /* of an Instruction, above the level */
#define EXECUTED_TRAP      (UINT64_C(1) << 7)
#define MORE_THAN_EXECUTED (UINT64_C(1) << 8)

/* --- the contents of a record --- */

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

/* An instruction that took an exception was attempted and did not retire, except for SVC. */
/* Whether an instruction that trapped did not retire. */
static bool is_attempt(const struct astf_compare *c, const struct assay_event *event)
{
    const unsigned class = a64_info_class(event->cells[0]);
    const bool call = class == A64_SVC || (c->of_machine && (class == A64_HVC || class == A64_SMC));
    return astf_get(event->bytes, instr, trap) != 0 && !call;
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    const uint8_t *r = event->bytes;
    const struct recorded access = access_of(r);
    (void)run;
    *step =
        (struct assay_compare_step){.step = {.pc = astf_get(r, instr, pc),
                                             .word = (uint32_t)astf_get(r, instr, iword),
                                             .address = access.address,
                                             .has_address = access.read || access.write},
                                    .flags = is_attempt(context, event) ? ASSAY_STEP_ATTEMPT : 0};
}

/* --- accesses --- */

static uint64_t known_accesses(bool writes, bool complete)
{
    return ASSAY_COMPARE_ACCESSES_KNOWN | (writes ? ASSAY_COMPARE_WRITES_KNOWN : 0) |
           (complete ? ASSAY_COMPARE_ACCESSES_COMPLETE : 0);
}

/* The flags for what a recording has of the accesses of an instruction (docs/recorder.md). A
 * recorder may not see accesses to tags, nor those without a fixed size: of SVE, SME, memory copy
 * and set, DC ZVA. Of predicated vector accesses it may see a part. A compare and swap is recorded
 * as writing even if the comparison failed. */
static uint64_t knowledge(uint64_t info, unsigned accesses, bool all_accesses)
{
    const bool whole = accesses != ASSAY_EXECUTION_ACCESSES_MAX;
    const bool tags = a64_info_accesses_tags(info) != 0;
    if (all_accesses && !tags) {
        return known_accesses(true, whole);
    }
    const bool sized = a64_info_access_bytes(info) != 0 && !tags;
    if (accesses == 0 && a64_info_is_memory(info) != 0 && !sized) {
        return 0;
    }
    const bool may_not_write =
        a64_info_writes_conditionally(info) != 0 && a64_info_reads(info) != 0;
    return known_accesses(!may_not_write, whole && a64_info_is_predicated(info) == 0);
}

/* Counts, by reason, what of the instruction's accesses cannot be compared. */
static void count_unknown(const struct astf_compare *c, uint64_t info)
{
    uint64_t *count = c->uncompared->count;
    if ((c->known & ASSAY_COMPARE_ACCESSES_KNOWN) == 0) {
        count[a64_info_accesses_tags(info) != 0                          ? ASSAY_UNCOMPARED_TAGS
              : a64_info_is_sve(info) != 0 || a64_info_is_sme(info) != 0 ? ASSAY_UNCOMPARED_VECTORS
              : a64_info_is_range(info) != 0                             ? ASSAY_UNCOMPARED_COPIES
              : a64_info_class(info) == A64_DC_ZVA                       ? ASSAY_UNCOMPARED_CACHE
                                                   : ASSAY_UNCOMPARED_OTHER_ACCESSES]++;
        return;
    }
    count[ASSAY_UNCOMPARED_FURTHER_ACCESSES] += (c->known & ASSAY_COMPARE_ACCESSES_COMPLETE) == 0;
    count[ASSAY_UNCOMPARED_CONDITIONAL_WRITES] += (c->known & ASSAY_COMPARE_WRITES_KNOWN) == 0;
}

/* Fast path for the common case: one record, and contiguous accesses in one direction. */
static bool is_simple_match(const struct recorded *access, const struct assay_access *executed,
                            unsigned count)
{
    uint64_t covered = 0;
    if (count == 0) {
        return !access->read && !access->write;
    }
    if (access->read == access->write) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (executed[i].address != access->address + covered ||
            executed[i].write != access->write) {
            return false;
        }
        covered += executed[i].size;
    }
    return covered == access->size;
}

static void add_recorded(struct astf_compare *c, const struct recorded *access)
{
    assay_accesses_add(&c->accesses, access->address, access->size, access->read, access->write);
}

/* Where the recorded accesses are those executed: whether the access made first, merged with others
 * or not, is in the Instruction record. */
static void compare_order(const struct astf_compare *c, uint64_t *cells)
{
    if (c->count > 0) {
        const uint64_t first_at = c->executed[0].address;
        cells[EXECUTED_EA] = first_at;
        cells[FLAGS] |= SAME_ACCESSES | (first_at - c->first < c->first_size ? FIRST_IN_INSTR : 0);
    }
}

/* Called at the last record of an instruction. */
static void compare_accesses(struct astf_compare *c, uint64_t *cells)
{
    struct assay_byte_difference differ[ASSAY_ACCESS_DIFFERENCES];
    if (!assay_accesses_compare(&c->accesses, c->executed, c->count, false, differ,
                                &cells[BYTES])) {
        c->uncompared->count[ASSAY_UNCOMPARED_FURTHER_ACCESSES]++;
        return;
    }
    cells[FLAGS] |= c->known;
    cells[ASTF_MISSING_AT] = assay_accesses_lowest(&differ[ASSAY_MISSING_READ], 2);
    cells[ASTF_SPURIOUS_AT] = assay_accesses_lowest(&differ[ASSAY_SPURIOUS_READ], 2);
    if (cells[BYTES] == 0) {
        compare_order(c, cells);
    }
}

static void begin_accesses(struct astf_compare *c, const struct assay_event *event,
                           const struct assay_compare_match *match, uint64_t *cells)
{
    const struct recorded access = access_of(event->bytes);
    c->known = knowledge(event->cells[0], match->executed->accesses, match->all_accesses);
    c->executed = match->accesses;
    c->count = match->executed->accesses;
    c->pending = astf_get(event->bytes, instr, extra_eas) != 0;
    c->uncompared = match->uncompared;
    if (c->known != ASSAY_COMPARE_ALL_KNOWN) {
        count_unknown(c, event->cells[0]);
    }
    if (!c->pending && is_simple_match(&access, c->executed, c->count)) {
        cells[FLAGS] |= c->known;
        if (c->count > 0) {
            cells[FLAGS] |= SAME_ACCESSES | FIRST_IN_INSTR;
            cells[EXECUTED_EA] = access.address;
        }
        return;
    }
    c->first = access.address;
    c->first_size = access.read || access.write ? access.size : 0;
    assay_accesses_clear(&c->accesses);
    add_recorded(c, &access);
    if (!c->pending) {
        compare_accesses(c, cells);
    }
}

static void note_extra_ea(struct astf_compare *c, const uint8_t *r, uint64_t *cells)
{
    const bool range = astf_get(r, extra_ea, mem1_addr_range) != 0;
    const bool second = astf_get(r, extra_ea, mem1_valid) != 0 && !range;
    memset(&cells[FLAGS], 0, (ASTF_EXECUTED_NEXT - FLAGS) * sizeof cells[0]);
    if (!c->pending) {
        return;
    }
    add_recorded(c, &(struct recorded){.address = astf_get(r, extra_ea, mem0_addr),
                                       .size = range ? astf_get(r, extra_ea, mem1_addr)
                                                     : astf_get(r, extra_ea, mem0_size) + 1,
                                       .read = astf_get(r, extra_ea, mem0_is_read) != 0,
                                       .write = astf_get(r, extra_ea, mem0_is_write) != 0});
    add_recorded(c,
                 &(struct recorded){.address = astf_get(r, extra_ea, mem1_addr),
                                    .size = astf_get(r, extra_ea, mem1_size) + 1,
                                    .read = second && astf_get(r, extra_ea, mem1_is_read) != 0,
                                    .write = second && astf_get(r, extra_ea, mem1_is_write) != 0});
    c->pending = astf_get(r, extra_ea, extra_eas) != 0;
    if (!c->pending) {
        compare_accesses(c, cells);
    }
}

/* --- the functions of the stage --- */

static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    struct astf_compare *c = context;
    (void)at;
    c->pending = false;
    c->trapped = false;
    if (match != NULL) {
        c->alignment = match->outcome == ASSAY_OUTCOME_SAME ? match->alignment : NULL;
    }
    if (match == NULL || match->executed == NULL || match->outcome == ASSAY_OUTCOME_REPLACED) {
        return;
    }
    if (match->has_next && !match->executed->diverted) {
        cells[FLAGS] |= NEXT_KNOWN;
        cells[ASTF_EXECUTED_NEXT] = match->executed[1].pc;
    } else {
        match->uncompared->count[ASSAY_UNCOMPARED_TARGETS] +=
            a64_info_is_branch(event->cells[0]) != 0;
    }
    if (match->same && match->executed->level != ASSAY_EXECUTION_LEVEL_UNKNOWN) {
        cells[2] |= (uint64_t)match->executed->level << EXECUTED_EL_BIT | EXECUTED_EL_KNOWN;
    }
    begin_accesses(c, event, match, cells);
}

/* The exception after the last instruction, if one alone was taken there, and led to the target of
 * the Trap. By its vector it is no interrupt, which leaves ESR_ELx as it was. */
static void note_trap(struct astf_compare *c, const uint8_t *r, uint64_t *cells)
{
    enum { SYNCHRONOUS, SERROR = 3, VECTOR_BIT = 7, EC_BIT = 26, EC = 0x3f, ERET = 4 };
    struct assay_alignment *alignment = c->alignment;
    if (astf_get(r, trap, trap_type) == ERET) {
        return; /* it is of the instruction itself */
    }
    c->alignment = NULL;
    if (alignment == NULL) {
        cells[0] = c->trapped ? MORE_THAN_EXECUTED : 0;
        return;
    }
    const struct assay_retired *handler = assay_alignment_expected(alignment);
    const struct assay_trap *trap = assay_alignment_trap(alignment);
    if (trap == NULL || handler == NULL || handler->pc != astf_get(r, trap, target_pc)) {
        return;
    }
    const unsigned vector = handler->pc >> VECTOR_BIT & 3;
    c->trapped = true;
    cells[0] = EXECUTED_TRAP;
    if (vector == SYNCHRONOUS || vector == SERROR) {
        cells[0] |= EXECUTED_EXCEPTION | (trap->cause >> EC_BIT & EC);
    }
}

/* A malformed record may have been an Extra EA record of the instruction before it. */
static void note(void *context, const struct assay_event *event, uint64_t *cells)
{
    struct astf_compare *c = context;
    if (event->kind == ASTF_extra_ea) {
        note_extra_ea(c, event->bytes, cells);
    } else if (event->kind == ASTF_trap) {
        note_trap(c, event->bytes, cells);
    } else {
        c->pending = false;
    }
}

_Static_assert(ASTF_CELLS - ASTF_COMPARE <= ASSAY_COMPARE_ROOM &&
                   ASTF_COMPARE + ASSAY_COMPARE_ROOM <= ASTF_ROW,
               "the cells of an Instruction record");

static const uint8_t roles[ASTF_KIND_COUNT] = {
    [ASTF_malformed] = ASSAY_COMPARE_NOTE, [ASTF_end] = ASSAY_COMPARE_END,
    [ASTF_context] = ASSAY_COMPARE_THREAD, [ASTF_instr] = ASSAY_COMPARE_INSTRUCTION,
    [ASTF_extra_ea] = ASSAY_COMPARE_NOTE,  [ASTF_trap] = ASSAY_COMPARE_NOTE};

static size_t fast_path(void *context, const struct assay_compare_current *current,
                        const struct assay_event *events, size_t count);

static const struct assay_compare_format format = {.format = &assay_format_astf,
                                                   .isas = 1 << ASSAY_EXECUTION_AARCH64,
                                                   .roles = roles,
                                                   .first = ASTF_COMPARE,
                                                   .thread_cells = 0,
                                                   .end_cells = ASTF_COMPARE_END,
                                                   .step = step_of,
                                                   .compare = compare,
                                                   .note = note,
                                                   .fast_path = fast_path};

static size_t fast_path(void *context, const struct assay_compare_current *current,
                        const struct assay_event *events, size_t count)
{
    return assay_compare_fast_path(&format, context, current, events, count);
}

const struct assay_compare_format *astf_compare_format(void)
{
    return &format;
}
