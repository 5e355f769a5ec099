/* Ending a run by a signal: the first one asks it to stop, so that a report can be written of what
 * was judged; the second one ends the program at once. */
#ifndef ASSAY_VALIDATOR_PROGRAM_INTERRUPT_H
#define ASSAY_VALIDATOR_PROGRAM_INTERRUPT_H

#include "common/stop.h"

/* From now on SIGINT, SIGTERM and SIGHUP request the stop, but for those that were ignored. One run
 * of the program can have one stop. */
void assay_interrupt_begin(struct assay_stop *stop);

/* The signal that came; 0: none did. */
int assay_interrupt_signal(void);

/* Signals do what they did before. If one has come the program ends by it. */
void assay_interrupt_end(void);

#endif
