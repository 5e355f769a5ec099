/* Conforming traces that are corrupted: of windows of a recording, or of a model. */
#ifndef ASSAY_DETECTION_SUBJECT_H
#define ASSAY_DETECTION_SUBJECT_H

#include "corruption.h"
#include "generators/generator.h"
#include "image/image.h"
#include "io/sink.h"
#include "model/facts.h"
#include "model/parameters.h"

/* The verdict on a trace. */
struct detection_verdict {
    uint64_t *violated; /* of each rule of the catalogue; owned */
    uint64_t complete;  /* layers of which all could be decoded, a bit for each */
};

struct detection_places {
    size_t *list; /* numbers of records; owned */
    size_t count;
};

struct detection_subject {
    const struct assay_format *format;
    unsigned profile; /* 1 + its number; 0: as the trace says */
    struct assay_sink trace, execution;
    struct assay_sink record; /* of the interface to the trace unit; empty: there is none */
    struct assay_parameter_values *parameters; /* owned; null: the format has none */
    struct assay_facts facts;                  /* known where `has_facts` */
    bool has_facts;
    const struct assay_image_set *images; /* of the program, or null; the list's */
    const struct assay_model *model;      /* null: the trace is of the recording alone */
    struct assay_generate_settings settings;
    struct assay_event *records; /* of the trace, the event `end` included; owned copies */
    size_t count;
    bool ambiguous; /* decoders can misunderstand a packet, whatever the encoder does */
    struct detection_verdict verdicts[DETECTION_COLUMNS];
    struct detection_places *places; /* for each kind of corruption; owned */
};

struct detection_subjects {
    struct detection_subject *list;
    size_t count;
    size_t dropped;                  /* that did not conform as they were made */
    struct assay_image_set **images; /* of programs; owned */
    size_t image_count;
};

/* A recording of which traces are made. */
struct detection_recording {
    const char *path;
    const char *facts;   /* a file, or null */
    const char *program; /* a file, or null */
};

/* How long windows of recordings and traces of models are, in instructions. */
enum { DETECTION_WINDOW = 1500 };

/* Adds a trace of a model. */
enum assay_error detection_add_model(struct detection_subjects *subjects,
                                     const struct assay_format *format,
                                     const struct assay_model *model, uint64_t seed,
                                     struct assay_diag *diag);

/* Adds traces of windows of the first thread of a recording, which are at equal distances; each is
 * made in the next of the table's ways. None where the format is that of other machines. */
enum assay_error detection_add_recording(struct detection_subjects *subjects,
                                         const struct detection_table *table,
                                         const struct detection_recording *recording,
                                         unsigned windows, struct assay_diag *diag);

/* Adds the trace of a whole recording, made in one of the table's ways. */
enum assay_error detection_add_whole(struct detection_subjects *subjects,
                                     const struct detection_table *table,
                                     const struct detection_recording *recording, size_t way,
                                     struct assay_diag *diag);

/* Finds the places of a trace where each kind of the table can be tried; part of the following. */
enum assay_error detection_find_places(struct detection_subject *subject,
                                       const struct detection_table *table,
                                       struct assay_diag *diag);

/* Judges the traces, drops those that do not conform, with a line on standard error for each, and
 * finds the places where each kind of the table can be tried. */
enum assay_error detection_prepare(struct detection_subjects *subjects,
                                   const struct detection_table *table, struct assay_diag *diag);

/* The trace of a subject stored in another way. */
enum assay_error detection_store(const struct detection_subject *subject, const char *storage,
                                 struct assay_sink *sink, struct assay_diag *diag);

/* Opens the recorded execution that a trace shows, or the record of the interface. */
enum assay_error detection_open_recording(const struct assay_sink *recording,
                                          struct assay_execution **execution,
                                          struct assay_diag *diag);

/* Whether there is what the column of that name is judged with. */
bool detection_accompanied(const struct detection_subject *subject);

/* Opens a decoder of bytes, with what the subject has for a column; with the recording that is the
 * one that is given. `parameters` is where it keeps those of the stream. */
enum assay_error detection_open(const struct detection_subject *subject,
                                const struct assay_sink *bytes, enum detection_column column,
                                const struct assay_sink *recording,
                                struct assay_parameter_values *parameters,
                                struct assay_decoder **decoder, struct assay_diag *diag);

/* Judges bytes with what the subject has for a column: with the recording and with the record of
 * the interface, where there is one, one after the other. */
enum assay_error detection_judge(const struct detection_subject *subject,
                                 const struct assay_sink *bytes, enum detection_column column,
                                 struct detection_verdict *verdict, struct assay_diag *diag);

/* Whether no must rule is violated, and all was decoded; says otherwise on standard error. */
bool detection_conforms(const struct detection_subject *subject);

void detection_free(struct detection_subjects *subjects, const struct detection_table *table);

/* A record with bytes of its own, and room for some more. */
struct assay_event detection_copy(const struct assay_format *format,
                                  const struct assay_event *event);
void detection_free_event(const struct assay_event *event);

#endif
