/* How much of a trace was compared with a recorded execution, and parts that could not be, because
 * the recording lacks them: a count for each reason, kept by the comparison (compare.h). */
#ifndef ASSAY_EXECUTION_UNCOMPARED_H
#define ASSAY_EXECUTION_UNCOMPARED_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, stable name, what one is, what several are) */
#define ASSAY_UNCOMPARED_REASONS(X)                                                                \
    X(AFTER_END, "after-the-end", "instruction after the end of the recording",                    \
      "instructions after the end of the recording")                                               \
    X(LOST, "not-found", "instruction from where the trace is not found in the recording",         \
      "instructions from where the trace is not found in the recording")                           \
    X(OTHER_THREAD, "other-threads", "instruction of a thread that the recording does not have",   \
      "instructions of threads that the recording does not have")                                  \
    X(SYSTEM, "system", "instruction of the system, of which the recording of a process has none", \
      "instructions of the system, of which the recording of a process has none")                  \
    X(ATTEMPTS, "attempts", "instruction that faulted, of which the recording has no attempt",     \
      "instructions that faulted, of which the recording has no attempt")                          \
    X(FAULTS, "fault-addresses", "fault of which the recording shows no address",                  \
      "faults of which the recording shows no address")                                            \
    X(TARGETS, "branch-targets",                                                                   \
      "branch after which the recording does not show the next address",                           \
      "branches after which the recording does not show the next address")                         \
    X(VECTORS, "vector-accesses",                                                                  \
      "vector load or store whose accesses the recording does not show",                           \
      "vector loads and stores whose accesses the recording does not show")                        \
    X(COPIES, "copy-accesses", "memory copy or set, whose accesses the recording does not show",   \
      "memory copies and sets, whose accesses the recording does not show")                        \
    X(CACHE, "cache-accesses",                                                                     \
      "cache operation by address, whose accesses the recording does not show",                    \
      "cache operations by address, whose accesses the recording does not show")                   \
    X(TAGS, "tag-accesses",                                                                        \
      "access of an instruction to allocation tags, which the recording does not show",            \
      "accesses of instructions to allocation tags, which the recording does not show")            \
    X(OTHER_ACCESSES, "other-accesses",                                                            \
      "instruction of another class whose accesses the recording does not show",                   \
      "instructions of other classes whose accesses the recording does not show")                  \
    X(FURTHER_ACCESSES, "further-accesses",                                                        \
      "instruction of whose accesses only a part could be compared",                               \
      "instructions of whose accesses only a part could be compared")                              \
    X(CONDITIONAL_WRITES, "conditional-writes",                                                    \
      "compare and swap of which the recording does not show whether it wrote",                    \
      "compare and swaps of which the recording does not show whether they wrote")                 \
    X(CONTENTS, "contents", "access whose content the recording does not show",                    \
      "accesses whose contents the recording does not show")                                       \
    X(WALKS, "walks", "page table walk that the recording does not show",                          \
      "page table walks that the recording does not show")

enum assay_uncompared_reason {
#define X(id, name, one, several) ASSAY_UNCOMPARED_##id,
    ASSAY_UNCOMPARED_REASONS(X)
#undef X
        ASSAY_UNCOMPARED_COUNT
};

/* The counts for the comparison of one trace. */
struct assay_uncompared {
    bool left_out; /* nothing was compared, since no rule that is selected needs it */
    uint64_t count[ASSAY_UNCOMPARED_COUNT];
    /* Instructions that the threads which the trace is of executed, to the end of the recording;
     * but for iterations of loops that the trace cannot show (silent_loop.h); and how many of them
     * an instruction of the trace was matched with. Of a record of the interface of a hart
     * (E-Trace): blocks that retired and may qualify. 0 before the trace has ended. */
    uint64_t recorded, matched;
    uint64_t threads; /* those of the recording, by their numbers, a bit each; the last bit is of
                         all from 63 on. 0 of a record of the interface */
    /* Why the recording cannot be that of the trace: of another instruction set, without the
     * thread, of another program. "" if it can be. The comparison continues nevertheless. */
    char wrong[240];
};

/* Of a thread in `threads`. */
static inline uint64_t assay_thread_bit(uint32_t number)
{
    enum { LAST = 63 };
    return UINT64_C(1) << (number < LAST ? number : LAST);
}

/* Each has a value for every reason. */
const char *assay_uncompared_name(enum assay_uncompared_reason reason);
const char *assay_uncompared_text(enum assay_uncompared_reason reason, uint64_t count);

#endif
