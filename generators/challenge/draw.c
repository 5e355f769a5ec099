#include "generators/challenge/draw.h"

#include <string.h>

/* A program repeats a loop that calls each of its functions at least once. A function calls only
 * those of a lower rank, and what a rank may execute is bounded, loops and callees included: so the
 * program ends. */
enum {
    FUNCTIONS_LEAST = 16,
    FUNCTIONS_MOST = 24,
    BUDGET_LEAST = 200,
    BUDGET_RANK = 60,
    BUDGET_MOST = 1400,
    MAIN_BUDGET = 30000,
    RESERVE = 40,   /* for the end of a function */
    STATEMENT = 50, /* more than the instructions of a statement without those inside of it */
    NESTED = 3,     /* statements inside of statements */
    CHEAP = 4,      /* ranks that the loop calls once more */
    OTHERWISE = 3,  /* functions that return by another register */
    RECURSION = 64, /* the most calls of a function by itself; a power of 2 */
    LOOP_MOST = 8,
};

/* What a function has for its statements. */
struct function {
    struct challenge_draw *draw;
    const uint16_t *callees; /* labels by rank */
    const uint16_t *otherwise;
    unsigned rank;
    uint64_t budget;
    bool is_leaf, is_main;
    unsigned loops; /* around the statement */
    unsigned depth;
    uint16_t out; /* of the innermost loop; CHALLENGE_NO_LABEL: there is none */
};

static uint64_t budget_of(unsigned rank)
{
    const uint64_t budget = BUDGET_LEAST + RESERVE + BUDGET_RANK * (uint64_t)rank;
    return budget < BUDGET_MOST ? budget : BUDGET_MOST;
}

unsigned challenge_deal(struct challenge_draw *draw, struct challenge_deck *deck, unsigned count)
{
    if (deck->left == 0) {
        deck->count = deck->left = count;
        for (unsigned i = 0; i < count; i++) {
            deck->card[i] = (uint8_t)i;
        }
        for (unsigned i = count; i > 1; i--) {
            const unsigned other = challenge_below(draw, i);
            const uint8_t card = deck->card[i - 1];
            deck->card[i - 1] = deck->card[other];
            deck->card[other] = card;
        }
    }
    return deck->card[--deck->left];
}

uint32_t challenge_value(struct challenge_draw *draw)
{
    return draw->isa->values[challenge_below(draw, draw->isa->value_count)];
}

static uint32_t draw_field(struct challenge_draw *draw, const struct challenge_field *field)
{
    switch (field->what) {
    case CHALLENGE_NUMBER:
        return challenge_below(draw, field->limit);
    case CHALLENGE_REGISTER:
        return challenge_value(draw);
    default:
        return draw->isa->values[challenge_below(draw, draw->isa->short_count)] & 7u;
    }
}

uint32_t challenge_draw_form(struct challenge_draw *draw, const struct challenge_form *form)
{
    uint32_t word = form->word;
    for (unsigned i = 0; i < CHALLENGE_FIELDS && form->field[i].what != CHALLENGE_NOTHING; i++) {
        word |= draw_field(draw, &form->field[i]) << form->field[i].low;
    }
    return word;
}

static bool affords(const struct function *f, uint64_t instructions)
{
    return f->draw->cost + f->draw->factor * (STATEMENT + instructions) + RESERVE <= f->budget;
}

/* --- statements --- */

static void compute(struct function *f)
{
    const unsigned count = 2 + challenge_below(f->draw, 4);
    for (unsigned i = 0; i < count; i++) {
        f->draw->isa->compute(f->draw);
    }
}

static void access(struct function *f)
{
    const unsigned count = 2 + challenge_below(f->draw, 3);
    for (unsigned i = 0; i < count; i++) {
        f->draw->isa->access(f->draw);
    }
}

static void hint(struct function *f)
{
    f->draw->isa->hint(f->draw);
}

static void inside(struct function *f, unsigned most);

static void if_then(struct function *f)
{
    const uint16_t end = challenge_label(f->draw->code);
    f->draw->isa->branch(f->draw, end);
    inside(f, 2);
    challenge_place(f->draw->code, end);
}

static void if_else(struct function *f)
{
    const uint16_t other = challenge_label(f->draw->code);
    const uint16_t end = challenge_label(f->draw->code);
    f->draw->isa->branch(f->draw, other);
    inside(f, 2);
    f->draw->isa->jump(f->draw, end);
    challenge_place(f->draw->code, other);
    inside(f, 2);
    challenge_place(f->draw->code, end);
}

