/* Branches: calls by pointer, jump tables, deep recursion, jumps out of many frames, and of
 * AArch64 pointers that carry authentication codes: built with -mbranch-protection, so that
 * landings and returns are protected. branches [ROUNDS]     some 1.5 million AArch64 instructions a
 * round at -O2 */
#include <setjmp.h>

#include "program.h"

enum { STEPS = 20000, DEPTH = 2000, JUMPS = 200, PROGRAM = 64 };

typedef uint32_t operation(uint32_t, uint32_t);

static uint32_t add(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t twist(uint32_t a, uint32_t b)
{
    return (a << 5 | a >> 27) ^ b;
}

static uint32_t choose(uint32_t a, uint32_t b)
{
    return a & 1 ? b : a >> 1;
}

static operation *volatile operations[] = {add, twist, choose};

static void pointers(void)
{
    uint32_t value = 1;
    for (uint32_t i = 0; i < STEPS; ++i) {
        value = operations[(value ^ i) % 3](value, i);
    }
    say("pointers", &value, sizeof value);
}

/* An interpreter: a jump table, and branches on bits and zero. */
static void interpreter(void)
{
    uint8_t code[PROGRAM];
    uint32_t value = 7;
    for (int i = 0; i < PROGRAM; ++i) {
        code[i] = (uint8_t)(random_number() % 9);
    }
    for (unsigned n = 0; n < STEPS; ++n) {
        switch (code[(value + n) % PROGRAM]) {
        case 0:
            value += n;
            break;
        case 1:
            value ^= value >> 3;
            break;
        case 2:
            value *= 3;
            break;
        case 3:
            value = value & 0x40 ? ~value : value - 1;
            break;
        case 4:
            value = (int32_t)value < 0 ? value >> 1 : value << 1;
            break;
        case 5:
            value = value == 0 ? n : value;
            break;
        case 6:
            value -= n << 2;
            break;
        case 7:
            value |= 1;
            break;
        default:
            value = value / 7 + 11;
            break;
        }
    }
    say("machine", &value, sizeof value);
}

static __attribute__((noinline)) uint32_t descend(uint32_t depth, uint32_t value)
{
    if (depth == 0) {
        return value;
    }
    const uint32_t below = descend(depth - 1, value * 5 + depth);
    return below ^ depth;
}

static __attribute__((noinline)) uint32_t ackermann(uint32_t m, uint32_t n)
{
    if (m == 0) {
        return n + 1;
    }
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static jmp_buf top;

static __attribute__((noinline)) void leave(int depth, int value)
{
    if (depth == 0) {
        longjmp(top, value);
    }
    if (depth > 0) {
        leave(depth - 1, value + 1);
        __asm__ volatile("");
    }
}

static void recursion(void)
{
    uint32_t value = descend(DEPTH, 1) + ackermann(2, 60);
    for (int i = 0; i < JUMPS; ++i) {
        const int back = setjmp(top);
        if (back == 0) {
            leave(20, i + 1);
        }
        value += (uint32_t)back;
    }
    say("recursion", &value, sizeof value);
}

#ifdef __aarch64__
/* Authenticated calls, branches, loads and returns, which compilers do not make of C. */
uint64_t authenticated(uint64_t value);
__asm__(".globl authenticated\n"
        ".type authenticated, %function\n"
        "authenticated:\n"
        "    paciasp\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    mov x29, sp\n"
        "    mov x9, #5\n"
        "    adr x10, 1f\n"
        "    paciza x10\n"
        "    blraaz x10\n"
        "    adr x10, 1f\n"
        "    pacia x10, x9\n"
        "    blraa x10, x9\n"
        "    adr x10, 1f\n"
        "    pacib x10, x9\n"
        "    blrab x10, x9\n"
        "    add x11, sp, #16\n"
        "    pacdza x11\n"
        "    ldraa x12, [x11]\n"
        "    ldraa x12, [x11, #8]\n"
        "    adr x10, 2f\n"
        "    pacia x10, sp\n"
        "    braa x10, sp\n"
        "1:  bti c\n"
        "    paciasp\n"
        "    add x0, x0, #3\n"
        "    retaa\n"
        "2:  bti j\n"
        "    ldp x29, x30, [sp], #32\n"
        "    retaa\n");

static void authentication(void)
{
    uint64_t value = 0;
    for (int i = 0; i < STEPS / 10; ++i) {
        value = authenticated(value);
    }
    say("signed", &value, sizeof value);
}
#endif

int main(int argc, char **argv)
{
    const unsigned rounds = rounds_of(argc, argv);
    for (unsigned i = 0; i < rounds; ++i) {
        pointers();
        interpreter();
        recursion();
#ifdef __aarch64__
        authentication();
#endif
    }
    return 0;
}
