/* The fields of registers in an IP-XACT description, one after the other. Private to ipxact.c. */
#ifndef ASSAY_ETRACE_IPXACT_FIELDS_H
#define ASSAY_ETRACE_IPXACT_FIELDS_H

#include <stdbool.h>

#include "etrace/etrace.h"
#include "model/parameters.h"

enum { ETRACE_IPXACT_TEXT = 64 /* bytes of a name or number, with the end */ };

/* A field. */
struct etrace_ipxact_field {
    char name[ETRACE_IPXACT_TEXT];
    char in_register[ETRACE_IPXACT_TEXT];  /* its name */
    char access[ETRACE_IPXACT_TEXT];       /* of the field, or else of the register; may be empty */
    uint64_t register_size, offset, width; /* in bits */
    uint64_t value;                        /* after reset */
    bool has_value;
    unsigned line, value_line;
};

/* What is known of the description. */
struct etrace_ipxact_fields {
    struct assay_parameter_values *values;
    bool example;          /* it is of the component of 9.2 */
    uint64_t taken;        /* bits of the register that have a field */
    unsigned overlap_line; /* of a register that overlaps another one; 0: none does */
    size_t attributes;     /* so many there were */
    bool control[ETRACE_PARAMETER_COUNT]; /* the control fields that there were */
    bool any_control;
};

/* The number that a text of IP-XACT has: decimal, 0x1f, 'h1f, 8'b101. */
bool etrace_ipxact_number(const char *text, uint64_t *value);

/* Checks a field and sets the parameter that it is of. */
enum assay_error etrace_ipxact_field(struct etrace_ipxact_fields *fields,
                                     const struct etrace_ipxact_field *field,
                                     struct assay_diag *diag);

/* After the last one. `line` is that of the description. */
enum assay_error etrace_ipxact_finish(struct etrace_ipxact_fields *fields, unsigned line,
                                      struct assay_diag *diag);

#endif