/* A loop that counts down at its end, or at its start. */
static void loop_of(struct function *f, bool at_end)
{
    static const unsigned mosts[] = {2, 4, LOOP_MOST};
    struct challenge_draw *draw = f->draw;
    const unsigned most = CHALLENGE_ONE_OF(draw, mosts);
    const uint16_t top = challenge_label(draw->code);
    const uint16_t end = challenge_label(draw->code);
    const uint16_t out = f->out;
    const uint64_t factor = draw->factor;
    const unsigned counter = f->loops++;
    draw->isa->set_counter(draw, counter, most);
    draw->factor *= most + 1; /* the test at the start is made once more */
    f->out = end;
    challenge_place(draw->code, top);
    if (!at_end) {
        draw->isa->skip_at_zero(draw, counter, end);
    }
    inside(f, 2);
    if (at_end) {
        draw->isa->count_down(draw, counter, top);
    } else {
        draw->isa->decrement(draw, counter);
        draw->isa->jump(draw, top);
    }
    challenge_place(draw->code, end);
    draw->factor = factor;
    f->loops = counter;
    f->out = out;
}

static void loop(struct function *f)
{
    loop_of(f, true);
}

static void loop_from_test(struct function *f)
{
    loop_of(f, false);
}

static void leave_loop(struct function *f)
{
    f->draw->isa->branch(f->draw, f->out);
}

/* Cases that follow each other; the last one runs into what comes behind. */
static void cases(struct function *f, const uint16_t *labels, unsigned count)
{
    const uint16_t end = challenge_label(f->draw->code);
    for (unsigned i = 0; i < count; i++) {
        challenge_place(f->draw->code, labels[i]);
        f->draw->isa->compute(f->draw);
        if (i + 1 < count && !challenge_once_in(f->draw, 4)) {
            f->draw->isa->jump(f->draw, end);
        }
    }
    challenge_place(f->draw->code, end);
}

enum { CASES_MOST = 8 };

static unsigned draw_labels(struct function *f, uint16_t *labels)
{
    const unsigned count = challenge_once_in(f->draw, 2) ? CASES_MOST : CASES_MOST / 2;
    for (unsigned i = 0; i < count; i++) {
        labels[i] = challenge_label(f->draw->code);
    }
    return count;
}

static void choose_by_table(struct function *f)
{
    uint16_t labels[CASES_MOST];
    const unsigned count = draw_labels(f, labels);
    f->draw->isa->jump_by_table(f->draw, challenge_table(f->draw->code, labels, count), count);
    cases(f, labels, count);
}

static void choose_by_code(struct function *f)
{
    uint16_t labels[CASES_MOST];
    const unsigned count = draw_labels(f, labels);
    f->draw->isa->jump_by_code(f->draw, labels, count);
    cases(f, labels, count);
}

/* The functions that may be called at this cost are those below it. */
static uint16_t callee(struct function *f, uint64_t *cost)
{
    unsigned rank = challenge_below(f->draw, f->rank);
    while (rank > 0 && !affords(f, budget_of(rank))) {
        rank--;
    }
    *cost = budget_of(rank);
    return f->callees[rank];
}

static void charge(struct function *f, uint64_t cost)
{
    f->draw->cost += f->draw->factor * cost;
}

static void call(struct function *f)
{
    uint64_t cost = 0;
    const uint16_t label = callee(f, &cost);
    if (affords(f, cost)) {
        f->draw->isa->call(f->draw, label);
        charge(f, cost);
    }
}

static void call_by_register(struct function *f)
{
    uint64_t cost = 0;
    const uint16_t label = callee(f, &cost);
    if (affords(f, cost)) {
        f->draw->isa->call_by_register(f->draw, label);
        charge(f, cost);
    }
}

static void call_by_table(struct function *f)
{
    enum { CALLEES = 4 };
    uint16_t labels[CALLEES];
    uint64_t most = 0;
    for (unsigned i = 0; i < CALLEES; i++) {
        uint64_t cost = 0;
        labels[i] = callee(f, &cost);
        most = cost > most ? cost : most;
    }
    if (affords(f, most)) {
        f->draw->isa->call_by_table(f->draw, challenge_table(f->draw->code, labels, CALLEES),
                                    CALLEES);
        charge(f, most);
    }
}

static void call_otherwise(struct function *f)
{
    if (affords(f, 0)) {
        f->draw->isa->call_otherwise(f->draw, f->otherwise[challenge_below(f->draw, OTHERWISE)]);
        charge(f, STATEMENT);
    }
}

