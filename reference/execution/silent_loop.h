/* Loops that leave nothing in a trace: of the way from an instruction back to it the trace has
 * neither outcomes nor targets, as of a jump to itself, in which a program waits for interrupts. A
 * trace that reports the instruction, because control is taken away after it, does not show how
 * often the loop was executed until then. */
#ifndef ASSAY_EXECUTION_SILENT_LOOP_H
#define ASSAY_EXECUTION_SILENT_LOOP_H

#include "execution/window.h"

/* Number of instructions of the window from instruction `from` on that are one iteration of such a
 * loop: from the one after `last`, which was executed right before them, to `last` again. 0: they
 * are not, or the iteration has more than ASSAY_SILENT_LOOP_MOST. Reads more into the window. */
enum { ASSAY_SILENT_LOOP_MOST = 1024 };
unsigned assay_silent_loop(struct assay_window *window, unsigned from,
                           const struct assay_retired *last);

#endif
