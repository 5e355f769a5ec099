/* The machine of the model: a PE, its programs, and the instruction that it executes. Each file
 * model_*.c is a part of it. */
#ifndef ASSAY_GENERATORS_ASTF_MODEL_MACHINE_H
#define ASSAY_GENERATORS_ASTF_MODEL_MACHINE_H

#include "astf/astf.h"
#include "common/random.h"
#include "generators/astf/model.h"
#include "isa/a64.h"

enum {
    MODEL_PAGE = 4096,
    MODEL_PROGRAM_WORDS = 1024, /* of a program; above EL0 the first half is the vector table */
    MODEL_VECTOR_WORDS = 512,
    MODEL_SLOT_WORDS = 32, /* of one vector */
    MODEL_DATA_PAGES = 16,
    MODEL_PROCESSES = 4, /* the last one runs in Secure state */
    MODEL_PROGRAMS = MODEL_PROCESSES + 5,
    MODEL_FRAMES = 8,
    MODEL_FIRST_SELECTOR = 8, /* register */
    MODEL_SELECTORS = 8,
    MODEL_ELEMENTS = 256, /* of the longest vector: 2,048 bits of bytes */
    MODEL_ACCESSES = MODEL_ELEMENTS + 16,
};

/* Exception types as trap_type has them, and classes as ESR_ELx.EC has them. */
enum { MODEL_SYNC, MODEL_SERROR, MODEL_IRQ, MODEL_FIQ, MODEL_ERET, MODEL_RESET };
enum {
    MODEL_EC_UNKNOWN = 0x00,
    MODEL_EC_WFX = 0x01,
    MODEL_EC_FP = 0x07,
    MODEL_EC_LS64 = 0x0a,
    MODEL_EC_BTI = 0x0d,
    MODEL_EC_ILLEGAL_STATE = 0x0e,
    MODEL_EC_SVC_32 = 0x11,
    MODEL_EC_SVC = 0x15,
    MODEL_EC_SYSTEM = 0x18,
    MODEL_EC_SVE = 0x19,
    MODEL_EC_ERET = 0x1a,
    MODEL_EC_PAC = 0x1c,
    MODEL_EC_SME = 0x1d,
    MODEL_EC_FETCH = 0x20, /* of a lower level; of the same one: 1 more */
    MODEL_EC_PC = 0x22,
    MODEL_EC_DATA = 0x24, /* as MODEL_EC_FETCH */
    MODEL_EC_SP = 0x26,
    MODEL_EC_MOPS = 0x27,
    MODEL_EC_SERROR = 0x2f,
    MODEL_EC_BRK = 0x3c,
};

/* Extensions that a machine has or lacks. */
enum {
    MODEL_SVE = 1,
    MODEL_SME = 2,
    MODEL_MTE = 4, /* the instructions; `mte` of the machine says how much more */
    MODEL_MOPS = 8,
    MODEL_LS64 = 16,
    MODEL_DIT = 32,
    MODEL_SSBS = 64,
};

struct model;

/* A template of an instruction: its word, and what the machine does. */
struct model_template {
    uint32_t word;
    uint32_t vary;        /* bits of the word that may be anything */
    uint32_t again;       /* if not 0, two are put in a row, which may differ in these bits */
    uint8_t class;        /* enum a64_class that the word has */
    uint8_t el;           /* the lowest level at which it is defined */
    uint8_t needs;        /* extensions */
    uint8_t weight;       /* how often it is chosen; 0: once */
    uint8_t bytes;        /* of an access: of each register or block */
    uint8_t count;        /* of an access: registers; 0: one */
    uint8_t log2;         /* of a vector access: bytes of an element in memory */
    uint8_t element_log2; /* the same in the vector; or what ZA is indexed by */
    uint16_t how;         /* enum model_how */
    void (*run)(struct model *m);
};

extern const struct model_template model_templates[];
extern const unsigned model_template_count;

