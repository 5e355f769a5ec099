/* A program of RV32 without a library: Debian has none for it. Sorts, hashes, floating point,
 * calls, atomic operations. bare     some 5 million RISC-V instructions at -O2 */
#include <stddef.h>
#include <stdint.h>

enum { ITEMS = 3000, ROUNDS = 10, SIDE = 24, QUEENS = 7, CALL_WRITE = 64, CALL_EXIT = 93 };

static uint32_t items[ITEMS];
static double matrix[3][SIDE][SIDE];
static uint32_t seed = 0x9e3779b9;
static uint32_t atomic;

static long call(long number, long a, long b, long c)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static uint32_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static void say(const char *what, uint32_t value)
{
    char line[24];
    size_t at = 0;
    while (what[at] != '\0') {
        line[at] = what[at];
        at++;
    }
    for (int shift = 28; shift >= 0; shift -= 4) {
        line[at++] = "0123456789abcdef"[value >> shift & 15];
    }
    line[at++] = '\n';
    call(CALL_WRITE, 1, (long)line, (long)at);
}

static void sort(uint32_t *item, long from, long to)
{
    while (from < to) {
        const uint32_t pivot = item[from + (to - from) / 2];
        long i = from;
        long j = to;
        while (i <= j) {
            while (item[i] < pivot) {
                ++i;
            }
            while (item[j] > pivot) {
                --j;
            }
            if (i <= j) {
                const uint32_t swap = item[i];
                item[i++] = item[j];
                item[j--] = swap;
            }
        }
        sort(item, from, j);
        from = i;
    }
}

static uint32_t hash(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < size; ++i) {
        value = (value ^ bytes[i]) * 16777619u;
    }
    return value;
}

static void multiply(void)
{
    for (int i = 0; i < SIDE; ++i) {
        for (int k = 0; k < SIDE; ++k) {
            double sum = 0;
            for (int n = 0; n < SIDE; ++n) {
                sum += matrix[0][i][n] * matrix[1][n][k];
            }
            matrix[2][i][k] = sum;
        }
    }
}

static unsigned queens(unsigned row, uint32_t columns, uint32_t left, uint32_t right)
{
    unsigned found = 0;
    if (row == QUEENS) {
        return 1;
    }
    for (uint32_t free = ~(columns | left | right) & ((1u << QUEENS) - 1); free != 0;) {
        const uint32_t place = free & -free;
        free ^= place;
        found += queens(row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return found;
}

static uint32_t (*volatile hashes[])(const void *, size_t) = {hash};

static void round_of(unsigned n)
{
    for (unsigned i = 0; i < ITEMS; ++i) {
        items[i] = random_number();
    }
    sort(items, 0, ITEMS - 1);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        matrix[0][i / SIDE][i % SIDE] = (double)(int32_t)random_number() / 65536;
        matrix[1][i / SIDE][i % SIDE] = (float)i / 3;
    }
    multiply();
    __atomic_fetch_add(&atomic, queens(0, 0, 0, 0) + n, __ATOMIC_SEQ_CST);
    say("sorted ", hashes[0](items, sizeof items));
}

__attribute__((used)) void begin(void)
{
    for (unsigned n = 0; n < ROUNDS; ++n) {
        round_of(n);
    }
    say("product ", hash(matrix[2], sizeof matrix[2]));
    say("atomic ", atomic);
    call(CALL_EXIT, 0, 0, 0);
}

__asm__(".globl _start\n"
        "_start:\n"
        "    .option push\n"
        "    .option norelax\n"
        "    lla gp, __global_pointer$\n"
        "    .option pop\n"
        "    andi sp, sp, -16\n"
        "    call begin\n");
