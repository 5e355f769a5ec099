/* RISC-V: what the instructions of a challenge do. Computations are those of isa/rv_compute.h. */
#include "generators/challenge/machine.h"
#include "isa/rv.h"

typedef struct challenge_machine machine;
typedef const struct challenge_operation operation;

static uint64_t get(const machine *m, unsigned number)
{
    return number == RV_NO_REGISTER ? 0 : m->x[number];
}

static void set(machine *m, unsigned number, uint64_t value)
{
    if (number != 0) {
        m->x[number] = value;
    }
}

/* The number of a register that an instruction names; 0 where it names none. */
static unsigned named(operation *o, enum rv_operand_index index)
{
    const uint32_t set = rv_operand(o->word, o->info, index).registers;
    return set == 0 ? 0 : (unsigned)__builtin_ctz(set);
}

static void compute(machine *m, operation *o)
{
    const struct rv_computation *c = &o->computation;
    set(m, c->rd,
        rv_compute(c, get(m, c->first),
                   c->second == RV_NO_REGISTER ? c->immediate : m->x[c->second]));
}

static void do_nothing(machine *m, operation *o)
{
    (void)m;
    (void)o;
}

static void add_upper(machine *m, operation *o)
{
    set(m, o->word >> 7 & 31, m->pc + rv_sign_extend(o->word & 0xfffff000, 32));
}

/* --- transfers --- */

static void go(machine *m, operation *o)
{
    m->defect |= !rv_direct_target(o->word, RV_64, m->pc, &m->next);
}

static bool compares(unsigned kind, uint64_t a, uint64_t b)
{
    const uint64_t sign = UINT64_C(1) << 63;
    const bool results[] = {a == b, false, (a ^ sign) < (b ^ sign), a < b};
    return results[kind >> 1] != (kind & 1);
}

static void branch(machine *m, operation *o)
{
    const bool is_short = o->size == 2;
    const unsigned kind = is_short ? o->word >> 13 & 1 : o->word >> 12 & 7;
    const uint64_t second = is_short ? 0 : m->x[named(o, RV_OP_RS2)];
    if (compares(kind, m->x[named(o, RV_OP_RS1)], second)) {
        go(m, o);
    }
}

static void jump(machine *m, operation *o)
{
    go(m, o);
    if (o->size == 4) {
        set(m, o->word >> 7 & 31, m->pc + 4);
    }
}

static void jump_by_register(machine *m, operation *o)
{
    if (o->size == 2) { /* C.JR, C.JALR */
        m->next = m->x[o->word >> 7 & 31] & ~UINT64_C(1);
        set(m, o->word >> 12 & 1, m->pc + 2);
        return;
    }
    m->next = (m->x[o->word >> 15 & 31] + rv_sign_extend(o->word >> 20, 12)) & ~UINT64_C(1);
    set(m, o->word >> 7 & 31, m->pc + 4);
}

/* --- accesses --- */

static uint64_t address_of(machine *m, operation *o)
{
    int64_t offset = 0;
    m->defect |= !rv_offset(o->word, o->info, &offset);
    return m->x[rv_base(o->word, o->info)] + (uint64_t)offset;
}

static void load(machine *m, operation *o)
{
    const unsigned log2 = rv_info_access_log2(o->info);
    const uint64_t value = challenge_load(m, address_of(m, o), log2);
    set(m, named(o, RV_OP_RD),
        rv_load_is_unsigned(o->word, o->info) ? value : rv_sign_extend(value, 8u << log2));
}

static void store(machine *m, operation *o)
{
    challenge_store(m, address_of(m, o), rv_info_access_log2(o->info), m->x[named(o, RV_OP_RS2)]);
}

static void atomic(machine *m, operation *o)
{
    const unsigned log2 = rv_info_access_log2(o->info);
    const uint64_t at = m->x[rv_base(o->word, o->info)];
    const uint64_t loaded = challenge_load(m, at, log2);
    challenge_store(m, at, log2,
                    rv_amo_stores(o->word, 1u << log2, loaded, m->x[named(o, RV_OP_RS2)]));
    set(m, named(o, RV_OP_RD), rv_sign_extend(loaded, 8u << log2));
}

static void call_system(machine *m, operation *o)
{
    (void)o;
    m->called = true;
}

bool challenge_rv_operation(uint32_t word, struct challenge_operation *o)
{
    static const struct {
        enum rv_class class;
        void (*execute)(machine *m, operation *o);
    } classes[] = {{RV_AUIPC, add_upper},  {RV_BRANCH, branch},
                   {RV_JAL, jump},         {RV_JALR, jump_by_register},
                   {RV_LOAD, load},        {RV_STORE, store},
                   {RV_AMO, atomic},       {RV_ECALL, call_system},
                   {RV_FENCE, do_nothing}, {RV_FENCE_TSO, do_nothing},
                   {RV_NOP, do_nothing},   {RV_PAUSE, do_nothing}};
    const uint64_t info = rv_classify(word, RV_64);
    *o = (struct challenge_operation){
        .word = word, .size = (uint8_t)rv_info_length(info), .info = info};
    if (rv_computation(word, info, RV_64, &o->computation)) {
        o->execute = compute;
    }
    for (unsigned i = 0; i < sizeof classes / sizeof classes[0] && o->execute == NULL; i++) {
        o->execute = rv_info_class(info) == classes[i].class ? classes[i].execute : NULL;
    }
    return o->execute != NULL;
}
