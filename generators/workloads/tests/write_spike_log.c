/* write-spike-log RECORDING LOG: the log that Spike, with -l, would write of the recording of a
 * machine. The recording has the CSRs of traps. */
#include <stdio.h>

#include "generators/etrace/tests/spike_log.h"

int main(int argc, char **argv)
{
    const struct spike_style style = {.traps = true, .csrs = true};
    if (argc != 3) {
        fprintf(stderr, "usage: write-spike-log RECORDING LOG\n");
        return 2;
    }
    printf("%llu traps\n", (unsigned long long)spike_log_write(argv[1], argv[2], &style));
    return 0;
}
