/* Memory operations of RV32 and RV64 with A, F, D and C: loads and stores of every width, whole and
 * compressed, of x and f registers, with and without sign, at positive and negative distances and of
 * the stack; copies; a list; each AMO; LR and SC that succeed and fail, with each order; fences; control
 * registers of floating point. All addresses are aligned. Returns 1 if the sum of what it loaded is as it
 * should be. */
#include "riscv.h"

#define SUM    s0
#define ROUNDS 3
#define COPIED 512              /* bytes */

        .macro  plus value
        add     SUM, SUM, \value
        .endm

        /* A load, at a distance from s2, and what it gives. */
        .macro  take load, distance
        \load   t0, \distance(s2)
        plus    t0
        .endm

        /* An AMO without and with each order. */
        .macro  amo name, width
        \name\().\width         t0, a1, (s3)
        plus    t0
        \name\().\width\().aq   t0, a1, (s3)
        plus    t0
        \name\().\width\().rl   t0, a1, (s3)
        plus    t0
        \name\().\width\().aqrl t0, a1, (s3)
        plus    t0
        .endm

        .macro  atomics width
        amo     amoswap, \width
        amo     amoadd, \width
        amo     amoxor, \width
        amo     amoand, \width
        amo     amoor, \width
        amo     amomin, \width
        amo     amomax, \width
        amo     amominu, \width
        amo     amomaxu, \width
        /* a loop that adds; a store without a reservation, which fails */
1:      lr.\width               t0, (s3)
        addi    t0, t0, 3
        sc.\width               t1, t0, (s3)
        bnez    t1, 1b
2:      lr.\width\().aq         t0, (s3)
        xor     t0, t0, a1
        sc.\width\().rl         t1, t0, (s3)
        bnez    t1, 2b
3:      lr.\width\().aqrl       t0, (s3)
        sc.\width\().aqrl       t1, a1, (s3)
        bnez    t1, 3b
        sc.\width               t1, a1, (s3)
        snez    t1, t1
        plus    t1
        .endm

        .text
        COMPRESSED
        .globl  workload
workload:
        addi    sp, sp, -64
        STORE   ra, 0(sp)
        STORE   s0, WORD(sp)
        STORE   s1, 2*WORD(sp)
        STORE   s2, 3*WORD(sp)
        STORE   s3, 4*WORD(sp)
        li      SUM, 0
        li      s1, ROUNDS
round:  jal     widths
        jal     compressed
        jal     floats
        jal     copies
        jal     list
        jal     atomic
        jal     ordered
        addi    s1, s1, -1
        bnez    s1, round
        li      t0, MEMORY_SUM
        xor     a0, SUM, t0
        seqz    a0, a0
        LOAD    s3, 4*WORD(sp)
        LOAD    s2, 3*WORD(sp)
        LOAD    s1, 2*WORD(sp)
        LOAD    s0, WORD(sp)
        LOAD    ra, 0(sp)
        addi    sp, sp, 64
        ret

widths: la      s2, middle
        take    lb, 1
        take    lb, -1
        take    lbu, 2
        take    lbu, -2047
        take    lh, 2
        take    lh, -2
        take    lhu, 4
        take    lhu, -2048
        take    lw, 4
        take    lw, -4
        take    lw, 2044
#if __riscv_xlen == 64
        take    lwu, 8
        take    lwu, -8
        take    ld, 16
        take    ld, -16
        sd      SUM, 32(s2)
        sd      SUM, -32(s2)
        take    lw, 36
#endif
        sb      SUM, 40(s2)
        sb      SUM, -40(s2)
        sh      SUM, 42(s2)
        sh      SUM, -42(s2)
        sw      SUM, 44(s2)
        sw      SUM, -44(s2)
        take    lw, 40
        sw      zero, 2040(s2)
        lw      zero, 2040(s2)          /* a load whose value nothing holds */
        ret

