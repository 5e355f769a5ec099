/* The writer of recorded executions, format assay-execution/1 (docs/execution-format.md).
 *
 * A writer belongs to a file; a track to one thread of the recorded program. A track encodes
 * without a lock into its own chunk; full chunks go to the file under the writer's lock. Thus
 * tracks of one writer may be used by different threads at the same time, each track by one. Times
 * are microseconds since the recording's time 0 and never go back within a track: an earlier time
 * counts as the last one. */
#ifndef ASSAY_EXECUTION_EXECUTION_WRITER_H
#define ASSAY_EXECUTION_EXECUTION_WRITER_H

#include "execution/execution.h"
#include "io/sink.h"

struct assay_execution_writer;
struct assay_execution_track;

/* Writes the header. The sink stays the caller's, and outlives the writer. ASSAY_OUT_OF_RANGE: an
 * unknown instruction set, or strings of more than 4096 bytes. */
enum assay_error assay_execution_writer_open(struct assay_sink *sink,
                                             const struct assay_execution_header *header,
                                             struct assay_execution_writer **writer,
                                             struct assay_diag *diag);

/* Writes the end record with the totals of all chunks written so far, and flushes the sink. Close
 * or flush all tracks before. After the reasons "exec" and "kill" writing may go on, and another
 * end must follow. Returns the sink's first error. */
enum assay_error assay_execution_writer_end(struct assay_execution_writer *writer,
                                            enum assay_execution_reason reason);

/* Frees the writer; writes nothing. Its tracks must be closed. Null is allowed. */
void assay_execution_writer_close(struct assay_execution_writer *writer);

/* A new thread starts; system_id is the system's number for it or 0. ASSAY_LIMIT: more threads than
 * ASSAY_EXECUTION_THREADS_MAX. */
enum assay_error assay_execution_track_open(struct assay_execution_writer *writer,
                                            uint64_t system_id, uint64_t time,
                                            struct assay_execution_track **track);

/* Records the contents of accesses from here on, where they are known. */
void assay_execution_record_contents(struct assay_execution_track *track);

/* An instruction retired. ASSAY_LIMIT: more accesses than ASSAY_EXECUTION_ACCESSES_MAX.
 * ASSAY_OUT_OF_RANGE: size is neither 2 nor 4, the address is odd, a word of 2 bytes has more than
 * 16 bits, an access size is not a power of two or above 4096, or a content is known of more
 * than 8 bytes or has more bytes than its access. Nothing is written then. Otherwise
 * the sink's first error, as for all that follow. */
enum assay_error assay_execution_put_instruction(struct assay_execution_track *track,
                                                 uint64_t address, uint32_t word, unsigned size,
                                                 const struct assay_access *access,
                                                 unsigned accesses);

/* A clock sample. */
enum assay_error assay_execution_put_clock(struct assay_execution_track *track, uint64_t time);

enum assay_error assay_execution_put_system_call(struct assay_execution_track *track,
                                                 uint64_t number, const uint64_t args[6]);
enum assay_error assay_execution_put_system_return(struct assay_execution_track *track,
                                                   uint64_t number, int64_t value);

/* Control was taken away after the last instruction, or from one that was begun and not retired. */
enum assay_error assay_execution_put_diverted(struct assay_execution_track *track);
enum assay_error assay_execution_put_aborted(struct assay_execution_track *track, uint64_t address,
                                             uint32_t word, unsigned size);

/* The same, for an instruction whose access to the address `fault` failed. */
enum assay_error assay_execution_put_aborted_at(struct assay_execution_track *track,
                                                uint64_t address, uint32_t word, unsigned size,
                                                uint64_t fault);

/* Of a system: control was taken by a trap; its level, cause, from, fault, status and number are
 * read. The second one: the level from the next instruction on, where no trap gives it. */
enum assay_error assay_execution_put_trap(struct assay_execution_track *track,
                                          const struct assay_executed *trap);
enum assay_error assay_execution_put_level(struct assay_execution_track *track, uint8_t level);

/* Of a system: the next instruction is the first that uses this translation. ASSAY_OUT_OF_RANGE: an
 * impossible number of entries or size of the page, or an address that is not that of a page. */
enum assay_error assay_execution_put_walk(struct assay_execution_track *track,
                                          const struct assay_walk *walk);

/* Writes the current chunk to the file. */
enum assay_error assay_execution_track_flush(struct assay_execution_track *track);

/* Flushes and frees the track; with ended, the thread's end is recorded first. Null is allowed. */
enum assay_error assay_execution_track_close(struct assay_execution_track *track, bool ended);

#endif
