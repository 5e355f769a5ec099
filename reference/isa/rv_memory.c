/* Loads, stores, atomics, fences and cache operations of 32-bit words: "Load and Store
 * Instructions", "A", "Zacas", "Zabha", "Memory Ordering Instructions", "Zifencei", "CMO". */
#include "isa/rv_table.h"

/* funct3 is bits [14:12]: the size in [13:12], zero-extending loads have bit 14. */
#define SIZE_13_12 .size_low = 12, .size_bits = 2

static const struct rv_row load_rows[] = {
    RV_ROW_WITH(0, 0, LOAD, X_X, RV_READ | RV_EACH(1, 0), SIZE_13_12),
};
RV_TABLE_OF(load);

static const struct rv_row load_64_rows[] = {
    RV_ROW_WITH(0, 0, LOAD, X_X, RV_READ | RV_EACH(1, 0), SIZE_13_12, RV_ONLY_64),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(load_64);

static const struct rv_row store_rows[] = {
    RV_ROW_WITH(0, 0, STORE, SOURCES, RV_WRITE | RV_EACH(1, 0), SIZE_13_12),
};
RV_TABLE_OF(store);

static const struct rv_row store_64_rows[] = {
    RV_ROW_WITH(0, 0, STORE, SOURCES, RV_WRITE | RV_EACH(1, 3), RV_ONLY_64),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(store_64);

/* funct3 is log2 of the size. */
static const struct rv_row fload_rows[] = {
    RV_ROW_WITH(0, 0, FLOAD, F_X, RV_READ | RV_OF_FLOAT | RV_EACH(1, 0), .size_low = 12,
                .size_bits = 3),
};
RV_TABLE_OF(fload);

static const struct rv_row fstore_rows[] = {
    RV_ROW_WITH(0, 0, FSTORE, FSTORE, RV_WRITE | RV_OF_FLOAT | RV_EACH(1, 0), .size_low = 12,
                .size_bits = 3),
};
RV_TABLE_OF(fstore);

/* funct5 is bits [31:27]: 0bxxx00 are the operations other than swap. */
#define UPDATE  (RV_READ | RV_WRITE | RV_INFO(IS_ATOMIC))
#define COMPARE (RV_READ | RV_MAY_WRITE | RV_INFO(IS_ATOMIC))
#define RESERVE RV_INFO(IS_RESERVATION)

/* AMOCAS of twice XLEN names even registers, each the first of a pair. */
static const struct rv_row amo_rows[] = {
    RV_ROW_WITH(0xf8107080, 0x28003000, CAS, CAS_PAIR, COMPARE | RV_EACH(1, 3), .amo = true,
                RV_ONLY_32),
    RV_NO_ROW_WITH(0x00001000, 0x00001000, RESERVED, RV_ONLY_32),
    RV_ROW_WITH(0x18000000, 0x00000000, AMO, X_XX, UPDATE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf8000000, 0x08000000, AMO, X_XX, UPDATE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf9f00000, 0x10000000, LR, X_X, RV_READ | RESERVE | RV_EACH(1, 0), SIZE_13_12,
                .amo = true),
    RV_ROW_WITH(0xf8000000, 0x18000000, SC, X_XX, RV_MAY_WRITE | RESERVE | RV_EACH(1, 0),
                SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf8000000, 0x28000000, CAS, CAS, COMPARE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf8000000, 0x48000000, AMO, X_XX, UPDATE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(amo);

static const struct rv_row amo_small_rows[] = {
    RV_ROW_WITH(0x18000000, 0x00000000, AMO, X_XX, UPDATE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf8000000, 0x08000000, AMO, X_XX, UPDATE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ROW_WITH(0xf8000000, 0x28000000, CAS, CAS, COMPARE | RV_EACH(1, 0), SIZE_13_12, .amo = true),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(amo_small);

static const struct rv_row amo_quad_rows[] = {
    RV_ROW_WITH(0xf8100080, 0x28000000, CAS, CAS_PAIR, COMPARE | RV_EACH(1, 4), .amo = true,
                RV_ONLY_64),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(amo_quad);

/* fm is bits [31:28], pred [27:24], succ [23:20]. With fm 0 an empty set is a hint; rd and rs1 are
 * to be ignored, but PAUSE is one word. */
static const struct rv_row fence_rows[] = {
    RV_ROW(0xffffffff, 0x0100000f, PAUSE, NONE, RV_HINT | RV_INFO(IS_WAIT)),
    RV_ROW(0xfff00000, 0x83300000, FENCE_TSO, NONE, RV_INFO(IS_FENCE)),
    RV_ROW(0xff000000, 0x00000000, FENCE, NONE, RV_INFO(IS_FENCE) | RV_HINT),
    RV_ROW(0xf0f00000, 0x00000000, FENCE, NONE, RV_INFO(IS_FENCE) | RV_HINT),
    RV_ROW(0, 0, FENCE, NONE, RV_INFO(IS_FENCE)),
};
RV_TABLE_OF(fence);

static const struct rv_row fence_i_rows[] = {
    RV_ROW(0, 0, FENCE_I, NONE, RV_INFO(IS_FENCE)),
};
RV_TABLE_OF(fence_i);

static const struct rv_row cbo_rows[] = {
    RV_ROW(0xfff00f80, 0x00000000, CBO_INVAL, BASE, RV_INFO(IS_CACHE)),
    RV_ROW(0xfff00f80, 0x00100000, CBO_CLEAN, BASE, RV_INFO(IS_CACHE)),
    RV_ROW(0xfff00f80, 0x00200000, CBO_FLUSH, BASE, RV_INFO(IS_CACHE)),
    RV_ROW(0xfff00f80, 0x00400000, CBO_ZERO, BASE, RV_INFO(IS_CACHE) | RV_WRITE),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(cbo);