static void end_of(struct function *f)
{
    if (!f->is_leaf) {
        f->draw->isa->leave(f->draw);
    }
    f->draw->isa->back(f->draw);
}

static void return_early(struct function *f)
{
    const uint16_t on = challenge_label(f->draw->code);
    f->draw->isa->branch(f->draw, on);
    end_of(f);
    challenge_place(f->draw->code, on);
}

/* Where a statement can be: with a frame, in a loop, not too deep inside of others, and as those
 * with a counter that is free; in a function that returns. */
enum where { ANYWHERE, WITH_FRAME, IN_LOOP, WITH_ROOM, WITH_COUNTER, IN_FUNCTION };

static const struct {
    void (*add)(struct function *f);
    enum where where;
    unsigned cards;
} kinds[] = {
    {compute, ANYWHERE, 2},
    {access, ANYWHERE, 4},
    {hint, ANYWHERE, 1},
    {if_then, WITH_ROOM, 3},
    {if_else, WITH_ROOM, 3},
    {loop, WITH_COUNTER, 2},
    {loop_from_test, WITH_COUNTER, 1},
    {leave_loop, IN_LOOP, 2},
    {choose_by_table, ANYWHERE, 1},
    {choose_by_code, ANYWHERE, 1},
    {call, WITH_FRAME, 2},
    {call_by_register, WITH_FRAME, 1},
    {call_by_table, WITH_FRAME, 1},
    {call_otherwise, WITH_FRAME, 1},
    {return_early, IN_FUNCTION, 1},
};

enum { STATEMENTS = 26 }; /* the sum of the cards */

static unsigned kind_of(unsigned card)
{
    unsigned kind = 0;
    while (card >= kinds[kind].cards) {
        card -= kinds[kind++].cards;
    }
    return kind;
}

static bool fits(const struct function *f, enum where where)
{
    switch (where) {
    case WITH_FRAME:
        return !f->is_leaf;
    case IN_FUNCTION:
        return !f->is_main;
    case IN_LOOP:
        return f->out != CHALLENGE_NO_LABEL;
    case WITH_ROOM:
        return f->depth < NESTED;
    case WITH_COUNTER:
        return !f->is_leaf && f->depth < NESTED && f->loops < CHALLENGE_COUNTERS &&
               affords(f, (uint64_t)LOOP_MOST * STATEMENT);
    default:
        return true;
    }
}

static void statement(struct function *f)
{
    const unsigned kind = kind_of(challenge_deal(f->draw, &f->draw->statements, STATEMENTS));
    if (affords(f, 0) && fits(f, kinds[kind].where)) {
        kinds[kind].add(f);
    } else {
        f->draw->isa->compute(f->draw);
    }
}

static void inside(struct function *f, unsigned most)
{
    const unsigned count = 1 + challenge_below(f->draw, most);
    f->depth++;
    for (unsigned i = 0; i < count; i++) {
        statement(f);
    }
    f->depth--;
}

/* --- functions --- */

/* The end of a function: a return, or a jump to another one that returns in its place. */
static void finish_function(struct function *f)
{
    struct challenge_draw *draw = f->draw;
    draw->isa->stir(draw);
    if (f->rank == 0 || !challenge_once_in(draw, 4) || !affords(f, budget_of(f->rank - 1))) {
        end_of(f);
        return;
    }
    if (!f->is_leaf) {
        draw->isa->leave(draw);
    }
    const uint16_t label = f->callees[challenge_below(draw, f->rank)];
    if (challenge_once_in(draw, 2)) {
        draw->isa->jump_by_register(draw, label);
    } else {
        draw->isa->jump(draw, label);
    }
}

static void draw_function(struct function *f)
{
    struct challenge_draw *draw = f->draw;
    draw->cost = 0;
    draw->factor = 1;
    challenge_place(draw->code, f->callees[f->rank]);
    f->is_leaf = f->rank < 3 || challenge_once_in(draw, 5);
    if (f->rank > 0 && challenge_once_in(draw, 10)) {
        draw->isa->jump(draw, f->callees[f->rank - 1]); /* a function of one jump */
        return;
    }
    if (!f->is_leaf) {
        draw->isa->enter(draw);
    }
    const unsigned count = 3 + challenge_below(draw, 6);
    for (unsigned i = 0; i < count; i++) {
        statement(f);
    }
    finish_function(f);
}

