/* How a workload of AArch64 begins and ends, on a machine without anything else, at EL1, EL2 or EL3,
 * and as a program for Linux (-DLINUX). Both stay at the level that they are started at, use memory of
 * their own alone, and call `workload` once.
 *
 * On a machine the start maps the gigabyte that it lies in to itself, as normal memory, which
 * exclusive accesses need. It ends by a store of 1 to `tohost`, after which it stays at `finished`;
 * the testbench ends the simulation there. Where an exception comes it stays at `failed`. */
        .text
        .globl  _start
_start:
#ifdef LINUX
        adrp    x0, stack
        add     x0, x0, :lo12:stack
        mov     sp, x0
        bl      workload
        and     x0, x0, #1
        eor     x0, x0, #1              /* status 0: the sums are as they should be */
        mov     x8, #93                 /* exit */
        svc     #0
#else
        b       begin
        .balign 256
        .globl  blocks
blocks: .zero   512                     /* in which traps are reported (docs/recorder.md): of none */

/* x10: the entry of the tables, x11: its place */
        .macro  map level, tcr
        adr     x0, vectors
        msr     vbar_el\level, x0
        adrp    x0, table
        str     x10, [x0, x11, lsl #3]
        msr     ttbr0_el\level, x0
        mov     x1, #0xff04             /* attributes 0: device, 1: normal */
        msr     mair_el\level, x1
        ldr     x1, =\tcr               /* 39 bits, 4 KiB, cached */
        msr     tcr_el\level, x1
        dsb     sy
        isb
        mrs     x1, sctlr_el\level
        ldr     x2, =0xc8003005         /* tables, caches, pointer authentication */
        orr     x1, x1, x2
        msr     sctlr_el\level, x1
        isb
        b       mapped
        .endm

begin:  adr     x1, _start
        lsr     x11, x1, #30
        lsl     x10, x11, #30
        mov     x2, #0x705              /* a block of normal memory */
        orr     x10, x10, x2
        mrs     x0, CurrentEL
        cmp     x0, #8
        b.eq    at_el2
        b.hi    at_el3
        mov     x0, #0x300000           /* floating point and vectors are there */
        msr     cpacr_el1, x0
        map     1, 0x200993519
at_el2: mov     x0, #0x33ff
        msr     cptr_el2, x0
        map     2, 0x80823519
at_el3: msr     cptr_el3, xzr
        map     3, 0x80823519
mapped: adrp    x0, stack
        add     x0, x0, :lo12:stack
        mov     sp, x0
        bl      workload
        and     x0, x0, #1
        mov     x1, #3                  /* 1: passed; 3: the sums are not as they should be */
        sub     x1, x1, x0, lsl #1
        adrp    x2, tohost
        str     x1, [x2, :lo12:tohost]
        .globl  finished
finished:
        b       finished
        .ltorg

        .balign 2048
        .globl  failed
failed:
vectors:
        .rept   16
        .balign 128
        b       .
        .endr

        .section .tohost, "aw"
        .balign 64
        .globl  tohost
tohost: .zero   128

        .section .bss
        .balign 4096
table:  .zero   4096
#endif

        .section .bss
        .balign 16
        .zero   8192
stack:
