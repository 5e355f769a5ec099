/* The fourth stage: the program is followed from one branch to the next. A run of instructions is
 * one event; who wants each of them expands it. */
#include <inttypes.h>
#include <stdio.h>

#include "example/example.h"
#include "example/program.h"
#include "image/image.h"
#include "image/run_cache.h"

enum { RUN_MOST = 256, CACHE_ENTRIES = 4096, WORD = 4 };

/* What the program has from an address on, up to a branch; kept in the cache. */
struct walk {
    uint64_t displacement; /* of a conditional branch at the end */
    uint64_t met;          /* conditions of rules that one of its instructions meets */
    uint32_t count;        /* instructions; 0: the first one is absent */
    uint32_t last;         /* enum example_class, of the last one */
};

struct instructions {
    struct assay_step_stage base;
    struct assay_image_cursor cursor; /* in the space that the program is in */
    struct assay_image_cursor again;  /* where runs are read again */
    struct assay_run_cache cache;
    const struct assay_conditions *conditions; /* of rules, or null: none asks */
    uint64_t pc;
    uint64_t offset;  /* of the latest element */
    bool known;       /* pc is */
    bool has_context; /* contexts are traced, and select the space */
    char why[64];
};

static bool read_word(struct assay_image_cursor *cursor, uint64_t address, uint32_t *word)
{
    uint8_t bytes[WORD];
    const bool there = assay_image_copy(cursor, address, bytes, WORD) == WORD;
    *word = there ? assay_load32(bytes) : 0;
    return there;
}

/* The static fields of an instruction, which conditions of rules read. */
static void say_static(uint64_t *cells, uint64_t address, uint32_t word)
{
    cells[EXAMPLE_CELL_instruction_address] = address;
    cells[EXAMPLE_CELL_instruction_word] = word;
    cells[EXAMPLE_CELL_instruction_class] = example_classify(word);
}

/* Rules ask what an instruction is when it is found; the cache keeps the answers. */
static uint64_t met_by(const struct instructions *s, uint64_t address, uint32_t word)
{
    uint64_t cells[EXAMPLE_CELLS] = {0};
    say_static(cells, address, word);
    return s->conditions != NULL ? s->conditions->met(s->conditions, cells) : 0;
}

static struct walk walk_from(struct instructions *s, uint64_t address)
{
    struct walk walk = {0};
    uint32_t word = 0;
    while (walk.count < RUN_MOST && walk.last == EXAMPLE_CLASS_PLAIN &&
           read_word(&s->cursor, address + (uint64_t)WORD * walk.count, &word)) {
        walk.last = example_classify(word);
        walk.met |= met_by(s, address + (uint64_t)WORD * walk.count, word);
        walk.count++;
    }
    walk.displacement = example_displacement(word);
    return walk;
}

/* There is one mode: space and address are the key. */
static const struct walk *find_walk(struct instructions *s, uint64_t address)
{
    struct walk *walk = assay_run_cache_find(&s->cache, s->cursor.number, address, 0);
    if (walk == NULL) {
        const struct walk fresh = walk_from(s, address);
        walk = assay_run_cache_put(&s->cache, s->cursor.number, address, 0);
        *walk = fresh;
    }
    return walk;
}

/* The cells of a new event. */
static uint64_t *add(struct instructions *s, enum example_kind kind,
                     const struct assay_event *element)
{
    return assay_step_cells(&s->base, assay_step_add(&s->base, kind, element));
}

static void add_gap(struct instructions *s, const struct assay_event *element)
{
    add(s, EXAMPLE_gap, element)[EXAMPLE_CELL_gap_address] = s->pc;
    s->known = false;
    if (s->why[0] == '\0') {
        snprintf(s->why, sizeof s->why, "no program image at 0x%" PRIx64, s->pc);
    }
}

/* Follows the program by one run. True when it came to the branch that the element is of, or when
 * that cannot be. */
