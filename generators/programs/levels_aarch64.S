/* A program for a bare AArch64 machine (QEMU's virt with virtualization=on,secure=on, GICv2), at all of
 * its levels. EL3 starts it, takes calls, and a secure interrupt (FIQ) that it makes pending at each of
 * them, so that it comes right after its return. EL2 takes hypercalls and reads of identification
 * registers, and an alignment fault of its own handler. EL1 makes page tables, and takes calls, data
 * aborts, undefined instructions, breakpoints, the interrupts of the virtual timer, and a data abort of
 * its own handler. It does not end: the recorder's limit ends it. As a workload (-DWORKLOAD,
 * docs/workloads.md) it does its work once, stores 1 to `tohost` and stays at `finished`; with -DSYNCHRONOUS
 * it needs neither timer nor interrupt controller.
 *
 * It tells the recorder what a plugin of QEMU cannot see (docs/recorder.md): SP_ELx is always the
 * address of the level's block, to which handlers store syndrome, return address, fault address,
 * number of the call and status first, and the status before they return. */

#define CAUSE   0
#define ADDRESS 8
#define VALUE   16
#define STATUS  24
#define RETURNS 32
#define CALL    48
#define SAVED   56
#define BLOCK   64
#define REGISTERS 256           /* after the blocks: two registers, ... */
#define FRAME     272           /* ... and what a handler saves before a fault of its own */

#define ROUNDS  40
#define TICKS   400             /* of the timer, between two interrupts */

#define GICD    0x08000000
#define GICC    0x08010000
#define TIMER   27              /* the interrupt of the virtual timer */

#define SECURE  0               /* a secure interrupt that software makes pending */

#define TOHOST  2048            /* in user_data */

#define SYNDROME_CLASS  26
#define CLASS_SVC       0x15
#define CLASS_HVC       0x16
#define CLASS_ABORT     0x24    /* of a lower level */

#define NOWHERE 0x90000000      /* not mapped */
#define USER    0x80000000      /* its pages: code, data, and one that is mapped on demand */

        .section .text
        .globl _start
_start: ldr     x0, =blocks + 3 * BLOCK
        mov     sp, x0
        ldr     x0, =monitor_vectors
        msr     vbar_el3, x0
        ldr     x0, =0x80800014         /* addresses of 44 bits */
        msr     tcr_el3, x0
        mov     x0, #0x535              /* lower levels: not secure, AArch64; HVC; FIQ comes here */
        msr     scr_el3, x0
