#include "generators/challenge/machine.h"

#include "common/bytes.h"

/* Where bytes are in the data, as an offset; CHALLENGE_DATA: nowhere, which is a defect. */
static size_t offset_of(struct challenge_machine *m, uint64_t address, unsigned log2)
{
    const uint64_t offset = address - m->data_base;
    const uint64_t size = UINT64_C(1) << log2;
    if (offset >= CHALLENGE_DATA || address % size != 0 || m->accesses == CHALLENGE_ACCESSES) {
        m->defect = true;
        return CHALLENGE_DATA;
    }
    return (size_t)offset;
}

static void note(struct challenge_machine *m, uint64_t address, unsigned log2, bool write,
                 uint64_t content)
{
    m->access[m->accesses++] = (struct assay_access){.address = address,
                                                     .size = 1u << log2,
                                                     .write = write,
                                                     .content_known = true,
                                                     .content = content & assay_mask(8u << log2)};
}

uint64_t challenge_load(struct challenge_machine *m, uint64_t address, unsigned log2)
{
    const size_t at = offset_of(m, address, log2);
    if (at == CHALLENGE_DATA) {
        return 0;
    }
    const uint64_t value = assay_load_bits(m->data + at, 0, 8u << log2);
    note(m, address, log2, false, value);
    return value;
}

void challenge_store(struct challenge_machine *m, uint64_t address, unsigned log2, uint64_t value)
{
    if (address == m->tohost && log2 == 3 && m->accesses < CHALLENGE_ACCESSES) {
        note(m, address, log2, true, value);
        return;
    }
    const size_t at = offset_of(m, address, log2);
    if (at != CHALLENGE_DATA) {
        assay_store_bits(m->data + at, 0, 8u << log2, value);
        note(m, address, log2, true, value);
    }
}
