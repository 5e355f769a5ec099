/* Parameters as the public library for the encapsulation keeps them: a line for each, a comma
 * between name and value, the name behind that of its group (".itrace.iaddress_width_p,64"). */
#ifndef ASSAY_ETRACE_PARAMETER_LIST_H
#define ASSAY_ETRACE_PARAMETER_LIST_H

#include "model/parameters.h"

/* Reads such a file, as struct assay_parameter_syntax has it. The groups are packet (the
 * encapsulation), itrace and dtrace (the tables of chapter 9) and sup (widths of the support
 * packet). Parameters that only version 2.0 has say that the wire is that version, unless it was
 * configured before. */
enum assay_error etrace_parameter_list_read(struct assay_parameter_values *values, const char *path,
                                            const char *text, size_t size, struct assay_diag *diag);

#endif
