#include "isa/a64.h"

#include "isa/a64_table.h"

/* C4.1: bits [28:25] choose the encoding group; here bits [31:24] choose a table, so that a lookup
 * compares few rows. A line is bits [31:28], a column bits [27:24]. */
#define LINE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                       \
    A64_TABLE_##a, A64_TABLE_##b, A64_TABLE_##c, A64_TABLE_##d, A64_TABLE_##e, A64_TABLE_##f,      \
        A64_TABLE_##g, A64_TABLE_##h, A64_TABLE_##i, A64_TABLE_##j, A64_TABLE_##k, A64_TABLE_##l,  \
        A64_TABLE_##m, A64_TABLE_##n, A64_TABLE_##o, A64_TABLE_##p

/* Bit 28 clear, columns 0 to 7: reserved or SME, unallocated, SVE, unallocated. */
#define SCALABLE(first, second, c8, c9, cc, cd)                                                    \
    LINE(first, second, NONE, NONE, SVE, SVE, NONE, NONE, c8, c9, OTHER, OTHER, cc, cd, OTHER,     \
         OTHER)

/* Bit 28 set, columns 0 to 7: data processing (immediate), branches and system. */
#define BRANCHES(c4, c5, c6, c7, c8, c9, cc, cd)                                                   \
    LINE(OTHER, OTHER, OTHER, OTHER, c4, c5, c6, c7, c8, c9, OTHER, OTHER, cc, cd, OTHER, OTHER)

static const uint8_t first_tables[256] = {
    SCALABLE(RESERVED, NONE, EXCLUSIVE, UNPRIVILEGED, STRUCTURES, LANES),
    BRANCHES(BRANCH, BRANCH, BRANCH, BRANCH, LITERAL, ORDERED, LITERAL, ORDERED_SIMD),
    SCALABLE(NONE, NONE, PAIR, PAIR, PAIR, PAIR),
    BRANCHES(COMPARE, COMPARE, COMPARE, COMPARE, REGISTER, SCALAR, REGISTER, SCALAR),
    SCALABLE(NONE, NONE, EXCLUSIVE, UNPRIVILEGED, STRUCTURES, LANES),
    BRANCHES(BRANCH_COND, BRANCH_MISC, NONE, NONE, LITERAL, ORDERED, LITERAL, ORDERED_SIMD),
    SCALABLE(NONE, NONE, PAIR, PAIR, PAIR, PAIR),
    BRANCHES(COMPARE_TWO, COMPARE_TWO, NONE, NONE, REGISTER, SCALAR, REGISTER, SCALAR),
    SCALABLE(SME, SME, EXCLUSIVE, UNPRIVILEGED, NONE, NONE),
    LINE(OTHER, OTHER, OTHER, OTHER, BRANCH, BRANCH, BRANCH, BRANCH, LITERAL, ORDERED, PAUTH, OTHER,
         LITERAL, ORDERED_SIMD, OTHER, OTHER),
    SCALABLE(SME, SME, PAIR, PAIR, PAIR, PAIR),
    BRANCHES(COMPARE, COMPARE, COMPARE, COMPARE, REGISTER, SCALAR, REGISTER, SCALAR),
    SCALABLE(SME, SME, EXCLUSIVE, UNPRIVILEGED, NONE, NONE),
    LINE(OTHER, OTHER, OTHER, OTHER, EXCEPTION, SYSTEM, BRANCH_REG, BRANCH_REG, LITERAL, ORDERED,
         PAUTH, OTHER, LITERAL, ORDERED_SIMD, OTHER, OTHER),
    SCALABLE(SME, SME, PAIR, PAIR, PAIR, PAIR),
    LINE(OTHER, OTHER, OTHER, PAUTH, COMPARE_TWO, COMPARE_TWO, NONE, NONE, REGISTER, SCALAR, OTHER,
         OTHER, REGISTER, SCALAR, OTHER, OTHER),
};

static const struct a64_table *const tables[A64_TABLE_COUNT] = {
#define X(id, symbol, title) &a64_table_##symbol,
    A64_TABLES(X)
#undef X
};

enum a64_table_id a64_first_table(uint32_t word)
{
    return (enum a64_table_id)first_tables[word >> 24];
}

