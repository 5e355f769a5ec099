/* The parameters of an encoder in an IP-XACT description of its registers (9.1, 9.2). */
#ifndef ASSAY_ETRACE_IPXACT_H
#define ASSAY_ETRACE_IPXACT_H

#include "model/parameters.h"

/* Sets the parameter of each attribute of tables 9.2 to 9.4 that the description has as the field
 * of a register; its value is the field's reset value. `read` of struct assay_parameter_syntax.
 *
 * Refused, with the line: what is not well formed, or has a document type; a register whose fields
 * overlap or do not fit; an attribute without a value, twice, or with a value that does not fit its
 * field; an unknown field in a register discovery_info_N; in a description of the component of 9.2,
 * a field elsewhere than there; a field of tables 2.1 to 2.6 of another width, access or reset
 * value than there; control registers without those that are mandatory.
 * Registers that overlap, as they do in 9.2, set discovery_overlap. */
enum assay_error etrace_ipxact_read(struct assay_parameter_values *values, const char *path,
                                    const char *text, size_t size, struct assay_diag *diag);

#endif
