/* CoreSight snapshots: a capture as debuggers and models write it, in a folder. `snapshot.ini`
 * names a file for each device, core or trace source, with its registers and dumps of memory, and
 * the file that says which source was traced to which buffer. Here a buffer becomes what a manifest
 * says of an input (manifest/manifest.h), so that everything after is the same for both.
 *
 *   [snapshot] version     1 or 1.0; or absent
 *   [device_list] *        files of devices
 *   [trace] metadata       the file about buffers
 *
 * in that file:
 *
 *   [trace_buffers] buffers  names of sections, separated by commas
 *   [BUFFER] name, file, format  of these sections; the format is source_data, coresight or
 *                          dstream_coresight
 *   [source_buffers] SOURCE=BUFFER  one line for each source; several buffers are separated by
 * commas [core_trace_sources] CORE=SOURCE
 *
 * and in the file of a device:
 *
 *   [device] name, class, type
 *   [regs] *               registers; of a name only what is before a "(" counts
 *   [dump*] file, address, length, offset, space
 *
 * A trace package is the older form of this (CoreSight trace decode metadata requirements, sections
 * 6.3 and 6.4): `contents.ini` names buffers and metadata.
 *
 *   [trace] bufferN        the file of a buffer
 *   [trace] metadata       the file about its streams; metadataN: that of bufferN
 *   [trace] events         the log of system events (snapshot/events.h)
 *   [trace] contextidr     what CONTEXTIDR holds (snapshot/memory.h)
 *   [dump*]                memory of all streams, as in a device's file
 *
 * and in that about streams:
 *
 *   [buffer] format        coresight, or raw or unformatted; it is the first section
 *   [bufferN] format, sources  the same of one buffer, as debuggers write it: anywhere, and the
 *                          streams are those that `sources` names, separated by commas; absent: all
 *   [trace_ID] format      the protocol of the stream with this trace id
 *   [trace_ID] *           registers, and cyclecount, timestamp_bits, timestamp_gray, context_id
 *
 * Other keys are ignored, and so are other sections, but for those about streams.
 */
#ifndef ASSAY_SNAPSHOT_SNAPSHOT_H
#define ASSAY_SNAPSHOT_SNAPSHOT_H

#include "manifest/manifest.h"

enum {
    CS_SNAPSHOT_MAX_DEVICES = 4096,
    CS_SNAPSHOT_MAX_BUFFERS = 256,
    CS_SNAPSHOT_MAX_SOURCES = 1024 /* of a buffer */
};

#define CS_SNAPSHOT_FILE "snapshot.ini"
#define CS_PACKAGE_FILE  "contents.ini"

/* Whether a path is that of a snapshot or package, .../snapshot.ini or .../contents.ini, or of one
 * of its buffers, .../snapshot.ini#NAME. */
bool cs_is_snapshot(const char *path);

/* Whether a path is that of a contents.ini with a snapshot.ini beside it. Debuggers write both
 * about one capture, of which the snapshot says more. */
bool cs_repeats_snapshot(const char *path);

/* Reads a snapshot, as assay_manifest_load does. If it has several buffers and the path names none
 * of them, the manifest has their names as `inputs` and nothing else.
 *
 * Images are the dumps of the core that a source belongs to; one whose file does not exist is in
 * `absent`. A source of a protocol that is no format of this build has `unjudged`. Contradictions
 * are errors: names that nothing has, two devices of one name, two sources with one id in a buffer
 * of frames, several in a buffer without. */
enum assay_error cs_snapshot_load(const char *path, const struct assay_manifest_options *options,
                                  struct assay_manifest *manifest, struct assay_diag *diag);

#endif
