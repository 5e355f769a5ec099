#include "generators/challenge/code.h"

#include "common/bytes.h"

uint16_t challenge_label(struct challenge_code *code)
{
    if (code->labels + 1 >= CHALLENGE_LABELS) {
        code->broken = true;
        return CHALLENGE_NO_LABEL;
    }
    return (uint16_t)++code->labels;
}

void challenge_place(struct challenge_code *code, uint16_t label)
{
    code->label[label] = (struct challenge_label){.placed = true, .at = (uint32_t)code->count};
}

uint16_t challenge_data_label(struct challenge_code *code, uint32_t offset)
{
    const uint16_t label = challenge_label(code);
    code->label[label] = (struct challenge_label){.placed = true, .data = true, .at = offset};
    return label;
}

void challenge_add(struct challenge_code *code, const struct challenge_item *item)
{
    if (code->count == CHALLENGE_ITEMS) {
        code->broken = true;
        return;
    }
    code->item[code->count++] = *item;
}

uint16_t challenge_table(struct challenge_code *code, const uint16_t *labels, size_t count)
{
    const size_t first = code->table_words;
    if (count > CHALLENGE_TABLE_WORDS - first) {
        code->broken = true;
        return CHALLENGE_NO_LABEL;
    }
    for (size_t i = 0; i < count; i++) {
        code->table[code->table_words++] = labels[i];
    }
    return challenge_data_label(code, (uint32_t)(CHALLENGE_TABLES + 8 * first));
}

uint64_t challenge_address(const struct challenge_code *code, uint16_t label)
{
    const struct challenge_label *l = &code->label[label];
    return l->data ? code->data_base + l->at : code->place[l->at];
}

size_t challenge_item_at(const struct challenge_code *code, uint64_t address)
{
    size_t low = 0;
    size_t high = code->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code->place[middle] < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < code->count && code->place[low] == address ? low : SIZE_MAX;
}

static void number(struct challenge_code *code)
{
    uint64_t at = code->base;
    for (size_t i = 0; i < code->count; i++) {
        code->place[i] = at;
        at += code->item[i].size;
    }
    code->place[code->count] = at;
}

/* Takes short forms until no further one spans its distance: distances only become shorter. */
static void shorten(struct challenge_code *code, const struct challenge_fixer *fixer)
{
    bool changed = true;
    while (changed) {
        changed = false;
        number(code);
        for (size_t i = 0; i < code->count; i++) {
            struct challenge_item *item = &code->item[i];
            if (item->short_word != 0 && item->size == 4 &&
                fixer->spans(item->short_fix,
                             (int64_t)(challenge_address(code, item->label) - code->place[i]))) {
                item->size = 2;
                item->word = item->short_word;
                item->fix = item->short_fix;
                changed = true;
            }
        }
    }
}

static void check_labels(struct challenge_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const uint16_t label = code->item[i].label;
        code->broken |= label != CHALLENGE_NO_LABEL && !code->label[label].placed;
    }
    for (size_t i = 0; i < code->table_words; i++) {
        code->broken |= !code->label[code->table[i]].placed;
    }
}

void challenge_lay_out(struct challenge_code *code, const struct challenge_fixer *fixer,
                       uint64_t base, uint64_t gap, uint64_t align)
{
    code->base = base;
    check_labels(code);
    if (code->broken) {
        return;
    }
    shorten(code, fixer);
    code->data_base = (code->place[code->count] + gap + align - 1) / align * align;
    for (size_t i = 0; i < code->count; i++) {
        struct challenge_item *item = &code->item[i];
        if (item->fix != 0 && !fixer->fix(item->fix, code->place[i],
                                          challenge_address(code, item->label), &item->word)) {
            code->broken = true;
        }
    }
    for (size_t i = 0; i < code->table_words; i++) {
        assay_store64(code->data + CHALLENGE_TABLES + 8 * i,
                      challenge_address(code, code->table[i]));
    }
}
