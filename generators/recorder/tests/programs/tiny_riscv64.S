# A program without a library whose accesses are known: the test looks for its words.
        .text
        .global _start
_start: .option push
        .option norelax
        lla     s1, data
        .option pop
        li      s0, 3
loop:   ld      a2, 0(s1)               # a read of 8
        .option push
        .option norvc
        sb      a2, 16(s1)              # a write of 1
        .option pop
        amoadd.d a3, a2, (s1)           # a read and a write of 8
        lr.d    a2, (s1)                # a read of 8
        sc.d    a3, a2, (s1)            # a write of 8
        call    leaf
        addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 1
        lla     a1, text
        li      a2, 6
        li      a7, 64
        ecall
        li      a0, 0
        li      a7, 93
        ecall
leaf:   nop
        ret
        .section .rodata
text:   .ascii  "hello\n"
        .bss
        .balign 64
data:   .skip   64
