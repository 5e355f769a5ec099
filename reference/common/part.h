/* Functions that are compiled separately for each caller: with the caller's constant arguments, or
 * for the caller's target machine. */
#ifndef ASSAY_COMMON_PART_H
#define ASSAY_COMMON_PART_H

#define ASSAY_PART static inline __attribute__((always_inline))

#endif
