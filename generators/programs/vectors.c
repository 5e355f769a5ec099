/* Advanced SIMD: structures of two, three and four, single lanes, lookups, products by element, dot
 * products, cryptography, and loops that the compiler makes vectors of.
 *     vectors [ROUNDS]     some 2 million AArch64 instructions a round at -O3 */
#include <arm_acle.h>
#include <arm_neon.h>

#include "program.h"

enum { PIXELS = 4096, SIDE = 32, SAMPLES = 8192, BLOCKS = 256 };

/* LD3, ST3, LD4, ST4, LD2, ST2, with writeback and without. */
static void structures(void)
{
    static uint8_t rgb[3 * PIXELS], rgba[4 * PIXELS], grey[PIXELS];
    static uint16_t pair[2 * PIXELS];
    for (int i = 0; i < 3 * PIXELS; ++i) {
        rgb[i] = (uint8_t)random_number();
    }
    for (int i = 0; i < PIXELS; i += 16) {
        const uint8x16x3_t in = vld3q_u8(rgb + 3 * i);
        const uint8x16x4_t out = {
            {in.val[2], in.val[1], in.val[0], vaddq_u8(in.val[0], in.val[1])}};
        vst4q_u8(rgba + 4 * i, out);
        uint16x8_t sum = vmull_u8(vget_low_u8(in.val[0]), vdup_n_u8(77));
        sum = vmlal_u8(sum, vget_low_u8(in.val[1]), vdup_n_u8(150));
        vst1_u8(grey + i, vshrn_n_u16(sum, 8));
        vst1_u8(grey + i + 8, vqmovn_u16(vaddl_high_u8(in.val[1], in.val[2])));
        const uint16x8x2_t two = {{sum, vmull_high_u8(in.val[0], in.val[1])}};
        vst2q_u16(pair + 2 * i, two);
        vst3q_u8(rgb + 3 * i, in);
    }
    for (int i = 0; i < PIXELS; i += 32) {
        const uint8x16x4_t in = vld4q_u8(rgba + 4 * i);
        const uint16x8x2_t two = vld2q_u16(pair + 2 * i);
        const uint8x8x4_t low = vld4_u8(rgba + 4 * i);
        const uint8x16x2_t more = vld1q_u8_x2(grey + i);
        vst1q_u8(grey + i, veorq_u8(in.val[0], vreinterpretq_u8_u16(two.val[1])));
        vst1_u8(grey + i + 16, veor_u8(low.val[3], vget_low_u8(more.val[1])));
    }
    say("structures", grey, sizeof grey);
    say("pairs", pair, sizeof pair);
}

/* LD1 to LD4 of a lane, LD1R to LD4R, LD1 and ST1 of up to four registers, TBL. */
static void lanes(void)
{
    static uint32_t word[SAMPLES + 16];
    static uint8_t table[64], text[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        word[i] = random_number();
        text[i] = (uint8_t)(word[i] >> 3);
        table[i % 64] = (uint8_t)(i * 7);
    }
    const uint8x16x4_t lookup = vld1q_u8_x4(table);
    uint32x4_t all = vdupq_n_u32(0);
    for (int i = 0; i + 16 <= SAMPLES; i += 16) {
        uint32x4_t one = vld1q_dup_u32(word + i);
        one = vld1q_lane_u32(word + i + 5, one, 2);
        uint32x4x2_t two = vld2q_dup_u32(word + i + 1);
        two = vld2q_lane_u32(word + i + 7, two, 1);
        uint32x4x3_t three = vld3q_dup_u32(word + i + 2);
        three = vld3q_lane_u32(word + i + 9, three, 3);
        uint32x4x4_t four = vld4q_dup_u32(word + i + 3);
        four = vld4q_lane_u32(word + i + 11, four, 0);
        all = veorq_u32(all, vaddq_u32(one, vmulq_laneq_u32(two.val[1], three.val[2], 1)));
        vst4q_lane_u32(word + i, four, 0);
        vst3q_lane_u32(word + i + 4, three, 1);
        vst2q_lane_u32(word + i + 8, two, 2);
        vst1q_lane_u32(word + i + 12, all, 3);
        const uint8x16_t found = vqtbl4q_u8(lookup, vandq_u8(vld1q_u8(text + i), vdupq_n_u8(63)));
        vst1q_u8(text + i, vrev64q_u8(found));
    }
    const uint32x4x3_t block = vld1q_u32_x3(word);
    vst1q_u32_x3(word + 12, block);
    vst1q_u32_x4(word + 64, vld1q_u32_x4(word + 24));
    vst1q_u32_x2(word + 96, vld1q_u32_x2(word + 48));
    say("lanes", word, sizeof word);
    say("lookups", text, sizeof text);
}