/* What an access does and is. */
enum model_how {
    MODEL_READS = 1,
    MODEL_WRITES = 2,
    MODEL_CHECKED = 4,    /* tags are checked where memory has them */
    MODEL_ALIGNED = 8,    /* the address is a multiple of the size */
    MODEL_FIRST = 16,     /* vectors: only the first element can fault */
    MODEL_NEVER = 32,     /* vectors: no element can fault */
    MODEL_GATHER = 64,    /* vectors: an address for each element */
    MODEL_TAGS = 128,     /* tags are loaded or stored */
    MODEL_ANY_BASE = 256, /* tags are checked also where the base is SP */
};

struct model_access {
    uint64_t address;
    uint64_t size;
    bool read, write, tagged;
    bool range; /* of a size that a register gives */
    bool whole; /* is not merged with others: an access that faulted */
};

/* The instruction that is executed. */
struct model_step {
    const struct model_template *template;
    uint64_t pc, next;
    uint32_t word;
    uint64_t info;
    bool taken; /* a branch to `next` */
    bool za;    /* `index` is one into ZA */
    uint8_t index;
    bool trap; /* it took the exception that follows */
    uint8_t ec;
    uint8_t syscall;
    uint8_t to;       /* the level that takes it, at the least */
    uint64_t resume;  /* where its handler returns to */
    bool returns;     /* from an exception */
    bool waits;       /* the PE may suspend */
    bool halts;       /* the PE enters Debug state */
    bool data_unseen; /* its reads and writes are of tags, which a recorder does not see */
    unsigned count;
    struct model_access access[MODEL_ACCESSES];
};

/* A memory copy or set that is under way. */
struct model_copy {
    uint64_t next_pc; /* of its next instruction; 0: there is none */
    uint64_t from, to, left;
};

/* What an exception and its handler save, and a return restores. */
struct model_state {
    uint64_t pc;
    uint8_t el;
    uint8_t process; /* at EL0 */
    bool secure, handler, dit, ssbs, tco;
    bool masked;  /* interrupts that this level would take */
    bool sm, za;  /* level Basic: what software restores that no exception saves */
    bool aarch32; /* a mode that a trace does not show */
    struct model_copy copy;
    uint16_t selector[MODEL_SELECTORS]; /* W8 to W15, by which ZA is indexed */
};

struct model_code {
    uint32_t word;
    uint16_t template; /* number of its template and one; 0: not written yet */
};

struct model_program {
    uint64_t base;
    struct model_code code[MODEL_PROGRAM_WORDS];
};

struct model_process {
    uint64_t pid, tid;
    struct model_state state; /* when it was left */
};

struct model_record;

struct model {
    const struct astf_model_options *options;
    uint64_t random;
    struct model_record *record;
    /* The platform. */
    unsigned extensions;
    unsigned mte; /* 0, or the number in FEAT_MTE, FEAT_MTE2, FEAT_MTE3 */
    unsigned address_bits;
    bool host; /* EL2 has two address ranges: HCR_EL2.E2H */
    uint64_t zva_bytes;
    unsigned processes; /* that run in Non-secure state */
    bool knows_pid, knows_tid;
    struct model_process process[MODEL_PROCESSES];
    struct model_program program[MODEL_PROGRAMS];
    uint8_t dssbs; /* a bit for each level: SSBS of its handlers */
    /* The PE. */
    struct model_state now;
    bool sm, za;
    uint8_t vl[4], svl[4]; /* ZCR_ELx.LEN and SMCR_ELx.LEN; EL0 has those of EL1 */
    uint8_t tcf[4];        /* SCTLR_ELx.TCF, or TCF0 of SCTLR_EL1 */
    bool exclusive;        /* the monitor is armed */
    uint64_t exclusive_address;
    unsigned exclusive_size;
    bool landed; /* an indirect branch led here */
    uint64_t link;
    unsigned frames;
    struct model_state frame[MODEL_FRAMES];
    uint64_t ticks;    /* sixteenths of a microsecond */
    bool last_trapped; /* the last instruction took an exception */
    struct model_step step;
    uint64_t element[MODEL_ELEMENTS]; /* addresses of a vector's active elements */
};

static inline uint64_t model_draw(struct model *m, uint64_t limit)
{
    return assay_random_below(&m->random, limit);
}

static inline bool model_chance(struct model *m, uint64_t times)
{
    return assay_random_once_in(&m->random, times);
}

/* model_program.c: the program that runs in a state, and the code at an address of it, which is
 * written when execution first comes there. */
