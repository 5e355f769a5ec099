/* Programs drawn at random, executed with outcomes drawn at random: what the reference encoder
 * sends of them, the reference decoder makes the executed instructions of again, under all options.
 */
#include "common/bytes.h"
#include "common/random.h"
#include "common/tests/turn.h"
#include "etrace/interface/signals.h"
#include "etrace/program/targets.h"
#include "etrace/tests/etrace_support.h"
#include "generators/etrace/unit.h"
#include "validator/engine/conditions.h"
#include "validator/engine/judge.h"

enum {
    BASE = 0x10000,
    WORDS = 512,
    SIZE = 4 * WORDS,
    HANDLER = BASE + 16,
    STEPS = 3000,
    STACK = 4096,
    SEEDS = 2000,
    M = 3
};

/* --- programs --- */

static uint32_t branch_word(uint64_t offset, unsigned rs1)
{
    const uint32_t o = (uint32_t)offset;
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | rs1 << 15 | (o >> 1 & 0xf) << 8 |
           (o >> 11 & 1) << 7 | 0x63;
}

static uint32_t jal_word(uint64_t offset, unsigned rd)
{
    const uint32_t o = (uint32_t)offset;
    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
           (o >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

static uint32_t jalr_word(unsigned rd, unsigned rs1)
{
    return rs1 << 15 | rd << 7 | 0x67;
}

/* Two instructions of 16 bits; jumps go to the first of them, or to the second. */
static uint32_t pair_word(uint64_t *random)
{
    static const uint16_t halves[] = {
        0x0001, 0x0001, 0x8082 /* ret */, 0x9502 /* jalr a0 */, 0x8502 /* jr a0 */,
        0xc101 /* beqz a0, +0 */};
    const uint16_t first =
        assay_random_once_in(random, 4) ? halves[assay_random_below(random, 6)] : halves[0];
    return first | (uint32_t)halves[0] << 16;
}

/* Inferable jumps go forward, so that no loop is without branches: how often such a loop was
 * executed before a trap the trace cannot say. */
static uint32_t random_word(uint64_t *random, uint64_t at)
{
    static const uint8_t links[] = {0, 0, 1, 1, 5, 7};
    const unsigned rd = links[assay_random_below(random, sizeof links)];
    const uint64_t near = BASE + 4 * assay_random_below(random, WORDS);
    switch (assay_random_below(random, 16)) {
    case 0:
    case 1:
    case 2:
        return branch_word(near - at, 10);
    case 3:
        return jal_word(4 + 4 * assay_random_below(random, 32), rd);
    case 4:
        return jalr_word(rd, 10);
    case 5:
    case 6:
        return jalr_word(0, assay_random_once_in(random, 4) ? 5 : 1); /* returns */
    case 7:
        return 0x00000597; /* auipc a1, 0 */
    case 8:
        return jalr_word(rd, 11) | (uint32_t)(2 + assay_random_below(random, 64)) << 22;
    case 9:
        return 0x30200073; /* mret */
    case 10:
        return jalr_word(5, 1); /* a swap */
    case 11:
        return pair_word(random);
    default:
        return 0x00000013; /* nop */
    }
}

struct machine {
    uint64_t random;
    uint8_t program[SIZE];
    struct assay_image_set *images;
    struct assay_image_cursor cursor;
    struct etrace_reading reading;
    uint64_t pc;
    uint64_t stack[STACK]; /* where returns go to */
    size_t depth;
    struct etrace_instruction before;
    uint8_t priv;
    uint64_t context;
    bool traps;    /* there are traps, and changes of privilege */
    bool contexts; /* there are changes of context */
    bool filters;  /* some parts are not traced */
    bool unqualified;
    bool notifies; /* addresses are requested */
    bool behaves;  /* each return goes to where its call came from */
};

static void make_program(struct machine *m)
{
    struct assay_diag diag;
    for (uint64_t at = BASE; at < BASE + SIZE; at += 4) {
        assay_store32(m->program + (at - BASE), random_word(&m->random, at));
    }
    const struct assay_image_spec spec = {
        .path = "program", .kind = ASSAY_IMAGE_RAW, .has_address = true, .address = BASE};
    assert_int_equal(assay_image_set_open(NULL, &m->images), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(m->images, &spec, m->program, SIZE, &diag), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(m->images, &diag), ASSAY_OK);
    assay_image_cursor_open(&m->cursor, m->images);
}

/* --- executions --- */

static uint64_t random_address(struct machine *m)
{
    return BASE + 4 * assay_random_below(&m->random, WORDS);
}

/* Where a jump by a register goes: mostly where a well-behaved program would. */
static uint64_t indirect_target(struct machine *m, const struct etrace_instruction *i)
{
    uint64_t target = 0;
    if (etrace_sequential_target(&m->before, i, &m->reading, &target)) {
        return target;
    }
    if (i->flow == ETRACE_FLOW_RETURN && m->depth > 0) {
        target = m->stack[--m->depth];
        return !m->behaves && assay_random_once_in(&m->random, 8) ? random_address(m) : target;
    }
    return assay_random_once_in(&m->random, 3) ? random_address(m)
                                               : BASE + 64 + 64 * assay_random_below(&m->random, 4);
}

static uint64_t next_of(struct machine *m, const struct etrace_instruction *i)
{
    const uint64_t after = i->pc + i->size;
    uint64_t next = after;
    switch (i->flow) {
    case ETRACE_FLOW_BRANCH:
        next = assay_random_once_in(&m->random, 1 + (i->pc >> 2 & 3)) ? i->target : after;
        break;
    case ETRACE_FLOW_JUMP:
        next = i->target;
        break;
    case ETRACE_FLOW_INDIRECT:
    case ETRACE_FLOW_RETURN:
        next = indirect_target(m, i);
        break;
    case ETRACE_FLOW_XRET:
        next = random_address(m);
        break;
    default:
        break;
    }
    if (i->call && m->depth < STACK) {
        m->stack[m->depth++] = after;
    }
    return next;
}

/* A trap before the instruction at pc, or with it. */
static void trap(struct machine *m, struct etrace_unit *unit)
{
    const struct etrace_ingress record = {.iaddr = m->pc,
                                          .itype = assay_random_once_in(&m->random, 2)
                                                       ? ETRACE_ITYPE_INTERRUPT
                                                       : ETRACE_ITYPE_EXCEPTION,
                                          .cause = assay_random_below(&m->random, 8),
                                          .tval = assay_random(&m->random),
                                          .priv = m->priv,
                                          .context = m->context};
    etrace_unit_put(unit, &record);
    m->pc = HANDLER;
    m->priv = M;
    m->before = (struct etrace_instruction){0};
}

/* Executes one instruction; false where the program has none. */
static bool execute(struct machine *m, struct etrace_unit *unit, struct executed *all)
{
    const struct etrace_instruction i = etrace_instruction_at(&m->cursor, m->pc, &m->reading);
    if (i.size == 0) {
        return false;
    }
    if (i.flow == ETRACE_FLOW_TRAP) {
        m->pc += i.size;
        return true;
    }
    if (i.flow == ETRACE_FLOW_XRET && m->priv != M) {
        return false; /* an MRET is illegal there */
    }
    const uint64_t next = next_of(m, &i);
    struct etrace_ingress record = etrace_ingress_of(&m->before, &i, next, &m->reading);
    record.priv = m->priv;
    record.context = m->context;
    record.notify = m->notifies && assay_random_once_in(&m->random, 200);
    if (m->contexts && assay_random_once_in(&m->random, 100)) {
        record.context = m->context = assay_random_below(&m->random, 4);
        record.ctype = (uint8_t)assay_random_below(&m->random, 4);
    }
    if (m->filters && assay_random_once_in(&m->random, 200)) {
        m->unqualified = !m->unqualified;
    }
    record.unqualified = m->unqualified;
    etrace_unit_put(unit, &record);
    if (!m->unqualified) {
        add_pc(all, i.pc);
    }
    m->before = i;
    m->pc = next;
    if (i.flow == ETRACE_FLOW_XRET) {
        m->priv = m->traps ? (uint8_t)assay_random_below(&m->random, 2) : m->priv;
    }
    return true;
}

/* --- options --- */

static void draw_parameters(uint64_t *random, struct assay_parameter_values *values)
{
    static const enum etrace_parameter options[] = {ETRACE_SIJUMP, ETRACE_IMPLICIT_RETURN,
                                                    ETRACE_BRANCH_PREDICTION,
                                                    ETRACE_JUMP_TARGET_CACHE, ETRACE_FULL_ADDRESS};
    assay_parameters_init(values, assay_format_etrace.parameters);
    set_parameter(values, ETRACE_WIRE, assay_random_once_in(random, 2) ? ETRACE_2_0 : ETRACE_1_1_1);
    set_parameter(values, ETRACE_IADDRESS_WIDTH, assay_random_once_in(random, 2) ? 64 : 40);
    set_parameter(values, ETRACE_XLEN, 64);
    set_parameter(values, ETRACE_PRIVILEGE_WIDTH, 2);
    set_parameter(values, ETRACE_NOCONTEXT, assay_random_once_in(random, 2));
    set_parameter(values, ETRACE_CONTEXT_WIDTH, 2);
    set_parameter(values, ETRACE_BPRED_SIZE, assay_random_below(random, 6));
    set_parameter(values, ETRACE_CACHE_SIZE, assay_random_below(random, 5));
    set_parameter(values, ETRACE_CACHED_TARGETS,
                  assay_random_once_in(random, 2) ? ETRACE_CACHED_XRETS : ETRACE_CACHED_JUMPS);
    set_parameter(values, ETRACE_F0S_WIDTH, 1);
    if (assay_random_once_in(random, 2)) {
        set_parameter(values, ETRACE_RETURN_STACK_SIZE, 1 + assay_random_below(random, 4));
    }
    for (size_t n = 0; n < sizeof options / sizeof options[0]; n++) {
        set_parameter(values, options[n], assay_random_once_in(random, 2));
    }
    set_parameter(values, ETRACE_SIJUMP_SUPPORTED, values->value[ETRACE_SIJUMP]);
    if (values->value[ETRACE_RETURN_STACK_SIZE] == 0 && assay_random_once_in(random, 2)) {
        set_parameter(values, ETRACE_CALL_COUNTER_SIZE, 1 + assay_random_below(random, 4));
    }
    if (values->value[ETRACE_RETURN_STACK_SIZE] + values->value[ETRACE_CALL_COUNTER_SIZE] == 0) {
        set_parameter(values, ETRACE_IMPLICIT_RETURN, 0);
    }
    if (values->value[ETRACE_BPRED_SIZE] == 0) {
        set_parameter(values, ETRACE_BRANCH_PREDICTION, 0);
    }
    if (values->value[ETRACE_CACHE_SIZE] == 0) {
        set_parameter(values, ETRACE_JUMP_TARGET_CACHE, 0);
    }
}

/* --- the property --- */

static size_t same_until(const struct executed *a, const struct executed *b)
{
    size_t n = 0;
    while (n < a->count && n < b->count && a->pcs[n] == b->pcs[n]) {
        n++;
    }
    return n;
}

/* --- the rules --- */

/* Names the first rule of at least this level that fails. */
static void tell_violated(uint64_t seed, const struct assay_judge *judge, enum assay_level least)
{
    const struct assay_catalogue *catalogue = assay_judge_catalogue(judge);
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(judge, r);
        if (result.verdict == ASSAY_FAIL && catalogue->rules[r].level >= (unsigned)least) {
            fail_msg("seed %llu: %s is violated, first at byte %llu: %s", (unsigned long long)seed,
                     catalogue->rules[r].id, (unsigned long long)result.findings[0]->offset,
                     result.findings[0]->message);
        }
    }
}

static void judge(uint64_t seed, const uint8_t *bytes, size_t size,
                  struct assay_parameter_values *values, const struct assay_image_set *images,
                  enum assay_level least)
{
    const struct assay_judge_settings settings = {
        .catalogue = assay_catalogue_of(&assay_format_etrace),
        .parameters = values,
        .given = ASSAY_NEED_ISA | ASSAY_NEED_CONFIG | ASSAY_NEED_IMAGE,
        .max_findings = 1};
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_judge *judge = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(assay_source_memory(bytes, size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source,
                                             .parameters = values,
                                             .images = images,
                                             .conditions =
                                                 assay_conditions_of(&assay_format_etrace),
                                             .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(etrace_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        assert_int_equal(assay_judge_events(judge, block.events, block.count), ASSAY_OK);
    }
    assay_judge_profile(judge, assay_decoder_profile(&assay_format_etrace, decoder));
    tell_violated(seed, judge, least);
    assay_judge_close(judge);
    etrace_decoder_ops.close(decoder);
}

/* The end of the n-th packet of a trace in bytes; that of the last one where there are fewer. */
static size_t end_of_packet(const struct assay_sink *trace, size_t n)
{
    size_t end = 0;
    for (; n > 0 && end < trace->size; n--) {
        end += 1 + (trace->data[end] & 0x1f);
    }
    return end;
}

/* What a ring of memory has of a trace: a piece that begins and ends with any packet. That
 * something is missing is nothing that the encoder did wrong. */
static void judge_piece(uint64_t seed, const struct assay_sink *trace,
                        struct assay_parameter_values *values, const struct assay_image_set *images)
{
    uint64_t random = seed;
    size_t packets = 0;
    while (end_of_packet(trace, packets) < trace->size) {
        packets++;
    }
    const size_t first =
        assay_random_once_in(&random, 3) ? 0 : assay_random_below(&random, packets);
    const size_t last = assay_random_once_in(&random, 3)
                            ? packets
                            : first + assay_random_below(&random, packets - first + 1);
    const size_t begin = end_of_packet(trace, first);
    judge(seed, trace->data + begin, end_of_packet(trace, last) - begin, values, images,
          ASSAY_MUST);
}

/* What happened in all trials. */
struct tally {
    size_t of_kind[ETRACE_KIND_COUNT]; /* packets */
    size_t trials, ambiguous;
};

static void begin(struct machine *m, uint64_t seed, struct assay_parameter_values *values)
{
    m->random = seed;
    m->priv = M;
    m->pc = BASE;
    m->traps = assay_random_once_in(&m->random, 2);
    draw_parameters(&m->random, values);
    m->behaves = values->value[ETRACE_CALL_COUNTER_SIZE] > 0; /* of a stack it need not */
    m->contexts = values->value[ETRACE_NOCONTEXT] == 0;
    m->filters = assay_random_once_in(&m->random, 4);
    m->notifies = assay_random_once_in(&m->random, 4);
    m->reading =
        (struct etrace_reading){.isa = RV_64,
                                .link_x5 = true,
                                .mask = assay_mask((unsigned)values->value[ETRACE_IADDRESS_WIDTH])};
    make_program(m);
}

/* Executes the program, and writes its trace. Returns whether that cannot be decoded, since it
 * names depths of the return stack that cannot be told apart. */
static bool trace(struct machine *m, struct assay_parameter_values *values, struct executed *all,
                  struct writing *w)
{
    static const enum etrace_resync modes[] = {ETRACE_RESYNC_OFF, ETRACE_RESYNC_PACKETS,
                                               ETRACE_RESYNC_CYCLES, ETRACE_RESYNC_HALF_WORDS};
    const enum etrace_resync mode = modes[assay_random_below(&m->random, 4)];
    const uint64_t log = assay_random_below(&m->random, 4);
    const bool registers = mode >= ETRACE_RESYNC_CYCLES;
    if (registers) {
        set_parameter(values, ETRACE_RESYNC_MODE, mode);
        set_parameter(values, ETRACE_RESYNC_MAX, log);
    }
    const struct etrace_unit_setup setup = {
        .values = values,
        .resync = mode,
        .max_resync = registers ? UINT64_C(16) << log : 4 + assay_random_below(&m->random, 60),
        .packet = write_packet,
        .context = w};
    struct etrace_unit *unit = etrace_unit_open(&setup);
    assert_non_null(unit);
    etrace_unit_start(unit);
    for (unsigned n = 0; n < STEPS; n++) {
        if (m->traps && n > 0 && assay_random_once_in(&m->random, 40)) {
            trap(m, unit);
        }
        if (!execute(m, unit, all)) {
            trap(m, unit);
        }
    }
    etrace_unit_stop(unit, true);
    const bool ambiguous = etrace_unit_ambiguous(unit) > 0;
    etrace_unit_close(unit);
    return ambiguous;
}

static void round_trip(uint64_t seed, struct tally *tally)
{
    struct machine *m = calloc(1, sizeof *m);
    struct assay_parameter_values values;
    struct executed all = {0};
    struct writing w;
    assert_non_null(m);
    begin(m, seed, &values);
    begin_writing(&w, &values);
    const bool ambiguous = trace(m, &values, &all, &w);
    assert_int_equal(etrace_encoder_ops.close(w.encoder), ASSAY_OK);
    struct executed decoded = decode_instructions(w.sink.data, w.sink.size, &values, m->images);
    const size_t same = same_until(&all, &decoded);
    if (!ambiguous && (same != all.count || decoded.count != all.count || decoded.lost > 0)) {
        fail_msg("seed %llu: %zu of %zu instructions are the same, of %zu; lost %zu times, first "
                 "by reason %llu after %zu",
                 (unsigned long long)seed, same, all.count, decoded.count, decoded.lost,
                 (unsigned long long)decoded.lost_reason, decoded.lost_at);
    }
    if (!ambiguous) {
        judge(seed, w.sink.data, w.sink.size, &values, m->images, ASSAY_SHOULD);
        judge_piece(seed, &w.sink, &values, m->images);
    }
    tally->trials++;
    tally->ambiguous += ambiguous;
    for (unsigned k = 0; k < ETRACE_KIND_COUNT; k++) {
        tally->of_kind[k] += w.of_kind[k];
    }
    free(all.pcs);
    free(decoded.pcs);
    (void)assay_sink_close(&w.sink, NULL);
    assay_image_set_free(m->images);
    free(m);
}

static void what_was_executed_is_decoded(void **state)
{
    (void)state;
    struct tally tally = {.trials = 0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (is_in_turn(seed)) {
            round_trip(seed, &tally);
        }
    }
    for (unsigned kind = ETRACE_branch_count; kind <= ETRACE_support; kind++) {
        assert_true(tally.of_kind[kind] > 0);
    }
    assert_true(tally.ambiguous < tally.trials / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_executed_is_decoded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
