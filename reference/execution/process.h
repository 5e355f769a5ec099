/* The recording of a process has nothing of the system that it runs in: what a trace has of that is
 * not compared with it (ASSAY_STEP_SYSTEM). Programs that run without a system are recorded as
 * processes, too, and at whatever level they run; the first instruction above the level of programs
 * shows which of them it is. */
#ifndef ASSAY_EXECUTION_PROCESS_H
#define ASSAY_EXECUTION_PROCESS_H

#include "execution/window.h"

enum { ASSAY_PROCESS_PAGES = 64 };

struct assay_process {
    bool recorded; /* the recording is of a process under a system, as far as is known */
    bool decided;  /* it was asked for an instruction of the system */
    unsigned count;
    uint64_t pages[ASSAY_PROCESS_PAGES]; /* in which the first recorded instructions are */
};

/* By a recording and what its traced thread begins with. */
void assay_process_begin(struct assay_process *process, struct assay_window *window);

/* Whether the recording lacks an instruction at this address, which is above the level of programs.
 * If the first one of a trace is in a page that the recording begins in, the program itself runs at
 * that level. To be asked in the order of the trace; asked again, the answer is the same. */
bool assay_process_lacks(struct assay_process *process, uint64_t address);

#endif
