/* A request to stop, made by a signal handler or another thread and polled by the working threads.
 * */
#ifndef ASSAY_COMMON_STOP_H
#define ASSAY_COMMON_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/error.h"

struct assay_stop {
    atomic_bool requested;
    int fd; /* readable once requested, for those who wait for input; private */
};

/* ASSAY_UNSUPPORTED when the system has no descriptor left. */
enum assay_error assay_stop_open(struct assay_stop *stop);

/* Requests the stop; async-signal-safe. */
void assay_stop_request(struct assay_stop *stop);

/* Withdraws the request, so that the stop can be used again. */
void assay_stop_reset(struct assay_stop *stop);

/* Whether the stop was requested; false for null. */
bool assay_stop_requested(const struct assay_stop *stop);

void assay_stop_close(struct assay_stop *stop);

#endif
