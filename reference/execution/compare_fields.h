/* The derived fields of the comparison with a recorded execution (compare.h), the same in all
 * formats, for a layout.def; D as in model/layout.h. Without a recorded execution all of them are
 * 0. */
#ifndef ASSAY_EXECUTION_COMPARE_FIELDS_H
#define ASSAY_EXECUTION_COMPARE_FIELDS_H

/* A field that only a comparison gives; it is written as D. */
#define ASSAY_EXECUTED(D, ...) D(__VA_ARGS__, .flags = ASSAY_COMPARED)

/* Fields of the event of an instruction or a run, in the cells from `first` on. `word_name` is what
 * the format calls instruction words. Bits 41, 42 and 44 of the second cell are the format's own;
 * bit ASSAY_COMPARED_BIT of a run says that it has been compared. */
enum { ASSAY_COMPARED_BIT = 41 };

#define ASSAY_COMPARE_FIELDS(D, kind, first, word_name)                                            \
    ASSAY_EXECUTED(D, kind, executed_pc, ADDRESS, (first) + ASSAY_COMPARE_PC, 0, 64,               \
                   "the address of the executed instruction that the record corresponds "          \
                   "to; or of the attempt")                                                        \
    ASSAY_EXECUTED(D, kind, word_name, HEX, (first) + ASSAY_COMPARE_FLAGS, 0, 32,                  \
                   "its instruction word; or the attempt's")                                       \
    ASSAY_EXECUTED(D, kind, executed, FLAG, (first) + ASSAY_COMPARE_FLAGS, 32, 1,                  \
                   "the record is of an executed instruction, or in the position of one")          \
    ASSAY_EXECUTED(D, kind, unexecuted, FLAG, (first) + ASSAY_COMPARE_FLAGS, 33, 1,                \
                   "nothing was executed for this record")                                         \
    ASSAY_EXECUTED(D, kind, reordered, FLAG, (first) + ASSAY_COMPARE_FLAGS, 34, 1,                 \
                   "executed, but not here: the record is elsewhere in the order of execution")    \
    ASSAY_EXECUTED(D, kind, lost, FLAG, (first) + ASSAY_COMPARE_FLAGS, 35, 1,                      \
                   "the trace is not found in the execution from this record on")                  \
    ASSAY_EXECUTED(                                                                                \
        D, kind, attempt_known, FLAG, (first) + ASSAY_COMPARE_FLAGS, 36, 1,                        \
        "the record is of an instruction that faulted, and the recording has an attempt there "    \
        "that did not retire")                                                                     \
    ASSAY_EXECUTED(D, kind, fault_known, FLAG, (first) + ASSAY_COMPARE_FLAGS, 37, 1,               \
                   "the recording has the address whose access failed in the attempt")             \
    ASSAY_EXECUTED(                                                                                \
        D, kind, retry_known, FLAG, (first) + ASSAY_COMPARE_FLAGS, 43, 1,                          \
        "the record is of an instruction that faulted, the recording has no attempt there, and "   \
        "executed_pc is that of the instruction executed next")                                    \
    ASSAY_EXECUTED(                                                                                \
        D, kind, left_out, UINT, (first) + ASSAY_COMPARE_FLAGS, 45, 19,                            \
        "executed before this one and after that of the record before it, and not in the trace; "  \
        "524287 for more",                                                                         \
        .unit = "instructions")

