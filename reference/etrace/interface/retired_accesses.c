#include "etrace/interface/retired_accesses.h"

#include <stdlib.h>

#include "etrace/interface/qualify.h"
#include "etrace/packets/data.h"

struct waiting {
    struct etrace_access access;
    uint64_t id;
    bool waits; /* for a response */
};

struct etrace_retired_accesses {
    struct etrace_signalled_reader *reader;
    const struct assay_parameter_values *values; /* the input's */
    uint64_t data_width;
    struct waiting ahead[ETRACE_DATA_INDEXES];
    uint32_t first, count;
    bool ended;
};

static struct waiting *at(struct etrace_retired_accesses *a, uint32_t n)
{
    return &a->ahead[(a->first + n) % ETRACE_DATA_INDEXES];
}

/* As data filters see an access: by its signals, and those of its block. Of which instruction of a
 * block it is an encoder knows by iaddr_lsbs, if there can be several. */
static enum etrace_truth is_chosen(const struct etrace_retired_accesses *a,
                                   const struct etrace_signalled *item)
{
    const uint64_t *data = item->block.signal;
    const bool exact = item->located && (etrace_block_has(&item->block, ETRACE_SIGNAL_IADDR_LSBS) ||
                                         a->values->value[ETRACE_RETIRES] == 1);
    struct etrace_filtered f = {.address = {item->due.pc},
                                .addresses = exact,
                                .exact = true,
                                .retires = true,
                                .without_priv = item->owner == NULL,
                                .has_dtype = etrace_block_has(&item->block, ETRACE_SIGNAL_DTYPE),
                                .dtype = data[ETRACE_SIGNAL_DTYPE],
                                .has_dsize = etrace_block_has(&item->block, ETRACE_SIGNAL_DSIZE),
                                .dsize = data[ETRACE_SIGNAL_DSIZE],
                                .has_daddr = etrace_block_has(&item->block, ETRACE_SIGNAL_DADDR),
                                .daddr = data[ETRACE_SIGNAL_DADDR]};
    if (item->owner != NULL) {
        f.priv = item->owner->signal[ETRACE_SIGNAL_PRIV];
        f.has_context = etrace_block_has(item->owner, ETRACE_SIGNAL_CONTEXT);
        f.context = item->owner->signal[ETRACE_SIGNAL_CONTEXT];
        f.has_impdef = etrace_block_has(item->owner, ETRACE_SIGNAL_IMPDEF);
        f.impdef = item->owner->signal[ETRACE_SIGNAL_IMPDEF];
    }
    return etrace_qualify_access(a->values, &f);
}

static void take_access(struct etrace_retired_accesses *a, const struct etrace_signalled *item)
{
    struct etrace_access access = etrace_signalled_access(item, a->data_width);
    const bool split = etrace_block_has(&item->block, ETRACE_SIGNAL_LRID);
    const bool unified = etrace_block_has(&item->block, ETRACE_SIGNAL_DATA);
    if (a->values->value[ETRACE_DFILTERS] != 0) {
        const enum etrace_truth chosen = is_chosen(a, item);
        access.excluded = chosen == ETRACE_NO;
        access.unchosen = chosen == ETRACE_UNKNOWN;
    }
    *at(a, a->count++) =
        (struct waiting){.access = access,
                         .id = item->block.signal[ETRACE_SIGNAL_LRID],
                         .waits = split && (access.type == ETRACE_ACCESS_LOAD ||
                                            (access.type == ETRACE_ACCESS_ATOMIC && !unified))};
}

static void take_response(struct etrace_retired_accesses *a, const struct etrace_signalled *item)
{
    uint64_t value = 0;
    const bool okay = etrace_signalled_answer(item, &value);
    for (uint32_t n = a->count; n > 0; n--) {
        struct waiting *w = at(a, n - 1);
        if (w->waits && w->id == item->block.signal[ETRACE_SIGNAL_LID]) {
            w->waits = false;
            w->access.status = okay ? ETRACE_STATUS_OKAY : ETRACE_STATUS_FAILED;
            w->access.value = value;
            w->access.value_known = okay && w->access.bytes <= 8;
            return;
        }
    }
}

/* Until the first one is known, there is no room, or the record ends. */
static void read_ahead(struct etrace_retired_accesses *a)
{
    while (!a->ended && a->count < ETRACE_DATA_INDEXES && (a->count == 0 || at(a, 0)->waits)) {
        const struct etrace_signalled *item = etrace_signalled_peek(a->reader);
        a->ended = item->kind == ETRACE_SIGNALLED_END;
        if (item->kind == ETRACE_SIGNALLED_ACCESS) {
            take_access(a, item);
        } else if (item->kind == ETRACE_SIGNALLED_RESPONSE) {
            take_response(a, item);
        }
        etrace_signalled_take(a->reader);
    }
}

bool etrace_retired_accesses_next(struct etrace_retired_accesses *accesses,
                                  struct etrace_access *access)
{
    read_ahead(accesses);
    if (accesses->count == 0) {
        return false;
    }
    *access = at(accesses, 0)->access;
    accesses->first = (accesses->first + 1) % ETRACE_DATA_INDEXES;
    accesses->count--;
    return true;
}

enum assay_error etrace_retired_accesses_open(const struct assay_decode_input *input,
                                              struct etrace_retired_accesses **accesses,
                                              struct assay_diag *diag)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    struct etrace_signalled_reader *reader = NULL;
    const enum assay_error error = etrace_signalled_open(input, &reader, diag);
    *accesses = NULL;
    if (error != ASSAY_OK || reader == NULL) {
        return error;
    }
    *accesses = calloc(1, sizeof **accesses);
    if (*accesses == NULL) {
        etrace_signalled_close(reader);
        return ASSAY_NO_MEMORY;
    }
    etrace_layout(input->parameters, layout);
    (*accesses)->reader = reader;
    (*accesses)->values = input->parameters;
    (*accesses)->data_width = layout[ETRACE_DATA_WIDTH];
    return ASSAY_OK;
}

void etrace_retired_accesses_close(struct etrace_retired_accesses *accesses)
{
    if (accesses != NULL) {
        etrace_signalled_close(accesses->reader);
        free(accesses);
    }
}
