/* The platform of a model, and the state in which its trace begins. */
#include "generators/astf/model_machine.h"

#include <inttypes.h>

enum { HIGH_LEVELS = 4 };

/* Vector lengths are powers of two here, in units of 128 bits, less one; long ones are rare. */
static uint8_t draw_length(struct model *m)
{
    static const uint8_t lengths[] = {0, 0, 1, 1, 1, 3, 3, 3, 7, 15};
    return lengths[model_draw(m, sizeof lengths)];
}

static void draw_registers(struct model *m)
{
    for (unsigned el = 1; el < 4; el++) {
        m->vl[el] = draw_length(m);
        m->svl[el] = draw_length(m);
        m->tcf[el] = m->mte >= 2 ? (uint8_t)model_draw(m, m->mte == 3 ? 4 : 3) : 0;
    }
    m->tcf[0] = m->mte >= 2 ? (uint8_t)model_draw(m, m->mte == 3 ? 4 : 3) : 0;
}

static void draw_platform(struct model *m)
{
    static const unsigned extensions[] = {MODEL_SVE,  MODEL_SME, MODEL_MOPS,
                                          MODEL_LS64, MODEL_DIT, MODEL_SSBS};
    for (unsigned i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        m->extensions |= model_chance(m, 5) ? 0 : extensions[i];
    }
    m->mte = (unsigned)model_draw(m, 6);
    m->mte = m->mte > 3 ? 3 : m->mte;
    m->extensions |= m->mte > 0 ? MODEL_MTE : 0;
    m->address_bits = model_chance(m, 3) ? 39 : 48;
    m->host = model_chance(m, 2);
    m->zva_bytes = UINT64_C(16) << model_draw(m, 8);
    m->dssbs = (m->extensions & MODEL_SSBS) != 0 ? (uint8_t)model_draw(m, 16) : 0;
}

static void draw_processes(struct model *m)
{
    m->processes = 1 + (unsigned)model_draw(m, MODEL_PROCESSES - 1);
    m->knows_pid = !model_chance(m, 4);
    m->knows_tid = m->knows_pid && !model_chance(m, 4);
    const uint64_t first = 100 + model_draw(m, 30000);
    for (unsigned i = 0; i < MODEL_PROCESSES; i++) {
        m->process[i].pid = first + i / 2; /* two threads each */
        m->process[i].tid = first + i * 7;
    }
}

/* EL0 and EL1 have two address ranges, EL2 may have, EL3 has one. Each thread has its own
 * code. */
static void place_programs(struct model *m)
{
    const uint64_t half = UINT64_C(1) << (m->address_bits - 1);
    const uint64_t high = UINT64_MAX << m->address_bits;
    for (unsigned i = 0; i < MODEL_PROGRAMS; i++) {
        const unsigned above = i - MODEL_PROCESSES; /* EL1, EL1, EL2, EL2, EL3; or a process */
        const bool kernel = above < 2 || (above < 4 && m->host);
        const uint64_t page = 16 + 64 * i + model_draw(m, 32);
        m->program[i].base = (kernel ? high : half) + page * MODEL_PAGE;
    }
}

unsigned model_vector_bytes(const struct model *m)
{
    unsigned length = 15;
    for (unsigned el = m->now.el == 0 ? 1 : m->now.el; el < HIGH_LEVELS; el++) {
        length = m->vl[el] < length ? m->vl[el] : length;
    }
    return m->sm ? model_streaming_bytes(m) : 16 * (length + 1);
}

unsigned model_streaming_bytes(const struct model *m)
{
    unsigned length = 15;
    for (unsigned el = m->now.el == 0 ? 1 : m->now.el; el < HIGH_LEVELS; el++) {
        length = m->svl[el] < length ? m->svl[el] : length;
    }
    return 16 * (length + 1);
}

unsigned model_tcf(const struct model *m)
{
    return m->tcf[m->now.el];
}

/* A state of a level that no exception saved. Each draw is a statement of its own, since the
 * order of evaluation within an expression is unspecified. */
