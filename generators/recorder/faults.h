/* The address whose access failed, of a program in user mode. Its memory lies in QEMU's own
 * process, so that an access that fails raises a signal there, with the address; QEMU's handler
 * makes of it the program's own signal. */
#ifndef ASSAY_RECORDER_FAULTS_H
#define ASSAY_RECORDER_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* The last fault of a thread. */
struct fault {
    bool known;
    uint64_t address; /* the program's */
};

/* Notes faults from now on. `distance` leads from the program's addresses to QEMU's. To be called
 * when QEMU has installed its handlers, as it has when it translates; more than once does no more.
 */
void faults_watch(uint64_t distance);

/* Faults of the calling thread are noted in `fault`, which outlives the thread or faults_end; null:
 * nowhere. */
void faults_note_in(struct fault *fault);

/* No fault of any thread is noted any more. */
void faults_end(void);

#endif
