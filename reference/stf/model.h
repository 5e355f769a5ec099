/* The state that the records of a trace build up: the open group, the expected address of the next
 * instruction, known registers and pages. The model computes the derived fields of layout.def; the
 * rules state what they must be. */
#ifndef ASSAY_STF_MODEL_H
#define ASSAY_STF_MODEL_H

#include "isa/rv.h"
#include "stf/effects.h"
#include "stf/results.h"
#include "stf/stf.h"
#include "stf/tables.h"
#include "stf/vectors.h"
#include "stf/walk.h"

/* An instruction word, classified. */
struct stf_word {
    uint32_t word;
    uint32_t isa; /* enum rv_isa plus 1; 0: the entry is empty */
    uint64_t info;
    uint64_t target;         /* of a direct transfer: where it goes from address 0, ... */
    bool absolute;           /* ... and from everywhere */
    bool ambiguous, twofold; /* stf_word_ambiguous, stf_word_twofold */
    /* For the fast path (fast_path.h), if the word may take it: */
    uint64_t fast_key; /* the key of the entry; 0: the word may not take the fast path */
    uint64_t fast_flags, fast_event, fast_effects; /* parts of the cells of pc_known, event and
                                                         effects_known */
    struct rv_registers registers;
};

enum { STF_WORD_CACHE_LOG2 = 13, STF_WORD_CACHE = 1 << STF_WORD_CACHE_LOG2 };

enum { STF_TOUCHED = 64 };

/* The records of the group that is open, as far as its encoding record needs them. */
struct stf_group {
    /* members that a simple group needs */
    uint64_t pc_target;      /* the last INST_PC_TARGET */
    uint64_t access_address; /* of the first access */
    uint64_t content[2];     /* the first content of each of the first two accesses */
    struct stf_moves moves;  /* accesses of the instruction */
    uint8_t contents_known;  /* a bit for each of these contents */
    uint8_t first_type;      /* of the first access */
    uint16_t first_size;
    uint64_t access_totals; /* accesses, read_bytes and written_bytes, as in the cell of an
                               instruction */
    /* members that other groups need, too */
    uint64_t event_target; /* the last EVENT_PC_TARGET */
    uint64_t forced_pc;
    uint8_t event, event_fields; /* the last event that is no change of mode */
    uint64_t event_field[3];
    bool mode_pending;
    uint8_t mode; /* of the last change of mode */
    bool ids_changed, asid_changed, satp_recorded;
    uint8_t satp_levels;                  /* of its translation mode, if satp_recorded */
    struct stf_moves bus;                 /* accesses of other masters */
    uint64_t ready;                       /* numbers of INST_READY_REG; bit 63 for those above 62 */
    uint32_t sources[2], destinations[2]; /* x and f registers with such a record */
    uint32_t states_refuted[2];           /* those whose state record contradicts what is known */
    struct stf_vector_group vectors;
    /* The rest is not reset when a group begins; the members above say which parts are valid. */
    uint64_t source_value[32]; /* of x registers */
    struct {
        uint64_t address;
        uint16_t size;
        uint8_t type;
    } touched[STF_TOUCHED]; /* by the first accesses */
};

struct stf_model {
    struct stf_tables tables;
    uint64_t context; /* cell 0 of the next record */
    uint64_t pending; /* PENDING_... of the records since the last encoding record */
    struct stf_group group;
    bool group_used;     /* records of the open group have written to it */
    bool fast;           /* the next record may take the fast path (fast_path.h), ... */
    bool general_only;   /* ... which none may: for tests */
    uint64_t fast_modes; /* the modes in the cell of `event` on the fast path */
    /* the instruction set */
    uint16_t isa, iem;
    enum rv_isa rv, other_rv;
    /* the flow of instructions */
    bool next_known;
    uint8_t next_flow;
    uint64_t next_pc;
    bool after_trap_return, after_pending_event, after_event;
    bool privileged;   /* a mode above user was recorded */
    bool event_placed; /* after_pending_event, and next_pc is the address after its instruction */
    uint64_t instructions;
    uint64_t sizes_in_bytes, sizes_in_bits; /* instructions with accesses of such sizes */
    /* the last page fault, while xRET may return to it */
    bool fault_known;
    uint8_t fault_size;
    uint64_t fault_pc;
    /* what is known of registers: x, f, v */
    uint32_t known[3];
    uint64_t value[3][32];
    bool operands_recorded, sources_recorded, destinations_recorded;
    bool asid_known, asid_due; /* of satp, if a register record gave it */
    uint16_t asid;
    bool process_known;
    uint32_t process[3];
    uint8_t minor; /* minor version by which the trace is read: the meaning of the process ids */
    uint8_t translated;  /* bit n: since satp was written addresses of mode n were translated */
    uint8_t satp_levels; /* of its translation mode, if a register record gave it; else 0 */
    struct stf_vectors vectors;
    bool zfinx; /* floating-point operands were recorded as x registers */
    struct stf_pages pages;
    struct stf_group_walks walks; /* of the open group */
    /* for the end */
    uint64_t end_flags;
    bool features_known;
    uint64_t features;
    uint8_t last_descriptor; /* not set for simple records, which are never RESERVE_END */
    struct stf_word words[STF_WORD_CACHE];
    struct stf_computed computed[STF_WORD_CACHE];
};

/* Initialises a zeroed model; `given` are tables of the user, or null. */
void stf_model_open(struct stf_model *model, const struct assay_fact_tables *given);
void stf_model_close(struct stf_model *model);

/* Sets the minor version by which the trace is read. */
void stf_model_version(struct stf_model *model, unsigned minor);

/* The derived cells of a record, in order of the trace. `data` is what follows the
 * descriptor, `size` how much of it there is; 8 more bytes are readable. */
void stf_model_record(struct stf_model *model, enum stf_kind kind, const uint8_t *data, size_t size,
                      uint64_t *cells);

/* The cells of the `end` event that are about the records. */
void stf_model_end(const struct stf_model *model, uint64_t *cells);

#endif
