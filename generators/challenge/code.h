/* The code of a challenge while it is drawn: words whose labels are not placed yet, and the memory
 * of the program. Private to generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_CODE_H
#define ASSAY_GENERATORS_CHALLENGE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHALLENGE_ITEMS = 16384, CHALLENGE_LABELS = 4096, CHALLENGE_NO_LABEL = 0 };

/* The data of a program, as offsets from its start. Tables are read only; accesses that are drawn
 * are to the buffer, most of them relative to its middle. */
enum {
    CHALLENGE_TABLES = 0,
    CHALLENGE_TABLE_WORDS = 512,
    CHALLENGE_BUFFER = 8 * CHALLENGE_TABLE_WORDS,
    CHALLENGE_MIDDLE = CHALLENGE_BUFFER + 2048,
    CHALLENGE_STACK = CHALLENGE_MIDDLE + 2560,
    CHALLENGE_STACK_TOP = CHALLENGE_STACK + 4096,
    CHALLENGE_ROUNDS = CHALLENGE_STACK_TOP,      /* how often the program repeats itself */
    CHALLENGE_CHECKSUM = CHALLENGE_ROUNDS + 8,   /* where it stores the checksum */
    CHALLENGE_TO_END = CHALLENGE_CHECKSUM + 8,   /* bare: the address that it ends at */
    CHALLENGE_TO_TOHOST = CHALLENGE_TO_END + 8,  /* and that of tohost */
    CHALLENGE_TOHOST = CHALLENGE_STACK_TOP + 64, /* a block of its own */
    CHALLENGE_DATA = CHALLENGE_TOHOST + 64
};

/* An instruction. What depends on the address of a label is added by the instruction set. */
struct challenge_item {
    uint32_t word;
    uint8_t size;        /* bytes */
    uint8_t fix;         /* what the label gives, by the instruction set's numbers; 0: nothing */
    uint8_t short_fix;   /* the same of the form of 2 bytes, taken where the label is near enough */
    uint16_t short_word; /* 0: there is no such form */
    uint16_t label;
};

struct challenge_label {
    bool placed, data;
    uint32_t at; /* number of an item, or an offset in the data */
};

struct challenge_code {
    struct challenge_item item[CHALLENGE_ITEMS];
    struct challenge_label label[CHALLENGE_LABELS]; /* number 0 is none */
    size_t count, labels;
    uint64_t place[CHALLENGE_ITEMS + 1]; /* addresses, once laid out */
    uint64_t base, data_base;
    uint8_t data[CHALLENGE_DATA];
    uint16_t table[CHALLENGE_TABLE_WORDS]; /* labels whose addresses the tables have */
    size_t table_words;
    bool broken; /* too much of something, a label without a place or too far away: a defect */
};

/* A new label, and its place: before the item that comes next, or in the data. */
uint16_t challenge_label(struct challenge_code *code);
void challenge_place(struct challenge_code *code, uint16_t label);
uint16_t challenge_data_label(struct challenge_code *code, uint32_t offset);

void challenge_add(struct challenge_code *code, const struct challenge_item *item);

/* A table of the addresses of labels; the label of its first word. */
uint16_t challenge_table(struct challenge_code *code, const uint16_t *labels, size_t count);

uint64_t challenge_address(const struct challenge_code *code, uint16_t label);

/* The number of the item at an address; SIZE_MAX: none begins there. */
size_t challenge_item_at(const struct challenge_code *code, uint64_t address);

/* What an instruction set does with labels. */
struct challenge_fixer {
    /* Whether the short form with this fix spans the distance in bytes. */
    bool (*spans)(unsigned fix, int64_t distance);
    /* The word with what its label gives; false: it is too far away. */
    bool (*fix)(unsigned fix, uint64_t from, uint64_t target, uint32_t *word);
};

/* Places the code at `base` and the data `gap` bytes behind it, at a multiple of `align`; fills in
 * what depends on addresses, tables included. */
void challenge_lay_out(struct challenge_code *code, const struct challenge_fixer *fixer,
                       uint64_t base, uint64_t gap, uint64_t align);

/* Bytes of the code. */
static inline uint64_t challenge_code_bytes(const struct challenge_code *code)
{
    return code->place[code->count] - code->base;
}

#endif