static bool follow(struct instructions *s, const struct assay_event *element,
                   enum example_class expected)
{
    const struct walk *walk = find_walk(s, s->pc);
    if (walk->count == 0) {
        add_gap(s, element);
        return true;
    }
    const bool taken = expected == EXAMPLE_CLASS_CONDITIONAL &&
                       element->cells[EXAMPLE_CELL_committed_atom_taken] != 0;
    const uint64_t branch = s->pc + (uint64_t)WORD * (walk->count - 1);
    uint64_t *cells = add(s, EXAMPLE_run, element);
    cells[EXAMPLE_CELL_run_address] = s->pc;
    cells[EXAMPLE_CELL_run_count] = walk->count;
    cells[EXAMPLE_CELL_run_last] = walk->last;
    cells[EXAMPLE_CELL_run_expected] = expected;
    cells[EXAMPLE_CELL_run_space] = s->cursor.number;
    cells[EXAMPLE_CELL_run_taken] = taken;
    cells[EXAMPLE_MET] = walk->met;
    s->pc = branch + WORD;
    if (walk->last == EXAMPLE_CLASS_CONDITIONAL && taken) {
        s->pc = branch + walk->displacement;
    } else if (walk->last == EXAMPLE_CLASS_INDIRECT) {
        s->pc = expected == walk->last ? element->cells[EXAMPLE_CELL_committed_target_address] : 0;
    }
    cells[EXAMPLE_CELL_run_next] = s->pc;
    if (walk->last == EXAMPLE_CLASS_PLAIN) {
        return false; /* the branch is further on */
    }
    s->known = walk->last == expected;
    return true;
}

static void begin(struct instructions *s, const struct assay_event *element)
{
    const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT,
                                      .context =
                                          element->cells[EXAMPLE_CELL_committed_begin_context]};
    s->pc = element->cells[EXAMPLE_CELL_committed_begin_address];
    s->known = true;
    if (s->has_context) {
        (void)assay_image_select(&s->cursor, &space);
    }
}

static bool step(struct assay_step_stage *stage, const struct assay_event *element)
{
    struct instructions *s = (struct instructions *)stage;
    s->offset = element->offset;
    switch (element->kind) {
    case EXAMPLE_committed_begin:
        begin(s, element);
        return true;
    case EXAMPLE_committed_atom:
        return !s->known || follow(s, element, EXAMPLE_CLASS_CONDITIONAL);
    case EXAMPLE_committed_target:
        return !s->known || follow(s, element, EXAMPLE_CLASS_INDIRECT);
    default:
        s->known = false;
        return true;
    }
}

/* What was executed after the last instruction is a fact of this event, which comes from none. */
static bool finish(struct assay_step_stage *stage)
{
    assay_step_add(stage, EXAMPLE_trace_end, NULL)->offset = ((struct instructions *)stage)->offset;
    return true;
}

bool example_read_again(struct assay_stage *instructions, const struct assay_event *run,
                        uint64_t address, uint32_t *word)
{
    struct instructions *s = (struct instructions *)instructions;
    assay_image_select_number(&s->again, (uint32_t)run->cells[EXAMPLE_CELL_run_space]);
    return read_word(&s->again, address, word);
}

bool example_expand(struct assay_stage *stage, const struct assay_event *run,
                    struct assay_expansion *expansion)
{
    const uint64_t address = run->cells[EXAMPLE_CELL_run_address] + WORD * expansion->number;
    uint32_t word = 0;
    if (expansion->number >= run->cells[EXAMPLE_CELL_run_count] ||
        !example_read_again(stage, run, address, &word)) {
        return false;
    }
    expansion->event.kind = EXAMPLE_instruction;
    expansion->event.offset = run->offset;
    expansion->event.from = run->from;
    say_static(expansion->cells, address, word);
    return true;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct instructions *s = (const struct instructions *)stage;
    *why = s->why[0] != '\0' ? s->why : NULL;
    return *why == NULL;
}

static void close_instructions(struct assay_stage *stage)
{
    assay_run_cache_close(&((struct instructions *)stage)->cache);
    assay_step_close(stage);
}

struct assay_stage *example_instructions_open(const struct assay_decode_input *input,
                                              struct assay_history *resolved)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = complete,
                                               .close = close_instructions};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = EXAMPLE_INSTRUCTION,
                                           .below = resolved,
                                           .cells = EXAMPLE_INSTRUCTION_CELLS,
                                           .most = 1,
                                           .step = step,
                                           .finish = finish};
    struct instructions *s = assay_step_open(sizeof *s, &setup);
    if (s == NULL) {
        return NULL;
    }
    uint64_t parameters[EXAMPLE_LAYOUT_COUNT];
    example_parameters(input->parameters, parameters);
    s->conditions = input->conditions;
    s->has_context = parameters[EXAMPLE_HAS_CONTEXT] != 0;
    assay_image_cursor_open(&s->cursor, input->images);
    assay_image_cursor_open(&s->again, input->images);
    if (assay_run_cache_open(&s->cache, CACHE_ENTRIES, sizeof(struct walk)) != ASSAY_OK) {
        close_instructions(&s->base.base);
        return NULL;
    }
    return &s->base.base;
}
