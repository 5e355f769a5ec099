#include "validator/engine/compiled.h"

#include <string.h>

#include "common/bytes.h"
#include "common/part.h"

/* Four cells at any addresses. */
typedef uint64_t four __attribute__((vector_size(32)));

/* Four cells of four rows become four rows of four columns. */
ASSAY_PART void transpose(const uint8_t *const from[4], size_t at,
                          uint64_t columns[4][ASSAY_COLUMN], uint32_t row)
{
    four a;
    memcpy(&a, from[0] + at, sizeof a);
    four b;
    memcpy(&b, from[1] + at, sizeof b);
    four c;
    memcpy(&c, from[2] + at, sizeof c);
    four d;
    memcpy(&d, from[3] + at, sizeof d);
    const four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const four ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const four cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const four column0 = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    const four column1 = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    const four column2 = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    const four column3 = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
    memcpy(&columns[0][row], &column0, sizeof column0);
    memcpy(&columns[1][row], &column1, sizeof column1);
    memcpy(&columns[2][row], &column2, sizeof column2);
    memcpy(&columns[3][row], &column3, sizeof column3);
}

/* The last rows are transposed four at a time, too; the last row is in for those that are
 * missing. Columns are longer than tables. */
ASSAY_PART void gather(const struct assay_event *events, const uint32_t *rows, uint32_t count,
                       unsigned first, bool bytes, uint64_t columns[4][ASSAY_COLUMN],
                       uint64_t more[4][ASSAY_COLUMN])
{
    for (uint32_t i = 0; i < count; i += 4) {
        const uint8_t *from[4];
        for (uint32_t n = 0; n < 4; n++) {
            const struct assay_event *event = &events[rows[i + n < count ? i + n : count - 1]];
            from[n] = (bytes ? event->bytes : (const uint8_t *)event->cells) + (size_t)8 * first;
        }
        transpose(from, 0, columns, i);
        if (more != NULL) {
            transpose(from, 4 * sizeof(uint64_t), more, i);
        }
    }
}

ASSAY_MULTIVERSION
void assay_compiled_cells(const struct assay_event *events, const uint32_t *rows, uint32_t count,
                          unsigned first, uint64_t columns[4][ASSAY_COLUMN],
                          uint64_t more[4][ASSAY_COLUMN])
{
    gather(events, rows, count, first, false, columns, more);
}

ASSAY_MULTIVERSION
void assay_compiled_bytes(const struct assay_event *events, const uint32_t *rows, uint32_t count,
                          unsigned first, uint64_t columns[4][ASSAY_COLUMN],
                          uint64_t more[4][ASSAY_COLUMN])
{
    gather(events, rows, count, first, true, columns, more);
}

void assay_compiled_set(const uint8_t seen[ASSAY_SET_VALUES], uint64_t set[ASSAY_SET_WORDS])
{
    memset(set, 0, ASSAY_SET_WORDS * sizeof *set);
    for (unsigned value = 0; value < ASSAY_SET_VALUES; value += 8) {
        /* The lowest bits of eight bytes come together in the highest byte of the product. */
        const uint64_t eight = assay_load64(seen + value) * UINT64_C(0x0102040810204080) >> 56;
        set[value / 64] |= eight << value % 64;
    }
}

void assay_compiled_report(const struct assay_judging *judging, uint16_t rule,
                           const uint64_t *violated, uint32_t rows, const uint32_t *events,
                           const void *table, assay_fill *fill, uint64_t *leaves)
{
    uint64_t left = judging->wanted[rule];
    for (uint32_t i = 0; i < rows; i++) {
        if (violated[i] == 0) {
            continue;
        }
        judging->violated[rule]++;
        if (left > 0) {
            left--;
            fill(table, i, judging->constants, leaves);
            judging->report(judging->context, rule, events[i], leaves);
        }
    }
}