#ifndef SYNCHRONOUS
        mov     x0, #GICD
        mov     w1, #~(1 << SECURE)
        str     w1, [x0, #0x80]         /* the other interrupts are not secure, */
        mov     w1, #0xa0
        strb    w1, [x0, #0x400 + TIMER] /* and come after it */
        mov     w1, #1 << SECURE
        str     w1, [x0, #0x100]
        mov     w1, #3
        str     w1, [x0]
        mov     x0, #GICC & 0xffff0000
        mov     w1, #0xff
        str     w1, [x0, #4]
        mov     w1, #0xb                /* both groups; secure interrupts are FIQ */
        str     w1, [x0]
#endif
        ldr     x0, =hypervisor
        msr     elr_el3, x0
        mov     x0, #0x3c9              /* to EL2, interrupts masked */
        msr     spsr_el3, x0
        str     x0, [sp, #RETURNS]
        eret

/* --- EL2 --- */

hypervisor:
        ldr     x0, =blocks + 2 * BLOCK
        mov     sp, x0
        ldr     x0, =hypervisor_vectors
        msr     vbar_el2, x0
        mov     x0, #0x80040000         /* EL1 is AArch64, and its reads of ID registers come here */
        msr     hcr_el2, x0
        mrs     x0, sctlr_el2
        orr     x0, x0, #2              /* alignment is checked */
        msr     sctlr_el2, x0
        msr     cntvoff_el2, xzr
        ldr     x0, =0x80800014
        msr     tcr_el2, x0
        ldr     x0, =kernel
        msr     elr_el2, x0
        mov     x0, #0x3c5              /* to EL1, interrupts masked */
        msr     spsr_el2, x0
        str     x0, [sp, #RETURNS]
        eret

/* --- EL1 --- */

kernel: ldr     x0, =blocks + BLOCK
        mov     sp, x0
        ldr     x0, =vectors
        msr     vbar_el1, x0
        ldr     x0, =first_table        /* a gigabyte of devices, and one of memory, of EL1 */
        mov     x1, #0x401
        movk    x1, #0x60, lsl #48
        str     x1, [x0]
        mov     x1, #0x40000000
        add     x1, x1, #0x705
        str     x1, [x0, #8]
        ldr     x1, =second_table
        orr     x1, x1, #3
        str     x1, [x0, #16]
        ldr     x1, =third_table
        ldr     x2, =second_table
        orr     x3, x1, #3
        str     x3, [x2]
        ldr     x2, =user               /* of EL0: read only, not executable by EL1 */
        mov     x3, #0x7c7
        movk    x3, #0x20, lsl #48
        orr     x2, x2, x3
        str     x2, [x1]
        ldr     x2, =user_data          /* of both, not executable */
        mov     x3, #0x747
        movk    x3, #0x60, lsl #48
        orr     x2, x2, x3
        str     x2, [x1, #8]
        msr     ttbr0_el1, x0
        mov     x0, #0xff04             /* attributes 0: device, 1: normal */
        msr     mair_el1, x0
        ldr     x0, =0x200993519        /* 39 bits, 4 KiB, cached; no second table base */
        msr     tcr_el1, x0
        dsb     sy
        isb
        mrs     x0, sctlr_el1
        mov     x1, #0x1005             /* the tables and the caches */
        orr     x0, x0, x1
        msr     sctlr_el1, x0
        isb
#ifndef SYNCHRONOUS
        mov     x0, #GICD
        mov     w1, #1
        str     w1, [x0]                /* the distributor forwards */
        mov     w1, #1 << TIMER
        str     w1, [x0, #0x100]        /* the timer's interrupt */
        mov     x0, #GICC & 0xffff0000
        mov     w1, #0xff
        str     w1, [x0, #4]            /* of every priority */
        mov     w1, #1
        str     w1, [x0]
        mov     x0, #TICKS
        msr     cntv_tval_el0, x0
        mov     x0, #1
        msr     cntv_ctl_el0, x0
#endif
        svc     #7                      /* a call within EL1 */
        mov     x0, #USER
        msr     elr_el1, x0
        msr     spsr_el1, xzr           /* to EL0, interrupts open */
        str     xzr, [sp, #RETURNS]
        eret

/* What each handler does first. Its vector branches to it, as those of most systems do. */
        .macro  tell level, then
        .balign 128
#ifndef WORKLOAD
        b       tell\@
        .balign 64
tell\@:
#endif
        str     x0, [sp, #SAVED]
        mrs     x0, esr_el\level
        str     x0, [sp, #CAUSE]
        mrs     x0, elr_el\level
        str     x0, [sp, #ADDRESS]
        mrs     x0, far_el\level
        str     x0, [sp, #VALUE]
        str     x8, [sp, #CALL]
        mrs     x0, spsr_el\level
        str     x0, [sp, #STATUS]
        b       \then
        .endm

/* The vectors of a level: from it with SP_EL0, from it, from a lower level, from AArch32. */
        .macro  vectors_of level, same, same_irq, synchronous, irq, fiq
        .rept   4
        tell    \level, stuck
        .endr
        tell    \level, \same
        tell    \level, \same_irq
        tell    \level, stuck
        tell    \level, stuck
        tell    \level, \synchronous
        tell    \level, \irq
        tell    \level, \fiq
        .rept   5
        tell    \level, stuck
        .endr
        .endm

/* How it returns, with the registers that it saved. */
        .macro  return level
        ldp     x1, x2, [sp, #REGISTERS]
        mrs     x0, spsr_el\level
        str     x0, [sp, #RETURNS]
        ldr     x0, [sp, #SAVED]
        eret
        .endm

/* Goes on after the instruction. */
        .macro  skip level
        mrs     x1, elr_el\level
        add     x1, x1, #4
        msr     elr_el\level, x1
        .endm

/* What a fault of the handler would overwrite. x0, x1 and x2 are free. */
        .macro  save level
        mrs     x1, elr_el\level
        mrs     x2, spsr_el\level
        stp     x1, x2, [sp, #FRAME]
        ldr     x0, [sp, #SAVED]
        ldp     x1, x2, [sp, #REGISTERS]
        stp     x0, x1, [sp, #FRAME + 16]
        str     x2, [sp, #FRAME + 32]
        .endm

        .macro  restore level
        ldr     x2, [sp, #FRAME + 32]
        ldp     x0, x1, [sp, #FRAME + 16]
        stp     x1, x2, [sp, #REGISTERS]
        str     x0, [sp, #SAVED]
        ldp     x1, x2, [sp, #FRAME]
        msr     spsr_el\level, x2
        msr     elr_el\level, x1
        .endm

        .balign 2048
vectors:
        vectors_of 1, synchronous, interrupt, synchronous, interrupt, stuck
        .balign 2048
hypervisor_vectors:
        vectors_of 2, of_hypervisor, stuck, of_hypervisor, stuck, stuck
        .balign 2048
monitor_vectors:
        vectors_of 3, stuck, stuck, of_monitor, stuck, secure_interrupt

stuck:  b       stuck

of_monitor:
        stp     x1, x2, [sp, #REGISTERS]
#ifndef SYNCHRONOUS
        mov     x1, #GICD
        mov     w2, #0x02000000 | SECURE /* for this processor */
        str     w2, [x1, #0xf00]
#endif
        return  3
secure_interrupt:
        stp     x1, x2, [sp, #REGISTERS]
        mov     x1, #GICC & 0xffff0000
        ldr     w2, [x1, #12]
        str     w2, [x1, #16]
        return  3

of_hypervisor:
        stp     x1, x2, [sp, #REGISTERS]
        ldr     x1, [sp, #CAUSE]
        lsr     x1, x1, #SYNDROME_CLASS
        cmp     x1, #CLASS_HVC
        b.eq    hypercall
        skip    2                       /* a read of an ID register, or the access below */
        return  2
hypercall:
        save    2
        add     x1, sp, #1
        ldr     x2, [x1]                /* not aligned */
        restore 2
        smc     #4
        return  2

interrupt:
        stp     x1, x2, [sp, #REGISTERS]
        mov     x0, #GICC & 0xffff0000
        ldr     w1, [x0, #12]           /* acknowledge it, */
        mov     x2, #TICKS
        msr     cntv_tval_el0, x2       /* set the next one, */
        isb
        str     w1, [x0, #16]           /* and end it */
        return  1

synchronous:
        stp     x1, x2, [sp, #REGISTERS]
        ldr     x1, [sp, #CAUSE]
        lsr     x1, x1, #SYNDROME_CLASS
        cmp     x1, #CLASS_SVC
        b.eq    call
        cmp     x1, #CLASS_ABORT
        b.eq    abort
        skip    1                       /* undefined, a breakpoint, or the access below */
        return  1
call:   save    1
        mov     x1, #NOWHERE
#ifdef WORKLOAD
        ldr     x2, [x1, #16]           /* a data abort */
#else
        ldr     x2, [x1]                /* a data abort at the first byte of a page */
#endif
        restore 1
        mrs     x1, id_aa64isar0_el1    /* EL2 takes it */
        tst     x8, #3                  /* sometimes the page that was mapped goes again */
        b.ne    back
        hvc     #3
        ldr     x1, =third_table
        str     xzr, [x1, #16]
        b       flush
abort:  ldr     x1, =third_table        /* map the page as user_data */
        ldr     x2, [x1, #8]
        str     x2, [x1, #16]
flush:  dsb     sy
        tlbi    vmalle1
        dsb     sy
        isb
back:   return  1

        .ltorg

/* --- EL0: this page is at USER, user_data after it --- */

        .balign 4096
user:   mov     x19, #ROUNDS
        mov     x20, #USER
        add     x20, x20, #0x1000
        add     x21, x20, #0x1000       /* mapped on demand */
round:  mov     x0, #50
        mov     x1, #0
1:      add     x2, x20, x0, lsl #3
        str     x1, [x2]
        ldr     x3, [x2]
        add     x1, x1, x3
        add     x1, x1, #7
        stp     x1, x3, [x20, #448]
        ldp     x4, x5, [x20, #448]
        ldrb    w4, [x2, #1]
        bl      3f
        subs    x0, x0, #1
        b.ne    1b
        ldr     x4, [x21, #16]          /* a data abort, if the page is not there */
        str     x1, [x21, #24]
        mov     x8, x19
        svc     #1
        .inst   0                       /* UDF */
        brk     #2
        subs    x19, x19, #1
        b.ne    round
#ifdef WORKLOAD
        mov     x0, #1
        str     x0, [x20, #TOHOST]
2:      b       2b
        .globl  finished
        .set    finished, USER + (2b - user)
#else
        b       user
#endif
3:      ret

        .section .data
        .balign 4096
user_data:
        .zero   TOHOST
        .globl  tohost
tohost: .zero   4096 - TOHOST
first_table:
        .zero   4096
second_table:
        .zero   4096
third_table:
        .zero   4096
        .globl  blocks
blocks: .zero   8 * BLOCK
