#include "isa/tests/rv_tools.h"

#define GNU_REST                                                                                   \
    "cvh_zba_zbb_zbc_zbs_zbkb_zbkc_zbkx_zknd_zkne_zknh_zksed_zksh_zicbom_zicboz_zicbop_svinval_"   \
    "zawrs_zihintpause_zfh"
#define GNU(march)                                                                                 \
    "riscv64-linux-gnu-as -mno-relax -march=" march GNU_REST,                                      \
        "riscv64-linux-gnu-objdump -d -z -M no-aliases,numeric", false
#define LLVM_FEATURES                                                                              \
    "+m,+a,+f,+d,+c,+v,+zfh,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh"
#define LLVM(version, triple)                                                                      \
    "llvm-mc" version " -triple=" triple " -mattr=" LLVM_FEATURES " -filetype=obj",                \
        "llvm-objdump" version " -d -z -M no-aliases -M numeric --triple=" triple                  \
        " --mattr=" LLVM_FEATURES,                                                                 \
        true

/* binutils has no Q on RV32. */
const struct rv_tool rv_tools[] = {
    {{"binutils", GNU("rv64imafdq")}, 'g', RV_64, ".insn 4,", ".insn 2,"},
    {{"binutils", GNU("rv32imafd")}, 'g', RV_32, ".insn 4,", ".insn 2,"},
    {{"llvm", LLVM("-14", "riscv64")}, 'l', RV_64, ".4byte", ".2byte"},
    {{"llvm", LLVM("-14", "riscv32")}, 'l', RV_32, ".4byte", ".2byte"},
};
const unsigned rv_tool_count = sizeof rv_tools / sizeof rv_tools[0];
