/* Memory operations of Armv8.0: loads and stores of every width, with and without sign, by each mode of
 * addressing, literal, in pairs, non-temporal, ordered, exclusive (with success and without), of
 * registers and elements of Advanced SIMD; copies; a list; barriers. All addresses are aligned. Returns 1 if the
 * sum of what it loaded is as it should be. */
#define SUM        x19
#define MEMORY_SUM 0x0f387f97077e072f
#define ROUNDS 3
#define COPIED 512              /* bytes */

        .macro  plus value
        add     SUM, SUM, \value
        .endm

        /* A load and what it gives. */
        .macro  take load, address:vararg
        \load   \address
        add     SUM, SUM, x0
        .endm

        /* Exclusives of a width, also with acquire and release, and a store without a monitor. */
        .macro  exclusive suffix, register
1:      ldxr\suffix     \register\()0, [x3]
        add     w0, w0, #3
        stxr\suffix     w1, \register\()0, [x3]
        cbnz    w1, 1b
2:      ldaxr\suffix    \register\()0, [x3]
        eor     x0, x0, x20
        stlxr\suffix    w1, \register\()0, [x3]
        cbnz    w1, 2b
        clrex
        stxr\suffix     w1, \register\()0, [x3] /* fails */
        plus    x1
        plus    x0
        .endm

        .macro  exclusive_pair register
1:      ldxp    \register\()0, \register\()2, [x3]
        add     w0, w0, #3
        stxp    w1, \register\()2, \register\()0, [x3]
        cbnz    w1, 1b
2:      ldaxp   \register\()0, \register\()2, [x3]
        stlxp   w1, \register\()2, \register\()0, [x3]
        cbnz    w1, 2b
        plus    x0
        plus    x2
        .endm

        .text
        .globl  workload