/* The registers and distances that compressed forms have. */
compressed:
        la      a2, middle
        li      a3, 77
        sw      a3, 0(a2)
        lw      a4, 0(a2)
        plus    a4
        sw      a3, 124(a2)
        lw      a4, 124(a2)
        plus    a4
        addi    sp, sp, -64
        sw      a3, 4(sp)
        lw      a4, 4(sp)
        plus    a4
#if __riscv_xlen == 64
        sd      a3, 248(a2)
        ld      a4, 248(a2)
        plus    a4
        sd      a3, 56(sp)
        ld      a4, 56(sp)
        plus    a4
#endif
        addi    sp, sp, 64
        ret

floats: la      a2, numbers
        fld     fa0, 0(a2)              /* compressed */
        fld     ft0, 8(a2)
        fadd.d  fa0, fa0, ft0
        fsd     fa0, 16(a2)
        fsd     ft0, -8(a2)
        flw     fa1, 24(a2)
        fmul.s  fa1, fa1, fa1
        fsw     fa1, 28(a2)
        fcvt.w.d t0, fa0, rtz
        plus    t0
        fcvt.w.s t0, fa1, rtz
        plus    t0
        addi    sp, sp, -32
        fsd     fa0, 8(sp)
        fld     fs0, 8(sp)
        fsw     fa1, 16(sp)
        flw     fs1, 16(sp)
        fcvt.w.d t0, fs0, rtz
        plus    t0
        addi    sp, sp, 32
        csrr    t0, fcsr                /* control registers: read, written, bits set and cleared */
        csrw    fcsr, t0
        csrrs   t1, fflags, t0
        csrrci  t1, fflags, 31
        csrrwi  t1, frm, 1
        csrrsi  t1, frm, 2
        csrrc   t1, frm, t1
        csrwi   frm, 0
        csrr    t1, frm
        plus    t1
        ret

/* By bytes, and by words eight at a time. */
copies: la      t0, source
        la      t1, target
        li      t2, COPIED / 8
1:      lbu     t3, 0(t0)
        sb      t3, 0(t1)
        addi    t0, t0, 1
        addi    t1, t1, 1
        addi    t2, t2, -1
        bnez    t2, 1b
        la      a2, source
        la      a3, target
        li      t2, COPIED / (4 * WORD)
2:      LOAD    a0, 0(a2)
        LOAD    a1, WORD(a2)
        LOAD    a4, 2*WORD(a2)
        LOAD    a5, 3*WORD(a2)
        STORE   a0, 0(a3)
        STORE   a1, WORD(a3)
        STORE   a4, 2*WORD(a3)
        STORE   a5, 3*WORD(a3)
        addi    a2, a2, 4*WORD
        addi    a3, a3, 4*WORD
        addi    t2, t2, -1
        bnez    t2, 2b
        plus    a5
        ret

list:   la      t0, first
1:      LOAD    t1, WORD(t0)
        plus    t1
        LOAD    t0, 0(t0)
        bnez    t0, 1b
        ret

atomic: la      s3, counter
        mv      a1, s1
        atomics w
#if __riscv_xlen == 64
        atomics d
#endif
        ret

ordered:
        la      s2, middle
        sw      s1, 64(s2)
        fence
        take    lw, 64
        fence   r, r
        fence   w, w
        fence   rw, w
        fence   r, rw
        fence   iorw, iorw
        fence.tso
        sw      s1, 68(s2)
        fence.i
        take    lw, 68
        ret

        .section .rodata
        .balign 8
source: .set    n, 0
        .rept   COPIED
        .byte   (n * 37 + 11) & 255
        .set    n, n + 1
        .endr

        .data
        .balign 8
first:  ADDRESS third, 1
second: ADDRESS 0, 2
third:  ADDRESS fourth, 4
fourth: ADDRESS second, 8
        .double 0
numbers:
        .double 1.5, 2.25, 0
        .float  3.5, 0
counter:
        .dword  5

        .balign 8
        .set    n, 0
        .rept   2048
        .byte   (n * 29 + 3) & 255
        .set    n, n + 1
        .endr
middle: .rept   2056
        .byte   (n * 53 + 7) & 255
        .set    n, n + 1
        .endr

        .bss
        .balign 8
target: .zero   COPIED
