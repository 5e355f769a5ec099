/* The memory that the events of a package declare: images of processes and libraries, each in the
 * contexts in which its process runs.
 *
 * An image set does not change while a trace is judged. So an image is mapped for the whole trace,
 * and only if no other event contradicts that: where one image follows another one at the same
 * addresses, or code is patched, none of them is mapped; the trace that gets there finds no program
 * image, and the judgement is incomplete. A thread or an address space that is of two processes one
 * after the other selects none of them.
 */
#ifndef ASSAY_CORESIGHT_MEMORY_H
#define ASSAY_CORESIGHT_MEMORY_H

#include "coresight/events.h"
#include "coresight/snapshot_private.h"

/* What CONTEXTIDR holds (section 5.3.1). */
enum cs_context_layout {
    CS_CONTEXT_UNKNOWN,
    CS_CONTEXT_PID,      /* the process in bits 31:0 */
    CS_CONTEXT_TID,      /* the thread in bits 31:0 */
    CS_CONTEXT_ASID,     /* an address space in bits 7:0, and nothing else */
    CS_CONTEXT_ASID_PID, /* one in bits 7:0, the process in bits 31:8 */
    CS_CONTEXT_ASID_TID  /* one in bits 7:0, the thread in bits 31:8 */
};

struct cs_memory {
    struct cs_events events;
    enum cs_context_layout layout;
    const bool *selectors; /* of each event whether it says whose a thread or address space is */
    struct cs_images images;
};

/* Reads the log of the package, if there is one, and finds the images that it declares. `trace` is
 * the section [trace] of contents.ini, with the items `events` and `contextidr`. */
enum assay_error cs_memory_read(struct cs_snapshot *s, const struct assay_yaml *trace,
                                struct cs_memory *memory);

/* Whether bits 7:0 are an ASID. */
bool cs_context_has_asid(enum cs_context_layout layout);

/* The place of an event in the log, for messages. Its text is that of the event. */
struct assay_yaml cs_memory_place(const struct cs_memory *memory, const struct cs_event *event);

/* Finds the images once the log is read. */
enum assay_error cs_memory_map_images(struct cs_snapshot *s, struct cs_memory *memory);

/* Refuses what the log says of the trace ids and contexts of the buffer's streams, where the
 * sections of the metadata (`root`) contradict it. */
enum assay_error cs_memory_check_streams(const struct cs_snapshot *s,
                                         const struct cs_memory *memory,
                                         const struct assay_yaml *root);

#endif
