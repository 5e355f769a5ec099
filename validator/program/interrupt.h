/* Ending a run by a signal: the first one asks it to stop, so that a report can be written of what
 * was judged; the second one ends the program at once. */
#ifndef ASSAY_VALIDATOR_PROGRAM_INTERRUPT_H
#define ASSAY_VALIDATOR_PROGRAM_INTERRUPT_H

#include "common/stop.h"

/* From now on SIGINT, SIGTERM and SIGHUP request the stop, except those that were ignored. A
 * process can have one stop. */
void assay_interrupt_begin(struct assay_stop *stop);

/* The signal that was received; 0: none. */
int assay_interrupt_signal(void);

/* Restores the actions of the signals. If one was received the program ends by it. */
void assay_interrupt_end(void);

#endif
