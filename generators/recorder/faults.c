#include "faults.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* Each thread faults by itself. Memory of this kind is there before a handler needs it. */
static _Thread_local struct fault *here __attribute__((tls_model("initial-exec")));
static atomic_bool watching;
static uint64_t to_qemu;
static struct sigaction qemu_segv, qemu_bus;

/* Other reasons, as an address that the host cannot have, come without the address. */
static bool has_address(int number, int code)
{
    return number == SIGSEGV ? code == SEGV_MAPERR || code == SEGV_ACCERR : code == BUS_ADRERR;
}

/* QEMU's handler may not return. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const struct sigaction *qemu = number == SIGSEGV ? &qemu_segv : &qemu_bus;
    if (atomic_load(&watching) && here != NULL && has_address(number, info->si_code)) {
        here->address = (uint64_t)(uintptr_t)info->si_addr - to_qemu;
        here->known = true;
    }
    qemu->sa_sigaction(number, info, context);
}

/* Puts the handler before QEMU's, which has to be there. */
static void precede(int number, struct sigaction *qemu)
{
    if (sigaction(number, NULL, qemu) == 0 && (qemu->sa_flags & SA_SIGINFO) != 0) {
        struct sigaction ours = *qemu;
        ours.sa_sigaction = on_fault;
        sigaction(number, &ours, NULL);
    }
}

void faults_watch(uint64_t distance)
{
    static atomic_bool done;
    if (!atomic_exchange(&done, true)) {
        to_qemu = distance;
        precede(SIGSEGV, &qemu_segv);
        precede(SIGBUS, &qemu_bus);
        atomic_store(&watching, true);
    }
}

void faults_note_in(struct fault *fault)
{
    here = fault;
}

void faults_end(void)
{
    atomic_store(&watching, false);
}
