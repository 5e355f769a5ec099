#include "stf/universal.h"

#include "isa/rv.h"

bool stf_word_universal(uint64_t field)
{
    enum { OPCODE = 0x7f };
    if (field <= OPCODE || field > UINT32_MAX) {
        return false;
    }
    const uint32_t word = (uint32_t)field;
    const uint64_t info = rv_classify(word, RV_32);
    struct rv_registers named;
    rv_registers(word, info, &named);
    const uint32_t all = named.read[RV_FILE_X] | named.written[RV_FILE_X];
    switch (rv_info_class(info)) {
    case RV_INTEGER:
    case RV_LUI:
    case RV_AUIPC:
    case RV_BRANCH:
    case RV_JAL:
    case RV_JALR:
    case RV_LOAD:
    case RV_STORE:
        return rv_info_length(info) == 4 && all <= UINT16_MAX;
    default:
        return false;
    }
}