static struct model_state draw_state(struct model *m, uint8_t el)
{
    struct model_state state = {.el = el, .secure = el == 3};
    state.process = (uint8_t)model_draw(m, m->processes);
    state.handler = el > 0 && !model_chance(m, 4);
    state.dit = (m->extensions & MODEL_DIT) != 0 && model_chance(m, 3);
    state.ssbs = (m->extensions & MODEL_SSBS) != 0 && model_chance(m, 3);
    state.tco = m->mte > 0 && model_chance(m, 4);
    for (unsigned i = 0; i < MODEL_SELECTORS; i++) {
        state.selector[i] = (uint16_t)model_draw(m, UINT64_C(1) << 16);
    }
    return state;
}

void model_reset(struct model *m)
{
    m->now = (struct model_state){
        .el = 3, .secure = true, .handler = true, .masked = true, .tco = m->mte > 0};
    m->now.pc = model_any_address(m);
    m->sm = false;
    m->za = false;
    m->frames = 0;
    m->exclusive = false;
    m->landed = false;
    m->link = 0;
    draw_registers(m);
}

void model_begin(struct model *m)
{
    static const uint8_t levels[] = {0, 0, 0, 0, 1, 1, 2, 3};
    m->random = m->options->seed;
    m->last_trapped = true; /* nothing happens before the first instruction */
    draw_platform(m);
    draw_processes(m);
    place_programs(m);
    model_reset(m);
    m->now = draw_state(m, levels[model_draw(m, sizeof levels)]);
    m->now.pc = model_any_address(m);
    m->ticks = model_draw(m, UINT64_C(1) << 40);
    for (unsigned i = 0; i < MODEL_PROCESSES; i++) {
        const struct model_state now = m->now;
        m->now = draw_state(m, 0);
        m->now.process = (uint8_t)i;
        m->now.secure = i == MODEL_PROCESSES - 1;
        m->now.pc = model_any_address(m);
        m->process[i].state = m->now;
        m->now = now;
    }
}

void model_write_facts(const struct model *m, struct assay_sink *sink)
{
    static const struct {
        const char *name;
        unsigned extension, mte;
    } features[] = {
        {"FEAT_DIT", MODEL_DIT, 0},     {"FEAT_LS64", MODEL_LS64, 0},
        {"FEAT_LS64_V", MODEL_LS64, 0}, {"FEAT_LS64_ACCDATA", MODEL_LS64, 0},
        {"FEAT_MOPS", MODEL_MOPS, 0},   {"FEAT_SME", MODEL_SME, 0},
        {"FEAT_SME2", MODEL_SME, 0},    {"FEAT_SSBS", MODEL_SSBS, 0},
        {"FEAT_SVE", MODEL_SVE, 0},     {"FEAT_MTE", MODEL_MTE, 0},
        {"FEAT_MTE2", MODEL_MTE, 2},    {"FEAT_MTE3", MODEL_MTE, 3},
    };
    assay_sink_text(sink, "facts: 1\nfeatures:\n  FEAT_BTI: true\n  FEAT_CSSC: true\n"
                          "  FEAT_HBC: true\n  FEAT_LSE: true\n  FEAT_PAuth: true\n"
                          "  FEAT_TLBIRANGE: true\n  FEAT_WFxT: true\n  FEAT_RME: false\n");
    for (unsigned i = 0; i < sizeof features / sizeof features[0]; i++) {
        const bool has = (m->extensions & features[i].extension) != 0 && m->mte >= features[i].mte;
        assay_sink_printf(sink, "  %s: %s\n", features[i].name, has ? "true" : "false");
    }
    const unsigned size = 64 - m->address_bits;
    assay_sink_printf(sink, "address_sizes:\n  el1: {T0SZ: %u, T1SZ: %u}\n", size, size);
    if (m->host) {
        assay_sink_printf(sink, "  el20: {T0SZ: %u, T1SZ: %u}\n", size, size);
    } else {
        assay_sink_printf(sink, "  el2: {T0SZ: %u}\n", size);
    }
    assay_sink_printf(sink, "  el3: {T0SZ: %u}\npage_size: %d\nzva_bytes: %" PRIu64 "\n", size,
                      MODEL_PAGE, m->zva_bytes);
}
