#include "generators/challenge/challenge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/bytes.h"
#include "generators/challenge/draw.h"
#include "generators/challenge/run.h"

enum { LINUX_PLACES = 0x3000, LINUX_FIRST = 0x40, DATA_ALIGN = 64, PARKED = 4, WORD = 8 };

/* Of each program different seeds give different numbers. */
static uint64_t first_state(const struct assay_challenge_options *o)
{
    uint64_t state = o->seed;
    const uint64_t mixed = assay_random(&state);
    state = mixed ^ ((uint64_t)o->isa << 1 | o->bare);
    return assay_random(&state);
}

/* --- what is allowed --- */

static enum assay_error refuse(struct assay_diag *diag, const char *what, uint64_t value,
                               const char *why)
{
    return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET, "%s 0x%" PRIx64 " %s", what, value,
                      why);
}

static enum assay_error check_address(struct assay_diag *diag, const char *what, uint64_t address,
                                      unsigned align)
{
    char text[64];
    if (address == 0 || address >= ASSAY_CHALLENGE_ADDRESS_LIMIT) {
        return refuse(diag, what, address, "is not between 1 and 0x7fffffffffff");
    }
    if (address % align != 0) {
        snprintf(text, sizeof text, "is not a multiple of %u", align);
        return refuse(diag, what, address, text);
    }
    return ASSAY_OK;
}

static enum assay_error check_level(const struct assay_challenge_options *o,
                                    struct assay_diag *diag)
{
    const bool is_a64 = o->isa == ASSAY_EXECUTION_AARCH64;
    const bool good = is_a64 ? o->level >= 1 && o->level <= 3 : o->level == 1 || o->level == 3;
    return good ? ASSAY_OK
                : assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                             is_a64 ? "a bare program of AArch64 begins at EL1, EL2 or EL3, not at "
                                      "level %u"
                                    : "a bare program of RISC-V begins in S (1) or M (3) mode, not "
                                      "at level %u",
                             o->level);
}

enum assay_error assay_challenge_check(const struct assay_challenge_options *o,
                                       struct assay_diag *diag)
{
    if (o->isa != ASSAY_EXECUTION_AARCH64 && o->isa != ASSAY_EXECUTION_RISCV64) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "there are no challenges of this instruction set");
    }
    if (o->instructions < ASSAY_CHALLENGE_INSTRUCTIONS_LEAST ||
        o->instructions > ASSAY_CHALLENGE_INSTRUCTIONS_MOST) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "a challenge executes from %d to %d instructions at most, not %" PRIu64,
                          ASSAY_CHALLENGE_INSTRUCTIONS_LEAST, ASSAY_CHALLENGE_INSTRUCTIONS_MOST,
                          o->instructions);
    }
    if (!o->bare) {
        return ASSAY_OK;
    }
    enum assay_error error = check_address(diag, "the base", o->base, ASSAY_CHALLENGE_PAGE);
    if (error == ASSAY_OK && o->has_end) {
        error = check_address(diag, "the end", o->end, PARKED);
    }
    if (error == ASSAY_OK && o->has_tohost) {
        error = check_address(diag, "tohost", o->tohost, WORD);
    }
    return error != ASSAY_OK ? error : check_level(o, diag);
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Where the program lies is known only now. */
static enum assay_error check_places(const struct assay_challenge_options *o,
                                     const struct assay_challenge_facts *facts,
                                     struct assay_diag *diag)
{
    char text[96];
    snprintf(text, sizeof text,
             "is inside of the program, which lies from 0x%" PRIx64 " to 0x%" PRIx64, facts->base,
             facts->base + facts->size - 1);
    if (!o->bare) {
        return ASSAY_OK;
    }
    if (facts->base + facts->size > ASSAY_CHALLENGE_ADDRESS_LIMIT) {
        return refuse(diag, "the base", o->base, "leaves no room for the program below 2^47");
    }
    if (o->has_end && overlap(o->end, PARKED, facts->base, facts->size)) {
        return refuse(diag, "the end", o->end, text);
    }
    if (o->has_tohost && overlap(o->tohost, WORD, facts->base, facts->size)) {
        return refuse(diag, "tohost", o->tohost, text);
    }
    if (o->has_tohost && overlap(o->tohost, WORD, facts->finish, PARKED)) {
        return refuse(diag, "tohost", o->tohost, "is where the program ends");
    }
    return ASSAY_OK;
}

