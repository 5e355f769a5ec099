/* Whether a transaction that left nothing to analyse executed the TCOMMIT that ends it. */
#ifndef ASSAY_ETE_TCOMMIT_H
#define ASSAY_ETE_TCOMMIT_H

#include "ete/program.h"

/* Whether a transaction that begins at a place executes its TCOMMIT before the last of its first
 * atoms, which are as a resolved element has them (ETE_UNDONE in elements.def). */
bool ete_executes_tcommit(struct ete_program *program, const struct ete_walk_from *at,
                          uint64_t atoms);

#endif
