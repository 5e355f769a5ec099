/* Control flow of Armv8.5 with pointer authentication and landing pads (FEAT_PAuth, FEAT_BTI): calls,
 * jumps and returns by each key, with a modifier and without, loads by an authenticated address, and
 * BTI, PACIASP and PACIBSP as landing pads. Returns 1 if the sum of what it passed is as it should be. */
#define SUM       x19
#define PAUTH_SUM 0x18c
#define ROUNDS    4

        .arch   armv8.5-a
        .macro  plus value
        add     SUM, SUM, \value
        .endm

        /* A call and a jump by a key, with a modifier and without. */
        .macro  branches key, modifier, return
        adr     x10, called_\key
        paci\key x10, \modifier
        blra\key x10, \modifier
        adr     x10, called_\key
        paciz\key x10
        blra\key\()z x10
        adr     x10, 1f
        paci\key x10, sp
        bra\key x10, sp
        plus    #1000                   /* not reached */
1:      bti     j
        adr     x10, 2f
        paciz\key x10
        bra\key\()z x10
        plus    #1000                   /* not reached */
2:      bti     jc
        adr     x10, called_\key
        paci\key x10, \modifier
        auti\key x10, \modifier
        xpaci   x10
        blr     x10
        .endm

        .text
        .globl  workload
workload:
        paciasp
        stp     x29, x30, [sp, #-32]!
        stp     x19, x20, [sp, #16]
        mov     SUM, #0
        mov     x20, #ROUNDS
round:  mov     x9, #5
        branches a, x9
        branches b, x9
        bl      nested
        adrp    x11, words
        add     x11, x11, :lo12:words
        mov     x12, x11
        pacdza  x12
        ldraa   x0, [x12]
        plus    x0
        ldraa   x0, [x12, #8]
        plus    x0
        mov     x12, x11
        pacdzb  x12
        ldrab   x0, [x12, #16]
        plus    x0
        mov     x12, x11
        pacdza  x12
        ldraa   x0, [x12, #8]!          /* the base is written */
        plus    x0
        subs    x20, x20, #1
        b.ne    round
        ldr     x0, =PAUTH_SUM
        cmp     SUM, x0
        cset    x0, eq
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #32
        retaa
        .ltorg

called_a:
        bti     c
        plus    #1
        ret
called_b:
        pacibsp                         /* a landing pad, too */
        plus    #2
        retab

nested: paciasp
        stp     x29, x30, [sp, #-16]!
        bl      inner
        ldp     x29, x30, [sp], #16
        autiasp
        ret
inner:  pacibsp
        str     x30, [sp, #-16]!
        bl      called_b
        ldr     x30, [sp], #16
        retab

        .section .rodata
        .balign 16
words:  .quad   11, 22, 33
