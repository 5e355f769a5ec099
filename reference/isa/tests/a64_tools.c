#include "isa/tests/a64_tools.h"

#define LLVM_FEATURES                                                                              \
    "+v9.3a,+sve2,+sve2-aes,+sve2-sm4,+sve2-sha3,+sve2-bitperm,+f32mm,+f64mm,+sme,+sme-f64,"       \
    "+sme-i64,+mops,+mte,+ls64,+tme,+brbe,+predres,+sb,+hbc,+rcpc-immo,+pauth,+bti,+rand,+crypto," \
    "+sha3,+sm4,+fullfp16,+fp16fml,+bf16,+i8mm,+rme,+el3,+ete,+spe,+xs,+wfxt,+lor,+nv,+altnzcv"
#define GNU_FEATURES                                                                               \
    "armv9.3-a+sve2+f64mm+sme+mops+memtag+ls64+tme+sb+predres+flagm+pauth+rcpc+hbc+lor+rng+ssbs"

const struct isa_tool a64_tools[] = {
    {"binutils", "aarch64-linux-gnu-as -march=" GNU_FEATURES, "aarch64-linux-gnu-objdump -d -z",
     false},
    {"llvm", "llvm-mc-14 -triple=aarch64 -mattr=" LLVM_FEATURES " -filetype=obj",
     "llvm-objdump-14 -d -z --triple=aarch64 --mattr=" LLVM_FEATURES, true},
    {"llvm", "llvm-mc -triple=aarch64 -mattr=" LLVM_FEATURES " -filetype=obj",
     "llvm-objdump -d -z --triple=aarch64 --mattr=" LLVM_FEATURES, true},
};
const unsigned a64_tool_count = sizeof a64_tools / sizeof a64_tools[0];
