#include "validator/record/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/judge.h"

static const char letters[ASSAY_VERDICT_COUNT + 2] = {
    [ASSAY_PASS] = 'p',          [ASSAY_FAIL] = 'f',           [ASSAY_NOT_EXERCISED] = 'n',
    [ASSAY_NOT_CHECKABLE] = 'c', [ASSAY_NOT_APPLICABLE] = 'a', [ASSAY_DESELECTED] = 'd',
    [ASSAY_WAIVED] = 'w',        [ASSAY_RECOGNISED] = 'r',     [ASSAY_VERDICT_COUNT] = '.'};

void assay_verdicts_pack(const uint8_t *verdicts, size_t count, struct assay_sink *sink)
{
    for (size_t i = 0, next = 0; i < count; i = next) {
        while (next < count && verdicts[next] == verdicts[i]) {
            next++;
        }
        assay_sink_printf(sink, "%zu%c", next - i, letters[verdicts[i]]);
    }
}

bool assay_verdicts_unpack(const char *text, uint8_t *verdicts, size_t count)
{
    size_t at = 0;
    while (*text >= '0' && *text <= '9') {
        char *end = NULL;
        const unsigned long long same = strtoull(text, &end, 10);
        const char *letter = *end != '\0' ? strchr(letters, *end) : NULL;
        if (letter == NULL || same == 0 || same > count - at) {
            return false;
        }
        memset(verdicts + at, (int)(letter - letters), (size_t)same);
        at += (size_t)same;
        text = end + 1;
    }
    return *text == '\0' && at == count;
}
