/* The pages of all rules as HTML files, with an index, for reading in a browser. */
#ifndef ASSAY_VALIDATOR_PROGRAM_RULE_SITE_H
#define ASSAY_VALIDATOR_PROGRAM_RULE_SITE_H

#include "validator/engine/catalogue.h"

/* Writes index.html and one file a rule into a folder, which is made if it is not there. The pages
 * hold no time and no path: the same catalogue gives the same bytes. Catalogues end with null. */
enum assay_error assay_rule_site(const struct assay_catalogue *const *catalogues,
                                 const char *folder, struct assay_diag *diag);

#endif
