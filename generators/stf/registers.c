#include "generators/stf/registers.h"

#include "generators/stf/operands.h"

static uint64_t mask_of(enum rv_isa isa)
{
    return isa == RV_32 ? UINT32_MAX : UINT64_MAX;
}

static void set(struct stf_registers *r, unsigned number, uint64_t value)
{
    if (number > 0) {
        r->value[number] = value;
        r->known |= UINT32_C(1) << number;
    }
}

void stf_registers_forget(struct stf_registers *r)
{
    r->value[0] = 0;
    r->known = 1;
}

/* Before the registers that the instruction writes: one of them may be its base. */
static void note_base(struct stf_registers *r, enum rv_isa isa, uint32_t word, uint64_t info,
                      const struct assay_access *first)
{
    int64_t offset;
    const int base = rv_base(word, info);
    if (base > 0 && rv_offset(word, info, &offset)) {
        set(r, (unsigned)base, (first->address - (uint64_t)offset) & mask_of(isa));
    }
}

void stf_registers_note(struct stf_registers *r, enum rv_isa isa, uint32_t word, uint64_t info,
                        const struct assay_access *first)
{
    struct rv_registers operands;
    struct stf_register loaded;
    if (rv_info_is_valid(info) == 0) {
        stf_registers_forget(r); /* what it writes is not known */
        return;
    }
    if (first != NULL) {
        note_base(r, isa, word, info, first);
    }
    rv_registers(word, info, &operands);
    r->known &= ~operands.written[RV_FILE_X] | 1;
    if (first != NULL && !first->write && first->content_known &&
        stf_loaded_register(isa, word, info, first->content, first->size, &loaded) &&
        loaded.type == STF_REGISTER_INTEGER) {
        set(r, loaded.number, loaded.value);
    }
}

bool stf_registers_address(const struct stf_registers *r, enum rv_isa isa, uint32_t word,
                           uint64_t info, uint64_t *address)
{
    int64_t offset;
    const int base = rv_base(word, info);
    if (base < 0 || (r->known >> base & 1) == 0 || !rv_offset(word, info, &offset)) {
        return false;
    }
    *address = (r->value[base] + (uint64_t)offset) & mask_of(isa);
    return true;
}
