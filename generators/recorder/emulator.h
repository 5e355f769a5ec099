/* The emulator that loaded the recorder. */
#ifndef ASSAY_RECORDER_EMULATOR_H
#define ASSAY_RECORDER_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

/* The version of QEMU, "7.2.22". Its interface does not give it: the emulator is run once more and
 * asked. False if it is not known. */
bool emulator_version(char *version, size_t size);

#endif
