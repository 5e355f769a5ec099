/* A program for a bare RV64 machine (QEMU's virt), at all of its levels: machine mode starts it and
 * takes calls of the supervisor; supervisor mode has page tables (Sv39), and takes timer interrupts,
 * and page faults, calls and illegal instructions of user mode. No handler is interrupted. It does not end: the recorder's limit
 * ends it.
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
        csrw    mie, t0
        li      t0, -1                  /* all of memory is open to S and U */
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
        li      t0, 1                   /* the timer is that of STIMECMP (Sstc) */
        slli    t0, t0, 63
        csrs    MENVCFG, t0
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
        csrr    t0, mepc                /* a call of the supervisor: go on after it */
        addi    t0, t0, 4
        csrw    mepc, t0
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
        ori     t3, t3, 0xd7            /* D A U W R V: 0x11000 is user_data */
        sd      t3, 17*8(t2)
        srli    t0, t0, 12
        li      t1, 8
        slli    t1, t1, 60
        or      t0, t0, t1
        sd      t0, ROOT(sp)
        csrw    satp, t0
        sfence.vma
        csrw    STIMECMP, zero
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
        li      t3, 8
        beq     t2, t3, call_of_user
        li      t3, 2
        beq     t2, t3, skip
        ld      t2, VALUE(sp)           /* a page fault: map the page there, as user_data */
        srli    t2, t2, 12
        andi    t2, t2, 0x1f
        slli    t2, t2, 3
        la      t3, last_table
        add     t3, t3, t2
        la      t2, user_data
        srli    t2, t2, 2
        ori     t2, t2, 0xdf
        sd      t2, 0(t3)
        sfence.vma
        j       back
timer:  rdtime  t2                      /* again in some thousand instructions */
        addi    t2, t2, 37
        csrw    STIMECMP, t2
        j       back
call_of_user:
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
user:   li      s0, ROUNDS
        li      s1, 0x11000
        li      s2, 0x12000             /* two pages that are mapped on demand */
        li      s3, 0x13000
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
        ld      t2, 16(s2)              /* a page fault, if the page is not there */
        add     t1, t1, t2
        sd      t1, 24(s3)
        amoadd.d t2, t1, (s2)
        mv      a7, s0
        ecall
        .word   0                       /* illegal, in all of RISC-V */
        .balign 4
        addi    s0, s0, -1
        bnez    s0, round
        li      a7, 0
        ecall
        j       user

        .section .data
        .balign 4096
user_data:
        .zero   4096
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
