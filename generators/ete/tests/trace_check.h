/* What is decoded from a stream that was generated, and what the rules say of it. Each function
 * fails the test where something is wrong. */
#ifndef ASSAY_GENERATORS_ETE_TESTS_TRACE_CHECK_H
#define ASSAY_GENERATORS_ETE_TESTS_TRACE_CHECK_H

#include "ete/analyse.h"
#include "generators/ete/unit.h"
#include "image/image.h"
#include "model/parameters.h"

/* What occurs in streams: events by kind, and runs by how it is known where they go on, by
 * instruction set, and by what they follow from. */
struct occurring {
    unsigned kinds[ETE_KIND_COUNT];
    unsigned goes_by[8], sets[4], by[4];
};

/* Instructions by number: those that the trace does not show. */
struct shown {
    bool *left_out; /* owned */
    size_t length;
};

struct shown shown_open(size_t length);
void shown_close(struct shown *shown);

/* As the options of a unit have it; the context is the struct shown. */
void shown_leave_out(void *context, uint64_t first, uint64_t end);

/* The next instruction that the trace shows; the length when there is none. */
size_t shown_next(const struct shown *shown, size_t at);

struct trace_check {
    const char *name; /* of what is checked, for messages */
    uint64_t seed;
    struct assay_parameter_values registers;
    struct assay_image_set *images; /* owned */
    const struct assay_sink *trace;
};

/* Registers of a unit with these options, and an empty set of images. */
void trace_check_open(struct trace_check *check, const struct ete_unit_options *options,
                      bool wfx_is_p0);
void trace_check_close(struct trace_check *check);

/* Adds memory of the program; with `context`, that of a Context identifier. */
void trace_check_add(struct trace_check *check, uint64_t address, const void *bytes, size_t size,
                     const uint32_t *context);

/* Calls `each` with each instruction, in order; its return value is what is wrong, or null. */
void trace_check_instructions(struct trace_check *check,
                              const char *(*each)(void *context, const struct assay_event *event),
                              void *context);

/* Judges the stream by all rules, of which none may be violated but those that inform; counts what
 * occurs. */
void trace_check_rules(struct trace_check *check, struct occurring *occurring);

/* Judges a piece of the stream by all rules, of which none of level must may be violated. */
void trace_check_piece(struct trace_check *check, size_t from, size_t size);

#endif
