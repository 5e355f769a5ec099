/* Programs. One runs at EL0 for each process; above, one for each level and security state, with
 * its vector table in front. A word of a program is chosen when execution first reaches
 * it, and then stays the same. */
#include "generators/astf/model_machine.h"

enum { TRIES = 64, FAR = 200 };

/* Programs after those of processes: EL1, EL2, each Non-secure then Secure, and EL3. */
struct model_program *model_program_of(struct model *m, const struct model_state *state)
{
    const unsigned above = state->el == 3 ? 4 : (state->el - 1u) * 2 + (state->secure ? 1u : 0u);
    return &m->program[state->el == 0 ? state->process : MODEL_PROCESSES + above];
}

static unsigned first_word(const struct model *m)
{
    return m->now.el == 0 ? 0 : MODEL_VECTOR_WORDS;
}

uint64_t model_any_address(struct model *m)
{
    const unsigned first = first_word(m);
    return model_program_of(m, &m->now)->base +
           4 * (first + model_draw(m, MODEL_PROGRAM_WORDS - first));
}

/* An offset in words to some address of the program, within the reach of `bits`, put at bit `low`.
 */
static uint32_t offset(struct model *m, unsigned at, unsigned low, unsigned bits)
{
    const int64_t first = first_word(m);
    int64_t to = first + (int64_t)model_draw(m, (uint64_t)(MODEL_PROGRAM_WORDS - first));
    if (bits < 12) {
        to = (int64_t)at + (int64_t)model_draw(m, 2 * FAR) - FAR;
        to = to < first ? first : to >= MODEL_PROGRAM_WORDS ? MODEL_PROGRAM_WORDS - 1 : to;
        to = to - at > FAR ? at + FAR : to;
    }
    return ((uint32_t)(to - at) & ((1u << bits) - 1)) << low;
}

/* The offset field of a branch or literal. */
static uint32_t label(struct model *m, unsigned class, unsigned at)
{
    switch (class) {
    case A64_B:
    case A64_BL:
        return offset(m, at, 0, 26);
    case A64_B_COND:
    case A64_BC_COND:
    case A64_CBZ:
    case A64_CBNZ:
    case A64_LOAD_LITERAL:
        return offset(m, at, 5, 19);
    case A64_TBZ:
    case A64_TBNZ:
        return offset(m, at, 5, 14);
    case A64_CB:
        return offset(m, at, 5, 9);
    default:
        return 0;
    }
}

static void put(struct model_program *p, unsigned at, uint32_t word, unsigned template)
{
    p->code[at] = (struct model_code){.word = word, .template = (uint16_t)(template + 1)};
}

/* A slot of the vector table, and the program, end with a branch. */
static bool is_last(const struct model *m, unsigned at)
{
    return at == MODEL_PROGRAM_WORDS - 1 ||
           (m->now.el > 0 && at < MODEL_VECTOR_WORDS && (at + 1) % MODEL_SLOT_WORDS == 0);
}

static unsigned branch_template(void)
{
    unsigned i = 0;
    while (model_templates[i].class != A64_B) {
        i++;
    }
    return i;
}

/* A vector begins with instructions that complete: an exception there would recur for ever. */
static bool fits_vector(struct model *m, const struct model_template *t)
{
    return t->run == model_run_plain || t->run == model_run_compute || t->run == model_run_branch ||
           (t->class == A64_ERET && model_chance(m, 8));
}

/* Above EL0 traps are rarer, so that handlers return. */
static bool traps(const struct model_template *t)
{
    const unsigned vectors = MODEL_SVE | MODEL_SME;
    return (t->needs & vectors) != 0 || t->run == model_run_call || t->run == model_run_undefined;
}

static bool fits(struct model *m, const struct model_template *t, bool in_vector)
{
    if ((t->needs & ~m->extensions) != 0 || (in_vector && !fits_vector(m, t)) ||
        (m->now.el > 0 && traps(t) && !model_chance(m, 3))) {
        return false;
    }
    if (in_vector) {
        return t->el <= m->now.el;
    }
    /* Now and then an instruction that is undefined at this level. */
    return t->el <= m->now.el || model_chance(m, 16);
}

static unsigned weight_of(const struct model_template *t)
{
    return t->weight == 0 ? 1 : t->weight;
}

static unsigned choose(struct model *m, bool in_vector)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < model_template_count; i++) {
        sum += weight_of(&model_templates[i]);
    }
    for (;;) {
        uint64_t left = model_draw(m, sum);
        unsigned i = 0;
        while (left >= weight_of(&model_templates[i])) {
            left -= weight_of(&model_templates[i++]);
        }
        if (fits(m, &model_templates[i], in_vector)) {
            return i;
        }
    }
}

static bool has_room(const struct model *m, const struct model_program *p, unsigned at,
                     unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (at + i >= MODEL_PROGRAM_WORDS || is_last(m, at + i) || p->code[at + i].template != 0) {
            return false;
        }
    }
    return true;
}

static bool put_two(const struct model *m, struct model_program *p, unsigned at, uint32_t word,
                    uint32_t second, unsigned template)
{
    if (!has_room(m, p, at, 2)) {
        return false;
    }
    put(p, at, word, template);
    put(p, at + 1, second, template);
    return true;
}

/* Memory copy and set are three instructions in a row: 0x00400000 distinguishes those of a copy,
 * 0x4000 those of a set. */
static bool put_three(const struct model *m, struct model_program *p, unsigned at, uint32_t word,
                      unsigned template)
{
    const bool set =
        model_templates[template].class == A64_SETP || model_templates[template].class == A64_SETGP;
    if (!has_room(m, p, at, 3)) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        put(p, at + i, word + i * (set ? 0x4000u : 0x00400000u), template);
    }
    return true;
}

static void write_code(struct model *m, struct model_program *p, unsigned at)
{
    const unsigned branch = branch_template();
    for (unsigned i = 0; i < TRIES && !is_last(m, at); i++) {
        const unsigned chosen = choose(m, m->now.el > 0 && at < MODEL_VECTOR_WORDS);
        const struct model_template *t = &model_templates[chosen];
        const uint32_t varied = (uint32_t)assay_random(&m->random) & t->vary;
        const uint32_t word = t->word | varied | label(m, t->class, at);
        if (t->run == model_run_copy) {
            if (put_three(m, p, at, word, chosen)) {
                return;
            }
        } else if (t->again != 0) {
            const uint32_t other = (uint32_t)assay_random(&m->random) & t->again;
            if (put_two(m, p, at, word, word ^ other, chosen)) {
                return;
            }
        } else if (a64_info_class(a64_classify(word)) == t->class) {
            put(p, at, word, chosen);
            return;
        }
    }
    put(p, at, model_templates[branch].word | label(m, A64_B, at), branch);
}

const struct model_code *model_fetch(struct model *m)
{
    struct model_program *p = model_program_of(m, &m->now);
    const unsigned at = (unsigned)((m->now.pc - p->base) / 4);
    if (p->code[at].template == 0) {
        write_code(m, p, at);
    }
    return &p->code[at];
}
