/* The derived fields that a recorded execution gives in all formats alike (truth.h), for a
 * layout.def; D as in common/layout.h. Without a recorded execution all of them are 0. */
#ifndef ASSAY_EXECUTION_TRUTH_FIELDS_H
#define ASSAY_EXECUTION_TRUTH_FIELDS_H

/* Of the event of an instruction or a run, in the words from `first` on. `word_name` is what the
 * format calls instruction words. Bits 41 to 44 of the second word are the format's own. */
#define ASSAY_TRUTH_FIELDS(D, kind, first, word_name)                                              \
    D(kind, executed_pc, ADDRESS, (first) + ASSAY_TRUTH_PC, 0, 64,                                 \
      "the address of the executed instruction that the record stands for; or of the attempt")     \
    D(kind, word_name, HEX, (first) + ASSAY_TRUTH_FLAGS, 0, 32,                                    \
      "its instruction word; or the attempt's")                                                    \
    D(kind, executed, FLAG, (first) + ASSAY_TRUTH_FLAGS, 32, 1,                                    \
      "the record is of an executed instruction, or stands in the place of one")                   \
    D(kind, unexecuted, FLAG, (first) + ASSAY_TRUTH_FLAGS, 33, 1,                                  \
      "nothing was executed for this record")                                                      \
    D(kind, reordered, FLAG, (first) + ASSAY_TRUTH_FLAGS, 34, 1,                                   \
      "executed, but not here: the record stands in another place of the order")                   \
    D(kind, lost, FLAG, (first) + ASSAY_TRUTH_FLAGS, 35, 1,                                        \
      "the trace is not found in the execution from this record on")                               \
    D(kind, attempt_known, FLAG, (first) + ASSAY_TRUTH_FLAGS, 36, 1,                               \
      "the record is of an instruction that faulted, and the execution tells an attempt there "    \
      "that did not retire")                                                                       \
    D(kind, fault_known, FLAG, (first) + ASSAY_TRUTH_FLAGS, 37, 1,                                 \
      "the execution tells the address whose access failed in the attempt")                        \
    D(kind, left_out, UINT, (first) + ASSAY_TRUTH_FLAGS, 45, 19,                                   \
      "executed before this one and after that of the record before, and not recorded; 524287 "    \
      "for more",                                                                                  \
      .unit = "instructions")

/* Of the event at which all accesses of an instruction are known, in the same words. */
#define ASSAY_TRUTH_ACCESS_FIELDS(D, kind, first)                                                  \
    D(kind, accesses_known, FLAG, (first) + ASSAY_TRUTH_FLAGS, 38, 1,                              \
      "the last record of an instruction of which the execution tells accesses, or that it "       \
      "made none")                                                                                 \
    D(kind, writes_known, FLAG, (first) + ASSAY_TRUTH_FLAGS, 39, 1,                                \
      "the same, and writes that the execution tells did take place")                              \
    D(kind, accesses_complete, FLAG, (first) + ASSAY_TRUTH_FLAGS, 40, 1,                           \
      "the same as accesses_known, and there were no others")                                      \
    D(kind, missing_read, UINT, (first) + ASSAY_TRUTH_BYTES, 0, 16,                                \
      "read by the execution, not by the records; 65535 for more", .unit = "bytes")                \
    D(kind, missing_write, UINT, (first) + ASSAY_TRUTH_BYTES, 16, 16,                              \
      "written by the execution, not by the records; 65535 for more", .unit = "bytes")             \
    D(kind, invented_read, UINT, (first) + ASSAY_TRUTH_BYTES, 32, 16,                              \
      "read by the records, not by the execution; 65535 for more", .unit = "bytes")                \
    D(kind, invented_write, UINT, (first) + ASSAY_TRUTH_BYTES, 48, 16,                             \
      "written by the records, not by the execution; 65535 for more", .unit = "bytes")

/* Of `end`, five words from `first` on. Of several threads the first tells where. */
#define ASSAY_TRUTH_END_FIELDS(D, first)                                                           \
    D(end, unrecorded, UINT, (first), 0, 64,                                                       \
      "executed behind the last one that a record stands for", .unit = "instructions")             \
    D(end, unrecorded_at, ADDRESS, (first) + 1, 0, 64, "the first of them")                        \
    D(end, begins_behind, UINT, (first) + 2, 0, 64,                                                \
      "executed before the first one that a record stands for", .unit = "instructions")            \
    D(end, begins_at, ADDRESS, (first) + 3, 0, 64, "the address of that one")                      \
    D(end, located, FLAG, (first) + 4, 0, 1, "the trace was found in the execution, to its end")

/* The words of ASSAY_TRUTH_FIELDS, from the first on. */
enum {
    ASSAY_TRUTH_PC,
    ASSAY_TRUTH_FLAGS,
    ASSAY_TRUTH_BYTES,
    ASSAY_TRUTH_FAULT, /* with fault_known: the address; otherwise the format's own */
    ASSAY_TRUTH_WORDS
};

#define ASSAY_TRUTH_EXECUTED          (UINT64_C(1) << 32)
#define ASSAY_TRUTH_UNEXECUTED        (UINT64_C(1) << 33)
#define ASSAY_TRUTH_REORDERED         (UINT64_C(1) << 34)
#define ASSAY_TRUTH_LOST              (UINT64_C(1) << 35)
#define ASSAY_TRUTH_ATTEMPT_KNOWN     (UINT64_C(1) << 36)
#define ASSAY_TRUTH_FAULT_KNOWN       (UINT64_C(1) << 37)
#define ASSAY_TRUTH_ACCESSES_KNOWN    (UINT64_C(1) << 38)
#define ASSAY_TRUTH_WRITES_KNOWN      (UINT64_C(1) << 39)
#define ASSAY_TRUTH_ACCESSES_COMPLETE (UINT64_C(1) << 40)

#endif