const struct a64_table *a64_table(enum a64_table_id id)
{
    return tables[id];
}

static const struct a64_row *match(const struct a64_table *table, uint32_t word)
{
    const struct a64_row *row = table->rows;
    while ((word & row->mask) != row->value) {
        row++;
    }
    return row;
}

static uint64_t flag_from(uint32_t word, unsigned bit, uint64_t flag)
{
    return bit != 0 && ((word >> bit) & 1u) != 0 ? flag : 0;
}

static uint64_t slice(uint32_t word, unsigned low, unsigned bits)
{
    return (word >> low) & ((1u << bits) - 1u);
}

/* info: what the rows on the way to this one add. */
static uint64_t complete(const struct a64_row *row, uint32_t word, uint64_t info)
{
    info |= row->info;
    info |= flag_from(word, row->acquire, A64_INFO(IS_ACQUIRE));
    info |= flag_from(word, row->release, A64_INFO(IS_RELEASE));
    info |= flag_from(word, row->writeback, A64_INFO(IS_WRITEBACK));
    info += slice(word, row->size_low, row->size_bits) * A64_INFO(ACCESS_LOG2);
    info += slice(word, row->element_low, row->element_bits) * A64_INFO(ELEMENT_LOG2);
    if (row->scalable) {
        return info;
    }
    const uint64_t bytes = (uint64_t)a64_info_access_count(info) << a64_info_access_log2(info);
    return info | bytes * A64_INFO(ACCESS_BYTES);
}

uint64_t a64_classify(uint32_t word)
{
    const struct a64_row *row = match(tables[first_tables[word >> 24]], word);
    uint64_t info = 0;
    while (row->next != 0) {
        info |= row->info;
        row = match(tables[row->next], word);
    }
    return complete(row, word, info);
}

static const char *const class_names[A64_CLASS_COUNT] = {
#define X(id, name, text) name,
    A64_CLASSES(X)
#undef X
};

static const char *const class_texts[A64_CLASS_COUNT] = {
#define X(id, name, text) text,
    A64_CLASSES(X)
#undef X
};

static const char *const pstate_names[A64_PSTATE_COUNT] = {
#define X(id, name, text) name,
    A64_PSTATE_FIELDS(X)
#undef X
};

const char *a64_class_name(unsigned class_id)
{
    return class_id < A64_CLASS_COUNT ? class_names[class_id] : "unknown";
}

const char *a64_class_text(unsigned class_id)
{
    return class_id < A64_CLASS_COUNT ? class_texts[class_id] : "no class";
}

const char *a64_pstate_field_name(unsigned field)
{
    return field < A64_PSTATE_COUNT ? pstate_names[field] : "unknown";
}

/* The slice of `width` bits from `low` on as a signed number of words, in bytes, modulo 2^64. */
static uint64_t displacement(uint32_t word, unsigned low, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t value = (word >> low) & ((UINT64_C(1) << width) - 1);
    return ((value ^ sign) - sign) * 4;
}

uint64_t a64_direct_target(uint32_t word, uint64_t pc)
{
    switch (a64_info_class(a64_classify(word))) {
    case A64_B:
    case A64_BL:
        return pc + displacement(word, 0, 26);
    case A64_B_COND:
    case A64_BC_COND:
    case A64_CBZ:
    case A64_CBNZ:
        return pc + displacement(word, 5, 19);
    case A64_TBZ:
    case A64_TBNZ:
        return pc + displacement(word, 5, 14);
    case A64_CB:
        return pc + displacement(word, 5, 9);
    default:
        return pc;
    }
}

uint64_t a64_literal_address(uint32_t word, uint64_t pc)
{
    return a64_info_is_literal(a64_classify(word)) != 0 ? pc + displacement(word, 5, 19) : pc;
}

/* The word 0 fills every slot: it is wrong for most hashes, but no lookup can tell, since a slot is
 * believed only for the word that it names. */
void a64_cache_init(struct a64_cache *cache)
{
    const uint64_t info = a64_classify(0);
    for (unsigned slot = 0; slot < A64_CACHE_SLOTS; slot++) {
        cache->word[slot] = 0;
        cache->info[slot] = info;
    }
}
