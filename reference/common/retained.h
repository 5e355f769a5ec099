/* Memory that a program gives back for one input and needs again for the next. */
#ifndef ASSAY_COMMON_RETAINED_H
#define ASSAY_COMMON_RETAINED_H

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* For the main function of a program that judges many inputs; it holds for the whole process, which
 * is why a library does not call it. By itself glibc returns the tables of an input to the system,
 * and the next input touches its own for the first time: a page fault for each page, which takes
 * most of the time of a short input. With this, blocks up to the largest size that glibc allows
 * come from the heap, and what is free at its end stays: no more than the largest input needed. */
static inline void assay_retain_memory(void)
{
#ifdef __GLIBC__
    enum { LARGEST_BLOCK = 32 << 20, FREE_AT_END = 64 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK);
    mallopt(M_TRIM_THRESHOLD, FREE_AT_END);
#endif
}

#endif
