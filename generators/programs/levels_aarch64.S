/* A program for a bare AArch64 machine (QEMU's virt, GICv2), at EL1 and EL0: EL1 makes page tables,
 * and takes calls, data aborts, undefined instructions, breakpoints and the interrupts of the virtual
 * timer. It does not end: the recorder's limit ends it.
 *
 * It tells the recorder what a plugin of QEMU cannot see (docs/recorder.md): SP_EL1 is always the
 * address of its block, to which handlers store syndrome, return address, fault address, number of
 * the call and status first, and the status before they return. No handler is interrupted. */

#define CAUSE   0
#define ADDRESS 8
#define VALUE   16
#define STATUS  24
#define RETURNS 32
#define CALL    48
#define SAVED   56
#define BLOCK   64

#define ROUNDS  40
#define TICKS   400             /* of the timer, between two interrupts */

#define GICD    0x08000000
#define GICC    0x08010000
#define TIMER   27              /* the interrupt of the virtual timer */

#define USER    0x80000000      /* its pages: code, data, and one that is mapped on demand */

        .section .text
        .globl _start
_start: ldr     x0, =blocks + BLOCK
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
        ldr     x0, =0x200803519        /* 39 bits, 4 KiB, cached; no second table base */
        msr     tcr_el1, x0
        dsb     sy
        isb
        mrs     x0, sctlr_el1
        mov     x1, #0x1005             /* the tables and the caches */
        orr     x0, x0, x1
        msr     sctlr_el1, x0
        isb
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
        svc     #7                      /* a call within EL1 */
        mov     x0, #USER
        msr     elr_el1, x0
        msr     spsr_el1, xzr           /* to EL0, interrupts open */
        str     xzr, [sp, #RETURNS]
        eret

/* What each handler does first. */
        .macro  tell then
        .balign 128
        str     x0, [sp, #SAVED]
        mrs     x0, esr_el1
        str     x0, [sp, #CAUSE]
        mrs     x0, elr_el1
        str     x0, [sp, #ADDRESS]
        mrs     x0, far_el1
        str     x0, [sp, #VALUE]
        str     x8, [sp, #CALL]
        mrs     x0, spsr_el1
        str     x0, [sp, #STATUS]
        b       \then
        .endm

        .balign 2048
vectors:
        tell    stuck                   /* from EL1 with SP_EL0 */
        tell    stuck
        tell    stuck
        tell    stuck
        tell    synchronous             /* from EL1 */
        tell    interrupt
        tell    stuck
        tell    stuck
        tell    synchronous             /* from EL0 */
        tell    interrupt
        tell    stuck
        tell    stuck
        tell    stuck                   /* from AArch32 */
        tell    stuck
        tell    stuck
        tell    stuck

stuck:  b       stuck

interrupt:
        stp     x1, x2, [sp, #BLOCK]
        mov     x0, #GICC & 0xffff0000
        ldr     w1, [x0, #12]           /* acknowledge it, */
        mov     x2, #TICKS
        msr     cntv_tval_el0, x2       /* set the next one, */
        isb
        str     w1, [x0, #16]           /* and end it */
        b       back

synchronous:
        stp     x1, x2, [sp, #BLOCK]
        ldr     x1, [sp, #CAUSE]
        lsr     x1, x1, #26
        cmp     x1, #0x15
        b.eq    call
        cmp     x1, #0x24
        b.eq    abort
        mrs     x1, elr_el1             /* undefined, or a breakpoint: go on after it */
        add     x1, x1, #4
        msr     elr_el1, x1
        b       back
call:   tst     x8, #3                  /* sometimes the page that was mapped goes again */
        b.ne    back
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
back:   ldp     x1, x2, [sp, #BLOCK]
        mrs     x0, spsr_el1
        str     x0, [sp, #RETURNS]
        ldr     x0, [sp, #SAVED]
        eret

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
        b       user
3:      ret

        .section .data
        .balign 4096
user_data:
        .zero   4096
first_table:
        .zero   4096
second_table:
        .zero   4096
third_table:
        .zero   4096
        .globl  blocks
blocks: .zero   4 * BLOCK
