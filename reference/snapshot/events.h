/* The log of system events of a trace package (CoreSight trace decode metadata requirements,
 * sections 5.5 to 5.8), as text. A line is empty, a comment after # or ;, or
 *
 *   TIME EVENT(PARAMETER, ...)
 *
 * with the events and parameters of the requirements:
 *
 *   declare_process(STATE, pid, base_address, image_file, uuid)
 *   declare_thread(STATE, tid, pid)
 *   declare_library(STATE, pid, base_address, image_file, uuid)
 *   patch_code(pid, start_address, length, code)
 *   declare_asid(STATE, asid, pid)
 *   define_trace(STATE, trace_id, source, register)
 *
 * STATE is START, END or CURRENT. Numbers are decimal or 0x.... A parameter can be in double
 * quotes. The uuid can be left out where there is an image_file, and the register where the state
 * is not START. Code is None, id:NAME, or its bytes in hexadecimal.
 *
 * A log that begins with an event of the state CURRENT begins with a snapshot, which is complete:
 * what neither it nor a later event declares does not exist. Any other log may lack events.
 */
#ifndef ASSAY_SNAPSHOT_EVENTS_H
#define ASSAY_SNAPSHOT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"

enum { CS_EVENTS_MAX = 16384 };

enum cs_event_kind {
    CS_DECLARE_PROCESS,
    CS_DECLARE_THREAD,
    CS_DECLARE_LIBRARY,
    CS_PATCH_CODE,
    CS_DECLARE_ASID,
    CS_DEFINE_TRACE,
    CS_EVENT_KIND_COUNT
};

/* patch_code has no state; it counts as START. */
enum cs_event_state { CS_EVENT_START, CS_EVENT_END, CS_EVENT_CURRENT };

struct cs_event {
    enum cs_event_kind kind;
    enum cs_event_state state;
    uint32_t line;
    uint64_t time;
    uint64_t pid;        /* of all but define_trace */
    uint64_t id;         /* of a thread, an address space or a trace source */
    uint64_t address;    /* of an image, or of code */
    uint64_t length;     /* of code in bytes */
    const char *text;    /* image_file, source or code; "" if it is not given */
    const uint8_t *code; /* of patch_code: its bytes, or null */
    const char *uuid;    /* or "" */
    uint64_t value;      /* of the register */
    bool has_value;
    /* The last events before it, or null. The index of the log has them. */
    const struct cs_event *before; /* about the same process, thread, library, address space or
                                      trace id; patch_code has none */
    bool anew; /* what that was about ended with its process, and this is not its own end */
    const struct cs_event *alike; /* of an image at the same place with the same name, by which its
                                     file is found, or the same UUID, if there is no name */
    const struct cs_event *named; /* with the same name: of an image, or of a source */
    const struct cs_event *previous; /* of the same process, but not of define_trace */
    const struct cs_event *end;      /* but the next one: the END of the process */
    const struct cs_event *process;  /* declare_process of that */
    bool begun;                      /* this event or one before is the START of the process */
    bool listed; /* this event or a later one of the snapshot at the beginning declares it */
};

struct cs_events {
    const char *path; /* what messages call the file */
    const struct cs_event *list;
    size_t count;
};

/* The name of an event: "declare_process". */
const char *cs_event_name(enum cs_event_kind kind);

/* Reads a log into an arena, and checks it: times do not decrease; nothing begins or ends twice,
 * nor with other parameters than before; a process is known where it is used, and what a snapshot
 * lists exists. Errors have path and line. */
enum assay_error cs_events_load(const char *path, const char *shown, struct assay_arena *arena,
                                struct cs_events *events, struct assay_diag *diag);

/* The same with the text in memory. */
enum assay_error cs_events_parse(const char *shown, const char *text, size_t size,
                                 struct assay_arena *arena, struct cs_events *events,
                                 struct assay_diag *diag);

/* Whether an event declares an image. */
bool cs_event_is_image(const struct cs_event *event);

/* Whether a log begins with a snapshot. */
bool cs_events_are_complete(const struct cs_events *events);

/* The index of a log, and the check that follows: parts of the above. */
enum assay_error cs_events_index(struct cs_event *list, size_t count, struct assay_diag *diag);
enum assay_error cs_events_check(const struct cs_events *events, struct assay_diag *diag);

#endif
