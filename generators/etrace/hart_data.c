#include "generators/etrace/hart_data.h"

#include "common/bytes.h"
#include "common/random.h"
#include "etrace/interface/data_signals.h"

enum { OFTEN = 3, SELDOM = 64, WORD_BITS = 64 };

void hart_data_open(struct hart_data *hart, const struct etrace_data_unit *unit, uint64_t seed)
{
    const unsigned bits = (unsigned)unit->layout[ETRACE_DATA_INDEX_N];
    *hart = (struct hart_data){
        .unit = unit, .ids = bits < 4 ? 1U << bits : HART_FLIGHTS, .random = seed};
}

static bool is_split(const struct hart_data *hart)
{
    return hart->unit->layout[ETRACE_DATA_SPLIT] != 0;
}

struct hart_flight hart_data_respond(struct hart_data *hart, const struct etrace_access *access)
{
    struct hart_flight none = {.access = {.type = ETRACE_ACCESS_NONE}};
    const bool must =
        access == NULL || (hart->count == hart->ids && etrace_data_unit_splits(hart->unit, access));
    if (hart->count == 0 || (!must && !assay_random_once_in(&hart->random, OFTEN))) {
        return none;
    }
    const unsigned n = (unsigned)assay_random_below(&hart->random, hart->count);
    struct hart_flight flight = hart->flight[n];
    hart->count--;
    for (unsigned i = n; i < hart->count; i++) {
        hart->flight[i] = hart->flight[i + 1];
    }
    flight.access.status =
        assay_random_once_in(&hart->random, SELDOM) ? ETRACE_STATUS_FAILED : ETRACE_STATUS_OKAY;
    return flight;
}

static bool is_in_use(const struct hart_data *hart, unsigned id)
{
    for (unsigned n = 0; n < hart->count; n++) {
        if (hart->flight[n].access.id == id) {
            return true;
        }
    }
    return false;
}

void hart_data_number(const struct hart_data *hart, struct etrace_access *access)
{
    access->id = 0;
    while (etrace_data_unit_splits(hart->unit, access) && is_in_use(hart, access->id)) {
        access->id++;
    }
}

void hart_data_depart(struct hart_data *hart, const struct etrace_access *access, bool traced)
{
    if (etrace_data_unit_splits(hart->unit, access)) {
        hart->flight[hart->count++] = (struct hart_flight){*access, traced};
    }
}

/* --- the record --- */

void hart_data_write_names(const struct hart_data *hart, struct assay_sink *sink)
{
    assay_sink_text(sink, ",dretire,dtype,daddr,dsize,data");
    assay_sink_text(sink, is_split(hart) ? ",lrid,lresp,lid,sdata,ldata" : "");
}

/* What is stored below, and the operand above it, as far as there is room. */
static void write_two(const struct hart_data *hart, const struct etrace_access *access,
                      struct assay_sink *sink)
{
    const unsigned bits = 8 * access->bytes;
    const bool room = hart->unit->layout[ETRACE_DATA_WIDTH] >= 2 * bits;
    const uint64_t stored = access->stored_known
                                ? access->stored
                                : etrace_access_stores(access, access->value, access->operand);
    const uint64_t low = stored & assay_mask(bits);
    const uint64_t high = room ? access->operand & assay_mask(bits) : 0;
    if (bits < WORD_BITS) {
        assay_sink_printf(sink, ",0x%llx", (unsigned long long)(low | high << bits));
    } else if (high == 0) {
        assay_sink_printf(sink, ",0x%llx", (unsigned long long)low);
    } else {
        assay_sink_printf(sink, ",0x%llx%016llx", (unsigned long long)high,
                          (unsigned long long)low);
    }
}

static void write_access(const struct hart_data *hart, const struct etrace_access *access,
                         struct assay_sink *sink)
{
    const bool split = is_split(hart);
    uint64_t dtype = 0;
    (void)etrace_access_dtype(access, &dtype); /* of those that are there each has one */
    assay_sink_printf(sink, ",1,%llu,0x%llx,%u", (unsigned long long)dtype,
                      (unsigned long long)access->location, etrace_access_dsize(access));
    if (access->type == ETRACE_ACCESS_CSR || (access->type == ETRACE_ACCESS_ATOMIC && !split)) {
        write_two(hart, access, sink);
    } else {
        assay_sink_printf(sink, ",0x%llx", split ? 0ULL : (unsigned long long)access->value);
    }
}

void hart_data_write(const struct hart_data *hart, const struct etrace_access *access,
                     const struct hart_flight *response, struct assay_sink *sink)
{
    const bool there =
        access != NULL && access->type != ETRACE_ACCESS_NONE && access->type < ETRACE_ACCESS_OTHER;
    const bool answers = response != NULL && response->access.type != ETRACE_ACCESS_NONE;
    const bool failed = answers && response->access.status == ETRACE_STATUS_FAILED;
    if (there) {
        write_access(hart, access, sink);
    } else {
        assay_sink_text(sink, ",0,0,0,0,0");
    }
    if (!is_split(hart)) {
        return;
    }
    const uint64_t stored = !there                                 ? 0
                            : access->type == ETRACE_ACCESS_STORE  ? access->value
                            : access->type == ETRACE_ACCESS_ATOMIC ? access->operand
                                                                   : 0;
    assay_sink_printf(sink, ",%u,%u,%u,0x%llx,0x%llx", there ? access->id : 0U,
                      !answers ? ETRACE_LRESP_NONE
                      : failed ? ETRACE_LRESP_ERROR
                               : ETRACE_LRESP_OKAY,
                      answers ? response->access.id : 0U, (unsigned long long)stored,
                      answers && !failed ? (unsigned long long)response->access.value : 0ULL);
}