struct model_program *model_program_of(struct model *m, const struct model_state *state);
const struct model_code *model_fetch(struct model *m);
/* An address in the code of the current program. */
uint64_t model_any_address(struct model *m);

/* model_platform.c: draws the platform and the state that the trace begins in; its facts. */
void model_begin(struct model *m);
void model_reset(struct model *m);
void model_write_facts(const struct model *m, struct assay_sink *sink);
/* Vector lengths in effect, in bytes. */
unsigned model_vector_bytes(const struct model *m);
unsigned model_streaming_bytes(const struct model *m);
unsigned model_tcf(const struct model *m);

/* model_exception.c */
struct model_cause {
    uint8_t type, ec, syscall, to;
    bool is_virtual;
    uint16_t index;
};

/* The instruction takes a synchronous exception; its handler returns to `resume`. */
void model_raise(struct model *m, uint8_t ec, uint64_t resume);
void model_take(struct model *m, const struct model_cause *cause);
void model_take_step(struct model *m);
void model_return(struct model *m);
void model_debug(struct model *m);
/* An event that is not an instruction's, perhaps; true when there was one. */
bool model_event(struct model *m);

/* model_access.c: the accesses of an instruction. */
uint64_t model_data(struct model *m, uint64_t size, bool aligned);
bool model_tagged(const struct model *m, uint64_t address);
/* Whether the instruction's accesses are Tag Checked where memory has tags. */
bool model_checks(const struct model *m, unsigned how);
void model_touch(struct model *m, uint64_t address, uint64_t size, unsigned how);
void model_fault(struct model *m, uint64_t address, uint64_t size, unsigned how);
/* Accesses at the first `count` addresses of m->element. */
void model_touch_each(struct model *m, unsigned count, uint64_t size, unsigned how);

/* What templates do: model_access.c ... */
void model_run_access(struct model *m);
void model_run_literal(struct model *m);
void model_run_exclusive_load(struct model *m);
void model_run_exclusive_store(struct model *m);
void model_run_compare_and_swap(struct model *m);
void model_run_conditional_store(struct model *m);
void model_run_address(struct model *m);
void model_run_prefetch(struct model *m);
void model_run_block(struct model *m);
void model_run_tags(struct model *m);
void model_run_tagged_store(struct model *m);
/* ... model_copy.c ... */
void model_run_copy(struct model *m);
void model_run_range(struct model *m);
/* ... model_vector.c ... */
void model_run_vector(struct model *m);
void model_run_replicate(struct model *m);
void model_run_spill(struct model *m);
void model_run_vector_prefetch(struct model *m);
void model_run_za(struct model *m);
void model_run_slice(struct model *m);
void model_run_zt0(struct model *m);
void model_run_za_index(struct model *m);
void model_run_za_group(struct model *m);
void model_run_streaming(struct model *m);
/* ... model_branch.c ... */
void model_run_branch(struct model *m);
void model_run_indirect(struct model *m);
void model_run_authenticated(struct model *m);
/* ... model_system.c */
void model_run_plain(struct model *m);
void model_run_compute(struct model *m);
void model_run_simd(struct model *m);
void model_run_call(struct model *m);
void model_run_undefined(struct model *m);
void model_run_breakpoint(struct model *m);
void model_run_halt(struct model *m);
void model_run_wait(struct model *m);
void model_run_return(struct model *m);
void model_run_clear_exclusive(struct model *m);
void model_run_pstate(struct model *m);
void model_run_register(struct model *m);
void model_run_authenticate(struct model *m);

/* model_record.c: what is written of it. */
enum assay_error model_record_open(struct model *m, struct assay_sink *trace,
                                   struct assay_sink *execution, struct assay_generated *generated,
                                   struct assay_diag *diag);
enum assay_error model_record_close(struct model_record *r);
enum assay_error model_record_error(const struct model_record *r);
/* Before an instruction is executed, and after it. */
void model_record_before(struct model *m);
void model_record_step(struct model *m);
void model_record_trap(struct model *m, const struct model_cause *cause, uint64_t target);
void model_record_unsupported(struct model *m, uint64_t ticks);
void model_record_resumed(struct model *m);
void model_record_note(struct model *m);

#endif
