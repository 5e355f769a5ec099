/* A request to stop, which a signal handler or another thread makes and whoever works looks at. */
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

/* Requests it; does only what a signal handler may. */
void assay_stop_request(struct assay_stop *stop);

/* Withdraws the request, so that the stop serves once more. */
void assay_stop_reset(struct assay_stop *stop);

/* Also for null: never. */
bool assay_stop_requested(const struct assay_stop *stop);

void assay_stop_close(struct assay_stop *stop);

#endif
