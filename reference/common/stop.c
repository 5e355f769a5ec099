#include "common/stop.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum assay_error assay_stop_open(struct assay_stop *stop)
{
    atomic_init(&stop->requested, false);
    stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return stop->fd >= 0 ? ASSAY_OK : ASSAY_UNSUPPORTED;
}

void assay_stop_request(struct assay_stop *stop)
{
    const int saved = errno;
    const uint64_t one = 1;
    atomic_store(&stop->requested, true);
    const ssize_t n = write(stop->fd, &one, sizeof one);
    (void)n; /* fails only when it is readable already */
    errno = saved;
}

void assay_stop_reset(struct assay_stop *stop)
{
    uint64_t count;
    const ssize_t n = read(stop->fd, &count, sizeof count);
    (void)n; /* fails only when it is not readable */
    atomic_store(&stop->requested, false);
}

bool assay_stop_requested(const struct assay_stop *stop)
{
    return stop != NULL && atomic_load_explicit(&stop->requested, memory_order_acquire);
}

void assay_stop_close(struct assay_stop *stop)
{
    if (stop->fd >= 0) {
        close(stop->fd);
    }
    stop->fd = -1;
}
