/* A program for a bare RV64 machine (QEMU's virt), at all of its levels: machine mode starts it, and
 * takes calls of the supervisor, and what is not delegated: misaligned accesses, access faults,
 * breakpoints, software interrupts. Supervisor mode has page tables (Sv39; pages of 4 KiB, 2 MiB and
 * 1 GiB), and takes timer interrupts, and page faults of loads, stores and fetches, calls and illegal
 * instructions of user mode; its handler faults itself, and calls machine mode. It does not end: the
 * recorder's limit ends it. As a workload (-DWORKLOAD, docs/workloads.md) it does its work once, stores 1
 * to `tohost` and stays at `finished`; with -DSYNCHRONOUS it needs no timer.
 *
 * It tells the recorder what a plugin of QEMU cannot see (docs/recorder.md): the block of a level has
 * cause, return address, value, number of the call and status of its last trap, stored by its
 * handler's first instructions, the status that its next return goes by, and what satp is written
 * with. */

#define CAUSE   0
#define EPC     8
#define VALUE   16
#define STATUS  24
#define RETURNS 32
#define ROOT    40
#define CALL    48
#define SAVED   56
#define BLOCK   64

#define ROUNDS  40

#define SOFTWARE          2     /* the bit of its interrupt */
#define INST_ACCESS_FAULT 1
#define ILLEGAL           2
#define USER_CALL         8
#define SUPERVISOR_CALL   9
#define INST_PAGE_FAULT   12

#define EVERYTHING 0xd7         /* of a leaf: D A U W R V */
#define UNUSED     0x17         /* the same, but neither accessed nor dirty */

#define NOWHERE    0x2000000000
#define LARGE      0x80200000

#define TOHOST     2040         /* in user_data */

#define MENVCFG  0x30a
#define STIMECMP 0x14d

        .option nopic
        .section .text
        .globl _start
_start: la      sp, blocks + 3 * BLOCK
        csrw    mscratch, sp
        la      t0, machine_trap
        csrw    mtvec, t0
        li      t0, 0xb104              /* illegal instructions, calls of U and page faults */
        csrw    medeleg, t0
        li      t0, 0x20                /* and the timer's interrupts */
        csrw    mideleg, t0
        li      t0, 0x22                /* software interrupts are not delegated */
        csrw    mie, t0
        li      t0, -1                  /* all of memory is open to S and U */
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
#ifndef SYNCHRONOUS
        li      t0, 1                   /* the timer is that of STIMECMP (Sstc) */
        slli    t0, t0, 63
        csrs    MENVCFG, t0
#endif
        li      t0, 2                   /* S may read the time */
        csrw    mcounteren, t0
        la      t0, supervisor
        csrw    mepc, t0
        li      t0, 0x1800
        csrc    mstatus, t0
        li      t0, 0x0880              /* return to S, with interrupts of M */
        csrs    mstatus, t0
        csrr    t0, mstatus
        sd      t0, RETURNS(sp)
        mret

/* --- machine mode --- */

        .balign 64
machine_trap:
        csrrw   sp, mscratch, sp
        sd      t0, SAVED(sp)
        csrr    t0, mcause
        sd      t0, CAUSE(sp)
        csrr    t0, mepc
        sd      t0, EPC(sp)
        csrr    t0, mtval
        sd      t0, VALUE(sp)
        sd      a7, CALL(sp)
        csrr    t0, mstatus
        sd      t0, STATUS(sp)
        ld      t0, CAUSE(sp)
        bltz    t0, software
        addi    t0, t0, -INST_ACCESS_FAULT
        beqz    t0, to_caller
        addi    t0, t0, INST_ACCESS_FAULT - SUPERVISOR_CALL
        bnez    t0, after
        csrsi   mip, SOFTWARE           /* it comes as soon as this handler returns */
after:  csrr    t0, mepc                /* go on after the instruction */
        addi    t0, t0, 4
        csrw    mepc, t0
        j       leave
software:
        csrci   mip, SOFTWARE
        j       leave
to_caller:
        csrw    mepc, ra
leave:
        csrr    t0, mstatus
        sd      t0, RETURNS(sp)
        ld      t0, SAVED(sp)
        csrrw   sp, mscratch, sp
        mret

