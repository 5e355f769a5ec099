/* What the interface of the hart gives (4.2), made of a program and of where it went. */
#ifndef ASSAY_ETRACE_INGRESS_H
#define ASSAY_ETRACE_INGRESS_H

#include "etrace/unit.h"
#include "etrace/walk.h"

/* The type of a block that ends with an instruction after which execution was at `next` (4.1.1). */
enum etrace_itype etrace_itype_of(const struct etrace_instruction *i, uint64_t next);

/* What of it the interface has room for; `narrow`: itype has 3 bits, one code says all jumps that
 * are not inferable, and none the others (table 4.1). */
enum etrace_itype etrace_itype_signalled(enum etrace_itype itype, bool narrow);

/* The record of an instruction. `before` is the one retired before it, of size 0 if there is none;
 * `next` is where execution went on. */
struct etrace_ingress etrace_ingress_of(const struct etrace_instruction *before,
                                        const struct etrace_instruction *i, uint64_t next,
                                        const struct etrace_reading *reading);

#endif
