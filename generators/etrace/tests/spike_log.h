/* A recording of a machine as the log that Spike would write of it. */
#ifndef ASSAY_GENERATORS_ETRACE_TESTS_SPIKE_LOG_H
#define ASSAY_GENERATORS_ETRACE_TESTS_SPIKE_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct spike_style {
    bool traps; /* as with -l */
    bool csrs;  /* what CSRs hold: of xcause, xtval and xepc, as traps left them */
    bool old;   /* as versions before 2020 wrote it: no core, "x 5", words of eight digits */
    uint32_t core;
};

/* Writes it; returns how many traps the recording has. The test fails where it cannot. */
uint64_t spike_log_write(const char *recording, const char *log, const struct spike_style *style);

#endif