/* Products by element, fused; and dot products of bytes. */
static void products(void)
{
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    static int8_t p[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        a[i] = (float)random_number() * 0x1p-32f;
        b[i] = (float)(i % 17) - 8;
        p[i] = (int8_t)random_number();
    }
    for (int i = 0; i < SIDE; ++i) {
        for (int j = 0; j < SIDE; j += 4) {
            float32x4_t sum = vdupq_n_f32(0);
            for (int k = 0; k < SIDE; k += 4) {
                const float32x4_t row = vld1q_f32(a + i * SIDE + k);
                sum = vfmaq_laneq_f32(sum, vld1q_f32(b + k * SIDE + j), row, 0);
                sum = vfmaq_laneq_f32(sum, vld1q_f32(b + (k + 1) * SIDE + j), row, 1);
                sum = vfmaq_laneq_f32(sum, vld1q_f32(b + (k + 2) * SIDE + j), row, 2);
                sum = vfmaq_laneq_f32(sum, vld1q_f32(b + (k + 3) * SIDE + j), row, 3);
            }
            vst1q_f32(c + i * SIDE + j, sum);
        }
    }
    int32x4_t dot = vdupq_n_s32(0);
    for (int i = 0; i + 32 <= SIDE * SIDE; i += 16) {
        dot = vdotq_s32(dot, vld1q_s8(p + i), vld1q_s8(p + i + 16));
        dot = vdotq_laneq_s32(dot, vld1q_s8(p + i), vld1q_s8(p + i + 16), 2);
    }
    say("products", c, sizeof c);
    say("dots", &dot, sizeof dot);
}

static void secrets(void)
{
    static uint8_t block[BLOCKS][16];
    uint8x16_t key = vdupq_n_u8(0x5a);
    uint32x4_t state = vdupq_n_u32(0x6a09e667);
    uint32_t crc = ~0u;
    for (int i = 0; i < BLOCKS; ++i) {
        uint8x16_t text = vld1q_u8(block[i]);
        for (int n = 0; n < 10; ++n) {
            text = vaesmcq_u8(vaeseq_u8(text, key));
            key = veorq_u8(vextq_u8(key, key, 3), text);
        }
        state = vsha256hq_u32(state, vreinterpretq_u32_u8(key), vreinterpretq_u32_u8(text));
        const poly128_t square = vmull_p64((poly64_t)random_number(), (poly64_t)(i + 1));
        text = veorq_u8(text, vreinterpretq_u8_p128(square));
        vst1q_u8(block[i], text);
        crc = __crc32cd(crc, vgetq_lane_u64(vreinterpretq_u64_u8(text), 1));
    }
    say("blocks", block, sizeof block);
    say("state", &state, sizeof state);
    say("crc", &crc, sizeof crc);
}

/* Plain loops: the compiler makes vectors of them. */
static void loops(void)
{
    static float x[SAMPLES], y[SAMPLES];
    static int16_t s[SAMPLES], t[SAMPLES];
    static uint8_t u[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        x[i] = (float)i * 0.5f;
        s[i] = (int16_t)(i * 31);
        u[i] = (uint8_t)i;
    }
    for (int n = 0; n < 8; ++n) {
        for (int i = 0; i < SAMPLES; ++i) {
            y[i] = y[i] * 0.75f + x[i];
        }
        for (int i = 0; i < SAMPLES; ++i) {
            t[i] = (int16_t)(s[i] > t[i] ? s[i] - t[i] : t[i] + u[i]);
        }
        for (int i = 0; i < SAMPLES / 4; ++i) {
            u[i] = (uint8_t)((u[4 * i] + u[4 * i + 1] + u[4 * i + 2] + u[4 * i + 3] + n) / 4);
        }
    }
    say("floats", y, sizeof y);
    say("shorts", t, sizeof t);
    say("bytes", u, sizeof u);
}

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    for (unsigned i = 0; i < rounds; ++i) {
        structures();
        lanes();
        products();
        secrets();
        loops();
    }
    return 0;
}
