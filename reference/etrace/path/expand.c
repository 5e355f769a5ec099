/* The instructions of a run as events of their own. */
#include <elf.h>
#include <string.h>

#include "etrace/path/path.h"

enum { PRIVILEGE = 0xf, NARROW = 2, WIDE = 4 };

bool etrace_expand_run(struct assay_stage *stage, const struct assay_event *run,
                       struct assay_expansion *expansion)
{
    struct etrace_path *p = (struct etrace_path *)stage;
    struct etrace_instruction i = {0};
    if (expansion->number < (uint32_t)run->cells[ETRACE_RUN_COUNT]) {
        assay_image_select_number(&p->shown, (uint32_t)(run->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
        i = etrace_instruction_at(&p->shown, run->cells[ETRACE_RUN_ADDRESS] + expansion->at,
                                  &p->reading);
    }
    if (i.size == 0) {
        return false;
    }
    memset(expansion->cells, 0, ETRACE_STATIC_CELLS * sizeof *expansion->cells);
    etrace_say_static(&i, &p->reading,
                      expansion->number + 1 == (uint32_t)run->cells[ETRACE_RUN_COUNT],
                      expansion->cells);
    expansion->at += i.size;
    expansion->event.kind = ETRACE_instruction;
    expansion->event.offset = run->offset;
    expansion->event.from = run->from;
    expansion->cells[ETRACE_RUN_FLAGS] |= run->cells[ETRACE_RUN_FLAGS] & PRIVILEGE;
    expansion->cells[ETRACE_RUN_CONTEXT] = run->cells[ETRACE_RUN_CONTEXT];
    return true;
}

bool etrace_instruction(const struct assay_event *event, struct assay_instruction *instruction)
{
    const uint64_t *cells = event->cells;
    if (event->kind != ETRACE_run && event->kind != ETRACE_instruction) {
        return false;
    }
    const bool last = event->kind == ETRACE_run;
    const uint32_t word = (uint32_t)cells[last ? ETRACE_RUN_LAST_WORD : ETRACE_INSTRUCTION_WORD];
    *instruction = (struct assay_instruction){
        .address = cells[last ? ETRACE_RUN_LAST_ADDRESS : ETRACE_RUN_ADDRESS],
        .word = word,
        .machine = EM_RISCV,
        .bytes = (word & 3) == 3 ? WIDE : NARROW,
        .width = 64};
    return true;
}