/* --- a program --- */

/* Draws the code, and where it lies. */
static void draw(struct challenge_program *program, struct challenge_draw *draw)
{
    const struct assay_challenge_options *o = program->options;
    struct challenge_code *code = program->code;
    const uint64_t linux_base =
        (LINUX_FIRST + assay_random_below(&draw->seed, LINUX_PLACES)) * CHALLENGE_LINUX_GAP;
    challenge_draw_program(draw);
    program->top = draw->top;
    challenge_lay_out(
        code, &draw->isa->fixer, o->bare ? o->base : linux_base + CHALLENGE_CODE_OFFSET,
        o->bare ? 0 : CHALLENGE_LINUX_GAP, o->bare ? ASSAY_CHALLENGE_PAGE : DATA_ALIGN);
    if (code->broken) {
        return;
    }
    *program->facts = (struct assay_challenge_facts){
        .code_bytes = challenge_code_bytes(code),
        .base = code->base,
        .size = code->data_base + CHALLENGE_DATA - code->base,
        .entry = code->base,
        .tohost = !o->bare        ? UINT64_MAX
                  : o->has_tohost ? o->tohost
                                  : code->data_base + CHALLENGE_TOHOST,
        .stop = o->bare ? challenge_address(code, draw->stop) : UINT64_MAX,
        .finish = !o->bare     ? UINT64_MAX
                  : o->has_end ? o->end
                               : challenge_address(code, draw->stop),
        .checksum_at = code->data_base + CHALLENGE_CHECKSUM,
    };
    assay_store64(code->data + CHALLENGE_TO_END, o->bare ? program->facts->finish : 0);
    assay_store64(code->data + CHALLENGE_TO_TOHOST, o->bare ? program->facts->tohost : 0);
}

static enum assay_error make(struct challenge_program *program, struct challenge_draw *drawing,
                             struct assay_sink *elf, struct assay_sink *execution,
                             struct assay_diag *diag)
{
    draw(program, drawing);
    if (program->code->broken) {
        return ASSAY_INTERNAL;
    }
    enum assay_error error = check_places(program->options, program->facts, diag);
    error = error != ASSAY_OK ? error : challenge_set_rounds(program);
    error = error != ASSAY_OK ? error : challenge_record(program, execution, diag);
    if (error == ASSAY_OK && elf != NULL) {
        challenge_write_elf(program, drawing->isa->parked, elf);
        error = elf->error;
    }
    return error;
}

enum assay_error assay_challenge_make(const struct assay_challenge_options *options,
                                      struct assay_sink *elf, struct assay_sink *execution,
                                      struct assay_challenge_facts *facts, struct assay_diag *diag)
{
    const enum assay_error refused = assay_challenge_check(options, diag);
    if (refused != ASSAY_OK) {
        return refused;
    }
    struct challenge_program program = {
        .options = options, .facts = facts, .code = calloc(1, sizeof *program.code)};
    struct challenge_draw drawing = {.code = program.code,
                                     .isa = options->isa == ASSAY_EXECUTION_AARCH64 ? &challenge_a64
                                                                                    : &challenge_rv,
                                     .options = options,
                                     .seed = first_state(options)};
    if (program.code == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    snprintf(program.name, sizeof program.name, "challenge-%" PRIu64, options->seed);
    const enum assay_error error = make(&program, &drawing, elf, execution, diag);
    free(program.code);
    if (error == ASSAY_INTERNAL || error == ASSAY_NO_MEMORY) {
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "the challenge of seed %" PRIu64 ": %s",
                          options->seed, assay_error_text(error));
    }
    return error;
}
