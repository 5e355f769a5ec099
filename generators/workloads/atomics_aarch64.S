/* Atomic operations of Armv8.1 (FEAT_LSE), and loads with acquire of Armv8.3 (FEAT_LRCPC): each
 * operation, with each width and order; compare and swap that swaps and that does not, also of pairs.
 * Returns 1 if the sum of what it loaded is as it should be. */
#define SUM         x19
#define ATOMICS_SUM 0x502
#define ROUNDS 2

        .arch   armv8.3-a
        .macro  plus value
        add     SUM, SUM, \value
        .endm

        .macro  operation name, suffix, register
        \name\suffix     \register\()20, \register\()0, [x3]
        plus    x0
        \name\()a\suffix \register\()20, \register\()0, [x3]
        plus    x0
        \name\()l\suffix \register\()20, \register\()0, [x3]
        plus    x0
        \name\()al\suffix \register\()20, \register\()0, [x3]
        plus    x0
        .endm

        /* Each operation of a width. */
        .macro  operations suffix, register
        operation swp, \suffix, \register
        operation ldadd, \suffix, \register
        operation ldclr, \suffix, \register
        operation ldeor, \suffix, \register
        operation ldset, \suffix, \register
        operation ldsmax, \suffix, \register
        operation ldsmin, \suffix, \register
        operation ldumax, \suffix, \register
        operation ldumin, \suffix, \register
        stadd\suffix    \register\()20, [x3]    /* without a result */
        stsetl\suffix   \register\()20, [x3]
        ldr\suffix      \register\()0, [x3]
        cas\suffix      \register\()0, \register\()20, [x3]      /* swaps */
        casa\suffix     \register\()0, \register\()20, [x3]
        mvn     \register\()0, \register\()20
        casl\suffix     \register\()0, \register\()20, [x3]     /* does not, perhaps */
        casal\suffix    \register\()0, \register\()20, [x3]
        plus    x0
        ldapr\suffix    \register\()0, [x3]
        plus    x0
        .endm

        .macro  pairs register
        ldp     \register\()4, \register\()5, [x3]
        casp    \register\()4, \register\()5, \register\()20, \register\()21, [x3] /* swaps */
        mov     \register\()4, #1
        caspal  \register\()4, \register\()5, \register\()20, \register\()21, [x3] /* does not */
        plus    x4
        .endm

        .text
        .globl  workload
workload:
        stp     x29, x30, [sp, #-48]!
        stp     x19, x20, [sp, #16]
        str     x21, [sp, #32]
        mov     SUM, #0
        mov     x20, #ROUNDS
        mov     x21, #9
        adrp    x3, counter
        add     x3, x3, :lo12:counter
round:  operations b, w
        operations h, w
        operations , w
        operations , x
        pairs   w
        pairs   x
        subs    x20, x20, #1
        b.ne    round
        ldr     x0, =ATOMICS_SUM
        cmp     SUM, x0
        cset    x0, eq
        ldr     x21, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #48
        ret
        .ltorg

        .data
        .balign 16
counter:
        .quad   5, 6