/* --- supervisor mode --- */

supervisor:
        la      sp, blocks + 1 * BLOCK
        csrw    sscratch, sp
        la      t0, supervisor_trap
        csrw    stvec, t0
        la      t0, root_table          /* the tables, which need addresses of 44 bits */
        la      t1, middle_table
        srli    t2, t1, 2
        ori     t2, t2, 1
        sd      t2, 0(t0)
        li      t2, 0x200000cf          /* a gigabyte from 0x80000000 on, for S */
        sd      t2, 16(t0)
        la      t2, last_table
        srli    t3, t2, 2
        ori     t3, t3, 1
        sd      t3, 0(t1)
        la      t3, user
        srli    t3, t3, 2
        ori     t3, t3, 0xdb            /* D A U X R V: 0x10000 is user */
        sd      t3, 16*8(t2)
        la      t3, user_data
        srli    t3, t3, 2
        ori     t3, t3, EVERYTHING      /* 0x11000 is user_data */
        sd      t3, 17*8(t2)
        li      t3, NOWHERE             /* 0x15000: there is no memory */
        srli    t3, t3, 2
        ori     t3, t3, 0xdf
        sd      t3, 21*8(t2)
        li      t3, LARGE               /* 2 MiB at 0x200000 */
        srli    t3, t3, 2
        ori     t3, t3, EVERYTHING
        sd      t3, 8(t1)
        srli    t0, t0, 12
        li      t1, 8
        slli    t1, t1, 60
        or      t0, t0, t1
        sd      t0, ROOT(sp)
        csrw    satp, t0
        sfence.vma
#ifndef SYNCHRONOUS
        csrw    STIMECMP, zero
#endif
        li      a7, 1                   /* a call of machine mode */
        ecall
        li      t0, 0x10000
        csrw    sepc, t0
        li      t0, 0x100
        csrc    sstatus, t0
        csrr    t0, sstatus
        sd      t0, RETURNS(sp)
        sret

        .balign 64
supervisor_trap:
        csrrw   sp, sscratch, sp
        sd      t0, SAVED(sp)
        csrr    t0, scause
        sd      t0, CAUSE(sp)
        csrr    t0, sepc
        sd      t0, EPC(sp)
        csrr    t0, stval
        sd      t0, VALUE(sp)
        sd      a7, CALL(sp)
        csrr    t0, sstatus
        sd      t0, STATUS(sp)
        la      t0, supervisor_registers
        sd      t2, 0(t0)
        sd      t3, 8(t0)
        ld      t2, CAUSE(sp)
        bltz    t2, timer
        li      t3, USER_CALL
        beq     t2, t3, call_of_user
        li      t3, ILLEGAL
        beq     t2, t3, skip
        li      t3, INST_PAGE_FAULT
        beq     t2, t3, not_there
        ld      t2, STATUS(sp)
        andi    t2, t2, 0x100
        bnez    t2, nested
        ld      t2, VALUE(sp)           /* a page fault of the user: map the page, as user_data
                                           and as the page after it by turns */
        srli    t2, t2, 12
        andi    t2, t2, 0x1f
        slli    t2, t2, 3
        la      t3, last_table
        add     t3, t3, t2
        la      t0, turn
        ld      t2, 0(t0)
        addi    t2, t2, 1
        sd      t2, 0(t0)
        andi    t2, t2, 2
        slli    t2, t2, 11
        la      t0, user_data
        add     t2, t2, t0
        srli    t2, t2, 2
        ori     t2, t2, UNUSED
        sd      t2, 0(t3)
        sfence.vma
        j       back
timer:
#ifndef SYNCHRONOUS
        rdtime  t2                      /* again in some thousand instructions */
        addi    t2, t2, 37
        csrw    STIMECMP, t2
#endif
        j       back
not_there:
        csrw    sepc, ra                /* a call of what is not there: return from it */
        j       back
nested: csrr    t2, sepc                /* a page fault of the handler below: go on after it */
        addi    t2, t2, 4
        csrw    sepc, t2
        j       back
