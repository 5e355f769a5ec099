#include "validator/engine/compiled.h"

void assay_compiled_report(const struct assay_judging *judging, const uint16_t *rules,
                           unsigned rule_count, const uint64_t *violated, uint32_t rows,
                           const uint32_t *events, const void *table, assay_fill *fill,
                           uint64_t *leaves)
{
    uint64_t left[64];
    for (unsigned r = 0; r < rule_count; r++) {
        left[r] = judging->wanted[rules[r]];
    }
    for (uint32_t i = 0; i < rows; i++) {
        bool filled = false;
        for (uint64_t bits = violated[i]; bits != 0; bits &= bits - 1) {
            const unsigned r = (unsigned)__builtin_ctzll(bits);
            judging->violated[rules[r]]++;
            if (left[r] == 0) {
                continue;
            }
            left[r]--;
            if (!filled) {
                fill(table, i, judging->constants, leaves);
                filled = true;
            }
            judging->report(judging->context, rules[r], events[i], leaves);
        }
    }
}
