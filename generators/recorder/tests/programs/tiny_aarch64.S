// A program without a library whose accesses are known: the test looks for its words.
        .arch armv8.1-a
        .text
        .global _start
_start: adrp    x1, data
        add     x1, x1, :lo12:data
        mov     x4, #3
loop:   ldp     x2, x3, [x1]            // two reads of 8
        strb    w2, [x1, #16]           // a write of 1
        ldadd   x4, x5, [x1]            // a read and a write of 8
        ldxr    x2, [x1]                // a read of 8
        stxr    w6, x2, [x1]            // a write of 8
        bl      leaf
        sub     x4, x4, #1
        cbnz    x4, loop
        mov     x0, #1
        adrp    x1, text
        add     x1, x1, :lo12:text
        mov     x2, #6
        mov     x8, #64
        svc     #0
        mov     x0, #0
        mov     x8, #93
        svc     #0
leaf:   nop
        ret
        .section .rodata
text:   .ascii  "hello\n"
        .bss
        .balign 64
data:   .skip   64
