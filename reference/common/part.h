/* Functions that are compiled anew in each of their callers: with the constants that these give, or
 * for the machine that these are for. */
#ifndef ASSAY_COMMON_PART_H
#define ASSAY_COMMON_PART_H

#define ASSAY_PART static inline __attribute__((always_inline))

#endif
