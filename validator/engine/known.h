/* Whether the result of an input that was judged before is still its result. Private to validator/.
 */
#ifndef ASSAY_VALIDATOR_KNOWN_H
#define ASSAY_VALIDATOR_KNOWN_H

#include "validator/engine/input.h"

/* Whether a run that has ended gave a result that depends on nothing but the options and on the
 * files in it, of which all digests are known: not on a fault of the system, or on a file that
 * changed or was not there to be read. */
bool assay_known_later(const struct assay_input_run *run);

/* Whether judging an input would read files with the very contents that are in an earlier result of
 * it, and no others: the manifest is read, and all files are read for their digests.
 * ASSAY_NO_MEMORY is the only error. */
enum assay_error assay_known_still(const struct assay_input *input,
                                   const struct assay_input_result *before, bool *still);

#endif