/* Fields of the event at which all accesses of an instruction are known, in the same cells. */
#define ASSAY_COMPARE_ACCESS_FIELDS(D, kind, first)                                                \
    ASSAY_EXECUTED(D, kind, accesses_known, FLAG, (first) + ASSAY_COMPARE_FLAGS, 38, 1,            \
                   "the last record of an instruction whose accesses the recording has, "          \
                   "even if it made none")                                                         \
    ASSAY_EXECUTED(D, kind, writes_known, FLAG, (first) + ASSAY_COMPARE_FLAGS, 39, 1,              \
                   "as accesses_known, and writes in the recording did take place")                \
    ASSAY_EXECUTED(D, kind, accesses_complete, FLAG, (first) + ASSAY_COMPARE_FLAGS, 40, 1,         \
                   "as accesses_known, and there were no other accesses")                          \
    ASSAY_EXECUTED(D, kind, missing_read, UINT, (first) + ASSAY_COMPARE_BYTES, 0, 16,              \
                   "read by the execution, not by the records; 65535 for more", .unit = "bytes")   \
    ASSAY_EXECUTED(D, kind, missing_write, UINT, (first) + ASSAY_COMPARE_BYTES, 16, 16,            \
                   "written by the execution, not by the records; 65535 for more",                 \
                   .unit = "bytes")                                                                \
    ASSAY_EXECUTED(D, kind, spurious_read, UINT, (first) + ASSAY_COMPARE_BYTES, 32, 16,            \
                   "read by the records, not by the execution; 65535 for more", .unit = "bytes")   \
    ASSAY_EXECUTED(D, kind, spurious_write, UINT, (first) + ASSAY_COMPARE_BYTES, 48, 16,           \
                   "written by the records, not by the execution; 65535 for more",                 \
                   .unit = "bytes")

/* Fields of `end`, five cells from `first` on. Of several threads, addresses are of the first. */
#define ASSAY_COMPARE_END_FIELDS(D, first)                                                         \
    ASSAY_EXECUTED(D, end, unrecorded, UINT, (first), 0, 64,                                       \
                   "executed after the last one that has a record", .unit = "instructions")        \
    ASSAY_EXECUTED(D, end, unrecorded_at, ADDRESS, (first) + 1, 0, 64, "the first of them")        \
    ASSAY_EXECUTED(D, end, begins_after, UINT, (first) + 2, 0, 64,                                 \
                   "executed before the first one that has a record", .unit = "instructions")      \
    ASSAY_EXECUTED(D, end, begins_at, ADDRESS, (first) + 3, 0, 64,                                 \
                   "the address of that first one")                                                \
    ASSAY_EXECUTED(D, end, located, FLAG, (first) + 4, 0, 1,                                       \
                   "the trace was found in the execution, up to its end")

/* The cells of ASSAY_COMPARE_FIELDS, from the first on. */
enum {
    ASSAY_COMPARE_PC,
    ASSAY_COMPARE_FLAGS,
    ASSAY_COMPARE_BYTES,
    ASSAY_COMPARE_FAULT, /* with fault_known: the address; otherwise the format's own */
    ASSAY_COMPARE_CELLS
};

#define ASSAY_COMPARE_EXECUTED          (UINT64_C(1) << 32)
#define ASSAY_COMPARE_UNEXECUTED        (UINT64_C(1) << 33)
#define ASSAY_COMPARE_REORDERED         (UINT64_C(1) << 34)
#define ASSAY_COMPARE_LOST              (UINT64_C(1) << 35)
#define ASSAY_COMPARE_ATTEMPT_KNOWN     (UINT64_C(1) << 36)
#define ASSAY_COMPARE_FAULT_KNOWN       (UINT64_C(1) << 37)
#define ASSAY_COMPARE_ACCESSES_KNOWN    (UINT64_C(1) << 38)
#define ASSAY_COMPARE_WRITES_KNOWN      (UINT64_C(1) << 39)
#define ASSAY_COMPARE_ACCESSES_COMPLETE (UINT64_C(1) << 40)
#define ASSAY_COMPARE_RETRY_KNOWN       (UINT64_C(1) << 43)
#define ASSAY_COMPARE_ALL_KNOWN                                                                    \
    (ASSAY_COMPARE_ACCESSES_KNOWN | ASSAY_COMPARE_WRITES_KNOWN | ASSAY_COMPARE_ACCESSES_COMPLETE)

#endif
