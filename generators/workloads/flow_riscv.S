/* Control flow of RV32 and RV64, with compressed instructions: each conditional branch taken and not
 * taken, forwards and backwards; jumps, calls and returns by each link register, nested, deep and
 * recursive; tail calls, jump tables, co-routines; returns to elsewhere; targets that LUI and AUIPC
 * give; fences and hints. Returns 1 if the sum of what it passed is as it should be. */
#include "riscv.h"

#define SUM       s0
#define ROUNDS    3
#define DEPTH     40            /* deeper than return stacks are */
#define STRAIGHT  120           /* branches in a row with the same outcome */

        /* Each branch, of a0 and a1, over an instruction; then c.beqz and c.bnez of a0. */
        .macro  over branch, value
        \branch a0, a1, 1f
        addi    SUM, SUM, \value
1:
        .endm

        .text
        COMPRESSED
        .globl  workload
workload:
        addi    sp, sp, -32
        STORE   ra, 0(sp)
        STORE   s0, WORD(sp)
        STORE   s1, 2*WORD(sp)
        li      SUM, 0
        li      s1, ROUNDS
round:  jal     conditions
        jal     loops
        jal     links
        jal     recursion
        jal     tails
        jal     tables
        jal     swaps
        jal     unwinding
        jal     inferable
        jal     odd_places
        addi    s1, s1, -1
        bnez    s1, round
        li      t0, FLOW_SUM
        xor     a0, SUM, t0
        seqz    a0, a0
        LOAD    s1, 2*WORD(sp)
        LOAD    s0, WORD(sp)
        LOAD    ra, 0(sp)
        addi    sp, sp, 32
        ret

/* --- conditional branches --- */

conditions:
        la      t0, operands
        la      t1, operands_end
next_operands:
        LOAD    a0, 0(t0)
        LOAD    a1, WORD(t0)
        over    beq, 1
        over    bne, 2
        over    blt, 4
        over    bge, 8
        over    bltu, 16
        over    bgeu, 32
        beqz    a0, 2f                  /* compressed */
        addi    SUM, SUM, 64
2:      bnez    a0, 3f
        addi    SUM, SUM, 128
3:      beq     a0, a1, 4f              /* to the next instruction, taken or not */
4:      addi    t0, t0, 2*WORD
        bltu    t0, t1, next_operands
        ret

/* Branches that are always taken, never taken, and alternate: more than fit in a map, and patterns that
 * a predictor learns. */
loops:  li      t0, STRAIGHT
1:      addi    t0, t0, -1
        add     SUM, SUM, t0
        .option norvc
        bnez    t0, 1b
        COMPRESSED
        li      t0, STRAIGHT
2:      bltz    t0, 3f                  /* never */
        addi    t0, t0, -1
        bnez    t0, 2b
3:      li      t0, STRAIGHT
4:      andi    t1, t0, 1
        beqz    t1, 5f                  /* every other time */
        addi    SUM, SUM, 1
5:      addi    t0, t0, -1
        bgtz    t0, 4b
        j       7f                      /* forwards, compressed, and back */
6:      addi    SUM, SUM, 3
        .option norvc
        j       8f
        COMPRESSED
7:      j       6b
8:      j       9f                      /* to the next instruction */
9:      ret

/* --- calls and returns --- */

links:  mv      t2, ra
        jal     t0, by_t0               /* the other link register */
        la      a0, by_t0
        jalr    t0, 0(a0)
        la      a0, by_a0 - 4
        jalr    a0, 4(a0)               /* no link register: a jump, */
        la      a0, leaf
        jalr    a0                      /* a call, compressed */
        .option norvc
        jal     leaf
        la      a0, leaf - 16
        jalr    ra, 16(a0)
        la      ra, leaf
        jalr    ra, 0(ra)               /* target and link register are the same */
        COMPRESSED
        mv      ra, t2
        jr      ra
        .balign 4
by_t0:  addi    SUM, SUM, 5
        jr      t0                      /* a return, by x5 */
        .balign 4
        .option norvc
by_a0:  addi    SUM, SUM, 7
        jr      a0                      /* an indirect jump */
        COMPRESSED

        .balign 32
leaf:   addi    SUM, SUM, 9
        ret

recursion:
        mv      t2, ra
        li      a0, DEPTH
        jal     down
        li      a0, 4
        jal     fibonacci
        add     SUM, SUM, a0
        li      a0, 9
        jal     even
        add     SUM, SUM, a0
        jr      t2                      /* a return by another register: an indirect jump */

down:   beqz    a0, 1f
        addi    sp, sp, -16
        STORE   ra, 0(sp)
        addi    a0, a0, -1
        jal     down
        LOAD    ra, 0(sp)
        addi    sp, sp, 16
        addi    SUM, SUM, 1
1:      ret

fibonacci:
        li      t0, 2
        bltu    a0, t0, 1f
        addi    sp, sp, -16
        STORE   ra, 0(sp)
        STORE   a0, WORD(sp)
        addi    a0, a0, -1
        jal     fibonacci
        LOAD    t0, WORD(sp)
        STORE   a0, WORD(sp)
        addi    a0, t0, -2
        jal     fibonacci
        LOAD    t0, WORD(sp)
        add     a0, a0, t0
        LOAD    ra, 0(sp)
        addi    sp, sp, 16
1:      ret

even:   beqz    a0, 1f
        addi    a0, a0, -1
        j       odd                     /* tail calls of each other */
1:      li      a0, 1
        ret
odd:    beqz    a0, 1f
        addi    a0, a0, -1
        j       even
1:      li      a0, 2
        ret

tails:  addi    sp, sp, -16
        STORE   ra, 0(sp)
        jal     direct_tail
        jal     indirect_tail
        LOAD    ra, 0(sp)
        addi    sp, sp, 16
        j       leaf
direct_tail:
        tail    leaf
indirect_tail:
        la      a5, leaf
        jr      a5

/* --- jump tables --- */

tables: mv      t2, ra
        li      t3, 12
1:      addi    t3, t3, -1
        li      t0, 5
        remu    t0, t3, t0
        slli    t0, t0, WORD_SHIFT
        la      t1, cases
        add     t1, t1, t0
        LOAD    t1, 0(t1)
        jr      t1
case_0: addi    SUM, SUM, 1
        j       2f
case_1: addi    SUM, SUM, 2
        j       2f
case_2: addi    SUM, SUM, 3             /* falls through */
case_3: addi    SUM, SUM, 4
2:      bnez    t3, 1b
        li      t3, 6
3:      addi    t3, t3, -1
        andi    t0, t3, 1
        slli    t0, t0, WORD_SHIFT
        la      t1, functions
        add     t1, t1, t0
        LOAD    t1, 0(t1)
        jalr    t1                      /* calls by pointer */
        bnez    t3, 3b
        jr      t2
case_4: la      t1, 2b                  /* a jump to where the others go */
        jr      t1

/* --- co-routines, and returns to elsewhere --- */

swaps:  mv      t2, ra
        la      t0, partner
        li      t3, 5
1:      addi    SUM, SUM, 1
        jalr    ra, 0(t0)               /* swap: each of the two link registers is the other's */
        addi    t3, t3, -1
        bnez    t3, 1b
        jr      t2
2:      addi    SUM, SUM, 2
partner:
        addi    SUM, SUM, 3
        jalr    t0, 0(ra)
        j       2b

unwinding:
        addi    sp, sp, -16
        STORE   ra, 0(sp)
        mv      t3, sp
        la      t4, caught
        li      a0, 10
        jal     throw
        addi    SUM, SUM, 1000          /* not reached */
caught: mv      sp, t3                  /* out of many frames at once */
        jal     elsewhere
        addi    SUM, SUM, 1000          /* not reached: it returns behind this */
        addi    SUM, SUM, 6
        LOAD    ra, 0(sp)
        addi    sp, sp, 16
        ret
throw:  addi    sp, sp, -16
        STORE   ra, 0(sp)
        addi    a0, a0, -1
        bnez    a0, 1f
        jr      t4
1:      jal     throw
        addi    SUM, SUM, 1000          /* not reached */
elsewhere:
        addi    ra, ra, SKIPPED
        ret

/* --- targets that an instruction before gives --- */

inferable:
        mv      t2, ra
        .option push
        .option norelax
        call    far                     /* AUIPC and JALR */
        .option pop
1:      auipc   a0, 0
        .option norvc
        jalr    x0, 12(a0)
        COMPRESSED
        nop
        nop
        .option norvc
2:      auipc   a0, 0
        addi    a0, a0, 0               /* the same register, but not by AUIPC at last */
        jalr    x0, 16(a0)
        nop
        COMPRESSED
        addi    SUM, SUM, 11
        mv      ra, t2
        ret

/* 4-byte instructions at places that are not a multiple of 4, branches and calls among them; hints. */
        .balign 4
odd_places:
        mv      t2, ra
        .option norvc
        jal     1f
        lui     a0, 0x12345
        bnez    a0, 2f
        nop
1:      addi    SUM, SUM, 13
        jr      ra
2:      fence   rw, rw
        fence.i
        fence.tso
        .word   0x0100000f              /* PAUSE */
        .word   0x00200033              /* NTL.P1 */
        lui     x0, 1
        COMPRESSED
        nop
#ifdef __riscv_compressed
        .half   0x4009                  /* C.LI of x0: a hint */
#endif
        mv      ra, t2
        ret

/* Further away than a branch or a compressed jump reaches. */
        .zero   4096
        .balign 4
far:    addi    SUM, SUM, 15
        ret

        .section .rodata
        .balign 8
operands:
        ADDRESS 0, 0, 1, 2, 2, 1, -1, 1, 1, -1, -1, -1, 0, 5, 0, -5
operands_end:
cases:  ADDRESS case_0, case_1, case_2, case_3, case_4
functions:
        ADDRESS leaf, direct_tail
