/* The data accesses of the record of the interface (4.3, 4.4), each with the instruction that made
 * it and what the program says of that, and accesses that the program makes and the record lacks.
 */
#ifndef ASSAY_ETRACE_DATA_SIGNALS_H
#define ASSAY_ETRACE_DATA_SIGNALS_H

#include "etrace/data/accesses.h"
#include "etrace/etrace.h"
#include "etrace/interface/record.h"

/* Codes of lresp (table 4.9). */
enum { ETRACE_LRESP_NONE, ETRACE_LRESP_RESERVED, ETRACE_LRESP_OKAY, ETRACE_LRESP_ERROR };

enum etrace_signalled_kind {
    ETRACE_SIGNALLED_ACCESS,   /* dretire is high */
    ETRACE_SIGNALLED_LACKING,  /* the program makes an access that is not there */
    ETRACE_SIGNALLED_RESPONSE, /* lresp is not 0 */
    ETRACE_SIGNALLED_END
};

struct etrace_signalled {
    enum etrace_signalled_kind kind;
    uint32_t line;             /* of the record */
    struct etrace_block block; /* that line */

    /* Of an access. */
    bool has_blocks; /* all lines of its cycle are known */
    uint32_t blocks; /* that retire in its cycle; with dblock those of this number */
    const struct etrace_block
        *owner;               /* the line of its block, as long as it is not taken; or null */
    bool located;             /* it is known which instruction it is of: of `due` */
    bool has_meant;           /* its block and the instructions in that are known */
    uint32_t meant;           /* `has_meant`: instructions of its block that iaddr_lsbs can name */
    struct etrace_access due; /* by the program; type NONE: its instruction makes none */
    uint32_t due_most;        /* bytes of the largest one that it can be, instead of `due.bytes` */
    uint8_t pending;    /* `ETRACE_PENDING_`: under lrid, or of a response under lid, before */
    uint32_t requested; /* of a response: bytes of the load that is pending */
};

struct etrace_signalled_reader;

/* Of the table of an input, which the reader reads anew. Null with ASSAY_OK: the record has no data
 * signals. */
enum assay_error etrace_signalled_open(const struct assay_decode_input *input,
                                       struct etrace_signalled_reader **reader,
                                       struct assay_diag *diag);
void etrace_signalled_close(struct etrace_signalled_reader *reader);

/* The next one in the order of lines, borrowed and valid until it is taken; of kind END after the
 * last one, and after a fault of the record. */
const struct etrace_signalled *etrace_signalled_peek(struct etrace_signalled_reader *reader);
void etrace_signalled_take(struct etrace_signalled_reader *reader);

/* Of an access: what its signals, or a log, say of it. Data of a load that is split are not known;
 * of CSRs and atomic accesses `stored` is, and that `either` is the value or the operand. */
struct etrace_access etrace_signalled_access(const struct etrace_signalled *signalled,
                                             uint64_t data_width);

/* Whether a response gives data; they are in *value. */
bool etrace_signalled_answer(const struct etrace_signalled *signalled, uint64_t *value);

/* Bits of an address that daddr shows, as a mask, by the parameters of a stream. */
uint64_t etrace_data_address_mask(const struct etrace_reading *program, const uint64_t *layout);

/* Bits of data that a signal from DATA on has, up to its highest one. */
uint32_t etrace_signalled_bits(const struct etrace_signalled *signalled, enum etrace_signal signal);

#endif
