/* The memory that the events of a package declare: which images, libraries and patched code each
 * process has at which time, and which process a context is of (section 5.7).
 *
 * A change happens at the time of its event, or, where that time is not known or not comparable
 * with the trace, at any time. A reader that cannot tell whether it has happened uses what is the
 * same before and after (image/timeline.h).
 */
#ifndef ASSAY_SNAPSHOT_MEMORY_H
#define ASSAY_SNAPSHOT_MEMORY_H

#include "snapshot/areas.h"
#include "snapshot/events.h"
#include "snapshot/snapshot_private.h"

/* What CONTEXTIDR holds (section 5.3.1). */
enum cs_context_layout {
    CS_CONTEXT_UNKNOWN,
    CS_CONTEXT_PID,      /* the process in bits 31:0 */
    CS_CONTEXT_TID,      /* the thread in bits 31:0 */
    CS_CONTEXT_ASID,     /* an address space in bits 7:0, and nothing else */
    CS_CONTEXT_ASID_PID, /* one in bits 7:0, the process in bits 31:8 */
    CS_CONTEXT_ASID_TID  /* one in bits 7:0, the thread in bits 31:8 */
};

/* An image that events declare: the same one as long as all its parameters are. */
struct cs_image {
    const struct cs_event *event; /* the first about it */
    bool has_file;                /* otherwise nothing is known of its addresses */
    uint32_t number;              /* in the set */
    uint64_t first, last;         /* addresses */
    bool live;                    /* at the event at hand */
};

struct cs_memory {
    struct cs_events events;
    enum cs_context_layout layout;
    bool dated;         /* times of events are those of the trace's timestamps */
    uint64_t tolerance; /* and are this near to them */
    struct cs_image *declared;
    size_t declared_count;
    uint32_t *image_of; /* of each event that is of an image: its number there */
    struct cs_images images;
};

/* Reads the log of the package, if there is one, and finds the images that it declares. `trace` is
 * the section [trace] of contents.ini, with the items `events`, `contextidr`, `event_time` and
 * `event_tolerance`. */
enum assay_error cs_memory_read(struct cs_snapshot *s, const struct assay_yaml *trace,
                                struct cs_memory *memory);

/* Whether bits 7:0 are an ASID, and others something else. */
bool cs_context_has_other(enum cs_context_layout layout);

/* The place of an event in the log, for messages. Its text is that of the event. */
struct assay_yaml cs_memory_place(const struct cs_memory *memory, const struct cs_event *event);

/* Where the memory of a process is visible: what is not told apart, and the kernel, everywhere. */
struct assay_space cs_memory_space(const struct cs_memory *memory, uint64_t pid);

/* The areas of the images that have a file: each process has a space of its own, or all have one.
 */
bool cs_memory_areas(const struct cs_snapshot *s, const struct cs_memory *memory, bool by_process,
                     struct cs_areas *areas);

/* The event before of the same process, if that did not end with it; else null. Goes
 * through what is live when the process ends. */
const struct cs_event *cs_event_of_process(const struct cs_event *event);

/* Finds the images once the log is read, and their files. Refuses those of one address space that
 * overlap. */
enum assay_error cs_memory_find_images(struct cs_snapshot *s, struct cs_memory *memory);

/* The image of an event, once they are found; null of none. */
struct cs_image *cs_memory_image(const struct cs_memory *memory, const struct cs_event *event);

/* Whether a file is an executable that is linked for its addresses. */
bool cs_is_linked(const char *path);

/* Refuses a UUID of two files with different contents (MET-EVT-012). */
enum assay_error cs_memory_check_uuids(const struct cs_snapshot *s, const struct cs_memory *memory);

/* Puts what the events change into the order of time. */
enum assay_error cs_memory_make_timeline(struct cs_snapshot *s, struct cs_memory *memory);

/* Says of the buffer's frames which ids sources have one after the other (MET-CFG-015). */
enum assay_error cs_memory_make_changes(const struct cs_snapshot *s,
                                        const struct cs_memory *memory);

/* Refuses what the log says of the trace ids and contexts of the buffer's streams, where the
 * sections of the metadata (`root`) contradict it. */
enum assay_error cs_memory_check_streams(const struct cs_snapshot *s,
                                         const struct cs_memory *memory,
                                         const struct assay_yaml *root);

#endif
