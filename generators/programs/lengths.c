/* The Scalable Vector Extension with vectors of several lengths, and Streaming SVE mode. QEMU 7.2
 * does not report to a plugin what predicated vectors access: their records have no address.
 *     lengths [ROUNDS]     some 1 million AArch64 instructions a round at -O3 */
#include <arm_sve.h>
#include <sys/prctl.h>

#include "program.h"

#ifndef PR_SME_GET_VL
#define PR_SME_SET_VL 63
#define PR_SME_GET_VL 64
#endif

enum { SAMPLES = 8192, STEPS = 12 };

static float x[SAMPLES], y[SAMPLES];
static uint32_t index_of[SAMPLES];

/* The compiler makes vectors of any length of these. */
static __attribute__((noinline)) void loops(void)
{
    for (int i = 0; i < SAMPLES; ++i) {
        y[i] = y[i] * 0.5f + x[i];
    }
    for (int i = 0; i < SAMPLES; ++i) {
        index_of[i] = (index_of[i] * 5 + 3) % SAMPLES;
    }
    for (int i = 0; i < SAMPLES; ++i) {
        x[i] += y[index_of[i]] > 1 ? y[index_of[i]] : 0;
    }
}

/* Whole registers, structures, first faults, and a prefetch-free gather. */
static __attribute__((noinline)) void shapes(void)
{
    static uint8_t spill[16 * 256] __attribute__((aligned(16)));
    static uint32_t sums[64];
    const svbool_t all = svptrue_b32();
    const svfloat32x2_t two = svld2_f32(all, x);
    svst2_f32(all, y, two);
    const svfloat32x3_t three = svld3_f32(all, x);
    svst3_f32(all, y, three);
    svsetffr();
    const svuint32_t first = svldff1_u32(all, index_of);
    const svbool_t loaded = svrdffr();
    const svuint32_t some = svldnf1_u32(all, index_of + 16);
    svst1_u32(loaded, sums, svadd_u32_x(all, first, some));
    svst1_scatter_u32index_f32(all, y, svindex_u32(0, 3), svdup_f32(2));
    __asm__ volatile("str z0, [%0]\n"
                     "ldr z1, [%0]\n"
                     "str z1, [%0, #1, mul vl]\n"
                     "str p0, [%0]\n"
                     "ldr p1, [%0]\n"
                     "ld1rw {z2.s}, p0/z, [%0]\n"
                     :
                     : "r"(spill)
                     : "z1", "z2", "p1", "memory");
}

/* Changing the mode clears them. */
#define ALL_VECTORS                                                                                \
    "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12", "z13", "z14", \
        "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", "z26", "z27", \
        "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9",    \
        "p10", "p11", "p12", "p13", "p14", "p15"

/* Streaming mode: vectors of another length, none of whose operations is of a tile's slice. */
static __attribute__((noinline)) uint64_t streaming(uint8_t *spill)
{
    uint64_t length;
    __asm__ volatile(".arch_extension sme\n"
                     "smstart sm\n"
                     "rdsvl %0, #1\n"
                     "mov z0.b, #7\n"
                     "str z0, [%1]\n"
                     "ldr z1, [%1]\n"
                     "add z0.b, z0.b, z1.b\n"
                     "smstop sm\n"
                     "smstart\n"
                     "zero {za}\n"
                     "ptrue p0.s\n"
                     "fmopa za0.s, p0/m, p0/m, z0.s, z1.s\n"
                     "smstop\n"
                     : "=&r"(length)
                     : "r"(spill)
                     : "memory", ALL_VECTORS);
    return length;
}

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    static uint8_t spill[256] __attribute__((aligned(16)));
    uint64_t sum = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        x[i] = (float)i;
        index_of[i] = (uint32_t)i;
    }
    for (unsigned i = 0; i < rounds; ++i) {
        for (int bytes = 16; bytes <= 64; bytes *= 2) {
            if (prctl(PR_SVE_SET_VL, bytes) < 0 || prctl(PR_SME_SET_VL, 80 - bytes) < 0) {
                return 1;
            }
            for (int n = 0; n < STEPS; ++n) {
                loops();
                shapes();
                sum += streaming(spill) + (uint64_t)prctl(PR_SVE_GET_VL) + (uint64_t)n;
            }
        }
    }
    say("floats", y, sizeof y);
    say("indices", index_of, sizeof index_of);
    say("lengths", &sum, sizeof sum);
    return 0;
}
