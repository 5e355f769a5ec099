/* Elements to packets. For most elements there are several packets, or several elements are in one;
 * the writer knows all of them, and chooses one by a policy. What packets are completed from
 * (address history, context, timestamp) it follows as the decoder does.
 *
 *     ete_writer_put(writer, &(struct ete_element){.kind = ETE_elem_trace_info}, diag);
 *     ete_writer_put(writer, &(struct ete_element){.kind = ETE_elem_trace_on}, diag);
 *     ...
 *     ete_writer_flush(writer, diag);
 */
#ifndef ASSAY_GENERATORS_ETE_WRITER_H
#define ASSAY_GENERATORS_ETE_WRITER_H

#include "ete/ete.h"
#include "io/sink.h"

/* An element as the decoder has it: its kind, and the cells ETE_CELL_elem_... of that kind. Those
 * of the state before the element are not read. */
struct ete_element {
    enum ete_kind kind;
    uint64_t cells[ETE_ELEMENT_CELLS];
};

enum ete_choice {
    ETE_CHOOSE_SHORTEST, /* the packet with most elements, and of several such the shortest */
    ETE_CHOOSE_ANY       /* drawn from all that there are, and Ignore packets between them */
};

struct ete_writer_setup {
    struct assay_sink *sink; /* the caller's, outlives the writer */
    uint64_t trcidr0;        /* COMMOPT is read; identifiers have 32 bits */
    uint64_t max_depth;      /* TRCIDR8.MAXSPEC */
    enum ete_choice choice;
    uint64_t seed; /* of ETE_CHOOSE_ANY */
};

struct ete_writer;

/* Null when memory is out. */
struct ete_writer *ete_writer_open(const struct ete_writer_setup *setup);

/* The next element. An A-sync is written before each Trace Info; a Commit that no packet says is
 * left out. Elements are held back as long as more of them may fit in the same packet.
 * ASSAY_OUT_OF_RANGE: no packet has this element, or not after those before it. */
enum assay_error ete_writer_put(struct ete_writer *writer, const struct ete_element *element,
                                struct assay_diag *diag);

/* Writes the packets of all elements so far. Otherwise as ete_writer_put, or the sink's error. */
enum assay_error ete_writer_flush(struct ete_writer *writer, struct assay_diag *diag);

/* Null is allowed. Elements that were not flushed are lost. */
void ete_writer_close(struct ete_writer *writer);

#endif
