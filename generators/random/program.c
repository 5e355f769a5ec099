#include "generators/random/program.h"

#include <stdlib.h>

#include "generators/random/pe.h"

enum { WORD = 4, PER_CLOCK = 50, CLOCK = 1000, PROCESS = 42, WORDS_LEAST = 256 };

uint64_t random_place(struct random_pe *pe)
{
    return pe->program->base + WORD * assay_random_below(&pe->seed, pe->program->count);
}

void random_called(struct random_pe *pe, uint64_t after)
{
    if (pe->depth < RANDOM_CALLS) {
        pe->calls[pe->depth++] = after;
    }
}

uint64_t random_returned(struct random_pe *pe)
{
    const bool known = pe->depth > 0 && !assay_random_once_in(&pe->seed, 5);
    return known ? pe->calls[--pe->depth] : random_place(pe);
}

/* Errors of writing stay in the sink. */
void random_retired(struct random_pe *pe, uint32_t word, unsigned size,
                    const struct assay_access *access, unsigned accesses)
{
    (void)assay_execution_put_instruction(pe->track, pe->pc, word, size, access, accesses);
    pe->program->executed[pe->program->length++] = pe->pc;
    if (assay_random_once_in(&pe->seed, PER_CLOCK)) {
        pe->time += assay_random_below(&pe->seed, CLOCK);
    }
}

void random_trap(struct random_pe *pe, uint8_t level, const struct assay_executed *trap)
{
    struct assay_executed taken = *trap;
    pe->level = taken.level = level;
    (void)assay_execution_put_trap(pe->track, &taken);
}

static void execute(struct random_pe *pe, const struct random_isa *isa)
{
    const uint64_t base = pe->program->base;
    while (pe->program->length < pe->options->length) {
        const uint64_t before = pe->time;
        if (pe->program->length == 0 || !isa->divert(pe)) {
            isa->execute(pe);
        }
        if (pe->pc < base || pe->pc >= base + WORD * pe->program->count) {
            pe->pc = base; /* the last word leads there */
        }
        if (pe->time != before) {
            (void)assay_execution_put_clock(pe->track, pe->time);
        }
    }
}

static enum assay_error record(struct random_pe *pe, const struct random_isa *isa)
{
    const bool system = pe->options->system;
    const struct assay_execution_header header = {.isa = pe->options->isa,
                                                  .process = PROCESS,
                                                  .all_accesses = true,
                                                  .producer = "",
                                                  .program = "",
                                                  .system = system};
    struct assay_sink *sink = &pe->program->recording;
    struct assay_execution_writer *writer = NULL;
    enum assay_error error = assay_execution_writer_open(sink, &header, &writer, NULL);
    error = error != ASSAY_OK ? error : assay_execution_track_open(writer, 1, 0, &pe->track);
    if (error == ASSAY_OK) {
        assay_execution_record_contents(pe->track);
        if (system) {
            pe->level = isa->level;
            (void)assay_execution_put_level(pe->track, pe->level);
        }
        execute(pe, isa);
        (void)assay_execution_track_close(pe->track, true);
        error = assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT);
    }
    assay_execution_writer_close(writer);
    return error;
}

enum assay_error assay_random_program_make(struct assay_random_program *program,
                                           const struct assay_random_options *options)
{
    const struct random_isa *isa =
        options->isa == ASSAY_EXECUTION_AARCH64 ? &random_a64 : &random_rv;
    struct random_pe *pe = calloc(1, sizeof *pe);
    *program =
        (struct assay_random_program){.executed = calloc(options->length + 1, sizeof(uint64_t))};
    assay_sink_memory(&program->recording, 0);
    if (pe == NULL || program->executed == NULL) {
        free(pe);
        return ASSAY_NO_MEMORY;
    }
    pe->program = program;
    pe->options = options;
    pe->seed = options->seed;
    program->count = WORDS_LEAST + (size_t)assay_random_below(&pe->seed, ASSAY_RANDOM_WORDS_MOST -
                                                                             WORDS_LEAST + 1);
    isa->draw(pe);
    pe->pc = program->base;
    const enum assay_error error = record(pe, isa);
    free(pe);
    return error;
}

void assay_random_program_free(struct assay_random_program *program)
{
    assay_sink_close(&program->recording, NULL);
    free(program->executed);
}
