/* What the workloads of RISC-V share: words of XLEN, and the sums that they have in the end. */
#if __riscv_xlen == 64
#define LOAD       ld
#define STORE      sd
#define ADDRESS    .dword
#define WORD       8
#define WORD_SHIFT 3
#define MEMORY_SUM 0x10aa43e3940aad60
#else
#define LOAD       lw
#define STORE      sw
#define ADDRESS    .word
#define WORD       4
#define WORD_SHIFT 2
#define MEMORY_SUM 0x1bfbc6a5
#endif

/* Compressed instructions where the instruction set has them. */
#ifdef __riscv_compressed
#define COMPRESSED .option rvc
#else
#define COMPRESSED
#endif

#define SKIPPED     4 /* bytes of an addition that a function returns behind */
#define FLOW_SUM    0x62dc
#define VECTORS_SUM 0x2a6
