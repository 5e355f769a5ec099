/* Memory operations of the vector extension (V), whatever the length of its registers is: unit-stride,
 * strided, indexed in order and not, of segments, with masks, of masks, fault-only-first, of whole
 * registers; each width of elements. All elements are aligned. Returns 1 if the sum of what it loaded is
 * as it should be. */
#include "riscv.h"

#define SUM    s0
#define COUNT  24               /* elements; those of several widths fit in `target` */

        /* Copies by a width: unit-stride, strided both ways, indexed both ways. v24 has the indexes. */
        .macro  copy bits, load
        la      a1, source
        la      a2, target
        li      a0, COUNT
1:      vsetvli t0, a0, e\bits, m1, ta, ma
        vle\bits\().v   v1, (a1)
        vse\bits\().v   v1, (a2)
        li      t1, \bits / 8
        vlse\bits\().v  v2, (a1), t1
        vsse\bits\().v  v2, (a2), t1
        vlse\bits\().v  v3, (a1), zero  /* one element, again and again */
        vid.v   v24
        vsll.vi v24, v24, \load         /* log2 of the bytes */
        vluxei\bits\().v v4, (a1), v24
        vloxei\bits\().v v5, (a1), v24
        vsuxei\bits\().v v4, (a2), v24
        vsoxei\bits\().v v5, (a2), v24
        vid.v   v0
        vand.vi v0, v0, 1
        vmseq.vi v0, v0, 0              /* every other element */
        vle\bits\().v   v6, (a1), v0.t
        vse\bits\().v   v6, (a2), v0.t
        vle\bits\()ff.v v7, (a1)
        mul     t2, t0, t1
        add     a1, a1, t2
        add     a2, a2, t2
        sub     a0, a0, t0
        bnez    a0, 1b
        vsetivli t0, 4, e\bits, m1, ta, ma
        la      a1, source
        la      a2, target
        vlseg2e\bits\().v v8, (a1)
        vsseg2e\bits\().v v8, (a2)
        vlseg3e\bits\().v v8, (a1)
        vsseg3e\bits\().v v8, (a2)
        vlseg8e\bits\().v v8, (a1)
        vsseg8e\bits\().v v8, (a2)
        vlsseg2e\bits\().v v8, (a1), t1
        vssseg2e\bits\().v v8, (a2), t1
        vl1re\bits\().v v1, (a1)
        vl2re\bits\().v v2, (a1)
        lbu     t1, 0(a2)
        add     SUM, SUM, t1
        lbu     t1, 17(a2)
        add     SUM, SUM, t1
        .endm

        .option arch, +v
        .text
        COMPRESSED
        .globl  workload
workload:
        addi    sp, sp, -16
        STORE   s0, 0(sp)
        li      SUM, 0
        copy    8, 0
        copy    16, 1
        copy    32, 2
        copy    64, 3
        vsetivli t0, 8, e8, m2, ta, ma
        vlm.v   v0, (a1)
        vsm.v   v0, (a2)
        vs1r.v  v1, (a2)
        vs2r.v  v2, (a2)
        vsetivli zero, 0, e8, m1, ta, ma
        vle8.v  v1, (a1)                /* of no element */
        vse8.v  v1, (a2)
        lbu     t1, 3(a2)
        add     SUM, SUM, t1
        li      t0, VECTORS_SUM
        xor     a0, SUM, t0
        seqz    a0, a0
        LOAD    s0, 0(sp)
        addi    sp, sp, 16
        ret

        .section .rodata
        .balign 64
source: .set    n, 0
        .rept   1024
        .byte   (n * 37 + 11) & 255
        .set    n, n + 1
        .endr

        .bss
        .balign 64
target: .zero   1024