workload:
        stp     x29, x30, [sp, #-32]!
        stp     x19, x20, [sp, #16]
        mov     SUM, #0
        mov     x20, #ROUNDS
round:  bl      widths
        bl      modes
        bl      pairs
        bl      vectors
        bl      structures
        bl      copies
        bl      list
        bl      ordered
        bl      exclusives
        subs    x20, x20, #1
        b.ne    round
        ldr     x0, =MEMORY_SUM
        cmp     SUM, x0
        cset    x0, eq
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #32
        ret
        .ltorg

        .macro  address register, symbol
        adrp    \register, \symbol
        add     \register, \register, :lo12:\symbol
        .endm

widths: address x2, middle
        take    ldrb w0, [x2, #1]
        take    ldrsb w0, [x2, #2]
        take    ldrsb x0, [x2, #3]
        take    ldrh w0, [x2, #4]
        take    ldrsh w0, [x2, #6]
        take    ldrsh x0, [x2, #8]
        take    ldr w0, [x2, #12]
        take    ldrsw x0, [x2, #16]
        take    ldr x0, [x2, #24]
        take    ldurb w0, [x2, #-1]
        take    ldursb x0, [x2, #-2]
        take    ldurh w0, [x2, #-4]
        take    ldursh w0, [x2, #-6]
        take    ldur w0, [x2, #-8]
        take    ldursw x0, [x2, #-12]
        take    ldur x0, [x2, #-16]
        strb    w19, [x2, #32]
        strh    w19, [x2, #34]
        str     w19, [x2, #36]
        str     x19, [x2, #40]
        sturb   w19, [x2, #-32]
        sturh   w19, [x2, #-34]
        stur    w19, [x2, #-40]
        stur    x19, [x2, #-48]
        take    ldr x0, [x2, #32]
        take    ldr x0, [x2, #2040]
        str     xzr, [x2, #2032]
        ldr     xzr, [x2, #2032]        /* a load whose value nothing holds */
        ret

modes:  address x2, middle
        take    ldr x0, [x2], #8        /* after */
        take    ldr x0, [x2, #8]!       /* before */
        take    ldrb w0, [x2], #-1
        take    ldrh w0, [x2, #1]!
        str     x19, [x2], #16
        str     w19, [x2, #-16]!
        mov     x3, #16
        take    ldr x0, [x2, x3]
        mov     x3, #3
        take    ldr x0, [x2, x3, lsl #3]
        mov     w3, #-2
        take    ldr w0, [x2, w3, sxtw #2]
        mov     w3, #5
        take    ldrb w0, [x2, w3, uxtw]
        str     x19, [x2, x3, lsl #3]
        take    ldr x0, literal
        take    ldr w0, literal
        take    ldrsw x0, literal
        prfm    pldl1keep, literal
        ldr     d0, literal
        fmov    x0, d0
        plus    x0
        sub     sp, sp, #32
        str     x19, [sp, #8]
        take    ldr x0, [sp, #8]
        add     sp, sp, #32
        ret
        .balign 8
literal:
        .quad   0x123456789abcdef0

pairs:  address x2, middle
        ldp     x0, x1, [x2]
        plus    x0
        plus    x1
        ldp     w0, w1, [x2, #16]
        plus    x1
        ldpsw   x0, x1, [x2, #24]
        plus    x0
        stp     x0, x1, [x2, #32]
        stp     w0, w1, [x2, #-32]
        stp     x0, x1, [x2, #-16]!
        ldp     x0, x1, [x2], #16
        plus    x0
        stnp    x0, x1, [x2, #64]
        ldnp    x0, x1, [x2, #64]
        plus    x1
        ldnp    w0, w1, [x2, #8]
        plus    x0
        ret

vectors:
        address x2, middle
        ldr     b0, [x2, #1]
        ldr     h1, [x2, #2]
        ldr     s2, [x2, #4]
        ldr     d3, [x2, #8]
        ldr     q4, [x2, #16]
        str     b0, [x2, #33]
        str     h1, [x2, #34]
        str     s2, [x2, #36]
        str     d3, [x2, #40]
        str     q4, [x2, #48]
        ldp     s0, s1, [x2]
        ldp     d0, d1, [x2]
        ldp     q0, q1, [x2]
        stp     s0, s1, [x2, #64]
        stp     d0, d1, [x2, #64]
        stp     q0, q1, [x2, #64]
        ldnp    q2, q3, [x2, #32]
        stnp    q2, q3, [x2, #96]
        ldr     q5, [x2], #16
        str     q5, [x2, #16]!
        take    ldr x0, [x2]
        ret

structures:
        address x2, middle
        address x3, target
        ld1     {v0.16b}, [x2]
        ld1     {v0.8b, v1.8b}, [x2]
        ld1     {v0.4s - v2.4s}, [x2]
        ld1     {v0.2d - v3.2d}, [x2], #64
        st1     {v0.2d - v3.2d}, [x3], #64
        st1     {v0.16b}, [x3]
        ld2     {v0.16b, v1.16b}, [x2]
        st2     {v0.16b, v1.16b}, [x3]
        ld3     {v0.8h - v2.8h}, [x2]
        st3     {v0.8h - v2.8h}, [x3]
        ld4     {v0.4s - v3.4s}, [x2]
        st4     {v0.4s - v3.4s}, [x3]
        ld1     {v0.b}[3], [x2]
        ld1     {v0.d}[1], [x2]
        st1     {v0.s}[2], [x3]
        ld2     {v0.h, v1.h}[1], [x2]
        st2     {v0.h, v1.h}[1], [x3]
        ld3     {v0.s - v2.s}[0], [x2]
        ld4     {v0.d - v3.d}[0], [x2]
        st4     {v0.d - v3.d}[0], [x3]
        ld1r    {v0.8h}, [x2]
        ld2r    {v0.4s, v1.4s}, [x2]
        ld4r    {v0.2d - v3.2d}, [x2]
        take    ldr x0, [x3, #24]
        ret

/* By bytes, and by pairs. */
copies: address x0, source
        address x1, target
        mov     x2, #COPIED / 8
1:      ldrb    w3, [x0], #1
        strb    w3, [x1], #1
        subs    x2, x2, #1
        b.ne    1b
        address x0, source
        address x1, target
        mov     x2, #COPIED / 32
2:      ldp     x3, x4, [x0], #16
        ldp     x5, x6, [x0], #16
        stp     x3, x4, [x1], #16
        stp     x5, x6, [x1], #16
        subs    x2, x2, #1
        b.ne    2b
        plus    x6
        ret

list:   address x0, first
1:      ldp     x0, x1, [x0]
        plus    x1
        cbnz    x0, 1b
        ret

ordered:
        address x3, counter
        take    ldarb w0, [x3]
        take    ldarh w0, [x3]
        take    ldar w0, [x3]
        take    ldar x0, [x3]
        stlrb   w20, [x3]
        stlrh   w20, [x3]
        stlr    w20, [x3]
        stlr    x20, [x3]
        dmb     ishst
        take    ldr x0, [x3]
        dsb     ish
        isb
        ret

exclusives:
        address x3, counter
        exclusive b, w
        exclusive h, w
        exclusive , w
        exclusive , x
        exclusive_pair w
        exclusive_pair x
        ret

        .section .rodata
        .balign 16
source: .set    n, 0
        .rept   COPIED
        .byte   (n * 37 + 11) & 255
        .set    n, n + 1
        .endr

        .data
        .balign 16
first:  .quad   third, 1
second: .quad   0, 2
third:  .quad   fourth, 4
fourth: .quad   second, 8
counter:
        .quad   5, 6
        .set    n, 0
        .rept   2048
        .byte   (n * 29 + 3) & 255
        .set    n, n + 1
        .endr
middle: .rept   2064
        .byte   (n * 53 + 7) & 255
        .set    n, n + 1
        .endr

        .bss
        .balign 16
target: .zero   COPIED
