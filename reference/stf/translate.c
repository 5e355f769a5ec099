/* Traces of earlier versions as traces of 1.6. What differs are the version, the width of event
 * ids, the ids of a process, the length of vector registers and descriptor 255; all other records
 * are the same. */
#include <stdlib.h>
#include <string.h>

#include "stf/frame.h"
#include "stf/tables.h"

enum { RV32 = 1, VECTOR = 3, SPECIAL32 = 30, SPECIAL64 = 62, FEATURE_PHYSICAL_ADDRESS = 0 };

/* Processes whose address space ids are compared. */
enum { PROCESSES = 64 };

/* An event has at most 255 fields of 8 bytes; 8 more bytes are touched by stf_set. */
enum { MOST = STF_BYTES_event64 + 255 * 8 + 8 };

struct assay_translator {
    const struct assay_encoder_ops *encoding;
    struct assay_encoder *encoder;
    unsigned from; /* enum stf_profile_id */
    const char *refused;
    bool versioned; /* there was a version record */
    bool rv32;      /* the encoding mode is the one of RV32 */
    bool wide;      /* the features written last say that ids of events have 64 bits */
    bool ended;     /* RESERVE_END was there */
    bool walks;     /* there are walks */
    size_t processes;
    uint32_t pid[PROCESSES], asid[PROCESSES];
};

static enum assay_error open_translator(const struct assay_encoder_ops *encoding,
                                        struct assay_encoder *encoder, unsigned from,
                                        struct assay_translator **translator,
                                        struct assay_diag *diag)
{
    *translator = calloc(1, sizeof **translator);
    if (*translator == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*translator)->encoding = encoding;
    (*translator)->encoder = encoder;
    (*translator)->from = from;
    return ASSAY_OK;
}

static void look(struct assay_translator *t, const struct assay_event *event)
{
    t->walks = t->walks || event->kind == STF_page_table_walk;
}

static enum assay_error refuse(struct assay_translator *t, const char *why)
{
    t->refused = why;
    return ASSAY_OK;
}

static enum assay_error put_event(struct assay_translator *t, const struct assay_event *event,
                                  struct assay_diag *diag)
{
    return t->encoding->put(t->encoder, event, diag);
}

static enum assay_error put_data(struct assay_translator *t, enum stf_kind kind,
                                 const uint8_t *data, size_t size, struct assay_diag *diag)
{
    const struct assay_event event = {.bytes = data,
                                      .bits = (uint32_t)(8 * (STF_DESCRIPTOR_BYTES + size)),
                                      .kind = (uint16_t)kind};
    return put_event(t, &event, diag);
}

static enum assay_error put_version(struct assay_translator *t, struct assay_diag *diag)
{
    uint8_t data[STF_BYTES_version + 8] = {0};
    t->versioned = true;
    stf_set(data, version, major, 1);
    stf_set(data, version, minor, 6);
    return put_data(t, STF_version, data, STF_BYTES_version, diag);
}

/* In 1.6 ids of events have 64 bits; files of RV32, as the public library writes them, have 32, and
 * the flag says which. 1.3 read literally has no such flag, and none that announces walks. */
static enum assay_error put_features(struct assay_translator *t, const uint8_t *from,
                                     struct assay_diag *diag)
{
    uint8_t data[STF_BYTES_trace_info_feature + 8] = {0};
    uint64_t features = stf_get(from, trace_info_feature, features);
    if (t->from == STF_PROFILE_13) {
        features |= (uint64_t)!t->rv32 << STF_FEATURE_EVENT64 | (uint64_t)t->walks
                                                                    << FEATURE_PHYSICAL_ADDRESS;
    }
    t->wide = (features >> STF_FEATURE_EVENT64 & 1) != 0;
    stf_set(data, trace_info_feature, features, features);
    return put_data(t, STF_trace_info_feature, data, STF_BYTES_trace_info_feature, diag);
}

/* Whether the address space id is the one that the process had before, so that the PID tells it. */
static bool space_is_of_process(struct assay_translator *t, uint32_t pid, uint32_t asid)
{
    size_t i = 0;
    while (i < t->processes && t->pid[i] != pid) {
        i++;
    }
    if (i == t->processes && i < PROCESSES) {
        t->pid[i] = pid;
        t->asid[i] = asid;
        t->processes++;
    }
    return i < PROCESSES && t->asid[i] == asid;
}