/* It calls itself until its counter is 0. */
static void draw_recursion(struct challenge_draw *draw, uint16_t label)
{
    const uint16_t end = challenge_label(draw->code);
    challenge_place(draw->code, label);
    draw->isa->enter(draw);
    draw->isa->compute(draw);
    draw->isa->decrement(draw, CHALLENGE_DEPTH);
    draw->isa->skip_at_zero(draw, CHALLENGE_DEPTH, end);
    draw->isa->call(draw, label);
    challenge_place(draw->code, end);
    draw->isa->compute(draw);
    draw->isa->leave(draw);
    draw->isa->back(draw);
}

static void draw_otherwise(struct challenge_draw *draw, uint16_t label)
{
    challenge_place(draw->code, label);
    for (unsigned i = 2 + challenge_below(draw, 3); i > 0; i--) {
        draw->isa->compute(draw);
    }
    draw->isa->back_otherwise(draw);
}

/* --- the program --- */

struct labels {
    unsigned functions;
    uint16_t function[FUNCTIONS_MOST], otherwise[OTHERWISE], recursion;
};

static void shuffle(struct challenge_draw *draw, unsigned *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned other = challenge_below(draw, i + 1);
        list[i] = list[other];
        list[other] = i;
    }
}

/* Calls each function, in an order that is drawn, as often as that is affordable. */
static void draw_main(struct challenge_draw *draw, const struct labels *labels)
{
    unsigned order[FUNCTIONS_MOST] = {0};
    const uint16_t top = draw->top = challenge_label(draw->code);
    const uint16_t end = challenge_label(draw->code);
    struct function f = {.draw = draw,
                         .callees = labels->function,
                         .otherwise = labels->otherwise,
                         .rank = CHEAP,
                         .budget = MAIN_BUDGET,
                         .is_main = true};
    draw->cost = 0;
    draw->factor = 1;
    shuffle(draw, order, labels->functions);
    draw->isa->start(draw);
    challenge_place(draw->code, top);
    for (unsigned i = 0; i < labels->functions; i++) {
        if (challenge_once_in(draw, 3)) {
            draw->isa->call_by_register(draw, labels->function[order[i]]);
        } else {
            draw->isa->call(draw, labels->function[order[i]]);
        }
        charge(&f, budget_of(order[i]));
        statement(&f);
    }
    draw->isa->set_counter(draw, CHALLENGE_DEPTH, RECURSION);
    draw->isa->call(draw, labels->recursion);
    call_otherwise(&f);
    draw->isa->stir(draw);
    draw->isa->decrement(draw, CHALLENGE_OUTER);
    draw->isa->skip_at_zero(draw, CHALLENGE_OUTER, end);
    draw->isa->jump(draw, top); /* a branch would not reach it */
    challenge_place(draw->code, end);
    draw->isa->finish(draw);
    if (draw->options->bare) {
        draw->stop = challenge_label(draw->code);
        challenge_place(draw->code, draw->stop);
        challenge_add(draw->code,
                      &(struct challenge_item){.word = draw->isa->last(draw->options), .size = 4});
    }
}

static void draw_functions(struct challenge_draw *draw, const struct labels *labels)
{
    unsigned order[FUNCTIONS_MOST] = {0};
    shuffle(draw, order, labels->functions);
    for (unsigned i = 0; i < labels->functions; i++) {
        struct function f = {.draw = draw,
                             .callees = labels->function,
                             .otherwise = labels->otherwise,
                             .rank = order[i],
                             .budget = budget_of(order[i])};
        draw_function(&f);
    }
}

static void draw_data(struct challenge_draw *draw)
{
    uint8_t *data = draw->code->data;
    memset(data, 0, CHALLENGE_DATA);
    for (size_t i = CHALLENGE_BUFFER; i < CHALLENGE_STACK; i++) {
        data[i] = (uint8_t)assay_random_below(&draw->seed, 256);
    }
}

void challenge_draw_program(struct challenge_draw *draw)
{
    struct labels labels = {
        .functions = FUNCTIONS_LEAST + challenge_below(draw, FUNCTIONS_MOST - FUNCTIONS_LEAST + 1)};
    for (unsigned i = 0; i < labels.functions; i++) {
        labels.function[i] = challenge_label(draw->code);
    }
    for (unsigned i = 0; i < OTHERWISE; i++) {
        labels.otherwise[i] = challenge_label(draw->code);
    }
    labels.recursion = challenge_label(draw->code);
    draw_data(draw);
    draw_main(draw, &labels);
    draw_functions(draw, &labels);
    draw_recursion(draw, labels.recursion);
    for (unsigned i = 0; i < OTHERWISE; i++) {
        draw_otherwise(draw, labels.otherwise[i]);
    }
}
