/* How a workload of RISC-V begins and ends, on a machine without anything else, and as a program for
 * Linux (-DLINUX). Both are of the level that they are started at, use memory of their own alone, and
 * call `workload` once.
 *
 * On a machine it ends by a store of 1 to `tohost`, after which it stays at `finished`; the testbench
 * ends the simulation there. Where an exception comes it stays at `failed`. */

#include "riscv.h"

        .option norvc
        .text
        .globl  _start
_start:
#ifdef LINUX
        la      sp, stack
        call    workload
        andi    a0, a0, 1
        xori    a0, a0, 1               /* status 0: the sums are as they should be */
        li      a7, 93                  /* exit */
        ecall
#else
        j       begin
        .balign 256
        .globl  blocks
blocks: .zero   256                     /* in which traps are reported (docs/recorder.md): of none */
begin:  la      t0, failed
        csrw    mtvec, t0
        li      t0, 0x6600              /* floating point and vectors are there (FS, VS) */
        csrs    mstatus, t0
        la      sp, stack
        call    workload
        la      t0, tohost
        slli    a1, a0, 1               /* 1: passed; 3: the sums are not as they should be */
        xori    a1, a1, 3
        andi    a1, a1, 3
        ori     a1, a1, 1
        STORE   a1, 0(t0)
        .globl  finished
finished:
        j       finished
        .balign 4
        .globl  failed
failed: j       failed

        .section .tohost, "aw"
        .balign 64
        .globl  tohost
tohost: .zero   64
        .globl  fromhost
fromhost:
        .zero   64
#endif

        .section .bss
        .balign 16
        .zero   8192
stack:
