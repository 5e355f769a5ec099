/* Control flow of Armv8.0: conditional branches by flags, registers and bits, taken and not taken,
 * forwards and backwards; jumps, calls and returns by X30 and others, nested, deep and recursive; tail
 * calls, jump tables, co-routines; returns to elsewhere; barriers and hints. Returns 1 if the sum of what
 * it passed is as it should be. */
#define SUM       x19
#define FLOW_SUM  0x6984
#define ROUNDS    3
#define DEPTH     40            /* deeper than return stacks are */
#define STRAIGHT  120           /* branches in a row with the same outcome */
#define SKIPPED   4             /* bytes of an addition that a function returns behind */

        .macro  plus value
        add     SUM, SUM, \value
        .endm

        /* Over an addition, if the condition holds. */
        .macro  over condition, value
        b.\condition 1f
        plus    \value
1:
        .endm

        .text
        .globl  workload
workload:
        stp     x29, x30, [sp, #-32]!
        stp     x19, x20, [sp, #16]
        mov     SUM, #0
        mov     x20, #ROUNDS
round:  bl      conditions
        bl      loops
        bl      links
        bl      recursion
        bl      tails
        bl      tables
        bl      swaps
        bl      unwinding
        bl      others
        subs    x20, x20, #1
        b.ne    round
        ldr     x0, =FLOW_SUM
        cmp     SUM, x0
        cset    x0, eq
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #32
        ret

/* --- conditional branches --- */

conditions:
        adrp    x2, operands
        add     x2, x2, :lo12:operands
        mov     x3, #OPERANDS
next_operands:
        ldp     x0, x1, [x2], #16
        cmp     x0, x1
        over    eq, #1
        over    ne, #2
        over    cs, #3
        over    cc, #4
        over    mi, #5
        over    pl, #6
        over    vs, #7
        over    vc, #8
        over    hi, #9
        over    ls, #10
        over    ge, #11
        over    lt, #12
        over    gt, #13
        over    le, #14
        over    al, #15                 /* always; there is nothing to resolve */
        cbz     x0, 2f
        plus    #16
2:      cbnz    x0, 3f
        plus    #17
3:      cbz     w1, 4f
        plus    #18
4:      cbnz    w1, 5f
        plus    #19
5:      tbz     x0, #0, 6f
        plus    #20
6:      tbnz    x0, #63, 7f
        plus    #21
7:      tbz     w1, #31, 8f
        plus    #22
8:      tbnz    w1, #2, 9f
        plus    #23
9:      b.eq    10f                     /* to the next instruction, taken or not */
10:     subs    x3, x3, #1
        b.ne    next_operands
        ret

/* Branches that are always taken, never taken, and alternate: more than a packet of atoms has. */
loops:  mov     x0, #STRAIGHT
1:      plus    x0
        subs    x0, x0, #1
        b.ne    1b
        mov     x0, #STRAIGHT
2:      tbnz    x0, #63, 3f             /* never */
        sub     x0, x0, #1
        cbnz    x0, 2b
3:      mov     x0, #STRAIGHT
4:      tbz     x0, #0, 5f              /* every other time */
        plus    #1
5:      sub     x0, x0, #1
        tbz     x0, #0, 6f
        plus    #2
6:      cbnz    x0, 4b
        b       8f                      /* forwards, and back */
7:      plus    #3
        b       9f
8:      b       7b
9:      b       10f                     /* to the next instruction */
10:     ret

/* --- calls and returns --- */

links:  mov     x9, x30
        bl      leaf
        adr     x0, leaf
        blr     x0
        adr     x30, leaf
        blr     x30                     /* target and link register are the same */
        adr     x10, 1f
        adr     x0, leaf_by_x10
        br      x0                      /* a call without link register, */
1:      adr     x0, 2f
        br      x0                      /* and a jump */
        plus    #1000                   /* not reached */
2:      mov     x30, x9
        ret
leaf_by_x10:
        plus    #5
        ret     x10                     /* a return by another register */
leaf:   plus    #9
        ret

recursion:
        stp     x29, x30, [sp, #-16]!
        mov     x0, #DEPTH
        bl      down
        mov     x0, #4
        bl      fibonacci
        plus    x0
        mov     x0, #9
        bl      even
        plus    x0
        ldp     x29, x30, [sp], #16
        ret

down:   cbz     x0, 1f
        str     x30, [sp, #-16]!
        sub     x0, x0, #1
        bl      down
        ldr     x30, [sp], #16
        plus    #1
1:      ret

fibonacci:
        cmp     x0, #2
        b.cc    1f
        stp     x0, x30, [sp, #-16]!
        sub     x0, x0, #1
        bl      fibonacci
        ldr     x1, [sp]
        str     x0, [sp]
        sub     x0, x1, #2
        bl      fibonacci
        ldp     x1, x30, [sp], #16
        add     x0, x0, x1
1:      ret

even:   cbz     x0, 1f
        sub     x0, x0, #1
        b       odd                     /* tail calls of each other */
1:      mov     x0, #1
        ret
odd:    cbz     x0, 1f
        sub     x0, x0, #1
        b       even
1:      mov     x0, #2
        ret

tails:  str     x30, [sp, #-16]!
        bl      direct_tail
        bl      indirect_tail
        ldr     x30, [sp], #16
        b       leaf
direct_tail:
        b       leaf
indirect_tail:
        adr     x16, leaf
        br      x16

/* --- jump tables --- */

tables: mov     x9, x30
        mov     x3, #12
        adrp    x4, cases
        add     x4, x4, :lo12:cases
1:      sub     x3, x3, #1
        mov     x0, #5
        udiv    x1, x3, x0
        msub    x0, x1, x0, x3
        ldr     x1, [x4, x0, lsl #3]
        br      x1
case_0: plus    #1
        b       2f
case_1: plus    #2
        b       2f
case_2: plus    #3                      /* falls through */
case_3: plus    #4
2:      cbnz    x3, 1b
        mov     x3, #6
        adrp    x4, functions
        add     x4, x4, :lo12:functions
3:      sub     x3, x3, #1
        and     x0, x3, #1
        ldr     x1, [x4, x0, lsl #3]
        blr     x1                      /* calls by pointer */
        cbnz    x3, 3b
        ret     x9
case_4: adr     x1, 2b                  /* a jump to where the others go */
        br      x1

/* --- co-routines, and returns to elsewhere --- */

swaps:  mov     x9, x30
        adr     x10, partner
        mov     x3, #5
1:      plus    #1
        adr     x11, 2f
        br      x10                     /* each leaves the address that it is to go on at */
2:      sub     x3, x3, #1
        cbnz    x3, 1b
        adr     x10, 3f
        blr     x10                     /* and by the link register: */
        plus    #7
        ret     x9
3:      mov     x10, x30
        plus    #8
        blr     x10                     /* a call of where the other goes on, never returned to */
partner:
        plus    #3
        adr     x10, 4f
        br      x11
4:      plus    #2
        adr     x10, partner
        br      x11

unwinding:
        str     x30, [sp, #-16]!
        mov     x3, sp
        adr     x4, caught
        mov     x0, #10
        bl      throw
        plus    #1000                   /* not reached */
caught: mov     sp, x3                  /* out of many frames at once */
        bl      elsewhere
        plus    #1000                   /* not reached: it returns behind this */
        plus    #6
        ldr     x30, [sp], #16
        ret
throw:  str     x30, [sp, #-16]!
        subs    x0, x0, #1
        b.ne    1f
        br      x4
1:      bl      throw
        plus    #1000                   /* not reached */
elsewhere:
        add     x30, x30, #SKIPPED
        ret

/* --- barriers and hints, some of which trace units treat as branches --- */

others: isb
        dsb     sy
        dsb     ish
        dmb     ish
        dmb     ishld
        dmb     oshst
        nop
        yield
        sev
        sevl
        wfe                             /* the event is there: it does not wait */
        hint    #20                     /* CSDB */
        hint    #34                     /* BTI c: a NOP before Armv8.5 */
        mrs     x0, fpcr
        msr     fpcr, x0
        mrs     x0, nzcv
        msr     nzcv, x0
        ret
        .ltorg

        .section .rodata
        .balign 16
operands:
        .quad   0, 0, 1, 2, 2, 1, -1, 1, 1, -1, -1, -1, 0, 5, 0, -5
        .quad   0x8000000000000000, 1, 0x7fffffffffffffff, -1
        .set    OPERANDS, (. - operands) / 16
        .balign 8
cases:  .quad   case_0, case_1, case_2, case_3, case_4
functions:
        .quad   leaf, direct_tail
