#include "validator/program/interrupt.h"

#include <signal.h>
#include <stddef.h>

enum { SIGNALS = 3 };

static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* What a handler can reach is global: a process has one set of handlers. */
static struct assay_stop *stop_of_run;
static volatile sig_atomic_t caught;

static void restore(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaction(signals[i], &usual, NULL);
        }
    }
}

static void handle(int number)
{
    caught = number;
    restore();
    assay_stop_request(stop_of_run);
}

void assay_interrupt_begin(struct assay_stop *stop)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    stop_of_run = stop;
    caught = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

int assay_interrupt_signal(void)
{
    return caught;
}

void assay_interrupt_end(void)
{
    restore();
    if (caught != 0) {
        raise(caught);
    }
}