call_of_user:
        la      t0, frame               /* a fault inside of the handler, which uses the same block */
        csrr    t2, sepc
        sd      t2, 0(t0)
        csrr    t2, sstatus
        sd      t2, 8(t0)
        csrrw   t2, sscratch, sp
        sd      t2, 16(t0)
        ld      t2, SAVED(sp)
        sd      t2, 24(t0)
        la      t3, supervisor_registers
        ld      t2, 0(t3)
        sd      t2, 32(t0)
        ld      t2, 8(t3)
        sd      t2, 40(t0)
        li      t2, 0x16000             /* nothing is mapped there */
        ld      zero, 0(t2)
        ld      t2, 40(t0)
        sd      t2, 8(t3)
        ld      t2, 32(t0)
        sd      t2, 0(t3)
        ld      t2, 24(t0)
        sd      t2, SAVED(sp)
        ld      t2, 16(t0)
        csrw    sscratch, t2
        ld      t2, 8(t0)
        csrw    sstatus, t2
        ld      t2, 0(t0)
        csrw    sepc, t2
        bnez    a7, skip
        ecall                           /* a call of machine mode inside of a handler */
skip:   csrr    t2, sepc
        addi    t2, t2, 4
        csrw    sepc, t2
        andi    t2, a7, 3               /* sometimes the page that was mapped goes again */
        bnez    t2, back
        la      t2, last_table
        sd      zero, 18*8(t2)
        sd      zero, 19*8(t2)
        sfence.vma
back:   la      t0, supervisor_registers
        ld      t2, 0(t0)
        ld      t3, 8(t0)
        csrr    t0, sstatus
        sd      t0, RETURNS(sp)
        ld      t0, SAVED(sp)
        csrrw   sp, sscratch, sp
        sret

/* --- user mode: this page is at 0x10000, user_data at 0x11000 --- */

        .balign 4096
        .option norelax                 /* so that distances are known */
user:   li      s0, ROUNDS
        li      s1, 0x11000
        li      s2, 0x12000             /* two pages that are mapped on demand */
        li      s3, 0x13000
        li      s4, 0x12ffc             /* an access to both */
        li      s5, 0x15000             /* without memory */
        li      s6, 0x14000             /* not mapped */
        li      s7, 0x200000            /* a large page */
round:  li      t0, 50
        li      t1, 0
1:      slli    t2, t0, 3
        add     t2, t2, s1
        sd      t1, 0(t2)
        ld      t3, 0(t2)
        add     t1, t1, t3
        addi    t1, t1, 7
        sb      t1, 512(t2)
        lbu     t3, 512(t2)
        addi    t0, t0, -1
        bnez    t0, 1b
        ld      t2, 0(s4)               /* two page faults, and then two walks */
        ld      t2, 16(s2)              /* a page fault, if the page is not there */
        add     t1, t1, t2
        sd      t1, 24(s3)
        amoadd.d t2, t1, (s2)
        sd      t2, 32(s7)
        ld      t2, 32(s7)
        lr.d    t3, (s4)                /* misaligned; of an AMO QEMU says that it is a load */
        ld      t3, 8(s5)               /* access faults */
        sd      t2, 16(s5)
        jalr    s5
        jalr    s6                      /* a page fault of a fetch */
        .word   0x00100073              /* a breakpoint */
        mv      a7, s0
        ecall
        .word   0                       /* illegal, in all of RISC-V */
        .balign 4
        addi    s0, s0, -1
        bnez    s0, round
        li      a7, 0
        ecall
#ifdef WORKLOAD
        li      t0, 1
        sd      t0, TOHOST(s1)
1:      j       1b
        .globl  finished
        .set    finished, 0x10000 + (1b - user)
#else
        j       user
#endif

        .section .data
        .balign 4096
user_data:
        .zero   TOHOST
        .globl  tohost
tohost: .zero   2 * 4096 - TOHOST
root_table:
        .zero   4096
middle_table:
        .zero   4096
last_table:
        .zero   4096
        .balign 64
        .globl  blocks
blocks: .zero   4 * BLOCK
supervisor_registers:
        .zero   16
frame:  .zero   48
turn:   .zero   8
