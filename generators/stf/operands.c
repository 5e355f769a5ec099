#include "generators/stf/operands.h"

#include "common/bytes.h"

/* Loads whose value is extended by its sign: by the width field of 32-bit ones, and all compressed
 * ones but C.LBU and C.LHU of Zcb. */
static bool is_signed(uint32_t word, uint64_t info)
{
    if (rv_info_class(info) != RV_LOAD) {
        return true; /* LR, AMO */
    }
    if (rv_info_length(info) == 4) {
        return (word >> 12 & 7) < 4;
    }
    const bool zcb = (word & 3) == 0 && (word >> 13 & 7) == 4;
    return !zcb || ((word >> 10 & 7) == 1 && (word >> 6 & 1) == 1); /* C.LH */
}

static uint64_t extend(uint64_t value, unsigned size, enum rv_isa isa)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return ((value ^ sign) - sign) & (isa == RV_32 ? UINT32_MAX : UINT64_MAX);
}

bool stf_loaded_register(enum rv_isa isa, uint32_t word, uint64_t info, uint64_t read,
                         unsigned size, struct stf_register *out)
{
    enum { WHOLE = 8 };
    const unsigned class = rv_info_class(info);
    const bool x = class == RV_LOAD || class == RV_LR || class == RV_AMO;
    const struct rv_operand rd = rv_operand(word, info, RV_OP_RD);
    if (!(x || (class == RV_FLOAD && size == WHOLE)) || !rd.is_written || rd.registers == 0 ||
        (x && (rd.registers & 1) != 0)) {
        return false;
    }
    *out =
        (struct stf_register){.number = (uint16_t)__builtin_ctz(rd.registers),
                              .type = x ? STF_REGISTER_INTEGER : STF_REGISTER_FLOATING_POINT,
                              .operand = STF_OPERAND_DESTINATION,
                              .value = x && is_signed(word, info) ? extend(read, size, isa) : read};
    return true;
}
