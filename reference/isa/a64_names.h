/* The classes of A64 instructions as values of a field, by which rules and people name them: one
 * enumeration for all formats that have such a field. */
#ifndef ASSAY_ISA_A64_NAMES_H
#define ASSAY_ISA_A64_NAMES_H

#include "model/model.h"

extern const struct assay_enumeration a64_class_names;

#endif