/* 1.6 has a hardware thread, which is 0 where nothing says it, and no address space id. */
static enum assay_error put_process(struct assay_translator *t, const uint8_t *from,
                                    struct assay_diag *diag)
{
    uint8_t data[STF_BYTES_process_id_ext_hart + 8] = {0};
    const uint32_t pid = (uint32_t)stf_get(from, process_id_ext, pid);
    if (t->from == STF_PROFILE_15) {
        return refuse(t, "the ids of a process in 1.5 can mean either of two things");
    }
    if (!space_is_of_process(t, pid, (uint32_t)stf_get(from, process_id_ext, asid))) {
        return refuse(
            t, "address space ids change otherwise than processes, which 1.6 does not record");
    }
    stf_set(data, process_id_ext_hart, pid, pid);
    stf_set(data, process_id_ext_hart, tid, stf_get(from, process_id_ext, tid));
    return put_data(t, STF_process_id_ext_hart, data, STF_BYTES_process_id_ext_hart, diag);
}

static enum assay_error put_wide_event(struct assay_translator *t, const struct assay_event *event,
                                       struct assay_diag *diag)
{
    uint8_t data[MOST] = {0};
    const uint8_t *from = event->bytes;
    const uint64_t id = stf_get(from, event, id);
    const size_t fields = event->bits / 8 - STF_DESCRIPTOR_BYTES - STF_BYTES_event;
    stf_set(data, event64, id, (id & assay_mask(SPECIAL32)) | (id >> SPECIAL32) << SPECIAL64);
    stf_set(data, event64, interrupt, stf_get(from, event, interrupt));
    stf_set(data, event64, count, stf_get(from, event, count));
    memcpy(data + STF_BYTES_event64, from + STF_BYTES_event, fields);
    return put_data(t, STF_event64, data, STF_BYTES_event64 + fields, diag);
}

/* Before 1.5 descriptor 255 ends a trace; since then it is reserved. */
static enum assay_error put_end(struct assay_translator *t, const struct assay_event *event,
                                struct assay_diag *diag)
{
    if (t->from >= STF_PROFILE_15) {
        return put_event(t, event, diag);
    }
    t->ended = true;
    return ASSAY_OK;
}

static enum assay_error put_register(struct assay_translator *t, const struct assay_event *event,
                                     struct assay_diag *diag)
{
    if (stf_get(event->bytes, inst_reg, type) == VECTOR && t->from < STF_PROFILE_14) {
        return refuse(t, "a vector register, of which 1.3 has 64 bits of an unknown length");
    }
    return put_event(t, event, diag);
}

static enum assay_error put_record(struct assay_translator *t, const struct assay_event *event,
                                   struct assay_diag *diag)
{
    switch (event->kind) {
    case STF_version:
        return put_version(t, diag);
    case STF_trace_info_feature:
        return put_features(t, event->bytes, diag);
    case STF_process_id_ext:
        return put_process(t, event->bytes, diag);
    case STF_event:
        return t->wide ? put_wide_event(t, event, diag) : put_event(t, event, diag);
    case STF_inst_reg:
        return put_register(t, event, diag);
    case STF_reserve_end:
        return put_end(t, event, diag);
    case STF_inst_iem:
        t->rv32 = stf_get(event->bytes, inst_iem, encoding_mode) == RV32;
        return put_event(t, event, diag);
    default:
        return put_event(t, event, diag);
    }
}

static enum assay_error put(struct assay_translator *t, const struct assay_event *event,
                            struct assay_diag *diag)
{
    if (t->refused != NULL) {
        return ASSAY_OK;
    }
    if (event->kind == STF_malformed) {
        return refuse(t, "it cannot be read to its end");
    }
    if (event->kind == STF_end) {
        return t->versioned ? ASSAY_OK : refuse(t, "it has no version record");
    }
    if (t->ended) {
        return refuse(t, "records follow the one that ends the trace");
    }
    if (event->bits / 8 > STF_SHOWN) {
        return refuse(t, "a record is longer than what an event shows of it");
    }
    return put_record(t, event, diag);
}

static const char *refused(const struct assay_translator *t)
{
    return t->refused;
}

static void close_translator(struct assay_translator *t)
{
    free(t);
}

const struct assay_translator_ops stf_translator_ops = {
    .profile = STF_PROFILE_16,
    .open = open_translator,
    .look = look,
    .put = put,
    .refused = refused,
    .close = close_translator,
};
