#include "generators/challenge/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "execution/execution_writer.h"
#include "generators/challenge/machine.h"

/* What follows the last round is shorter than this. */
enum { LAST = 64 };

struct run {
    struct challenge_program *program;
    struct challenge_machine machine;
    struct challenge_operation *operations; /* by item; owned */
    struct assay_execution_track *track;    /* or null */
    uint64_t executed, accesses;
};

static void free_run(struct run *run)
{
    free(run->operations);
    free(run->machine.data);
    free(run);
}

static bool prepare_operations(struct run *run)
{
    const struct challenge_code *code = run->program->code;
    const bool is_a64 = run->program->options->isa == ASSAY_EXECUTION_AARCH64;
    bool all = true;
    for (size_t i = 0; i < code->count; i++) {
        struct challenge_operation *o = &run->operations[i];
        all &= is_a64 ? challenge_a64_operation(code->item[i].word, o)
                      : challenge_rv_operation(code->item[i].word, o);
    }
    return all;
}

static enum assay_error open_run(struct challenge_program *program, struct run **opened)
{
    struct challenge_code *code = program->code;
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return ASSAY_NO_MEMORY;
    }
    run->program = program;
    run->operations = calloc(code->count, sizeof *run->operations);
    run->machine.data = malloc(CHALLENGE_DATA);
    run->machine.data_base = code->data_base;
    run->machine.tohost = program->facts->tohost;
    run->machine.pc = program->facts->entry;
    if (run->operations == NULL || run->machine.data == NULL) {
        free_run(run);
        return ASSAY_NO_MEMORY;
    }
    memcpy(run->machine.data, code->data, CHALLENGE_DATA);
    if (!prepare_operations(run)) {
        free_run(run);
        return ASSAY_INTERNAL;
    }
    *opened = run;
    return ASSAY_OK;
}

/* Whether the program has ended: it called the system, or stored to tohost. */
static bool has_ended(const struct run *run)
{
    const bool bare = run->program->options->bare;
    return bare ? run->machine.pc == run->program->facts->stop : run->machine.called;
}

static enum assay_error step(struct run *run)
{
    struct challenge_machine *m = &run->machine;
    const size_t item = challenge_item_at(run->program->code, m->pc);
    if (item == SIZE_MAX) {
        return ASSAY_INTERNAL;
    }
    const struct challenge_operation *o = &run->operations[item];
    m->next = m->pc + o->size;
    m->accesses = 0;
    o->execute(m, o);
    run->executed++;
    run->accesses += m->accesses;
    if (m->defect) {
        return ASSAY_INTERNAL;
    }
    const enum assay_error error =
        run->track == NULL ? ASSAY_OK
                           : assay_execution_put_instruction(run->track, m->pc, o->word, o->size,
                                                             m->access, m->accesses);
    m->pc = m->next;
    return error;
}

enum assay_error challenge_set_rounds(struct challenge_program *program)
{
    const uint64_t most = program->options->instructions - LAST;
    const uint64_t top = challenge_address(program->code, program->top);
    struct run *run = NULL;
    uint64_t rounds = 0;
    assay_store64(program->code->data + CHALLENGE_ROUNDS, INT64_MAX);
    enum assay_error error = open_run(program, &run);
    if (error != ASSAY_OK) {
        return error;
    }
    uint64_t begun = 0;
    while (error == ASSAY_OK && run->executed <= most) {
        if (run->machine.pc == top) {
            rounds = begun++; /* the rounds before it are over in time */
        }
        error = has_ended(run) ? ASSAY_INTERNAL : step(run);
    }
    free_run(run);
    assay_store64(program->code->data + CHALLENGE_ROUNDS, rounds);
    return error == ASSAY_OK && rounds == 0 ? ASSAY_INTERNAL : error;
}

static enum assay_error run_to_end(struct run *run)
{
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && !has_ended(run)) {
        error = run->executed < run->program->options->instructions ? step(run) : ASSAY_INTERNAL;
    }
    return error;
}

/* The number of the register that the system is called with. */
static unsigned first_argument(const struct run *run)
{
    return run->program->options->isa == ASSAY_EXECUTION_AARCH64 ? 0 : 10;
}

/* What the recording has besides instructions. */
static enum assay_error record_run(struct run *run)
{
    const struct assay_challenge_options *options = run->program->options;
    const uint64_t *x = run->machine.x;
    const bool is_a64 = options->isa == ASSAY_EXECUTION_AARCH64;
    assay_execution_record_contents(run->track);
    enum assay_error error =
        options->bare ? assay_execution_put_level(run->track, options->level) : ASSAY_OK;
    error = error != ASSAY_OK ? error : run_to_end(run);
    if (error == ASSAY_OK && !options->bare) {
        error = assay_execution_put_system_call(run->track, x[is_a64 ? 8 : 17],
                                                x + first_argument(run));
    }
    return error;
}

static void note_facts(const struct run *run)
{
    struct assay_challenge_facts *facts = run->program->facts;
    facts->executed = run->executed;
    facts->accesses = run->accesses;
    facts->status = (uint8_t)run->machine.x[first_argument(run)];
    facts->checksum = assay_load64(run->machine.data + CHALLENGE_CHECKSUM);
}

/* The recording of a run; without a sink the program is only executed. */
static enum assay_error write_recording(struct run *run, struct assay_sink *sink,
                                        struct assay_diag *diag)
{
    const bool bare = run->program->options->bare;
    char producer[64];
    const struct assay_execution_header header = {.isa = run->program->options->isa,
                                                  .all_accesses = true,
                                                  .system = bare,
                                                  .producer = producer,
                                                  .program = run->program->name};
    struct assay_execution_writer *writer = NULL;
    snprintf(producer, sizeof producer, "Assay, challenge generator %d", ASSAY_CHALLENGE_VERSION);
    enum assay_error error = assay_execution_writer_open(sink, &header, &writer, diag);
    error = error != ASSAY_OK ? error : assay_execution_track_open(writer, 0, 0, &run->track);
    if (error == ASSAY_OK) {
        error = record_run(run);
        const enum assay_error closed = assay_execution_track_close(run->track, !bare);
        error = error != ASSAY_OK ? error : closed;
    }
    if (error == ASSAY_OK) {
        error = assay_execution_writer_end(writer, bare ? ASSAY_EXECUTION_ENDED_BY_LIMIT
                                                        : ASSAY_EXECUTION_ENDED_BY_EXIT);
    }
    assay_execution_writer_close(writer);
    return error;
}

enum assay_error challenge_record(struct challenge_program *program, struct assay_sink *sink,
                                  struct assay_diag *diag)
{
    struct run *run = NULL;
    enum assay_error error = open_run(program, &run);
    if (error == ASSAY_OK) {
        error = sink != NULL ? write_recording(run, sink, diag) : run_to_end(run);
        note_facts(run);
        free_run(run);
    }
    return error;
}
